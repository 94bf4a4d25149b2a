"""What of a Hexapod field may be stated as fact, and what is doubted: thresholds, the insects' build, and insects of
one kind that do not look alike."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import (
    EMPTY,
    INSECT,
    KINDS,
    OTHER,
    FewShotInsects,
    InsectClassifier,
    burnt_out_shares,
    colour_ranges,
    darkest_channel,
    details,
    rectify_field,
)
from companion.games.hexapod.vision.orientation import OrientedField
from companion.games.hexapod.vision.results import DetectedField
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.conditions import Condition
from companion.vision.detection.detector import Detection
from companion.vision.detection.verification import Find, Verdict, have_edges, verify
from companion.vision.geometry import SQUARE, homography, mapped, proportion_in_plane, side_px
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning

_WHOLE = [KINDS.index(kind) for kind in KINDS if kind not in ("stag", "moth", "spider")]
"""Kinds of one cell; the halves of the others differ from each other."""
_BY_COLOUR = ("blue", "green", "gold", "dung", "leaf")
"""Kinds that only colour tells from one another."""
_SECOND = {"stag": ((1, 0), (-1, 0)), "moth": ((0, 1), (0, -1)), "spider": ((0, 1), (0, -1), (1, 0), (-1, 0))}
"""Where the other half of an insect of two cells, or more, may lie: rows and columns from one of them."""
_WHICH_WAY = "which way up it lies is not certain"
_IN_GAP = "a card that may show beside it would lie here too"
_NO_ROOM = "the card that shows beside it covers two by two cells"


def find_outliers(fields: Sequence[OrientedField], classifier: InsectClassifier) -> list[NDArray[np.float64]]:
    """Find insects whose embedding is unlike that of the others classified as their kind.

    Args:
        fields: all fields of a picture, upright.
        classifier: of their insects.

    Returns:
        One (rows, cols) a field: the confidence from which on each insect counts as its kind all the same, 0 where it
        is like the others, infinite where it is unlike most, or some that are alike are together unlike others.
    """
    if not fields:
        return []
    sizes = [field.cells.state.shape[0] * field.cells.state.shape[1] for field in fields]
    embedding, insect, kinds = (
        np.concatenate([np.asarray(part).reshape(size, -1) for part, size in zip(parts, sizes, strict=True)])
        for parts in (
            [field.cells.embedding for field in fields],
            [field.cells.state[..., INSECT] for field in fields],
            [classifier.kinds(field.cells) for field in fields],
        )
    )
    kind, confidence = kinds.argmax(1), insect[:, 0] * kinds.max(1)
    is_insect = (insect[:, 0] > 0.5) & np.isin(kind, _WHOLE)
    alike = embedding @ embedding.T
    weights = (kind[:, None] == kind[None]) * is_insect[None] * confidence[None]
    np.fill_diagonal(weights, 0)
    unlike = (weights * (alike < LIMITS.ambiguous_pairs)).sum(1) / np.maximum(weights.sum(1), 1e-9)
    least = np.where(is_insect & (unlike > LIMITS.odd_share), LIMITS.plain_cell, 0.0)
    if isinstance(classifier, FewShotInsects):
        least[is_insect & (unlike > LIMITS.mostly_odd)] = np.inf
        for one in np.unique(kind[is_insect]).tolist():
            own = np.flatnonzero(is_insect & (kind == one) & (confidence >= LIMITS.sure_insect))
            as_taught = classifier.similarity(embedding[own], one)
            least[own[_of_another_look(alike[np.ix_(own, own)], as_taught)]] = np.inf
    odd = np.split(least, np.cumsum(sizes)[:-1])
    return [one.reshape(field.cells.state.shape[:2]) for one, field in zip(odd, fields, strict=True)]


def _of_another_look(alike: NDArray[np.floating], as_taught: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which insects (N,) of one name look like each other, two at least, and unlike others that are more as taught: the
    one of two kinds under a name whose own example was taught in a lamp's light.

    Args:
        alike: (N, N) how alike they are.
        as_taught: (N,) how like the kind's nearest example each is.
    """
    groups = np.arange(len(alike))
    for i, k in np.argwhere(np.tril(alike, -1) >= LIMITS.one_look).tolist():
        groups[groups == groups[i]] = groups[k]
    another = np.zeros(len(alike), np.bool_)
    means = {group: float(as_taught[groups == group].mean()) for group in np.unique(groups).tolist()}
    for group, mean in means.items():
        own, surest = groups == group, groups == max(means, key=lambda one: means[one])
        is_apart = float(alike[np.ix_(own, surest)].max()) < LIMITS.another_look
        if own.sum() > 1 and is_apart and mean < max(means.values()) - LIMITS.less_as_taught:
            another |= own
    return another


