"""Whether a card that is not seen was taken away, or lies under a hand or a thing."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import shared_area
from companion.vision.results import DetectedCard, Outlined, near
from companion.vision.tracking.change_detector import (
    MASK_PX,
    Mask,
    Planes,
    components_touching,
    count_in,
    dilated,
    pieces_mask,
    polygon_mask,
    share_in,
)

_AT_REST = 0.97
"""So much of a card that lies still has not stirred: a card that is slid stirs along two edges at least."""
_GONE = 0.9
"""A card is gone when so much of what tells it from the table changed."""
_GONE_PALE = 0.6
"""Of one as pale as the table that is enough, where its print does not show either:"""
_UNLIKE = 0.3
"""its place's detail correlates no better with what it showed."""
BEYOND_CARDS = 0.35
"""A change that reaches beyond cards by so much of a card is no card that was taken away."""
LITTLE_BEYOND_CARDS = BEYOND_CARDS / 3
"""So much is enough where something else too tells of a thing that lies there."""
_WITHIN, _LEAST_PRINT, _LOST = 0.85, 2e-4, 0.5
"""So far within a card's edges is only what is printed on it, where it varies by so much, squared, from place to place;
it is lost where what shows correlates less with it: of tiles that went it does by 0.39 at most, although a board's rim
beside them correlates by 0.98.
"""
_BESIDE, _WITH_SHADOW = 0.1, 1.4
"""A card of which less lies on another lies beside it; so much larger it covers its shadow, too."""
_OVERLAPPING = 0.3
"""A card lies on another where they have so much of the smaller one in common, in whatever light both are outlined."""
_BARE = 0.7
"""Where so much of a card's place looks like the table around it, the table shows."""
_NO_TABLE = 0.3
"""Where less of a card's inner place looks so, something lies there that is no table."""
_CONTRAST = 20.0
"""Grey levels by which a mask pixel of a card differs from the table around it to tell one from the other."""
_SHADE, _FEW_SHADES = 16.0, 0.02
"""Colours of the table count as one in steps of so many grey levels; one that less of it has is none of its own."""
_MOST_TELLING = 40.0
"""And by so many more it tells no more: ink is not worth many times the paper beside it."""
_FAINT, _SHADED = 9.0, 0.3
"""The same of the print of a card as pale as the table; where more of the rest of its place differs, the light does."""
_FEW_TELL = 0.1
"""Where fewer mask pixels than this share tell a card from the table, all of them count alike."""
_SURROUNDINGS = 5.0
"""What lies beyond so many sides lies in no part of a card's surroundings."""
_LEAST_OWN = 0.2
"""Where less of a card is in no other's place, nothing tells whether it has gone."""
_BESIDE_UPPER, _LEAST_BESIDE, _UNCHANGED = 1.12, 0.05, 0.3
"""A card shows beside one that lies on it, and its shadow, where so much of it that looks like no table does, and less
than that share of it differs.
"""
_FEW_CELLS = 6
"""Fewer mask pixels of table around a card do not say what the table looks like."""
_BLUR = 1.5
"""So many mask pixels along a card's edge look like half of it, half of what lies beside it."""
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
_SHADE_TINT = 1.2
"""Shade leaves at least that share of the light, and of one colour so many times as much as of another at most."""
_BLACK = 16.0
"""Grey levels added to both pictures: below them there is more noise than detail."""


def share_around(card: DetectedCard, hands: Mask) -> float:
    """The share of a card's surroundings that is hands: fingers that hold it. Leaves out the card's own blur."""
    inner = 1.0 + 1.75 * MASK_PX / card.side
    outer = inner + 0.3 + MASK_PX / card.side
    hands_without, without = count_in(card.corners, hands, inner)
    hands_with, all_with = count_in(card.corners, hands, outer)
    return (hands_with - hands_without) / (all_with - without) if all_with > without else 0.0


