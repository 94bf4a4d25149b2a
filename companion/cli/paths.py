"""The path of a file or folder as an argument or option of a command."""

import os
from pathlib import Path
from typing import Any

import click


class GivenPath(click.Path):
    """A path; click's own takes an empty one, such as an unset variable's, which then means the current folder."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails for an empty one."""
        if not os.fspath(value):
            self.fail("it is empty; the current folder is named by a dot.", param, ctx)
        return super().convert(value, param, ctx)


PATH = GivenPath(path_type=Path)
