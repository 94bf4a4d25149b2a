"""Trains the refiner of outlines: where, in a strip along a card's side, the card's edge runs.

    PYTHONPATH=. python -m models.outline.refiner.train --scenes DIR... --out weights.onnx --steps 3000 [--begin W.pt]

A strip's answer is, for each of its columns, a logit for every place across it and one for there being no edge.
"""

import argparse
import pickle
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.poses import UNIT_SHAPES, affine_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.refinement.strips import (
    COLUMNS,
    STRIP,
    Frame,
    bin_places,
    brightened_strips,
    cut_strips,
    edge_offsets,
)
from models.drawing.card_faces import Rng
from models.drawing.card_scenes import LARGEST_PX, SMALLEST_PX, Scene
from models.networks import block
from models.training import averaged, export, quick

SIGMA = 0.8 * float(bin_places()[1] - bin_places()[0])
"""The width of the answer that is asked for."""
CARDS = 30
"""In a batch."""


class Refiner(nn.Module):
    """For a strip (3, STRIP, STRIP) its logits (STRIP + 1, COLUMNS): the edge's place, the last for no edge at all."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2), block(16, 32), _along(32, 32), _dilated(32, 2), _dilated(32, 4), _dilated(32, 2)
        )
        self.places, self.none = nn.Conv2d(32, 2, (3, 3), padding=1), nn.Conv2d(32, 1, (STRIP // 2, 3), padding=(0, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = self.body(x)
        places = self.places(maps).permute(0, 2, 1, 3).reshape(-1, STRIP, COLUMNS)
        return torch.cat([places, self.none(maps).reshape(-1, 1, COLUMNS)], 1)


def _along(i: int, o: int) -> nn.Sequential:
    conv = nn.Conv2d(i, o, 3, (1, 2), 1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(o), nn.ReLU(inplace=True))


def _dilated(planes: int, dilation: int) -> nn.Sequential:
    conv = nn.Conv2d(planes, planes, 3, 1, (dilation, 1), (dilation, 1), bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(planes), nn.ReLU(inplace=True))


def misjudged(rng: Rng, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outline as a detector gives it, or as a first refinement leaves it."""
    size = float(np.sqrt(cv2.contourArea(corners.astype(np.float32))))
    if rng.random() < 0.6:
        centre, affine = affine_of(corners)
        affine = affine @ (np.eye(2) + rng.normal(0, 0.05, (2, 2)))
        rough = UNIT_SHAPES[len(corners)] @ affine.T + centre + rng.normal(0, 0.035, 2) * size
        return np.asarray(rough + rng.normal(0, 0.01, rough.shape) * size)
    return np.asarray(corners + rng.normal(0, rng.choice([0.01, 0.03]), corners.shape) * size)


def strays(rng: Rng, scene: Scene) -> NDArray[np.float64]:
    """An outline where no card lies so: elsewhere, or shifted by much of a card, or of another size."""
    sides = 4 if rng.random() < 0.6 else 6
    if scene.outlines and rng.random() < 0.6:
        corners = scene.outlines[rng.integers(len(scene.outlines))].corners.astype(np.float64)
        centre, affine = affine_of(corners)
        if rng.random() < 0.5:
            centre = centre + affine @ rng.choice([-1.0, 1.0], 2) * rng.uniform(0.7, 1.3)
        else:
            affine = affine * rng.choice([0.5, 0.6, 1.8])
        return UNIT_SHAPES[len(corners)] @ affine.T + centre
    half = np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))) / 2
    turn = rng.uniform(0, 6.3)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag(
        [half, half * rng.uniform(0.5, 1)]
    )
    return UNIT_SHAPES[sides] @ spin.T + rng.uniform(half, scene.picture.shape[0] - half, 2)


