"""Test-time augmentation for uncertain cards of a taught printing: corner refinement from jittered outlines.

An outline that is a little off distorts every symbol; refined from elsewhere it often fits better. The outline with the
embeddings nearest to the prototypes is kept, if they are clearly nearer. Confidences do not count: among many outlines
one is always confident.
"""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.detector import refine_corners
from companion.vision.edge_refinement import refine
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid


def reclassify_with_jitter(
    pyramid: Pyramid, corners: NDArray[np.floating], probabilities: NDArray[np.floating], classifier: FewShotSymbols
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The outlines (N, 6, 2) and probabilities (N, 6, C), improved where a symbol was uncertain.

    Args:
        pyramid: the picture.
        corners: the outlines, surest first.
        probabilities: of the symbols at its own edges.
        classifier: of the printing.
    """
    accepted = np.array([sum(name is not None for name in classifier.accept(p)) for p in probabilities])
    doubtful = np.flatnonzero((accepted >= LIMITS.fewest_sure) & (accepted < 6))[: LIMITS.most_outlines]
    if not len(doubtful):
        return corners, probabilities
    jittered = np.stack([_jittered(corners[i]) for i in doubtful])
    refined = np.concatenate([_by_drawings(pyramid, jittered), _by_edges(pyramid, jittered)], axis=1)
    before = classifier.misfit(pyramid, corners[doubtful])
    after = classifier.misfit(pyramid, refined.reshape(-1, 6, 2)).reshape(refined.shape[:2])
    after[~_is_near(refined, corners[doubtful])] = np.inf
    best = after.argmin(1)
    better = np.flatnonzero(after.min(1) < LIMITS.better_share * before)
    if not len(better):
        return corners, probabilities
    corners = corners.copy()
    corners[doubtful[better]] = refined[better, best[better]]
    return corners, classifier.classify(pyramid, corners)


def _by_drawings(pyramid: Pyramid, jittered: NDArray[np.floating]) -> NDArray[np.floating]:
    """Variants (N, W, 6, 2) made exact by the refiner that has learnt Hex'el's drawings."""
    return refine_corners(CORNER_REFINER, pyramid, jittered.reshape(-1, 6, 2), times=2).reshape(jittered.shape)


def _by_edges(pyramid: Pyramid, jittered: NDArray[np.floating]) -> NDArray[np.floating]:
    """Variants (N, W, 6, 2) made exact by the refiner that knows no print."""
    refined = refine(pyramid, list(jittered.reshape(-1, 6, 2).astype(np.float64)))
    return np.array([one.corners for one in refined], np.float32).reshape(jittered.shape)


def _jittered(corners: NDArray[np.floating]) -> NDArray[np.floating]:
    """Variants (7, 6, 2) of an outline (6, 2): shifted three ways, smaller, larger, and rotated both ways."""
    centre, affine = HEXAGON.pose_of(corners)
    shifted = [centre + affine @ (LIMITS.jitter_shift * HEXAGON.unit[k]) + HEXAGON.unit @ affine.T for k in (0, 2, 4)]
    scaled = [centre + HEXAGON.unit @ (affine * growth).T for growth in LIMITS.jitter_growth]
    rotated = [
        centre + HEXAGON.unit @ (affine @ _rotation(degrees)).T
        for degrees in (-LIMITS.jitter_turn_deg, LIMITS.jitter_turn_deg)
    ]
    return np.array([*shifted, *scaled, *rotated], np.float32)


def _rotation(degrees: float) -> NDArray[np.floating]:
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, -sine], [sine, cosine]])


def _is_near(outlines: NDArray[np.floating], found: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which variants (N, W, 6, 2) of outlines (N, 6, 2) stay near them: (N, W) bool."""
    reach = np.linalg.norm(found[:, 0] - found[:, 3], axis=-1) / 2
    off = np.linalg.norm(outlines.mean(2) - found.mean(1)[:, None], axis=-1)
    return np.asarray(off < LIMITS.near_outline * reach[:, None])
