"""Reading a HexDragon table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.classifier import (
    TAIL,
    PretrainedTiles,
    TileClassifier,
    star_share,
    star_shares,
    tile_share,
    tile_shares,
)
from companion.games.hexdragon.vision.detector import CORNER_REFINER, DETECTOR
from companion.games.hexdragon.vision.lattice import Grid, find_grid, known_grid
from companion.games.hexdragon.vision.prototypes import FRAME, FewShotTiles
from companion.games.hexdragon.vision.results import DetectedTile, TileReading, assess, unread, without_colour
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.games.hexdragon.vision.tile_tta import (
    Placed,
    reclassify_stars,
    reclassify_tiles,
    refine_repeatedly,
    snap_outlines,
    tile_confidence,
)
from companion.rules.hexgrid import Cell, cells_within, distance
from companion.vision.detection.conditions import FAINT, NEUTRAL, TOO_STEEP, conditions_of
from companion.vision.detection.detector import Detection, corners_of, refine_corners
from companion.vision.detection.outlines import detect_outlines
from companion.vision.detection.verification import Find, Verdict, no_game, verify
from companion.vision.edge_refinement import clear_outlines
from companion.vision.enrolment.profile import faint_colours
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid, denoised
from companion.vision.results import DetectedCard, ReadingWarning, Stopwatch, in_own_frame
from companion.vision.tracking.regions import Unchanged


def read_hexdragon(
    bgr: NDArray[np.uint8], classifier: TileClassifier | None = None, width_px: float | None = None
) -> TileReading:
    """Read a HexDragon table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: of the tiles; None for the reference printing.
        width_px: the tiles' width, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without tiles it carries the warning ``nothing-found``.
    """
    return read_unknown(bgr, classifier, width_px, None)


def read_unknown(
    bgr: NDArray[np.uint8], classifier: TileClassifier | None, width_px: float | None, unchanged: Unchanged | None
) -> TileReading:
    """Read a HexDragon table, or the unknown tiles of a piece of it.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: see `read_hexdragon`.
        width_px: see `read_hexdragon`.
        unchanged: the known tiles, which give the grid and the light and are not read again, and the places where
            nothing is to be searched.
    """
    known = unchanged.cards if unchanged else ()
    tiles_known, stars_known = _split_stars(known)
    classifier = classifier or PretrainedTiles()
    clock = Stopwatch()
    pyramid = Pyramid.of(denoised(bgr))
    clock.lap("shrink")
    found = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    found = unchanged.but(found) if unchanged else found
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found))
    clock.lap("find")
    probabilities, lit = _in_light_of(tiles_known, pyramid, classifier).classify_first(pyramid, corners)
    corners, probabilities = refine_repeatedly(pyramid, corners, probabilities, lit)
    clock.lap("name")
    pieces = _Pieces(found, corners, probabilities, _are_tiles(probabilities, classifier))
    pieces = _on_part_of_table(pieces, unchanged, tiles_known) if unchanged else _on_whole_table(pyramid, pieces, lit)
    found, corners, probabilities, is_tile = pieces.found, pieces.corners, pieces.probabilities, pieces.is_tile
    stars = star_shares(probabilities)
    is_tile = is_tile if is_tile.any() or tiles_known else stars >= LIMITS.guessed_star
    if not is_tile.any() and not tiles_known:
        return TileReading(
            (), (), (ReadingWarning("nothing-found", "no HexDragon tile on this picture"),), classifier, clock.laps
        )
    tiles = [Detection(corners[i], found[i].confidence) for i in np.flatnonzero(is_tile)]
    known_tiles = [Detection(card.corners, card.presence) for card in tiles_known]
    faces = np.stack([*probabilities[is_tile], *(in_own_frame(card).probabilities for card in tiles_known)])
    outlines = np.stack([tile.corners for tile in (*tiles, *known_tiles)])
    sure = np.array([t.confidence * tile_confidence(p) for t, p in zip([*tiles, *known_tiles], faces, strict=True)])
    table_grid = unchanged and _grid_of(unchanged, outlines, sure)
    grid = table_grid or find_grid(outlines, sure)
    clock.lap("grid")
    on_grid = reclassify_tiles(pyramid, grid, _raise_faint_confidences(_on_grid(tiles, grid, faces, 0)), lit)
    if not unchanged:  # beside known tiles, what a hand still holds is askew too
        on_grid = snap_outlines(on_grid, grid)
    known_on_grid = _on_grid(known_tiles, grid, faces, len(tiles)) + _stars_on_grid(stars_known, grid)
    beyond = _faces_by_cell(unchanged.everywhere) if unchanged and table_grid else {}
    places = _free_places(on_grid + known_on_grid, beyond, grid, corners[stars >= LIMITS.doubted_star], pyramid.size)
    places = {cell: place for cell, place in places.items() if not (unchanged and unchanged.is_free(place))}
    rest, doubted = _search_free_cells(pyramid, places, lit)
    clock.lap("look")
    off_grid = [i for i, tile in enumerate(tiles) if grid.cells[i] is None and tile.confidence >= LIMITS.plain_tile]
    reading = assess([*on_grid, *rest, *known_on_grid], classifier, pyramid.size, len(off_grid))
    new = [card for card in reading.cards if not any(card.corners is other.corners for other in known)]
    reading = replace(reading, cards=tuple(new), warnings=reading.warnings + doubted)
    reading = reading if unchanged else _verified(pyramid, reading, lit)
    clock.lap("judge")
    return replace(reading, stages_ms=clock.laps)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """What was found on a picture.

    Attributes:
        found: N detections.
        corners: (N, 6, 2) of their refined outlines.
        probabilities: (N, 6, C) of what their edges show.
        is_tile: (N,), which of them show a tile; others may be stars.
    """

    found: tuple[Detection, ...]
    corners: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    is_tile: NDArray[np.bool_]


def _on_part_of_table(pieces: _Pieces, unchanged: Unchanged, tiles_known: Sequence[DetectedCard]) -> _Pieces:
    """The pieces in a part of a table, no tile among them that is not as large as the known ones: a star's disc is
    smaller. What is hardly seen, and beside no tile, may be a star, or lie in a hand.
    """
    is_tile = pieces.is_tile & unchanged.are_as_large(pieces.corners, _split_stars(unchanged.everywhere)[0])
    if not tiles_known:
        is_tile &= np.array([one.confidence >= LIMITS.plain_tile for one in pieces.found], bool)
    return replace(pieces, is_tile=is_tile)


def _on_whole_table(pyramid: Pyramid, pieces: _Pieces, classifier: TileClassifier) -> _Pieces:
    """The pieces on a whole table, no disc among its tiles; where few tiles are sure, by the edges that show."""
    confidences = [one.confidence for one in pieces.found]
    is_tile = pieces.is_tile & ~_are_discs(pieces.corners, np.where(pieces.is_tile, confidences, 0.0))
    pieces = replace(pieces, is_tile=is_tile)
    are_sure = [sure >= LIMITS.sure_find for sure, is_one in zip(confidences, is_tile, strict=True) if is_one]
    if not are_sure or sum(are_sure) >= LIMITS.table.min_sure:
        return pieces
    pieces = _along_edges(pyramid, pieces, classifier)
    return pieces if all(are_sure) else _of_any_print(pyramid, pieces, classifier)


def _along_edges(pyramid: Pyramid, pieces: _Pieces, classifier: TileClassifier) -> _Pieces:
    """The pieces, tiles that lie along no edges as edges farther out show them: on a board of their stock tiles are
    outlined by what is printed on them.
    """
    corners, tiles = pieces.corners, np.flatnonzero(pieces.is_tile).tolist()
    seen = clear_outlines(pyramid, corners[tiles])
    unclear = [i for i, one in zip(tiles, seen, strict=True) if one is None]
    exact = clear_outlines(pyramid, corners[unclear], LIMITS.grown) if unclear else []
    grown = {i: one for i, one in zip(unclear, exact, strict=True) if one is not None}
    if not grown:
        return pieces
    corners, probabilities = corners.copy(), pieces.probabilities.copy()
    corners[list(grown)] = list(grown.values())
    probabilities[list(grown)] = classifier.classify(pyramid, corners[list(grown)])
    return replace(pieces, corners=corners, probabilities=probabilities)


def _of_any_print(pyramid: Pyramid, pieces: _Pieces, classifier: TileClassifier) -> _Pieces:
    """The pieces, with those of the detector that knows no game in the tiles' stead where it sees more: on a board of
    their stock few are found.
    """
    outlines = detect_outlines(np.asarray(pyramid.levels[0], np.uint8), 6)
    if len(outlines) <= pieces.is_tile.sum():
        return pieces
    seen = np.array([one.corners for one in outlines], np.float32)
    shown = classifier.classify(pyramid, seen)
    tiles = np.flatnonzero(_are_tiles(shown, classifier)).tolist()
    if len(tiles) <= pieces.is_tile.sum():
        return pieces
    rest = np.flatnonzero(~pieces.is_tile).tolist()
    found = (*(Detection(seen[i], outlines[i].confidence) for i in tiles), *(pieces.found[i] for i in rest))
    return _Pieces(
        found,
        np.concatenate([seen[tiles], pieces.corners[rest]]),
        np.concatenate([shown[tiles], pieces.probabilities[rest]]),
        np.arange(len(found)) < len(tiles),
    )


def _split_stars(pieces: Sequence[DetectedCard]) -> tuple[list[DetectedCard], list[DetectedCard]]:
    """The tiles of some pieces, and the stars."""
    tiles, stars = ([c for c in pieces if (star_share(c.probabilities) > 0.5) == is_star] for is_star in (False, True))
    return tiles, stars


def _verified(pyramid: Pyramid, reading: TileReading, lit: TileClassifier) -> TileReading:
    """The reading without outlines whose edges are no tile's, and without what the picture's angle or light hides.

    Stars have no edges of their own. Hex'el cards of one symbol, and blank ones, look like start tiles, of which no
    table has two.
    """
    tiles, _ = _split_stars(reading.cards)
    starts = sum(is_start(tile.probabilities) for tile in tiles)
    if starts > LIMITS.foreign_starts or (starts > 1 and 2 * starts >= len(tiles)):
        return replace(reading, cards=(), warnings=no_game(pyramid))
    taught = lit if isinstance(lit, FewShotTiles) else None
    verdict = _verdict(pyramid, [Find.of(tile, LIMITS.sure_find) for tile in tiles], reading.warnings, taught)
    rejected = [tile for tile, stays in zip(tiles, verdict.stays, strict=True) if not stays]
    pieces = [card for card in reading.cards if isinstance(card, DetectedTile)]
    kept = [card for card in pieces if not any(card is tile for tile in rejected)] if verdict.stays.any() else []
    if not any(set(card.edges) != {None} for card in kept if not card.is_star):
        return _without_stars(pyramid, replace(reading, cards=tuple(kept), warnings=verdict.warnings))
    measured = [card for card in kept if not card.is_star] or kept  # a star's own paper says nothing of tiles' faces
    conditions = conditions_of(
        pyramid,
        HEXAGON,
        [card.corners for card in measured],
        tint=taught.profile.tint if taught else NEUTRAL,
        limits=LIMITS.tint.even_burnt_out if taught and taught.is_light_as_taught else LIMITS.tint,
        is_foreign=lambda: taught is not None and taught.is_foreign,
        faint=lambda: faint_colours(taught.profile, FRAME) if taught else FAINT,
        beside=[card.corners for card in kept if card.is_star],
    )
    if conditions == (TOO_STEEP,):
        doubts = [TOO_STEEP.unsure("what it shows", card.centre) for card in kept]
        kept = [replace(unread(card), cell=None) for card in kept if not card.is_star]
    else:
        doubts = [conditions[0].unsure("whose it is", card.centre) for card in kept if conditions and card.owner]
        kept = [without_colour(card) for card in kept] if conditions else kept
    warnings = (*verdict.warnings, *(condition.warning for condition in conditions), *doubts)
    return replace(reading, cards=tuple(kept), warnings=warnings)


def _without_stars(pyramid: Pyramid, reading: TileReading) -> TileReading:
    """The reading of a picture on which no tile is read: rings on a cloth look like stars as well."""
    tiles, stars = _split_stars(reading.cards)
    if not tiles:
        return replace(reading, cards=(), warnings=no_game(pyramid))
    places = [star.centre for star in stars]
    rest = [warning for warning in reading.warnings if warning.at not in places]
    return replace(reading, cards=tuple(tiles), warnings=(*rest, *map(_maybe_a_star, places)))


def _maybe_a_star(place: tuple[float, float]) -> ReadingWarning:
    return ReadingWarning("unsure", "a star perhaps, perhaps a counter", place)


def _verdict(
    pyramid: Pyramid, finds: list[Find], warnings: tuple[ReadingWarning, ...], taught: FewShotTiles | None
) -> Verdict:
    """See `verify`. So many sure tiles in the inks that were taught are the set's, though their edges hardly show on a
    board of the same stock.
    """
    is_own = taught is not None and not taught.is_foreign
    if is_own and sum(find.is_sure for find in finds) >= LIMITS.table.min_sure:
        return Verdict(np.ones(len(finds), bool), warnings)
    return verify(pyramid, finds, warnings, LIMITS.table)


def _in_light_of(known: Sequence[DetectedCard], pyramid: Pyramid, classifier: TileClassifier) -> TileClassifier:
    """The classifier with the light of known tiles, if there are any."""
    if not known:
        return classifier
    own = [in_own_frame(card) for card in known]
    return classifier.in_light_of(pyramid, np.stack([c.corners for c in own]), np.stack([c.probabilities for c in own]))


def _are_tiles(probabilities: NDArray[np.float32], classifier: TileClassifier) -> NDArray[np.bool_]:
    """Which pieces (N,) of probabilities (N, 6, C) are likely tiles; those without an accepted edge, surely."""
    least = [LIMITS.blank_tile if set(classifier.accept(p)) == {None} else LIMITS.tile for p in probabilities]
    return np.asarray(tile_shares(probabilities) >= np.array(least))


def _are_discs(corners: NDArray[np.float32], confidence: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which outlines (N, 6, 2) are those of stars' discs, taken for tiles: half as large as tiles seen from above.

    Args:
        corners: of all finds.
        confidence: (N,), how sure each is a tile, 0 for none.
    """
    wide, tilt = HEXAGON.width_px(corners), HEXAGON.tilt_deg(corners)
    is_larger = (wide > LIMITS.disc * wide[:, None]) & (tilt < LIMITS.disc_tilt_deg)
    is_as_large = (wide < LIMITS.disc * wide[:, None]) & (wide[:, None] < LIMITS.disc * wide)
    return np.asarray((is_larger * confidence).sum(1) > (is_as_large * confidence).sum(1))


