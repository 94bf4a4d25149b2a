"""Trains the judge of outlines: whether a refined candidate is a card, or what is printed on one, or nothing.

    python -m models.outline.judge.train --cache DIR --photos TRUTH.jsonl... --scenes DIR... [--detector WEIGHTS]

What is named twice counts twice, with other copies of the photographs.

It learns from the figures of `companion.vision.detection.judgement` of the candidates on photographs, on turned, tilted
and darkened copies of each, and on drawn scenes; of each also as if a single card, or none, had been on it. A detector
is surer of what it learnt from than of anything else: the candidates are best those of one that never saw the
photographs (``--detector``). With ``--leave-out`` the photographs of each source are judged by a network that never saw
that source, and what it finds is printed. With ``--rectangles`` only the judge of hexagons is learnt.
"""

import argparse
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn

from companion.vision.detection.heatmaps import NETWORK as DETECTOR
from companion.vision.detection.judgement import FEATURES, RELATIONS, features, with_relations
from companion.vision.detection.outlines import SETTINGS, place
from companion.vision.detection.suppression import Outline, suppress
from models.drawing.card_scenes import Scene
from models.export import export
from models.outline.detector.train import LEAST_VISIBLE
from models.trainer import Losses, Trainer, parser

Floats = NDArray[np.float64]
Rng = np.random.Generator

DRAWN = "drawn"
MATCH, NEAR, IGNORED = 0.75, 0.5, 0.5
"""Intersection over union of a card and its outline; of what is nearly one; the ignored share of an outline."""
NEAR_WEIGHT = 0.4
MEMBERS = 5
"""Networks of each shape whose logits are averaged: alone they differ in what is rare in training."""
NOISE, FARTHEST = 0.25, 3.0
"""In deviations of each figure: the noise in training, and how far from the mean a figure is taken to be."""
SCENES_PER_FILE = 220
LONE_CARDS, BARE_PLACES, BARE_PLACES_DRAWN = 1, 2, 1
"""Of each picture, how many of its cards, and how many places without one, are also judged as if they lay alone."""
LARGER = 1.6
"""Outlines by so much larger than a lone card, or a bare place, are left out with the rest of the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture's candidates.

    Attributes:
        source: of the photograph, or `DRAWN`.
        is_copy: it is a photograph's changed copy.
        values: their figures (N, FEATURES).
        corners: of each, (4 or 6, 2).
        overlaps: the best intersection over union of each with a card (N,).
        matches: the index of that card (N,).
        counts: whether it is to be judged at all (N,).
        cards: how many cards there are.
    """

    source: str
    is_copy: bool
    values: NDArray[np.float32]
    corners: Sequence[Floats]
    overlaps: Floats
    matches: NDArray[np.int64]
    counts: NDArray[np.bool_]
    cards: int


