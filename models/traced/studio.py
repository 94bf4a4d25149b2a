"""What every path-traced scene is made of: cards as `render` lays them, tables, lamps, things, hands and the camera.

Half of the scenes are hard: tilted, out of focus, a hand among the cards. Lengths of cards are in mm, with y down; the
camera and the lamps stand in metres, with y up and z away from the table.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.deck import rounded
from models.drawing.art import Art, Picture
from models.drawing.comet.layouts import LaidComet
from models.traced.textures import KINDS, colour, table

Rng = np.random.Generator
Floats = NDArray[np.float64]
Described = dict[str, Any]

SHEET_MM, THICK_MM = 0.4, 0.35
"""How far apart cards lie that lie on each other, and how thick they are."""
LARGE, MIDDLING = (1280, 720), (960, 540)
SAMPLES = 5
"""Paths for each pixel; what noise is left looks like a camera's."""
_SKINS = ([0.75, 0.5, 0.38], [0.5, 0.3, 0.2], [0.85, 0.62, 0.5], [0.3, 0.17, 0.1])


@dataclass
class Studio:
    """Where descriptions and their pictures go, and what tables are made of."""

    folder: Path
    art: Art

    def keep(self, name: str, picture: Picture) -> str:
        """A picture's file, written once."""
        path = self.folder / "textures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            cv2.imwrite(str(path), picture)
        return str(path)


def turn(degrees: float) -> Floats:
    """The matrix (2, 2) that turns row vectors of a card's frame into the table's."""
    a = math.radians(degrees)
    return np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])


def opaque(face: Picture) -> Picture:
    """A face without its transparent corners, which take the colour beside them."""
    gone = (face[..., 3] < 250).astype(np.uint8)
    seen = np.ascontiguousarray(face[..., :3])
    return np.asarray(cv2.inpaint(seen, gone, 3, cv2.INPAINT_TELEA), np.uint8) if gone.any() else seen


def piece(
    texture: str, size: tuple[float, float], corners: Floats, place: tuple[Floats, float], gloss: Floats, **how: float
) -> Described:
    """A card, tile or stack as `render` lays it.

    Args:
        texture: its face's file.
        size: width and height of what the file shows, around the middle of the face.
        corners: (K, 2) of the face, sharp, in its own frame.
        place: where its middle lies on the table, and its turn in degrees.
        gloss: roughness, and how much of a coat it has.
        how: ``z``, where its underside is, and ``thick``; what `render` needs else.
    """
    return {
        "outline": corners.tolist(),
        "corners": corners.tolist(),
        "texture": texture,
        "size": list(size),
        "at": [float(v) for v in place[0]],
        "turn": float(place[1]),
        "rough": float(gloss[0]),
        "coat": float(gloss[1]),
        "aside": False,
        "z": 0.02,
        "thick": THICK_MM,
        **how,
    }


def card(face: str, size: tuple[float, float], radius: float, laid: LaidComet, layer: int, gloss: Floats) -> Described:
    """A rectangular card with round corners."""
    x, y = size[0] / 2, size[1] / 2
    corners = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    how = {"z": SHEET_MM * layer + 0.02, "thick": THICK_MM * max(1, laid.layers)}
    found = piece(face, size, corners, (np.asarray(laid.at_mm), laid.turn_deg), gloss, **how)
    return {**found, "outline": rounded(*size, radius), "aside": bool(laid.is_aside)}


