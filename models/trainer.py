"""The one training loop: optimiser, schedule, mean of the weights, checkpoints, progress; on a processor or a GPU.

A network's ``train.py`` supplies its data, its losses and how it is exported:

    arguments = parser(__doc__, steps=9000, rate=3e-3).parse_args()
    trainer = Trainer(Detector(), arguments, weight_decay=1e-4)
    trainer.fit(losses, export=export_weights)
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.warm_start import warm_start

Losses = dict[str, torch.Tensor]
"""Named losses, weighted: their sum is minimised. A value without a gradient is a figure that is logged only."""


def parser(
    description: str | None, *, steps: int, rate: float, batch: int = 0, seed: int = 1
) -> argparse.ArgumentParser:
    """The options that every training has; of ``batch`` only where it can be chosen."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cache", type=Path, required=True, help="folder of drawn pictures and of checkpoints")
    options.add_argument("--steps", type=int, default=steps)
    options.add_argument("--rate", type=float, default=rate, help="highest learning rate")
    if batch:
        options.add_argument("--batch", type=int, default=batch)
    options.add_argument("--seed", type=int, default=seed, help="of order and augmentation")
    options.add_argument("--warm-start", type=Path, help="weights to begin with, a checkpoint.pt or a weights.onnx")
    options.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    options.add_argument("--float32", action="store_true", help="for processors that compute bfloat16 slowly")
    options.add_argument("--out", type=Path, help="the file to write; CACHE/GAME/NETWORK/weights.onnx")
    return options


class Trainer:
    """Trains one network by AdamW with a one-cycle schedule, and keeps the moving mean of its weights.

    Args:
        net: the network; moved to the device, channels last.
        arguments: of `parser`. ``warm_start`` is read here when it is a checkpoint, see `start_from` for ONNX.
        weight_decay: of AdamW.
        average: share of the moving mean that each step keeps.
        warm_up: share of the steps in which the learning rate rises.
    """

    def __init__(
        self,
        net: nn.Module,
        arguments: argparse.Namespace,
        *,
        weight_decay: float = 1e-4,
        average: float = 0.997,
        warm_up: float = 0.1,
    ) -> None:
        self.arguments, self.steps = arguments, arguments.steps
        self.device = torch.device(arguments.device)
        torch.manual_seed(arguments.seed)
        torch.set_num_threads(1)  # the processes that draw and augment need the other cores
        cv2.setNumThreads(1)
        self.rng = np.random.default_rng(arguments.seed)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self._decay, self._average, self._warm_up = weight_decay, average, warm_up

    def start_from(self, pictures: torch.Tensor, new: tuple[nn.Module, ...] = ()) -> None:
        """Take up the weights of ``--warm-start``, if given; ``pictures`` and ``new`` as of `warm_start`."""
        path = self.arguments.warm_start
        if path is not None and path.suffix == ".onnx":
            warm_start(self.net, path, pictures.to(self.device), new)
        elif path is not None:
            self.net.load_state_dict(torch.load(path, map_location=self.device), strict=False)

    def move(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The tensors on the network's device."""
        return tuple(tensor.to(self.device, non_blocking=True) for tensor in tensors)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        """The output (float32) for a batch (N, C, H, W), computed in bfloat16 unless ``--float32`` is given."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=not self.arguments.float32):
            out = self.net(batch.to(self.device).contiguous(memory_format=torch.channels_last))
        return out.float()

    def predict(self, batch: torch.Tensor, size: int = 256) -> NDArray[np.float32]:
        """The output of the averaged network for inputs held out, without gradients, in float32."""
        self.mean.module.eval()
        with torch.no_grad():
            return np.concatenate([self.mean.module(part.to(self.device)).cpu().numpy() for part in batch.split(size)])

    def fit(
        self,
        losses: Callable[[], Losses],
        export: Callable[[nn.Module, Path], None],
        report: Callable[[], str] = str,
        *,
        log_every: int = 100,
        save_every: int = 500,
    ) -> None:
        """Train, log the means of the losses, save a checkpoint and export the averaged network as it goes.

        Args:
            losses: draws the next batch and returns its losses, by `forward`.
            export: writes a network to a file.
            report: figures on data held out, by `predict`; logged with each checkpoint.
            log_every: steps between two lines of figures.
            save_every: steps between two checkpoints.
        """
        self.mean = AveragedModel(self.net, multi_avg_fn=get_ema_multi_avg_fn(self._average), use_buffers=True)
        optimiser = torch.optim.AdamW(self.net.parameters(), lr=self.arguments.rate, weight_decay=self._decay)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, self.arguments.rate, total_steps=self.steps, pct_start=self._warm_up
        )
        network = Path(sys.argv[0]).resolve().parts[-3:-1]
        out = self.arguments.out or self.arguments.cache.joinpath(*network, "weights.onnx")
        out.parent.mkdir(parents=True, exist_ok=True)
        begun, seen = time.process_time(), defaultdict[str, list[float]](list)
        self.net.train()
        for step in range(1, self.steps + 1):
            parts = losses()
            optimiser.zero_grad()
            torch.autograd.backward(torch.stack([part for part in parts.values() if part.requires_grad]).sum())
            nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            self.mean.update_parameters(self.net)
            for name, part in parts.items():
                seen[name].append(float(part.detach()))
            if step % log_every == 0 or step == self.steps:
                _log(step, seen, begun)
                seen.clear()
            if step % save_every == 0 or step == self.steps:
                torch.save(self.mean.module.state_dict(), out.with_suffix(".pt"))
                export(self.mean.module, out)
                print(f"wrote {out} {report()}".rstrip(), flush=True)


def _log(step: int, seen: dict[str, list[float]], begun: float) -> None:
    figures = " ".join(
        f"{name} {np.nanmean(values):.4f}" for name, values in seen.items() if not np.isnan(values).all()
    )
    print(f"step {step} {figures} {time.process_time() - begun:.0f} s of processor time", flush=True)
