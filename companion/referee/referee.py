"""The referee: one thread that owns the session and the journal. Decide, journal, evolve, publish; in that order.

Any thread may ask. A refusal is returned to the caller and published; it is not stored. A move that cannot be written
is refused. An unexpected exception in `decide` is logged and refused as a `fault`; the session is unchanged. A later
exception leaves the session unsure: the process exits, and the next start replays the journal.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any

from companion.errors import CompanionError, TableError
from companion.referee.feed import Feed
from companion.referee.folder import MOST_BYTES
from companion.referee.journal import Journal, Reopened
from companion.referee.messages import (
    Answer,
    Asked,
    Begun,
    Corrected,
    Do,
    Evidence,
    FeedEntry,
    Message,
    Moved,
    Notice,
    Noticed,
    Propose,
    Proposed,
    Redone,
    SessionEvent,
    Undone,
    Withdrawn,
)
from companion.referee.session import PRESS_GAP_S, Session, begin, decide, evolve, fault
from companion.rules.engine import Header

QUEUE = 1024
ANSWER_WITHIN_S = 5.0
CHECK_EVERY_S = 1.0
_CLOCK_BACK_S = 2.0
_CLOCK_NOTICE_S = 60.0
BUG_EXIT_STATUS = 70


def wall_clock() -> str:
    """The current time, ISO 8601 with offset, to the second."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def clock_drift() -> float:
    """The wall clock minus the monotonic clock, in seconds: it changes when somebody sets the clock."""
    return time.time() - time.monotonic()


def end_process() -> None:
    """Print the traceback and exit at once, whatever other threads do."""
    try:
        traceback.print_exc()
        if sys.stderr is not None:
            sys.stderr.flush()
    finally:  # also where the log's disk is full
        os._exit(BUG_EXIT_STATUS)


@dataclass(frozen=True, slots=True)
class _Request:
    asked: Asked
    reply: "Future[Answer] | None"


