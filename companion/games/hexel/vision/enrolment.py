"""Teaching a Hex'el printing: cards that carry a single symbol, so that it does not matter how they are turned."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.layout import layouts
from companion.games.hexel.vision.classifier import (
    FACE_VALUE,
    over_face,
    raw_patches,
    upright_patches,
    without_reflection,
)
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.embedding import NETWORK, embed, embedding_input, patch_variance
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.prototypes import (
    FRAME,
    RADIUS_PX,
    SIDE_PX,
    SymbolProfile,
    face_value_of,
    fit_prototypes,
    shows_print,
)
from companion.games.hexel.vision.recognizer import outlines
from companion.games.hexel.vision.thresholds import LIMITS
from companion.games.hexel.vision.upright import taught_patches, where_upright
from companion.vision.detection.detector import refine_corners
from companion.vision.enrolment.labels import Candidates
from companion.vision.enrolment.learning import learn
from companion.vision.enrolment.sample import EVENINGS_SHARE, TAUGHT, CropFrame, Sample, by_light, mosaic, taught_of
from companion.vision.enrolment.teaching import Confirmed, Cutout, Feature, Label, Teaching
from companion.vision.evidence import Mark
from companion.vision.geometry import HEXAGON, areas
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

_INKED = 0.75
"""The share of a patch that is less unlike the face than its ink."""


class HexelTeaching(Teaching):
    """See `Teaching`."""

    layouts = staticmethod(layouts)
    decks = ("hexel36", "hexel46")
    phrases = ("symbol",)
    profile = SymbolProfile
    few_shot_classifier = FewShotSymbols
    part = "cards"
    least_side_px = LIMITS.least_taught_px
    softest = LIMITS.softest_taught
    alike = LIMITS.alike_squared
    same = LIMITS.same_squared

    def names(self, deck: str) -> tuple[str, ...]:
        """The deck's symbols."""
        return SYMBOLS[deck.removeprefix("hexel")]

    def check_card(self, deck: str, card: Label) -> None:
        """See `Teaching`."""
        edges = card.get("edges")
        if not isinstance(edges, Sequence) or isinstance(edges, str) or len(edges) != 6:
            raise UsageError("a label's edges are six symbols or null", code="unknown-name")
        for edge in edges:
            if edge is not None and edge not in self.names(deck):
                raise UsageError(
                    f"{deck} has no symbol {edge!r}; there are {', '.join(self.names(deck))}", code="unknown-name"
                )

    def teaches(self, card: Label) -> bool:
        """Whether its six symbols are the same."""
        return None not in card["edges"] and len(set(card["edges"])) == 1

    def candidates(self, pyramid: Pyramid) -> Candidates:
        """See `Teaching`."""
        own = outlines(pyramid)[1].astype(np.float32).reshape(-1, 6, 2)
        return Candidates(
            pyramid, 6, own, show_print=lambda some: bool(shows_print(raw_patches(pyramid, some)[0]).all())
        )

    def crops(
        self, pyramid: Pyramid, outlines: NDArray[np.float32], given: Sequence[Any], cards: Sequence[Label]
    ) -> list[tuple[NDArray[np.floating], Label]]:
        """Each card by that outline, as found or as given, through which its symbols look most alike."""
        labels = [{"edges": list(card["edges"])} for card in cards]
        return list(zip(_clearest(pyramid, outlines, given), labels, strict=True))

    def frame(self, card: Label) -> CropFrame:
        """See `Teaching`."""
        return FRAME

    def fit(self, deck: str, samples: Sequence[Sample]) -> SymbolProfile:
        """See `Teaching`."""
        photographs, weights = [], []
        for places in by_light(samples):
            own = [samples[i] for i in places]
            photographs.append((*mosaic(own, FRAME), [tuple(sample.label["edges"]) for sample in own]))
            weights.append(1.0 if own[0].source == TAUGHT else 0.0)
        confirmed = weights.count(0.0)
        shared = EVENINGS_SHARE * (len(weights) - confirmed) / max(confirmed, 1)
        weights = [weight or shared for weight in weights]
        return fit_prototypes(network(NETWORK), deck, photographs, weights, _where_upright(samples))

    def features(self, samples: Sequence[Sample]) -> list[Feature]:
        """Each sample's symbols, the middle of each name."""
        pyramid, corners = mosaic(samples, FRAME)
        net, value = network(NETWORK), face_value_of(pyramid, corners)
        names = [sample.label["edges"] for sample in samples]
        colours, faces = without_reflection(
            *taught_patches(net, pyramid, corners, names, value, _where_upright(samples), {})
        )
        answers = embed(net, embedding_input(colours, faces, value))
        printed = over_face(colours, faces, FACE_VALUE)
        found = []
        for i, sample in enumerate(samples):
            edges = np.array(sample.label["edges"], object)
            for name in sorted({edge for edge in edges if edge is not None}):
                own = edges == name
                found.append(Feature(i, str(name), np.median(answers[i][own], axis=0), _ink(printed[i][own])))
        return found

    def confirmed(self, profile: SymbolProfile, command: Label, marks: Sequence[Mark]) -> list[Confirmed]:
        """The card that was placed."""
        new_marks = [mark for mark in marks if mark.is_new]
        edges = command.get("edges")
        if not isinstance(edges, Sequence) or len(edges) != 6 or [len(mark.face) for mark in new_marks] != [6]:
            return []
        own = [edges[(d + new_marks[0].east) % 6] for d in range(6)]
        return [Confirmed({"edges": own}, new_marks[0].corners, tuple(edges) == new_marks[0].face)]

    def reread(self, profile: SymbolProfile, samples: Sequence[Sample]) -> list[tuple[str, str | None]]:
        """Each symbol of the samples."""
        probabilities = FewShotSymbols(profile).classify(*mosaic(samples, FRAME))
        names = FewShotSymbols(profile).names
        return [
            (name, names[int(seen.argmax())])
            for sample, six in zip(samples, probabilities, strict=True)
            for name, seen in zip(sample.label["edges"], six, strict=True)
            if name is not None
        ]

    def cutouts(self, sample: Sample) -> list[Cutout]:
        """The whole card for a single symbol, else each patch."""
        edges = sample.label["edges"]
        if len(set(edges)) == 1:
            return [Cutout(edges[0], (0, 0, SIDE_PX, SIDE_PX))]
        middles = HEXAGON.unit * RADIUS_PX
        at = (middles + np.roll(middles, -1, 0)) / 2 * 0.76 + SIDE_PX / 2
        half = 0.31 * np.sqrt(0.75) * RADIUS_PX * 1.2
        boxes = np.concatenate([at - half, at + half], axis=1).round().astype(int)
        return [
            Cutout(name, (int(a), int(b), int(c), int(d)))
            for name, (a, b, c, d) in zip(edges, boxes, strict=True)
            if name is not None
        ]

    def relabelled(self, card: Label, cutout: int, name: str | None) -> Label | None:
        """See `Teaching`."""
        edges = list(card["edges"])
        if len(set(edges)) == 1:
            return None if name is None else {**card, "edges": [name] * 6}
        edges[[i for i, edge in enumerate(edges) if edge is not None][cutout]] = name
        return {**card, "edges": edges} if any(edges) else None


