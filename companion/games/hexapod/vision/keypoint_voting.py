"""Makes roughly found cases and cards exact: a small network looks at each as it would lie were the find right.

The network (`models/hexapod/keypoints`) sees the find straightened, half its size around it, and answers twice. As a
whole: where the true quad lies in that view, in the code of `hexapod_quads`, and how surely there is one; that brings a
find that is turned anyhow near. And place by place: how far the place lies from where it would lie were the find right,
and how sure that is. Through all these votes one homography is laid, which a hand over some of them does not bend.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection
from companion.vision.geometry.robust_homography import agreed
from companion.vision.geometry.shapes import SQUARE, homography, mapped, quad_code, side_px
from companion.vision.image.pyramid import Pyramid, warp
from companion.vision.networks import logistic, network

PATCH = 96
REACH = 1.5
"""The view's half width in half sides of the find."""
CODE_SCALE = (2.0, 2.0, 2.0, 4.0, 2.0, 1.0, 1.0, 4.0, 4.0)
"""What training multiplies the middle and the code with."""
SURE = 9
"""Of the network's answer, the logit that there is one; before it the code, behind it the votes."""
VOTES = 12
"""The network votes at so many by so many places of the view."""
VOTE_SCALE = 4.0
"""What training multiplies the votes with."""
VOTED = 1.4
"""So far from a field's middle, in half sides, places have something to say of it."""

PLACES = ((np.stack(np.meshgrid(np.arange(VOTES), np.arange(VOTES)), -1) + 0.5) / VOTES * 2 - 1).reshape(-1, 2) * REACH
"""Where the votes are cast (VOTES * VOTES, 2), in the find's frame."""


def refine_quads(pyramid: Pyramid, quads: Sequence[Detection], *, is_case: bool) -> list[Detection]:
    """The finds with exact corners, and how surely each is there; without those that are plainly none.

    Args:
        pyramid: the picture.
        quads: the finds.
        is_case: whether they are to be cases; else loose cards.
    """
    still: list[Detection] = []
    moving = list(quads)
    for classify_cells in range(LIMITS.refinements):
        asked, moving = moving, []
        for before, now in zip(asked, _refine_pass(pyramid, asked, is_case, by_votes=classify_cells > 0), strict=True):
            if now.confidence >= LIMITS.none:
                (still if classify_cells > 0 and _stayed(before, now) else moving).append(now)
    return still + moving


def _stayed(before: Detection, now: Detection) -> bool:
    return float(np.abs(now.corners - before.corners).max()) < LIMITS.still * side_px(now.corners)


def _refine_pass(pyramid: Pyramid, quads: list[Detection], is_case: bool, *, by_votes: bool) -> list[Detection]:
    """One look: each quad moved to where the network sees it, and how surely it is there."""
    if not quads:
        return []
    corners = [np.asarray(quad.corners, np.float64) for quad in quads]
    net = network("hexapod/keypoints/weights.onnx")
    answers = np.asarray(
        net.forward(np.stack([planes(patch(pyramid, quad), is_case=is_case) for quad in corners])), np.float64
    ).reshape(len(corners), -1)
    sure = logistic(answers[:, SURE])
    put = [moved(quad, answer, by_votes=by_votes) for quad, answer in zip(corners, answers, strict=True)]
    return [Detection(quad.astype(np.float32), float(p)) for quad, p in zip(put, sure, strict=True)]


def patch(pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """A quad straightened, with what is around it: uint8 (PATCH, PATCH, 3)."""
    step = 2 * REACH / PATCH
    unit_from_patch = np.array([[step, 0, step / 2 - REACH], [0, step, step / 2 - REACH], [0, 0, 1.0]])
    return warp(pyramid, homography(corners) @ unit_from_patch, (PATCH, PATCH), REACH * side_px(corners) / PATCH)


def planes(picture: np.ndarray, *, is_case: bool) -> np.ndarray:
    """A patch as the network takes it: colours brought to one level, and what is looked for: float32 (4, P, P)."""
    top = float(np.percentile(picture[::2, ::2].max(2), 95))
    levelled = cv2.convertScaleAbs(picture, alpha=220.0 / max(top, 12.0))
    colours = levelled.transpose(2, 0, 1).astype(np.float32) / np.float32(255) - np.float32(0.5)
    wanted = np.full((1, PATCH, PATCH), 0.5 if is_case else -0.5, np.float32)
    return np.concatenate([colours, wanted])


def moved(corners: np.ndarray, answer: np.ndarray, *, by_votes: bool) -> np.ndarray:
    """Where the network's answer to the view of a quad puts it; the same quad where the answer makes no sense."""
    within = _voted(answer) if by_votes else _coded(answer)
    if not np.isfinite(within).all():
        return corners
    better = mapped(homography(corners), within)
    ratio = side_px(better) / max(side_px(corners), 1e-6)
    return better if 0.4 < ratio < 2.5 and np.isfinite(better).all() else corners


def _coded(answer: np.ndarray) -> np.ndarray:
    """The quad (4, 2) that an answer means as a whole, in the find's frame."""
    code = answer[:SURE] / np.array(CODE_SCALE)
    return SQUARE.corners_from_code(code[:2], code[2:])


def _voted(answer: np.ndarray) -> np.ndarray:
    """The quad (4, 2) that an answer's votes mean, in the find's frame; NaN where they mean none."""
    votes = answer[SURE + 1 :].reshape(3, -1)
    field_from_find = agreed(PLACES, PLACES + votes[:2].T / VOTE_SCALE, np.exp(np.clip(votes[2], -6, 6)))
    if field_from_find is None:
        return np.full((4, 2), np.nan)
    return mapped(np.linalg.inv(field_from_find), SQUARE.unit)


def inside(corners: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Where the true quad lies in the view of another, in the other's frame (4, 2)."""
    return mapped(np.linalg.inv(homography(corners)), np.asarray(true, np.float64))


def code_in(corners: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The nine numbers that say where the true quad lies in the view of another, as training wants them."""
    return np.asarray(np.concatenate(quad_code(inside(corners, true))) * np.array(CODE_SCALE), np.float32)


def votes_in(corners: np.ndarray, true: np.ndarray) -> np.ndarray:
    """What each place of the view of a quad is to vote for, float32 (2, VOTES, VOTES); NaN far from the true one."""
    ways = [inside(corners, np.roll(true, k, axis=0)) for k in range(4)]
    nearest = min(ways, key=lambda quad: float(np.abs(quad - SQUARE.unit).max()))
    there = mapped(np.linalg.inv(homography(nearest)), PLACES)
    wanted = (there - PLACES) * VOTE_SCALE
    wanted[np.abs(there).max(1) > VOTED] = np.nan
    return np.asarray(wanted.T.reshape(2, VOTES, VOTES), np.float32)
