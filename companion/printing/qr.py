"""A text as a QR code: the picture that a phone's camera opens, for a page and for a terminal.

The code itself is made by OpenCV after ISO/IEC 18004; here its modules become shapes and letters.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

QUIET = 4
"""Modules of white around the code, ISO/IEC 18004 section 9.1."""

_HALVES = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules above one another as one letter; light modules are printed, for terminals are mostly dark."""


def dark_modules(text: str) -> NDArray[np.bool_]:
    """The code's square of modules with its quiet zone, True where it is dark."""
    wanted = cv2.QRCodeEncoder.Params()
    wanted.correction_level = cv2.QRCODE_ENCODER_CORRECT_LEVEL_M
    is_dark = np.asarray(cv2.QRCodeEncoder.create(wanted).encode(text)) == 0
    rows, cols = np.flatnonzero(is_dark.any(1)), np.flatnonzero(is_dark.any(0))
    code = is_dark[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return np.pad(code, QUIET, constant_values=False)


def svg(text: str) -> str:
    """The code as an SVG picture that carries its own white ground: it must be read by night too."""
    is_dark = dark_modules(text)
    size = len(is_dark)
    path = "".join(
        f"M{start} {row}h{end - start}v1h{start - end}z"
        for row, line in enumerate(is_dark)
        for start, end in _runs(line)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path d="{path}"/></svg>'
    )


def letters(text: str) -> str:
    """The code as lines of half blocks for a terminal."""
    is_dark = dark_modules(text)
    if len(is_dark) % 2:
        is_dark = np.pad(is_dark, ((0, 1), (0, 0)), constant_values=False)
    pairs = zip(is_dark[::2], is_dark[1::2], strict=True)
    return "\n".join("".join(_HALVES[bool(a), bool(b)] for a, b in zip(*pair, strict=True)) for pair in pairs)


def _runs(line: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where the dark modules of a row begin and end.

    >>> _runs(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]
