"""Outlines of cards and tiles on a picture, whatever is printed on them: found at several sizes, refined, judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.heatmaps import NETWORK as DETECTOR
from companion.vision.detection.heatmaps import Candidate, ScaleAnswer, answer_at
from companion.vision.detection.hexagon_boards import boards_last, on_board
from companion.vision.detection.judgement import PlacedCandidate, PlacedCandidates, features, judge
from companion.vision.detection.printed_frames import outer_edges
from companion.vision.detection.sizes import SizeMm, as_large_as, completed, has_size, is_pair_or_part
from companion.vision.detection.suppression import OVERLAP, Outline, suppress
from companion.vision.edge_refinement import Refined, refine
from companion.vision.geometry import areas, following, opposite_sides, shared_area
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """What finding outlines goes by.

    Attributes:
        scales_px: the longer sides of the pictures that are searched, coarse to fine.
        finer_below_px: a finer scale is searched while the network sees cards smaller than this, or a single hexagon,
            which may be a board.
        best_px: sizes at which the network places cards best.
        min_candidate_confidence: candidates below are not refined.
        min_confidence: outlines below are left out.
        candidate_overlap: candidates of one size, by `max_area_ratio`, that share more of the smaller one are one.
        max_area_ratio: of two candidates of one size.
        overlap: share of the smaller outline that two cards may have in common.
        max_candidates: that are refined, the best ones.
        min_side_px: the shorter side of the smallest card.
    """

    scales_px: tuple[int, ...] = (112, 224, 512, 1152, 2592)
    finer_below_px: float = 34.0
    best_px: tuple[float, float] = (26.0, 110.0)
    min_candidate_confidence: float = 0.2
    min_confidence: float = 0.5
    candidate_overlap: float = 0.6
    max_area_ratio: float = 1.6
    overlap: float = OVERLAP
    min_side_px: float = 14.0
    max_candidates: int = 160


SUPPORT_WEIGHT = 0.3
"""Of outlines about as sure, the one comes first of whose worst side more is seen."""
COMPARED_CONFIDENCE, ODD_SIZE_FACTOR = 0.3, 0.3
"""How sure rectangles are that are held against the others; what is left of that where one is two cards, or a part."""
PLAIN_EDGES, PLAIN_SEED, SAME_SIDES, SIZE_CONFIDENCE = 0.9, 0.5, 0.13, 0.6
"""A rectangle is plain to see where so much of each side shows an edge and the detector is so sure of it. Beside a sure
one, from whose its sides' logarithms differ by less, it is a card, with that confidence: of 60 such on photographs and
path-traced pictures 56 are."""
WHOLE_EDGES, PART_EDGES, PART_WITHIN, PART_SIZE, SURE_PART = 0.95, 0.05, 0.9, 0.75, 0.75
"""One of whose worst side so much shows an edge is rather a card than another of which less does, by the second, that
lies within it with such a share and is at most so large beside it, unless that is so sure. On 149 photographs and 138
path-traced pictures there are five such: two cards more are found, and two false ones fewer.
"""
RESIZED_CONFIDENCE, MOST_RESIZED, RESIZED_REACH, LESS_SUPPORT = 0.25, 24, 0.05, 0.1
"""How sure outlines must be that say how large cards are; so many outlines are looked at anew, whose edges may lie no
farther off, in sizes of the card, and of which so much less may be seen."""
SETTINGS = Settings()
Fits = Callable[[Floats], NDArray[np.bool_]]


def detect_outlines(
    picture: NDArray[np.uint8], sides: int, size_mm: SizeMm | None = None, settings: Settings = SETTINGS
) -> tuple[Outline, ...]:
    """The outlines of all cards of a shape on a picture, about the surest first.

    Args:
        picture: (H, W, 3) BGR.
        sides: 4 for rectangles, 6 for hexagons.
        size_mm: the cards' width and height where they are known: rectangles of other proportions are left out.
        settings: see `Settings`.
    """
    pyramid, judged = judge_candidates(picture, sides, size_mm, settings, by_size=True)
    sure = [o for o in one_per_card(pyramid, judged, sides, settings) if o.confidence >= settings.min_confidence]
    if sides == 4:
        return tuple(sure)
    outer = outer_edges(pyramid, np.array([o.corners for o in sure]))
    return tuple(replace(o, corners=corners) for o, corners in zip(sure, outer, strict=True))


def one_per_card(
    pyramid: Pyramid, judged: list[Outline], sides: int, settings: Settings = SETTINGS
) -> Sequence[Outline]:
    """Of outlines that `judge_candidates` judged each card's own, hexagons as their board has them."""
    if sides == 4:
        return suppress(_singles_first(judged, settings), settings.overlap)
    tiles = suppress(boards_last(judged), settings.overlap)
    return sorted(on_board(pyramid, tiles), key=lambda o: -o.confidence)


