"""What a frame shows before anything is read: what moves, what lies still, what differs from the accepted picture, and
which of that is a hand.

Masks hold every eighth pixel across and down. A table on which nothing has stirred since the last full comparison costs
a tenth of a millisecond a frame. Light that changes as a whole (flicker, exposure) is divided out before anything is
called a change. A hand is what moves, or reaches in from the picture's rim, and is no card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.vision.geometry import median
from companion.vision.results import Outlined
from companion.vision.tracking.camera_motion import Stabilizer
from companion.vision.tracking.lamp_flicker import band_gains

MASK_PX = 8
"""The side of a mask's pixel, in pixels of the picture."""

Mask = NDArray[np.bool_]
Planes = NDArray[np.float32]
"""Colours, (3, h, w)."""

_FRACTION_BITS = 4
"""Of the corners that `cv2.fillPoly` takes as whole numbers."""
_NOISE_FACTOR, _LEAST_CHANGE = 5.0, 7.0
"""A place has changed that differs by so many times the noise, and by so many grey levels."""
_FAINT_NOISE, _LEAST_FAINT = 3.0, 3.0
"""A place hardly differs that does by so many times the noise and by so many grey levels; see `faint_changes`."""
_DARK = 0.2
"""Where a picture has less of the accepted one's light than this share, the lights went out."""
_BLACK, _MOST_BLACK = 18.0, 0.95
"""A picture of which so large a share is darker than so many grey levels shows nothing."""
_FULL_COMPARISON_S = 0.75
"""Every so often a quiet table too is compared in full, to follow light that drifts."""
_TWO_FRAMES_NOISE = 1.42
"""Two frames differ by noise so many times as much as one does from the mean of many."""
_MAX_NOISY_PLACES = 4
"""So few places of a quiet table may be off by noise: less than a crumb."""
_DRIFT_FOLLOWED = 0.9
"""By so much the anchor of what lies still comes nearer to a drifting light, a second."""
_MIN_TEXTURE = 14.0
"""Grey levels between neighbours from which on a pixel is textured: it changes when the camera moves."""
_MASK_FROM_PICTURE = np.array(
    [[1 / MASK_PX, 0, (1 / MASK_PX - 1) / 2], [0, 1 / MASK_PX, (1 / MASK_PX - 1) / 2], [0, 0, 1]]
)
"""The homography from the picture's pixels to a mask's."""
_MOVING_S = 0.09
"""What has moved within so long is still moving."""
_MIN_SKIN = 0.08
"""A hand and its sleeve show at least so much skin."""
_FOREVER_S = 60.0
"""Nobody's hand lies perfectly still for so long."""
_MIN_RESTING = 0.6
"""A hand rests of which more than this share lies still."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeMask:
    """One frame against the accepted picture.

    Attributes:
        changed: bool (h, w), where the table differs from what was last accepted.
        stirred_s: float64 (h, w), when each place last moved.
        now_s: when the frame was taken.
        is_dark: the lights went out, or the camera is covered.
        is_as_before: nothing stirred since the frame before, and ``changed`` is what it was.
        light: how many times as bright the picture is as the accepted one.
    """

    changed: Mask
    stirred_s: NDArray[np.float64]
    now_s: float
    is_dark: bool
    is_as_before: bool = False
    light: float = 1.0

    def is_still(self, for_s: float) -> Mask:
        """Where nothing has moved for so long, bool (h, w)."""
        return np.asarray(self.stirred_s <= self.now_s - for_s + 1e-3)


class ChangeDetector:
    """Keeps the accepted picture, and since when each place has been as it is. Colours are planes (3, h, w) float32.

    What a thing that was accepted lies on is kept too: where that shows again, nothing has changed.
    """

    def __init__(self) -> None:
        none = np.zeros((3, 0, 0), np.float32)
        self._accepted, self._beneath, self._anchor = none, none, none
        self._stirred_s = np.zeros((0, 0))
        self._noise = self._sampled_noise = 2.0
        self._textured = (none, np.zeros((0, 0), bool))
        self._sample = np.zeros((0, 0, 3), np.uint8)
        self._quiet: ChangeMask | None = None
        self._compared_s = 0.0
        self._stabilizer = Stabilizer()

    @property
    def accepted(self) -> Planes:
        """What was last accepted as the table and what lies on it: (3, h, w)."""
        return self._accepted

    @property
    def seen(self) -> Planes:
        """What lies there now, in the light of the accepted picture: (3, h, w)."""
        return self._anchor

    @property
    def differs(self) -> Mask:
        """Where what lies there now is not what was last accepted, also where what lay beneath shows: bool (h, w)."""
        return self._differs(self._accepted)

    def update(self, bgr: NDArray[np.uint8], now_s: float) -> ChangeMask:
        """Compare one frame, uint8 (h, w, 3), always of the same size, with what was there before."""
        sample = _sampled(bgr)
        if self._sample.shape == sample.shape:
            if self._quiet is not None and now_s - self._compared_s < _FULL_COMPARISON_S:
                limit = int(
                    _TWO_FRAMES_NOISE * _limit(self._sampled_noise)
                )  # of whole numbers, which are compared far faster
                if np.count_nonzero(cv2.absdiff(sample, self._sample) > limit) <= _MAX_NOISY_PLACES:
                    return ChangeMask(self._quiet.changed, self._stirred_s, now_s, is_dark=False, is_as_before=True)
            moved = cv2.absdiff(sample[::3, ::3], self._sample[::3, ::3]).max(2)
            self._sampled_noise = _smoothed(
                self._sampled_noise, float(median(moved.astype(np.float32).ravel())) / _TWO_FRAMES_NOISE
            )
        mask, is_quiet = self._compare(_averaged(bgr), now_s)
        self._sample, self._quiet = sample, mask if is_quiet else None
        self._compared_s = now_s
        return mask

    def _compare(self, small: NDArray[np.uint8], now_s: float) -> tuple[ChangeMask, bool]:
        """One frame against what was there before; and whether hardly anything stirred."""
        seen = _planes(small)
        if self._accepted.shape != seen.shape:
            self._accepted = self._beneath = self._anchor = seen
            self._stirred_s = np.full(seen.shape[1:], now_s)
            return ChangeMask(np.zeros(seen.shape[1:], bool), self._stirred_s, now_s, _is_black(seen)), False
        level = _light(seen, self._accepted)
        is_dark = level < _DARK or _is_black(seen)
        if not is_dark:
            seen *= np.float32(1.0 / level)
            _take_out_bands(seen, self._accepted)
            seen = self._stabilizer.stabilized(seen, self._accepted, now_s)
        moved = _largest(cv2.absdiff(seen, self._anchor))
        self._noise = _smoothed(self._noise, float(median(moved[::3, ::3].ravel())))
        stirred = moved > self._limit()
        count = int(np.count_nonzero(stirred))
        follow = 1.0 - (1.0 - _DRIFT_FOLLOWED) ** max(0.01, min(1.0, now_s - self._compared_s))
        self._anchor = np.asarray(cv2.addWeighted(self._anchor, 1.0 - follow, seen, follow, 0.0), np.float32)
        if count:
            self._stirred_s = self._stirred_s.copy()
            self._stirred_s[stirred] = now_s
            np.copyto(self._anchor, seen, where=stirred)
        changed = self._differs(self._accepted)
        if self._beneath is not self._accepted and changed.any():
            changed &= self._differs(self._beneath)
        mask = ChangeMask(changed, self._stirred_s, now_s, is_dark, light=level)
        return mask, not is_dark and count <= _MAX_NOISY_PLACES

    def _differs(self, planes: Planes, limit: float | None = None) -> Mask:
        return np.asarray(_largest(cv2.absdiff(self._anchor, planes)) > (limit or self._limit() * 1.3))

    def faint_changes(self, seeds: Mask, sizes: tuple[float, float]) -> Mask:
        """What differs hardly or more, is connected with one of some places and is so large, bool (h, w).

        Args:
            seeds: bool (h, w), places that changed.
            sizes: how many mask pixels it covers at least and at most.
        """
        limit = max(_LEAST_FAINT, _FAINT_NOISE * self._noise)
        faint = self._differs(self._accepted, limit) & self._differs(self._beneath, limit)
        count, labels = cv2.connectedComponents(faint.view(np.uint8), connectivity=4)
        area = np.bincount(labels.ravel(), minlength=count)
        is_card = np.bincount(labels[seeds & faint], minlength=count) > 0
        is_card &= (area >= sizes[0]) & (area <= sizes[1])
        is_card[0] = False
        return np.asarray(is_card[labels])

    def _limit(self) -> float:
        return _limit(self._noise)

    def changed_texture(self, changed: Mask) -> float:
        """The share 0..1 of the accepted picture's textured places that ``changed`` (h, w); high as a camera moves."""
        of, textured = self._textured
        if of is not self._accepted:
            textured = _textured(self._accepted)
            self._textured = self._accepted, textured
        count = np.count_nonzero(textured)
        return np.count_nonzero(changed & textured) / count if count else 0.0

    def accept(self, where: Mask | None = None, *, is_thing: bool = False) -> None:
        """Take what lies there now as part of the table.

        Args:
            where: bool (h, w); None for the whole picture, which also makes the present light the usual one.
            is_thing: it lies on the table, which may show again.
        """
        if where is None:
            self._quiet = None
            self._accepted = self._beneath = self._anchor.copy()
            return
        if not where.any():
            return
        self._quiet = None
        beneath, accepted = self._beneath.copy(), self._accepted.copy()
        np.copyto(beneath, self._accepted if is_thing else self._anchor, where=where)
        np.copyto(accepted, self._anchor, where=where)
        self._beneath, self._accepted = beneath, accepted

    @property
    def lasting_motion(self) -> NDArray[np.float64] | None:
        """The homography (3, 3) from the accepted picture to where the camera points for good, or None."""
        motion = self._stabilizer.lasting_motion()
        return None if motion is None else np.linalg.inv(_MASK_FROM_PICTURE) @ motion @ _MASK_FROM_PICTURE

    def follow_camera(
        self, bgr: NDArray[np.uint8], homography: NDArray[np.float64], now_s: float, unread: Mask
    ) -> None:
        """Take in that the camera moved: what looks as it did, moved, is accepted; what does not stays a change.

        Args:
            bgr: the frame as the camera sees it now.
            homography: (3, 3), takes a pixel of the accepted picture to where it is now.
            now_s: when the frame was taken.
            unread: bool (h, w) of the accepted picture, where hands were: there nothing is accepted by its looks.
        """
        now = _planes(_averaged(bgr))
        now *= np.float32(_level(self._accepted) / _level(now))
        shift = _MASK_FROM_PICTURE @ homography @ np.linalg.inv(_MASK_FROM_PICTURE)
        h, w = now.shape[1:]
        carried, low, high = (
            np.stack([cv2.warpPerspective(p, shift, (w, h)) for p in planes])
            for planes in (self._accepted, *_spread(self._accepted))
        )
        _take_out_bands(now, np.asarray(carried, np.float32))
        within = cv2.warpPerspective(np.ones((h, w), np.float32), shift, (w, h)) > 0.999
        is_new = cv2.erode(within.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0) == 0
        slack = np.float32(self._limit() * 1.3)
        same = ((now >= low - slack) & (now <= high + slack)).all(0)
        same &= cv2.warpPerspective(unread.astype(np.float32), shift, (w, h)) == 0
        self._accepted = self._beneath = np.where(same | is_new, now, carried)
        self._anchor = now
        self._stirred_s = np.full((h, w), now_s)
        self._quiet = None
        self._stabilizer.forget()


