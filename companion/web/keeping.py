"""What the operator keeps in order: games that are to go, players' names in the statistics, a backup of everything."""

import json
import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import BinaryIO

from flask import Blueprint, Response, current_app, redirect, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import Refusal
from companion.referee.backup import back_up
from companion.referee.folder import journals, storage_errors, write_whole
from companion.referee.past import journal_of
from companion.rules.limits import FILE, LONGEST_NAME, is_name, read_file, read_json
from companion.web.app_context import context
from companion.web.archive import Archive

keeping = Blueprint("keeping", __name__)

_FILE = "players.json"
_ON_DISK = "/var/tmp"
"""The usual folder for such files may lie in memory, and a backup holds all pictures."""
_PART_BYTES = 1 << 16
_NAMING = Lock()
_log = logging.getLogger(__name__)


class PlayerNames:
    """Under which name each player stands in the statistics, in a file of the data folder; games stay as played.

    Made anew for each request: it reads the file once.
    """

    def __init__(self, data: Path) -> None:
        self._file = data / _FILE

    def shown(self, name: str) -> str | None:
        """The name that a player goes by now; None when left out."""
        return self._known.get(name, name)

    def put(self, names: Iterable[str], new: str | None) -> None:
        """Have all of some names shown as another, None: left out. Raises `Refusal` ``malformed``."""
        if new is not None and not is_name(new):
            raise Refusal("malformed", f"A player's name is 1 to {LONGEST_NAME} printable characters.")
        with _NAMING, storage_errors(f"cannot keep names in {self._file}"):
            known = {**self._read(), **dict.fromkeys(names, new)}  # anew: another operator may have written meanwhile
            kept = {name: shown for name, shown in known.items() if name != shown}
            write_whole(self._file, json.dumps(kept, ensure_ascii=False).encode())

    @cached_property
    def _known(self) -> Mapping[str, str | None]:
        return self._read()

    def _read(self) -> Mapping[str, str | None]:
        if not self._file.exists():
            return {}
        try:
            known = read_json(read_file(self._file), FILE)
            if not isinstance(known, dict) or not all(new is None or isinstance(new, str) for new in known.values()):
                raise ValueError("it does not say a name for each name")
        except (OSError, ValueError) as error:
            _log.warning("%s is not read, players are shown as they played: %s", self._file, error)
            return {}
        return known


def names_at(games: Path) -> PlayerNames:
    """The names kept beside a folder of games."""
    return PlayerNames(games.parent)


@keeping.post("/past/<int:number>/delete")
def delete(number: int) -> AnyResponse:
    """Delete a game with its pictures, for good; for the operator. The game on the table stays."""
    table = context()
    table.people.admit_operator(request)
    games = table.referee.games
    journal = journal_of(games, number)
    if journal is None:
        raise NotFound(f"There is no game {number}.")
    if journal == journals(games)[-1]:
        raise Refusal("on-table", "That game is on the table: put another on it first.")
    with storage_errors(f"cannot delete {journal.name}"):
        journal.unlink()
        journal.with_suffix(".torn").unlink(missing_ok=True)
        if (pictures := journal.with_suffix(".evidence")).is_dir():
            shutil.rmtree(pictures)
    return redirect(url_for("past.every_game"), 303)


@keeping.post("/past/players/name")
def rename() -> AnyResponse:
    """Show the player ``old`` as ``new`` in the statistics, or leave the name out when that is empty."""
    table = context()
    table.people.admit_operator(request)
    names, old, new = names_at(table.referee.games), request.form.get("old", ""), request.form.get("new", "").strip()
    played = {name for name in _played() if names.shown(name) == old}
    if not played:
        raise Refusal("unknown-player", "Nobody of that name has played here.")
    names.put(played, new or None)
    return redirect(url_for("past.players"), 303)


@keeping.get("/backup.zip")
def backup() -> Response:
    """Everything of this table in one file, as `companion backup` writes it; for the operator."""
    table = context()
    table.people.admit_operator(request)
    with TemporaryDirectory(dir=_ON_DISK) as folder:
        file = Path(folder) / "backup.zip"
        back_up(table.referee.games.parent, file)
        size, opened = file.stat().st_size, file.open("rb")  # it has no name any more, and is gone once it is sent
    if request.method == "HEAD":
        opened.close()
    response = Response(_parts(opened), mimetype="application/zip", direct_passthrough=True)
    response.content_length = size
    response.headers["Content-Disposition"] = 'attachment; filename="companion-backup.zip"'
    return response


def _parts(opened: BinaryIO) -> Iterator[bytes]:
    """What an open file holds, piece by piece; it is closed at its end, or when nobody asks any more."""
    with opened:
        yield from iter(partial(opened.read, _PART_BYTES), b"")


def _played() -> set[str]:
    """The names of all who ever played here."""
    archive: Archive = current_app.extensions["companion-past"]
    return {name for entry in archive.entries() if entry.sums for name in entry.sums.header.players}