def is_case(field: OrientedField) -> bool:
    """Whether a detected case shows cells, with floor or insects, and not the back of a card or a cloth."""
    clarity = _clarity(field)
    if field.quad.confidence >= LIMITS.certain_case:
        return clarity > LIMITS.hidden_case
    insects = int((field.cells.state.argmax(-1) == INSECT).sum())
    return clarity > (LIMITS.plain_case if insects >= 2 else LIMITS.bare_case)


def without_small_cases(cases: Sequence[OrientedField]) -> list[OrientedField]:
    """The cases but for those far smaller than another that is sure: a loose card may be taken for one."""
    sure_px = [side_px(case.quad.corners) for case in cases if case.quad.confidence >= LIMITS.sure_case]
    least_px = LIMITS.small_case * max(sure_px, default=0.0)
    return [case for case in cases if side_px(case.quad.corners) >= least_px]


def is_clear_case(field: OrientedField) -> bool:
    """Whether the cells of a case are so clear that it cannot be a card or a row of cards."""
    return _clarity(field) > LIMITS.unmistakable_case


def _clarity(field: OrientedField) -> float:
    """The mean confidence that a field's cells show floor or an insect."""
    state = field.cells.state
    return float(np.maximum(state[..., EMPTY], state[..., INSECT]).mean())


def is_card(field: OrientedField) -> bool:
    """Whether a detected loose card shows insects, and not a back or a pattern; a faint outline needs clear ones."""
    insect = field.cells.state[..., INSECT]
    if field.quad.confidence < LIMITS.there:
        return bool(insect.min() > LIMITS.plain_cell)
    return bool((insect > 0.6).sum() >= 2 and insect.mean() > 0.45)


def with_proven_presence(card: OrientedField) -> OrientedField:
    """A loose card with the presence of one whose insects prove it, however faint its outline."""
    return replace(card, quad=Detection(card.quad.corners, max(card.quad.confidence, LIMITS.there)))


def is_reportable(card: DetectedField) -> bool:
    """Whether a loose card is reported: some cell was read, or its presence is high."""
    return card.presence >= LIMITS.unread_card or not all(map(all, card.doubt))


def verify_fields(pyramid: Pyramid, fields: Sequence[DetectedField], warnings: tuple[ReadingWarning, ...]) -> Verdict:
    """What of the fields may stay, by the edges and the shape of cards and cases. See `verify`.

    A bare case speaks for the table only where it is square: another game's dark card may be found as surely.
    """
    finds = [_as_find(field) for field in fields]
    bare = [k for k, field in enumerate(fields) if finds[k].is_sure and not any(map(any, field.cells))]
    is_square = have_edges(pyramid, [field.corners for field in fields], bare, LIMITS.bare_edges)
    for k, is_sure in zip(bare, is_square.tolist(), strict=True):
        finds[k] = replace(finds[k], is_sure=is_sure)
    return verify(pyramid, finds, warnings, LIMITS.table)


def doubted(field: DetectedField, condition: Condition) -> tuple[DetectedField, list[ReadingWarning]]:
    """The field without what cannot be told under a condition, of colours the beetles, and the warnings."""
    stated = ~np.array(field.doubt)
    if condition.is_of_colour:
        stated &= np.array([[kind in _BY_COLOUR for kind in row] for row in field.cells])
    what = "a beetle's kind" if condition.is_of_colour else "what lies there"
    return _with_doubt(field, stated, condition, what)


