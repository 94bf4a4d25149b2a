"""Frames in, settled readings out to the referee: the vision thread.

It knows no rules and no game: what is seen is laid beside what the session says (`companion.meaning`), and what that
means is proposed. What a person rejected is not proposed again until the cards there have changed.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion import games
from companion.devices.camera import Camera
from companion.errors import DeviceError, ModelError
from companion.interpretation.interpreter import Interpretation
from companion.interpretation.states import States
from companion.referee.messages import Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.vision.calibration.calibration import read_calibration
from companion.vision.calibration.drift import DriftMonitor
from companion.vision.evidence import evidence_picture
from companion.vision.tracking.events import SettleTimes

_ENDED = "The recording has come to its end: from here on moves are entered by hand."
FRAME_WITHIN_S = 3.0
RETRY_S = 2.0
ANCHOR_S = 4.0
"""How often the marks are looked for: a camera that was moved is noticed within this, and a picture's time."""


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
        patience: SettleTimes | None = None,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = print,
    ) -> None:
        """A watcher of one game.

        Args:
            camera: where frames come from; opened and closed by the watching thread.
            referee: who is told.
            game: its name. Raises `UsageError` for one that no reader knows.
            deck: its name; None for that of the game's edition.
            profile: file of what was learnt of the deck's printing. Raises `UsageError` when it is none.
            calibration: file that says where the camera stands. Raises `UsageError` when it is none.
            patience: how long things must lie still.
            clock: never jumps.
            say: where the line goes that says why nothing is watched any more.
        """
        spec = games.game(game)
        recognizer = spec.recognizer()
        self._game = game
        self._camera = camera
        self._referee = referee
        self._clock = clock
        self._say = say
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
        edition = recognizer.edition(deck) or spec.deck_edition(referee.latest().header)
        classifier = recognizer.classifier(edition, profile)
        self._tracker = recognizer.tracker(classifier, patience or SettleTimes())
        self._meaning = spec.interpreter()
        self._states = States(clock)
        self._anchor = None if calibration is None else DriftMonitor(read_calibration(calibration))
        if self._anchor is not None:
            self._meaning.note_zones(self._anchor.zone_of)
        self._anchored: dict[str, Notice] = {}
        self._anchored_s = -ANCHOR_S
        self._proposed: tuple[int, Command] | None = None
        self._shown: dict[str, Notice] = {}
        self._revision = 0
        self._looked_at: tuple[Any, ...] = ()
        self._state = "starting"
        self._frames = 0
        self._last_frame_s: float | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching and let the camera go."""
        self._stopping.set()
        self._camera.close()
        if self._thread.is_alive():
            self._thread.join(FRAME_WITHIN_S + 1.0)

    def health(self) -> dict[str, Any]:
        """``state`` (starting, ok, lost, ended, unused), ``frames`` so far and ``frame_age_s`` of the newest."""
        age = None if self._last_frame_s is None else round(self._clock() - self._last_frame_s, 2)
        return {"state": self._state, "camera": self._camera.name, "frames": self._frames, "frame_age_s": age}

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
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
            happened = self._tracker.step(frame.picture, frame.at_s)
            for told in happened:
                self._meaning.note_change(told)
                self._revision += 1
                if self._anchor is not None and told.get("code") == "camera-moved":
                    self._anchor.follow(*([c.corners for c in cards] for cards in (before, self._tracker.cards or ())))
            self._check_marks(frame.picture)
            self._states.hear(happened, is_quiet=self._tracker.is_quiet, standing=self._tracker.active_notices)
            session = self._referee.latest()
            holding = (*self._tracker.active_notices, *self._anchored, *self._states.holding)
            looked_at = (session.version, self._revision, self._tracker.is_quiet, holding)
            is_ours = (
                session.header.game == self._game
            )  # else another game was begun, and this watching is soon stopped
            if is_ours and looked_at != self._looked_at:
                self._looked_at = looked_at
                self._compare(frame.picture, session)

    def _check_marks(self, picture: NDArray[np.uint8]) -> None:
        if self._anchor is None or self._clock() - self._anchored_s < ANCHOR_S:
            return
        self._anchored_s = self._clock()
        now = self._anchor.check(picture)
        self._anchored = {now.code: Notice(now.code, now.message)} if now.code else {}

    # ------------------------------------------------------------ proposals

    def _compare(self, picture: NDArray[np.uint8], session: Session) -> None:
        """Lay what is seen beside what the session says, propose what it means, tell what people should hear."""
        self._note_rejection(session)
        outlook = self._meaning.of(self._tracker, session, (picture.shape[1], picture.shape[0]))
        if outlook.is_open:
            self._propose(session, outlook, picture)
        is_waiting = self._referee.latest().proposal is not None
        self._show(self._states.among({**outlook.notices, **self._anchored}, picture, is_waiting=is_waiting))

    def _note_rejection(self, session: Session) -> None:
        """Our proposal no longer waits and the game did not go on by it: a person rejected it."""
        if self._proposed is None or session.proposal is not None or session.version <= self._proposed[0]:
            return
        self._meaning.note_rejection(self._proposed[1], session)
        self._proposed = None

    def _propose(self, session: Session, outlook: Interpretation, picture: NDArray[np.uint8]) -> None:
        """Propose what was seen, or withdraw what no longer holds."""
        waiting = session.proposal.command if session.proposal is not None else None
        if outlook.command is None:
            if waiting is not None and self._proposed is not None and waiting == self._proposed[1]:
                self._referee.notify(Propose(None))
                self._proposed = None
            return
        if waiting == outlook.command:
            return
        zone_of = None if self._anchor is None else self._anchor.zone_of
        jpeg = evidence_picture(picture, outlook.cards, outlook.news, zone_of)
        evidence = Evidence(jpeg, float(outlook.confidence), outlook.chances)
        answer = self._referee.ask(Propose(outlook.command, evidence))
        self._proposed = (answer.version, outlook.command)

    # ------------------------------------------------------------ notices

    def _show(self, notices: dict[str, Notice]) -> None:
        """Tell the referee which notices hold now; those that hold no longer are cleared."""
        for code, notice in notices.items():
            shown = self._shown.get(code)
            if shown is None or shown.text != notice.text:
                self._referee.notify(notice)
        for code in self._shown.keys() - notices.keys():
            self._referee.notify(Notice(code, None))
        self._shown = notices
