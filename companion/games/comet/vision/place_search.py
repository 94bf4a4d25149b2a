"""Where labelled cards show their numbers: boxes around ink, named by the network, that agree among the cards.

The cards' outlines are moved until the labelled numbers are seen on all of them in the same places.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused
from companion.games.comet.vision.appearance import align, card_colour, look_at
from companion.games.comet.vision.places import Boxes, NumberPlaces, card_to_image, ink_boxes, places_at
from companion.games.comet.vision.profile import LOOK_HIGH, look_shape
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.taught_numerals import NumberViews, classify_views
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.sizes import FOCAL_LENGTH, as_large_as, completed
from companion.vision.edge_refinement import proportion_of, refine
from companion.vision.geometry import mapped, opposite_sides
from companion.vision.image.pyramid import Pyramid

_SHIFTS = np.linspace(-0.24, 0.24, 9).tolist()
"""How far a card's outline may be off, in its sides, in steps after which a number is still told."""
_SIDE_STEPS = (-0.12, -0.09, -0.06, -0.03, 0.03, 0.06, 0.09, 0.12)
_CORNER_STEPS = (-0.3, -0.24, -0.18, -0.12, -0.06, 0.06, 0.12, 0.18, 0.24, 0.3)
"""How far a side, and a corner, of a card's outline may be off, in the sides beside it."""
_PARTS_MOVED = 3
"""So many of them may be off."""
NUMBERS_NOT_SEEN = (
    "the labelled numbers are not seen on the cards: lay them upright in even light, hold the camera still, and give "
    "each card's numbers as they are printed, top to bottom or left to right"
)
_USUAL = 63.0 / 88.0
"""The width of usual cards over their height."""
_BEYOND_END = 1.2
"""What lies at the end of a strip is seen so many times its length from its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The boxes of a card (N, 3), what they show upright, and what they show turned by half a turn."""

    boxes: Boxes
    upright: NumberViews
    turned: NumberViews

    def likely(self, value: int, *, is_turned: bool) -> NDArray[np.float64]:
        """How likely each box shows a number that way up (N,)."""
        views = self.turned if is_turned else self.upright
        return _shown(views, np.exp(views.numbers[:, NUMBERS.index(value)]))


@dataclass(frozen=True, slots=True, eq=False)
class TaughtCard:
    """A labelled card.

    Attributes:
        corners: its outline (4, 2) as found, begun at the top left.
        values: its three numbers as printed; none where it lies face down.
        rough: its outline (4, 2) as a person gave it, begun anywhere.
    """

    pyramid: Pyramid
    corners: NDArray[np.floating]
    values: tuple[int, ...]
    rough: NDArray[np.floating] | None = None
    _seen: dict[float, _Seen] = field(default_factory=dict, init=False)
    """What its boxes show, by the half width it was looked at with."""

    def seen(self, half_width: float) -> _Seen:
        """What its boxes show, looked at once."""
        if half_width not in self._seen:
            self._seen[half_width] = _look(self, half_width)
        return self._seen[half_width]


def _shown(views: NumberViews, likely: NDArray[np.floating]) -> NDArray[np.float64]:
    """How likely numbers (N,) are shown and stand upright: a 6 or a 9 alone looks as likely turned."""
    return np.asarray(likely * np.minimum(1.0, views.upright / LIMITS.either_way), np.float64)


def find_places(cards: Sequence[TaughtCard], half_width: float) -> tuple[Boxes, NDArray[np.intp], NDArray[np.bool_]]:
    """Where the numbers stand on most of the cards: boxes (P, 3), which number each shows, and whether upside down.

    Slots without a place are missing among them.
    """
    seen = [card.seen(half_width) for card in cards]
    found: list[tuple[int, bool, NDArray[np.float64]]] = []
    for slot in range(3):
        for is_turned in (False, True):
            likely = [one.likely(card.values[slot], is_turned=is_turned) for one, card in zip(seen, cards, strict=True)]
            found += [(slot, is_turned, box) for box in _agreeing([one.boxes for one in seen], likely, len(cards))]
    found += _completed(cards, found, half_width)
    boxes = np.array([box for *_, box in found]).reshape(-1, 3)
    return boxes, np.array([slot for slot, *_ in found], np.intp), np.array([turned for _, turned, _ in found], bool)


