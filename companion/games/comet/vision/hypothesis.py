"""An outline as one card of a taught printing, one way up: what is read on it, how it looks, and what others say of it.

It is tried the ways it may lie, and moved to fit the taught face.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import (
    Alignment,
    align,
    align_either_way,
    area_of,
    is_patterned,
    look_correlation,
)
from companion.games.comet.vision.numeral_search import SAME_NUMERAL
from companion.games.comet.vision.places import NumberPlaces, card_to_image
from companion.games.comet.vision.results import NUMBERS, NUMBERS_TURNED, OTHERS_TURNED
from companion.games.comet.vision.taught_numerals import TaughtNumerals, TaughtScores
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry import SQUARE, homography, mapped, opposite_sides
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic

Floats = NDArray[np.floating]
_JITTER = np.array([[-0.03, 0.0], [0.03, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its sides."""
_CORE = 0.6
"""The share of a card around its middle where no other card's middle lies."""
NO_SECTIONS = np.zeros((3, len(NUMBERS) + 2))
NO_SECTIONS.flags.writeable = False
"""Of an outline on which no number is seen; see `Hypothesis.sections`."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """An outline, one way up.

    Attributes:
        corners: (4, 2), the first at the top left as the card is read.
        found: how surely an outline was found there, 0..1.
        sections: probabilities (3, 15), see `TaughtScores`.
        legible: how surely all its numbers are read, 0..1.
        like_numbers: the same, even where it is not sure which way up it lies.
        alike: correlation with the taught face, -1..1.
        like_back: correlation with the taught back; 0 where none was taught.
        maybe_back: where faces are read, the probability of a back by a network that knows many, 0..1.
        is_other_colour: it has another colour or brightness than the cards on which numbers are read.
        is_table: it has the colours of the table around the cards on which numbers are read.
        is_foreign: it looks like a back of another colour than most.
        is_as_other_backs: it looks like a back, as large as the cards that are read, in the colour of one found surely.
        side_seen: of a back that clashes with another, the share of its least seen side along which an edge runs, 0..1.
        is_below: others lie on it, and ``alike`` is of what they leave free.
        numerals: middles and reach in pixels (R, 3, 3) of its three numbers, for each time that they are printed; none
            where they are not read.
        shown: which of those are seen there (R, 3).
        before: where another figure would stand before each of them (R, 3, 2).
        aside: how far right of its place each of them stands, in its heights (R, 3), NaN where it is not seen; none
            where that says nothing.
    """

    corners: Floats
    found: float
    sections: NDArray[np.float64]
    legible: float
    alike: float = 0.0
    like_numbers: float = 0.0
    like_back: float = 0.0
    maybe_back: float = 0.0
    is_other_colour: bool = False
    is_table: bool = False
    is_foreign: bool = False
    is_as_other_backs: bool = False
    side_seen: float = 1.0
    is_below: bool = False
    numerals: Floats = field(default_factory=lambda: np.zeros((0, 3, 3)))
    shown: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 3), np.bool_))
    before: Floats = field(default_factory=lambda: np.zeros((0, 3, 2)))
    aside: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @cached_property
    def middle(self) -> Floats:
        """The middle of its corners (2,)."""
        return np.asarray(self.corners.mean(0))

    @cached_property
    def reach(self) -> float:
        """How far its corners lie from its middle at most, in pixels."""
        return float(np.linalg.norm(self.corners - self.middle, axis=1).max())

    @cached_property
    def area(self) -> float:
        """Of its outline, in pixels."""
        return area_of(self.corners)

    @cached_property
    def core(self) -> NDArray[np.float32]:
        """The part of it (4, 2) where no other card's middle lies."""
        return np.asarray(self.middle + _CORE * (self.corners - self.middle), np.float32)

    @cached_property
    def prints(self) -> Floats:
        """Its numerals each time that all three are seen (R, 3, 3); each time that they are printed where none is."""
        is_seen = self.shown.all(1)
        return self.numerals[is_seen] if is_seen.any() else self.numerals

    def shares_number(self, other: "Hypothesis") -> bool:
        """Each time that its numbers are seen, one of them is a number of another card."""
        return bool(len(self.numerals)) and bool(self._shared_numbers(other, LIMITS.same_number).any(1).all())

    def shares_all_numbers(self, other: "Hypothesis") -> bool:
        """Each of its numbers, wherever it is seen, is a number of another card: askew, they seem to lie apart."""
        return bool(len(self.numerals)) and bool(self._shared_numbers(other, LIMITS.askew).all())

    def shares_two_numbers(self, other: "Hypothesis") -> bool:
        """Two of its three numbers, and no more, are another card's."""
        return bool(len(self.numerals)) and int(self._shared_numbers(other, LIMITS.same_number).any(0).sum()) == 2

    def _shared_numbers(self, other: "Hypothesis", reach: float) -> NDArray[np.bool_]:
        """Which of its numerals (R, 3) that are seen are another card's, within so many times their reach."""
        own = self.prints
        theirs = other.numerals[other.shown] if other.shown.any() else other.numerals.reshape(-1, 3)
        apart = np.linalg.norm(own[:, :, None, :2] - theirs[:, :2], axis=-1)
        return np.asarray((apart < reach * own[..., 2:]).any(2))

    def numbers_within(self, outline: Floats) -> NDArray[np.bool_]:
        """Which of its numbers, each time that they are printed, have their middles within an outline (4, 2)."""
        quad, middles = outline.astype(np.float32), self.numerals[..., :2].reshape(-1, 2).tolist()
        return np.array([cv2.pointPolygonTest(quad, middle, False) >= 0 for middle in middles], bool)

    @property
    def is_back(self) -> bool:
        """It looks like a back, and no numbers are read on it: a plain face, outlined badly, may look like one."""
        if self.is_table or self.is_foreign:
            return False
        is_taught = self.like_back > max(LIMITS.like_back, self.alike + LIMITS.plainer_way)
        if self.like_numbers >= self._most_legible_back():
            return False
        is_both = self.like_back > max(LIMITS.hardly_like_back, self.alike + LIMITS.plainer_way)
        least = LIMITS.maybe_back_and_like if is_both else LIMITS.maybe_back
        is_any = self.maybe_back > least and self.alike < self._most_like_face() and not self.shows_number
        return is_taught or is_any or self.is_as_other_backs

    @property
    def may_be_turned(self) -> bool:
        """Numbers are read on it surely, but upside down as well: 6 6 6, or 9 9 9."""
        return self.legible < LIMITS.read_card and self.like_numbers >= LIMITS.surely_read

    @property
    def shows_number(self) -> bool:
        """One of its numbers at least is read surely."""
        return bool(self.sections[:, : len(NUMBERS)].max() >= LIMITS.sure_number)

    @property
    def sure_numbers(self) -> int:
        """How many of its numbers are read surely: others may be hidden."""
        return int((self.sections[:, : len(NUMBERS)].max(-1) >= LIMITS.sure_taught).sum())

    @property
    def may_be_grain(self) -> bool:
        """Hardly any outline was found, and none of its numbers is sure: the table's grain may be read as some."""
        return self.found < LIMITS.hardly_found and not self.shows_number

    def _most_like_face(self) -> float:
        """How much a back may look like the face: both may be plain, or have the same rim."""
        is_sure = self.maybe_back > LIMITS.surely_back
        if is_sure and self.is_other_colour:
            return 1.0 if self.like_back > max(LIMITS.like_back, self.alike) else LIMITS.like_face_but_colour
        is_less = self.is_other_colour or (is_sure and self.found >= LIMITS.surely_found)
        return LIMITS.less_like_face if is_less else LIMITS.unlike_face_alone

    def _most_legible_back(self) -> float:
        """How surely numbers may be read on a back: its pattern may look like some."""
        is_unlike = self.alike < LIMITS.unlike_face_alone
        if is_unlike and self.maybe_back > LIMITS.surely_back:
            return LIMITS.patterned_back
        if self.is_other_colour:
            return LIMITS.unsure_number if is_unlike else LIMITS.hardly_number
        return LIMITS.no_number

    @property
    def presence(self) -> float:
        """How surely a card is there, 0..1."""
        looks = max(self.legible, LIMITS.look_weight * max(0.0, self.like_back, self.alike))
        return 1 - (1 - self.found) * (1 - min(looks, 1.0))


