"""Hard photographs of a Comet table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
"""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from companion.simulator.optics import placed
from models.drawing.backdrops import backdrop
from models.drawing.canvas import Canvas, Field
from models.drawing.comet.cards import raster_back, raster_face
from models.drawing.comet.layouts import LaidComet, laid_groups, strays
from models.drawing.comet.printings import CometPrinting, Typeface, invented, plain_typefaces, reference, varied
from models.drawing.exposure import exposed
from models.drawing.hexel.photograph import Photograph
from models.drawing.lighting import MOODS, lit
from models.drawing.pinhole import Pinhole, Points, framed
from models.drawing.scenery import put_things

_COUNTS = (1, 2, 3, 4, 6, 8, 10, 12, 14, 18, 20, 24)


def comet_photograph(
    rng: np.random.Generator,
    *,
    size: tuple[int, int] = (1280, 720),
    printing: str | CometPrinting = "reference",
    typefaces: Sequence[Typeface] = (),
    cards: Sequence[LaidComet] | None = None,
    count: int | None = None,
    across_px: float | None = None,
    hardness: float = 1.0,
    ground: Field | None = None,
) -> Photograph:
    """Draw one photograph.

    Args:
        rng: the only source of chance.
        size: width and height in pixels.
        printing: ``reference`` (inks and places vary, mono or keyed), ``invented``, or one that was made before.
        typefaces: numerals to draw with; those that need no font when empty.
        cards: the cards that lie there, and nothing beside them; None for some laid by chance.
        count: how many to lay; None for 1 to 24.
        across_px: about a card's width where the camera looks; None for what fits.
        hardness: 0 for a calm room, 1 for all conditions.
        ground: the bare table as the camera sees it (h, w, 3); None for one by chance.
    """
    look = printing if isinstance(printing, CometPrinting) else _look(printing, typefaces, rng, hardness)
    laid = list(cards) if cards is not None else _laid(count, look, rng)
    core = np.vstack([card.corners_mm() for card in laid if not card.is_aside])
    camera = framed(core, size, rng, across_px, hardness)
    canvas = Canvas(camera, backdrop(rng, camera.image_from_table, size) if ground is None else ground)
    mood = str(rng.choice(MOODS))
    put_things(canvas, laid, rng, over=False)
    gloss = float(rng.choice([0.0, 0.0, 0.3, 1.0])) * hardness
    owner = np.full(size[::-1], -1, np.int32)
    for number, card in enumerate(laid):
        _put(canvas, card, look, gloss, rng)
        corners = camera.project(card.corners_mm())
        cv2.fillPoly(owner, [np.round(corners).astype(np.int32)], number)
    over = _things_over(canvas, laid, rng, hardness)
    owner[over] = -1
    image, glare = lit(canvas, mood, rng, hardness)
    bgr, faults = exposed(image, rng, hardness, is_dim=mood == "dim")
    name = printing if isinstance(printing, str) else "given"
    conditions = {"mood": mood, "printing": name, "turned": look.is_turned, **faults, "glare": round(glare, 4)}
    conditions["things"] = bool(over.any())
    return Photograph(bgr, _truth(laid, look, camera, owner, conditions))


def _look(printing: str, typefaces: Sequence[Typeface], rng: np.random.Generator, hardness: float) -> CometPrinting:
    faces = typefaces or plain_typefaces()
    if printing == "invented":
        return invented(faces, rng)
    kind = str(rng.choice(["mono", "keyed"]))
    return varied(reference(kind, faces[int(rng.integers(len(faces)))]), rng, hardness)


def _laid(count: int | None, look: CometPrinting, rng: np.random.Generator) -> list[LaidComet]:
    groups = laid_groups(int(rng.choice(_COUNTS)) if count is None else count, look, rng)
    return [*strays(groups, look, rng), *groups]


