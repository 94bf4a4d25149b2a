"""What the network that makes Hexapod's finds exact is shown while it learns: views of finds, and what lies there.

First looks are at what the finder finds, at true quads gone astray by chance and at what is none; further looks are
taken from where the network itself would have put what it was shown: it learns from its own errors what the next look
is for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from companion.games.hexapod.deck import CELL_MM, SIDE_MM
from companion.games.hexapod.vision.detector import (
    CONFIDENCE_LOGIT,
    PATCH,
    REACH,
    VOTES,
    apply_answer,
    detect_fields,
    patch,
    planes,
)
from companion.vision.geometry import SQUARE, homography, mapped, side_px
from companion.vision.image.pyramid import Pyramid
from models.drawing.clutter import clutter_shape
from models.hexapod.keypoints.draw import Drawn
from models.hexapod.keypoints.targets import code_in, inside, votes_in
from models.refinement import rotation

Finds = dict[bool, list[tuple[NDArray[np.float64], NDArray[np.float64] | None]]]
"""For cases (True) and cards: each detected quad and the true one, None for a false positive."""
AS_FOUND = 0.4
"""So often what lies on a picture is looked at from where the finder puts it, else from anywhere near."""
REPEATS = 0.35
"""This share of a batch are further looks."""
_NONE = 0.4
"""How often a picture gives a view of some place where no such thing is, besides what the finder mistakes."""
_HIDDEN = 0.5
"""What something hides more of than this is neither there nor not there."""
_OVER = 0.35
"""How often things lie over a view."""
_NO_CODE = np.zeros(CONFIDENCE_LOGIT, np.float32)
_NO_VOTES = np.full((2, VOTES, VOTES), np.nan, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One look.

    Attributes:
        index: of the picture.
        is_case: whether a case is looked for; else a card.
        found: (4, 2) where it is thought to lie.
        true: (4, 2) where it lies; None where none is.
    """

    index: int
    is_case: bool
    found: NDArray[np.floating]
    true: NDArray[np.floating] | None


def astray(corners: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.float64]:
    """A quad as a finder that errs would give it: in each of turn and place, size and stretch, and lean by itself."""
    placing, stretching, perspective = (
        float(rng.choice([1.0, 0.5, 0.2, 0.07], p=[0.3, 0.25, 0.25, 0.2])) for _ in "psl"
    )
    angle = rng.uniform(-np.pi / 4, np.pi / 4) if placing == 1.0 else rng.normal(0, 0.15) * placing
    size = np.exp(np.clip(rng.normal(0, 0.16), -0.35, 0.35) * stretching)
    turn = rotation(angle) * size
    stretch = np.eye(2) + rng.normal(0, 0.08, (2, 2)) * stretching
    away = np.clip(rng.normal(0, 0.16, 2), -0.4, 0.4) * placing
    if placing < 0.5 and rng.random() < 0.15:
        away = away + 0.4 * rng.permutation([float(rng.choice([-1, 1])), 0.0])
    inside = SQUARE.unit @ (turn @ stretch).T + away
    inside = inside / (1 + inside @ np.clip(rng.normal(0, 0.1 * perspective, 2), -0.25, 0.25))[:, None]
    return mapped(homography(corners), inside + rng.normal(0, 0.01, (4, 2)))


