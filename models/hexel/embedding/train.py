"""Trains the embedding: patches of the same symbol of one printing lie close together, whatever the printing.

    python -m models.hexel.embedding.train --cache DIR [--printings 2400] [--steps 1800] [--art art.npz]

Each printing (`models.drawing.hexel.invented`, or the reference with other inks) is photographed
twice: calmly, as it is taught, and hard, in another room (seeds from 5,000,000 up). From one
photograph come the examples, from the other the questions: prototypical networks (Snell, Swersky, Zemel 2017), the
printings that went badly asked more often. An episode's patches are mirrored and their colours exchanged together, each
is seen a little askew, and some that are asked are partly covered. Questions that show no symbol are to lie further
from every example than `LIMITS.none_at`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.classifier import PATCH, raw_patches
from companion.games.hexel.vision.embedding import embedding_input
from companion.games.hexel.vision.prototypes import face_value_of
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.dataset import cached
from models.drawing.art import Art, Picture
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import REFERENCE, Printing, varied
from models.drawing.hexel.styles import PicturedDeck, pictured
from models.export import export
from models.networks import block
from models.refinement import rotation
from models.trainer import Losses, Trainer, parser

EACH = 18
"""Cards' patches kept of a symbol from one photograph."""
OTHER = 12
"""Patches kept of a photograph that show no symbol."""
EXAMPLES, QUESTIONS, STRANGERS = 5, 6, 8
PICTURED = 0.5


