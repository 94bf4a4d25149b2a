"""Looking at a table through a camera until a teaching layout lies there whole and still."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing.layout import Layout
from companion.vision.enrolment.labels import laid_out
from companion.vision.enrolment.teaching import Teaching
from companion.vision.image.pyramid import Pyramid

STILL_LEVELS = 6.0
"""A picture in which no part changed by more levels since the look before lies still."""
_SMALL_PX = (96, 54)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one look saw.

    Attributes:
        outlines: (N, K, 2) pixels of the cards.
        is_whole: all that is to be laid is there.
        is_still: nothing has moved since the look before.
    """

    outlines: NDArray[np.floating]
    is_whole: bool
    is_still: bool


class LayoutWatch:
    """Looks, one after the other, for one of some layouts."""

    def __init__(self, teaching: Teaching, layouts: Sequence[Layout]) -> None:
        """A watch that has not looked yet."""
        self._teaching = teaching
        self._layouts = layouts
        self._before: NDArray[np.uint8] | None = None

    def look(self, picture: NDArray[np.uint8]) -> Look:
        """Look at a picture, uint8 BGR."""
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        small = np.asarray(cv2.resize(grey, _SMALL_PX, interpolation=cv2.INTER_AREA), np.uint8)
        before, self._before = self._before, small
        is_still = before is not None and float(cv2.absdiff(small, before).max()) < STILL_LEVELS
        found = self._teaching.candidates(Pyramid.of(picture))
        for layout in self._layouts:
            outlines = laid_out(found, [len(row) for row in layout.rows])
            if outlines is not None:
                return Look(outlines, True, is_still)
        return Look(found.both, False, is_still)
