"""Trains the network that says what lies in the cells of a display case or a card of Hexapod.

    python -m models.hexapod.insect_classifier.draw --cache DIR
    python -m models.hexapod.insect_classifier.train --cache DIR [--steps 6000] [--warm-start WEIGHTS.onnx]

One network, five answers for every cell (`companion.games.hexapod.vision.classifier`): floor, insect or something else;
the kind, learnt from drawings that fit the cards' description; which way is up; an embedding, learnt from decks of
invented insects (`embedding`); and where it lies.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.hexapod.vision.classifier import (
    EMPTY,
    INSECT,
    KIND,
    OFFSET,
    OFFSET_SCALE,
    OTHER,
    STATE,
    UP,
)
from models.export import export
from models.hexapod.insect_classifier import draw, embedding_loss, jitter
from models.networks import ResidualBlock, block
from models.trainer import Losses, Trainer, parser

HARDER = 0.5
"""So often a deck is asked for by how badly it went before."""
REPEATS = 3
"""So often more the picture is looked at that shows every kind: what parts the kinds is learnt from all its looks."""
_NEAREST = 0.5
"""What it counts that insects lie nearest to their kind, beside that they are parted."""
_OTHER_KIND = draw.KINDS.index("other")
_MIDDLES = np.stack(np.meshgrid(np.arange(6) + 0.5, np.arange(6) + 0.5), -1)


class Everywhere(nn.Module):
    """The planes' means, at every place: OpenCV 5 adds to what a convolution gives only what is as large."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0 * x + nn.functional.adaptive_avg_pool2d(x, 1)


class InsectClassifier(nn.Module):
    """Cell by cell, with what lies around it and what all cells of the field have in common, the light above all."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            *(block(3, 24, 2), block(24, 24), block(24, 40, 2), block(40, 40)),
            *(block(40, 72, 2), block(72, 72), block(72, 72)),
        )
        self.deeper = nn.Sequential(ResidualBlock(72), ResidualBlock(72))
        self.cell = block(72, 128, 3, pad=0)
        self.common = nn.Sequential(block(128, 96, k=1), Everywhere(), nn.Conv2d(96, 128, 1))
        self.around = block(128, 128)
        self.wide = block(128, 128)
        self.head = nn.Conv2d(384, 49, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cell = self.cell(self.deeper(self.trunk(x)))
        around = self.around(cell + self.common(cell))
        planes: torch.Tensor = self.head(torch.cat([cell, around, self.wide(around)], 1))
        return planes


class Views(NamedTuple):
    """Views of one size.

    Attributes:
        pictures: (N, 3, H, W).
        kinds: (N, r, c) of their cells by `draw.KINDS`; -1 where nobody can say.
        ups: (N,) how many quarter turns each is turned clockwise.
        offset: (N, r, c, 2) how far beside the cell's middle its middle shows; NaN where it is not known.
        named: (N,) whether their insects fit the cards' description.
    """

    pictures: torch.Tensor
    kinds: torch.Tensor
    ups: torch.Tensor
    offset: torch.Tensor
    named: torch.Tensor


class Kept(NamedTuple):
    """Drawn views of one size, one a row: as `draw.DECK` keeps them."""

    images: NDArray[np.uint8]
    kinds: NDArray[np.int8]
    middles: NDArray[np.float32]
    named: NDArray[np.bool_]


class Data:
    """All views, and which of them belong to one deck."""

    def __init__(self, cache: Path, pictures: int, decks: int) -> None:
        parts = draw.decks(cache, decks)
        photos = draw.photos(cache, pictures)
        self.cases, self.cards = (
            Kept(
                *(
                    np.concatenate([part[f"{what}_{column}"] for part in [*parts, *photos]])
                    for column in ("images", "kinds", "middles", "named")
                )
            )
            for what in ("case", "card")
        )
        of_case, of_card, shows_all = (
            np.concatenate([part[column] for part in parts]) for column in ("case_deck", "card_deck", "case_shows_all")
        )
        self.decks = [
            (
                int(np.flatnonzero((of_case == d) & shows_all)[0]),
                np.flatnonzero((of_case == d) & ~shows_all),
                np.flatnonzero(of_card == d),
            )
            for d in np.unique(of_case)
            if ((of_case == d) & shows_all).any() and ((of_case == d) & ~shows_all).any()
        ]
        self.went = np.ones(len(self.decks))
        print("cases", len(self.cases.images), "cards", len(self.cards.images), "decks", len(self.decks), flush=True)

    def plain(self, rng: np.random.Generator, count: int, *, cards: bool) -> Views:
        """Views of any deck and turn."""
        kept = self.cards if cards else self.cases
        return _views(kept, [(int(i), int(rng.integers(4))) for i in rng.integers(len(kept.images), size=count)], rng)

    def repeat(self, deck: int, rng: np.random.Generator) -> Views:
        """More looks at a deck's case that shows every kind."""
        first, _, _ = self.decks[deck]
        return _views(self.cases, [(first, 0)] * REPEATS, rng)

    def episode(self, rng: np.random.Generator) -> tuple[int, list[Views]]:
        """A deck, its case that shows every kind and others, then loose cards of it where there are any, upright."""
        hard = self.went / self.went.sum() if rng.random() < HARDER else None
        deck = int(rng.choice(len(self.decks), p=hard))
        first, cases, cards = self.decks[deck]
        found = [_views(self.cases, [(first, 0), *((int(i), 0) for i in cases)], rng)]
        if len(cards):
            found.append(_views(self.cards, [(int(i), 0) for i in rng.permutation(cards)[:2]], rng))
        order = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
        return deck, [views._replace(pictures=views.pictures[:, order]) for views in found]

    def hear(self, deck: int, loss: float) -> None:
        """Remember how badly a deck's embedding went."""
        if np.isfinite(loss):
            self.went[deck] += 0.5 * (loss + 0.02 - self.went[deck])


