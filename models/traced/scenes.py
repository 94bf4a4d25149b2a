"""Describes scenes of cards for `render`: faces as pictures, where cards, things, lamps and the camera stand.

    PYTHONPATH=. python -m models.traced.scenes --art art.npz --out DIR [--faces FILE] [--comet N] [--any N] [--tiles N]

Half of the scenes are hard: tilted, out of focus, a hand among the cards. Lengths of cards are in mm, with y down; the
camera and the lamps stand in metres, with y up and z away from the table.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.deck import rounded
from models.drawing.art import Art, Picture
from models.drawing.card_faces import Style, bands
from models.drawing.comet.cards import numeral_boxes_mm, raster_back, raster_face
from models.drawing.comet.layouts import LaidComet, laid_groups, strays
from models.drawing.comet.printings import CometPrinting, Typeface, plain_typefaces
from models.drawing.comet.styles import STYLES, styled, teaching_cards
from models.traced.textures import KINDS, colour, table
from models.typefaces import kept

Rng = np.random.Generator
Floats = NDArray[np.float64]
Described = dict[str, Any]

SHEET_MM, THICK_MM = 0.4, 0.35
"""How far apart cards lie that lie on each other, and how thick they are."""
COMET_SIZE, ANY_SIZE = (1280, 720), (960, 540)
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


def card(face: str, size: tuple[float, float], radius: float, laid: LaidComet, layer: int, gloss: Floats) -> Described:
    """A card as `render` lays it."""
    x, y = size[0] / 2, size[1] / 2
    return {
        "outline": rounded(*size, radius),
        "corners": [(-x, -y), (x, -y), (x, y), (-x, y)],
        "texture": face,
        "size": list(size),
        "at": [float(v) for v in laid.at_mm],
        "turn": float(laid.turn_deg),
        "z": SHEET_MM * layer + 0.02,
        "thick": THICK_MM * max(1, laid.layers),
        "rough": float(gloss[0]),
        "coat": float(gloss[1]),
        "aside": bool(laid.is_aside),
    }


def scene(
    rng: Rng, studio: Studio, cards: Sequence[Described], name: str, size: tuple[int, int], is_hard: bool, **how: float
) -> Described:
    """Cards on some table in some light; ``how`` is ``fill`` and ``least`` of `_camera`."""
    kind = str(rng.choice(KINDS))
    picture = studio.keep(f"table-{name}.jpg", table(rng, kind, studio.art))
    camera = _camera(rng, cards, size, is_hard, **how)
    is_teaching = "fill" in how
    if is_teaching:
        camera["roll"] = float(rng.normal(0, 4))
    at = np.array([one["at"] for one in cards])
    reach = np.ptp(at, axis=0).max() / 2 + 90
    things = [] if is_teaching else list(_things(rng, cards, reach))
    if is_hard and rng.random() < 0.25:
        things.append(_hand(rng, at.mean(0) + rng.normal(0, 1, 2) * reach * 0.6))
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


def _hand(rng: Rng, target: Floats) -> Described:
    """A hand and its arm, of balls that melt into each other: x, y, z and radius in mm."""
    a = rng.uniform(0, 2 * math.pi)
    along = np.array([math.cos(a), math.sin(a)])
    across = np.array([-along[1], along[0]])
    balls: list[list[float]] = []
    for finger in range(5):
        for s in np.linspace(0, 1, 9):
            at = target + across * (finger - 2) * 16.2 + along * (80 if finger else 55) * s
            balls.append([*at, 14 + 22 * s, 9.5])
    for s in np.linspace(0, 1, 10):
        balls += [[*(target + along * (80 + 70 * s) + across * w), 38, 22] for w in (-22, 0, 22)]
    balls += [[*(target + along * (150 + 260 * s)), 45, 30] for s in np.linspace(0, 1, 14)]
    return {"kind": "hand", "balls": [[float(v) for v in ball] for ball in balls], "rgb": list(rng.choice(_SKINS))}


def comet_deck(seed: int, studio: Studio, faces: Sequence[Typeface], pictures: int = 2) -> Iterator[Described]:
    """Photographs of a Comet printing that nobody has drawn before: that which teaches it, and others."""
    rng = np.random.default_rng(seed)
    look = styled(faces, rng, sorted(STYLES)[seed % len(STYLES)])
    gloss = np.array([rng.uniform(0.25, 0.7), rng.choice([0, 0.15, 0.4])])

    def cards(laid: Sequence[LaidComet]) -> list[Described]:
        found = []
        for layer, one in enumerate(laid):
            name = f"{seed}-{'back' if one.values is None else '-'.join(map(str, one.values))}.png"
            face = studio.keep(name, opaque(_comet_face(one, look)))
            about = card(face, one.size, max(0.3, look.rounding_mm), one, layer, gloss)
            marks = [
                {"slot": slot, "corners": box.tolist()}
                for slot, boxes in enumerate(numeral_boxes_mm(one.values, look) if one.values else ())
                for box in boxes
            ]
            found.append({**about, "values": one.values, "marks": marks, "is_turned": look.is_turned})
        return found

    yield scene(rng, studio, cards(teaching_cards(look, rng)), f"{seed}-teach", COMET_SIZE, False, fill=0.62)
    for k in range(pictures):
        laid = laid_groups(int(rng.integers(6, 22)), look, rng)
        laid = [*laid, *strays(laid, look, rng)[:3]]
        least = min(place.numeral_mm for place in look.places) / float(rng.uniform(10.5, 16))
        yield scene(rng, studio, cards(laid), f"{seed}-{k}", COMET_SIZE, bool(k % 2), least=least)


def _comet_face(one: LaidComet, look: CometPrinting) -> Picture:
    return np.asarray(raster_back(look, 9.0) if one.values is None else raster_face(one.values, look, 9.0), np.uint8)


def any_decks(seed: int, studio: Studio, pictures: int = 2) -> Iterator[Described]:
    """Photographs of decks that may show anything, each of another."""
    rng = np.random.default_rng(seed)
    look = styled(list(plain_typefaces()), rng, "row")
    for k in range(pictures):
        style = Style.any(rng, False)
        if rng.random() < 0.35:
            style = replace(style, draws=(bands,), frame=0.0)
        height = float(rng.uniform(55, 100))
        size = (height * float(rng.uniform(0.55, 1.0)), height)
        cards = []
        for layer, one in enumerate(laid_groups(int(rng.integers(3, 22)), replace(look, size=size), rng)):
            face = opaque(style.face(rng, studio.art, int(size[0] * 6), int(size[1] * 6)))
            gloss = np.array([rng.uniform(0.25, 0.7), 0.0])
            radius = max(0.4, style.rounding * min(size))
            cards.append(card(studio.keep(f"{seed}-{k}-{layer}.png", face), size, radius, one, layer, gloss))
        yield scene(rng, studio, cards, f"{seed}-{k}", ANY_SIZE, bool(k % 2))


def tile_decks(seed: int, studio: Studio, pictures: int = 2) -> Iterator[Described]:
    """Photographs of hexagonal decks that may show anything, each of another: laid to each other, some lying apart."""
    rng = np.random.default_rng(seed)
    for k in range(pictures):
        style = Style.any(rng, True)
        side = float(rng.uniform(22, 45))
        size = (2 * side, math.sqrt(3) * side)
        gloss = np.array([rng.uniform(0.25, 0.7), 0.0])
        layers = int(rng.choice([1, 1, 2, 9]))
        cards = []
        for number, laid in enumerate(_honeycomb(rng, size, layers)):
            face = opaque(style.face(rng, studio.art, round(size[0] * 6), round(size[1] * 6)))
            texture = studio.keep(f"{seed}-{k}-{number}.png", face)
            cards.append(tile(card(texture, size, 0.1, laid, 0, gloss), size, style.rounding))
        yield scene(rng, studio, cards, f"{seed}-{k}", ANY_SIZE, bool(k % 2))


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


def _honeycomb(rng: Rng, size: tuple[float, float], layers: int) -> list[LaidComet]:
    """Where hexagons of that size lie: a tableau grown cell by cell, hardly askew, and some that lie apart."""
    step = size[1] + float(rng.choice([0.0, 0.6, 2.5]))
    cells = [(0, 0)]
    for _ in range(int(rng.integers(0, 26))):
        q, r = cells[int(rng.integers(len(cells)))]
        dq, dr = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)][int(rng.integers(6))]
        if (q + dq, r + dr) not in cells:
            cells.append((q + dq, r + dr))
    main, askew = float(rng.uniform(0, 360)), float(rng.choice([0.0, 1.0, 3.0]))
    at = np.array([[math.sqrt(3) / 2 * q, q / 2 + r] for q, r in cells]) * step @ turn(main)
    at += rng.normal(0, 0.1 + 0.2 * askew, at.shape)
    turns = main + rng.normal(0, askew, len(at))
    found = [LaidComet(None, p, float(a), size, layers=layers) for p, a in zip(at, turns, strict=True)]
    for _ in range(int(rng.integers(0, 5))):
        place = at.mean(0) + rng.uniform(-1, 1, 2) * (np.ptp(at, axis=0).max() / 2 + 2.2 * size[0])
        if min(np.linalg.norm(one.at_mm - place) for one in found) > 1.05 * size[0]:
            found.append(LaidComet(None, place, float(rng.uniform(0, 360)), size, layers=layers))
    return found


def main() -> None:
    """Describe and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--art", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--faces", type=Path, help="typefaces of models.typefaces; without them plain ones")
    parser.add_argument("--comet", type=int, default=14, help="Comet printings")
    parser.add_argument("--any", type=int, default=30, help="pairs of other decks")
    parser.add_argument("--tiles", type=int, default=0, help="pairs of hexagonal decks")
    parser.add_argument("--begin", type=int, default=6_200_000)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    studio = Studio(options.out, Art.read(options.art))
    faces = kept(options.faces)["held-out"] if options.faces else list(plain_typefaces())
    for seed in range(options.begin, options.begin + options.comet):
        _write(options.out, comet_deck(seed, studio, faces))
    for seed in range(options.begin + 100_000, options.begin + 100_000 + options.any):
        _write(options.out, any_decks(seed, studio))
    for seed in range(options.begin + 200_000, options.begin + 200_000 + options.tiles):
        _write(options.out, tile_decks(seed, studio))


def _write(folder: Path, described: Iterator[Described]) -> None:
    for one in described:
        (folder / f"{one['name']}.scene.json").write_text(json.dumps(one))


if __name__ == "__main__":
    main()
