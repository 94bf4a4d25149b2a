"""Re-reads the stored pictures of past games with today's recognizer and rules, and reports the differences.

Each picture is read by itself, as a table at rest, and interpreted against the game before its move, as
`companion.app.watching` does. The origin and the east axis of a lattice are arbitrary: two moves are the same when one
rotation and shift of the whole table maps one onto the other and leaves the cards before the move in place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.profiles import profile_for
from companion.errors import JournalError, Refusal
from companion.games import GAMES
from companion.interpretation.interpreter import Interpretation, Interpreter
from companion.interpretation.lattice import LatticeInterpreter
from companion.referee.folder import kept_picture
from companion.referee.moves import KeptPicture
from companion.referee.past import PastGame, SurvivingMove, past_game
from companion.referee.session import Session, begin
from companion.rules.engine import Command, Event
from companion.rules.hexgrid import Cell, maps_between
from companion.vision.calibration.calibration import Calibration, read_calibration
from companion.vision.calibration.drift import check_drift
from companion.vision.enrolment.profile import read_profile_object
from companion.vision.evidence import Mark, marks_of
from companion.vision.image.codec import decode_picture
from companion.vision.recognizer import Recognizer
from companion.vision.results import DetectedCard
from companion.vision.tracking.layouts import Edges
from companion.vision.tracking.tracker import Tracker
from companion.vision.tracking.tracks import SettleTimes

_AT_REST = SettleTimes(card_s=0.1, start_s=0.1, removal_s=0.1, doubt_s=0.4)
_READINGS = 8
"""How often a picture is read at most, before a card that cannot be read is reported as such."""
Tableau = Mapping[Cell, Edges]


@dataclass(frozen=True, slots=True)
class Difference:
    """A move that today's recognizer or rules judge differently.

    Attributes:
        code: ``read-differently``, ``not-read``, ``picture-damaged``, ``rules-differ`` or ``rules-refuse``.
        was: the command in the journal.
        now: the command read from the picture today; None when it means nothing or was not read.
    """

    move: int
    code: str
    was: Command
    now: Command | None
    message: str

    def as_json(self) -> dict[str, Any]:
        """The JSON that ``companion review`` prints."""
        now = None if self.now is None else dict(self.now)
        return {"move": self.move, "code": self.code, "was": dict(self.was), "now": now, "message": self.message}


@dataclass(slots=True)
class Review:
    """The outcome of reviewing one game.

    Attributes:
        read_again: how many pictures were read again.
        not_kept: how many pictures had been deleted to make room.
        left_out: how many pictures are of another version, such as one that painted outlines over them.
        trouble: why the game could not be reviewed, or not to its end.
    """

    number: int
    path: Path
    game: str = ""
    players: tuple[str, ...] = ()
    moves: int = 0
    read_again: int = 0
    not_kept: int = 0
    left_out: int = 0
    trouble: str | None = None
    differing: list[Difference] = field(default_factory=list)

    @property
    def is_as_it_was(self) -> bool:
        """Whether there is no difference."""
        return not self.differing and self.trouble is None

    def as_json(self) -> dict[str, Any]:
        """The JSON that ``companion review`` prints."""
        return {
            "number": self.number,
            "file": str(self.path),
            "game": self.game,
            "players": list(self.players),
            "moves": self.moves,
            "read_again": self.read_again,
            "not_kept": self.not_kept,
            "left_out": self.left_out,
            "trouble": self.trouble,
            "differing": [difference.as_json() for difference in self.differing],
        }


def review(path: Path, profile: Path | None = None, calibration: Path | None = None) -> Review:
    """Review one game.

    Args:
        path: its journal.
        profile: profile file of a deck's printing. None, and where the game is played with another deck, stands for
            the one by which the journal's data folder has it read.
        calibration: calibration file, for games with zones.

    Raises:
        UsageError: the profile or the calibration cannot be read.
    """
    try:
        game = past_game(path)
    except JournalError as error:
        return Review(int(path.stem), path, trouble=error.message)
    outcome = Review(game.number, path, game.header.game, game.header.players, len(game.moves))
    read = None if calibration is None else read_calibration(calibration)
    reader = _PictureReader(game, profile, read) if outcome.game in GAMES else None
    if reader is None and any(move.evidence for move in game.moves):
        outcome.trouble = f"no camera reads {outcome.game} any more"
    _replay(game, outcome, reader)
    return outcome


def _replay(game: PastGame, outcome: Review, reader: "_PictureReader | None") -> None:
    """Replay the game by today's rules, and read every picture before its move."""
    session = begin(game.header, 1)
    for number, move in enumerate(game.moves, 1):
        if reader is not None and move.evidence is not None:
            reader.check_picture(move.evidence, number, move, session, outcome)
        try:
            state, events = session.game.apply(session.state, move.command)
        except Refusal as refusal:
            outcome.differing.append(Difference(number, "rules-refuse", move.command, None, refusal.message))
            outcome.trouble = f"move {number} is not allowed any more, so nothing after it was looked at"
            return
        if move.events is not None and list(move.events) != list(events):
            message = f"it caused {_names(move.events)}; by today's rules it causes {_names(events)}"
            outcome.differing.append(Difference(number, "rules-differ", move.command, move.command, message))
        session = replace(session, state=state)


def _names(events: tuple[Event, ...]) -> str:
    return ", ".join(str(dict(event)) for event in events) or "nothing"


