"""The addresses of the house: what each one takes and answers. Actions are POSTs of JSON by whoever has joined."""

import hashlib
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import Refusal, without_folders
from companion.referee.messages import REFEREE_CALLED, Authorised, Begin, Confirm, Do, Message, Notice, Reject
from companion.rules.records import read_header, require_distinct
from companion.views.games import games
from companion.views.phrases import CAPTION, sentences
from companion.views.scoreboard import next_game, options, verdicts
from companion.views.words import language, phrase, section_of, speaking
from companion.web.access.access_guard import COOKIE
from companion.web.access.joining import with_key
from companion.web.access.people import acting, turn
from companion.web.app_context import context, number_of, request_object, require_meant
from companion.web.game_files import pages_for
from companion.web.languages import offered
from companion.web.shell import HAND_OVER, SILENCE, Live

blueprint = Blueprint("table", __name__)

_LONGEST_KEY = 128
_MOST_CHECKED = 128


@blueprint.get("/")
def phone() -> AnyResponse:
    """The scoreboard for phones; ``?code=`` joins and leads to the clean address."""
    return _page("phone")


@blueprint.get("/board")
def board() -> AnyResponse:
    """The scoreboard for a television: everything at once, nothing to press."""
    return _page("board")


@blueprint.get("/around")
def around() -> str:
    """For showing around: the television beside two phones on one page."""
    return render_template("around.html", words=section_of("page"))


@blueprint.get("/api/state")
def state() -> Response:
    """The table as one object with a version."""
    table = context()
    return Response(table.snapshots.text(table.referee.latest(), language()), mimetype="application/json")


@blueprint.get("/api/events")
def events() -> Response:
    """Server-sent events; ``Last-Event-ID`` resumes without loss, without it the table as it stands comes first."""
    table = context()
    if request.method == "HEAD":  # who asks only whether it is there takes no viewer's place, and waits for nothing
        return Response(mimetype="text/event-stream")
    since = request.headers.get("Last-Event-ID", type=int)
    latest, address = table.referee.latest, request.remote_addr or ""
    silence_s = request.environ.get(SILENCE, lambda: 0.0)
    subscription = table.streams.enter(table.referee.feed, since, address, silence_s)
    if hand_over := request.environ.get(HAND_OVER):
        steps = table.streams.steps(subscription, latest, since, language())
        hand_over(Live(steps, lambda: table.streams.leave(subscription)))
        response = Response(mimetype="text/event-stream")
    else:
        response = Response(table.streams.notify(subscription, latest, since, language()), mimetype="text/event-stream")
        response.call_on_close(lambda: table.streams.leave(subscription))
    response.headers["X-Accel-Buffering"] = "no"
    return response


@blueprint.get("/api/options")
def what_may_lie() -> Response:
    """What the rules list as possible in the cell ``?q=…&r=…`` now, or in the place of the move ``&at=…``."""
    q, r, at = (request.args.get(name, type=int) for name in ("q", "r", "at"))
    if q is None or r is None:
        raise Refusal("malformed", "Name a cell by its q and r, whole numbers.")
    session = context().referee.latest()
    return jsonify({"version": session.version, "commands": options(session, (q, r), at)})


@blueprint.post("/api/verdicts")
def check_commands() -> Response:
    """What the rules say of each of some ``commands``, now or in the place of the move ``at``; nothing happens."""
    table, given = context(), request_object()
    table.people.guard.admit(request)
    commands = given.get("commands")
    if not isinstance(commands, list) or len(commands) > _MOST_CHECKED:
        raise Refusal("malformed", f"Send commands, a list of {_MOST_CHECKED} at most.")
    session = table.referee.latest()
    return jsonify({"version": session.version, "verdicts": verdicts(session, commands, number_of(given, "at"))})


@blueprint.post("/api/commands")
def commands() -> Response:
    """Carry out a command as it stands in a record; with ``?version=…`` not on a later turn than that table shows."""
    key = request.headers.get("Idempotency-Key") or None
    if key is not None and len(key) > _LONGEST_KEY:
        raise Refusal("malformed", f"An Idempotency-Key has at most {_LONGEST_KEY} characters.")
    command, people = request_object(), context().people
    people.admit(request, acting(command))
    version = request.args.get("version", type=int)
    presser = people.guard.phone(request) or request.remote_addr
    return _asked(Do(command, key and f"{presser} {key} {_digest(command)}", version))


def _digest(command: Mapping[str, Any]) -> str:
    """A short text that is another for each other command: a key that comes with two is of two presses."""
    return hashlib.sha256(json.dumps(command, sort_keys=True).encode()).hexdigest()[:16]


@blueprint.post("/api/confirm")
def confirm() -> Response:
    """The waiting proposal is right."""
    return _answer_proposal(Confirm)


@blueprint.post("/api/reject")
def reject() -> Response:
    """The waiting proposal is wrong."""
    return _answer_proposal(Reject)