class ShapeJudge(nn.ModuleList):
    """Logits (N, MEMBERS) of the figures (N, FEATURES) of one shape, brought to mean 0 and deviation 1."""

    def __init__(self, values: torch.Tensor) -> None:
        super().__init__(_member() for _ in range(MEMBERS))
        self.mean, self.deviation = nn.Buffer(values.mean(0)), nn.Buffer(values.std(0) + 1e-3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values = ((x - self.mean) / self.deviation).clamp(-FARTHEST, FARTHEST)
        return torch.cat([member(values) for member in self], 1)


class Judge(nn.Module):
    """Logits (N, 1) of figures (N, FEATURES); some networks for rectangles, and some for hexagons.

    Args:
        values: figures (N, FEATURES) of both.
    """

    def __init__(self, values: torch.Tensor) -> None:
        super().__init__()
        self.shapes = nn.ModuleList(ShapeJudge(values[(values[:, 0] > 0.5) == is_hexagon]) for is_hexagon in (0, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.members(x).mean(1, keepdim=True)

    def members(self, x: torch.Tensor) -> torch.Tensor:
        """What each network says (N, MEMBERS)."""
        rectangles, hexagons = (shape(x) for shape in self.shapes)
        return torch.where(x[:, :1] > 0.5, hexagons, rectangles)

    def keep_rectangles(self, path: Path) -> None:
        """Judge rectangles as an exported judge does, whatever is learnt now."""
        graph = onnx.load(str(path)).graph
        weights = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in graph.initializer}
        rectangles = self.shapes[0]
        rectangles.load_state_dict({name: weights[f"shapes.0.{name}"] for name in rectangles.state_dict()})
        rectangles.requires_grad_(False)


def _member() -> nn.Module:
    return nn.Sequential(
        nn.Linear(FEATURES, 24), nn.SiLU(), nn.Dropout(0.1), nn.Linear(24, 16), nn.SiLU(), nn.Linear(16, 1)
    )


def photographs(truth: Path, detector: str, copies: int, rng: Rng) -> Iterator[Picture]:
    """The pictures of a file of truth as `score_outlines.py` reads it, and changed copies of each."""
    for line in truth.read_text("utf-8").splitlines():
        told = json.loads(line)
        read = cv2.imread(str(truth.parent / told["image"]))
        if read is None:
            raise SystemExit(f"{told['image']} beside {truth} is no picture")
        picture = np.asarray(read, np.uint8)
        cards = [np.array(card["corners"], np.float64) for card in told["cards"]]
        ignored = [np.array(region, np.float64) for region in told.get("ignore", [])]
        for copy in range(copies + 1):
            seen, homography = (picture, np.eye(3)) if not copy else _changed(picture, rng)
            moved = [[_moved(p, homography) for p in polygons] for polygons in (cards, ignored)]
            sides = 4 if told["shape"] == "rect" else 6
            yield _candidates(seen, sides, moved[0], moved[1], detector, told["source"], copy > 0)


def drawings(folder: Path, detector: str, files: int) -> Iterator[Picture]:
    """Some scenes of `models.drawing.card_shards`."""
    for path in sorted(folder.glob("*.pickle"))[-files:]:
        scenes: list[Scene] = pickle.loads(path.read_bytes())
        for scene in scenes[:SCENES_PER_FILE]:
            for sides in (4, 6):
                mine = [outline for outline in scene.outlines if len(outline.corners) == sides]
                cards = [o.corners.astype(np.float64) for o in mine if o.visible >= LEAST_VISIBLE]
                hidden = [o.corners for o in mine if o.visible < LEAST_VISIBLE]
                ignored = [np.asarray(p, np.float64) for p in (*hidden, *scene.ignored)]
                yield _candidates(scene.picture, sides, cards, ignored, detector, DRAWN, False)


def _changed(picture: NDArray[np.uint8], rng: Rng) -> tuple[NDArray[np.uint8], Floats]:
    """The picture turned, tilted, smaller and in another light, and the homography (3, 3) to it."""
    h, w = picture.shape[:2]
    frame = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    turn = np.vstack([cv2.getRotationMatrix2D((w / 2, h / 2), float(rng.uniform(-180, 180)), 1.0), [0, 0, 1]])
    tilted = (frame + rng.uniform(-0.12, 0.12, (4, 2)) * [w, h]).astype(np.float32)
    homography = np.asarray(cv2.getPerspectiveTransform(frame, tilted), np.float64) @ turn
    around = _moved(frame.astype(np.float64), homography)
    scale = float(np.exp(rng.uniform(np.log(0.35), 0)))
    low, high = around.min(0), around.max(0)
    into = scale * np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1 / scale]])
    size = ((high - low) * scale).astype(int)
    homography = into @ homography
    copy = cv2.warpPerspective(
        picture, homography, size.tolist(), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    lit = cv2.convertScaleAbs(copy, alpha=float(rng.uniform(0.5, 1.15)), beta=float(rng.uniform(0, 20)))
    return np.asarray(lit if rng.random() < 0.5 else copy, np.uint8), homography


def _moved(points: Floats, homography: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points[None], homography)[0], np.float64)


