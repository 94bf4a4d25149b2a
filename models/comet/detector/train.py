"""Trains the finder of Comet cards: where they lie and how each is turned and foreshortened.

    PYTHONPATH=. python models/comet/detector/train.py --cache DIR --faces typefaces.npz [--pictures 1700] [--steps 5000]

The numerals' typefaces come from `models/typefaces.py`, the pictures from `models/comet/drawings.py` (seeds from
5,000,000 up). ``--begin`` takes the weights of a finder trained before, another game's too: what those lack begins
without effect. Written are the running mean of the weights, every 500 steps and at the end.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.comet.vision.detector import CARD
from companion.vision.detection.detector import brightened
from companion.vision.geometry.shapes import CODE_SCALE
from models.comet.drawings import drawings
from models.networks import Finder, export_finder, loss_of
from models.training import averaged, quick

STRIDE = 4
CROP = 256

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""A picture, its cards' corners, how much of each is hidden, and outlines that do not matter."""


SPREAD = np.stack(np.meshgrid((np.arange(8) + 0.5) / 8, (np.arange(8) + 0.5) / 8), -1).reshape(-1, 2)
"""Places (64, 2) evenly over a card, as shares of its sides."""


class DeepFinder(Finder):
    """A finder that looks twice more: at an eighth of the picture for edges, at a sixteenth for what lies around."""

    def __init__(self) -> None:
        super().__init__()
        self.more8, self.more16 = _again(48, (1, 1)), _again(64, (1, 2, 4, 1))

    def down(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        a4 = self.s4(self.s2(x))
        a8 = self.s8(a4)
        a8 = a8 + self.more8(a8)
        a16 = self.s16(a8)
        return a4, a8, a16 + self.more16(a16)


def _again(planes: int, dilations: tuple[int, ...]) -> nn.Sequential:
    """Convolutions whose sum with what they are given is, to begin with, what they are given."""
    layers: list[nn.Module] = []
    for dilation in dilations:
        layers += [nn.Conv2d(planes, planes, 3, 1, dilation, dilation, bias=False), nn.BatchNorm2d(planes), nn.ReLU()]
    nn.init.zeros_(layers[-2].get_parameter("weight"))
    return nn.Sequential(*layers[:-1])


def pictures(held: dict[str, np.ndarray]) -> list[Drawn]:
    """The drawings, one by one; those with strays twice."""
    begin, ignores = np.cumsum(held["lengths"])[:-1], np.cumsum(held["ignored"])[:-1]
    columns = np.split(held["corners"], begin), np.split(held["hidden"], begin), np.split(held["ignores"], ignores)
    items = [_with_strays(item) for item in zip(held["images"], *columns, strict=True)]
    with_strays = [item for item, cards in zip(items, held["lengths"], strict=True) if len(item[1]) > cards]
    return items + with_strays  # backs are fewer than faces


def _with_strays(item: Drawn) -> Drawn:
    """With the whole ones among the ignored, decks and face-down cards lying about, as cards to be found."""
    image, corners, hidden, ignores = item
    whole = ((ignores > 0) & (ignores < np.array(image.shape[1::-1]) - 1)).all((1, 2))
    strays = ignores[whole]
    return (
        image,
        np.concatenate([corners, strays]),
        np.append(hidden, np.zeros(len(strays), np.float32)),
        ignores[~whole],
    )


def augmented(item: Drawn, rng: np.random.Generator) -> Drawn:
    """A random crop, turned by quarters, its inks exchanged now and then; mirrored writing is of no use."""
    image, corners, hidden, ignores = item
    h, w = image.shape[:2]
    y, x = int(rng.integers(0, h - CROP + 1)), int(rng.integers(0, w - CROP + 1))
    image = image[y : y + CROP, x : x + CROP]
    quads = [corners - np.array([x, y], np.float32), ignores - np.array([x, y], np.float32)]
    for _ in range(int(rng.integers(4))):
        image = np.rot90(image)
        quads = [np.stack([q[..., 1], CROP - 1 - q[..., 0]], -1) for q in quads]
    if rng.random() < 0.2:
        image = image[..., rng.permutation(3)]
    if rng.random() < 0.05:
        image = 255 - image
    image = np.ascontiguousarray(image)
    if rng.random() < 0.25 and len(corners):
        image, hidden = _covered(image, quads[0], hidden, rng)
    if rng.random() < 0.15:
        image = cv2.filter2D(image, -1, _streak(rng))
    if rng.random() < 0.2:
        image = _burnt(image, rng)
    lit = cv2.addWeighted(
        image := brightened(image), float(rng.uniform(0.8, 1.15)), image, 0.0, float(rng.normal(0, 5))
    )
    return lit, quads[0], hidden, quads[1]


def _covered(
    image: np.ndarray, quads: np.ndarray, hidden: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Something long or round laid on a card, and how much of each is hidden then."""
    quad = quads[int(rng.integers(len(quads)))]
    size = float(np.linalg.norm(quad[2] - quad[0])) / 2
    at, a = quad.mean(0) + rng.normal(0, 0.45 * size, 2), float(rng.uniform(0, 2 * np.pi))
    end = at + np.array([np.cos(a), np.sin(a)]) * size * float(rng.choice([0.0, 1.5, 5.0]))
    mask = np.zeros(image.shape[:2], np.uint8)
    thick = max(2, round(size * float(rng.uniform(0.1, 0.6))))
    cv2.line(mask, np.round(at).astype(int).tolist(), np.round(end).astype(int).tolist(), 1, thick)
    tone = np.array([135, 165, 222]) * rng.uniform(0.35, 1.05) if rng.random() < 0.5 else rng.uniform(10, 245, 3)
    image = np.where(mask[..., None] > 0, tone.astype(np.uint8), image)
    along, down = SPREAD[:, :1, None], SPREAD[:, 1:, None]
    places = (
        (1 - along) * ((1 - down) * quads[:, None, 0].transpose(1, 0, 2) + down * quads[:, None, 3].transpose(1, 0, 2))
    ) + along * ((1 - down) * quads[:, None, 1].transpose(1, 0, 2) + down * quads[:, None, 2].transpose(1, 0, 2))
    x, y = np.clip(np.round(places), 0, CROP - 1).astype(int).transpose(2, 0, 1)
    return image, hidden + (1 - hidden) * mask[y, x].mean(0)


def _streak(rng: np.random.Generator) -> np.ndarray:
    """The kernel of a camera shaken along a line, or out of focus."""
    n = int(rng.choice([3, 3, 5]))
    if rng.random() < 0.3:
        soft = cv2.getGaussianKernel(n, float(rng.uniform(0.4, 1.0)))
        return np.asarray(soft @ soft.T)
    kernel, a, middle = np.zeros((n, n), np.float32), float(rng.uniform(0, np.pi)), (n - 1) / 2
    ends = [np.round(middle + way * middle * np.array([np.cos(a), np.sin(a)])).astype(int).tolist() for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return np.asarray(kernel / kernel.sum())


def _burnt(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Exposed for too long, more so to one side."""
    rise = np.linspace(-1, 1, CROP, dtype=np.float32) * float(rng.uniform(0, 0.4))
    gain = float(rng.uniform(1.1, 2.2)) * np.exp(rise if rng.random() < 0.5 else rise[::-1])
    return np.minimum(image * (gain[:, None, None] if rng.random() < 0.5 else gain[None, :, None]), 255).astype(
        np.uint8
    )


def targets(corners: np.ndarray, hidden: np.ndarray, ignores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heat (1, s, s), weights for it (1, s, s) and regression (8, s, s): seven values and their mask."""
    s = CROP // STRIDE
    heat, weight, reg = np.zeros((1, s, s), np.float32), np.ones((1, s, s), np.float32), np.zeros((8, s, s), np.float32)
    nearest = np.full((s, s), np.inf, np.float32)
    for quad in ignores[(ignores.max(1) >= 0).all(1) & (ignores.min(1) <= CROP - 1).all(1)]:
        around, d2, *_ = _squared(quad)
        weight[0][around][d2 < 1.0] = 0.0
    for quad, cover in zip(corners, hidden, strict=True):
        if (quad.max(0) < 0).any() or (quad.min(0) > CROP - 1).any():
            continue
        around, d2, (dx, dy), code, size = _squared(quad)
        inside = float(((quad > -1) & (quad < CROP)).all(1).mean())
        if inside < 0.99 or cover > 0.5:
            weight[0][around][d2 < 0.8] = 0.0
            continue
        sigma2 = max(0.12, 2.6 / size) ** 2
        weight[0][around][d2 < 0.9] = 1.0
        warm = np.maximum(heat[0][around], np.exp(-d2 / (2 * sigma2)))
        warm.flat[int(d2.argmin())] = 1.0  # a small card's centre may lie between the network's pixels
        heat[0][around] = warm
        mine = (d2 < 0.27**2 + (3.2 / size) ** 2) & (d2 < nearest[around])
        nearest[around][mine] = d2[mine]
        told = (-dx / 8, -dy / 8, *np.multiply(code, CODE_SCALE), 1.0)
        for plane, value in zip(reg, told, strict=True):
            plane[around][mine] = value[mine] if isinstance(value, np.ndarray) else value
    return heat, weight, reg


def _squared(
    quad: np.ndarray,
) -> tuple[tuple[slice, slice], np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray, float]:
    """Around a card: squared distances from its centre in half heights, pixel distances, its code and its size."""
    centre, code, affine = CARD.pose_code(quad)
    inverse, reach = np.linalg.inv(affine), np.linalg.norm(affine, axis=1) + STRIDE
    low, high = np.clip(np.round((np.array([-reach, reach]) + centre) / STRIDE), 0, CROP // STRIDE).astype(int).tolist()
    at = (STRIDE - 1) / 2 - centre
    dx = (np.arange(low[0], high[0], dtype=np.float32) * STRIDE + at[0])[None]
    dy = (np.arange(low[1], high[1], dtype=np.float32) * STRIDE + at[1])[:, None]
    dx, dy = np.broadcast_arrays(dx, dy)
    u, v = inverse[0, 0] * dx + inverse[0, 1] * dy, inverse[1, 0] * dx + inverse[1, 1] * dy
    around = slice(low[1], high[1]), slice(low[0], high[0])
    return around, u * u + v * v, (dx, dy), code, float(np.sqrt(abs(np.linalg.det(affine))))


def batch(data: list[Drawn], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows = []
    for i in rng.integers(0, len(data), size):
        image, corners, hidden, ignores = augmented(data[int(i)], rng)
        rows.append((image, *targets(corners, hidden, ignores)))
    images, *wanted = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
    return images.permute(0, 3, 1, 2) / 255 - 0.5, *wanted


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--faces", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1700)
    ap.add_argument("--more", type=int, default=0)
    ap.add_argument("--hard", type=int, default=0)
    ap.add_argument("--steps", type=int, default=5000)
    ap.add_argument("--batch", type=int, default=12)
    ap.add_argument("--begin", type=Path)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--out", type=Path, default=Path(__file__).with_name("finder.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    data = pictures(drawings(a.cache, a.faces, a.pictures, a.more))
    if a.hard:
        data += 3 * pictures(drawings(a.cache, a.faces, 0, 0, a.hard))
    net = DeepFinder()
    if a.begin:
        net.load_state_dict(torch.load(a.begin), strict=False)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    mean = averaged(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.08)
    begun, seen = time.time(), np.zeros(2)
    for step in range(1, a.steps + 1):
        x, heat, weight, reg = batch(data, rng, a.batch)
        with quick():
            out = net(x.to(memory_format=torch.channels_last))
        focal, pose = loss_of(out.float(), heat, weight, reg[:, :7], reg[:, 7:])
        optimiser.zero_grad()
        torch.autograd.backward(focal + 2 * pose)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        seen += [float(focal.detach()), float(pose.detach())]
        if step % 100 == 0:
            print(
                f"step {step} centre {seen[0] / 100:.4f} pose {seen[1] / 100:.5f} {time.time() - begun:.0f} s",
                flush=True,
            )
            seen[:] = 0
        if step % 500 == 0:
            torch.save(mean.module.state_dict(), a.cache / "comet-finder.pt")
            export_finder(mean.module, a.out)
    export_finder(mean.module, a.out)


if __name__ == "__main__":
    main()
