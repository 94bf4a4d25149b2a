"""What following a table costs in processor time: an idle frame, a hand, the read of a new card; and memory.

    python tests/bench/bench_watch.py

A film of 12 cards, 1280x720; medians in milliseconds.
"""

import resource
from time import process_time

import cv2
import numpy as np

from companion.games import GAMES
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.demo.tabletop import HexelThings
from companion.simulator.film import Film, Setting
from companion.vision.tracking.events import SettleTimes
from models.drawing.hexel.layouts import grown_tableau


def main() -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(7)
    faces = grown_tableau(20, SYMBOLS["36"], rng)
    cells = list(faces)
    film = Film(Setting(HexelThings("36", tuple(cells)), seed=7))
    film.lay_out({c: faces[c] for c in cells[:16]})
    settler = GAMES["hexel"].recognizer().tracker(None, SettleTimes())
    idle, hand, told = [], [], []

    def show() -> None:
        frame = film.next()
        begun = process_time()
        news = settler.step(frame.bgr)
        ms = (process_time() - begun) * 1000
        if any(n["event"] == "placed" for n in news):
            told.append(ms)
        elif frame.truth.hand:
            hand.append(ms)
        elif settler.is_quiet and not news:
            idle.append(ms)

    for _ in range(60):
        show()
    for i, cell in enumerate(cells[16:]):
        film.lay(cell, faces[cell], i % 2)
        while film.is_busy:
            show()
        for _ in range(15):
            show()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, values in (("idle frame", idle), ("frame with a hand", hand), ("frame that tells a card", told)):
        print(f"{name:24} {np.median(values):7.2f} ms, {len(values)} frames")
    print(f"peak memory of this process, the film included: {peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
