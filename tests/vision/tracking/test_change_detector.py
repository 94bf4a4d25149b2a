"""What a glance calls moved, changed, still and dark."""

import numpy as np

from companion.vision.tracking.change_detector import STEP, Glance, Stillness

SIZE = (240, 320)


def frame(light: float = 1.0, *, seed: int = 0, patch: tuple[int, int] | None = None, by: float = 60.0) -> np.ndarray:
    """A noisy table; where asked, a patch of 64 pixels that is brighter."""
    rng = np.random.default_rng(seed)
    image = np.full((*SIZE, 3), 110.0) + np.linspace(0, 60, SIZE[1])[None, :, None]
    if patch is not None:
        x, y = patch
        image[y : y + 64, x : x + 64] += by
    return np.clip(image * light + rng.normal(0, 2.5, image.shape), 0, 255).astype(np.uint8)


def settled(stillness: Stillness, frames: int = 30) -> Glance:
    """The last of some glances at an empty table, which is then accepted."""
    for seed in range(frames):
        glance = stillness.look(frame(seed=seed))
    stillness.accept()
    return glance


def test_a_quiet_table_grows_ever_stiller() -> None:
    stillness = Stillness()
    before = settled(stillness)
    for seed in range(20):
        glance = stillness.look(frame(seed=100 + seed))
        assert not glance.changed.any() and not glance.dark
    assert int(glance.still.min()) == int(before.still.min()) + 20


def test_what_appears_on_a_quiet_table_is_seen_in_the_same_frame() -> None:
    for wait in range(1, 12):
        stillness = Stillness()
        settled(stillness)
        for seed in range(wait):
            stillness.look(frame(seed=200 + seed))
        glance = stillness.look(frame(seed=300, patch=(96, 64)))
        place = np.s_[64 // STEP + 1 : 128 // STEP - 1, 96 // STEP + 1 : 160 // STEP - 1]
        assert glance.changed[place].all() and (glance.still[place] == 0).all()
        assert not glance.changed[:4, :8].any() and int(glance.still[:4, :8].min()) > 0


def test_a_light_that_drifts_slowly_is_no_change() -> None:
    stillness = Stillness()
    settled(stillness)
    for step in range(120):
        glance = stillness.look(frame(1.0 - 0.003 * step, seed=400 + step))
        assert not glance.changed.any()


def test_what_was_accepted_is_no_change_any_more() -> None:
    stillness = Stillness()
    settled(stillness)
    for seed in range(12):
        glance = stillness.look(frame(seed=500 + seed, patch=(96, 64)))
    assert glance.changed.any()
    stillness.accept()
    assert not stillness.look(frame(seed=600, patch=(96, 64))).changed.any()


def test_lights_going_out_are_dark_and_no_change_afterwards() -> None:
    stillness = Stillness()
    settled(stillness)
    assert stillness.look(np.zeros((*SIZE, 3), np.uint8)).dark
    stillness.look(frame(seed=700))
    assert not stillness.look(frame(seed=701)).changed.any()
