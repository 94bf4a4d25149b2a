"""A phone 360 pixels wide: nothing is cut off, squeezed or covered, at the usual size of text and at twice."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from companion.games import game
from companion.referee.messages import Begin, Do, Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse
from companion.views.phrases import sentences
from companion.views.translations import LANGUAGES
from companion.views.words import section_of, speaking
from companion.web.app import create_app
from tests.web.conftest import CODE, HEXEL, READY, UNREAD, show_notices

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

TABLES = {
    "hexdragon": (Header("hexdragon", ("Ana", "Bo")), ()),
    "comet": (Header("comet", ("Ana", "Bo", "Cy")), ("round Ana", "set Ana Desten 4-5-10+5-5-9")),
    "hexapod": (Header("hexapod", ("Ana", "Bo")), ()),
}


SEATED = "document.body.dataset.seated == 'yes' && document.querySelector('#actions .have')"


def begin(referee: Referee, header: Header, moves: tuple[str, ...]) -> None:
    referee.ask(Begin(header))
    for text in moves:
        referee.ask(Do(parse(game(header.game).rules.NOTATION, text)))


@pytest.fixture
def phone(referee: Referee, window: Any, serve: Callable[[Flask], int]) -> Callable[..., Any]:
    """Begins a game, plays its moves and opens the page of its first player on a narrow phone."""

    def take(header: Header, moves: tuple[str, ...], language: str = "en") -> Any:
        begin(referee, header, moves)
        window.screen(360, 740)
        window.ask_in(language)
        window.open(f"http://127.0.0.1:{serve(create_app(referee, join_code=CODE))}/?code={CODE}")
        window.wait_for(READY)
        window.run("document.getElementById('sit-0').click()")
        window.wait_for(SEATED)
        return window

    return take


BUTTONS = """
const lines = (button) => { const range = document.createRange(); range.selectNodeContents(button);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size; };
return [...document.querySelectorAll('#actions > button, #actions > .row > button')]
  .map((button) => [button.textContent, lines(button), button.getBoundingClientRect()])
  .map(([words, lines, { left, right }]) => ({ words, lines, left: Math.round(left), right: Math.round(right) }));
"""


@pytest.mark.parametrize(
    "name, language",
    [("comet", "es"), ("comet", "fr"), ("hexapod", "de"), ("hexapod", "es"), ("hexdragon", "en"), ("hexdragon", "pl")],
)
def test_buttons_fill_the_width_and_stand_on_one_line_each(name: str, language: str, phone: Callable[..., Any]) -> None:
    page = phone(*TABLES[name], language)
    buttons = page.run(BUTTONS)
    assert [button for button in buttons if button["lines"] > 1] == []
    assert (min(button["left"] for button in buttons), max(button["right"] for button in buttons)) == (14, 346)


WITH_A_TURN = ("hexel-name", "hexel-play", "hexdragon-play", "hexapod-play", "hexapod-spider")
WITHOUT = ("hexel-line", "hexel-hedging", "comet-lay", "comet-between")
CUT_PROMPTS = """
const [yours, withTurn, without] = arguments, turn = document.getElementById('turn');
const line = (kind, text) => Object.assign(document.createElement('p'), { className: kind, innerHTML: text });
turn.replaceChildren();
const height = turn.offsetHeight;
const isCut = (...lines) => {
  turn.replaceChildren(...lines);
  const box = turn.getBoundingClientRect();
  return box.height > height || lines.some((one) => one.scrollHeight > one.clientHeight + 1
    || one.getBoundingClientRect().top < box.top || one.getBoundingClientRect().bottom > box.bottom);
};
return [...withTurn.filter((text) => isCut(line('now mine', `<b>${yours}</b>`), line('soft', text))),
  ...without.filter((text) => isCut(line('now all', text)))];
"""


def test_what_is_to_be_done_now_is_shown_whole_in_every_language(phone: Callable[..., Any]) -> None:
    page = phone(*TABLES["hexapod"])
    cut = {}
    for language in LANGUAGES:
        with speaking(language):
            said = {**section_of("page"), **section_of("games")}
        prompts = [[said[name] for name in names] for names in (WITH_A_TURN, WITHOUT)]
        cut[language] = page.run(CUT_PROMPTS, said["your-turn"], *prompts)
    assert not any(cut.values()), cut


PLAYED = {
    "hexel": (
        Header("hexel", ("Annika", "Bo"), "36"),
        ("line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb", "stake Annika 3", "hedge Annika 6", "hedge Bo 9"),
    ),
    "hexdragon": (Header("hexdragon", ("Annika", "Bo")), ("place Annika -2,1 h0t1-23-45", "place Bo 0,1 h3t1-02-45")),
    "comet": (Header("comet", ("Annika", "Bo", "Cy")), ("round Annika", "set Annika Desten 4-5-10+5-5-9")),
    "hexapod": (Header("hexapod", ("Annika", "Bo")), ("play Annika 0 0 bb/ol", "play Bo 0 0 bb/ol")),
}
CUT_NAMES = """
return [...document.querySelectorAll('.seat .name')].filter((name) => name.scrollWidth > name.clientWidth)
  .map((name) => `${name.textContent}: ${name.scrollWidth} in ${name.clientWidth}`);
