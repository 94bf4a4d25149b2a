"""The outline networks: training builds what is shipped, targets decode to the cards, scenes come from files."""

import pickle

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="only where networks are trained: pip install -e '.[train]'")

from companion.vision.detection.heatmaps import OFFSET_PX, STRIDE, UNIT_SHAPES, decode  # noqa: E402  # noqa: E402
from companion.vision.networks import OnnxRuntimeNetwork, load, model_path  # noqa: E402
from models.drawing.card_scenes import Outline, Scene  # noqa: E402
from models.outline.detector.train import CROP, Detector, augment, targets  # noqa: E402
from models.outline.detector.train import write as write_detector  # noqa: E402
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
