"""Trains the finder of Hexapod: where display cases and loose cards lie, and how each is turned and foreshortened.

    PYTHONPATH=. python models/hexapod/keypoints/draw.py --cache DIR
    PYTHONPATH=. python models/hexapod/detector/train.py --cache DIR [--steps 6000] [--begin FINDER.onnx]

The answers are those that `companion/vision/hexapod_finder.py` reads.
"""

import argparse
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.hexapod.vision.detector import CARDS, CASES
from companion.vision.detection.detector import brightened
from companion.vision.geometry.shapes import CODE_SCALE, homography, quad_code
from models.networks import Trunk, block, loss_of, up
from models.training import averaged, export, quick
from models.warm_start import begin

draw: Any = import_module("models.hexapod.keypoints.draw")

HERE = Path(__file__)
CROP = 288
WIDE = 640
"""How wide the network sees a picture at most."""
HIDDEN = 0.6
"""What something hides more of than this is neither to be found nor not."""
_SCALES, _OFTEN = ((1.0, 1.0), (0.4, 0.5), (0.6, 0.95), (1.1, 1.7)), (0.45, 0.25, 0.15, 0.15)
"""By what a picture is scaled, and how often: as it is, and as for the second look at what is large."""

Quads = tuple[np.ndarray, np.ndarray]
"""Corners (N, 4, 2), and of each whether so much of it is hidden that it is neither to be found nor not."""
Drawn = tuple[np.ndarray, Quads, Quads]
"""A picture, its cases and its loose cards."""


