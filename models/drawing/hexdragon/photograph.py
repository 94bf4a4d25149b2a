"""Hard photographs of a HexDragon table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
"""

import numpy as np

from companion.games.hexdragon.deck import (
    SIDE_MM,
    Drawing,
    board_outline,
    cell_centre,
    face_shapes,
    star_shapes,
)
from companion.printing.raster import raster
from companion.printing.shapes import Box, Shape, regular_polygon
from companion.rules.hexgrid import cells_within
from companion.simulator.optics import placed
from models.drawing.backdrops import any_colour
from models.drawing.canvas import Canvas, Field, Ink
from models.drawing.hexdragon.decoys import put_decoys
from models.drawing.hexdragon.layouts import Laying, Put, laid_table
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.hexel.layouts import Laid
from models.drawing.photograph import Entry, Photograph, Shot, marked_cut, outlines
from models.drawing.pinhole import Pinhole, Points, framed
from models.drawing.scenery import put_face_down, put_things

BOX = Box(-SIDE_MM - 1, -SIDE_MM - 1, SIDE_MM + 1, SIDE_MM + 1)
"""What a piece's picture shows."""
_HEXEL_PER_TILE = 35.0 / 30.0
"""The pinhole frames Hex'el cards; a tile is that much smaller."""
_SHADE: Ink = (25.0, 25.0, 28.0)


def hexdragon_photograph(
    rng: np.random.Generator,
    *,
    size: tuple[int, int] = (1280, 720),
    printing: str | Drawing = "reference",
    tiles: int | None = None,
    table: tuple[list[Put], Laying] | None = None,
    across_px: float | None = None,
    hardness: float = 1.0,
) -> Photograph:
    """Draw one photograph.

    Args:
        rng: the only source of chance.
        size: width and height in pixels.
        printing: a kind of `drawing_of`, or one that was made before.
        tiles: how many lie there; None for any number.
        table: what lies there and how; None for one that chance lays.
        across_px: a tile's width between opposite edges where the camera looks; None for what fits.
        hardness: 0 for a calm room, 1 for all conditions.
    """
    style = printing if isinstance(printing, Drawing) else drawing_of(printing, rng, hardness)
    put, laying = laid_table(rng, tiles) if table is None else table
    core = np.vstack([piece.corners_mm() for piece in put])
    if laying.is_board and across_px is None and rng.random() < 0.7:
        core = np.array(board_outline(laying.radius)) * laying.pitch
    camera = framed(core, size, rng, None if across_px is None else across_px * _HEXEL_PER_TILE, hardness)
    shot = Shot(camera, rng, hardness)
    canvas, gloss = shot.canvas, shot.gloss()
    around = [Laid((), piece.cell, piece.at_mm, piece.turn_deg) for piece in put]
    face_down = put_face_down(canvas, around, rng)
    if laying.is_board:
        _put_board(canvas, laying, gloss, rng)
        face_down += put_face_down(canvas, around, rng) if rng.random() < 0.3 else []
    put_things(canvas, around, rng, over=False)
    decoys = put_decoys(canvas, put, laying, rng)
    _put_pieces(canvas, put, style, gloss, rng)
    changed = shot.cover(lambda: put_things(canvas, around, rng, over=True))
    entries = [_entry(piece, camera, changed) for piece in put]
    faces = [entry for entry in entries if entry["kind"] != "star"]
    pieces = {"tiles": faces, "stars": [entry for entry in entries if entry["kind"] == "star"], "decoys": decoys}
    ignore = [corners.tolist() for corners in face_down] + outlines(faces)
    return shot.develop("hexdragon", printing, pieces, ignore, {"board": laying.is_board})


