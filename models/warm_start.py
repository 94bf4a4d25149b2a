"""Starting a training with exported weights, in which normalisation is folded into the convolutions."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn


def warm_start(net: nn.Module, path: Path, pictures: torch.Tensor, new: Sequence[nn.Module] = ()) -> None:
    """Take up the weights of a network of the same build: its outputs for the pictures are then the same.

    Args:
        net: the network.
        path: of the exported one; its layers are taken in the order in which they are used.
        pictures: (N, C, H, W) whose activations set the statistics of each normalisation.
        new: parts that the exported one had not; they stay as they are.
    """
    graph = onnx.load(str(path)).graph
    weights = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    for node in graph.node:  # weights that are stored as float16, see `models.export.store_half`
        if node.op_type == "Cast" and node.input[0] in weights:
            weights[node.output[0]] = weights[node.input[0]].float()
    used = iter([[weights[name] for name in node.input[1:]] for node in graph.node if node.op_type in ("Conv", "Gemm")])
    norms = dict(_normalised(net))

    def take(layer: nn.Module, _: object) -> None:
        weight, shift = next(used)
        layer.weight.copy_(weight)
        (layer.bias if layer.bias is not None else norms[layer].bias).copy_(shift)

    def fit(layer: nn.Module, _: object, out: torch.Tensor) -> None:
        if layer in norms:
            norm, mean, var = norms[layer], out.mean((0, 2, 3)), out.var((0, 2, 3))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var)
            norm.weight.copy_((var + norm.eps).sqrt())
            norm.bias.add_(mean)

    own = {layer for part in new for layer in part.modules()}
    layers = [layer for layer in net.modules() if isinstance(layer, nn.Conv2d | nn.Linear) and layer not in own]
    hooks = [hook for one in layers for hook in (one.register_forward_pre_hook(take), one.register_forward_hook(fit))]
    with torch.no_grad():
        net.eval()(pictures)
    net.train()
    for hook in hooks:
        hook.remove()


def _normalised(net: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution that is normalised, and what normalises it."""
    rows = [list(part) for part in net.modules() if isinstance(part, nn.Sequential)]
    pairs = [pair for row in rows for pair in pairwise(row)]
    return [(a, b) for a, b in pairs if isinstance(a, nn.Conv2d) and isinstance(b, nn.BatchNorm2d)]
