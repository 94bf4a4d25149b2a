"""What the hall knows of its tables now, from snapshots and presence: for the display, with a delay for broadcasts.

Times are the hub's own: a table whose clock is wrong is shown as any other.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.hub.messages import Address
from companion.referee.messages import REFEREE_CALLED
from companion.views.games import game_title

SILENT_S = 10.0
"""A table that tells nothing for so long is called silent."""
_DOUBTED_FOR_S = 60.0
_MOST_DOUBTS = 4
"""So many things that are wrong with one table are told: it may send messages of a million schemas."""
_SWEEP_S = 0.5
"""So often every table is looked at for what comes without a message, such as silence."""
_MOST_WAITING = 10, 64
"""So much of one table waits to be shown: each second of the delay as much as a table sends, and some more."""
_CAMERA_LOST = "camera-lost"
_SERIOUS = ("referee", "camera", "silent", "gone")
"""Alarms in the order in which somebody should go there."""

Snapshot = Mapping[str, Any]


@dataclass(slots=True)
class Seen:
    """One table.

    Attributes:
        at_s: when its last snapshot came.
        state: ``here``, ``closed`` (it said goodbye) or ``gone`` (it was cut off).
        doubts: what was wrong with its messages, each with the moment.
        version: of the hall, when the table last changed in what is shown.
    """

    snapshot: Snapshot | None = None
    at_s: float = 0.0
    state: str = "here"
    doubts: dict[str, float] = field(default_factory=dict)
    called_s: float | None = None
    version: int = 0
    shown: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Late:
    """What a table sent, and when it is to be shown."""

    due_s: float
    address: Address
    happen: Callable[[], None]


class Hall:
    """The tables as they are, or as they were ``delay_s`` ago. Any thread."""

    def __init__(self, delay_s: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._delay_s = delay_s
        self._clock = clock
        self._tables: dict[Address, Seen] = {}
        self._late: deque[_Late] = deque()
        self._waiting = Counter[Address]()
        self._newest: dict[Address, _Late] = {}
        self._changed = threading.Condition()
        self._version = 0
        self._call: dict[str, Any] | None = None
        self._is_closed = False
        self._touched: set[Address] = set()
        self._swept_s = clock()

    def put(self, address: Address, snapshot: Snapshot) -> None:
        """A table's newest snapshot."""
        arrived_s = self._clock()
        self._later(address, lambda: self._put(address, snapshot, arrived_s))

    def meet(self, address: Address, state: str) -> None:
        """A table came, said goodbye or was cut off."""
        self._later(address, lambda: self._meet(address, state))

    def doubt(self, address: Address, what: str) -> None:
        """Something about a table's messages is not as it should be."""
        now_s = self._clock()
        self._later(address, lambda: self._doubt(address, what, now_s))

    def tables(self) -> list[dict[str, Any]]:
        """Every table as it is shown, by name."""
        with self._changed:
            self._check()
            return [seen.shown for _, seen in sorted(self._tables.items())]

    @property
    def call(self) -> dict[str, Any] | None:
        """The last call of all: ``{"table", "kind", "word", "player", "said", "events"}``."""
        return self._call

    def changes(self, since: int, timeout_s: float) -> tuple[int, list[dict[str, Any]]]:
        """The hall's version, and the tables that changed after ``since``, waiting up to ``timeout_s`` for some."""
        ends_s = self._clock() + timeout_s
        with self._changed:
            while True:
                self._check()
                left_s = ends_s - self._clock()
                if self._version > since or left_s <= 0 or self._is_closed:
                    break
                self._changed.wait(min(left_s, self._until_next()))
            return self._version, [seen.shown for seen in self._tables.values() if seen.version > since]

    def latest(self, address: Address) -> Snapshot | None:
        """A table's newest snapshot."""
        with self._changed:
            self._check()
            seen = self._tables.get(address)
            return seen.snapshot if seen else None

    @property
    def is_closed(self) -> bool:
        """Whether nothing will change any more."""
        return self._is_closed

    def close(self) -> None:
        """Let those who wait go."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _later(self, address: Address, happen: Callable[[], None]) -> None:
        """Let something happen after the delay; of a table of which too much waits, in place of the newest of that."""
        a_second, more = _MOST_WAITING
        with self._changed:
            if self._waiting[address] < a_second * self._delay_s + more:
                self._newest[address] = _Late(self._clock() + self._delay_s, address, happen)
                self._late.append(self._newest[address])
                self._waiting[address] += 1
            else:
                self._newest[address].happen = happen
            self._catch_up(self._clock())  # also where nobody looks, or all that comes would be kept
            self._changed.notify_all()

    def _until_next(self) -> float:
        """Seconds until something that has come is due; a table falls silent without anything coming."""
        due_s = self._late[0].due_s - self._clock() if self._late else 1.0
        return min(max(due_s, 0.01), 1.0)

    def _check(self) -> None:
        """Let happen what is due, then see what has changed in what is shown."""
        now_s = self._clock()
        self._catch_up(now_s)
        if now_s - self._swept_s >= _SWEEP_S:
            self._swept_s = now_s
            self._touched |= {
                at for at, seen in self._tables.items() if _changes_by_itself(seen, now_s - self._delay_s)
            }
        for address in self._touched:
            seen = self._tables[address]
            shown = _shown(address, seen, now_s - self._delay_s)
            if shown != {**seen.shown, "sent": shown.get("sent")}:  # a sign of life is no change
                self._version += 1
                seen.version, seen.shown = self._version, shown
        self._touched.clear()

    def _catch_up(self, now_s: float) -> None:
        """Let happen what is due."""
        while self._late and self._late[0].due_s <= now_s:
            late = self._late.popleft()
            self._waiting[late.address] -= 1
            if not self._waiting[late.address]:
                del self._waiting[late.address], self._newest[late.address]
            late.happen()

    def _seen(self, address: Address) -> Seen:
        self._touched.add(address)
        return self._tables.setdefault(address, Seen(at_s=self._clock() - self._delay_s))

    def _put(self, address: Address, snapshot: Snapshot, arrived_s: float) -> None:
        seen = self._seen(address)
        before = seen.snapshot
        if snapshot["call"] and (before is None or _at(before) != _at(snapshot)):
            called = {name: snapshot["call"].get(name) for name in ("word", "player")}
            told = {"said": snapshot["said"], "events": snapshot.get("events", [])}
            self._call = {"table": address.table, "kind": snapshot["kind"], **told, **called}
        seen.snapshot, seen.at_s, seen.state = snapshot, arrived_s, "here"
        is_called = any(notice["code"] == REFEREE_CALLED for notice in snapshot["notices"])
        seen.called_s = (seen.called_s or arrived_s) if is_called else None

    def _doubt(self, address: Address, what: str, now_s: float) -> None:
        seen = self._seen(address)
        seen.doubts.pop(what, None)
        newest = [*seen.doubts.items(), (what, now_s)][-_MOST_DOUBTS:]
        seen.doubts = {word: at_s for word, at_s in newest if now_s - at_s < _DOUBTED_FOR_S}

    def _meet(self, address: Address, state: str) -> None:
        seen = self._seen(address)
        seen.state = state
        if state == "here":
            seen.at_s = self._clock() - self._delay_s


def _at(snapshot: Snapshot) -> tuple[Any, Any]:
    return snapshot["game"], snapshot["moves"]


def _changes_by_itself(seen: Seen, now_s: float) -> bool:
    """Whether time alone may have changed what is shown."""
    is_shown_silent = any(alarm["code"] == "silent" for alarm in seen.shown.get("alarms", ()))
    return bool(seen.doubts) or is_shown_silent != _is_silent(seen, now_s)


def _is_silent(seen: Seen, now_s: float) -> bool:
    return seen.state == "here" and now_s - seen.at_s >= SILENT_S


def _shown(address: Address, seen: Seen, now_s: float) -> dict[str, Any]:
    snapshot = {name: value for name, value in (seen.snapshot or {}).items() if name not in ("schema", "notices")}
    alarms = list(_alarms(seen, now_s))
    title = game_title(snapshot["kind"]) if snapshot else ""
    return {
        **address._asdict(),
        "state": seen.state,
        "title": title,
        **snapshot,
        "alarms": alarms,
        "serious": _weight(alarms),
    }


def _alarms(seen: Seen, now_s: float) -> Iterator[dict[str, str]]:
    notices = {notice["code"]: str(notice.get("text", "")) for notice in (seen.snapshot or {}).get("notices", ())}
    if REFEREE_CALLED in notices:
        yield {"code": "referee", "text": notices[REFEREE_CALLED]}
    if _CAMERA_LOST in notices or (seen.snapshot or {}).get("camera") == "failed":
        yield {"code": "camera", "text": notices.get(_CAMERA_LOST, "")}
    if seen.state == "gone":
        yield {"code": "gone", "text": ""}
    elif _is_silent(seen, now_s):
        yield {"code": "silent", "text": ""}
    for what, at_s in seen.doubts.items():
        if now_s - at_s < _DOUBTED_FOR_S:
            yield {"code": "doubt", "text": what}


def _weight(alarms: list[dict[str, str]]) -> int:
    """The greater, the sooner somebody should go there."""
    codes = {alarm["code"] for alarm in alarms}
    return next((len(_SERIOUS) - n for n, code in enumerate(_SERIOUS) if code in codes), 0)