def scene(
    rng: Rng,
    studio: Studio,
    cards: Sequence[Described],
    name: str,
    size: tuple[int, int],
    is_hard: bool,
    among: Sequence[Described] = (),
    **how: float,
) -> Described:
    """Cards on some table in some light, things ``among`` them; ``how`` is ``fill`` and ``least`` of `_camera`."""
    kind = str(rng.choice(KINDS))
    picture = studio.keep(f"table-{name}.jpg", table(rng, kind, studio.art))
    camera = _camera(rng, cards, size, is_hard, **how)
    is_teaching = "fill" in how
    if is_teaching:
        camera["roll"] = float(rng.normal(0, 4))
    at = np.array([one["at"] for one in cards])
    reach = np.ptp(at, axis=0).max() / 2 + 90
    things = [] if is_teaching else list(_things(rng, cards, reach))
    things += among
    if is_hard and rng.random() < 0.25:
        target, seat = at.mean(0) + rng.normal(0, 1, 2) * reach * 0.6, rng.uniform(0, 2 * math.pi)
        looks = np.random.default_rng([int(rng.integers(len(_SKINS))), int(1000 * seat)])
        things += hand_parts(looks, target, seat)
    grey = float(rng.uniform(0.15, 0.6))
    lies = {
        "texture": picture,
        "side_m": float(rng.uniform(0.3, 0.9)),
        "turn": float(rng.uniform(0, 360)),
        "rough": float(rng.uniform(0.3, 0.95)),
        "bump": float(rng.uniform(0, 0.3)),
    }
    lamps = _lamps(rng, camera["to"])
    return {
        "name": name,
        "size": list(size),
        "camera": camera,
        "table": lies,
        "cards": list(cards),
        "things": things,
        "lamps": lamps,
        "ambient": [grey * rng.uniform(0.9, 1.1), grey, grey * rng.uniform(0.9, 1.1)],
        "samples": SAMPLES,
        "view": str(rng.choice(["AgX", "Standard", "Filmic"])),
        "exposure": float(rng.normal(-0.35, 0.35)),
        "is_hard": is_hard,
    }


def _camera(
    rng: Rng, cards: Sequence[Described], size: tuple[int, int], is_hard: bool, fill: float = 0.0, least: float = 0.0
) -> Described:
    """A camera that sees the cards: as far away as ``fill`` of that says, and no farther than ``least`` mm a pixel."""
    at = [np.array(one["corners"]) @ turn(one["turn"]) + one["at"] for one in cards if not one["aside"]]
    points = np.concatenate(at) * [1, -1] * 0.001
    middle = (points.min(0) + points.max(0)) / 2 + rng.normal(0, 0.015, 2)
    tilt, azimuth = math.radians(rng.uniform(0, 32 if is_hard else 20)), rng.uniform(0, 2 * math.pi)
    view_deg, roll = rng.uniform(45, 68), rng.uniform(-180, 180)
    half = math.tan(math.radians(view_deg / 2))
    away = np.array([math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)])
    target, flat = np.array([*middle, 0.0]), np.c_[points, np.zeros(len(points))]
    distance = 0.2
    for _ in range(60):
        seen = flat - (target + distance * away)
        depth = seen @ -away
        aside = np.linalg.norm(seen + depth[:, None] * away, axis=1) / depth
        if aside.max() < half * (size[1] / size[0]) * 0.95:
            break
        distance *= 1.04
    distance *= fill or rng.uniform(0.95, 1.25)
    if least:
        distance = min(distance, least * size[0] / 2 / half * 0.001)
    return {
        "at": (target + distance * away).tolist(),
        "to": target.tolist(),
        "view_deg": view_deg,
        "roll": roll,
        "f_stop": float(rng.uniform(1.5, 8)) if is_hard and rng.random() < 0.4 else None,
        "focus": float(rng.uniform(0.93, 1.05)),
    }


def _lamps(rng: Rng, middle: Sequence[float]) -> list[Described]:
    warmth, found = rng.normal(0, 0.10), []
    for _ in range(int(rng.integers(1, 4))):
        at = [float(middle[0] + rng.uniform(-0.9, 0.9)), float(middle[1] + rng.uniform(-0.9, 0.9))]
        at.append(float(rng.uniform(0.6, 1.8)))
        is_area = rng.random() < 0.7
        power = float(rng.uniform(*((4, 14) if is_area else (5, 18))) * at[2] ** 2)
        tints = [float(np.clip(1 + way * warmth + rng.normal(0, 0.03), 0.5, 1.3)) for way in (1, -1)]
        size = float(rng.uniform(*((0.1, 0.8) if is_area else (0.01, 0.1))))
        kind = "AREA" if is_area else "POINT"
        found.append({"kind": kind, "power": power, "rgb": [tints[0], 1.0, tints[1]], "size": size, "at": at})
    return found


