"""What can be printed for Hex'el: both decks."""

from functools import partial

from companion.games.hexel import deck
from companion.games.hexel.layout import layouts
from companion.printing.material import Material, teaching_material
from companion.printing.sheets import Piece, Sheet, card_sheets

CREDITS = (
    "Hex'el is a game by Michael Corry: www.gamesofthegalaxy.com/hexelqr",
    "Published by Games of the Galaxy, CC BY-NC-ND 4.0: share it unchanged, with credit, not for money.",
    "These plain drawings are companion's own; for the real cards and the rules see the publisher.",
)
"""What stands at the foot of every sheet."""


def _hexel(edition: str, paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(deck.face_shapes(face, edition), deck.outline(), deck.back_shapes(), deck.BACK_COLOUR)
        for face in deck.FACES[edition]
    ]
    return card_sheets(pieces, paper, f"Hex'el {edition}", CREDITS)


MATERIALS = {
    "hexel36": Material("Hex'el, the deck of 36", partial(_hexel, "36")),
    "hexel46": Material("Hex'el, the deck of 46", partial(_hexel, "46")),
    "teaching-hexel": teaching_material("Hex'el", layouts, [f"hexel{edition}" for edition in deck.FACES], CREDITS),
}
