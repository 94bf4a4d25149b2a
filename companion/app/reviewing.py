"""The second look: the stored pictures of past games read again with today's recogniser, judged by today's rules.

Each picture is read by itself, as a table that has just come to rest, and laid beside the game as it stood before its
move, as `companion.app.watching` does. What comes out otherwise than what was confirmed is told.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import JournalError, Refusal
from companion.games import GAMES
from companion.interpretation.congruence import is_same_move
from companion.interpretation.interpreter import Interpretation
from companion.referee.moves import Kept
from companion.referee.past import PastGame, past_game
from companion.referee.pictures import kept_picture
from companion.referee.session import Session, begin
from companion.referee.surviving_moves import SurvivingMove
from companion.rules.engine import Command, Event
from companion.vision.calibration.calibration import Calibration, read_calibration
from companion.vision.calibration.drift import check_drift
from companion.vision.evidence import Mark, marks_of, picture_of
from companion.vision.recognizer import TableTracker
from companion.vision.results import DetectedCard
from companion.vision.tracking.events import SettleTimes

_AT_REST = SettleTimes(card_s=0.1, start_s=0.1, removal_s=0.1, doubt_s=0.4)
_READINGS = 8
"""A picture is looked at so often at most; a card that cannot be read is then told all the same."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A move that would come out differently.

    Attributes:
        code: ``read-differently``, ``not-read``, ``picture-damaged``, ``rules-differ`` or ``rules-refuse``.
        was: the command that stands.
        now: what its picture means today; None where it means nothing, or was not asked.
    """

    move: int
    code: str
    was: Command
    now: Command | None
    message: str

    def as_json(self) -> dict[str, Any]:
        """As the command prints it."""
        now = None if self.now is None else dict(self.now)
        return {"move": self.move, "code": self.code, "was": dict(self.was), "now": now, "message": self.message}


@dataclass(slots=True)
class Review:
    """What a second look at one game came to.

    Attributes:
        read_again: how many pictures were.
        not_kept: how many had made room.
        left_out: how many are of another version, such as one that painted outlines over them.
        trouble: why there was nothing to look at, or not to the end.
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
        """Whether nothing would come out differently."""
        return not self.differing and self.trouble is None

    def as_json(self) -> dict[str, Any]:
        """As the command prints it."""
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
            "differing": [each.as_json() for each in self.differing],
        }


def review(path: Path, profile: Path | None = None, calibration: Path | None = None) -> Review:
    """Take a second look at one game.

    Args:
        path: of its journal.
        profile: file of what was learnt of the deck's printing.
        calibration: file that says where the camera stands, for games whose cards mean something by their place.

    Raises:
        UsageError: the profile or the calibration is none.
    """
    try:
        game = past_game(path)
    except JournalError as error:
        return Review(int(path.stem), path, trouble=error.message)
    told = Review(game.number, path, game.header.game, game.header.players, len(game.moves))
    stands = None if calibration is None else read_calibration(calibration)
    eyes = _Eyes(game, profile, stands) if told.game in GAMES else None
    if eyes is None and any(move.evidence for move in game.moves):
        told.trouble = f"no camera reads {told.game} any more"
    _go_through(game, told, eyes)
    return told


def _go_through(game: PastGame, told: Review, eyes: "_Eyes | None") -> None:
    """Play the game again by today's rules, looking at every picture before its move."""
    session = begin(game.header, 1)
    for number, stood in enumerate(game.moves, 1):
        if eyes is not None and stood.evidence is not None:
            eyes.check_picture(stood.evidence, number, stood, session, told)
        try:
            state, events = session.game.apply(session.state, stood.command)
        except Refusal as refusal:
            told.differing.append(Difference(number, "rules-refuse", stood.command, None, refusal.message))
            told.trouble = f"move {number} is not allowed any more, so nothing after it was looked at"
            return
        if stood.events is not None and list(stood.events) != list(events):
            message = f"it caused {_names(stood.events)}; by today's rules it causes {_names(events)}"
            told.differing.append(Difference(number, "rules-differ", stood.command, stood.command, message))
        session = replace(session, state=state)


