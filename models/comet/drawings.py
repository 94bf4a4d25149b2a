"""Photographs of Comet tables drawn once for all three networks: pictures, outlines that are off, and cards cut out."""

import argparse
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.classifier import HIGH, WIDE, cut_cards
from companion.games.comet.vision.detector import CARD
from companion.vision.image.pyramid import Pyramid
from models.dataset import Column, cached
from models.drawing.comet.layouts import laid_groups, strays
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import BUSY_BACKS, CometPrinting, invented, reference, varied
from models.drawing.comet.styles import styled
from models.drawing.photograph import Entry, Photograph
from models.refinement import perturb, rotation, views_of
from models.trainer import parser
from models.typefaces import Typeface, kept

Painter = Callable[[np.random.Generator, Sequence[Typeface]], Photograph]
COLUMNS = ("images", "lengths", "corners", "hidden", "ignored", "ignores", "views", "corrections", "patches", "labels")
"""Half-size pictures; cards and ignored outlines in each; outlines as seen and their corrections; cards and labels."""
VIEWS = 3
SIZE = (800, 608)
NO_NUMBER, UNKNOWN = 13, -1
FACE, BACK, NOTHING = 0, 1, 2


def options(description: str | None, *, steps: int, rate: float, batch: int = 0) -> argparse.ArgumentParser:
    """The options of a training on these pictures."""
    found = parser(description, steps=steps, rate=rate, batch=batch)
    found.add_argument("--faces", type=Path, required=True, help="numerals drawn by models/typefaces.py")
    found.add_argument("--pictures", type=int, default=1700, help="of the first round")
    found.add_argument("--more", type=int, default=0, help="pictures of the second round")
    found.add_argument("--hard", type=int, default=0, help="pictures of the hard round")
    found.add_argument("--styled", type=int, default=0, help="pictures of cards with their numbers anywhere")
    found.add_argument("--held-out", type=int, default=30, help="pictures to measure by")
    return found


def typefaces(path: Path) -> list[Typeface]:
    return kept(path)["train"]


def drawings(cache: Path, faces: Path, pictures: int, more: int, hard: int = 0, styled: int = 0) -> dict[str, Column]:
    """The pictures of four rounds: seeds from 5,000,000 and from 5,200,000 up, hard ones from 5,400,000 up, and such
    with their numbers anywhere from 5,600,000 up."""
    counts: list[tuple[int, int, Painter]] = [
        (5_000_000, pictures, _picture),
        (5_200_000, more, _picture),
        (5_400_000, hard, _hard_picture),
        (5_600_000, styled, _styled_picture),
    ]
    rounds = [(functools.partial(draw, faces=faces, paint=paint), range(a, a + n)) for a, n, paint in counts]
    held = [cached(cache, "comet", COLUMNS, one, seeds, workers=1) for one, seeds in rounds if len(seeds)]
    return {column: np.concatenate([one[column] for one in held]) for column in COLUMNS}


def unseen(cache: Path, faces: Path, count: int) -> dict[str, Column]:
    """Pictures to measure by, from seeds 5,950,000 up."""
    paint = functools.partial(draw, faces=faces)
    return cached(cache, "comet", COLUMNS, paint, range(5_950_000, 5_950_000 + count), workers=1)


def draw(seed: int, faces: Path, paint: Painter | None = None) -> Sequence[Column]:
    """Everything of one seed's picture, in the order of `COLUMNS`."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    picture = (paint or _picture)(rng, typefaces(faces))
    cards, pyramid = picture.truth["cards"], Pyramid.of(picture.bgr)
    half = cv2.resize(picture.bgr, (400, 304), interpolation=cv2.INTER_AREA)
    corners = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 4, 2)
    hidden = np.array([c["covered"] for c in cards], np.float32)
    ignored = np.array(picture.truth["ignore"], np.float32).reshape(-1, 4, 2)
    whole = [c for c in cards if not c.get("cut") and c["covered"] < 0.6]
    outlines = [np.array(card["corners"]) for card in whole]
    views, corrections = views_of(pyramid, outlines, rng, VIEWS, CARD)
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
    style = _hard_style(rng, faces)
    return _crowded(rng, style, (40, 180), float(rng.choice([1.0, 1.5, 2.0])))


def _styled_picture(rng: np.random.Generator, faces: Sequence[Typeface]) -> Photograph:
    """Cards with their numbers anywhere, from far away and near."""
    return _crowded(rng, styled(faces, rng), (36, 240), float(rng.choice([0.35, 1.0, 1.5])))


def _crowded(
    rng: np.random.Generator, style: CometPrinting, wide_px: tuple[float, float], hardness: float
) -> Photograph:
    groups = laid_groups(int(rng.choice([2, 4, 8, 12, 18, 24])), style, rng)
    down = float(rng.choice([0.0, 0.4, 0.8, 1.0]))
    groups = [replace(card, values=None) if rng.random() < down else card for card in groups]
    return comet_photograph(
        rng,
        size=SIZE,
        printing=style,
        cards=[*strays(groups, style, rng), *groups],
        across_px=float(np.exp(rng.uniform(*np.log(wide_px)))),
        hardness=hardness,
    )


def _hard_style(rng: np.random.Generator, faces: Sequence[Typeface]) -> CometPrinting:
    face = faces[int(rng.integers(len(faces)))]
    if rng.random() < 0.3:
        return varied(reference(str(rng.choice(["mono", "keyed"])), face), rng)
    style = lying(faces, rng) if rng.random() < 0.25 else invented(faces, rng)
    return replace(style, back_kind=str(rng.choice(BUSY_BACKS))) if rng.random() < 0.35 else style


def lying(faces: Sequence[Typeface], rng: np.random.Generator) -> CometPrinting:
    """An invented printing whose three sections lie side by side."""
    while not (style := invented(faces, rng)).is_turned:
        continue
    return style


def cut_out(
    pyramid: Pyramid, cards: list[Entry], rng: np.random.Generator, nothings: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Cards cut out upright, and their labels (N, 4): three numbers' classes from the top and the kind."""
    outlines, labels = [], []
    for card in cards:
        for amount in (0.2, 0.5):
            outline, _ = perturb(np.array(card["corners"]), rng, amount, CARD)
            up = np.trace(np.linalg.inv(CARD.pose_of(card["corners"])[1]) @ CARD.pose_of(outline)[1])
            outlines.append(outline if up > 0 else np.roll(outline, 2, 0))
            labels.append(_labels(card))
    for _ in range(nothings):  # the bare table, and what lies between cards
        at = rng.uniform(0, 1, 2) * pyramid.levels[0].shape[1::-1]
        size, a = float(rng.uniform(20, 110)), rng.uniform(0, 2 * np.pi)
        turn = rotation(a) * size
        centres = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 4, 2).mean(1)
        if not len(centres) or np.linalg.norm(centres - at, axis=1).min() > 1.1 * size:
            outlines.append(at + CARD.unit @ turn.T)
            labels.append([NO_NUMBER] * 3 + [NOTHING])
    if not outlines:
        return np.zeros((0, HIGH, WIDE, 3), np.uint8), np.zeros((0, 4), np.int64)
    return np.round(cut_cards(pyramid, np.array(outlines))).astype(np.uint8), np.array(labels, np.int64)


def _labels(card: Entry) -> list[int]:
    if card["printed"] is None:
        return [NO_NUMBER] * 3 + [BACK]
    shown = zip(card["printed"], card["hidden"], strict=True)
    return [v - 2 if h < 0.2 else (NO_NUMBER if h > 0.8 else UNKNOWN) for v, h in shown] + [FACE]