class _PictureReader:
    """Reads one game's pictures with today's recognizer."""

    def __init__(self, game: PastGame, profile: Path | None, calibration: Calibration | None) -> None:
        self._path = game.path
        self._game = game.header.game
        spec = GAMES[self._game]
        self._reader = spec.recognizer()
        edition = spec.deck_edition(game.header)
        is_own = profile is not None and _is_of_deck(profile, self._reader, edition)
        own = profile if is_own else profile_for(game.path.absolute().parents[1], self._game, edition)
        self._classifier = self._reader.classifier(edition, own)
        self._interpreter = spec.interpreter()
        self._calibration = calibration

    def check_picture(
        self, kept: KeptPicture, number: int, move: SurvivingMove, session: Session, outcome: Review
    ) -> None:
        """Read a move's picture again and add the difference to the outcome."""
        try:
            jpeg = kept_picture(self._path, kept)
        except JournalError as error:
            outcome.differing.append(Difference(number, "picture-damaged", move.command, None, error.message))
            return
        marks, bgr = (None, None) if jpeg is None else (marks_of(jpeg), decode_picture(jpeg))
        if jpeg is None:
            outcome.not_kept += 1
        elif marks is None or bgr is None:
            outcome.left_out += 1
        else:
            outcome.read_again += 1
            difference = self._difference(bgr, marks, number, move, session)
            outcome.differing += [] if difference is None else [difference]

    def _at_rest(self, bgr: NDArray[np.uint8], marks: tuple[Mark, ...]) -> Any:
        """A tracker that has settled on one unchanging picture."""
        tracker = self._reader.tracker(self._classifier, _AT_REST)
        for _ in range(_READINGS):
            for event in tracker.step(bgr):
                self._interpreter.note_change(event)
            if tracker.cards is not None:
                break
        return _SettledTracker(tracker, marks)

    def _difference(
        self, bgr: NDArray[np.uint8], marks: tuple[Mark, ...], number: int, move: SurvivingMove, session: Session
    ) -> Difference | None:
        """What a picture is read as today, where that is another move than was made; None where it is the same."""
        if self._calibration is not None:
            self._interpreter.note_zones(check_drift(self._calibration, bgr).zone_of)
        elif any(mark.zone for mark in marks):
            self._interpreter.note_zones(lambda point_px: _zone(point_px, marks))
        interpretation = self._interpreter.interpret(self._at_rest(bgr, marks), session, (bgr.shape[1], bgr.shape[0]))
        if interpretation.command is None:
            return Difference(number, "not-read", move.command, None, _reason(interpretation))
        if is_same_move(self._interpreter, session, interpretation.command, move.command):
            return None
        message = "the picture says something else"
        return Difference(number, "read-differently", move.command, interpretation.command, message)


def _is_of_deck(profile: Path, reader: Recognizer, edition: str | None) -> bool:
    """Whether a profile's file is of an edition's deck, or of one that the game does not know. Raises `UsageError`."""
    held, teaching = read_profile_object(profile), reader.teaching
    others = () if teaching is None else (deck for deck in teaching.decks if deck != teaching.deck_of(edition))
    return held["game"] == reader.name and held.get("deck") not in others


class _SettledTracker:
    """A tracker that has seen one picture, with its cards in the order in which they were laid."""

    def __init__(self, tracker: Tracker[Any], marks: tuple[Mark, ...]) -> None:
        self._tracker, self._marks = tracker, marks

    @property
    def cards(self) -> tuple[DetectedCard, ...] | None:
        """The cards that lay there before the move first, then the cards of the move."""
        cards = self._tracker.cards
        return None if cards is None else tuple(sorted(cards, key=lambda card: _rank(card, self._marks)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)


def _zone(point_px: tuple[float, float], marks: tuple[Mark, ...]) -> str | None:
    """The zone of the card that was detected at a pixel; None for none."""
    hits = (mark for mark in marks if cv2.pointPolygonTest(mark.corners.reshape(-1, 1, 2), point_px, False) >= 0)
    return next((mark.zone for mark in hits), None)


def _rank(card: DetectedCard, marks: tuple[Mark, ...]) -> int:
    """0 for a card that lay there before the move, 1 for a card of the move, 2 for one not recognised then."""
    for mark in marks:
        distance_px = float(np.linalg.norm(card.corners.mean(0) - mark.corners.mean(0)))
        if distance_px < 0.5 * card.side:
            return int(mark.is_new)
    return 2


def _reason(interpretation: Interpretation) -> str:
    texts = " ".join(notice.text for notice in interpretation.notices.values() if notice.text)
    return texts or "the picture says nothing that the game has words for"


def is_same_move(interpreter: Interpreter, session: Session, one: Command, other: Command) -> bool:
    """Whether two commands have the same effect in this session; a refused one equals only itself."""
    if dict(one) == dict(other):
        return True
    try:
        first, _ = session.game.apply(session.state, one)
        second, _ = session.game.apply(session.state, other)
    except Refusal:
        return False
    if first == second:
        return True
    if not isinstance(interpreter, LatticeInterpreter):
        return False
    before, a, b = session.game.view(session.state), session.game.view(first), session.game.view(second)
    is_alike = all(a[part] == b[part] for part in ("phase", "turn", "players", "result"))
    return is_alike and is_congruent(interpreter.tableau(a), interpreter.tableau(b), interpreter.tableau(before))


def is_congruent(one: Tableau, other: Tableau, before: Tableau) -> bool:
    """Whether one rotation and shift maps one table onto the other, and the table before the move onto itself."""
    return any(way.table(before) == dict(before) for way in maps_between(one, other))
