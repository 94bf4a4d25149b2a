"""Which of what changed is a hand, and which hand is at work."""

import numpy as np

from companion.vision.tracking.change_detector import ChangeMask, ObservedFrame, find_hands, hands_at_work

SHAPE = (60, 90)
NOTHING = np.zeros(SHAPE, bool)
NOW_S = 10.0


def view(changed: np.ndarray, stirred_s: np.ndarray) -> ObservedFrame:
    mask = ChangeMask(changed, stirred_s, NOW_S, is_dark=False)
    hands = find_hands(mask, changed, NOTHING, 9.0)
    return ObservedFrame(np.zeros((480, 720, 3), np.uint8), mask, changed, mask.is_still(0.18), hands, NOW_S, 9.0)


def test_what_lies_still_at_the_rim_reaches_in_but_is_at_work_only_while_a_part_of_it_moves() -> None:
    lies, arm = NOTHING.copy(), NOTHING.copy()
    lies[50:, 10:30], arm[30:, 60:72] = True, True
    stirred_s = np.full(SHAPE, NOW_S - 5.0)
    stirred_s[30:36, 60:72] = NOW_S - 1.0
    seen = view(lies | arm, stirred_s)
    assert (seen.hands == (lies | arm)).all()
    assert (hands_at_work(seen, 1.5) == arm).all()
    assert not hands_at_work(seen, 0.5).any()
    assert not hands_at_work(view(NOTHING, stirred_s), 1.5).any()