def _grid_of(unchanged: Unchanged, outlines: NDArray[np.float32], confidence: NDArray[np.floating]) -> Grid | None:
    """The grid of the known tiles, with tiles (N, 6, 2) of the piece; None where it is not known; see `known_grid`."""
    known = unchanged.everywhere
    grid = known_grid(outlines + unchanged.at, confidence, [c.corners for c in known], [c.cell for c in known])
    return None if grid is None else grid.seen_from(unchanged.at)


def _on_grid(tiles: list[Detection], grid: Grid, faces: NDArray[np.float32], first: int) -> list[Placed]:
    """The tiles that have a cell; they are the grid's from index ``first`` on."""
    placed = zip(tiles, grid.cells[first:], grid.east[first:], faces[first:], strict=False)
    return [
        (cell, east, tile, p[[(d - east) % 6 for d in range(6)]]) for tile, cell, east, p in placed if cell is not None
    ]


def _raise_faint_confidences(placed: list[Placed]) -> list[Placed]:
    """The tiles on a grid, beside the surest one as sure as if its place had been searched: a hint may be as faint."""
    surest = max((tile.confidence for _, _, tile, _ in placed), default=0.0)
    shares = [tile_share(p) for *_, p in placed]
    return [
        (cell, east, replace(tile, confidence=max(tile.confidence, share)), p)
        if tile.confidence < surest and share >= LIMITS.guessed_tile
        else (cell, east, tile, p)
        for (cell, east, tile, p), share in zip(placed, shares, strict=True)
    ]


