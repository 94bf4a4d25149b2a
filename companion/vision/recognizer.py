"""What recognition of a game promises, whatever the game: read one picture, follow a table, learn a printing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.teaching import Teaching
from companion.vision.image.pyramid import Pyramid
from companion.vision.tracking.tracker import Tracker
from companion.vision.tracking.tracks import SettleTimes, TableEvent


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Recognition of one game; what its ``classifier`` is, is the game's own affair.

    Attributes:
        name: the game's.
        decks: the names of its decks, each the game's name and the edition's.
        classifier: of an edition, None for whichever is seen, or of the printing in a profile's file.
        read: the table on one picture, uint8 BGR, without history.
        tracker: a new tracker of the table, by a classifier.
        in_words: an event of the tracker, the whole table or one change of it, for people.
        outlines: where a calibration may measure by the game's cards: the corners (n, k, 2) of those that are
            found with at least that confidence.
        outline_mm: the corners of such a card in mm, in the same order.
        learn: from a deck's name, named pictures and their labels, its printing; see `learning.learn`.
        teaching: what the game says about being taught; None where there is nothing to teach.
    """

    name: str
    decks: tuple[str, ...]
    classifier: Callable[[str | None, Path | None], Any]
    read: Callable[[NDArray[np.uint8], Any], Any]
    tracker: Callable[[Any, SettleTimes], Tracker[Any]]
    in_words: Callable[[TableEvent], str]
    learn: Callable[..., Profile]
    teaching: Teaching | None = None
    outlines: Callable[[Pyramid, float], NDArray[np.floating]] | None = None
    outline_mm: tuple[tuple[float, float], ...] = ()

    def edition(self, deck: str | None) -> str | None:
        """The edition of a deck, None for the game's usual. Raises `UsageError` for a name unknown."""
        if deck is not None and deck not in self.decks:
            raise UsageError(f"no such deck: {deck} (known: {', '.join(self.decks)})", code="unknown-deck")
        return None if deck is None else deck.removeprefix(self.name) or None

    def require_deck(self, deck: str | None, profile: Path | None) -> None:
        """Raises `UsageError` where a profile's file was learnt of another deck than the one that is named."""
        if deck is None or profile is None or self.teaching is None:
            return
        learnt = self.teaching.read(profile)
        if not self.teaching.is_of_deck(learnt, deck):
            message = f"{profile} was learnt of {learnt.deck}, not of {deck}: name the deck's own profile, or no deck"
            raise UsageError(message, code="unknown-deck")
