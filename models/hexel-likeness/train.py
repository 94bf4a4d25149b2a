"""Trains the likeness network: patches of the same symbol of one printing lie close together, whatever the printing.

    PYTHONPATH=. python models/hexel-likeness/train.py --cache DIR [--printings 520] [--steps 900]

Each printing (`companion.simulator.printings.invented`, or the reference with other inks) is photographed twice, in
different rooms (`companion.simulator.photograph`, seeds from 4,000,000 up). From one photograph come the examples, from
the other the questions: prototypical networks (Snell, Swersky, Zemel 2017). Writes `likeness.onnx`.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.decks.hexel import SYMBOLS
from companion.simulator.photograph import photograph
from companion.simulator.printings import REFERENCE, invented, varied
from companion.vision.finder import UNIT_HEXAGON, affine_of
from companion.vision.profile import face_value_of
from companion.vision.pyramid import Pyramid
from companion.vision.symbols import PATCH, cut_patches
from models.training import drawn, export

EACH = 24
"""Patches kept of a symbol from one photograph."""


class Likeness(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def block(i: int, o: int, stride: int = 1) -> nn.Sequential:
            return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

        self.body = nn.Sequential(block(3, 16), block(16, 24, 2), block(24, 24), block(24, 32, 2), block(32, 32))
        self.embed = nn.Sequential(nn.Flatten(), nn.Linear(32 * (PATCH // 4) ** 2, 32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.embed(self.body(x))


def nearly(corners: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A card's corners as the pose network gives them."""
    centre, affine = affine_of(corners)
    size = float(np.sqrt(abs(np.linalg.det(affine))))
    warp = np.eye(2) * np.exp(rng.normal(0, 0.012)) + rng.normal(0, 0.008, (2, 2))
    return centre + rng.normal(0, 0.01, 2) * size + rng.normal(0, 0.25, 2) + UNIT_HEXAGON @ (affine @ warp).T


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Patches (2, 3, EACH, PATCH, PATCH, 3) uint8 of one printing's two photographs, and how many there are (2, 3)."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    edition = str(rng.choice(["36", "46"]))
    look = invented(SYMBOLS[edition], rng) if rng.random() < 0.75 else varied(REFERENCE[edition], rng, 3.0)
    x, n = np.zeros((2, 3, EACH, PATCH, PATCH, 3), np.uint8), np.zeros((2, 3), int)
    value = None
    for shot in range(2):
        across = float(np.exp(rng.uniform(np.log(46), np.log(200))))
        count = int(rng.integers(6, 13)) if across < 110 else 7
        picture = photograph(rng, edition=edition, size=(800, 608), printing=look, across_px=across, cards=count)
        cards = [c for c in picture.truth["cards"] + picture.truth["loose"] if not c.get("cut") and c["covered"] < 0.4]
        if not cards:
            continue
        corners = np.array([nearly(np.array(c["corners"]), rng) for c in cards])
        pyramid = Pyramid.of(picture.bgr)
        if value is None:
            value = face_value_of(pyramid, corners)
        patches, _ = cut_patches(pyramid, corners, value)
        for card, six in zip(cards, patches, strict=True):
            for edge, hidden, patch in zip(card["edges"], card["hidden"], six, strict=True):
                k = SYMBOLS[edition].index(edge)
                if hidden < 0.1 and n[shot, k] < EACH:
                    x[shot, k, n[shot, k]] = np.round(patch * 200)
                    n[shot, k] += 1
    return x[None], n[None]


def episode(x: np.ndarray, n: np.ndarray, rng: np.random.Generator, examples: int, questions: int) -> np.ndarray:
    """Patches (3, examples + questions, ...) of one printing, from a photograph each, in either order, jittered."""
    order = rng.permutation(2)
    out = []
    for k in range(3):
        a = rng.integers(0, n[order[0], k], examples)
        b = rng.integers(0, n[order[1], k], questions)
        out.append(np.concatenate([x[order[0], k, a], x[order[1], k, b]]))
    patches = np.stack(out).astype(np.float32) / 200
    flip = rng.random(patches.shape[:2]) < 0.5
    patches[flip] = patches[flip][:, :, ::-1]
    patches *= np.exp(
        rng.normal(0, 0.04, (*patches.shape[:2], 1, 1, 1)) + rng.normal(0, 0.03, (*patches.shape[:2], 1, 1, 3))
    )
    return np.clip(patches, 0, 1.25).astype(np.float32) - 0.5


def answers(net: nn.Module, patches: np.ndarray, examples: int) -> torch.Tensor:
    """Logits (B, 3 * questions, 3) of questions against the mean of the examples, from patches (B, 3, M, ...)."""
    b, c, m = patches.shape[:3]
    flat = torch.from_numpy(patches.reshape(-1, PATCH, PATCH, 3).transpose(0, 3, 1, 2).copy())
    z = net(flat).reshape(b, c, m, -1)
    centre = z[:, :, :examples].mean(2)
    ask = z[:, :, examples:].reshape(b, -1, z.shape[-1])
    return -((ask[:, :, None] - centre[:, None]) ** 2).sum(-1)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--printings", type=int, default=520)
    ap.add_argument("--steps", type=int, default=900)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    x, n = drawn(a.cache, "likeness", ("x", "n"), draw, range(4_000_000, 4_000_000 + a.printings)).values()
    vx, vn = drawn(a.cache, "likeness", ("x", "n"), draw, range(4_900_000, 4_900_060)).values()
    keep, held = np.flatnonzero((n >= 3).all((1, 2))), np.flatnonzero((vn >= 6).all((1, 2)))
    print(len(keep), "printings to learn from,", len(held), "held out", flush=True)
    net = Likeness()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=a.steps)
    truth = torch.arange(3).repeat_interleave(6)
    begun, total = time.time(), 0.0
    for step in range(1, a.steps + 1):
        patches = np.stack([episode(x[i], n[i], rng, 4, 6) for i in rng.choice(keep, 10)])
        logits = answers(net, patches, 4)
        loss = nn.functional.cross_entropy(logits.reshape(-1, 3), truth.repeat(len(patches)), label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        total += loss.item()
        if step % 100 == 0:
            net.eval()
            with torch.no_grad():
                p = torch.cat(
                    [torch.softmax(answers(net, episode(vx[i], vn[i], rng, 6, 6)[None], 6), -1)[0] for i in held]
                )
            net.train()
            best, right = p.max(1).values, p.argmax(1) == truth.repeat(len(held))
            print(
                f"step {step} loss {total / 100:.4f} right {right.float().mean():.4f} "
                f"sure {(best > 0.96).float().mean():.4f} "
                f"wrong among sure {(~right)[best > 0.96].float().mean():.5f} {time.time() - begun:.0f} s",
                flush=True,
            )
            total = 0.0
    free = {"patches": {0: "n"}, "likeness": {0: "n"}}
    export(net, Path(__file__).with_name("likeness.onnx"), torch.zeros(6, 3, PATCH, PATCH), free)


if __name__ == "__main__":
    main()
