"""Cards of another game, or of none, are not stated as this one's; a single card of the game's own still is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.detection import verification
from companion.vision.detection.verification import (
    EdgeLimits,
    Find,
    TableLimits,
    count_unfound,
    describe,
    have_edges,
    other_shape,
    which_stay,
)
from companion.vision.edge_refinement import Refined
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.photograph import comet_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexel.photograph import photograph

SCENES = Path(__file__).resolve().parents[1] / "scenes"
TURNS = np.radians(np.arange(6) * 60.0)
HEXAGON = np.stack([np.cos(TURNS), np.sin(TURNS)], 1)


def read(game: str, picture: np.ndarray) -> Any:
    reader = GAMES[game].recognizer()
    return reader.read(picture, reader.classifier(None, None))


def hexagons(*middles: tuple[int, int]) -> tuple[Pyramid, list[np.ndarray]]:
    """A dull table with a pale tile of circumradius 50 around each of some places, and the tiles' outlines."""
    grain = np.random.default_rng(1).normal(0, 4, (480, 640, 3))
    picture = np.asarray(np.clip(grain + np.array([52, 70, 60]), 0, 255), np.uint8)
    outlines = [(HEXAGON * 50 + middle).astype(np.float32) for middle in middles]
    for outline in outlines:
        cv2.fillConvexPoly(picture, np.round(outline * 16).astype(np.int32), (225, 235, 238), cv2.LINE_AA, 4)
    return Pyramid.of(picture), outlines


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("hexel", "ten-hearts"),
        ("hexel", "board-of-tiles"),
        ("comet", "rows-of-three-tiles"),
        ("hexapod", "set-cards"),
        ("hexapod", "comet-pairs"),
        ("hexdragon", "court-card"),
        ("hexdragon", "single-symbol-cards"),
    ],
)
def test_cards_of_another_game_are_not_stated_and_it_is_said_what_they_look_like(game: str, name: str) -> None:
    picture = cv2.imread(str(SCENES / f"{name}.jpg"))
    assert picture is not None
    reading = read(game, picture)
    assert (*reading.cards, *reading.loose) == ()
    assert [w.code for w in reading.warnings] == ["nothing-found", "other-game"]
    shape = "hexagonal" if name in ("single-symbol-cards", "board-of-tiles") else "rectangular"
    assert shape in reading.warnings[1].message


@pytest.mark.parametrize(
    ("game", "picture"),
    [
        ("hexel", lambda rng: photograph(rng, size=(1280, 720), cards=1, hardness=0.0).bgr),
        ("hexdragon", lambda rng: hexdragon_photograph(rng, size=(1280, 720), tiles=1, hardness=0.0).bgr),
        ("comet", lambda rng: comet_photograph(rng, size=(1280, 720), count=1, hardness=0.0).bgr),
    ],
)
def test_a_single_card_of_the_game_is_stated(game: str, picture: Any) -> None:
    reading = read(game, picture(np.random.default_rng(3)))
    assert any(set(card.edges) - {None, "back"} for card in (*reading.cards, *reading.loose))
    assert "other-game" not in {w.code for w in reading.warnings}


def test_an_outline_without_edges_is_told_from_a_tile() -> None:
    pyramid, tiles = hexagons((200, 200))
    outlines = [*tiles, (HEXAGON * 50 + (450, 300)).astype(np.float32)]
    assert have_edges(pyramid, outlines, [0, 1], EdgeLimits()).tolist() == [True, False]


def test_sides_that_the_rim_of_the_picture_cuts_need_show_no_edge() -> None:
    pyramid, outlines = hexagons((320, 240), (20, 240), (620, 440))
    assert have_edges(pyramid, outlines, [0, 1, 2], EdgeLimits()).all()
    without_tile = outlines[1] + np.array([0.0, 150.0], np.float32)
    beyond = (HEXAGON * 900 + (320, 240)).astype(np.float32)
    for no_card in (without_tile, beyond):
        assert not have_edges(pyramid, [no_card], [0], EdgeLimits()).any()


def test_tiles_that_no_find_covers_are_counted() -> None:
    pyramid, tiles = hexagons((120, 120), (320, 120), (520, 120), (220, 320), (420, 320))
    assert count_unfound(pyramid, tiles[:1]) >= 3 and count_unfound(pyramid, tiles) == 0


