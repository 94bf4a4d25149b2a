"""Draws what Hexapod's cases and cards are found by: small photographs, hard ones, with the outlines on them.

    python -m models.hexapod.keypoints.draw --cache DIR [--pictures 3000]

Seeds from 4,200,000 up; the pictures lie in DIR afterwards. `traced_pictures` gives path-traced ones beside them.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.deck import SIDE_MM
from models.dataset import Column, cached, chunks, ragged
from models.drawing.hexapod.layouts import Lying, Scene, any_card, scene, turn
from models.drawing.hexapod.photograph import photograph
from models.drawing.hexapod.printings import Printing, case_style, invented, reference, varied
from models.traced import hexapod
from models.traced.shards import rendered

FIRST = 4_200_000
COLUMNS = ("jpeg", "jpeg_counts", "cases", "case_hidden", "case_counts", "cards", "card_hidden", "card_counts")
COVERED = 0.35
"""A cell of which more than this is covered is hidden."""
_SIZES, _OFTEN = ((480, 304), (640, 400), (960, 608)), (0.4, 0.35, 0.25)
_CHUNK = 500
_DECKS = 300
_DARK = 0.4
"""The share of invented decks whose cards are dark: outlines of such were lost, when it was 0.15."""
_CROWDED = 0.3
"""How often cards lie side by side like a case's, at times without a case."""

Columns = tuple[Column, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Outlined:
    """Outlines of one sort on a picture.

    Attributes:
        corners: (N, 4, 2).
        hidden: (N,) the share of the cells that something covers.
    """

    corners: NDArray[np.float32]
    hidden: NDArray[np.float32]


Drawn = tuple[NDArray[np.uint8], Outlined, Outlined]
"""A picture, its cases and its loose cards."""


def draw(seed: int) -> Columns:
    """A photograph, packed, with its cases and cards."""
    rng = np.random.default_rng(seed)
    size = _SIZES[int(rng.choice(len(_SIZES), p=_OFTEN))]
    classify_cells = replace(_deck(int(rng.integers(_DECKS))), case=case_style(rng))
    laid = crowded(rng) if rng.random() < _CROWDED else scene(rng, grid=_grid(rng))
    picture = photograph(rng, size=size, printing=classify_cells, laid=laid, hardness=float(rng.uniform(0.4, 1.6)))
    packed = cv2.imencode(".jpg", picture.bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].reshape(-1)
    outlines = (_outlined(picture.truth[name]) for name in ("boards", "loose"))
    parts = (part for some in outlines for part in (some.corners, some.hidden, np.array([len(some.hidden)])))
    return packed, np.array([len(packed)]), *parts


def crowded(rng: np.random.Generator) -> Scene:
    """Cards in one or two rows close together, beside a case or with no case at all."""
    rows, cols = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    gap, thick = float(rng.uniform(0.5, 14)), float(rng.uniform(0.3, 2.5))
    places = np.stack(np.meshgrid(np.arange(cols), np.arange(rows)), -1).reshape(-1, 2) * (SIDE_MM + gap)
    cases = scene(rng, 1, _grid(rng)).cases if rng.random() < 0.6 else []
    way = turn(float(rng.uniform(0, 360)))
    box = np.vstack([case.box_mm(14.0) for case in cases]) if cases else np.zeros((1, 2))
    side = np.array([1.0, 0.0]) @ turn(float(rng.uniform(0, 360))).T
    places = (places - places.mean(0)) @ way.T
    off = float((box @ side).max() - (places @ side).min()) + SIDE_MM * 0.8 if cases else 0.0
    at = places + box.mean(0) + side * (off - float(box.mean(0) @ side))
    loose = [
        Lying(any_card(rng), one + rng.normal(0, 1, 2), float(rng.normal(0, 4)) + _degrees(way), 0.0, thick * height)
        for one, height in zip(at, rng.integers(1, 15, len(at)), strict=True)
    ]
    return Scene(cases, loose)


def _degrees(way: NDArray[np.float64]) -> float:
    return float(np.degrees(np.arctan2(way[1, 0], way[0, 0])))


def _grid(rng: np.random.Generator) -> tuple[int, int] | None:
    """Any grid now and then; else what a scene has by itself."""
    return (int(rng.integers(3, 7)), int(rng.integers(4, 7))) if rng.random() < 0.25 else None


def _outlined(entries: list[dict[str, Any]]) -> Outlined:
    corners = np.array([entry["corners"] for entry in entries], np.float32).reshape(-1, 4, 2)
    return Outlined(corners, np.array([float((np.array(e["covered"]) > COVERED).mean()) for e in entries], np.float32))


@lru_cache(maxsize=_DECKS)
def _deck(number: int) -> Printing:
    rng = np.random.default_rng(FIRST - 1 - number)
    chosen = rng.random()
    return reference() if chosen < 0.08 else varied(rng) if chosen < 0.45 else invented(rng, _DARK)


def pictures(cache: Path, count: int) -> Iterator[Drawn]:
    """The photographs with their outlines, drawn where they are not there yet."""
    for seeds in chunks(FIRST, count, _CHUNK):
        part = cached(cache, "hexapod-outlines", COLUMNS, draw, seeds, workers=1)
        images = (cv2.imdecode(one, cv2.IMREAD_COLOR) for one in ragged(part["jpeg"], part["jpeg_counts"]))
        cases, cards = (
            map(Outlined, ragged(part[f"{name}s"], counts), ragged(part[f"{name}_hidden"], counts))
            for name in ("case", "card")
            for counts in [part[f"{name}_counts"]]
        )
        yield from zip((np.asarray(image) for image in images), cases, cards, strict=True)


def traced_pictures(folders: Sequence[Path]) -> Iterator[Drawn]:
    """Path-traced photographs (`models.traced.hexapod`) with their outlines, in the order of their names."""
    for path in sorted(path for folder in folders for path in folder.glob("*.scene.json")):
        one = rendered(path)
        laid = hexapod.truth(one)
        yield one.picture, _outlined(laid["boards"]), _outlined(laid["loose"])


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=3000)
    a = ap.parse_args()
    for _ in pictures(a.cache, a.pictures):
        pass


if __name__ == "__main__":
    main()
