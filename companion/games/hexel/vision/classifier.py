"""Classifies the symbols at a card's six edges from rectified patches, white-balanced by the card's own face.

A patch shows one symbol with "outwards" up, 24 x 24 pixels, 0.62 of the apothem wide, centred where the reference art
has its symbols (0.76 of the apothem).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid, percentiles, sample_pieces
from companion.vision.networks import Network, network, softmax
from companion.vision.results import Classifier

CLASSES = ("red", "blue-disc", "void", "blue-diamond", "yellow", "other")
NAMES = ("red", "blue", "void", "blue", "yellow", None)
"""The symbol each class stands for; `other` is no symbol at all."""

PATCH = 24
FACE_VALUE = 0.75
"""The value of a light face after white balance; 1.25 is the highest value of a patch."""
_APOTHEM = float(np.sqrt(3.0) / 2.0)
_HALF = 0.31 * _APOTHEM


_ANGLES = np.radians(-60.0 * np.arange(6))
_OUTWARDS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], 1)


def _patch_points(upwards: NDArray[np.float64], at: float = 0.76) -> NDArray[np.float64]:
    """Points of the six patches in the card's unit frame (6 * PATCH * PATCH, 2), whose tops lie in directions (6, 2).

    Their middles lie at a share of the apothem.
    """
    steps = (np.arange(PATCH) + 0.5) / PATCH * 2 - 1
    v, u = (_HALF * np.stack(np.meshgrid(-steps, steps, indexing="ij")))[..., None]  # rows run from top to bottom
    across = np.stack([-upwards[:, 1], upwards[:, 0]], 1)
    middles = at * _APOTHEM * _OUTWARDS[:, None, None]
    points = (middles + v * upwards[:, None, None]) + u * across[:, None, None]
    return np.asarray(points.reshape(-1, 2))


def _face_points() -> NDArray[np.float64]:
    """Points (N, 2) of a card's face without symbols: a disc in the middle and six places towards the corners."""
    rings = [(0.0, 1, 0.0), (0.2, 6, 0.0), (0.38, 12, 15.0)]
    points = []
    for radius, count, first in rings:
        a = np.radians(np.arange(count) * 360.0 / count + first)
        points.append(radius * _APOTHEM * np.stack([np.cos(a), np.sin(a)], 1))
    points.append(0.84 * HEXAGON.unit)
    points.append(0.66 * HEXAGON.unit)
    return np.concatenate(points)


_PATCH_POINTS = _patch_points(_OUTWARDS)
_ON_CARD = 0.92
"""The share of the apothem within which an upright patch shows the card; elsewhere it shows the bare face, whatever the
direction in which the rim lies."""
_FACE_POINTS = _face_points()


