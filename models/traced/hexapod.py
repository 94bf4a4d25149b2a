"""Hexapod decks and cases that nobody has drawn before, path-traced, and the truth about what was rendered of them."""

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from companion.games.comet.deck import rounded
from companion.games.hexapod.deck import CELL_MM, ROUNDING_MM, SIDE_MM, outline
from models.drawing.hexapod.layouts import Case, Lying, showing_all
from models.drawing.hexapod.layouts import scene as any_table
from models.drawing.hexapod.photograph import HIDDEN
from models.drawing.hexapod.printings import CaseLook, Printing, card_raster, invented, reference
from models.drawing.hexel.printings import hex_colour
from models.drawing.photograph import Entry, covered_share, marked_cut, outlines
from models.traced.shards import Rendered, on_picture
from models.traced.studio import LARGE, Described, Studio, piece, scene

PX_PER_MM = 9.0
_FLOOR_PX_PER_MM = 6.0
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
_EACH = [[(row, col) for col in (0, 1)] for row in (0, 1)]


def hexapod_deck(seed: int, studio: Studio, pictures: int = 2, *, is_known: bool = False) -> Iterator[Described]:
    """Photographs of a deck: that which teaches it, one case with every kind, and others."""
    rng = np.random.default_rng(seed)
    look = reference() if is_known else invented(rng)
    gloss = np.array([rng.uniform(0.25, 0.7), rng.choice([0, 0.15, 0.4])])
    for name in ("teach", *map(str, range(pictures))):
        laid = showing_all(rng) if name == "teach" else any_table(rng, cases=1, grid=(5, 5), odd=False)
        cards = [
            *_case(seed, laid.cases[0], look, studio, gloss),
            *(_card(seed, one, look, studio, gloss) for one in laid.loose),
        ]
        is_hard = name not in ("teach", "0")
        how = {"fill": 0.85} if name == "teach" else {"least": float(rng.uniform(0.35, 0.75))}
        yield scene(rng, studio, cards, f"{seed}-{name}", LARGE, is_hard, _frame(laid.cases[0], look.case), **how)


def truth(one: Rendered) -> Entry:
    """What `companion read` should say, in the form of `models.drawing.hexapod.photograph`."""
    size = (one.picture.shape[1], one.picture.shape[0])
    floor, *cards = one.told["cards"]
    outlined = [quad.astype(np.float64) for quad in one.corners]
    tops: dict[tuple[int, int], tuple[int, Any]] = {}
    for number, card in enumerate(cards, 2):
        for row, col in card["over"]:
            tops[row, col] = (number, card)
    cells, covered = np.full((5, 5), None, object), np.zeros((5, 5))
    for row, col in np.ndindex(5, 5):
        number, card = tops.get((row, col), (1, floor))
        part = _floor_cell(row, col)
        if number > 1:
            at = [list(cell) for cell in card["over"]].index([row, col])
            part, cells[row, col] = _quarter(at // 2, at % 2), card["cells"][at // 2][at % 2]
        covered[row, col] = covered_share(one.owner, on_picture(card, outlined[number - 1], part), number)
    board = {"rows": 5, "cols": 5, **_entry(cells, covered, outlined[0])}
    loose = []
    for number, (card, corners) in enumerate(zip(cards, outlined[1:], strict=True), 2):
        if not card["over"]:
            hidden = np.array(
                [
                    [covered_share(one.owner, on_picture(card, corners, _quarter(*q)), number) for q in line]
                    for line in _EACH
                ]
            )
            loose.append(marked_cut(_entry(np.array(card["cells"], object), hidden, corners), corners, size))
    boards = [marked_cut(board, outlined[0], size)]
    return {"boards": boards, "loose": loose, "ignore": outlines([*boards, *loose])}


def _entry(laid: Any, covered: Any, corners: Any) -> Entry:
    doubt = covered > HIDDEN
    cells = laid.copy()
    cells[doubt] = None
    return {
        "cells": cells.tolist(),
        "laid": laid.tolist(),
        "doubt": doubt.tolist(),
        "covered": covered.tolist(),
        "corners": corners.tolist(),
    }


def _floor_cell(row: int, col: int) -> Any:
    return CELL_MM * (_UNIT + np.array([col - 2.5, row - 2.5]))


def _quarter(row: int, col: int) -> Any:
    return CELL_MM * (_UNIT + np.array([col - 1, row - 1]))


def _case(seed: int, case: Case, look: Printing, studio: Studio, gloss: np.ndarray) -> list[Described]:
    """The floor, then the cards in the case as they were laid."""
    side = case.rows * CELL_MM
    half = side / 2
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    texture = studio.keep(f"{seed}-floor.png", _floor(look.case, case.rows))
    floor = piece(texture, (side, side), corners, (np.full(2, half), 0.0), gloss, thick=0.05 + case.floor_mm)
    found = [{**floor, "over": [], "cells": None}]
    for one in case.cards:
        row, col = np.round(one.at_mm[::-1] / CELL_MM).astype(int).tolist()
        over = [[row - 1 + r, col - 1 + c] for r in (0, 1) for c in (0, 1)]
        found.append({**_card(seed, one, look, studio, gloss), "over": over})
    return found


def _card(seed: int, one: Lying, look: Printing, studio: Studio, gloss: np.ndarray) -> Described:
    texture = studio.keep(
        f"{seed}-{'-'.join(sum(one.cells, ()))}.png", np.asarray(card_raster(one.cells, look, PX_PER_MM), np.uint8)
    )
    found = piece(
        texture,
        (SIDE_MM, SIDE_MM),
        np.array(outline()),
        (one.at_mm, one.turn_deg),
        gloss,
        z=0.08 + one.from_mm,
        thick=one.to_mm - one.from_mm,
    )
    cells = [list(line) for line in one.cells]
    return {**found, "outline": rounded(SIDE_MM, SIDE_MM, ROUNDING_MM), "cells": cells, "over": []}


def _floor(look: CaseLook, cells: int) -> np.ndarray:
    side = round(cells * CELL_MM * _FLOOR_PX_PER_MM)
    image = np.empty((side, side, 3), np.uint8)
    image[:] = hex_colour(look.floor)
    width = max(1, round(look.line_mm * _FLOOR_PX_PER_MM))
    for k in range(1, cells):
        at = round(k * CELL_MM * _FLOOR_PX_PER_MM)
        cv2.line(image, (at, 0), (at, side), hex_colour(look.line), width)
        cv2.line(image, (0, at), (side, at), hex_colour(look.line), width)
    if not look.frame_high_mm:
        cv2.rectangle(image, (0, 0), (side - 1, side - 1), hex_colour(look.line), 2 * width)
    return image


def _frame(case: Case, look: CaseLook) -> list[Described]:
    """The frame's four sides, as things."""
    if not look.frame_high_mm:
        return []
    side, wide = case.rows * CELL_MM, look.frame_mm
    rgb = [float((v / 255) ** 2.2) for v in hex_colour(look.frame)[::-1]]
    about = {"kind": "box", "rgb": rgb, "high": look.frame_high_mm + case.floor_mm, "turn": 0.0}
    long, middle = side + 2 * wide, side / 2
    flat = [{**about, "radius": long, "deep": wide, "at": [middle, y]} for y in (-wide / 2, side + wide / 2)]
    upright = [{**about, "radius": wide, "deep": side, "at": [x, middle]} for x in (-wide / 2, side + wide / 2)]
    return flat + upright