def has_proportion(corners: Floats, half_width: float) -> bool:
    """An outline (4, 2) has about the proportion of a card of that width over its height, lying any way."""
    return off_proportion(corners, half_width) < LIMITS.odd_proportion


def off_proportion(corners: Floats, half_width: float) -> float:
    """How far an outline's proportion (4, 2) is from a card's, as a logarithm, lying any way."""
    return float(abs(abs(_proportion(corners)) - abs(np.log(half_width))))


def _proportion(corners: Floats) -> float:
    """The logarithm of an outline's first and third side over the others; corners (4, 2)."""
    first, second = opposite_sides(corners)
    return float(np.log(first / second))


def ways_up(corners: Floats, half_width: float) -> list[Floats]:
    """An outline (4, 2) begun at each corner that may be the top left of a card of that proportion."""
    proportion = _proportion(corners)
    starts = [0, 1, 2, 3]
    if abs(proportion) > LIMITS.plain_proportion:
        starts = [0, 2] if (proportion > 0) == (half_width > 1) else [1, 3]
    return [np.roll(corners, -start, 0) for start in starts]


def examine(pyramid: Pyramid, taught: TaughtNumerals, outlines: Sequence[tuple[Floats, float]]) -> list[Hypothesis]:
    """Outlines (4, 2), each with how surely it was found, the way up that its numbers and its look say.

    Each is seen as it is found and moved to fit the taught face. All are looked at together, which is sooner done.
    """
    back = taught.profile.back
    examined = _best_ways(pyramid, taught, outlines)
    return [_without_pattern(pyramid, one, back) for one in examined] if is_patterned(back) else examined


