"""Teaching on the page: a deck taught from nothing by taps, before a camera, and played with at once."""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.profiles import Profiles, profile_for
from companion.app.surveying import TableSurveyor
from companion.app.teaching import Lessons
from companion.app.watching import Watching
from companion.config import CameraSettings, Settings
from companion.devices.camera import Frame, MonitoredCamera
from companion.games import GAMES
from companion.games.hexdragon.deck import HEADS
from companion.games.hexdragon.deck import SIDE_MM as TILE_SIDE_MM
from companion.games.hexdragon.deck import face_shapes as tile_shapes
from companion.games.hexdragon.deck import outline as tile_outline
from companion.games.hexdragon.rules.tiles import START
from companion.games.hexel.deck import SIDE_MM as HEXEL_SIDE_MM
from companion.games.hexel.deck import face_shapes
from companion.games.hexel.deck import outline as hexel_outline
from companion.games.hexel.vision.recognizer import read_hexel
from companion.printing.layout import Layout, Place
from companion.printing.shapes import Point, Shape
from companion.referee.messages import Do
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.views.translations import LANGUAGES
from companion.vision.tracking.tracks import SettleTimes
from companion.web.app import create_app
from companion.web.app_context import TableParts
from tests.teaching.pictures import LAMP, layout_picture
from tests.web.conftest import HEXEL, LINE, OPENING

CODE, PIN = "ROSE42", "4711"
DECK = "hexel36"
SCREEN = tuple(map(int, os.environ.get("COMPANION_SCREEN", "390x844").split("x")))
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


def before_camera(camera: Shown, referee: Referee) -> SimpleNamespace:
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


def teachers_app(referee: Referee, running: SimpleNamespace, data: Path) -> Flask:
    """The page of a table whose decks are taught."""
    return create_app(
        referee,
        join_code=CODE,
        operator_pin=PIN,
        parts=TableParts(
            camera=running,  # type: ignore[arg-type]
            surveyor=lambda: TableSurveyor(running, data),  # type: ignore[arg-type]
            teacher=lambda: Lessons(running, data),  # type: ignore[arg-type]
        ),
    )


@pytest.fixture
def running(camera: Shown, referee: Referee) -> SimpleNamespace:
    return before_camera(camera, referee)


@pytest.fixture
def app(referee: Referee, running: SimpleNamespace, tmp_path: Path) -> Flask:
    return teachers_app(referee, running, tmp_path)


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


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_what_to_lay_and_what_was_wrong_are_said_in_the_phones_language(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown, language: str
) -> None:
    operator.post("/api/language", json={"language": language})
    for one in operator.get("/api/teach").get_json()["decks"]:
        lesson, english = (
            step(operator, "begin", deck=one["deck"])["lesson"],
            GAMES[one["game"]].layouts(one["deck"])[0],
        )
        assert lesson["words"] != english.words
        assert not {place.words for place in english.places} & set(lesson["places"])
        assert set(lesson["names"]) <= lesson["called"].keys()
    step(operator, "begin", deck=DECK)
    camera.picture = np.full((720, 1280, 3), 110, np.uint8)
    running.camera.next()
    refused = operator.post("/api/teach/take", json={}).get_json()["error"]
    assert refused["code"] == "no-layout" and "teaching layout" not in refused["message"]


def test_what_is_tried_is_said_in_the_phones_language(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown
) -> None:
    operator.post("/api/language", json={"language": "de"})
    step(operator, "begin", deck=DECK)
    lay(running, camera)
    step(operator, "take")
    step(operator, "agree")
    mixed = face_shapes(("red", "blue") * 3, "36")
    (row,) = LAYOUT.rows
    camera.picture = layout_picture(Layout("cards", "", ((*row[:2], replace(row[2], drawing=mixed)),)))
    running.camera.next()
    cards = step(operator, "try")["cards"]
    assert sorted(card["names"] for card in cards) == [[["blau"]], [["rot"]], [["rot", "blau"] * 3]]
    assert all(len(card["corners"]) == 6 for card in cards)


def test_a_refusal_calls_the_classes_as_the_phone_does(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown
) -> None:
    operator.post("/api/language", json={"language": "de"})
    lesson = step(operator, "begin", deck=DECK)["lesson"]
    assert lesson["places"][0] == "die Karte mit sechs gleichen Symbolen: rot"
    assert lesson["words"].endswith("von links nach rechts: rot, blau, leer.")
    lay(running, camera)
    step(operator, "take")
    step(operator, "rename", number=2, cutout=0, name=None)
    refused = operator.post("/api/teach/agree", json={}).get_json()["error"]
    assert (refused["code"], refused["names"]) == ("classes-missing", ["leer"])
    assert refused["message"].startswith("Auf den Fotos fehlt noch: leer.")


