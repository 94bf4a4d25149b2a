"""Where the camera stands over one table: millimetres from pixels, and the zones that people have named there.

A calibration is what `companion calibrate` found out, in a file that a person may read and change. Everything that
recognises cards does without; what needs to know *where on the table* something lies asks `Calibration.zone_of`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.rules.limits import read_file, read_toml
from companion.vision.calibration.lens import Lens
from companion.vision.geometry import areas, mapped

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
        table_from_undistorted: 3x3 homography from pixels, undistorted by the lens, to mm on the table.
        lens: how the lens bends; None where that was not measured: pixels are then taken as they are.
        zones: named places, each a polygon (K, 2) in mm.
        marks: corners (4, 2) in mm of the marks that lie on the table, by id, clockwise from each mark's own top left.
        by: what the table was fitted to: ``marks``, ``card`` or ``taps``.
        residual_mm: how far off, in the mean, what was measured lies from what it must be; None where nothing tells.
        made: the day.
    """

    venue: str
    camera: str
    size: Size
    table_from_undistorted: Array
    lens: Lens | None = None
    zones: Mapping[str, Array] = field(default_factory=dict)
    marks: Mapping[int, Array] = field(default_factory=dict)
    by: str = "taps"
    residual_mm: float | None = None
    made: date = date(2000, 1, 1)

    def __post_init__(self) -> None:
        """Raises `UsageError` for numbers that no camera over a table can have."""
        if self.table_from_undistorted.shape != (3, 3) or abs(np.linalg.det(self.table_from_undistorted)) < 1e-15:
            raise UsageError("the table's homography must be nine numbers that can be turned around")
        for name, polygon in self.zones.items():
            if polygon.ndim != 2 or polygon.shape[1:] != (2,) or len(polygon) < 3:
                raise UsageError(f"the zone {name} needs three points or more, each as [x, y] in mm")
        for number, corners in self.marks.items():
            if corners.shape != (4, 2):
                raise UsageError(f"the mark {number} needs its four corners, each as [x, y] in mm")

    def table_mm(self, points_px: NDArray[np.floating]) -> Array:
        """Points (..., 2) of the picture on the table."""
        if self.lens is not None:
            return mapped(self.table_from_undistorted, self.lens.undistort(points_px))
        return mapped(self.table_from_undistorted, points_px.astype(np.float64))

    def image_px(self, points_mm: NDArray[np.floating]) -> Array:
        """Where the picture shows points (..., 2) of the table."""
        undistorted_from_table: Array = np.asarray(np.linalg.inv(self.table_from_undistorted), np.float64)
        undistorted = mapped(undistorted_from_table, np.asarray(points_mm, np.float64))
        return undistorted if self.lens is None else self.lens.distort(undistorted)

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
        return replace(self, size=size, lens=lens, table_from_undistorted=self.table_from_undistorted @ to_mine)


def read_calibration(path: Path) -> Calibration:
    """A calibration from its file.

    Raises:
        UsageError: `unreadable-calibration`, or `bad-calibration` naming the file and what in it cannot be.
    """
    try:
        text = read_file(path).decode()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-calibration") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text file", code="unreadable-calibration") from None
    try:
        return _from_toml(read_toml(text))
    except ValueError as error:
        raise UsageError(f"{path} is no TOML file: {error}", code="bad-calibration") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", code="bad-calibration") from None


def calibration_text(calibration: Calibration) -> str:
    """What `read_calibration` reads, with a word on each part for whoever opens the file."""
    residual = "" if calibration.residual_mm is None else f"residual_mm = {calibration.residual_mm:.3f}\n"
    parts = [
        f"""# Where the camera stands over this table, as `companion calibrate` found it. Zones may be changed by hand.

calibration = {_VERSION}
venue = {_quoted(calibration.venue)}
camera = {_quoted(calibration.camera)}
date = {calibration.made.isoformat()}
picture_px = [{calibration.size[0]}, {calibration.size[1]}]
by = {_quoted(calibration.by)}
{residual}
[table]  # from (x, y, 1) in pixels of the picture, undistorted by the lens if there is one, to mm on the table
mm_from_px = {_rows(calibration.table_from_undistorted, ".12g")}
"""
    ]
    if calibration.lens is not None:
        parts.append(f"""
[lens]
focal_px = {_list(calibration.lens.focal_px, ".8g")}
centre_px = {_list(calibration.lens.centre_px, ".8g")}
distortion = {_list(calibration.lens.distortion, ".8g")}  # k1, k2, p1, p2, k3
rms_px = {calibration.lens.rms_px:.4f}
pictures = {calibration.lens.pictures}
""")
    if calibration.marks:
        lines = [f"{number} = {_rows(corners, '.2f')}" for number, corners in calibration.marks.items()]
        parts.append("\n[marks]  # each mark's corners on the table in mm\n" + "\n".join(lines) + "\n")
    if calibration.zones:
        lines = [f"{_quoted(name)} = {_rows(polygon, '.1f')}" for name, polygon in calibration.zones.items()]
        parts.append("\n[zones]  # polygons on the table in mm\n" + "\n".join(lines) + "\n")
    return "".join(parts)


