"""Live events: what the feed tells, as server-sent events, for a bounded number of viewers and a bounded time; and the
scoreboard as text, made once for each version and language however many are watching.

A viewer who has gone without a word is noticed only when something is written, and one who stops reading is never
noticed: hence the heartbeat, the limit on streams and the limit on their age.
The format is that of the HTML Living Standard, section 9.2 "Server-sent events".
"""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock

from companion.errors import CompanionError
from companion.referee.feed import Feed, Subscription
from companion.referee.messages import FeedEntry
from companion.referee.session import Session
from companion.views.reasons import refusal_for_people
from companion.views.scoreboard import scoreboard
from companion.views.words import speaking

RETRY_MS = 2000
SIGN_OF_LIFE = "event: alive\ndata: {}\n\n"
"""Not a comment, which scripts cannot hear; without an id, which it would change."""


class Snapshots:
    """Keeps the newest text of each language. Of many threads at once one makes it, the others wait for it."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, str]] = {}
        self._lock = Lock()

    def text(self, session: Session, language: str) -> str:
        """The session's scoreboard in a language, as one line of JSON."""
        with self._lock:
            version, text = self._newest.get(language, (-1, ""))
            if version != session.version:
                with speaking(language):
                    text = json.dumps(scoreboard(session))
                self._newest[language] = session.version, text
        return text


class TooManyStreams(CompanionError):
    """All places for viewers are taken; the page falls back to asking now and then."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    retry_after_s = 15
    default_code = "too-many-viewers"


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of the streams.

    Attributes:
        most: how many there may be; ``most_of_one``, of one address other than this machine's own.
        heartbeat_s: how often a sign of life.
        age_s: when a stream is ended for the browser to open a new one.
        yields_s: a viewer whose machine has been silent for so long gives its place to one who needs it. Until
            somebody does, it keeps it: a phone that roams is silent for three seconds and comes back.
    """

    most: int = 600
    most_of_one: int = 64
    heartbeat_s: float = 12.0
    age_s: float = 300.0
    yields_s: float = 1.8


@dataclass(frozen=True, slots=True)
class _Viewer:
    address: str
    silence_s: Callable[[], float]


class Streams:
    """The open streams of one table."""

    def __init__(self, snapshots: Snapshots, pace: Pace, clock: Callable[[], float]) -> None:
        self._snapshots = snapshots
        self._pace = pace
        self._clock = clock
        self._lock = Lock()
        self._open: dict[Subscription, _Viewer] = {}
        self._closed = False

    def enter(
        self, feed: Feed, since: int | None, address: str = "127.0.0.1", silence_s: Callable[[], float] = lambda: 0.0
    ) -> Subscription:
        """Take a place, after the version last seen or from now on.

        Args:
            silence_s: for how long the viewer's machine has acknowledged nothing; asked from any thread.

        Raises:
            TooManyStreams: all are taken, and nobody is silent.
        """
        with self._lock:
            rivals = self._rivals(address)
            silent = self._silent(rivals or ())
            if self._closed or (rivals is not None and silent is None):
                raise TooManyStreams("All places for watching live are taken; the page keeps asking instead.")
            if silent is not None:
                del self._open[silent]
            subscription = feed.subscribe(since)
            self._open[subscription] = _Viewer(address, silence_s)
        if silent is not None:
            silent.close()
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """Give the place back; twice is harmless."""
        with self._lock:
            self._open.pop(subscription, None)
        subscription.close()

    def close(self) -> None:
        """End every stream now and admit no more: the house is closing."""
        with self._lock:
            self._closed = True
            leaving = tuple(self._open)
        for subscription in leaving:
            subscription.close()

    def notify(
        self, subscription: Subscription, latest: Callable[[], Session], since: int | None, language: str
    ) -> Iterator[str]:
        """The stream's text, until it is too old or closed; without ``since`` the table as it stands comes first."""
        for step in self.steps(subscription, latest, since, language):
            if isinstance(step, str):
                yield step
            else:
                subscription.wait(step)

    def steps(
        self, subscription: Subscription, latest: Callable[[], Session], since: int | None, language: str
    ) -> Iterator[str | float]:
        """The same without waiting: text to send, or for how many seconds at most to wait for news."""
        yield f"retry: {RETRY_MS}\n\n"
        if since is None:
            yield self._state(latest(), language)
        now_s = self._clock()
        ends_s, beat_s = now_s + self._pace.age_s, now_s + self._pace.heartbeat_s
        while not subscription.is_closed and (now_s := self._clock()) < ends_s:
            entry = subscription.next(0)
            if entry is None and now_s < beat_s:
                yield min(beat_s, ends_s) - now_s
                continue
            beat_s = now_s + self._pace.heartbeat_s
            yield SIGN_OF_LIFE if entry is None else self._event(entry, language)

    def _silent(self, rivals: Collection[Subscription]) -> Subscription | None:
        """The most silent of some viewers, when it has been silent for long."""
        silent = max(rivals, key=lambda one: self._open[one].silence_s(), default=None)
        return silent if silent and self._open[silent].silence_s() >= self._pace.yields_s else None

    def _rivals(self, address: str) -> Collection[Subscription] | None:
        """Of whom one must go before another viewer of an address may come; None while there is room."""
        own = [] if is_this_machine(address) else [one for one, who in self._open.items() if who.address == address]
        if len(own) >= self._pace.most_of_one:
            return own
        return self._open if len(self._open) >= self._pace.most else None

    def _event(self, entry: FeedEntry, language: str) -> str:
        """A change, of the notices too, is sent as the whole table; an announcement as it was told."""
        if entry.kind == "announcement":
            with speaking(language):
                told = {**entry.data, "refused": refusal_for_people(entry.data["refused"])}
                return message(entry.version, entry.kind, json.dumps(told))
        return self._state(entry.session, language)

    def _state(self, session: Session, language: str) -> str:
        return message(session.version, "state", self._snapshots.text(session, language))


def is_this_machine(address: str) -> bool:
    """Whether an address is this machine's own, as that of a proxy on it is: the limits for one do not hold for it."""
    return address == "" or ip_address(address).is_loopback


def message(version: int, kind: str, data: str) -> str:
    r"""One server-sent event.

    >>> message(7, "state", '{"turn": "Ana"}')
    'id: 7\nevent: state\ndata: {"turn": "Ana"}\n\n'
    """
    return f"id: {version}\nevent: {kind}\ndata: {data}\n\n"
