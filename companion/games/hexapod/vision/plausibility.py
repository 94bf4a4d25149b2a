"""What of a Hexapod field may be stated as fact, and what is doubted: thresholds, the insects' build, and insects of
one kind that do not look alike."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import EMPTY, INSECT, KINDS, OTHER, InsectClassifier
from companion.games.hexapod.vision.orientation import OrientedField
from companion.games.hexapod.vision.results import DetectedField
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection
from companion.vision.detection.verification import Find, Verdict, verify
from companion.vision.geometry.shapes import homography, mapped
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning

_WHOLE = [KINDS.index(kind) for kind in KINDS if kind not in ("stag", "moth", "spider")]
"""Kinds of one cell: the halves of the others look different each."""


_BY_COLOUR = ("blue", "green", "gold", "dung", "leaf")


def find_outliers(fields: Sequence[OrientedField], classifier: InsectClassifier) -> list[np.ndarray]:
    """Where an insect looks unlike the others that are taken for its kind.

    Args:
        fields: all fields of a picture, upright.
        namer: what names their insects.

    Returns:
        One (rows, cols) of booleans a field.
    """
    if not fields:
        return []
    sizes = [field.cells.state.shape[0] * field.cells.state.shape[1] for field in fields]
    likeness, insect, kinds = (
        np.concatenate([np.asarray(part).reshape(size, -1) for part, size in zip(parts, sizes, strict=True)])
        for parts in (
            [field.cells.likeness for field in fields],
            [field.cells.state[..., INSECT] for field in fields],
            [classifier.kinds(field.cells) for field in fields],
        )
    )
    named, sure = kinds.argmax(1), insect[:, 0] * kinds.max(1)
    is_insect = (insect[:, 0] > 0.5) & np.isin(named, _WHOLE)
    weights = (named[:, None] == named[None]) * is_insect[None] * sure[None]
    np.fill_diagonal(weights, 0)
    unlike = (weights * (likeness @ likeness.T < LIMITS.ambiguous_pairs)).sum(1) / np.maximum(weights.sum(1), 1e-9)
    odd = np.split(is_insect & (unlike > LIMITS.odd_share), np.cumsum(sizes)[:-1])
    return [one.reshape(field.cells.state.shape[:2]) for one, field in zip(odd, fields, strict=True)]


_WHICH_WAY = "which way up it lies is not certain"
_SECOND = {"stag": ((1, 0), (-1, 0)), "moth": ((0, 1), (0, -1)), "spider": ((0, 1), (0, -1), (1, 0), (-1, 0))}


def is_case(field: OrientedField) -> bool:
    """Whether cells show on what was found as a case, floor or insects, not the back of a card or a cloth."""
    plainness = _plainness(field)
    if field.quad.confidence >= LIMITS.certain_case:
        return plainness > LIMITS.hidden_case
    insects = int((field.cells.state.argmax(-1) == INSECT).sum())
    return plainness > (LIMITS.plain_case if insects >= 2 else LIMITS.bare_case)


def is_clear_case(field: OrientedField) -> bool:
    """Whether every cell of a case shows so plainly that it cannot be a card, or some in a row, taken for one."""
    return _plainness(field) > LIMITS.unmistakable_case


def _plainness(field: OrientedField) -> float:
    """How surely a field's cells show floor or an insect, taken together."""
    state = field.cells.state
    return float(np.maximum(state[..., EMPTY], state[..., INSECT]).mean())


def is_card(field: OrientedField) -> bool:
    """Whether insects show on what was found as a loose card, not a back or a pattern; an outline that is hardly one is
    a card only where they show plainly."""
    insect = field.cells.state[..., INSECT]
    if field.quad.confidence < LIMITS.there:
        return bool(insect.min() > LIMITS.plain_cell)
    return bool((insect > 0.6).sum() >= 2 and insect.mean() > 0.45)


def is_as_confident_as_others(card: OrientedField) -> OrientedField:
    """A loose card that insects show to be one, however unsure its outline was."""
    return replace(card, quad=Detection(card.quad.corners, max(card.quad.confidence, LIMITS.there)))


def is_reportable(card: DetectedField) -> bool:
    """Whether a loose card is told: something on it was read, or it was found so surely that people should hear."""
    return card.presence >= LIMITS.unread_card or not all(map(all, card.doubt))