def covered(
    view: NDArray[np.uint8], true: NDArray[np.floating], is_case: bool, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """The view with hands, mugs, pens over it, a thing or two; as it was where they hide most of what it shows.

    Args:
        view: as `patch` makes it.
        true: (4, 2) the quad in the find's frame.
        is_case: whether the quad is a case's; else a card's.
        rng: the only source of chance.
    """
    out, hidden, field = view.copy(), np.zeros((PATCH, PATCH), np.uint8), np.zeros((PATCH, PATCH), np.uint8)
    cv2.fillConvexPoly(field, _fixed((true / REACH + 1) * PATCH / 2), 1, cv2.LINE_8, 4)
    scale = PATCH / REACH / (5 * CELL_MM if is_case else SIDE_MM) * float(np.exp(rng.uniform(-0.35, 0.35)))
    light = float(np.percentile(view.max(2), 95)) / 235 * float(rng.uniform(0.7, 1.2))
    for _ in range(int(rng.integers(1, 3))):
        at = rng.uniform(0.15, 0.85, 2) * PATCH
        for outline, ink, _ in clutter_shape(rng, over=True):
            points = _fixed(outline * scale + at)
            cv2.fillPoly(out, [points], [float(np.clip(v * light, 0, 255)) for v in ink], cv2.LINE_AA, 4)
            cv2.fillPoly(hidden, [points], 1, cv2.LINE_8, 4)
    return out if (hidden & field).sum() < _HIDDEN * field.sum() else view


def _fixed(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """Points in sixteenths of a pixel, as OpenCV draws them."""
    return np.asarray(np.round(points * 16), np.int32)


def elsewhere(
    size: tuple[int, int],
    quads: NDArray[np.floating],
    others: NDArray[np.floating],
    is_case: bool,
    rng: np.random.Generator,
) -> NDArray[np.float64] | None:
    """A square somewhere that is none of the quads, often one of the other sort, a piece of it, or several of them."""
    for _ in range(50):
        if len(others) and rng.random() < 0.5:
            other = others[int(rng.integers(len(others)))].astype(np.float64)
            grown = float(np.exp(rng.uniform(np.log(0.4), np.log(3.5 if is_case else 1.2))))
            quad = mapped(homography(other), SQUARE.unit * grown + rng.uniform(-1, 1, 2) * max(1.0, grown))
        else:
            half = float(np.exp(rng.uniform(np.log(12), np.log(110))))
            angle = rng.uniform(0, np.pi / 2)
            quad = SQUARE.unit @ rotation(angle).T * half + rng.uniform([0, 0], size)
        sides = [side_px(q) for q in quads]
        apart = [np.linalg.norm(quad.mean(0) - q.mean(0)) for q in quads]
        is_clear = all(a > 0.7 * s for a, s in zip(apart, sides, strict=True))
        if is_clear and (is_case or not _is_in(quad, others)):
            return quad
    return None


def found_on(data: list[Drawn]) -> list[Finds]:
    """For each picture what the installed detector finds on it as a case (True) or a card, and what lies there."""
    found: list[Finds] = []
    for picture in data:
        finds = detect_fields(Pyramid.of(picture[0]), 0.1)
        ways: Finds = {True: [], False: []}
        _, cases, cards = picture
        for is_case, quads, known in ((True, finds.cases, cases), (False, finds.cards, cards)):
            for quad in (one.corners.astype(np.float64) for one in quads):
                truths = [true for true in known.corners if _is_same(quad, true)]
                if truths or _is_none(quad, picture, is_case):
                    ways[is_case].append((quad, truths[0].astype(np.float64) if truths else None))
        found.append(ways)
    false = [sum(true is None for ways in found for _, true in ways[is_case]) for is_case in (True, False)]
    print("found and none:", false[0], "cases", false[1], "cards", flush=True)
    return found


def _is_none(quad: NDArray[np.floating], picture: Drawn, is_case: bool) -> bool:
    """Whether it is neither a case or card, as asked for, nor, if a card, in a case: what lies there looks like one."""
    _, cases, cards = picture
    if any(_is_same(quad, true) for true in (cases if is_case else cards).corners):
        return False
    return is_case or not _is_in(quad, cases.corners)


def _is_same(quad: NDArray[np.floating], true: NDArray[np.floating]) -> bool:
    apart = np.linalg.norm(quad.mean(0) - true.mean(0)) / side_px(true)
    return bool(apart < 0.4 and 0.6 < side_px(quad) / side_px(true) < 1.6)


def _is_in(quad: NDArray[np.floating], cases: Iterable[NDArray[np.floating]]) -> bool:
    """Whether it lies in a case: a card that lies there looks like a loose one."""
    x, y = (float(v) for v in quad.mean(0))
    return any(cv2.pointPolygonTest(np.asarray(case, np.float32), (x, y), False) > 0 for case in cases)


def first_views(data: list[Drawn], found: list[Finds], rng: np.random.Generator) -> list[Shown]:
    """At what lies on a picture and at what the finder mistakes there."""
    index = int(rng.integers(len(data)))
    image, cases, cards = data[index]
    extent, shown = (image.shape[1], image.shape[0]), []
    for is_case, ours, others in ((True, cases, cards), (False, cards, cases)):
        finds = found[index][is_case]
        for quad, hidden in zip(ours.corners, ours.hidden, strict=True):
            is_whole = (quad > -2).all() and (quad < np.array(extent) + 1).all()
            near = [find for find, true in finds if true is not None and np.array_equal(true, quad)]
            for _ in range((2 if is_case else 1) * int(is_whole and hidden < _HIDDEN)):
                true = np.roll(quad, -int(rng.integers(4)), axis=0).astype(np.float64)
                start = near[0] if near and rng.random() < AS_FOUND else astray(true, rng)
                shown.append(Shown(index, is_case, start, true))
        odd = [find for find, true in finds if true is None]
        nones = [odd[int(k)] for k in rng.permutation(len(odd))[:2]]
        nones = [astray(none, rng) if rng.random() < 0.6 else none for none in nones]
        place = elsewhere(extent, ours.corners, others.corners, is_case, rng) if rng.random() < _NONE else None
        shown += [Shown(index, is_case, none, None) for none in (*nones, *([] if place is None else [place]))]
    return shown


def next_views(
    data: list[Drawn], shown: list[Shown], answers: NDArray[np.float64], rng: np.random.Generator
) -> list[Shown]:
    """From where the network puts some of what it was shown: first of all what is none and it holds for there."""
    looks: list[Shown] = []
    for k in sorted((int(k) for k in rng.permutation(len(shown))), key=lambda k: shown[k].true is not None):
        one, answer = shown[k], answers[k]
        if len(looks) >= REPEATS * len(shown):
            break
        if one.true is None and answer[CONFIDENCE_LOGIT] < -2.5:
            continue
        found = apply_answer(one.found, answer, by_votes=bool(rng.random() < 0.6))
        if _is_none(found, data[one.index], one.is_case) if one.true is None else _is_same(found, one.true):
            looks.append(Shown(one.index, one.is_case, found, one.true))
    return looks


def views(data: list[Drawn], shown: list[Shown], rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
    """Of each look the view, the code of the true quad in it, what its places vote for, and whether there is one."""
    rows: list[tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]] = []
    pyramids: dict[int, Pyramid] = {}
    for one in shown:
        if one.index not in pyramids:
            image = data[one.index][0]
            tinted = np.ascontiguousarray(image[..., rng.permutation(3)]) if rng.random() < 0.15 else image
            pyramids[one.index] = Pyramid.of(tinted)
        within = SQUARE.unit if one.true is None else inside(one.found, one.true)
        view = _view(pyramids[one.index], one, within, rng)
        known = (
            (_NO_CODE, _NO_VOTES) if one.true is None else (code_in(one.found, one.true), votes_in(one.found, one.true))
        )
        rows.append((view, *known))
    columns = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
    return *columns, torch.tensor([float(one.true is not None) for one in shown])


def _view(pyramid: Pyramid, one: Shown, within: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.float32]:
    seen = patch(pyramid, one.found)
    seen = covered(seen, within, one.is_case, rng) if rng.random() < _OVER else seen
    view = planes(seen, is_case=one.is_case)
    view[:3] = view[:3] * np.float32(rng.uniform(0.8, 1.15)) + np.float32(rng.normal(0, 0.03))
    return view
