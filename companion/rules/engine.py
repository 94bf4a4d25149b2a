"""What every game promises, and the header that begins one.

A game is a module of pure functions over its own frozen state (see `Game`). Commands and events are plain JSON
objects, in the very form of a record file, of the web interface and of the journal: ``{"cmd": "place", ...}`` and
``{"event": "placed", ...}``. A refused command raises `Refusal` and changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.rules.notation import Notation

Command = Mapping[str, Any]
Event = dict[str, Any]
Seen = Mapping[Any, Any]
"""What lies on the table as a game's reader names it; for Hex'el ``{cell: six symbols or None}``."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a record: which game, who plays, which house rules."""

    game: str
    players: tuple[str, ...]
    edition: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The header as a record's first line; what `read_header` takes."""
        edition = {} if self.edition is None else {"edition": self.edition}
        return {"record": 1, "game": self.game, **edition, "players": list(self.players), "options": dict(self.options)}


class Game(Protocol):
    """One game's module. ``S`` below is the game's own frozen state."""

    NAME: str
    EDITIONS: tuple[str, ...]
    """Editions a header may name, the default first; empty when the game has none."""
    PLAYERS: tuple[int, int | None]
    """Least and most players; None for no upper limit."""
    NOTATION: Notation
    """Every command's fields, and how each is written as one word."""

    def start(self, header: Header) -> Any:
        """The state before the first command. Raises `BadHeader` for an option unknown or impossible."""

    def apply(self, state: Any, command: Command) -> tuple[Any, tuple[Event, ...]]:
        """The state after one command and what happened. Raises `Refusal`."""

    def legal(self, state: Any) -> tuple[Command, ...]:
        """Commands that would be accepted now; where hands are unseen, what any card would allow (see each game)."""

    def next_step(self, state: Any) -> Command | None:
        """The one command that moves the table on and says nothing new: what a single button asks for.

        A pass, the end of a turn, a reveal, the next round or game. None where a person has a choice to make, and
        where the game is over for good; never one that ends the game while it can go on.
        """

    def interpret(self, state: Any, before: Seen, after: Seen) -> tuple[Command, ...]:
        """What the hands just did, likeliest first; empty when nothing follows from the difference."""

    def view(self, state: Any) -> dict[str, Any]:
        """``{"phase", "turn", "players": {name: {...}}, "table": {...}, "result"}`` as the rules page names them."""

    def explain(self, state: Any, event: Event) -> str:
        """One sentence for the table: what the event means and the rule it comes from; ``state`` is the one before."""
