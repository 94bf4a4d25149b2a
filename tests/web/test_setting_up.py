"""The first evening: a table where nothing was begun is set up by taps on the phone that joined."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest

import companion.games
from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.vision.image.codec import encode_picture
from companion.web.app import create_app
from companion.web.app_context import TableParts

CODE = "ROSE42"
PICTURE = encode_picture(np.full((90, 160, 3), 40, np.uint8))
READY = "document.querySelector('.seat') && document.body.dataset.link == 'live'"

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


@pytest.fixture
def empty(table: Callable[..., Referee], window: Any, serve: Callable[..., int]) -> Callable[[], tuple[Referee, Any]]:
    """A table as `companion run` opens it over an empty folder, and a phone that has scanned its code."""

    def go() -> tuple[Referee, Any]:
        referee = table()
        app = create_app(
            referee, join_code=CODE, operator_pin="4711", parts=TableParts(opened_empty=referee.latest().header)
        )
        window.open(f"http://127.0.0.1:{serve(app)}/?code={CODE}")
        window.wait_for(READY)
        window.wait_for("document.getElementById('begin')")
        return referee, window

    return go


def typed(page: Any, *names: str) -> None:
    for n, name in enumerate(names):
        if n >= page.run("return document.querySelectorAll('.setup-seats input').length"):
            page.run("document.getElementById('add-player').click()")
        page.run(
            f"const input = document.getElementById('player-{n}'); input.value = {name!r};"
            "input.dispatchEvent(new Event('input'))"
        )


@pytest.mark.parametrize("game", sorted(companion.games.GAMES))
def test_every_game_is_set_up_by_taps_from_an_empty_folder(game: str, empty: Callable[[], tuple[Referee, Any]]) -> None:
    referee, page = empty()
    page.run(f"document.getElementById('game-{game}').click()")
    names = ("Cy", "Dee") if companion.games.GAMES[game].rules.PLAYERS[1] == 2 else ("Cy", "Dee", "Ana")
    typed(page, *names)
    assert page.run("return document.querySelector('.game-pick[aria-pressed=true] img').naturalWidth") > 0
    page.run("document.getElementById('begin').click()")
    page.wait_for("!document.getElementById('sheet').open && document.getElementById('sit-1')?.textContent == 'Dee'")
    assert referee.latest().header.game == game
    assert referee.latest().header.players == names
    assert page.complaints() == []


def test_chips_and_colours_are_chosen_there(empty: Callable[[], tuple[Referee, Any]]) -> None:
    referee, page = empty()
    page.run("document.getElementById('game-hexdragon').click()")
    typed(page, "Cy", "Dee")
    page.run("const colours = [...document.querySelectorAll('.setup-seats li:first-child .pick')];"
             "colours.find((b) => b.textContent == 'blue').click();"
             "document.getElementById('house-rules').click();"
             "const size = document.getElementById('option-radius'); size.value = 2;"
             "size.dispatchEvent(new Event('input'));"
             "document.getElementById('begin').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open")
    assert referee.latest().header.options == {"radius": 2, "colours": {"Cy": "blue", "Dee": "red"}}


def test_the_focus_goes_to_a_new_players_name_and_else_stays(empty: Callable[[], tuple[Referee, Any]]) -> None:
    _, page = empty()

    def press(name: str) -> str:
        page.run(f"const button = document.getElementById('{name}'); button.focus(); button.click()")
        focused: str = page.run("return document.activeElement.id")
        return focused

    assert press("game-hexdragon") == "game-hexdragon"
    assert press("add-player") == "player-2"
    assert press("add-player") == "player-3"
    assert press("colour-1-purple") == "colour-1-purple"
    assert press("up-2") == "up-1" and press("up-1") == "player-0"
    assert press("out-3") == "out-2"
    assert press("out-0") == "out-0"


def test_the_set_up_closes_where_somebody_else_has_begun(empty: Callable[[], tuple[Referee, Any]]) -> None:
    referee, page = empty()
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    page.wait_for("document.body.dataset.game == 'hexapod' && !document.getElementById('sheet').open")


def test_the_board_is_as_large_as_the_rules_have_it_for_so_many(empty: Callable[[], tuple[Referee, Any]]) -> None:
    _, page = empty()
    page.run("document.getElementById('game-hexdragon').click()")
    size = "return document.getElementById('option-radius').value"
    assert page.run(size) == "2"
    page.run("document.getElementById('add-player').click()")
    assert page.run(size) == "3"


def test_a_table_that_is_set_up_asks_for_the_operator_again(referee: Referee) -> None:
    app = create_app(
        referee, join_code=CODE, operator_pin="4711", parts=TableParts(opened_empty=referee.latest().header)
    )
    phone = app.test_client()
    phone.get(f"/?code={CODE}")
    assert phone.get("/api/me").get_json()["setup"] is False, "moves were made"
    header = Header("hexapod", ("Ana", "Bo")).as_json()
    assert phone.post("/api/next", json={"header": header}).status_code == 403


def test_of_two_who_set_the_table_up_at_once_the_second_begins_nothing(
    table: Callable[..., Referee], monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = table()
    app = create_app(
        referee, join_code=CODE, operator_pin="4711", parts=TableParts(opened_empty=referee.latest().header)
    )
    phone, guard = app.test_client(), app.extensions["companion"].people.guard
    phone.get(f"/?code={CODE}")
    admit = guard.admit

    def admit_after_another_has_begun(request: Any) -> None:
        admit(request)
        referee.ask(Begin(Header("hexel", ("Ana", "Bo"), "46")))

    monkeypatch.setattr(guard, "admit", admit_after_another_has_begun)
    told = phone.post("/api/next", json={"header": Header("hexapod", ("Cy", "Dee")).as_json()})
    assert (told.status_code, told.get_json()["error"]["code"]) == (409, "stale")
    assert referee.latest().header.players == ("Ana", "Bo")


@pytest.mark.parametrize("pin", [None, "271828"])
def test_who_set_the_table_up_too_late_is_told_so_and_begins_nothing(pin: str | None, referee: Referee) -> None:
    """An operator too: what is pressed is the beginning of the evening, not another game in its middle."""
    app = create_app(referee, join_code=CODE, operator_pin=pin, parts=TableParts(opened_empty=referee.latest().header))
    phone = app.test_client()
    phone.post("/api/join", json={"code": CODE})
    before = referee.latest()
    late = {"header": Header("hexapod", ("Cy", "Dee")).as_json(), "setup": True}
    told = phone.post("/api/next", json=late)
    assert (told.status_code, told.get_json()["error"]["code"]) == (409, "stale")
    assert referee.latest() == before


def test_players_are_remembered_with_their_colour(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexdragon", ("Cy", "Dee"), None, {"colours": {"Cy": "purple", "Dee": "red"}})))
    session = referee.latest()
    referee.ask(Do(next(c for c in session.game.legal(session.state) if c["cmd"] == "place")))
    referee.ask(Begin(Header("hexdragon", ("Ana", "Bo"))))
    page = visit(referee)
    page.run("document.getElementById('this-phone').open = true; document.getElementById('another-game').click()")
    page.wait_for("document.getElementById('known-0')")
    known = page.run("return [...document.querySelectorAll('[id^=known-]')].map((b) => b.textContent)")
    assert known == ["Cy", "Dee"]
    page.run("document.getElementById('known-0').click()")
    row = "document.querySelector('.setup-seats li:last-child')"
    assert page.run(f"return {row}.querySelector('input').value") == "Cy"
    assert page.run(f"return {row}.querySelector('[aria-pressed=true]').textContent") == "purple"


class Camera:
    """One that nobody switches."""

    has_camera = True

    def switch_camera(self, is_on: bool) -> None:
        raise AssertionError("nobody switches it here")


class Surveyor:
    """Looks at a table that is too dark."""

    def picture(self) -> bytes:
        return PICTURE

    def check_picture(self) -> dict[str, Any]:
        checks = [{"name": "light", "state": "warn"}, {"name": "focus", "state": "ok"}]
        return {"checks": checks, "marks": [], "places": {}, "current": None}

    def survey(self, asked: Any) -> dict[str, Any]:
        raise AssertionError("nobody calibrates here")


class Teacher:
    """Keeps one printing of Hex'el."""

    agree = drop = turn = attempt = stop = None  # nobody teaches here
    used: str | None = None

    def at(self, version: int | None) -> AbstractContextManager[None]:
        return nullcontext()

    def state(self) -> dict[str, Any]:
        mine = {"key": "mine", "name": "Worn", "deck": "hexel36", "in_use": self.used == "mine"}
        return {"decks": [{"deck": "hexel36", "game": "hexel"}], "profiles": [mine]}

    def use(self, deck: str, key: str | None) -> dict[str, Any]:
        self.used = key
        return self.state()