def _with_doubt(
    field: DetectedField, where: NDArray[np.bool_], condition: Condition, what: str
) -> tuple[DetectedField, list[ReadingWarning]]:
    """The field with more cells (rows, cols) doubted, and the warnings of them."""
    cells = tuple(
        tuple(None if is_so else kind for kind, is_so in zip(*both, strict=True))
        for both in zip(field.cells, where.tolist(), strict=True)
    )
    doubt = tuple(tuple(row) for row in (np.array(field.doubt) | where).tolist())
    centres = _centres(field.corners, *where.shape)[where]
    return replace(field, cells=cells, doubt=doubt), [condition.unsure(what, (float(x), float(y))) for x, y in centres]


def _as_find(field: DetectedField) -> Find:
    """A field as a find. A case of which nothing is told is asked for its edges, too: it may be another game's card."""
    doubt = np.array(field.doubt)
    is_sure = field.is_case and field.presence >= LIMITS.sure_find and field.confidence >= LIMITS.sure_named
    return Find(field.corners, field.presence, field.is_case or not doubt.all(), is_sure, _proportion(doubt.shape))


def _proportion(shape: tuple[int, ...]) -> float:
    """How oblong rows and columns of square cells are."""
    return max(shape) / min(shape)


def is_oblong(card: DetectedField, cases: Sequence[DetectedField]) -> bool:
    """Whether a card is rather two side by side: in the plane of a sure case its sides differ."""
    case = next((one for one in cases if one.presence >= LIMITS.sure_find), None)
    if case is None:
        return False
    size = (len(case.cells[0]), len(case.cells))
    return proportion_in_plane(card.corners, case.corners, size) > LIMITS.oblong


def has_insect(field: OrientedField) -> bool:
    """Whether an insect shows, so that there is a way up to tell."""
    return bool((field.cells.state.argmax(-1) == INSECT).any())


def assess(
    field: OrientedField,
    classifier: InsectClassifier,
    size: tuple[int, int],
    odd: NDArray[np.float64] | None = None,
    *,
    is_case: bool,
    sure_empty: float | NDArray[np.floating] = LIMITS.sure_empty,
    has_edges: Callable[[], bool] = lambda: True,
) -> tuple[DetectedField, list[ReadingWarning]]:
    """Accept the confident cells of a field and doubt the rest.

    Args:
        field: the field, upright.
        classifier: of its insects.
        size: width and height of the picture.
        odd: (rows, cols), see `find_outliers`; None where that was not asked.
        is_case: whether it is a case; else it is a loose card, which has no empty cells.
        sure_empty: the probability below which an empty cell is unsure; (rows, cols) where it differs.
        has_edges: whether edges show along its sides; asked where its cells are doubtful.
    """
    state, kinds = field.cells.state, classifier.kinds(field.cells)
    kind = kinds.argmax(-1)
    empty = (state[..., EMPTY] >= state[..., INSECT]) & np.bool_(is_case)
    confidence = np.where(empty, state[..., EMPTY], state[..., INSECT] * kinds.max(-1))
    rows, cols = confidence.shape
    names: list[list[str | None]] = [
        [None if empty[r, c] else KINDS[kind[r, c]] for c in range(cols)] for r in range(rows)
    ]
    centres = _centres(field.quad.corners, rows, cols)
    others = _doubts_from_neighbours(field, confidence, empty, odd, has_edges)
    reasons, least_empty = np.full((rows, cols), None, object), np.broadcast_to(sure_empty, (rows, cols))
    for cell in np.ndindex(rows, cols):
        least = LIMITS.sure_insect if names[cell[0]][cell[1]] is not None else float(least_empty[cell])
        reason = _doubt(names, float(confidence[cell]), least, state[cell], cell, centres[cell], size)
        reasons[cell] = reason or next((why for where, why in others if where[cell]), None)
    doubted = reasons.astype(bool)
    seen = np.maximum(state[..., EMPTY], state[..., INSECT])
    may_be_floor = doubted & (state[..., OTHER] <= seen) & (seen < LIMITS.plain_cell)
    reasons[_in_gap(empty & ~doubted, may_be_floor)] = _IN_GAP
    if is_case:
        no_room = _without_room(
            empty & ~doubted, ~empty & (state[..., INSECT] >= LIMITS.sure_insect), state[..., EMPTY]
        )
        reasons[no_room & ~doubted] = _NO_ROOM
    reasons[_other_if_turned(field, np.where(empty, -1, kind), doubted) & ~doubted] = _WHICH_WAY
    doubt, what = reasons.astype(bool), "a cell" if is_case else "a loose card's cell"
    warnings = [
        ReadingWarning("unsure", f"{what}: {reason}", (float(x), float(y)))
        for reason, (x, y) in zip(reasons[doubt], centres[doubt], strict=True)
    ]
    stated = confidence[~doubt]
    detected = DetectedField(
        field.quad.corners,
        tuple(tuple(None if doubt[r, c] else name for c, name in enumerate(row)) for r, row in enumerate(names)),
        tuple(tuple(bool(d) for d in row) for row in doubt),
        field.quad.confidence * (float(stated.min()) if len(stated) else 0.5),
        is_case,
        field.margin >= LIMITS.known_way and has_insect(field),
        field.quad.confidence,
    )
    return detected, warnings


