"""Patience with drivers: what comes back, what raises, and what hangs."""

import threading

import pytest

from companion.devices.limits import Hung, within


def test_what_comes_back_is_handed_on() -> None:
    assert within(5, lambda: threading.current_thread().name, "asking") == "asking"


def test_what_a_driver_raises_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 / 0, "dividing")


def test_what_hangs_is_given_up_and_named() -> None:
    ends = threading.Event()
    with pytest.raises(Hung, match=r"closing the camera did not come back within 0\.01 s"):
        within(0.01, ends.wait, "closing the camera")
    ends.set()
