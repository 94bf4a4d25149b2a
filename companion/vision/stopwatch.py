"""How long each stage of a reading took: timing is data that a reading carries."""

from collections.abc import Callable
from time import perf_counter


class Stopwatch:
    """Milliseconds between laps."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._last = now()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Note the time since the lap before under ``name``."""
        now = self._now()
        self.laps[name] = (now - self._last) * 1000.0
        self._last = now
