"""The journal's lines: one JSON object each, with a checksum that reveals damage.

A line reads ``{"n": 7, "version": 31, ..., "crc": "0badcafe"}``: ``n`` counts the lines of the file from 1, ``crc`` is
the CRC-32 of the line's bytes as they would stand without it.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from companion.rules.limits import JOURNAL_LINE, is_writable, prune, read_json

_CRC = re.compile(rb', "crc": "([0-9a-f]{8})"\}$')
_PICTURE = re.compile(r"[0-9]+\.jpg")
"""The name of a move's picture, which lies in its game's own folder."""


class Damaged(ValueError):
    """A line differs from what was written."""


def line(body: dict[str, Any]) -> bytes:
    r"""A line of the journal, its newline included.

    >>> line({"n": 1})
    b'{"n": 1, "crc": "0af73c42"}\n'
    """
    bare = json.dumps(body).encode()
    return bare[:-1] + f', "crc": "{crc32(bare):08x}"}}\n'.encode()


def body(line: bytes, n: int) -> dict[str, Any]:
    """Parse the ``n``-th line. Raises `Damaged`."""
    sealed = _CRC.search(line.removesuffix(b"\n"))
    if sealed is None:
        raise Damaged("the line is not whole")
    bare = line[: sealed.start()] + b"}"
    if f"{crc32(bare):08x}".encode() != sealed[1]:
        raise Damaged("the line is not what was written")
    value = _value(bare)
    if not isinstance(value, dict) or value.get("n") != n:
        raise Damaged(f"line {n} of the journal should stand here")
    require_kinds(value)
    return value


def require_kinds(body: Mapping[str, Any]) -> None:
    """Raise `Damaged` for a line that has a field of another kind than a table writes, where it has it at all.

    Anybody can write the right checksum: a backup may come from elsewhere, and a hall is told lines by others.
    """
    commands = body.get("commands", [body.get("command", {})])
    is_right = {
        "version": type(body.get("version", 0)) is int,
        "time": _is_time(body.get("when", "")),
        "person": body.get("by") is None or (isinstance(body["by"], str) and is_writable(body["by"])),
        "command": isinstance(commands, list) and all(isinstance(command, dict) for command in commands),
        "picture": body.get("evidence") is None or _is_picture(body["evidence"]),
    }
    for what, is_one in is_right.items():
        if not is_one:
            raise Damaged(f"its {what} is none")


def _is_time(value: Any) -> bool:
    try:
        return value == "" or datetime.fromisoformat(value).astimezone(UTC) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _is_picture(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in ("file", "sha256")):
        return False
    chances = value.get("chances", [])
    is_sure = isinstance(value.get("confidence"), int | float | None)
    return (
        is_sure
        and bool(_PICTURE.fullmatch(value["file"]))
        and isinstance(chances, list)
        and all(map(_is_chance, chances))
    )


def _is_chance(value: Any) -> bool:
    match value:
        case [[*place], {**of}]:
            are_steps = all(isinstance(step, str | int) for step in place)
            return are_steps and all(isinstance(part, int | float) for part in of.values())
    return False


def _value(bare: bytes) -> Any:
    """Parse a line whose checksum is right; values of an earlier version nested too deep are null."""
    try:
        return read_json(bare, JOURNAL_LINE)
    except ValueError as error:
        pruned = prune(bare.decode(errors="replace"), JOURNAL_LINE.nested)
        try:
            return read_json(pruned, JOURNAL_LINE)
        except ValueError:
            raise Damaged(f"the line cannot be read: {error}") from None


def whole_lines(data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The complete lines of a file and the number of bytes that they take; the rest is a torn line.

    Only the last line can be torn: every line is on the disk before the next is begun. A torn line has no newline, or
    holds zeros where a power cut kept the file's new length but not all of its bytes.

    Raises:
        Damaged: a complete line differs from what was written; the message names it.
    """
    bodies: list[dict[str, Any]] = []
    size = 0
    lines = re.findall(rb"[^\n]*\n|[^\n]+$", data)
    for n, text in enumerate(lines, 1):
        if n == len(lines) and (not text.endswith(b"\n") or b"\0" in text):
            break
        try:
            bodies.append(body(text, n))
        except Damaged as damage:
            raise Damaged(f"line {n}: {damage}") from None
        size += len(text)
    return bodies, size
