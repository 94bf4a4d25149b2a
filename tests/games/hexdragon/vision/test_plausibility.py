"""How HexDragon's tiles and stars are told: what is sure, and nothing beyond; and what the supply makes doubtful."""

from dataclasses import dataclass

import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import NAMES, Answers, Face, accepted_edges, edge_probabilities
from companion.games.hexdragon.vision.results import DetectedTile, TileReading, assess
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell
from companion.vision.detection.detector import Detection
from companion.vision.geometry import HEXAGON

BODY = ("+3", "+1", "+5", "+3", "+1", "+5")
HEAD = ("+3", "+1", "+5", "+3", "head:red", "tail")
START = ("tail",) * 6
STAR = ("star:blue",) * 6
NEAR = HEXAGON.unit * 40 + 400


@dataclass(frozen=True, slots=True)
class Plain:
    """States what is as sure as a reading asks; looks at no picture."""

    def accept(self, probabilities: np.ndarray) -> Face:
        return accepted_edges(probabilities, LIMITS.sure_edge, LIMITS.sure_owner)


def shown(face: tuple[str, ...], sure: float = 0.99, open_edges: tuple[int, ...] = ()) -> np.ndarray:
    p = np.full((6, len(NAMES)), (1 - sure) / (len(NAMES) - 1), np.float32)
    for d, name in enumerate(face):
        p[d, NAMES.index(name)] = sure
    for d in open_edges:
        p[d, NAMES.index(face[d])], p[d, 0 if face[d] != "+1" else 1] = 0.55, 0.4
    return p


def tile(face: tuple[str, ...], sure: float = 0.99, open_edges: tuple[int, ...] = ()) -> DetectedTile:
    p = shown(face, sure, open_edges)
    return DetectedTile((1, -1), accepted_edges(p, LIMITS.sure_edge, LIMITS.sure_owner), NEAR, 0.9, 0.95, p)


def read(*pieces: tuple[Cell, tuple[str, ...], float]) -> TileReading:
    placed = [
        (cell, 0, Detection((NEAR + 100 * i).astype(np.float32), 0.99), shown(face, sure))
        for i, (cell, face, sure) in enumerate(pieces)
    ]
    return assess(placed, Plain(), (4000, 4000), 0)  # type: ignore[arg-type]  # it only states


def codes(reading: TileReading) -> list[str]:
    return [warning.code for warning in reading.warnings]


def test_a_body_tells_its_three_paths() -> None:
    told = tile(BODY).as_json()
    assert (told["kind"], told["owner"], told["head"], told["tails"]) == ("body", None, None, [])
    assert told["paths"] == [[0, 3], [1, 2], [4, 5]]


def test_a_head_tells_its_owner_its_edge_its_tail_and_two_paths() -> None:
    told = tile(HEAD).as_json()
    assert (told["kind"], told["owner"], told["head"], told["tails"]) == ("head", "red", 4, [5])
    assert told["paths"] == [[0, 3], [1, 2]]


def test_the_start_tile_tells_six_tails() -> None:
    told = tile(START).as_json()
    assert (told["kind"], told["tails"], told["paths"]) == ("start", [0, 1, 2, 3, 4, 5], [])


def test_of_a_half_read_body_the_sure_path_is_told_and_the_others_are_null() -> None:
    told = tile(BODY, open_edges=(1, 2, 4, 5)).as_json()
    assert told["paths"] == [[0, 3], None, None]
    assert told["tails"] in ([], None)


def test_of_a_tile_whose_kind_is_hidden_the_sure_paths_are_told_and_one_null_for_the_rest() -> None:
    nothing = np.full((1, 6, 7), 1 / 7, np.float32)
    for d, far in enumerate(BODY[:4]):
        nothing[0, d] = 0.001
        nothing[0, d, int(far) - 1] = 0.994
    p = edge_probabilities(Answers(nothing, np.full((1, 4), 0.25), np.array([[0.99, 0.005, 0.005]])))[0]
    told = DetectedTile((1, -1), accepted_edges(p, LIMITS.sure_edge, LIMITS.sure_owner), NEAR, 0.9, 0.95, p).as_json()
    assert (told["kind"], told["paths"], told["tails"]) == (None, [[0, 3], [1, 2], None], None)


def test_a_head_whose_owner_is_open_still_tells_its_edge() -> None:
    p = shown(HEAD)
    p[4] = 0.001
    p[4, [NAMES.index("head:red"), NAMES.index("head:yellow")]] = 0.55, 0.43
    told = DetectedTile((0, 1), accepted_edges(p, LIMITS.sure_edge, LIMITS.sure_owner), NEAR, 0.9, 0.95, p).as_json()
    assert (told["kind"], told["owner"], told["head"], told["tails"]) == ("head", None, 4, [5])


