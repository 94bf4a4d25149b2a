"""Test-time augmentation for uncertain cards of a taught printing: corner refinement from jittered outlines.

An outline that is a little off distorts every symbol; refined from elsewhere it often fits better. The outline with the
embeddings nearest to the prototypes is kept, if they are clearly nearer. Confidences do not count: among many outlines
one is always confident.
"""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.classifier import raw_patches
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.prototypes import embed, embedding_input
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network


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
    refined = refine_corners(CORNER_REFINER, pyramid, jittered.reshape(-1, 6, 2), times=2).reshape(jittered.shape)
    before = _misfit(pyramid, corners[doubtful], classifier)
    after = _misfit(pyramid, refined.reshape(-1, 6, 2), classifier).reshape(jittered.shape[:2])
    after[~_is_near(refined, corners[doubtful])] = np.inf
    best = after.argmin(1)
    better = np.flatnonzero(after.min(1) < LIMITS.better_share * before)
    if not len(better):
        return corners, probabilities
    corners = corners.copy()
    corners[doubtful[better]] = refined[better, best[better]]
    return corners, classifier.classify(pyramid, corners)


def _misfit(pyramid: Pyramid, corners: NDArray[np.floating], classifier: FewShotSymbols) -> NDArray[np.floating]:
    """The mean squared distance (N,) of the embeddings of cards (N, 6, 2) to the nearest prototypes.

    A distance is at most `LIMITS.none_at`: such a patch is covered.
    """
    patches = embedding_input(*raw_patches(pyramid, corners), classifier.profile.face_value)
    embeddings = embed(network("hexel/embedding/weights.onnx"), patches)
    squared = ((embeddings[:, :, None] - classifier.profile.prototypes) ** 2).sum(-1).min(-1)
    return np.asarray(np.minimum(squared, LIMITS.none_at).mean(1))


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
