"""Begins a training with weights as they were written for OpenCV, where normalising is part of the convolutions."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn


@torch.no_grad()
def begin(net: nn.Module, path: Path, pictures: torch.Tensor, new: Sequence[nn.Module] = ()) -> None:
    """Take up a network of the same build: what it says of pictures is then what that one said.

    Args:
        net: the network.
        path: of that one; its convolutions are taken in the order in which they are used.
        pictures: (N, C, H, W) by which each layer is normalised anew.
        new: parts that that one had not; they stay as they are.
    """
    graph = onnx.load(str(path)).graph
    held = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    used = iter([[held[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"])
    norms = dict(_pairs(net))

    def take(conv: nn.Conv2d, _asked: object) -> None:
        weight, shift = next(used)
        conv.weight.copy_(weight)
        (conv.bias if conv.bias is not None else norms[conv].bias).copy_(shift)

    def fit(conv: nn.Conv2d, _asked: object, out: torch.Tensor) -> None:
        if conv in norms:
            norm, mean, var = norms[conv], out.mean((0, 2, 3)), out.var((0, 2, 3))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var)
            norm.weight.copy_((var + norm.eps).sqrt())
            norm.bias.add_(mean)

    own = {layer for part in new for layer in part.modules()}
    convs = [layer for layer in net.modules() if isinstance(layer, nn.Conv2d) and layer not in own]
    hooks = [hook for conv in convs for hook in (conv.register_forward_pre_hook(take), conv.register_forward_hook(fit))]
    net.eval()(pictures)
    net.train()
    for hook in hooks:
        hook.remove()


def _pairs(net: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution that is normalised, and what normalises it."""
    rows = [list(part) for part in net.modules() if isinstance(part, nn.Sequential)]
    pairs = [pair for row in rows for pair in pairwise(row)]
    return [(a, b) for a, b in pairs if isinstance(a, nn.Conv2d) and isinstance(b, nn.BatchNorm2d)]
