"""Trains the likeness network: patches of the same symbol of one printing lie close together, whatever the printing.

    PYTHONPATH=. python models/hexel/embedding/train.py --cache DIR [--printings 2400] [--steps 1800]

Each printing (`models.drawing.hexel.invented`, or the reference with other inks) is photographed twice:
calmly, as it is taught, and hard, in another room (`models.drawing.hexel.photograph`, seeds from 5,000,000 up). From one
photograph come the examples, from the other the questions: prototypical networks (Snell, Swersky, Zemel 2017), the
printings that went badly asked more often. An episode's patches are mirrored and their colours exchanged together, each
is seen a little askew, and some that are asked are partly covered. Questions that show no symbol are to lie further
from every example than `LIMITS.none_at`. Writes `likeness.onnx`.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.classifier import PATCH, raw_patches
from companion.games.hexel.vision.prototypes import face_value_of, seen_for_likeness
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import REFERENCE, varied
from models.networks import block
from models.training import averaged, drawn, export, quick

EACH = 18
"""Cards' patches kept of a symbol from one photograph."""
OTHER = 12
"""Patches kept of a photograph that show no symbol."""
EXAMPLES, QUESTIONS, STRANGERS = 5, 6, 8


class Likeness(nn.Module):
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

    x: np.ndarray
    n: np.ndarray


def nearly(corners: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A card's corners as the pose network gives them."""
    centre, affine = HEXAGON.pose_of(corners)
    size = float(np.sqrt(abs(np.linalg.det(affine))))
    warp = np.eye(2) * np.exp(rng.normal(0, 0.012)) + rng.normal(0, 0.008, (2, 2))
    return centre + rng.normal(0, 0.01, 2) * size + rng.normal(0, 0.25, 2) + HEXAGON.unit @ (affine @ warp).T


def elsewhere(corners: np.ndarray, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Outlines (M, 6, 2) of no card: some card's, twisted half a side or laid anywhere."""
    out = []
    for quad in corners[rng.permutation(len(corners))[:3]]:
        centre, affine = HEXAGON.pose_of(quad)
        turn = np.radians(30.0)
        twist = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        out.append(centre + HEXAGON.unit @ (affine @ twist).T)
        out.append(rng.uniform([0, 0], size) + HEXAGON.unit @ affine.T)
    return np.array(out)


def coded(looks: np.ndarray) -> np.ndarray:
    """What the network sees, as it is kept: bytes."""
    return np.round(np.clip((looks + 1.25) * 100, 0, 255)).astype(np.uint8)


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One printing's part of `Shots`."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    edition = str(rng.choice(["36", "46"]))
    look = invented(SYMBOLS[edition], rng) if rng.random() < 0.85 else varied(REFERENCE[edition], rng, 3.0)
    x, n = np.zeros((2, 4, EACH, PATCH, PATCH, 6), np.uint8), np.zeros((2, 4), int)
    value = None
    for shot in range(2):
        if shot == 0:
            faces = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS[edition])}
            how = {"faces": faces, "hardness": float(rng.choice([0.0, 0.0, 0.4]))}
        else:
            across = float(np.exp(rng.uniform(np.log(44), np.log(200))))
            how = {"across_px": across, "cards": int(rng.integers(6, 13)) if across < 110 else 7}
        picture = photograph(rng, edition=edition, size=(800, 608), printing=look, **how)
        cards = [c for c in picture.truth["cards"] + picture.truth["loose"] if not c.get("cut") and c["covered"] < 0.4]
        if not cards:
            break
        true = np.array([c["corners"] for c in cards])
        corners = np.array([nearly(quad, rng) for quad in true])
        pyramid = Pyramid.of(picture.bgr)
        if value is None:
            value = face_value_of(pyramid, corners)
        looks = coded(seen_for_likeness(*raw_patches(pyramid, corners), value))
        for card, six in zip(cards, looks, strict=True):
            for edge, hidden, patch in zip(card["edges"], card["hidden"], six, strict=True):
                kind = SYMBOLS[edition].index(edge) if hidden < 0.1 else 3
                if (hidden < 0.1 or hidden > 0.7) and n[shot, kind] < EACH:
                    x[shot, kind, n[shot, kind]] = patch
                    n[shot, kind] += 1
        strange = coded(seen_for_likeness(*raw_patches(pyramid, elsewhere(true, (800, 608), rng)), value))
        for patch in strange.reshape(-1, PATCH, PATCH, 6)[rng.permutation(len(strange) * 6)[:OTHER]]:
            if n[shot, 3] < EACH:
                x[shot, 3, n[shot, 3]] = patch
                n[shot, 3] += 1
    return x[None], n[None]


def shots(cache: Path, count: int, first_seed: int, workers: int) -> Shots:
    """The drawn photographs' patches."""
    return Shots(**drawn(cache, "likeness", ("x", "n"), draw, range(first_seed, first_seed + count), workers))


def usable(held: Shots) -> np.ndarray:
    """The printings of which all was seen."""
    return np.flatnonzero((held.n[:, 0, :3] >= 3).all(1) & (held.n[:, 1, :3] >= 1).any(1))


def episode(held: Shots, one: int, rng: np.random.Generator) -> np.ndarray:
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
    patches = otherwise(patches, rng).astype(np.float32) / 100 - 1.25
    # the light of the room that is not divided out, alike for a photograph; and a little for each patch
    room = np.where(np.arange(m) < 3 * EXAMPLES, 0, 1)
    gain = np.exp(rng.normal(0, 0.05, (2, 1, 1, 6)) + rng.normal(0, 0.03, (2, 1, 1, 1)))[room]
    gain = gain * np.exp(rng.normal(0, 0.04, (m, 1, 1, 1)))
    return np.clip(patches * gain, -1.25, 1.25).astype(np.float32)


