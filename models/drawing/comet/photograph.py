"""Hard photographs of a Comet table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.simulator.optics import placed
from models.drawing.canvas import Canvas, Field
from models.drawing.comet.cards import raster_back, raster_face
from models.drawing.comet.layouts import LaidComet, laid_groups, strays
from models.drawing.comet.printings import CometPrinting, Typeface, invented, plain_typefaces, reference, varied
from models.drawing.comet.styles import teaching_cards
from models.drawing.photograph import Entry, Photograph, Shot, covered_share, marked_cut, outlines
from models.drawing.pinhole import Pinhole, framed
from models.drawing.scenery import put_things

_HEXEL_MM = 70.0
"""What `framed` takes for a card's width."""
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
    yaw_deg: float | None = None,
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
        yaw_deg: from which side the camera looks; None for any.
    """
    style = printing if isinstance(printing, CometPrinting) else _style(printing, typefaces, rng, hardness)
    laid = list(cards) if cards is not None else _laid(count, style, rng)
    core = np.vstack([card.corners_mm() for card in laid if not card.is_aside])
    camera = framed(core, size, rng, across_px, hardness, yaw_deg)
    shot = Shot(camera, rng, hardness, ground)
    canvas = shot.canvas
    put_things(canvas, laid, rng, over=False)
    gloss = shot.gloss()
    owner = np.full(size[::-1], -1, np.int32)
    for number, card in enumerate(laid):
        _put(canvas, card, style, gloss, rng)
        cv2.fillPoly(owner, [np.round(camera.project(card.corners_mm())).astype(np.int32)], number)
    over = shot.cover(lambda: put_things(canvas, laid, rng, over=True), 0.3)
    owner[over > 0] = -1
    entries = [_entry(card, number, style, camera, owner) for number, card in enumerate(laid) if not card.is_aside]
    aside = [camera.project(card.corners_mm()).tolist() for card in laid if card.is_aside]
    conditions = {"turned": style.is_turned, "things": bool(over.any())}
    return shot.develop("comet", printing, {"cards": entries}, aside + outlines(entries), conditions)


def teaching_photograph(rng: np.random.Generator, style: CometPrinting, size: tuple[int, int]) -> Photograph:
    """A calm photograph of five upright cards that show every number, see `teaching_cards`."""
    cards = teaching_cards(style, rng)
    wide = float(np.ptp(np.vstack([card.corners_mm() for card in cards])[:, 0]))
    across_px = float(rng.uniform(0.55, 0.88)) * size[0] * _HEXEL_MM / wide
    return comet_photograph(
        rng,
        size=size,
        printing=style,
        cards=cards,
        across_px=across_px,
        hardness=0.35,
        yaw_deg=float(rng.normal(0, 3)),
    )


def _style(printing: str, typefaces: Sequence[Typeface], rng: np.random.Generator, hardness: float) -> CometPrinting:
    faces = typefaces or plain_typefaces()
    if printing == "invented":
        return invented(faces, rng)
    kind = str(rng.choice(["mono", "keyed"]))
    return varied(reference(kind, faces[int(rng.integers(len(faces)))]), rng, hardness)


def _laid(count: int | None, style: CometPrinting, rng: np.random.Generator) -> list[LaidComet]:
    groups = laid_groups(int(rng.choice(_COUNTS)) if count is None else count, style, rng)
    return [*strays(groups, style, rng), *groups]


def _put(canvas: Canvas, card: LaidComet, style: CometPrinting, gloss: float, rng: np.random.Generator) -> None:
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
    raster = raster_back(style, fine) if card.values is None else raster_face(card.values, style, fine)
    height, width = raster.shape[:2]
    scale = np.diag([card.size[0] / width, card.size[1] / height, 1.0])
    centred = scale @ np.array([[1, 0, 0.5 - width / 2], [0, 1, 0.5 - height / 2], [0, 0, 1.0]])
    table_from_card = placed((float(card.at_mm[0]), float(card.at_mm[1])), card.turn_deg)
    canvas.put(raster, canvas.camera.image_from_table @ table_from_card @ centred, gloss)


def _entry(card: LaidComet, number: int, style: CometPrinting, camera: Pinhole, owner: Field) -> Entry:
    """The truth about one card of a group: besides the contract's, how much of it and of each number is hidden, and the
    outlines of its numbers, of the print that is seen best where one is printed twice."""
    corners = camera.project(card.corners_mm())
    prints = [[camera.project(mark) for mark in marks] for marks in card.marks_mm(style)]
    seen = [min((covered_share(owner, mark, number), k) for k, mark in enumerate(marks)) for marks in prints]
    marks = [marks[k] for marks, (_, k) in zip(prints, seen, strict=True)]
    values = None if card.values is None else sorted(card.values)
    entry = {
        "values": values,
        "zone": None,
        "corners": np.round(corners, 2).tolist(),
        "printed": None if card.values is None else list(card.values),
        "covered": round(covered_share(owner, corners, number), 3),
        "hidden": [round(hidden, 2) for hidden, _ in seen],
        "marks": [np.round(mark, 2).tolist() for mark in marks],
    }
    return marked_cut(entry, corners, camera.size)
