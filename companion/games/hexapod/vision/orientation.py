"""Classifies the cells of display cases and cards, and orients each field so that the insects' heads are at the top."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import (
    EMPTY,
    INSECT,
    KINDS,
    NETWORK,
    OTHER,
    Cells,
    InsectClassifier,
    classify_cells,
    fuse_passes,
    views,
)
from companion.games.hexapod.vision.detector import shift_corners
from companion.games.hexapod.vision.results import DetectedField
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection
from companion.vision.geometry import SQUARE, fit_robust_homography, homography, mapped
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

_JITTERS = (
    (0.08, 0.05, 0),
    (-0.06, 0.08, 0.03),
    (0.05, -0.08, -0.03),
    (-0.08, -0.05, 0),
    (0, 0, 0.06),
    (0, 0, -0.06),
)
"""Test-time augmentation: how far to the right, down and wider, in cells, each further crop is."""
_LEAST = 1e-4
_HEAD_VOTES = np.array([1 / {"stag": 2, "moth": 2, "spider": 4}.get(kind, 1) for kind in KINDS])
"""The weight of a cell's vote for a rotation, by its kind: each insect votes once, however many cells it covers."""


@dataclass(frozen=True, slots=True, eq=False)
class OrientedField:
    """A field, rotated so that its top is up.

    Attributes:
        quad: its corners, the first at the top left.
        cells: what the network answers for them.
        rotation_logits: (4,) of this rotation, and of those that begin one, two, three corners later.
        contested: (rows, cols) where some shifted crop shows another kind of insect; None where none was looked at.
    """

    quad: Detection
    cells: Cells
    rotation_logits: NDArray[np.floating]
    contested: NDArray[np.bool_] | None = None

    @property
    def margin(self) -> float:
        """The logit of this rotation less that of the next best; near 0 where nothing tells them apart."""
        return float(self.rotation_logits[0] - self.rotation_logits[1:].max())

    @property
    def upwards(self) -> NDArray[np.float64]:
        """The unit vector (2,) in the picture that points to the top."""
        return _upwards(self.quad)


def _upwards(quad: Detection) -> NDArray[np.float64]:
    a, b, c, d = quad.corners
    direction = (a + b - c - d).astype(np.float64)
    return np.asarray(direction / np.linalg.norm(direction))


def classify_fields(
    pyramid: Pyramid, quads: Sequence[Detection], rows: int, cols: int, classifier: InsectClassifier
) -> list[OrientedField]:
    """Classify the cells of fields of one size, and orient the fields.

    Args:
        quads: the fields, begun at any corner.
        rows: cells from top to bottom.
        cols: cells from left to right.
        classifier: of the insects; one that needs them upright is run on all four rotations.
    """
    fields = _orient(pyramid, quads, rows, cols, classifier)
    moved = {k: quad for k, field in enumerate(fields) if (quad := _fit_to_cells(field)) is not None}
    for k, refined in zip(moved, _orient(pyramid, list(moved.values()), rows, cols, classifier), strict=True):
        if _log_clarity(refined.cells) > _log_clarity(fields[k].cells):
            fields[k] = refined
    return (
        _average_jittered_embeddings(pyramid, fields, classifier)
        if classifier.needs_upright
        else _average_rotations(pyramid, fields, classifier)
    )


def _orient(
    pyramid: Pyramid, quads: Sequence[Detection], rows: int, cols: int, classifier: InsectClassifier
) -> list[OrientedField]:
    """Fields classified where they were found, and oriented."""
    turns = range(4) if classifier.needs_upright else range(1) if rows == cols else range(2)
    rotated = [[_roll_corners(quad, turn) for turn in turns] for quad in quads]
    passes = _run_passes(pyramid, [[quad.corners for quad in rotations] for rotations in rotated], rows, cols)
    orient = _orient_by_printing if classifier.needs_upright else _orient_by_heads
    return [orient(list(zip(*pair, strict=True)), classifier) for pair in zip(rotated, passes, strict=True)]


def _run_passes(
    pyramid: Pyramid, crops: Sequence[Sequence[NDArray[np.floating]]], rows: int, cols: int
) -> list[list[Cells]]:
    """The network's answers for every crop (4, 2) of every field, in one batch."""
    quads = [quad for some in crops for quad in some]
    if not quads:
        return [[] for _ in crops]
    cells = iter(classify_cells(network(NETWORK), views(pyramid, quads, rows, cols)))
    return [[next(cells) for _ in some] for some in crops]


def _average_rotations(
    pyramid: Pyramid, fields: list[OrientedField], classifier: InsectClassifier
) -> list[OrientedField]:
    """Test-time augmentation: average the answers for all rotations of fields with an uncertain cell, and orient those
    fields by that: heads that look like tails one way up do not the other ways.
    """
    doubtful = [k for k, field in enumerate(fields) if _min_confidence(field.cells) < LIMITS.doubtful_cell]
    if not doubtful:
        return fields
    rows, cols = fields[0].cells.state.shape[:2]
    turns = (1, 2, 3) if rows == cols else (2,)
    crops = [[_roll_corners(fields[k].quad, turn).corners for turn in turns] for k in doubtful]
    averaged = list(fields)
    for k, passes in zip(doubtful, _run_passes(pyramid, crops, rows, cols), strict=True):
        field = fields[k]
        others = [rotate_cells(cells, -turn) for turn, cells in zip(turns, passes, strict=True)]
        averaged[k] = _orient_by_heads([(field.quad, fuse_passes([field.cells, *others]))], classifier)
    return averaged


