"""Table tops for the film: plausible wood and felt, quiet enough to play on.

The photographs for training take theirs from `models.drawing.backdrops`, which seeks what is hard.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.simulator.optics import Camera, Matrix, mm_from_px, placed

Field = npt.NDArray[Any]

_SCALE = 1.1
_WOODS = ((58, 92, 138), (40, 62, 98), (98, 142, 186), (34, 44, 62))
_FELTS = ((62, 92, 34), (92, 60, 34), (48, 40, 96), (60, 62, 58))


def table_top(camera: Camera, kind: str, rng: np.random.Generator) -> npt.NDArray[Any]:
    """The bare table as the camera sees it before light, BGR.

    Args:
        camera: what looks at it.
        kind: ``wood`` or ``felt``.
        rng: the only source of chance.
    """
    side_px = round(2.2 * float(np.abs(camera.seen_mm() - camera.aim).max()) * _SCALE)
    texture = np.clip(_TEXTURES[kind](side_px, rng), 0, 255).astype(np.uint8)
    half_mm = side_px / _SCALE / 2
    table: Matrix = placed(camera.aim, float(rng.uniform(-25, 25))) @ mm_from_px(-half_mm, -half_mm, _SCALE)
    return cv2.warpPerspective(texture, camera.px_from_mm() @ table, camera.size, borderMode=cv2.BORDER_REFLECT)


def _wood(side: int, rng: np.random.Generator) -> Field:
    """Planks side by side, each with its own tone and its own stretch of grain."""
    tone = np.array(_WOODS[rng.integers(len(_WOODS))], np.float32)
    figure = (
        0.08 * _noise(rng, side, (4, 60)) + 0.07 * _noise(rng, side, (9, 260)) + 0.05 * _noise(rng, side, (40, 900))
    )
    image = tone * (1 + figure[..., None])
    plank = round(float(rng.uniform(90, 150)) * _SCALE)
    for top in range(0, side, plank):
        board = image[top : top + plank]
        board[:] = np.roll(board, int(rng.integers(side)), axis=1) * float(rng.uniform(0.86, 1.1))
        cv2.line(image, (0, top), (side, top), (tone * 0.35).tolist(), 1, cv2.LINE_AA)
        butt = int(rng.integers(side))
        cv2.line(image, (butt, top), (butt, top + plank), (tone * 0.4).tolist(), 1, cv2.LINE_AA)
    return image


def _felt(side: int, rng: np.random.Generator) -> Field:
    tone = np.array(_FELTS[rng.integers(len(_FELTS))], np.float32)
    fibres = 0.07 * rng.standard_normal((side, side)).astype(np.float32) + 0.04 * _noise(rng, side, (7, 7))
    return tone * (1 + fibres[..., None])


def _noise(rng: np.random.Generator, side: int, cells: tuple[int, int]) -> Field:
    coarse = rng.standard_normal((min(cells[1], side), cells[0])).astype(np.float32)
    return cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC)


_TEXTURES = {"wood": _wood, "felt": _felt}
