"""Trains the card finder: where Hex'el cards lie and how each is turned and foreshortened.

    PYTHONPATH=. python models/hexel/detector/train.py --cache DIR [--pictures 5000] [--steps 9000]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 1,000,000 up), keeps them in DIR, trains a small
fully-convolutional network on the CPU and writes `finder.onnx` beside this file. The network answers, for every fourth
pixel of a half-size picture, eight numbers: how surely a card's centre lies there (logit), the offset to that centre
(in units of 8 px), the logarithm of the symmetric part of the card's affine pose (3) and the direction of its corners
modulo 60 degrees (cos 6t, sin 6t). See `companion/vision/finder.py` for the reading of them.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.vision.detection.detector import brightened
from companion.vision.geometry.shapes import CODE_SCALE, HEXAGON
from models.drawing.hexel.photograph import photograph
from models.networks import Finder, export_finder, loss_of
from models.training import drawn

STRIDE = 4
CROP = 256

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
"""A picture, its cards' corners, and how much of each is hidden."""


def draw(seed: int) -> tuple[np.ndarray, ...]:
    """One half-size picture (1, 304, 400, 3), how many cards it has (1,), their corners (N, 6, 2), how hidden (N,)."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    across = float(np.exp(rng.uniform(np.log(38), np.log(330))))
    kind = "invented" if rng.random() < 0.35 else "reference"
    picture = photograph(rng, edition=str(rng.choice(["36", "46"])), size=(800, 608), printing=kind, across_px=across)
    half = cv2.resize(picture.bgr, (400, 304), interpolation=cv2.INTER_AREA)
    cards = picture.truth["cards"] + picture.truth["loose"]
    corners = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 6, 2) / 2 - 0.25
    return half[None], np.array([len(cards)]), corners, np.array([c["covered"] for c in cards], np.float32)


def pictures(cache: Path, count: int, first_seed: int) -> list[Drawn]:
    """The drawn pictures."""
    columns, seeds = ("images", "lengths", "corners", "hidden"), range(first_seed, first_seed + count)
    images, lengths, corners, hidden = drawn(cache, "finder", columns, draw, seeds).values()
    split = np.cumsum(lengths)[:-1]
    return list(zip(images, np.split(corners, split), np.split(hidden, split), strict=True))


def augmented(item: Drawn, rng: np.random.Generator) -> Drawn:
    """A random crop, flipped and turned, its inks exchanged now and then."""
    image, corners, hidden = item
    h, w = image.shape[:2]
    y, x = int(rng.integers(0, h - CROP + 1)), int(rng.integers(0, w - CROP + 1))
    image, corners = image[y : y + CROP, x : x + CROP], corners - np.array([x, y], np.float32)
    if rng.random() < 0.5:
        mirror, shift = np.array([-1, 1], np.float32), np.array([CROP - 1, 0], np.float32)
        image, corners = image[:, ::-1], corners[:, ::-1] * mirror + shift
    for _ in range(int(rng.integers(4))):
        image = np.rot90(image)
        corners = np.stack([corners[..., 1], CROP - 1 - corners[..., 0]], -1)
    if rng.random() < 0.12:
        image = image[..., rng.permutation(3)]
    if rng.random() < 0.04:
        image = 255 - image
    out = brightened(np.ascontiguousarray(image)).astype(np.float32)
    out = out * float(rng.uniform(0.8, 1.15)) + float(rng.normal(0, 5))
    return np.clip(out, 0, 255), corners, hidden


def targets(corners: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heat (1, s, s), weights for it (1, s, s) and regression (8, s, s): seven values and their mask."""
    s = CROP // STRIDE
    heat, weight, reg = np.zeros((1, s, s), np.float32), np.ones((1, s, s), np.float32), np.zeros((8, s, s), np.float32)
    yy, xx = np.mgrid[0:s, 0:s].astype(np.float32)
    px, py = xx * STRIDE + (STRIDE - 1) / 2, yy * STRIDE + (STRIDE - 1) / 2
    nearest = np.full((s, s), np.inf, np.float32)
    for quad, cover in zip(corners, hidden, strict=True):
        centre, code, affine = HEXAGON.pose_code(quad)
        if (quad.max(0) < 0).any() or (quad.min(0) > CROP - 1).any():
            continue
        inverse = np.linalg.inv(affine)
        dx, dy = px - centre[0], py - centre[1]
        u, v = inverse[0, 0] * dx + inverse[0, 1] * dy, inverse[1, 0] * dx + inverse[1, 1] * dy
        d2 = u * u + v * v  # squared distance in circumradii
        inside = float(((quad > -1) & (quad < CROP)).all(1).mean())
        if inside < 0.99 or cover > 0.45:
            weight[0][d2 < 1.0] = 0.0
            continue
        size = float(np.sqrt(abs(np.linalg.det(affine))))
        sigma2 = max(0.14, 2.6 / size) ** 2
        heat[0] = np.maximum(heat[0], np.exp(-d2 / (2 * sigma2)))
        heat[0].flat[int(d2.argmin())] = 1.0  # a small card's centre may lie between the network's pixels
        mine = (d2 < 0.30**2 + (3.2 / size) ** 2) & (d2 < nearest)
        nearest[mine] = d2[mine]
        reg[0][mine], reg[1][mine] = -dx[mine] / 8, -dy[mine] / 8
        for k in range(5):
            reg[2 + k][mine] = code[k] * CODE_SCALE[k]
        reg[7][mine] = 1.0
    return heat, weight, reg


def batch(data: list[Drawn], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows = []
    for i in rng.integers(0, len(data), size):
        image, corners, hidden = augmented(data[int(i)], rng)
        rows.append((image.transpose(2, 0, 1) / 255 - 0.5, *targets(corners, hidden)))
    return tuple(torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=5000)
    ap.add_argument("--steps", type=int, default=9000)
    ap.add_argument("--batch", type=int, default=12)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--rate", type=float, default=3e-3)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    data = pictures(a.cache, a.pictures, 1_000_000)
    net = Finder()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    print(sum(p.numel() for p in net.parameters()), "parameters", flush=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.08)
    begun, seen = time.time(), np.zeros(2)
    for step in range(1, a.steps + 1):
        x, heat, weight, reg = batch(data, rng, a.batch)
        focal, pose = loss_of(net(x.to(memory_format=torch.channels_last)), heat, weight, reg[:, :7], reg[:, 7:])
        optimiser.zero_grad()
        torch.autograd.backward(focal + 2 * pose)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        seen += [float(focal), float(pose)]
        if step % 250 == 0:
            print(
                f"step {step} centre {seen[0] / 250:.4f} pose {seen[1] / 250:.5f} {time.time() - begun:.0f} s",
                flush=True,
            )
            seen[:] = 0
            torch.save(net.state_dict(), a.cache / "finder.pt")
        if step % 1000 == 0:
            export_finder(net, Path(__file__).with_name("finder.onnx"))
    export_finder(net, Path(__file__).with_name("finder.onnx"))


if __name__ == "__main__":
    main()
