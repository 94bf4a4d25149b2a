"""Trains the network that makes finds of Hexapod's cases and cards exact, and tells them from what is none.

    python models/hexapod-insects/draw.py --cache DIR
    python models/hexapod-pose/train.py --cache DIR [--steps 4000]

Learns from the photographs' true quads, each moved, turned, stretched and leant by chance: from as far off as the
finder errs down to almost right; some by a whole cell. Over some views lies a thing. What the finder finds that is none
(backs, mugs, pieces of a pattern) is learnt as such; a second run with --resume takes besides what the first one made
of it. See `companion/vision/hexapod_pose.py`.
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

from companion.vision.hexapod_finder import find
from companion.vision.hexapod_pose import PATCH, SURE, VOTES, code_in, patch, planes, refined, votes_in
from companion.vision.hexapod_quads import UNIT, homography, side_px, through
from companion.vision.pyramid import Pyramid
from models.networks import block
from models.training import averaged, export, quick

draw: Any = import_module("models.hexapod-insects.draw")

HERE = Path(__file__)
FINDER = "hexapod-finder/finder.onnx"
SEARCHED = 600
"""On so many pictures it is asked what the finder mistakes."""
_NONE = 0.4
"""How often a picture gives a view of some place where no such thing is, besides what the finder mistakes."""


class Pose(nn.Module):
    """A trunk, one answer for the whole view, and votes from a map of 12 x 12 that knows the whole view."""

    def __init__(self) -> None:
        super().__init__()
        self.s8 = nn.Sequential(
            *(block(4, 16, 2), block(16, 16), block(16, 32, 2), block(32, 32)),
            *(block(32, 64, 2), block(64, 64), block(64, 64)),
        )
        self.s16 = nn.Sequential(block(64, 96, 2), block(96, 96), block(96, 96))
        side = PATCH // 16
        self.whole = nn.Sequential(
            *(block(96, 48, k=1), nn.Flatten(), nn.Linear(48 * side * side, 160)),
            *(nn.ReLU(inplace=True), nn.Linear(160, SURE + 1)),
        )
        self.up = nn.Sequential(block(96, 64, k=1), nn.Upsample(scale_factor=2.0, mode="nearest"))
        self.places = nn.Sequential(block(64, 64), nn.Conv2d(64, 3, 1), nn.Flatten())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        near = self.s8(x)
        far = self.s16(near)
        answers: torch.Tensor = torch.cat([self.whole(far), self.places(near + self.up(far))], 1)
        return answers


def astray(corners: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A quad as a finder that errs would give it: in each of turn and place, size and stretch, and lean by itself."""
    placing, stretching, leaning = (float(rng.choice([1.0, 0.5, 0.2, 0.07], p=[0.3, 0.25, 0.25, 0.2])) for _ in "psl")
    angle = rng.uniform(-np.pi / 4, np.pi / 4) if placing == 1.0 else rng.normal(0, 0.15) * placing
    size = np.exp(np.clip(rng.normal(0, 0.16), -0.35, 0.35) * stretching)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * size
    stretch = np.eye(2) + rng.normal(0, 0.08, (2, 2)) * stretching
    away = np.clip(rng.normal(0, 0.16, 2), -0.4, 0.4) * placing
    if placing < 0.5 and rng.random() < 0.15:
        away = away + 0.4 * rng.permutation([float(rng.choice([-1, 1])), 0.0])
    inside = UNIT @ (turn @ stretch).T + away
    inside = inside / (1 + inside @ np.clip(rng.normal(0, 0.1 * leaning, 2), -0.25, 0.25))[:, None]
    return through(homography(corners), inside + rng.normal(0, 0.01, (4, 2)))


