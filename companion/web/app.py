"""The web application: put together, wrapped in its security headers, with one handler for everything that fails."""

import time
from collections.abc import Callable, Collection
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_date

from companion.errors import CompanionError, Refusal, UsageError, without_folders
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.reasons import refused
from companion.views.words import phrase
from companion.web.access.access_guard import AccessGuard
from companion.web.access.host_names import refuse_foreign_names
from companion.web.access.joining import joining
from companion.web.access.people import People
from companion.web.access.seat_keys import Keys
from companion.web.app_context import AppContext, CameraSwitch, Devices, Drawn, Invites, SecureDoor
from companion.web.calibrating import Surveys, keep_calibrating
from companion.web.compression import squeezed
from companion.web.describing import describing
from companion.web.game_files import game_files
from companion.web.history import history
from companion.web.keeping import keeping
from companion.web.languages import languages, speak_as_asked
from companion.web.past import keep_past
from companion.web.routes import blueprint
from companion.web.snapshots import Snapshots
from companion.web.streams import Pace, Streams
from companion.web.teaching import Teaches, keep_teaching

_MOST_BODY_BYTES = 64 * 1024
_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
)
_DATES = ("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_RANGE")
_FILES = ("static", "games.page_file")
_OF_DOCUMENTS = ("Content-Security-Policy", "X-Frame-Options", "Permissions-Policy")
_NO_DOCUMENTS = ("text/css", "text/javascript", "application/javascript")
"""What a browser never shows as a page needs no headers of pages: they were a third of the first view."""
_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def create_app(
    referee: Referee,
    *,
    join_code: str,
    names: Collection[str] = (),
    operator_pin: str | None = None,
    keys_file: Path | None = None,
    invitation: Invites | None = None,
    devices: Devices | None = None,
    camera: CameraSwitch | None = None,
    drawn: Drawn | None = None,
    surveyor: Callable[[], Surveys] | None = None,
    teacher: Callable[[], Teaches] | None = None,
    opened_empty: Header | None = None,
    is_in_hall: bool = False,
    secure: SecureDoor | None = None,
    pace: Pace | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Flask:
    """The scoreboard and its interface over one referee.

    Args:
        referee: already started; the application asks it and reads its latest session, and never stops it.
        join_code: what a phone must know to act; never empty.
        names: of this table beyond its local network.
        operator_pin: what correcting, undoing and putting another game on the table ask for; None: only joining.
        keys_file: where it is kept which phone holds which seat; None: forgotten at the end.
        invitation: what is shown to those who want to join.
        devices: camera and pins, each with its state, for ``/healthz``.
        camera: what the operator switches off and on.
        drawn: draws on a kept picture what was recognised; None: pictures are shown as they were kept.
        opened_empty: the game that stands on a table where nothing was ever begun, which a phone is to set up.
        is_in_hall: whether the table belongs to a hall, whose referee can be called.
        secure: where the table also speaks https; None: nowhere.
        surveyor: makes what calibrates the table for the operator; None: there is no such page.
        teacher: makes what teaches decks for the operator; None: there is no such page.
        pace: limits of the live streams.
        clock: seconds that never go back.
    """
    app = Flask(__name__)
    snapshots = Snapshots()
    streams = Streams(snapshots, pace or Pace(), clock)
    keys = Keys(keys_file)
    people = People(AccessGuard(join_code, operator_pin, clock, keys.secret), keys, operator_pin is not None)
    app.extensions["companion"] = AppContext(
        referee,
        people,
        snapshots,
        streams,
        devices or dict,
        invitation,
        camera,
        drawn or _as_kept,
        opened_empty,
        is_in_hall,
        secure,
        teacher is not None,
    )
    app.before_request(lambda: refuse_foreign_names(request, names))
    app.register_blueprint(blueprint)
    app.register_blueprint(game_files)
    app.register_blueprint(joining)
    app.register_blueprint(history)
    app.register_blueprint(languages)
    app.register_blueprint(keeping)
    keep_past(app, referee.games)
    app.register_blueprint(describing)
    if surveyor is not None:
        keep_calibrating(app, surveyor)
    if teacher is not None:
        keep_teaching(app, teacher)
    dress(app)
    return app


def dress(app: Flask) -> None:
    """Give an application of the house its security headers, and its one handler for everything that fails."""
    app.json.sort_keys = False  # type: ignore[attr-defined]  # players stand in the order of their seats
    app.config["MAX_CONTENT_LENGTH"] = _MOST_BODY_BYTES
    app.before_request(_forget_impossible_dates)
    speak_as_asked(app)
    app.register_error_handler(CompanionError, _summary)
    app.register_error_handler(HTTPException, _summary)
    app.after_request(_with_headers)


def close_streams(app: Flask) -> None:
    """End the live streams at once, so that the server can stop."""
    app.extensions["companion"].streams.close()


def _as_kept(jpeg: bytes, close: bool = False) -> bytes:
    return jpeg


def _forget_impossible_dates() -> None:
    """Treat a date that no calendar has as not sent (RFC 9110, 13.1.3); Werkzeug fails at a year of eleven digits."""
    for name in _DATES:
        try:
            parse_date(request.environ.get(name))
        except OverflowError:
            del request.environ[name]


def _summary(error: Exception) -> Response:
    """The one place where a failure becomes an answer: JSON for programs, a page for people."""
    status, body = _status(error), _as_json(error)
    if request.path.startswith("/api/") or not request.accept_mimetypes.accept_html:
        response = jsonify({"error": body})
    else:
        response = Response(render_template("error.html", message=body["message"], t=partial(phrase, "failed")))
    response.status_code = status
    if retry_after_s := getattr(error, "retry_after_s", None):
        response.headers["Retry-After"] = str(retry_after_s)
    if isinstance(error, HTTPException) and (allowed := dict(error.get_headers()).get("Allow")):
        response.headers["Allow"] = allowed
    return response


def _status(error: Exception) -> int:
    match error:
        case HTTPException():
            return error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        case CompanionError() if hasattr(error, "status"):
            return int(error.status)
        case Refusal():
            return HTTPStatus.BAD_REQUEST if error.code == "malformed" else HTTPStatus.CONFLICT
        case UsageError():
            return HTTPStatus.BAD_REQUEST
    return HTTPStatus.SERVICE_UNAVAILABLE


def _as_json(error: Exception) -> dict[str, Any]:
    if isinstance(error, Refusal):
        return refused(error.as_json())
    if isinstance(error, CompanionError):
        refusal = refused(error.as_json())
        return {**refusal, "message": without_folders(str(refusal["message"]))}
    assert isinstance(error, HTTPException)
    return {"code": error.name.lower().replace(" ", "-"), "message": error.description or error.name}


def _with_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        if name not in _OF_DOCUMENTS or response.mimetype not in _NO_DOCUMENTS:
            response.headers.setdefault(name, value)
    response.vary.update(("Accept-Language", "Cookie"))
    response.headers.setdefault("Cache-Control", "no-cache" if request.endpoint in _FILES else "no-store")
    return squeezed(response, request)
