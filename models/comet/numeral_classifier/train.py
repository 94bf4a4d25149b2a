"""Trains the reader of Comet cards: three numbers, the way up, and whether it is a face, a back or nothing.

    PYTHONPATH=. python models/comet/numeral_classifier/train.py --cache DIR --faces typefaces.npz [--epochs 8]

Learns from the cards cut out of the drawn photographs (`models/comet/drawings.py`) and from closer pictures of few
cards on blurred grounds, which are cheap and bring many more typefaces. Writes ``numerals.onnx``.
"""

import argparse
import functools
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.comet.vision.classifier import HIGH, OUTPUTS, WIDE, levelled
from companion.vision.image.pyramid import Pyramid
from models.comet.drawings import FACE, UNKNOWN, cut_out, drawings, lying, typefaces, unseen
from models.drawing.comet.photograph import comet_photograph
from models.networks import block
from models.training import averaged, drawn, export, quick

CLASSES = 14
CLOSE_PX = 240
PART = HIGH // 24 * WIDE // 8
"""Places of one section in the maps of the body's last layer. A matrix product of all cards' sections takes a fifth of
the time of a convolution as large as a section."""


class Numerals(nn.Module):
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


def close(seed: int, faces: Path, is_turned: bool = False) -> Sequence[np.ndarray]:
    """Cards cut out of one close picture of few cards, maybe read lying on their side, and their labels."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    ground = rng.uniform(0, 255, (int(rng.integers(2, 6)), 3, 3)).astype(np.float32)
    ground = cv2.resize(ground, (CLOSE_PX, CLOSE_PX), interpolation=cv2.INTER_CUBIC)
    picture = comet_photograph(
        rng,
        size=(CLOSE_PX, CLOSE_PX),
        printing=lying(typefaces(faces), rng) if is_turned else "invented" if rng.random() < 0.6 else "reference",
        typefaces=typefaces(faces),
        ground=np.clip(ground, 0, 255).astype(np.uint8),
        count=int(rng.integers(1, 4)),
        across_px=float(np.exp(rng.uniform(np.log(38), np.log(110)))),
    )
    whole = [c for c in picture.truth["cards"] if not c.get("cut") and c["covered"] < 0.6]
    return cut_out(Pyramid.of(picture.bgr), whole, rng, nothings=0)


def augmented(patches: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
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
    out = levelled(np.clip(out, 0, 255))
    out *= np.exp(rng.normal(0, 0.05, (len(out), 1, 1, 1))).astype(np.float32)
    up = rng.random(len(out)) < 0.6
    out[~up] = out[~up][:, ::-1, ::-1]
    marked = np.column_stack([labels, up])
    marked[~up & (labels[:, 3] == FACE), :3] = UNKNOWN
    return out, marked


def _pale(patch: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Burnt out, so that little of the print is left, or seen through a veil of light."""
    if rng.random() < 0.5:
        burnt: np.ndarray = np.minimum(patch * float(rng.uniform(1.1, 1.8)), 255)
        return burnt
    white = np.percentile(patch, 95, axis=(0, 1))
    veiled: np.ndarray = white + (patch - white) * float(rng.uniform(0.12, 0.6))
    return veiled