def verify_fields(pyramid: Pyramid, fields: Sequence[DetectedField], warnings: tuple[ReadingWarning, ...]) -> Verdict:
    """What of the fields may stay, by the edges and the shape of cards and cases. See `verify`."""
    return verify(pyramid, [_as_find(field) for field in fields], warnings, LIMITS.table)


def without_colour(field: DetectedField) -> tuple[DetectedField, list[ReadingWarning]]:
    """The field as it may be stated of a picture that has no colour, and what is doubted: beetles differ by theirs."""
    is_told = np.array([[kind in _BY_COLOUR for kind in row] for row in field.cells])
    return _with_doubt(field, is_told, "a beetle's kind cannot be told without colour")


def unread(field: DetectedField) -> tuple[DetectedField, list[ReadingWarning]]:
    """The field with nothing stated of it but where it lies, and what is doubted besides."""
    return _with_doubt(field, ~np.array(field.doubt), "what lies there cannot be told from so far aside")


def _with_doubt(field: DetectedField, where: NDArray[np.bool_], why: str) -> tuple[DetectedField, list[ReadingWarning]]:
    """The field with more cells (rows, cols) doubted, and the warnings of them."""
    cells = tuple(
        tuple(None if is_so else kind for kind, is_so in zip(*both, strict=True))
        for both in zip(field.cells, where.tolist(), strict=True)
    )
    doubt = tuple(tuple(row) for row in (np.array(field.doubt) | where).tolist())
    centres = _centres(field.corners, *where.shape)[where]
    return replace(field, cells=cells, doubt=doubt), [
        ReadingWarning("unsure", why, (float(x), float(y))) for x, y in centres
    ]


def _as_find(field: DetectedField) -> Find:
    doubt = np.array(field.doubt)
    is_sure = field.is_case and field.presence >= LIMITS.sure_find and field.confidence >= LIMITS.sure_named
    return Find(field.corners, field.presence, not doubt.all(), is_sure)


def is_oblong(card: DetectedField, cases: Sequence[DetectedField]) -> bool:
    """Two cards side by side, taken for one: from aside they look like a square, beside a sure case they do not."""
    sure = next((case for case in cases if case.presence >= LIMITS.sure_find), None)
    if sure is None:
        return False
    corners = mapped(np.linalg.inv(homography(sure.corners)), card.corners)
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    across, down = sides[::2].mean(), sides[1::2].mean()
    return bool(max(across, down) > LIMITS.oblong * min(across, down))


def has_insect(field: OrientedField) -> bool:
    """Whether an insect shows, so that there is a way up to tell."""
    return bool((field.cells.state.argmax(-1) == INSECT).any())


def assess(
    field: OrientedField,
    classifier: InsectClassifier,
    size: tuple[int, int],
    odd: np.ndarray | None = None,
    *,
    is_case: bool,
) -> tuple[DetectedField, list[ReadingWarning]]:
    """State what is sure of a field and doubt the rest.

    Args:
        field: the field, upright.
        namer: what names its insects.
        size: width and height of the picture.
        odd: (rows, cols) insects unlike the others of their kind; None where that was not asked.
        is_case: whether it is a case; else it is a loose card, which has no empty cells.
    """
    state, kinds = field.cells.state, classifier.kinds(field.cells)
    named = kinds.argmax(-1)
    empty = (state[..., EMPTY] >= state[..., INSECT]) & np.bool_(is_case)
    sure = np.where(empty, state[..., EMPTY], state[..., INSECT] * kinds.max(-1))
    rows, cols = sure.shape
    names: list[list[str | None]] = [
        [None if empty[r, c] else KINDS[named[r, c]] for c in range(cols)] for r in range(rows)
    ]
    centres = _centres(field.quad.corners, rows, cols)
    others = _doubts_from_neighbours(field, sure, empty, odd)
    reasons = np.full((rows, cols), None, object)
    for cell in np.ndindex(rows, cols):
        reason = _doubt(names, float(sure[cell]), state[cell], cell, centres[cell], size)
        reasons[cell] = reason or next((why for where, why in others if where[cell]), None)
    doubted = reasons.astype(bool)
    reasons[_other_if_turned(field, np.where(empty, -1, named), doubted) & ~doubted] = _WHICH_WAY
    doubt, what = reasons.astype(bool), "a cell" if is_case else "a loose card's cell"
    warnings = [
        ReadingWarning("unsure", f"{what}: {reason}", (float(x), float(y)))
        for reason, (x, y) in zip(reasons[doubt], centres[doubt], strict=True)
    ]
    stated = sure[~doubt]
    seen = DetectedField(
        field.quad.corners,
        tuple(tuple(None if doubt[r, c] else name for c, name in enumerate(row)) for r, row in enumerate(names)),
        tuple(tuple(bool(d) for d in row) for row in doubt),
        field.quad.confidence * (float(stated.min()) if len(stated) else 0.5),
        is_case,
        field.lead >= LIMITS.known_way and has_insect(field),
        field.quad.confidence,
    )
    return seen, warnings


