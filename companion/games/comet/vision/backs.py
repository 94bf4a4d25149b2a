"""Which outlines are cards face down: on a taught printing's table they look like its back, or like each other.

Where nobody showed the back, a network that knows many says what may be one. The bare table between cards may look like
a back too: it has the colours that are seen around the cards. All backs of a deck have one colour.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import (
    BACK_LOOK,
    GRID_SIDE,
    PRINT_LOOK,
    align_either_way,
    align_likelier_way,
    card_colour,
    chromaticity,
    colours_at,
    colours_on,
    contrast,
    correlation,
    correlation_either_way,
    evenly_lit,
    is_of_table,
    is_patterned,
    is_veiled,
    look_at,
    print_contrast,
    shares_of,
    tint_distance,
    tint_distance_in_glare,
    within_rim,
)
from companion.games.comet.vision.card_selection import (
    clash,
    distinct,
    has_usual_size,
    median_correlation,
    nearest_first,
)
from companion.games.comet.vision.classifier import KINDS, PretrainedNumerals
from companion.games.comet.vision.hypothesis import NO_SECTIONS, Hypothesis
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.edge_refinement import refine
from companion.vision.geometry import homography, mapped
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.floating]
_ALONG = np.linspace(-1, 1, GRID_SIDE)
_MOST_COLOURS = 800
"""So many colours of the table are kept."""
_AROUND = np.concatenate(
    [
        far * np.stack(ends, 1)
        for far in (1.2, 1.35)
        for side in (np.full(GRID_SIDE, -1.0), np.full(GRID_SIDE, 1.0))
        for ends in ((_ALONG, side), (side, _ALONG))
    ]
)
"""Points (N, 2) around a card, where the table is seen, in halves of its width and height from its middle."""


def find_backs(
    pyramid: Pyramid,
    taught: TaughtNumerals,
    likely: list[Hypothesis],
    read: list[Hypothesis],
    *,
    is_known: bool,
    elsewhere: Sequence[Floats] = (),
) -> list[Hypothesis]:
    """The hypotheses, with what is known of those that show no numbers: whether they are backs, or the bare table.

    Args:
        taught: the printing.
        likely: what may be cards.
        read: those on which numbers are read.
        is_known: whether cards of the printing are known to lie on the table, beyond the picture too.
        elsewhere: colours (3,) of faces beyond the picture: none on it may be read.
    """
    colours = {face: card_colour(pyramid, face.corners) for face in read}

    def faces_near(one: Hypothesis) -> Sequence[Floats]:
        return [colours[face] for face in nearest_first(one.middle, read)] if read else elsewhere

    maybe = _may_be_backs(likely, read)
    likely = [
        _as_back(pyramid, taught, one, faces_near(one), is_known=is_known) if may_be else one
        for one, may_be in zip(likely, maybe, strict=True)
    ]
    if not taught.profile.back.size:
        likely = _with_shared_pattern(pyramid, _with_blanks(pyramid, taught, likely, read))
    likely = _without_table(pyramid, likely, read)
    if not taught.profile.back.size and (back := _seen_back(pyramid, taught, likely, read)) is not None:
        likely = [
            _fitted(pyramid, one, back, is_known=is_known) if may_be else one
            for one, may_be in zip(likely, maybe, strict=True)
        ]
    return _with_sides(pyramid, mark_similar_backs(pyramid, _of_one_deck(pyramid, taught, likely, read), read))


def _may_be_backs(likely: list[Hypothesis], read: list[Hypothesis]) -> list[bool]:
    """Which show no numbers, or look unlike the faces that are read: patterns may be read."""
    usual = median_correlation(read)

    def may_be(one: Hypothesis) -> bool:
        is_unlike = one.alike < LIMITS.unlike_face_alone
        return one.legible < LIMITS.read_card or (is_unlike and usual > LIMITS.like_face) or _is_odd_face(one, usual)

    return [may_be(one) for one in likely]


def _is_odd_face(one: Hypothesis, usual: float) -> bool:
    """It is read, if not surely, and looks less like the taught face than most that are, by their correlation."""
    is_sure = one.legible >= LIMITS.surely_read and one.alike >= LIMITS.unlike_face_alone
    return one.legible >= LIMITS.read_card and not is_sure and one.alike < usual - LIMITS.less_alike


def _of_one_deck(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], read: list[Hypothesis]
) -> list[Hypothesis]:
    """The hypotheses, those marked that look like backs of another colour than others that are found much surer.

    Of the deck's own in other light one at least is found surely and shows the taught pattern plainly. Beside such a
    one another colour without the pattern is foreign, however surely found, and so is what shows nothing at all, and
    the faces' brightness beside one of the back's where those differ. Where nobody showed the back, a pattern that some
    show may be the deck's.
    """
    backs = [one for one in likely if read and one.is_back and has_usual_size(one, read, LIMITS.odd_area_sure)]
    colours = [chromaticity(pyramid, one.corners) for one in backs]
    found = [
        _found_together(
            [
                b
                for b, its in zip(backs, colours, strict=True)
                if tint_distance_in_glare(colour, its) < LIMITS.foreign_colour
            ],
            power=2,  # many that are hardly found, the bricks of a wall, are no deck
        )
        for colour in colours
    ]
    most = max(found, default=0.0)
    showing = [k for k, one in enumerate(backs) if _shows_pattern(one)]
    is_taught = is_patterned(taught.profile.back)
    is_seen = not taught.profile.back.size and len(distinct([backs[k] for k in showing])) > 1
    patterned = showing if is_taught or is_seen else []
    deck_colours = [colours[k] for k in patterned]
    blank = LIMITS.blank * float(np.median([print_contrast(pyramid, backs[k].corners) for k in patterned] or [0.0]))
    is_unlike_faces = _has_other_brightness(taught) and any(
        one.is_other_colour and one.found >= LIMITS.unread_card for one in backs
    )

    def is_foreign(one: Hypothesis, colour: Floats, sure: float) -> bool:
        if is_unlike_faces and not one.is_other_colour and one.like_back < LIMITS.hardly_like_back:
            return True
        if patterned and (print_contrast(pyramid, one.corners) < blank or one.like_back < LIMITS.opposite_back):
            return True
        if any(tint_distance(colour, its) < LIMITS.foreign_colour or is_veiled(colour, its) for its in deck_colours):
            return False
        if one.like_back >= LIMITS.hardly_like_back:
            return LIMITS.far_surer_colour * sure < most
        return (is_taught and bool(deck_colours)) or LIMITS.surer_colour * sure < most

    foreign = [one for one, colour, sure in zip(backs, colours, found, strict=True) if is_foreign(one, colour, sure)]
    return [replace(one, is_foreign=True) if one in foreign else one for one in likely]


def _shows_pattern(one: Hypothesis) -> bool:
    """A back surely: the more surely its outline was found, the less it need correlate with the back's pattern."""
    is_alike = one.found >= LIMITS.unread_card and one.like_back > LIMITS.plainly_like_back
    return is_alike or (one.found >= LIMITS.surely_found and one.like_back > LIMITS.like_other_back)


