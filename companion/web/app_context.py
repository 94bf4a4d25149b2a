"""What every address of the house works with: the table behind the request, and the request's JSON."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from flask import Request, Response, current_app, request, url_for
from werkzeug.exceptions import NotFound, RequestEntityTooLarge

from companion.errors import Refusal
from companion.referee.folder import journals
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.limits import COMMAND, read_json
from companion.web.access.people import People
from companion.web.streams import Snapshots, Streams

if TYPE_CHECKING:
    from companion.web.calibrating import Surveyor
    from companion.web.teaching import Teacher


class AnnotatePicture(Protocol):
    """Makes a kept picture, a JPEG file's bytes, into one for people to look at."""

    def __call__(self, jpeg: bytes, close: bool = False) -> bytes:
        """With what was recognised drawn on it; ``close``: only what the move is about."""


Devices = Callable[[], Mapping[str, Mapping[str, Any]]]
"""Camera and pins by name, each ``{"state": "ok" | "absent" | "degraded" | "failed", ...}``."""


class JoinLink(Protocol):
    """What is shown to people who want to join."""

    @property
    def url(self) -> str:
        """The scoreboard's address."""

    @property
    def join_code(self) -> str:
        """What lets act."""

    def svg(self) -> str:
        """A QR code that joins."""


class CameraSwitch(Protocol):
    """The camera as the operator switches it."""

    @property
    def has_camera(self) -> bool:
        """Whether there is one at all."""

    def switch_camera(self, is_on: bool) -> None:
        """Have it say what was laid, or not."""


@dataclass(frozen=True, slots=True)
class HttpsAddress:
    """Where the table speaks https, and the file of the authority that a phone may be told to trust."""

    port: int
    authority: Path


def _as_kept(jpeg: bytes, close: bool = False) -> bytes:
    return jpeg


@dataclass(frozen=True, slots=True)
class TableParts:
    """What a table lends its pages; what is missing is not offered there.

    Attributes:
        invitation: what is shown to those who want to join.
        devices: camera and pins, each with its state, for ``/healthz``.
        camera: what the operator switches off and on.
        drawn: draws on a kept picture what was recognised; without it pictures are shown as they were kept.
        surveyor: makes what calibrates the table for the operator.
        teacher: makes what teaches decks for the operator.
        opened_empty: the game that stands on a table where nothing was ever begun, which a phone is to set up.
        is_in_hall: whether the table belongs to a hall, whose referee can be called.
        secure: where the table also speaks https.
    """

    invitation: JoinLink | None = None
    devices: Devices = dict
    camera: CameraSwitch | None = None
    drawn: AnnotatePicture = _as_kept
    surveyor: "Callable[[], Surveyor] | None" = None
    teacher: "Callable[[], Teacher] | None" = None
    opened_empty: Header | None = None
    is_in_hall: bool = False
    secure: HttpsAddress | None = None


@dataclass(frozen=True, slots=True)
class AppContext:
    """What the routes work with."""

    referee: Referee
    people: People
    snapshots: Snapshots
    streams: Streams
    parts: TableParts

    def rights(self, asking: Request) -> dict[str, Any]:
        """What the asking phone may do, whether it may show the code that joins, and at which address others join.

        The address of the page's script is another after an update of the table: then an open page is an old one.
        """
        parts = self.parts
        return {
            **self.people.as_json(asking),
            "invites": parts.invitation is not None and self.people.may_invite(asking),
            "camera": self.has_camera,
            "teaches": parts.teacher is not None,
            "setup": self.is_to_be_set_up,
            "hall": parts.is_in_hall,
            "address": urlsplit(parts.invitation.url if parts.invitation else asking.host_url).netloc,
            "script": url_for("static", filename="main.js"),
            "secure_port": None if parts.secure is None or asking.is_secure else parts.secure.port,
        }

    @property
    def is_to_be_set_up(self) -> bool:
        """Whether the table stands as it was opened, with nobody's game on it: then whoever joined sets it up."""
        session = self.referee.latest()
        if session.header != self.parts.opened_empty or session.moves:
            return False
        return len(journals(self.referee.games)) <= 1

    @property
    def has_camera(self) -> bool:
        """Whether there is a camera to switch."""
        return self.parts.camera is not None and self.parts.camera.has_camera


def context() -> AppContext:
    """The context of the application that answers this request."""
    found: AppContext = current_app.extensions["companion"]
    return found


def drawn_picture(jpeg: bytes | None, missing: str, *, is_close: bool = False) -> Response:
    """A kept picture with what was recognised drawn on it; see `AnnotatePicture`. Raises `NotFound` for None."""
    if jpeg is None:
        raise NotFound(missing)
    return Response(context().parts.drawn(jpeg, is_close), mimetype="image/jpeg")


def request_object() -> dict[str, Any]:
    """The request's JSON object. Raises `Refusal` ``malformed``."""
    try:
        return json_object(request.get_data())
    except RequestEntityTooLarge:
        raise Refusal("malformed", f"The request is longer than {COMMAND.size_bytes} bytes.") from None


def json_object(data: bytes) -> dict[str, Any]:
    """The JSON object that some bytes are. Raises `Refusal` ``malformed``."""
    try:
        value = read_json(data)
    except ValueError as error:
        raise Refusal("malformed", f"The request is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refusal("malformed", "The request is not a JSON object.")
    return value


def text_of(given: Mapping[str, Any], name: str) -> str:
    """A field that must be a piece of text. Raises `Refusal` ``malformed``."""
    value = given.get(name)
    if not isinstance(value, str):
        raise Refusal("malformed", f"Send {name} as a piece of text.")
    return value


def require_meant(given: Mapping[str, Any], player: object) -> None:
    """Let through a press that names nobody, or the one it is for now. Raises `Refusal` ``stale`` for another."""
    if given.get("player") not in (None, player):
        raise Refusal("stale", f"That was meant for {given['player']}; the table has changed since. Look again.")


def number_of(given: Mapping[str, Any], name: str) -> int | None:
    """A field that is a whole number where it is there. Raises `Refusal` ``malformed``."""
    value = given.get(name)
    if value is not None and type(value) is not int:
        raise Refusal("malformed", f"The {name} is a whole number.")
    return value
