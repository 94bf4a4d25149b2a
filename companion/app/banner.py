"""What people are told when a table starts: the game, the addresses, the codes, and what is worth knowing."""

import sys
from collections.abc import Callable

from companion.app.table import Table


def welcome(table: Table, say: Callable[[str], None]) -> None:
    """Say it, a line at a time; on a terminal with the QR code that joins."""
    session = table.referee.latest()
    going = f"goes on after {len(session.moves)} moves" if session.moves else "begins"
    say(f"{session.header.game} {going}: {', '.join(session.header.players)}")
    say(f"scoreboard  {table.url}")
    say(f"to play     {table.invitation.link}")
    say(f"join code   {table.join_code}")
    say(f"operator    PIN {table.invitation.operator_pin}, to correct and to take back")
    if sys.stdout.isatty():
        say(table.invitation.letters())
    for note in (table.panel.note(), *(notice.text for notice in session.notices.values())):
        if note:
            say(note)