def _stars_on_grid(stars: Sequence[DetectedCard], grid: Grid) -> list[Placed]:
    """The known stars that lie on a cell."""
    places = [(star, grid.cell_of(star.corners, LIMITS.off_star)) for star in stars]
    return [
        (cell, 0, Detection(star.corners, star.presence), star.probabilities)
        for star, cell in places
        if cell is not None
    ]


def _faces_by_cell(known: Sequence[DetectedCard]) -> dict[Cell, NDArray[np.float32]]:
    """The probabilities (6, C) of the known tiles that have a cell."""
    return {card.cell: card.probabilities for card in _split_stars(known)[0] if card.cell is not None}


def _search_free_cells(
    pyramid: Pyramid, outlines: dict[Cell, NDArray[np.float32]], classifier: TileClassifier
) -> tuple[list[Placed], tuple[ReadingWarning, ...]]:
    """Classify the cells without a detection: the tiles and stars there, and the warnings of doubtful stars."""
    if not outlines:
        return [], ()
    free, places = list(outlines), np.stack(list(outlines.values()))
    answers = classifier.classify(pyramid, places)
    answers = reclassify_stars(pyramid, places, answers, classifier)
    shares = star_shares(answers).tolist()
    stars = [i for i, share in enumerate(shares) if share >= LIMITS.guessed_star]
    doubted = [
        places[i].mean(0) for i, share in enumerate(shares) if LIMITS.doubted_star <= share < LIMITS.guessed_star
    ]
    out = [(free[i], 0, Detection(places[i], shares[i]), answers[i]) for i in stars]
    maybe = [i for i, share in enumerate(tile_shares(answers)) if share >= LIMITS.tile / 2 and i not in stars]
    refined = refine_corners(CORNER_REFINER, pyramid, places[maybe])
    probabilities = classifier.classify(pyramid, refined)
    for i, corners, p in zip(maybe, refined, probabilities, strict=True):
        if tile_share(p) >= LIMITS.guessed_tile and _is_at(corners, places[i]):
            out.append((free[i], 0, Detection(corners, tile_share(p)), p))
    return out, tuple(_maybe_a_star((float(x), float(y))) for x, y in doubted)


