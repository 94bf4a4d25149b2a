"""Reading a Comet table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.classifier import PretrainedNumerals
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR, card_shape
from companion.games.comet.vision.plausibility import (
    ClassifiedOutlines,
    are_unlike_backs,
    back_distances,
    classify_outlines,
    compare_backs,
    is_gap,
)
from companion.games.comet.vision.results import (
    BACK,
    NUMBERS,
    CometReading,
    DetectedCometCard,
    has_numbers,
)
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.taught_recognizer import read_new_cards, read_taught
from companion.games.comet.vision.thresholds import LIMITS
from companion.games.comet.vision.untaught_printing import find_layout, verify_cards
from companion.vision.detection.conditions import FOREIGN_PROFILE, MIRRORED, TOO_STEEP, is_mirrored, is_too_steep
from companion.vision.detection.detector import Detection, corners_of, distances, refine_corners, suppress_overlaps
from companion.vision.detection.verification import Find, have_edges, other_shape, verify
from companion.vision.geometry import Shape
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import (
    Classifier,
    DetectedCard,
    ReadingWarning,
    Stopwatch,
    confidence_of,
    near,
    unreadable,
)
from companion.vision.tracking.regions import Unchanged

CometClassifier = PretrainedNumerals | TaughtNumerals

_BACK_LEFT_OPEN = "whether a card lies face down here cannot be told where no card shows a number"


def read_comet(
    bgr: NDArray[np.uint8], classifier: CometClassifier | None = None, across_px: float | None = None
) -> CometReading:
    """Read one picture of Comet cards by itself: as `read_table`, and with all left open where only backs are seen.

    Nothing but a number tells a card of this game from any other card's back, or from a tile: no card is stated to lie
    face down where none shows one, unless the back was taught.
    """
    reading = read_table(bgr, classifier, across_px)
    backs = [card for card in reading.cards if BACK in card.edges]
    if not backs or any(map(has_numbers, reading.cards)) or _is_back_known(reading.classifier):
        return reading
    open_ones = [ReadingWarning("unsure", _BACK_LEFT_OPEN, card.centre) for card in backs]
    warnings = (*reading.warnings, *other_shape(Pyramid.of(bgr), 4), *open_ones)
    cards = [card for card in reading.cards if isinstance(card, DetectedCometCard)]
    return replace(
        reading, cards=tuple(_unread(card) if BACK in card.edges else card for card in cards), warnings=warnings
    )


def read_table(
    bgr: NDArray[np.uint8], classifier: CometClassifier | None = None, across_px: float | None = None
) -> CometReading:
    """Read a Comet table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: of a taught printing; None for the pretrained one, of printings with numerals one above the other.
        across_px: between opposite edges of a hexagon as large as the cards, when known: the picture is then searched
            at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    if isinstance(classifier, TaughtNumerals):
        return _verified(Pyramid.of(bgr), read_taught(bgr, classifier, across_px))
    classifier = PretrainedNumerals()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    width_px = None if across_px is None else across_px * LIMITS.width_of_across
    found = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    clock.lap("find")
    cards, is_odd = _read_found(pyramid, found, classifier, clock)
    size = (bgr.shape[1], bgr.shape[0])
    warnings = [_unsure(card, size) for card in cards if None in card.edges]
    if not cards:
        warnings = [ReadingWarning("nothing-found", "no Comet card on this picture")]
    reading = CometReading(tuple(cards), (), tuple(warnings), classifier)
    reading = _verified(pyramid, reading)
    clock.lap("judge")
    is_odd = is_odd or not any(_is_read(card) for card in reading.cards)
    if across_px is None and is_odd and MIRRORED.warning not in reading.warnings:
        layout = find_layout(bgr, pyramid)
        taught = None if layout is None else read_taught(bgr, layout)
        if taught is not None and _is_understood(taught):
            return _verified(pyramid, taught)
    return replace(reading, stages_ms=clock.laps)