def jittered(patches: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bytes (M, PATCH, PATCH, 6) seen through outlines that are a little off, as the reader's are."""
    middle = (PATCH - 1) / 2
    out = patches.copy()
    for i in np.flatnonzero(rng.random(len(patches)) < 0.8):
        turned = cv2.getRotationMatrix2D((middle, middle), rng.normal(0, 2.5), np.exp(rng.normal(0, 0.03)))
        turned[:, 2] += rng.normal(0, 0.7, 2)
        for half in (slice(0, 3), slice(3, 6)):
            seen = np.ascontiguousarray(patches[i, ..., half])
            out[i, ..., half] = cv2.warpAffine(seen, turned, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE)
    return out


def partly_covered(patches: np.ndarray, strangers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Some of the patches (M, PATCH, PATCH, 6) with something else of the same photograph over less than a quarter."""
    y, x = np.mgrid[:PATCH, :PATCH] - (PATCH - 1) / 2
    out = patches.copy()
    for i in np.flatnonzero(rng.random(len(patches)) < 0.15):
        angle, beyond = rng.uniform(0, 2 * np.pi), rng.uniform(4.0, 10.0)
        under = x * np.cos(angle) + y * np.sin(angle) > beyond
        out[i][under] = strangers[rng.integers(len(strangers))][under]
    return out


def otherwise(patches: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Another printing: all patches of an episode mirrored, or in exchanged colours."""
    if rng.random() < 0.5:
        patches = patches[:, :, ::-1]
    if rng.random() < 0.2:
        patches = patches[:, ::-1]
    order = rng.permutation(3) if rng.random() < 0.7 else np.arange(3)
    return patches[..., [*order, *(order + 3)]]


def answers(net: nn.Module, patches: np.ndarray) -> torch.Tensor:
    """Logits (B, 3 * QUESTIONS + STRANGERS, 4) of what is asked, from episodes (B, M, ...)."""
    b, m = patches.shape[:2]
    flat = torch.from_numpy(np.ascontiguousarray(patches.reshape(b * m, PATCH, PATCH, 6).transpose(0, 3, 1, 2)))
    z = net(flat).float().reshape(b, m, -1)
    centre = z[:, : 3 * EXAMPLES].reshape(b, 3, EXAMPLES, -1).mean(2)
    ask = z[:, 3 * EXAMPLES :]
    distance = ((ask[:, :, None] - centre[:, None]) ** 2).sum(-1)
    return torch.cat([-distance, torch.full_like(distance[:, :, :1], -LIMITS.none_at)], -1)


TRUTH = torch.cat([torch.arange(3).repeat_interleave(QUESTIONS), torch.full((STRANGERS,), 3)])


def tried(net: nn.Module, held: Shots, chosen: np.ndarray) -> str:
    """How the network does on printings held out."""
    rng = np.random.default_rng(5)
    net.eval()
    with torch.no_grad():
        p = torch.cat([torch.softmax(answers(net, episode(held, i, rng)[None]), -1)[0] for i in chosen for _ in "ab"])
    net.train()
    truth = TRUTH.repeat(2 * len(chosen))
    best, right, symbol = p.max(1).values, p.argmax(1) == truth, truth < 3
    sure = best > 0.96
    stated = sure & (p.argmax(1) < 3)
    return (
        f"right {right[symbol].float().mean():.4f} stated {stated[symbol].float().mean():.4f} "
        f"wrong among stated {(~right)[stated & symbol].float().mean():.5f} "
        f"strangers stated {stated[~symbol].float().mean():.4f}"
    )


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--printings", type=int, default=2400)
    ap.add_argument("--steps", type=int, default=1800)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--resume", type=Path, help="weights to go on from")
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # two spinning threads on two shared cores are slower than one
    rng = np.random.default_rng(1)
    taught, held = shots(a.cache, a.printings, 5_000_000, a.workers), shots(a.cache, 100, 5_900_000, a.workers)
    keep, out = usable(taught), usable(held)
    print(len(keep), "printings to learn from,", len(out), "held out", flush=True)
    net = Likeness()
    if a.resume is not None:
        net.load_state_dict(torch.load(a.resume))
    steady = averaged(net, 0.998)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3 if a.resume is None else 1e-3, total_steps=a.steps)
    begun, total = time.time(), 0.0
    hardness = np.ones(len(keep))
    for step in range(1, a.steps + 1):
        chosen = rng.choice(len(keep), 8, replace=False, p=(hardness + 0.1) / (hardness + 0.1).sum())
        with quick():
            logits = answers(net, np.stack([episode(taught, i, rng) for i in keep[chosen]]))
        losses = nn.functional.cross_entropy(
            logits.reshape(-1, 4), TRUTH.repeat(len(chosen)), label_smoothing=0.01, reduction="none"
        ).reshape(len(chosen), -1)
        hardness[chosen] = 0.5 * hardness[chosen] + 0.5 * losses.detach().mean(1).numpy().clip(0, 2)
        loss = losses.mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        steady.update_parameters(net)
        total += loss.item()
        if step % 200 == 0:
            how = tried(steady.module, held, out)
            print(f"step {step} loss {total / 200:.4f} {how} {time.time() - begun:.0f} s", flush=True)
            total = 0.0
    torch.save(steady.module.state_dict(), a.cache / "likeness.pt")
    free = {"patches": {0: "n"}, "likeness": {0: "n"}}
    export(steady.module, Path(__file__).with_name("likeness.onnx"), torch.zeros(6, 6, PATCH, PATCH), free)


if __name__ == "__main__":
    main()
