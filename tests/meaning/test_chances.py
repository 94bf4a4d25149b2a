"""The recogniser's chances told for each place of a command."""

import numpy as np

from companion.meaning.chances import chances
from companion.vision.seen import SeenCard

CORNERS = np.zeros((6, 2), np.float32)


def seen(cell: tuple[int, int], edges: tuple[str | None, ...], rows: list[list[float]]) -> SeenCard:
    return SeenCard(cell, edges, CORNERS, 0.9, 0.99, np.array(rows))


PLAIN = seen((0, 0), ("red",) * 3 + ("blue",) * 3, [[0.98, 0.01, 0.0, 0.01]] * 3 + [[0.01, 0.98, 0.0, 0.01]] * 3)
DOUBTFUL = seen((1, 0), ("red",) * 5 + (None,), [[0.98, 0.01, 0.0, 0.01]] * 5 + [[0.5, 0.3, 0.15, 0.05]])


def test_each_edge_of_the_card_laid_has_its_chances_by_the_symbols_names() -> None:
    command = {"cmd": "place", "player": "Ana", "cell": [1, 0], "edges": ["red"] * 6}
    told = chances(command, [DOUBTFUL], [PLAIN, DOUBTFUL])
    assert [place for place, _ in told] == [["edges", edge] for edge in range(6)]
    assert told[5][1] == {"red": 0.5, "blue": 0.3}


def test_of_several_cards_each_is_found_by_its_cell() -> None:
    command = {"cmd": "line", "cards": [{"cell": [0, 0], "edges": ["red"] * 6}, {"cell": [1, 0], "edges": ["red"] * 6}]}
    places = [place for place, _ in chances(command, [PLAIN, DOUBTFUL], [PLAIN, DOUBTFUL])]
    assert places[0] == ["cards", 0, "edges", 0]
    assert places[-1] == ["cards", 1, "edges", 5]


def test_a_card_without_symbols_has_none() -> None:
    assert chances({"cmd": "place", "cell": [1, 0], "tile": {"kind": "head"}}, [DOUBTFUL], [DOUBTFUL]) == []
    assert chances({"cmd": "set", "cards": [[4, 5, 10]]}, [], []) == []
