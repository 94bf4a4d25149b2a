"""The fields of a command and of a header, taken out with exactly the JSON types that the contract asks for.

Every game reads its commands through these, so that `malformed` means the same everywhere: ``true`` is no number,
``"3"`` is no number, ``3.0`` is no whole number. A game reads all fields of a command before it judges any of them,
because `malformed` comes before every other refusal.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

from companion.errors import BadHeader, Refusal
from companion.rules.hexgrid import Cell
from companion.rules.limits import LONGEST_NAME


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a JSON value is a whole number.

    >>> [is_whole(v) for v in (3, -1, True, 3.0, "3", None)]
    [True, True, False, False, False, False]
    """
    return type(value) is int


def command_name(command: object, known: Collection[str]) -> str:
    """The ``cmd`` of a command that is one of ``known``, else `malformed`."""
    if not isinstance(command, Mapping):
        raise malformed("a command is a JSON object")
    name = command.get("cmd")
    if not isinstance(name, str) or name not in known:
        raise malformed(f"no such command: {shown(name)}; there are {', '.join(known)}")
    return name


def text_field(command: Mapping[str, Any], name: str) -> str:
    """A field that must be a string."""
    value = command.get(name)
    if not isinstance(value, str):
        raise _wrong(command, name, "a string")
    return value


def whole_field(command: Mapping[str, Any], name: str) -> int:
    """A field that must be a whole number; of which size is for the game to judge."""
    value = command.get(name)
    if not is_whole(value):
        raise _wrong(command, name, "a whole number")
    return value


def flag_field(command: Mapping[str, Any], name: str, default: bool) -> bool:
    """A field that must be true or false, or may be left out."""
    value = command.get(name, default)
    if not isinstance(value, bool):
        raise _wrong(command, name, "true or false")
    return value


def list_field(command: Mapping[str, Any], name: str) -> list[Any]:
    """A field that must be a list; what stands in it is for the game to judge."""
    value = command.get(name)
    if not isinstance(value, list | tuple):
        raise _wrong(command, name, "a list")
    return list(value)


def object_field(command: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that must be a JSON object; what stands in it is for the game to judge."""
    value = command.get(name)
    if not isinstance(value, Mapping):
        raise _wrong(command, name, "an object")
    return value


def cell_field(command: Mapping[str, Any], name: str) -> Cell:
    """A field that must be two whole numbers, ``[q, r]`` or ``[row, col]``.

    >>> cell_field({"cell": [2, -1]}, "cell")
    (2, -1)
    """
    value = command.get(name)
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(is_whole(v) for v in value):
        raise _wrong(command, name, "two whole numbers")
    return value[0], value[1]


def require_player(name: str, players: Collection[str]) -> None:
    """Refuse, as `unknown-player`, a name that nobody at the table has."""
    if name not in players:
        raise Refusal(
            "unknown-player", f"nobody called {name[:LONGEST_NAME]} plays; at the table are {', '.join(players)}"
        )


def require_options(options: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse a header that names an option the game does not have."""
    for name in options:
        if name not in known:
            raise BadHeader(f"no such option: {shown(name)}; there are {', '.join(known)}")


def whole_option(options: Mapping[str, Any], name: str, default: int) -> int:
    """An option that is an amount or a size: a whole number of 1 or more.

    >>> whole_option({"chips": 40}, "chips", 100), whole_option({}, "chips", 100)
    (40, 100)
    """
    value = options.get(name, default)
    if not is_whole(value) or value < 1:
        raise BadHeader(f"option {name} is {shown(value)}; it must be a whole number of 1 or more")
    return value


def choice_option(options: Mapping[str, Any], name: str, choices: Collection[str]) -> str:
    """An option that is one of a few words; the first of ``choices`` when left out."""
    value = options.get(name, next(iter(choices)))
    if not isinstance(value, str) or value not in choices:
        raise BadHeader(f"option {name} is {shown(value)}; it must be one of {', '.join(choices)}")
    return value


def malformed(message: str) -> Refusal:
    """The refusal of a command that is not in the form the contract gives."""
    return Refusal("malformed", message)


def shown(value: object, most: int = 40) -> str:
    """A value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def _wrong(command: Mapping[str, Any], name: str, wanted: str) -> Refusal:
    if name not in command:
        return malformed(f"{command.get('cmd')} needs {name}, which must be {wanted}")
    return malformed(f"{name} is {shown(command[name])}; it must be {wanted}")
