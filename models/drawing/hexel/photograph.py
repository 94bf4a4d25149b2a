"""Hard photographs of a Hex'el table: what is on the picture, and the truth about it.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture:
hand-laid cards, any room, any table, a camera's faults. Light is added up in linear values; the faults come last, as in
a camera.
"""

from collections.abc import Mapping

import numpy as np

from companion.games.hexel.deck import SYMBOLS
from companion.rules.hexgrid import Cell
from models.drawing.canvas import Field
from models.drawing.hexel.invented import invented
from models.drawing.hexel.layouts import Laid, grown_tableau, hand_laid, strays
from models.drawing.hexel.printings import REFERENCE, Printing, varied
from models.drawing.hexel.styles import PicturedDeck
from models.drawing.photograph import Entry, Photograph, Shot, covered_share, marked_cut, outlines
from models.drawing.pinhole import Pinhole, Points, framed
from models.drawing.scenery import put_card, put_face_down, put_things

_COUNTS = (3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 24, 28, 32, 36)


def photograph(
    rng: np.random.Generator,
    *,
    edition: str = "36",
    size: tuple[int, int] = (1280, 720),
    printing: str | Printing | PicturedDeck = "reference",
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
    style = _style(printing, edition, rng, hardness) if isinstance(printing, str) else printing
    laid = _laid(edition, cards, rng) if faces is None else _laid_by_hand(faces, rng)
    core = np.vstack([card.corners_mm() for card in laid if card.cell is not None])
    camera = framed(core, size, rng, across_px, hardness)
    shot = Shot(camera, rng, hardness)
    canvas = shot.canvas
    face_down = put_face_down(canvas, laid, rng)
    put_things(canvas, laid, rng, over=False)
    gloss = shot.gloss()
    corners = [put_card(canvas, card, style, gloss, rng) for card in laid]
    changed = shot.cover(lambda: put_things(canvas, laid, rng, over=True))
    entries = [_entry(card, box, changed, camera) for card, box in zip(laid, corners, strict=True)]
    ignore = [box.tolist() for box in face_down] + outlines(entries)
    pieces = {
        "cards": [e for e in entries if e["cell"] is not None],
        "loose": [e for e in entries if e["cell"] is None],
    }
    return shot.develop("hexel", printing, pieces, ignore, {"edition": edition})


def random_photograph(rng: np.random.Generator, widths_px: tuple[float, float]) -> Photograph:
    """A small photograph to learn from: either edition, the reference printing or, in a third, an invented one.

    ``widths_px`` are the least and the largest width of a card.
    """
    across = float(np.exp(rng.uniform(*np.log(widths_px))))
    kind = "invented" if rng.random() < 0.35 else "reference"
    return photograph(rng, edition=str(rng.choice(["36", "46"])), size=(800, 608), printing=kind, across_px=across)


def _style(printing: str, edition: str, rng: np.random.Generator, hardness: float) -> Printing:
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


def _entry(card: Laid, corners: Points, changed: Field, camera: Pinhole) -> Entry:
    """The truth about one face-up card."""
    entry = {
        "cell": list(card.cell) if card.cell is not None else None,
        "edges": list(card.edges),
        "corners": np.round(corners, 2).tolist(),
        "covered": round(covered_share(changed, corners), 3),
        "hidden": [round(covered_share(changed, camera.project(mark)), 2) for mark in card.marks_mm()],
    }
    return marked_cut(entry, corners, camera.size)
