"""Teaching a Comet printing: upright cards that together show every number, and perhaps one that lies face down.

On each photograph the cards' outlines are brought to agree, and the places found where all cards show their labelled
numbers; a sample keeps both with its crop. A profile holds the places, what the number classifier answers for each
number there, and the look that all faces, and all backs, have in common.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused, UsageError
from companion.games.comet.deck import ACE
from companion.games.comet.layout import layouts
from companion.games.comet.vision.appearance import card_colour, evenly_lit, look_at
from companion.games.comet.vision.place_search import NUMBERS_NOT_SEEN, TaughtCard, fit_outlines
from companion.games.comet.vision.places import NumberPlaces, card_to_image
from companion.games.comet.vision.profile import CometProfile, is_half_width, look_shape
from companion.games.comet.vision.results import NUMBERS, OTHERS_TURNED, in_words
from companion.games.comet.vision.taught_numerals import TaughtNumerals, classify_views, log_odds
from companion.games.comet.vision.taught_recognizer import find_outlines
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.outlines import judge_candidates
from companion.vision.detection.suppression import OVERLAP
from companion.vision.enrolment.labels import Candidates, are_numbers
from companion.vision.enrolment.learning import contradictions, learn
from companion.vision.enrolment.sample import EVENINGS_SHARE, TAUGHT, CropFrame, Sample, taught_of
from companion.vision.enrolment.teaching import Confirmed, Cutout, Feature, Label, Teaching
from companion.vision.evidence import Mark
from companion.vision.geometry import mapped, shared_area
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.floating]
_NUDGES = np.array([[0.0, 0.0], [-0.02, 0.0], [0.02, 0.0], [0.0, -0.02], [0.0, 0.02]])
"""In half heights of a card: each number is looked at through outlines moved so."""
_CROP_PX, _CROP_MARGIN = 300, 0.06
"""Of a sample: the card's longer side in pixels, and how much of it is shown around the card."""
_NUMBER_OF = {in_words([number]): number for number in NUMBERS}


