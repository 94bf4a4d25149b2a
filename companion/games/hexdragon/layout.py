"""What to lay to teach a HexDragon set: the start tile, a head of each colour in play, and a body tile."""

from functools import cache

from companion.games.hexdragon.deck import BODY_SET, COLOURS, HEADS, face_shapes, outline
from companion.games.hexdragon.rules.tiles import START, Tile
from companion.printing.layout import Layout, Place, in_rows

_STEP_MM = (58.0, 72.0)
_FEWEST_COLOURS = 2
"""A single colour is taught by labels: any three hexagons in a row would pass for its layout."""


@cache
def layouts(deck: str) -> tuple[Layout, ...]:
    """The teaching layouts, of all four colours first: a set with fewer colours leaves out the last ones."""
    return tuple(_layout(COLOURS[:count]) for count in range(len(COLOURS), _FEWEST_COLOURS - 1, -1))


def _layout(colours: tuple[str, ...]) -> Layout:
    start = _place({"kind": "start", "owner": None}, "the start tile", START, phrase="hexdragon-lay-start")
    heads = [
        _place(
            {"kind": "head", "owner": colour},
            f"any head of the {colour} dragon",
            HEADS[0],
            colour,
            phrase="hexdragon-lay-head",
        )
        for colour in colours
    ]
    body = _place({"kind": "body", "owner": None}, "any body tile", BODY_SET[0], phrase="hexdragon-lay-body")
    words = (
        "Lay the start tile, one head of each colour in play and a body tile in rows of three, from left to right: "
        f"start, {', '.join(colours)}, body. How a tile is turned does not matter."
    )
    return Layout("tiles", words, in_rows([start, *heads, body], 3, _STEP_MM), "hexdragon-lay")


def _place(label: dict[str, str | None], words: str, tile: Tile, owner: str | None = None, *, phrase: str) -> Place:
    face = face_shapes(tile, owner)
    return Place({"cell": None, **label}, words, (0.0, 0.0), outline(), face, phrase, owner or "")