TEACHING = HexelTeaching()
learn_hexel = partial(learn, TEACHING)


def _ink(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """What patches (N, S, S, 3) of one symbol are printed in, (3,) BGR, a light face being white."""
    pixels = patches.reshape(-1, 3) / FACE_VALUE
    face = np.median(pixels, axis=0)
    off = np.abs(pixels - face).max(-1)
    return np.asarray(np.median(pixels[off >= np.quantile(off, _INKED)], axis=0) * 255, np.float32)


def _where_upright(samples: Sequence[Sample]) -> float:
    """See `where_upright`, of the taught cards that carry a single symbol."""
    single = [sample for sample in taught_of(samples) if len(set(sample.label["edges"])) == 1]
    if not single:
        return 0.0
    pyramid, corners = mosaic(single, FRAME)
    return where_upright(network(NETWORK), pyramid, corners, face_value_of(pyramid, corners))


def _clearest(pyramid: Pyramid, found: np.ndarray, given: Sequence[Any]) -> np.ndarray:
    """For each card that outline, as found or as given, through which its six symbols look most alike.

    Where symbols stand upright, the direction 0 of all cards is the picture's right: mostly they lie the same way up.
    """
    net, value = network(NETWORK), face_value_of(pyramid, found)
    outlines = [found]
    if all(corners is not None and len(corners) == 6 for corners in given):
        labelled = np.asarray(given, np.float32).reshape(-1, 6, 2)
        labelled = np.where(areas(labelled.astype(float))[:, None, None] > 0, labelled, labelled[:, ::-1])
        outlines += [labelled, refine_corners(CORNER_REFINER, pyramid, labelled)]
    upright_at = min(where_upright(net, pyramid, one, value) for one in outlines)
    cut = partial(upright_patches, turn=0, at=upright_at) if upright_at else raw_patches
    outlines = [_right_first(one) for one in outlines] if upright_at else outlines
    variances = [patch_variance(embed(net, embedding_input(*cut(pyramid, one), value))) for one in outlines]
    return np.stack([outlines[int(best)][card] for card, best in enumerate(np.argmin(variances, axis=0))])


def _right_first(outlines: np.ndarray) -> np.ndarray:
    """The outlines (N, 6, 2), each from the corner on whose edge's side the picture's right lies."""
    edges = (outlines + np.roll(outlines, -1, 1)) / 2 - outlines.mean(1, keepdims=True)
    first = (edges[..., 0] / np.linalg.norm(edges, axis=-1)).argmax(1)
    return np.stack([np.roll(one, -corner, 0) for one, corner in zip(outlines, first, strict=True)])
