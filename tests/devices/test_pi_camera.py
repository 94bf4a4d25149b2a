"""The Pi's camera against a picamera2 of our own: what is asked of it, and what is said when it fails."""

import sys
import types
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pytest

from companion.devices.pi_camera import PiCamera
from companion.errors import DeviceError


class Picamera2:
    """Stands in for the library: notes what it is asked."""

    cameras: ClassVar[list[dict[str, Any]]] = [{"Model": "imx708"}]
    fails: ClassVar[BaseException | None] = None

    def __init__(self, number: int) -> None:
        if Picamera2.fails:
            raise Picamera2.fails
        self.asked: list[Any] = []
        self.is_stuck = False
        made.append(self)

    @staticmethod
    def global_camera_info() -> list[dict[str, Any]]:
        return Picamera2.cameras

    def create_video_configuration(self, **wishes: Any) -> dict[str, Any]:
        return wishes

    def align_configuration(self, configuration: dict[str, Any]) -> None:
        self.asked.append(configuration["main"])

    def configure(self, configuration: dict[str, Any]) -> None: ...

    def start(self) -> None:
        self.asked.append("start")

    def close(self) -> None:
        self.asked.append("close")

    def cancel_all_and_flush(self) -> None:
        self.asked.append("flush")

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.asked.append(controls)

    @contextmanager
    def captured_request(self, wait: float) -> Any:
        if self.is_stuck:
            raise TimeoutError
        yield self

    def make_array(self, name: str) -> Any:
        return np.zeros((4, 6, 3), np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {"ExposureTime": 9000, "AnalogueGain": 2.0, "ColourGains": (1.5, 1.8), "Lux": 300}


made: list[Picamera2] = []


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[Picamera2]:
    module = types.ModuleType("picamera2")
    module.Picamera2 = Picamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)
    monkeypatch.setattr(Picamera2, "cameras", [{"Model": "imx708"}])
    monkeypatch.setattr(Picamera2, "fails", None)
    made.clear()
    return Picamera2


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(DeviceError, match=r"apt install .*python3-picamera2"):
        PiCamera().open()


def test_a_camera_that_is_not_connected_is_said(library: type[Picamera2], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "cameras", [])
    with pytest.raises(DeviceError, match="no Pi camera is connected"):
        PiCamera().open()


@pytest.mark.parametrize("error", [IndexError("list"), RuntimeError("busy"), OSError(12, "no memory")])
def test_whatever_the_library_raises_is_one_line(
    library: type[Picamera2], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(library, "fails", error)
    with pytest.raises(DeviceError, match="does not start"):
        PiCamera().open()


def test_it_films_in_the_order_of_colours_that_the_house_uses(library: type[Picamera2]) -> None:
    camera = PiCamera(size_px=(1000, 600))
    camera.open()
    camera.open()
    assert [made[0].asked, len(made)] == [[{"size": (1000, 600), "format": "RGB888"}, "start"], 1]
    assert [camera.next().number, camera.next().number] == [0, 1]


def test_exposure_and_colour_are_held_once_they_have_settled(library: type[Picamera2]) -> None:
    now_s = 0.0
    camera = PiCamera(clock=lambda: now_s)
    camera.open()
    camera.next()
    assert len(made[0].asked) == 2
    now_s = 2.0
    camera.next()
    camera.next()
    held = {"AeEnable": False, "ExposureTime": 9000, "AnalogueGain": 2.0, "ColourGains": (1.5, 1.8)}
    assert made[0].asked[2:] == [held]


def test_a_loose_cable_is_said_and_no_buffer_is_lost(library: type[Picamera2]) -> None:
    camera = PiCamera()
    camera.open()
    made[0].is_stuck = True
    with pytest.raises(DeviceError, match="ribbon cable") as told:
        camera.next(0.1)
    assert told.value.code == "no-frame"
    assert made[0].asked[-1] == "flush"


def test_a_closed_camera_gives_no_more_pictures(library: type[Picamera2]) -> None:
    camera = PiCamera()
    camera.open()
    camera.close()
    camera.close()
    assert camera.next() is None
    assert made[0].asked[-1] == "close"
