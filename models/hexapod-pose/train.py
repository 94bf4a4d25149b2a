"""Trains the network that makes finds of Hexapod's cases and cards exact, and tells them from what is none.

    python models/hexapod-insects/draw.py --cache DIR
    python models/hexapod-pose/train.py --cache DIR [--steps 4000]

Learns from the photographs' true quads, each moved, turned, stretched and leant by chance: from as far off as the
finder errs down to almost right. What the finder finds on them that is none (backs, mugs, pieces of a pattern) is
learnt as such; a second run with --resume takes besides what the first one made of it.
See `companion/vision/hexapod_pose.py`.
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

from companion.vision.hexapod_finder import at_scale
from companion.vision.hexapod_pose import PATCH, code_in, patch, planes, refined
from companion.vision.hexapod_quads import UNIT, homography, side_px, through
from companion.vision.pyramid import Pyramid
from models.training import export

finder: Any = import_module("models.hexapod-finder.train")

HERE = Path(__file__)
FINDER = "hexapod-finder/finder.onnx"
_NONE = 0.4
"""How often a picture gives a view of some place where no such thing is, besides what the finder mistakes."""


class Pose(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def block(i: int, o: int, stride: int = 1) -> nn.Sequential:
            return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

        self.body = nn.Sequential(
            *(block(4, 16, 2), block(16, 32, 2), block(32, 32), block(32, 48, 2), block(48, 48)),
            *(block(48, 64, 2), block(64, 64), nn.Flatten()),
        )
        side = PATCH // 16
        self.head = nn.Sequential(nn.Linear(64 * side * side, 160), nn.ReLU(inplace=True), nn.Linear(160, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        answers: torch.Tensor = self.head(self.body(x))
        return answers


def astray(corners: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A quad as a finder that errs would give it."""
    amount = float(rng.choice([1.0, 0.4, 0.12]))
    angle = rng.uniform(-np.pi / 4, np.pi / 4) if amount == 1.0 else rng.normal(0, 0.12) * amount
    size = np.exp(np.clip(rng.normal(0, 0.16), -0.35, 0.35) * amount)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * size
    stretch = np.eye(2) + rng.normal(0, 0.06, (2, 2)) * amount
    inside = UNIT @ (turn @ stretch).T + np.clip(rng.normal(0, 0.14, 2), -0.35, 0.35) * amount
    inside = inside / (1 + inside @ (rng.normal(0, 0.05, 2) * amount))[:, None]
    return through(homography(corners), inside + rng.normal(0, 0.01, (4, 2)))


