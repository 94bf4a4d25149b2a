"""What is printed at a card's six edges: patches cut, measured against the card's own face, and named.

A patch shows one symbol with "outwards" up, 24 x 24 pixels, 0.62 of the apothem wide, centred where the reference art
has its symbols (0.76 of the apothem). Colours are divided by the card's own face, so the room's light drops out.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.classification.classifier import Classifier
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid, sample_pieces
from companion.vision.networks import Network, network, softmax

CLASSES = ("red", "blue-disc", "void", "blue-diamond", "yellow", "other")
NAMES = ("red", "blue", "void", "blue", "yellow", None)
"""The symbol each class stands for; `other` is no symbol at all."""

PATCH = 24
FACE_VALUE = 0.75
"""What a light face becomes once the light is divided out, 1 being the brightest a patch can tell."""
_APOTHEM = float(np.sqrt(3.0) / 2.0)
_RADIUS = 0.76 * _APOTHEM
_HALF = 0.31 * _APOTHEM


def _patch_points() -> np.ndarray:
    """Points of the six patches in the card's unit frame (6, PATCH, PATCH, 2)."""
    steps = (np.arange(PATCH) + 0.5) / PATCH * 2 - 1
    v, u = np.meshgrid(-steps, steps, indexing="ij")  # rows run from outside to inside
    angles = np.radians(-60.0 * np.arange(6))
    out = np.stack([np.cos(angles), np.sin(angles)], 1)
    across = np.stack([-out[:, 1], out[:, 0]], 1)
    radial = _RADIUS + _HALF * v
    return np.asarray(
        radial[None, ..., None] * out[:, None, None] + (_HALF * u)[None, ..., None] * across[:, None, None]
    )


def _face_points() -> np.ndarray:
    """Points of a card's face that carry no symbol (N, 2): a middle disc and the six places towards the corners."""
    rings = [(0.0, 1, 0.0), (0.2, 6, 0.0), (0.38, 12, 15.0)]
    points = []
    for radius, count, first in rings:
        a = np.radians(np.arange(count) * 360.0 / count + first)
        points.append(radius * _APOTHEM * np.stack([np.cos(a), np.sin(a)], 1))
    points.append(0.84 * HEXAGON.unit)
    points.append(0.66 * HEXAGON.unit)
    return np.concatenate(points)


_PATCH_POINTS = _patch_points().reshape(-1, 2)
_FACE_POINTS = _face_points()


def cut_patches(
    pyramid: Pyramid, corners: np.ndarray, face_value: np.ndarray | float = FACE_VALUE
) -> tuple[np.ndarray, np.ndarray]:
    """Cut the six symbol patches of every card.

    Args:
        pyramid: the picture.
        corners: (N, 6, 2) pixels, clockwise.
        face_value: what the face becomes, one number or one a colour (3,).

    Returns:
        Patches (N, 6, PATCH, PATCH, 3) float32, colours over the card's face times its value, at most 1.25; and the
        faces' colours (N, 3) float32, BGR.
    """
    colours, faces = raw_patches(pyramid, corners)
    return over_face(colours, faces, face_value), faces


def over_face(colours: np.ndarray, faces: np.ndarray, face_value: np.ndarray | float) -> np.ndarray:
    """Raw patches (N, 6, PATCH, PATCH, 3) over their cards' faces (N, 3) times its value, at most 1.25."""
    gain = np.asarray(face_value, np.float32) / faces
    return np.asarray(np.minimum(colours * gain[:, None, None, None], np.float32(1.25)))


