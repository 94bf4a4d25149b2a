"""What a reading of a Hexapod table is made of: display cases, loose cards, warnings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import SQUARE, homography, mapped
from companion.vision.results import ReadingWarning

Kinds = tuple[tuple[str | None, ...], ...]
"""Row by row; None for an empty cell and for one that could not be read."""


@dataclass(frozen=True, slots=True, eq=False)
class DetectedField:
    """A case's field, or a loose card, on a picture.

    Attributes:
        corners: (4, 2) pixels, clockwise as seen, the first at the top left as its owner sees it.
        cells: what was read.
        doubt: for each cell whether it could not be read.
        confidence: 0..1, that it is there and everything stated is right.
        is_case: whether it is a case.
        is_upright: whether what lies there says which way is up; an empty case does not.
        presence: 0..1, that it is there.
    """

    corners: NDArray[np.float32]
    cells: Kinds
    doubt: tuple[tuple[bool, ...], ...]
    confidence: float
    is_case: bool
    is_upright: bool = True
    presence: float = 1.0

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle in pixels."""
        x, y = self.corners.mean(0)
        return float(x), float(y)

    @property
    def square(self) -> NDArray[np.float32]:
        """The corners (4, 2) of the largest square of cells at its first corner: all of it, where it is square."""
        rows, cols = len(self.cells), len(self.cells[0])
        first, share = SQUARE.unit[0], min(rows, cols) / np.array([cols, rows])
        return np.asarray(mapped(homography(self.corners), first + (SQUARE.unit - first) * share), np.float32)

    def as_json(self) -> dict[str, Any]:
        """As the contract prints a board, or a loose card."""
        size = {"rows": len(self.cells), "cols": len(self.cells[0])} if self.is_case else {}
        return {
            **size,
            "cells": [list(row) for row in self.cells],
            "corners": np.round(self.corners.astype(float), 2).tolist(),
            "confidence": round(self.confidence, 4),
        }

    @property
    def names(self) -> list[list[str | None]]:
        """The insects row by row, an empty text for an empty cell; None for each that is unsure."""
        rows = zip(self.cells, self.doubt, strict=True)
        return [[None if d else kind or "" for kind, d in zip(*row, strict=True)] for row in rows]

    def line(self) -> str:
        """It for people: row by row, a dot for an empty cell."""
        rows = [
            " ".join("?" if d else (kind or ".") for kind, d in zip(kinds, doubts, strict=True))
            for kinds, doubts in zip(self.cells, self.doubt, strict=True)
        ]
        return f"{'case' if self.is_case else 'card':>9}  {' | '.join(rows)}  {self.confidence:.2f}"


@dataclass(frozen=True, slots=True, eq=False)
class HexapodReading:
    """What lies on one picture of a Hexapod table.

    Attributes:
        cards: the cases.
        loose: the cards beside them, face up.
        stages_ms: how long each stage took.
    """

    cards: tuple[DetectedField, ...]
    loose: tuple[DetectedField, ...]
    warnings: tuple[ReadingWarning, ...]
    stages_ms: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The game's part of what `companion read` prints."""
        return {
            "boards": [case.as_json() for case in self.cards],
            "loose": [card.as_json() for card in self.loose],
            "warnings": [warning.as_json() for warning in self.warnings],
        }

    def summary(self) -> str:
        """How much was read, for people."""
        return f"{len(self.cards)} display cases, {len(self.loose)} cards beside them"
