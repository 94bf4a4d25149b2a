"""What the doctor finds, and the machine as it looks at it: files below a root, commands, nothing changed."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

State = Literal["ok", "warn", "fail", "skipped"]

_RUN_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        name: what was looked at, in a word or two.
        state: ``fail`` when the table cannot run as it is set up, ``warn`` when it will be worse for it, ``skipped``
            when there was nothing to look at.
        found: what was seen, in a line.
        fix: what to do about it, in a line; empty when all is well.
    """

    name: str
    state: State
    found: str
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        """For programs.

        >>> Finding("clock", "ok", "synchronised").as_json()
        {'name': 'clock', 'state': 'ok', 'found': 'synchronised', 'fix': ''}
        """
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run.

    Attributes:
        status: its exit status; None when there is no such command or it took too long.
        output: what it wrote, without the end of the last line.
        complaint: the last line that it wrote on standard error.
    """

    status: int | None
    output: str
    complaint: str = ""


def run(command: Sequence[str]) -> Ran:
    """Run a command with its time limited."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_RUN_WITHIN_S, check=False)
    except (FileNotFoundError, PermissionError):
        return Ran(None, "", f"there is no {command[0]}")
    except subprocess.TimeoutExpired:
        return Ran(None, "", f"{command[0]} did not end within {_RUN_WITHIN_S:g} s")
    return Ran(ended.returncode, ended.stdout.strip(), (ended.stderr.strip().splitlines() or [""])[-1])


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that is looked at; a test puts another root and other commands in."""

    root: Path = Path("/")
    run: Callable[[Sequence[str]], Ran] = run

    def text(self, path: str) -> str:
        """A file's text without its end; empty when it is not there."""
        file = self.root / path.lstrip("/")
        try:
            return file.read_text(errors="replace").strip("\0\n ")
        except OSError:
            return ""

    def exists(self, path: str) -> bool:
        """Whether there is such a file or device."""
        return (self.root / path.lstrip("/")).exists()

    @property
    def model(self) -> str:
        """Which Raspberry Pi this is; empty when it is none."""
        model = self.text("/proc/device-tree/model")
        return model if "Raspberry Pi" in model else ""


Check = Callable[[Machine, Any], Finding | tuple[Finding, ...]]
"""A look at the machine with the table's settings."""
