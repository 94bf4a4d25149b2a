"""Where on a glance something changed: the pieces of the picture to look at, and what changed around a card."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import Detection
from companion.vision.results import DetectedCard, moved_by, near, sides_of
from companion.vision.tracking.masks import STEP, Mask, share_in

_UNTOUCHED = 0.03
"""Where less of a card's place changed, the card lies as it lay."""
_BLUR = 1.5
"""So many of the glance's pixels along a card's edge do not count for that: a neighbour's blur reaches over them."""
_CORE = 0.5
"""So much of an outline is its core."""
_WHOLE = 0.8
"""A change at least so many cards' widths large, both ways, holds a card whole: less of what is beside it is read."""


Window = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Unchanged:
    """What is known of a piece of the picture before it is read, in the piece's own pixels.

    Attributes:
        cards: those that lie as they lay.
        touched: those that may not.
        everywhere: all that are known, also beyond the piece.
        is_at: whether nothing that changed lies still within an outline (K, 2).
    """

    cards: Sequence[DetectedCard] = ()
    touched: Sequence[DetectedCard] = ()
    everywhere: Sequence[DetectedCard] = ()
    is_at: Callable[[NDArray[np.floating]], bool] = lambda outline: False

    def but(self, found: Sequence[Detection]) -> tuple[Detection, ...]:
        """Of what was found what may be news: a card that was touched, or a thing where something came to rest."""
        lying, touched = near(found, self.cards, 0.5), near(found, self.touched, 0.5)
        news = (is_touched or not self.is_free(f.corners) for f, is_touched in zip(found, touched, strict=True))
        return tuple(f for f, is_news, lies in zip(found, news, lying, strict=True) if is_news and not lies)

    def is_free(self, outline: NDArray[np.floating]) -> bool:
        """Nothing was laid within an outline: nothing in its core is new; a neighbour's blur does not reach there."""
        return self.is_at(_CORE * outline + (1 - _CORE) * outline.mean(0))


def across_of(cards: Sequence[DetectedCard]) -> float | None:
    """The usual width of a card between opposite edges, in pixels; None when there is none."""
    return float(np.median(sides_of(cards))) * float(np.sqrt(3.0)) if cards else None


def windows_of(
    settled: NDArray[np.bool_],
    size: tuple[int, int],
    across: float | None,
    young: NDArray[np.bool_] | None = None,
    around: float = 1.0,
) -> list[Window]:
    """The pieces of the picture to read: each settled change and what is around it.

    Where something as large as a card has just come to rest, crumbs of change elsewhere, such as the last of a hand's
    shadow, wait until it has been looked at.

    Args:
        settled: bool (h, w) of the glance, what changed and lies still.
        size: height and width of the picture.
        across: how wide cards are; None for the whole picture.
        young: bool (h, w), what came to rest only just now; None for nothing.
        around: so many times as much as usual of what is around each.
    """
    h, w = size
    joined = cv2.dilate(settled.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    least = _least_cells(across)
    boxes = {i: stats[i] for i in range(1, count) if stats[i][4] >= least}
    if boxes and across is None:
        return [(0, 0, w, h)]
    across = across or 0.0
    whole = {i for i, box in boxes.items() if (min(box[2], box[3]) - 2) * STEP >= _WHOLE * across}
    is_fresh = young is not None and any((young & settled & (labels == i)).any() for i in whole)
    windows: list[Window] = []
    for i in whole if is_fresh else boxes:
        x, y, wide, high, _ = boxes[i]
        margin = (0.6 if i in whole else 1.0) * around * across
        x0, y0 = max(0, int(x * STEP - margin)) & ~1, max(0, int(y * STEP - margin)) & ~1
        x1, y1 = min(w, int((x + wide) * STEP + margin)), min(h, int((y + high) * STEP + margin))
        windows = _with_window(windows, (x0, y0, x1, y1))
    return windows


def _least_cells(across: float | None) -> float:
    """A change of fewer cells of the glance is a crumb."""
    return 0.1 * ((across or 45.0) / STEP) ** 2


def where_at_work(changed: Mask, still: Mask, across: float | None) -> Mask:
    """The changes in which more than a crumb still stirs, bool (h, w): a hand is at work there.

    Where no card is known the picture is read as a whole: then one such change makes all of them so.
    """
    _, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    is_busy = np.bincount(labels[changed & ~still], minlength=int(labels.max()) + 1) > _least_cells(across)
    return changed if across is None and is_busy.any() else np.asarray(is_busy[labels])


def is_in(window: Window, mask: NDArray[np.bool_], across: float | None) -> bool:
    """Whether more than a crumb of a mask, bool (h, w) of the glance, lies in a window."""
    x0, y0, x1, y1 = (v // STEP for v in window)
    return int(np.count_nonzero(mask[y0:y1, x0:x1])) > _least_cells(across)


def _with_window(windows: list[Window], fresh: Window) -> list[Window]:
    """The windows with one more; those that overlap become one, so that nothing is read twice."""
    apart = []
    for x0, y0, x1, y1 in windows:
        if x0 < fresh[2] and fresh[0] < x1 and y0 < fresh[3] and fresh[1] < y1:
            fresh = (min(x0, fresh[0]), min(y0, fresh[1]), max(x1, fresh[2]), max(y1, fresh[3]))
        else:
            apart.append((x0, y0, x1, y1))
    return [*apart, fresh] if len(apart) == len(windows) else _with_window(apart, fresh)


def unchanged_in(
    window: Window, cards: Sequence[DetectedCard], changed: NDArray[np.bool_], settled: NDArray[np.bool_]
) -> Unchanged:
    """What a window holds that is as it was, the known cards among it.

    Args:
        window: the piece of the picture.
        cards: all that are known.
        changed: bool (h, w) of the glance.
        settled: bool (h, w), what of it lies still.
    """
    x0, y0, x1, y1 = window

    def is_at(outline: NDArray[np.floating]) -> bool:
        share = share_in(outline + np.array([x0, y0], np.float32), settled)
        return share is not None and share < _UNTOUCHED

    everywhere = [moved_by(c, -x0, -y0) for c in cards]
    inside = [(c, own) for c, own in zip(cards, everywhere, strict=True) if _is_within(own.centre, x1 - x0, y1 - y0)]
    share = [changed_share(c, changed, max(0.6, 1.0 - _BLUR * STEP / c.side)) for c, _ in inside]
    lying = [own for (_, own), changed_of_it in zip(inside, share, strict=True) if changed_of_it < _UNTOUCHED]
    return Unchanged(lying, [own for _, own in inside if own not in lying], everywhere, is_at)


def _is_within(at: tuple[float, float], width: int, height: int) -> bool:
    return 0 <= at[0] < width and 0 <= at[1] < height


def changed_share(card: DetectedCard, changed: NDArray[np.bool_], inner: float = 1.0) -> float:
    """How much of a card's place, or of its ``inner`` part, changed, 0..1; all of it where it is out of the picture."""
    share = share_in(card.corners, changed, inner)
    return 1.0 if share is None else share
