"""Learning a Hex'el printing: labelled photographs in, a profile out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.vision.hexel_reading import outlines
from companion.vision.models import network
from companion.vision.profile import Profile, learnt
from companion.vision.pyramid import Pyramid


def learn_hexel(deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]) -> Profile:
    """Learn from cards that carry a single symbol: how a card is turned does not matter then.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``cards`` and ``loose`` with ``edges`` and perhaps ``corners``,
            which may be rough; without them cards are taken from top to bottom and left to right.

    Raises:
        UsageError: the labels do not fit the pictures, or show too few symbols.
    """
    shown = []
    for index, (name, picture) in enumerate(pictures):
        label = next(
            (one for one in labels if one.get("image") == name), labels[index] if index < len(labels) else None
        )
        if label is None:
            raise UsageError(f"no label for {name}", code="labels-differ")
        pyramid = Pyramid.of(picture)
        _, found = outlines(pyramid)
        corners, edges = _paired(name, found, [*(label.get("cards") or []), *(label.get("loose") or [])])
        if len(corners):
            shown.append((pyramid, corners, edges))
    if not shown:
        raise UsageError("no card with a single symbol is on the photographs", code="too-few-symbols")
    return learnt(network("hexel-likeness/likeness.onnx"), deck, shown)


def _paired(
    name: str, found: np.ndarray, cards: Sequence[Mapping[str, Any]]
) -> tuple[np.ndarray, list[tuple[str | None, ...]]]:
    """The outlines of the labelled single-symbol cards, and their symbols."""
    ordered = list(found[_reading_order(found)]) if len(found) else []
    have_corners = all(card.get("corners") for card in cards)
    if not have_corners and len(ordered) != len(cards):
        raise UsageError(
            f"{name}: {len(cards)} cards are labelled and {len(ordered)} are seen; give their corners",
            code="labels-differ",
        )
    corners: list[np.ndarray] = []
    edges: list[tuple[str | None, ...]] = []
    for position, card in enumerate(cards):
        symbols = tuple(card.get("edges") or ())
        if len(symbols) != 6 or len(set(symbols)) != 1:
            continue
        corners.append(_nearest(ordered, np.asarray(card["corners"], float)) if have_corners else ordered[position])
        edges.append(symbols)
    return np.array(corners, np.float32).reshape(-1, 6, 2), edges


def _nearest(found: Sequence[np.ndarray], rough: np.ndarray) -> np.ndarray:
    """The outline found where a rough one is given; the rough one itself where none is found."""
    centre, reach = rough.mean(0), 0.35 * float(np.ptp(rough, axis=0).mean())
    near = [outline for outline in found if np.linalg.norm(outline.mean(0) - centre) < reach]
    if not near:
        return rough.astype(np.float32)
    return min(near, key=lambda outline: float(np.linalg.norm(outline.mean(0) - centre)))


def _reading_order(found: np.ndarray) -> np.ndarray:
    """Top to bottom, and left to right among those that lie about as high."""
    centres = found.mean(1)
    height = float(np.median(np.ptp(found[..., 1], axis=1)))
    rows = np.zeros(len(found), int)
    row, top = -1, -np.inf
    for i in np.argsort(centres[:, 1]):
        if centres[i, 1] - top > 0.5 * height:
            row, top = row + 1, centres[i, 1]
        rows[i] = row
    return np.lexsort((centres[:, 0], rows))
