"""What the page's scripts compute, tested by node's own runner; skipped where node is not installed, but not in CI."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion.games import page_folders

ROOT = Path(__file__).parents[2]


def test_what_the_scripts_compute() -> None:
    node = shutil.which("node")
    if node is None:
        (pytest.fail if os.environ.get("COMPANION_CI") else pytest.skip)("node is not installed")
    command = [node, "--import", "./tests/page/addresses.mjs", "--test", "--test-reporter=tap", "tests/page/"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout


def test_no_shared_file_of_the_page_names_a_game() -> None:
    house = ROOT / "companion"
    shared = [
        *house.glob("web/static/**/*"),
        *house.glob("web/templates/*"),
        *house.glob("web/*.py"),
        *house.glob("views/*.py"),
    ]
    names = re.compile("|".join(page_folders()), re.IGNORECASE)
    assert len(shared) > 50
    named = {
        f"{path.relative_to(house)}: {line.strip()}"
        for path in shared
        if path.is_file() and path.suffix not in (".png", ".mp4")
        for line in path.read_text().splitlines()
        if names.search(line) and not EXAMPLE.match(line)
    }
    assert named == set()


EXAMPLE = re.compile(r"""\s*(>>> |[\[(]?['"]|word: )""")
"""A line of a doctest, what it gives, or an example in a docstring."""
