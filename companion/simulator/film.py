"""The film of a simulated Hex'el table: frame by frame what a camera above it would see, and what is true of it.

Someone else says what the hands do (`Film.lay` and its neighbours); the film lets it happen, one hand at a time, at
ten frames a second of table time. It never looks at a clock: a frame follows a frame as fast as they are asked for.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.decks.hexel import Face, outline
from companion.rules.hexgrid import Cell
from companion.simulator import gestures
from companion.simulator.gestures import Gesture, Moment
from companion.simulator.hands import drawn_hand
from companion.simulator.lying import Care, Pose, centre_mm, laid_out, spot
from companion.simulator.optics import Camera, applied, placed
from companion.simulator.painting import CARD_MM, Moving, Painter, Picture, hand_sprite
from companion.simulator.viewpoint import deck_place, seats, viewpoint

STEP_S = 0.1
_EXPOSURE_S = 0.02
_DECK_CARDS = 18


@dataclass(frozen=True, slots=True)
class Setting:
    """What the film needs to know before it begins.

    Attributes:
        edition: whose faces are drawn.
        cells: every cell that may get a card: the camera is hung so that it sees them all.
        seats: how many people sit around the table.
        seed: the table, the light, the hands and every small error follow from it.
        size: width and height of the frames.
        care: how carefully people lay.
    """

    edition: str
    cells: tuple[Cell, ...]
    seats: int = 2
    seed: int = 0
    size: tuple[int, int] = (1280, 720)
    care: Care = field(default_factory=Care)


@dataclass(frozen=True, slots=True)
class Card:
    """A card that lies on the table."""

    face: Face
    pose: Pose


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is true in one frame.

    Attributes:
        cards: the cards at rest, by cell.
        corners: their top faces' corners in the picture, ``(6, 2)``, clockwise as seen.
        moving: the cell whose card is on its way to it or from it.
        hand: whether a hand is in the picture.
    """

    cards: Mapping[Cell, Face]
    corners: Mapping[Cell, npt.NDArray[Any]]
    moving: Cell | None
    hand: bool


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of the film, BGR, and its table time."""

    bgr: Picture
    t_s: float
    truth: Truth


@dataclass(slots=True)
class _Visit:
    """A hand's visit while it lasts: whose it is, what it does, and the card and cell it is about."""

    seat: int
    cell: Cell | None
    begin: Callable[[], tuple[Gesture, Card | None]]
    gesture: Gesture | None = None
    card: Card | None = None
    since_s: float = 0.0
    taken: bool = False
    freed: bool = False


