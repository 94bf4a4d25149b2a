"""Learning a Hexapod printing: photographs of display cases, labelled, in; a profile out.

A kind's examples are what the likeness network (`models/hexapod/insect_classifier`) answers for the cells that show it.
What tells the kinds apart is learnt from many variants of the photographs.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from companion.errors import UsageError
from companion.games.hexapod.vision.augmentation import variants
from companion.games.hexapod.vision.classifier import (
    CELL_PX,
    EMPTY,
    INSECT,
    KINDS,
    OTHER,
    Cells,
    FewShotInsects,
    classify_cells,
    rectify_field,
    together,
    views,
)
from companion.games.hexapod.vision.detector import detect_fields
from companion.games.hexapod.vision.outlines import detect_cases
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.classification.discriminant import Discriminant, fit_discriminant
from companion.vision.detection.detector import corners_of
from companion.vision.enrolment.labels import label_of, outlines_of
from companion.vision.enrolment.profile import Profile, expected_doubts
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

Grid = Sequence[Sequence[str | None]]
_Example = tuple[np.ndarray, str]
"""A likeness and the kind whose it is."""

_NUDGES = ((0.0, 0.0), (0.012, 0.008), (-0.01, 0.012), (0.008, -0.012), (-0.012, -0.008))
"""Shares of a field by which it is cut askew: a learnt likeness must not hang on exact corners."""
_NETWORK = "hexapod/insect_classifier/weights.onnx"
_AT_ONCE = 10
"""Variants that the network is shown together."""
_LARGEST_CASE = 20
"""Rows and columns of a display case, at most: what a profile may say."""


@dataclass(frozen=True, slots=True, eq=False)
class InsectProfile(Profile):
    """What was learnt of a printing.

    Attributes:
        rows: cells of a display case from top to bottom.
        cols: from left to right.
        examples: (N, D) float32 unit vectors.
        kinds: the kind of each.
        parted: the kinds that a discriminant tells apart.
        weights: its weights (K, D) float32.
        offsets: its offsets (K,) float32.
        burnt_out: the share of the photographs' insects' cells that light has burnt out to white.
    """

    GAME: ClassVar[str] = "hexapod"
    VERSION: ClassVar[int] = 4
    rows: int
    cols: int
    examples: np.ndarray
    kinds: tuple[str, ...]
    parted: tuple[str, ...]
    weights: np.ndarray
    offsets: np.ndarray
    burnt_out: float = 0.0

    def summary(self) -> str:
        """What was learnt, for people."""
        shown = [kind for kind in KINDS if kind in self.kinds]
        missing = [kind for kind in KINDS if kind not in self.kinds]
        lacking = f" (not shown: {', '.join(missing)})" if missing else ""
        light = "; the photographs are burnt out, take them in less light" if self.is_burnt_out else ""
        return f"{', '.join(shown)} of {self.deck}{lacking}{expected_doubts(self.ambiguous_pairs)}{light}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        return (
            self.examples.ndim == 2
            and len(self.examples) == len(self.kinds)
            and set(self.parted) == set(self.kinds) <= set(KINDS)
            and 1 <= min(self.rows, self.cols) <= max(self.rows, self.cols) <= _LARGEST_CASE
            and self.weights.shape == (len(self.parted), self.examples.shape[1])
            and self.offsets.shape == (len(self.parted),)
        )

    @property
    def is_burnt_out(self) -> bool:
        """Whether so much is burnt out to white that insects hardly show."""
        return self.burnt_out > LIMITS.burnt_out

    @property
    def ambiguous_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of kinds that are hard to tell apart."""
        of = {kind: self.examples[[k == kind for k in self.kinds]] for kind in KINDS if kind in self.kinds}
        return tuple((a, b) for a, b in combinations(of, 2) if (of[a] @ of[b].T).max() > LIMITS.alike_kinds)

    def classifier(self) -> FewShotInsects:
        """What names insects of this printing."""
        of_kind = np.array([KINDS.index(kind) for kind in self.kinds])
        return FewShotInsects(
            self.examples, of_kind, Discriminant(self.parted, self.weights, self.offsets), self.rows, self.cols
        )


def learn_hexapod(
    deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]
) -> InsectProfile:
    """Learn from display cases that together show every kind.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``boards`` with ``cells`` and perhaps ``corners``, which may be
            rough; without them cases are taken from top to bottom and left to right.

    Raises:
        UsageError: the labels do not fit the pictures, or show too few kinds.
    """
    examples: list[_Example] = []
    again: list[_Example] = []
    burnt: list[float] = []
    size = (5, 5)
    for index, (name, picture) in enumerate(pictures):
        pyramid, boards = Pyramid.of(picture), _boards(name, label_of(name, index, labels))
        for board, quad in zip(boards, _outlines(name, pyramid, boards), strict=True):
            size = (len(board["cells"]), len(board["cells"][0]))
            corners = _upright(pyramid, quad, board["cells"], is_rough=bool(board.get("corners")))
            examples += _examples(pyramid, corners, board["cells"])
            again += _augmented(pyramid, corners, board["cells"])
            burnt.append(_burnt_out(pyramid, quad, board["cells"]))
    shown = {kind for _, kind in examples} & {kind for _, kind in again}
    if len(shown) < LIMITS.fewest_kinds:
        raise UsageError("the photographs show fewer than two kinds of insects", code="too-few-symbols")
    (vectors, kinds), (varied, of_varied) = (_of(shown, some) for some in (examples, again))
    told_apart = fit_discriminant(varied, of_varied)
    return InsectProfile(
        deck, *size, vectors, kinds, told_apart.kinds, told_apart.weights, told_apart.offsets, float(np.mean(burnt))
    )


