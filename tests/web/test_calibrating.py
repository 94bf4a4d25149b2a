"""Calibrating on the page: for the operator alone, on what the camera sees, stored and watched by."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.surveying import TableSurveyor
from companion.config import CameraSettings, Settings
from companion.devices.camera import Frame, MonitoredCamera
from companion.printing.marks import mark_shapes
from companion.referee.referee import Referee
from companion.views.translations import LANGUAGES
from companion.vision.calibration.calibration import read_calibration
from companion.web.app import create_app
from companion.web.app_context import TableParts
from models.drawing.marked import Lying, marked_photograph
from models.drawing.pinhole import Pinhole

CODE, PIN = "ROSE42", "4711"
OPERATE = (
    "return fetch('/api/operator', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
    f"body: JSON.stringify({{pin: '{PIN}'}})}}).then((answer) => answer.status)"
)
SIZE = (1280, 720)
SEES = np.array([[1.4, 0.02, 640.0], [-0.03, 1.35, 360.0], [0.0, 5e-5, 1.0]])
CORNERS = ((-300.0, -180.0), (300.0, -180.0), (300.0, 180.0), (-300.0, 180.0))


class Still:
    """A camera that shows one picture for ever."""

    name = "still"

    def __init__(self, picture: np.ndarray) -> None:
        self.picture = picture

    def open(self) -> None: ...

    def next(self, timeout_s: float = 5.0) -> Frame:
        return Frame(0, 0.0, self.picture)

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    things = [Lying(mark_shapes(n), at, 3.0 * n) for n, at in enumerate(CORNERS)]
    rng = np.random.default_rng(3)
    return marked_photograph(rng, Pinhole(SEES, SIZE), things, table="felt", mood="daylight", hardness=0.3)


@pytest.fixture
def running(picture: np.ndarray) -> SimpleNamespace:
    """As much of a running table as surveying touches."""
    pulse = MonitoredCamera(Still(picture), clock=lambda: 0.0)
    pulse.next()
    seen: list[bool] = []
    settings = Settings(camera=CameraSettings(source="usb"))
    return SimpleNamespace(
        camera=pulse, settings=settings, looked=seen, restart_watching=lambda: seen.append(True), has_camera=True
    )


@pytest.fixture
def app(referee: Referee, running: SimpleNamespace, tmp_path: Path) -> Flask:
    surveying = lambda: TableSurveyor(running, tmp_path)  # type: ignore[arg-type]  # noqa: E731
    return create_app(referee, join_code=CODE, operator_pin=PIN, parts=TableParts(camera=running, surveyor=surveying))  # type: ignore[arg-type]


@pytest.fixture
def operator(app: Flask) -> Iterator[FlaskClient]:
    client = app.test_client()
    assert client.post("/api/join", json={"code": CODE}).status_code == 200
    assert client.post("/api/operator", json={"pin": PIN}).status_code == 200
    yield client


def asked(**more: Any) -> dict[str, Any]:
    return {"venue": "Kitchen", "width": 1280, **more}


def test_the_picture_is_the_operators_alone(app: Flask, phone: FlaskClient) -> None:
    assert app.test_client().get("/api/calibrate/picture.jpg").status_code == 401
    assert phone.get("/api/calibrate/picture.jpg").status_code == 403
    assert phone.post("/api/calibrate", json=asked()).status_code == 403
    assert "enter the PIN" in phone.get("/calibrate").text


def test_the_operator_sees_the_picture_and_how_fit_it_is(operator: FlaskClient) -> None:
    shown = operator.get("/api/calibrate/picture.jpg")
    assert shown.mimetype == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(shown.data, np.uint8), cv2.IMREAD_COLOR).shape == (720, 1280, 3)
    told = operator.get("/api/calibrate").get_json()
    assert told["marks"] == [0, 1, 2, 3]
    assert [check["name"] for check in told["checks"]] == ["light", "evenness", "glare", "focus"]
    assert told["places"]["comet"][-1] == "tail"
    assert told["named"] == {"tail": "The Tail", "case 1": "Case 1", "case 2": "Case 2"}


def test_calibrating_stores_and_has_the_camera_watch_by_it(
    operator: FlaskClient, running: SimpleNamespace, tmp_path: Path
) -> None:
    told = operator.post("/api/calibrate", json=asked(zones={"tail": [[600, 300], [700, 420]]})).get_json()
    assert (told["by"], told["file"], told["zones"]) == ("marks", "kitchen.toml", ["tail"])
    made = read_calibration(tmp_path / "calibration" / "kitchen.toml")
    assert made.zone_of((650.0, 360.0)) == "tail"
    assert running.settings.vision.calibration == tmp_path / "calibration" / "kitchen.toml"
    assert running.looked == [True]
    zone = operator.get("/api/calibrate").get_json()["current"]["zones_px"]["tail"]
    assert np.abs(np.array(zone) - [[600, 300], [700, 300], [700, 420], [600, 420]]).max() < 1


def test_taps_on_a_smaller_picture_mean_the_cameras_pixels(
    operator: FlaskClient, running: SimpleNamespace, tmp_path: Path
) -> None:
    taps = [[100, 60], [540, 60], [540, 300], [100, 300]]
    answer = operator.post("/api/calibrate", json=asked(width=640, by="taps", taps=taps, sheet=[440, 240]))
    assert answer.status_code == 200
    made = read_calibration(tmp_path / "calibration" / "kitchen.toml")
    assert np.abs(made.table_mm(np.array([200.5, 120.5]))).max() < 0.01
    assert made.mm_per_px() == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"width": "wide"}, 400, "malformed"),
        ({"width": 0}, 400, "malformed"),
        ({"by": "guessing"}, 400, "malformed"),
        ({"by": "taps", "taps": [[1, 2, 3]]}, 400, "malformed"),
        ({"by": "taps", "taps": [[1, 2]]}, 400, "usage"),
        ({"zones": {"tail": [[1, 2]]}}, 400, "usage"),
        ({"zones": {str(n): [] for n in range(40)}}, 400, "malformed"),
        ({"venue": "///"}, 400, "bad-venue"),
        ({"by": "card"}, 400, "usage"),
    ],
)
def test_what_cannot_be_is_refused(operator: FlaskClient, wrong: dict[str, Any], status: int, code: str) -> None:
    answer = operator.post("/api/calibrate", json=asked(**wrong))
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (status, code)


def test_a_camera_that_shows_nothing_is_told(operator: FlaskClient, running: SimpleNamespace) -> None:
    running.camera.close()
    assert operator.get("/api/calibrate/picture.jpg").status_code == 404
    assert operator.get("/api/calibrate").get_json()["checks"] == []
    assert operator.post("/api/calibrate", json=asked()).get_json()["error"]["code"] == "no-picture"


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_a_camera_that_shows_nothing_every_language_says_so(
    language: str, operator: FlaskClient, running: SimpleNamespace
) -> None:
    """Six said only that there was no picture of it, as of a past move."""
    running.camera.close()
    answer = operator.post("/api/calibrate", json=asked(), headers={"Accept-Language": language})
    message = answer.get_json()["error"]["message"]
    assert re.search("camera|Kamera|caméra|cámara|kamer", message), message
    assert len(re.split(r"[.:] ", message)) == 2, "and what to do about it"


def test_a_table_without_a_surveyor_has_no_such_page(referee: Referee) -> None:
    assert create_app(referee, join_code=CODE).test_client().get("/calibrate").status_code == 404


def test_four_taps_in_a_browser_calibrate_the_table(app: Flask, serve: Any, chromium: Any, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{serve(app)}"
    chromium.forget()
    chromium.screen(390, 844)
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/calibrate")
    chromium.wait_for("document.querySelectorAll('#checks li').length === 4", 60000)
    chromium.run("document.getElementById('way-taps').click()")
    for x, y in ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)):
        chromium.run(
            "const d = document.getElementById('drawing'), b = d.getBoundingClientRect();"
            f"const at = {{clientX: b.left + {x} * b.width, clientY: b.top + {y} * b.height}};"
            "d.dispatchEvent(new MouseEvent('click', at))"
        )
    assert chromium.run("return document.getElementById('taps-left').textContent") == "4 of 4"
    chromium.run("document.getElementById('place-hexapod-0').click()")
    words = "return document.getElementById('place-hexapod-0').textContent"
    assert chromium.run(words) == "Case 1"
    chromium.run(
        "const d = document.getElementById('drawing');"
        "d.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));"
        "d.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', shiftKey: true}));"
        "d.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', shiftKey: true}));"
        "d.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))"
    )
    assert chromium.run(words) == "Case 1 ✓", "two corners are a zone"
    chromium.run("document.getElementById('store').click()")
    assert "told by taps" in chromium.wait_for("document.getElementById('stored')?.textContent", 60000)
    made = read_calibration(tmp_path / "calibration" / "table.toml")
    assert made.by == "taps"
    assert made.zone_of((660.0, 380.0)) == "case 1"
    assert chromium.complaints() == []


def test_the_page_has_no_serious_fault(app: Flask, serve: Any, chromium: Any) -> None:
    axe = Path(__file__).parents[2] / ".cache/axe-core/axe.min.js"
    if not axe.exists():
        pytest.skip(f"axe-core is not fetched: {axe} is not there")
    address = f"http://127.0.0.1:{serve(app)}"
    chromium.forget()
    chromium.screen(390, 844)
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/calibrate")
    chromium.wait_for("document.querySelectorAll('#checks li').length === 4", 60000)
    chromium.run("document.getElementById('way-taps').click()")
    chromium.run(axe.read_text())
    script = "const r = await axe.run(document); return r.violations.map(({ id, nodes }) => id + nodes[0].html)"
    assert chromium.run(script) == []


def test_taps_lie_on_the_picture_and_nothing_runs_out_of_the_page_where_text_is_large(
    app: Flask, serve: Any, chromium: Any
) -> None:
    """The drawing was higher than the picture: a tap counted for another place than the one under the finger."""
    address = f"http://127.0.0.1:{serve(app)}"
    chromium.forget()
    chromium.screen(320, 640)
    chromium.ask_in("de")
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/calibrate")
    chromium.wait_for("document.querySelectorAll('#checks li').length === 4", 60000)
    chromium.run("document.documentElement.style.fontSize = '34px'")
    places = "return ['picture', 'drawing'].map((id) => document.getElementById(id).getBoundingClientRect().height)"
    picture, drawing = chromium.run(places)
    assert drawing == pytest.approx(picture, abs=1)
    assert chromium.run("return document.documentElement.scrollWidth") <= 320
