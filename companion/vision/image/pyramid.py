"""A picture at full, half, quarter... size, and its colours at places between pixels."""

from dataclasses import dataclass

import cv2
import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """The picture at full, half, quarter... size; uint8 BGR."""

    levels: tuple[np.ndarray, ...]

    @staticmethod
    def of(bgr: np.ndarray, count: int = 4) -> "Pyramid":
        """Halve the picture until there are ``count`` levels."""
        levels = [bgr]
        while len(levels) < count and min(levels[-1].shape[:2]) >= 32:
            h, w = levels[-1].shape[:2]
            levels.append(cv2.resize(levels[-1], (w // 2, h // 2), interpolation=cv2.INTER_AREA))
        return Pyramid(tuple(levels))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self.levels[0].shape[1], self.levels[0].shape[0]

    def scaled(self, factor: float) -> np.ndarray:
        """The picture at ``factor`` of its size, one pixel at least, from the smallest level that is not smaller."""
        h, w = self.levels[0].shape[:2]
        size = (max(1, round(w * factor)), max(1, round(h * factor)))
        fitting = [image for image in self.levels if image.shape[1] >= size[0] and image.shape[0] >= size[1]]
        if not fitting:
            return self.levels[0]
        best = fitting[-1]
        if (best.shape[1], best.shape[0]) == size:
            return best
        return cv2.resize(best, size, interpolation=cv2.INTER_AREA)

    def sample(self, points: np.ndarray, level: int) -> np.ndarray:
        """Colours (..., P, 3) uint8 at points (..., P, 2) given in full-size pixels; P < 32768."""
        rows = points.reshape(-1, points.shape[-2], 2)  # remap takes no map that is wider than 32767
        x, y = np.ascontiguousarray(np.moveaxis((rows + 0.5) * 0.5**level - 0.5, -1, 0), np.float32)
        found = cv2.remap(self.levels[level], x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found.reshape(*points.shape[:-1], 3))

    def level_for(self, px_per_sample: float) -> int:
        """The level on which samples that far apart do not skip pixels."""
        return int(np.clip(np.floor(np.log2(max(px_per_sample, 1.0)) + 0.35), 0, len(self.levels) - 1))
