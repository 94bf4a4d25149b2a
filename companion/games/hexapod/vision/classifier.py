"""What lies in the cells of a rectified case or card: a network's answers, cell by cell, and the insects' names.

The network (`models/hexapod/insect_classifier`) sees the whole field at 24 pixels a cell with one cell around it,
turned anyhow. For every cell it says whether floor, an insect or something else shows, which kind of the described
ones, which way is up, a likeness: a unit vector by which drawings never seen are told apart, and how far beside the
cell's middle lies what it shows: the field is not quite where it was found, or the card lies on a stack.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.classification.discriminant import Discriminant
from companion.vision.geometry.shapes import side_px
from companion.vision.image.pyramid import Pyramid, warp
from companion.vision.networks import Network, logistic, softmax

CELL_PX = 24
MARGIN = 1
KINDS = ("blue", "green", "gold", "dung", "leaf", "stag", "moth", "spider")
EMPTY, INSECT, OTHER = range(3)
STATE, KIND, UP, LIKENESS, BESIDE = slice(0, 3), slice(3, 11), slice(11, 15), slice(15, 47), slice(47, 49)
"""The network's planes: the state's logits, the kinds', which quarter turn the insect's head lies at, the likeness, and
how far beside the cell's middle it lies."""
_LEAST = 1e-6
_TINT = 0.6
"""No light is taken to be so coloured that one of its channels is less than this share of another."""
NEIGHBOUR_SCALE = 5.0
"""What training multiplies the last with."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A field's cells as the network sees them.

    Attributes:
        state: (rows, cols, 3) probabilities of floor, an insect, something else.
        kind: (rows, cols, 8) probabilities of `KINDS`, were it an insect.
        up: (rows, cols, 4) probabilities that the head is at the top, right, bottom, left, were it an insect.
        likeness: (rows, cols, 32) unit vectors.
        offset: (rows, cols, 2) how far to the right and down what shows lies beside the cell's middle, in cells.
    """

    state: np.ndarray
    kind: np.ndarray
    up: np.ndarray
    likeness: np.ndarray
    offset: np.ndarray


def views(pyramid: Pyramid, quads: Sequence[np.ndarray], rows: int, cols: int) -> np.ndarray:
    """Fields of one size as the network takes them: (N, 3, H, W) float32.

    Args:
        pyramid: the picture.
        quads: (4, 2) corners, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
    """
    pictures = [rectify_field(pyramid, quad, rows, cols) for quad in quads]
    return np.stack([prepared(picture) for picture in pictures])


def rectify_field(pyramid: Pyramid, corners: np.ndarray, rows: int, cols: int, margin: int = MARGIN) -> np.ndarray:
    """A field of cells seen from above, `CELL_PX` a cell: uint8 (h, w, 3).

    Args:
        pyramid: the picture.
        corners: (4, 2) of the field, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
        margin: how many cells around the field are shown too.
    """
    square = (np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]]) + margin) * CELL_PX - 0.5
    image_from_field = cv2.getPerspectiveTransform(square.astype(np.float32), np.asarray(corners, np.float32))
    size = (round((cols + 2 * margin) * CELL_PX), round((rows + 2 * margin) * CELL_PX))
    return warp(pyramid, image_from_field, size, 2 * side_px(corners) / (rows + cols) / CELL_PX)


def prepared(picture: np.ndarray) -> np.ndarray:
    """A straightened field, uint8 (H, W, 3), its bright parts brought to one level and nearly to white: (3, H, W).

    What is brightest, the cards mostly, is about white: so the light's tint is taken away, that of coloured things not
    altogether.
    """
    inner = picture[CELL_PX:-CELL_PX:2, CELL_PX:-CELL_PX:2].reshape(-1, 3)
    top = np.maximum(np.percentile(inner, 95, axis=0), 12.0)
    gains = 220.0 / np.maximum(top, _TINT * top.max())
    levelled = np.minimum(picture * (gains / 255).astype(np.float32), np.float32(1)) - np.float32(0.5)
    return np.ascontiguousarray(levelled.transpose(2, 0, 1))


def classify_cells(net: Network, fields: np.ndarray) -> tuple[Cells, ...]:
    """What the network says about fields (N, 3, H, W), without the cells around them."""
    if len(fields) == 0:
        return ()
    answers = np.asarray(net.forward(fields), np.float32)[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN].transpose(0, 2, 3, 1)
    return tuple(_cells(answer) for answer in answers)


