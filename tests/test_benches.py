"""The benches are run by hand; whatever is renamed, they still find what they measure."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

BENCHES, SOAKS = Path(__file__).parent / "bench", Path(__file__).parent / "soak"


@pytest.mark.parametrize("path", sorted((*BENCHES.glob("*.py"), *SOAKS.glob("*.py"))), ids=lambda path: path.stem)
def test_a_bench_finds_all_that_it_imports(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHES))
    assert runpy.run_path(str(path))["__doc__"]


def test_every_reader_of_bytes_answers_some_that_are_almost_right() -> None:
    command = (sys.executable, SOAKS / "fuzz.py", "--seconds", "0.1")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
