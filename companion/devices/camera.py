"""What every camera promises, and how one is named on the command line."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        number: 0 for the camera's first.
        at_s: seconds since the first, by the recording's own pace or by a clock that never jumps.
        picture: (height, width, 3) uint8, BGR; nobody else writes to it.
        age_s: how old it was when it was handed out, where the camera says so.
        small: (h, w) uint8, the same moment's brightness at a lower resolution, where the camera has it for nothing.
    """

    number: int
    at_s: float
    picture: NDArray[np.uint8]
    age_s: float = 0.0
    small: NDArray[np.uint8] | None = None


class Camera(Protocol):
    """A source of pictures, used by one thread; `close` may be called from any.

    Making one touches no hardware and imports no driver: `open` does.
    """

    name: str
    """What people call it, such as ``USB camera 0``."""

    def open(self) -> None:
        """Take hold of the device; one that is open stays so. Raises `DeviceError` that says what would help."""

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture; None when there will be no more: a recording's end, or closed.

        A camera that is slower to be read than it films gives its newest picture, not the oldest waiting.

        Raises:
            DeviceError: `no-frame`: none came in time; closing and opening again may help.
        """

    def close(self) -> None:
        """Let the device go; whoever waits in `next` returns soon. Twice is harmless."""
