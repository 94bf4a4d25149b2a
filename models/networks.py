"""The networks that more than one game is taught with, and the loss of finding."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from companion.vision.detection.corner_refiner import VIEW
from models.training import export


def block(i: int, o: int, stride: int = 1, k: int = 3, dilation: int = 1, pad: int | None = None) -> nn.Sequential:
    """A convolution from ``i`` planes to ``o``, normalised; padded so that the size stays, but for the stride."""
    pad = dilation * (k // 2) if pad is None else pad
    return nn.Sequential(
        nn.Conv2d(i, o, k, stride, pad, dilation, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True)
    )


class Beside(nn.Module):
    """Two convolutions that add to what they are given; they begin by adding nothing."""

    def __init__(self, planes: int) -> None:
        super().__init__()
        self.first = block(planes, planes)
        self.second = nn.Sequential(nn.Conv2d(planes, planes, 3, 1, 1, bias=False), nn.BatchNorm2d(planes))
        nn.init.zeros_(self.second[1].get_parameter("weight"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(x + self.second(self.first(x)))


def up(maps: torch.Tensor) -> torch.Tensor:
    """Maps at twice their size."""
    return nn.functional.interpolate(maps, scale_factor=2.0, mode="nearest")


class Trunk(nn.Module):
    """What every finder looks through: down to a sixteenth of the picture and up to a quarter again.

    Args:
        block: makes its layers, see `block`.
    """

    def __init__(self, block: Callable[..., nn.Sequential] = block) -> None:
        super().__init__()
        self.s2 = block(3, 16, 2)
        self.s4 = nn.Sequential(block(16, 24, 2), block(24, 24))
        self.s8 = nn.Sequential(block(24, 48, 2), block(48, 48), block(48, 48))
        self.s16 = nn.Sequential(
            block(48, 64, 2), block(64, 64), block(64, 64, dilation=2), block(64, 64, dilation=3), block(64, 64)
        )
        self.up8 = block(64, 48, k=1)
        self.m8 = block(48, 40)
        self.up4 = block(40, 24, k=1)
        self.m4 = block(24, 24)

    def down(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The maps at a quarter, an eighth and a sixteenth."""
        a4 = self.s4(self.s2(x))
        a8 = self.s8(a4)
        return a4, a8, self.s16(a8)

    def joined(self, a4: torch.Tensor, a8: torch.Tensor, a16: torch.Tensor) -> torch.Tensor:
        """The maps at a quarter, knowing what the coarser ones know."""
        b8 = self.m8(a8 + up(self.up8(a16)))
        b4: torch.Tensor = self.m4(a4 + up(self.up4(b8)))
        return b4


class Finder(Trunk):
    """Where pieces lie, for every fourth pixel of a half-size picture: eight planes, see `companion.vision.detection.detector`."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Conv2d(24, 8, 1)
        nn.init.constant_(self.head.get_parameter("bias")[:1], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps: torch.Tensor = self.head(self.joined(*self.down(x)))
        return maps


class Pose(nn.Module):
    """How an outline is off, six numbers from a view through it; see `companion.vision.detection.corner_refiner`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2), block(16, 24), block(24, 32, 2), block(32, 32), block(32, 48, 2), block(48, 48)
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(48 * (VIEW // 8) ** 2, 64), nn.ReLU(inplace=True), nn.Linear(64, 6)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        corrections: torch.Tensor = self.head(self.body(x))
        return corrections


def loss_of(
    out: torch.Tensor, heat: torch.Tensor, weight: torch.Tensor, wanted: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Loss of the centres (focal, the first plane of ``out``) and of the poses (the others, where ``mask`` is 1)."""
    p = torch.sigmoid(out[:, :1]).clamp(1e-4, 1 - 1e-4)
    top = (heat > 0.93).float()
    focal = top * (1 - p) ** 2 * torch.log(p) + (1 - top) * (1 - heat) ** 4 * p**2 * torch.log(1 - p)
    close = nn.functional.smooth_l1_loss(out[:, 1:], wanted, reduction="none", beta=0.1) * mask
    planes = out.shape[1] - 1
    return -(focal * weight).sum() / top.sum().clamp(min=1), close.sum() / (planes * mask.sum().clamp(min=1))


def export_finder(net: nn.Module, path: Path) -> None:
    """Write a finder for pictures of any size."""
    free = {"picture": {0: "n", 2: "height", 3: "width"}, "cards": {0: "n", 2: "rows", 3: "cols"}}
    export(net, path, torch.zeros(1, 3, 352, 640), free)
