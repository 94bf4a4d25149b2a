"""Training a heatmap detector: random crops of drawn pictures, what the network should answer, and the loss.

Of every fourth pixel of a half-size picture: how surely a piece's centre lies there, the offset to it and its pose
code, as `companion.vision.detection.detector` decodes them.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.detector import OFFSET_PX, STRIDE, brightened
from companion.vision.geometry import CODE_SCALE, HEXAGON, Shape
from models.networks import export_detector
from models.trainer import Losses, Trainer

CROP = 256

Picture = NDArray[np.uint8 | np.float32]
Outlines = NDArray[np.float32]


class Sample(NamedTuple):
    """A picture and what lies on it.

    Attributes:
        image: (h, w, 3).
        corners: (N, K, 2) of the pieces.
        hidden: (N,) the share of each that something covers.
        ignored: (M, K, 2) outlines that are neither to be found nor not.
    """

    image: Picture
    corners: Outlines
    hidden: NDArray[np.float32]
    ignored: Outlines


@dataclass(frozen=True, slots=True)
class Heatmap:
    """How a game's pieces are marked, in terms of their circumradius or half height.

    Attributes:
        shape: of the pieces.
        spread: the standard deviation of a centre's peak.
        most_hidden: a piece hidden by more than this is neither to be found nor not.
        reach: within this distance from its centre a piece's pose is learnt.
    """

    shape: Shape = HEXAGON
    spread: float = 0.14
    most_hidden: float = 0.45
    reach: float = 0.30


def crop(
    image: Picture, outlines: list[Outlines], size: int, rng: np.random.Generator, *, mirror: bool
) -> tuple[Picture, list[Outlines]]:
    """A random square of a picture, turned by quarters and, with ``mirror``, flipped now and then; outlines with it."""
    h, w = image.shape[:2]
    y, x = int(rng.integers(0, h - size + 1)), int(rng.integers(0, w - size + 1))
    image, outlines = image[y : y + size, x : x + size], [one - np.array([x, y], np.float32) for one in outlines]
    if mirror and rng.random() < 0.5:
        flip, shift = np.array([-1, 1], np.float32), np.array([size - 1, 0], np.float32)
        image, outlines = image[:, ::-1], [one[:, ::-1] * flip + shift for one in outlines]
    for _ in range(int(rng.integers(4))):
        image = np.rot90(image)
        outlines = [np.stack([one[..., 1], size - 1 - one[..., 0]], -1) for one in outlines]
    return image, outlines


def recolour(image: Picture, rng: np.random.Generator, swap: float = 0.12, negate: float = 0.04) -> Picture:
    """The picture with its colour channels exchanged or negated, each with a probability."""
    if rng.random() < swap:
        image = image[..., rng.permutation(3)]
    return np.ascontiguousarray(255 - image if rng.random() < negate else image)


def relight(image: Picture, rng: np.random.Generator) -> Picture:
    """The picture as the detector levels it, a little brighter or darker, 0..255."""
    out = brightened(image).astype(np.float32) * np.float32(rng.uniform(0.8, 1.15)) + np.float32(rng.normal(0, 5))
    return np.asarray(np.clip(out, 0, 255), np.float32)


def augment(sample: Sample, rng: np.random.Generator) -> Sample:
    """A random crop, flipped and turned, its inks exchanged now and then, in another light."""
    image, (corners, ignored) = crop(sample.image, [sample.corners, sample.ignored], CROP, rng, mirror=True)
    return Sample(relight(recolour(image, rng), rng), corners, sample.hidden, ignored)


def targets(sample: Sample, how: Heatmap) -> tuple[NDArray[np.float32], ...]:
    """Heat (1, s, s), its weights (1, s, s), pose (7, s, s) and where the pose is asked for (1, s, s)."""
    s = CROP // STRIDE
    heat, weight, mask = np.zeros((s, s), np.float32), np.ones((s, s), np.float32), np.zeros((s, s), np.float32)
    pose, nearest = np.zeros((7, s, s), np.float32), np.full((s, s), np.inf, np.float32)
    for outline in sample.ignored:
        if _is_inside(outline):
            around = _Around(outline, how)
            weight[around.window][around.distance2 < 1.0] = 0.0
    for outline, hidden in zip(sample.corners, sample.hidden, strict=True):
        if not _is_inside(outline):
            continue
        around = _Around(outline, how)
        window, d2 = around.window, around.distance2
        if ((outline > -1) & (outline < CROP)).all(1).mean() < 0.99 or hidden > how.most_hidden:
            weight[window][d2 < 0.9] = 0.0
            continue
        weight[window][d2 < 0.9] = 1.0
        peak = np.maximum(heat[window], np.exp(-d2 / (2 * max(how.spread, 2.6 / around.size) ** 2)))
        peak.flat[int(d2.argmin())] = 1.0  # a small piece's centre may lie between the network's pixels
        heat[window] = peak
        mine = (d2 < how.reach**2 + (3.2 / around.size) ** 2) & (d2 < nearest[window])
        nearest[window][mine], mask[window][mine] = d2[mine], 1.0
        for plane, value in zip(pose, around.values, strict=True):
            plane[window][mine] = np.broadcast_to(value, d2.shape)[mine]
    return heat[None], weight[None], pose, mask[None]


def _is_inside(outline: Outlines) -> bool:
    """Whether an outline reaches into the crop."""
    return bool((outline.max(0) >= 0).all() and (outline.min(0) <= CROP - 1).all())


class _Around:
    """The network's pixels around a piece: their squared distances from its centre in radii, and its pose for them."""

    def __init__(self, outline: Outlines, how: Heatmap) -> None:
        centre, code, affine = how.shape.pose_code(outline)
        reach, last = np.linalg.norm(affine, axis=1) + STRIDE, CROP // STRIDE - 1
        low = np.clip(np.floor((centre - reach) / STRIDE), 0, last).astype(int)
        high = np.clip(np.ceil((centre + reach) / STRIDE), low + 1, last + 1).astype(int)
        self.window = slice(low[1], high[1]), slice(low[0], high[0])
        x, y = (np.arange(low[k], high[k], dtype=np.float32) * STRIDE + (STRIDE - 1) / 2 - centre[k] for k in (0, 1))
        dx, dy = np.meshgrid(x, y)
        u, v = np.linalg.inv(affine) @ np.stack([dx.ravel(), dy.ravel()])
        self.distance2 = (u * u + v * v).reshape(dx.shape)
        self.size = float(np.sqrt(abs(np.linalg.det(affine))))
        self.values = (-dx / OFFSET_PX, -dy / OFFSET_PX, *np.multiply(code, CODE_SCALE[:5]))


