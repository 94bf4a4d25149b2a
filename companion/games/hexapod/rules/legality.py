"""The legality checks of Hexapod: the refusals of the rules page, in its order.

Source: the rules page Hexapod, "A turn", conditions 1 to 4, and "Exactly".
"""

from collections.abc import Iterable

from companion.errors import Refusal
from companion.games.hexapod.rules.cases import KINDS, Card, Case, Place


def require_laying(case: Case, place: Place, card: Card | None) -> Card:
    """The card, if it may be laid with its top left cell at a place; None is refused as `bad-card`."""
    if card is None:
        raise Refusal(
            "bad-card", f"no such card: it shows {', '.join(KINDS)}, a stag tall over two cells, a moth wide over two"
        )
    if not case.holds(place):
        size = f"{case.rows} rows and {case.cols} columns"
        raise Refusal("out-of-case", f"a card at row {place[0] + 1}, column {place[1] + 1} leaves the case of {size}")
    if case.lying and not case.covered(place, card):
        raise Refusal("no-match", "no insect of the card directly covers one of its own kind")
    _require_dung(case.dung_covered(place, card))
    half = case.half_covered(place)
    if half is not None:
        message = f"the {half.kind} at {_at(half.cells)} would be covered in part; cover all of it or none"
        raise Refusal("half-covered", message, kind=half.kind, cells=[list(cell) for cell in half.cells])
    return card


def may_be_laid(case: Case, place: Place, card: Card) -> bool:
    """Whether the rules allow the card there."""
    try:
        require_laying(case, place, card)
    except Refusal:
        return False
    return True


def _require_dung(cells: Iterable[Place]) -> None:
    dung = list(cells)
    if dung:
        message = f"the dung beetle at {_at(dung)} may only be covered by a dung beetle"
        raise Refusal("dung-covered", message, cells=[list(cell) for cell in dung])


def _at(cells: Iterable[Place]) -> str:
    """Places in a sentence, counted from 1 as players count.

    >>> _at([(0, 1), (1, 1)])
    'row 1, column 2 and row 2, column 2'
    """
    return " and ".join(f"row {row + 1}, column {col + 1}" for row, col in cells)
