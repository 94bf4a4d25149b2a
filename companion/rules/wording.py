"""Names, places, cells and chips as they stand in a sentence; what every game's sentences share."""

from collections.abc import Sequence


def names(words: Sequence[str]) -> str:
    """A list in a sentence; nothing for none.

    >>> names(["Ana", "Bo", "Cy"]), names(["Dee"]), names([])
    ('Ana, Bo and Cy', 'Dee', '')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def places(ranking: Sequence[Sequence[str]]) -> str:
    """A ranking in words, the places counted as at a race.

    >>> places([["Ana", "Bo"], ["Cy"]])
    '1. Ana and Bo, 3. Cy'
    """
    firsts = [1 + sum(map(len, ranking[:place])) for place in range(len(ranking))]
    return ", ".join(f"{first}. {names(shared)}" for first, shared in zip(firsts, ranking, strict=True))


def count(number: int, thing: str) -> str:
    """How many there are.

    >>> count(1, "chip"), count(0, "card")
    ('1 chip', '0 cards')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def chips(amount: int) -> str:
    """How many chips.

    >>> chips(3)
    '3 chips'
    """
    return count(amount, "chip")


def at(cell: Sequence[int]) -> str:
    """A cell of the lattice.

    >>> at((2, -1))
    '(2, -1)'
    """
    return f"({cell[0]}, {cell[1]})"
