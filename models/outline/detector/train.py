"""Trains the detector of outlines: where rectangular cards and hexagonal tiles lie, whatever is printed on them.

    python -m models.outline.detector.train --cache DIR --scenes DIR... [--steps 6000]

The scenes come from `models.drawing.card_shards`; files that are still being drawn are taken up as they appear. With
``--new-head`` it begins with another detector of this backbone, as Comet's.
"""

from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.detector import OFFSET_PX, STRIDE, brightened
from companion.vision.detection.heatmaps import PLANES, affine_of, encode
from models.detection import crop, detection_loss, recolour
from models.drawing.card_scenes import Outline, Scene
from models.networks import DeepFeaturePyramid, block, export_detector
from models.outline.scenes import ScenePool, options
from models.trainer import Losses, Trainer

CROP = 224
SMALLEST_NET_PX, LARGEST_NET_PX = 12.0, 150.0
"""Sizes of cards, the root of their area, that one look is to find: others are left to finer and coarser looks."""
EMPTY_AGAIN = 3
"""How many times more a scene without any card is shown than another: there are few of them."""
LEAST_VISIBLE = 0.55
"""Cards hidden more than that need not be found, nor are they wrong when found."""
Floats = NDArray[np.float32]


class Detector(DeepFeaturePyramid):
    """Sixteen planes for every fourth pixel, eight of each shape: see `companion.vision.detection.heatmaps`."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Sequential(block(24, 48, k=1), nn.Conv2d(48, 2 * PLANES, 1))
        for plane in (0, PLANES):
            nn.init.constant_(self.head[1].get_parameter("bias")[plane : plane + 1], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        planes: torch.Tensor = self.head(self.merge(*self.down(x)))
        return planes


def targets(scene: Scene) -> tuple[Floats, Floats, Floats, Floats]:
    """What the network should answer for a scene (CROP, CROP), once for rectangles and once for hexagons.

    Returns:
        Heat (2, 1, h, w), its weight (2, 1, h, w), the other planes (2, 7, h, w) and where those count (2, 1, h, w).
    """
    cells = CROP // STRIDE
    heat, weight = np.zeros((2, cells, cells), np.float32), np.ones((2, cells, cells), np.float32)
    wanted, mask = np.zeros((2, PLANES - 1, cells, cells), np.float32), np.zeros((2, cells, cells), np.float32)
    for polygon in scene.ignored:
        for plane in weight:
            cv2.fillPoly(plane, [_to_cells(polygon)], 0.0, cv2.LINE_8, 4)
    for outline in scene.outlines:
        corners = outline.corners.astype(np.float64)
        size = float(np.sqrt(cv2.contourArea(outline.corners)))
        shape = 0 if len(corners) == 4 else 1
        centre, affine = affine_of(corners)
        slack = 0.03 * size
        is_whole = (corners > -slack).all() and (corners < CROP - 1 + slack).all()
        is_wanted = is_whole and outline.visible >= LEAST_VISIBLE and SMALLEST_NET_PX < size < LARGEST_NET_PX
        if not is_wanted:
            cv2.fillConvexPoly(weight[shape], _to_cells(corners), 0.0, cv2.LINE_8, 4)
            continue
        reach = np.abs(affine).sum(1) * 0.75
        low = np.clip(np.floor((centre - reach) / STRIDE), 0, cells).astype(int)
        high = np.clip(np.ceil((centre + reach) / STRIDE) + 1, 0, cells).astype(int)
        y, x = np.mgrid[low[1] : high[1], low[0] : high[0]]
        if not y.size:
            continue
        at = np.stack([x, y], -1) * STRIDE + (STRIDE - 1) / 2
        away = (at - centre) @ np.linalg.inv(affine).T
        far = (away**2).sum(-1)
        part = (slice(low[1], high[1]), slice(low[0], high[0]))
        nearest = np.unravel_index(np.argmin(far), far.shape)
        bump = np.exp(-far / (2 * 0.17**2))
        bump[nearest] = 1.0
        heat[shape][part] = np.maximum(heat[shape][part], bump)
        is_core = far < 0.3**2
        is_core[nearest] = True
        values = np.concatenate(
            [(centre - at) / OFFSET_PX, np.broadcast_to(encode(affine, len(corners)), (*far.shape, 5))], -1
        )
        wanted[shape][(slice(None), *part)] = np.where(
            is_core, values.transpose(2, 0, 1), wanted[shape][(slice(None), *part)]
        )
        mask[shape][part] = np.where(is_core, 1.0, mask[shape][part])
    return heat[:, None], weight[:, None], wanted, mask[:, None]


def _to_cells(points: NDArray[np.floating]) -> NDArray[np.int32]:
    cells = ((points - (STRIDE - 1) / 2) / STRIDE * 16).round()
    return np.asarray(np.clip(cells, -(2**20), 2**20), np.int32)


def augment(scene: Scene, rng: np.random.Generator) -> Scene:
    """A random part of the scene, somewhat smaller, turned, mirrored, in other colours, as the detector levels it."""
    side = int(rng.integers(CROP, scene.picture.shape[0] + 1))
    small = np.asarray(cv2.resize(scene.picture, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    polygons = [outline.corners for outline in scene.outlines] + list(scene.ignored)
    factor = side / scene.picture.shape[0]
    scaled = [np.asarray((polygon[None] + 0.5) * factor - 0.5, np.float32) for polygon in polygons]
    picture, moved = crop(small, scaled, CROP, rng, mirror=True)
    points = [np.ascontiguousarray(polygon[0]) for polygon in moved]
    gain, lift = np.clip(rng.normal(1, 0.12), 0.6, 1.3), max(0.0, rng.normal(0, 6))
    lit = brightened(cv2.convertScaleAbs(recolour(picture, rng, 0.3, 0.05), alpha=gain, beta=lift))
    count = len(scene.outlines)
    outlines = [Outline(p, o.visible) for p, o in zip(points[:count], scene.outlines, strict=True)]
    return Scene(np.asarray(lit, np.uint8), outlines, points[count:])


def batch(pool: ScenePool, size: int, rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
    """Pictures (N, 3, CROP, CROP) as the network sees them and, both shapes side by side, `targets` (2 N, ...)."""
    scenes = [augment(scene, rng) for scene in pool.draw(size)]
    pictures = np.stack([scene.picture for scene in scenes]).transpose(0, 3, 1, 2).astype(np.float32) / 255 - 0.5
    columns = zip(*(targets(scene) for scene in scenes), strict=True)
    return torch.from_numpy(pictures), *(torch.from_numpy(np.concatenate(column)) for column in columns)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export_detector(net, path, 2 * PLANES)


def main() -> None:
    found = options(__doc__, steps=6000, rate=2e-3, batch=8)
    found.add_argument("--new-head", action="store_true", help="the warm start's network finds pieces of one game")
    a = found.parse_args()
    net = Detector()
    trainer = Trainer(net, a, weight_decay=0.01, average=0.995, warm_up=0.08)
    pool = ScenePool(a.scenes, a.files, trainer.rng, empty=EMPTY_AGAIN)
    trainer.start_from(batch(pool, a.batch, trainer.rng)[0], (net.head,) if a.new_head else ())

    def losses() -> Losses:
        pictures, *wanted = trainer.move(*batch(pool, a.batch, trainer.rng))
        planes = trainer.forward(pictures).unflatten(1, (2, PLANES)).flatten(0, 1)
        centre, pose = detection_loss(planes, *wanted, peak=0.97, beta=0.05)
        return {"centre": centre, "pose": 4 * pose}

    trainer.fit(losses, write, save_every=300)


if __name__ == "__main__":
    main()
