"""Trains the tile finder: where HexDragon tiles and stars lie and how each is turned and foreshortened.

    python models/hexdragon/tile_classifier/draw.py --cache DIR
    python models/hexdragon/detector/train.py --cache DIR [--steps 1800]

Begins with the weights of `models/hexel/detector`, which finds hexagons of another game, and learns on from drawn
photographs. Answers and architecture are the same; the normalisation is folded into the convolutions.
"""

import argparse
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from companion.vision.geometry.shapes import HEXAGON
from models.networks import Finder, loss_of
from models.training import export

hexel: Any = import_module("models.hexel.detector.train")
pictures: Any = import_module("models.hexdragon.tile_classifier.draw").pictures

HERE = Path(__file__)
BEGIN = HERE.parent.parent / "hexel-finder" / "finder.onnx"


def folded(net: nn.Module) -> nn.Module:
    """The same network without normalisation: each convolution has a bias instead."""
    for name, child in list(net.named_children()):
        if isinstance(child, nn.Conv2d) and child.bias is None:
            plain = nn.Conv2d(
                child.in_channels, child.out_channels, 3, child.stride, child.padding, child.dilation, bias=True
            )
            if child.kernel_size == (1, 1):
                plain = nn.Conv2d(child.in_channels, child.out_channels, 1)
            setattr(net, name, plain)
        elif isinstance(child, nn.BatchNorm2d):
            setattr(net, name, nn.Identity())
        else:
            folded(child)
    return net


def with_weights(net: nn.Module, path: Path) -> nn.Module:
    """The network with the weights of an exported one of its kind, taken in the order in which they are used."""
    model = onnx.load(str(path))
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    used = [node.input[1:] for node in model.graph.node if node.op_type in ("Conv", "Gemm")]
    layers = [m for m in net.modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    for layer, (weight, bias) in zip(layers, used, strict=True):
        layer.weight.data = torch.from_numpy(held[weight].copy())
        layer.bias.data = torch.from_numpy(held[bias].copy())  # type: ignore[union-attr]
    return net


def halves(cache: Path) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The pictures at half size, the corners (N, 6, 2) of what lies there and how much of each is hidden (N,)."""
    data = []
    for path, truth in pictures(cache):
        bgr = cv2.imread(str(path))
        assert bgr is not None, f"{path} is no picture"
        half = cv2.resize(bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        pieces = truth["tiles"] + truth["stars"]
        tiles = np.array([t["corners"] for t in truth["tiles"]], np.float32).reshape(-1, 6, 2)
        corners = np.concatenate([tiles, *(_as_tile(np.array(s["corners"]), tiles)[None] for s in truth["stars"])])
        data.append((half, corners / 2 - 0.25, np.array([t["covered"] for t in pieces], np.float32)))
    return data


def _as_tile(star: np.ndarray, tiles: np.ndarray) -> np.ndarray:
    """A star's outline: that of a tile in its cell, turned as the nearest tile is."""
    centre, _ = HEXAGON.pose_of(star)
    near = tiles[np.linalg.norm(tiles.mean(1) - centre, axis=1).argmin()]
    return np.asarray(centre + HEXAGON.unit @ HEXAGON.pose_of(near)[1].T, np.float32)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--steps", type=int, default=1800)
    ap.add_argument("--batch", type=int, default=10)
    ap.add_argument("--rate", type=float, default=6e-4)
    ap.add_argument("--begin", type=Path, default=BEGIN)
    a = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    data = halves(a.cache)
    net = with_weights(folded(Finder()), a.begin)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch declares it for tensors only
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=a.steps, pct_start=0.08)
    begun, seen = time.time(), np.zeros(2)
    for step in range(1, a.steps + 1):
        x, heat, weight, reg = hexel.batch(data, rng, a.batch)
        focal, pose = loss_of(net(x.to(memory_format=torch.channels_last)), heat, weight, reg[:, :7], reg[:, 7:])
        optimiser.zero_grad()
        torch.autograd.backward(focal + 2 * pose)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        seen += [focal.item(), pose.item()]
        if step % 100 == 0:
            print(
                f"step {step} centre {seen[0] / 100:.4f} pose {seen[1] / 100:.5f} {time.time() - begun:.0f} s",
                flush=True,
            )
            seen[:] = 0
        if step % 300 == 0 or step == a.steps:
            free = {"picture": {0: "n", 2: "h", 3: "w"}, "tiles": {0: "n", 2: "h", 3: "w"}}
            export(net, HERE.with_name("finder.onnx"), torch.zeros(1, 3, 352, 640), free)


if __name__ == "__main__":
    main()
