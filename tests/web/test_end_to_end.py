"""Whole evenings in real browsers: two phones and the television on one table, from joining to the last chip."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from companion.app.bootstrap import open_table_services
from companion.app.table import Table
from companion.config import GameSettings, PanelSettings, Settings, TableSettings, WebSettings
from companion.referee.messages import Evidence, Propose

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

CODE = "ROSE42"
PIN = "271828"
LETTERS = {"r": "red", "b": "blue", "v": "void"}
LINE = ((-1, 0, "rbbbbb"), (0, 0, "rbbrbb"), (1, 0, "rrbrbb"))
TAP = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
PAINT = """
for (const [n, letters] of Object.entries(arguments[0]))
  for (const [d, symbol] of letters.entries())
    for (let tries = 0; tries < 4; tries += 1) {
      const edge = document.querySelectorAll('#sheet .edges')[n].querySelector(`.edge-${d}`);
      if (edge.getAttribute('aria-label').endsWith(`: ${symbol}`)) break;
      edge.click();
    }
"""


class House:
    """One table on one port, which can be stopped and started again."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._open = ExitStack()
        self.port = 0
        self.table = self._start()
        self.port = urlsplit(self.table.url).port or 0

    def restart(self) -> None:
        """Stop the table with all its threads and start it again from what is on the disk."""
        self._open.close()
        self.table = self._start()

    def close(self) -> None:
        self._open.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _start(self) -> Table:
        settings = Settings(
            game=GameSettings("hexel", ("Ana", "Bo"), "36"),
            web=WebSettings("127.0.0.1", self.port, join_code=CODE, operator_pin=PIN),
            panel=PanelSettings("mock"),
            table=TableSettings(self._data, press_gap_s=0.0),
        )
        return self._open.enter_context(open_table_services(settings, lambda line: None))


class Phone:
    """One browser at the table, and what a person does there."""

    def __init__(self, browser: Any, house: House) -> None:
        self.see = browser.wait_for
        self.run = browser.run
        self.complaints = browser.complaints
        self.open = lambda path: browser.open(f"{house.address}{path}")
        self._browser = browser

    def click(self, *ids: str) -> None:
        for each in ids:
            self.see(f"document.getElementById('{each}')")
            self.run(f"document.getElementById('{each}').click()")

    def press(self, words: str) -> None:
        """Press the button that says so, among one's moves."""
        button = f"[...document.querySelectorAll('#actions button')].find((b) => b.textContent.includes('{words}'))"
        self.see(button)
        self.run(f"{button}.click()")

    def text(self, part: str) -> str:
        return str(self.run(f"return document.getElementById('{part}').textContent"))

    def hear(self, part: str, words: str) -> None:
        self.see(f"document.getElementById('{part}').textContent.includes({words!r})")

    def amount(self, number: int) -> None:
        self.see("document.getElementById('amount-0')")
        self.run(f"document.getElementById('amount-0').value = {number}; document.getElementById('set-0').click()")

    def join(self, code: str) -> None:
        self.see("document.querySelector('#join button').getClientRects().length")
        self.run(
            f"document.getElementById('join-code').value = '{code}'; document.querySelector('#join button').click()"
        )

    def operate(self) -> None:
        self.run(f"document.getElementById('this-phone').open = true; document.getElementById('pin').value = '{PIN}'")
        self.click("operate")
        self.see("document.getElementById('resign')")

    def paint(self, *cards: str) -> None:
        self._browser.run(PAINT, [[LETTERS[letter] for letter in card] for card in cards])

    def lay(self, cell: str, card: str) -> None:
        """Enter a card by hand in a free cell."""
        self.click("lay-by-hand")
        self.tap(f'#cloth [data-free="{cell}"]')
        self.see("document.getElementById('lay')")
        self.paint(card)
        self.click("lay")
        self.see("!document.getElementById('sheet').open || document.getElementById('rematch')")  # the end stays

    def tap(self, selector: str) -> None:
        self.see(f"document.querySelector('{selector}')")
        self.run(f"document.querySelector('{selector}').{TAP}")


