"""Learning a HexDragon set: labelled photographs in, a profile of its owners' inks out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.games.hexdragon.vision.classifier import HEAD, OWNERS, TAIL, answers_to, cut_tiles, tile_network
from companion.games.hexdragon.vision.prototypes import WHOLE, InkProfile, fit_inks
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexdragon.vision.results import DetectedTile
from companion.vision.enrolment.labels import label_of, outlines_of
from companion.vision.image.pyramid import Pyramid

Label = Mapping[str, Any]


def learn_hexdragon(deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Label]) -> InkProfile:
    """Learn whose heads look how.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``tiles`` and perhaps their ``corners``, which may be rough;
            without them tiles are taken from top to bottom and left to right.

    Raises:
        UsageError: the labels do not fit the pictures, or show no head with its owner.
    """
    shown: list[tuple[str, np.ndarray, int]] = []
    for index, (name, picture) in enumerate(pictures):
        shown += _shown(name, picture, label_of(name, index, labels))
    if not shown:
        raise UsageError("no head with its owner is on the photographs", code="too-few-heads")
    return fit_inks(deck, shown)


def _shown(name: str, picture: np.ndarray, label: Label) -> list[tuple[str, np.ndarray, int]]:
    """The owner, the view and the head's edge of every labelled head on a picture."""
    tiles = [tile for tile in label.get("tiles") or [] if tile.get("kind")]
    if not tiles:
        return []
    pyramid = Pyramid.of(picture)
    seen = [
        card.corners for card in read_hexdragon(picture).cards if not (isinstance(card, DetectedTile) and card.is_star)
    ]
    corners = _aligned_outlines(outlines_of(name, np.array(seen, np.float32).reshape(-1, 6, 2), tiles))
    views, _ = cut_tiles(pyramid, corners, most=WHOLE)
    ends = answers_to(tile_network(), views).ends
    edges = _head_edges(ends, tiles)
    return [
        (str(tile["owner"]), view, edge)
        for tile, view, edge in zip(tiles, views, edges, strict=True)
        if tile["kind"] == "head" and tile.get("owner") in OWNERS
    ]


def _aligned_outlines(outlines: np.ndarray) -> np.ndarray:
    """Outlines (N, 6, 2) begun at corners that lie alike on all of them: each edge looks the same way."""
    ways = outlines - outlines.mean(1, keepdims=True)
    ways = ways / np.linalg.norm(ways, axis=2, keepdims=True)
    turns = [min(range(6), key=lambda k: float(np.abs(np.roll(way, -k, 0) - ways[0]).sum())) for way in ways]
    return np.stack([np.roll(outline, -k, 0) for outline, k in zip(outlines, turns, strict=True)])


def _head_edges(ends: np.ndarray, tiles: Sequence[Label]) -> list[int]:
    """Each labelled head's edge in the views' own directions: the one turn in which all labels fit best what is seen.

    Args:
        ends: (N, 6, 7) what the edges of the tiles lead to, in views that all look the same way.
        tiles: the labels, whose naming of directions is free.
    """
    faces = np.array([_face(tile) for tile in tiles])
    told = np.log(np.maximum(ends, 1e-3))
    rows = np.arange(6)
    fits = [sum(float(t[rows, np.roll(f, k)].sum()) for t, f in zip(told, faces, strict=True)) for k in range(6)]
    turns = int(np.argmax(fits))
    return [((tile.get("head") or 0) + turns) % 6 for tile in tiles]


def _face(tile: Label) -> tuple[int, ...]:
    """A labelled tile's ends, indices of `paths.ENDS`."""
    ends = [TAIL] * 6
    if tile.get("head") is not None:
        ends[tile["head"]] = HEAD
    for a, b in tile.get("paths") or []:
        ends[a], ends[b] = (b - a) % 6 - 1, (a - b) % 6 - 1
    return tuple(ends)