def _average_jittered_embeddings(
    pyramid: Pyramid, fields: list[OrientedField], classifier: InsectClassifier
) -> list[OrientedField]:
    """Test-time augmentation: average the embeddings of jittered crops of fields with an uncertain kind."""
    doubtful = [
        k for k, field in enumerate(fields) if _min_kind_confidence(field.cells, classifier) < LIMITS.plain_name
    ]
    if not doubtful:
        return fields
    rows, cols = fields[0].cells.state.shape[:2]
    crops = [[_jittered_corners(fields[k].quad.corners, rows, cols, *margin) for margin in _JITTERS] for k in doubtful]
    averaged = list(fields)
    for k, passes in zip(doubtful, _run_passes(pyramid, crops, rows, cols), strict=True):
        averaged[k] = _with_embeddings(fields[k], [fields[k].cells, *passes], classifier)
    return averaged


def _with_embeddings(field: OrientedField, passes: Sequence[Cells], classifier: InsectClassifier) -> OrientedField:
    """The field with the average of the embeddings of several crops."""
    cells = replace(field.cells, embedding=fuse_passes(passes).embedding)
    kinds = classifier.kinds(cells).argmax(-1)
    contested = np.any([classifier.kinds(one).argmax(-1) != kinds for one in passes], axis=0)
    return replace(field, cells=cells, contested=np.asarray(contested))


def _min_kind_confidence(cells: Cells, classifier: InsectClassifier) -> float:
    """The lowest confidence in an insect's kind; 1 without insects."""
    confidences = classifier.kinds(cells).max(-1)[cells.state.argmax(-1) == INSECT]
    return float(confidences.min(initial=1.0))


def _jittered_corners(
    corners: NDArray[np.floating], rows: int, cols: int, right: float, down: float, wider: float
) -> NDArray[np.float32]:
    """A field's corners (4, 2), shifted and spread by so many cells."""
    steps = np.stack([(corners[1] - corners[0]) / cols, (corners[3] - corners[0]) / rows])
    return np.asarray(corners + ([right, down] + SQUARE.unit * wider / 2) @ steps, np.float32)


def _min_confidence(cells: Cells) -> float:
    """The confidence of the most uncertain cell."""
    insect = cells.state[..., INSECT] * cells.kind.max(-1)
    return float(np.maximum(np.maximum(cells.state[..., EMPTY], cells.state[..., OTHER]), insect).min())


def _fit_to_cells(field: OrientedField) -> Detection | None:
    """The field moved to fit its cells' offsets; None where that is about where it was found."""
    rows, cols = field.cells.state.shape[:2]
    centres = np.stack(np.meshgrid((np.arange(cols) + 0.5) * 2 / cols - 1, (np.arange(rows) + 0.5) * 2 / rows - 1), -1)
    measured = centres + field.cells.offset * 2 / np.array([cols, rows])
    weights = np.maximum(field.cells.state[..., EMPTY], field.cells.state[..., INSECT]) ** 2
    found_from_true = fit_robust_homography(centres.reshape(-1, 2), measured.reshape(-1, 2), weights.reshape(-1))
    if found_from_true is None:
        return None
    inside = mapped(found_from_true, SQUARE.unit)
    shift_cells = float(np.abs((inside - SQUARE.unit) * np.array([cols, rows]) / 2).max())
    if not LIMITS.awry < shift_cells < LIMITS.too_far:
        return None
    corners = mapped(homography(field.quad.corners), inside)
    return Detection(corners.astype(np.float32), field.quad.confidence)


def reclassify_fields(
    pyramid: Pyramid, field: DetectedField, classifier: InsectClassifier, *, may_have_moved: bool = True
) -> OrientedField:
    """A known field classified anew where it lies now; one of unknown rotation is oriented anew too."""
    quad = Detection(field.corners, field.presence)
    if may_have_moved:
        quad = shift_corners(pyramid, quad, is_case=field.is_case)
    rows, cols = len(field.cells), len(field.cells[0])
    if not field.is_upright:
        return classify_fields(pyramid, [quad], rows, cols, classifier)[0]
    (cells,) = classify_cells(network(NETWORK), views(pyramid, [quad.corners], rows, cols))
    known = OrientedField(quad, cells, np.array([LIMITS.known_way, 0.0, 0.0, 0.0]))
    return _average_jittered_embeddings(pyramid, [known], classifier)[0] if classifier.needs_upright else known


