"""The vision thread beside a real referee: what hands lay is proposed, and what is rejected stays rejected."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.app.watching import Watching
from companion.devices.camera import Frame
from companion.errors import DeviceError, TableError, UsageError
from companion.games import GAMES
from companion.games.hexapod.demo.tabletop import HexapodThings
from companion.games.hexel import interpretation
from companion.games.hexel.deck import FACES
from companion.games.hexel.demo.tabletop import HexelThings
from companion.interpretation.interpreter import Interpretation, Interpreter
from companion.referee.messages import Begin, Confirm, Correct, Do, Notice, Propose, Reject, Undo
from companion.referee.moves import Change
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.simulator.film import Film, Setting

RED = ("red",) * 6
LINE = {
    (0, 0): RED,
    (1, 0): ("red", "blue", "blue", "red", "blue", "blue"),
    (2, 0): ("red", "red", "void", "red", "void", "void"),
}
CELLS = tuple((q, r) for q in range(-1, 4) for r in range(-1, 2))


class FilmCamera:
    """Shows a film frame by frame, each only when the one before has been looked at."""

    name = "film"

    def __init__(self, film: Film) -> None:
        self.film = film
        self.wanted = threading.Semaphore(0)
        self.shown = threading.Semaphore(0)
        self.is_closed = False
        self.count = 0
        self.fails = 0

    def open(self) -> None:
        self.is_closed = False

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        if self.count:
            self.shown.release()
        self.wanted.acquire()
        if self.is_closed:
            return None
        if self.fails:
            self.fails -= 1
            raise DeviceError("no frame came", code="no-frame")
        self.count += 1
        return Frame(self.count, self.count / 10, self.film.next().bgr)

    def close(self) -> None:
        self.is_closed = True
        self.wanted.release()

    def show(self, frames: int) -> None:
        for _ in range(frames):
            self.wanted.release()
            assert self.shown.acquire(timeout=20), "the watcher stopped looking"


class Patient:
    """An interpreter that has a line lie for a while, as more of it may follow."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter

    def interpret(self, *seen: Any) -> Interpretation:
        return replace(self._interpreter.interpret(*seen), hold_s=2.0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[Referee, FilmCamera, Film]]:
    film = Film(Setting(HexelThings("36", CELLS), seed=3, size=(960, 540)))
    referee = open_table(tmp_path, Header("hexel", ("Ana", "Bo"), "36"), Header("hexel", ("Ana", "Bo"), "36"))
    referee.start()
    camera = FilmCamera(film)
    watching = Watching(camera, referee, "hexel")
    watching.start()
    try:
        yield referee, camera, film
    finally:
        watching.stop()
        referee.stop()


def line_lies(film: Film, camera: FilmCamera) -> None:
    film.lay_out(LINE)
    camera.show(14)


def command(referee: Referee) -> Any:
    proposal = referee.latest().proposal
    return None if proposal is None else proposal.command


def test_three_cards_in_a_row_are_proposed_as_the_line_with_a_picture(table: tuple[Referee, FilmCamera, Film]) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    seen = command(referee)
    assert seen is not None
    assert seen["cmd"] == "line"
    assert sorted(sorted(c["edges"]) for c in seen["cards"]) == sorted(sorted(face) for face in LINE.values())
    picture = referee.proposal_evidence()
    assert picture is not None
    assert picture.startswith(b"\xff\xd8")