def _put_board(canvas: Canvas, laying: Laying, gloss: float, rng: np.random.Generator) -> None:
    """A board: near the reference's colours or any, its cells drawn by lines or by colour."""
    project = canvas.camera.project
    field = (
        np.array([182.0, 207.0, 217.0]) + rng.normal(0, 12, 3) if rng.random() < 0.5 else any_colour(rng, 40, 245, 120)
    )
    step = float(rng.choice([-1.0, 1.0])) * rng.uniform(10, 60)
    line, cell = _ink(field + step), _ink(field + rng.normal(0, 8) * (rng.random() < 0.4))
    margin = float(rng.uniform(2, 16))
    corners = project(np.array(board_outline(laying.radius, margin)) * laying.pitch)
    canvas.polygon(corners + rng.normal(0, 2, 2), _SHADE)
    canvas.polygon(corners, _ink(field), gloss)
    width = float(rng.uniform(0.3, 1.6))
    for q, r in cells_within(laying.radius):
        x, y = cell_centre(q, r)
        for reach, ink in ((SIDE_MM + width / 2, line), (SIDE_MM - width / 2, cell)):
            hexagon = np.array(regular_polygon(6, reach, (x, y), 30)) * laying.pitch
            canvas.polygon(project(hexagon), ink, gloss)


def _put_pieces(canvas: Canvas, put: list[Put], style: Drawing, gloss: float, rng: np.random.Generator) -> None:
    """Every tile and star with its contact shadow; a face is drawn once for all its turns."""
    drawn: dict[tuple[object, str | None], Field] = {}
    for piece in put:
        corners = canvas.camera.project(piece.corners_mm())
        across = float(np.linalg.norm(corners[0] - corners[3])) / 60.0
        scale = float(np.clip(across * 1.2, 0.7, 4.0))
        if piece.tile is not None:
            away = (corners - corners.mean(0)) * rng.uniform(0, 0.012)
            canvas.polygon(corners + rng.normal(0, 0.25 * across, 2) + away, _SHADE)
        else:
            rim = np.array(regular_polygon(24, 16.6))
            canvas.polygon(canvas.camera.project(piece.on_table(rim)) + rng.normal(0, 0.4 * across, 2), _SHADE)
        key = (piece.tile, piece.owner)
        if key not in drawn:
            drawn[key] = raster(shapes_of(piece, style), scale, BOX)
        canvas.put(drawn[key], canvas.camera.image_from_table @ _table_from_raster(piece, drawn[key]), gloss)


def shapes_of(piece: Put, style: Drawing) -> tuple[Shape, ...]:
    """What is printed on a tile or a star."""
    if piece.tile is None:
        assert piece.owner is not None, "a star has an owner"
        return star_shapes(piece.owner, style)
    return face_shapes(piece.tile, piece.owner, style)


def _table_from_raster(piece: Put, picture: Field) -> Points:
    mm = BOX.width_mm / picture.shape[1]
    own = np.array([[mm, 0, BOX.left_mm + mm / 2], [0, mm, BOX.top_mm + mm / 2], [0, 0, 1.0]])
    return np.asarray(placed((piece.at_mm[0], piece.at_mm[1]), piece.turn_deg) @ own)


def _ink(values: Field) -> Ink:
    b, g, r = (float(v) for v in np.clip(values, 5, 250))
    return b, g, r


def _entry(piece: Put, camera: Pinhole, changed: Field) -> Entry:
    """The truth about one piece: besides what `read` prints, how much of it and of each edge's line is ``hidden``."""
    corners = camera.project(piece.corners_mm())
    tile = piece.tile
    face = (
        {"kind": "star"}
        if tile is None
        else {
            "kind": tile.kind,
            "head": tile.head,
            "tails": list(tile.tails),
            "paths": [list(path) for path in tile.paths],
            "hidden": [round(hidden_share(changed, camera.project(line)), 2) for line in piece.lines_mm()],
        }
    )
    inside = np.array([s * corners + (1 - s) * corners.mean(0) for s in (0.15, 0.4, 0.65, 0.9)]).reshape(-1, 2)
    entry = {
        "cell": list(piece.cell),
        **face,
        "owner": piece.owner,
        "corners": np.round(corners, 2).tolist(),
        "covered": round(hidden_share(changed, inside), 3),
    }
    return marked_cut(entry, corners, camera.size)


def hidden_share(changed: Field, points: Points) -> float:
    """The share of points (N, 2) in the picture that something lies over; those outside count as hidden."""
    x, y = np.round(points).astype(int).T
    inside = (x >= 0) & (y >= 0) & (x < changed.shape[1]) & (y < changed.shape[0])
    return float(1.0 - (inside.sum() - changed[y[inside], x[inside]].sum()) / len(points))
