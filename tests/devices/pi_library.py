"""A stand-in for the module picamera2: behaves as its documentation and source say, failures included.

Changes when picamera2's behaviour does, or when a failure seen on a Pi is to be rehearsed. `install` puts it where
``from picamera2 import Picamera2`` finds it; the `Rig` is the camera on the cable, to be pulled out and hung.
"""

import threading
import time
import types
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

AUTOFOCUS = frozenset({"AfMode", "LensPosition"})
EVERY = frozenset(
    {"AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "AeFlickerMode", "AeFlickerPeriod"}
)
_USUAL_US, _LONGEST_US = 9000, 60000
"""The exposure that the light of 1 asks for, and the longest that the frame rate leaves room for."""
_LATENCY = 4
"""Pictures until a control takes hold."""
_STRIDE = 64


@dataclass(slots=True)
class Rig:
    """The camera on the ribbon cable, and the clock by which it films.

    Attributes:
        light: on the table; 1 is an evening's lamp.
        state: ``ok``; ``hung`` (no frames, no error), ``black``, ``broken`` (every capture raises).
        cameras: what is found; empty when unplugged.
        is_old: whether a missing camera is an `IndexError`, as it was up to 0.3.36.
        refuses: raised by opening it, such as a `RuntimeError` when it is busy.
        hangs_in: calls that do not come back until `let_go`: ``open``, ``close``.
        controls: what the camera has.
        has_autofocus: whether `AUTOFOCUS` is among them.
        lacks: of `EVERY`, what it cannot be told, though it tells of it.
        said: what was asked of it, in order.
        opened: how many devices are held now.
    """

    state: str = "ok"
    light: float = 1.0
    cameras: list[dict[str, Any]] = field(default_factory=lambda: [{"Model": "imx708", "Num": 0}])
    is_old: bool = False
    refuses: Exception | None = None
    hangs_in: set[str] = field(default_factory=set)
    has_autofocus: bool = True
    lacks: frozenset[str] = frozenset()
    fps: float = 15.0
    clock: "RealTime | WoundTime" = field(default_factory=lambda: RealTime())
    calls: list[Any] = field(default_factory=list)
    opened: int = 0
    let_go: threading.Event = field(default_factory=threading.Event)

    @property
    def controls(self) -> frozenset[str]:
        """What it can be told."""
        return (EVERY | AUTOFOCUS if self.has_autofocus else EVERY) - self.lacks

    def may_hang(self, call: str) -> None:
        """Not come back from a call that hangs."""
        if call in self.hangs_in:
            self.let_go.wait()

    def install(self, modules: dict[str, Any]) -> None:
        """Be what ``picamera2`` means, in ``sys.modules`` or what stands for it."""
        module = types.ModuleType("picamera2")
        module.Picamera2 = _bound(self)  # type: ignore[attr-defined]
        modules["picamera2"] = module


class RealTime:
    """Time as it passes."""

    def __call__(self) -> float:
        """Now."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Let it pass."""
        time.sleep(seconds)


class WoundTime:
    """Time that passes only when somebody waits or winds it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Now."""
        return self.now_s

    def wait(self, seconds: float) -> None:
        """Let it pass at once."""
        self.now_s += seconds


class Request:
    """A completed request; one that is never released is a buffer lost."""

    def __init__(self, device: "Device", taken_s: float, facts: dict[str, Any]) -> None:
        self._device = device
        self._facts = facts | {"SensorTimestamp": round(taken_s * 1e9)}
        self._is_black = device.rig.state == "black" or facts["ExposureTime"] == 0
        self._exposure = (device.rig.light * facts["ExposureTime"] / _USUAL_US) ** (1 / 2.2)

    def get_metadata(self) -> dict[str, Any]:
        """What the camera says of the picture."""
        return dict(self._facts)

    def make_array(self, name: str) -> NDArray[np.uint8]:
        """A stream's picture: ``main`` as (h, w, 3), ``lores`` as the planes of YUV420 with padded rows."""
        width, height = self._device.configuration[name]["size"]
        if name == "main":
            colour = np.clip(np.array([40, 90, 140]) * (0 if self._is_black else self._exposure), 0, 255)
            return np.full((height, width, 3), np.round(colour), np.uint8)
        planes = np.full((height * 3 // 2, -(-width // _STRIDE) * _STRIDE), 77, np.uint8)
        planes[:height, :width] = 16 if self._is_black else 100
        return planes

    def release(self) -> None:
        """Give the buffer back."""
        self._device.free += 1


class Device:
    """What ``Picamera2(0)`` gives. Jobs that are waited for in vain stay queued, as the library's do."""

    def __init__(self, rig: Rig) -> None:
        rig.may_hang("open")
        if not rig.cameras:
            raise IndexError("list index out of range") if rig.is_old else RuntimeError("No camera number 0 found")
        if rig.refuses:
            raise rig.refuses
        if rig.opened:
            raise RuntimeError("Camera __init__ sequence did not complete.")
        rig.opened += 1
        self.rig = rig
        self.free = 0
        self.configuration: dict[str, Any] = {}
        self.camera_controls = dict.fromkeys(rig.controls)
        self._settings: dict[str, Any] = {"AeEnable": True}
        self._pending: list[list[Any]] = []
        self._jobs: list[Future[Request]] = []
        self._due_s = 0.0
        self._is_started = False

    def create_video_configuration(self, **wishes: Any) -> dict[str, Any]:
        """A configuration, still to be aligned."""
        if wishes["lores"]["format"] != "YUV420":
            raise RuntimeError("lores stream must be YUV")
        return wishes

    def align_configuration(self, configuration: dict[str, Any]) -> None:
        """Sizes as the camera can have them: even."""
        for name in ("main", "lores"):
            width, height = configuration[name]["size"]
            configuration[name] = configuration[name] | {"size": (width & ~1, height & ~1)}

    def configure(self, configuration: dict[str, Any]) -> None:
        """Take it."""
        self.configuration = configuration
        self.free = configuration["buffer_count"]
        self.rig.calls.append({name: configuration[name] for name in ("main", "lores")})

    def stream_configuration(self, name: str) -> dict[str, Any]:
        """A stream as it was aligned."""
        stream: dict[str, Any] = self.configuration[name]
        return stream

    def start(self) -> None:
        """Begin to film."""
        self._is_started = True
        self._due_s = self.rig.clock()
        self.rig.calls.append("start")

    def set_controls(self, controls: dict[str, Any]) -> None:
        """Tell the camera; it takes some pictures until it is so."""
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        self._pending.append([_LATENCY, dict(controls)])
        self.rig.calls.append(dict(controls))

    def capture_request(self, wait: bool | None = None) -> Future[Request]:
        """Queue a wish for the next picture."""
        if not self._is_started:
            raise RuntimeError("Camera is not started")
        assert wait is False, "every other way of waiting can wait for ever"
        self._jobs.append(Future())
        return self._jobs[-1]

    def wait(self, job: Future[Request], timeout: float | None = None) -> Request:
        """The picture that was wished for; a `TimeoutError` leaves the wish queued."""
        assert timeout is not None, "without a limit this can wait for ever"
        ends_s = self.rig.clock() + timeout
        while not job.done():
            if self.rig.state == "broken":
                raise RuntimeError("Failed to queue request: Input/output error")
            left_s = min(self._due_s, ends_s) - self.rig.clock()
            self.rig.clock.wait(max(0.0, left_s))
            if self.rig.clock() >= self._due_s:
                self._film()
            if not job.done() and self.rig.clock() >= ends_s:
                raise TimeoutError
        return job.result()

    def cancel_all_and_flush(self) -> None:
        """Drop all wishes."""
        for job in self._jobs:
            job.cancel()
        self._jobs = []
        self.rig.calls.append("flush")

    def close(self) -> None:
        """Let the camera go."""
        self.rig.may_hang("close")
        self.rig.opened -= 1
        self._is_started = False
        self.rig.calls.append("close")

    def _film(self) -> None:
        taken_s, self._due_s = self._due_s, self.rig.clock() + 1 / self.rig.fps
        if self.rig.state == "hung" or not self.free or not self._jobs:
            return
        self._settle()
        self.free -= 1
        self._jobs.pop(0).set_result(Request(self, taken_s, self._facts()))

    def _settle(self) -> None:
        for waiting in self._pending:
            waiting[0] -= 1
        for waiting in [each for each in self._pending if each[0] <= 0]:
            self._pending.remove(waiting)
            self._settings |= waiting[1]

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"AnalogueGain": 2.0, "ColourGains": (1.5, 1.8), "Lux": 300.0}
        fitting = min(round(_USUAL_US / self.rig.light), _LONGEST_US)
        facts["ExposureTime"] = fitting if self._settings["AeEnable"] else self._settings.get("ExposureTime", 0)
        return facts | ({"LensPosition": 1.25, "AfState": 2} if self.rig.has_autofocus else {})


def _bound(rig: Rig) -> type:
    class Picamera2(Device):
        """The library's class, with the rig for hardware."""

        def __init__(self, number: int) -> None:
            super().__init__(rig)

        @staticmethod
        def global_camera_info() -> list[dict[str, Any]]:
            """What is connected."""
            return list(rig.cameras)

    return Picamera2
