"""The vision thread: takes frames, tracks the cards, and proposes the moves that they mean to the referee.

It knows no rules and no game: the game's interpreter (`companion.interpretation`) compares the settled cards with the
session. A rejected proposal is not made again until the cards there have changed. A notice of something that happens
once, such as a moved camera, is shown for `PASSING_S`.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion import games
from companion.devices.camera import RETRY_S, Camera, Frame
from companion.errors import DeviceError, ModelError, TableError
from companion.interpretation.interpreter import Interpretation
from companion.referee.messages import Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.referee.session import Session, settles
from companion.rules.engine import Command
from companion.vision.calibration.calibration import read_calibration
from companion.vision.calibration.drift import DriftMonitor
from companion.vision.evidence import evidence_picture
from companion.vision.tracking.tracks import SettleTimes

SETTLING_S = 1.5
"""How long the table changes before the notice that it is settling."""
PASSING_S = 8.0
"""How long the notice of a single happening is shown."""

_GLARE_LEVEL, _MIN_GLARE_SHARE = 250, 0.12
"""A place glares of which more than this share is as bright in all channels, of 255."""
_GLARE_RADIUS = 0.04
"""Half the window's side, as a share of the picture's width."""
_GLARES = "Light glares on a card there: turn it, tilt the lamp or shade it; or enter the card by hand."
_SETTLES = "Something moves on the table: it is read once it lies still."
_ENDED = "The recording has come to its end: from here on moves are entered by hand."
_SAID_BY_THE_INTERPRETER = ("unsure",)
"""It says so for as long as the card lies there unread."""
FRAME_WITHIN_S = 3.0
"""A camera that gives no frame for so long is lost."""
DRIFT_CHECK_EVERY_S = 4.0
"""How often the marks are checked: a moved camera is noticed within this time and one frame."""


class WatchingNotices:
    """Keeps the notices about watching from frame to frame."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` is monotonic, in seconds."""
        self._clock = clock
        self._passing: dict[str, tuple[Mapping[str, Any], float]] = {}
        self._busy_since_s: float | None = None

    def update(self, events: Iterable[Mapping[str, Any]], *, is_quiet: bool, active: Iterable[str]) -> None:
        """Take in a frame's tracker events, whether the table is at rest, and the codes of the tracker's notices."""
        now_s = self._clock()
        for event in events:
            if event["event"] == "notice" and event["code"] not in (*active, *_SAID_BY_THE_INTERPRETER):
                self._passing[event["code"]] = event, now_s + PASSING_S
        self._passing = {code: (event, until_s) for code, (event, until_s) in self._passing.items() if until_s > now_s}
        if is_quiet:
            self._busy_since_s = None
        elif self._busy_since_s is None:
            self._busy_since_s = now_s

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the current notices about watching."""
        return (*self._passing, *(["settling"] if self._is_settling() else []))

    def merge(
        self, notices: Mapping[str, Notice], picture: NDArray[np.uint8], *, is_waiting: bool
    ) -> dict[str, Notice]:
        """The interpreter's notices together with those about watching.

        Args:
            notices: of the interpreter; ``unsure`` becomes ``glare`` where the picture is overexposed.
            picture: uint8 BGR, the frame.
            is_waiting: whether a proposal waits; then ``settling`` is not shown.
        """
        merged = {code: _notice(event, picture) for code, (event, _) in self._passing.items()} | dict(notices)
        unsure = merged.get("unsure")
        if unsure is not None and unsure.at is not None and has_glare(picture, unsure.at):
            del merged["unsure"]
            merged["glare"] = Notice("glare", _GLARES, unsure.at)
        if not merged and not is_waiting and self._is_settling():
            merged["settling"] = Notice("settling", _SETTLES)
        return merged

    def _is_settling(self) -> bool:
        return self._busy_since_s is not None and self._clock() - self._busy_since_s >= SETTLING_S


def _notice(event: Mapping[str, Any], picture: NDArray[np.uint8]) -> Notice:
    """A tracker's notice of a picture, as the referee tells it."""
    at, (height, width) = event.get("at"), picture.shape[:2]
    return Notice(event["code"], event["message"], None if at is None else (at[0] / width, at[1] / height))


def _puts_right(command: Command, proposed: Command) -> bool:
    """Whether a move is the same player's of the kind proposed, but another."""
    return command != proposed and settles(command, proposed)


