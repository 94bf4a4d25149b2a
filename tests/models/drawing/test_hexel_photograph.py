"""Drawn photographs: a seed is a picture, and the truth says where everything on it is."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM, SYMBOLS
from companion.rules.hexgrid import neighbours, opposite
from models.drawing.canvas import Canvas
from models.drawing.hexel import photograph as room
from models.drawing.hexel.layouts import Laid, grown_tableau, hand_laid, strays
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import REFERENCE, Colour, Mark, Printing
from models.drawing.photograph import Photograph
from models.drawing.pinhole import Stance, framed

SEEDS = range(60)
Array = npt.NDArray[Any]


def calm(seed: int, cards: int, edition: str = "36") -> Photograph:
    rng = np.random.default_rng(seed)
    return photograph(rng, edition=edition, size=(640, 480), printing="exact", cards=cards, across_px=90, hardness=0.0)


def tableau(seed: int) -> tuple[list[Laid], list[Laid]]:
    """A tableau of 3 to 36 cards, laid more or less carefully, and the loose cards around it."""
    rng = np.random.default_rng(seed)
    faces = grown_tableau(3 + seed % 34, SYMBOLS["36"], rng)
    laid = hand_laid(faces, rng, gap_mm=float(rng.uniform(0.3, 3.0)), turn_deg=float(rng.uniform(0.2, 4.0)))
    return laid, strays(laid, SYMBOLS["36"], rng)


def overlap_mm2(a: Laid, b: Laid) -> float:
    return float(cv2.intersectConvexConvex(a.corners_mm().astype(np.float32), b.corners_mm().astype(np.float32))[0])


def are_neighbours(a: Laid, b: Laid) -> bool:
    return a.cell is not None and b.cell in neighbours(a.cell)


def differing(a: Photograph, b: Photograph) -> Array:
    """Where two pictures differ clearly, (h, w)."""
    return np.asarray(np.abs(a.bgr.astype(int) - b.bgr).max(2) > 40)


def filled(outlines: list[Any], size: list[int]) -> Array:
    mask = np.zeros((size[1], size[0]), np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round(np.array(outline)).astype(np.int32), 1)
    return mask > 0


def agreement(a: Array, b: Array) -> float:
    """What two masks share of what they cover together, 0..1."""
    return float((a & b).sum() / (a | b).sum())


def entries(picture: Photograph) -> list[dict[str, Any]]:
    return [*picture.truth["cards"], *picture.truth["loose"]]


def swapped(monkeypatch: pytest.MonkeyPatch, printing: Printing) -> None:
    monkeypatch.setitem(REFERENCE, "36", printing)


def test_a_seed_is_a_picture_and_another_seed_another() -> None:
    first, again, other = (photograph(np.random.default_rng(s), size=(640, 480), cards=4) for s in (1, 1, 2))
    assert (first.bgr == again.bgr).all()
    assert first.truth == again.truth
    assert first.bgr.shape == other.bgr.shape == (480, 640, 3)
    assert first.bgr.dtype == np.uint8
    assert (first.bgr != other.bgr).any()


def test_cards_are_drawn_where_the_truth_has_their_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [calm(seed, 1 + 4 * seed) for seed in range(3)]
    magenta: Colour = (244, 40, 244)
    marks = {name: Mark("disc", magenta) for name in SYMBOLS["36"]}
    swapped(monkeypatch, Printing(marks, face=magenta, hairline=magenta))
    for seed, picture in enumerate(first):
        drawn = differing(picture, calm(seed, 1 + 4 * seed))
        said = filled([entry["corners"] for entry in entries(picture)], picture.truth["size"])
        assert agreement(drawn, said) > 0.975
        for shift, axis in ((-1, 0), (1, 0), (-1, 1), (1, 1)):
            assert agreement(np.roll(drawn, shift, axis), said) < agreement(drawn, said), "a pixel beside is worse"


def test_symbols_are_drawn_where_the_truth_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    red = calm(5, 7)
    marks = REFERENCE["36"].marks
    swapped(monkeypatch, replace(REFERENCE["36"], marks={**marks, "red": replace(marks["red"], colour=(50, 200, 43))}))
    changed = differing(red, calm(5, 7))
    for entry in entries(red):
        corners = np.array(entry["corners"])
        for d, name in enumerate(entry["edges"]):
            middle = (corners[-d % 6] + corners[(1 - d) % 6]) / 2
            x, y = np.round(corners.mean(0) + 0.76 * (middle - corners.mean(0))).astype(int)
            if 0 <= x < 640 and 0 <= y < 480:
                assert changed[y, x] == (name == "red"), (entry["cell"], d, name)


def test_what_a_thing_lies_on_is_said_card_by_card_and_symbol_by_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    def half_of_the_first_card(canvas: Canvas, laid: list[Laid], rng: np.random.Generator, *, over: bool) -> None:
        if over:
            canvas.polygon(canvas.camera.project(laid[0].corners_mm()[[0, 3, 4, 5]]), (255.0, 0.0, 255.0))

    monkeypatch.setattr(room, "put_things", half_of_the_first_card)
    told = photograph(np.random.default_rng(0), size=(640, 480), cards=5, across_px=90, hardness=1 / 0.35).truth
    first, *others = told["cards"] + told["loose"]
    assert first["covered"] == pytest.approx(0.5, abs=0.02)
    assert first["hidden"] == [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    assert all(other["covered"] < 0.03 and max(other["hidden"]) == 0.0 for other in others)


def test_in_a_calm_room_nothing_lies_on_cards() -> None:
    assert all(e["covered"] == 0 and not any(e["hidden"]) for seed in range(3) for e in entries(calm(seed, 5)))


def test_a_card_that_the_rim_cuts_is_marked_and_to_be_ignored() -> None:
    near = photograph(np.random.default_rng(4), size=(640, 480), cards=12, across_px=110)
    cut = [e for e in entries(near) if e.get("cut")]
    assert 0 < len(cut) < 12
    for entry in entries(near):
        corners = np.array(entry["corners"])
        is_whole = bool((corners > -1).all() and (corners < [640, 480]).all())
        assert is_whole == ("cut" not in entry) == (entry["corners"] not in near.truth["ignore"])


@pytest.mark.parametrize("size", [(1280, 720), (800, 608)])
def test_a_tableau_lies_inside_the_picture_when_its_size_is_free(size: tuple[int, int]) -> None:
    for seed in SEEDS:
        core = np.vstack([card.corners_mm() for card in tableau(seed)[0]])
        seen = framed(core, size, np.random.default_rng(seed), None, 1.0).project(core)
        assert (seen >= 0).all(), seed
        assert (seen <= np.array(size) - 1).all(), seed


def test_a_camera_sees_what_it_looks_at_where_it_aims_and_as_large_as_told() -> None:
    stance = Stance((1280, 720), np.array([30.0, -20.0]), tilt_deg=0.0, yaw_deg=25.0, fov_deg=60.0)
    camera = stance.aimed(120.0, np.array([300.0, 500.0]))
    middle, beside = camera.project(np.array([[30.0, -20.0], [30.0 + 2 * APOTHEM_MM, -20.0]]))
    assert middle == pytest.approx([300, 500])
    assert np.linalg.norm(beside - middle) == pytest.approx(120)


@pytest.mark.parametrize("edition", ["36", "46"])
def test_touching_edges_of_a_tableau_match_and_a_card_shows_at_most_two_symbols(edition: str) -> None:
    for seed in SEEDS:
        cells = grown_tableau(3 + seed % 34, SYMBOLS[edition], np.random.default_rng(seed))
        assert len(cells) <= 3 + seed % 34
        assert list(cells)[:3] == [(0, 0), (1, 0), (2, 0)]
        for cell, face in cells.items():
            beside = {d: cells[n] for d, n in enumerate(neighbours(cell)) if n in cells}
            assert beside, "a card touches another"
            assert all(face[d] == other[opposite(d)] for d, other in beside.items())
            assert len(set(face)) <= 2
            assert set(face) <= set(SYMBOLS[edition])


def test_a_tableau_has_as_many_cards_as_asked_for() -> None:
    for seed in SEEDS:
        count = 3 + seed % 34
        assert len(grown_tableau(count, SYMBOLS["36"], np.random.default_rng(seed))) == count


def test_cards_laid_by_hand_lie_side_by_side_and_hardly_ever_on_each_other() -> None:
    beside = [pair for seed in SEEDS for pair in combinations(tableau(seed)[0], 2) if are_neighbours(*pair)]
    gaps = [float(np.linalg.norm(a.at_mm - b.at_mm)) - 2 * APOTHEM_MM for a, b in beside]
    assert -3.5 < min(gaps) < max(gaps) < 6.0
    on_each_other = [pair for pair in beside if overlap_mm2(*pair) > 0.6 * SIDE_MM]
    assert len(on_each_other) < 0.01 * len(beside), "more than a stripe of 0.6 mm along an edge"


def test_cards_that_are_no_neighbours_do_not_touch() -> None:
    for seed in range(0, 60, 4):
        apart = [pair for pair in combinations(tableau(seed)[0], 2) if not are_neighbours(*pair)]
        assert all(np.linalg.norm(a.at_mm - b.at_mm) > 2 * SIDE_MM for a, b in apart)


def test_loose_cards_touch_no_other() -> None:
    tables = [tableau(seed) for seed in SEEDS]
    assert sum(len(loose) for _, loose in tables) > 20
    for laid, loose in tables:
        assert all(overlap_mm2(one, card) == 0 for one in loose for card in [*laid, *loose] if card is not one)
