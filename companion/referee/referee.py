"""The referee: one thread that owns the session and the journal. Decide, write, let it happen, tell; in that order.

Anyone may ask from any thread. A refusal goes back to whoever asked and is told to those listening; it is not stored.
A failure to write refuses the move. An unexpected exception while deciding is logged and refused as a `fault`: nothing
has changed. Any later one is a bug that leaves the session unsure: the process ends, and the journal brings the table
back when it is started again.
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
from companion.referee.journal import Journal, Reopened
from companion.referee.messages import Answer, Do, Evidence, FeedEntry, Message, Notice, Propose
from companion.referee.pictures import MOST_BYTES
from companion.referee.session import PRESS_GAP_S, Session, begin, decide, evolve, fault
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
from companion.rules.engine import Header

QUEUE = 1024
ANSWER_WITHIN_S = 5.0
CHECK_EVERY_S = 1.0
_CLOCK_BACK_S = 2.0
_SAID_FOR_S = 60.0
BUG_EXIT_STATUS = 70


def wall_clock() -> str:
    """Now, for people: ISO 8601 with its offset, to the second."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def clock_drift() -> float:
    """The wall clock less one that never jumps, in seconds: it changes when somebody sets the clock."""
    return time.time() - time.monotonic()


def end_process() -> None:
    """Say what the bug was and end at once, whatever other threads do."""
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(BUG_EXIT_STATUS)


@dataclass(frozen=True, slots=True)
class _Letter:
    asked: Asked
    reply: "Future[Answer] | None"