def detection_loss(
    planes: torch.Tensor,
    heat: torch.Tensor,
    weight: torch.Tensor,
    pose: torch.Tensor,
    mask: torch.Tensor,
    *,
    peak: float = 0.93,
    beta: float = 0.1,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Loss of the centres (focal, the first plane) and of the poses (smooth L1 of the others, where ``mask`` is 1).

    ``peak`` is the heat from which a pixel counts as a centre, ``beta`` the error up to which a pose's loss is square.
    """
    p = torch.sigmoid(planes[:, :1]).clamp(1e-4, 1 - 1e-4)
    top = (heat > peak).float()
    focal = top * (1 - p) ** 2 * torch.log(p) + (1 - top) * (1 - heat) ** 4 * p**2 * torch.log(1 - p)
    off = nn.functional.smooth_l1_loss(planes[:, 1:], pose, reduction="none", beta=beta) * mask
    count = (planes.shape[1] - 1) * mask.sum().clamp(min=1)
    return -(focal * weight).sum() / top.sum().clamp(min=1), off.sum() / count


def batch(
    samples: list[Sample],
    size: int,
    rng: np.random.Generator,
    how: Heatmap,
    augment: Callable[[Sample, np.random.Generator], Sample],
) -> tuple[torch.Tensor, ...]:
    """Pictures (N, 3, CROP, CROP) as the network sees them, and their `targets`."""
    picked = [augment(samples[int(i)], rng) for i in rng.integers(0, len(samples), size)]
    images = np.stack([one.image for one in picked]).transpose(0, 3, 1, 2)
    columns = zip(*(targets(one, how) for one in picked), strict=True)
    return torch.from_numpy(images.astype(np.float32) / 255 - 0.5), *(torch.from_numpy(np.stack(c)) for c in columns)


def train_detector(
    arguments: argparse.Namespace,
    net: nn.Module,
    samples: list[Sample],
    how: Heatmap,
    augment: Callable[[Sample, np.random.Generator], Sample] = augment,
    new: tuple[nn.Module, ...] = (),
) -> None:
    """Train a detector on pictures and export it; ``new`` are parts that a warm start's network has not."""
    trainer = Trainer(net, arguments, warm_up=0.08)
    trainer.start_from(batch(samples, 4 * arguments.batch, trainer.rng, how, augment)[0], new)

    def losses() -> Losses:
        pictures, *wanted = trainer.move(*batch(samples, arguments.batch, trainer.rng, how, augment))
        centre, pose = detection_loss(trainer.forward(pictures), *wanted)
        return {"centre": centre, "pose": 2 * pose}

    trainer.fit(losses, export_detector)
