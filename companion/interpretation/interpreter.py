"""What one look at the table comes to: what to propose, and what people should hear about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.recognizer import TableTracker
from companion.vision.results import DetectedCard


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a picture means for the game.

    Attributes:
        notices: what holds now, by code.
        command: what the hands did, None for nothing that the game has words for.
        news: the cards that say so.
        cards: all cards known, as the game names them.
        confidence: 0..1, that the command is what was done.
        chances: what else may lie there; see `chances`.
        is_open: whether a proposal made before is to be held to ``command``; not while the table cannot be told.
    """

    notices: Mapping[str, Notice] = field(default_factory=dict)
    command: Command | None = None
    news: Sequence[DetectedCard] = ()
    cards: Sequence[DetectedCard] = ()
    confidence: float = 1.0
    chances: Sequence[Any] = ()
    is_open: bool = True


class Interpreter(Protocol):
    """What the vision thread asks about one game. Not for several threads."""

    def note_change(self, told: Mapping[str, Any]) -> None:
        """Hear of a change that a follower told: what lies there anew may be proposed anew."""

    def note_rejection(self, command: Command, session: Session) -> None:
        """Hear that a proposal was rejected: it is not made again until the cards there have changed."""

    def note_zones(self, zone_of: ZoneOf) -> None:
        """Hear which zone of the table a pixel shows, once and for all: it follows the camera where that is moved."""

    def of(self, tracker: TableTracker, session: Session, size: tuple[int, int]) -> Interpretation:
        """What the table as it is known means for the session; ``size`` is the picture's width and height."""
