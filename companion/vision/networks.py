"""The trained networks: where they lie, loading them with a check of their bytes, and the two engines that run them."""

import hashlib
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import ClassVar, Protocol

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.errors import ModelError

_HERE = Path(__file__).resolve().parent.parent
_PLACES = (_HERE / "models", _HERE.parent / "models")
"""Installed inside the package; in a checkout beside it."""
_REINSTALL = "install companion again"


class Network(Protocol):
    """A trained network with one input and one output; several threads may run it at the same time."""

    def forward(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Run the network on a batch (N, C, H, W); returns its raw output (N, ...)."""
        ...


class OnnxRuntimeNetwork:
    """A network in onnxruntime, one session for the whole process, on the calling thread alone.

    Raises `ValueError` when the bytes are no network.
    """

    engine: ClassVar[str] = "onnxruntime"

    def __init__(self, weights: bytes) -> None:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as errors

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the other cores are for web and camera
        options.enable_cpu_mem_arena = options.enable_mem_pattern = (
            False  # kept for each size of picture: 60 MB after eight games
        )
        options.log_severity_level = 3  # errors; its warnings are about graphs that run well
        try:
            self._session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        except (errors.Fail, errors.InvalidArgument, errors.InvalidGraph, errors.InvalidProtobuf) as error:
            raise ValueError(str(error)) from None
        self._input = self._session.get_inputs()[0].name

    def forward(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """See `Network`."""
        return np.asarray(self._session.run(None, {self._input: np.ascontiguousarray(batch, np.float32)})[0])


_KNOWN_SIDES = {
    b"\x12\x06height": b"\x08\xe0\x82\x80\x80\x80\x80\x00",
    b"\x12\x05width": b"\x08\x80\x85\x80\x80\x80\x00",
}
"""How an ONNX file says that an input's sides are free, and that they are 352 and 640 (as long, by padded varints).

OpenCV takes free sides for 1 while it loads, with which a concatenation of maps of two strides fails. Once loaded, it
takes pictures of any size.
"""


class OpenCvNetwork(threading.local):
    """A network in OpenCV's dnn, whose state threads cannot share: each thread that runs it loads its own copy.

    Raises `ValueError` when the bytes are no network.
    """

    engine: ClassVar[str] = "OpenCV"

    def __init__(self, weights: bytes) -> None:  # `threading.local` calls it again in each thread
        for free, known in _KNOWN_SIDES.items():
            weights = weights.replace(free, known)
        try:
            self._net = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
        except cv2.error as error:
            raise ValueError(str(error)) from None

    def forward(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """See `Network`."""
        self._net.setInput(np.ascontiguousarray(batch, np.float32))
        return np.array(self._net.forward(), np.float32)  # a copy: OpenCV writes the next output over this one


@cache
def engine() -> type[OnnxRuntimeNetwork] | type[OpenCvNetwork]:
    """The fastest engine that this installation can import."""
    try:
        import onnxruntime  # noqa: F401  # here, not above: it takes a fifth of a second that most commands need not wait
    except ImportError:
        return OpenCvNetwork
    return OnnxRuntimeNetwork


def model_path(name: str) -> Path:
    """The file of a model, ``game/network/weights.onnx``. Raises `ModelError` when the installation lacks it."""
    return _find_model(name, _PLACES)


@cache
def _find_model(name: str, places: tuple[Path, ...]) -> Path:
    for place in places:
        if (place / name).is_file():
            return place / name
    raise ModelError(f"the model {name} is missing from this installation: {_REINSTALL}")


@cache
def checksum(name: str) -> str:
    """The SHA-256 that a model's file should have, from ``weights.sha256`` beside it. Raises `ModelError`."""
    try:
        return model_path(name).with_suffix(".sha256").read_text("ascii").split()[0]
    except (OSError, ValueError, IndexError):
        raise ModelError(f"the model {name} has no checksum: {_REINSTALL}") from None


_LOADED: dict[Path, Network] = {}
_LOADING = threading.Lock()


def network(name: str) -> Network:
    """A network, loaded once in a process. Raises `ModelError` when it is missing or not what its checksum says."""
    path = model_path(name)
    with _LOADING:
        if path not in _LOADED:
            _LOADED[path] = load(path, engine())
        return _LOADED[path]


def load(path: Path, engine: Callable[[bytes], Network]) -> Network:
    """Load a network's file into an engine, after comparing it with ``weights.sha256`` beside it.

    Raises:
        ModelError: a file cannot be read, the checksum differs, or the engine cannot load it.
    """
    name = "/".join(path.parts[-3:])
    try:
        weights, line = path.read_bytes(), path.with_suffix(".sha256").read_text("ascii")
        expected = line.split()[0]
    except (OSError, ValueError, IndexError) as error:
        reason = getattr(error, "strerror", None) or "its checksum file holds no checksum"
        raise ModelError(f"the model {name} cannot be read, {reason}: {_REINSTALL}") from None
    if hashlib.sha256(weights).hexdigest() != expected:
        raise ModelError(f"the model {name} is damaged, its checksum is not that of weights.sha256: {_REINSTALL}")
    try:
        return engine(weights)
    except ValueError:
        raise ModelError(f"the model {name} cannot be read, it is no whole network: {_REINSTALL}") from None


LEVELS = np.arange(256, dtype=np.float32) / np.float32(255) - np.float32(0.5)
"""What each of a picture's levels is to a network, -0.5..0.5."""


def picture_planes(bgr: MatLike, levels: NDArray[np.float32] = LEVELS) -> NDArray[np.float32]:
    """A picture as networks take it.

    Args:
        bgr: uint8 (H, W, 3).
        levels: what each of its levels becomes, (256,) or of each channel (3, 256); -0.5..0.5 as it stands.

    Returns:
        float32 (3, H, W).
    """
    planes = np.empty((3, *bgr.shape[:2]), np.float32)
    for plane, channel, table in zip(planes, cv2.split(bgr), np.broadcast_to(levels, (3, 256)), strict=True):
        cv2.LUT(channel, table, plane)
    return planes


def logistic(logits: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities that logits mean, of any shape; no overflow however sure a network is."""
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-logits, 80.0))))


def logit(likely: NDArray[np.floating], least: float) -> NDArray[np.floating]:
    """The log-odds of probabilities, of none nearer to 0 or 1 than ``least``; what `logistic` undoes."""
    inside = np.clip(likely, least, 1 - least)
    return np.asarray(np.log(inside / (1 - inside)))


def softmax(logits: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities that logits (..., K) of K things mean, one of which is so."""
    exact = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(exact / exact.sum(-1, keepdims=True))


def troubles(names: Iterable[str]) -> tuple[str, ...]:
    """What is wrong with each of these networks that cannot be loaded."""
    found = []
    for name in names:
        try:
            network(name)
        except ModelError as error:
            found.append(error.message)
    return tuple(found)
