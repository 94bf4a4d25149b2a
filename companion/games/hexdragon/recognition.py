"""How HexDragon is recognised: its deck, what names its tiles, and how it is read, followed and learnt."""

from pathlib import Path

from companion.games.hexdragon.vision.classifier import PretrainedTiles, TileClassifier
from companion.games.hexdragon.vision.enrolment import TEACHING, learn_hexdragon
from companion.games.hexdragon.vision.lattice import fit_grid
from companion.games.hexdragon.vision.recognizer import read_hexdragon, read_unknown
from companion.games.hexdragon.vision.results import in_words as tile_in_words
from companion.vision.recognizer import Recognizer
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.layouts import LatticeLayout
from companion.vision.tracking.tracks import TableEvent


def _classifier(edition: str | None, profile: Path | None) -> TileClassifier:
    return PretrainedTiles() if profile is None else TEACHING.classifier(TEACHING.read(profile))


def in_words(event: TableEvent) -> str:
    """A tracker event as text for people."""
    if event["event"] == "table":
        return f"the table: {len(event['tiles'])} tiles, {len(event['stars'])} stars"
    where = "off the board" if event["cell"] is None else f"at ({event['cell'][0]}, {event['cell'][1]})"
    return f"{event['event']} {where}: {tile_in_words(event)}"


RECOGNIZER = Recognizer(
    name="hexdragon",
    decks=("hexdragon",),
    classifier=_classifier,
    read=read_hexdragon,
    tracker=lambda classifier, settle_times: CardTracker(
        read_hexdragon, LatticeLayout(fit_grid), classifier, settle_times, read_unknown
    ),
    in_words=in_words,
    learn=learn_hexdragon,
    teaching=TEACHING,
)