@pytest.fixture(scope="module")
def browsers(chromium: Any, chromedriver: Callable[[], Any]) -> tuple[Any, Any, Any]:
    return chromium, chromedriver(), chromedriver()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def people(browsers: tuple[Any, Any, Any], house: House) -> Iterator[tuple[Phone, Phone, Phone]]:
    """Ana's phone, Bo's phone and the television."""
    for browser, size in zip(browsers, ((390, 844), (320, 640), (1920, 1080)), strict=True):
        browser.forget()
        browser.screen(*size)
    ana, bo, television = (Phone(browser, house) for browser in browsers)
    yield ana, bo, television
    for browser in browsers:
        browser.open("about:blank")


def seated(ana: Phone, bo: Phone) -> None:
    """Both phones join by the link and take their seats; Ana's is the operator's too."""
    for phone, seat in ((ana, "sit-0"), (bo, "sit-1")):
        phone.open(f"/?code={CODE}")
        phone.click(seat)
        phone.see("document.body.dataset.seated == 'yes'")
    ana.operate()


def place(player: str, q: int, r: int, letters: str) -> dict[str, Any]:
    return {"cmd": "place", "player": player, "cell": [q, r], "edges": [LETTERS[letter] for letter in letters]}


def chips(house: House) -> dict[str, tuple[int, int, int]]:
    session = house.table.referee.latest()
    players = session.game.view(session.state)["players"]
    return {name: (seat["chips"], seat["hedge"], seat["hand_pot"]) for name, seat in players.items()}


def test_who_joins_with_a_wrong_code_or_takes_a_seat_that_is_taken_is_told_so(
    house: House, people: tuple[Phone, Phone, Phone]
) -> None:
    ana, bo, television = people
    television.open("/board")
    television.hear("game", "Hex")
    assert CODE in television.run("return document.querySelector('.invite').textContent")
    ana.open("/")
    ana.join("WRONG")
    ana.hear("toast", "not this table")
    ana.join(CODE)
    ana.click("sit-0")
    ana.see("document.body.dataset.seated == 'yes'")
    bo.open(f"/?code={CODE}")
    bo.see("document.getElementById('sit-0').disabled")
    steal = "return fetch('/api/{}', {{method: 'POST', body: JSON.stringify({})}}).then((r) => r.json())"
    stolen = bo.run(steal.format("seat", '{"player": "Ana"}'))
    assert stolen["error"]["code"] == "seat-taken"
    played = bo.run(steal.format("commands", '{"cmd": "stake", "player": "Ana", "amount": 3}'))
    assert played["error"]["code"] == "not-your-seat"
    assert house.table.referee.latest().moves == ()


