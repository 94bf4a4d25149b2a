"""The trained networks: which there are, what is said of one that is missing or spoilt, and that engines agree."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import companion
from companion.errors import ModelError
from companion.games import network_files
from companion.vision import networks as models
from companion.vision.networks import OnnxRuntimeNetwork, OpenCvNetwork, load, network

PACKAGE = Path(companion.__file__).parent


def test_every_network_that_is_asked_for_is_listed_and_there() -> None:
    asked = {
        name for file in PACKAGE.rglob("*.py") for name in re.findall(r'"(\w+/\w+/weights\.onnx)"', file.read_text())
    }
    assert set(network_files()) == asked
    assert all(models.model_path(name).is_file() for name in network_files())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this process looks for its networks, none of which is loaded yet."""
    monkeypatch.setattr(models, "_PLACES", (tmp_path,))
    return tmp_path


def test_a_missing_network_is_named_with_what_to_do(place: Path) -> None:
    with pytest.raises(ModelError, match=r"hexel/detector/weights\.onnx is missing.*install companion again"):
        network("hexel/detector/weights.onnx")


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"\x08\x07\x12\x07pytorch"])
def test_a_spoilt_network_is_named_with_what_to_do(place: Path, content: bytes) -> None:
    (place / "hexel/detector").mkdir(parents=True)
    (place / "hexel/detector/weights.onnx").write_bytes(content)
    (place / "hexel/detector/weights.sha256").write_text(f"{hashlib.sha256(content).hexdigest()}  weights.onnx\n")
    for engine in (OnnxRuntimeNetwork, OpenCvNetwork):
        with pytest.raises(ModelError, match=r"hexel/detector/weights\.onnx cannot be read.*install companion again"):
            load(models.model_path("hexel/detector/weights.onnx"), engine)


@pytest.mark.parametrize(
    "change", [lambda weights: weights[:-1], lambda weights: weights[:5000] + b"?" + weights[5001:]]
)
def test_a_network_that_is_not_the_one_of_its_checksum_is_refused(
    place: Path, change: Callable[[bytes], bytes]
) -> None:
    whole = PACKAGE.parent / "models/hexel/detector"
    (place / "hexel/detector").mkdir(parents=True)
    (place / "hexel/detector/weights.onnx").write_bytes(change((whole / "weights.onnx").read_bytes()))
    (place / "hexel/detector/weights.sha256").write_bytes((whole / "weights.sha256").read_bytes())
    with pytest.raises(ModelError, match=r"hexel/detector/weights\.onnx is damaged.*install companion again"):
        network("hexel/detector/weights.onnx")


@pytest.mark.parametrize("checksum", [None, ""])
def test_a_network_without_a_checksum_is_refused(place: Path, checksum: str | None) -> None:
    (place / "hexel/detector").mkdir(parents=True)
    (place / "hexel/detector/weights.onnx").write_bytes(b"")
    if checksum is not None:
        (place / "hexel/detector/weights.sha256").write_text(checksum)
    with pytest.raises(ModelError, match=r"hexel/detector/weights\.onnx cannot be read.*install companion again"):
        network("hexel/detector/weights.onnx")


def test_every_checksum_is_in_the_form_of_sha256sum() -> None:
    for name in network_files():
        path = models.model_path(name)
        assert (
            path.with_suffix(".sha256").read_text()
            == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  weights.onnx\n"
        )


SHAPES = {
    "detector": [(3, 160, 192), (3, 288, 512), (3, 96, 64)],
    "corner_refiner": [(3, 48, 48)],
    "symbol_classifier": [(3, 24, 24)],
    "embedding": [(6, 24, 24)],
    "tile_classifier": [(3, 48, 48)],
    "numeral_classifier": [(3, 96, 72)],
    "number_classifier": [(3, 32, 48)],
    "keypoints": [(4, 96, 96)],
    "refiner": [(3, 40, 40)],
    "judge": [(29,)],
    "insect_classifier": [(3, 168, 168), (3, 96, 144)],
}
"""The pictures that each network is given: detectors any whole number of strides, insects fields of any size."""


@pytest.mark.parametrize("name", network_files())
def test_both_engines_give_the_same_answers(name: str) -> None:
    rng = np.random.default_rng(7)
    path = models.model_path(name)
    first, second = load(path, OnnxRuntimeNetwork), load(path, OpenCvNetwork)
    for shape in SHAPES[path.parent.name]:
        for count in (1, 5, 2):
            batch = rng.uniform(-0.5, 0.75, (count, *shape)).astype(np.float32)
            answers, others = first.forward(batch), second.forward(batch)
            assert answers.dtype == others.dtype == np.float32 and answers.shape == others.shape
            assert np.abs(answers - others).max() < 1e-3
            flipped = batch[..., ::-1, ::-1] if len(shape) > 1 else batch[..., ::-1]  # not in the order of memory
            assert np.abs(first.forward(flipped) - second.forward(flipped)).max() < 1e-3


@pytest.mark.parametrize("engine", [OnnxRuntimeNetwork, OpenCvNetwork])
def test_threads_share_a_network(engine: type[OnnxRuntimeNetwork] | type[OpenCvNetwork]) -> None:
    net = load(models.model_path("hexel/corner_refiner/weights.onnx"), engine)
    rng = np.random.default_rng(3)
    batches = [rng.uniform(-0.5, 0.75, (1 + i % 4, 3, 48, 48)).astype(np.float32) for i in range(24)]
    expected = [net.forward(batch) for batch in batches]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(net.forward, batches))
    assert all(np.array_equal(one, other) for one, other in zip(answers, expected, strict=True))


def test_without_onnxruntime_opencv_runs_the_networks() -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from companion.vision.networks import network; print(type(network('hexel/embedding/weights.onnx')).__name__)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "OpenCvNetwork"


def test_a_picture_becomes_planes_about_zero_as_in_training() -> None:
    bgr = np.random.default_rng(3).integers(0, 256, (5, 7, 3), np.uint8)
    expected = bgr.transpose(2, 0, 1).astype(np.float32) / np.float32(255) - np.float32(0.5)
    assert np.array_equal(models.picture_planes(bgr), expected)
