"""The numbers of cards of a taught printing: each place seen alone, by a network trained on many typefaces and by its
likeness to the taught samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import VIEW_HIGH, VIEW_WIDE, correct_outlines, normalised, sharpness
from companion.games.comet.vision.profile import EMBEDDED, NETWORK, CometProfile
from companion.games.comet.vision.results import BACK, NUMBERS
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic, logit, network, softmax

Floats = NDArray[np.float32]
LAST_FIGURES = {NUMBERS.index(last): NUMBERS.index(10 + last) for last in (2, 3)}
"""The places in `NUMBERS` of those that are the last figure of another one, and of that."""
_POSE = 4
_OUTPUTS = len(NUMBERS) + 2 + EMBEDDED + _POSE
_LEAST_LIKELY = 1e-4
_USUALLY_UPRIGHT = float(np.log(0.7 / 0.3))
"""Seven in ten of the numbers that the network learnt from stood upright: so much of its log-odds says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberViews:
    """What the network answers for views of single numbers.

    Attributes:
        numbers: log-probabilities of `NUMBERS` and none (..., 14).
        upright: probability that a number stands upright (...).
        embeddings: of length 1 (..., EMBEDDED).
        poses: how far the numeral stands to the right and down of the view's middle in its usual heights, the logarithm
            of its height in those, and its turn in radians, clockwise (..., 4).
    """

    numbers: Floats
    upright: Floats
    embeddings: Floats
    poses: Floats

    def of(self, cards: slice) -> "NumberViews":
        """Of some of the cards."""
        return NumberViews(self.numbers[cards], self.upright[cards], self.embeddings[cards], self.poses[cards])


def classify_views(views: NDArray[np.uint8]) -> NumberViews:
    """What views (..., VIEW_HIGH, VIEW_WIDE, 3) show."""
    flat = views.reshape(-1, VIEW_HIGH, VIEW_WIDE, 3)
    answers = network(NETWORK).forward(normalised(flat)) if len(flat) else np.zeros((0, _OUTPUTS), np.float32)
    answers = answers.reshape(*views.shape[:-3], answers.shape[-1])
    count = len(NUMBERS) + 1
    embeddings, poses = answers[..., count + 1 : -_POSE], answers[..., -_POSE:]
    length = np.linalg.norm(embeddings, axis=-1, keepdims=True)
    numbers = np.log(np.maximum(softmax(answers[..., :count]), 1e-7))
    return NumberViews(numbers, logistic(answers[..., count]), embeddings / np.maximum(length, 1e-6), poses)


@dataclass(frozen=True, slots=True, eq=False)
class TaughtScores:
    """What is seen on cards.

    Attributes:
        sections: probabilities (N, 3, 15) of `NUMBERS`, a back (always 0), and none of these, if the card is upright.
        legible: how surely all three numbers are read, if it is (N,).
        standing: how much likelier it is than not, by its numbers together (N,), in log-odds: a 6, an 8 or a 9 alone
            hardly tells.
        seen: each place of the cards (N, P).
    """

    sections: NDArray[np.float64]
    legible: NDArray[np.float64]
    standing: NDArray[np.float64]
    seen: NumberViews

    @property
    def upright(self) -> NDArray[np.float64]:
        """How surely cards are upright (N,), by `standing`."""
        return np.asarray(logistic(self.standing), np.float64)

    @property
    def aside(self) -> Floats:
        """How far right of its place the number at each stands, in its heights (N, P); NaN where none is seen."""
        is_seen = self.seen.numbers[..., -1] < np.log(0.5)
        return np.where(is_seen, self.seen.poses[..., 0], np.float32(np.nan))

    def parted(self, counts: Sequence[int]) -> list["TaughtScores"]:
        """What is seen on the first so many cards, on the next so many, and so on."""
        ends = np.cumsum(counts).tolist()
        parts = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
        return [TaughtScores(self.sections[i], self.legible[i], self.standing[i], self.seen.of(i)) for i in parts]


