"""Draws what Hexapod's networks learn from: photographs for the finder, and straightened cases and cards for the rest.

    python models/hexapod-insects/draw.py --cache DIR [--pictures 1400] [--decks 500]

Photographs have seeds from 2,000,000 up, decks from 3,000,000 up; they lie in DIR afterwards.
"""

import argparse
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.simulator.hexapod_photograph import photograph
from companion.simulator.hexapod_printings import Printing, invented, reference, varied
from companion.simulator.hexapod_scenes import Scene, scene, showing_all
from companion.vision.hexapod_quads import homography, through
from models.training import drawn

CELL_PX = 24
"""How fine a straightened case is kept."""
MARGIN = 1.5
"""How many cells beyond the field it shows."""
KINDS = ("empty", "blue", "green", "gold", "dung", "leaf", "stag", "moth", "spider", "other")
PHOTO = (
    *("jpeg", "jpeg_counts", "boards", "board_counts", "cards", "card_counts"),
    *("case_images", "case_kinds", "case_middles", "card_images", "card_kinds", "card_middles"),
    *("case_named", "card_named"),
)
DECK = ("case_images", "case_kinds", "case_middles", "case_deck", "case_shows_all", "case_named")
SIZE = (1280, 720)
OPEN, COVERED = 0.3, 0.5
"""A cell of which more than the first is hidden has no kind to be learnt; one of which the second is, is covered."""
_CHUNK = 200
_PHOTOS_OF_A_DECK = 4

Columns = tuple[np.ndarray, ...]


def draw_photo(seed: int) -> Columns:
    """A photograph, packed, with the corners of all cases and cards, and these straightened."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    scale = None if rng.random() < 0.7 else float(np.exp(rng.uniform(np.log(1.1), np.log(5.4))))
    picture = photograph(rng, size=SIZE, printing=_look(seed), px_per_mm=scale, hardness=float(rng.uniform(0.4, 1.3)))
    packed = cv2.imencode(".jpg", picture.bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].reshape(-1)
    boards, cards = ([np.array(e["corners"]) for e in picture.truth[name]] for name in ("boards", "loose"))
    return (
        packed,
        np.array([len(packed)]),
        _quads(boards),
        np.array([len(boards)]),
        _quads(cards),
        np.array([len(cards)]),
        *(views := straightened(picture.bgr, picture.truth)),
        np.full(len(views[0]), _is_named(seed)),
        np.full(len(views[3]), _is_named(seed)),
    )


def draw_deck(seed: int) -> Columns:
    """Close views of one deck: one of a case that shows every kind, the others of any."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    is_named = rng.random() < 0.6
    look = varied(rng) if is_named else invented(rng)
    parts: list[Columns] = []
    for k in range(_PHOTOS_OF_A_DECK):
        laid = showing_all(rng) if k == 0 else Scene(scene(rng, 1, (5, 5)).cases, [])
        scale = float(np.exp(rng.uniform(np.log(0.9), np.log(2.2))))
        side = round(205 * scale)
        picture = photograph(
            rng, size=(side, side), printing=look, laid=laid, px_per_mm=scale, hardness=float(rng.uniform(0.2, 1.0))
        )
        cases, kinds, middles, *_ = straightened(picture.bgr, picture.truth)
        facts = [np.full(len(cases), fact) for fact in (seed, k == 0, is_named)]
        parts.append((cases, kinds, middles, *facts))
    return tuple(np.concatenate([part[i] for part in parts]) for i in range(len(DECK)))


def straightened(bgr: np.ndarray, truth: dict[str, Any]) -> Columns:
    """Cases of 5 x 5 and cards seen from above with a margin, their kinds by `KINDS`, -1 where nobody can say, and
    where the middle of what lies in each cell is seen, in cells: what lies on a stack is seen beside its place."""
    cases = [e for e in truth["boards"] if (e["rows"], e["cols"]) == (5, 5) and "cut" not in e]
    cards = [e for e in truth["loose"] if "cut" not in e]
    return *_views(bgr, cases, 5), *_views(bgr, cards, 2)


