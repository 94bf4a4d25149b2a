"""Paints display cases and cards, which have a height, on a photograph before any light falls on it."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexapod.deck import CELL_MM, SIDE_MM
from models.drawing.canvas import Canvas, Ink
from models.drawing.hexapod.layouts import Case, Lying, turn
from models.drawing.hexapod.printings import CaseLook, Printing, card_raster
from models.drawing.hexel.printings import hex_colour
from models.drawing.pinhole import Overhead

Points = npt.NDArray[Any]

_CUT: Ink = (205.0, 215.0, 220.0)
"""The colour of paper where it is cut."""
_RIM_MM = 1.0


def put_case(
    canvas: Canvas, camera: Overhead, case: Case, printing: Printing, gloss: float, rng: np.random.Generator
) -> None:
    """Paint one case and the cards in it."""
    style = printing.case
    high = style.frame_high_mm + case.floor_mm if style.frame_high_mm else 0.0
    _shade(canvas, camera.project(case.box_mm(style.frame_mm) + rng.normal(0, 1.5 + 0.3 * high, 2)), 2.0 + high, rng)
    tone = _ink(style.frame)
    _prism(canvas, camera, case.box_mm(style.frame_mm), 0.0, high, _dimmed(tone, 0.7))
    sides = [_dimmed(tone, float(v)) for v in rng.uniform(0.85, 1.1, 4)]
    for k in range(4):
        _side(canvas, camera, case, k, style, high, sides[k])
    canvas.polygon(camera.project(case.box_mm(), high), _dimmed(tone, 0.55))
    _floor(canvas, camera, case, style, rng)
    if high > 2 and rng.random() < 0.7:
        _inner_shadow(canvas, camera, case, high, rng)
    for card in case.cards:
        put_card(canvas, camera, _on_table(card, case), printing, gloss, rng)
    tallest = max([case.floor_mm, *(card.to_mm for card in case.cards)])
    if high > tallest:
        for k in range(4):
            if _hides_floor(camera, case, k, high):
                _side(canvas, camera, case, k, style, high, sides[k])


def put_card(
    canvas: Canvas, camera: Overhead, card: Lying, printing: Printing, gloss: float, rng: np.random.Generator
) -> Points:
    """Paint one card, or the stack whose top it is; return its corners in the picture (4, 2)."""
    low, corners = card.corners_mm(), camera.project(card.corners_mm(), card.to_mm)
    thick = card.to_mm - card.from_mm
    _shade(canvas, camera.project(low + rng.normal(0, 0.5 + 0.2 * thick, 2), card.from_mm), 0.6 + 0.5 * thick, rng)
    _prism(canvas, camera, low, card.from_mm, card.to_mm, _dimmed(_CUT, float(rng.uniform(0.6, 1.0))))
    px_per_mm = float(np.linalg.norm(corners[0] - corners[2])) / (SIDE_MM * 2**0.5)
    face = card_raster(card.cells, printing, 1.2 * px_per_mm)
    bgra = np.dstack([face, _rounded_mask(len(face))])
    mm = SIDE_MM / len(face)
    card_from_raster = np.array([[mm, 0, mm / 2 - SIDE_MM / 2], [0, mm, mm / 2 - SIDE_MM / 2], [0, 0, 1.0]])
    placed = np.eye(3)
    placed[:2, :2], placed[:2, 2] = turn(card.turn_deg), card.at_mm
    canvas.put(bgra, camera.image_from_plane(card.to_mm) @ placed @ card_from_raster, gloss)
    return corners


def put_face_down(
    canvas: Canvas, camera: Overhead, card: Lying, printing: Printing, rng: np.random.Generator
) -> Points:
    """Paint a card or a deck with its back up; return its corners in the picture (4, 2)."""
    corners = camera.project(card.corners_mm(), card.to_mm)
    _shade(canvas, camera.project(card.corners_mm() + rng.normal(0, 1, 2)), 1.0 + card.to_mm, rng)
    _prism(canvas, camera, card.corners_mm(), 0.0, card.to_mm, _dimmed(_CUT, float(rng.uniform(0.5, 1.0))))
    back = _ink(printing.back)
    canvas.polygon(corners, back)
    mark = _dimmed(back, 1.8) if sum(back) < 330 else _dimmed(back, 0.6)
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for share, ink in ((1.0, mark), (0.85, back)):
        oval = np.stack([7.5 * np.cos(angles), 11.5 * np.sin(angles)], 1) * share
        canvas.polygon(camera.project(oval @ turn(card.turn_deg).T + card.at_mm, card.to_mm), ink)
    return corners


def _on_table(card: Lying, case: Case) -> Lying:
    at = case.table_from_case(card.at_mm[None])[0]
    return Lying(card.cells, at, card.turn_deg + case.turn_deg, card.from_mm, card.to_mm)


def _floor(canvas: Canvas, camera: Overhead, case: Case, style: CaseLook, rng: np.random.Generator) -> None:
    """The floor with its grid, a rim wider than the field so that nothing shows between it and the frame."""
    corners = camera.project(case.box_mm(), case.floor_mm)
    scale = float(np.clip(np.linalg.norm(corners[0] - corners[2]) / (CELL_MM * np.hypot(case.rows, case.cols)), 0.6, 5))
    rim = _RIM_MM if style.frame_high_mm else 0.0
    size = [round((n * CELL_MM + 2 * rim) * scale) for n in (case.rows, case.cols)]
    image = np.empty((*size, 3), np.uint8)
    image[:] = hex_colour(style.floor)
    grain = rng.normal(0, float(rng.choice([0, 2, 6])), (size[0] // 3 + 1, size[1] // 3 + 1)).astype(np.float32)
    image = np.clip(image + cv2.resize(grain, (size[1], size[0]))[..., None], 0, 255).astype(np.uint8)
    width = max(1, round(style.line_mm * scale))
    for r in range(1, case.rows):
        y = round((r * CELL_MM + rim) * scale)
        cv2.line(image, (0, y), (size[1], y), hex_colour(style.line), width, cv2.LINE_AA)
    for c in range(1, case.cols):
        x = round((c * CELL_MM + rim) * scale)
        cv2.line(image, (x, 0), (x, size[0]), hex_colour(style.line), width, cv2.LINE_AA)
    opaque = np.full((*size, 1), 255, np.uint8)
    case_from_raster = np.array([[1 / scale, 0, 0.5 / scale - rim], [0, 1 / scale, 0.5 / scale - rim], [0, 0, 1.0]])
    placed = np.eye(3)
    placed[:2, :2], placed[:2, 2] = turn(case.turn_deg), case.at_mm
    canvas.put(np.dstack([image, opaque]), camera.image_from_plane(case.floor_mm) @ placed @ case_from_raster)


def _side(canvas: Canvas, camera: Overhead, case: Case, k: int, style: CaseLook, high: float, ink: Ink) -> None:
    """The top of the frame's k-th side."""
    outer, inner = case.box_mm(style.frame_mm), case.box_mm()
    n = (k + 1) % 4
    canvas.polygon(camera.project(np.array([outer[k], outer[n], inner[n], inner[k]]), high), ink)


