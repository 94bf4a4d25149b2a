"""What lies on a table of Hexapod: cases with cards laid in them by chance, and stacks face up beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexapod.deck import CELL_MM, SIDE_MM, SPIDER, Cells
from companion.games.hexapod.rules.cases import SINGLES

Points = npt.NDArray[Any]
Grid = list[list[str | None]]

_BIG = ("stag", "moth", "spider")
_OTHER_SIZES = ((4, 4), (6, 6), (4, 5), (5, 6), (4, 6), (6, 5), (3, 5))


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """A card face up.

    Attributes:
        cells: its kinds.
        at_mm: its middle, in the case's frame or, loose, on the table.
        turn_deg: clockwise as seen, against the case or the table.
        from_mm: height of its underside.
        to_mm: height of its face.
    """

    cells: Cells
    at_mm: Points
    turn_deg: float
    from_mm: float
    to_mm: float

    def corners_mm(self) -> Points:
        """(4, 2), clockwise as seen, the first at its top left."""
        half = SIDE_MM / 2
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        return np.asarray(square @ turn(self.turn_deg).T + self.at_mm)


@dataclass(slots=True, eq=False)
class Case:
    """A display case: its frame's origin is the top left corner of its field."""

    at_mm: Points
    turn_deg: float
    rows: int
    cols: int
    floor_mm: float
    cards: list[Lying] = field(default_factory=list)
    cells: Grid = field(default_factory=list)
    askew: dict[tuple[int, int], float] = field(default_factory=dict)
    """Cells over which a card lies askew, so that they cannot be read, and how much of each it takes."""
    high_mm: dict[tuple[int, int], float] = field(default_factory=dict)

    def table_from_case(self, points: Points) -> Points:
        """Points (N, 2) of its frame on the table."""
        return np.asarray(np.asarray(points, float) @ turn(self.turn_deg).T + self.at_mm)

    def box_mm(self, beyond_mm: float = 0.0) -> Points:
        """The field's corners (4, 2) on the table, that much further out."""
        w, h, b = self.cols * CELL_MM, self.rows * CELL_MM, beyond_mm
        return self.table_from_case(np.array([[-b, -b], [w + b, -b], [w + b, h + b], [-b, h + b]]))

    def lay(self, cells: Cells, place: tuple[int, int], thick_mm: float, rng: np.random.Generator) -> None:
        """Lay a card by hand with its top left cell at a place."""
        under = [(place[0] + r, place[1] + c) for r in (0, 1) for c in (0, 1)]
        below = max(self.high_mm.get(cell, self.floor_mm) for cell in under)
        middle = np.array([(place[1] + 1) * CELL_MM, (place[0] + 1) * CELL_MM]) + np.clip(
            rng.normal(0, 0.8, 2), -2.2, 2.2
        )
        self.cards.append(Lying(cells, middle, float(np.clip(rng.normal(0, 1.2), -3.5, 3.5)), below, below + thick_mm))
        for k, cell in enumerate(under):
            self.high_mm[cell] = below + thick_mm
            self.cells[cell[0]][cell[1]] = cells[k // 2][k % 2]
            self.askew.pop(cell, None)

    def drop(self, cells: Cells, thick_mm: float, rng: np.random.Generator) -> None:
        """Let a card lie askew somewhere: whatever it touches cannot be read."""
        at = rng.uniform(0.8, [self.cols - 0.8, self.rows - 0.8])
        while float(np.abs(at - np.round(at)).max()) < 0.3:
            at = rng.uniform(0.8, [self.cols - 0.8, self.rows - 0.8])
        high = max([*self.high_mm.values(), self.floor_mm])
        card = Lying(cells, at * CELL_MM, float(rng.uniform(-45, 45)), high, high + thick_mm)
        self.cards.append(card)
        outline = card.corners_mm().astype(np.float32) / CELL_MM
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        for row in range(self.rows):
            for col in range(self.cols):
                share = float(cv2.intersectConvexConvex(outline, square + np.array([col, row], np.float32))[0])
                if share > 0.03:
                    self.askew[row, col] = share


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All of it."""

    cases: list[Case]
    loose: list[Lying]


def turn(degrees: float) -> Points:
    """The rotation (2, 2) clockwise as seen, y pointing down."""
    a = np.radians(degrees)
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def scene(
    rng: np.random.Generator, cases: int | None = None, grid: tuple[int, int] | None = None, *, odd: bool = True
) -> Scene:
    """One or two cases and what lies beside them.

    Args:
        rng: the only source of chance.
        cases: how many; None for one or two.
        grid: rows and columns; None for 5 x 5 most of the time.
        odd: whether cards may lie askew, or half over a stag or moth.
    """
    count = cases if cases is not None else int(rng.choice([1, 2], p=[0.55, 0.45]))
    thick = float(rng.choice([rng.uniform(0.3, 1.0), rng.uniform(0.8, 2.5)]))
    grids = [grid or ((5, 5) if rng.random() < 0.9 else _OTHER_SIZES[int(rng.integers(len(_OTHER_SIZES)))])] * count
    found: list[Case] = []
    for rows, cols in grids:
        at, turned = _case_place(found, rows, cols, rng)
        found.append(_filled(Case(at, turned, rows, cols, float(rng.uniform(0, 2))), thick, rng, odd))
    return Scene(found, _loose(found, thick, rng))


def showing_all(rng: np.random.Generator) -> Scene:
    """One case that shows every kind at least once, for `learn`: four or more cards that do not overlap."""
    case = Case(np.zeros(2), 0.0, 5, 5, float(rng.uniform(0, 2)))
    case.cells = [[None] * case.cols for _ in range(case.rows)]
    a, b, c, d, e = (str(k) for k in rng.permutation(SINGLES))
    more = [str(k) for k in rng.choice(SINGLES, 4)]
    cards: list[Cells] = [
        ((a, b), (c, d)),
        (("moth", "moth"), (e, more[0])),
        (("stag", more[1]), ("stag", more[2])),
        SPIDER,
    ]
    if rng.random() < 0.5:
        cards[1] = (cards[1][1], cards[1][0])
    if rng.random() < 0.5:
        cards[2] = ((more[1], "stag"), (more[2], "stag"))
    places = [(0, 0), (0, case.cols - 2), (case.rows - 2, 0), (case.rows - 2, case.cols - 2)]
    thick = float(rng.uniform(0.3, 1.5))
    for k, card in zip(rng.permutation(4), cards, strict=True):
        case.lay(card, places[int(k)], thick, rng)
    return Scene([case], [])


def any_card(rng: np.random.Generator) -> Cells:
    """A card: four insects of one cell, or a stag or moth beside two, at times two of these."""
    a, b, c, d = (str(k) for k in rng.choice(SINGLES, 4))
    shape = int(rng.choice(8, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.03, 0.03, 0.04]))
    cards: Sequence[Cells] = (
        ((a, b), (c, d)), (("moth", "moth"), (c, d)), ((a, b), ("moth", "moth")), (("stag", b), ("stag", d)),
        ((a, "stag"), (c, "stag")), (("moth", "moth"),) * 2, (("stag", "stag"),) * 2, SPIDER,
    )  # fmt: skip
    return cards[shape]


def _filled(case: Case, thick_mm: float, rng: np.random.Generator, odd: bool) -> Case:
    case.cells = [[None] * case.cols for _ in range(case.rows)]
    wanted = 0 if rng.random() < 0.08 else int(rng.integers(1, 13))
    for _ in range(wanted):
        place = int(rng.integers(0, case.rows - 1)), int(rng.integers(0, case.cols - 1))
        if not _halves(case, place) or (odd and rng.random() < 0.1):
            case.lay(any_card(rng), place, thick_mm, rng)
    if odd and rng.random() < 0.05:
        case.drop(any_card(rng), thick_mm, rng)
    return case


def _halves(case: Case, place: tuple[int, int]) -> bool:
    """Whether a card there would hide one part of an insect of several cells and leave another."""
    under = {(place[0] + r, place[1] + c) for r in (0, 1) for c in (0, 1)}
    around = {(r + dr, c + dc) for r, c in under for dr in (-1, 0, 1) for dc in (-1, 0, 1)} - under

    def kind(cell: tuple[int, int]) -> str | None:
        row, col = cell
        return case.cells[row][col] if 0 <= row < case.rows and 0 <= col < case.cols else None

    return any(kind(cell) in _BIG and kind(cell) in {kind(other) for other in around} for cell in under)


def _case_place(others: list[Case], rows: int, cols: int, rng: np.random.Generator) -> tuple[Points, float]:
    """Where a case stands: the first at the origin, the next beside or across from it."""
    if not others:
        return np.zeros(2), 0.0
    turned = float(rng.choice([0.0, 0.0, 180.0, 180.0, 90.0, 270.0])) + float(rng.normal(0, 5))
    size = np.array([cols, rows]) * CELL_MM
    middle = np.array([others[0].cols, others[0].rows]) * CELL_MM / 2
    way = turn(float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 10))) @ np.array([1.0, 0.0])
    apart = float(max(size)) + float(rng.choice([rng.uniform(26, 42), rng.uniform(26, 110)]))
    return middle + way * apart - turn(turned) @ (size / 2), turned


def _loose(cases: list[Case], thick_mm: float, rng: np.random.Generator) -> list[Lying]:
    """Up to three stacks in a row at one side of a case, or anywhere near."""
    case = cases[int(rng.integers(len(cases)))]
    middle = case.table_from_case(np.array([[case.cols, case.rows]]) * CELL_MM / 2)[0]
    side = float(rng.choice([0, 90, 180, 270])) + case.turn_deg
    aslant = float(rng.uniform(0, 360)) if rng.random() < 0.2 else float(rng.normal(0, 3))
    out, along = turn(side) @ np.array([1.0, 0.0]), turn(side) @ np.array([0.0, 1.0])
    away = max(case.cols, case.rows) * CELL_MM / 2 + float(rng.uniform(36, 75))
    step = SIDE_MM + float(rng.uniform(1, 14))
    found: list[Lying] = []
    for k in range(int(rng.choice([0, 1, 2, 3, 3, 3]))):
        at = middle + out * away + along * step * (k - 1) + rng.normal(0, 1.5, 2)
        turned = case.turn_deg + aslant + float(rng.normal(0, 5))
        if all(_is_clear(at, other) for other in cases):
            found.append(Lying(any_card(rng), at, turned, 0.0, thick_mm * int(rng.integers(1, 15))))
    return found


def _is_clear(at_mm: Points, case: Case) -> bool:
    """Whether a card there lies beside a case and its frame."""
    middle = case.table_from_case(np.array([[case.cols, case.rows]]) * CELL_MM / 2)[0]
    inside = np.abs((at_mm - middle) @ turn(case.turn_deg))
    return bool((inside > np.array([case.cols, case.rows]) * CELL_MM / 2 + 34).any())
