"""Writing a trained network as ONNX, with the checksum that the program compares before it loads it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

OPSET = 13
"""Of ONNX: what OpenCV 4.10 and all later ones read."""

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


def write_checksum(path: Path) -> None:
    """Write the checksum of a network's file beside it, in the form of ``sha256sum``."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".sha256").write_text(f"{digest}  {path.name}\n")