def read_unknown(
    bgr: NDArray[np.uint8], classifier: CometClassifier | None, across_px: float, unchanged: Unchanged
) -> CometReading:
    """Read the unknown cards in a piece of a Comet table. What shows no number is no card, but a phone perhaps, where
    it is not as large as the known ones let expect, looks unlike the backs among them, or has no edge somewhere.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: see `read_table`.
        across_px: see `read_table`.
        unchanged: the known cards, beside, over or under which the others lie.
    """
    pyramid = Pyramid.of(bgr)
    cards: Sequence[DetectedCard]
    if isinstance(classifier, TaughtNumerals):
        cards = read_new_cards(bgr, classifier, across_px, unchanged)
    else:
        classifier = PretrainedNumerals(_upwards(unchanged.everywhere))
        cards = _read_unknown(pyramid, classifier, across_px, unchanged)
    cards = _without_things(cards, unchanged, is_taught=isinstance(classifier, TaughtNumerals))
    is_known = len(unchanged.everywhere) >= LIMITS.table.min_sure
    asked = [k for k, card in enumerate(cards) if not (is_known and has_numbers(card) and _as_find(card).is_sure)]
    if asked:
        every = [*(card.corners for card in cards), *(card.corners for card in unchanged.cards)]
        has_edges = have_edges(pyramid, every, asked, LIMITS.table.edges)
        false = {k for k, edges in zip(asked, has_edges, strict=True) if not edges}
        cards = [card for k, card in enumerate(cards) if k not in false]
    reading = CometReading(tuple(cards), (), (), classifier)
    return _apply_conditions(pyramid, reading) if isinstance(classifier, TaughtNumerals) else reading


def _is_back_known(classifier: Classifier | None) -> bool:
    """Whether it was taught what cards lying face down look like."""
    return isinstance(classifier, TaughtNumerals) and bool(classifier.profile.back.size)


def _without_things(cards: Sequence[DetectedCard], unchanged: Unchanged, *, is_taught: bool) -> list[DetectedCard]:
    """The cards but for what shows no number and is too large or too small for a card, or no back of the deck."""
    fits = unchanged.are_as_large(np.array([card.corners for card in cards]).reshape(-1, 4, 2))
    cards = [card for card, as_large in zip(cards, fits, strict=True) if as_large or has_numbers(card)]
    known = [card.corners for card in unchanged.everywhere if BACK in card.edges]
    backs = [card for card in cards if BACK in card.edges]
    if unchanged.picture is None or not backs or not known:
        return cards
    outlines = [card.corners + np.array(unchanged.at, np.float32) for card in backs]
    pyramid = Pyramid.of(unchanged.picture)
    are_unlike = are_unlike_backs(pyramid, outlines, known, is_known_pattern=not is_taught)
    unlike = [card for card, is_unlike in zip(backs, are_unlike, strict=True) if is_unlike]
    over = [*unchanged.cards, *(card for card in cards if card not in unlike)]
    return [card for card in cards if card not in unlike or any(_lies_on(one.corners, card.corners) for one in over)]


def _read_unknown(
    pyramid: Pyramid, classifier: PretrainedNumerals, across_px: float, unchanged: Unchanged
) -> list[DetectedCometCard]:
    """The unknown cards of a known printing; see `read_unknown`."""
    seen = DETECTOR.detect(pyramid, LIMITS.hint, across_px * LIMITS.width_of_across)
    found = [
        one for one, is_known in zip(seen, near(seen, unchanged.cards, LIMITS.known_card), strict=True) if not is_known
    ]
    return _read_found(pyramid, found, classifier, Stopwatch(), [card.corners for card in unchanged.cards])[0]


def _is_unfamiliar(cards: list[DetectedCometCard]) -> bool:
    """So few of the cards face up are read in full that their printing may be none that is known."""
    faces = [card for card in cards if BACK not in card.edges]
    read = sum(_is_read(card) for card in faces)
    return read < min(LIMITS.familiar_share * len(faces), len(faces) - 1)


def _is_read(card: DetectedCard) -> bool:
    """A card lies face up, and all its numbers are stated."""
    return not {None, BACK} & set(card.edges)


def _is_read_in_part(card: DetectedCometCard) -> bool:
    """Two of its numbers are stated, and the third surely shows none: another card lies on it."""
    is_sure = float(card.probabilities.max(-1).min()) >= LIMITS.sure_taught
    return is_sure and sum(number is not None for number in card.edges) == 2


def _is_understood(reading: CometReading) -> bool:
    """A layout that was found is the printing's: it reads most of the cards face up in full, three at least."""
    faces = [card for card in reading.cards if BACK not in card.edges]
    read = sum(_is_read(card) for card in faces)
    return read >= max(LIMITS.fewest_searched, LIMITS.understood_share * len(faces))


def _upwards(cards: Sequence[DetectedCard]) -> NDArray[np.floating]:
    """The way (2,) in which most cards with numbers look up on the picture; zeros where there are none."""
    faces = [card for card in cards if has_numbers(card)]
    ways = [(1 - card.east) * (card.corners[:2].sum(0) - card.corners[2:].sum(0)) for card in faces]
    return np.asarray(sum(ways, np.zeros(2)))


