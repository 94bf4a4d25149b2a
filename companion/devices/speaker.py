"""The table's own voice: espeak-ng, one sentence after another, never more than a few behind."""

import logging
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Iterable

PROGRAM = "espeak-ng"

_log = logging.getLogger(__name__)
_MOST_WAITING = 6
_LONGEST_S = 20.0


class Speaker:
    """Speaks in a thread of its own; a table without the program is silent and says so once, in `note`.

    The sentence goes to the program's standard input: no shell reads it, and no sentence can be taken for an option.
    """

    def __init__(self, program: str = PROGRAM, language: str = "en") -> None:
        found = shutil.which(program)
        self._command = None if found is None else [found, "-v", language, "--stdin"]
        self._note = "" if found else f"The table has no voice: {program} is not installed."
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        self._changed = threading.Condition()
        self._speaking: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="speaker", daemon=True)
        if found:
            self._thread.start()

    def note(self) -> str:
        """What people should know about the voice; empty when all is well."""
        return self._note

    def say(self, sentences: Iterable[str]) -> None:
        """Speak when what waits has been spoken; of too much the oldest is left out. Returns at once."""
        if self._command is None:
            return
        with self._changed:
            self._waiting.extend(sentences)
            self._changed.notify()

    def hush(self) -> None:
        """Break off, and forget what waits: it was corrected."""
        with self._changed:
            self._waiting.clear()
            if self._speaking is not None:
                self._speaking.terminate()

    def close(self) -> None:
        """Fall silent for good. Twice is harmless."""
        self.hush()
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while (sentence := self._next()) is not None:
            self._speak(sentence)

    def _next(self) -> str | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or bool(self._waiting))
            return None if self._is_closed else self._waiting.popleft()

    def _speak(self, sentence: str) -> None:
        assert self._command is not None
        with self._changed:
            if self._is_closed:
                return
            quiet = subprocess.DEVNULL
            try:
                self._speaking = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
            except OSError as error:  # no memory or no file left, or the program was taken away: the game goes on
                _log.warning("%r is not spoken: %s", sentence, error.strerror)
                return
        try:
            self._speaking.communicate(sentence.encode(), timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            self._speaking.kill()
            self._speaking.communicate()
        with self._changed:
            self._speaking = None