def _completed(
    cards: Sequence[TaughtCard], found: Sequence[tuple[int, bool, NDArray[np.float64]]], half_width: float
) -> list[tuple[int, bool, NDArray[np.float64]]]:
    """The place of a third number in one line with two that are found: ink that touches a frame shows no box."""
    upright = {slot: box for slot, is_turned, box in reversed(found) if not is_turned}
    if len(upright) != 2:
        return []
    missing = 3 - sum(upright)
    a, b = (upright[slot] for slot in sorted(upright))
    middle = (a + b) / 2 if missing == 1 else 2 * a - b if missing == 0 else 2 * b - a
    middle[2] = np.median([a[2], b[2]])
    nudges = np.stack(np.meshgrid(*3 * [np.linspace(-0.3, 0.3, 7)]), -1).reshape(-1, 3) * [1.0, 1.0, 0.5]
    boxes = middle + nudges * middle[2]
    places = places_at(boxes, np.zeros(len(boxes), bool), half_width)
    shown = []
    for card in cards:
        views = classify_views(places.views(card.pyramid, card.corners[None])[0])
        shown.append(_shown(views, np.exp(views.numbers[:, NUMBERS.index(card.values[missing])])))
    mean = np.mean(shown, axis=0)
    best = int(mean.argmax())
    return [(missing, False, boxes[best])] if mean[best] >= LIMITS.agreeing_share else []


def find_unlabelled_places(
    cards: Sequence[Sequence[TaughtCard]], half_width: float
) -> tuple[NumberPlaces, list[TaughtCard]] | None:
    """Where cards of which nothing is known show three numbers each, and the cards the way up that says so.

    None where no three places, in a row or in a column, show a number on nearly all cards.

    Args:
        cards: each the ways up that it may lie.
        half_width: theirs.
    """
    chosen, seen, plain = [], [], []
    for ways in cards:
        looks = [_look(way, half_width, both=False) for way in ways]
        likely = [_shown(look.upright, np.exp(look.upright.numbers[:, :-1]).max(-1)) for look in looks]
        best = max(range(len(ways)), key=lambda k: float(np.sort(likely[k])[-6:].sum()))
        chosen.append(ways[best])
        seen.append(looks[best].boxes)
        plain.append(np.asarray(likely[best], np.float64))
    places = np.array(_agreeing(seen, plain, len(cards))).reshape(-1, 3)
    if len(places) != 3 or np.ptp(np.log(places[:, 2])) > LIMITS.uneven_numerals:
        return None
    spread = np.ptp(places[:, :2], axis=0)
    order = np.argsort(places[:, int(spread[1] > spread[0])])
    return places_at(places[order], np.zeros(3, bool), half_width, np.arange(3)), chosen


def _look(card: TaughtCard, half_width: float, *, both: bool = True) -> _Seen:
    """What the boxes of a card show; upside down too with ``both``."""
    boxes = ink_boxes(card.pyramid, card.corners, half_width)
    ways = [places_at(boxes, np.full(len(boxes), is_turned), half_width) for is_turned in (False, True)[: 1 + both]]
    seen = [classify_views(places.views(card.pyramid, card.corners[None])[0]) for places in ways]
    return _Seen(boxes, seen[0], seen[-1])


