"""Outlines of cards and tiles on a picture, whatever is printed on them: found at several sizes, refined, judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.boards import find_board
from companion.vision.detection.contours import propose
from companion.vision.detection.heatmaps import NETWORK as DETECTOR
from companion.vision.detection.heatmaps import Candidate, ScaleAnswer, answer_at
from companion.vision.detection.judgement import PlacedCandidate, PlacedCandidates, features, judge
from companion.vision.detection.sizes import SizeMm, has_size
from companion.vision.edge_refinement import refine
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """What finding outlines goes by.

    Attributes:
        looks_px: the longer sides of the pictures that are looked at, coarse to fine.
        fine_look_px: the cards' size, as a look's network sees it, below which the next finer look is worth its time.
        best_px: sizes at which the network places cards best.
        least_seed: candidates less likely than this are not refined.
        least: outlines less sure than this are not told.
        areas_px: the longer side of the picture in which areas that edges bound are looked for.
        least_area: such areas less likely than this, by the network, are left out.
        same: candidates of one size, by `same_size`, that share more of the smaller one are one.
        same_size: the ratio of two areas that count as one size.
        overlap: share of the smaller outline that two cards may have in common.
        most_seeds: candidates that are refined, the best ones.
        least_px: the shorter side of the smallest card.
    """

    looks_px: tuple[int, ...] = (112, 224, 512, 1152, 2592)
    fine_look_px: float = 34.0
    best_px: tuple[float, float] = (26.0, 110.0)
    least_seed: float = 0.2
    least: float = 0.5
    areas_px: int = 800
    least_area: float = 0.2
    same: float = 0.6
    same_size: float = 1.6
    overlap: float = 0.35
    least_px: float = 14.0
    most_seeds: int = 160


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A card's outline.

    Attributes:
        corners: (4 or 6, 2) float64 pixels, clockwise as seen, sharp.
        confidence: 0..1 that a card lies there.
    """

    corners: Floats
    confidence: float


BOARD_LEAST = 0.05
"""Tiles less sure than that do not say where their board lies."""
GAP_NEIGHBOURS, GAP_CONFIDENCE = 4, 0.6
"""A board's cell with so many tiles around it holds one too, about as surely."""
SETTINGS = Settings()
T = TypeVar("T", Candidate, Outline)


def detect_outlines(
    picture: NDArray[np.uint8], sides: int, size_mm: SizeMm | None = None, settings: Settings = SETTINGS
) -> tuple[Outline, ...]:
    """The outlines of all cards of a shape on a picture, surest first.

    Args:
        picture: (H, W, 3) BGR.
        sides: 4 for rectangles, 6 for hexagons.
        size_mm: the cards' width and height where they are known: rectangles of other proportions are left out.
        settings: see `Settings`.
    """
    placed = place(picture, sides, settings)
    placed = replace(
        placed, candidates=[c for c in placed.candidates if has_size(c.refined.corners, size_mm, placed.pyramid.size)]
    )
    judged = [
        Outline(card.refined.corners, float(confidence))
        for card, confidence in zip(placed.candidates, judge(features(placed)), strict=True)
    ]
    kept = suppress(sorted(judged, key=lambda o: -o.confidence), settings.overlap)
    if sides == 6:
        kept = on_board(placed.pyramid, kept)
    return tuple(sorted((o for o in kept if o.confidence >= settings.least), key=lambda o: -o.confidence))


def place(
    picture: NDArray[np.uint8], sides: int, settings: Settings = SETTINGS, network: str = DETECTOR
) -> PlacedCandidates:
    """All places on a picture where a card of a shape may lie, with their edges, for the judge.

    Args:
        picture: (H, W, 3) BGR.
        sides: 4 for rectangles, 6 for hexagons.
        settings: see `Settings`.
        network: the detector's file.
    """
    pyramid = Pyramid.of(picture, 6)
    found, scales = _candidates(pyramid, sides, settings, network)
    seeds = suppress(found, settings.same, most_ratio=settings.same_size)[: settings.most_seeds]
    refined = refine(pyramid, [seed.corners for seed in seeds])
    again = [i for i, r in enumerate(refined) if r.moved > 0.03]
    for i, better in zip(again, refine(pyramid, [refined[i].corners for i in again]), strict=True):
        refined[i] = better
    cards = [
        PlacedCandidate(s, r) for s, r in zip(seeds, refined, strict=True) if is_plausible(r.corners, settings.least_px)
    ]
    return PlacedCandidates(pyramid, scales, cards)


