"""What a command shows where a terminal is: how far long work has come, and colour.

All of it is click's own. The bar stands on standard error, so that what a command answers can be piped on; where
standard error is no terminal there is none. Colour is left out where `NO_COLOR` is set (no-color.org).
"""

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, TypeVar

import click

Item = TypeVar("Item")

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}
_ERASE_LINE = "\r\033[K"
_bars_shown: list[str] = []
"""The labels of the bars that stand on the terminal now, one at most."""


def counted(number: int, thing: str) -> str:
    """So many things.

    >>> counted(1, "sample"), counted(3, "sample")
    ('1 sample', '3 samples')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def may_colour() -> bool | None:
    """What click is told of colour: False where people want none, None to see for itself where it writes.

    >>> os.environ["NO_COLOR"] = "1"
    >>> may_colour()
    False
    >>> del os.environ["NO_COLOR"]
    """
    return False if os.environ.get("NO_COLOR") else None


def state_coloured(state: str, text: str) -> str:
    """A text in the colour of a state, ``ok``, ``warn`` or ``fail``; any other stays as it is."""
    return click.style(text, fg=_COLOURS[state]) if state in _COLOURS else text


def progress(items: Iterable[Item], length: int, label: str) -> Iterator[Item]:
    """The items one by one, with a bar that says how many of ``length`` are done; a single one needs none."""
    if length < 2 or not _is_terminal(sys.stderr):
        yield from items
        return
    with click.progressbar(items, length, label, file=sys.stderr, show_pos=True) as bar:
        _bars_shown.append(label)
        try:
            yield from bar
        finally:
            _bars_shown.remove(label)


def say(line: str, **more: Any) -> None:
    """A line of the answer, in place of the bar where both stand on one terminal."""
    if _is_terminal(sys.stdout):
        erase_bar()
    click.echo(line, **more)


def erase_bar() -> None:
    """Make room for a line where a bar stands; the bar comes again with the next item."""
    if _bars_shown:
        click.echo(_ERASE_LINE, nl=False, err=True)


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream writes on a terminal; a program may be started without any."""
    return stream is not None and stream.isatty()