def _put(canvas: Canvas, card: LaidComet, look: CometPrinting, gloss: float, rng: np.random.Generator) -> None:
    """Paint one card, what lies under it, and its contact shadow."""
    corners = canvas.camera.project(card.corners_mm())
    px_per_mm = float(np.sqrt(cv2.contourArea(corners.astype(np.float32)) / (card.size[0] * card.size[1])))
    lean = rng.normal(0, 1, 2)
    for layer in range(card.layers, 0, -1):
        below = canvas.camera.project(card.corners_mm() + lean * layer * 0.8)
        canvas.polygon(below, (205.0, 215.0, 220.0) if layer % 2 else (90.0, 95.0, 100.0))
    aside = rng.normal(0, 0.4 * px_per_mm, 2)
    canvas.polygon(corners + aside + (corners - corners.mean(0)) * rng.uniform(0, 0.012), (25.0, 25.0, 28.0))
    fine = float(np.clip(px_per_mm * 1.3, 0.6, 5.0))
    raster = raster_back(look, fine) if card.values is None else raster_face(card.values, look, fine)
    height, width = raster.shape[:2]
    scale = np.diag([card.size[0] / width, card.size[1] / height, 1.0])
    centred = scale @ np.array([[1, 0, 0.5 - width / 2], [0, 1, 0.5 - height / 2], [0, 0, 1.0]])
    table_from_card = placed((float(card.at_mm[0]), float(card.at_mm[1])), card.turn_deg)
    canvas.put(raster, canvas.camera.image_from_table @ table_from_card @ centred, gloss)


def _things_over(canvas: Canvas, laid: list[LaidComet], rng: np.random.Generator, hardness: float) -> Field:
    """Sometimes put things over the cards; say where (h, w) that changed the paint."""
    before = canvas.albedo.copy()
    if rng.random() < 0.3 * hardness:
        put_things(canvas, laid, rng, over=True)
    return np.asarray(np.abs(canvas.albedo - before).max(2) > 1e-4)


def _truth(
    laid: list[LaidComet], look: CometPrinting, camera: Pinhole, owner: Field, conditions: dict[str, Any]
) -> dict[str, Any]:
    entries = [_entry(card, number, look, camera, owner) for number, card in enumerate(laid) if not card.is_aside]
    aside = [camera.project(card.corners_mm()).tolist() for card in laid if card.is_aside]
    return {
        "ok": True,
        "game": "comet",
        "size": list(camera.size),
        "cards": entries,
        "warnings": [],
        "ignore": aside + [entry["corners"] for entry in entries if "cut" in entry],
        "conditions": conditions,
    }


def _entry(card: LaidComet, number: int, look: CometPrinting, camera: Pinhole, owner: Field) -> dict[str, Any]:
    """The truth about one card of a group: besides the contract's, how much of it and of each number is hidden, and the
    outlines of its numbers."""
    corners = camera.project(card.corners_mm())
    marks = [camera.project(mark) for mark in card.marks_mm(look)]
    values = None if card.values is None else sorted(card.values)
    entry = {
        "values": values,
        "zone": None,
        "corners": np.round(corners, 2).tolist(),
        "printed": None if card.values is None else list(card.values),
        "covered": round(_hidden(owner, corners, number), 3),
        "hidden": [round(_hidden(owner, mark, number), 2) for mark in marks],
        "marks": [np.round(mark, 2).tolist() for mark in marks],
    }
    is_whole = (corners > -1).all() and (corners < camera.size).all()
    return entry if is_whole else {**entry, "cut": True}


def _hidden(owner: Field, corners: Points, number: int) -> float:
    """The share of an outline, as far as it is in the picture, that something else is seen in."""
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [owner.shape[1], owner.shape[0]])
    if x1 <= x0 or y1 <= y0:
        return 0.0
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [x0, y0]).astype(np.int32)], 1)
    area = int(mask.sum())
    return float(((owner[y0:y1, x0:x1] != number) & (mask > 0)).sum() / area) if area else 0.0
