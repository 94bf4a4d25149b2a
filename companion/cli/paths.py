"""The path of a file or folder as an argument or option of a command, and files that a command writes."""

import os
from pathlib import Path
from typing import Any

import click

from companion.errors import UsageError


class GivenPath(click.Path):
    """A path; click's own takes an empty one, such as an unset variable's, which then means the current folder."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails for an empty one."""
        if not os.fspath(value):
            self.fail("it is empty; the current folder is named by a dot.", param, ctx)
        return super().convert(value, param, ctx)


PATH = GivenPath(path_type=Path)


def write_file(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all, and its folder where there is none. Raises `UsageError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(data)
            return
        whole = path.resolve()
        fresh = whole.with_name(f"{whole.name}.new")
        try:
            fresh.write_bytes(data)
            fresh.replace(whole)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", code="unwritable-file") from None
