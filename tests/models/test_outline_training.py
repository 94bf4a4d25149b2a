"""The outline networks: training builds what is shipped, targets decode to the cards, scenes come from files."""

import pickle

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="only where networks are trained: pip install -e '.[train]'")

from companion.vision.detection.detector import OFFSET_PX, STRIDE  # noqa: E402
from companion.vision.detection.heatmaps import UNIT_SHAPES, decode  # noqa: E402
from companion.vision.detection.judgement import FEATURES, RELATIONS, with_relations  # noqa: E402
from companion.vision.networks import OnnxRuntimeNetwork, load, model_path  # noqa: E402
from models.drawing.art import Art  # noqa: E402
from models.drawing.card_scenes import (  # noqa: E402
    Camera,
    Canvas,
    Outline,
    Scene,
    draw_game_table,
    draw_lone,
    lay_board,
)
from models.drawing.card_shards import draw_comet  # noqa: E402
from models.outline.detector.train import CROP, Detector, augment, targets  # noqa: E402
from models.outline.detector.train import write as write_detector  # noqa: E402
from models.outline.judge.train import Picture, alone, bare  # noqa: E402
from models.outline.refiner.train import Refiner, example  # noqa: E402
from models.outline.refiner.train import write as write_refiner  # noqa: E402
from models.outline.scenes import BATCHES, ScenePool  # noqa: E402
from models.warm_start import warm_start  # noqa: E402


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter that writes OPSET
@pytest.mark.parametrize(
    "net, write, name, shape",
    [
        (Detector, write_detector, "outline/detector", (1, 3, 96, 128)),
        (Refiner, write_refiner, "outline/refiner", (4, 3, 40, 40)),
    ],
)
def test_the_shipped_weights_fit_the_network_and_are_exported_again_alike(net, write, name, shape, tmp_path):
    path = model_path(f"{name}/weights.onnx")
    batch = np.random.default_rng(0).uniform(-0.5, 0.75, shape).astype(np.float32)
    begun = net()
    warm_start(begun, path, torch.from_numpy(batch))
    write(begun, tmp_path / "weights.onnx")
    shipped, again = (load(file, OnnxRuntimeNetwork).forward(batch) for file in (path, tmp_path / "weights.onnx"))
    assert again.shape == shipped.shape and np.abs(again - shipped).max() < 1e-3


def scene(sides, side_px=260):
    corners = (UNIT_SHAPES[sides] * [34, 26] + side_px / 2).astype(np.float32)
    picture = np.full((side_px, side_px, 3), 60, np.uint8)
    cv2.fillPoly(picture, [corners.round().astype(np.int32)], (200, 220, 230))
    return Scene(picture, [Outline(corners, 1.0)])


