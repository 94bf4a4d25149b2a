"""Trains the refiner of outlines: where, in a strip along a card's side, the card's edge runs.

    python -m models.outline.refiner.train --cache DIR --scenes DIR... [--steps 3000]

A strip's answer is, for each of its columns, a logit for every place across it and one for there being no edge. The
scenes come from `models.drawing.card_shards`; files that are still being drawn are taken up as they appear.
"""

from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.heatmaps import UNIT_SHAPES, affine_of
from companion.vision.edge_refinement import (
    COLUMNS,
    STRIP,
    CardFrame,
    bin_places,
    brightened_strips,
    cut_strips,
    edge_offsets,
)
from companion.vision.image.pyramid import Pyramid
from models.drawing.card_faces import Rng
from models.drawing.card_scenes import LARGEST_PX, SMALLEST_PX, Scene
from models.export import export, store_half
from models.networks import block
from models.outline.scenes import ScenePool, options
from models.trainer import Losses, Trainer

SIGMA = 0.8 * float(bin_places()[1] - bin_places()[0])
"""The width of the answer that is asked for."""


class Refiner(nn.Module):
    """For a strip (3, STRIP, STRIP) its logits (STRIP + 1, COLUMNS): the edge's place, the last for no edge at all."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2), block(16, 32), _along(32, 32), _dilated(32, 2), _dilated(32, 4), _dilated(32, 2)
        )
        self.places, self.none = nn.Conv2d(32, 2, (3, 3), padding=1), nn.Conv2d(32, 1, (STRIP // 2, 3), padding=(0, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = self.body(x)
        places = self.places(maps).permute(0, 2, 1, 3).reshape(-1, STRIP, COLUMNS)
        return torch.cat([places, self.none(maps).reshape(-1, 1, COLUMNS)], 1)


def _along(i: int, o: int) -> nn.Sequential:
    conv = nn.Conv2d(i, o, 3, (1, 2), 1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(o), nn.ReLU(inplace=True))


def _dilated(planes: int, dilation: int) -> nn.Sequential:
    conv = nn.Conv2d(planes, planes, 3, 1, (dilation, 1), (dilation, 1), bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(planes), nn.ReLU(inplace=True))


def misjudged(rng: Rng, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outline as a detector gives it, or as a first refinement leaves it."""
    size = float(np.sqrt(cv2.contourArea(corners.astype(np.float32))))
    if rng.random() < 0.6:
        centre, affine = affine_of(corners)
        affine = affine @ (np.eye(2) + rng.normal(0, 0.05, (2, 2)))
        rough = UNIT_SHAPES[len(corners)] @ affine.T + centre + rng.normal(0, 0.035, 2) * size
        return np.asarray(rough + rng.normal(0, 0.01, rough.shape) * size)
    return np.asarray(corners + rng.normal(0, rng.choice([0.01, 0.03]), corners.shape) * size)


def strays(rng: Rng, scene: Scene) -> NDArray[np.float64]:
    """An outline where no card lies so: elsewhere, or shifted by much of a card, or of another size."""
    sides = 4 if rng.random() < 0.6 else 6
    if scene.outlines and rng.random() < 0.6:
        corners = scene.outlines[int(rng.integers(len(scene.outlines)))].corners.astype(np.float64)
        centre, affine = affine_of(corners)
        if rng.random() < 0.5:
            centre = centre + affine @ rng.choice([-1.0, 1.0], 2) * rng.uniform(0.7, 1.3)
        else:
            affine = affine * rng.choice([0.5, 0.6, 1.8])
        return UNIT_SHAPES[len(corners)] @ affine.T + centre
    half = np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))) / 2
    turn = rng.uniform(0, 6.3)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag(
        [half, half * rng.uniform(0.5, 1)]
    )
    return np.asarray(UNIT_SHAPES[sides] @ spin.T + rng.uniform(half, scene.picture.shape[0] - half, 2))


def example(rng: Rng, scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.float32]] | None:
    """Strips of one card (N, STRIP, STRIP, 3) and their answers (N, STRIP + 1, COLUMNS), which sum to 1."""
    side_px = scene.picture.shape[0]
    pyramid = Pyramid.of(scene.picture)
    whole = [
        o
        for o in scene.outlines
        if o.visible > 0.75 and (o.corners > 0).all() and (o.corners < side_px - 1).all()
        and SMALLEST_PX < np.sqrt(cv2.contourArea(o.corners)) < LARGEST_PX
    ]  # fmt: skip
    if whole and rng.random() < 0.88:
        true = whole[int(rng.integers(len(whole)))].corners.astype(np.float64)
        frame = CardFrame.of(misjudged(rng, true))
        offsets = edge_offsets(frame, true)
        bins = np.exp(-((offsets[:, None] - bin_places()[:, None]) ** 2) / (2 * SIGMA**2))
        none = np.full((len(true), 1, COLUMNS), 1e-9)
    else:
        frame = CardFrame.of(strays(rng, scene))
        offsets = np.zeros((len(frame.corners), COLUMNS))
        bins, none = np.zeros((len(offsets), STRIP, COLUMNS)), np.ones((len(offsets), 1, COLUMNS))
        nearest = min((_distance(frame, o.corners) for o in scene.outlines), default=1.0)
        if nearest < 0.4:
            return None
    asked = np.concatenate([bins, none], 1)
    strips = cut_strips(pyramid, frame)
    if rng.random() < 0.5:  # along a side, left and right are alike
        strips, asked = strips[:, :, ::-1], asked[:, :, ::-1]
    if rng.random() < 0.3:
        strips = strips[..., rng.permutation(3)]
    if rng.random() < 0.1:
        strips = 255 - strips
    return np.ascontiguousarray(strips), np.asarray(asked / asked.sum(1, keepdims=True), np.float32)


def _distance(frame: CardFrame, corners: NDArray[np.float32]) -> float:
    """How far an outline is from the frame's card, in its size: the mean over the corners; 1 for another shape."""
    if len(corners) != len(frame.corners):
        return 1.0
    mine = frame.to_picture(frame.corners)
    least = min(float(np.linalg.norm(mine - np.roll(corners, k, 0), axis=1).mean()) for k in range(len(corners)))
    return least / frame.size


def batch(pool: ScenePool, cards: int, rng: Rng) -> tuple[torch.Tensor, torch.Tensor]:
    """Strips (N, 3, STRIP, STRIP) of about so many cards, as the network sees them, and their answers."""
    made = [one for scene in pool.draw(cards) if (one := example(rng, scene)) is not None]
    wanted = np.concatenate([answers for _, answers in made])
    return torch.from_numpy(brightened_strips([strips for strips, _ in made])), torch.from_numpy(wanted)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export(net, path, ("strips", ("n", 3, STRIP, STRIP)), ("logits", ("n", STRIP + 1, COLUMNS)), (2, 3, STRIP, STRIP))
    store_half(path)


def main() -> None:
    a = options(__doc__, steps=3000, rate=3e-3, batch=30).parse_args()
    trainer = Trainer(Refiner(), a, weight_decay=0.01, average=0.995, warm_up=0.08)
    pool = ScenePool(a.scenes, a.files, trainer.rng)
    trainer.start_from(batch(pool, a.batch, trainer.rng)[0])

    def losses() -> Losses:
        strips, wanted = trainer.move(*batch(pool, a.batch, trainer.rng))
        return {"edge": nn.functional.cross_entropy(trainer.forward(strips), wanted)}

    trainer.fit(losses, write, save_every=250)


if __name__ == "__main__":
    main()
