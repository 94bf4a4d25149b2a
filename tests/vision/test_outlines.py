"""Outlines of any cards: found, refined to sharp corners, told apart from what is no card."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cli.main import main
from companion.errors import UsageError
from companion.vision.detection import outlines
from companion.vision.detection.boards import Board, centres_of, find_board
from companion.vision.detection.heatmaps import UNIT_SHAPES, Candidate, affine_of, decode, encode
from companion.vision.detection.hexagon_boards import on_board
from companion.vision.detection.judgement import PlacedCandidate, PlacedCandidates
from companion.vision.detection.outlines import detect_outlines, judge_candidates
from companion.vision.detection.sizes import as_large_as, completed, has_size, is_pair_or_part, parse_size_mm
from companion.vision.detection.suppression import Outline, suppress
from companion.vision.edge_refinement import CardFrame, Refined, edge_offsets, fit_homography, refine
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]
TURNS = np.radians(np.arange(6) * 60.0)
HEXAGON = np.stack([np.cos(TURNS), np.sin(TURNS)], 1)


def table(width: int = 640, height: int = 480) -> NDArray[np.uint8]:
    """A dull table with some grain."""
    grain = np.random.default_rng(1).normal(0, 4, (height, width, 3))
    return np.asarray(np.clip(grain + np.array([52, 70, 60]), 0, 255), np.uint8)


def lay(picture: NDArray[np.uint8], corners: Floats, colour: tuple[int, int, int]) -> None:
    """Lay a plain card on the picture."""
    cv2.fillConvexPoly(picture, np.round(corners * 16).astype(np.int32), colour, cv2.LINE_AA, 4)


def rectangle(x: float, y: float, width: float, height: float, turn_deg: float = 0.0) -> Floats:
    """Corners of a card around (x, y)."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2]
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + [x, y])


def off(true: Floats, found: Floats) -> float:
    """The farthest corner's error, whatever corner comes first."""
    return min(float(np.linalg.norm(true - np.roll(found, k, 0), axis=1).max()) for k in range(len(true)))


def nearest(true: Floats, found: tuple[Outline, ...]) -> float:
    """The error of the outline nearest to a card."""
    return min((off(true, o.corners) for o in found), default=np.inf)


@pytest.mark.parametrize("turn_deg", [0.0, 33.0, 80.0])
@pytest.mark.parametrize("colour", [(235, 240, 238), (150, 60, 40)])
def test_a_plain_card_is_found_with_sharp_corners_however_it_is_turned(
    turn_deg: float, colour: tuple[int, int, int]
) -> None:
    picture, card = table(), rectangle(300, 230, 126, 176, turn_deg)
    lay(picture, card, colour)
    found = detect_outlines(picture, 4)
    assert len(found) == 1 and nearest(card, found) < 0.03 * 150


def test_cards_of_a_tenth_and_of_half_the_longer_side_are_found() -> None:
    for height in (50, 320):
        picture, card = table(), rectangle(320, 240, height * 63 / 88, height, 12)
        lay(picture, card, (230, 235, 235))
        assert nearest(card, detect_outlines(picture, 4)) < 0.04 * height


@pytest.mark.parametrize(
    "seen, is_put_right",
    [
        (rectangle(305, 200, 73, 88), True),  # as far as a neighbour on the right
        (rectangle(300, 200, 52, 74), True),  # a frame printed within
        (rectangle(300, 200, 63, 88), False),
        (rectangle(300, 200, 190, 88), False),  # a row of three
    ],
)
def test_an_outline_of_another_size_than_its_neighbours_can_be_made_as_large(seen: Floats, is_put_right: bool) -> None:
    others = np.array([rectangle(x, 200, 63, 88) for x in (100, 200, 400)])
    ways = as_large_as(seen, others)
    assert bool(ways) == is_put_right
    assert not ways or min(off(rectangle(300, 200, 63, 88), way) for way in ways) < 1
    assert not completed(seen, others)


def test_a_corner_that_lies_off_is_put_where_the_other_three_have_it() -> None:
    card, others = rectangle(300, 200, 63, 88, 7), np.array([rectangle(x, 200, 63, 88) for x in (100, 200, 400)])
    ways = completed(card + np.array([[0, 0], [0, 0], [9, 0], [0, 0]]), others)
    assert min(off(card, way) for way in ways) < 1 and not completed(card, others)


def test_of_a_card_that_fills_the_picture_the_card_is_found_and_not_its_print() -> None:
    picture, card = table(1280, 720), rectangle(650, 360, 900, 520, 2)
    lay(picture, card, (225, 230, 232))
    for left in range(320, 960, 110):  # printed boxes, framed as cards are
        lay(picture, rectangle(left, 300, 80, 110, 2), (90, 40, 30))
        lay(picture, rectangle(left, 450, 80, 60, 2), (40, 60, 150))
    found = detect_outlines(picture, 4)
    assert len(found) == 1
    assert off(card, found[0].corners) < 0.03 * 700


