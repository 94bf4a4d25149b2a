"""Trains the pose refiner: how far a card's outline, as found, is off.

    PYTHONPATH=. python models/hexel/corner_refiner/train.py --cache DIR [--pictures 1600] [--epochs 8]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 3,000,000 up), looks at each card through an
outline that is a little wrong (`companion.vision.detection.corner_refiner`), and learns the affine correction. Writes `pose.onnx`.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.vision.detection.corner_refiner import GAIN, VIEW, cut_views
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph
from models.networks import Pose
from models.training import drawn, export

LOOKS = 4


def misjudged(corners: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """An outline a little wrong, and the correction (2, 3) in its own unit frame that makes it right."""
    centre, affine = HEXAGON.pose_of(corners)
    amount = float(rng.choice([0.25, 0.6, 1.0, 1.6]))
    a = rng.normal(0, 0.045 * amount)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    stretch = np.eye(2) * np.exp(rng.normal(0, 0.05 * amount)) + rng.normal(0, 0.03 * amount, (2, 2))
    wrong = affine @ turn @ stretch
    off = rng.normal(0, 0.035 * amount, 2)
    # right(u) = centre + A u; wrong(u) = centre + A off + W u; wanted: wrong(D u + t) = right(u)
    inverse = np.linalg.inv(wrong)
    move = inverse @ affine
    shift = -inverse @ affine @ off
    start = int(rng.integers(6))
    k = np.radians(60.0 * start)
    spin = np.array([[np.cos(k), -np.sin(k)], [np.sin(k), np.cos(k)]])  # the same hexagon, begun at another corner
    move, shift, wrong_spun = spin.T @ move @ spin, spin.T @ shift, wrong @ spin
    return centre + affine @ off + HEXAGON.unit @ wrong_spun.T, np.column_stack([move - np.eye(2), shift])


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Views (M, VIEW, VIEW, 3) uint8 and their corrections (M, 6) from one photograph."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    across = float(np.exp(rng.uniform(np.log(40), np.log(300))))
    kind = "invented" if rng.random() < 0.35 else "reference"
    picture = photograph(rng, edition=str(rng.choice(["36", "46"])), size=(800, 608), printing=kind, across_px=across)
    outlines, wanted = [], []
    for card in picture.truth["cards"] + picture.truth["loose"]:
        if card.get("cut") or card["covered"] > 0.45:
            continue
        for _ in range(LOOKS):
            outline, correction = misjudged(np.array(card["corners"]), rng)
            outlines.append(outline)
            wanted.append(correction.reshape(-1))
    if not outlines:
        return np.zeros((0, VIEW, VIEW, 3), np.uint8), np.zeros((0, 6), np.float32)
    views = cut_views(Pyramid.of(picture.bgr), np.array(outlines))
    return np.round((views + 0.5) * 200).astype(np.uint8), np.array(wanted, np.float32)


def error(out: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Mean corner error in sides (N,), in the frame of the outline looked through."""
    d = ((out - wanted) / 1.0).reshape(-1, 2, 3)
    at = np.column_stack([HEXAGON.unit, np.ones(6)])
    return np.asarray(np.linalg.norm(np.einsum("nij,kj->nki", d, at), axis=2).mean(1))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1600)
    ap.add_argument("--epochs", type=int, default=8)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    x, y = drawn(a.cache, "pose", ("x", "y"), draw, range(3_000_000, 3_000_000 + a.pictures)).values()
    vx, vy = drawn(a.cache, "pose", ("x", "y"), draw, range(3_900_000, 3_900_060)).values()
    print(len(x), "views; error as found", np.median(error(np.zeros_like(vy), vy)), flush=True)
    net = Pose()
    size, steps = 128, len(x) // 128
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=a.epochs * steps)
    begun = time.time()
    for epoch in range(a.epochs):
        order, total = rng.permutation(len(x)), 0.0
        net.train()
        for k in range(steps):
            pick = order[k * size : (k + 1) * size]
            view = x[pick].astype(np.float32) / 200 - 0.5
            view *= np.exp(rng.normal(0, 0.08, (size, 1, 1, 3))).astype(np.float32)
            wanted = torch.from_numpy(y[pick] * GAIN)
            loss = nn.functional.smooth_l1_loss(
                net(torch.from_numpy(view.transpose(0, 3, 1, 2).copy())), wanted, beta=0.1
            )
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            out = net(torch.from_numpy((vx.astype(np.float32) / 200 - 0.5).transpose(0, 3, 1, 2).copy())).numpy() / GAIN
        e = error(out, vy)
        print(
            f"epoch {epoch} loss {total / steps:.4f} "
            f"corner error median {np.median(e):.4f} 95 % {np.percentile(e, 95):.4f} {time.time() - begun:.0f} s",
            flush=True,
        )
        free = {"views": {0: "n"}, "corrections": {0: "n"}}
        export(net, Path(__file__).with_name("pose.onnx"), torch.zeros(2, 3, VIEW, VIEW), free)


if __name__ == "__main__":
    main()
