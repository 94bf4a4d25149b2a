"""What of a Hexapod field may be stated as fact, and what is doubted: thresholds and the insects' build."""

from dataclasses import replace

import numpy as np

from companion.games.hexapod.vision.cell_crops import EMPTY, INSECT, KINDS, OTHER
from companion.games.hexapod.vision.classifier import InsectNamer
from companion.games.hexapod.vision.orientation import KNOWN_WAY, Upright
from companion.games.hexapod.vision.outlines import THERE
from companion.games.hexapod.vision.results import SeenField
from companion.vision.detection.detector import Detection
from companion.vision.geometry.shapes import homography, mapped
from companion.vision.results import Warned

SURE, SURE_EMPTY = 0.9, 0.6
"""An insect's cell less certain than the first is doubted, an empty one less certain than the second."""
PLAIN, BARE, HIDDEN = 0.45, 0.65, 0.2
"""A case whose cells show floor or an insect less surely than this, taken together, is none or cannot be read; the
second holds where no insects show, the third where the case is certain."""
UNMISTAKABLE = 0.9
"""A case whose cells show as surely as this, taken together, is not held for cards; cards held for cases had 0.7."""
CERTAIN = 0.98
"""A case found at least so surely may be all but under a hand: of some 900 finds, no false one was."""
UNREAD = 0.7
"""A loose card of which nothing can be read is told when it was found at least so surely."""
SHAKY, PLAIN_CELL = 0.9, 0.95
"""In a field whose cells are less certain than the first, taken together, only cells plainer than the second are told:
the field may not lie where it was found."""
ASIDE = 0.14
"""An insect seen further than this beside the middle of its cell, in cells, lies on a card that lies askew, or high on
a stack; measured, 1 of 100 that lie as they should are."""
LONE = 0.97
"""Half of an insect without its other half is stated only when it is seen so surely."""
_WHICH_WAY = "which way up it lies is not certain"
_SECOND = {"stag": ((1, 0), (-1, 0)), "moth": ((0, 1), (0, -1)), "spider": ((0, 1), (0, -1), (1, 0), (-1, 0))}


def is_case(field: Upright) -> bool:
    """Whether cells show on what was found as a case, floor or insects, not the back of a card or a cloth."""
    plainness = _plainness(field)
    if field.quad.confidence >= CERTAIN:
        return plainness > HIDDEN
    insects = int((field.cells.state.argmax(-1) == INSECT).sum())
    return plainness > (PLAIN if insects >= 2 else BARE)


def is_plainly_case(field: Upright) -> bool:
    """Whether every cell of a case shows so plainly that it cannot be a card, or some in a row, taken for one."""
    return _plainness(field) > UNMISTAKABLE


def _plainness(field: Upright) -> float:
    """How surely a field's cells show floor or an insect, taken together."""
    state = field.cells.state
    return float(np.maximum(state[..., EMPTY], state[..., INSECT]).mean())


def is_card(field: Upright) -> bool:
    """Whether insects show on what was found as a loose card, not a back or a pattern; an outline that is hardly one is
    a card only where they show plainly."""
    insect = field.cells.state[..., INSECT]
    if field.quad.confidence < THERE:
        return bool(insect.min() > PLAIN_CELL)
    return bool((insect > 0.6).sum() >= 2 and insect.mean() > 0.45)


def as_sure_as_others(card: Upright) -> Upright:
    """A loose card that insects show to be one, however unsure its outline was."""
    return replace(card, quad=Detection(card.quad.corners, max(card.quad.confidence, THERE)))


def is_worth_telling(card: SeenField) -> bool:
    """Whether a loose card is told: something on it was read, or it was found so surely that people should hear."""
    return card.presence >= UNREAD or not all(map(all, card.doubt))


def is_told(field: Upright) -> bool:
    """Whether an insect shows, so that there is a way up to tell."""
    return bool((field.cells.state.argmax(-1) == INSECT).any())


