"""Which outline on a photograph each label means: by its rough corners, or by the order in which people read."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import PurePath
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused, UsageError
from companion.vision.detection.outlines import SETTINGS, judge_candidates, one_per_card
from companion.vision.detection.suppression import OVERLAP, Outline, suppress
from companion.vision.edge_refinement import CLEAR, refine
from companion.vision.enrolment.plain_faces import plain_faces
from companion.vision.enrolment.quality import is_lit
from companion.vision.geometry import areas, shared_area, turned
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float32]

NEAR = 0.35
"""An outline is meant whose corners lie so near to rough ones in the mean, in their width and height."""
CLOSE = 0.05
"""One so near is looked for no further: people tap that well."""
NEARER = 0.02
"""A less likely outline is taken where it lies so much nearer."""
SUPPORT = 0.55
"""Rough corners where no outline is found hold where edges run along so much of each but the worst of the sides."""
SURE_PRINT = 0.9
"""Outlines of any print that are surely cards."""
MAY_BE_PARTED = (0.5, 0.2, 0.02)
"""An outline found so surely may be a whole card whose parts are found surer, if it is as large as the others are; by
the last where lines part every card. Those found as surely as the first come before what may hardly be cards.
"""
OF_A_SIZE = 1.5
"""The sides of cards of one photograph differ by less than this factor."""
MOST_OTHERS = 3
ALIKE, OTHER = 0.2, 0.3
"""Where up to so many more outlines are seen than labels, those are meant whose corners lie no farther from the usual
ones' than the first, in sizes of a card, if the others' lie farther than the second: a cloth's print is turned."""
MOST_UNLIKELY = 200
"""Among more outlines than so many no set is looked for that lies alike."""
FARTHEST_PX = 1e6
"""No point of a picture that is decoded lies farther from its corner."""
_ASKEW_DEG, _EVEN, _APART = 15, 0.35, 0.6
"""Rows may run so far askew, if one of a row then lies less than so much of a card's height above another, and the next
row so much below.
"""
TURNS_DEG = (0, 5, -5, 10, -10, 15, -15, 20, -20, 25, -25, 30, -30, 35, -35, 40, -40)


