"""Whether a card's place shows on one picture what it shows on another, in whatever light."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.geometry import shared_area
from companion.vision.results import DetectedCard, Outlined, near
from companion.vision.tracking.change_detector import (
    Mask,
    Planes,
    pieces_mask,
    polygon_mask,
)

_WITHIN, _LEAST_PRINT, _LOST = 0.85, 2e-4, 0.5
"""So far within a card's edges is only what is printed on it, where it varies by so much, squared, from place to place;
it is lost where what shows correlates less with it: of tiles that went it does by 0.39 at most, although a board's rim
beside them correlates by 0.98.
"""
_OVERLAPPING = 0.3
"""A card lies on another where they have so much of the smaller one in common, in whatever light both are outlined."""
_SURROUNDINGS = 5.0
"""What lies beyond so many sides lies in no part of a card's surroundings."""
_LEAST_OWN = 0.2
"""Where less of a card is in no other's place, nothing tells whether it has gone."""
FEW_CELLS = 6
"""Fewer mask pixels of table around a card do not say what the table looks like."""
_ALIKE = 0.6
"""A card whose place shows detail that correlates so well with what it showed has not gone, in whatever shade."""
_SAME_DETAIL = 0.7
"""Where a place shows detail so like what was accepted there, nothing was laid: the light changed. A card at a shadow's
edge still correlates with itself by 0.79, a new one with what it lies on by 0.61 at most, but for a dark star by 0.73:
"""
_MORE_DETAIL, _UNEXPLAINED = 1.8, 0.5
"""where the pictures differ that star's ink shows 3.5 times as much detail as the wood, of which the wood's is 0.02.
The pale print of a tile on a board of its colour, whose rim shows in both pictures, has 1.8 to 4.6 times the board's.
"""
_DETAIL = 5
"""Shade hardly varies over so many mask pixels; print and edges do."""
_DEEPEST_SHADE = 0.4
SHADE_TINT = 1.2
"""Shade leaves at least that share of the light, and of one colour so many times as much as of another at most."""
BLACK = 16.0
"""Grey levels added to both pictures: below them there is more noise than detail."""


def in_shade(accepted: Planes, seen: Planes) -> Mask:
    """Where the table shows in the shade of a hand or an arm, bool (h, w): darker than it was, in no other colour.

    Args:
        accepted: (3, h, w), the table before.
        seen: (3, h, w), the picture now.
    """
    share = (seen + BLACK) / (accepted + BLACK)
    low, high = share.min(0), share.max(0)
    return np.asarray((low > _DEEPEST_SHADE) & (high < 1.0) & (high < SHADE_TINT * low))


def in_other_light(accepted: Planes, seen: Planes) -> Mask:
    """Where the table shows in more or in less light, bool (h, w); see `in_shade`."""
    return in_shade(accepted, seen) | in_shade(seen, accepted)


def detail_correlation(card: Outlined, accepted: Planes, seen: Planes) -> float:
    """How well the detail of a card's place and edges correlates with what showed there before, -1..1, 0 for neither.

    Compares the logarithms of both pictures (3, h, w) without what varies slowly, in which light and shade vanish.
    """
    _, was, now = _details(card, accepted, seen, (), 1.0)
    return _correlation(was, now)


