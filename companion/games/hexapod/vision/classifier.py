"""What lies in the cells of a rectified case or card: a network's answers, cell by cell, and the insects' names.

The network (`models/hexapod/insect_classifier`) sees the whole field at 24 pixels a cell with one cell around it,
turned anyhow. For every cell it says whether floor, an insect or something else shows, which kind of the described
ones, which way is up, an embedding: a unit vector by which drawings never seen are told apart, and how far beside the
cell's middle lies what it shows: the field is not quite where it was found, or the card lies on a stack.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FAINT
from companion.vision.geometry import side_px
from companion.vision.image.pyramid import Pyramid, percentile, warp
from companion.vision.networks import Network, logistic, picture_planes, softmax

NETWORK = "hexapod/insect_classifier/weights.onnx"
CELL_PX = 24
MARGIN = 1
KINDS = ("blue", "green", "gold", "dung", "leaf", "stag", "moth", "spider")
EMPTY, INSECT, OTHER = range(3)
STATE, KIND, UP, EMBEDDING, OFFSET = slice(0, 3), slice(3, 11), slice(11, 15), slice(15, 47), slice(47, 49)
"""The network's planes: logits of the state, of the kind and of the quarter turn at which the head lies; the embedding;
the offset from the cell's middle."""
EMBEDDED = EMBEDDING.stop - EMBEDDING.start
_LEAST = 1e-6
_SHRINKAGE = 0.5
"""How far the scatter is taken to be alike in all directions: a photograph shows some directions of it only (Ledoit and
Wolf 2004 say why to shrink at all; between 0.3 and 0.6 nothing changed)."""
_TINT = 0.6
"""White balance: the lowest channel of the light is at least this share of the highest."""
_LEVELS = np.arange(256, dtype=np.float32)
_MIDDLE, _DARK = slice(5, 19), 8.0
"""Of a cell's `CELL_PX` pixels, those whose colours are compared; what is added to levels of 255 before: noise in the
dark has no colour."""
_AROUND_PX = 4.0
"""The standard deviation of the Gaussian around a pixel that its tone is compared with."""
OFFSET_SCALE = 5.0
"""What training multiplies offsets with."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The network's answer for a field's cells.

    Attributes:
        state: (rows, cols, 3) probabilities of floor, an insect, something else.
        kind: (rows, cols, 8) probabilities of `KINDS`, were it an insect.
        up: (rows, cols, 4) probabilities that the head is at the top, right, bottom, left, were it an insect.
        embedding: (rows, cols, 32) unit vectors.
        offset: (rows, cols, 2) to the right and down of the cell's middle, in cells.
    """

    state: NDArray[np.float32]
    kind: NDArray[np.float32]
    up: NDArray[np.float32]
    embedding: NDArray[np.float32]
    offset: NDArray[np.float32]


def views(pyramid: Pyramid, quads: Sequence[NDArray[np.floating]], rows: int, cols: int) -> NDArray[np.float32]:
    """Fields of one size as the network takes them: (N, 3, H, W) float32.

    Args:
        quads: (4, 2) corners, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
    """
    pictures = [rectify_field(pyramid, quad, rows, cols) for quad in quads]
    return np.stack([prepared(picture) for picture in pictures])


def rectify_field(
    pyramid: Pyramid, corners: NDArray[np.floating], rows: int, cols: int, margin: int = MARGIN
) -> NDArray[np.uint8]:
    """A field of cells seen from above, `CELL_PX` a cell: uint8 (h, w, 3).

    Args:
        corners: (4, 2) of the field, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
        margin: how many cells around the field are shown too.
    """
    square = (np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]]) + margin) * CELL_PX - 0.5
    image_from_field = cv2.getPerspectiveTransform(square.astype(np.float32), np.asarray(corners, np.float32))
    size = (round((cols + 2 * margin) * CELL_PX), round((rows + 2 * margin) * CELL_PX))
    return warp(pyramid, image_from_field, size, 2 * side_px(corners) / (rows + cols) / CELL_PX)


def burnt_out_shares(picture: NDArray[np.uint8], *, in_every_channel: bool) -> NDArray[np.float64]:
    """The share of each cell's pixels (rows, cols) that light has burnt out, in every channel or in some.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
        in_every_channel: whether what is burnt out in some channels still shows.
    """
    is_burnt_out = picture >= LIMITS.burnt_out
    pixels = np.asarray(is_burnt_out.all(-1) if in_every_channel else is_burnt_out.any(-1))
    return np.asarray(_by_cell(pixels).mean((2, 3)))


