"""What the training scripts share: drawings kept in a cache, quicker sums, and a network written for OpenCV.

PYTHONPATH=. python models/NAME/train.py --cache DIR
"""

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

OPSET = 13
"""Of ONNX: what OpenCV 4.10 and all later ones read."""


def drawn(
    cache: Path,
    name: str,
    columns: Sequence[str],
    draw: Callable[[int], Sequence[np.ndarray]],
    seeds: range,
    workers: int = 2,
) -> dict[str, np.ndarray]:
    """What ``draw`` makes of every seed, one after another along the first axis; from the cache where it is there.

    Args:
        cache: folder of the files; made when missing.
        name: of the data; another name or other seeds are another file.
        columns: names of the arrays that ``draw`` gives.
        draw: from a seed its arrays, pure.
        seeds: one drawing each.
        workers: processes to draw with.
    """
    path = cache / f"{name}-{seeds.start}-{len(seeds)}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with multiprocessing.Pool(workers) as pool:
            parts = pool.map(draw, seeds, chunksize=8)
        np.savez(path, **{column: np.concatenate([p[i] for p in parts]) for i, column in enumerate(columns)})
    with np.load(path) as held:
        return {column: held[column] for column in columns}


def quick() -> torch.autocast:
    """Around a network's forward pass: sums in bfloat16, about twice as fast where the processor has it.

    Losses are taken of ``out.float()``.
    """
    return torch.autocast("cpu", dtype=torch.bfloat16)


def averaged(net: nn.Module, share: float = 0.997) -> AveragedModel:
    """The weights' moving average: what a round ends with. Call its ``update_parameters`` after every step."""
    return AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(share), use_buffers=True)


def export(net: nn.Module, path: Path, example: torch.Tensor, free: Mapping[str, Mapping[int, str]]) -> None:
    """Write a network for OpenCV, and leave it training.

    Args:
        net: of one input and one output.
        path: the file.
        example: an input.
        free: the axes that may have another length, of the input and of the output, by their names in this order.
    """
    net.eval()
    there, back = free
    torch.onnx.export(
        net,
        (example,),
        str(path),
        input_names=[there],
        output_names=[back],
        opset_version=OPSET,
        dynamo=False,
        dynamic_axes={name: dict(axes) for name, axes in free.items()},
    )
    net.train()