def test_what_is_added_on_the_page_leaves_the_licence(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown, tmp_path: Path
) -> None:
    profile = GAMES["hexel"].recognizer().learn(DECK, [("a", layout_picture(LAYOUT))])
    key = Profiles(tmp_path).keep(profile.described(name="Ours", licence="CC0"))
    step(operator, "begin", key=key)
    lay(running, camera, light=LAMP)
    for which in ("take", "agree"):
        step(operator, which)
    (kept,) = step(operator, "keep", name="Ours, in two lights")["profiles"]
    assert (kept["name"], kept["samples"]) == ("Ours, in two lights", 6)
    assert json.loads(Profiles(tmp_path).path(key).read_text())["licence"] == "CC0"


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
    assert operator.get("/api/teach/try.jpg").get_json()["error"]["code"] == "no-picture"
    assert step(operator, "try") == {"size": [1280, 720], "cards": ANY}
    tried = operator.get("/api/teach/try.jpg")
    assert tried.mimetype == "image/jpeg" and len(tried.data) > 10_000
    (kept,) = step(operator, "keep", name="Our deck")["profiles"]
    assert (kept["key"], kept["deck"], kept["samples"], kept["in_use"]) == ("our-deck", DECK, 6, True)
    assert kept["made_on"] and kept["made"].startswith(f"taught on {kept['made_on']} from 2 photographs")
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


def test_names_that_look_swapped_are_kept_where_somebody_says_that_they_are_right(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown, tmp_path: Path
) -> None:
    step(operator, "begin", deck=DECK)
    lay(running, camera)
    step(operator, "take")
    step(operator, "rename", number=0, cutout=0, name="blue")
    step(operator, "rename", number=1, cutout=0, name="red")
    assert operator.post("/api/teach/agree", json={}).get_json()["error"]["code"] == "labels-swapped"
    assert len(step(operator, "agree", trust_names=True)["lesson"]["samples"]) == 3
    assert len(step(operator, "try")["cards"]) == 3
    key = step(operator, "keep", name="Red is blue")["profiles"][0]["key"]
    again = step(operator, "begin", key=key)["lesson"]
    step(operator, "take")
    step(operator, "rename", number=3, cutout=0, name="blue")
    step(operator, "rename", number=4, cutout=0, name="red")
    assert len(step(operator, "agree")["lesson"]["samples"]) == len(again["samples"]) + 3


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
    assert operator.post("/api/teach/photo?part=0&parts=1", data=b" " * 70_000).status_code == 413  # it is no JSON


def test_of_two_photographs_that_come_at_once_no_mixture_is_learnt_from(
    operator: FlaskClient, running: SimpleNamespace
) -> None:
    step(operator, "begin", deck=DECK)

    def send(part: int) -> tuple[int, str | None]:
        answer = operator.post(f"/api/teach/photo?part={part}&parts=3", data=b"a third")
        return answer.status_code, answer.get_json().get("error", {}).get("code")

    assert [send(0), send(1)] == [(200, None)] * 2
    assert [send(0), send(1)] == [(200, None)] * 2, "another phone's, from its first part on"
    assert send(1) == (409, "photo-mixed"), "what the first phone has left"
    assert send(2) == (409, "photo-mixed"), "what the other one has left"
    assert send(0) == (200, None)


def test_a_step_speaks_of_the_photograph_that_its_page_shows(
    operator: FlaskClient, running: SimpleNamespace, camera: Shown
) -> None:
    def ask(which: str, version: int, **given: Any) -> tuple[int, str | None]:
        answer = operator.post(f"/api/teach/{which}?version={version}", json=given)
        return answer.status_code, answer.get_json().get("error", {}).get("code")

    empty = operator.get("/api/teach").get_json()["version"]
    begun = step(operator, "begin", deck=DECK)["version"]
    assert ask("begin", empty, deck="hexapod") == (409, "stale"), "it would have ended the lesson"
    lay(running, camera)
    taken = step(operator, "take")["version"]
    assert operator.get(f"/api/teach/look?version={begun}").get_json()["error"]["code"] == "stale"
    step(operator, "drop")
    again = step(operator, "take")
    steps = {
        "replace": {"place": 0, "number": 0, "name": "red"},
        "rename": {"number": 0, "cutout": 0, "name": None},
        **{name: {} for name in ("take", "agree", "drop", "try", "stop")},
        "keep": {"name": "Ours"},
    }
    for which, given in steps.items():
        assert (which, *ask(which, taken, **given)) == (which, 409, "stale")
    photo = operator.post(f"/api/teach/photo?part=0&parts=1&version={taken}", data=b"a photograph")
    assert photo.get_json()["error"]["code"] == "stale"
    assert operator.get("/api/teach").get_json() == again
    assert ask("agree", again["version"]) == (200, None)


