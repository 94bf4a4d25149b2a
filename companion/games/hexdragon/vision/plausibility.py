"""Accepts or doubts the tiles of a HexDragon picture: thresholds, with the supply as a prior."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import BODY_CLASSES, BODY_SET, COLOURS, HEADS_EACH, SETS
from companion.games.hexdragon.vision.classifier import Face, TileClassifier, star_share
from companion.games.hexdragon.vision.results import DetectedTile, TileReading
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, distance
from companion.vision.detection.detector import Detection
from companion.vision.results import ReadingWarning

UNREAD: Face = (None,) * 6

Pieces = Sequence[tuple[Cell, int, Detection, NDArray[np.float32]]]


def assess(pieces: Pieces, classifier: TileClassifier, size: tuple[int, int], off_grid: int) -> TileReading:
    """Assemble the reading: accept confident edges and doubt the rest.

    Legality is a prior, never an answer: of a second start tile, a fourth head of a colour or more tiles of a class
    than two supply sets hold, the least confident are rejected; clear ones stay, unless there are so many start tiles
    that these must be other cards than HexDragon's.

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
    cell, east, found, probabilities = piece
    face = (
        classifier.accept(probabilities) if is_whole(found.corners, size) or star_share(probabilities) > 0.5 else UNREAD
    )
    card = DetectedTile(cell, face, found.corners, 0.0, found.confidence, probabilities, east)
    accepted = sum(edge is not None for edge in face)
    if not card.is_star and not any(accepted >= least and found.confidence >= at for least, at in LIMITS.tile_by_edges):
        return None
    return replace(card, confidence=_confidence(card))


def unread(card: DetectedTile) -> DetectedTile:
    """The piece with all its edges rejected."""
    none = np.zeros_like(card.probabilities)
    return replace(card, edges=UNREAD, probabilities=none, confidence=card.presence * 0.5)


def without_colour(card: DetectedTile) -> DetectedTile:
    """The piece without its owner, which only colour tells."""
    edges = tuple(None if edge is not None and ":" in edge else edge for edge in card.edges)
    return replace(card, edges=edges)


def is_whole(corners: NDArray[np.float32], size: tuple[int, int]) -> bool:
    """Whether every edge's middle is in the picture."""
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    return bool((middles > -1).all() and (middles < np.array(size)).all())


def _confidence(card: DetectedTile) -> float:
    best = card.probabilities.max(-1)
    accepted = [float(p) for edge, p in zip(card.edges, best, strict=True) if edge is not None]
    return card.presence * min(accepted, default=0.5)


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
        weak = sorted(members, key=lambda i: cards[i].confidence)[:too_many]
        text = f"{group} is seen {len(members)} times, and sets in play have {_ALLOWED[group]}"
        warnings.append(ReadingWarning("too-many", text, cards[weak[0]].centre))
        for i in weak:
            if cards[i].is_star and star_share(cards[i].probabilities) < LIMITS.plain_star:
                dropped.add(i)
            elif (group == "start" and too_many >= LIMITS.foreign_starts) or float(
                cards[i].probabilities.max(-1).min()
            ) < LIMITS.plain_edge:
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
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    what = "a star" if card.is_star else f"{sum(edge is None for edge in card.edges)} edges of a tile"
    return ReadingWarning("unsure", f"{what} cannot be read{where}", card.centre)
