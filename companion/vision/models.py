"""Where the trained networks lie, and their loading through OpenCV."""

import threading
from pathlib import Path

import cv2

from companion.errors import TableError

_HERE = Path(__file__).resolve().parent.parent
_PLACES = (_HERE / "models", _HERE.parent / "models")
"""Installed inside the package; in a checkout beside it."""


def model_path(name: str) -> Path:
    """The file of a model, ``folder/file.onnx``. Raises `TableError` when the installation lacks it."""
    for place in _PLACES:
        if (place / name).is_file():
            return place / name
    raise TableError(f"the model {name} is missing from this installation: install companion again", code="no-model")


class _Loaded(threading.local):
    """The networks of one thread: OpenCV's are not to be shared between threads."""

    def __init__(self) -> None:
        self.networks: dict[str, cv2.dnn.Net] = {}


_LOADED = _Loaded()


def network(name: str) -> cv2.dnn.Net:
    """A network, loaded once by each thread that asks for it."""
    if name not in _LOADED.networks:
        _LOADED.networks[name] = cv2.dnn.readNetFromONNX(str(model_path(name)))
    return _LOADED.networks[name]