class Referee:
    """One table's referee. `start` it, `ask` it, look at its `latest` session, listen to its `feed`, `stop` it."""

    def __init__(
        self,
        journal: Journal,
        session: Session,
        *,
        asked_header: Header | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], str] = wall_clock,
        on_bug: Callable[[], None] = end_process,
        look_every_s: float = CHECK_EVERY_S,
        drift: Callable[[], float] = clock_drift,
    ) -> None:
        """A referee of a session that ``journal`` has begun or reopened; see `open_table`.

        Args:
            asked_header: what the settings asked for; written with each game begun, so that a restart knows.
            clock: never jumps; stamps messages.
            wall: the time for people.
            on_bug: ends the process; called with the exception at hand.
            look_every_s: how often the journal's file and the wall clock are looked at.
            drift: see `clock_drift`.
        """
        self._journal = journal
        self._session = session
        self._asked_header = asked_header
        self._clock = clock
        self._wall = wall
        self._on_bug = on_bug
        self._look_every_s = look_every_s
        self._drift = drift
        self._last_drift_s = drift()
        self._clock_back: tuple[str | None, float] = (None, 0.0)
        self._looked_s = time.monotonic()
        self._picture: Evidence | None = None
        self._letters: Queue[_Letter | None] = Queue(QUEUE)
        self._thread = threading.Thread(target=self._run, name="referee", daemon=True)
        self._is_closing = False
        self.feed = Feed(FeedEntry(session.version, "state", {"because": "resumed"}, session))

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer what has been asked so far, then end the feed and let go of the data folder. Twice is harmless."""
        self._is_closing = True
        if self._thread.is_alive():
            self._letters.put(None)
            self._thread.join()
        self.feed.close()
        self._journal.close()

    def ask(self, message: Message, timeout: float = ANSWER_WITHIN_S) -> Answer:
        """Ask and wait for what came of it. Any thread but the referee's own.

        Raises:
            Refusal: it may not be; nothing has changed.
            CompanionError: a bad header, a journal that cannot be written, or a referee too busy or gone.
        """
        reply: Future[Answer] = Future()
        self._post(message, reply)
        try:
            return reply.result(timeout)
        except NoAnswer:
            raise TableError(f"the referee did not answer within {timeout:g} s", code="busy") from None

    def notify(self, message: Message) -> None:
        """Ask without waiting; a refusal is heard on the feed only. Raises `TableError` when busy or closing."""
        self._post(message, None)

    def latest(self) -> Session:
        """The session as it is now. Costs nothing and never waits."""
        return self._session

    def evidence(self, number: int) -> bytes | None:
        """The picture that a move was read from, as it was kept; None when there is no such move or picture.

        Raises:
            JournalError: the picture was kept and cannot be read any more.
        """
        moves = self._session.moves
        kept = moves[number - 1].evidence if 1 <= number <= len(moves) else None
        return None if kept is None else self._journal.picture(kept)

    @property
    def games(self) -> Path:
        """The folder of the table's games, this one and those before."""
        return self._journal.folder.games

    def proposal_evidence(self) -> bytes | None:
        """The picture that the waiting proposal was read from, a JPEG file's bytes."""
        picture = self._picture
        return None if picture is None else picture.jpeg

    def health(self) -> dict[str, Any]:
        """``{"ok", "version", "waiting", "journal": {"ok", "file", "lines", "error"}}``."""
        journal = self._journal.health()
        is_well = self._thread.is_alive() and not self._is_closing and bool(journal["ok"])
        return {"ok": is_well, "version": self._session.version, "waiting": self._letters.qsize(), "journal": journal}

    def _post(self, message: Message, reply: "Future[Answer] | None") -> None:
        if self._is_closing:
            raise _closing()
        try:
            self._letters.put_nowait(_Letter(Asked(message, self._clock(), self._wall()), reply))
        except Full:
            raise TableError("the referee is too busy", code="busy") from None

    def _run(self) -> None:
        try:
            while (letter := self._next_letter()) is not None:
                self._open(letter)
            self._turn_away_the_rest()
        except BaseException:  # noqa: BLE001 - whatever it is, nobody else would end the process for it
            self._on_bug()

    def _next_letter(self) -> _Letter | None:
        while True:
            if time.monotonic() - self._looked_s >= self._look_every_s:
                self._check()
            try:
                return self._letters.get(timeout=self._look_every_s)
            except Empty:
                continue

    def _check(self) -> None:
        """Say what has become of the journal's file and of the clock, and take it back when it is mended."""
        self._looked_s = time.monotonic()
        for code, text in (("journal-lost", self._journal.check()), ("clock-back", self._clock_trouble())):
            known = self._session.notices.get(code)
            if text != (known.text if known else None):
                self._let_happen(Noticed(Notice(code, text)))

    def _clock_trouble(self) -> str | None:
        drift_s, now_s = self._drift(), time.monotonic()
        back_s, self._last_drift_s = self._last_drift_s - drift_s, drift_s
        if back_s > _CLOCK_BACK_S:
            text = f"The clock was set back by {back_s:.0f} s: the times of the moves around now are not right."
            self._clock_back = (text, now_s + _SAID_FOR_S)
        text_now, until_s = self._clock_back
        return text_now if now_s < until_s else None

    def _open(self, letter: _Letter) -> None:
        try:
            answer = self._answer(letter.asked)
        except CompanionError as error:
            self._refuse(letter, error)
        else:
            if letter.reply:
                letter.reply.set_result(answer)

    def _turn_away_the_rest(self) -> None:
        while not self._letters.empty():
            letter = self._letters.get_nowait()
            if letter is not None and letter.reply:
                letter.reply.set_exception(_closing())

    def _answer(self, asked: Asked) -> Answer:
        message = asked.message
        if isinstance(message, Do) and message.key is not None and message.key in self._session.answered:
            return self._session.answered[message.key]
        events: tuple[Any, ...] = ()
        for happening in self._decided(asked):
            events += self._let_happen(happening)
        return Answer(self._session.version, events)

    def _decided(self, asked: Asked) -> tuple[SessionEvent, ...]:
        try:
            return decide(self._session, asked)
        except CompanionError:
            raise
        except Exception as error:
            raise fault(error) from error

    def _let_happen(self, happening: SessionEvent) -> tuple[Any, ...]:
        written = self._write(happening)
        picture = self._picture_after(written)
        self._session = evolve(self._session, written)
        self._picture = picture if self._session.proposal else None
        self.feed.notify(_feed_entry(written, self._session))
        return written.events if isinstance(written, Moved) else ()

    def _write(self, happening: SessionEvent) -> SessionEvent:
        """Bring it to the disk, where it belongs there; what happens is then what was written."""
        version = self._session.version + 1
        match happening:
            case Moved():
                happening = self._with_picture(happening)
                self._journal.moved(happening, version)
            case Undone():
                self._journal.undone(happening, version)
            case Redone():
                self._journal.redone(happening, version)
            case Corrected():
                self._journal.corrected(happening, version)
            case Begun(header, when):
                self._journal.begin(header, version, when, self._asked_header)
        return happening

    def _with_picture(self, moved: Moved) -> Moved:
        waiting = self._session.proposal
        if self._picture is None or waiting is None or waiting.command != moved.command:
            return moved
        kept = self._journal.keep(self._picture.jpeg, self._picture.confidence)
        return replace(moved, evidence=replace(kept, chances=list(self._picture.chances)))

    def _picture_after(self, happening: SessionEvent) -> Evidence | None:
        return happening.evidence if isinstance(happening, Proposed) else self._picture

    def _refuse(self, letter: _Letter, error: CompanionError) -> None:
        if not isinstance(letter.asked.message, Propose | Notice):
            session = self._session
            self.feed.notify(FeedEntry(session.version, "announcement", {"refused": error.as_json()}, session))
        if letter.reply:
            letter.reply.set_exception(error)


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
    look_every_s: float = CHECK_EVERY_S,
    drift: Callable[[], float] = clock_drift,
) -> Referee:
    """A referee, not yet started, on a data folder: of the newest game there, or of a new one.

    The newest game goes on, also one that is over, unless the settings now ask for another than they did when it was
    begun.

    Args:
        asked: the game that the settings ask for; None when they ask for none.
        default: the game to begin when there is none and none is asked for.
        most_picture_bytes: how much the kept pictures may take; the oldest make room.

    Raises:
        JournalError: the folder is in use or cannot be written, or its newest journal does not read back.
        BadHeader: the header does not describe a game.
    """
    journal = Journal(data, most_picture_bytes)
    try:
        reopened = journal.reopen(wall())
        if reopened is None:
            session = _begun(journal, 1, asked or default, asked, wall)
        elif asked is not None and asked != reopened.asked:
            session = _begun(journal, reopened.session.version + 1, asked, asked, wall)
        else:
            session = _resumed(reopened)
    except CompanionError:
        journal.close()
        raise
    session = replace(session, press_gap_s=press_gap_s)
    return Referee(
        journal,
        session,
        asked_header=asked,
        clock=clock,
        wall=wall,
        on_bug=on_bug,
        look_every_s=look_every_s,
        drift=drift,
    )


