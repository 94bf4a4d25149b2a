"""The picture that a move was read from, as it is kept: as the camera saw it, what was recognised in its comment.

Nothing is drawn on it, so that it can be read again; the comment (a segment that every JPEG file may hold, ITU-T T.81,
B.2.4.5) travels with it under one hash. `overlay` draws it when somebody looks.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.calibration.drift import ZoneOf
from companion.vision.image.codec import encode_picture
from companion.vision.results import DetectedCard

_WIDTH_PX = 2304
"""As wide as the widest camera's usual picture; wider ones are made smaller."""
_NAME = b"companion 2 "  # and the form of what follows
_START, _COMMENT, _SCAN, _APPLICATION = 0xD8, 0xFE, 0xDA, 0xE0
_MOST_BYTES = 65_000


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
    scale = min(1.0, _WIDTH_PX / bgr.shape[1])
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else bgr
    picture = np.asarray(small, np.uint8)
    zone_of = zone_of or (lambda _: None)
    new = [_summary(card, scale, True, zone_of) for card in new_cards]
    known = [_summary(card, scale, False, zone_of) for card in cards if not any(card is one for one in new_cards)]
    return _with_comment(encode_picture(picture), _comment(new, known))


def marks_of(jpeg: bytes) -> tuple[Mark, ...] | None:
    """What was recognised on a kept picture, the new cards first; None when it carries no comment of this house."""
    text = next((body for body in _comments(jpeg) if body.startswith(_NAME)), None)
    if text is None:
        return None
    return tuple(
        Mark(np.array(corners, np.float32).reshape(-1, 2), tuple(face), east, is_new, zone)
        for corners, face, east, is_new, zone in json.loads(text[len(_NAME) :])
    )


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