def judge_candidates(
    picture: NDArray[np.uint8],
    sides: int,
    size_mm: SizeMm | None = None,
    settings: Settings = SETTINGS,
    fits: Fits | None = None,
    *,
    by_size: bool = False,
) -> tuple[Pyramid, list[Outline]]:
    """The picture's pyramid, and every outline that may be a card's, about the surest first: hardly likely ones, and
    several that lie on one another, for readers that know what is printed on their cards. See `detect_outlines`.

    Where it is known how large cards are, ``fits`` tells which outlines (N, K, 2), found roughly, may be some (N,).
    With ``by_size`` rectangles that are plain to see are surer where they are as large as sure ones: in a fan one over
    two cards is, too, and a reader that tells a card by what is printed on it would tell what is printed on both.
    """
    placed = place(picture, sides, settings, fits=fits)
    placed = replace(
        placed, candidates=[c for c in placed.candidates if has_size(c.refined.corners, size_mm, placed.pyramid.size)]
    )
    confidences = judge(features(placed)).tolist()
    judged = [Outline(c.refined.corners, sure) for c, sure in zip(placed.candidates, confidences, strict=True)]
    for i, confidence in _confidences_of_wholes(placed.candidates, judged, settings).items() if sides == 4 else ():
        judged[i] = replace(judged[i], confidence=confidence)
    while by_size and sides == 4 and (surer := _confidences_by_size(placed.candidates, judged, settings)):
        for i, confidence in surer.items():
            judged[i] = replace(judged[i], confidence=confidence)
    return placed.pyramid, [judged[i] for i in _best_first(placed.candidates, judged)]


def _best_first(candidates: Sequence[PlacedCandidate], judged: Sequence[Outline]) -> list[int]:
    """The indices of outlines, surest first, of about as sure ones that whose worst side shows more of its edge."""
    worst = [float(c.refined.support.min()) ** SUPPORT_WEIGHT for c in candidates]
    return sorted(range(len(judged)), key=lambda i: -judged[i].confidence * worst[i])


def _confidences_of_wholes(
    candidates: Sequence[PlacedCandidate], judged: Sequence[Outline], settings: Settings
) -> dict[int, float]:
    """New confidences of rectangles, by their indices: of those with edges all around where all that is surer in their
    place are unsure parts of them that end where less of an edge shows. A printed figure cuts a white card in thirds.
    """
    sizes, wholes = areas(np.array([one.corners for one in judged]).reshape(-1, 4, 2)), {}
    for i, candidate in enumerate(candidates):
        support, seed = candidate.refined.support.min(), candidate.seed.confidence
        if support < WHOLE_EDGES or seed < PLAIN_SEED:
            continue
        least = max(judged[i].confidence, COMPARED_CONFIDENCE)
        surer = [k for k, one in enumerate(judged) if one.confidence > least]
        shares = {k: shared_area(judged[i].corners, judged[k].corners) for k in surer}
        rivals = [k for k in surer if shares[k] > settings.overlap]
        are_parts = all(
            shares[k] > PART_WITHIN
            and sizes[k] < PART_SIZE * sizes[i]
            and judged[k].confidence < SURE_PART
            and candidates[k].refined.support.min() < support - PART_EDGES
            and candidates[k].seed.confidence < seed
            for k in rivals
        )
        if rivals and are_parts:
            wholes[i] = max(judged[k].confidence for k in rivals) + 0.01
    return wholes


def _confidences_by_size(
    candidates: Sequence[PlacedCandidate], judged: Sequence[Outline], settings: Settings
) -> dict[int, float]:
    """New confidences of rectangles, by their indices: of those that are not sure, but plain to see, and as large as
    sure ones elsewhere on the picture. They become surer than others in their place that are as large as none.
    """
    best = [replace(judged[i], confidence=float(i)) for i in _best_first(candidates, judged)]
    kept = [int(one.confidence) for one in suppress(best, settings.overlap)]
    sure = [i for i in kept if judged[i].confidence >= settings.min_confidence]
    sides = [np.log(np.sort(opposite_sides(one.corners))) for one in judged]

    def rivals_of(i: int) -> list[int]:
        return [k for k in sure if k != i and shared_area(judged[i].corners, judged[k].corners) > settings.overlap]

    def has_size_of_sure(i: int, rivals: list[int]) -> bool:
        return any(np.abs(sides[i] - sides[k]).max() < SAME_SIDES for k in sure if k != i and k not in rivals)

    surer: dict[int, float] = {}
    for i, candidate in enumerate(candidates):
        is_plain = candidate.refined.support.min() >= PLAIN_EDGES and candidate.seed.confidence >= PLAIN_SEED
        if i in sure or not is_plain:
            continue
        rivals = rivals_of(i)
        if has_size_of_sure(i, rivals) and not any(has_size_of_sure(k, rivals_of(k)) for k in rivals):
            surest = max((judged[k].confidence for k in rivals), default=0.0)
            surer[i] = max(SIZE_CONFIDENCE, min(1.0, surest + 0.01))
    return {i: confidence for i, confidence in surer.items() if confidence > judged[i].confidence}


def _singles_first(judged: list[Outline], settings: Settings) -> list[Outline]:
    """Rectangles, the best first, with those last and less sure that are two cards together or a part of one."""
    maybe = [one for one in judged if one.confidence > COMPARED_CONFIDENCE]
    cards = np.array([one.corners for one in suppress(maybe, settings.overlap)])
    others = [one for one in maybe if is_pair_or_part(one.corners, cards)]
    singles = [one for one in judged if one not in others]
    return [*singles, *(replace(one, confidence=ODD_SIZE_FACTOR * one.confidence) for one in others)]


