"""The networks that more than one game is trained with, and what they are built of."""

from pathlib import Path

import torch
from torch import nn

from companion.vision.detection.detector import VIEW
from models.export import export, store_half


def block(i: int, o: int, stride: int = 1, k: int = 3, dilation: int = 1, pad: int | None = None) -> nn.Sequential:
    """A convolution from ``i`` channels to ``o``, normalised; padded so that the size stays, but for the stride."""
    pad = dilation * (k // 2) if pad is None else pad
    return nn.Sequential(
        nn.Conv2d(i, o, k, stride, pad, dilation, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True)
    )


class ResidualBlock(nn.Module):
    """Two convolutions added to their input; with the weights it begins with, it adds nothing."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = block(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))
        nn.init.zeros_(self.second[1].get_parameter("weight"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(x + self.second(self.first(x)))


def upsample(maps: torch.Tensor) -> torch.Tensor:
    """Maps at twice their size, by the nearest value."""
    return nn.functional.interpolate(maps, scale_factor=2.0, mode="nearest")


class FeaturePyramid(nn.Module):
    """The backbone of every detector: down to a sixteenth of the picture and up to a quarter again."""

    def __init__(self) -> None:
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

    def merge(self, a4: torch.Tensor, a8: torch.Tensor, a16: torch.Tensor) -> torch.Tensor:
        """The maps at a quarter, with what the coarser ones found added."""
        b8 = self.m8(a8 + upsample(self.up8(a16)))
        b4: torch.Tensor = self.m4(a4 + upsample(self.up4(b8)))
        return b4


class DeepFeaturePyramid(FeaturePyramid):
    """A backbone with more layers at an eighth and at a sixteenth of the picture."""

    def __init__(self) -> None:
        super().__init__()
        self.more8, self.more16 = _residual(48, (1, 1)), _residual(64, (1, 2, 4, 1))

    def down(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """See `FeaturePyramid`."""
        a4 = self.s4(self.s2(x))
        a8 = self.s8(a4)
        a8 = a8 + self.more8(a8)
        a16 = self.s16(a8)
        return a4, a8, a16 + self.more16(a16)


def _residual(channels: int, dilations: tuple[int, ...]) -> nn.Sequential:
    """Convolutions to be added to their input; with the weights they begin with, they give zero."""
    layers: list[nn.Module] = []
    for dilation in dilations:
        convolution = nn.Conv2d(channels, channels, 3, 1, dilation, dilation, bias=False)
        layers += [convolution, nn.BatchNorm2d(channels), nn.ReLU()]
    nn.init.zeros_(layers[-2].get_parameter("weight"))
    return nn.Sequential(*layers[:-1])


class HeatmapDetector(FeaturePyramid):
    """Eight planes for every fourth pixel of a half-size picture, see `companion.vision.detection.detector`."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Conv2d(24, 8, 1)
        nn.init.constant_(self.head.get_parameter("bias")[:1], -4.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        planes: torch.Tensor = self.head(self.merge(*self.down(x)))
        return planes


class CornerRefiner(nn.Module):
    """An outline's affine correction, six numbers from a view; see `companion.vision.detection.detector`."""

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


def export_detector(net: nn.Module, path: Path, planes: int = 8) -> None:
    """Write a detector for pictures of any size, its weights stored as float16."""
    inputs, outputs = ("n", 3, "height", "width"), ("n", planes, "rows", "cols")
    export(net, path, ("picture", inputs), ("planes", outputs), (1, 3, 352, 640))
    store_half(path)