def has_glare(picture: NDArray[np.uint8], at: tuple[float, float]) -> bool:
    """Whether the picture is overexposed around a point, given as fractions of its width and height."""
    height, width = picture.shape[:2]
    x, y, radius = at[0] * width, at[1] * height, max(4.0, _GLARE_RADIUS * width)
    window = picture[max(0, int(y - radius)) : int(y + radius) + 1, max(0, int(x - radius)) : int(x + radius) + 1]
    return bool(window.size) and float((window.min(axis=2) >= _GLARE_LEVEL).mean()) > _MIN_GLARE_SHARE


class Watching:
    """Watches a table for a referee: `start` it, `stop` it, ask for its `health`."""

    def __init__(
        self,
        camera: Camera,
        referee: Referee,
        game: str,
        *,
        deck: str | None = None,
        profile: Path | None = None,
        calibration: Path | None = None,
        settle_times: SettleTimes | None = None,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = print,
    ) -> None:
        """A watcher of one game.

        Args:
            camera: source of frames; opened and closed by the watching thread.
            referee: receives proposals and notices.
            deck: the deck's name; None for that of the game's edition.
            profile: profile file of the deck's printing.
            calibration: calibration file of the camera.
            settle_times: how long things must lie still.
            clock: monotonic.
            say: prints why watching ended.

        Raises:
            UsageError: no such game, or the profile or the calibration cannot be read.
        """
        spec = games.game(game)
        recognizer = spec.recognizer()
        header = referee.latest().header
        self._deck = game, spec.deck_edition(header)
        self._camera = camera
        self._referee = referee
        self._clock = clock
        self._say = say
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
        edition = recognizer.edition(deck) or spec.deck_edition(header)
        classifier = recognizer.classifier(edition, profile)
        self._tracker = recognizer.tracker(classifier, settle_times or SettleTimes())
        self._interpreter = spec.interpreter()
        self._notices = WatchingNotices(clock)
        self._drift_monitor = None if calibration is None else DriftMonitor(read_calibration(calibration))
        if self._drift_monitor is not None:
            self._interpreter.note_zones(self._drift_monitor.zone_of)
        self._drift_notices: dict[str, Notice] = {}
        self._checked_s = -DRIFT_CHECK_EVERY_S
        self._proposed: tuple[int, Command] | None = None
        self._held: tuple[Command | None, float] = None, 0.0
        self._amendments = 0
        self._shown: dict[str, Notice] = {}
        self._revision = 0
        self._interpreted: tuple[Any, ...] = ()
        self._state = "starting"
        self._frames = 0
        self._last_frame_s: float | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching and release the camera."""
        self._stopping.set()
        self._camera.close()
        if self._thread.is_alive():
            self._thread.join(FRAME_WITHIN_S + 1.0)

    def health(self) -> dict[str, Any]:
        """``state`` (starting, ok, lost, ended, unused), ``frames``, ``frame_age_s`` of the newest, and ``cards``.

        ``cards`` is how many are known to lie on the table; None before it has first settled.
        """
        age = None if self._last_frame_s is None else round(self._clock() - self._last_frame_s, 2)
        cards = None if self._tracker.cards is None else len(self._tracker.cards)
        status = {"state": self._state, "camera": self._camera.name, "frames": self._frames}
        return {**status, "frame_age_s": age, "cards": cards}

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        """Watch, and open a lost camera anew, until the recording ends or the watcher is stopped."""
        while not self._stopping.is_set():
            try:
                self._camera.open()
                self._watch()
            except DeviceError as error:
                self._state = "lost"
                self._show({"camera-lost": Notice("camera-lost", f"The camera is lost: {error.message}")})
            except ModelError as error:  # there is nothing to try again: the game goes on by hand
                self._state = "unused"
                self._show({"camera-unused": Notice("camera-unused", f"The camera is not used: {error.message}.")})
                self._say(error.message)
                return
            else:
                self._state = "ended"
                if not self._stopping.is_set():
                    self._show({"camera-ended": Notice("camera-ended", _ENDED)})
                return
            finally:
                self._camera.close()
            self._stopping.wait(RETRY_S)

    def _watch(self) -> None:
        """Take frames until there are no more. Raises `DeviceError` when the camera fails."""
        while not self._stopping.is_set():
            frame = self._camera.next(FRAME_WITHIN_S)
            if frame is None:
                return
            self._state, self._frames, self._last_frame_s = "ok", self._frames + 1, self._clock()
            before = self._tracker.cards or ()
            events = self._tracker.step(frame.picture, frame.at_s)
            for event in events:
                self._interpreter.note_change(event)
                self._revision += 1
                if self._drift_monitor is not None and event.get("code") == "camera-moved":
                    self._drift_monitor.follow(
                        *([c.corners for c in cards] for cards in (before, self._tracker.cards or ()))
                    )
            self._check_marks(frame.picture)
            self._notices.update(events, is_quiet=self._tracker.is_quiet, active=self._tracker.active_notices)
            session = self._referee.latest()
            notices = (*self._tracker.active_notices, *self._drift_notices, *self._notices.codes)
            inputs = (session.version, self._revision, self._tracker.is_quiet, notices)
            # a game of another deck may have begun: this watcher is about to be stopped
            if games.deck_played(session.header) == self._deck and inputs != self._interpreted:
                self._interpreted = inputs
                self._compare(frame, session)

    def _check_marks(self, picture: NDArray[np.uint8]) -> None:
        """Compare the marks with the calibration, now and then."""
        if self._drift_monitor is None or self._clock() - self._checked_s < DRIFT_CHECK_EVERY_S:
            return
        self._checked_s = self._clock()
        drift = self._drift_monitor.check(picture)
        self._drift_notices = {drift.code: Notice(drift.code, drift.message)} if drift.code else {}

    # ------------------------------------------------------------ proposals

    def _compare(self, frame: Frame, session: Session) -> None:
        """Interpret the cards against the session, propose the move and show the notices."""
        picture = frame.picture
        self._note_rejection(session)
        self._note_corrections(session)
        interpretation = self._interpreter.interpret(self._tracker, session, (picture.shape[1], picture.shape[0]))
        if self._is_held(interpretation, frame.at_s):
            interpretation, self._interpreted = replace(interpretation, command=None), ()  # looked at again at once
        if interpretation.is_open:
            self._propose(session, interpretation, picture)
        is_waiting = self._referee.latest().proposal is not None
        self._show(
            self._notices.merge({**interpretation.notices, **self._drift_notices}, picture, is_waiting=is_waiting)
        )

    def _is_held(self, interpretation: Interpretation, at_s: float) -> bool:
        """Whether the table has not lain still for long enough to propose the command; seconds by the camera."""
        command, since_s = self._held
        if interpretation.command != command or not self._tracker.is_quiet or at_s < since_s:
            self._held = interpretation.command, at_s
        return at_s - self._held[1] < interpretation.hold_s

    def _note_rejection(self, session: Session) -> None:
        """Tell the interpreter of a rejection: our proposal is gone and nothing else changed; or that it was put right.

        What was confirmed was not rejected: taken back, it is proposed again. Nor was what waited when a game began.
        """
        if self._proposed is None or session.proposal is not None or session.version <= self._proposed[0]:
            return
        version, command = self._proposed
        self._proposed = None
        latest = session.moves[-1].command if session.moves else {}
        if session.state_version <= version:
            self._interpreter.note_rejection(command, session)
        elif _puts_right(latest, command):
            self._interpreter.note_correction(command, session)

    def _note_corrections(self, session: Session) -> None:
        """Tell the interpreter which confirmed moves were put right since."""
        for amendment in session.amendments[self._amendments :]:
            for was, now in zip(amendment.was, amendment.now, strict=False):
                if amendment.did == "correct" and _puts_right(now.command, was.command):
                    self._interpreter.note_correction(was.command, session)
        self._amendments = len(session.amendments)

    def _propose(self, session: Session, interpretation: Interpretation, picture: NDArray[np.uint8]) -> None:
        """Propose the interpreted command, or withdraw what waits when there is none."""
        waiting = session.proposal.command if session.proposal is not None else None
        if interpretation.command is None:
            if waiting is not None:  # ours, or of the watcher before this one
                self._referee.notify(Propose(None))
                self._proposed = None
            return
        if waiting == interpretation.command:
            self._proposed = session.version, interpretation.command
            return
        zone_of = None if self._drift_monitor is None else self._drift_monitor.zone_of
        jpeg = evidence_picture(picture, interpretation.cards, interpretation.new_cards, zone_of)
        evidence = Evidence(jpeg, float(interpretation.confidence), interpretation.alternatives)
        try:
            answer = self._referee.ask(Propose(interpretation.command, evidence))
        except TableError:  # a disk that stalls holds the referee up: look again
            self._interpreted = ()
            return
        self._proposed = (answer.version, interpretation.command)

    # ------------------------------------------------------------ notices

    def _show(self, notices: dict[str, Notice]) -> None:
        """Show these notices at the referee and clear the others of ours."""
        for code, notice in notices.items():
            shown = self._shown.get(code)
            if shown is None or shown.text != notice.text:
                self._referee.notify(notice)
        for code in self._shown.keys() - notices.keys():
            self._referee.notify(Notice(code, None))
        self._shown = notices
