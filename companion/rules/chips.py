"""Stocks, pots and transfers: whole chips that are moved and never made.

Source: every rules page's "the sum of all chips is what the header gave out". The sum is conserved by construction:
chips come into being in `Chips.given` alone, and a pot can give only what it holds.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chips:
    """All chips of a table, by pot. A pot nobody has named is empty.

    >>> before = Chips.given({"Ana": 10, "Bo": 10})
    >>> after = before.moved(4, "Ana", "Bo")
    >>> after["Ana"], after["Bo"], before["Ana"], after.total
    (6, 14, 10, 20)
    """

    held: Mapping[Hashable, int]

    @classmethod
    def given(cls, pots: Mapping[Hashable, int]) -> "Chips":
        """The chips that a game begins with."""
        if any(amount < 0 for amount in pots.values()):
            raise ValueError(f"a pot cannot hold less than nothing: {dict(pots)}")
        return cls(dict(pots))

    def __getitem__(self, pot: Hashable) -> int:
        return self.held.get(pot, 0)

    @property
    def total(self) -> int:
        """The sum of all pots, the same for ever."""
        return sum(self.held.values())

    def moved(self, amount: int, source: Hashable, target: Hashable) -> "Chips":
        """The chips after ``amount`` of them went from one pot to another.

        Raises:
            ValueError: the source does not hold them. A game asks before it moves, so this is a bug, not a refusal.
        """
        if not 0 <= amount <= self[source]:
            raise ValueError(f"{source} holds {self[source]} chips; {amount} cannot be taken from it")
        left = {**self.held, source: self[source] - amount}
        left[target] = left.get(target, 0) + amount
        return Chips(left)

    def gathered(self, sources: Iterable[Hashable], target: Hashable) -> "Chips":
        """The chips after all that the sources hold went into one pot."""
        chips = self
        for source in sources:
            chips = chips.moved(chips[source], source, target)
        return chips
