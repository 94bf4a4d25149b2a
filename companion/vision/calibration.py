"""Where the camera stands over one table: millimetres from pixels, and the zones that people have named there.

A calibration is what `companion calibrate` found out and a person may read: `calibration_file` writes it down,
`read_calibration` reads it. Everything that recognises cards does without; what needs to know *where on the table*
something lies asks `Calibration.zone_of`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.lens import Lens
from companion.vision.levelling import areas, mapped

Array = NDArray[np.float64]
Size = tuple[int, int]

SAME_SHAPE = 0.005
"""How far two pictures' ratios of width to height may differ when one is the other at another scale."""


class WrongSize(UsageError):
    """The pictures are of another shape than those that the calibration was made from."""

    default_code = "calibration-size"


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """One camera over one table.

    Attributes:
        venue: what people call the table.
        camera: what took the picture, such as ``Pi camera``.
        size: width and height in pixels of the pictures that this is for.
        table_from_straight: 3x3 homography from pixels, straightened by the lens, to mm on the table.
        lens: how the lens bends; None where that was not measured: pixels are then taken as they are.
        zones: named places, each a polygon (K, 2) in mm.
        marks: corners (4, 2) in mm of the marks that lie on the table, by id, clockwise from each mark's own top left.
        by: how the table was told: ``marks``, ``card`` or ``taps``.
        residual_mm: how far off, in the mean, what was measured lies from what it must be; None where nothing tells.
        made: the day.
    """

    venue: str
    camera: str
    size: Size
    table_from_straight: Array
    lens: Lens | None = None
    zones: Mapping[str, Array] = field(default_factory=dict)
    marks: Mapping[int, Array] = field(default_factory=dict)
    by: str = "taps"
    residual_mm: float | None = None
    made: date = date(2000, 1, 1)

    def __post_init__(self) -> None:
        """Raises `UsageError` for numbers that no camera over a table can have."""
        if self.table_from_straight.shape != (3, 3) or abs(np.linalg.det(self.table_from_straight)) < 1e-15:
            raise UsageError("the table's homography must be nine numbers that can be turned around")
        for name, polygon in self.zones.items():
            if polygon.ndim != 2 or polygon.shape[1:] != (2,) or len(polygon) < 3:
                raise UsageError(f"the zone {name} needs three points or more, each as [x, y] in mm")
        for number, corners in self.marks.items():
            if corners.shape != (4, 2):
                raise UsageError(f"the mark {number} needs its four corners, each as [x, y] in mm")

    def table_mm(self, points_px: NDArray[np.floating]) -> Array:
        """Points (..., 2) of the picture on the table."""
        points = np.asarray(points_px, np.float64)
        return mapped(self.table_from_straight, points if self.lens is None else self.lens.straightened(points))

    def image_px(self, points_mm: NDArray[np.floating]) -> Array:
        """Where the picture shows points (..., 2) of the table."""
        straight = mapped(np.linalg.inv(self.table_from_straight), np.asarray(points_mm, np.float64))
        return straight if self.lens is None else self.lens.bent(straight)

    def zone_of(self, point_px: tuple[float, float]) -> str | None:
        """The zone that a pixel shows, of several the one whose middle is nearest; None outside all."""
        at = self.table_mm(np.array(point_px))
        around = {name: polygon for name, polygon in self.zones.items() if _holds(polygon, at)}
        return min(around, key=lambda name: float(np.linalg.norm(around[name].mean(0) - at)), default=None)

    def mm_per_px(self) -> float:
        """How much of the table one pixel covers in the middle of the picture."""
        middle = np.array(self.size) / 2
        square = self.table_mm(middle + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]))
        return float(np.sqrt(abs(areas(square))))

    def for_size(self, size: Size) -> "Calibration":
        """The same for pictures of another size.

        Raises:
            WrongSize: the shape differs, so that the camera shows another part of what is before it.
        """
        if size == self.size:
            return self
        if abs(size[0] * self.size[1] / (size[1] * self.size[0]) - 1) > SAME_SHAPE:
            made, given = (f"{w} x {h}" for w, h in (self.size, size))
            raise WrongSize(f"the calibration was made with pictures of {made} pixels, not {given}: calibrate anew")
        factor = self.size[0] / size[0]  # pixels count from their centres
        to_mine = np.array([[factor, 0, 0.5 * factor - 0.5], [0, factor, 0.5 * factor - 0.5], [0, 0, 1]])
        lens = None if self.lens is None else self.lens.scaled(1 / factor)
        return replace(self, size=size, lens=lens, table_from_straight=self.table_from_straight @ to_mine)


def read_calibration(path: Path) -> Calibration:
    """A calibration from its file. Raises `UsageError` that names the file, and what in it cannot be."""
    return calibration_file.read(path)


def _holds(polygon: Array, point: Array) -> bool:
    """Whether a polygon holds a point, by the crossings of a ray to the right."""
    x, y = (polygon - point).T
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    crosses = (y > 0) != (next_y > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x + (next_x - x) * (-y / (next_y - y))
    return bool(np.count_nonzero(crosses & (at > 0)) % 2)