def _limit(noise: float) -> float:
    """Grey levels by which a place differs at least that has changed."""
    return max(_LEAST_CHANGE, _NOISE_FACTOR * noise)


def _smoothed(noise: float, seen: float) -> float:
    """The usual noise, with what one more frame shows of it."""
    return 0.9 * noise + 0.1 * min(6.0, max(0.3, seen))


def _sampled(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Every eighth pixel of a frame (h, w, 3), a little blurred: a quick look whether anything stirs."""
    begun = bgr[MASK_PX // 2 - 1 :, MASK_PX // 2 - 1 :]
    small = cv2.resize(begun, None, fx=1 / MASK_PX, fy=1 / MASK_PX, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.blur(small, (3, 3)), np.uint8)


def _averaged(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The mean of every eight by eight pixels of a frame (h, w, 3), a little blurred: print does not flicker in it."""
    h, w = (side // MASK_PX for side in bgr.shape[:2])
    small: MatLike = bgr[: h * MASK_PX, : w * MASK_PX]
    while small.shape[0] > h:
        small = cv2.resize(small, None, fx=1 / 2, fy=1 / 2, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(small, (3, 3)), np.uint8)


def _planes(small: NDArray[np.uint8]) -> Planes:
    return np.array(cv2.split(small), np.float32)


def _spread(planes: Planes) -> tuple[Planes, Planes]:
    """The lowest and the highest value around each place."""
    kernel = np.ones((3, 3), np.uint8)
    return np.stack([cv2.erode(p, kernel) for p in planes]), np.stack([cv2.dilate(p, kernel) for p in planes])


def _textured(planes: Planes) -> Mask:
    """Where a picture is textured, bool (h, w)."""
    textured = np.zeros(planes.shape[1:], bool)
    textured[:, 1:] |= _largest(cv2.absdiff(planes[:, :, 1:], planes[:, :, :-1])) > _MIN_TEXTURE
    textured[1:] |= _largest(cv2.absdiff(planes[:, 1:], planes[:, :-1])) > _MIN_TEXTURE
    return textured


def _largest(planes: MatLike) -> Planes:
    """The largest of the three colours at each place (h, w)."""
    return np.asarray(np.maximum(np.maximum(planes[0], planes[1]), planes[2]))


def _level(planes: Planes) -> float:
    """The usual brightness; a hand that covers less than half of the picture does not change it."""
    few = planes[:, ::4, ::4]
    return float(median((few[0] + few[1] + few[2]).ravel())) + 3.0


def _light(planes: Planes, usual: Planes) -> float:
    """How much brighter it is than usual: where most places are, so that a shadow or a hand on the others is none."""
    few, few_usual = (picture[:, ::4, ::4].sum(0) + 3.0 for picture in (planes, usual))
    return float(median((few / few_usual).ravel()))


def _take_out_bands(planes: Planes, usual: Planes) -> None:
    """Divide a flickering lamp's bands out of a picture, in place."""
    gains = band_gains(planes, usual)
    if gains is not None:
        planes /= gains[:, None]


def _is_black(planes: Planes) -> bool:
    is_dark = _largest(planes[:, ::4, ::4]) < _BLACK
    return bool(np.count_nonzero(is_dark) >= _MOST_BLACK * is_dark.size)


@dataclass(frozen=True, slots=True, eq=False)
class ObservedFrame:
    """One frame and what is known of it before anything is read.

    Attributes:
        bgr: uint8 (h, w, 3).
        mask: against the accepted picture.
        changed: what changed, without crumbs, bool (h, w).
        still: what has lain still for long enough to be read, bool (h, w).
        hands: where hands are, bool (h, w).
        now_s: when it was taken.
        crumb: so few changed mask pixels are no hand and no card.
    """

    bgr: NDArray[np.uint8]
    mask: ChangeMask
    changed: Mask
    still: Mask
    hands: Mask
    now_s: float
    crumb: float


def find_hands(mask: ChangeMask, changed: Mask, explained: Mask, least: float, at_rim: Mask | None = None) -> Mask:
    """Where hands, arms and what they carry are, bool (h, w).

    Args:
        mask: the frame.
        changed: what of it changed, without crumbs.
        explained: where cards lie that were read, known or fresh: they are no hands.
        least: fewer mask pixels than this are no hand.
        at_rim: where known cards lie at the picture's rim: what is seen of the table when one is taken away does not
            reach in from there.
    """
    count, labels = cv2.connectedComponents((changed & ~explained).view(np.uint8), connectivity=8)
    sizes = np.bincount(labels.ravel(), minlength=count)
    beyond = labels if at_rim is None else np.where(at_rim, 0, labels)
    rim = np.concatenate([beyond[:2].ravel(), beyond[-2:].ravel(), beyond[:, :2].ravel(), beyond[:, -2:].ravel()])
    reaching = np.bincount(rim, minlength=count) >= 3
    moving = np.bincount(labels[~mask.is_still(_MOVING_S)], minlength=count) >= np.maximum(least, 0.05 * sizes)
    is_hand = (reaching | moving) & (sizes >= least)
    is_hand[0] = False
    return np.asarray(is_hand[labels])


def find_skin(hands: Mask, seen: Planes) -> Mask:
    """Those of the hands that show skin, bool (h, w): people's, and not a shadow's or a box's.

    Args:
        hands: bool (h, w).
        seen: the frame's colours (3, h, w), blue first.
    """
    if not hands.any():
        return hands
    count, labels = cv2.connectedComponents(hands.astype(np.uint8), connectivity=8)
    skin = is_skin(seen)
    share = np.bincount(labels[skin], minlength=count) / np.maximum(np.bincount(labels.ravel()), 1)
    has_skin = share >= _MIN_SKIN
    has_skin[0] = False
    return np.asarray(has_skin[labels])


def is_skin(seen: Planes) -> Mask:
    """Where colours (3, h, w), blue first, may be skin's, bool (h, w); wood and cream paper have them too."""
    blue, green, red = seen
    luma = 0.114 * blue + 0.587 * green + 0.299 * red
    red_less_luma, blue_less_luma = 0.713 * (red - luma), 0.564 * (blue - luma)
    skin = (luma > 30) & (red_less_luma > 7) & (red_less_luma < 50) & (blue_less_luma < -5) & (blue_less_luma > -50)
    return np.asarray(skin)


def people(view: ObservedFrame, seen: Planes) -> Mask:
    """Where people's hands are, bool (h, w): never accepted as part of the table. ``seen`` as for `find_skin`."""
    return find_skin(view.hands, seen) & ~view.mask.is_still(_FOREVER_S)


def hands_at_work(view: ObservedFrame, for_s: float) -> Mask:
    """The hands of which a part has moved within so long, bool (h, w): what lies at the rim seems to reach in too."""
    return components_touching(view.hands, ~view.mask.is_still(for_s)) if view.hands.any() else view.hands


def is_resting(view: ObservedFrame, hand: Mask, for_s: float, least: float) -> bool | None:
    """Whether a hand, bool (h, w), has lain still for so long; None where it has fewer than ``least`` mask pixels."""
    if np.count_nonzero(hand) < least:
        return None
    return float(view.mask.is_still(for_s)[hand].mean()) > _MIN_RESTING


def polygon_mask(polygon: NDArray[np.floating], shape: tuple[int, ...], grow: float = 1.0) -> Mask:
    """The mask pixels inside a polygon of the picture.

    Args:
        polygon: (N, 2) picture pixels.
        shape: (h, w) of the mask.
        grow: the polygon is scaled by this about its centre first.

    Returns:
        bool (h, w).
    """
    place, inside, _ = _inside(np.asarray(polygon, np.float32).tobytes(), shape, grow)
    mask = np.zeros(shape, bool)
    mask[place] = inside
    return mask


def count_in(polygon: NDArray[np.floating], mask: Mask, grow: float = 1.0) -> tuple[int, int]:
    """How many of the mask's pixels inside a polygon are set, and how many there are; see `polygon_mask`."""
    place, inside, count = _inside(np.asarray(polygon, np.float32).tobytes(), mask.shape, grow)
    return int(np.count_nonzero(mask[place] & inside)), count


@lru_cache(maxsize=1024)
def _inside(polygon: bytes, shape: tuple[int, ...], grow: float) -> tuple[tuple[slice, slice], Mask, int]:
    """A polygon's part of a mask, which pixels of that part are inside, and how many; what lies still asks often."""
    corners = np.frombuffer(polygon, np.float32).reshape(-1, 2)
    centre = corners.mean(0)
    in_mask = ((corners - centre) * grow + centre + 0.5) / MASK_PX - 0.5
    points = np.asarray(np.round(in_mask * (1 << _FRACTION_BITS)), np.int32)  # as `cv2.fillPoly` takes fractions
    low, high = (points.min(0) >> _FRACTION_BITS) - 1, (points.max(0) >> _FRACTION_BITS) + 2
    (x0, y0), (x1, y1) = (np.clip(end, 0, (shape[1], shape[0])).tolist() for end in (low, high))
    inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
    if inside.size:
        offset = np.array([x0, y0], np.int32) << _FRACTION_BITS
        cv2.fillPoly(inside, [points - offset], 1, cv2.LINE_8, _FRACTION_BITS)
    return (slice(y0, y1), slice(x0, x1)), inside.view(bool), int(np.count_nonzero(inside))


def share_in(polygon: NDArray[np.floating], mask: Mask, grow: float = 1.0) -> float | None:
    """The share of the mask's pixels (h, w) inside a polygon (N, 2) that are set; None outside the picture."""
    is_set, count = count_in(polygon, mask, grow)
    return is_set / count if count else None


def pieces_mask(pieces: Sequence[Outlined], shape: tuple[int, ...], grow: float | Sequence[float] = 1.0) -> Mask:
    """Where some pieces lie, bool ``shape``, each scaled about its centre: all by ``grow``, or each by its own."""
    scales = [grow] * len(pieces) if isinstance(grow, float) else grow
    out = np.zeros(shape, bool)
    for piece, scale in zip(pieces, scales, strict=True):
        place, inside, _ = _inside(np.asarray(piece.corners, np.float32).tobytes(), shape, scale)
        out[place] |= inside
    return out


def components_touching(mask: Mask, where: Mask, more_than: float = 0.0) -> Mask:
    """The connected parts of a mask of which more than so many pixels lie in ``where``, bool (h, w)."""
    count, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return np.asarray((np.bincount(labels[mask & where], minlength=count) > more_than)[labels])


def dilated(mask: Mask) -> Mask:
    """The mask and two mask pixels around it, bool (h, w): as far as an edge blurs."""
    return np.asarray(cv2.dilate(mask.view(np.uint8), np.ones((5, 5), np.uint8)).view(bool))
