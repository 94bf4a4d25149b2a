"""Fields of cells, a case's or a card's, looked at and turned so that the insects' heads are at the top."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.games.hexapod.vision.classifier import (
    EMPTY,
    INSECT,
    KINDS,
    OTHER,
    Cells,
    InsectClassifier,
    classify_cells,
    together,
    views,
)
from companion.games.hexapod.vision.outlines import shift_corners
from companion.games.hexapod.vision.results import DetectedField
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection
from companion.vision.geometry.robust_homography import agreed
from companion.vision.geometry.shapes import SQUARE, homography, mapped
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

_NEIGHBOUR_MARGIN = (
    (0.08, 0.05, 0),
    (-0.06, 0.08, 0.03),
    (0.05, -0.08, -0.03),
    (-0.08, -0.05, 0),
    (0, 0, 0.06),
    (0, 0, -0.06),
)
"""How far to the right, down and wider, in cells, it is cut each time."""
_LEAST = 1e-4
_MAX_PASSES = np.array([1 / {"stag": 2, "moth": 2, "spider": 4}.get(kind, 1) for kind in KINDS])
"""What a cell that shows a kind counts for the way up: each insect is heard once, over however many cells it lies."""


@dataclass(frozen=True, slots=True, eq=False)
class OrientedField:
    """A field with its cells the way its owner sees them.

    Attributes:
        quad: its corners, the first at the top left.
        cells: what the network says of them.
        ways: how likely this way up is, and those that begin one, two, three corners later, as logarithms.
    """

    quad: Detection
    cells: Cells
    ways: np.ndarray

    @property
    def lead(self) -> float:
        """How much likelier this way up is than the next, as a logarithm; near 0 where nothing says so."""
        return float(self.ways[0] - self.ways[1:].max())

    @property
    def upwards(self) -> np.ndarray:
        """The direction in the picture in which the top lies, of length 1."""
        a, b, c, d = self.quad.corners
        way = (a + b - c - d).astype(np.float64)
        return np.asarray(way / np.linalg.norm(way))


def classify_fields(
    pyramid: Pyramid, quads: Sequence[Detection], rows: int, cols: int, classifier: InsectClassifier
) -> list[OrientedField]:
    """Fields of one size, upright.

    Args:
        pyramid: the picture.
        quads: the fields, begun at any corner.
        rows: cells from top to bottom.
        cols: cells from left to right.
        namer: what names the insects; one that must see them upright is shown every way up.
    """
    fields = _classified(pyramid, quads, rows, cols, classifier)
    moved = {k: quad for k, field in enumerate(fields) if (quad := _where_its_cells_lie(field)) is not None}
    for k, again in zip(moved, _classified(pyramid, list(moved.values()), rows, cols, classifier), strict=True):
        if _plainness(again.cells) > _plainness(fields[k].cells):
            fields[k] = again
    return (
        _jittered_cells(pyramid, fields, classifier)
        if classifier.must_stand
        else _classify_with_jitter(pyramid, fields)
    )


def _classified(
    pyramid: Pyramid, quads: Sequence[Detection], rows: int, cols: int, classifier: InsectClassifier
) -> list[OrientedField]:
    """Fields where they were found, upright."""
    begun = range(4) if classifier.must_stand else range(1) if rows == cols else range(2)
    shown = [[_begun_later(quad, turns) for turns in begun] for quad in quads]
    looks = _run_passes(pyramid, [[quad.corners for quad in ways] for ways in shown], rows, cols)
    ways = [list(zip(*both, strict=True)) for both in zip(shown, looks, strict=True)]
    return [
        _way_up_evidence(some, classifier) if classifier.must_stand else _turned_upright(some, classifier)
        for some in ways
    ]


def _run_passes(pyramid: Pyramid, cuts: Sequence[Sequence[np.ndarray]], rows: int, cols: int) -> list[list[Cells]]:
    """What the network says of every cut (4, 2) of every field, asked for all together."""
    quads = [quad for some in cuts for quad in some]
    if not quads:
        return [[] for _ in cuts]
    cells = iter(classify_cells(network("hexapod/insect_classifier/weights.onnx"), views(pyramid, quads, rows, cols)))
    return [[next(cells) for _ in some] for some in cuts]


def _classify_with_jitter(pyramid: Pyramid, fields: list[OrientedField]) -> list[OrientedField]:
    """Fields of one size; those of which a cell is doubtful are shown to the network turned the other ways too."""
    doubtful = [k for k, field in enumerate(fields) if _least_sure(field.cells) < LIMITS.doubtful_cell]
    if not doubtful:
        return fields
    rows, cols = fields[0].cells.state.shape[:2]
    turns = (1, 2, 3) if rows == cols else (2,)
    cuts = [[_begun_later(fields[k].quad, turn).corners for turn in turns] for k in doubtful]
    told = list(fields)
    for k, looks in zip(doubtful, _run_passes(pyramid, cuts, rows, cols), strict=True):
        field = fields[k]
        others = [turned(replace(field, cells=cells), -turn).cells for turn, cells in zip(turns, looks, strict=True)]
        told[k] = replace(field, cells=together([field.cells, *others]))
    return told


def _jittered_cells(pyramid: Pyramid, fields: list[OrientedField], classifier: InsectClassifier) -> list[OrientedField]:
    """Fields of one size; where an insect's name is not plain, its likeness is what cuts a little beside share too."""
    doubtful = [k for k, field in enumerate(fields) if _least_named(field.cells, classifier) < LIMITS.plain_name]
    if not doubtful:
        return fields
    rows, cols = fields[0].cells.state.shape[:2]
    cuts = [
        [_jittered_corners(fields[k].quad.corners, rows, cols, *margin) for margin in _NEIGHBOUR_MARGIN]
        for k in doubtful
    ]
    told = list(fields)
    for k, looks in zip(doubtful, _run_passes(pyramid, cuts, rows, cols), strict=True):
        cells = fields[k].cells
        told[k] = replace(fields[k], cells=replace(cells, likeness=together([cells, *looks]).likeness))
    return told


