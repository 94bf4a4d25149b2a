"""Calibrates one table from its pictures and people's input, and stores the calibration under its venue.

The table's plane is fitted to the printed marks, to Hex'el cards of known size, or to four corners that a person taps.
The command line and the operator's page both call this module.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import TableError, UsageError
from companion.games import GAMES
from companion.printing.marks import MARKS, MAT_FIRST_ID, MAT_MARK_INSET_MM, MAT_MM
from companion.referee.folder import write_whole
from companion.vision.calibration.aruco import MARKS_MM, find_marks, square_mm
from companion.vision.calibration.calibration import Calibration, calibration_text, read_calibration
from companion.vision.calibration.image_quality import Check, checks
from companion.vision.calibration.lens import Lens
from companion.vision.calibration.table_fitting import Fitted, fit_table, laid
from companion.vision.geometry import mapped
from companion.vision.image.pyramid import Pyramid

Array = NDArray[np.float64]

METHODS = ("marks", "card", "taps")
SHEET_MM = (297.0, 210.0)
"""A sheet of A4 in landscape: the rectangle that four taps mark by default."""
ZONES: Mapping[str, tuple[str, ...]] = {spec.name: spec.zones for spec in GAMES.values() if spec.zones}
"""The zones of each game that has any, by their names in the game."""

_MATS = next(spec.zones for spec in GAMES.values() if spec.has_mats)
_LONGEST_VENUE = 60
"""It names a file."""
_SIDE_MM = (5, 20_000)
"""Of a sheet or mat, the least and the most."""
_FARTHEST_PX = 1e5
_LEAST_PX2 = 25.0
"""The parallelogram at each corner of a sheet is larger; a smaller one tells no plane."""
_MIN_CONFIDENCE = 0.8
"""Least confidence of a reference card: a weaker detection may be no card at all."""
_GOOD_MM = {"marks": 0.4, "card": 0.8, "taps": 4.0}
"""Usual upper limit of the residual by method, on a flat table with an undistorted lens."""
_MIN_SPREAD = 0.1
"""Least share of the picture that the reference points should span."""


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """People's input to a calibration.

    Attributes:
        venue: the table's name.
        camera: what took the pictures.
        by: one of `METHODS`; None for the first that works.
        taps_px: four corners of a rectangle, clockwise in the picture, top left first.
        sheet_mm: that rectangle's width and height.
        mat_mm: distances between the centres of the corner marks, across and down; None when not measured.
        zones_px: named zones as polygons; two points are opposite corners.
        card_mm: side of the reference card; None for the game's own.
    """

    venue: str
    camera: str = "photographs"
    by: str | None = None
    taps_px: tuple[tuple[float, float], ...] = ()
    sheet_mm: tuple[float, float] = SHEET_MM
    mat_mm: tuple[float, float] | None = None
    zones_px: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    card_mm: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationResult:
    """A calibration, the quality checks of its picture, and advice for people."""

    calibration: Calibration
    checks: tuple[Check, ...]
    advice: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The JSON for programs and pages."""
        fitted, lens = self.calibration, self.calibration.lens
        return {
            "venue": fitted.venue,
            "by": fitted.by,
            "size": list(fitted.size),
            "residual_mm": None if fitted.residual_mm is None else round(fitted.residual_mm, 3),
            "mm_per_px": round(fitted.mm_per_px(), 4),
            "lens": None if lens is None else {"rms_px": round(lens.rms_px, 3), "pictures": lens.pictures},
            "zones": list(fitted.zones),
            "checks": [check.as_json() for check in self.checks],
            "advice": list(self.advice),
        }


def calibrate(
    pictures: Sequence[NDArray[np.uint8]], options: CalibrationOptions, lens: Lens | None, made: date
) -> CalibrationResult:
    """Calibrate from pictures of a camera that did not move.

    Args:
        pictures: uint8 BGR, all of one size; taps and zones are in pixels of the last.
        lens: the lens calibration for this picture size.
        made: date of the calibration.

    Raises:
        UsageError: the pictures show nothing to fit the table's plane to; the message says what would do.
    """
    if strange := next((name for name in (options.venue, *options.zones_px) if not _is_text(name)), None):
        raise UsageError(f"{strange!r} is no name: write it in letters", code="bad-venue")
    size = (pictures[-1].shape[1], pictures[-1].shape[0])
    if any((picture.shape[1], picture.shape[0]) != size for picture in pictures):
        raise UsageError("the pictures are not all of one size: take them with one camera", code="calibration-size")
    marks = _steady_marks(pictures)
    by = options.by or _choose_method(marks, options, pictures)
    ids: tuple[int, ...] = ()
    if by == "taps":
        fit = _fit_taps(options, lens)
    elif by == "marks":
        ids, fit = _fit_marks(marks, options, lens)
    else:
        fit = _fit_cards(pictures[-1], options, lens, size)
    placed = dict(zip(ids, fit.placed_mm, strict=False))
    zones = {**_mat_zones(placed), **_tapped_zones(options, fit, lens)}
    calibration = Calibration(
        options.venue, options.camera, size, fit.table_from_undistorted, lens, zones, placed, by, fit.residual_mm, made
    )  # fmt: skip
    return CalibrationResult(calibration, checks(pictures[-1]), _advice(calibration, fit, size))


