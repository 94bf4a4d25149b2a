"""Hex'el decks in styles that people print: clip art, painted edges, letters, one ink; with symbols of other people.

`models.drawing.hexel.invented` draws plain shapes; here a symbol may be any picture.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.deck import APOTHEM_MM
from models.drawing.art import Picture
from models.drawing.hexel.invented import invented
from models.drawing.hexel.printings import Printing, fill_shape, raster_card

Floats = NDArray[np.float64]

_SIDE_PX = 220
"""A symbol's picture is so wide, whatever its size on the card."""
_APART, _INKED, _STANDS_OUT, _TRIES = 26.0, (0.12, 0.8), 70.0, 60
"""Two symbols differ so much in the mean (levels of 255); a symbol covers such a share of its square, and stands out so
far from the face; so many pictures are tried for one ground."""


@dataclass(frozen=True, slots=True, eq=False)
class PicturedDeck:
    """A deck whose symbols are pictures.

    Attributes:
        ground: the face without symbols.
        pictures: for each symbol BGRA, `_SIDE_PX` square, its top pointing away from the card's centre.
        size_mm: how wide a picture is on the card.
        at: where its middle lies on the way to the edge, a fraction of the apothem.
        is_upright: the pictures are not turned with their edges.
        turns: by how many sixths of a turn upright pictures are turned, a card by one of these that its symbols choose.
    """

    ground: Printing
    pictures: Mapping[str, Picture]
    size_mm: float
    at: float
    is_upright: bool
    turns: Sequence[int] = (0,)

    def raster(self, edges: Sequence[str], px_per_mm: float) -> Picture:
        """A card's face as `raster_card` draws it."""
        image = raster_card((), self.ground, px_per_mm)
        middle, wide = (image.shape[1] - 1) / 2, max(4, round(self.size_mm * px_per_mm))
        small = {name: cv2.resize(p, (wide, wide), interpolation=cv2.INTER_AREA) for name, p in self.pictures.items()}
        turn = np.radians(60.0 * self.turns[crc32("".join(edges).encode()) % len(self.turns)])
        upwards = np.array([np.sin(turn), -np.cos(turn)])
        for direction, name in enumerate(edges):
            angle = np.radians(-60.0 * direction)
            out = np.array([np.cos(angle), np.sin(angle)])
            at = middle + out * self.at * APOTHEM_MM * px_per_mm
            _lay(image, np.asarray(small[name], np.uint8), at, upwards if self.is_upright else out)
        return np.asarray(image, np.uint8)


def _lay(image: Picture, picture: Picture, at: Floats, up: Floats) -> None:
    """Lay a picture on an image, its middle at a place, turned so that its top looks ``up``."""
    turn = np.array([[-up[1], -up[0]], [up[0], -up[1]]])
    move = np.c_[turn, at - turn @ np.full(2, (len(picture) - 1) / 2)]
    laid = cv2.warpAffine(picture, move, image.shape[1::-1], flags=cv2.INTER_LINEAR)
    opacity = laid[..., 3:].astype(np.float32) / 255
    image[..., :3] = (image[..., :3] * (1 - opacity) + laid[..., :3] * opacity).astype(np.uint8)


def pictured(symbols: Sequence[str], clips: Sequence[Picture], rng: np.random.Generator) -> PicturedDeck:
    """A deck in one of the styles."""
    makers = (lambda: clip_art(symbols, clips, rng), lambda: painted_edges(symbols, rng), lambda: letters(symbols, rng))
    return makers[int(rng.integers(len(makers)))]()


def clip_art(symbols: Sequence[str], clips: Sequence[Picture], rng: np.random.Generator) -> PicturedDeck:
    """Symbols of clip art, in their own colours or all in one ink; `ValueError` where too few clips differ enough."""
    for _ in range(_TRIES):
        ground = replace(invented(tuple(symbols), rng), middle=None)
        ink = _ink(ground, rng) if rng.random() < 0.4 else None
        chosen: list[Picture] = []
        for number in rng.permutation(len(clips))[:_TRIES]:
            picture = _squared(clips[int(number)])
            picture = picture if ink is None else _in_one_ink(picture, ink)
            if _is_plain(picture, ground.face) and all(_are_apart(picture, other) for other in chosen):
                chosen.append(picture)
            if len(chosen) == len(symbols):
                size, at = float(rng.uniform(11, 16)), float(rng.uniform(0.62, 0.74))
                return PicturedDeck(ground, dict(zip(symbols, chosen, strict=True)), size, at, rng.random() < 0.2)
    raise ValueError("too few of the clips can be told apart")


