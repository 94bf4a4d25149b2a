"""What lanterns on the table mean: one more than were laid is the next player's."""

from collections.abc import Mapping
from typing import Any

from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.tracking.tracker import Tracker


def interpreter() -> "LanternInterpreter":
    """A new interpreter of Lanterns."""
    return LanternInterpreter()


class LanternInterpreter:
    """See `companion.interpretation.interpreter`."""

    def __init__(self) -> None:
        self._rejected: list[str] | None = None

    def note_change(self, event: Mapping[str, Any]) -> None:
        """What lies there anew may be proposed anew."""
        self._rejected = None

    def note_rejection(self, command: Command, session: Session) -> None:
        """The lanterns as they lie now are not proposed again."""
        self._rejected = [*session.game.view(session.state)["table"]["laid"], command["colour"]]

    def note_correction(self, command: Command, session: Session) -> None:
        """Nor are they once they were put right."""
        self.note_rejection(command, session)

    def note_zones(self, zone_of: ZoneOf) -> None:
        """Lanterns lie anywhere."""

    def interpret(self, tracker: Tracker[Any], session: Session, size: tuple[int, int]) -> Interpretation:
        """What the lanterns known mean for the session."""
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        cards = tracker.cards
        if cards is None or any(card.edges[0] is None for card in cards):
            return Interpretation(notices, is_open=False)
        laid = session.game.view(session.state)["table"]["laid"]
        colours = [card.edges[0] for card in cards]
        commands = session.game.interpret(session.state, laid, colours)
        if not commands or (self._rejected is not None and sorted(self._rejected) == sorted(colours)):
            return Interpretation(notices, cards=cards)
        new_cards = [card for card in cards if card.edges[0] == commands[0]["colour"]][-1:]
        return Interpretation(notices, commands[0], new_cards, cards, new_cards[0].confidence)
