"""Decks of rectangular cards and of hexagonal tiles that may show anything, path-traced: for outlines alone."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from models.drawing.card_faces import Style, bands
from models.drawing.comet.layouts import LaidComet, laid_groups
from models.drawing.comet.printings import plain_typefaces
from models.drawing.comet.styles import styled
from models.traced.studio import MIDDLING, Described, Rng, Studio, card, opaque, scene, tile, turn


def any_decks(seed: int, studio: Studio, pictures: int = 2) -> Iterator[Described]:
    """Photographs of decks that may show anything, each of another."""
    rng = np.random.default_rng(seed)
    look = styled(list(plain_typefaces()), rng, "row")
    for k in range(pictures):
        style = Style.any(rng, False)
        if rng.random() < 0.35:
            style = replace(style, draws=(bands,), frame=0.0)
        height = float(rng.uniform(55, 100))
        size = (height * float(rng.uniform(0.55, 1.0)), height)
        cards = []
        for layer, one in enumerate(laid_groups(int(rng.integers(3, 22)), replace(look, size=size), rng)):
            face = opaque(style.face(rng, studio.art, int(size[0] * 6), int(size[1] * 6)))
            gloss = np.array([rng.uniform(0.25, 0.7), 0.0])
            radius = max(0.4, style.rounding * min(size))
            cards.append(card(studio.keep(f"{seed}-{k}-{layer}.png", face), size, radius, one, layer, gloss))
        yield scene(rng, studio, cards, f"{seed}-{k}", MIDDLING, bool(k % 2))


def tile_decks(seed: int, studio: Studio, pictures: int = 2) -> Iterator[Described]:
    """Photographs of hexagonal decks that may show anything, each of another: laid to each other, some lying apart."""
    rng = np.random.default_rng(seed)
    for k in range(pictures):
        style = Style.any(rng, True)
        side = float(rng.uniform(22, 45))
        size = (2 * side, math.sqrt(3) * side)
        gloss = np.array([rng.uniform(0.25, 0.7), 0.0])
        layers = int(rng.choice([1, 1, 2, 9]))
        cards = []
        for number, laid in enumerate(_honeycomb(rng, size, layers)):
            face = opaque(style.face(rng, studio.art, round(size[0] * 6), round(size[1] * 6)))
            texture = studio.keep(f"{seed}-{k}-{number}.png", face)
            cards.append(tile(card(texture, size, 0.1, laid, 0, gloss), size, style.rounding))
        yield scene(rng, studio, cards, f"{seed}-{k}", MIDDLING, bool(k % 2))


def _honeycomb(rng: Rng, size: tuple[float, float], layers: int) -> list[LaidComet]:
    """Where hexagons of that size lie: a tableau grown cell by cell, hardly askew, and some that lie apart."""
    step = size[1] + float(rng.choice([0.0, 0.6, 2.5]))
    cells = [(0, 0)]
    for _ in range(int(rng.integers(0, 26))):
        q, r = cells[int(rng.integers(len(cells)))]
        dq, dr = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)][int(rng.integers(6))]
        if (q + dq, r + dr) not in cells:
            cells.append((q + dq, r + dr))
    main, askew = float(rng.uniform(0, 360)), float(rng.choice([0.0, 1.0, 3.0]))
    at = np.array([[math.sqrt(3) / 2 * q, q / 2 + r] for q, r in cells]) * step @ turn(main)
    at += rng.normal(0, 0.1 + 0.2 * askew, at.shape)
    turns = main + rng.normal(0, askew, len(at))
    found = [LaidComet(None, p, float(a), size, layers=layers) for p, a in zip(at, turns, strict=True)]
    for _ in range(int(rng.integers(0, 5))):
        place = at.mean(0) + rng.uniform(-1, 1, 2) * (np.ptp(at, axis=0).max() / 2 + 2.2 * size[0])
        if min(np.linalg.norm(one.at_mm - place) for one in found) > 1.05 * size[0]:
            found.append(LaidComet(None, place, float(rng.uniform(0, 360)), size, layers=layers))
    return found
