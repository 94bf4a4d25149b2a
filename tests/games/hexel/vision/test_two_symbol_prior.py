"""A card's symbols witness for each other, and never against what is plainly seen."""

import numpy as np

from companion.games.hexel.vision.picture_light import apply_two_symbol_prior

PLAIN = 0.93


def seen(*rows: tuple[float, float, float]) -> np.ndarray:
    """One card's symbols: how surely each is of the first, the second, the third kind; the rest is none of them."""
    p = np.array(rows)
    return np.column_stack([p, 1.0 - p.sum(-1)])[None]


def test_beside_a_plain_kind_doubtful_symbols_are_of_one_other_kind() -> None:
    card = seen(*[(0.98, 0.01, 0.01)] * 2, (0.0, 0.7, 0.29), (0.0, 0.55, 0.44), (0.0, 0.97, 0.02), (0.0, 0.75, 0.24))
    told = apply_two_symbol_prior(card, PLAIN)[0]
    assert (told.argmax(-1) == [0, 0, 1, 1, 1, 1]).all()
    assert told[2:4, 1].min() > PLAIN


def test_what_is_plain_stays_as_it_was_seen_though_it_is_a_third_kind() -> None:
    card = seen((0.98, 0.01, 0.01), (0.01, 0.98, 0.01), *[(0.01, 0.01, 0.97)] * 2, *[(0.98, 0.01, 0.01)] * 2)
    assert np.allclose(apply_two_symbol_prior(card, PLAIN), card, atol=1e-6)


def test_where_nothing_witnesses_a_doubt_remains() -> None:
    card = seen(*[(0.5, 0.48, 0.01)] * 6)
    assert apply_two_symbol_prior(card, PLAIN)[0].max() < PLAIN


def test_a_covered_symbol_stays_none() -> None:
    card = seen(*[(0.98, 0.01, 0.0)] * 5, (0.02, 0.03, 0.05))
    told = apply_two_symbol_prior(card, PLAIN)[0]
    assert told[5, 3] > 0.8


def test_no_cards_have_no_symbols() -> None:
    assert apply_two_symbol_prior(np.zeros((0, 6, 4)), PLAIN).shape == (0, 6, 4)