def test_a_camera_that_is_lost_sees_no_cards(
    table: Callable[..., Referee], window: Any, serve: Callable[..., int]
) -> None:
    """How many lay there before was said above "The camera shows nothing just now"."""
    referee, camera = table(), {"state": "ok", "cards": 3}
    parts = TableParts(camera=Camera(), devices=lambda: {"camera": camera}, opened_empty=referee.latest().header)
    window.open(f"http://127.0.0.1:{serve(create_app(referee, join_code=CODE, parts=parts))}/?code={CODE}")
    window.wait_for("document.getElementById('camera-view')")
    window.run("document.getElementById('camera-view').click()")
    window.wait_for("document.getElementById('camera-cards').textContent == 'I see three cards.'")
    camera["state"] = "lost"
    window.wait_for("document.getElementById('camera-cards').textContent == ''", within_ms=10_000)


def test_camera_light_focus_and_the_deck_are_seen_to_in_the_set_up(
    table: Callable[..., Referee], window: Any, serve: Callable[..., int], faults: Callable[[], list[str]]
) -> None:
    referee, teacher = table(), Teacher()
    parts = TableParts(
        camera=Camera(),
        devices=lambda: {"camera": {"state": "ok", "cards": 3}},
        surveyor=Surveyor,
        teacher=lambda: teacher,
        opened_empty=referee.latest().header,
    )
    app = create_app(referee, join_code=CODE, operator_pin="471100", parts=parts)
    window.open(f"http://127.0.0.1:{serve(app)}/?code={CODE}")
    window.wait_for("document.getElementById('camera-view')")
    typed(window, "Cy")
    window.run("document.getElementById('camera-view').click()")
    window.wait_for("document.getElementById('camera-cards').textContent == 'I see three cards.'")
    assert window.run("return document.querySelector('.begin details img')") is None, "the room is the operator's"
    window.run(
        "document.getElementById('camera-pin').value = '471100'; document.getElementById('camera-operate').click()"
    )
    window.wait_for("document.querySelector('.begin details img')?.naturalWidth")
    told = "[...document.querySelectorAll('#camera-checks li')].map((one) => one.textContent).join('|')"
    window.wait_for(f"{told} == 'Light: too dark. Put more light on the table.|Focus: good'")
    assert faults() == []
    window.run("document.getElementById('printing-0').click()")
    window.wait_for("document.getElementById('printing-0').ariaPressed == 'true'")
    assert teacher.used == "mine"
    window.run("document.getElementById('game-comet').click()")
    window.wait_for("!document.getElementById('printing-0')")
    window.run("document.getElementById('set-up-teach').click()")
    window.wait_for("location.pathname == '/teach'")
    window.run("history.back()")
    window.wait_for("document.getElementById('player-0')?.value == 'Cy'")
    assert window.run("return document.querySelector('.game-pick[aria-pressed=true]').id") == "game-comet"
