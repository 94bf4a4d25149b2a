"""Outlines of cards and tiles on a picture, whatever is printed on them: found at several sizes, refined, judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.bare_cells import bare_cells
from companion.vision.detection.boards import LEAST_RADIUS_TOUCHING, LEAST_TILES, Board, Cell, find_board
from companion.vision.detection.heatmaps import NETWORK as DETECTOR
from companion.vision.detection.heatmaps import Candidate, ScaleAnswer, answer_at, areas
from companion.vision.detection.judgement import PlacedCandidate, PlacedCandidates, colours_beside, features, judge
from companion.vision.detection.printed_frames import outer_edges
from companion.vision.detection.sizes import SizeMm, as_large_as, completed, has_size, is_pair_or_part
from companion.vision.edge_refinement import Refined, refine
from companion.vision.geometry import following, opposite_sides, shared_area
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
    overlap: float = 0.35
    min_side_px: float = 14.0
    max_candidates: int = 160


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A card's outline.

    Attributes:
        corners: (4 or 6, 2) float64 pixels, clockwise as seen, sharp.
        confidence: 0..1 that a card lies there.
    """

    corners: Floats
    confidence: float


SUPPORT_WEIGHT = 0.3
"""Of outlines about as sure, the one comes first of whose worst side more is seen."""
COMPARED_CONFIDENCE, ODD_SIZE_FACTOR = 0.3, 0.3
"""How sure rectangles are that are held against the others; what is left of that where one is two cards, or a part."""
ON_BOARD = 0.85
"""What lies on a board has so much of its area in common with it."""
PLAIN_EDGES, PLAIN_SEED, ALIKE_SIDES, ALIKE_CONFIDENCE = 0.9, 0.5, 0.13, 0.6
"""A rectangle is plain to see where so much of each side shows an edge and the detector is so sure of it. Beside a sure
one, from whose its sides' logarithms differ by less, it is a card, with that confidence: of 60 such on photographs and
path-traced pictures 56 are."""
BOARD_CONFIDENCES = (0.05, 0.3)
"""Tiles below do not say where their board lies; where they say nothing, those below the second do not."""
GAP_NEIGHBOURS, GAP_CONFIDENCE = 5, 0.6
"""A board's cell with so many tiles around it holds one too if it shows edges, with that confidence."""
SUPPORTED_CONFIDENCE, APART_CONFIDENCE, ALIKE_AREA = 0.2, 0.7, 1.6
"""Tiles surer than the first that show edges are surer still among others, or where their area is less than so many
times another's; those off a board's lattice that are not are half as sure, but those that are surer than the second."""
BOARD_EDGES = 0.78
"""Tiles of a lattice that show edges along less of their sides are what is printed on cards. Of 70 boards they do along
0.83 at least, of 7 lattices of bands and what they surround along 0.74 at most."""
BAND_REACH = 0.08
"""What lies apart, or shows few edges, may be surrounded by bands printed on tiles that touch: of these edges show so
near, in sizes of the tile. Where bands form a lattice with what they surround they do along 0.79 to 0.89 of the cards'
sides, along 0.4 at most of others twice as large.
"""
BARE_FACTOR = 0.3
"""What is left of the confidence of a board's cell that holds no tile."""
FREE_EDGES = 0.5
"""Edges show along so much of the sides of a tile beside which no other lies. Of 759 tiles on photographs and
path-traced pictures they do of all but three, of 42 gaps along 0.45 at most but of one."""
SUPPORTED_EDGES = 0.9
"""Edges show along so much of a tile's sides. Of 9 doubted tiles among others on photographs and path-traced pictures
along 0.94 at least, of 80 empty cells along 0.84 at most."""
RESIZED_CONFIDENCE, MOST_RESIZED, RESIZED_REACH, LESS_SUPPORT = 0.25, 24, 0.05, 0.1
"""How sure outlines must be that say how large cards are; so many outlines are looked at anew, whose edges may lie no
farther off, in sizes of the card, and of which so much less may be seen."""
SETTINGS = Settings()
Fits = Callable[[Floats], NDArray[np.bool_]]
T = TypeVar("T", Candidate, Outline)


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
    tiles = suppress(_boards_last(judged, settings), settings.overlap)
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
    while by_size and sides == 4 and (cards := _beside_alike(placed.candidates, judged, settings)):
        for i, confidence in cards.items():
            judged[i] = replace(judged[i], confidence=confidence)
    return placed.pyramid, [judged[i] for i in _best_first(placed.candidates, judged)]