def empty_thresholds(pyramid: Pyramid, field: OrientedField, least: float = LIMITS.sure_empty) -> NDArray[np.float64]:
    """The probability from which on each cell (rows, cols) of a case is surely empty: more than the ``least`` where it
    is burnt out, still more where several colours show; none of a case where nothing shows at all, nor of cells that a
    lamp's reflection hides or where it leaves some print.
    """
    state = field.cells.state
    picture = rectify_field(pyramid, field.quad.corners, state.shape[0], state.shape[1], 0)
    shares = burnt_out_shares(picture, in_every_channel=False)
    thresholds = np.where(shares > LIMITS.burnt_out_cell, max(least, LIMITS.sure_burnt_out), least)
    if not has_insect(field) and burnt_out_shares(picture, in_every_channel=True).mean() > LIMITS.burnt_out_case:
        return np.full(shares.shape, np.inf)
    if ((state.argmax(-1) == EMPTY) & (state[..., EMPTY] < LIMITS.sure_coloured)).any():
        is_coloured = colour_ranges(picture) > LIMITS.coloured_cell
        thresholds = np.where(is_coloured, np.maximum(thresholds, LIMITS.sure_coloured), thresholds)
    is_hidden = _in_reflection(picture, state[..., EMPTY]) | _shows_print(picture, state)
    return np.where(is_hidden, np.inf, thresholds)


