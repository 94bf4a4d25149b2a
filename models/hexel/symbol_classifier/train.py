"""Trains the symbol reader: which symbol a patch shows.

    python -m models.hexel.symbol_classifier.train --cache DIR [--pictures 1600]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 2,000,000 up), cuts patches as
`companion.games.hexel.vision.classifier` does, with the corners a little off as the detector's are.
"""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.hexel.vision.classifier import CLASSES, PATCH, cut_patches
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import softmax
from models.dataset import Shuffled, cached
from models.drawing.hexel.photograph import photograph
from models.export import export
from models.networks import block
from models.refinement import rotation
from models.trainer import Losses, Trainer, parser

LABEL = {
    ("36", "red"): 0,
    ("36", "blue"): 1,
    ("36", "void"): 2,
    ("46", "red"): 0,
    ("46", "blue"): 3,
    ("46", "yellow"): 4,
}
OTHER = len(CLASSES) - 1
REPEATS = 3


class SymbolClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(block(3, 12), block(12, 24, 2), block(24, 24), block(24, 32, 2), block(32, 32))
        self.embed = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * (PATCH // 4) ** 2, 48), nn.ReLU(inplace=True)
        )
        self.name = nn.Linear(48, len(CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.name(self.embed(self.body(x)))
        return logits


def jittered(corners: NDArray[np.floating], rng: np.random.Generator, amount: float) -> NDArray[np.float64]:
    """A card's corners as a finder might give them: moved, turned, scaled, squeezed a little; begun at any corner."""
    centre, affine = HEXAGON.pose_of(corners)
    a = rng.normal(0, 0.025 * amount)
    warp = rotation(a) @ (np.eye(2) * np.exp(rng.normal(0, 0.025 * amount)) + rng.normal(0, 0.012 * amount, (2, 2)))
    size = float(np.sqrt(abs(np.linalg.det(affine))))
    off = rng.normal(0, 0.02 * amount, 2) * size + rng.normal(0, 0.35 * amount, 2)
    return np.asarray(centre + off + HEXAGON.unit @ (affine @ warp).T)


def draw(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Patches (M, PATCH, PATCH, 3) uint8 (colour times 200) and their labels (M,) from one photograph."""
    rng = np.random.default_rng(seed)
    edition = str(rng.choice(["36", "46"]))
    across = float(np.exp(rng.uniform(np.log(40), np.log(280))))
    picture = photograph(rng, edition=edition, size=(800, 608), printing="reference", across_px=across)
    pyramid = Pyramid.of(picture.bgr)
    corners, labels = [], []
    for card in picture.truth["cards"] + picture.truth["loose"]:
        if card.get("cut") or card["covered"] > 0.6:
            continue
        quad = np.array(card["corners"])
        for _ in range(REPEATS):
            corners.append(jittered(quad, rng, 1.0))
            labels.append(
                [
                    LABEL[edition, e] if h < 0.35 else (OTHER if h > 0.75 else -1)
                    for e, h in zip(card["edges"], card["hidden"], strict=True)
                ]
            )
    for _ in range(3):  # the bare table and what lies on it
        at = rng.uniform(0, 1, 2) * [800, 608]
        truth = np.array([c["corners"] for c in picture.truth["cards"] + picture.truth["loose"]]).reshape(-1, 6, 2)
        size = float(rng.uniform(25, 120))
        if np.linalg.norm(truth.mean(1) - at, axis=1).min() > 1.3 * size + np.ptp(truth[0], axis=0).max() * 0.6:
            corners.append(at + HEXAGON.unit * size)
            labels.append([OTHER] * 6)
    if not corners:
        return np.zeros((0, PATCH, PATCH, 3), np.uint8), np.zeros(0, np.int64)
    patches = cut_patches(pyramid, np.array(corners))
    flat, names = patches.reshape(-1, PATCH, PATCH, 3), np.array(labels).reshape(-1)
    keep = names >= 0
    return np.round(flat[keep] * 200).astype(np.uint8), names[keep]


def augmented(x: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.float32]:
    """Mirrored along the edge, a little brighter or tinted, noisier."""
    out = x.astype(np.float32) / 200
    flip = rng.random(len(out)) < 0.5
    out[flip] = out[flip][:, :, ::-1]
    out *= np.exp(rng.normal(0, 0.05, (len(out), 1, 1, 1)) + rng.normal(0, 0.03, (len(out), 1, 1, 3))).astype(
        np.float32
    )
    out += rng.standard_normal(out.shape, dtype=np.float32) * rng.uniform(0, 0.05, (len(out), 1, 1, 1)).astype(
        np.float32
    )
    return np.asarray(np.clip(out, 0, 1.25) - 0.5, np.float32)


def tensor(x: NDArray[np.float32]) -> torch.Tensor:
    """Patches (N, PATCH, PATCH, 3) as the network takes them."""
    return torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))


def main() -> None:
    options = parser(__doc__, steps=2600, rate=3e-3, batch=256)
    options.add_argument("--pictures", type=int, default=1600)
    options.add_argument("--held-out", type=int, default=120, help="pictures to measure by")
    options.add_argument("--patches", type=int, default=110_000, help="how many of the drawn patches to learn from")
    a = options.parse_args()
    trainer = Trainer(SymbolClassifier(), a, weight_decay=1e-3)
    x, y = cached(a.cache, "symbols", ("x", "y"), draw, range(2_000_000, 2_000_000 + a.pictures)).values()
    some = trainer.rng.permutation(len(x))[: a.patches]
    x, y = x[some], y[some]
    vx, vy = cached(a.cache, "symbols", ("x", "y"), draw, range(2_900_000, 2_900_000 + a.held_out)).values()
    print(len(x), "patches", np.bincount(y), flush=True)
    trainer.start_from(tensor(augmented(x[: a.batch], trainer.rng)))
    batches = Shuffled(len(x), a.batch, trainer.rng)

    def losses() -> Losses:
        picked = batches.next()
        (wanted,) = trainer.move(torch.from_numpy(y[picked]))
        logits = trainer.forward(tensor(augmented(x[picked], trainer.rng)))
        return {"symbol": nn.functional.cross_entropy(logits, wanted, label_smoothing=0.01)}

    def report() -> str:
        p = softmax(trainer.predict(tensor(vx.astype(np.float32) / np.float32(200) - np.float32(0.5))))
        right, confident = p.argmax(1) == vy, p.max(1) > 0.9
        wrong = (~right)[confident].mean()
        return f"right {right.mean():.5f} confident {confident.mean():.4f} wrong among confident {wrong:.6f}"

    trainer.fit(losses, write, report)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    inputs, outputs = ("patches", ("n", 3, PATCH, PATCH)), ("logits", ("n", len(CLASSES)))
    export(net, path, inputs, outputs, (6, 3, PATCH, PATCH))


if __name__ == "__main__":
    main()
