"""Interprets a lattice of cards: registers them in the game's cells and reads the new ones as a move."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.errors import Refusal
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.calibration.drift import ZoneOf
from companion.vision.results import DetectedCard, renamed
from companion.vision.tracking.layouts import Edges, Registration, agree, register
from companion.vision.tracking.tracker import Tracker

Tableau = Mapping[Cell, Edges]

_WAITS_FOR = {
    "stake": "the stake is to be set first",
    "hedge": "everyone is to put chips in the hedge first",
    "over": "the game is over",
}
"""What the game waits for in the phases in which no card is laid."""
_WHICH_FIRST = "Two cards were laid at once. Confirm if this one came first; reject it, and the other is asked for."
_LEFT_LYING = "Cards of the game before still lie there. They do not count until they are moved."


@dataclass(frozen=True, slots=True)
class LatticeTerms:
    """How a game's views and commands name cards and cells.

    Attributes:
        tableau: the cards on the table in a view, each face as a camera reads it.
        cells: the cells that a command lays cards on.
        thing: a card as the game's ``interpret`` takes it.
        alternatives: what else each field of a command may be, from its new cards and from all known ones.
    """

    tableau: Callable[[Mapping[str, Any]], dict[Cell, Edges]]
    cells: Callable[[Mapping[str, Any]], tuple[Cell, ...]]
    thing: Callable[[Edges], Any]
    alternatives: Callable[[Command, Sequence[DetectedCard], Sequence[DetectedCard]], list[Any]]


class LatticeInterpreter:
    """Interpreter of a game on a lattice."""

    def __init__(self, terms: LatticeTerms) -> None:
        self._terms = terms
        self._registration: Registration | None = None
        self._rejected: dict[Cell, Edges] = {}
        self._tableau: Tableau = {}
        self._amendments = 0
        self._left: set[Cell] = set()
        self._has_rejected_clearing = False
        self._registered: dict[Cell, DetectedCard] = {}
        self._ties: set[frozenset[Cell]] = set()
        self._placed: Cell | None = None

    def note_change(self, event: Mapping[str, Any]) -> None:
        """See `Interpreter`."""
        kind = event["event"]
        if kind == "table":
            self._registration, self._placed = None, None
            self._ties.clear()
            self._left.clear()
        if kind not in ("placed", "removed", "moved"):
            return
        here, left = (None if at is None else (at[0], at[1]) for at in (event["cell"], event.get("from")))
        if kind == "removed":
            left = here
        self._ties = {tie for tie in self._ties if left not in tie}
        if kind == "placed" or "from" in event:
            if event.get("tied") and here is not None and self._placed is not None:
                self._ties.add(frozenset((self._placed, here)))
            self._placed = here
        for seen in (here, left):
            if seen is not None and self._registration is not None:
                cell = self._registration.cell(seen)
                self._rejected.pop(cell, None)
                self._left.discard(cell)

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        tableau = self.tableau(session.game.view(session.state))
        self._has_rejected_clearing = not self._terms.cells(command)
        for cell in self._terms.cells(command):
            if cell not in tableau and cell in self._registered:
                self._rejected[cell] = self._registered[cell].edges

    def note_correction(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        self.note_rejection(command, session)

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`. A lattice has no zones."""

    def tableau(self, view: Mapping[str, Any]) -> dict[Cell, Edges]:
        """The cards on the table in a view."""
        return self._terms.tableau(view)

    def interpret(self, tracker: Tracker[Any], session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        cards = tracker.cards
        if cards is None:
            return Interpretation(is_open=False)
        tableau = self.tableau(session.game.view(session.state))
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        self._leave_out(cards, tableau, session)
        registered = self._register(cards, tableau)
        if registered is None:
            text = "The cards on the table are not those of this game."
            return Interpretation(notices | {"table-differs": Notice("table-differs", text)}, is_open=False)
        self._registered = registered
        self._has_rejected_clearing = self._has_rejected_clearing and not registered
        self._put_off(tableau)
        notices |= _differences(tableau, registered, size, is_quiet=tracker.is_quiet)
        if self._left and tracker.is_quiet:
            notices["left-lying"] = Notice("left-lying", _LEFT_LYING)
        command = self._command(session, tableau, is_quiet=tracker.is_quiet)
        if command is None and tracker.is_quiet:
            notices |= _unexpected(session, self._new_cards(tableau), size)
        cells = set(self._terms.cells(command)) if command is not None else set()
        new_cards = [c for c in self._new_cards(tableau) if c.cell in cells]
        others = [c for c in self._new_cards(tableau) if self._are_tied([*new_cards, c])]
        if others and self._is_allowed(session, tableau, others[0]):
            x, y = others[0].centre
            notices["which-first"] = Notice("which-first", _WHICH_FIRST, (x / size[0], y / size[1]))
        confidence = min((c.confidence for c in new_cards), default=1.0)
        known = list(registered.values())
        alternatives = () if command is None else self._terms.alternatives(command, new_cards, known)
        return Interpretation(notices, command, new_cards, known, confidence, alternatives)

    def _leave_out(self, cards: Sequence[DetectedCard], tableau: Tableau, session: Session) -> None:
        """Once another game has begun, count no card of the one before that lies there still, until it is moved.

        What was taken back or put right is no such card: it may be what is laid next.
        """
        gone = {cell: edges for cell, edges in self._tableau.items() if cell not in tableau}
        is_amended = len(session.amendments) > self._amendments
        self._tableau, self._amendments = tableau, len(session.amendments)
        if gone and not is_amended and self._registration is not None:
            before, now = self._registration, self._registration if tableau else Registration()
            lying = [(renamed(card, before), now.cell(card.cell)) for card in cards if card.cell is not None]
            self._left = {cell for card, cell in lying if card.cell in gone and agree(gone[card.cell], card.edges)}

    def _register(self, cards: tuple[DetectedCard, ...], tableau: Tableau) -> dict[Cell, DetectedCard] | None:
        """The detected cards in the game's cells; None while they cannot be registered."""
        detected = {c.cell: c for c in cards if c.cell is not None}
        registration = self._registration
        if not tableau:
            registration = Registration()
        elif registration is None:
            registration = register(tableau, {cell: c.edges for cell, c in detected.items()})
            if registration is None or registration.agreeing < min(2, len(tableau)):
                return None
        self._registration = registration
        return {registration.cell(cell): renamed(c, registration) for cell, c in detected.items()}

    def _new_cards(self, tableau: Tableau) -> list[DetectedCard]:
        """The cards that are not in the game yet, were not rejected nor left, the earliest seen first."""
        known = {*tableau, *self._rejected, *self._left}
        return [card for card in self._registered.values() if card.cell not in known]

    def _command(self, session: Session, tableau: Tableau, *, is_quiet: bool) -> Command | None:
        """The move that the fewest of the earliest new cards make; with an empty table, the move that clears it.

        Of two cards that came to rest together the one comes first that the rules allow.
        """
        new_cards = self._new_cards(tableau)
        if self._are_tied(new_cards[:2]):
            new_cards[:2] = sorted(new_cards[:2], key=lambda card: not self._is_allowed(session, tableau, card))
        for count in range(1, len(new_cards) + 1):
            if command := self._command_of(session, tableau, new_cards[:count]):
                return command
        is_cleared = not self._registered and is_quiet and not self._has_rejected_clearing
        return self._command_of(session, tableau, ()) if is_cleared else None

    def _command_of(self, session: Session, tableau: Tableau, new_cards: Sequence[DetectedCard]) -> Command | None:
        """The likeliest move that brings the new cards; without any and with an empty table, the one that clears it."""
        thing = self._terms.thing
        before = {cell: thing(edges) for cell, edges in tableau.items()}
        visible = {cell: card for cell, card in before.items() if cell in self._registered}
        if new_cards:
            visible = (visible or before) | {c.cell: thing(c.edges) for c in new_cards if c.cell is not None}
        return next(iter(session.game.interpret(session.state, before, visible)), None)

    # ------------------------------------------------------------ cards that came to rest together

    def _are_tied(self, cards: Sequence[DetectedCard]) -> bool:
        """Whether these are two cards of which nothing shows which was laid first."""
        cells = {card.cell for card in cards}
        return any(self._in_game(tie) == cells for tie in self._ties)

    def _in_game(self, tie: frozenset[Cell]) -> frozenset[Cell]:
        assert self._registration is not None
        return frozenset(map(self._registration.cell, tie))

    def _is_allowed(self, session: Session, tableau: Tableau, card: DetectedCard) -> bool:
        """Whether the rules allow the move that a new card makes by itself."""
        command = self._command_of(session, tableau, [card])
        if command is None:
            return False
        try:
            session.game.apply(session.state, command)
        except Refusal:
            return False
        return True

    def _put_off(self, tableau: Tableau) -> None:
        """Let a card that was rejected because another came first be proposed after that one."""
        for tie in tuple(self._ties):
            cells = self._in_game(tie)
            if cells & tableau.keys():
                self._ties.discard(tie)
                self._rejected = {cell: edges for cell, edges in self._rejected.items() if cell not in cells}


def _unexpected(session: Session, new_cards: Sequence[DetectedCard], size: tuple[int, int]) -> dict[str, Notice]:
    """The notice of a card laid while the game waits for something else."""
    reason = _WAITS_FOR.get(session.game.view(session.state)["phase"])
    readable = [card for card in new_cards if None not in card.edges]
    if reason is None or not readable:
        return {}
    x, y = readable[0].centre
    return {"wrong-phase": Notice("wrong-phase", f"A new card lies there, but {reason}.", (x / size[0], y / size[1]))}


def _differences(
    tableau: Tableau, registered: Mapping[Cell, DetectedCard], size: tuple[int, int], *, is_quiet: bool
) -> dict[str, Notice]:
    """The notices of what differs between the table and the game."""
    notices: dict[str, Notice] = {}
    missing = sum(cell not in registered for cell in tableau)
    if missing and is_quiet:
        text = "A card of the tableau is not in its place." if missing == 1 else f"{missing} cards are not in place."
        notices["card-missing"] = Notice("card-missing", text)
    for cell, card in registered.items():
        at = (card.centre[0] / size[0], card.centre[1] / size[1])
        if cell in tableau and not agree(tableau[cell], card.edges):
            text = "A card looks different from what was confirmed."
            notices["card-differs"] = Notice("card-differs", text, at)
        if None in card.edges and cell not in tableau:
            text = "A card cannot be read: turn it, light it, or enter it by hand."
            notices["unsure"] = Notice("unsure", text, at)
    return notices
