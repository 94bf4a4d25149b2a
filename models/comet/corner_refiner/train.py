"""Trains the refiner of Comet cards' outlines: how far an outline, as found, is off.

    PYTHONPATH=. python models/comet/corner_refiner/train.py --cache DIR --faces typefaces.npz [--pictures 1700] [--epochs 8]

Looks at each drawn card (`models/comet/drawings.py`) through an outline that is a little wrong, and learns the affine
correction. Writes ``pose.onnx``.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from companion.games.comet.vision.detector import CARD
from companion.vision.detection.corner_refiner import GAIN, VIEW
from models.comet.drawings import drawings, unseen
from models.networks import Pose
from models.training import averaged, export, quick


def error(out: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Mean corner error in half heights (N,), in the frame of the outline looked through."""
    at = np.column_stack([CARD.unit, np.ones(4)])
    return np.asarray(np.linalg.norm(np.einsum("nij,kj->nki", (out - wanted).reshape(-1, 2, 3), at), axis=2).mean(1))


def tensor(views: np.ndarray) -> torch.Tensor:
    return torch.from_numpy((views.astype(np.float32) / 200 - 0.5).transpose(0, 3, 1, 2).copy())


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--faces", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1700)
    ap.add_argument("--more", type=int, default=0)
    ap.add_argument("--hard", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--begin", type=Path)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--out", type=Path, default=Path(__file__).with_name("pose.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    held, fresh = drawings(a.cache, a.faces, a.pictures, a.more, a.hard), unseen(a.cache, a.faces)
    x, y = held["views"], held["corrections"]
    net, size = Pose(), 128
    if a.begin:
        net.load_state_dict(torch.load(a.begin))
    mean = averaged(net)
    steps = len(x) // size
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.epochs * steps)
    begun = time.time()
    for epoch in range(a.epochs):
        order, total = rng.permutation(len(x)), 0.0
        for k in range(steps):
            pick = np.sort(order[k * size : (k + 1) * size])
            views = tensor(x[pick]) * float(rng.uniform(0.9, 1.1))
            views = views[:, torch.from_numpy(rng.permutation(3))] if rng.random() < 0.2 else views
            with quick():
                out = net(views)
            loss = nn.functional.smooth_l1_loss(out.float(), torch.from_numpy(y[pick]) * GAIN, beta=0.1)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            mean.update_parameters(net)
            total += loss.item()
        mean.module.eval()
        with torch.no_grad():
            off = error(mean.module(tensor(fresh["views"])).numpy() / GAIN, fresh["corrections"])
        before = error(np.zeros_like(fresh["corrections"]), fresh["corrections"])
        print(
            f"epoch {epoch} loss {total / steps:.4f} corner error {np.median(off):.4f} of {np.median(before):.4f}, "
            f"95 % {np.percentile(off, 95):.4f} half heights, {time.time() - begun:.0f} s",
            flush=True,
        )
    torch.save(mean.module.state_dict(), a.cache / "comet-pose.pt")
    export(
        mean.module,
        a.out,
        torch.zeros(6, 3, VIEW, VIEW),
        {"views": {0: "n"}, "corrections": {0: "n"}},
    )


if __name__ == "__main__":
    main()
