"""Reading a Comet table of a taught printing: outlines whatever is printed, the way up, and the taught numbers.

Outlines come from the detector that knows no print and from Comet's own; each is tried the ways the card may lie. A
card is told where its numbers are read, where it looks as taught, or where it is found surely and as large as others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.alignment import align, correlation, look_at
from companion.games.comet.vision.card_plane import CardPlane
from companion.games.comet.vision.classifier import KINDS, PretrainedNumerals
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR
from companion.games.comet.vision.results import NUMBERS, CometReading, DetectedCometCard
from companion.games.comet.vision.taught_numerals import TaughtNumerals, legibility
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import corners_of, suppress_overlaps
from companion.vision.detection.outlines import detect_outlines
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic
from companion.vision.refinement.edges import refine
from companion.vision.results import ReadingWarning, Stopwatch, confidence_of

Floats = NDArray[np.floating]
_ROUNDS = 3
"""How many cards away from one that is read its neighbours are looked for."""
_BESIDE = (0.62, 0.72, 0.82, 0.92, 1.03)
"""How far apart the middles of two cards lie side by side, in their widths: fanned, or touching."""
_BELOW = 1.03
"""How far apart those of two cards above each other are, in their heights."""
_CORE = 0.6
"""The share of a card around its middle where no other card's middle lies."""
_JITTER = np.array([[-0.03, 0.0], [0.03, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """An outline, one way up.

    Attributes:
        corners: (4, 2), the first at the top left as the card is read.
        found: how surely an outline was found there, 0..1.
        sections: probabilities (3, 15), see `TaughtScores`.
        legible: how surely all its numbers are read, 0..1.
        alike: correlation with the taught face, -1..1.
        like_back: correlation with the taught back; 0 where none was taught.
        maybe_back: where none was taught, the probability of a back by a network that knows many, 0..1.
        odd: how far the outline was found from a card in the plane of those that are read, in half heights.
    """

    corners: Floats
    found: float
    sections: NDArray[np.float64]
    legible: float
    alike: float = 0.0
    like_back: float = 0.0
    maybe_back: float = 0.0
    odd: float = np.inf

    @property
    def is_read(self) -> bool:
        """Its numbers are read, or two of them plainly: the third may be covered."""
        return self.legible >= LIMITS.read_card or (_plain_numbers(self) > 1 and self.odd < LIMITS.odd_corner)

    @property
    def is_back(self) -> bool:
        """It looks like a back, and no numbers are read on it."""
        if self.is_read:
            return False
        is_unlike = max(self.like_back, self.maybe_back) > self.alike + LIMITS.plainer_way
        is_card = self.odd < LIMITS.odd_corner and self.found >= LIMITS.unread_card
        if is_unlike and is_card and self.sections[:, -1].min() >= LIMITS.plain_number:
            return max(self.like_back, self.maybe_back) > LIMITS.blank_back
        is_taught = is_unlike and self.like_back > LIMITS.like_back
        return is_taught or (self.maybe_back > LIMITS.maybe_back and self.alike < LIMITS.less_like_face)

    @property
    def gain(self) -> float:
        """How well it fits, to be compared with other outlines of the same card."""
        return self.legible + LIMITS.look_weight * self.alike

    @property
    def presence(self) -> float:
        """How surely a card is there, 0..1."""
        looks = max(self.legible, LIMITS.look_weight * max(0.0, self.like_back, self.alike))
        return 1 - (1 - self.found) * (1 - min(looks, 1.0))


def read_taught(bgr: NDArray[np.uint8], taught: TaughtNumerals, across_px: float | None = None) -> CometReading:
    """Read a Comet table of a taught printing from one picture, without history; see `recognizer.read_comet`."""
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr, 6)
    outlines, found = find_outlines(bgr, pyramid, across_px)
    clock.lap("find")
    ways = [ways_up(outline, taught.profile.half_width) for outline in outlines]
    likely = _looks(pyramid, taught, ways, found.tolist())
    likely = _aligned(pyramid, taught, likely)
    plane = _plane(likely, taught)
    if plane is not None:
        likely = _straightened(pyramid, taught, plane, likely)
        likely += search_neighbours(pyramid, taught, plane, likely)
    likely = [_with_doubts_settled(pyramid, taught, one) for one in likely]
    clock.lap("name")
    cards = [_card(k, one, taught) for k, one in enumerate(_present(_with_backs(pyramid, taught, likely)))]
    warnings = [_unsure(card) for card in cards if None in card.edges]
    if not cards:
        warnings = [ReadingWarning("nothing-found", "no Comet card on this picture")]
    clock.lap("judge")
    return CometReading(tuple(cards), (), tuple(warnings), taught, clock.laps)


def _plane(likely: list[Hypothesis], taught: TaughtNumerals) -> CardPlane | None:
    """The plane in which the cards lie that are read; None where that is none."""
    read = _once([one for one in likely if one.is_read])
    if not read:
        return None
    return CardPlane.through(np.array([one.corners for one in read]), taught.profile.half_width)


def _straightened(
    pyramid: Pyramid, taught: TaughtNumerals, plane: CardPlane, likely: list[Hypothesis]
) -> list[Hypothesis]:
    """The hypotheses as cards in their plane: an outline may reach to a neighbour's edge, or end at one."""
    outlines = plane.oriented(np.array([one.corners for one in likely]))
    odd = plane.oddness(outlines)
    kept, of = list(likely), []
    ways: list[Floats] = []
    for i, outline in enumerate(outlines):
        if LIMITS.exact_corner < odd[i] < LIMITS.oddest:
            several = plane.anchored(outline)[: None if odd[i] > LIMITS.odd_corner else 1]
            ways += [_either_way(one) for one in several]
            of += [i] * len(several)
    for i, one in zip(of, _looks(pyramid, taught, ways, [likely[i].found for i in of]), strict=True):
        bonus = LIMITS.plane_gain if kept[i] is likely[i] else 0.0
        if one.gain + bonus > kept[i].gain:
            kept[i] = one
    return [replace(one, odd=float(off)) for one, off in zip(kept, odd, strict=True)]


def _either_way(outline: Floats) -> Floats:
    """An outline (4, 2) and the same upside down."""
    return np.array([outline, np.roll(outline, -2, 0)])


def search_neighbours(
    pyramid: Pyramid, taught: TaughtNumerals, plane: CardPlane, likely: list[Hypothesis]
) -> list[Hypothesis]:
    """Cards that no outline showed well: beside those that are read, and about other outlines, as those lie."""
    fresh = read = _as_usual(_once([one for one in likely if one.is_read]))
    places = [place for one in likely if not one.is_read for place in _about(plane, one.corners, read)]
    added: list[Hypothesis] = []
    for _ in range(_ROUNDS):
        places += [place for one in fresh for place in _beside(plane, one.corners)]
        places = [place for place in places if not _is_covered(place.mean(0), read, pyramid.size)]
        fresh = []
        seen = [one for one in _fitted(pyramid, taught, plane, places) if one.legible >= LIMITS.read_card]
        seen = [one for one in seen if _plain_numbers(one) > 1]
        bounded = _are_cards(pyramid, seen)
        for one in sorted((one for one, has in zip(seen, bounded, strict=True) if has), key=lambda one: -one.gain):
            if not _is_covered(one.corners.mean(0), read, pyramid.size):
                added.append(one)
                if _as_usual([*read, one])[-1] is one:
                    fresh.append(one)
                    read = [*read, one]
        places = []
        if not fresh:
            break
    return added


def _plain_numbers(one: Hypothesis) -> int:
    """How many of its numbers are read plainly."""
    return int((one.sections[:, : len(NUMBERS)].max(-1) >= LIMITS.plain_number).sum())


def _are_cards(pyramid: Pyramid, some: Sequence[Hypothesis]) -> list[bool]:
    """Which of them look like the taught face, or lie along edges on three sides: the fourth may be covered."""
    found = refine(pyramid, [np.asarray(one.corners, np.float64) for one in some])
    bounded = [np.sort(one.support)[1] >= LIMITS.edge_shown and one.moved < LIMITS.farthest_edge for one in found]
    return [has or one.alike > LIMITS.like_face for has, one in zip(bounded, some, strict=True)]


def _fitted(pyramid: Pyramid, taught: TaughtNumerals, plane: CardPlane, places: list[Floats]) -> list[Hypothesis]:
    """What places (4, 2) where cards may lie show, the likely ones once they are moved to where the face fits."""
    found = _looks(pyramid, taught, [_either_way(place) for place in places], [0.0] * len(places))
    for i, one in enumerate(found):
        if one.legible > LIMITS.unlike_numbers or one.alike > LIMITS.unlike_face:
            fit = align(pyramid, one.corners, taught.profile.face).corners
            if plane.oddness(fit[None])[0] < LIMITS.oddest:
                ways = [_either_way(plane.straightened(fit[None])[0])]
                found[i] = max(one, *_looks(pyramid, taught, ways, [0.0]), key=lambda one: one.gain)
    return found


def _about(plane: CardPlane, outline: Floats, read: list[Hypothesis]) -> list[Floats]:
    """Where a card may lie that an outline (4, 2) shows in part, as the nearest one that is read: two cards' halves."""
    middle = outline.mean(0)
    nearest = min(read, key=lambda one: float(np.linalg.norm(one.corners.mean(0) - middle))).corners
    there = plane.at(nearest, middle)
    wide, high = plane.half_width, 1.0
    return list(plane.moved(there, np.array([[0, 0], [wide, 0], [-wide, 0], [0, high], [0, -high]])))


def _beside(plane: CardPlane, corners: Floats) -> list[Floats]:
    """Where cards may lie that touch a card (4, 2), or lie fanned with it."""
    wide, high = 2 * plane.half_width, 2.0
    steps = [(sign * share * wide, 0.0) for share in _BESIDE for sign in (1, -1)]
    steps += [(0.0, sign * _BELOW * high) for sign in (1, -1)]
    return list(plane.moved(corners, np.array(steps)))


def _as_usual(some: list[Hypothesis], read: list[Hypothesis] | None = None) -> list[Hypothesis]:
    """Those that look like the taught face about as much as most that are read do: others may lie across two cards."""
    usual = float(np.median([one.alike for one in (some if read is None else read)] or [0.0]))
    least = usual - LIMITS.less_alike if usual > LIMITS.like_face else -1.0
    return [one for one in some if one.alike >= least]


def _is_covered(place: Floats, read: list[Hypothesis], size: tuple[int, int]) -> bool:
    """A card that is read lies at a place, or the place is beyond the picture."""
    x, y = float(place[0]), float(place[1])
    if not (0 < x < size[0] and 0 < y < size[1]):
        return True
    for one in read:
        core = one.corners.mean(0) + _CORE * (one.corners - one.corners.mean(0))
        if cv2.pointPolygonTest(core.astype(np.float32), (x, y), False) >= 0:
            return True
    return False


def find_outlines(
    bgr: NDArray[np.uint8], pyramid: Pyramid, across_px: float | None = None
) -> tuple[Floats, NDArray[np.float64]]:
    """Outlines (N, 4, 2) that may be cards, and how surely each is one (N,)."""
    width_px = None if across_px is None else across_px * LIMITS.width_of_across
    own = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    rough = refine_corners(CORNER_REFINER, pyramid, corners_of(own, 4), CARD, LIMITS.refinements)
    exact, support = exact_outlines(pyramid, rough)
    others = detect_outlines(bgr, 4)
    corners = [*exact, *(other.corners for other in others)]
    sure = [*(one.confidence * edges for one, edges in zip(own, support, strict=True)), *(o.confidence for o in others)]
    return np.array(corners, np.float64).reshape(-1, 4, 2), np.array(sure, np.float64)


def exact_outlines(pyramid: Pyramid, rough: Floats) -> tuple[Floats, NDArray[np.float64]]:
    """Outlines (N, 4, 2) moved to edges where those show, and along how much of the sides they do (N,)."""
    outlines = np.asarray(rough, np.float64)
    support = np.zeros(len(outlines))
    for _ in range(LIMITS.refinements):
        found = refine(pyramid, list(outlines))
        for i, one in enumerate(found):
            support[i] = np.sort(one.support)[1:].mean()
            if one.moved < LIMITS.farthest_edge:
                outlines[i] = one.corners
    return outlines, support


def ways_up(corners: Floats, half_width: float) -> Floats:
    """An outline (4, 2) begun at each corner that may be the top left of a card of that proportion."""
    sides = np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1)
    ratio = (sides[0] + sides[2]) / (sides[1] + sides[3])
    starts = [0, 1, 2, 3]
    if abs(np.log(ratio)) > LIMITS.plain_proportion:
        starts = [0, 2] if (ratio > 1) == (half_width > 1) else [1, 3]
    return np.array([np.roll(corners, -start, 0) for start in starts])


def _with_backs(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, those without numbers compared with the back."""
    return [one if one.is_read else _as_back(pyramid, taught, one) for one in likely]


def _as_back(pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis) -> Hypothesis:
    """How much an outline looks like a back, moved to fit the taught one where it does."""
    if taught.profile.back.size:
        ways = (one.corners, np.roll(one.corners, 2, 0))
        back = max((align(pyramid, way, taught.profile.back) for way in ways), key=lambda fit: fit.correlation)
        found = replace(one, like_back=back.correlation)
        return replace(found, corners=back.corners) if found.is_back else found
    corners = one.corners if taught.profile.half_width < 1 else np.roll(one.corners, 1, 0)
    kinds = PretrainedNumerals().read_numerals(pyramid, corners[None].astype(np.float32)).kinds[0]
    return replace(one, maybe_back=float(kinds[KINDS.index("back")]))


def _looks(
    pyramid: Pyramid, taught: TaughtNumerals, ways: Sequence[Floats], found: Sequence[float]
) -> list[Hypothesis]:
    """Outlines in the ways up that each may lie (W, 4, 2), found so surely, the way that numbers and look say."""
    if not ways:
        return []
    face = taught.profile.face
    shape = (face.shape[0], face.shape[1])
    seen = taught.read_numerals(pyramid, np.concatenate(ways))
    alike = [np.array([correlation(look_at(pyramid, way, shape), face) for way in some]) for some in ways]
    ends = np.cumsum([len(some) for some in ways])
    told = []
    for some, looks, end, sure in zip(ways, alike, ends.tolist(), found, strict=True):
        own = slice(end - len(some), end)
        upright = _way_sure(seen.upright[own], looks)
        best = int((seen.legible[own] * upright + LIMITS.look_weight * looks).argmax())
        sections = _of_either_way(seen.sections[own], upright[best], best)
        told.append(Hypothesis(some[best], sure, sections, float(legibility(sections)), float(looks[best])))
    return told


def _of_either_way(sections: NDArray[np.float64], sure: float, best: int) -> NDArray[np.float64]:
    """What a card shows (3, 15) that lies the best of its ways up (W, 3, 15) so surely, or else the opposite one."""
    opposite = (best + len(sections) // 2) % len(sections)
    return np.asarray(sections[best] * sure + sections[opposite] * (1 - sure))


def _aligned(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, those that are not read but look like the taught face moved to fit it where that helps."""
    kept = list(likely)
    for i, one in enumerate(likely):
        if one.legible < LIMITS.read_card and one.alike > LIMITS.unlike_face:
            fit = align(pyramid, one.corners, taught.profile.face)
            (moved,) = _looks(pyramid, taught, [_either_way(fit.corners)], [one.found])
            kept[i] = moved if moved.gain > one.gain + LIMITS.alignment_gain else one
    return kept


def _way_sure(upright: NDArray[np.float64], alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """How surely a card lies each of its possible ways up (W,), by its numbers and by its look."""
    others = [np.delete(alike, i).max(initial=alike[i]) for i in range(len(alike))]
    return np.asarray(logistic(upright + LIMITS.look_odds * (alike - others)), np.float64)


def _with_doubts_settled(pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis) -> Hypothesis:
    """The hypothesis, its numbers in doubt seen as the mean of looks through outlines moved a little."""
    likely = one.sections[:, : len(NUMBERS)].max(-1)
    doubt = (likely > LIMITS.likely_number) & (likely < LIMITS.sure_number)
    if not doubt.any():
        return one
    sides = np.stack([one.corners[1] - one.corners[0], one.corners[3] - one.corners[0]]) / 2
    moved = np.array([one.corners + move @ sides for move in _JITTER])
    mean = (one.sections + taught.classify(pyramid, moved).sum(0)) / (1 + len(moved))
    return replace(one, sections=np.where(doubt[:, None], mean, one.sections))


def _present(likely: list[Hypothesis]) -> list[Hypothesis]:
    """The cards that are there, each once, none of another size than those that are read."""
    usual = _as_usual(_once([one for one in likely if one.is_read]))
    kept = _once([one for one in likely if _is_card(one, usual)])
    kept = [one for one in kept if one.is_read or _free_share(one, kept) > LIMITS.free_share]
    familiar = _as_usual(kept, usual)
    return [one if one.legible >= LIMITS.read_card or one.is_back or one in familiar else _doubted(one) for one in kept]


def _doubted(one: Hypothesis) -> Hypothesis:
    """The hypothesis with nothing stated of its numbers: on an outline that is off others stand at their places."""
    return replace(one, sections=np.minimum(one.sections, LIMITS.unsure_way))


def _free_share(one: Hypothesis, others: list[Hypothesis]) -> float:
    """The share of an outline that no read card covers."""
    quad = one.corners.astype(np.float32)
    read = [other.corners.astype(np.float32) for other in others if other.is_read]
    shared = sum(cv2.intersectConvexConvex(quad, other)[0] for other in read)
    return 1 - shared / max(1.0, cv2.contourArea(quad))


def _once(some: list[Hypothesis]) -> list[Hypothesis]:
    """Of those that lie on each other the one that is read best."""
    kept = sorted(some, key=lambda one: -(one.legible + one.alike + 0.5 * one.found))
    corners = np.array([one.corners for one in kept], np.float32).reshape(-1, 4, 2)
    clashes = np.zeros((len(kept), len(kept)), bool)
    for i, quad in enumerate(corners):
        area = cv2.contourArea(quad)
        for k, other in enumerate(corners[:i]):
            shared = cv2.intersectConvexConvex(quad, other)[0]
            clashes[i, k] = shared > LIMITS.shared_area * min(area, cv2.contourArea(other))
    return [kept[i] for i in suppress_overlaps(clashes)]


def _is_card(one: Hypothesis, usual: list[Hypothesis]) -> bool:
    if one.is_read:
        return one.presence >= LIMITS.card
    if usual and one.odd > LIMITS.odd_card:
        return False
    if max(one.like_back, one.alike) > LIMITS.like_face:
        return one.presence >= LIMITS.card
    is_fit = one.is_back or one.odd < LIMITS.odd_corner
    return one.found >= (LIMITS.unread_card if is_fit else LIMITS.unread_taught)


def _card(number: int, one: Hypothesis, taught: TaughtNumerals) -> DetectedCometCard:
    sections = one.sections
    if one.is_back:
        sections = np.zeros_like(sections)
        sections[:, len(NUMBERS)] = 1.0
    elif not len(taught.profile.embeddings) and sections.max(-1).min() < LIMITS.sure_untaught:
        sections = np.minimum(sections, LIMITS.unsure_way)
    elif one.legible < LIMITS.read_card:
        sections = np.where(sections < LIMITS.sure_beside_unread, np.minimum(sections, LIMITS.contested), sections)
    edges = taught.accept(sections)
    sure = confidence_of(one.presence, sections, edges)
    return DetectedCometCard((number, 0), edges, one.corners.astype(np.float32), sure, one.presence, sections, 0)


def _unsure(card: DetectedCometCard) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    what = "a number" if missing == 1 else f"{missing} numbers"
    return ReadingWarning("unsure", f"{what} of a card cannot be read", card.centre)
