"""Reading a Comet table of a taught printing: outlines whatever is printed, the way up, and the taught numbers.

Outlines come from the detector that knows no print and from Comet's own; each is tried the ways the card may lie. A
card is told where its numbers are read, where it looks as taught, or where it is found surely and as large as others.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.alignment import align, correlation, look_at
from companion.games.comet.vision.classifier import KINDS, PretrainedNumerals
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR
from companion.games.comet.vision.face_search import search_faces
from companion.games.comet.vision.results import NUMBERS, CometReading, DetectedCometCard
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FOREIGN_PROFILE
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import corners_of, suppress_overlaps
from companion.vision.detection.outlines import SETTINGS, Outline, detect_outlines, judge_candidates, suppress
from companion.vision.geometry import areas, mapped, opposite_sides, shared_area
from companion.vision.image.pyramid import Pyramid, warp
from companion.vision.results import ReadingWarning, Stopwatch, confidence_of

Floats = NDArray[np.floating]
_ROUNDS = 3
"""How many cards away from one that is read its neighbours are looked for."""
_MODELS = 2
"""So many of the nearest cards that are read say how another may lie."""
_TOUCHING = 1.03
"""How far apart the middles of cards that touch are, in their widths or heights."""
_SAME_PLACE = 0.05
"""Places nearer than that, in heights of a card, are looked at once."""
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
        maybe_back: where faces are read, the probability of a back by a network that knows many, 0..1.
        is_other_colour: it has another colour than the cards on which numbers are read.
    """

    corners: Floats
    found: float
    sections: NDArray[np.float64]
    legible: float
    alike: float = 0.0
    like_back: float = 0.0
    maybe_back: float = 0.0
    is_other_colour: bool = False

    @property
    def is_back(self) -> bool:
        """It looks like a back, and no numbers are read on it: a plain face, outlined badly, may look like one."""
        is_taught = self.like_back > max(LIMITS.like_back, self.alike + LIMITS.plainer_way)
        if self.legible >= self._most_legible_back(is_taught):
            return False
        unlike = LIMITS.less_like_face if self.is_other_colour else LIMITS.unlike_face_alone
        shows_number = self.sections[:, : len(NUMBERS)].max() >= LIMITS.sure_number
        return is_taught or (self.maybe_back > LIMITS.maybe_back and self.alike < unlike and not shows_number)

    def _most_legible_back(self, is_taught: bool) -> float:
        """How surely numbers may be read on a back: its pattern may look like some."""
        is_unlike = self.alike < LIMITS.unlike_face_alone
        if is_taught and is_unlike and self.maybe_back > LIMITS.maybe_back:
            return LIMITS.patterned_back
        if self.is_other_colour:
            return LIMITS.unsure_number if is_unlike else LIMITS.hardly_number
        return LIMITS.no_number

    @property
    def presence(self) -> float:
        """How surely a card is there, 0..1."""
        looks = max(self.legible, LIMITS.look_weight * max(0.0, self.like_back, self.alike))
        return 1 - (1 - self.found) * (1 - min(looks, 1.0))


def read_taught(bgr: NDArray[np.uint8], taught: TaughtNumerals, across_px: float | None = None) -> CometReading:
    """Read a Comet table of a taught printing from one picture, without history; see `recognizer.read_comet`."""
    clock = Stopwatch()
    pyramid, judged = judge_candidates(bgr, 4)
    kept = [one for one in suppress(judged, SETTINGS.overlap) if one.confidence >= SETTINGS.min_confidence]
    outlines = [*_own_outlines(pyramid, across_px), *kept]
    half_width = taught.profile.half_width
    unlikely = [one for one in judged if one not in kept and _has_proportion(one.corners, half_width)]
    clock.lap("find")
    likely = [_look(pyramid, taught, one.corners, one.confidence) for one in outlines]
    likely += search_unlikely(pyramid, taught, likely, unlikely)
    likely += search_rows(pyramid, taught, likely)
    likely += search_neighbours(pyramid, taught, likely)
    likely += search_hidden(pyramid, taught, likely)
    clock.lap("name")
    read = _read_cards(likely)  # telling backs changes none of them
    likely = _compared_with_each_other(pyramid, taught, _compared_with_back(pyramid, taught, likely, read), read)
    cards = [_card(k, one, taught) for k, one in enumerate(_present(likely, read))]
    warnings = [_unsure(card) for card in cards if None in card.edges]
    if not cards:
        warnings = [ReadingWarning("nothing-found", "no Comet card on this picture")]
    elif taught.is_taught and len(cards) >= LIMITS.fewest_foreign and not any(_is_familiar(one) for one in likely):
        warnings.insert(0, FOREIGN_PROFILE.warning)
    clock.lap("judge")
    return CometReading(tuple(cards), (), tuple(warnings), taught, clock.laps)


