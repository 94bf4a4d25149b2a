"""The page in a real browser: what it shows, that it stays up to date, and that it fits every screen."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

import companion.rules
from companion.referee.messages import Begin, Do, Evidence, Notice, Propose, Undo
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.web.app import SERVER_OPTIONS, create_app
from companion.web.server import Server, bound
from companion.web.streams import Pace

CODE = "ROSE42"
LONG = (
    "Maximiliane-Charlotte von Hohenfels",
    "Bartholomew Featherstonehaugh",
    "Konstantinopolitanischerdudelsackpfeifer",
    "Ana",
    "Bo",
    "Cy",
)
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
OPENING = (
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
)
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
MISMATCH = {**HEXEL, "edges": ["red"] * 6}
READY = "document.querySelector('.seat') && document.body.dataset.link == 'live'"

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


@pytest.fixture
def window(chromium: Any) -> Any:
    """The browser as a phone by day; its console must stay quiet."""
    chromium.forget()
    chromium.screen(390, 844)
    return chromium


@pytest.fixture
def visit(window: Any, serve: Callable[[Flask], int]) -> Callable[..., Any]:
    """Opens a table's page and waits until it is live."""

    def go(referee: Referee, path: str = f"/?code={CODE}") -> Any:
        window.open(f"http://127.0.0.1:{serve(create_app(referee, join_code=CODE))}{path}")
        window.wait_for(READY)
        return window

    return go


def crowd(table: Callable[..., Referee]) -> Referee:
    """Six people with long names at cards, one card waiting that the rules refuse, two notices."""
    first = {"player": LONG[0]}
    hedges = [{"cmd": "hedge", "player": name, "amount": 9} for name in LONG]
    referee = table(LINE, {"cmd": "stake", **first, "amount": 3}, *hedges, players=LONG)
    referee.ask(Do({**HEXEL, **first}))
    referee.ask(Propose({**MISMATCH, "cell": [1, -1], "player": LONG[1]}, Evidence(b"", 0.6)))
    referee.ask(Notice("unsure", "One card cannot be read for sure; turn it a little.", (0.9, 0.1)))
    referee.ask(Notice("hand", "A hand rests over the table."))
    return referee


def finished(table: Callable[..., Referee]) -> Referee:
    """A game that is over: Bo could not pay."""
    referee = table(LINE, {"cmd": "stake", "player": "Ana", "amount": 3})
    for command in (
        {"cmd": "hedge", "player": "Ana", "amount": 6},
        {"cmd": "hedge", "player": "Bo", "amount": 0},
        HEXEL,
        {"cmd": "pass", "player": "Bo"},
    ):
        referee.ask(Do(command))
    return referee


STAGES: dict[str, Callable[[Callable[..., Referee]], Referee]] = {
    "before the first card": lambda table: table(),
    "while hedging": lambda table: table(LINE, {"cmd": "stake", "player": LONG[0], "amount": 3}, players=LONG),
    "in a crowd": crowd,
    "at the end": finished,
}


