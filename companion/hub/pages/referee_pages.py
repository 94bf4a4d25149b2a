"""The referee's desk: the tables that call, their moves with pictures, and rulings as corrections."""

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug.exceptions import NotFound

from companion.errors import JournalError, Refusal
from companion.hub.messages import Address
from companion.hub.pages.gate import field_of, guarded, hub_page, request_object
from companion.hub.service import Hub
from companion.referee.journal import replay
from companion.referee.messages import REFEREE_CALLED
from companion.referee.session import Session
from companion.rules.limits import read_json
from companion.views.games import title
from companion.views.scoreboard import scoreboard
from companion.views.words import phrase, section_of

referee_pages = Blueprint("desk", __name__)


@referee_pages.get("/desk")
def overview() -> str:
    """All tables, the calling ones first."""
    tables = sorted(_hub().hall.tables(), key=lambda shown: (-shown["serious"], shown["table"]))
    words, lost = section_of("hall"), section_of("notices")["camera-lost"]
    return hub_page("desk.html", tables=tables, words=words, lost=lost, length=_alarms_mark())


@referee_pages.get("/api/desk")
@guarded
def mark() -> Response:
    """A mark that changes whenever a table begins or ceases to call."""
    return jsonify({"length": _alarms_mark()})


@referee_pages.get("/desk/<hall>/<table>")
@guarded
def one_table(hall: str, table: str) -> str:
    """A table's moves as the hub has them, each with its correction form."""
    address, snapshot = _table(hall, table)
    called = [notice.get("text") for notice in snapshot["notices"] if notice["code"] == REFEREE_CALLED]
    fields: dict[str, Any] = {"moves": [], "version": None, "game": "", "trouble": None}
    try:
        session = _session(address, snapshot["game"])
        board = scoreboard(session)
        fields |= {"moves": board["history"], "version": session.version, "game": title(session.header)}
    except JournalError as error:
        fields["trouble"] = error.message
    base = f"/api/desk/{hall}/{table}"
    return hub_page(
        "desk_table.html", table=table, called=called and called[0], base=base, waits=snapshot["proposal"], **fields
    )


@referee_pages.get("/api/desk/<hall>/<table>/evidence.jpg")
@guarded
def evidence(hall: str, table: str) -> Response:
    """The picture of a move, or of the waiting proposal without a number; fetched from the table."""
    address, _ = _table(hall, table)
    return Response(_hub().picture(address, request.args.get("move", type=int)), mimetype="image/jpeg")


@referee_pages.post("/api/desk/<hall>/<table>/correct")
@guarded
def correct(hall: str, table: str) -> Response:
    """Replace the move ``at`` by ``command``, or delete it when that is empty, and end the table's call.

    With the ``version`` that the referee saw a ruling on moves that have changed since is refused, ``stale``.
    """
    address, _ = _table(hall, table)
    body = request_object()
    text = field_of(body, "command", str)
    ruling = {
        "ask": "correct",
        "at": field_of(body, "at", int),
        "replaced": 1,
        "commands": [_command(text)] if text.strip() else [],
        "cut": field_of({"cut": False, **body}, "cut", bool),
        "by": field_of(body, "by", str),
        "version": body.get("version"),
    }
    reply = _hub().ask(address, ruling)
    _hub().ask(address, {"ask": "dismiss"})
    return jsonify({"version": reply["version"]})


@referee_pages.post("/api/desk/<hall>/<table>/dismiss")
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
        raise JournalError(phrase("hub", "nothing-kept"))
    return replay(Path(str(game)), lines)[0]


def _table(hall: str, table: str) -> tuple[Address, Any]:
    address = Address(hall, table)
    snapshot = _hub().hall.latest(address)
    if snapshot is None:
        raise NotFound(phrase("hub", "no-table", table=table))
    return address, snapshot


def _hub() -> Hub:
    found: Hub = current_app.extensions["companion"].hub
    return found


def _alarms_mark() -> str:
    return "|".join(f"{t['table']}:{t['serious']}" for t in _hub().hall.tables())
