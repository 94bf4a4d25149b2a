"""Calibrating on the page: the table as the camera sees it now, and what the operator's taps make of it.

The work is done on a thread of its own, one at a time: networks belong to the thread that loaded them, and go with it.
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

from companion.app.calibrating import WAYS, ZONES, CalibrationOptions, calibrate, calibration_path, known_lens, store
from companion.app.factories import calibration_file
from companion.app.table import Table
from companion.errors import Refusal, UsageError
from companion.vision.calibration.aruco import find_marks
from companion.vision.calibration.calibration import Calibration, read_calibration
from companion.vision.calibration.image_quality import checks

WIDTH_PX = 1280
"""The page's picture is at most this wide."""
_MOST_POINTS = 64
_MOST_ZONES = 32

Points = tuple[tuple[float, float], ...]


class Surveying:
    """What the page asks about one running table."""

    def __init__(self, table: Table, data: Path) -> None:
        self._table = table
        self._data = data
        self._one_at_a_time = threading.Lock()

    def picture(self) -> bytes | None:
        """What the camera sees now, a JPEG at most `WIDTH_PX` wide; None while it shows nothing."""
        seen = self._seen()
        if seen is None:
            return None
        done, data = cv2.imencode(".jpg", _small(seen), [cv2.IMWRITE_JPEG_QUALITY, 85])
        assert done, "encoding an array in memory as JPEG cannot fail"
        return data.tobytes()

    def check_picture(self) -> dict[str, Any]:
        """How fit the picture is, which marks are on it, and what is known of the table already."""
        seen, current = self._seen(), self._current()
        if seen is None:
            return {"checks": [], "marks": [], "places": _places(), "current": None}
        small = _small(seen)
        told = [{"name": c.name, "state": c.state, "found": c.found, "fix": c.fix} for c in checks(seen)]
        known = None if current is None else _known(current, (small.shape[1], small.shape[0]))
        return {"checks": told, "marks": sorted(find_marks(seen)), "places": _places(), "current": known}

    def survey(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Calibrate as asked, store it, and have the camera watch the table by it from now on.

        Raises:
            Refusal: `malformed`, or `no-picture` while the camera shows nothing.
            UsageError: nothing on the picture tells the table.
        """
        seen = self._seen()
        if seen is None:
            raise Refusal("no-picture", "The camera shows nothing just now: switch it on, and wait for its picture.")
        wishes = _wishes(asked, seen.shape[1], self._table.settings.camera.source)
        with self._one_at_a_time, ThreadPoolExecutor(1) as worker:
            return worker.submit(self._surveyed, seen, wishes).result()

    def _surveyed(self, seen: NDArray[np.uint8], wishes: CalibrationOptions) -> dict[str, Any]:
        path = calibration_path(self._data, wishes.venue)
        outcome = calibrate([seen], wishes, known_lens(path, (seen.shape[1], seen.shape[0])), date.today())
        store(outcome.calibration, path)
        settings = self._table.settings
        self._table.settings = replace(settings, vision=replace(settings.vision, calibration=path))
        self._table.restart_watching()
        return {**outcome.as_json(), "file": path.name}

    def _seen(self) -> NDArray[np.uint8] | None:
        frame = None if self._table.pulse is None else self._table.pulse.newest()
        return None if frame is None else frame.picture

    def _current(self) -> Calibration | None:
        path = self._table.settings.vision.calibration
        try:
            return None if path is None else read_calibration(calibration_file(path, self._data))
        except UsageError:
            return None  # the file was taken away meanwhile: then there is none


def _small(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    scale = min(1.0, WIDTH_PX / bgr.shape[1])
    if scale == 1:
        return bgr
    return np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _places() -> dict[str, list[str]]:
    return {game: list(names) for game, names in ZONES.items()}


def _known(current: Calibration, size: tuple[int, int]) -> dict[str, Any] | None:
    """The calibration in use, its zones as outlines on the page's picture."""
    try:
        here = current.for_size(size)
    except UsageError:
        return None
    outlines = {name: np.round(here.image_px(polygon), 1).tolist() for name, polygon in here.zones.items()}
    return {"venue": here.venue, "by": here.by, "residual_mm": here.residual_mm, "zones_px": outlines}


def _wishes(asked: Mapping[str, Any], width_px: int, camera: str) -> CalibrationOptions:
    """What the page asked, its points brought to the camera's own pixels."""
    shown = _number(asked.get("width"), "width")
    scale = width_px / shown
    venue, by, zones = asked.get("venue", "table"), asked.get("by"), asked.get("zones", {})
    if not isinstance(venue, str) or by not in (None, *WAYS):
        raise Refusal("malformed", f"A venue is a text, and by is one of {', '.join(WAYS)} or null.")
    if not isinstance(zones, dict) or len(zones) > _MOST_ZONES:
        raise Refusal("malformed", f"Zones are an object of at most {_MOST_ZONES}, name to points.")
    mat = asked.get("mat")
    return CalibrationOptions(
        venue,
        camera,
        by,
        _points(asked.get("taps", []), scale),
        _pair(asked.get("sheet", [297, 210]), "sheet"),
        None if mat is None else _pair(mat, "mat"),
        {str(name): _points(points, scale) for name, points in zones.items()},
    )


def _points(given: Any, scale: float) -> Points:
    if not isinstance(given, list) or len(given) > _MOST_POINTS:
        raise Refusal("malformed", f"Points are a list of at most {_MOST_POINTS}.")
    pairs = [(_number(at[0], "point", 0), _number(at[1], "point", 0)) for at in given if _is_pair(at)]
    if len(pairs) != len(given):
        raise Refusal("malformed", "A point is two numbers, x and y.")
    return tuple(((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) for x, y in pairs)


def _pair(given: Any, name: str) -> tuple[float, float]:
    if not _is_pair(given):
        raise Refusal("malformed", f"The {name} is two numbers in mm, across and down.")
    return _number(given[0], name), _number(given[1], name)


def _is_pair(given: Any) -> bool:
    return isinstance(given, list) and len(given) == 2


def _number(given: Any, name: str, least: float = 1e-3) -> float:
    if type(given) not in (int, float) or not least <= given < 1e5:
        raise Refusal("malformed", f"The {name} needs numbers from {least:g} up.")
    return float(given)
