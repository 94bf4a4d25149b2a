"""Where the trained networks lie, and their loading through OpenCV."""

from functools import lru_cache
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


@lru_cache(maxsize=16)
def network(name: str) -> cv2.dnn.Net:
    """A network, loaded once a process. OpenCV's networks are not to be shared between threads."""
    return cv2.dnn.readNetFromONNX(str(model_path(name)))
