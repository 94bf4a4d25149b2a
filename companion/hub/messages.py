"""What tables and hubs say to each other: topics, and messages as JSON with the version of their schema.

companion/HALL/TABLE/up/event       one line of a journal; QoS 1, in order, at least once, never retained
companion/HALL/TABLE/up/snapshot    how the table stands, below 2 kB; retained, repeated as a sign of life
companion/HALL/TABLE/up/presence    birth and last will; retained
companion/HALL/TABLE/up/answer/...  an answer to what a hub asked; a picture as it is, anything else as JSON
companion/HALL/TABLE/down/position  up to where the hub keeps the table's events
companion/HALL/TABLE/down/ask       what a hub asks: a picture, a correction, a new game

A table may write under its ``up`` and read under its ``down``; who it is stands in the topic, which the broker checks.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.errors import BadSettings, CompanionError
from companion.referee.lines import Damaged, require_kinds
from companion.rules.limits import Limits, read_json

SCHEMA = 1
MAX_EVENT_BYTES = 256 * 1024
"""Four times the longest command, for what it causes stands in its line too."""
_MESSAGE = Limits(MAX_EVENT_BYTES, 26, 10**12)
"""A journal's line, in two more objects."""
MAX_SNAPSHOT_BYTES = 2000

_ROOT = "companion"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_GAME = re.compile(r"\d{4,9}-[0-9a-f]{8}")
MAX_LINE = 20_000
"""Fifty times the longest evening of the tests; a game is followed to the line before, whoever writes on."""


class Unreadable(CompanionError):
    """A message that is not what a table or a hub of this version sends."""

    default_code = "unreadable-message"


class OtherSchema(Unreadable):
    """A message of another version; ``fields["schema"]`` says which."""

    default_code = "other-schema"


class Position(NamedTuple):
    """A line of a table's journals. ``game`` is the journal's number and its first line's checksum."""

    game: str
    line: int


class Address(NamedTuple):
    """A table: its hall and its name."""

    hall: str
    table: str

    def topic(self, *parts: str) -> str:
        """A topic of this table.

        >>> Address("hall", "table-01").topic("up", "event")
        'companion/hall/table-01/up/event'
        """
        return "/".join((_ROOT, *self, *parts))


def address(hall: str, table: str) -> Address:
    """The address of a table. Raises `BadSettings` for a name that cannot be part of a topic."""
    for name in (hall, table):
        if not _NAME.fullmatch(name):
            raise BadSettings(f"hub: {name!r} is no name; it takes small letters, digits and hyphens, 40 at most")
    return Address(hall, table)


def is_table_name(name: str) -> bool:
    """Whether a table can be called so."""
    return _NAME.fullmatch(name) is not None


def read_topic(topic: str) -> tuple[Address, tuple[str, ...]] | None:
    """Whose topic it is and what follows ``up`` or ``down``; None for a topic that is no table's.

    >>> read_topic("companion/hall/table-01/up/event")
    (Address(hall='hall', table='table-01'), ('event',))
    """
    root, *names = topic.split("/")
    if root != _ROOT or len(names) < 4 or not all(_NAME.fullmatch(name) for name in names[:2]):
        return None
    return Address(names[0], names[1]), tuple(names[3:])


def encode(body: Mapping[str, Any]) -> bytes:
    """A message's bytes, the version of its schema first."""
    return json.dumps({"schema": SCHEMA, **body}, ensure_ascii=False, separators=(",", ":")).encode()


def decode(payload: bytes, max_bytes: int = MAX_EVENT_BYTES) -> dict[str, Any]:
    """A message's content. Raises `OtherSchema`, and `Unreadable` for what is none."""
    if len(payload) > max_bytes:
        raise Unreadable(f"a message of {len(payload)} bytes; {max_bytes} are the most")
    try:
        body = read_json(payload, _MESSAGE)
        if _SURROGATE.search(payload):
            json.dumps(body, ensure_ascii=False).encode()  # whoever passes it on must be able to write it
    except ValueError as error:  # a `UnicodeEncodeError` is one
        raise Unreadable(f"a message that is not JSON: {error}") from None
    if not isinstance(body, dict) or type(body.get("schema")) is not int:
        raise Unreadable("a message without the version of its schema")
    if body["schema"] != SCHEMA:
        raise OtherSchema(f"a message of schema {body['schema']}; this is {SCHEMA}", schema=body["schema"])
    return body


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal on its way to the hub.

    Attributes:
        after: the line before it, of this game or the last of the game before; None for the very first.
        body: the journal's line without its checksum.
    """

    position: Position
    after: Position | None
    body: Mapping[str, Any]

    def payload(self) -> bytes:
        """As it is published."""
        return encode({**self.position._asdict(), "after": self.after, "body": self.body})


def read_entry(payload: bytes) -> Entry:
    """The line that an event message carries. Raises `Unreadable`."""
    message = decode(payload)
    position, after, body = _position(message), message.get("after"), message.get("body")
    if position is None or not isinstance(body, dict) or body.get("n") != position.line:
        raise Unreadable("an event that is no line of a journal")
    try:
        require_kinds(body)
    except Damaged as damage:
        raise Unreadable(f"an event that is no line of a journal: {damage}") from None
    if after is not None:
        if not isinstance(after, list) or len(after) != 2:
            raise Unreadable("an event that follows nothing there can be")
        after = _position({"game": after[0], "line": after[1]})
    if position.line > 1 and after != Position(position.game, position.line - 1):
        raise Unreadable("an event that does not follow the line before it")
    if position.line == 1 and after is not None and after.game == position.game:
        raise Unreadable("a first line that follows its own game")
    return Entry(position, after, body)


def read_position(message: Mapping[str, Any]) -> Position | None:
    """The position that a message names; None where it names none. Raises `Unreadable`."""
    return None if message.get("game") is None else _position(message)


def _position(message: Mapping[str, Any]) -> Position:
    game, line = message.get("game"), message.get("line")
    if not isinstance(game, str) or not _GAME.fullmatch(game) or type(line) is not int or not 0 < line < MAX_LINE:
        raise Unreadable("no position in a journal")
    return Position(game, line)
