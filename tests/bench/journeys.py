"""Counts the files a reader of the code opens on two journeys: those of `companion` in which a function runs.

    python tests/bench/journeys.py [--files]

``read`` is a photograph read by each game's recogniser, three of them, so that the rarer stages run too. ``page`` is a
Hex'el line from the camera's frames to the page's data: watched, read, interpreted, proposed and told as a scoreboard.
``--files`` also prints their names. Ends with status 1 when a journey is longer than `MOST_READ` or `MOST_PAGE`.
"""

import argparse
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import cv2
import numpy as np
from bench_read import DRAWN

import companion
from companion.app.watching import Watching
from companion.devices.camera import Frame
from companion.games import GAMES
from companion.games.hexel.demo.tabletop import HexelThings
from companion.referee.referee import open_table
from companion.rules.engine import Header
from companion.simulator.film import Film, Setting
from companion.views.scoreboard import scoreboard

HOUSE = Path(companion.__file__).parent
SIZE = (1280, 720)
MOST_READ, MOST_PAGE = 14, 36
LINE = {(0, 0): "rrrrrr", (1, 0): "rbbrbb", (2, 0): "rrvrvv"}
SYMBOLS = {"r": "red", "b": "blue", "v": "void"}


class Journey:
    """Collects the files whose functions run while it is entered, in every thread that was started after `hear`."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._is_on = False

    def hear(self) -> None:
        """Hear of calls in this thread and those to come."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def __enter__(self) -> "Journey":
        self._is_on = True
        return self

    def __exit__(self, *_: object) -> None:
        self._is_on = False
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if self._is_on and event == "call" and path.is_relative_to(HOUSE) and frame.f_code.co_name != "<module>":
            self.files.add(str(path.relative_to(HOUSE)))


class Shown:
    """A camera that plays frames one by one, each when the one before has been looked at, and waits at their end."""

    name = "film"

    def __init__(self) -> None:
        self._frames: list[np.ndarray] = []
        self._wanted, self._looked_at = threading.Semaphore(0), threading.Semaphore(0)
        self._count = 0

    def open(self) -> None:
        """Nothing to open."""

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next frame; None once it is closed."""
        if self._count:
            self._looked_at.release()
        self._wanted.acquire()
        if not self._frames:
            return None
        self._count += 1
        return Frame(self._count, self._count / 10, self._frames.pop(0))

    def close(self) -> None:
        """Let the watcher end."""
        self._wanted.release()

    def show(self, frames: list[np.ndarray]) -> None:
        """Show frames and wait until each has been looked at."""
        self._frames += frames
        for _ in range(len(frames)):
            self._wanted.release()
            if not self._looked_at.acquire(timeout=60):
                raise SystemExit("the watcher stopped looking")


def read_journey(game: str) -> set[str]:
    """The files that reading a photograph of a game runs through."""
    recognizer = GAMES[game].recognizer()
    classifier = recognizer.classifier(None, None)
    pictures = [DRAWN[game](np.random.default_rng(seed), SIZE) for seed in range(3)]
    recognizer.read(pictures[0], classifier)  # networks are loaded once, before
    journey = Journey()
    journey.hear()
    with journey:
        for picture in pictures:
            recognizer.read(picture, classifier)
    return journey.files


def page_journey(folder: Path) -> set[str]:
    """The files that three cards run through from the camera's frames to the page's data."""
    cells = tuple((q, r) for q in range(-1, 4) for r in range(-1, 2))
    film = Film(Setting(HexelThings("36", cells), seed=3, size=(960, 540)))
    bare = [film.next().bgr for _ in range(6)]
    film.lay_out({cell: tuple(SYMBOLS[s] for s in face) for cell, face in LINE.items()})
    laid = [film.next().bgr for _ in range(24)]
    header = Header("hexel", ("Ana", "Bo"), "36")
    journey, camera = Journey(), Shown()
    journey.hear()
    referee = open_table(folder, header, header)
    referee.start()
    watching = Watching(camera, referee, "hexel")
    watching.start()
    try:
        camera.show(bare)
        with journey:
            camera.show(laid)
            page = scoreboard(referee.latest())
        if page["proposal"] is None:
            raise SystemExit("the line was not proposed")
    finally:
        watching.stop()
        referee.stop()
    return journey.files


def main() -> int:
    """Print the counts, and 1 when one is too large."""
    parser = argparse.ArgumentParser(description="Count the files that two journeys through the code open.")
    parser.add_argument("--files", action="store_true", help="print their names too")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    journeys: dict[str, Callable[[], set[str]]] = {f"read {game}": partial(read_journey, game) for game in DRAWN}
    with tempfile.TemporaryDirectory() as folder:
        journeys["page"] = lambda: page_journey(Path(folder))
        counts = {}
        for name, journey in journeys.items():
            files = journey()
            counts[name] = len(files)
            print(f"{name}: {len(files)} files")
            if asked.files:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")
    return int(any(count > (MOST_PAGE if name == "page" else MOST_READ) for name, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main())
