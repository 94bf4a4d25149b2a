"""The referee's desk: who calls, a table's moves with their pictures fetched from it, and rulings as corrections."""

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from companion.errors import JournalError, Refusal
from companion.hub.messages import Address
from companion.hub.pages.gate import field_of, guarded, sent, the_gate
from companion.hub.service import Hub
from companion.referee.journal import replay
from companion.referee.messages import REFEREE_CALLED
from companion.referee.session import Session
from companion.rules.limits import read_json
from companion.views.scoreboard import scoreboard
from companion.views.titles import title
from companion.views.words import section_of

desk = Blueprint("desk", __name__)


@desk.get("/desk")
def the_desk() -> str:
    """All tables, those that need somebody first."""
    tables = sorted(_hub().hall.tables(), key=lambda shown: (-shown["serious"], shown["table"]))
    words = section_of("hall")
    return _page("desk.html", tables=tables, words=words, length=_alarms_mark())


@desk.get("/api/desk")
@guarded
def mark() -> Response:
    """What changes when a table begins or ceases to need somebody."""
    return jsonify({"length": _alarms_mark()})


@desk.get("/desk/<hall>/<table>")
@guarded
def one_table(hall: str, table: str) -> str:
    """A table's moves as the hub keeps them, each with what a ruling would change."""
    address, snapshot = _table(hall, table)
    called = [notice.get("text") for notice in snapshot["notices"] if notice["code"] == REFEREE_CALLED]
    told: dict[str, Any] = {"moves": [], "version": None, "game": "", "trouble": None}
    try:
        session = _session(address, snapshot["game"])
        board = scoreboard(session)
        told |= {"moves": board["history"], "version": snapshot["version"], "game": title(session.header)}
    except JournalError as error:
        told["trouble"] = error.message
    base = f"/api/desk/{hall}/{table}"
    return _page(
        "desk_table.html", table=table, called=called and called[0], base=base, waits=snapshot["proposal"], **told
    )


@desk.get("/api/desk/<hall>/<table>/evidence.jpg")
@guarded
def evidence(hall: str, table: str) -> Response:
    """The picture that a move, or without one what waits, was read from; fetched from the table now."""
    address, _ = _table(hall, table)
    return Response(_hub().picture(address, request.args.get("move", type=int)), mimetype="image/jpeg")


@desk.post("/api/desk/<hall>/<table>/correct")
@guarded
def correct(hall: str, table: str) -> Response:
    """A ruling: the move ``at`` gives way to ``command``, to nothing when that is empty; it ends the table's call."""
    address, _ = _table(hall, table)
    given = sent()
    text = field_of(given, "command", str)
    ruling = {
        "ask": "correct",
        "at": field_of(given, "at", int),
        "replaced": 1,
        "commands": [_command(text)] if text.strip() else [],
        "cut": field_of({"cut": False, **given}, "cut", bool),
        "by": field_of(given, "by", str),
    }
    told = _hub().ask(address, ruling)
    _hub().ask(address, {"ask": "dismiss"})
    return jsonify({"version": told["version"]})


@desk.post("/api/desk/<hall>/<table>/dismiss")
@guarded
def dismiss(hall: str, table: str) -> Response:
    """End a table's call."""
    address, _ = _table(hall, table)
    return jsonify({"version": _hub().ask(address, {"ask": "dismiss"})["version"]})


def _command(text: str) -> Any:
    try:
        return read_json(text)
    except ValueError as error:
        raise Refusal("malformed", f"The move is not JSON: {error}") from None


def _session(address: Address, game: str | None) -> Session:
    lines = _hub().store.lines(address, game) if game else []
    if not lines:
        raise JournalError("Nothing is kept of this game yet.")
    return replay(Path(str(game)), lines)[0]


def _table(hall: str, table: str) -> tuple[Address, Any]:
    address = Address(hall, table)
    snapshot = _hub().hall.latest(address)
    if snapshot is None:
        raise NotFound(f"There is no table {table}.")
    return address, snapshot


def _hub() -> Hub:
    found: Hub = current_app.extensions["companion"].hub
    return found


def _alarms_mark() -> str:
    return "|".join(f"{t['table']}:{t['serious']}" for t in _hub().hall.tables())


def _page(template: str, **fields: Any) -> str:
    return render_template(template, t=section_of("hub"), is_desk=the_gate().is_open(), **fields)
