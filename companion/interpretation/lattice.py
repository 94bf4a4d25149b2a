"""What a honeycomb of cards means: the cards seen brought into the game's cells, the new ones read as a move."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.calibration.drift import ZoneOf
from companion.vision.recognizer import TableTracker
from companion.vision.results import DetectedCard, renamed
from companion.vision.tracking.registration import Edges, Registration, agree, register

Tableau = Mapping[Cell, Edges]

_WAITS_FOR = {
    "stake": "the stake is to be set first",
    "hedge": "everyone is to put chips in the hedge first",
    "over": "the game is over",
}
"""What a game waits for, by its phase, when no card is due."""


@dataclass(frozen=True, slots=True)
class Words:
    """Where a game's words name cards and cells.

    Attributes:
        lying: the cards that a game's view says lie on the table, each face as a camera reads it.
        cells: the cells that a command lays cards on.
        thing: a card as the game's ``interpret`` takes it.
        alternatives: what else each place of a command may be, from the new cards and from all known ones.
    """

    lying: Callable[[Mapping[str, Any]], dict[Cell, Edges]]
    cells: Callable[[Mapping[str, Any]], tuple[Cell, ...]]
    thing: Callable[[Edges], Any]
    alternatives: Callable[[Command, Sequence[DetectedCard], Sequence[DetectedCard]], list[Any]]


class LatticeInterpreter:
    """A game on a honeycomb; see `outlook.Interpreter`."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._naming: Registration | None = None
        self._rejected: dict[Cell, Edges] = {}
        self._named: dict[Cell, DetectedCard] = {}

    def note_change(self, told: Mapping[str, Any]) -> None:
        """See `Interpreter`."""
        if told["event"] == "table":
            self._naming = None
        if told["event"] in ("placed", "removed", "moved") and told["cell"] is not None and self._naming is not None:
            self._rejected.pop(self._naming.cell((told["cell"][0], told["cell"][1])), None)

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        tableau = self._lying(session)
        for cell in self._words.cells(command):
            if cell not in tableau and cell in self._named:
                self._rejected[cell] = self._named[cell].edges

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`. A honeycomb lies anywhere."""

    def lying(self, view: Mapping[str, Any]) -> dict[Cell, Edges]:
        """The cards that the game's view says lie on the table."""
        return self._words.lying(view)

    def of(self, tracker: TableTracker, session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        cards = tracker.cards
        if cards is None:
            return Interpretation(is_open=False)
        tableau = self._lying(session)
        standing = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        named = self._in_cells(cards, tableau)
        if named is None:
            text = "The cards on the table are not those of this game."
            return Interpretation(standing | {"table-differs": Notice("table-differs", text)}, is_open=False)
        self._named = named
        notices = standing | _differences(tableau, named, size, is_quiet=tracker.is_quiet)
        command = self._command(session, tableau, is_quiet=tracker.is_quiet)
        if command is None and tracker.is_quiet:
            notices |= _unexpected(session, self._fresh(tableau), size)
        cells = set(self._words.cells(command)) if command is not None else set()
        news = [c for c in self._fresh(tableau) if c.cell in cells]
        sure = min((c.confidence for c in news), default=1.0)
        known = list(named.values())
        doubts = () if command is None else self._words.alternatives(command, news, known)
        return Interpretation(notices, command, news, known, sure, doubts)

    def _lying(self, session: Session) -> dict[Cell, Edges]:
        return self.lying(session.game.view(session.state))

    def _in_cells(self, cards: tuple[DetectedCard, ...], tableau: Tableau) -> dict[Cell, DetectedCard] | None:
        """The seen cards in the game's cells; None while they cannot be brought together."""
        seen = {c.cell: c for c in cards if c.cell is not None}
        if not tableau:
            self._naming = Registration(0, (0, 0), 0, 0)
        elif self._naming is None:
            found = register(tableau, {cell: c.edges for cell, c in seen.items()})
            if found is None or found.agreeing < min(2, len(tableau)):
                return None
            self._naming = found
        naming = self._naming
        assert naming is not None
        return {naming.cell(cell): renamed(c, naming.turns, naming.shift) for cell, c in seen.items()}

    def _fresh(self, tableau: Tableau) -> list[DetectedCard]:
        """The cards that are not yet the game's, the earliest seen first."""
        return [c for c in self._named.values() if c.cell not in tableau and c.cell not in self._rejected]

    def _command(self, session: Session, tableau: Tableau, *, is_quiet: bool) -> Command | None:
        """What the earliest new card means."""
        thing = self._words.thing
        lying = {cell: thing(edges) for cell, edges in tableau.items()}
        fresh = self._fresh(tableau)
        base = {cell: one for cell, one in lying.items() if cell in self._named} or lying
        for last in range(1, len(fresh) + 1):
            after = base | {c.cell: thing(c.edges) for c in fresh[:last] if c.cell is not None}
            if commands := session.game.interpret(session.state, lying, after):
                return commands[0]
        if not self._named and is_quiet and (commands := session.game.interpret(session.state, lying, {})):
            return commands[0]
        return None


def _unexpected(session: Session, fresh: Sequence[DetectedCard], size: tuple[int, int]) -> dict[str, Notice]:
    """That a card was laid while the game waits for something else, and for what."""
    waits = _WAITS_FOR.get(session.game.view(session.state)["phase"])
    plain = [card for card in fresh if None not in card.edges]
    if waits is None or not plain:
        return {}
    x, y = plain[0].centre
    return {"wrong-phase": Notice("wrong-phase", f"A new card lies there, but {waits}.", (x / size[0], y / size[1]))}


def _differences(
    tableau: Tableau, named: Mapping[Cell, DetectedCard], size: tuple[int, int], *, is_quiet: bool
) -> dict[str, Notice]:
    """What people should hear when the table is not as the game has it."""
    notices: dict[str, Notice] = {}
    missing = sum(cell not in named for cell in tableau)
    if missing and is_quiet:
        text = "A card of the tableau is not in its place." if missing == 1 else f"{missing} cards are not in place."
        notices["card-missing"] = Notice("card-missing", text)
    for cell, card in named.items():
        at = (card.centre[0] / size[0], card.centre[1] / size[1])
        if cell in tableau and not agree(tableau[cell], card.edges):
            text = "A card looks different from what was confirmed."
            notices["card-differs"] = Notice("card-differs", text, at)
        if None in card.edges and cell not in tableau:
            text = "A card cannot be read: turn it, light it, or enter it by hand."
            notices["unsure"] = Notice("unsure", text, at)
    return notices
