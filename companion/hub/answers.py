"""Answers the hub's requests to a table: a picture, a correction, a new game, the end of a call."""

import json
from collections.abc import Mapping
from typing import Any

from companion.errors import CompanionError, Refusal
from companion.hub.messages import decode, encode
from companion.referee.messages import REFEREE_CALLED, Begin, Correct, Notice
from companion.referee.moves import Change
from companion.referee.referee import Referee
from companion.rules.records import read_header, require_distinct
from companion.views.words import phrase

PICTURE = "image/jpeg"
JSON = "application/json"

_MAX_COMMANDS = 32
_MAX_NAME = 40


def answer(table: Referee, payload: bytes) -> tuple[str, bytes]:
    """The content type and the bytes of the answer to one request; a refusal is an answer too."""
    try:
        request = decode(payload)
        match request.get("ask"):
            case "evidence":
                return PICTURE, _picture(table, request)
            case "correct":
                version = _correct(table, request)
            case "begin":
                version = _begin(table, request)
            case "dismiss":
                version = table.ask(Notice(REFEREE_CALLED, None)).version
            case other:
                raise Refusal("malformed", f"A table cannot be asked for {json.dumps(other)[:40]}.")
    except CompanionError as error:
        return JSON, encode({"ok": False, "error": error.as_json()})
    return JSON, encode({"ok": True, "version": version})


def _picture(table: Referee, request: Mapping[str, Any]) -> bytes:
    number = request.get("move")
    jpeg = table.evidence(number) if type(number) is int else table.proposal_evidence()
    if jpeg is None:
        raise Refusal("no-evidence", "No picture was kept of that.")
    return jpeg


def _correct(table: Referee, request: Mapping[str, Any]) -> int:
    at, replaced, commands, cut = (request.get(name) for name in ("at", "replaced", "commands", "cut"))
    if type(at) is not int or type(replaced) is not int or type(cut) is not bool or not isinstance(commands, list):
        raise Refusal("malformed", "A correction has at and replaced, whole numbers, commands, a list, and cut.")
    if len(commands) > _MAX_COMMANDS:
        raise Refusal("malformed", f"A correction has at most {_MAX_COMMANDS} commands.")
    by = request.get("by")
    name = phrase("hub", "by-hall")
    if isinstance(by, str) and by.strip():
        name = phrase("hub", "by-referee", name=by[:_MAX_NAME])
    return table.ask(Correct(Change(at, replaced, tuple(commands), cut), _version(request), name)).version


def _begin(table: Referee, request: Mapping[str, Any]) -> int:
    """Begin a game; refused while another is in progress."""
    session = table.latest()
    if session.moves and session.game.view(session.state)["result"] is None:
        raise Refusal("game-in-progress", f"A game of {session.header.game} is being played on this table.")
    return table.ask(Begin(require_distinct(read_header(request.get("header"))), session.version)).version


def _version(request: Mapping[str, Any]) -> int | None:
    version = request.get("version")
    if version is not None and type(version) is not int:
        raise Refusal("malformed", "The version is a whole number.")
    return version
