"""Which cell of one hex grid each tile fills, whatever the camera's place and however the tiles lie off their cells."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.hexdragon.vision.lattice import find_grid, known_grid
from companion.rules.hexgrid import Cell, cells_within, rotated
from companion.vision.geometry import HEXAGON

SOME: list[Cell] = [(0, 0), (1, 0), (0, 1), (-1, 1), (2, -1), (-2, 0), (0, -2), (3, -3)]


def seen(
    cells: list[Cell], tilt_deg: float = 0, yaw_deg: float = 0, pitch: float = 1.03, off: float = 0.0
) -> np.ndarray:
    """Outlines (N, 6, 2) of tiles in cells, as a camera sees them, moved and turned a little by fixed chance."""
    rng = np.random.default_rng(4)
    outlines = []
    for q, r in cells:
        at = np.array([np.sqrt(3) * (q + r / 2), 1.5 * r]) * pitch + rng.uniform(-off, off, 2)
        a = np.radians(rng.uniform(-40, 40) * off)
        outlines.append(HEXAGON.unit @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + at)
    yaw, tilt = np.radians(yaw_deg), np.radians(tilt_deg)
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    flat = np.array(outlines) @ turn.T
    depth = 14 + flat[..., 1] * np.sin(tilt)
    return np.stack([640 + 800 * flat[..., 0] / depth, 360 + 800 * flat[..., 1] * np.cos(tilt) / depth], -1)


def same_naming(found: tuple[Cell | None, ...], wanted: list[Cell]) -> bool:
    """The cells are the wanted ones up to one turn and one shift."""
    for turns in range(6):
        moved = [rotated(cell, turns) if cell is not None else (99, 99) for cell in found]
        shifts = {(w[0] - m[0], w[1] - m[1]) for w, m in zip(wanted, moved, strict=True)}
        if len(shifts) == 1:
            return True
    return False


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 40), st.floats(0, 360), st.floats(1.0, 1.07), st.floats(0, 0.08))
def test_cells_are_found_under_tilt_turn_gaps_and_careless_hands(
    tilt: float, yaw: float, pitch: float, off: float
) -> None:
    corners = seen(SOME, tilt, yaw, pitch, off)
    assert same_naming(find_grid(corners, np.ones(len(corners))).cells, SOME)


@pytest.mark.parametrize(("share", "wanted"), [(0.82, 0.99), (1.0, 1.0)], ids=["printed rims", "edges"])
def test_where_printed_rims_are_outlined_the_grid_tells_how_large_tiles_are(share: float, wanted: float) -> None:
    corners = seen(SOME)
    middles = corners.mean(1, keepdims=True)
    grid = find_grid(middles + share * (corners - middles), np.ones(len(SOME)))
    sides = [np.linalg.norm(outline[0] - outline[1]) for outline in grid.outlines(SOME)]
    assert np.allclose(sides, wanted * np.linalg.norm(corners[0, 0] - corners[0, 1]), rtol=0.02)


def test_a_tile_far_from_all_others_has_its_cell_too() -> None:
    cells: list[Cell] = [(0, 0), (1, 0), (0, 1), (-3, 0)]
    assert same_naming(find_grid(seen(cells, 15, 70, off=0.03), np.ones(4)).cells, cells)


def test_a_mirrored_table_is_not_the_same_table() -> None:
    corners = seen(SOME)
    assert same_naming(find_grid(corners, np.ones(8)).cells, SOME)
    mirrored = (corners * [-1, 1] + [1280, 0])[:, ::-1]
    assert not same_naming(find_grid(mirrored, np.ones(8)).cells, SOME)


def test_a_tile_between_cells_or_turned_away_has_none() -> None:
    corners = seen([*SOME, (1, -2)])
    corners[-1] += corners[0].mean(0) - corners[1].mean(0) + 0.5 * (corners[2].mean(0) - corners[0].mean(0))
    assert find_grid(corners, np.ones(9)).cells[-1] is None
    corners = seen([*SOME, (1, -3)])
    middle = corners[-1].mean(0)
    turn = cv2.getRotationMatrix2D((0, 0), 28, 1)[:, :2]
    corners[-1] = (corners[-1] - middle) @ turn.T + middle
    assert find_grid(corners, np.ones(9)).cells[-1] is None


def test_of_two_outlines_in_one_cell_the_surer_gets_it() -> None:
    corners = seen([*SOME, SOME[3]])
    corners[3] += 2.0
    confidence = np.array([0.9, 0.9, 0.9, 0.3, 0.9, 0.9, 0.9, 0.9, 0.8])
    cells = find_grid(corners, confidence).cells
    assert cells[3] is None
    assert cells[8] is not None


def test_east_is_the_edge_that_looks_in_direction_0() -> None:
    cells: list[Cell] = [(0, 0), (1, 0), (0, 1)]
    corners = seen(cells, 10, 200)
    for start in range(6):
        grid = find_grid(np.roll(corners, -start, axis=1), np.ones(3))
        own = np.roll(corners[0], -start, axis=0)
        middle = (own[grid.east[0]] + own[(grid.east[0] + 1) % 6]) / 2 - own.mean(0)
        here, there = (grid.cells[0] or (0, 0)), (grid.cells[1] or (0, 0))
        step = (there[0] - here[0], there[1] - here[1])
        turns = next(k for k in range(6) if rotated((1, 0), k) == step)
        wanted = corners[1].mean(0) - corners[0].mean(0)
        angle = np.degrees(np.arctan2(*middle[::-1]) - np.arctan2(*wanted[::-1]))
        assert abs((angle - 60 * turns + 180) % 360 - 180) < 15


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_free_cells_are_foretold_where_a_tile_would_lie(count: int) -> None:
    every = [cell for cell in cells_within(2) if cell not in SOME]
    corners = seen(SOME + every, 25, 40)
    grid = find_grid(corners[:count], np.ones(count))
    told = {cell: grid.outline(cell) for cell in ((q, r) for q in range(-6, 7) for r in range(-6, 7))}
    near = 12 if count == 8 else 1
    neighbours = sorted(corners[8:], key=lambda quad: float(np.linalg.norm(quad.mean(0) - corners[0].mean(0))))[:near]
    for quad in neighbours:
        side = float(np.linalg.norm(quad[0] - quad[1]))
        off = min(float(np.linalg.norm(outline.mean(0) - quad.mean(0))) for outline in told.values())
        assert off < (0.1 if count == 8 else 0.25) * side


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 40), st.floats(0, 360), st.floats(0, 0.08))
def test_many_known_tiles_tell_the_cell_of_another_in_their_own_naming(tilt: float, yaw: float, off: float) -> None:
    cells: list[Cell] = [*SOME, (1, 1)]
    corners = seen(cells, tilt, yaw, off=off)
    grid = known_grid(corners[-1:], np.ones(1), list(corners[:-1]), SOME)
    assert grid is not None and grid.cells == (cells[-1],)
    assert np.abs(grid.outline(cells[-1]).mean(0) - corners[-1].mean(0)).max() < 12
    edge = 0.5 * (corners[-1] + np.roll(corners[-1], -1, axis=0))[grid.east[0]]
    beyond = grid.outline((2, 1)).mean(0) - grid.outline((1, 1)).mean(0)
    assert float((edge - corners[-1].mean(0)) @ beyond) > 0.8 * np.linalg.norm(edge - corners[-1].mean(0)) * float(
        np.linalg.norm(beyond)
    )


def test_few_known_tiles_tell_no_grid() -> None:
    corners = seen(SOME)
    assert known_grid(corners[:1], np.ones(1), list(corners[1:7]), SOME[1:7]) is None
    line: list[Cell] = [(q, 0) for q in range(-4, 5)]
    assert known_grid(corners[:1], np.ones(1), list(seen(line)), line) is None
