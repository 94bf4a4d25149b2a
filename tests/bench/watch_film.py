"""Watches films of hands laying cards on a simulated table and compares with the truth: told once, right, how late.

python tests/bench/watch_film.py [--films 6] [--cards 12] [--first-seed 500]
"""

import argparse
from time import perf_counter
from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.games.hexel.demo.things import HexelThings
from companion.simulator.film import Film, Setting
from companion.vision.tracking.events import SettleTimes
from companion.vision.tracking.registration import register
from models.drawing.hexel.layouts import grown_tableau

EDITIONS = {"36": ("red", "blue", "void"), "46": ("red", "blue", "yellow")}


def watched(seed: int, count: int) -> dict[str, int | float]:
    rng = np.random.default_rng(seed)
    edition = ("36", "46")[seed % 2]
    faces = grown_tableau(count, EDITIONS[edition], rng)
    cells = list(faces)
    film = Film(Setting(HexelThings(edition, tuple(cells)), seed=seed))
    film.lay_out({c: faces[c] for c in cells[:3]})
    settler = GAMES["hexel"].recognizer().tracker(None, SettleTimes())
    told: list[dict[str, Any]] = []
    frame_number, busy_s, frames = 0, 0.0, 0
    free_at: dict[tuple[int, int], int] = {}
    told_at: list[int] = []

    def show(frames_most: int) -> None:
        nonlocal frame_number, busy_s, frames
        for _ in range(frames_most):
            frame = film.next()
            if frame.truth.moving is None and not frame.truth.hand:
                for cell in frame.truth.cards:
                    free_at.setdefault(cell, frame_number)
            begun = perf_counter()
            news = settler.step(frame.bgr)
            busy_s += perf_counter() - begun
            frames += 1
            for one in news:
                told.append(one)
                told_at.append(frame_number)
            frame_number += 1

    show(10)
    for i, cell in enumerate(cells[3:]):
        if rng.random() < 0.25:
            film.hover(cell, i % 2)
        film.lay(cell, faces[cell], i % 2)
        while film.is_busy:
            show(1)
        show(8)
    show(20)
    tables = [t for t in told if t["event"] == "table"]
    placed = [(t, n) for t, n in zip(told, told_at, strict=True) if t["event"] == "placed"]
    seen = {c.cell: c.edges for c in settler.cards or () if c.cell is not None}
    match = register(faces, seen)
    named = {match.cell(c): match.edges(e) for c, e in seen.items()} if match else {}
    late = [
        n - free_at[match.cell(tuple(t["cell"]))]
        for t, n in placed
        if match and t["cell"] and match.cell(tuple(t["cell"])) in free_at
    ]
    return {
        "cards": count,
        "tables": len(tables),
        "placed": len(placed),
        "wanted": count - 3,
        "right": sum(named.get(c) == f for c, f in faces.items()),
        "other": len([t for t in told if t["event"] in ("removed", "moved", "covered")]),
        "notices": len([t for t in told if t["event"] == "notice"]),
        "late_median": float(np.median(late)) if late else -1.0,
        "late_worst": max(late, default=-1),
        "fps": round(frames / busy_s, 1),
    }


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--films", type=int, default=6)
    ap.add_argument("--cards", type=int, default=12)
    ap.add_argument("--first-seed", type=int, default=500)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    for seed in range(a.first_seed, a.first_seed + a.films):
        print(seed, watched(seed, a.cards), flush=True)


if __name__ == "__main__":
    main()