class Film:
    """A table that is filmed. Not for several threads."""

    def __init__(self, setting: Setting) -> None:
        """A table with nothing on it but the draw deck."""
        self._setting = setting
        self._rng = np.random.default_rng(setting.seed)
        camera = viewpoint(setting.cells, setting.size, self._rng)
        self._seats = seats(camera, setting.seats)
        self._painter = Painter(camera, str(self._rng.choice(["wood", "felt"])), self._rng)
        self._hands = [hand_sprite(drawn_hand(self._rng)) for _ in self._seats]
        self._deck = deck_place(camera, setting.cells)
        self._tries: Counter[Cell] = Counter()
        self._cards: dict[Cell, Card] = {}
        self._visits: deque[_Visit] = deque()
        self._table = self._painted()
        self._t_s = 0.0

    @property
    def camera(self) -> Camera:
        """The camera that films."""
        return self._painter.camera

    @property
    def is_busy(self) -> bool:
        """Whether a hand is about, or about to come."""
        return bool(self._visits)

    @property
    def lying(self) -> Mapping[Cell, Face]:
        """The cards on the table, a card in a hand apart, in the order in which they were laid."""
        return {cell: card.face for cell, card in self._cards.items()}

    def has(self, cell: Cell) -> bool:
        """Whether a card lies at a cell."""
        return cell in self._cards

    def lay_out(self, faces: Mapping[Cell, Face]) -> None:
        """Let cards lie at once, given in the order in which they were once laid; the same seed lays them the same."""
        self._tries = Counter(faces.keys())
        poses = laid_out({cell: self._seed(cell, 1) for cell in faces}, self._setting.care)
        self._cards = {cell: Card(face, poses[cell]) for cell, face in faces.items()}
        self._table = self._painted()

    def lay(self, cell: Cell, face: Face, seat: int) -> None:
        """Let someone lay a card."""

        def begin() -> tuple[Gesture, Card]:
            card = Card(face, self._spot(cell))
            return gestures.lay(card.pose, self._seats[seat], self._rng), card

        self._visits.append(_Visit(seat, cell, begin))

    def lift(self, cell: Cell, seat: int) -> None:
        """Let someone take a lying card away."""

        def begin() -> tuple[Gesture, None]:
            return gestures.lift(self._cards[cell].pose, self._seats[seat], self._rng), None

        self._visits.append(_Visit(seat, cell, begin))

    def nudge(self, cell: Cell, seat: int) -> None:
        """Let someone push a lying card a little straighter."""

        def begin() -> tuple[Gesture, Card]:
            lying = self._cards[cell]
            card = Card(lying.face, self._spot(cell))
            return gestures.nudge(lying.pose, card.pose, self._seats[seat], self._rng), card

        self._visits.append(_Visit(seat, cell, begin))

    def hover(self, cell: Cell, seat: int) -> None:
        """Let someone point at a place and change their mind."""

        def begin() -> tuple[Gesture, None]:
            return gestures.hover(Pose(*centre_mm(cell), 0.0), self._seats[seat], self._rng), None

        self._visits.append(_Visit(seat, None, begin))

    def next(self, step_s: float = STEP_S) -> Frame:
        """The next frame, ``step_s`` of table time after the one before."""
        self._t_s += step_s
        moment = self._go_on()
        things = self._things(moment) if moment else []
        scene = self._painter.over(self._table, things) if things else self._table
        return Frame(self._painter.exposed(scene, self._t_s), self._t_s, self._truth(moment))

    def _spot(self, cell: Cell) -> Pose:
        """Where a hand would put a card now. The first time it follows from the seed and the cell alone."""
        others = {c: card.pose for c, card in self._cards.items() if c != cell}
        self._tries[cell] += 1
        return spot(cell, others, self._setting.care, np.random.default_rng(self._seed(cell, self._tries[cell])))

    def _seed(self, cell: Cell, tries: int) -> list[int]:
        return [self._setting.seed, cell[0] % 256, cell[1] % 256, tries]

    def _painted(self) -> Picture:
        table = self._painter.bare_table()
        self._painter.lay_deck(table, self._deck, _DECK_CARDS, self._setting.edition)
        for card in self._cards.values():
            self._painter.lay(table, self._painter.card(card.face, self._setting.edition), card.pose)
        return table

    def _go_on(self) -> Moment | None:
        """The moment of the visit that is on, after what is due by now has happened; None without a visit."""
        if not self._visits:
            return None
        visit = self._visits[0]
        if visit.gesture is None:
            visit.gesture, visit.card = visit.begin()
            visit.since_s = self._t_s
        since = self._t_s - visit.since_s
        self._take_and_free(visit, visit.gesture, since)
        if since >= visit.gesture.length_s:
            self._visits.popleft()
            return None
        return visit.gesture.at(since)

    def _take_and_free(self, visit: _Visit, gesture: Gesture, since_s: float) -> None:
        if gesture.takes_at_s is not None and since_s >= gesture.takes_at_s and not visit.taken:
            visit.taken = True
            self._take(visit)
        if since_s >= gesture.frees_at_s and not visit.freed and visit.cell is not None and visit.card is not None:
            visit.freed = True
            self._cards[visit.cell] = visit.card
            self._painter.lay(self._table, self._painter.card(visit.card.face, self._setting.edition), visit.card.pose)

    def _take(self, visit: _Visit) -> None:
        if visit.cell in self._cards:
            taken = self._cards.pop(visit.cell)
            visit.card = visit.card or taken
            self._table = self._painted()

    def _things(self, moment: Moment) -> list[Moving]:
        """What moves now: the card in the hand, if any, and the hand above it, each smeared by its motion."""
        visit = self._visits[0]
        during = self._during(visit)
        hand = Moving(self._hands[visit.seat], tuple(m.hand for m in during), moment.hand_mm)
        if visit.card is None or not visit.taken or visit.freed:
            return [hand]
        sprite = self._painter.card(visit.card.face, self._setting.edition)
        poses = tuple(m.card for m in during if m.card)
        return [Moving(sprite, poses, moment.card_mm + CARD_MM), hand]

    def _during(self, visit: _Visit) -> list[Moment]:
        """The visit's moments while the shutter is open: as many as the motion's length in pixels asks for."""
        assert visit.gesture is not None
        since = self._t_s - visit.since_s
        opened, closed = visit.gesture.at(since - _EXPOSURE_S).hand, visit.gesture.at(since).hand
        length_px = math.hypot(opened.x_mm - closed.x_mm, opened.y_mm - closed.y_mm) * self.camera.px_per_mm
        count = 1 + min(5, int(length_px / 2.5))
        return [visit.gesture.at(since - _EXPOSURE_S * k / count) for k in reversed(range(count))]

    def _truth(self, moment: Moment | None) -> Truth:
        visit = self._visits[0] if moment else None
        moving = visit.cell if visit and visit.taken and not visit.freed else None
        corners = {cell: self._corners(card.pose) for cell, card in self._cards.items()}
        return Truth(self.lying, corners, moving, moment is not None and self._in_picture(moment))

    def _corners(self, pose: Pose) -> npt.NDArray[Any]:
        return self.camera.project(applied(placed((pose.x_mm, pose.y_mm), pose.turn_deg), outline()), CARD_MM)

    def _in_picture(self, moment: Moment) -> bool:
        x, y = self.camera.project([(moment.hand.x_mm, moment.hand.y_mm)], moment.hand_mm)[0]
        reach = 40 * self.camera.px_per_mm
        return bool(-reach < x < self.camera.size[0] + reach and -reach < y < self.camera.size[1] + reach)
