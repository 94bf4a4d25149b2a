"""Settings read from TOML: every problem with its line and what would do, and the same settings as commented text.

What a setting may be stands beside its default (`setting`): its kind is its annotation, its limits and what it is for
are given with it. So the file's checks, its documentation and its defaults cannot come apart.
"""

import difflib
import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.errors import BadSettings


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that a settings file says wrongly.

    Attributes:
        setting: the setting's name, such as ``web.port``; empty for the file as a whole.
        message: what is wrong, and what would do.
        line: of the file, from 1; None where that cannot be told.
    """

    setting: str
    message: str
    line: int | None = None

    def as_line(self, source: str) -> str:
        """In one line.

        >>> Problem("web.port", "it is 'x'; it must be a whole number", 3).as_line("companion.toml")
        "companion.toml:3: web.port: it is 'x'; it must be a whole number"
        """
        where = source if self.line is None else f"{source}:{self.line}"
        return f"{where}: {self.setting}: {self.message}" if self.setting else f"{where}: {self.message}"


def setting(default: Any, says: str, *, example: Any = None, one_of: tuple[str, ...] = (), **limits: float) -> Any:
    """A setting's field.

    Args:
        default: what holds when the file does not say.
        says: what it is for, in a line.
        example: shown where the default is None or empty.
        one_of: the texts that it may be.
        limits: ``least`` and ``most`` of a number, ``shortest`` of a text.
    """
    metadata = {"says": says, "example": example, "one_of": one_of, **limits}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def read_sections(kind: type, content: Mapping[str, Any], lines: "Lines") -> tuple[Any, tuple[Problem, ...]]:
    """Settings from what a TOML file says; where it says what cannot be, the default stands in for it.

    Args:
        kind: a dataclass of sections, each a dataclass of settings.
        content: the file's content.
        lines: where in the file each thing stands.
    """
    sections = {section.name: typing.cast(type, section.type) for section in fields(kind)}
    problems = [_unknown(name, list(sections), "", lines.of(name)) for name in content if name not in sections]
    read = {}
    for name, section in sections.items():
        values = content.get(name, {})
        if isinstance(values, Mapping):
            read[name], found = _read_section(section, values, name, lines)
            problems += found
        else:
            problems.append(Problem(name, f"it is a value; it must be a section, [{name}]", lines.of(name)))
    return kind(**read), tuple(problems)


def commented(kind: type) -> str:
    """All settings as a TOML file that says nothing yet: each with what it is for and its default or an example."""
    parts = ["# companion.toml: every setting with its default. Take the # away from a line and change it.\n"]
    for section in fields(kind):
        parts.append(f"\n[{section.name}]\n")
        for each in fields(typing.cast(type, section.type)):
            shown = each.default if each.default is not MISSING else {}
            if shown is None or shown in ((), {}):
                shown = each.metadata["example"]
            parts.append(f"# {each.metadata['says']}\n# {each.name} = {_toml(shown)}\n")
    return "".join(parts)


def described(settings: Any) -> dict[str, dict[str, Any]]:
    """Every setting for programs, by section and name: its ``value``, its ``default``, and what it ``says``."""
    return {
        section.name: {
            each.name: {
                "value": _plain(getattr(getattr(settings, section.name), each.name)),
                "default": _plain(each.default if each.default is not MISSING else {}),
                "says": each.metadata["says"],
            }
            for each in fields(typing.cast(type, section.type))
        }
        for section in fields(settings)
    }


def _plain(value: Any) -> Any:
    """A setting's value in JSON types."""
    return str(value) if isinstance(value, Path) else dict(value) if isinstance(value, Mapping) else value