@pytest.mark.parametrize("sides", [4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_what_the_detector_should_answer_decodes_to_the_card_of_its_shape_alone(sides, seed):
    seen = augment(scene(sides), np.random.default_rng(seed))
    heat, _, wanted, mask = targets(seen)
    mine, other = (0, 1) if sides == 4 else (1, 0)
    assert heat[other].max() == mask[other].max() == 0.0 and heat[mine].max() == 1.0
    row, col = np.unravel_index(heat[mine, 0].argmax(), (CROP // STRIDE, CROP // STRIDE))
    centre = np.array([[col, row]]) * STRIDE + (STRIDE - 1) / 2 + wanted[mine, :2, row, col] * OFFSET_PX
    (corners,) = decode(centre, wanted[mine, 2:, row, col][None].astype(np.float64), sides)
    apart = np.linalg.norm(corners[:, None] - seen.outlines[0].corners[None], axis=2).min(1)
    assert apart.max() < 0.1


def test_what_the_refiner_should_answer_is_a_distribution_over_places():
    rng = np.random.default_rng(3)
    strips, wanted = example(rng, scene(6))
    assert strips.shape == (6, 40, 40, 3) and wanted.shape == (6, 41, 10)
    assert np.allclose(wanted.sum(1), 1.0, atol=1e-5)


def test_scenes_drawn_meanwhile_are_taken_up_and_empty_ones_come_more_often(tmp_path):
    rng = np.random.default_rng(4)
    with pytest.raises(SystemExit, match="no scenes"):
        ScenePool([tmp_path], 2, rng).draw(1)
    empty = Scene(np.zeros((260, 260, 3), np.uint8), [])
    (tmp_path / "0000.pickle").write_bytes(pickle.dumps([scene(4)]))
    pool = ScenePool([tmp_path], 2, rng, empty=3)
    assert all(len(one.outlines) == 1 for one in pool.draw(20))
    (tmp_path / "0001.pickle").write_bytes(pickle.dumps([empty]))
    for _ in range(BATCHES - 1):
        assert pool.draw(1)[0].outlines
    assert np.mean([not one.outlines for one in pool.draw(400)]) == pytest.approx(0.8, abs=0.08)


def candidates(*squares, cards):
    """A picture's candidates (x, y, size), the first of them its cards."""
    corners = [np.array([[x, y], [x + s, y], [x + s, y + s], [x, y + s]], np.float64) for x, y, s in squares]
    own = np.zeros((len(squares), FEATURES - RELATIONS))
    own[:, 1] = own[:, 6] = own[:, 7] = 1.0
    is_card = np.arange(len(squares)) < cards
    matches = np.where(is_card, np.arange(len(squares)), -1)
    overlaps, every = is_card.astype(np.float64), np.ones(len(squares), np.bool_)
    return Picture("drawn", False, with_relations(own, corners), corners, overlaps, matches, every, cards)


def test_the_judge_learns_a_card_also_without_the_others_and_a_bare_place_without_any():
    cards, frame, box = ((10, 10, 40), (60, 10, 40)), (15, 15, 30), (200, 10, 42)
    picture = candidates(*cards, frame, box, cards=2)
    assert picture.values[0, -RELATIONS:].any()
    lone = alone(picture, 1)
    assert [c[0].tolist() for c in lone.corners] == [[60, 10]] and lone.overlaps.tolist() == [1.0]
    assert not lone.values[:, -RELATIONS:].any() and lone.cards == 1 and lone.is_copy
    printed = alone(picture, 0)
    assert [c[0].tolist() for c in printed.corners] == [[10, 10], [15, 15]] and printed.overlaps.tolist() == [1.0, 0.0]
    empty = bare(candidates(*cards, box, cards=2), np.random.default_rng(0))
    assert [c[0].tolist() for c in empty.corners] == [[200, 10]] and empty.cards == 0 and not empty.overlaps.any()
    assert alone(picture, 7) is None and bare(candidates(*cards, cards=2), np.random.default_rng(0)) is None


def some_art() -> Art:
    paper = np.random.default_rng(1).integers(0, 255, (64, 96, 3)).astype(np.uint8)
    return Art([paper], [np.dstack([paper, np.full((64, 96), 200, np.uint8)])], [paper], [paper])


def test_a_lone_card_lies_by_itself_on_its_picture():
    rng = np.random.default_rng(2)
    scenes = [draw_lone(rng, some_art()) for _ in range(6)]
    assert all(len(one.outlines) <= 1 for one in scenes) and sum(len(one.outlines) for one in scenes) >= 5
    assert {len(outline.corners) for one in scenes for outline in one.outlines} == {4, 6}


def test_on_a_game_table_lie_cards_of_several_sizes_and_its_board_is_none_of_them():
    rng = np.random.default_rng(3)
    scenes = [draw_game_table(rng, some_art()) for _ in range(8)]
    sizes = [[np.sqrt(cv2.contourArea(one.corners)) for one in scene.outlines] for scene in scenes]
    assert any(max(of_scene) > 1.5 * min(of_scene) for of_scene in sizes if of_scene)
    canvas = Canvas(np.full((384, 384, 3), 90, np.uint8), rng)
    before = canvas.picture.copy()
    lay_board(rng, some_art(), canvas, Camera(rng, 384, 40.0), np.zeros(2))
    assert not canvas.seen() and (canvas.picture != before).any()


def test_a_table_of_comet_says_where_its_whole_cards_lie():
    scenes = [draw_comet(np.random.default_rng((4, i)), some_art()) for i in range(6)]
    outlines = [one for scene in scenes for one in scene.outlines]
    assert len(outlines) > 10 and all(one.corners.shape == (4, 2) and 0 <= one.visible <= 1 for one in outlines)
    assert all((one.corners > -1).all() and (one.corners < 384).all() for one in outlines)
    assert all(cv2.contourArea(one.corners, oriented=True) > 0 for one in outlines)
