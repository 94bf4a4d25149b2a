"""Listeners: in order, without loss, never in the referee's way."""

import threading

import pytest

from companion.referee.feed import Feed
from companion.referee.messages import FeedEntry
from companion.referee.session import Session, begin
from companion.rules.engine import Header

SESSION = begin(Header("hexel", ("Ana", "Bo"), "36", {}), 1)


def told(version: int, kind: str = "state") -> FeedEntry:
    session = Session(version, SESSION.header, SESSION.game, SESSION.state)
    return FeedEntry(version, kind, {"because": "moved"}, session)


@pytest.fixture
def feed() -> Feed:
    return Feed(told(10), keep=4)


def test_a_listener_hears_everything_from_now_on_in_order(feed: Feed) -> None:
    feed.notify(told(11))
    listener = feed.subscribe()
    for version in (12, 13):
        feed.notify(told(version))
    assert [listener.next(0).version, listener.next(0).version, listener.next(0)] == [12, 13, None]


def test_whoever_comes_back_hears_what_was_missed_and_nothing_twice(feed: Feed) -> None:
    for version in (11, 12, 13):
        feed.notify(told(version))
    listener = feed.subscribe(after_version=11)
    assert [listener.next(0).version, listener.next(0).version, listener.next(0)] == [12, 13, None]


def test_whoever_missed_nothing_hears_nothing(feed: Feed) -> None:
    assert feed.subscribe(after_version=10).next(0) is None


@pytest.mark.parametrize("last_seen", [3, 11, 99])
def test_whoever_was_away_too_long_hears_everything_anew(feed: Feed, last_seen: int) -> None:
    for version in range(11, 17):
        feed.notify(told(version))
    listener = feed.subscribe(after_version=last_seen)
    anew = listener.next(0)
    assert (anew.version, anew.kind, anew.data) == (16, "state", {"because": "resumed"})
    feed.notify(told(17))
    assert listener.next(0).version == 17


def test_the_oldest_kept_version_can_still_be_resumed_from(feed: Feed) -> None:
    for version in range(11, 17):
        feed.notify(told(version))
    listener = feed.subscribe(after_version=12)
    assert [listener.next(0).version for _ in range(4)] == [13, 14, 15, 16]


def test_a_slow_listener_is_caught_up_and_holds_nobody_up(feed: Feed) -> None:
    slow, quick = feed.subscribe(), feed.subscribe()
    heard = []
    for version in range(11, 111):
        feed.notify(told(version))
        heard.append(quick.next(0).version)
    assert heard == list(range(11, 111))
    assert slow.next(0).version == 110
    assert slow.next(0) is None


def test_a_refusal_is_told_to_those_listening_now_and_to_those_who_come_back(feed: Feed) -> None:
    listener = feed.subscribe()
    feed.notify(told(10, "announcement"))
    heard = listener.next(0)
    assert heard.kind == "announcement" and "again" not in heard.data
    back = feed.subscribe(after_version=10)
    assert (again := back.next(0)).kind == "announcement" and again.data["again"] is True
    feed.notify(told(10, "announcement"))
    feed.notify(told(11))
    feed.notify(told(11, "announcement"))
    entries = [back.next(0) for _ in range(3)]
    assert [entry.version for entry in entries] == [10, 11, 11]
    assert not any("again" in entry.data for entry in entries)
    assert feed.subscribe().next(0) is None


def test_a_refusal_after_the_last_version_seen_was_not_heard(feed: Feed) -> None:
    for version, kind in ((10, "announcement"), (11, "state"), (11, "announcement")):
        feed.notify(told(version, kind))
    back = feed.subscribe(after_version=10)
    entries = [back.next(0) for _ in range(3)]
    assert [(entry.version, "again" in entry.data) for entry in entries] == [(10, True), (11, False), (11, False)]
    assert back.next(0) is None


def test_closing_wakes_whoever_waits(feed: Feed) -> None:
    for close in (lambda s: s.close(), lambda s: feed.close()):
        listener = feed.subscribe()
        answers = []
        waiting = threading.Thread(target=lambda listener=listener, answers=answers: answers.append(listener.next(30)))
        waiting.start()
        close(listener)
        waiting.join(5)
        assert answers == [None]
        assert listener.is_closed


def test_a_closed_feed_tells_no_more(feed: Feed) -> None:
    feed.close()
    assert feed.subscribe(after_version=3).next(0) is None
