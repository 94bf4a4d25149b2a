"""The picture that a move was read from, as it is kept: as the camera saw it, what was recognised in its comment.

Nothing is drawn on it, so that it can be read again; the comment (a segment that every JPEG file may hold, ITU-T T.81,
B.2.4.5) travels with it under one hash. What was recognised is drawn when somebody looks; nothing else draws on
pictures.
"""

import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.limits import read_json
from companion.vision.calibration.drift import ZoneOf
from companion.vision.image.codec import decode_picture, encode_picture
from companion.vision.results import DetectedCard, Outlined, edge_places

_WIDTH_PX = 2304
"""As wide as the widest camera's usual picture; wider ones are made smaller."""
_NAME = b"companion 2 "  # and the form of what follows
_START, _COMMENT, _SCAN, _APPLICATION = 0xD8, 0xFE, 0xDA, 0xE0
_MOST_BYTES = 65_000
"""Of a comment: a segment holds 65,533."""
_FACE = re.compile(r"\+[0-5]|[^+].{0,39}|")
"""What was read on a part of a card: the edge that it is joined with, that many on, or a symbol."""
_LARGEST_PX = 65_535
_MARK = {
    "red": (60, 60, 235),
    "blue": (235, 140, 40),
    "void": (40, 40, 40),
    "yellow": (30, 200, 240),
    "purple": (170, 60, 140),
    None: (255, 0, 255),
}
_SHOWN_PX, _CLOSE_PX = 1280, 480
"""How wide a picture is shown, and the longer side of the part that a move is about."""
_AROUND = 0.15
"""How much more than its cards that part shows to each side, as a share of their longer extent."""
_JPEG_QUALITY = 80
_READ, _DOUBT = (0, 200, 0), (0, 160, 255)
"""Colours (BGR) of the outlines of cards that were read whole, and of others."""
_FONT, _LINE_PX, _LETTERS = cv2.FONT_HERSHEY_SIMPLEX, 40, 14
"""A line's height at size 1, and how many letters stand in one."""
_FILLED, _LEAST_SIZE, _MOST_SIZE = 0.6, 0.3, 1.2
"""The share of a card that words fill, and the smallest and largest size of their letters."""
_PLACE = re.compile(r" at \d+,\d+|^ *\(-?\d+, -?\d+\)")
"""Where a card lies, which its outline shows already."""
_PAPER, _INK, _JOINED = (255, 255, 255), (20, 20, 20), (0, 140, 255)
"""Colours (BGR) of what words are written on, of the words, and of lines from card to card."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """One card as it was recognised.

    Attributes:
        corners: (N, 2) pixels of the kept picture, clockwise as seen.
        face: what was read on it, None where unsure.
        east: which of its own edges looks in direction 0.
        is_new: whether the move is about it.
        zone: in which zone of the table it lay; None outside all, and where nobody had said where those are.
    """

    corners: NDArray[np.float32]
    face: tuple[str | None, ...]
    east: int
    is_new: bool
    zone: str | None


def evidence_picture(
    bgr: NDArray[np.uint8],
    cards: Sequence[DetectedCard],
    new_cards: Sequence[DetectedCard],
    zone_of: ZoneOf | None = None,
) -> bytes:
    """A picture as a JPEG file's bytes, with the cards recognised in its comment.

    Args:
        bgr: uint8 (h, w, 3); not written to.
        cards: all cards known.
        new_cards: those that the move is about.
        zone_of: the zone that a pixel shows.
    """
    picture, scale = _shrunk(bgr, _WIDTH_PX / bgr.shape[1])
    zone_of = zone_of or (lambda _: None)
    new = [_summary(card, scale, True, zone_of) for card in new_cards]
    known = [_summary(card, scale, False, zone_of) for card in cards if not any(card is one for one in new_cards)]
    return _with_comment(encode_picture(picture), _comment(new, known))


def marks_of(jpeg: bytes) -> tuple[Mark, ...] | None:
    """What was recognised on a kept picture, the new cards first; None when it carries no comment of this house.

    A comment with other things in it, as a picture from elsewhere may carry, is none either.
    """
    text = next((body for body in _comments(jpeg) if body.startswith(_NAME)), None)
    if text is None:
        return None
    try:
        marks = tuple(
            Mark(np.array(corners, np.float32).reshape(-1, 2), tuple(face), east, is_new, zone)
            for corners, face, east, is_new, zone in read_json(text[len(_NAME) :])
        )
    except (ValueError, TypeError):
        return None
    return marks if all(map(_is_whole, marks)) else None


def _is_whole(mark: Mark) -> bool:
    """Whether a mark has all that is drawn of it, on a picture as large as a JPEG can be."""
    is_faced = all(part is None or (isinstance(part, str) and _FACE.fullmatch(part)) for part in mark.face)
    is_placed = len(mark.corners) > 2 and bool((np.abs(mark.corners) <= _LARGEST_PX).all())
    are_kinds = type(mark.east) is int and isinstance(mark.is_new, bool) and isinstance(mark.zone, str | None)
    return is_faced and is_placed and are_kinds


def _shrunk(bgr: NDArray[np.uint8], factor: float) -> tuple[NDArray[np.uint8], float]:
    """The picture made smaller by a factor, and that factor; as it is where it would grow."""
    scale = min(1.0, factor)
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else bgr
    return np.asarray(small, np.uint8), scale


def _summary(card: DetectedCard, scale: float, is_new: bool, zone_of: ZoneOf) -> list[Any]:
    corners = np.round(card.corners.astype(float) * scale, 1).tolist()
    return [corners, list(card.edges), card.east, is_new, zone_of(card.centre)]


def _comment(new: list[Any], known: list[Any]) -> bytes:
    """The new and the known cards, or the new ones alone where a segment does not hold both."""
    for cards in ([*new, *known], new):
        text = _NAME + json.dumps(cards, separators=(",", ":")).encode()
        if len(text) <= _MOST_BYTES:
            return text
    return _NAME + b"[]"


def _with_comment(jpeg: bytes, text: bytes) -> bytes:
    """The comment goes after the first segment, which readers expect to name the format."""
    at = 2
    if jpeg[2:4] == bytes((0xFF, _APPLICATION)):
        at += 2 + int.from_bytes(jpeg[4:6], "big")
    segment = bytes((0xFF, _COMMENT)) + (len(text) + 2).to_bytes(2, "big") + text
    return jpeg[:at] + segment + jpeg[at:]


def _comments(jpeg: bytes) -> list[bytes]:
    """The bodies of all comments before the picture's data."""
    found: list[bytes] = []
    at = 2 if jpeg[:2] == bytes((0xFF, _START)) else len(jpeg)
    while at + 4 <= len(jpeg) and jpeg[at] == 0xFF and jpeg[at + 1] != _SCAN:
        size = int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if jpeg[at + 1] == _COMMENT:
            found.append(jpeg[at + 4 : at + 2 + size])
        at += 2 + max(size, 2)
    return found