class Lines:
    """Where in a TOML text each key stands. Tells the usual forms; for others it does not guess."""

    _HEAD = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?$")
    _KEY = re.compile(r"\s*([\w-]+)\s*(?:\.\s*([\w-]+)\s*)?=")

    def __init__(self, text: str = "") -> None:
        self._at: dict[str, int] = {}
        section = ""
        for number, line in enumerate(text.splitlines(), 1):
            if head := self._HEAD.match(line):
                section = head[1]
                self._at.setdefault(section, number)
            elif key := self._KEY.match(line):
                name = ".".join(part for part in (section, key[1], key[2]) if part)
                self._at.setdefault(name, number)

    def of(self, name: str) -> int | None:
        """The line of a section or a setting.

        >>> Lines("[web]\\nport = 1").of("web.port")
        2
        """
        return self._at.get(name)


def _read_section(kind: type, values: Mapping[str, Any], name: str, lines: Lines) -> tuple[Any, tuple[Problem, ...]]:
    known = {each.name: each for each in fields(kind)}
    wanted = typing.get_type_hints(kind)
    good: dict[str, Any] = {}
    problems = []
    for key, value in values.items():
        full = f"{name}.{key}"
        if key not in known:
            problems.append(_unknown(key, list(known), f"{name}.", lines.of(full)))
            continue
        try:
            good[key] = _value(wanted[key], value, known[key].metadata)
        except BadSettings as error:
            problems.append(Problem(full, error.message, lines.of(full)))
    return kind(**good), tuple(problems)


def _unknown(key: str, known: list[str], prefix: str, line: int | None) -> Problem:
    near = difflib.get_close_matches(key, known, 1, 0.6)
    would = f"did you mean {prefix}{near[0]}?" if near else f"there are {', '.join(known)}"
    return Problem(prefix + key, f"no such setting; {would}", line)


def _value(wanted: Any, value: Any, limits: Mapping[str, Any]) -> Any:
    """A value as its setting takes it. Raises `BadSettings` with what is wrong."""
    kinds = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    read = next((done for kind in kinds if (done := _as_kind(kind, value)) is not None), None)
    if read is None:
        raise BadSettings(f"it is {value!r}; it must be {_named(kinds)}")
    if Path in kinds and value == "":
        raise BadSettings("it is empty; leave it out, or name the folder of the program's start by a dot")
    if limits["one_of"] and read not in limits["one_of"]:
        near = difflib.get_close_matches(str(read), limits["one_of"], 1, 0.6)
        would = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(limits['one_of'])}"
        raise BadSettings(f"it is {value!r}; {would}")
    if isinstance(read, str) and len(read.strip()) < (shortest := int(limits.get("shortest", 0))):
        raise BadSettings(f"it has {len(read.strip())} characters; it must have {shortest} or more, or be left out")
    for number in read if isinstance(read, tuple) else (read,):
        if type(number) in (int, float):
            _refuse_beyond(number, limits)
    return read


def _refuse_beyond(number: float, limits: Mapping[str, Any]) -> None:
    least, most = limits.get("least", 0), limits.get("most")
    if not number >= least or (most is not None and number > most):  # nan is neither
        upper = f" to {most:g}" if most is not None else " or more"
        raise BadSettings(f"it is {number}; it must be {least:g}{upper}")


def _as_kind(kind: Any, value: Any) -> Any:
    """The value as one kind; None when it is not of that kind."""
    if kind in (str, bool) and type(value) is kind:
        return value
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    if kind is int and type(value) is int:
        return value
    if kind is float and type(value) in (int, float):
        return float(value)
    if kind == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if kind == tuple[int, ...] and isinstance(value, list) and all(type(item) is int for item in value):
        return tuple(value)
    if kind == Mapping[str, Any] and isinstance(value, Mapping):
        return dict(value)
    return None


def _named(kinds: tuple[Any, ...]) -> str:
    words = {str: "a text", Path: "a path, as a text", int: "a whole number", float: "a number", bool: "true or false"}
    words |= {
        tuple[str, ...]: "a list of texts",
        tuple[int, ...]: "a list of whole numbers",
        Mapping[str, Any]: "a table, as in {chips = 100}",
    }
    return " or ".join(words[kind] for kind in kinds if kind in words)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)