class CometTeaching(Teaching):
    """See `Teaching`."""

    layouts = staticmethod(layouts)
    decks = ("comet",)
    phrases = ("numbers",)
    profile = CometProfile
    few_shot_classifier = TaughtNumerals
    part = "cards"
    least_side_px = LIMITS.least_taught_px
    softest = LIMITS.softest_taught
    alike = LIMITS.alike_squared
    same = LIMITS.same_squared

    def names(self, deck: str) -> tuple[str, ...]:
        """The numbers as they are printed."""
        return tuple(in_words([number]) for number in NUMBERS)

    def replaceable_names(self, card: Label) -> tuple[str, ...]:
        """The card's numbers: a deck need not have the cards that are drawn."""
        return tuple(in_words([value]) for value in card["values"] or ())

    def replace_name(self, card: Label, number: int, name: str) -> Label:
        """See `Teaching`."""
        values = list(card["values"])
        values[number] = _NUMBER_OF[name]
        return {**card, "values": values}

    def check_card(self, deck: str, card: Label) -> None:
        """See `Teaching`."""
        if "values" not in card:
            raise UsageError("a card's label lacks its values: its three numbers, or null", code="labels-differ")
        values: Any = card["values"]
        if values is None:
            return
        if not isinstance(values, list) or len(values) != 3:
            raise UsageError(
                f"a card's values are to be its three numbers, or null, not {values}", code="labels-differ"
            )
        unknown = [value for value in values if type(value) is not int or value not in NUMBERS]
        if unknown:
            raise UsageError(f"no card shows {unknown[0]!r}; there are 2 to 14, 14 for the Ace", code="unknown-name")

    def check_sample(self, deck: str, label: Label) -> None:
        """See `Teaching`. One of its numbers may be left out."""
        values, shape, places = label.get("values"), label.get("shape", 0.0), label.get("places")
        is_face = isinstance(values, list)
        told = [NUMBERS[0] if value is None else value for value in values] if isinstance(values, list) else values
        self.check_card(deck, {"values": told} if "values" in label else label)
        if not are_numbers([shape], 1) or not is_half_width(shape):
            raise UsageError("a sample's shape is to be its width over its height", code="labels-differ")
        if not isinstance(places, list) or not all(are_numbers(row, 5) for row in places) or is_face != bool(places):
            raise UsageError("a sample's places are to be rows of five numbers", code="labels-differ")
        if places and not NumberPlaces.from_rows(places, shape).is_consistent():
            raise UsageError("a sample's places are not those of a card's numbers", code="labels-differ")

    def candidates(self, pyramid: Pyramid) -> Candidates:
        """See `Teaching`."""
        judged = judge_candidates(np.asarray(pyramid.levels[0], np.uint8), 4, by_size=True)
        known, others = find_outlines(pyramid, judged)
        kept: list[Floats] = []
        for some in (others, known):  # Comet's own detector places only cards of the usual proportion well
            for one in sorted(some, key=lambda one: -one.confidence):
                is_alone = not any(shared_area(one.corners, other) > OVERLAP for other in kept)
                if is_alone and one.confidence >= LIMITS.card:
                    kept.append(one.corners)
        every = [one.corners for one in (*known, *others)]
        own, unsure = (np.array(some, np.float32).reshape(-1, 4, 2) for some in (kept, every))
        return Candidates(pyramid, 4, own, unsure, judged=judged)

    def crops(
        self, pyramid: Pyramid, outlines: NDArray[np.float32], given: Sequence[Any], cards: Sequence[Label]
    ) -> list[tuple[Floats, Label]]:
        """See `Teaching`. Raises `TeachingRefused` where numbers are not seen where they are labelled."""
        lying = [
            TaughtCard(pyramid, _begun_at_top(quad), tuple(card["values"] or ()), _corners(rough))
            for quad, rough, card in zip(outlines, given, cards, strict=True)
        ]
        faces = [card for card in lying if card.values]
        if not faces:
            raise TeachingRefused("no card lies face up: lay cards that show their numbers", code="numbers-not-found")
        faces, places = fit_outlines(faces)
        _require_labelled(faces, places)
        shown = iter(faces)
        found: list[tuple[Floats, Label]] = []
        for card, label in zip(lying, cards, strict=True):
            one = next(shown) if card.values else card
            about = {"shape": round(places.half_width, 4), "places": places.as_rows() if card.values else []}
            found.append((one.corners, {"values": label["values"], **about}))
        return found

    def frame(self, card: Label) -> CropFrame:
        """The card with a little around it; a square before its shape is known."""
        wide = float(card.get("shape", 1.0))
        size = np.array([wide, 1.0]) / max(wide, 1.0) * _CROP_PX
        margin = _CROP_MARGIN * _CROP_PX
        whole = np.round(size + 2 * margin).astype(int)
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size + margin - 0.5
        return CropFrame((int(whole[0]), int(whole[1])), corners)

    def fit(self, deck: str, samples: Sequence[Sample]) -> CometProfile:
        """See `Teaching`."""
        placed = [sample for sample in taught_of(samples) if sample.label.get("places")]
        if not placed:
            raise TeachingRefused(NUMBERS_NOT_SEEN, code="numbers-not-found")
        half_width = float(np.median([sample.label["shape"] for sample in placed]))
        lights = [sample.light for sample in placed]
        most = max(lights, key=lights.count)
        places = NumberPlaces.from_rows(placed[lights.index(most)].label["places"], half_width)
        features = self.features(samples)
        backs = [sample for sample in samples if sample.label["values"] is None]
        looks = self._looks(backs, half_width)
        even = [evenly_lit(look) for look in looks]
        back = [seen if lit is None else lit for seen, lit in zip(looks, even, strict=True)]
        return CometProfile(
            deck,
            half_width,
            places.slots.astype(np.float32),
            places.at,
            places.high,
            places.is_turned.astype(np.float32),
            np.array([self.names(deck).index(one.name) + NUMBERS[0] for one in features], np.float32),
            np.array(_weighed(samples, features), np.float32),
            np.mean(self._looks(placed, half_width), axis=0),
            np.mean(back, axis=0) if back else np.zeros(0, np.float32),
            self._standing(placed),
            self._back_tint(placed, [one for one, lit in zip(backs, even, strict=True) if lit is None]),
            self._flush_right(placed),
        )

    def features(self, samples: Sequence[Sample]) -> list[Feature]:
        """What the number classifier answers for each number: the mean of looks moved a little.

        Without what looks like another number than it surely is, where others show it: numbers that run together. What
        hardly shows, under a lamp's light, is zeros, and left out where others show that number.
        """
        found, sure = list[Feature](), list[bool]()
        for i, sample in enumerate(samples):
            rows = sample.label.get("places") or []
            if not rows:
                continue
            pyramid, corners = self._shown(sample)
            places = NumberPlaces.from_rows(rows, float(sample.label["shape"]))
            sides = np.stack([corners[1] - corners[0], corners[3] - corners[0]]) / 2
            moved = np.array([corners + nudge @ sides for nudge in _NUDGES])
            seen = classify_views(places.views(pyramid, moved))
            means = seen.embeddings.mean(0)
            means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-6)
            shown = np.exp(seen.numbers).mean(0)
            means[shown[:, -1] > LIMITS.hidden_sample] = 0.0
            likely = _likely(places, sample.label["values"], shown)
            for place in np.flatnonzero(_are_seen(places, likely)).tolist():
                number = sample.label["values"][places.slots[place]]
                if number is not None:
                    found.append(Feature(i, in_words([number]), means[place]))
                    sure.append(likely[place] >= LIMITS.plain_view)
        odd = {place for place, one in enumerate(found) if not one.vector.any()}
        odd |= {place for place, _ in contradictions(self, found) if sure[place]}
        others = {one.name for place, one in enumerate(found) if place not in odd}
        return [one for place, one in enumerate(found) if place not in odd or one.name not in others]

    def confirmed(self, profile: CometProfile, command: Label, marks: Sequence[Mark]) -> list[Confirmed]:
        """The cards of a set, of which at most one number was put right."""
        news = [mark for mark in marks if mark.is_new]
        sets: Any = command.get("cards")
        if command.get("cmd") != "set" or np.shape(sets) != (len(news), 3):
            return []
        about = {"shape": round(profile.half_width, 4), "places": profile.places.as_rows()}
        left, found = [Counter(card) for card in sets], list[Confirmed]()
        for mark in sorted(news, key=lambda mark: Counter(_read_on(mark)) not in left):
            read, corners = _read_on(mark), np.roll(mark.corners, -mark.east, 0)
            card = max(left, key=lambda card: (card & Counter(read)).total())
            left.remove(card)
            (put_right, wrong) = (list((a - b).elements()) for a, b in ((card, Counter(read)), (Counter(read), card)))
            if len(wrong) <= 1 and all(read.count(value) == 1 for value in wrong):
                values = [put_right[0] if value in wrong else value for value in read]
                found.append(Confirmed({"values": values, **about}, corners, not wrong))
        return found

    def reread(self, profile: CometProfile, samples: Sequence[Sample]) -> list[tuple[str, str | None]]:
        """Each number of the samples."""
        namer, found = TaughtNumerals(profile), list[tuple[str, str | None]]()
        for sample in samples:
            pyramid, corners = self._shown(sample)
            seen = namer.classify(pyramid, corners[None])[0].argmax(-1).tolist()
            found += [
                (in_words([told]), in_words([NUMBERS[k]]) if k < len(NUMBERS) else None)
                for told, k in zip(sample.label["values"] or (), seen, strict=False)
                if told is not None
            ]
        return found

    def cutouts(self, sample: Sample) -> list[Cutout]:
        """Each number, where it is printed first; of a card face down the whole."""
        frame, values = self.frame(sample.label), sample.label["values"]
        if values is None:
            return [Cutout(in_words(None), (0, 0, *frame.size))]
        found = []
        for slot, row in self._first_rows(sample.label):
            if values[slot] is not None:
                _, x, y, high, _ = row
                half = np.array([0.8 * high, 0.7 * high])
                image_from_card = card_to_image(frame.corners, float(sample.label["shape"]))
                low, top = mapped(image_from_card, np.array([x, y]) - half).tolist()
                right, bottom = mapped(image_from_card, np.array([x, y]) + half).tolist()
                found.append(Cutout(in_words([values[slot]]), (int(low), int(top), int(right), int(bottom))))
        return found

    def relabelled(self, card: Label, cutout: int, name: str | None) -> Label | None:
        """See `Teaching`."""
        if card["values"] is None:
            return None
        values = list(card["values"])
        slots = [slot for slot, _ in self._first_rows(card) if values[slot] is not None]
        values[slots[cutout]] = None if name is None else _NUMBER_OF[name]
        return {**card, "values": values} if any(value is not None for value in values) else None

    def _first_rows(self, card: Label) -> list[tuple[int, Sequence[float]]]:
        """The first print of each number, by its slot."""
        rows: dict[int, Sequence[float]] = {}
        for row in card.get("places") or []:
            rows.setdefault(int(row[0]), row)
        return sorted(rows.items())

    def _shown(self, sample: Sample) -> tuple[Pyramid, NDArray[np.float32]]:
        """A sample as a picture, and its card's corners (4, 2)."""
        return Pyramid.of(sample.crop()), self.frame(sample.label).corners.astype(np.float32)

    def _views(self, sample: Sample) -> tuple[NumberPlaces, NDArray[np.uint8]]:
        """A sample's places, and what is seen at each (P, VIEW_HIGH, VIEW_WIDE, 3)."""
        places = NumberPlaces.from_rows(sample.label["places"], float(sample.label["shape"]))
        pyramid, corners = self._shown(sample)
        return places, places.views(pyramid, corners[None])[0]

    def _standing(self, samples: Sequence[Sample]) -> float:
        """See `CometProfile`; 0 where neither a six nor a nine was taught."""
        found = []
        for sample in samples:
            places, every = self._views(sample)
            views = every[np.isin([sample.label["values"][slot] or 0 for slot in places.slots], OTHERS_TURNED)]
            ways = log_odds(classify_views(np.stack([views, views[:, ::-1, ::-1]])).upright)
            found += (ways[0] - ways[1]).tolist()
        return min(found, default=0.0)

    def _flush_right(self, samples: Sequence[Sample]) -> float:
        """See `CometProfile`. An ace may be printed as one figure or two."""
        aside: dict[bool, list[float]] = {True: [], False: []}
        for sample in samples:
            places, views = self._views(sample)
            poses = classify_views(views).poses
            for slot, x in zip(places.slots.tolist(), poses[:, 0].tolist(), strict=True):
                number = sample.label["values"][slot]
                if number not in (None, ACE):
                    aside[number < 10].append(x)
        return float(np.mean(aside[True]) - np.mean(aside[False])) if all(aside.values()) else 1.0

    def _back_tint(self, faces: Sequence[Sample], backs: Sequence[Sample]) -> NDArray[np.float32]:
        """See `CometProfile`: of the backs in a light in which faces were shown, too.

        White light on some of the faces takes their colour: the most colourful says what it is.
        """
        tints = []
        for back in backs:
            beside = np.array([self._log_colour(face) for face in faces if face.light == back.light])
            if len(beside):
                coloured = beside[np.ptp(beside, axis=1).argmax()]
                tints.append(self._log_colour(back) - coloured + coloured.mean() - beside.mean())
        return np.asarray(np.mean(tints, axis=0), np.float32) if tints else np.zeros(0, np.float32)

    def _log_colour(self, sample: Sample) -> Floats:
        """The logarithms of a card's mean colour (3,)."""
        return np.asarray(np.log(card_colour(*self._shown(sample))))

    def _looks(self, samples: Sequence[Sample], half_width: float) -> list[NDArray[np.float32]]:
        return [look_at(*self._shown(sample), look_shape(half_width)) for sample in samples]


