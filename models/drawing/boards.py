"""Draws boards: of hexagonal tiles that touch, and printed with squares, which are no cards but look like them."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Art, Picture
from models.drawing.card_faces import Draw, Rng, Style, colour_of, crop_of, edges, paths
from models.drawing.card_layouts import Lying, half_of
from models.drawing.card_scenes import SIDE_PX, Camera, Canvas, Scene, finished, lay_cards
from models.drawing.tables import draw_clutter, draw_table

SMALLEST_PX, LARGEST_PX = 18.0, 130.0
"""Sizes of hexagonal tiles, the square root of their area."""
LEAST_SHEET_PX = 260.0
"""Smaller sheets may as well be cards."""
PREMIUM = ("", "", "DOUBLE", "TRIPLE", "2x", "3W")


def terrain(rng: Rng, art: Art) -> Draw:
    """What tiles of one kind show: ground of one look, things on it, a line around it, a disc with a number."""
    picture, ground = art.pictures[int(rng.integers(len(art.pictures)))], colour_of(rng)
    share, rings = rng.uniform(0, 1), rng.random() < 0.25
    clip = art.clips[int(rng.integers(len(art.clips)))] if rng.random() < 0.45 else None
    disc = colour_of(rng, rng.random() < 0.8) if rng.random() < 0.6 else None
    disc_share, disc_place = rng.uniform(0.12, 0.26), rng.uniform(-0.25, 0.25) if rng.random() < 0.3 else 0.0
    line, line_colour = (rng.uniform(0.02, 0.07) if rng.random() < 0.35 else 0.0), colour_of(rng, rng.random() < 0.7)

    def draw(rng: Rng, art: Art, face: Picture) -> None:
        h, w = face.shape[:2]
        face[:] = np.clip(crop_of(rng, picture, w, h) * share + ground * (1 - share), 0, 255).astype(np.uint8)
        if rings:  # wood: uneven bands of light and dark
            bands = np.sin(np.cumsum(rng.uniform(0.1, 1.2, h)))[:, None, None] * rng.uniform(5, 25)
            face[:] = np.clip(face + bands, 0, 255).astype(np.uint8)
        if clip is not None:
            _scatter(rng, face, clip)
        if line:
            _line_inside(face, line, rng.uniform(0.03, 0.12), line_colour)
        if disc is not None and rng.random() < 0.85:
            _number_disc(rng, face, disc, disc_share * w, (w / 2, h * (0.5 + disc_place)))

    return draw


def _scatter(rng: Rng, face: Picture, clip: Picture) -> None:
    """Some copies of a piece of clip art."""
    h, w = face.shape[:2]
    for _ in range(int(rng.integers(1, 8))):
        side = max(4, int(w * rng.uniform(0.12, 0.4)))
        x, y = (int(rng.integers(0, max(1, n - side))) for n in (w, h))
        small = cv2.resize(clip, (side, side), interpolation=cv2.INTER_AREA)[: h - y, : w - x]
        part, alpha = face[y : y + side, x : x + side], small[..., 3:].astype(np.float32) / 255
        part[:] = (small[..., :3] * alpha + part * (1 - alpha)).astype(np.uint8)


def _line_inside(face: Picture, width: float, inset: float, colour: NDArray[np.float32]) -> None:
    """A line along the hexagon's sides, a little inside of them."""
    h, w = face.shape[:2]
    turns = np.radians(np.arange(6) * 60.0)
    corners = np.stack([w * (1 + np.cos(turns) * (1 - inset)), h * (1 + np.sin(turns) * (1 - inset) / 0.866)], 1) / 2
    cv2.polylines(face, [(corners * 16).astype(np.int32)], True, colour.tolist(), max(1, round(width * w)), 16, 4)