def test_of_a_mixed_table_what_has_no_edges_is_left_out() -> None:
    pyramid, tiles = hexagons((120, 120), (320, 120))
    finds = [Find(tile, 0.9, is_named=True, is_sure=False) for tile in tiles]
    ghost = Find((HEXAGON * 50 + (480, 340)).astype(np.float32), 0.5, is_named=True, is_sure=False)
    assert which_stay(pyramid, [*finds, ghost], TableLimits(EdgeLimits())).tolist() == [True, True, False]


def test_a_table_read_surely_is_not_looked_at_again() -> None:
    pyramid, _ = hexagons()
    finds = [
        Find((HEXAGON * 50 + (x, 200)).astype(np.float32), 0.9, is_named=True, is_sure=True) for x in (100, 250, 400)
    ]
    assert which_stay(pyramid, finds, TableLimits(EdgeLimits())).all()


def test_a_faint_find_not_named_whole_between_tiles_of_a_clear_table_needs_edges_where_no_tile_lies() -> None:
    around = [(round(320 + 88 * np.cos(turn)), round(240 + 88 * np.sin(turn))) for turn in np.radians([30, 90, 150])]
    pyramid, tiles = hexagons(*around)
    sure = [Find(tile, 0.9, is_named=True, is_sure=True) for tile in tiles]
    between = Find((HEXAGON * 50 + (320, 240)).astype(np.float32), 0.44, is_named=True, is_sure=False, is_whole=False)
    limits = TableLimits(EdgeLimits(), doubted_presence=0.45)
    assert which_stay(pyramid, [*sure, between], limits).tolist() == [True, True, True, False]
    assert which_stay(pyramid, [*sure, replace(between, is_whole=True)], limits).all()
    laid, outlines = hexagons(*around, (320, 240))
    there = [*sure, replace(between, corners=outlines[3])]
    assert which_stay(laid, there, limits).all()


def test_a_cloth_of_hexagons_does_not_hide_the_cards_that_lie_on_it() -> None:
    """Eleven cards of a taught printing were told as none, for so many more of a cloth's hexagons show edges."""
    cards, cloth = [(120, 120), (320, 120), (520, 120)], [(120, 320), (320, 320), (520, 320), (220, 220)]
    pyramid, tiles = hexagons(*cards, *cloth)
    sure = [Find(tile, 0.95, is_named=True, is_sure=True) for tile in tiles[:3]]
    faint = [Find(tile, 0.44, is_named=False, is_sure=False, is_whole=False) for tile in tiles[3:]]
    limits = TableLimits(EdgeLimits(), doubted_presence=0.45, count_below_share=0.5)
    assert which_stay(pyramid, [*sure, *faint], limits).tolist() == [True] * 3 + [False] * 4
    assert which_stay(pyramid, [*sure, *faint[:3]], limits).all()
    surer = [replace(one, presence=0.5) for one in faint]
    assert which_stay(pyramid, [*sure, *surer], limits).all()


def test_an_empty_table_is_described_as_such() -> None:
    assert describe(hexagons()[0]) == "no card's outline shows"


def test_cards_of_another_number_of_sides_are_told() -> None:
    tiles = hexagons((200, 150), (420, 330))[0]
    assert [warning.code for warning in other_shape(tiles, 4)] == ["other-game"]
    assert other_shape(tiles, 6) == other_shape(hexagons()[0], 4) == ()


def test_a_small_card_is_as_oblong_as_in_the_plane_of_a_case_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A square card beside a case was 1.7 times as long as wide by its own perspective, of 80 pixels."""
    case = np.array([[804, 316], [581, 480], [464, 267], [644, 113]], np.float32)
    card = np.array([[700.7, 574.3], [614.6, 633.0], [559.7, 541.5], [638.7, 469.6]], np.float32)
    oblong = np.array([[700.7, 574.3], [614.6, 633.0], [519.7, 481.5], [598.7, 409.6]], np.float32)
    ends = np.ones(4)
    seen = [Refined(one.astype(float), ends, 0.0) for one in (card, oblong)]
    monkeypatch.setattr(verification, "refine", lambda pyramid, outlines: seen[-len(outlines) :])
    pyramid = Pyramid.of(np.zeros((720, 1280, 3), np.uint8))
    limits = EdgeLimits(max_proportion=1.2)
    assert have_edges(pyramid, [case, card, oblong], [1, 2], limits).tolist() == [True, False]
    assert have_edges(pyramid, [card, oblong], [0, 1], limits).tolist() == [False, False]