def test_a_folder_of_printings_that_cannot_be_changed_is_told_in_a_line(operator: FlaskClient, tmp_path: Path) -> None:
    profiles = tmp_path / "profiles"
    for in_the_way in ("in-use.draft", "ours.json", "ours"):
        (profiles / in_the_way).mkdir(parents=True)
    (profiles / "ours/0001.json").write_text("{}")
    for which, given in (("use", {"deck": "hexel36"}), ("back", {"key": "ours"}), ("forget", {"key": "ours"})):
        answer = operator.post(f"/api/teach/{which}", json=given)
        assert (which, answer.status_code, answer.get_json()["error"]["code"]) == (which, 400, "unwritable-profile")
        assert str(tmp_path) not in answer.text


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


@dataclass(frozen=True)
class Played:
    """A game that is taught by taps, and then played: what lies there, the next card, and the move that it means."""

    deck: str
    opening: tuple[dict[str, Any], ...]
    renamed: tuple[str, str]
    """What the second cut-out is called, and is called for a moment."""
    lying: Mapping[tuple[int, int], tuple[Shape, ...]]
    cell: tuple[int, int]
    laid: tuple[Shape, ...]
    move: Mapping[str, Any]

    side_mm: float = HEXEL_SIDE_MM
    outline: tuple[Point, ...] = hexel_outline()

    def table(self, *, is_laid: bool) -> Layout:
        """The cards on the table, with the next one or before."""
        cells = {**self.lying, **({self.cell: self.laid} if is_laid else {})}
        places = [
            Place({}, "", (math.sqrt(3) * self.side_mm * (q + r / 2), 1.5 * self.side_mm * r), self.outline, face)
            for (q, r), face in cells.items()
        ]
        return Layout("cards", "", (tuple(places),))

    @property
    def layout(self) -> Layout:
        return GAMES[self.header.game].layouts(self.deck)[0]

    @property
    def header(self) -> Header:
        game = "hexel" if self.deck.startswith("hexel") else self.deck
        return Header(game, ("Ana", "Bo"), "36" if game == "hexel" else None)


PLAYED = {
    "hexel": Played(
        DECK,
        OPENING,
        ("blue", "void"),
        {(card["cell"][0], card["cell"][1]): face_shapes(tuple(card["edges"]), "36") for card in LINE["cards"]},
        (HEXEL["cell"][0], HEXEL["cell"][1]),
        face_shapes(tuple(HEXEL["edges"]), "36"),
        {"edges": HEXEL["edges"]},
    ),
    "hexdragon": Played(
        "hexdragon",
        (),
        ("red", "blue"),
        {(0, 0): tile_shapes(START)},
        (1, 0),
        tile_shapes(HEADS[0], "red"),
        {"cmd": "place"},
        TILE_SIDE_MM,
        tile_outline(),
    ),
}
TAP_S = 1.0
"""What a tap takes people."""
MOST_S = 120.0
LOOKED_AT = ("lay", "name-void", "to-name", "keep", "kept")
"""Before these taps, and in these states, axe-core finds no serious fault."""


@pytest.mark.parametrize("played", PLAYED.values(), ids=PLAYED)
def test_a_deck_is_taught_by_taps_alone_and_played_with_at_once(
    played: Played, serve: Any, chromium: Any, camera: Shown, faults: Callable[[], list[str]], tmp_path: Path
) -> None:
    referee = open_table(tmp_path / "games", played.header, played.header, press_gap_s=0.0)
    referee.start()
    try:
        for command in played.opening:
            referee.ask(Do(command))
        _teach_and_play(played, serve, chromium, camera, faults, referee, tmp_path)
    finally:
        referee.stop()


def staggered(layout: Layout) -> Layout:
    """The layout with its second row a column farther to the right."""
    first, second, *_ = layout.rows
    across = first[1].at_mm[0] - first[0].at_mm[0]
    moved = tuple(replace(place, at_mm=(place.at_mm[0] + across, place.at_mm[1])) for place in second)
    return Layout(layout.part, "", (first, moved))


