"""Interprets two display cases: who owns each, and which card was laid where since the last move.

A case belongs to the player whose case in the game it resembles most. Equal cases, as at the start, are assigned by the
calibration's zones named after players, and otherwise from left to right.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.rules.legality import SPIDER
from companion.games.hexapod.vision.placements import Laid, Place, cells_under, with_card
from companion.games.hexapod.vision.results import DetectedField, Kinds
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.results import DetectedCard
from companion.vision.tracking.tracker import Tracker

CasesByPlayer = Mapping[str, Sequence[Sequence[str | None]]]
"""By player, the rows of the case in the game."""

SIDE = 2
"""Cells along a card's side."""

_Spiders = list[list[tuple[int, int]]]
"""The cells that show the Spider, of each field that does."""


@dataclass(frozen=True, slots=True)
class _LaidIn:
    """A card that was laid in a case."""

    board: int
    card: Laid

    def over(self, case: Sequence[Sequence[str | None]]) -> Kinds:
        """The case with the card in it."""
        return with_card(tuple(map(tuple, case)), self.card)


def interpreter() -> "CaseInterpreter":
    """A new interpreter of two display cases."""
    return CaseInterpreter()


class CaseInterpreter:
    """Interpreter of Hexapod."""

    def __init__(self) -> None:
        self._zone_of: ZoneOf | None = None
        self._rejected: list[tuple[Command, Kinds]] = []
        self._spiders: _Spiders = []
        self._rejected_spiders: _Spiders | None = None
        self._cases: dict[str, DetectedField] = {}
        self._boards: dict[int, str] = {}
        self._misread: dict[tuple[str, Place], tuple[str, str]] = {}
        self._laid: list[_LaidIn] = []

    def note_change(self, event: Mapping[str, Any]) -> None:
        """See `Interpreter`. Keeps which cards were laid in which case, in order, until it changes in another way.

        What was rejected needs no note: `interpret` drops it once the case has changed.
        """
        if event["event"] == "placed" and "row" in event:
            (a, b), (c, d) = event["cells"]
            card = Laid((event["row"], event["col"]), ((a, b), (c, d)))
            self._laid.append(_LaidIn(event["board"], card))
            for cell in cells_under(card.place):
                self._misread.pop((self._boards.get(event["board"], ""), cell), None)
        elif event["event"] in ("table", "removed", "moved", "placed") and event.get("board") is not None:
            self._laid = [laid for laid in self._laid if laid.board != event["board"]]
        elif event["event"] == "table":
            self._laid = []

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        if command["cmd"] == "play" and command["player"] in self._cases:
            self._rejected.append((command, self._cases[command["player"]].cells))
        elif command["cmd"] == "spider":
            self._rejected_spiders = self._spiders

    def note_correction(self, command: Command, session: Session) -> None:
        """See `Interpreter`. Keeps what each insect that was read wrongly is, for as long as it is read as that."""
        if command["cmd"] != "play":
            return
        name, place = command["player"], (command["row"], command["col"])
        case = session.game.view(session.state)["players"][name]["case"]
        read = [kind for row in command["card"]["cells"] for kind in row]
        for cell, kind in zip(cells_under(place), read, strict=True):
            if (right := _at(case, cell)) not in (None, kind):
                self._misread[name, cell] = kind, right

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`."""
        self._zone_of = zone_of

    def interpret(self, tracker: Tracker[Any], session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        if tracker.cards is None:
            return Interpretation(is_open=False)
        fields = [field for field in tracker.cards if isinstance(field, DetectedField)]
        cases = [field for field in fields if field.is_case]
        loose = [[list(row) for row in field.cells] for field in fields if not field.is_case]
        players = session.game.view(session.state)["players"]
        known = {name: player["case"] for name, player in players.items()}
        self._cases = self._assign(cases, known)
        self._rejected = [(c, cells) for c, cells in self._rejected if self._cells_of(c["player"]) == cells]
        self._spiders = _spiders(fields)
        if self._spiders != self._rejected_spiders:
            self._rejected_spiders = None
        self._boards = {cases.index(field): name for name, field in self._cases.items()}
        self._misread = {(name, cell): kinds for (name, cell), kinds in self._misread.items() if _at(known[name], cell)}
        shown = {
            name: replace(field, cells=self._put_right(name, field.cells, known)) for name, field in self._cases.items()
        }
        after: dict[str | None, Any] = {name: field.cells for name, field in shown.items()}
        one_by_one = self._one_by_one(known, session)
        commands = session.game.interpret(session.state, {}, {**after, None: loose})
        if self._rejected_spiders is not None:
            commands = tuple(command for command in commands if command["cmd"] != "spider")
        commands = commands or one_by_one
        rejected = [command for command, _ in self._rejected]
        command = next((c for c in commands if c not in rejected), None)
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        if tracker.is_quiet and not commands:
            notices |= _differences(shown, known, size)
        new_cards = self._new_cards(command)
        confidence = min((field.confidence for field in (new_cards or cases)), default=1.0)
        return Interpretation(notices, command, new_cards, [_case_card(field) for field in cases], confidence)

    def _put_right(self, name: str, seen: Kinds, known: CasesByPlayer) -> Kinds:
        """A player's case as it is seen, with what is known to be read wrongly put right."""
        cells = [list(row) for row in seen]
        for (whose, cell), (read, right) in self._misread.items():
            if whose == name and (_at(seen, cell), _at(known[name], cell)) == (read, right):
                cells[cell[0]][cell[1]] = right
        return tuple(map(tuple, cells))

    def _one_by_one(self, known: CasesByPlayer, session: Session) -> tuple[Command, ...]:
        """The first play of several in one case that no single card explains: as the cards were laid.

        None while one of them shows only in part: which card that is nobody can say.
        """
        names = self._boards
        self._laid = [
            laid for laid in self._laid if laid.board not in names or self._is_new(laid, names[laid.board], known)
        ]
        for board, name in names.items():
            first = next((laid for laid in self._laid if laid.board == board), None)
            if first is None or not first.card.is_whole:
                continue
            if commands := session.game.interpret(session.state, {}, {name: first.over(known[name])}):
                return commands
        return ()

    def _is_new(self, laid: _LaidIn, name: str, known: CasesByPlayer) -> bool:
        """Whether a player's case does not show a card yet, as far as its insects are known."""
        return self._put_right(name, laid.over(known[name]), known) != tuple(map(tuple, known[name]))

    def _assign(self, cases: Sequence[DetectedField], known: CasesByPlayer) -> dict[str, DetectedField]:
        """The players' cases by the best agreement with the game; ties go by zone, then from left to right."""
        ordered = sorted(cases, key=lambda field: (self._rank(field, tuple(known)), *field.centre))
        return max(
            (dict(zip(names, ordered, strict=False)) for names in permutations(known)),
            key=lambda assigned: sum(_agreement(field.cells, known[name]) for name, field in assigned.items()),
            default={},
        )

    def _rank(self, field: DetectedField, names: Sequence[str]) -> int:
        """The index of the player whose zone a case lies in; the number of players for no player's zone."""
        zone = None if self._zone_of is None else self._zone_of(field.centre)
        folded = [name.casefold() for name in names]
        return folded.index(zone.casefold()) if zone is not None and zone.casefold() in folded else len(folded)

    def _cells_of(self, name: str) -> Kinds | None:
        return self._cases[name].cells if name in self._cases else None

    def _new_cards(self, command: Command | None) -> list[DetectedCard]:
        """The card that a command lays, outlined in its case."""
        if command is None or command["cmd"] != "play" or command["player"] not in self._cases:
            return []
        field, row, col = self._cases[command["player"]], command["row"], command["col"]
        kinds = tuple(kind for cells in command["card"]["cells"] for kind in cells)
        corners = _card_corners(field, row, col)
        return [DetectedCard(None, kinds, corners, field.confidence, field.confidence, np.zeros((4, 0)))]


def _spiders(fields: Iterable[DetectedField]) -> _Spiders:
    """The cells that show the Spider, of each field that does, whichever field comes first."""
    places = [
        [(r, c) for r, row in enumerate(field.cells) for c, kind in enumerate(row) if kind == SPIDER]
        for field in fields
    ]
    return sorted(cells for cells in places if cells)


def _agreement(cells: Kinds, known: Sequence[Sequence[str | None]]) -> int:
    """The number of equal insects minus the number of different ones."""
    pairs = [(a, b) for row, lies in zip(cells, known, strict=False) for a, b in zip(row, lies, strict=False)]
    return sum((a == b) - (a != b) for a, b in pairs if a is not None and b is not None)


def _differences(cases: Mapping[str, DetectedField], known: CasesByPlayer, size: tuple[int, int]) -> dict[str, Notice]:
    """The notice for a case at rest that differs from the game's and that no single card explains.

    What cannot be read where the game has an insect, and all else is as in the game, is that insect.
    """
    for name, field in cases.items():
        cells = [(r, c) for r, row in enumerate(field.cells) for c, _ in enumerate(row)]
        unread = [at for at in cells if field.doubt[at[0]][at[1]]]
        different = [at for at in cells if at not in unread and field.cells[at[0]][at[1]] != _at(known[name], at)]
        doubtful = [at for at in unread if different or _at(known[name], at) is None]
        if doubtful:
            text = f"Part of {name}'s case cannot be read: straighten the cards, or enter the card by hand."
            return {"unsure": Notice("unsure", text, _spot(field, doubtful[0], size))}
        if different:
            text = f"{name}'s case does not look as it was confirmed: lay one card at a time, or enter it by hand."
            return {"card-differs": Notice("card-differs", text, _spot(field, different[0], size))}
    return {}


def _at(rows: Sequence[Sequence[str | None]], at: tuple[int, int]) -> str | None:
    return rows[at[0]][at[1]] if at[0] < len(rows) and at[1] < len(rows[at[0]]) else None


def _spot(field: DetectedField, at: tuple[int, int], size: tuple[int, int]) -> tuple[float, float]:
    x, y = _to_pixels(field, [(at[1] + 0.5, at[0] + 0.5)])[0]
    return float(x) / size[0], float(y) / size[1]


def _card_corners(field: DetectedField, row: int, col: int) -> NDArray[np.float32]:
    """The corners (4, 2) in pixels of the card whose top left cell is (row, col)."""
    return _to_pixels(field, [(col, row), (col + SIDE, row), (col + SIDE, row + SIDE), (col, row + SIDE)])


def _to_pixels(field: DetectedField, points: Iterable[tuple[float, float]]) -> NDArray[np.float32]:
    """Map points from cells, counted from the field's top left corner, to pixels (N, 2)."""
    rows, cols = len(field.cells), len(field.cells[0])
    square = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32)
    image_from_field = cv2.getPerspectiveTransform(square, field.corners.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(np.array([list(points)], np.float32), image_from_field)[0], np.float32)


def _case_card(field: DetectedField) -> DetectedCard:
    """A case's outline as a card without symbols, for the evidence picture."""
    return DetectedCard(None, (), field.corners, field.confidence, field.confidence, np.zeros((0, 0)))