@pytest.mark.parametrize("stage", STAGES)
def test_nothing_scrolls_sideways_on_the_smallest_phone_by_day_and_by_night(
    stage: str, table: Callable[..., Referee], visit: Callable[..., Any], window: Any
) -> None:
    window.screen(320, 640)
    page = visit(STAGES[stage](table))
    page.run("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for dark in (False, True):
        window.screen(320, 640, dark=dark)
        assert page.run("return document.documentElement.scrollWidth") <= 320
        assert page.run(OUTSIDE) == []
        assert page.run(CONTRAST) == []
    assert page.complaints() == []


@pytest.mark.parametrize("stage", STAGES)
def test_the_television_shows_all_at_once(
    stage: str, table: Callable[..., Referee], visit: Callable[..., Any], window: Any
) -> None:
    window.screen(1920, 1080)
    page = visit(STAGES[stage](table), "/board")
    scrolls = "const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]"
    assert page.run(scrolls) == [1920, 1080]
    low = page.run(
        "return Math.max(...[...document.querySelectorAll('.seat')].map((s) => s.getBoundingClientRect().bottom))"
    )
    room = page.run("return document.getElementById('seats').getBoundingClientRect().bottom")
    assert low <= room + 1 <= 1081
    assert page.run("return document.querySelectorAll('button:not([hidden] *)').length && getComputedStyle("
                    "document.getElementById('join')).display") in (0, "none")  # fmt: skip
    assert page.complaints() == []


def test_a_move_made_elsewhere_appears_by_itself(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    referee.ask(Do(HEXEL))
    page.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")
    assert page.run("return document.querySelectorAll('.card').length") == 4
    assert page.run("return document.querySelectorAll('.card.newest').length") == 1
    assert page.run("return document.querySelectorAll('.seam').length") == 2


def test_what_the_camera_saw_waits_as_a_ghost_and_is_confirmed_by_a_press(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    referee.ask(Propose(HEXEL, Evidence(b"", 0.93)))
    page.wait_for("document.querySelector('.card.ghost') && document.getElementById('confirm')")
    assert page.run("return document.querySelector('.sentence').textContent") == "Ana lays a card: Hexel, two edges."
    page.run("document.getElementById('confirm').click()")
    page.wait_for("!document.querySelector('.card.ghost') && document.querySelector('.card.newest')")
    assert referee.latest().moves[-1].command == HEXEL
    assert page.run("return document.getElementById('proposal').hidden")


def test_a_proposal_that_the_rules_refuse_shows_why_and_offers_no_confirm(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Propose(MISMATCH, Evidence(b"", 0.9)))
    page = visit(referee)
    assert "do not match" in page.run("return document.getElementById('proposal').textContent")
    assert page.run("return [document.getElementById('confirm'), document.querySelectorAll('.clash').length]") == [
        None,
        2,
    ]
    page.run("document.getElementById('reject').click()")
    page.wait_for("document.getElementById('proposal').hidden")
    assert referee.latest().proposal is None


def test_the_code_is_typed_on_the_page_to_get_the_buttons(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee, "/")
    assert page.run("return document.querySelectorAll('#actions button, #undo').length") == 0
    page.run("document.getElementById('join-code').value = 'nope'; document.querySelector('#join button').click()")
    page.wait_for("!document.getElementById('toast').hidden")
    page.run("document.getElementById('join-code').value = 'rose42'; document.querySelector('#join button').click()")
    page.wait_for("document.querySelector('#actions button')")
    assert page.run("return document.getElementById('join').hidden")
    page.run("document.getElementById('undo').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert len(referee.latest().moves) == 3


def test_stake_and_hedge_are_set_by_buttons_in_whole_multiples(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    referee = table(LINE)
    page = visit(referee)
    more = "document.querySelector('[aria-label=More]').click()"
    page.run(f"{more}; {more}; document.getElementById('set-0').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert referee.latest().game.view(referee.latest().state)["table"]["stake"] == 3
    page.run(f"document.getElementById('who-0-1').click(); {more}; {more}; document.getElementById('set-0').click()")
    page.wait_for("document.querySelector('#call').textContent.includes('Bo hedges 6')")
    page.run("document.getElementById('amount-0').value = 300; document.getElementById('set-0').click()")
    page.wait_for("!document.getElementById('toast').hidden")
    assert "100" in page.run("return document.getElementById('toast').textContent")


def test_a_card_that_was_tapped_is_painted_anew_and_only_the_change_is_told(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do({**HEXEL, "edges": ["void"] * 4 + ["blue", "blue"]}))
    page = visit(referee)
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-cell="0,-1"]').{tap}""")
    page.wait_for("document.getElementById('sheet').open && document.querySelector('.edge-0')")
    page.run("document.querySelector('.edge-0').click(); document.querySelector('.edge-0').click()")
    assert page.run("return document.querySelector('.edge-0').ariaLabel") == "east: blue"
    page.run("document.getElementById('correct').click()")
    page.wait_for("!document.getElementById('sheet').open && document.querySelector('#call .kicker')")
    assert "still Hexel" in page.run("return document.getElementById('call').textContent")
    assert referee.latest().moves[4].command["edges"][0] == "blue"
    page.run("document.getElementById('undo').click()")
    page.wait_for("document.getElementById('redo')")
    assert referee.latest().moves[4].command["edges"][0] == "void"
    page.run("document.getElementById('redo').click()")
    page.wait_for("!document.getElementById('redo')")
    assert referee.latest().moves[4].command["edges"][0] == "blue"
    assert page.complaints() == []


def test_a_card_is_put_in_another_cell_by_tapping_it(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    page.run("document.getElementById('moves').click(); document.getElementById('open-5').click()")
    page.wait_for("document.getElementById('elsewhere')")
    page.run("document.getElementById('elsewhere').click()")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('#sheet [data-free="-1,1"]').{tap}""")
    page.run("document.querySelector('.edge-1').click(); document.querySelector('.edge-1').click();"
             "document.querySelector('.edge-2').click(); document.querySelector('.edge-2').click();"
             "document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open")
    corrected = referee.latest().moves[4].command
    assert (corrected["cell"], corrected["edges"][1:3]) == ([-1, 1], ["blue", "blue"])
    assert page.complaints() == []


def test_a_correction_that_breaks_a_later_move_says_which_and_offers_to_go_back_there(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('moves').click(); document.getElementById('open-2').click()")
    page.wait_for("document.getElementById('edit-amount')")
    page.run("const input = document.getElementById('edit-amount'); input.value = 4;"
             "input.dispatchEvent(new Event('input')); document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("document.querySelector('.editor [role=status] button')")
    assert "Move 3" in page.run("return document.querySelector('.editor [role=status]').textContent")
    page.run("document.querySelector('.editor [role=status] button').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert len(referee.latest().moves) == 2
    assert [line for line in page.complaints() if "409" not in line] == []


def test_a_phone_claims_a_seat_and_is_told_its_turn(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.wait_for("document.getElementById('sit-0')")
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.querySelector('#turn .mine')")
    assert page.run("return document.getElementById('turn').textContent").startswith("Your turn")
    assert page.run("return document.getElementById('choice').hidden")
    page.run("document.getElementById('this-phone').open = true; document.getElementById('leave-seat').click()")
    page.wait_for("document.getElementById('sit-0')")
    assert page.complaints() == []


def test_a_whole_beginning_of_hexel_is_entered_without_a_camera(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    referee = table()
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.getElementById('lay')")
    page.run("document.getElementById('lay').click()")
    page.wait_for("document.body.dataset.phase == 'stake'")
    for command in OPENING:
        referee.ask(Do(command))
    page.wait_for("document.body.dataset.phase == 'play'")
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelectorAll('.place').length == 10")
    page.run("""document.querySelector('[data-free="0,-1"]').focus();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))""")
    page.wait_for("document.getElementById('lay')")
    assert page.run("return document.querySelector('.edge-4').ariaLabel") == "south-west: blue"
    page.run("document.getElementById('lay').click()")
    page.wait_for("document.querySelectorAll('#cloth .card').length == 4")
    assert referee.latest().moves[-1].command["player"] == "Ana"
    assert page.complaints() == []


def test_a_painted_card_that_the_rules_refuse_stays_open_and_says_why(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('.place')")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-free="0,-1"]').{tap}""")
    page.wait_for("document.getElementById('lay')")
    page.run("document.querySelector('.edge-4').click(); document.getElementById('lay').click()")
    page.wait_for("document.querySelector('#sheet [role=status]').textContent")
    assert page.run("return document.getElementById('sheet').open")
    assert len(referee.latest().moves) == 4


def test_a_tile_of_hexdragon_is_picked_turned_and_laid_by_hand(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexdragon", ("Ana", "Bo"))))
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelectorAll('.place').length == 18")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-free="1,0"]').{tap}""")
    page.wait_for("document.getElementById('tile-1')")
    page.run("document.getElementById('tile-1').click(); document.getElementById('turn-tile').click();"
             "document.getElementById('lay').click()")  # fmt: skip
    page.wait_for("document.querySelectorAll('#cloth .dragon').length == 2 && !document.getElementById('sheet').open")
    assert referee.latest().moves[-1].command["cell"] == [1, 0]
    assert page.complaints() == []


def test_my_seat_says_what_i_have_and_would_owe_where_the_thumb_is(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(320, 640)
    referee.ask(Do(HEXEL))
    page = visit(referee)
    page.wait_for("document.getElementById('sit-1')")
    page.run("document.getElementById('sit-1').click()")
    page.wait_for("document.querySelector('.have')")
    assert "6 at most, your hedge covers it" in page.run("return document.querySelector('.have').textContent")
    low = page.run("return [...document.querySelectorAll('#actions button')].map((b) => b.getBoundingClientRect())"
                   ".map(({ top, bottom, height }) => [top > 320, bottom <= 640, height >= 44])")  # fmt: skip
    assert low == [[True, True, True]] * 2
    page.run("document.getElementById('do-0').click()")
    page.wait_for("document.getElementById('turn').textContent.includes('Ana')")


LISTEN = """
window.spoken = []; window.cancelled = 0;
speechSynthesis.speak = (utterance) => window.spoken.push(utterance.text);
speechSynthesis.cancel = () => { window.cancelled += 1; };
"""


def test_a_phone_speaks_once_it_was_asked_to_and_a_correction_silences_what_it_corrects(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run(LISTEN)
    page.wait_for("document.getElementById('voice-all')")
    referee.ask(Do(HEXEL))
    page.wait_for("document.querySelector('.card.newest')")
    assert page.run("return window.spoken") == [], "silent until it is tapped"
    page.run("document.getElementById('voice-all').click(); window.spoken = []; window.cancelled = 0")
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page.wait_for("window.spoken.includes('Bo passes.')")
    assert page.run("return window.cancelled") == 0
    referee.ask(Undo(referee.latest().version))
    page.wait_for("window.spoken.includes('Taken back: Bo passes.')")
    assert page.run("return window.cancelled") == 1
    page.run("document.getElementById('voice-off').click(); window.spoken = []")
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page.wait_for("document.querySelector('#call').textContent.includes('Bo passes')")
    assert page.run("return window.spoken") == []


def test_a_phone_may_speak_of_its_own_turn_only(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.wait_for("document.getElementById('sit-1')")
    page.run(LISTEN + "document.getElementById('sit-1').click()")
    page.wait_for("document.getElementById('voice-turn')")
    page.run("document.getElementById('voice-turn').click(); window.spoken = []")
    referee.ask(Do(HEXEL))
    page.wait_for("window.spoken.length")
    assert page.run("return window.spoken") == ["Your turn."]
    page.run("document.getElementById('voice-off').click()")


def test_the_next_game_is_one_press_away(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    page = visit(finished(table))
    page.run("document.getElementById('next-game').click()")
    page.wait_for("document.body.dataset.phase == 'line'")


def test_a_lost_table_is_said_and_found_again(referee: Referee, window: Any) -> None:
    listening = bound("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = Server(create_app(referee, join_code=CODE), listening, SERVER_OPTIONS)
    server.start()
    window.open(f"http://127.0.0.1:{port}/")
    window.wait_for(READY)
    server.stop()
    window.wait_for("document.getElementById('link-words').textContent == 'Connection lost'")
    referee.ask(Do(HEXEL))
    again = Server(create_app(referee, join_code=CODE), bound("127.0.0.1", port), SERVER_OPTIONS)
    again.start()
    try:
        window.wait_for("document.getElementById('link-words').textContent == 'Live'")
        window.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")
    finally:
        window.open("about:blank")
        again.stop()


def test_without_live_events_the_page_asks_by_itself(
    referee: Referee, window: Any, serve: Callable[[Flask], int]
) -> None:
    port = serve(create_app(referee, join_code=CODE, pace=Pace(most=0)))
    window.open(f"http://127.0.0.1:{port}/")
    window.wait_for("document.querySelector('.seat')")
    referee.ask(Do(HEXEL))
    window.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")
    assert window.run("return document.getElementById('link-words').textContent") == "Every few seconds"


@pytest.mark.parametrize("game", sorted(companion.rules.GAMES))
def test_every_game_is_drawn(game: str, referee: Referee, visit: Callable[..., Any], window: Any) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    window.screen(320, 640)
    page = visit(referee)
    assert page.run("return document.getElementById('cloth').childElementCount") == 1
    assert page.run("return document.documentElement.scrollWidth") <= 320
    assert page.complaints() == []


def test_a_game_that_the_page_has_never_heard_of_is_shown_all_the_same(
    referee: Referee, visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(companion.rules.GAMES, "nim", NIM)
    referee.ask(Begin(Header("nim", ("Ana", "Bo"))))
    page = visit(referee)
    assert page.run("return document.querySelector('.fact').textContent") == "matches9"
    page.run("document.getElementById('do-0').click()")
    page.wait_for("document.getElementById('call').textContent.includes('Ana: matches taken.')")
    assert page.run("return document.querySelector('.fact').textContent") == "matches7"


def test_calls_are_announced_and_everything_is_reached_by_keyboard(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    page = visit(crowd(table))
    live = page.run("return ['call', 'notices', 'proposal'].map((id) => document.getElementById(id).ariaLive)")
    assert live == ["polite", "polite", "assertive"]
    unreached = page.run("return [...document.querySelectorAll('[onclick], .row > *')].filter((e) => e.tabIndex < 0)"
                         ".filter((e) => e.matches('button, a, input')).length")  # fmt: skip
    assert unreached == 0
    nameless = page.run(
        "return [...document.querySelectorAll('svg, button, input, a')].filter((e) => e.getClientRects().length"
        " && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0


def _nim(state: int, command: Any) -> tuple[int, tuple[dict[str, Any], ...]]:
    return state - 2, ({"event": "matches-taken", "player": command["player"]},)


NIM: Any = SimpleNamespace(
    NAME="nim",
    EDITIONS=(),
    PLAYERS=(1, None),
    start=lambda header: 9,
    apply=_nim,
    legal=lambda state: ({"cmd": "take", "player": "Ana"},),
    next_step=lambda state: None,
    interpret=lambda state, before, after: (),
    explain=lambda state, event: "Two matches are taken.",
    view=lambda state: {
        "phase": "play",
        "turn": "Ana",
        "players": {"Ana": {"taken": 9 - state}, "Bo": {"taken": 0}},
        "table": {"phase": "play", "turn": "Ana", "matches": state},
        "result": None,
    },
)
"""A game of which neither the views nor the page know anything."""

OUTSIDE = """
return [...document.querySelectorAll('main *:not(svg *)')].filter((e) => e.getClientRects().length
  && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 90));
"""
"""What sticks out to the right of the screen."""

CONTRAST = """
const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255;
  return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
  if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
const poor = [];
for (const e of document.querySelectorAll('body *:not(svg *)')) {
  const words = [...e.childNodes].filter((n) => n.nodeType === 3 && n.textContent.trim()).length;
  if (!words || !e.getClientRects().length || e.closest('.skip')) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) poor.push(`${e.className || e.tagName} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
}
return poor;
"""
"""Text against its ground by the formula of WCAG 2, success criterion 1.4.3."""
