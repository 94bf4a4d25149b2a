"""Photographs of Comet tables drawn once for all three networks: pictures, outlines that are off, and cards cut out."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.games.comet.vision.classifier import HIGH, WIDE, cut_cards
from companion.games.comet.vision.detector import CARD
from companion.vision.detection.corner_refiner import VIEW, cut_views
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.layouts import laid_groups, strays
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import BUSY_BACKS, CometPrinting, invented, reference, varied
from models.drawing.hexel.photograph import Photograph
from models.training import drawn
from models.typefaces import Typeface, kept

COLUMNS = ("images", "lengths", "corners", "hidden", "ignored", "ignores", "views", "corrections", "patches", "labels")
"""Half-size pictures; cards and ignored outlines in each; outlines as seen and their corrections; cards and labels."""
LOOKS = 3
SIZE = (800, 608)
NO_NUMBER, UNKNOWN = 13, -1
FACE, BACK, NOTHING = 0, 1, 2


@functools.cache
def typefaces(path: Path) -> list[Typeface]:
    return kept(path)["train"]


def drawings(cache: Path, faces: Path, pictures: int, more: int, hard: int = 0) -> dict[str, np.ndarray]:
    """The pictures of three rounds: seeds from 5,000,000 and from 5,200,000 up, and hard ones from 5,400,000 up."""
    paint, paint_hard = (functools.partial(draw, faces=faces, is_hard=is_hard) for is_hard in (False, True))
    rounds = [(paint, range(5_000_000, 5_000_000 + pictures)), (paint, range(5_200_000, 5_200_000 + more))]
    rounds.append((paint_hard, range(5_400_000, 5_400_000 + hard)))
    held = [drawn(cache, "comet", COLUMNS, one, seeds, workers=1) for one, seeds in rounds if len(seeds)]
    return {column: np.concatenate([one[column] for one in held]) for column in COLUMNS}


def unseen(cache: Path, faces: Path) -> dict[str, np.ndarray]:
    """Pictures to measure by, from seeds 5,950,000 up."""
    paint = functools.partial(draw, faces=faces)
    return drawn(cache, "comet", COLUMNS, paint, range(5_950_000, 5_950_030), workers=1)


def draw(seed: int, faces: Path, is_hard: bool = False) -> Sequence[np.ndarray]:
    """Everything of one seed's picture, in the order of `COLUMNS`."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    picture = _hard_picture(rng, typefaces(faces)) if is_hard else _picture(rng, typefaces(faces))
    cards, pyramid = picture.truth["cards"], Pyramid.of(picture.bgr)
    half = cv2.resize(picture.bgr, (400, 304), interpolation=cv2.INTER_AREA)
    corners = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 4, 2)
    hidden = np.array([c["covered"] for c in cards], np.float32)
    ignored = np.array(picture.truth["ignore"], np.float32).reshape(-1, 4, 2)
    whole = [c for c in cards if not c.get("cut") and c["covered"] < 0.6]
    views, corrections = _views(pyramid, whole, rng)
    patches, labels = cut_out(pyramid, whole, rng, nothings=2)
    counts = [np.array([len(corners)]), np.array([len(ignored)])]
    pictured = [half[None], counts[0], corners / 2 - 0.25, hidden, counts[1], ignored / 2 - 0.25]
    return (*pictured, views, corrections, patches, labels)


def _picture(rng: np.random.Generator, faces: Sequence[Typeface]) -> Photograph:
    wide = float(np.exp(rng.uniform(np.log(36), np.log(260))))
    kind = "invented" if rng.random() < 0.5 else "reference"
    return comet_photograph(rng, size=SIZE, printing=kind, typefaces=faces, across_px=wide)


def _hard_picture(rng: np.random.Generator, faces: Sequence[Typeface]) -> Photograph:
    """Whole rows face down, busier backs, more sections side by side, more things on cards, worse light and cameras."""
    look = _hard_look(rng, faces)
    groups = laid_groups(int(rng.choice([2, 4, 8, 12, 18, 24])), look, rng)
    down = float(rng.choice([0.0, 0.4, 0.8, 1.0]))
    groups = [replace(card, values=None) if rng.random() < down else card for card in groups]
    return comet_photograph(
        rng,
        size=SIZE,
        printing=look,
        cards=[*strays(groups, look, rng), *groups],
        across_px=float(np.exp(rng.uniform(np.log(40), np.log(180)))),
        hardness=float(rng.choice([1.0, 1.5, 2.0])),
    )