def painted_edges(symbols: Sequence[str], rng: np.random.Generator) -> PicturedDeck:
    """Each edge painted along its whole length: plain, striped or dotted."""
    ground = replace(invented(tuple(symbols), rng), middle=None)
    patterns = rng.permutation(["plain", "plain", "stripes", "dots", "plain"])
    size = 2 / np.sqrt(3) * APOTHEM_MM
    ends = np.array([ground.hairline_mm + ground.border_mm + float(rng.uniform(0, 1)), float(rng.uniform(7, 14))])
    half = 0.5 * (1 - ends / APOTHEM_MM) - float(rng.uniform(0.01, 0.06))
    (top, bottom), (wide, narrow) = ends / size, half
    wedge = np.array([[0.5 - wide, top], [0.5 + wide, top], [0.5 + narrow, bottom], [0.5 - narrow, bottom]])
    pictures = {}
    for (name, mark), pattern in zip(ground.marks.items(), patterns, strict=False):
        mask = np.zeros((_SIDE_PX, _SIDE_PX), np.uint8)
        fill_shape(mask, wedge * _SIDE_PX, 255)
        pictures[name] = np.dstack([_patterned(mark.colour, ground.face, str(pattern), rng), mask])
    return PicturedDeck(ground, pictures, size, 1 - 0.5 * size / APOTHEM_MM, False)


def letters(symbols: Sequence[str], rng: np.random.Generator) -> PicturedDeck:
    """Letters in one ink or in one each, in one of OpenCV's own typefaces."""
    ground = replace(invented(tuple(symbols), rng), middle=None)
    typeface = int(rng.choice([cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX]))
    one = _ink(ground, rng) if rng.random() < 0.5 else None
    signs = rng.permutation(list("AEGHKMRSTXZ"))
    pictures = {}
    for name, sign, mark in zip(symbols, signs, ground.marks.values(), strict=False):
        picture = np.zeros((_SIDE_PX, _SIDE_PX, 4), np.uint8)
        picture[..., :3] = mark.colour if one is None else one
        (wide, high), _ = cv2.getTextSize(str(sign), typeface, 1.0, 2)
        scale = 0.82 * _SIDE_PX / max(wide, high)
        at = (round((_SIDE_PX - wide * scale) / 2), round((_SIDE_PX + high * scale) / 2))
        mask = np.zeros((_SIDE_PX, _SIDE_PX), np.uint8)
        cv2.putText(mask, str(sign), at, typeface, scale, 255, int(rng.integers(14, 30)), cv2.LINE_AA)
        picture[..., 3] = mask
        pictures[name] = picture
    return PicturedDeck(ground, pictures, float(rng.uniform(9, 14)), float(rng.uniform(0.64, 0.76)), False)


def _squared(clip: Picture) -> Picture:
    """A clip in the middle of a square, `_SIDE_PX` wide."""
    scale = _SIDE_PX / max(clip.shape[:2])
    large = cv2.resize(clip, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    top, left = (_SIDE_PX - large.shape[0]) // 2, (_SIDE_PX - large.shape[1]) // 2
    found = np.zeros((_SIDE_PX, _SIDE_PX, 4), np.uint8)
    found[top : top + large.shape[0], left : left + large.shape[1]] = large[: _SIDE_PX - top, : _SIDE_PX - left]
    return found


def _ink(ground: Printing, rng: np.random.Generator) -> Floats:
    """A colour that stands out from the face in lightness."""
    is_dark = float(np.mean(ground.face)) > 128
    return np.clip((rng.uniform(10, 90) if is_dark else rng.uniform(170, 245)) + rng.normal(0, 25, 3), 0, 255)


def _in_one_ink(picture: Picture, ink: Floats) -> Picture:
    """A line drawing of it: the darker, the more ink."""
    grey = cv2.cvtColor(picture[..., :3], cv2.COLOR_BGR2GRAY).astype(np.float32) / 255
    found = picture.copy()
    found[..., :3] = ink.astype(np.uint8)
    found[..., 3] = (picture[..., 3] * np.clip(1.5 * (1 - grey), 0, 1)).astype(np.uint8)
    return found


def _patterned(colour: Sequence[int], face: Sequence[int], pattern: str, rng: np.random.Generator) -> Picture:
    found = np.empty((_SIDE_PX, _SIDE_PX, 3), np.uint8)
    found[:] = colour
    step, other = int(rng.integers(24, 40)), tuple(int(v) for v in face)
    if pattern == "stripes":
        for x in range(0, _SIDE_PX, step):
            cv2.line(found, (x, 0), (x, _SIDE_PX), other, step // 3)
    elif pattern == "dots":
        for x in range(step // 2, _SIDE_PX, step):
            for y in range(step // 2, _SIDE_PX, step):
                cv2.circle(found, (x, y), step // 4, other, -1, cv2.LINE_AA)
    return found


def _is_plain(picture: Picture, face: Sequence[int]) -> bool:
    """It can be seen on that face: covers enough of its square, and stands out."""
    opacity = picture[..., 3] / 255.0
    off = np.abs(picture[..., :3].astype(float) - face).max(-1) * opacity
    share = float((off > _STANDS_OUT).mean())
    return _INKED[0] < share < _INKED[1]


def _are_apart(one: Picture, other: Picture) -> bool:
    """Nobody would mix them up."""
    shown = [np.where(p[..., 3:] > 127, p[..., :3], 128).astype(float) for p in (one, other)]
    small = [cv2.resize(p, (24, 24), interpolation=cv2.INTER_AREA) for p in shown]
    return float(np.abs(small[0] - small[1]).mean()) > _APART
