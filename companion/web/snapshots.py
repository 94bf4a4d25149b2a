"""The scoreboard as JSON text, made once for each version and language however many are watching."""

import json
from threading import Lock

from companion.referee.session import Session
from companion.views.scoreboard import scoreboard
from companion.views.words import speaking


class Snapshots:
    """Keeps the newest text of each language. Of many threads at once one makes it, the others wait for it."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, str]] = {}
        self._lock = Lock()

    def text(self, session: Session, language: str) -> str:
        """The session's scoreboard in a language, as one line of JSON."""
        with self._lock:
            version, text = self._newest.get(language, (-1, ""))
            if version != session.version:
                with speaking(language):
                    text = json.dumps(scoreboard(session))
                self._newest[language] = session.version, text
        return text
