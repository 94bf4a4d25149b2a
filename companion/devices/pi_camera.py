"""The Raspberry Pi's own camera, through picamera2, with exposure and white balance held once they have settled.

picamera2 and libcamera come from the system's packages and are never a dependency of ours. What is peculiar here:
format ``RGB888`` gives B, G, R; every capture needs a time limit, since a loose cable gives no frames and no error;
after a limit has passed the camera must be flushed, or each late frame costs a buffer; a camera that is missing is an
`IndexError` or a `RuntimeError` depending on the version, one that cannot get memory an `OSError`.
"""

import time
from collections.abc import Callable
from typing import Any

from companion.devices.camera import Frame
from companion.errors import DeviceError

_SETTLE_S = 1.5
_BUFFERS = 4
_INSTALL = "sudo apt install --no-install-recommends python3-picamera2, and a venv made with --system-site-packages"


class PiCamera:
    """The first camera on the Pi's ribbon cable."""

    name = "Pi camera"

    def __init__(
        self,
        *,
        size_px: tuple[int, int] = (2304, 1296),
        frames_per_second: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._size_px = size_px
        self._fps = frames_per_second
        self._clock = clock
        self._device: Any = None
        self._count = 0
        self._began_s = 0.0
        self._is_held = False

    def open(self) -> None:
        """Take hold of the camera and start filming."""
        if self._device is not None:
            return
        try:
            from picamera2 import Picamera2
        except (ImportError, ValueError) as error:  # ValueError: numpy of another binary form than simplejpeg's
            raise DeviceError(f"the Pi camera needs picamera2 ({error}): {_INSTALL}") from error
        if not Picamera2.global_camera_info():
            raise DeviceError("no Pi camera is connected: power off, seat the ribbon cable, start again")
        try:
            self._device = self._started(Picamera2(0))
        except (IndexError, RuntimeError, OSError) as error:
            raise DeviceError(f"the Pi camera does not start: {error}") from error
        self._count, self._began_s, self._is_held = 0, self._clock(), False

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture."""
        device = self._device
        if device is None:
            return None
        try:
            with device.captured_request(wait=timeout_s) as request:
                picture, facts = request.make_array("main"), request.get_metadata()
        except TimeoutError:
            device.cancel_all_and_flush()
            raise DeviceError("the Pi camera gives no picture: check its ribbon cable", code="no-frame") from None
        self._hold_exposure(device, facts)
        number = self._count
        self._count += 1
        return Frame(number, self._clock() - self._began_s, picture)

    def close(self) -> None:
        """Let the camera go."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _started(self, device: Any) -> Any:
        configuration = device.create_video_configuration(
            main={"size": self._size_px, "format": "RGB888"},
            buffer_count=_BUFFERS,
            display=None,
            encode=None,
            controls={"FrameRate": self._fps},
        )
        device.align_configuration(configuration)
        device.configure(configuration)
        device.start()
        return device

    def _hold_exposure(self, device: Any, facts: dict[str, Any]) -> None:
        """Hold what the automatic found, so that a hand in the picture does not change the colours of the cards."""
        if self._is_held or self._clock() - self._began_s < _SETTLE_S:
            return
        held: dict[str, Any] = {"AeEnable": False}
        held |= {name: facts[name] for name in ("ExposureTime", "AnalogueGain", "ColourGains") if name in facts}
        device.set_controls(held)
        self._is_held = True
