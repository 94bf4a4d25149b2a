"""The scoreboard as JSON text, made once for each version however many are watching."""

import json

from companion.referee.session import Session
from companion.views.scoreboard import scoreboard


class Snapshots:
    """Keeps the newest text. Two threads that come at once may both make it; it is the same."""

    def __init__(self) -> None:
        self._newest: tuple[int, str] = (-1, "")

    def text(self, session: Session) -> str:
        """The session's scoreboard as one line of JSON."""
        version, text = self._newest
        if version != session.version:
            text = json.dumps(scoreboard(session))
            self._newest = session.version, text
        return text
