"""Trains the detector of outlines: where rectangular cards and hexagonal tiles lie, whatever is printed on them.

    PYTHONPATH=. python -m models.outline.detector.train --scenes DIR... --out weights.onnx --steps 6000 [--begin W]

Training begins with the weights of an earlier run (``.pt``) or of another finder with this trunk (``.onnx``).
The scenes come from `models.drawing.card_shards`; files that are still being drawn are taken up as they appear.
The weights' running mean is written, as ``.onnx`` and ``.pt``, every 300 steps and at the end.
"""

import argparse
import pickle
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.detector import brightened
from companion.vision.detection.poses import affine_of, encode
from models.beginning import begin
from models.drawing.card_faces import Rng
from models.drawing.card_scenes import Outline, Scene
from models.networks import Trunk, block
from models.training import averaged, export, quick

STRIDE, CROP, BATCH = 4, 224, 8
SMALLEST_NET_PX, LARGEST_NET_PX = 12.0, 150.0
"""Sizes of cards, the root of their area, that one look is to find: others are left to finer and coarser looks."""
EMPTY_REPEATS = 3
"""How many times more a scene without any card is shown than another: there are few of them."""
OFFSET_PX = 8.0
"""Offsets to centres are answered in these units."""
LEAST_VISIBLE = 0.55
"""Cards hidden more than that need not be found, nor are they wrong when found."""
PLANES = 8
"""For each shape: a centre's logit, its offset (2) and the pose's code (5); rectangles first."""
Floats = NDArray[np.float32]


