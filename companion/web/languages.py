"""In which language a phone is spoken to: the one it chose, else one that its browser asks for, else the table's."""

from contextlib import AbstractContextManager
from typing import Any

from flask import Blueprint, Flask, Response, g, jsonify, request

from companion.errors import Refusal
from companion.views.translations import LANGUAGES, direction, native_name
from companion.views.words import language, phrase, speaking
from companion.web.access.access_guard import refuse_other_sites
from companion.web.app_context import request_object, text_of

COOKIE = "companion-language"
_A_YEAR_S = 365 * 24 * 3600

languages = Blueprint("languages", __name__)


@languages.post("/api/language")
def choose() -> Response:
    """Speak ``{"language": "de"}`` to this phone from now on; for whoever looks."""
    refuse_other_sites(request)
    chosen = text_of(request_object(), "language")
    if chosen not in LANGUAGES:
        raise Refusal("malformed", f"There are {', '.join(LANGUAGES)}.")
    response = jsonify({"language": chosen})
    response.set_cookie(COOKIE, chosen, max_age=_A_YEAR_S, httponly=True, samesite="Strict")
    return response


def asked_language() -> str | None:
    """The language of whoever sends this request; None for the table's own."""
    chosen = request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    if request.path == "/board" or request.args.get("lang") == "table":
        return None  # everybody's screen: what its browser was delivered with is nobody's wish
    return request.accept_languages.best_match(LANGUAGES)


def speak_as_asked(app: Flask) -> None:
    """Have an application answer each request in the language of whoever asks."""

    @app.before_request
    def begin() -> None:
        block: AbstractContextManager[None] = speaking(asked_language())
        block.__enter__()
        g.speaking = block

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        if block := g.pop("speaking", None):
            block.__exit__(None, None, None)

    @app.context_processor
    def for_templates() -> dict[str, Any]:
        return {"lang": phrase("page", "lang"), "dir": direction(language())}


def offered() -> dict[str, str]:
    """The languages to choose from, each by what it calls itself."""
    return {code: native_name(code) for code in LANGUAGES}
