"""The HexDragon pieces as they are printed: supply sets, heads, and drawings that join the edges they say."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from companion.games.hexdragon.deck import (
    APOTHEM_MM,
    BODY_SET,
    COLOURS,
    HEADS,
    REFERENCE,
    SIDE_MM,
    board_outline,
    cell_centre,
    face_shapes,
    star_shapes,
)
from companion.games.hexdragon.rules.tiles import START, SUPPLY_SET, Tile, bodies
from companion.printing.raster import bgra, raster
from companion.printing.shapes import Box, bounds, polar
from companion.rules.hexgrid import cells_within

BOX = Box(-31, -31, 31, 31)


def band_at(tile: Tile, edge: int, share: float, owner: str | None = None) -> bool:
    """Whether the drawing shows the band's green at a place on the way to an edge."""
    x, y = polar(share * APOTHEM_MM, -60.0 * edge)
    pixel = raster(face_shapes(tile, owner, replace(REFERENCE, edging_mm=0)), 4, BOX)[
        round((y + 31) * 4), round((x + 31) * 4)
    ]
    return bool(np.abs(pixel[:3].astype(int) - bgra(REFERENCE.band)[:3]).max() < 25)


def test_a_set_holds_twenty_bodies_in_the_classes_of_the_rules() -> None:
    assert Counter(tile.class_name for tile in BODY_SET) == SUPPLY_SET


def test_a_colour_has_fifteen_heads_none_of_which_turns_into_another() -> None:
    assert len({tile.shape for tile in HEADS}) == 15


@pytest.mark.parametrize("tile", [*bodies(), START, *HEADS], ids=str)
def test_a_band_or_tail_or_neck_comes_to_every_edge(tile: Tile) -> None:
    assert all(band_at(tile, edge, 0.94, "red") for edge in range(6))


def test_a_straight_band_runs_through_the_middle_and_a_short_one_does_not() -> None:
    middle = polar(0.0, 0.0)
    straight, short = Tile("body", ((0, 3), (1, 2), (4, 5))), Tile("body", ((0, 1), (2, 3), (4, 5)))
    assert middle == (0.0, 0.0)
    assert band_at(straight, 0, 0.0)
    assert not band_at(short, 0, 0.0)


def test_a_head_shows_its_owners_colour_in_the_head_and_around_the_tile() -> None:
    for owner in COLOURS:
        picture = raster(face_shapes(HEADS[0], owner), 4, BOX)
        x, _ = polar(0.3 * APOTHEM_MM, 0.0)
        rim = polar(APOTHEM_MM - 1.4, 60.0)
        for px, py in ((x, 0.0), rim):
            seen = picture[round((py + 31) * 4), round((px + 31) * 4), :3].astype(int)
            assert np.abs(seen - bgra(REFERENCE.inks[owner])[:3]).max() < 25


def test_nothing_is_drawn_over_the_tiles_edge() -> None:
    for tile in (*bodies(), START):
        box = bounds(face_shapes(tile))
        assert max(-box.left_mm, box.right_mm) < APOTHEM_MM + 0.6
        assert max(-box.top_mm, box.bottom_mm) < SIDE_MM + 0.6


def test_a_star_is_26_mm_across_on_a_disc_of_32() -> None:
    disc, star = star_shapes("blue")
    assert bounds((disc,)).width_mm == 32
    assert max(abs(complex(*point)) for point in star.points) == pytest.approx(13)  # type: ignore[union-attr]


@pytest.mark.parametrize("radius", [2, 3])
def test_a_board_holds_all_its_cells(radius: int) -> None:
    apothem = max(y for _, y in board_outline(radius))
    reach = max(abs(cell_centre(q, r)[1]) + SIDE_MM for q, r in cells_within(radius))
    assert reach < apothem
    assert max(abs(cell_centre(q, r)[0]) + APOTHEM_MM for q, r in cells_within(radius)) < max(
        x for x, _ in board_outline(radius)
    )
