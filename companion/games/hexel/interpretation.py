"""What a camera sees of a Hex'el table in the rules' words: its cells, its faces, and what else a symbol may be."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.interpretation.lattice import LatticeInterpreter, Words
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.results import DetectedCard
from companion.vision.tracking.registration import Edges


def interpreter() -> LatticeInterpreter:
    """A fresh interpreter of a Hex'el table."""
    return LatticeInterpreter(Words(lying, cells, tuple, chances))


def lying(view: Mapping[str, Any]) -> dict[Cell, Edges]:
    """The cards that the game's view says lie on the table."""
    return {(c["cell"][0], c["cell"][1]): tuple(c["edges"]) for c in view["table"]["tableau"]}


def cells(command: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells that a command lays cards on."""
    laid = command.get("cards", [command] if "cell" in command else [])
    return tuple((c["cell"][0], c["cell"][1]) for c in laid)


def chances(command: Command, news: Sequence[DetectedCard], cards: Sequence[DetectedCard]) -> list[Any]:
    """For every edge that a command states: ``[[field, ..., n], {symbol: 0..1}]``.

    What each class of the recogniser is called follows from the symbols that it stated; a class of which none was
    stated has no name here. Cards whose faces are no list of symbols have no chances.

    Args:
        command: what the hands did.
        news: the cards that say so, in the game's cells.
        cards: all cards known.
    """
    names = _names(cards)
    return [
        [[*place, "edges", edge], _named(row, names)]
        for place, laid in _laid(command)
        for card in news
        if card.cell == tuple(laid["cell"]) and len(card.probabilities) == len(laid["edges"])
        for edge, row in enumerate(card.probabilities.tolist())
    ]


def _laid(command: Command) -> Iterator[tuple[list[str | int], Mapping[str, Any]]]:
    """The cards that a command lays by their symbols, each with where it stands in the command."""
    named: list[tuple[list[str | int], Any]] = [(["cards", n], card) for n, card in enumerate(command.get("cards", ()))]
    for place, card in named or [([], command)]:
        if isinstance(card, Mapping) and "edges" in card and "cell" in card:
            yield place, card


def _names(cards: Sequence[DetectedCard]) -> dict[int, str]:
    stated = ((row, name) for card in cards for row, name in zip(card.probabilities, card.edges, strict=False))
    return {int(row.argmax()): name for row, name in stated if name is not None}


def _named(row: Sequence[float], names: Mapping[int, str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for number, name in names.items():
        told[name] = round(told.get(name, 0.0) + row[number], 4)
    return told
