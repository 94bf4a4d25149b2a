"""Trains the reader of single numbers of a taught Comet printing.

    python -m models.comet.number_classifier.train --cache DIR --faces typefaces.npz --sheets 200

Views are drawn once, see `views`.
"""

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from companion.games.comet.vision.places import VIEW_HIGH, VIEW_WIDE, normalised
from models.comet.number_classifier.views import NONE, UNKNOWN, draw_view
from models.dataset import Column, Shuffled, cached
from models.export import export, store_half
from models.networks import block
from models.trainer import Losses, Trainer, parser
from models.typefaces import kept

EMBEDDED, POSE = 64, 4
SHEET = 3000
COLUMNS = ("views", "labels", "upright", "poses")


class NumberClassifier(nn.Module):
    """Of views (N, 3, VIEW_HIGH, VIEW_WIDE): numbers and none, the logit of upright, the embedding, the numeral's pose
    (N, 14 + 65 + 4).
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2), block(16, 32), block(32, 48, 2), block(48, 48), block(48, 48, 2), nn.Flatten()
        )
        self.embed = nn.Sequential(
            nn.Linear(48 * VIEW_HIGH * VIEW_WIDE // 64, EMBEDDED, bias=False), nn.BatchNorm1d(EMBEDDED)
        )
        self.number = nn.Linear(EMBEDDED, NONE + 1)
        self.up = nn.Linear(EMBEDDED, 1)
        self.pose = nn.Sequential(
            nn.Linear(48 * VIEW_HIGH * VIEW_WIDE // 64, 48), nn.ReLU(inplace=True), nn.Linear(48, POSE)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = self.body(x)
        embedded = self.embed(maps)
        seen = torch.relu(embedded)
        return torch.cat([self.number(seen), self.up(seen), embedded, self.pose(maps)], 1)


def draw(seed: int, faces: Path, kind: str = "train") -> Sequence[Column]:
    """A sheet of views, in the order of `COLUMNS`."""
    rng, some = np.random.default_rng(seed), kept(faces)[kind]
    views = [draw_view(rng, some) for _ in range(SHEET)]
    return (
        np.array([view.pixels for view in views]),
        np.array([view.label for view in views]),
        np.array([view.is_upright for view in views], np.float32),
        np.array([view.pose for view in views]),
    )


def main() -> None:
    options = parser(__doc__, steps=10000, rate=4e-3, batch=128)
    options.add_argument("--faces", type=Path, required=True, help="numerals drawn by models/typefaces.py")
    options.add_argument("--sheets", type=int, default=200, help=f"of {SHEET} views to draw")
    a = options.parse_args()
    trainer = Trainer(NumberClassifier(), a, weight_decay=1e-3, average=0.995, warm_up=0.1)

    drawn = cached(
        a.cache, "numbers", COLUMNS, functools.partial(draw, faces=a.faces), range(7_100_000, 7_100_000 + a.sheets)
    )
    held_out = draw(7_000_000, a.faces, "held-out")
    batches = Shuffled(len(drawn["views"]), a.batch, trainer.rng)

    def losses() -> Losses:
        picked = batches.next()
        views, labels, upright, poses = (torch.from_numpy(drawn[column][picked]) for column in COLUMNS)
        labels, upright, poses = trainer.move(labels, upright, poses)
        out = trainer.forward(torch.from_numpy(normalised(views.numpy())))
        number = nn.functional.cross_entropy(out[:, : NONE + 1], labels, ignore_index=UNKNOWN, label_smoothing=0.01)
        shown = labels != NONE
        up = nn.functional.binary_cross_entropy_with_logits(out[shown, NONE + 1], upright[shown])
        pose = nn.functional.smooth_l1_loss(out[shown, -POSE:], poses[shown], beta=0.1)
        return {"number": number, "up": 0.4 * up, "pose": 4 * pose}

    def report() -> str:
        views, labels, upright, poses = (torch.from_numpy(column) for column in held_out)
        out = torch.from_numpy(trainer.predict(torch.from_numpy(normalised(views.numpy()))))
        known = labels != UNKNOWN
        p = out[known, : NONE + 1].softmax(1)
        right, sure = p.argmax(1) == labels[known], p.max(1).values > 0.9
        up = ((out[:, NONE + 1] > 0) == (upright > 0))[labels != NONE]
        off = (out[:, -POSE:] - poses)[labels != NONE].abs().mean(0).tolist()
        return (
            f"right {right.float().mean():.4f} sure and right {(right & sure).float().mean():.4f} "
            f"sure and wrong {(~right & sure).float().mean():.4f} way up {up.float().mean():.4f} "
            f"pose off by {off[0]:.3f} {off[1]:.3f} {off[2]:.3f} {off[3]:.3f}"
        )

    trainer.fit(losses, write, report)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    view = (3, VIEW_HIGH, VIEW_WIDE)
    export(net, path, ("views", ("n", *view)), ("answers", ("n", NONE + 2 + EMBEDDED + POSE)), (6, *view))
    store_half(path)


if __name__ == "__main__":
    main()