def _without_pattern(pyramid: Pyramid, one: Hypothesis, back: NDArray[np.float32]) -> Hypothesis:
    """A hypothesis, without its numbers where it looks like the taught back (h, w) and unlike the face."""
    if one.legible < LIMITS.read_card or one.alike > LIMITS.unlike_face_alone:
        return one
    if align_either_way(pyramid, one.corners, back).correlation < LIMITS.hardly_like_back:
        return one
    return replace(
        one, sections=np.zeros_like(one.sections), legible=0.0, like_numbers=0.0, numerals=np.zeros((0, 3, 3))
    )


def _best_ways(pyramid: Pyramid, taught: TaughtNumerals, outlines: Sequence[tuple[Floats, float]]) -> list[Hypothesis]:
    if not outlines:
        return []
    ways = [ways_up(outline, taught.profile.half_width) for outline, _ in outlines]
    seen = taught.read_numerals(pyramid, np.array([way for some in ways for way in some]))
    each = zip(ways, outlines, seen.parted([len(some) for some in ways]), strict=True)
    looks = [_Look.of(pyramid, taught, some, found, scores) for some, (_, found), scores in each]
    moved = [look.moved for look in looks]
    if not any(moved):
        return [look.unmoved() for look in looks]
    again = taught.read_numerals(pyramid, np.array([quad for some in moved for quad in some]))
    return [
        look.best(pyramid, taught, scores) if some else look.unmoved()
        for look, some, scores in zip(looks, moved, again.parted([len(some) for some in moved]), strict=True)
    ]