def covered(view: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The view with a thing over it: an arm or a pen from beyond its edge, a mug, a piece of paper."""
    out, colour = view.copy(), tuple(int(v) for v in rng.integers(0, 256, 3))
    at, way = rng.uniform(0.1, 0.9, 2) * PATCH, rng.uniform(0, 2 * np.pi)
    wide = float(np.exp(rng.uniform(np.log(3), np.log(28))))
    if rng.random() < 0.5:
        end = at + 2 * PATCH * np.array([np.cos(way), np.sin(way)])
        cv2.line(out, _pixel(at), _pixel(end), colour, max(1, round(wide)), cv2.LINE_AA)
    elif rng.random() < 0.5:
        cv2.circle(out, _pixel(at), round(wide), colour, -1 if rng.random() < 0.6 else 3, cv2.LINE_AA)
    else:
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (wide, 1.6 * wide), float(np.degrees(way))))
        cv2.fillConvexPoly(out, np.round(box).astype(np.int32), colour, cv2.LINE_AA)
    return cv2.addWeighted(out, 0.9, view, 0.1, 0) if rng.random() < 0.3 else out


def _pixel(point: np.ndarray) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


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
    for image, boards, cards in data[:SEARCHED]:
        pyramid = Pyramid.of(image)
        finds = find(net, pyramid, 0.1)
        ways = {}
        for is_case, quads, true in ((True, finds.cases, boards), (False, finds.cards, cards)):
            seen = [*quads, *(refined(pose, pyramid, quads, is_case=is_case) if is_second else ())]
            ways[is_case] = [
                q.corners.astype(np.float64) for q in seen if not any(_is_same(q.corners, t) for t in true)
            ]
        found.append(ways)
    cases, others = (sum(len(ways[is_case]) for ways in found) for is_case in (True, False))
    print("strangers:", cases, "cases", others, "cards", flush=True)
    return found + [{True: [], False: []}] * (len(data) - len(found))


def _is_same(quad: np.ndarray, true: np.ndarray) -> bool:
    apart = np.linalg.norm(quad.mean(0) - true.mean(0)) / side_px(true)
    return bool(apart < 0.4 and 0.6 < side_px(quad) / side_px(true) < 1.6)


Row = tuple[np.ndarray, np.ndarray, np.ndarray, float]
"""A view, the code of the true quad in it, what its places vote for, and whether there is one."""
_NO_CODE = np.zeros(SURE, np.float32)
_NO_VOTES = np.full((2, VOTES, VOTES), np.nan, np.float32)


def batch(data: list[Any], odd: list[Any], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows: list[Row] = []
    while len(rows) < size:
        index = int(rng.integers(len(data)))
        image, boards, cards = data[index]
        if rng.random() < 0.15:
            image = image[..., rng.permutation(3)]
        pyramid = Pyramid.of(np.ascontiguousarray(image))
        for is_case, quads, others in ((True, boards, cards), (False, cards, boards)):
            whole = [q for q in quads if (q > -2).all() and (q < np.array(image.shape[1::-1]) + 1).all()]
            for quad in whole:
                for _ in range(2 if is_case else 1):
                    true = np.roll(quad, -int(rng.integers(4)), axis=0).astype(np.float64)
                    begun = astray(true, rng)
                    view = _view(pyramid, begun, is_case, rng)
                    rows.append((view, code_in(begun, true), votes_in(begun, true), 1.0))
            for stranger in rng.permutation(len(odd[index][is_case]))[:2]:
                begun = odd[index][is_case][int(stranger)]
                begun = astray(begun, rng) if rng.random() < 0.6 else begun
                rows.append((_view(pyramid, begun, is_case, rng), _NO_CODE, _NO_VOTES, 0.0))
            if rng.random() < _NONE:
                none = elsewhere((image.shape[1], image.shape[0]), quads, others, rng)
                rows.append((_view(pyramid, none, is_case, rng), _NO_CODE, _NO_VOTES, 0.0))
    views, codes, votes, there = zip(*rows[:size], strict=True)
    return *(torch.from_numpy(np.stack(column)) for column in (views, codes, votes)), torch.tensor(there)


def _view(pyramid: Pyramid, corners: np.ndarray, is_case: bool, rng: np.random.Generator) -> np.ndarray:
    seen = patch(pyramid, corners)
    view = planes(covered(seen, rng) if rng.random() < 0.25 else seen, is_case=is_case)
    view[:3] = view[:3] * np.float32(rng.uniform(0.8, 1.15)) + np.float32(rng.normal(0, 0.03))
    return view


def losses(
    out: torch.Tensor, codes: torch.Tensor, votes: torch.Tensor, there: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Loss of the whole's code, of the votes (each weighs its own error: Laplace's law), and of being there."""
    off = nn.functional.smooth_l1_loss(out[:, :SURE], codes, reduction="none", beta=0.1).mean(1)
    pose = (off * there).sum() / there.sum().clamp(min=1)
    said = out[:, SURE + 1 :].reshape(-1, 3, VOTES, VOTES)
    is_asked = votes.isfinite().all(1)
    error = nn.functional.smooth_l1_loss(said[:, :2], votes.nan_to_num(), reduction="none", beta=0.03).sum(1)
    sharp = said[:, 2].clamp(-6, 6)
    law = (error * sharp.exp() - sharp)[is_asked].mean()
    return pose, law, nn.functional.binary_cross_entropy_with_logits(out[:, SURE], there)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=800)
    ap.add_argument("--steps", type=int, default=4000)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--out", type=Path, default=HERE.with_name("pose.onnx"))
    a = ap.parse_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(3)
    data = draw.pictures(a.cache, a.pictures)
    odd = strangers(data, a.resume is not None)
    net = Pose()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    mean = averaged(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.1)
    begun, seen = time.process_time(), np.zeros(3)
    for step in range(1, a.steps + 1):
        views, *wanted = batch(data, odd, rng, a.batch)
        with quick():
            out = net(views)
        pose, law, sure = losses(out.float(), *wanted)
        optimiser.zero_grad()
        torch.autograd.backward(pose + 0.15 * law + 0.2 * sure)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        seen += [float(pose.detach()), float(law.detach()), float(sure.detach())]
        if step % 100 == 0:
            told, took = np.round(seen / 100, 4), time.process_time() - begun
            print(f"step {step} pose, votes, there: {told} {took:.0f} s", flush=True)
            seen[:] = 0
        if step % 1000 == 0 or step == a.steps:
            torch.save(mean.module.state_dict(), a.cache / "hexapod-pose.pt")
            free = {"views": {0: "n"}, "quads": {0: "n"}}
            export(mean.module, a.out, torch.zeros(1, 4, PATCH, PATCH), free)


if __name__ == "__main__":
    main()
