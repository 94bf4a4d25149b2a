"""Draws what Hexapod's insects are learnt from: cases and cards seen from above, of photographs and of close views.

    python -m models.hexapod.insect_classifier.draw --cache DIR [--pictures 400] [--decks 1500]

Photographs have seeds from 2,000,000 up, decks from 3,000,000 up; they lie in DIR afterwards.
"""

import argparse
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import homography, mapped
from models.dataset import Column, cached, chunks
from models.drawing.hexapod.layouts import Scene, any_card, scene, showing_all
from models.drawing.hexapod.photograph import photograph
from models.drawing.hexapod.printings import Printing, invented, reference, varied

CELL_PX = 24
"""How fine a straightened case is kept."""
MARGIN = 1.5
"""How many cells beyond the field it shows."""
KINDS = ("empty", "blue", "green", "gold", "dung", "leaf", "stag", "moth", "spider", "other")
VIEWS = ("case_images", "case_kinds", "case_middles", "card_images", "card_kinds", "card_middles")
PHOTO = (*VIEWS, "case_named", "card_named")
DECK = (*VIEWS, "case_deck", "case_shows_all", "case_named", "card_deck", "card_named")
SIZE = (1280, 720)
OPEN, COVERED = 0.3, 0.5
"""A cell of which more than the first is hidden has no kind to be learnt; one of which the second is, is covered."""
_CHUNK = 200
_VIEWS_OF_A_DECK = 3

Columns = tuple[Column, ...]


def draw_photo(seed: int) -> Columns:
    """The cases and cards of a photograph, straightened, and whether their insects fit the cards' description."""
    rng = np.random.default_rng(seed)
    scale = None if rng.random() < 0.7 else float(np.exp(rng.uniform(np.log(1.1), np.log(5.4))))
    picture = photograph(rng, size=SIZE, printing=_style(seed), px_per_mm=scale, hardness=float(rng.uniform(0.4, 1.3)))
    views = straightened(picture.bgr, picture.truth)
    return *views, *(np.full(len(views[k]), _is_named(seed)) for k in (0, 3))


def draw_deck(seed: int) -> Columns:
    """Close views of one deck of its own: a case that shows every kind, two of any, and loose cards."""
    rng = np.random.default_rng(seed)
    is_named = rng.random() < 0.65
    classify_cells = varied(rng) if is_named else invented(rng)
    shown = [showing_all(rng), *(_any_case(rng) for _ in range(_VIEWS_OF_A_DECK - 1)), _cards_alone(rng)]
    parts: list[Columns] = []
    for k, laid in enumerate(shown):
        scale = float(np.exp(rng.uniform(np.log(0.9), np.log(2.2))))
        side, most = round((205 if laid.cases else 160) * scale), 1.0 if k == 0 else 1.3
        picture = photograph(
            rng,
            size=(side, side),
            printing=classify_cells,
            laid=laid,
            px_per_mm=scale,
            hardness=float(rng.uniform(0.2, most)),
        )
        views = straightened(picture.bgr, picture.truth)
        of_cases = [np.full(len(views[0]), fact) for fact in (seed, k == 0, is_named)]
        parts.append((*views, *of_cases, *(np.full(len(views[3]), fact) for fact in (seed, is_named))))
    return tuple(np.concatenate([part[i] for part in parts]) for i in range(len(DECK)))


def _any_case(rng: np.random.Generator) -> Scene:
    """One case, more often than on a table with cards askew over others."""
    (case,) = scene(rng, 1, (5, 5)).cases
    for _ in range(int(rng.choice(3, p=[0.75, 0.18, 0.07]))):
        case.drop(any_card(rng), float(rng.uniform(0.3, 2.0)), rng)
    return Scene([case], [])


def _cards_alone(rng: np.random.Generator) -> Scene:
    """The loose cards that lie beside a case, without it."""
    found = scene(rng, 1, (5, 5))
    while not found.loose:
        found = scene(rng, 1, (5, 5))
    return Scene([], found.loose)


