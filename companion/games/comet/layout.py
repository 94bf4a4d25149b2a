"""What to lay to teach a Comet printing: five upright cards that together show every number, and one face down."""

from functools import cache

from companion.games.comet.deck import Values, back_shapes, face_shapes, label, outline
from companion.printing.layout import Layout, Place, in_rows

_STEP_MM = (70.0, 104.0)
_CARDS: tuple[Values, ...] = ((2, 8, 11), (3, 5, 6), (4, 7, 10), (5, 9, 12), (11, 13, 14))
_OTHERS = "Of other cards that show every number from 2 to the Ace, say on the phone or in labels which they are."
_WORDS = f"Lay these five cards upright and any card face down, in two rows of three, from left to right. {_OTHERS}"
_WITHOUT_BACK = f"Lay these five cards upright, in rows of three and two, from left to right. {_OTHERS}"


@cache
def layouts(deck: str) -> tuple[Layout, ...]:
    """The teaching layout, and the one without the back."""
    faces = [
        Place(
            {"values": list(values), "zone": None},
            f"the card {' '.join(map(label, values))}",
            (0.0, 0.0),
            outline(),
            face_shapes(values),
            "comet-lay-one",
            " ".join(map(label, values)),
        )
        for values in _CARDS
    ]
    down = {"values": None, "zone": None}
    back = Place(down, "any card face down", (0.0, 0.0), outline(), back_shapes(), "comet-lay-back")
    return (
        Layout("cards", _WORDS, in_rows([*faces, back], 3, _STEP_MM), "comet-lay"),
        Layout("cards", _WITHOUT_BACK, in_rows(faces, 3, _STEP_MM)),
    )
