"""Live events: what the feed tells, as server-sent events, for a bounded number of viewers and a bounded time; and the
scoreboard as text, made once for each version and language however many are watching.

A viewer who has gone without a word is noticed only when something is written, and one who stops reading is never
noticed: hence the heartbeat, the limit on streams and the limit on their age.
The format is that of the HTML Living Standard, section 9.2 "Server-sent events".
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock

from companion.errors import CompanionError
from companion.referee.feed import Feed, Subscription
from companion.referee.messages import FeedEntry
from companion.referee.session import Session
from companion.views.reasons import refused
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
    """

    most: int = 600
    most_of_one: int = 64
    heartbeat_s: float = 12.0
    age_s: float = 300.0


class Streams:
    """The open streams of one table."""

    def __init__(self, snapshots: Snapshots, pace: Pace, clock: Callable[[], float]) -> None:
        self._snapshots = snapshots
        self._pace = pace
        self._clock = clock
        self._lock = Lock()
        self._open: dict[Subscription, str] = {}
        self._closed = False

    def enter(self, feed: Feed, since: int | None, address: str = "127.0.0.1") -> Subscription:
        """Take a place, after the version last seen or from now on. Raises `TooManyStreams`."""
        with self._lock:
            if self._closed or len(self._open) >= self._pace.most or self._is_greedy(address):
                raise TooManyStreams("All places for watching live are taken; the page keeps asking instead.")
            subscription = feed.subscribe(since)
            self._open[subscription] = address
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

    def _is_greedy(self, address: str) -> bool:
        return not is_this_machine(address) and list(self._open.values()).count(address) >= self._pace.most_of_one

    def _event(self, entry: FeedEntry, language: str) -> str:
        """A change, of the notices too, is sent as the whole table; an announcement as it was told."""
        if entry.kind == "announcement":
            with speaking(language):
                return message(entry.version, entry.kind, json.dumps({"refused": refused(entry.data["refused"])}))
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
