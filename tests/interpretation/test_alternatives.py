"""The recognizer's alternatives for each place of a command."""

import json

import numpy as np

from companion.games.comet.interpretation import number_alternatives
from companion.games.comet.vision.results import NUMBERS, DetectedCometCard
from companion.games.hexdragon.interpretation import tile_alternatives
from companion.games.hexdragon.vision.classifier import NAMES
from companion.games.hexdragon.vision.results import DetectedTile
from companion.games.hexel.interpretation import symbol_alternatives
from companion.vision.results import DetectedCard

CORNERS = np.zeros((6, 2), np.float32)


def seen(cell: tuple[int, int], edges: tuple[str | None, ...], rows: list[list[float]]) -> DetectedCard:
    return DetectedCard(cell, edges, CORNERS, 0.9, 0.99, np.array(rows))


PLAIN = seen((0, 0), ("red",) * 3 + ("blue",) * 3, [[0.98, 0.01, 0.0, 0.01]] * 3 + [[0.01, 0.98, 0.0, 0.01]] * 3)
DOUBTFUL = seen((1, 0), ("red",) * 5 + (None,), [[0.98, 0.01, 0.0, 0.01]] * 5 + [[0.5, 0.3, 0.15, 0.05]])


def test_each_edge_of_the_card_laid_has_its_chances_by_the_symbols_names() -> None:
    command = {"cmd": "place", "player": "Ana", "cell": [1, 0], "edges": ["red"] * 6}
    alternatives = symbol_alternatives(command, [DOUBTFUL], [PLAIN, DOUBTFUL])
    assert [place for place, _ in alternatives] == [["edges", edge] for edge in range(6)]
    assert alternatives[5][1] == {"red": 0.5, "blue": 0.3}


def test_of_several_cards_each_is_found_by_its_cell() -> None:
    command = {"cmd": "line", "cards": [{"cell": [0, 0], "edges": ["red"] * 6}, {"cell": [1, 0], "edges": ["red"] * 6}]}
    places = [place for place, _ in symbol_alternatives(command, [PLAIN, DOUBTFUL], [PLAIN, DOUBTFUL])]
    assert places[0] == ["cards", 0, "edges", 0]
    assert places[-1] == ["cards", 1, "edges", 5]


def test_a_card_without_symbols_has_none() -> None:
    assert symbol_alternatives({"cmd": "place", "cell": [1, 0], "tile": {"kind": "head"}}, [DOUBTFUL], [DOUBTFUL]) == []
    assert symbol_alternatives({"cmd": "set", "cards": [[4, 5, 10]]}, [], []) == []


def comet(edges: tuple[str, ...], **doubts: float) -> DetectedCometCard:
    rows = np.zeros((3, 15))
    for section, edge in enumerate(edges):
        rows[section, NUMBERS.index(int(edge))] = 0.9
        if f"s{section}" in doubts:
            rows[section, NUMBERS.index(int(doubts[f"s{section}"]))] = 0.08
    return DetectedCometCard((0, 0), edges, CORNERS, 0.9, 0.99, rows)


def test_the_numbers_of_a_set_have_their_chances_where_they_stand_in_the_command() -> None:
    new_cards = [comet(("10", "4", "5"), s1=9), comet(("9", "5", "5"))]
    alternatives = {
        tuple(place): of
        for place, of in number_alternatives({"cmd": "set", "cards": [[5, 5, 9], [4, 5, 10]]}, new_cards)
    }
    assert alternatives["cards", 1, 0] == {"4": 0.9, "9": 0.08}
    assert alternatives["cards", 1, 2] == {"10": 0.9}
    assert alternatives["cards", 0, 2] == {"9": 0.9}
    assert len(alternatives) == 6


def tile(face: tuple[str, ...], other: tuple[str, ...], share: float) -> DetectedTile:
    """A tile that most likely shows one face, and another with such a share at every edge where they differ."""
    p = np.full((6, len(NAMES)), 1e-4)
    for edge, names in enumerate(zip(face, other, strict=True)):
        p[edge, NAMES.index(names[1])] = share
        p[edge, NAMES.index(names[0])] = 1 - share if names[0] != names[1] else 0.99
    return DetectedTile((1, 0), face, CORNERS, 0.9, 0.99, p)


def test_the_tile_that_was_laid_has_its_chances_as_a_whole() -> None:
    command = {"cmd": "place", "cell": [1, 0], "tile": {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]]}}
    card = tile(("+3", "+1", "+5", "+3", "+1", "+5"), ("+3",) * 6, 0.3)
    [[place, likely]] = tile_alternatives(command, [card])
    assert place == ["tile"]
    first, second = ((json.loads(text)["paths"], chance) for text, chance in list(likely.items())[:2])
    assert (first[0], first[1] > 0.65) == ([[0, 3], [1, 2], [4, 5]], True)
    assert (second[0], second[1] < 0.35) == ([[0, 3], [1, 4], [2, 5]], True)


def test_a_head_keeps_the_owner_that_the_command_names() -> None:
    tiles = {"kind": "head", "head": 4, "tails": [5], "paths": [[0, 3], [1, 2]], "owner": "red"}
    face = ("+3", "+1", "+5", "+3", "head:red", "tail")
    [[_, likely]] = tile_alternatives({"cmd": "place", "cell": [1, 0], "tile": tiles}, [tile(face, face, 0.9)])
    assert json.loads(next(iter(likely))) == tiles


def test_a_star_has_no_tiles_chances() -> None:
    assert tile_alternatives({"cmd": "star", "cell": [1, 0]}, [tile(("tail",) * 6, ("tail",) * 6, 0.9)]) == []