def colour_ranges(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How far the colours in the middle of each cell (rows, cols) lie apart, whatever their brightness, as logarithms.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
    """
    middles = _by_cell(cv2.blur(picture, (3, 3)))[:, :, _MIDDLE, _MIDDLE]
    logs = np.log(middles.reshape(*middles.shape[:2], -1, 3).astype(np.float32) + _DARK)
    low, high = np.percentile(logs - logs.mean(-1, keepdims=True), (3, 97), axis=2)
    return np.asarray((high - low).max(-1), np.float64)


def darkest_channel(picture: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How bright the darkest channel in the middle of each cell (rows, cols) is, of 255, and how far it spreads.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
    """
    middles = _by_cell(picture.min(-1))[:, :, _MIDDLE, _MIDDLE]
    return np.asarray(middles.mean((2, 3)), np.float64), np.asarray(middles.std((2, 3)), np.float64)


def details(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How far tones in the middle of each cell (rows, cols) differ from those around, as logarithms.

    Args:
        picture: of a field alone, as `rectify_field` shows it.
    """
    logs = np.log(cv2.blur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (3, 3)).astype(np.float32) + _DARK)
    fine = logs - cv2.GaussianBlur(logs, (0, 0), _AROUND_PX)
    return np.asarray(_by_cell(fine)[:, :, _MIDDLE, _MIDDLE].std((2, 3)), np.float64)


def _by_cell(pixels: NDArray[Any]) -> NDArray[Any]:
    """A field's pixels (h, w, ...) by cell: (rows, cols, `CELL_PX`, `CELL_PX`, ...)."""
    rows, cols = pixels.shape[0] // CELL_PX, pixels.shape[1] // CELL_PX
    return pixels.reshape(rows, CELL_PX, cols, CELL_PX, *pixels.shape[2:]).swapaxes(1, 2)


def prepared(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A straightened field, uint8 (H, W, 3), its bright parts brought to one level and nearly to white: (3, H, W).

    What is brightest, the cards mostly, is about white: so the light's tint is taken away, that of coloured things not
    altogether.
    """
    inner = picture[CELL_PX:-CELL_PX:2, CELL_PX:-CELL_PX:2]
    top = np.array([max(percentile(inner[..., channel], 95), 12.0) for channel in range(3)])
    gains = (220.0 / np.maximum(top, _TINT * top.max()) / 255).astype(np.float32)
    return picture_planes(picture, np.minimum(_LEVELS * gains[:, None], np.float32(1)) - np.float32(0.5))


def classify_cells(net: Network, fields: NDArray[np.float32]) -> tuple[Cells, ...]:
    """What the network says about fields (N, 3, H, W), without the cells around them."""
    if len(fields) == 0:
        return ()
    answers = np.asarray(net.forward(fields), np.float32)[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN].transpose(0, 2, 3, 1)
    return tuple(_cells(answer) for answer in answers)


def fuse_passes(passes: Sequence[Cells]) -> Cells:
    """The average of several passes over one field: geometric means, so that one pass can veto a class."""
    state, kind, up = (
        softmax(np.mean([np.log(np.maximum(getattr(cells, part), _LEAST)) for cells in passes], axis=0))
        for part in ("state", "kind", "up")
    )
    embedding = np.mean([cells.embedding for cells in passes], axis=0)
    length = np.maximum(np.linalg.norm(embedding, axis=-1, keepdims=True), _LEAST)
    return Cells(state, kind, up, embedding / length, np.mean([cells.offset for cells in passes], axis=0))


def _cells(planes: NDArray[np.float32]) -> Cells:
    embedding = planes[..., EMBEDDING]
    length = np.maximum(np.linalg.norm(embedding, axis=-1, keepdims=True), _LEAST)
    state, kind, up = (softmax(planes[..., part]) for part in (STATE, KIND, UP))
    return Cells(state, kind, up, embedding / length, planes[..., OFFSET] / OFFSET_SCALE)


class InsectClassifier(Protocol):
    """Classifies the insects in the cells of a field.

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
    def needs_upright(self) -> bool:
        """Whether kinds are right only for an upright field."""

    def kinds(self, cells: Cells) -> NDArray[np.float32]:
        """(rows, cols, 8) probabilities of `KINDS` in cells that show an insect."""

    def fit(self, cells: Cells) -> float:
        """How well a field in this rotation fits the printing: highest when upright."""


@dataclass(frozen=True, slots=True)
class PretrainedInsects:
    """The classifier for any printing, by the rules' description of the insects."""

    rows: int = 5
    cols: int = 5
    needs_upright: bool = False

    def kinds(self, cells: Cells) -> NDArray[np.float32]:
        """See `InsectClassifier`."""
        return cells.kind

    def fit(self, cells: Cells) -> float:
        """See `InsectClassifier`."""
        return float((cells.state[..., INSECT] * np.log(np.maximum(cells.up[..., 0], 1e-4))).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """Fisher's linear discriminant of K kinds.

    It separates kinds that lie close together where the embeddings of each hardly scatter that way.

    Attributes:
        kinds: the K kinds' names.
        weights: (K, D) float32.
        offsets: (K,) float32.
    """

    kinds: tuple[str, ...]
    weights: NDArray[np.float32]
    offsets: NDArray[np.float32]

    def logits(self, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
        """The logits (..., K) of embeddings (..., D)."""
        return np.asarray(vectors @ self.weights.T + self.offsets)


def fit_discriminant(vectors: NDArray[np.floating], kinds: Sequence[str]) -> Discriminant:
    """Fit the discriminant of some kinds, each as likely as the others.

    Args:
        vectors: (N, D) embeddings, several of each photograph.
        kinds: the kind of each.
    """
    names, of_kind = np.unique(np.asarray(kinds), return_inverse=True)
    means = np.stack([vectors[of_kind == k].mean(0) for k in range(len(names))])
    off = [vectors[of_kind == k] - means[k] for k in range(len(names))]
    scatter = np.mean([one.T @ one / len(one) for one in off], axis=0)
    dims = vectors.shape[1]
    even = max(float(np.trace(scatter)) / dims, _LEAST)
    weights = np.linalg.solve((1 - _SHRINKAGE) * scatter + _SHRINKAGE * even * np.eye(dims), means.T).T
    offsets = -0.5 * (means * weights).sum(1)
    return Discriminant(tuple(names.tolist()), weights.astype(np.float32), offsets.astype(np.float32))


def _similarity_plus_margin(
    in_full: NDArray[np.float32], in_pale: NDArray[np.float32], named: NDArray[np.intp]
) -> NDArray[np.float32]:
    """How like the examples of their kind insects are, and how much more than those of any other (...).

    What is not pale itself is less near to other kinds in pale colours than it is like them.

    Args:
        in_full: (..., K) the highest similarity to an example of each kind as it was photographed, or in haze.
        in_pale: (..., K) to one in pale colours.
        named: (...) the kind.
    """
    full, pale = (np.take_along_axis(one, named[..., None], -1) for one in (in_full, in_pale))
    alike = np.maximum(in_full, in_pale - (pale <= full) * np.float32(LIMITS.paler))
    others = np.where(np.arange(in_full.shape[-1]) == named[..., None], -1.0, alike).max(-1)
    return np.asarray(2 * np.maximum(full, pale)[..., 0] - others)


def _are_foreign(
    insects: Sequence[NDArray[np.float32]], examples: NDArray[np.float32], of_kind: NDArray[np.int64]
) -> bool:
    """See `FewShotInsects.is_foreign`.

    Args:
        insects: each field's embeddings (N, D).
        examples: (M, D).
        of_kind: (M,) that of each.
    """
    similarities = [some @ examples.T for some in insects if len(some)]
    own = [some for some in similarities if some.max() >= LIMITS.own_similarity]
    for some in (own, similarities):
        if sum(map(len, some)) >= LIMITS.least_insects:
            every = np.concatenate(some)
            nearest, kinds = every.max(-1), of_kind[every.argmax(-1)]
            of_kinds = [np.median(nearest[kinds == kind]) for kind in np.unique(kinds)]
            return bool(np.median(of_kinds) < LIMITS.foreign and np.percentile(nearest, 25) < LIMITS.foreign_quarter)
    return False


PALE = 3
"""The number of the light in which examples are shown in paler colours."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnedExamples:
    """What taught insects look like in all four rotations.

    Attributes:
        embeddings: (4, N, D) unit vectors of N insects: upright, and in fields begun one, two, three corners later.
        head_shares: (N,) 0..1, how surely the network sees the heads of such insects where they are.
    """

    embeddings: NDArray[np.float32] = field(default_factory=lambda: np.zeros((4, 0, EMBEDDED), np.float32))
    head_shares: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def log_upright(self, cells: Cells) -> NDArray[np.float32]:
        """The log probability (rows, cols) that the insect in each cell is upright: it looks more like upright examples
        than like turned ones, and its head is at the top, where heads of its like are seen at all.
        """
        by_look, share = np.float32(0), np.float32(LIMITS.surest_head)
        if len(self.head_shares):
            similarities = LIMITS.rotation_sharpness * (cells.embedding @ self.embeddings.transpose(0, 2, 1)[:, None])
            nearest = similarities.max(-1)
            by_look = nearest[0] - np.logaddexp.reduce(nearest, axis=0)
            share = np.minimum(self.head_shares[similarities[0].argmax(-1)], share)
        return np.asarray(by_look + np.log(share * cells.up[..., 0] + (1 - share) / cells.up.shape[-1]), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class FewShotInsects:
    """The classifier of a taught printing: insects similar to its examples get the kind of the discriminant.

    Attributes:
        examples: (N, D) unit vectors.
        of_kind: (N,) index in `KINDS` of each.
        discriminant: of the kinds.
        tint: see `Profile`.
        is_read_without_colour: whether what was taught is named all the same in grey: by its figures. It is worked out
            when first asked.
        rows: see `InsectClassifier`.
        cols: see `InsectClassifier`.
        of_veil: (N,) the number of the light in which each example is shown; none where all are 0, as photographed.
        faint: how colourful the cards are where their colours hardly show; worked out when first asked.
        turned: its insects in all rotations; worked out when first asked.
    """

    examples: NDArray[np.float32]
    of_kind: NDArray[np.int64]
    discriminant: Discriminant
    tint: NDArray[np.float32]
    is_read_without_colour: Callable[[], bool]
    rows: int = 5
    cols: int = 5
    needs_upright: bool = True
    of_veil: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    faint: Callable[[], float] = lambda: FAINT
    turned: Callable[[], TurnedExamples] = TurnedExamples

    def kinds(self, cells: Cells) -> NDArray[np.float32]:
        """See `InsectClassifier`; they add up to the probability that the insect is one of the taught ones."""
        similarities = cells.embedding @ self.examples.T
        logits = LIMITS.sharpness * similarities
        none_at = LIMITS.none_of_all if self._is_of_whole_deck(cells, similarities) else LIMITS.none_at
        is_taught = logistic(np.logaddexp.reduce(logits, axis=-1, keepdims=True) - LIMITS.sharpness * none_at)
        kinds = np.zeros((*logits.shape[:2], len(KINDS)), np.float32)
        taught = [KINDS.index(kind) for kind in self.discriminant.kinds]
        is_pale = self._lights == PALE
        in_full, in_pale = (
            np.stack([similarities[..., (self.of_kind == kind) & some].max(-1, initial=-1.0) for kind in taught], -1)
            for some in (~is_pale, is_pale)
        )
        nearest = np.maximum(in_full, in_pale)
        discriminants = self.discriminant.logits(cells.embedding)
        kinds[..., taught] = softmax(LIMITS.discriminant_scale * discriminants + LIMITS.similarity_scale * nearest)
        kinds *= is_taught
        is_plain = _similarity_plus_margin(in_full, in_pale, kinds[..., taught].argmax(-1)) >= LIMITS.plainly_alike
        return np.where(is_plain[..., None], kinds, np.minimum(kinds, LIMITS.hardly_alike))

    def similarity(self, embeddings: NDArray[np.floating], kind: int) -> NDArray[np.float32]:
        """How like the nearest example of a kind, an index in `KINDS`, insects are (N,), by their embeddings (N, D)."""
        return np.asarray((embeddings @ self.examples[self.of_kind == kind].T).max(-1, initial=-1.0))

    @property
    def _lights(self) -> NDArray[np.intp]:
        """The number of each example's light (N,)."""
        return self.of_veil if len(self.of_veil) else np.zeros(len(self.examples), np.intp)

    def _is_of_whole_deck(self, cells: Cells, similarities: NDArray[np.float32]) -> bool:
        """Whether every kind was taught, and a field shows one of them plainly: its other insects are of them too."""
        plain = cells.state[..., INSECT] > LIMITS.plain_cell
        return set(self.discriminant.kinds) == set(KINDS) and bool(
            similarities[plain].max(initial=-1.0) >= LIMITS.own_similarity
        )

    def is_foreign(self, fields: Sequence[Cells]) -> bool:
        """Whether fields show another printing's insects: those of most kinds are like no example of any light.

        A lamp that lay on one kind where it was taught, or lies on one here, makes no other deck, nor does a little
        blur.
        Fields of which no insect is like an example, tiles of a floor perhaps, say nothing beside others that are.
        """
        insects = [cells.embedding[cells.state[..., INSECT] > LIMITS.plain_cell] for cells in fields]
        return all(
            _are_foreign(insects, self.examples[self._lights == light], self.of_kind[self._lights == light])
            for light in np.unique(self._lights)
            if light != PALE  # in pale colours decks look more like each other
        )

    def fit(self, cells: Cells) -> float:
        """See `InsectClassifier`."""
        return float((cells.state[..., INSECT] * self.turned().log_upright(cells)).sum())
