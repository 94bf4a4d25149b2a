"""Two cards that come to rest together, on a running table: the page asks which was first, and takes either answer."""

import json
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.app.bootstrap import run_table
from companion.app.table import Table
from companion.config import PanelSettings, Settings, TableSettings, WebSettings
from companion.devices.camera import Frame
from companion.games.hexel.demo.tabletop import HexelThings
from companion.games.hexel.rules import game as hexel
from companion.rules.engine import Header
from companion.simulator.film import Film, Setting
from companion.simulator.things import Face, Place

CODE, PIN = "ROSE42", "471100"
FIRST = hexel.legal(hexel.start(Header("hexel", ("Ana", "Bo"))))[0]
LINE: dict[Place, Face] = {(*card["cell"],): tuple(card["edges"]) for card in FIRST["cards"]}
BLUE = ("blue",) * 6
WEST, SOUTH = (-2, 0), (0, -1)
"""Beside the line's first card and below its second: a blue card may lie on each."""
WITHIN_S = 30.0


class Filming:
    """A camera over a simulated table, ten pictures a second of its own time."""

    name = "film"

    def __init__(self) -> None:
        cells = tuple((q, r) for q in range(-3, 4) for r in range(-2, 3))
        self._film = Film(Setting(HexelThings("36", cells), seed=3, size=(960, 540)))
        self._showing, self._frames = threading.Lock(), 0

    def open(self) -> None: ...

    def close(self) -> None: ...

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        with self._showing:
            self._frames += 1
            return Frame(self._frames, self._frames / 10, self._film.next().bgr)

    def lay_out(self, faces: Mapping[Place, Face]) -> None:
        with self._showing:
            self._film.lay_out(faces)


class Phone:
    """A phone at the table, through HTTP."""

    def __init__(self, table: Table) -> None:
        self._url = table.url

    def ask(self, path: str, value: object = None) -> dict[str, Any]:
        headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN, "Content-Type": "application/json"}
        data = None if value is None else json.dumps(value).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url + path, data, headers), timeout=10) as answer:
            return dict(json.loads(answer.read()))

    def see(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The state of the table once something is so."""
        ends = time.monotonic() + WITHIN_S
        while not is_so(state := self.ask("api/state")):
            assert time.monotonic() < ends, state
            time.sleep(0.02)
        return state

    def see_proposed(self, *, but: object = None, asked: bool = False) -> dict[str, Any]:
        """The state once another command is proposed, with the question which card was first or without."""
        return self.see(
            lambda state: (
                state["proposal"] is not None
                and state["proposal"]["command"] != but
                and ("which-first" in [notice["code"] for notice in state["notices"]]) is asked
            )
        )

    def answer(self, what: str, state: dict[str, Any]) -> None:
        self.ask(f"api/{what}", {"version": state["version"]})


def play(phone: Phone, camera: Filming) -> list[Any]:
    """The commands proposed for two cards laid together: the first is rejected, the others are confirmed."""
    camera.lay_out(LINE)
    phone.answer("confirm", phone.see_proposed())
    for command, player in (("stake", "Ana"), ("hedge", "Ana"), ("hedge", "Bo")):
        phone.ask("api/commands", {"cmd": command, "player": player, "amount": 1})
    camera.lay_out({**LINE, SOUTH: BLUE, WEST: BLUE})
    proposed: list[Any] = []
    for answer in ("reject", "confirm", "confirm"):
        state = phone.see_proposed(but=proposed[-1] if proposed else None, asked=not proposed)
        phone.answer(answer, state)
        proposed.append(state["proposal"]["command"])
    phone.see(lambda state: state["proposal"] is None)
    return proposed


def test_of_two_cards_laid_together_one_is_asked_for_and_follows_the_other_once_rejected(tmp_path: Path) -> None:
    camera, proposed = Filming(), list[Any]()

    def evening(table: Table) -> None:
        try:
            proposed.extend(play(Phone(table), camera))
        finally:
            table.ask_to_stop()

    settings = Settings(
        web=WebSettings("127.0.0.1", 0, join_code=CODE, operator_pin=PIN),
        panel=PanelSettings("none"),
        table=TableSettings(tmp_path, press_gap_s=0.0),
    )
    run_table(
        settings,
        camera=lambda table: camera,
        on_live=lambda table: threading.Thread(target=evening, args=(table,)).start(),
        say=lambda line: None,
    )
    first, second, last = (command["cell"] for command in proposed)
    assert first == last
    assert sorted([first, second]) == sorted([list(SOUTH), list(WEST)])
    assert [command["player"] for command in proposed] == ["Ana", "Ana", "Bo"]
