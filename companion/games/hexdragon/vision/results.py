"""Detected HexDragon tiles and stars, and their reading: accepted or doubted, with the supply as a prior."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import BODY_CLASSES, BODY_SET, COLOURS, HEADS_EACH, SETS
from companion.games.hexdragon.vision.classifier import HEAD_NAMES, NAMES, STAR_NAMES, Face, TileClassifier, star_share
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, distance
from companion.vision.detection.detector import Detection
from companion.vision.results import DetectedCard, Reading, ReadingWarning, calibrated, confidence_of, unreadable

_TAIL = NAMES.index("tail")
_HEAD, _STAR = NAMES.index(HEAD_NAMES[0]), NAMES.index(STAR_NAMES[0])
_AFTER = np.array([1, 2, 3, 4, 5, 0])
UNREAD: Face = (None,) * 6
Pieces = Sequence[tuple[Cell, int, Detection, NDArray[np.float32]]]


@dataclass(frozen=True, slots=True, eq=False)
class DetectedTile(DetectedCard):
    """One tile or star token on a picture; its ``edges`` are a face, see `classifier`."""

    @property
    def kind(self) -> str | None:
        """``start``, ``head``, ``body`` or ``star``; None where unsure."""
        labels = {edge.partition(":")[0] for edge in self.edges if edge is not None}
        if None not in self.edges:
            return "start" if labels == {"tail"} else next((k for k in ("head", "star") if k in labels), "body")
        kind = next((kind for kind, share in self._kind_probabilities().items() if share >= LIMITS.sure_edge), None)
        return None if kind == "start" and "tail" not in labels else kind  # of several start tiles none is one

    @property
    def is_star(self) -> bool:
        """Whether it is more probably a star token than a tile."""
        return star_share(self.probabilities) > 0.5

    @property
    def extent(self) -> float:
        """How much of its outline, from the middle, it covers: a star is smaller than its cell."""
        return LIMITS.star_room if self.is_star else 1.0

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

    @property
    def names(self) -> list[list[str | None]]:
        """Its owner where it has one, and what it is; None for each that is unsure, and once for unsure paths."""
        owner = [self.owner] if self.kind in ("head", "star") else []
        return [[*owner, self.kind, *([None] if None in (self.paths or ()) else [])]]

    def line(self) -> str:
        """The piece for people, where it lies first."""
        where = "nowhere" if self.cell is None else f"({self.cell[0]}, {self.cell[1]})"
        return f"{where:>9}  {self.words():<32}  {calibrated(self.confidence):.2f}"

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
            "star": star_share(p),
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


def assess(pieces: Pieces, classifier: TileClassifier, size: tuple[int, int], off_grid: int) -> TileReading:
    """Assemble the reading: accept confident edges and doubt the rest.

    Legality is a prior, never an answer: of a second start tile, a fourth head of a colour or more tiles of a class
    than two supply sets hold, the least confident are rejected; clear ones stay. Of several start tiles all are
    rejected: in dim light a body of three straight lines may look more like one than the start tile does.

    Args:
        pieces: each with its cell, the edge that looks in direction 0, its outline and its probabilities (6, C).
        classifier: of the tiles.
        size: width and height of the picture.
        off_grid: how many tiles are on no cell.
    """
    cards = [card for piece in pieces if (card := _detected_tile(piece, classifier, size)) is not None]
    counted, has_start = _count_from_start(cards)
    kept, warnings = _reject_surplus(counted)
    if not has_start:
        warnings.append(
            ReadingWarning("no-start-tile", "the start tile is not seen: cells are counted from another tile")
        )
    if off_grid:
        warnings.append(ReadingWarning("off-board", f"{off_grid} tiles lie on no cell of the board"))
    warnings += [_unsure(card, size) for card in kept if None in card.edges]
    return TileReading(tuple(kept), (), tuple(warnings), classifier)


def _detected_tile(
    piece: tuple[Cell, int, Detection, NDArray[np.float32]], classifier: TileClassifier, size: tuple[int, int]
) -> DetectedTile | None:
    """The piece with its accepted face; None of a tile of which too few edges are accepted for its presence."""
    cell, east, found, probabilities = piece
    is_readable = bool(are_whole(found.corners[None], size)[0]) or star_share(probabilities) > 0.5
    face = classifier.accept(probabilities) if is_readable else UNREAD
    card = DetectedTile(cell, face, found.corners, 0.0, found.confidence, probabilities, east)
    accepted = sum(edge is not None for edge in face)
    if not card.is_star and not any(accepted >= least and found.confidence >= at for least, at in LIMITS.tile_by_edges):
        return None
    return replace(card, confidence=confidence_of(card.presence, probabilities, face))


def unread(card: DetectedTile) -> DetectedTile:
    """The piece with all its edges rejected."""
    none = np.zeros_like(card.probabilities)
    return replace(card, edges=UNREAD, probabilities=none, confidence=card.presence * 0.5)


def without_colour(card: DetectedTile) -> DetectedTile:
    """The piece without its owner, which only colour tells."""
    edges = tuple(None if edge is not None and ":" in edge else edge for edge in card.edges)
    return replace(card, edges=edges)


def are_whole(outlines: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.bool_]:
    """Of which outlines (N, 6, 2) every edge's middle is in the picture, (N,)."""
    middles = (outlines + outlines[:, _AFTER]) / 2
    return np.asarray(((middles > -1) & (middles < np.array(size))).all((1, 2)))