def _hard_look(rng: np.random.Generator, faces: Sequence[Typeface]) -> CometPrinting:
    face = faces[int(rng.integers(len(faces)))]
    if rng.random() < 0.3:
        return varied(reference(str(rng.choice(["mono", "keyed"])), face), rng)
    look = lying(faces, rng) if rng.random() < 0.25 else invented(faces, rng)
    return replace(look, back_kind=str(rng.choice(BUSY_BACKS))) if rng.random() < 0.35 else look


def lying(faces: Sequence[Typeface], rng: np.random.Generator) -> CometPrinting:
    """An invented printing whose three sections lie side by side."""
    while not (look := invented(faces, rng)).is_turned:
        continue
    return look


def misjudged(corners: np.ndarray, rng: np.random.Generator, amount: float) -> tuple[np.ndarray, np.ndarray]:
    """An outline a little wrong, and the correction (2, 3) in its own unit frame that makes it right."""
    centre, affine = CARD.pose_of(corners)
    a = rng.normal(0, 0.045 * amount)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    stretch = np.eye(2) * np.exp(rng.normal(0, 0.05 * amount)) + rng.normal(0, 0.03 * amount, (2, 2))
    wrong = affine @ turn @ stretch
    off = rng.normal(0, 0.035 * amount, 2)
    inverse = np.linalg.inv(wrong)
    move, shift = inverse @ affine, -inverse @ affine @ off
    spin = 1.0 if rng.random() < 0.5 else -1.0  # the same card, begun at the opposite corner
    return centre + affine @ off + CARD.unit @ (wrong * spin).T, np.column_stack([move - np.eye(2), shift * spin])


def _views(pyramid: Pyramid, cards: list[dict], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    outlines, wanted = [], []
    for card in cards:
        for _ in range(LOOKS):
            outline, correction = misjudged(np.array(card["corners"]), rng, float(rng.choice([0.25, 0.6, 1.0, 1.6])))
            outlines.append(outline)
            wanted.append(correction.reshape(-1))
    if not outlines:
        return np.zeros((0, VIEW, VIEW, 3), np.uint8), np.zeros((0, 6), np.float32)
    seen = cut_views(pyramid, np.array(outlines), CARD)
    return np.round((seen + 0.5) * 200).astype(np.uint8), np.array(wanted, np.float32)


def cut_out(
    pyramid: Pyramid, cards: list[dict], rng: np.random.Generator, nothings: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cards cut out upright, and their labels (N, 4): three numbers' classes from the top and the kind."""
    outlines, labels = [], []
    for card in cards:
        for amount in (0.2, 0.5):
            outline, _ = misjudged(np.array(card["corners"]), rng, amount)
            up = np.trace(np.linalg.inv(CARD.pose_of(card["corners"])[1]) @ CARD.pose_of(outline)[1])
            outlines.append(outline if up > 0 else np.roll(outline, 2, 0))
            labels.append(_labels(card))
    for _ in range(nothings):  # the bare table, and what lies between cards
        at = rng.uniform(0, 1, 2) * pyramid.levels[0].shape[1::-1]
        size, a = float(rng.uniform(20, 110)), rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * size
        centres = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 4, 2).mean(1)
        if not len(centres) or np.linalg.norm(centres - at, axis=1).min() > 1.1 * size:
            outlines.append(at + CARD.unit @ turn.T)
            labels.append([NO_NUMBER] * 3 + [NOTHING])
    if not outlines:
        return np.zeros((0, HIGH, WIDE, 3), np.uint8), np.zeros((0, 4), np.int64)
    return np.round(cut_cards(pyramid, np.array(outlines))).astype(np.uint8), np.array(labels, np.int64)


def _labels(card: dict) -> list[int]:
    if card["printed"] is None:
        return [NO_NUMBER] * 3 + [BACK]
    shown = zip(card["printed"], card["hidden"], strict=True)
    return [v - 2 if h < 0.2 else (NO_NUMBER if h > 0.8 else UNKNOWN) for v, h in shown] + [FACE]
