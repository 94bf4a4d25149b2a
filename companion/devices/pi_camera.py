"""The Raspberry Pi's own camera, through picamera2, with exposure, colour and focus held once they have settled.

They are found anew when the light has become another (`daylight`); focus stays, for the table has not moved.

picamera2 and libcamera come from the system's packages and are never a dependency of ours. What is peculiar here:

- format ``RGB888`` gives B, G, R; the small stream must be YUV on a Pi 4, and its rows are padded;
- a loose cable gives no frames and no error, so that every wait has a limit; a wait that is given up stays queued and
  would cost a buffer when frames come again, unless the camera is flushed;
- opening and closing a camera that hangs may hang too; done on threads of their own, they are given up after a while;
- a camera that is missing is an `IndexError` or a `RuntimeError` depending on the version, one that cannot get memory
  an `OSError`;
- exposure switched to manual without values films black, and values take some frames until they hold.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.devices.camera import Frame
from companion.devices.daylight import Daylight
from companion.devices.limits import Hung, within
from companion.errors import DeviceError, TableError

_FRAME_WITHIN_S = 2.0
_BLACK_FOR_S = 2.0
_STALE_S = 1.0
_SETTLE_S = 1.5
_TAKES_HOLD_S = 1.0
_OPEN_WITHIN_S = 10.0
_CLOSE_WITHIN_S = 2.0
_CHECK_S = 0.1
_BUFFERS = 4
_BLACK = 10  # of 255; a dark room films brighter than that, by its noise
_SPARSE = 16
_HANGS = 2
_AF_MANUAL, _AF_CONTINUOUS, _FLICKER_MANUAL = 0, 2, 1  # libcamera's numbers, so that it need not be imported
_INSTALL = "sudo apt install --no-install-recommends python3-picamera2, and a venv made with --system-site-packages"
_CABLE = "check its ribbon cable"


class PiCamera:
    """The first camera on the Pi's ribbon cable."""

    name = "Pi camera"

    def __init__(
        self,
        *,
        size_px: tuple[int, int] = (2304, 1296),
        small_px: tuple[int, int] = (768, 432),
        frames_per_second: float = 15.0,
        mains_hz: float = 50.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A camera, not yet opened.

        Args:
            size_px: of the picture; the camera may align it to another.
            small_px: of `Frame.small`.
            frames_per_second: its pace.
            mains_hz: of the electric light, whose flicker the exposure avoids.
            clock: never jumps; counts as the camera's own time stamps do.
        """
        self._size_px = size_px
        self._small_px = small_px
        self._fps = frames_per_second
        self._mains_hz = mains_hz
        self._clock = clock
        self._device: Any = None
        self._in_use = threading.Lock()
        self._is_closing = False
        self._count = 0
        self._began_s = self._lit_s = 0.0
        self._is_held = False
        self._settling_since_s = 0.0
        self._held_s = 0.0
        self._daylight = Daylight()
        self._hangs = 0

    def open(self) -> None:
        """Take hold of the camera and start filming."""
        if self._device is not None:
            return
        library = _library()
        try:
            self._device = within(_OPEN_WITHIN_S, lambda: self._started(library), "opening the Pi camera")
        except (IndexError, RuntimeError, OSError) as error:
            if self._hangs:
                raise _for_good(f"it does not start after it hung: {error}") from error
            raise DeviceError(f"the Pi camera does not start: {error}") from error
        except Hung as hung:
            self._note_hang(hung)
            raise
        self._is_closing = self._is_held = False
        self._count, self._began_s = 0, self._clock()
        self._lit_s = self._settling_since_s = self._began_s

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture. Gives up after two seconds, or sooner if asked to.

        Raises:
            DeviceError: `no-frame` when none came, `black` when they have been black for two seconds.
        """
        with self._in_use:
            device = self._device
            if device is None:
                return None
            ends_s = self._clock() + min(timeout_s, _FRAME_WITHIN_S)
            frame = self._frame(device, ends_s)
            for _ in range(_BUFFERS):
                if frame is None or frame.age_s <= _STALE_S:
                    break
                frame = self._frame(device, ends_s)  # the other had been waiting since before the camera stood still
            return frame

    def close(self) -> None:
        """Let the camera go.

        Raises:
            TableError: the driver hangs for good; only another process can get at the camera.
        """
        self._is_closing = True
        with self._in_use:  # whoever waits for a picture looks up soon; its memory must not go while it is copied
            device, self._device = self._device, None
        if device is None:
            return
        try:
            within(_CLOSE_WITHIN_S, device.close, "closing the Pi camera")
        except Hung as hung:
            self._note_hang(hung)
        except (RuntimeError, OSError) as error:
            raise _for_good(f"it cannot be let go: {error}") from error

    def _started(self, library: Any) -> Any:
        device = library(0)
        try:
            _configure(device, self._size_px, self._small_px, self._fps)
            device.set_controls(_while_settling(device.camera_controls, self._mains_hz))
            device.start()
        except (RuntimeError, OSError):
            device.close()  # else it stays taken, by us
            raise
        return device

    def _frame(self, device: Any, ends_s: float) -> Frame | None:
        request = self._request(device, ends_s)
        if request is None:
            return None
        try:
            facts = request.get_metadata()
            picture, small = request.make_array("main"), _grey(device, request)
        finally:
            request.release()
        self._hangs = 0
        self._follow_brightness(picture)
        self._hold(device, facts)
        self._follow_light(device, picture)
        now_s, number = self._clock(), self._count
        self._count += 1
        stamp_ns = facts.get("SensorTimestamp")
        age_s = 0.0 if stamp_ns is None else max(0.0, now_s - stamp_ns / 1e9)
        return Frame(number, now_s - age_s - self._began_s, picture, age_s, small)

    def _request(self, device: Any, ends_s: float) -> Any:
        """The next completed request, to be released; None when the camera is being closed."""
        try:
            job = device.capture_request(wait=False)
            while not self._is_closing:
                try:
                    return device.wait(job, timeout=_CHECK_S)
                except TimeoutError:
                    if self._clock() >= ends_s:
                        raise
            _flush(device)
            return None
        except TimeoutError:
            _flush(device)
            raise DeviceError(f"the Pi camera gives no picture: {_CABLE}", code="no-frame") from None
        except (RuntimeError, OSError, CancelledError) as error:
            raise DeviceError(f"the Pi camera fails: {error or 'cancelled'}; {_CABLE}", code="no-frame") from error

    def _follow_brightness(self, picture: NDArray[np.uint8]) -> None:
        now_s = self._clock()
        if np.percentile(picture[::_SPARSE, ::_SPARSE], 99) > _BLACK:
            self._lit_s = now_s
        elif now_s - self._lit_s >= _BLACK_FOR_S:
            raise DeviceError(
                "the Pi camera's pictures are black: is the lens covered, or the light off?", code="black"
            )

    def _hold(self, device: Any, facts: dict[str, Any]) -> None:
        """Hold what the automatics found, so that a hand in the picture changes neither colours nor focus."""
        if self._is_held or self._clock() - self._settling_since_s < _SETTLE_S:
            return
        held: dict[str, Any] = {
            name: facts[name] for name in ("ExposureTime", "AnalogueGain", "ColourGains") if name in facts
        }
        if "ExposureTime" in held:
            held["AeEnable"] = False
        if "AfMode" in device.camera_controls and "LensPosition" in facts:
            held |= {"AfMode": _AF_MANUAL, "LensPosition": facts["LensPosition"]}
        device.set_controls({name: value for name, value in held.items() if name in device.camera_controls})
        self._is_held, self._held_s = True, self._clock()
        self._daylight.hold()

    def _follow_light(self, device: Any, picture: NDArray[np.uint8]) -> None:
        """Let the automatics find exposure and colour anew when the light is another; then they are held again."""
        now_s = self._clock()
        if not self._is_held or now_s - self._held_s < _TAKES_HOLD_S or not self._daylight.update(picture, now_s):
            return
        free = {"AeEnable": True, "ExposureTime": 0, "AnalogueGain": 0.0, "AwbEnable": True}  # 0 is automatic again
        device.set_controls({name: value for name, value in free.items() if name in device.camera_controls})
        self._is_held, self._settling_since_s = False, now_s

    def _note_hang(self, hung: Hung) -> None:
        self._hangs += 1
        if self._hangs >= _HANGS:
            raise _for_good(hung.message)


def _for_good(what: str) -> TableError:
    """What ends the table: a service manager starts it anew, and the journal brings it back."""
    return TableError(f"the Pi camera's driver hangs, and only a new start helps: {what}", code="camera-hung")


def _library() -> Any:
    try:
        from picamera2 import Picamera2
    except (ImportError, ValueError) as error:  # ValueError: numpy of another binary form than simplejpeg's
        raise DeviceError(f"the Pi camera needs picamera2 ({error}): {_INSTALL}") from error
    if not within(_OPEN_WITHIN_S, Picamera2.global_camera_info, "looking for Pi cameras"):
        raise DeviceError("no Pi camera is connected: power off, seat the ribbon cable, start again")
    return Picamera2


def _configure(device: Any, size_px: tuple[int, int], small_px: tuple[int, int], fps: float) -> None:
    configuration = device.create_video_configuration(
        main={"size": size_px, "format": "RGB888"},
        lores={"size": small_px, "format": "YUV420"},
        buffer_count=_BUFFERS,
        display=None,
        encode=None,
        controls={"FrameRate": fps},
    )
    device.align_configuration(configuration)
    device.configure(configuration)


def _while_settling(controls: Any, mains_hz: float) -> dict[str, Any]:
    """The controls for automatic exposure and focus, of those that the camera has; it refuses any other."""
    settings: dict[str, Any] = {}
    if "AfMode" in controls:
        settings["AfMode"] = _AF_CONTINUOUS
    if "AeFlickerMode" in controls and mains_hz:
        settings |= {"AeFlickerMode": _FLICKER_MANUAL, "AeFlickerPeriod": round(1e6 / (2 * mains_hz))}
    return settings


def _grey(device: Any, request: Any) -> NDArray[np.uint8]:
    """The brightness of the small stream: the first rows of YUV420, without their padding; a copy."""
    width, height = device.stream_configuration("lores")["size"]
    planes: NDArray[np.uint8] = request.make_array("lores")
    return planes[:height, :width].copy()


def _flush(device: Any) -> None:
    """Drop what is queued, or it takes a picture later that nobody would give back."""
    within(_CLOSE_WITHIN_S, device.cancel_all_and_flush, "flushing the Pi camera")