def example(rng: Rng, scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.float32]] | None:
    """Strips of one card (N, STRIP, STRIP, 3) and their answers (N, STRIP + 1, COLUMNS), which sum to 1."""
    side_px = scene.picture.shape[0]
    pyramid = Pyramid.of(scene.picture)
    whole = [
        o
        for o in scene.outlines
        if o.visible > 0.75 and (o.corners > 0).all() and (o.corners < side_px - 1).all()
        and SMALLEST_PX < np.sqrt(cv2.contourArea(o.corners)) < LARGEST_PX
    ]  # fmt: skip
    if whole and rng.random() < 0.88:
        true = whole[rng.integers(len(whole))].corners.astype(np.float64)
        frame = Frame.of(misjudged(rng, true))
        offsets = edge_offsets(frame, true)
        bins = np.exp(-((offsets[:, None] - bin_places()[:, None]) ** 2) / (2 * SIGMA**2))
        none = np.full((len(true), 1, COLUMNS), 1e-9)
    else:
        frame = Frame.of(strays(rng, scene))
        offsets = np.zeros((len(frame.corners), COLUMNS))
        bins, none = np.zeros((len(offsets), STRIP, COLUMNS)), np.ones((len(offsets), 1, COLUMNS))
        nearest = min((_distance(frame, o.corners) for o in scene.outlines), default=1.0)
        if nearest < 0.4:
            return None
    asked = np.concatenate([bins, none], 1)
    strips = cut_strips(pyramid, frame)
    if rng.random() < 0.5:  # along a side, left and right are alike
        strips, asked = strips[:, :, ::-1], asked[:, :, ::-1]
    if rng.random() < 0.3:
        strips = strips[..., rng.permutation(3)]
    if rng.random() < 0.1:
        strips = 255 - strips
    return np.ascontiguousarray(strips), np.asarray(asked / asked.sum(1, keepdims=True), np.float32)


def _distance(frame: Frame, corners: NDArray[np.float32]) -> float:
    """How far an outline is from the frame's card, in its size: the mean over the corners; 1 for another shape."""
    if len(corners) != len(frame.corners):
        return 1.0
    mine = frame.to_picture(frame.corners)
    least = min(float(np.linalg.norm(mine - np.roll(corners, k, 0), axis=1).mean()) for k in range(len(corners)))
    return least / frame.size


def batch_of(rng: Rng, pool: Sequence[Scene]) -> tuple[torch.Tensor, torch.Tensor]:
    """Strips of some cards and their answers."""
    made = [example(rng, pool[i]) for i in rng.integers(len(pool), size=CARDS)]
    kept = [m for m in made if m is not None]
    strips = brightened_strips([m[0] for m in kept])
    return torch.from_numpy(strips), torch.from_numpy(np.concatenate([m[1] for m in kept]))


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--kept", type=int, default=6, help="files of each folder in memory at a time")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(1)
    net = Refiner()
    if options.begin:
        net.load_state_dict(torch.load(options.begin))
    mean = averaged(net, 0.995)
    optimiser = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, options.steps, pct_start=0.08)
    rng, begun, shown = np.random.default_rng(5), time.time(), 0.0
    pool: list[Scene] = []
    for step in range(1, options.steps + 1):
        if step % 250 == 1:
            files = [sorted(folder.glob("*.pickle")) for folder in options.scenes]
            chosen = [f[i] for f in files for i in rng.permutation(len(f))[: options.kept]]
            pool = [scene for path in chosen for scene in pickle.loads(path.read_bytes())]
        strips, asked = batch_of(rng, pool)
        with quick():
            out = net(strips)
        loss = -(asked * torch.log_softmax(out.float(), 1)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        shown = shown * 0.99 + 0.01 * loss.item()
        if step % 100 == 0:
            print(step, round(shown / (1 - 0.99**step), 4), f"{time.time() - begun:.0f} s", flush=True)
        if step % 250 == 0 or step == options.steps:
            torch.save(mean.module.state_dict(), options.out.with_suffix(".pt"))
            export(mean.module, options.out, torch.zeros(2, 3, STRIP, STRIP), {"strips": {0: "n"}, "logits": {0: "n"}})


if __name__ == "__main__":
    main()