def _free_places(
    known: list[Placed],
    beyond: dict[Cell, NDArray[np.float32]],
    grid: Grid,
    stars: NDArray[np.float32],
    size: tuple[int, int],
) -> dict[Cell, NDArray[np.float32]]:
    """The picture's free cells around the start tile, or around each tile without one, and those of likely stars.

    Args:
        known: the pieces that have a cell.
        beyond: the faces (6, C) of the whole table's tiles, by cell, for a picture that is a piece of it.
        grid: their cells' places.
        stars: (N, 6, 2) outlines of what may be stars, surest first.
        size: width and height of the picture.

    Returns:
        The cells' outlines (6, 2), each centred on the surest star that lies there.
    """
    starred = {cell: s for s in stars[::-1] if (cell := grid.cell_of(s, LIMITS.off_star)) is not None}
    taken = {cell for cell, *_ in known}
    table = taken | beyond.keys()
    start = start_cell(beyond | {cell: p for cell, _, _, p in known})
    if start is None:
        wanted = {(q + x, r + y) for q, r in table for x, y in cells_within(LIMITS.radius)}
        wanted = {cell for cell in wanted if all(distance(cell, other) <= 2 * LIMITS.radius for other in table)}
    else:
        wanted = {(start[0] + q, start[1] + r) for q, r in cells_within(LIMITS.radius)}
    free = sorted((wanted | set(starred)) - taken)
    if not free:
        return {}
    outlines = grid.outlines(free)
    is_in_picture = _are_in_picture(outlines, size)
    in_picture = [(cell, outline) for cell, outline, is_in in zip(free, outlines, is_in_picture, strict=True) if is_in]
    return {cell: _centred(outline, starred.get(cell)) for cell, outline in in_picture}