def _agreeing(boxes: Sequence[Boxes], likely: Sequence[NDArray[np.float64]], count: int) -> list[NDArray[np.float64]]:
    """Where the boxes that show the labelled number lie on nearly all cards: means (3,) of them."""
    places: list[NDArray[np.float64]] = []
    used = [np.zeros(len(one), bool) for one in boxes]
    while True:
        best: tuple[float, list[int]] = (0.0, [])
        for i, some in enumerate(boxes):
            for j in np.flatnonzero((likely[i] > LIMITS.plain_view) & ~used[i]):
                picks = [_nearest(boxes[k], likely[k], used[k], some[j]) for k in range(len(boxes))]
                score = sum(float(likely[k][p]) for k, p in enumerate(picks) if p >= 0)
                if score > best[0]:
                    best = (score, picks)
        score, picks = best
        if score < LIMITS.agreeing_share * count:
            return places
        held = np.array([boxes[k][p] for k, p in enumerate(picks) if p >= 0])
        place = np.median(held, axis=0)
        places.append(place)
        for k, some in enumerate(boxes):
            used[k] |= np.linalg.norm(some[:, :2] - place[:2], axis=1) < 0.7 * place[2]


def _nearest(boxes: Boxes, likely: NDArray[np.float64], used: NDArray[np.bool_], place: NDArray[np.float64]) -> int:
    """The box that most likely shows the number about there and as large; -1 where none does."""
    high = place[2]
    off = np.abs(boxes[:, :2] - place[:2])
    fits = (off[:, 0] < 0.45 * high) & (off[:, 1] < 0.25 * high) & (np.abs(np.log(boxes[:, 2] / high)) < 0.22) & ~used
    if not fits.any():
        return -1
    return int(np.where(fits, likely, -1.0).argmax())


def fit_outlines(cards: Sequence[TaughtCard]) -> tuple[list[TaughtCard], NumberPlaces]:
    """The cards upright, their outlines moved until their labelled numbers are seen, and where those stand.

    Raises:
        TeachingRefused: ``numbers-not-found``.
    """
    return _agreed(*_within_neighbours(*_upright(cards)))


def _upright(cards: Sequence[TaughtCard]) -> tuple[list[TaughtCard], float]:
    """The cards begun at their top left, and their half width.

    Cards lie upright; a photograph taken from another side of the table is noticed by its numbers.
    """
    for start in (0, 2, 1, 3):
        ways = [replace(card, corners=np.roll(card.corners, -start, 0)) for card in cards]
        half_width = _half_width(ways)
        if set(find_places(ways, half_width)[1].tolist()) == {0, 1, 2}:
            return ways, half_width
    raise TeachingRefused(NUMBERS_NOT_SEEN, code="numbers-not-found")


def _agreed(cards: Sequence[TaughtCard], half_width: float) -> tuple[list[TaughtCard], NumberPlaces]:
    """The cards, their outlines as found or moved to agree, as more of their numbers are then seen, and the places."""
    found = _seen_on(cards, half_width)
    if found is not None and found[0].min() < LIMITS.labels_seen <= found[0].max():
        seen = found[0]
        found = _better(found, _seen_on(_as_large(cards, (seen >= LIMITS.labels_seen).tolist(), found[2]), half_width))
        found = _better(found, _seen_on(_aligned(cards, half_width, seen), half_width))
    if found is None or found[0].min() < LIMITS.labels_seen:
        found = _better(found, _seen_on(_aligned(cards, half_width), half_width))
    if found is not None and found[0].min() < LIMITS.labels_seen_in_part:
        found = _better(found, _moved_to_labels(found))
    if found is None or (found[0].min() < LIMITS.labels_unseen and float(np.median(found[0])) >= LIMITS.labels_seen):
        raise TeachingRefused(NUMBERS_NOT_SEEN, code="numbers-not-found")
    return found[1:]


def _within_neighbours(cards: Sequence[TaughtCard], half_width: float) -> tuple[list[TaughtCard], float]:
    """The cards and their half width, their outlines' sides moved in where those of cards in a row reach to the next.

    All are then as oblong as usual cards, edges show where the moved sides lie, and the table beyond. Other cards have
    no edges there, or printed lines, and their outlines mostly find back.
    """
    for usual in (_USUAL, 1 / _USUAL):
        share = min(usual / half_width, half_width / usual)
        if not LIMITS.least_within < share < np.exp(-LIMITS.usual_proportion):
            continue
        for side in (1, 3) if usual < half_width else (0, 2):
            moved = [_with_side_moved(card.corners, side, share - 1) for card in cards]
            edges = refine(cards[0].pyramid, moved)
            support = float(np.median([one.support[side] for one in edges]))
            is_kept = float(np.median([one.moved for one in edges])) < (1 - share) / 2
            if is_kept and support >= LIMITS.side_within and _is_table_beyond(cards, moved, side):
                exact = [one.corners.astype(np.float32) for one in edges]
                return [replace(card, corners=quad) for card, quad in zip(cards, exact, strict=True)], usual
    return list(cards), half_width


