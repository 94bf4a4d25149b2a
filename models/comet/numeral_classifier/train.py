"""Trains the reader of Comet cards: three numbers, the way up, and whether it is a face, a back or nothing.

    python -m models.comet.numeral_classifier.train --cache DIR --faces typefaces.npz

Learns from the cards cut out of the drawn photographs (`models/comet/drawings.py`) and from closer pictures of few
cards on blurred grounds, which are cheap and bring many more typefaces.
"""

import argparse
import functools
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.comet.vision.classifier import HIGH, OUTPUTS, WIDE, white_balance
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import softmax
from models.comet.drawings import FACE, UNKNOWN, cut_out, drawings, lying, options, typefaces, unseen
from models.dataset import Column, Shuffled, cached
from models.drawing.comet.photograph import comet_photograph
from models.export import export
from models.networks import block
from models.trainer import Losses, Trainer

CLASSES = 14
BATCH = 128
CLOSE_PX = 240
PART = HIGH // 24 * WIDE // 8
"""Places of one section in the maps of the body's last layer. A matrix product of all cards' sections takes a fifth of
the time of a convolution as large as a section."""


class NumeralClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2), block(16, 20), block(20, 36, 2), block(36, 36), block(36, 64, 2), block(64, 64)
        )
        self.section = nn.Sequential(nn.Linear(64 * PART, 128, bias=False), nn.BatchNorm1d(128), nn.ReLU(inplace=True))
        self.numbers = nn.Linear(128, CLASSES)
        self.whole = nn.Sequential(nn.Linear(128 * 3, 96), nn.ReLU(inplace=True), nn.Linear(96, 4))
        self.drop = nn.Dropout(0.15)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.body(x).reshape(-1, 64, 3, PART).transpose(1, 2)
        sections = self.drop(self.section(parts.reshape(-1, 64 * PART)))
        numbers = self.numbers(sections).reshape(-1, 3, CLASSES).transpose(1, 2)
        return torch.cat([numbers.reshape(-1, CLASSES * 3), self.whole(sections.reshape(-1, 128 * 3))], 1)


def close(seed: int, faces: Path, is_turned: bool = False) -> Sequence[Column]:
    """Cards cut out of one close picture of few cards, maybe read lying on their side, and their labels."""
    rng = np.random.default_rng(seed)
    ground = rng.uniform(0, 255, (int(rng.integers(2, 6)), 3, 3)).astype(np.float32)
    cloth = cv2.resize(ground, (CLOSE_PX, CLOSE_PX), interpolation=cv2.INTER_CUBIC)
    picture = comet_photograph(
        rng,
        size=(CLOSE_PX, CLOSE_PX),
        printing=lying(typefaces(faces), rng) if is_turned else "invented" if rng.random() < 0.6 else "reference",
        typefaces=typefaces(faces),
        ground=np.clip(cloth, 0, 255).astype(np.uint8),
        count=int(rng.integers(1, 4)),
        across_px=float(np.exp(rng.uniform(np.log(38), np.log(110)))),
    )
    whole = [c for c in picture.truth["cards"] if not c.get("cut") and c["covered"] < 0.6]
    return cut_out(Pyramid.of(picture.bgr), whole, rng, nothings=0)