def test_an_empty_table_shows_no_outlines() -> None:
    assert detect_outlines(table(), 4) == () and detect_outlines(table(), 6) == ()


@pytest.mark.parametrize("size", [(1, 1), (3, 1280), (9, 12)])
def test_a_picture_too_small_for_any_card_shows_none(size: tuple[int, int]) -> None:
    assert detect_outlines(np.full((*size, 3), 200, np.uint8), 4) == ()


def test_a_hexagon_is_found_as_a_hexagon() -> None:
    picture, tile = table(), HEXAGON * 70 + [300, 220]
    lay(picture, tile, (60, 190, 220))
    assert nearest(tile, detect_outlines(picture, 6)) < 0.05 * 70


def test_a_size_in_millimetres_leaves_out_cards_of_other_proportions() -> None:
    square, card = rectangle(200, 200, 90, 90), rectangle(400, 240, 63, 88, 20)
    assert not has_size(square, (63, 88), (640, 480)) and has_size(card, (63, 88), (640, 480))
    assert has_size(square, None, (640, 480)) and has_size(HEXAGON * 40 + 99, (63, 88), (640, 480))


@pytest.mark.parametrize("text", ["63", "63x", "0x88", "axb", "63x88x2"])
def test_a_size_that_is_none_is_refused_with_what_would_do(text: str) -> None:
    with pytest.raises(UsageError, match=r"63x88|1 to 1000"):
        parse_size_mm(text)


def test_a_rough_outline_is_refined_to_the_cards_edges() -> None:
    picture, card = table(), rectangle(320, 240, 140, 200, 25)
    lay(picture, card, (225, 225, 225))
    rough = (card - card.mean(0)) * 1.06 + card.mean(0) + [5, -4]
    (refined,) = refine(Pyramid.of(picture), [rough])
    assert off(card, refined.corners) < 0.4 * off(card, rough)


@pytest.mark.parametrize("sides", [4, 6])
def test_a_pose_is_the_same_whatever_corner_comes_first(sides: int) -> None:
    corners = UNIT_SHAPES[sides] @ np.array([[40.0, 9.0], [-5.0, 31.0]]).T + [100, 80]
    codes = []
    for first in range(sides):
        centre, affine = affine_of(np.roll(corners, first, 0))
        codes.append(encode(affine, sides))
        assert off(corners, decode(centre[None], codes[-1][None], sides)[0]) < 1e-6
    assert np.ptp(codes, axis=0).max() < 1e-9


def test_edge_offsets_say_how_far_inside_the_frame_an_outline_lies() -> None:
    frame = CardFrame.of(rectangle(100, 100, 100, 100))
    offsets = edge_offsets(frame, rectangle(100, 100, 80, 80))
    assert np.allclose(offsets, 0.1)


def test_a_homography_fitted_to_points_takes_them_there() -> None:
    true = np.array([[1.1, 0.1, 5], [-0.2, 0.9, 7], [1e-4, 2e-4, 1]])
    points = np.random.default_rng(3).uniform(0, 400, (9, 2))
    at = np.column_stack([points, np.ones(9)]) @ true.T
    fitted = fit_homography(points, at[:, :2] / at[:, 2:])
    assert np.allclose(fitted / fitted[2, 2], true, atol=1e-6)


def test_of_two_outlines_over_each_other_the_surer_stays() -> None:
    sure, weak = Outline(rectangle(50, 50, 40, 40), 0.9), Outline(rectangle(56, 52, 40, 40), 0.5)
    apart = Outline(rectangle(95, 50, 40, 40), 0.4)
    assert suppress([sure, weak, apart], 0.35) == [sure, apart]


def test_of_outlines_about_as_sure_the_one_with_all_its_sides_seen_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide, right = rectangle(60, 50, 60, 40), rectangle(66, 50, 48, 40)
    picture = np.full((100, 130, 3), 90, np.uint8)
    seen = [
        PlacedCandidate(Candidate(corners, 0.5, 40.0), Refined(corners, np.array([1.0, 1.0, 1.0, worst]), 0.0))
        for corners, worst in ((wide, 0.5), (right, 0.98))
    ]
    monkeypatch.setattr(outlines, "place", lambda *_, **__: PlacedCandidates(Pyramid.of(picture, 2), [], seen))
    monkeypatch.setattr(outlines, "features", lambda placed: placed)
    monkeypatch.setattr(outlines, "judge", lambda _: np.array([0.95, 0.93]))
    _, judged = judge_candidates(picture, 4)
    assert [one.confidence for one in judged] == [0.93, 0.95]
    assert np.allclose(detect_outlines(picture, 4)[0].corners, right)


