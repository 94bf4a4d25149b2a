"""Comet printings that nobody has drawn before, path-traced."""

from collections.abc import Iterator, Sequence

import numpy as np

from models.drawing.art import Picture
from models.drawing.comet.cards import numeral_boxes_mm, raster_back, raster_face
from models.drawing.comet.layouts import LaidComet, laid_groups, strays
from models.drawing.comet.printings import CometPrinting, Typeface, reference
from models.drawing.comet.styles import STYLES, styled, teaching_cards
from models.traced.studio import LARGE, Described, Rng, Studio, card, opaque, scene


def comet_deck(
    seed: int, studio: Studio, faces: Sequence[Typeface], pictures: int = 2, *, is_known: bool = False
) -> Iterator[Described]:
    """Photographs of a Comet printing, invented or known: that which teaches it, and others."""
    rng = np.random.default_rng(seed)
    look = _known(rng) if is_known else styled(faces, rng, sorted(STYLES)[seed % len(STYLES)])
    gloss = np.array([rng.uniform(0.25, 0.7), rng.choice([0, 0.15, 0.4])])

    def cards(laid: Sequence[LaidComet]) -> list[Described]:
        found = []
        for layer, one in enumerate(laid):
            name = f"{seed}-{'back' if one.values is None else '-'.join(map(str, one.values))}.png"
            face = studio.keep(name, opaque(_comet_face(one, look)))
            about = card(face, one.size, max(0.3, look.rounding_mm), one, layer, gloss)
            marks = [
                {"slot": slot, "corners": box.tolist()}
                for slot, boxes in enumerate(numeral_boxes_mm(one.values, look) if one.values else ())
                for box in boxes
            ]
            found.append({**about, "values": one.values, "marks": marks, "is_turned": look.is_turned})
        return found

    yield scene(rng, studio, cards(teaching_cards(look, rng)), f"{seed}-teach", LARGE, False, fill=0.62)
    for k in range(pictures):
        laid = laid_groups(int(rng.integers(6, 22)), look, rng)
        laid = [*laid, *strays(laid, look, rng)[:3]]
        least = min(place.numeral_mm for place in look.places) / float(rng.uniform(10.5, 16))
        yield scene(rng, studio, cards(laid), f"{seed}-{k}", LARGE, bool(k % 2), least=least)


def _known(rng: Rng) -> CometPrinting:
    return reference("mono" if rng.random() < 0.5 else "keyed")


def _comet_face(one: LaidComet, look: CometPrinting) -> Picture:
    return np.asarray(raster_back(look, 9.0) if one.values is None else raster_face(one.values, look, 9.0), np.uint8)
