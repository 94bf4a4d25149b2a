"""What of a Hexapod field is stated and what is doubted, from cells as the network might tell them."""

from dataclasses import replace

import numpy as np
import pytest

from companion.games.hexapod.vision.classifier import (
    EMPTY,
    INSECT,
    KINDS,
    OTHER,
    Cells,
    Discriminant,
    FewShotInsects,
    PretrainedInsects,
)
from companion.games.hexapod.vision.orientation import OrientedField
from companion.games.hexapod.vision.plausibility import (
    assess,
    case_has_edges,
    empty_thresholds,
    find_outliers,
    is_case,
)
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid

UNSURE_WAY = np.array([0.0, -9.0, -2.6, -9.0])
"""The field may as well stand on its head: one half under a hand was read upside down with this lead."""
SURE_WAY = np.array([0.0, -9.0, -9.0, -9.0])


def field(rows: list[str], ways: np.ndarray, confidence: float = 1.0) -> OrientedField:
    """A field of cells that are plain: a kind's first two letters, two dots for floor, two crosses for a hand."""
    words = [row.split() for row in rows]
    shape = (len(words), len(words[0]))
    state, kind = np.full((*shape, 3), 0.002), np.full((*shape, 8), 0.001)
    for r, row in enumerate(words):
        for c, word in enumerate(row):
            state[r, c, {"..": EMPTY, "xx": OTHER}.get(word, INSECT)] = 0.996
            kind[r, c, next((k for k, name in enumerate(KINDS) if name.startswith(word)), 0)] = 0.993
    cells = Cells(state, kind, np.full((*shape, 4), 0.25), np.zeros((*shape, 32)), np.zeros((*shape, 2)))
    side = 100.0
    corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) + 20
    return OrientedField(Detection(corners, confidence), cells, ways)


def doubts(rows: list[str], ways: np.ndarray, *, is_case: bool = True) -> list[str]:
    seen, warnings = assess(field(rows, ways), PretrainedInsects(), (200, 200), is_case=is_case)
    assert len(warnings) == sum(map(sum, seen.doubt))
    return ["".join("?" if d else "." for d in row) for row in seen.doubt]


def test_floor_is_doubted_that_alone_says_that_a_doubtful_cell_beside_it_is_empty() -> None:
    """In a lamp's veil one half of a moth was doubted and the other told as floor; cards cover two by two cells."""
    seen = field([".. .. ..", "bl bl ..", ".. .. .."], SURE_WAY)
    seen.cells.state[2, 1] = [0.5, 0.4, 0.1]
    detected, _ = assess(seen, PretrainedInsects(), (200, 200), is_case=True)
    assert detected.doubt == ((False,) * 3, (False,) * 3, (True, True, False))
    seen.cells.state[2, 1], seen.cells.state[0, 0] = seen.cells.state[0, 0].copy(), seen.cells.state[2, 1].copy()
    seen.cells.state[0, 1] = seen.cells.state[0, 0]  # a card may lie in both: neither needs another cell
    detected, _ = assess(seen, PretrainedInsects(), (200, 200), is_case=True)
    assert detected.doubt == ((True, True, False), (False,) * 3, (False,) * 3)


@pytest.mark.parametrize(("pale", "told"), [(0.7, ["??..", "...."]), (0.995, ["....", "...."])])
def test_floor_that_leaves_no_room_for_the_card_beside_it_is_doubted_unless_it_is_plain(pale: float, told: list[str]):
    """Of a card in a lamp's veil two pale insects were told as floor; cards cover two by two cells."""
    seen = field([".. .. .. ..", "bl gr .. .."], SURE_WAY)
    seen.cells.state[0, :2] = [pale, 0.998 - pale, 0.002]
    detected, _ = assess(seen, PretrainedInsects(), (200, 200), is_case=True)
    assert ["".join("?" if d else "." for d in row) for row in detected.doubt] == told


def test_a_field_of_which_the_way_up_is_sure_is_told() -> None:
    assert doubts([".. bl", "gr xx"], SURE_WAY) == ["..", ".?"]


