"""How changes of a Hexapod table are told: plain JSON as `companion watch` prints it, and words for people."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.placements import Laid, Place
from companion.games.hexapod.vision.results import DetectedField
from companion.vision.geometry import homography, mapped
from companion.vision.tracking.tracks import TableEvent


def in_words(event: TableEvent) -> str:
    """What was told, for people.

    >>> in_words({"event": "placed", "board": 0, "row": 1, "col": 2, "cells": [["blue", "gold"], ["moth", "moth"]]})
    'placed in case 1 at row 2, column 3: blue gold | moth moth'
    """
    if event["event"] == "table":
        return f"the table: {len(event['boards'])} display cases, {len(event['loose'])} cards beside them"
    where = "beside the cases" if event["board"] is None else f"case {event['board'] + 1}"
    if "row" in event:
        where = f"in case {event['board'] + 1} at row {event['row'] + 1}, column {event['col'] + 1}"
    shown = " | ".join(" ".join(kind or "." for kind in row) for row in event["cells"])
    return f"{event['event']} {where}: {shown}"


def placed(board: int, case: DetectedField, laid: Laid) -> TableEvent:
    """A card laid in a case."""
    row, col = laid.place
    return {
        "event": "placed",
        "board": board,
        "row": row,
        "col": col,
        "cells": [list(line) for line in laid.cells],
        "corners": np.round(cell_corners(case, laid.place, 2, 2), 2).tolist(),
        "confidence": round(case.confidence, 4),
    }


def removed(board: int, case: DetectedField, cells: Collection[Place]) -> TableEvent:
    """Cells of a case show what lay below, or the floor."""
    rows, cols = [place[0] for place in cells], [place[1] for place in cells]
    high, wide = max(rows) - min(rows) + 1, max(cols) - min(cols) + 1
    corners = cell_corners(case, (min(rows), min(cols)), high, wide)
    shown = [[case.cells[r][c] for c in range(min(cols), max(cols) + 1)] for r in range(min(rows), max(rows) + 1)]
    return {
        "event": "removed",
        "board": board,
        "row": min(rows),
        "col": min(cols),
        "cells": shown,
        "corners": np.round(corners, 2).tolist(),
        "confidence": round(case.confidence, 4),
    }


def moved(board: int, case: DetectedField, cells: Collection[Place]) -> TableEvent:
    """Something changed in cells of a case that is no one card laid."""
    return {**removed(board, case, cells), "event": "moved"}


def cell_corners(field: DetectedField, place: tuple[int, ...], high: int, wide: int) -> NDArray[np.floating]:
    """The corners (4, 2) of some cells of a field, in pixels."""
    rows, cols = len(field.cells), len(field.cells[0])
    row, col = place
    grid = np.array([[col, row], [col + wide, row], [col + wide, row + high], [col, row + high]], float)
    return mapped(homography(field.corners), grid * 2 / [cols, rows] - 1)
