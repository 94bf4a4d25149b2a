"""Training: a warm start gives what it began with, targets decode to the pieces, one loop trains and exports."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="only where networks are trained: pip install -e '.[train]'")

from companion.vision.detection.detector import Head  # noqa: E402
from companion.vision.geometry import HEXAGON  # noqa: E402
from companion.vision.networks import OnnxRuntimeNetwork, load, model_path  # noqa: E402
from models.dataset import Shuffled, chunks, ragged  # noqa: E402
from models.detection import CROP, Heatmap, Sample, augment, targets  # noqa: E402
from models.export import export  # noqa: E402
from models.networks import CornerRefiner, HeatmapDetector  # noqa: E402
from models.refinement import perturb  # noqa: E402
from models.trainer import Trainer, parser  # noqa: E402
from models.warm_start import warm_start  # noqa: E402


@pytest.mark.parametrize(
    "net, name, shape",
    [(HeatmapDetector, "hexel/detector", (1, 3, 96, 128)), (CornerRefiner, "comet/corner_refiner", (4, 3, 48, 48))],
)
def test_a_warm_start_answers_as_the_weights_it_begins_with(net, name, shape):
    path = model_path(f"{name}/weights.onnx")
    batch = np.random.default_rng(0).uniform(-0.5, 0.75, shape).astype(np.float32)
    begun = net()
    warm_start(begun, path, torch.from_numpy(batch))
    answers = begun.eval()(torch.from_numpy(batch)).detach().numpy()
    assert np.abs(answers - load(path, OnnxRuntimeNetwork).forward(batch)).max() < 1e-3


def sample(rng):
    turn = np.radians(rng.uniform(0, 60))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[60, 70], [150, 160]])[:, None] + 28 * HEXAGON.unit @ rotation.T
    return Sample(
        rng.integers(0, 255, (CROP, CROP, 3), np.uint8), corners.astype(np.float32), np.zeros(2), np.zeros((0, 6, 2))
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_a_detector_should_answer_decodes_to_the_pieces(seed):
    rng = np.random.default_rng(seed)
    piece = augment(sample(rng), rng)
    heat, _, pose, _ = targets(piece, Heatmap())
    logits = np.log(np.clip(heat, 1e-4, 1 - 1e-4) / (1 - np.clip(heat, 1e-4, 1 - 1e-4)))
    outlines, confidence = Head(HEXAGON, spacing=0.5).decode(np.concatenate([logits, pose]), 0.9)
    assert len(confidence) == 2
    for quad in outlines:
        apart = np.linalg.norm(quad[:, None] - piece.corners.reshape(1, -1, 2), axis=2).min(1)
        assert apart.max() < 0.5


def test_a_correction_mends_the_outline_it_was_made_for():
    rng = np.random.default_rng(2)
    true = sample(rng).corners[0].astype(np.float64)
    outline, correction = perturb(true, rng, 1.0)
    centre, affine = HEXAGON.pose_of(outline)
    mended = (HEXAGON.unit @ (np.eye(2) + correction[:, :2]).T + correction[:, 2]) @ affine.T + centre
    assert np.linalg.norm(mended[:, None] - true[None], axis=2).min(1).max() < 1e-3


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter that writes OPSET
def test_the_loop_lowers_the_loss_and_writes_weights_that_load(tmp_path, capsys):
    arguments = parser(None, steps=40, rate=1e-2).parse_args(
        ["--cache", str(tmp_path), "--out", str(tmp_path / "w.onnx")]
    )
    trainer = Trainer(CornerRefiner(), arguments)
    views = torch.from_numpy(trainer.rng.uniform(-0.5, 0.75, (16, 3, 48, 48)).astype(np.float32))

    def losses():
        return {"mean": ((trainer.forward(views) - 1.0) ** 2).mean()}

    def write(net, path):
        export(net, path, ("views", ("n", 3, 48, 48)), ("corrections", ("n", 6)), (2, 3, 48, 48))

    trainer.fit(losses, write, log_every=20)
    logged = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines() if line.startswith("step")]
    assert logged[1] < 0.5 * logged[0]
    answers = load(tmp_path / "w.onnx", OnnxRuntimeNetwork).forward(views[:3].numpy())
    assert answers.shape == (3, 6) and np.abs(answers - trainer.predict(views[:3])).max() < 1e-3


def test_an_epoch_holds_every_item_once():
    batches = Shuffled(12, 4, np.random.default_rng(1))
    assert sorted(i for _ in range(batches.batches) for i in batches.next()) == list(range(12))
    assert chunks(5, 7, 3) == [range(5, 8), range(8, 11), range(11, 12)]
    assert [part.tolist() for part in ragged(np.arange(5), np.array([2, 0, 3]))] == [[0, 1], [], [2, 3, 4]]
