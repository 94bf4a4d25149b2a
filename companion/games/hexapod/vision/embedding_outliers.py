"""Insects of one kind look alike on one table: those that do not are not stated."""

from collections.abc import Sequence

import numpy as np

from companion.games.hexapod.vision.cell_crops import INSECT, KINDS
from companion.games.hexapod.vision.classifier import InsectNamer
from companion.games.hexapod.vision.orientation import Upright

ALIKE = 0.7
"""Two insects of one printing and kind are at least so alike: measured, 19 of 20 pairs are; of two kinds, 1 of 100."""
_ODD = 0.34
"""An insect unlike so much of its kind's others is odd."""
_WHOLE = [KINDS.index(kind) for kind in KINDS if kind not in ("stag", "moth", "spider")]
"""Kinds of one cell: the halves of the others look different each."""


def odd_ones(fields: Sequence[Upright], namer: InsectNamer) -> list[np.ndarray]:
    """Where an insect looks unlike the others that are taken for its kind.

    Args:
        fields: all fields of a picture, upright.
        namer: what names their insects.

    Returns:
        One (rows, cols) of booleans a field.
    """
    if not fields:
        return []
    sizes = [field.cells.state.shape[0] * field.cells.state.shape[1] for field in fields]
    likeness, insect, kinds = (
        np.concatenate([np.asarray(part).reshape(size, -1) for part, size in zip(parts, sizes, strict=True)])
        for parts in (
            [field.cells.likeness for field in fields],
            [field.cells.state[..., INSECT] for field in fields],
            [namer.kinds(field.cells) for field in fields],
        )
    )
    named, sure = kinds.argmax(1), insect[:, 0] * kinds.max(1)
    is_insect = (insect[:, 0] > 0.5) & np.isin(named, _WHOLE)
    weights = (named[:, None] == named[None]) * is_insect[None] * sure[None]
    np.fill_diagonal(weights, 0)
    unlike = (weights * (likeness @ likeness.T < ALIKE)).sum(1) / np.maximum(weights.sum(1), 1e-9)
    odd = np.split(is_insect & (unlike > _ODD), np.cumsum(sizes)[:-1])
    return [one.reshape(field.cells.state.shape[:2]) for one, field in zip(odd, fields, strict=True)]