class Detector(Trunk):
    """Sixteen planes for every fourth pixel, see `PLANES`; the trunk is that of `models/comet-finder`."""

    def __init__(self) -> None:
        super().__init__()
        self.more8, self.more16 = _repeated(48, (1, 1)), _repeated(64, (1, 2, 4, 1))
        self.head = nn.Sequential(block(24, 48, k=1), nn.Conv2d(48, 2 * PLANES, 1))
        for plane in (0, PLANES):
            nn.init.constant_(self.head[1].get_parameter("bias")[plane : plane + 1], -4.0)

    def down(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        a4 = self.s4(self.s2(x))
        a8 = self.s8(a4)
        a8 = a8 + self.more8(a8)
        a16 = self.s16(a8)
        return a4, a8, a16 + self.more16(a16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps: torch.Tensor = self.head(self.joined(*self.down(x)))
        return maps


def _repeated(planes: int, dilations: tuple[int, ...]) -> nn.Sequential:
    """Convolutions whose sum with what they are given is, to begin with, what they are given."""
    layers: list[nn.Module] = []
    for dilation in dilations:
        layers += [nn.Conv2d(planes, planes, 3, 1, dilation, dilation, bias=False), nn.BatchNorm2d(planes), nn.ReLU()]
    nn.init.zeros_(layers[-2].get_parameter("weight"))
    return nn.Sequential(*layers[:-1])


def targets(scene: Scene, shift: NDArray[np.int64], side: int) -> tuple[Floats, Floats, Floats, Floats]:
    """What the network should answer for the part of a scene that begins at ``shift``.

    Returns:
        Heat (2, h, w), its weight (2, h, w), the other planes (2, 7, h, w) and where those count (2, h, w).
    """
    cells = side // STRIDE
    heat, weight = np.zeros((2, cells, cells), np.float32), np.ones((2, cells, cells), np.float32)
    wanted, mask = np.zeros((2, PLANES - 1, cells, cells), np.float32), np.zeros((2, cells, cells), np.float32)
    for polygon in scene.ignored:
        for plane in weight:
            cv2.fillPoly(plane, [_to_cells(polygon - shift)], 0.0, cv2.LINE_8, 4)
    for outline in scene.outlines:
        corners = outline.corners.astype(np.float64) - shift
        size = float(np.sqrt(cv2.contourArea(outline.corners)))
        shape = 0 if len(corners) == 4 else 1
        centre, affine = affine_of(corners)
        slack = 0.03 * size
        is_whole = (corners > -slack).all() and (corners < side - 1 + slack).all()
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
    return heat, weight, wanted, mask


def _to_cells(points: NDArray[np.floating]) -> NDArray[np.int32]:
    cells = ((points - (STRIDE - 1) / 2) / STRIDE * 16).round()
    return np.asarray(np.clip(cells, -(2**20), 2**20), np.int32)


def turned(rng: Rng, scene: Scene) -> Scene:
    """The scene turned by quarters, perhaps mirrored; its colours changed."""
    side = scene.picture.shape[0]
    quarters, is_mirrored = int(rng.integers(4)), rng.random() < 0.5
    picture = np.rot90(scene.picture, quarters)
    picture = picture[:, ::-1] if is_mirrored else picture

    def moved(points: NDArray[np.float32]) -> NDArray[np.float32]:
        for _ in range(quarters):
            points = np.stack([points[:, 1], side - 1 - points[:, 0]], 1)
        if is_mirrored:
            points = (points * [-1, 1] + [side - 1, 0])[::-1]
        return np.ascontiguousarray(points, np.float32)

    outlines = [Outline(moved(o.corners), o.visible) for o in scene.outlines]
    if rng.random() < 0.3:
        picture = picture[..., rng.permutation(3)]
    if rng.random() < 0.05:
        picture = 255 - picture
    gain = np.clip(rng.normal(1, 0.12), 0.6, 1.3)
    picture = cv2.convertScaleAbs(np.ascontiguousarray(picture), alpha=gain, beta=max(0.0, rng.normal(0, 6)))
    return Scene(np.asarray(picture, np.uint8), outlines, [moved(p) for p in scene.ignored])


def shrunk(rng: Rng, scene: Scene) -> Scene:
    """The scene somewhat smaller."""
    side = scene.picture.shape[0]
    small = int(rng.integers(CROP, side + 1))
    factor = small / side
    picture = cv2.resize(scene.picture, (small, small), interpolation=cv2.INTER_AREA)

    def moved(points: Floats) -> Floats:
        return np.asarray((points + 0.5) * factor - 0.5, np.float32)

    outlines = [Outline(moved(o.corners), o.visible) for o in scene.outlines]
    return Scene(np.asarray(picture, np.uint8), outlines, [moved(p) for p in scene.ignored])


def batches(folders: Sequence[Path], seed: int, kept: int) -> Iterator[list[NDArray[np.float32]]]:
    """Batches without end from the files of the folders, so many files of each in memory at a time."""
    rng = np.random.default_rng(seed)
    pool: list[Scene] = []
    while True:
        if len(pool) < BATCH or rng.random() < 0.0025:
            files = [sorted(folder.glob("*.pickle")) for folder in folders]
            chosen = [f[i] for f in files for i in rng.permutation(len(f))[:kept]]
            pool = [scene for path in chosen for scene in pickle.loads(path.read_bytes())]
            pool += EMPTY_REPEATS * [scene for scene in pool if not scene.outlines]
        items = []
        for index in rng.integers(len(pool), size=BATCH):
            scene = shrunk(rng, turned(rng, pool[index]))
            shift = rng.integers(0, scene.picture.shape[0] - CROP + 1, 2)
            cut = scene.picture[shift[1] : shift[1] + CROP, shift[0] : shift[0] + CROP]
            items.append((brightened(cut), *targets(scene, shift, CROP)))
        yield [np.stack(column) for column in zip(*items, strict=True)]


def loss_of(out: torch.Tensor, batch: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of centres (focal) and of poses."""
    heat, weight, wanted, mask = batch
    planes = out.reshape(out.shape[0], 2, PLANES, *out.shape[2:])
    p = torch.sigmoid(planes[:, :, 0]).clamp(1e-4, 1 - 1e-4)
    top = (heat > 0.97).float()
    focal = top * (1 - p) ** 2 * torch.log(p) + (1 - top) * (1 - heat) ** 4 * p**2 * torch.log(1 - p)
    close = nn.functional.smooth_l1_loss(planes[:, :, 1:], wanted, reduction="none", beta=0.05)
    close = (close * mask[:, :, None]).sum() / ((PLANES - 1) * mask.sum().clamp(min=1))
    return -(focal * weight).sum() / top.sum().clamp(min=1), close


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--kept", type=int, default=8, help="files of each folder in memory at a time")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(1)
    net = Detector().to(memory_format=torch.channels_last)
    if options.begin and options.begin.suffix == ".onnx":
        first = next(batches(options.scenes[:1], 3, 1))[0]
        begin(net, options.begin, torch.from_numpy(first).permute(0, 3, 1, 2).float() / 255 - 0.5, [net.head])
    elif options.begin:
        net.load_state_dict(torch.load(options.begin))
    mean = averaged(net, 0.995)
    optimiser = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, options.steps, pct_start=0.08)
    begun, shown = time.time(), np.zeros(2)
    for step, arrays in enumerate(batches(options.scenes, 7, options.kept), 1):
        picture = torch.from_numpy(arrays[0]).permute(0, 3, 1, 2).float() / 255 - 0.5
        with quick():
            out = net(picture.contiguous(memory_format=torch.channels_last))
        heat, close = loss_of(out.float(), [torch.from_numpy(a) for a in arrays[1:]])
        optimiser.zero_grad()
        (heat + 4 * close).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        shown = shown * 0.99 + 0.01 * np.array([heat.item(), close.item()])
        if step % 50 == 0:
            print(step, (shown / (1 - 0.99**step)).round(4), f"{time.time() - begun:.0f} s", flush=True)
        if step % 300 == 0 or step == options.steps:
            torch.save(mean.module.state_dict(), options.out.with_suffix(".pt"))
            free = {"picture": {0: "n", 2: "h", 3: "w"}, "planes": {0: "n", 2: "h", 3: "w"}}
            export(mean.module, options.out, torch.zeros(1, 3, 320, 320), free)
        if step == options.steps:
            return


if __name__ == "__main__":
    main()
