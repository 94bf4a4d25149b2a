"""Cells of hand-laid honeycombs, from nothing but outlines."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.games.hexel.vision.lattice import Lattice, LatticeFinder, find_lattice
from companion.rules.hexgrid import Cell, direction_between, neighbours, rotated

SIDE_MM = 35.0
APART_MM = SIDE_MM * np.sqrt(3.0)
seeds = st.integers(0, 10**9)
counts = st.integers(2, 36)


# ------------------------------------------------------------------------------------------- a table to be seen


def ahead(pose: np.ndarray, direction: int, by_mm: float) -> np.ndarray:
    angle = pose[2] - np.radians(60.0 * direction)
    return pose + by_mm * np.array([np.cos(angle), np.sin(angle), 0.0])


def hand_laid(count: int, rng: np.random.Generator, gap_mm: float = 3.0) -> tuple[list[Cell], np.ndarray]:
    """Cells and poses (x mm, y mm, turn): each card pushed against cards that already lie there, never quite right.

    A new card lies within `gap_mm` of one neighbour, turned against it by up to 4 degrees, and may be farther from the
    others or overlap them by a millimetre: what errors that add up outwards leave over.
    """
    cells, poses = [(0, 0)], [np.zeros(3)]
    while len(cells) < count:
        free = sorted({n for cell in cells for n in neighbours(cell)} - set(cells))
        cell = free[rng.integers(len(free))]
        around = [
            (pose, d) for c, pose in zip(cells, poses, strict=True) if (d := direction_between(c, cell)) is not None
        ]
        against, direction = around[rng.integers(len(around))]
        jitter = [*rng.uniform(-1, 1, 2), np.radians(rng.uniform(-4, 4))]
        pose = ahead(against, direction, APART_MM + rng.uniform(0, gap_mm - 1)) + jitter
        gaps = [np.linalg.norm(pose[:2] - other[:2]) - APART_MM for other, _ in around]
        turns = [abs(np.degrees(pose[2] - other[2])) for other, _ in around]
        nearest = min(np.linalg.norm(pose[:2] - other[:2]) for other in poses)
        if min(gaps) > -1.5 and max(gaps) < 12 and max(turns) < 8 and nearest > APART_MM - 1.5:
            cells.append(cell)
            poses.append(pose)
    return cells, np.array(poses)


def outlines(poses: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Corners (N, 6, 2) in mm, clockwise with y down, starting anywhere."""
    first = rng.integers(0, 6, len(poses))
    angles = poses[:, 2:] + np.radians(60.0 * (np.arange(6) + first[:, None]) - 30.0)
    return poses[:, None, :2] + SIDE_MM * np.stack([np.cos(angles), np.sin(angles)], axis=2)


def photographed(points_mm: np.ndarray, rng: np.random.Generator, tilt_deg: float = 40.0) -> np.ndarray:
    """The table seen by a camera with a view of about 60 degrees, turned and tilted anyhow."""
    flat = points_mm - points_mm.mean(axis=(0, 1))
    reach = np.linalg.norm(flat, axis=2).max()
    turn, tilt = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(0, tilt_deg))
    c, s = np.cos(turn), np.sin(turn)
    x, y = flat[..., 0] * c - flat[..., 1] * s, flat[..., 0] * s + flat[..., 1] * c
    depth = 2.0 * reach + y * np.sin(tilt)
    return np.stack([640 + 900 * x / depth, 360 + 900 * y * np.cos(tilt) / depth], axis=2)


def roughly_seen(corners: np.ndarray, rng: np.random.Generator, share: float = 0.01) -> np.ndarray:
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean(axis=1)[:, None, None]
    return np.asarray(corners + rng.normal(0, share, corners.shape) * side)


def tells_the_truth(cells: Sequence[Cell | None], lattice: Lattice) -> bool:
    """Whether cells agree with the truth but for one rotation and one translation."""
    if [c is None for c in cells] != [c is None for c in lattice.cells]:
        return False
    pairs = [(a, b) for a, b in zip(cells, lattice.cells, strict=True) if a is not None and b is not None]
    shifts = [{(a[0] - q, a[1] - r) for a, b in pairs for q, r in [rotated(b, k)]} for k in range(6)]
    return any(len(s) <= 1 for s in shifts)


