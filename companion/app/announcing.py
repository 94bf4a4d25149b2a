"""Speaks what happens at the table: each move, what a correction changed, and alerts.

An alert is a card that the rules refuse, or something that the camera cannot see. The same alert is not repeated within
`REPEAT_S`.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from companion.devices.speaker import Speaker
from companion.referee.feed import feed_listener
from companion.referee.messages import FeedEntry
from companion.referee.referee import Referee
from companion.views.changes import changes
from companion.views.phrases import is_aloud, notice_text, sentences
from companion.views.reasons import refusal_for_people

REPEAT_S = 30.0
"""For how long the same alert is not spoken again."""

_AMENDED = ("corrected", "undone", "redone")


def announce(entry: FeedEntry, voice: Speaker) -> None:
    """Speak a feed entry's move or correction; a correction silences what is still being said."""
    because = entry.data.get("because")
    if because == "moved":
        voice.say(sentences(entry.data["events"]))
    elif because in _AMENDED:
        amendment = entry.session.amendments[-1]
        voice.hush()
        voice.say(changes(amendment.was, amendment.now))


def alert_text(entry: FeedEntry) -> str | None:
    """The alert that a feed entry calls for, as spoken text; None for none."""
    proposal = entry.session.proposal
    if entry.data.get("because") == "proposed" and proposal is not None and proposal.refusal is not None:
        return str(refusal_for_people(proposal.refusal)["message"])
    notice = entry.session.notices.get(str(entry.data.get("code"))) if entry.kind == "notice" else None
    return notice_text(notice) if notice is not None and is_aloud(notice) else None


def announcing(
    referee: Referee, voice: Speaker, clock: Callable[[], float] = time.monotonic
) -> AbstractContextManager[None]:
    """Announce what happens until the end of the block. ``clock`` is monotonic."""
    spoken_s: dict[str, float] = {}

    def hear(entry: FeedEntry) -> None:
        announce(entry, voice)
        text, now_s = alert_text(entry), clock()
        for old in [said for said, said_s in spoken_s.items() if now_s - said_s >= REPEAT_S]:
            del spoken_s[old]
        if text and text not in spoken_s:
            spoken_s[text] = now_s
            voice.say((text,))

    return feed_listener(referee.feed, hear, "announcing")
