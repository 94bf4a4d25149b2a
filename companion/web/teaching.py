"""The addresses of teaching a deck on the phone: what to lay, what is seen, the cut-outs, and the printings kept.

The pictures show the room: they are the operator's alone, as is all that follows from them.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, Protocol

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from companion.errors import Refusal
from companion.views.words import phrase, section_of
from companion.web.app_context import context, number_of, request_object, text_of

teaching = Blueprint("teaching", __name__)

_MOST_PARTS = 200
"""Of a photograph that comes in parts, each as long as a request may be: 12 MB."""
_EXTENSION = "companion-teacher"


class Teacher(Protocol):
    """What teaches decks for the page; see `companion.app.teaching.Lessons`."""

    def state(self) -> dict[str, Any]:
        """The lesson, its version, and the printings that are kept."""

    def at(self, version: int | None) -> AbstractContextManager[None]:
        """Within the block the lesson is of that version. Raises `Refusal` ``stale`` where it is of another."""

    def layout_picture(self, deck: str) -> bytes:
        """A deck's teaching layout, a PNG."""

    def begin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Begin to teach a deck, or to add to a printing."""

    def look(self) -> dict[str, Any]:
        """What the camera sees of what is to be laid."""

    def replace_name(self, place: int, number: int, name: str) -> dict[str, Any]:
        """Another card than the one drawn lies at a place."""

    def take(self, photo: bytes | None) -> dict[str, Any]:
        """Learn from the camera's picture."""

    def upload(self, part: int, parts: int, data: bytes) -> dict[str, Any] | None:
        """Learn from a photograph that comes in parts."""

    def crop(self, number: int) -> bytes:
        """A sample's crop, a JPEG."""

    def rename(self, number: int, cutout: int, name: str | None) -> dict[str, Any]:
        """Call a cut-out otherwise, or leave it out."""

    def agree(self, *, trust_names: bool) -> dict[str, Any]:
        """The newest cut-outs are right, though two names look swapped where names are to be trusted."""

    def stop(self) -> dict[str, Any]:
        """Forget the lesson."""

    def drop(self) -> dict[str, Any]:
        """Forget the newest photograph."""

    def turn(self) -> dict[str, Any]:
        """The newest photograph is upside down."""

    def leave_out(self, light: int) -> dict[str, Any]:
        """Forget a photograph that was agreed to."""

    def attempt(self) -> dict[str, Any]:
        """The cards on the table as they are read by what was learnt."""

    def tried_picture(self) -> bytes:
        """The picture of the last attempt, a JPEG."""

    def keep(self, name: str) -> dict[str, Any]:
        """Keep what was learnt."""

    def use(self, deck: str, key: str | None) -> dict[str, Any]:
        """Read a deck by a printing."""

    def go_back(self, key: str) -> dict[str, Any]:
        """Return to an earlier version."""

    def forget(self, key: str) -> dict[str, Any]:
        """Take a printing away."""


def keep_teaching(app: Flask, teacher: Callable[[], Teacher]) -> None:
    """Have an application teach decks; what does so is made when first asked for, for it is slow to import."""
    app.extensions[_EXTENSION] = cache(teacher)
    app.register_blueprint(teaching)


@teaching.get("/teach")
def page() -> str:
    """The page; who is not the operator is told where the PIN is entered."""
    table = context()
    spoken = {"page": {**section_of("games"), **section_of("teaching")}, "counting": section_of("counting")}
    words = {"t": partial(phrase, "teaching"), "spoken": spoken}
    return render_template("teach.html", me=table.rights(request), has_camera=table.has_camera, **words)


@teaching.get("/api/teach")
def state() -> Response:
    """The lesson as far as it has come, and the printings that are kept."""
    return jsonify(_teacher().state())


@teaching.get("/api/teach/layout/<deck>.png")
def layout(deck: str) -> Response:
    """What to lay, drawn."""
    return Response(_teacher().layout_picture(deck), mimetype="image/png")


@teaching.get("/api/teach/look")
def look() -> Response:
    """The outlines that the camera sees now, and whether all is there and lies still."""
    teacher = _teacher()
    with teacher.at(_version_shown()):
        return jsonify(teacher.look())


@teaching.get("/api/teach/crops/<int:number>.jpg")
def crop(number: int) -> Response:
    """A sample's crop."""
    return Response(_teacher().crop(number), mimetype="image/jpeg")


@teaching.get("/api/teach/try.jpg")
def tried_picture() -> Response:
    """The table as it was read last by what was learnt."""
    return Response(_teacher().tried_picture(), mimetype="image/jpeg")


@teaching.post("/api/teach/photo")
def upload() -> Response:
    """A part of a photograph, ``?part=0&parts=3``: its bytes. The last one is answered with the lesson."""
    part, parts = (request.args.get(name, type=int) for name in ("part", "parts"))
    if part is None or parts is None or not 0 <= part < parts <= _MOST_PARTS:
        raise Refusal("malformed", f"Say which part it is, of {_MOST_PARTS} at most.")
    teacher = _teacher()
    with teacher.at(_version_shown()):
        state = teacher.upload(part, parts, request.get_data())
    return jsonify({"waiting": True} if state is None else state)


@teaching.post("/api/teach/<step>")
def take_step(step: str) -> Response:
    """One step: begin, replace, take, rename, agree, drop, turn, leave, try, stop, keep, use, back or forget.

    With ``?version=…`` on no other lesson, and no other photograph, than the page shows.
    """
    teacher, given = _teacher(), request_object()
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "begin": lambda: teacher.begin(given),
        "replace": lambda: teacher.replace_name(
            _whole(given, "place"), _whole(given, "number"), text_of(given, "name")
        ),
        "take": lambda: teacher.take(None),
        "rename": lambda: teacher.rename(_whole(given, "number"), _whole(given, "cutout"), _text(given, "name")),
        "agree": lambda: teacher.agree(trust_names=given.get("trust_names") is True),
        "drop": teacher.drop,
        "turn": teacher.turn,
        "leave": lambda: teacher.leave_out(_whole(given, "light")),
        "try": teacher.attempt,
        "stop": teacher.stop,
        "keep": lambda: teacher.keep(text_of(given, "name")),
        "use": lambda: teacher.use(text_of(given, "deck"), _text(given, "key")),
        "back": lambda: teacher.go_back(text_of(given, "key")),
        "forget": lambda: teacher.forget(text_of(given, "key")),
    }
    if step not in steps:
        raise Refusal("malformed", f"There is no step {step}; there are {', '.join(steps)}.")
    with teacher.at(_version_shown()):
        return jsonify(steps[step]())


def _version_shown() -> int | None:
    """The version of the lesson that the page shows; None where it does not say."""
    return request.args.get("version", type=int)


def _text(given: Mapping[str, Any], name: str) -> str | None:
    return None if given.get(name) is None else text_of(given, name)


def _whole(given: Mapping[str, Any], name: str) -> int:
    value = number_of(given, name)
    if value is None:
        raise Refusal("malformed", f"Send {name}, a whole number.")
    return value


def _teacher() -> Teacher:
    context().people.admit_operator(request)
    made: Callable[[], Teacher] = current_app.extensions[_EXTENSION]
    return made()
