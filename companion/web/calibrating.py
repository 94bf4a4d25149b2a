"""The addresses of calibrating on the phone: the camera's picture, how fit it is, and the operator's taps.

The picture shows the room: it is the operator's alone, as is all that follows from it.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Protocol

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from companion.views.words import knows, phrase, section_of
from companion.web.app_context import context, request_object

calibrating = Blueprint("calibrating", __name__)


class Surveyor(Protocol):
    """What looks at the table for the page."""

    def picture(self) -> bytes | None:
        """What the camera sees now, a JPEG; None while it shows nothing."""

    def check_picture(self) -> dict[str, Any]:
        """How fit the picture is, and what is known of the table."""

    def survey(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Calibrate as asked and store it. Raises `CompanionError`."""


def keep_calibrating(app: Flask, surveyor: Callable[[], Surveyor]) -> None:
    """Have an application calibrate; what does so is made when first asked for, for it is slow to import."""
    app.extensions["companion-surveyor"] = cache(surveyor)
    app.register_blueprint(calibrating)


@calibrating.get("/calibrate")
def page() -> str:
    """The page; who is not the operator is told where the PIN is entered."""
    table = context()
    spoken = {"page": section_of("calibrating"), "counting": section_of("counting")}
    words = {"t": partial(phrase, "calibrating"), "spoken": spoken}
    return render_template("calibrate.html", me=table.rights(request), has_camera=table.has_camera, **words)


@calibrating.get("/api/calibrate/picture.jpg")
def picture() -> Response:
    """What the camera sees now."""
    jpeg = _surveyor().picture()
    if jpeg is None:
        raise NotFound("The camera shows nothing just now.")
    return Response(jpeg, mimetype="image/jpeg")


@calibrating.get("/api/calibrate")
def check_picture() -> Response:
    """How fit the picture is, in words too, which marks are seen, the zones in use and the games' words for them."""
    report = _surveyor().check_picture()
    for check in report["checks"]:
        check["words"] = phrase("calibrating", f"check-{check['name']}-{'well' if check['state'] == 'ok' else 'amiss'}")
    zones = {zone for names in report["places"].values() for zone in names}
    report["named"] = {zone: phrase("page", zone) for zone in zones if knows("page", zone)}
    return jsonify(report)


@calibrating.post("/api/calibrate")
def calibrate() -> Response:
    """Calibrate by marks, cards or taps, store it, and watch the table by it."""
    return jsonify(_surveyor().survey(request_object()))


def _surveyor() -> Surveyor:
    context().people.admit_operator(request)
    made: Callable[[], Surveyor] = current_app.extensions["companion-surveyor"]
    return made()
