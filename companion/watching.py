"""Frames in, settled readings out to the referee: the vision thread.

It knows no rules: it lays what is seen beside what the session says lies there, asks the game what the difference
means, and proposes that. What a person rejected is not proposed again until the cards there have changed.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from companion.devices.camera import Camera
from companion.errors import DeviceError, UsageError
from companion.referee.messages import Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell
from companion.vision.overlay import evidence_picture
from companion.vision.profile import read_profile
from companion.vision.readers import READERS
from companion.vision.register import Edges, Registration, agree, register
from companion.vision.seen import SeenCard, renamed
from companion.vision.settling import Patience, Settler

FRAME_WITHIN_S = 3.0
RETRY_S = 2.0


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
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A watcher of one game.

        Args:
            camera: where frames come from; opened and closed by the watching thread.
            referee: who is told.
            game: its name. Raises `UsageError` for one that no reader knows.
            deck: its name; None for that of the game's edition.
            profile: file of what was learnt of the deck's printing. Raises `UsageError` when it is none.
            patience: how long things must lie still.
            clock: never jumps.
        """
        if game not in READERS:
            raise UsageError(f"no camera reading for {game} (known: {', '.join(READERS)})", code="unknown-game")
        self._camera = camera
        self._referee = referee
        self._reader = READERS[game]
        if deck is not None and deck not in self._reader.decks:
            raise UsageError(f"no such deck: {deck} (known: {', '.join(self._reader.decks)})", code="unknown-deck")
        self._patience = patience
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
        edition = referee.latest().header.edition if deck is None else deck.removeprefix(game)
        namer = self._reader.namer(edition, None if profile is None else read_profile(profile))
        self._settler = Settler(self._reader, namer, patience)
        self._naming: Registration | None = None
        self._rejected: dict[Cell, Edges] = {}
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
        """``state`` (starting, ok, lost, ended), ``frames`` so far and ``frame_age_s`` of the newest."""
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
            else:
                self._state = "ended"
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
            for told in self._settler.step(frame.picture):
                self._note_change(told)
                self._revision += 1
            session = self._referee.latest()
            looked_at = (session.version, self._revision, self._settler.is_quiet, tuple(self._settler.standing))
            if looked_at != self._looked_at:
                self._looked_at = looked_at
                self._compare(frame.picture, session)

    def _note_change(self, told: dict[str, Any]) -> None:
        """Cards that were laid, taken or turned anew may be proposed anew."""
        if told["event"] == "table":
            self._naming = None
        if told["event"] in ("placed", "removed", "moved") and told["cell"] is not None and self._naming is not None:
            self._rejected.pop(self._naming.cell((told["cell"][0], told["cell"][1])), None)

    # ------------------------------------------------------------ what is seen beside what is known

    def _compare(self, picture: np.ndarray, session: Session) -> None:
        cards = self._settler.cards
        if cards is None:
            self._show({})
            return
        tableau = self._reader.lying(session.game.view(session.state))
        named = self._named(cards, tableau)
        notices = {code: Notice(code, text) for code, text in self._settler.standing.items()}
        if named is None:
            text = "The cards on the table are not those of this game."
            notices["table-differs"] = Notice("table-differs", text)
            self._show(notices)
            return
        self._note_rejection(session, tableau, named)
        notices |= self._differences(tableau, named, picture)
        self._propose(session, tableau, named, picture)
        self._show(notices)

    def _named(self, cards: tuple[SeenCard, ...], tableau: dict[Cell, Edges]) -> dict[Cell, SeenCard] | None:
        """The seen cards in the game's cells; None while they cannot be brought together."""
        seen = {c.cell: c for c in cards if c.cell is not None}
        if not tableau:
            self._naming = Registration(0, (0, 0), 0, 0)
        elif self._naming is None:
            self._naming = register(tableau, {cell: c.edges for cell, c in seen.items()})
            if self._naming is None or self._naming.agreeing < min(2, len(tableau)):
                self._naming = None
                return None
        naming = self._naming
        assert naming is not None
        return {naming.cell(cell): renamed(c, naming.turns, naming.shift) for cell, c in seen.items()}

    def _differences(
        self, tableau: dict[Cell, Edges], named: dict[Cell, SeenCard], picture: np.ndarray
    ) -> dict[str, Notice]:
        h, w = picture.shape[:2]
        notices: dict[str, Notice] = {}
        missing = [cell for cell in tableau if cell not in named]
        if missing and self._settler.is_quiet:
            text = (
                "A card of the tableau is not in its place."
                if len(missing) == 1
                else f"{len(missing)} cards are not in place."
            )
            notices["card-missing"] = Notice("card-missing", text)
        for cell, card in named.items():
            if cell in tableau and not agree(tableau[cell], card.edges):
                x, y = card.centre
                notices["card-differs"] = Notice(
                    "card-differs", "A card looks different from what was confirmed.", (x / w, y / h)
                )
            if None in card.edges and cell not in tableau:
                x, y = card.centre
                notices["unsure"] = Notice(
                    "unsure", "A card cannot be read: turn it, light it, or enter it by hand.", (x / w, y / h)
                )
        return notices

    # ------------------------------------------------------------ proposals

    def _note_rejection(self, session: Session, tableau: dict[Cell, Edges], named: dict[Cell, SeenCard]) -> None:
        """Our proposal no longer waits and its cards did not come to lie in the tableau: a person rejected it."""
        if self._proposed is None or session.proposal is not None or session.version <= self._proposed[0]:
            return
        for cell in self._reader.cells(self._proposed[1]):
            if cell not in tableau and cell in named:
                self._rejected[cell] = named[cell].edges
        self._proposed = None

    def _propose(
        self, session: Session, tableau: dict[Cell, Edges], named: dict[Cell, SeenCard], picture: np.ndarray
    ) -> None:
        """Propose what the earliest new card means, or withdraw what no longer holds."""
        commands: tuple[Command, ...] = ()
        fresh = [c for c in named.values() if c.cell not in tableau and c.cell not in self._rejected]
        base = {cell: edges for cell, edges in tableau.items() if cell in named} or tableau
        for last in range(1, len(fresh) + 1):
            after = base | {c.cell: c.edges for c in fresh[:last] if c.cell is not None}
            commands = session.game.interpret(session.state, tableau, after)
            if commands:
                break
        if not commands and not named and self._settler.is_quiet:
            commands = session.game.interpret(session.state, tableau, {})
        waiting = session.proposal.command if session.proposal is not None else None
        if not commands:
            if waiting is not None and self._proposed is not None and waiting == self._proposed[1]:
                self._referee.tell(Propose(None))
                self._proposed = None
            return
        command = commands[0]
        if waiting is not None and waiting == command:
            return
        cells = set(self._reader.cells(command))
        news = [c for c in fresh if c.cell in cells]
        confidence = min((c.confidence for c in news), default=1.0)
        evidence = Evidence(evidence_picture(picture, list(named.values()), news), float(confidence))
        answer = self._referee.ask(Propose(command, evidence))
        self._proposed = (answer.version, command)

    # ------------------------------------------------------------ notices

    def _show(self, notices: dict[str, Notice]) -> None:
        """Tell the referee which notices hold now; those that hold no longer are cleared."""
        for code, notice in notices.items():
            shown = self._shown.get(code)
            if shown is None or shown.text != notice.text:
                self._referee.tell(notice)
        for code in self._shown.keys() - notices.keys():
            self._referee.tell(Notice(code, None))
        self._shown = notices
