"""Files that commands write: whole or not at all."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.paths import write_file
from companion.errors import UsageError


def without_room() -> None:
    """No file of this process may grow beyond 2,000 bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_sheet_that_does_not_fit_the_disk_leaves_the_older_one(tmp_path: Path) -> None:
    """What was printed from before was cut short."""
    sheet = tmp_path / "marks.pdf"
    sheet.write_bytes(b"%PDF an older one")
    command = [sys.executable, "-m", "companion", "print", "marks", "--out", str(sheet)]
    bare = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # else modules would be cut short, too
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=bare, preexec_fn=without_room
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "cannot write" in ended.stderr and ended.stderr.count("\n") == 1
    assert sheet.read_bytes() == b"%PDF an older one"
    assert [*tmp_path.iterdir()] == [sheet]


def test_a_file_is_written_through_a_link_and_to_a_device(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    link.symlink_to(file)
    write_file(link, b"new")
    assert file.read_bytes() == b"new" and link.is_symlink()
    write_file(Path("/dev/null"), b"new")
    with pytest.raises(UsageError, match="No space left"):
        write_file(Path("/dev/full"), b"new")
