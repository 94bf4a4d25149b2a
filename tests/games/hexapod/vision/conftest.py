"""Drawn pictures of a Hexapod table, with a hand."""

from functools import cache
from itertools import cycle

import cv2
import numpy as np
import pytest

from companion.games.hexapod.deck import CELL_MM, back_shapes, case_shapes, face_shapes
from companion.printing.raster import raster
from companion.printing.shapes import Box

SCALE = 1.8
SIZE = (960, 640)
CARD = Box(-25, -25, 25, 25)
RNG = np.random.default_rng(4)
CALM = {}
"""The last picture without noise, by what lies on it: a film shows each many times."""
GROUND = cv2.resize(RNG.uniform(60, 95, (160, 240, 3)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)
NOISES = cycle(1.5 * RNG.standard_normal((5, *GROUND.shape), np.float32))
"""What a sensor adds, another to each picture than to the one before: to make noise takes longer than to read it."""


@cache
def _drawn(shapes, box):
    return raster(shapes, SCALE, box)


def _put(picture, shapes, box, at, turn=0.0):
    """Lay a drawing with its middle at a pixel."""
    drawn = _drawn(shapes, box)
    h, w = drawn.shape[:2]
    place = cv2.getRotationMatrix2D((w / 2, h / 2), -turn, 1.0) + np.array(
        [[0, 0, at[0] - w / 2], [0, 0, at[1] - h / 2]]
    )
    laid = cv2.warpAffine(drawn, place, SIZE)
    alpha = laid[:, :, 3:].astype(np.float32) / 255
    return picture * (1 - alpha) + laid[:, :, :3] * alpha


@pytest.fixture
def frame():
    """Draws pictures of a Hexapod table."""
    return _frame


def _frame(cases, loose=(), hand=None, backs=()):
    """One picture.

    Args:
        cases: (middle, turn, cards), each card (row, col, cells).
        loose: (middle, turn, cells).
        hand: where it reaches to, from below.
        backs: (middle, turn) of cards face down.
    """
    shown = repr((cases, loose, hand, backs))
    if shown not in CALM:
        CALM.clear()
        CALM[shown] = _calm(cases, loose, hand, backs)
    return np.clip(CALM[shown] + next(NOISES), 0, 255).astype(np.uint8)


def _calm(cases, loose, hand, backs):
    picture = GROUND.copy()
    for (x, y), turn, cards in cases:
        picture = _put(picture, case_shapes(), Box(-6, -6, 131, 131), (x, y), turn)
        for row, col, cells in cards:
            a = np.radians(turn)
            dx, dy = (col + 1) * CELL_MM - 62.5, (row + 1) * CELL_MM - 62.5
            middle = (x + SCALE * (np.cos(a) * dx - np.sin(a) * dy), y + SCALE * (np.sin(a) * dx + np.cos(a) * dy))
            picture = _put(picture, face_shapes(cells), CARD, middle, turn)
    for middle, turn, cells in loose:
        picture = _put(picture, face_shapes(cells), CARD, middle, turn)
    for middle, turn in backs:
        picture = _put(picture, back_shapes(), CARD, middle, turn)
    if hand is not None:
        cv2.line(picture, hand, (hand[0] + 60, SIZE[1] + 40), (120, 150, 210), 90, cv2.LINE_AA)
    return picture
