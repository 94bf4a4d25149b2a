"""What can be printed for HexDragon: tiles and stars for two and for four, and their boards."""

from collections.abc import Sequence
from functools import partial

from companion.games.hexdragon import deck
from companion.games.hexdragon.layout import layouts
from companion.games.hexdragon.rules.tiles import START
from companion.printing.material import Material, teaching_material
from companion.printing.posters import poster_sheets
from companion.printing.shapes import Ring, moved
from companion.printing.sheets import Piece, Sheet, card_sheets
from companion.rules.hexgrid import cells_within

CREDITS = (
    "HexDragon is a game by Ondrej 'Nero' Sová, NERO GAMES: nerogames.sk",
    "© 2018-2020 Ondrej 'Nero' Sová, all rights reserved: print it for your own table, and get the game from him.",
    "These plain drawings are companion's own; for the real tiles and the rules see the publisher.",
)
"""What stands at the foot of every sheet."""

_STAR_LINE = Ring((0.0, 0.0), deck.STAR_DISC_MM / 2, 0.2, "#3A3A3A")


def _hexdragon(sets: int, colours: Sequence[str], paper: str) -> tuple[Sheet, ...]:
    """Start tile, bodies, every colour's heads, and its star behind them: each on a tile's place."""
    faces = [deck.face_shapes(START)]
    faces += [deck.face_shapes(tile) for tile in deck.BODY_SET * sets]
    faces += [deck.face_shapes(tile, colour) for colour in colours for tile in deck.HEADS]
    back = deck.back_shapes()
    tiles = [Piece(face, deck.outline(), back, deck.BACK_COLOUR) for face in faces]
    sheets = card_sheets(tiles, paper, f"HexDragon, {len(colours)} players", CREDITS)
    at = [((k - (len(colours) - 1) / 2) * 45.0, 0.0) for k in range(len(colours))]
    stars = [
        shape
        for colour, place in zip(colours, at, strict=True)
        for shape in moved((*deck.star_shapes(colour), _STAR_LINE), place)
    ]
    return (*sheets, *poster_sheets(stars, paper, "HexDragon, star tokens", CREDITS, places=at))


def _hexdragon_board(radius: int, paper: str) -> tuple[Sheet, ...]:
    cells = len(cells_within(radius))
    title = f"HexDragon, board of {cells} cells"
    return poster_sheets(deck.board_shapes(radius), paper, title, CREDITS)


MATERIALS = {
    "hexdragon": Material("HexDragon, tiles and stars for two", partial(_hexdragon, 1, deck.COLOURS[:2])),
    "hexdragon4": Material("HexDragon, tiles and stars for four", partial(_hexdragon, 2, deck.COLOURS)),
    "hexdragon-board": Material("HexDragon, the board of 19 cells for two", partial(_hexdragon_board, 2)),
    "hexdragon-board4": Material("HexDragon, the board of 37 cells for four", partial(_hexdragon_board, 3)),
    "teaching-hexdragon": teaching_material("HexDragon", layouts, ["hexdragon"], CREDITS),
}
