"""Interprets cards on the pots: a few face-up cards lying together on one pot are a set.

Without zones no card is on a pot; sets are then entered by hand, and a notice says why.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from companion.games.comet.rules.scoring import is_triple
from companion.games.comet.vision.results import NUMBERS, DetectedCometCard
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.tracking.tracker import Tracker

Card = tuple[int, ...] | None
"""Three numbers, ascending; None for a card face down or not read."""
CardsByPot = dict[str, list[Card]]

MAX_DISTANCE = 1.15
"""Cards of one set lie side by side or fanned: greatest distance of their centres, in lengths of a card."""

MAX_CARDS = 3
"""Cards in a set."""
_ALONE_S = 3.0
"""A card that lies alone, and is no set alone, waits so long for the next one of its set."""
_MIN_PROBABILITY = 0.001
"""Numbers less likely than this are not offered."""


def interpreter() -> "CometInterpreter":
    """A new interpreter of Comet's pots."""
    return CometInterpreter()


class CometInterpreter:
    """Interpreter of Seven Card Comet."""

    def __init__(self) -> None:
        self._zone_of: ZoneOf | None = None
        self._rejected: set[tuple[str, tuple[Card, ...]]] = set()
        self._rejected_step: tuple[Command, CardsByPot] | None = None
        self._lying: CardsByPot = {}
        self._before: CardsByPot = {}

    def note_change(self, event: Mapping[str, Any]) -> None:
        """See `Interpreter`. Does nothing: `interpret` drops a rejection once other cards lie together."""

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        if command["cmd"] == "set":
            self._rejected.add((command["pot"], tuple(sorted(tuple(sorted(card)) for card in command["cards"]))))
        else:
            self._rejected_step = command, self._lying

    def note_correction(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        self.note_rejection(command, session)

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`."""
        self._zone_of = zone_of

    def interpret(self, tracker: Tracker[Any], session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        if tracker.cards is None:
            return Interpretation(is_open=False)
        cards = [card for card in tracker.cards if isinstance(card, DetectedCometCard)]
        on_pots = self._on_pots(cards, session.game.view(session.state)["table"]["pots"])
        groups = [(pot, group) for pot, on_pot in on_pots.items() for group in group_cards(on_pot)]
        self._lying = {pot: list(_faces(on_pot)) for pot, on_pot in on_pots.items()}
        self._rejected &= {(pot, _faces(group)) for pot, group in groups}
        if self._rejected_step is not None and self._rejected_step[1] != self._lying:
            self._rejected_step = None
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        notices |= _unsure([card for on_pot in on_pots.values() for card in on_pot], size)
        if self._zone_of is None and cards:
            text = "The camera does not know where the pots lie: calibrate the table."
            notices["no-zones"] = Notice("no-zones", text)
        if any(_is_too_many(group, pot, session) for pot, group in groups):
            text = "Cards of more than one set lie together: leave a gap between one set and the next."
            notices["sets-touch"] = Notice("sets-touch", text)
        command, new_cards = self._command(session, groups)
        confidence = min((card.confidence for card in new_cards), default=1.0)
        alternatives = () if command is None else number_alternatives(command, new_cards)
        hold_s = _ALONE_S if command is not None and _is_begun(command) else 0.0
        return Interpretation(notices, command, new_cards, cards, confidence, alternatives, hold_s)

    def _on_pots(self, cards: Iterable[DetectedCometCard], pots: Iterable[str]) -> dict[str, list[DetectedCometCard]]:
        """The cards on each pot; zones are matched to pots without regard to case."""
        names = {pot.casefold(): pot for pot in pots}
        on_pots: dict[str, list[DetectedCometCard]] = {}
        for card in cards:
            zone = self._zone_of(card.centre) if self._zone_of is not None else None
            if zone is not None and zone.casefold() in names:
                on_pots.setdefault(names[zone.casefold()], []).append(card)
        return on_pots

    def _command(
        self,
        session: Session,
        groups: Sequence[tuple[str, Sequence[DetectedCometCard]]],
    ) -> tuple[Command | None, Sequence[DetectedCometCard]]:
        """The first set among the groups with its cards, whole ones first; else what all pots together mean."""
        begun: tuple[Command, Sequence[DetectedCometCard]] | None = None
        for pot, group in groups:
            faces = _faces(group)
            if None in faces or (pot, faces) in self._rejected:
                continue
            found = session.game.interpret(session.state, {}, {pot: faces})
            if found and found[0]["cmd"] == "set":
                if not _is_begun(found[0]):
                    return found[0], group
                begun = begun or (found[0], group)
        if begun is not None:
            return begun
        before = {} if self._lying else self._before
        self._before = self._lying or self._before
        commands = [c for c in session.game.interpret(session.state, before, self._lying) if c["cmd"] != "set"]
        rejected = None if self._rejected_step is None else self._rejected_step[0]
        return next((c for c in commands if c != rejected), None), ()


def _is_begun(command: Command) -> bool:
    """Whether a command is a set of one card that is none alone."""
    cards = command.get("cards", ())
    return len(cards) == 1 and not is_triple(cards[0])


def group_cards(cards: Sequence[DetectedCometCard]) -> list[list[DetectedCometCard]]:
    """Group the cards that lie together; groups and their cards keep the order of the cards."""
    groups: list[list[DetectedCometCard]] = []
    for card in cards:
        touching = [group for group in groups if any(_are_together(card, other) for other in group)]
        merged = [other for group in touching for other in group] + [card]
        groups = [group for group in groups if group not in touching] + [merged]
    return groups


def _are_together(a: DetectedCometCard, b: DetectedCometCard) -> bool:
    lengths = [np.linalg.norm(card.corners - np.roll(card.corners, 1, 0), axis=1).max() for card in (a, b)]
    return float(np.hypot(*np.subtract(a.centre, b.centre))) < MAX_DISTANCE * float(min(lengths))


def _is_too_many(group: Sequence[DetectedCometCard], pot: str, session: Session) -> bool:
    """Whether more new cards lie together than a set holds."""
    sets = session.game.view(session.state)["table"]["sets"]
    known = Counter(tuple(sorted(card)) for laid in sets if laid["pot"] == pot for card in laid["cards"])
    new = Counter(face for face in _faces(group) if face is not None)
    return session.game.view(session.state)["phase"] == "lay" and (new - known).total() > MAX_CARDS


def _faces(cards: Iterable[DetectedCometCard]) -> tuple[Card, ...]:
    return tuple(sorted((_numbers(card) for card in cards), key=lambda numbers: numbers or ()))


def _numbers(card: DetectedCometCard) -> Card:
    numbers = [value for value in card.values or () if value is not None]
    return tuple(numbers) if len(numbers) == 3 else None


def _unsure(cards: Iterable[DetectedCometCard], size: tuple[int, int]) -> dict[str, Notice]:
    text = "A card on a pot cannot be read: turn it, light it, or enter its set by hand."
    spot = next((card.centre for card in cards if None in card.edges), None)
    return {} if spot is None else {"unsure": Notice("unsure", text, (spot[0] / size[0], spot[1] / size[1]))}


def number_alternatives(command: Command, new_cards: Sequence[DetectedCometCard]) -> list[Any]:
    """For every number of a set's cards: ``[["cards", card, n], {number: probability}]``.

    Args:
        command: the set.
        new_cards: its cards as detected.
    """
    alternatives: list[Any] = []
    unmatched = list(new_cards)
    for n, values in enumerate(command.get("cards", ())):
        card = next((detected for detected in unmatched if detected.values == sorted(values)), None)
        if card is None:
            continue
        unmatched.remove(card)
        sections = sorted(range(len(values)), key=lambda section: int(card.edges[section] or 0))
        places = sorted(range(len(values)), key=lambda place: values[place])
        for place, section in zip(places, sections, strict=True):
            row = card.probabilities[section].tolist()
            likely = {
                str(number): round(p, 4) for number, p in zip(NUMBERS, row, strict=False) if p >= _MIN_PROBABILITY
            }
            alternatives.append([["cards", n, place], likely])
    return alternatives
