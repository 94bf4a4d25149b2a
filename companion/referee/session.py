"""The session, and the pure functions `decide` and `evolve` over it.

`decide` turns a message into events and changes nothing; `evolve` applies an event and never fails. Time comes in with
the message. A press at the table carries no version: it is ignored within `Session.press_gap_s` of the last change,
because pins bounce. A press on a page carries the version that the page showed: it is `stale` when the session has
changed since.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from companion import games
from companion.errors import BadHeader, Refusal
from companion.referee.messages import (
    Answer,
    Asked,
    Authorised,
    Begin,
    Begun,
    Confirm,
    Correct,
    Corrected,
    Do,
    Evidence,
    Moved,
    Next,
    Notice,
    Noticed,
    Propose,
    Proposed,
    Redo,
    Redone,
    Reject,
    SessionEvent,
    Undo,
    Undone,
    Withdrawn,
)
from companion.referee.moves import Amendment, Line, Move, amendment, corrected, extended, known_fields
from companion.rules.engine import Command, Event, Game, Header
from companion.rules.fields import malformed
from companion.rules.limits import is_writable

PRESS_GAP_S = 0.3
_ANSWERS_KEPT = 512
"""Answers kept by idempotency key; a request is repeated within seconds."""
_log = logging.getLogger(__name__)


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A command read by the camera, waiting for a person.

    Attributes:
        version: of the session when it was proposed, or when its assessment last changed.
        events: what confirming it would cause; empty when the rules refuse it.
        refusal: ``{"code", "message", ...}`` when the rules refuse it, else None.
        confidence: 0..1, None without a picture. The picture is in `Referee.proposal_evidence`.
    """

    version: int
    command: Command
    events: tuple[Event, ...]
    refusal: dict[str, Any] | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A move that was taken back, and the state after it."""

    move: Move
    state: Any


@dataclass(frozen=True, slots=True)
class Session:
    """The table at one version.

    Attributes:
        version: increases with every event and is never used twice, not even by the next run of the program.
        state: the game's own state.
        past: the states before each move, the earliest first.
        moves: the current moves, in order.
        done: the line before each change that can be undone, the earliest first; None where it was a move, which is
            undone without: a line for each move would grow with the square of their number.
        undone: the line before each undo that can be redone, or the move alone, the earliest first.
        amendments: every change of earlier moves, the earliest first.
        notices: the current notices by code.
        state_version: the version of the last move, undo or beginning.
        changed_at_s: when the state or the proposal last changed, on the clock that stamps messages.
        press_gap_s: for how long after a change a press at the table counts as a bounce.
        answered: the first answer to each of the latest idempotency keys.
    """

    version: int
    header: Header
    game: Game
    state: Any
    past: tuple[Any, ...] = ()
    moves: tuple[Move, ...] = ()
    done: tuple[Line | None, ...] = field(default=(), repr=False)
    undone: tuple[Line | TakenBack, ...] = field(default=(), repr=False)
    amendments: tuple[Amendment, ...] = field(default=(), repr=False)
    proposal: Proposal | None = None
    notices: Mapping[str, Notice] = field(default_factory=_empty)
    state_version: int = 0
    changed_at_s: float = float("-inf")
    press_gap_s: float = PRESS_GAP_S
    answered: Mapping[str, Answer] = field(default_factory=_empty, repr=False)

    @property
    def can_undo(self) -> bool:
        """Whether a change can be undone."""
        return bool(self.done)

    @property
    def can_redo(self) -> bool:
        """Whether an undone change can be redone."""
        return bool(self.undone)

    @property
    def line(self) -> Line:
        """The moves with their states."""
        return Line(self.state, self.past, self.moves)


def decide(session: Session, asked: Asked) -> tuple[SessionEvent, ...]:
    """The events that a message causes; empty when it changes nothing.

    Raises:
        Refusal: by the rules of the game, or `stale`, `nothing-waiting`, `nothing-to-undo`, `nothing-to-redo`,
            `nothing-next`, or what `corrected` raises.
        BadHeader: the header of a `Begin` does not describe a game.
    """
    message = asked.message
    if isinstance(message, Confirm | Reject | Undo | Next) and message.version is None and _bounces(session, asked):
        return ()
    match message:
        case Do(command, key, version):
            if version is not None and _is_on_turn(session, command):
                _require_fresh(session, version, session.state_version)
            return (_move(session, asked, command, key),)
        case Propose(command, evidence):
            return _propose(session, asked, command, evidence)
        case Confirm():
            return (_move(session, asked, _require_proposal(session, message).command),)
        case Reject():
            _require_proposal(session, message)
            return (Withdrawn(asked.at_s, rejected=True),)
        case Undo():
            return (_undo(session, asked, message),)
        case Redo():
            return (_redo(session, asked, message),)
        case Correct(asked_change, version, by):
            _require_fresh(session, version, session.state_version)
            commands = tuple(known_fields(session.game, command) for command in asked_change.commands)
            change = replace(asked_change, commands=commands)
            line = corrected(session.game, session.line, change, asked.when)
            for command in commands:
                _require_writable(command)
            return (Corrected(change, line, asked.when, asked.at_s, by),)
        case Next():
            _require_fresh(session, message.version, session.state_version)
            return (_next(session, asked, message.authorised),)
        case Begin(header, version):
            _require_fresh(session, version, session.state_version)
            games.game(header.game).rules.start(header)
            if not is_writable(header.as_json()):
                raise BadHeader("the header holds half a character, which cannot be written")
            return (Begun(header, asked.when, asked.at_s),)
        case Notice():
            return (Noticed(message),) if _is_new(session, message) else ()


def evolve(session: Session, event: SessionEvent) -> Session:
    """The session after an event, one version on. Never fails."""
    session = replace(session, version=session.version + 1)
    match event:
        case Begun(header, _, at_s):
            return replace(begin(header, session.version, session), changed_at_s=at_s)
        case Moved():
            return _after_move(session, event)
        case Undone() | Redone() | Corrected():
            return _after_amendment(session, event)
        case Proposed(command, evidence, at_s):
            proposal = _assess(session, command, evidence.confidence if evidence else None)
            return replace(session, proposal=proposal, changed_at_s=at_s)
        case Withdrawn(at_s, _):
            return replace(session, proposal=None, changed_at_s=at_s)
        case Noticed(notice):
            others = {code: other for code, other in session.notices.items() if code != notice.code}
            shown = {} if notice.text is None else {notice.code: notice}
            return replace(session, notices=MappingProxyType(others | shown))


def settles(command: Command, proposed: Command) -> bool:
    """Whether a move is the proposed one, or the same player's correction of it."""
    return all(proposed.get(f) == command.get(f) for f in ("cmd", "player"))


