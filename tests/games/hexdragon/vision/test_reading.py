"""Reading HexDragon tables: drawn photographs, the shared samples, and a table that changes before the camera."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.games.hexdragon.deck import (
    BODY_SET,
    HEADS,
    OWNER_INKS,
    REFERENCE,
    Drawing,
    board_shapes,
    cell_centre,
    face_shapes,
    star_shapes,
)
from companion.games.hexdragon.rules.tiles import START, Tile, parse
from companion.games.hexdragon.vision import recognizer
from companion.games.hexdragon.vision.classifier import NAMES, PretrainedTiles
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import PLACES, FewShotTiles, InkProfile
from companion.games.hexdragon.vision.recognizer import read_hexdragon, read_unknown
from companion.games.hexdragon.vision.results import DetectedTile, TileReading, unread
from companion.printing.raster import raster
from companion.printing.shapes import Box, Shape
from companion.rules.hexgrid import Cell
from companion.simulator.optics import placed
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import DetectedCard, ReadingWarning, aligned, is_near
from companion.vision.tracking.regions import Unchanged
from companion.vision.tracking.tracks import SettleTimes
from models.drawing.canvas import Canvas
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.pinhole import Stance

SCENES = Path(__file__).resolve().parents[5] / "shared" / "scenes" / "hexdragon"
TILE_BOX, BOARD_BOX = Box(-31, -31, 31, 31), Box(-190, -190, 190, 190)
Piece = tuple[Cell, Tile | None, str | None, float]
"""A cell, the tile there (None for a star), its owner, how far it is turned."""

TABLE: list[Piece] = [
    ((0, 0), START, None, 0),
    ((1, 0), parse("03-12-45"), None, 2),
    ((0, 1), parse("h4t5-03-12"), "red", -2),
    ((-1, 1), parse("h0t3-12-45"), "blue", 1),
    ((0, -1), parse("02-14-35"), None, -1),
    ((1, -2), parse("h2t1-03-45"), "purple", 0),
    ((-2, 0), None, "yellow", 20),
]


def picture(
    pieces: list[Piece], board: bool = True, size: tuple[int, int] = (960, 720), drawing: Drawing = REFERENCE
) -> np.ndarray:
    """A calm picture of a table, a little tilted; the same pieces are the same pixels."""
    stance = Stance(size, np.zeros(2), 14.0, 20.0, 55.0)
    canvas = Canvas(stance.aimed(112, np.array(size) / 2), np.full((size[1], size[0], 3), (70, 92, 60), np.uint8))
    if board:
        put(canvas, board_shapes(2), BOARD_BOX, (0, 0), 0)
    for (q, r), tile, owner, turn in pieces:
        shapes = star_shapes(owner or "red") if tile is None else face_shapes(tile, owner, drawing)
        x, y = cell_centre(q, r)
        put(canvas, shapes, TILE_BOX, (x * 1.005 + turn * 0.2, y * 1.005), turn)
    return np.clip(canvas.albedo ** (1 / 2.2) * 235, 0, 255).astype(np.uint8)


def put(canvas: Canvas, shapes: tuple[Shape, ...], box: Box, at: tuple[float, float], turn: float) -> None:
    drawn = raster(shapes, 2.2, box)
    mm = box.width_mm / drawn.shape[1]
    own = np.array([[mm, 0, box.left_mm + mm / 2], [0, mm, box.top_mm + mm / 2], [0, 0, 1]])
    canvas.put(drawn, canvas.camera.image_from_table @ placed(at, turn) @ own)


@lru_cache(maxsize=1)
def told_of_the_table() -> dict[str, Any]:
    return read_hexdragon(picture(TABLE)).as_json()


def test_a_calm_table_is_read_whole_with_the_start_tile_at_the_origin() -> None:
    told = told_of_the_table()
    by_kind = {kind: sum(t["kind"] == kind for t in told["tiles"]) for kind in ("start", "body", "head")}
    assert by_kind == {"start": 1, "body": 2, "head": 3}
    assert next(t["cell"] for t in told["tiles"] if t["kind"] == "start") == [0, 0]
    assert sorted(t["owner"] for t in told["tiles"] if t["owner"]) == ["blue", "purple", "red"]
    assert told["warnings"] == []


def test_faces_and_cells_are_those_that_lie_there_up_to_one_turn() -> None:
    from_truth = {}
    for turns in range(6):
        from_truth[turns] = {
            (turned_cell(cell, turns), as_told(tile, turns)) for cell, tile, _, _ in TABLE if tile is not None
        }
    told = {(tuple(t["cell"]), written(t)) for t in told_of_the_table()["tiles"]}
    assert told in list(from_truth.values())


def turned_cell(cell: Cell, turns: int) -> Cell:
    q, r = cell
    for _ in range(turns):
        q, r = q + r, -q
    return q, r


def as_told(tile: Tile, turns: int) -> str:
    turned = tile.turned(turns)
    return written({"head": turned.head, "tails": turned.tails, "paths": turned.paths})


def written(tile: dict[str, Any]) -> str:
    return f"{tile['head']} {sorted(tile['tails'])} {sorted(sorted(path) for path in tile['paths'])}"


def test_a_star_on_a_free_cell_is_a_star() -> None:
    stars = told_of_the_table()["stars"]
    assert [star["owner"] for star in stars] == ["yellow"]
    assert stars[0]["cell"] != [0, 0]


def test_a_star_is_told_though_the_pictures_rim_cuts_its_cell() -> None:
    corners = np.array(told_of_the_table()["stars"][0]["corners"])
    side = float(np.linalg.norm(corners[0] - corners[1]))
    cut = max(0, round(float(corners[:, 0].min() + 0.22 * side)))
    told = read_hexdragon(np.ascontiguousarray(picture(TABLE)[:, cut:])).as_json()
    assert [star["owner"] for star in told["stars"]] == ["yellow"]
    assert np.array(told["stars"][0]["corners"])[:, 0].min() < 0


def test_a_star_two_cells_from_all_tiles_is_told_though_the_start_tile_is_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the detector missed it only the cells that touch a tile were searched without the start tile."""
    place = np.mean(told_of_the_table()["stars"][0]["corners"], axis=0)
    detect = recognizer.DETECTOR.detect

    def without_star(*given: Any) -> list[Detection]:
        return [one for one in detect(*given) if np.linalg.norm(one.corners.mean(0) - place) > 50]

    monkeypatch.setattr(recognizer, "DETECTOR", SimpleNamespace(detect=without_star))
    told = read_hexdragon(picture([piece for piece in TABLE if piece[1] is not START])).as_json()
    assert [star["owner"] for star in told["stars"]] == ["yellow"]
    assert "no-start-tile" in {warning["code"] for warning in told["warnings"]}


