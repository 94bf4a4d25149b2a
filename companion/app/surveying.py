"""Calibration on the operator's page: the camera's current picture, and a calibration from the points tapped on it.

Each calibration runs on a thread of its own, one at a time: a network belongs to the thread that loaded it and is freed
with it.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.calibrating import METHODS, ZONES, CalibrationOptions, calibrate, calibration_path, known_lens, store
from companion.app.factories import calibration_file
from companion.app.table import Table
from companion.errors import Refusal, UsageError
from companion.vision.calibration.aruco import find_marks
from companion.vision.calibration.calibration import Calibration, read_calibration
from companion.vision.calibration.image_quality import checks
from companion.vision.image.codec import encode_picture

WIDTH_PX = 1280
"""Greatest width of the page's picture."""
_MOST_POINTS = 64
_MOST_ZONES = 32

Points = tuple[tuple[float, float], ...]


class TableSurveyor:
    """Calibrates one running table for the page."""

    def __init__(self, table: Table, data: Path) -> None:
        self._table = table
        self._data = data
        self._one_at_a_time = threading.Lock()

    def picture(self) -> bytes | None:
        """The camera's newest frame as a JPEG at most `WIDTH_PX` wide; None while there is none."""
        bgr = self._newest_frame()
        return None if bgr is None else encode_picture(_small(bgr))

    def check_picture(self) -> dict[str, Any]:
        """Quality checks of the newest frame, the marks found on it, the games' zones and the current calibration."""
        bgr, current = self._newest_frame(), self._current()
        if bgr is None:
            return {"checks": [], "marks": [], "places": _places(), "current": None}
        small = _small(bgr)
        results = [check.as_json() for check in checks(bgr)]
        summary = None if current is None else _summary(current, (small.shape[1], small.shape[0]))
        return {"checks": results, "marks": sorted(find_marks(bgr)), "places": _places(), "current": summary}

    def survey(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Calibrate as the request asks, store the calibration and restart watching with it.

        Raises:
            Refusal: `malformed`, or `no-picture` while the camera shows nothing.
            UsageError: nothing on the picture shows the table's plane.
        """
        bgr = self._newest_frame()
        if bgr is None:
            raise Refusal("no-picture", "The camera shows nothing just now: switch it on, and wait for its picture.")
        options = _parse_options(request, bgr.shape[1], self._table.settings.camera.source)
        with self._one_at_a_time, ThreadPoolExecutor(1) as worker:
            return worker.submit(self._calibrate, bgr, options).result()

    def _calibrate(self, bgr: NDArray[np.uint8], options: CalibrationOptions) -> dict[str, Any]:
        path = calibration_path(self._data, options.venue)
        result = calibrate([bgr], options, known_lens(path, (bgr.shape[1], bgr.shape[0])), date.today())
        store(result.calibration, path)
        settings = self._table.settings
        self._table.settings = replace(settings, vision=replace(settings.vision, calibration=path))
        self._table.restart_watching()
        return {**result.as_json(), "file": path.name}

    def _newest_frame(self) -> NDArray[np.uint8] | None:
        frame = None if self._table.camera is None else self._table.camera.newest()
        return None if frame is None else frame.picture

    def _current(self) -> Calibration | None:
        path = self._table.settings.vision.calibration
        try:
            return None if path is None else read_calibration(calibration_file(path, self._data))
        except UsageError:
            return None  # the file was deleted meanwhile


def _small(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    scale = min(1.0, WIDTH_PX / bgr.shape[1])
    if scale == 1:
        return bgr
    return np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _places() -> dict[str, list[str]]:
    return {game: list(names) for game, names in ZONES.items()}


def _summary(current: Calibration, size: tuple[int, int]) -> dict[str, Any] | None:
    """The current calibration as JSON, its zones as outlines in the page's pixels; None for another aspect ratio."""
    try:
        scaled = current.for_size(size)
    except UsageError:
        return None
    outlines = {name: np.round(scaled.image_px(polygon), 1).tolist() for name, polygon in scaled.zones.items()}
    return {"venue": scaled.venue, "by": scaled.by, "residual_mm": scaled.residual_mm, "zones_px": outlines}


def _parse_options(request: Mapping[str, Any], width_px: int, camera: str) -> CalibrationOptions:
    """The page's request, its points scaled to the camera's own pixels."""
    scale = width_px / _number(request.get("width"), "width")
    venue, by, zones = request.get("venue", "table"), request.get("by"), request.get("zones", {})
    if not isinstance(venue, str) or by not in (None, *METHODS):
        raise Refusal("malformed", f"A venue is a text, and by is one of {', '.join(METHODS)} or null.")
    if not isinstance(zones, dict) or len(zones) > _MOST_ZONES:
        raise Refusal("malformed", f"Zones are an object of at most {_MOST_ZONES}, name to points.")
    mat = request.get("mat")
    return CalibrationOptions(
        venue,
        camera,
        by,
        _points(request.get("taps", []), scale),
        _pair(request.get("sheet", [297, 210]), "sheet"),
        None if mat is None else _pair(mat, "mat"),
        {str(name): _points(points, scale) for name, points in zones.items()},
    )


def _points(value: Any, scale: float) -> Points:
    """Points in the page's pixels as the camera's own. Raises `Refusal` ``malformed``."""
    if not isinstance(value, list) or len(value) > _MOST_POINTS:
        raise Refusal("malformed", f"Points are a list of at most {_MOST_POINTS}.")
    pairs = [(_number(point[0], "point", 0), _number(point[1], "point", 0)) for point in value if _is_pair(point)]
    if len(pairs) != len(value):
        raise Refusal("malformed", "A point is two numbers, x and y.")
    return tuple(((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) for x, y in pairs)


def _pair(value: Any, name: str) -> tuple[float, float]:
    if not _is_pair(value):
        raise Refusal("malformed", f"The {name} is two numbers in mm, across and down.")
    return _number(value[0], name), _number(value[1], name)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _number(value: Any, name: str, least: float = 1e-3) -> float:
    if type(value) not in (int, float) or not least <= value < 1e5:
        raise Refusal("malformed", f"The {name} needs numbers from {least:g} up.")
    return float(value)