def _begun(journal: Journal, version: int, header: Header, asked: Header | None, wall: Callable[[], str]) -> Session:
    session = begin(header, version)
    journal.begin(header, version, wall(), asked)
    return session


def _resumed(reopened: Reopened) -> Session:
    if not reopened.torn:
        return reopened.session
    text = f"The table stopped suddenly: {reopened.torn} bytes of an unfinished entry were cut off the journal."
    return evolve(reopened.session, Noticed(Notice("journal-torn", text)))


def _closing() -> TableError:
    return TableError("the table is closing", code="closing")


def _feed_entry(happening: SessionEvent, session: Session) -> FeedEntry:
    because: dict[str, Any]
    match happening:
        case Moved(command, events):
            because = {"because": "moved", "move": len(session.moves), "command": command, "events": events}
        case Undone(move):
            because = {"because": "undone"}
            if move is not None:
                because |= {"move": move.number, "command": move.command, "events": move.events}
        case Redone():
            because = {"because": "redone"}
        case Corrected(change):
            because = {"because": "corrected", "at": change.at}
        case Proposed():
            because = {"because": "proposed"}
        case Withdrawn(_, rejected):
            because = {"because": "rejected" if rejected else "withdrawn"}
        case Begun():
            because = {"because": "begun"}
        case Noticed(notice):
            data = {"code": notice.code, "text": notice.text, "at": notice.at}
            return FeedEntry(session.version, "notice", data, session)
    return FeedEntry(session.version, "state", because, session)
