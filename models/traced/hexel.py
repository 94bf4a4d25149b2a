"""Hex'el printings that nobody has drawn before, path-traced, and the truth about what was rendered of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from companion.games.hexel.deck import APOTHEM_MM, SYMBOLS, back_shapes
from companion.printing.raster import raster
from models.drawing.hexel.invented import invented
from models.drawing.hexel.layouts import Laid, grown_tableau, hand_laid, strays
from models.drawing.hexel.printings import REFERENCE, Printing, hexagon
from models.drawing.hexel.styles import PicturedDeck, clip_art, letters, painted_edges
from models.drawing.photograph import Entry, covered_share, marked_cut, outlines
from models.traced.shards import Rendered, on_picture
from models.traced.studio import LARGE, Described, Rng, Studio, opaque, piece, scene

PX_PER_MM = 9.0
STYLES = ("clip art", "painted edges", "letters", "shapes")


def hexel_deck(seed: int, studio: Studio, pictures: int = 2, *, is_known: bool = False) -> Iterator[Described]:
    """Photographs of a printing, invented or known: its three cards of one symbol in a line, and others."""
    rng = np.random.default_rng(seed)
    edition = ("36", "46")[seed // len(STYLES) % 2]
    symbols = SYMBOLS[edition]
    look = REFERENCE[edition] if is_known else _look(STYLES[seed % len(STYLES)], symbols, studio, rng)
    gloss = np.array([rng.uniform(0.25, 0.7), rng.choice([0, 0.15, 0.4])])

    def cards(laid: Sequence[Laid]) -> list[Described]:
        return [_described(seed, one, look, studio, gloss) for one in laid]

    teaching = hand_laid({(k, 0): (name,) * 6 for k, name in enumerate(symbols)}, rng, gap_mm=1.0, turn_deg=1.0)
    about = {"edition": edition, "symbols": list(symbols)}
    yield {**scene(rng, studio, cards(teaching), f"{seed}-teach", LARGE, False, fill=0.8), **about}
    for k in range(pictures):
        faces = grown_tableau(int(rng.integers(4, 19)), symbols, rng)
        laid = hand_laid(faces, rng, gap_mm=float(rng.uniform(0.3, 3.0)), turn_deg=float(rng.uniform(0.2, 4.0)))
        described = cards([*laid, *strays(laid, symbols, rng)])
        if rng.random() < 0.5:
            described.append(_face_down(laid, studio, gloss, rng))
        yield {
            **scene(rng, studio, described, f"{seed}-{k}", LARGE, bool(k % 2), least=float(rng.uniform(0.6, 1.1))),
            **about,
        }


def truth(one: Rendered) -> Entry:
    """What `companion read` should say, in the form of `models.drawing.hexel.photograph`."""
    size = (one.picture.shape[1], one.picture.shape[0])
    entries, face_down = [], []
    for number, (card, quad) in enumerate(zip(one.told["cards"], one.corners, strict=True), 1):
        corners = quad.astype(np.float64)
        if card["aside"]:
            face_down.append(corners.tolist())
            continue
        entry: dict[str, Any] = {
            "cell": card["cell"],
            "edges": card["edges"],
            "corners": corners.tolist(),
            "covered": covered_share(one.owner, corners, number),
            "hidden": [covered_share(one.owner, on_picture(card, corners, mark), number) for mark in card["marks"]],
        }
        entries.append(marked_cut(entry, corners, size))
    return {
        "cards": [entry for entry in entries if entry["cell"] is not None],
        "loose": [entry for entry in entries if entry["cell"] is None],
        "ignore": face_down + outlines(entries),
    }


def _look(style: str, symbols: Sequence[str], studio: Studio, rng: Rng) -> Printing | PicturedDeck:
    if style == "shapes":
        return invented(tuple(symbols), rng)
    if style == "clip art":
        return clip_art(symbols, studio.art.clips, rng)
    return (painted_edges if style == "painted edges" else letters)(symbols, rng)


def _described(seed: int, one: Laid, look: Printing | PicturedDeck, studio: Studio, gloss: np.ndarray) -> Described:
    face = opaque(look.raster(one.edges, PX_PER_MM))
    texture = studio.keep(f"{seed}-{'-'.join(one.edges)}.png", face)
    wide = len(face) / PX_PER_MM
    found = piece(texture, (wide, wide), hexagon(APOTHEM_MM), (one.at_mm, one.turn_deg), gloss)
    return {
        **found,
        "cell": None if one.cell is None else list(one.cell),
        "edges": list(one.edges),
        "marks": [mark.tolist() for mark in Laid(one.edges, None, np.zeros(2), 0.0).marks_mm()],
    }


def _face_down(laid: Sequence[Laid], studio: Studio, gloss: np.ndarray, rng: Rng) -> Described:
    """The rest of the deck beside the tableau."""
    back = raster(back_shapes(), PX_PER_MM)
    texture = studio.keep("hexel-back.png", opaque(np.asarray(back, np.uint8)))
    at = np.array([one.at_mm for one in laid])
    away = np.array([np.ptp(at[:, 0]) / 2 + 85, rng.uniform(-0.5, 0.5) * np.ptp(at[:, 1])]) * [rng.choice([-1, 1]), 1]
    size = (back.shape[1] / PX_PER_MM, back.shape[0] / PX_PER_MM)
    place = (at.min(0) + np.ptp(at, axis=0) / 2 + away, float(rng.uniform(0, 360)))
    thick = float(rng.uniform(0.4, 9))
    return {**piece(texture, size, hexagon(APOTHEM_MM), place, gloss, thick=thick), "aside": True}