def _views(kept: Kept, asked: list[tuple[int, int]], rng: np.random.Generator) -> Views:
    """Views by their rows and quarter turns."""
    shown = [_shown(kept.images[i], kept.kinds[i], kept.middles[i], turns, rng) for i, turns in asked]
    pictures, kinds, offset = (torch.from_numpy(np.stack([one[k] for one in shown])) for k in range(3))
    rows, ups = zip(*asked, strict=True)
    return Views(pictures, kinds, torch.tensor(ups), offset, torch.from_numpy(kept.named[list(rows)]))


def _shown(
    image: NDArray[np.uint8],
    kinds: NDArray[np.int8],
    middles: NDArray[np.float32],
    turns: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """A view jittered and turned clockwise, its cells' kinds, and where they show beside their middles."""
    picture, hidden, shown = jitter.jittered(image, middles, rng)
    offset = shown - _MIDDLES[: len(kinds), : len(kinds)]
    labels = np.where(hidden > draw.COVERED, _OTHER_KIND, np.where(hidden > draw.OPEN, -1, kinds))
    for _ in range(turns):
        offset = np.rot90(np.stack([-offset[..., 1], offset[..., 0]], -1), -1)
    turned = np.rot90(picture, -turns, (1, 2)).copy()
    return turned, np.rot90(labels, -turns).astype(np.int64), offset.astype(np.float32)


def plain_loss(planes: torch.Tensor, views: Views) -> torch.Tensor:
    """Loss of state, kind where it has a name, way up, and place."""
    inner, kinds = planes[:, :, 1:-1, 1:-1], views.kinds
    insect = (kinds > 0) & (kinds < _OTHER_KIND)
    state = torch.where(insect, INSECT, torch.where(kinds == _OTHER_KIND, OTHER, EMPTY))
    loss = nn.functional.cross_entropy(inner[:, STATE], torch.where(kinds < 0, -1, state), ignore_index=-1)
    is_named = insect & views.named[:, None, None]
    if is_named.any():
        kind = torch.where(is_named, kinds - 1, -1)
        loss = loss + nn.functional.cross_entropy(inner[:, KIND], kind, ignore_index=-1)
    if insect.any():
        wanted = torch.where(insect, views.ups[:, None, None].expand_as(kinds), -1)
        loss = loss + 0.5 * nn.functional.cross_entropy(inner[:, UP], wanted, ignore_index=-1)
    is_placed = views.offset.isfinite().all(-1) & (kinds >= 0) & (kinds < _OTHER_KIND)
    if is_placed.any():
        said = inner[:, OFFSET].permute(0, 2, 3, 1)[is_placed]
        loss = loss + 0.5 * nn.functional.smooth_l1_loss(said, OFFSET_SCALE * views.offset[is_placed], beta=0.1)
    return loss


def main() -> None:
    options = parser(__doc__, steps=6000, rate=2e-3, seed=2)
    options.add_argument("--pictures", type=int, default=400)
    options.add_argument("--decks", type=int, default=1500)
    options.add_argument("--new-layers", action="store_true", help="the warm start's network has no residual blocks")
    a = options.parse_args()
    net = InsectClassifier()
    trainer = Trainer(net, a, weight_decay=1e-3, average=0.999)
    data = Data(a.cache, a.pictures, a.decks)
    trainer.start_from(data.plain(trainer.rng, 64, cards=False).pictures, (net.deeper,) if a.new_layers else ())
    trainer.fit(lambda: _losses(trainer, data), write)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    inputs, outputs = ("fields", ("n", 3, "height", "width")), ("cells", ("n", 49, "rows", "cols"))
    export(net, path, inputs, outputs, (1, 3, 168, 168))


def _losses(trainer: Trainer, data: Data) -> Losses:
    """One step's losses, and the shares of insects that are right by the nearest and by discriminants."""
    rng = trainer.rng
    plain = [data.plain(rng, 10, cards=False), data.plain(rng, 10, cards=True)]
    decks, episodes = zip(*(data.episode(rng) for _ in range(2)), strict=True)
    repeat = [data.repeat(deck, rng) for deck in decks]
    planes: dict[int, torch.Tensor] = {}
    for k in range(2):
        some = [plain[k], *(episode[k] for episode in episodes if len(episode) > k), *(repeat if k == 0 else [])]
        out = trainer.forward(torch.cat([v.pictures for v in some])).cpu()  # small beside the network's own work
        planes |= {id(v): one for v, one in zip(some, out.split([len(v.pictures) for v in some]), strict=True)}
    cases, cards = (plain_loss(planes[id(views)], views) for views in plain)
    offset = [0.4 * plain_loss(planes[id(episode[0])], episode[0]) for episode in episodes]
    ambiguous_pairs = [_similar(planes, episode, more) for episode, more in zip(episodes, repeat, strict=True)]
    (near, near_right), (part, part_right) = (zip(*told, strict=True) for told in zip(*ambiguous_pairs, strict=True))
    for deck, one in zip(decks, part, strict=True):
        data.hear(deck, float(one.detach()))
    return {
        "cases": cases,
        "cards": cards,
        "episodes": torch.stack(offset).sum(),
        "nearest": _NEAREST * torch.stack(near).sum(),
        "parted": torch.stack(part).sum(),
        "nearest right": torch.tensor(near_right).nanmean(),
        "parted right": torch.tensor(part_right).nanmean(),
    }


def _similar(planes: dict[int, torch.Tensor], episode: list[Views], repeat: Views) -> tuple[Any, Any]:
    """How the insects of a deck are told by the first case of its episode: by the nearest, and parted by more looks."""
    cases = episode[0]
    first = (planes[id(cases)][:1], cases.kinds[:1])
    others = (planes[id(cases)][1:], cases.kinds[1:])
    asked = embedding_loss.insects_of([others, *((planes[id(views)], views.kinds) for views in episode[1:])])
    looks = embedding_loss.insects_of([first, (planes[id(repeat)], repeat.kinds)])
    return embedding_loss.nearest(embedding_loss.insects_of([first]), asked), embedding_loss.parted(looks, asked)


if __name__ == "__main__":
    main()
