"""Finding a teaching layout among outlines: in its rows, beside the deck, and where a card is hardly seen."""

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games import GAMES
from companion.vision.enrolment.labels import Candidates, Floats
from companion.vision.enrolment.layout_search import laid_out
from companion.vision.geometry import HEXAGON, side_px
from companion.vision.image.pyramid import Pyramid
from tests.teaching.pictures import layout_picture

LAYOUT = GAMES["hexdragon"].layouts("hexdragon")[0]
BLANK = Pyramid.of(np.full((600, 700, 3), 90, np.uint8))
CARD = np.array([[-30, -42], [30, -42], [30, 42], [-30, 42]], np.float32)
SIX = [(100, 100), (180, 106), (260, 98), (104, 200), (176, 204), (262, 196)]


class Own(Candidates):
    """Outlines beside which no others are found."""

    any_print = sure_print = property(lambda self: self.own[:0])  # type: ignore[assignment]
    unlikely = property(lambda self: self.own[:0])  # type: ignore[assignment]


def cards(*places: tuple[int, int]) -> Candidates:
    return Candidates(BLANK, 4, np.array([CARD + at for at in places], np.float32))


def middles(told: Floats | None) -> NDArray[np.floating]:
    assert told is not None
    return np.asarray(told.mean(1))


@pytest.mark.parametrize("pile", [(20, 150), (24, 198), (340, 150), (180, 330)])
def test_the_deck_may_lie_beside_the_cards(pile: tuple[int, int]) -> None:
    assert middles(laid_out(cards(pile, *SIX[::-1]), [3, 3])) == pytest.approx(np.array(SIX), abs=1)


@pytest.mark.parametrize("pile", [(20, 150), (24, 198)])
def test_a_deck_beside_five_cards_is_no_sixth_one(pile: tuple[int, int]) -> None:
    found = cards(pile, *SIX[:5])
    assert laid_out(found, [3, 3]) is None
    assert middles(laid_out(found, [3, 2])) == pytest.approx(np.array(SIX[:5]), abs=1)


def test_where_several_may_be_meant_none_is() -> None:
    assert laid_out(cards(*((100 + 80 * k, 100) for k in range(4))), [3]) is None


def test_three_tiles_of_a_table_are_no_row_of_three() -> None:
    assert laid_out(cards((100, 150), (195, 146), (234, 82)), [3]) is None
    assert laid_out(cards((100, 150), (190, 146), (285, 152), (330, 80)), [3]) is None


def test_a_row_may_lie_along_the_pictures_side_and_the_deck_aside() -> None:
    column = [(100, 100), (106, 200), (98, 310)]
    assert middles(laid_out(cards(*column[::-1]), [3])) == pytest.approx(np.array(column), abs=1)
    row = [(100, 150), (190, 146), (285, 152)]
    assert middles(laid_out(cards(*row, (200, 300)), [3])) == pytest.approx(np.array(row), abs=1)


def test_the_deck_in_line_with_the_cards_takes_the_place_of_none() -> None:
    row = np.array([CARD + at for at in [(20, 150), (140, 148), (230, 152), (320, 149)]], np.float32)
    found = Own(BLANK, 4, row[[0, 2, 3]])
    assert middles(laid_out(found, [3])) == pytest.approx(row[[0, 2, 3]].mean(1), abs=1)
    found = type("Seen", (Own,), {"sure_print": row})(BLANK, 4, row[[0, 2, 3]])
    assert middles(laid_out(found, [3])) == pytest.approx(row[1:].mean(1), abs=1)


def test_cards_beside_which_the_last_row_goes_on_are_no_layout_of_fewer() -> None:
    askew = (*SIX[:5], (262, 230))
    assert laid_out(cards(*askew, (560, 400)), [3, 2]) is None


@pytest.mark.parametrize("missing", [(0,), (4,), (5,), (3, 4)])
def test_a_card_that_no_detector_sees_is_found_by_its_edges_where_the_others_say(missing: tuple[int, ...]) -> None:
    found, seen = _seen(layout_picture(LAYOUT), missing)
    told = laid_out(seen, [3, 3])
    assert told is not None
    assert np.linalg.norm(told.mean(1) - found.mean(1), axis=1).max() < 0.1 * side_px(found[0])


@pytest.mark.parametrize("missing", [(4,), (5,)])
def test_where_no_card_lies_none_is_found(missing: tuple[int, ...]) -> None:
    _, seen = _seen(layout_picture(LAYOUT), missing, layout_picture(LAYOUT, left_out=missing))
    assert laid_out(seen, [3, 3]) is None


def test_a_line_within_a_card_gives_way_to_the_card_as_large_as_the_others() -> None:
    found, _ = _seen(layout_picture(LAYOUT), ())
    parts = found.copy()
    parts[2] = found[2].mean(0) + 0.6 * (found[2] - found[2].mean(0))

    class Part(Candidates):
        """Outlines that are all taken to be exact, beside which those of whole cards are seen."""

        any_print = sure_print = unlikely = property(lambda self: self.own[:0])
        outermost = found[:2]

        def by_edges(self, outlines: Floats) -> Floats:
            return outlines

    told = laid_out(Part(Pyramid.of(layout_picture(LAYOUT)), 6, parts), [3, 3])
    assert told is not None
    assert side_px(told[2]) == pytest.approx(side_px(found[2]), rel=0.05)


def test_outlines_of_several_sizes_are_no_layout() -> None:
    row = np.array([by * CARD + at for by, at in [(1, (100, 150)), (0.4, (190, 148)), (1, (280, 152))]], np.float32)
    assert laid_out(Own(BLANK, 4, row), [3]) is None


def test_an_outline_without_edges_gives_way_to_the_one_that_any_print_shows() -> None:
    found, _ = _seen(layout_picture(LAYOUT), ())
    askew = found.copy()
    askew[1] = HEXAGON.unit * 40 + found[1].mean(0) + 30
    told = laid_out(Candidates(Pyramid.of(layout_picture(LAYOUT)), 6, askew), [3, 3])
    assert told is not None
    assert np.linalg.norm(told.mean(1) - found.mean(1), axis=1).max() < 0.1 * side_px(found[0])


def _seen(
    picture: NDArray[np.uint8], missing: tuple[int, ...], shown: NDArray[np.uint8] | None = None
) -> tuple[Floats, Candidates]:
    """The outlines of the layout in its order, and those of some that are not missing on the picture that is shown."""
    teaching = GAMES["hexdragon"].recognizer().teaching
    assert teaching is not None
    found = laid_out(teaching.candidates(Pyramid.of(picture)), [3, 3])
    assert found is not None
    pyramid = Pyramid.of(picture if shown is None else shown)
    return found, Own(pyramid, 6, np.delete(found, missing, axis=0))
