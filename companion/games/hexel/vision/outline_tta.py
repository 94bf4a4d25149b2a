"""Cards of a learnt Hex'el printing of which a symbol is in doubt: looked at through outlines begun beside theirs.

Through an outline that is a little off, every symbol is seen askew; made exact from elsewhere, it often settles better.
The one through which the symbols lie nearest to what was learnt is kept, where they lie clearly nearer. How surely
they are named has no say in it: of many outlines one may make anything look sure.
"""

import numpy as np

from companion.games.hexel.vision.classifier import raw_patches
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.prototypes import embed, embedding_input
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network


def reclassify_with_jitter(
    pyramid: Pyramid, corners: np.ndarray, probabilities: np.ndarray, classifier: FewShotSymbols
) -> tuple[np.ndarray, np.ndarray]:
    """Outlines (N, 6, 2) and their symbols' probabilities (N, 6, C), better ones where a symbol was in doubt.

    Args:
        pyramid: the picture.
        corners: the outlines, surest first.
        probabilities: of the symbols at each one's own edges.
        namer: the printing.
    """
    sure = np.array([sum(name is not None for name in classifier.accept(p)) for p in probabilities])
    doubtful = np.flatnonzero((sure >= LIMITS.fewest_sure) & (sure < 6))[: LIMITS.most_outlines]
    if not len(doubtful):
        return corners, probabilities
    ways = np.stack([_jittered(corners[i]) for i in doubtful])
    exact = refine_corners(CORNER_REFINER, pyramid, ways.reshape(-1, 6, 2), times=2).reshape(ways.shape)
    before = _misfit(pyramid, corners[doubtful], classifier)
    after = _misfit(pyramid, exact.reshape(-1, 6, 2), classifier).reshape(ways.shape[:2])
    after[~_near(exact, corners[doubtful])] = np.inf
    best = after.argmin(1)
    better = np.flatnonzero(after.min(1) < LIMITS.better_share * before)
    if not len(better):
        return corners, probabilities
    corners = corners.copy()
    corners[doubtful[better]] = exact[better, best[better]]
    return corners, classifier.classify(pyramid, corners)


def _misfit(pyramid: Pyramid, corners: np.ndarray, classifier: FewShotSymbols) -> np.ndarray:
    """How far, squared, the patches of cards (N, 6, 2) lie from the nearest looks, the mean of six: (N,).

    What is too far to be a symbol counts alike: something covers it.
    """
    patches = embedding_input(*raw_patches(pyramid, corners), classifier.profile.face_value)
    answers = embed(network("hexel/embedding/weights.onnx"), patches)
    off = ((answers[:, :, None] - classifier.profile.looks) ** 2).sum(-1).min(-1)
    return np.asarray(np.minimum(off, LIMITS.none_at).mean(1))


def _jittered(corners: np.ndarray) -> np.ndarray:
    """Outlines (7, 6, 2) a little beside one (6, 2): pushed three ways, smaller, larger, turned both ways."""
    centre, affine = HEXAGON.pose_of(corners)
    pushed = [centre + affine @ (LIMITS.jitter_shift * HEXAGON.unit[k]) + HEXAGON.unit @ affine.T for k in (0, 2, 4)]
    grown = [centre + HEXAGON.unit @ (affine * growth).T for growth in LIMITS.jitter_growth]
    turned = [
        centre + HEXAGON.unit @ (affine @ _turn(degrees)).T
        for degrees in (-LIMITS.jitter_turn_deg, LIMITS.jitter_turn_deg)
    ]
    return np.array([*pushed, *grown, *turned], np.float32)


def _turn(degrees: float) -> np.ndarray:
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, -sine], [sine, cosine]])


def _near(outlines: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Which of each find's outlines (N, W, 6, 2) lie where the find (N, 6, 2) lies: (N, W) bool."""
    reach = np.linalg.norm(found[:, 0] - found[:, 3], axis=-1) / 2
    off = np.linalg.norm(outlines.mean(2) - found.mean(1)[:, None], axis=-1)
    return np.asarray(off < LIMITS.near_outline * reach[:, None])
