"""What cards on the pots mean: a few cards face up that lie together on one pot are somebody's set.

Without zones a card is on no pot: then the sets are entered by hand, and people hear why.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from companion.games.comet.vision.results import NUMBERS, DetectedCometCard
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.recognizer import TableTracker

Card = tuple[int, ...] | None
"""Three numbers, ascending; None for a card face down or not read."""
Lying = dict[str, list[Card]]

TOGETHER = 1.15
"""Cards of one set lie side by side or fanned: their middles are no farther apart than so many of a card's lengths."""

MOST = 3
"""Cards in a set."""
_LEAST = 0.001
"""Numbers less likely than this are not offered."""


def interpreter() -> "CometInterpreter":
    """A fresh interpreter of Comet's pots."""
    return CometInterpreter()


class CometInterpreter:
    """Seven Card Comet; see `outlook.Interpreter`."""

    def __init__(self) -> None:
        self._zone_of: ZoneOf | None = None
        self._rejected: set[tuple[str, tuple[Card, ...]]] = set()
        self._before: Lying = {}

    def note_change(self, told: Mapping[str, Any]) -> None:
        """See `Interpreter`. A rejection holds for as long as the very same cards lie together; see `of`."""

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        if command["cmd"] == "set":
            self._rejected.add((command["pot"], tuple(sorted(tuple(sorted(card)) for card in command["cards"]))))

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`."""
        self._zone_of = zone_of

    def of(self, tracker: TableTracker, session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        if tracker.cards is None:
            return Interpretation(is_open=False)
        cards = [card for card in tracker.cards if isinstance(card, DetectedCometCard)]
        on_pots = self._on_pots(cards, session.game.view(session.state)["table"]["pots"])
        groups = [(pot, group) for pot, lying in on_pots.items() for group in together(lying)]
        self._rejected &= {(pot, _faces(group)) for pot, group in groups}
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        notices |= _unsure([card for lying in on_pots.values() for card in lying], size)
        if self._zone_of is None and cards:
            text = "The camera does not know where the pots lie: calibrate the table."
            notices["no-zones"] = Notice("no-zones", text)
        if any(_is_too_many(group, pot, session) for pot, group in groups):
            text = "Cards of more than one set lie together: leave a gap between one set and the next."
            notices["sets-touch"] = Notice("sets-touch", text)
        command, news = self._command(session, on_pots, groups)
        sure = min((card.confidence for card in news), default=1.0)
        doubts = () if command is None else number_chances(command, news)
        return Interpretation(notices, command, news, cards, sure, doubts)

    def _on_pots(self, cards: Iterable[DetectedCometCard], pots: Iterable[str]) -> dict[str, list[DetectedCometCard]]:
        """The cards on each pot; capitals do not count in the name of a zone."""
        names = {pot.casefold(): pot for pot in pots}
        lying: dict[str, list[DetectedCometCard]] = {}
        for card in cards if self._zone_of is not None else ():
            zone = self._zone_of(card.centre) if self._zone_of is not None else None
            if zone is not None and zone.casefold() in names:
                lying.setdefault(names[zone.casefold()], []).append(card)
        return lying

    def _command(
        self,
        session: Session,
        on_pots: Mapping[str, Sequence[DetectedCometCard]],
        groups: Sequence[tuple[str, Sequence[DetectedCometCard]]],
    ) -> tuple[Command | None, Sequence[DetectedCometCard]]:
        """What was laid, one group of cards at a time; else what the pots mean as a whole."""
        for pot, group in groups:
            faces = _faces(group)
            if None in faces or (pot, faces) in self._rejected:
                continue
            found = session.game.interpret(session.state, {}, {pot: faces})
            if found and found[0]["cmd"] == "set":
                return found[0], group
        now = {pot: list(_faces(lying)) for pot, lying in on_pots.items()}
        before = {} if now else self._before
        self._before = now or self._before
        whole = [c for c in session.game.interpret(session.state, before, now) if c["cmd"] != "set"]
        return (whole[0] if whole else None), ()


def together(cards: Sequence[DetectedCometCard]) -> list[list[DetectedCometCard]]:
    """The cards in groups that lie together, each group and the groups in the order of the cards."""
    groups: list[list[DetectedCometCard]] = []
    for card in cards:
        touching = [group for group in groups if any(_are_together(card, other) for other in group)]
        joined = [other for group in touching for other in group] + [card]
        groups = [group for group in groups if group not in touching] + [joined]
    return groups


def _are_together(a: DetectedCometCard, b: DetectedCometCard) -> bool:
    lengths = [np.linalg.norm(card.corners - np.roll(card.corners, 1, 0), axis=1).max() for card in (a, b)]
    return float(np.hypot(*np.subtract(a.centre, b.centre))) < TOGETHER * float(min(lengths))


def _is_too_many(group: Sequence[DetectedCometCard], pot: str, session: Session) -> bool:
    """Whether more new cards lie together than a set has."""
    sets = session.game.view(session.state)["table"]["sets"]
    known = Counter(tuple(sorted(card)) for laid in sets if laid["pot"] == pot for card in laid["cards"])
    new = Counter(face for face in _faces(group) if face is not None)
    return session.game.view(session.state)["phase"] == "lay" and (new - known).total() > MOST


def _faces(cards: Iterable[DetectedCometCard]) -> tuple[Card, ...]:
    return tuple(sorted((_numbers(card) for card in cards), key=lambda numbers: numbers or ()))


def _numbers(card: DetectedCometCard) -> Card:
    numbers = [value for value in card.values or () if value is not None]
    return tuple(numbers) if len(numbers) == 3 else None


def _unsure(cards: Iterable[DetectedCometCard], size: tuple[int, int]) -> dict[str, Notice]:
    text = "A card on a pot cannot be read: turn it, light it, or enter its set by hand."
    spot = next((card.centre for card in cards if None in card.edges), None)
    return {} if spot is None else {"unsure": Notice("unsure", text, (spot[0] / size[0], spot[1] / size[1]))}


def number_chances(command: Command, news: Sequence[DetectedCometCard]) -> list[Any]:
    """For every number of a set's cards: ``[["cards", card, n], {number: 0..1}]``.

    Args:
        command: what the hands did.
        news: the cards that say so.
    """
    told: list[Any] = []
    waiting = list(news)
    for n, values in enumerate(command.get("cards", ())):
        card = next((one for one in waiting if one.values == sorted(values)), None)
        if card is None:
            continue
        waiting.remove(card)
        sections = sorted(range(len(values)), key=lambda section: int(card.edges[section] or 0))
        places = sorted(range(len(values)), key=lambda place: values[place])
        for place, section in zip(places, sections, strict=True):
            row = card.probabilities[section].tolist()
            likely = {str(number): round(p, 4) for number, p in zip(NUMBERS, row, strict=False) if p >= _LEAST}
            told.append([["cards", n, place], likely])
    return told
