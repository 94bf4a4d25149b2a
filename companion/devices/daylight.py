"""Whether the light has drifted since a camera's exposure was held: daylight goes on changing, a lamp is switched.

Exposure is held so that a hand or a card changes neither brightness nor colours. Light that fades over an evening must
not be held against, though: the picture would sink into the dark. What tells the one from the other is the middle
change over the whole picture: hands and cards change some places much, light changes all of them alike.
"""

import numpy as np
from numpy.typing import NDArray

DARKER, BRIGHTER = 0.72, 1.35
"""How the middle pixel changes, of its value, before the exposure is found anew: a third of a stop of film or more."""
FOR_S = 6.0
"""So long the change must last: a person leaning over the table is no evening."""

_SPARSE = 16
_FLOOR = 8.0


class Daylight:
    """The light at which an exposure was held, and for how long it has been another."""

    def __init__(self) -> None:
        self._held: NDArray[np.float32] | None = None
        self._since_s: float | None = None

    def hold(self) -> None:
        """Take the next picture for the light that the exposure fits."""
        self._held, self._since_s = None, None

    def update(self, picture: NDArray[np.uint8], now_s: float) -> bool:
        """Take in one more picture, uint8 (h, w, 3); whether its light has been another for long enough."""
        seen = picture[::_SPARSE, ::_SPARSE].astype(np.float32).max(axis=2) + _FLOOR
        if self._held is None or self._held.shape != seen.shape:
            self._held = seen
            return False
        change = float(np.median(seen / self._held))
        if DARKER <= change <= BRIGHTER:
            self._since_s = None
            return False
        if self._since_s is None:
            self._since_s = now_s
        return now_s - self._since_s >= FOR_S
