"""What to lay to teach a Hex'el printing: the single-symbol cards of the deck, in a row."""

from functools import cache

from companion.games.hexel.deck import SYMBOLS, face_shapes, outline
from companion.printing.layout import Layout, Place, in_rows

_STEP_MM = 61.0
_WORDS = "Lay the cards whose six symbols are the same in a row, from left to right:"


@cache
def layouts(deck: str) -> tuple[Layout, ...]:
    """The teaching layout of a deck, such as hexel36."""
    edition = deck.removeprefix("hexel")
    symbols = SYMBOLS[edition]
    cards = [
        Place(
            {"cell": None, "edges": [symbol] * 6},
            f"the card with six {symbol} symbols",
            (0.0, 0.0),
            outline(),
            face_shapes((symbol,) * 6, edition),
            "hexel-lay-one",
            symbol,
        )
        for symbol in symbols
    ]
    words = f"{_WORDS} six {', six '.join(symbols)}."
    return (Layout("loose", words, in_rows(cards, 3, (_STEP_MM, 0.0)), "hexel-lay"),)
