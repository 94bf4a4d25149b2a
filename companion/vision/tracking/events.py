"""Tracker events, as `companion watch` prints them but without frame and time; settle times; and notices."""

from dataclasses import dataclass
from typing import Any

TableEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SettleTimes:
    """How long things must last, in seconds."""

    card_s: float = 0.18
    """A new card lies still this long before it is read: two frames at ten a second."""
    start_s: float = 0.28
    """The whole table lies still this long before it is first read."""
    removal_s: float = 0.09
    """A card is gone this long, from the first look that misses it, before it is reported as removed."""
    doubt_s: float = 1.5
    """A card that cannot be read fully is reported all the same after this long at rest."""
    resting_s: float = 3.0
    """A hand that lies still in the picture this long is mentioned."""


class Notices:
    """The active notices; each is reported once, until it is cleared."""

    def __init__(self) -> None:
        self._active: dict[str, str] = {}

    @property
    def active_notices(self) -> dict[str, str]:
        """Notices that hold now: code to text."""
        return dict(self._active)

    def say(self, code: str, message: str) -> list[TableEvent]:
        """Say what holds from now on; nothing when it was said already."""
        if code in self._active:
            return []
        self._active[code] = message
        return [notice(code, message)]

    def unsay(self, code: str, then: str | None = None, message: str = "") -> list[TableEvent]:
        """Let what was said hold no longer, and say so when there are words for it."""
        if code not in self._active:
            return []
        del self._active[code]
        return [] if then is None else [notice(then, message)]


def notice(code: str, message: str) -> TableEvent:
    """One notice, as it is reported."""
    return {"event": "notice", "code": code, "message": message}