def _in_reflection(picture: NDArray[np.uint8], likely_empty: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which cells (rows, cols) are white through and through, two by two, where floor elsewhere is not: a lamp's
    reflection leaves no more of a card that lies there.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
        likely_empty: (rows, cols) how likely each cell is empty.
    """
    levels, spread = darkest_channel(picture)
    is_floor_darker = (levels[likely_empty > LIMITS.sure_empty] < LIMITS.white - LIMITS.below_white).any()
    is_white = (levels >= LIMITS.white) & (spread < LIMITS.evenly_white) & is_floor_darker
    hidden = np.zeros_like(is_white)
    for square in _squares(is_white.shape):
        hidden[square] |= is_white[square].all()
    return hidden


def _shows_print(picture: NDArray[np.uint8], state: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which cells (rows, cols) that look empty, not all of them plainly, show more detail than floor elsewhere, two by
    two: a card in a lamp's haze. Beside what covers cells its shadow may show.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
        state: (rows, cols, 3), see `Cells`.
    """
    hidden = np.zeros(state.shape[:2], np.bool_)
    likely_empty, is_empty = state[..., EMPTY], state.argmax(-1) == EMPTY
    is_floor = likely_empty > LIMITS.plain_floor
    if not is_floor.any() or (likely_empty[is_empty] > LIMITS.plain_floor).all():
        return hidden
    detail = details(picture) + LIMITS.noise_detail
    is_detailed = is_empty & (detail > LIMITS.more_detail * np.median(detail[is_floor]))
    is_covered = cv2.dilate((state.argmax(-1) == OTHER).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    for square in _squares(hidden.shape):
        is_plain = (likely_empty[square] > LIMITS.plain_floor).all()
        hidden[square] |= (is_detailed & ~is_covered)[square].all() and not is_plain
    return hidden


def case_has_edges(pyramid: Pyramid, cases: Sequence[OrientedField], which: int) -> bool:
    """Whether edges show along each side of one of the cases of a picture that nothing covers, and it is as oblong as
    its cells let expect: else it lies beside where it is, or ends where something covers it.
    """
    corners = [*(case.quad.corners for case in cases), *_over_sides(cases[which])]
    proportions = [*(_proportion(case.cells.state.shape[:2]) for case in cases), *[1.0] * (len(corners) - len(cases))]
    return bool(have_edges(pyramid, corners, [which], LIMITS.case_edges, proportions)[0])


def _over_sides(case: OrientedField) -> list[NDArray[np.float32]]:
    """An outline (4, 2) beyond each side of a case along which most cells are covered: what covers them lies there."""
    state = case.cells.state
    is_covered = state[..., OTHER] > np.maximum(state[..., EMPTY], state[..., INSECT])
    along = (is_covered[0], is_covered[:, -1], is_covered[-1], is_covered[:, 0])
    beyond = ((0.0, -2.0), (2.0, 0.0), (0.0, 2.0), (-2.0, 0.0))
    return [
        mapped(homography(case.quad.corners), SQUARE.unit + away).astype(np.float32)
        for cells, away in zip(along, beyond, strict=True)
        if cells.mean() > LIMITS.covered_side
    ]


def _doubts_from_neighbours(
    field: OrientedField,
    confidence: NDArray[np.float32],
    empty: NDArray[np.bool_],
    odd: NDArray[np.float64] | None,
    has_edges: Callable[[], bool],
) -> list[tuple[NDArray[np.bool_], str]]:
    """Where (rows, cols) clear cells are doubted because of their neighbours, and why."""
    state = field.cells.state
    visible = confidence[state[..., OTHER] < np.maximum(state[..., EMPTY], state[..., INSECT])]
    mean = float(visible.mean()) if len(visible) else 1.0
    is_shaky, is_misplaced = mean < LIMITS.shaky_field, mean < LIMITS.plain_cell and not has_edges()
    is_aside = np.linalg.norm(field.cells.offset, axis=-1) > LIMITS.aside
    is_odd = np.zeros_like(empty) if odd is None else confidence < odd
    contested = np.zeros_like(empty) if field.contested is None else field.contested
    return [
        (is_odd & ~empty, "it looks unlike the others of its kind"),
        (contested & ~empty, "seen a little aside it looks like another insect"),
        (is_aside & ~empty, "it lies beside the middle of its cell, askew perhaps"),
        (is_shaky & (confidence < LIMITS.plain_cell), "so much beside it is doubtful that it is too"),
        (np.full_like(empty, is_misplaced), "a side of its case does not show, which may lie elsewhere"),
    ]


def _other_if_turned(field: OrientedField, named: NDArray[np.int64], doubted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where a cell would show something else in another rotation of similar probability.

    Args:
        field: the field, upright.
        named: (rows, cols) what its cells show, -1 for floor.
        doubted: (rows, cols) whether that is doubted.
    """
    margins = field.rotation_logits[0] - field.rotation_logits
    rivals = [k for k in (1, 2, 3) if margins[k] < LIMITS.known_way] if has_insect(field) else []
    turned = [(np.rot90(named, k) != named) | np.rot90(doubted, k) for k in rivals]
    return np.asarray(np.any([np.zeros(named.shape, bool), *turned], axis=0))


def _without_room(
    empty: NDArray[np.bool_], insect: NDArray[np.bool_], likely_empty: NDArray[np.floating]
) -> NDArray[np.bool_]:
    """Which empty cells (rows, cols) leave no room for the card that shows an insect: it covers two by two, so in one
    square around it no cell is empty. Those of the square where they are least likely empty, but for plain ones.

    Args:
        empty: (rows, cols) where floor is seen.
        insect: (rows, cols) where an insect is.
        likely_empty: (rows, cols) how likely each cell is empty.
    """
    doubtful = np.zeros_like(empty)
    surprise = np.where(empty, -np.log(np.maximum(1 - likely_empty, 1e-6)), 0.0)
    for row, col in np.argwhere(insect).tolist():
        squares = _squares_over(row, col, empty.shape)
        if squares and all(empty[square].any() for square in squares):
            likeliest = min(squares, key=lambda square: float(surprise[square].sum()))
            doubtful[likeliest] = True
    return doubtful & empty & (likely_empty < LIMITS.plain_floor)


def _in_gap(empty: NDArray[np.bool_], doubted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which empty cells (rows, cols) alone say that a doubtful one beside them is empty, for cards cover two by two.

    Args:
        empty: (rows, cols) where floor is seen.
        doubted: (rows, cols) where floor or an insect is seen.
    """
    gaps = np.zeros_like(empty)
    for row, col in np.argwhere(doubted).tolist():
        around = _squares_over(row, col, empty.shape)
        if all(empty[square].any() for square in around):
            for square in around:
                if empty[square].sum() == 1 and doubted[square].sum() == 1:
                    gaps[square] |= empty[square]
    return gaps


def _squares(shape: tuple[int, ...]) -> list[tuple[slice, slice]]:
    """The two by two cells that a card may cover in a case of so many rows and columns."""
    rows, cols = shape
    return [(slice(r, r + 2), slice(c, c + 2)) for r in range(rows - 1) for c in range(cols - 1)]


def _squares_over(row: int, col: int, shape: tuple[int, ...]) -> list[tuple[slice, slice]]:
    """Those of `_squares` that hold a cell."""
    return [(r, c) for r, c in _squares(shape) if r.start <= row < r.stop and c.start <= col < c.stop]


def _doubt(
    names: list[list[str | None]],
    confidence: float,
    least: float,
    state: NDArray[np.float32],
    cell: tuple[int, int],
    centre: NDArray[np.float64],
    size: tuple[int, int],
) -> str | None:
    """Why a cell cannot be stated; None when it can: its confidence is the ``least`` or more."""
    if not (0 <= centre[0] < size[0] and 0 <= centre[1] < size[1]):
        return "the picture does not show it"
    if state[OTHER] > max(state[EMPTY], state[INSECT]):
        return "something covers it"
    name = names[cell[0]][cell[1]]
    if confidence < least:
        return "it cannot be told whether it is empty" if name is None else "what lies there cannot be read for certain"
    if name in _SECOND and confidence < LIMITS.lone_half and not _has_second(names, cell, name):
        return f"half a {name} shows there, or something else"
    return None


def _has_second(names: list[list[str | None]], cell: tuple[int, int], name: str) -> bool:
    """Whether a neighbour shows the insect's other half, even doubted."""
    rows, cols = len(names), len(names[0])
    neighbours = [(cell[0] + dr, cell[1] + dc) for dr, dc in _SECOND[name]]
    return any(0 <= r < rows and 0 <= c < cols and names[r][c] == name for r, c in neighbours)


def _centres(corners: NDArray[np.floating], rows: int, cols: int) -> NDArray[np.float64]:
    """The cells' middles in the picture (rows, cols, 2)."""
    y, x = np.mgrid[0:rows, 0:cols]
    unit = np.stack([(x + 0.5) * 2 / cols - 1, (y + 0.5) * 2 / rows - 1], -1)
    return mapped(homography(corners), unit)
