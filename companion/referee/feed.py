"""The feed: what has happened, in order, to any number of listeners, none of whom can hold up the referee.

The feed keeps the last few things told; a listener is a place in them. Whoever falls too far behind, or comes back
after too long, is told everything anew as one ``state`` with ``because: resumed``.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Condition

from companion.referee.messages import FeedEntry

KEPT = 256


class Feed:
    """Tells the listeners; one referee writes, any thread reads."""

    def __init__(self, first: FeedEntry, keep: int = KEPT) -> None:
        """A feed whose table is, so far, as ``first`` says; that itself is told to nobody."""
        self._changed = Condition()
        self._kept: deque[FeedEntry] = deque(maxlen=keep)
        self._feed_entry = 0
        self._latest = first
        self._oldest_resumable = first.version
        self._closed = False
        self._ringing: Callable[[], None] | None = None

    def ring(self, bell: Callable[[], None]) -> None:
        """Have ``bell`` called after each change, for those who do not wait in a thread; it must return at once."""
        self._ringing = bell

    def _notify(self) -> None:
        self._changed.notify_all()
        if self._ringing is not None:
            self._ringing()

    def notify(self, told: FeedEntry) -> None:
        """Tell everybody; returns at once, however slow anybody is."""
        with self._changed:
            if len(self._kept) == self._kept.maxlen:
                self._oldest_resumable = self._kept[0].version
            self._kept.append(told)
            self._feed_entry += 1
            self._latest = told
            self._notify()

    def subscribe(self, after_version: int | None = None) -> "Subscription":
        """Listen to what comes after a version: the last one seen, or None for all that happens from now on."""
        with self._changed:
            if after_version is None:
                return Subscription(self, self._feed_entry)
            if not self._oldest_resumable <= after_version <= self._latest.version:
                return Subscription(self, self._feed_entry, is_behind=True)
            missed = sum(1 for told in self._kept if told.version > after_version)
            return Subscription(self, self._feed_entry - missed)

    def close(self) -> None:
        """End every subscription, now and to come."""
        with self._changed:
            self._closed = True
            self._notify()


class Subscription:
    """One listener's place in the feed. Made by `Feed.subscribe`."""

    def __init__(self, feed: Feed, place: int, is_behind: bool = False) -> None:
        self._feed = feed
        self._place = place
        self._is_behind = is_behind
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing will come any more."""
        return self._closed or self._feed._closed

    def next(self, timeout: float | None = None) -> FeedEntry | None:
        """The next thing told, waiting for it up to ``timeout`` seconds; None when nothing came or all is over."""
        feed = self._feed
        with feed._changed:
            feed._changed.wait_for(lambda: self.is_closed or self._is_behind or self._place < feed._feed_entry, timeout)
            if self.is_closed:
                return None
            if self._is_behind or self._place < feed._feed_entry - len(feed._kept):
                return self._catch_up()
            if self._place == feed._feed_entry:
                return None
            self._place += 1
            return feed._kept[len(feed._kept) - (feed._feed_entry - self._place) - 1]

    def wait(self, timeout: float) -> None:
        """Wait up to ``timeout`` seconds until there is something for `next`, or all is over."""
        feed = self._feed
        with feed._changed:
            feed._changed.wait_for(lambda: self.is_closed or self._is_behind or self._place < feed._feed_entry, timeout)

    def close(self) -> None:
        """Stop listening; whoever waits in `next` returns at once. Twice is harmless."""
        with self._feed._changed:
            self._closed = True
            self._feed._notify()

    def _catch_up(self) -> FeedEntry:
        self._is_behind = False
        self._place = self._feed._feed_entry
        return replace(self._feed._latest, kind="state", data={"because": "resumed"})
