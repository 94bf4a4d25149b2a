"""What people are told when a table starts: the game, the addresses, the codes, and what is worth knowing."""

import sys
from collections.abc import Callable

from companion.app.table import Table
from companion.devices.service import is_logged


def welcome(table: Table, say: Callable[[str], None]) -> None:
    """Say it, a line at a time; on a terminal with the QR code that joins."""
    session = table.referee.latest()
    going = f"goes on after {len(session.moves)} moves" if session.moves else "begins"
    say(f"{session.header.game} {going}: {', '.join(session.header.players)}")
    say(f"scoreboard  {table.url}")
    if is_logged():  # which others may read, and which is kept
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
