"""A table of Hex'el to test on: Ana and Bo, a clock that is wound by hand, a journal in a fresh folder."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def pass_s(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def header() -> Header:
    return HEADER


@pytest.fixture
def clock() -> Clock:
    return Clock()


def no_bug() -> None:
    raise


@pytest.fixture
def open_referee(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Referee]]:
    """Opens the table of this test's folder, started; again after it was stopped. Stops what is left at the end."""
    opened: list[Referee] = []

    def referee_of(asked: Header | None = HEADER, **more: object) -> Referee:
        table = open_table(tmp_path, asked, HEADER, clock=clock, wall=lambda: "2026-11-21T20:15:00+00:00", **more)
        table.start()
        opened.append(table)
        return table

    yield referee_of
    for table in opened:
        table.stop()


@pytest.fixture
def referee(open_referee: Callable[..., Referee]) -> Referee:
    return open_referee()