def test_an_outline_as_wide_as_the_cards_around_but_far_longer_or_shorter_is_two_or_a_part() -> None:
    around = np.array([rectangle(60 + 90 * k, 100, 50, 70, 8 * k) for k in range(5)])
    for size in ((70, 82), (50, 130), (50, 40), (34, 70)):
        assert is_pair_or_part(rectangle(300, 300, *size, 30), around)
    assert not any(is_pair_or_part(rectangle(300, 300, *size), around) for size in ((50, 70), (100, 140), (50, 240)))
    assert not is_pair_or_part(rectangle(300, 300, 70, 82), around[:2])
    uneven = np.array([rectangle(60 + 90 * k, 100, 40 + 12 * k, 70) for k in range(5)])
    assert not is_pair_or_part(rectangle(300, 300, 70, 100), uneven)


def test_cards_that_are_plain_to_see_are_found_beside_sure_ones_of_their_size() -> None:
    picture = cv2.imread(str(Path(__file__).parents[1] / "scenes" / "plain-backs.jpg"))
    found = detect_outlines(np.asarray(picture, np.uint8), 4)
    for x, y in ((231, 56), (276, 374)):
        assert sum(cv2.pointPolygonTest(one.corners.astype(np.float32), (x, y), False) > 0 for one in found) == 1


@pytest.mark.parametrize(("beside", "sure"), [(50.0, 0.81), (140.0, 0.2)], ids=["a part of it", "another card"])
def test_a_plain_card_gives_way_to_what_is_as_large_as_others_alone(beside: float, sure: float) -> None:
    known, card = rectangle(150, 150, 100, 140), rectangle(400, 200, 100, 140)
    rival = rectangle(400, 200 + (70 - beside / 2) / 2, 100, beside)
    candidates = [
        PlacedCandidate(Candidate(corners, 0.7, 60.0), Refined(corners, np.ones(4), 0.0))
        for corners in (known, card, rival)
    ]
    judged = [
        Outline(one.refined.corners, confidence) for one, confidence in zip(candidates, (0.95, 0.2, 0.8), strict=True)
    ]
    assert outlines._confidences_by_size(candidates, judged, outlines.SETTINGS).get(1, 0.2) == pytest.approx(sure)


@pytest.mark.parametrize(
    ("part", "inner_edge", "part_sure", "sure"),
    [
        ((365.0, 70.0), 0.75, 0.53, 0.54),
        ((365.0, 70.0), 1.0, 0.53, 0.05),
        ((365.0, 70.0), 0.75, 0.9, 0.05),
        ((480.0, 140.0), 0.75, 0.53, 0.05),
    ],
    ids=["a third of it", "a card on it", "surely a card", "a card beside"],
)
def test_a_card_with_edges_all_around_comes_before_parts_of_it(
    part: tuple[float, float], inner_edge: float, part_sure: float, sure: float
) -> None:
    """The edge of a printed figure made a third of a white card surer than the card."""
    x, width = part
    whole, third = rectangle(400, 200, 140, 100), rectangle(x, 200, width, 100)
    candidates = [
        PlacedCandidate(Candidate(corners, seed, 60.0), Refined(corners, np.array([1.0, worst, 1.0, 1.0]), 0.0))
        for corners, seed, worst in ((whole, 0.67, 1.0), (third, 0.54, inner_edge))
    ]
    judged = [Outline(one.refined.corners, c) for one, c in zip(candidates, (0.05, part_sure), strict=True)]
    told = outlines._confidences_of_wholes(candidates, judged, outlines.SETTINGS)
    assert told.get(0, 0.05) == pytest.approx(sure) and 1 not in told


def board_of_nineteen() -> dict[tuple[int, int], Floats]:
    """The tiles of a board seen at a slant, by their cells."""
    plane = np.array([[38.0, 5, 300], [-4, 26, 240], [2e-3, 8e-3, 1]])
    cells = [(q, r) for q in range(-2, 3) for r in range(-2, 3) if abs(q + r) <= 2]
    return {cell: Board({}, plane, 0.97).corners(cell) for cell in cells}


def test_the_lattice_of_a_board_brings_back_a_tile_that_was_missed() -> None:
    tiles = board_of_nineteen()
    missed = tiles.pop((0, 0))
    noise = np.random.default_rng(2)
    seen = [tile + noise.normal(0, 0.8, (6, 2)) for tile in tiles.values()]
    board = find_board(seen, [1.0] * len(seen))
    assert board is not None and len(board.gaps(6)) == 1
    assert off(missed, board.corners(board.gaps(6)[0])) < 0.03 * 35


