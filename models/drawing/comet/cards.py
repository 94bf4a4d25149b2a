"""Pictures of single Comet cards in any printing, seen straight from above: faces and backs."""

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.comet import deck as comet
from models.drawing.comet.printings import CometPrinting, Ink, Place

Array = npt.NDArray[Any]

_FINER = 2
_SHIFT = 4


class _Sheet:
    """A card being drawn, in mm around its middle."""

    def __init__(self, size: tuple[float, float], px_per_mm: float, ground: Ink) -> None:
        self.scale = px_per_mm * _FINER
        self.width, self.height = size
        self.middle = np.array(size) / 2
        shape = (round(self.height * px_per_mm) * _FINER, round(self.width * px_per_mm) * _FINER, 3)
        self.picture = np.empty(shape, np.uint8)
        self.picture[:] = np.round(ground)

    def fill(self, points_mm: Array, ink: Ink) -> None:
        cv2.fillPoly(self.picture, [self.fixed(points_mm)], ink, cv2.LINE_AA, _SHIFT)

    def stroke(self, points_mm: Array, ink: Ink, width_mm: float) -> None:
        width = max(1, round(width_mm * self.scale))
        cv2.polylines(self.picture, [self.fixed(points_mm)], False, ink, width, cv2.LINE_AA, _SHIFT)

    def stamp(self, mask: Array, centre_mm: Array, size_mm: tuple[float, float], ink: Ink) -> None:
        """Print ink through a mask, upright, its middle at a point."""
        small = cv2.resize(mask, self._pixels(size_mm), interpolation=cv2.INTER_AREA)
        x, y = np.round((np.asarray(centre_mm) + self.middle) * self.scale).astype(int)
        top, left = int(y) - small.shape[0] // 2, int(x) - small.shape[1] // 2
        y0, x0 = max(top, 0), max(left, 0)
        y1, x1 = min(top + small.shape[0], self.picture.shape[0]), min(left + small.shape[1], self.picture.shape[1])
        alpha = small[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
        part = self.picture[y0:y1, x0:x1]
        part[:] = np.round(part * (1 - alpha) + np.array(ink, np.float32) * alpha)

    def finished(self, rounding_mm: float) -> Array:
        """The picture (h, w, 4) BGRA, transparent beyond the rounded corners."""
        alpha = np.zeros(self.picture.shape[:2], np.uint8)
        rim = comet.rounded(self.width, self.height, max(rounding_mm, 0.05))
        cv2.fillPoly(alpha, [self.fixed(np.array(rim))], 255, cv2.LINE_AA, _SHIFT)
        size = (self.picture.shape[1] // _FINER, self.picture.shape[0] // _FINER)
        return cv2.resize(np.dstack([self.picture, alpha]), size, interpolation=cv2.INTER_AREA)

    def fixed(self, points_mm: Array) -> Array:
        pixels = (np.asarray(points_mm) + self.middle) * self.scale - 0.5
        return np.asarray(np.round(pixels * (1 << _SHIFT)).astype(np.int32))

    def _pixels(self, size_mm: tuple[float, float]) -> tuple[int, int]:
        return max(2, round(size_mm[0] * self.scale)), max(2, round(size_mm[1] * self.scale))


def raster_face(values: Sequence[int], printing: CometPrinting, px_per_mm: float) -> Array:
    """A card's face (h, w, 4) BGRA, portrait, its numbers in the order in which they are read.

    A printing that is read lying on its side is drawn so that its left section comes to lie at the top: turned by 90
    degrees clockwise.
    """
    sheet = _Sheet(printing.extent, px_per_mm, printing.margin_ink)
    _paint_sections(sheet, values, printing)
    for figure in printing.figures:
        points = np.array(figure.points_mm)
        if figure.width_mm:
            sheet.stroke(points, figure.ink, figure.width_mm)
        else:
            sheet.fill(points, figure.ink)
    for place in printing.places:
        _print_number(sheet, values[place.slot], place, printing)
    if printing.comet:
        corner = (printing.comet_at[0] - sheet.width / 2, printing.comet_at[1] - sheet.height / 2)
        for outline in _comet(corner, printing.comet, 3.7 * printing.comet):
            sheet.fill(outline, printing.ink)
    face = sheet.finished(printing.rounding_mm)
    return np.ascontiguousarray(np.rot90(face, -1)) if printing.is_turned else face


def raster_back(printing: CometPrinting, px_per_mm: float) -> Array:
    """A card's back (h, w, 4) BGRA, portrait."""
    sheet = _Sheet(printing.size, px_per_mm, printing.back[0])
    if printing.back_kind != "plain":
        _BACKS[printing.back_kind](sheet, printing)
    return sheet.finished(printing.rounding_mm)


def numeral_boxes_mm(values: Sequence[int], printing: CometPrinting) -> list[list[Array]]:
    """The corners (4, 2) around each print of each of the three numbers, in the frame of the portrait card."""
    boxes: list[list[Array]] = [[], [], []]
    for place in printing.places:
        w, h = _numeral_size(values[place.slot], place, printing)
        box = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ _turned(place.turn_deg) + place.at_mm
        boxes[place.slot].append(np.stack([-box[:, 1], box[:, 0]], 1) if printing.is_turned else box)
    return boxes


def _paint_sections(sheet: _Sheet, values: Sequence[int], printing: CometPrinting) -> None:
    """Paint the three grounds and the lines between them."""
    across = 0 if printing.is_turned or printing.has_columns else 1
    full = np.array([sheet.width, sheet.height]) - 2 * printing.margin_mm
    step = full[across] / 3
    for k, value in enumerate(values):
        low, high = -full / 2, full / 2
        low[across], high[across] = (k - 1.5) * step, (k - 0.5) * step
        sheet.fill(_box(low, high), printing.grounds[value - 2])
    if printing.divider_mm:
        for k in (1, 2):
            ends = np.array([-full, full]) / 2 * printing.divider_share
            ends[:, across] = (k - 1.5) * step
            sheet.stroke(ends, printing.divider_ink, printing.divider_mm)


def _turned(turn_deg: int) -> Array:
    """What points (N, 2) are multiplied with to be turned clockwise, y down."""
    cos, sin = [(1, 0), (0, 1), (-1, 0), (0, -1)][turn_deg // 90 % 4]
    return np.array([[cos, sin], [-sin, cos]], float)


def _numeral_size(value: int, place: Place, printing: CometPrinting) -> tuple[float, float]:
    """Width and height of a number in mm; one that is too wide for its room is printed narrower."""
    mask = printing.typeface[comet.label(value)]
    return min(place.numeral_mm * mask.shape[1] / mask.shape[0] * printing.stretch, place.room_mm), place.numeral_mm


def _print_number(sheet: _Sheet, value: int, place: Place, printing: CometPrinting) -> None:
    width, height = _numeral_size(value, place, printing)
    turn, at = _turned(place.turn_deg), np.array(place.at_mm)
    if printing.holder is not None:
        reach = printing.holder.size * place.numeral_mm / 2
        sheet.fill(at + reach * _HOLDERS[printing.holder.form] @ turn, printing.holder.inks[value - 2])
    mask = np.rot90(printing.typeface[comet.label(value)], -(place.turn_deg // 90))
    sheet.stamp(mask, at, (width, height) if place.turn_deg % 180 == 0 else (height, width), printing.ink)
    if value in (6, 9) and printing.line is not None:
        gap, thick, wider = printing.line
        half, y = max(width + wider, 4.0) / 2, height / 2 + gap
        sheet.fill(_box(np.array([-half, y]), np.array([half, y + thick])) @ turn + at, printing.ink)


def _rim(sheet: _Sheet, inset_mm: float, width_mm: float, ink: Ink) -> None:
    reach = np.array([sheet.width / 2 - inset_mm, sheet.height / 2 - inset_mm])
    box = _box(-reach, reach)
    sheet.stroke(np.vstack([box, box[:1]]), ink, width_mm)


def _with_comet(sheet: _Sheet, printing: CometPrinting) -> None:
    """A comet within a narrow rim."""
    _rim(sheet, 2.5, 0.5, printing.back[1])
    for outline in _comet((-sheet.width / 6, sheet.height / 6), 6.5, 46.0):
        sheet.fill(outline, printing.back[1])


def _framed(sheet: _Sheet, printing: CometPrinting) -> None:
    """Two rims."""
    _rim(sheet, 4.0, 1.5, printing.back[1])
    _rim(sheet, 7.0, 0.5, printing.back[1])


def _striped(sheet: _Sheet, printing: CometPrinting) -> None:
    """Stripes aslant within a white rim."""
    x, y = sheet.width / 2, sheet.height / 2
    for at in np.arange(-x - y, x + y, 7.0):
        sheet.stroke(np.array([[at - y, -y], [at + y, y]]), printing.back[1], 2.0)
    _rim(sheet, 0.0, 5.0, _WHITE)


def _with_diamonds(sheet: _Sheet, printing: CometPrinting) -> None:
    """Diamonds in staggered rows."""
    x, y = sheet.width / 2, sheet.height / 2
    for row, at in enumerate(np.arange(-y + 4, y, 8.0)):
        for across in np.arange(-x + 4 + 4 * (row % 2), x, 8.0):
            diamond = np.array([[across, at - 3], [across + 3, at], [across, at + 3], [across - 3, at]])
            sheet.fill(diamond, printing.back[1])


def _dotted(sheet: _Sheet, printing: CometPrinting) -> None:
    """Dots in rows and columns."""
    x, y = sheet.width / 2, sheet.height / 2
    for at in np.arange(-y + 5, y, 9.0):
        for across in np.arange(-x + 5, x, 9.0):
            sheet.fill(_disc((across, at), 1.6), printing.back[1])


def _with_ring(sheet: _Sheet, printing: CometPrinting) -> None:
    """One ring around the middle."""
    sheet.fill(_disc((0.0, 0.0), sheet.width * 0.3), printing.back[1])
    sheet.fill(_disc((0.0, 0.0), sheet.width * 0.24), printing.back[0])


def _chequered(sheet: _Sheet, printing: CometPrinting) -> None:
    """Squares within a white rim, as bought cards have it."""
    side = printing.size[0] / 9
    x, y = printing.size[0] / 2, printing.size[1] / 2
    for row, top in enumerate(np.arange(-y, y, side)):
        for left in np.arange(-x + side * (row % 2), x, 2 * side):
            sheet.fill(_box(np.array([left, top]), np.array([left + side, top + side])), printing.back[1])
    _rim(sheet, 0.0, 8.0, _WHITE)


def _ringed(sheet: _Sheet, printing: CometPrinting) -> None:
    """Rings around the middle, and a narrow rim."""
    for k, radius in enumerate(np.linspace(printing.size[0] * 0.62, 4.0, 9)):
        sheet.fill(_disc((0.0, 0.0), float(radius)), printing.back[(k + 1) % 2])
    _rim(sheet, 1.5, 1.0, printing.back[1])


def _latticed(sheet: _Sheet, printing: CometPrinting) -> None:
    """Fine lines crossing aslant, a white rim and a line along it."""
    x, y = printing.size[0] / 2, printing.size[1] / 2
    for at in np.arange(-x - y, x + y, 5.0):
        for way in (-1, 1):
            sheet.stroke(np.array([[at - y, -way * y], [at + y, way * y]]), printing.back[1], 0.8)
    _rim(sheet, 0.0, 9.0, _WHITE)
    _rim(sheet, 4.5, 0.7, printing.back[1])


def _halved(sheet: _Sheet, printing: CometPrinting) -> None:
    """The same from either end: two fields with a disc each."""
    x, y = printing.size[0] / 2, printing.size[1] / 2
    sheet.fill(_box(np.array([-x, 0.0]), np.array([x, y])), printing.back[1])
    sheet.fill(_disc((0.0, -y / 2), x / 3), printing.back[1])
    sheet.fill(_disc((0.0, y / 2), x / 3), printing.back[0])


def _comet(head: tuple[float, float], radius_mm: float, tail_mm: float) -> tuple[Array, Array]:
    """The outlines of a disc and of its tail, up and to the right."""
    a = np.radians([215.0, -55.0, 35.0])
    reach = np.array([radius_mm, tail_mm, radius_mm])
    tail = np.stack([np.cos(a), np.sin(a)], 1) * reach[:, None] + head
    return _disc(head, radius_mm), tail


def _disc(centre: tuple[float, float], radius_mm: float) -> Array:
    a = np.radians(np.arange(0, 360, 15))
    return np.stack([centre[0] + radius_mm * np.cos(a), centre[1] + radius_mm * np.sin(a)], 1)


def _box(low: Array, high: Array) -> Array:
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])


_AROUND = np.radians(np.arange(0, 360, 15))
_ROUND = np.stack([np.cos(_AROUND), np.sin(_AROUND)], 1)
_HOLDERS = {
    "disc": _ROUND,
    "hexagon": _ROUND[2::4],
    "box": np.array([[-1.0, -0.8], [1.0, -0.8], [1.0, 0.8], [-1.0, 0.8]]),
    "lozenge": np.array([[0.0, -1.15], [1.15, 0.0], [0.0, 1.15], [-1.15, 0.0]]),
}
"""Forms under a number, half as high as wide ones are."""
_WHITE: Ink = (240.0, 240.0, 240.0)
_BACKS: dict[str, Callable[[_Sheet, CometPrinting], None]] = {
    "comet": _with_comet,
    "frame": _framed,
    "stripes": _striped,
    "diamonds": _with_diamonds,
    "dots": _dotted,
    "disc": _with_ring,
    "chequered": _chequered,
    "ringed": _ringed,
    "latticed": _latticed,
    "halved": _halved,
}