def _is_text(name: str) -> bool:
    """Whether a name can be written to a file: half a letter of JSON, or a word of the command line, may be none."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def calibration_path(data: Path, venue: str) -> Path:
    """The file of a venue's calibration. Raises `UsageError` for a name without letters, or a long one."""
    name = re.sub(r"[^\w-]+", "-", venue.strip()).strip("-").lower()
    if not name:
        raise UsageError("a venue needs a name with letters, such as kitchen", code="bad-venue")
    if len(name) > _LONGEST_VENUE:
        raise UsageError(f"a venue's name has {_LONGEST_VENUE} letters at most, such as kitchen", code="bad-venue")
    return data / "calibration" / f"{name}.toml"


def store(calibration: Calibration, path: Path) -> None:
    """Write a calibration atomically. Raises `TableError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, calibration_text(calibration).encode(), 0o644)
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}", code="calibration-unwritable") from None


def known_lens(path: Path, size: tuple[int, int]) -> Lens | None:
    """The lens in a venue's previous calibration, for pictures of a size; None without one."""
    if not path.exists():
        return None
    previous = read_calibration(path)
    return previous.for_size(size).lens if previous.lens is not None else None


def _choose_method(
    marks: Mapping[int, Array], options: CalibrationOptions, pictures: Sequence[NDArray[np.uint8]]
) -> str:
    """What to calibrate by where nothing was asked for. Raises `UsageError` where nothing tells the table's plane."""
    if options.taps_px:
        return "taps"
    if marks:
        return "marks"
    if len(_reference_cards(pictures[-1])[0]):
        return "card"
    raise UsageError(
        "nothing on the picture tells the table: lay the printed marks or some Hex'el cards on it, or point out four "
        "corners of a sheet with --tap",
        code="nothing-to-calibrate-by",
    )


def _steady_marks(pictures: Sequence[NDArray[np.uint8]]) -> dict[int, Array]:
    """The median corners of each mark that is on more than half of the pictures, by id."""
    found = [find_marks(picture) for picture in pictures]
    all_ids = sorted({number for marks in found for number in marks})
    corners = {number: [marks[number] for marks in found if number in marks] for number in all_ids}
    return {number: np.median(at, axis=0) for number, at in corners.items() if 2 * len(at) > len(pictures)}


def _undistorted(points_px: Any, lens: Lens | None) -> Array:
    points = np.asarray(points_px, np.float64)
    return points if lens is None else lens.undistort(points)


def _fit_taps(options: CalibrationOptions, lens: Lens | None) -> Fitted:
    """The table by four tapped corners of a sheet. Raises `UsageError` for other than four, or not clockwise."""
    if len(options.taps_px) != 4:
        raise UsageError(f"four corners are needed, not {len(options.taps_px)}: top left first, then clockwise")
    if not np.abs(options.taps_px).max() < _FARTHEST_PX:
        raise UsageError("the four corners must lie on the picture, in its pixels")
    seen = _undistorted(options.taps_px, lens)
    if _is_crossed(seen):
        raise UsageError("the four corners must go round the sheet clockwise as seen, the top left one first")
    return fit_table(seen[None], _rectangle(_possible(options.sheet_mm))[None], None if lens is None else lens.matrix())


def _possible(size_mm: tuple[float, float]) -> tuple[float, float]:
    """The size. Raises `UsageError` for one that nothing on a table has."""
    least, most = _SIDE_MM
    if not all(least <= side <= most for side in size_mm):
        wide, high = size_mm
        raise UsageError(f"{wide:g}x{high:g}: a sheet or mat is {least} to {most} mm wide and high")
    return size_mm


def _rectangle(size_mm: tuple[float, float]) -> Array:
    """Corners (4, 2) of a rectangle, clockwise from the origin."""
    width, height = size_mm
    return np.array([[0.0, 0], [width, 0], [width, height], [0, height]])


def _is_crossed(corners: Array) -> bool:
    """Whether four corners are no convex quadrangle, clockwise in the picture, or hardly any."""
    side = np.roll(corners, -1, axis=0) - corners
    following = np.roll(side, -1, axis=0)
    return bool((side[:, 0] * following[:, 1] - side[:, 1] * following[:, 0] <= _LEAST_PX2).any())


