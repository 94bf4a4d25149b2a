"""What every game promises; headers, records and their replay.

A game is a module of pure functions over its own frozen state (see `Game`). Commands and events are plain JSON
objects, in the very form of a record file, of the web interface and of the journal: ``{"cmd": "place", ...}`` and
``{"event": "placed", ...}``. A refused command raises `Refusal` and changes nothing.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.errors import BadHeader, Refusal

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

    def start(self, header: Header) -> Any:
        """The state before the first command. Raises `BadHeader` for an option unknown or impossible."""

    def apply(self, state: Any, command: Command) -> tuple[Any, tuple[Event, ...]]:
        """The state after one command and what happened. Raises `Refusal`."""

    def legal(self, state: Any) -> tuple[Command, ...]:
        """Commands that would be accepted now; where hands are unseen, what any card would allow (see each game)."""

    def interpret(self, state: Any, before: Seen, after: Seen) -> tuple[Command, ...]:
        """What the hands just did, likeliest first; empty when nothing follows from the difference."""

    def view(self, state: Any) -> dict[str, Any]:
        """``{"phase", "turn", "players": {name: {...}}, "table": {...}, "result"}`` as the rules page names them."""

    def explain(self, state: Any, event: Event) -> str:
        """One sentence for the table: what the event means and the rule it comes from; ``state`` is the one before."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record run to its end or to its first refusal."""

    header: Header
    state: Any
    log: tuple[tuple[int, tuple[Event, ...]], ...]
    refusal: Refusal | None = None
    refused_line: int | None = None