def augmented(
    patches: NDArray[np.uint8], labels: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Patches as the network sees them, many upside down; labels (N, 5), the last one 1 for the right way up."""
    out, labels = patches.astype(np.float32), labels.copy()
    for i in np.flatnonzero(rng.random(len(out)) < 0.12):
        out[i], labels[i] = _covered(out[i], labels[i], rng)
    for i in np.flatnonzero(rng.random(len(out)) < 0.35):
        out[i] = _blurred(out[i], rng)
    shuffled = rng.random(len(out)) < 0.15
    out[shuffled] = out[shuffled][..., rng.permutation(3)]
    grey = rng.random(len(out)) < 0.1
    out[grey] = out[grey].mean(-1, keepdims=True)
    for i in np.flatnonzero(rng.random(len(out)) < 0.2):
        out[i] = _pale(out[i], rng)
    out += rng.standard_normal(out.shape, dtype=np.float32) * rng.uniform(0, 9, (len(out), 1, 1, 1)).astype(np.float32)
    out = white_balance(np.clip(out, 0, 255))
    out *= np.exp(rng.normal(0, 0.05, (len(out), 1, 1, 1))).astype(np.float32)
    up = rng.random(len(out)) < 0.6
    out[~up] = out[~up][:, ::-1, ::-1]
    marked = np.column_stack([labels, up])
    marked[~up & (labels[:, 3] == FACE), :3] = UNKNOWN
    return out, marked


def _pale(patch: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Burnt out, so that little of the print is left, or seen through a veil of light."""
    if rng.random() < 0.5:
        burnt: NDArray[np.float32] = np.minimum(patch * float(rng.uniform(1.1, 1.8)), 255)
        return burnt
    white = np.percentile(patch, 95, axis=(0, 1))
    veiled: NDArray[np.float32] = white + (patch - white) * float(rng.uniform(0.12, 0.6))
    return veiled


def _blurred(patch: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Out of focus, shaken, or seen from afar."""
    kind = rng.integers(4)
    if kind == 0:
        return np.asarray(cv2.GaussianBlur(patch, (0, 0), float(rng.uniform(0.4, 1.8))), np.float32)
    if kind == 1:
        small = cv2.resize(patch, None, fx=(f := float(rng.uniform(0.35, 0.8))), fy=f, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (WIDE, HIGH), interpolation=cv2.INTER_LINEAR), np.float32)
    streaked = cv2.filter2D(patch, -1, _streak(float(rng.uniform(1.5, 7.0)), float(rng.uniform(0, np.pi))))
    if kind == 3:
        streaked = cv2.GaussianBlur(streaked, (0, 0), float(rng.uniform(0.4, 1.2)))
    return np.asarray(streaked, np.float32)


def _streak(length: float, angle: float) -> NDArray[np.float32]:
    """The kernel of a straight motion."""
    n = int(np.ceil(length)) | 1
    kernel, middle = np.zeros((n, n), np.float32), (n - 1) / 2
    reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
    ends = [np.round((middle + way * reach) * 16).astype(int).tolist() for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_8, 4)
    return np.asarray(kernel / max(float(kernel.sum()), 1.0))


def _covered(
    patch: NDArray[np.float32], labels: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Something long or round laid on the card; what it mostly hides is no number, what it hides a little unknown."""
    mask = np.zeros((HIGH, WIDE), np.uint8)
    at = (rng.uniform(-0.1, 1.1, 2) * [WIDE, HIGH]).astype(int).tolist()
    end = (rng.uniform(-0.6, 1.6, 2) * [WIDE, HIGH]).astype(int).tolist() if rng.random() < 0.7 else at
    cv2.line(mask, at, end, 1, int(rng.integers(5, 36)))
    tone = np.array([135, 165, 222]) * rng.uniform(0.35, 1.05) if rng.random() < 0.5 else rng.uniform(10, 245, 3)
    middles = mask.reshape(3, HIGH // 3, WIDE)[:, 6:-6, WIDE // 4 : -WIDE // 4].mean((1, 2))
    visible = labels.copy()
    if visible[3] == FACE:
        visible[:3][(middles > 0.15) & (visible[:3] < CLASSES - 1)] = UNKNOWN
        visible[:3][middles > 0.5] = CLASSES - 1
    return np.where(mask[..., None] > 0, tone.astype(np.float32), patch), visible


def loss_of(out: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    entropy = nn.functional.cross_entropy
    numbers = out[:, : 3 * CLASSES].reshape(-1, CLASSES, 3)
    known = (labels[:, :3] != UNKNOWN).float().sum().clamp(min=1)
    numbers_loss = entropy(numbers, labels[:, :3], ignore_index=UNKNOWN, label_smoothing=0.005, reduction="sum") / known
    kind = entropy(out[:, 3 * CLASSES : 3 * CLASSES + 3], labels[:, 3])
    face = labels[:, 3] == FACE
    upright = nn.functional.binary_cross_entropy_with_logits(out[face, -1], labels[face, 4].float())
    return numbers_loss + 0.5 * kind + 0.5 * upright


def report(trainer: Trainer, patches: NDArray[np.uint8], labels: NDArray[np.int64]) -> str:
    """Accuracy on cards drawn from other seeds."""
    out, back = (
        trainer.predict(tensor(white_balance(seen.astype(np.float32)))) for seen in (patches, patches[:, ::-1, ::-1])
    )
    p = softmax(out[:, : 3 * CLASSES].reshape(-1, CLASSES, 3).transpose(0, 2, 1))
    known = labels[:, :3] != UNKNOWN
    right, confident = (p.argmax(-1) == labels[:, :3])[known], (p.max(-1) > 0.95)[known]
    face = labels[:, 3] == FACE
    kinds = (out[:, 3 * CLASSES : -1].argmax(1) == labels[:, 3]).mean()
    up = (out[face, -1] > back[face, -1]).mean()
    wrong = (~right)[confident].mean()
    return (
        f"numbers {right.mean():.4f} confident {confident.mean():.4f} wrong among confident {wrong:.5f} "
        f"kinds {kinds:.4f} way up {up:.4f}"
    )


def tensor(patches: NDArray[np.float32]) -> torch.Tensor:
    """Patches (N, HIGH, WIDE, 3) as the network takes them."""
    return torch.from_numpy(np.ascontiguousarray(patches.transpose(0, 3, 1, 2)))


def dataset(a: argparse.Namespace, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All cards cut out to learn from, and their labels."""
    near = functools.partial(close, faces=a.faces)
    lie = functools.partial(near, is_turned=True)
    columns = ("patches", "labels")
    parts = [drawings(a.cache, a.faces, a.pictures, a.more, a.hard)]
    parts.append(cached(a.cache, "close", columns, near, range(6_000_000, 6_000_000 + a.close), workers=1))
    if a.turned:
        turned = cached(a.cache, "turned", columns, lie, range(6_100_000, 6_100_000 + a.turned), workers=1)
        parts += 4 * [turned]  # they are few
    x, y = (np.concatenate([part[column] for part in parts]) for column in columns)
    kept = (y[:, 3] == FACE) | (rng.random(len(y)) < 0.5)  # backs are many, and soon known
    return x[kept], y[kept]


def main() -> None:
    found = options(__doc__, steps=3400, rate=3e-3)
    found.add_argument("--close", type=int, default=9000)
    found.add_argument("--turned", type=int, default=0, help="close pictures of cards read lying on their side")
    a = found.parse_args()
    trainer = Trainer(NumeralClassifier(), a, weight_decay=1e-3, average=0.99, warm_up=0.15)
    x, y = dataset(a, trainer.rng)
    print(len(x), "cards", np.bincount(y[:, 3]), flush=True)
    held_out, batches = unseen(a.cache, a.faces, a.held_out), Shuffled(len(x), BATCH, trainer.rng)
    trainer.start_from(tensor(white_balance(x[:BATCH].astype(np.float32))))

    def losses() -> Losses:
        picked = batches.next()
        views, labels = augmented(x[picked], y[picked], trainer.rng)
        (wanted,) = trainer.move(torch.from_numpy(labels))
        return {"card": loss_of(trainer.forward(tensor(views)), wanted)}

    trainer.fit(losses, write, lambda: report(trainer, held_out["patches"], held_out["labels"]))


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export(net, path, ("cards", ("n", 3, HIGH, WIDE)), ("answers", ("n", OUTPUTS)), (6, 3, HIGH, WIDE))


if __name__ == "__main__":
    main()
