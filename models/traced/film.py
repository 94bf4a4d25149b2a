"""Describes films for `render`: a hand lays the last cards of a scene one by one, and takes the last of them back.

Every picture is a description of its own, as those of `studio`; a film names them in order, ten a second, and says what
happens when. While nothing moves, one picture stands for many frames.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from models.traced.studio import LARGE, MIDDLING, Described, Rng, hand_parts, turn

_LAID = 5
_REST = 12
"""Frames in which nothing moves, after every visit and before the first."""
_COMING = ((430.0, 60.0), (260.0, 50.0), (120.0, 35.0), (40.0, 15.0))
"""Where the fingertips are while the hand comes: how far back along the arm, and how high, in mm."""
_LEAVING = ((70.0, 25.0), (240.0, 50.0), (440.0, 60.0))
_GRIPPED_FRAMES = 2
_BELOW_FINGERS_MM = 4.0


@dataclass
class _Reel:
    """A film as it grows: its pictures by name, the frames, and the events."""

    scene: Described
    name: str
    pictures: list[Described] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def show(self, cards: Sequence[Described], things: Sequence[Described] = (), times: int = 1) -> None:
        """Film these cards, with more things, for so many frames."""
        name = f"{self.name}-{len(self.pictures):03}"
        seen = {"cards": list(cards), "things": [*self.scene["things"], *things], "has_owner": False}
        self.pictures.append({**self.scene, **seen, "name": name})
        self.frames += [name] * times


def played_in_view(scene: Described) -> list[int]:
    """The numbers of the game's cards that a film can lay: those wholly in view."""
    size = _size(scene)
    return [n for n, card in enumerate(scene["cards"]) if is_played(card) and _is_in_view(card, scene["camera"], size)]


def is_played(card: Described) -> bool:
    """Whether a card of a game's scene is one that is laid in the game: not beside it, no board, no case."""
    if card["aside"]:
        return False
    return bool(card["over"]) if "over" in card else card.get("cell") is not None or "values" in card


def filmed(scene: Described, rng: Rng) -> tuple[list[Described], Described]:
    """The pictures of a film, and the film itself.

    Args:
        scene: how the table looks in the end, its cards in the order in which they are laid. The last `_LAID` of the
            game's in view (`played_in_view`, at least two) are laid, all but the first where there are no more.
        rng: hands, and where they come from.

    Returns:
        descriptions for `render`, and the film: ``frames`` with their names, ``events`` with the number of the card in
        the picture ``all``, and ``hand_in``, ``still`` and ``hand_gone`` as numbers of frames.
    """
    cards, size = scene["cards"], _size(scene)
    played = played_in_view(scene)
    laid = played[max(1, len(played) - _LAID) :]
    reel = _Reel({**scene, "size": list(size)}, f"{scene['name'].split('-')[0]}-film")
    lying = [number for number in range(len(cards)) if number not in laid]
    reel.show([cards[number] for number in lying], times=_REST)
    seats = rng.uniform(0, 2 * math.pi) + np.array([0.0, math.pi * rng.uniform(0.6, 1.0)])
    people = [_Person(float(seat), rng) for seat in seats]
    for visit, number in enumerate(laid):
        around = [cards[other] for other in sorted(lying)]
        _lay(reel, around, cards[number], number, people[visit % 2], rng)
        lying.append(number)
        reel.show([cards[other] for other in sorted(lying)], times=_REST)
    all_lie = reel.frames[-1]
    last = laid[-1]
    lying.remove(last)
    around = [cards[other] for other in sorted(lying)]
    _take(reel, around, cards[last], last, people[len(laid) % 2])
    reel.show(around, times=2 * _REST)
    return reel.pictures, {"name": reel.name, "all": all_lie, "frames": reel.frames, "events": reel.events}


def _is_in_view(card: Described, seen: Described, size: tuple[int, int]) -> bool:
    """Whether a card lies in the circle around the picture's middle that touches its longer sides."""
    at, to = np.array(seen["at"]), np.array(seen["to"])
    ahead = (to - at) / np.linalg.norm(to - at)
    corners = (np.array(card["corners"]) @ turn(card["turn"]) + card["at"]) * [0.001, -0.001]
    ways = np.c_[corners, np.zeros(len(corners))] - at
    deep = ways @ ahead
    aside = np.linalg.norm(ways - deep[:, None] * ahead, axis=1) / deep
    return bool(aside.max() < math.tan(math.radians(seen["view_deg"] / 2)) * size[1] / size[0])


def _size(scene: Described) -> tuple[int, int]:
    """That of a quick camera, but for Comet, whose numbers are small."""
    return LARGE if any("values" in card for card in scene["cards"]) else MIDDLING


@dataclass
class _Person:
    """Whose hand it is: where the arm comes from, in radians on the table, and how it looks."""

    seat: float
    rng: Rng
    looks: int = field(init=False)

    def __post_init__(self) -> None:
        self.looks = int(self.rng.integers(1 << 30))

    def hand(self, at: Sequence[float], back_mm: float = 0.0, lift_mm: float = 0.0) -> list[Described]:
        """The hand over a place, or back along its arm."""
        along = np.array([math.cos(self.seat), math.sin(self.seat)])
        return hand_parts(np.random.default_rng(self.looks), np.asarray(at) + along * back_mm, self.seat, lift_mm)

    def carried(self, card: Described, back_mm: float, lift_mm: float, turn: float = 0.0) -> Described:
        """A card under the fingers."""
        along = np.array([math.cos(self.seat), math.sin(self.seat)]) * back_mm
        at = (np.asarray(card["at"]) + along).tolist()
        return {**card, "at": at, "z": card["z"] + lift_mm, "turn": card["turn"] + turn}


def _lay(reel: _Reel, around: Sequence[Described], card: Described, number: int, who: _Person, rng: Rng) -> None:
    """A hand brings a card, puts it right, lets go and leaves."""
    hand_in = len(reel.frames)
    grip = who.hand(card["at"])
    for back_mm, lift_mm in _COMING:
        held = who.carried(card, back_mm, lift_mm + _BELOW_FINGERS_MM, rng.normal(0, 8))
        reel.show([*around, held], who.hand(card["at"], back_mm, lift_mm))
    reel.show([*around, who.carried(card, 5.0, 0.3, rng.normal(0, 4))], who.hand(card["at"], 5.0))
    still = len(reel.frames)
    reel.show([*around, card], grip, _GRIPPED_FRAMES)
    for back_mm, lift_mm in _LEAVING:
        reel.show([*around, card], who.hand(card["at"], back_mm, lift_mm))
    _note(reel, "placed", number, hand_in, still)


def _take(reel: _Reel, around: Sequence[Described], card: Described, number: int, who: _Person) -> None:
    """A hand comes empty and takes a card away."""
    hand_in = len(reel.frames)
    for back_mm, lift_mm in _COMING:
        reel.show([*around, card], who.hand(card["at"], back_mm, lift_mm))
    reel.show([*around, card], who.hand(card["at"]), _GRIPPED_FRAMES)
    still = len(reel.frames)
    for back_mm, lift_mm in _LEAVING:
        held = who.carried(card, back_mm, lift_mm + _BELOW_FINGERS_MM)
        reel.show([*around, held], who.hand(card["at"], back_mm, lift_mm))
    _note(reel, "removed", number, hand_in, still)


def _note(reel: _Reel, kind: str, number: int, hand_in: int, still: int) -> None:
    times = {"hand_in": hand_in, "still": still, "hand_gone": len(reel.frames)}
    reel.events.append({"event": kind, "card": number, **times})
