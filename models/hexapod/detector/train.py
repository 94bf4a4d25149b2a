"""Trains the detector of Hexapod: where display cases and loose cards lie, and how each is turned and foreshortened.

    python -m models.hexapod.keypoints.draw --cache DIR
    python -m models.hexapod.detector.train --cache DIR [--steps 6000] [--warm-start WEIGHTS.onnx]

The answers are those that `companion.games.hexapod.vision.detector` decodes.
"""

from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.games.hexapod.vision.detector import CARDS, CASES
from companion.vision.geometry import CODE_SCALE, homography, quad_code
from models.detection import Picture, crop, detection_loss, recolour, relight
from models.hexapod.keypoints import draw
from models.networks import FeaturePyramid, block, export_detector, upsample
from models.trainer import Losses, Trainer, parser

CROP = 288
WIDE = 640
"""How wide the network sees a picture at most."""
HIDDEN = 0.6
"""What something hides more of than this is neither to be found nor not."""
_SCALES, _OFTEN = ((1.0, 1.0), (0.4, 0.5), (0.6, 0.95), (1.1, 1.7)), (0.45, 0.25, 0.15, 0.15)
"""By what a picture is scaled, and how often: as it is, and as for the second look at what is large."""

Quads = tuple[NDArray[np.float32], NDArray[np.bool_]]
"""Corners (N, 4, 2), and of each whether so much of it is hidden that it is neither to be found nor not."""
Drawn = tuple[Picture, Quads, Quads]
"""A picture, its cases and its loose cards."""