@dataclass(frozen=True, eq=False)
class TaughtNumerals:
    """Names the numbers of a taught printing. See `Classifier`."""

    profile: CometProfile

    @property
    def is_taught(self) -> bool:
        """Somebody showed this printing; a layout may also be found where nobody did."""
        return len(self.profile.embeddings) > 0

    def read_numerals(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> TaughtScores:
        """What is seen on cards (N, 4, 2) whose first corner is the top left."""
        places = self.profile.places
        views = places.views(pyramid, corners)
        seen = classify_views(views)
        likeness = self._likeness(seen)
        likely = self._weigh(seen, likeness)
        likely = _less_sure_where_blurred(
            likely, _similarity_to_likeliest(likeness, likely), views, places.numerals_px(corners)
        )
        numbers = np.stack([joined(likely[:, places.slots == slot]) for slot in range(3)], 1)
        legible = np.log(np.maximum(numbers[..., :-1].max(-1), 1e-3)).mean(1)
        sections = np.concatenate([numbers[..., :-1], np.zeros((*numbers.shape[:2], 1)), numbers[..., -1:]], -1)
        return TaughtScores(sections, np.exp(legible), _log_odds_upright(seen), seen)

    def corrected(
        self, corners: NDArray[np.floating], scores: TaughtScores, which: Sequence[int]
    ) -> NDArray[np.float32]:
        """Some of the cards (N, 4, 2) that were read, moved to where their numerals say that they lie (M, 4, 2)."""
        some = list(which)
        shown = 1 - np.exp(scores.seen.numbers[some, :, -1])
        return correct_outlines(corners[some], self.profile.places, scores.seen.poses[some], shown)

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float64]:
        """Of the three sections of cards (N, 4, 2) the probabilities (N, 3, 15)."""
        return self.read_numerals(pyramid, corners).sections

    def accept(self, probabilities: NDArray[np.floating]) -> tuple[str | None, ...]:
        """See `Classifier`."""
        names = (*map(str, NUMBERS), BACK, None)
        best, sure = probabilities.argmax(-1).tolist(), probabilities.max(-1).tolist()
        return tuple(names[k] if p >= LIMITS.stated_taught else None for k, p in zip(best, sure, strict=True))

    def _weigh(self, seen: NumberViews, likeness: Floats | None) -> NDArray[np.float64]:
        """Of each view (N, P) the probabilities (N, P, 14) of `NUMBERS` and none, by network and likeness."""
        likely = np.maximum(seen.numbers[..., :-1], LIMITS.least_log)
        if likeness is not None:
            likely = likely + LIMITS.likeness * likeness
            numbers = softmax(likely)
            chosen = numbers.argmax(-1)[..., None]
            short = likeness.max(-1, keepdims=True) - np.take_along_axis(likeness, chosen, -1)
            is_contested = (short[..., 0] > LIMITS.other_sample) | _may_be_last_figure(seen, likeness, chosen[..., 0])
            numbers = np.where(is_contested[..., None], np.minimum(numbers, LIMITS.contested), numbers)
        else:
            numbers = softmax(likely)
        there = 1 - np.exp(seen.numbers[..., -1:])
        return np.asarray(np.concatenate([numbers * there, 1 - there], -1), np.float64)

    def _likeness(self, seen: NumberViews) -> Floats | None:
        """How much each view is like the likest sample of each number (N, P, 13), -1..1; None without samples.

        What hardly showed when it was taught may look as any view does that is not much like another number.
        """
        if not self.is_taught:
            return None
        samples, starts = self._by_number
        alike = np.maximum.reduceat(seen.embeddings @ samples.T, starts, axis=-1)
        is_hidden = np.add.reduceat(np.abs(samples).sum(1), starts) == 0
        return np.asarray(np.where(is_hidden, np.float32(LIMITS.like_hidden), alike))

    @cached_property
    def _by_number(self) -> tuple[Floats, NDArray[np.intp]]:
        """The samples (N, EMBEDDED) by their numbers, and where those of each of `NUMBERS` begin (13,)."""
        order = np.argsort(self.profile.numbers, kind="stable")
        return self.profile.embeddings[order], np.searchsorted(self.profile.numbers[order], NUMBERS)


def _similarity_to_likeliest(likeness: Floats | None, likely: NDArray[np.float64]) -> Floats | None:
    """How similar views are to the most similar sample of their likeliest number (N, P), of their likeness to each."""
    if likeness is None:
        return None
    return np.asarray(np.take_along_axis(likeness, likely[..., :-1].argmax(-1)[..., None], -1)[..., 0])