def _found_together(some: list[Hypothesis], power: float = 1) -> float:
    """How surely outlines are found, each place counted once, and the less the higher the power where hardly found."""
    return float(sum(one.found**power for one in distinct(sorted(some, key=lambda one: -one.found))))


def _seen_back(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], read: list[Hypothesis]
) -> NDArray[np.float32] | None:
    """How the back of the deck that is ``read`` looks (h, w): the plainest on the picture; none all of one tone."""
    sure = [one for one in _sure_backs(likely, read) if one.found >= LIMITS.unread_card]
    shape = taught.profile.face.shape
    looks = [look_at(pyramid, one.corners, (shape[0], shape[1])) for one in sorted(sure, key=lambda one: -one.found)]
    patterned = [look for look in looks if float(look.std()) > LIMITS.plain_back]
    return patterned[0] if patterned else None


def _sure_backs(likely: list[Hypothesis], read: list[Hypothesis]) -> list[Hypothesis]:
    """What most surely are backs, as large as the cards that are read; without any, as backs that are found surely."""
    backs = [one for one in likely if one.is_back and _is_sure_back(one)]
    usual = read or [one for one in backs if one.like_back > LIMITS.like_back and one.found >= LIMITS.unread_card]
    fitting = [one for one in backs if usual and has_usual_size(one, usual, LIMITS.same_area)]
    if len(read) >= LIMITS.fewest_tilted:
        return fitting
    sure = [one for one in backs if one.found >= LIMITS.surely_found and _has_size_of_few(one, read)]
    return [one for one in backs if one in fitting or (one in sure and _is_as_large_as_others(one, sure))]


