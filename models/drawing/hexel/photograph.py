"""Hard photographs of a Hex'el table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture:
hand-laid cards, any room, any table, a camera's faults. Light is added up in linear values; the faults come last, as in
a camera.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.games.hexel.deck import SYMBOLS
from companion.rules.hexgrid import Cell
from models.drawing.backdrops import backdrop
from models.drawing.canvas import Canvas, Field
from models.drawing.exposure import exposed
from models.drawing.hexel.invented import invented
from models.drawing.hexel.layouts import Laid, grown_tableau, hand_laid, strays
from models.drawing.hexel.printings import REFERENCE, Printing, varied
from models.drawing.lighting import MOODS, lit
from models.drawing.pinhole import Pinhole, Points, framed
from models.drawing.scenery import put_card, put_face_down, put_things

_COUNTS = (3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 24, 28, 32, 36)


@dataclass(frozen=True, slots=True, eq=False)
class Photograph:
    """A picture, uint8 (h, w, 3) BGR, and what is on it in the form that `companion read` prints.

    Each card says besides how much of it (``covered``) and of each of its symbols (``hidden``) something lies on, 0..1,
    and ``cut`` where the picture's rim cuts it.
    """

    bgr: Field
    truth: dict[str, Any]


def photograph(
    rng: np.random.Generator,
    *,
    edition: str = "36",
    size: tuple[int, int] = (1280, 720),
    printing: str | Printing = "reference",
    cards: int | None = None,
    faces: Mapping[Cell, tuple[str, ...]] | None = None,
    across_px: float | None = None,
    hardness: float = 1.0,
) -> Photograph:
    """Draw one photograph.

    Args:
        rng: the only source of chance.
        edition: 36 or 46.
        size: width and height in pixels.
        printing: ``reference`` (inks vary a little), ``exact``, ``invented``, or one that was made before.
        cards: cards in the tableau; None for 3 to 36.
        faces: the tableau itself, and nothing face up beside it; None for one that grows by chance.
        across_px: a card's width between opposite edges where the camera looks; None for what fits.
        hardness: 0 for a calm room, 1 for all conditions.
    """
    look = printing if isinstance(printing, Printing) else _look(printing, edition, rng, hardness)
    laid = _laid(edition, cards, rng) if faces is None else _laid_by_hand(faces, rng)
    core = np.vstack([card.corners_mm() for card in laid if card.cell is not None])
    camera = framed(core, size, rng, across_px, hardness)
    canvas = Canvas(camera, backdrop(rng, camera.image_from_table, size))
    mood = str(rng.choice(MOODS))
    face_down = put_face_down(canvas, laid, rng)
    put_things(canvas, laid, rng, over=False)
    gloss = float(rng.choice([0.0, 0.0, 0.3, 1.0])) * hardness
    outlines = [put_card(canvas, card, look, gloss, rng) for card in laid]
    changed = _things_over(canvas, laid, rng, hardness)
    image, glare = lit(canvas, mood, rng, hardness)
    bgr, faults = exposed(image, rng, hardness, is_dim=mood == "dim")
    entries = [_entry(card, box, changed, camera) for card, box in zip(laid, outlines, strict=True)]
    name = printing if isinstance(printing, str) else "given"
    conditions = {"mood": mood, "printing": name, "edition": edition, **faults, "glare": round(glare, 4)}
    return Photograph(bgr, _truth(entries, size, face_down, conditions))


def _look(printing: str, edition: str, rng: np.random.Generator, hardness: float) -> Printing:
    return {
        "reference": lambda: varied(REFERENCE[edition], rng, hardness),
        "exact": lambda: REFERENCE[edition],
        "invented": lambda: invented(SYMBOLS[edition], rng),
    }[printing]()


def _laid(edition: str, cards: int | None, rng: np.random.Generator) -> list[Laid]:
    """A tableau laid carefully or not, and loose cards around it."""
    count = int(rng.choice(_COUNTS)) if cards is None else cards
    faces = grown_tableau(count, SYMBOLS[edition], rng)
    laid = _laid_by_hand(faces, rng)
    return laid + strays(laid, SYMBOLS[edition], rng)


def _laid_by_hand(faces: Mapping[Cell, tuple[str, ...]], rng: np.random.Generator) -> list[Laid]:
    return hand_laid(dict(faces), rng, gap_mm=float(rng.uniform(0.3, 3.0)), turn_deg=float(rng.uniform(0.2, 4.0)))


def _things_over(canvas: Canvas, laid: list[Laid], rng: np.random.Generator, hardness: float) -> Field:
    """Sometimes put things over the cards; say where (h, w) that changed the paint, 1 or 0."""
    before = canvas.albedo.copy()
    if rng.random() < 0.35 * hardness:
        put_things(canvas, laid, rng, over=True)
    return np.asarray((np.abs(canvas.albedo - before).max(2) > 1e-4).astype(np.uint8))


def _entry(card: Laid, corners: Points, changed: Field, camera: Pinhole) -> dict[str, Any]:
    """The truth about one face-up card."""
    entry = {
        "cell": list(card.cell) if card.cell is not None else None,
        "edges": list(card.edges),
        "corners": np.round(corners, 2).tolist(),
        "covered": round(_changed_share(changed, corners), 3),
        "hidden": [round(_changed_share(changed, camera.project(mark)), 2) for mark in card.marks_mm()],
    }
    is_whole = (corners > -1).all() and (corners < camera.size).all()
    return entry if is_whole else {**entry, "cut": True}


def _changed_share(changed: Field, corners: Points) -> float:
    """The share of an outline, as far as it is in the picture, whose paint changed after it was laid."""
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [changed.shape[1], changed.shape[0]])
    if x1 <= x0 or y1 <= y0:
        return 0.0
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [x0, y0]).astype(np.int32)], 1)
    area = int(mask.sum())
    return float((changed[y0:y1, x0:x1] * mask).sum() / area) if area else 0.0


def _truth(
    entries: list[dict[str, Any]], size: tuple[int, int], face_down: list[Points], conditions: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ok": True,
        "game": "hexel",
        "size": list(size),
        "cards": [entry for entry in entries if entry["cell"] is not None],
        "loose": [entry for entry in entries if entry["cell"] is None],
        "warnings": [],
        "ignore": [corners.tolist() for corners in face_down] + [e["corners"] for e in entries if "cut" in e],
        "conditions": conditions,
    }
