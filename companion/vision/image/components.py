"""Connected components of a mask, and what each measures."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def measure_components(mask: NDArray[Any], connectivity: int) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The labels (h, w) of a mask's connected components, and of each its x, y, width, height and area (N, 5).

    They are those of `cv2.connectedComponentsWithStats`, without the ground: label n + 1 has row n. OpenCV adds up
    every pixel, ground too; here each row's runs are, which takes a third of the time (0.29 ms, else 0.80, of a Comet
    card's ink).

    Args:
        mask: (h, w) uint8 or bool.
        connectivity: 4, or 8 where pixels are connected by their corners too.
    """
    ended = cv2.copyMakeBorder(mask.astype(np.uint8, copy=False), 0, 0, 1, 1, cv2.BORDER_CONSTANT, value=0)
    count, labels = cv2.connectedComponents(ended, connectivity=connectivity, ltype=cv2.CV_32S)
    is_set = ended.reshape(-1) != 0
    edges = np.flatnonzero(is_set[1:] != is_set[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    which = labels.reshape(-1)[begins].astype(np.intp) - 1
    y, x = np.divmod(begins, ended.shape[1])
    left, top, right, bottom = (np.zeros(count - 1, np.intp) for _ in range(4))
    left[:] = ended.shape[1]
    np.minimum.at(left, which, x)
    np.maximum.at(right, which, x + ends - begins)
    top[which[::-1]], bottom[which] = y[::-1], y + 1  # of a component's runs the first counts, and the last
    area = np.bincount(which, ends - begins, count - 1).astype(np.intp)
    stats = np.stack([left - 1, top, right - left, bottom - top, area], 1)
    return np.asarray(labels[:, 1:-1], np.int32), stats