def _is_familiar(one: Hypothesis) -> bool:
    """It is read, or looks like the taught face or back."""
    return one.legible >= LIMITS.read_card or max(one.alike, one.like_back) > LIMITS.like_face


def search_unlikely(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], unlikely: list[Outline]
) -> list[Hypothesis]:
    """Cards whose outlines are hardly likely, for they touch or cover others: what is printed on them says so.

    Those that show nothing and are as large as the cards that are read may lie face down.
    """
    looks = [_look(pyramid, taught, one.corners, one.confidence) for one in unlikely]
    read = _read_cards(likely) or _read_cards(looks)
    return [one for one in looks if read and (_is_like(one, read) or _is_blank(one, read))]


def _is_blank(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """It shows no number, looks like no face, and is as large as the cards ``read``."""
    is_plain = one.legible < LIMITS.no_number and one.alike < LIMITS.less_like_face
    return is_plain and _has_usual_size(one, read, LIMITS.same_area)


def search_rows(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """Cards side by side that were outlined as one: the parts of what is as large as some of those that are read.

    Where one of them is read it has an outline of its own, and its neighbours are looked for beside it.
    """
    read = _read_cards(likely)
    if len(read) < LIMITS.fewest_whole:
        return []
    free = [one for one in likely if one.found >= LIMITS.card and _free_share(one, read) > LIMITS.free_row]
    return [
        _look(pyramid, taught, part, one.found)
        for one in free
        for part in parts_of_row(one.corners, _usual_area(one.corners, read), taught.profile.half_width)
    ]


def parts_of_row(row: Floats, area: float, half_width: float) -> list[Floats]:
    """The cards (4, 2) of that area and proportion that an outline (4, 2) of some in a row may be; none for one."""
    ratio = _area(row) / area
    count = round(ratio)
    if not 2 <= count <= LIMITS.longest_row or abs(np.log(ratio / count)) > LIMITS.same_area:
        return []
    for across in (row, np.roll(row, -1, 0)):
        ends = np.array([[0, 0], [count, 0], [count, 1], [0, 1]], np.float32)
        image_from_row = cv2.getPerspectiveTransform(ends, across.astype(np.float32)).astype(np.float64)
        parts: list[Floats] = [mapped(image_from_row, ends / [count, 1] + [k, 0]) for k in range(count)]
        if all(_has_proportion(part, half_width, LIMITS.plain_proportion) for part in parts):
            return parts
    return []


def search_neighbours(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """Cards that no outline showed well: beside those that are read, and where some outline lies, as they lie."""
    fresh = read = _read_cards(likely)
    places = [place for one in likely if one not in read for place in _around(one.corners, read)]
    added: list[Hypothesis] = []
    for _ in range(_ROUNDS if read else 0):
        tried = np.zeros((0, 2))
        places += [one.corners.mean(0) + step for one in fresh for step in _steps(one.corners)]
        fresh = []
        for place in places:
            if _is_covered(place, read, pyramid.size) or _is_near(place, tried, read[0]):
                continue
            tried = np.array([*tried, place])
            one = _classify_neighbour(pyramid, taught, place, read)
            if _is_like(one, read) and not _is_covered(one.corners.mean(0), read, pyramid.size):
                added.append(one)
                if _as_usual([*read, one])[-1] is one:
                    fresh.append(one)
                    read = [*read, one]
        places = []
        if not fresh:
            break
    return added


def search_hidden(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """Cards that touch or cover each other, found by their faces, about as large as those that are read."""
    read = _read_cards(likely)
    added: list[Hypothesis] = []
    if not read:
        return added
    profile = taught.profile
    high_px = float(np.median([np.linalg.norm(_steps(one.corners)[2]) for one in read])) / _TOUCHING
    for outline in search_faces(pyramid, profile.face, profile.half_width, high_px, LIMITS.most_faces):
        if not _is_covered(outline.mean(0), [*read, *added], pyramid.size):
            one = _look(pyramid, taught, outline, 0.0)
            if _is_like(one, read) and not _is_covered(one.corners.mean(0), [*read, *added], pyramid.size):
                added.append(one)
    return added


def _is_like(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """Where no outline was found: numbers are read, and the taught face is seen about as well as on those ``read``.

    It may be less plain where the numbers are read surely: something lies on the card.
    """
    usual = _usual_likeness(read)
    less = LIMITS.less_alike if one.legible < LIMITS.surely_read else LIMITS.hidden_face
    return one.legible >= LIMITS.read_card and one.alike > max(LIMITS.least_face, usual - less)


def _read_cards(likely: list[Hypothesis]) -> list[Hypothesis]:
    """The cards on which numbers are read, each once, that look as most of them do."""
    return _as_usual(_once([one for one in likely if one.legible >= LIMITS.read_card]))


def _as_usual(read: list[Hypothesis]) -> list[Hypothesis]:
    """Those that look like the taught face about as much as most do: others may lie across two cards."""
    usual = _usual_likeness(read)
    least = usual - LIMITS.less_alike if usual > LIMITS.like_face else -1.0
    return [one for one in read if one.alike >= least]


def _usual_likeness(read: list[Hypothesis]) -> float:
    """How much most cards on which numbers are read look like the taught face; 0 where there are none."""
    return float(np.median([one.alike for one in read])) if read else 0.0


def _steps(corners: Floats) -> Floats:
    """Where the middles of cards that touch a card (4, 2) lie, from its own middle (4, 2)."""
    across, down = ((corners[1] - corners[0]) + (corners[2] - corners[3])) / 2, (corners[3] - corners[0])
    down = (down + corners[2] - corners[1]) / 2
    return _TOUCHING * np.array([across, -across, down, -down])


def _around(corners: Floats, read: list[Hypothesis]) -> list[Floats]:
    """Where the middle of a card may lie that an outline (4, 2) shows in part: it may show two cards' halves."""
    middle = corners.mean(0)
    halves = [step / 2 for one in read[:1] for step in _steps(one.corners)]
    return [middle, *(middle + half for half in halves)]


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


def _is_near(place: Floats, tried: Floats, card: Hypothesis) -> bool:
    """A place lies so near to one of others (N, 2) that a card there was seen."""
    reach = _SAME_PLACE * float(np.linalg.norm(card.corners[3] - card.corners[0]))
    return bool((np.linalg.norm(tried - place, axis=1) < reach).any())


def _classify_neighbour(pyramid: Pyramid, taught: TaughtNumerals, place: Floats, read: list[Hypothesis]) -> Hypothesis:
    """What a card at a place shows that lies as the nearest read ones do."""
    apart = [float(np.linalg.norm(one.corners.mean(0) - place)) for one in read]
    near = [read[i] for i in np.argsort(apart)[:_MODELS]]
    quads = [one.corners - one.corners.mean(0) + place for one in near]
    return max((_look(pyramid, taught, quad, 0.0) for quad in quads), key=lambda one: one.legible)


def _has_proportion(corners: Floats, half_width: float, odd: float = LIMITS.odd_proportion) -> bool:
    """An outline (4, 2) has about the proportion of a card of that width over its height, lying any way."""
    return bool(abs(abs(_proportion(corners)) - abs(np.log(half_width))) < odd)


def _proportion(corners: Floats) -> float:
    """The logarithm of an outline's first and third side over the others; corners (4, 2)."""
    first, second = opposite_sides(corners)
    return float(np.log(first / second))


def find_outlines(
    bgr: NDArray[np.uint8], pyramid: Pyramid, across_px: float | None = None
) -> tuple[list[Outline], list[Outline]]:
    """What may be cards: as Comet's own detector finds them, which knows one proportion, and the one for any print."""
    return _own_outlines(pyramid, across_px), list(detect_outlines(bgr, 4))


def _own_outlines(pyramid: Pyramid, across_px: float | None) -> list[Outline]:
    width_px = None if across_px is None else across_px * LIMITS.width_of_across
    own = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    refined = refine_corners(CORNER_REFINER, pyramid, corners_of(own, 4), CARD, LIMITS.refinements)
    return [Outline(corners.astype(float), one.confidence) for corners, one in zip(refined, own, strict=True)]


def ways_up(corners: Floats, half_width: float) -> list[Floats]:
    """An outline (4, 2) begun at each corner that may be the top left of a card of that proportion."""
    proportion = _proportion(corners)
    starts = [0, 1, 2, 3]
    if abs(proportion) > LIMITS.plain_proportion:
        starts = [0, 2] if (proportion > 0) == (half_width > 1) else [1, 3]
    return [np.roll(corners, -start, 0) for start in starts]


def _compared_with_back(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], read: list[Hypothesis]
) -> list[Hypothesis]:
    """The hypotheses, those without numbers compared with the back, and their colours with the read cards'."""
    faces = [_chromaticity(pyramid, one.corners) for one in read]
    is_plain = _usual_likeness(read) > LIMITS.like_face  # then what looks like no face may be a back, read as numbers
    return [
        one
        if one.legible >= LIMITS.read_card and not (is_plain and one.alike < LIMITS.unlike_face_alone)
        else _as_back(pyramid, taught, one, faces)
        for one in likely
    ]


def _compared_with_each_other(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], read: list[Hypothesis]
) -> list[Hypothesis]:
    """The hypotheses, those of another colour than the faces as like a back as they are like others that are found."""
    blank = [i for i, one in enumerate(likely) if read and _may_be_back(one, read)]
    shape = (taught.profile.face.shape[0], taught.profile.face.shape[1])
    looks = [look_at(pyramid, likely[i].corners, shape) for i in blank]
    found = list(likely)
    for i, look in zip(blank, looks, strict=True):
        others = [
            max(correlation(other, look), correlation(other[::-1, ::-1], look))
            for k, other in zip(blank, looks, strict=True)
            if likely[k].found >= LIMITS.card and shared_area(likely[i].corners, likely[k].corners) < LIMITS.shared_area
        ]
        found[i] = replace(likely[i], like_back=max([likely[i].like_back, *others]))
    return found


def _may_be_back(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """It has another colour than the faces, is as large, and looks like none."""
    is_blank = one.legible < LIMITS.hardly_number and one.alike < LIMITS.less_like_face
    return is_blank and one.is_other_colour and _has_usual_size(one, read)


def _chromaticity(pyramid: Pyramid, corners: Floats) -> Floats:
    """The mean colour of a card (4, 2) whatever its brightness: shares (3,) of blue, green and red."""
    inner = corners.mean(0) + _CORE * (corners - corners.mean(0))
    ends = np.array([[0, 0], [7, 0], [7, 7], [0, 7]], np.float32)
    image_from_grid = cv2.getPerspectiveTransform(ends, inner.astype(np.float32)).astype(np.float64)
    px = float(np.sqrt(_area(inner))) / 8
    colour = warp(pyramid, image_from_grid, (8, 8), px).reshape(-1, 3).astype(np.float64).mean(0) + 1.0
    return np.asarray(colour / colour.sum())


def _as_back(pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis, faces: list[Floats]) -> Hypothesis:
    """How much an outline looks like a back, moved to fit the taught one where it does; ``faces`` are colours read."""
    colour = _chromaticity(pyramid, one.corners)
    off = min((float(np.abs(colour - face).max()) for face in faces), default=0.0)
    one = replace(one, is_other_colour=off > LIMITS.other_colour)
    if taught.profile.back.size:
        ways = (one.corners, np.roll(one.corners, 2, 0))
        back = max((align(pyramid, way, taught.profile.back) for way in ways), key=lambda fit: fit.correlation)
        one = replace(one, like_back=back.correlation)
        if one.is_back:
            return replace(one, corners=back.corners)
    if not faces:  # any deck may lie there
        return one
    corners = one.corners if taught.profile.half_width < 1 else np.roll(one.corners, 1, 0)
    kinds = PretrainedNumerals().read_numerals(pyramid, corners[None].astype(np.float32)).kinds[0]
    return replace(one, maybe_back=float(kinds[KINDS.index("back")]))


def _look(pyramid: Pyramid, taught: TaughtNumerals, outline: Floats, found: float) -> Hypothesis:
    """The outline the way up that its numbers and its look say."""
    return _best(pyramid, taught, ways_up(outline, taught.profile.half_width), found)


def _best(pyramid: Pyramid, taught: TaughtNumerals, ways: list[Floats], found: float) -> Hypothesis:
    """Of the ways up that which is read best, as it is or moved to fit the taught face."""
    face = taught.profile.face
    shape = (face.shape[0], face.shape[1])
    alike = [correlation(look_at(pyramid, way, shape), face) for way in ways]
    seen = taught.read_numerals(pyramid, np.array(ways))
    likely = seen.legible * seen.upright
    score = likely + LIMITS.look_weight * np.array(alike)
    best = int(score.argmax())
    if likely.max() < LIMITS.unlike_numbers and max(alike) < LIMITS.unlike_face:
        sections = np.minimum(seen.sections[best], LIMITS.unsure_way)
        return Hypothesis(ways[best], found, sections, float(likely[best]), alike[best])
    near = [i for i in range(len(ways)) if score[i] > score[best] - LIMITS.likely_way]
    fits = [align(pyramid, ways[i], face) for i in near]
    again = taught.read_numerals(pyramid, np.array([fit.corners for fit in fits]))
    tried = [ways[best], *(fit.corners for fit in fits)]
    legible, upright = (
        np.array([one[best], *other]) for one, other in ((seen.legible, again.legible), (seen.upright, again.upright))
    )
    alike = [alike[best], *(fit.correlation for fit in fits)]
    gain = legible * upright + LIMITS.look_weight * np.array(alike)
    gain[0] += LIMITS.found_gain * found - LIMITS.alignment_gain
    chosen = int(gain.argmax())
    sections = _jittered(pyramid, taught, tried[chosen], [seen.sections[best], *again.sections][chosen])
    others = [fit.correlation for fit, i in zip(fits, near, strict=True) if i != [best, *near][chosen]]
    is_sure = upright[chosen] >= LIMITS.sure_way
    if _reads_both_ways(sections):
        is_sure, others = False, [align(pyramid, np.roll(tried[chosen], 2, 0), face).correlation]
    if not is_sure and not _is_plainer(alike[chosen], others):
        sections = np.minimum(sections, LIMITS.unsure_way)
        legible = np.minimum(legible, LIMITS.unsure_way)
    return Hypothesis(tried[chosen], found, sections, float(legible[chosen]), alike[chosen])


def _reads_both_ways(sections: NDArray[np.float64]) -> bool:
    """All numbers of a card (3, 15) are numbers upside down too."""
    return all(NUMBERS[k] in (6, 9) for k in sections[:, : len(NUMBERS)].argmax(-1).tolist())


def _is_plainer(alike: float, others: list[float]) -> bool:
    """A card's look says which way up it lies: it is the taught face's, and plainer than the ``others``' looks."""
    return alike > max([LIMITS.like_face, *(other + LIMITS.plainer_way for other in others)])


def _jittered(
    pyramid: Pyramid, taught: TaughtNumerals, corners: Floats, sections: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sections (3, 15) of a card, those in doubt the mean of looks through outlines moved a little."""
    likely = sections[:, : len(NUMBERS)].max(-1)
    doubt = (likely > LIMITS.likely_number) & (likely < LIMITS.sure_taught)
    if not doubt.any():
        return sections
    sides = np.stack([corners[1] - corners[0], corners[3] - corners[0]]) / 2
    moved = np.array([corners + move @ sides for move in _JITTER])
    mean = (sections + taught.classify(pyramid, moved).sum(0)) / (1 + len(moved))
    return np.where(doubt[:, None], mean, sections)


def _present(likely: list[Hypothesis], usual: list[Hypothesis]) -> list[Hypothesis]:
    """The cards that are there, each once, none of another size than the usual ones read, or across two of them."""
    kept: list[Hypothesis] = []
    for one in _once([one for one in likely if is_card(one, usual)]):
        is_read = one.legible >= LIMITS.read_card
        read = [other for other in kept if other.legible >= LIMITS.read_card]
        if _free_share(one, read) > (LIMITS.free_share_read if is_read else LIMITS.free_share):
            kept.append(one)
    return kept


def _free_share(one: Hypothesis, others: list[Hypothesis]) -> float:
    """The share of an outline that others leave free."""
    quad = one.corners.astype(np.float32)
    shared = sum(cv2.intersectConvexConvex(quad, other.corners.astype(np.float32))[0] for other in others)
    return 1 - shared / max(1.0, cv2.contourArea(quad))


def _once(some: list[Hypothesis]) -> list[Hypothesis]:
    """Of those that lie on each other the one that is read best."""
    kept = sorted(some, key=lambda one: -(one.legible + max(one.alike, one.is_back) + 0.5 * one.found))
    corners = np.array([one.corners for one in kept], np.float32).reshape(-1, 4, 2)
    clashes = np.zeros((len(kept), len(kept)), bool)
    for i, quad in enumerate(corners):
        clashes[i, :i] = [shared_area(quad, other) > LIMITS.shared_area for other in corners[:i]]
    return [kept[i] for i in suppress_overlaps(clashes)]


def is_card(one: Hypothesis, usual: list[Hypothesis]) -> bool:
    """A card lies there surely enough, beside those on which numbers are read, ``usual``."""
    if one.legible >= LIMITS.read_card:
        return one.presence >= LIMITS.card
    is_sure = one.like_back > LIMITS.like_back or one.found > LIMITS.surely_found
    if usual and not _has_usual_size(one, usual, LIMITS.odd_area_sure if is_sure else LIMITS.odd_area):
        return False
    if one.like_back > LIMITS.like_back and usual and _is_blank(one, usual):
        return True
    if not usual and one.is_back:  # where no face is read, anything plain may look like a plain back
        return one.found >= LIMITS.unread_card
    if max(one.like_back, one.alike) > LIMITS.like_face:
        return one.presence >= LIMITS.card
    return one.found >= (LIMITS.unread_card if one.is_back else LIMITS.unread_taught)


def _has_usual_size(one: Hypothesis, usual: list[Hypothesis], odd: float = LIMITS.odd_area) -> bool:
    """An outline is about as large as the read cards nearest to it: its area is off by less, as a logarithm."""
    ratio = _area(one.corners) / _usual_area(one.corners, usual)
    return bool(abs(np.log(max(ratio, 1e-3))) < odd)


def _usual_area(corners: Floats, usual: list[Hypothesis]) -> float:
    """The area of the cards nearest to an outline (4, 2)."""
    apart = [float(np.linalg.norm(corners.mean(0) - other.corners.mean(0))) for other in usual]
    near = np.argsort(apart)[: LIMITS.nearest]
    return float(np.median([_area(usual[i].corners) for i in near]))


def _area(corners: Floats) -> float:
    return float(areas(corners.astype(float)))


def _card(number: int, one: Hypothesis, taught: TaughtNumerals) -> DetectedCometCard:
    sections = one.sections
    if one.is_back:
        sections = np.zeros_like(sections)
        sections[:, len(NUMBERS)] = 1.0
    elif not taught.is_taught and sections.max(-1).min() < LIMITS.sure_untaught:
        sections = np.minimum(sections, LIMITS.unsure_way)
    elif sections.max(-1).min() < LIMITS.sure_taught:
        sections = np.where(sections < LIMITS.sure_beside_unread, np.minimum(sections, LIMITS.contested), sections)
    edges = taught.accept(sections)
    sure = confidence_of(one.presence, sections, edges)
    return DetectedCometCard((number, 0), edges, one.corners.astype(np.float32), sure, one.presence, sections, 0)


def _unsure(card: DetectedCometCard) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    what = "a number" if missing == 1 else f"{missing} numbers"
    return ReadingWarning("unsure", f"{what} of a card cannot be read", card.centre)