def _best_first(candidates: Sequence[PlacedCandidate], judged: Sequence[Outline]) -> list[int]:
    """The indices of outlines, surest first, of about as sure ones that whose worst side shows more of its edge."""
    worst = [float(c.refined.support.min()) ** SUPPORT_WEIGHT for c in candidates]
    return sorted(range(len(judged)), key=lambda i: -judged[i].confidence * worst[i])


def _beside_alike(
    candidates: Sequence[PlacedCandidate], judged: Sequence[Outline], settings: Settings
) -> dict[int, float]:
    """The rectangles that are not sure, but plain to see, and as large as sure ones elsewhere on the picture: how sure
    that makes of each, surer than of others in its place that are as large as none.
    """
    best = [replace(judged[i], confidence=float(i)) for i in _best_first(candidates, judged)]
    kept = [int(one.confidence) for one in suppress(best, settings.overlap)]
    sure = [i for i in kept if judged[i].confidence >= settings.min_confidence]
    sides = [np.log(np.sort(opposite_sides(one.corners))) for one in judged]

    def rivals_of(i: int) -> list[int]:
        return [k for k in sure if k != i and shared_area(judged[i].corners, judged[k].corners) > settings.overlap]

    def is_alike(i: int, rivals: list[int]) -> bool:
        return any(np.abs(sides[i] - sides[k]).max() < ALIKE_SIDES for k in sure if k != i and k not in rivals)

    cards: dict[int, float] = {}
    for i, candidate in enumerate(candidates):
        is_plain = candidate.refined.support.min() >= PLAIN_EDGES and candidate.seed.confidence >= PLAIN_SEED
        if i in sure or not is_plain:
            continue
        rivals = rivals_of(i)
        if is_alike(i, rivals) and not any(is_alike(k, rivals_of(k)) for k in rivals):
            surest = max((judged[k].confidence for k in rivals), default=0.0)
            cards[i] = max(ALIKE_CONFIDENCE, min(1.0, surest + 0.01))
    return {i: sure_now for i, sure_now in cards.items() if sure_now > judged[i].confidence}


def _singles_first(judged: list[Outline], settings: Settings) -> list[Outline]:
    """Rectangles, the best first, with those last and less sure that are two cards together or a part of one."""
    maybe = [one for one in judged if one.confidence > COMPARED_CONFIDENCE]
    cards = np.array([one.corners for one in suppress(maybe, settings.overlap)])
    others = [one for one in maybe if is_pair_or_part(one.corners, cards)]
    singles = [one for one in judged if one not in others]
    return [*singles, *(replace(one, confidence=ODD_SIZE_FACTOR * one.confidence) for one in others)]


def _boards_last(judged: list[Outline], settings: Settings) -> list[Outline]:
    """Hexagons, the best first, but those last on which tiles lie."""
    likely = [one for one in judged if one.confidence > COMPARED_CONFIDENCE]
    sizes = areas(np.array([one.corners for one in likely]).reshape(-1, 6, 2))
    boards = []
    for one, size in zip(likely, sizes, strict=True):
        on_it = [k for k, small in zip(likely, sizes, strict=True) if small < size / LEAST_TILES]
        on_it = [k for k in on_it if shared_area(k.corners, one.corners) > ON_BOARD]
        boards += [one] if len(suppress(on_it, settings.overlap)) >= LEAST_TILES else []
    return [*(one for one in judged if one not in boards), *boards]


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


def on_board(pyramid: Pyramid, tiles: list[Outline]) -> list[Outline]:
    """Hexagons as the lattice of their board has them, with those that were missed; unchanged where there is none."""
    seen = next(filter(None, (_seen_board(pyramid, tiles, least) for least in BOARD_CONFIDENCES)), None)
    if seen is None:
        return tiles
    board, confidences, refined = seen
    seen_as = np.array([r.corners for r in refined])
    outlines = board.corrected(list(board.cells), seen_as)
    bare = bare_cells(board, seen_as, 255 * colours_beside(pyramid, seen_as))
    on_lattice = [
        Outline(corners, BARE_FACTOR * c if cell in bare else _confidence_on(board, cell, edges, c))
        for cell, corners, c, edges in zip(board.cells, outlines, confidences, refined, strict=True)
    ]
    gaps = refine(pyramid, [board.corners(cell) for cell in board.gaps(GAP_NEIGHBOURS)])
    filled = [Outline(gap.corners, GAP_CONFIDENCE) for gap in gaps if _shows_edges(gap)]
    whole = suppress([*on_lattice, *filled], 0.35)
    apart = suppress([*whole, *tiles], 0.35)[len(whole) :]
    return [*whole, *_apart(pyramid, apart, float(np.median(areas(outlines))))]