def only_light_changed(
    card: DetectedCard, accepted: Planes, seen: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> bool:
    """Whether a card that was not known lay there all along, and the light changed: its place showed the same detail.

    Args:
        card: as it is seen.
        accepted: (3, h, w), the picture before.
        seen: (3, h, w), the picture now.
        differs: bool (h, w), where the two do.
        others: the cards that are known.
    """
    return _shows_same(card, seen, accepted, differs, others)


def lies_in_other_light(
    card: DetectedCard, accepted: Planes, seen: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> bool:
    """Whether a known card that could not be read lies as it lay, and the light changed; see `only_light_changed`.

    Where others lie on it, or it on them, what shows in its place may be theirs.
    """
    is_alone = all(shared_area(card.corners, other.corners) < _OVERLAPPING for other in neighbours_of(card, others))
    return is_alone and _shows_same(card, accepted, seen, differs, others)


def _shows_same(
    card: DetectedCard, picture: Planes, another: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> bool:
    """Whether ``another`` picture shows the detail and the print that a card has on one, both (3, h, w)."""
    alike, _ = _shows_detail(card, picture, another, differs, others)
    if alike > _SAME_DETAIL and not own_place(card, differs.shape, 1.0, others).any():  # it lies on known ones
        alike, _ = _shows_detail(card, picture, another, differs, ())
    return alike > _SAME_DETAIL and not is_print_lost(print_area(card, differs.shape, others), picture, another)


def _shows_detail(
    card: DetectedCard, picture: Planes, another: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> tuple[float, bool]:
    """How well ``another`` picture shows the detail that a card's place has in one (both (3, h, w)), -1..1.

    Like `detail_correlation`, without what shows of other cards there, and without what of its place the card does not
    cover, see `DetectedCard.extent`: a board's print around a counter. Print that is missing where the two differ
    counts alone: the ink of a star as dark as the wood on which it lies is less than the wood's grain, and the print of
    a tile as pale as a board less than that board's rim. Whether it does is told too.
    """
    area, here, there = _details(card, picture, another, others, card.extent)
    missing = differs[area]
    if np.count_nonzero(missing) >= FEW_CELLS:
        shown, left = here[:, missing], there[:, missing]
        energy = float((shown**2).sum())
        is_print = energy > _MORE_DETAIL * float((left**2).sum())
        if is_print and float(((shown - left) ** 2).sum()) > _UNEXPLAINED * energy:
            return _correlation(shown, left), True
    return _correlation(here, there), False


def _correlation(was: Planes, now: Planes) -> float:
    return float((was * now).sum() / (np.sqrt((was**2).sum() * (now**2).sum()) + 1e-9))


def _details(
    card: Outlined, accepted: Planes, seen: Planes, others: Sequence[DetectedCard], extent: float
) -> tuple[Mask, Planes, Planes]:
    """Where a card's place is, bool (h, w), and the detail of both pictures there (3, N)."""
    area = polygon_mask(card.corners, seen.shape[1:], 1.15 * extent) & ~pieces_mask(
        neighbours_of(card, others), seen.shape[1:], 1.1
    )
    if not area.any():
        return area, accepted[:, area], seen[:, area]
    piece = _piece_around(area, _DETAIL)
    was, now = (_detail(planes[:, *piece])[:, area[piece]] for planes in (accepted, seen))
    return area, was, now


def _logarithm(planes: Planes) -> Planes:
    """Of a picture (3, h, w): light and shade add to it."""
    return np.asarray(np.log(np.maximum(planes, 0.0) + BLACK))


def _piece_around(area: Mask, reach: int) -> tuple[slice, slice]:
    """The rows and columns of a mask that has any, and of what lies fewer than so many of them beside it."""
    rows, cols = (np.flatnonzero(area.any(axis)) for axis in (1, 0))
    return np.s_[max(0, rows[0] - reach) : rows[-1] + reach, max(0, cols[0] - reach) : cols[-1] + reach]


def _detail(planes: Planes) -> Planes:
    """What of a picture's logarithm varies from place to place (3, h, w)."""
    logs = _logarithm(planes)
    return np.stack([plane - cv2.blur(plane, (_DETAIL, _DETAIL), borderType=cv2.BORDER_REPLICATE) for plane in logs])


def is_detail_lost(
    card: DetectedCard,
    accepted: Planes,
    seen: Planes,
    differs: Mask,
    others: Sequence[DetectedCard],
    limit: float | None = None,
) -> bool:
    """Whether a card's place shows its detail no more, see `is_gone`: it correlates less than the limit, or the usual.

    What is told by missing print alone is held to be something else as surely as by `only_light_changed`.
    """
    alike, is_print = _shows_detail(card, accepted, seen, differs, others)
    usual = _SAME_DETAIL if is_print else _ALIKE
    return alike < (usual if limit is None else limit)


def print_area(card: DetectedCard, shape: tuple[int, ...], others: Sequence[DetectedCard]) -> Mask:
    """Where only what is printed on a card shows, bool ``shape``."""
    return own_place(card, shape, _WITHIN * card.extent, others)


def is_print_lost(printed: Mask, picture: Planes, another: Planes) -> bool:
    """Whether what is ``printed`` within a card's edges on one picture does not show on another, both (3, h, w),
    whatever its edges and the board's around it do.
    """
    if np.count_nonzero(printed) < FEW_CELLS:
        return False
    piece = _piece_around(printed, 1)
    inside = printed[piece].astype(np.float32)
    count = np.maximum(cv2.blur(inside, (_DETAIL, _DETAIL), borderType=cv2.BORDER_CONSTANT), 1e-6)

    def detail(planes: Planes) -> Planes:
        logs = _logarithm(planes[:, *piece]) * inside
        means = (cv2.blur(plane, (_DETAIL, _DETAIL), borderType=cv2.BORDER_CONSTANT) / count for plane in logs)
        return np.stack([(plane - mean)[printed[piece]] for plane, mean in zip(logs, means, strict=True)])

    here, there = detail(picture), detail(another)
    return float((here**2).sum(0).mean()) > _LEAST_PRINT and _correlation(here, there) < _LOST


def own_place(card: DetectedCard, shape: tuple[int, ...], grow: float, in_view: Sequence[DetectedCard]) -> Mask:
    """The mask pixels of a card that are in no other's place; none where these are but a strip."""
    area = polygon_mask(card.corners, shape, grow)
    over = neighbours_of(card, in_view)
    if not over:
        return area
    own = area & ~pieces_mask(over, shape)
    return own if np.count_nonzero(own) >= _LEAST_OWN * np.count_nonzero(area) else np.zeros_like(area)


def neighbours_of(card: Outlined, others: Sequence[DetectedCard]) -> list[DetectedCard]:
    """Those of the others that lie close to a card."""
    return [other for other, is_near in zip(others, near(others, [card], _SURROUNDINGS), strict=True) if is_near]
