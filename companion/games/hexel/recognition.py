"""How Hex'el is recognised: its decks, what names its symbols, and how it is read, followed and learnt."""

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.deck import outline
from companion.games.hexel.vision.classifier import PretrainedSymbols, SymbolClassifier
from companion.games.hexel.vision.enrolment import TEACHING, learn_hexel
from companion.games.hexel.vision.lattice import LatticeFinder
from companion.games.hexel.vision.recognizer import outlines, read_hexel, read_unknown
from companion.vision.image.pyramid import Pyramid
from companion.vision.recognizer import Recognizer
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.layouts import LatticeLayout
from companion.vision.tracking.tracks import SettleTimes, TableEvent


def _classifier(edition: str | None, profile: Path | None) -> SymbolClassifier:
    return PretrainedSymbols(edition) if profile is None else TEACHING.classifier(TEACHING.read(profile))


def _outlines(pyramid: Pyramid, least: float) -> NDArray[np.floating]:
    return outlines(pyramid, least=least)[1]


def in_words(event: TableEvent) -> str:
    """A tracker event as text for people."""
    if event["event"] == "table":
        return f"the table: {len(event['cards'])} cards, {len(event['loose'])} loose"
    where = "loose" if event["cell"] is None else f"at ({event['cell'][0]}, {event['cell'][1]})"
    return f"{event['event']} {where}: {' '.join(edge or '?' for edge in event['edges'])}"


def _tracker(classifier: SymbolClassifier, settle_times: SettleTimes) -> CardTracker:
    finder = LatticeFinder()
    return CardTracker(
        read_hexel, LatticeLayout(finder), classifier, settle_times, partial(read_unknown, find=finder.around)
    )


RECOGNIZER = Recognizer(
    name="hexel",
    decks=("hexel36", "hexel46"),
    classifier=_classifier,
    read=read_hexel,
    tracker=_tracker,
    in_words=in_words,
    learn=learn_hexel,
    teaching=TEACHING,
    outlines=_outlines,
    outline_mm=outline(),
)
