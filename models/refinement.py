"""Training a corner refiner: views through outlines that are a little off, and the corrections that mend them."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.detection.detector import GAIN, VIEW, cut_views
from companion.vision.geometry import HEXAGON, Shape
from companion.vision.image.pyramid import Pyramid
from models.dataset import Shuffled
from models.export import export
from models.networks import CornerRefiner
from models.trainer import Losses, Trainer

Points = NDArray[np.float64]
Views = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Views (N, VIEW, VIEW, 3), colours times 200, and the corrections (N, 6) of the outlines they are seen through."""
AMOUNTS = (0.25, 0.6, 1.0, 1.6)
"""How far off outlines are, in terms of `perturb`; each as often."""
BATCH = 128


def rotation(angle: float) -> Points:
    """The rotation (2, 2) by an angle in radians."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def perturb(corners: Points, rng: np.random.Generator, amount: float, shape: Shape = HEXAGON) -> tuple[Points, Points]:
    """An outline a little wrong, and the correction (2, 3) in its own unit frame that makes it right.

    Args:
        corners: (K, 2) the true outline.
        rng: the only source of chance.
        amount: 1 for about 4.5 % of turn, 5 % of size and 3.5 % of the radius in place.
        shape: the piece's; the outline returned begins at any corner that looks like the first.
    """
    centre, affine = shape.pose_of(corners)
    turn = rotation(rng.normal(0, 0.045 * amount))
    stretch = np.eye(2) * np.exp(rng.normal(0, 0.05 * amount)) + rng.normal(0, 0.03 * amount, (2, 2))
    off = rng.normal(0, 0.035 * amount, 2)
    spin = rotation(2 * np.pi / shape.symmetry * int(rng.integers(shape.symmetry)))
    wrong = affine @ turn @ stretch @ spin
    # right(u) = centre + A S u; wrong(u) = centre + A off + W u; wanted: wrong(D u + t) = right(u)
    inverse = np.linalg.inv(wrong)
    move, shift = inverse @ affine @ spin, -inverse @ affine @ off
    return centre + affine @ off + shape.unit @ wrong.T, np.column_stack([move - np.eye(2), shift])


def views_of(
    pyramid: Pyramid, outlines: Sequence[Points], rng: np.random.Generator, looks: int, shape: Shape = HEXAGON
) -> Views:
    """Views of true outlines (K, 2), each seen ``looks`` times through one that is a little wrong."""
    pairs = [perturb(one, rng, float(rng.choice(AMOUNTS)), shape) for one in outlines for _ in range(looks)]
    if not pairs:
        return np.zeros((0, VIEW, VIEW, 3), np.uint8), np.zeros((0, 6), np.float32)
    views = cut_views(pyramid, np.array([outline for outline, _ in pairs]), shape)
    corrections = np.array([correction.reshape(-1) for _, correction in pairs], np.float32)
    return np.round((views + 0.5) * 200).astype(np.uint8), corrections


def corner_error(corrections: NDArray[np.float32], wanted: NDArray[np.float32], shape: Shape) -> NDArray[np.float64]:
    """The mean corner error (N,), in units of the outline's own frame."""
    at = np.column_stack([shape.unit, np.ones(len(shape.unit))])
    off = np.einsum("nij,kj->nki", (corrections - wanted).reshape(-1, 2, 3), at)
    return np.asarray(np.linalg.norm(off, axis=2).mean(1), np.float64)


def train_refiner(arguments: argparse.Namespace, training: Views, held_out: Views, shape: Shape = HEXAGON) -> None:
    """Train a corner refiner on views and export it; ``--steps`` 0 stands for eight epochs."""
    x, y = training
    arguments.steps = arguments.steps or 8 * (len(x) // BATCH)
    trainer = Trainer(CornerRefiner(), arguments)
    batches = Shuffled(len(x), BATCH, trainer.rng)
    trainer.start_from(_batch(x[:BATCH]))

    def losses() -> Losses:
        picked = batches.next()
        light = np.exp(trainer.rng.normal(0, 0.08, (BATCH, 3, 1, 1))).astype(np.float32)
        (wanted,) = trainer.move(torch.from_numpy(y[picked] * GAIN))
        out = trainer.forward(_batch(x[picked]) * torch.from_numpy(light))
        return {"correction": nn.functional.smooth_l1_loss(out, wanted, beta=0.1)}

    def report() -> str:
        views, wanted = held_out
        before, after = (
            corner_error(out, wanted, shape)
            for out in (np.zeros_like(wanted), np.asarray(trainer.predict(_batch(views)) / GAIN, np.float32))
        )
        figures = f"median {np.median(after):.4f} of {np.median(before):.4f}, 95 % {np.percentile(after, 95):.4f}"
        return f"corner error {figures}"

    trainer.fit(losses, _export, report)


def _batch(views: NDArray[np.uint8]) -> torch.Tensor:
    """What the network sees of views as they are kept."""
    return torch.from_numpy(np.ascontiguousarray((views.astype(np.float32) / 200 - 0.5).transpose(0, 3, 1, 2)))


def _export(net: nn.Module, path: Path) -> None:
    export(net, path, ("views", ("n", 3, VIEW, VIEW)), ("corrections", ("n", 6)), (2, 3, VIEW, VIEW))
