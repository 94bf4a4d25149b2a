"""Interprets a HexDragon table: translates tiles between the rules' views, the commands and the camera's edges.

A reserved star is not part of the tableau: its cell stays open to its owner's tile, which then is a new card.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.games.hexdragon.vision.classifier import ENDS, FACES, end_shares
from companion.games.hexdragon.vision.results import DetectedTile
from companion.interpretation.lattice import LatticeInterpreter, LatticeTerms
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.results import DetectedCard
from companion.vision.tracking.layouts import Edges

_MIN_PROBABILITY = 0.001
"""Faces less likely than this are not offered."""


def interpreter() -> LatticeInterpreter:
    """A new interpreter of a HexDragon table."""
    return LatticeInterpreter(LatticeTerms(tableau, cells, tile_from_edges, tile_alternatives))


def tableau(view: Mapping[str, Any]) -> dict[Cell, Edges]:
    """The tiles on the table in a view."""
    colours = {name: seat["colour"] for name, seat in view["players"].items()}
    return {
        (tile["cell"][0], tile["cell"][1]): face(tile, colours.get(tile["player"])) for tile in view["table"]["tiles"]
    }


def cells(command: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cell that a command lays a tile or a star on."""
    return ((command["cell"][0], command["cell"][1]),) if "cell" in command else ()


def face(tile: Mapping[str, Any], owner: str | None) -> Edges:
    """The edges of a view's tile as a camera reads them, for its owner's colour: where the path at each edge leads.

    >>> face({"head": 4, "tails": [5], "paths": [[0, 3], [1, 2]]}, "red")
    ('+3', '+1', '+5', '+3', 'head:red', 'tail')
    """
    edges: list[str | None] = [None] * 6
    for a, b in tile["paths"]:
        edges[a], edges[b] = f"+{(b - a) % 6}", f"+{(a - b) % 6}"
    for tail in tile["tails"]:
        edges[tail] = "tail"
    if tile["head"] is not None:
        edges[tile["head"]] = f"head:{owner}"
    return tuple(edges)


def tile_from_edges(edges: Edges) -> dict[str, Any] | None:
    """A tile or a star as the rules' `interpret` takes it; None when an edge could not be read.

    >>> tile_from_edges(("+3", "+1", "+5", "+3", "head:red", "tail"))["paths"]
    [[0, 3], [1, 2]]
    >>> tile_from_edges(("star:blue",) * 6)
    {'kind': 'star', 'owner': 'blue'}
    """
    named = [edge for edge in edges if edge is not None]
    if len(named) < len(edges):
        return None
    if named[0].startswith("star:"):
        return {"kind": "star", "owner": named[0].partition(":")[2]}
    heads = [d for d, edge in enumerate(named) if edge.startswith("head:")]
    tails = [d for d, edge in enumerate(named) if edge == "tail"]
    joins = [(d, (d + int(edge)) % 6) for d, edge in enumerate(named) if edge[0] == "+"]
    return {
        "kind": "start" if len(tails) == 6 else "head" if heads else "body",
        "owner": named[heads[0]].partition(":")[2] if heads else None,
        "head": heads[0] if heads else None,
        "tails": tails,
        "paths": [[a, b] for a, b in joins if a < b],
    }


def tile_alternatives(
    command: Command, new_cards: Sequence[DetectedCard], cards: Sequence[DetectedCard] = ()
) -> list[Any]:
    """For the tile that a command lays: ``[["tile"], {the tile as JSON: probability}]``, each with the same owner.

    Args:
        command: the move.
        new_cards: its tiles as detected, in the game's cells.
        cards: all known tiles; not used.
    """
    alternatives: list[Any] = []
    for card in new_cards:
        if "tile" not in command or not isinstance(card, DetectedTile) or card.cell != tuple(command["cell"]):
            continue
        ends = end_shares(card.probabilities)
        shares = ends[np.arange(6), FACES].min(axis=1)  # an edge's share sums over all faces with that edge
        likely = [int(k) for k in np.argsort(-shares) if shares[k] >= _MIN_PROBABILITY]
        owner = {name: value for name, value in command["tile"].items() if name == "owner"}
        alternatives.append([["tile"], {_as_json(k, owner): round(float(shares[k]), 4) for k in likely}])
    return alternatives


def _as_json(face: int, owner: Mapping[str, Any]) -> str:
    """One of `FACES`, as a command lays it."""
    tile = tile_from_edges(tuple("head:" if ENDS[k] == "head" else ENDS[k] for k in FACES[face]))
    assert tile is not None, "a face has all its edges"
    ends = {"head": tile["head"], "tails": tile["tails"]} if tile["kind"] == "head" else {}
    return json.dumps({"kind": tile["kind"], **ends, "paths": tile["paths"], **owner}, sort_keys=True)
