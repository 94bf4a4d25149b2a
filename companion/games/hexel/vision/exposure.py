"""Overexposed pictures: what light burns out on the lighter of two photographs is burnt out on the other one too.

A dark face that is overexposed is lighter beside what is printed on it, for that is as light as can be; a light one is
white, and pale print on it fades.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS


@dataclass(frozen=True, slots=True)
class Brightness:
    """How bright a photograph shows cards, of 255.

    Attributes:
        face: their faces.
        is_white: whether most faces are burnt out to white.
    """

    face: float
    is_white: bool

    @classmethod
    def of(cls, faces: NDArray[np.float32]) -> "Brightness":
        """Of faces (N, 3); see `face_colours`."""
        is_white = float(np.median(faces.min(axis=1))) >= LIMITS.burnt_out_level
        return cls(float(np.median(faces.max(axis=1))), is_white)


def is_print_burnt_out(colours: NDArray[np.float32]) -> bool:
    """Whether the brightest of what raw patches (N, 6, S, S, 3) show is as light as can be."""
    return float(np.percentile(colours.max(-1), 99)) >= LIMITS.burnt_out_level


def exposures_between(lighter: Brightness, darker: Brightness) -> tuple[float, ...]:
    """The exposures, see `at_exposure`, one of which may make the darker photograph's cards look like the lighter's.

    There are none where they are as light: then their cards look alike as they are.
    """
    if lighter.is_white:
        return () if darker.is_white else LIMITS.exposures
    if lighter.face < LIMITS.lighter * darker.face:
        return ()
    return tuple(dict.fromkeys(min(lighter.face / 255 * more, LIMITS.nearly_white) for more in LIMITS.more_exposed))


def at_exposure(
    colours: NDArray[np.float32], faces: NDArray[np.float32], exposure: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Raw patches and faces, see `raw_patches`, overexposed so that the faces would be so many times white.

    An exposure of 0 leaves them as they are; with one below 1 faces keep their colour, and only brighter print burns
    out.
    """
    if not exposure:
        return colours, faces
    white = np.float32(255)
    gain = white * np.float32(exposure) / (faces if exposure >= 1 else faces.max(axis=1, keepdims=True))
    return np.minimum(colours * gain[:, None, None, None], white), np.minimum(faces * gain, white)
