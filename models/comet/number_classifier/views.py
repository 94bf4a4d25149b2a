"""Drawn views of single numbers on cards of any printing, as `companion.games.comet.vision.places` cuts them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import NUMERAL_PX, VIEW_HIGH, VIEW_WIDE
from models.typefaces import LABELS, Typeface

Floats = NDArray[Any]
FINER = 2
NONE = len(LABELS)
UNKNOWN = -1
"""The label of a number that stands upside down, far aside, or half hidden: which one is not asked for."""
_FAR_ASIDE = 0.4
"""So many views are far off."""
_OVERLAID = 0.14
"""On so many lies another card, or close by."""
_NAMED_ASIDE, _NAMED_LOG = 0.33, 0.3
"""A number is named that stands no farther aside, in its heights, and whose height is off by no more as a logarithm."""
_LEAST_SPREAD = 3.0
"""Of 255: a view whose middle varies by less shows no number."""
_SIZE = (VIEW_WIDE * FINER, VIEW_HIGH * FINER)
_MIDDLE = np.array(_SIZE) / 2


@dataclass(frozen=True, slots=True, eq=False)
class NumberView:
    """A drawn view of one number.

    Attributes:
        pixels: (VIEW_HIGH, VIEW_WIDE, 3).
        label: the number's class, `NONE`, or `UNKNOWN`: which one is not asked for.
        is_upright: whether it stands upright.
        pose: of the numeral (4,): how far to the right and down of the view's middle in its usual heights, the
            logarithm of its height in those, and its turn in radians, clockwise.
    """

    pixels: NDArray[np.uint8]
    label: int
    is_upright: bool
    pose: NDArray[np.float32]


def draw_view(rng: np.random.Generator, typefaces: Sequence[Typeface]) -> NumberView:
    """One view."""
    face = typefaces[int(rng.integers(len(typefaces)))]
    label = int(rng.integers(NONE)) if rng.random() < 0.86 else NONE
    ground, ink = _two_inks(rng)
    sheet = np.empty((_SIZE[1], _SIZE[0], 3), np.float32)
    sheet[:] = ground
    _surround(sheet, ground, rng)
    numerals = _Numerals(face, rng)
    room, printed = numerals.print(sheet, label, ink) if label != NONE else (8.0 * FINER, np.zeros(sheet.shape[:2]))
    _neighbours(sheet, numerals, room, ink, rng)
    if rng.random() < _OVERLAID:
        label = _overlaid(sheet, label, printed, numerals, (ground, ink), rng)
    sheet, pose = _seen(sheet, numerals.high, rng)
    if label != NONE and (np.abs(pose[:2]).max() > _NAMED_ASIDE or abs(pose[2]) > _NAMED_LOG):
        label = UNKNOWN
    if label not in (NONE, UNKNOWN) and rng.random() < 0.06:
        label = _covered(sheet, label, rng)
    is_upright = bool(rng.random() < 0.7)
    if not is_upright:
        sheet, pose[:2] = sheet[::-1, ::-1], -pose[:2]
    view = _photographed(sheet, rng)
    if float(view[8:-8, 12:-12].std()) < _LEAST_SPREAD:
        label = NONE
    return NumberView(view, label if is_upright or label == NONE else UNKNOWN, is_upright, pose)


class _Numerals:
    """One deck's numerals: their typeface, height and width."""

    def __init__(self, face: Typeface, rng: np.random.Generator) -> None:
        self.face = face
        self.high = NUMERAL_PX * FINER * float(rng.uniform(0.84, 1.18))
        self.stretch = float(rng.uniform(0.8, 1.2))
        self.most = NUMERAL_PX * FINER * float(rng.uniform(1.1, 1.6))
        self.line = (float(rng.uniform(0.06, 0.16)), float(rng.uniform(0.06, 0.13))) if rng.random() < 0.6 else None

    def print(self, sheet: Floats, label: int, ink: Floats, at: Floats | None = None) -> tuple[float, Floats]:
        """Print a number with its middle at a point of the sheet; its width, and how much ink is where, 0..1."""
        mask = self.face[LABELS[label]]
        wide = min(self.high * mask.shape[1] / mask.shape[0] * self.stretch, self.most)
        small = cv2.resize(mask, (max(2, round(wide)), round(self.high)), interpolation=cv2.INTER_AREA) / 255.0
        h, w = small.shape
        middle = _MIDDLE if at is None else at
        move = np.array([[1, 0, middle[0] - w / 2], [0, 1, middle[1] - h / 2]], np.float32)
        alpha = cv2.warpAffine(small.astype(np.float32), move, _SIZE)
        if self.line is not None and LABELS[label] in ("6", "9"):
            gap, thick = self.line
            top = middle[1] + h / 2 + gap * h
            low, high = (round(float(v)) for v in (middle[0] - w / 2, middle[0] + w / 2))
            cv2.rectangle(alpha, (low, round(float(top))), (high, round(float(top + thick * h))), 1.0, -1)
        sheet += alpha[..., None] * (ink - sheet)
        return float(wide), alpha