def _least_named(cells: Cells, classifier: InsectClassifier) -> float:
    """How sure the name of that insect is of which it is most doubtful; 1 where none shows."""
    named = classifier.kinds(cells).max(-1)[cells.state.argmax(-1) == INSECT]
    return float(named.min(initial=1.0))


def _jittered_corners(corners: np.ndarray, rows: int, cols: int, right: float, down: float, wider: float) -> np.ndarray:
    """A field's corners (4, 2), moved and set wider apart by so many cells."""
    steps = np.stack([(corners[1] - corners[0]) / cols, (corners[3] - corners[0]) / rows])
    return np.asarray(corners + ([right, down] + SQUARE.unit * wider / 2) @ steps, np.float32)


def _least_sure(cells: Cells) -> float:
    """How sure it is of the most doubtful cell what it shows."""
    insect = cells.state[..., INSECT] * cells.kind.max(-1)
    return float(np.maximum(np.maximum(cells.state[..., EMPTY], cells.state[..., OTHER]), insect).min())


def _where_its_cells_lie(field: OrientedField) -> Detection | None:
    """The field where most of its cells say that they lie; None where that is about where it was found."""
    rows, cols = field.cells.state.shape[:2]
    centres = np.stack(np.meshgrid((np.arange(cols) + 0.5) * 2 / cols - 1, (np.arange(rows) + 0.5) * 2 / rows - 1), -1)
    seen = centres + field.cells.offset * 2 / np.array([cols, rows])
    plain = np.maximum(field.cells.state[..., EMPTY], field.cells.state[..., INSECT]) ** 2
    found_from_true = agreed(centres.reshape(-1, 2), seen.reshape(-1, 2), plain.reshape(-1))
    if found_from_true is None:
        return None
    inside = mapped(found_from_true, SQUARE.unit)
    away = float(np.abs((inside - SQUARE.unit) * np.array([cols, rows]) / 2).max())
    if not LIMITS.awry < away < LIMITS.too_far:
        return None
    corners = mapped(homography(field.quad.corners), inside)
    return Detection(corners.astype(np.float32), field.quad.confidence)