def test_tiles_that_lie_apart_on_their_board_keep_their_own_size() -> None:
    tiles = [corners.mean(0) + 0.8 * (corners - corners.mean(0)) for corners in board_of_nineteen().values()]
    board = find_board(tiles, [0.9] * len(tiles))
    assert board is not None and len(board.cells) == len(tiles)
    for cell, index in board.cells.items():
        assert off(tiles[index], board.corners(cell)) < 1.0


def test_tiles_laid_askew_on_their_board_stay_as_they_are_seen() -> None:
    turn = np.radians(2)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    cells = [(q, r) for q in range(-2, 3) for r in range(-2, 3) if abs(q + r) <= 2]
    board = Board({}, np.array([[40.0, 0, 300], [0, 40, 240], [0, 0, 1]]), 0.97)
    straight = board.outlines(cells)
    askew = (straight - straight.mean(1, keepdims=True)) @ spin + straight.mean(1, keepdims=True) + [2.0, 1.0]
    assert np.allclose(board.corrected(cells, np.roll(askew, 2, axis=1)), askew)
    distorted = straight + np.random.default_rng(3).normal(0, 1.5, straight.shape)
    assert np.allclose(board.corrected(cells, distorted), straight)


def test_a_sure_tile_beside_a_board_stays_sure_and_an_unlikely_one_on_it_is_not_believed() -> None:
    tiles = board_of_nineteen()
    doubtful, rim = tiles[(1, 0)], tiles.pop((2, 0))
    outlines = [Outline(corners, 0.1 if corners is doubtful else 0.9) for corners in tiles.values()]
    beside = Outline(rim + np.array([120, 0]), 0.9)
    picture = table()
    for one in [*outlines, beside]:
        if one.corners is not doubtful:
            lay(picture, one.corners, (200, 190, 185))
    seen = on_board(Pyramid.of(picture, 3), [*outlines, beside])
    assert any(one.corners is beside.corners and one.confidence >= 0.9 for one in seen)
    assert sum(one.confidence > 0.9 for one in seen) > len(tiles) - 4
    assert min(off(doubtful, one.corners) for one in seen if one.confidence > 0.5) > 10


@pytest.mark.parametrize(("grown", "confidence"), [(1.0, 0.7), (1.5, 0.2)])
def test_a_tile_apart_from_a_board_is_surer_where_it_has_edges_all_around_and_the_boards_tiles_size(
    grown: float, confidence: float
) -> None:
    tiles = board_of_nineteen()
    rim = tiles[(2, 0)]
    apart = rim.mean(0) + grown * (rim - rim.mean(0)) + np.array([130, 0])
    picture = table()
    for corners in (*tiles.values(), apart):
        lay(picture, corners, (200, 190, 185))
    seen = on_board(Pyramid.of(picture, 3), [*(Outline(c, 0.9) for c in tiles.values()), Outline(apart, 0.4)])
    assert [one.confidence for one in seen if one.corners is apart] == [pytest.approx(confidence)]


def test_tiles_in_a_zigzag_are_no_slanted_board() -> None:
    steps = [(0, 0), (100, 0), (200, 0), (50, 60), (150, 60), (250, 60)]  # of a lattice whose cells are not regular
    tiles = [40.0 * HEXAGON + [200 + x, 200 + y] for x, y in steps]
    board = find_board(tiles, [0.9] * len(tiles))
    assert board is None or max(off(tiles[i], board.corners(cell)) for cell, i in board.cells.items()) < 8.0


def test_tiles_that_lie_anyhow_are_no_board() -> None:
    noise = np.random.default_rng(4)
    tiles = [HEXAGON * 20 + noise.uniform(0, 600, 2) for _ in range(12)]
    assert find_board(tiles, [1.0] * 12) is None


def test_neighbouring_cells_lie_a_hexagons_width_apart() -> None:
    steps = centres_of([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])
    assert np.allclose(np.linalg.norm(steps, axis=1), np.sqrt(3))


def test_the_command_prints_a_json_line_for_each_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, card = table(), rectangle(300, 230, 126, 176, 10)
    lay(picture, card, (235, 235, 235))
    cv2.imwrite(str(tmp_path / "table.png"), picture)
    arguments = ["outline", "--shape", "rect", "--size-mm", "63x88", "--json"]
    assert main([*arguments, str(tmp_path / "table.png"), str(tmp_path / "missing.png")]) == 1
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["ok"] and first["size"] == [640, 480] and first["warnings"] == []
    assert off(card, np.array(first["cards"][0]["corners"])) < 0.03 * 150
    assert 0.5 <= first["cards"][0]["confidence"] <= 1
    assert not second["ok"] and second["error"]["code"] == "unreadable-image"
