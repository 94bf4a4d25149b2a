"""Looking until a layout lies whole and still: told once, later where cards are missing, and where they may lie."""

import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.enrolment.labels import Candidates
from companion.vision.enrolment.layout_watch import LayoutWatch, ghost_box
from companion.vision.enrolment.teaching import Teaching
from companion.vision.geometry import side_px
from companion.vision.image.pyramid import Pyramid
from tests.teaching.pictures import layout_picture

LAYOUTS = GAMES["hexdragon"].layouts("hexdragon")
SIZE = (1280, 720)
BLANK = Pyramid.of(np.full((72, 128, 3), 90, np.uint8))


class Outlines(Teaching):
    """A teaching that finds what lies on a layout, some places left out."""

    def __init__(self) -> None:
        self.missing: tuple[int, ...] = ()

    def candidates(self, pyramid: object) -> Candidates:
        places = [place for i, place in enumerate(LAYOUTS[0].places) if i not in self.missing]
        found = np.array([np.add(place.outline, place.at_mm) * 4 + 300 for place in places], np.float32)
        return Candidates(BLANK, 6, found)


Outlines.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


def looks(watch: LayoutWatch, count: int, picture: np.ndarray | None = None) -> list[bool]:
    shown = np.full((72, 128, 3), 90, np.uint8) if picture is None else picture
    return [watch.look(shown).is_ready for _ in range(count)]


def test_it_is_ready_until_it_is_taken_and_again_once_something_moved() -> None:
    watch = LayoutWatch(Outlines(), LAYOUTS)
    assert looks(watch, 4) == [False, False, True, True]
    watch.note_taken()
    assert looks(watch, 3) == [False] * 3
    assert looks(watch, 4, np.full((72, 128, 3), 160, np.uint8)) == [False, False, True, True]


def test_fewer_cards_than_usual_have_to_lie_longer() -> None:
    teaching = Outlines()
    teaching.missing = (4,)
    watch = LayoutWatch(teaching, LAYOUTS)
    assert looks(watch, 9) == [False] * 6 + [True] * 3


@pytest.mark.parametrize("share", [0.2, 0.5, 3.0])
def test_the_ghost_is_as_large_as_the_cards_seen_and_lies_in_the_picture(share: float) -> None:
    place = LAYOUTS[0].places[0]
    seen = np.array([place.outline]) * share * 10 + 400
    left, top, wide, high = ghost_box(LAYOUTS[0], SIZE, seen)
    assert left >= 0 and top >= 0 and left + wide <= SIZE[0] and top + high <= SIZE[1]
    assert left + wide / 2 == pytest.approx(SIZE[0] / 2) and top + high / 2 == pytest.approx(SIZE[1] / 2)
    if share < 1:
        tile = max(x for x, _ in place.outline) - min(x for x, _ in place.outline)
        drawn = wide / (2 * 58.0 + tile) * side_px(np.array(place.outline))
        assert drawn == pytest.approx(side_px(seen[0]), rel=0.05)


def test_the_ghost_fills_most_of_the_picture_before_a_card_lies_there() -> None:
    _, _, wide, high = ghost_box(LAYOUTS[0], SIZE, np.zeros((0, 6, 2)))
    assert max(wide / SIZE[0], high / SIZE[1]) == pytest.approx(0.7)


@pytest.mark.parametrize(("which", "back"), [(0, True), (1, False)])
def test_comet_teaches_its_back_where_a_card_lies_face_down(which: int, back: bool) -> None:
    layout = GAMES["comet"].layouts("comet")[which]
    profile = GAMES["comet"].recognizer().learn("comet", [("a", layout_picture(layout, turn_deg=4))])
    assert [sample.label["values"] is None for sample in profile.samples] == [False] * 5 + [True] * back
    assert "without its back" in profile.summary() or back
