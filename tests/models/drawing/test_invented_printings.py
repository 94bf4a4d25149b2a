"""Invented printings are such as somebody might print: players can tell the symbols apart."""

from itertools import combinations

import cv2
import numpy as np

from companion.games.hexel.deck import SYMBOLS
from models.drawing.hexel.invented import invented
from models.drawing.hexel.printings import Mark


def tints_apart(one: Mark, other: Mark) -> float:
    lab = cv2.cvtColor(np.array([[one.colour, other.colour]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


def test_two_symbols_of_one_shape_and_fill_differ_well_in_tint() -> None:
    for seed in range(300):
        marks = invented(SYMBOLS["46"], np.random.default_rng(seed)).marks.values()
        for one, other in combinations(marks, 2):
            if one.shape == other.shape and abs(one.hollow - other.hollow) < 0.02:
                assert tints_apart(one, other) >= 30, f"seed {seed}: {one} and {other}"


def test_a_disc_and_a_square_of_one_green_are_on_no_deck() -> None:
    look = invented(SYMBOLS["46"], np.random.default_rng(9_700_003)).marks
    pairs = [pair for pair in combinations(look.values(), 2) if {m.shape for m in pair} == {"disc", "square"}]
    assert all(tints_apart(*pair) >= 30 or bool(pair[0].hollow) != bool(pair[1].hollow) for pair in pairs)