@blueprint.post("/api/next")
def following_game() -> Response:
    """The next game: the evening's next or the same again; with a ``header`` that one, which is the operator's.

    With ``setup`` it is the one that a table is set up with, which counts only where nothing was begun yet.
    """
    table, given = context(), request_object()
    session = table.referee.latest()
    if "header" in given:
        version = number_of(given, "version")
        if table.is_to_be_set_up:
            table.people.guard.admit(request)
            version = session.version  # of two who press at once the second begins nothing
        elif given.get("setup") is True:
            table.people.guard.admit(request)
            raise Refusal("stale", "Somebody else has set the table up meanwhile; look again.")
        else:
            table.people.admit_operator(request)
        return _asked(Begin(require_distinct(read_header(given["header"])), version))
    player = turn(session)
    table.people.admit(request, player)
    require_meant(given, player)
    return _asked(next_game(session, number_of(given, "version"), Authorised(player)))


@blueprint.post("/api/camera")
def camera() -> Response:
    """Switch the camera ``{"on": true}`` or off, in the middle of a game too; for the operator."""
    table, given = context(), request_object()
    table.people.admit_operator(request)
    is_on = given.get("on")
    if not isinstance(is_on, bool):
        raise Refusal("malformed", "Send on, true or false.")
    if table.parts.camera is None or not table.has_camera:
        raise Refusal("no-camera", "This table has no camera: moves are entered by hand.")
    table.parts.camera.switch_camera(is_on)
    return jsonify({"on": is_on})


@blueprint.post("/api/referee")
def call_referee() -> Response:
    """Call the hall's referee, ``{"on": true}``, or end the call; for whoever has joined, at a table in a hall."""
    table, given = context(), request_object()
    table.people.admit(request)
    is_on = given.get("on")
    if not isinstance(is_on, bool):
        raise Refusal("malformed", "Send on, true or false.")
    if not table.parts.is_in_hall:
        raise Refusal("no-hall", "This table belongs to no hall: there is no referee to call.")
    table.referee.ask(Notice(REFEREE_CALLED, _call_of(table.people.seat(request)) if is_on else None))
    return jsonify({"on": is_on})


def _call_of(player: str | None) -> str:
    """What everybody is told of a call, in the table's language."""
    with speaking(None):
        return phrase("page", "referee-called", player=player) if player else phrase("hub", "table-calls")


@blueprint.get("/api/games")
def known_games() -> Response:
    """The games that can be put on the table, each with its editions and how many play it."""
    return jsonify({"games": games()})


@blueprint.get("/table-certificate.crt")
def certificate() -> Response:
    """The authority that signs the table's certificate, for a phone that is to trust it; 404 without https."""
    secure = context().parts.secure
    if secure is None:
        raise NotFound("This table speaks no https.")
    return Response(secure.authority.read_bytes(), mimetype="application/x-x509-ca-cert")


@blueprint.get("/healthz")
def healthz() -> tuple[Response, int]:
    """Camera, journal and pins, each with its state; 503 when one has failed, not when it is merely absent."""
    table = context()
    report = table.referee.health()
    journal = {"state": "ok" if report["journal"]["ok"] else "failed", **report["journal"]}
    del journal["file"]  # where it lies is nothing for a whole network
    parts = {name: _without_folders(part) for name, part in {"journal": journal, **table.parts.devices()}.items()}
    is_well = report["ok"] and all(part["state"] != "failed" for part in parts.values())
    status = HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
    return jsonify({**report, "ok": is_well, **parts}), status


def _without_folders(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: without_folders(value) if isinstance(value, str) else value for name, value in part.items()}


def _page(view: str) -> AnyResponse:
    table, code = context(), request.args.get("code")
    if code is not None:
        table.people.guard.check_code(code, request)
        return with_key(redirect(url_for(request.endpoint or "table.phone"), HTTPStatus.SEE_OTHER))
    mine = table.rights(request)
    if view == "board":
        mine["seat"] = None  # everybody's screen speaks to nobody, even where the browser also holds a seat
    invitation = table.parts.invitation
    code = invitation.join_code if invitation and mine["invites"] else None
    session = table.referee.latest()
    words = {
        **_words(),
        **pages_for(session.header.game),
        "is_demo": any(one.startswith(CAPTION) for one in session.notices),
    }
    response = Response(render_template("table.html", view=view, me=mine, code=code, **words))
    if not mine["joined"] and COOKIE in request.cookies:
        response.delete_cookie(COOKIE)
    return response


def _words() -> dict[str, Any]:
    """The page's own words, for the template and for its scripts."""
    page = section_of("page")
    spoken = {"page": {**page, **section_of("games")}, "counting": section_of("counting"), "languages": offered()}
    return {"words": page, "spoken": spoken}


def _answer_proposal(kind: type[Confirm] | type[Reject]) -> Response:
    table, given = context(), request_object()
    waiting = table.referee.latest().proposal
    player = acting(waiting.command) if waiting else None
    table.people.admit(request, player)
    require_meant(given, player)
    return _asked(kind(number_of(given, "version"), Authorised(player)))


def _asked(message: Message) -> Response:
    answer = context().referee.ask(message)
    return jsonify({"version": answer.version, "events": answer.events, "said": sentences(answer.events)})
