"""Learning a Hex'el printing: labelled photographs in, a profile out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.vision.hexel_reading import outlines
from companion.vision.labelling import outlines_of
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
    outlines_found = outlines_of(name, found, cards)
    faces = [tuple(card.get("edges") or ()) for card in cards]
    single = [i for i, face in enumerate(faces) if len(face) == 6 and len(set(face)) == 1]
    return outlines_found[single], [faces[i] for i in single]
