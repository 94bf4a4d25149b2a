"""Whether a card that is not seen was taken away, or lies under a hand or a thing."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import shared_area
from companion.vision.results import DetectedCard, near
from companion.vision.tracking.appearance import (
    BLACK,
    FEW_CELLS,
    SHADE_TINT,
    in_other_light,
    is_detail_lost,
    is_print_lost,
    neighbours_of,
    own_place,
    print_area,
)
from companion.vision.tracking.change_detector import (
    MASK_PX,
    Mask,
    ObservedFrame,
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
_BESIDE, _WITH_SHADOW = 0.1, 1.4
"""A card of which less lies on another lies beside it; so much larger it covers its shadow, too."""
_BARE = 0.7
"""Where so much of a card's place looks like the table around it, the table shows."""
_BARE_WITHIN, _BARE_IF_WITHIN = 0.8, 0.6
"""Where so much of its inner place does, so much of the whole is enough: of a small card's much is its blurred edge."""
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
_BESIDE_UPPER, _LEAST_BESIDE, _UNCHANGED = 1.12, 0.05, 0.3
"""A card shows beside one that lies on it, and its shadow, where so much of it that looks like no table does, and less
than that share of it differs.
"""
TOUCHED = 0.05
"""Where more of a card's place changed, or is a hand, something is over it."""
_MIN_CHANGED = 0.1
"""Where less of a card's place looks different, it is not taken away: a star on pale paper fills an eighth of it."""
_BLUR = 1.5
"""So many mask pixels along a card's edge look like half of it, half of what lies beside it."""


def share_around(card: DetectedCard, hands: Mask) -> float:
    """The share of a card's surroundings that is ``hands`` (h, w): fingers that hold it. Leaves out the card's blur."""
    inner = 1.0 + 1.75 * MASK_PX / card.side
    outer = inner + 0.3 + MASK_PX / card.side
    hands_without, without = count_in(card.corners, hands, inner)
    hands_with, all_with = count_in(card.corners, hands, outer)
    return (hands_with - hands_without) / (all_with - without) if all_with > without else 0.0


def is_at_rest(card: DetectedCard, still: Mask) -> bool:
    """Whether a card lies ``still`` (h, w); noise that stirs a mask pixel here and there is no motion."""
    return (share_in(card.corners, still, 0.97) or 0.0) >= _AT_REST


def rest_s(card: DetectedCard, stirred_s: NDArray[np.float64]) -> float:
    """When a card came to rest: when its place last stirred, (h, w) seconds, in the median, and not at its rim."""
    area = polygon_mask(card.corners, stirred_s.shape, 0.8)
    return float(np.median(stirred_s[area])) if area.any() else -np.inf


def may_be_gone(card: DetectedCard, looked: Mask, view: ObservedFrame) -> bool:
    """Whether a known card may be gone: its place was read, lies still, looks different and has no hand over it.

    Args:
        card: as it was known.
        looked: bool (h, w), where the picture was read.
        view: the frame.
    """
    is_changed = (share_in(card.corners, view.changed, 0.95) or 0.0) >= _MIN_CHANGED
    if not is_changed or share_in(card.corners, looked, 0.95) != 1.0:
        return False
    still, hands = share_in(card.corners, view.still, 0.95), share_in(card.corners, view.hands, 0.95)
    return still is not None and still >= 0.95 and (hands or 0.0) <= TOUCHED


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
    area = own_place(card, differs.shape, _inner(card), in_view)
    off = _off_table(card, accepted, others)
    telling, is_pale = area.astype(np.float32), False
    if off is not None:
        contrast = np.clip(off - _CONTRAST, 0.0, _MOST_TELLING)
        is_pale = int(np.count_nonzero(contrast[area])) < _FEW_TELL * int(area.sum())
        if is_pale and _is_print_gone(off, area, differs):
            return is_detail_lost(card, accepted, seen, differs, others)
        telling = telling if is_pale else contrast * area
    if not area.any():
        return False
    share = float(telling[differs].sum()) / float(telling.sum())
    if share < _GONE_PALE:
        return False
    if (is_pale or share >= _GONE) and is_detail_lost(
        card, accepted, seen, differs, others, None if share >= _GONE else _UNLIKE
    ):
        return True
    return is_print_lost(print_area(card, differs.shape, others), accepted, seen)


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
    if int(table.sum()) < FEW_CELLS:
        return beyond > BEYOND_CARDS
    is_table = _shows_table(seen, table, polygon_mask(card.corners, changed.shape))
    inner, whole = (own_place(card, changed.shape, grow * card.extent, in_view) for grow in (_inner(card), 1.0))
    table_within = _mean(is_table[inner])
    if table_within < _NO_TABLE:
        return True
    least = _BARE_IF_WITHIN if table_within >= _BARE_WITHIN else _BARE
    is_bare = not has_table_around or (_mean(is_table[whole]) >= least and _has_tint_of(table, inner, seen))
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
    share = (np.median(seen[:, place], axis=1) + BLACK) / (np.median(seen[:, table], axis=1) + BLACK)
    return bool(share.max() < SHADE_TINT * share.min())


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
    if not below or own_place(card, differs.shape, _inner(card), below).any():
        return False
    is_lost = is_detail_lost(card, accepted, seen, differs, ()) or is_print_lost(
        print_area(card, differs.shape, ()), accepted, seen
    )
    return is_lost and reach_beyond(card, differs, [*gone, *below]) <= BEYOND_CARDS


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
    is_enough = np.count_nonzero(beside) >= max(FEW_CELLS, _LEAST_BESIDE * np.count_nonzero(area))
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


def _mean(mask: NDArray[np.bool_]) -> float:
    return float(mask.mean()) if mask.size else 0.0


def _inner(card: DetectedCard) -> float:
    """How much of a card, from its middle, no blur of its edge reaches."""
    return max(0.6, 1.0 - _BLUR * MASK_PX / card.side)


def _table_around(card: DetectedCard, shape: tuple[int, ...], others: Sequence[DetectedCard]) -> Mask:
    ring = polygon_mask(card.corners, shape, 1.6) & ~polygon_mask(card.corners, shape, 1.2)
    return ring & ~pieces_mask(neighbours_of(card, others), shape, 1.1)


def _off_table(card: DetectedCard, accepted: Planes, others: Sequence[DetectedCard]) -> NDArray[np.floating] | None:
    """Grey levels (h, w) by which a picture (3, h, w) differs from the table around a card; None where too little of
    that shows.
    """
    ring = _table_around(card, accepted.shape[1:], others)
    if int(ring.sum()) < FEW_CELLS:
        return None
    return np.asarray(np.abs(accepted - np.median(accepted[:, ring], axis=1)[:, None, None]).max(0))


def _unchanged_table(card: DetectedCard, changed: Mask, others: Sequence[DetectedCard]) -> tuple[Mask, bool]:
    """Where the table shows near a card, bool (h, w), and whether it does around the card itself.

    Where cards lie all around it, the table around those counts; and what changed is left out, where enough is left:
    a thing that lies on the card and beside it is no table.
    """
    around = _table_around(card, changed.shape, others)
    near_by = pieces_mask(neighbours_of(card, others), changed.shape, 1.6)
    near_by &= ~pieces_mask([card, *others], changed.shape, 1.2)
    if int(around.sum()) < FEW_CELLS:
        return near_by, False
    unchanged = (some & ~changed for some in (around, near_by))
    return next((some for some in unchanged if int(some.sum()) >= FEW_CELLS), around), True


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