def begin(header: Header, version: int, before: Session | None = None) -> Session:
    """A session at the beginning of a game, with the notices, the press gap and the answers of the one ``before``.

    Raises:
        BadHeader: the game does not take the header's options.
    """
    game = games.game(header.game).rules
    fresh = Session(version, header, game, game.start(header), state_version=version)
    if before is None:
        return fresh
    return replace(fresh, notices=before.notices, press_gap_s=before.press_gap_s, answered=before.answered)


def fault(error: Exception) -> Refusal:
    """The refusal for a bug in the rules; logs the traceback."""
    _log.error("deciding failed, nothing has changed", exc_info=error)
    return Refusal("fault", "The program made a mistake over this; nothing has changed. The table goes on.")


def _bounces(session: Session, asked: Asked) -> bool:
    return asked.at_s - session.changed_at_s < session.press_gap_s


def _move(session: Session, asked: Asked, command: Command, key: str | None = None) -> Moved:
    if not isinstance(command, Mapping):
        raise malformed("a command is a JSON object")
    command = known_fields(session.game, command)
    state, events = session.game.apply(session.state, command)
    _require_writable(command)
    return Moved(command, events, state, asked.when, asked.at_s, key)


def _require_writable(command: Command) -> None:
    """Refuse a command that no page and no hall could be told of, though the rules look past what is wrong with it."""
    if not is_writable(dict(command)):
        raise malformed("the command holds half a character, which cannot be written")


def _is_on_turn(session: Session, command: Command) -> bool:
    turn = session.game.view(session.state)["turn"]
    return turn is not None and isinstance(command, Mapping) and command.get("player") == turn


