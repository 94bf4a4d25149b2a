"""The events that `decide` returns and `evolve` applies. Frozen values, no behaviour."""

from dataclasses import dataclass
from typing import Any

from companion.referee.messages import Evidence, Message, Notice
from companion.referee.moves import Change, Kept, Line, Move
from companion.rules.engine import Command, Event, Header


@dataclass(frozen=True, slots=True)
class Asked:
    """A message with its time.

    Attributes:
        at_s: on the monotonic clock.
        when: on the wall clock, ISO 8601 with offset.
    """

    message: Message
    at_s: float
    when: str


@dataclass(frozen=True, slots=True)
class Begun:
    """A game was begun."""

    header: Header
    when: str
    at_s: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Moved:
    """A command was applied; ``state`` is the game's state after it."""

    command: Command
    events: tuple[Event, ...]
    state: Any
    when: str
    at_s: float = float("-inf")
    key: str | None = None
    evidence: Kept | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """The last change was undone: ``move``, or a correction when that is None."""

    move: Move | None
    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Redone:
    """The last undone change was redone."""

    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """Earlier moves were corrected; ``line`` is the line after it."""

    change: Change
    line: Line
    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """The camera proposed a command."""

    command: Command
    evidence: Evidence | None
    at_s: float


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The proposal was withdrawn by the camera or rejected by a person."""

    at_s: float
    rejected: bool


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice was raised, changed or cleared."""

    notice: Notice


SessionEvent = Begun | Moved | Undone | Redone | Corrected | Proposed | Withdrawn | Noticed
