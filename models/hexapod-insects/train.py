"""Trains the network that says what lies in the cells of a display case or a card of Hexapod.

    python models/hexapod-insects/draw.py --cache DIR
    python models/hexapod-insects/train.py --cache DIR [--steps 1800]

One network, four answers for every cell (`companion/vision/insects.py`): floor, insect or something else; the kind,
learnt from drawings that fit the cards' description; which way is up; and a likeness, learnt from decks of invented
insects: cells of other pictures are to be most like the cells of their kind on the one picture that shows every kind.
"""

import argparse
import time
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from torch import nn

from companion.vision.hexapod_quads import through
from companion.vision.insects import (
    BESIDE,
    BESIDE_SCALE,
    CELL_PX,
    EMPTY,
    INSECT,
    KIND,
    LIKENESS,
    OTHER,
    STATE,
    UP,
    prepared,
)
from models.networks import block
from models.training import averaged, export, quick

draw: Any = import_module("models.hexapod-insects.draw")

HERE = Path(__file__)
SHARPNESS = 16.0
"""What a likeness is multiplied with before it becomes a probability."""
_OTHER_KIND = draw.KINDS.index("other")
_MIDDLES = np.stack(np.meshgrid(np.arange(6) + 0.5, np.arange(6) + 0.5), -1)


class Insects(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            *(block(3, 24, 2), block(24, 24), block(24, 40, 2), block(40, 40)),
            *(block(40, 72, 2), block(72, 72), block(72, 72)),
        )
        self.cell = block(72, 128, 3, pad=0)
        self.around = block(128, 128)
        self.head = nn.Conv2d(256, 49, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cell = self.cell(self.trunk(x))
        planes: torch.Tensor = self.head(torch.cat([cell, self.around(cell)], 1))
        return planes


Seen = tuple[np.ndarray, np.ndarray, np.ndarray]
"""A view (3, H, W), the share of each of its cells that a thing hides, and where each cell's middle shows, in cells."""


def jittered(image: np.ndarray, middles: np.ndarray, rng: np.random.Generator) -> Seen:
    """A kept view, cut as a finder that errs would cut it, its light a little other, at times a thing over it.

    Args:
        image: the view.
        middles: (n, n, 2) where the cells' middles show, in cells of the field.
        rng: the only source of chance.
    """
    cells = len(middles)
    side = (cells + 2) * CELL_PX
    kept = draw.MARGIN * CELL_PX
    image, hidden = covered(image, cells, rng) if rng.random() < 0.3 else (image, np.zeros((cells, cells)))
    field = np.array([[0, 0], [cells, 0], [cells, cells], [0, cells]], np.float32) * CELL_PX
    wide = float(rng.choice([0.4, 1.0, 1.8]))
    off = rng.normal(0, 0.05, (4, 2)) + rng.normal(0, 0.07, 2) + (field / (cells * CELL_PX) - 0.5) * rng.normal(0, 0.08)
    source = field + kept - 0.5 + np.clip(off * wide, -0.42, 0.42).astype(np.float32) * CELL_PX
    m = cv2.getPerspectiveTransform(source.astype(np.float32), field + np.float32(CELL_PX - 0.5))
    cut = cv2.warpPerspective(image, m, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shown = (through(m, middles.astype(np.float64) * CELL_PX + kept - 0.5) + 0.5) / CELL_PX - 1
    lit = cut.astype(np.float32) * np.exp(rng.normal(0, 0.06, 3)) * rng.uniform(0.6, 1.1)
    lit = lit + rng.normal(0, 1, lit.shape) * rng.uniform(0, 6)
    if rng.random() < 0.15:
        lit = cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.2)))
    out: np.ndarray = prepared(np.clip(lit, 0, 255).astype(np.uint8))
    return out * np.float32(rng.uniform(0.85, 1.05)) + np.float32(rng.normal(0, 0.02)), hidden, shown


