"""Reading a HexDragon table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from companion.games.hexdragon.vision.classifier import TAIL, PretrainedTiles, TileClassifier, star_share, tile_share
from companion.games.hexdragon.vision.detector import CORNER_REFINER, DETECTOR
from companion.games.hexdragon.vision.lattice import Grid, find_grid
from companion.games.hexdragon.vision.plausibility import FROM_THE_SIDE, assess, unread, without_colour
from companion.games.hexdragon.vision.results import DetectedTile, TileReading
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.games.hexdragon.vision.tile_tta import (
    Placed,
    reclassify_stars,
    reclassify_tiles,
    refine_repeatedly,
    sureness,
)
from companion.rules.hexgrid import Cell, distance, field, neighbours
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.detection.verification import TOO_STEEP, Find, is_too_steep, no_game, verify
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.noise import denoised
from companion.vision.image.pyramid import Pyramid, has_colour
from companion.vision.results import NO_COLOUR, DetectedCard, ReadingWarning, Stopwatch, in_own_frame
from companion.vision.tracking.regions import Unchanged


def read_hexdragon(
    bgr: np.ndarray, classifier: TileClassifier | None = None, across_px: float | None = None
) -> TileReading:
    """Read a HexDragon table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: how heads and stars get their owners; None for the reference printing.
        across_px: how wide tiles are, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without tiles it carries the warning ``nothing-found``.
    """
    return read_unknown(bgr, classifier, across_px, None)


def read_unknown(
    bgr: np.ndarray, classifier: TileClassifier | None, across_px: float | None, unchanged: Unchanged | None
) -> TileReading:
    """Read a HexDragon table, or a piece of it of which something is known: what else lies there.

    Args:
        bgr: uint8 (h, w, 3).
        namer: see `read_hexdragon`.
        across_px: see `read_hexdragon`.
        unchanged: its tiles tell how the others lie and in which light, and are not read again; and where nothing came
            to rest nothing is looked for.
    """
    known = unchanged.cards if unchanged else ()
    classifier = classifier or PretrainedTiles()
    clock = Stopwatch()
    pyramid = Pyramid.of(denoised(bgr))
    stars_known = [card for card in known if star_share(card.probabilities) > 0.5]
    tiles_known = [card for card in known if card not in stars_known]
    clock.lap("shrink")
    found = DETECTOR.detect(pyramid, LIMITS.hint, across_px)
    found = unchanged.but(found) if unchanged else found
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found))
    clock.lap("find")
    probabilities, lit = _in_light_of(tiles_known, pyramid, classifier).classify_first(pyramid, corners)
    corners, probabilities = refine_repeatedly(pyramid, corners, probabilities, lit)
    clock.lap("name")
    is_tile = np.array([_is_tile(p, classifier) for p in probabilities], bool)
    stars = np.array([star_share(p) for p in probabilities])
    is_tile = is_tile if is_tile.any() or tiles_known else stars >= LIMITS.guessed_star
    if not is_tile.any() and not tiles_known:
        return TileReading(
            (), (), (ReadingWarning("nothing-found", "no HexDragon tile on this picture"),), classifier, clock.laps
        )
    tiles = [Detection(corners[i], found[i].confidence) for i in np.flatnonzero(is_tile)]
    lying = [Detection(card.corners, card.presence) for card in tiles_known]
    said = np.stack([*probabilities[is_tile], *(in_own_frame(card).probabilities for card in tiles_known)])
    grid = find_grid(np.stack([tile.corners for tile in (*tiles, *lying)]), _sureness([*tiles, *lying], said))
    clock.lap("grid")
    on_grid = reclassify_tiles(pyramid, grid, _on_grid(tiles, grid, said, 0), lit)
    lain = _on_grid(lying, grid, said, len(tiles)) + _stars_on_grid(stars_known, grid)
    starred = {
        cell: s
        for s in corners[stars >= LIMITS.doubted_star][::-1]
        if (cell := grid.cell_of(s, LIMITS.off_star)) is not None
    }
    free = _free_cells(on_grid + lain, grid, starred, pyramid.size)
    places = {cell: _moved(grid.outline(cell), starred.get(cell)) for cell in free}
    places = {cell: place for cell, place in places.items() if not (unchanged and unchanged.is_free(place))}
    rest, doubted = _search_free_cells(pyramid, places, lit)
    clock.lap("look")
    beside = [i for i, tile in enumerate(tiles) if grid.cells[i] is None and tile.confidence >= LIMITS.plain_tile]
    reading = assess([*on_grid, *rest, *lain], classifier, pyramid.size, len(beside))
    fresh = [card for card in reading.cards if not any(card.corners is other.corners for other in known)]
    reading = replace(reading, cards=tuple(fresh), warnings=reading.warnings + doubted)
    reading = reading if unchanged else _verified(pyramid, reading)
    clock.lap("judge")
    return replace(reading, stages_ms=clock.laps)


def _verified(pyramid: Pyramid, reading: TileReading) -> TileReading:
    """The reading of what are HexDragon tiles by their edges, as far as that is in doubt, and of owners only in colour.

    Stars have no edges: they lie beside tiles. Hex'el cards of one symbol, and blank ones, look like start tiles, of
    which no table has two.
    """
    tiles = [card for card in reading.cards if star_share(card.probabilities) <= 0.5]
    starts = sum(is_start(tile.probabilities) for tile in tiles)
    if starts > LIMITS.foreign_starts or (starts > 1 and 2 * starts >= len(tiles)):
        return replace(reading, cards=(), warnings=no_game(pyramid))
    verdict = verify(pyramid, [_as_find(tile) for tile in tiles], reading.warnings, LIMITS.table)
    gone = [tile for tile, stays in zip(tiles, verdict.stays, strict=True) if not stays]
    pieces = [card for card in reading.cards if isinstance(card, DetectedTile)]
    kept = [card for card in pieces if not any(card is tile for tile in gone)] if verdict.stays.any() else []
    warnings = verdict.warnings
    if kept and is_too_steep(HEXAGON, [card.corners for card in kept]):
        warnings += (TOO_STEEP, *(ReadingWarning("unsure", FROM_THE_SIDE, card.centre) for card in kept))
        kept = [unread(card) for card in kept if not card.is_star]
    elif kept and not has_colour(pyramid, [card.corners for card in kept]):
        owned = [card.centre for card in kept if card.owner is not None]
        warnings += (NO_COLOUR, *(ReadingWarning("unsure", "whose it is cannot be told", at) for at in owned))
        kept = [without_colour(card) for card in kept]
    return replace(reading, cards=tuple(kept), warnings=warnings)


def _as_find(tile: DetectedCard) -> Find:
    is_sure = None not in tile.edges and tile.presence >= LIMITS.sure_find
    return Find(tile.corners, tile.presence, set(tile.edges) != {None}, is_sure)


def _in_light_of(known: Sequence[DetectedCard], pyramid: Pyramid, classifier: TileClassifier) -> TileClassifier:
    """The classifier told the light of known tiles; as it is where there is none."""
    if not known:
        return classifier
    own = [in_own_frame(card) for card in known]
    return classifier.in_light_of(pyramid, np.stack([c.corners for c in own]), np.stack([c.probabilities for c in own]))


def _is_tile(probabilities: np.ndarray, classifier: TileClassifier) -> bool:
    """More likely a tile than not; and surely one where not one of its edges is."""
    least = LIMITS.blank_tile if set(classifier.accept(probabilities)) == {None} else LIMITS.tile
    return tile_share(probabilities) >= least


def _sureness(tiles: list[Detection], probabilities: np.ndarray) -> np.ndarray:
    return np.array([t.confidence * sureness(p) for t, p in zip(tiles, probabilities, strict=True)])


def _on_grid(tiles: list[Detection], grid: Grid, said: np.ndarray, first: int) -> list[Placed]:
    """The tiles that have a cell: those from the ``first`` of the grid's on."""
    told = zip(tiles, grid.cells[first:], grid.east[first:], said[first:], strict=False)
    return [
        (cell, east, tile, p[[(d - east) % 6 for d in range(6)]]) for tile, cell, east, p in told if cell is not None
    ]


