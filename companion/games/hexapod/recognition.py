"""How Hexapod is recognised: the sizes of its cases, what names its insects, and how cases are read and followed."""

from pathlib import Path

from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.enrolment import TEACHING, learn_hexapod
from companion.games.hexapod.vision.events import in_words
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.tracker import CaseTracker
from companion.vision.recognizer import Recognizer

_CASE_SIZES = [f"{rows}x{cols}" for rows in range(3, 8) for cols in range(3, 8)]
"""Rows and columns of display cases; 5x5 without a word."""


def _classifier(edition: str | None, profile: Path | None) -> InsectClassifier:
    if profile is not None:
        return TEACHING.classifier(TEACHING.read(profile))
    rows, _, cols = (edition or "5x5").partition("x")
    return PretrainedInsects(int(rows), int(cols))


RECOGNIZER = Recognizer(
    name="hexapod",
    decks=("hexapod", *(f"hexapod{size}" for size in _CASE_SIZES)),
    classifier=_classifier,
    read=read_hexapod,
    tracker=CaseTracker,
    in_words=in_words,
    learn=learn_hexapod,
    teaching=TEACHING,
)
