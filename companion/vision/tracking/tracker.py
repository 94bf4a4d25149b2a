"""What following a table over time is, whatever lies on it: when to look, and what people hear of light and hands.

A game's follower says how its table is read and what a change means; see `settling` and `hexapod_following`.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

import cv2
import numpy as np

from companion.vision.tracking.change_detector import Glance, Stillness
from companion.vision.tracking.events import Notices, Patience, Told

Thing = TypeVar("Thing")

_CHANGED = 0.0005
"""Where less of the picture has changed than this share, nothing has."""
_START = 0.97
"""So much of the picture lies still when the table is first read."""
_ANEW = 0.9
"""So much of it lies still when everything is looked for anew."""
_AT_REST = 0.6


class Seen(Protocol):
    """A reading of the whole table."""

    @property
    def cards(self) -> tuple[Any, ...]:
        """What lies where the game has it."""

    @property
    def loose(self) -> tuple[Any, ...]:
        """What lies elsewhere."""

    def as_json(self) -> dict[str, Any]:
        """As it is told."""


class Following(ABC, Generic[Thing]):
    """Follows one table; see `readers.Follower`.

    Attributes:
        THINGS: what lies on the table, in a sentence.
    """

    THINGS = "cards"

    def __init__(self, patience: Patience | None) -> None:
        self._patience = patience or Patience()
        self._stillness = Stillness()
        self._notices = Notices()
        self._known: list[Thing] | None = None
        self._frame = 0
        self._next_full = 0
        self._busy = 0

    @property
    def cards(self) -> tuple[Thing, ...] | None:
        """What is known to lie on the table; None before it has first settled."""
        return None if self._known is None else tuple(self._known)

    @property
    def is_quiet(self) -> bool:
        """Nothing differs from what is known and told."""
        return self._known is not None and self._busy == 0

    @property
    def standing(self) -> dict[str, str]:
        """Notices that hold now: code to text."""
        return self._notices.standing

    def step(self, bgr: np.ndarray) -> list[Told]:
        """Take in one frame, uint8 (h, w, 3); return what has settled with it."""
        self._frame += 1
        glance = self._stillness.look(bgr)
        if glance.dark:
            self._forget_looks()
            return self._notices.say("dark", "It is too dark to see the table.")
        told = self._notices.unsay("dark", "light-back", "There is light again.")
        if self._known is None:
            return told + self._first(bgr, glance)
        return told + self._changes(bgr, glance, self._known)

    # ------------------------------------------------------------ what a game says

    @abstractmethod
    def _begin(self, bgr: np.ndarray, *, may_wait: bool) -> Seen | None:
        """Read the table for the first time; None to wait, where that is allowed, for what cannot be read yet."""

    @abstractmethod
    def _look(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[Thing], share: float
    ) -> list[Told]:
        """Tell what has settled where the picture changed, ``share`` of it, and bring ``known`` to it."""

    @abstractmethod
    def _forget_looks(self) -> None:
        """Let go of what was seen of things that are not told yet."""

    def _come_to_rest(self) -> None:
        """Nothing differs any more."""
        self._forget_looks()

    # ------------------------------------------------------------ when to look

    def _first(self, bgr: np.ndarray, glance: Glance) -> list[Told]:
        if not self._may_read_all(glance, _START, 3):
            return []
        reading = self._begin(bgr, may_wait=self._frame < self._patience.doubt)
        if reading is None:
            return []
        self._known = [*reading.cards, *reading.loose]
        self._stillness.accept()
        return [{"event": "table", **reading.as_json()}]

    def _changes(self, bgr: np.ndarray, glance: Glance, known: list[Thing]) -> list[Told]:
        changed = cv2.morphologyEx(glance.changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
        share = float(changed.mean())
        if share < _CHANGED:
            self._come_to_rest()
            self._busy = 0
            return self._notices.unsay("hand-resting") + self._back_in_view()
        self._busy += 1
        return self._look(bgr, glance, changed, known, share)

    def _may_read_all(self, glance: Glance, still: float, pause: int) -> bool:
        """Whether so much lies still, and the last reading of it all was long enough ago; if so, the next pauses."""
        if float((glance.still >= self._patience.start).mean()) < still or self._frame < self._next_full:
            return False
        self._next_full = self._frame + pause
        return True

    def _may_look_everywhere(self, glance: Glance) -> bool:
        """Whether everything may be looked for anew, as much has changed at once."""
        return self._may_read_all(glance, _ANEW, 5)

    # ------------------------------------------------------------ what people hear

    def _resting(self, glance: Glance, changed: np.ndarray) -> list[Told]:
        """That a hand rests over the table, once it has for long."""
        if self._busy < self._patience.resting or not self._is_at_rest(glance, changed):
            return []
        return self._notices.say("hand-resting", "A hand or a thing rests over the table.")

    def _is_at_rest(self, glance: Glance, changed: np.ndarray) -> bool:
        """What differs from the known table has lain as it is for long."""
        return bool(changed.any()) and float((glance.still[changed] >= self._patience.resting).mean()) > _AT_REST

    def _out_of_view(self) -> list[Told]:
        text = f"The {self.THINGS} cannot be found: is something in front of the camera?"
        return self._notices.say("table-lost", text)

    def _back_in_view(self) -> list[Told]:
        return self._notices.unsay("table-lost", "table-found", f"The {self.THINGS} are in view again.")
