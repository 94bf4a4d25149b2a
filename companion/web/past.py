"""The addresses of past games: the list, one game's page, the players' statistics, and what may be taken away.

Looking is free, as it is at the table. Nothing is sent anywhere: a file leaves when somebody asks for it.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from companion import __version__
from companion.errors import JournalError
from companion.referee.folder import kept_picture
from companion.referee.past import PastGame
from companion.referee.session import Session
from companion.views.archive import export
from companion.views.archive.past import counts, day, did, game_page, numbered, result_of, signed
from companion.views.archive.statistics import together
from companion.views.games import game_title, title
from companion.views.words import phrase, section_of
from companion.web.app_context import context, drawn_picture
from companion.web.archive import Archive
from companion.web.keeping import names_at

past = Blueprint("past", __name__)

_STYLES = ("page.css", "past.css")
_A_PAGE = 50
"""So many games are listed at once."""


def keep_past(app: Flask, games: Path) -> None:
    """Have an application tell of the games in a folder."""
    app.extensions["companion-past"] = Archive(games)
    app.register_blueprint(past)


@past.get("/past")
def every_game() -> str:
    """A list of games, the newest first; ``?before=`` goes further back."""
    entries = _archive().entries(request.args.get("before", type=int), _A_PAGE + 1)
    shown, older = entries[:_A_PAGE], entries[_A_PAGE:]
    news = {"version": __version__, "news": section_of("news")[__version__]}
    return _page("past_games.html", entries=shown, has_older=bool(older), on_table=_archive().newest(), **news)


@past.get("/past/players")
def players() -> str:
    """What stands to each player's account over all games."""
    entries = _archive().entries()
    sums = [entry.sums for entry in reversed(entries) if entry.sums is not None]
    return _page(
        "past_players.html",
        games=together(sums, names_at(context().referee.games).shown),
        unread=len(entries) - len(sums),
    )


@past.get("/api/players")
def known_players() -> Response:
    """Who has played at this table, those of the newest game first, each with the colour they had last."""
    colours: dict[str, str | None] = {}
    names = names_at(context().referee.games)
    for entry in _archive().entries():
        header = None if entry.sums is None or not entry.sums.moves else entry.sums.header
        for name in header.players if header else ():
            given = header.options.get("colours", {}).get(name) if header else None
            if (shown := names.shown(name)) is not None:
                colours[shown] = colours.get(shown) or given
    return jsonify({"players": [{"name": name, "colour": colour} for name, colour in colours.items()]})


@past.get("/past/<int:number>")
def one_game(number: int) -> str:
    """One game's page, which also prints."""
    return _game_page(_found(number), alone=False)


@past.get("/past/<int:number>/page.html")
def one_file(number: int) -> Response:
    """The same page as one file that needs nothing else, to keep or to send."""
    return _file(_game_page(_found(number), alone=True), number, "html", "text/html")


@past.get("/past/<int:number>/record.jsonl")
def record(number: int) -> Response:
    """The moves that stand, as `companion replay` takes them; also of a game that the rules now judge otherwise."""
    game = _found(number)
    text = export.record(game.header, (move.command for move in game.moves))
    return _file(text, number, "jsonl", "application/x-ndjson")


@past.get("/past/<int:number>/moves.csv")
def table(number: int) -> Response:
    """The moves for a spreadsheet."""
    return _file(export.table(_session(_found(number))), number, "csv", "text/csv")


@past.get("/past/<int:number>/game.json")
def whole(number: int) -> Response:
    """Everything, for programs."""
    game = _found(number)
    text = json.dumps(export.as_json(_session(game), number, game.begun), indent=1, ensure_ascii=False)
    return _file(text, number, "json", "application/json")


@past.get("/past/<int:number>/moves/<int:move>/evidence.jpg")
def evidence(number: int, move: int) -> Response:
    """The picture that a past move was read from, with what was recognised drawn on it."""
    game = _found(number)
    kept = game.moves[move - 1].evidence if 1 <= move <= len(game.moves) else None
    return drawn_picture(None if kept is None else kept_picture(game.path, kept), "No picture was kept of this move.")


def _archive() -> Archive:
    found: Archive = current_app.extensions["companion-past"]
    return found


def _found(number: int) -> PastGame:
    game = _archive().game(number)
    if game is None:
        raise NotFound(f"There is no game {number}.")
    return game


def _session(game: PastGame) -> Session:
    if game.session is None:
        raise JournalError(str(game.trouble), code="journal-contradicts-rules")
    return game.session


def _game_page(game: PastGame, *, alone: bool) -> str:
    fields: dict[str, Any] = {"title": title(game.header), "moves": game.moves}
    if game.session is not None:
        fields = game_page(game.session)
    styles = "\n".join(_static(name) for name in _STYLES) if alone else ""
    return _page(
        "past_game.html",
        game=game,
        told=fields,
        alone=alone,
        styles=styles,
        is_on_table=game.number == _archive().newest(),
    )


def _page(template: str, **fields: Any) -> str:
    names = {"game_title": game_title, "title_of": title, "result_of": result_of, "did": did, "counts": counts}
    numbers = {"day": day, "signed": signed, "numbered": numbered}
    words = {"t": partial(phrase, "past"), "is_operator": context().people.is_operator(request)}
    return render_template(template, **{"alone": False, **names, **numbers, **words, **fields})


def _static(name: str) -> str:
    assert current_app.static_folder is not None, "this application serves its own styles"
    return (Path(current_app.static_folder) / name).read_text(encoding="utf-8")


def _file(text: str, number: int, kind: str, mimetype: str) -> Response:
    """A file to keep. Its name holds nothing that people typed; half a character, as of an old game, is "?"."""
    response = Response(text.encode(errors="replace"), mimetype=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="companion-game-{number:04}.{kind}"'
    return response
