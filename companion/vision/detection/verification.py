"""Whether what a game's detector found are this game's cards, by what any card has: edges around it, and its shape.

A game's networks know their own cards, and take what resembles them for them: ten hearts on a playing card for symbols,
three tiles in a row for a card of three numbers. The outline networks know no print. Where a table is in doubt,
they are asked about the finds; and where those have no edges, what lies there is no card of this game.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import distances
from companion.vision.detection.heatmaps import Candidate, answer_at
from companion.vision.detection.outlines import suppress
from companion.vision.detection.sizes import FOCAL_LENGTH, proportion_of
from companion.vision.edge_refinement import Refined, refine
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning

Outlines = NDArray[np.float32]

_BEYOND = 1.2
"""A side is free where no other outline holds the place so many times as far from the middle."""
_CENSUS_PX = 40.0
"""How large cards are to the outline detector where it counts them."""
_DESCRIBED_PX = 640.0
"""The longer side of the picture on which other cards are described."""
_SURE_OUTLINE = 0.5
_SHARED = 0.35
"""The share of the smaller one that two outlines may have in common."""
_ONE_CARD = 0.5
"""Two outlines whose middles are nearer than so much of a card's size are of one card."""


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    """What a card's edges are like, as the outline refiner sees them.

    Attributes:
        support: edges show along so much of the sides that no other find lies beside, at least.
        side: and along so much of each of them.
        moved: how far the card's corners lie from where those edges meet at most, in its sizes.
        proportion: its longer side over its shorter one at most.
    """

    support: float = 0.6
    side: float = 0.0
    moved: float = 1.0
    proportion: float = np.inf


@dataclass(frozen=True, slots=True)
class TableLimits:
    """When a table is in doubt, and what clears it.

    Attributes:
        edges: what a card's edges are like.
        enough: so many sure finds, and
        share: so large a share of all finds, say that it is the game's.
        vote: only a find surer than this speaks for the game by having edges.
        glance: so many of the surest are asked about all the same.
        most: of those in question so many are, the surest ones.
        count_below: where a smaller share of the finds is sure, the cards that were not found are counted: where they
            are more than twice as many, the game's reader does not know what lies there.
    """

    edges: EdgeLimits
    enough: int = 3
    share: float = 0.6
    vote: float = 0.0
    glance: int = 0
    most: int = 8
    count_below: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Find:
    """One find of a game's reader.

    Attributes:
        corners: (4 or 6, 2).
        presence: 0..1, how surely it is there.
        is_named: some part of it is named.
        is_sure: it is found surely, and all of it is named.
    """

    corners: Outlines
    presence: float
    is_named: bool
    is_sure: bool


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What of a reading may stay.

    Attributes:
        stays: (N,) which finds.
        warnings: the reading's warnings of what stays; where nothing does, `nothing-found` and `other-game`.
    """

    stays: NDArray[np.bool_]
    warnings: tuple[ReadingWarning, ...]


def verify(
    pyramid: Pyramid, finds: Sequence[Find], warnings: tuple[ReadingWarning, ...], limits: TableLimits
) -> Verdict:
    """What of a reading may stay as a table of this game.

    Args:
        pyramid: the picture.
        finds: all finds of a picture.
        warnings: the reading's.
        limits: see `TableLimits`.
    """
    stays = which_stay(pyramid, finds, limits)
    if stays.all():
        return Verdict(stays, warnings)
    if not stays.any():
        return Verdict(stays, no_game(pyramid))
    here, gone = ([f.corners for f, one in zip(finds, stays == is_so, strict=True) if one] for is_so in (True, False))
    of_those = [w for w in warnings if w.at is None or not _holds(gone, w.at) or _holds(here, w.at)]
    return Verdict(stays, tuple(of_those))


def no_game(pyramid: Pyramid) -> tuple[ReadingWarning, ...]:
    """The warnings that other cards than the game's lie on a picture, and what they look like."""
    said = f"these are no cards of this game, it seems: {describe(pyramid)}"
    return (ReadingWarning("nothing-found", "no card of this game on this picture"), ReadingWarning("other-game", said))


