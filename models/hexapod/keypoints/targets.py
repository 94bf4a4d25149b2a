"""The answers that the network is trained to give for a view of a detection: the code of the true quad, and votes."""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.detector import CODE_SCALE, PLACES, VOTE_SCALE, VOTES
from companion.vision.geometry import SQUARE, homography, mapped, quad_code

_VOTED = 1.4
"""Places farther than this from the field's middle, in half sides, have no vote."""


def inside(corners: NDArray[np.floating], true: NDArray[np.floating]) -> NDArray[np.float64]:
    """The true quad (4, 2) in the frame of another."""
    return mapped(np.linalg.inv(homography(corners)), np.asarray(true, np.float64))


def code_in(corners: NDArray[np.floating], true: NDArray[np.floating]) -> NDArray[np.float32]:
    """The code (9,) of the true quad in the frame of another, scaled for training."""
    return np.asarray(np.concatenate(quad_code(inside(corners, true))) * np.array(CODE_SCALE), np.float32)


def votes_in(corners: NDArray[np.floating], true: NDArray[np.floating]) -> NDArray[np.float32]:
    """The vote of each place in the view of a quad (2, VOTES, VOTES); NaN far from the true quad."""
    rotations = [inside(corners, np.roll(true, k, axis=0)) for k in range(4)]
    nearest = min(rotations, key=lambda quad: float(np.abs(quad - SQUARE.unit).max()))
    places = mapped(np.linalg.inv(homography(nearest)), PLACES)
    votes = (places - PLACES) * VOTE_SCALE
    votes[np.abs(places).max(1) > _VOTED] = np.nan
    return np.asarray(votes.T.reshape(2, VOTES, VOTES), np.float32)
