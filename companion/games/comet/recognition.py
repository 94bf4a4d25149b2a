"""How Seven Card Comet is recognised: a known printing's numerals are read as print, others by a taught profile."""

from pathlib import Path

import numpy as np

from companion.games.comet.vision.classifier import PretrainedNumerals
from companion.games.comet.vision.enrolment import TEACHING, learn_comet
from companion.games.comet.vision.recognizer import CometClassifier, read_comet, read_table, read_unknown
from companion.games.comet.vision.results import DetectedCometCard, aligned_comet, aligned_either_way
from companion.games.comet.vision.results import in_words as card_in_words
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.vision.recognizer import Recognizer
from companion.vision.results import DetectedCard
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.layouts import LooseLayout
from companion.vision.tracking.tracks import SettleTimes, TableEvent


def _classifier(edition: str | None, profile: Path | None) -> CometClassifier:
    return PretrainedNumerals() if profile is None else TEACHING.classifier(TEACHING.read(profile))


def _tracker(classifier: CometClassifier, settle_times: SettleTimes) -> CardTracker:
    is_alike = isinstance(classifier, TaughtNumerals) and classifier.profile.places.is_alike_turned
    layout = LooseLayout(aligned_either_way if is_alike else aligned_comet)
    return CardTracker(read_table, layout, classifier, settle_times, read_unknown, identity=_identity)


def _identity(card: DetectedCard) -> tuple[int | None, ...] | None:
    """Which card of the deck it is; None for one that lies face down or cannot be read."""
    values = card.values if isinstance(card, DetectedCometCard) else None
    return None if values is None or None in values else tuple(values)


def in_words(event: TableEvent) -> str:
    """A tracker event as text for people."""
    if event["event"] == "table":
        return f"the table: {len(event['cards'])} cards"
    x, y = np.mean(event["corners"], axis=0)
    where = event["zone"] or f"{x:.0f},{y:.0f}"
    return f"{event['event']} at {where}: {card_in_words(event['values'])}"


RECOGNIZER = Recognizer(
    name="comet",
    decks=("comet",),
    classifier=_classifier,
    read=read_comet,
    tracker=_tracker,
    in_words=in_words,
    learn=learn_comet,
    teaching=TEACHING,
)
