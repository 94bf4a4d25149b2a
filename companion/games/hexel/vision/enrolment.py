"""Learning a Hex'el printing: labelled photographs in, a profile out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.games.hexel.vision.classifier import raw_patches
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.prototypes import (
    SymbolProfile,
    embed,
    embedding_input,
    face_value_of,
    fit_prototypes,
    unlikeness,
)
from companion.games.hexel.vision.recognizer import outlines
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.enrolment.labels import label_of, outlines_of
from companion.vision.geometry.shapes import areas
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network


def learn_hexel(
    deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]
) -> SymbolProfile:
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
        label = label_of(name, index, labels)
        pyramid = Pyramid.of(picture)
        _, found = outlines(pyramid)
        cards = [*(label.get("cards") or []), *(label.get("loose") or [])]
        corners, edges = _paired(name, found, cards)
        if len(corners):
            given = [card.get("corners") for card in cards if _is_single(card)]
            shown.append((pyramid, _clearest(pyramid, corners, given), edges))
    if not shown:
        raise UsageError("no card with a single symbol is on the photographs", code="too-few-symbols")
    return fit_prototypes(network("hexel/embedding/weights.onnx"), deck, shown)


def _paired(
    name: str, found: np.ndarray, cards: Sequence[Mapping[str, Any]]
) -> tuple[np.ndarray, list[tuple[str | None, ...]]]:
    """The outlines of the labelled single-symbol cards, and their symbols."""
    outlines_found = outlines_of(name, found, cards)
    single = [i for i, card in enumerate(cards) if _is_single(card)]
    return outlines_found[single], [tuple(cards[i]["edges"]) for i in single]


def _is_single(card: Mapping[str, Any]) -> bool:
    face = card.get("edges") or ()
    return len(face) == 6 and len(set(face)) == 1


def _clearest(pyramid: Pyramid, found: np.ndarray, given: Sequence[Sequence[Sequence[float]] | None]) -> np.ndarray:
    """For each card that outline, as found or as given, through which its six symbols look most alike."""
    net, value = network("hexel/embedding/weights.onnx"), face_value_of(pyramid, found)
    ways = [found]
    if all(corners is not None and len(corners) == 6 for corners in given):
        told = np.asarray(given, np.float32).reshape(-1, 6, 2)
        told = np.where(areas(told.astype(float))[:, None, None] > 0, told, told[:, ::-1])
        ways += [told, refine_corners(CORNER_REFINER, pyramid, told)]
    off = [unlikeness(embed(net, embedding_input(*raw_patches(pyramid, way), value))) for way in ways]
    return np.stack([ways[int(way)][card] for card, way in enumerate(np.argmin(off, axis=0))])
