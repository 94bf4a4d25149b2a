"""The lines printed when a table starts: the game, the addresses, the codes and the notices."""

import sys
from collections.abc import Callable

from companion.app.table import Table
from companion.devices.service import is_logged


def welcome(table: Table, say: Callable[[str], None]) -> None:
    """Print the banner line by line; on a terminal with the QR code that joins."""
    session = table.referee.latest()
    progress = f"goes on after {len(session.moves)} moves" if session.moves else "begins"
    say(f"{session.header.game} {progress}: {', '.join(session.header.players)}")
    say(f"scoreboard  {table.url}")
    if is_logged():  # a log is kept, and others may read it
        say("codes       in the settings, or in the files join-code and operator-pin of the data folder")
    else:
        say(f"to play     {table.invitation.link}")
        say(f"join code   {table.join_code}")
        say(f"operator    PIN {table.invitation.operator_pin}, to correct and to take back")
    if sys.stdout.isatty():
        say(table.invitation.letters())
    for note in (table.panel.note(), *(notice.text for notice in session.notices.values())):
        if note:
            say(note)
