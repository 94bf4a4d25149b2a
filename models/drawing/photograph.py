"""A photograph in the making, the same for every game: scene, light, exposure, truth.

A game paints its scene on the canvas of a `Shot` and says what lies there; the shot supplies table, light and the
camera's faults. Everything comes from one `np.random.Generator`, so a seed is a picture. Light is added up in linear
values; the faults come last, as in a camera.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.backdrops import backdrop
from models.drawing.canvas import Canvas, Field
from models.drawing.exposure import exposed
from models.drawing.lighting import MOODS, lit
from models.drawing.pinhole import Pinhole, Points

Entry = dict[str, Any]
"""What the truth says of one piece, as JSON."""


@dataclass(frozen=True, slots=True, eq=False)
class Photograph:
    """A picture, uint8 (h, w, 3) BGR, and what is on it in the form that `companion read` prints.

    Each piece says besides how much of it (``covered``) and of each of its symbols (``hidden``) something lies on,
    0..1, and ``cut`` where the picture's rim cuts it.
    """

    bgr: NDArray[np.uint8]
    truth: Entry


class Shot:
    """The table as it is being painted, and the light in which it will be taken.

    Args:
        camera: where the picture shows the table.
        rng: the only source of chance.
        hardness: 0 for a calm room, 1 for all conditions.
        ground: the bare table as the camera sees it (h, w, 3); None for one by chance.
    """

    def __init__(
        self, camera: Pinhole, rng: np.random.Generator, hardness: float, ground: NDArray[np.uint8] | None = None
    ) -> None:
        self.rng, self.hardness = rng, hardness
        bare = backdrop(rng, camera.image_from_table, camera.size) if ground is None else ground
        self.canvas = Canvas(camera, bare)
        self.mood = str(rng.choice(MOODS))

    def gloss(self) -> float:
        """How much the game's pieces shine, by chance: often not at all."""
        return float(self.rng.choice([0.0, 0.0, 0.3, 1.0])) * self.hardness

    def cover(self, put: Callable[[], None], chance: float = 0.35) -> NDArray[np.uint8]:
        """Put things over the pieces now and then; where (h, w) that changed the paint, 1 or 0."""
        if self.rng.random() >= chance * self.hardness:
            return np.zeros(self.canvas.albedo.shape[:2], np.uint8)
        before = self.canvas.albedo.copy()
        put()
        blue, green, red = cv2.split(cv2.absdiff(self.canvas.albedo, before))
        return np.asarray(cv2.max(cv2.max(blue, green), red) > 1e-4, np.uint8)

    def develop(
        self,
        game: str,
        printing: object,
        pieces: Mapping[str, Any],
        ignore: Sequence[Any] = (),
        conditions: Mapping[str, Any] | None = None,
    ) -> Photograph:
        """Take the picture.

        Args:
            game: its name.
            printing: what was asked for; only the name of a kind is said in the truth.
            pieces: the truth about the pieces, by their sorts, as `companion read` groups them.
            ignore: outlines of what is neither to be found nor not.
            conditions: what else of the scene makes it hard.
        """
        image, glare = lit(self.canvas, self.mood, self.rng, self.hardness)
        bgr, faults = exposed(image, self.rng, self.hardness, is_dim=self.mood == "dim")
        name = printing if isinstance(printing, str) else "given"
        found = {"mood": self.mood, "printing": name, **(conditions or {}), **faults, "glare": round(glare, 4)}
        truth = {"ok": True, "game": game, "size": list(self.canvas.camera.size), **pieces, "warnings": []}
        return Photograph(bgr, {**truth, "ignore": list(ignore), "conditions": found})


def marked_cut(entry: Entry, corners: Points, size: tuple[int, int]) -> Entry:
    """The entry, with ``cut`` where the picture's rim cuts its corners (K, 2)."""
    is_whole = bool((corners > -1).all() and (corners < size).all())
    return entry if is_whole else {**entry, "cut": True}


def outlines(entries: Sequence[Entry]) -> list[Any]:
    """The corners of the entries that are cut: they are neither to be found nor not."""
    return [entry["corners"] for entry in entries if "cut" in entry]


def covered_share(field: Field, corners: Points, own: int = 0, outside: float = 0.0) -> float:
    """The share of an outline (K, 2), as far as it is in the picture, where a field (h, w) is not ``own``.

    ``outside`` is said of outlines that lie outside the picture.
    """
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [field.shape[1], field.shape[0]])
    if x1 <= x0 or y1 <= y0:
        return outside
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [x0, y0]).astype(np.int32)], 1)
    area = int(mask.sum())
    return float(((field[y0:y1, x0:x1] != own) & (mask > 0)).sum() / area) if area else outside