def _stars_on_grid(stars: Sequence[DetectedCard], grid: Grid) -> list[Placed]:
    """The known stars that lie on a cell."""
    places = [(star, grid.cell_of(star.corners, LIMITS.off_star)) for star in stars]
    return [
        (cell, 0, Detection(star.corners, star.presence), star.probabilities)
        for star, cell in places
        if cell is not None
    ]


def _search_free_cells(
    pyramid: Pyramid, at: dict[Cell, np.ndarray], classifier: TileClassifier
) -> tuple[list[Placed], tuple[ReadingWarning, ...]]:
    """Tiles and stars on cells where nothing was found: each outline is looked at; and doubted stars."""
    if not at:
        return [], ()
    free, places = list(at), np.stack(list(at.values()))
    as_guessed = classifier.classify(pyramid, places)
    as_guessed = reclassify_stars(pyramid, places, as_guessed, classifier)
    shares = [star_share(p) for p in as_guessed]
    stars = [i for i, share in enumerate(shares) if share >= LIMITS.guessed_star]
    doubted = [
        places[i].mean(0) for i, share in enumerate(shares) if LIMITS.doubted_star <= share < LIMITS.guessed_star
    ]
    out = [(free[i], 0, Detection(places[i], shares[i]), as_guessed[i]) for i in stars]
    maybe = [i for i, p in enumerate(as_guessed) if tile_share(p) >= LIMITS.tile / 2 and i not in stars]
    exact = refine_corners(CORNER_REFINER, pyramid, places[maybe])
    probabilities = classifier.classify(pyramid, exact)
    for i, corners, p in zip(maybe, exact, probabilities, strict=True):
        sure = sum(edge is not None for edge in classifier.accept(p))
        if tile_share(p) >= LIMITS.guessed_tile and sure >= LIMITS.guessed_edges and _is_at(corners, places[i]):
            out.append((free[i], 0, Detection(corners, tile_share(p)), p))
    return out, tuple(
        ReadingWarning("unsure", "a star perhaps, perhaps a counter", (float(x), float(y))) for x, y in doubted
    )


