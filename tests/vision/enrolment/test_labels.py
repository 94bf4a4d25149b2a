"""Which outline on a photograph a label means: by rough corners, or in the order in which people read."""

import numpy as np
import pytest

from companion.errors import UsageError
from companion.vision.enrolment.labels import outlines_of
from companion.vision.geometry.shapes import HEXAGON

PLACES = [(100, 100), (300, 110), (90, 300), (310, 290)]
FOUND = np.array([HEXAGON.unit * 40 + PLACES[k] for k in (2, 0, 3, 1)], np.float32)


def test_without_corners_labels_go_from_top_to_bottom_and_left_to_right() -> None:
    told = outlines_of("a.jpg", FOUND, [{}, {}, {}, {}])
    assert told.mean(1) == pytest.approx(np.array(PLACES), abs=0.5)


def test_with_rough_corners_each_label_means_the_outline_there() -> None:
    rng = np.random.default_rng(0)
    labels = [{"corners": (HEXAGON.unit * 40 + PLACES[k] + rng.normal(0, 6, (6, 2))).tolist()} for k in (3, 1)]
    told = outlines_of("a.jpg", FOUND, labels)
    assert told.mean(1) == pytest.approx(np.array([PLACES[3], PLACES[1]]), abs=0.5)


def test_where_nothing_was_found_the_rough_corners_stand() -> None:
    rough = HEXAGON.unit * 40 + 700
    assert outlines_of("a.jpg", FOUND, [{"corners": rough.tolist()}])[0] == pytest.approx(rough, abs=0.01)


def test_more_labels_than_outlines_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"a\.jpg: 5 cards are labelled and 4 are seen"):
        outlines_of("a.jpg", FOUND, [{}] * 5)
