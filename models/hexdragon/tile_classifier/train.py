"""Trains the tile reader: what joins the six edges of a tile, whose head or star it is, and whether it is a tile.

    python models/hexdragon/tile_classifier/draw.py --cache DIR
    python models/hexdragon/tile_classifier/train.py --cache DIR [DIR ...] [--minutes 30]

Learns for as long as it is told, the rate falling to nothing by then, from the views of `views`, as
`companion.games.hexdragon.vision.classifier` cuts them, and writes `tiles.onnx`: the moving mean of
the weights, which is also what is measured.
"""

import argparse
import math
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.hexdragon.vision.classifier import KINDS, OWNERS, VIEW
from models.networks import block
from models.training import averaged, export, quick

views: Any = import_module("models.hexdragon.tile_classifier.views")
veils: Any = import_module("models.hexdragon.tile_classifier.veils")
HIDDEN = 7
BATCH = 128
REPORT = 800
RISE = 0.05
"""The share of the time in which the rate rises."""


class Tiles(nn.Module):
    def __init__(self) -> None:
        super().__init__()
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


class Spoiler:
    """Draws views anew for every pass: mirrored, in other light or inks, noisy, partly under something."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.grain = rng.standard_normal(BATCH * VIEW * VIEW * 3 + 100_000, dtype=np.float32)

    def __call__(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Views (N, VIEW, VIEW, 3) uint8 and labels (N, 8) as the network meets them; at most `BATCH`."""
        rng, out, told = self.rng, x.astype(np.float32) * np.float32(1 / 200), y.copy()
        flip = np.flatnonzero(rng.random(len(out)) < 0.5)
        out[flip] = out[flip][:, ::-1]
        mirrored = told[flip][:, [0, 5, 4, 3, 2, 1]]
        told[flip, :6] = np.where((mirrored >= 0) & (mirrored < 5), 4 - mirrored, mirrored)
        shown = (x[..., 0] | x[..., 1] | x[..., 2]) > 0
        shown[flip] = shown[flip][:, ::-1]
        for i in np.flatnonzero(rng.random(len(out)) < 0.15):
            self._dyed(out[i])
            told[i, 6] = -1
        for i in np.flatnonzero(rng.random(len(out)) < 0.1):
            veils.dazzled(out[i], shown[i], rng)
        for i in np.flatnonzero((rng.random(len(out)) < 0.3) & (told[:, 7] < 2)):
            veils.veiled(out[i], shown[i], told[i], HIDDEN, rng)
        gain = np.exp(rng.normal(0, 0.08, (len(out), 1)) + rng.normal(0, 0.03, (len(out), 3))).astype(np.float32)
        out *= gain[:, None, None]
        begin = int(rng.integers(100_000))
        grain = self.grain[begin : begin + out.size].reshape(out.shape)
        out += grain * rng.uniform(0, 0.05, (len(out), 1, 1, 1)).astype(np.float32)
        np.clip(out, 0, 1.25, out=out)
        return out * shown[..., None] - np.float32(0.5), told

    def _dyed(self, view: np.ndarray) -> None:
        """In other inks, or in none: nobody's colour any more."""
        view[:] = view[..., self.rng.permutation(3)] if self.rng.random() < 0.7 else view.mean(-1, keepdims=True)
        if self.rng.random() < 0.25:
            view[:] = np.maximum(0.9 - view, 0)


def loss_of(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    ends, asked = out[:, :42].reshape(-1, 7), y[:, :6].reshape(-1)
    known = (asked >= 0) & (asked < HIDDEN)
    loss = nn.functional.cross_entropy(ends[known], asked[known], label_smoothing=0.01)
    if (asked == HIDDEN).any():
        loss = loss - 0.1 * nn.functional.log_softmax(ends[asked == HIDDEN], 1).mean()
    owned = y[:, 6] >= 0
    owner = nn.functional.cross_entropy(out[owned, 42:46], y[owned, 6], label_smoothing=0.01)
    return loss + 0.8 * owner + 0.5 * nn.functional.cross_entropy(out[:, 46:], y[:, 7], label_smoothing=0.01)


def shares(net: nn.Module, x: np.ndarray, y: np.ndarray) -> str:
    """How much is right of what is asked."""
    with torch.no_grad():
        parts = [net(_blob(x[i : i + 256].astype(np.float32) / 200 - 0.5)).numpy() for i in range(0, len(x), 256)]
    out = np.concatenate(parts)
    ends = out[:, :42].reshape(-1, 6, 7).argmax(-1)
    asked = (y[:, :6] >= 0) & (y[:, :6] < HIDDEN)
    whole = ((ends == y[:, :6]) | ~asked).all(1)[y[:, 7] == 0].mean()
    owned = y[:, 6] >= 0
    owner = (out[owned, 42:46].argmax(-1) == y[owned, 6]).mean()
    kind = (out[:, 46:].argmax(-1) == y[:, 7]).mean()
    return f"edges {(ends == y[:, :6])[asked].mean():.5f} tiles {whole:.5f} owner {owner:.5f} kind {kind:.5f}"


def _blob(out: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(out).permute(0, 3, 1, 2)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True, nargs="+")
    ap.add_argument("--minutes", type=float, default=30)
    ap.add_argument("--repeats", type=int, default=3)
    ap.add_argument("--stars", type=int, default=8000)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--keep", type=float, default=0.998, help="of the moving mean, each step")
    ap.add_argument("--out", type=Path, default=Path(__file__).with_name("tiles.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    x, y, measured = views.dataset(a.cache, a.repeats, a.stars)
    vx, vy, x, y = x[measured], y[measured], x[~measured], y[~measured]
    print(len(x), "views", np.bincount(y[:, 7]), len(vx), "held back", flush=True)
    net = Tiles()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    mean, spoil = averaged(net, a.keep).eval(), Spoiler(rng)
    begun, losses, step = time.time(), [], 0
    while (gone := (time.time() - begun) / 60 / a.minutes) < 1:
        if step % (len(x) // BATCH) == 0:
            order = rng.permutation(len(x))
        for group in optimiser.param_groups:
            group["lr"] = a.rate * rate_at(gone)
        pick = order[step % (len(x) // BATCH) * BATCH :][:BATCH]
        met, told = spoil(x[pick], y[pick])
        with quick():
            out = net(_blob(met))
        loss = loss_of(out.float(), torch.from_numpy(told))
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        mean.update_parameters(net)
        losses.append(loss.item())
        step += 1
        if step % REPORT == 0:
            said = f"loss {np.mean(losses[-REPORT:]):.4f} {shares(mean, vx, vy)}"
            print(f"step {step} {said} {time.process_time():.0f} s of processor time", flush=True)
            written(mean.module, a.out)
    print(f"step {step} {shares(mean, vx, vy)} {time.process_time():.0f} s of processor time", flush=True)
    written(mean.module, a.out)


def rate_at(gone: float) -> float:
    """The share of the rate when so much of the time is gone: it rises quickly and falls to nothing.

    >>> rate_at(0.05), rate_at(1.0)
    (1.0, 0.0)
    """
    return gone / RISE if gone < RISE else (1 + math.cos(math.pi * min(1.0, (gone - RISE) / (1 - RISE)))) / 2


def written(net: nn.Module, path: Path) -> None:
    """Write the network for OpenCV, and its weights beside it."""
    torch.save(net.state_dict(), path.with_suffix(".pt"))
    export(net, path, torch.zeros(2, 3, VIEW, VIEW), {"views": {0: "n"}, "answers": {0: "n"}})
    net.eval()


if __name__ == "__main__":
    main()
