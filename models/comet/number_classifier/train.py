"""Trains the reader of single numbers of a taught Comet printing.

    python -m models.comet.number_classifier.train --cache DIR --faces typefaces.npz --steps 5000

Views are drawn as it goes, see `views`.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from companion.games.comet.vision.places import VIEW_HIGH, VIEW_WIDE, normalised
from models.comet.number_classifier.views import NONE, UPSIDE_DOWN, draw_view
from models.export import export, store_half
from models.networks import block
from models.trainer import Losses, Trainer, parser
from models.typefaces import kept

EMBEDDED = 64


class NumberClassifier(nn.Module):
    """Of views (N, 3, VIEW_HIGH, VIEW_WIDE): numbers and none, the logit of upright, the embedding (N, 14 + 65)."""

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

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        embedded = self.embed(self.body(x))
        seen = torch.relu(embedded)
        return torch.cat([self.number(seen), self.up(seen), embedded], 1)


def main() -> None:
    options = parser(__doc__, steps=5000, rate=4e-3, batch=128)
    options.add_argument("--faces", type=Path, required=True, help="numerals drawn by models/typefaces.py")
    a = options.parse_args()
    faces = kept(a.faces)
    trainer = Trainer(NumberClassifier(), a, weight_decay=1e-3, average=0.995, warm_up=0.1)

    def batch(count: int, rng: np.random.Generator, kind: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        views, labels, upright = zip(*(draw_view(rng, faces[kind]) for _ in range(count)), strict=True)
        seen = torch.from_numpy(normalised(np.array(views)))
        return seen, torch.tensor(labels), torch.tensor(upright, dtype=torch.float32)

    held_out = batch(3000, np.random.default_rng(7_000_000), "held-out")

    def losses() -> Losses:
        views, labels, upright = trainer.move(*batch(a.batch, trainer.rng, "train"))
        out = trainer.forward(views)
        number = nn.functional.cross_entropy(out[:, : NONE + 1], labels, ignore_index=UPSIDE_DOWN, label_smoothing=0.01)
        shown = labels != NONE
        up = nn.functional.binary_cross_entropy_with_logits(out[shown, NONE + 1], upright[shown])
        return {"number": number, "up": 0.4 * up}

    def report() -> str:
        views, labels, upright = held_out
        out = torch.from_numpy(trainer.predict(views))
        known = labels != UPSIDE_DOWN
        p = out[known, : NONE + 1].softmax(1)
        right, sure = p.argmax(1) == labels[known], p.max(1).values > 0.9
        up = ((out[:, NONE + 1] > 0) == (upright > 0))[labels != NONE]
        return (
            f"right {right.float().mean():.4f} sure and right {(right & sure).float().mean():.4f} "
            f"sure and wrong {(~right & sure).float().mean():.4f} way up {up.float().mean():.4f}"
        )

    trainer.fit(losses, write, report)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    view = (3, VIEW_HIGH, VIEW_WIDE)
    export(net, path, ("views", ("n", *view)), ("answers", ("n", NONE + 2 + EMBEDDED)), (6, *view))
    store_half(path)


if __name__ == "__main__":
    main()
