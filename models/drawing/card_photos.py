"""Makes scenes of real photographs: parts of them, new faces in their cards' light, more cards laid on their tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Art, Picture
from models.drawing.card_faces import Rng, Style
from models.drawing.card_light import photograph
from models.drawing.card_scenes import (
    LARGEST_PX,
    SIDE_PX,
    SMALLEST_PX,
    Camera,
    Canvas,
    Scene,
    draw_scene,
    finished,
    lay_deck,
)

_CUT_CARDS = 250
"""About so many of the photographs' cards are cut out, and as large a share of their hexagons."""
_HEXAGON_PX = 120
"""How wide a hexagon that is cut out is kept."""


@dataclass(frozen=True)
class Photo:
    """A photograph with its truth.

    Attributes:
        session: pictures taken together have the same.
        source: whose pictures.
        picture: (H, W, 3) BGR.
        cards: corners (4 or 6, 2) of each.
        ignored: polygons where cards lie that are cut off, hidden or doubtful.
        is_hexagon: of its cards.
    """

    session: str
    source: str
    picture: Picture
    cards: Sequence[NDArray[np.float32]]
    ignored: Sequence[NDArray[np.float32]]
    is_hexagon: bool


def read_photos(folder: Path, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> list[Photo]:
    """The photographs of a folder whose sessions' names begin with one of ``only`` and none of ``without``."""
    photos = []
    for line in (folder / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        session = truth["session"]
        if (only and not session.startswith(only)) or (without and session.startswith(without)):
            continue
        picture = np.asarray(cv2.imread(str(folder / truth["image"])), np.uint8)
        cards = [np.array(card["corners"], np.float32) for card in truth["cards"]]
        ignored = [np.array(polygon, np.float32) for polygon in truth.get("ignore") or []]
        photos.append(Photo(session, truth["source"], picture, cards, ignored, truth["shape"] == "hex"))
    return photos


def with_cut_cards(art: Art, photos: Sequence[Photo]) -> Art:
    """The art, with the photographs' own cards among the faces, and their hexagons."""
    cards, hexagons = [], []
    for photo in photos:
        for corners in photo.cards:
            if photo.is_hexagon:
                hexagons.append(_flat_hexagon(photo.picture, corners))
            else:
                cards.append(_flat(photo.picture, corners))
    share = max(1, len(cards) // _CUT_CARDS)
    return replace(art, cards=[*art.cards, *cards[::share]], hexagons=[*art.hexagons, *hexagons[::share]])


def _flat(picture: Picture, corners: NDArray[np.float32]) -> Picture:
    sides = np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1)
    across, down = max(8.0, (sides[0] + sides[2]) / 2), max(8.0, (sides[1] + sides[3]) / 2)
    factor = min(1.0, 200 / max(across, down))
    w, h = max(8, round(across * factor)), max(8, round(down * factor))
    box = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
    return np.asarray(cv2.warpPerspective(picture, cv2.getPerspectiveTransform(corners, box), (w, h)), np.uint8)


def _flat_hexagon(picture: Picture, corners: NDArray[np.float32]) -> Picture:
    across = _HEXAGON_PX
    down = round(across * np.sin(np.pi / 3))
    turns = np.radians(np.arange(6) * 60.0)
    box = np.stack([across / 2 * (1 + np.cos(turns)), down / 2 + across / 2 * np.sin(turns)], 1)
    to_box, _ = cv2.findHomography(corners, box)
    return np.asarray(cv2.warpPerspective(picture, to_box, (across, down), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _view(rng: Rng, photo: Photo, side: int) -> NDArray[np.float64]:
    """A homography (3, 3) from the photograph to a square part of it, turned, scaled and tilted a little."""
    h, w = photo.picture.shape[:2]
    if photo.cards:
        sizes = [np.sqrt(cv2.contourArea(c)) for c in photo.cards]
        typical = float(np.median(sizes))
        low = np.log(max(SMALLEST_PX * 1.2, 0.75 * side * typical / max(h, w)))
        high = np.log(min(LARGEST_PX * 0.85, 2.0 * max(sizes)))
        scale = np.exp(rng.uniform(low, max(low + 0.1, high))) / typical
        middle = photo.cards[int(rng.integers(len(photo.cards)))].mean(0) + rng.normal(0, 0.2, 2) * side / scale
    else:
        scale = side / min(h, w) * np.exp(rng.uniform(-0.1, 1.4))
        middle = rng.uniform(0.2, 0.8, 2) * [w, h]
    room = side / scale / 2  # keep the view inside the picture where that is possible
    middle = np.where(np.array([w, h]) > 2 * room, np.clip(middle, room, np.array([w, h]) - room), [w / 2, h / 2])
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.15) if rng.random() < 0.6 else rng.uniform(0, 6.3)
    mirror = np.diag([1.0, -1.0 if rng.random() < 0.3 else 1.0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ mirror * scale
    turn = turn @ (np.eye(2) + rng.normal(0, 0.06, (2, 2)))
    pose = np.eye(3)
    pose[:2, :2], pose[:2, 2] = turn, side / 2 - turn @ middle
    lean = np.eye(3)
    lean[2, :2] = rng.normal(0, 0.25, 2) / side
    shift = np.array([[1, 0, side / 2], [0, 1, side / 2], [0, 0, 1]])
    return np.asarray(shift @ lean @ np.linalg.inv(shift) @ pose)


def _reface(rng: Rng, art: Art, canvas: Canvas, photo: Photo, cards: Sequence[NDArray[np.float64]]) -> None:
    """Print something else on the photograph's cards and keep the light that falls on them."""
    style = Style.any(rng, photo.is_hexagon)
    for index, corners in enumerate(cards):
        side = float(np.sqrt(abs(cv2.contourArea(corners.astype(np.float32)))))
        part = canvas.window(corners, 1)
        if part is None or side < 12 or rng.random() < 0.2:
            continue
        lengths = np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1)
        w, h = max(6, round(lengths[0])), max(6, round(lengths[1]))
        if photo.is_hexagon:
            w, h = max(6, round(2 * lengths.mean())), max(6, round(np.sqrt(3) * lengths.mean()))
            turns = np.radians(np.arange(6) * 60.0)
            source = np.stack([w / 2 * (1 + np.cos(turns)), h / 2 + w / 2 * np.sin(turns)], 1)
            to, _ = cv2.findHomography(source - 0.5, corners - [part[1].start, part[0].start])
        else:
            source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
            to = cv2.getPerspectiveTransform(source, (corners - [part[1].start, part[0].start]).astype(np.float32))
        face = style.face(rng, art, w, h)
        old = canvas.picture[part]
        warped = cv2.warpPerspective(face, to, old.shape[1::-1], flags=cv2.INTER_LINEAR)
        owned = (canvas.owner[part] == index).astype(np.float32)
        alpha = (cv2.GaussianBlur(owned, (0, 0), 0.7) * (warped[..., 3] / np.float32(255)))[..., None]
        grey = cv2.GaussianBlur(old.max(2).astype(np.float32), (0, 0), max(1.0, side * 0.2))
        inside = grey[owned > 0]
        if not len(inside):
            continue
        shade = (0.25 + 0.75 * grey / 255)[..., None] * np.float32(rng.uniform(0.8, 1.1))
        canvas.picture[part] = np.clip(warped[..., :3] * shade * alpha + old * (1 - alpha), 0, 255).astype(np.uint8)


def draw_photo_scene(rng: Rng, art: Art, photos: Sequence[Photo]) -> Scene:
    """Make a scene of one of the photographs; each source is taken as often as its root of pictures."""
    if rng.random() < 0.2:
        return draw_scene(rng, art)  # its faces hold cards cut from the photographs
    sources = sorted({p.source for p in photos})
    counts = np.sqrt([sum(p.source == s for p in photos) for s in sources])
    chosen = sources[int(rng.choice(len(sources), p=counts / counts.sum()))]
    pool = [p for p in photos if p.source == chosen]
    photo = pool[int(rng.integers(len(pool)))]
    view = _view(rng, photo, SIDE_PX)
    border = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
    scale = np.sqrt(abs(np.linalg.det(view[:2, :2])))
    picture, before = photo.picture, np.eye(3)
    while scale < 0.5:
        picture = np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        scale *= 2
        before = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1]]) @ before
    shown = cv2.warpPerspective(picture, view @ np.linalg.inv(before), (SIDE_PX, SIDE_PX), borderMode=border)
    canvas = Canvas(np.asarray(shown, np.uint8), rng)

    def seen(polygon: NDArray[np.float32]) -> NDArray[np.float64]:
        return np.asarray(cv2.perspectiveTransform(polygon.reshape(1, -1, 2), view)[0], np.float64)

    cards, ignored = [seen(c) for c in photo.cards], [seen(p).astype(np.float32) for p in photo.ignored]
    # others lie far off, or behind the camera
    cards = [c for c in cards if (np.abs(c - SIDE_PX / 2) < 3 * SIDE_PX).all()]
    for index, corners in enumerate(cards):
        canvas.outlines.append(corners)
        at = np.clip(corners * 16, -(2**20), 2**20).round().astype(np.int32)
        cv2.fillConvexPoly(canvas.owner, at, index, cv2.LINE_8, 4)
    is_changed = rng.random() < 0.45 and cards
    if is_changed:
        _reface(rng, art, canvas, photo, cards)
    if rng.random() < 0.25:
        size = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX * 0.6))))
        lay_deck(rng, art, canvas, Camera(rng, SIDE_PX, size), min(SIDE_PX / size / 2, 2.5), rng.random() < 0.3)
    if rng.random() < 0.4:
        return finished(rng, canvas, 40.0, ignored)
    tint = np.clip(rng.normal(1, 0.06, 3), 0.8, 1.2) * np.exp(rng.normal(0, 0.2))
    return Scene(photograph(rng, canvas.picture * tint.astype(np.float32)), canvas.seen(), ignored)