class Referee:
    """One table's referee: `start`, `ask`, read the `latest` session, subscribe to its `feed`, `stop`."""

    def __init__(
        self,
        journal: Journal,
        session: Session,
        *,
        asked_header: Header | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], str] = wall_clock,
        on_bug: Callable[[], None] = end_process,
        check_every_s: float = CHECK_EVERY_S,
        drift: Callable[[], float] = clock_drift,
    ) -> None:
        """A referee of a session that ``journal`` has begun or reopened; see `open_table`.

        Args:
            asked_header: the header in the settings; journalled with each game, so that a restart can compare.
            clock: monotonic; stamps messages.
            wall: the time for people.
            on_bug: ends the process; called while the exception is handled.
            check_every_s: how often the journal's file and the wall clock are checked.
            drift: see `clock_drift`.
        """
        self._journal = journal
        self._session = session
        self._asked_header = asked_header
        self._clock = clock
        self._wall = wall
        self._on_bug = on_bug
        self._check_every_s = check_every_s
        self._drift = drift
        self._last_drift_s = drift()
        self._clock_back: tuple[str | None, float] = (None, 0.0)
        self._checked_s = time.monotonic()
        self._evidence: Evidence | None = None
        self._requests: Queue[_Request | None] = Queue(QUEUE)
        self._thread = threading.Thread(target=self._run, name="referee", daemon=True)
        self._is_closing = False
        self.feed = Feed(FeedEntry(session.version, "state", {"because": "resumed"}, session))

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Answer the requests so far, then close the feed and the journal. Idempotent."""
        self._is_closing = True
        if self._thread.is_alive():
            self._requests.put(None)
            self._thread.join()
        self.feed.close()
        self._journal.close()

    def ask(self, message: Message, timeout: float = ANSWER_WITHIN_S) -> Answer:
        """Send a message and wait for the answer. Any thread but the referee's own.

        Raises:
            Refusal: the message is refused; nothing has changed.
            CompanionError: a bad header, a journal that cannot be written, or a referee that is busy or closed.
        """
        reply: Future[Answer] = Future()
        self._post(message, reply)
        try:
            return reply.result(timeout)
        except NoAnswer:
            raise TableError(f"the referee did not answer within {timeout:g} s", code="busy") from None

    def notify(self, message: Message) -> None:
        """Send a message without waiting; a refusal is only published. Raises `TableError` when busy or closing."""
        self._post(message, None)

    def latest(self) -> Session:
        """The current session. Never blocks."""
        return self._session

    def evidence(self, number: int) -> bytes | None:
        """The stored picture of a move; None when there is no such move or picture.

        Raises:
            JournalError: the stored picture cannot be read any more.
        """
        moves = self._session.moves
        kept = moves[number - 1].evidence if 1 <= number <= len(moves) else None
        return None if kept is None else self._journal.picture(kept)

    @property
    def games(self) -> Path:
        """The folder of the table's games."""
        return self._journal.folder.games

    def proposal_evidence(self) -> bytes | None:
        """The waiting proposal's picture, a JPEG file's bytes."""
        evidence = self._evidence
        return None if evidence is None else evidence.jpeg

    def health(self) -> dict[str, Any]:
        """``{"ok", "version", "waiting", "journal": {"ok", "file", "lines", "error"}}``."""
        journal = self._journal.health()
        is_ok = self._thread.is_alive() and not self._is_closing and bool(journal["ok"])
        return {"ok": is_ok, "version": self._session.version, "waiting": self._requests.qsize(), "journal": journal}

    def _post(self, message: Message, reply: "Future[Answer] | None") -> None:
        if self._is_closing:
            raise _closing()
        try:
            self._requests.put_nowait(_Request(Asked(message, self._clock(), self._wall()), reply))
        except Full:
            raise TableError("the referee is too busy", code="busy") from None

    def _run(self) -> None:
        try:
            while (request := self._next_request()) is not None:
                self._handle(request)
            self._refuse_pending()
        except BaseException:  # noqa: BLE001 - the session may be inconsistent: the process must exit
            self._on_bug()

    def _next_request(self) -> _Request | None:
        while True:
            if (left_s := self._checked_s + self._check_every_s - time.monotonic()) <= 0:
                self._check()
                left_s = self._check_every_s
            try:
                return self._requests.get(timeout=left_s)
            except Empty:
                continue

    def _check(self) -> None:
        """Raise and clear the notices about the journal's file and the wall clock."""
        self._checked_s = time.monotonic()
        for code, text in (("journal-lost", self._journal.check()), ("clock-back", self._clock_trouble())):
            known = self._session.notices.get(code)
            if text != (known.text if known else None):
                self._commit(Noticed(Notice(code, text)))

    def _clock_trouble(self) -> str | None:
        drift_s, now_s = self._drift(), time.monotonic()
        back_s, self._last_drift_s = self._last_drift_s - drift_s, drift_s
        if back_s > _CLOCK_BACK_S:
            text = f"The clock was set back by {back_s:.0f} s: the times of the moves around now are not right."
            self._clock_back = (text, now_s + _CLOCK_NOTICE_S)
        shown, until_s = self._clock_back
        return shown if now_s < until_s else None

    def _handle(self, request: _Request) -> None:
        try:
            answer = self._answer(request.asked)
        except CompanionError as error:
            self._refuse(request, error)
        else:
            if request.reply:
                request.reply.set_result(answer)

    def _refuse_pending(self) -> None:
        while not self._requests.empty():
            request = self._requests.get_nowait()
            if request is not None and request.reply:
                request.reply.set_exception(_closing())

    def _answer(self, asked: Asked) -> Answer:
        message = asked.message
        if isinstance(message, Do) and message.key is not None and message.key in self._session.answered:
            return self._session.answered[message.key]
        try:
            decided = decide(self._session, asked)
        except CompanionError:
            raise
        except Exception as error:
            raise fault(error) from error
        events: tuple[Any, ...] = ()
        for event in decided:
            events += self._commit(event)
        return Answer(self._session.version, events)

    def _commit(self, event: SessionEvent) -> tuple[Any, ...]:
        """Journal an event, evolve the session and publish it; return the game events of a move."""
        event = self._write(event)
        evidence = event.evidence if isinstance(event, Proposed) else self._evidence
        self._session = evolve(self._session, event)
        self._evidence = evidence if self._session.proposal else None
        self.feed.notify(_feed_entry(event, self._session))
        return event.events if isinstance(event, Moved) else ()

    def _write(self, event: SessionEvent) -> SessionEvent:
        """Journal an event of a kind that is journalled; return it as written, a move with its picture."""
        version = self._session.version + 1
        match event:
            case Moved():
                event = self._with_picture(event)
                self._journal.moved(event, version)
            case Undone():
                self._journal.undone(event, version)
            case Redone():
                self._journal.redone(event, version)
            case Corrected():
                self._journal.corrected(event, version)
            case Begun(header, when):
                self._journal.begin(header, version, when, self._asked_header)
        return event

    def _with_picture(self, moved: Moved) -> Moved:
        """A move that confirms the waiting proposal, with the proposal's picture stored."""
        proposal, evidence = self._session.proposal, self._evidence
        if evidence is None or proposal is None or proposal.command != moved.command:
            return moved
        kept = self._journal.keep(evidence.jpeg, evidence.confidence)
        return replace(moved, evidence=replace(kept, chances=list(evidence.chances)))

    def _refuse(self, request: _Request, error: CompanionError) -> None:
        if not isinstance(request.asked.message, Propose | Notice):
            session = self._session
            refused = {"refused": error.as_json(), "is_answered": request.reply is not None}
            self.feed.notify(FeedEntry(session.version, "announcement", refused, session))
        if request.reply:
            request.reply.set_exception(error)


