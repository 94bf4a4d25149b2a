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
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from companion.vision.insects import CELL_PX, EMPTY, INSECT, KIND, LIKENESS, OTHER, STATE, UP, prepared
from models.training import export

draw: Any = import_module("models.hexapod-insects.draw")

HERE = Path(__file__)
SHARPNESS = 16.0
"""What a likeness is multiplied with before it becomes a probability."""
_OTHER_KIND = draw.KINDS.index("other")


class Insects(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def block(i: int, o: int, stride: int = 1, k: int = 3, pad: int = 1) -> nn.Sequential:
            return nn.Sequential(nn.Conv2d(i, o, k, stride, pad, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

        self.trunk = nn.Sequential(
            *(block(3, 24, 2), block(24, 24), block(24, 40, 2), block(40, 40)),
            *(block(40, 72, 2), block(72, 72), block(72, 72)),
        )
        self.cell = block(72, 128, 3, 3, 0)
        self.around = block(128, 128)
        self.head = nn.Conv2d(256, 47, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cell = self.cell(self.trunk(x))
        planes: torch.Tensor = self.head(torch.cat([cell, self.around(cell)], 1))
        return planes


def jittered(image: np.ndarray, cells: int, rng: np.random.Generator, askew: float = 0.0) -> np.ndarray:
    """A kept view, cut as a finder that errs a little would cut it, its light a little other: (3, H, W).

    Args:
        image: the view.
        cells: rows, and columns, of its field.
        rng: the only source of chance.
        askew: by how many cells the whole field is missed besides, to any side.
    """
    side = (cells + 2) * CELL_PX
    kept = draw.MARGIN * CELL_PX
    field = np.array([[0, 0], [cells, 0], [cells, cells], [0, cells]], np.float32) * CELL_PX
    off = rng.normal(0, 0.07, (4, 2)) + rng.normal(0, 0.07, 2) + (field / (cells * CELL_PX) - 0.5) * rng.normal(0, 0.08)
    source = field + kept - 0.5 + np.clip(off, -0.4, 0.4).astype(np.float32) * CELL_PX
    away = rng.uniform(0, 2 * np.pi)
    source = source + np.array([np.cos(away), np.sin(away)], np.float32) * np.float32(askew * CELL_PX)
    m = cv2.getPerspectiveTransform(source.astype(np.float32), field + np.float32(CELL_PX - 0.5))
    cut = cv2.warpPerspective(image, m, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lit = cut.astype(np.float32) * np.exp(rng.normal(0, 0.06, 3)) * rng.uniform(0.75, 1.1)
    lit = lit + rng.normal(0, 1, lit.shape) * rng.uniform(0, 6)
    if rng.random() < 0.15:
        lit = cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.2)))
    out: np.ndarray = prepared(np.clip(lit, 0, 255).astype(np.uint8))
    return out * np.float32(rng.uniform(0.85, 1.05)) + np.float32(rng.normal(0, 0.02))


Views = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Views of one size, the kinds of their cells, and how many quarter turns each is turned clockwise."""


class Data:
    """All views, and which of them belong to one deck."""

    def __init__(self, cache: Path, pictures: int, decks: int) -> None:
        photos = draw.photos(cache, pictures)
        self._of_cases, self._of_cards = (
            (*(np.concatenate([p[f"{what}_{c}"] for p in photos]) for c in ("images", "kinds", "named")), cells)
            for what, cells in (("case", 5), ("card", 2))
        )
        seen = draw.decks(cache, decks)
        columns = ("case_images", "case_kinds", "case_deck", "case_shows_all")
        self.views, self.kinds, deck, shows = (np.concatenate([p[c] for p in seen]) for c in columns)
        self.decks = []
        for number in np.unique(deck):
            mine = np.flatnonzero(deck == number)
            first = [int(i) for i in mine if shows[i] and set(range(1, 9)) <= set(self.kinds[i].ravel().tolist())]
            rest = [int(i) for i in mine if not shows[i]]
            if first and rest:
                self.decks.append((first[0], rest))
        print(len(self._of_cases[0]), "cases", len(self._of_cards[0]), "cards", len(self.decks), "decks", flush=True)

    def plain(self, rng: np.random.Generator, count: int, *, cards: bool, named: bool) -> Views:
        """Views turned anyhow, their cells' kinds, and which way is up; ``named`` ones fit the cards' description."""
        images, kinds, is_named, cells = self._of_cards if cards else self._of_cases
        rows, labels, ups = [], [], []
        for i in rng.choice(np.flatnonzero(is_named == named), count):
            turns, is_missed = int(rng.integers(4)), rng.random() < 0.07
            askew = float(rng.uniform(0.45, 0.6)) if is_missed else 0.0
            rows.append(np.rot90(jittered(images[i], cells, rng, askew), -turns, (1, 2)).copy())
            shown = np.where(kinds[i] > 0, _OTHER_KIND, -1) if is_missed else kinds[i]
            labels.append(np.rot90(shown, -turns).astype(np.int64))
            ups.append(turns)
        return torch.from_numpy(np.stack(rows)), torch.from_numpy(np.stack(labels)).long(), torch.tensor(ups)

    def episode(self, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """One deck's case that shows every kind, then up to three others, upright, and the kinds."""
        first, rest = self.decks[int(rng.integers(len(self.decks)))]
        rows = [first, *(int(i) for i in rng.permutation(rest)[:3])]
        permuted = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
        views = np.stack([jittered(self.views[i], 5, rng)[permuted] for i in rows])
        return torch.from_numpy(views), torch.from_numpy(self.kinds[rows]).long()


def plain_loss(planes: torch.Tensor, kinds: torch.Tensor, ups: torch.Tensor | None, *, named: bool) -> torch.Tensor:
    """Loss of state, kind where it is ``named``, and up where it is known, for views (N) with labels (N, r, c)."""
    inner = planes[:, :, 1:-1, 1:-1]
    insect = (kinds > 0) & (kinds < _OTHER_KIND)
    state = torch.where(insect, INSECT, torch.where(kinds == _OTHER_KIND, OTHER, EMPTY))
    loss = nn.functional.cross_entropy(inner[:, STATE], torch.where(kinds < 0, -1, state), ignore_index=-1)
    if named and insect.any():
        kind = torch.where(insect, kinds - 1, -1)
        loss = loss + nn.functional.cross_entropy(inner[:, KIND], kind, ignore_index=-1)
    if ups is not None and insect.any():
        wanted = torch.where(insect, ups[:, None, None].expand_as(kinds), -1)
        loss = loss + 0.5 * nn.functional.cross_entropy(inner[:, UP], wanted, ignore_index=-1)
    return loss


def likeness_loss(planes: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, float]:
    """Loss of one deck's views: insects of the others against the cells of the first; and the share told right."""
    unit = nn.functional.normalize(planes[:, LIKENESS, 1:-1, 1:-1], dim=1).permute(0, 2, 3, 1)
    shown = (kinds[0] > 0) & (kinds[0] < _OTHER_KIND)
    known, known_kinds = unit[0][shown], kinds[0][shown]
    asked = (kinds[1:] > 0) & (kinds[1:] < _OTHER_KIND)
    if not asked.any():
        return planes.sum() * 0, float("nan")
    alike = SHARPNESS * unit[1:][asked] @ known.T
    logits = torch.stack([torch.logsumexp(alike.masked_fill(known_kinds != k, -1e4), 1) for k in range(1, 9)], 1)
    wanted = kinds[1:][asked] - 1
    return nn.functional.cross_entropy(logits, wanted), float((logits.argmax(1) == wanted).float().mean())


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=1200)
    ap.add_argument("--decks", type=int, default=300)
    ap.add_argument("--steps", type=int, default=1800)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--resume", type=Path)
    a = ap.parse_args()
    torch.manual_seed(2)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(2)
    data = Data(a.cache, a.pictures, a.decks)
    net = Insects()
    if a.resume:
        net.load_state_dict(torch.load(a.resume))
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.1)
    begun, seen = time.process_time(), []
    for step in range(1, a.steps + 1):
        known, other = (data.plain(rng, n, cards=False, named=named) for n, named in ((7, True), (2, False)))
        cards, other_cards = (data.plain(rng, n, cards=True, named=named) for n, named in ((6, True), (2, False)))
        episodes = [data.episode(rng) for _ in range(2)]
        planes = net(torch.cat([known[0], other[0], *(views for views, _ in episodes)]))
        small = net(torch.cat([cards[0], other_cards[0]]))
        parts = [
            plain_loss(planes[:7], *known[1:], named=True),
            plain_loss(small[:6], *cards[1:], named=True),
            0.4 * plain_loss(planes[7:9], *other[1:], named=False),
            0.4 * plain_loss(small[6:], *other_cards[1:], named=False),
        ]
        at, right = 9, []
        for views, kinds in episodes:
            mine = planes[at : at + len(views)]
            at += len(views)
            alike, share = likeness_loss(mine, kinds)
            parts += [0.5 * alike, 0.3 * plain_loss(mine, kinds, None, named=False)]
            right.append(share)
        optimiser.zero_grad()
        torch.autograd.backward(sum(parts))
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        seen.append([*(float(parts[k]) for k in (0, 1, 4)), float(np.mean(right))])
        if step % 50 == 0:
            told = np.round(np.nanmean(seen, 0), 3)
            print(f"step {step} cases, cards, likeness, right: {told} {time.process_time() - begun:.0f} s", flush=True)
            seen = []
        if step % 300 == 0 or step == a.steps:
            torch.save(net.state_dict(), a.cache / "hexapod-insects.pt")
            free: dict[str, dict[int, str]] = {"fields": {}, "cells": {}}  # OpenCV joins planes of a known size alone
            export(net, HERE.with_name("insects.onnx"), torch.zeros(1, 3, 168, 168), free)


if __name__ == "__main__":
    main()
