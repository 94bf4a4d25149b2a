"""The scenes that both networks learn from: files of `models.drawing.card_shards`, some in memory at a time."""

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.drawing.card_scenes import Scene
from models.trainer import parser

BATCHES = 300
"""Drawn from the same files; then others are read, those drawn meanwhile among them."""


def options(description: str | None, *, steps: int, rate: float, batch: int) -> argparse.ArgumentParser:
    """The options of a training on these scenes."""
    found = parser(description, steps=steps, rate=rate, batch=batch)
    found.add_argument("--scenes", type=Path, nargs="+", required=True, help="folders of models/drawing/card_shards.py")
    found.add_argument("--files", type=int, default=6, help="of each folder in memory at a time")
    return found


class ScenePool:
    """Scenes drawn at random, with replacement, from some files of each folder.

    Args:
        folders: of the files; one without any is passed over until it has some.
        files: of each folder, in memory at a time.
        rng: the only source of chance.
        empty: how many times more often a scene without cards is drawn than another: there are few of them.
    """

    def __init__(self, folders: Sequence[Path], files: int, rng: np.random.Generator, *, empty: int = 0) -> None:
        self._folders, self._files, self._rng, self._empty = folders, files, rng, empty
        self._scenes: list[Scene] = []
        self._drawn = 0

    def draw(self, count: int) -> list[Scene]:
        """The next batch's scenes; raises `SystemExit` where no folder has a file."""
        if self._drawn % BATCHES == 0:
            self._scenes = self._read()
        self._drawn += 1
        return [self._scenes[int(i)] for i in self._rng.integers(len(self._scenes), size=count)]

    def _read(self) -> list[Scene]:
        held = [sorted(folder.glob("*.pickle")) for folder in self._folders]
        chosen = [paths[int(i)] for paths in held for i in self._rng.permutation(len(paths))[: self._files]]
        if not chosen:
            raise SystemExit(f"no scenes in {', '.join(map(str, self._folders))}: draw some with card_shards")
        scenes: list[Scene] = [scene for path in chosen for scene in pickle.loads(path.read_bytes())]
        return scenes + self._empty * [scene for scene in scenes if not scene.outlines]
