"""The film of a simulated table: frame by frame what a camera above it would see, and what is true of it.

What lies there is the game's (see `companion.simulator.tabletop`). Someone else says what the hands do (`Film.lay` and
its neighbours); the film lets it happen, one hand at a time, at ten frames a second of table time. It never looks at a
clock: a frame follows a frame as fast as they are asked for.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.simulator import gestures
from companion.simulator.gestures import Gesture, Moment, Point
from companion.simulator.hands import draw_hand
from companion.simulator.lying import Pose
from companion.simulator.optics import Camera, applied, placed, seats
from companion.simulator.painting import CARD_MM, Moving, Painter, Picture, hand_sprite
from companion.simulator.things import Face, Place, Things

STEP_S = 0.1
_EXPOSURE_S = 0.02


@dataclass(frozen=True, slots=True)
class Setting:
    """What the film needs to know before it begins.

    Attributes:
        things: what the game brings.
        seats: how many people sit around the table.
        seed: the table, the light, the hands and every small error follow from it.
        size: width and height of the frames.
    """

    things: Things
    seats: int = 2
    seed: int = 0
    size: tuple[int, int] = (1280, 720)


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A thing that lies on the table, and its top face's corners in the picture."""

    face: Face
    pose: Pose
    corners: npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is true in one frame.

    Attributes:
        cards: what the things at rest show, by place.
        corners: their top faces' corners in the picture, ``(N, 2)``, clockwise as seen.
        moving: the place whose thing is on its way to it or from it.
        has_hand: whether a hand is in the picture.
    """

    cards: Mapping[Place, Face]
    corners: Mapping[Place, npt.NDArray[Any]]
    moving: Place | None
    has_hand: bool


@dataclass(frozen=True, slots=True, eq=False)
class FilmFrame:
    """One picture of the film, BGR, and its table time."""

    bgr: Picture
    t_s: float
    truth: Truth


@dataclass(slots=True)
class _Visit:
    """A hand's visit while it lasts: whose it is, what it does, and the thing and place it is about."""

    seat: int
    place: Place | None
    begin: Callable[[], tuple[Gesture, Card | None]]
    gesture: Gesture | None = None
    card: Card | None = None
    since_s: float = 0.0
    is_taken: bool = False
    is_freed: bool = False


