"""What can happen at a table, as `decide` says it and `evolve` lets it have happened. Frozen values, no behaviour."""

from dataclasses import dataclass
from typing import Any

from companion.referee.messages import Evidence, Message, Notice
from companion.referee.moves import Change, Kept, Line, Move
from companion.rules.engine import Command, Event, Header


@dataclass(frozen=True, slots=True)
class Asked:
    """A message with the moment it was asked at.

    Attributes:
        at_s: on a clock that never jumps.
        when: on the wall clock, ISO 8601 with its offset, for people.
    """

    message: Message
    at_s: float
    when: str


@dataclass(frozen=True, slots=True)
class Begun:
    """A game was put on the table."""

    header: Header
    when: str
    at_s: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Moved:
    """A command was carried out. ``state`` is what the game made of it."""

    command: Command
    events: tuple[Event, ...]
    state: Any
    when: str
    at_s: float = float("-inf")
    key: str | None = None
    evidence: Kept | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """The last thing done was taken back: ``move``, or a correction when that is None."""

    move: Move | None
    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Redone:
    """What was taken back last was done again."""

    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """Moves that stood were put right. ``line`` is what the rules made of it."""

    change: Change
    line: Line
    when: str
    at_s: float = float("-inf")
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """The camera saw something."""

    command: Command
    evidence: Evidence | None
    at_s: float


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The proposal no longer waits: the camera saw otherwise, or a person rejected it."""

    at_s: float
    rejected: bool


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice came up, changed or went."""

    notice: Notice


SessionEvent = Begun | Moved | Undone | Redone | Corrected | Proposed | Withdrawn | Noticed
