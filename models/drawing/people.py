"""People about a filmed table, drawn over its frames: a fan of cards held in view, a head, drumming fingers, dealing.

They come in at the picture's rim, sway, rest for a second, and go; what lies on the table stays as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Point = tuple[float, float]

_SKINS = ((118, 152, 214), (96, 132, 196), (62, 88, 140))
_SLEEVES = ((62, 46, 34), (58, 58, 120), (200, 196, 190), (52, 90, 52))
_HAIR = ((24, 30, 38), (40, 66, 96), (120, 150, 170))
_BROAD = 2.0
"""Shoulders, and the shadow beside them, reach so many times as far as the head."""
_PERIOD_S = 4.0
"""One visit after the other: a second to come, two to stay, one to go."""


@dataclass(frozen=True)
class Visitor:
    """Somebody at the rim.

    Attributes:
        rim: where they come in, in pixels.
        reach: as far as they come, in pixels.
        unit_px: a card's side.
        clear_px: so far from there nothing is played.
        card: a card as it is seen, uint8 (h, w, 4): its colours, and 255 within its outline.
        seed: their colours and their sway.
    """

    rim: Point
    reach: Point
    unit_px: float
    clear_px: float
    card: Picture
    seed: int = 0

    def at(self, t_s: float) -> tuple[float, float]:
        """Where their hand is; while it stays it sways by a pixel or two for the first second, then rests."""
        phase = t_s % _PERIOD_S
        near = float(np.clip(min(phase, _PERIOD_S - phase), 0.0, 1.0))
        sway = 2.0 * np.sin(9.0 * t_s) if phase < 2.0 else 0.0
        x, y = (a + near * (b - a) for a, b in zip(self.rim, self.reach, strict=True))
        return float(x + sway), float(y + 0.5 * sway)

    def colour_of(self, some: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
        """One of some colours, always the same."""
        return some[self.seed % len(some)]


def visitor(picture: Picture, played: Sequence[NDArray[np.float32]], seed: int) -> Visitor:
    """Somebody where nothing is played, with cards in hand that look like one on the table.

    Args:
        picture: uint8 (h, w, 3), on which the first card of ``played`` lies.
        played: the outlines (K, 2) of all that is laid or taken away.
        seed: who it is.
    """
    height, width = picture.shape[:2]
    share = np.linspace(0.1, 0.9, 9)
    rims = [(x * width, y) for x in share for y in (0, height)] + [(x, y * height) for y in share for x in (0, width)]
    corners = np.concatenate(played)
    room_px = [float(np.linalg.norm(corners - rim, axis=1).min()) for rim in rims]
    rim = rims[int(np.argmax(room_px))]
    unit_px = float(np.median([cv2.contourArea(outline) for outline in played])) ** 0.5 / 1.6
    inwards = np.subtract((width / 2, height / 2), rim)
    far = np.clip(max(room_px) - 4.5 * unit_px, 0.5 * unit_px, 3.5 * unit_px) / np.linalg.norm(inwards)
    outline = np.round(played[0]).astype(np.int32)
    x, y, w, h = cv2.boundingRect(outline)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillPoly(inside, [outline], 255)
    card = np.ascontiguousarray(np.dstack([picture, inside])[max(y, 0) : y + h, max(x, 0) : x + w])
    reach = (float(rim[0] + far * inwards[0]), float(rim[1] + far * inwards[1]))
    clear_px = max(room_px) - float(far * np.linalg.norm(inwards))
    return Visitor((float(rim[0]), float(rim[1])), reach, unit_px, clear_px, card, seed)


def holding_fan(bgr: Picture, who: Visitor, t_s: float) -> Picture:
    """A hand that holds five cards, their faces up, the last of them wholly in view."""
    out, (x, y) = _with_arm(bgr, who, t_s), who.at(t_s)
    away = _towards(who)
    for k in range(5):
        turn = np.radians(-36 + 18 * k + 3 * np.sin(1.5 * t_s + k))
        direction = _turned(away, float(turn))
        out = _with_card(
            out, who, (x + direction[0] * 1.2 * who.unit_px, y + direction[1] * 1.2 * who.unit_px), direction
        )
    return _with_fingers(out, who, t_s, bend=0.9)


def drumming(bgr: Picture, who: Visitor, t_s: float) -> Picture:
    """A hand whose fingers bend and stretch one after the other."""
    return _with_fingers(_with_arm(bgr, who, t_s), who, t_s, bend=None)


def leaning_in(bgr: Picture, who: Visitor, t_s: float) -> Picture:
    """A head from above: hair, and a little of the face."""
    out, (x, y) = bgr.copy(), who.at(t_s)
    size = round(min(2.2 * who.unit_px, who.clear_px / _BROAD))
    away = _towards(who)
    face = (round(x + 0.5 * away[0] * size), round(y + 0.5 * away[1] * size))
    cv2.line(out, _whole(who.rim), _whole((x, y)), who.colour_of(_SLEEVES), 3 * size, cv2.LINE_AA)
    cv2.circle(out, face, round(0.7 * size), who.colour_of(_SKINS), -1, cv2.LINE_AA)
    cv2.circle(out, _whole((x, y)), size, who.colour_of(_HAIR), -1, cv2.LINE_AA)
    return _shaded(bgr, out)


def dealing(bgr: Picture, who: Visitor, t_s: float) -> Picture:
    """A hand that throws a card past the table's rim twice a second; none comes to rest."""
    out, (x, y) = _with_arm(bgr, who, t_s), who.at(t_s)
    flight = (t_s * 2.0) % 1.0
    across = _turned(_towards(who), np.pi / 2)
    if 0.0 < t_s % _PERIOD_S - 1.0 < 2.0:
        far = 6.0 * who.unit_px * flight
        out = _with_card(out, who, (x + across[0] * far, y + across[1] * far), _turned(across, 5.0 * flight))
    return _with_fingers(out, who, t_s, bend=0.4)