def are_halves(cells: Sequence[Cell | None], others: Sequence[Cell | None]) -> bool:
    """Whether a card that was taken away left two parts with as many cards, either of which may be the tableau."""
    is_placed, is_other = ([cell is not None for cell in some] for some in (cells, others))
    is_in_both = any(a and b for a, b in zip(is_placed, is_other, strict=True))
    return sum(is_placed) == sum(is_other) and not is_in_both


def turned_as_laid(lattice: Lattice, laid: np.ndarray, poses: np.ndarray) -> bool:
    """Whether the edges that look in direction 0 are those that do, but for one rotation of all cards."""
    middles = 0.5 * (laid + np.roll(laid, -1, axis=1)) - poses[:, None, :2]
    ahead_of = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    true = (middles * ahead_of[:, None]).sum(2).argmax(1)
    placed = [i for i, cell in enumerate(lattice.cells) if cell is not None]
    return len({(lattice.east[i] - int(true[i])) % 6 for i in placed}) <= 1


def lies_open(cell: Cell, cells: list[Cell]) -> bool:
    """Whether a free cell touches one card only and no card two steps away gets near it."""
    around = set(neighbours(cell))
    second = {n for c in around for n in neighbours(c)} - around - {cell}
    return cell not in cells and len(around & set(cells)) == 1 and len(second & set(cells)) <= 3


# ------------------------------------------------------------------------------------------------------- claims


@settings(max_examples=120, deadline=None)
@given(seeds, counts)
@example(176920600, 27)
def test_a_hand_laid_tableau_seen_aslant_gives_its_cells(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    cells, poses = hand_laid(count, rng)
    laid = outlines(poses, rng)
    lattice = find_lattice(roughly_seen(photographed(laid, rng), rng))
    assert tells_the_truth(list(cells), lattice)
    assert turned_as_laid(lattice, laid, poses)


@settings(max_examples=40, deadline=None)
@given(seeds, counts, st.floats(0, 360), st.floats(0.3, 3))
def test_turning_moving_and_scaling_the_picture_only_turns_and_moves_the_lattice(
    seed: int, count: int, turn_deg: float, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    corners = photographed(outlines(hand_laid(count, rng)[1], rng), rng)
    c, s = scale * np.cos(np.radians(turn_deg)), scale * np.sin(np.radians(turn_deg))
    moved = corners @ np.array([[c, s], [-s, c]]) + rng.uniform(-500, 500, 2)
    assert tells_the_truth(list(find_lattice(corners).cells), find_lattice(moved))


@settings(max_examples=30, deadline=None)
@given(seeds, counts)
def test_the_order_of_the_cards_and_of_their_corners_does_not_matter(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    corners = photographed(outlines(hand_laid(count, rng)[1], rng), rng)
    order = rng.permutation(count)
    shuffled = np.stack([np.roll(c, rng.integers(6), axis=0) for c in corners[order]])
    cells = find_lattice(corners).cells
    assert tells_the_truth([cells[i] for i in order], find_lattice(shuffled))


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(3, 30), st.booleans())
def test_a_card_lying_close_by_is_loose(seed: int, count: int, askew: bool) -> None:
    rng = np.random.default_rng(seed)
    cells, poses = hand_laid(count, rng)
    corner_cells = [(i, d) for i in range(count) for d in range(6) if lies_open(neighbours(cells[i])[d], cells)]
    at, direction = corner_cells[rng.integers(len(corner_cells))]
    loose = ahead(poses[at], direction, APART_MM + (3.0 if askew else rng.uniform(6.5, 20.0)))
    loose[2] += np.radians(rng.uniform(17, 43) if askew else 0.0)
    corners = roughly_seen(photographed(outlines(np.vstack([poses, loose]), rng), rng), rng, 0.005)
    assert tells_the_truth([*cells, None], find_lattice(corners))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(4, 20), st.integers(1, 3))
def test_of_several_groups_the_largest_is_the_tableau(seed: int, count: int, others: int) -> None:
    rng = np.random.default_rng(seed)
    cells, poses = hand_laid(count, rng)
    side_group = hand_laid(others, rng)[1]
    side_group += [poses[:, 0].max() - side_group[:, 0].min() + 90.0, 0.0, 0.0]
    corners = photographed(outlines(np.vstack([side_group, poses]), rng), rng)
    assert tells_the_truth([*[None] * others, *cells], find_lattice(corners))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(3, 30))
