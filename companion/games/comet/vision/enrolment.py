"""Learning a Comet printing: there is nothing to learn, and a labelled photograph shows whether that is so."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from companion.errors import UsageError
from companion.games.comet.vision.recognizer import read_comet
from companion.vision.enrolment.labels import label_of


def learn_comet(deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]) -> NoReturn:
    """Read the labelled pictures and say how well that goes without learning: a profile would change nothing.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``cards`` with ``values``.

    Raises:
        UsageError: `nothing-to-learn` always, with the count of cards read right; `labels-differ` where one is missing.
    """
    right = shown = 0
    for index, (name, picture) in enumerate(pictures):
        wanted = _labelled(name, index, labels)
        told = Counter(_key(card["values"]) for card in read_comet(picture).as_json()["cards"])
        shown += sum(wanted.values())
        right += sum((wanted & told).values())
    raise UsageError(
        f"{deck} needs no learning, numerals are read as print: of the {shown} cards labelled {right} are read right",
        code="nothing-to-learn",
    )


def _labelled(name: str, index: int, labels: Sequence[Mapping[str, Any]]) -> Counter[Any]:
    """How often each card is on a picture."""
    return Counter(_key(card.get("values")) for card in label_of(name, index, labels).get("cards") or [])


def _key(values: Sequence[int | None] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(sorted(v for v in values if v is not None))