PEOPLE = {"fan": holding_fan, "drumming": drumming, "head": leaning_in, "dealing": dealing}


def _towards(who: Visitor) -> NDArray[np.float64]:
    """The unit vector from the rim into the picture."""
    way = np.subtract(who.reach, who.rim)
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-6))


def _turned(way: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(np.array([[c, -s], [s, c]]) @ way)


def _whole(point: Sequence[float] | NDArray[np.float64]) -> tuple[int, int]:
    return round(point[0]), round(point[1])


def _with_arm(bgr: Picture, who: Visitor, t_s: float) -> Picture:
    out, at, away = bgr.copy(), np.array(who.at(t_s)), _towards(who)
    start = at - 30 * who.unit_px * away
    cv2.line(
        out,
        _whole(start),
        _whole(at - 1.4 * who.unit_px * away),
        who.colour_of(_SLEEVES),
        round(1.5 * who.unit_px),
        cv2.LINE_AA,
    )
    cv2.line(
        out,
        _whole(at - 1.4 * who.unit_px * away),
        _whole(at),
        who.colour_of(_SKINS),
        round(1.1 * who.unit_px),
        cv2.LINE_AA,
    )
    return _shaded(bgr, out)


def _with_fingers(bgr: Picture, who: Visitor, t_s: float, bend: float | None) -> Picture:
    """Four fingers of two joints and a thumb; ``bend`` 0 for straight, None for each in its own time."""
    out, at, away = bgr.copy(), np.array(who.at(t_s)), _towards(who)
    side = _turned(away, np.pi / 2)
    for k in range(5):
        bent = 0.5 + 0.5 * np.sin(6.0 * t_s + 1.3 * k) if bend is None else bend
        root = at + (k - 2) * 0.26 * who.unit_px * side
        way = _turned(away, 0.12 * (k - 2) if k else -0.7)
        joint = root + way * who.unit_px * (0.6 - 0.25 * bent)
        tip = joint + way * who.unit_px * (0.5 - 0.45 * bent)
        for a, b, wide in ((root, joint, 0.26), (joint, tip, 0.22)):
            cv2.line(out, _whole(a), _whole(b), who.colour_of(_SKINS), max(2, round(wide * who.unit_px)), cv2.LINE_AA)
    return _shaded(bgr, out)


def _with_card(bgr: Picture, who: Visitor, middle: Sequence[float], up: NDArray[np.float64]) -> Picture:
    """The picture with a card, its upper edge in a direction."""
    h, w = who.card.shape[:2]
    matrix = np.column_stack([_turned(up, np.pi / 2), -up, np.asarray(middle)])
    matrix[:, 2] -= matrix[:, :2] @ (w / 2, h / 2)
    card = cv2.warpAffine(who.card, matrix, (bgr.shape[1], bgr.shape[0]), flags=cv2.INTER_LINEAR)
    cover = card[..., 3:] / 255.0
    return np.asarray(bgr * (1 - cover) + card[..., :3] * cover, np.uint8)


def _shaded(bgr: Picture, drawn: Picture) -> Picture:
    """What was drawn, rounded by light from above, with a soft shadow beside it."""
    new = (cv2.absdiff(bgr, drawn).max(-1) > 0).astype(np.float32)
    relief = cv2.GaussianBlur(new, (0, 0), 6)
    light = np.where(new > 0, 0.7 + 0.35 * relief, 1.0 - 0.35 * np.roll(relief, (5, 5), (0, 1)))
    return np.asarray(np.clip(drawn * light[..., None], 0, 255), np.uint8)
