"""The files of the games' own pages, ``/games/NAME/...``: the house serves what lies in a game's page folder."""

from typing import Any

from flask import Blueprint, Response, jsonify, send_from_directory
from werkzeug.exceptions import NotFound

from companion.views.games import page_folders, topics

game_files = Blueprint("games", __name__)

_SENT = (".js", ".css", ".svg")


@game_files.get("/games/<game>/<path:file>")
def page_file(game: str, file: str) -> Response:
    """A script, style or picture of a game's page."""
    folder = page_folders().get(game)
    if folder is None or not file.endswith(_SENT):
        raise NotFound(f"There is no {file} of a game called {game}.")
    return send_from_directory(folder, file)


@game_files.get("/api/howto/<game>")
def how_to_play(game: str) -> Response:
    """How a game is played, topic by topic."""
    found = topics(game)
    if not found:
        raise NotFound(f"There is nothing to tell of a game called {game}.")
    return jsonify({"topics": found})


def pages_for(game: str) -> dict[str, Any]:
    """What the template needs: the games that have a page, and the one to load at once where it has one."""
    return {"pages": list(page_folders()), "game": game if game in page_folders() else None}