def _two_inks(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A ground and an ink that differs from it enough to be read."""
    while True:
        ground = rng.uniform(8, 250) + rng.normal(0, 25, 3)
        ink = rng.uniform(5, 252) + rng.normal(0, 25, 3)
        if abs(float((ground - ink) @ [0.114, 0.587, 0.299])) > 45:
            return np.clip(ground, 2, 253).astype(np.float32), np.clip(ink, 2, 253).astype(np.float32)


def _colour(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(float(v) for v in np.clip(rng.uniform(5, 250) + rng.normal(0, 30, 3), 2, 253))


def _surround(sheet: Floats, ground: Floats, rng: np.random.Generator) -> None:
    """What is printed around the number: a form that it stands on, lines, figures, and the card's rim."""
    h, w = sheet.shape[:2]
    one = NUMERAL_PX * FINER
    kind = rng.random()
    if kind < 0.4:
        sheet[:] = _colour(rng)
        reach = one * float(rng.uniform(0.78, 1.1))
        n = int(rng.choice([4, 4, 6, 8, 24]))
        turn = float(rng.choice([0.0, np.pi / n]))
        angles = turn + np.arange(n) * 2 * np.pi / n
        if n == 4 and turn:
            reach *= 1.3
        points = _MIDDLE + rng.normal(0, 0.03, 2) * one + reach * np.stack([np.cos(angles), np.sin(angles)], 1)
        cv2.fillPoly(sheet, [np.round(points * 16).astype(np.int32)], ground.tolist(), cv2.LINE_AA, 4)
        if rng.random() < 0.3:
            outline = [np.round(points * 16).astype(np.int32)]
            cv2.polylines(sheet, outline, True, _colour(rng), int(rng.integers(1, 5)), cv2.LINE_AA, 4)
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        at = float(rng.uniform(1.05, 1.5)) * one * float(rng.choice([-1, 1]))
        across = rng.random() < 0.6
        slant = float(rng.normal(0, 2))
        low = h / 2 + at * 0.72
        ends = [(w / 2 + at, 0), (w / 2 + at + slant, h)] if across else [(0, low), (w, low)]
        begin, end = ([round(v) for v in place] for place in ends)
        cv2.line(sheet, begin, end, _colour(rng), int(rng.integers(1, 6)))
    if rng.random() < 0.3:
        _beyond(sheet, one, rng)


def _beyond(sheet: Floats, one: float, rng: np.random.Generator) -> None:
    """The card ends on one or two sides; beyond are the table or another card."""
    h, w = sheet.shape[:2]
    noise = rng.uniform(0, 255, (int(rng.integers(2, 9)), int(rng.integers(2, 9)), 3)).astype(np.float32)
    table = cv2.resize(noise, (w, h), interpolation=int(rng.choice([cv2.INTER_NEAREST, cv2.INTER_LINEAR])))
    table = np.array(_colour(rng), np.float32) + (table - 128) * float(rng.uniform(0, 0.7))
    sides = [bool(rng.random() < 0.5), bool(rng.random() < 0.5)]
    mask = np.zeros((h, w), bool)
    if sides[0]:
        edge = round(w / 2 + float(rng.uniform(0.85, 1.4)) * one)
        mask[:, edge:] = True
    if sides[1]:
        edge = round(h / 2 + float(rng.uniform(0.62, 0.95)) * one)
        mask[edge:] = True
    if rng.random() < 0.5:
        mask = mask[:, ::-1]
    if rng.random() < 0.5:
        mask = mask[::-1]
    sheet[mask] = np.clip(table, 0, 255)[mask]


def _neighbours(sheet: Floats, numerals: _Numerals, room: float, ink: Floats, rng: np.random.Generator) -> None:
    """Other numbers of the card above and below, or to both sides."""
    way = rng.random()
    if way < 0.45:
        step = numerals.high * float(rng.uniform(1.22, 1.9))
        for sign in (-1, 1):
            if rng.random() < 0.7:
                at = _MIDDLE + np.array([rng.normal(0, 1), sign * step])
                numerals.print(sheet, int(rng.integers(NONE)), ink, at.astype(np.float32))
    elif way < 0.7:
        for sign in (-1, 1):
            if rng.random() < 0.7:
                label = int(rng.integers(NONE))
                mask = numerals.face[LABELS[label]]
                wide = min(numerals.high * mask.shape[1] / mask.shape[0] * numerals.stretch, numerals.most)
                step = (room + wide) / 2 + numerals.high * float(rng.uniform(0.25, 0.8))
                numerals.print(sheet, label, ink, (_MIDDLE + np.array([sign * step, 0])).astype(np.float32))


def _overlaid(
    sheet: Floats,
    label: int,
    printed: Floats,
    numerals: _Numerals,
    inks: tuple[Floats, Floats],
    rng: np.random.Generator,
) -> int:
    """Another card lies on the number, mostly of the same deck; its label by how much of it is hidden."""
    h, w = sheet.shape[:2]
    angle = float(rng.choice([0.0, 0.5, 1.0, 1.5]) * np.pi + rng.normal(0, 0.25))
    x, y = np.meshgrid(np.arange(w) - _MIDDLE[0], np.arange(h) - _MIDDLE[1])
    beyond = x * np.cos(angle) + y * np.sin(angle) - float(rng.uniform(-0.8, 1.1)) * numerals.high
    ground, ink = inks
    card = np.empty_like(sheet)
    card[:] = ground if rng.random() < 0.6 else _colour(rng)
    if rng.random() < 0.5:
        at = _MIDDLE + np.array([np.cos(angle), np.sin(angle)]) * numerals.high * float(rng.uniform(0.6, 1.4))
        numerals.print(card, int(rng.integers(NONE)), ink, at.astype(np.float32))
    if rng.random() < 0.5:
        card[np.abs(beyond - float(rng.uniform(0, 6))) < float(rng.uniform(0.5, 3))] = _colour(rng)
    if rng.random() < 0.6:  # its shadow
        shade = float(rng.uniform(0.1, 0.5)) * np.exp(np.minimum(0, beyond) / float(rng.uniform(1, 6)))
        sheet *= (1 - shade)[..., None]
    is_hidden = beyond > 0
    sheet[is_hidden] = card[is_hidden]
    if label == NONE:
        return NONE
    hidden = float(printed[is_hidden].sum() / printed.sum())
    return label if hidden < 0.12 else NONE if hidden > 0.35 else UNKNOWN


def _seen(sheet: Floats, high: float, rng: np.random.Generator) -> tuple[Floats, NDArray[np.float32]]:
    """The sheet in the camera's frame, a little aside, turned and aslant, or farther: (VIEW_HIGH, VIEW_WIDE, 3).

    And the pose of a numeral in its middle that is so high on the sheet, see `NumberView`.
    """
    aside, turn = rng.normal(0, 0.085, 2), np.eye(2) + rng.normal(0, 0.05, (2, 2))
    if rng.random() < _FAR_ASIDE:
        aside, angle = rng.uniform(-1, 1, 2) * [0.6, 0.5], float(rng.normal(0, 0.12))
        cos, sin = np.cos(angle), np.sin(angle)
        turn = turn @ np.array([[cos, -sin], [sin, cos]]) * float(np.exp(rng.uniform(-0.25, 0.25)))
    view_from_sheet = np.zeros((2, 3))
    view_from_sheet[:, :2] = turn / FINER
    view_from_sheet[:, 2] = (np.array([VIEW_WIDE, VIEW_HIGH]) - 1) / 2 + aside * NUMERAL_PX
    view_from_sheet[:, 2] -= turn / FINER @ (_MIDDLE - 0.5)
    smooth = cv2.GaussianBlur(sheet, (0, 0), 0.8)
    size = (VIEW_WIDE, VIEW_HIGH)
    seen = cv2.warpAffine(smooth, view_from_sheet, size, borderMode=cv2.BORDER_REPLICATE)
    scale = np.log(np.sqrt(np.linalg.det(turn)) * high / FINER / NUMERAL_PX)
    angle = np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.asarray(seen, np.float32), np.array([*aside, scale, angle], np.float32)


def _covered(sheet: Floats, label: int, rng: np.random.Generator) -> int:
    """Something lies on the view; what it mostly hides is no number."""
    mask = np.zeros(sheet.shape[:2], np.uint8)
    at = (rng.uniform(0, 1, 2) * [VIEW_WIDE, VIEW_HIGH]).astype(int).tolist()
    end = (rng.uniform(-0.5, 1.5, 2) * [VIEW_WIDE, VIEW_HIGH]).astype(int).tolist()
    cv2.line(mask, at, end, 1, int(rng.integers(5, 30)))
    sheet[mask > 0] = _colour(rng)
    hidden = float(mask[8:-8, 15:-15].mean())
    return NONE if hidden > 0.45 else label if hidden < 0.08 else UNKNOWN


def _photographed(sheet: Floats, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Light and the camera's faults: far away, out of focus, shaken, veiled, noisy."""
    view: Floats = np.ascontiguousarray(sheet)
    if rng.random() < 0.6:
        share = float(np.exp(rng.uniform(np.log(0.36), 0)))
        size = (max(8, round(VIEW_WIDE * share)), max(6, round(VIEW_HIGH * share)))
        view = cv2.resize(view, size, interpolation=cv2.INTER_AREA)
        view = view + rng.standard_normal(view.shape, np.float32) * float(rng.uniform(0, 6))
        if rng.random() < 0.3:
            quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))]
            packed = cv2.imencode(".jpg", np.clip(view, 0, 255).astype(np.uint8), quality)[1]
            view = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.float32)
        view = cv2.resize(view, (VIEW_WIDE, VIEW_HIGH), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.5:
        view = cv2.GaussianBlur(view, (0, 0), float(rng.uniform(0.3, 1.7)))
    if rng.random() < 0.2:
        n = int(rng.choice([3, 5]))
        kernel, a = np.zeros((n, n), np.float32), float(rng.uniform(0, np.pi))
        away = np.array([np.cos(a), np.sin(a)]) * (n - 1) / 2
        ends = [np.round((n - 1) / 2 + s * away).astype(int).tolist() for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)
        view = cv2.filter2D(view, -1, kernel / kernel.sum())
    gain = np.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.08, 3))
    view = view * gain.astype(np.float32) * float(rng.uniform(0.4, 1.0))
    view = view + float(rng.choice([0.0, rng.uniform(0, 120)]))
    if rng.random() < 0.2:
        at, a = rng.uniform(0, 1, 2) * [VIEW_WIDE, VIEW_HIGH], rng.uniform(0, 2 * np.pi)
        x, y = np.meshgrid(np.arange(VIEW_WIDE), np.arange(VIEW_HIGH))
        edge = ((x - at[0]) * np.cos(a) + (y - at[1]) * np.sin(a)) / float(rng.uniform(0.5, 6))
        view = view * (1 - float(rng.uniform(0.2, 0.65)) / (1 + np.exp(-np.clip(edge, -9, 9))))[..., None]
    view = view + rng.standard_normal(view.shape, np.float32) * float(rng.uniform(0, 7))
    return np.asarray(np.clip(view, 0, 255), np.uint8)
