"""Watches films of hands laying HexDragon tiles and stars, and compares with the truth: told once, right, how late,
and the processor time of a frame, of an idle one, and of one that tells a piece (medians).

python tests/bench/hexdragon_watch.py [--films 6] [--tiles 9] [--first-seed 600]
"""

import argparse
from time import process_time
from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.games.hexdragon.deck import cell_centre
from companion.games.hexdragon.demo.tabletop import STAR, TILE, HexDragonThings
from companion.rules.hexgrid import rotated
from companion.simulator.film import Film, Setting
from companion.vision.tracking.tracks import SettleTimes
from models.drawing.hexdragon.layouts import Put, laid_table

LYING = 3
"""Pieces that lie there from the beginning."""


def watched(seed: int, tiles: int) -> dict[str, float]:
    """Counts of one film."""
    rng = np.random.default_rng(seed)
    put, laying = laid_table(rng, tiles)
    film = Film(Setting(HexDragonThings(laying.radius), seed=seed))
    film.lay_out({place(piece): face(piece) for piece in put[:LYING]})
    tracker = GAMES["hexdragon"].recognizer().tracker(None, SettleTimes())
    told: list[tuple[int, dict[str, Any]]] = []
    free_at: list[int] = []
    frames, busy_s = 0, 0.0
    idle_ms: list[float] = []
    telling_ms: list[float] = []

    def show(count: int) -> None:
        nonlocal frames, busy_s
        for _ in range(count):
            frame = film.next()
            begun = process_time()
            news = tracker.step(frame.bgr)
            took_s = process_time() - begun
            busy_s += took_s
            if any(one["event"] == "placed" for one in news):
                telling_ms.append(1000 * took_s)
            elif tracker.is_quiet and not news and not frame.truth.has_hand:
                idle_ms.append(1000 * took_s)
            told.extend((frames, one) for one in news if one["event"] != "notice")
            frames += 1

    show(12)
    for number, piece in enumerate(put[LYING:]):
        if rng.random() < 0.25:
            film.hover(cell_centre(*piece.cell), number % 2)
        film.lay(place(piece), face(piece), number % 2)
        while film.is_busy:
            show(1)
        free_at.append(frames)
        show(8)
    show(20)
    placed = [(at, one) for at, one in told if one["event"] == "placed"]
    right = max(
        sum(same(piece, one, turns) for piece, (_, one) in zip(put[LYING:], placed, strict=False)) for turns in range(6)
    )
    late = [at - free for free, (at, _) in zip(free_at, placed, strict=False)]
    return {
        "laid": len(put) - LYING,
        "placed": len(placed),
        "right": right,
        "else": len(told) - len(placed) - sum(one["event"] == "table" for _, one in told),
        "late, frames": float(np.median(late)) if late else float("nan"),
        "ms a frame": round(1000 * busy_s / frames, 1),
        "idle": round(float(np.median(idle_ms)), 2),
        "telling": round(float(np.median(telling_ms)), 1) if telling_ms else float("nan"),
    }


def place(piece: Put) -> tuple[tuple[int, int], str]:
    return piece.cell, STAR if piece.tile is None else TILE


def face(piece: Put) -> tuple[Any, str | None]:
    return STAR if piece.tile is None else piece.tile, piece.owner


def same(piece: Put, told: dict[str, Any], turns: int) -> bool:
    """What was told is the piece, in a naming of directions that is turned; cells are counted from the start tile."""
    if told["owner"] != piece.owner or tuple(told["cell"] or ()) != rotated(piece.cell, turns):
        return False
    if piece.tile is None:
        return bool(told["kind"] == "star")
    tile = piece.tile.turned(turns)
    paths = sorted(sorted(path) for path in told["paths"] or [] if path is not None)
    return told["head"] == tile.head and paths == sorted(sorted(path) for path in tile.paths)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--films", type=int, default=6)
    ap.add_argument("--tiles", type=int, default=9)
    ap.add_argument("--first-seed", type=int, default=600)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    for seed in range(a.first_seed, a.first_seed + a.films):
        print(seed, "  ".join(f"{name} {value}" for name, value in watched(seed, a.tiles).items()), flush=True)


if __name__ == "__main__":
    main()