def test_what_more_may_follow_is_proposed_once_it_has_stayed_so(
    table: tuple[Referee, FilmCamera, Film], monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = table[0]
    eager = interpretation.interpreter
    monkeypatch.setattr(interpretation, "interpreter", lambda: Patient(eager()))
    film = Film(Setting(HexelThings("36", CELLS), seed=3, size=(960, 540)))
    camera = FilmCamera(film)
    watching = Watching(camera, referee, "hexel")
    watching.start()
    line_lies(film, camera)
    assert command(referee) is None
    camera.show(20)
    assert command(referee) is not None
    watching.stop()


def test_what_was_rejected_is_not_proposed_again_until_the_cards_change(
    table: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    referee.ask(Reject(referee.latest().version))
    camera.show(12)
    assert command(referee) is None


def test_a_rejected_card_is_proposed_anew_once_it_was_taken_up_whatever_the_camera_calls_its_cell(
    table: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = table
    turned = [{"cell": [-q, -r], "edges": list(face[3:] + face[:3])} for (q, r), face in LINE.items()]
    referee.ask(Do({"cmd": "line", "cards": turned}))
    referee.ask(Do({"cmd": "stake", "player": "Ana", "amount": 1}))
    for name in ("Ana", "Bo"):
        referee.ask(Do({"cmd": "hedge", "player": name, "amount": 3}))
    line_lies(film, camera)
    cell, face = (1, 1), ("blue", "void", "blue", "void", "void", "void")
    film.lay_out({**LINE, cell: face})
    camera.show(14)
    first = command(referee)
    assert first is not None
    referee.ask(Reject(referee.latest().version))
    camera.show(6)
    assert command(referee) is None
    film.lay_out(LINE)
    camera.show(24)
    film.lay_out({**LINE, cell: face})
    camera.show(14)
    assert command(referee) == first


def test_a_confirmed_line_is_not_proposed_again(table: tuple[Referee, FilmCamera, Film]) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    referee.ask(Confirm(referee.latest().version))
    camera.show(8)
    assert referee.latest().game.view(referee.latest().state)["phase"] == "stake"
    assert command(referee) is None
    assert dict(referee.latest().notices) == {}
    kept = referee.latest().moves[0].evidence
    assert kept is not None and len(kept.chances) == 18, "what else each edge may be is kept for suggestions"
    place, symbols = kept.chances[0]
    assert place == ["cards", 0, "edges", 0]
    assert max(symbols, key=lambda name: symbols[name]) == referee.latest().moves[0].command["cards"][0]["edges"][0]


def test_what_waits_is_withdrawn_where_it_was_taken_away_while_watching_began_anew(
    table: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    assert command(referee) is not None
    again = FilmCamera(Film(Setting(HexelThings("36", CELLS), seed=3, size=(960, 540))))
    watching = Watching(again, referee, "hexel")
    watching.start()
    again.show(8)
    watching.stop()
    referee.ask(Notice("sign-of-life", None))  # answered after all that the watcher said
    assert command(referee) is None


def test_what_waited_when_a_game_was_begun_is_proposed_in_that_game_too(
    table: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    first = command(referee)
    referee.ask(Begin(Header("hexel", ("Ana", "Bo", "Cy"), "36")))
    camera.show(4)
    assert command(referee) == first


def test_cards_that_lie_there_from_the_game_before_count_once_they_are_moved(
    table: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    line = command(referee)
    referee.ask(Confirm(referee.latest().version))
    camera.show(2)
    referee.ask(Begin(Header("hexel", ("Ana", "Bo"), "36")))
    camera.show(4)
    assert command(referee) is None
    assert "left-lying" in referee.latest().notices
    film.lay_out({})
    camera.show(24)
    assert "left-lying" not in referee.latest().notices
    line_lies(film, camera)
    assert command(referee) == line


@pytest.fixture
def cases(tmp_path: Path) -> Iterator[tuple[Referee, FilmCamera, Film]]:
    film = Film(Setting(HexapodThings(("Ana", "Bo"), 5, 5), seed=3, size=(960, 540)))
    header = Header("hexapod", ("Ana", "Bo"))
    referee, camera = open_table(tmp_path, header, header), FilmCamera(film)
    referee.start()
    watching = Watching(camera, referee, "hexapod")
    watching.start()
    try:
        camera.show(8)
        yield referee, camera, film
    finally:
        watching.stop()
        referee.stop()


BLUES, GOLD = (("blue", "blue"), ("blue", "blue")), (("blue", "gold"), ("blue", "gold"))


def test_a_confirmed_card_that_is_taken_back_while_it_lies_is_proposed_again(
    cases: tuple[Referee, FilmCamera, Film],
) -> None:
    referee, camera, film = cases
    film.lay_out({("Ana", 1, 1, 0): BLUES})
    camera.show(14)
    first = command(referee)
    assert first is not None
    referee.ask(Confirm(referee.latest().version))
    camera.show(3)
    assert command(referee) is None
    referee.ask(Undo(referee.latest().version))
    camera.show(3)
    assert command(referee) == first


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_card_that_was_put_right_is_not_proposed_as_another(
    cases: tuple[Referee, FilmCamera, Film], is_confirmed: bool
) -> None:
    referee, camera, film = cases
    film.lay_out({("Ana", 1, 1, 0): BLUES, ("Ana", 1, 2, 1): GOLD})
    blues = {"cmd": "play", "player": "Ana", "row": 1, "col": 1, "card": {"cells": [["blue"] * 2] * 2}}
    for entered in (blues, {"cmd": "pass", "player": "Bo"}):
        referee.ask(Do(entered))
    camera.show(14)
    seen = command(referee)
    assert (seen["row"], seen["col"]) == (1, 2)
    right = {**seen, "card": {"cells": [["leaf", "gold"], ["blue", "gold"]]}}
    if is_confirmed:
        referee.ask(Confirm(referee.latest().version))
        camera.show(3)
        referee.ask(Correct(Change(3, 1, (right,))))
    else:
        referee.ask(Do(right))
    camera.show(3)
    assert command(referee) is None


def test_a_card_that_comes_too_early_is_said_to(table: tuple[Referee, FilmCamera, Film]) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    referee.ask(Confirm(referee.latest().version))
    film.lay_out({**LINE, (0, 1): RED})
    camera.show(24)
    assert command(referee) is None
    assert "stake" in str(referee.latest().notices["wrong-phase"].text)


def test_a_camera_that_fails_is_said_and_taken_up_again(
    table: tuple[Referee, FilmCamera, Film], monkeypatch: pytest.MonkeyPatch
) -> None:
    referee, camera, film = table
    monkeypatch.setattr("companion.app.watching.RETRY_S", 0.01)
    line_lies(film, camera)
    listener = referee.feed.subscribe()
    camera.fails = 1
    camera.wanted.release()
    while "camera-lost" not in referee.latest().notices:
        assert listener.next(10) is not None, "nobody said that the camera is lost"
    camera.show(6)
    while "camera-lost" in referee.latest().notices:
        assert listener.next(10) is not None, "nobody said that the camera is back"


def test_a_referee_that_waits_for_its_disk_does_not_end_the_watching(
    table: tuple[Referee, FilmCamera, Film], monkeypatch: pytest.MonkeyPatch
) -> None:
    referee, camera, film = table
    ask, held_up = referee.ask, list[Any]()

    def ask_too_late(message: Any, *given: Any) -> Any:
        if isinstance(message, Propose) and not held_up:
            held_up.append(message)
            referee.notify(message)  # it is done all the same, later
            raise TableError("the referee did not answer within 5 s", code="busy")
        return ask(message, *given)

    monkeypatch.setattr(referee, "ask", ask_too_late)
    line_lies(film, camera)
    assert held_up and command(referee)["cmd"] == "line"
    referee.ask(Reject(referee.latest().version))
    camera.show(12)
    assert command(referee) is None, "what was rejected stays so"


def test_a_missing_network_ends_the_watching_alone_and_is_said(
    table: tuple[Referee, FilmCamera, Film], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee, _, film = table
    monkeypatch.setattr("companion.vision.networks._PLACES", (tmp_path,))
    camera, lines = FilmCamera(film), []
    watching = Watching(camera, referee, "hexel", say=lines.append)
    listener = referee.feed.subscribe()
    watching.start()
    for _ in range(40):
        camera.wanted.release()  # as many pictures as it likes
    while "camera-unused" not in referee.latest().notices:
        assert listener.next(10) is not None, "nobody said that the camera is not used"
    watching.stop()
    said = referee.latest().notices["camera-unused"].text
    assert "hexel/detector/weights.onnx is missing" in said and "install companion again" in said
    assert lines and lines[0] in said
    assert (watching.health()["state"], camera.is_closed) == ("unused", True)
    referee.ask(Do({"cmd": "line", "cards": [{"cell": cell, "edges": face} for cell, face in LINE.items()]}))


def test_a_game_that_no_reader_knows_and_a_deck_unknown_are_refused(tmp_path: Path) -> None:
    referee = open_table(tmp_path, None, Header("hexel", ("Ana", "Bo"), "36"))
    camera = FilmCamera(Film(Setting(HexelThings("36", CELLS), seed=3, size=(960, 540))))
    with pytest.raises(UsageError, match="no such game: whist"):
        Watching(camera, referee, "whist")
    with pytest.raises(UsageError, match="no such deck: hexel99"):
        Watching(camera, referee, "hexel", deck="hexel99")
    referee.stop()


def test_every_game_with_rules_can_be_read_and_means_something() -> None:
    for spec in GAMES.values():
        assert spec.recognizer().name == spec.name
        assert callable(spec.interpreter().interpret)


def test_the_faces_of_this_test_are_cards_of_the_deck() -> None:
    for face in LINE.values():
        turns = {tuple(face[(i + k) % 6] for i in range(6)) for k in range(6)}
        assert turns & set(FACES["36"])


@pytest.mark.parametrize("game", ["comet", "hexdragon", "hexapod"])
def test_another_game_begun_under_a_watching_does_not_end_it(
    table: tuple[Referee, FilmCamera, Film], game: str
) -> None:
    referee, camera, film = table
    line_lies(film, camera)
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    camera.show(3)
    assert referee.latest().proposal is None
