"""What a glance calls moved, changed, still and dark."""

import numpy as np

from companion.vision.tracking.change_detector import MASK_PX, ChangeDetector

SIZE = (240, 320)
FRAME_S = 0.1
TABLE = np.full((*SIZE, 3), 110, np.float32) + np.linspace(0, 60, SIZE[1], dtype=np.float32)[None, :, None]
GRAIN = np.random.default_rng(0).normal(0, 2.5, (SIZE[0] + 64, SIZE[1] + 64, 3)).astype(np.float32)
"""The noise of all pictures, each cut from elsewhere: to make it takes far longer than to compare pictures."""


def frame(light: float = 1.0, *, seed: int = 0, patch: tuple[int, int] | None = None, by: float = 60.0) -> np.ndarray:
    """A noisy table; where asked, a patch of 64 pixels that is brighter."""
    image = TABLE.copy()
    if patch is not None:
        x, y = patch
        image[y : y + 64, x : x + 64] += by
    y, x = np.random.default_rng(seed).integers(0, 64, 2).tolist()
    image *= light
    image += GRAIN[y : y + SIZE[0], x : x + SIZE[1]]
    return np.clip(image, 0, 255).astype(np.uint8)


def settled(detector: ChangeDetector, frames: int = 30) -> float:
    """Let a detector see an empty table, which is then accepted; the time of the next frame."""
    for seed in range(frames):
        detector.update(frame(seed=seed), seed * FRAME_S)
    detector.accept()
    return frames * FRAME_S


def test_a_quiet_table_grows_ever_stiller() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    for seed in range(20):
        mask = detector.update(frame(seed=100 + seed), now_s + seed * FRAME_S)
        assert not mask.changed.any() and not mask.is_dark
    assert mask.is_still(now_s).all()


def test_stillness_is_counted_in_seconds_whatever_the_frame_rate() -> None:
    for fps in (5, 10, 30):
        detector = ChangeDetector()
        now_s = settled(detector)
        detector.update(frame(seed=1, patch=(96, 64)), now_s)
        place = np.s_[64 // MASK_PX + 1 : 128 // MASK_PX - 1, 96 // MASK_PX + 1 : 160 // MASK_PX - 1]
        for k in range(1, fps + 1):
            mask = detector.update(frame(seed=100 + k, patch=(96, 64)), now_s + k / fps)
        assert mask.is_still(0.9)[place].all() and not mask.is_still(1.1)[place].any()


def test_what_appears_on_a_quiet_table_is_seen_in_the_same_frame() -> None:
    for wait in range(1, 12):
        detector = ChangeDetector()
        now_s = settled(detector)
        for seed in range(wait):
            detector.update(frame(seed=200 + seed), now_s + seed * FRAME_S)
        mask = detector.update(frame(seed=300, patch=(96, 64)), now_s + wait * FRAME_S)
        place = np.s_[64 // MASK_PX + 1 : 128 // MASK_PX - 1, 96 // MASK_PX + 1 : 160 // MASK_PX - 1]
        assert mask.changed[place].all() and not mask.is_still(FRAME_S)[place].any()
        assert not mask.changed[:4, :8].any() and mask.is_still(FRAME_S)[:4, :8].all()


def test_a_light_that_drifts_slowly_is_no_change() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    for step in range(120):
        mask = detector.update(frame(1.0 - 0.003 * step, seed=400 + step), now_s + step * FRAME_S)
        assert not mask.changed.any()


def test_a_shadow_on_part_of_the_table_changes_nothing_beside_it() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    shaded = frame(seed=700)
    shaded[:, :110] //= 2
    assert not detector.update(shaded, now_s).changed[:, 160 // MASK_PX :].any()


def test_what_was_accepted_is_no_change_any_more() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    for seed in range(12):
        mask = detector.update(frame(seed=500 + seed, patch=(96, 64)), now_s + seed * FRAME_S)
    assert mask.changed.any()
    detector.accept()
    assert not detector.update(frame(seed=600, patch=(96, 64)), now_s + 2).changed.any()


def test_a_table_that_shows_again_under_a_thing_that_was_accepted_is_no_change() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    for seed in range(12):
        mask = detector.update(frame(seed=500 + seed, patch=(96, 64)), now_s + seed * FRAME_S)
    around = np.zeros(mask.changed.shape, bool)
    around[6:18, 10:22] = True
    detector.accept(around, is_thing=True)
    assert not detector.update(frame(seed=600, patch=(96, 64)), now_s + 2).changed.any()
    assert not detector.update(frame(seed=601), now_s + 2.1).changed.any()


def test_lights_going_out_are_dark_and_no_change_afterwards() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    assert detector.update(np.zeros((*SIZE, 3), np.uint8), now_s).is_dark
    detector.update(frame(seed=700), now_s + 0.1)
    assert not detector.update(frame(seed=701), now_s + 0.2).changed.any()


def test_print_that_changed_under_a_hand_while_the_camera_moved_stays_a_change() -> None:
    place = np.s_[64 // MASK_PX : 128 // MASK_PX, 96 // MASK_PX : 160 // MASK_PX]

    def striped(begin: int, by: int) -> np.ndarray:
        image = frame(seed=by, patch=(96, 64))
        for x in range(96 + begin, 160, 32):
            image[64:128, x : x + 16] = 120
        return np.roll(image, by, 1)

    changed = []
    for was_hidden in (False, True):
        detector = ChangeDetector()
        for k in range(10):
            detector.update(striped(0, 0), k * FRAME_S)
        detector.accept()
        unread = np.zeros(detector.seen.shape[1:], bool)
        unread[place] = was_hidden
        after = striped(16, 6)
        detector.follow_camera(after, np.array([[1.0, 0, 6], [0, 1, 0], [0, 0, 1]]), 1.0, unread)
        changed.append(float(detector.update(after, 1.1).changed[place].mean()))
    assert changed[0] < 0.3 < 0.7 < changed[1], changed


def test_a_frame_that_noise_alone_tells_from_the_one_before_is_as_before() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    detector.update(frame(seed=1), now_s)
    assert all(detector.update(frame(seed=2 + k), now_s + 0.1 + k * FRAME_S).is_as_before for k in range(5))
    assert not detector.update(frame(seed=9, patch=(96, 64)), now_s + 0.6).is_as_before


def test_what_grows_too_slowly_for_one_frame_is_a_change_within_a_second_or_two() -> None:
    detector = ChangeDetector()
    now_s = settled(detector)
    for k in range(40):
        mask = detector.update(frame(seed=k, patch=(96, 64), by=1.5 * k), now_s + k * FRAME_S)
    assert mask.changed[8:15, 12:19].mean() > 0.5
