"""Fields of cells, a case's or a card's, looked at and turned so that the insects' heads are at the top."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.hexapod_finder import Quad
from companion.vision.hexapod_naming import InsectNamer
from companion.vision.hexapod_outlines import nudged
from companion.vision.hexapod_seen import SeenField
from companion.vision.insects import INSECT, KINDS, Cells, look, views
from companion.vision.models import network
from companion.vision.pyramid import Pyramid

KNOWN_WAY = 3.0
"""So large a lead says which way up a field lies."""
LIKE_OTHERS = 1.5
"""What it speaks for a way up that others lie so too, as a logarithm."""
_LEAST = 1e-4
_TORN = 3.0
"""What half an insect without its other half speaks against a way up, as a logarithm."""


@dataclass(frozen=True, slots=True, eq=False)
class Upright:
    """A field with its cells the way its owner sees them.

    Attributes:
        quad: its corners, the first at the top left.
        cells: what the network says of them.
        ways: how likely this way up is, and those that begin one, two, three corners later, as logarithms.
    """

    quad: Quad
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


def looked_at(pyramid: Pyramid, quads: Sequence[Quad], rows: int, cols: int, namer: InsectNamer) -> list[Upright]:
    """Fields of one size, upright.

    Args:
        pyramid: the picture.
        quads: the fields, begun at any corner.
        rows: cells from top to bottom.
        cols: cells from left to right.
        namer: what names the insects; one that must see them upright is shown every way up.
    """
    if not quads:
        return []
    begun = range(4) if namer.must_stand else range(1) if rows == cols else range(2)
    shown = [[_begun_later(quad, turns) for turns in begun] for quad in quads]
    fields = views(pyramid, [quad.corners for ways in shown for quad in ways], rows, cols)
    cells = look(network("hexapod-insects/insects.onnx"), fields)
    ways = [list(zip(shown[k], cells[k * len(begun) : (k + 1) * len(begun)], strict=True)) for k in range(len(quads))]
    return [_standing(some, namer) if namer.must_stand else _turned_upright(some, namer) for some in ways]


def looked_again(pyramid: Pyramid, field: SeenField, namer: InsectNamer) -> Upright:
    """A field known from before, where it lies, upright as it was known; one of unknown way up by what shows now."""
    quad = nudged(pyramid, Quad(field.corners, field.presence), is_case=field.is_case)
    rows, cols = len(field.cells), len(field.cells[0])
    if not field.is_upright:
        return looked_at(pyramid, [quad], rows, cols, namer)[0]
    (cells,) = look(network("hexapod-insects/insects.onnx"), views(pyramid, [quad.corners], rows, cols))
    return Upright(quad, cells, np.array([KNOWN_WAY, 0.0, 0.0, 0.0]))


def leaning(field: Upright, like: Sequence[np.ndarray], turns: Sequence[int]) -> Upright:
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
            likely[(k + more) % 4] = LIKE_OTHERS
    ways = field.ways + likely
    best = int(ways.argmax())
    return turned(replace(field, ways=ways), best)


def turned(field: Upright, turns: int) -> Upright:
    """The same field begun ``turns`` corners later: what looked to the right, with one turn, now looks up."""
    cells, order = field.cells, [(k + turns) % 4 for k in range(4)]
    state, kind, up, likeness = (np.rot90(a, turns) for a in (cells.state, cells.kind, cells.up, cells.likeness))
    seen = Cells(state, kind, up[..., order], likeness)
    return replace(field, quad=_begun_later(field.quad, turns), cells=seen, ways=np.roll(field.ways, -turns))


def _turned_upright(ways: list[tuple[Quad, Cells]], namer: InsectNamer) -> Upright:
    """The field by the heads of its insects; of a grid that is not square, the way in which it fits."""
    quad, cells = max(ways, key=lambda way: _plainness(way[1]))
    insect, kinds = cells.state[..., INSECT], namer.kinds(cells)
    votes = (insect[..., None] ** 2 * np.log(np.maximum(cells.up, _LEAST))).sum((0, 1))
    across, along = (_torn(np.rot90(insect[..., None] * kinds, k)) for k in (0, 1))
    votes -= _TORN * np.array([across, along, across, along])
    if cells.state.shape[0] != cells.state.shape[1]:
        votes[1::2] = -np.inf
    return turned(Upright(quad, cells, votes), int(votes.argmax()))


def _torn(kinds: np.ndarray) -> float:
    """How many halves of moths and stags lack the other half, (rows, cols, 8) being seen this way up."""
    moth, stag = (kinds[..., KINDS.index(kind)] for kind in ("moth", "stag"))
    return float(_alone(moth).sum() + _alone(stag.T).sum())


def _alone(halves: np.ndarray) -> np.ndarray:
    """Each half less what shows of another beside it, to the left or to the right."""
    padded = np.pad(halves, ((0, 0), (1, 1)))
    return np.asarray(np.maximum(halves - np.maximum(padded[:, :-2], padded[:, 2:]), 0))


def _standing(ways: list[tuple[Quad, Cells]], namer: InsectNamer) -> Upright:
    """The way up that agrees best with the printing."""
    fits = np.array([namer.fit(cells) + 4 * _plainness(cells) for _, cells in ways])
    best = int(fits.argmax())
    return Upright(*ways[best], np.roll(fits, -best))


def _plainness(cells: Cells) -> float:
    """How plainly the cells show one thing each: a grid laid across shows halves."""
    return float(np.log(np.maximum(cells.state.max(-1), _LEAST)).sum())


def _begun_later(quad: Quad, turns: int) -> Quad:
    return Quad(np.roll(quad.corners, -turns, axis=0), quad.confidence)
