"""Where cards of a taught printing may lie that no outline shows: three numerals that stand as on its cards.

Cards fanned out hide each other's edges; their numerals still show. What of the picture has the height and contrast of
the numerals that are read is taken for one, and each three that stand to each other as those of one card, as large and
as tilted as the cards beside them, say where it lies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import NumberPlaces, card_to_image
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.detector import suppress_overlaps
from companion.vision.geometry import areas, following, mapped
from companion.vision.image.components import measure_components
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]
_NUMERAL_PX = 20.0
"""How high a numeral is looked at."""
_BLOCKS = (0.8, 1.3)
"""Half of the neighbourhood, in heights of a numeral, whose mean parts ink from ground."""
_EXTENTS = (0.5, 1.6)
"""How far ink extends along the picture's axes, in heights of a numeral: turned ones extend farther."""
_LEAST_INK = 0.1
"""So much of the square around it is ink."""
_DISC_EXTENTS, _LEAST_DISC = (1.6, 3.2), 0.25
"""The same for what numerals may stand on: a disc, or a box. On it light ink may be no lighter than the card around."""
_DARK = 12.0
"""Of 255: added to a ground's brightness, so that noise in the dark is no contrast."""
_APART = 0.25
"""Ink nearer than this, in heights of a numeral, is looked at once."""
SAME_NUMERAL = 0.5
"""In heights of a numeral: what is nearer to a numeral that is read is part of it."""
_SAME_NUMBER = 0.8
"""Ink nearer than this, in heights of a numeral, is another figure of the same number, or a line below it."""
_AROUND = 1.25
"""Outlines are searched for numerals, so much enlarged."""
_REACH = (0.5, 0.15)
"""So far from where a number should stand its ink may lie, in heights of a numeral and in half heights of a card."""
_REACH_CELLS = 3
"""The reach in cells of the grid on which ink is looked up."""
_CORE = 0.7
"""Ink in the core of a card, so large, is no other card's."""
_COARSE = 4
"""In pixels: which ink lies in an outline need not be known better."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ink:
    """Connected ink that may be numerals.

    Attributes:
        at: the middles (N, 2) in the picture's pixels.
        contrast: with the ground around, relative to its brightness (N,); positive where the ink is lighter.
    """

    at: Floats
    contrast: Floats

    def only(self, which: NDArray[np.bool_]) -> "_Ink":
        return _Ink(self.at[which], self.contrast[which])


Quads = Sequence[NDArray[np.floating]]
"""Outlines (4, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class NumeralSearch:
    """Looks on a picture for cards of a printing by numerals that none of the cards that are read explains.

    Attributes:
        places: where the printing's numerals stand.
        likely: outlines within which numerals are looked for.
    """

    pyramid: Pyramid
    places: NumberPlaces
    likely: Quads
    _ink_of: dict[tuple[float, float, float, tuple[float, float]], _Ink] = field(default_factory=dict)
    _contrast_of: dict[tuple[float, float], NDArray[np.float32]] = field(default_factory=dict)
    _grey_of: dict[float, NDArray[np.float32]] = field(default_factory=dict)

    def by_three(self, read: Quads, whole: Quads, blank: Quads = ()) -> list[NDArray[np.float32]]:
        """Outlines (4, 2), begun at the top left, where a card's three numerals may stand; the likeliest first.

        Args:
            read: outlines on which numbers are read, some of them perhaps wrongly placed.
            whole: those of them that surely lie so.
            blank: outlines in which no numbers are seen, perhaps patterned backs: half of the poses have none there.
        """
        if not read:
            return []
        frames, at, unit_px = self._unread(read, whole)
        sure = [card_to_image(quad, self.places.half_width) for quad in whole]
        beside = at[~_lie_in(at, blank).any(1)]
        found = _triples(at, self.places, frames, sure)
        if len(beside) == len(at):
            return _distinct_poses(found, whole, unit_px, LIMITS.most_poses)
        first = _distinct_poses(_triples(beside, self.places, frames, sure), whole, unit_px, LIMITS.most_poses // 2)
        return _distinct_poses(found, whole, unit_px, LIMITS.most_poses, first)

    def by_two(self, read: Quads, above: Quads) -> list[tuple[NDArray[np.float32], int]]:
        """As `by_three`, where two of a card's numerals may stand and one of ``above`` lies on the third.

        Each with which that is; there are none where numbers are printed more than once: one of them shows. All that
        are ``read`` lie so.
        """
        if not read or len(self.places.slots) > 3:
            return []
        frames, at, unit_px = self._unread(read, read)
        return [
            (quad, hidden)
            for hidden in range(3)
            for quad in _distinct_poses(
                _pairs(at, self.places, frames, above, hidden), read, unit_px, LIMITS.most_pairs
            )
        ]

    def ink_test(self, read: Quads, whole: Quads) -> Callable[[NDArray[np.floating]], bool]:
        """Whether an outline (4, 2), begun at the top left, has ink where two of a card's numbers stand at least.

        Ink as on the cards that are ``read``, beside those of them that surely lie so, the ``whole`` ones; any outline
        may show numbers where one of those that are read seems to have none. A numeral that runs into the ground around
        a disc that it stands on shows by its plain ink.
        """
        if not read:
            return lambda outline: True
        places, prints = self.places, self.places.prints
        ink, unit_px = self._ink_as_on(read, (LIMITS.faint_ink, LIMITS.plain_ink))
        side = max(1.0, unit_px * (_REACH[0] * float(np.median(places.high)) + _REACH[1]) / _REACH_CELLS)

        def shows_two(outline: NDArray[np.floating], reached: NDArray[np.bool_]) -> bool:
            is_inked = reached[_cells(mapped(card_to_image(outline, places.half_width), places.at), side, reached)]
            return any(int(is_inked[three].sum()) >= 2 for three in prints)

        reached = self._reached(ink.at, side)
        if not all(shows_two(outline, reached) for outline in read):
            return lambda outline: True
        cores = [quad.mean(0) + _CORE * (quad - quad.mean(0)) for quad in whole]
        beside = self._reached(ink.at[~_lie_in(ink.at, cores).any(1)], side)
        return lambda outline: shows_two(outline, beside)

    def _reached(self, at: Floats, side: float) -> NDArray[np.bool_]:
        """The cells of the picture, so wide, in reach of ink at points (N, 2)."""
        w, h = self.pyramid.size
        inked = np.zeros((int(h / side) + 1, int(w / side) + 1), np.uint8)
        inked[_cells(at, side, inked)] = 1
        return cv2.dilate(inked, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _REACH_CELLS + 1,) * 2)) > 0

    def _unread(self, read: Quads, whole: Quads) -> tuple[list[tuple[Floats, Floats]], Floats, float]:
        """How cards ``read`` lie, see `_affine`, where numerals may stand (N, 2) that are not those of ``whole`` ones,
        and half a card's height in pixels."""
        places = self.places
        frames = [card_to_image(quad, places.half_width) for quad in read]
        ink, unit_px = self._ink_as_on(read)
        ink = ink.only(~_is_near(ink.at, whole, places, unit_px))
        around = [quad for quad in self.likely if _is_large_enough(quad, unit_px, places)]
        ink = ink.only(_is_within(ink.at, around, self.pyramid.size))
        order = np.argsort(-np.abs(ink.contrast))[: LIMITS.most_numerals]
        apart = np.linalg.norm(ink.at[order, None] - ink.at[order], axis=-1)
        at = ink.at[order[suppress_overlaps(apart < _APART * unit_px * float(places.high.min()))]]
        at = _merge_figures(at, unit_px * float(np.median(places.high)))
        return [_affine(frame) for frame in frames], at, unit_px

    def _ink_as_on(self, read: Quads, least: tuple[float, ...] = (LIMITS.faint_ink,)) -> tuple[_Ink, float]:
        """Ink as high and of such contrast as the numerals of cards ``read``, and half a card's height in pixels.

        Ink touches where it differs from the ground around by more than one of ``least``. Where nearly all of those
        numerals stand on discs, such discs are among it.
        """
        places = self.places
        unit_px = float(np.median([np.sqrt(areas(np.asarray(quad, float)) / (4 * places.half_width)) for quad in read]))
        printed = np.concatenate([mapped(card_to_image(quad, places.half_width), places.at) for quad in read])
        reach_px = SAME_NUMERAL * unit_px * float(np.median(places.high))
        ink = self._ink(places.high * unit_px, least)
        ink = ink.only(_has_contrast(ink, printed, reach_px))
        discs = self._discs(float(np.median(places.high)) * unit_px)
        stand_on = (np.linalg.norm(printed[:, None] - discs.at, axis=-1) < reach_px).any(1)
        if float(stand_on.mean()) >= LIMITS.stand_on_discs:
            ink = _together([ink, discs.only(_has_contrast(discs, printed, reach_px))])
        return ink, unit_px

    def _ink(self, high_px: NDArray[np.floating], least: tuple[float, ...]) -> _Ink:
        """Ink of numerals so high (P,), whichever way up."""
        sizes = product(_log_heights(high_px), _BLOCKS, least)
        return _together([self._connected(*size, _EXTENTS, _LEAST_INK) for size in sizes])

    def _discs(self, high_px: float) -> _Ink:
        """What numerals so high may stand on."""
        (log_high,) = _log_heights(np.array([high_px]))
        return self._connected(log_high, _BLOCKS[-1], LIMITS.plain_disc, _DISC_EXTENTS, _LEAST_DISC)

    def _connected(
        self, log_high: float, block: float, least: float, extents: tuple[float, float], least_ink: float
    ) -> _Ink:
        """See `_components`; looked for once."""
        kind = log_high, block, least, extents
        if kind not in self._ink_of:
            self._ink_of[kind] = _components(self._contrast(log_high, block), log_high, least, extents, least_ink)
        return self._ink_of[kind]

    def _contrast(self, log_high: float, block: float) -> NDArray[np.float32]:
        """How much brighter than the ground around each place is, relative to that; worked out once."""
        if (log_high, block) not in self._contrast_of:
            grey, side = self._grey(log_high), 2 * round(block * _scale(log_high)[1]) + 1
            ground = cv2.blur(grey, (side, side))
            self._contrast_of[log_high, block] = (grey - ground) / (ground + _DARK)
        return self._contrast_of[log_high, block]

    def _grey(self, log_high: float) -> NDArray[np.float32]:
        """The picture in grey (h, w) at the scale for numerals so high; worked out once."""
        if log_high not in self._grey_of:
            small = self.pyramid.scaled(_scale(log_high)[0])
            self._grey_of[log_high] = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
        return self._grey_of[log_high]


