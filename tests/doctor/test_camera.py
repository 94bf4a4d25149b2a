"""The doctor's look at the camera, its calibration, and the machine's speed."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from companion.config import Settings, TableSettings, VisionSettings
from companion.devices.camera import Frame
from companion.doctor.bench import bench
from companion.doctor.table import calibration, camera
from companion.errors import DeviceError
from companion.vision.calibration.calibration import Calibration, calibration_text

MADE = Calibration("kitchen", "usb", (160, 90), np.eye(3), by="marks", residual_mm=0.21, made=date(2026, 5, 4))


class Camera:
    """A camera that films one brightness, a picture every so many seconds of a clock that it winds; or fails."""

    name = "test camera"

    def __init__(self, light: int | None, every_s: float = 0.1) -> None:
        self._light = light
        self._every_s = every_s
        self.now_s = 0.0
        self.is_open = False

    def open(self) -> None:
        self.is_open = True

    def next(self, timeout_s: float) -> Frame:
        self.now_s += self._every_s
        if self._light is None:
            raise DeviceError("test camera gives no picture")
        return Frame(0, 0.0, np.full((90, 160, 3), self._light, np.uint8))

    def close(self) -> None:
        self.is_open = False


def kept(folder: Path, made: Calibration = MADE) -> Settings:
    (folder / "calibration").mkdir()
    (folder / "calibration" / "kitchen.toml").write_text(calibration_text(made))
    return Settings(vision=VisionSettings(calibration=Path("kitchen")), table=TableSettings(folder))


@pytest.mark.parametrize(
    "light, state, told",
    [
        (120, "ok", "160 x 90, 10 pictures a second, brightness 120"),
        (10, "warn", "10"),
        (250, "warn", "250"),
        (None, "fail", "no picture"),
    ],
)
def test_the_camera_is_tried_and_let_go(light: int | None, state: str, told: str) -> None:
    filming = Camera(light)
    found, _ = camera(Settings(), lambda settings: filming, lambda: filming.now_s)
    assert (found.state, filming.is_open) == (state, False)
    assert told in found.found and bool(found.fix) is (state != "ok")


def test_a_slow_camera_is_a_warning() -> None:
    filming = Camera(120, every_s=0.5)
    found, _ = camera(Settings(), lambda settings: filming, lambda: filming.now_s)
    assert (found.state, "2 pictures a second" in found.found) == ("warn", True)
    assert "width_px" in found.fix


def test_no_camera_is_nothing_to_look_at() -> None:
    assert [each.state for each in camera(Settings(), lambda settings: None)] == ["skipped", "skipped"]


def test_a_calibration_is_told_with_what_made_it(tmp_path: Path) -> None:
    found = calibration(kept(tmp_path), (320, 180))
    assert (found.state, found.fix) == ("ok", "")
    assert "kitchen of 2026-05-04, by marks, 0.21 mm off" in found.found


def test_a_calibration_for_other_pictures_is_a_failure(tmp_path: Path) -> None:
    filming = Camera(120)
    found = camera(kept(tmp_path, replace(MADE, size=(640, 480))), lambda settings: filming)[1]
    assert (found.state, "640 x 480 pixels, not 160 x 90" in found.found) == ("fail", True)
    assert "companion calibrate" in found.fix


def test_a_calibration_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    settings = Settings(vision=VisionSettings(calibration=Path("attic")), table=TableSettings(tmp_path))
    assert "attic.toml" in calibration(settings, None).found


def test_the_bench_tells_each_stage_and_the_pace() -> None:
    reading, watching = bench()
    assert "ms a picture (" in reading.found and "find" in reading.found
    assert "still pictures a second" in watching.found


def test_a_slow_machine_is_told_what_would_help() -> None:
    ticks = iter(range(1000))
    reading, watching = bench(lambda: 10.0 * next(ticks))
    assert (reading.state, watching.state) == ("warn", "warn")
    assert reading.fix and watching.fix
