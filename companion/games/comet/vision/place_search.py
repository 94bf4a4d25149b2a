"""Where labelled cards show their numbers: boxes around ink, named by the network, that agree among the cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import NumberPlaces, card_to_image
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.taught_numerals import NumberViews, classify_views
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid, warp

Boxes = NDArray[np.float64]
"""Middles and heights (N, 3) in a card's frame."""
_PX_PER_UNIT = 200.0
"""How large a card's half height is looked at."""
_BLOCKS = (31, 75, 151)
"""The neighbourhoods in pixels whose mean parts ink from ground."""
_STEP = 7
"""Of 255: ink differs from that mean by more."""
_LOWEST, _HIGHEST = 0.09, 0.87
"""How high numerals are, in half heights of the card; at most in halves of its shorter side."""
_MOST_BOXES = 220


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


def _shown(views: NumberViews, likely: NDArray[np.floating]) -> NDArray[np.float64]:
    """How likely numbers (N,) are shown and stand upright: a 6 or a 9 alone looks as likely turned."""
    return np.asarray(likely * np.minimum(1.0, views.upright / LIMITS.either_way), np.float64)


def find_places(cards: Sequence[TaughtCard], half_width: float) -> tuple[Boxes, NDArray[np.intp], NDArray[np.bool_]]:
    """Where the numbers stand on most of the cards: boxes (P, 3), which number each shows, and whether upside down.

    Slots without a place are missing among them.
    """
    seen = [_look(card, half_width) for card in cards]
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


def ink_boxes(pyramid: Pyramid, corners: NDArray[np.floating], half_width: float) -> Boxes:
    """Boxes around what may be numbers on a card: middles and heights (N, 3) in its frame."""
    size = (round(2 * half_width * _PX_PER_UNIT), round(2 * _PX_PER_UNIT))
    card_from_pixel = np.array([[1 / _PX_PER_UNIT, 0, -half_width], [0, 1 / _PX_PER_UNIT, -1], [0, 0, 1.0]])
    area = abs(cv2.contourArea(np.asarray(corners, np.float32)))
    px = float(np.sqrt(area / (size[0] * size[1])))
    seen = warp(pyramid, card_to_image(corners, half_width) @ card_from_pixel, size, px)
    highest = _HIGHEST * min(half_width, 1.0) * _PX_PER_UNIT
    found = [
        box
        for channel in (cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), *cv2.split(seen))
        for ink in _inks(cv2.GaussianBlur(channel, (5, 5), 0))
        for box in _components(ink, highest)
    ]
    boxes = _distinct(np.array(found, np.float64).reshape(-1, 4))
    return np.stack(
        [
            (boxes[:, 0] + boxes[:, 2] / 2) / _PX_PER_UNIT - half_width,
            (boxes[:, 1] + boxes[:, 3] / 2) / _PX_PER_UNIT - 1,
            boxes[:, 3] / _PX_PER_UNIT,
        ],
        1,
    )


def _inks(smooth: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Where a channel differs from the mean around: what is brighter, then what is darker, for each neighbourhood."""
    for block in _BLOCKS:
        mean = cv2.boxFilter(smooth, -1, (block, block), borderType=cv2.BORDER_REPLICATE)
        yield cv2.threshold(cv2.subtract(smooth, mean), _STEP, 255, cv2.THRESH_BINARY)[1]
        yield cv2.threshold(cv2.subtract(mean, smooth), _STEP - 1, 255, cv2.THRESH_BINARY)[1]


def _components(ink: NDArray[Any], highest: float) -> list[tuple[float, float, float, float]]:
    """Boxes (x, y, w, h) around connected ink as high as numerals, and around two of them side by side."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=4)
    x, y, w, h, held = stats[1:].T.astype(float)
    is_numeral = (h > _LOWEST * _PX_PER_UNIT) & (h < highest)
    is_numeral &= (w > 0.08 * h) & (w < 1.6 * h) & (held > 0.08 * w * h)
    ones = list(zip(*np.stack([x, y, w, h])[:, is_numeral].tolist(), strict=True))
    boxes = [*ones]
    for a in ones:
        for b in ones:
            gap = b[0] - (a[0] + a[2])
            if 0 <= gap < 0.5 * a[3] and abs(a[1] - b[1]) < 0.15 * a[3] and abs(a[3] - b[3]) < 0.18 * a[3]:
                top, bottom = min(a[1], b[1]), max(a[1] + a[3], b[1] + b[3])
                boxes.append((a[0], top, b[0] + b[2] - a[0], bottom - top))
    return boxes


def _distinct(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The boxes without those that are nearly another one."""
    kept = np.empty((min(len(boxes), _MOST_BOXES), 4))
    count = 0
    for box in boxes:
        if count == len(kept):
            break
        if not (np.abs(kept[:count] - box).max(1) < 0.08 * box[3]).any():
            kept[count] = box
            count += 1
    return kept[:count]


def _look(card: TaughtCard, half_width: float, *, both: bool = True) -> _Seen:
    """What the boxes of a card show; upside down too with ``both``."""
    boxes = ink_boxes(card.pyramid, card.corners, half_width)
    ways = [places_at(boxes, np.full(len(boxes), is_turned), half_width) for is_turned in (False, True)[: 1 + both]]
    seen = [classify_views(places.views(card.pyramid, card.corners[None])[0]) for places in ways]
    return _Seen(boxes, seen[0], seen[-1])


def places_at(
    boxes: Boxes, is_turned: NDArray[np.bool_], half_width: float, slots: NDArray[np.intp] | None = None
) -> NumberPlaces:
    """Places of one print each."""
    which = np.zeros(len(boxes), np.intp) if slots is None else slots
    return NumberPlaces(which, boxes[:, :2].astype(np.float32), boxes[:, 2].astype(np.float32), is_turned, half_width)


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
