"""Test-time augmentation of uncertain HexDragon tiles: refined outlines, outlines from the grid, and rotations.

An outline detected far off is refined in several steps. A partly covered one may stay off, and the grid gives the
better outline. The network's answers differ a little between rotations, and their mean is steadier.
"""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.classifier import TileClassifier, star_shares, tile_share, tile_shares
from companion.games.hexdragon.vision.detector import CORNER_REFINER
from companion.games.hexdragon.vision.lattice import Grid
from companion.games.hexdragon.vision.results import are_whole
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell
from companion.vision.detection.detector import Detection, corners_of, refine_corners
from companion.vision.geometry import side_px
from companion.vision.image.pyramid import Pyramid

Placed = tuple[Cell, int, Detection, NDArray[np.float32]]
"""A piece with its cell, the edge that looks in direction 0, and the probabilities (6, C) in order of direction."""
ROTATIONS = (1, 3, 5)
"""The first corners of the further passes."""


def refine_repeatedly(
    pyramid: Pyramid, corners: NDArray[np.float32], probabilities: NDArray[np.float32], classifier: TileClassifier
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Refine the outlines (N, 6, 2) with uncertain probabilities (N, 6, C) further, and classify them anew.

    Args:
        corners: the outlines, surest first.
        probabilities: of their faces.
        classifier: of the faces, in the light of the first pass.
    """
    maybe = (star_shares(probabilities) < LIMITS.star) & (tile_shares(probabilities) > LIMITS.nothing)
    whole = np.flatnonzero(maybe & are_whole(corners, pyramid.size)).tolist()
    doubtful = [i for i in whole if None in classifier.accept(probabilities[i])][: LIMITS.most_tiles]
    if not doubtful:
        return corners, probabilities
    moved = corners[doubtful]
    for _ in range(LIMITS.steps):
        moved = refine_corners(CORNER_REFINER, pyramid, moved)
    answers = classifier.classify(pyramid, moved)
    corners, probabilities = corners.copy(), probabilities.copy()
    for i, outline, p in zip(doubtful, moved, answers, strict=True):
        if tile_confidence(p) > tile_confidence(probabilities[i]):
            corners[i], probabilities[i] = outline, p
    return corners, probabilities


def reclassify_tiles(pyramid: Pyramid, grid: Grid, placed: list[Placed], classifier: TileClassifier) -> list[Placed]:
    """Classify uncertain tiles again, over their own outlines and those of their cells.

    Args:
        grid: the cells.
        placed: tiles that have a cell.
        classifier: of the faces, in the light of the first pass.
    """
    outlines = corners_of([tile for _, _, tile, _ in placed])
    whole = np.flatnonzero(are_whole(outlines, pyramid.size)).tolist()
    doubtful = [i for i in whole if None in classifier.accept(placed[i][3])]
    doubtful = sorted(doubtful, key=lambda i: tile_confidence(placed[i][3]))[: LIMITS.most_tiles]
    if not doubtful:
        return placed
    guessed = np.stack([grid.outline(placed[i][0]) for i in doubtful])
    refined = refine_corners(CORNER_REFINER, pyramid, guessed)
    found = np.stack([np.roll(placed[i][2].corners, -placed[i][1], axis=0) for i in doubtful])
    outlines = np.stack([found, np.where(_is_near(refined, guessed)[:, None, None], refined, guessed)], axis=1)
    averaged = _average_rotations(pyramid, outlines.reshape(-1, 6, 2), classifier).reshape(len(doubtful), 2, 6, -1)
    out = list(placed)
    for i, corners, answers in zip(doubtful, outlines, averaged, strict=True):
        cell, _, tile, before = placed[i]
        after, outline = max(zip(answers, corners, strict=True), key=lambda pair: tile_confidence(pair[0]))
        if not _is_weaker(after, before, classifier):
            out[i] = (cell, 0, Detection(outline, tile.confidence), after)
    return out


def snap_outlines(placed: list[Placed], grid: Grid) -> list[Placed]:
    """The tiles, those askew in their cells with the outlines of the grid: a printed rim was found, or worse.

    Few tiles tell no grid.
    """
    if sum(cell is not None for cell in grid.cells) < LIMITS.tiles_of_grid:
        return placed
    out = list(placed)
    for i, (cell, east, tile, p) in enumerate(placed):
        outline = grid.outline(cell)
        off = np.linalg.norm(np.roll(tile.corners, -east, axis=0) - outline, axis=1).mean()
        if off > LIMITS.askew * side_px(outline):
            out[i] = (cell, 0, Detection(outline, tile.confidence), p)
    return out


def reclassify_stars(
    pyramid: Pyramid, places: NDArray[np.float32], probabilities: NDArray[np.float32], classifier: TileClassifier
) -> NDArray[np.float32]:
    """Average the probabilities (N, 6, C) of places (N, 6, 2) that may show a star over rotations.

    Args:
        places: where stars may lie.
        probabilities: of the first pass.
        classifier: of the faces, in the light of the first pass.
    """
    shares = star_shares(probabilities)
    doubtful = (LIMITS.maybe_star[0] < shares) & (shares < LIMITS.maybe_star[1])
    if not doubtful.any():
        return probabilities
    out, passes = probabilities.copy(), len(ROTATIONS)
    answers = _average_rotations(pyramid, places[doubtful], classifier)
    out[doubtful] = (probabilities[doubtful] + passes * answers) / (1 + passes)
    return out


def _is_weaker(after: NDArray[np.float32], before: NDArray[np.float32], classifier: TileClassifier) -> bool:
    """Whether a further pass agrees with all accepted edges of the first but accepts fewer."""
    accepted = [edge is not None for edge in classifier.accept(before)]
    is_less = sum(edge is not None for edge in classifier.accept(after)) < sum(accepted)
    return is_less and bool((after.argmax(-1) == before.argmax(-1))[accepted].all())


def tile_confidence(probabilities: NDArray[np.float32]) -> float:
    """The confidence of probabilities (6, C) in a tile and its edges, 0..1."""
    return tile_share(probabilities) * float(probabilities.max(-1).mean())


def _average_rotations(
    pyramid: Pyramid, outlines: NDArray[np.float32], classifier: TileClassifier
) -> NDArray[np.float32]:
    """The mean probabilities (N, 6, C) of outlines (N, 6, 2) over several first corners."""
    rotated = np.concatenate([np.roll(outlines, -first, axis=1) for first in ROTATIONS])
    answers = classifier.classify(pyramid, rotated).reshape(len(ROTATIONS), len(outlines), 6, -1)
    return np.asarray(np.mean([np.roll(answers[k], -first, axis=1) for k, first in enumerate(ROTATIONS)], axis=0))


def _is_near(outlines: NDArray[np.float32], places: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which outlines (N,) are near the places they were refined from."""
    side = np.linalg.norm(places[:, 0] - places[:, 1], axis=-1)
    return np.asarray(np.linalg.norm(outlines.mean(1) - places.mean(1), axis=-1) < LIMITS.near_place * side)