def test_a_whole_game_of_hexel_with_a_wrong_reading_a_restart_and_a_hoxla(
    house: House, people: tuple[Phone, Phone, Phone]
) -> None:
    ana, bo, television = people
    seated(ana, bo)
    television.open("/board")
    ana.click("lay-by-hand")
    ana.see("document.getElementById('lay')")
    ana.paint(*(letters for _, _, letters in LINE))
    ana.click("lay")
    ana.amount(3)
    ana.hear("turn", "Everyone puts chips in the hedge")
    ana.amount(9)
    bo.amount(9)
    ana.lay("1,1", "vvbvvv")
    bo.hear("turn", "Your turn")
    # read by the camera: by hand, a face that lies already is not offered
    house.table.referee.ask(Propose(place("Bo", -1, -1, "vvvvvb"), Evidence(PICTURE, 0.91)))
    television.hear("proposal", "Is this right?")
    bo.click("confirm")
    television.hear("call", "Hexba")

    read = house.table.referee.ask(Propose(place("Ana", -2, -1, "vbbvbb"), Evidence(PICTURE, 0.91)))
    assert read.version
    television.hear("proposal", "Is this right?")
    bo.hear("proposal", "or on Ana")
    ana.click("confirm")
    house.restart()
    for screen in people:
        screen.see("document.body.dataset.link == 'live' && document.querySelectorAll('#cloth .card').length == 6")
    bo.lay("-2,0", "bvbbbb")
    assert chips(house) == {"Ana": (91, 9, 0), "Bo": (91, 9, 0)}

    ana.see(
        f"document.body.dataset.version == {house.table.referee.latest().version}"
    )  # else a correction is sent twice
    ana.tap('#cloth [data-cell="-2,-1"]')
    ana.click("elsewhere")
    ana.tap('#sheet [data-free="0,-1"]')
    ana.paint("bbbvbb")
    ana.click("correct")
    ana.see("!document.getElementById('sheet').open")
    for screen in people:
        screen.hear("call", "Bo pays Ana 3.")
    assert "Ana's card is Hexla, not Hexba." in television.text("call")
    assert "Ana lays" not in television.text("call"), "what stays as it was is not told again"
    bo.hear("history", "Move 7 corrected by Ana")
    assert chips(house) == {"Ana": (91, 9, 3), "Bo": (91, 6, 0)}

    ana.lay("-2,1", "rbbrrr")
    for screen in people:
        screen.hear("call", "Hoxla")
        screen.see("document.body.dataset.phase == 'over'")
    assert television.run("return document.querySelectorAll('.hoxla').length") == 1
    assert chips(house) == {"Ana": (106, 0, 3), "Bo": (91, 0, 0)}
    bo.tap("#why")
    assert [line for phone in people for line in phone.complaints() if "ERR_" not in line] == []


def test_a_turn_each_of_hexdragon_comet_and_hexapod(house: House, people: tuple[Phone, Phone, Phone]) -> None:
    ana, bo, television = people
    seated(ana, bo)
    television.open("/board")

    another(ana, "HexDragon")
    for phone, cell in ((ana, "1,0"), (bo, "1,-1")):
        phone.hear("turn", "Your turn")
        phone.click("lay-by-hand")
        phone.tap(f'#cloth [data-free="{cell}"]')
        phone.click("tile-0", "lay")
        phone.see("!document.getElementById('sheet').open")
    television.see("document.querySelectorAll('#cloth .dragon').length == 3")

    another(ana, "Seven Card Comet")
    ana.press("Deal a round")
    for phone, keys in ((ana, (4, 5, 10, 5, 5, 9)), (bo, (14, 14, 14))):
        phone.click("lay-by-hand", *(f"key-{n}" for n in keys), "lay")
        phone.see("!document.getElementById('sheet').open")
    television.see("document.querySelectorAll('.laid').length == 2")
    bo.press("Turn up the sets")
    television.hear("call", "Bo takes Desten: 50.")

    another(ana, "Hexapod")
    for phone in (ana, bo):
        phone.hear("turn", "Your turn")
        phone.click("lay-by-hand", "brush-gold")
        phone.run("document.querySelectorAll('.quarter').forEach((cell) => cell.click())")
        phone.see("document.querySelector('.spot-on.allowed.is-chosen')")
        phone.click("lay")
        phone.see("!document.getElementById('sheet').open")
    television.hear("call", "Bo lays a card")
    session = house.table.referee.latest()
    assert [move.command["cmd"] for move in session.moves] == ["play", "play"]
    assert [line for phone in people for line in phone.complaints()] == []


def another(operator: Phone, title: str) -> None:
    """Put another game on the table, with the same people."""
    operator.run("document.getElementById('this-phone').open = true")
    operator.click("another-game")
    operator.see("document.getElementById('begin')")
    operator.run(
        f"[...document.querySelectorAll('#sheet .game-pick b')].find((b) => b.textContent == '{title}').click()"
    )
    operator.click("begin")
    operator.hear("game", title)


PICTURE = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")
"""The beginning and the end of a JPEG file."""