def _candidates(
    picture: NDArray[np.uint8],
    sides: int,
    cards: Sequence[Floats],
    ignored: Sequence[Floats],
    detector: str,
    source: str,
    is_copy: bool,
) -> Picture:
    placed = place(picture, sides, SETTINGS, detector)
    corners = [one.refined.corners for one in placed.candidates]
    shared = np.zeros((len(corners), len(cards) + 1))
    passed = np.zeros(len(corners), bool)
    for i, mine in enumerate(corners):
        shared[i, 1:] = [
            _overlap(mine, card) / max(1.0, _area(mine) + _area(card) - _overlap(mine, card)) for card in cards
        ]
        passed[i] = any(_overlap(mine, region) > IGNORED * _area(mine) for region in ignored)
    best = shared.max(1)
    counts = ~passed | (best > MATCH)
    return Picture(source, is_copy, features(placed), corners, best, shared.argmax(1) - 1, counts, len(cards))


def alone(picture: Picture, card: int) -> Picture | None:
    """The picture's candidates at a card as if nothing else lay there; None where none is at it."""
    mine = [i for i in range(len(picture.values)) if picture.matches[i] == card and picture.overlaps[i] > 0]
    if not mine:
        return None
    kept = _around(picture, max(mine, key=lambda i: float(picture.overlaps[i])), range(len(picture.values)))
    is_mine = picture.matches[kept] == card
    overlaps = np.where(is_mine, picture.overlaps[kept], 0.0)
    return _part(picture, kept, overlaps, picture.counts[kept] & (is_mine | (picture.overlaps[kept] < NEAR)), 1)


def bare(picture: Picture, rng: Rng) -> Picture | None:
    """The candidates at a place without a card as if nothing else lay there; None where there is no such place."""
    free = np.flatnonzero(picture.counts & (picture.overlaps < 0.1))
    if not len(free):
        return None
    seen = picture.values[free, 1].astype(np.float64)  # places that look more like a card teach more
    likely = np.exp(3 * (seen - seen.max()))
    kept = _around(picture, int(rng.choice(free, p=likely / likely.sum())), free)
    return _part(picture, kept, np.zeros(len(kept)), picture.counts[kept], 0)


def _around(picture: Picture, place: int, among: Iterable[int]) -> list[int]:
    """Those of the outlines that share some of the place of one, and are hardly larger."""
    outline = picture.corners[place]
    area = _area(outline)
    return [
        int(i)
        for i in among
        if _area(picture.corners[i]) < LARGER**2 * area
        and _overlap(outline, picture.corners[i]) > 0.02 * min(area, _area(picture.corners[i]))
    ]


def _part(picture: Picture, kept: Sequence[int], overlaps: Floats, counts: NDArray[np.bool_], cards: int) -> Picture:
    corners = [picture.corners[i] for i in kept]
    values = with_relations(picture.values[kept, :-RELATIONS].astype(np.float64), corners)
    return replace(
        picture,
        is_copy=True,
        values=values,
        corners=corners,
        overlaps=overlaps,
        matches=np.where(overlaps > 0, picture.matches[kept], -1),
        counts=counts,
        cards=cards,
    )


def with_parts(pictures: Sequence[Picture], rng: Rng) -> list[Picture]:
    """The pictures, and single cards and bare places of each."""
    found: list[Picture | None] = list(pictures)
    for picture in pictures:
        places = BARE_PLACES_DRAWN if picture.source == DRAWN else BARE_PLACES
        found += [bare(picture, rng) for _ in range(places)]
        found += [alone(picture, int(card)) for card in rng.permutation(picture.cards)[:LONE_CARDS]]
    return [one for one in found if one is not None]


def _area(corners: Floats) -> float:
    return float(cv2.contourArea(corners.astype(np.float32)))


def _overlap(a: Floats, b: Floats) -> float:
    if (a.min(0) > b.max(0)).any() or (b.min(0) > a.max(0)).any():
        return 0.0
    return float(cv2.intersectConvexConvex(a.astype(np.float32), cv2.convexHull(b.astype(np.float32)))[0])