def _teach_and_play(
    played: Played,
    serve: Any,
    chromium: Any,
    camera: Shown,
    faults: Callable[[], list[str]],
    referee: Referee,
    tmp_path: Path,
) -> None:
    shots = Path(os.environ["COMPANION_SHOTS"]) / played.header.game if "COMPANION_SHOTS" in os.environ else None
    running = before_camera(camera, referee)
    taps = 0

    def look_at(name: str) -> None:
        assert chromium.run("return document.documentElement.scrollWidth - innerWidth") <= 0, name
        if name in LOOKED_AT:
            assert faults() == [], name
            chromium.screen(*SCREEN)
        if shots:
            shots.mkdir(exist_ok=True, parents=True)
            (shots / f"{len(list(shots.iterdir())):02}-{name}.png").write_bytes(chromium.picture())

    def tap(element: str) -> None:
        nonlocal taps
        taps += 1
        chromium.wait_for(f"document.getElementById('{element}') && !document.body.classList.contains('is-busy')")
        look_at(element)
        chromium.run(f"document.getElementById('{element}').click()")

    def show(**how: Any) -> None:
        camera.picture = layout_picture(played.layout, **how)
        running.camera.next()

    address = f"http://127.0.0.1:{serve(teachers_app(referee, running, tmp_path))}"
    chromium.forget()
    chromium.screen(*SCREEN)
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/teach")
    begun_s = time.process_time()
    tap(f"deck-{played.deck}")
    wanted = len(played.layout.places)
    chromium.wait_for(f"document.getElementById('told')?.textContent.includes('of {wanted} cards seen')")
    look_at("lay")
    if len(played.layout.rows) > 1:
        camera.picture = layout_picture(staggered(played.layout))
        running.camera.next()
        chromium.wait_for("document.getElementById('told')?.textContent.includes('not in the rows')")
        look_at("not-in-rows")
    assert chromium.run("return document.querySelector('#drawing .ghost').getBoundingClientRect().width") > 100
    show(turn_deg=4)
    chromium.wait_for(f"document.querySelectorAll('#drawing .found').length === {wanted}")
    chromium.run("document.getElementById('stage').scrollIntoView()")
    look_at("seen")
    chromium.wait_for("document.getElementById('agree')")  # it took the picture by itself
    names = "[...document.querySelectorAll('.cutouts b')].map((b) => b.textContent)"
    assert chromium.run(f"return {names}.length") == wanted
    right, wrong = played.renamed
    for name in (wrong, right):
        tap("cutout-1-0")
        tap(f"name-{name}")
        chromium.wait_for(f"{names}[1] == '{name}'")
    show(turn_deg=-3, light=LAMP, brightness=0.7, seed=2)
    tap("agree")
    chromium.wait_for(f"document.getElementById('agree') && document.getElementById('cutout-{wanted}-0')")
    tap("agree")
    tap("try")
    chromium.wait_for("document.getElementById('tried').naturalWidth > 100")
    tap("to-name")
    tap("keep")
    chromium.wait_for("document.querySelector('.printing')?.textContent.includes('In use')")
    look_at("kept")
    assert [line for line in chromium.complaints() if "400" not in line] == []
    took_s = taps * TAP_S + time.process_time() - begun_s
    print(f"{played.deck}: {taps} taps of {TAP_S} s and {took_s - taps * TAP_S:.1f} s of work")
    assert took_s < MOST_S

    camera.picture = layout_picture(played.table(is_laid=False), size=(1000, 600))
    game, edition = played.header.game, played.header.edition
    profile = profile_for(tmp_path, game, edition)
    watching = Watching(camera, referee, game, profile=profile, settle_times=SettleTimes(card_s=0.3, start_s=0.3))
    watching.start()
    try:
        chromium.open(f"{address}/")
        wait_until(lambda: camera.frames > 12)
        camera.picture = layout_picture(played.table(is_laid=True), size=(1000, 600))
        chromium.wait_for("document.getElementById('confirm')")
        tap("confirm")
        wait_until(lambda: len(referee.latest().moves) == len(played.opening) + 1)
        move = referee.latest().moves[-1].command
        assert {key: move[key] for key in played.move} == dict(played.move)
    finally:
        watching.stop()


def test_a_tap_says_that_names_are_right_though_two_look_swapped(
    serve: Any, chromium: Any, running: SimpleNamespace, camera: Shown, referee: Referee, tmp_path: Path
) -> None:
    def tap(element: str) -> None:
        chromium.wait_for(f"document.getElementById('{element}') && !document.body.classList.contains('is-busy')")
        chromium.run(f"document.getElementById('{element}').click()")

    lay(running, camera)
    address = f"http://127.0.0.1:{serve(teachers_app(referee, running, tmp_path))}"
    chromium.forget()
    chromium.open(f"{address}/?code={CODE}")
    chromium.run(OPERATE)
    chromium.open(f"{address}/teach")
    for element in (f"deck-{DECK}", "take", "cutout-0-0", "name-blue", "cutout-1-0", "name-red", "agree"):
        tap(element)
    tap("agree-all-the-same")
    chromium.wait_for("document.getElementById('enough')")


def wait_until(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends, "it never came about"
        time.sleep(0.02)
