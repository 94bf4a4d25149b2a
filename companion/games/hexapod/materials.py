"""What can be printed for Hexapod: its cards and two display cases."""

from companion.games.hexapod import deck
from companion.games.hexapod.layout import layouts
from companion.printing.material import Material, teaching_material
from companion.printing.posters import poster_sheets
from companion.printing.sheets import Piece, Sheet, card_sheets

CREDITS = (
    "Hexapod is a game by Mike Kay, from his beta rule book; its terms are its author's.",
    "Print it for your own table, and ask the author before anything else.",
    "These plain drawings are companion's own, and so is the choice of cards: the rules show them as pictures.",
)
"""What stands at the foot of every sheet."""


def _hexapod(paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(deck.face_shapes(card), deck.outline(), deck.back_shapes(), deck.BACK_COLOUR, 0.0)
        for card in (*deck.deck(), deck.SPIDER)
    ]
    return card_sheets(pieces, paper, "Hexapod", CREDITS)


def _hexapod_cases(paper: str) -> tuple[Sheet, ...]:
    return poster_sheets(deck.case_shapes(), paper, "Hexapod, a display case", CREDITS) * 2


MATERIALS = {
    "hexapod": Material("Hexapod, 41 insect cards and the Spider", _hexapod),
    "hexapod-cases": Material("Hexapod, two display cases", _hexapod_cases),
    "teaching-hexapod": teaching_material("Hexapod", layouts, ["hexapod"], CREDITS),
}
