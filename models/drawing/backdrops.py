"""Table tops for photographs: wood, felt, laminate, cloth, slate, mats and more, some hard to see cards on."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.drawing.hexel.printings import hexagon

Texture = npt.NDArray[Any]

TABLES = (
    "wood",
    "felt",
    "laminate",
    "cloth-dots",
    "cloth-check",
    "cloth-flowers",
    "slate",
    "marble",
    "mat",
    "plain",
    "newspaper",
    "weave",
)


def backdrop(
    rng: np.random.Generator, image_from_table: Texture, size: tuple[int, int], kind: str | None = None
) -> Texture:
    """A table top as the camera sees it, uint8 (h, w, 3) BGR, before light.

    Args:
        rng: the only source of chance.
        image_from_table: homography from mm on the table to pixels.
        size: width and height of the picture.
        kind: one of `TABLES`; None for any.
    """
    kind = str(rng.choice(TABLES)) if kind is None else kind
    side = 900
    texture = _TEXTURES[kind](rng, side)
    mm_per_texel = float(rng.uniform(0.35, 0.9)) * (1.6 if kind == "wood" else 1.0)
    a = rng.uniform(0, 2 * np.pi)
    w, h = size
    middle = cv2.perspectiveTransform(np.array([[[w / 2, h / 2]]], np.float64), np.linalg.inv(image_from_table))[0, 0]
    c, s = np.cos(a) * mm_per_texel, np.sin(a) * mm_per_texel
    table_from_texture = np.array([[c, -s, middle[0]], [s, c, middle[1]], [0, 0, 1.0]]) @ np.array(
        [[1, 0, -side / 2], [0, 1, -side / 2], [0, 0, 1.0]]
    )
    texture = cv2.GaussianBlur(texture, (0, 0), 0.8)
    m = image_from_table @ table_from_texture
    return cv2.warpPerspective(texture, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


def any_colour(rng: np.random.Generator, low: float, high: float, saturation: float) -> Texture:
    """A colour (3,) BGR float32 of any hue, its brightness in a range, its saturation below a limit, all 0..255."""
    hsv = np.array([[[rng.uniform(0, 180), rng.uniform(0, saturation), rng.uniform(low, high)]]]).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32))


def _smooth_noise(rng: np.random.Generator, side: int, cells: tuple[int, int]) -> Texture:
    small = rng.standard_normal((cells[1], cells[0], 1)).astype(np.float32)
    return cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC).reshape(side, side, 1)


def _finish(base: Texture) -> Texture:
    return np.clip(base, 0, 255).astype(np.uint8)


def _wood(rng: np.random.Generator, side: int) -> Texture:
    tone = np.array([rng.uniform(25, 120), rng.uniform(45, 160), rng.uniform(70, 215)], np.float32)
    tone = np.sort(tone)
    grain = (
        _smooth_noise(rng, side, (3, 180)) * 0.10
        + _smooth_noise(rng, side, (6, 60)) * 0.10
        + _smooth_noise(rng, side, (20, 500)) * 0.05
    )
    image = tone * (1 + float(rng.uniform(0.4, 1.4)) * grain)
    if rng.random() < 0.7:
        plank = int(rng.uniform(110, 260))
        for y in range(int(rng.integers(plank)), side, plank):
            image[max(0, y - plank) : y] *= float(rng.uniform(0.86, 1.12))
            cv2.line(image, (0, y), (side, y), tuple((tone * 0.3).tolist()), int(rng.integers(1, 4)))
            x = int(rng.integers(side))
            cv2.line(image, (x, y), (x, y + plank), tuple((tone * 0.3).tolist()), 2)
    return _finish(image)


def _felt(rng: np.random.Generator, side: int) -> Texture:
    tone = any_colour(rng, 50, 170, 230)
    image = tone * (
        1 + 0.12 * rng.standard_normal((side, side, 1)).astype(np.float32) + 0.03 * _smooth_noise(rng, side, (8, 8))
    )
    return _finish(image)


def _laminate(rng: np.random.Generator, side: int) -> Texture:
    tone = any_colour(rng, 170, 252, 30)
    return _finish(
        tone
        * (
            1
            + 0.015 * rng.standard_normal((side, side, 1)).astype(np.float32)
            + 0.01 * _smooth_noise(rng, side, (9, 9))
        )
    )


def _plain(rng: np.random.Generator, side: int) -> Texture:
    return _finish(any_colour(rng, 20, 250, 255) * (1 + 0.02 * _smooth_noise(rng, side, (5, 5))))


def _slate(rng: np.random.Generator, side: int) -> Texture:
    tone = any_colour(rng, 25, 80, 60)
    image = tone * (1 + 0.15 * _smooth_noise(rng, side, (40, 40)) + 0.1 * _smooth_noise(rng, side, (200, 200)))
    return _finish(image)


def _marble(rng: np.random.Generator, side: int) -> Texture:
    tone = any_colour(rng, 120, 245, 40)
    warp = _smooth_noise(rng, side, (12, 12))
    veins = np.abs(np.sin(6 * warp + 3 * _smooth_noise(rng, side, (30, 30))))
    return _finish(
        tone * (1 - 0.35 * np.exp(-veins * float(rng.uniform(6, 14))) + 0.02 * _smooth_noise(rng, side, (100, 100)))
    )


def _cloth_dots(rng: np.random.Generator, side: int) -> Texture:
    image = np.ones((side, side, 3), np.float32) * any_colour(rng, 170, 255, 70)
    step = int(rng.uniform(36, 110))
    rings = [
        (float(rng.uniform(0.2, 0.5)) * step * f, any_colour(rng, 40, 240, 255))
        for f in (1.0, 0.72, 0.5)[: int(rng.integers(1, 4))]
    ]
    jitter = 0.0 if rng.random() < 0.4 else 0.25
    for row, y in enumerate(range(0, side + step, step)):
        for x in range((row % 2) * step // 2, side + step, step):
            cx, cy = np.array([x, y]) + rng.normal(0, jitter * step, 2)
            for radius, colour in rings:
                cv2.circle(image, (int(cx), int(cy)), max(1, int(radius)), tuple(colour.tolist()), -1, cv2.LINE_AA)
    return _finish(image)


def _cloth_check(rng: np.random.Generator, side: int) -> Texture:
    step = int(rng.uniform(24, 120))
    a, b = any_colour(rng, 150, 255, 80), any_colour(rng, 40, 220, 255)
    rows = ((np.arange(side) // step) % 2).astype(np.float32)
    mix = (rows[:, None] + rows[None, :])[..., None] / 2
    return _finish(a * (1 - mix) + b * mix)


def _cloth_flowers(rng: np.random.Generator, side: int) -> Texture:
    image = np.ones((side, side, 3), np.float32) * any_colour(rng, 60, 255, 120)
    for _ in range(int(rng.integers(40, 160))):
        c = rng.uniform(0, side, 2)
        r, petals, colour = rng.uniform(6, 26), int(rng.integers(4, 8)), any_colour(rng, 60, 255, 255)
        for k in range(petals):
            a = 2 * np.pi * k / petals + r
            p = c + r * np.array([np.cos(a), np.sin(a)])
            cv2.circle(image, (int(p[0]), int(p[1])), max(2, int(r * 0.45)), tuple(colour.tolist()), -1, cv2.LINE_AA)
        cv2.circle(
            image,
            (int(c[0]), int(c[1])),
            max(2, int(r * 0.4)),
            tuple(any_colour(rng, 80, 255, 255).tolist()),
            -1,
            cv2.LINE_AA,
        )
    return _finish(image)


def _mat(rng: np.random.Generator, side: int) -> Texture:
    """A printed play mat: a lattice of drawn hexagons, lines only."""
    image = np.ones((side, side, 3), np.float32) * any_colour(rng, 30, 230, 120)
    line = any_colour(rng, 30, 250, 120)
    apothem = rng.uniform(28, 70)
    width = int(rng.integers(1, 4))
    for r in range(-2, int(side / apothem / 1.5) + 2):
        for q in range(-2, int(side / apothem / 1.7) + 2):
            centre = (2 * apothem * (q + (r % 2) / 2), apothem * np.sqrt(3) * r)
            points = np.round(hexagon(float(apothem), centre) * 16).astype(np.int32)
            cv2.polylines(image, [points], True, tuple(line.tolist()), width, cv2.LINE_AA, 4)
    return _finish(image)


def _newspaper(rng: np.random.Generator, side: int) -> Texture:
    image = np.ones((side, side, 3), np.float32) * any_colour(rng, 190, 245, 30)
    ink = any_colour(rng, 10, 90, 60)
    for y in range(6, side, int(rng.integers(9, 22))):
        x = 0
        while x < side:
            n = int(rng.integers(6, 60))
            cv2.line(image, (x, y), (x + n, y), tuple(ink.tolist()), int(rng.integers(1, 5)))
            x += n + int(rng.integers(4, 14))
    for _ in range(int(rng.integers(0, 6))):
        x, y = rng.integers(0, side, 2)
        w, h = rng.integers(40, 200, 2)
        cv2.rectangle(
            image, (int(x), int(y)), (int(x + w), int(y + h)), tuple(any_colour(rng, 40, 220, 255).tolist()), -1
        )
    return _finish(image)


def _weave(rng: np.random.Generator, side: int) -> Texture:
    tone = any_colour(rng, 60, 220, 140)
    period = float(rng.uniform(4, 14))
    i = np.arange(side)
    wave = 0.5 * np.sin(2 * np.pi * i / period)[:, None] + 0.5 * np.sin(2 * np.pi * i / (period * 1.3))[None, :]
    return _finish(tone * (1 + float(rng.uniform(0.05, 0.3)) * wave[..., None]).astype(np.float32))


_TEXTURES = {
    "wood": _wood, "felt": _felt, "laminate": _laminate, "cloth-dots": _cloth_dots, "cloth-check": _cloth_check,
    "cloth-flowers": _cloth_flowers, "slate": _slate, "marble": _marble, "mat": _mat, "plain": _plain,
    "newspaper": _newspaper, "weave": _weave,
}  # fmt: skip
