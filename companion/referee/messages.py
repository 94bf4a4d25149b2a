"""What may be asked of the referee, and what it answers. Frozen values, no behaviour."""

from dataclasses import dataclass
from typing import Any

from companion.rules.engine import Command, Event, Header


@dataclass(frozen=True, slots=True)
class Evidence:
    """The picture a proposal was read from.

    Attributes:
        jpeg: the picture with what was recognised drawn on it, as a JPEG file's bytes.
        confidence: 0..1, of the least certain part that the proposal states.
    """

    jpeg: bytes
    confidence: float


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out a command now (a phone, a record, a button's standing order)."""

    command: Command
    key: str | None = None
    """Idempotency key: the same key again gets the first answer and changes nothing."""


@dataclass(frozen=True, slots=True)
class Propose:
    """The camera saw this; it waits for a person. A newer proposal replaces the waiting one; None withdraws it."""

    command: Command | None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Confirm:
    """A person says the waiting proposal is right."""

    version: int | None = None
    """The version of the session the person was looking at; None for a button at the table."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A person says the waiting proposal is wrong; without a proposal it is refused (`nothing-waiting`)."""

    version: int | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last command back."""

    version: int | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Put a new game on the table. The one before stays in the data folder."""

    header: Header


@dataclass(frozen=True, slots=True)
class Notice:
    """Something people should know that is no move: a hand resting in view, a card not readable, the camera gone.

    Not journalled. ``text`` None clears the notice of that code.
    """

    code: str
    text: str | None
    at: tuple[float, float] | None = None
    """Where in the picture, as fractions 0..1 of its width and height."""


Message = Do | Propose | Confirm | Reject | Undo | Begin | Notice


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a message: the session's version after it and the events it caused."""

    version: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One thing the feed tells its subscribers, in order.

    ``kind`` is ``state`` (the scoreboard changed), ``announcement`` (a sentence for people) or ``notice``.
    """

    version: int
    kind: str
    data: dict[str, Any]
