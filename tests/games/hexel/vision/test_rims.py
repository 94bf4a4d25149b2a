"""Cards of a taught printing whose printed rim was taken for their edge: eleven of fifteen were missed."""

import cv2
import numpy as np
import pytest

from companion.games.hexel.vision.any_print import printed_lines
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from tests.games.hexel.vision.taught_scenes import told_of_scene

TAUGHT = {
    "red": [[277.6, 141.7], [281.3, 273.0], [173.3, 339.1], [64.3, 276.2], [60.1, 148.2], [165.5, 79.9]],
    "blue": [[509.1, 133.9], [513.4, 268.7], [399.9, 337.7], [284.8, 274.1], [280.0, 142.8], [390.7, 71.6]],
    "yellow": [[754.4, 125.3], [757.0, 263.9], [636.2, 333.9], [515.7, 267.7], [512.5, 132.8], [630.3, 60.5]],
}
LAID = {
    (476, 352): "ryyyyy",
    (426, 305): "rrrryy",
    (376, 256): "rrrryy",
    (325, 208): "bbbyyy",
    (409, 373): "rryyyy",
    (527, 399): "rryyyy",
    (442, 237): "rrryyy",
    (274, 161): "bbbbbb",
    (208, 183): "bbbbbb",
    (156, 135): "bbbbyy",
    (359, 324): "rryyyy",
    (89, 156): "bbbrrr",
    (460, 420): "rryyyy",
    (105, 89): "brrrrr",
    (543, 331): "rryyyy",
}


def test_cards_are_read_whose_printed_rim_is_outlined() -> None:
    told = told_of_scene("rims", TAUGHT, LAID)
    assert len(told) >= 13 and told.items() <= LAID.items()


@pytest.mark.parametrize("line", [0.5, 0.64, 0.8])
def test_a_line_printed_along_the_edges_is_found(line: float) -> None:
    outline = HEXAGON.unit * 80 + 92
    picture = np.full((184, 184, 3), 90, np.uint8)
    cv2.fillConvexPoly(picture, np.round(outline).astype(np.int32), (120, 60, 200))
    cv2.fillConvexPoly(picture, np.round(HEXAGON.unit * 80 * line + 92).astype(np.int32), (230, 230, 230))
    assert printed_lines(Pyramid.of(picture), outline[None]) == pytest.approx((line,), abs=0.03)


def test_a_plain_card_has_no_such_line() -> None:
    outline = HEXAGON.unit * 80 + 92
    picture = np.full((184, 184, 3), 230, np.uint8)
    assert printed_lines(Pyramid.of(picture), outline[None]) == ()