def _next(session: Session, asked: Asked, authorised: Authorised | None) -> SessionEvent:
    command = session.game.next_step(session.state)
    if authorised is not None and session.game.view(session.state)["turn"] != authorised.player:
        raise _stale(session)
    if command is not None:
        return _move(session, asked, command)
    if session.game.view(session.state)["result"] is not None:
        return Begun(session.header, asked.when, asked.at_s)
    raise Refusal("nothing-next", "There is nothing to move on to; the table waits for a move.")


def _propose(
    session: Session, asked: Asked, command: Command | None, evidence: Evidence | None
) -> tuple[SessionEvent, ...]:
    waiting = session.proposal.command if session.proposal else None
    if command == waiting:
        return ()
    if command is None:
        return (Withdrawn(asked.at_s, rejected=False),)
    return (Proposed(command, evidence, asked.at_s),)


def _require_proposal(session: Session, message: Confirm | Reject) -> Proposal:
    since = session.proposal.version if session.proposal else session.state_version
    _require_fresh(session, message.version, since)
    if session.proposal is None:
        raise Refusal("nothing-waiting", "Nothing is waiting to be confirmed.")
    authorised = message.authorised
    if authorised is not None and session.proposal.command.get("player") not in (None, authorised.player):
        raise _stale(session)
    return session.proposal


def _undo(session: Session, asked: Asked, message: Undo) -> Undone:
    _require_fresh(session, message.version, session.state_version)
    if not session.can_undo:
        raise Refusal("nothing-to-undo", "There is no move to take back.")
    move = session.moves[-1] if session.moves and _line_before(session).moves == session.moves[:-1] else None
    return Undone(move, asked.when, asked.at_s, message.by)


def _redo(session: Session, asked: Asked, message: Redo) -> Redone:
    _require_fresh(session, message.version, session.state_version)
    if not session.can_redo:
        raise Refusal("nothing-to-redo", "Nothing was taken back that could be done again.")
    return Redone(asked.when, asked.at_s, message.by)


def _require_fresh(session: Session, version: int | None, since: int) -> None:
    if version is not None and not since <= version <= session.version:
        raise _stale(session)


def _stale(session: Session) -> Refusal:
    return Refusal("stale", "The table has changed since; look again.", version=session.version)


def _is_new(session: Session, notice: Notice) -> bool:
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
        done=(*session.done, None),
        undone=(),
        proposal=None if session.proposal and settles(moved.command, session.proposal.command) else session.proposal,
        answered=answered,
    )
    return _reassess_proposal(after, moved.at_s)


def _after_amendment(session: Session, event: Undone | Redone | Corrected) -> Session:
    before, done, undone = session.line, session.done, session.undone
    match event:
        case Undone():
            taken = TakenBack(before.moves[-1], before.state) if done[-1] is None else before
            did, line, done, undone = "undo", _line_before(session), done[:-1], (*undone, taken)
        case Redone():
            did, again, undone = "redo", undone[-1], undone[:-1]
            if isinstance(again, TakenBack):
                line, done = extended(before, again.state, again.move), (*done, None)
            else:
                line, done = again, (*done, before)
        case Corrected():
            did, line, done, undone = "correct", event.line, (*done, before), ()
    changed = amendment(before, line, session.version, did, event.by, event.when)
    after = replace(
        session,
        state=line.state,
        past=line.past,
        moves=line.moves,
        done=done,
        undone=undone,
        amendments=(*session.amendments, changed),
    )
    return _reassess_proposal(after, event.at_s)


def _line_before(session: Session) -> Line:
    """The line before the last change that can be undone."""
    before = session.done[-1]
    return session.line.before(len(session.moves)) if before is None else before


def _reassess_proposal(session: Session, at_s: float) -> Session:
    """The session after a change of its state, its proposal assessed again by the rules."""
    proposal = session.proposal
    if proposal is not None:
        proposal = _assess(session, proposal.command, proposal.confidence)
    return replace(session, proposal=proposal, state_version=session.version, changed_at_s=at_s)


def _assess(session: Session, command: Command, confidence: float | None) -> Proposal:
    try:
        _, events = session.game.apply(session.state, command)
    except Refusal as refusal:
        return Proposal(session.version, command, (), refusal.as_json(), confidence)
    except Exception as error:  # noqa: BLE001 - a bug in a game's rules must not end the table
        return Proposal(session.version, command, (), fault(error).as_json(), confidence)
    return Proposal(session.version, command, events, None, confidence)