def _with_side_moved(
    outline: NDArray[np.floating], side: int, step: float, ends: tuple[int, int] = (1, 1)
) -> NDArray[np.float64]:
    """An outline (4, 2) with a side, or one of its ``ends``, moved out by so much of the sides beside it, or in."""
    begun = np.roll(outline.astype(np.float64), -side, 0)
    away = np.stack([ends[0] * (begun[0] - begun[3]), ends[1] * (begun[1] - begun[2]), np.zeros(2), np.zeros(2)])
    return np.roll(begun + step * away, side, 0)


def _is_table_beyond(cards: Sequence[TaughtCard], moved: Sequence[NDArray[np.float64]], side: int) -> bool:
    """Whether what most outlines lose by having a side moved in looks like what lies at its ends, and not like them."""
    told = []
    for card, quad in zip(cards, moved, strict=True):
        (a, b, *_), (inner_a, inner_b, *_) = (np.roll(one, -side, 0) for one in (card.corners, quad))
        strip = np.array([a, b, inner_b, inner_a])
        along = (b - a + inner_b - inner_a) / 2
        ends = [strip + _BEYOND_END * along, strip - _BEYOND_END * along]
        colours = [np.log(card_colour(card.pyramid, one)) for one in (strip, quad, *ends)]
        off_card, *off_ends = (float(np.abs(other - colours[0]).max()) for other in colours[1:])
        told.append(min(off_ends) < off_card / 2)
    return sum(told) > len(told) / 2


_Agreement = tuple[NDArray[np.float64], list[TaughtCard], NumberPlaces]
"""How surely the labelled numbers are seen on each card (N,), the cards, and the numbers' places."""


def _seen_on(cards: Sequence[TaughtCard], half_width: float) -> _Agreement | None:
    """What is seen of the labels once the outlines are moved to the cards' edges; None where no places are found."""
    at_edges = _to_edges(cards, half_width)
    places = _places(at_edges, half_width)
    if places is None:
        return None
    return _labels_seen(at_edges, places), at_edges, places


def _labels_seen(cards: Sequence[TaughtCard], places: NumberPlaces) -> NDArray[np.float64]:
    """How surely the labelled numbers are seen on each card (N,)."""
    seen = classify_views(np.stack([places.views(card.pyramid, card.corners[None])[0] for card in cards]))
    labelled = np.array([[NUMBERS.index(card.values[slot]) for slot in places.slots] for card in cards])
    return np.asarray(np.exp(np.take_along_axis(seen.numbers, labelled[..., None], -1))[..., 0].mean(1), np.float64)


def _better(one: _Agreement | None, other: _Agreement | None) -> _Agreement | None:
    """That of which more is seen."""
    if one is None or other is None:
        return one or other
    return other if other[0].mean() > one[0].mean() else one


def _places(cards: Sequence[TaughtCard], half_width: float) -> NumberPlaces | None:
    """Where the numbers stand; None where one of the three is not found."""
    boxes, slots, turned = find_places(cards, half_width)
    return places_at(boxes, turned, half_width, slots) if set(slots.tolist()) == {0, 1, 2} else None


def _half_width(cards: Sequence[TaughtCard]) -> float:
    """The cards' width over their height; that of usual cards where it is about that."""
    ratios = []
    for card in cards:
        size = card.pyramid.size
        long = proportion_of(card.corners.astype(float), FOCAL_LENGTH * max(size), np.array(size) / 2)
        across, down = opposite_sides(card.corners)
        ratios.append(1 / long if across < down else long)
    ratio = float(np.median(ratios))
    for usual in (_USUAL, 1 / _USUAL):
        if abs(np.log(ratio / usual)) < LIMITS.usual_proportion:
            return usual
    return ratio