class Embedding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(block(6, 20), block(20, 32, 2), block(32, 32), block(32, 48, 2), block(48, 48))
        self.embed = nn.Sequential(nn.Flatten(), nn.Linear(48 * (PATCH // 4) ** 2, 48))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.embed(self.body(x))


@dataclass(frozen=True, slots=True, eq=False)
class Shots:
    """Patches from two photographs of each of P printings.

    Attributes:
        x: (P, 2, 4, EACH, PATCH, PATCH, 6) uint8, what the network sees; of the three symbols and of none.
        n: (P, 2, 4), how many there are.
    """

    x: NDArray[np.uint8]
    n: NDArray[np.int64]


def nearly(corners: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A card's corners as the pose network gives them."""
    centre, affine = HEXAGON.pose_of(corners)
    size = float(np.sqrt(abs(np.linalg.det(affine))))
    warp = np.eye(2) * np.exp(rng.normal(0, 0.012)) + rng.normal(0, 0.008, (2, 2))
    off = rng.normal(0, 0.01, 2) * size + rng.normal(0, 0.25, 2)
    return np.asarray(centre + off + HEXAGON.unit @ (affine @ warp).T)


def elsewhere(corners: NDArray[np.float64], size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Outlines (M, 6, 2) of no card: some card's, twisted half a side or laid anywhere."""
    out = []
    for quad in corners[rng.permutation(len(corners))[:3]]:
        centre, affine = HEXAGON.pose_of(quad)
        out.append(centre + HEXAGON.unit @ (affine @ rotation(np.radians(30.0))).T)
        out.append(rng.uniform([0, 0], size) + HEXAGON.unit @ affine.T)
    return np.array(out)


def coded(looks: NDArray[np.float32]) -> NDArray[np.uint8]:
    """What the network sees, as it is kept: bytes."""
    return np.asarray(np.round(np.clip((looks + 1.25) * 100, 0, 255)), np.uint8)


def look(edition: str, rng: np.random.Generator, clips: Sequence[Picture]) -> Printing | PicturedDeck:
    """Some printing; half of them of pictures where there is clip art to draw them with."""
    if len(clips) and rng.random() < PICTURED:
        return pictured(SYMBOLS[edition], clips, rng)
    return invented(SYMBOLS[edition], rng) if rng.random() < 0.85 else varied(REFERENCE[edition], rng, 3.0)


def draw(seed: int, clips: Sequence[Picture] = ()) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """One printing's part of `Shots`."""
    rng = np.random.default_rng(seed)
    edition = str(rng.choice(["36", "46"]))
    style = look(edition, rng, clips)
    x, n = np.zeros((2, 4, EACH, PATCH, PATCH, 6), np.uint8), np.zeros((2, 4), int)
    value = None
    how: dict[str, Any]
    for shot in range(2):
        if shot == 0:
            faces = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS[edition])}
            how = {"faces": faces, "hardness": float(rng.choice([0.0, 0.0, 0.4]))}
        else:
            across = float(np.exp(rng.uniform(np.log(44), np.log(200))))
            how = {"across_px": across, "cards": int(rng.integers(6, 13)) if across < 110 else 7}
        picture = photograph(rng, edition=edition, size=(800, 608), printing=style, **how)
        cards = [c for c in picture.truth["cards"] + picture.truth["loose"] if not c.get("cut") and c["covered"] < 0.4]
        if not cards:
            break
        true = np.array([c["corners"] for c in cards])
        corners = np.array([nearly(quad, rng) for quad in true])
        pyramid = Pyramid.of(picture.bgr)
        if value is None:
            value = face_value_of(pyramid, corners)
        looks = coded(embedding_input(*raw_patches(pyramid, corners), value))
        for card, six in zip(cards, looks, strict=True):
            for edge, hidden, patch in zip(card["edges"], card["hidden"], six, strict=True):
                kind = SYMBOLS[edition].index(edge) if hidden < 0.1 else 3
                if (hidden < 0.1 or hidden > 0.7) and n[shot, kind] < EACH:
                    x[shot, kind, n[shot, kind]] = patch
                    n[shot, kind] += 1
        strange = coded(embedding_input(*raw_patches(pyramid, elsewhere(true, (800, 608), rng)), value))
        for patch in strange.reshape(-1, PATCH, PATCH, 6)[rng.permutation(len(strange) * 6)[:OTHER]]:
            if n[shot, 3] < EACH:
                x[shot, 3, n[shot, 3]] = patch
                n[shot, 3] += 1
    return x[None], n[None]


def shots(cache: Path, count: int, first_seed: int, workers: int, clips: Sequence[Picture]) -> Shots:
    """The drawn photographs' patches."""
    seeds = range(first_seed, first_seed + count)
    return Shots(**cached(cache, "likeness", ("x", "n"), partial(draw, clips=clips), seeds, workers))


def usable(held: Shots) -> NDArray[np.intp]:
    """The printings of which all was seen."""
    return np.flatnonzero((held.n[:, 0, :3] >= 3).all(1) & (held.n[:, 1, :3] >= 1).any(1))


def episode(held: Shots, one: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Patches of one printing, jittered: 3 times EXAMPLES, 3 times QUESTIONS, STRANGERS; (M, PATCH, PATCH, 6)."""
    x, n = held.x[one], held.n[one]
    taught, asked = (0, 1) if rng.random() < 0.75 or (n[1, :3] == 0).any() else (1, 0)
    out = [x[taught, k, rng.integers(0, n[taught, k], EXAMPLES)] for k in range(3)]
    for kind, count in ((0, QUESTIONS), (1, QUESTIONS), (2, QUESTIONS), (3, STRANGERS)):
        shot = asked if n[asked, kind] else 1 - asked
        out.append(x[shot, kind, rng.integers(0, n[shot, kind], count)])
    m = sum(map(len, out))
    asked_of = slice(3 * EXAMPLES, m - STRANGERS)
    patches = jittered(np.concatenate(out), rng)
    patches[asked_of] = partly_covered(patches[asked_of], out[-1], rng)
    seen = otherwise(patches, rng).astype(np.float32) / 100 - 1.25
    # the light of the room that is not divided out, alike for a photograph; and a little for each patch
    room = np.where(np.arange(m) < 3 * EXAMPLES, 0, 1)
    gain = np.exp(rng.normal(0, 0.05, (2, 1, 1, 6)) + rng.normal(0, 0.03, (2, 1, 1, 1)))[room]
    gain = gain * np.exp(rng.normal(0, 0.04, (m, 1, 1, 1)))
    return np.asarray(np.clip(seen * gain, -1.25, 1.25), np.float32)


def jittered(patches: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Bytes (M, PATCH, PATCH, 6) seen through outlines that are a little off, as the reader's are."""
    middle = (PATCH - 1) / 2
    out = patches.copy()
    for i in np.flatnonzero(rng.random(len(patches)) < 0.8):
        turned = np.asarray(cv2.getRotationMatrix2D((middle, middle), rng.normal(0, 2.5), np.exp(rng.normal(0, 0.03))))
        turned[:, 2] = turned[:, 2] + rng.normal(0, 0.7, 2)
        for half in (slice(0, 3), slice(3, 6)):
            seen = np.ascontiguousarray(patches[i, ..., half])
            out[i, ..., half] = cv2.warpAffine(seen, turned, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE)
    return out


def partly_covered(
    patches: NDArray[np.uint8], strangers: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Some of the patches (M, PATCH, PATCH, 6) with something else of the same photograph over less than a quarter."""
    y, x = np.mgrid[:PATCH, :PATCH] - (PATCH - 1) / 2
    out = patches.copy()
    for i in np.flatnonzero(rng.random(len(patches)) < 0.15):
        angle, beyond = rng.uniform(0, 2 * np.pi), rng.uniform(4.0, 10.0)
        under = x * np.cos(angle) + y * np.sin(angle) > beyond
        out[i][under] = strangers[rng.integers(len(strangers))][under]
    return out


def otherwise(patches: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Another printing: all patches of an episode mirrored, or in exchanged colours."""
    if rng.random() < 0.5:
        patches = patches[:, :, ::-1]
    if rng.random() < 0.2:
        patches = patches[:, ::-1]
    order = rng.permutation(3) if rng.random() < 0.7 else np.arange(3)
    return patches[..., [*order, *(order + 3)]]


def tensor(patches: NDArray[np.float32]) -> torch.Tensor:
    """Patches (..., PATCH, PATCH, 6) as the network takes them (N, 6, PATCH, PATCH)."""
    return torch.from_numpy(np.ascontiguousarray(patches.reshape(-1, PATCH, PATCH, 6).transpose(0, 3, 1, 2)))


def answers(vectors: torch.Tensor, episodes: int) -> torch.Tensor:
    """Logits (B, 3 * QUESTIONS + STRANGERS, 4) of what is asked, from the embeddings of B episodes' patches."""
    z = vectors.reshape(episodes, -1, vectors.shape[-1])
    prototypes = z[:, : 3 * EXAMPLES].reshape(episodes, 3, EXAMPLES, -1).mean(2)
    distance = ((z[:, 3 * EXAMPLES :, None] - prototypes[:, None]) ** 2).sum(-1)
    return torch.cat([-distance, torch.full_like(distance[:, :, :1], -LIMITS.none_at)], -1)


TRUTH = torch.cat([torch.arange(3).repeat_interleave(QUESTIONS), torch.full((STRANGERS,), 3)])


def tried(trainer: Trainer, held: Shots, chosen: NDArray[np.intp]) -> str:
    """How the averaged network does on printings held out."""
    rng = np.random.default_rng(5)
    episodes = np.stack([episode(held, i, rng) for i in chosen for _ in "ab"])
    vectors = torch.from_numpy(trainer.predict(tensor(episodes)))
    p = torch.softmax(answers(vectors, len(episodes)), -1).reshape(-1, 4)
    truth = TRUTH.repeat(len(episodes))
    best, right, symbol = p.max(1).values, p.argmax(1) == truth, truth < 3
    stated = (best > 0.96) & (p.argmax(1) < 3)
    return (
        f"right {right[symbol].float().mean():.4f} stated {stated[symbol].float().mean():.4f} "
        f"wrong among stated {(~right)[stated & symbol].float().mean():.5f} "
        f"strangers stated {stated[~symbol].float().mean():.4f}"
    )


def main() -> None:
    options = parser(__doc__, steps=1800, rate=2e-3, batch=8)
    options.add_argument("--printings", type=int, default=2400)
    options.add_argument("--held-out", type=int, default=100, help="printings to measure by")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--begin", type=int, default=5_000_000, help="the first seed")
    options.add_argument("--art", type=Path, help="of models.drawing.art: half of the printings are of pictures then")
    a = options.parse_args()
    trainer = Trainer(Embedding(), a, average=0.998)
    rng = trainer.rng
    clips = Art.read(a.art).clips if a.art else ()
    taught, held = (
        shots(a.cache, count, a.begin + first, a.workers, clips)
        for first, count in ((0, a.printings), (900_000, a.held_out))
    )
    keep, out = usable(taught), usable(held)
    print(len(keep), "printings to learn from,", len(out), "held out", flush=True)
    trainer.start_from(tensor(episode(taught, keep[0], rng)))
    hardness = np.ones(len(keep))

    def losses() -> Losses:
        chosen = rng.choice(len(keep), a.batch, replace=False, p=(hardness + 0.1) / (hardness + 0.1).sum())
        vectors = trainer.forward(tensor(np.stack([episode(taught, i, rng) for i in keep[chosen]])))
        (truth,) = trainer.move(TRUTH.repeat(a.batch))
        logits = answers(vectors, a.batch).reshape(-1, 4)
        each = nn.functional.cross_entropy(logits, truth, label_smoothing=0.01, reduction="none").reshape(a.batch, -1)
        hardness[chosen] = 0.5 * hardness[chosen] + 0.5 * each.detach().mean(1).cpu().numpy().clip(0, 2)
        return {"symbol": each.mean()}

    trainer.fit(losses, write, lambda: tried(trainer, held, out), log_every=200)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export(net, path, ("patches", ("n", 6, PATCH, PATCH)), ("embedding", ("n", 48)), (6, 6, PATCH, PATCH))


if __name__ == "__main__":
    main()