def judged(
    field: Upright, namer: InsectNamer, size: tuple[int, int], odd: np.ndarray | None = None, *, is_case: bool
) -> tuple[SeenField, list[Warned]]:
    """State what is sure of a field and doubt the rest.

    Args:
        field: the field, upright.
        namer: what names its insects.
        size: width and height of the picture.
        odd: (rows, cols) insects unlike the others of their kind; None where that was not asked.
        is_case: whether it is a case; else it is a loose card, which has no empty cells.
    """
    state, kinds = field.cells.state, namer.kinds(field.cells)
    named = kinds.argmax(-1)
    empty = (state[..., EMPTY] >= state[..., INSECT]) & np.bool_(is_case)
    sure = np.where(empty, state[..., EMPTY], state[..., INSECT] * kinds.max(-1))
    rows, cols = sure.shape
    names: list[list[str | None]] = [
        [None if empty[r, c] else KINDS[named[r, c]] for c in range(cols)] for r in range(rows)
    ]
    centres = _centres(field.quad.corners, rows, cols)
    others = _doubts_beside(field, sure, empty, odd)
    reasons = np.full((rows, cols), None, object)
    for cell in np.ndindex(rows, cols):
        reason = _doubt(names, float(sure[cell]), state[cell], cell, centres[cell], size)
        reasons[cell] = reason or next((why for where, why in others if where[cell]), None)
    doubted = reasons.astype(bool)
    reasons[_other_if_turned(field, np.where(empty, -1, named), doubted) & ~doubted] = _WHICH_WAY
    doubt, what = reasons.astype(bool), "a cell" if is_case else "a loose card's cell"
    warnings = [
        Warned("unsure", f"{what}: {reason}", (float(x), float(y)))
        for reason, (x, y) in zip(reasons[doubt], centres[doubt], strict=True)
    ]
    stated = sure[~doubt]
    seen = SeenField(
        field.quad.corners,
        tuple(tuple(None if doubt[r, c] else name for c, name in enumerate(row)) for r, row in enumerate(names)),
        tuple(tuple(bool(d) for d in row) for row in doubt),
        field.quad.confidence * (float(stated.min()) if len(stated) else 0.5),
        is_case,
        field.lead >= KNOWN_WAY and is_told(field),
        field.quad.confidence,
    )
    return seen, warnings


def _doubts_beside(
    field: Upright, sure: np.ndarray, empty: np.ndarray, odd: np.ndarray | None
) -> list[tuple[np.ndarray, str]]:
    """Where (rows, cols) cells that are plain by themselves are doubted for what is seen beside them, and why."""
    state = field.cells.state
    seen_cells = sure[state[..., OTHER] < np.maximum(state[..., EMPTY], state[..., INSECT])]
    is_shaky = len(seen_cells) > 0 and float(seen_cells.mean()) < SHAKY
    is_aside = np.linalg.norm(field.cells.beside, axis=-1) > ASIDE
    is_odd = np.zeros_like(empty) if odd is None else odd
    return [
        (is_odd & ~empty & (sure < PLAIN_CELL), "it looks unlike the others of its kind"),
        (is_aside & ~empty, "it lies beside the middle of its cell, askew perhaps"),
        (is_shaky & (sure < PLAIN_CELL), "so much beside it is doubtful that it is too"),
    ]


def _other_if_turned(field: Upright, named: np.ndarray, doubted: np.ndarray) -> np.ndarray:
    """Where a cell might show something else, were the field turned another way that is about as likely.

    Args:
        field: the field, upright.
        named: (rows, cols) what its cells show, -1 for floor.
        doubted: (rows, cols) whether that is doubted.
    """
    rivals = [k for k in (1, 2, 3) if field.ways[0] - field.ways[k] < KNOWN_WAY] if is_told(field) else []
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
    if sure < (SURE if name is not None else SURE_EMPTY):
        return "it cannot be told whether it is empty" if name is None else "what lies there cannot be read for certain"
    if name in _SECOND and sure < LONE and not _has_second(names, cell, name):
        return f"half a {name} shows there, or something else"
    return None


def _has_second(names: list[list[str | None]], cell: tuple[int, int], name: str) -> bool:
    """Whether the insect's other half may be beside it; a doubted neighbour may be it."""
    rows, cols = len(names), len(names[0])
    beside = [(cell[0] + dr, cell[1] + dc) for dr, dc in _SECOND[name]]
    return any(0 <= r < rows and 0 <= c < cols and names[r][c] == name for r, c in beside)


def _centres(corners: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """The cells' middles in the picture (rows, cols, 2)."""
    y, x = np.mgrid[0:rows, 0:cols]
    unit = np.stack([(x + 0.5) * 2 / cols - 1, (y + 0.5) * 2 / rows - 1], -1)
    return mapped(homography(corners), unit)