def _aligned(
    cards: Sequence[TaughtCard], half_width: float, seen: NDArray[np.float64] | None = None
) -> list[TaughtCard]:
    """The cards, their outlines moved to agree with each other; or with those on which the labels are surely ``seen``
    (N,), the others'.

    None on which most are seen is then moved off its card's edges: where other numbers stand than on the others,
    agreement pulls it askew.
    """
    is_exact = np.zeros(len(cards), bool) if seen is None else seen >= LIMITS.labels_seen
    shape, aligned = look_shape(half_width), list(cards)
    for _ in range(2):
        looks = np.array([look_at(card.pyramid, card.corners, shape) for card in aligned])
        mean = (looks if seen is None else looks[is_exact]).mean(0)
        for i in np.flatnonzero(~is_exact).tolist():
            card = aligned[i]
            aligned[i] = replace(card, corners=align(card.pyramid, card.corners, mean).corners)
    if seen is None:
        return aligned
    off = [_off_edges(some) for some in (cards, aligned)]
    stays = (seen >= LIMITS.labels_seen_in_part) & (off[1] > off[0] + LIMITS.moved_off_edges)
    return [before if stay else after for before, after, stay in zip(cards, aligned, stays, strict=True)]


def _off_edges(cards: Sequence[TaughtCard]) -> NDArray[np.float64]:
    """How far off the edges that show the cards' outlines lie (N,), in sizes of a card; as far as can be if none do."""
    edges = refine(cards[0].pyramid, [card.corners.astype(np.float64) for card in cards])
    return np.array([one.moved if one.support.min() >= LIMITS.side_within else 1.0 for one in edges])


def _as_large(cards: Sequence[TaughtCard], exact: Sequence[bool], places: NumberPlaces) -> list[TaughtCard]:
    """The cards, those that are not ``exact`` made as large as those that are, where more of their labels is then seen.

    Of a card beside another the side may have been taken for the neighbour's, or a line of the table for either side:
    where a label is not seen then, it is looked for around.
    """
    sure = np.array([card.corners for card, is_exact in zip(cards, exact, strict=True) if is_exact], np.float64)
    found = list(cards)
    for i, card in enumerate(cards):
        if not exact[i]:
            seen = card.corners.astype(np.float64)
            ways = [seen, *as_large_as(seen, sure), *completed(seen, sure)]
            for some in (ways, [moved for way in ways for moved in _moved(way)]):
                tried = [replace(card, corners=np.asarray(way, np.float32)) for way in some]
                shown = _labels_seen(tried, places)
                found[i] = tried[int(shown.argmax())]
                if shown.max() >= LIMITS.labels_unseen:
                    break
    return found


