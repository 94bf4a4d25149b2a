"""What a table does when the hub asks: gives a picture, takes a ruling as a correction, begins a game, ends a call."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from companion.errors import CompanionError, Refusal
from companion.hub.messages import decode, encode
from companion.referee.feed import Feed
from companion.referee.messages import REFEREE_CALLED, Answer, Begin, Correct, Message, Notice
from companion.referee.moves import Change
from companion.referee.session import Session
from companion.rules.records import read_header

PICTURE = "image/jpeg"
JSON = "application/json"

_MAX_COMMANDS = 32
_MAX_NAME = 40


class TableSide(Protocol):
    """What the hub's people need of a table's referee; `companion.referee.referee.Referee` is one."""

    feed: Feed

    def latest(self) -> Session:
        """The session as it is now."""

    def ask(self, message: Message) -> Answer:
        """Ask and wait for what came of it. Raises `CompanionError`."""

    def evidence(self, number: int) -> bytes | None:
        """The picture that a move was read from."""

    def proposal_evidence(self) -> bytes | None:
        """The picture that the waiting proposal was read from."""

    def health(self) -> dict[str, Any]:
        """``{"journal": {"file", "lines"}}`` and more."""

    @property
    def games(self) -> Path:
        """The folder of the table's games."""


def answered(table: TableSide, payload: bytes) -> tuple[str, bytes]:
    """The kind and the bytes of the answer to one request; a refusal is an answer too."""
    try:
        asked = decode(payload)
        match asked.get("ask"):
            case "evidence":
                return PICTURE, _picture(table, asked)
            case "correct":
                said = _corrected(table, asked)
            case "begin":
                said = _begun(table, asked)
            case "dismiss":
                said = table.ask(Notice(REFEREE_CALLED, None)).version
            case other:
                raise Refusal("malformed", f"A table cannot be asked for {json.dumps(other)[:40]}.")
    except CompanionError as error:
        return JSON, encode({"ok": False, "error": error.as_json()})
    return JSON, encode({"ok": True, "version": said})


def _picture(table: TableSide, asked: Mapping[str, Any]) -> bytes:
    number = asked.get("move")
    jpeg = table.evidence(number) if type(number) is int else table.proposal_evidence()
    if jpeg is None:
        raise Refusal("no-picture", "No picture was kept of that.")
    return jpeg


def _corrected(table: TableSide, asked: Mapping[str, Any]) -> int:
    at, replaced, commands, cut = (asked.get(name) for name in ("at", "replaced", "commands", "cut"))
    if type(at) is not int or type(replaced) is not int or type(cut) is not bool or not isinstance(commands, list):
        raise Refusal("malformed", "A correction has at and replaced, whole numbers, commands, a list, and cut.")
    if len(commands) > _MAX_COMMANDS:
        raise Refusal("malformed", f"A correction has at most {_MAX_COMMANDS} commands.")
    by = asked.get("by")
    name = f"{by[:_MAX_NAME]} (referee)" if isinstance(by, str) and by.strip() else "the hall's referee"
    answer = table.ask(Correct(Change(at, replaced, tuple(commands), cut), _version(asked), name))
    return answer.version


def _begun(table: TableSide, asked: Mapping[str, Any]) -> int:
    """A game in progress is never taken off the table from afar."""
    session = table.latest()
    if session.moves and session.game.view(session.state)["result"] is None:
        raise Refusal("game-in-progress", f"A game of {session.header.game} is being played on this table.")
    return table.ask(Begin(read_header(asked.get("header")))).version


def _version(asked: Mapping[str, Any]) -> int | None:
    version = asked.get("version")
    if version is not None and type(version) is not int:
        raise Refusal("malformed", "The version is a whole number.")
    return version
