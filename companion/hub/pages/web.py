"""The hub's pages: the hall display for a projector, live over server-sent events, and what all pages share."""

import json
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from companion.hub.pages.gate import Gate, gate
from companion.hub.pages.referee_pages import referee_pages
from companion.hub.pages.tournament_pages import Registrations, tournaments
from companion.hub.service import Hub
from companion.hub.snapshot import retell
from companion.hub.tournaments.director import Director
from companion.views.words import language, section_of, speaking
from companion.web.access.access_guard import refuse_foreign_names
from companion.web.app import dress
from companion.web.streams import RETRY_MS, SIGN_OF_LIFE, TooManyStreams, is_this_machine, message

MAX_STREAMS = 40
MOST_OF_ONE = 8
"""So many displays one address has at most, this machine excepted: a hall's projectors, and not every place."""
_AGE_S = 300.0
_HEARTBEAT_S = 10.0
_GAP_S = 0.1
"""A display hears of changes ten times a second at most, however many tables there are."""

display = Blueprint("display", __name__, template_folder="templates", static_folder="static")
house = Blueprint(
    "house", "companion.web", template_folder="templates", static_folder="static", static_url_path="/house"
)
"""Styles and scripts that the tables' own pages are made of."""


@dataclass(slots=True)
class HubPages:
    """What the pages work with.

    Attributes:
        streams: those of the displays, which `companion.web.server` closes before it stops.
    """

    hub: Hub
    delay_s: float
    streams: "DisplayStreams" = field(init=False)

    def __post_init__(self) -> None:
        self.streams = DisplayStreams(self.hub)


class DisplayStreams:
    """The open streams of the displays."""

    def __init__(self, hub: Hub) -> None:
        self._hall = hub.display
        self._lock = Lock()
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> None:
        """Take a place for a display at an address. Raises `TooManyStreams`."""
        with self._lock:
            has_share = self._open[address] < MOST_OF_ONE or is_this_machine(address)
            if not has_share or self._open.total() >= MAX_STREAMS:
                raise TooManyStreams("All places for displays are taken; the page keeps asking instead.")
            self._open[address] += 1

    def leave(self, address: str) -> None:
        """Give the place back."""
        with self._lock:
            self._open[address] -= 1
            self._open += Counter()  # forgets the addresses that have none

    def close(self) -> None:
        """End every stream: the hub is closing."""
        self._hall.close()

    def notify(self, language: str) -> Iterator[str]:
        """The stream's text in a language: all tables first, then those that changed."""
        yield f"retry: {RETRY_MS}\n\n"
        seen, ends_s = -1, time.monotonic() + _AGE_S
        while time.monotonic() < ends_s and not self._hall.is_closed:
            version, tables = self._hall.changes(seen, _HEARTBEAT_S)
            if not tables and seen >= 0:
                yield SIGN_OF_LIFE
                continue
            is_whole, seen = seen < 0, version
            with speaking(language):
                told = {"whole": is_whole, **_in_words(tables, self._hall.call)}
            yield message(version, "hall", json.dumps(told))
            time.sleep(_GAP_S)


def create_hub_app(
    hub: Hub, director: Director, *, pin: str, delay_s: float = 0.0, names: Collection[str] = ()
) -> Flask:
    """The hub's web application over a hub and a director that have started.

    Args:
        names: of the hub beyond its local network.
    """
    app = Flask(__name__, static_folder=None)
    app.extensions["companion"] = HubPages(hub, delay_s)
    app.extensions["companion-gate"] = Gate(pin)
    app.extensions["companion-director"] = director
    app.extensions["companion-registrations"] = Registrations()
    app.before_request(lambda: refuse_foreign_names(request, names))
    app.context_processor(lambda: {"hall_words": section_of("hub")})
    app.register_blueprint(display, url_prefix="")
    app.register_blueprint(house)
    app.register_blueprint(gate)
    app.register_blueprint(tournaments)
    app.register_blueprint(referee_pages)
    dress(app)
    return app


def pages() -> HubPages:
    """What the application that answers this request works with."""
    found: HubPages = current_app.extensions["companion"]
    return found


@display.get("/")
def hall() -> str:
    """The hall display."""
    lost = section_of("notices")["camera-lost"]
    spoken = {"page": {**section_of("hall"), "camera-lost": lost}, "counting": section_of("counting")}
    return render_template("hall.html", spoken=spoken, words=section_of("hall"), delay_s=pages().delay_s)


@display.get("/api/hall")
def state() -> Response:
    """Every table as it is shown, and the last call."""
    shown = pages().hub.display
    return jsonify(_in_words(shown.tables(), shown.call))


@display.get("/api/hall/events")
def events() -> Response:
    """The hall live: all tables first, then those that changed."""
    streams, address = pages().streams, request.remote_addr or ""
    streams.enter(address)
    response = Response(streams.notify(language()), mimetype="text/event-stream")
    response.call_on_close(partial(streams.leave, address))
    return response


def _in_words(tables: Sequence[Mapping[str, Any]], call: Mapping[str, Any] | None) -> dict[str, Any]:
    """The tables and the last call as a display shows them, in the language spoken now: a table speaks its own."""
    return {"tables": [_retold(shown) for shown in tables], "call": call and _retold(call)}


def _retold(shown: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in shown.items() if name != "events"}
    said, word = retell(shown.get("events", ())) or (told.get("said"), None)
    if word and "word" in told:
        told["word"] = word
    elif word and told.get("call"):
        told["call"] = {**told["call"], "word": word}
    return {**told, "said": said} if "said" in told else told
