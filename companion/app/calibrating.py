"""Calibrating one table: what is seen on its pictures, and what people say, made into a calibration for its venue.

Three ways lead to the table's plane: the printed marks, Hex'el cards of the size they are printed in, and four corners
that a person points out. The command line and the operator's page ask here alike; where a calibration is kept is told
here too.
"""

import os
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
from companion.vision.calibration.aruco import MARKS_MM, find_marks, square_mm
from companion.vision.calibration.calibration import Calibration, calibration_text, read_calibration
from companion.vision.calibration.image_quality import Check, checks
from companion.vision.calibration.lens import Lens
from companion.vision.calibration.table_fitting import Fitted, fit_table, laid
from companion.vision.geometry.shapes import mapped
from companion.vision.image.pyramid import Pyramid

Array = NDArray[np.float64]

WAYS = ("marks", "card", "taps")
SHEET_MM = (297.0, 210.0)
"""A sheet of A4, lying on its side: what four taps point at unless it is said otherwise."""
ZONES: Mapping[str, tuple[str, ...]] = {spec.name: spec.zones for spec in GAMES.values() if spec.zones}
"""The places that a game's table has, by the names that the game knows them by."""

_MATS = next(spec.zones for spec in GAMES.values() if spec.has_mats)
_MIN_CONFIDENCE = 0.8
"""A card that is found less surely may be none: a table is not measured by it."""
_GOOD_MM = {"marks": 0.4, "card": 0.8, "taps": 4.0}
"""What each way usually leaves over at most, where all lies flat and the lens is straight."""
_SPREAD = 0.1


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """What people say about a table.

    Attributes:
        venue: its name.
        camera: what took the pictures.
        by: one of `WAYS`; None for the first that works.
        taps_px: four corners of a rectangle, clockwise as seen, the first its top left.
        sheet_mm: how wide and high that rectangle is.
        mat_mm: how far apart the middles of the corner marks lie, across and down; None where nobody measured.
        zones_px: named places as polygons; two points are opposite corners.
        card_mm: the side of a card by which the table is measured; None for the game's own.
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
    """A calibration, how fit the picture was, and what people should hear besides."""

    calibration: Calibration
    checks: tuple[Check, ...]
    advice: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs and pages."""
        made = self.calibration
        return {
            "venue": made.venue,
            "by": made.by,
            "size": list(made.size),
            "residual_mm": None if made.residual_mm is None else round(made.residual_mm, 3),
            "mm_per_px": round(made.mm_per_px(), 4),
            "lens": None
            if made.lens is None
            else {"rms_px": round(made.lens.rms_px, 3), "pictures": made.lens.pictures},
            "zones": list(made.zones),
            "checks": [{"name": c.name, "state": c.state, "found": c.found, "fix": c.fix} for c in self.checks],
            "advice": list(self.advice),
        }


def calibrate(
    pictures: Sequence[NDArray[np.uint8]], wishes: CalibrationOptions, lens: Lens | None, made: date
) -> CalibrationResult:
    """Calibrate from pictures that a camera took without being moved.

    Args:
        pictures: uint8 BGR, all of one size; the last is the one that taps and zones point into.
        lens: how it bends, for pictures of this size.

    Raises:
        UsageError: there is nothing on the pictures that tells the table, with what would.
    """
    size = (pictures[-1].shape[1], pictures[-1].shape[0])
    if any((picture.shape[1], picture.shape[0]) != size for picture in pictures):
        raise UsageError("the pictures are not all of one size: take them with one camera", code="calibration-size")
    marks = _steady_marks(pictures)
    by = wishes.by or _first_way(marks, wishes, pictures)
    ids: tuple[int, ...] = ()
    if by == "taps":
        fit = _by_taps(wishes, lens)
    elif by == "marks":
        ids, fit = _by_marks(marks, wishes, lens)
    else:
        fit = _by_cards(pictures[-1], wishes, lens, size)
    placed = dict(zip(ids, fit.placed_mm, strict=False))
    zones = {**_mats_zones(placed), **_tapped_zones(wishes, fit, lens)}
    calibration = Calibration(
        wishes.venue, wishes.camera, size, fit.table_from_straight, lens, zones, placed, by, fit.residual_mm, made
    )  # fmt: skip
    return CalibrationResult(calibration, checks(pictures[-1]), _advice(calibration, fit, size))


def calibration_path(data: Path, venue: str) -> Path:
    """Where a venue's calibration is kept. Raises `UsageError` for a name that no file can have."""
    name = re.sub(r"[^\w-]+", "-", venue.strip()).strip("-").lower()
    if not name:
        raise UsageError("a venue needs a name with letters, such as kitchen", code="bad-venue")
    return data / "calibration" / f"{name}.toml"


def store(calibration: Calibration, path: Path) -> None:
    """Write a calibration so that it is there whole or not at all. Raises `TableError`."""
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as file:
            file.write(calibration_text(calibration))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}", code="calibration-unwritable") from None


def known_lens(path: Path, size: tuple[int, int]) -> Lens | None:
    """The lens of a venue that was calibrated before, for pictures of a size; None where there is none."""
    if not path.exists():
        return None
    before = read_calibration(path)
    return before.for_size(size).lens if before.lens is not None else None


def _first_way(marks: Mapping[int, Array], wishes: CalibrationOptions, pictures: Sequence[NDArray[np.uint8]]) -> str:
    if wishes.taps_px:
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
    """Each mark's corners, in the middle over the pictures; one that is on few of them is left out."""
    seen = [find_marks(picture) for picture in pictures]
    all_ids = sorted({number for one in seen for number in one})
    often = {number: [one[number] for one in seen if number in one] for number in all_ids}
    return {number: np.median(at, axis=0) for number, at in often.items() if 2 * len(at) > len(pictures)}