def straightened(bgr: NDArray[np.uint8], truth: dict[str, Any]) -> Columns:
    """Cases of 5 x 5 and cards seen from above with a margin, their kinds by `KINDS`, -1 where nobody can say, and
    where the middle of what lies in each cell is seen, in cells: what lies on a stack is seen beside its place."""
    cases = [e for e in truth["boards"] if (e["rows"], e["cols"]) == (5, 5) and "cut" not in e]
    cards = [e for e in truth["loose"] if "cut" not in e]
    return *_views(bgr, cases, 5), *_views(bgr, cards, 2)


def _views(bgr: NDArray[np.uint8], entries: list[dict[str, Any]], cells: int) -> Columns:
    side = round((cells + 2 * MARGIN) * CELL_PX)
    images, kinds = np.zeros((len(entries), side, side, 3), np.uint8), np.zeros((len(entries), cells, cells), np.int8)
    middles = np.zeros((len(entries), cells, cells, 2), np.float32)
    for k, entry in enumerate(entries):
        images[k] = view(bgr, np.array(entry["corners"]), cells, cells, CELL_PX, MARGIN)
        kinds[k] = _kinds(entry)
        middles[k] = (mapped(np.linalg.inv(homography(np.array(entry["corners"]))), _centres(entry)) + 1) * cells / 2
    return images, kinds, middles


def _centres(entry: dict[str, Any]) -> NDArray[np.float64]:
    return np.array(entry["centres"], np.float64)


def view(
    bgr: NDArray[np.uint8], corners: NDArray[np.floating], rows: int, cols: int, cell_px: float, margin: float
) -> NDArray[np.uint8]:
    """The rectified crop of a quad of rows x cols cells, with a margin in cells."""
    square = (np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32) + margin) * cell_px - 0.5
    size = (round((cols + 2 * margin) * cell_px), round((rows + 2 * margin) * cell_px))
    across = float(np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[3] - corners[0])) / (rows + cols)
    shrink = cell_px / across
    if shrink < 0.75:  # as from a pyramid: no pixels are skipped
        bgr = np.asarray(cv2.resize(bgr, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        corners = (corners + 0.5) * shrink - 0.5
    m = cv2.getPerspectiveTransform(np.asarray(corners, np.float32), square.astype(np.float32))
    crop = cv2.warpPerspective(bgr, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.uint8)


def _kinds(entry: dict[str, Any]) -> NDArray[np.int8]:
    out = np.zeros((len(entry["cells"]), len(entry["cells"][0])), np.int8)
    for r, line in enumerate(entry["cells"]):
        for c, kind in enumerate(line):
            covered = entry["covered"][r][c]
            is_open = not entry["doubt"][r][c] and covered <= OPEN
            out[r, c] = KINDS.index(kind or "empty") if is_open else KINDS.index("other") if covered > COVERED else -1
    return out


def _style(seed: int) -> Printing:
    draw = np.random.default_rng(seed + 7)
    chosen = float(draw.random())
    return _deck("reference" if chosen < 0.08 else "varied" if _is_named(seed) else "invented", int(draw.integers(600)))


def _is_named(seed: int) -> bool:
    """Whether the photograph's insects fit the cards' description."""
    return float(np.random.default_rng(seed + 7).random()) < 0.72


@lru_cache(maxsize=300)
def _deck(name: str, number: int) -> Printing:
    rng = np.random.default_rng(4_000_000 + number)
    return reference() if name == "reference" else varied(rng) if name == "varied" else invented(rng)


def photos(cache: Path, count: int) -> list[dict[str, Column]]:
    """The photographs, chunk by chunk."""
    seeds = chunks(2_000_000, count, _CHUNK)
    return [cached(cache, "hexapod-photos", PHOTO, draw_photo, some, workers=1) for some in seeds]


def decks(cache: Path, count: int) -> list[dict[str, Column]]:
    """Close views of decks, chunk by chunk."""
    seeds = chunks(3_000_000, count, 100)
    return [cached(cache, "hexapod-decks", DECK, draw_deck, some, workers=1) for some in seeds]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=400)
    ap.add_argument("--decks", type=int, default=1500)
    a = ap.parse_args()
    photos(a.cache, a.pictures)
    decks(a.cache, a.decks)


if __name__ == "__main__":
    main()
