"""What a hand does over the table, second by second: lay a card and adjust it, lift one, nudge one, or only hover.

A gesture is a list of moments with smooth motion between them. It knows nothing of pictures and nothing of rules.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, replace

import numpy as np

from companion.simulator.lying import Pose

Point = tuple[float, float]

_CARRY_MM, _HOVER_MM = 55.0, 38.0
_HAND_ABOVE_CARD_MM = 10.0
_GRIP_MM = 14.0
"""The fingertips hold a card this far from its centre, on the arm's side."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where things are at one time.

    Attributes:
        t_s: seconds from the gesture's beginning.
        hand: the fingertips, and the turn that points the arm at its owner.
        hand_mm: the hand's height above the table.
        card: where the moving card is; None when there is none.
        card_mm: the card's height above the table.
    """

    t_s: float
    hand: Pose
    hand_mm: float
    card: Pose | None = None
    card_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Gesture:
    """One visit of a hand.

    Attributes:
        moments: in order of time, at least two.
        takes_at_s: when a card starts to move with the hand; None when none does.
        still_at_s: when that card has stopped moving.
        frees_at_s: when the hand lets go of it; after the end when it is carried off.
    """

    moments: tuple[Moment, ...]
    takes_at_s: float | None = None
    still_at_s: float = math.inf
    frees_at_s: float = math.inf

    @property
    def length_s(self) -> float:
        """How long it takes."""
        return self.moments[-1].t_s

    def at(self, t_s: float) -> Moment:
        """Where everything is at a time, between the moments with a gentle start and stop."""
        after = min(max(bisect_right([m.t_s for m in self.moments], t_s), 1), len(self.moments) - 1)
        a, b = self.moments[after - 1], self.moments[after]
        share = min(max((t_s - a.t_s) / (b.t_s - a.t_s), 0.0), 1.0)
        return _between(a, b, share * share * (3 - 2 * share), t_s)


def lay(to: Pose, seat: Point, rng: np.random.Generator) -> Gesture:
    """Bring a card in, put it down roughly, slide it into place, let go and leave."""
    rough = to.shifted(*_some_way(rng, 3.0, 8.0), float(rng.uniform(-7, 7)))
    above = rough.shifted(*_some_way(rng, 6.0, 20.0), float(rng.uniform(-15, 15)))
    path = _Path(to, seat)
    path.carry(0.0, path.outside(), _CARRY_MM)
    path.carry(rng.uniform(0.7, 1.0), above, _CARRY_MM - 10)
    path.carry(rng.uniform(0.3, 0.5), rough, 0.0)
    path.carry(rng.uniform(0.1, 0.3), rough, 0.0)
    path.carry(rng.uniform(0.3, 0.6), to, 0.0)
    still = path.t_s
    path.carry(rng.uniform(0.15, 0.4), to, 0.0)
    return path.left(rng, takes_at_s=0.0, still_at_s=still, frees_at_s=path.t_s)


def lift(at: Pose, seat: Point, rng: np.random.Generator) -> Gesture:
    """Come in empty, take a card off the table and carry it away."""
    path = _Path(at, seat)
    path.reach(rng)
    taken = path.t_s
    path.carry(rng.uniform(0.1, 0.3), at, 0.0)
    path.carry(0.4, at.shifted(*_some_way(rng, 5.0, 15.0), float(rng.uniform(-10, 10))), _CARRY_MM - 15)
    path.carry(rng.uniform(0.7, 1.0), path.outside(), _CARRY_MM)
    return Gesture(tuple(path.moments), takes_at_s=taken)


def nudge(at: Pose, to: Pose, seat: Point, rng: np.random.Generator) -> Gesture:
    """Come in empty and push a lying card a little."""
    path = _Path(at, seat)
    path.reach(rng)
    taken = path.t_s
    path.carry(rng.uniform(0.1, 0.3), at, 0.0)
    path.carry(rng.uniform(0.3, 0.6), to, 0.0)
    still = path.t_s
    path.carry(rng.uniform(0.1, 0.3), to, 0.0)
    return path.left(rng, takes_at_s=taken, still_at_s=still, frees_at_s=path.t_s)


def hover(over: Pose, seat: Point, rng: np.random.Generator) -> Gesture:
    """Come in empty, point about, change one's mind and leave."""
    path = _Path(over, seat)
    path.wave(rng.uniform(0.6, 0.9), over, _HOVER_MM)
    for _ in range(int(rng.integers(1, 3))):
        path.wave(rng.uniform(0.3, 0.7), over.shifted(*_some_way(rng, 10.0, 40.0)), _HOVER_MM)
    return path.left(rng)


