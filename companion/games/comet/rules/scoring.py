"""Comet cards, and what a set of them scores.

Source: the rules page Comet, "Scoring a set". A card is three numbers 2..14, of which 14 is the Ace; their order on the
card does not matter.
"""

from collections.abc import Iterable
from itertools import chain, combinations
from typing import TypeGuard

from companion.rules.fields import is_whole

Card = tuple[int, int, int]
"""A card's numbers in the order in which they were read."""
Line = tuple[int, int, int]
"""A score line's values, rising; the Ace is 1 in 1-2-3 and 14 in all others."""

LOWEST, ACE = 2, 14


def is_card(value: object) -> TypeGuard[Card]:
    """Whether a JSON value is three whole numbers 2..14.

    >>> is_card([14, 2, 2]), is_card([1, 2, 3]), is_card([2, 3])
    (True, False, False)
    """
    return (
        isinstance(value, list | tuple)
        and len(value) == 3
        and all(is_whole(number) and LOWEST <= number <= ACE for number in value)
    )


def is_triple(card: Card) -> bool:
    """Whether a card shows one number three times, and so may be a set by itself.

    >>> is_triple((14, 14, 14)), is_triple((14, 14, 13))
    (True, False)
    """
    return len(set(card)) == 1


def face(card: Card) -> Card:
    """A card's numbers in ascending order.

    >>> face((9, 14, 4))
    (4, 9, 14)
    """
    low, middle, high = sorted(card)
    return low, middle, high


def lines(cards: Iterable[Card]) -> tuple[Line, ...]:
    """The score lines of all choices of three numbers on the cards, in the order of the numbers.

    >>> lines([(14, 2, 3), (4, 9, 9)])
    ((1, 2, 3), (2, 3, 4))
    """
    choices = combinations(chain.from_iterable(cards), 3)
    return tuple(line for choice in choices if (line := _line(choice)) is not None)


def score(cards: Iterable[Card]) -> int:
    """The sum of all lines' values; 0 for a set that is not valid.

    >>> score([(14, 14, 14)]), score([(4, 13, 14), (12, 13, 13)])
    (42, 156)
    """
    return sum(map(sum, lines(cards)))


def write_card(card: Card) -> str:
    """A card as one word.

    >>> write_card((4, 13, 14))
    '4-13-A'
    """
    return "-".join("A" if number == ACE else str(number) for number in card)


def parse_card(word: str) -> list[int]:
    """The card that a word stands for, as JSON. Raises `ValueError` where it stands for none.

    >>> parse_card("4-13-A")
    [4, 13, 14]
    """
    card = [ACE if part == "A" else int(part) for part in word.split("-")]
    if not is_card(card):
        raise ValueError(f"not a card: {word!r}; a card is written like 4-13-A")
    return list(card)


def _line(choice: tuple[int, ...]) -> Line | None:
    low, middle, high = sorted(choice)
    if (low, middle, high) == (2, 3, ACE):
        return 1, 2, 3
    if low == middle == high or (low + 1 == middle and middle + 1 == high):
        return low, middle, high
    return None
