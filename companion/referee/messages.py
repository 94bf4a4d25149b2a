"""The messages that the referee accepts, its answers, and the events of a session. Frozen values, no behaviour.

`decide` takes a message and returns events, `evolve` applies them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.referee.moves import Change, KeptPicture, Line, Move
from companion.rules.engine import Command, Event, Header

if TYPE_CHECKING:
    from companion.referee.session import Session


REFEREE_CALLED = "referee-called"
"""Notice code: the table calls the hall's referee."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The picture a proposal was read from.

    Attributes:
        jpeg: the camera's picture, a JPEG file's bytes; its comment holds the detections.
        confidence: 0..1, of the least certain part of the proposal.
        chances: the alternatives, in the form of `companion.referee.moves.KeptPicture`.
    """

    jpeg: bytes
    confidence: float
    chances: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Do:
    """Apply a command now (from a phone or a record)."""

    command: Command
    key: str | None = None
    """Idempotency key: a repeated key gets the first answer and changes nothing."""
    version: int | None = None
    """The session's version that the person saw: a command of the player on turn is `stale` when the state has changed
    since. None for whoever saw none."""


@dataclass(frozen=True, slots=True)
class Propose:
    """The camera proposes a command, which waits for a person. A newer proposal replaces it; None withdraws it."""

    command: Command | None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Authorised:
    """The player for whom a press was authorised; None for moves that belong to nobody.

    A press on another player's proposal or turn is `stale`: the session changed after the phone's rights were checked.
    """

    player: str | None


@dataclass(frozen=True, slots=True)
class Confirm:
    """A person confirms the waiting proposal."""

    version: int | None = None
    """The session's version that the person saw: `stale` when the proposal has changed since. None for a button at the
    table, whose press is ignored within `Session.press_gap_s` of the last change."""
    authorised: Authorised | None = None
    """None for a button at the table, which acts for anybody."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A person rejects the waiting proposal; refused without one (`nothing-waiting`)."""

    version: int | None = None
    authorised: Authorised | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo the last command or correction."""

    version: int | None = None
    by: str | None = None
    """The person's name, here and below; None for the button at the table."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Redo the last undone command or correction, as long as nothing else was done since."""

    version: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Correct:
    """Correct earlier moves; the rules judge the moves after them again."""

    change: Change
    version: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """Apply the game's `next_step`, such as a pass, the next round or the evening's next game.

    Without one, a finished game begins anew; otherwise refused (`nothing-next`).
    """

    version: int | None = None
    authorised: Authorised | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Begin a new game. The one before stays in the data folder."""

    header: Header
    version: int | None = None
    """The session's version that the person saw: `stale` when the state has changed since; None for none."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to people that is no move: a hand resting in view, an unreadable card, a lost camera.

    Not journalled, and it makes no press stale. ``text`` None clears the notice of that code.
    """

    code: str
    text: str | None
    at: tuple[float, float] | None = None
    """Where in the picture, as fractions 0..1 of its width and height."""


Message = Do | Propose | Confirm | Reject | Undo | Redo | Correct | Next | Begin | Notice


@dataclass(frozen=True, slots=True)
class Answer:
    """The session's version after a message and the events it caused."""

    version: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of the feed.

    Each version of the session is published exactly once, so that a subscriber who knows the last version it saw misses
    none. A refusal is published under the version that it left unchanged.

    Attributes:
        version: of the session after it.
        kind: ``state`` (the scoreboard changed), ``notice`` (only the notices did) or ``announcement`` (a refusal).
        data: for ``state`` ``{"because"}``, which is ``moved``, ``undone``, ``redone``, ``corrected``, ``proposed``,
            ``withdrawn``, ``rejected``, ``begun`` or ``resumed`` (for a subscriber that missed entries); with
            ``moved``, and ``undone`` of a move, also ``{"move": n, "command", "events"}``; with ``corrected``
            ``{"at": n}``, the first move changed. For ``notice`` ``{"code", "text", "at"}``; for ``announcement``
            ``{"refused": {"code", "message", ...}, "is_answered"}``, which says whether who asked is answered with it
            too; with ``"again": true`` for a subscriber that may have heard it.
        session: at that version.
    """

    version: int
    kind: str
    data: dict[str, Any]
    session: "Session"


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
    evidence: KeptPicture | None = None


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