def _number_disc(rng: Rng, face: Picture, colour: NDArray[np.float32], radius: float, at: tuple[float, float]) -> None:
    place = (round(at[0]), round(at[1]))
    cv2.circle(face, place, round(radius), colour.tolist(), -1, cv2.LINE_AA)
    ink = colour_of(rng, is_pale=bool(colour.mean() < 110)).tolist()
    if rng.random() < 0.4:
        cv2.circle(face, place, round(radius), ink, max(1, round(radius * 0.1)), cv2.LINE_AA)
    text, scale = str(rng.integers(2, 13)), radius / 22
    (wide, high), _ = cv2.getTextSize(text, 0, scale, 1)
    cv2.putText(face, text, (place[0] - wide // 2, place[1] + high // 2), 0, scale, ink, max(1, round(scale * 2)), 16)


def _tiled(rng: Rng, half: tuple[float, float], reach: float) -> list[Lying]:
    """Hexagons of a board that touch, or nearly; its form a hexagon, rows or anything."""
    gap = 0.0 if rng.random() < 0.5 else rng.uniform(0, 0.06)
    pitch, slack = np.sqrt(3) * half[0] + gap, rng.uniform(0, 0.012)
    rings = int(np.clip(reach / pitch, 1, 4))
    is_turned_once, form = rng.random() < 0.5, rng.random()
    is_hexagon = form < 0.6
    keep = 1.0 if form < 0.75 else rng.uniform(0.5, 0.95)
    middle = rng.normal(0, 0.2, 2) * reach
    cards = []
    for q in range(-rings, rings + 1):
        for r in range(-2 * rings, 2 * rings + 1):
            is_on = max(abs(r), abs(q + r)) <= rings if is_hexagon else abs(q / 2 + r) <= rings / 2
            if is_on and rng.random() < keep:
                at = middle + pitch * np.array([q * np.cos(np.pi / 6), r + q / 2])
                turn = (0 if is_turned_once else rng.integers(6)) * np.pi / 3 + rng.normal(0, slack / 2)
                cards.append(Lying(at + rng.normal(0, slack, 2), half, turn, True))
    return cards


def _pieces(rng: Rng, canvas: Canvas, camera: Camera, cards: list[Lying]) -> None:
    """Sticks along tiles' sides and blocks on their corners, of a few colours."""
    colours = [colour_of(rng) for _ in range(4)]
    for _ in range(int(rng.integers(1, 3 * len(cards) + 1))):
        corners = cards[rng.integers(len(cards))].corners
        i, colour = int(rng.integers(6)), colours[rng.integers(4)]
        along = corners[i] - corners[i - 1]
        across = np.array([-along[1], along[0]])
        if rng.random() < 0.6:
            middle, a, b = (corners[i] + corners[i - 1]) / 2, along * 0.38, across * 0.07
        else:
            middle, a, b = corners[i], along * rng.uniform(0.08, 0.2), across * rng.uniform(0.08, 0.2)
        foot = middle + np.array([a + b, a - b, -a - b, b - a])
        top = camera.project(foot, rng.uniform(0.03, 0.15))
        hull = cv2.convexHull(np.concatenate([camera.project(foot), top]).astype(np.float32))[:, 0]
        canvas.fill(hull.astype(np.float64), colour * 0.6)
        canvas.fill(top, colour)


def draw_hexagon_board(rng: Rng, art: Art) -> Scene:
    """Draw a photograph of a board of hexagonal tiles."""
    scale = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))))
    camera, reach = Camera(rng, SIDE_PX, scale), max(1.2, SIDE_PX / scale / 2)
    canvas = Canvas(draw_table(rng, art, SIDE_PX, camera.plane), rng)
    if rng.random() < 0.3:
        draw_clutter(rng, canvas.picture, camera.plane, reach)
    cards = _tiled(rng, half_of(rng, True), reach)
    centres = np.array([c.centre for c in cards]) if cards else np.zeros((1, 2))
    if rng.random() < 0.5:  # a frame around the board, such as a sea
        turns = np.arange(6) * np.pi / 3 + (np.pi / 6 if rng.random() < 0.3 else 0)
        radius = np.linalg.norm(centres - centres.mean(0), axis=1).max() + rng.uniform(0.7, 1.6)
        rim = centres.mean(0) + radius * np.stack([np.cos(turns), np.sin(turns)], 1)
        canvas.fill(camera.project(rim), colour_of(rng))
    kinds = tuple(terrain(rng, art) for _ in range(int(rng.integers(2, 8)))) if rng.random() < 0.65 else (edges, paths)
    frame = rng.uniform(0.012, 0.06) if rng.random() < 0.6 else 0.0
    edge = colour_of(rng, [True, True, False, None][int(rng.integers(4))])
    rounding = rng.uniform(0.02, 0.1) if rng.random() < 0.2 else 0.0
    lay_cards(rng, art, canvas, camera, cards, Style(kinds, (edge,), rounding, frame, edge, True))
    if cards and rng.random() < 0.45:
        _pieces(rng, canvas, camera, cards)
    return finished(rng, canvas, scale)


