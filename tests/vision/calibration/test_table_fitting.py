"""The table's plane from things of known shape, by numbers alone and by marks on a drawn photograph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.hexel.deck import SIDE_MM, outline
from companion.printing.marks import mark_shapes
from companion.vision.calibration.aruco import MARKS_MM, find_marks, square_mm
from companion.vision.calibration.lens import Lens
from companion.vision.calibration.table_fitting import Fitted, fit_table
from companion.vision.geometry import mapped
from models.drawing.marked import Lying, marked_photograph
from models.drawing.pinhole import Pinhole

HEXAGON = np.array(outline())
SIZE = (1280, 720)
LENS = Lens((1020.0, 1020.0), (645.0, 352.0), (-0.22, 0.07, 0.0005, -0.0004, 0.0), 0.2, 10)
GRID = np.stack(np.meshgrid(np.linspace(-350, 350, 8), np.linspace(-180, 180, 5)), -1).reshape(-1, 2)


def camera(tilt_deg: float, turn_deg: float, away_mm: float = 850.0) -> np.ndarray:
    """Where an undistorted picture shows the table."""
    t, y = np.radians([tilt_deg, turn_deg])
    lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    turn = lean @ np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    return LENS.matrix() @ np.column_stack([turn[:, 0], turn[:, 1], [-20.0, 10.0, away_mm]])


def laid(shape: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """The shape lying about the table, turned anyhow."""
    out = []
    for _ in range(count):
        turn = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        out.append(shape @ [[c, s], [-s, c]] + rng.uniform([-380, -200], [380, 200]))
    return np.array(out)


def off_mm(fit: Fitted, undistorted_from_table: np.ndarray) -> np.ndarray:
    """How far points all over the table are told from where they are, once the two frames are laid over one another."""
    told = mapped(fit.table_from_undistorted, mapped(undistorted_from_table, GRID))
    a, b = GRID[:, 0] + 1j * GRID[:, 1], told[:, 0] + 1j * told[:, 1]
    turn = np.angle(np.sum((b - b.mean()) * np.conj(a - a.mean())))
    return np.abs((b - b.mean()) - (a - a.mean()) * np.exp(1j * turn))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 8), st.floats(0, 35), st.booleans())
def test_what_is_seen_exactly_tells_the_table_exactly(seed: int, count: int, tilt: float, is_known: bool) -> None:
    rng = np.random.default_rng(seed)
    sees = camera(tilt, float(rng.uniform(0, 360)))
    seen = mapped(sees, laid(HEXAGON, count, rng))
    fit = fit_table(seen, np.repeat(HEXAGON[None], count, 0), LENS.matrix() if is_known else None)
    assert off_mm(fit, sees).max() < 0.5
    assert fit.residual_mm is not None and fit.residual_mm < 0.01


def test_a_known_lens_tells_more_of_the_same_cards() -> None:
    rng = np.random.default_rng(5)
    worst = {True: [], False: []}
    for _ in range(20):
        sees = camera(15, float(rng.uniform(0, 360)))
        seen = mapped(sees, laid(HEXAGON, 2, rng)) + rng.normal(0, 0.2, (2, 6, 2))
        for is_known in worst:
            fit = fit_table(seen, np.repeat(HEXAGON[None], 2, 0), LENS.matrix() if is_known else None)
            worst[is_known].append(float(off_mm(fit, sees).max()))
    assert np.median(worst[True]) < 0.8 * np.median(worst[False])


def test_a_wrong_find_is_left_out() -> None:
    rng = np.random.default_rng(2)
    sees = camera(10, 30)
    seen = mapped(sees, laid(HEXAGON, 7, rng)) + rng.normal(0, 0.1, (7, 6, 2))
    seen[3] = (seen[3] - seen[3].mean(0)) * [1.5, 0.8] + seen[3].mean(0)
    fit = fit_table(seen, np.repeat(HEXAGON[None], 7, 0))
    assert fit.kept.tolist() == [True] * 3 + [False] + [True] * 3
    assert off_mm(fit, sees).max() < 8


def test_four_corners_alone_tell_no_residual_unless_the_lens_is_known() -> None:
    sheet = np.array([[-148.5, -105], [148.5, -105], [148.5, 105], [-148.5, 105]])
    seen = mapped(camera(20, 10), sheet)[None] + np.random.default_rng(3).normal(0, 1, (1, 4, 2))
    assert fit_table(seen, sheet[None]).residual_mm is None
    known = fit_table(seen, sheet[None], LENS.matrix()).residual_mm
    assert known is not None
    assert 0.05 < known < 6


def test_a_frame_begins_where_it_is_asked_to() -> None:
    rng = np.random.default_rng(4)
    seen = mapped(camera(10, 30), laid(square_mm(30.0), 4, rng))
    fit = fit_table(seen, np.repeat(square_mm(30.0)[None], 4, 0))
    middles = fit.placed_mm.mean(1)
    framed = fit.framed(middles[2], middles[3])
    assert np.abs(framed.placed_mm[2].mean(0)).max() < 1e-9
    assert framed.placed_mm[3].mean(0)[0] == pytest.approx(np.linalg.norm(middles[3] - middles[2]))
    assert abs(framed.placed_mm[3].mean(0)[1]) < 1e-9
    assert np.abs(mapped(framed.table_from_undistorted, seen) - framed.placed_mm).max() < 0.01


def test_four_marks_on_a_photograph_tell_the_table_to_a_few_millimetres() -> None:
    rng = np.random.default_rng(1)
    places = ((-380.0, -200.0), (385.0, -190.0), (380.0, 205.0), (-375.0, 195.0))
    things = [Lying(mark_shapes(n), at, float(rng.uniform(-8, 8))) for n, at in enumerate(places)]
    sees = camera(12, 8)
    picture = marked_photograph(rng, Pinhole(sees, SIZE), things, LENS.undistort, mood="daylight", hardness=0.7)
    found = find_marks(picture)
    assert sorted(found) == [0, 1, 2, 3]
    undistorted = np.stack([LENS.undistort(found[number]) for number in range(4)])
    fit = fit_table(undistorted, np.stack([square_mm(MARKS_MM[number]) for number in range(4)]), LENS.matrix())
    assert fit.residual_mm is not None and fit.residual_mm < 0.2
    assert off_mm(fit, sees).max() < 3


def test_a_side_of_the_reference_card_is_what_the_fit_measures_with() -> None:
    assert np.linalg.norm(HEXAGON[0] - HEXAGON[1]) == pytest.approx(SIDE_MM)