def _log_heights(high_px: NDArray[np.floating]) -> list[float]:
    """The logarithms of heights (P,), of those that differ hardly one."""
    heights: list[float] = (np.unique(np.round(4 * np.log(high_px))) / 4).tolist()
    return heights


def _together(some: Sequence[_Ink]) -> _Ink:
    return _Ink(np.concatenate([one.at for one in some]), np.concatenate([one.contrast for one in some]))


def _cells(
    at: NDArray[np.floating], side: float, grid: NDArray[np.generic]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns of a grid's cells, so wide, in which points (N, 2) lie; the nearest for those beyond it."""
    x, y = np.clip((at / side).astype(np.intp), 0, np.array(grid.shape)[::-1] - 1).T
    return y, x


def _distinct_poses(
    found: list[tuple[float, Floats]], whole: Quads, unit_px: float, most: int, first: Quads = ()
) -> list[NDArray[np.float32]]:
    """Of outlines and how far each is off the likeliest, none of them a ``whole`` card's or near another's, after the
    ``first``."""
    middles = np.array([np.asarray(quad).mean(0) for quad in whole]).reshape(-1, 2)
    kept: list[NDArray[np.floating]] = list(first)
    for _, quad in sorted(found, key=lambda one: one[0]):
        if len(kept) == most:
            break
        is_known = (np.abs(middles - quad.mean(0)).max(-1) < LIMITS.beside_whole * unit_px).any()
        if not is_known and not any(np.abs(quad - other).max() < LIMITS.same_pose * unit_px for other in kept):
            kept.append(quad)
    return [quad.astype(np.float32) for quad in kept]


def _merge_figures(at: Floats, high_px: float) -> Floats:
    """The middles (M, 2) of numerals whose ink lies at points (N, 2): two figures side by side are one."""
    apart = np.linalg.norm(at[:, None] - at, axis=-1)
    is_beside = (apart < _SAME_NUMBER * high_px) & (apart > 0)
    pairs = np.argwhere(np.triu(is_beside))
    return np.concatenate([at[~is_beside.any(1)], (at[pairs[:, 0]] + at[pairs[:, 1]]) / 2])


def _scale(log_high: float) -> tuple[float, float]:
    """How much smaller a picture is looked at for numerals so high, and how high they are there."""
    factor = min(1.0, _NUMERAL_PX / float(np.exp(log_high)))
    return factor, factor * float(np.exp(log_high))


def _components(
    contrast: NDArray[np.float32],
    log_high: float,
    least: float,
    extents: tuple[float, float],
    least_ink: float,
) -> _Ink:
    """Connected ink, lighter or darker than its ground (h, w) by more than the ``least``, as large beside numerals so
    high as the ``extents`` say, which fills so much of the square around it.
    """
    factor, high = _scale(log_high)
    middles, contrasts = [np.zeros((0, 2))], [np.zeros(0)]
    for sign in (1, -1):
        is_ink = contrast > least if sign > 0 else contrast < -least
        labels, stats = measure_components(is_ink, 4)
        extent, pixels = stats[:, 2:4].max(-1), stats[:, 4]
        fits = (extent >= extents[0] * high) & (extent <= extents[1] * high) & (pixels >= least_ink * extent**2)
        inked = np.flatnonzero(is_ink)
        means = np.bincount(labels.reshape(-1)[inked] - 1, contrast.reshape(-1)[inked], len(stats)) / pixels
        middles.append((stats[fits, :2] + stats[fits, 2:4] / 2) / factor - 0.5)
        contrasts.append(means[fits])
    return _Ink(np.concatenate(middles), np.concatenate(contrasts))


def _has_contrast(ink: _Ink, printed: Floats, reach_px: float) -> NDArray[np.bool_]:
    """Which ink (N,) has about the contrast of that within reach of places (M, 2) where numerals are read."""
    if not len(ink.at):
        return np.zeros(0, bool)
    apart = np.linalg.norm(printed[:, None] - ink.at, axis=-1)
    strength = np.where(apart < reach_px, np.abs(ink.contrast), 0.0)
    strongest = strength.argmax(1)
    known = ink.contrast[strongest[strength.max(1) > 0]]
    is_like = np.zeros(len(ink.at), bool)
    for sign in (1, -1):
        same = sign * known[sign * known > 0]
        if len(same) and len(same) >= LIMITS.usual_polarity * len(known):
            is_like |= sign * ink.contrast > LIMITS.fainter_ink * np.quantile(same, LIMITS.faint_quantile)
    return is_like


def _is_near(
    at: Floats, cards: Sequence[NDArray[np.floating]], places: NumberPlaces, unit_px: float
) -> NDArray[np.bool_]:
    """Which ink (N,) is part of the numerals of cards (4, 2)."""
    is_near = np.zeros(len(at), bool)
    reach = SAME_NUMERAL * unit_px * places.high
    for quad in cards:
        printed = mapped(card_to_image(quad, places.half_width), places.at)
        is_near |= (np.linalg.norm(at[:, None] - printed, axis=-1) < reach).any(1)
    return is_near


def _is_within(at: Floats, outlines: Sequence[NDArray[np.floating]], size: tuple[int, int]) -> NDArray[np.bool_]:
    """Which ink (N,) of a picture of that width and height lies in outlines (4, 2), or close by."""
    within = np.zeros((size[1] // _COARSE + 1, size[0] // _COARSE + 1), np.uint8)
    for quad in outlines:
        around = quad.mean(0) + _AROUND * (quad - quad.mean(0))
        cv2.fillConvexPoly(within, np.round(around / _COARSE).astype(np.int32), 1)
    x, y = np.clip(np.round(at / _COARSE).astype(int), 0, np.array(within.shape)[::-1] - 1).T
    return np.asarray(within[y, x] > 0)


def _is_large_enough(quad: NDArray[np.floating], unit_px: float, places: NumberPlaces) -> bool:
    """An outline may hold numerals of a card, or of some in a fan."""
    share = float(areas(np.asarray(quad, float))) / (4 * places.half_width * unit_px**2)
    return LIMITS.fanned_area[0] < share < LIMITS.fanned_area[1]


def _affine(frame: Floats) -> tuple[Floats, Floats]:
    """A card's middle (2,), and the affine map (2, 2) to the picture from its frame there."""
    ends = mapped(frame, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    return ends[0], np.stack([ends[1] - ends[0], ends[2] - ends[0]], 1)


def _affine_at(frame: Floats, at: Floats) -> Floats | None:
    """The affine map (2, 2) that a card's frame (3, 3) is at a point (2,) of its table; None where it says nothing."""
    x, y = mapped(np.linalg.inv(frame), at)
    depth = float(frame[2] @ (x, y, 1.0))
    farther = depth / float(frame[2, 2])
    if not 1 / LIMITS.farthest_ratio < farther < LIMITS.farthest_ratio:
        return None
    return np.asarray((frame[:2, :2] - np.outer(at, frame[2, :2])) / depth)


def _triples(
    at: Floats, places: NumberPlaces, near: list[tuple[Floats, Floats]], sure: list[Floats]
) -> list[tuple[float, Floats]]:
    """Of each three points (N, 2) that stand as a card's numerals how far they are off, and its outline (4, 2).

    Seen with the tilt of the card nearest of those whose middles and affine maps are given, it is turned, and a little
    larger or smaller; or as the frame of the nearest of those that surely lie so (3, 3) says how large cards are there.
    """
    unit = np.array([-places.half_width - 1j, places.half_width - 1j, places.half_width + 1j, -places.half_width + 1j])
    found = []
    for first in at:
        _, affine = near[int(np.argmin([np.linalg.norm(middle - first) for middle, _ in near]))]
        frame = min(sure, key=lambda one: float(np.linalg.norm(one[:2, 2] / one[2, 2] - first)), default=None)
        there = None if frame is None else _affine_at(frame, first)
        affines = [affine] if there is None or _are_as_large(affine, there) else [affine, there]
        for affine in affines:
            seen = _complex((at - first) @ np.linalg.inv(affine).T)
            for three in places.prints:
                for off, turn, shift in _fits(seen, _complex(places.at[three]), float(np.median(places.high[three]))):
                    corners = turn * unit + shift
                    found.append((off, np.stack([corners.real, corners.imag], 1) @ affine.T + first))
    return found


def _are_as_large(affine: Floats, other: Floats) -> bool:
    """Two affine maps (2, 2) make cards about as large."""
    sizes = [float(np.sqrt(abs(np.linalg.det(one)))) for one in (affine, other)]
    return max(sizes) < (1 + LIMITS.odd_scale / 2) * min(sizes)


def _pairs(
    at: Floats,
    places: NumberPlaces,
    near: list[tuple[Floats, Floats]],
    above: Sequence[NDArray[np.floating]],
    hidden: int,
) -> list[tuple[float, Floats]]:
    """As `_triples`, of each two points that stand as two of a card's numerals, the third below one of ``above``."""
    unit = np.array([-places.half_width - 1j, places.half_width - 1j, places.half_width + 1j, -places.half_width + 1j])
    (three,) = places.prints
    row, high = _complex(places.at[three]), float(np.median(places.high[three]))
    a, b = (slot for slot in range(3) if slot != hidden)
    apart = row[b] - row[a]
    loose = LIMITS.odd_scale / 2 + LIMITS.off_numeral / 2 * high / abs(apart)
    shown = _lie_in(at, above)
    found = []
    for first, first_shown in zip(at, shown, strict=True):
        _, affine = near[int(np.argmin([np.linalg.norm(middle - first) for middle, _ in near]))]
        seen = _complex((at - first) @ np.linalg.inv(affine).T)
        scales = np.abs(seen / apart)
        second = np.flatnonzero(np.abs(scales - 1) < loose)
        turns = (seen[second] / apart / scales[second])[:, None]
        points = turns * np.append(unit, row[hidden]) + seen[second, None] / 2 - turns * (row[a] + row[b]) / 2
        seen_at = np.stack([points.real, points.imag], -1) @ affine.T + first
        corners, under = seen_at[:, :4], seen_at[:, 4]
        is_covered = (_lie_in(under, above) & ~first_shown & ~shown[second]).any(1)
        off = np.abs(np.log(scales[second]))
        found += [(float(off[k]), corners[k]) for k in np.flatnonzero(is_covered).tolist()]
    return found


def _lie_in(points: Floats, outlines: Quads) -> NDArray[np.bool_]:
    """Which points (N, 2) lie in which convex outlines (4, 2): (N, M)."""
    corners = np.array([np.asarray(quad, float) for quad in outlines]).reshape(-1, 4, 2)
    sides, away = following(corners) - corners, points[:, None, None] - corners
    turn = sides[..., 0] * away[..., 1] - sides[..., 1] * away[..., 0]
    return np.asarray((turn > 0).all(-1) | (turn < 0).all(-1))


def _complex(points: NDArray[np.floating]) -> NDArray[np.complex128]:
    return np.asarray(points[:, 0] + 1j * points[:, 1], np.complex128)


def _fits(
    seen: NDArray[np.complex128], row: NDArray[np.complex128], high: float
) -> list[tuple[float, complex, complex]]:
    """Similarities from a card's frame that bring its numerals (3,), so high, to points (N,), the first to 0.

    Each with how far the points are off, in heights of a numeral; the scale is drawn to that of the cards beside.
    """
    apart = row[2] - row[0]
    loose = LIMITS.odd_scale + LIMITS.off_numeral * high / abs(apart)
    turns = seen / apart
    thirds = np.flatnonzero(np.abs(np.abs(turns) - 1) < loose)
    found = []
    for third in thirds.tolist():
        off = np.abs(seen - turns[third] * (row[1] - row[0]))
        second = int(off.argmin())
        if off[second] > LIMITS.off_numeral * high or seen[second] in (0, seen[third]):
            continue
        points = np.array([0, seen[second], seen[third]])
        centred = row - row.mean()
        turn = complex(np.vdot(centred, points - points.mean()) / np.vdot(centred, centred).real)
        odd = abs(turn) - 1
        turn = turn / abs(turn) * float(np.clip(abs(turn), 1 - LIMITS.odd_scale / 2, 1 + LIMITS.odd_scale / 2))
        shift = complex(points.mean() - turn * row.mean())
        residual = float(np.abs(turn * row + shift - points).max()) / high
        if abs(odd) < loose and residual < LIMITS.off_numeral * 2:
            found.append((residual + abs(odd) * abs(apart) / high / 2, turn, shift))
    return found
