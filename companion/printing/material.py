"""What can be printed, by name: what each game supplies, and the marks that help a camera."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.errors import UsageError
from companion.games import GAMES
from companion.printing import marks
from companion.printing.layout import Layout, layout_sheets
from companion.printing.posters import poster_sheets
from companion.printing.shapes import moved
from companion.printing.sheets import Sheet, Text, paper_size

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


@dataclass(frozen=True, slots=True)
class Material:
    """One thing to print.

    Attributes:
        caption: what it is, for people.
        sheets: its sheets on a paper.
    """

    caption: str
    sheets: Callable[[str], tuple[Sheet, ...]]


def teaching_material(
    title: str, layouts: Callable[[str], tuple[Layout, ...]], decks: Sequence[str], credits: Sequence[str]
) -> Material:
    """What to lay to teach a printing of a game with that title: the usual layout of each deck."""

    def sheets(paper: str) -> tuple[Sheet, ...]:
        named = [f"Teaching a {title} printing{f', {deck}' if len(decks) > 1 else ''}" for deck in decks]
        pairs = zip(decks, named, strict=True)
        return tuple(sheet for deck, name in pairs for sheet in layout_sheets(layouts(deck)[0], name, credits, paper))

    return Material(f"{title}, what to lay to teach a printing", sheets)


def sheets_of(what: str, paper: str) -> tuple[Sheet, ...]:
    """All sheets of a material. Raises `UsageError` for what there is not."""
    paper_size(paper)
    there_are = materials()
    if what not in there_are:
        raise UsageError(f"no such material: {what}; there are {', '.join(there_are)}", code="unknown-deck")
    return there_are[what].sheets(paper)


def materials() -> dict[str, Material]:
    """Everything that can be printed, by name: the games' in their order, then what helps a camera."""
    of_games: dict[str, Material] = {}
    for game in GAMES.values():
        of_games |= game.materials()
    return {**of_games, **_CAMERA_AIDS}


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


_CAMERA_AIDS: Mapping[str, Material] = {
    "marks": Material("the table's four corner marks", _marks),
    "lens-board": Material("the board that shows how a lens bends", _lens_board),
}
