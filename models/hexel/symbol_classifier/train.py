"""Trains the symbol reader: which symbol a patch shows.

    PYTHONPATH=. python models/hexel/symbol_classifier/train.py --cache DIR [--pictures 1600] [--epochs 14]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 2,000,000 up), cuts patches as
`companion.games.hexel.vision.classifier` does, with the corners a little off as the finder's are, and writes `symbols.onnx`.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.hexel.vision.classifier import CLASSES, PATCH, cut_patches
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph
from models.networks import block
from models.training import drawn, export

LABEL = {
    ("36", "red"): 0,
    ("36", "blue"): 1,
    ("36", "void"): 2,
    ("46", "red"): 0,
    ("46", "blue"): 3,
    ("46", "yellow"): 4,
}
OTHER = len(CLASSES) - 1
REPEATS = 3


class Symbols(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(block(3, 12), block(12, 24, 2), block(24, 24), block(24, 32, 2), block(32, 32))
        self.embed = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * (PATCH // 4) ** 2, 48), nn.ReLU(inplace=True)
        )
        self.name = nn.Linear(48, len(CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.name(self.embed(self.body(x)))
        return logits


def jittered(corners: np.ndarray, rng: np.random.Generator, amount: float) -> np.ndarray:
    """A card's corners as a finder might give them: moved, turned, scaled, squeezed a little; begun at any corner."""
    centre, affine = HEXAGON.pose_of(corners)
    a = rng.normal(0, 0.025 * amount)
    warp = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ (
        np.eye(2) * np.exp(rng.normal(0, 0.025 * amount)) + rng.normal(0, 0.012 * amount, (2, 2))
    )
    size = float(np.sqrt(abs(np.linalg.det(affine))))
    off = rng.normal(0, 0.02 * amount, 2) * size + rng.normal(0, 0.35 * amount, 2)
    return np.asarray(centre + off + HEXAGON.unit @ (affine @ warp).T)


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Patches (M, PATCH, PATCH, 3) uint8 (colour times 200) and their labels (M,) from one photograph."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    edition = str(rng.choice(["36", "46"]))
    across = float(np.exp(rng.uniform(np.log(40), np.log(280))))
    picture = photograph(rng, edition=edition, size=(800, 608), printing="reference", across_px=across)
    pyramid = Pyramid.of(picture.bgr)
    corners, labels = [], []
    for card in picture.truth["cards"] + picture.truth["loose"]:
        if card.get("cut") or card["covered"] > 0.6:
            continue
        quad = np.array(card["corners"])
        for _ in range(REPEATS):
            corners.append(jittered(quad, rng, 1.0))
            labels.append(
                [
                    LABEL[edition, e] if h < 0.35 else (OTHER if h > 0.75 else -1)
                    for e, h in zip(card["edges"], card["hidden"], strict=True)
                ]
            )
    for _ in range(3):  # the bare table and what lies on it
        at = rng.uniform(0, 1, 2) * [800, 608]
        truth = np.array([c["corners"] for c in picture.truth["cards"] + picture.truth["loose"]]).reshape(-1, 6, 2)
        size = float(rng.uniform(25, 120))
        if np.linalg.norm(truth.mean(1) - at, axis=1).min() > 1.3 * size + np.ptp(truth[0], axis=0).max() * 0.6:
            corners.append(at + HEXAGON.unit * size)
            labels.append([OTHER] * 6)
    if not corners:
        return np.zeros((0, PATCH, PATCH, 3), np.uint8), np.zeros(0, np.int64)
    patches, _ = cut_patches(pyramid, np.array(corners))
    flat, names = patches.reshape(-1, PATCH, PATCH, 3), np.array(labels).reshape(-1)
    keep = names >= 0
    return np.round(flat[keep] * 200).astype(np.uint8), names[keep]


def augmented(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Mirrored along the edge, a little brighter or tinted, noisier."""
    out = x.astype(np.float32) / 200
    flip = rng.random(len(out)) < 0.5
    out[flip] = out[flip][:, :, ::-1]
    out *= np.exp(rng.normal(0, 0.05, (len(out), 1, 1, 1)) + rng.normal(0, 0.03, (len(out), 1, 1, 3))).astype(
        np.float32
    )
    out += rng.standard_normal(out.shape, dtype=np.float32) * rng.uniform(0, 0.05, (len(out), 1, 1, 1)).astype(
        np.float32
    )
    return np.clip(out, 0, 1.25) - 0.5


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1600)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--patches", type=int, default=110_000, help="how many of the drawn patches to learn from")
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    x, y = drawn(a.cache, "symbols", ("x", "y"), draw, range(2_000_000, 2_000_000 + a.pictures)).values()
    some = rng.permutation(len(x))[: a.patches]
    x, y = x[some], y[some]
    vx, vy = drawn(a.cache, "symbols", ("x", "y"), draw, range(2_900_000, 2_900_120)).values()
    print(len(x), "patches", np.bincount(y), flush=True)
    net = Symbols()
    size, steps = 256, len(x) // 256
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=a.epochs * steps)
    begun = time.time()
    for epoch in range(a.epochs):
        order, total = rng.permutation(len(x)), 0.0
        net.train()
        for k in range(steps):
            pick = order[k * size : (k + 1) * size]
            logits = net(torch.from_numpy(augmented(x[pick], rng).transpose(0, 3, 1, 2).copy()))
            loss = nn.functional.cross_entropy(logits, torch.from_numpy(y[pick]), label_smoothing=0.01)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            p = torch.softmax(
                net(torch.from_numpy((vx.astype(np.float32) / 200 - 0.5).transpose(0, 3, 1, 2).copy())), 1
            ).numpy()
        sure = p.max(1) > 0.9
        print(
            f"epoch {epoch} loss {total / steps:.4f} right {(p.argmax(1) == vy).mean():.5f} sure {sure.mean():.4f} "
            f"wrong among sure {(p.argmax(1) != vy)[sure].mean():.6f} {time.time() - begun:.0f} s",
            flush=True,
        )
    torch.save(net.state_dict(), a.cache / "symbols.pt")
    free = {"patches": {0: "n"}, "logits": {0: "n"}}
    export(net, Path(__file__).with_name("symbols.onnx"), torch.zeros(6, 3, PATCH, PATCH), free)


if __name__ == "__main__":
    main()
