"""A Hexapod table over time: cards laid in cases and beside them, told once each when they lie at rest.

Every frame costs a glance (`stillness`). A known case or card where something changed and has lain still is looked at
again where it lies; the whole picture is read only for what changed elsewhere. What is told is plain JSON, as
`companion watch` prints it, without frame and time.
"""

from dataclasses import dataclass, replace

import numpy as np

from companion.games.hexapod.vision.association import begun_alike, found_again, is_same_place, was_pushed
from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.events import cell_corners, moved, placed, removed
from companion.games.hexapod.vision.orientation import looked_again
from companion.games.hexapod.vision.placements import laid_card, news_of, with_card
from companion.games.hexapod.vision.plausibility import is_card, is_case, judged
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.results import HexapodReading, SeenField
from companion.vision.image.pyramid import Pyramid
from companion.vision.tracking.change_detector import Glance, cells_of
from companion.vision.tracking.events import Patience, Told, notice
from companion.vision.tracking.tracker import Following

_AROUND = 1.3
"""So much larger than a field is what must lie still for it to be looked at: a hand comes from outside."""


@dataclass(slots=True, eq=False)
class _Look:
    """What was last seen of a field, for how many looks the same, and since which frame."""

    field: SeenField
    looks: int
    since: int


class CaseFollower(Following[SeenField]):
    """Follows the cases and the loose cards of one table."""

    THINGS = "cases"

    def __init__(self, namer: InsectClassifier | None = None, patience: Patience | None = None) -> None:
        super().__init__(patience)
        self._namer = namer or PretrainedInsects()
        self._looks: dict[int, _Look] = {}
        self._shape = (0, 0)

    def _begin(self, bgr: np.ndarray, *, may_wait: bool) -> HexapodReading | None:
        reading = read_hexapod(bgr, self._namer)
        is_doubtful = any(any(map(any, case.doubt)) for case in reading.cards)
        return None if may_wait and is_doubtful else reading

    def _forget_looks(self) -> None:
        self._looks.clear()

    # ------------------------------------------------------------ changes

    def _look(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[SeenField], share: float
    ) -> list[Told]:
        self._shape = (changed.shape[0], changed.shape[1])
        if share > 0.5:
            return self._look_everywhere(bgr, glance, known)
        told, free = self._look_at_fields(bgr, glance, changed, known)
        told += self._look_elsewhere(bgr, glance, changed & free, known)
        return told + self._resting(glance, changed)

    def _look_at_fields(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[SeenField]
    ) -> tuple[list[Told], np.ndarray]:
        """Look again at the known fields that changed; what was told, and where no known field lies, bool (h, w)."""
        told: list[Told] = []
        free = np.ones(changed.shape, bool)
        pyramid: Pyramid | None = None
        for k, field in enumerate(known):
            area = cells_of(field.corners, changed.shape, 1.08)
            free &= ~area
            if float(changed[area].mean() if area.any() else 0) < 0.01:
                self._looks.pop(k, None)
                continue
            around = cells_of(field.corners, changed.shape, _AROUND)
            if int(glance.still[around & changed].min()) < self._patience.card or self._has_looked_enough(k):
                continue
            pyramid = pyramid or Pyramid.of(bgr)
            told += self._look_at(pyramid, k, changed, known)
        return told, free

    def _has_looked_enough(self, k: int) -> bool:
        """What lies there has been looked at often: now and then is enough."""
        look = self._looks.get(k)
        return look is not None and look.looks > 4 and bool(self._frame % 8)

    def _look_at(self, pyramid: Pyramid, k: int, changed: np.ndarray, known: list[SeenField]) -> list[Told]:
        field = known[k]
        upright = looked_again(pyramid, field, self._namer)
        if field.is_case and not is_case(upright):
            return []
        now, _ = judged(upright, self._namer, pyramid.levels[0].shape[1::-1], is_case=field.is_case)
        look = self._gathered(k, now)
        is_old = self._frame - look.since >= self._patience.doubt
        if look.looks < 2 or (any(map(any, now.doubt)) and not is_old):
            return []
        if field.is_case:
            return self._case_told(k, now, changed, known, is_old=is_old)
        return self._card_told(k, now, is_there=is_card(upright), known=known)

    def _gathered(self, k: int, now: SeenField) -> _Look:
        """This look with those before that saw the same."""
        look = self._looks.get(k)
        if look is not None and (look.field.cells, look.field.doubt) == (now.cells, now.doubt):
            look.looks += 1
        else:
            look = self._looks[k] = _Look(now, 1, self._frame if look is None else look.since)
        return look

    def _case_told(
        self, k: int, now: SeenField, changed: np.ndarray, known: list[SeenField], *, is_old: bool
    ) -> list[Told]:
        """What changed in a case, once it is plain."""
        before = begun_alike(known[k], now)
        shares = _changed_cells(before, changed)
        if was_pushed(known[k], now):
            shares[:] = 0.0  # all of it looks different, for it lies elsewhere
        laid = laid_card(before, now, shares)
        news = news_of(before, now)
        if laid is not None:
            known[k] = replace(now, cells=with_card(before.cells, laid), doubt=now.doubt)
            self._settled(k, known[k])
            return [placed(k, now, laid)]
        if news and not any(map(any, now.doubt)):
            known[k] = now
            self._settled(k, now)
            return [removed(k, now, news) if None in news.values() else moved(k, now, news)]
        if not news and (is_old or not any(map(any, now.doubt))):
            known[k] = known[k] if any(map(any, now.doubt)) else now
            self._settled(k, now, only_read=True)
        return []

    def _card_told(self, k: int, now: SeenField, *, is_there: bool, known: list[SeenField]) -> list[Told]:
        """What now lies where a loose card was known: another card, or none."""
        field = known[k]
        if not is_there:
            if self._looks[k].looks < self._patience.removal:
                return []
            known.pop(k)
            self._looks.clear()
            self._stillness.accept(cells_of(field.corners, self._shape, 1.15))
            return [{"event": "removed", "board": None, **field.as_json()}]
        if any(map(any, now.doubt)):
            return []
        known[k] = now
        self._settled(k, now)
        return [] if now.cells == field.cells else [{"event": "placed", "board": None, **now.as_json()}]

    def _settled(self, k: int, field: SeenField, *, only_read: bool = False) -> None:
        """What lies in a field is as it should be, but for the cells that could not be read."""
        where = cells_of(field.corners, self._shape, 1.1)
        if only_read:
            for place in zip(*np.nonzero(np.array(field.doubt)), strict=True):
                where &= ~cells_of(cell_corners(field, place, 1, 1), self._shape, 1.3)
        self._stillness.accept(where)
        self._looks.pop(k, None)

    # ------------------------------------------------------------ elsewhere on the table

    def _look_elsewhere(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[SeenField]
    ) -> list[Told]:
        """Read the picture where something beside the known fields changed and lies still."""
        settled = changed & (glance.still >= self._patience.card)
        moving = glance.changed & (glance.still < self._patience.card)
        if self._frame < self._next_full or moving.any() or float(settled.mean()) < 0.001:
            return []
        self._next_full = self._frame + 4
        reading = read_hexapod(bgr, self._namer)
        told: list[Told] = []
        for field in (*reading.cards, *reading.loose):
            area = cells_of(field.corners, changed.shape, 1.0)
            is_known = any(is_same_place(field, other) for other in known)
            if is_known or any(map(any, field.doubt)) or float(changed[area].mean()) <= 0.4:
                continue
            told.append(self._found_elsewhere(field, known, reading))
            self._stillness.accept(cells_of(field.corners, changed.shape, 1.15))
        self._stillness.accept(settled & (glance.still >= self._patience.doubt))
        return told

    def _found_elsewhere(self, field: SeenField, known: list[SeenField], reading: HexapodReading) -> Told:
        """A case or a card where none was known: one that was moved there, or a new one."""
        self._looks.clear()
        for k, was in enumerate(known):
            is_gone = not any(is_same_place(was, one) for one in (*reading.cards, *reading.loose))
            if is_gone and (was.is_case, was.cells) == (field.is_case, field.cells):
                known[k] = field
                self._stillness.accept(cells_of(was.corners, self._shape, 1.15))
                return {"event": "moved", "board": k if field.is_case else None, **field.as_json()}
        at = sum(one.is_case for one in known) if field.is_case else len(known)
        known.insert(at, field)
        return {"event": "placed", "board": at if field.is_case else None, **field.as_json()}

    def _look_everywhere(self, bgr: np.ndarray, glance: Glance, known: list[SeenField]) -> list[Told]:
        """Much has changed at once: find the known cases again, wherever the camera looks from now."""
        if not self._may_look_everywhere(glance):
            return []
        reading = read_hexapod(bgr, self._namer)
        again = found_again(known, reading)
        if again is None:
            return self._out_of_view()
        were_moved = not all(is_same_place(a, b) for a, b in zip(known, again, strict=False))
        known[:] = [*again, *reading.loose]
        self._looks.clear()
        self._stillness.accept()
        told = self._back_in_view()
        if were_moved:
            told.append(notice("camera-moved", "The camera or the table was moved; the cases were found again."))
        return told


def _changed_cells(field: SeenField, changed: np.ndarray) -> np.ndarray:
    """The share of each cell that looks different."""
    out = np.zeros((len(field.cells), len(field.cells[0])))
    for place in np.ndindex(out.shape):
        area = cells_of(cell_corners(field, place, 1, 1), changed.shape)
        out[place] = float(changed[area].mean()) if area.any() else 0.0
    return out
