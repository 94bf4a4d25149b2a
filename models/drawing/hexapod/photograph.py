"""Hard photographs of a Hexapod table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
Light is added up in linear values; the camera's faults come last.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexapod.deck import CELL_MM, SPIDER
from models.drawing.backdrops import backdrop
from models.drawing.canvas import Canvas
from models.drawing.clutter import clutter_shape
from models.drawing.exposure import exposed
from models.drawing.hexapod.camera import Overhead, overhead
from models.drawing.hexapod.layouts import Case, Lying, Scene, scene
from models.drawing.hexapod.painting import put_card, put_case, put_face_down
from models.drawing.hexapod.printings import Printing, invented, reference, varied
from models.drawing.hexel.photograph import Photograph
from models.drawing.lighting import MOODS, lit
from models.drawing.pinhole import Pinhole

Points = npt.NDArray[Any]

HIDDEN = 0.3
"""Of a cell: with more under a hand or a mug nobody need read it."""


def photograph(
    rng: np.random.Generator,
    *,
    size: tuple[int, int] = (1280, 720),
    printing: str | Printing = "varied",
    laid: Scene | None = None,
    px_per_mm: float | None = None,
    hardness: float = 1.0,
) -> Photograph:
    """Draw one photograph.

    Args:
        rng: the only source of chance.
        size: width and height in pixels.
        printing: ``reference``, ``varied``, ``invented``, or one that was made before.
        laid: what lies there; None for a scene by chance.
        px_per_mm: the scale where the camera looks; None for what fits.
        hardness: 0 for a calm room, 1 for all conditions.
    """
    look = printing if isinstance(printing, Printing) else _look(printing, rng)
    laid = laid or scene(rng)
    core = np.vstack([*(case.box_mm(look.case.frame_mm) for case in laid.cases), *(c.corners_mm() for c in laid.loose)])
    camera = overhead(core, size, rng, px_per_mm, hardness)
    flat = Pinhole(camera.image_from_plane(), size)
    canvas = Canvas(flat, backdrop(rng, flat.image_from_table, size))
    mood = str(rng.choice(MOODS))
    gloss = float(rng.choice([0.0, 0.0, 0.3, 1.0])) * hardness
    ignored = [put_face_down(canvas, camera, card, look, rng) for card in _face_down(core, rng)]
    _put_things(canvas, core, rng, over=False)
    for case in laid.cases:
        put_case(canvas, camera, case, look, gloss, rng)
    outlines = [put_card(canvas, camera, card, look, gloss, rng) for card in laid.loose]
    before = canvas.albedo.copy()
    if rng.random() < 0.35 * hardness:
        _put_things(canvas, core, rng, over=True)
    changed = np.asarray((np.abs(canvas.albedo - before).max(2) > 1e-4).astype(np.uint8))
    image, glare = lit(canvas, mood, rng, hardness)
    bgr, faults = exposed(image, rng, hardness, is_dim=mood == "dim")
    boards = [_board(case, camera, changed) for case in laid.cases]
    loose = [_loose(card, box, camera, changed) for card, box in zip(laid.loose, outlines, strict=True)]
    name = printing if isinstance(printing, str) else "given"
    conditions = {"mood": mood, "printing": name, **faults, "glare": round(glare, 4), "scale": round(_scale(boards), 1)}
    return Photograph(bgr, _truth(boards, loose, size, ignored, conditions))


def _look(printing: str, rng: np.random.Generator) -> Printing:
    if printing == "reference":
        return reference()
    return varied(rng) if printing == "varied" else invented(rng)


def _face_down(core: Points, rng: np.random.Generator) -> list[Lying]:
    """Up to four cards or decks with their backs up, off what is played with."""
    found = []
    middle, span = core.mean(0), float(np.ptp(core, axis=0).max()) / 2
    for _ in range(int(rng.integers(0, 5))):
        at = middle + rng.normal(0, 1, 2) * (span + 60)
        if np.abs(at - middle).max() > span + 45:
            high = float(rng.choice([0.5, 0.5, rng.uniform(2, 16)]))
            found.append(Lying(SPIDER, at, float(rng.uniform(0, 360)), 0.0, high))
    return found


def _put_things(canvas: Canvas, core: Points, rng: np.random.Generator, *, over: bool) -> None:
    """Chips, mugs, pens, dice and hands: beside what is played with, or over some of it."""
    middle, span = core.mean(0), np.ptp(core, axis=0)
    for _ in range(int(rng.integers(1, 3) if over else rng.integers(0, 7))):
        at = core.min(0) + rng.uniform(0.05, 0.95, 2) * span if over else middle + rng.normal(0, 0.6, 2) * (span + 150)
        for outline, ink, gloss in clutter_shape(rng, over=over):
            points = canvas.camera.project(outline + at)
            if np.abs(points).max() < 6 * max(canvas.camera.size):
                canvas.polygon(points, ink, gloss)


def _board(case: Case, camera: Overhead, changed: Points) -> dict[str, Any]:
    """The truth about a case.

    ``laid`` are its cells as they were laid, ``centres`` where the tops of what lies in them are seen, ``doubt`` says
    of each whether nobody need read it, ``covered`` how much of it is hidden.
    """
    tops, rows, cols = _tops(case), range(case.rows), range(case.cols)
    hidden = [[_changed_share(changed, _cell_px(case, camera, (r, c), tops)) for c in cols] for r in rows]
    covered = [[max(hidden[r][c], case.askew.get((r, c), 0.0)) for c in cols] for r in rows]
    doubt = [[hidden[r][c] > HIDDEN or (r, c) in case.askew for c in cols] for r in rows]
    corners = camera.project(case.box_mm(), case.floor_mm)
    entry = {
        "rows": case.rows,
        "cols": case.cols,
        "cells": [[None if doubt[r][c] else case.cells[r][c] for c in cols] for r in rows],
        "corners": np.round(corners, 2).tolist(),
        "laid": case.cells,
        "centres": [[_middle(_cell_px(case, camera, (r, c), tops)) for c in cols] for r in rows],
        "doubt": doubt,
        "covered": np.round(covered, 2).tolist(),
    }
    return entry if _is_whole(corners, camera) else {**entry, "cut": True}


def _tops(case: Case) -> dict[tuple[int, int], float]:
    return {(r, c): case.high_mm.get((r, c), case.floor_mm) for r in range(case.rows) for c in range(case.cols)}


def _cell_px(case: Case, camera: Overhead, cell: tuple[int, int], tops: dict[tuple[int, int], float]) -> Points:
    row, col = cell
    box = np.array([[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]]) * CELL_MM
    return camera.project(case.table_from_case(box), tops[cell])


def _middle(corners: Points) -> list[float]:
    return [round(float(v), 2) for v in corners.mean(0)]


def _loose(card: Lying, corners: Points, camera: Overhead, changed: Points) -> dict[str, Any]:
    steps = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float) - 0.5
    quarters = [[steps / 2 + np.array([c - 0.5, r - 0.5]) / 2 for c in (0, 1)] for r in (0, 1)]
    hidden = [
        [_changed_share(changed, camera.project(_placed(q, card), card.to_mm)) for q in line] for line in quarters
    ]
    doubt = [[share > HIDDEN for share in line] for line in hidden]
    centres = [[_middle(camera.project(_placed(q, card), card.to_mm)) for q in line] for line in quarters]
    entry = {
        "cells": [[None if doubt[r][c] else card.cells[r][c] for c in (0, 1)] for r in (0, 1)],
        "corners": np.round(corners, 2).tolist(),
        "laid": [list(line) for line in card.cells],
        "centres": centres,
        "doubt": doubt,
        "covered": np.round(hidden, 2).tolist(),
    }
    return entry if _is_whole(corners, camera) else {**entry, "cut": True}


def _placed(unit: Points, card: Lying) -> Points:
    box = card.corners_mm()
    return np.asarray(card.at_mm + unit @ np.array([box[1] - box[0], box[3] - box[0]]))


def _is_whole(corners: Points, camera: Overhead) -> bool:
    return bool((corners > -1).all() and (corners < camera.size).all())


def _scale(boards: list[dict[str, Any]]) -> float:
    """How wide a cell is, in pixels."""
    corners = [np.array(board["corners"]) for board in boards]
    widths = [float(np.linalg.norm(c[1] - c[0])) / b["cols"] for c, b in zip(corners, boards, strict=True)]
    return float(np.mean(widths)) if widths else 0.0


def _changed_share(changed: Points, corners: Points) -> float:
    """The share of an outline whose paint changed after it was laid; 1 where it is outside the picture."""
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [changed.shape[1], changed.shape[0]])
    if x1 <= x0 or y1 <= y0:
        return 1.0
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [x0, y0]).astype(np.int32)], 1)
    area = int(mask.sum())
    return float((changed[y0:y1, x0:x1] * mask).sum() / area) if area else 1.0


def _truth(
    boards: list[dict[str, Any]],
    loose: list[dict[str, Any]],
    size: tuple[int, int],
    ignored: list[Points],
    conditions: dict[str, Any],
) -> dict[str, Any]:
    cut = [entry["corners"] for entry in (*boards, *loose) if "cut" in entry]
    return {
        "ok": True,
        "game": "hexapod",
        "size": list(size),
        "boards": boards,
        "loose": loose,
        "warnings": [],
        "ignore": [corners.tolist() for corners in ignored] + cut,
        "conditions": conditions,
    }
