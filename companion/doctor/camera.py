"""The camera of the settings: whether it films, how fast, how bright, and whether its calibration is for it."""

import time
from collections.abc import Callable

from companion.app.factories import calibration_file
from companion.config import Settings
from companion.devices.camera import Camera, Frame
from companion.doctor.finding import Finding
from companion.errors import DeviceError, UsageError
from companion.vision.calibration.calibration import read_calibration

CameraFrom = Callable[[Settings], Camera | None]

_DARK, _BRIGHT = 40.0, 220.0
_FILM_S = 1.5
_MOST_FRAMES = 40
_SLOW_FPS = 5.0


def camera(settings: Settings, opened: CameraFrom, clock: Callable[[], float] = time.monotonic) -> tuple[Finding, ...]:
    """Open the camera of the settings, take some pictures, and hold its calibration against them."""
    device = None
    try:
        device = opened(settings)
        if device is None:
            nothing = Finding("camera", "skipped", "the settings name none: [camera] source")
            return nothing, calibration(settings, None)
        try:
            device.open()
            frame, per_s = _filmed(device, clock)
        finally:
            device.close()
    except DeviceError as error:
        fix = "end what else uses the camera, check its cable, try again"
        return Finding("camera", "fail", error.message, fix), calibration(settings, None)
    if frame is None:
        found = Finding("camera", "fail", f"{device.name} gave no picture", "name a folder that holds pictures")
        return found, calibration(settings, None)
    height, width = frame.picture.shape[:2]
    return _finding(device.name, frame, per_s), calibration(settings, (width, height))


def calibration(settings: Settings, size: tuple[int, int] | None) -> Finding:
    """Whether there is one, whether it can be read, and whether it is for pictures of this size."""
    named = settings.vision.calibration
    if named is None:
        return Finding("calibration", "skipped", "the settings name none; games with zones need one")
    again = 'companion calibrate, then [vision] calibration = "its venue"'
    try:
        known = read_calibration(calibration_file(named, settings.table.data))
        if size is not None:
            known.for_size(size)
    except UsageError as error:
        return Finding("calibration", "fail", error.message, again)
    residual = "" if known.residual_mm is None else f", {known.residual_mm:.2f} mm off"
    lens = "" if known.lens is None else ", lens measured"
    found = f"{known.venue} of {known.made}, by {known.by}{residual}{lens}, {len(known.zones)} zones"
    return Finding("calibration", "ok", found)


def _filmed(device: Camera, clock: Callable[[], float]) -> tuple[Frame | None, float | None]:
    """The last of some pictures, and how many came in a second; None where one alone came."""
    last = device.next(5.0)
    began_s, count = clock(), 0
    while last is not None and count < _MOST_FRAMES and clock() - began_s < _FILM_S:
        frame = device.next(5.0)
        if frame is None:
            break
        last, count = frame, count + 1
    took_s = clock() - began_s
    return last, count / took_s if count and took_s > 0 else None


def _finding(name: str, frame: Frame, per_s: float | None) -> Finding:
    height, width = frame.picture.shape[:2]
    light = float(frame.picture.mean())
    pace = "" if per_s is None else f", {per_s:.0f} pictures a second"
    found = f"{name}, {width} x {height}{pace}, brightness {light:.0f} of 255"
    if not _DARK <= light <= _BRIGHT:
        return Finding("camera", "warn", found, "more light" if light < _DARK else "less light, or another angle")
    if per_s is not None and per_s < _SLOW_FPS:
        return Finding("camera", "warn", found, "smaller pictures: [camera] width_px and height_px")
    return Finding("camera", "ok", found)
