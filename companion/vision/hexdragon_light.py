"""What a picture's light did to a learnt HexDragon set: the tint in which its heads come nearest to the inks learnt.

On dark faces the brightest part of a tile is often a coloured band, so the light's colour, measured by bright parts, is
off by the set's own ink, and all owners' inks are off together. Together they tell by how much.
"""

import numpy as np

from companion.vision.hexdragon_inks import STRANGE, Profile, head_ink, ink_distance, rim_ink
from companion.vision.paths import Answers

DARK = 0.6
"""A set's ground that is brighter is paper, and tells the light better than its inks do."""
SURE_HEAD = 0.8
"""A tile and its head so sure say something of the light."""
DAMPING = 1.0
"""So many heads' worth of the belief that the light was measured right."""
MOST = 0.4
"""The logarithm of a channel is mended by no more."""
SOFTNESS = (4, 2, 1, 1, 1)
"""Whose a head is, is left open at first and then less and less: the tint decides with it."""
_DIM, _BRIGHT = 0.06, 0.4
"""Dark inks tell little of a tint."""
_SHARES = (1.0, 0.5)
"""What a head's ink says and what its tile's rim says."""


def tint_of(profile: Profile, views: np.ndarray, answers: Answers) -> np.ndarray | None:
    """What the views' channels (3,) are to be multiplied with; None for light faces and where no head is sure.

    Args:
        profile: the inks.
        views: (N, VIEW, VIEW, 3), their light divided out as far as it is known.
        answers: what the network says of them.
    """
    if profile.ground > DARK or not len(views):
        return None
    heads = np.flatnonzero((answers.kinds[:, 0] > SURE_HEAD) & (answers.ends[:, :, 6].max(1) > SURE_HEAD))
    if not len(heads):
        return None
    inks = np.stack([head_ink(profile, views[i], int(answers.ends[i, :, 6].argmax())) for i in heads])
    rims = np.stack([rim_ink(views[i]) for i in heads])
    tint = np.zeros(3)
    for softness in SOFTNESS:
        gain = np.exp(tint)
        far = np.stack([ink_distance(profile, ink, rim) for ink, rim in zip(inks * gain, rims * gain, strict=True)])
        tint = _mended(profile, inks, rims, _shares(far / softness))
    return np.exp(tint).astype(np.float32)


def _shares(far: np.ndarray) -> np.ndarray:
    """How much each head (M, K) is each owner's; a strange one is nobody's."""
    near = far.min(1, keepdims=True)
    likely = np.exp(-(far - near) / 2)
    return np.asarray(likely / (likely.sum(1, keepdims=True) + np.exp(-(STRANGE**2 - near) / 2)))


def _mended(profile: Profile, inks: np.ndarray, rims: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The logarithm (3,) of the tint that brings the heads nearest to the inks of those whose they are."""
    total, weight = np.zeros(3), DAMPING
    for known, seen, share in zip((profile.heads, profile.rims), (inks, rims), _SHARES, strict=True):
        off = np.log(known[None] + _DIM) - np.log(seen[:, None] + _DIM)
        weights = share * shares * np.minimum(seen.mean(1) / _BRIGHT, 1)[:, None]
        total += (weights[..., None] * (off - off.mean(-1, keepdims=True))).sum((0, 1))
        weight += float(weights.sum())
    return np.asarray(np.clip(total / weight, -MOST, MOST))
