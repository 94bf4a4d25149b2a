"""The Pi's camera against a stand-in for picamera2: what is asked of it, how it fails and how it recovers."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from companion.devices import pi_camera
from companion.devices.pi_camera import PiCamera
from companion.errors import DeviceError, TableError
from tests.devices.pi_library import Rig, WoundTime


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    rig = Rig(clock=WoundTime())
    rig.install(sys.modules)  # type: ignore[arg-type]
    yield rig
    rig.let_go.set()


@pytest.fixture
def film(rig: Rig) -> Callable[..., PiCamera]:
    def filming(**wishes: Any) -> PiCamera:
        camera = PiCamera(size_px=(200, 120), small_px=(100, 60), clock=rig.clock, **wishes)
        camera.open()
        return camera

    return filming


def seconds_until_said(rig: Rig, camera: PiCamera) -> tuple[float, DeviceError]:
    """Take pictures until one fails: after how long it is said, and what."""
    began_s = rig.clock()
    with pytest.raises(DeviceError) as told:
        for _ in range(200):
            camera.next()
    return rig.clock() - began_s, told.value


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(DeviceError, match=r"apt install .*python3-picamera2"):
        PiCamera().open()


def test_a_camera_that_is_not_connected_is_said(rig: Rig) -> None:
    rig.cameras = []
    with pytest.raises(DeviceError, match="no Pi camera is connected"):
        PiCamera().open()


@pytest.mark.parametrize("error", [IndexError("list"), RuntimeError("busy"), OSError(12, "no memory")])
def test_whatever_the_library_raises_is_one_line(rig: Rig, error: Exception) -> None:
    rig.refuses = error
    with pytest.raises(DeviceError, match="does not start"):
        PiCamera().open()
    rig.refuses = None
    PiCamera().open()  # and nothing was left taken


def test_a_camera_that_fails_while_starting_is_let_go(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi_camera, "_while_settling", lambda controls, mains_hz: {"Brightnes": 1})
    with pytest.raises(DeviceError, match="not advertised"):
        PiCamera().open()
    assert rig.opened == 0


def test_it_films_in_the_order_of_colours_that_the_house_uses(rig: Rig) -> None:
    camera = PiCamera(size_px=(1000, 600), clock=rig.clock)
    camera.open()
    camera.open()
    main, lores = {"size": (1000, 600), "format": "RGB888"}, {"size": (768, 432), "format": "YUV420"}
    assert [rig.calls[0], rig.opened] == [{"main": main, "lores": lores}, 1]
    assert [camera.next().number, camera.next().number] == [0, 1]


def test_each_picture_comes_with_its_age_and_a_small_one_without_padding(rig: Rig, film: Any) -> None:
    frame = film().next()
    assert frame.picture.shape == (120, 200, 3)
    assert (frame.small.shape, frame.small.dtype, set(frame.small.flat)) == ((60, 100), np.uint8, {100})
    assert frame.age_s == pytest.approx(0.0, abs=0.1)


def test_a_picture_from_before_a_standstill_is_not_taken_for_new(rig: Rig, film: Any) -> None:
    camera = film()
    first = camera.next()
    rig.clock.wait(6.0)
    frame = camera.next()
    assert frame.age_s < 1.0
    assert frame.at_s - first.at_s > 5.9


def test_exposure_colour_and_focus_are_held_once_they_have_settled(rig: Rig, film: Any) -> None:
    camera = film()
    flicker = {"AfMode": 2, "AeFlickerMode": 1, "AeFlickerPeriod": 10000}
    camera.next()
    assert rig.calls[1:] == [flicker, "start"]
    rig.clock.wait(2.0)
    for _ in range(12):
        frame = camera.next()
    held = {"AeEnable": False, "ExposureTime": 9000, "AnalogueGain": 2.0, "ColourGains": (1.5, 1.8)}
    assert rig.calls[3:] == [held | {"AfMode": 0, "LensPosition": 1.25}]
    assert frame.picture.max() == 140  # and it still sees


def test_a_camera_without_autofocus_is_not_told_to_focus(rig: Rig, film: Any) -> None:
    rig.has_autofocus = False
    camera = film(mains_hz=60.0)
    rig.clock.wait(2.0)
    camera.next()
    assert rig.calls[1] == {"AeFlickerMode": 1, "AeFlickerPeriod": 8333}
    assert "AfMode" not in rig.calls[-1] and "ExposureTime" in rig.calls[-1]


def test_a_camera_without_colour_is_not_told_to_hold_it(rig: Rig, film: Any) -> None:
    rig.lacks = frozenset({"ColourGains", "AwbEnable"})
    camera = film()
    rig.clock.wait(2.0)
    assert camera.next() is not None
    assert "ColourGains" not in rig.calls[-1] and "ExposureTime" in rig.calls[-1]


def test_a_loose_cable_is_said_within_three_seconds_and_no_buffer_is_lost(rig: Rig, film: Any) -> None:
    camera = film()
    camera.next()
    rig.state = "hung"
    for _ in range(10):
        took_s, told = seconds_until_said(rig, camera)
        assert took_s < 3.0
        assert told.code == "no-frame" and "ribbon cable" in told.message
        assert rig.calls[-1] == "flush"
    rig.state = "ok"
    assert camera.next() is not None  # ten wishes given up have cost none of the four buffers


def test_a_camera_that_raises_is_said_at_once(rig: Rig, film: Any) -> None:
    camera = film()
    rig.state = "broken"
    took_s, told = seconds_until_said(rig, camera)
    assert took_s < 0.1
    assert "Input/output error" in told.message


def test_black_pictures_are_said_within_three_seconds_but_one_is_no_news(rig: Rig, film: Any) -> None:
    camera = film()
    camera.next()
    rig.state = "black"
    assert camera.next() is not None
    rig.state = "ok"
    camera.next()
    rig.state = "black"
    took_s, told = seconds_until_said(rig, camera)
    assert 1.9 < took_s < 3.0
    assert told.code == "black" and "lens" in told.message


@pytest.mark.parametrize("trouble", ["hung", "broken", "black", "unplugged"])
def test_a_camera_that_comes_back_is_taken_up_and_settles_anew(rig: Rig, film: Any, trouble: str) -> None:
    camera = film()
    rig.state = "hung" if trouble == "unplugged" else trouble
    seconds_until_said(rig, camera)
    camera.close()
    if trouble == "unplugged":
        rig.cameras = []
        with pytest.raises(DeviceError, match="no Pi camera"):
            camera.open()
        rig.cameras = [{"Model": "imx708"}]
    rig.state = "ok"
    camera.open()
    assert camera.next().number == 0
    rig.clock.wait(2.0)
    camera.next()
    assert rig.calls[-1]["AeEnable"] is False


def test_a_closed_camera_gives_no_more_pictures(rig: Rig, film: Any) -> None:
    camera = film()
    camera.close()
    camera.close()
    assert camera.next() is None
    assert (rig.calls[-1], rig.opened) == ("close", 0)


def test_closing_from_another_thread_ends_a_wait_at_once(rig: Rig, film: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = film()
    rig.state = "hung"
    asked, began_s = threading.Event(), rig.clock()

    def standing_still(seconds: float) -> None:
        asked.set()
        while not camera._is_closing:
            threading.Event().wait(0.001)
        rig.clock.now_s += seconds

    monkeypatch.setattr(WoundTime, "wait", lambda clock, seconds: standing_still(seconds))
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(camera.next()))
    waiting.start()
    assert asked.wait(5)
    camera.close()
    waiting.join(5)
    assert answers == [None]
    assert (rig.opened, rig.clock() - began_s < 0.2) == (0, True)


def test_a_driver_that_hangs_while_closing_is_left_and_then_ends_the_table(
    rig: Rig, film: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pi_camera, "_CLOSE_WITHIN_S", 0.01)
    camera = film()
    rig.hangs_in.add("close")
    camera.close()
    with pytest.raises(TableError, match="only a new start helps") as told:
        camera.open()
    assert not isinstance(told.value, DeviceError)  # which would only be waited for


def test_a_driver_that_hangs_while_opening_is_said_and_the_second_time_ends_the_table(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pi_camera, "_OPEN_WITHIN_S", 0.05)
    rig.hangs_in.add("open")
    camera = PiCamera(clock=rig.clock)
    with pytest.raises(DeviceError, match="opening the Pi camera did not come back"):
        camera.open()
    with pytest.raises(TableError, match="only a new start helps"):
        camera.open()


def brightness_over(rig: Rig, camera: PiCamera, seconds: float, light: Any = None) -> list[int]:
    """The pictures' brightness while time passes and, where it is said how, the light changes."""
    seen, began_s = [], rig.clock()
    while rig.clock() - began_s < seconds:
        if light is not None:
            rig.light = light(rig.clock() - began_s)
        seen.append(int(camera.next().picture.max()))
    return seen