class CaseDetector(FeaturePyramid):
    """The detector of cards, and a second way down to a coarser view in which whole cases are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Conv2d(24, 8, 1)
        self.s32 = nn.Sequential(block(64, 80, 2), block(80, 80), block(80, 80, dilation=2), block(80, 80))
        self.up16 = block(80, 64, k=1)
        self.m16 = nn.Sequential(block(64, 64), block(64, 64))
        self.case8 = nn.Sequential(block(64 + 48, 48, k=1), block(48, 48), nn.Conv2d(48, 10, 1))
        for layer in (self.head, self.case8[-1]):
            nn.init.constant_(layer.get_parameter("bias")[:1], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a4, a8, a16 = self.down(x)
        cards = self.head(self.merge(a4, a8, a16))
        b16 = self.m16(a16 + upsample(self.up16(self.s32(a16))))
        cases = self.case8(torch.cat([upsample(b16), a8], 1))
        return torch.cat([cards, upsample(cases)], 1)


def loaded(cache: Path, count: int) -> list[Drawn]:
    """The pictures as large as the network sees them."""
    found: list[Drawn] = []
    for image, *outlines in draw.pictures(cache, count):
        factor = min(1.0, WIDE / image.shape[1])
        small = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
        cases, cards = (((some.corners + 0.5) * factor - 0.5, some.hidden > HIDDEN) for some in outlines)
        found.append((small, cases, cards))
    return found


def augmented(item: Drawn, rng: np.random.Generator) -> Drawn:
    """A random crop, as it is, shrunk as for the second look at what is large, or enlarged, flipped and turned."""
    picture, (cases, hidden_cases), (cards, hidden_cards) = item
    image: Picture = picture
    quads = [cases, cards]
    low, high = _SCALES[int(rng.choice(len(_SCALES), p=_OFTEN))]
    factor = float(rng.uniform(low, high))
    if factor != 1:
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
        image = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=how), np.uint8)
        quads = [(q + 0.5) * factor - 0.5 for q in quads]
    bottom, right = max(0, CROP - image.shape[0]), max(0, CROP - image.shape[1])
    image = np.asarray(cv2.copyMakeBorder(image, 0, bottom, 0, right, cv2.BORDER_REPLICATE), np.uint8)
    image, quads = crop(image, quads, CROP, rng, mirror=True)
    return relight(recolour(image, rng, 0.15), rng), (quads[0], hidden_cases), (quads[1], hidden_cards)


def targets(quads: Quads, planes: int, unit: float, spread: float, stride: int) -> NDArray[np.float32]:
    """Heat, its weight, the regression (planes - 1) and its mask: (planes + 2, s, s)."""
    s = CROP // stride
    out = np.zeros((planes + 2, s, s), np.float32)
    heat, weight, reg, mask = out[0], out[1], out[2:-1], out[-1]
    weight[:] = 1.0
    yy, xx = np.mgrid[0:s, 0:s].astype(np.float32)
    px, py = xx * stride + (stride - 1) / 2, yy * stride + (stride - 1) / 2
    for quad, is_hidden in zip(*quads, strict=True):
        if (quad.max(0) < 0).any() or (quad.min(0) > CROP - 1).any():
            continue
        inverse = np.linalg.inv(homography(quad))
        depth = inverse[2, 0] * px + inverse[2, 1] * py + inverse[2, 2]
        u = (inverse[0, 0] * px + inverse[0, 1] * py + inverse[0, 2]) / depth
        v = (inverse[1, 0] * px + inverse[1, 1] * py + inverse[1, 2]) / depth
        d2 = u * u + v * v
        if is_hidden or not ((quad > -3) & (quad < CROP + 2)).all():
            weight[np.maximum(np.abs(u), np.abs(v)) < 1.1] = 0.0
            continue
        centre, code = quad_code(quad)
        size = float(np.exp((code[0] + code[2]) / 2))
        sigma2 = max(spread, 0.65 * stride / size) ** 2
        np.maximum(heat, np.exp(-d2 / (2 * sigma2)), out=heat)
        heat.flat[int(d2.argmin())] = 1.0
        mine = d2 < (1.7 * spread) ** 2 + (1.1 * stride / size) ** 2
        reg[0][mine], reg[1][mine] = (centre[0] - px[mine]) / unit, (centre[1] - py[mine]) / unit
        for k in range(planes - 3):
            reg[2 + k][mine] = code[k] * CODE_SCALE[k]
        mask[mine] = 1.0
    return out


def batch(data: list[Drawn], rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    rows = []
    for i in rng.integers(0, len(data), size):
        image, cases, cards = augmented(data[int(i)], rng)
        wanted = (
            targets(cards, 8, CARDS.offset_px, 0.16, CARDS.stride),
            targets(cases, 10, CASES.offset_px, 0.14, CASES.stride),
        )
        rows.append((np.ascontiguousarray(image.transpose(2, 0, 1)) / 255 - 0.5, *wanted))
    return tuple(torch.from_numpy(np.stack(column).astype(np.float32)) for column in zip(*rows, strict=True))


def main() -> None:
    options = parser(__doc__, steps=6000, rate=2e-3, batch=10)
    options.add_argument("--pictures", type=int, default=3000)
    a = options.parse_args()
    trainer = Trainer(CaseDetector(), a, warm_up=0.08)
    data = loaded(a.cache, a.pictures)
    trainer.start_from(batch(data, trainer.rng, 4 * a.batch)[0])

    def losses() -> Losses:
        pictures, *wanted = trainer.move(*batch(data, trainer.rng, a.batch))
        planes = trainer.forward(pictures)
        cards, cases = (detection_loss(*some) for some in _by_kind(planes, *wanted))
        return {"card": cards[0], "card pose": 2 * cards[1], "case": cases[0], "case pose": 2 * cases[1]}

    trainer.fit(losses, partial(export_detector, planes=18))


def _by_kind(planes: torch.Tensor, cards: torch.Tensor, cases: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], ...]:
    """The arguments of `detection_loss` for loose cards and for cases, which have half as many places."""
    return tuple(
        (out, wanted[:, :1], wanted[:, 1:2], wanted[:, 2:-1], wanted[:, -1:])
        for out, wanted in ((planes[:, :8], cards), (planes[:, 8:, ::2, ::2], cases))
    )


if __name__ == "__main__":
    main()
