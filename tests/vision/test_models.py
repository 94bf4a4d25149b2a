"""The trained networks: which there are, and what is said of one that is missing or spoilt."""

import re
from pathlib import Path

import pytest

from companion.errors import ModelError
from companion.vision import models
from companion.vision.models import NETWORKS, network

PACKAGE = Path(models.__file__).parent


def test_every_network_that_is_asked_for_is_listed_and_there() -> None:
    asked = {name for file in PACKAGE.rglob("*.py") for name in re.findall(r'"([\w/-]+\.onnx)"', file.read_text())}
    assert set(NETWORKS) == asked
    assert all(models.model_path(name).is_file() for name in NETWORKS)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this process looks for its networks, none of which is loaded yet."""
    monkeypatch.setattr(models, "_PLACES", (tmp_path,))
    monkeypatch.setattr(models, "_LOADED", models._Loaded())
    return tmp_path


def test_a_missing_network_is_named_with_what_to_do(place: Path) -> None:
    with pytest.raises(ModelError, match=r"hexel-finder/finder\.onnx is missing.*install companion again"):
        network("hexel-finder/finder.onnx")


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"\x08\x07\x12\x07pytorch"])
def test_a_spoilt_network_is_named_with_what_to_do(place: Path, content: bytes) -> None:
    (place / "hexel-finder").mkdir()
    (place / "hexel-finder" / "finder.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=r"hexel-finder/finder\.onnx cannot be read.*install companion again"):
        network("hexel-finder/finder.onnx")