def label_of(name: str, index: int, labels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The label of a picture: the one in its place, unless only another one names it. Raises `UsageError` for none."""
    in_place = labels[index : index + 1]
    named = [label for label in (*in_place, *labels) if PurePath(str(label.get("image"))).name == name]
    if in_place and (not named or in_place[0].get("image") is None):
        return in_place[0]
    if not named:
        raise UsageError(f"no label for {name}", code="labels-differ")
    return named[0]


def cards_in(label: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """The cards that stand under a field of a picture's label, none where it is left out.

    Raises:
        UsageError: ``labels-differ``, they are no list of objects, or a card's corners no outline.
    """
    cards = label.get(part)
    if cards is None:
        return []
    if not isinstance(cards, list) or not all(isinstance(card, Mapping) for card in cards):
        raise UsageError(f"a label's {part} are to be a list of objects, one a card", code="labels-differ")
    for number, card in enumerate(cards, 1):
        if card.get("corners") not in (None, []) and not _is_outline(card["corners"]):
            raise UsageError(f"the corners of {part} {number} are no list of points", code="labels-differ")
    return cards


def are_numbers(values: Any, count: int) -> bool:
    """Whether a JSON value is a list of so many numbers."""
    is_list = isinstance(values, list) and len(values) == count
    return is_list and all(type(value) in (int, float) for value in values)


def _is_outline(corners: Any) -> bool:
    """Whether a JSON value is a list of three points or more that enclose something."""
    if not isinstance(corners, list) or len(corners) < 3 or not all(are_numbers(point, 2) for point in corners):
        return False
    points = np.array(corners, float)
    return bool(np.abs(points).max() < FARTHEST_PX and np.ptp(points, axis=0).min() >= 1)


class Candidates:
    """The outlines (N, K, 2) on a photograph: those of the game's own detector, and of the one that knows no game."""

    def __init__(
        self,
        pyramid: Pyramid,
        sides: int,
        own: Floats,
        unsure: Floats | None = None,
        *,
        judged: tuple[Pyramid, list[Outline]] | None = None,
        show_print: Callable[[Floats], bool] | None = None,
    ) -> None:
        """Candidates of which ``own`` (N, K, 2) are known; the others are looked for when they are needed.

        ``unsure`` (M, K, 2) are so little sure that they count only where a label says that a card lies; ``judged`` is
        what `judge_candidates` says of the photograph, where that is known; ``show_print`` tells whether something is
        printed on all cards of such outlines (N, K, 2) where the game's cards show it.
        """
        self.pyramid = pyramid
        self.own = own
        self.unsure = np.zeros((0, sides, 2), np.float32) if unsure is None else unsure
        self._sides, self._known = sides, judged
        self.show_print = show_print or (lambda outlines: True)

    @property
    def any_print(self) -> Floats:
        """Those that are found whatever is printed on them."""
        return self._prints(SETTINGS.min_confidence)

    @property
    def sure_print(self) -> Floats:
        """Of those the surest: gaps between tiles that lie in rows look like tiles."""
        return self._prints(SURE_PRINT)

    def _prints(self, least: float) -> Floats:
        sure = [one.corners for one in self._found if one.confidence >= least]
        return np.array(sure, np.float32).reshape(-1, self._sides, 2)

    @cached_property
    def _judged(self) -> tuple[Pyramid, list[Outline]]:
        return self._known or judge_candidates(np.asarray(self.pyramid.levels[0], np.uint8), self._sides, by_size=True)

    @cached_property
    def _found(self) -> Sequence[Outline]:
        return one_per_card(*self._judged, self._sides)

    @cached_property
    def unlikely(self) -> Floats:
        """All that may be cards at all, the likeliest at each place; none where light spoils the photograph."""
        every: list[Outline] = []
        if is_lit(self.pyramid):
            unsure = refine(self.pyramid, list(self.unsure.astype(np.float64)))
            every = [*self._judged[1], *(Outline(one.corners, 0.0) for one in unsure)]
        corners = [one.corners for one in suppress(every, OVERLAP)]
        return np.array(corners, np.float32).reshape(-1, self._sides, 2)

    @cached_property
    def plain(self) -> Floats:
        """Even rectangles, where cards are such, see `plain_faces`; none where light spoils the photograph."""
        found = plain_faces(self.pyramid) if self._sides == 4 and is_lit(self.pyramid) else []
        corners = [one.corners for one in suppress(found, OVERLAP)]
        return np.array(corners, np.float32).reshape(-1, self._sides, 2)

    @cached_property
    def outermost(self) -> Floats:
        """Of hexagons along whose sides edges show plainly the largest at each place; none where light spoils the
        photograph. A plain hexagon within a print to the edge looks more like a card than the card itself.
        """
        if self._sides != 6 or not is_lit(self.pyramid):
            return self.own[:0]
        refined = refine(self.pyramid, [one.corners for one in self._judged[1]])
        clear = [one.corners for one in refined if one.support.min() >= SUPPORT and one.support.mean() >= CLEAR]
        return self._largest_of(clear)

    @property
    def both(self) -> Floats:
        """The own ones, and of the others those that lie elsewhere."""
        more = [one for one in self.any_print if not any(shared_area(one, other) > OVERLAP for other in self.own)]
        return np.array([*self.own, *more], np.float32).reshape(-1, self._sides, 2)

    def largest(self, least: float) -> Floats:
        """Of outlines at least so sure that lie in others the largest: a band across a card seems to part it."""
        return self._largest_of([one.corners for one in self._judged[1] if one.confidence >= least])

    def _largest_of(self, outlines: Sequence[NDArray[np.floating]]) -> Floats:
        """Of outlines that lie in others the largest."""
        kept: list[Floats] = []
        for one in sorted(
            np.array(outlines, np.float32).reshape(-1, self._sides, 2), key=cv2.contourArea, reverse=True
        ):
            if not any(shared_area(one, other) > OVERLAP for other in kept):
                kept.append(one)
        return np.array(kept, np.float32).reshape(-1, self._sides, 2)

    def by_edges(self, outlines: Floats) -> Floats | None:
        """Outlines (N, K, 2) of hexagons as their edges show them, None where two are of one; others as they are.

        Of one card the own detector's outline counts first; one that hardly lies along any edges gives way to what is
        found there whatever is printed. Of rectangles the games' own outlines are exact: a case is found by its cells.
        """
        if not len(outlines) or outlines.shape[1] != 6:
            return outlines
        exact = [self._exact(outline) for outline in outlines]
        are_apart = all(shared_area(one, other) < OVERLAP for one, other in combinations(exact, 2))
        return np.array(exact, np.float32) if are_apart else None

    def _exact(self, outline: Floats) -> Floats:
        """See `by_edges`."""
        own = [one for one in self.own if _distance(one, outline.astype(np.float64)) < NEAR]
        begun = own if any(np.array_equal(one, outline) for one in own) else [*own, outline]
        refined = refine(self.pyramid, [one.astype(np.float64) for one in begun])
        clear = next((one for one in refined if one.support.mean() >= CLEAR), None)
        if clear is not None:
            return clear.corners.astype(np.float32)
        others = [one.astype(np.float64) for one in self.any_print if shared_area(one, outline) > OVERLAP]
        best = max((*refined, *refine(self.pyramid, others)), key=lambda one: float(one.support.mean()))
        return best.corners.astype(np.float32) if best.support.mean() >= SUPPORT else outline

    def tiers(self) -> Iterator[Floats]:
        """What may lie where a label says so, the likeliest first."""
        yield self.own
        yield self.unsure
        yield self.any_print

    def sets(self) -> list[Callable[[], Floats]]:
        """What may be all cards of the photograph, the likeliest first, and last what may be cards at all."""
        ways = (lambda: self.own, lambda: self.both, lambda: self.any_print, lambda: self.sure_print)
        return [*ways, *(lambda way=way: of_a_size(way()) for way in (*ways, lambda: self.unlikely))]


def outlines_of(name: str, found: Candidates, labels: Sequence[Mapping[str, Any]]) -> Floats:
    """The outlines (N, K, 2) float32 that labels mean, in the labels' order.

    Args:
        name: the picture's name, for people.
        found: the outlines on it.
        labels: each may have ``corners``, as rough as taps on a phone; where one lacks them, all are taken from top to
            bottom and left to right.

    Raises:
        UsageError: ``labels-differ``, without corners there are more or fewer labels than outlines; ``no-card``, no
            card lies where corners say so; ``same-card``, two labels mean one card.
    """
    if all(label.get("corners") for label in labels):
        rough = [_corners(name, number, label) for number, label in enumerate(labels, 1)]
        outlines = [_nearest(name, number, found, corners) for number, corners in enumerate(rough, 1)]
        _require_different(name, outlines)
        return np.array(outlines, np.float32)
    as_many: list[Floats] = []
    *sets, unlikely = found.sets()
    likely_whole, *whole = [partial(found.largest, least) for least in MAY_BE_PARTED]
    every: list[Callable[[], Floats]] = [*sets, likely_whole, unlikely, *whole]
    for candidates in every:
        outlines_found = candidates()
        exact = found.by_edges(outlines_found) if len(outlines_found) == len(labels) else None
        if exact is not None and _are_similar(exact):
            return exact[reading_order(exact)]
        as_many += [] if exact is None else [exact]
    for candidates in found.sets():  # as many may be all cards but one, and another thing
        similar = _most_similar(candidates(), len(labels))
        if similar is not None:
            return similar[reading_order(similar)]
    if as_many:
        return as_many[0][reading_order(as_many[0])]
    for alone in (_only_similar(found.unlikely, len(labels)), _only_as_long(found.plain, len(labels))):
        if alone is not None:
            return alone[reading_order(alone)]
    raise UsageError(
        f"{name}: {len(labels)} cards are labelled and {len(found.both)} are seen; give their corners",
        code="labels-differ",
    )


def reading_order(found: Floats) -> NDArray[np.intp]:
    """Top to bottom, and left to right among those that lie about as high; rows may run a little askew."""
    ways = [Rows.of(found, turn) for turn in TURNS_DEG if abs(turn) <= _ASKEW_DEG]
    return next((way for way in ways if way.is_plain), ways[0]).order


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Outlines as they are read once the picture is turned.

    Attributes:
        order: (N,), of the outlines.
        across: (N,) pixels, how far to the right each lies.
        counts: how many lie in each row.
        is_plain: whether those of a row lie about as high, and each row plainly below the one before.
    """

    order: NDArray[np.intp]
    across: NDArray[np.floating]
    counts: list[int]
    is_plain: bool

    @classmethod
    def of(cls, found: Floats, turn_deg: float) -> "Rows":
        """The rows of outlines (N, K, 2) on a picture turned by so much."""
        upright = turned(found, turn_deg)
        centres = upright.mean(1)
        height = float(np.median(np.ptp(upright[..., 1], axis=1)))
        rows = np.zeros(len(found), int)
        row, top, last, is_plain = -1, -np.inf, -np.inf, True
        for i in np.argsort(centres[:, 1]):
            y = float(centres[i, 1] / height)
            if y - top > 0.5:
                row, top, is_plain = row + 1, y, is_plain and y - last > _APART
            rows[i], last = row, y
            is_plain = is_plain and y - top < _EVEN
        return cls(np.lexsort((centres[:, 0], rows)), centres[:, 0], np.bincount(rows).tolist(), is_plain)


def of_a_size(found: Floats) -> Floats:
    """The outlines that are about as large as most."""
    if not len(found):
        return found
    sides = np.sqrt([cv2.contourArea(one) for one in found])
    off = np.abs(np.log(sides / np.median(sides)))
    return np.asarray(found[off < np.log(OF_A_SIZE)])


def _most_similar(found: Floats, count: int) -> Floats | None:
    """So many of a few more outlines that have one size and lie one way up; None where others do as well."""
    if not count < len(found) <= count + MOST_OTHERS or count < 2 * MOST_OTHERS - 1:
        return None
    off = _off_usual(found)
    order = np.argsort(off)
    if off[order[count - 1]] > ALIKE or off[order[count]] < OTHER:
        return None
    return np.asarray(found[np.sort(order[:count])])


def _only_similar(found: Floats, count: int) -> Floats | None:
    """Those of the outlines (N, K, 2) that are so many of one size, lying one way up, and like no others.

    Each brick of a wall is like other bricks. None where there are no such ones, or two sets of them.
    """
    return _only_agreeing(found, count, lambda i: _apart_from(found, found[i]) <= ALIKE)


def _only_agreeing(found: Floats, count: int, like_one: Callable[[int], NDArray[np.bool_]]) -> Floats | None:
    """Those of the outlines that are so many, each like all of them and like no others: see `_only_similar`.

    Args:
        found: (N, K, 2).
        count: how many are looked for.
        like_one: which of the outlines are like the one in that place, (N,).
    """
    if count < 2 * MOST_OTHERS - 1 or len(found) > MOST_UNLIKELY:
        return None
    like = Counter(tuple(np.flatnonzero(like_one(i)).tolist()) for i in range(len(found)))
    alone = [list(some) for some, agreeing in like.items() if len(some) == count == agreeing]
    return np.asarray(found[alone[0]]) if len(alone) == 1 else None


def _only_as_long(found: Floats, count: int) -> Floats | None:
    """As `_only_similar`, but near cards are larger than far ones: rather their proportions have to agree."""
    sizes = np.sqrt(np.maximum(areas(found), 1.0))
    shapes = np.asarray(found / sizes[:, None, None], np.float32)
    return _only_agreeing(
        found,
        count,
        lambda i: (_apart_from(shapes, shapes[i]) <= ALIKE) & (np.abs(np.log(sizes / sizes[i])) < np.log(OF_A_SIZE)),
    )


def _are_similar(found: Floats) -> bool:
    """Whether all outlines have one size and lie one way up."""
    return bool((_off_usual(found) <= ALIKE).all())


def _off_usual(found: Floats) -> Floats:
    """How far each outline (N, K, 2), one at least, is from how most of them lie, in their size (N,)."""
    shapes = found - found.mean(1, keepdims=True)
    size = float(np.median(np.ptp(shapes, axis=1).mean(1)))
    usual = shapes[0]
    for _ in range(2):  # each begun at the corner that lies as the others' first one
        shapes = np.array([_rolled_to_match(shape, usual) for shape in shapes], np.float32)
        usual = np.median(shapes, axis=0)
    return np.asarray(np.linalg.norm(shapes - usual, axis=-1).max(1) / size)


def _apart_from(found: Floats, one: Floats) -> Floats:
    """How far each outline (N, K, 2), begun anywhere, is from how one (K, 2) lies, in its size (N,)."""
    shapes, other = found - found.mean(1, keepdims=True), one - one.mean(0)
    ways = [np.roll(shapes, start, 1) - other for start in range(len(one))]
    return np.asarray(np.min([np.linalg.norm(way, axis=-1).max(1) for way in ways], axis=0) / np.ptp(one, 0).mean())


def _rolled_to_match(shape: Floats, other: Floats) -> Floats:
    """A shape (K, 2) begun at the corner nearest to another's first one."""
    ways = [np.roll(shape, start, 0) for start in range(len(shape))]
    return min(ways, key=lambda way: float(np.linalg.norm(way - other, axis=-1).max()))


def _corners(name: str, number: int, label: Mapping[str, Any]) -> NDArray[np.float64]:
    """A label's rough corners. Raises `UsageError` where they are no outline."""
    try:
        corners = np.asarray(label["corners"], float)
    except (ValueError, TypeError):
        corners = np.zeros(0)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
        raise UsageError(f"{name}: the corners of card {number} are no list of points", code="labels-differ")
    return corners


def _nearest(name: str, number: int, found: Candidates, rough: NDArray[np.float64]) -> NDArray[np.floating]:
    """The outline where a rough one is given: the nearest, but a likelier one unless another is plainly nearer."""
    best: tuple[float, NDArray[np.floating] | None] = (np.inf, None)
    for tier, outlines in enumerate(found.tiers()):
        for outline in outlines:
            off = _distance(outline, rough)
            if off < NEAR and _is_as_large(outline, rough) and off + (tier > 0) * NEARER < best[0]:
                best = off + (tier > 0) * NEARER, outline
        if best[0] < CLOSE:
            break
    if best[0] >= CLOSE and len(rough) == found.own.shape[1]:
        clockwise = np.ascontiguousarray(rough if areas(rough) > 0 else rough[::-1])
        (exact,) = refine(found.pyramid, [clockwise])
        if float(np.sort(exact.support)[1:].min()) >= SUPPORT and _distance(exact.corners, rough) + NEARER < best[0]:
            return exact.corners
    if best[1] is not None:
        return best[1]
    centre = rough.mean(0)
    raise TeachingRefused(
        f"{name}: no card lies where the corners of card {number} are, around {centre[0]:.0f},{centre[1]:.0f}; tap the "
        "corners of the card itself, on a plain ground",
        code="no-card",
    )


def _distance(outline: NDArray[np.floating], rough: NDArray[np.float64]) -> float:
    """How far a rough outline lies from an outline (K, 2), in its width and height: the mean of their corners."""
    size = float(np.ptp(rough, axis=0).mean())
    if len(rough) != len(outline):
        return float(np.linalg.norm(outline.mean(0) - rough.mean(0))) / size
    ways = [np.roll(way, start, 0) for way in (rough, rough[::-1]) for start in range(len(rough))]
    return min(float(np.linalg.norm(outline - way, axis=1).mean()) for way in ways) / size


def _is_as_large(outline: NDArray[np.floating], rough: NDArray[np.float64]) -> bool:
    sizes = [float(np.ptp(one, axis=0).mean()) for one in (outline, rough)]
    return 0.5 < sizes[0] / max(sizes[1], 1e-6) < 2.0


def _require_different(name: str, outlines: Sequence[NDArray[np.floating]]) -> None:
    for i, one in enumerate(outlines):
        for k in range(i):
            if shared_area(one, outlines[k]) > 0.5:
                raise TeachingRefused(f"{name}: labels {k + 1} and {i + 1} mean the same card", code="same-card")