def reclassify_fields(pyramid: Pyramid, field: DetectedField, classifier: InsectClassifier) -> OrientedField:
    """A field known from before, where it lies, upright as it was known; one of unknown way up by what shows now."""
    quad = shift_corners(pyramid, Detection(field.corners, field.presence), is_case=field.is_case)
    rows, cols = len(field.cells), len(field.cells[0])
    if not field.is_upright:
        return classify_fields(pyramid, [quad], rows, cols, classifier)[0]
    (cells,) = classify_cells(
        network("hexapod/insect_classifier/weights.onnx"), views(pyramid, [quad.corners], rows, cols)
    )
    return OrientedField(quad, cells, np.array([LIMITS.known_way, 0.0, 0.0, 0.0]))


def rotation_logits(field: OrientedField, like: Sequence[np.ndarray], turns: Sequence[int]) -> OrientedField:
    """A field of which little says which way up it lies, turned as those beside it stand.

    Args:
        field: the field.
        like: the directions in which the tops of surer ones lie.
        turns: by how many quarter turns a field may well differ from another.
    """
    likely = np.zeros(4)
    for up in like:
        for more in turns:
            k = int(np.argmax([np.dot(turned(field, k).upwards, up) for k in range(4)]))
            likely[(k + more) % 4] = LIMITS.like_others
    ways = field.ways + likely
    best = int(ways.argmax())
    return turned(replace(field, ways=ways), best)


def turned(field: OrientedField, turns: int) -> OrientedField:
    """The same field begun ``turns`` corners later: what looked to the right, with one turn, now looks up."""
    cells, order = field.cells, [(k + turns) % 4 for k in range(4)]
    state, kind, up, likeness, offset = (
        np.rot90(a, turns) for a in (cells.state, cells.kind, cells.up, cells.likeness, cells.offset)
    )
    for _ in range(turns % 4):
        offset = np.stack([offset[..., 1], -offset[..., 0]], -1)
    seen = Cells(state, kind, up[..., order], likeness, offset)
    return replace(field, quad=_begun_later(field.quad, turns), cells=seen, ways=np.roll(field.ways, -turns))


def _turned_upright(ways: list[tuple[Detection, Cells]], classifier: InsectClassifier) -> OrientedField:
    """The field by the heads of its insects; of a grid that is not square, the way in which it fits."""
    quad, cells = max(ways, key=lambda way: _plainness(way[1]))
    insect, kinds = cells.state[..., INSECT], classifier.kinds(cells)
    voices = insect**2 * (kinds @ _MAX_PASSES)
    votes = (voices[..., None] * np.log(np.maximum(cells.up, _LEAST))).sum((0, 1))
    across, along = (_is_contradictory(np.rot90(insect[..., None] * kinds, k)) for k in (0, 1))
    votes -= LIMITS.torn * np.array([across, along, across, along])
    if cells.state.shape[0] != cells.state.shape[1]:
        votes[1::2] = -np.inf
    return turned(OrientedField(quad, cells, votes), int(votes.argmax()))


def _is_contradictory(kinds: np.ndarray) -> float:
    """How many halves of moths and stags lack the other half, (rows, cols, 8) being seen this way up."""
    moth, stag = (kinds[..., KINDS.index(kind)] for kind in ("moth", "stag"))
    return float(_alone(moth).sum() + _alone(stag.T).sum())


def _alone(halves: np.ndarray) -> np.ndarray:
    """Each half less what shows of another beside it, to the left or to the right."""
    padded = np.pad(halves, ((0, 0), (1, 1)))
    return np.asarray(np.maximum(halves - np.maximum(padded[:, :-2], padded[:, 2:]), 0))


def _way_up_evidence(ways: list[tuple[Detection, Cells]], classifier: InsectClassifier) -> OrientedField:
    """The way up that agrees best with the printing; of likeness alone the other looks say nothing."""
    fits = np.array([classifier.fit(cells) + 4 * _plainness(cells) for _, cells in ways])
    best = int(fits.argmax())
    quad, stood = ways[best]
    looks = [turned(OrientedField(*way, fits), best - k).cells for k, way in enumerate(ways)]
    return OrientedField(quad, replace(together(looks), likeness=stood.likeness), np.roll(fits, -best))


def _plainness(cells: Cells) -> float:
    """How plainly the cells show one thing each: a grid laid across shows halves."""
    return float(np.log(np.maximum(cells.state.max(-1), _LEAST)).sum())


def _begun_later(quad: Detection, turns: int) -> Detection:
    return Detection(np.roll(quad.corners, -turns, axis=0), quad.confidence)
