"""Things that are taken for a card face down where nothing tells how large cards are."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games.comet.vision.recognizer import read_unknown
from companion.games.comet.vision.results import BACK
from companion.vision.results import DetectedCard
from companion.vision.tracking.regions import Unchanged

PICTURE = Path(__file__).resolve().parents[3] / "scenes" / "phone-beside-comet.jpg"
ACROSS_PX = 150.0
"""How wide the table's cards are, see `usual_width_px`."""


def known(width_px: float, height_px: float) -> DetectedCard:
    corners = np.array([[0, 0], [width_px, 0], [width_px, height_px], [0, height_px]], np.float32) - 400
    return DetectedCard(None, (BACK,) * 3, corners, 0.9, 0.9, np.zeros((3, 16), np.float32))


@pytest.mark.parametrize(("card", "told"), [(known(160, 248), 1), (known(95, 143), 0)], ids=["as large", "smaller"])
def test_a_phone_larger_than_the_known_cards_is_no_card_face_down(card: DetectedCard, told: int) -> None:
    bgr = cv2.imread(str(PICTURE))
    assert bgr is not None
    reading = read_unknown(bgr, None, ACROSS_PX, Unchanged(everywhere=[card]))
    assert len(reading.cards) == told
