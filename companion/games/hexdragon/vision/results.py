"""Detected HexDragon tiles and stars, and their reading."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.games.hexdragon.vision.classifier import HEAD_NAMES, NAMES, STAR_NAMES
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.results import DetectedCard, Reading, calibrated

_TAIL = NAMES.index("tail")
_HEAD, _STAR = NAMES.index(HEAD_NAMES[0]), NAMES.index(STAR_NAMES[0])


@dataclass(frozen=True, slots=True, eq=False)
class DetectedTile(DetectedCard):
    """One tile or star token on a picture; its ``edges`` are a face, see `classifier`."""

    @property
    def kind(self) -> str | None:
        """``start``, ``head``, ``body`` or ``star``; None where unsure."""
        labels = {edge.partition(":")[0] for edge in self.edges if edge is not None}
        if None not in self.edges:
            return "start" if labels == {"tail"} else next((k for k in ("head", "star") if k in labels), "body")
        return next((kind for kind, share in self._kind_probabilities().items() if share >= LIMITS.sure_edge), None)

    @property
    def is_star(self) -> bool:
        """Whether it is more probably a star token than a tile."""
        return self._kind_probabilities()["star"] > 0.5

    @property
    def owner(self) -> str | None:
        """The owner of the head or star; None where unsure."""
        named = [edge for edge in self.edges if edge is not None and ":" in edge]
        return named[0].partition(":")[2] if named else None

    @property
    def head(self) -> int | None:
        """The head edge; None where unsure."""
        shares = self.probabilities[:, _HEAD:_STAR].sum(-1)
        return int(shares.argmax()) if shares.max() >= LIMITS.sure_edge else None

    @property
    def paths(self) -> list[list[int] | None] | None:
        """The pairs of joined edges, null for each unsure pair, or once for all of them where the kind is unsure."""
        joins = [(d, (d + int(edge)) % 6) for d, edge in enumerate(self.edges) if edge is not None and edge[0] == "+"]
        pairs: list[list[int] | None] = [[a, b] for a, b in joins if a < b]
        if self.kind is None:
            return [*pairs, None] if pairs else None
        return pairs + [None] * ({"body": 3, "head": 2}.get(self.kind, 0) - len(pairs))

    @property
    def tails(self) -> list[int] | None:
        """The tail edges; null where unsure."""
        kind = self.kind
        tails = [d for d, edge in enumerate(self.edges) if edge == "tail"]
        if kind is None or len(tails) != {"start": 6, "head": 1}.get(kind, 0):
            return None
        return tails

    def as_json(self) -> dict[str, Any]:
        """As the contract prints a tile; a star has its cell and its owner."""
        cell = None if self.cell is None else list(self.cell)
        where = {"corners": np.round(self.corners.astype(float), 2).tolist(), "confidence": calibrated(self.confidence)}
        if self.is_star:
            return {"cell": cell, "kind": "star", "owner": self.owner, **where}
        face = {"head": self.head if self.kind in ("head", None) else None, "tails": self.tails, "paths": self.paths}
        return {"cell": cell, "kind": self.kind, "owner": self.owner, **face, **where}

    def line(self) -> str:
        """The piece for people, where it lies first."""
        where = "nowhere" if self.cell is None else f"({self.cell[0]}, {self.cell[1]})"
        return f"{where:>9}  {self.words():<32}  {self.confidence:.2f}"

    def words(self) -> str:
        """What it is, for people."""
        return in_words(self.as_json())

    def _kind_probabilities(self) -> dict[str, float]:
        """The probability of each kind: every head has one head edge, the start six tails."""
        p = self.probabilities
        head = float(p[:, _HEAD:_STAR].sum())
        start = max(0.0, (float(p[:, _TAIL].sum()) - head) / 6)
        tile = float(p[:, :_STAR].sum(-1).mean())
        return {
            "head": head,
            "start": start,
            "body": tile - head - start,
            "star": float(p[:, _STAR:-1].sum(-1).mean()),
        }


def in_words(tile: dict[str, Any]) -> str:
    """A tile or star as `read` prints it, for people.

    >>> in_words({"kind": "head", "owner": "red", "head": 2, "tails": [4], "paths": [[0, 3], None]})
    'red head at 2, tail at 4, 0-3 ?'
    """
    owner = f"{tile['owner'] or '?'} " if tile["kind"] in ("head", "star") else ""
    if tile["kind"] in ("star", "start"):
        return f"{owner}{tile['kind']}"
    paths = " ".join("?" if path is None else f"{path[0]}-{path[1]}" for path in tile["paths"] or [None])
    if tile["kind"] != "head":
        return f"{tile['kind'] or 'a tile, but which'} {paths}"
    head = "?" if tile["head"] is None else tile["head"]
    tails = "?" if tile["tails"] is None else tile["tails"][0]
    return f"{owner}head at {head}, tail at {tails}, {paths}"


@dataclass(frozen=True, slots=True, eq=False)
class TileReading(Reading):
    """What lies on one picture of a HexDragon table: tiles and stars are its ``cards``."""

    def as_json(self) -> dict[str, Any]:
        """The game's part of what `companion read` prints."""
        stars = [card.as_json() for card in self.cards if _is_star(card)]
        return {
            "tiles": [card.as_json() for card in self.cards if not _is_star(card)],
            "stars": [{key: star[key] for key in ("cell", "owner", "corners", "confidence")} for star in stars],
            "warnings": [w.as_json() for w in self.warnings],
        }

    def summary(self) -> str:
        """How much was read, for people."""
        stars = sum(map(_is_star, self.cards))
        return f"{len(self.cards) - stars} tiles, {stars} stars"


def _is_star(card: DetectedCard) -> bool:
    return isinstance(card, DetectedTile) and card.is_star
