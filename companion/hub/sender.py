"""Sends an outbox in order with a window, and again from the last position that the hub keeps when nothing comes back.

Go-back-N over at-least-once delivery: the hub keeps each line once, whatever arrives twice.
"""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from companion.hub.messages import Entry, Position

WINDOW = 256
"""So many lines are under way at most; what is beyond stays on the disk."""
_PATIENCE_S = (5.0, 60.0)
"""How long without an answer until everything is sent again; each time in vain, twice as long."""


class Outbox(Protocol):
    """Lines in their order."""

    def seek(self, position: Position | None) -> None:
        """Go on after a position; from the first of all when it is None or unknown."""

    def read(self, limit: int) -> list[Entry]:
        """The next ones, ``limit`` at most."""


class Sender:
    """Says what is to be sent now. Used by one thread."""

    def __init__(self, outbox: Outbox, publish: Callable[[Entry], bool], clock: Callable[[], float]) -> None:
        """A sender that sends nothing until it is told where the hub stands, by `rewind`.

        Args:
            publish: hands one line over to the connection; False when it does not take it.
            clock: seconds that never go back.
        """
        self._outbox = outbox
        self._publish = publish
        self._clock = clock
        self._under_way: deque[Position] = deque()
        self._kept: Position | None = None
        self._newest: Position | None = None
        self._is_synchronised = False
        self._is_dry = False
        self._heard_s = 0.0
        self._patience_s = _PATIENCE_S[0]

    @property
    def newest(self) -> Position | None:
        """The last line sent."""
        return self._newest

    @property
    def is_waiting(self) -> bool:
        """Whether lines are under way that the hub has not yet said to keep."""
        return bool(self._under_way)

    def rewind(self, position: Position | None) -> None:
        """The hub keeps what is up to a position, and nothing beyond: go on from there."""
        self._kept, self._is_synchronised = position, True
        self._patience_s = _PATIENCE_S[0]
        self._restart()

    def keep(self, position: Position) -> None:
        """The hub now keeps what is up to a position."""
        if position not in self._under_way:
            return
        while self._under_way.popleft() != position:
            pass
        self._kept = position
        self._heard_s, self._patience_s = self._clock(), _PATIENCE_S[0]

    def notice(self) -> None:
        """There may be something new in the outbox."""
        self._is_dry = False

    def pause(self) -> None:
        """Send nothing until the hub says anew where it stands: the connection is lost."""
        self._is_synchronised = False

    def send(self) -> int:
        """Send what may be sent now; how many lines that were."""
        if not self._is_synchronised:
            return 0
        if self._under_way and self._clock() - self._heard_s > self._patience_s:
            self._patience_s = min(2 * self._patience_s, _PATIENCE_S[1])
            self._restart()
        room = WINDOW - len(self._under_way)
        entries = self._outbox.read(room) if room and not self._is_dry else []
        self._is_dry = len(entries) < room
        for entry in entries:
            if not self._publish(entry):
                self._restart()
                break
            if not self._under_way:
                self._heard_s = self._clock()
            self._under_way.append(entry.position)
            self._newest = entry.position
        return len(entries)

    def _restart(self) -> None:
        self._under_way.clear()
        self._is_dry = False
        self._heard_s = self._clock()
        self._outbox.seek(self._kept)