def align_with_others(
    field: OrientedField, directions: Sequence[NDArray[np.float64]], turns: Sequence[int]
) -> OrientedField:
    """Rotate a field with a small margin as its neighbours lie.

    Args:
        field: the field.
        directions: (2,) each, the upward unit vectors of surer fields.
        turns: by how many quarter turns a field may differ from its neighbours.
    """
    prior = np.zeros(4)
    for direction in directions:
        for turn in turns:
            k = int(np.argmax([np.dot(_upwards(_roll_corners(field.quad, k)), direction) for k in range(4)]))
            prior[(k + turn) % 4] = LIMITS.like_others
    logits = field.rotation_logits + prior
    return rotate_field(replace(field, rotation_logits=logits), int(logits.argmax()))


def rotate_field(field: OrientedField, turns: int) -> OrientedField:
    """The same field begun ``turns`` corners later: after one turn its right side is at the top."""
    logits = np.roll(field.rotation_logits, -turns)
    return OrientedField(_roll_corners(field.quad, turns), rotate_cells(field.cells, turns), logits)


def embed_turned(
    pyramid: Pyramid, before: Sequence[OrientedField], after: Sequence[OrientedField], classifier: InsectClassifier
) -> list[OrientedField]:
    """Fields of one size, with embeddings anew where one was turned since: they hold in one rotation only."""
    turned = [
        k
        for k, (old, new) in enumerate(zip(before, after, strict=True))
        if classifier.needs_upright and not np.array_equal(old.quad.corners, new.quad.corners)
    ]
    fields = list(after)
    for k in turned:
        rows, cols = after[k].cells.state.shape[:2]
        crops = [_jittered_corners(after[k].quad.corners, rows, cols, *margin) for margin in ((0, 0, 0), *_JITTERS)]
        (passes,) = _run_passes(pyramid, [crops], rows, cols)
        fields[k] = _with_embeddings(after[k], passes, classifier)
    return fields


def rotate_cells(cells: Cells, turns: int) -> Cells:
    """A field's cells, begun ``turns`` corners later."""
    state, kind, up, embedding, offset = (
        np.rot90(a, turns) for a in (cells.state, cells.kind, cells.up, cells.embedding, cells.offset)
    )
    for _ in range(turns % 4):
        offset = np.stack([offset[..., 1], -offset[..., 0]], -1)
    return Cells(state, kind, up[..., [(k + turns) % 4 for k in range(4)]], embedding, offset)


def _orient_by_heads(rotations: list[tuple[Detection, Cells]], classifier: InsectClassifier) -> OrientedField:
    """Orient a field by its insects' heads; a grid that is not square, by its clearer reading."""
    quad, cells = max(rotations, key=lambda rotation: _log_clarity(rotation[1]))
    insect, kinds = cells.state[..., INSECT], classifier.kinds(cells)
    weights = insect**2 * (kinds @ _HEAD_VOTES)
    logits = (weights[..., None] * np.log(np.maximum(cells.up, _LEAST))).sum((0, 1))
    across, along = (_count_lone_halves(np.rot90(insect[..., None] * kinds, k)) for k in (0, 1))
    logits -= LIMITS.torn * np.array([across, along, across, along])
    if cells.state.shape[0] != cells.state.shape[1]:
        logits[1::2] = -np.inf
    return rotate_field(OrientedField(quad, cells, logits), int(logits.argmax()))


def _count_lone_halves(kinds: NDArray[np.float32]) -> float:
    """How many halves of moths and stags lack their other half, in this rotation of (rows, cols, 8)."""
    moth, stag = (kinds[..., KINDS.index(kind)] for kind in ("moth", "stag"))
    return float(_lone_halves(moth).sum() + _lone_halves(stag.T).sum())


def _lone_halves(halves: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each half's probability less that of another half to its left or right."""
    beside = np.zeros_like(halves)
    beside[:, 1:] = halves[:, :-1]
    np.maximum(beside[:, :-1], halves[:, 1:], out=beside[:, :-1])
    return np.asarray(np.maximum(halves - beside, 0))


def _orient_by_printing(rotations: list[tuple[Detection, Cells]], classifier: InsectClassifier) -> OrientedField:
    """Orient a field as it fits a taught printing best; embeddings hold in that rotation only.

    A grid that is not square lies along its clearer reading.
    """
    clarities = [_log_clarity(cells) for _, cells in rotations]
    first = int(np.argmax(clarities))
    rows, cols = rotations[first][1].state.shape[:2]
    usable = [k for k in range(len(rotations)) if rows == cols or (k - first) % 2 == 0]
    fused = fuse_passes([rotate_cells(rotations[k][1], first - k) for k in usable])
    seen = {k: replace(rotate_cells(fused, k - first), embedding=rotations[k][1].embedding) for k in usable}
    fits = np.array([classifier.fit(seen[k]) if k in seen else -np.inf for k in range(len(rotations))])
    best = int(fits.argmax())
    return OrientedField(rotations[best][0], seen[best], np.roll(fits, -best))


def _log_clarity(cells: Cells) -> float:
    """How clearly each cell shows one state, as a log probability: a misplaced grid shows halves."""
    return float(np.log(np.maximum(cells.state.max(-1), _LEAST)).sum())


def _roll_corners(quad: Detection, turns: int) -> Detection:
    return Detection(np.roll(quad.corners, -turns, axis=0), quad.confidence)
