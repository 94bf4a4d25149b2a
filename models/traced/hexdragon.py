"""HexDragon sets that nobody has drawn before, path-traced, and the truth about what was rendered of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from companion.games.hexdragon.deck import (
    Drawing,
    board_outline,
    board_shapes,
    outline,
)
from companion.printing.raster import raster
from companion.printing.shapes import regular_polygon
from models.drawing.hexdragon.layouts import Laying, Put, laid_table, teaching_table
from models.drawing.hexdragon.photograph import BOX, hidden_share, shapes_of
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.photograph import Entry, covered_share, marked_cut, outlines
from models.traced.shards import Rendered, on_picture
from models.traced.studio import LARGE, SHEET_MM, Described, Studio, opaque, piece, scene

PX_PER_MM = 9.0
_BOARD_PX_PER_MM = 4.0
_STAR_MM = 16.0


def hexdragon_deck(seed: int, studio: Studio, pictures: int = 2, *, is_known: bool = False) -> Iterator[Described]:
    """Photographs of a set: that which teaches it (the start tile, a head of each colour and a body), and others."""
    rng = np.random.default_rng(seed)
    look = drawing_of("exact" if is_known else "invented", rng)
    gloss = np.array([rng.uniform(0.25, 0.7), rng.choice([0, 0.15, 0.4])])
    put, laying = teaching_table(rng)
    described = _described(seed, put, laying, look, studio, gloss)
    yield scene(rng, studio, described, f"{seed}-teach", LARGE, False, fill=0.8)
    for k in range(pictures):
        put, laying = laid_table(rng, int(rng.integers(4, 20)))
        described = _described(seed, put, laying, look, studio, gloss)
        yield scene(rng, studio, described, f"{seed}-{k}", LARGE, bool(k % 2), least=float(rng.uniform(0.5, 1.0)))


def truth(one: Rendered) -> Entry:
    """What `companion read` should say, in the form of `models.drawing.hexdragon.photograph`."""
    size = (one.picture.shape[1], one.picture.shape[0])
    entries = []
    for number, (card, quad) in enumerate(zip(one.told["cards"], one.corners, strict=True), 1):
        corners = quad.astype(np.float64)
        if "face" not in card:
            continue
        entry: dict[str, Any] = {"cell": card["cell"], "owner": card["owner"], **card["face"]}
        hidden = [hidden_share(one.owner != number, on_picture(card, corners, line)) for line in card["lines"]]
        entry |= {"hidden": hidden, "corners": corners.tolist()}
        shown = on_picture(card, corners, card["outline"])
        entries.append(marked_cut({**entry, "covered": covered_share(one.owner, shown, number)}, corners, size))
    tiles = [entry for entry in entries if entry["kind"] != "star"]
    stars = [entry for entry in entries if entry["kind"] == "star"]
    return {"tiles": tiles, "stars": stars, "ignore": outlines(tiles)}


def _described(
    seed: int, put: Sequence[Put], laying: Laying, look: Drawing, studio: Studio, gloss: np.ndarray
) -> list[Described]:
    found = [_board(laying, studio, gloss)] if laying.is_board else []
    tile_corners = np.roll(np.array(outline()), 1, axis=0)
    high = 0.02 + SHEET_MM * len(found)
    for one in put:
        texture = studio.keep(f"{seed}-{_name(one)}.png", opaque(raster(shapes_of(one, look), PX_PER_MM, BOX)))
        place = (one.at_mm, one.turn_deg)
        tile = piece(texture, (BOX.width_mm, BOX.height_mm), tile_corners, place, gloss, z=high, thick=1.5)
        face: dict[str, Any] = {"kind": "star"}
        lines: list[Any] = []
        if one.tile is None:
            tile["outline"] = [list(point) for point in regular_polygon(24, _STAR_MM)]
        else:
            face = {"kind": one.tile.kind, "head": one.tile.head, "tails": list(one.tile.tails)}
            face["paths"] = [list(path) for path in one.tile.paths]
            lines = [line.tolist() for line in Put(one.tile, one.owner, one.cell, np.zeros(2), 0.0).lines_mm()]
        found.append({**tile, "cell": list(one.cell), "owner": one.owner, "face": face, "lines": lines})
    return found


def _board(laying: Laying, studio: Studio, gloss: np.ndarray) -> Described:
    """The printed board under the tiles."""
    corners = np.array(board_outline(laying.radius)) * laying.pitch
    drawn = raster(board_shapes(laying.radius), _BOARD_PX_PER_MM)
    texture = studio.keep(f"board-{laying.radius}.png", opaque(drawn))
    size = (np.ptp(corners[:, 0]), np.ptp(corners[:, 1]))
    return piece(texture, (float(size[0]), float(size[1])), corners, (np.zeros(2), 0.0), gloss)


def _name(one: Put) -> str:
    face = "star" if one.tile is None else f"{one.tile.head}-{one.tile.tails}-{one.tile.paths}"
    return f"{one.owner}-{face}".translate(str.maketrans("", "", "() ")).replace(",", "_")
