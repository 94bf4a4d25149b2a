"""Evenings at one table through HTTP: four games in turn, phones that come and go, mistakes, faults and kills.

    python tests/soak/evenings.py [--seconds 60] [--phones 20] [--seed 1]

A table runs in a process of its own, with a camera that plays pictures drawn by the simulator, one of them spoilt.
Scripted people play; between their moves somebody takes back, does again, puts right, sends what is wrong, switches the
camera, starts another game, and in the first third of the time the process is killed. After each step: what was
acknowledged is in the journal, the page is what the rules make of the journal's record, all chips are there, no answer
is a 500. At the end the memory after the last games is compared with that ten minutes after the last kill, or after a
third of the time: the median of a third of the games since then, for the networks and pictures of a game, and of a
camera that is switched on or off for many games, come and go.
Exit status 1 at the first thing that is not so.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import cv2

from companion.games import GAMES
from companion.games.hexel.demo.tabletop import HexelThings
from companion.referee.lines import body
from companion.rules.engine import Command
from companion.rules.records import replay
from companion.simulator.film import Film, Setting

CODE, PIN = "ROSE42", "271828"
MOST_GROWTH, SETTLED_S = 0.10, 600.0
LIVE_WITHIN_S = 60.0
_SPOILT: tuple[Any, ...] = ({"cmd": "stake"}, {"cmd": "play", "player": "Ana", "cell": "x"}, [], "pass", {"cmd": 9})


class Wrong(AssertionError):
    """Something that must always be so is not."""


@dataclass
class Table:
    """The table's process, started again after each kill."""

    data: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> float:
        """Start it; how many seconds until the page is live."""
        settings = self.data.parent / "companion.toml"
        settings.write_text(
            f'[web]\nhost = "127.0.0.1"\nport = {self.port}\njoin_code = "{CODE}"\noperator_pin = "{PIN}"\n'
            f'[table]\npress_gap_s = 0.0\n[panel]\npins = "none"\n[camera]\nsource = "{self.data.parent / "film"}"\n'
        )
        command = [sys.executable, "-m", "companion", "run", "--settings", str(settings), "--data", str(self.data)]
        log = (self.data.parent / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
        begun = time.monotonic()
        while time.monotonic() < begun + LIVE_WITHIN_S:
            with contextlib.suppress(OSError):
                if self.get("/api/state"):
                    return time.monotonic() - begun
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise Wrong(f"the table does not start: {(self.data.parent / 'log').read_text()[-2000:]}")

    def stop(self, number: int) -> None:
        """End it by a signal."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait()

    def get(self, path: str) -> Any:
        """An answer's JSON, or its text."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            text = answer.read().decode()
            return json.loads(text) if answer.headers.get_content_type() == "application/json" else text

    def post(self, path: str, value: object, key: str | None = None) -> tuple[int, Any]:
        """An answer's status and JSON."""
        headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN, "Content-Type": "application/json"}
        headers |= {} if key is None else {"Idempotency-Key": key}
        url = f"http://127.0.0.1:{self.port}{path}"
        asked = urllib.request.Request(url, json.dumps(value).encode(), headers)
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            told = json.loads(refused.read())
            if refused.code >= 500 or told["error"]["code"] == "fault":
                raise Wrong(f"{path} {value}: {refused.code} {told}") from None
            return refused.code, told

    def memory_mb(self) -> float:
        """What the process holds."""
        assert self.process is not None
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass
class Phones:
    """Phones that watch, leave and come again, in a thread of their own."""

    port: int
    number: int
    heard: int = 0
    is_over: bool = False

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=lambda: asyncio.run(self._all()), daemon=True)
        thread.start()
        return thread

    async def _all(self) -> None:
        await asyncio.gather(*(self._one(random.Random(number)) for number in range(self.number)))

    async def _one(self, rng: random.Random) -> None:
        while not self.is_over:
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                path = rng.choice((b"/api/events", b"/api/events", b"/", b"/past", b"/healthz"))
                writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: table\r\n\r\n")
                async with asyncio.timeout(rng.uniform(0.1, 5.0)):
                    while line := await reader.readline():
                        self.heard += line.startswith(b"id: ")
                writer.close()
            await asyncio.sleep(rng.uniform(0.0, 1.0))


