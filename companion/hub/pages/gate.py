"""Who may act on the hub's pages: whoever knows its PIN, by a cookie that giving it sets."""

import json
import secrets
import time
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, ParamSpec, TypeVar

from flask import Blueprint, Response, current_app, jsonify, render_template, request

from companion.errors import Refusal
from companion.views.words import section_of
from companion.web.access.access_guard import AccessGuard, Unwelcome, refuse_other_sites
from companion.web.access.seat_keys import SeatKeys
from companion.web.app_context import json_object

gate = Blueprint("gate", __name__)

COOKIE = "companion_hub"
HEADER = "X-Hub-Pin"
_COOKIE_AGE_S = 7 * 24 * 3600
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Gate:
    """The PIN, guessed only slowly, and the keys given out for it."""

    def __init__(self, pin: str) -> None:
        self._keys = SeatKeys()
        self._guard = AccessGuard(secrets.token_hex(16), pin, time.monotonic, self._keys.secret)

    def open(self, pin: str) -> str:
        """A key for whoever knows the PIN. Raises `Unwelcome`."""
        self._guard.check_pin(pin, request)
        return self._keys.appoint()

    def is_open(self) -> bool:
        """Whether the request comes with a key."""
        return self._keys.is_operator(request.cookies.get(COOKIE))

    def admit(self) -> None:
        """Let the request act. Raises `Unwelcome`."""
        refuse_other_sites(request)
        if (pin := request.headers.get(HEADER)) is not None:
            self._guard.check_pin(pin, request)
        elif not self.is_open():
            raise Unwelcome(HTTPStatus.UNAUTHORIZED, "pin-wanted", "That is for the desk: enter the PIN first.")


def current_gate() -> Gate:
    """Of the application that answers this request."""
    found: Gate = current_app.extensions["companion-gate"]
    return found


def hub_page(template: str, **fields: Any) -> str:
    """A page of the hub in the language of whoever asks, with what the desk alone sees."""
    return render_template(template, t=section_of("hub"), is_desk=current_gate().is_open(), **fields)


def guarded(view: Callable[_P, _R]) -> Callable[_P, _R]:
    """A view for the desk alone."""

    @wraps(view)
    def admitted(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        current_gate().admit()
        return view(*args, **kwargs)

    return admitted


def request_object() -> dict[str, Any]:
    """The request's JSON object, empty for an empty request. Raises `Refusal` ``malformed``."""
    value = json_object(request.get_data() or b"{}")
    try:
        json.dumps(value, ensure_ascii=False).encode()  # half a character, such as \ud800, would be on no page
    except ValueError as error:
        raise Refusal("malformed", f"The request is not JSON: {error}") from None
    return value


def field_of(given: dict[str, Any], name: str, kind: type) -> Any:
    """A field that must be of a kind. Raises `Refusal` ``malformed``."""
    if type(given.get(name)) is not kind:
        raise Refusal("malformed", f"Send {name}, of the kind {kind.__name__}.")
    return given[name]


@gate.post("/api/pin")
def enter() -> Response:
    """Give the PIN, and get a cookie for it."""
    key = current_gate().open(field_of(request_object(), "pin", str))
    response = jsonify({"ok": True})
    response.set_cookie(COOKIE, key, max_age=_COOKIE_AGE_S, httponly=True, samesite="Strict")
    return response
