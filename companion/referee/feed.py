"""The feed: publishes what has happened, in order, to any number of subscribers that cannot block the referee.

The feed keeps its latest entries, and a subscription is a position among them. A subscriber that falls too far behind
gets one ``state`` entry with ``because: resumed`` instead of what it missed.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Condition

from companion.referee.messages import FeedEntry

KEPT = 256


class Feed:
    """The latest entries; one referee writes, any thread reads."""

    def __init__(self, first: FeedEntry, keep: int = KEPT) -> None:
        """A feed that starts from the state in ``first``, which is not published itself."""
        self._changed = Condition()
        self._kept: deque[FeedEntry] = deque(maxlen=keep)
        self._count = 0
        self._latest = first
        self._oldest_resumable = first.version
        self._closed = False
        self._bells: list[Callable[[], None]] = []

    def ring(self, bell: Callable[[], None]) -> None:
        """Call ``bell`` after each change, for readers without a thread of their own; it must return at once."""
        self._bells.append(bell)

    def _notify(self) -> None:
        self._changed.notify_all()
        for bell in self._bells:
            bell()

    def notify(self, entry: FeedEntry) -> None:
        """Publish an entry; returns at once, however slow the subscribers are."""
        with self._changed:
            if len(self._kept) == self._kept.maxlen:
                self._oldest_resumable = self._kept[0].version
            self._kept.append(entry)
            self._count += 1
            self._latest = entry
            self._notify()

    def subscribe(self, after_version: int | None = None) -> "Subscription":
        """Subscribe to the entries after a version, the last one seen; None for all from now on.

        A refusal leaves the version as it was: those under the last one seen may have been heard or not. They come too,
        with ``again`` in their data.
        """
        with self._changed:
            if after_version is None:
                return Subscription(self, self._count)
            if not self._oldest_resumable <= after_version <= self._latest.version:
                return Subscription(self, self._count, is_behind=True)
            missed = [one for one in self._kept if one.version > after_version or _may_repeat(one, after_version)]
            repeats = sum(_may_repeat(entry, after_version) for entry in missed)
            return Subscription(self, self._count - len(missed), repeats=repeats)

    def close(self) -> None:
        """End all subscriptions, present and future."""
        with self._changed:
            self._closed = True
            self._notify()


class Subscription:
    """One subscriber's position in the feed. Made by `Feed.subscribe`."""

    def __init__(self, feed: Feed, position: int, is_behind: bool = False, repeats: int = 0) -> None:
        self._feed = feed
        self._position = position
        self._is_behind = is_behind
        self._repeats_until = position + repeats
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether no entry will come any more."""
        return self._closed or self._feed._closed

    def next(self, timeout: float | None = None) -> FeedEntry | None:
        """The next entry, waiting up to ``timeout`` seconds; None when none came or the feed is closed."""
        feed = self._feed
        with feed._changed:
            feed._changed.wait_for(self._is_ready, timeout)
            if self.is_closed:
                return None
            if self._is_behind or self._position < feed._count - len(feed._kept):
                return self._catch_up()
            if self._position == feed._count:
                return None
            self._position += 1
            entry = feed._kept[len(feed._kept) - (feed._count - self._position) - 1]
            if self._position <= self._repeats_until:
                return replace(entry, data={**entry.data, "again": True})
            return entry

    def wait(self, timeout: float) -> None:
        """Wait up to ``timeout`` seconds until `next` has an entry or the feed is closed."""
        with self._feed._changed:
            self._feed._changed.wait_for(self._is_ready, timeout)

    def _is_ready(self) -> bool:
        return self.is_closed or self._is_behind or self._position < self._feed._count

    def close(self) -> None:
        """Unsubscribe; a waiting `next` returns at once. Idempotent."""
        with self._feed._changed:
            self._closed = True
            self._feed._notify()

    def _catch_up(self) -> FeedEntry:
        self._is_behind = False
        self._position = self._feed._count
        return replace(self._feed._latest, kind="state", data={"because": "resumed"})


def _may_repeat(entry: FeedEntry, after_version: int) -> bool:
    """Whether somebody whose last version was that one may have heard an entry under it, or not."""
    return entry.kind == "announcement" and entry.version == after_version


@contextmanager
def feed_listener(
    feed: Feed, hear: Callable[[FeedEntry], None], name: str, begin: Callable[[], None] | None = None
) -> Iterator[None]:
    """Call ``begin`` once and ``hear`` with each entry, on a thread of that name, until the end of the block."""
    subscription = feed.subscribe()

    def listen() -> None:
        if begin is not None:
            begin()
        while not subscription.is_closed:
            if entry := subscription.next():
                hear(entry)

    thread = threading.Thread(target=listen, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        subscription.close()
        thread.join()
