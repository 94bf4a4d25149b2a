"""Cards of a taught printing in light that burns their faces out, found by the detector for any print alone.

Four of eight were read, all of them wrongly: the exposure was chosen by what Hex'el's own detector finds. In warmer
light dark grey symbols passed for brown ones: where faces are burnt out, nothing was held to tint the light.
"""

import pytest

from tests.games.hexel.vision.taught_scenes import told_of_scene

TAUGHT = {
    "red": [[279.2, 114.6], [279.1, 249.2], [164.6, 322.6], [43.2, 260.8], [40.6, 119.6], [162.3, 47.0]],
    "blue": [[497.2, 108.0], [496.9, 236.4], [392.6, 308.1], [282.6, 250.9], [280.5, 116.5], [391.0, 45.4]],
    "yellow": [[696.0, 100.2], [693.7, 223.2], [597.2, 291.5], [497.9, 236.4], [498.2, 108.0], [600.1, 40.2]],
}
LAID = {
    (277, 305): "rrryyy",
    (346, 222): "rryyyy",
    (414, 141): "byyyyy",
    (450, 242): "ryyyyy",
    (519, 162): "ryyyyy",
    (309, 120): "yyyyyy",
    (381, 324): "rrryyy",
    (604, 350): "rrryyy",
}


@pytest.mark.parametrize("gains", [(1.0, 1.0, 1.0), (0.8, 1.0, 1.2), (1.2, 1.0, 0.8)], ids=["as is", "warm", "cold"])
def test_burnt_out_cards_are_read_in_light_of_any_colour(gains: tuple[float, float, float]) -> None:
    told = told_of_scene("burnt-out", TAUGHT, LAID, gains)
    assert len(told.items() & LAID.items()) >= 6
    assert len(told.items() - LAID.items()) <= 2 * (gains != (1.0, 1.0, 1.0))
