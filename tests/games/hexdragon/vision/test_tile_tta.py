"""Doubtful HexDragon tiles are looked at again, and what was sure stays as it was."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from companion.games.hexdragon.deck import cell_centre
from companion.games.hexdragon.vision.classifier import NAMES, Face, accepted_edges
from companion.games.hexdragon.vision.lattice import find_grid
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.games.hexdragon.vision.tile_tta import reclassify_tiles, refine_repeatedly, snap_outlines
from companion.vision.detection.detector import Detection
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid

HEAD = ("+3", "+1", "+5", "+3", "head:red", "tail")
PICTURE = Pyramid.of(np.full((600, 800, 3), 90, np.uint8))
OUTLINES = np.array([HEXAGON.unit * 30 + np.array(cell_centre(q, r)) + (400, 300) for q, r in ((0, 0), (1, 0), (0, 1))])


def sayings(sure: float) -> np.ndarray:
    p = np.full((6, len(NAMES)), (1 - sure) / (len(NAMES) - 1), np.float32)
    p[np.arange(6), [NAMES.index(name) for name in HEAD]] = sure
    return p


@dataclass(slots=True)
class Said:
    """Says of every outline the same head, turned as the outline is begun; keeps what was asked."""

    sure: float
    asked: list[np.ndarray] = field(default_factory=list)

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        self.asked.append(corners)
        begun = np.round(np.arctan2(*(corners[:, 0] - corners.mean(1)).T[::-1]) / (np.pi / 3) + 0.5).astype(int)
        return np.stack([np.roll(sayings(self.sure), start, axis=0) for start in begun])

    def accept(self, probabilities: np.ndarray) -> Face:
        return accepted_edges(probabilities, LIMITS.sure_edge, LIMITS.sure_owner)


def told(classifier: Said, before: float) -> list[Face]:
    grid = find_grid(OUTLINES, np.ones(3))
    placed = [((q, 0), 0, Detection(OUTLINES[q].astype(np.float32), 0.9), sayings(before)) for q in (0, 1)]
    return [classifier.accept(p) for *_, p in reclassify_tiles(PICTURE, grid, placed, classifier)]


def test_a_doubtful_head_is_told_when_all_further_looks_say_the_same_however_they_are_begun() -> None:
    assert told(Said(0.97), before=0.6) == [HEAD, HEAD]


def test_what_was_sure_is_not_looked_at_again() -> None:
    classifier = Said(0.3)
    assert told(classifier, before=0.97) == [HEAD, HEAD]
    assert classifier.asked == []


def test_an_outline_moves_only_where_more_is_sure_then() -> None:
    before = np.stack([sayings(0.6)] * 3)
    corners, said = refine_repeatedly(PICTURE, OUTLINES.astype(np.float32), before, Said(0.5))
    assert np.array_equal(corners, OUTLINES.astype(np.float32))
    assert np.array_equal(said, before)
    _, said = refine_repeatedly(PICTURE, OUTLINES.astype(np.float32), before, Said(0.97))
    assert (said.max(-1) > 0.9).all()


@pytest.mark.parametrize(("count", "is_moved"), [(7, True), (3, False)])
def test_an_outline_within_its_tile_gives_way_to_the_grids_where_there_are_enough_tiles(
    count: int, is_moved: bool
) -> None:
    cells = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, -1), (-1, 1)][:count]
    outlines = np.array([HEXAGON.unit * 30 + np.array(cell_centre(q, r)) + (400, 300) for q, r in cells], np.float32)
    middle = outlines[0].mean(0)
    shrunk = np.concatenate([((outlines[0] - middle) * 0.85 + middle)[None], outlines[1:]])
    grid = find_grid(shrunk, np.ones(count))
    tiles = [Detection(outline, 0.9) for outline in shrunk]
    placed = [(cell, east, tile, sayings(0.9)) for cell, east, tile in zip(grid.cells, grid.east, tiles, strict=True)]
    first, *others = snap_outlines([one for one in placed if one[0] is not None], grid)  # type: ignore[misc]
    truth = outlines[0] if is_moved else shrunk[0]
    assert np.abs(np.sort(first[2].corners, axis=0) - np.sort(truth, axis=0)).max() < 1.5
    assert [one[2] for one in others] == tiles[1:], "what lies as the grid says stays"
