"""What can be printed for Lanterns."""

from companion.printing.material import Material
from companion.printing.sheets import Piece, Sheet, card_sheets
from tests.fifth_game.lanterns import deck


def _lanterns(paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(deck.face_shapes(colour), deck.outline(), deck.back_shapes(), deck.BACK_COLOUR) for colour in deck.INKS
    ]
    return card_sheets(pieces, paper, "Lanterns", ())


MATERIALS = {"lanterns": Material("Lanterns, one of each colour", _lanterns)}