def draw_marks(jpeg: bytes, close: bool = False) -> bytes:
    """A kept picture for people to look at: the known cards outlined thinly, the news boldly with what was read.

    A picture that carries no marks, such as one from a version that painted them on, is given back as it is.

    Args:
        jpeg: as `evidence.evidence_picture` made it.
        close: only the new cards and a little around them, with nothing drawn on it.
    """
    marks, bgr = marks_of(jpeg), decode_picture(jpeg)
    if marks is None or bgr is None:
        return jpeg
    if close:
        return encode_picture(_closely(bgr, marks), _JPEG_QUALITY)
    picture, scale = _shrunk(bgr, _SHOWN_PX / bgr.shape[1])
    for mark in sorted(marks, key=lambda mark: mark.is_new):
        _draw(picture, mark, mark.corners * scale)
    return encode_picture(picture, _JPEG_QUALITY)


class Readable(Outlined, Protocol):
    """A card as a reading lists it."""

    def line(self) -> str:
        """The card for people; a ``?`` for what could not be read."""


def draw_labels(bgr: NDArray[np.uint8], cards: Sequence[Readable]) -> bytes:
    """A picture as a JPEG file's bytes, each card of a reading outlined, amber where something is unsure, and named.

    Args:
        bgr: uint8 (h, w, 3); not written to.
    """
    picture = bgr.copy()
    for card in cards:
        text = card.line()
        _outline(picture, card.corners, _DOUBT if "?" in text else _READ, max(2, round(bgr.shape[1] / 640)))
    for card in cards:
        _write_lines(picture, _wrapped(card.line()), card.corners)
    return encode_picture(picture, _JPEG_QUALITY)


