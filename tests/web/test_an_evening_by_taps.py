"""A whole evening of each game by taps alone, from an empty data folder: no address typed, no command line.

A game is set up, a round is played, an older move is put right while another phone plays on, then the end and the
rematch.
"""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.web.app import create_app
from companion.web.app_context import TableParts

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

CODE, PIN = "ROSE42", "471100"


class Evening:
    """What a person does on the operator's phone, and the commands of another phone at the same table.

    A person taps what is there, once it is there, and types names, numbers and a PIN.
    """

    def __init__(self, page: Any, referee: Referee, other: Any) -> None:
        self.page, self.referee, self.other = page, referee, other

    @property
    def said(self) -> list[str]:
        """The commands of the game so far."""
        return [move.command["cmd"] for move in self.referee.latest().moves]

    def see(self, condition: str) -> None:
        self.page.wait_for(condition)

    def see_phase(self, phase: str) -> None:
        self.see(f"document.body.dataset.phase == '{phase}' && !document.getElementById('sheet').open")

    def see_moves(self, number: int) -> None:
        self.see(f"!document.getElementById('sheet').open && document.getElementById('open-{number}')")

    def tap(self, *selectors: str) -> None:
        for selector in selectors:
            found = f"document.querySelector('{selector}')"
            self.see(f"{found}?.getClientRects().length && !{found}.disabled")
            self.page.run(f"{found}.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }}))")

    def tap_words(self, where: str, words: str) -> None:
        button = f"[...document.querySelectorAll('{where}')].find((one) => one.textContent.includes('{words}'))"
        self.see(button)
        self.page.run(f"{button}.click()")

    def type(self, selector: str, text: str) -> None:
        self.see(f"document.querySelector('{selector}')?.getClientRects().length")
        self.page.run(
            f"const field = document.querySelector('{selector}'); field.value = '{text}';"
            "field.dispatchEvent(new Event('input', { bubbles: true }))"
        )

    def set_up(self, game: str, *names: str, **options: str) -> None:
        self.tap(f"#game-{game}")
        for n, name in enumerate(names):
            if n >= self.page.run("return document.querySelectorAll('.setup-seats input').length"):
                self.tap("#add-player")
            self.type(f"#player-{n}", name)
        if options:
            self.tap("#house-rules")
        for option, value in options.items():
            self.type(f"#option-{option}", value)
        self.tap("#begin")
        self.see("!document.getElementById('sheet').open")

    def operate(self) -> None:
        self.tap("#this-phone-words")
        self.type("#pin", PIN)
        self.tap("#operate")
        self.see("document.getElementById('resign')")

    def open_move(self, number: int) -> None:
        if not self.page.run("return document.getElementById('moves').parentElement.open"):
            self.tap("#moves")
        self.tap(f"#open-{number}")
        self.see("document.getElementById('correct')")

    def arrive(self, **command: Any) -> None:
        """A move of the other phone."""
        answer = self.other.post("/api/commands", json=command)
        assert answer.status_code == 200, answer.json

    def play_again(self) -> None:
        """From the end screen to the same people's next game."""
        self.tap("#rematch")
        self.see("!document.getElementById('sheet').open && !document.body.classList.contains('has-finale')")
        assert [line for line in self.page.complaints() if not is_of_a_correction_sent_again(line)] == []


def is_of_a_correction_sent_again(line: str) -> bool:
    """Whether the browser complains of a correction that another phone's move overtook: the page sends it again."""
    return "/api/correct - " in line and "status of 409" in line


@pytest.fixture
def evening(table: Callable[..., Referee], window: Any, serve: Callable[..., int]) -> Evening:
    """An empty table, opened on a phone by the table's code."""
    referee = table()
    app = create_app(referee, join_code=CODE, operator_pin=PIN, parts=TableParts(opened_empty=referee.latest().header))
    other = app.test_client()
    other.get(f"/?code={CODE}")
    window.open(f"http://127.0.0.1:{serve(app)}/?code={CODE}")
    return Evening(window, referee, other)


def test_an_evening_of_hexapod(evening: Evening) -> None:
    def paint(kind: str, moves: int) -> None:
        evening.tap("#lay-by-hand", f"#brush-{kind}")
        evening.page.run("document.querySelectorAll('.quarter').forEach((cell) => cell.click())")
        evening.see("document.querySelector('.spot-on.allowed.is-chosen')")
        evening.tap("#lay")
        evening.see_moves(moves)

    evening.set_up("hexapod", "Cy", "Dee")
    evening.operate()
    paint("gold", 1)
    paint("moth", 2)
    evening.tap_words("#actions button", "Spend a coin")
    evening.see_moves(3)
    paint("gold", 4)
    evening.open_move(3)
    evening.arrive(cmd="pass", player="Dee")
    evening.tap("#something-else", "#take-out")
    evening.see("!document.getElementById('sheet').open")
    assert evening.said == ["play", "play", "play", "pass"], "the coin is gone, and what arrived meanwhile stands"
    evening.tap_words("#actions button", "Pass")
    evening.play_again()
    assert evening.said == []
    assert evening.referee.latest().header.players == ("Cy", "Dee")

    evening.tap("#another-game")
    evening.set_up("comet", "Cy", "Dee")
    assert evening.referee.latest().header.game == "comet", "another game in the middle of the evening"