_VERSION = 1
_KEYS = ("calibration", "venue", "camera", "date", "picture_px", "by", "residual_mm", "table", "lens", "marks", "zones")
_LENS_KEYS = ("focal_px", "centre_px", "distortion", "rms_px", "pictures")


def _from_toml(given: Mapping[str, Any]) -> Calibration:
    """The calibration in a file's tables. Raises `UsageError` for what is missing, unknown or impossible."""
    _refuse_unknown(given, _KEYS, "")
    if given.get("calibration") != _VERSION:
        raise UsageError(f"calibration is {given.get('calibration')!r}; this program reads calibration = {_VERSION}")
    made, residual = given.get("date"), given.get("residual_mm")
    if not isinstance(made, date):
        raise UsageError("date must be a day, as in 2026-11-21")
    width, height = _numbers(given, "picture_px", (2,))
    if width < 2 or height < 2:
        raise UsageError("picture_px must be the width and height of the pictures")
    return Calibration(
        venue=_text(given, "venue"),
        camera=_text(given, "camera"),
        size=(round(width), round(height)),
        table_from_undistorted=_numbers(_section(given, "table", ("mm_from_px",)), "mm_from_px", (3, 3)),
        lens=_lens(_section(given, "lens", _LENS_KEYS)) if "lens" in given else None,
        zones={name: _numbers(given["zones"], name, (-1, 2)) for name in _section(given, "zones", None)},
        marks={_id(name): _numbers(given["marks"], name, (4, 2)) for name in _section(given, "marks", None)},
        by=_text(given, "by"),
        residual_mm=None if residual is None else float(_numbers(given, "residual_mm", ())),
        made=made,
    )


def _lens(given: Mapping[str, Any]) -> Lens:
    """The lens in its section. Raises `UsageError`."""
    focal, centre = _numbers(given, "focal_px", (2,)), _numbers(given, "centre_px", (2,))
    if (focal <= 0).any():
        raise UsageError("focal_px must be more than 0")
    k1, k2, p1, p2, k3 = _numbers(given, "distortion", (5,)).tolist()
    rms_px, pictures = float(_numbers(given, "rms_px", ())), int(_numbers(given, "pictures", ()))
    return Lens((focal[0], focal[1]), (centre[0], centre[1]), (k1, k2, p1, p2, k3), rms_px, pictures)


def _refuse_unknown(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            raise UsageError(f"there is no {where}{key}; there are {', '.join(known)}")


def _section(given: Mapping[str, Any], name: str, known: tuple[str, ...] | None) -> Mapping[str, Any]:
    """A section of the file, empty where it is left out. Raises `UsageError` for a key that is not among ``known``."""
    section = given.get(name, {})
    if not isinstance(section, Mapping):
        raise UsageError(f"{name} must be a section, [{name}]")
    if known is not None:
        _refuse_unknown(section, known, f"{name}.")
    return section


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a text")
    return value


def _numbers(given: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Array:
    """Finite numbers of a shape, in which -1 stands for any length."""
    try:
        array = np.array(given.get(name), np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    fits = array.ndim == len(shape) and all(want in (-1, is_) for want, is_ in zip(shape, array.shape, strict=True))
    if not fits or not np.isfinite(array).all():
        wanted = " x ".join("any" if n == -1 else str(n) for n in shape) or "one"
        raise UsageError(f"{name} must be numbers: {wanted}")
    return array


def _id(name: str) -> int:
    if not name.isdecimal():
        raise UsageError(f"marks.{name}: a mark has a number")
    return int(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's texts are JSON's, less one control


def _rows(rows: Array, form: str) -> str:
    return "[" + ", ".join(_list(row, form) for row in rows) + "]"


def _list(numbers: Any, form: str) -> str:
    return "[" + ", ".join(f"{float(number):{form}}" for number in numbers) + "]"


def _holds(polygon: Array, point: Array) -> bool:
    """Whether a polygon holds a point, by the crossings of a ray to the right."""
    x, y = (polygon - point).T
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    crosses = (y > 0) != (next_y > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x + (next_x - x) * (-y / (next_y - y))
    return bool(np.count_nonzero(crosses & (at > 0)) % 2)
