"""The interpreter protocol and its result: the move to propose and the notices to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.results import DetectedCard
from companion.vision.tracking.tracker import Tracker


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The meaning of the cards on the table for the game.

    Attributes:
        notices: current notices by code.
        command: the move that was made; None for none.
        new_cards: the cards that the move is about.
        cards: all known cards, in the game's cells.
        confidence: 0..1, of the command.
        alternatives: what else each field of the command may be: ``[[place in the command, {value: 0..1}], ...]``.
        hold_s: for how long the table is to lie still with it before the command is proposed: more may follow.
        is_open: whether an earlier proposal may be replaced; False while the table cannot be interpreted.
    """

    notices: Mapping[str, Notice] = field(default_factory=dict)
    command: Command | None = None
    new_cards: Sequence[DetectedCard] = ()
    cards: Sequence[DetectedCard] = ()
    confidence: float = 1.0
    alternatives: Sequence[Any] = ()
    hold_s: float = 0.0
    is_open: bool = True


class Interpreter(Protocol):
    """Interprets one game's table for the vision thread. Not thread-safe."""

    def note_change(self, event: Mapping[str, Any]) -> None:
        """Take in a tracker event: a rejected card that changed may be proposed again."""

    def note_rejection(self, command: Command, session: Session) -> None:
        """Take in a rejection: the proposal is not made again until its cards have changed."""

    def note_correction(self, command: Command, session: Session) -> None:
        """Take in that a person put right what the command says: its cards are read wrongly, and are no news."""

    def note_zones(self, zone_of: ZoneOf) -> None:
        """Set the function from a pixel to its zone; it stays valid when the camera is moved."""

    def interpret(self, tracker: Tracker[Any], session: Session, size: tuple[int, int]) -> Interpretation:
        """The meaning of the tracked cards for the session; ``size`` is the picture's (width, height)."""