def test_an_evening_of_comet(evening: Evening) -> None:
    def deal() -> None:
        evening.tap_words("#actions button", "Deal a round")
        evening.see_phase("lay")

    def turn_up() -> None:
        evening.tap_words("#actions button", "Turn up")
        evening.see_phase("between")

    def lay_set(player: str, pot: str, *numbers: int) -> None:
        evening.see("!document.getElementById('sheet').open")
        evening.tap("#lay-by-hand")
        for words in (player, pot):
            evening.tap_words("#sheet .pick", words)
        evening.tap(*(f"#key-{number}" for number in numbers), "#lay")
        evening.see("!document.getElementById('sheet').open")

    evening.set_up("comet", "Ana", "Bo", "Cy")
    evening.operate()
    deal()
    lay_set("Ana", "Desten", 4, 5, 6, 7, 7, 7)
    lay_set("Bo", "Vain", 14, 14, 14)
    evening.open_move(2)
    evening.arrive(cmd="set", player="Cy", pot="Kinro", cards=[[9, 9, 9]])
    evening.tap_words(".editor .pick", "Kinro")
    evening.tap("#correct")
    evening.see("!document.getElementById('sheet').open")
    pots = [move.command.get("pot") for move in evening.referee.latest().moves]
    assert pots == [None, "Kinro", "Vain", "Kinro"], "another pot, and what was laid meanwhile stands"
    turn_up()
    for _ in range(2):  # each deals once before the game may end
        deal()
        turn_up()
    evening.tap_words("#actions button", "End the game")
    evening.play_again()


def test_an_evening_of_hexel(evening: Evening) -> None:
    def name_amount(amount: int, player: int | None = None) -> None:
        if player is not None:
            evening.tap(f"#who-0-{player}")
        evening.type("#amount-0", str(amount))
        evening.tap("#set-0")

    def lay(cell: str, moves: int) -> None:
        if not evening.page.run("return document.body.classList.contains('is-laying')"):
            evening.tap("#lay-by-hand")
        evening.tap(f'[data-free="{cell}"]', "#lay")
        evening.see_moves(moves)

    def hold(moves: int) -> None:
        evening.tap_words("#actions button", "Pass")
        evening.see_moves(moves)

    evening.set_up("hexel", "Ana", "Bo")
    evening.operate()
    evening.tap("#lay-by-hand", "#lay")
    evening.see_phase("stake")
    name_amount(3)
    evening.see_phase("hedge")
    name_amount(6, player=0)
    evening.see_moves(3)
    name_amount(6)
    evening.see_phase("play")
    lay("0,-1", 5)
    lay("2,-1", 6)
    evening.open_move(5)
    evening.arrive(cmd="pass", player="Ana")
    evening.tap(".edge-0", ".edge-0", "#correct")
    evening.see("!document.getElementById('sheet').open")
    assert evening.referee.latest().moves[4].command["edges"] == ["blue", "void", "void", "void", "blue", "blue"]
    assert evening.said[5:] == ["place", "pass"]
    hold(8)
    hold(9)
    hold(10)
    evening.see_phase("hedge")
    name_amount(0, player=0)
    evening.see_moves(11)
    name_amount(0)
    evening.see_phase("play")
    lay("-1,1", 13)
    evening.tap_words("#actions button", "Pass")
    evening.see("document.querySelector('.finale .winner')?.textContent.includes('Ana')")
    evening.play_again()
    evening.see_phase("line")


def test_a_pin_that_is_being_typed_outlives_what_else_happens(evening: Evening) -> None:
    evening.set_up("hexdragon", "Ana", "Bo", "Cy", radius="1")
    evening.tap("#this-phone-words")
    evening.type("#pin", PIN)
    evening.referee.ask(Begin(Header("comet", ("Dee", "Cy"))))
    evening.see("document.body.dataset.game == 'comet'")
    evening.tap("#operate")
    evening.see("document.getElementById('resign')")


def test_an_evening_of_hexdragon(evening: Evening) -> None:
    def lay(cell: str) -> None:
        if not evening.page.run("return document.body.classList.contains('is-laying')"):
            evening.tap("#lay-by-hand")
        evening.tap(f'[data-free="{cell}"]', "#tile-0", "#lay")
        evening.see(f"document.querySelector('#cloth [data-cell=\"{cell}\"]')")

    evening.set_up("hexdragon", "Ana", "Bo", "Cy", radius="1")
    evening.operate()
    lay("1,0")
    lay("1,-1")
    evening.open_move(1)
    evening.tap("#another-tile")
    first = evening.referee.latest().moves[0].command["tile"]
    body = {"kind": "body", "tails": [], "paths": [[0, 3], [1, 4], [2, 5]]}
    evening.arrive(cmd="place", player="Cy", cell=[0, -1], tile=body)
    evening.tap("#tile-1", "#lay")
    evening.see("!document.getElementById('sheet').open")
    assert evening.referee.latest().moves[0].command["tile"] != first
    assert evening.said == ["place"] * 3
    for cell in ("-1,0", "-1,1", "0,1"):
        lay(cell)
    evening.play_again()
    assert evening.said == []