def in_shade(accepted: Planes, seen: Planes) -> Mask:
    """Where the table shows in the shade of a hand or an arm, bool (h, w): darker than it was, in no other colour.

    Args:
        accepted: (3, h, w), the table before.
        seen: (3, h, w), the picture now.
    """
    share = (seen + _BLACK) / (accepted + _BLACK)
    low, high = share.min(0), share.max(0)
    return np.asarray((low > _DEEPEST_SHADE) & (high < 1.0) & (high < _SHADE_TINT * low))


def in_other_light(accepted: Planes, seen: Planes) -> Mask:
    """Where the table shows in more or in less light, bool (h, w); see `in_shade`."""
    return in_shade(accepted, seen) | in_shade(seen, accepted)


def is_at_rest(card: DetectedCard, still: Mask) -> bool:
    """Whether a card lies still; noise that stirs a mask pixel here and there is no motion."""
    return (share_in(card.corners, still, 0.97) or 0.0) >= _AT_REST


def rest_s(card: DetectedCard, stirred_s: NDArray[np.float64]) -> float:
    """When a card came to rest: when its place last stirred, (h, w) seconds, in the median, and not at its rim."""
    area = polygon_mask(card.corners, stirred_s.shape, 0.8)
    return float(np.median(stirred_s[area])) if area.any() else -np.inf


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
    is_alone = all(shared_area(card.corners, other.corners) < _OVERLAPPING for other in _neighbours(card, others))
    return is_alone and _shows_same(card, accepted, seen, differs, others)


def _shows_same(
    card: DetectedCard, picture: Planes, another: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> bool:
    """Whether ``another`` picture shows the detail and the print that a card has on one, both (3, h, w)."""
    alike, _ = _shows_detail(card, picture, another, differs, others)
    if alike > _SAME_DETAIL and not _own_place(card, differs.shape, 1.0, others).any():  # it lies on known ones
        alike, _ = _shows_detail(card, picture, another, differs, ())
    return alike > _SAME_DETAIL and not _is_print_lost(_print_area(card, differs.shape, others), picture, another)


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
    if np.count_nonzero(missing) >= _FEW_CELLS:
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
        _neighbours(card, others), seen.shape[1:], 1.1
    )
    if not area.any():
        return area, accepted[:, area], seen[:, area]
    piece = _piece_around(area, _DETAIL)
    was, now = (_detail(planes[:, *piece])[:, area[piece]] for planes in (accepted, seen))
    return area, was, now


def _logarithm(planes: Planes) -> Planes:
    """Of a picture (3, h, w): light and shade add to it."""
    return np.asarray(np.log(np.maximum(planes, 0.0) + _BLACK))


def _piece_around(area: Mask, reach: int) -> tuple[slice, slice]:
    """The rows and columns of a mask that has any, and of what lies fewer than so many of them beside it."""
    rows, cols = (np.flatnonzero(area.any(axis)) for axis in (1, 0))
    return np.s_[max(0, rows[0] - reach) : rows[-1] + reach, max(0, cols[0] - reach) : cols[-1] + reach]


def _detail(planes: Planes) -> Planes:
    """What of a picture's logarithm varies from place to place (3, h, w)."""
    logs = _logarithm(planes)
    return np.stack([plane - cv2.blur(plane, (_DETAIL, _DETAIL), borderType=cv2.BORDER_REPLICATE) for plane in logs])


