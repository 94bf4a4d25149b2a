"""Sends an outbox in order with a window, and again from the last position that the hub keeps when nothing comes back.

An outbox is the journals of a table, read without disturbing who writes them. Go-back-N over at-least-once delivery:
the hub keeps each line once, whatever arrives twice.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeVar

from companion.hub.messages import MAX_LINE, Entry, Position, decode, read_position
from companion.referee.folder import journals
from companion.referee.lines import Damaged, body

Item = TypeVar("Item")

WINDOW = 256
"""So many lines are under way at most; what is beyond stays on the disk."""
_PATIENCE_S = (5.0, 60.0)
"""How long without an answer until everything is sent again; each time in vain, twice as long."""
Written = Callable[[], tuple[str, int]]
"""The journal that is being written, and how many of its lines are on the disk."""


def drain(inbox: "Queue[Item] | SimpleQueue[Item]") -> Iterator[Item]:
    """What waits in a queue, until it is empty."""
    while True:
        try:
            yield inbox.get_nowait()
        except Empty:
            return


class Outbox(Protocol):
    """Lines in their order."""

    def seek(self, position: Position | None) -> None:
        """Go on after a position; from the first of all when it is None or unknown."""

    def read(self, limit: int) -> list[Entry]:
        """The next ones, ``limit`` at most."""


class Sender:
    """Says what is to be sent now. Used by one thread."""

    def __init__(self, outbox: Outbox, publish: Callable[[Entry], bool], clock: Callable[[], float]) -> None:
        """A sender that sends nothing until it is told where the hub stands, by `rewind`.

        Args:
            publish: hands one line over to the connection; False when it does not take it.
            clock: seconds that never go back.
        """
        self._outbox = outbox
        self._publish = publish
        self._clock = clock
        self._under_way: deque[Position] = deque()
        self._kept: Position | None = None
        self._newest: Position | None = None
        self._is_synchronised = False
        self._is_dry = False
        self._heard_s = 0.0
        self._patience_s = _PATIENCE_S[0]

    @property
    def newest(self) -> Position | None:
        """The last line sent."""
        return self._newest

    @property
    def is_waiting(self) -> bool:
        """Whether lines are under way that the hub has not yet said to keep."""
        return bool(self._under_way)

    def rewind(self, position: Position | None) -> None:
        """The hub keeps what is up to a position, and nothing beyond: go on from there."""
        self._kept, self._is_synchronised = position, True
        self._patience_s = _PATIENCE_S[0]
        self._restart()

    def keep(self, position: Position) -> None:
        """The hub now keeps what is up to a position."""
        if position not in self._under_way:
            return
        while self._under_way.popleft() != position:
            pass
        self._kept = position
        self._heard_s, self._patience_s = self._clock(), _PATIENCE_S[0]

    def hear(self, data: bytes, birth: str) -> None:
        """Take in a message that says where the hub stands; with our ``birth`` it answers our coming.

        Raises:
            Unreadable: it is none.
        """
        message = decode(data)
        position = read_position(message)
        if message.get("birth") == birth:
            self.rewind(position)
        elif position is not None:
            self.keep(position)

    def notice(self) -> None:
        """There may be something new in the outbox."""
        self._is_dry = False

    def pause(self) -> None:
        """Send nothing until the hub says anew where it stands: the connection is lost."""
        self._is_synchronised = False

    def send(self) -> int:
        """Send what may be sent now; how many lines that were."""
        if not self._is_synchronised:
            return 0
        if self._under_way and self._clock() - self._heard_s > self._patience_s:
            self._patience_s = min(2 * self._patience_s, _PATIENCE_S[1])
            self._restart()
        room = WINDOW - len(self._under_way)
        entries = self._outbox.read(room) if room and not self._is_dry else []
        self._is_dry = len(entries) < room
        for entry in entries:
            if not self._publish(entry):
                self._restart()
                break
            if not self._under_way:
                self._heard_s = self._clock()
            self._under_way.append(entry.position)
            self._newest = entry.position
        return len(entries)

    def _restart(self) -> None:
        self._under_way.clear()
        self._is_dry = False
        self._heard_s = self._clock()
        self._outbox.seek(self._kept)


class JournalOutbox:
    """The lines of a folder of games from a place on. Used by one thread; the journals belong to the referee's."""

    def __init__(self, games: Path, written: Written | None = None) -> None:
        """The outbox of a folder.

        Args:
            written: nothing beyond it is read, for a line not yet on the disk may come to be another; None where
                nobody writes.
        """
        self._games = games
        self._written = written
        self._place = _Place()
        self.damaged: str | None = None
        """What could not be read, for people; the rest of that game is left out."""

    def seek(self, position: Position | None) -> None:
        """Go on after a position; from the first line of all where there is no such game.

        A game that has fewer lines than the position says (an older copy was restored) is read from its beginning.
        """
        self._place = _Place()
        if position is None:
            return
        before: Position | None = None
        for path in journals(self._games):
            places = list(_lines(path))
            if places and places[0].position.game == position.game:
                if position.line <= len(places):
                    there = places[position.line - 1]
                    self._place = _Place(path, position, there.end, position)
                else:
                    self._place = _Place(path, last=before)
                return
            before = places[-1].position if places else before

    def read(self, limit: int) -> list[Entry]:
        """The next lines, ``limit`` at most; none when all that is on the disk has been read.

        Where the game that was being read has been deleted, all others come, from the first one on.
        """
        if self._place.path is not None and not self._place.path.exists():
            self._place = _Place()
        entries: list[Entry] = []
        while len(entries) < limit:
            on_disk = self._on_disk()
            following = self._following() if on_disk is None else None  # the journal that is written is the last
            if self._place.path is not None:
                most = float("inf") if on_disk is None else on_disk
                entries += self._read_on(self._place.path, limit - len(entries), most)
            if following is None:
                break
            if len(entries) < limit:
                self._place = _Place(following, last=self._place.last)
        return entries

    def _read_on(self, path: Path, limit: int, most: float) -> list[Entry]:
        found: list[Entry] = []
        for line in _lines(path, self._place, self._note):
            if len(found) == limit or line.position.line > most:
                break
            found.append(Entry(line.position, self._place.last, line.body))
            self._place = _Place(path, line.position, line.end, line.position)
        return found

    def _on_disk(self) -> int | None:
        """How many lines of the journal that is read are on the disk, while it is written; None where it is not."""
        if self._written is None:
            return None
        file, lines = self._written()
        return lines if Path(file) == self._place.path else None

    def _following(self) -> Path | None:
        paths = journals(self._games)
        at = paths.index(self._place.path) + 1 if self._place.path in paths else 0
        return paths[at] if at < len(paths) else None

    def _note(self, what: str) -> None:
        self.damaged = what


class _Place(NamedTuple):
    """Where reading goes on: in which file, after which of its lines, at which byte; and the last line read of all."""

    path: Path | None = None
    position: Position | None = None
    offset: int = 0
    last: Position | None = None


class _Line(NamedTuple):
    position: Position
    end: int
    body: Mapping[str, Any]


def _lines(path: Path, place: _Place | None = None, note: Callable[[str], None] | None = None) -> Iterator[_Line]:
    """The whole lines of a journal, after a place, as far as a hub follows a game.

    A line that is being written has no end yet and ends the reading.
    """
    offset = place.offset if place else 0
    game, number = (place.position.game, place.position.line) if place and place.position else ("", 0)
    with path.open("rb") as file:
        file.seek(offset)
        while number + 1 < MAX_LINE and (text := file.readline()).endswith(b"\n"):
            number += 1
            try:
                content = body(text, number)
            except Damaged as damage:
                if note is not None:
                    note(f"{path.name}, line {number}: {damage}")
                return
            if number == 1:
                game = f"{int(path.stem):04}-{text.rstrip()[-10:-2].decode()}"
            offset += len(text)
            yield _Line(Position(game, number), offset, content)
