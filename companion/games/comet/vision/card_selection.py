"""Which outlines of a taught printing are its cards: those read best, as large as most, of each card one, or the parts
of what shows several.
"""

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import area_of, is_patterned, look_correlation
from companion.games.comet.vision.hypothesis import Floats, Hypothesis, off_proportion
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.sizes import FOCAL_LENGTH
from companion.vision.edge_refinement import sides_on_table
from companion.vision.geometry import mapped, shared_area
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import Outlined, near
from companion.vision.tracking.regions import AnyOutlined

SAME_CARD = 0.15
"""An outline nearer to a card that is read than so many sides of a hexagon as large is that card's."""
TOUCHING = 1.03
"""How far apart the middles of cards that touch are, in their widths or heights."""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
"""The corners of a row, in shares of its sides."""
_OVER = 0.05
"""Cards in a row may lie so far apart, in their widths."""
_GRID = 48
"""A card is parted into so many by so many places, to see which of them others cover."""


def read_cards(likely: list[Hypothesis]) -> list[Hypothesis]:
    """The cards on which numbers are read, each once, that look as most of them do."""
    return as_usual(distinct(best_first([one for one in likely if one.legible >= LIMITS.read_card])))


def without_cards(outlines: Sequence[AnyOutlined], cards: Sequence[Outlined]) -> tuple[AnyOutlined, ...]:
    """The outlines but those of some cards."""
    known = near(outlines, cards, SAME_CARD)
    return tuple(one for one, is_known in zip(outlines, known, strict=True) if not is_known)


def is_sure(one: Hypothesis) -> bool:
    """Its outline was found, and its numbers are read surely or it is surely a back."""
    is_told = one.legible >= LIMITS.surely_read or (one.is_back and one.like_back > LIMITS.like_back)
    return is_told and one.found >= LIMITS.card


def confident_cards(likely: list[Hypothesis]) -> list[Hypothesis]:
    """The cards whose outlines were found and whose numbers are read surely."""
    return [one for one in read_cards(likely) if is_sure(one)]


def as_usual(read: list[Hypothesis]) -> list[Hypothesis]:
    """Those that look like the taught face about as much as most do, and are as large: others may lie across two cards.

    One that is read surely may have any size.
    """
    usual = median_correlation(read)
    least = usual - LIMITS.less_alike if usual > LIMITS.like_face else -1.0
    alike = [one for one in read if one.alike >= least]
    sure = [one for one in alike if one.legible >= LIMITS.surely_read]
    odd = LIMITS.odd_area if len(sure) >= LIMITS.nearest else LIMITS.odd_area_sure
    return [one for one in alike if one in sure or not sure or has_usual_size(one, sure, odd)]


def is_blank(one: Hypothesis, read: list[Hypothesis], odd_area: float = LIMITS.same_area) -> bool:
    """It shows no number, looks like no face, and is about as large as the cards ``read``, see `has_usual_size`."""
    is_plain = one.legible < LIMITS.no_number and one.alike < LIMITS.less_like_face
    return is_plain and has_usual_size(one, read, odd_area)