def table(pictures: Sequence[Picture]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Figures (N, FEATURES), answers (N, 1) and weights (N, 1): crowded pictures count less for each candidate."""
    weights = [
        np.where(p.overlaps > MATCH, 1.0, np.where(p.overlaps > NEAR, NEAR_WEIGHT, 1.0))
        * p.counts
        / np.sqrt(len(p.values))
        for p in pictures
        if len(p.values)
    ]
    values = np.concatenate([p.values for p in pictures])
    answers = np.concatenate([p.overlaps > MATCH for p in pictures]).astype(np.float32)
    weight = np.concatenate(weights).astype(np.float32)
    return (
        torch.from_numpy(values),
        torch.from_numpy(answers)[:, None],
        torch.from_numpy(weight / weight.mean())[:, None],
    )


def train(pictures: Sequence[Picture], arguments: argparse.Namespace) -> nn.Module:
    """The judge that learnt from these pictures; it is written to the file that the arguments name."""
    values, answers, weights = table(pictures)
    net = Judge(values)
    if arguments.rectangles is not None:
        net.keep_rectangles(arguments.rectangles)
    trainer = Trainer(net, arguments, weight_decay=0.03)

    def losses() -> Losses:
        chosen = torch.from_numpy(trainer.rng.integers(len(values), size=arguments.batch))
        noise = NOISE * values.std(0) * torch.randn(arguments.batch, FEATURES)
        out = trainer.net.members(values[chosen] + noise)
        wanted = answers[chosen].expand(-1, MEMBERS)
        loss = nn.functional.binary_cross_entropy_with_logits(out, wanted, reduction="none")
        return {"card": (loss * weights[chosen]).mean()}

    trainer.fit(losses, write, log_every=1000, save_every=arguments.steps)
    return trainer.mean.module


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    export(net, path, ("values", ("n", FEATURES)), ("logits", ("n", 1)), (2, FEATURES))


def report(net: nn.Module, pictures: Sequence[Picture]) -> str:
    """What is found on pictures, as `score_outlines.py` counts; boards of hexagons are not fitted."""
    cards = found = false = 0
    for picture in pictures:
        with torch.no_grad():
            confidences = torch.sigmoid(net.eval()(torch.from_numpy(picture.values)))[:, 0].numpy()
        order = [int(i) for i in np.argsort(-confidences) if confidences[i] >= SETTINGS.min_confidence]
        kept = suppress([Outline(picture.corners[i], float(i)) for i in order], SETTINGS.overlap)
        detected = [int(outline.confidence) for outline in kept]
        hits = {int(picture.matches[i]) for i in detected if picture.overlaps[i] > MATCH}
        cards, found = cards + picture.cards, found + len(hits)
        false += sum(bool(picture.counts[i]) for i in detected) - len(hits)
    return f"{len(pictures)} pictures, {found} of {cards} cards found, {false / len(pictures):.2f} false a picture"


def main() -> None:
    options = parser(__doc__, steps=4000, rate=4e-3, batch=512)
    options.add_argument(
        "--photos", type=Path, nargs="+", required=True, help="files of truth beside their photographs"
    )
    options.add_argument("--scenes", type=Path, nargs="*", default=[], help="folders of models/drawing/card_shards.py")
    options.add_argument("--detector", default=DETECTOR, help="weights that never saw the photographs")
    options.add_argument("--rectangles", type=Path, help="an exported judge by which rectangles are judged as before")
    options.add_argument("--copies", type=int, default=1, help="changed copies of each photograph")
    options.add_argument("--files", type=int, default=2, help="of each folder of scenes")
    options.add_argument("--leave-out", action="store_true", help="print what each source finds that was left out")
    a = options.parse_args()
    kept = a.cache / "judge.pickle"
    if not kept.exists():
        rng = np.random.default_rng(a.seed)
        pictures = [p for truth in a.photos for p in photographs(truth, str(a.detector), a.copies, rng)]
        drawn = {folder: list(drawings(folder, str(a.detector), a.files)) for folder in dict.fromkeys(a.scenes)}
        pictures += [picture for folder in a.scenes for picture in drawn[folder]]
        kept.write_bytes(pickle.dumps([p for p in pictures if len(p.values) or p.cards]))
    every: list[Picture] = pickle.loads(kept.read_bytes())
    for source in sorted({p.source for p in every} - {DRAWN}) if a.leave_out else ():
        net = train(with_parts([p for p in every if p.source != source], np.random.default_rng(a.seed)), a)
        print(source, report(net, [p for p in every if p.source == source and not p.is_copy]), flush=True)
    train(with_parts(every, np.random.default_rng(a.seed)), a)


if __name__ == "__main__":
    main()
