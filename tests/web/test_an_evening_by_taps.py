"""A whole evening by taps alone, from an empty data folder: no address typed, no command line.

A game is set up, a card is painted, an older move is put right while another phone plays on, the end and the rematch;
then the operator puts another game on the table, of which a round is played.
"""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.referee import Referee
from companion.web.app import create_app

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

CODE, PIN = "ROSE42", "471100"


class Finger:
    """What a person does on one phone: taps what is there, once it is there, and types names and a PIN."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def tap(self, *selectors: str) -> None:
        for selector in selectors:
            self.page.wait_for(f"document.querySelector('{selector}')?.getClientRects().length")
            self.page.run(f"document.querySelector('{selector}').click()")

    def tap_words(self, where: str, words: str) -> None:
        button = f"[...document.querySelectorAll('{where}')].find((one) => one.textContent.includes('{words}'))"
        self.page.wait_for(button)
        self.page.run(f"{button}.click()")

    def type(self, selector: str, text: str) -> None:
        self.page.wait_for(f"document.querySelector('{selector}')")
        self.page.run(
            f"const field = document.querySelector('{selector}'); field.value = '{text}';"
            "field.dispatchEvent(new Event('input', { bubbles: true }))"
        )

    def see(self, condition: str) -> None:
        self.page.wait_for(condition)

    def set_up(self, game: str, *names: str) -> None:
        self.tap(f"#game-{game}")
        for n, name in enumerate(names):
            if n >= self.page.run("return document.querySelectorAll('.setup-seats input').length"):
                self.tap("#add-player")
            self.type(f"#player-{n}", name)
        self.tap("#begin")
        self.see("!document.getElementById('sheet').open")

    def paint(self, kind: str, moves: int) -> None:
        self.tap("#lay-by-hand", f"#brush-{kind}")
        self.page.run("document.querySelectorAll('.quarter').forEach((cell) => cell.click())")
        self.see("document.querySelector('.spot-on.allowed.is-chosen')")
        self.tap("#lay")
        self.see(f"!document.getElementById('sheet').open && document.getElementById('open-{moves}')")

    def lay_set(self, player: str, pot: str, *numbers: int) -> None:
        self.see("!document.getElementById('sheet').open")
        self.tap("#lay-by-hand")
        for words in (player, pot):
            self.tap_words("#sheet .pick", words)
        self.tap(*(f"#key-{number}" for number in numbers), "#lay")
        self.see("!document.getElementById('sheet').open")


def test_an_evening_is_played_by_taps_alone(
    table: Callable[..., Referee], window: Any, serve: Callable[..., int]
) -> None:
    referee = table()
    app = create_app(referee, join_code=CODE, operator_pin=PIN, opened_empty=referee.latest().header)
    other = app.test_client()
    other.get(f"/?code={CODE}")
    window.screen(390, 844)
    window.open(f"http://127.0.0.1:{serve(app)}/?code={CODE}")  # as the table's code opens it
    finger = Finger(window)
    finger.set_up("hexapod", "Cy", "Dee")
    finger.tap("#this-phone-words")
    finger.type("#pin", PIN)
    finger.tap("#operate")
    finger.see("document.getElementById('resign')")

    finger.paint("gold", 1)
    finger.paint("moth", 2)
    finger.tap_words("#actions button", "Spend a coin")
    finger.see("document.getElementById('open-3')")
    finger.paint("gold", 4)
    finger.tap("#moves", "#open-3")
    finger.see("document.getElementById('something-else')")
    assert other.post("/api/commands", json={"cmd": "pass", "player": "Dee"}).status_code == 200
    finger.tap("#something-else", "#take-out")
    finger.see("!document.getElementById('sheet').open")
    said = [move.command["cmd"] for move in referee.latest().moves]
    assert said == ["play", "play", "play", "pass"], "the coin is gone, and what arrived meanwhile stands"

    finger.tap_words("#actions button", "Pass")
    finger.tap("#rematch")
    finger.see("!document.getElementById('sheet').open && !document.body.classList.contains('has-finale')")
    assert referee.latest().moves == ()
    assert referee.latest().header.players == ("Cy", "Dee")

    finger.tap("#another-game")
    finger.set_up("comet", "Cy", "Dee")
    finger.tap_words("#actions button", "Deal a round")
    finger.see("document.body.dataset.phase == 'lay'")
    finger.lay_set("Cy", "Desten", 4, 5, 6, 7, 7, 7)
    finger.lay_set("Dee", "Vain", 14, 14, 14)
    finger.tap_words("#actions button", "Turn up")
    finger.see("document.body.dataset.phase == 'between'")
    session = referee.latest()
    assert [move.command["cmd"] for move in session.moves] == ["round", "set", "set", "reveal"]
    assert window.complaints() == []
