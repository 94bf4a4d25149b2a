"""What light and a camera do to a picture: gradients, shadows, glare, colour, blur, noise, JPEG."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Picture
from models.drawing.card_faces import Rng


def _gradient(rng: Rng, side: int) -> NDArray[np.float32]:
    y, x = np.mgrid[:side, :side].astype(np.float32) / side - 0.5
    angle = rng.uniform(0, 2 * np.pi)
    field = 1 + rng.uniform(0, 0.8) * (x * np.cos(angle) + y * np.sin(angle))
    lamp = (x - rng.uniform(-1, 1)) ** 2 + (y - rng.uniform(-1, 1)) ** 2
    return np.asarray(field / (1 + rng.uniform(0, 1.2) * lamp), np.float32)


def _cast_shadow(rng: Rng, side: int) -> NDArray[np.float32]:
    """A shadow over part of the picture: 1 in the light."""
    mask: NDArray[np.float32] = np.zeros((side, side), np.float32)
    points = rng.uniform(-0.4, 1.4, (int(rng.integers(3, 6)), 2)) * side
    cv2.fillPoly(mask, [points.astype(np.int32)], 1.0)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.8, 14)), np.float32)
    return np.asarray(1 - mask * rng.uniform(0.2, 0.7), np.float32)


def light(rng: Rng, picture: Picture) -> NDArray[np.float32]:
    """The picture in some light, float32 0..255 and above."""
    side = picture.shape[0]
    lit = picture.astype(np.float32)
    if rng.random() < 0.8:
        lit *= _gradient(rng, side)[..., None]
    if rng.random() < 0.3:
        lit *= _cast_shadow(rng, side)[..., None]
    if rng.random() < 0.25:  # glare
        y, x = np.mgrid[:side, :side].astype(np.float32)
        cx, cy, r = *rng.uniform(0, side, 2), side * rng.uniform(0.03, 0.3)
        spot = np.exp(-((x - cx) ** 2 + (y - cy) ** 2 * rng.uniform(0.3, 3)) / r**2)
        lit += spot[..., None] * rng.uniform(40, 260)
    if rng.random() < 0.7:
        lit *= np.clip(rng.normal(1, 0.12, 3), 0.6, 1.5).astype(np.float32)
    if rng.random() < 0.15:
        lit = lit.mean(2, keepdims=True) * 0.7 + lit * 0.3
    return lit * np.float32(np.exp(rng.normal(0.05, 0.35)))


def _blurred(rng: Rng, picture: NDArray[np.float32]) -> NDArray[np.float32]:
    if rng.random() < 0.6:
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.6)), np.float32)
    size = int(rng.integers(3, 8))
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = np.array([np.cos(angle), np.sin(angle)]) * (size - 1) / 2
    middle = (size - 1) / 2
    begin, end = (middle - reach).round().astype(int), (middle + reach).round().astype(int)
    cv2.line(kernel, begin.tolist(), end.tolist(), 1.0)
    return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.float32)


def photograph(rng: Rng, lit: NDArray[np.float32]) -> Picture:
    """What a camera keeps of a lit picture."""
    if rng.random() < 0.5:
        lit = _blurred(rng, lit)
    if rng.random() < 0.5:
        lit = np.asarray(255 * (np.clip(lit, 0, 255) / 255) ** np.float32(rng.uniform(0.6, 1.6)), np.float32)
    if rng.random() < 0.6:
        noise = rng.normal(0, rng.uniform(1, 14) * rng.random(), lit.shape).astype(np.float32)
        lit = lit + (cv2.GaussianBlur(noise, (0, 0), 0.8) * 2 if rng.random() < 0.4 else noise)
    if rng.random() < 0.25:  # sharpened
        lit = lit + rng.uniform(0.3, 1.5) * (lit - cv2.GaussianBlur(lit, (0, 0), 1.2))
    picture = np.clip(lit, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        _, code = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 96))])
        picture = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return picture
