"""What the settings ask for: which game, which camera."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from companion.app.factories import asked_header, calibration_file, camera_from
from companion.config import CameraSettings, GameSettings, Settings
from companion.devices.pi_camera import PiCamera
from companion.devices.recorded import Recorded
from companion.devices.usb_camera import UsbCamera
from companion.errors import BadHeader, BadSettings


def test_settings_without_a_game_ask_for_none() -> None:
    assert asked_header(Settings()) is None
    assert asked_header(Settings(GameSettings(players=("Cy", "Dee")))).game == "hexel"
    with pytest.raises(BadHeader):
        asked_header(Settings(GameSettings("chess")))


def test_names_that_look_the_same_begin_no_game_from_the_settings_either() -> None:
    with pytest.raises(BadHeader, match="one name"):
        asked_header(Settings(GameSettings("hexel", ("Zoe\u0308", "Zo\u00eb"))))


@pytest.mark.parametrize(
    "options",
    [{"chips": 10**20}, {"chips": 10**10}, {"chips": 1e300}, {"colours": {"Ana": date(2026, 1, 1)}}, {"x": 1e999}],
)
def test_options_that_no_record_can_hold_begin_no_game(options: dict[str, Any]) -> None:
    with pytest.raises(BadHeader, match="options"):
        asked_header(Settings(GameSettings("hexel", options=options)))


def test_every_camera_can_be_named(tmp_path: Path) -> None:
    named = {source: camera_from(CameraSettings(source)) for source in ("pi", "usb", "usb:2", str(tmp_path), "none")}
    kinds = [type(camera) for camera in named.values()]
    assert kinds == [PiCamera, UsbCamera, UsbCamera, Recorded, type(None)]
    assert named["usb:2"].name == "USB camera 2"
    with pytest.raises(BadSettings, match="no such camera"):
        camera_from(CameraSettings("usb:two"))


def test_a_calibration_is_named_by_its_venue_or_its_file(tmp_path: Path) -> None:
    assert calibration_file(Path("kitchen"), tmp_path) == tmp_path / "calibration" / "kitchen.toml"
    assert calibration_file(Path("kitchen.toml"), tmp_path) == Path("kitchen.toml")
    assert calibration_file(tmp_path / "kitchen") == tmp_path / "kitchen"
