"""What is a case and what is a loose card: rows of cards, and outlines that are hardly any."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.vision import hexapod_reading
from companion.vision.hexapod_finder import Quad
from companion.vision.hexapod_reading import read_hexapod

SCENES = Path(__file__).resolve().parents[1] / "scenes"
TOPS = (
    (("leaf", "blue"), ("moth", "moth")),
    (("dung", "gold"), ("stag", "green")),
    (("gold", "leaf"), ("stag", "blue")),
)


@pytest.mark.parametrize("taken", [slice(0, 3), slice(0, 2), slice(1, 2)])
def test_loose_cards_are_no_case_even_where_one_is_seen(taken, frame, monkeypatch):
    picture = frame([], [((300 + 110 * k, 300), 0, top) for k, top in enumerate(TOPS)])
    before = read_hexapod(picture)
    assert before.cards == () and len(before.loose) == 3
    by_place = sorted(before.loose, key=lambda card: float(card.corners[0, 0]))
    corners = np.concatenate([card.corners for card in by_place[taken]])
    left, top, right, bottom = (*corners.min(0), *corners.max(0))
    case = Quad(np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32), 0.45)
    monkeypatch.setattr(hexapod_reading, "exact_cases", lambda pyramid, finds: (case,))
    monkeypatch.setattr(hexapod_reading, "is_case", lambda case: True)
    seen = read_hexapod(picture)
    assert seen.cards == ()
    assert {card.cells for card in seen.loose} == {card.cells for card in before.loose}


def test_a_card_whose_outline_is_hardly_one_is_told_where_insects_show_plainly():
    picture = cv2.imread(str(SCENES / "hexapod-spider-loose.jpg"))
    assert picture is not None
    seen = read_hexapod(picture)
    assert len(seen.cards) == 1 and len(seen.loose) == 3
    assert [["spider"] * 2] * 2 in [[list(row) for row in card.cells] for card in seen.loose]
