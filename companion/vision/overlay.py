"""The only module that draws on pictures: what was recognised, outlined on the photograph it was read from."""

import re
import textwrap
from collections.abc import Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.evidence import Mark, marks_of
from companion.vision.image.codec import decode_picture, encode_picture

_MARK = {
    "red": (60, 60, 235),
    "blue": (235, 140, 40),
    "void": (40, 40, 40),
    "yellow": (30, 200, 240),
    "purple": (170, 60, 140),
    None: (255, 0, 255),
}
_WIDTH_PX = 1280
_CLOSE_PX = 480
_AROUND = 0.15
_QUALITY = 80
_READ, _DOUBT = (0, 200, 0), (0, 160, 255)
_FONT, _LINE_PX, _LETTERS = cv2.FONT_HERSHEY_SIMPLEX, 40, 14
_FILLED, _LEAST_SIZE, _MOST_SIZE = 0.6, 0.3, 1.2
_PLACE = re.compile(r" at \d+,\d+|^ *\(-?\d+, -?\d+\)")
"""Where a card lies, which its outline shows already."""
_PAPER, _INK, _JOINED = (255, 255, 255), (20, 20, 20), (0, 140, 255)


def draw_marks(jpeg: bytes, close: bool = False) -> bytes:
    """A kept picture for people to look at: the known cards outlined thinly, the news boldly with what was read.

    A picture that carries no marks, such as one from a version that painted them on, is given back as it is.

    Args:
        jpeg: as `evidence.evidence_picture` made it.
        close: only the new cards and a little around it, with nothing drawn on it.
    """
    marks, bgr = marks_of(jpeg), decode_picture(jpeg)
    if marks is None or bgr is None:
        return jpeg
    if close:
        return encode_picture(_closely(bgr, marks), _QUALITY)
    scale = min(1.0, _WIDTH_PX / bgr.shape[1])
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else bgr
    picture = np.asarray(small, np.uint8)
    for mark in sorted(marks, key=lambda mark: mark.is_new):
        _draw(picture, mark, mark.corners * scale)
    return encode_picture(picture, _QUALITY)


class Readable(Protocol):
    """A card as a reading lists it."""

    @property
    def corners(self) -> NDArray[np.floating]:
        """(K, 2) pixels, clockwise."""

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
    return encode_picture(picture, _QUALITY)


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
        (width, height), below = cv2.getTextSize(line, _FONT, size, strokes)
        x, y = _pixel(np.array([corners.mean(0)[0] - width / 2, top + row * step + height / 2]))
        cv2.rectangle(picture, (x - 3, y - height - 3), (x + width + 3, y + below), _PAPER, -1)
        cv2.putText(picture, line, (x, y), _FONT, size, _INK, strokes, cv2.LINE_AA)


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
    scale = min(1.0, _CLOSE_PX / max(piece.shape[:2]))
    return np.asarray(
        cv2.resize(piece, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else piece, np.uint8
    )


def _draw(picture: NDArray[np.uint8], mark: Mark, corners: NDArray[np.floating]) -> None:
    if not mark.is_new:
        _outline(picture, corners, (255, 255, 255), 1)
        return
    _outline(picture, corners, (0, 200, 0), 3)
    if len(corners) == len(mark.face) == 6:
        _draw_edges(picture, mark, corners)
    elif mark.face:
        _write(picture, " ".join("?" if part is None else part for part in mark.face), corners)


def _draw_edges(picture: NDArray[np.uint8], mark: Mark, corners: NDArray[np.floating]) -> None:
    """Within each edge of a hexagon a dot of its symbol's colour; a line to the edge that it is joined with."""
    middle = corners.mean(0)
    radius = max(3, round(0.07 * float(np.linalg.norm(corners[0] - corners[1]))))
    edges = [(mark.east - direction) % 6 for direction in range(6)]
    places = [(corners[edge] + corners[(edge + 1) % 6]) / 2 * 0.42 + middle * 0.58 for edge in edges]
    for direction, (place, symbol) in enumerate(zip(places, mark.face, strict=True)):
        if symbol is not None and symbol.startswith("+"):
            other = places[(direction + int(symbol)) % 6]
            cv2.line(picture, _pixel(place), _pixel(other), _JOINED, 2, cv2.LINE_AA)
        else:
            colour = _MARK.get(symbol if symbol is None else symbol.rpartition(":")[2], _PAPER)
            cv2.circle(picture, _pixel(place), radius, colour, -1, cv2.LINE_AA)


def _write(picture: NDArray[np.uint8], text: str, corners: NDArray[np.floating]) -> None:
    """What was read, in letters on its middle."""
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
    x, y = _pixel(corners.mean(0) - (width / 2, -height / 2))
    cv2.rectangle(picture, (x - 3, y - height - 3), (x + width + 3, y + below), _PAPER, -1)
    cv2.putText(picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _INK, 1, cv2.LINE_AA)


def _outline(
    picture: NDArray[np.uint8], corners: NDArray[np.floating], colour: tuple[int, int, int], width: int
) -> None:
    cv2.polylines(picture, [np.round(corners * 16).astype(np.int32)], True, colour, width, cv2.LINE_AA, 4)


def _pixel(point: NDArray[np.floating]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
