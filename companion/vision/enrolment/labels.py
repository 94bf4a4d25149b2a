"""Which outline on a photograph each label means: by its rough corners, or by the order in which people read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.errors import UsageError


def label_of(name: str, index: int, labels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The label of a picture: the one that names it, else the one in its place. Raises `UsageError` for none."""
    named = [label for label in labels if label.get("image") == name]
    if not named and index >= len(labels):
        raise UsageError(f"no label for {name}", code="labels-differ")
    return named[0] if named else labels[index]


def outlines_of(name: str, found: np.ndarray, labels: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """The outlines (N, K, 2) float32 that labels mean, in the labels' order.

    Args:
        name: the picture's name, for people.
        found: (M, K, 2) the outlines on it.
        labels: each may have ``corners``, as rough as taps on a phone; where one lacks them, all are taken from top to
            bottom and left to right.

    Raises:
        UsageError: ``labels-differ``, without corners there are more or fewer labels than outlines.
    """
    if all(label.get("corners") for label in labels):
        outlines = [_nearest(found, np.asarray(label["corners"], float)) for label in labels]
        return np.array(outlines, np.float32).reshape(-1, *found.shape[1:])
    if len(found) != len(labels):
        raise UsageError(
            f"{name}: {len(labels)} cards are labelled and {len(found)} are seen; give their corners",
            code="labels-differ",
        )
    return np.asarray(found[_reading_order(found)], np.float32)


def _nearest(found: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """The outline found where a rough one is given; the rough one itself where none is found."""
    centre, reach = rough.mean(0), 0.35 * float(np.ptp(rough, axis=0).mean())
    near = [outline for outline in found if np.linalg.norm(outline.mean(0) - centre) < reach]
    if not near:
        return rough.astype(np.float32)
    return min(near, key=lambda outline: float(np.linalg.norm(outline.mean(0) - centre)))


def _reading_order(found: np.ndarray) -> np.ndarray:
    """Top to bottom, and left to right among those that lie about as high."""
    centres = found.mean(1)
    height = float(np.median(np.ptp(found[..., 1], axis=1)))
    rows = np.zeros(len(found), int)
    row, top = -1, -np.inf
    for i in np.argsort(centres[:, 1]):
        if centres[i, 1] - top > 0.5 * height:
            row, top = row + 1, centres[i, 1]
        rows[i] = row
    return np.lexsort((centres[:, 0], rows))
