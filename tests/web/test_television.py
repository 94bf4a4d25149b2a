"""The television is read from three metres: no text below 28 px on a screen of 1080 lines, and no player cut off."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from companion.app.invitation import Invitation
from companion.games import game
from companion.referee.messages import Begin, Do, Evidence, Notice, Propose, Reject
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse
from companion.views.phrases import sentences
from companion.web.app import TableParts, create_app
from tests.web.conftest import READY, UNREAD, show_notices

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

SMALL = """
return [...document.querySelectorAll('body *')].filter((part) => !part.closest('svg') && part.getClientRects().length
  && [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
  && parseFloat(getComputedStyle(part).fontSize) < 28).map((part) => `${part.className}: ${part.textContent}`);
"""
TABLES = {
    "hexel": (
        Header("hexel", ("Ana", "Bo", "Cy", "Dee"), "36"),
        ("line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb", "stake Ana 3"),
    ),
    "hexel of three": (
        Header("hexel", ("Ana", "Bo", "Cy"), "36"),
        (
            "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb",
            "stake Ana 1",
            "hedge Ana 2",
            "hedge Bo 2",
            "hedge Cy 2",
            "place Ana 0,-1 vvvvbb",
        ),
    ),
    "hexdragon": (Header("hexdragon", ("Ana", "Bo", "Cy")), ("place Ana -2,1 h0t1-23-45", "place Bo 0,1 h3t1-02-45")),
    "comet": (Header("comet", ("Ana", "Bo", "Cy")), ("round Ana", "set Bo Kinro 9-9-9")),
    "comet turned up": (
        Header("comet", ("Ana", "Bo", "Cy")),
        ("round Ana", "set Ana Desten 4-5-10+5-5-9", "set Bo Desten 9-9-9", "set Cy Vain 14-14-14", "reveal"),
    ),
    "comet turned up in every pot": (
        Header("comet", ("Ana", "Bo", "Cy", "Dee")),
        (
            "round Ana",
            "set Ana Desten 4-5-10+5-5-9",
            "set Bo Desten 9-9-9+2-3-4",
            "set Cy Desten 6-6-6",
            "set Ana Kinro 2-2-2+7-8-9",
            "set Dee Kinro 3-3-3+10-10-10",
            "set Bo Nivek 5-6-7+4-5-6",
            "set Cy Nivek 8-8-8+8-9-10",
            "set Dee Trinovat 11-11-11",
            "set Bo Trinovat 12-12-12",
            "set Cy Vain 14-14-14",
            "set Ana Polos 13-13-13+12-13-14",
            "reveal",
        ),
    ),
    "hexapod": (Header("hexapod", ("Ana", "Bo")), ("play Ana 0 0 bb/ol",)),
}

FRAMES = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
"""Until what fits itself to the screen has done so."""


@pytest.fixture
def television(referee: Referee, window: Any, serve: Callable[..., int]) -> Callable[..., Any]:
    """Begins a game, plays its moves and opens `/board` on a screen of 1080 lines."""

    def turn_on(header: Header, moves: tuple[str, ...]) -> Any:
        referee.ask(Begin(header))
        for text in moves:
            referee.ask(Do(parse(game(header.game).rules.NOTATION, text)))
        window.screen(1920, 1080)
        invited = Invitation("http://192.168.178.117:8080/", "MWMWMW", "471100")
        app = create_app(referee, join_code=invited.join_code, parts=TableParts(invitation=invited))
        window.open(f"http://127.0.0.1:{serve(app)}/board?code={invited.join_code}")
        window.wait_for(f"{READY} && document.querySelector('#hints:not(:empty)') && document.querySelector('.qr')")
        window.asynchronous(FRAMES)
        return window

    return turn_on


def test_the_television_shows_the_address_that_the_table_has_now(
    referee: Referee, window: Any, serve: Callable[..., int]
) -> None:
    class Booting:
        url, join_code = "http://127.0.0.1:8080/", "MWMWMW"

        def svg(self) -> str:
            return Invitation(self.url, self.join_code, "471100").svg()

    invited = Booting()
    app = create_app(referee, join_code=invited.join_code, parts=TableParts(invitation=invited))
    window.open(f"http://127.0.0.1:{serve(app)}/board?code={invited.join_code}")
    window.wait_for("document.querySelector('.invite').textContent.includes('127.0.0.1:8080')")
    window.wait_for("document.body.dataset.version")
    invited.url = "http://192.168.178.117:8080/"
    window.run("dispatchEvent(new Event('online'))")
    window.wait_for("document.querySelector('.invite')?.textContent.includes('192.168.178.117:8080')")


@pytest.mark.parametrize("name", TABLES)
def test_everything_on_the_television_can_be_read_from_afar(name: str, television: Callable[..., Any]) -> None:
    page = television(*TABLES[name])
    assert page.run(SMALL) == []
    assert (
        page.run("const seats = document.getElementById('seats'); return seats.scrollHeight - seats.clientHeight") <= 3
    )


SEATS_CUT = """
const { bottom } = document.getElementById('seats').getBoundingClientRect();
return [...document.querySelectorAll('.seat')].filter((one) => one.getBoundingClientRect().bottom > bottom + 3).length
"""


@pytest.mark.parametrize("name", TABLES)
def test_no_player_is_cut_off_beside_a_proposal_and_a_caption(
    name: str, referee: Referee, television: Callable[..., Any]
) -> None:
    page = television(*TABLES[name])
    session = referee.latest()
    referee.ask(Propose(session.game.legal(session.state)[0], Evidence(b"", 0.9)))
    page.wait_for("!document.getElementById('proposal').hidden")
    cut = [page.run(SEATS_CUT)]
    referee.ask(Notice("demo-put-right", ""))
    page.wait_for("document.getElementById('caption').textContent")
    cut.append(page.run(SEATS_CUT))
    referee.ask(Reject(referee.latest().version))
    page.wait_for("document.getElementById('proposal').hidden")
    cut.append(page.run(SEATS_CUT))
    assert cut == [0, 0, 0], "with a proposal, with both, with a caption"
    heights = "const told = document.getElementById('caption'), stood = told.offsetHeight; told.textContent = '';"
    assert page.run(f"{heights} return told.offsetHeight - stood") == 0, "its place is kept before it is told"
    code = "document.querySelector('.invite .code')"
    assert page.run(f"return {code}.offsetHeight / parseFloat(getComputedStyle({code}).fontSize)") < 2, "on one line"


@pytest.mark.parametrize("name", TABLES)
def test_a_waiting_move_moves_no_player_and_is_shown_whole(
    name: str, referee: Referee, television: Callable[..., Any]
) -> None:
    page = television(*TABLES[name])
    seats = "return document.getElementById('seats').getBoundingClientRect().top"
    stood = page.run(seats)
    session = referee.latest()
    referee.ask(Propose(session.game.legal(session.state)[0], Evidence(b"", 0.9)))
    page.wait_for("!document.getElementById('proposal').hidden")
    assert page.run(seats) == stood
    page.run("window.sheet = document.getElementById('proposal')")
    assert page.run("return sheet.scrollHeight - sheet.clientHeight") <= 1


CUT_OFF = """
const within = ({ top, bottom }, box) => top >= box.top - 1 && bottom <= box.bottom + 1;
return ['hints', 'history', 'facts', 'call', 'cloth'].flatMap((id) => {
  const region = document.getElementById(id), box = region.getBoundingClientRect();
  return [...region.querySelectorAll('p, li, .fact')].filter((part) => part.getClientRects().length)
    .map((part) => [part, part.getBoundingClientRect()])
    .filter(([, r]) => r.left < box.right && !within(r, { top: box.top, bottom: Math.min(box.bottom, innerHeight) }))
    .map(([part]) => `${id}: ${part.textContent}`);
});
"""
"""What is shown only in part; what lies in a column out of sight is not shown at all."""


@pytest.mark.parametrize("name", TABLES)
def test_nothing_on_the_television_is_cut_off(name: str, television: Callable[..., Any]) -> None:
    page = television(*TABLES[name])
    assert page.run(CUT_OFF) == []


def test_who_takes_the_pots_is_told_before_what_was_scored(television: Callable[..., Any]) -> None:
    page = television(*TABLES["comet turned up in every pot"])
    shown = "[...document.querySelectorAll('#call li')].filter((line) => line.getClientRects().length)"
    told = page.run(f"return {shown}.map((line) => line.textContent)")
    assert [line for line in told if "takes" in line] == [
        "Bo takes Desten: 100.",
        "Dee takes Kinro: 100.",
        "Cy takes Nivek: 100.",
        "Bo takes Trinovat: 100.",
        "Cy takes Vain: 100.",
        "Ana takes Polos: 100.",
    ]
    assert page.run(UNREAD) == []


WIDEST = "W" * 40
RECKONED_APART = """
const box = (part) => part.getBoundingClientRect();
return [...document.querySelectorAll('.reckoned')].map((one) => {
  const [name, sum] = one.querySelectorAll('p > b'), card = box(one.closest('section'));
  return box(name).right <= box(sum).left && box(sum).right <= card.right;
}).concat([...document.querySelectorAll('.reveal h3')].map((one) => box(one.lastChild).right <= box(one).right + 1));
"""


@pytest.mark.parametrize("taker", [WIDEST, "Bo"])
def test_a_long_name_covers_no_score(taker: str, television: Callable[..., Any]) -> None:
    least, most = "4-5-10+5-5-9", "9-9-9+2-3-4+2-2-2"
    sets = (
        f"set {WIDEST} Desten {most if taker == WIDEST else least}",
        f"set Bo Desten {least if taker == WIDEST else most}",
    )
    page = television(
        Header("comet", (WIDEST, "Bo", "Cy")), (f"round {WIDEST}", *sets, "set Cy Vain 14-14-14", "reveal")
    )
    assert set(page.run(RECKONED_APART)) == {True}
    page.screen(1100, 1080)
    page.asynchronous(FRAMES)
    assert set(page.run(RECKONED_APART)) == {True}


def test_a_reveal_fits_a_window_that_is_made_smaller_and_is_whole_again_in_a_large_one(
    television: Callable[..., Any],
) -> None:
    page = television(*TABLES["comet turned up"])
    lines = "[...document.querySelectorAll('.score-lines')].filter((one) => one.offsetHeight).length"
    shown = []
    for width, height in ((1920, 1080), (1100, 1080), (1920, 1080)):
        page.screen(width, height)
        page.asynchronous(FRAMES)
        assert [part for part in page.run(CUT_OFF) if part.startswith("cloth")] == []
        shown.append(page.run(f"return {lines}"))
    assert shown[0] == shown[2] > shown[1]


@pytest.mark.parametrize("name", ["hexel of three", "hexdragon"])
def test_what_a_move_costs_is_read_below_its_large_word(
    name: str, referee: Referee, television: Callable[..., Any]
) -> None:
    page = television(*TABLES[name])
    play_until(referee, lambda said: len(said) > 1)
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    assert page.run("return document.querySelectorAll('#call .word + .said li').length") > 1
    assert page.run(UNREAD) == []


def play_until(referee: Referee, is_enough: Callable[[tuple[str, ...]], bool], seed: int = 5) -> None:
    """Let cards be laid at random until a move's sentences are enough."""
    random, said = Random(seed), ()
    while not is_enough(said):
        session = referee.latest()
        laying = [command for command in session.game.legal(session.state) if command["cmd"] == "place"]
        said = sentences(referee.ask(Do(random.choice(laying))).events)


TAIL = (
    "round Ana tail=yes",
    "set Ana tail 4-5-10+5-5-9",
    "set Ana tail 12-12-12",
    "set Bo tail 9-9-9",
    "set Bo tail 8-8-8+7-7-7",
    "set Cy tail 3-3-3",
    "set Cy tail 6-6-6",
    "set Dee tail 2-2-2",
    "set Dee tail 14-14-14",
)


@pytest.mark.parametrize("sets", (0, 3, 8))
def test_the_tail_is_seen_whole_with_eight_sets_against_it(sets: int, television: Callable[..., Any]) -> None:
    page = television(Header("comet", ("Ana", "Bo", "Cy", "Dee")), TAIL[: sets + 1])
    assert page.run("return document.querySelectorAll('.is-tail .laid').length") == sets
    assert [part for part in page.run(CUT_OFF) if part.startswith("cloth")] == []


def test_whose_set_was_seen_against_a_pot_is_read_whole(referee: Referee, television: Callable[..., Any]) -> None:
    page = television(Header("comet", ("Ana", "Bo")), ("round Ana",))
    seen = parse(game("comet").rules.NOTATION, "set Ana Trinovat 2-4-7+3-5-6+5-6-6")
    referee.ask(Propose(seen, Evidence(b"", 0.9)))
    page.wait_for("document.querySelectorAll('.laid .triple:not(.down)').length === 3")
    name = "const name = document.querySelector('.laid .by');"
    assert page.run(f"{name} return [name.textContent, name.scrollWidth <= name.clientWidth]") == ["Ana", True]


def test_a_notice_stands_whole_beside_the_round(referee: Referee, television: Callable[..., Any]) -> None:
    page = television(*TABLES["hexel of three"])
    referee.ask(
        Notice("camera-lost", "Something moves on the table; it is read once it lies still. Hands off, please.")
    )
    show_notices(referee, page)
    page.run("window.notice = document.querySelector('.notice'); window.words = notice.querySelector('p')")
    assert page.run("return words.scrollHeight - words.clientHeight") <= 1
    inner = "const within = notice.getBoundingClientRect(), text = words.getBoundingClientRect();"
    assert page.run(f"{inner} return text.top >= within.top && text.bottom <= within.bottom")
    assert page.run(SMALL) == []


def test_an_address_breaks_between_its_numbers(television: Callable[..., Any]) -> None:
    page = television(*TABLES["hexapod"])
    lines = page.run(
        "const text = document.querySelector('.invite b'), range = document.createRange(), lines = new Map();"
        "for (const node of text.childNodes) if (node.nodeType === 3) { range.selectNodeContents(node);"
        " for (const { top } of range.getClientRects()) lines.set(top, (lines.get(top) ?? '') + node.textContent); }"
        "return [...lines.values()]"
    )
    assert "".join(lines) == "192.168.178.117:8080" and len(lines) <= 2


def test_the_end_on_the_television_can_be_read_from_afar(television: Callable[..., Any]) -> None:
    rounds = [line for dealer in ("Ana", "Cy", "Bo") for line in (f"round {dealer}", "reveal")]
    page = television(Header("comet", ("Ana", "Bo", "Cy")), (*rounds, "stop"))
    page.wait_for("document.querySelectorAll('#finale .places li').length == 3")
    assert page.run(SMALL) == []
    assert page.run("return document.documentElement.scrollHeight") == 1080


def test_a_television_stands_beside_two_phones(referee: Referee, visit: Callable[..., Any], window: Any) -> None:
    referee.ask(Notice("demo-plays", ""))
    page = visit(referee)
    page.run("document.getElementById('around').click()")
    page.wait_for("document.querySelectorAll('.screen iframe').length == 3")
    ready = "[...document.querySelectorAll('iframe')].every((one) => one.contentDocument?.querySelector('.seat'))"
    for size in ((390, 844), (320, 640), (1920, 1080)):
        window.screen(*size)
        page.wait_for(ready)
        assert page.run("return document.documentElement.scrollWidth") <= size[0]
    lights = "[...document.querySelectorAll('iframe')].map((one) => one.contentDocument.documentElement.dataset.theme)"
    page.wait_for(f"{lights}.join() == ',light,dark'")
    assert page.complaints() == []


LONG = ("Katharina", "Benjamin", "Alexander", "Sebastian", "Christian", "Annabelle", "Valentina", "Bartholomew")


@pytest.mark.parametrize(("name", "count"), [("hexel", 6), ("hexel", 8), ("comet", 6), ("comet", 8)])
def test_many_players_are_read_by_their_whole_names(name: str, count: int, television: Callable[..., Any]) -> None:
    moves = () if name == "comet" else ("line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb",)
    page = television(Header(name, LONG[:count]), moves)
    page.asynchronous(FRAMES)
    cut = page.run("return [...document.querySelectorAll('.seat .name')].filter("
                   "(n) => n.scrollWidth > n.clientWidth || n.closest('.seat').getBoundingClientRect().bottom > 1080)"
                   ".map((n) => n.textContent)")  # fmt: skip
    assert cut == []


@pytest.mark.parametrize("count", [6, 8, 12])
def test_every_place_is_seen_at_the_end(count: int, television: Callable[..., Any]) -> None:
    names = (*LONG, "Cy", "Dee", "Ana", "Bo")[:count]
    dealers = (names[0], *names[:0:-1])
    rounds = [line for dealer in dealers for line in (f"round {dealer}", "reveal")]
    page = television(Header("comet", names), (*rounds, "stop"))
    page.wait_for("document.querySelector('.places')")
    page.asynchronous(FRAMES)
    places = "[...document.querySelectorAll('.places li')]"
    ends = page.run(f"return {places}.map((li) => li.getBoundingClientRect().bottom)")
    assert len(ends) == count and max(ends) <= 1080


def test_a_screen_of_twice_as_many_lines_shows_the_same_twice_as_large(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    """On 3840 pixels a number stood close to its label as if they were one word, and the link's sign was a speck."""
    gaps = """
      const far = (a, b) => b.getBoundingClientRect().left - a.getBoundingClientRect().right;
      const word = (part) => { const text = document.createRange(); text.selectNodeContents(part); return text; };
      const pot = document.querySelector('.seat .pot'), badge = document.querySelector('.badge');
      return [far(pot.firstElementChild, pot.querySelector('b')), document.querySelector('.dot').offsetWidth,
        word(badge).getBoundingClientRect().left - badge.getBoundingClientRect().left];"""
    window.screen(1920, 1080)
    page = visit(referee, "/board")
    small = page.run(gaps)
    window.screen(3840, 2160)
    assert [large / one for large, one in zip(page.run(gaps), small, strict=True)] == pytest.approx([2] * 3, rel=0.2)