def _moved(outline: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """An outline (4, 2) moved along its sides each way."""
    along, down = outline[1] - outline[0], outline[3] - outline[0]
    return [outline + x * along + y * down for x in _SHIFTS for y in _SHIFTS]


def _moved_to_labels(found: _Agreement) -> _Agreement:
    """The same, with parts of outlines moved to where their cards' labels are seen: one may be a thing's beside.

    A number that is printed twice would else be taught where it does not stand. Labels that are wrong are never seen.
    """
    seen, cards, places = found
    moved = list(cards)
    for i, card in enumerate(cards):
        for _ in range(_PARTS_MOVED if seen[i] < LIMITS.labels_seen_in_part else 0):
            ways = [moved[i], *(replace(card, corners=way) for way in _with_part_moved(moved[i].corners))]
            moved[i] = ways[int(_labels_seen(ways, places).argmax())]
    seen_there = _labels_seen(moved, places)
    is_seen = seen_there >= LIMITS.labels_seen
    kept = [there if sure else card for card, there, sure in zip(cards, moved, is_seen.tolist(), strict=True)]
    return np.where(is_seen, seen_there, seen), kept, places


def _with_part_moved(outline: NDArray[np.floating]) -> list[NDArray[np.float32]]:
    """An outline (4, 2) with one of its sides moved in or out, or one of its corners along a side, each way."""
    parts = (((1, 1), _SIDE_STEPS), ((1, 0), _CORNER_STEPS), ((0, 1), _CORNER_STEPS))
    return [
        _with_side_moved(outline, side, step, ends).astype(np.float32)
        for side in range(4)
        for ends, steps in parts
        for step in steps
    ]


def _to_edges(cards: Sequence[TaughtCard], half_width: float) -> list[TaughtCard]:
    """The cards, their outlines moved out to their edges where they were found at a frame printed within."""
    away = _beyond_frame(cards, half_width)
    if not away.any():
        return list(cards)
    rect = np.array([[-half_width, -1], [half_width, -1], [half_width, 1], [-half_width, 1]])
    rect += np.array([[-away[3], -away[0]], [away[1], -away[0]], [away[1], away[2]], [-away[3], away[2]]])
    return [
        replace(card, corners=mapped(card_to_image(card.corners, half_width), rect).astype(np.float32))
        for card in cards
    ]


def _beyond_frame(cards: Sequence[TaughtCard], half_width: float) -> NDArray[np.float64]:
    """How far beyond the outlines the cards' top, right, bottom and left edges lie (4,), in half heights.

    The outlines agree with each other; where people gave corners, those say it by their mean, else an edge that all
    cards have at the same distance.
    """
    given = [card for card in cards if card.rough is not None]
    if len(given) == len(cards):
        away = np.array([_rough_sides(card, half_width) for card in given])
        mean, error = away.mean(0), away.std(0) / np.sqrt(len(away))
        is_off = np.abs(mean).max() > LIMITS.frame_inset and (np.abs(mean) > 2 * error).sum() > 2
        return np.asarray(mean) if is_off else np.zeros(4)
    return _edge_beyond(cards, half_width)


def _rough_sides(card: TaughtCard, half_width: float) -> NDArray[np.float64]:
    """How far beyond its outline a card's sides lie by its rough outline (4,)."""
    assert card.rough is not None
    image_from_card = card_to_image(card.corners, half_width)
    places = mapped(np.linalg.inv(image_from_card), card.rough)
    x, y = np.sort(places[:, 0]), np.sort(places[:, 1])
    return np.array([-1 - y[:2].mean(), x[2:].mean() - half_width, y[2:].mean() - 1, -half_width - x[:2].mean()])


def _edge_beyond(cards: Sequence[TaughtCard], half_width: float) -> NDArray[np.float64]:
    """How far beyond their outlines all cards show an edge along each side (4,), 0 where they do not."""
    shape = (2 * LOOK_HIGH, round(2 * LOOK_HIGH * half_width))
    margin = round(LIMITS.widest_margin * LOOK_HIGH)
    looks = [look_at(card.pyramid, card.corners, shape, margin) for card in cards]
    found = np.zeros(4)
    for side in range(4):
        steps = []
        for look in looks:
            strip = np.rot90(look, side)[:margin, margin:-margin]
            middle = np.median(strip[:, strip.shape[1] // 8 : -(strip.shape[1] // 8)], axis=1)
            steps.append(np.abs(np.gradient(cv2.GaussianBlur(middle[:, None].astype(np.float32), (1, 3), 0)[:, 0])))
        profile = np.median(steps, axis=0)  # an outline that is off has an edge beyond it that the others lack
        least = max(2, round(LIMITS.frame_inset * LOOK_HIGH))
        is_peak = (profile[1:-1] > profile[:-2]) & (profile[1:-1] >= profile[2:])  # no soft outline's own slope is
        outer = np.where(is_peak, profile[1:-1], 0.0)[: max(0, margin - least - 1)]
        if len(outer) and outer.max() > LIMITS.edge_step:
            found[side] = (margin - 1.5 - int(outer.argmax())) / LOOK_HIGH
    return found if (found > 0).all() and np.ptp(found) < LIMITS.uneven_margin else np.zeros(4)