def cut_patches(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """Cut the six symbol patches of every card.

    Args:
        corners: (N, 6, 2) pixels, clockwise.

    Returns:
        Patches (N, 6, PATCH, PATCH, 3) float32, colours over the card's face times `FACE_VALUE`, at most 1.25.
    """
    return over_face(*raw_patches(pyramid, corners), FACE_VALUE)


def over_face(
    colours: NDArray[np.floating], faces: NDArray[np.floating], face_value: NDArray[np.floating] | float
) -> NDArray[np.float32]:
    """Raw patches (N, 6, PATCH, PATCH, 3) over their cards' faces (N, 3) times its value, at most 1.25."""
    gain = np.asarray(face_value, np.float32) / faces
    return np.asarray(np.minimum(colours * gain[:, None, None, None], np.float32(1.25)))


def raw_patches(pyramid: Pyramid, corners: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The six patches (N, 6, PATCH, PATCH, 3) of cards (N, 6, 2) and the cards' faces (N, 3): BGR without white
    balance, 0..255; see `cut_patches`.
    """
    colours = sample_pieces(pyramid, HEXAGON.pose_of(corners), _PATCH_POINTS, 2 * _HALF / PATCH)
    return colours.reshape(-1, 6, PATCH, PATCH, 3), face_colours(pyramid, corners)


def upright_patches(
    pyramid: Pyramid, corners: NDArray[np.floating], turn: int, at: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Patches and faces as `raw_patches`, whose tops all lie in one of the card's directions.

    Args:
        turn: the direction.
        at: where the patches' middles lie, as a share of the apothem.
    """
    points, is_beside = _upright_points(turn, at)
    colours = sample_pieces(pyramid, HEXAGON.pose_of(corners), points, 2 * _HALF / PATCH)
    faces = face_colours(pyramid, corners)
    patches = colours.reshape(-1, 6, PATCH, PATCH, 3)
    return np.where(is_beside, faces[:, None, None, None], patches), faces


@lru_cache(maxsize=64)
def _upright_points(turn: int, at: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The points of upright patches, see `_patch_points`, and which lie beside the card (6, PATCH, PATCH, 1)."""
    points = _patch_points(np.broadcast_to(_OUTWARDS[turn], (6, 2)), at)
    is_beside = (points @ _OUTWARDS.T).max(-1) > _ON_CARD * _APOTHEM
    return points, is_beside.reshape(6, PATCH, PATCH, 1)


def face_colours(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """The colours (N, 3) of cards' faces (N, 6, 2), BGR, 0..255, without white balance."""
    shown = sample_pieces(pyramid, HEXAGON.pose_of(corners), _FACE_POINTS, 0.12)
    return np.asarray(np.maximum(percentiles(shown, 50), 6.0))


_FOOT = 5
"""Width in pixels of a patch's two inner corners, which show the bare face."""


def bare_face(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """The colour (N, S, 1, 1, 3) of the bare face in each raw patch (N, S, PATCH, PATCH, 3)."""
    feet = np.concatenate([colours[:, :, -_FOOT:, :_FOOT], colours[:, :, -_FOOT:, -_FOOT:]], axis=3)
    return np.asarray(np.median(feet.reshape(*feet.shape[:2], -1, 3), axis=2)[:, :, None, None])


_GAMMA, _DARKEST = 2.2, 1e-4
"""A picture's levels rise with that root of the light; less light than the second is none to compare with."""
_INNER = slice(4, -4)
"""The rows and columns of a patch that show its symbol."""


def contrast_levels(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """The contrast (N, S), in levels of 255, of raw patches (N, S, PATCH, PATCH, 3) to the bare face."""
    off = np.abs(colours - bare_face(colours)).max(-1)[:, :, _INNER, _INNER]
    return np.asarray(np.percentile(off.reshape(*off.shape[:2], -1), 90, axis=2))


def is_unevenly_lit(colours: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which cards (N,) of raw patches (N, S, PATCH, PATCH, 3) a lamp veils on one side.

    What is printed stands out least where the bare face is far lighter than where it stands out most; what lies on a
    card does not show as that.
    """
    levels, faces = contrast_levels(colours), bare_face(colours).max((2, 3, 4))
    least, most = (np.take_along_axis(faces, at[:, None], 1)[:, 0] for at in (levels.argmin(1), levels.argmax(1)))
    return np.asarray(least >= LIMITS.veiled_face * most)


def without_reflection(
    colours: NDArray[np.float32], faces: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Raw patches (N, S, PATCH, PATCH, 3) of one deck and its cards' faces (N, 3) without a lamp's reflection.

    It adds as much light to what is printed as to the bare face, and fades across one dark card at least; where light
    is only dimmer, what is printed has less of it, too. All bare faces are then as dark as the darkest.
    """
    light, bare = _light_of(colours), _light_of(bare_face(colours))
    off = np.abs(light - bare).max(-1)[:, :, _INNER, _INNER]
    printed = np.percentile(off.reshape(*off.shape[:2], -1), 90, axis=2)
    level, each = bare.max((2, 3, 4)), np.arange(len(bare))
    lit, dim = level.argmax(1), level.argmin(1)
    added = (bare[each, lit] - bare[each, dim])[:, 0, 0]
    is_lamp = (level[each, lit] >= LIMITS.lit_face * level[each, dim]) & (added.max(1) >= LIMITS.lit_by)
    is_lamp &= np.ptp(added, axis=1) <= LIMITS.lamp_tint * added.max(1)
    is_lamp &= printed[each, lit] <= LIMITS.lit_print * printed[each, dim]
    if not is_lamp.any():
        return colours, faces
    darkest = bare.reshape(-1, 3)[level.argmin()]
    return _levels_of(light - np.maximum(bare - darkest, 0)), np.minimum(faces, _levels_of(darkest))


def _light_of(levels: NDArray[np.floating]) -> NDArray[np.float32]:
    """How much light levels of 255 show, as a share of white."""
    return np.asarray((levels / 255) ** _GAMMA, np.float32)


def _levels_of(light: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(255 * np.maximum(light, _DARKEST) ** (1 / _GAMMA), np.float32)


def contrast(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """The difference of patches to the bare face in them, whatever veil of light covers the card.

    Args:
        colours: raw patches (N, 6, PATCH, PATCH, 3), 0..255.

    Returns:
        The same shape: 0 for the bare face, 0.75 for the highest contrast on the card; within 1.25.
    """
    off = colours - bare_face(colours)
    most = np.percentile(np.abs(off[:, :, ::2, ::2]).max(-1).reshape(*off.shape[:2], -1), 85, axis=2)
    usual = np.maximum(np.sort(most, axis=1)[:, -2], 6.0)  # the second of six: one symbol may have a glint
    return np.asarray(np.clip(off * (np.float32(0.75) / usual)[:, None, None, None, None], -1.25, 1.25), np.float32)


def class_probabilities(net: Network, patches: NDArray[np.floating]) -> NDArray[np.float32]:
    """Probability of each of `CLASSES` for each patch: (N, 6, PATCH, PATCH, 3) -> (N, 6, C) float32."""
    n = len(patches)
    if n == 0:
        return np.zeros((0, 6, len(CLASSES)), np.float32)
    blob = np.ascontiguousarray(patches.reshape(-1, PATCH, PATCH, 3).transpose(0, 3, 1, 2)) - np.float32(0.5)
    logits = net.forward(blob).reshape(n, 6, -1)
    return np.asarray(softmax(logits), np.float32)


EDITION_CLASSES = {"36": ("red", "blue-disc", "void"), "46": ("red", "blue-diamond", "yellow")}


class SymbolClassifier(Classifier, Protocol):
    """Classifies the six symbols of cards."""

    @property
    def names(self) -> tuple[str | None, ...]:
        """The name of each class; None for no symbol."""

    def with_edition(self, probabilities: NDArray[np.floating]) -> "SymbolClassifier":
        """The classifier for the edition of the table's symbols (N, 6, C)."""


@dataclass(frozen=True, slots=True)
class PretrainedSymbols:
    """The classifier of the reference printing. ``edition`` is None until it is known. See `SymbolClassifier`."""

    edition: str | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `SymbolClassifier`."""
        return NAMES

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
        """See `Classifier`."""
        patches = cut_patches(pyramid, corners)
        return class_probabilities(network("hexel/symbol_classifier/weights.onnx"), patches)

    def with_edition(self, probabilities: NDArray[np.floating]) -> "PretrainedSymbols":
        """With the most probable edition of the table's symbols, unless it is known."""
        if self.edition is not None:
            return self
        weight = probabilities.reshape(-1, len(CLASSES)).sum(0)
        score = {e: sum(float(weight[CLASSES.index(c)]) for c in classes) for e, classes in EDITION_CLASSES.items()}
        return replace(self, edition=max(score, key=lambda e: score[e]))

    def accept(self, probabilities: NDArray[np.floating]) -> tuple[str | None, ...]:
        """See `Classifier`; a symbol of another edition is rejected."""
        allowed = [self.edition is None or c in EDITION_CLASSES[self.edition] for c in CLASSES]
        return accept_symbols(probabilities, tuple(n if ok else None for n, ok in zip(NAMES, allowed, strict=True)))


def accept_symbols(probabilities: NDArray[np.floating], names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The names (6,) of confident symbols; the least confident of three kinds on a card is rejected."""
    best, confidences = probabilities.argmax(-1), probabilities.max(-1)
    accepted = [names[k] if p >= LIMITS.sure_symbol else None for k, p in zip(best, confidences, strict=True)]
    _reject_third_kind(accepted, confidences)
    return tuple(accepted)


def faces_of(symbols: NDArray[np.integer]) -> list[tuple[int, ...]]:
    """The faces of cards with such symbols (N, 6) along their edges: the same whichever way up a card lies."""
    return [min(tuple(six[k:] + six[:k]) for k in range(6)) for six in symbols.tolist()]


def _reject_third_kind(names: list[str | None], confidences: NDArray[np.float32]) -> None:
    """Reject the least confident kind while a card has more than two kinds of symbol."""
    while len(kinds := {n for n in names if n is not None}) > 2:
        weakest = min(kinds, key=lambda k: sum(float(s) for n, s in zip(names, confidences, strict=True) if n == k))
        for d in range(6):
            if names[d] == weakest:
                names[d] = None