def covered(image: np.ndarray, cells: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A kept view with a thing over it, and the share (cells, cells) of each cell that it hides."""
    mask, side = np.zeros(image.shape[:2], np.uint8), len(image)
    at, way = rng.uniform(0.1, 0.9, 2) * side, rng.uniform(0, 2 * np.pi)
    wide = float(np.exp(rng.uniform(np.log(4), np.log(45))))
    middle = (round(float(at[0])), round(float(at[1])))
    if rng.random() < 0.6:
        end = at + 2 * side * np.array([np.cos(way), np.sin(way)])
        cv2.line(mask, middle, (round(float(end[0])), round(float(end[1]))), 255, round(wide), cv2.LINE_AA)
    else:
        cv2.circle(mask, middle, round(0.7 * wide), 255, -1 if rng.random() < 0.6 else 4, cv2.LINE_AA)
    tone = rng.integers(0, 256, 3) if rng.random() < 0.6 else np.array([70, 105, 160]) * rng.uniform(0.4, 1.5)
    share = mask[..., None].astype(np.float32) / 255
    shaded = np.clip(tone * (1 + 0.25 * np.linspace(-1, 1, side)[:, None, None] * rng.normal()), 0, 255)
    kept = round(draw.MARGIN * CELL_PX)
    field = share[kept : kept + cells * CELL_PX, kept : kept + cells * CELL_PX, 0]
    hidden = field.reshape(cells, CELL_PX, cells, CELL_PX).mean((1, 3))
    return (image * (1 - share) + shaded * share).astype(np.uint8), hidden


class Views(NamedTuple):
    """Views of one size.

    Attributes:
        pictures: (N, 3, H, W).
        kinds: (N, r, c) of their cells by `draw.KINDS`; -1 where nobody can say.
        ups: (N,) how many quarter turns each is turned clockwise; None where that is not asked.
        beside: (N, r, c, 2) how far beside the cell's middle its middle shows; NaN where it is not known.
    """

    pictures: torch.Tensor
    kinds: torch.Tensor
    ups: torch.Tensor | None
    beside: torch.Tensor


class Data:
    """All views, and which of them belong to one deck."""

    def __init__(self, cache: Path, pictures: int, decks: int) -> None:
        photos = draw.photos(cache, pictures)
        self._of_cases, self._of_cards = (
            tuple(np.concatenate([p[f"{what}_{c}"] for p in photos]) for c in ("images", "kinds", "middles", "named"))
            for what in ("case", "card")
        )
        parts = draw.decks(cache, decks)
        of_decks = [np.concatenate([p[c] for p in parts]) for c in draw.DECK]
        self.views, self.kinds, self.middles, of_deck, shows_all, is_named = of_decks
        some = zip(self._of_cases, (self.views, self.kinds, self.middles, is_named), strict=True)
        self._of_cases = tuple(np.concatenate(pair) for pair in some)
        self.decks = [
            (int(np.flatnonzero((of_deck == d) & shows_all)[0]), np.flatnonzero((of_deck == d) & ~shows_all))
            for d in np.unique(of_deck)
            if ((of_deck == d) & shows_all).any() and ((of_deck == d) & ~shows_all).any()
        ]
        print("cases", len(self._of_cases[0]), "cards", len(self._of_cards[0]), "decks", len(self.decks), flush=True)

    def plain(self, rng: np.random.Generator, count: int, *, cards: bool, named: bool) -> Views:
        """Views of any deck and turn; ``named`` ones fit the cards' description."""
        images, kinds, middles, is_named = self._of_cards if cards else self._of_cases
        rows = []
        for i in rng.choice(np.flatnonzero(is_named == named), count):
            rows.append(_shown(images[i], kinds[i], middles[i], int(rng.integers(4)), rng))
        pictures, labels, beside, ups = zip(*rows, strict=True)
        shown, asked, there = (torch.from_numpy(np.stack(column)) for column in (pictures, labels, beside))
        return Views(shown, asked, torch.tensor(ups), there)

    def episode(self, rng: np.random.Generator) -> Views:
        """One deck's case that shows every kind, then up to three others, upright."""
        first, rest = self.decks[int(rng.integers(len(self.decks)))]
        rows = [first, *(int(i) for i in rng.permutation(rest)[:3])]
        permuted = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
        shown = [_shown(self.views[i], self.kinds[i], self.middles[i], 0, rng) for i in rows]
        pictures, labels, beside = (torch.from_numpy(np.stack([s[k] for s in shown])) for k in range(3))
        return Views(pictures[:, permuted], labels, None, beside)


def _shown(
    image: np.ndarray, kinds: np.ndarray, middles: np.ndarray, turns: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A view jittered and turned clockwise, its cells' kinds, where they show beside their middles, and its turns."""
    picture, hidden, shown = jittered(image, middles, rng)
    beside = shown - _MIDDLES[: len(kinds), : len(kinds)]
    labels = np.where(hidden > draw.COVERED, _OTHER_KIND, np.where(hidden > draw.OPEN, -1, kinds))
    for _ in range(turns):
        beside = np.rot90(np.stack([-beside[..., 1], beside[..., 0]], -1), -1)
    turned = np.rot90(picture, -turns, (1, 2)).copy()
    return turned, np.rot90(labels, -turns).astype(np.int64), beside.astype(np.float32), turns


def plain_loss(planes: torch.Tensor, views: Views, *, named: bool) -> torch.Tensor:
    """Loss of state, place, kind where it is ``named``, and up where it is known."""
    inner, kinds = planes[:, :, 1:-1, 1:-1], views.kinds
    insect = (kinds > 0) & (kinds < _OTHER_KIND)
    state = torch.where(insect, INSECT, torch.where(kinds == _OTHER_KIND, OTHER, EMPTY))
    loss = nn.functional.cross_entropy(inner[:, STATE], torch.where(kinds < 0, -1, state), ignore_index=-1)
    if named and insect.any():
        kind = torch.where(insect, kinds - 1, -1)
        loss = loss + nn.functional.cross_entropy(inner[:, KIND], kind, ignore_index=-1)
    if views.ups is not None and insect.any():
        wanted = torch.where(insect, views.ups[:, None, None].expand_as(kinds), -1)
        loss = loss + 0.5 * nn.functional.cross_entropy(inner[:, UP], wanted, ignore_index=-1)
    is_placed = views.beside.isfinite().all(-1) & (kinds >= 0) & (kinds < _OTHER_KIND)
    if is_placed.any():
        said = inner[:, BESIDE].permute(0, 2, 3, 1)[is_placed]
        loss = loss + 0.5 * nn.functional.smooth_l1_loss(said, BESIDE_SCALE * views.beside[is_placed], beta=0.1)
    return loss


def likeness_loss(planes: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, float]:
    """Loss of one deck's views: insects of the others against the cells of the first; and the share told right."""
    unit = nn.functional.normalize(planes[:, LIKENESS, 1:-1, 1:-1], dim=1).permute(0, 2, 3, 1)
    shown = (kinds[0] > 0) & (kinds[0] < _OTHER_KIND)
    known, known_kinds = unit[0][shown], kinds[0][shown]
    asked = (kinds[1:] > 0) & (kinds[1:] < _OTHER_KIND) & torch.isin(kinds[1:], known_kinds)
    if not asked.any():
        return planes.sum() * 0, float("nan")
    alike = SHARPNESS * unit[1:][asked] @ known.T
    logits = torch.stack([torch.logsumexp(alike.masked_fill(known_kinds != k, -1e4), 1) for k in range(1, 9)], 1)
    wanted = kinds[1:][asked] - 1
    return nn.functional.cross_entropy(logits, wanted), float((logits.argmax(1) == wanted).float().mean())


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1400)
    ap.add_argument("--decks", type=int, default=500)
    ap.add_argument("--steps", type=int, default=4000)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    ap.add_argument("--out", type=Path, default=HERE.with_name("insects.onnx"))
    a = ap.parse_args()
    torch.manual_seed(2)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(2)
    data = Data(a.cache, a.pictures, a.decks)
    net = Insects()
    if a.resume:
        begin(net, a.resume)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    mean = averaged(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.1)
    begun, seen = time.process_time(), []
    for step in range(1, a.steps + 1):
        cases, cards = (
            [data.plain(rng, n, cards=is_card, named=named) for n, named in ((8, True), (2, False))]
            for is_card in (False, True)
        )
        episodes = [data.episode(rng) for _ in range(2)]
        large, small = [*cases, *episodes], cards
        parts, told = [], []
        for some in (large, small):
            with quick():
                out = net(torch.cat([v.pictures for v in some]).to(memory_format=torch.channels_last)).float()
            told += list(zip(some, out.split([len(v.pictures) for v in some]), strict=True))
        right = []
        for views, planes in told:
            named = views is cases[0] or views is cards[0]
            parts.append((1.0 if named else 0.4) * plain_loss(planes, views, named=named))
            if views.ups is None:
                alike, share = likeness_loss(planes, views.kinds)
                parts.append(0.5 * alike)
                right.append(share)
        optimiser.zero_grad()
        torch.autograd.backward(sum(parts))
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        seen.append([*(float(part.detach()) for part in (parts[0], parts[-2], parts[3])), float(np.mean(right))])
        if step % 100 == 0:
            shown = np.round(np.nanmean(seen, 0), 3)
            print(f"step {step} cases, cards, likeness, right: {shown} {time.process_time() - begun:.0f} s", flush=True)
            seen = []
        if step % 500 == 0 or step == a.steps:
            torch.save(mean.module.state_dict(), a.cache / "hexapod-insects.pt")
            free: dict[str, dict[int, str]] = {"fields": {}, "cells": {}}  # OpenCV joins planes of a known size alone
            export(mean.module, a.out, torch.zeros(1, 3, 168, 168), free)


def begin(net: Insects, path: Path) -> None:
    """Take over weights; planes that they did not have begin by chance."""
    held, own = torch.load(path), net.state_dict()
    for name in ("head.weight", "head.bias"):
        held[name] = torch.cat([held[name], 0.1 * own[name][len(held[name]) :]])
    net.load_state_dict(held)


if __name__ == "__main__":
    main()
