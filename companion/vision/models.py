"""Where the trained networks lie, their loading through OpenCV, and what their logits mean."""

import threading
from pathlib import Path

import cv2
import numpy as np

from companion.errors import ModelError

_HERE = Path(__file__).resolve().parent.parent
_PLACES = (_HERE / "models", _HERE.parent / "models")
"""Installed inside the package; in a checkout beside it."""

NETWORKS = (
    "comet-finder/finder.onnx",
    "comet-numerals/numerals.onnx",
    "comet-pose/pose.onnx",
    "hexapod-finder/finder.onnx",
    "hexapod-insects/insects.onnx",
    "hexapod-pose/pose.onnx",
    "hexdragon-finder/finder.onnx",
    "hexdragon-pose/pose.onnx",
    "hexdragon-tiles/tiles.onnx",
    "hexel-finder/finder.onnx",
    "hexel-likeness/likeness.onnx",
    "hexel-pose/pose.onnx",
    "hexel-symbols/symbols.onnx",
    "outline/detector/weights.onnx",
    "outline/refiner/weights.onnx",
)
"""Every network of an installation that is whole."""


def model_path(name: str) -> Path:
    """The file of a model, ``folder/file.onnx``. Raises `ModelError` when the installation lacks it."""
    for place in _PLACES:
        if (place / name).is_file():
            return place / name
    raise ModelError(f"the model {name} is missing from this installation: install companion again")


class _Loaded(threading.local):
    """The networks of one thread: OpenCV's are not to be shared between threads."""

    def __init__(self) -> None:
        self.networks: dict[str, cv2.dnn.Net] = {}


_LOADED = _Loaded()


def network(name: str) -> cv2.dnn.Net:
    """A network, loaded once by each thread that asks for it. Raises `ModelError` when it is missing or spoilt."""
    if name not in _LOADED.networks:
        _LOADED.networks[name] = _read(name)
    return _LOADED.networks[name]


def logistic(logits: np.ndarray) -> np.ndarray:
    """The probabilities that logits mean, however sure a network is."""
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-logits, 80.0))))


def softmax(logits: np.ndarray) -> np.ndarray:
    """The probabilities that logits (..., K) of K things mean, one of which is so."""
    exact = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(exact / exact.sum(-1, keepdims=True))


def troubles() -> tuple[str, ...]:
    """What is wrong with each network that cannot be loaded."""
    found = []
    for name in NETWORKS:
        try:
            network(name)
        except ModelError as error:
            found.append(error.message)
    return tuple(found)


def _read(name: str) -> cv2.dnn.Net:
    path = model_path(name)
    try:
        return cv2.dnn.readNetFromONNX(np.fromfile(path, np.uint8))
    except (OSError, cv2.error) as error:
        reason = getattr(error, "strerror", None) or "it is no whole network"
        raise ModelError(f"the model {name} cannot be read, {reason}: install companion again") from None
