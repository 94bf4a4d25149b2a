"""Pictures of the simulated table, as a camera would take them: what lies still is painted once, what moves each time.

Light, shadow, softness, flicker and noise are added where a camera meets them; all chance comes in as a generator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.printing.raster import raster
from companion.printing.shapes import Shape, bounds
from companion.simulator.hands import Hand
from companion.simulator.lying import Pose
from companion.simulator.optics import Camera, Matrix, applied, mm_from_px, placed
from companion.simulator.things import Face

Field = npt.NDArray[Any]

_SCALE = 1.1
_WOODS = ((58, 92, 138), (40, 62, 98), (98, 142, 186), (34, 44, 62))
_FELTS = ((62, 92, 34), (92, 60, 34), (48, 40, 96), (60, 62, 58))
Picture = npt.NDArray[Any]
CARD_MM = 0.5
"""How thick a card is."""
_SUN = (0.34, 0.26)
"""How far a shadow falls to the right and down, for each mm of height."""


def table_top(camera: Camera, kind: str, rng: np.random.Generator) -> npt.NDArray[Any]:
    """The bare table as the camera sees it before light, BGR.

    Args:
        camera: what looks at it.
        kind: ``wood`` or ``felt``.
        rng: the only source of chance.
    """
    side_px = round(2.2 * float(np.abs(camera.seen_mm() - camera.aim).max()) * _SCALE)
    texture = np.clip(_TEXTURES[kind](side_px, rng), 0, 255).astype(np.uint8)
    half_mm = side_px / _SCALE / 2
    table: Matrix = placed(camera.aim, float(rng.uniform(-25, 25))) @ mm_from_px(-half_mm, -half_mm, _SCALE)
    return cv2.warpPerspective(texture, camera.px_from_mm() @ table, camera.size, borderMode=cv2.BORDER_REFLECT)


def _wood(side: int, rng: np.random.Generator) -> Field:
    """Planks side by side, each with its own tone and its own stretch of grain."""
    tone = np.array(_WOODS[rng.integers(len(_WOODS))], np.float32)
    figure = (
        0.08 * _noise(rng, side, (4, 60)) + 0.07 * _noise(rng, side, (9, 260)) + 0.05 * _noise(rng, side, (40, 900))
    )
    image = tone * (1 + figure[..., None])
    plank = round(float(rng.uniform(90, 150)) * _SCALE)
    for top in range(0, side, plank):
        board = image[top : top + plank]
        board[:] = np.roll(board, int(rng.integers(side)), axis=1) * float(rng.uniform(0.86, 1.1))
        cv2.line(image, (0, top), (side, top), (tone * 0.35).tolist(), 1, cv2.LINE_AA)
        butt = int(rng.integers(side))
        cv2.line(image, (butt, top), (butt, top + plank), (tone * 0.4).tolist(), 1, cv2.LINE_AA)
    return image


def _felt(side: int, rng: np.random.Generator) -> Field:
    tone = np.array(_FELTS[rng.integers(len(_FELTS))], np.float32)
    fibres = 0.07 * rng.standard_normal((side, side)).astype(np.float32) + 0.04 * _noise(rng, side, (7, 7))
    return tone * (1 + fibres[..., None])


def _noise(rng: np.random.Generator, side: int, cells: tuple[int, int]) -> Field:
    coarse = rng.standard_normal((min(cells[1], side), cells[0])).astype(np.float32)
    return cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC)


_TEXTURES = {"wood": _wood, "felt": _felt}


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A flat thing to paint: premultiplied BGRA, and where its pixels lie in its own frame."""

    picture: Picture
    mm_from_px: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A sprite on its way: where it was and is during the exposure, and how high."""

    sprite: Sprite
    poses: tuple[Pose, ...]
    height_mm: float


class Painter:
    """Paints one table for one camera. Keeps what does not move."""

    def __init__(
        self,
        camera: Camera,
        surface: str,
        shapes: Callable[[Face], tuple[Shape, ...]],
        rng: np.random.Generator,
    ) -> None:
        """A bare table.

        Args:
            camera: what looks at it.
            surface: ``wood`` or ``felt``.
            shapes: how a thing that shows a face is drawn.
            rng: the only source of chance.
        """
        self.camera = camera
        self._shapes = shapes
        self._rng = rng
        self._light = _light(camera.size, rng)
        self._bare = _lit(table_top(camera, surface, rng), self._light)
        self._grain = _grain(camera.size, rng)
        self._sprites: dict[Face, Sprite] = {}

    def sprite(self, face: Face) -> Sprite:
        """The sprite of a thing that shows a face."""
        if face not in self._sprites:
            self._sprites[face] = _sprite(self._shapes(face), 1.15 * self.camera.px_per_mm)
        return self._sprites[face]

    def bare_table(self) -> Picture:
        """The table with nothing on it, to paint on."""
        return self._bare.copy()

    def lay(self, table: Picture, card: Sprite, pose: Pose) -> None:
        """Paint a lying thing into a picture, with the thin shadow at its edge."""
        self._shade(table, card, pose.shifted(0.9, 0.7), 0.8)
        self._put(table, card, pose, CARD_MM)

    def stack(self, table: Picture, faces: Sequence[Face], pose: Pose) -> None:
        """Paint things lying one above the other, the lowest first, each a little off the one below."""
        height = CARD_MM * len(faces)
        self._shade(table, self.sprite(faces[-1]), pose.shifted(_SUN[0] * height, _SUN[1] * height), 4.0)
        for k, face in enumerate(faces):
            raised = pose.shifted(0.4 * np.sin(k), 0.4 * np.cos(2.3 * k), 1.2 * np.sin(1.7 * k))
            self._put(table, self.sprite(face), raised, CARD_MM * (k + 1))

    def over(self, table: Picture, things: Sequence[Moving]) -> Picture:
        """A copy of the picture with moving things above it, the later ones on top, each with its soft shadow."""
        seen = table.copy()
        layers = [self._layer(thing.sprite, thing.poses, thing.height_mm) for thing in things]
        for thing in things:
            self._cast(seen, thing)
        for layer in layers:
            if not layer.box.is_empty:
                _blend(seen, layer.box, _apply_light(layer.picture, self._light[layer.box.rows, layer.box.columns]))
        return seen

    def exposed(self, scene: Picture, t_s: float) -> Picture:
        """The scene as the sensor gives it at a time: softened, flickering with the mains, noisy."""
        gain = 1.0 + 0.012 * np.sin(2 * np.pi * 0.73 * t_s) + float(self._rng.normal(0, 0.003))
        soft = cv2.GaussianBlur(scene, (3, 3), 0.55)
        brightened = cv2.convertScaleAbs(soft, alpha=gain)
        height, width = scene.shape[:2]
        plus, minus = (self._grain[k] for k in self._rng.permutation(2))
        y, x = (int(self._rng.integers(0, span)) for span in (plus.shape[0] - height, plus.shape[1] - width))
        window = np.s_[y : y + height, x : x + width]
        return cv2.subtract(cv2.add(brightened, plus[window]), minus[window])

    def _shade(self, table: Picture, card: Sprite, pose: Pose, softness_px: float) -> None:
        shadow = self._layer(card, (pose,), 0.0, margin_px=10)
        _darken(table, shadow.box, cv2.GaussianBlur(shadow.picture[:, :, 3], (0, 0), softness_px), 0.5)

    def _put(self, table: Picture, card: Sprite, pose: Pose, height_mm: float) -> None:
        layer = self._layer(card, (pose,), height_mm)
        _blend(table, layer.box, _apply_light(layer.picture, self._light[layer.box.rows, layer.box.columns]))

    def _cast(self, seen: Picture, thing: Moving) -> None:
        """Darken the picture where a moving thing's shadow falls: softer and paler the higher it is."""
        coarse = Sprite(thing.sprite.picture[:, :, 3], thing.sprite.mm_from_px)
        reach = 2.0 + thing.height_mm
        pose = thing.poses[-1].shifted(_SUN[0] * reach, _SUN[1] * reach)
        shadow = self._layer(coarse, (pose,), 0.0, margin_px=24, fineness=0.25)
        if not shadow.box.is_empty:
            opacity = cv2.GaussianBlur(shadow.picture, (0, 0), 1.0 + 0.05 * thing.height_mm)
            wide = cv2.resize(opacity, shadow.box.size, interpolation=cv2.INTER_LINEAR)
            _darken(seen, shadow.box, wide, 0.5 - 0.003 * thing.height_mm)

    def _layer(
        self, sprite: Sprite, poses: tuple[Pose, ...], height_mm: float, margin_px: int = 2, fineness: float = 1.0
    ) -> "_Layer":
        """The sprite warped into the part of the picture that it covers, averaged over the exposure's poses."""
        to_px = self.camera.px_from_mm(height_mm)
        maps = [to_px @ placed((p.x_mm, p.y_mm), p.turn_deg) @ sprite.mm_from_px for p in poses]
        rows, columns = sprite.picture.shape[:2]
        rim = [(0, 0), (columns, 0), (columns, rows), (0, rows)]
        box = _Box.around(np.vstack([applied(m, rim) for m in maps]), margin_px, self.camera.size)
        shrink = np.diag([fineness, fineness, 1.0]) @ np.array([[1.0, 0, -box.left], [0, 1.0, -box.top], [0, 0, 1.0]])
        size = (max(1, round(box.size[0] * fineness)), max(1, round(box.size[1] * fineness)))
        warped = [cv2.warpPerspective(sprite.picture, shrink @ m, size, flags=cv2.INTER_LINEAR) for m in maps]
        return _Layer(box, warped[0] if len(warped) == 1 else _mean(warped))


