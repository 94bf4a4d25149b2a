"""Which field is which from picture to picture: the same place, the same cards, a push further."""

from dataclasses import replace

import numpy as np

from companion.games.hexapod.vision.placements import changed_cells
from companion.games.hexapod.vision.results import DetectedField, HexapodReading
from companion.vision.geometry import side_px

_SAME_PLACE = 0.45
"""Two fields whose middles are nearer than this share of a side are one."""
_PUSHED = 0.025
"""A field of which a corner lies further from where it lay, in sides, was pushed."""


def is_same_place(a: DetectedField, b: DetectedField) -> bool:
    """Whether two fields are one thing, seen twice."""
    apart = float(np.linalg.norm(a.corners.mean(0) - b.corners.mean(0)))
    return a.is_case == b.is_case and apart < _SAME_PLACE * side_px(b.corners)


def match_fields(known: list[DetectedField], reading: HexapodReading) -> list[DetectedField] | None:
    """The known cases in a reading, in their order; None unless all are there and none shows what was not known."""
    left, again = list(reading.cards), []
    for case in (field for field in known if field.is_case):
        fitting = [one for one in left if not changed_cells(case, one)]
        if not fitting:
            return None
        best = min(fitting, key=lambda one: float(np.linalg.norm(one.corners.mean(0) - case.corners.mean(0))))
        left.remove(best)
        again.append(best)
    return again


def has_shifted(before: DetectedField, now: DetectedField) -> bool:
    """Whether a field lies elsewhere than before, wherever its corners begin."""
    ways = [np.linalg.norm(np.roll(now.corners, -k, axis=0) - before.corners, axis=1).max() for k in range(4)]
    return float(min(ways)) > _PUSHED * side_px(before.corners)


def align_first_corner(known: DetectedField, now: DetectedField) -> DetectedField:
    """The case as it was known, begun where the look began: one that was empty had no sure way up."""
    return replace(known, corners=now.corners, is_upright=now.is_upright)
