"""Trains the tile reader: what joins the six edges of a tile, whose head or star it is, and whether it is a tile.

    python models/hexdragon-tiles/draw.py --cache DIR
    python models/hexdragon-tiles/train.py --cache DIR [--epochs 10]

Cuts views as `companion.vision.paths` does from drawn photographs, with the outlines a little off as the finder's are,
and writes `tiles.onnx`. An edge whose line something hides is taught to be unsure.
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

from companion.vision.finder import UNIT_HEXAGON, affine_of
from companion.vision.paths import KINDS, OWNERS, VIEW, cut_tiles
from companion.vision.pyramid import Pyramid
from models.training import export

pictures: Any = import_module("models.hexdragon-tiles.draw").pictures
star_views: Any = import_module("models.hexdragon-tiles.stars").star_views
veiled: Any = import_module("models.hexdragon-tiles.veils").veiled
jittered: Any = import_module("models.hexel-symbols.train").jittered

Labels = tuple[list[int], int, int]
"""What each edge leads to (-1: not asked, 7: hidden), the owner (-1: not asked), the kind."""
HIDDEN = 7


class Tiles(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def block(i: int, o: int, stride: int = 1) -> nn.Sequential:
            return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

        self.body = nn.Sequential(
            block(3, 24, 2),
            block(24, 32),
            block(32, 48, 2),
            block(48, 64),
            block(64, 64),
            block(64, 80, 2),
            block(80, 80),
        )
        self.embed = nn.Sequential(nn.Flatten(), nn.Dropout(0.15), nn.Linear(80 * 36, 192), nn.ReLU(inplace=True))
        self.say = nn.Linear(192, 42 + len(OWNERS) + len(KINDS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.say(self.embed(self.body(x)))
        return logits


def ends_of(entry: dict[str, Any]) -> list[int]:
    """What each edge of a tile leads to, as indices of `paths.ENDS`."""
    ends = [5] * 6
    if entry["head"] is not None:
        ends[entry["head"]] = 6
    for a, b in entry["paths"]:
        ends[a], ends[b] = (b - a) % 6 - 1, (a - b) % 6 - 1
    return ends


def wanted(entry: dict[str, Any], start: int, names: bool) -> Labels | None:
    """What the network should say of a piece seen from its corner ``start``; None when too much of it is hidden."""
    owner = OWNERS.index(entry["owner"]) if entry["owner"] and names else -1
    if entry["kind"] == "star":
        return ([-1] * 6, owner, 1) if entry["covered"] < 0.3 else None
    if entry["covered"] > 0.75:
        return [-1] * 6, -1, 2
    if entry["covered"] > 0.5:
        return None
    hidden = entry["hidden"]
    ends = [HIDDEN if h > 0.5 else -1 if h > 0.2 else e for e, h in zip(ends_of(entry), hidden, strict=True)]
    if entry["head"] is not None and hidden[entry["head"]] > 0.4:
        owner = -1
    return [ends[(d - start) % 6] for d in range(6)], owner, 0


def beside(truth: dict[str, Any], rng: np.random.Generator) -> list[np.ndarray]:
    """Outlines where no tile lies: free cells, between tiles, on the table, over counters and face-down tiles."""
    pieces = [np.array(e["corners"]) for e in truth["tiles"] + truth["stars"]]
    centres = np.array([c.mean(0) for c in pieces])
    found = []
    for _ in range(14):
        base = pieces[int(rng.integers(len(pieces)))]
        centre, affine = affine_of(base)
        angle = rng.uniform(0, 2 * np.pi)
        cell = [np.array([np.cos(a), np.sin(a)]) * np.sqrt(3) for a in np.radians(60.0 * np.arange(6))]
        way = cell[int(rng.integers(6))] * rng.choice([1, 1, 0.5, 2])
        if rng.random() < 0.3:
            way = np.array([np.cos(angle), np.sin(angle)]) * rng.uniform(0.5, 2.2)
        at = centre + affine @ way
        size = np.sqrt(abs(np.linalg.det(affine)))
        if np.linalg.norm(centres - at, axis=1).min() > 0.42 * size and (at > 0).all() and (at < truth["size"]).all():
            found.append(at + UNIT_HEXAGON @ affine.T)
    found += [np.array(decoy) for decoy in truth.get("decoys", []) for _ in range(2)]
    for outline in truth["ignore"]:
        quad = np.array(outline)
        if quad.shape == (6, 2) and np.linalg.norm(centres - quad.mean(0), axis=1).min() > 10:
            found.append(quad)
    return found


def cut(path: Path, truth: dict[str, Any], rng: np.random.Generator, repeats: int) -> tuple[np.ndarray, list[Labels]]:
    """Views and labels from one picture."""
    pyramid = Pyramid.of(cv2.imread(str(path)))
    names = truth["conditions"]["printing"] != "invented"
    outlines, labels = [], []
    for entry in truth["tiles"] + truth["stars"]:
        quad = np.array(entry["corners"])
        if "cut" in entry or cv2.contourArea(quad.astype(np.float32)) < 0.866 * 30**2:
            continue
        for _ in range(3 * repeats if entry["kind"] == "star" else repeats):
            start = int(rng.integers(6))
            told = wanted(entry, start, names)
            if told is not None:
                amount = float(rng.choice([0.6, 1.0, 1.8]))
                centre, affine = affine_of(jittered(quad, rng, amount))
                if entry["kind"] == "star":  # a star lies anywhere on its cell
                    centre = centre + affine @ rng.uniform(-0.22, 0.22, 2)
                outlines.append(np.roll(centre + UNIT_HEXAGON @ affine.T, -start, axis=0))
                labels.append(told)
    for outline in beside(truth, rng):
        outlines.append(jittered(outline, rng, 1.0))
        labels.append(([-1] * 6, -1, 2))
    views, _ = cut_tiles(pyramid, np.array(outlines).reshape(-1, 6, 2))
    return np.round(views * 200).astype(np.uint8), labels


def dataset(cache: Path, repeats: int, stars: int) -> tuple[np.ndarray, np.ndarray]:
    """All views (M, VIEW, VIEW, 3) uint8 and labels (M, 8), drawn discs before pictures, kept beside the pictures."""
    held = cache / "tiles.npz"
    if not held.exists():
        rng = np.random.default_rng(7)
        parts = [cut(path, truth, rng, repeats) for path, truth in pictures(cache)]
        labels = [[*ends, owner, kind] for _, told in parts for ends, owner, kind in told]
        x, y = np.concatenate([views for views, _ in parts]), np.array(labels, np.int64)
        discs, said = star_views(x[y[:, 7] == 2], stars, rng) if stars else (x[:0], y[:0])
        np.savez(held, x=np.concatenate([discs, x]), y=np.concatenate([said, y]))
    with np.load(held) as file:
        return file["x"], file["y"]


def augmented(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Mirrored, a little brighter, tinted or noisier; now and then in other inks, and then nobody's colour."""
    out, told = x.astype(np.float32) / 200, y.copy()
    flip = np.flatnonzero(rng.random(len(out)) < 0.5)
    out[flip] = out[flip][:, ::-1]
    mirrored = told[flip][:, [0, 5, 4, 3, 2, 1]]
    told[flip, :6] = np.where((mirrored >= 0) & (mirrored < 5), 4 - mirrored, mirrored)
    shown = out.max(-1, keepdims=True) > 0
    for i in np.flatnonzero(rng.random(len(out)) < 0.2):
        out[i] = out[i][..., rng.permutation(3)] if rng.random() < 0.7 else out[i].mean(-1, keepdims=True)
        if rng.random() < 0.25:
            out[i] = np.maximum(0.9 - out[i], 0)
        told[i, 6] = -1
    for i in np.flatnonzero((rng.random(len(out)) < 0.22) & (told[:, 7] == 0)):
        veiled(out[i], told[i], HIDDEN, rng)
    gain = rng.normal(0, 0.09, (len(out), 1, 1, 1)) + rng.normal(0, 0.035, (len(out), 1, 1, 3))
    out = out * np.exp(gain).astype(np.float32)
    noise = rng.uniform(0, 0.05, (len(out), 1, 1, 1)).astype(np.float32)
    out += rng.standard_normal(out.shape, dtype=np.float32) * noise
    return np.clip(out, 0, 1.25) * shown - 0.5, told


