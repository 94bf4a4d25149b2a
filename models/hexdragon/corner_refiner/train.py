"""Trains the outline refiner for HexDragon: tiles lie edge to edge, on boards whose cells are printed.

    PYTHONPATH=. python models/hexdragon/tile_classifier/draw.py --cache DIR
    PYTHONPATH=. python models/hexdragon/corner_refiner/train.py --cache DIR [--epochs 3]

Begins with the weights of `models/hexel/corner_refiner` and learns on from drawn photographs; see `companion.vision.detection.corner_refiner`.
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

from companion.vision.detection.corner_refiner import GAIN, VIEW, cut_views
from companion.vision.image.pyramid import Pyramid
from models.networks import Pose
from models.training import export

hexel: Any = import_module("models.hexel.corner_refiner.train")
finder: Any = import_module("models.hexdragon.detector.train")
pictures: Any = import_module("models.hexdragon.tile_classifier.draw").pictures

HERE = Path(__file__)
BEGIN = HERE.parent.parent / "hexel-pose" / "pose.onnx"
LOOKS = 2


def looks(path: Path, truth: dict[str, Any], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Views (M, VIEW, VIEW, 3) uint8 through outlines a little wrong, and the corrections (M, 6)."""
    outlines, wanted = [], []
    for entry in truth["tiles"]:
        if "cut" in entry or entry["covered"] > 0.45:
            continue
        for _ in range(LOOKS):
            outline, correction = hexel.misjudged(np.array(entry["corners"]), rng)
            outlines.append(outline)
            wanted.append(correction.reshape(-1))
    if not outlines:
        return np.zeros((0, VIEW, VIEW, 3), np.uint8), np.zeros((0, 6), np.float32)
    views = cut_views(Pyramid.of(cv2.imread(str(path))), np.array(outlines))
    return np.round((views + 0.5) * 200).astype(np.uint8), np.array(wanted, np.float32)


def dataset(cache: Path) -> tuple[np.ndarray, np.ndarray]:
    """All looks, kept beside the pictures."""
    held = cache / "pose.npz"
    if not held.exists():
        rng = np.random.default_rng(5)
        parts = [looks(path, truth, rng) for path, truth in pictures(cache)]
        np.savez(held, x=np.concatenate([p[0] for p in parts]), y=np.concatenate([p[1] for p in parts]))
    with np.load(held) as file:
        return file["x"], file["y"]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--rate", type=float, default=8e-4)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    x, y = dataset(a.cache)
    held = len(x) // 20
    vx, vy, x, y = x[-held:], y[-held:], x[:-held], y[:-held]
    net = finder.with_weights(finder.folded(Pose()), BEGIN)
    size, steps = 128, len(x) // 128
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.epochs * steps)
    begun = time.time()
    for epoch in range(-1, a.epochs):
        order = rng.permutation(len(x))
        for k in range(steps if epoch >= 0 else 0):  # before the first epoch it is only measured
            pick = order[k * size : (k + 1) * size]
            view = (x[pick].astype(np.float32) / 200 - 0.5) * np.exp(rng.normal(0, 0.08, (size, 1, 1, 3)))
            blob = torch.from_numpy(view.astype(np.float32)).permute(0, 3, 1, 2)
            loss = nn.functional.smooth_l1_loss(net(blob), torch.from_numpy(y[pick] * GAIN), beta=0.1)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            blob = torch.from_numpy(vx.astype(np.float32) / 200 - 0.5).permute(0, 3, 1, 2)
            e = hexel.error(net(blob).numpy() / GAIN, vy)
        median, most = np.median(e), np.percentile(e, 95)
        print(f"epoch {epoch} corner error median {median:.4f} 95 % {most:.4f} {time.time() - begun:.0f} s", flush=True)
    free = {"views": {0: "n"}, "corrections": {0: "n"}}
    export(net, HERE.with_name("pose.onnx"), torch.zeros(2, 3, VIEW, VIEW), free)


if __name__ == "__main__":
    main()
