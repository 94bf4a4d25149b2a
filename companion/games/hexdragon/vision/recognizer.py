"""Reading a HexDragon table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from companion.games.hexdragon.vision.classifier import Light, PrintedTiles, TileNamer
from companion.games.hexdragon.vision.detector import CORNER_REFINER, DETECTOR
from companion.games.hexdragon.vision.face_prior import star_share, tile_share
from companion.games.hexdragon.vision.lattice import Grid, find_grid
from companion.games.hexdragon.vision.plausibility import judged
from companion.games.hexdragon.vision.results import TileReading
from companion.games.hexdragon.vision.tile_tta import (
    Placed,
    brought_nearer,
    looked_at_again,
    stars_seen_again,
    sureness,
)
from companion.rules.hexgrid import Cell, distance, field, neighbours
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import SeenCard, Warned, in_own_frame
from companion.vision.stopwatch import Stopwatch
from companion.vision.tracking.regions import Unchanged

HINT = 0.2
"""Less certain than that the finder tells nothing."""
TILE = 0.5
"""What is told as a tile is at least so surely one to the network that reads it."""
BLANK_TILE = 0.9
"""And at least so surely when none of its edges can be read."""
OFF_STAR = 0.42
"""How far from its cell's middle a star is still told there, in pitches: far from tiles the grid is less exact."""
PLAIN_TILE = 0.6
"""A tile found so surely is mentioned even when it lies on no cell."""
GUESSED_TILE, GUESSED_STAR = 0.9, 0.91
"""A tile or star that was looked for where the grid has a cell is at least so sure."""
DOUBTED_STAR = 0.6
"""One less sure, but so sure, is nothing stated: a warning says where it may lie."""
GUESSED_EDGES = 4
"""And so many of such a tile's edges are."""
MIDDLE = 0.7
"""How much of a cell a star takes, as a share of the circumradius, with room to lie askew."""
RADIUS = 3
"""The largest board has so many rings of cells around the start tile."""


def read_hexdragon(bgr: np.ndarray, namer: TileNamer | None = None, across_px: float | None = None) -> TileReading:
    """Read a HexDragon table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: how heads and stars get their owners; None for the reference printing.
        across_px: how wide tiles are, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without tiles it carries the warning ``nothing-found``.
    """
    return read_beside(bgr, namer, across_px, Unchanged())


def read_beside(bgr: np.ndarray, namer: TileNamer | None, across_px: float | None, unchanged: Unchanged) -> TileReading:
    """Read a HexDragon table, or a piece of it of which something is known: what else lies there.

    Args:
        bgr: uint8 (h, w, 3).
        namer: see `read_hexdragon`.
        across_px: see `read_hexdragon`.
        unchanged: its tiles tell how the others lie and in which light, and are not read again; and where nothing came
            to rest nothing is looked for.
    """
    known = unchanged.cards
    namer = namer or PrintedTiles()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    stars_known = [card for card in known if star_share(card.probabilities) > 0.5]
    tiles_known = [card for card in known if card not in stars_known]
    clock.lap("shrink")
    found, corners = _tile_outlines(pyramid, across_px, unchanged)
    clock.lap("find")
    probabilities, light = namer.seen(pyramid, corners, _light_over(tiles_known, pyramid, namer))
    corners, probabilities = brought_nearer(pyramid, corners, probabilities, namer, light)
    clock.lap("name")
    is_tile = np.array([_is_tile(p, namer) for p in probabilities], bool)
    stars = np.array([star_share(p) for p in probabilities])
    is_tile = is_tile if is_tile.any() or tiles_known else stars >= GUESSED_STAR
    if not is_tile.any() and not tiles_known:
        return TileReading((), (), (Warned("nothing-found", "no HexDragon tile on this picture"),), namer, clock.laps)
    tiles = [Detection(corners[i], found[i].confidence) for i in np.flatnonzero(is_tile)]
    lying = [Detection(card.corners, card.presence) for card in tiles_known]
    said = np.stack([*probabilities[is_tile], *(in_own_frame(card).probabilities for card in tiles_known)])
    grid = find_grid(np.stack([tile.corners for tile in (*tiles, *lying)]), _sureness([*tiles, *lying], said))
    clock.lap("grid")
    on_grid = looked_at_again(pyramid, grid, _on_grid(tiles, grid, said, 0), namer, light)
    lain = _on_grid(lying, grid, said, len(tiles)) + _stars_on_grid(stars_known, grid)
    starred = {cell: s for s in corners[stars >= DOUBTED_STAR][::-1] if (cell := grid.cell_of(s, OFF_STAR)) is not None}
    free = _free_cells(on_grid + lain, grid, starred, pyramid.size)
    places = {cell: _moved(grid.outline(cell), starred.get(cell)) for cell in free}
    places = {cell: place for cell, place in places.items() if not unchanged.is_free(place)}
    rest, doubted = _looked_for(pyramid, places, namer, light)
    clock.lap("look")
    beside = [i for i, tile in enumerate(tiles) if grid.cells[i] is None and tile.confidence >= PLAIN_TILE]
    reading = judged([*on_grid, *rest, *lain], namer, pyramid.size, len(beside))
    fresh = [card for card in reading.cards if not any(card.corners is other.corners for other in known)]
    clock.lap("judge")
    return replace(reading, cards=tuple(fresh), warnings=reading.warnings + doubted, stages_ms=clock.laps)


