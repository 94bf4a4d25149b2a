"""The addresses of the house: what each one takes and answers. Actions are POSTs of JSON by whoever has joined."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import Refusal
from companion.referee.messages import Begin, Confirm, Do, Message, Reject, Undo
from companion.referee.referee import Referee
from companion.rules.engine import read_header, read_json
from companion.views.phrases import sentences
from companion.views.scoreboard import next_game
from companion.web.door import COOKIE, Door
from companion.web.snapshots import Snapshots
from companion.web.streams import Streams

Devices = Callable[[], Mapping[str, Mapping[str, Any]]]
"""Camera and pins by name, each ``{"state": "ok" | "absent" | "degraded" | "failed", ...}``."""

blueprint = Blueprint("table", __name__)

_COOKIE_AGE_S = 30 * 24 * 3600
_LONGEST_KEY = 128


@dataclass(frozen=True, slots=True)
class Desk:
    """What the routes work with."""

    referee: Referee
    door: Door
    snapshots: Snapshots
    streams: Streams
    devices: Devices


@blueprint.get("/")
def phone() -> AnyResponse:
    """The scoreboard for phones; ``?code=`` joins and leads to the clean address."""
    return _page("phone")


@blueprint.get("/board")
def board() -> AnyResponse:
    """The scoreboard for a television: everything at once, nothing to press."""
    return _page("board")


@blueprint.post("/api/join")
def join() -> AnyResponse:
    """Join by typing the code."""
    given = _body().get("code")
    if not isinstance(given, str):
        raise Refusal("malformed", "Send the join code as a piece of text.")
    _desk().door.knock(given, request)
    return _with_cookie(jsonify({"joined": True}), given)


@blueprint.get("/api/state")
def state() -> Response:
    """The table as one object with a version."""
    desk = _desk()
    return Response(desk.snapshots.text(desk.referee.latest()), mimetype="application/json")


@blueprint.get("/api/events")
def events() -> Response:
    """Server-sent events; ``Last-Event-ID`` resumes without loss, without it the table as it stands comes first."""
    desk = _desk()
    since = request.headers.get("Last-Event-ID", type=int)
    subscription = desk.streams.enter(desk.referee.feed, since)
    response = Response(desk.streams.tell(subscription, desk.referee.latest, since), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(lambda: desk.streams.leave(subscription))
    return response


@blueprint.post("/api/commands")
def commands() -> Response:
    """Carry out a command as it stands in a record."""
    key = request.headers.get("Idempotency-Key") or None
    if key is not None and len(key) > _LONGEST_KEY:
        raise Refusal("malformed", f"An Idempotency-Key has at most {_LONGEST_KEY} characters.")
    return _ask(lambda body: Do(body, key))


@blueprint.post("/api/confirm")
def confirm() -> Response:
    """The waiting proposal is right."""
    return _ask(lambda body: Confirm(_version(body)))


@blueprint.post("/api/reject")
def reject() -> Response:
    """The waiting proposal is wrong."""
    return _ask(lambda body: Reject(_version(body)))


@blueprint.post("/api/undo")
def undo() -> Response:
    """Take the last command back."""
    return _ask(lambda body: Undo(_version(body)))


@blueprint.post("/api/next")
def following_game() -> Response:
    """The next game: with a ``header`` that one, else the evening's next or the same game again."""
    return _ask(_next)


@blueprint.get("/api/moves/<int:number>/evidence.jpg")
def evidence(number: int) -> Response:
    """The picture that a move was read from."""
    jpeg = _desk().referee.evidence(number)
    if jpeg is None:
        raise NotFound("No picture was kept of this move.")
    return Response(jpeg, mimetype="image/jpeg")


@blueprint.get("/api/proposal/evidence.jpg")
def proposal_evidence() -> Response:
    """The picture that the waiting proposal was read from."""
    jpeg = _desk().referee.proposal_evidence()
    if jpeg is None:
        raise NotFound("No picture came with what is waiting, or nothing is waiting.")
    return Response(jpeg, mimetype="image/jpeg")


@blueprint.get("/healthz")
def healthz() -> tuple[Response, int]:
    """Camera, journal and pins, each with its state; 503 when one has failed, not when it is merely absent."""
    desk = _desk()
    told = desk.referee.health()
    journal = {"state": "ok" if told["journal"]["ok"] else "failed", **told["journal"]}
    del journal["file"]  # where it lies is nothing for a whole network
    parts = {"journal": journal, **desk.devices()}
    is_well = told["ok"] and all(part["state"] != "failed" for part in parts.values())
    status = HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
    return jsonify({**told, "ok": is_well, **parts}), status


def _desk() -> Desk:
    desk: Desk = current_app.extensions["companion"]
    return desk


def _page(view: str) -> AnyResponse:
    desk, code = _desk(), request.args.get("code")
    if code is not None:
        desk.door.knock(code, request)
        return _with_cookie(redirect(url_for(request.endpoint or "table.phone"), HTTPStatus.SEE_OTHER), code)
    is_joined = desk.door.is_open_to(request)
    response = Response(render_template("table.html", view=view, is_joined=is_joined))
    if not is_joined and COOKIE in request.cookies:
        response.delete_cookie(COOKIE)
    return response


def _with_cookie(response: AnyResponse, code: str) -> AnyResponse:
    response.set_cookie(COOKIE, code.strip(), max_age=_COOKIE_AGE_S, httponly=True, samesite="Lax")
    return response


def _ask(message_from: Callable[[dict[str, Any]], Message]) -> Response:
    desk = _desk()
    desk.door.admit(request)
    answer = desk.referee.ask(message_from(_body()))
    return jsonify({"version": answer.version, "events": answer.events, "said": sentences(answer.events)})


def _body() -> dict[str, Any]:
    """The request's JSON object. Raises `Refusal` ``malformed``."""
    try:
        body = read_json(request.get_data())
    except ValueError as error:
        raise Refusal("malformed", f"The request is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refusal("malformed", "The request is not a JSON object.")
    return body


def _version(body: Mapping[str, Any]) -> int | None:
    version = body.get("version")
    if version is not None and type(version) is not int:
        raise Refusal("malformed", "The version is a whole number.")
    return version


def _next(body: Mapping[str, Any]) -> Message:
    if "header" in body:
        return Begin(read_header(body["header"]))
    return next_game(_desk().referee.latest(), _version(body))
