"""Trains the detector of Comet cards: where they lie and how each is turned and foreshortened.

    python -m models.comet.detector.train --cache DIR --faces typefaces.npz [--pictures 1700] [--steps 5000]

The numerals' typefaces come from `models/typefaces.py`, the pictures from `models/comet/drawings.py` (seeds from
5,000,000 up); see `models.detection`.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.detector import CARD
from models.comet.drawings import drawings, options
from models.dataset import Column, ragged
from models.detection import CROP, Heatmap, Outlines, Picture, Sample, crop, recolour, relight, train_detector
from models.networks import DeepFeaturePyramid, HeatmapDetector

SPREAD = np.stack(np.meshgrid((np.arange(8) + 0.5) / 8, (np.arange(8) + 0.5) / 8), -1).reshape(-1, 2)
"""Places (64, 2) evenly over a card, as shares of its sides."""


class DeepDetector(DeepFeaturePyramid, HeatmapDetector):
    """A detector with more layers at an eighth and at a sixteenth of the picture."""


def samples(kept: dict[str, Column]) -> list[Sample]:
    """The drawings, one by one; those with strays twice, since backs are fewer than faces."""
    lengths = kept["lengths"]
    columns = (
        ragged(kept["corners"], lengths),
        ragged(kept["hidden"], lengths),
        ragged(kept["ignores"], kept["ignored"]),
    )
    found = [_with_strays(Sample(*row)) for row in zip(kept["images"], *columns, strict=True)]
    return found + [one for one, cards in zip(found, lengths, strict=True) if len(one.corners) > cards]


def _with_strays(sample: Sample) -> Sample:
    """With the whole ones among the ignored, decks and face-down cards lying about, as cards to be found."""
    ignored = sample.ignored
    whole = ((ignored > 0) & (ignored < np.array(sample.image.shape[1::-1]) - 1)).all((1, 2))
    corners = np.concatenate([sample.corners, ignored[whole]])
    hidden = np.append(sample.hidden, np.zeros(int(whole.sum()), np.float32))
    return Sample(sample.image, corners, hidden, ignored[~whole])


def augment(sample: Sample, rng: np.random.Generator) -> Sample:
    """A random crop, turned by quarters, partly covered, blurred or overexposed; mirrored writing is of no use."""
    image, (corners, ignored) = crop(sample.image, [sample.corners, sample.ignored], CROP, rng, mirror=False)
    image, hidden = recolour(image, rng, 0.2, 0.05), sample.hidden
    if rng.random() < 0.25 and len(corners):
        image, hidden = _cover(image, corners, hidden, rng)
    if rng.random() < 0.15:
        image = cv2.filter2D(image, -1, _blur_kernel(rng)).astype(np.uint8)
    if rng.random() < 0.2:
        image = _overexpose(image, rng)
    return Sample(relight(image, rng), corners, hidden, ignored)


def _cover(
    image: Picture, quads: Outlines, hidden: NDArray[np.float32], rng: np.random.Generator
) -> tuple[Picture, NDArray[np.float32]]:
    """Something long or round laid on a card, and how much of each is hidden then."""
    quad = quads[int(rng.integers(len(quads)))]
    size = float(np.linalg.norm(quad[2] - quad[0])) / 2
    at, a = quad.mean(0) + rng.normal(0, 0.45 * size, 2), float(rng.uniform(0, 2 * np.pi))
    end = at + np.array([np.cos(a), np.sin(a)]) * size * float(rng.choice([0.0, 1.5, 5.0]))
    mask = np.zeros(image.shape[:2], np.uint8)
    thick = max(2, round(size * float(rng.uniform(0.1, 0.6))))
    cv2.line(mask, np.round(at).astype(int).tolist(), np.round(end).astype(int).tolist(), 1, thick)
    tone = np.array([135, 165, 222]) * rng.uniform(0.35, 1.05) if rng.random() < 0.5 else rng.uniform(10, 245, 3)
    image = np.where(mask[..., None] > 0, tone.astype(np.uint8), image)
    along, down = SPREAD[:, :1, None], SPREAD[:, 1:, None]
    places = (
        (1 - along) * ((1 - down) * quads[:, None, 0].transpose(1, 0, 2) + down * quads[:, None, 3].transpose(1, 0, 2))
    ) + along * ((1 - down) * quads[:, None, 1].transpose(1, 0, 2) + down * quads[:, None, 2].transpose(1, 0, 2))
    x, y = np.clip(np.round(places), 0, CROP - 1).astype(int).transpose(2, 0, 1)
    return image, hidden + (1 - hidden) * mask[y, x].mean(0)


def _blur_kernel(rng: np.random.Generator) -> NDArray[np.float32]:
    """The kernel of a camera shaken along a line, or out of focus."""
    n = int(rng.choice([3, 3, 5]))
    if rng.random() < 0.3:
        soft = cv2.getGaussianKernel(n, float(rng.uniform(0.4, 1.0)))
        return np.asarray(soft @ soft.T)
    kernel, a, middle = np.zeros((n, n), np.float32), float(rng.uniform(0, np.pi)), (n - 1) / 2
    ends = [np.round(middle + way * middle * np.array([np.cos(a), np.sin(a)])).astype(int).tolist() for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return np.asarray(kernel / kernel.sum())


def _overexpose(image: Picture, rng: np.random.Generator) -> Picture:
    """Exposed for too long, more so to one side."""
    rise = np.linspace(-1, 1, CROP, dtype=np.float32) * float(rng.uniform(0, 0.4))
    gain = float(rng.uniform(1.1, 2.2)) * np.exp(rise if rng.random() < 0.5 else rise[::-1])
    over = image * (gain[:, None, None] if rng.random() < 0.5 else gain[None, :, None])
    return np.asarray(np.minimum(over, 255), np.uint8)


def main() -> None:
    found = options(__doc__, steps=5000, rate=3e-3, batch=12)
    found.add_argument("--new-layers", action="store_true", help="the warm start's network has not the added layers")
    a = found.parse_args()
    data = samples(drawings(a.cache, a.faces, a.pictures, a.more))
    if a.hard:
        data += 3 * samples(drawings(a.cache, a.faces, 0, 0, a.hard))
    if a.styled:
        data += 3 * samples(drawings(a.cache, a.faces, 0, 0, 0, a.styled))
    net = DeepDetector()
    how = Heatmap(CARD, spread=0.12, most_hidden=0.5, reach=0.27)
    train_detector(a, net, data, how, augment, (net.more8, net.more16) if a.new_layers else ())


if __name__ == "__main__":
    main()
