"""Learning a printing: photographs become samples, samples a profile; what cannot work is refused with what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused
from companion.printing.layout import Layout
from companion.vision.detection.conditions import tint_of
from companion.vision.enrolment.labels import Candidates, label_of, outlines_of
from companion.vision.enrolment.layout_search import laid_out
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.quality import require_any_quality, require_lit, require_quality
from companion.vision.enrolment.sample import Sample, jpeg_of, rectify_card, taught_of
from companion.vision.enrolment.teaching import Feature, Label, Teaching
from companion.vision.image.pyramid import Pyramid

Pictures = Sequence[tuple[str, NDArray[np.uint8]]]
"""Name and uint8 BGR picture of each photograph."""

HUES_DEG: Mapping[str, float] = {"red": 0, "gold": 42, "yellow": 50, "green": 130, "blue": 220, "purple": 290}
"""The hues that colours' names mean."""
_OWN_HUE_DEG = 40.0
"""An ink further than this from its own name's hue is no such ink."""
_SWAPPED_ALONE_DEG = 42.0
"""Two inks together are so near to each other's names' hues that they are swapped where no third name of a colour bears
its own; see `Teaching.swapped_deg`."""
_CONTRADICTS = 0.5
"""A sample contradicts its label where another class is so many times nearer, by squared distance, than its own."""


def learn(
    teaching: Teaching,
    deck: str,
    pictures: Pictures,
    labels: Sequence[Label] | None = None,
    before: Sequence[Sample] = (),
    *,
    trust_names: bool = False,
) -> Profile:
    """Learn a printing from photographs.

    Args:
        teaching: the game's.
        pictures: the photographs, each in a light of its own.
        labels: one a photograph, in the form of a reading; None where all show the deck's teaching layout.
        before: the samples that there are already.
        trust_names: do not ask whether names are swapped where the inks look so.

    Raises:
        UsageError: the labels do not fit the photographs, or the photographs teach too little; with what to do.
    """
    samples = list(before)
    for index, (name, picture) in enumerate(pictures):
        label = None if labels is None else label_of(name, index, labels)
        samples += take_samples(teaching, deck, name, picture, label, next_light(samples))
    return fit_profile(teaching, deck, samples, trust_names=trust_names)


def next_light(samples: Sequence[Sample]) -> int:
    """The number of the next photograph."""
    return 1 + max((sample.light for sample in samples), default=0)


def take_samples(
    teaching: Teaching,
    deck: str,
    name: str,
    picture: NDArray[np.uint8],
    label: Label | None,
    light: int,
    layouts: Sequence[Layout] = (),
) -> list[Sample]:
    """The samples that one photograph gives; see `learn`. Raises `UsageError`.

    Without a label it shows one of ``layouts``, of the deck's own where none is given.
    """
    pyramid = Pyramid.of(picture)
    found = teaching.candidates(pyramid)
    cards: list[Label]
    if label is None:
        layout, outlines = _seen_layout(name, teaching, layouts or teaching.layouts(deck), found)
        cards = _checked(teaching, deck, [place.label for place in layout.places])
    else:
        cards = _checked(teaching, deck, teaching.cards(label))
        if not cards:
            return []
        outlines = outlines_of(name, found, cards)
    chosen = [i for i, card in enumerate(cards) if teaching.teaches(card)]
    if not chosen:
        return []
    given = [cards[i].get("corners") for i in chosen]
    shown = [cards[i] for i in chosen]
    at = [outlines[i] for i in chosen]
    try:
        require_quality(name, pyramid, at, teaching.frame(shown[0]), *_limits(teaching))
    except TeachingRefused:
        require_lit(name, pyramid)  # where light spoils the whole picture, what is wrong with a card follows from it
        raise
    crops = teaching.crops(pyramid, np.asarray(outlines[chosen], np.float32), given, shown)
    return [
        Sample(_kept(card), jpeg_of(rectify_card(pyramid, corners, teaching.frame(card))), light)
        for corners, card in crops
    ]