def _has_size_of_few(one: Hypothesis, read: list[Hypothesis]) -> bool:
    """It may be as large as cards of which too few are read to tell how the table is tilted."""
    return bool(read) and has_usual_size(one, read, LIMITS.odd_area_few)


def _is_as_large_as_others(one: Hypothesis, sure: list[Hypothesis]) -> bool:
    others = distinct([other for other in sure if not clash(one, other)])
    return len(others) >= LIMITS.fewest_alike and has_usual_size(one, others, LIMITS.same_area)


def _is_sure_back(one: Hypothesis) -> bool:
    """It shows the taught back, or the network is sure of a back: less so in another colour than the faces'."""
    least = LIMITS.maybe_back if one.is_other_colour else LIMITS.surely_back
    return one.like_back > LIMITS.like_back or one.maybe_back > least


def mark_similar_backs(pyramid: Pyramid, likely: list[Hypothesis], read: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, with those named that are backs as much as others of the deck.

    One that is found surely says so, or some together that are found hardly; where the pattern of the back is known,
    only if one of them shows it: a cloth has many squares. Those found hardly that are not as one found surely are of
    no deck.
    """
    backs = _sure_backs(likely, read)
    hardly = [
        one for one in likely if backs and _shows_back_faintly(one) and has_usual_size(one, backs, LIMITS.same_area)
    ]
    colours = {one: chromaticity(pyramid, one.corners) for one in [*backs, *hardly]}
    is_pattern_known = any(one.like_back for one in likely)
    similar = []
    for one, colour in colours.items():
        others = [
            b
            for b in backs
            if tint_distance_in_glare(colour, colours[b]) < LIMITS.same_colour
            and not clash(one, b)
            and b.found > LIMITS.similar_back
        ]
        if is_pattern_known and not any(map(_is_found_or_like_back, [one, *others])):
            continue
        together = _found_together(others)
        are_few = bool(others) and one.is_other_colour and one.found + together >= LIMITS.few_backs
        is_told = one in backs and (are_few or one.found >= LIMITS.unread_card)
        if is_told or together >= LIMITS.unread_card:
            similar.append(one)
    is_shown = any(one.found >= LIMITS.surely_found for one in similar)  # then bricks hardly found are none
    return [
        replace(one, is_as_other_backs=True)
        if one in similar
        else replace(one, is_foreign=one.is_foreign or (is_shown and _is_another(one)))
        for one in likely
    ]


def _is_another(one: Hypothesis) -> bool:
    """A back hardly found that shows nothing of the known one's pattern."""
    return one.is_back and one.found < LIMITS.unread_card and one.like_back < LIMITS.unlike_back


def _is_found_or_like_back(one: Hypothesis) -> bool:
    return one.found >= LIMITS.unread_card or one.like_back > LIMITS.hardly_like_back


def _shows_back_faintly(one: Hypothesis) -> bool:
    """It was surely found and shows the taught back rather than a face, if hardly: others of its colour may show it."""
    return (
        not (one.is_back or one.is_table or one.is_foreign or one.shows_number)
        and one.found >= LIMITS.unread_card
        and one.like_back > max(LIMITS.like_other_back, one.alike + LIMITS.plainer_way)
        and one.alike < LIMITS.unlike_face_alone
    )


def _with_sides(pyramid: Pyramid, likely: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, with how much is seen of the sides of backs that clash: of two plain cards side by side parts
    may look like a card too, across them.
    """
    backs = [one for one in likely if one.is_back]
    clashing = [one for one in backs if any(clash(one, other) for other in backs if other is not one)]
    refined = refine(pyramid, [one.corners.astype(np.float64) for one in clashing])
    seen = {one: float(its.support.min()) for one, its in zip(clashing, refined, strict=True)}
    return [replace(one, side_seen=seen.get(one, one.side_seen)) for one in likely]


def _without_table(pyramid: Pyramid, likely: list[Hypothesis], read: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, those marked that have the colours of the table around the cards that are ``read``.

    A grain may be read as numbers, though none surely, where no outline is found.
    """
    table, around = _table_colours(pyramid, likely, read)
    return [
        replace(one, is_table=True)
        if len(table) and _may_be_table(one) and is_of_table(colours_on(pyramid, one.corners), table, around)
        else one
        for one in likely
    ]


def _may_be_table(one: Hypothesis) -> bool:
    return one.legible < LIMITS.read_card or one.may_be_grain


def _table_colours(
    pyramid: Pyramid, likely: list[Hypothesis], read: list[Hypothesis]
) -> tuple[Floats, NDArray[np.intp]]:
    """Colours (M, 4) around the cards that are ``read``, and around which (M,), but where a card may lie."""
    points = np.concatenate([mapped(homography(one.corners), _AROUND) for one in read] or [np.zeros((0, 2))])
    w, h = pyramid.size
    is_free = ((points >= 0) & (points < [w, h])).all(1)
    for one in likely:
        if one.found >= LIMITS.card or one.legible >= LIMITS.read_card:
            inside = mapped(np.linalg.inv(homography(one.corners)), points)
            is_free &= (np.abs(inside) > 1.05).any(1)
    if not is_free.any():
        return np.zeros((0, 4)), np.zeros(0, np.intp)
    px = float(np.median([np.sqrt(one.area) for one in read])) / GRID_SIDE
    some = np.flatnonzero(is_free)[:: 1 + int(is_free.sum()) // _MOST_COLOURS]
    return colours_at(pyramid, points[some], px), some // len(_AROUND)


def _as_back(
    pyramid: Pyramid, taught: TaughtNumerals, one: Hypothesis, faces: Sequence[Floats], *, is_known: bool
) -> Hypothesis:
    """How much an outline looks like a back, moved to fit the taught one where it does; ``faces`` are colours (3,), of
    the nearest first.
    """
    colour = card_colour(pyramid, one.corners)
    off_hue = min((tint_distance(shares_of(colour), shares_of(face)) for face in faces), default=0.0)
    off_level = min((abs(float(np.log(colour.sum() / face.sum()))) for face in faces), default=0.0)
    is_other = off_hue > LIMITS.other_colour or off_level > LIMITS.other_brightness
    one = replace(one, is_other_colour=is_other or _is_as_bright_as_taught(taught, colour, faces))
    if taught.profile.back.size:
        one = _fitted(pyramid, one, taught.profile.back, is_known=bool(faces) or is_known)
        is_unlike = one.like_back < LIMITS.hardly_like_back and is_patterned(taught.profile.back)
        is_face = is_unlike and not one.is_other_colour and not _is_outlined_pattern(pyramid, one)
        is_foreign = one.like_back < LIMITS.like_other_back and _is_other_tint(taught, colour, faces)
        is_foreign &= one.sure_numbers < 2  # a card that another covers in part
        is_foreign &= one.like_numbers < LIMITS.patterned_back  # 6 6 6, or 9 9 9
        is_opposite = one.like_back < LIMITS.opposite_back and is_patterned(taught.profile.back)
        one = replace(one, is_foreign=is_foreign or is_opposite)
        if one.is_back or is_face or one.is_foreign:
            return one
    if not faces and not is_known:  # any deck may lie there
        return one
    corners = one.corners if taught.profile.half_width < 1 else np.roll(one.corners, 1, 0)
    kinds = PretrainedNumerals().read_numerals(pyramid, corners[None].astype(np.float32)).kinds[0]
    one = replace(one, maybe_back=float(kinds[KINDS.index("back")]))
    least = LIMITS.surely_back if one.alike < LIMITS.unlike_face_alone else LIMITS.back_though_read
    if one.legible >= LIMITS.read_card and one.maybe_back > least:
        return replace(one, sections=NO_SECTIONS, legible=0.0, like_numbers=0.0)
    return one


def _with_blanks(
    pyramid: Pyramid, taught: TaughtNumerals, likely: list[Hypothesis], read: list[Hypothesis]
) -> list[Hypothesis]:
    """The hypotheses, those surely backs that were found surely and show nothing at all where faces show numbers: a
    home-made deck is printed on one side. What is lighter than the faces' paper may be a face in a lamp's light.

    However much the rims of both are alike, what lies within says how much they look like a face.
    """
    if not read:
        return likely
    faces = [look_at(pyramid, face.corners, PRINT_LOOK) for face in read]
    most = LIMITS.blank * float(np.median([contrast(face) for face in faces]))
    lightest = LIMITS.blank_light * float(np.median([np.percentile(face, 90) for face in faces]))

    def is_blank(one: Hypothesis) -> bool:
        look = look_at(pyramid, one.corners, PRINT_LOOK)
        return contrast(look) < most and float(np.median(look)) < lightest

    face = taught.profile.face
    shape, inner_face = (face.shape[0], face.shape[1]), within_rim(face)

    def as_back(one: Hypothesis) -> Hypothesis:
        inner = correlation(within_rim(look_at(pyramid, one.corners, shape)), inner_face)
        return replace(one, maybe_back=1.0, alike=min(one.alike, inner))

    return [as_back(one) if one.found >= LIMITS.surely_found and is_blank(one) else one for one in likely]


def _with_shared_pattern(pyramid: Pyramid, likely: list[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses, those marked as backs that surely look like some and show within their rims what another such one
    shows, however much like a face they look: both may have the same rim, but numbers differ.
    """
    sure = [
        one
        for one in likely
        if one.maybe_back > LIMITS.surely_back
        and one.found >= LIMITS.unread_card
        and one.like_numbers < LIMITS.no_number
    ]
    looks = {one: within_rim(look_at(pyramid, one.corners, BACK_LOOK)) for one in sure}
    shared = [
        one
        for one, look in looks.items()
        if any(
            not clash(one, other) and correlation_either_way(look, its) > LIMITS.one_pattern
            for other, its in looks.items()
            if other is not one
        )
    ]
    return [replace(one, is_as_other_backs=True) if one in shared else one for one in likely]


def _is_outlined_pattern(pyramid: Pyramid, one: Hypothesis) -> bool:
    """It was found surely and shows some pattern: fine ones hardly correlate with themselves."""
    return one.found >= LIMITS.surely_found and is_patterned(look_at(pyramid, one.corners, BACK_LOOK))


def _is_as_bright_as_taught(taught: TaughtNumerals, colour: Floats, faces: Sequence[Floats]) -> bool:
    """Whether a colour (3,) beside the nearest faces' is nearer to the taught back's brightness than to a face's, where
    those are clearly apart.
    """
    if not (faces and _has_other_brightness(taught)):
        return False
    tint = float(taught.profile.back_tint.mean())
    levels = [float(np.log(colour / face).mean()) for face in faces[: LIMITS.nearest]]
    return all(abs(level - tint) < abs(level) for level in levels)


def _has_other_brightness(taught: TaughtNumerals) -> bool:
    """The taught back is clearly brighter or darker than the taught faces."""
    tint = taught.profile.back_tint
    return bool(tint.size) and abs(float(tint.mean())) > LIMITS.other_brightness


def _is_other_tint(taught: TaughtNumerals, colour: Floats, faces: Sequence[Floats]) -> bool:
    """Whether a colour (3,) beside those of faces has another tint than the taught back has beside the taught faces.

    White light may lie on a back and take some of its colour.
    """
    tint = taught.profile.back_tint
    veiled = [np.log(np.exp(tint) + veil) for veil in LIMITS.veils] if tint.size else []
    off = [np.ptp(np.log(colour / face) - its) for face in faces for its in veiled]
    return float(min(off, default=0.0)) > LIMITS.other_tint


def _fitted(pyramid: Pyramid, one: Hypothesis, back: NDArray[np.float32], *, is_known: bool) -> Hypothesis:
    """A hypothesis with how much it looks like a back (h, w), moved to fit it where it is one.

    A light may fade across either, and so an outlined one may look like it by its detail alone, where cards of the
    printing are known to lie on the table. Where none is, what shows a print looks like no plain back, however much
    their rims do: any deck may lie there.
    """
    if not (is_known or is_patterned(back)) and _shows_print(pyramid, one):
        return one
    fit = align_likelier_way(pyramid, one.corners, back)
    one = replace(one, like_back=fit.correlation)
    if one.is_back:
        return replace(one, corners=fit.corners)
    if one.found < LIMITS.card or not (is_known and is_patterned(back)):
        return one
    detail = align_either_way(pyramid, one.corners, back, is_by_detail=True).correlation
    return replace(one, like_back=LIMITS.told_by_detail) if detail > LIMITS.same_detail else one


def _shows_print(pyramid: Pyramid, one: Hypothesis) -> bool:
    """It shows more than one tone, and more than fine stripes or a light that fades across it."""
    look = look_at(pyramid, one.corners, BACK_LOOK)
    even = evenly_lit(look)
    return contrast(look if even is None else even) > LIMITS.shown_print