@example(seed=4, count=6)
@example(seed=102, count=6)
@example(seed=35, count=3)
def test_a_false_find_across_the_cards_disturbs_nobody_else(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    cells, poses = hand_laid(count, rng)
    corners = photographed(outlines(poses, rng), rng)
    false = corners[:1] * [1.3, 0.7] + rng.uniform(-100, 100, 2)
    lattice = find_lattice(np.concatenate([corners, false]))
    known = Lattice(lattice.cells[:-1], lattice.east[:-1], lattice.table_from_image)
    assert tells_the_truth(list(cells), known)


def test_one_outline_found_twice_gets_its_cell_once() -> None:
    rng = np.random.default_rng(1)
    _, poses = hand_laid(12, rng)
    corners = photographed(outlines(poses, rng), rng)
    lattice = find_lattice(np.concatenate([corners, corners[3:4] + 0.5]))
    given_cells = [cell for cell in lattice.cells if cell is not None]
    assert len(given_cells) == len(set(given_cells)) == 12


def test_a_mirrored_tableau_is_another_tableau() -> None:
    rng = np.random.default_rng(4)
    cells, poses = hand_laid(11, rng)
    corners = photographed(outlines(poses, rng), rng)
    mirrored = (corners * [-1.0, 1.0])[:, ::-1]
    assert tells_the_truth(cells, find_lattice(corners))
    assert not tells_the_truth(cells, find_lattice(mirrored))


def test_east_is_the_edge_nearest_to_the_right_and_directions_run_counter_clockwise() -> None:
    rng = np.random.default_rng(2)
    here = np.zeros(3)
    corners = outlines(np.array([here, ahead(here, 0, APART_MM), ahead(here, 1, APART_MM)]), rng)
    lattice = find_lattice(corners)
    q, r = lattice.cells[0] or (0, 0)
    assert lattice.cells == ((q, r), (q + 1, r), (q + 1, r - 1))
    middles = 0.5 * (corners + np.roll(corners, -1, axis=1)) - corners.mean(axis=1, keepdims=True)
    for i, east in enumerate(lattice.east):
        x, y = middles[i][[(east - d) % 6 for d in range(6)]].T
        assert np.allclose((np.degrees(np.arctan2(-y, x)) + 1) % 360 - 1, 60.0 * np.arange(6), atol=0.1)


def test_no_cards_have_no_lattice_and_a_card_alone_is_loose() -> None:
    assert find_lattice(np.zeros((0, 6, 2), np.float32)).cells == ()
    rng = np.random.default_rng(5)
    assert find_lattice(outlines(np.zeros((1, 3)), rng)).cells == (None,)


def test_corners_the_wrong_way_round_are_refused() -> None:
    corners = outlines(np.zeros((2, 3)), np.random.default_rng(6))
    with pytest.raises(ValueError, match="clockwise"):
        find_lattice(corners[:, ::-1])
    with pytest.raises(ValueError, match="N, 6, 2"):
        find_lattice(corners[:, :4])


@given(seed=seeds, count=st.integers(4, 20))
@settings(max_examples=30, deadline=None)
@example(seed=986, count=4)
@example(seed=8838, count=5)
def test_the_lattice_found_again_is_that_found_afresh_also_when_the_camera_moved(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    _, poses = hand_laid(count, rng)
    laid = outlines(poses, rng)
    seen, moved = photographed(laid, rng), photographed(laid, rng)
    finder = LatticeFinder()
    finder(seen[:-1], ())
    for corners in (seen, seen, moved, seen[1:]):
        again, afresh = finder(corners, ()), find_lattice(corners)
        if corners is moved:  # on the old table two cards may hardly touch: then another card is the first
            assert tells_the_truth(afresh.cells, again)
        else:
            assert again.cells == afresh.cells or are_halves(again.cells, afresh.cells)


def test_cards_outlined_within_their_printed_border_touch_all_the_same():
    """Outlines are 3 % too small, all gaps look wider; one of them is as wide as hands leave any."""
    middles = np.cumsum([0.0, *(APART_MM + gap for gap in (1.5, 1.5, 1.5, 3.0))])
    poses = np.stack([middles, np.zeros(5), np.zeros(5)], axis=1)
    seen = outlines(poses, np.random.default_rng(1))
    inset = seen.mean(1, keepdims=True) + 0.97 * (seen - seen.mean(1, keepdims=True))
    assert None not in find_lattice(inset * 4.0).cells
    far = poses + np.array([[0.0] * 3] * 4 + [[4.0, 0.0, 0.0]])
    apart = outlines(far, np.random.default_rng(1))
    assert find_lattice(apart * 4.0).cells[-1] is None


def test_cards_touch_though_some_are_outlined_within_their_printed_border_and_others_are_not():
    """Three cards at either corner of a tableau are outlined 8 % too small, the others as they are."""
    cells = [(q, r) for r in range(3) for q in range(4)]
    apart = APART_MM + 2.0
    poses = np.array([[apart * (q + r / 2), apart * r * np.sqrt(3.0) / 2, 0.0] for q, r in cells])
    seen = outlines(poses, np.random.default_rng(1))
    growth = np.array([0.92 if cell in {(0, 0), (1, 0), (0, 1), (3, 2), (2, 2), (3, 1)} else 1.0 for cell in cells])
    middles = seen.mean(1, keepdims=True)
    inset = middles + growth[:, None, None] * (seen - middles)
    assert None not in find_lattice(inset * 4.0).cells
    inset[0] -= [8.0, 0.0]
    assert find_lattice(inset * 4.0).cells[0] is None


def test_a_row_of_cards_that_are_outlined_small_is_a_tableau():
    """All are outlined 5 % too small, so that most gaps look wider than hands leave them."""
    middles = np.cumsum([0.0, *(APART_MM + gap for gap in (2.0, 1.0, 2.0))])
    seen = outlines(np.stack([middles, np.zeros(4), np.zeros(4)], axis=1), np.random.default_rng(1))
    inset = seen.mean(1, keepdims=True) + 0.95 * (seen - seen.mean(1, keepdims=True))
    assert None not in find_lattice(inset * 4.0).cells


@pytest.mark.parametrize(
    ("off_mm", "turned_deg", "is_placed"), [(4.5, 1.0, True), (8.0, 1.0, False), (4.5, 8.0, False)]
)
def test_a_card_that_lies_in_line_beside_several_is_placed_though_gaps_part_it(off_mm, turned_deg, is_placed):
    cells = [(q, r) for r in range(3) for q in range(3)]
    apart = APART_MM + 2.0
    poses = np.array([[apart * (q + r / 2), apart * r * np.sqrt(3.0) / 2, 0.0] for q, r in cells])
    poses[-1] += [off_mm * np.cos(np.pi / 4), off_mm * np.sin(np.pi / 4), np.radians(turned_deg)]
    lattice = find_lattice(outlines(poses, np.random.default_rng(1)) * 4.0)
    assert tells_the_truth([*cells[:-1], cells[-1] if is_placed else None], lattice)


def test_a_card_that_touches_one_placed_in_line_is_placed_with_it():
    cells = [*((q, r) for r in range(3) for q in range(3)), (3, 2)]
    apart = APART_MM + 2.0
    poses = np.array([[apart * (q + r / 2), apart * r * np.sqrt(3.0) / 2, 0.0] for q, r in cells])
    poses[-2:] += [4.5 * np.cos(np.pi / 4), 4.5 * np.sin(np.pi / 4), 0.0]
    assert tells_the_truth(cells, find_lattice(outlines(poses, np.random.default_rng(1)) * 4.0))
