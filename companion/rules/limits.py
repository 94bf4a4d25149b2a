"""Limits of what comes in from outside, checked once: where bytes become values.

Web, records, journal, settings, profiles and calibrations read their bytes here, so that nothing behind them meets a
number of a thousand digits or a list nested a thousand deep. Source: the contract's "Limits".
"""

import errno
import json
import stat
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_PLAYERS = 12
LONGEST_NAME = 40
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that are drawn as nothing: Hangul's fillers and Braille's empty cell."""
_JOINERS = frozenset("\u200c\u200d")
"""Join letters or keep them apart, in Persian and Hindi, and make one sign of several, as of a family's."""
_BYTE_ORDER_MARK = "\ufeff"
_LONGEST_WHOLE = 20
"""Digits of a whole number that is read at all; Python refuses above 4300 only."""


MOST_PIXELS = 64_000_000
"""Of a picture that is decoded: five times a Raspberry Pi camera's; it takes 192 MB of memory."""
MOST_PICTURE_BYTES = 64_000_000
MOST_RECORD_BYTES = 64_000_000
"""Of a record or a journal that is replayed; an evening's has less than one million."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a text may hold.

    Attributes:
        size_bytes: its length.
        nested: how deep lists and objects stand in one another; a list of numbers is 1 deep.
        largest: the size of a number.
    """

    size_bytes: int
    nested: int
    largest: int


COMMAND = Limits(64 * 1024, 16, 10**9)
"""A command, a record's line, the body of a request: the contract's own."""
JOURNAL_LINE = Limits(4 * 1024 * 1024, 24, 10**12)
"""A line of the journal: commands with what they caused, and the version, which grows with every start."""
FILE = Limits(2 * 1024 * 1024, 16, 10**12)
"""Settings, a profile, a calibration, seats."""


def read_json(text: str | bytes, limits: Limits = COMMAND) -> Any:
    """The value of a JSON text in UTF-8. Raises `ValueError` for anything else, and beyond ``limits``.

    >>> read_json('{"cmd": "pass", "player": "Ana"}')
    {'cmd': 'pass', 'player': 'Ana'}
    """
    text = _decoded(text, limits)
    try:
        value = json.loads(text, parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise ValueError(f"{error.msg[:1].lower()}{error.msg[1:]} at {line}column {error.colno}") from None
    except RecursionError:
        raise _too_deep(limits) from None
    _require_within(value, limits)
    return value


def read_toml(text: str | bytes, limits: Limits = FILE) -> dict[str, Any]:
    """The content of a TOML text.

    Raises:
        tomllib.TOMLDecodeError: it is none; the message names the line.
        ValueError: it is beyond ``limits``.
    """
    text = _decoded(text, limits)
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(limits) from None
    _require_within(value, limits)
    return value


def read_file(path: Path, limits: Limits = FILE) -> bytes:
    """A file's bytes, of one that is too large only so many that `read_json` and `read_toml` refuse them.

    Raises:
        OSError: it cannot be read.
    """
    require_file(path)
    with path.open("rb") as file:
        return file.read(limits.size_bytes + 1)


def require_file(path: Path) -> None:
    """Raise `OSError` for a pipe or a device, which could be read for ever, and for what is not there."""
    kind = path.stat().st_mode
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise OSError(errno.EINVAL, "it is no file")


def is_name(text: str) -> bool:
    """Whether a text can be a player's name: 1 to 40 printable characters to see, none that turn the writing direction.

    >>> [is_name(text) for text in ("Ana", "", " ", "Bo\\u202e", "C" * 41)]
    [True, False, False, False, False]
    """
    is_seen = any(map(_is_seen, text))
    return is_seen and len(text) <= LONGEST_NAME and _without_joiners(text).isprintable()


def as_seen(name: str) -> str:
    """The name without what nobody sees of it: blanks around, joiners, whether accents are letters of their own.

    Names that look the same are one name.

    >>> as_seen(" Ana ") == as_seen("Ana"), as_seen("Zoe\u0308") == as_seen("Zo\u00eb")
    (True, True)
    """
    return unicodedata.normalize("NFC", _without_joiners(name)).strip()


def _without_joiners(text: str) -> str:
    """The text without the joiners inside it: between a letter, an accent counting with it, and a letter."""
    around = zip(text, " " + text, text[1:] + " ", strict=False)
    return "".join(
        letter
        for letter, before, after in around
        if not (letter in _JOINERS and (_is_seen(before) or unicodedata.category(before)[0] == "M") and _is_seen(after))
    )


def _is_seen(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LNPS" and letter not in _BLANK


def is_writable(value: Any) -> bool:
    """Whether a JSON value can be written in UTF-8; half a character cannot.

    >>> is_writable({"owner": ["\\U0001f600"]}), is_writable({"owner": ["\\ud83d"]})
    (True, False)
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def prune(text: str, nested: int) -> str:
    """A JSON text with `null` for each list and object that stands deeper than ``nested``.

    Brackets inside strings do not count. What is no JSON stays none.

    >>> prune('{"a": [1, [2]], "b": "[["}', 2)
    '{"a": [1, null], "b": "[["}'
    """
    kept: list[str] = []
    depth, start, is_text = 0, 0, False
    place = 0
    while place < len(text):
        letter = text[place]
        if is_text:
            place += letter == "\\"
            is_text = letter != '"'
        elif letter == '"':
            is_text = True
        elif letter in "[{":
            depth += 1
            if depth == nested + 1:
                kept.append(text[start:place] + "null")
        elif letter in "]}":
            if depth == nested + 1:
                start = place + 1
            depth -= 1
        place += 1
    return "".join(kept) + (text[start:] if depth <= nested else "")


def _decoded(text: str | bytes, limits: Limits) -> str:
    """The text without the byte order mark that some editors put before it."""
    if len(text) > limits.size_bytes:
        raise ValueError(f"it is longer than {limits.size_bytes} bytes")
    if isinstance(text, bytes):
        try:
            return text.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError("it is no text in UTF-8") from None
    if len(text.encode("utf-8", "surrogatepass")) > limits.size_bytes:
        raise ValueError(f"it is longer than {limits.size_bytes} bytes")
    return text.removeprefix(_BYTE_ORDER_MARK)


_NUMBERS, _HOLDERS = (int, float), (dict, list)
"""Tuples, which `isinstance` looks through faster than unions: a profile holds thousands of values."""


def _require_within(value: Any, limits: Limits) -> None:
    level, depth = [value], 0
    while level:
        if any(abs(item) > limits.largest for item in level if isinstance(item, _NUMBERS)):
            raise ValueError(f"a number is larger than {limits.largest}")
        holders = [item for item in level if isinstance(item, _HOLDERS)]
        if holders and (depth := depth + 1) > limits.nested:
            raise _too_deep(limits)
        level = [inner for item in holders for inner in (item.values() if isinstance(item, dict) else item)]


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_WHOLE:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _too_deep(limits: Limits) -> ValueError:
    return ValueError(f"it is nested more than {limits.nested} deep")


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")