def fit_profile(teaching: Teaching, deck: str, samples: Sequence[Sample], *, trust_names: bool = False) -> Profile:
    """What samples teach, checked. Raises `UsageError` where classes are missing, alike, or contradict each other."""
    taught = taught_of(samples)
    features = teaching.features(taught) if taught else []
    _require_all(teaching, deck, features)
    _require_agreement(teaching, taught, features)
    if not trust_names:
        require_own_inks(teaching, features)
    profile = teaching.fit(deck, samples)
    _require_apart(teaching, features)
    lights = len({sample.light for sample in taught})
    made = f"taught on {date.today().isoformat()} from {lights} photograph{'s' if lights > 1 else ''}"
    tint = tint_of([(Pyramid.of(one.crop()), [teaching.frame(one.label).corners]) for one in samples])
    return replace(profile, samples=tuple(samples), made=made, tint=tint.channels)


def separation(teaching: Teaching, features: Sequence[Feature]) -> list[tuple[float, str, str]]:
    """How far apart each two classes lie by their nearest features, in the distance of two that are often mistaken;
    nearest pair first."""
    by_name = _by_name(features)
    found = []
    for a, b in combinations(sorted(by_name), 2):
        off = by_name[a].mean(0) - by_name[b].mean(0)
        found.append((float(np.sqrt((off**2).sum() / teaching.alike)), a, b))
    return sorted(found)


def _checked(teaching: Teaching, deck: str, cards: list[Label]) -> list[Label]:
    """The cards. Raises `UsageError` for one that is none of the deck."""
    for card in cards:
        teaching.check_card(deck, card)
    return cards


def _seen_layout(
    name: str, teaching: Teaching, layouts: Sequence[Layout], found: Candidates
) -> tuple[Layout, NDArray[np.float32]]:
    for layout in layouts:
        outlines = laid_out(found, [len(row) for row in layout.rows])
        if outlines is not None:
            return layout, outlines
    seen = len(found.both)
    require_lit(name, found.pyramid)
    if seen:
        frame = teaching.frame(layouts[0].places[0].label)
        require_any_quality(name, found.pyramid, found.both, frame, *_limits(teaching))
    raise TeachingRefused(
        f"{name} does not show the teaching layout, {seen} card{'s are' if seen != 1 else ' is'} seen: lay all of it "
        f"apart, on a plain ground, with nothing else in view. {layouts[0].words}",
        code="no-layout",
        seen=seen,
    )


def _limits(teaching: Teaching) -> tuple[float, int, float, float]:
    """What `require_quality` asks of the game's cards."""
    return teaching.least_side_px, teaching.fields, teaching.most_white, teaching.softest


def _kept(card: Label) -> dict[str, Any]:
    """A label without what is known only of its photograph."""
    return {key: value for key, value in card.items() if key not in ("corners", "confidence", "cell", "zone", "image")}


def _by_name(features: Sequence[Feature]) -> dict[str, NDArray[np.floating]]:
    names = sorted({feature.name for feature in features})
    return {name: np.stack([f.vector for f in features if f.name == name]) for name in names}


def _require_all(teaching: Teaching, deck: str, features: Sequence[Feature]) -> None:
    shown = {feature.name for feature in features}
    optional = teaching.optional_names(deck)
    missing = [name for name in teaching.names(deck) if name not in shown and name not in optional]
    if missing or not shown:
        named = missing or [name for name in teaching.names(deck) if name not in shown]
        raise TeachingRefused(
            f"the photographs show no {', '.join(named)}: lay every kind in view, or add a photograph of what is "
            "missing",
            code="classes-missing",
            names=named,
        )


