"""HexDragon tiles that are not read at the first look are looked at again: through other outlines, begun elsewhere.

An outline that was found far off is brought nearer step by step. One that something lies over may stay a little off;
where the grid says the tile lies is then the better guess. The network does not say quite the same of a tile that is
turned, and the mean of what it says is steadier.
"""

import numpy as np

from companion.games.hexdragon.vision.classifier import TileClassifier, star_share, tile_share
from companion.games.hexdragon.vision.detector import CORNER_REFINER
from companion.games.hexdragon.vision.lattice import Grid
from companion.games.hexdragon.vision.plausibility import is_whole
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid

Placed = tuple[Cell, int, Detection, np.ndarray]
"""A piece with its cell, the edge that looks in direction 0, and the probabilities (6, C) in order of direction."""
STARTS = (1, 3, 5)
"""The corners that the further looks begin at."""


def refine_repeatedly(
    pyramid: Pyramid, corners: np.ndarray, said: np.ndarray, classifier: TileClassifier
) -> tuple[np.ndarray, np.ndarray]:
    """Outlines (N, 6, 2) and what is said (N, 6, C), those made exact once more of which nothing sure is said.

    Args:
        pyramid: the picture.
        corners: the outlines, surest first.
        said: the probabilities.
        namer: reads faces, in the light that the first look told.
    """
    maybe = [i for i, p in enumerate(said) if star_share(p) < LIMITS.star and tile_share(p) > LIMITS.nothing]
    whole = [i for i in maybe if is_whole(corners[i], pyramid.size)]
    doubtful = [i for i in whole if None in classifier.accept(said[i])][: LIMITS.most_tiles]
    if not doubtful:
        return corners, said
    moved = corners[doubtful]
    for _ in range(LIMITS.steps):
        moved = refine_corners(CORNER_REFINER, pyramid, moved)
    anew = classifier.classify(pyramid, moved)
    corners, said = corners.copy(), said.copy()
    for i, outline, p in zip(doubtful, moved, anew, strict=True):
        if sureness(p) > sureness(said[i]):
            corners[i], said[i] = outline, p
    return corners, said


def reclassify_tiles(pyramid: Pyramid, grid: Grid, placed: list[Placed], classifier: TileClassifier) -> list[Placed]:
    """The same pieces, what can be said of the doubtful ones said anew.

    Args:
        pyramid: the picture.
        grid: the cells.
        placed: tiles that have a cell.
        namer: reads faces, in the light that the first look told.
    """
    whole = [i for i, (_, _, tile, _) in enumerate(placed) if is_whole(tile.corners, pyramid.size)]
    doubtful = [i for i in whole if None in classifier.accept(placed[i][3])]
    doubtful = sorted(doubtful, key=lambda i: sureness(placed[i][3]))[: LIMITS.most_tiles]
    if not doubtful:
        return placed
    guessed = np.stack([grid.outline(placed[i][0]) for i in doubtful])
    exact = refine_corners(CORNER_REFINER, pyramid, guessed)
    found = np.stack([np.roll(placed[i][2].corners, -placed[i][1], axis=0) for i in doubtful])
    outlines = np.stack([found, np.where(_near(exact, guessed)[:, None, None], exact, guessed)], axis=1)
    said = _from_all_sides(pyramid, outlines.reshape(-1, 6, 2), classifier).reshape(len(doubtful), 2, 6, -1)
    out = list(placed)
    for i, corners, answers in zip(doubtful, outlines, said, strict=True):
        cell, _, tile, before = placed[i]
        after = max(zip(answers, corners, strict=True), key=lambda said: sureness(said[0]))
        if not _bears_out(after[0], before, classifier):
            out[i] = (cell, 0, Detection(after[1], tile.confidence), after[0])
    return out


def reclassify_stars(pyramid: Pyramid, places: np.ndarray, said: np.ndarray, classifier: TileClassifier) -> np.ndarray:
    """What is said (N, 6, C) of places (N, 6, 2), of what may be a star the mean of several looks.

    Args:
        pyramid: the picture.
        places: where stars may lie.
        said: at the first look.
        namer: reads faces, in the light that the first look told.
    """
    doubtful = [i for i, p in enumerate(said) if LIMITS.maybe_star[0] < star_share(p) < LIMITS.maybe_star[1]]
    if not doubtful:
        return said
    out, looks = said.copy(), len(STARTS)
    anew = _from_all_sides(pyramid, places[doubtful], classifier)
    out[doubtful] = (said[doubtful] + looks * anew) / (1 + looks)
    return out


def _bears_out(after: np.ndarray, before: np.ndarray, classifier: TileClassifier) -> bool:
    """A further look finds all likeliest that the first stated, and is itself sure of less."""
    sure = [edge is not None for edge in classifier.accept(before)]
    less = sum(edge is not None for edge in classifier.accept(after)) < sum(sure)
    return less and bool((after.argmax(-1) == before.argmax(-1))[sure].all())


def sureness(probabilities: np.ndarray) -> float:
    """How sure (6, C) is of a tile and its edges, 0..1."""
    return tile_share(probabilities) * float(probabilities.max(-1).mean())


def _from_all_sides(pyramid: Pyramid, outlines: np.ndarray, classifier: TileClassifier) -> np.ndarray:
    """The mean of what is said (N, 6, C) of outlines (N, 6, 2) begun at several corners."""
    begun = np.concatenate([np.roll(outlines, -start, axis=1) for start in STARTS])
    said = classifier.classify(pyramid, begun)
    turned = said.reshape(len(STARTS), len(outlines), 6, -1)
    return np.asarray(np.mean([np.roll(turned[k], -start, axis=1) for k, start in enumerate(STARTS)], axis=0))


def _near(outlines: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which outlines (N,) lie where they were looked for."""
    side = np.linalg.norm(places[:, 0] - places[:, 1], axis=-1)
    return np.asarray(np.linalg.norm(outlines.mean(1) - places.mean(1), axis=-1) < LIMITS.near_place * side)