def rest(over: Pose, seat: Point, rng: np.random.Generator, stay_s: float) -> Gesture:
    """Come in empty, stay lying over the table for so long, and leave."""
    path = _Path(over, seat)
    path.wave(rng.uniform(0.6, 0.9), over, _HOVER_MM)
    path.wave(stay_s, over, _HOVER_MM)
    return path.left(rng)


class _Path:
    """Builds a gesture moment by moment; the arm keeps pointing at the seat."""

    def __init__(self, target: Pose, seat: Point) -> None:
        self.arm_deg = math.degrees(math.atan2(target.x_mm - seat[0], seat[1] - target.y_mm))
        self.seat = Pose(*seat, 0.0)
        self.target = target
        self.t_s = 0.0
        self.moments: list[Moment] = []

    def outside(self) -> Pose:
        """Where the target's card is while the hand is still at its seat."""
        return replace(self.target, x_mm=self.seat.x_mm, y_mm=self.seat.y_mm)

    def carry(self, after_s: float, card: Pose, card_mm: float) -> None:
        """The hand takes the card along to a pose."""
        self.t_s += float(after_s)
        self.moments.append(Moment(self.t_s, self._grip(card), card_mm + _HAND_ABOVE_CARD_MM, card, card_mm))

    def wave(self, after_s: float, over: Pose, hand_mm: float, card: Pose | None = None) -> None:
        """The hand alone moves to above a pose; it starts outside. A card that it will take lies still."""
        if not self.moments:
            self.moments.append(Moment(0.0, self._grip(self.outside()), _CARRY_MM, card))
        self.t_s += float(after_s)
        self.moments.append(Moment(self.t_s, self._grip(over), hand_mm, card))

    def reach(self, rng: np.random.Generator) -> None:
        """The empty hand comes in and touches the target."""
        self.wave(rng.uniform(0.6, 0.9), self.target, _HOVER_MM, self.target)
        self.wave(0.3, self.target, _HAND_ABOVE_CARD_MM, self.target)

    def left(
        self,
        rng: np.random.Generator,
        takes_at_s: float | None = None,
        still_at_s: float = math.inf,
        frees_at_s: float = math.inf,
    ) -> Gesture:
        """The whole gesture, after the empty hand has gone up and out."""
        hand = self.moments[-1].hand
        self.moments.append(Moment(self.t_s + 0.25, hand.towards(self.seat, 0.06), _HOVER_MM))
        self.moments.append(Moment(self.t_s + float(rng.uniform(0.8, 1.1)), self._grip(self.outside()), _CARRY_MM))
        return Gesture(tuple(self.moments), takes_at_s, still_at_s, frees_at_s)

    def _grip(self, card: Pose) -> Pose:
        arm = math.radians(self.arm_deg)
        return Pose(card.x_mm - _GRIP_MM * math.sin(arm), card.y_mm + _GRIP_MM * math.cos(arm), self.arm_deg)


def _between(a: Moment, b: Moment, share: float, t_s: float) -> Moment:
    """The moment that ``share`` of the way between two."""
    card = a.card.towards(b.card, share) if a.card and b.card else a.card
    return Moment(
        t_s,
        a.hand.towards(b.hand, share),
        a.hand_mm + (b.hand_mm - a.hand_mm) * share,
        card,
        a.card_mm + (b.card_mm - a.card_mm) * share,
    )


def _some_way(rng: np.random.Generator, least_mm: float, most_mm: float) -> Point:
    angle, reach = rng.uniform(0, 2 * math.pi), rng.uniform(least_mm, most_mm)
    return float(reach * math.cos(angle)), float(reach * math.sin(angle))
