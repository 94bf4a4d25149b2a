"""What to lay to teach a Comet printing: five upright cards that together show every number."""

from functools import cache

from companion.games.comet.deck import Values, face_shapes, label, outline
from companion.printing.layout import Layout, Place, in_rows

_STEP_MM = (70.0, 104.0)
_CARDS: tuple[Values, ...] = ((2, 8, 11), (3, 5, 6), (4, 7, 10), (5, 9, 12), (11, 13, 14))
_WORDS = (
    "Lay these five cards upright, in rows of three and two, from left to right. Of other cards that show every number "
    "from 2 to the Ace, say on the phone or in labels which they are."
)


@cache
def layouts(deck: str) -> tuple[Layout, ...]:
    """The teaching layout."""
    cards = [
        Place(
            {"values": list(values), "zone": None},
            f"the card {' '.join(map(label, values))}",
            (0.0, 0.0),
            outline(),
            face_shapes(values),
        )
        for values in _CARDS
    ]
    return (Layout("cards", _WORDS, in_rows(cards, 3, _STEP_MM)),)
