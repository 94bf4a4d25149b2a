"""Outlines of cards and tiles on a picture, whatever is printed on them: found at several sizes, refined, judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.boards import find_board
from companion.vision.detection.contours import propose
from companion.vision.detection.heatmaps import Candidate, ScaleAnswer, answer_at
from companion.vision.detection.sizes import FOCAL_LENGTH, SizeMm, has_size, proportion_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.refinement.edges import Refined, refine

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
        same: candidates of about one size that share more of the smaller one are one.
        overlap: share of the smaller outline that two cards may have in common.
        most_seeds: candidates that are refined, the best ones.
        size_matters: of two outlines in one place, how much the larger is preferred: what is printed on a card is
            often framed like one.
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
    overlap: float = 0.35
    size_matters: float = 0.35
    least_px: float = 14.0
    most_seeds: int = 120


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A card's outline.

    Attributes:
        corners: (4 or 6, 2) float64 pixels, clockwise as seen, sharp.
        confidence: 0..1 that a card lies there.
    """

    corners: Floats
    confidence: float


MOST_SQUARE, MANY_SQUARES = 1.25, 12
"""So many outlines, so nearly square, are fields of a printed board rather than cards."""
FIELDS_CONFIDENCE, BLOCK_HULL, BLOCK_FILLED = 0.9, 0.95, 0.75
"""Unless most are surer, and lie as tiles of a game do, which seldom fill a block."""
GROUND_CONFIDENCE, GROUND_CARDS = 0.9, 4
"""So many cards, so sure, lie on what is around them; what is printed on a card is seldom as sure."""
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
    pyramid = Pyramid.of(picture, 6)
    seeds = suppress(_candidates(pyramid, sides, settings), settings.same, most_ratio=4.0)[: settings.most_seeds]
    refined = refine(pyramid, [seed.corners for seed in seeds])
    again = [i for i, r in enumerate(refined) if r.moved > 0.03]
    for i, better in zip(again, refine(pyramid, [refined[i].corners for i in again]), strict=True):
        refined[i] = better
    judged = [
        Outline(r.corners, judge(seed, r))
        for seed, r in zip(seeds, refined, strict=True)
        if is_plausible(r.corners, settings.least_px) and has_size(r.corners, size_mm, pyramid.size)
    ]
    kept = without_grounds(judged, settings)
    kept = suppress(sorted(kept, key=lambda o: -_rank(o, settings.size_matters)), settings.overlap)
    if sides == 6:
        kept = on_board(pyramid, kept)
    told = sorted((o for o in kept if o.confidence >= settings.least), key=lambda o: -o.confidence)
    return tuple(without_printed_fields(told, pyramid.size) if sides == 4 else told)


def without_grounds(outlines: list[Outline], settings: Settings = SETTINGS) -> list[Outline]:
    """The outlines, less those around several sure cards: a mat, a box or a board that they lie on."""
    sure = sorted((o for o in outlines if o.confidence > GROUND_CONFIDENCE), key=lambda o: -o.confidence)
    cards = [
        (card.corners.mean(0).tolist(), cv2.contourArea(card.corners.astype(np.float32)))
        for card in suppress(sure, settings.overlap, most_ratio=4.0)
    ]

    def holds(outline: Outline) -> int:
        contour = outline.corners.astype(np.float32)
        size = cv2.contourArea(contour)
        return sum(4 * area < size and cv2.pointPolygonTest(contour, centre, False) > 0 for centre, area in cards)

    return [outline for outline in outlines if holds(outline) < GROUND_CARDS]


def without_printed_fields(cards: list[Outline], picture_px: tuple[int, int]) -> list[Outline]:
    """The outlines, less what is no larger than a few fields where most are squares and many: a printed board."""
    focal_px, centre = FOCAL_LENGTH * max(picture_px), np.array(picture_px) / 2
    areas = np.array([cv2.contourArea(c.corners.astype(np.float32)) for c in cards])
    is_square = np.array([proportion_of(c.corners, focal_px, centre) < MOST_SQUARE for c in cards], bool)
    if is_square.sum() < MANY_SQUARES or 2 * is_square.sum() < len(cards):
        return cards
    squares = [card for card, square in zip(cards, is_square, strict=True) if square]
    if np.median([card.confidence for card in squares]) > FIELDS_CONFIDENCE and not _fill_a_block(squares):
        return cards
    least = 4 * float(np.median(areas[is_square]))
    return [card for card, area in zip(cards, areas, strict=True) if area > least]


def _fill_a_block(squares: list[Outline]) -> bool:
    """Whether squares fill one four-sided area, as the fields of a printed grid do."""
    hull = cv2.convexHull(np.concatenate([square.corners for square in squares]).astype(np.float32))
    around = cv2.contourArea(cv2.approxPolyN(hull, 4, None, -1, True))
    filled = sum(cv2.contourArea(square.corners.astype(np.float32)) for square in squares)
    return bool(cv2.contourArea(hull) > BLOCK_HULL * around and filled > BLOCK_FILLED * around)


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


def judge(seed: Candidate, refined: Refined) -> float:
    """How sure it is, 0..1, that a card lies there, by the detector's answer and the edges that were found."""
    heat = np.log(max(seed.confidence, 1e-4) / max(1e-4, 1 - seed.confidence))
    edges = float(np.sort(refined.support)[:2].mean())
    score = 1.5 * heat + 5.0 * (edges - 0.5) - 0.5
    return float(1 / (1 + np.exp(-score)))


def _rank(outline: Outline, size_matters: float) -> float:
    area = max(1.0, float(cv2.contourArea(outline.corners.astype(np.float32))))
    odds = max(outline.confidence, 1e-6) / max(1e-6, 1 - outline.confidence)
    return float(np.log(odds) + size_matters * np.log(area))


def is_plausible(corners: Floats, least_px: float) -> bool:
    """A convex outline, clockwise, large enough and not all too oblong."""
    edges = np.roll(corners, -1, 0) - corners
    following = np.roll(edges, -1, 0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    lengths = np.linalg.norm(edges, axis=1)
    return bool((turns > 0).all() and lengths.min() > 0.2 * lengths.max() and lengths.max() > least_px)


def _candidates(pyramid: Pyramid, sides: int, settings: Settings) -> list[Candidate]:
    """What the looks see, weighed by whether they saw it at a good size, and areas that edges bound; best first."""
    longest = max(pyramid.levels[0].shape[:2])
    looks: list[ScaleAnswer] = []
    for index, px in enumerate(sorted({min(px, longest) for px in settings.looks_px})):
        looks.append(answer_at(pyramid, px / longest, sides, settings.least_seed))
        sure = [c.net_px for c in looks[-1].candidates if c.confidence > 0.4]
        if index and sure and np.percentile(sure, 20) > settings.fine_look_px:
            break
    found = [
        replace(c, confidence=c.confidence * _fitness(c.net_px, settings.best_px))
        for seen in looks
        for c in seen.candidates
    ]
    found += _areas(pyramid, sides, looks, settings)
    return sorted(found, key=lambda c: -c.confidence)


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
