"""The files of the games' own pages, ``/games/NAME/...``: the house serves what lies in a game's page folder."""

from typing import Any

from flask import Blueprint, Response, send_from_directory
from werkzeug.exceptions import NotFound

from companion.views.game_pages import page_folders

game_files = Blueprint("games", __name__)

_SENT = (".js", ".css", ".svg")


@game_files.get("/games/<game>/<path:file>")
def page_file(game: str, file: str) -> Response:
    """A script, style or picture of a game's page."""
    folder = page_folders().get(game)
    if folder is None or not file.endswith(_SENT):
        raise NotFound(f"There is no {file} of a game called {game}.")
    return send_from_directory(folder, file)


def pages_for(game: str) -> dict[str, Any]:
    """What the template needs: the games that have a page, and the one to load at once where it has one."""
    return {"pages": list(page_folders()), "game": game if game in page_folders() else None}