def _wrapped(text: str) -> list[str]:
    """A card's line in short ones: a row of a case each, else some words each."""
    rows = [" ".join(row.split()) for row in _PLACE.sub("", text).split("|")]
    return rows if len(rows) > 1 else textwrap.wrap(rows[0], _LETTERS, break_long_words=False)


def _write_lines(picture: NDArray[np.uint8], lines: Sequence[str], corners: NDArray[np.floating]) -> None:
    """Lines on the middle of a card, as large as fills most of its box and no smaller than can be read."""
    across, down = np.ptp(corners, 0) * _FILLED
    widest = max(cv2.getTextSize(line, _FONT, 1.0, 2)[0][0] for line in lines)
    size = float(np.clip(min(across / widest, down / (len(lines) * _LINE_PX)), _LEAST_SIZE, _MOST_SIZE))
    strokes, step = max(1, round(2 * size)), size * _LINE_PX
    top = corners.mean(0)[1] - step * (len(lines) - 1) / 2
    for row, line in enumerate(lines):
        _write(picture, line, (float(corners.mean(0)[0]), top + row * step), size, strokes)


def _closely(bgr: NDArray[np.uint8], marks: Sequence[Mark]) -> NDArray[np.uint8]:
    """The piece of the picture with the new cards on it; the whole one where nothing is new."""
    corners = [mark.corners for mark in marks if mark.is_new]
    if not corners:
        return bgr
    points = np.concatenate(corners)
    margin = _AROUND * float((points.max(0) - points.min(0)).max())
    x0, y0 = np.maximum(points.min(0) - margin, 0).astype(int)
    x1, y1 = np.minimum(points.max(0) + margin, (bgr.shape[1], bgr.shape[0])).astype(int)
    piece = bgr[y0:y1, x0:x1]
    if not piece.size:
        return bgr
    return _shrunk(piece, _CLOSE_PX / max(piece.shape[:2]))[0]


def _draw(picture: NDArray[np.uint8], mark: Mark, corners: NDArray[np.floating]) -> None:
    """Outline a card, and where the move is about it tell what was read on it."""
    if not mark.is_new:
        _outline(picture, corners, (255, 255, 255), 1)
        return
    _outline(picture, corners, (0, 200, 0), 3)
    if len(corners) == len(mark.face) == 6:
        _draw_edges(picture, mark, corners)
    elif mark.face:
        x, y = corners.mean(0).tolist()
        _write(picture, " ".join("?" if part is None else part for part in mark.face), (x, y))


def _draw_edges(picture: NDArray[np.uint8], mark: Mark, corners: NDArray[np.floating]) -> None:
    """Within each edge of a hexagon a dot of its symbol's colour; a line to the edge that it is joined with."""
    radius = max(3, round(0.07 * float(np.linalg.norm(corners[0] - corners[1]))))
    places = edge_places(corners, mark.east, 0.42)
    for direction, (place, symbol) in enumerate(zip(places, mark.face, strict=True)):
        if symbol is not None and symbol.startswith("+"):
            other = places[(direction + int(symbol)) % 6]
            cv2.line(picture, _pixel(place), _pixel(other), _JOINED, 2, cv2.LINE_AA)
        else:
            colour = _MARK.get(symbol if symbol is None else symbol.rpartition(":")[2], _PAPER)
            cv2.circle(picture, _pixel(place), radius, colour, -1, cv2.LINE_AA)


def _write(
    picture: NDArray[np.uint8], text: str, middle: tuple[float, float], size: float = 0.5, strokes: int = 1
) -> None:
    """Letters on paper, their middle at a pixel."""
    (width, height), below = cv2.getTextSize(text, _FONT, size, strokes)
    x, y = round(middle[0] - width / 2), round(middle[1] + height / 2)
    cv2.rectangle(picture, (x - 3, y - height - 3), (x + width + 3, y + below), _PAPER, -1)
    cv2.putText(picture, text, (x, y), _FONT, size, _INK, strokes, cv2.LINE_AA)


def _outline(
    picture: NDArray[np.uint8], corners: NDArray[np.floating], colour: tuple[int, int, int], width: int
) -> None:
    cv2.polylines(picture, [np.round(corners * 16).astype(np.int32)], True, colour, width, cv2.LINE_AA, 4)


def _pixel(point: NDArray[np.floating]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