def seen_where_known(pyramid: Pyramid, taught: TaughtNumerals, outlines: Sequence[Floats]) -> list[Hypothesis]:
    """Cards (4, 2) that are known to lie so, the first corner at the top left: what is read there, and how it looks."""
    if not outlines:
        return []
    seen = taught.read_numerals(pyramid, np.array(outlines))
    known = [
        Hypothesis(corners, 1.0, sections, legible, look_correlation(pyramid, corners, taught.profile.face), legible)
        for corners, sections, legible in zip(outlines, seen.sections, seen.legible.tolist(), strict=True)
    ]
    return [_with_numerals(one, taught, aside) for one, aside in zip(known, seen.aside, strict=True)]


def unread(pyramid: Pyramid, taught: TaughtNumerals, outline: Floats, found: float) -> Hypothesis:
    """An outline (4, 2) on which no number stands, the way up that looks most like the taught face."""
    ways = ways_up(outline, taught.profile.half_width)
    alike = [look_correlation(pyramid, way, taught.profile.face) for way in ways]
    best = int(np.argmax(alike))
    return Hypothesis(ways[best], found, NO_SECTIONS, 0.0, alike[best])


def resembles_face(pyramid: Pyramid, taught: TaughtNumerals, outline: Floats) -> bool:
    """Whether an outline (4, 2) may show the taught face, some way up: it is worth a look at its numbers."""
    ways = ways_up(outline, taught.profile.half_width)
    return any(look_correlation(pyramid, way, taught.profile.face) > LIMITS.glimpsed_face for way in ways)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """An outline the ways up that it may lie (W, 4, 2), as it is found.

    Attributes:
        found: how surely it was found.
        seen: what is read each way.
        likely: how surely it is read, and upright, each way (W,).
        alike: how much it looks like the taught face each way.
        best_way: of those, by both.
        near: the ways that are about as good, itself among them; none where it looks like no card.
        fits: for each of those the outline moved to fit the taught face.
        own: and moved to where its numerals say that it lies.
    """

    ways: list[Floats]
    found: float
    seen: TaughtScores
    likely: NDArray[np.float64]
    alike: list[float]
    best_way: int
    near: list[int]
    fits: list[Alignment]
    own: list[Floats]

    @classmethod
    def of(
        cls, pyramid: Pyramid, taught: TaughtNumerals, ways: list[Floats], found: float, seen: TaughtScores
    ) -> "_Look":
        face = taught.profile.face
        alike = [look_correlation(pyramid, way, face) for way in ways]
        likely = seen.legible * _upright([seen], range(len(ways)))
        score = likely + LIMITS.look_weight * np.array(alike)
        best = int(score.argmax())
        if likely.max() < LIMITS.unlike_numbers and max(alike) < LIMITS.unlike_face:
            return cls(ways, found, seen, likely, alike, best, [], [], [])
        near = [i for i in range(len(ways)) if score[i] > score[best] - LIMITS.likely_way]
        fits = [_held_to_edges(ways[i], found, align(pyramid, ways[i], face)) for i in near]
        own = list(taught.corrected(np.array(ways), seen, near))
        return cls(ways, found, seen, likely, alike, best, near, fits, own)

    @property
    def moved(self) -> list[Floats]:
        """The outlines moved, none where it looks like no card."""
        return [*(fit.corners for fit in self.fits), *self.own]

    def unmoved(self) -> Hypothesis:
        """The best way of what looks like no card."""
        best = self.best_way
        sections = np.minimum(self.seen.sections[best], LIMITS.unsure_way)
        likely, legible = float(self.likely[best]), float(self.seen.legible[best])
        return Hypothesis(self.ways[best], self.found, sections, likely, self.alike[best], legible)

    def best(self, pyramid: Pyramid, taught: TaughtNumerals, again: TaughtScores) -> Hypothesis:
        """Of the ways up that which is read best, as it is or moved; ``again`` is what is read of it moved."""
        face, best = taught.profile.face, self.best_way
        way_of = [best, *self.near, *self.near]
        upright = _upright([self.seen, again], [*range(len(self.ways)), *self.near, *self.near])
        upright = np.array([upright[best], *upright[len(self.ways) :]])
        legible = np.array([self.seen.legible[best], *again.legible])
        aligned = [fit.correlation for fit in self.fits]
        own = [look_correlation(pyramid, quad, face) for quad in self.own]
        alike = [self.alike[best], *aligned, *own]
        gain = legible * upright + LIMITS.look_weight * np.array(alike)
        gain[0] += LIMITS.found_gain * self.found - LIMITS.alignment_gain
        chosen = int(gain.argmax())
        outlines, scores, which = (self.ways, self.seen, best) if chosen == 0 else (self.moved, again, chosen - 1)
        corners, sections = outlines[which], scores.sections[which]
        if _doubted(sections).any():
            (moved,) = taught.corrected(np.array(outlines), scores, [which])
            corners, sections = _settled(pyramid, taught, corners, sections, moved)
        others = [fit.correlation for fit, i in zip(self.fits, self.near, strict=True) if i != way_of[chosen]]
        like_numbers = float(legible.max())
        is_sure = upright[chosen] >= LIMITS.sure_way
        if _reads_both_ways(sections):
            turned = np.array([way for way in (np.roll(corners, 2, 0), *self.ways) if _is_turned(way, corners)])
            moved = taught.corrected(turned, taught.read_numerals(pyramid, turned), range(len(turned)))
            seen = taught.read_numerals(pyramid, np.concatenate([corners[None], turned, moved]))
            is_sure = _stands_upright(taught, seen, sections)
            others = [align(pyramid, turned[0], face).correlation]
        if not is_sure and not is_plainer(alike[chosen], others):
            sections = np.minimum(sections, LIMITS.unsure_way)
            legible = np.minimum(legible, LIMITS.unsure_way)
        one = Hypothesis(corners, self.found, sections, float(legible[chosen]), alike[chosen], like_numbers)
        return _with_numerals(one, taught, scores.aside[which])


