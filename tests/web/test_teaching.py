"""Teaching on the page: a deck taught from nothing by taps, before a camera, and played with at once."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.profiles import Profiles, profile_for
from companion.app.surveying import Surveying
from companion.app.teaching import Lessons
from companion.app.watching import Watching
from companion.config import CameraSettings, Settings
from companion.devices.camera import Frame
from companion.devices.monitored_camera import MonitoredCamera
from companion.games import GAMES
from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM, face_shapes, outline
from companion.games.hexel.vision.recognizer import read_hexel
from companion.printing.layout import Layout, Place
from companion.referee.referee import Referee
from companion.vision.tracking.events import SettleTimes
from companion.web.app import create_app
from tests.teaching.pictures import LAMP, layout_picture
from tests.web.conftest import HEXEL, LINE, OPENING

CODE, PIN = "ROSE42", "4711"
DECK = "hexel36"
LAYOUT = GAMES["hexel"].layouts(DECK)[0]


class Shown:
    """A camera that shows what is laid before it."""

    name = "shown"

    def __init__(self) -> None:
        self.picture = np.full((720, 1280, 3), 110, np.uint8)
        self.frames = 0

    def open(self) -> None:
        self.frames = 0

    def next(self, timeout_s: float = 5.0) -> Frame:
        self.frames += 1
        return Frame(self.frames, self.frames / 10, self.picture)

    def close(self) -> None: ...


@pytest.fixture
def camera() -> Shown:
    return Shown()


@pytest.fixture
def running(camera: Shown, referee: Referee) -> SimpleNamespace:
    """As much of a running table as teaching touches."""
    pulse = MonitoredCamera(camera, clock=lambda: 0.0)
    pulse.next()
    restarts: list[bool] = []
    return SimpleNamespace(
        camera=pulse,
        referee=referee,
        settings=Settings(camera=CameraSettings(source="usb")),
        restarts=restarts,
        restart_watching=lambda: restarts.append(True),
        has_camera=True,
    )


@pytest.fixture
def app(referee: Referee, running: SimpleNamespace, tmp_path: Path) -> Flask:
    return create_app(
        referee,
        join_code=CODE,
        operator_pin=PIN,
        camera=running,  # type: ignore[arg-type]
        surveyor=lambda: Surveying(running, tmp_path),  # type: ignore[arg-type]
        teacher=lambda: Lessons(running, tmp_path),  # type: ignore[arg-type]
    )


@pytest.fixture
def operator(app: Flask) -> Iterator[FlaskClient]:
    client = app.test_client()
    assert client.post("/api/join", json={"code": CODE}).status_code == 200
    assert client.post("/api/operator", json={"pin": PIN}).status_code == 200
    yield client


def lay(running: SimpleNamespace, camera: Shown, **how: Any) -> None:
    camera.picture = layout_picture(LAYOUT, **how)
    running.camera.next()


def step(client: FlaskClient, which: str, **given: Any) -> dict[str, Any]:
    answer = client.post(f"/api/teach/{which}", json=given)
    assert answer.status_code == 200, answer.get_json()
    told: dict[str, Any] = answer.get_json()
    return told


def test_teaching_is_the_operators_alone(app: Flask, phone: FlaskClient) -> None:
    assert app.test_client().get("/api/teach").status_code == 401
    assert phone.post("/api/teach/begin", json={"deck": DECK}).status_code == 403
    assert "enter the PIN" in phone.get("/teach").text


def test_a_deck_is_taught_step_by_step_and_read_by_what_was_learnt(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown, tmp_path: Path
) -> None:
    told = step(operator, "begin", deck=DECK)["lesson"]
    assert told["words"] == LAYOUT.words and told["names"] == ["red", "blue", "void"]
    assert not operator.get("/api/teach/look").get_json()["whole"]
    lay(running, camera, turn_deg=4)
    assert not operator.get("/api/teach/look").get_json()["still"]
    seen = operator.get("/api/teach/look").get_json()
    assert (seen["whole"], seen["still"], len(seen["outlines"])) == (True, True, 3)
    told = step(operator, "take")["lesson"]
    assert [sample["cutouts"][0]["name"] for sample in told["fresh"]] == ["red", "blue", "void"]
    crop = cv2.imdecode(np.frombuffer(operator.get("/api/teach/crops/0.jpg").data, np.uint8), cv2.IMREAD_COLOR)
    assert [crop.shape[1], crop.shape[0]] == told["fresh"][0]["size"]
    assert step(operator, "agree")["lesson"]["lights"] == 1
    lay(running, camera, turn_deg=-3, light=LAMP, brightness=0.7, seed=2)
    step(operator, "take")
    assert step(operator, "agree")["lesson"]["lights"] == 2
    tried = operator.get("/api/teach/try.jpg")
    assert tried.mimetype == "image/jpeg" and len(tried.data) > 10_000
    (kept,) = step(operator, "keep", name="Our deck")["profiles"]
    assert (kept["key"], kept["deck"], kept["samples"], kept["in_use"]) == ("our-deck", DECK, 6, True)
    assert running.restarts == [True]
    path = profile_for(tmp_path, "hexel", "36")
    classifier = GAMES["hexel"].recognizer().classifier("36", path)
    reading = read_hexel(layout_picture(LAYOUT, seed=5, turn_deg=9), classifier)
    assert sorted(card.edges for card in (*reading.cards, *reading.loose)) == [
        (s,) * 6 for s in ("blue", "red", "void")
    ]


def test_names_are_changed_samples_left_out_and_what_cannot_be_is_refused(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown
) -> None:
    step(operator, "begin", deck=DECK)
    lay(running, camera)
    step(operator, "take")
    step(operator, "rename", number=0, cutout=0, name="blue")
    told = step(operator, "rename", number=1, cutout=0, name="red")["lesson"]
    assert [sample["cutouts"][0]["name"] for sample in told["fresh"]] == ["blue", "red", "void"]
    refused = operator.post("/api/teach/agree", json={})
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "labels-swapped")
    step(operator, "rename", number=2, cutout=0, name=None)
    assert operator.post("/api/teach/agree", json={}).get_json()["error"]["code"] == "classes-missing"
    assert operator.post("/api/teach/rename", json={"number": 0, "cutout": 0, "name": "pink"}).status_code == 400
    assert operator.post("/api/teach/rename", json={"number": 9, "cutout": 0, "name": None}).status_code == 400
    assert step(operator, "drop")["lesson"]["fresh"] == []
    assert operator.post("/api/teach/begin", json={"deck": "chess"}).status_code == 409


def test_a_photograph_comes_in_parts_from_the_phone(operator: FlaskClient, running: SimpleNamespace) -> None:
    running.camera.close()
    step(operator, "begin", deck=DECK)
    assert operator.post("/api/teach/take", json={}).get_json()["error"]["code"] == "no-picture"
    data = cv2.imencode(".jpg", layout_picture(LAYOUT))[1].tobytes()
    parts = [data[at : at + 60_000] for at in range(0, len(data), 60_000)]
    for number, part in enumerate(parts):
        answer = operator.post(f"/api/teach/photo?part={number}&parts={len(parts)}", data=part)
        assert answer.status_code == 200, answer.get_json()
    assert len(answer.get_json()["lesson"]["fresh"]) == 3
    junk = operator.post("/api/teach/photo?part=0&parts=1", data=b"no picture")
    assert junk.get_json()["error"]["code"] == "not-a-picture"


def test_samples_are_added_and_an_earlier_version_comes_back(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown, tmp_path: Path
) -> None:
    lay(running, camera)
    for given in ({"deck": DECK}, {"key": "ours"}):
        step(operator, "begin", **given)
        step(operator, "take")
        step(operator, "agree")
        (kept,) = step(operator, "keep", name="Ours")["profiles"]
    assert (kept["samples"], kept["versions"]) == (6, 1)
    (kept,) = step(operator, "back", key="ours")["profiles"]
    assert (kept["samples"], kept["versions"]) == (3, 0)
    (kept,) = step(operator, "use", deck=DECK, key=None)["profiles"]
    assert not kept["in_use"] and Profiles(tmp_path).in_use(DECK) is None
    assert step(operator, "forget", key="ours")["profiles"] == []
    assert operator.post("/api/teach/back", json={"key": "../x"}).get_json()["error"]["code"] == "no-profile"


OPERATE = (
    "return fetch('/api/operator', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
    f"body: JSON.stringify({{pin: '{PIN}'}})}}).then((answer) => answer.status)"
)


def tableau(*cards: dict[str, Any]) -> Layout:
    """Cards in their cells on the table."""
    places = [
        Place(
            card,
            "",
            (2 * APOTHEM_MM * (card["cell"][0] + card["cell"][1] / 2), 1.5 * SIDE_MM * card["cell"][1]),
            outline(),
            face_shapes(tuple(card["edges"]), "36"),
        )
        for card in cards
    ]
    return Layout("cards", "", (tuple(places),))


def test_a_deck_is_taught_by_taps_alone_and_played_with_at_once(
    app: Flask, serve: Any, chromium: Any, running: SimpleNamespace, camera: Shown, referee: Referee, tmp_path: Path
) -> None:
    shots = Path(os.environ["COMPANION_SHOTS"]) if "COMPANION_SHOTS" in os.environ else None

    def keep_shot(name: str) -> None:
        if shots:
            shots.mkdir(exist_ok=True)
            (shots / f"{len(list(shots.iterdir())):02}-{name}.png").write_bytes(chromium.picture())

    def click(element: str) -> None:
        chromium.wait_for(f"document.getElementById('{element}') && !document.body.classList.contains('is-busy')")
        keep_shot(element)
        chromium.run(f"document.getElementById('{element}').click()")

    address = f"http://127.0.0.1:{serve(app)}"
    chromium.forget()
    chromium.screen(390, 844)
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/teach")
    click(f"deck-{DECK}")
    chromium.wait_for("document.getElementById('told')?.textContent.includes('of 3 cards seen')")
    keep_shot("lay")
    lay(running, camera, turn_deg=4)
    chromium.wait_for("document.querySelectorAll('#drawing .found').length === 3")
    chromium.run("document.getElementById('stage').scrollIntoView()")
    keep_shot("seen")
    chromium.wait_for("document.getElementById('agree')")  # it took the picture by itself
    names = "[...document.querySelectorAll('.cutouts b')].map((b) => b.textContent).join()"
    assert chromium.run(f"return {names}") == "red,blue,void"
    click("cutout-0-0")
    click("name-void")
    chromium.wait_for(f"{names} == 'void,blue,void'")
    click("cutout-0-0")
    click("name-red")
    chromium.wait_for(f"{names} == 'red,blue,void'")
    lay(running, camera, turn_deg=-3, light=LAMP, brightness=0.7, seed=2)
    click("agree")
    chromium.wait_for("document.getElementById('agree') && document.getElementById('cutout-3-0')")
    click("agree")
    click("try")
    chromium.wait_for("document.getElementById('tried').naturalWidth > 100")
    click("to-name")
    click("keep")
    chromium.wait_for("document.querySelector('.printing')?.textContent.includes('In use')")
    keep_shot("kept")
    assert [line for line in chromium.complaints() if "400" not in line] == []

    lying = LINE["cards"]
    camera.picture = layout_picture(tableau(*lying), size=(1000, 600))
    profile = profile_for(tmp_path, "hexel", "36")
    watching = Watching(camera, referee, "hexel", profile=profile, settle_times=SettleTimes(card_s=0.3, start_s=0.3))
    watching.start()
    try:
        chromium.open(f"{address}/")
        wait_until(lambda: camera.frames > 12)
        camera.picture = layout_picture(tableau(*lying, HEXEL), size=(1000, 600))
        chromium.wait_for("document.getElementById('confirm')")
        click("confirm")
        wait_until(lambda: len(referee.latest().moves) == len(OPENING) + 1)
        assert referee.latest().moves[-1].command["edges"] == HEXEL["edges"]
    finally:
        watching.stop()


def wait_until(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends, "it never came about"
        time.sleep(0.02)