def _views(bgr: np.ndarray, entries: list[dict[str, Any]], cells: int) -> Columns:
    side = round((cells + 2 * MARGIN) * CELL_PX)
    images, kinds = np.zeros((len(entries), side, side, 3), np.uint8), np.zeros((len(entries), cells, cells), np.int8)
    middles = np.zeros((len(entries), cells, cells, 2), np.float32)
    for k, entry in enumerate(entries):
        images[k] = view(bgr, np.array(entry["corners"]), cells, cells, CELL_PX, MARGIN)
        kinds[k] = _kinds(entry)
        middles[k] = (through(np.linalg.inv(homography(np.array(entry["corners"]))), _centres(entry)) + 1) * cells / 2
    return images, kinds, middles


def _centres(entry: dict[str, Any]) -> np.ndarray:
    return np.array(entry["centres"], np.float64)


def view(bgr: np.ndarray, corners: np.ndarray, rows: int, cols: int, cell_px: float, margin: float) -> np.ndarray:
    """A quad straightened, that many cells wide and high, with a margin in cells."""
    square = (np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32) + margin) * cell_px - 0.5
    size = (round((cols + 2 * margin) * cell_px), round((rows + 2 * margin) * cell_px))
    across = float(np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[3] - corners[0])) / (rows + cols)
    shrink = cell_px / across
    if shrink < 0.75:  # as from a pyramid: no pixels are skipped
        bgr = cv2.resize(bgr, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        corners = (corners + 0.5) * shrink - 0.5
    m = cv2.getPerspectiveTransform(np.asarray(corners, np.float32), square.astype(np.float32))
    return cv2.warpPerspective(bgr, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _kinds(entry: dict[str, Any]) -> np.ndarray:
    out = np.zeros((len(entry["cells"]), len(entry["cells"][0])), np.int8)
    for r, line in enumerate(entry["cells"]):
        for c, kind in enumerate(line):
            covered = entry["covered"][r][c]
            is_open = not entry["doubt"][r][c] and covered <= OPEN
            out[r, c] = KINDS.index(kind or "empty") if is_open else KINDS.index("other") if covered > COVERED else -1
    return out


def _quads(corners: list[np.ndarray]) -> np.ndarray:
    return np.array(corners, np.float32).reshape(-1, 4, 2)


def _look(seed: int) -> Printing:
    draw = np.random.default_rng(seed + 7)
    chosen = float(draw.random())
    return _deck("reference" if chosen < 0.08 else "varied" if _is_named(seed) else "invented", int(draw.integers(600)))


def _is_named(seed: int) -> bool:
    """Whether the photograph's insects fit the cards' description."""
    return float(np.random.default_rng(seed + 7).random()) < 0.72


@lru_cache(maxsize=300)
def _deck(name: str, number: int) -> Printing:
    rng = np.random.default_rng(4_000_000 + number)
    return {"reference": reference, "varied": lambda: varied(rng), "invented": lambda: invented(rng)}[name]()


def photos(cache: Path, count: int) -> list[dict[str, np.ndarray]]:
    """The photographs, chunk by chunk."""
    firsts = range(2_000_000, 2_000_000 + count, _CHUNK)
    return [drawn(cache, "hexapod-photos", PHOTO, draw_photo, range(a, a + _CHUNK), workers=1) for a in firsts]


def pictures(cache: Path, count: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The photographs unpacked, each with the corners of its cases and of its loose cards."""
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for part in photos(cache, count):
        packed, boards, cards = (
            np.split(part[name], np.cumsum(part[counts])[:-1])
            for name, counts in (("jpeg", "jpeg_counts"), ("boards", "board_counts"), ("cards", "card_counts"))
        )
        images = (cv2.imdecode(one, cv2.IMREAD_COLOR) for one in packed)
        found += [(np.asarray(i), b, c) for i, b, c in zip(images, boards, cards, strict=True)]
    return found


def decks(cache: Path, count: int) -> list[dict[str, np.ndarray]]:
    """Close views of decks, chunk by chunk."""
    firsts = range(3_000_000, 3_000_000 + count, 100)
    return [drawn(cache, "hexapod-decks", DECK, draw_deck, range(a, a + 100), workers=1) for a in firsts]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1400)
    ap.add_argument("--decks", type=int, default=500)
    a = ap.parse_args()
    photos(a.cache, a.pictures)
    decks(a.cache, a.decks)


if __name__ == "__main__":
    main()
