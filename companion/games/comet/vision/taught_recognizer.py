"""Reading a Comet table of a taught printing: outlines whatever is printed, the way up, and the taught numbers.

Outlines come from the detector that knows no print and from Comet's own; each is tried the ways the card may lie. A
card is told where its numbers are read, where it looks as taught, or where it is found surely and as large as others.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import card_colour
from companion.games.comet.vision.backs import find_backs
from companion.games.comet.vision.card_selection import (
    SAME_CARD,
    clash,
    confident_cards,
    free_share,
    has_usual_size,
    is_blank,
    is_familiar,
    is_of_another_printing,
    is_sure,
    rating,
    rating_among,
    read_cards,
    usual_area,
    without_cards,
)
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR
from companion.games.comet.vision.hypothesis import (
    NO_SECTIONS,
    Hypothesis,
    are_same_way_up,
    examine,
    has_proportion,
    is_plainer,
    numbers_of,
    seen_where_known,
)
from companion.games.comet.vision.numeral_search import NumeralSearch
from companion.games.comet.vision.results import BACK, NUMBERS, OTHERS_TURNED, CometReading, DetectedCometCard, upright
from companion.games.comet.vision.taught_numerals import LAST_FIGURES, TaughtNumerals
from companion.games.comet.vision.taught_search import (
    search_backs,
    search_covered,
    search_fanned,
    search_joined,
    search_neighbours,
    search_rows,
    search_unlikely,
)
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FOREIGN_PROFILE
from companion.vision.detection.detector import corners_of, refine_corners
from companion.vision.detection.outlines import SETTINGS, judge_candidates, one_per_card
from companion.vision.detection.suppression import Outline, suppress
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import DetectedCard, ReadingWarning, Stopwatch, confidence_of, near
from companion.vision.tracking.regions import NOTHING_KNOWN, Unchanged

Floats = NDArray[np.floating]
_ROUNDS = 3
"""Fanned cards are looked for so often at most, while more are found."""
_AROUND = 2.0
"""Two outlines show figures of one number where they have it no farther apart, in its reach."""


def read_taught(bgr: NDArray[np.uint8], taught: TaughtNumerals, across_px: float | None = None) -> CometReading:
    """Read a Comet table of a taught printing from one picture, without history; see `recognizer.read_table`."""
    clock = Stopwatch()
    pyramid, others, unlikely = _outlines_of_any_print(bgr, taught)
    outlines = [*_own_outlines(pyramid, across_px), *others]
    clock.lap("find")
    likely = _searched(pyramid, taught, _examined(pyramid, taught, outlines), outlines, unlikely)
    clock.lap("name")
    read = read_cards(likely)  # telling backs changes none of them
    likely = find_backs(pyramid, taught, likely, read, is_known=bool(read))
    there = present(likely, read)
    if more := search_backs(pyramid, there, likely, taught.profile.half_width):
        there = present([*likely, *more], read)
    cards = [_card(k, one, taught) for k, one in enumerate(there)]
    warnings = [_unsure(card) for card in cards if None in card.edges]
    if not cards:
        warnings = [ReadingWarning("nothing-found", "no Comet card on this picture")]
    elif taught.is_taught and is_of_another_printing(taught, there) and not is_familiar(taught, likely, there):
        warnings.insert(0, FOREIGN_PROFILE.warning)
    clock.lap("judge")
    return CometReading(tuple(cards), (), tuple(warnings), taught, clock.laps)


def read_new_cards(
    bgr: NDArray[np.uint8], taught: TaughtNumerals, across_px: float, unchanged: Unchanged
) -> list[DetectedCometCard]:
    """The cards of a taught printing in a piece of a table but for those that lie as they lay.

    Args:
        bgr: uint8 (h, w, 3).
        taught: the printing.
        across_px: see `recognizer.read_table`.
        unchanged: what is known of the piece and of the table. Only where something changed is anything looked for,
            and no further than until cards that are read explain it.
    """
    pyramid = Pyramid.of(bgr)
    outlines = [*unchanged.but(_own_outlines(pyramid, across_px))]
    examined = _examined(pyramid, taught, outlines)
    if _is_all(read := confident_cards(examined), unchanged):
        return _new_cards(_present_among(pyramid, taught, read, unchanged), [], taught)
    _, found, unlikely = _outlines_of_any_print(bgr, taught)
    others = without_cards(unchanged.but(found), read)
    outlines, examined = [*outlines, *others], [*examined, *_examined(pyramid, taught, others)]
    if _is_all(read := confident_cards(examined), unchanged):
        return _new_cards(_present_among(pyramid, taught, read, unchanged), [], taught)
    lying = seen_where_known(pyramid, taught, [upright(card) for card in unchanged.cards])
    touched = [Outline(upright(card), 0.0) for card in unchanged.touched]
    outlines = [*(Outline(np.asarray(one.corners, np.float64), 0.0) for one in lying), *outlines, *touched]
    likely = [*lying, *examined, *_examined(pyramid, taught, touched)]
    outlined = [one for one in likely if one.found >= LIMITS.card]
    if not unchanged.is_thorough or _is_all(outlined, unchanged):
        there = _present_among(pyramid, taught, likely, unchanged)
        if not unchanged.is_thorough or _is_all([one for one in there if is_sure(one)], unchanged):
            return _new_cards(there, lying, taught)
    likely = _searched(pyramid, taught, likely, outlines, unchanged.but(unlikely), unchanged)
    return _new_cards(_present_among(pyramid, taught, likely, unchanged), lying, taught)


def _present_among(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], unchanged: Unchanged
) -> list[Hypothesis]:
    """The cards that are there in a piece of a table."""
    read = read_cards(likely)
    usual = [*read, *_elsewhere(unchanged)]
    colours = [] if read else _colours_elsewhere(unchanged)
    return present(find_backs(pyramid, taught, likely, read, is_known=bool(usual), elsewhere=colours), usual)


def _new_cards(there: list[Hypothesis], lying: list[Hypothesis], taught: TaughtNumerals) -> list[DetectedCometCard]:
    """The cards that are there, but for those that lie as they lay."""
    return [_card(k, one, taught) for k, one in enumerate(without_cards(there, lying))]


def _is_all(read: list[Hypothesis], unchanged: Unchanged) -> bool:
    """There are cards that are read, and they explain all that changed."""
    is_explained = unchanged.is_explained(read)
    return bool(read) and is_explained and all(near(unchanged.touched, read, SAME_CARD))


def _outlines_of_any_print(
    bgr: NDArray[np.uint8], taught: TaughtNumerals
) -> tuple[Pyramid, list[Outline], list[Outline]]:
    """The picture's pyramid, outlines that may be cards, and hardly likely ones of a card's proportion."""
    pyramid, judged = judge_candidates(bgr, 4)
    kept = [one for one in suppress(judged, SETTINGS.overlap) if one.confidence >= SETTINGS.min_confidence]
    unlikely = [one for one in judged if one not in kept and has_proportion(one.corners, taught.profile.half_width)]
    return pyramid, kept, unlikely


def _examined(pyramid: Pyramid, taught: TaughtNumerals, outlines: Sequence[Outline]) -> list[Hypothesis]:
    return examine(pyramid, taught, [(one.corners, one.confidence) for one in outlines])


def _searched(
    pyramid: Pyramid,
    taught: TaughtNumerals,
    likely: list[Hypothesis],
    outlines: Sequence[Outline],
    unlikely: Sequence[Outline],
    unchanged: Unchanged = NOTHING_KNOWN,
) -> list[Hypothesis]:
    """What may be cards: what the ``outlines`` were found to be, and what is found beside them."""
    if unchanged.is_explained(read_cards(likely)):
        return likely
    numerals = NumeralSearch(pyramid, taught.profile.places, [one.corners for one in (*outlines, *unlikely)])
    likely += search_unlikely(numerals, taught, likely, unlikely)
    is_read = len(read_cards(likely)) >= LIMITS.fewest_whole
    likely += [] if is_read else search_joined(numerals, taught, likely)
    likely += search_rows(pyramid, taught, likely)
    likely += search_neighbours(numerals, taught, likely, unchanged.is_free)
    for _ in range(_ROUNDS):
        read = read_cards(likely)
        fanned = search_fanned(numerals, taught, likely, unchanged.is_free)
        likely += fanned
        if all(has_usual_size(one, read, LIMITS.same_area) for one in without_cards(fanned, read)):
            break  # else they say how large cards are about them
    likely += search_covered(numerals, taught, likely, unchanged.is_free)
    return likely + (search_joined(numerals, taught, likely) if is_read else [])


def _faces(unchanged: Unchanged) -> list[DetectedCard]:
    """The cards that are known to show their numbers, also beyond the piece of the table."""
    return [card for card in unchanged.everywhere if not {None, BACK} & set(card.edges)]


def _elsewhere(unchanged: Unchanged) -> list[Hypothesis]:
    """The same as hypotheses: how large cards are."""
    return [Hypothesis(upright(card) - unchanged.at, 1.0, NO_SECTIONS, 1.0) for card in _faces(unchanged)]


def _colours_elsewhere(unchanged: Unchanged) -> list[Floats]:
    """The colours (3,) of those of them that lie nearest."""
    if unchanged.picture is None:
        return []
    nearest = sorted(_faces(unchanged), key=lambda card: float(np.linalg.norm(card.corners.mean(0) - unchanged.at)))
    return [_colour_on(unchanged.picture, upright(card)) for card in nearest[: LIMITS.nearest]]


def _colour_on(bgr: NDArray[np.uint8], corners: Floats) -> Floats:
    """The colour (3,) of a card (4, 2) of a picture (h, w, 3), of which no more than its surroundings is prepared."""
    x0, y0 = np.maximum(corners.min(0).astype(int), 0).tolist()
    x1, y1 = np.ceil(corners.max(0)).astype(int).tolist()
    return card_colour(Pyramid.of(np.ascontiguousarray(bgr[y0:y1, x0:x1])), corners - [x0, y0])


def find_outlines(pyramid: Pyramid, judged: tuple[Pyramid, list[Outline]]) -> tuple[list[Outline], list[Outline]]:
    """What may be cards: as Comet's own detector finds them, which knows one proportion, and the one for any print,
    whose answer on the picture is ``judged``, see `judge_candidates`.
    """
    others = [one for one in one_per_card(*judged, 4) if one.confidence >= SETTINGS.min_confidence]
    return _own_outlines(pyramid, None), others


def _own_outlines(pyramid: Pyramid, across_px: float | None) -> list[Outline]:
    width_px = None if across_px is None else across_px * LIMITS.width_of_across
    own = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    refined = refine_corners(CORNER_REFINER, pyramid, corners_of(own, 4), CARD, LIMITS.refinements)
    return [Outline(corners.astype(float), one.confidence) for corners, one in zip(refined, own, strict=True)]


def present(likely: list[Hypothesis], usual: list[Hypothesis]) -> list[Hypothesis]:
    """The cards that are there, each once, none of another size than the usual ones read, or across two of them."""
    kept: list[Hypothesis] = []
    outlined = [one for one in usual if one.found >= LIMITS.card]
    there = [one for one in likely if is_card(one, usual)]
    there.sort(key=lambda one: rating_among(one, outlined), reverse=True)
    for one in there:
        read = [other for other in kept if other.legible >= LIMITS.read_card and not other.is_below]
        if not any(clash(one, other) for other in kept) and free_share(one, read) > _least_free(one):
            kept.append(one)
    kept = _replace_spanning(kept, there, usual)
    kept = [_surer_outline(one, there, kept) for one in kept]
    told = [_unless_turned(_as_seen_by_all(one, there, kept), likely) for one in kept]
    return [_without_cut_numbers(one, kept) for one in told]


def _replace_spanning(kept: list[Hypothesis], there: list[Hypothesis], usual: list[Hypothesis]) -> list[Hypothesis]:
    """The cards; an outline across two, with an edge or numbers of either, gives way to those of both."""
    for one in kept if usual else ():
        others = [other for other in kept if other is not one]
        rivals = [
            rival
            for rival in there
            if _show_same_side(one, rival)
            and rating(rival) > rating(one) - LIMITS.hardly_worse
            and clash(one, rival)
            and has_usual_size(rival, usual, LIMITS.same_area)
            and not any(clash(rival, other) for other in others)
        ]
        pairs = [
            (a, b)
            for i, a in enumerate(rivals)
            for b in rivals[:i]
            if max(a.like_back, b.like_back) > one.like_back - LIMITS.plainer_way and not clash(a, b)
        ]
        if pairs:
            kept = [*others, *max(pairs, key=lambda pair: rating(pair[0]) + rating(pair[1]))]
    return kept


def _surer_outline(one: Hypothesis, there: list[Hypothesis], kept: list[Hypothesis]) -> Hypothesis:
    """A card not all of whose numbers are sure as another of its outlines shows it, on which all are; itself if none.

    Those that are sure are the same on both. One found surely may be cut short by a neighbour's edge.
    """
    is_sure = one.sections.max(-1) >= LIMITS.stated_taught
    if not len(one.numerals) or is_sure.all() or not is_sure.any():
        return one
    numbers, others = one.sections.argmax(-1), [other for other in kept if other is not one]
    surer = [
        other
        for other in there
        if len(other.numerals) == len(one.numerals)
        and other.legible >= LIMITS.surely_read
        and other.sections.max(-1).min() >= LIMITS.stated_taught
        and (other.sections.argmax(-1) == numbers)[is_sure].all()
        and are_same_way_up(one.corners, other.corners)
        and clash(one, other)
        and not any(clash(other, beside) for beside in others)
    ]
    return max(surer, key=rating, default=one)


def _show_same_side(one: Hypothesis, other: Hypothesis) -> bool:
    """Both are backs, or numbers are read on both."""
    return (one.is_back and other.is_back) or min(one.legible, other.legible) >= LIMITS.read_card


def _least_free(one: Hypothesis) -> float:
    """The share of a card that those lying on it leave free, at least; more where no numbers of its own are read."""
    if len(one.numerals):
        return LIMITS.free_share_fanned
    return LIMITS.free_share_read if one.legible >= LIMITS.read_card else LIMITS.free_share


def _as_seen_by_all(one: Hypothesis, others: list[Hypothesis], kept: list[Hypothesis]) -> Hypothesis:
    """A card with each number as the surest of the outlines shows it that see it there; not sure where they differ.

    One the other way up says nothing that lies on another card that is ``kept``, and plainly looks less like a face.
    """
    sections, is_contested = one.sections.copy(), np.zeros(len(one.sections), bool)
    for other in others if len(one.numerals) else ():
        if other is one or len(other.numerals) != len(one.numerals):
            continue
        is_contested |= _is_parted_otherwise(one, other)
        if not are_same_way_up(one.corners, other.corners):
            is_beside = is_plainer(one.alike, [other.alike]) and any(_shows_only(other, card, one) for card in kept)
            is_contested |= _is_read_turned(one, other) and not is_beside
            continue
        apart = np.linalg.norm(one.numerals[..., :2] - other.numerals[..., :2], axis=-1) / one.numerals[..., 2]
        for k, (section, seen) in enumerate(zip(sections, other.sections, strict=True)):
            is_there = apart[:, k].max() < 1
            is_contested[k] |= is_there and _contradicts(section, seen)
            is_contested[k] |= apart[:, k].min() < _AROUND and _is_last_figure(section, seen)
            if is_there and seen.argmax() == section.argmax() and seen.max() > section.max():
                sections[k] = seen
    return replace(one, sections=np.where(is_contested[:, None], np.minimum(sections, LIMITS.contested), sections))


def _unless_turned(one: Hypothesis, others: list[Hypothesis]) -> Hypothesis:
    """A card of sixes and nines alone, not sure of them where they are read along another of its outlines both ways up:
    one that lies beside its edges is read one way only, and that may be the wrong one.
    """
    if not set(numbers_of(one.sections)) <= set(OTHERS_TURNED):
        return one
    near_px = LIMITS.same_card * float(np.linalg.norm(one.corners[1] - one.corners[0]))
    is_open = any(
        other.may_be_turned and float(np.linalg.norm(other.middle - one.middle)) < near_px for other in others
    )
    return replace(one, sections=np.minimum(one.sections, LIMITS.unsure_way)) if is_open else one


def _without_cut_numbers(one: Hypothesis, others: list[Hypothesis]) -> Hypothesis:
    """A card that is not sure of a 2 or a 3 whose 1 may lie under one of the ``others``: where it stands where the end
    of a 12 or a 13 does, and on a card found by its numbers alone, or outlined small, unless it surely stands alone.
    """
    if not len(one.before):
        return one
    is_whole = one.found > LIMITS.card and not _is_outlined_small(one, others)
    outlines = [other.corners for other in others if other.found > LIMITS.card]
    above = [outline.astype(np.float32) for outline in outlines if not is_whole or outline is not one.corners]
    is_hidden = [
        [any(cv2.pointPolygonTest(outline, at, False) >= 0 for outline in above) for at in three]
        for three in one.before.tolist()
    ]
    is_cut = np.array(is_hidden).all(0) & np.isin(one.sections.argmax(-1), list(LAST_FIGURES))
    aside = _aside_of_others(one, ~is_cut)
    if is_whole:
        is_cut &= aside >= LIMITS.figure_aside
    else:  # an 8 of which the left is hidden may be a 3 as well
        is_cut &= ~((aside < LIMITS.figure_aside) & (one.sections.max(-1) >= LIMITS.sure_alone))
    return replace(one, sections=np.where(is_cut[:, None], np.minimum(one.sections, LIMITS.contested), one.sections))


def _aside_of_others(one: Hypothesis, is_whole: NDArray[np.bool_]) -> Floats:
    """How far right of the card's whole, read numbers each number (3,) stands, in its heights, where it is printed that
    it does least; NaN where nothing says it.
    """
    told = np.where(is_whole & (one.sections.max(-1) >= LIMITS.stated_taught), one.aside, np.nan)
    off = [
        three - three[np.isfinite(those)].mean()
        for three, those in zip(one.aside, told, strict=True)
        if np.isfinite(those).any()
    ]
    return np.asarray(np.fmin.reduce([np.full(3, np.nan), *off]))


def _is_outlined_small(one: Hypothesis, others: list[Hypothesis]) -> bool:
    """It is outlined so much smaller than others that are read that one of them may lie on its side."""
    whole = [other for other in others if other is not one and other.found > LIMITS.card and len(other.numerals)]
    return len(whole) >= LIMITS.nearest and one.area < LIMITS.cut_area * usual_area(one.corners, whole)


def _is_read_turned(one: Hypothesis, other: Hypothesis) -> bool:
    """The other outline shows the same ink as surely, the other way up, as other numbers: 9 9 9 for 6 6 6."""
    numbers = [sorted(some.sections.argmax(-1).tolist()) for some in (one, other)]
    is_sure = min(one.legible, other.legible) >= LIMITS.surely_read
    return is_sure and numbers[0] != numbers[1] and one.shares_all_numbers(other)


def _is_parted_otherwise(one: Hypothesis, other: Hypothesis) -> bool:
    """Neither shows its edges, the other has two of its numbers and looks as much like the taught face: of numbers of
    cards that lie on each other, in a column, any three that follow each other may be read as a card's.
    """
    has_edges = max(one.found, other.found) >= LIMITS.card
    return not has_edges and other.alike > one.alike - LIMITS.as_alike and one.shares_two_numbers(other)


def _shows_only(one: Hypothesis, card: Hypothesis, other: Hypothesis) -> bool:
    """All numbers of a third card, surely read, lie within one outline, and none within the other."""
    if card.legible < LIMITS.surely_read or not len(card.numerals):
        return False
    return bool(card.numbers_within(one.corners).all() and not card.numbers_within(other.corners).any())


def _contradicts(section: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Another outline shows another number surely, and not just this one's last figure."""
    number, seen = int(section.argmax()), int(other.argmax())
    return seen != number and bool(other.max() > LIMITS.contradicting) and LAST_FIGURES.get(seen) != number


