"""Classifies rectified crops of Comet cards: face or back, which way up, and the number in each of three sections.

The network (`models/comet/numeral_classifier`) reads the numerals of any printing with one number above the other, so
that no deck needs to be taught. It is run on both rotations of a card where one leaves a doubt.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.detector import CARD, HALF_WIDTH
from companion.games.comet.vision.results import BACK, NUMBERS
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid, percentiles, warp
from companion.vision.networks import Network, logistic, network, softmax

WIDE, HIGH = 72, 96
"""The size of a card's crop in pixels: three sections of 32."""
REACH = 1.04
"""How far a patch reaches, in half widths and half heights of the card."""
KINDS = ("face", "back", "nothing")
OUTPUTS = 3 * (len(NUMBERS) + 1) + len(KINDS) + 1
"""Three sections' classes, the kinds, and the logit of the right way up."""


@dataclass(frozen=True, slots=True, eq=False)
class NumeralScores:
    """The network's probabilities for cards, float32.

    Attributes:
        kinds: (N, 3) of `KINDS`.
        upright: (N,) that the card is the right way up as its corners have it.
        numbers: (N, 2, 3, 14): as the corners have it and upside down; each section from the top; `NUMBERS`, then none.
            Upside down they mean nothing where one pass was enough.
    """

    kinds: NDArray[np.floating]
    upright: NDArray[np.floating]
    numbers: NDArray[np.floating]

    def sections(self) -> NDArray[np.float32]:
        """The probabilities (N, 3, 15) of `NAMES` in each section, over both rotations."""
        face, back = self.kinds[:, KINDS.index("face"), None, None], self.kinds[:, KINDS.index("back"), None, None]
        up = self.upright[:, None, None]
        numbers = (up * self.numbers[:, 0] + (1 - up) * self.numbers[:, 1, ::-1])[..., :-1] * face
        backs = np.broadcast_to(back, (*numbers.shape[:2], 1))
        return np.concatenate([numbers, backs, np.maximum(1 - numbers.sum(-1, keepdims=True) - backs, 0)], -1)


_UNIT_FROM_PATCH = REACH * np.array(
    [[2 / WIDE * HALF_WIDTH, 0, (1 / WIDE - 1) * HALF_WIDTH], [0, 2 / HIGH, 1 / HIGH - 1]]
)
"""From a patch's pixels to the card's unit frame (2, 3)."""


def cut_cards(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Rectified crops (N, HIGH, WIDE, 3) of cards (N, 4, 2)."""
    centres, affines = CARD.pose_of(corners)
    image_from_patch = affines @ _UNIT_FROM_PATCH
    image_from_patch[..., 2] += centres
    steps = np.sqrt(np.abs(np.linalg.det(affines))) * 2 * REACH / HIGH
    patches = [warp(pyramid, one, (WIDE, HIGH), step) for one, step in zip(image_from_patch, steps, strict=True)]
    return np.array(patches, np.uint8).reshape(-1, HIGH, WIDE, 3)


def white_balance(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Patches (N, h, w, 3) white-balanced by their bright parts: float32, about -0.5..0.75."""
    sparse = patches[:, ::4, ::4].reshape(len(patches), -1, 3)
    top = percentiles(sparse, 90) if len(patches) else np.ones((0, 3))
    white = np.maximum(0.5 * top + 0.5 * top.max(-1, keepdims=True), 12.0).astype(np.float32)
    level = patches / white[:, None, None]
    np.minimum(level, np.float32(1.25), out=level)
    level -= np.float32(0.5)
    return np.asarray(level)


def score_numerals(net: Network, patches: NDArray[np.uint8], is_upside_down: NDArray[np.bool_]) -> NumeralScores:
    """Classify rectified crops (N, HIGH, WIDE, 3), in both rotations unless the first is clear.

    Those of which ``is_upside_down`` (N,) says so are first shown the other way up.
    """
    n, classes = len(patches), len(NUMBERS) + 1
    if n == 0:
        return NumeralScores(np.zeros((0, len(KINDS))), np.zeros(0), np.zeros((0, 2, 3, classes)))
    planes = np.ascontiguousarray(patches.transpose(0, 3, 1, 2))
    level = white_balance(planes.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    level[is_upside_down] = level[is_upside_down, :, ::-1, ::-1]
    first = _run(net, level)
    second = np.column_stack([first[:, :-1], -first[:, -1]])
    is_open = ~_is_clear(first)
    if is_open.any():
        second[is_open] = _run(net, level[is_open, :, ::-1, ::-1])
    first, second = np.where(is_upside_down[:, None], [second, first], [first, second])
    kinds = softmax((_kinds(first) + _kinds(second)) / 2)
    upright = logistic((first[:, -1] - second[:, -1]) / 2)
    return NumeralScores(kinds, upright, softmax(np.stack([_numbers(first), _numbers(second)], 1)))


def _run(net: Network, level: NDArray[np.floating]) -> NDArray[np.float32]:
    """The network's logits (N, OUTPUTS) for white-balanced patches (N, 3, HIGH, WIDE)."""
    return np.asarray(net.forward(np.ascontiguousarray(level)), np.float32)


def _is_clear(answers: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Whether one pass is enough (N,): a back or nothing, or an upright face with all its numbers."""
    kinds, least = softmax(_kinds(answers)), softmax(_numbers(answers)).max(-1).min(-1)
    face = (
        (kinds[:, 0] > LIMITS.plain_look) & (logistic(answers[:, -1]) > LIMITS.plain_look) & (least > LIMITS.plain_look)
    )
    return np.asarray(face | (kinds[:, 1:].max(-1) > LIMITS.plain_look))


def _numbers(answers: NDArray[np.floating]) -> NDArray[np.float32]:
    """Each section's logits (N, 3, 14)."""
    return answers[:, : -len(KINDS) - 1].reshape(len(answers), -1, 3).transpose(0, 2, 1)


def _kinds(answers: NDArray[np.floating]) -> NDArray[np.float32]:
    return answers[:, -len(KINDS) - 1 : -1]


NAMES = (*map(str, NUMBERS), BACK, None)
"""The names of the classes of `NumeralScores.sections`."""


@dataclass(frozen=True, slots=True, eq=False)
class PretrainedNumerals:
    """The classifier for any plain printing. See `Classifier`.

    Attributes:
        upwards: the way (2,) in which most cards look up on the picture: they are shown to the network that way first;
            None or zeros where it is not known.
    """

    upwards: NDArray[np.floating] | None = None

    def read_numerals(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NumeralScores:
        """Classify cards (N, 4, 2)."""
        is_upside_down = np.zeros(len(corners), bool)
        if self.upwards is not None:
            is_upside_down = (corners[:, :2].sum(1) - corners[:, 2:].sum(1)) @ self.upwards < 0
        return score_numerals(
            network("comet/numeral_classifier/weights.onnx"), cut_cards(pyramid, corners), is_upside_down
        )

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """The probabilities (N, 3, 15) of `NAMES` in the sections of cards (N, 4, 2)."""
        return self.read_numerals(pyramid, corners).sections()

    def accept(self, probabilities: NDArray[np.floating]) -> tuple[str | None, ...]:
        """See `Classifier`. A 6 that may be a 9 upside down is only as likely as its rotation, and so rejected."""
        best = zip(probabilities.argmax(-1).tolist(), probabilities.max(-1).tolist(), strict=True)
        return tuple(NAMES[k] if p >= LIMITS.sure_number else None for k, p in best)
