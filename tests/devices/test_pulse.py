"""A camera's pulse: what tells a hung loop from a quiet one."""

import numpy as np

from companion.devices.camera import Frame, MonitoredCamera


class Slow:
    """A camera that takes three seconds for everything."""

    name = "slow camera"

    def __init__(self) -> None:
        self.now_s = 0.0
        self.pulse: MonitoredCamera | None = None
        self.quiet: list[float] = []
        self.is_open = False

    def clock(self) -> float:
        return self.now_s

    def _take(self) -> None:
        self.now_s += 3.0
        if self.pulse:
            self.quiet.append(self.pulse.quiet_s())

    def open(self) -> None:
        self._take()
        self.is_open = True

    def next(self, timeout_s: float = 5.0) -> Frame:
        self._take()
        return Frame(0, self.now_s, np.zeros((2, 2, 3), np.uint8))

    def close(self) -> None:
        self.is_open = False


def test_each_coming_and_going_is_a_beat_and_what_hangs_is_quiet() -> None:
    slow = Slow()
    slow.pulse = pulse = MonitoredCamera(slow, slow.clock)
    assert pulse.name == "slow camera"
    pulse.open()
    assert (slow.quiet, pulse.quiet_s()) == ([3.0], 0.0)
    slow.now_s += 7.0
    assert pulse.quiet_s() == 7.0
    frame = pulse.next(1.0)
    assert (frame.at_s, slow.quiet, pulse.quiet_s()) == (13.0, [3.0, 3.0], 0.0)
    slow.now_s += 9.0
    pulse.begin()
    assert pulse.quiet_s() == 0.0
    pulse.close()
    assert not slow.is_open