def elsewhere(size: tuple[int, int], quads: np.ndarray, others: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A square somewhere that is none of the quads, at times one of the other sort or a piece of it."""
    for _ in range(50):
        if len(others) and rng.random() < 0.4:
            other = others[int(rng.integers(len(others)))].astype(np.float64)
            quad = through(homography(other), UNIT * rng.uniform(0.3, 1.2) + rng.uniform(-0.6, 0.6, 2))
        else:
            half = float(np.exp(rng.uniform(np.log(12), np.log(110))))
            angle = rng.uniform(0, np.pi / 2)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            quad = UNIT @ turn.T * half + rng.uniform([0, 0], size)
        sides = [np.linalg.norm(q[1] - q[0]) for q in quads]
        apart = [np.linalg.norm(quad.mean(0) - q.mean(0)) for q in quads]
        if all(a > 0.7 * s for a, s in zip(apart, sides, strict=True)):
            return quad
    return UNIT * 20.0 + np.array(size, float)


def strangers(data: list[Any], is_second: bool) -> list[dict[bool, list[np.ndarray]]]:
    """For each picture what is found on it as a case (True) or a card and is none, and what it is refined to."""
    net, pose = (cv2.dnn.readNetFromONNX(str(HERE.parent.parent / name)) for name in (FINDER, "hexapod-pose/pose.onnx"))
    found: list[dict[bool, list[np.ndarray]]] = []
    for image, boards, cards in data:
        pyramid = Pyramid.of(image, 3)
        finds = at_scale(net, pyramid, 1.0, 0.1)
        ways = {}
        for is_case, quads, true in ((True, finds.cases, boards), (False, finds.cards, cards)):
            seen = [*quads, *(refined(pose, pyramid, quads, is_case=is_case) if is_second else ())]
            ways[is_case] = [
                q.corners.astype(np.float64) for q in seen if not any(_is_same(q.corners, t) for t in true)
            ]
        found.append(ways)
    print(
        "strangers:", sum(len(w[True]) for w in found), "cases", sum(len(w[False]) for w in found), "cards", flush=True
    )
    return found


def _is_same(quad: np.ndarray, true: np.ndarray) -> bool:
    apart = np.linalg.norm(quad.mean(0) - true.mean(0)) / side_px(true)
    return bool(apart < 0.4 and 0.6 < side_px(quad) / side_px(true) < 1.6)


def batch(data: list[Any], odd: list[Any], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows: list[tuple[np.ndarray, np.ndarray, float]] = []
    while len(rows) < size:
        index = int(rng.integers(len(data)))
        image, boards, cards = data[index]
        if rng.random() < 0.15:
            image = image[..., rng.permutation(3)]
        pyramid = Pyramid.of(np.ascontiguousarray(image), 3)
        for is_case, quads, others in ((True, boards, cards), (False, cards, boards)):
            whole = [q for q in quads if (q > -2).all() and (q < np.array(image.shape[1::-1]) + 1).all()]
            for quad in whole:
                true = np.roll(quad, -int(rng.integers(4)), axis=0).astype(np.float64)
                begun = astray(true, rng)
                rows.append((_view(pyramid, begun, is_case, rng), code_in(begun, true), 1.0))
            for stranger in rng.permutation(len(odd[index][is_case]))[:2]:
                begun = odd[index][is_case][int(stranger)]
                begun = astray(begun, rng) if rng.random() < 0.6 else begun
                rows.append((_view(pyramid, begun, is_case, rng), np.zeros(9, np.float32), 0.0))
            if rng.random() < _NONE:
                none = elsewhere((image.shape[1], image.shape[0]), quads, others, rng)
                rows.append((_view(pyramid, none, is_case, rng), np.zeros(9, np.float32), 0.0))
    views, codes, there = zip(*rows[:size], strict=True)
    return torch.from_numpy(np.stack(views)), torch.from_numpy(np.stack(codes)), torch.tensor(there)


def _view(pyramid: Pyramid, corners: np.ndarray, is_case: bool, rng: np.random.Generator) -> np.ndarray:
    view = planes(patch(pyramid, corners), is_case=is_case)
    view[:3] = view[:3] * np.float32(rng.uniform(0.85, 1.1)) + np.float32(rng.normal(0, 0.03))
    return view


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=800)
    ap.add_argument("--steps", type=int, default=4000)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    a = ap.parse_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(3)
    data = finder.loaded(a.cache, a.pictures)
    odd = strangers(data, a.resume is not None)
    net = Pose()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.1)
    begun, seen = time.process_time(), np.zeros(2)
    for step in range(1, a.steps + 1):
        views, codes, there = batch(data, odd, rng, a.batch)
        out = net(views)
        off = nn.functional.smooth_l1_loss(out[:, :9], codes, reduction="none", beta=0.1).mean(1)
        pose = (off * there).sum() / there.sum().clamp(min=1)
        sure = nn.functional.binary_cross_entropy_with_logits(out[:, 9], there)
        optimiser.zero_grad()
        torch.autograd.backward(pose + 0.2 * sure)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        seen += [float(pose.detach()), float(sure.detach())]
        if step % 200 == 0:
            told, took = np.round(seen / 200, 4), time.process_time() - begun
            print(f"step {step} pose, there: {told} {took:.0f} s", flush=True)
            seen[:] = 0
        if step % 1000 == 0 or step == a.steps:
            torch.save(net.state_dict(), a.cache / "hexapod-pose.pt")
            free = {"views": {0: "n"}, "quads": {0: "n"}}
            export(net, HERE.with_name("pose.onnx"), torch.zeros(1, 4, PATCH, PATCH), free)


if __name__ == "__main__":
    main()