"""
BROKEN = """
const word = document.createRange();
const isBroken = (node, at, length) => { word.setStart(node, at); word.setEnd(node, at + length);
  return new Set([...word.getClientRects()].map(({ top }) => Math.round(top))).size > 1; };
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), broken = [];
while (texts.nextNode()) {
  const node = texts.currentNode;
  if (node.parentElement.closest('svg, details:not([open]) > :not(summary)')) continue;
  for (const { 0: text, index } of node.data.matchAll(/[\\p{L}\\d]+/gu))
    if (isBroken(node, index, text.length)) broken.push(text);
}
return broken;
"""
"""Words that stand on more than one line."""


@pytest.mark.parametrize("name", PLAYED)
def test_on_a_phone_on_its_side_no_button_covers_the_table(
    name: str, referee: Referee, phone: Callable[..., Any]
) -> None:
    """Of Hex’el’s table a strip of ten pixels was in view, and the buttons below a card seen were cut in half."""
    page = phone(*PLAYED[name], "de")
    page.screen(640, 320)
    box = "document.getElementById('{}').getBoundingClientRect()"
    page.wait_for(f"{box.format('cloth')}.right <= {box.format('actions')}.left")
    page.run("document.getElementById('cloth').scrollIntoView()")
    page.wait_for(f"{box.format('cloth')}.top >= 0 && {box.format('cloth')}.bottom <= 320")
    assert page.run("return document.documentElement.scrollWidth") <= 640
    if name == "hexel":
        referee.ask(Propose({**HEXEL, "player": "Annika"}, Evidence(b"", 0.93)))
        page.wait_for(f"document.getElementById('confirm') && {box.format('confirm')}.bottom <= 320")


@pytest.mark.parametrize("name", PLAYED)
def test_ones_own_name_is_read_whole_while_one_plays_and_deals(name: str, phone: Callable[..., Any]) -> None:
    page = phone(*PLAYED[name])
    assert page.run(CUT_NAMES) == []


@pytest.mark.parametrize("name", PLAYED)
def test_text_of_twice_the_size_breaks_no_word_and_leaves_the_table_in_sight(
    name: str, phone: Callable[..., Any]
) -> None:
    page = phone(*PLAYED[name])
    page.run("document.documentElement.style.fontSize = '34px'")
    page.wait_for("document.querySelector('.seat .name').offsetHeight > 40")
    assert page.run(CUT_NAMES) == []
    assert page.run(BROKEN) == []
    assert page.run("return document.documentElement.scrollWidth") <= 360
    bar = "document.getElementById('actions')"
    page.wait_for(f"{bar}.offsetHeight < 0.45 * innerHeight || getComputedStyle({bar}).position == 'static'")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_broken_where_a_card_is_entered_and_house_rules_are_chosen(
    language: str, phone: Callable[..., Any]
) -> None:
    in_dialog = BROKEN.replace("querySelector('main')", "querySelector('#sheet')")
    broken = {}
    page = phone(*PLAYED["hexapod"], language)
    for width in (360, 320):
        page.screen(width, 740)
        page.run("document.getElementById('lay-by-hand').click()")
        page.wait_for("document.querySelector('#sheet[open] .brush')")
        broken["brushes", width] = page.run(in_dialog)
        page.run("document.getElementById('sheet').close(); document.getElementById('another-game').click()")
        page.wait_for("document.querySelector('#sheet[open] #game-comet')")
        page.run("document.getElementById('game-comet').click(); document.getElementById('house-rules').click()")
        broken["house rules", width] = page.run(in_dialog)
        page.run("document.getElementById('sheet').close()")
    assert {where: words for where, words in broken.items() if words} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chips_that_a_move_moved_stand_within_the_screen(
    language: str, referee: Referee, phone: Callable[..., Any]
) -> None:
    """The Polish word for a hedge pushed the last column out of it."""
    page = phone(*PLAYED["hexel"], language)
    page.screen(320, 640)
    page.run("document.getElementById('moves').click(); document.getElementById('open-4').click()")
    page.wait_for("document.querySelector('#sheet[open] .moved')")
    assert page.run("return Math.max(...[...document.querySelectorAll('.moved td')]"
                    ".map((cell) => cell.getBoundingClientRect().right))") <= 304  # fmt: skip
    words = BROKEN.replace("querySelector('main')", "querySelector('.moved')")
    assert page.run(words) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_games_name_and_whose_turn_it_is_are_read_whole(
    language: str, referee: Referee, phone: Callable[..., Any]
) -> None:
    cut = """return [...document.querySelectorAll('.top h1 > *, #turn b')].filter((part) => part.getClientRects().length
      && (part.scrollWidth > part.clientWidth + 1 && part.clientWidth || part.scrollHeight > part.clientHeight + 8
      && part.clientHeight)).map((part) => part.textContent)"""
    page = phone(*PLAYED["hexapod"], language)
    for header, moves in (*PLAYED.values(), (Header("hexapod", ("Annika", "Bo")), ("play Annika 0 0 bb/ol",))):
        page.run("document.documentElement.style.fontSize = ''")
        begin(referee, header, moves)
        page.wait_for(f"document.body.dataset.version == {referee.latest().version} && {SEATED}")
        page.screen(320, 640)
        page.wait_for("document.querySelector('.seat .name').offsetHeight < 40")
        assert page.run(cut) == []
        page.screen(360, 740)
        page.run("document.documentElement.style.fontSize = '34px'")
        page.wait_for("document.querySelector('.seat .name').offsetHeight > 40")
        assert page.run(cut) == []


def test_a_long_sentence_of_a_move_is_read_to_its_end(referee: Referee, phone: Callable[..., Any]) -> None:
    page = phone(*PLAYED["hexapod"])
    session = referee.latest()
    ends = [sentences(session.game.apply(session.state, command)[1]) for command in session.game.legal(session.state)]
    longest = max(range(len(ends)), key=lambda n: len(" ".join(ends[n])))
    referee.ask(Do(session.game.legal(session.state)[longest]))
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    assert page.run(UNREAD) == []


def test_a_notice_of_usual_length_is_shown_whole(referee: Referee, phone: Callable[..., Any]) -> None:
    page = phone(*TABLES["hexdragon"])
    referee.ask(Notice("card-differs", "A card looks different from what was confirmed.", (0.9, 0.1)))
    show_notices(referee, page)
    words = "document.querySelector('.notice > p')"
    assert page.run(f"return {words}.scrollHeight - {words}.clientHeight") <= 1


def test_of_a_notice_that_is_cut_no_part_of_a_third_line_shows(referee: Referee, phone: Callable[..., Any]) -> None:
    page = phone(*TABLES["hexdragon"])
    referee.ask(Notice("card-differs", "A card looks different from what was confirmed. " * 3, (0.9, 0.1)))
    show_notices(referee, page)
    words = "document.querySelector('.notice > p')"
    assert page.run(f"return {words}.clientHeight - 2 * parseFloat(getComputedStyle({words}).lineHeight)") <= 1


def test_a_long_name_of_the_dealer_stays_in_its_place(phone: Callable[..., Any]) -> None:
    dealer = "Maximilianus-Alexander-Bartos"
    page = phone(Header("comet", (dealer, "Bo")), (f"round {dealer}",))
    page.wait_for(f"document.querySelector('#facts').textContent.includes('{dealer}')")
    ends = "[...document.querySelectorAll('.fact b')].map((fact) => fact.getBoundingClientRect().right)"
    assert max(page.run(f"return {ends}")) <= 346
    cut = "[...document.querySelectorAll('.fact, .fact b')].filter((part) => part.scrollWidth > part.clientWidth"
    assert page.run(f"return {cut} || part.scrollHeight > part.clientHeight + 1).length") == 0


def test_text_grows_with_the_size_that_the_browser_is_set_to(
    window: Any, visit: Callable[..., Any], referee: Referee
) -> None:
    """It was 17 pixels high, whatever its reader had chosen."""
    page = visit(referee)
    size = "parseFloat(getComputedStyle(document.querySelector('#turn .soft')).fontSize)"
    usual = page.run(f"return {size}")
    page.choose_text_size(24)
    try:
        assert page.run(f"return {size}") == pytest.approx(1.5 * usual)
        assert page.run("return document.documentElement.scrollWidth") <= 390
    finally:
        page.choose_text_size(16)