def _fit_marks(
    marks: Mapping[int, Array], options: CalibrationOptions, lens: Lens | None
) -> tuple[tuple[int, ...], Fitted]:
    """The table by marks, in the frame of the mat where all four of its corners are seen; and their ids.

    Raises `UsageError` where there is none.
    """
    if not marks:
        raise UsageError("no mark is seen: print them with `companion print marks`, and lay them face up in view")
    ids = tuple(sorted(marks))
    seen = np.stack([_undistorted(marks[number], lens) for number in ids])
    matrix = None if lens is None else lens.matrix()
    squares = np.stack([square_mm(MARKS_MM[number]) for number in ids])
    corner_ids = range(len(MARKS))
    if options.mat_mm is not None and set(corner_ids) <= marks.keys():
        centres = np.stack([seen[ids.index(number)].mean(0) for number in corner_ids])
        plane = fit_table(centres[None], _rectangle(_possible(options.mat_mm))[None], matrix)
        table_mm = mapped(plane.table_from_undistorted, seen)
        error_mm = np.stack([laid(square, at) for square, at in zip(squares, table_mm, strict=True)]) - table_mm
        residual_mm = float(np.sqrt(np.mean(np.sum(error_mm**2, axis=-1))))
        return ids, Fitted(plane.table_from_undistorted, table_mm, np.ones(len(ids), bool), residual_mm)
    fit = fit_table(seen, squares, matrix)
    centres = fit.placed_mm.mean(axis=1)
    along = centres[1] if len(ids) > 1 else fit.placed_mm[0, 1] - fit.placed_mm[0, 0] + centres[0]
    return ids, fit.framed(centres[0], along)


def _fit_cards(bgr: NDArray[np.uint8], options: CalibrationOptions, lens: Lens | None, size: tuple[int, int]) -> Fitted:
    """The table by reference cards on a picture of a size (width, height). Raises `UsageError` where there is none."""
    corners, shape = _reference_cards(bgr)
    if not len(corners):
        raise UsageError("no Hex'el card is seen: lay some flat in view, far apart from one another")
    if options.card_mm is not None:
        shape = shape * (options.card_mm / float(np.linalg.norm(shape[1] - shape[0])))
    seen = _undistorted(corners, lens)
    fit = fit_table(seen, np.repeat(shape[None], len(seen), axis=0), None if lens is None else lens.matrix())
    centre, right = [size[0] / 2, size[1] / 2], [size[0], size[1] / 2]
    return fit.framed(*mapped(fit.table_from_undistorted, _undistorted([centre, right], lens)))


def _reference_cards(bgr: NDArray[np.uint8]) -> tuple[NDArray[np.floating], Array]:
    """Corners (n, k, 2) in px of the reference cards on a picture, and the corners (k, 2) of one card in mm."""
    recognizer = next(spec for spec in GAMES.values() if spec.has_reference_card).recognizer()
    assert recognizer.outlines is not None, "a game with reference cards finds them"
    return recognizer.outlines(Pyramid.of(bgr), _MIN_CONFIDENCE), np.array(recognizer.outline_mm)


def _mat_zones(placed: Mapping[int, Array]) -> dict[str, Array]:
    """The outlines of the mats on the table, each from the position of its mark."""
    mark = (MAT_MM[0] - MAT_MARK_INSET_MM, MAT_MARK_INSET_MM)  # from the mat's top left corner to the mark's centre
    mat = _rectangle(MAT_MM) - mark
    zones = {}
    for number, name in enumerate(_MATS):
        corners = placed.get(MAT_FIRST_ID + number)
        if corners is not None:
            across = corners[1] - corners[0]
            c, s = across / np.linalg.norm(across)
            zones[name] = mat @ np.array([[c, s], [-s, c]]) + corners.mean(0)
    return zones


def _tapped_zones(options: CalibrationOptions, fit: Fitted, lens: Lens | None) -> dict[str, Array]:
    """The zones that were pointed out, each (N, 2) mm: two opposite corners, or all around it. Raises `UsageError`."""
    zones = {}
    for name, points in options.zones_px.items():
        if len(points) < 2:
            raise UsageError(f"the zone {name} needs two opposite corners, or three points or more around it")
        (x0, y0), (x1, y1) = points[0], points[-1]
        polygon = points if len(points) > 2 else ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        zones[name] = mapped(fit.table_from_undistorted, _undistorted(polygon, lens))
    return zones


def _advice(calibration: Calibration, fit: Fitted, size: tuple[int, int]) -> tuple[str, ...]:
    """What to do for a better calibration, for people; ``size`` is the pictures' (width, height)."""
    advice = []
    left_out = int((~fit.kept).sum())
    if left_out:
        advice.append(f"{left_out} of {len(fit.kept)} things did not fit the others and were left out.")
    if calibration.residual_mm is None:
        advice.append("Four corners alone cannot tell how well they were met; marks, cards or a measured lens can.")
    elif calibration.residual_mm > _GOOD_MM[calibration.by]:
        lens = "" if calibration.lens else ", or the lens bends: measure it with --lens and the printed lens board"
        advice.append(f"What was measured is {calibration.residual_mm:.1f} mm off: is something not flat{lens}?")
    seen = calibration.image_px(fit.placed_mm[fit.kept].reshape(-1, 2))
    if float(np.prod(np.ptp(seen, axis=0) / size)) < _MIN_SPREAD:
        advice.append("What was measured lies close together: spread it over the table, or far parts are told badly.")
    return tuple(advice)