def _free_cells(known: list[Placed], grid: Grid, starred: Iterable[Cell], size: tuple[int, int]) -> list[Cell]:
    """The cells without a tile around the start tile, or around all tiles where there is none; those in the picture.

    Where something was found that looks like a star is such a cell too.
    """
    taken = [cell for cell, *_ in known]
    start = start_cell(known)
    if start is None:
        wanted = {n for cell in taken for n in neighbours(cell)}
        wanted = {cell for cell in wanted if all(distance(cell, other) <= 2 * LIMITS.radius for other in taken)}
    else:
        wanted = {(start[0] + q, start[1] + r) for q, r in field(LIMITS.radius)}
    return [cell for cell in sorted((wanted | set(starred)) - set(taken)) if _is_in_picture(grid.outline(cell), size)]


def _moved(place: np.ndarray, star: np.ndarray | None) -> np.ndarray:
    """A cell's outline, or the same around a star that was found there."""
    return place if star is None else place + (star.mean(0) - place.mean(0))


def _is_in_picture(corners: np.ndarray, size: tuple[int, int]) -> bool:
    """A star on that cell, wherever on it, would be."""
    inner = LIMITS.star_room * corners + (1 - LIMITS.star_room) * corners.mean(0)
    return bool(inner.min() > -1 and (inner < np.array(size)).all())


def start_cell(known: list[Placed]) -> Cell | None:
    """Where the start tile lies: the piece most surely of six tails, when it is more likely than not."""
    shares = {cell: float(p[:, TAIL].min()) for cell, _, _, p in known if is_start(p)}
    return max(shares, key=lambda cell: shares[cell], default=None)


def is_start(probabilities: np.ndarray) -> bool:
    """More likely the start tile than not, of six tails, by probabilities (6, C)."""
    return float(probabilities[:, TAIL].min()) > 0.5


def _is_at(corners: np.ndarray, place: np.ndarray) -> bool:
    """An outline lies where it was looked for."""
    side = float(np.linalg.norm(place[0] - place[1]))
    return float(np.linalg.norm(corners.mean(0) - place.mean(0))) < 0.3 * side
