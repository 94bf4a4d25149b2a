"""Simulated tables for the hall's benches: the real publishing code over recorded journals.

    python tests/bench/hall_tables.py --port P --first 1 --tables 50 --seconds 600 --speed 10 --folder DIR --told FILE

One process plays many tables. Each writes its journal line by line, as the referee does but for waiting for the disk,
and tells its feed; a `Publisher` of its own does all the rest. FILE gets, for each change, ``table version moment``.
Ends when its standard input does.
"""

import argparse
import heapq
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from companion.games import GAMES
from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.publisher import Place, Publisher
from companion.referee.feed import Feed
from companion.referee.lines import body, line
from companion.referee.messages import Confirm, Do, FeedEntry, Propose
from companion.referee.referee import open_table
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.simulator.script import write_script

THINK_S = (3.0, 9.0)
LOOK_S = (0.8, 2.0)
"""Pace of people: how long until a card is laid, and from the proposal to the press."""
HALL = "hall"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a recorded table: the session after it, and the journal's line, if it wrote one."""

    session: Session
    line: bytes | None
    wait_s: tuple[float, float]


def recorded(game: str, seed: int) -> list[Step]:
    """One whole game, recorded at a real referee."""
    header = GAMES[game].demo_header()
    with tempfile.TemporaryDirectory() as data:
        referee = open_table(Path(data), None, header, press_gap_s=0.0)
        referee.start()
        steps = [Step(referee.latest(), _last_line(referee.games), THINK_S)]
        for command in write_script(header, GAMES[game].player(seed)).commands:
            if _is_card(command):
                referee.ask(Propose(command))
                steps.append(Step(referee.latest(), None, THINK_S))
                referee.ask(Confirm(referee.latest().version))
                steps.append(Step(referee.latest(), _last_line(referee.games), LOOK_S))
            else:
                referee.ask(Do(command))
                steps.append(Step(referee.latest(), _last_line(referee.games), THINK_S))
        referee.stop()
    return steps


def _is_card(command: Command) -> bool:
    return any(isinstance(value, list | dict) for value in command.values())


def _last_line(games: Path) -> bytes:
    return max(games.glob("*.jsonl")).read_bytes().splitlines(keepends=True)[-1]


class RecordedTable:
    """A table that plays recorded games one after another, each with a beginning of its own."""

    def __init__(self, name: str, folder: Path, recordings: Sequence[list[Step]], seed: int) -> None:
        self.name = name
        self.games = folder / name / "games"
        self.games.mkdir(parents=True)
        self._recordings = recordings
        self._chance = Random(seed)
        self._game, self._at, self._version, self._lines = 0, 0, 0, 0
        self._journal = self.games / "none"
        self._session = recordings[0][0].session
        self.step()
        self.feed = Feed(FeedEntry(self._version, "state", {}, self._session))

    def step(self) -> float:
        """Let the next thing happen; how long until the one after it, at the pace of people."""
        recording = self._recordings[self._game % len(self._recordings)]
        step = recording[self._at]
        self._version += 1
        if self._at == 0:
            self._begin(step)
        elif step.line is not None:
            self._lines += 1
            with self._journal.open("ab") as file:
                file.write(step.line)
        self._session = replace(step.session, version=self._version)
        self._at += 1
        if self._at == len(recording):
            self._game, self._at = self._game + 1, 0
            recording = self._recordings[self._game % len(self._recordings)]
        return self._chance.uniform(*recording[self._at].wait_s)

    def notify(self) -> int:
        """Tell the feed what happened last; its version."""
        self.feed.notify(FeedEntry(self._version, "state", {}, self._session))
        return self._version

    def _begin(self, step: Step) -> None:
        assert step.line is not None
        self._journal = self.games / f"{self._game + 1:04}.jsonl"
        first = {**body(step.line, 1), "when": f"game {self._game + 1} at {self.name}"}
        self._journal.write_bytes(line(first))
        self._lines = 1

    def latest(self) -> Session:
        return self._session

    def health(self) -> dict[str, Any]:
        return {"journal": {"file": str(self._journal), "lines": self._lines}}

    def ask(self, message: object) -> Any:
        raise NotImplementedError(message)

    def evidence(self, number: int) -> bytes | None:
        return None

    def proposal_evidence(self) -> bytes | None:
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, kind in (("port", int), ("first", int), ("tables", int), ("seconds", float), ("speed", float)):
        parser.add_argument(f"--{name}", type=kind, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--told", type=Path, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    given = parser.parse_args()
    recordings = [recorded(game, seed) for seed, game in enumerate(GAMES, 1)]
    tables, publishers = [], []
    for number in range(given.first, given.first + given.tables):
        mine = recordings[number % len(recordings) :] + recordings[: number % len(recordings)]
        table = RecordedTable(f"table-{number:04}", given.folder, mine, number)
        broker = broker_at(f"mqtt://{given.host}:{given.port}", table.name)
        publisher = Publisher(table, Place(broker, Address(HALL, table.name)))
        publisher.start()
        tables.append(table)
        publishers.append(publisher)
        time.sleep(0.01)
    print("ready", flush=True)
    play(tables, given.seconds, given.speed, given.told)
    print("played", flush=True)
    sys.stdin.read()
    for publisher in publishers:
        publisher.stop()
    return 0


def play(tables: Sequence[RecordedTable], seconds: float, speed: float, told: Path) -> None:
    """Let all tables play side by side for so long."""
    chance, begun_s = Random(1), time.monotonic()
    due = [(begun_s + chance.uniform(0, THINK_S[1] / speed), n) for n in range(len(tables))]
    heapq.heapify(due)
    with told.open("w") as file:
        while due and (now_s := time.monotonic()) < begun_s + seconds:
            at_s, n = due[0]
            if at_s > now_s:
                time.sleep(min(at_s - now_s, 0.05))
                continue
            wait_s = tables[n].step() / speed
            moment = time.time()
            file.write(f"{tables[n].name} {tables[n].notify()} {moment:.4f}\n")
            heapq.heapreplace(due, (at_s + wait_s, n))


if __name__ == "__main__":
    sys.exit(main())