def _is_last_figure(section: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Of a 12 or a 13 that another outline shows this one, askew, may show the 2 or the 3 alone."""
    number = int(section.argmax())
    return number in LAST_FIGURES and bool(other[LAST_FIGURES[number]] > LIMITS.contested_figure)


def is_card(one: Hypothesis, usual: list[Hypothesis]) -> bool:
    """A card lies there surely enough, beside those on which numbers are read, ``usual``."""
    if _is_read(one, usual):
        return one.presence >= LIMITS.card
    is_like = max(one.like_back, one.alike) > LIMITS.like_face
    if (one.is_table and not is_like) or (one.is_foreign and not (is_like and one.found >= LIMITS.unread_card)):
        return False
    is_sure = one.like_back > LIMITS.like_back or one.found > LIMITS.surely_found
    is_sized = one.is_as_other_backs or not usual
    if not is_sized and not has_usual_size(one, usual, LIMITS.odd_area_sure if is_sure else LIMITS.odd_area):
        return False
    if usual and one.sure_numbers > 1:
        return one.found >= LIMITS.card
    if one.is_as_other_backs and (one.found >= LIMITS.similar_back or one.like_back > LIMITS.like_other_back):
        return True
    if one.like_back > LIMITS.like_back and usual and is_blank(one, usual):
        return True
    if not usual and one.is_back:  # where no face is read, anything plain may look like a plain back
        return one.found >= LIMITS.unread_card
    if is_like:
        return one.presence >= LIMITS.card
    if usual and one.is_back and one.is_other_colour and one.maybe_back > LIMITS.surely_back:
        return one.found >= LIMITS.card
    return one.found >= (LIMITS.unread_card if one.is_back else LIMITS.unread_taught)


def _is_read(one: Hypothesis, usual: list[Hypothesis]) -> bool:
    """Its numbers are read: surely, or it is as large as the cards on which they are. A pattern may be read as some.

    So may numbers of several cards, as those of one that is larger and that no outline shows.
    """
    if one.legible < LIMITS.read_card or one.may_be_grain or one.is_table or one.is_back:
        return False
    others = [other for other in usual if other is not one]
    if one.found < LIMITS.card and len(others) >= LIMITS.nearest:
        return has_usual_size(one, others, LIMITS.odd_area_sure)
    return one.legible >= LIMITS.surely_read or not usual or has_usual_size(one, usual, LIMITS.odd_area_sure)


def _card(number: int, one: Hypothesis, taught: TaughtNumerals) -> DetectedCometCard:
    sections = one.sections
    if one.is_back:
        sections = np.zeros_like(sections)
        sections[:, len(NUMBERS)] = 1.0
    elif not taught.is_taught and sections.max(-1).min() < LIMITS.sure_untaught:
        sections = np.minimum(sections, LIMITS.unsure_way)
    elif sections.max(-1).min() < LIMITS.stated_taught:
        sections = np.where(sections < LIMITS.sure_beside_unread, np.minimum(sections, LIMITS.contested), sections)
    edges = taught.accept(sections)
    sure = confidence_of(one.presence, sections, edges)
    return DetectedCometCard((number, 0), edges, one.corners.astype(np.float32), sure, one.presence, sections, 0)


def _unsure(card: DetectedCometCard) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    what = "a number" if missing == 1 else f"{missing} numbers"
    return ReadingWarning("unsure", f"{what} of a card cannot be read", card.centre)