class Film:
    """A table that is filmed. Not for several threads."""

    def __init__(self, setting: Setting) -> None:
        """A table with nothing on it but what nobody moves."""
        self._things, self._seed = setting.things, setting.seed
        self._rng = np.random.default_rng(setting.seed)
        camera = self._things.camera(setting.size, self._rng)
        self._seats = seats(camera, setting.seats)
        self._painter = Painter(camera, str(self._rng.choice(["wood", "felt"])), self._things.shapes, self._rng)
        self._hands = [hand_sprite(draw_hand(self._rng)) for _ in self._seats]
        self._ground = self._painter.bare_table()
        for still in self._things.still(camera):
            self._painter.stack(self._ground, still.faces, still.pose)
        self._tries: Counter[Place] = Counter()
        self._cards: dict[Place, Card] = {}
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
    def lying(self) -> Mapping[Place, Face]:
        """What lies on the table, what is in a hand apart, in the order in which it was laid."""
        return {place: card.face for place, card in self._cards.items()}

    def has(self, place: Place) -> bool:
        """Whether something lies at a place."""
        return place in self._cards

    def middle(self, place: Place) -> Point:
        """Where the thing at a place lies."""
        pose = self._cards[place].pose
        return pose.x_mm, pose.y_mm

    def lay_out(self, faces: Mapping[Place, Face]) -> None:
        """Let things lie at once, given in the order in which they were once laid; the same seed lays them the same."""
        self._tries = Counter()
        self._cards = {}
        for place, face in faces.items():
            self._cards[place] = self._card(face, self._spot(place))
        self._table = self._painted()

    def lay(self, place: Place, face: Face, seat: int) -> None:
        """Let someone lay a thing."""

        def begin() -> tuple[Gesture, Card]:
            card = self._card(face, self._spot(place))
            return gestures.lay(card.pose, self._seats[seat], self._rng), card

        self._visits.append(_Visit(seat, place, begin))

    def lift(self, place: Place, seat: int) -> None:
        """Let someone take a lying thing away."""
        self._visits.append(
            _Visit(seat, place, lambda: (gestures.lift(self._cards[place].pose, self._seats[seat], self._rng), None))
        )

    def nudge(self, place: Place, seat: int) -> None:
        """Let someone push a lying thing a little straighter."""

        def begin() -> tuple[Gesture, Card]:
            lying = self._cards[place]
            card = self._card(lying.face, self._spot(place))
            return gestures.nudge(lying.pose, card.pose, self._seats[seat], self._rng), card

        self._visits.append(_Visit(seat, place, begin))

    def turn(self, place: Place, face: Face, seat: int) -> None:
        """Let someone turn a lying thing over, so that it shows another face."""

        def begin() -> tuple[Gesture, Card]:
            pose = self._cards[place].pose
            return gestures.nudge(pose, pose, self._seats[seat], self._rng), self._card(face, pose)

        self._visits.append(_Visit(seat, place, begin))

    def hover(self, at: Point, seat: int) -> None:
        """Let someone point at a spot of the table and change their mind."""
        spot = Pose(*at, 0.0)
        self._visits.append(_Visit(seat, None, lambda: (gestures.hover(spot, self._seats[seat], self._rng), None)))

    def rest(self, at: Point, seat: int, stay_s: float) -> None:
        """Let somebody's hand lie over a spot of the table for so long."""
        spot, own = Pose(*at, 0.0), self._seats[seat]
        self._visits.append(_Visit(seat, None, lambda: (gestures.rest(spot, own, self._rng, stay_s), None)))

    def next(self, step_s: float = STEP_S) -> FilmFrame:
        """The next frame, ``step_s`` of table time after the one before."""
        self._t_s += step_s
        moment = self._go_on()
        things = self._in_hand(moment) if moment else []
        scene = self._painter.over(self._table, things) if things else self._table
        return FilmFrame(self._painter.exposed(scene, self._t_s), self._t_s, self._truth(moment))

    def _spot(self, place: Place) -> Pose:
        """Where a hand would put a thing now. The first time it follows from the seed and the place alone."""
        others = {other: card.pose for other, card in self._cards.items() if other != place}
        self._tries[place] += 1
        chance = np.random.default_rng([self._seed, *self._things.seed(place), self._tries[place]])
        return self._things.spot(place, others, chance)

    def _painted(self) -> Picture:
        table = self._ground.copy()
        for card in self._cards.values():
            self._painter.lay(table, self._painter.sprite(card.face), card.pose)
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
        """Let the hand take its thing, and let go of it, once its gesture, begun ``since_s`` ago, is so far."""
        if gesture.takes_at_s is not None and since_s >= gesture.takes_at_s and not visit.is_taken:
            visit.is_taken = True
            self._take(visit)
        if since_s >= gesture.frees_at_s and not visit.is_freed and visit.place is not None and visit.card is not None:
            visit.is_freed = True
            self._cards[visit.place] = visit.card
            self._painter.lay(self._table, self._painter.sprite(visit.card.face), visit.card.pose)

    def _take(self, visit: _Visit) -> None:
        if visit.place in self._cards:
            taken = self._cards.pop(visit.place)
            visit.card = visit.card or taken
            self._table = self._painted()

    def _in_hand(self, moment: Moment) -> list[Moving]:
        """What moves now: the card in the hand, if any, and the hand above it, each smeared by its motion."""
        visit = self._visits[0]
        during = self._during(visit)
        hand = Moving(self._hands[visit.seat], tuple(m.hand for m in during), moment.hand_mm)
        if visit.card is None or not visit.is_taken or visit.is_freed:
            return [hand]
        sprite = self._painter.sprite(visit.card.face)
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
        moving = visit.place if visit and visit.is_taken and not visit.is_freed else None
        corners = {place: card.corners for place, card in self._cards.items()}
        return Truth(self.lying, corners, moving, moment is not None and self._in_picture(moment))

    def _card(self, face: Face, pose: Pose) -> Card:
        table_from_card = placed((pose.x_mm, pose.y_mm), pose.turn_deg)
        outline = applied(table_from_card, self._things.outline(face))
        return Card(face, pose, self.camera.project(outline, CARD_MM))

    def _in_picture(self, moment: Moment) -> bool:
        x, y = self.camera.project([(moment.hand.x_mm, moment.hand.y_mm)], moment.hand_mm)[0]
        reach = 40 * self.camera.px_per_mm
        return bool(-reach < x < self.camera.size[0] + reach and -reach < y < self.camera.size[1] + reach)
