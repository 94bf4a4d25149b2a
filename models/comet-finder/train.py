"""Trains the finder of Comet cards: where they lie and how each is turned and foreshortened.

    PYTHONPATH=. python models/comet-finder/train.py --cache DIR --faces typefaces.npz [--pictures 1700] [--steps 5000]

The numerals' typefaces come from `models/typefaces.py`, the pictures from `models/comet_drawings.py` (seeds from
5,000,000 up). ``--begin`` takes the weights of a finder trained before, another game's too: the networks are alike.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from companion.vision.comet_finder import pose_code
from companion.vision.finder import POSE_SCALE, brightened
from models.comet_drawings import drawings
from models.networks import Finder, export_finder, loss_of

STRIDE = 4
CROP = 256

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""A picture, its cards' corners, how much of each is hidden, and outlines that do not matter."""


def pictures(held: dict[str, np.ndarray]) -> list[Drawn]:
    """The drawings, one by one; those with strays three times."""
    begin, ignores = np.cumsum(held["lengths"])[:-1], np.cumsum(held["ignored"])[:-1]
    columns = np.split(held["corners"], begin), np.split(held["hidden"], begin), np.split(held["ignores"], ignores)
    items = [_with_strays(item) for item in zip(held["images"], *columns, strict=True)]
    with_strays = [item for item, cards in zip(items, held["lengths"], strict=True) if len(item[1]) > cards]
    return items + 2 * with_strays  # backs are fewer than faces


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
    out = brightened(np.ascontiguousarray(image)).astype(np.float32)
    out = out * float(rng.uniform(0.8, 1.15)) + float(rng.normal(0, 5))
    return np.clip(out, 0, 255), quads[0], hidden, quads[1]


def targets(corners: np.ndarray, hidden: np.ndarray, ignores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heat (1, s, s), weights for it (1, s, s) and regression (8, s, s): seven values and their mask."""
    s = CROP // STRIDE
    heat, weight, reg = np.zeros((1, s, s), np.float32), np.ones((1, s, s), np.float32), np.zeros((8, s, s), np.float32)
    yy, xx = np.mgrid[0:s, 0:s].astype(np.float32)
    px, py = xx * STRIDE + (STRIDE - 1) / 2, yy * STRIDE + (STRIDE - 1) / 2
    nearest = np.full((s, s), np.inf, np.float32)
    for quad in ignores:
        weight[0][_squared(quad, px, py)[0] < 1.0] = 0.0
    for quad, cover in zip(corners, hidden, strict=True):
        if (quad.max(0) < 0).any() or (quad.min(0) > CROP - 1).any():
            continue
        d2, (dx, dy), code, size = _squared(quad, px, py)
        inside = float(((quad > -1) & (quad < CROP)).all(1).mean())
        if inside < 0.99 or cover > 0.5:
            weight[0][d2 < 0.8] = 0.0
            continue
        sigma2 = max(0.12, 2.6 / size) ** 2
        near = d2 < 0.9
        weight[0][near] = 1.0
        heat[0] = np.maximum(heat[0], np.exp(-d2 / (2 * sigma2)))
        heat[0].flat[int(d2.argmin())] = 1.0  # a small card's centre may lie between the network's pixels
        mine = (d2 < 0.27**2 + (3.2 / size) ** 2) & (d2 < nearest)
        nearest[mine] = d2[mine]
        reg[0][mine], reg[1][mine] = -dx[mine] / 8, -dy[mine] / 8
        for k in range(5):
            reg[2 + k][mine] = code[k] * POSE_SCALE[k]
        reg[7][mine] = 1.0
    return heat, weight, reg


def _squared(
    quad: np.ndarray, px: np.ndarray, py: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray, float]:
    """Squared distances from a card's centre in half heights, pixel distances, its code and its size."""
    centre, code, affine = pose_code(quad)
    inverse = np.linalg.inv(affine)
    dx, dy = px - centre[0], py - centre[1]
    u, v = inverse[0, 0] * dx + inverse[0, 1] * dy, inverse[1, 0] * dx + inverse[1, 1] * dy
    return u * u + v * v, (dx, dy), code, float(np.sqrt(abs(np.linalg.det(affine))))


def batch(data: list[Drawn], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows = []
    for i in rng.integers(0, len(data), size):
        image, corners, hidden, ignores = augmented(data[int(i)], rng)
        rows.append((image.transpose(2, 0, 1) / 255 - 0.5, *targets(corners, hidden, ignores)))
    return tuple(torch.from_numpy(np.stack(column).astype(np.float32)) for column in zip(*rows, strict=True))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--faces", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1700)
    ap.add_argument("--more", type=int, default=0)
    ap.add_argument("--steps", type=int, default=5000)
    ap.add_argument("--batch", type=int, default=12)
    ap.add_argument("--begin", type=Path)
    ap.add_argument("--rate", type=float, default=3e-3)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    data = pictures(drawings(a.cache, a.faces, a.pictures, a.more))
    net = Finder()
    if a.begin:
        net.load_state_dict(torch.load(a.begin))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
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
        seen += [float(focal.detach()), float(pose.detach())]
        if step % 100 == 0:
            print(
                f"step {step} centre {seen[0] / 100:.4f} pose {seen[1] / 100:.5f} {time.time() - begun:.0f} s",
                flush=True,
            )
            seen[:] = 0
        if step % 500 == 0:
            torch.save(net.state_dict(), a.cache / "comet-finder.pt")
            export_finder(net, Path(__file__).with_name("finder.onnx"))
    export_finder(net, Path(__file__).with_name("finder.onnx"))


if __name__ == "__main__":
    main()
