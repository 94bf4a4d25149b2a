"""What people should know of the looking itself: that it waits, that light glares, and what has just happened.

Nothing of it is a move. A state that has just passed, such as a camera that was moved, is shown for a while.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.referee.messages import Notice

SETTLING_S = 1.5
"""So long something changes on the table before people are told that it is waited for."""
PASSING_S = 8.0
"""So long is shown what happened once and does not last."""

_GLARE = 250
_GLARING = 0.12
_AROUND = 0.04
_GLARES = "Light glares on a card there: turn it, tilt the lamp or shade it; or enter the card by hand."
_SETTLES = "Something moves on the table: it is read once it lies still."


class States:
    """Follows the looking from frame to frame."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """By a clock that never jumps."""
        self._clock = clock
        self._passing: dict[str, tuple[str, float]] = {}
        self._busy_since_s: float | None = None

    def hear(self, told: Iterable[Mapping[str, Any]], *, is_quiet: bool, standing: Iterable[str]) -> None:
        """Take in what a follower told with one frame, whether nothing changes, and which notices of it hold."""
        now_s = self._clock()
        for one in told:
            if one["event"] == "notice" and one["code"] not in standing and "at" not in one:
                self._passing[one["code"]] = one["message"], now_s + PASSING_S
        self._passing = {code: said for code, said in self._passing.items() if said[1] > now_s}
        if is_quiet:
            self._busy_since_s = None
        elif self._busy_since_s is None:
            self._busy_since_s = now_s

    @property
    def holding(self) -> tuple[str, ...]:
        """The codes of what holds now; when they change people are told."""
        return (*self._passing, *(["settling"] if self._is_settling() else []))

    def among(
        self, notices: Mapping[str, Notice], picture: NDArray[np.uint8], *, is_waiting: bool
    ) -> dict[str, Notice]:
        """The notices with these states among them.

        Args:
            notices: what holds by the cards; a card that cannot be read for glare is said to be so.
            picture: uint8 BGR, the frame.
            is_waiting: whether a proposal waits: then nothing need be said of settling.
        """
        told = {code: Notice(code, text) for code, (text, _) in self._passing.items()}
        told |= dict(notices)
        unsure = told.get("unsure")
        if unsure is not None and unsure.at is not None and glares(picture, unsure.at):
            del told["unsure"]
            told["glare"] = Notice("glare", _GLARES, unsure.at)
        if not told and not is_waiting and self._is_settling():
            told["settling"] = Notice("settling", _SETTLES)
        return told

    def _is_settling(self) -> bool:
        return self._busy_since_s is not None and self._clock() - self._busy_since_s >= SETTLING_S


def glares(picture: NDArray[np.uint8], at: tuple[float, float]) -> bool:
    """Whether the picture is blown out around a spot, given as fractions of its width and height."""
    high, wide = picture.shape[:2]
    x, y, reach = at[0] * wide, at[1] * high, max(4.0, _AROUND * wide)
    piece = picture[max(0, int(y - reach)) : int(y + reach) + 1, max(0, int(x - reach)) : int(x + reach) + 1]
    return bool(piece.size) and float((piece.min(axis=2) >= _GLARE).mean()) > _GLARING