def is_gone(
    card: DetectedCard,
    accepted: Planes,
    seen: Planes,
    differs: Mask,
    others: Sequence[DetectedCard],
    in_view: Sequence[DetectedCard] = (),
) -> bool:
    """Whether nothing of a card shows any more where it lay: of one under a cup or a sleeve a part does.

    Args:
        card: as it was known.
        accepted: (3, h, w), the picture in which it lay there.
        seen: (3, h, w), the picture now.
        differs: bool (h, w), where the two do.
        others: the other cards that are known: they are no table.
        in_view: those of them that are seen as they were: what shows in their places is theirs. A card of a fan that
            was taken from another leaves paper like its own.
    """
    area = _own_place(card, differs.shape, _inner(card), in_view)
    off = _off_table(card, accepted, others)
    telling, is_pale = area.astype(np.float32), False
    if off is not None:
        contrast = np.clip(off - _CONTRAST, 0.0, _MOST_TELLING)
        is_pale = int(np.count_nonzero(contrast[area])) < _FEW_TELL * int(area.sum())
        if is_pale and _is_print_gone(off, area, differs):
            return _is_missing(card, accepted, seen, differs, others)
        telling = telling if is_pale else contrast * area
    if not area.any():
        return False
    share = float(telling[differs].sum()) / float(telling.sum())
    if share < _GONE_PALE:
        return False
    if (is_pale or share >= _GONE) and _is_missing(
        card, accepted, seen, differs, others, None if share >= _GONE else _UNLIKE
    ):
        return True
    return _is_print_lost(_print_area(card, differs.shape, others), accepted, seen)