TEACHING = CometTeaching()
learn_comet = partial(learn, TEACHING)


def _likely(places: NumberPlaces, values: Sequence[int | None], seen: NDArray[np.floating]) -> NDArray[np.floating]:
    """How likely each place (P,) shows the card's number; 0 for one that is left out.

    Args:
        places: of the card.
        values: its three numbers.
        seen: probabilities (P, 14) of `NUMBERS` and none.
    """
    numbers = [values[slot] for slot in places.slots]
    return np.array(
        [0.0 if number is None else p[NUMBERS.index(number)] for number, p in zip(numbers, seen, strict=True)]
    )


def _are_seen(places: NumberPlaces, likely: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which places (P,) teach the card's numbers: not one that shows something else where another print is plain."""
    plainest = np.array([likely[places.slots == slot].max() for slot in places.slots])
    return (plainest < LIMITS.plain_view) | (likely >= LIMITS.hidden_print * plainest)


def _read_on(mark: Mark) -> list[int]:
    """The numbers read on a card, from its top left corner on; one that was not read is 0."""
    face = mark.face if mark.east == 0 else mark.face[::-1]
    return [int(section) if section and section.isdecimal() else 0 for section in face]


def _weighed(samples: Sequence[Sample], features: Sequence[Feature]) -> list[Floats]:
    """What the classifier answers for each number, as taught; halfway there for those of evenings."""
    is_taught = [samples[one.sample].source == TAUGHT for one in features]
    taught = {
        name: np.mean([one.vector for one, own in zip(features, is_taught, strict=True) if own and one.name == name], 0)
        for name in {one.name for one, own in zip(features, is_taught, strict=True) if own}
    }
    weighed = [
        one.vector if own else EVENINGS_SHARE * one.vector + (1 - EVENINGS_SHARE) * taught.get(one.name, one.vector)
        for one, own in zip(features, is_taught, strict=True)
    ]
    return [vector / max(float(np.linalg.norm(vector)), 1e-6) for vector in weighed]


def _corners(rough: Any) -> NDArray[np.float64] | None:
    return np.asarray(rough, np.float64) if rough is not None and np.shape(rough) == (4, 2) else None


def _begun_at_top(outline: Floats) -> Floats:
    """The outline (4, 2), its first corner the top left as the picture shows it."""
    middle = outline.mean(0)
    corner = np.array([-1.0, -1.0])
    return np.roll(outline, -int(((outline - middle) @ corner).argmax()), 0)


def _require_labelled(cards: Sequence[TaughtCard], places: NumberPlaces) -> None:
    """Raises `TeachingRefused` where another number than the labelled one is plainly seen."""
    for number, card in enumerate(cards, 1):
        seen = classify_views(places.views(card.pyramid, card.corners[None])[0])
        for place, slot in enumerate(places.slots.tolist()):
            likely, told = np.exp(seen.numbers[place, :-1]), card.values[slot]
            plain = NUMBERS[int(likely.argmax())]
            if plain != told and likely.max() > LIMITS.contradiction and likely[NUMBERS.index(told)] < 0.01:
                raise TeachingRefused(
                    f"card {number} is labelled {in_words(list(card.values))}, but {in_words([plain])} is seen where "
                    f"{in_words([told])} should be: give its numbers as they are printed",
                    code="labels-contradict",
                )
