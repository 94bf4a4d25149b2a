"""Round things on free cells of a HexDragon table and beside it that are no star tokens: counters, coins, rings."""

import numpy as np

from companion.games.hexdragon.deck import cell_centre
from companion.printing.shapes import polar, regular_polygon
from companion.rules.hexgrid import cells_within
from models.drawing.backdrops import any_colour
from models.drawing.canvas import Canvas, Ink
from models.drawing.hexdragon.layouts import Laying, Put
from models.drawing.pinhole import Points

_SHADE: Ink = (25.0, 25.0, 28.0)
_ARMS = {"disc": 0, "ring": 0, "dot": 0, "square": 4, "flower": 6, "blank": 0}


def put_decoys(canvas: Canvas, put: list[Put], laying: Laying, rng: np.random.Generator) -> list[list[list[float]]]:
    """Paint some, before the pieces; return where each lies as a tile there would, corners (6, 2) in the picture."""
    taken = {piece.cell for piece in put}
    free = [cell for cell in cells_within(laying.radius + 1) if cell not in taken]
    count = min(len(free), int(rng.choice([0, 0, 0, 2, 4, 7])))
    found = []
    kind, ink = str(rng.choice(list(_ARMS))), _ink(rng)
    for k in rng.permutation(len(free))[:count]:
        at = np.array(cell_centre(*free[int(k)])) * laying.pitch + rng.normal(0, 2.5, 2)
        if rng.random() < 0.3:
            kind, ink = str(rng.choice(list(_ARMS))), _ink(rng)
        _put(canvas, at, kind, ink, rng)
        corners = canvas.camera.project(np.array(regular_polygon(6, 30.0, (0.0, 0.0), -30)) + at)
        if (corners > 0).all() and (corners < canvas.camera.size).all():
            found.append(np.round(corners, 2).tolist())
    return found


def _put(canvas: Canvas, at: Points, kind: str, ink: Ink, rng: np.random.Generator) -> None:
    """One counter: circles in one another, and at the middle no star."""
    project = canvas.camera.project
    radius = float(rng.uniform(9, 19))
    white = (float(rng.uniform(200, 250)),) * 3
    rings = [(radius, white if rng.random() < 0.6 else _ink(rng))]
    if kind in ("ring", "disc"):
        rings += [(radius * 0.85, ink), (radius * 0.66, white)][: int(rng.integers(1, 3))]
    if kind in ("ring", "dot"):
        rings.append((radius * float(rng.uniform(0.25, 0.6)), ink))
    canvas.polygon(project(_circle(radius) + at) + rng.normal(0, 0.5, 2), _SHADE)
    for size, colour in rings:
        canvas.polygon(project(_circle(size) + at), colour)
    if arms := _ARMS[kind]:
        inner = float(rng.uniform(0.7, 0.95)) if arms == 6 else 0.71
        turn = float(rng.uniform(0, 360))
        points = [polar(0.7 * radius * (1 if k % 2 else inner), turn + 180 / arms * k) for k in range(2 * arms)]
        canvas.polygon(project(np.array(points) + at), ink)


def _circle(radius: float) -> Points:
    return np.array(regular_polygon(28, radius))


def _ink(rng: np.random.Generator) -> Ink:
    b, g, r = (float(v) for v in any_colour(rng, 30, 245, 255))
    return b, g, r
