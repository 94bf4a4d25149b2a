"""The code that joins a phone: it is read back from what is shown."""

import re

import cv2
import numpy as np
import pytest

from companion.printing.qr import QUIET, dark_modules, letters, svg

LINK = "http://192.168.178.123:8080/?code=ABCDEF"


def read(is_dark: np.ndarray) -> str:
    picture = np.where(is_dark, 0, 255).astype(np.uint8)
    return str(cv2.QRCodeDetector().detectAndDecode(np.kron(picture, np.ones((8, 8), np.uint8)))[0])


@pytest.mark.parametrize("text", [LINK, "http://10.0.0.7:8080/", "http://[2001:db8::7]:65535/?code=" + "X" * 40])
def test_a_phone_reads_the_very_text(text: str) -> None:
    assert read(dark_modules(text)) == text


def test_a_quiet_zone_of_four_modules_is_all_around() -> None:
    is_dark = dark_modules(LINK)
    assert is_dark[QUIET:-QUIET, QUIET:-QUIET][[0, -1]].any(1).all()
    assert is_dark.sum() == is_dark[QUIET:-QUIET, QUIET:-QUIET].sum()


def test_the_picture_draws_the_dark_modules_and_no_others() -> None:
    is_dark = dark_modules(LINK)
    drawn = np.zeros_like(is_dark)
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1", svg(LINK)):
        drawn[int(y), int(x) : int(x) + int(width)] = True
    assert (drawn == is_dark).all()
    assert len(svg(LINK)) < 10_000


def test_a_terminal_shows_the_same_code() -> None:
    light = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    rows = [[light[sign] for sign in line] for line in letters(LINK).splitlines()]
    is_light = np.array(rows).transpose(0, 2, 1).reshape(-1, len(rows[0])).astype(bool)
    assert read(~is_light) == LINK
