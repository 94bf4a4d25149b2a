"""Interprets a Hex'el table: translates cards between the rules' views, the commands and the camera's edges."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.interpretation.lattice import LatticeInterpreter, LatticeTerms
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.results import DetectedCard
from companion.vision.tracking.layouts import Edges


def interpreter() -> LatticeInterpreter:
    """A new interpreter of a Hex'el table."""
    return LatticeInterpreter(LatticeTerms(tableau, cells, tuple, symbol_alternatives))


def tableau(view: Mapping[str, Any]) -> dict[Cell, Edges]:
    """The cards on the table in a view."""
    return {(c["cell"][0], c["cell"][1]): tuple(c["edges"]) for c in view["table"]["tableau"]}


def cells(command: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells that a command lays cards on."""
    laid = command.get("cards", [command] if "cell" in command else [])
    return tuple((c["cell"][0], c["cell"][1]) for c in laid)


def symbol_alternatives(
    command: Command, new_cards: Sequence[DetectedCard], cards: Sequence[DetectedCard]
) -> list[Any]:
    """For every edge that a command states: ``[[field, ..., n], {symbol: probability}]``.

    The classes' names are taken from the symbols recognised on all cards; a class that was not recognised on any card
    has no name and is left out. So are cards whose face is not a list of symbols.

    Args:
        command: the move.
        new_cards: its cards as detected, in the game's cells.
        cards: all known cards.
    """
    names = _names(cards)
    return [
        [[*place, "edges", edge], _by_name(row, names)]
        for place, laid in _laid(command)
        for card in new_cards
        if card.cell == tuple(laid["cell"]) and len(card.probabilities) == len(laid["edges"])
        for edge, row in enumerate(card.probabilities.tolist())
    ]


def _laid(command: Command) -> Iterator[tuple[list[str | int], Mapping[str, Any]]]:
    """The cards that a command lays by their symbols, each with its place in the command."""
    listed: list[tuple[list[str | int], Any]]
    listed = [(["cards", n], card) for n, card in enumerate(command.get("cards", ()))]
    for place, card in listed or [([], command)]:
        if isinstance(card, Mapping) and "edges" in card and "cell" in card:
            yield place, card


def _names(cards: Sequence[DetectedCard]) -> dict[int, str]:
    edges = ((row, name) for card in cards for row, name in zip(card.probabilities, card.edges, strict=False))
    return {int(row.argmax()): name for row, name in edges if name is not None}


def _by_name(row: Sequence[float], names: Mapping[int, str]) -> dict[str, float]:
    """Sum a row of class probabilities by symbol."""
    probabilities: dict[str, float] = {}
    for number, name in names.items():
        probabilities[name] = round(probabilities.get(name, 0.0) + row[number], 4)
    return probabilities