def test_where_the_way_up_is_not_sure_only_what_would_differ_is_doubted() -> None:
    rows = [".. .. ..", "bl bl ..", ".. .. go"]
    assert doubts(rows, SURE_WAY) == ["...", "...", "..."]
    assert doubts(rows, UNSURE_WAY) == ["?..", "?.?", "..?"]


def test_what_may_lie_where_a_hand_is_makes_its_counterpart_doubtful() -> None:
    assert doubts([".. .. ..", ".. bl ..", ".. .. xx"], UNSURE_WAY) == ["?..", "...", "..?"]


def test_a_lone_spider_card_is_told_whichever_way_it_lies() -> None:
    assert doubts(["sp sp", "sp sp"], np.zeros(4), is_case=False) == ["..", ".."]


def test_an_empty_case_needs_no_way_up() -> None:
    assert doubts([".. .. ..", ".. .. ..", ".. .. xx"], np.zeros(4)) == ["...", "...", "..?"]


@pytest.mark.parametrize(("confidence", "told"), [(0.999, True), (0.6, False)])
@pytest.mark.parametrize("rows", [[".. .. ..", ".. .. xx", "xx xx xx"], [".. xx ..", "xx xx xx", "xx xx xx"]])
def test_a_case_under_a_hand_is_one_if_it_is_surely_there(confidence: float, told: bool, rows: list[str]) -> None:
    assert is_case(field(rows, SURE_WAY, confidence)) is told


def test_a_sure_find_under_which_no_cell_shows_is_no_case() -> None:
    assert not is_case(field([".. xx xx", "xx xx xx", "xx xx xx"], SURE_WAY, 0.999))


@pytest.mark.parametrize(("level", "told"), [(200, [".", ".", "."]), (253, [".", "?", "."])])
def test_an_empty_cell_that_light_has_burnt_out_is_surely_empty_only_if_it_is_plainly_so(level: int, told: list[str]):
    """Pale insects vanish in such light: some were told as empty with 0.6 to 0.9."""
    seen = field(["..", "..", "bl"], SURE_WAY)
    seen.cells.state[1, 0] = [0.89, 0.08, 0.03]
    picture = np.full((140, 140, 3), level, np.uint8)
    detected, _ = assess(
        seen, PretrainedInsects(), (140, 140), is_case=True, sure_empty=empty_thresholds(Pyramid.of(picture), seen)
    )
    assert ["".join("?" if d else "." for d in row) for row in detected.doubt] == told


@pytest.mark.parametrize(("level", "is_told"), [(200, True), (253, False)])
def test_a_case_in_which_nothing_shows_for_light_is_not_told_as_empty(level: int, is_told: bool) -> None:
    """One was, with seventeen insects drawn in lines."""
    seen = field([".. ..", ".. .."], SURE_WAY)
    picture = np.full((140, 140, 3), level, np.uint8)
    detected, _ = assess(
        seen, PretrainedInsects(), (140, 140), is_case=True, sure_empty=empty_thresholds(Pyramid.of(picture), seen)
    )
    assert detected.doubt == ((not is_told,) * 2,) * 2


@pytest.mark.parametrize(
    ("floor", "lit", "told"),
    [
        ((216, 243, 242), 2, ["??.", "??.", "..."]),
        ((216, 243, 242), 1, ["...", "...", "..."]),  # no card lies on so little
        ((253, 253, 253), 2, ["...", "...", "..."]),  # white floor in much light, on which an insect would show
    ],
)
def test_floor_that_a_lamps_reflection_turns_white_is_not_told_as_empty(floor, lit: int, told: list[str]):
    """A green spider vanished there, and its four cells were told as empty with 0.99."""
    seen = field([".. .. ..", ".. .. ..", ".. .. bl"], SURE_WAY)
    picture = np.full((140, 140, 3), floor, np.uint8)
    (x0, y0), (x1, y1) = seen.quad.corners[[0, 2]]
    picture[round(y0) : round(y0 + (y1 - y0) * lit / 3), round(x0) : round(x0 + (x1 - x0) * lit / 3)] = 251
    detected, _ = assess(
        seen, PretrainedInsects(), (140, 140), is_case=True, sure_empty=empty_thresholds(Pyramid.of(picture), seen)
    )
    assert ["".join("?" if d else "." for d in row) for row in detected.doubt] == told


