"""Draws faces of cards and tiles that may show anything: text, pictures, numbers, pips, patterns, our decks."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Art, Picture

Rng = np.random.Generator
FONTS = (0, 1, 2, 3, 4, 5, 6, 7)
"""OpenCV's Hershey typefaces."""


def colour_of(rng: Rng, is_pale: bool | None = None) -> NDArray[np.float32]:
    """A colour (3,) BGR; pale, dark or, with None, any."""
    hue, saturation = rng.uniform(0, 180), 255 * rng.uniform(0, 1) ** 2
    value = rng.uniform(0, 255) if is_pale is None else rng.uniform(190, 255) if is_pale else rng.uniform(10, 90)
    if is_pale:
        saturation *= 0.25
    bgr = cv2.cvtColor(np.array([[[hue, saturation, value]]], np.uint8), cv2.COLOR_HSV2BGR)
    return np.asarray(bgr[0, 0], np.float32)


def crop_of(rng: Rng, picture: Picture, width: int, height: int) -> Picture:
    """Some part of a picture, at that size."""
    h, w = picture.shape[:2]
    share = rng.uniform(0.15, 1.0)
    cut_w, cut_h = max(4, int(w * share)), max(4, int(min(h, w * share * height / width)))
    x, y = rng.integers(0, w - cut_w + 1), rng.integers(0, h - cut_h + 1)
    cut = np.asarray(
        cv2.resize(picture[y : y + cut_h, x : x + cut_w], (width, height), interpolation=cv2.INTER_AREA), np.uint8
    )
    return np.ascontiguousarray(cut[:, ::-1]) if rng.random() < 0.5 else cut


def _write(rng: Rng, face: Picture, text: str, at: tuple[float, float], high: float, ink: tuple[float, ...]) -> None:
    """Write text, its middle at ``at`` and ``high`` pixels high."""
    font, thick = int(rng.choice(FONTS)), max(1, round(high * rng.uniform(0.05, 0.22)))
    (w, h), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = high / max(h, 1)
    place = (round(at[0] - w * scale / 2), round(at[1] + high / 2))
    cv2.putText(face, text, place, font, scale, ink, thick, cv2.LINE_AA)


def _paste_clip(rng: Rng, face: Picture, clip: Picture, box: tuple[int, int, int, int]) -> None:
    x, y, w, h = box
    small = cv2.resize(clip, (max(2, w), max(2, h)), interpolation=cv2.INTER_AREA)
    x, y = max(0, x), max(0, y)
    part = face[y : y + small.shape[0], x : x + small.shape[1]]
    small = small[: part.shape[0], : part.shape[1]]
    if not part.size:
        return
    alpha = small[..., 3:].astype(np.float32) / 255
    part[:] = (small[..., :3] * alpha + part * (1 - alpha)).astype(np.uint8)


def _blank(rng: Rng, art: Art, face: Picture) -> None:
    """Nothing but the stock, perhaps shaded."""


def _text(rng: Rng, art: Art, face: Picture) -> None:
    h, w = face.shape[:2]
    ink = tuple(colour_of(rng, is_pale=bool(face.mean() < 110)).tolist())
    step = max(4, int(h * rng.uniform(0.04, 0.12)))
    for y in range(int(h * rng.uniform(0.08, 0.4)), int(h * 0.95), step):
        letters = "".join(rng.choice(list("abcdefghijklmnoprstuvw     "), int(rng.integers(4, 24))))
        _write(rng, face, letters, (w / 2, y), step * 0.5, ink)


