import cv2
import numpy as np
import pytest

from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM, face_shapes
from companion.printing.raster import raster
from companion.printing.shapes import Band, Box, Disc, Polygon, Ring, moved, regular_polygon
from companion.vision.image.codec import encode_png

WINDOW = Box(-10, -10, 10, 10)


def area_mm2(picture, px_per_mm):
    return picture[:, :, 3].sum() / 255 / px_per_mm**2


@pytest.mark.parametrize(
    ("shape", "expected_mm2"),
    [
        (Disc((0, 0), 6, "#FF0000"), np.pi * 36),
        (Ring((0, 0), 6, 2, "#FF0000"), np.pi * (49 - 25)),
        (Polygon(regular_polygon(4, 8), "#FF0000"), 128),
        (Band(((-5, 0), (5, 0)), 4, "#FF0000"), 40 + np.pi * 4),
    ],
)
def test_a_shape_covers_its_area(shape, expected_mm2):
    assert area_mm2(raster((shape,), 8, WINDOW), 8) == pytest.approx(expected_mm2, rel=0.02)


def test_edges_are_smooth_and_keep_their_colour():
    picture = raster((Disc((0, 0), 6, "#C8322B"),), 4, WINDOW)
    edge = picture[(picture[:, :, 3] > 60) & (picture[:, :, 3] < 200)]
    assert len(edge) > 20
    assert np.abs(edge[:, :3].astype(int) - (43, 50, 200)).max() <= 2


def test_a_shape_moved_is_drawn_moved_by_as_much():
    shapes = face_shapes(("red", "blue", "void", "red", "red", "red"), "36")
    box = Box(-40, -40, 40, 40)
    here, there = raster(shapes, 4, box), raster(moved(shapes, (2, -3)), 4, box)
    assert np.array_equal(here[12:, :-8], there[:-12, 8:])


def test_a_face_is_centred_in_its_own_box():
    picture = raster(face_shapes(("blue",) * 6, "36"), 5)
    assert picture.shape[1] == pytest.approx(2 * APOTHEM_MM * 5, abs=2)
    assert picture.shape[0] == pytest.approx(2 * SIDE_MM * 5, abs=2)
    difference = np.abs(picture.astype(int) - picture[::-1, ::-1])
    assert difference.mean() < 1.5


def test_a_png_keeps_the_transparent_ground_and_nothing_is_said_of_it(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = raster((Disc((0, 0), 5, "#FF0000"),), 2)
    read = cv2.imdecode(np.frombuffer(encode_png(drawn), np.uint8), cv2.IMREAD_UNCHANGED)
    assert np.array_equal(read, drawn)
    assert capfd.readouterr().err == ""
