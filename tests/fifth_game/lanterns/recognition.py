"""How Lanterns is recognised: its own reading, the shared tracker for cards that lie anyhow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from companion.errors import UsageError
from companion.vision.recognizer import Recognizer
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.layouts import LooseLayout
from companion.vision.tracking.tracks import TableEvent
from tests.fifth_game.lanterns.vision import LanternClassifier, align, read_lanterns


def _classifier(edition: str | None, profile: Path | None) -> LanternClassifier:
    if profile is not None:
        raise UsageError(f"lanterns takes no profile: leave out {profile}", code="bad-profile")
    return LanternClassifier()


def _learn(deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]) -> NoReturn:
    raise UsageError("lanterns are told by their colours: there is nothing to learn", code="nothing-to-learn")


def in_words(told: TableEvent) -> str:
    """What a tracker told, for people."""
    return (
        f"the table: {len(told['cards'])} lanterns"
        if told["event"] == "table"
        else f"{told['event']}: {told['colour']}"
    )


RECOGNIZER = Recognizer(
    name="lanterns",
    decks=("lanterns",),
    classifier=_classifier,
    read=read_lanterns,
    tracker=lambda classifier, settle_times: CardTracker(read_lanterns, LooseLayout(align), classifier, settle_times),
    in_words=in_words,
    learn=_learn,
)
