"""The tournament's pages: registering from a phone, pairings and standings live, the desk's presses, files to take."""

import csv
import io
from collections.abc import Collection
from dataclasses import asdict
from functools import lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug.exceptions import NotFound

from companion.app.invitation import own_address
from companion.errors import JournalError, Refusal
from companion.games import GAMES
from companion.hub.pages.gate import current_gate, field_of, guarded, hub_page, request_object
from companion.hub.tournaments.director import Director
from companion.hub.tournaments.standings import standings
from companion.hub.tournaments.tournament import (
    SYSTEMS,
    Entry,
    Terms,
    Tournament,
    decided,
    ended,
    registered,
    struck,
    withdrawn,
)
from companion.views.games import game_title
from companion.views.reasons import refusal_for_people
from companion.views.words import phrase
from companion.web.access.access_guard import is_loopback, refuse_other_sites
from companion.web.streams import is_this_machine

tournaments = Blueprint("tournaments", __name__)

MOST_OF_ONE_ADDRESS = 250
"""So many who play are registered from one address, which a club's phones may share; the desk has no limit."""
_LONGEST_KEY = 128
_COLUMNS = ("rank", "number", "name", "score", "buchholz_cut", "buchholz", "berger", "wins", "played")


class Registrations:
    """Who was registered from which address since the hub began, this machine's own excepted. Any thread."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], set[int]] = {}

    def of(self, slug: str, address: str) -> Collection[int]:
        """The players of a tournament registered from an address."""
        return tuple(self._numbers.get((slug, address), ()))

    def add(self, slug: str, address: str, number: int) -> None:
        """A player was registered from an address."""
        if not is_this_machine(address):
            self._numbers.setdefault((slug, address), set()).add(number)

    def count(self) -> int:
        """For how many addresses and tournaments players are counted."""
        return len(self._numbers)


def registrations() -> Registrations:
    """Of the application that answers this request."""
    found: Registrations = current_app.extensions["companion-registrations"]
    return found


def director() -> Director:
    """Of the application that answers this request."""
    found: Director = current_app.extensions["companion-director"]
    return found


@tournaments.get("/tournaments")
def every() -> str:
    """All tournaments; for the desk also a form for one more."""
    games = {name: game_title(name) for name in GAMES}
    return hub_page("tournaments.html", tournaments=director().tournaments(), games=games, systems=SYSTEMS)


@tournaments.get("/tournaments/<slug>")
def one(slug: str) -> str:
    """One tournament: how to register, the current round, the standings; for the desk also what to press."""
    found = _found(slug)
    free = director().free_tables()
    return hub_page("tournament.html", slug=slug, **_summary(found), free=free, trouble_of=_trouble_of)


@tournaments.get("/tournaments/<slug>/join")
def join(slug: str) -> str:
    """Where a phone registers."""
    return hub_page("tournament_join.html", slug=slug, tournament=_found(slug))


@tournaments.get("/tournaments/<slug>/sheet")
def sheet(slug: str) -> str:
    """Pairings and standings on one sheet of paper."""
    return hub_page("tournament_sheet.html", slug=slug, **_summary(_found(slug)))


@tournaments.get("/tournaments/<slug>/join.svg")
def join_code(slug: str) -> Response:
    """The QR code that a phone registers by."""
    _found(slug)
    return Response(_qr(f"{_reached_at()}tournaments/{slug}/join"), mimetype="image/svg+xml")


@tournaments.get("/tournaments/<slug>/standings.csv")
def standings_csv(slug: str) -> Response:
    """The standings for a spreadsheet, with a byte order mark, by which it knows UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    writer.writerows([_plain(getattr(line, name)) for name in _COLUMNS] for line in standings(_found(slug)))
    response = Response("\ufeff" + text.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="companion-{slug}-standings.csv"'
    return response


@tournaments.get("/api/tournaments/<slug>")
def as_json(slug: str) -> Response:
    """The whole tournament: terms, players, rounds, how many are planned, and standings."""
    found = _found(slug)
    told = asdict(found) | {"entrants": [asdict(entrant) for entrant in found.players], "planned": found.planned}
    del told["keys"]
    return jsonify({**told, "standings": [asdict(line) for line in standings(found)]})


@tournaments.post("/api/tournaments")
@guarded
def create() -> Response:
    """Begin a tournament."""
    given = request_object()
    title, slug, game = (field_of(given, name, str) for name in ("title", "slug", "game"))
    terms = Terms(
        title,
        game,
        field_of({"system": "swiss", **given}, "system", str),
        field_of({"rounds": 6, **given}, "rounds", int),
        field_of({"seats": 2, **given}, "seats", int),
        given.get("edition") or None,
        field_of({"options": {}, **given}, "options", dict),
    )
    director().create(slug, terms)
    return jsonify({"slug": slug})


@tournaments.post("/api/tournaments/<slug>/register")
def register(slug: str) -> Response:
    """Register a player, from their own phone; the same request sent again, by its ``Idempotency-Key``, counts once."""
    refuse_other_sites(request)
    name, key = field_of(request_object(), "name", str), request.headers.get("Idempotency-Key") or None
    if key is not None and len(key) > _LONGEST_KEY:
        raise Refusal("malformed", f"An Idempotency-Key has at most {_LONGEST_KEY} characters.")
    address, is_desk = request.remote_addr or "", current_gate().is_open()

    def entry_of(now: Tournament) -> Entry | None:
        entry = registered(now, name, key)
        counted = () if is_desk else registrations().of(slug, address)
        if entry and sum(now.entrants[number - 1].is_in for number in counted) >= MOST_OF_ONE_ADDRESS:
            message = f"{MOST_OF_ONE_ADDRESS} players are registered from your address; the desk registers more."
            raise Refusal("full-address", message, most=MOST_OF_ONE_ADDRESS)
        return entry

    tournament = director().write(slug, entry_of)
    entrant = tournament.entrants[(tournament.keys[key] if key else len(tournament.entrants)) - 1]
    if not is_desk:
        registrations().add(slug, address, entrant.number)
    return jsonify({"number": entrant.number, "name": entrant.name, "round": entrant.joined})


@tournaments.post("/api/tournaments/<slug>/pair")
@guarded
def begin_round(slug: str) -> Response:
    """Pair the next round and put its games on the tables."""
    return _done(director().begin_round(slug))


@tournaments.post("/api/tournaments/<slug>/end")
@guarded
def end(slug: str) -> Response:
    """End a tournament after the rounds so far, or with ``back`` go on with it."""
    goes_on = field_of({"back": False, **request_object()}, "back", bool)
    return _done(director().write(slug, lambda now: ended(now, not goes_on)))


@tournaments.post("/api/tournaments/<slug>/seat")
@guarded
def seat(slug: str) -> Response:
    """Put a board on a table, once more or on another."""
    given = request_object()
    return _done(director().seat(slug, field_of(given, "board", int), field_of(given, "table", str)))


@tournaments.post("/api/tournaments/<slug>/result")
@guarded
def result(slug: str) -> Response:
    """Say what came of a board, or put it right."""
    given = request_object()
    number, board, places = (field_of(given, n, k) for n, k in (("round", int), ("board", int), ("places", list)))
    return _done(director().write(slug, lambda now: decided(now, number, board, places)))


@tournaments.post("/api/tournaments/<slug>/withdraw")
@guarded
def withdraw(slug: str) -> Response:
    """A player drops out, or with ``back`` comes back."""
    given = request_object()
    number, is_in = field_of(given, "number", int), field_of({"back": False, **given}, "back", bool)
    return _done(director().write(slug, lambda now: withdrawn(now, number, is_in)))


@tournaments.post("/api/tournaments/<slug>/strike")
@guarded
def strike(slug: str) -> Response:
    """Strike out a name that has not been paired, as if it had never been registered."""
    number = field_of(request_object(), "number", int)
    return _done(director().write(slug, lambda now: struck(now, number)))


def _done(tournament: Tournament) -> Response:
    return jsonify({"length": tournament.length, "rounds": len(tournament.rounds)})


def _reached_at() -> str:
    """The hub's address for phones: as it was asked for, but never ``localhost``, as its own machine may call it."""
    asked = urlsplit(request.host_url)
    if not is_loopback(asked.hostname or ""):
        return request.host_url
    port = "" if asked.port is None else f":{asked.port}"
    return f"{asked.scheme}://{own_address()}{port}/"


def _found(slug: str) -> Tournament:
    found = director().tournament(slug)
    if found is None:
        raise NotFound(phrase("hub", "no-tournament", name=slug))
    return found


def _trouble_of(table: str | None) -> str | None:
    """Why the last game of a table was not put there or not counted, for whoever asks; None where it was."""
    error = director().troubles.get(table or "")
    if isinstance(error, JournalError):
        return phrase("hub", "not-counted", why=error.message)
    return None if error is None else str(refusal_for_people(error.as_json())["message"])


def _summary(tournament: Tournament) -> dict[str, Any]:
    now = tournament.rounds[-1] if tournament.rounds else None
    return {
        "tournament": tournament,
        "round": now,
        "number": len(tournament.rounds),
        "standings": standings(tournament),
        "plain": _plain,
        "may_pair": not tournament.is_over and (now is None or now.is_over),
        "game": game_title(tournament.terms.game),
    }


def _plain(value: Any) -> Any:
    """A number without needless zeros; from a spreadsheet's formula nothing.

    >>> _plain(2.0), _plain(1.5), _plain("=1+1")
    (2, 1.5, "'=1+1")
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 2)
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@＝＋－＠" else value


@lru_cache(maxsize=16)
def _qr(link: str) -> str:
    return str(import_module("companion.printing.qr").svg(link))  # late: OpenCV takes its time
