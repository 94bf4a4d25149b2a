"""What has happened at the table, and what may happen next: `decide` and `evolve`, pure functions over a session.

`decide` says what a message makes happen and changes nothing; `evolve` lets it have happened and never fails. Time
comes in with the message. A press at the table carries no version: it is ignored within `Session.press_gap_s` of the
last change, because pins bounce. A press on a page carries the version that the page showed: it is `stale` when what
it answers has changed since.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from companion import games
from companion.errors import Refusal
from companion.referee.messages import (
    Answer,
    Authorised,
    Begin,
    Confirm,
    Correct,
    Do,
    Evidence,
    Next,
    Notice,
    Propose,
    Redo,
    Reject,
    Undo,
)
from companion.referee.moves import Amendment, Line, Move, amendment, corrected, extended, stated
from companion.referee.session_events import (
    Asked,
    Begun,
    Corrected,
    Moved,
    Noticed,
    Proposed,
    Redone,
    SessionEvent,
    Undone,
    Withdrawn,
)
from companion.rules.engine import Command, Event, Game, Header
from companion.rules.fields import malformed

PRESS_GAP_S = 0.3
_ANSWERS_KEPT = 512
"""A press is repeated within seconds: what was answered to earlier keys is forgotten."""
_log = logging.getLogger(__name__)


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the camera saw, waiting for a person.

    Attributes:
        version: of the session in which it came up, or in which its verdict last changed.
        events: what confirming it would cause; empty when the rules would refuse it.
        refusal: ``{"code", "message", ...}`` when the rules would refuse it, else None.
        confidence: 0..1, None when no picture came with it. The picture itself is the referee's `proposal_evidence`.
    """

    version: int
    command: Command
    events: tuple[Event, ...]
    refusal: dict[str, Any] | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Session:
    """All that is known of the table, at one version.

    Attributes:
        version: one more with everything that happens; never used twice, also not by the next run of the program.
        state: the game's own state.
        past: the states before each move, the earliest first.
        moves: those that stand, in order.
        done: how the moves stood before each thing that can be taken back, the earliest first.
        undone: how they stood before each taking back that can be done again, the earliest first.
        amendments: every time that moves which stood were changed, the earliest first.
        notices: what people should know now, by code.
        state_version: the version of the last move, undo or beginning.
        changed_at_s: when the state or the proposal last changed, on the clock that messages are stamped with.
        press_gap_s: for how long after a change a press at the table is taken for a bounce of the one before.
        answered: the first answer to each of the latest idempotency keys.
    """

    version: int
    header: Header
    game: Game
    state: Any
    past: tuple[Any, ...] = ()
    moves: tuple[Move, ...] = ()
    done: tuple[Line, ...] = field(default=(), repr=False)
    undone: tuple[Line, ...] = field(default=(), repr=False)
    amendments: tuple[Amendment, ...] = field(default=(), repr=False)
    proposal: Proposal | None = None
    notices: Mapping[str, Notice] = field(default_factory=_nothing)
    state_version: int = 0
    changed_at_s: float = float("-inf")
    press_gap_s: float = PRESS_GAP_S
    answered: Mapping[str, Answer] = field(default_factory=_nothing, repr=False)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self.done)

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back that can be done again."""
        return bool(self.undone)

    @property
    def line(self) -> Line:
        """The moves that stand, with their states."""
        return Line(self.state, self.past, self.moves)


def decide(session: Session, asked: Asked) -> tuple[SessionEvent, ...]:
    """Say what happens; nothing when the message says nothing new. Changes nothing.

    Raises:
        Refusal: by the rules of the game, or `stale`, `nothing-waiting`, `nothing-to-undo`, `nothing-to-redo`,
            `nothing-next`, or what `corrected` raises.
        BadHeader: the header of a `Begin` does not describe a game.
    """
    message = asked.message
    if isinstance(message, Confirm | Reject | Undo | Next) and message.version is None and _bounces(session, asked):
        return ()
    match message:
        case Do(command, key):
            return (_moved(session, asked, command, key),)
        case Propose(command, evidence):
            return _proposed(session, asked, command, evidence)
        case Confirm():
            return (_moved(session, asked, _waiting(session, message).command),)
        case Reject():
            _waiting(session, message)
            return (Withdrawn(asked.at_s, rejected=True),)
        case Undo():
            return (_undone(session, asked, message),)
        case Redo():
            return (_redone(session, asked, message),)
        case Correct(asked_change, version, by):
            _require_fresh(session, version, session.state_version)
            commands = tuple(stated(session.game, command) for command in asked_change.commands)
            change = replace(asked_change, commands=commands)
            line = corrected(session.game, session.line, change, asked.when)
            return (Corrected(change, line, asked.when, asked.at_s, by),)
        case Next():
            _require_fresh(session, message.version, session.state_version)
            return (_next(session, asked, message.authorised),)
        case Begin(header):
            games.game(header.game).rules.start(header)
            return (Begun(header, asked.when, asked.at_s),)
        case Notice():
            return (Noticed(message),) if _is_news(session, message) else ()


def evolve(session: Session, happening: SessionEvent) -> Session:
    """Let it have happened: the session one version on. Never fails, never asks."""
    session = replace(session, version=session.version + 1)
    match happening:
        case Begun(header, _, at_s):
            return replace(begin(header, session.version, session), changed_at_s=at_s)
        case Moved():
            return _after_move(session, happening)
        case Undone() | Redone() | Corrected():
            return _after_amendment(session, happening)
        case Proposed(command, evidence, at_s):
            waiting = _assessed(session, command, evidence.confidence if evidence else None)
            return replace(session, proposal=waiting, changed_at_s=at_s)
        case Withdrawn(at_s, _):
            return replace(session, proposal=None, changed_at_s=at_s)
        case Noticed(notice):
            others = {code: other for code, other in session.notices.items() if code != notice.code}
            shown = {} if notice.text is None else {notice.code: notice}
            return replace(session, notices=MappingProxyType(others | shown))


def begin(header: Header, version: int, before: Session | None = None) -> Session:
    """A session at the beginning of a game; of the one ``before``, what concerns the table and not the game stays.

    Raises:
        BadHeader: the game does not take the header's options.
    """
    game = games.game(header.game).rules
    fresh = Session(version, header, game, game.start(header), state_version=version)
    if before is None:
        return fresh
    return replace(fresh, notices=before.notices, press_gap_s=before.press_gap_s, answered=before.answered)


def fault(error: Exception) -> Refusal:
    """The refusal that stands for a bug in the rules; its traceback goes to the log, whole."""
    _log.error("deciding failed, nothing has changed", exc_info=error)
    return Refusal("fault", "The program made a mistake over this; nothing has changed. The table goes on.")


def _bounces(session: Session, asked: Asked) -> bool:
    return asked.at_s - session.changed_at_s < session.press_gap_s


def _moved(session: Session, asked: Asked, command: Command, key: str | None = None) -> Moved:
    if not isinstance(command, Mapping):
        raise malformed("a command is a JSON object")
    command = stated(session.game, command)
    state, events = session.game.apply(session.state, command)
    return Moved(command, events, state, asked.when, asked.at_s, key)


def _next(session: Session, asked: Asked, authorised: Authorised | None) -> SessionEvent:
    command = session.game.next_step(session.state)
    if authorised is not None and session.game.view(session.state)["turn"] != authorised.player:
        raise _stale(session)
    if command is not None:
        return _moved(session, asked, command)
    if session.game.view(session.state)["result"] is not None:
        return Begun(session.header, asked.when, asked.at_s)
    raise Refusal("nothing-next", "There is nothing to move on to; the table waits for a move.")


def _proposed(
    session: Session, asked: Asked, command: Command | None, evidence: Evidence | None
) -> tuple[SessionEvent, ...]:
    waiting = session.proposal.command if session.proposal else None
    if command == waiting:
        return ()
    if command is None:
        return (Withdrawn(asked.at_s, rejected=False),)
    return (Proposed(command, evidence, asked.at_s),)


def _waiting(session: Session, message: Confirm | Reject) -> Proposal:
    since = session.proposal.version if session.proposal else session.state_version
    _require_fresh(session, message.version, since)
    if session.proposal is None:
        raise Refusal("nothing-waiting", "Nothing is waiting to be confirmed.")
    authorised = message.authorised
    if authorised is not None and session.proposal.command.get("player") not in (None, authorised.player):
        raise _stale(session)
    return session.proposal


def _undone(session: Session, asked: Asked, message: Undo) -> Undone:
    _require_fresh(session, message.version, session.state_version)
    if not session.can_undo:
        raise Refusal("nothing-to-undo", "There is no move to take back.")
    move = session.moves[-1] if session.moves and session.done[-1].moves == session.moves[:-1] else None
    return Undone(move, asked.when, asked.at_s, message.by)


def _redone(session: Session, asked: Asked, message: Redo) -> Redone:
    _require_fresh(session, message.version, session.state_version)
    if not session.can_redo:
        raise Refusal("nothing-to-redo", "Nothing was taken back that could be done again.")
    return Redone(asked.when, asked.at_s, message.by)


def _require_fresh(session: Session, version: int | None, since: int) -> None:
    if version is not None and not since <= version <= session.version:
        raise _stale(session)


def _stale(session: Session) -> Refusal:
    return Refusal("stale", "The table has changed since; look again.", version=session.version)


def _is_news(session: Session, notice: Notice) -> bool:
    known = session.notices.get(notice.code)
    return notice.text is not None if known is None else known != notice


def _after_move(session: Session, moved: Moved) -> Session:
    before = session.line
    move = Move(len(session.moves) + 1, moved.command, moved.events, moved.when, moved.evidence)
    line = extended(before, moved.state, move)
    answered = session.answered
    if moved.key is not None:
        latest = dict(list(answered.items())[-(_ANSWERS_KEPT - 1) :])
        answered = MappingProxyType({**latest, moved.key: Answer(session.version, moved.events)})
    after = replace(
        session,
        state=line.state,
        past=line.past,
        moves=line.moves,
        done=(*session.done, before),
        undone=(),
        proposal=None if _settles(moved.command, session.proposal) else session.proposal,
        answered=answered,
    )
    return _reassess_proposal(after, moved.at_s)


def _after_amendment(session: Session, happening: Undone | Redone | Corrected) -> Session:
    before, done, undone = session.line, session.done, session.undone
    match happening:
        case Undone():
            did, line, done, undone = "undo", done[-1], done[:-1], (*undone, before)
        case Redone():
            did, line, done, undone = "redo", undone[-1], (*done, before), undone[:-1]
        case Corrected():
            did, line, done, undone = "correct", happening.line, (*done, before), ()
    changed = amendment(before, line, session.version, did, happening.by, happening.when)
    after = replace(
        session,
        state=line.state,
        past=line.past,
        moves=line.moves,
        done=done,
        undone=undone,
        amendments=(*session.amendments, changed),
    )
    return _reassess_proposal(after, happening.at_s)


def _settles(command: Command, proposal: Proposal | None) -> bool:
    """Whether a move is the one proposed, or the same player's correction of it."""
    return proposal is not None and all(proposal.command.get(f) == command.get(f) for f in ("cmd", "player"))


def _reassess_proposal(session: Session, at_s: float) -> Session:
    """The session after its state has changed: what waits may now be allowed, or no longer."""
    waiting = session.proposal
    if waiting is not None:
        waiting = _assessed(session, waiting.command, waiting.confidence)
    return replace(session, proposal=waiting, state_version=session.version, changed_at_s=at_s)


def _assessed(session: Session, command: Command, confidence: float | None) -> Proposal:
    try:
        _, events = session.game.apply(session.state, command)
    except Refusal as refusal:
        return Proposal(session.version, command, (), refusal.as_json(), confidence)
    except Exception as error:  # noqa: BLE001 - a bug in a game's rules must not end the table
        return Proposal(session.version, command, (), fault(error).as_json(), confidence)
    return Proposal(session.version, command, events, None, confidence)