def _is_missing(
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


def _print_area(card: DetectedCard, shape: tuple[int, ...], others: Sequence[DetectedCard]) -> Mask:
    """Where only what is printed on a card shows, bool ``shape``."""
    return _own_place(card, shape, _WITHIN * card.extent, others)


def _is_print_lost(printed: Mask, picture: Planes, another: Planes) -> bool:
    """Whether what is ``printed`` within a card's edges on one picture does not show on another, both (3, h, w),
    whatever its edges and the board's around it do.
    """
    if np.count_nonzero(printed) < _FEW_CELLS:
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


def _is_print_gone(off: NDArray[np.float32], area: Mask, differs: Mask) -> bool:
    """Whether of a pale card all faint print differs, and little else: shade would lie on all of it.

    Args:
        off: (h, w), grey levels by which the accepted picture differs from the table.
        area: bool (h, w), its place.
        differs: bool (h, w).
    """
    contrast = np.clip(off - _FAINT, 0.0, _MOST_TELLING)
    is_print = (contrast > 0) & area
    if int(is_print.sum()) <= _FEW_TELL * int(area.sum()):
        return False
    gone = float(contrast[is_print & differs].sum()) / float(contrast[is_print].sum())
    return gone >= _GONE and _mean(differs[area & ~is_print]) < _SHADED


def is_covered(
    card: DetectedCard,
    accepted: Planes,
    seen: Planes,
    changed: Mask,
    gone: Sequence[DetectedCard],
    others: Sequence[DetectedCard],
    in_view: Sequence[DetectedCard] = (),
) -> bool:
    """Whether a hand, an arm or a thing lies on a card that is not seen.

    What changed reaches to the picture's rim, or a little beyond the card where little table shows in its place. Or
    it is not just in more or less light, and reaches far beyond the card, or a little onto others. Or hardly any table
    shows there at all.

    Args:
        card: as it was known.
        accepted: (3, h, w), the picture in which it lay there.
        seen: (3, h, w), the picture now.
        changed: bool (h, w).
        gone: the cards whose whole place changed, taken away or just laid: what changed there is no thing.
        others: the other cards that are known: they are no table.
        in_view: those of them that are seen as they were: what changed in their places is no thing, but the shadow
            that the card cast on them perhaps.
    """
    outside = _changed_beyond(card, changed, gone)
    if outside is None:
        return True
    outside = outside & ~pieces_mask(in_view, changed.shape)
    replaced = outside & ~in_other_light(accepted, seen)
    beyond, replaced_beyond, replaced_on_others = (
        _in_cards(mask, card) for mask in (outside, replaced, replaced & pieces_mask(others, changed.shape))
    )
    table, has_table_around = _unchanged_table(card, changed, others)
    if int(table.sum()) < _FEW_CELLS:
        return beyond > BEYOND_CARDS
    is_table = _shows_table(seen, table, polygon_mask(card.corners, changed.shape))
    inner, whole = (_own_place(card, changed.shape, grow * card.extent, in_view) for grow in (_inner(card), 1.0))
    if _mean(is_table[inner]) < _NO_TABLE:
        return True
    is_bare = not has_table_around or (_mean(is_table[whole]) >= _BARE and _has_tint_of(table, inner, seen))
    if is_bare:  # the card's shadow went with it
        return replaced_beyond > BEYOND_CARDS or replaced_on_others > LITTLE_BEYOND_CARDS
    return beyond > LITTLE_BEYOND_CARDS


def _shows_table(seen: Planes, table: Mask, place: Mask) -> Mask:
    """Where in a place a picture (3, h, w) shows one of the usual colours of the table, bool (h, w); it may have
    several, and what lies between these is none.
    """
    shades, counts = np.unique(np.round(seen[:, table].T / _SHADE), axis=0, return_counts=True)
    usual = _SHADE * shades[counts >= max(2.0, _FEW_SHADES * counts.sum())]
    usual = usual if len(usual) else _SHADE * shades
    is_table = np.zeros_like(place)
    is_table[place] = np.abs(seen[:, place].T[:, None] - usual).max(2).min(1) <= _CONTRAST
    return is_table


def _has_tint_of(table: Mask, place: Mask, seen: Planes) -> bool:
    """Whether what shows in a place may be the table, in more or in less light."""
    share = (np.median(seen[:, place], axis=1) + _BLACK) / (np.median(seen[:, table], axis=1) + _BLACK)
    return bool(share.max() < _SHADE_TINT * share.min())


def is_uncovered(
    card: DetectedCard,
    accepted: Planes,
    seen: Planes,
    differs: Mask,
    gone: Sequence[DetectedCard],
    below: Sequence[DetectedCard],
) -> bool:
    """Whether a card that covered others was taken away where only these show now.

    Args:
        card: as it was known.
        accepted: (3, h, w), the picture in which it lay there.
        seen: (3, h, w), the picture now.
        differs: bool (h, w), where the two do.
        gone: see `is_covered`.
        below: the cards on which it lay and that are seen whole now.
    """
    if not below or _own_place(card, differs.shape, _inner(card), below).any():
        return False
    is_missing = _is_missing(card, accepted, seen, differs, ()) or _is_print_lost(
        _print_area(card, differs.shape, ()), accepted, seen
    )
    return is_missing and reach_beyond(card, differs, [*gone, *below]) <= BEYOND_CARDS


def shows_below(
    card: DetectedCard, upper: DetectedCard, accepted: Planes, differs: Mask, others: Sequence[DetectedCard]
) -> bool:
    """Whether a known card shows, as it was, beside another that came to lie on it.

    Args:
        card: as it was known.
        upper: as it lies now.
        accepted: (3, h, w), the picture in which the card lay alone.
        differs: bool (h, w), where the picture does now.
        others: see `is_gone`.
    """
    off = _off_table(card, accepted, others)
    if off is None:
        return False
    area = polygon_mask(card.corners, differs.shape)
    beside = area & ~polygon_mask(upper.corners, differs.shape, _BESIDE_UPPER) & (off > _CONTRAST)
    is_enough = np.count_nonzero(beside) >= max(_FEW_CELLS, _LEAST_BESIDE * np.count_nonzero(area))
    return bool(is_enough and _mean(differs[beside]) < _UNCHANGED)


def reach_beyond(card: DetectedCard, changed: Mask, gone: Sequence[DetectedCard]) -> float:
    """How far what changed on a card reaches beyond it and those that come or go, in cards; infinitely to the picture's
    rim.
    """
    outside = _changed_beyond(card, changed, gone)
    return np.inf if outside is None else _in_cards(outside, card)


def _changed_beyond(card: DetectedCard, changed: Mask, gone: Sequence[DetectedCard]) -> Mask | None:
    """What changed together with a card's place, beyond it and those that come or go; None where it reaches the rim."""
    _, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    mine = labels[polygon_mask(card.corners, changed.shape) & changed]
    if not len(mine):
        return np.zeros_like(changed)
    blob = labels == int(np.bincount(mine).argmax())
    places = pieces_mask([card, *gone], changed.shape, 1.15)
    away = blob & ~dilated(places)  # the place of a card at the rim may blur to there
    if away[0].any() or away[-1].any() or away[:, 0].any() or away[:, -1].any():
        return None
    return np.asarray(blob & ~places)


def _in_cards(mask: Mask, card: DetectedCard) -> float:
    """The area of a mask in areas of a card."""
    return float(mask.sum()) / float(polygon_mask(card.corners, mask.shape).sum())


def _own_place(card: DetectedCard, shape: tuple[int, ...], grow: float, in_view: Sequence[DetectedCard]) -> Mask:
    """The mask pixels of a card that are in no other's place; none where these are but a strip."""
    area = polygon_mask(card.corners, shape, grow)
    over = _neighbours(card, in_view)
    if not over:
        return area
    own = area & ~pieces_mask(over, shape)
    return own if np.count_nonzero(own) >= _LEAST_OWN * np.count_nonzero(area) else np.zeros_like(area)


def _mean(mask: NDArray[np.bool_]) -> float:
    return float(mask.mean()) if mask.size else 0.0


def _inner(card: DetectedCard) -> float:
    """How much of a card, from its middle, no blur of its edge reaches."""
    return max(0.6, 1.0 - _BLUR * MASK_PX / card.side)


def _table_around(card: DetectedCard, shape: tuple[int, ...], others: Sequence[DetectedCard]) -> Mask:
    ring = polygon_mask(card.corners, shape, 1.6) & ~polygon_mask(card.corners, shape, 1.2)
    return ring & ~pieces_mask(_neighbours(card, others), shape, 1.1)


def _off_table(card: DetectedCard, accepted: Planes, others: Sequence[DetectedCard]) -> NDArray[np.floating] | None:
    """Grey levels (h, w) by which a picture (3, h, w) differs from the table around a card; None where too little of
    that shows.
    """
    ring = _table_around(card, accepted.shape[1:], others)
    if int(ring.sum()) < _FEW_CELLS:
        return None
    return np.asarray(np.abs(accepted - np.median(accepted[:, ring], axis=1)[:, None, None]).max(0))


def _unchanged_table(card: DetectedCard, changed: Mask, others: Sequence[DetectedCard]) -> tuple[Mask, bool]:
    """Where the table shows near a card, bool (h, w), and whether it does around the card itself.

    Where cards lie all around it, the table around those counts; and what changed is left out, where enough is left:
    a thing that lies on the card and beside it is no table.
    """
    around = _table_around(card, changed.shape, others)
    near_by = pieces_mask(_neighbours(card, others), changed.shape, 1.6)
    near_by &= ~pieces_mask([card, *others], changed.shape, 1.2)
    if int(around.sum()) < _FEW_CELLS:
        return near_by, False
    unchanged = (some & ~changed for some in (around, near_by))
    return next((some for some in unchanged if int(some.sum()) >= _FEW_CELLS), around), True


def _neighbours(card: Outlined, others: Sequence[DetectedCard]) -> list[DetectedCard]:
    """Those of the others that lie close to a card."""
    return [other for other, is_near in zip(others, near(others, [card], _SURROUNDINGS), strict=True) if is_near]


def over_unseen(known: Sequence[DetectedCard], seen: Sequence[DetectedCard], changed: Mask) -> Mask:
    """What lies on a known card that is not seen as it was, with its blur, bool (h, w): it stays a change until it has
    gone. The shadow of a card that is seen beside it is not on it.
    """
    hidden = [c for c, is_seen in zip(known, near(known, seen, 0.3), strict=True) if not is_seen]
    unseen = pieces_mask(hidden, changed.shape)
    over = unseen & changed
    if over.any():
        beside = [s for s in seen if all(shared_area(s.corners, c.corners) < _BESIDE for c in hidden)]
        over &= ~pieces_mask(beside, changed.shape, _WITH_SHADOW)
    if over.any():
        unseen |= dilated(components_touching(changed, over))
    return unseen
