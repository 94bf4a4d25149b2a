"""Shapes as a picture: the only module of this room that knows pixels."""

import cv2
import numpy as np
import numpy.typing as npt

from companion.printing.shapes import Band, Box, Disc, Point, Polygon, Ring, Shape, bounds

Picture = npt.NDArray[np.uint8]

_FINER = 4
"""How many times finer the shapes are drawn than they are handed out: the smooth edges come from the averaging."""
_BAND = 16
"""So many rows are averaged at a time."""
_SHIFT = 4
"""Fractional bits of the coordinates that OpenCV draws at."""


def raster(shapes: tuple[Shape, ...], px_per_mm: float, box: Box | None = None) -> Picture:
    """Draw shapes with smooth edges on a transparent ground.

    Args:
        shapes: what to draw, later ones on top.
        px_per_mm: the scale.
        box: the part of the plane to show; the least that holds all shapes when None.

    Returns:
        ``(H, W, 4)`` BGRA. The point (x, y) in mm lies at ``(x - box.left_mm) * px_per_mm - 0.5`` pixels to the right,
        with the origin at the centre of the top left pixel.

    >>> raster((Disc((0, 0), 5, "#FF0000"),), 2)[10, 10].tolist()
    [0, 0, 255, 255]
    """
    box = box or bounds(shapes)
    width, height = round(box.width_mm * px_per_mm), round(box.height_mm * px_per_mm)
    fine = np.zeros((height * _FINER, width * _FINER, 4), np.uint8)
    pen = _Pen(fine, box, px_per_mm * _FINER)
    for shape in shapes:
        pen.draw(shape)
    return _averaged(fine, width, height)


def bgra(colour: str) -> tuple[int, int, int, int]:
    """A colour as OpenCV takes it, opaque.

    >>> bgra("#C8322B")
    (43, 50, 200, 255)
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return blue, green, red, 255


class _Pen:
    """Draws on one canvas at one scale."""

    def __init__(self, canvas: Picture, box: Box, px_per_mm: float) -> None:
        self._canvas, self._box, self._scale = canvas, box, px_per_mm

    def draw(self, shape: Shape) -> None:
        match shape:
            case Disc(centre, radius, fill):
                self._circle(centre, radius, bgra(fill), -1)
            case Ring(centre, radius, width, colour):
                self._circle(centre, radius, bgra(colour), self._line(width))
            case Polygon(points, fill, line, width):
                if fill:
                    cv2.fillPoly(self._canvas, [self._fixed(points)], bgra(fill), cv2.LINE_8, _SHIFT)
                if line:
                    self._strokes(points, True, width, line)
            case Band(points, width, colour):
                self._strokes(points, False, width, colour)

    def _circle(self, centre: Point, radius_mm: float, colour: tuple[int, int, int, int], thickness: int) -> None:
        x, y = self._fixed((centre,))[0].tolist()
        radius = round(radius_mm * self._scale * (1 << _SHIFT))
        cv2.circle(self._canvas, (x, y), radius, colour, thickness, cv2.LINE_8, _SHIFT)

    def _strokes(self, points: tuple[Point, ...], closed: bool, width_mm: float, colour: str) -> None:
        path = [self._fixed(points)]
        cv2.polylines(self._canvas, path, closed, bgra(colour), self._line(width_mm), cv2.LINE_8, _SHIFT)

    def _line(self, width_mm: float) -> int:
        return max(1, round(width_mm * self._scale))

    def _fixed(self, points: tuple[Point, ...]) -> npt.NDArray[np.int32]:
        origin = (self._box.left_mm, self._box.top_mm)
        pixels = (np.array(points, np.float64) - origin) * self._scale - 0.5
        return np.round(pixels * (1 << _SHIFT)).astype(np.int32)


def _averaged(fine: Picture, width: int, height: int) -> Picture:
    """Shrink; what is drawn is opaque and the ground black, so that colours over the mean opacity do not darken."""
    small = np.empty((height, width, 4), np.float32)
    for top in range(0, height, _BAND):
        band = small[top : top + _BAND]
        part = fine[top * _FINER :][: len(band) * _FINER].astype(np.float32)
        cv2.resize(part, (width, len(band)), band, interpolation=cv2.INTER_AREA)
    small[:, :, :3] *= np.float32(255) / np.maximum(small[:, :, 3:], np.float32(1e-3))
    return np.round(small).astype(np.uint8)