class Finder(Trunk):
    """The hexagons' finder, and a second way down to a coarser view in which whole cases are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Conv2d(24, 8, 1)
        self.s32 = nn.Sequential(block(64, 80, 2), block(80, 80), block(80, 80, dilation=2), block(80, 80))
        self.up16 = block(80, 64, k=1)
        self.m16 = nn.Sequential(block(64, 64), block(64, 64))
        self.case8 = nn.Sequential(block(64 + 48, 48, k=1), block(48, 48), nn.Conv2d(48, 10, 1))
        for layer in (self.head, self.case8[-1]):
            nn.init.constant_(layer.get_parameter("bias")[:1], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a4, a8, a16 = self.down(x)
        cards = self.head(self.joined(a4, a8, a16))
        b16 = self.m16(a16 + up(self.up16(self.s32(a16))))
        cases = self.case8(torch.cat([up(b16), a8], 1))
        return torch.cat([cards, up(cases)], 1)


def loaded(cache: Path, count: int) -> list[Drawn]:
    """The pictures as large as the network sees them."""
    found: list[Drawn] = []
    for image, *outlines in draw.pictures(cache, count):
        factor = min(1.0, WIDE / image.shape[1])
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        cases, cards = (((some.corners + 0.5) * factor - 0.5, some.hidden > HIDDEN) for some in outlines)
        found.append((small, cases, cards))
    return found


def augmented(item: Drawn, rng: np.random.Generator) -> Drawn:
    """A random crop, as it is, shrunk as for the second look at what is large, or enlarged, flipped and turned."""
    image, (cases, hidden_cases), (cards, hidden_cards) = item
    quads = [cases, cards]
    low, high = _SCALES[int(rng.choice(len(_SCALES), p=_OFTEN))]
    factor = float(rng.uniform(low, high))
    if factor != 1:
        image = cv2.resize(
            image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
        )
        quads = [(q + 0.5) * factor - 0.5 for q in quads]
    bottom, right = max(0, CROP - image.shape[0]), max(0, CROP - image.shape[1])
    image = cv2.copyMakeBorder(image, 0, bottom, 0, right, cv2.BORDER_REPLICATE)
    h, w = image.shape[:2]
    y, x = int(rng.integers(0, h - CROP + 1)), int(rng.integers(0, w - CROP + 1))
    image, quads = image[y : y + CROP, x : x + CROP], [q - np.array([x, y], np.float32) for q in quads]
    if rng.random() < 0.5:
        mirror, shift = np.array([-1, 1], np.float32), np.array([CROP - 1, 0], np.float32)
        image, quads = image[:, ::-1], [q[:, ::-1] * mirror + shift for q in quads]
    for _ in range(int(rng.integers(4))):
        image = np.rot90(image)
        quads = [np.stack([q[..., 1], CROP - 1 - q[..., 0]], -1) for q in quads]
    if rng.random() < 0.15:
        image = image[..., rng.permutation(3)]
    if rng.random() < 0.04:
        image = 255 - image
    out = brightened(np.ascontiguousarray(image)).astype(np.float32)
    out = out * float(rng.uniform(0.8, 1.15)) + float(rng.normal(0, 5))
    return np.clip(out, 0, 255), (quads[0], hidden_cases), (quads[1], hidden_cards)


def targets(quads: Quads, planes: int, unit: float, spread: float, stride: int) -> np.ndarray:
    """Heat, its weight, the regression (planes - 1) and its mask: (planes + 2, s, s)."""
    s = CROP // stride
    out = np.zeros((planes + 2, s, s), np.float32)
    heat, weight, reg, mask = out[0], out[1], out[2:-1], out[-1]
    weight[:] = 1.0
    yy, xx = np.mgrid[0:s, 0:s].astype(np.float32)
    px, py = xx * stride + (stride - 1) / 2, yy * stride + (stride - 1) / 2
    for quad, is_hidden in zip(*quads, strict=True):
        if (quad.max(0) < 0).any() or (quad.min(0) > CROP - 1).any():
            continue
        inverse = np.linalg.inv(homography(quad))
        depth = inverse[2, 0] * px + inverse[2, 1] * py + inverse[2, 2]
        u = (inverse[0, 0] * px + inverse[0, 1] * py + inverse[0, 2]) / depth
        v = (inverse[1, 0] * px + inverse[1, 1] * py + inverse[1, 2]) / depth
        d2 = u * u + v * v
        if is_hidden or not ((quad > -3) & (quad < CROP + 2)).all():
            weight[np.maximum(np.abs(u), np.abs(v)) < 1.1] = 0.0
            continue
        centre, code = quad_code(quad)
        size = float(np.exp((code[0] + code[2]) / 2))
        sigma2 = max(spread, 0.65 * stride / size) ** 2
        np.maximum(heat, np.exp(-d2 / (2 * sigma2)), out=heat)
        heat.flat[int(d2.argmin())] = 1.0
        mine = d2 < (1.7 * spread) ** 2 + (1.1 * stride / size) ** 2
        reg[0][mine], reg[1][mine] = (centre[0] - px[mine]) / unit, (centre[1] - py[mine]) / unit
        for k in range(planes - 3):
            reg[2 + k][mine] = code[k] * CODE_SCALE[k]
        mask[mine] = 1.0
    return out


def batch(data: list[Drawn], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows = []
    for i in rng.integers(0, len(data), size):
        image, cases, cards = augmented(data[int(i)], rng)
        wanted = (
            targets(cards, 8, CARDS.offset_px, 0.16, CARDS.stride),
            targets(cases, 10, CASES.offset_px, 0.14, CASES.stride),
        )
        rows.append((np.ascontiguousarray(image.transpose(2, 0, 1)) / 255 - 0.5, *wanted))
    return tuple(torch.from_numpy(np.stack(column).astype(np.float32)) for column in zip(*rows, strict=True))


def split(wanted: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Targets as `targets` stacks them: heat, weight, pose, and where the pose is known."""
    return wanted[:, :1], wanted[:, 1:2], wanted[:, 2:-1], wanted[:, -1:]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=3000)
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--batch", type=int, default=10)
    ap.add_argument("--rate", type=float, default=2e-3)
    ap.add_argument("--begin", type=Path, help="weights to begin with, as they were written for OpenCV")
    ap.add_argument("--out", type=Path, default=HERE.with_name("finder.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    data = loaded(a.cache, a.pictures)
    net = Finder()
    if a.begin:
        begin(net, a.begin, batch(data, rng, 4 * a.batch)[0])
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    mean = averaged(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.08)
    begun, seen = time.process_time(), np.zeros(4)
    for step in range(1, a.steps + 1):
        x, cards, cases = batch(data, rng, a.batch)
        with quick():
            out = net(x.to(memory_format=torch.channels_last))
        out = out.float()
        parts = (*loss_of(out[:, :8], *split(cards)), *loss_of(out[:, 8:, ::2, ::2], *split(cases)))
        optimiser.zero_grad()
        torch.autograd.backward(parts[0] + 2 * parts[1] + parts[2] + 2 * parts[3])
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        seen += [float(part) for part in parts]
        if step % 100 == 0:
            took = time.process_time() - begun
            print(f"step {step} card {seen[:2] / 100} case {seen[2:] / 100} {took:.0f} s", flush=True)
            seen[:] = 0
        if step % 500 == 0 or step == a.steps:
            free = {"picture": {0: "n", 2: "height", 3: "width"}, "things": {0: "n", 2: "rows", 3: "cols"}}
            export(mean.module, a.out, torch.zeros(1, 3, 352, 640), free)


if __name__ == "__main__":
    main()