def test_stars_are_told_only_beside_a_tile_that_is_read() -> None:
    """Rings of a cloth below another game's cards were told as two blue stars."""
    pyramid, classifier = Pyramid.of(picture(TABLE)), PretrainedTiles()
    reading = read_hexdragon(picture(TABLE))
    (star,) = (card for card in reading.cards if isinstance(card, DetectedTile) and card.is_star)
    tile = next(card for card in reading.cards if isinstance(card, DetectedTile) and not card.is_star)
    too_many = ReadingWarning("too-many", "star yellow is seen 2 times", star.centre)

    def verified(*cards: DetectedTile) -> TileReading:
        return recognizer._verified(pyramid, replace(reading, cards=cards, warnings=(too_many,)), classifier)

    assert verified(star, tile).cards == (star, tile)
    beside_unread = verified(star, unread(tile))
    assert [card.is_star for card in beside_unread.cards if isinstance(card, DetectedTile)] == [False]
    assert [(warning.code, warning.at) for warning in beside_unread.warnings] == [("unsure", star.centre)]
    assert verified(star).cards == ()
    assert "other-game" in {warning.code for warning in verified(star).warnings}


def test_printed_cells_are_no_tiles() -> None:
    reading = read_hexdragon(picture([]))
    assert [warning.code for warning in reading.warnings] == ["nothing-found"]


def test_without_a_board_tiles_are_read_as_well() -> None:
    told = read_hexdragon(picture(TABLE, board=False)).as_json()
    assert len(told["tiles"]) == 6
    assert len(told["stars"]) == 1


