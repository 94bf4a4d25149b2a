"""A cheap camera's faults, in the order they happen: exposure, white balance, blur, noise, sharpening, JPEG."""

from typing import Any

import cv2
import numpy as np

from models.drawing.canvas import Field


def exposed(
    image: Field, rng: np.random.Generator, hardness: float, *, is_dim: bool
) -> tuple[Field, dict[str, float | int]]:
    """What the camera makes of the light that reaches it.

    Args:
        image: linear light (h, w, 3), BGR.
        rng: the only source of chance.
        hardness: 0 for a good camera, 1 for all its faults.
        is_dim: whether it must brighten a dark room.

    Returns:
        The picture, uint8 (h, w, 3) BGR, and how strong the noise, blur, motion and JPEG compression came out.
    """
    image = _balanced(image, rng, hardness, is_dim)
    image, blur_px = _out_of_focus(image, rng, hardness)
    image, motion_px = _shaken(image, rng, hardness)
    image, noise = _noisy(image, rng, hardness, is_dim)
    bgr, quality = _packed(_developed(image, rng), rng)
    return bgr, {"noise": round(noise, 4), "blur": round(blur_px, 2), "motion": round(motion_px, 2), "jpeg": quality}


def _balanced(image: Field, rng: np.random.Generator, hardness: float, is_dim: bool) -> Field:
    """Brightened so that the brightest parts reach a level, each channel with a gain of its own."""
    gains = np.exp(rng.normal(0, 0.09 * (0.4 + hardness), 3)).astype(np.float32)
    bright = np.percentile(image[::8, ::8].max(2), 97)
    level = float(rng.uniform(0.12, 0.4) if is_dim else rng.uniform(0.35, 1.0))
    h, w = image.shape[:2]
    evened = image.reshape(h, -1) * np.tile(gains, w)  # a row at a time, not a pixel
    return np.asarray(evened * level / max(bright, 1e-3)).reshape(image.shape)


def _out_of_focus(image: Field, rng: np.random.Generator, hardness: float) -> tuple[Field, float]:
    blur_px = float(max(0.0, rng.normal(0.4, 0.35))) * image.shape[1] / 1280 * (0.3 + 0.9 * hardness)
    return (cv2.GaussianBlur(image, (0, 0), blur_px) if blur_px > 0.15 else image), blur_px


def _shaken(image: Field, rng: np.random.Generator, hardness: float) -> tuple[Field, float]:
    if rng.random() >= 0.1 * hardness:
        return image, 0.0
    motion_px = float(rng.uniform(1.5, 4.0)) * image.shape[1] / 1280
    return cv2.filter2D(image, -1, _streak(motion_px, float(rng.uniform(0, np.pi)))), motion_px


def _streak(length_px: float, angle: float) -> Field:
    """The kernel of a straight motion."""
    n = int(np.ceil(length_px)) | 1
    kernel = np.zeros((n, n), np.float32)
    reach = np.array([np.cos(angle), np.sin(angle)]) * (n - 1) / 2
    middle = (n - 1) / 2
    begin, end = (np.round(middle + way * reach).astype(int).tolist() for way in (-1, 1))
    cv2.line(kernel, begin, end, 1.0)
    return np.asarray(kernel / kernel.sum())


def _noisy(image: Field, rng: np.random.Generator, hardness: float, is_dim: bool) -> tuple[Field, float]:
    """With the sensor's noise, stronger where there is more light; sometimes smeared as cameras do."""
    noise = float(rng.uniform(0.003, 0.03)) * (0.4 + 0.8 * hardness) * (1.6 if is_dim else 1.0)
    image = np.clip(image, 0, 1.3)
    grain: Field = rng.standard_normal((*image.shape[:2], 3), dtype=np.float32)
    if rng.random() < 0.6:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.6) * 1.9
    spread = np.sqrt(image * 0.3 + 0.004)
    spread *= noise
    grain *= spread
    grain += image
    return grain, noise


def _developed(image: Field, rng: np.random.Generator) -> Field:
    """Linear light as picture values 0..1, sometimes sharpened."""
    gamma = float(rng.uniform(1 / 2.5, 1 / 1.9))
    picture: Field = np.clip(image, 0, 1) ** gamma
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = np.clip(picture + (picture - soft) * float(rng.uniform(0.2, 0.9)), 0, 1)
    return picture


def _packed(picture: Field, rng: np.random.Generator) -> tuple[Field, int]:
    """Through a JPEG file and back."""
    quality = int(rng.integers(68, 96))
    settings: list[Any] = [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, packed = cv2.imencode(".jpg", cv2.convertScaleAbs(picture, alpha=255), settings)
    unpacked = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert unpacked is not None, "OpenCV could not read back the JPEG it had just written"
    return unpacked, quality
