"""Writing a trained network as ONNX, with the checksum that the program compares before it loads it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

OPSET = 13
"""Of ONNX: what OpenCV 4.10 and all later ones read."""

_SMALL = 1024
"""Tensors of fewer numbers stay as they are: biases and scales weigh nothing."""

Axes = Sequence[str | int]
"""What a tensor's axes are called, and how long the axes are that always have one length, as ``("n", 3, 48, 48)``."""


def export(
    net: nn.Module, path: Path, inputs: tuple[str, Axes], outputs: tuple[str, Axes], example: Sequence[int]
) -> None:
    """Write a network of one input and one output, and ``weights.sha256`` beside it.

    Args:
        net: the network; it is left in the mode, training or not, in which it was.
        path: the ``.onnx`` file.
        inputs: the input's name and axes.
        outputs: the output's name and axes.
        example: the shape of an input to trace the network with.
    """
    was_training = net.training
    device = next(net.parameters()).device
    net.eval()
    torch.onnx.export(
        net,
        (torch.zeros(*example, device=device),),
        str(path),
        input_names=[inputs[0]],
        output_names=[outputs[0]],
        opset_version=OPSET,
        dynamo=False,
        dynamic_axes={
            name: {k: axis for k, axis in enumerate(axes) if isinstance(axis, str)} for name, axes in (inputs, outputs)
        },
    )
    net.train(was_training)
    write_checksum(path)


def store_half(path: Path) -> None:
    """Store a network's large weights as float16, cast back to float32 where the network is loaded: half the file.

    The answers change by a relative 1/2048 of each weight at most; both engines fold the casts away while they load.
    """
    model = onnx.load(str(path))
    graph, casts = model.graph, []
    for tensor in list(graph.initializer):
        weights = numpy_helper.to_array(tensor)
        if weights.dtype != np.float32 or weights.size < _SMALL:
            continue
        stored = f"{tensor.name}_half"
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(weights.astype(np.float16), stored))
        casts.append(helper.make_node("Cast", [stored], [tensor.name], to=TensorProto.FLOAT, name=f"{stored}_cast"))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    write_checksum(path)


def write_checksum(path: Path) -> None:
    """Write the checksum of a network's file beside it, in the form of ``sha256sum``."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".sha256").write_text(f"{digest}  {path.name}\n")