def _less_sure_where_blurred(
    likely: NDArray[np.float64], alike: Floats | None, views: NDArray[np.uint8], numerals_px: NDArray[np.floating]
) -> NDArray[np.float64]:
    """The probabilities (N, P, 14), contested where numerals are too blurred or too small to be told so surely.

    The network is as sure of what it makes of them as of clear ones. What looks like the taught sample is no less sure.

    Args:
        likely: what was made of the views.
        alike: how much each is like a sample of its number (N, P); None without samples.
        views: (N, P, VIEW_HIGH, VIEW_WIDE, 3).
        numerals_px: (N, P) how high the numerals stand on the picture.
    """
    numbers = likely[..., :-1].max(-1)
    needed = np.where(numerals_px < LIMITS.least_numeral_px, 1.0, 0.0)
    sure = np.nonzero(numbers >= LIMITS.stated_taught)
    if len(sure[0]):
        needed[sure] = np.maximum(needed[sure], _needed(sharpness(views[sure]), None if alike is None else alike[sure]))
    return np.where((numbers < needed)[..., None], np.minimum(likely, LIMITS.contested), likely)


def _needed(sharp: NDArray[np.floating], alike: Floats | None) -> NDArray[np.float64]:
    """How sure numbers (N,) must be that are so sharp and so like their samples (N,)."""
    needed = np.asarray(np.interp(sharp, LIMITS.sharp, LIMITS.sure_if_sharp), np.float64)
    if alike is None:
        return needed
    is_like = alike >= np.interp(sharp, LIMITS.sharp_if_like, LIMITS.like_sample)
    needed[is_like] = np.minimum(needed[is_like], LIMITS.sure_if_like)
    needed[(sharp < LIMITS.soft) & (alike < LIMITS.hardly_like_sample)] = 1.0
    return needed


def _may_be_last_figure(seen: NumberViews, alike: Floats, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which views (...), named by their places ``chosen`` in `NUMBERS`, may show no more than the end of a 12 or a 13.

    Args:
        seen: what the network answers.
        alike: the best likeness to a sample of each number (..., 13).
        chosen: (...).
    """
    out = np.zeros(chosen.shape, bool)
    for figure, whole in LAST_FIGURES.items():
        by_network, by_samples = (of[..., figure] - of[..., whole] for of in (seen.numbers, alike))
        is_close = (by_network < LIMITS.last_figure_log) & (by_samples < LIMITS.last_figure_likeness)
        out |= (chosen == figure) & is_close
    return out


def _log_odds_upright(seen: NumberViews) -> NDArray[np.float64]:
    """How much likelier cards (N,) stand upright than not, by all their prints (N, P) on which a number is seen."""
    evidence = log_odds(seen.upright) - _USUALLY_UPRIGHT
    shown = 1 - np.exp(seen.numbers[..., -1])
    return np.asarray((shown * evidence).sum(-1), np.float64)


def log_odds(upright: NDArray[np.floating]) -> NDArray[np.float64]:
    """How much likelier something stands upright than not, as logarithms within about 9 of 0."""
    return np.asarray(logit(upright.astype(np.float64), _LEAST_LIKELY), np.float64)


def joined(prints: NDArray[np.float64]) -> NDArray[np.float64]:
    """One number's probabilities (N, 14) from those of each of its prints (N, R, 14): the surest, unless any differs.

    A hand or another card may lie on one of them; two that are plainly seen and differ say nothing, however many more
    agree: of an outline across two cards half of the prints are those of either.
    """
    if prints.shape[1] == 1:
        return prints[:, 0]
    best, chosen = prints[..., :-1].max(-1), prints[..., :-1].argmax(-1)
    order = np.argsort(-best, axis=1)
    rows = np.arange(len(prints))
    first, second = prints[rows, order[:, 0]], prints[rows, order[:, 1]]
    product = first[:, :-1] * second[:, :-1]
    product = product / np.maximum(product.sum(1, keepdims=True), 1e-9)
    there = 1 - first[:, -1:] * second[:, -1:]
    both = np.concatenate([product * there, 1 - there], 1)
    agreed = np.where((best[rows, order[:, 1]] < LIMITS.plain_print)[:, None], first, both)
    others = np.where(chosen != chosen[rows, order[:, 0]][:, None], best, 0.0)
    doubt = (first + prints[rows, others.argmax(1)]) / 2
    return np.asarray(np.where((others.max(1) >= LIMITS.plain_print)[:, None], doubt, agreed))