def _names(events: tuple[Event, ...]) -> str:
    return ", ".join(str(dict(event)) for event in events) or "nothing"


class _Eyes:
    """Today's recogniser for one game's pictures."""

    def __init__(self, game: PastGame, profile: Path | None, calibration: Calibration | None) -> None:
        self._path = game.path
        self._game = game.header.game
        spec = GAMES[self._game]
        self._reader = spec.recognizer()
        self._classifier = self._reader.classifier(spec.deck_edition(game.header), profile)
        self._meaning = spec.interpreter()
        self._calibration = calibration

    def check_picture(self, kept: Kept, number: int, stood: SurvivingMove, session: Session, told: Review) -> None:
        """Read a move's picture again, and note what comes out differently."""
        try:
            jpeg = kept_picture(self._path, kept)
        except JournalError as error:
            told.differing.append(Difference(number, "picture-damaged", stood.command, None, error.message))
            return
        marks, bgr = (None, None) if jpeg is None else (marks_of(jpeg), picture_of(jpeg))
        if jpeg is None:
            told.not_kept += 1
        elif marks is None or bgr is None:
            told.left_out += 1
        else:
            told.read_again += 1
            difference = self._difference(bgr, marks, number, stood, session)
            told.differing += [] if difference is None else [difference]

    def _at_rest(self, bgr: NDArray[np.uint8], marks: tuple[Mark, ...]) -> Any:
        """The table on one picture that does not change."""
        tracker = self._reader.tracker(self._classifier, _AT_REST)
        for _ in range(_READINGS):
            for told in tracker.step(bgr):
                self._meaning.note_change(told)
            if tracker.cards is not None:
                break
        return _Still(tracker, marks)

    def _difference(
        self, bgr: NDArray[np.uint8], marks: tuple[Mark, ...], number: int, stood: SurvivingMove, session: Session
    ) -> Difference | None:
        if self._calibration is not None:
            self._meaning.note_zones(check_drift(self._calibration, bgr).zone_of)
        elif any(mark.zone for mark in marks):
            self._meaning.note_zones(lambda point_px: _zone(point_px, marks))
        outlook = self._meaning.of(self._at_rest(bgr, marks), session, (bgr.shape[1], bgr.shape[0]))
        if outlook.command is None:
            return Difference(number, "not-read", stood.command, None, _why_not(outlook))
        if is_same_move(self._meaning, session, outlook.command, stood.command):
            return None
        message = "the picture says something else"
        return Difference(number, "read-differently", stood.command, outlook.command, message)


class _Still:
    """A follower that has seen one picture, its cards in the order in which they came to the table."""

    def __init__(self, tracker: TableTracker, marks: tuple[Mark, ...]) -> None:
        self._tracker, self._marks = tracker, marks

    @property
    def cards(self) -> tuple[DetectedCard, ...] | None:
        """Those that lay there before first, then those that the move was about."""
        cards = self._tracker.cards
        return None if cards is None else tuple(sorted(cards, key=lambda card: _rank(card, self._marks)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)


def _zone(point_px: tuple[float, float], marks: tuple[Mark, ...]) -> str | None:
    """The zone in which the card that was seen there lay."""
    around = (mark for mark in marks if cv2.pointPolygonTest(mark.corners.reshape(-1, 1, 2), point_px, False) >= 0)
    return next((mark.zone for mark in around), None)


def _rank(card: DetectedCard, marks: tuple[Mark, ...]) -> int:
    """0 for a card known then, 1 for one that the move was about, 2 for one that was not recognised."""
    for mark in marks:
        apart = float(np.linalg.norm(card.corners.mean(0) - mark.corners.mean(0)))
        if apart < 0.5 * card.side:
            return int(mark.is_news)
    return 2


def _why_not(outlook: Interpretation) -> str:
    said = " ".join(notice.text for notice in outlook.notices.values() if notice.text)
    return said or "the picture says nothing that the game has words for"
