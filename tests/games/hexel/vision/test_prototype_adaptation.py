"""Another light shifts a printing's looks together; what leans becomes sure by that, and nothing is named anew."""

import numpy as np

from companion.games.hexel.vision.prototype_adaptation import named

NONE_AT, PLAIN = 10.0, 0.93
LOOKS = np.array([[0.0, 0.0, 0.0], [1.3, 0.0, 0.0], [0.0, 4.0, 0.0]], np.float32)
"""The first two are much alike."""


def shown(kinds: np.ndarray, shift: float, scatter: float = 0.1) -> np.ndarray:
    """The network's answers (N, 6, 3) to cards of these kinds (N, 6) in a light that shifts the likeness of two."""
    rng = np.random.default_rng(5)
    light = np.array([shift, 0.2, 0.0])
    return (LOOKS[kinds] + light + rng.normal(0, scatter, (*kinds.shape, 3))).astype(np.float32)


def test_two_heaps_of_like_symbols_are_told_apart_in_another_light() -> None:
    kinds = np.array([[0] * 6, [1] * 6, [0, 1, 0, 1, 0, 1], [2] * 6])
    answers = shown(kinds, shift=0.3)
    told = named(LOOKS, answers, NONE_AT, PLAIN)
    assert (told.argmax(-1) == kinds).all()
    assert told.max(-1).min() > PLAIN
    alone = np.concatenate([named(LOOKS, card[None], NONE_AT, PLAIN) for card in answers])
    assert alone.max(-1).min() < PLAIN


def test_one_heap_between_two_looks_stays_in_doubt() -> None:
    answers = shown(np.zeros((4, 6), int), shift=0.6, scatter=0.15)
    assert named(LOOKS, answers, NONE_AT, PLAIN).max(-1).mean() < PLAIN


def test_no_symbol_is_named_that_was_not_leant_to() -> None:
    rng = np.random.default_rng(3)
    answers = (LOOKS[rng.integers(0, 3, (8, 6))] + rng.normal(0, 0.8, (8, 6, 3))).astype(np.float32)
    distance = ((answers[:, :, None] - LOOKS) ** 2).sum(-1)
    told = named(LOOKS, answers, NONE_AT, PLAIN)
    assert (told.argmax(-1) == distance.argmin(-1))[distance.min(-1) < NONE_AT].all()


def test_what_is_no_symbol_moves_nothing_and_stays_none() -> None:
    kinds = np.array([[0] * 6, [2] * 6])
    strange = np.full((3, 6, 3), 6.0, np.float32)
    with_strangers = named(LOOKS, np.concatenate([shown(kinds, 0.1), strange]), NONE_AT, PLAIN)
    assert (with_strangers[2:, :, -1] > 0.99).all()
    assert np.allclose(with_strangers[:2], named(LOOKS, shown(kinds, 0.1), NONE_AT, PLAIN), atol=1e-6)
