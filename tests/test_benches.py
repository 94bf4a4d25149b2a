"""The benches are run by hand; whatever is renamed, they still find what they measure."""

import runpy
from pathlib import Path

import pytest

BENCHES = Path(__file__).parent / "bench"


@pytest.mark.parametrize("path", sorted(BENCHES.glob("*.py")), ids=lambda path: path.stem)
def test_a_bench_finds_all_that_it_imports(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHES))
    assert runpy.run_path(str(path))["__doc__"]
