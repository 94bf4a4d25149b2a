"""Cards of a taught printing that no outline showed well: rows, neighbours, faces and fans beside what is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import (
    GRID,
    are_near,
    area_of,
    colours_at,
    colours_on,
    is_patterned,
    look_correlation,
    print_contrast,
)
from companion.games.comet.vision.card_selection import (
    TOUCHING,
    as_usual,
    confident_cards,
    free_share,
    has_usual_size,
    is_blank,
    is_fanned,
    is_like_read,
    nearest_first,
    parts_of,
    read_cards,
    rows_of,
    shows_taught_face,
    uncovered_correlation,
    usual_area,
    without_cards,
)
from companion.games.comet.vision.detector import CARD, CORNER_REFINER
from companion.games.comet.vision.hypothesis import (
    NO_SECTIONS,
    Hypothesis,
    asides,
    examine,
    figures_before,
    off_proportion,
    resembles_face,
    unread,
    ways_up,
)
from companion.games.comet.vision.numeral_search import NumeralSearch
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.detector import refine_corners
from companion.vision.detection.suppression import Outline
from companion.vision.geometry import SQUARE, homography, mapped
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.floating]
IsFree = Callable[[Floats], bool]
"""Whether nothing can have been laid within an outline (4, 2): all is as it was known there."""
_ROUNDS = 3
"""How many cards away from one that is read its neighbours are looked for."""
_MODELS = 2
"""So many of the nearest cards that are read say how another may lie."""
_SAME_PLACE = 0.1
"""Places nearer than that, in heights of a card, are looked at once."""
_ALONG = np.linspace(-0.85, 0.85, 8)
_BESIDE = np.array([-1.2, 1.2])
"""Points along a card's side, in half its length, and beyond both its ends."""
_AROUND = np.concatenate(
    [np.stack(ends, -1) for x in _BESIDE for ends in ((_ALONG, 0 * _ALONG + x), (0 * _ALONG + x, _ALONG))]
)
_AWAY = np.arange(0.06, 3.2, 0.04)
"""How far from a card another is looked for, in its heights."""
_MOST_COLOURS = 300
"""So many colours of backs are kept."""
_SEAM = 3
"""So many of these may pass between two cards that touch."""
_OTHER, _BACK, _CARD, _BEYOND = range(4)
"""What may show at a point: something else, the colours of a back, a known card, or what lies beyond the picture."""


def search_unlikely(
    search: NumeralSearch, taught: TaughtNumerals, likely: list[Hypothesis], unlikely: Sequence[Outline]
) -> list[Hypothesis]:
    """Cards whose outlines are hardly likely, for they touch or cover others: what is printed on them says so.

    Those that show nothing and are as large as the cards that are read may lie face down.
    """
    pyramid, read = search.pyramid, read_cards(likely)
    may_show = _ink_test(search, taught, read)
    others = without_cards(unlikely, confident_cards(likely))
    inked = [one for one in others if may_show(one.corners)]
    looks = examine(pyramid, taught, [(one.corners, one.confidence) for one in inked])
    read = read or read_cards(looks)
    looks += [unread(pyramid, taught, one.corners, one.confidence) for one in others if one not in inked]
    return [one for one in looks if read and (is_like_read(one, read) or is_blank(one, read))]


def _ink_test(search: NumeralSearch, taught: TaughtNumerals, read: list[Hypothesis]) -> Callable[[Floats], bool]:
    """Whether an outline (4, 2) is worth a look at its numbers: some way up there is ink where they would stand."""
    whole = [one.corners for one in read if one.legible >= LIMITS.surely_read]
    shows_two = search.ink_test([one.corners for one in read], whole)
    return lambda outline: any(map(shows_two, ways_up(outline, taught.profile.half_width)))