@pytest.mark.parametrize(
    ("printed", "least", "corner", "told"),
    [
        (2, 0.93, "bl", ["??.", "??.", "..."]),
        (2, 0.999, "bl", ["...", "...", "..."]),  # plainly floor, a patterned one
        (1, 0.93, "bl", ["...", "...", "..."]),  # no card lies on so little
        (2, 0.93, "xx", ["...", "...", "..?"]),
    ],
)
def test_floor_with_more_detail_than_elsewhere_is_not_told_as_empty(printed, least, corner, told: list[str]):
    """A card in a lamp's haze, two pale beetles of two cells, was told as four empty cells with 0.91 to 0.996."""
    seen = field([".. .. ..", ".. .. ..", f".. .. {corner}"], SURE_WAY)
    seen.cells.state[0, 0] = [least, 0.9995 - least, 0.0005]
    picture = np.full((140, 140, 3), (200, 180, 180), np.uint8)
    (x0, y0), (x1, y1) = seen.quad.corners[[0, 2]]
    for x, y in np.argwhere(np.indices((140, 140)).sum(0) % 8 < 2).tolist():
        if x < x0 + (x1 - x0) * printed / 3 and y < y0 + (y1 - y0) * printed / 3:
            picture[y, x] = (212, 206, 204)
    detected, _ = assess(
        seen, PretrainedInsects(), (140, 140), is_case=True, sure_empty=empty_thresholds(Pyramid.of(picture), seen)
    )
    assert ["".join("?" if d else "." for d in row) for row in detected.doubt] == told


@pytest.mark.parametrize(("empty", "colour", "told"), [(0.96, 1.0, "?"), (0.995, 1.0, "."), (0.96, 0.0, ".")])
def test_a_cell_in_which_colours_show_is_surely_empty_only_if_it_is_plainly_so(empty: float, colour: float, told: str):
    """Beetles beside the case's wall, which hid a quarter of their cells, were told as empty with 0.93 to 0.96."""
    seen = field(["..", ".."], SURE_WAY)
    seen.cells.state[1, 0] = [empty, 0.98 - empty, 0.02]
    picture = np.full((140, 140, 3), 90, np.uint8)
    picture[89:101, 58:82] += np.uint8([0, 0, 60 * colour])
    detected, _ = assess(
        seen, PretrainedInsects(), (140, 140), is_case=True, sure_empty=empty_thresholds(Pyramid.of(picture), seen)
    )
    assert ["".join("?" if d else "." for d in row) for row in detected.doubt] == [".", told]


def test_an_insect_that_looks_like_another_from_a_little_aside_is_not_stated() -> None:
    """Of 35 names of a taught deck that some shifted crop contradicted 7 were wrong."""
    seen = replace(field(["bl gr", "go .."], SURE_WAY), contested=np.array([[False, True], [False, True]]))
    detected, warnings = assess(seen, PretrainedInsects(), (200, 200), is_case=True)
    assert detected.cells == (("blue", None), ("gold", None))
    assert detected.doubt == ((False, True), (False, False))
    assert [warning.message for warning in warnings] == ["a cell: seen a little aside it looks like another insect"]


@pytest.mark.parametrize(
    ("sure", "has_edges", "is_told"), [(0.9, False, False), (0.9, True, True), (0.99, False, True)]
)
def test_a_case_with_doubtful_cells_and_a_side_without_edges_is_not_stated(sure: float, has_edges: bool, is_told: bool):
    """A case was outlined a cell beside where it lies: nine insects were stated in their neighbours' cells."""
    seen = field([".. .. bl gr", ".. .. go le"], SURE_WAY)
    seen.cells.state[:, :2] = [sure, (1 - sure) / 2, (1 - sure) / 2]
    detected, _ = assess(seen, PretrainedInsects(), (200, 200), is_case=True, has_edges=lambda: has_edges)
    assert (detected.cells == ((None, None, "blue", "green"), (None, None, "gold", "leaf"))) == is_told
    assert any(map(any, detected.doubt)) != is_told


