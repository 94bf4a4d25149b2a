"""Trains the tile reader: what joins the six edges of a tile, whose head or star it is, and whether it is a tile.

    python -m models.hexdragon.tile_classifier.draw --cache DIR
    python -m models.hexdragon.tile_classifier.train --cache DIR [--more DIR ...]

Learns from the views of `views`, as `companion.games.hexdragon.vision.classifier` cuts them.
"""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.hexdragon.vision.classifier import KINDS, OWNERS, VIEW
from models.dataset import Shuffled
from models.export import export
from models.hexdragon.tile_classifier import veils
from models.hexdragon.tile_classifier.views import HIDDEN, dataset
from models.networks import block
from models.trainer import Losses, Trainer, parser

BATCH = 128


class TileClassifier(nn.Module):
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


class Augmentation:
    """Draws views anew for every pass: mirrored, in other light or inks, noisy, partly under something."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.grain = rng.standard_normal(BATCH * VIEW * VIEW * 3 + 100_000, dtype=np.float32)

    def __call__(self, x: NDArray[np.uint8], y: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Views (N, VIEW, VIEW, 3) uint8 and labels (N, 8) as the network meets them; at most `BATCH`."""
        rng, out, labels = self.rng, x.astype(np.float32) * np.float32(1 / 200), y.copy()
        flip = np.flatnonzero(rng.random(len(out)) < 0.5)
        out[flip] = out[flip][:, ::-1]
        mirrored = labels[flip][:, [0, 5, 4, 3, 2, 1]]
        labels[flip, :6] = np.where((mirrored >= 0) & (mirrored < 5), 4 - mirrored, mirrored)
        shown = (x[..., 0] | x[..., 1] | x[..., 2]) > 0
        shown[flip] = shown[flip][:, ::-1]
        for i in np.flatnonzero(rng.random(len(out)) < 0.15):
            self._dyed(out[i])
            labels[i, 6] = -1
        for i in np.flatnonzero(rng.random(len(out)) < 0.1):
            veils.dazzled(out[i], shown[i], rng)
        for i in np.flatnonzero((rng.random(len(out)) < 0.3) & (labels[:, 7] < 2)):
            veils.veiled(out[i], shown[i], labels[i], HIDDEN, rng)
        gain = np.exp(rng.normal(0, 0.08, (len(out), 1)) + rng.normal(0, 0.03, (len(out), 3))).astype(np.float32)
        out *= gain[:, None, None]
        begin = int(rng.integers(100_000))
        grain = self.grain[begin : begin + out.size].reshape(out.shape)
        out += grain * rng.uniform(0, 0.05, (len(out), 1, 1, 1)).astype(np.float32)
        np.clip(out, 0, 1.25, out=out)
        return out * shown[..., None] - np.float32(0.5), labels

    def _dyed(self, view: NDArray[np.float32]) -> None:
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


def shares(out: NDArray[np.float32], y: NDArray[np.int64]) -> str:
    """How much is right of what is asked, of outputs (N, 49) for views with labels (N, 8)."""
    ends = out[:, :42].reshape(-1, 6, 7).argmax(-1)
    asked = (y[:, :6] >= 0) & (y[:, :6] < HIDDEN)
    whole = ((ends == y[:, :6]) | ~asked).all(1)[y[:, 7] == 0].mean()
    owned = y[:, 6] >= 0
    owner = (out[owned, 42:46].argmax(-1) == y[owned, 6]).mean()
    kind = (out[:, 46:].argmax(-1) == y[:, 7]).mean()
    return f"edges {(ends == y[:, :6])[asked].mean():.5f} tiles {whole:.5f} owner {owner:.5f} kind {kind:.5f}"


def tensor(views: NDArray[np.float32]) -> torch.Tensor:
    """Views (N, VIEW, VIEW, 3) as the network takes them."""
    return torch.from_numpy(np.ascontiguousarray(views.transpose(0, 3, 1, 2)))


def main() -> None:
    options = parser(__doc__, steps=12_000, rate=3e-3)
    options.add_argument("--more", type=Path, nargs="*", default=[], help="further folders of drawn pictures")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--stars", type=int, default=8000)
    a = options.parse_args()
    trainer = Trainer(TileClassifier(), a, weight_decay=1e-3, average=0.998, warm_up=0.05)
    x, y, measured = dataset([a.cache, *a.more], a.repeats, a.stars)
    vx, vy, x, y = x[measured], y[measured], x[~measured], y[~measured]
    print(len(x), "views", np.bincount(y[:, 7]), len(vx), "held out", flush=True)
    augmentation, batches = Augmentation(trainer.rng), Shuffled(len(x), BATCH, trainer.rng)
    trainer.start_from(tensor(augmentation(x[:BATCH], y[:BATCH])[0]))

    def losses() -> Losses:
        picked = batches.next()
        views, labels = augmentation(x[picked], y[picked])
        (wanted,) = trainer.move(torch.from_numpy(labels))
        return {"tile": loss_of(trainer.forward(tensor(views)), wanted)}

    def report() -> str:
        return shares(trainer.predict(tensor(vx.astype(np.float32) / np.float32(200) - np.float32(0.5))), vy)

    trainer.fit(losses, write, report, save_every=800)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export(net, path, ("views", ("n", 3, VIEW, VIEW)), ("answers", ("n", 49)), (2, 3, VIEW, VIEW))


if __name__ == "__main__":
    main()
