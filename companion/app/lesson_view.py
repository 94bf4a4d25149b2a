"""What the page is told of a lesson: what to lay, in the language that is spoken, what samples show, what was read."""

from typing import Any

import numpy as np

from companion.printing.layout import Layout, Place
from companion.views.words import knows, phrase
from companion.vision.enrolment.sample import Sample
from companion.vision.enrolment.teaching import Teaching
from companion.vision.results import DetectedCard


def layout_words(teaching: Teaching, layout: Layout) -> str:
    """How to lay the cards, in the language spoken."""
    shown = [called(teaching, place.shows) for place in layout.places if place.shows]
    return _said(layout.phrase, layout.words, names=", ".join(shown))


def place_words(teaching: Teaching, place: Place) -> str:
    """What to lay at a place, in the language spoken."""
    return _said(place.phrase, place.words, name=called(teaching, place.shows))


def _said(name: str, text: str, /, **fields: str) -> str:
    return phrase("layouts", name, text=text, **fields) if knows("layouts", name) else text


def called(teaching: Teaching, name: str) -> str:
    """A class's name in the language spoken."""
    places = [(section, f"{prefix}-{name}") for prefix in teaching.phrases for section in ("games", "layouts")]
    return next((phrase(*place) for place in places if knows(*place)), name)


def sample_as_json(teaching: Teaching, number: int, sample: Sample) -> dict[str, Any]:
    """A sample: which photograph it is of, and its parts under their names."""
    frame = teaching.frame(sample.label)
    cutouts = [{"name": one.name, "box": list(one.box)} for one in teaching.cutouts(sample)]
    return {
        "number": number,
        "size": list(frame.size),
        "light": sample.light,
        "source": sample.source,
        "cutouts": cutouts,
    }


def card_as_json(teaching: Teaching, card: Any) -> dict[str, Any]:
    """A card of a reading: its outline, and what it shows, row by row, as people call it; null where unsure.

    ``places`` are where on the picture its names stand, where their order alone would not say it.
    """
    rows = [[name and called(teaching, name) for name in row] for row in card.names]
    at = card.name_places if isinstance(card, DetectedCard) else np.zeros((0, 2))
    corners, places = (np.round(points.astype(float), 1).tolist() for points in (card.corners, at))
    return {"corners": corners, "names": rows, "places": places}