def _straight(points_px: Any, lens: Lens | None) -> Array:
    points = np.asarray(points_px, np.float64)
    return points if lens is None else lens.straightened(points)


def _by_taps(wishes: CalibrationOptions, lens: Lens | None) -> Fitted:
    if len(wishes.taps_px) != 4:
        raise UsageError(f"four corners are needed, not {len(wishes.taps_px)}: top left first, then clockwise")
    width, height = wishes.sheet_mm
    sheet = np.array([[0.0, 0], [width, 0], [width, height], [0, height]])
    seen = _straight(wishes.taps_px, lens)
    if _is_crossed(seen):
        raise UsageError("the four corners must go round the sheet clockwise as seen, the top left one first")
    return fit_table(seen[None], sheet[None], None if lens is None else lens.matrix())


def _is_crossed(corners: Array) -> bool:
    """Not a convex quadrangle, clockwise as seen."""
    ahead = np.roll(corners, -1, axis=0) - corners
    after = np.roll(ahead, -1, axis=0)
    return bool((ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0] <= 0).any())


def _by_marks(
    marks: Mapping[int, Array], wishes: CalibrationOptions, lens: Lens | None
) -> tuple[tuple[int, ...], Fitted]:
    if not marks:
        raise UsageError("no mark is seen: print them with `companion print marks`, and lay them face up in view")
    ids = tuple(sorted(marks))
    seen = np.stack([_straight(marks[number], lens) for number in ids])
    matrix = None if lens is None else lens.matrix()
    squares = np.stack([square_mm(MARKS_MM[number]) for number in ids])
    corners = range(len(MARKS))
    if wishes.mat_mm is not None and set(corners) <= marks.keys():
        width, height = wishes.mat_mm
        around = np.array([[0.0, 0], [width, 0], [width, height], [0, height]])
        middles = np.stack([seen[ids.index(number)].mean(0) for number in corners])
        plane = fit_table(middles[None], around[None], matrix)
        there = mapped(plane.table_from_straight, seen)
        off = np.stack([laid(square, at) for square, at in zip(squares, there, strict=True)]) - there
        residual = float(np.sqrt(np.mean(np.sum(off**2, axis=-1))))
        return ids, Fitted(plane.table_from_straight, there, np.ones(len(ids), bool), residual)
    fit = fit_table(seen, squares, matrix)
    middles = fit.placed_mm.mean(axis=1)
    along = middles[1] if len(ids) > 1 else fit.placed_mm[0, 1] - fit.placed_mm[0, 0] + middles[0]
    return ids, fit.framed(middles[0], along)


def _by_cards(bgr: NDArray[np.uint8], wishes: CalibrationOptions, lens: Lens | None, size: tuple[int, int]) -> Fitted:
    corners, shape = _reference_cards(bgr)
    if not len(corners):
        raise UsageError("no Hex'el card is seen: lay some flat in view, far apart from one another")
    if wishes.card_mm is not None:
        shape = shape * (wishes.card_mm / float(np.linalg.norm(shape[1] - shape[0])))
    seen = _straight(corners, lens)
    fit = fit_table(seen, np.repeat(shape[None], len(seen), axis=0), None if lens is None else lens.matrix())
    middle, right = mapped(
        fit.table_from_straight, _straight([[size[0] / 2, size[1] / 2], [size[0], size[1] / 2]], lens)
    )
    return fit.framed(middle, right)


def _reference_cards(bgr: NDArray[np.uint8]) -> tuple[Array, Array]:
    """Corners (n, k, 2) in px of the cards of known size on a picture, and those of such a card (k, 2) in mm."""
    recognizer = next(spec for spec in GAMES.values() if spec.has_reference_card).recognizer()
    assert recognizer.outlines is not None, "a game with reference cards finds them"
    return recognizer.outlines(Pyramid.of(bgr), _MIN_CONFIDENCE), np.array(recognizer.outline_mm)


def _mats_zones(placed: Mapping[int, Array]) -> dict[str, Array]:
    """The pots whose mats lie on the table: each mat's outline, from where its mark lies."""
    width, height = MAT_MM
    mark = (width - MAT_MARK_INSET_MM, MAT_MARK_INSET_MM)  # from the mat's top left corner to the mark's middle
    mat = np.array([[0.0, 0], [width, 0], [width, height], [0, height]]) - mark
    zones = {}
    for number, name in enumerate(_MATS):
        corners = placed.get(MAT_FIRST_ID + number)
        if corners is not None:
            across = corners[1] - corners[0]
            c, s = across / np.linalg.norm(across)
            zones[name] = mat @ np.array([[c, s], [-s, c]]) + corners.mean(0)
    return zones


def _tapped_zones(wishes: CalibrationOptions, fit: Fitted, lens: Lens | None) -> dict[str, Array]:
    zones = {}
    for name, points in wishes.zones_px.items():
        if len(points) < 2:
            raise UsageError(f"the zone {name} needs two opposite corners, or three points or more around it")
        (x0, y0), (x1, y1) = points[0], points[-1]
        around = points if len(points) > 2 else ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        zones[name] = mapped(fit.table_from_straight, _straight(around, lens))
    return zones


def _advice(calibration: Calibration, fit: Fitted, size: tuple[int, int]) -> tuple[str, ...]:
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
    if float(np.prod(np.ptp(seen, axis=0) / size)) < _SPREAD:
        advice.append("What was measured lies close together: spread it over the table, or far parts are told badly.")
    return tuple(advice)
