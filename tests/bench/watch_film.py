"""Watches films of people playing on the simulated tables of all games: told once, when at rest, how late.

    python tests/bench/watch_film.py [--game comet] [--fps 10 15 30] [--seeds 1] [--plays 5] [--person fan]

Hands lay, push straight, take back and hover; with ``--person`` somebody else is about too. Prints what
`watch_takes` prints; delays count from the frame in which the hand has gone.
"""

import argparse
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from watch_takes import Event, Take, line_of, watch

from companion.games import GAMES
from companion.simulator.script import write_script
from models.drawing.people import PEOPLE, visitor

HOLD_S = 0.4
"""A hand holds a thing so long at most once it lies still."""
FIELD = 1.4
"""A field of the HexDragon board is so many times as wide as a marker."""
CARDS_A_SET = 3
"""A Comet set is one thing to the simulator and so many cards to the camera."""


class Recorder:
    """Films a simulated table, and writes down what happens on it."""

    def __init__(self, game: str, seed: int, fps: float) -> None:
        demo = GAMES[game].demo()
        self.script = write_script(demo.header, demo.player(demo.header, seed))
        self.tabletop = demo.tabletop(self.script, seed)
        self._game, self._step_s = game, 1 / fps
        self.frames: list[np.ndarray] = []
        self.events: list[Event] = []
        self._came: dict[str, Any] = {}
        self._pending: list[tuple[str, Any, np.ndarray, float]] = []
        self._hand_in_s = 0.0

    def lay_out(self, done: int) -> None:
        """Let the table lie, and show it for a second."""
        self.tabletop.lay_out(done)
        self._came = self._lying(self.tabletop.next(self._step_s))
        self.show(1.0)

    def play(self) -> None:
        """Let the hands do what was asked for, and rest a moment."""
        while self.tabletop.is_busy:
            self.show(self._step_s)
        self.show(0.7)

    def show(self, seconds: float) -> None:
        """Go on filming."""
        for _ in range(max(1, round(seconds / self._step_s))):
            shot: Any = self.tabletop.next(self._step_s)
            now_s = len(self.frames) * self._step_s
            if not shot.truth.has_hand:
                self._end_visit(now_s)
            elif not self._hand_in_s:
                self._hand_in_s = now_s
            self._compare(self._lying(shot), now_s)
            self.frames.append(cv2.imencode(".jpg", shot.bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])

    def _lying(self, shot: Any) -> dict[Any, Any]:
        return {place: (face, shot.truth.corners[place]) for place, face in shot.truth.cards.items()}

    def _compare(self, lying: dict[Any, Any], now_s: float) -> None:
        for place, (face, corners) in self._came.items():
            if place not in lying or lying[place][0] != face:
                self._pending.append(("removed", (place, face), corners, now_s))
        for place, (face, corners) in lying.items():
            if place not in self._came or self._came[place][0] != face:
                self._pending.append(("placed", (place, face), corners, now_s))
        self._came = lying

    def _outlines(self, corners: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        outline = np.asarray(corners, np.float32)
        if self._game == "hexdragon":  # a marker may be reported with the field it lies on
            return [(outline, outline.mean(0) + FIELD * (outline - outline.mean(0)))]
        if self._game != "comet":
            return [(outline,)]
        a, b, c, d = outline
        parts = np.linspace(0, 1, CARDS_A_SET + 1)
        return [
            (np.array([a + (b - a) * s, a + (b - a) * e, d + (c - d) * e, d + (c - d) * s], np.float32),)
            for s, e in pairwise(parts)
        ]

    def _end_visit(self, now_s: float) -> None:
        """Write down what the hand did; a thing that it only pushed is where it was."""
        kinds = {(kind, thing) for kind, thing, _, _ in self._pending}
        for kind, thing, corners, at_s in self._pending:
            if ({"placed": "removed", "removed": "placed"}[kind], thing) not in kinds:
                told = "placed" if self._game == "hexapod" else kind  # a stack then shows its next card
                for outlines in self._outlines(corners):
                    self.events.append(Event(told, outlines, self._hand_in_s, at_s - HOLD_S, now_s, now_s))
        self._pending, self._hand_in_s = [], 0.0


def film(game: str, seed: int, fps: float, plays: int, person: str | None) -> Take:
    """Some plays of one game."""
    rng = np.random.default_rng(seed)
    recorder = Recorder(game, seed, fps)
    commands = recorder.script.commands
    first = round(len(commands) * rng.uniform(0.2, 0.5))
    recorder.lay_out(first)
    laid = [index for index in range(first, len(commands)) if recorder.tabletop.is_laid(index)][:plays]
    for index in laid:
        recorder.tabletop.perform(index)
        recorder.play()
        if rng.random() < 0.3:
            recorder.tabletop.fidget()
            recorder.play()
        if rng.random() < 0.3:
            recorder.tabletop.nudge(index)
            recorder.play()
    recorder.show(1.5)
    last = np.asarray(cv2.imdecode(recorder.frames[-1], cv2.IMREAD_COLOR), np.uint8)
    who = visitor(last, [event.outlines[0] for event in recorder.events], seed)

    def shown(k: int) -> Callable[[], np.ndarray]:
        def decoded() -> np.ndarray:
            bgr = np.asarray(cv2.imdecode(recorder.frames[k], cv2.IMREAD_COLOR), np.uint8)
            return bgr if person is None else PEOPLE[person](bgr, who, k / fps)

        return decoded

    return Take([(k / fps, shown(k)) for k in range(len(recorder.frames))], recorder.events)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--game", nargs="*", default=list(GAMES))
    ap.add_argument("--fps", nargs="*", type=float, default=[10.0, 15.0, 30.0])
    ap.add_argument("--seeds", type=int, default=1)
    ap.add_argument("--plays", type=int, default=5)
    ap.add_argument("--person", choices=list(PEOPLE))
    a = ap.parse_args()
    cv2.setNumThreads(1)
    print("game      take           placed rem false early rep  delay s median, worst  ms a frame", flush=True)
    for game in a.game:
        for fps in a.fps:
            for seed in range(1, a.seeds + 1):
                take = film(game, seed, fps, a.plays, a.person)
                print(line_of(game, f"{fps:.0f} fps, {seed}", watch(take, game)), flush=True)


if __name__ == "__main__":
    main()