def _read_found(
    pyramid: Pyramid,
    found: Sequence[Detection],
    classifier: PretrainedNumerals,
    clock: Stopwatch,
    beside: Sequence[NDArray[np.floating]] = (),
) -> tuple[list[DetectedCometCard], bool]:
    """The cards that were found and are there, beside known outlines (4, 2), and whether they look unfamiliar."""
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found, 4), CARD, LIMITS.refinements)
    clock.lap("outline")
    classified = classify_outlines(pyramid, corners, np.array([f.confidence for f in found]), classifier, beside)
    clock.lap("name")
    selected = _select_cards(classified.presence, classified.corners)
    cards = _keep_present([_card(k, classified, i, classifier) for k, i in enumerate(selected)], pyramid, beside)
    is_odd = _is_unfamiliar(cards)
    return (verify_cards(pyramid, cards) if is_odd else cards), is_odd


def _verified(pyramid: Pyramid, reading: CometReading) -> CometReading:
    """The reading without outlines whose edges are no card's, and without numbers on a picture from the side.

    On a table of a taught printing a card that is read whole needs no edges: it may touch others of its colour, and
    two of them say that the printing lies here, or one beside two that surely lie face down. Nor does one on which
    another lies.
    """
    cards = [card for card in reading.cards if isinstance(card, DetectedCometCard)]
    is_taught = isinstance(reading.classifier, TaughtNumerals) and reading.classifier.is_taught
    whole, in_part = (
        np.array([is_taught and is_so(card) for card in cards], bool) for is_so in (_is_read, _is_read_in_part)
    )
    asked = ~in_part | in_part.all()
    finds = [_as_find(card) for card, is_asked in zip(cards, asked, strict=True) if is_asked]
    verdict = verify(pyramid, finds, reading.warnings, LIMITS.table)
    judged, warnings = np.zeros(len(cards), bool), verdict.warnings
    judged[asked] = verdict.stays
    is_back = np.array([BACK in card.edges for card in cards], bool)
    sure_backs = is_back & np.array([card.presence >= LIMITS.surely_found for card in cards], bool)
    is_of_deck = whole.sum() >= LIMITS.fewest_whole or (whole.any() and sure_backs.sum() >= LIMITS.fewest_whole)
    if is_of_deck and not judged.any():
        judged = whole | is_back
        warnings = tuple(warning for warning in reading.warnings if warning.at is None)
    stays = judged | ((whole | in_part) & judged.any())
    added = [card.centre for card, one in zip(cards, stays & ~judged, strict=True) if one]
    warnings += tuple(one for one in reading.warnings if one.at in added and one not in warnings)
    cards = [card for card, one in zip(cards, stays, strict=True) if one]
    return _apply_conditions(pyramid, replace(reading, cards=tuple(cards), warnings=warnings))


def _apply_conditions(pyramid: Pyramid, reading: CometReading) -> CometReading:
    """The reading with all left open that is seen too much from the side, or that another profile would read, and
    numbers where they are seen in a mirror.
    """
    cards = [card for card in reading.cards if isinstance(card, DetectedCometCard)]
    read = [card for card in cards if has_numbers(card)]
    shape, outlines = _shape(reading.classifier), [card.corners for card in read]
    told = [card for card in cards if set(card.edges) != {None}]
    if FOREIGN_PROFILE.warning in reading.warnings:
        condition, doubted, what = FOREIGN_PROFILE, told, "what it shows"
    elif read and is_too_steep(pyramid, shape, outlines, LIMITS.less_tilted):
        condition, doubted, what = TOO_STEEP, told, "what it shows"
    elif _is_in_mirror(pyramid, cards, reading.classifier):
        condition, doubted, what = MIRRORED, read, "numbers"
    else:
        return reading
    said = () if condition.warning in reading.warnings else (condition.warning,)
    warnings = (*reading.warnings, *said, *(condition.unsure(what, card.centre) for card in doubted))
    return replace(
        reading, cards=tuple(_unread(card) if card in doubted else card for card in cards), warnings=warnings
    )


def _is_in_mirror(pyramid: Pyramid, cards: Sequence[DetectedCometCard], classifier: Classifier | None) -> bool:
    """Whether cards are rather read in a mirror; asked only where some of them is not read."""
    faces = [card for card in cards if BACK not in card.edges]
    if classifier is None or all(_is_read(card) for card in faces):
        return False
    mirrored = np.array([card.corners for card in faces])[:, ::-1]
    ways = range(4) if isinstance(classifier, TaughtNumerals) else range(1)
    seen = [classifier.classify(pyramid, np.roll(mirrored, way, axis=1))[..., : len(NUMBERS)] for way in ways]
    legible = np.max([numbers.max(-1).min(-1) for numbers in seen], axis=0)
    return is_mirrored(np.array([_is_read(card) for card in faces]), legible >= LIMITS.sure_number)