def draw_square_board(rng: Rng, art: Art) -> Scene:
    """Draw a photograph of a board or sheet printed with squares, of keys or of a newspaper: no card among them."""
    count = int(rng.integers(7, 20))
    pitch_px = float(np.exp(rng.uniform(np.log(LEAST_SHEET_PX / count), np.log(80))))
    camera, reach = Camera(rng, SIDE_PX, pitch_px), SIDE_PX / pitch_px / 2
    canvas = Canvas(draw_table(rng, art, SIDE_PX, camera.plane), rng)
    draws = (_squares, _squares, _keys, _newspaper)
    sheet = draws[rng.integers(len(draws))](rng, art, count)
    half = count / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    outline = half * rng.uniform(1.0, 1.1) + (middle := rng.uniform(-0.4, 0.4, 2) * reach)
    canvas.fill(camera.project(outline), colour_of(rng))
    opaque = np.dstack([sheet, np.full(sheet.shape[:2], 255, np.uint8)])
    canvas.lay(opaque, camera.project(half + middle), camera.project(half + middle))
    canvas.outlines.clear()
    tiles = _letter_tiles(rng, canvas, camera, middle, count) if rng.random() < 0.6 else []
    canvas.owner[:] = -1
    return finished(rng, canvas, pitch_px, [outline.astype(np.float32) for outline in tiles])


def _squares(rng: Rng, art: Art, count: int) -> Picture:
    """A board of squares divided by lines, some of other colours and with words."""
    pitch = 32
    board = np.empty((count * pitch, count * pitch, 3), np.uint8)
    board[:] = colour_of(rng)
    colours, inset = [colour_of(rng) for _ in range(5)], int(rng.integers(0, 3))
    ground, is_checked, rare = colour_of(rng), rng.random() < 0.25, rng.uniform(0, 0.5)
    for row in range(count):
        for column in range(count):
            mirrored = (min(row, count - 1 - row) * 37 + min(column, count - 1 - column) * 101) % 97 / 97
            is_other = (row + column) % 2 > 0 if is_checked else mirrored < rare
            kind = 0 if is_checked else int(mirrored * 1000) % 5
            x, y = column * pitch, row * pitch
            cell = board[y + inset : y + pitch - inset, x + inset : x + pitch - inset]
            cell[:] = colours[kind] if is_other else ground
            if is_other and not is_checked:
                ink = (255 - colours[kind]).tolist()
                cv2.putText(board, PREMIUM[kind], (x + 3, y + 18), 0, 0.28, ink, 1, cv2.LINE_AA)
    return board


