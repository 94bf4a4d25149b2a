"""Trains the network that makes finds of Hexapod's cases and cards exact, and tells them from what is none.

    PYTHONPATH=. python models/hexapod/keypoints/draw.py --cache DIR
    PYTHONPATH=. python models/hexapod/keypoints/train.py --cache DIR [--steps 6000] [--resume POSE.pt]

Learns from true quads gone astray and from what the finder takes for one, see `looks.py`; how the reader asks it stands
in `companion/vision/hexapod_pose.py`.
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

from companion.games.hexapod.vision.keypoint_voting import PATCH, SURE, VOTES
from models.networks import block
from models.training import averaged, export, quick

draw: Any = import_module("models.hexapod.keypoints.draw")
looks: Any = import_module("models.hexapod.keypoints.looks")

HERE = Path(__file__)
FINDER = HERE.parent.parent / "hexapod-finder" / "finder.onnx"


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
    ap.add_argument("--pictures", type=int, default=3000)
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--out", type=Path, default=HERE.with_name("pose.onnx"))
    a = ap.parse_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(3)
    data = list(draw.pictures(a.cache, a.pictures))
    found = looks.found_on(data, cv2.dnn.readNetFromONNX(str(FINDER)))
    net = Pose()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    mean = averaged(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.1)
    begun, seen, again = time.process_time(), np.zeros(3), []
    for step in range(1, a.steps + 1):
        shown = again
        while len(shown) < a.batch:
            shown = shown + looks.first_looks(data, found, rng)
        views, *wanted = looks.views(data, shown[: a.batch], rng)
        with quick():
            out = net(views)
        again = looks.next_looks(data, shown[: a.batch], out.detach().double().numpy(), rng)
        pose, law, sure = losses(out.float(), *wanted)
        optimiser.zero_grad()
        torch.autograd.backward(pose + 0.15 * law + 0.4 * sure)
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