class AllBlue(FewShotInsects):
    """Names every insect blue."""

    __slots__ = ()

    def kinds(self, cells: Cells) -> np.ndarray:
        return np.broadcast_to(np.eye(8, dtype=np.float32)[KINDS.index("blue")], (*cells.state.shape[:2], 8))


def looks(*similarities: float) -> np.ndarray:
    """Embeddings (N, 32) so similar to the first axis, those of the same similarity alike."""
    return np.stack([np.array([s, *np.sqrt(1 - s**2) * np.eye(31)[round(1000 * s) % 31]]) for s in similarities])


@pytest.mark.parametrize(
    ("similarities", "told"),
    [
        ((0.98, 0.98, 0.88, 0.88), [0.0, 0.0, np.inf, np.inf]),  # two looks: the second is another kind's
        ((0.98, 0.98, 0.98, 0.88), [0.0, 0.0, 0.0, 0.0]),  # one may be seen badly
        ((0.98, 0.98, 0.96, 0.96), [0.0, 0.0, 0.0, 0.0]),  # as like their example as the others
        ((0.98, 0.98, 0.98, 0.6), [0.0, 0.0, 0.0, np.inf]),  # one like none of them
    ],
)
def test_of_two_looks_of_one_name_the_one_less_as_taught_is_another_kinds(
    similarities: tuple[float, ...], told: list[float]
) -> None:
    """Two mauve beetles, taught in a lamp's light, were told as the white one, and two grey ones as three pink ones."""
    seen = field(["bl bl", "bl bl"], SURE_WAY)
    seen.cells.embedding[...] = looks(*similarities).reshape(2, 2, 32)
    discriminant = Discriminant(("blue",), np.zeros((1, 32), np.float32), np.zeros(1, np.float32))
    tint = np.zeros(3, np.float32)
    blue = AllBlue(np.eye(1, 32, dtype=np.float32), np.array([KINDS.index("blue")]), discriminant, tint, lambda: True)
    (least,) = find_outliers([seen], blue)
    assert least.ravel().tolist() == told


def paper(wide_px: int) -> tuple[Pyramid, np.ndarray]:
    """A pale rectangle 200 px high on a dark table, and its outline."""
    corners = np.array([[100, 100], [100 + wide_px, 100], [100 + wide_px, 300], [100, 300]], np.float32)
    picture = np.random.default_rng(1).normal(70, 4, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    picture[100:300, 100 : 100 + wide_px] = (225, 230, 228)
    return Pyramid.of(picture), corners


@pytest.mark.parametrize(("wide_px", "rows", "is_told"), [(200, 2, True), (280, 2, False), (300, 3, True)])
def test_a_case_has_the_proportion_of_its_cells(wide_px: int, rows: int, is_told: bool) -> None:
    """A case that an arm half covered was outlined up to the sleeve, and its insects were stated in other cells."""
    pyramid, corners = paper(wide_px)
    case = field([".. bl"] * rows, SURE_WAY)
    case = replace(case, quad=Detection(corners, 1.0))
    assert case_has_edges(pyramid, [case], 0) is is_told


@pytest.mark.parametrize(("column", "has_edges"), [("xx", True), ("..", False)], ids=["a hand", "floor"])
def test_along_a_side_that_a_hand_covers_no_edge_need_show(column: str, has_edges: bool) -> None:
    """Four insects that showed plainly were left open, and the cards beside the case with them."""
    bare, corners = paper(200)
    picture = bare.levels[0].copy()
    picture[60:340, 220:] = 120  # a sleeve
    pyramid = Pyramid.of(picture)
    case = replace(field([f".. {column}", f"bl {column}"], SURE_WAY), quad=Detection(corners, 1.0))
    assert case_has_edges(pyramid, [case], 0) is has_edges
