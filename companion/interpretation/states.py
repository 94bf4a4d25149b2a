"""Notices about watching itself: that the table is settling, that light glares, and what has just happened.

A notice of something that happens once, such as a moved camera, is shown for `PASSING_S`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.referee.messages import Notice

SETTLING_S = 1.5
"""How long the table changes before the notice that it is settling."""
PASSING_S = 8.0
"""How long the notice of a single happening is shown."""

_GLARE_LEVEL = 250
_MIN_GLARE_SHARE = 0.12
_GLARE_RADIUS = 0.04
"""Half the window's side, as a share of the picture's width."""
_GLARES = "Light glares on a card there: turn it, tilt the lamp or shade it; or enter the card by hand."
_SETTLES = "Something moves on the table: it is read once it lies still."


class States:
    """Keeps the notices about watching from frame to frame."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` is monotonic, in seconds."""
        self._clock = clock
        self._passing: dict[str, tuple[str, float]] = {}
        self._busy_since_s: float | None = None

    def update(self, events: Iterable[Mapping[str, Any]], *, is_quiet: bool, active: Iterable[str]) -> None:
        """Take in a frame's tracker events, whether the table is at rest, and the codes of the tracker's notices."""
        now_s = self._clock()
        for event in events:
            if event["event"] == "notice" and event["code"] not in active and "at" not in event:
                self._passing[event["code"]] = event["message"], now_s + PASSING_S
        self._passing = {code: (text, until_s) for code, (text, until_s) in self._passing.items() if until_s > now_s}
        if is_quiet:
            self._busy_since_s = None
        elif self._busy_since_s is None:
            self._busy_since_s = now_s

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the current notices about watching."""
        return (*self._passing, *(["settling"] if self._is_settling() else []))

    def merge(
        self, notices: Mapping[str, Notice], picture: NDArray[np.uint8], *, is_waiting: bool
    ) -> dict[str, Notice]:
        """The interpreter's notices together with those about watching.

        Args:
            notices: of the interpreter; ``unsure`` becomes ``glare`` where the picture is overexposed.
            picture: uint8 BGR, the frame.
            is_waiting: whether a proposal waits; then ``settling`` is not shown.
        """
        merged = {code: Notice(code, text) for code, (text, _) in self._passing.items()} | dict(notices)
        unsure = merged.get("unsure")
        if unsure is not None and unsure.at is not None and has_glare(picture, unsure.at):
            del merged["unsure"]
            merged["glare"] = Notice("glare", _GLARES, unsure.at)
        if not merged and not is_waiting and self._is_settling():
            merged["settling"] = Notice("settling", _SETTLES)
        return merged

    def _is_settling(self) -> bool:
        return self._busy_since_s is not None and self._clock() - self._busy_since_s >= SETTLING_S


def has_glare(picture: NDArray[np.uint8], at: tuple[float, float]) -> bool:
    """Whether the picture is overexposed around a point, given as fractions of its width and height."""
    height, width = picture.shape[:2]
    x, y, radius = at[0] * width, at[1] * height, max(4.0, _GLARE_RADIUS * width)
    window = picture[max(0, int(y - radius)) : int(y + radius) + 1, max(0, int(x - radius)) : int(x + radius) + 1]
    return bool(window.size) and float((window.min(axis=2) >= _GLARE_LEVEL).mean()) > _MIN_GLARE_SHARE