def _count_from_start(cards: list[DetectedTile]) -> tuple[list[DetectedTile], bool]:
    """The cards with cells counted from the start tile, and only those on its board; whether there is one."""
    starts = [card for card in cards if card.kind == "start"]
    if not starts:
        return cards, False
    middle = max(starts, key=lambda card: card.confidence).cell
    assert middle is not None, "pieces without a cell are no part of a reading"
    q, r = middle
    moved = [replace(card, cell=(card.cell[0] - q, card.cell[1] - r)) for card in cards if card.cell is not None]
    return [card for card in moved if _is_on_board(card, moved)], True


def _is_on_board(card: DetectedTile, cards: list[DetectedTile]) -> bool:
    """Whether a tile is near the start tile or beside another one, or a star as near as tiles."""
    far = distance((0, 0), card.cell or (0, 0))
    if card.is_star:
        return far <= max(LIMITS.radius, *(distance((0, 0), c.cell or (0, 0)) for c in cards if not c.is_star))
    return far <= LIMITS.radius or any(distance(other.cell or (0, 0), card.cell or (0, 0)) == 1 for other in cards)


def _reject_surplus(cards: list[DetectedTile]) -> tuple[list[DetectedTile], list[ReadingWarning]]:
    """Reject the least confident of more cards of a group than there can be, and warn."""
    groups: dict[str, list[int]] = {}
    for i, card in enumerate(cards):
        for group in _groups(card):
            groups.setdefault(group, []).append(i)
    warnings, out, dropped = [], list(cards), set()
    for group, members in groups.items():
        if len(members) <= _ALLOWED[group]:
            continue
        too_many = len(members) - _ALLOWED[group]
        weak = sorted(members, key=lambda i: cards[i].confidence)[: None if group == "start" else too_many]
        text = f"{group} is seen {len(members)} times, and sets in play have {_ALLOWED[group]}"
        warnings.append(ReadingWarning("too-many", text, cards[weak[0]].centre))
        for i in weak:
            if cards[i].is_star and star_share(cards[i].probabilities) < LIMITS.plain_star:
                dropped.add(i)
            elif group == "start" or float(cards[i].probabilities.max(-1).min()) < LIMITS.plain_edge:
                out[i] = replace(cards[i], edges=UNREAD, confidence=min(0.5, cards[i].confidence))
    return [card for i, card in enumerate(out) if i not in dropped], warnings


def _allowed() -> Counter[str]:
    """How many of each group are in two supply sets, which three or four players use."""
    bodies = Counter(f"body {tile.class_name}" for tile in BODY_SET for _ in range(max(SETS.values())))
    heads = Counter({f"head {owner}": HEADS_EACH for owner in COLOURS})
    return bodies + heads + Counter({f"star {owner}": 1 for owner in COLOURS}) + Counter({"start": 1})


_ALLOWED = _allowed()


def _groups(card: DetectedTile) -> list[str]:
    """The group that limits a fully read piece."""
    if None in card.edges:
        return []
    if card.kind == "body":
        steps = sorted(min(int(edge or 0), 6 - int(edge or 0)) for edge in card.edges)
        return [f"body {BODY_CLASSES[tuple(steps[::2])]}"]
    return [" ".join(filter(None, (card.kind, card.owner)))]


def _unsure(card: DetectedTile, size: tuple[int, int]) -> ReadingWarning:
    what = "a star" if card.is_star else f"{sum(edge is None for edge in card.edges)} edges of a tile"
    return unreadable(what, card, size)
