"""The mean of two rounds' weights: a network that errs less than either, where one round was begun with the other.

python -m models.average_weights ONE.onnx OTHER.onnx OUT.onnx
"""

import argparse
from pathlib import Path

import onnx
from onnx import numpy_helper

from models.export import write_checksum


def mean(one: onnx.ModelProto, other: onnx.ModelProto) -> onnx.ModelProto:
    """A network with the mean weights of two of the same build; their layers lie in the same order."""
    out = onnx.ModelProto()
    out.CopyFrom(one)
    for mine, theirs in zip(_weights(out), _weights(other), strict=True):
        a, b = numpy_helper.to_array(mine), numpy_helper.to_array(theirs)
        if a.shape != b.shape:
            raise SystemExit(f"{mine.name} is {a.shape}, {theirs.name} is {b.shape}: they are no rounds of one network")
        mine.CopyFrom(numpy_helper.from_array(((a + b) / 2).astype(a.dtype), mine.name))
    return out


def _weights(network: onnx.ModelProto) -> list[onnx.TensorProto]:
    """What its layers hold, in the order in which they are used; constants beside them differ by how it was written."""
    held = {one.name: one for one in network.graph.initializer}
    stored = {node.output[0]: node.input[0] for node in network.graph.node if node.op_type == "Cast"}
    layers = [node for node in network.graph.node if node.op_type in ("Conv", "Gemm")]
    return [held[stored.get(name, name)] for layer in layers for name in layer.input[1:]]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("one", type=Path)
    ap.add_argument("other", type=Path)
    ap.add_argument("out", type=Path)
    a = ap.parse_args()
    onnx.save(mean(onnx.load(a.one), onnx.load(a.other)), a.out)
    write_checksum(a.out)


if __name__ == "__main__":
    main()
