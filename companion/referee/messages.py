"""What may be asked of the referee, and what it answers. Frozen values, no behaviour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.referee.moves import Change
from companion.rules.engine import Command, Event, Header

if TYPE_CHECKING:
    from companion.referee.session import Session


REFEREE_CALLED = "referee-called"
"""The code of the notice by which a table calls the referee of its hall."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The picture a proposal was read from.

    Attributes:
        jpeg: the picture as the camera saw it, a JPEG file's bytes; what was recognised stands in its comment.
        confidence: 0..1, of the least certain part that the proposal states.
        chances: what else may be there; as `companion.referee.moves.Kept` has them.
    """

    jpeg: bytes
    confidence: float
    chances: Sequence[Any] = ()


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
class Authorised:
    """For whom a press was authorised: a player, or None for what nobody in particular does.

    What is asked of another's proposal, or at another's turn, is `stale`: it came up after the asking phone's rights
    were looked at.
    """

    player: str | None


@dataclass(frozen=True, slots=True)
class Confirm:
    """A person says the waiting proposal is right."""

    version: int | None = None
    """The version of the session the person was looking at: `stale` when the proposal has changed since. None for a
    button at the table, whose press is ignored when it comes within `Session.press_gap_s` of the last change."""
    authorised: Authorised | None = None
    """None: for anybody, as a button at the table is."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A person says the waiting proposal is wrong; without a proposal it is refused (`nothing-waiting`)."""

    version: int | None = None
    authorised: Authorised | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last thing done back: a command, or a correction of earlier ones. As often as there is something."""

    version: int | None = None
    by: str | None = None
    """Who asks, as people call them, here and below; None for the button at the table."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Do again what was taken back last, as long as nothing else was done since."""

    version: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Correct:
    """Put moves right that stand: what followed them is judged anew."""

    change: Change
    version: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """Move the table on: the game's `next_step`, such as a pass, the next round or the evening's next game.

    Where there is none the same game begins anew when it is over; `nothing-next` otherwise.
    """

    version: int | None = None
    authorised: Authorised | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Put a new game on the table. The one before stays in the data folder."""

    header: Header


@dataclass(frozen=True, slots=True)
class Notice:
    """Something people should know that is no move: a hand resting in view, a card not readable, the camera gone.

    Not journalled, and no change that a press could be too late for. ``text`` None clears the notice of that code.
    """

    code: str
    text: str | None
    at: tuple[float, float] | None = None
    """Where in the picture, as fractions 0..1 of its width and height."""


Message = Do | Propose | Confirm | Reject | Undo | Redo | Correct | Next | Begin | Notice


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a message: the session's version after it and the events it caused."""

    version: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One thing the feed tells its subscribers, in order.

    A version of the session is told exactly once, so that whoever knows the last version seen misses nothing.
    A refusal is told to those listening now, under the version that it left unchanged.

    Attributes:
        version: of the session after it.
        kind: ``state`` (the scoreboard changed), ``notice`` (only the notices did) or ``announcement`` (a refusal).
        data: for ``state`` ``{"because"}``, which is ``moved``, ``undone``, ``redone``, ``corrected``, ``proposed``,
            ``withdrawn``, ``rejected``, ``begun`` or ``resumed`` (everything anew, to one who missed too much); with
            ``moved``, and ``undone`` of a move, also ``{"move": n, "command", "events"}``; with ``corrected``
            ``{"at": n}``, the first move changed. For ``notice`` ``{"code", "text", "at"}``; for ``announcement``
            ``{"refused": {"code", "message", ...}}``.
        session: as it was at that version; what a view of it is made from.
    """

    version: int
    kind: str
    data: dict[str, Any]
    session: "Session"
