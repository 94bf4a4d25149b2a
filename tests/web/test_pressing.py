"""Moves on the page in a real browser: what others do appears, what waits is answered, what is mine is pressed."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.errors import Refusal
from companion.referee.messages import Confirm, Do, Evidence, Propose, Undo
from companion.referee.referee import Referee

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
MISMATCH = {**HEXEL, "edges": ["red"] * 6}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def undo_answered_late(page: Any, late_ms: int) -> None:
    """Press undo; its answer reaches the page so late."""
    page.run("const send = window.fetch; window.fetch = (...asked) => send(...asked).then(answer =>"
             f" asked[0].includes('/api/undo') ? new Promise(done => setTimeout(done, {late_ms}, answer)) : answer);"
             "document.getElementById('undo').click()")  # fmt: skip


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


def test_a_button_that_shows_what_the_last_press_did_is_taken_before_that_press_is_answered(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do({**HEXEL, "edges": ["void"] * 4 + ["blue", "blue"]}))
    page = visit(referee)
    undo_answered_late(page, 5000)
    page.wait_for("document.getElementById('redo')")
    page.run("document.getElementById('redo').click(); document.getElementById('redo').click()")
    page.wait_for("!document.getElementById('redo')", within_ms=2500)
    assert len(referee.latest().moves) == 5


def test_a_late_answer_leaves_the_refusal_of_a_newer_press_on_the_page(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do({**HEXEL, "edges": ["void"] * 4 + ["blue", "blue"]}))
    page = visit(referee)
    page.run("const send = window.fetch; window.fetch = (...asked) => asked[0].includes('/api/redo')"
             " ? Promise.reject(new TypeError('offline')) : send(...asked)")  # fmt: skip
    undo_answered_late(page, 1500)
    page.wait_for("document.getElementById('redo')")
    page.run("document.getElementById('redo').click()")
    page.wait_for("!document.getElementById('toast').hidden")
    page.wait_for("!document.body.classList.contains('is-busy')")
    assert not page.run("return document.getElementById('toast').hidden")


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
    page.wait_for("!document.body.classList.contains('is-busy')")
    page.run("document.getElementById('amount-0').value = 300; document.getElementById('set-0').click()")
    page.wait_for("!document.getElementById('toast').hidden")
    assert "100" in page.run("return document.getElementById('toast').textContent")


def test_a_stake_for_which_somebody_cannot_hedge_is_asked_for_twice(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    referee = table(LINE)
    page = visit(referee)
    typed = (
        "const input = document.getElementById('amount-0'); input.value = '%s';"
        "input.dispatchEvent(new Event('input'));"
        "document.getElementById('set-0').click(); return document.querySelector('.stepper [role=alert]').textContent"
    )
    assert "250 is more than the stock of Ana, Bo" in page.run(typed % "250")
    assert "251 is more than" in page.run(typed % "251"), "another amount is another question"
    assert referee.latest().moves[-1].command["cmd"] == "line"
    page.run("document.getElementById('set-0').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert referee.latest().moves[-1].command == {"cmd": "stake", "player": "Ana", "amount": 251}


def test_no_button_moves_while_a_stake_is_asked_about_and_a_double_tap_is_no_answer(
    table: Callable[..., Referee], visit: Callable[..., Any], window: Any
) -> None:
    referee = table(LINE)
    window.screen(360, 640)
    page = visit(referee)
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.body.dataset.seated == 'yes' && document.querySelector('#actions .have')")
    page.run("document.getElementById('amount-0').value = 250")
    place = "const { x, y, width, height } = document.getElementById('set-0').getBoundingClientRect(); "
    before = page.run(f"{place} return [x, y, width, height]")
    middle = before[0] + before[2] / 2, before[1] + before[3] / 2
    for _ in range(2):
        page.tap(*middle)
    question = "document.querySelector('.stepper [role=alert]')"
    page.wait_for(f"{question}.textContent.includes('250 is more than')")
    assert page.run(f"{place} return [x, y, width, height]") == before
    assert page.run(
        f"const {{ top, bottom }} = {question}.getBoundingClientRect(); return [top >= 0, bottom <= {before[1]}]"
    ) == [True, True]
    assert referee.latest().moves[-1].command["cmd"] == "line"
    page.asynchronous("setTimeout(arguments[0], 450)")
    page.tap(*middle)
    page.wait_for("document.body.dataset.phase == 'hedge'")


def test_a_finger_on_its_way_to_another_button_answers_no_card_that_is_just_seen(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    """The question rises over the buttons at the lower edge: a tap on Pass was a tap on Confirm."""
    page = visit(referee)
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.body.dataset.seated == 'yes' && document.querySelector('#actions .have')")
    page.run("""
      window.pressed = 0;
      new MutationObserver((_, seen) => {
        const button = document.getElementById('confirm');
        if (button) seen.disconnect(), requestAnimationFrame(() => { window.middle = button.getBoundingClientRect(); });
      }).observe(document.getElementById('proposal'), { childList: true });
      document.addEventListener('click', ({ target }) => (window.pressed += target.id == 'confirm'));""")
    referee.ask(Propose(HEXEL, Evidence(b"", 0.93)))
    left, top = page.wait_for("window.middle && [middle.left + middle.width / 2, middle.top + middle.height / 2]")
    page.tap(left, top)
    page.wait_for("window.pressed == 1")
    assert referee.latest().proposal is not None
    page.asynchronous("setTimeout(arguments[0], 450)")
    page.tap(left, top)
    page.wait_for("document.getElementById('proposal').hidden")
    assert referee.latest().moves[-1].command["cmd"] == "place"


def test_two_who_take_back_at_the_same_time_take_back_one_move(referee: Referee, visit: Callable[..., Any]) -> None:
    """The button stays where it is and means the move before, once the first press is heard of."""
    page = visit(referee)
    page.run("window.pressed = 0; addEventListener('click', ({ target }) => (window.pressed += target.id == 'undo'))")
    middle = """const button = document.getElementById('undo'); button.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = button.getBoundingClientRect(); return [x + width / 2, y + height / 2]"""

    def tap_after_another_has_taken_back(ahead_ms: int) -> None:
        page.put_clock_ahead(ahead_ms)
        referee.ask(Undo(referee.latest().version))
        page.wait_for(f"document.body.dataset.version == {referee.latest().version} && document.getElementById('redo')")
        page.tap(*page.run(middle))

    tap_after_another_has_taken_back(60_000)  # as if the button were drawn when the finger comes down, or after
    page.wait_for("window.pressed == 1")
    assert len(referee.latest().moves) == 3
    tap_after_another_has_taken_back(-120_000)
    page.wait_for("window.pressed == 2 && !document.body.classList.contains('is-busy')")
    assert len(referee.latest().moves) == 1


def test_a_usual_stake_is_not_asked_about(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    page = visit(table(LINE))
    page.run("document.getElementById('amount-0').value = 100; document.getElementById('set-0').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")


def test_no_amount_counts_that_nobody_typed(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    """3 beside a stake of 2 was rounded to a hedge of 4, and an empty field was a hedge of 0."""
    referee = table(LINE, {"cmd": "stake", "player": "Ana", "amount": 2})
    page = visit(referee)
    typed = "document.getElementById('amount-0').value = '%s'; document.getElementById('set-0').click()"
    page.run(typed % "")
    assert page.run("return document.activeElement.id") == "amount-0"
    page.run(typed % "3")
    page.wait_for("!document.getElementById('toast').hidden")
    assert "2" in page.run("return document.getElementById('toast').textContent")
    assert referee.latest().moves[-1].command["cmd"] == "stake"


@pytest.mark.parametrize("size", [(360, 640), (640, 360)])
def test_what_was_seen_is_answered_without_scrolling_in_text_of_twice_the_size(
    referee: Referee, visit: Callable[..., Any], window: Any, size: tuple[int, int]
) -> None:
    window.screen(*size)
    window.ask_in("de")
    window.choose_text_size(32)
    referee.ask(Propose(HEXEL, Evidence(b"", 0.93)))
    try:
        page = visit(referee)
        page.wait_for("document.getElementById('confirm')")
        hidden = page.run("""
            return [...document.querySelectorAll('#proposal .row button')].filter((button) => {
              const { left, right, top, bottom } = button.getBoundingClientRect();
              return bottom > innerHeight || document.elementFromPoint((left + right) / 2, bottom - 4) !== button;
            }).map(({ textContent }) => textContent)
        """)
        room = page.run("""
            const [row, sentence] = ['.row', '.sentence'].map((part) => document.querySelector(`#proposal ${part}`));
            return row.getBoundingClientRect().top - sentence.getBoundingClientRect().top;
        """)
    finally:
        window.choose_text_size(16)
    assert hidden == []
    assert room >= 48, "and a line of what is asked about is seen"


@pytest.mark.parametrize("width", [320, 360])
def test_the_buttons_below_what_was_seen_are_whole_in_german(
    referee: Referee, visit: Callable[..., Any], window: Any, width: int
) -> None:
    window.screen(width, 640)
    window.ask_in("de")
    referee.ask(Propose(HEXEL, Evidence(b"", 0.93)))
    page = visit(referee)
    page.wait_for("document.getElementById('confirm')")
    page.run("document.documentElement.style.fontSize = '125%'")
    cut = page.run("return [...document.querySelectorAll('#proposal button')].filter("
                   "(b) => b.scrollWidth > b.clientWidth || b.getBoundingClientRect().right > innerWidth)"
                   ".map((b) => b.textContent)")  # fmt: skip
    page.run("document.documentElement.style.fontSize = ''")
    assert cut == []


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


def test_the_next_game_is_one_press_away(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    referee = table(LINE, {"cmd": "stake", "player": "Ana", "amount": 3})
    for name, amount in (("Ana", 6), ("Bo", 0)):
        referee.ask(Do({"cmd": "hedge", "player": name, "amount": amount}))
    referee.ask(Do(HEXEL))
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page = visit(referee)
    page.run("document.getElementById('next-game').click()")
    page.wait_for("document.body.dataset.phase == 'line'")


def test_a_number_half_typed_stays_when_others_move(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    referee = table(LINE, {"cmd": "stake", "player": "Ana", "amount": 3})
    page = visit(referee)
    page.wait_for("document.getElementById('sit-1')")
    page.run("document.getElementById('sit-1').click()")
    page.wait_for("document.body.dataset.seated == 'yes' && document.getElementById('amount-0')")
    page.run("document.getElementById('who-0-1')?.click();"
             "for (const n of [1, 2, 3]) document.querySelector('[aria-label=More]').click()")  # fmt: skip
    referee.ask(Do({"cmd": "hedge", "player": "Ana", "amount": 6}))
    page.wait_for("document.getElementById('call').textContent.includes('Ana hedges 6')")
    assert page.run("return document.getElementById('amount-0').value") == "9"
    page.run("document.getElementById('set-0').click()")
    page.wait_for("document.body.dataset.phase == 'play'")
    assert referee.latest().moves[-1].command["amount"] == 9


def test_a_refusal_is_told_to_who_pressed_and_to_all_only_at_the_table(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run(
        "window.toasts = []; const toast = document.getElementById('toast');"
        "new MutationObserver(() => toasts.push(toast.textContent)).observe(toast, { childList: true })"
    )
    with pytest.raises(Refusal):
        referee.ask(Do(MISMATCH))  # as another phone's press is
    referee.notify(Confirm())  # as the button at the table is
    assert len(page.wait_for("toasts.length && toasts")) == 1
    assert "waiting" in page.run("return toasts[0]")
