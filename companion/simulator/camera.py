"""A camera that films a simulated table; with every picture the people at it go on a little."""

import threading
import time
from collections.abc import Callable

from companion.devices.camera import Frame
from companion.errors import DeviceError
from companion.simulator.evening import Evening
from companion.simulator.film import STEP_S
from companion.simulator.tabletop import Tabletop

_MOST_LEFT_OUT = 4


class SimulatedCamera:
    """Ten pictures a second of table time, ``speed`` times as fast by the clock as long as whoever looks keeps up.

    When they do not keep up, pictures of a table at rest are left out, as a real camera's would be; never those of a
    hand, nor those in which a new card is to be seen.
    """

    def __init__(
        self,
        table: Tabletop,
        evening: Evening,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        following: Callable[[], tuple[Tabletop, Evening]] | None = None,
    ) -> None:
        """A camera above a table at which an evening is played; ``following`` gives the one after it."""
        self.name = "simulated table"
        self._table, self._evening, self._speed, self._clock = table, evening, speed, clock
        self._closed = threading.Event()
        self._number = 0
        self._due_s: float | None = None
        self._following = following
        self._began_s = self._t_s = 0.0
        self._back_s = 0.0

    def open(self) -> None:
        """Begin to film, or go on. Raises `DeviceError` while it is away."""
        self._require_there()
        self._closed.clear()
        self._due_s = None

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture when its time has come; None when closed."""
        self._require_there()
        late = self._late_pictures()
        if self._closed.is_set():
            return None
        is_followed = self._table.is_busy or self._evening.awaits_camera
        left_out = 0 if is_followed else min(late, _MOST_LEFT_OUT)
        shot = self._table.next(STEP_S * (1 + left_out))
        self._evening.step(shot.t_s)
        self._t_s = self._began_s + shot.t_s
        frame = Frame(self._number, self._t_s, shot.bgr)
        self._number += 1
        if self._evening.is_done and self._following is not None:
            self._began_s = self._t_s
            self._table, self._evening = self._following()
        return frame

    def pull(self, away_s: float) -> None:
        """Be away for so many seconds by the clock, as a camera whose cable is loose."""
        self._back_s = self._clock() + away_s

    def _require_there(self) -> None:
        if self._clock() < self._back_s:
            raise DeviceError("its cable is loose")

    def close(self) -> None:
        """Stop filming."""
        self._closed.set()

    def _late_pictures(self) -> int:
        """Wait until the next picture is due; by how many pictures it is late."""
        now = self._clock()
        step_s = STEP_S / (1.0 if self._evening.is_over else self._speed)
        due_s = now if self._due_s is None else self._due_s + step_s
        self._closed.wait(max(0.0, due_s - now))
        late = max(0, int((now - due_s) / step_s))
        self._due_s = max(due_s, now - step_s) if late else due_s
        return late
