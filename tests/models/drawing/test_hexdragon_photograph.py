"""Photographs of HexDragon tables: a seed is a picture, and the truth tells what is on it."""

from collections import Counter

import numpy as np
import pytest

from companion.games.hexdragon.deck import COLOURS, REFERENCE
from companion.games.hexdragon.rules.tiles import SUPPLY_SET, read
from companion.rules.hexgrid import distance
from models.drawing.hexdragon.layouts import Laying, Put, laid_table
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.photograph import Photograph

SIZE = (480, 360)


@pytest.fixture(scope="module")
def pictures() -> list[Photograph]:
    kinds = ("reference", "varied", "invented", "exact")
    return [hexdragon_photograph(np.random.default_rng(s), size=SIZE, printing=kinds[s % 4]) for s in range(4)]


def test_a_seed_is_a_picture(pictures: list[Photograph]) -> None:
    again = hexdragon_photograph(np.random.default_rng(1), size=SIZE, printing="varied")
    assert (again.bgr == pictures[1].bgr).all()
    assert again.truth == pictures[1].truth


def test_every_tile_of_the_truth_is_a_tile_of_the_game(pictures: list[Photograph]) -> None:
    for picture in pictures:
        for tile in picture.truth["tiles"]:
            if tile["kind"] == "start":
                assert tile["cell"] == [0, 0]
            else:
                assert read(tile).kind == tile["kind"]
            assert (tile["owner"] in COLOURS) == (tile["kind"] == "head")


def test_corners_run_clockwise_from_the_edge_that_looks_east() -> None:
    put = [Put(None, "red", (0, 0), np.zeros(2), 0.0), Put(None, "red", (1, 0), np.array([52.0, 0]), 0.0)]
    picture = hexdragon_photograph(np.random.default_rng(3), size=SIZE, table=(put, Laying(2, 1.0, False, 0, 0)))
    first, second = (np.array(star["corners"]) for star in picture.truth["stars"])
    assert (first[:2].mean(0) - first.mean(0)) == pytest.approx((second - first).mean(0) / 2, abs=3)
    x, y = first.T
    assert float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) > 0


def test_a_table_keeps_to_the_supply_and_to_the_board() -> None:
    for seed in range(20):
        put, laying = laid_table(np.random.default_rng(seed))
        tiles = [piece.tile for piece in put if piece.tile is not None]
        sets = 2 if laying.radius == 3 else 1
        bodies = Counter(tile.class_name for tile in tiles if tile.kind == "body")
        heads = Counter(piece.owner for piece in put if piece.tile is not None and piece.tile.kind == "head")
        assert all(bodies[name] <= sets * count for name, count in SUPPLY_SET.items())
        assert max(heads.values(), default=0) <= 3
        assert all(distance((0, 0), piece.cell) <= laying.radius for piece in put)
        assert len({piece.cell for piece in put}) == len(put)


def test_what_lies_over_a_line_is_told_of_its_edge() -> None:
    shares = []
    for seed in range(5):
        picture = hexdragon_photograph(np.random.default_rng(seed), size=(240, 180), tiles=9, hardness=3.0)
        shares += [share for tile in picture.truth["tiles"] for share in tile["hidden"]]
    assert min(shares) == 0.0
    assert max(shares) > 0.5


def test_drawings_differ_and_owners_stay_apart() -> None:
    seen = set()
    for seed in range(15):
        drawing = drawing_of("invented", np.random.default_rng(seed))
        inks = [np.array([int(ink[i : i + 2], 16) for i in (1, 3, 5)]) for ink in drawing.inks.values()]
        apart = [np.abs(a - b).sum() for k, a in enumerate(inks) for b in inks[:k]]
        assert min(apart) > 40
        seen.add((drawing.band, drawing.face, drawing.head_sides))
    assert len(seen) == 15
    assert drawing_of("exact", np.random.default_rng(0)) == REFERENCE


def test_counters_lie_where_no_piece_lies() -> None:
    counted = 0
    for seed in range(12):
        picture = hexdragon_photograph(np.random.default_rng(seed), size=(240, 180), tiles=4, across_px=20)
        pieces = [np.mean(p["corners"], axis=0) for p in picture.truth["tiles"] + picture.truth["stars"]]
        for decoy in picture.truth["decoys"]:
            counted += 1
            assert min(np.linalg.norm(np.mean(decoy, axis=0) - piece) for piece in pieces) > 10
    assert counted
