"""What can be printed, by name: the decks, boards, mats and cases of all games, and the marks that help a camera."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from companion.decks import comet, hexapod, hexdragon, hexel, marks
from companion.decks.credits import CREDITS
from companion.decks.posters import poster_sheets
from companion.decks.shapes import Ring, moved
from companion.decks.sheets import Piece, Sheet, Text, card_sheets, paper_size
from companion.errors import UsageError
from companion.rules.comet_state import POTS
from companion.rules.hexdragon_tiles import START

MAT_MM = (184.0, 236.0)
"""How wide and high a Comet pot's mat is: it fits both papers, and two sets of three cards lying on their sides."""

_MARK_AT = ((-45.0, -45.0), (45.0, -45.0), (45.0, 45.0), (-45.0, 45.0))
_MARK_NAMES = ("top left", "top right", "bottom right", "bottom left")
_MARK_WORDS = (
    "Cut along the lines, which keeps the white margin, and lay each mark at its corner of the table.",
    "Each black square is 30 mm wide. Without marks the cards are found as well.",
)
_BOARD_WORDS = (
    "Glue it flat on something stiff, and hold it before the camera while the table is calibrated.",
    f"Each square is {marks.BOARD_SQUARE_MM:.0f} mm wide; a bent or a scaled board says wrong things about the lens.",
)
_STAR_LINE = Ring((0.0, 0.0), hexdragon.STAR_DISC_MM / 2, 0.2, "#3A3A3A")


@dataclass(frozen=True, slots=True)
class Material:
    """One thing to print.

    Attributes:
        caption: what it is, for people.
        sheets: its sheets on a paper.
    """

    caption: str
    sheets: Callable[[str], tuple[Sheet, ...]]


def sheets_of(what: str, paper: str) -> tuple[Sheet, ...]:
    """All sheets of a material. Raises `UsageError` for what there is not."""
    paper_size(paper)
    if what not in MATERIAL:
        raise UsageError(f"no such material: {what}; there are {', '.join(MATERIAL)}", code="unknown-deck")
    return MATERIAL[what].sheets(paper)


def _hexel(edition: str, paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(hexel.face_shapes(face, edition), hexel.outline(), hexel.back_shapes(), hexel.BACK_COLOUR)
        for face in hexel.FACES[edition]
    ]
    return card_sheets(pieces, paper, f"Hex'el {edition}", CREDITS["hexel"])


def _hexdragon(sets: int, colours: Sequence[str], paper: str) -> tuple[Sheet, ...]:
    """Start tile, bodies, every colour's heads, and its star behind them: each on a tile's place."""
    faces = [hexdragon.face_shapes(START)]
    faces += [hexdragon.face_shapes(tile) for tile in hexdragon.BODY_SET * sets]
    faces += [hexdragon.face_shapes(tile, colour) for colour in colours for tile in hexdragon.HEADS]
    back = hexdragon.back_shapes()
    tiles = [Piece(face, hexdragon.outline(), back, hexdragon.BACK_COLOUR) for face in faces]
    sheets = card_sheets(tiles, paper, f"HexDragon, {len(colours)} players", CREDITS["hexdragon"])
    at = [((k - (len(colours) - 1) / 2) * 45.0, 0.0) for k in range(len(colours))]
    stars = [
        shape
        for colour, place in zip(colours, at, strict=True)
        for shape in moved((*hexdragon.star_shapes(colour), _STAR_LINE), place)
    ]
    return (*sheets, *poster_sheets(stars, paper, "HexDragon, star tokens", CREDITS["hexdragon"], places=at))


def _hexdragon_board(radius: int, paper: str) -> tuple[Sheet, ...]:
    cells = len(hexdragon.board_cells(radius))
    title = f"HexDragon, board of {cells} cells"
    return poster_sheets(hexdragon.board_shapes(radius), paper, title, CREDITS["hexdragon"])


