import math
from itertools import combinations

import cv2
import numpy as np
import pytest

from companion.games.hexel.deck import APOTHEM_MM, outline
from companion.games.hexel.demo.tabletop import spot
from companion.rules.hexgrid import cells_within, distance
from companion.simulator.lying import Care
from companion.simulator.optics import applied, placed

CARE = Care(gap_mm=3.0, turn_deg=4.0)


def tableau(seed):
    cells = sorted(cells_within(3), key=lambda cell: distance(cell, (0, 0)))
    lying = {}
    for cell in cells:
        lying[cell] = spot(cell, lying, CARE, np.random.default_rng([seed, cell[0] % 256, cell[1] % 256]))
    return lying


def corners(pose):
    return applied(placed((pose.x_mm, pose.y_mm), pose.turn_deg), outline())


def touching(poses):
    return [(poses[a], poses[b]) for a, b in combinations(poses, 2) if distance(a, b) == 1]


@pytest.mark.parametrize("seed", range(5))
def test_cards_laid_by_hand_hardly_overlap(seed):
    for a, b in touching(tableau(seed)):
        area, _ = cv2.intersectConvexConvex(corners(a), corners(b))
        assert area < 35 * 0.6, "less than a stripe of 0.6 mm along an edge"


@pytest.mark.parametrize("seed", range(5))
def test_gaps_stay_within_what_the_care_allows_plus_what_has_added_up(seed):
    gaps = [math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) - 2 * APOTHEM_MM for a, b in touching(tableau(seed))]
    assert np.median(gaps) < CARE.gap_mm
    assert max(gaps) < 3 * CARE.gap_mm


def test_small_turns_add_up_over_the_table():
    turns = [abs(pose.turn_deg) for seed in range(5) for pose in tableau(seed).values()]
    assert 0.5 < np.mean(turns) < 6
    assert max(turns) > 1.5


def test_the_same_seeds_lay_the_same_table():
    assert tableau(3) == tableau(3)
    assert tableau(3) != tableau(4)
