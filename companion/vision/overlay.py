"""The only module that draws on pictures: what was recognised, outlined on the photograph it was read from."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.seen import SeenCard

_MARK = {
    "red": (60, 60, 235),
    "blue": (235, 140, 40),
    "void": (40, 40, 40),
    "yellow": (30, 200, 240),
    None: (255, 0, 255),
}
_WIDTH_PX = 1280


def evidence_picture(bgr: np.ndarray, cards: Sequence[SeenCard], news: Sequence[SeenCard]) -> bytes:
    """A JPEG of the picture with the known cards outlined thinly, the new ones boldly with their symbols marked.

    Args:
        bgr: uint8 (h, w, 3); not written to.
        cards: all cards known.
        news: those that the evidence is about.
    """
    scale = min(1.0, _WIDTH_PX / bgr.shape[1])
    picture = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else bgr.copy()
    for card in cards:
        _outline(picture, card.corners * scale, (255, 255, 255), 1)
    for card in news:
        _outline(picture, card.corners * scale, (0, 200, 0), 3)
        middle = card.corners.mean(0)
        for d, edge in enumerate(card.edges):
            at = _edge_middle(card, d) * 0.42 + middle * 0.58
            cv2.circle(picture, _pixel(at * scale), max(3, int(card.side * scale * 0.07)), _MARK[edge], -1, cv2.LINE_AA)
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    assert done, "encoding an array in memory as JPEG cannot fail"
    return data.tobytes()


def _edge_middle(card: SeenCard, direction: int) -> np.ndarray:
    edge = (card.east - direction) % 6
    return np.asarray((card.corners[edge] + card.corners[(edge + 1) % 6]) / 2)


def _outline(picture: np.ndarray, corners: np.ndarray, colour: tuple[int, int, int], width: int) -> None:
    cv2.polylines(picture, [np.round(corners * 16).astype(np.int32)], True, colour, width, cv2.LINE_AA, 4)


def _pixel(point: np.ndarray) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