def _tile_outlines(
    pyramid: Pyramid, across_px: float | None, unchanged: Unchanged
) -> tuple[tuple[Detection, ...], np.ndarray]:
    """The tiles on a picture, surest first, and their exact corners (N, 6, 2) float32; whatever is printed on them.

    Without those that cannot be new.
    """
    found = unchanged.but(DETECTOR.detect(pyramid, HINT, across_px))
    return found, refine_corners(CORNER_REFINER, pyramid, corners_of(found))


def _light_over(known: Sequence[SeenCard], pyramid: Pyramid, namer: TileNamer) -> Light | None:
    """The light that known tiles tell; None where there is none."""
    if not known:
        return None
    own = [in_own_frame(card) for card in known]
    return namer.light(pyramid, np.stack([c.corners for c in own]), np.stack([c.probabilities for c in own]))


def _is_tile(probabilities: np.ndarray, namer: TileNamer) -> bool:
    """More likely a tile than not; and surely one where not one of its edges is."""
    least = BLANK_TILE if set(namer.accepted(probabilities)) == {None} else TILE
    return tile_share(probabilities) >= least


def _sureness(tiles: list[Detection], probabilities: np.ndarray) -> np.ndarray:
    return np.array([t.confidence * sureness(p) for t, p in zip(tiles, probabilities, strict=True)])


def _on_grid(tiles: list[Detection], grid: Grid, said: np.ndarray, first: int) -> list[Placed]:
    """The tiles that have a cell: those from the ``first`` of the grid's on."""
    told = zip(tiles, grid.cells[first:], grid.east[first:], said[first:], strict=False)
    return [
        (cell, east, tile, p[[(d - east) % 6 for d in range(6)]]) for tile, cell, east, p in told if cell is not None
    ]


def _stars_on_grid(stars: Sequence[SeenCard], grid: Grid) -> list[Placed]:
    """The known stars that lie on a cell."""
    places = [(star, grid.cell_of(star.corners, OFF_STAR)) for star in stars]
    return [
        (cell, 0, Detection(star.corners, star.presence), star.probabilities)
        for star, cell in places
        if cell is not None
    ]


def _looked_for(
    pyramid: Pyramid, at: dict[Cell, np.ndarray], namer: TileNamer, light: Light
) -> tuple[list[Placed], tuple[Warned, ...]]:
    """Tiles and stars on cells where nothing was found: each outline is looked at; and doubted stars."""
    if not at:
        return [], ()
    free, places = list(at), np.stack(list(at.values()))
    as_guessed, _ = namer.seen(pyramid, places, light)
    as_guessed = stars_seen_again(pyramid, places, as_guessed, namer, light)
    shares = [star_share(p) for p in as_guessed]
    stars = [i for i, share in enumerate(shares) if share >= GUESSED_STAR]
    doubted = [places[i].mean(0) for i, share in enumerate(shares) if DOUBTED_STAR <= share < GUESSED_STAR]
    out = [(free[i], 0, Detection(places[i], shares[i]), as_guessed[i]) for i in stars]
    maybe = [i for i, p in enumerate(as_guessed) if tile_share(p) >= TILE / 2 and i not in stars]
    exact = refine_corners(CORNER_REFINER, pyramid, places[maybe])
    probabilities, _ = namer.seen(pyramid, exact, light)
    for i, corners, p in zip(maybe, exact, probabilities, strict=True):
        sure = sum(edge is not None for edge in namer.accepted(p))
        if tile_share(p) >= GUESSED_TILE and sure >= GUESSED_EDGES and _is_at(corners, places[i]):
            out.append((free[i], 0, Detection(corners, tile_share(p)), p))
    return out, tuple(Warned("unsure", "a star perhaps, perhaps a counter", (float(x), float(y))) for x, y in doubted)


def _free_cells(known: list[Placed], grid: Grid, starred: Iterable[Cell], size: tuple[int, int]) -> list[Cell]:
    """The cells without a tile around the start tile, or around all tiles where there is none; those in the picture.

    Where something was found that looks like a star is such a cell too.
    """
    taken = [cell for cell, *_ in known]
    start = start_cell(known)
    if start is None:
        wanted = {n for cell in taken for n in neighbours(cell)}
        wanted = {cell for cell in wanted if all(distance(cell, other) <= 2 * RADIUS for other in taken)}
    else:
        wanted = {(start[0] + q, start[1] + r) for q, r in field(RADIUS)}
    return [cell for cell in sorted((wanted | set(starred)) - set(taken)) if _is_in_picture(grid.outline(cell), size)]


def _moved(place: np.ndarray, star: np.ndarray | None) -> np.ndarray:
    """A cell's outline, or the same around a star that was found there."""
    return place if star is None else place + (star.mean(0) - place.mean(0))


def _is_in_picture(corners: np.ndarray, size: tuple[int, int]) -> bool:
    """A star on that cell, wherever on it, would be."""
    inner = MIDDLE * corners + (1 - MIDDLE) * corners.mean(0)
    return bool(inner.min() > -1 and (inner < np.array(size)).all())


def start_cell(known: list[Placed]) -> Cell | None:
    """Where the start tile lies: the piece most surely of six tails, when it is more likely than not."""
    shares = {cell: float(p[:, 5].min()) for cell, _, _, p in known}
    best = max(shares, key=lambda cell: shares[cell], default=None)
    return best if best is not None and shares[best] > 0.5 else None


def _is_at(corners: np.ndarray, place: np.ndarray) -> bool:
    """An outline lies where it was looked for."""
    side = float(np.linalg.norm(place[0] - place[1]))
    return float(np.linalg.norm(corners.mean(0) - place.mean(0))) < 0.3 * side