def _comet(printing: comet.PrintingName, paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(comet.face_shapes(card, printing), comet.outline(), comet.back_shapes(), comet.BACK_COLOUR, 0.0)
        for card in comet.deck()
    ]
    return card_sheets(pieces, paper, f"Seven Card Comet, {_PRINTINGS[printing]}", CREDITS["comet"])


def _comet_mats(paper: str) -> tuple[Sheet, ...]:
    mats = [*((name, number) for number, name in enumerate(POTS, 1)), ("The Tail", None)]
    at = (32.0 - MAT_MM[0] / 2, 14.5 - MAT_MM[1] / 2)
    mark_at = (MAT_MM[0] / 2 - marks.MAT_MARK_INSET_MM, marks.MAT_MARK_INSET_MM - MAT_MM[1] / 2)
    return tuple(
        sheet
        for mat, (name, number) in enumerate(mats)
        for sheet in poster_sheets(
            (*comet.pot_shapes(number, *MAT_MM), *moved(marks.mat_mark_shapes(mat), mark_at)),
            paper,
            f"Seven Card Comet, mat of {name}",
            CREDITS["comet"],
            (Text(at, name, 6.0),),
        )
    )


def _hexapod(paper: str) -> tuple[Sheet, ...]:
    pieces = [
        Piece(hexapod.face_shapes(card), hexapod.outline(), hexapod.back_shapes(), hexapod.BACK_COLOUR, 0.0)
        for card in (*hexapod.deck(), hexapod.SPIDER)
    ]
    return card_sheets(pieces, paper, "Hexapod", CREDITS["hexapod"])


def _hexapod_cases(paper: str) -> tuple[Sheet, ...]:
    return poster_sheets(hexapod.case_shapes(), paper, "Hexapod, a display case", CREDITS["hexapod"]) * 2


def _marks(paper: str) -> tuple[Sheet, ...]:
    shapes = [shape for number, place in enumerate(_MARK_AT) for shape in moved(marks.mark_shapes(number), place)]
    beside = marks.SIDE_MM / 2
    names = [
        Text((x - beside, y + beside + marks.WHITE_MM + 5), f"{number}: {_MARK_NAMES[number]}")
        for number, (x, y) in enumerate(_MARK_AT)
    ]
    return poster_sheets(shapes, paper, "Table marks", _MARK_WORDS, names, _MARK_AT)


def _lens_board(paper: str) -> tuple[Sheet, ...]:
    return poster_sheets(marks.board_shapes(), paper, "Lens board", _BOARD_WORDS)


_PRINTINGS: Mapping[comet.PrintingName, str] = {"mono": "one colour", "keyed": "a colour for each number"}

MATERIAL: dict[str, Material] = {
    "hexel36": Material("Hex'el, the deck of 36", partial(_hexel, "36")),
    "hexel46": Material("Hex'el, the deck of 46", partial(_hexel, "46")),
    "hexdragon": Material("HexDragon, tiles and stars for two", partial(_hexdragon, 1, hexdragon.COLOURS[:2])),
    "hexdragon4": Material("HexDragon, tiles and stars for four", partial(_hexdragon, 2, hexdragon.COLOURS)),
    "hexdragon-board": Material("HexDragon, the board of 19 cells for two", partial(_hexdragon_board, 2)),
    "hexdragon-board4": Material("HexDragon, the board of 37 cells for four", partial(_hexdragon_board, 3)),
    "comet": Material("Seven Card Comet, 123 cards in one colour", partial(_comet, "mono")),
    "comet-keyed": Material("Seven Card Comet, 123 cards with a colour for each number", partial(_comet, "keyed")),
    "comet-mats": Material("Seven Card Comet, mats for the six pots and the Tail", _comet_mats),
    "hexapod": Material("Hexapod, 41 insect cards and the Spider", _hexapod),
    "hexapod-cases": Material("Hexapod, two display cases", _hexapod_cases),
    "marks": Material("the table's four corner marks", _marks),
    "lens-board": Material("the board that shows how a lens bends", _lens_board),
}