def contradictions(teaching: Teaching, features: Sequence[Feature]) -> list[tuple[int, str]]:
    """The features, by place, that lie nearer to those of another name than to the others of their own; and that name.

    Only where they lie so far from their own that the two are not merely alike.
    """
    vectors = np.array([feature.vector for feature in features])
    names = np.array([feature.name for feature in features])
    found = []
    for i, feature in enumerate(features):
        others = np.arange(len(features)) != i
        at = {name: others & (names == name) for name in set(names.tolist())}
        if not at[feature.name].any():
            continue
        off = {
            name: float(((feature.vector - vectors[own].mean(0)) ** 2).sum()) for name, own in at.items() if own.any()
        }
        nearest = min(off, key=lambda name: off[name])
        if off[feature.name] > teaching.alike and off[nearest] < _CONTRADICTS * off[feature.name]:
            found.append((i, nearest))
    return found


def _require_agreement(teaching: Teaching, samples: Sequence[Sample], features: Sequence[Feature]) -> None:
    for place, nearest in contradictions(teaching, features):
        feature = features[place]
        raise TeachingRefused(
            f"labels contradict each other: what is called {feature.name} on photograph "
            f"{samples[feature.sample].light} looks like {nearest} elsewhere; correct one of them, or "
            "photograph it again without a lamp on it",
            code="labels-contradict",
        )


def _require_apart(teaching: Teaching, features: Sequence[Feature]) -> None:
    for far, a, b in separation(teaching, features)[:1]:  # of a single class there is none
        if far**2 * teaching.alike < teaching.same:
            raise TeachingRefused(
                f"{a} and {b} look the same on the photographs and could not be told apart: they differ by {far:.2f} "
                "of what tells two names apart; photograph the cards larger, or in other light",
                code="classes-alike",
                names=[a, b],
            )


def require_own_inks(teaching: Teaching, features: Sequence[Feature]) -> None:
    """Refuse names of colours that are swapped: two printed in each other's, while the other names bear their own.

    Raises:
        TeachingRefused: `labels-swapped`.
    """
    hues = {}
    for name in sorted({feature.name for feature in features} & HUES_DEG.keys()):
        inks = [f.ink for f in features if f.name == name and f.ink is not None]
        hue = _hue_deg(np.median(inks, axis=0), teaching.coloured) if inks else None
        if hue is not None:
            hues[name] = hue

    at_most, gain = teaching.swapped_deg
    swapped = [(a, b) for a, b in combinations(hues, 2) if _seem_swapped(hues[a], hues[b], a, b, at_most, gain)]
    others = hues.keys() - {name for pair in swapped for name in pair}
    if not others:
        swapped = [(a, b) for a, b in swapped if _seem_swapped(hues[a], hues[b], a, b, _SWAPPED_ALONE_DEG, gain)]
        others = hues.keys() - {name for pair in swapped for name in pair}
    if swapped and all(_turn(hues[name], HUES_DEG[name]) <= _OWN_HUE_DEG for name in others):
        a, b = swapped[0]
        raise TeachingRefused(
            f"the labels {a} and {b} look swapped: what is called {a} is printed {b}, and the other way round; "
            "swap them, or say that the names are right",
            code="labels-swapped",
            names=[a, b],
        )


def _seem_swapped(hue_of_a: float, hue_of_b: float, a: str, b: str, at_most: float, gain: float) -> bool:
    """Whether two inks are so near to each other's names' hues, and so much nearer than to their own."""
    as_named = _turn(hue_of_a, HUES_DEG[a]) + _turn(hue_of_b, HUES_DEG[b])
    as_swapped = _turn(hue_of_a, HUES_DEG[b]) + _turn(hue_of_b, HUES_DEG[a])
    return as_swapped < at_most and as_named - as_swapped > gain


def _hue_deg(ink: NDArray[np.floating], coloured: float) -> float | None:
    """The hue of an ink (3,) BGR, None for one less saturated than ``coloured``."""
    pixel = np.clip(np.asarray(ink, np.float32) / 255.0, 0, 1).reshape(1, 1, 3)
    hue, saturation, _ = cv2.cvtColor(pixel, cv2.COLOR_BGR2HSV)[0, 0]
    return float(hue) if saturation >= coloured else None


def _turn(a: float, b: float) -> float:
    return abs((a - b + 180.0) % 360.0 - 180.0)