def _hides_floor(camera: Overhead, case: Case, k: int, high: float) -> bool:
    """Whether the frame's k-th side leans over the field as the camera sees it."""
    ends = case.box_mm()[[k, (k + 1) % 4]]
    low, top = camera.project(ends, case.floor_mm).mean(0), camera.project(ends, high).mean(0)
    middle = camera.project(case.box_mm(), case.floor_mm).mean(0)
    return float((top - low) @ (middle - low)) > 0


def _inner_shadow(canvas: Canvas, camera: Overhead, case: Case, high: float, rng: np.random.Generator) -> None:
    """What the frame's walls take of the light at the field's rim."""
    reach = float(rng.uniform(0.3, 1.0)) * high
    k = int(rng.integers(4))
    for side in (k, (k + 1) % 4):
        box, middle = case.box_mm(), case.box_mm().mean(0)
        a, b = box[side], box[(side + 1) % 4]
        inwards = middle - (a + b) / 2
        inwards = inwards / np.linalg.norm(inwards) * reach
        _shade(canvas, camera.project(np.array([a, b, b + inwards, a + inwards]), case.floor_mm), 0.25 * reach, rng)


def _prism(canvas: Canvas, camera: Overhead, box_mm: Points, from_mm: float, to_mm: float, ink: Ink) -> None:
    """The silhouette of a block with that base."""
    if to_mm > from_mm:
        corners = np.vstack([camera.project(box_mm, from_mm), camera.project(box_mm, to_mm)]).astype(np.float32)
        canvas.polygon(cv2.convexHull(corners).reshape(-1, 2).astype(np.float64), ink)


def _shade(canvas: Canvas, points: Points, softness_mm: float, rng: np.random.Generator) -> None:
    """Take light away under a thing: a soft dark patch."""
    side = float(np.linalg.norm(points[0] - points[1]))
    soft_px = float(np.clip(softness_mm * side / 90, 0.5, 12))
    margin = int(3 * soft_px) + 2
    x0, y0 = np.maximum(np.floor(points.min(0)).astype(int) - margin, 0)
    x1, y1 = np.minimum(np.ceil(points.max(0)).astype(int) + margin, canvas.albedo.shape[1::-1])
    if x1 > x0 and y1 > y0:
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.fillPoly(mask, [np.round((points - [x0, y0]) * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        dark = cv2.GaussianBlur(mask, (0, 0), soft_px) * float(rng.uniform(0.2, 0.7))
        canvas.albedo[y0:y1, x0:x1] *= 1 - dark[..., None]


def _rounded_mask(side: int) -> Points:
    mask = np.zeros((side, side), np.uint8)
    radius = max(1, round(side * 0.035))
    cv2.rectangle(mask, (radius, 0), (side - 1 - radius, side - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (side - 1, side - 1 - radius), 255, -1)
    for x in (radius, side - 1 - radius):
        for y in (radius, side - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask


def _ink(colour: str) -> Ink:
    b, g, r = hex_colour(colour)
    return float(b), float(g), float(r)


def _dimmed(ink: Ink, factor: float) -> Ink:
    b, g, r = (min(255.0, v * factor) for v in ink)
    return b, g, r