def open_table(
    data: Path,
    asked: Header | None,
    default: Header,
    *,
    press_gap_s: float = PRESS_GAP_S,
    most_picture_bytes: int = MOST_BYTES,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], str] = wall_clock,
    on_bug: Callable[[], None] = end_process,
    check_every_s: float = CHECK_EVERY_S,
    drift: Callable[[], float] = clock_drift,
) -> Referee:
    """An unstarted referee on a data folder, with its newest game or a new one.

    The newest game continues, even when it is over, unless the settings' header has changed since it was begun.

    Args:
        asked: the header in the settings; None for none.
        default: the header of the game to begin when there is neither a game nor ``asked``.
        most_picture_bytes: limit of the stored pictures; beyond it the oldest are deleted.

    Raises:
        JournalError: the folder is in use or cannot be written, or its newest journal cannot be read.
        BadHeader: the header does not describe a game.
    """
    journal = Journal(data, most_picture_bytes)
    try:
        reopened = journal.reopen(wall())
        if reopened is None:
            session = _begin(journal, 1, asked or default, asked, wall)
        elif asked is not None and asked != reopened.asked:
            session = _begin(journal, reopened.session.version + 1, asked, asked, wall)
        else:
            session = _resume(reopened)
    except CompanionError:
        journal.close()
        raise
    return Referee(
        journal,
        replace(session, press_gap_s=press_gap_s),
        asked_header=asked,
        clock=clock,
        wall=wall,
        on_bug=on_bug,
        check_every_s=check_every_s,
        drift=drift,
    )


def _begin(journal: Journal, version: int, header: Header, asked: Header | None, wall: Callable[[], str]) -> Session:
    session = begin(header, version)
    journal.begin(header, version, wall(), asked)
    return session


def _resume(reopened: Reopened) -> Session:
    if not reopened.torn:
        return reopened.session
    text = f"The table stopped suddenly: {reopened.torn} bytes of an unfinished entry were cut off the journal."
    return evolve(reopened.session, Noticed(Notice("journal-torn", text)))


def _closing() -> TableError:
    return TableError("the table is closing", code="closing")


def _feed_entry(event: SessionEvent, session: Session) -> FeedEntry:
    data: dict[str, Any]
    match event:
        case Moved(command, events):
            data = {"because": "moved", "move": len(session.moves), "command": command, "events": events}
        case Undone(move):
            data = {"because": "undone"}
            if move is not None:
                data |= {"move": move.number, "command": move.command, "events": move.events}
        case Redone():
            data = {"because": "redone"}
        case Corrected(change):
            data = {"because": "corrected", "at": change.at}
        case Proposed():
            data = {"because": "proposed"}
        case Withdrawn(_, rejected):
            data = {"because": "rejected" if rejected else "withdrawn"}
        case Begun():
            data = {"because": "begun"}
        case Noticed(notice):
            data = {"code": notice.code, "text": notice.text, "at": notice.at}
            return FeedEntry(session.version, "notice", data, session)
    return FeedEntry(session.version, "state", data, session)