@dataclass
class People:
    """Those who play, and what they know was acknowledged."""

    table: Table
    rng: random.Random
    did: Counter[str] = field(default_factory=Counter)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    pressed: int = 0

    def begin(self, game: str) -> None:
        """Put a game on the table."""
        status, told = self.table.post("/api/next", {"header": GAMES[game].demo_header().as_json()})
        if status != 200:
            raise Wrong(f"no new game of {game}: {told}")
        self.did["games"] += 1

    def step(self, move: Any) -> bool:
        """One thing happens; False when the game is over."""
        chance = self.rng.random()
        if chance < 0.05:
            self._tell("undo", "/api/undo", {})
        elif chance < 0.08:
            self._tell("redo", "/api/redo", {})
        elif chance < 0.11:
            self._tell(
                "correction", "/api/correct", {"at": self.rng.randint(1, 9), "replaced": 1, "commands": [], "cut": True}
            )
        elif chance < 0.15:
            self._tell("nonsense", "/api/commands", self.rng.choice(_SPOILT))
        elif chance < 0.16:
            self._tell("camera", "/api/camera", {"on": self.rng.random() < 0.5})
        elif chance < 0.20:
            self._tell("proposal", f"/api/{self.rng.choice(('confirm', 'reject'))}", {})
        else:
            return self._play(move)
        return True

    def _tell(self, what: str, path: str, value: object) -> None:
        status, _ = self.table.post(path, value)
        self.did[what if status == 200 else f"{what} refused"] += 1

    def _play(self, move: Any) -> bool:
        command: Command | None = move(self.standing().state)
        if command is None:
            return False
        self.pressed += 1
        key = f"press {self.pressed}"
        for _ in range(1 + (self.rng.random() < 0.1)):  # some presses come twice
            status, told = self.table.post("/api/commands", dict(command), key)
            if status != 200 and told["error"]["code"] not in ("stale",):
                raise Wrong(f"{command} was refused: {told}")
        self.acknowledged.append((key, json.dumps(command, sort_keys=True)))
        self.did["moves"] += 1
        return True

    def standing(self) -> Any:
        """The newest game's record, replayed."""
        record = self.table.get(f"/past/{self.newest()}/record.jsonl")
        return replay(record.encode().split(b"\n"))

    def newest(self) -> int:
        return max(int(path.stem) for path in (self.table.data / "games").glob("*.jsonl"))

    def check(self) -> None:
        """The page is what the rules make of the record; no chip is lost."""
        shown, told = self.table.get("/api/state"), self.standing().as_json()
        for name in ("game", "phase", "turn", "players", "table", "result"):
            if json.loads(json.dumps(told[name])) != shown[name]:
                raise Wrong(f"the page says {name} {shown[name]}, the record {told[name]}")
        if told["game"] == "hexel":
            seats = told["players"].values()
            chips = sum(seat["chips"] + seat["hedge"] + seat["hand_pot"] for seat in seats)
            if chips % len(told["players"]) or chips <= 0:
                raise Wrong(f"{chips} chips for {len(told['players'])} players")
        self.did["checks"] += 1

    def check_journals(self) -> None:
        """Whatever was acknowledged is in a journal."""
        written: dict[str, str] = {}
        for path in (self.table.data / "games").glob("*.jsonl"):
            for number, text in enumerate(path.read_bytes().splitlines(keepends=True), 1):
                with contextlib.suppress(ValueError):
                    told = body(text, number)
                    if told.get("did") == "move" and told["key"]:
                        written[told["key"].partition(" ")[2]] = json.dumps(told["command"], sort_keys=True)
        lost = [key for key, command in self.acknowledged if written.get(key) != command]
        if lost:
            raise Wrong(f"acknowledged and not in a journal: {lost[:5]} of {len(lost)}")


def film(folder: Path) -> None:
    """Pictures for the camera, one of them none."""
    folder.mkdir()
    cells = tuple((q, r) for q in range(-1, 4) for r in range(-1, 2))
    shown = Film(Setting(HexelThings("36", cells), seed=3, size=(960, 540)))
    for number in range(300):
        cv2.imwrite(str(folder / f"{number:04}.jpg"), shown.next().bgr)
    (folder / "0013.jpg").write_bytes(b"no picture")


def evening(people: People, ends: float, kills_until: float) -> tuple[float, list[tuple[float, float]]]:
    """Play until the time is up; the longest start after a kill, and the memory after each game since then."""
    slowest, memory = 0.0, list[tuple[float, float]]()
    while time.monotonic() < ends:
        for game in GAMES:
            people.begin(game)
            move, steps = GAMES[game].player(people.rng.randint(0, 10**6)), 0
            while people.step(move) and steps < 60 and time.monotonic() < ends:
                steps += 1
                people.check()
                if time.monotonic() < kills_until and people.rng.random() < 0.01:
                    people.table.stop(signal.SIGKILL)
                    slowest = max(slowest, people.table.start())
                    people.did["kills"] += 1
                    people.check_journals()
            people.check_journals()
            if time.monotonic() > kills_until:
                memory.append((time.monotonic() - kills_until, people.table.memory_mb()))
    return slowest, memory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--phones", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
        free.close()
        film(Path(folder) / "film")
        table = Table(Path(folder) / "data", port)
        people, phones = People(table, random.Random(given.seed)), Phones(port, given.phones)
        table.start()
        phones.start()
        begun = time.monotonic()
        try:
            slowest_s, memory = evening(people, begun + given.seconds, begun + given.seconds / 3)
        except (Wrong, OSError) as wrong:
            ended = table.process and table.process.poll()
            print(
                f"wrong: {wrong!r}, the process {ended}\n{(Path(folder) / 'log').read_text()[-2000:]}", file=sys.stderr
            )
            return 1
        finally:
            phones.is_over = True
            if table.process is not None and table.process.poll() is None:
                table.stop(signal.SIGTERM)
        told = (Path(folder) / "log").read_text()
    print(f"{given.seconds:.0f} s: " + ", ".join(f"{number} {what}" for what, number in sorted(people.did.items())))
    print(f"{phones.heard} events heard by {given.phones} phones; live again {slowest_s:.1f} s after a kill at most")
    settled_s = min(SETTLED_S, given.seconds / 3)
    settled = [held for at_s, held in memory if at_s >= settled_s]
    games = max(1, len(settled) // 3)
    early, late = (median(some) if some else 0.0 for some in (settled[:games], settled[-games:]))
    growth = (late - early) / early if early else 0.0
    print(
        f"memory {early:.0f} MB in the median of {games} games from {settled_s:.0f} s after the kills on, of the last "
        f"{games} {late:.0f} MB, {100 * growth:+.1f} %"
    )
    print(f"after each game: {', '.join(f'{held:.0f}' for _, held in memory)} MB")
    print(f"{told.count('Traceback')} tracebacks in the log")
    return 1 if growth > MOST_GROWTH or "Traceback" in told else 0


if __name__ == "__main__":
    sys.exit(main())
