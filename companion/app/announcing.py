"""What the table says aloud: every move in its sentences, of a correction only what it changed, and what is amiss.

A card that the rules refuse is said with the reason, and so is what the camera cannot see; the same not over and over.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from companion.referee.messages import FeedEntry
from companion.referee.referee import Referee
from companion.views.changes import changes
from companion.views.phrases import is_aloud, noticed, sentences
from companion.views.reasons import refused

REPEAT_S = 30.0
"""So long the same thing amiss is not said again."""

_AMENDED = ("corrected", "undone", "redone")


class Voice(Protocol):
    """Something that speaks, such as `companion.devices.speaker.Speaker`."""

    def say(self, sentences: tuple[str, ...]) -> None:
        """Speak, after what is being spoken; returns at once."""

    def hush(self) -> None:
        """Break off, and forget what waits."""


def announce(told: FeedEntry, voice: Voice) -> None:
    """Have one thing told spoken; a correction silences what it corrects."""
    because = told.data.get("because")
    if because == "moved":
        voice.say(sentences(told.data["events"]))
    elif because in _AMENDED:
        amendment = told.session.amendments[-1]
        voice.hush()
        voice.say(changes(amendment.was, amendment.now))


def alert_text(told: FeedEntry) -> str | None:
    """What is amiss by one thing told, as it is said aloud; None when nothing is."""
    waiting = told.session.proposal
    if told.data.get("because") == "proposed" and waiting is not None and waiting.refusal is not None:
        return str(refused(waiting.refusal)["message"])
    notice = told.session.notices.get(str(told.data.get("code"))) if told.kind == "notice" else None
    return noticed(notice) if notice is not None and is_aloud(notice) else None


class _RecentAlerts:
    """Remembers what was amiss lately, so that it is not said over and over."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def is_new(self, text: str) -> bool:
        now_s = self._clock()
        self._said = {one: when for one, when in self._said.items() if now_s - when < REPEAT_S}
        if text in self._said:
            return False
        self._said[text] = now_s
        return True


@contextmanager
def announcing(referee: Referee, voice: Voice, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Announce what happens, from now to the end of the block, by a clock that never jumps."""
    subscription, lately = referee.feed.subscribe(), _RecentAlerts(clock)

    def listen() -> None:
        while not subscription.is_closed:
            if told := subscription.next():
                announce(told, voice)
                if (text := alert_text(told)) and lately.is_new(text):
                    voice.say((text,))

    thread = threading.Thread(target=listen, name="announcing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        subscription.close()
        thread.join()
