"""What else may lie there: the recogniser's chances for each place of a command, as suggestions are ranked by them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from companion.meaning.hexdragon import thing
from companion.rules.engine import Command
from companion.vision.comet_seen import SeenComet
from companion.vision.hexdragon_faces import FACES, end_shares
from companion.vision.hexdragon_seen import SeenTile
from companion.vision.numerals import NUMBERS
from companion.vision.paths import ENDS
from companion.vision.seen import SeenCard

_LEAST = 0.001


def chances(command: Command, news: Sequence[SeenCard], cards: Sequence[SeenCard]) -> list[Any]:
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


def number_chances(command: Command, news: Sequence[SeenComet]) -> list[Any]:
    """For every number of a set's cards: ``[["cards", card, n], {number: 0..1}]``.

    Args:
        command: what the hands did.
        news: the cards that say so.
    """
    told: list[Any] = []
    waiting = list(news)
    for n, values in enumerate(command.get("cards", ())):
        card = next((one for one in waiting if one.values == sorted(values)), None)
        if card is None:
            continue
        waiting.remove(card)
        sections = sorted(range(len(values)), key=lambda section: int(card.edges[section] or 0))
        places = sorted(range(len(values)), key=lambda place: values[place])
        for place, section in zip(places, sections, strict=True):
            row = card.probabilities[section].tolist()
            likely = {str(number): round(p, 4) for number, p in zip(NUMBERS, row, strict=False) if p >= _LEAST}
            told.append([["cards", n, place], likely])
    return told


def tile_chances(command: Command, news: Sequence[SeenCard]) -> list[Any]:
    """For the HexDragon tile that a command lays: ``[["tile"], {the tile as JSON: 0..1}]``; its owner stays.

    Args:
        command: what the hands did.
        news: the tiles that say so, in the game's cells.
    """
    told: list[Any] = []
    for card in news:
        if "tile" not in command or not isinstance(card, SeenTile) or card.cell != tuple(command["cell"]):
            continue
        ends = end_shares(card.probabilities)
        shares = ends[np.arange(6), FACES].min(axis=1)  # each edge's chance is that of all faces that have it so
        likely = [int(k) for k in np.argsort(-shares) if shares[k] >= _LEAST]
        owned = {name: value for name, value in command["tile"].items() if name == "owner"}
        told.append([["tile"], {_as_json(k, owned): round(float(shares[k]), 4) for k in likely}])
    return told


def _as_json(face: int, owned: Mapping[str, Any]) -> str:
    """One of `FACES`, as a command lays it."""
    named = tuple("head:" if ENDS[k] == "head" else ENDS[k] for k in FACES[face])
    seen = thing(named)
    assert seen is not None, "a face has all its edges"
    ends = {"head": seen["head"], "tails": seen["tails"]} if seen["kind"] == "head" else {}
    return json.dumps({"kind": seen["kind"], **ends, "paths": seen["paths"], **owned}, sort_keys=True)


def _laid(command: Command) -> Iterator[tuple[list[str | int], Mapping[str, Any]]]:
    """The cards that a command lays by their symbols, each with where it stands in the command."""
    named: list[tuple[list[str | int], Any]] = [(["cards", n], card) for n, card in enumerate(command.get("cards", ()))]
    for place, card in named or [([], command)]:
        if isinstance(card, Mapping) and "edges" in card and "cell" in card:
            yield place, card


def _names(cards: Sequence[SeenCard]) -> dict[int, str]:
    stated = ((row, name) for card in cards for row, name in zip(card.probabilities, card.edges, strict=False))
    return {int(row.argmax()): name for row, name in stated if name is not None}


def _named(row: Sequence[float], names: Mapping[int, str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for number, name in names.items():
        told[name] = round(told.get(name, 0.0) + row[number], 4)
    return told
