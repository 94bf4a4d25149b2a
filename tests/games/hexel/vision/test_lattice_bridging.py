"""Parts of a tableau beyond covered cards: joined where the honeycomb goes on, doubted where it only may."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from companion.games.hexel.vision.lattice import Lattice, find_lattice, lattice_of_cards
from companion.rules.hexgrid import Cell, rotated

SIDE_PX = 40.0
APART_PX = SIDE_PX * (np.sqrt(3.0) + 1.5 / 35)
TABLEAU: list[Cell] = [(0, 0), (1, 0), (0, 1), (1, 1)]


def place(cell: tuple[float, float]) -> np.ndarray:
    q, r = cell
    return 300.0 + APART_PX * np.array([q + r / 2, r * np.sqrt(3.0) / 2])


def card(cell: tuple[float, float], rng: np.random.Generator, turn_deg: float | None = None) -> np.ndarray:
    """A card's corners (6, 2): in its cell as a hand lays it, or turned by so much."""
    turn = rng.uniform(-3, 3) if turn_deg is None else turn_deg
    angles = np.radians(60.0 * np.arange(6) - 30.0 + turn)
    return place(cell) + rng.normal(0, 0.8, 2) + SIDE_PX * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def something_over(cells: Sequence[Cell], similarity: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
    """What tells that the table is bare but for some cells, which look so much like it."""
    centres = np.array([place(cell) for cell in cells]).reshape(-1, 2)

    def similarities(outlines: np.ndarray) -> np.ndarray:
        apart = np.linalg.norm(centres - outlines.mean(1)[:, None], axis=2)
        return np.where((apart < 0.8 * SIDE_PX).any(1), similarity, 1.0)

    return similarities


def in_cells(lattice: Lattice, cells: Sequence[Cell]) -> bool:
    """Whether the lattice tells these cells, but for one rotation and one translation."""
    for turns in range(6):
        told = [None if c is None else rotated(c, turns) for c in lattice.cells]
        shifts = {None if t is None else (c[0] - t[0], c[1] - t[1]) for c, t in zip(cells, told, strict=True)}
        if len(shifts) == 1 and None not in shifts:
            return True
    return False


@pytest.mark.parametrize("hidden", [[(2, 1)], [(2, 1), (3, 1)], [(2, 1), (3, 1), (4, 1)]])
@pytest.mark.parametrize("seed", range(5))
def test_a_card_beyond_covered_cells_is_told_its_cell(hidden: list[Cell], seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = [*TABLEAU, (hidden[-1][0] + 1, 1)]
    lattice = find_lattice(np.stack([card(c, rng) for c in cells]), something_over(hidden))
    assert in_cells(lattice, cells)
    assert not lattice.unsettled


def test_a_card_beyond_bare_table_is_loose() -> None:
    rng = np.random.default_rng(1)
    lattice = find_lattice(np.stack([card(c, rng) for c in [*TABLEAU, (3, 1)]]), something_over([]))
    assert lattice.cells[-1] is None
    assert not lattice.unsettled


@pytest.mark.parametrize(("turn_deg", "is_doubted"), [(0.0, True), (9.0, False)])
def test_a_card_in_line_beyond_what_may_be_an_arm_is_neither_loose_nor_in_a_cell(
    turn_deg: float, is_doubted: bool
) -> None:
    rng = np.random.default_rng(1)
    corners = np.stack([*(card(c, rng, 0.0) for c in TABLEAU), card((3, 1), rng, turn_deg)])
    lattice = find_lattice(corners, something_over([(2, 1)], similarity=0.3))
    assert lattice.cells[-1] is None
    assert lattice.unsettled == ({len(TABLEAU)} if is_doubted else set())


@pytest.mark.parametrize("where, turn_deg", [((3.0, 1.0), 12.0), ((3.35, 0.9), 0.0)])
def test_a_card_beyond_covered_cells_that_lies_askew_is_neither_loose_nor_in_a_cell(
    where: tuple[float, float], turn_deg: float
) -> None:
    rng = np.random.default_rng(2)
    corners = np.stack([*(card(c, rng) for c in TABLEAU), card(where, rng, turn_deg)])
    lattice = find_lattice(corners, something_over([(2, 1), (2, 0)]))
    assert lattice.cells[-1] is None
    assert lattice.unsettled == {4}


@pytest.mark.parametrize("where, turn_deg", [((3.0, 1.0), 25.0), ((3.5, 0.5), 0.0)])
def test_a_card_that_lies_nothing_like_the_tableau_was_left_there_whatever_lies_between(
    where: tuple[float, float], turn_deg: float
) -> None:
    rng = np.random.default_rng(2)
    corners = np.stack([*(card(c, rng) for c in TABLEAU), card(where, rng, turn_deg)])
    lattice = find_lattice(corners, something_over([(2, 1), (2, 0), (3, 0)]))
    assert lattice.cells[-1] is None
    assert not lattice.unsettled


def test_cards_around_a_mug_are_a_tableau_though_none_touches_another() -> None:
    rng = np.random.default_rng(3)
    cells: list[Cell] = [(0, 0), (2, 0), (1, 1)]
    lattice = find_lattice(np.stack([card(c, rng) for c in cells]), something_over([(1, 0)]))
    assert in_cells(lattice, cells)


def test_several_touching_cards_in_line_with_the_tableau_belong_to_it_whatever_lies_between() -> None:
    rng = np.random.default_rng(4)
    cells: list[Cell] = [*TABLEAU, (3, 1), (4, 1), (3, 2)]
    assert in_cells(find_lattice(np.stack([card(c, rng) for c in cells]), something_over([])), cells)


def test_without_a_look_at_the_table_nothing_is_joined_over_a_gap() -> None:
    rng = np.random.default_rng(5)
    lattice = find_lattice(np.stack([card(c, rng) for c in [*TABLEAU, (3, 1)]]))
    assert lattice.cells[-1] is None


def test_two_touching_cards_need_lie_in_line_to_a_hair_where_nothing_is_covered() -> None:
    rng = np.random.default_rng(6)
    cells: list[Cell] = [*TABLEAU, (3, 1), (4, 1)]
    assert in_cells(find_lattice(np.stack([card(c, rng, 0.5) for c in cells]), something_over([])), cells)
    aside = [card((q + 0.2, r + 0.2), rng, 7.0) for q, r in [(3, 1), (4, 1)]]
    lattice = find_lattice(np.stack([*(card(c, rng) for c in TABLEAU), *aside]), something_over([]))
    assert lattice.cells[-2:] == (None, None)


@pytest.mark.parametrize("rejected, is_told", [((1, 0), True), ((1, 1), False)])
def test_two_cards_that_only_a_rejected_outline_joins_lie_in_one_tableau(rejected: Cell, is_told: bool) -> None:
    rng = np.random.default_rng(3)
    cells: list[Cell] = [(0, 0), (2, 0)]
    corners = np.stack([card(c, rng) for c in [*cells, rejected]]).astype(np.float32)
    lattice = lattice_of_cards(corners, np.array([True, True, False]), something_over([]))
    assert in_cells(lattice, cells) == is_told
    assert is_told or lattice.cells == (None, None)


def test_rejected_outlines_that_are_odd_on_the_cards_table_do_not_level_it_anew() -> None:
    """Of a path-traced picture: four cards in a tableau, two loose ones, and three outlines that are no cards."""
    cards = [
        [(622, 286), (628, 339), (586, 370), (537, 349), (530, 296), (572, 264)],
        [(676, 362), (684, 414), (643, 446), (594, 426), (587, 373), (628, 341)],
        [(565, 210), (572, 263), (530, 294), (480, 272), (473, 219), (515, 188)],
        [(764, 352), (771, 403), (732, 434), (686, 414), (679, 363), (717, 332)],
        [(720, 216), (724, 267), (683, 294), (639, 270), (635, 220), (676, 193)],
        [(840, 177), (849, 225), (814, 255), (770, 237), (760, 188), (795, 158)],
    ]
    rejected = [
        [(711, 333), (677, 362), (630, 341), (620, 290), (656, 264), (699, 285)],
        [(166, 492), (154, 513), (129, 516), (115, 498), (127, 477), (153, 474)],
        [(765, 228), (770, 254), (750, 266), (726, 252), (721, 225), (741, 214)],
    ]

    def similarity(outlines: np.ndarray) -> np.ndarray:
        return np.where(np.linalg.norm(outlines.mean(1) - (680, 243), axis=1) < SIDE_PX, 0.0, 1.0)

    corners = np.array([*cards, *rejected], np.float32)
    lattice = lattice_of_cards(corners, np.arange(9) < 6, similarity)
    assert [cell is None for cell in lattice.cells] == [False] * 4 + [True] * 2