def together(looks: Sequence[Cells]) -> Cells:
    """What several looks at one field say together; what one thinks impossible weighs heavily (geometric means)."""
    state, kind, up = (
        softmax(np.mean([np.log(np.maximum(getattr(one, part), _LEAST)) for one in looks], axis=0))
        for part in ("state", "kind", "up")
    )
    likeness = np.mean([one.likeness for one in looks], axis=0)
    length = np.maximum(np.linalg.norm(likeness, axis=-1, keepdims=True), _LEAST)
    return Cells(state, kind, up, likeness / length, np.mean([one.offset for one in looks], axis=0))


def _cells(planes: np.ndarray) -> Cells:
    likeness = planes[..., LIKENESS]
    length = np.maximum(np.linalg.norm(likeness, axis=-1, keepdims=True), _LEAST)
    state, kind, up = (softmax(planes[..., part]) for part in (STATE, KIND, UP))
    return Cells(state, kind, up, likeness / length, planes[..., BESIDE] / NEIGHBOUR_SCALE)


class InsectClassifier(Protocol):
    """Names what lies in the cells of a field.

    Attributes:
        rows: cells of a display case from top to bottom.
        cols: from left to right.
    """

    @property
    def rows(self) -> int:
        """See above."""

    @property
    def cols(self) -> int:
        """See above."""

    @property
    def must_stand(self) -> bool:
        """Whether a field is to be shown upright for its kinds to be named."""

    def kinds(self, cells: Cells) -> np.ndarray:
        """(rows, cols, 8) probabilities of `insects.KINDS` in cells that show an insect."""

    def fit(self, cells: Cells) -> float:
        """How well a field agrees with the printing as it is shown: greater where it stands upright."""


@dataclass(frozen=True, slots=True)
class PretrainedInsects:
    """The kinds as the cards are described, by whatever hand they are drawn."""

    rows: int = 5
    cols: int = 5
    must_stand: bool = False

    def kinds(self, cells: Cells) -> np.ndarray:
        """See `InsectClassifier`."""
        return cells.kind

    def fit(self, cells: Cells) -> float:
        """See `InsectClassifier`."""
        return float((cells.state[..., INSECT] * np.log(np.maximum(cells.up[..., 0], 1e-4))).sum())


@dataclass(frozen=True, slots=True, eq=False)
class FewShotInsects:
    """A printing that was learnt: an insect like its examples is of the kind that its discriminants say.

    Attributes:
        examples: (N, D) unit vectors.
        of_kind: (N,) index in `insects.KINDS` of each.
        parting: what tells the kinds apart.
        rows: see `InsectClassifier`.
        cols: see `InsectClassifier`.
    """

    examples: np.ndarray
    of_kind: np.ndarray
    discriminant: Discriminant
    rows: int = 5
    cols: int = 5
    must_stand: bool = True

    def kinds(self, cells: Cells) -> np.ndarray:
        """See `InsectClassifier`; what is missing to 1 is that it is none of those that were shown."""
        ambiguous_pairs = LIMITS.sharpness * cells.likeness @ self.examples.T
        is_shown = logistic(
            np.logaddexp.reduce(ambiguous_pairs, axis=-1, keepdims=True) - LIMITS.sharpness * LIMITS.none_at
        )
        out = np.zeros((*ambiguous_pairs.shape[:2], len(KINDS)), np.float32)
        shown = [KINDS.index(kind) for kind in self.discriminant.kinds]
        out[..., shown] = softmax(LIMITS.discriminant_share * self.discriminant.logits(cells.likeness))
        return np.asarray(out * is_shown)

    def fit(self, cells: Cells) -> float:
        """See `InsectClassifier`."""
        ambiguous_pairs = LIMITS.standing_sharpness * cells.likeness @ self.examples.T
        to_kinds = [
            np.logaddexp.reduce(ambiguous_pairs[..., self.of_kind == k], axis=-1) for k in np.unique(self.of_kind)
        ]
        return float((cells.state[..., INSECT] * np.max(to_kinds, axis=0)).sum()) + PretrainedInsects().fit(cells)
