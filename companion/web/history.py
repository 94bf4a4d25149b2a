"""The addresses of what was: a move with its evidence, taking back, doing again, putting right."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import NotFound

from companion.errors import Refusal
from companion.referee.messages import Correct, Message, Redo, Undo
from companion.referee.moves import Change
from companion.views.changes import changes
from companion.views.sheet import sheet
from companion.web.app_context import context, drawn_picture, number_of, request_object

history = Blueprint("history", __name__)

_MOST_COMMANDS = 32


@history.get("/api/moves/<int:number>")
def move(number: int) -> Response:
    """A move that stands: its sentences, its reasons, the chips that moved; for the operator, what else it may be."""
    table = context()
    row = sheet(table.referee.latest(), number, has_instead=table.people.is_operator(request))
    if row is None:
        raise NotFound(f"There is no move {number}.")
    return jsonify(row)


@history.get("/api/moves/<int:number>/evidence.jpg")
def evidence(number: int) -> Response:
    """The picture that a move was read from, with what was recognised drawn on it; ``?close=1``: only its cards."""
    jpeg = context().referee.evidence(number)
    return drawn_picture(jpeg, "No picture was kept of this move.", is_close=request.args.get("close") == "1")


@history.get("/api/proposal/evidence.jpg")
def proposal_evidence() -> Response:
    """The picture that the waiting proposal was read from, with what was recognised drawn on it."""
    jpeg = context().referee.proposal_evidence()
    return drawn_picture(jpeg, "No picture came with what is waiting, or nothing is waiting.")


@history.post("/api/undo")
def undo() -> Response:
    """Take the last thing done back; for the operator."""
    return _amended(lambda given, by: Undo(number_of(given, "version"), by))


@history.post("/api/redo")
def redo() -> Response:
    """Do again what was taken back last; for the operator."""
    return _amended(lambda given, by: Redo(number_of(given, "version"), by))


@history.post("/api/correct")
def correct() -> Response:
    """Put moves right, for the operator: from number ``at`` on, ``replaced`` many give way to ``commands``."""
    return _amended(lambda given, by: Correct(_change(given), number_of(given, "version"), by))


def _amended(message_from: Callable[[Mapping[str, Any], str], Message]) -> Response:
    table = context()
    table.people.admit_operator(request)
    message = message_from(request_object(), table.people.name(request))
    answer = table.referee.ask(message)
    session = table.referee.latest()
    mine = [done for done in session.amendments if done.version == answer.version]
    said = [sentence for done in mine for sentence in changes(done.was, done.now)]
    return jsonify({"version": answer.version, "events": answer.events, "said": said})


def _change(given: Mapping[str, Any]) -> Change:
    at, replaced = number_of(given, "at"), number_of(given, "replaced")
    commands, cut = given.get("commands"), given.get("cut", False)
    if at is None or replaced is None or not isinstance(commands, list) or not isinstance(cut, bool):
        raise Refusal("malformed", "A correction has at and replaced, whole numbers, and commands, a list.")
    if len(commands) > _MOST_COMMANDS:
        raise Refusal("malformed", f"A correction has at most {_MOST_COMMANDS} commands.")
    return Change(at, replaced, tuple(commands), cut)
