"""What the table says aloud: every move in its sentences, and of a correction only what it changed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from companion.referee.messages import Told
from companion.referee.referee import Referee
from companion.views.changes import changes
from companion.views.phrases import sentences

_AMENDED = ("corrected", "undone", "redone")


class Voice(Protocol):
    """Something that speaks, such as `companion.devices.speaker.Speaker`."""

    def say(self, sentences: tuple[str, ...]) -> None:
        """Speak, after what is being spoken; returns at once."""

    def hush(self) -> None:
        """Break off, and forget what waits."""


def announce(told: Told, voice: Voice) -> None:
    """Have one thing told spoken; a correction silences what it corrects."""
    because = told.data.get("because")
    if because == "moved":
        voice.say(sentences(told.data["events"]))
    elif because in _AMENDED:
        amendment = told.session.amendments[-1]
        voice.hush()
        voice.say(changes(amendment.was, amendment.now))


@contextmanager
def announcing(referee: Referee, voice: Voice) -> Iterator[None]:
    """Announce what happens, from now to the end of the block."""
    subscription = referee.feed.subscribe()

    def listen() -> None:
        while not subscription.is_closed:
            if told := subscription.next():
                announce(told, voice)

    thread = threading.Thread(target=listen, name="announcing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        subscription.close()
        thread.join()