def _centred(place: NDArray[np.float32], star: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """A cell's outline, centred on a star that was detected there."""
    return place if star is None else place + (star.mean(0) - place.mean(0))


def _are_in_picture(corners: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.bool_]:
    """For outlines (N, 6, 2) of cells whether a star anywhere on each would be in the picture, (N,)."""
    inner = LIMITS.star_room * corners + (1 - LIMITS.star_room) * corners.mean(1, keepdims=True)
    return np.asarray(((inner > -1) & (inner < np.array(size))).all((1, 2)))


def start_cell(faces: dict[Cell, NDArray[np.float32]]) -> Cell | None:
    """The cell of the most probable start tile among faces (6, C) by cell; None without one."""
    shares = {cell: float(p[:, TAIL].min()) for cell, p in faces.items() if is_start(p)}
    return max(shares, key=lambda cell: shares[cell], default=None)


def is_start(probabilities: NDArray[np.float32]) -> bool:
    """Whether probabilities (6, C) are those of the start tile, with six tails."""
    return float(probabilities[:, TAIL].min()) > 0.5


def _is_at(corners: NDArray[np.float32], place: NDArray[np.float32]) -> bool:
    """Whether an outline is near the place it was refined from."""
    side = float(np.linalg.norm(place[0] - place[1]))
    return float(np.linalg.norm(corners.mean(0) - place.mean(0))) < 0.3 * side