def _shape(classifier: Classifier | None) -> Shape:
    """That of the cards as they are read: some printings are read lying on their side."""
    return card_shape(classifier.profile.half_width) if isinstance(classifier, TaughtNumerals) else CARD


def _unread(card: DetectedCometCard) -> DetectedCometCard:
    """The card with all its numbers rejected."""
    return replace(card, edges=(None,) * 3, confidence=card.presence * 0.5)


def _as_find(card: DetectedCard) -> Find:
    is_sure = None not in card.edges and card.presence >= LIMITS.sure_find
    return Find(card.corners, card.presence, has_numbers(card), is_sure)


def _select_cards(presence: NDArray[np.floating], corners: NDArray[np.float32]) -> list[int]:
    """Which outlines are cards, the surest first: without overlaps, and without mats, which are far larger."""
    likely = np.argsort(-presence)[: int((presence >= LIMITS.doubtful_back).sum())]
    outlines, wide = corners[likely], CARD.width_px(corners[likely])
    apart = distances(outlines)
    clashes = apart <= LIMITS.same_card * wide[:, None]
    for i, k in np.argwhere(~clashes & (apart <= wide[:, None] + wide)).tolist():
        clashes[i, k] = k < i and _lies_on(outlines[i], outlines[k])
    kept = suppress_overlaps(clashes)
    return [int(likely[i]) for i in kept if wide[i] < LIMITS.largest * np.median(wide[kept])]


def _lies_on(corners: NDArray[np.float32], surer: NDArray[np.float32]) -> bool:
    """Whether an outline (4, 2) overlaps a surer one."""
    return cv2.intersectConvexConvex(corners, surer)[0] > LIMITS.shared_area * cv2.contourArea(corners)


def _keep_present(
    cards: list[DetectedCometCard], pyramid: Pyramid, beside: Sequence[NDArray[np.floating]] = ()
) -> list[DetectedCometCard]:
    """The cards that are really there, beside known outlines: with numbers, or detected with enough confidence."""
    backs = [card for card in cards if BACK in card.edges]
    off = back_distances(pyramid, [card.corners for card in backs])
    is_familiar, is_foreign = compare_backs(off, np.array([card.presence for card in backs]))
    familiar = {card.cell for card, is_so in zip(backs, is_familiar, strict=True) if is_so}
    foreign = {card.cell for card, is_so in zip(backs, is_foreign, strict=True) if is_so}
    blank = [card for card in cards if not has_numbers(card) and card.cell not in foreign]
    clear = {card.cell for card in blank if _is_clear(card, cards, pyramid, beside, card.cell in familiar)}
    return [card for card in cards if card.cell in clear or _is_partly_read(card)]


def _is_partly_read(card: DetectedCometCard) -> bool:
    return has_numbers(card) and card.presence >= (LIMITS.hardly_read if card.edges.count(None) > 1 else LIMITS.card)


def _is_clear(
    card: DetectedCometCard,
    cards: list[DetectedCometCard],
    pyramid: Pyramid,
    beside: Sequence[NDArray[np.floating]],
    is_familiar: bool,
) -> bool:
    """Whether a card without numbers is there and no gap; less confidence is enough for a familiar back."""
    if card.presence >= (LIMITS.familiar_back if is_familiar else LIMITS.plain_card):
        return True
    if card.presence < (LIMITS.doubtful_back if is_familiar else LIMITS.unread_card):
        return False
    surer = [c.corners for c in cards if c.presence > max(card.presence, LIMITS.card)]
    return not is_gap(pyramid, card.corners, [*surer, *beside])


def _card(number: int, classified: ClassifiedOutlines, i: int, classifier: PretrainedNumerals) -> DetectedCometCard:
    sections, presence = classified.sections[i], float(classified.presence[i])
    edges = classifier.accept(sections)
    if set(edges) == {"8", None}:  # two rings of a cloth look like an eight
        edges = (None,) * 3
    confidence = confidence_of(presence, sections, edges)
    first_corner = 2 if classified.is_upside_down[i] else 0
    return DetectedCometCard((number, 0), edges, classified.corners[i], confidence, presence, sections, first_corner)


def _unsure(card: DetectedCometCard, size: tuple[int, int]) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    return unreadable(f"{'a number' if missing == 1 else f'{missing} numbers'} of a card", card, size)
