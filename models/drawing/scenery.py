"""Puts on a photograph's table what lies there: cards face up, stacks face down, things beside and over them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from companion.simulator.optics import placed
from models.drawing.canvas import Canvas, Ink
from models.drawing.clutter import clutter_shape
from models.drawing.hexel.layouts import Laid
from models.drawing.hexel.printings import Printing
from models.drawing.hexel.styles import PicturedDeck
from models.drawing.pinhole import Points

_SHADE: Ink = (25.0, 25.0, 28.0)


class Lying(Protocol):
    """Whatever lies somewhere on the table."""

    @property
    def at_mm(self) -> Points:
        """Its place."""


def put_card(
    canvas: Canvas, card: Laid, printing: Printing | PicturedDeck, gloss: float, rng: np.random.Generator
) -> Points:
    """Paint one card with its contact shadow; return its corners in the picture (6, 2)."""
    corners = canvas.camera.project(card.corners_mm())
    across = float(np.linalg.norm(corners[0] - corners[3])) / 70.0
    aside = rng.normal(0, 0.25 * across, 2)
    canvas.polygon(corners + aside + (corners - corners.mean(0)) * rng.uniform(0, 0.012), _SHADE)
    px_per_mm = float(np.clip(across * 1.3, 0.6, 4.5))
    raster = printing.raster(card.edges, px_per_mm)
    middle = raster.shape[0] / 2 - 0.5
    card_from_raster = np.array(
        [[1 / px_per_mm, 0, -middle / px_per_mm], [0, 1 / px_per_mm, -middle / px_per_mm], [0, 0, 1.0]]
    )
    table_from_raster = placed((card.at_mm[0], card.at_mm[1]), card.turn_deg) @ card_from_raster
    canvas.put(raster, canvas.camera.image_from_table @ table_from_raster, gloss)
    return corners


def put_face_down(canvas: Canvas, laid: list[Laid], rng: np.random.Generator) -> list[Points]:
    """Paint up to four decks or cards face down, off the others; return the corners (6, 2) of each in the picture."""
    found = []
    centres = np.array([card.at_mm for card in laid])
    back = _back(rng)
    for _ in range(int(rng.integers(0, 5))):
        at = centres.mean(0) + rng.normal(0, 220, 2)
        if np.linalg.norm(centres - at, axis=1).min() >= 90:
            found.append(_put_stack(canvas, at, back, rng))
    return found


def put_things(canvas: Canvas, laid: Sequence[Lying], rng: np.random.Generator, *, over: bool) -> None:
    """Paint chips, mugs, phones, pens, dice and hands: beside the cards, or partly over them."""
    centres = np.array([card.at_mm for card in laid])
    span = float(np.ptp(centres, axis=0).max()) + 150
    for _ in range(int(rng.integers(1, 3) if over else rng.integers(0, 7))):
        if over:
            at = centres[int(rng.integers(len(centres)))] + rng.normal(0, 28, 2)
        else:
            at = centres.mean(0) + rng.normal(0, 0.6, 2) * span
        if over or np.linalg.norm(centres - at, axis=1).min() >= 70:
            _put_thing(canvas, at, rng, over)


def _back(rng: np.random.Generator) -> tuple[int, int, int]:
    """The colour of the cards' backs: near the reference printing's, or any."""
    tone = np.array([80, 80, 70]) + rng.normal(0, 25, 3) if rng.random() < 0.6 else rng.uniform(20, 230, 3)
    b, g, r = (int(v) for v in np.clip(tone, 10, 245))
    return b, g, r


def _put_stack(canvas: Canvas, at_mm: Points, back: Ink, rng: np.random.Generator) -> Points:
    turn_deg = float(rng.uniform(0, 60))
    layers = int(rng.choice([1, 1, 12]))
    lean = rng.normal(0, 1, 2)
    for i in range(layers, 0, -1):
        below = Laid((), None, at_mm + lean * i * 0.8, turn_deg).corners_mm()
        canvas.polygon(canvas.camera.project(below), (205.0, 215.0, 220.0) if i % 2 else (90.0, 95.0, 100.0))
    top = Laid((), None, at_mm, turn_deg).corners_mm()
    corners = canvas.camera.project(top)
    canvas.polygon(corners, back)
    b, g, r = (min(255, v + 60) for v in back)
    canvas.polygon(canvas.camera.project((top - at_mm) * 0.3 + at_mm), (b, g, r))
    canvas.polygon(canvas.camera.project((top - at_mm) * 0.26 + at_mm), back)
    return corners


def _put_thing(canvas: Canvas, at_mm: Points, rng: np.random.Generator, over: bool) -> None:
    for outline, ink, gloss in clutter_shape(rng, over=over):
        points = canvas.camera.project(outline + at_mm)
        if np.abs(points).max() < 6 * max(canvas.camera.size):
            canvas.polygon(points, ink, gloss)
