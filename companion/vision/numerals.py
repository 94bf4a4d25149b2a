"""What is printed on a Comet card: the card seen straight on, and a small network's opinion of its three numbers.

The network (`models/comet-numerals`) is shown the card either way up. Of each way it says what the card shows, a face,
a back or nothing of the kind; how surely it is the right way up; and for each section, from the top, its number.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.comet_finder import HALF_WIDTH, affine_of
from companion.vision.pyramid import Pyramid
from companion.vision.straight import grid, sampled

WIDE, HIGH = 72, 96
"""A card's patch in pixels: three sections of 32."""
REACH = 1.04
"""How far a patch reaches, in half widths and half heights of the card."""
NUMBERS = tuple(range(2, 15))
"""What the classes of a section stand for; one more class is no number."""
KINDS = ("face", "back", "nothing")
OUTPUTS = 3 * (len(NUMBERS) + 1) + len(KINDS) + 1
"""Three sections' classes, the kinds, and the logit of the right way up."""


@dataclass(frozen=True, slots=True, eq=False)
class Opinions:
    """What the network thinks of cards. Probabilities, float32.

    Attributes:
        kinds: (N, 3) of `KINDS`.
        upright: (N,) that the card is the right way up as its corners have it.
        numbers: (N, 2, 3, 14): as the corners have it and upside down; each section from the top; `NUMBERS`, then none.
    """

    kinds: np.ndarray
    upright: np.ndarray
    numbers: np.ndarray

    def sections(self) -> np.ndarray:
        """Of every section from the corners' side, both ways weighed (N, 3, 15): `NUMBERS`, a back, none of these."""
        face, back = self.kinds[:, KINDS.index("face"), None, None], self.kinds[:, KINDS.index("back"), None, None]
        up = self.upright[:, None, None]
        numbers = (up * self.numbers[:, 0] + (1 - up) * self.numbers[:, 1, ::-1])[..., :-1] * face
        backs = np.broadcast_to(back, (*numbers.shape[:2], 1))
        return np.concatenate([numbers, backs, np.maximum(1 - numbers.sum(-1, keepdims=True) - backs, 0)], -1)


_GRID = grid(WIDE, HIGH, (REACH * HALF_WIDTH, REACH))


def cut_cards(pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """Cards (N, 4, 2) seen straight on as their corners have it: (N, HIGH, WIDE, 3) float32, 0..255."""
    return sampled(pyramid, [affine_of(c) for c in corners], _GRID, 2 * REACH / HIGH).reshape(-1, HIGH, WIDE, 3)


def levelled(patches: np.ndarray) -> np.ndarray:
    """Patches with their bright parts brought to one level, the room's light divided out: about -0.5..0.75."""
    sparse = patches[:, ::4, ::4].reshape(len(patches), -1, 3)
    top = np.percentile(sparse, 90, axis=1) if len(patches) else np.ones((0, 3))
    white = np.maximum(0.5 * top + 0.5 * top.max(-1, keepdims=True), 12.0).astype(np.float32)
    return np.asarray(np.minimum(patches / white[:, None, None], 1.25) - np.float32(0.5))


def opinions(net: cv2.dnn.Net, patches: np.ndarray) -> Opinions:
    """What the network thinks of cards seen straight on (N, HIGH, WIDE, 3), shown to it both ways up."""
    n, classes = len(patches), len(NUMBERS) + 1
    if n == 0:
        return Opinions(np.zeros((0, len(KINDS))), np.zeros(0), np.zeros((0, 2, 3, classes)))
    level = levelled(patches)
    both = np.concatenate([level, level[:, ::-1, ::-1]]).transpose(0, 3, 1, 2)
    net.setInput(np.ascontiguousarray(both))
    out = np.asarray(net.forward(), np.float32).reshape(2, n, OUTPUTS)
    numbers = _softmax(out[:, :, : 3 * classes].reshape(2, n, classes, 3).transpose(1, 0, 3, 2))
    kinds = _softmax(out[:, :, 3 * classes : -1].mean(0))
    upright = 1.0 / (1.0 + np.exp(-(out[0, :, -1] - out[1, :, -1]) / 2))
    return Opinions(kinds, upright, numbers)


def _softmax(logits: np.ndarray) -> np.ndarray:
    exact = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(exact / exact.sum(-1, keepdims=True))