def _doubts_from_neighbours(
    field: OrientedField, sure: np.ndarray, empty: np.ndarray, odd: np.ndarray | None
) -> list[tuple[np.ndarray, str]]:
    """Where (rows, cols) cells that are plain by themselves are doubted for what is seen beside them, and why."""
    state = field.cells.state
    seen_cells = sure[state[..., OTHER] < np.maximum(state[..., EMPTY], state[..., INSECT])]
    is_shaky = len(seen_cells) > 0 and float(seen_cells.mean()) < LIMITS.shaky_field
    is_aside = np.linalg.norm(field.cells.offset, axis=-1) > LIMITS.aside
    is_odd = np.zeros_like(empty) if odd is None else odd
    return [
        (is_odd & ~empty & (sure < LIMITS.plain_cell), "it looks unlike the others of its kind"),
        (is_aside & ~empty, "it lies beside the middle of its cell, askew perhaps"),
        (is_shaky & (sure < LIMITS.plain_cell), "so much beside it is doubtful that it is too"),
    ]


def _other_if_turned(field: OrientedField, named: np.ndarray, doubted: np.ndarray) -> np.ndarray:
    """Where a cell might show something else, were the field turned another way that is about as likely.

    Args:
        field: the field, upright.
        named: (rows, cols) what its cells show, -1 for floor.
        doubted: (rows, cols) whether that is doubted.
    """
    rivals = [k for k in (1, 2, 3) if field.ways[0] - field.ways[k] < LIMITS.known_way] if has_insect(field) else []
    turned = [(np.rot90(named, k) != named) | np.rot90(doubted, k) for k in rivals]
    return np.asarray(np.any([np.zeros(named.shape, bool), *turned], axis=0))


def _doubt(
    names: list[list[str | None]],
    sure: float,
    state: np.ndarray,
    cell: tuple[int, int],
    centre: np.ndarray,
    size: tuple[int, int],
) -> str | None:
    """Why a cell cannot be stated; None when it can."""
    if not (0 <= centre[0] < size[0] and 0 <= centre[1] < size[1]):
        return "the picture does not show it"
    if state[OTHER] > max(state[EMPTY], state[INSECT]):
        return "something covers it"
    name = names[cell[0]][cell[1]]
    if sure < (LIMITS.sure_insect if name is not None else LIMITS.sure_empty):
        return "it cannot be told whether it is empty" if name is None else "what lies there cannot be read for certain"
    if name in _SECOND and sure < LIMITS.lone_half and not _has_second(names, cell, name):
        return f"half a {name} shows there, or something else"
    return None


def _has_second(names: list[list[str | None]], cell: tuple[int, int], name: str) -> bool:
    """Whether the insect's other half may be beside it; a doubted neighbour may be it."""
    rows, cols = len(names), len(names[0])
    neighbours = [(cell[0] + dr, cell[1] + dc) for dr, dc in _SECOND[name]]
    return any(0 <= r < rows and 0 <= c < cols and names[r][c] == name for r, c in neighbours)


def _centres(corners: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """The cells' middles in the picture (rows, cols, 2)."""
    y, x = np.mgrid[0:rows, 0:cols]
    unit = np.stack([(x + 0.5) * 2 / cols - 1, (y + 0.5) * 2 / rows - 1], -1)
    return mapped(homography(corners), unit)