def place(
    picture: NDArray[np.uint8],
    sides: int,
    settings: Settings = SETTINGS,
    network: str = DETECTOR,
    fits: Fits | None = None,
) -> PlacedCandidates:
    """All places on a picture where a card of a shape may lie, with their edges, for the judge.

    Args:
        picture: (H, W, 3) BGR.
        sides: 4 for rectangles, 6 for hexagons.
        settings: see `Settings`.
        network: the detector's file.
        fits: see `judge_candidates`.
    """
    pyramid = Pyramid.of(picture, 6)
    found, scales = _candidates(pyramid, sides, settings, network)
    if fits is not None and found:
        may_be = fits(np.array([candidate.corners for candidate in found]))
        found = [candidate for candidate, stays in zip(found, may_be, strict=True) if stays]
    kept = suppress(found, settings.candidate_overlap, settings.max_area_ratio)[: settings.max_candidates]
    refined = refine(pyramid, [candidate.corners for candidate in kept])
    moved = [i for i, r in enumerate(refined) if r.moved > 0.03]
    for i, better in zip(moved, refine(pyramid, [refined[i].corners for i in moved]), strict=True):
        refined[i] = better
    cards = _plausible(kept, refined, settings)
    if sides == 4:
        cards += _put_right(pyramid, cards, settings)
    return PlacedCandidates(pyramid, scales, cards)


def _plausible(seeds: Sequence[Candidate], refined: Sequence[Refined], settings: Settings) -> list[PlacedCandidate]:
    if not refined:
        return []
    plausible = are_plausible(np.array([r.corners for r in refined]), settings.min_side_px).tolist()
    return [PlacedCandidate(c, r) for c, r, stays in zip(seeds, refined, plausible, strict=True) if stays]


def _put_right(pyramid: Pyramid, cards: Sequence[PlacedCandidate], settings: Settings) -> list[PlacedCandidate]:
    """Rectangles that differ from the likely cards around them in width or height, made as large as those, and such
    of which one corner lies off, where more of their edges is seen so.
    """
    support = [float(card.refined.support.mean()) for card in cards]
    sure = [Outline(card.refined.corners, card.seed.confidence * s) for card, s in zip(cards, support, strict=True)]
    order = sorted(range(len(cards)), key=lambda i: -sure[i].confidence)
    likely = suppress([sure[i] for i in order if sure[i].confidence > RESIZED_CONFIDENCE], settings.overlap)
    if len(likely) < 2:
        return []
    around = np.array([one.corners for one in likely])
    resized = ((i, support[i] - LESS_SUPPORT, way) for i in order for way in as_large_as(sure[i].corners, around))
    cornered = ((i, support[i], way) for i in order for way in completed(sure[i].corners, around))
    ways = list(islice(chain(resized, cornered), MOST_RESIZED))
    refined = refine(pyramid, [way for _, _, way in ways], reach=RESIZED_REACH)
    better = [(i, r) for (i, least, _), r in zip(ways, refined, strict=True) if float(r.support.mean()) > least]
    return _plausible([cards[i].seed for i, _ in better], [r for _, r in better], settings)


def are_plausible(outlines: Floats, min_side_px: float) -> NDArray[np.bool_]:
    """Which outlines (N, K, 2) are convex, clockwise, large enough and not all too oblong, (N,)."""
    edges = following(outlines) - outlines
    after = following(edges)
    turns = edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0]
    lengths = np.linalg.norm(edges, axis=-1)
    shortest, longest = lengths.min(1), lengths.max(1)
    return np.asarray((turns > 0).all(1) & (shortest > 0.2 * longest) & (longest > min_side_px))


def _candidates(
    pyramid: Pyramid, sides: int, settings: Settings, network: str
) -> tuple[list[Candidate], list[ScaleAnswer]]:
    """What the network finds at each scale, less likely at a bad size; best first."""
    longest = max(pyramid.levels[0].shape[:2])
    answers: list[ScaleAnswer] = []
    for index, px in enumerate(sorted({min(px, longest) for px in settings.scales_px})):
        answers.append(answer_at(pyramid, px / longest, sides, settings.min_candidate_confidence, network))
        sizes = [c.net_px for c in answers[-1].candidates if c.confidence > 0.4]
        may_be_board = sides == 6 and len(sizes) == 1
        if index and sizes and not may_be_board and np.percentile(sizes, 20) > settings.finer_below_px:
            break
    found = [
        replace(c, confidence=c.confidence * _fitness(c.net_px, settings.best_px))
        for answer in answers
        for c in answer.candidates
    ]
    return sorted(found, key=lambda c: -c.confidence), answers


def _fitness(net_px: float, best: tuple[float, float]) -> float:
    """Less than 1 for sizes that are seen better at another scale."""
    misfit = max(np.log(best[0] / net_px), np.log(net_px / best[1]), 0.0)
    return float(np.exp(-0.5 * misfit))