def raw_patches(pyramid: Pyramid, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The six patches of every card as the camera saw them, and the cards' faces: see `cut_patches`; 0..255."""
    poses = HEXAGON.pose_of(corners)
    colours = sample_pieces(pyramid, poses, _PATCH_POINTS, 2 * _HALF / PATCH)
    faces = np.maximum(np.median(sample_pieces(pyramid, poses, _FACE_POINTS, 0.12), axis=1), 6.0)
    return colours.reshape(-1, 6, PATCH, PATCH, 3), faces


_FOOT = 5
"""The corners of a patch that lie towards the card's middle, so many pixels wide, show its bare face."""


def bare_face(colours: np.ndarray) -> np.ndarray:
    """The bare face beside each of the raw patches (N, S, PATCH, PATCH, 3): (N, S, 1, 1, 3)."""
    feet = np.concatenate([colours[:, :, -_FOOT:, :_FOOT], colours[:, :, -_FOOT:, -_FOOT:]], axis=3)
    return np.asarray(np.median(feet.reshape(*feet.shape[:2], -1, 3), axis=2)[:, :, None, None])


_INNER = slice(4, -4)
"""Of a patch's rows and columns: where a symbol is."""


def levels_apart(colours: np.ndarray) -> np.ndarray:
    """By how many levels of 255 what raw patches (N, S, PATCH, PATCH, 3) show stands out from the bare face: (N, S)."""
    off = np.abs(colours - bare_face(colours)).max(-1)[:, :, _INNER, _INNER]
    return np.asarray(np.percentile(off.reshape(*off.shape[:2], -1), 90, axis=2))


def contrast(colours: np.ndarray) -> np.ndarray:
    """How patches stand out from the bare face beside them, whatever veil of light lies over the card.

    Args:
        colours: raw patches (N, 6, PATCH, PATCH, 3), 0..255.

    Returns:
        The same shape, the bare face 0, what stands out most plainly on the card 0.75; within 1.25.
    """
    off = colours - bare_face(colours)
    most = np.percentile(np.abs(off[:, :, ::2, ::2]).max(-1).reshape(*off.shape[:2], -1), 85, axis=2)
    usual = np.maximum(np.sort(most, axis=1)[:, -2], 6.0)  # the second of six: a glint on one symbol does not count
    return np.asarray(np.clip(off * (np.float32(0.75) / usual)[:, None, None, None, None], -1.25, 1.25), np.float32)


def class_probabilities(net: Network, patches: np.ndarray) -> np.ndarray:
    """Probability of each of `CLASSES` for each patch: (N, 6, PATCH, PATCH, 3) -> (N, 6, C) float32."""
    n = len(patches)
    if n == 0:
        return np.zeros((0, 6, len(CLASSES)), np.float32)
    blob = np.ascontiguousarray(patches.reshape(-1, PATCH, PATCH, 3).transpose(0, 3, 1, 2)) - np.float32(0.5)
    logits = net.forward(blob).reshape(n, 6, -1)
    return np.asarray(softmax(logits), np.float32)


EDITION_CLASSES = {"36": ("red", "blue-disc", "void"), "46": ("red", "blue-diamond", "yellow")}


class SymbolClassifier(Classifier, Protocol):
    """Names the six symbols of cards."""

    @property
    def names(self) -> tuple[str | None, ...]:
        """What each class is called; None for no symbol at all."""

    def settled(self, probabilities: np.ndarray) -> "SymbolClassifier":
        """The classifier once it has seen the table's symbols (N, 6, C): one edition for the whole table."""


@dataclass(frozen=True, slots=True)
class PretrainedSymbols:
    """The reference printing and its kin. ``edition`` None until it is known. See `SymbolClassifier`."""

    edition: str | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `SymbolClassifier`."""
        return NAMES

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Classifier`."""
        patches, _ = cut_patches(pyramid, corners)
        return class_probabilities(network("hexel/symbol_classifier/weights.onnx"), patches)

    def settled(self, probabilities: np.ndarray) -> "PretrainedSymbols":
        """With the edition that the table's symbols speak for, unless it was known."""
        if self.edition is not None:
            return self
        weight = probabilities.reshape(-1, len(CLASSES)).sum(0)
        score = {e: sum(float(weight[CLASSES.index(c)]) for c in classes) for e, classes in EDITION_CLASSES.items()}
        return replace(self, edition=max(score, key=lambda e: score[e]))

    def accept(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `Classifier`; a symbol of another edition is doubted."""
        allowed = [self.edition is None or c in EDITION_CLASSES[self.edition] for c in CLASSES]
        return accept_symbols(probabilities, tuple(n if ok else None for n, ok in zip(NAMES, allowed, strict=True)))


def accept_symbols(probabilities: np.ndarray, names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The names (6,) of what is certain; of a third kind on one card the least certain is doubted."""
    best, sure = probabilities.argmax(-1), probabilities.max(-1)
    told = [names[k] if p >= LIMITS.sure_symbol else None for k, p in zip(best, sure, strict=True)]
    _doubt_third_kind(told, sure)
    return tuple(told)


def _doubt_third_kind(names: list[str | None], sure: np.ndarray) -> None:
    """A card has one or two kinds of symbol: of a third, the least certain kind becomes unsure."""
    while len(kinds := {n for n in names if n is not None}) > 2:
        weakest = min(kinds, key=lambda k: sum(float(s) for n, s in zip(names, sure, strict=True) if n == k))
        for d in range(6):
            if names[d] == weakest:
                names[d] = None