def test_a_tile_that_cannot_be_read_guesses_nothing() -> None:
    nothing = np.full((1, 6, 7), 1 / 7, np.float32)
    p = edge_probabilities(Answers(nothing, np.full((1, 4), 0.25), np.array([[0.9, 0.05, 0.05]])))[0]
    told = DetectedTile((1, -1), accepted_edges(p, LIMITS.sure_edge, LIMITS.sure_owner), NEAR, 0.9, 0.95, p).as_json()
    assert [told[key] for key in ("kind", "owner", "head", "tails", "paths")] == [None] * 5


def test_cells_are_counted_from_the_start_tile() -> None:
    reading = read(((4, 1), BODY, 0.99), ((3, 1), START, 0.99), ((3, 2), STAR, 0.99))
    told = reading.as_json()
    assert [one["cell"] for one in told["tiles"]] == [[1, 0], [0, 0]]
    assert told["stars"][0]["cell"] == [0, 1]
    assert told["stars"][0]["owner"] == "blue"
    assert codes(reading) == []


def test_without_a_start_tile_the_reading_says_so() -> None:
    assert codes(read(((0, 0), BODY, 0.99))) == ["no-start-tile"]


def test_a_tile_on_no_cell_of_the_largest_board_is_no_tile_of_the_game() -> None:
    reading = read(((0, 0), START, 0.99), ((4, 0), BODY, 0.99))
    assert [card.cell for card in reading.cards] == [(0, 0)]


def test_of_four_heads_of_a_colour_the_least_certain_is_doubted() -> None:
    heads = [((0, q), HEAD, sure) for q, sure in ((-2, 0.985), (-1, 0.98), (1, 0.9), (2, 0.985))]
    reading = read(((0, 0), START, 0.99), *heads)
    assert codes(reading) == ["too-many", "unsure"]
    assert [card.cell for card in reading.cards if None in card.edges] == [(0, 1)]


def test_a_fourth_head_that_is_plainly_seen_stays() -> None:
    reading = read(((0, 0), START, 0.99), *(((0, q), HEAD, 0.999) for q in (-2, -1, 1, 2)))
    assert codes(reading) == ["too-many"]
    assert all(None not in card.edges for card in reading.cards)


def test_a_whole_table_of_start_tiles_is_another_game_and_all_are_doubted() -> None:
    reading = read(*(((q, 0), START, 0.9995 if q == 1 else 0.999) for q in range(5)))
    assert codes(reading) == ["too-many", *["unsure"] * 5]
    assert not [card for card in reading.cards if None not in card.edges]


def test_of_two_start_tiles_however_plain_neither_is_told() -> None:
    reading = read(((0, 0), START, 0.9999), ((1, 0), START, 0.9995), ((0, 1), BODY, 0.99))
    assert codes(reading) == ["too-many", "unsure", "unsure"]
    assert [card.cell for card in reading.cards if None not in card.edges] == [(0, 1)]
    assert [tile["kind"] for tile in reading.as_json()["tiles"]] == [None, None, "body"]


@pytest.mark.parametrize(("copies", "said"), [(8, []), (9, ["too-many", "unsure"])])
def test_more_of_a_class_than_two_sets_hold_is_doubted(copies: int, said: list[str]) -> None:
    cells = [(q, r) for q in range(-1, 2) for r in range(-1, 3) if (q, r) != (0, 0)]
    reading = read(((0, 0), START, 0.99), *((cell, BODY, 0.9) for cell in cells[:copies]))
    assert codes(reading) == said


def test_of_a_tile_that_the_rim_cuts_nothing_is_stated() -> None:
    cut = Detection((NEAR - NEAR.max(0) + 20).astype(np.float32), 0.99)
    reading = assess([((0, 0), 0, cut, shown(BODY))], Plain(), (640, 480), 0)  # type: ignore[arg-type]
    assert [card.edges for card in reading.cards] == [(None,) * 6]
    assert "the picture's rim cuts it" in reading.warnings[-1].message


def test_of_two_stars_of_a_colour_the_less_plain_one_may_be_a_counter_and_is_only_warned_of() -> None:
    reading = read(((0, 0), START, 0.99), ((0, 1), STAR, 0.9995), ((1, 0), STAR, 0.93))
    assert codes(reading) == ["too-many"]
    assert [(star["cell"], star["owner"]) for star in reading.as_json()["stars"]] == [([0, 1], "blue")]


def test_two_stars_of_a_colour_that_are_both_plainly_seen_stay() -> None:
    reading = read(((0, 0), START, 0.99), ((0, 1), STAR, 0.9995), ((1, 0), STAR, 0.9994))
    assert codes(reading) == ["too-many"]
    assert [star["owner"] for star in reading.as_json()["stars"]] == ["blue", "blue"]


def test_a_star_whose_cell_the_rim_cuts_is_told() -> None:
    cut = Detection((NEAR - NEAR.min(0) - 5).astype(np.float32), 0.99)
    reading = assess([((0, 0), 0, cut, shown(STAR))], Plain(), (640, 480), 0)  # type: ignore[arg-type]
    assert reading.as_json()["stars"][0]["owner"] == "blue"
