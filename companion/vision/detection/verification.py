"""Whether what a game's detector found are this game's cards, by what any card has: edges around it, and its shape.

A game's networks know their own cards, and take what resembles them for them: ten hearts on a playing card for symbols,
three tiles in a row for a card of three numbers. The outline networks know no print. Where a table is in doubt,
they are asked about the finds; and where those have no edges, what lies there is no card of this game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import distances
from companion.vision.detection.heatmaps import Candidate, answer_at
from companion.vision.detection.sizes import FOCAL_LENGTH
from companion.vision.detection.suppression import OVERLAP, suppress
from companion.vision.edge_refinement import Refined, proportion_of, proportions_of, refine, sides_on_table
from companion.vision.geometry import proportion_in_plane
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import DetectedCard, ReadingWarning

Outlines = NDArray[np.float32]

_BEYOND = 1.2
"""A side is free where no other outline holds the place so many times as far from the middle."""
_COUNTED_AT_PX = 40.0
"""How large cards are to the outline detector where it counts them."""
_DESCRIBED_AT_PX = 640.0
"""The longer side of the picture on which other cards are described."""
_MIN_CONFIDENCE = 0.5
"""Of what the outline detector sees, to count or to describe it."""
_FAR_LARGER = 2.0
"""An outline of so many times another's area shows the table's tilt better: a case, not another card."""
_ONE_CARD = 0.5
"""Two outlines whose middles are nearer than so much of a card's size are of one card."""


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    """When an outline has a card's edges, as the edge refiner sees them.

    Attributes:
        min_support: the share of the free sides, those on the picture beside which no other find lies, along which
            edges show.
        min_side_support: the same for each free side.
        max_moved: how far the corners lie from where those edges meet, in sizes of the card.
        max_proportion: how much more oblong, or less, it is than the card, as the ratio of their proportions.
    """

    min_support: float = 0.6
    min_side_support: float = 0.0
    max_moved: float = 1.0
    max_proportion: float = np.inf


@dataclass(frozen=True, slots=True)
class TableLimits:
    """When a table is in doubt, and what clears it.

    Attributes:
        edges: see `EdgeLimits`.
        min_sure: a table is clearly the game's with so many sure finds, and
        min_sure_share: so large a share of all finds.
        min_vote_presence: only a find above this presence speaks for the game by having edges.
        checked_if_clear: how many finds of a clear table are checked for edges, the surest ones.
        checked_if_doubtful: how many of a doubtful one.
        doubted_presence: on every table a find below this presence that is not named whole is checked by itself: what
            lies between cards has their edges around it, and none where no card lies beside it.
        count_below_share: where a smaller share of the finds is sure, the cards that were not found are counted: where
            they are more than twice as many, the game's reader does not know what lies there.
    """

    edges: EdgeLimits
    min_sure: int = 3
    min_sure_share: float = 0.6
    min_vote_presence: float = 0.0
    checked_if_clear: int = 0
    checked_if_doubtful: int = 8
    doubted_presence: float = 0.0
    count_below_share: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Find:
    """One find of a game's reader.

    Attributes:
        corners: (4 or 6, 2).
        presence: 0..1, how surely it is there.
        is_named: some part of it is named.
        is_sure: it is found surely, and all of it is named.
        proportion: the longer side of such a card over its shorter one, where `EdgeLimits.max_proportion` bounds it.
        is_whole: all of it is named.
    """

    corners: Outlines
    presence: float
    is_named: bool
    is_sure: bool
    proportion: float = 1.0
    is_whole: bool = True

    @staticmethod
    def of(card: DetectedCard, min_presence: float) -> "Find":
        """A card, found surely with a presence of at least ``min_presence``."""
        is_whole = None not in card.edges
        is_sure = is_whole and card.presence >= min_presence
        return Find(card.corners, card.presence, set(card.edges) != {None}, is_sure, is_whole=is_whole)


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
        finds: all finds of a picture.
        warnings: the reading's.
        limits: see `TableLimits`.
    """
    stays = which_stay(pyramid, finds, limits)
    if stays.all():
        return Verdict(stays, warnings)
    if not stays.any():
        return Verdict(stays, no_game(pyramid))
    kept, rejected = ([f.corners for f, one in zip(finds, chosen, strict=True) if one] for chosen in (stays, ~stays))
    remaining = [w for w in warnings if w.at is None or not _contains(rejected, w.at) or _contains(kept, w.at)]
    return Verdict(stays, tuple(remaining))


def no_game(pyramid: Pyramid) -> tuple[ReadingWarning, ...]:
    """The warnings that other cards than the game's lie on a picture, and what they look like."""
    other = f"these are no cards of this game, it seems: {describe(pyramid)}"
    return (
        ReadingWarning("nothing-found", "no card of this game on this picture"),
        ReadingWarning("other-game", other),
    )