def test_daylight_that_fades_is_followed_by_the_exposure(rig: Rig, film: Any) -> None:
    camera = film()
    brightness_over(rig, camera, 4.0)
    seen = brightness_over(rig, camera, 240.0, lambda passed_s: 0.5 ** (passed_s / 60.0))  # a sixteenth after 4 minutes
    assert min(seen) > 0.6 * 140
    assert {"AeEnable", "ExposureTime"} <= rig.calls[-1].keys()
    held = [said for said in rig.calls if isinstance(said, dict) and said.get("AeEnable") is False]
    assert 3 <= len(held) <= 10  # held again each time, and not all the while
    assert all("LensPosition" not in said for said in rig.calls[4:] if isinstance(said, dict) and said.get("AeEnable"))


def test_a_lamp_that_is_switched_on_is_followed_too(rig: Rig, film: Any) -> None:
    camera = film()
    brightness_over(rig, camera, 4.0)
    seen = brightness_over(rig, camera, 15.0, lambda passed_s: 3.0)
    assert max(seen[:10]) > 200
    assert seen[-1] == pytest.approx(140, abs=3)


def test_a_shade_that_passes_leaves_the_exposure_as_it_is(rig: Rig, film: Any) -> None:
    camera = film()
    brightness_over(rig, camera, 4.0)
    said = len(rig.calls)
    brightness_over(rig, camera, 60.0, lambda passed_s: 0.4 if passed_s % 10 < 4 else 1.0)
    assert len(rig.calls) == said
