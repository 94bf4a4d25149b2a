"""The scoreboard as JSON text, made once for each version however many are watching."""

import json
from threading import Lock

from companion.referee.session import Session
from companion.views.scoreboard import scoreboard


class Snapshots:
    """Keeps the newest text. Of many threads that come at once one makes it, the others wait for it."""

    def __init__(self) -> None:
        self._newest: tuple[int, str] = (-1, "")
        self._lock = Lock()

    def text(self, session: Session) -> str:
        """The session's scoreboard as one line of JSON."""
        with self._lock:
            version, text = self._newest
            if version != session.version:
                text = json.dumps(scoreboard(session))
                self._newest = session.version, text
        return text
