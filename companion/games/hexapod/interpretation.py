"""What two display cases mean: whose each is, which card was laid where, by what shows now and did not before.

A case belongs to the player whose case in the game it looks like; cases alike, as in the beginning, go by the zones of
the calibration that carry players' names, and else from left to right.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

import cv2
import numpy as np

from companion.games.hexapod.vision.results import DetectedField, Kinds
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Notice
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.drift import ZoneOf
from companion.vision.recognizer import TableTracker
from companion.vision.results import DetectedCard

Known = Mapping[str, Sequence[Sequence[str | None]]]
"""By player, what lies in the case as the game has it."""

SIDE = 2
"""Cells along a card's side."""


def interpreter() -> "CaseInterpreter":
    """A fresh interpreter of two display cases."""
    return CaseInterpreter()


class CaseInterpreter:
    """Hexapod; see `outlook.Interpreter`."""

    def __init__(self) -> None:
        self._zone_of: ZoneOf | None = None
        self._rejected: list[tuple[Command, Kinds]] = []
        self._mine: dict[str, DetectedField] = {}

    def note_change(self, told: Mapping[str, Any]) -> None:
        """See `Interpreter`. A rejection holds for as long as the case shows the very same; see `of`."""

    def note_rejection(self, command: Command, session: Session) -> None:
        """See `Interpreter`."""
        if command["cmd"] == "play" and command["player"] in self._mine:
            self._rejected.append((command, self._mine[command["player"]].cells))

    def note_zones(self, zone_of: ZoneOf) -> None:
        """See `Interpreter`."""
        self._zone_of = zone_of

    def of(self, tracker: TableTracker, session: Session, size: tuple[int, int]) -> Interpretation:
        """See `Interpreter`."""
        if tracker.cards is None:
            return Interpretation(is_open=False)
        seen = [field for field in tracker.cards if isinstance(field, DetectedField)]
        cases = [field for field in seen if field.is_case]
        loose = [[list(row) for row in field.cells] for field in seen if not field.is_case]
        players = session.game.view(session.state)["players"]
        known = {name: player["case"] for name, player in players.items()}
        self._mine = self._owned(cases, known)
        self._rejected = [(c, cells) for c, cells in self._rejected if self._shows(c["player"]) == cells]
        after: dict[str | None, Any] = {name: field.cells for name, field in self._mine.items()}
        found = session.game.interpret(session.state, {}, {**after, None: loose})
        command = next((c for c in found if not self._is_rejected(c)), None)
        notices = {code: Notice(code, text) for code, text in tracker.active_notices.items()}
        if tracker.is_quiet and not found:
            notices |= _differences(self._mine, known, size)
        news = self._news(command)
        sure = min((field.confidence for field in (news or cases)), default=1.0)
        return Interpretation(notices, command, news, [_framed(field) for field in cases], sure)

    def _owned(self, cases: Sequence[DetectedField], known: Known) -> dict[str, DetectedField]:
        """Each player's case, as far as cases are seen: as agrees best, and the usual way where nothing tells."""
        usual = sorted(cases, key=lambda field: (self._rank(field, tuple(known)), *field.centre))
        return max(
            (dict(zip(names, usual, strict=False)) for names in permutations(known)),
            key=lambda owned: sum(_agreement(field.cells, known[name]) for name, field in owned.items()),
            default={},
        )

    def _rank(self, field: DetectedField, names: Sequence[str]) -> int:
        """Where a case comes by the zone it lies in; those in no player's zone come last."""
        zone = None if self._zone_of is None else self._zone_of(field.centre)
        folded = [name.casefold() for name in names]
        return folded.index(zone.casefold()) if zone is not None and zone.casefold() in folded else len(folded)

    def _shows(self, name: str) -> Kinds | None:
        return self._mine[name].cells if name in self._mine else None

    def _is_rejected(self, command: Command) -> bool:
        return any(command == rejected for rejected, _ in self._rejected)

    def _news(self, command: Command | None) -> list[DetectedCard]:
        """The card that a command lays, outlined in its case."""
        if command is None or command["cmd"] != "play" or command["player"] not in self._mine:
            return []
        field, row, col = self._mine[command["player"]], command["row"], command["col"]
        kinds = tuple(kind for cells in command["card"]["cells"] for kind in cells)
        return [
            DetectedCard(None, kinds, _window(field, row, col), field.confidence, field.confidence, np.zeros((4, 0)))
        ]


def _agreement(cells: Kinds, known: Sequence[Sequence[str | None]]) -> int:
    """How many insects are the same, less those that differ."""
    pairs = [(a, b) for row, lies in zip(cells, known, strict=False) for a, b in zip(row, lies, strict=False)]
    return sum((a == b) - (a != b) for a, b in pairs if a is not None and b is not None)


def _differences(mine: Mapping[str, DetectedField], known: Known, size: tuple[int, int]) -> dict[str, Notice]:
    """What people should hear when a case at rest is not as the game has it and no single card explains it."""
    for name, field in mine.items():
        cells = [(r, c) for r, row in enumerate(field.cells) for c, _ in enumerate(row)]
        doubtful = [at for at in cells if field.doubt[at[0]][at[1]]]
        if doubtful:
            text = f"Part of {name}'s case cannot be read: straighten the cards, or enter the card by hand."
            return {"unsure": Notice("unsure", text, _spot(field, doubtful[0], size))}
        other = [at for at in cells if field.cells[at[0]][at[1]] != _at(known[name], at)]
        if other:
            text = f"{name}'s case does not look as it was confirmed: lay one card at a time, or enter it by hand."
            return {"card-differs": Notice("card-differs", text, _spot(field, other[0], size))}
    return {}


def _at(rows: Sequence[Sequence[str | None]], at: tuple[int, int]) -> str | None:
    return rows[at[0]][at[1]] if at[0] < len(rows) and at[1] < len(rows[at[0]]) else None


def _spot(field: DetectedField, at: tuple[int, int], size: tuple[int, int]) -> tuple[float, float]:
    x, y = _mapped(field, [(at[1] + 0.5, at[0] + 0.5)])[0]
    return float(x) / size[0], float(y) / size[1]


def _window(field: DetectedField, row: int, col: int) -> np.ndarray:
    """The corners (4, 2) in pixels of the card whose top left cell is (row, col)."""
    return _mapped(field, [(col, row), (col + SIDE, row), (col + SIDE, row + SIDE), (col, row + SIDE)])


def _mapped(field: DetectedField, points: Iterable[tuple[float, float]]) -> np.ndarray:
    """Points (N, 2) given in cells from the field's top left, as pixels."""
    rows, cols = len(field.cells), len(field.cells[0])
    square = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32)
    image_from_field = cv2.getPerspectiveTransform(square, field.corners.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(np.array([list(points)], np.float32), image_from_field)[0])


def _framed(field: DetectedField) -> DetectedCard:
    """A case as evidence shows it: its outline."""
    return DetectedCard(None, (), field.corners, field.confidence, field.confidence, np.zeros((0, 0)))