def _number(rng: Rng, art: Art, face: Picture) -> None:
    h, w = face.shape[:2]
    ink = tuple(colour_of(rng, is_pale=bool(face.mean() < 110)).tolist())
    text = str(rng.integers(0, 100)) if rng.random() < 0.7 else str(rng.choice(list("ABCDEKQJXWZ?!")))
    if rng.random() < 0.4:
        disc = tuple(colour_of(rng).tolist())
        cv2.circle(face, (w // 2, int(h * 0.45)), int(w * rng.uniform(0.2, 0.42)), disc, -1, cv2.LINE_AA)
    _write(rng, face, text, (w / 2, h * rng.uniform(0.3, 0.55)), h * rng.uniform(0.18, 0.45), ink)
    if rng.random() < 0.4:
        for at in ((0.14, 0.12), (0.86, 0.88)):
            _write(rng, face, text, (at[0] * w, at[1] * h), h * 0.09, ink)


def _shape(rng: Rng, face: Picture, kind: int, at: tuple[float, float], radius: float, ink: tuple[float, ...]) -> None:
    thick = -1 if rng.random() < 0.6 else max(1, int(radius * 0.12))
    if kind == 0:
        cv2.circle(face, (round(at[0]), round(at[1])), max(1, round(radius)), ink, thick, cv2.LINE_AA)
        return
    if kind == 1:
        axes = (max(1, round(radius * 1.6)), max(1, round(radius * 0.8)))
        cv2.ellipse(face, (round(at[0]), round(at[1])), axes, 0, 0, 360, ink, thick, cv2.LINE_AA)
        return
    count = int(rng.integers(3, 11))
    angles = np.arange(count) * 2 * np.pi / count + rng.uniform(0, 6.3)
    radii = radius * np.where(np.arange(count) % 2, rng.uniform(0.4, 1), 1.0) * [[rng.uniform(0.8, 1.7)], [1.0]]
    points = np.stack([np.cos(angles), np.sin(angles)]) * radii + np.array(at)[:, None]
    if thick < 0:
        cv2.fillPoly(face, [points.T.round().astype(np.int32)], ink, cv2.LINE_AA)
    else:
        cv2.polylines(face, [points.T.round().astype(np.int32)], True, ink, thick, cv2.LINE_AA)


def _pips(rng: Rng, art: Art, face: Picture) -> None:
    h, w = face.shape[:2]
    ink, kind = tuple(colour_of(rng).tolist()), int(rng.integers(0, 4))
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    clip = art.clips[int(rng.integers(len(art.clips)))] if rng.random() < 0.4 else None
    radius = 0.33 * min(w / (columns + 0.3), h / (rows + 0.3))
    for y in (np.arange(rows) + 0.5) / rows:
        for x in (np.arange(columns) + 0.5) / columns:
            at = (w * (0.1 + 0.8 * x), h * (0.1 + 0.8 * y))
            if clip is None:
                _shape(rng, face, kind, at, radius, ink)
            else:
                side = round(2 * radius)
                _paste_clip(rng, face, clip, (round(at[0] - radius), round(at[1] - radius), side, side))


def _picture(rng: Rng, art: Art, face: Picture) -> None:
    """A picture over the face, or within a frame."""
    h, w = face.shape[:2]
    margin = 0 if rng.random() < 0.4 else round(w * rng.uniform(0.02, 0.14))
    bottom = margin if rng.random() < 0.6 else round(h * rng.uniform(0.2, 0.5))
    box = (max(3, w - 2 * margin), max(3, h - margin - bottom))
    face[margin : margin + box[1], margin : margin + box[0]] = crop_of(
        rng, art.pictures[int(rng.integers(len(art.pictures)))], *box
    )
    if bottom > margin:
        area = face[h - bottom + margin // 2 : h - margin, margin : w - margin]
        if min(area.shape[:2]) > 8:
            paper = np.full(area.shape, colour_of(rng, is_pale=True), np.uint8)
            _text(rng, art, paper)
            area[:] = paper


def _clip(rng: Rng, art: Art, face: Picture) -> None:
    h, w = face.shape[:2]
    for _ in range(int(rng.integers(1, 5))):
        side = round(w * rng.uniform(0.3, 0.9))
        place = (int(rng.uniform(0, w - side * 0.8)), int(rng.uniform(0, max(1, h - side))), side, side)
        _paste_clip(rng, face, art.clips[int(rng.integers(len(art.clips)))], place)


def _pattern(rng: Rng, art: Art, face: Picture) -> None:
    """A back: lines, checks or dots all over it."""
    h, w = face.shape[:2]
    y, x = np.mgrid[:h, :w].astype(np.float32)
    angle, period = rng.uniform(0, np.pi), w * rng.uniform(0.05, 0.3)
    u = np.sin((x * np.cos(angle) + y * np.sin(angle)) * 2 * np.pi / period)
    v = np.sin((y * np.cos(angle) - x * np.sin(angle)) * 2 * np.pi / period)
    mask = (u > rng.uniform(-0.5, 0.5), u * v > 0, u + v > 0.5)[int(rng.integers(3))]
    margin = round(w * rng.uniform(0, 0.12))
    inner = np.zeros((h, w), bool)
    inner[margin : h - margin, margin : w - margin] = True
    face[mask & inner] = colour_of(rng)
    face[~mask & inner] = colour_of(rng)


def bands(rng: Rng, art: Art, face: Picture) -> None:
    """Sections of colours side by side, a number in each, perhaps with lines between them."""
    h, w = face.shape[:2]
    count, is_down = int(rng.integers(2, 5)), rng.random() < 0.55
    line, ink = tuple(colour_of(rng).tolist()), tuple(colour_of(rng).tolist())
    has_lines, has_colours = rng.random() < 0.6, rng.random() < 0.5
    for k in range(count):
        low, high = (np.array([k, k + 1]) / count * (h if is_down else w)).round().astype(int)
        band = face[low:high] if is_down else face[:, low:high]
        if has_colours:
            band[:] = colour_of(rng, is_pale=bool(rng.random() < 0.5))
        middle = (low + high) / 2
        at = (w / 2, middle) if is_down else (middle, h / 2)
        _write(rng, face, str(rng.integers(2, 14)), at, min(w, h) / count * rng.uniform(0.3, 0.8), ink)
        if has_lines and k:
            begin, end = ((0, int(low)), (w, int(low))) if is_down else ((int(low), 0), (int(low), h))
            cv2.line(face, begin, end, line, max(1, round(0.01 * w)), cv2.LINE_AA)


def _printed(rng: Rng, art: Art, face: Picture) -> None:
    """A playing card, or one of ours."""
    card = art.cards[int(rng.integers(len(art.cards)))]
    h, w = face.shape[:2]
    if (card.shape[0] > card.shape[1]) != (h > w):
        card = np.ascontiguousarray(card.transpose(1, 0, 2))
    face[:] = cv2.resize(card, (w, h), interpolation=cv2.INTER_AREA)


def _hexagon(rng: Rng, art: Art, face: Picture) -> None:
    card = art.hexagons[int(rng.integers(len(art.hexagons)))]
    face[:] = cv2.resize(card, face.shape[1::-1], interpolation=cv2.INTER_AREA)


def edges(rng: Rng, art: Art, face: Picture) -> None:
    """Something at each edge of a hexagon: a painted band, a shape, a letter or a clip, of a few kinds."""
    middle, apothem = np.array(face.shape[1::-1]) / 2, face.shape[0] / 2
    kinds = [int(k) for k in rng.integers(0, 3, 6)]
    inks = [tuple(colour_of(rng).tolist()) for _ in range(3)]
    if rng.random() < 0.25:
        inks = inks[:1] * 3
    what, at, size = int(rng.integers(0, 4)), rng.uniform(0.6, 0.78), rng.uniform(0.1, 0.24)
    ends, reach = (1 - rng.uniform(0, 0.12), 1 - rng.uniform(0.15, 0.5)), rng.uniform(0.85, 1.0)
    shapes, letters = rng.integers(0, 4, 3), rng.permutation(list("ABEGHKMRSTXZ"))
    clips = [art.clips[int(k)] for k in rng.integers(0, len(art.clips), 3)]
    for kind, angle in zip(kinds, np.radians(30 + 60 * np.arange(6)), strict=True):
        out = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-out[1], out[0]]) / np.sqrt(3) * reach
        x, y = middle + at * apothem * out
        if what == 0:
            band = [(ends[0], -1), (ends[0], 1), (ends[1], 1), (ends[1], -1)]
            points = np.array([middle + apothem * share * (out + side * across) for share, side in band])
            cv2.fillPoly(face, [points.round().astype(np.int32)], inks[kind], cv2.LINE_AA)
        elif what == 1:
            _shape(rng, face, int(shapes[kind]), (x, y), size * apothem, inks[kind])
        elif what == 2:
            _write(rng, face, str(letters[kind]), (x, y), 2 * size * apothem, inks[kind])
        else:
            half = size * apothem
            _paste_clip(rng, face, clips[kind], (round(x - half), round(y - half), round(2 * half), round(2 * half)))


def paths(rng: Rng, art: Art, face: Picture) -> None:
    """Bands that join the middles of a hexagon's edges, and ends that stop on the way."""
    middle, apothem = np.array(face.shape[1::-1]) / 2, face.shape[0] / 2
    ink, line = tuple(colour_of(rng).tolist()), tuple(colour_of(rng).tolist())
    wide = max(2, round(apothem * rng.uniform(0.12, 0.4)))
    angles = np.radians(30 + 60 * rng.permutation(6))
    ends = [middle + apothem * np.array([np.cos(a), np.sin(a)]) for a in angles]
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        bow = middle + rng.uniform(0, 0.5) * ((first + last) / 2 - middle)
        t = np.linspace(0, 1 if rng.random() < 0.7 else 0.45, 14)[:, None]
        points = ((1 - t) ** 2 * first + 2 * t * (1 - t) * bow + t**2 * last).round().astype(np.int32)
        for width, colour in ((round(1.3 * wide), line), (wide, ink)):
            cv2.polylines(face, [points], False, colour, width, cv2.LINE_AA)


Draw = Callable[[Rng, Art, Picture], None]
_RECTANGLES: tuple[tuple[Draw, float], ...] = (
    (_blank, 0.08), (_text, 0.07), (_number, 0.18), (_pips, 0.14), (_picture, 0.14), (_clip, 0.05), (_pattern, 0.08),
    (_printed, 0.14), (bands, 0.16),
)  # fmt: skip
_HEXAGONS: tuple[tuple[Draw, float], ...] = (
    (_blank, 0.08), (_number, 0.12), (_pips, 0.06), (_picture, 0.2), (_clip, 0.06), (_pattern, 0.06), (_hexagon, 0.1),
    (edges, 0.24), (paths, 0.08),
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """What the cards of one deck have in common.

    Attributes:
        draws: what may be printed on them.
        stock: colours of the paper, one of which a card has.
        rounding: radius of the corners over the shorter side.
        frame: width of a printed frame over the shorter side, 0 for none.
        frame_colour: of that frame.
        is_hexagon: six sides, not four.
        rims: lines printed along the edge, each by its distance from it and its width over the shorter side.
    """

    draws: tuple[Draw, ...]
    stock: tuple[NDArray[np.float32], ...]
    rounding: float
    frame: float
    frame_colour: NDArray[np.float32]
    is_hexagon: bool
    rims: tuple[tuple[float, float], ...] = ()

    @staticmethod
    def any(rng: Rng, is_hexagon: bool) -> "Style":
        """Some deck's look."""
        kinds, weights = zip(*(_HEXAGONS if is_hexagon else _RECTANGLES), strict=True)
        chosen = rng.choice(len(kinds), int(rng.integers(1, 3)), p=np.array(weights) / sum(weights))
        is_pale = [True, True, None, False][int(rng.integers(4))]
        stock = tuple(colour_of(rng, is_pale) for _ in range(1 if rng.random() < 0.6 else 4))
        rounding = 0.0 if rng.random() < (0.7 if is_hexagon else 0.35) else rng.uniform(0.02, 0.14)
        frame = 0.0 if rng.random() < 0.6 else rng.uniform(0.02, 0.1)
        rims = tuple(
            (float(rng.uniform(0.015, 0.13)), float(rng.uniform(0.006, 0.03)))
            for _ in range(0 if rng.random() < 0.55 else int(rng.integers(1, 3)))
        )
        return Style(tuple(kinds[i] for i in chosen), stock, rounding, frame, colour_of(rng), is_hexagon, rims)

    def like(self, colour: NDArray[np.floating], rng: Rng) -> "Style":
        """The same deck on paper of about a colour (3,), that of the table it lies on."""
        stock = np.clip(colour * (1 + rng.normal(0, 0.2)) + rng.normal(0, 10, 3), 3, 250)
        return replace(self, stock=(np.asarray(stock, np.float32),))

    def face(self, rng: Rng, art: Art, width: int, height: int) -> Picture:
        """A card's face (height, width, 4) BGRA, transparent outside its outline.

        The outline is the whole picture, or the hexagon that fills it with a corner on the right.
        """
        face = np.empty((height, width, 3), np.uint8)
        face[:] = self.stock[rng.integers(len(self.stock))]
        self.draws[rng.integers(len(self.draws))](rng, art, face)
        mask = self._mask(width, height, self.rounding)
        if self.frame:
            inner = cv2.erode(
                mask, np.ones((3, 3), np.uint8), iterations=max(1, round(self.frame * min(width, height)))
            )
            face[inner < 128] = self.frame_colour
        for inset, wide in self.rims:
            outer, inner = (
                cv2.erode(mask, np.ones((3, 3), np.uint8), iterations=max(1, round(share * min(width, height))))
                for share in (inset, inset + wide)
            )
            face[(outer > 127) & (inner < 128)] = 255 - self.frame_colour if self.frame else self.frame_colour
        return np.dstack([face, mask])

    def _mask(self, width: int, height: int, rounding: float) -> Picture:
        mask = np.zeros((height, width), np.uint8)
        if self.is_hexagon:
            turns = np.radians(np.arange(6) * 60.0)
            corners = np.stack(
                [width / 2 * (1 + np.cos(turns)), height / 2 * (1 + np.sin(turns) / np.sin(np.pi / 3))], 1
            )
        else:
            corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
        radius = rounding * min(width, height)
        if radius < 1:
            cv2.fillConvexPoly(mask, ((corners - 0.5) * 16).round().astype(np.int32), 255, cv2.LINE_AA, 4)
            return mask
        centre = corners.mean(0)
        inset = radius / (np.cos(np.pi / 6) if self.is_hexagon else 1.0)
        along = corners - centre
        if self.is_hexagon:
            along *= 1 - inset / np.linalg.norm(along, axis=1, keepdims=True)
        else:
            along -= np.sign(along) * inset
        inner = (((along + centre) - 0.5) * 16).round().astype(np.int32)
        cv2.fillConvexPoly(mask, inner, 255, cv2.LINE_AA, 4)
        cv2.polylines(mask, [inner], True, 255, max(1, round(2 * radius)), cv2.LINE_AA, 4)
        return mask
