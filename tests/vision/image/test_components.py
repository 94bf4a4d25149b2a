"""Connected components measure what OpenCV says of them."""

import cv2
import numpy as np
import pytest

from companion.vision.image.components import measure_components


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.6, 0.98, 1.0])
@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (37, 53)])
def test_components_measure_what_opencv_says(connectivity: int, share: float, size: tuple[int, int]) -> None:
    mask = np.random.default_rng(7).random(size) < share
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=connectivity)
    told_labels, told = measure_components(mask, connectivity)
    assert np.array_equal(told_labels, labels)
    assert np.array_equal(told, stats[1:])
    assert np.array_equal(measure_components(mask.astype(np.uint8) * 255, connectivity)[1], told)
