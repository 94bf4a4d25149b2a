"""Reading Lanterns: shared stages find and rectify hexagons, and the colour of their spots is the game's own."""

from dataclasses import replace
from typing import Any

import numpy as np

from companion.vision.detection.detector import Head, HeatmapDetector, corners_of, refine_corners
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid, sample_pieces
from companion.vision.results import DetectedCard, Reading, ReadingWarning, confidence_of
from tests.fifth_game.lanterns.deck import INKS, SIDE_MM, SPOT_AT, SPOT_MM

DETECTOR = HeatmapDetector(
    "hexel/detector/weights.onnx", (Head(HEXAGON, spacing=0.5),), good_px=44.0, too_wide_px=92.0, too_small_px=30.0
)
CORNER_REFINER = "hexel/corner_refiner/weights.onnx"
"""Trained on hexagons as large as these: the game needs no network of its own."""
MIN_PRESENCE, MIN_PROBABILITY = 0.5, 0.8
_ANGLES = np.radians(60.0 * np.arange(6))
_SPOTS = SPOT_AT * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], 1)
_COLOURS = np.array([[int(ink[k : k + 2], 16) for k in (5, 3, 1)] for ink in INKS.values()], np.float32)
_SHARPNESS = 12.0
"""How much likelier a colour becomes with its chroma's likeness."""


class Lantern(DetectedCard):
    """One lantern; its one part is its colour."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """As `companion read` prints it."""
        return {
            "colour": self.edges[0],
            "corners": np.round(self.corners.astype(float), 2).tolist(),
            "confidence": round(self.confidence, 4),
        }

    def line(self) -> str:
        """The lantern for people."""
        return f"{self.edges[0] or '?':>6}  {self.confidence:.2f}"


class LanternClassifier:
    """A `companion.vision.results.Classifier`: names a lantern by the colour of its spots."""

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """Probability of each colour for lanterns (N, 6, 2): (N, 1, 3)."""
        spots = _chroma(sample_pieces(pyramid, HEXAGON.pose_of(corners), _SPOTS, SPOT_MM / SIDE_MM)).mean(1)
        length = np.linalg.norm(spots, axis=-1, keepdims=True) + 1e-6
        odds = np.exp(_SHARPNESS * (spots / length @ _chroma(_COLOURS).T - 1))
        return np.asarray(odds / odds.sum(-1, keepdims=True))[:, None]

    def accept(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `Classifier`."""
        names = list(INKS)
        return tuple(names[int(p.argmax())] if p.max() >= MIN_PROBABILITY else None for p in probabilities)


def read_lanterns(bgr: np.ndarray, classifier: Any = None, across_px: float | None = None) -> Reading:
    """The lanterns on one picture, uint8 (h, w, 3), from left to right."""
    classifier = classifier or LanternClassifier()
    pyramid = Pyramid.of(bgr)
    found = DETECTOR.detect(pyramid, MIN_PRESENCE, across_px)
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found))
    cards = []
    for one, outline, probabilities in zip(found, corners, classifier.classify(pyramid, corners), strict=True):
        labels = classifier.accept(probabilities)
        sure = confidence_of(one.confidence, probabilities, labels)
        cards.append(Lantern(None, labels, outline, sure, one.confidence, probabilities))
    ordered = sorted(cards, key=lambda card: card.centre)
    numbered = tuple(replace(card, cell=(number, 0)) for number, card in enumerate(ordered))
    warnings = () if numbered else (ReadingWarning("nothing-found", "no lantern on this picture"),)
    return Reading(numbered, (), warnings, classifier)


def align(card: DetectedCard, model: DetectedCard) -> DetectedCard:
    """The lantern by itself: it looks alike whichever corner it begins with."""
    return replace(card, cell=None)


def _chroma(bgr: np.ndarray) -> np.ndarray:
    """The colours (N, 3) without their brightness, of length 1."""
    chroma = bgr - bgr.mean(-1, keepdims=True)
    return np.asarray(chroma / (np.linalg.norm(chroma, axis=-1, keepdims=True) + 1e-6))