def _things(rng: Rng, cards: Sequence[Described], reach: float) -> Iterator[Described]:
    """Cups, chips, boxes and pens beside the cards."""
    at = np.array([one["at"] for one in cards])
    largest = max(max(one["size"]) for one in cards)
    for _ in range(int(rng.integers(0, 6))):
        kind = str(rng.choice(["cup", "chip", "chip", "box", "pen"]))
        place = at.mean(0) + rng.uniform(-1, 1, 2) * reach * 1.1
        rgb = (colour(rng.uniform(0, 1), rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)) / 255)[::-1].tolist()
        radii = {"cup": rng.uniform(25, 42), "chip": rng.uniform(10, 20), "box": rng.uniform(20, 60), "pen": 4.0}
        radius = float(radii[kind])
        if np.linalg.norm(at - place, axis=1).min() < largest * 0.62 + radius:
            continue
        thing = {"kind": kind, "at": place.tolist(), "radius": radius, "rgb": rgb}
        if kind == "box":
            thing["deep"] = float(radius * rng.uniform(1, 2))
        heights = {"cup": (30, 90), "chip": (2, 12), "box": (4, 30), "pen": (80, 150)}
        thing["high"] = float(rng.uniform(*heights[kind]))
        if kind in ("box", "pen"):
            thing["turn"] = float(rng.uniform(0, 6))
        yield thing


def hand_parts(rng: Rng, target: Floats, seat: float, lift_mm: float = 0.0) -> list[Described]:
    """A hand whose fingertips are over a place and whose arm comes from some direction, with or without a sleeve.

    Args:
        rng: how the hand looks.
        target: where the fingertips are, in mm.
        seat: the direction from them to the arm, in radians.
        lift_mm: how high above the table.

    Returns:
        things of balls that melt into each other: x, y, z and radius in mm.
    """
    along = np.array([math.cos(seat), math.sin(seat)])
    across = np.array([-along[1], along[0]])
    spread, bent = rng.uniform(14.0, 17.5), rng.uniform(0, 12, 5)
    balls: list[list[float]] = []
    for finger in range(5):
        for s in np.linspace(0, 1, 9):
            at = target + across * (finger - 2) * spread + along * ((80 if finger else 55) * s + bent[finger] * (1 - s))
            balls.append([*at, 14 + 22 * s, 9.5])
    for s in np.linspace(0, 1, 10):
        balls += [[*(target + along * (80 + 70 * s) + across * w), 38, 22] for w in (-22, 0, 22)]
    arm = [[*(target + along * (150 + 850 * s)), 45 + 120 * s, 30 + 14 * s] for s in np.linspace(0, 1, 46)]
    is_sleeved = rng.random() < 0.7
    cuff = int(rng.integers(1, 8)) if is_sleeved else len(arm)
    skin = list(_SKINS[int(rng.integers(len(_SKINS)))])
    cloth = (colour(rng.uniform(0, 1), rng.uniform(0, 0.8), rng.uniform(0.05, 0.9)) / 255)[::-1].tolist()
    parts = [("hand", skin, [*balls, *arm[: cuff + 1]])]
    if is_sleeved:
        parts.append(("sleeve", cloth, [[*at, high, radius + 9] for *at, high, radius in arm[cuff:]]))
    return [
        {"kind": kind, "rgb": rgb, "balls": (np.array(told) + np.array([0, 0, lift_mm, 0])).tolist()}
        for kind, rgb, told in parts
    ]


def tile(described: Described, size: tuple[float, float], rounding: float) -> Described:
    """A card as `render` lays it, made a hexagon with a corner on its right; rounded by that share of its height."""
    turns = np.arange(6) * np.pi / 3
    corners = size[0] / 2 * np.stack([np.cos(turns), np.sin(turns)], 1)
    inset, arcs = rounding * size[1], np.linspace(-np.pi / 6, np.pi / 6, 5)
    ends = [
        corner * (1 - inset / (size[0] / 2 * math.cos(math.pi / 6)))
        + inset * np.stack([np.cos(turn + arcs), np.sin(turn + arcs)], 1)
        for turn, corner in zip(turns, corners, strict=True)
    ]
    outline = np.concatenate(ends) if rounding else corners
    return {**described, "outline": outline.tolist(), "corners": corners.tolist()}
