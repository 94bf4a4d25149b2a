"""Takes in what the tables publish: lines into the store in batches, snapshots and presence into the hall.

A position is acknowledged only after its lines are on the disk, and a table resends what was not acknowledged: so
nothing is lost when the hub is killed, and nothing is stored twice when it comes back.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import Any

from companion.hub.hall import Hall
from companion.hub.messages import Address, Position, Unreadable, decode, encode, read_entry
from companion.hub.snapshot import read_snapshot
from companion.hub.store import Store, StoreAway, StoredEntry

MAX_BATCH = 500
_GATHER_S = 0.05
_MAX_WAITING_OF_A_TABLE = 512
"""Twice a table's window; what a table sends beyond that is rubbish, or comes again."""
_AFTER_A_FAILURE_S = 1.0
_MAX_PRESENCE_BYTES = 400

log = logging.getLogger(__name__)


Say = Callable[[Address, bytes], object]
"""Publishes the position that is kept of a table."""


@dataclass(slots=True)
class Counts:
    """What came in since the start."""

    lines: int = 0
    again: int = 0
    snapshots: int = 0
    dropped: int = 0
    unreadable: Counter[Address] = field(default_factory=Counter)


class Consumer:
    """One worker between the connection and the store. `hear` is called by the connection's thread."""

    def __init__(self, store: Store, halls: Iterable[Hall], notify: Say) -> None:
        """A consumer; each of ``halls`` is told every snapshot."""
        self._store = store
        self._halls = tuple(halls)
        self._publish = notify
        self._inbox: Queue[tuple[Address, str, bytes] | None] = Queue()
        self._waiting: Counter[Address] = Counter()
        self._births: dict[Address, str] = {}
        """Tables that have come and are to be told where the hub stands: they send nothing before."""
        self._lock = threading.Lock()
        self.counts = Counts()
        self._thread = threading.Thread(target=self._run, name="hub-consumer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Store what has come so far, and stop."""
        self._inbox.put(None)
        self._thread.join()

    def hear(self, address: Address, kind: str, payload: bytes) -> None:
        """Queue a message; never blocks. Each table has its own limit of waiting messages."""
        with self._lock:
            if self._waiting[address] >= _MAX_WAITING_OF_A_TABLE:
                self.counts.dropped += 1
                return
            self._waiting[address] += 1
        self._inbox.put((address, kind, payload))

    def _run(self) -> None:
        is_open = True
        while is_open:
            messages, is_open = self._batch()
            try:
                self._take(messages)
            except StoreAway as error:
                log.error("the store fails, %d messages are left to come again: %s", len(messages), error.__cause__)
                time.sleep(_AFTER_A_FAILURE_S)
            except Exception:  # a bug that a batch meets does not make the hub deaf
                log.exception("keeping %d messages meets a bug; they are left to come again", len(messages))
                time.sleep(_AFTER_A_FAILURE_S)

    def _batch(self) -> tuple[list[tuple[Address, str, bytes]], bool]:
        """The next messages, after waiting for the first and briefly for more; False once the consumer is stopped."""
        messages: list[tuple[Address, str, bytes]] = []
        first = self._inbox.get()
        time.sleep(_GATHER_S)
        while first is not None:
            messages.append(first)
            with self._lock:
                self._waiting[first[0]] -= 1
            if len(messages) == MAX_BATCH:
                return messages, True
            try:
                first = self._inbox.get_nowait()
            except Empty:
                return messages, True
        return messages, False

    def _take(self, messages: list[tuple[Address, str, bytes]]) -> None:
        batch: list[StoredEntry] = []
        for address, kind, payload in messages:
            try:
                if kind == "event":
                    batch.append((address, read_entry(payload)))
                elif kind == "snapshot":
                    self._show(address, read_snapshot(payload))
                elif kind == "presence" and (birth := self._meet(address, decode(payload, _MAX_PRESENCE_BYTES))):
                    self._births[address] = birth
            except Unreadable as error:
                self._doubt(address, error)
            except Exception:  # a bug that one table's message meets does not end the hall
                log.exception("what %s says meets a bug", address.topic(kind))
        if batch:
            self._keep(batch)
        while self._births:
            self._tell_position(*self._births.popitem())

    def _tell_position(self, address: Address, birth: str) -> None:
        """Tell a table where the hub stands, with the next messages where the store is away."""
        try:
            position = self._store.position(address)
        except StoreAway:
            self._births[address] = birth
            raise
        self._publish(address, position_message(position, birth))

    def _keep(self, batch: list[StoredEntry]) -> None:
        done = self._store.keep(batch)
        self.counts.lines += len(done.new)
        self.counts.again += len(batch) - len(done.new)
        for word, tables in (("differs", done.differing), ("full", done.full)):
            for address in tables:
                for hall in self._halls:
                    hall.doubt(address, word)
        for address, position in (*done.again.items(), *done.positions.items()):
            if position is not None:
                self._publish(address, position_message(position))

    def _show(self, address: Address, snapshot: dict[str, Any]) -> None:
        self.counts.snapshots += 1
        for hall in self._halls:
            hall.put(address, snapshot)

    def _meet(self, address: Address, presence: dict[str, Any]) -> str | None:
        """Note a table's presence; return its birth when it must be answered."""
        state, birth = presence.get("state"), presence.get("birth")
        if state not in ("here", "gone", "closed") or not isinstance(birth, str):
            raise Unreadable("a presence that says neither here nor gone")
        for hall in self._halls:
            hall.meet(address, state)
        return birth if state == "here" else None

    def _doubt(self, address: Address, error: Unreadable) -> None:
        self.counts.unreadable[address] += 1
        word = f"schema {error.fields['schema']}" if "schema" in error.fields else "unreadable"
        for hall in self._halls:
            hall.doubt(address, word)


def position_message(position: Position | None, birth: str | None = None) -> bytes:
    """The message that acknowledges a table's events up to a position; with its ``birth`` the table resumes there."""
    message: dict[str, Any] = {"game": None} if position is None else position._asdict()
    return encode(message if birth is None else {**message, "birth": birth})