def which_stay(pyramid: Pyramid, finds: Sequence[Find], limits: TableLimits) -> NDArray[np.bool_]:
    """Which finds (N,) may stay; none where the cards on the table are not the game's. See `verify`."""
    stays = ~_are_of_cloth(finds, limits)
    stays[stays] = _stay_on_table(pyramid, [find for find, one in zip(finds, stays, strict=True) if one], limits)
    doubted = [i for i, one in enumerate(finds) if one.presence < limits.doubted_presence and not one.is_whole]
    if doubted and stays.any():
        stays[doubted] &= have_edges(pyramid, [find.corners for find in finds], doubted, limits.edges)
    return stays


def _are_of_cloth(finds: Sequence[Find], limits: TableLimits) -> NDArray[np.bool_]:
    """Which finds (N,) are a pattern of the table: faint, nothing named, and more than all that show something, of
    which enough are surely the game's.
    """
    is_named = np.array([find.is_named for find in finds], bool)
    is_sure = np.array([find.is_sure for find in finds], bool)
    are_faint = ~is_named & np.array([find.presence < limits.doubted_presence for find in finds], bool)
    return np.asarray(are_faint & (are_faint.sum() > is_named.sum()) & (is_sure.sum() >= limits.min_sure))


def _stay_on_table(pyramid: Pyramid, finds: Sequence[Find], limits: TableLimits) -> NDArray[np.bool_]:
    """Which finds (N,) may stay as the table is clearly this game's, or in doubt; see `which_stay`."""
    stays = np.ones(len(finds), bool)
    order = sorted((i for i, find in enumerate(finds) if find.is_named), key=lambda i: -finds[i].presence)
    sure = [i for i in order if finds[i].is_sure]
    is_clear = len(sure) >= limits.min_sure and len(sure) >= limits.min_sure_share * len(finds)
    checked = order[: limits.checked_if_clear if is_clear else limits.checked_if_doubtful]
    if not checked:
        return stays
    outlines, proportions = [find.corners for find in finds], [find.proportion for find in finds]
    has_edges = have_edges(pyramid, outlines, checked, limits.edges, proportions)
    if is_clear and has_edges.all():
        return stays
    if is_clear:
        checked = order[: limits.checked_if_doubtful]
        has_edges = have_edges(pyramid, outlines, checked, limits.edges, proportions)
    is_other = 2 * sum(has_edges & [finds[i].presence > limits.min_vote_presence for i in checked]) <= len(checked)
    if not is_other and len(sure) < limits.count_below_share * len(finds):
        is_other = count_unfound(pyramid, [finds[i].corners for i in checked]) > 2 * len(finds) + 2
    if is_other:
        return ~stays
    stays[checked] = has_edges
    doubted = [i for i in checked if is_clear and finds[i].is_sure and not stays[i]]
    if doubted:  # among so many of the game's cards one that is read whole may have a side that hardly shows
        along_most = replace(limits.edges, min_side_support=0.0)
        stays[doubted] = have_edges(pyramid, outlines, doubted, along_most, proportions)
    return stays


def have_edges(
    pyramid: Pyramid,
    outlines: Sequence[Outlines],
    which: Sequence[int],
    limits: EdgeLimits,
    proportions: Sequence[float] | None = None,
) -> NDArray[np.bool_]:
    """Which of some outlines lie along a card's edges.

    Args:
        outlines: (4 or 6, 2) each, of all finds.
        which: the indices (M,) of those in question; the others only lie beside them.
        limits: see `EdgeLimits`.
        proportions: of the cards in the outlines, see `Find`; 1 for None.

    Returns:
        (M,).
    """
    refined = refine(pyramid, [outlines[i].astype(np.float64) for i in which])
    own = proportions or [1.0] * len(outlines)
    has_edges = [_fits(outlines, i, one, limits, pyramid.size) for i, one in zip(which, refined, strict=True)]
    if np.isfinite(limits.max_proportion):
        for k, (i, one) in enumerate(zip(which, refined, strict=True)):
            has_edges[k] = has_edges[k] and _is_as_oblong(outlines, i, one.corners, limits, pyramid.size, own)
    return np.array(has_edges, bool)


def _fits(outlines: Sequence[Outlines], i: int, refined: Refined, limits: EdgeLimits, size: tuple[int, int]) -> bool:
    """Whether a refined outline has a card's edges on a picture of a ``size`` (width, height)."""
    free, shown = _free_sides(outlines, i), _shown_sides(outlines[i], size)
    support = refined.support[free & shown if shown.any() else free]
    if len(support) and (support.mean() < limits.min_support or support.min() < limits.min_side_support):
        return False
    return refined.moved <= limits.max_moved