def test_a_covered_tile_is_open_and_its_neighbours_are_right() -> None:
    bgr = picture(TABLE)
    whole = read_hexdragon(bgr).as_json()["tiles"]
    hidden = next(t for t in whole if t["owner"] == "red")
    quad = np.array(hidden["corners"])
    cv2.fillPoly(bgr, [np.round(quad[[0, 1, 2, 3]] + (quad[[1]] - quad[[0]]) * 0.1).astype(np.int32)], (90, 120, 180))
    told = read_hexdragon(bgr).as_json()
    others = {(tuple(t["cell"]), written(t)) for t in whole if t is not hidden}
    there = {(tuple(t["cell"]), written(t)) for t in told["tiles"] if t["tails"] is not None and None not in t["paths"]}
    assert others <= there
    assert (tuple(hidden["cell"]), written(hidden)) in there or any(w["code"] == "unsure" for w in told["warnings"])


def test_a_bare_table_holds_nothing() -> None:
    reading = read_hexdragon(np.full((480, 640, 3), 90, np.uint8))
    assert reading.as_json()["tiles"] == []
    assert [warning.code for warning in reading.warnings] == ["nothing-found"]


def test_a_set_in_other_colours_is_learnt_from_one_photograph() -> None:
    rng = np.random.default_rng(31)
    drawing = face_swapped()
    taught = hexdragon_photograph(rng, printing=drawing, tiles=12, hardness=0.0)
    profile = learn_hexdragon("hexdragon", [("a.png", taught.bgr)], [{"tiles": taught.truth["tiles"]}])
    classifier = FewShotTiles(profile)
    other = hexdragon_photograph(rng, printing=drawing, tiles=10, hardness=0.0)
    told = read_hexdragon(other.bgr, classifier).as_json()["tiles"]
    owners = {t["owner"] for t in other.truth["tiles"] if t["owner"]} & set(profile.owners)
    assert owners
    for tile in other.truth["tiles"]:
        if tile["owner"] in profile.owners:
            near = min(told, key=lambda t: float(np.abs(np.mean(t["corners"], 0) - np.mean(tile["corners"], 0)).sum()))
            assert near["owner"] == tile["owner"]


def face_swapped() -> Drawing:
    """The reference drawing with every owner's ink given to another."""
    inks = dict(zip(OWNER_INKS, [*list(OWNER_INKS.values())[1:], OWNER_INKS["red"]], strict=True))
    return replace(REFERENCE, inks=inks)


