"""Training data that is drawn once, from seeds, and kept in a folder."""

import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]


def cached(
    cache: Path,
    name: str,
    columns: Sequence[str],
    draw: Callable[[int], Sequence[Column]],
    seeds: range,
    workers: int = 2,
) -> dict[str, Column]:
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
        cv2.setNumThreads(1)  # each process draws by itself
        cache.mkdir(parents=True, exist_ok=True)
        with multiprocessing.Pool(workers) as pool:
            parts = pool.map(draw, seeds, chunksize=8)
        joined: dict[str, Any] = {c: np.concatenate([p[i] for p in parts]) for i, c in enumerate(columns)}
        np.savez(path, **joined)
    with np.load(path) as kept:
        return {column: kept[column] for column in columns}


def chunks(first: int, count: int, size: int) -> list[range]:
    """The seeds from ``first`` up in parts of at most ``size``, each to be drawn and kept by itself."""
    return [range(begin, min(begin + size, first + count)) for begin in range(first, first + count, size)]


def ragged(values: Column, counts: Column) -> list[Column]:
    """One array for each drawing, from the arrays of all joined along the first axis and the length of each."""
    return np.split(values, np.cumsum(counts)[:-1])


class Shuffled:
    """Indices of batches of ``size`` out of ``count`` items, every item once in each epoch."""

    def __init__(self, count: int, size: int, rng: np.random.Generator) -> None:
        if count < size:
            raise SystemExit(f"{count} items are fewer than a batch of {size}: draw more pictures")
        self.count, self.size, self.rng = count, size, rng
        self._left = np.zeros(0, np.intp)

    @property
    def batches(self) -> int:
        """How many batches an epoch has."""
        return self.count // self.size

    def next(self) -> NDArray[np.intp]:
        """The next batch's indices (size,)."""
        if len(self._left) < self.size:
            self._left = self.rng.permutation(self.count)
        picked, self._left = self._left[: self.size], self._left[self.size :]
        return picked
