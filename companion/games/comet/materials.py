"""What can be printed for Seven Card Comet: two printings of the deck, and the mats of its pots."""

from collections.abc import Mapping
from functools import partial

from companion.games.comet import deck
from companion.games.comet.layout import layouts
from companion.games.comet.rules.state import POTS
from companion.printing import marks
from companion.printing.marks import MAT_MM
from companion.printing.material import Material, teaching_material
from companion.printing.posters import poster_sheets
from companion.printing.shapes import moved
from companion.printing.sheets import Piece, Sheet, Text, card_sheets

CREDITS = (
    "Seven Card Comet is a game by Yennefer von Groddeck: www.gamesofthegalaxy.com/sevencardcomet",
    "Published by Games of the Galaxy, CC BY-NC-ND 4.0: share it unchanged, with credit, not for money.",
    "These plain drawings are companion's own, and so is the choice of 120 cards that the rules do not list.",
)
"""What stands at the foot of every sheet."""

_PRINTINGS: Mapping[deck.PrintingName, str] = {"mono": "one colour", "keyed": "a colour for each number"}


def _comet(printing: deck.PrintingName, paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(deck.face_shapes(card, printing), deck.outline(), deck.back_shapes(), deck.BACK_COLOUR, 0.0)
        for card in deck.deck()
    ]
    return card_sheets(pieces, paper, f"Seven Card Comet, {_PRINTINGS[printing]}", CREDITS)


def _comet_mats(paper: str) -> tuple[Sheet, ...]:
    mats = [*((name, number) for number, name in enumerate(POTS, 1)), ("The Tail", None)]
    at = (32.0 - MAT_MM[0] / 2, 14.5 - MAT_MM[1] / 2)
    mark_at = (MAT_MM[0] / 2 - marks.MAT_MARK_INSET_MM, marks.MAT_MARK_INSET_MM - MAT_MM[1] / 2)
    return tuple(
        sheet
        for mat, (name, number) in enumerate(mats)
        for sheet in poster_sheets(
            (*deck.pot_shapes(number, *MAT_MM), *moved(marks.mat_mark_shapes(mat), mark_at)),
            paper,
            f"Seven Card Comet, mat of {name}",
            CREDITS,
            (Text(at, name, 6.0),),
        )
    )


MATERIALS = {
    "comet": Material("Seven Card Comet, 123 cards in one colour", partial(_comet, "mono")),
    "comet-keyed": Material("Seven Card Comet, 123 cards with a colour for each number", partial(_comet, "keyed")),
    "comet-mats": Material("Seven Card Comet, mats for the six pots and the Tail", _comet_mats),
    "teaching-comet": teaching_material("Seven Card Comet", layouts, ["comet"], CREDITS),
}
