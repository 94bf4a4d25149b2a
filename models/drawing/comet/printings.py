"""Printings of a Comet deck: how a card may look, from the reference art to decks nobody has printed yet."""

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.comet import deck as comet
from companion.games.comet.artwork import numeral_bands
from companion.printing.raster import raster

Mask = npt.NDArray[Any]
Ink = tuple[float, float, float]
"""Blue, green, red, 0..255."""
Typeface = Mapping[str, Mask]
"""What is printed (``2`` to ``13``, ``A``) as ink, 0..255, all of one height, each as wide as it is."""

LABELS = tuple(comet.label(value) for value in comet.NUMBERS)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number is printed.

    Attributes:
        slot: which of the card's three numbers stands there.
        at_mm: its middle, from the middle of the card as it is read.
        numeral_mm: how high it stands.
        room_mm: how wide it may be; a wider one is printed narrower.
        turn_deg: how far it is turned clockwise, in whole quarters.
    """

    slot: int
    at_mm: tuple[float, float]
    numeral_mm: float
    room_mm: float
    turn_deg: int = 0


@dataclass(frozen=True, slots=True)
class Holder:
    """What is printed under each number: its form, its size in numerals' heights, and its colour for each number."""

    form: str
    size: float
    inks: tuple[Ink, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed area, or a line where it has a width: points in mm from the middle of the card as it is read."""

    points_mm: tuple[tuple[float, float], ...]
    ink: Ink
    width_mm: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CometPrinting:
    """How a whole deck looks. Lengths in mm, colours BGR.

    Attributes:
        typeface: its numerals.
        size: a card's width and height.
        grounds: the section colour of each number from 2 to 14; all alike in a mono-coloured printing.
        ink: the numerals' colour.
        numeral_mm: how high they stand.
        stretch: their width, 1 for the typeface's own.
        aside: how far from a section's middle they stand, right and down.
        line: of 6 and 9: gap below, thickness, and how much wider than the numeral; None where they have none.
        is_turned: the card is read lying on its side: three sections side by side.
        divider_mm: thickness of the line between sections, 0 for none.
        divider_share: how much of the width it crosses.
        divider_ink: its colour.
        margin_mm: a rim around the sections.
        margin_ink: its colour.
        rounding_mm: the radius of the card's corners.
        comet: radius of the mark in the top left corner, 0 for none.
        comet_at: its middle, from that corner.
        back: the colours of the back and of what is printed on it.
        back_kind: what is printed on it.
        has_columns: the sections stand side by side, each as high as the card.
        own_places: where the numbers are printed, where that is not the middle of each section.
        holder: what is printed under each number, if anything is.
        figures: what else is printed on every face, under the numbers.
    """

    typeface: Typeface
    size: tuple[float, float]
    grounds: tuple[Ink, ...]
    ink: Ink
    numeral_mm: float
    stretch: float
    aside: tuple[float, float]
    line: tuple[float, float, float] | None
    is_turned: bool
    divider_mm: float
    divider_share: float
    divider_ink: Ink
    margin_mm: float
    margin_ink: Ink
    rounding_mm: float
    comet: float
    comet_at: tuple[float, float]
    back: tuple[Ink, Ink]
    back_kind: str
    has_columns: bool = False
    own_places: tuple[Place, ...] = ()
    holder: Holder | None = None
    figures: tuple[Figure, ...] = ()

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height in mm of the card as it is read."""
        width, height = self.size
        return (height, width) if self.is_turned else (width, height)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the numbers are printed: in the middle of each section unless it has places of its own."""
        if self.own_places:
            return self.own_places
        across = 0 if self.is_turned else 1
        room = (self.size[1] / 3 if self.is_turned else self.size[0]) * 0.84
        step = (self.extent[across] - 2 * self.margin_mm) / 3
        places = []
        for slot in range(3):
            at = list(self.aside)
            at[across] += (slot - 1) * step
            places.append(Place(slot, (at[0], at[1]), self.numeral_mm, room))
        return tuple(places)


BACKS = ("comet", "frame", "stripes", "diamonds", "disc", "plain", "dots")
BUSY_BACKS = ("chequered", "ringed", "latticed", "halved")
"""Drawn for training alone: printings that measure are of `BACKS`."""


@cache
def plain_typefaces() -> tuple[Typeface, ...]:
    """Numerals that need no font: the house's own, and OpenCV's strokes, thin and thick."""
    hershey = [
        _stroked(font, thickness)
        for font in (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)
        for thickness in (6, 12)
    ]
    return (_house(), *hershey)


def reference(kind: str, typeface: Typeface | None = None) -> CometPrinting:
    """The reference printing, ``mono`` or ``keyed``, in the house's numerals or others."""
    grounds = [comet.FACE_COLOUR if kind == "mono" else comet.key_colour(value) for value in comet.NUMBERS]
    return CometPrinting(
        typeface=_house() if typeface is None else typeface,
        size=(comet.WIDTH_MM, comet.HEIGHT_MM),
        grounds=tuple(_ink(ground) for ground in grounds),
        ink=_ink(comet.INK_COLOUR),
        numeral_mm=comet.NUMERAL_MM,
        stretch=1.0,
        aside=(0.0, 0.0),
        line=(1.6, 1.6, 0.0),
        is_turned=False,
        divider_mm=0.35,
        divider_share=0.87,
        divider_ink=_ink(comet.LINE_COLOUR),
        margin_mm=0.0,
        margin_ink=_ink(comet.FACE_COLOUR),
        rounding_mm=comet.ROUNDING_MM,
        comet=2.0,
        comet_at=(6.5, 9.0),
        back=(_ink(comet.BACK_COLOUR), _ink(comet.BACK_INK_COLOUR)),
        back_kind="comet",
    )


def varied(printing: CometPrinting, rng: np.random.Generator, amount: float = 1.0) -> CometPrinting:
    """The same printing from another press: inks and places a little off, numerals a little larger or smaller."""

    def ink(colour: Ink) -> Ink:
        return _clipped(np.array(colour) + rng.normal(0, 7 * amount, 3) + rng.normal(0, 7 * amount))

    ground = rng.normal(0, 7 * amount, 3)
    mark = (printing.comet_at[0] + float(rng.normal(0, 0.8)), printing.comet_at[1] + float(rng.normal(0, 0.8)))
    return replace(
        printing,
        grounds=tuple(_clipped(np.array(g) + ground) for g in printing.grounds),
        ink=ink(printing.ink),
        numeral_mm=printing.numeral_mm * float(rng.uniform(0.9, 1.12)),
        aside=(float(rng.normal(0, 0.4 * amount)), float(rng.normal(0, 0.5 * amount))),
        line=(float(rng.uniform(0.8, 2.4)), float(rng.uniform(0.8, 2.0)), float(rng.uniform(-2.0, 2.0))),
        divider_mm=float(rng.uniform(0.0, 0.7)),
        comet=printing.comet * float(rng.uniform(0.7, 1.3)),
        comet_at=mark,
        back=(ink(printing.back[0]), ink(printing.back[1])),
        rounding_mm=float(rng.uniform(2.0, 4.0)),
    )


def invented(typefaces: Sequence[Typeface], rng: np.random.Generator) -> CometPrinting:
    """A printing nobody has seen: other numerals, sizes, colours, lines, marks and backs."""
    dark = bool(rng.random() < 0.2)
    size = (63.0, 88.0) if rng.random() < 0.6 else (float(rng.uniform(54, 72)), float(rng.uniform(84, 108)))
    turned = bool(rng.random() < 0.15)
    room = min(size[1] / 3, size[0]) if not turned else min(size[1] / 3 / 1.25, size[0])
    grounds = _grounds(rng, dark)
    return CometPrinting(
        typeface=typefaces[int(rng.integers(len(typefaces)))],
        size=size,
        grounds=grounds,
        ink=_contrasting_ink(dark, rng),
        numeral_mm=room * float(rng.uniform(0.38, 0.72)),
        stretch=float(rng.uniform(0.82, 1.18)),
        aside=(float(rng.normal(0, 1.2)), float(rng.normal(0, 0.8))),
        line=None if rng.random() < 0.3 else _line(rng),
        is_turned=turned,
        divider_mm=float(rng.choice([0.0, rng.uniform(0.2, 1.0), rng.uniform(0.5, 2.5)])),
        divider_share=float(rng.choice([1.0, rng.uniform(0.4, 1.0)])),
        divider_ink=_clipped(rng.uniform(20, 235) + rng.normal(0, 25, 3)),
        margin_mm=float(rng.choice([0.0, 0.0, rng.uniform(0.8, 4.0)])),
        margin_ink=_clipped(rng.choice([rng.uniform(10, 60), rng.uniform(190, 250)]) + rng.normal(0, 12, 3)),
        rounding_mm=float(rng.uniform(0.0, 6.0)),
        comet=0.0 if rng.random() < 0.35 else float(rng.uniform(1.2, 3.2)),
        comet_at=(float(rng.uniform(5, 9)), float(rng.uniform(6, 11))),
        back=_back_inks(rng),
        back_kind=str(rng.choice(BACKS)),
    )


def _grounds(rng: np.random.Generator, dark: bool) -> tuple[Ink, ...]:
    """One colour for all numbers, or a key of hues: the reference's, another's, or one without order."""
    if rng.random() < 0.4:
        level = rng.uniform(12, 70) if dark else rng.uniform(175, 252)
        tone = _clipped(level + rng.normal(0, 12, 3))
        return (tone,) * len(LABELS)
    first, step = (
        (0.0, 27.0) if rng.random() < 0.4 else (rng.uniform(0, 360), rng.choice([-1, 1]) * rng.uniform(15, 30))
    )
    light = rng.uniform(0.15, 0.32) if dark else rng.uniform(0.6, 0.86)
    strength = rng.uniform(0.25, 0.95)
    order = rng.permutation(len(LABELS)) if rng.random() < 0.3 else np.arange(len(LABELS))
    return tuple(_hls((first + step * int(k)) % 360, light, strength) for k in order)


def _contrasting_ink(dark: bool, rng: np.random.Generator) -> Ink:
    level = rng.uniform(195, 250) if dark else rng.uniform(5, 75)
    if rng.random() < 0.25 and not dark:
        return _hls(float(rng.uniform(0, 360)), float(rng.uniform(0.12, 0.3)), float(rng.uniform(0.3, 0.9)))
    return _clipped(level + rng.normal(0, 10, 3))


def _line(rng: np.random.Generator) -> tuple[float, float, float]:
    return float(rng.uniform(0.6, 2.8)), float(rng.uniform(0.7, 2.6)), float(rng.uniform(-3.0, 3.0))


def _back_inks(rng: np.random.Generator) -> tuple[Ink, Ink]:
    hue, light = float(rng.uniform(0, 360)), float(rng.choice([rng.uniform(0.1, 0.4), rng.uniform(0.4, 0.8)]))
    other = float(np.clip(light + rng.choice([-1, 1]) * rng.uniform(0.15, 0.5), 0.05, 0.95))
    return _hls(hue, light, float(rng.uniform(0, 0.9))), _hls((hue + float(rng.normal(0, 60))) % 360, other, 0.4)


def _hls(hue_deg: float, lightness: float, saturation: float) -> Ink:
    red, green, blue = colorsys.hls_to_rgb(hue_deg / 360, lightness, saturation)
    return 255 * blue, 255 * green, 255 * red


def _ink(colour: str) -> Ink:
    red, green, blue = (float(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return blue, green, red


def _clipped(values: Mask) -> Ink:
    b, g, r = (float(v) for v in np.clip(values, 4, 252))
    return b, g, r


def _house() -> Typeface:
    """The numerals of `companion.games.comet.artwork`."""
    return {label: raster(numeral_bands(label, (0.0, 0.0), 16.0, "#FFFFFF"), 4.5)[:, :, 3] for label in LABELS}


def _stroked(font: int, thickness: int) -> Typeface:
    masks = {}
    for label in LABELS:
        picture = np.zeros((160, 400), np.uint8)
        cv2.putText(picture, label, (40, 120), font, 3.2, 255, thickness, cv2.LINE_AA)
        x, y, w, h = cv2.boundingRect(picture)
        masks[label] = cv2.resize(picture[y : y + h, x : x + w], (max(4, round(w * 72 / h)), 72), None, 0, 0, 3)
    return masks