def _confidence_on(board: Board, cell: Cell, tile: Refined, confidence: float) -> float:
    """How likely a tile lies on a board's cell: less where it shows edges but beside others, as a gap does."""
    free = board.free_sides(cell, tile.corners)
    own = float(tile.support[free].mean()) if free.any() else 1.0
    if own < FREE_EDGES:
        return confidence * own
    return _supported(confidence) if board.neighbours(cell) > 2 and _shows_edges(tile) else confidence


def _supported(confidence: float) -> float:
    """How sure of a hexagon others of its size make."""
    return 1 - 0.5 * (1 - confidence) if confidence > SUPPORTED_CONFIDENCE else confidence


def _apart(pyramid: Pyramid, tiles: list[Outline], usual: float) -> list[Outline]:
    """Hexagons off a board's lattice: surer where they have edges all around and about its tiles' ``usual`` area, else
    less sure.
    """
    likely = [tile for tile in tiles if tile.confidence > SUPPORTED_CONFIDENCE]
    sure = []
    for tile, edges in zip(likely, refine(pyramid, [tile.corners for tile in likely]), strict=True):
        is_as_large = 1 / ALIKE_AREA < areas(edges.corners[None])[0] / usual < ALIKE_AREA
        sure += [tile] if is_as_large and _shows_edges(edges) else []
    less = [
        t if t in sure or t.confidence > APART_CONFIDENCE else replace(t, confidence=0.5 * t.confidence) for t in tiles
    ]
    return [replace(t, confidence=_supported(t.confidence)) if t in sure else t for t in less]


def _seen_board(
    pyramid: Pyramid, tiles: list[Outline], least: float
) -> tuple[Board, list[float], list[Refined]] | None:
    """The board of tiles that are surer than ``least``, how sure they are and their edges; None where there is none."""
    likely = [t for t in tiles if t.confidence > least]
    board = find_board([t.corners for t in likely], [t.confidence for t in likely])
    if board is None:
        return None
    seen = _refined_on(pyramid, board, [t.confidence for t in likely])
    if board.radius >= LEAST_RADIUS_TOUCHING and _mean_support(seen[2]) >= SUPPORTED_EDGES:
        return seen
    sures = [max(t.confidence, GAP_CONFIDENCE) for t in likely]
    ways = [seen]
    for larger in board.of_larger_tiles():
        refined = refine(pyramid, list(larger.outlines(list(larger.cells))), reach=BAND_REACH)
        ways.append((larger, [sures[index] for index in larger.cells.values()], refined))
    support = [_mean_support(refined) for *_, refined in ways]
    best = int(np.argmax(support[1:])) + 1 if support[1:] and max(support[1:]) >= BOARD_EDGES else 0
    return ways[best] if support[best] >= BOARD_EDGES else None


def _refined_on(
    pyramid: Pyramid, board: Board, confidences: Sequence[float]
) -> tuple[Board, list[float], list[Refined]]:
    """The board fitted again to its tiles' edges, with how sure its tiles are and those edges."""
    sure = [confidences[index] for index in board.cells.values()]
    refined = refine(pyramid, list(board.outlines(list(board.cells))))
    better = find_board(
        [r.corners for r in refined], [c * float(r.support.mean()) for c, r in zip(sure, refined, strict=True)]
    )
    if better is None:
        return board, sure, refined
    kept = list(better.cells.values())
    return better, [sure[i] for i in kept], [refined[i] for i in kept]


def _mean_support(refined: Sequence[Refined]) -> float:
    return float(np.mean([one.support.mean() for one in refined]))


def _shows_edges(tile: Refined) -> bool:
    """Whether a hexagon has edges all around, not just where the tiles beside it have theirs."""
    return float(tile.support.mean()) > SUPPORTED_EDGES


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


def suppress(items: Sequence[T], overlap: float, max_ratio: float = np.inf) -> list[T]:
    """Non-maximum suppression: of outlines that share more than ``overlap`` of the smaller one, the first alone.

    Args:
        items: the best first.
        overlap: a share.
        max_ratio: of their areas; outlines that differ more both stay.
    """
    if not items:
        return []
    corners = np.array([item.corners for item in items])
    outlines, sizes = corners.astype(np.float32), np.maximum(1.0, areas(corners)).tolist()
    low, high = corners.min(1), corners.max(1)
    apart = ((low[:, None] > high) | (high[:, None] < low)).any(-1).tolist()
    kept: list[int] = []
    for i, size in enumerate(sizes):
        for k in kept:
            smaller, larger = sorted((size, sizes[k]))
            if apart[i][k] or larger > max_ratio * smaller:
                continue
            if cv2.intersectConvexConvex(outlines[i], outlines[k])[0] > overlap * smaller:
                break
        else:
            kept.append(i)
    return [items[i] for i in kept]