def _upright(scores: Sequence[TaughtScores], way_of: Sequence[int]) -> NDArray[np.float64]:
    """How surely a card is upright as each outline shows it (N,), see `TaughtScores`, each of one of its ways up.

    Hardly where other numbers are read another way and stand much more plainly: those printed both ways up stand so
    either way, and one alone may tell.
    """
    legible = np.concatenate([one.legible for one in scores])
    standing = np.concatenate([one.standing for one in scores])
    numbers = np.sort(np.concatenate([one.sections for one in scores]).argmax(-1))
    ways = np.array(way_of)
    differ = (ways[:, None] != ways) & (numbers[:, None] != numbers).any(-1) & (legible >= LIMITS.unsure_number)
    others = np.where(differ, standing, -np.inf).max(1)
    return np.asarray(logistic(np.minimum(standing, standing - others + LIMITS.sure_standing)), np.float64)


def _held_to_edges(outline: Floats, found: float, fit: Alignment) -> Alignment:
    """How an outline (4, 2) fits the taught face, where it was found if it was found surely, unless it was moved evenly
    in or out on all sides, from a frame printed within the card: other numbers than most have pull it askew.
    """
    if found < LIMITS.surely_found:
        return fit
    moved = mapped(np.linalg.inv(homography(outline)), fit.corners) - SQUARE.unit
    inset = (moved * SQUARE.unit).mean(0)
    askew = float(np.abs(moved - inset * SQUARE.unit).max())
    return fit if askew < LIMITS.askew_fit else replace(fit, corners=np.asarray(outline, np.float32))


def _with_numerals(one: Hypothesis, taught: TaughtNumerals, aside: Floats) -> Hypothesis:
    """The hypothesis with the middles and reach of its numbers, where they are read; ``aside`` (P,) as in `asides`."""
    if one.legible < LIMITS.read_card:
        return one
    places = taught.profile.places
    high_px = float(np.linalg.norm(one.corners[3] - one.corners[0]))
    middles = mapped(card_to_image(one.corners, places.half_width), places.at)
    every = np.column_stack([middles, SAME_NUMERAL * places.high * high_px / 2])
    return replace(
        one,
        numerals=places.by_print(every),
        shown=np.isfinite(places.by_print(aside)),
        before=figures_before(one.corners, places),
        aside=asides(taught, aside),
    )