def _blurred(patch: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Out of focus, shaken, or seen from afar."""
    kind = rng.integers(4)
    if kind == 0:
        return cv2.GaussianBlur(patch, (0, 0), float(rng.uniform(0.4, 1.8)))
    if kind == 1:
        small = cv2.resize(patch, None, fx=(f := float(rng.uniform(0.35, 0.8))), fy=f, interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (WIDE, HIGH), interpolation=cv2.INTER_LINEAR)
    streaked = cv2.filter2D(patch, -1, _streak(float(rng.uniform(1.5, 7.0)), float(rng.uniform(0, np.pi))))
    return streaked if kind == 2 else cv2.GaussianBlur(streaked, (0, 0), float(rng.uniform(0.4, 1.2)))


def _streak(length: float, angle: float) -> np.ndarray:
    """The kernel of a straight motion."""
    n = int(np.ceil(length)) | 1
    kernel, middle = np.zeros((n, n), np.float32), (n - 1) / 2
    reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
    ends = [np.round((middle + way * reach) * 16).astype(int).tolist() for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_8, 4)
    return np.asarray(kernel / max(float(kernel.sum()), 1.0))


def _covered(patch: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Something long or round laid on the card; what it mostly hides is no number, what it hides a little unknown."""
    mask = np.zeros((HIGH, WIDE), np.uint8)
    at = (rng.uniform(-0.1, 1.1, 2) * [WIDE, HIGH]).astype(int).tolist()
    end = (rng.uniform(-0.6, 1.6, 2) * [WIDE, HIGH]).astype(int).tolist() if rng.random() < 0.7 else at
    cv2.line(mask, at, end, 1, int(rng.integers(5, 36)))
    tone = np.array([135, 165, 222]) * rng.uniform(0.35, 1.05) if rng.random() < 0.5 else rng.uniform(10, 245, 3)
    middles = mask.reshape(3, HIGH // 3, WIDE)[:, 6:-6, WIDE // 4 : -WIDE // 4].mean((1, 2))
    told = labels.copy()
    if told[3] == FACE:
        told[:3][(middles > 0.15) & (told[:3] < CLASSES - 1)] = UNKNOWN
        told[:3][middles > 0.5] = CLASSES - 1
    return np.where(mask[..., None] > 0, tone.astype(np.float32), patch), told


def loss_of(out: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    entropy = nn.functional.cross_entropy
    numbers = out[:, : 3 * CLASSES].reshape(-1, CLASSES, 3)
    known = (labels[:, :3] != UNKNOWN).float().sum().clamp(min=1)
    told = entropy(numbers, labels[:, :3], ignore_index=UNKNOWN, label_smoothing=0.005, reduction="sum") / known
    kind = entropy(out[:, 3 * CLASSES : 3 * CLASSES + 3], labels[:, 3])
    face = labels[:, 3] == FACE
    upright = nn.functional.binary_cross_entropy_with_logits(out[face, -1], labels[face, 4].float())
    return told + 0.5 * kind + 0.5 * upright


def report(net: nn.Module, patches: np.ndarray, labels: np.ndarray) -> str:
    """Accuracy on cards drawn from other seeds."""
    net.eval()
    with torch.no_grad():
        seen = [net(tensor(levelled(part.astype(np.float32)))).numpy() for part in np.array_split(patches, 8)]
        down = [
            net(tensor(levelled(part[:, ::-1, ::-1].astype(np.float32)))).numpy()[:, -1]
            for part in np.array_split(patches, 8)
        ]
    net.train()
    out, back = np.concatenate(seen), np.concatenate(down)
    number = out[:, : 3 * CLASSES].reshape(-1, CLASSES, 3)
    p = np.exp(number - number.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    known = labels[:, :3] != UNKNOWN
    right = (p.argmax(1) == labels[:, :3])[known]
    sure = (p.max(1) > 0.95)[known]
    face = labels[:, 3] == FACE
    kinds = (out[:, 3 * CLASSES : -1].argmax(1) == labels[:, 3]).mean()
    up = (out[face, -1] > back[face]).mean()
    return (
        f"numbers {right.mean():.4f} sure {sure.mean():.4f} wrong among sure {(~right)[sure].mean():.5f} "
        f"kinds {kinds:.4f} way up {up:.4f}"
    )


def tensor(patches: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(patches.transpose(0, 3, 1, 2)))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--faces", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1700)
    ap.add_argument("--more", type=int, default=0)
    ap.add_argument("--hard", type=int, default=0)
    ap.add_argument("--close", type=int, default=9000)
    ap.add_argument("--turned", type=int, default=0, help="close pictures of cards read lying on their side")
    ap.add_argument("--steps", type=int, help="of each pass; all by default")
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--begin", type=Path)
    ap.add_argument("--out", type=Path, default=Path(__file__).with_name("numerals.onnx"))
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    near = functools.partial(close, faces=a.faces)
    far, fresh = drawings(a.cache, a.faces, a.pictures, a.more, a.hard), unseen(a.cache, a.faces)
    closer = drawn(a.cache, "close", ("patches", "labels"), near, range(6_000_000, 6_000_000 + a.close), workers=1)
    parts = [far, closer]
    if a.turned:
        seeds = range(6_100_000, 6_100_000 + a.turned)
        lie = functools.partial(near, is_turned=True)
        parts.append(drawn(a.cache, "turned", ("patches", "labels"), lie, seeds, workers=1))
    parts += 3 * parts[2:]  # they are few
    x = np.concatenate([part["patches"] for part in parts])
    y = np.concatenate([part["labels"] for part in parts])
    kept = (y[:, 3] == FACE) | (rng.random(len(y)) < 0.5)  # backs are many, and soon known
    x, y = x[kept], y[kept]
    print(len(x), "cards", np.bincount(y[:, 3]), flush=True)
    net, size = Numerals(), 128
    if a.begin:
        net.load_state_dict(torch.load(a.begin))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    mean = averaged(net, 0.99)
    steps = min(a.steps or len(x), len(x) // size)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.epochs * steps, pct_start=0.15)
    begun = time.time()
    for epoch in range(a.epochs):
        order, total = rng.permutation(len(x)), 0.0
        for k in range(steps):
            pick = order[k * size : (k + 1) * size]
            views, labels = augmented(x[pick], y[pick], rng)
            with quick():
                out = net(tensor(views).to(memory_format=torch.channels_last))
            loss = loss_of(out.float(), torch.from_numpy(labels))
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            mean.update_parameters(net)
            total += loss.item()
            if k % 100 == 99:
                print(
                    f"  {epoch} {k + 1} of {steps} loss {total / (k + 1):.4f} {time.time() - begun:.0f} s", flush=True
                )
        print(
            f"epoch {epoch} loss {total / steps:.4f} {report(mean.module, fresh['patches'], fresh['labels'])}",
            flush=True,
        )
        torch.save(mean.module.state_dict(), a.cache / "comet-numerals.pt")
        assert OUTPUTS == 3 * CLASSES + 4
        export(
            mean.module,
            a.out,
            torch.zeros(6, 3, HIGH, WIDE),
            {"cards": {0: "n"}, "answers": {0: "n"}},
        )


if __name__ == "__main__":
    main()