def which_stay(pyramid: Pyramid, finds: Sequence[Find], limits: TableLimits) -> NDArray[np.bool_]:
    """Which finds (N,) may stay; none where the cards on the table are not the game's. See `verify`."""
    stays = np.ones(len(finds), bool)
    order = sorted((i for i, find in enumerate(finds) if find.is_named), key=lambda i: -finds[i].presence)
    sure = [i for i in order if finds[i].is_sure]
    is_clear = len(sure) >= limits.enough and len(sure) >= limits.share * len(finds)
    asked = order[: limits.glance if is_clear else limits.most]
    if not asked:
        return stays
    has_edges = have_edges(pyramid, [find.corners for find in finds], asked, limits.edges)
    if is_clear and has_edges.all():
        return stays
    if is_clear:
        asked = order[: limits.most]
        has_edges = have_edges(pyramid, [find.corners for find in finds], asked, limits.edges)
    is_other = 2 * sum(has_edges & [finds[i].presence > limits.vote for i in asked]) <= len(asked)
    if not is_other and len(sure) < limits.count_below * len(finds):
        is_other = count_unfound(pyramid, [finds[i].corners for i in asked]) > 2 * len(finds) + 2
    if is_other:
        return ~stays
    stays[asked] = has_edges
    return stays


def have_edges(
    pyramid: Pyramid, outlines: Sequence[Outlines], which: Sequence[int], limits: EdgeLimits
) -> NDArray[np.bool_]:
    """Which of some outlines lie along a card's edges.

    Args:
        pyramid: the picture.
        outlines: (4 or 6, 2) each, of all finds.
        which: the indices (M,) of those in question; the others only lie beside them.
        limits: what edges are like.

    Returns:
        (M,).
    """
    refined = refine(pyramid, [outlines[i].astype(np.float64) for i in which])
    return np.array(
        [_fits(outlines, i, one, limits, pyramid.size) for i, one in zip(which, refined, strict=True)], bool
    )


def _fits(outlines: Sequence[Outlines], i: int, refined: Refined, limits: EdgeLimits, size: tuple[int, int]) -> bool:
    seen = refined.support[_free_sides(outlines, i)]
    if len(seen) and (seen.mean() < limits.support or seen.min() < limits.side):
        return False
    if refined.moved > limits.moved:
        return False
    if not np.isfinite(limits.proportion):
        return True
    return proportion_of(refined.corners, FOCAL_LENGTH * max(size), np.array(size) / 2) <= limits.proportion


def _free_sides(outlines: Sequence[Outlines], i: int) -> NDArray[np.bool_]:
    """Which sides of an outline (K,) no other one lies beside."""
    corners, middle = outlines[i], outlines[i].mean(0)
    places = middle + ((corners + np.roll(corners, -1, axis=0)) / 2 - middle) * _BEYOND
    others = [other for k, other in enumerate(outlines) if k != i]
    return ~np.array([_holds(others, (x, y)) for x, y in places.tolist()], bool)


def _holds(outlines: Sequence[Outlines], place: tuple[float, float]) -> bool:
    """One of some outlines (K, 2) holds a place."""
    return any(cv2.pointPolygonTest(one.astype(np.float32), place, False) >= 0 for one in outlines)


def count_unfound(pyramid: Pyramid, outlines: Sequence[Outlines]) -> int:
    """How many more cards of the shape and about the size of some finds (4 or 6, 2), one at least, lie on a picture."""
    there = np.array(outlines)
    size = float(np.median([np.sqrt(cv2.contourArea(one)) for one in there]))
    factor = min(1.0, _CENSUS_PX / max(size, 1.0))
    seen = answer_at(pyramid, factor, there.shape[1], _SURE_OUTLINE).candidates
    alike = [c.corners for c in seen if 0.7 < c.net_px / (factor * size) < 1.4]
    return int((distances(np.array(alike), there).min(1) > _ONE_CARD * size).sum()) if alike else 0


def describe(pyramid: Pyramid) -> str:
    """What cards of any kind on a picture look like from afar, for people."""
    factor = min(1.0, _DESCRIBED_PX / max(pyramid.size))
    seen = {sides: suppress(_likely(pyramid, factor, sides), _SHARED) for sides in (4, 6)}
    sides = max(seen, key=lambda k: sum(one.confidence * one.net_px**2 for one in seen[k]))
    if not seen[sides]:
        return "no card's outline shows"
    if sides == 6:
        return f"hexagonal tiles show, {len(seen[6])} at least"
    focal_px, centre = FOCAL_LENGTH * max(pyramid.size), np.array(pyramid.size) / 2
    ratio = np.median([proportion_of(one.corners, focal_px, centre) for one in seen[4]])
    return f"rectangular cards show, {len(seen[4])} at least, about {ratio:.1f} times as long as wide"


def _likely(pyramid: Pyramid, factor: float, sides: int) -> list[Candidate]:
    """What the outline detector sees surely at a factor of the picture's size, surest first."""
    return sorted(answer_at(pyramid, factor, sides, _SURE_OUTLINE).candidates, key=lambda one: -one.confidence)