def search_rows(pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """Cards side by side that were outlined as one: the parts of what is as large as some of those that are read.

    Where one of them is read it has an outline of its own, and its neighbours are looked for beside it. Any large thing
    has parts: those without numbers are backs only if they look like the taught one, or a back of their colour lies
    elsewhere. Of plain backs nothing but a surely found outline tells.
    """
    read = read_cards(likely)
    if len(read) < LIMITS.fewest_whole:
        return []
    parts = []
    for one in _free(likely, read):
        ways = rows_of(one.corners, usual_area(one.corners, read), taught.profile.half_width)
        parts += [(part, one.found) for part in _likeliest_row(pyramid, taught, ways)]
    is_plain = bool(taught.profile.back.size) and not is_patterned(taught.profile.back)
    return [
        one if is_plain or one.legible >= LIMITS.read_card else replace(one, found=min(one.found, LIMITS.similar_back))
        for one in examine(pyramid, taught, parts)
    ]


def _free(likely: list[Hypothesis], read: list[Hypothesis]) -> list[Hypothesis]:
    """The outlines on most of which no card is read."""
    return [one for one in likely if one.found >= LIMITS.card and free_share(one, read) > LIMITS.free_row]


def search_joined(search: NumeralSearch, taught: TaughtNumerals, likely: list[Hypothesis]) -> list[Hypothesis]:
    """Cards that were outlined as one and on which numbers are surely read: the parts of what is as long beside its
    width as some cards, however large they are where none is read.
    """
    pyramid, read, wide = search.pyramid, read_cards(likely), taught.profile.half_width
    may_show = _ink_test(search, taught, read)
    parts = [
        Hypothesis(part, LIMITS.similar_back, NO_SECTIONS, 0.0)
        for one in _free(likely, read)
        if one.legible < LIMITS.read_card
        for part in parts_of(one.corners, wide, pyramid.size)
    ]
    usual = [one.corners for one in parts if not read or has_usual_size(one, read, LIMITS.odd_area_sure)]
    inked = np.array([part for part in usual if may_show(part)], np.float32)
    if not len(inked):
        return []
    outlines = [*inked, *_refined(pyramid, inked, wide)]
    seen = examine(pyramid, taught, [(quad.astype(np.float64), LIMITS.similar_back) for quad in outlines])
    return [one for one in seen if one.legible >= LIMITS.surely_read and one.alike > LIMITS.least_face]


def _likeliest_row(pyramid: Pyramid, taught: TaughtNumerals, ways: list[list[Floats]]) -> list[Floats]:
    """Of the ways to part a row that whose parts look most like the taught back, where there is one; else the first.

    Cards seen from the side, two above each other, have sides as long either way.
    """
    back, wide = taught.profile.back, taught.profile.half_width
    if len(ways) < 2 or not back.size:
        return next(iter(ways), [])

    def like_back(parts: list[Floats]) -> float:
        return sum(max(look_correlation(pyramid, way, back) for way in ways_up(part, wide)) for part in parts)

    return max(ways, key=like_back)


def search_neighbours(
    search: NumeralSearch, taught: TaughtNumerals, likely: list[Hypothesis], is_free: IsFree
) -> list[Hypothesis]:
    """Cards that no outline showed well: beside those that are read, and where some outline lies, as they lie."""
    pyramid = search.pyramid
    fresh = read = read_cards(likely)
    places = [place for one in without_cards(likely, read) for place in _around(one.corners, read)]
    tried = np.zeros((0, 2))
    added: list[Hypothesis] = []
    for _ in range(_ROUNDS if read else 0):
        places += [one.middle + step for one in fresh for step in _steps(one.corners)]
        new: list[Floats] = []
        for place in places:
            if not _is_covered(place, read, pyramid.size) and not _is_near(place, tried, read[0]):
                tried = np.array([*tried, place])
                new.append(place)
        fresh = []
        for place, one in zip(new, _classify_neighbours(search, taught, new, read, is_free), strict=True):
            if _is_covered(place, read, pyramid.size) or one is None:
                continue
            if is_like_read(one, read) and not _is_covered(one.middle, read, pyramid.size):
                added.append(one)
                if as_usual([*read, one])[-1] is one:
                    fresh.append(one)
                    read = [*read, one]
        places = []
        if not fresh:
            break
    return added


def search_fanned(
    search: NumeralSearch, taught: TaughtNumerals, likely: list[Hypothesis], is_free: IsFree
) -> list[Hypothesis]:
    """Cards found by their numerals: fans of them were outlined as one card, or as none."""
    read = [one for one in likely if one.legible >= LIMITS.read_card]
    whole = [one.corners for one in read if one.found >= LIMITS.card and one.legible >= LIMITS.surely_read]
    usual = read_cards(likely)
    outlined = [one for one in likely if one.found >= LIMITS.unread_card]
    blank = [one.corners for one in outlined if usual and is_blank(one, usual, LIMITS.odd_area_sure)]
    pyramid = search.pyramid
    poses = [pose for pose in search.by_three([one.corners for one in read], whole, blank) if not is_free(pose)]
    if not poses:
        return []
    quads = np.concatenate([poses, _refined(pyramid, np.array(poses), taught.profile.half_width)])
    legible = taught.read_numerals(pyramid, quads).legible.reshape(2, -1)
    chosen = [quads[which * len(poses) + k] for k, which in enumerate(legible.argmax(0).tolist())]
    sure = legible.max(0) >= LIMITS.read_card
    found = examine(pyramid, taught, [(chosen[k], 0.0) for k in np.flatnonzero(sure).tolist()])
    above = [one for one in likely if one.found >= LIMITS.card]
    seen = [one if is_fanned(one, usual) else _uncovered(pyramid, taught, one, above) for one in found]
    turned = [one for one in found if usual and one.may_be_turned and shows_taught_face(one, usual)]
    fanned = [one for one in seen if is_fanned(one, usual)]
    return [*fanned, *(replace(one, found=LIMITS.unread_taught) for one in turned)]


def search_covered(
    search: NumeralSearch, taught: TaughtNumerals, likely: list[Hypothesis], is_free: IsFree
) -> list[Hypothesis]:
    """Cards found by two of their numerals: another lies on the third.

    None of them are numerals of a card that is outlined and surely read, not even of one that looks unlike most.
    """
    sure = [one for one in likely if one.found >= LIMITS.card and one.legible >= LIMITS.surely_read]
    read = [one.corners for one in (*read_cards(likely), *sure)]
    above = [one.corners for one in likely if max(one.found, one.legible) >= LIMITS.card]
    pyramid = search.pyramid
    pairs = [(pose, hidden) for pose, hidden in search.by_two(read, above) if not is_free(pose)]
    if not pairs:
        return []
    poses = np.array([pose for pose, _ in pairs])
    quads = taught.corrected(poses, taught.read_numerals(pyramid, poses), range(len(poses)))
    seen = taught.read_numerals(pyramid, quads)
    found = []
    for quad, (_, hidden), sections, upright, aside in zip(
        quads, pairs, seen.sections, seen.upright, seen.aside, strict=True
    ):
        least = np.delete(sections[:, : len(NUMBERS)].max(-1), hidden).min()
        alike = look_correlation(pyramid, quad, taught.profile.face)
        if upright >= LIMITS.sure_way and least >= (
            LIMITS.sure_taught if alike > LIMITS.least_face else LIMITS.plainly_read
        ):
            shown = np.where(np.arange(3)[:, None] == hidden, np.eye(sections.shape[1])[-1], sections)
            before = figures_before(quad, taught.profile.places)
            two = Hypothesis(quad, LIMITS.card, shown, LIMITS.read_in_part, alike, before=before)
            found.append(replace(two, aside=asides(taught, aside)))
    return found


def search_backs(
    pyramid: Pyramid, there: list[Hypothesis], likely: list[Hypothesis], half_width: float
) -> list[Hypothesis]:
    """Backs in a row or a fan: what has the colours of those that are ``there`` from a card's side on, as wide, or in
    an outline that is as large as some cards, or as one and hardly found.

    Of plain backs that lie on each other no more may show. They lie evenly, up to where the colours end.
    """
    colours = _back_colours(pyramid, there)
    if not len(colours):
        return []
    told = [one for one in there if one.is_back or one.legible >= LIMITS.read_card]
    contrasts = [print_contrast(pyramid, one.corners) for one in there if one.is_back]
    least_contrast = LIMITS.blank * float(np.median(contrasts))
    table = _Table(pyramid, colours, least_contrast, np.array([one.corners for one in told], np.float64))
    around = np.concatenate([table.look(mapped(homography(one.corners), _AROUND), _px(one.corners)) for one in told])
    if (around == _BACK).sum() > LIMITS.around_as_back * (around <= _BACK).sum():
        return []
    found, table = _backs_in_rows_with(table, [one.corners for one in told])
    for one in sorted(without_cards(likely, told), key=lambda one: -one.found):
        ways = rows_of(one.corners, usual_area(one.corners, told), half_width) if one.found >= LIMITS.card else []
        parts = [one.corners] if _may_be_back(one, told, half_width) else next(iter(ways), [])
        backs: list[Floats] = []
        for part in [part for part in parts if table.is_back(part)]:
            if table.is_free(part):  # of those before it too
                backs.append(part)
                table = table.with_cards([part])
        beside, table = _backs_in_rows_with(table, backs)
        found += [*backs, *beside]
    return [_as_covered_back(quad) for quad in found]


def _may_be_back(one: Hypothesis, told: list[Hypothesis], half_width: float) -> bool:
    """An outline of a card's size and proportion may show a back: found hardly surely, among backs as it is."""
    is_likely = one.found >= LIMITS.hardly_found_back and one.maybe_back >= LIMITS.likely_back
    if not is_likely or one.is_table or one.is_foreign:
        return False
    is_as_wide = off_proportion(one.corners, half_width) < LIMITS.plain_proportion
    return is_as_wide and has_usual_size(one, told, LIMITS.same_area)


def _back_colours(pyramid: Pyramid, there: list[Hypothesis]) -> Floats:
    """The colours (M, 4) that the backs share; none where a face has them too."""
    backs = [colours_on(pyramid, one.corners) for one in there if one.is_back]
    faces = [colours_on(pyramid, one.corners) for one in there if not one.is_back]
    pairs = [(its, _are_of_back(its, other)) for its, other in permutations(backs, 2)]
    shared = [its[is_near] for its, is_near in pairs if is_near.mean() > LIMITS.deck_colours]
    colours = np.unique(np.concatenate([np.zeros((0, 4)), *shared]), axis=0)
    colours = colours[:: 1 + len(colours) // _MOST_COLOURS]
    is_faces = any(_are_of_back(its, colours).mean() > LIMITS.face_as_back for its in faces)
    return colours[:0] if is_faces else colours


def _px(card: Floats) -> float:
    """How far apart points of a card (4, 2) lie on the picture."""
    return float(np.sqrt(area_of(card))) / len(_ALONG)


def _are_of_back(some: Floats, colours: Floats) -> NDArray[np.bool_]:
    """Which of some colours (N, 4) are a back's (M, 4), see `colours_at`."""
    return np.asarray(are_near(some, colours, LIMITS.back_colours).any(1))


def _as_covered_back(corners: Floats) -> Hypothesis:
    return Hypothesis(corners, LIMITS.card, NO_SECTIONS, 0.0, maybe_back=1.0, is_as_other_backs=True, is_below=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Where the colours of backs show beside the cards that are known.

    Attributes:
        pyramid: the picture.
        colours: of backs (M, 4), see `colours_at`.
        least_contrast: what shows less print is no back, see `print_contrast`: it has but one of their colours.
        cards: the known ones' outlines (K, 4, 2).
    """

    pyramid: Pyramid
    colours: Floats
    least_contrast: float
    cards: Floats

    def with_cards(self, cards: list[Floats]) -> "_Table":
        """The same with more cards (4, 2)."""
        return replace(self, cards=np.concatenate([self.cards, cards])) if cards else self

    def look(self, points: Floats, px: float) -> NDArray[np.intp]:
        """What shows at points (..., 2) so many pixels apart: `_OTHER`, `_BACK`, `_CARD` or `_BEYOND` (...)."""
        flat = points.reshape(-1, 2)
        shown = np.where(((flat >= 0) & (flat < self.pyramid.size)).all(1), _OTHER, _BEYOND)
        overlaps = (self.cards.max(1) >= flat.min(0)) & (self.cards.min(1) <= flat.max(0))
        for card in self.cards[overlaps.all(1)]:
            shown[(np.abs(mapped(np.linalg.inv(homography(card)), flat)) < 1).all(1)] = _CARD
        free = np.flatnonzero(shown == _OTHER)
        if len(free):
            is_back = _are_of_back(colours_at(self.pyramid, flat[free], px), self.colours)
            shown[free[is_back]] = _BACK
        return shown.reshape(points.shape[:-1])

    def is_back(self, outline: Floats) -> bool:
        """Whether an outline (4, 2) has a back's colours where no card is known, and shows print as they do."""
        shown = self.look(mapped(homography(outline), GRID), _px(outline))
        is_filled = _leaves_free(shown) and (shown == _BACK).sum() > LIMITS.filled_back * (shown <= _BACK).sum()
        return is_filled and print_contrast(self.pyramid, outline) >= self.least_contrast

    def is_free(self, outline: Floats) -> bool:
        """Whether the cards that are known leave enough of an outline (4, 2) free to tell a back."""
        return _leaves_free(self.look(mapped(homography(outline), GRID), _px(outline)))


def _leaves_free(shown: NDArray[np.intp]) -> bool:
    return bool((shown <= _BACK).mean() > LIMITS.free_of_back)


def _backs_in_rows_with(table: _Table, cards: Sequence[Floats]) -> tuple[list[Floats], _Table]:
    """The backs (4, 2) in a row or a fan with some cards (4, 2), and the table with them."""
    found: list[Floats] = []
    for card in cards:
        for turn in range(4):
            quads = _backs_above(table, np.roll(card, turn, 0))
            found += [np.roll(quad, -turn, 0) for quad in quads]
            table = table.with_cards(quads)
    return found, table


def _backs_above(table: _Table, card: Floats) -> list[Floats]:
    """The outlines (4, 2) of backs in a row or a fan with a card (4, 2), beyond its first side."""
    frame, px = homography(card), _px(card)

    def rows(away: Floats, along: Floats) -> Floats:
        """Points (R, C, 2) so far beyond the side, in heights of the card, and along it."""
        return mapped(frame, np.stack(np.broadcast_arrays(along, -1 - 2 * away[:, None]), -1))

    if (table.look(rows(_AWAY[:2], _ALONG), px) == _BACK).mean() < LIMITS.row_of_back:
        return []
    shown = table.look(rows(_AWAY, _ALONG), px)
    is_free = shown <= _BACK
    goes_on = (shown == _BACK).sum(1) > LIMITS.row_of_back * np.maximum(is_free.sum(1), len(_ALONG) / 2)
    end = int(goes_on.argmin())
    far = float(_AWAY[end])
    if goes_on[end] or (shown[end] == _BEYOND).any() or far < LIMITS.least_of_back:
        return []
    beside = table.look(rows(_AWAY[:end], _BESIDE), px)
    if (beside == _BACK).sum() > LIMITS.beside_back * (beside <= _BACK).sum():
        return []
    count = max(1, int(np.ceil(far / TOUCHING - LIMITS.more_of_back)))
    ends_at_card = (shown[end : end + _SEAM] == _CARD).mean(1).max() > 0.5
    step = (far + 1) / (count + 1) if ends_at_card else far / count
    quads: list[Floats] = [mapped(frame, SQUARE.unit - [0, 2 * step * (k + 1)]) for k in range(count)]
    return [quad for quad in quads if table.is_back(quad)]


def _uncovered(pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis, above: list[Hypothesis]) -> Hypothesis:
    """A card as alike to the taught face as it is where the cards ``above`` leave it free that hide no number of it."""
    on_it = [other for other in above if not one.numbers_within(other.corners).any()]
    if not LIMITS.free_share_read < free_share(one, on_it) < 1:
        return one
    return replace(one, alike=uncovered_correlation(pyramid, taught, one, on_it), is_below=True)


def _refined(pyramid: Pyramid, corners: NDArray[np.float32], half_width: float) -> NDArray[np.float32]:
    """Outlines (N, 4, 2), begun at the top left of cards of that width over their height, moved to the edges seen."""
    turned = 0 if half_width < 1 else 1
    upright = np.roll(corners, turned, 1)
    return np.roll(refine_corners(CORNER_REFINER, pyramid, upright, CARD, LIMITS.refinements), -turned, 1)


def _steps(corners: Floats) -> Floats:
    """Where the middles of cards that touch a card (4, 2) lie, from its own middle (4, 2)."""
    across, down = ((corners[1] - corners[0]) + (corners[2] - corners[3])) / 2, (corners[3] - corners[0])
    down = (down + corners[2] - corners[1]) / 2
    return TOUCHING * np.array([across, -across, down, -down])


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
    return any(cv2.pointPolygonTest(one.core, (x, y), False) >= 0 for one in read)


def _is_near(place: Floats, tried: Floats, card: Hypothesis) -> bool:
    """A place lies so near to one of others (N, 2) that a card there was seen."""
    reach = _SAME_PLACE * float(np.linalg.norm(card.corners[3] - card.corners[0]))
    return bool((np.linalg.norm(tried - place, axis=1) < reach).any())


def _classify_neighbours(
    search: NumeralSearch, taught: TaughtNumerals, places: Sequence[Floats], read: list[Hypothesis], is_free: IsFree
) -> list[Hypothesis | None]:
    """For each place what a card there shows that lies as the nearest read ones do; None where nothing resembles a
    face, or no numbers stand.
    """
    pyramid, may_show = search.pyramid, _ink_test(search, taught, read)
    maybe = [
        (k, quad)
        for k, place in enumerate(places)
        for one in nearest_first(place, read)[:_MODELS]
        if not is_free(quad := one.corners - one.middle + place)
        and may_show(quad)
        and resembles_face(pyramid, taught, quad)
    ]
    found: list[Hypothesis | None] = [None] * len(places)
    for (k, _), look in zip(maybe, examine(pyramid, taught, [(quad, 0.0) for _, quad in maybe]), strict=True):
        best = found[k]
        found[k] = look if best is None or look.legible > best.legible else best
    return found
