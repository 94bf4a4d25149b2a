"""Looking at a table through a camera until a teaching layout lies there whole and still."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing.layout import Layout
from companion.vision.enrolment.layout_search import laid_out
from companion.vision.enrolment.teaching import Teaching
from companion.vision.geometry import side_px
from companion.vision.image.pyramid import Pyramid

STILL_LEVELS = 6.0
"""A picture in which no part changed by more levels since the frame before lies still."""
_SMALL_PX = (96, 54)
_READY_FRAMES = 2
"""Frames for which a layout lies still before it is taken."""
_READY_FRAMES_OF_FEWER = 6
"""And one of fewer cards than the usual: more may be on their way."""
_GHOST_SHARE = 0.7
"""Of the picture's width or height, what a layout fills before any card tells how large it is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class LayoutSighting:
    """What one frame shows.

    Attributes:
        outlines: (N, K, 2) pixels of the cards.
        is_whole: all that is to be laid is there.
        is_still: nothing has moved since the frame before.
        is_ready: it has lain whole and still for long enough, and was not taken since something moved.
    """

    outlines: NDArray[np.floating]
    is_whole: bool
    is_still: bool
    is_ready: bool = False


class LayoutWatch:
    """Looks for one of some layouts, frame by frame."""

    def __init__(self, teaching: Teaching, layouts: Sequence[Layout]) -> None:
        """A watch that has seen no frame yet."""
        self._teaching = teaching
        self._layouts = layouts
        self._before: NDArray[np.uint8] | None = None
        self._still_frames = 0
        self._was_taken = False

    def note_taken(self) -> None:
        """What lies there was taken: nothing is ready before something moves."""
        self._was_taken = True

    def look(self, picture: NDArray[np.uint8]) -> LayoutSighting:
        """Look at a picture, uint8 BGR."""
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        small = np.asarray(cv2.resize(grey, _SMALL_PX, interpolation=cv2.INTER_AREA), np.uint8)
        before, self._before = self._before, small
        is_still = before is not None and float(cv2.absdiff(small, before).max()) < STILL_LEVELS
        self._was_taken = self._was_taken and is_still
        found = self._teaching.candidates(Pyramid.of(picture))
        for layout in self._layouts:
            outlines = laid_out(found, [len(row) for row in layout.rows])
            if outlines is not None:
                self._still_frames = self._still_frames + 1 if is_still else 0
                is_usual = len(outlines) == len(self._layouts[0].places)
                needed = _READY_FRAMES if is_usual else _READY_FRAMES_OF_FEWER
                return LayoutSighting(outlines, True, is_still, self._still_frames >= needed and not self._was_taken)
        self._still_frames = 0
        return LayoutSighting(found.both, False, is_still)


def ghost_box(layout: Layout, size: tuple[int, int], outlines: NDArray[np.floating]) -> tuple[float, ...]:
    """Where a layout may lie on a picture: left, top, width and height in pixels, in its middle.

    Args:
        layout: what is to be laid.
        size: the picture's width and height.
        outlines: (N, K, 2) of the cards seen, which tell how large the layout will be.
    """
    drawn, (width, height) = layout.box, size
    fits = min(width / drawn.width_mm, height / drawn.height_mm)
    px_per_mm = _GHOST_SHARE * fits
    if len(outlines):
        seen = float(np.median([side_px(one) for one in outlines]))
        px_per_mm = min(seen / side_px(np.array(layout.places[0].outline)), fits)
    wide, high = px_per_mm * drawn.width_mm, px_per_mm * drawn.height_mm
    return (width - wide) / 2, (height - high) / 2, wide, high
