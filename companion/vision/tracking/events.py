"""What a follower tells: plain JSON objects as `companion watch` prints them, without frame and time; and notices.

Whoever follows a table is as patient as another, whatever lies on it.
"""

from dataclasses import dataclass
from typing import Any

Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long things must last, in frames."""

    card: int = 2
    """A new card lies still this long before it is read."""
    start: int = 3
    """The whole table lies still this long before it is first read."""
    removal: int = 6
    """A card is gone this long before it is told as removed."""
    doubt: int = 15
    """A card that cannot be read fully is told all the same after this long at rest."""
    resting: int = 30
    """A hand that lies still in the picture this long is mentioned."""


class Notices:
    """What people should hear besides: each said once until it passes."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    @property
    def standing(self) -> dict[str, str]:
        """Notices that hold now: code to text."""
        return dict(self._said)

    def say(self, code: str, message: str) -> list[Told]:
        """Say what holds from now on; nothing when it was said already."""
        if code in self._said:
            return []
        self._said[code] = message
        return [notice(code, message)]

    def unsay(self, code: str, then: str | None = None, message: str = "") -> list[Told]:
        """Let what was said hold no longer, and say so when there are words for it."""
        if code not in self._said:
            return []
        del self._said[code]
        return [] if then is None else [notice(then, message)]


def notice(code: str, message: str) -> Told:
    """One notice, as it is told."""
    return {"event": "notice", "code": code, "message": message}
