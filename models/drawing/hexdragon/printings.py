"""Drawings of a HexDragon set: how its tiles may look, from the reference art to sets nobody has printed yet."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import COLOURS, REFERENCE, Drawing

_NAMED = {
    "red": ((173, 186), (160, 240)),
    "blue": ((100, 120), (120, 225)),
    "yellow": ((20, 30), (185, 250)),
    "purple": ((134, 156), (95, 200)),
}
"""What people still call by an owner's name: hue, in OpenCV's half degrees, and value."""


def drawing_of(kind: str, rng: np.random.Generator, amount: float = 1.0) -> Drawing:
    """A drawing: ``exact``, ``reference`` (another press), ``varied`` (redrawn) or ``invented`` (anything)."""
    makers: dict[str, Callable[[], Drawing]] = {
        "exact": lambda: REFERENCE,
        "reference": lambda: pressed(REFERENCE, rng, amount),
        "varied": lambda: redrawn(rng),
        "invented": lambda: invented(rng),
    }
    return makers[kind]()


def pressed(drawing: Drawing, rng: np.random.Generator, amount: float = 1.0) -> Drawing:
    """The same drawing from another press: inks and paper a little off, lines a little wider or thinner."""

    def ink(colour: str) -> str:
        off = rng.normal(0, 9 * amount, 3) + rng.normal(0, 8 * amount)
        return _web(np.clip(_values(colour) + off, 8, 250))

    return replace(
        drawing,
        inks={owner: ink(colour) for owner, colour in drawing.inks.items()},
        face=ink(drawing.face),
        band=ink(drawing.band),
        line=ink(drawing.line),
        hairline=ink(drawing.hairline),
        hairline_mm=float(rng.uniform(0.1, 0.6)),
        band_mm=drawing.band_mm * float(rng.uniform(0.88, 1.15)),
        line_mm=drawing.line_mm * float(rng.uniform(0.6, 1.3)),
        bow=float(rng.uniform(0.95, 1.05)),
        edging_mm=drawing.edging_mm * float(rng.uniform(0.8, 1.2)),
    )


def redrawn(rng: np.random.Generator) -> Drawing:
    """The owners' colours keep their names; bands, faces, heads and tails are drawn anew."""
    face = _paper(rng, dark=False)
    return _shaped(rng, face, {owner: _named(rng, owner) for owner in COLOURS})


def invented(rng: np.random.Generator) -> Drawing:
    """Anything that players could still tell apart: dark faces, any four colours, other heads, tails and stars."""
    dark = bool(rng.random() < 0.35)
    first = float(rng.uniform(0, 180))
    steps = rng.permutation(4) * 45.0 + rng.normal(0, 5, 4)
    inks = {o: _hue(rng, first + s, first + s + 1, dark=dark) for o, s in zip(COLOURS, steps, strict=True)}
    if rng.random() < 0.3:
        one = str(rng.choice(COLOURS))
        inks[one] = "#F2F2EE" if dark else "#1C1C1E"
    return _shaped(rng, _paper(rng, dark=dark), inks)


def _shaped(rng: np.random.Generator, face: str, inks: dict[str, str]) -> Drawing:
    dark = _values(face).mean() < 128
    band = _band_ink(rng, face)
    has_lines = bool(rng.random() < 0.6)
    line = _web(_values(band) * rng.uniform(0.3, 0.7)) if rng.random() < 0.75 else ("#F4F4F0" if dark else "#161616")
    return Drawing(
        inks=inks,
        face=face,
        hairline=str(rng.choice(["#3A3A3A", "#111111", "#CCCCCC", face])),
        hairline_mm=float(rng.uniform(0.1, 0.9)),
        band=band,
        line=line,
        band_mm=float(rng.uniform(3.6, 12.5)),
        line_mm=float(rng.uniform(0.4, 1.4)) if has_lines else 0.0,
        bow=float(rng.uniform(0.75, 1.25)),
        head_mm=float(rng.uniform(12, 20)),
        head_at=float(rng.uniform(0.36, 0.56)),
        head_sides=int(rng.choice([0, 0, 0, 3, 4, 5, 6])),
        eye_mm=float(rng.choice([0.0, rng.uniform(2.5, 5.5), rng.uniform(3, 5)])),
        tail_at=float(rng.uniform(0.18, 0.55)),
        taper=float(rng.uniform(0.3, 1.3)),
        spine=_band_ink(rng, band) if rng.random() < 0.2 else None,
        edging_mm=float(rng.choice([0.0, rng.uniform(1.0, 4.0), rng.uniform(1.5, 3.5)])),
        star_paper=_paper(rng, dark=bool(rng.random() < 0.25)),
        star_mm=float(rng.uniform(18, 29)),
        star_points=int(rng.choice([5, 5, 5, 4, 6, 8])),
    )


def _paper(rng: np.random.Generator, *, dark: bool) -> str:
    if dark:
        return _web(np.clip(rng.uniform(10, 80) + rng.normal(0, 14, 3), 4, 110))
    return _web(np.clip(rng.uniform(185, 252) + rng.normal(0, 10, 3), 150, 255))


def _band_ink(rng: np.random.Generator, face: str) -> str:
    """A colour that stands out from the face, in lightness."""
    while True:
        ink = _hue(rng, 0, 180, dark=bool(rng.random() < 0.5))
        if rng.random() < 0.15:
            ink = _web(np.full(3, rng.uniform(15, 245)))
        if abs(_values(ink).mean() - _values(face).mean()) > 60:
            return ink


def _named(rng: np.random.Generator, owner: str) -> str:
    """An ink that people call by that owner's name."""
    (low, high), (dim, bright) = _NAMED[owner]
    return _hsv(rng.uniform(low, high), rng.uniform(150, 245), rng.uniform(dim, bright))


def _hue(rng: np.random.Generator, low: float, high: float, *, dark: bool) -> str:
    """An ink of a hue in a range, lighter for a dark face."""
    return _hsv(rng.uniform(low, high), rng.uniform(130, 250), rng.uniform(140, 255) if dark else rng.uniform(95, 230))


def _hsv(hue: float, saturation: float, value: float) -> str:
    pixel = np.array([[[int(hue) % 180, int(saturation), int(value)]]], np.uint8)
    return _web(cv2.cvtColor(pixel, cv2.COLOR_HSV2RGB)[0, 0].astype(float))


def _values(colour: str) -> NDArray[np.float64]:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)


def _web(values: NDArray[np.float64]) -> str:
    red, green, blue = (int(v) for v in np.clip(np.round(values), 0, 255))
    return f"#{red:02X}{green:02X}{blue:02X}"