@dataclass(frozen=True, slots=True)
class _Box:
    """A part of the picture, in whole pixels."""

    left: int
    top: int
    size: tuple[int, int]

    @classmethod
    def around(cls, points: npt.NDArray[Any], margin_px: int, size: tuple[int, int]) -> "_Box":
        spans = [
            (min(max(floor(min(along)) - margin_px, 0), side), min(max(ceil(max(along)) + margin_px + 1, 0), side))
            for along, side in zip(points.T.tolist(), size, strict=True)
        ]
        (left, right), (top, bottom) = spans
        return cls(left, top, (right - left, bottom - top))

    @property
    def is_empty(self) -> bool:
        return min(self.size) <= 0

    @property
    def rows(self) -> slice:
        return slice(self.top, self.top + self.size[1])

    @property
    def columns(self) -> slice:
        return slice(self.left, self.left + self.size[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    box: _Box
    picture: Picture


def hand_sprite(hand: Hand) -> Sprite:
    """A hand as something to paint."""
    return Sprite(hand.picture, hand.mm_from_px)


def _sprite(shapes: tuple[Shape, ...], px_per_mm: float) -> Sprite:
    picture, box = raster(shapes, px_per_mm), bounds(shapes)
    opacity = picture[:, :, 3:].astype(np.uint16)
    premultiplied = np.concatenate([(picture[:, :, :3] * opacity + 127) // 255, opacity], axis=2).astype(np.uint8)
    return Sprite(premultiplied, mm_from_px(box.left_mm, box.top_mm, px_per_mm))


def _mean(pictures: list[Picture]) -> Picture:
    total = np.zeros(pictures[0].shape, np.float32)
    for picture in pictures:
        cv2.accumulate(picture, total)
    return cv2.convertScaleAbs(total, alpha=1 / len(pictures))


def _blend(scene: Picture, box: _Box, layer: Picture) -> None:
    part = scene[box.rows, box.columns]
    through = cv2.merge([255 - layer[:, :, 3]] * 3)
    part[:] = cv2.add(cv2.multiply(part, through, scale=1 / 255), layer[:, :, :3])


def _darken(scene: Picture, box: _Box, opacity: Picture, depth: float) -> None:
    part = scene[box.rows, box.columns]
    left = cv2.convertScaleAbs(cv2.bitwise_not(opacity), alpha=depth, beta=255 * (1 - depth))
    part[:] = cv2.multiply(part, cv2.merge([left] * 3), scale=1 / 255)


def _apply_light(layer: Picture, light: npt.NDArray[Any]) -> Picture:
    lit = cv2.multiply(np.ascontiguousarray(layer[:, :, :3]), light, scale=1 / 255)
    return np.dstack([lit, layer[:, :, 3]])


def _lit(albedo: Picture, light: npt.NDArray[Any]) -> Picture:
    return cv2.multiply(albedo, light, scale=1 / 255)


def _light(size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[Any]:
    """The room's light on the table, 255 for full: brighter towards a lamp or window, a little tinted."""
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    lamp = rng.uniform(0.0, 1.0, 2) * size
    away = np.hypot(x - lamp[0], y - lamp[1]) / size[0]
    level = float(rng.uniform(0.88, 0.97)) * np.exp(-((away / float(rng.uniform(1.1, 1.5))) ** 2))
    warmth = float(rng.uniform(-0.03, 0.07))
    tint = np.array([1 - 1.4 * warmth, 1 - 0.4 * warmth, 1.0], np.float32)
    light: Picture = np.clip(level[..., None] * tint * 255, 0, 255).astype(np.uint8)
    return light


def _grain(size: tuple[int, int], rng: np.random.Generator) -> tuple[Picture, Picture]:
    """Two fields of sensor noise, one to add and one to take away, larger than the picture so they can be shifted."""
    shape = (size[1] + 97, size[0] + 131, 3)
    fields = []
    for _ in range(2):
        noise = cv2.GaussianBlur(rng.standard_normal(shape, np.float32), (3, 3), 0.6)
        fields.append(np.clip(np.round(4.5 * noise), 0, 255).astype(np.uint8))
    return fields[0], fields[1]