def is_like_read(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """Where no outline was found: numbers are read, and the taught face is seen about as well as on those ``read``.

    It may be less plain where the numbers are read surely: something lies on the card.
    """
    less = LIMITS.less_alike if one.legible < LIMITS.surely_read else LIMITS.hidden_face
    return one.legible >= LIMITS.read_card and shows_taught_face(one, read, less)


def shows_taught_face(one: Hypothesis, read: list[Hypothesis], less: float = LIMITS.less_alike) -> bool:
    """Whether a card looks like the taught face, and hardly ``less`` so than those that are read."""
    return one.alike > max(LIMITS.least_face, median_correlation(read) - less)


def is_fanned(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """Numbers are read where no outline was found, and it looks like those that are read, or they are plain."""
    return is_like_read(one, read) or _is_plain(one)


def _is_plain(one: Hypothesis) -> bool:
    """Each of its numbers is plainly read: where other cards of a fan lie on it, it looks less like the taught face."""
    is_read = one.sections.max(-1).min() >= LIMITS.sure_taught and one.legible >= LIMITS.plainly_read
    return is_read and one.alike > LIMITS.least_face


def median_correlation(read: list[Hypothesis]) -> float:
    """How much most cards on which numbers are read look like the taught face; 0 where there are none."""
    return float(np.median([one.alike for one in read])) if read else 0.0


def best_first(some: list[Hypothesis]) -> list[Hypothesis]:
    """Those that are read best, look most like the taught face or a back, and are found surest come first."""
    return sorted(some, key=rating, reverse=True)


def rating(one: Hypothesis) -> float:
    """How much one looks like a card."""
    return one.legible + max(one.alike, one.is_back) + 0.5 * one.found


def rating_among(one: Hypothesis, outlined: list[Hypothesis]) -> float:
    """How much one looks like a card among those that were outlined and read: the less, the more its size is another,
    and the more of its prints are missing.

    One of a fan that is outlined too small, without the strip that another covers, may look more like the taught face.
    Numbers along one side of a card would also be those along the other side of a card beside it.
    """
    seen = rating(one) + LIMITS.side_weight * one.side_seen - LIMITS.missing_prints * _missing_share(one, outlined)
    if len(outlined) < LIMITS.nearest:
        return seen
    return seen - abs(float(np.log(one.area / usual_area(one.corners, outlined))))


def _missing_share(one: Hypothesis, outlined: list[Hypothesis]) -> float:
    """The share of its prints that are not seen though no other card lies on them."""
    if one.shown.all():
        return 0.0
    others = [other for other in outlined if not clash(one, other)]
    hidden = [one.numbers_within(other.corners).reshape(-1, 3).any(1) for other in others]
    return float(1 - np.any([one.shown.all(1), *hidden], axis=0).mean())


def distinct(ordered: list[Hypothesis]) -> list[Hypothesis]:
    """Of those that lie on each other the first."""
    kept: list[Hypothesis] = []
    for one in ordered:
        if not any(clash(one, other) for other in kept):
            kept.append(one)
    return kept


def clash(one: Hypothesis, other: Hypothesis) -> bool:
    """Two outlines are the same card's, or one of them lies across two cards."""
    if np.hypot(*(one.middle - other.middle)) > one.reach + other.reach:
        return False
    are_read = bool(len(one.numerals) and len(other.numerals))
    is_stack = are_read or (one.is_below and other.is_back) or (other.is_below and one.is_back)
    most = LIMITS.shared_fanned if is_stack else LIMITS.shared_area
    shared = shared_area(one.corners.astype(np.float32), other.corners.astype(np.float32))
    if one.shares_number(other) or other.shares_number(one) or shared > most:
        return True
    return shared > LIMITS.shared_same and _read_the_same(one, other)


def _read_the_same(one: Hypothesis, other: Hypothesis) -> bool:
    """The same three numbers are read on both."""
    is_read = min(one.legible, other.legible) >= LIMITS.read_card
    return is_read and bool((one.sections.argmax(-1) == other.sections.argmax(-1)).all())


def free_share(one: Hypothesis, others: list[Hypothesis]) -> float:
    """The share of an outline that others leave free."""
    return float(_free_places(one.corners, others, (_GRID, _GRID)).mean())


def uncovered_correlation(pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis, above: list[Hypothesis]) -> float:
    """Correlation with the taught face, -1..1, of what of a card those lying on it leave free."""
    face = taught.profile.face
    free = _free_places(one.corners, above, (face.shape[0], face.shape[1]))
    return look_correlation(pyramid, one.corners, face, free > 0)


def _free_places(corners: Floats, others: list[Hypothesis], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Which of the places (h, w) into which an outline (4, 2) is parted others leave free: 1, or 0."""
    h, w = shape
    outline = corners.astype(np.float32)
    ends = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    places_from_image = cv2.getPerspectiveTransform(outline, ends).astype(np.float64)
    free = np.ones(shape, np.uint8)
    for other in others:
        # only what lies on it: a place beyond the horizon of an outline seen askew would be mapped onto it
        area, shared = cv2.intersectConvexConvex(outline, other.corners.astype(np.float32))
        if area > 0:
            places = mapped(places_from_image, np.asarray(shared, np.float64)[:, 0])
            cv2.fillConvexPoly(free, np.round(places - 0.5).astype(np.int32), 0)
    return free


def has_usual_size(one: Hypothesis, usual: list[Hypothesis], odd: float = LIMITS.odd_area) -> bool:
    """An outline is about as large as the read cards nearest to it: its area is off by less, as a logarithm."""
    ratio = one.area / usual_area(one.corners, usual)
    return bool(abs(np.log(max(ratio, 1e-3))) < odd)


def usual_area(corners: Floats, usual: list[Hypothesis]) -> float:
    """The area of a card where an outline (4, 2) lies, as that of the cards nearest to it and the tilt tell."""
    place = corners.mean(0)
    areas, middles, (level, slope) = _sizes(tuple(usual))
    nearest = np.argsort(np.linalg.norm(middles - place, axis=1))[: LIMITS.nearest]
    ratios = (level + place @ slope) / (level + middles[nearest] @ slope)
    return float(np.median(areas[nearest] * np.clip(ratios, *LIMITS.tilted_ratio) ** 3))


@lru_cache(maxsize=4)
def _sizes(usual: tuple[Hypothesis, ...]) -> tuple[Floats, Floats, tuple[float, Floats]]:
    """The areas (N,) of cards, their middles (N, 2), and how the cube root of an area changes across the picture.

    Of a plane that is seen from the side the cube root of a small part's area changes linearly: the level at the
    picture's corner and the slope (2,) a pixel; the slope of too few cards is 0.
    """
    areas, middles = np.array([one.area for one in usual]), np.array([one.middle for one in usual])
    if len(usual) < LIMITS.fewest_tilted:
        return areas, middles, (1.0, np.zeros(2))
    side_px = np.sqrt(np.median(areas))
    roots, places = np.cbrt(areas / np.median(areas)), (middles - middles.mean(0)) / side_px
    weights = np.ones(len(usual))
    for _ in range(2):  # once more without those that are off
        level = float(weights @ roots / weights.sum())
        weighed = weights[:, None] * places
        slope = np.linalg.solve(weighed.T @ places + LIMITS.flat_table * np.eye(2), weighed.T @ (roots - level))
        weights = 1 / (1 + ((roots - level - places @ slope) / LIMITS.odd_root) ** 2)
    slope = slope / side_px
    return areas, middles, (level - float(middles.mean(0) @ slope), slope)


def nearest_first(place: Floats, some: list[Hypothesis]) -> list[Hypothesis]:
    """Those whose middles are nearest to a place (2,) come first."""
    apart = np.linalg.norm(np.array([one.middle for one in some]) - place, axis=1)
    return [some[k] for k in np.argsort(apart)]


def parts_of(row: Floats, half_width: float, size: tuple[int, int]) -> list[Floats]:
    """The cards (4, 2) that an outline (4, 2) may show in a row or a fan, as its proportion on the table tells.

    Those at both ends are whole, any between them lie evenly.
    """
    sides = sides_on_table(row[None].astype(np.float64), FOCAL_LENGTH * max(size), np.array(size) / 2)
    wide, high = (float(side[0]) for side in sides)
    parts: list[Floats] = []
    for across, long in ((row, wide / high), (np.roll(row, -1, 0), high / wide)):
        image_from_row = cv2.getPerspectiveTransform(_UNIT, across.astype(np.float32)).astype(np.float64)
        for card in (half_width, 1 / half_width):
            count = int(np.ceil(long / card - _OVER))
            if LIMITS.least_part * card < long and count <= LIMITS.longest_row:
                starts = np.linspace(0, 1 - card / long, max(2, count))
                parts += [mapped(image_from_row, _UNIT * [card / long, 1] + [start, 0]) for start in starts]
    return parts


def rows_of(row: Floats, area: float, half_width: float) -> list[list[Floats]]:
    """The ways to part an outline (4, 2) of some cards in a row into cards (4, 2), the likelier first; none for one.

    They touch, or lie on each other, each by as much, and have about that area and proportion.
    """
    ratio = area_of(row) / area
    fewest = max(2, int(np.ceil(ratio * np.exp(-LIMITS.same_area))))
    most = min(LIMITS.longest_row, int(np.ceil(ratio / TOUCHING)))
    for count in range(fewest, most + 1) if ratio >= LIMITS.least_row else ():
        share = max(1 / ratio, 1 / count)  # a card's, of the row's length
        odd = LIMITS.plain_proportion if share * count < TOUCHING else LIMITS.odd_proportion
        ways: list[tuple[float, list[Floats]]] = []
        for across in (row, np.roll(row, -1, 0)):
            image_from_row = cv2.getPerspectiveTransform(_UNIT, across.astype(np.float32)).astype(np.float64)
            starts = np.linspace(0, 1 - share, count)
            parts: list[Floats] = [mapped(image_from_row, _UNIT * [share, 1] + [start, 0]) for start in starts]
            off = max(off_proportion(part, half_width) for part in parts)
            if off < odd:
                ways.append((off, parts))
        if ways:
            return [parts for _, parts in sorted(ways, key=lambda way: way[0])]
    return []


def is_of_another_printing(taught: TaughtNumerals, there: list[Hypothesis]) -> bool:
    """Whether the cards, if none is familiar, are another printing's: backs that nobody taught say nothing of that, and
    one that is read says no more than others where they cover much of it.
    """
    faces = [one for one in there if taught.profile.back.size or not one.is_back]
    is_plain = any(
        one.legible >= LIMITS.read_card
        and free_share(one, [other for other in there if other is not one]) > LIMITS.free_share_foreign
        for one in faces
    )
    return len(there) >= LIMITS.fewest_foreign and (is_plain or len(faces) >= LIMITS.fewest_foreign)


def is_familiar(taught: TaughtNumerals, likely: list[Hypothesis], there: list[Hypothesis]) -> bool:
    """Whether a card that is there is read and looks at all like the taught face; or, where none is, what is likely one
    looks much like that; or it looks much like the taught back.

    One plain back looks like any other: it says nothing beside cards that are read. Three numbers in a row may be read
    on any printing, but stand elsewhere on its cards: then no outline is found around those that are read, and few of
    them look as taught.
    """
    read = [one for one in there if one.legible >= LIMITS.read_card]
    if read:
        alike, is_outlined = [one.alike for one in read], any(one.found >= LIMITS.card for one in read)
        is_face = max(alike) > LIMITS.least_like_face if is_outlined else np.median(alike) > LIMITS.like_face
    else:
        is_face = any(one.alike > LIMITS.like_face and one.found >= LIMITS.card for one in likely)
    is_any_read = any(one.legible >= LIMITS.read_card for one in likely)
    backs = likely if not is_any_read or is_patterned(taught.profile.back) else []
    return bool(is_face) or any(one.like_back > LIMITS.like_face for one in backs)