def on_board(pyramid: Pyramid, tiles: list[Outline]) -> list[Outline]:
    """Hexagons as the lattice of their board has them, with those that were missed; unchanged where there is none."""
    likely = [t for t in tiles if t.confidence > BOARD_LEAST]
    board = find_board([t.corners for t in likely], [t.confidence for t in likely])
    if board is None:
        return tiles
    cells = list(board.cells)
    sure = [likely[board.cells[cell]].confidence for cell in cells]
    closer = refine(pyramid, [board.corners(cell) for cell in cells])
    again = find_board(
        [r.corners for r in closer], [c * float(r.support.mean()) for c, r in zip(sure, closer, strict=True)]
    )
    if again is not None:
        board, sure = again, [sure[i] for i in again.cells.values()]
    on_lattice = [
        Outline(board.corners(c), 1 - 0.5 * (1 - told) if board.neighbours(c) > 2 else told)
        for c, told in zip(board.cells, sure, strict=True)
    ]
    gaps = [board.corners(cell) for cell in board.gaps(GAP_NEIGHBOURS)]
    filled = [Outline(corners, GAP_CONFIDENCE) for corners in gaps]
    lone = [replace(t, confidence=t.confidence * 0.5) for t in tiles]
    return suppress([*on_lattice, *filled, *lone], 0.35)


def is_plausible(corners: Floats, least_px: float) -> bool:
    """A convex outline, clockwise, large enough and not all too oblong."""
    edges = np.roll(corners, -1, 0) - corners
    following = np.roll(edges, -1, 0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    lengths = np.linalg.norm(edges, axis=1)
    return bool((turns > 0).all() and lengths.min() > 0.2 * lengths.max() and lengths.max() > least_px)


def _candidates(
    pyramid: Pyramid, sides: int, settings: Settings, network: str
) -> tuple[list[Candidate], list[ScaleAnswer]]:
    """What the looks see, weighed by whether they saw it at a good size, and areas that edges bound; best first."""
    longest = max(pyramid.levels[0].shape[:2])
    looks: list[ScaleAnswer] = []
    for index, px in enumerate(sorted({min(px, longest) for px in settings.looks_px})):
        looks.append(answer_at(pyramid, px / longest, sides, settings.least_seed, network))
        sure = [c.net_px for c in looks[-1].candidates if c.confidence > 0.4]
        if index and sure and np.percentile(sure, 20) > settings.fine_look_px:
            break
    found = [
        replace(c, confidence=c.confidence * _fitness(c.net_px, settings.best_px))
        for seen in looks
        for c in seen.candidates
    ]
    found += _areas(pyramid, sides, looks, settings)
    return sorted(found, key=lambda c: -c.confidence), looks


def _areas(pyramid: Pyramid, sides: int, looks: Sequence[ScaleAnswer], settings: Settings) -> list[Candidate]:
    """Areas that edges bound, as sure as the network is that a card's centre lies in their middle."""
    factor = min(1.0, settings.areas_px / max(pyramid.size))
    small = pyramid.scaled(factor)
    scale = np.array(small.shape[1::-1]) / pyramid.size
    found = []
    for polygon in propose(np.asarray(small, np.uint8), sides, settings.least_px):
        corners = (polygon + 0.5) / scale - 0.5
        heat, net_px = max(
            (seen.confidence_of(corners) * _fitness(n, settings.best_px), n)
            for seen in looks
            if (n := seen.net_px(corners))
        )
        if heat >= settings.least_area:
            found.append(Candidate(corners, heat, net_px))
    return found


def _fitness(net_px: float, best: tuple[float, float]) -> float:
    """Less than 1 for sizes that another look sees better."""
    away = max(np.log(best[0] / net_px), np.log(net_px / best[1]), 0.0)
    return float(np.exp(-0.5 * away))


def suppress(items: Sequence[T], overlap: float, most_ratio: float = np.inf) -> list[T]:
    """Non-maximum suppression: of outlines that share more than ``overlap`` of the smaller one, the first alone.

    Args:
        items: the best first.
        overlap: a share.
        most_ratio: of their areas; outlines that differ more both stay.
    """
    kept: list[T] = []
    boxes: list[tuple[NDArray[np.float32], float, Floats, Floats]] = []
    for item in items:
        mine = item.corners.astype(np.float32)
        area, low, high = max(1.0, float(cv2.contourArea(mine))), item.corners.min(0), item.corners.max(0)
        for other, other_area, other_low, other_high in boxes:
            if (low > other_high).any() or (high < other_low).any():
                continue
            if max(area, other_area) > most_ratio * min(area, other_area):
                continue
            if cv2.intersectConvexConvex(mine, other)[0] > overlap * min(area, other_area):
                break
        else:
            kept.append(item)
            boxes.append((mine, area, low, high))
    return kept
