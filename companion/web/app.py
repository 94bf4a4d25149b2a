"""The web application: put together, with security headers, compression and one handler for everything that fails."""

import gzip
import time
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, Request, Response, jsonify, render_template, request
from werkzeug.exceptions import BadHost, HTTPException, NotFound
from werkzeug.http import parse_date
from werkzeug.wsgi import FileWrapper

from companion.errors import CompanionError, Refusal, UsageError, without_folders
from companion.referee.referee import Referee
from companion.views.reasons import refusal_for_people
from companion.views.words import phrase
from companion.web.access.access_guard import AccessGuard, refuse_foreign_names
from companion.web.access.joining import joining
from companion.web.access.people import People
from companion.web.access.seat_keys import SeatKeys
from companion.web.app_context import AppContext, TableParts
from companion.web.calibrating import keep_calibrating
from companion.web.describing import describing
from companion.web.game_files import game_files
from companion.web.history import history
from companion.web.keeping import keeping
from companion.web.languages import languages, speak_as_asked
from companion.web.page_files import ENDPOINTS as PAGE_FILES
from companion.web.page_files import keep_page_files
from companion.web.past import keep_past
from companion.web.routes import blueprint
from companion.web.streams import Pace, Snapshots, Streams
from companion.web.teaching import keep_teaching

_MOST_BODY_BYTES = 64 * 1024
_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'{}",
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
_OF_DOCUMENTS = ("Content-Security-Policy", "X-Frame-Options", "Permissions-Policy")
_NO_DOCUMENTS = ("text/css", "text/javascript", "application/javascript")
"""What a browser never shows as a page needs no headers of pages: they were a third of the first view."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_KINDS = ("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml")
_WORTH_BYTES = 600
_LARGEST_BYTES = 256 * 1024


def create_app(
    referee: Referee,
    *,
    join_code: str,
    names: Collection[str] = (),
    operator_pin: str | None = None,
    keys_file: Path | None = None,
    parts: TableParts | None = None,
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
        parts: what the table lends its pages.
        pace: limits of the live streams.
        clock: seconds that never go back.
    """
    app, parts, snapshots = Flask(__name__), parts or TableParts(), Snapshots()
    keys = SeatKeys(keys_file, operator_pin)
    people = People(AccessGuard(join_code, operator_pin, clock, keys.secret), keys, operator_pin is not None)
    streams = Streams(snapshots, pace or Pace(), clock)
    app.extensions["companion"] = AppContext(referee, people, snapshots, streams, parts)
    app.before_request(lambda: refuse_foreign_names(request, names))
    for addresses in (blueprint, game_files, joining, history, languages, keeping, describing):
        app.register_blueprint(addresses)
    keep_past(app, referee.games)
    if parts.surveyor is not None:
        keep_calibrating(app, parts.surveyor)
    if parts.teacher is not None:
        keep_teaching(app, parts.teacher)
    dress(app, keep_page_files(app))
    return app


def dress(app: Flask, import_map: str = "") -> None:
    """Give an application of the house its security headers, and its one handler for everything that fails.

    Args:
        app: what it answers gets them.
        import_map: the only script that its pages hold themselves, by its hash as the policy has it; none if empty.
    """
    headers = {"Content-Security-Policy": _CONTENT_SECURITY_POLICY.format(import_map and f" {import_map}"), **_HEADERS}
    app.json.sort_keys = False  # type: ignore[attr-defined]  # players stand in the order of their seats
    app.config["MAX_CONTENT_LENGTH"] = _MOST_BODY_BYTES
    app.before_request(_forget_impossible_dates)
    speak_as_asked(app)
    app.register_error_handler(CompanionError, _summary)
    app.register_error_handler(HTTPException, _summary)
    app.after_request(partial(_with_headers, headers))


def close_streams(app: Flask) -> None:
    """End the live streams at once, so that the server can stop."""
    app.extensions["companion"].streams.close()


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
    is_program = request.path.startswith("/api/") or not request.accept_mimetypes.accept_html
    if is_program or isinstance(request.routing_exception, BadHost):  # by a name that cannot be no page has addresses
        response = jsonify({"error": body})
    else:
        is_unsaid = isinstance(error, NotFound) and error.description == NotFound.description
        message = None if is_unsaid else body["message"]
        response = Response(render_template("error.html", message=message, t=partial(phrase, "failed")))
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
        return refusal_for_people(error.as_json())
    if isinstance(error, CompanionError):
        refusal = refusal_for_people(error.as_json())
        return {**refusal, "message": without_folders(str(refusal["message"]))}
    assert isinstance(error, HTTPException)
    return {"code": error.name.lower().replace(" ", "-"), "message": error.description or error.name}


def _with_headers(headers: Mapping[str, str], response: Response) -> Response:
    for name, value in headers.items():
        if name not in _OF_DOCUMENTS or response.mimetype not in _NO_DOCUMENTS:
            response.headers.setdefault(name, value)
    response.vary.update(("Accept-Language", "Cookie"))
    response.headers.setdefault("Cache-Control", "no-cache" if request.endpoint in PAGE_FILES else "no-store")
    return compress(response, request)


def compress(response: Response, request: Request) -> Response:
    """The response compressed where it is text that is worth it and the browser takes it; else as it was."""
    is_whole = response.status_code == 200 and response.content_length is not None
    if response.mimetype not in _KINDS or not is_whole:
        return response
    response.vary.add("Accept-Encoding")
    size_bytes = response.content_length or 0
    if not request.accept_encodings.quality("gzip") or not _WORTH_BYTES <= size_bytes <= _LARGEST_BYTES:
        return response
    opened = response.response
    response.direct_passthrough = False
    response.set_data(_gzipped(response.get_data()))
    if isinstance(opened, FileWrapper):
        opened.close()
    response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=64)
def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
