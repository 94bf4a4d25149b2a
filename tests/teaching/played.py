"""Moves as a table keeps them: the cards read on a picture, each with the command that laid it, as a past game."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from companion.games.hexapod.interpretation import _card_corners, _case_card
from companion.games.hexdragon.interpretation import tile_from_edges
from companion.referee.moves import KeptPicture
from companion.vision.evidence import evidence_picture
from companion.vision.results import DetectedCard

Move = tuple[dict[str, Any], list[Any], list[Any]]
"""A command, the cards that it is about as they were read, and others that are known."""


def kept_game(
    folder: Path,
    number: int,
    picture: np.ndarray,
    moves: Sequence[Move],
    confidence: float = 0.8,
) -> Any:
    """A past game with these moves, all read on one picture."""
    path = folder / f"{number:04}.jsonl"
    evidence = path.with_suffix(".evidence")
    evidence.mkdir(parents=True)
    kept_moves = []
    for line, (command, news, known) in enumerate(moves):
        jpeg = evidence_picture(picture, [*news, *known], news)
        (evidence / f"{line:04}.jpg").write_bytes(jpeg)
        kept = KeptPicture(f"{line:04}.jpg", hashlib.sha256(jpeg).hexdigest(), confidence)
        kept_moves.append(SimpleNamespace(command=command, evidence=kept))
    return SimpleNamespace(number=number, path=path, moves=tuple(kept_moves))


def hexel_moves(reading: Any) -> Iterator[Move]:
    """Each card placed."""
    for card in (*reading.cards, *reading.loose):
        if None not in card.edges:
            yield {"cmd": "place", "cell": [0, 0], "edges": list(card.edges)}, [card], []


def hexdragon_moves(reading: Any) -> Iterator[Move]:
    """Each head placed."""
    for card in reading.cards:
        tile = tile_from_edges(card.edges)
        if tile is not None and tile["kind"] == "head":
            yield {"cmd": "place", "cell": [0, 0], "tile": tile}, [card], []


def hexapod_moves(reading: Any) -> Iterator[Move]:
    """Each card that lies whole in a case's even rows and columns."""
    for case in reading.cards:
        for row, col in ((r, c) for r in (0, 2) for c in (0, 2)):
            cells = [[case.cells[row + r][col + c] for c in (0, 1)] for r in (0, 1)]
            kinds = tuple(kind for line in cells for kind in line)
            if None not in kinds:
                corners = _card_corners(case, row, col)
                card = DetectedCard(None, kinds, corners, case.confidence, case.confidence, np.zeros((4, 0)))
                yield {"cmd": "play", "row": row, "col": col, "card": {"cells": cells}}, [card], [_case_card(case)]


def comet_moves(reading: Any) -> Iterator[Move]:
    """The cards two by two as sets."""
    cards = [card for card in reading.cards if card.values and None not in card.values]
    for first in range(0, len(cards), 2):
        pair = cards[first : first + 2]
        yield {"cmd": "set", "player": "Ana", "pot": "left", "cards": [card.values for card in pair]}, pair, []


MOVES: Mapping[str, Callable[[Any], Iterator[Move]]] = {
    "hexel": hexel_moves,
    "hexdragon": hexdragon_moves,
    "hexapod": hexapod_moves,
    "comet": comet_moves,
}
