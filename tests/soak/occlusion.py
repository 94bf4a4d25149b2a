"""Things over a table that nobody plays on: hands and sleeves, cups, shadows, light switched. Nothing may be placed.

    python tests/soak/occlusion.py [--frames 200] [--seed 1] [--games hexel,hexdragon,comet,hexapod]

Each game's table is laid out by its simulator as it lies in the middle of a game and filmed; over the pictures go
things that the table's own hands do not bring. For each game the cards that were known before, the frames and what was
told are counted; exit status 1 when anything but notices was told.
"""

import argparse
import sys
from collections import Counter
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import GAMES
from companion.simulator.script import write_script
from companion.vision.tracking.tracks import SettleTimes

STEP_S = 0.1
PICTURES = 10
"""So many pictures of a table are drawn and shown again and again: they differ by the camera's noise alone."""
Picture = NDArray[np.uint8]


class Nuisance:
    """Something over the table for a while: it comes in, rests, and goes."""

    def __init__(self, rng: np.random.Generator, size: tuple[int, int]) -> None:
        self._kind = rng.choice(("sleeve", "cup", "shadow", "light"))
        self._lasts, self._age = int(rng.integers(4, 25)), 0
        width, height = size
        self._from = np.array([rng.uniform(0, width), height * rng.choice((-0.2, 1.2))])
        self._to = np.array([rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height])
        self._width = rng.uniform(0.05, 0.2) * width
        self._colour = rng.integers(0, 255, 3).tolist()
        self._gain = float(rng.choice((0.55, 0.7, 1.25, 1.4)))

    @property
    def is_over(self) -> bool:
        """Whether it has gone."""
        return self._age > self._lasts

    def over(self, bgr: Picture) -> Picture:
        """The picture with it, one frame on."""
        self._age += 1
        near = min(1.0, 4 * self._age / self._lasts, 4 * (self._lasts - self._age + 1) / self._lasts)
        at = self._from + near * (self._to - self._from)
        if self._kind == "light":
            return np.asarray(np.clip(bgr * self._gain, 0, 255), np.uint8)
        mask = np.zeros(bgr.shape[:2], np.uint8)
        if self._kind == "cup":
            cv2.circle(mask, (int(at[0]), int(at[1])), int(self._width / 2), 255, -1, cv2.LINE_AA)
        else:
            ends = np.round([self._from, at]).astype(int).tolist()
            cv2.line(mask, ends[0], ends[1], 255, int(self._width), cv2.LINE_AA)
        if self._kind == "shadow":
            shade = 1 - 0.5 * cv2.GaussianBlur(mask, (0, 0), 15)[..., None] / 255.0
            return np.asarray(bgr * shade, np.uint8)
        share = mask[..., None] / 255.0
        return np.asarray(bgr * (1 - share) + share * self._colour, np.uint8)


def watched(game: str, frames: int, seed: int) -> tuple[Counter[str], float]:
    """What is told of so many frames, by its event, and the frames a second."""
    rng = np.random.default_rng(seed)
    told: Counter[str] = Counter()
    busy_s, seen = 0.0, 0
    while seen < frames:
        demo = GAMES[game].demo()
        script = write_script(demo.header, demo.player(demo.header, int(rng.integers(0, 1000))))
        tabletop = demo.tabletop(script, int(rng.integers(0, 10**6)))
        tabletop.lay_out(int(len(script.commands) * rng.uniform(0.3, 0.8)))
        tracker = GAMES[game].recognizer().tracker(None, SettleTimes())
        film = [tabletop.next(STEP_S).bgr for _ in range(PICTURES)]
        for bgr in film:
            tracker.step(bgr)
        told["known"] += len(tracker.cards or ())
        over: list[Nuisance] = []
        for number in range(min(200, frames - seen)):
            bgr = film[number % PICTURES]
            if rng.random() < 0.12 and len(over) < 2 and number < 180:
                over.append(Nuisance(rng, (bgr.shape[1], bgr.shape[0])))
            for each in over:
                bgr = each.over(bgr)
            over = [each for each in over if not each.is_over]
            begun = perf_counter()
            told.update(one["event"] for one in tracker.step(bgr))
            busy_s += perf_counter() - begun
            seen += 1
    return told, seen / busy_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=200, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", default=",".join(GAMES))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    false = 0
    for game in given.games.split(","):
        told, rate = watched(game, given.frames, given.seed)
        known = told.pop("known")
        events = sum(told[event] for event in ("placed", "removed", "moved"))
        false += events
        others = ", ".join(f"{number} {event}" for event, number in sorted(told.items())) or "nothing told"
        print(f"{game:10} {given.frames} frames over {known} cards: {events} false events; {others}", flush=True)
        print(f"{'':10} {rate:.0f} frames a second", flush=True)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
