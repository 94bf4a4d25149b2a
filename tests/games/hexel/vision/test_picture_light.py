"""Prototypes adapted to a picture's light raise confidences, and never change a class."""

import numpy as np

from companion.games.hexel.vision.picture_light import classify_adapted

NONE_AT, PLAIN = 10.0, 0.93
PROTOTYPES = np.array([[0.0, 0.0, 0.0], [1.3, 0.0, 0.0], [0.0, 4.0, 0.0]], np.float32)
"""The first two are much alike."""


def shown(kinds: np.ndarray, shift: float, scatter: float = 0.1) -> np.ndarray:
    """The network's embeddings (N, 6, 3) to cards of these kinds (N, 6) in a light that shifts the likeness of two."""
    rng = np.random.default_rng(5)
    light = np.array([shift, 0.2, 0.0])
    return (PROTOTYPES[kinds] + light + rng.normal(0, scatter, (*kinds.shape, 3))).astype(np.float32)


def test_two_heaps_of_like_symbols_are_told_apart_in_another_light() -> None:
    kinds = np.array([[0] * 6, [1] * 6, [0, 1, 0, 1, 0, 1], [2] * 6])
    embeddings = shown(kinds, shift=0.3)
    probabilities = classify_adapted(PROTOTYPES, embeddings, NONE_AT, PLAIN)
    assert (probabilities.argmax(-1) == kinds).all()
    assert probabilities.max(-1).min() > PLAIN
    alone = np.concatenate([classify_adapted(PROTOTYPES, card[None], NONE_AT, PLAIN) for card in embeddings])
    assert alone.max(-1).min() < PLAIN


def test_one_heap_between_two_looks_stays_in_doubt() -> None:
    embeddings = shown(np.zeros((4, 6), int), shift=0.6, scatter=0.15)
    assert classify_adapted(PROTOTYPES, embeddings, NONE_AT, PLAIN).max(-1).mean() < PLAIN


def test_no_symbol_is_named_that_was_not_leant_to() -> None:
    rng = np.random.default_rng(3)
    embeddings = (PROTOTYPES[rng.integers(0, 3, (8, 6))] + rng.normal(0, 0.8, (8, 6, 3))).astype(np.float32)
    distance = ((embeddings[:, :, None] - PROTOTYPES) ** 2).sum(-1)
    probabilities = classify_adapted(PROTOTYPES, embeddings, NONE_AT, PLAIN)
    assert (probabilities.argmax(-1) == distance.argmin(-1))[distance.min(-1) < NONE_AT].all()


def test_what_is_no_symbol_moves_nothing_and_stays_none() -> None:
    kinds = np.array([[0] * 6, [2] * 6])
    strange = np.full((3, 6, 3), 6.0, np.float32)
    with_strangers = classify_adapted(PROTOTYPES, np.concatenate([shown(kinds, 0.1), strange]), NONE_AT, PLAIN)
    assert (with_strangers[2:, :, -1] > 0.99).all()
    assert np.allclose(with_strangers[:2], classify_adapted(PROTOTYPES, shown(kinds, 0.1), NONE_AT, PLAIN), atol=1e-6)
