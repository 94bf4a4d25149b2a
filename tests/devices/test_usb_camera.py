"""The USB camera against a driver of our own."""

import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.devices import usb_camera
from companion.devices.usb_camera import UsbCamera
from companion.errors import DeviceError


class Clock:
    """Seconds that pass while the driver waits."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Driver:
    """Stands in for `cv2.VideoCapture`: pictures that already wait come at once, the next one takes its time."""

    def __init__(self, clock: Clock, waiting: int) -> None:
        self._clock = clock
        self._waiting = waiting
        self._grabbed = -1
        self.opens = True
        self.works = True
        self.released = 0

    def isOpened(self) -> bool:
        return self.opens

    def set(self, what: int, value: float) -> bool:
        return True

    def grab(self) -> bool:
        self._grabbed += 1
        if self._grabbed >= self._waiting:
            self._clock.now_s += 0.06
        return self.works

    def retrieve(self) -> tuple[bool, Any]:
        return True, np.full((2, 2, 3), self._grabbed, np.uint8)

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Driver:
    driver = Driver(clock, waiting=3)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *asked: driver)
    monkeypatch.setattr(usb_camera.Path, "exists", lambda path: path == Path("/dev/video2"))
    return driver


def test_a_camera_that_is_not_plugged_in_is_said(driver: Driver) -> None:
    with pytest.raises(DeviceError, match="/dev/video7"):
        UsbCamera(7).open()


def test_a_camera_that_does_not_open_is_said(driver: Driver) -> None:
    driver.opens = False
    with pytest.raises(DeviceError, match="group video"):
        UsbCamera(2).open()


def test_the_newest_picture_is_given_not_the_oldest_waiting(driver: Driver, clock: Clock) -> None:
    camera = UsbCamera(2, clock=clock)
    camera.open()
    frame = camera.next()
    assert (frame.number, int(frame.picture[0, 0, 0])) == (0, 3)
    assert camera.next().number == 1


def test_a_camera_that_was_pulled_out_is_said(driver: Driver, clock: Clock) -> None:
    camera = UsbCamera(2, clock=clock)
    camera.open()
    driver.works = False
    with pytest.raises(DeviceError, match="check its cable") as told:
        camera.next()
    assert told.value.code == "no-frame"


def test_a_camera_that_gives_the_same_picture_for_long_is_said_and_taken_up_again(
    driver: Driver, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    picture = random.integers(0, 255, (108, 192, 3), np.uint8)
    camera = UsbCamera(2, clock=clock)
    camera.open()
    with monkeypatch.context() as stuck:
        stuck.setattr(driver, "retrieve", lambda: (True, picture.copy()))
        began_s = clock.now_s
        with pytest.raises(DeviceError, match="the same picture") as told:
            for _ in range(1000):
                camera.next()
    assert told.value.code == "no-frame"
    assert 5 <= clock.now_s - began_s <= 15
    camera.close()
    camera.open()
    monkeypatch.setattr(driver, "retrieve", lambda: (True, random.integers(0, 255, (108, 192, 3), np.uint8)))
    for _ in range(1000):
        assert camera.next() is not None


def test_a_covered_camera_whose_pictures_are_all_black_is_not_taken_for_a_stuck_one(
    driver: Driver, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "retrieve", lambda: (True, np.full((108, 192, 3), 2, np.uint8)))
    camera = UsbCamera(2, clock=clock)
    camera.open()
    for _ in range(1000):
        assert camera.next() is not None


def test_a_picture_without_a_byte_is_no_bug(driver: Driver, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode() -> None:  # as OpenCV does when the cable is pulled in the middle of a picture
        cv2.imdecode(np.empty(0, np.uint8), cv2.IMREAD_COLOR)

    camera = UsbCamera(2, clock=clock)
    camera.open()
    with monkeypatch.context() as cut_off:
        cut_off.setattr(driver, "retrieve", decode)
        with pytest.raises(DeviceError, match="check its cable") as told:
            camera.next()
    assert told.value.code == "no-frame"
    assert camera.next() is not None


def test_a_driver_that_hangs_is_said_in_time_and_left_alone(driver: Driver, clock: Clock) -> None:
    camera = UsbCamera(2, clock=clock)
    camera.open()
    ends = threading.Event()
    driver.grab = lambda: ends.wait(5)  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match="check its cable"):
        camera.next(0.01)
    camera.close()
    assert driver.released == 0  # what hangs must not be touched
    ends.set()


def test_closing_twice_is_harmless(driver: Driver, clock: Clock) -> None:
    camera = UsbCamera(2, clock=clock)
    camera.open()
    camera.close()
    camera.close()
    assert driver.released == 1
    assert camera.next() is None