def figures_before(corners: Floats, places: NumberPlaces) -> Floats:
    """See `Hypothesis.before`, of an outline (4, 2)."""
    return places.by_print(places.before(corners))


def asides(taught: TaughtNumerals, aside: Floats) -> Floats:
    """See `Hypothesis.aside`, of what is seen at each place (P,).

    A figure that stands below the last ones of other numbers stands where the last one of a longer number would.
    """
    if taught.profile.flush_right > LIMITS.flush_right:
        return np.zeros((0, 3))
    return taught.profile.places.by_print(aside)


def numbers_of(sections: NDArray[np.float64]) -> list[int]:
    """The likeliest numbers of a card (3, 15)."""
    return [NUMBERS[k] for k in sections[:, : len(NUMBERS)].argmax(-1).tolist()]


def _reads_both_ways(sections: NDArray[np.float64]) -> bool:
    """All numbers of a card (3, 15) are numbers upside down too."""
    return set(numbers_of(sections)) <= set(NUMBERS_TURNED)


def are_same_way_up(corners: Floats, other: Floats) -> bool:
    """Two outlines (4, 2) stand the same way up."""
    down, others = (some[2] + some[3] - some[0] - some[1] for some in (corners, other))
    return float(down @ others) > LIMITS.same_way * float(np.linalg.norm(down) * np.linalg.norm(others))


def _is_turned(outline: Floats, other: Floats) -> bool:
    """Two outlines (4, 2) stand upside down to each other."""
    return are_same_way_up(np.roll(outline, 2, 0), other)


def _stands_upright(taught: TaughtNumerals, ways: TaughtScores, sections: NDArray[np.float64]) -> bool:
    """A card that may show others upside down, seen as it is and some ways so, is read one way only, or plainly stands
    upright.

    Where all its numbers are printed both ways up it is read alike. Of sixes and nines alone the network is believed
    only in a printing whose taught ones all stand so plainly: a line is printed under them.
    """
    turned = 1 + int(ways.legible[1:].argmax())
    own, others = (sorted(numbers_of(some)) for some in (sections, ways.sections[turned]))
    if ways.legible[turned] < LIMITS.unsure_number or own == others:
        return True
    tells = taught.profile.standing > LIMITS.marked_standing or not set(own) <= set(OTHERS_TURNED)
    return bool(tells and ways.standing[0] - ways.standing[turned] > LIMITS.sure_standing)


def is_plainer(alike: float, others: list[float]) -> bool:
    """A card's look says which way up it lies: it is the taught face's, and plainer than the ``others``' looks."""
    return alike > max([LIMITS.like_face, *(other + LIMITS.plainer_way for other in others)])


def _doubted(sections: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which sections (3, 15) of a card may show a number (3,), but not surely."""
    likely = sections[:, : len(NUMBERS)].max(-1)
    return np.asarray((likely > LIMITS.likely_number) & (likely < LIMITS.sure_taught))


def _settled(
    pyramid: Pyramid, taught: TaughtNumerals, corners: Floats, sections: NDArray[np.float64], moved: Floats
) -> tuple[Floats, NDArray[np.float64]]:
    """A card (4, 2) and its sections (3, 15), or as ``moved`` to where its numerals lie if they are plainer there.

    Those still in doubt are the mean of looks through outlines moved a little.
    """
    again = taught.classify(pyramid, moved[None])[0]
    if again.max(-1).min() > sections.max(-1).min():
        corners, sections = moved, again
    doubt = _doubted(sections)
    if not doubt.any():
        return corners, sections
    sides = np.stack([corners[1] - corners[0], corners[3] - corners[0]]) / 2
    around = np.array([corners + move @ sides for move in _JITTER])
    mean = (sections + taught.classify(pyramid, around).sum(0)) / (1 + len(around))
    return corners, np.where(doubt[:, None], mean, sections)
