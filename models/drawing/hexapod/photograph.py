"""Hard photographs of a Hexapod table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
Light is added up in linear values; the camera's faults come last.
"""

import numpy as np

from companion.games.hexapod.deck import CELL_MM, SPIDER
from models.drawing.canvas import Canvas, Field
from models.drawing.clutter import clutter_shape
from models.drawing.hexapod.layouts import Case, Lying, Scene, scene
from models.drawing.hexapod.painting import put_card, put_case, put_face_down
from models.drawing.hexapod.printings import Printing, invented, reference, varied
from models.drawing.photograph import Entry, Photograph, Shot, covered_share, marked_cut, outlines
from models.drawing.pinhole import Overhead, Points, overhead

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
    style = printing if isinstance(printing, Printing) else _style(printing, rng)
    laid = laid or scene(rng)
    core = np.vstack(
        [*(case.box_mm(style.case.frame_mm) for case in laid.cases), *(c.corners_mm() for c in laid.loose)]
    )
    camera = overhead(core, size, rng, px_per_mm, hardness)
    shot = Shot(camera.flat(), rng, hardness)
    canvas, gloss = shot.canvas, shot.gloss()
    ignored = [put_face_down(canvas, camera, card, style, rng) for card in _face_down(core, rng)]
    _put_things(canvas, core, rng, over=False)
    for case in laid.cases:
        put_case(canvas, camera, case, style, gloss, rng)
    quads = [put_card(canvas, camera, card, style, gloss, rng) for card in laid.loose]
    changed = shot.cover(lambda: _put_things(canvas, core, rng, over=True))
    boards = [_board(case, camera, changed) for case in laid.cases]
    loose = [_loose(card, box, camera, changed) for card, box in zip(laid.loose, quads, strict=True)]
    ignore = [corners.tolist() for corners in ignored] + outlines([*boards, *loose])
    pieces = {"boards": boards, "loose": loose}
    return shot.develop("hexapod", printing, pieces, ignore, {"scale": round(_scale(boards), 1)})


def _style(printing: str, rng: np.random.Generator) -> Printing:
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


def _board(case: Case, camera: Overhead, changed: Field) -> Entry:
    """The truth about a case.

    ``laid`` are its cells as they were laid, ``centres`` where the tops of what lies in them are seen, ``doubt`` says
    of each whether nobody need read it, ``covered`` how much of it is hidden.
    """
    tops, rows, cols = _tops(case), range(case.rows), range(case.cols)
    hidden = [[covered_share(changed, _cell_px(case, camera, (r, c), tops), outside=1.0) for c in cols] for r in rows]
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
    return marked_cut(entry, corners, camera.size)


def _tops(case: Case) -> dict[tuple[int, int], float]:
    return {(r, c): case.high_mm.get((r, c), case.floor_mm) for r in range(case.rows) for c in range(case.cols)}


def _cell_px(case: Case, camera: Overhead, cell: tuple[int, int], tops: dict[tuple[int, int], float]) -> Points:
    row, col = cell
    box = np.array([[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]]) * CELL_MM
    return camera.project(case.table_from_case(box), tops[cell])


def _middle(corners: Points) -> list[float]:
    return [round(float(v), 2) for v in corners.mean(0)]


def _loose(card: Lying, corners: Points, camera: Overhead, changed: Field) -> Entry:
    steps = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float) - 0.5
    quarters = [[steps / 2 + np.array([c - 0.5, r - 0.5]) / 2 for c in (0, 1)] for r in (0, 1)]
    hidden = [
        [covered_share(changed, camera.project(_placed(q, card), card.to_mm), outside=1.0) for q in line]
        for line in quarters
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
    return marked_cut(entry, corners, camera.size)


def _placed(unit: Points, card: Lying) -> Points:
    box = card.corners_mm()
    return np.asarray(card.at_mm + unit @ np.array([box[1] - box[0], box[3] - box[0]]))


def _scale(boards: list[Entry]) -> float:
    """How wide a cell is, in pixels."""
    corners = [np.array(board["corners"]) for board in boards]
    widths = [float(np.linalg.norm(c[1] - c[0])) / b["cols"] for c, b in zip(corners, boards, strict=True)]
    return float(np.mean(widths)) if widths else 0.0