def loss_of(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    ends, asked = out[:, :42].reshape(-1, 7), y[:, :6].reshape(-1)
    known = (asked >= 0) & (asked < HIDDEN)
    loss = nn.functional.cross_entropy(ends[known], asked[known], label_smoothing=0.01)
    if (asked == HIDDEN).any():
        loss = loss - 0.1 * nn.functional.log_softmax(ends[asked == HIDDEN], 1).mean()
    owned = y[:, 6] >= 0
    owner = nn.functional.cross_entropy(out[owned, 42:46], y[owned, 6], label_smoothing=0.01)
    return loss + 0.8 * owner + 0.5 * nn.functional.cross_entropy(out[:, 46:], y[:, 7], label_smoothing=0.01)


def shares(out: np.ndarray, y: np.ndarray) -> str:
    """How much is right of what is asked."""
    ends = out[:, :42].reshape(-1, 6, 7).argmax(-1)
    asked = (y[:, :6] >= 0) & (y[:, :6] < HIDDEN)
    whole = ((ends == y[:, :6]) | ~asked).all(1)[y[:, 7] == 0].mean()
    owned = y[:, 6] >= 0
    owner = (out[owned, 42:46].argmax(-1) == y[owned, 6]).mean()
    kind = (out[:, 46:].argmax(-1) == y[:, 7]).mean()
    return f"edges {(ends == y[:, :6])[asked].mean():.5f} tiles {whole:.5f} owner {owner:.5f} kind {kind:.5f}"


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--repeats", type=int, default=2)
    ap.add_argument("--stars", type=int, default=3000)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--out", type=Path, default=Path(__file__).with_name("tiles.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    x, y = dataset(a.cache, a.repeats, a.stars)
    held = len(x) // 15
    vx, vy, x, y = x[-held:], y[-held:], x[:-held], y[:-held]
    print(len(x), "views", np.bincount(y[:, 7]), flush=True)
    net = Tiles()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    size = 128
    steps = len(x) // size
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.epochs * steps, pct_start=0.15)
    begun = time.time()
    for epoch in range(a.epochs):
        order, total = rng.permutation(len(x)), 0.0
        net.train()
        for k in range(steps):
            pick = order[k * size : (k + 1) * size]
            views, told = augmented(x[pick], y[pick], rng)
            blob = torch.from_numpy(views).permute(0, 3, 1, 2)
            loss = loss_of(net(blob), torch.from_numpy(told))
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            parts = [
                net(torch.from_numpy(vx[i : i + 256].astype(np.float32) / 200 - 0.5).permute(0, 3, 1, 2)).numpy()
                for i in range(0, len(vx), 256)
            ]
        print(
            f"epoch {epoch} loss {total / steps:.4f} {shares(np.concatenate(parts), vy)} {time.time() - begun:.0f} s",
            flush=True,
        )
        torch.save(net.state_dict(), a.cache / "tiles.pt")
        free = {"views": {0: "n"}, "answers": {0: "n"}}
        export(net, a.out, torch.zeros(2, 3, VIEW, VIEW), free)


if __name__ == "__main__":
    main()
