"""Draws what cards lie on, and things that lie about and are no cards."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Art, Picture
from models.drawing.card_faces import Rng, colour_of, crop_of

Homography = NDArray[np.float64]


def _noise(rng: Rng, side: int, cell_x: float, cell_y: float) -> NDArray[np.float32]:
    """Smooth noise (side, side) with a mean of 0 and a deviation of 1."""
    grid = rng.normal(size=(max(2, int(side / cell_y) + 2), max(2, int(side / cell_x) + 2))).astype(np.float32)
    return np.asarray(cv2.resize(grid, (side, side), interpolation=cv2.INTER_CUBIC), np.float32)


def _turned(rng: Rng, picture: NDArray[np.float32]) -> NDArray[np.float32]:
    side = picture.shape[0]
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), rng.uniform(0, 360), rng.uniform(1.0, 1.8))
    return np.asarray(cv2.warpAffine(picture, turn, (side, side), borderMode=cv2.BORDER_REFLECT_101), np.float32)


def _plain(rng: Rng, side: int) -> NDArray[np.float32]:
    """Paint, cloth, carpet or wood: a colour with noise of one or more sizes."""
    table = np.empty((side, side, 3), np.float32)
    table[:] = colour_of(rng, [None, None, True, False][int(rng.integers(4))])
    tint = rng.normal(1.0, 0.25, 3).astype(np.float32)
    for _ in range(int(rng.integers(0, 4))):
        cell = 1.2 * (side / 3) ** rng.uniform(0, 1)
        stretch = rng.uniform(4, 30) if rng.random() < 0.4 else 1.0
        table += _noise(rng, side, cell * stretch, cell)[..., None] * tint * rng.uniform(2, 28)
    return _turned(rng, table) if rng.random() < 0.8 else table


def _ruled(rng: Rng, side: int, to_picture: Homography) -> NDArray[np.float32]:
    """Tiles or planks on the plane of the table: lines through all of the picture, each field its own shade."""
    y, x = np.mgrid[:side, :side].astype(np.float32)
    back = np.linalg.inv(to_picture)
    u, v, w = (back[i, 0] * x + back[i, 1] * y + back[i, 2] for i in range(3))
    u, v = u / w, v / w
    pitch_u = rng.uniform(0.25, 3.0)
    pitch_v = pitch_u * (1 if rng.random() < 0.5 else rng.uniform(2, 12))
    turn = rng.uniform(0, np.pi)
    u, v = u * np.cos(turn) - v * np.sin(turn), u * np.sin(turn) + v * np.cos(turn)
    column = np.floor(u / pitch_u)
    v = v + (column * rng.uniform(0, 1) * pitch_v if rng.random() < 0.5 else 0)
    seam = rng.uniform(0.01, 0.05) * pitch_u
    is_seam = (np.abs(u / pitch_u - column - 0.5) * pitch_u > pitch_u / 2 - seam) | (
        np.abs(v / pitch_v - np.floor(v / pitch_v) - 0.5) * pitch_v > pitch_v / 2 - seam
    )
    table = _plain(rng, side)
    shades = rng.normal(0, rng.choice([0, 6, 20]), 97)
    fields = (column * 31 + np.floor(v / pitch_v) * 17).astype(np.int64) % 97
    table += shades[fields][..., None].astype(np.float32)
    if rng.random() < 0.3:
        table[(column + np.floor(v / pitch_v)) % 2 > 0.5] *= rng.uniform(0.3, 0.9)
    table[is_seam] = colour_of(rng)
    return table


def draw_table(rng: Rng, art: Art, side: int, to_picture: Homography) -> Picture:
    """A table, floor or anything else behind cards, (side, side, 3)."""
    kind = rng.random()
    if kind < 0.45:
        table = crop_of(rng, art.pictures[int(rng.integers(len(art.pictures)))], side, side).astype(np.float32)
        if rng.random() < 0.3:
            table = table * rng.uniform(0.2, 1.0) + colour_of(rng) * rng.uniform(0, 0.5)
    elif kind < 0.6:
        tile = cv2.resize(art.pictures[int(rng.integers(len(art.pictures)))], (int(rng.integers(60, 200)),) * 2)
        table = np.tile(tile, (9, 9, 1))[:side, :side].astype(np.float32)
        table = _turned(rng, table)
    elif kind < 0.85:
        table = _plain(rng, side)
    else:
        table = _ruled(rng, side, to_picture)
    return np.clip(table, 0, 255).astype(np.uint8)


def _projected(to_picture: Homography, points: NDArray[np.float64]) -> NDArray[np.int32]:
    at = cv2.perspectiveTransform(points.reshape(1, -1, 2), to_picture)[0]
    return np.asarray(np.clip(at * 16, -(2**20), 2**20).round(), np.int32)


def _box(centre: NDArray[np.float64], half: tuple[float, float], turn: float) -> NDArray[np.float64]:
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * half
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + centre)


def _keyboard(rng: Rng, picture: Picture, to_picture: Homography, centre: NDArray[np.float64]) -> None:
    """Rows of small keys, each with its slope and letter, on a case."""
    key, turn = rng.uniform(0.22, 0.45), rng.uniform(0, 2 * np.pi)
    rows, columns = int(rng.integers(3, 6)), int(rng.integers(5, 14))
    case, cap = colour_of(rng), colour_of(rng)
    across = _box(centre, (columns * key / 2 + key * 0.3, rows * key / 2 + key * 0.3), turn)
    cv2.fillConvexPoly(picture, _projected(to_picture, across), case.tolist(), cv2.LINE_AA, 4)
    along = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    for row in range(rows):
        shift = rng.uniform(0, 0.5)
        for column in range(columns - 1):
            at = centre + np.array([column - columns / 2 + 0.5 + shift, row - rows / 2 + 0.5]) @ along * key
            for half, shade in ((0.46, 0.6), (0.36, 1.0)):
                corners = _projected(to_picture, _box(at, (half * key, half * key), turn))
                cv2.fillConvexPoly(picture, corners, (cap * shade).tolist(), cv2.LINE_AA, 4)
            spot = _projected(to_picture, at[None])[0] >> 4
            cv2.putText(picture, chr(65 + int(rng.integers(26))), spot.tolist(), 1, 0.5, (255 - cap).tolist(), 1, 16)


def _chips(rng: Rng, picture: Picture, to_picture: Homography, centre: NDArray[np.float64]) -> None:
    """Coins, chips and cups: circles on the table."""
    for _ in range(int(rng.integers(1, 9))):
        at, radius = centre + rng.normal(0, 1.5, 2), rng.uniform(0.08, 0.6)
        turns = np.arange(24) * np.pi / 12
        for share in (1.0, rng.uniform(0.5, 0.9)):
            ring = at + np.stack([np.cos(turns), np.sin(turns)], 1) * radius * share
            cv2.fillConvexPoly(picture, _projected(to_picture, ring), colour_of(rng).tolist(), cv2.LINE_AA, 4)


def _printed_field(rng: Rng, picture: Picture, to_picture: Homography, centre: NDArray[np.float64]) -> None:
    """A board printed with fields that touch, or a sheet of lines of letters: flat ink, no cards."""
    rows, columns, turn = int(rng.integers(4, 12)), int(rng.integers(4, 12)), rng.uniform(0, 2 * np.pi)
    pitch, colours = rng.uniform(0.2, 0.7), [colour_of(rng) for _ in range(4)]
    sheet = _box(centre, (columns * pitch / 2 + 0.2, rows * pitch / 2 + 0.2), turn)
    cv2.fillConvexPoly(picture, _projected(to_picture, sheet), colours[0].tolist(), cv2.LINE_AA, 4)
    along = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    is_text = rng.random() < 0.5
    for row in range(rows):
        for column in range(columns):
            at = centre + np.array([column - columns / 2 + 0.5, row - rows / 2 + 0.5]) @ along * pitch
            half = (pitch * rng.uniform(0.1, 0.5), pitch * 0.2) if is_text else (pitch * 0.47, pitch * 0.47)
            ink = colours[3 if is_text else int(rng.integers(1, 4))]
            cv2.fillConvexPoly(picture, _projected(to_picture, _box(at, half, turn)), ink.tolist(), cv2.LINE_AA, 4)


def _cables(rng: Rng, picture: Picture, to_picture: Homography, centre: NDArray[np.float64]) -> None:
    """Cables, pens and sticks: thick lines."""
    for _ in range(int(rng.integers(1, 4))):
        points = centre + np.cumsum(rng.normal(0, 1.0, (int(rng.integers(2, 7)), 2)), 0)
        cv2.polylines(
            picture,
            [_projected(to_picture, points)],
            False,
            colour_of(rng).tolist(),
            int(rng.integers(1, 12)),
            cv2.LINE_AA,
            4,
        )


def draw_clutter(rng: Rng, picture: Picture, to_picture: Homography, reach: float) -> None:
    """Draw one thing that is no card onto the picture, within ``reach`` of the plane's origin."""
    kinds = (_keyboard, _chips, _printed_field, _cables)
    kinds[int(rng.integers(len(kinds)))](rng, picture, to_picture, rng.uniform(-reach, reach, 2))