def _of(kinds: Set[str], examples: Sequence[_Example]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The examples of some kinds: likenesses (N, D) float32, and the kind of each."""
    vectors, names = zip(*(one for one in examples if one[1] in kinds), strict=True)
    return np.stack(vectors).astype(np.float32), names


def _boards(name: str, label: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The labelled cases. Raises `UsageError` for cells that are no grid of kinds."""
    boards = list(label.get("boards") or [])
    for board in boards:
        cells = board.get("cells")
        is_grid = (
            isinstance(cells, list) and cells and all(isinstance(r, list) and len(r) == len(cells[0]) for r in cells)
        )
        if not is_grid or any(kind is not None and kind not in KINDS for row in cells for kind in row):
            raise UsageError(f"{name}: a case's cells are to be rows of kinds or null", code="labels-differ")
    return boards


def _outlines(name: str, pyramid: Pyramid, boards: Sequence[Mapping[str, Any]]) -> list[np.ndarray]:
    """The case (4, 2) that each label means, begun at its label's first corner where that has corners."""
    found = corners_of(detect_cases(pyramid, detect_fields(pyramid, LIMITS.hint), LIMITS.hint_when_told), 4)
    roughs = [np.asarray(board.get("corners") or [], np.float32) for board in boards]
    seen = found if all(map(len, roughs)) else found[: len(boards)]
    outlines = outlines_of(name, seen, boards)
    return [_begun_at(quad, rough) if len(rough) == 4 else quad for quad, rough in zip(outlines, roughs, strict=True)]


def _begun_at(quad: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """The quad (4, 2), begun at the corner nearest to the first of a rough one."""
    ways = [np.roll(quad, -turns, axis=0) for turns in range(4)]
    return min(ways, key=lambda way: float(np.linalg.norm(way - rough)))


def _upright(pyramid: Pyramid, quad: np.ndarray, cells: Grid, *, is_rough: bool) -> np.ndarray:
    """The case's corners (4, 2), the first at the top left as its labels say."""
    ways = [np.roll(quad, -turns, axis=0) for turns in range(4)]
    fits = [
        _fit(one, cells) for one in classify_cells(network(_NETWORK), views(pyramid, ways, len(cells), len(cells[0])))
    ]
    fits[0] += LIMITS.labelled_way if is_rough else 0.0
    return ways[int(np.argmax(fits))]


def _examples(pyramid: Pyramid, corners: np.ndarray, cells: Grid) -> list[_Example]:
    """An example for every labelled insect's cell that nothing covers."""
    side = np.linalg.norm(corners[1] - corners[0])
    shift_corners = [corners + np.array(nudge, np.float32) * side for nudge in _NUDGES]
    seen = classify_cells(network(_NETWORK), views(pyramid, shift_corners, len(cells), len(cells[0])))
    return _labelled(replace(seen[0], likeness=together(seen).likeness), cells)


def _augmented(pyramid: Pyramid, corners: np.ndarray, cells: Grid) -> list[_Example]:
    """Examples of the case as it may be met again."""
    rng, size = np.random.default_rng(0), (len(cells), len(cells[0]))
    return [
        example
        for _ in range(LIMITS.variants // _AT_ONCE)
        for seen in classify_cells(network(_NETWORK), variants(pyramid, corners, *size, _AT_ONCE, rng))
        for example in _labelled(seen, cells)
    ]


def _labelled(seen: Cells, cells: Grid) -> list[_Example]:
    """The likeness of each insect's cell that nothing covers."""
    is_open = seen.state[..., OTHER] < LIMITS.covered_cell
    return [
        (seen.likeness[r, c], kind)
        for r, row in enumerate(cells)
        for c, kind in enumerate(row)
        if kind is not None and is_open[r, c]
    ]


def _burnt_out(pyramid: Pyramid, quad: np.ndarray, cells: Grid) -> float:
    """The share of a case's insects' cells that light has burnt out to white; of an empty case's, all of it."""
    rows, cols = len(cells), len(cells[0])
    seen = rectify_field(pyramid, quad, rows, cols, 0).min(-1) >= LIMITS.white
    share = seen.reshape(rows, CELL_PX, cols, CELL_PX).mean((1, 3))
    shown = np.array([[kind is not None for kind in row] for row in cells])
    return float(share[shown].mean() if shown.any() else share.mean())


def _fit(seen: Cells, cells: Grid) -> float:
    """How well a way up agrees with the labels: floor where they say so, insects upright elsewhere."""
    shown = np.array([[kind is not None for kind in row] for row in cells])
    state = np.where(shown, seen.state[..., INSECT], seen.state[..., EMPTY])
    up = np.where(shown, seen.up[..., 0], 1.0)
    return float(np.log(np.maximum(state, 1e-3)).sum() + np.log(np.maximum(up, 1e-2)).sum())
