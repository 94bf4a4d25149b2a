"""Learning a HexDragon set: labelled photographs in, a profile of its owners' inks out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.vision.hexdragon_faces import FACES, HEAD, TAIL, face_weights
from companion.vision.hexdragon_inks import Profile, head_ink, rim_ink
from companion.vision.hexdragon_namers import tile_network
from companion.vision.hexdragon_reading import read_hexdragon
from companion.vision.hexdragon_seen import SeenTile
from companion.vision.labelling import outlines_of
from companion.vision.paths import OWNERS, answers_to, cut_tiles
from companion.vision.pyramid import Pyramid

Label = Mapping[str, Any]


def learn_hexdragon(deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Label]) -> Profile:
    """Learn whose heads look how.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``tiles`` and perhaps their ``corners``, which may be rough;
            without them tiles are taken from top to bottom and left to right.

    Raises:
        UsageError: the labels do not fit the pictures, or show no head with its owner.
    """
    inks: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for index, (name, picture) in enumerate(pictures):
        label = next((one for one in labels if one.get("image") == name), labels[min(index, len(labels) - 1)])
        for owner, head, rim in _shown(name, picture, label):
            inks.setdefault(owner, []).append((head, rim))
    if not inks:
        raise UsageError("no head with its owner is on the photographs", code="too-few-heads")
    owners = tuple(sorted(inks, key=OWNERS.index))
    heads = [np.median([head for head, _ in inks[owner]], axis=0) for owner in owners]
    rims = [np.median([rim for _, rim in inks[owner]], axis=0) for owner in owners]
    return Profile(deck, owners, np.array(heads, np.float32), np.array(rims, np.float32))


def _shown(name: str, picture: np.ndarray, label: Label) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """The owner, the head's ink and the rim's of every labelled head on a picture."""
    tiles = [tile for tile in label.get("tiles") or [] if tile.get("kind")]
    pyramid = Pyramid.of(picture)
    seen = [card.corners for card in read_hexdragon(picture).cards if not (isinstance(card, SeenTile) and card.is_star)]
    corners = outlines_of(name, np.array(seen, np.float32).reshape(-1, 6, 2), tiles)
    views, _ = cut_tiles(pyramid, corners)
    ends = answers_to(tile_network(), views).ends
    edges = _head_edges(ends, tiles)
    return [
        (str(tile["owner"]), head_ink(view, edge), rim_ink(view))
        for tile, view, edge in zip(tiles, views, edges, strict=True)
        if tile["kind"] == "head" and tile.get("owner") in OWNERS
    ]


def _head_edges(ends: np.ndarray, tiles: Sequence[Label]) -> list[int]:
    """Each labelled head's edge in its view's own directions: the turn in which the label fits what is seen best."""
    weights = face_weights(ends)
    edges = []
    for weight, tile in zip(weights, tiles, strict=True):
        face = _face(tile)
        turned = [tuple(face[(d - turns) % 6] for d in range(6)) for turns in range(6)]
        fits = [sum(float(w) for w, one in zip(weight, FACES, strict=True) if tuple(one) == face) for face in turned]
        edges.append(turned[int(np.argmax(fits))].index(HEAD) if HEAD in face else 0)
    return edges


def _face(tile: Label) -> tuple[int, ...]:
    """A labelled tile's ends, indices of `paths.ENDS`."""
    ends = [TAIL] * 6
    if tile.get("head") is not None:
        ends[tile["head"]] = HEAD
    for a, b in tile.get("paths") or []:
        ends[a], ends[b] = (b - a) % 6 - 1, (a - b) % 6 - 1
    return tuple(ends)