def _is_as_oblong(
    outlines: Sequence[Outlines],
    i: int,
    corners: NDArray[np.float64],
    limits: EdgeLimits,
    size: tuple[int, int],
    proportions: Sequence[float],
) -> bool:
    """Whether an outline is as oblong as its card, by itself or in the plane of a far larger one that is: perspective
    hardly shows on a small outline.

    Args:
        outlines: of all finds.
        i: which of them.
        corners: its refined corners (4, 2).
        limits: see `EdgeLimits`.
        size: width and height of the picture.
        proportions: of the cards in the outlines, see `Find`.
    """
    own, focal_px, centre = proportions[i], FOCAL_LENGTH * max(size), np.array(size) / 2
    if _off(proportion_of(corners, focal_px, centre), own) <= limits.max_proportion:
        return True
    areas = [cv2.contourArea(outline) for outline in outlines]
    largest = int(np.argmax(areas))
    wide, high = (float(side[0]) for side in sides_on_table(outlines[largest][None].astype(float), focal_px, centre))
    is_known = _off(max(wide / high, high / wide), proportions[largest]) <= limits.max_proportion
    if not is_known or areas[largest] < _FAR_LARGER * areas[i]:
        return False
    sides = (proportions[largest], 1.0) if wide > high else (1.0, proportions[largest])
    return _off(proportion_in_plane(corners, outlines[largest], sides), own) <= limits.max_proportion


def _off(proportion: float, own: float) -> float:
    """By what factor a proportion is another."""
    return max(proportion / own, own / proportion)


def _free_sides(outlines: Sequence[Outlines], i: int) -> NDArray[np.bool_]:
    """Which sides of an outline (K,) no other one lies beside."""
    corners, middle = outlines[i], outlines[i].mean(0)
    places = middle + ((corners + np.roll(corners, -1, axis=0)) / 2 - middle) * _BEYOND
    others = [other for k, other in enumerate(outlines) if k != i]
    return ~np.array([_contains(others, (x, y)) for x, y in places.tolist()], bool)


def _shown_sides(outline: Outlines, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Which sides of an outline (K, 2) lie on the picture: what its rim cuts shows no edge."""
    is_shown = ((outline >= 0) & (outline <= np.array(size) - 1)).all(1)
    return np.asarray(is_shown & np.roll(is_shown, -1))


def _contains(outlines: Sequence[Outlines], place: tuple[float, float]) -> bool:
    """Whether one of some outlines (K, 2) contains a place."""
    return any(cv2.pointPolygonTest(one.astype(np.float32), place, False) >= 0 for one in outlines)


def count_unfound(pyramid: Pyramid, outlines: Sequence[Outlines]) -> int:
    """How many more cards of the shape and about the size of some finds (4 or 6, 2), one at least, lie on a picture."""
    found = np.array(outlines)
    size = float(np.median([np.sqrt(cv2.contourArea(one)) for one in found]))
    factor = min(1.0, _COUNTED_AT_PX / max(size, 1.0))
    seen = answer_at(pyramid, factor, found.shape[1], _MIN_CONFIDENCE).candidates
    of_size = [c.corners for c in seen if 0.7 < c.net_px / (factor * size) < 1.4]
    return int((distances(np.array(of_size), found).min(1) > _ONE_CARD * size).sum()) if of_size else 0


def other_shape(pyramid: Pyramid, sides: int) -> tuple[ReadingWarning, ...]:
    """The warning that cards of another number of sides (4, 6) lie on a picture than the game's; nothing otherwise."""
    seen = _seen_from_afar(pyramid)
    if not seen or len(seen[0].corners) == sides:
        return ()
    return (ReadingWarning("other-game", f"these may be no cards of this game: {_in_words(pyramid, seen)}"),)


def describe(pyramid: Pyramid) -> str:
    """What cards of any kind on a picture look like from afar, for people."""
    return _in_words(pyramid, _seen_from_afar(pyramid))


def _seen_from_afar(pyramid: Pyramid) -> list[Candidate]:
    """The cards of any kind on a picture, those of the shape that covers more of it."""
    factor = min(1.0, _DESCRIBED_AT_PX / max(pyramid.size))
    seen = [suppress(_likely(pyramid, factor, sides), OVERLAP) for sides in (4, 6)]
    return max(seen, key=lambda some: sum(one.confidence * one.net_px**2 for one in some))


def _in_words(pyramid: Pyramid, seen: Sequence[Candidate]) -> str:
    """Cards of one shape, for people."""
    if not seen:
        return "no card's outline shows"
    if len(seen[0].corners) == 6:
        return f"hexagonal tiles show, {len(seen)} at least"
    focal_px, centre = FOCAL_LENGTH * max(pyramid.size), np.array(pyramid.size) / 2
    ratio = np.median(proportions_of(np.array([one.corners for one in seen]), focal_px, centre))
    return f"rectangular cards show, {len(seen)} at least, about {ratio:.1f} times as long as wide"


def _likely(pyramid: Pyramid, factor: float, sides: int) -> list[Candidate]:
    """What the outline detector sees surely at a factor of the picture's size, surest first."""
    return sorted(answer_at(pyramid, factor, sides, _MIN_CONFIDENCE).candidates, key=lambda one: -one.confidence)