def _keys(rng: Rng, art: Art, count: int) -> Picture:
    """Keys in shifted rows, with their slopes and letters."""
    pitch, case, cap = 32, colour_of(rng), colour_of(rng)
    keys = np.empty((count * pitch, count * pitch, 3), np.uint8)
    keys[:] = case
    for row in range(count):
        x = -int(rng.integers(0, pitch))
        while x < count * pitch:
            wide = pitch if rng.random() < 0.85 else int(pitch * rng.uniform(1.3, 5))
            y = row * pitch
            cv2.rectangle(keys, (x + 2, y + 2), (x + wide - 2, y + pitch - 2), (cap * 0.7).tolist(), -1)
            cv2.rectangle(keys, (x + 5, y + 3), (x + wide - 5, y + pitch - 7), cap.tolist(), -1)
            letter = chr(int(rng.integers(33, 91)))
            cv2.putText(keys, letter, (x + 8, y + 18), 0, 0.4, (255 - cap).tolist(), 1, cv2.LINE_AA)
            x += wide
    return keys


def _newspaper(rng: Rng, art: Art, count: int) -> Picture:
    """Columns of lines, headlines and pictures on paper."""
    side, columns = count * 32, int(rng.integers(2, 6))
    paper = np.empty((side, side, 3), np.uint8)
    paper[:] = colour_of(rng, is_pale=True)
    ink, wide = colour_of(rng, is_pale=False).tolist(), side // columns
    for column in range(columns):
        y, x = 8, column * wide + 6
        while y < side - 12:
            kind = rng.random()
            if kind < 0.04:
                high = int(min(wide * rng.uniform(0.5, 1.2), side - y))
                picture = art.pictures[int(rng.integers(len(art.pictures)))]
                paper[y : y + high, x : x + wide - 12] = crop_of(rng, picture, wide - 12, max(4, high))[:high]
                y += high + 8
                continue
            size = 1.1 if kind < 0.08 else 0.35
            letters = "".join(rng.choice(list("abcdefghiklmnoprstu    "), int((wide - 12) / (18 * size))))
            cv2.putText(paper, letters, (x, y + int(22 * size)), 0, size, ink, 2 if size > 1 else 1, cv2.LINE_AA)
            y += int(36 * size)
        if column and rng.random() < 0.5:
            cv2.line(paper, (x - 6, 0), (x - 6, side), ink, 1)
    return paper


def _letter_tiles(
    rng: Rng, canvas: Canvas, camera: Camera, middle: NDArray[np.float64], count: int
) -> list[NDArray[np.float64]]:
    """Runs of tiles with a letter on the squares; returns their outlines, which may be found or not."""
    outlines, face, unit = [], colour_of(rng, is_pale=True), np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    for _ in range(int(rng.integers(1, 9))):
        start, along = rng.integers(0, count, 2), np.eye(2)[rng.integers(2)]
        for step in range(int(rng.integers(2, 8))):
            cell = start + along * step
            if cell.max() >= count:
                break
            base = middle - count / 2 + cell + (unit - 0.5) * 0.92 + 0.5
            top = camera.project(base, 0.12)
            hull = cv2.convexHull(np.concatenate([camera.project(base), top]).astype(np.float32))[:, 0]
            canvas.fill(hull.astype(np.float64), face * 0.5)
            canvas.fill(top, face * rng.uniform(0.9, 1.0))
            size = np.sqrt(abs(cv2.contourArea(top.astype(np.float32))))
            at = np.clip(top.mean(0) + size * np.array([-0.25, 0.25]), -9999, 9999).astype(int).tolist()
            letter = chr(int(rng.integers(65, 91)))
            cv2.putText(canvas.picture, letter, at, 0, size / 40, (20, 20, 20), max(1, round(size / 20)), cv2.LINE_AA)
            outlines.append(hull.astype(np.float64))
    return outlines


def draw_board(rng: Rng, art: Art) -> Scene:
    """Draw a board of hexagonal tiles or, less often, one printed with squares."""
    return draw_hexagon_board(rng, art) if rng.random() < 0.85 else draw_square_board(rng, art)