def frames(stages: list[list[Piece]], each: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(2)
    for pieces in stages:
        calm = picture(pieces, size=(800, 600)).astype(np.int16)
        for _ in range(each):
            yield np.clip(calm + rng.integers(-2, 3, calm.shape, dtype=np.int16), 0, 255).astype(np.uint8)


def test_what_is_laid_while_watching_is_told_once() -> None:
    settler = GAMES["hexdragon"].recognizer().tracker(None, SettleTimes())
    new: Piece = ((1, -1), BODY_SET[0], None, 1)
    star: Piece = ((2, 0), None, "red", 0)
    told = [one for frame in frames([TABLE, [*TABLE, new], [*TABLE, new, star]], 14) for one in settler.step(frame)]
    assert [(one["event"], one.get("kind")) for one in told] == [
        ("table", None),
        ("placed", "body"),
        ("placed", "star"),
    ]
    assert len(told[0]["tiles"]) == 6
    by_head = {t["owner"]: t["cell"] for t in told[0]["tiles"]}
    turns = next(k for k in range(6) if list(turned_cell((0, 1), k)) == by_head["red"])
    assert told[1]["cell"] == list(turned_cell((1, -1), turns))
    assert told[2]["cell"] == list(turned_cell((2, 0), turns))
    assert told[2]["owner"] == "red"


def test_a_star_laid_far_from_the_few_tiles_is_told_with_its_owner() -> None:
    settler, few = GAMES["hexdragon"].recognizer().tracker(None, SettleTimes()), TABLE[:3]
    star: Piece = ((-3, 2), None, "purple", 0)
    told = [one for frame in frames([few, [*few, star], few], 14) for one in settler.step(frame)]
    assert [(one["event"], one.get("kind")) for one in told] == [
        ("table", None),
        ("placed", "star"),
        ("removed", "star"),
    ]
    assert told[1]["owner"] == "purple" and told[1]["cell"] is not None


@pytest.mark.skipif(not SCENES.is_dir(), reason="the shared sample photographs are not beside this checkout")
def test_the_first_shared_photograph_is_read_whole() -> None:
    truth = json.loads((SCENES / "truth.jsonl").read_text().splitlines()[0])
    bgr = cv2.imread(str(SCENES / truth["image"]))
    assert bgr is not None
    told = read_hexdragon(bgr).as_json()
    assert sorted(t["kind"] for t in told["tiles"]) == sorted(t["kind"] for t in truth["tiles"])
    assert sorted(str(t["owner"]) for t in told["tiles"]) == sorted(str(t["owner"]) for t in truth["tiles"])


def test_every_head_is_read_in_every_colour() -> None:
    cells = [(q, r) for q in range(-2, 3) for r in range(-2, 3) if abs(q + r) <= 2 and (q, r) != (0, 0)]
    pieces: list[Piece] = [((0, 0), START, None, 0)]
    pieces += [(cell, HEADS[k % 15], ("red", "blue", "yellow", "purple")[k % 4], 0) for k, cell in enumerate(cells)]
    told = read_hexdragon(picture(pieces)).as_json()["tiles"]
    assert sum(t["kind"] == "head" and t["owner"] is not None for t in told) >= len(cells) - 1


def beside(bgr: np.ndarray, known: list[DetectedCard], changed: bool = True) -> TileReading:
    """What else is read on a picture of which some pieces are known, as wide as they are."""
    return read_unknown(bgr, None, known[0].side * 3**0.5, Unchanged(known, is_at=lambda outline: not changed))


def test_beside_known_pieces_only_the_new_one_is_read_as_in_the_whole_picture() -> None:
    bgr = picture(TABLE)
    whole = read_hexdragon(bgr).cards
    assert len(whole) == len(TABLE)
    for new in whole:
        (told,) = beside(bgr, [card for card in whole if card is not new]).cards
        assert is_near(told, new, 0.1)
        assert told.cell == new.cell or new.cell == (0, 0), "without the start tile cells are counted from another"
        assert aligned(told, new).edges == aligned(new, new).edges


def test_a_tile_that_glare_hides_is_doubted_and_not_left_out() -> None:
    bgr = picture(TABLE)
    tile = next(card for card in read_hexdragon(bgr).cards if card.cell == (1, 0))
    glare = np.zeros_like(bgr)
    cv2.fillConvexPoly(glare, tile.corners.round().astype(np.int32), (1, 1, 1))
    hidden = np.where(glare, bgr + 0.93 * (np.array([225, 232, 236]) - bgr), bgr).astype(np.uint8)
    told = read_hexdragon(hidden)
    (seen,) = (card for card in told.cards if card.cell == (1, 0))
    assert seen.as_json()["kind"] is None and seen.edges == (None,) * 6
    assert [warning.code for warning in told.warnings] == ["unsure"]


def test_a_star_is_looked_for_on_all_cells_around_the_start_tile_though_a_piece_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A detector that knows no star's disc, and a piece in which one far tile is known."""
    bgr = picture(
        [*TABLE, ((1, -1), BODY_SET[0], None, 1), ((-1, 0), BODY_SET[3], None, 0), ((0, -2), HEADS[4], "blue", 0)]
    )
    whole = read_hexdragon(bgr).cards
    (star,) = (card for card in whole if isinstance(card, DetectedTile) and card.is_star)
    tiles = [card for card in whole if card is not star]
    far = [card for card in tiles if card.cell == (1, 0)]
    monkeypatch.setattr(recognizer, "DETECTOR", SimpleNamespace(detect=lambda *_: []))

    def is_free(outline: np.ndarray) -> bool:
        return float(np.linalg.norm(outline.mean(0) - star.corners.mean(0))) > star.side / 2

    unchanged = Unchanged(far, everywhere=tiles, is_at=is_free)
    (told,) = read_unknown(bgr, None, far[0].side * 3**0.5, unchanged).cards
    assert told.cell == star.cell and told.edges[0] == "star:yellow"


def test_where_nothing_changed_no_star_is_looked_for() -> None:
    bgr = picture([*TABLE, ((1, 1), None, "purple", 0)])
    known = [card for card in read_hexdragon(bgr).cards if not (isinstance(card, DetectedTile) and card.is_star)]
    assert len(beside(bgr, known).cards) == 2
    assert beside(bgr, known, changed=False).cards == ()


def test_a_stars_disc_is_no_tile_beside_known_tiles_that_are_larger() -> None:
    bgr = cv2.imread(str(Path(__file__).resolve().parents[3] / "scenes" / "star-on-its-cell.png"))
    assert bgr is not None
    corners = {
        (0, -1): [[646, 264], [643, 312], [600, 333], [561, 307], [564, 259], [606, 238]],
        (0, 0): [[683, 339], [680, 387], [638, 408], [598, 382], [601, 335], [644, 313]],
        (-1, 0): [[599, 333], [596, 381], [553, 402], [513, 375], [516, 327], [559, 306]],
    }
    around = [
        DetectedCard(cell, (None,) * 6, np.array(c, np.float32), 0.9, 0.9, np.zeros((6, 10), np.float32))
        for cell, c in corners.items()
    ]
    unchanged = Unchanged(everywhere=around, at=(630, 190), picture=np.zeros((720, 1280, 3), np.uint8))
    assert all(
        card.edges[0] == "star:blue" for card in read_unknown(bgr, None, around[0].side * 3**0.5, unchanged).cards
    )


def test_known_tiles_tell_the_light_that_a_first_look_at_them_would_tell() -> None:
    bgr = picture(TABLE)
    corners = np.stack([card.corners for card in read_hexdragon(bgr).cards])
    for classifier in (PretrainedTiles(), FewShotTiles(dark_faced())):
        said, first = classifier.classify_first(Pyramid.of(bgr), corners)
        again = classifier.in_light_of(Pyramid.of(bgr), corners, said).classify_first(Pyramid.of(bgr), corners[:0])[1]
        assert np.allclose(again.cast, first.cast)
        if isinstance(first, FewShotTiles) and isinstance(again, FewShotTiles):
            assert first.lights is not None and again.lights is not None
            assert np.abs(again.lights - first.lights).max() < 0.02


def test_one_known_head_and_what_lies_beside_it_tell_the_light_together() -> None:
    """On dark faces a head is the brightest that a tile shows: that it is violet does not make the lamp violet."""
    corners = np.stack([card.corners for card in read_hexdragon(picture(TABLE)).cards if card.cell != (-2, 0)])
    dark = replace(REFERENCE, face="#303030", band="#20A080", line="#20A080", edging_mm=7.0)
    bgr = picture(TABLE, drawing=dark)
    said, first = FewShotTiles(dark_faced()).classify_first(Pyramid.of(bgr), corners)
    one = [int(said[:, :, NAMES.index("head:purple")].sum(1).argmax())]
    alone = FewShotTiles(dark_faced()).in_light_of(Pyramid.of(bgr), corners[one], said[one])
    together = alone.classify_first(Pyramid.of(bgr), np.delete(corners, one, axis=0))[1]
    assert together.cast is not None and alone.cast is not None and first.cast is not None
    assert np.abs(alone.cast - first.cast).max() > 0.1
    assert np.allclose(together.cast, first.cast, atol=0.02)


def dark_faced() -> InkProfile:
    inks = np.array([[0.2, 0.3, 0.9], [0.9, 0.4, 0.2], [0.2, 0.8, 0.9], [0.7, 0.3, 0.8]], np.float32)
    names, common = ("red", "blue", "yellow", "purple"), np.array([[0.4, 0.8, 0.8], [0.7, 0.4, 0.2]], np.float32)
    return InkProfile("hexdragon", names, inks, inks, PLACES[:9].astype(np.float32), common)
