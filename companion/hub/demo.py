"""The demo of a hall: simulated tables, a broker, a hub and its display, all in one process but the broker.

The referees, journals and publishers are those of real tables; people who play by script stand for camera and phones.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from companion.games import GAMES
from companion.hub.broker import Mosquitto
from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.publisher import Place, Publisher
from companion.hub.running import running_hub
from companion.referee.messages import REFEREE_CALLED, Begin, Confirm, Do, Notice, Propose
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Command
from companion.simulator.script import write_script

_THINK_S = (3.0, 9.0)
_CHECK_S = (0.8, 2.0)
_REST_S = 6.0
_INCIDENTS = {
    2: ("camera-lost", "The camera is lost: no picture for 3 s."),
    5: (REFEREE_CALLED, "Bo: whose card is it?"),
}
"""At which table what comes up, in the middle of its first game."""
_INCIDENT_MOVE, _INCIDENT_S = 4, 20.0


class People:
    """Those who play at one table, from `start` until the stop is set."""

    def __init__(self, referee: Referee, number: int, seed: int, speed: float, stop: threading.Event) -> None:
        self._referee = referee
        self._number = number
        self._speed = speed
        self._stop = stop
        self._seed = 100 * seed + number
        self._chance = Random(self._seed)
        self.camera = "ok"
        self._thread = threading.Thread(target=self._play, name=f"people-{number}", daemon=True)

    def start(self) -> None:
        """Sit down and play one game after another."""
        self._thread.start()

    def join(self) -> None:
        """Wait until they have stood up."""
        self._thread.join()

    def _play(self) -> None:
        game = 0
        while not self._stop.is_set():
            header = self._referee.latest().header
            player = GAMES[header.game].player(self._seed + 1000 * game)
            for n, command in enumerate(write_script(header, player).commands):
                if self._rests(*_THINK_S):
                    return
                if (game, n) == (0, _INCIDENT_MOVE) and self._number in _INCIDENTS:
                    self._incident(*_INCIDENTS[self._number])
                self._move(command)
            if self._rests(_REST_S, _REST_S):
                return
            game += 1
            self._referee.ask(Begin(header))

    def _move(self, command: Command) -> None:
        """Cards come as the camera would propose them, everything else from a phone."""
        if not any(isinstance(value, list | dict) for value in command.values()):
            self._referee.ask(Do(command))
            return
        self._referee.ask(Propose(command))
        if not self._rests(*_CHECK_S):
            self._referee.ask(Confirm(self._referee.latest().version))

    def _incident(self, code: str, text: str) -> None:
        self._referee.ask(Notice(code, text))
        self._rests(_INCIDENT_S, _INCIDENT_S)
        self._referee.ask(Notice(code, None))

    def _rests(self, least_s: float, most_s: float) -> bool:
        """Let time pass; True when it is time to stand up."""
        return self._stop.wait(self._chance.uniform(least_s, most_s) / self._speed)


def run_hall_demo(
    tables: int, seed: int, speed: float, host: str, port: int, data: Path | None, say: Callable[[str], None]
) -> None:
    """Run a hall of simulated tables until it is asked to stop.

    Raises:
        CompanionError: no broker is installed, or the port is taken.
    """
    with TemporaryDirectory(prefix="companion-hall-") as forgotten, ExitStack() as closing:
        folder = data or Path(forgotten)
        folder.mkdir(parents=True, exist_ok=True)
        broker = closing.enter_context(Mosquitto(folder))
        stop = threading.Event()
        url = f"mqtt://127.0.0.1:{broker.port}"
        for number in range(1, tables + 1):
            closing.enter_context(_simulated(number, seed, speed, folder, url, stop))
        closing.callback(stop.set)
        running = closing.enter_context(
            running_hub(broker_at(url, "hub"), f"sqlite:///{folder / 'hub.db'}", host=host, port=port, data=folder)
        )
        say(f"{tables} simulated tables; the hall display is at {running.url}")
        say(f"The referee's desk: {running.url}desk, PIN {running.pin}")
        running.wait()


@contextmanager
def _simulated(number: int, seed: int, speed: float, folder: Path, url: str, stop: threading.Event) -> Iterator[None]:
    name = f"table-{number:02}"
    header = [*GAMES.values()][(number - 1) % len(GAMES)].demo_header()
    referee = open_table(folder / name, header, header, press_gap_s=0.0)
    referee.start()
    people = People(referee, number, seed, speed, stop)
    publisher = Publisher(referee, Place(broker_at(url, name), Address("hall", name), lambda: people.camera))
    publisher.start()
    people.start()
    try:
        yield
    finally:
        stop.set()
        people.join()
        publisher.stop()
        referee.stop()
