"""Fisher's discriminant of the taught kinds."""

import numpy as np

from companion.games.hexapod.vision.classifier import fit_discriminant

_NAMES = ("blue", "gold", "moth")


def _scattered(rng: np.random.Generator, count: int = 40) -> tuple[np.ndarray, list[str]]:
    """Three kinds that lie close together the way in which none scatters, and scatter widely another way."""
    means = np.array([[0.0, 0.0, 1.0], [0.0, 0.1, 1.0], [0.0, 1.0, 0.0]])
    off = rng.normal(0, 1, (3, count, 3)) * [0.4, 0.01, 0.01]
    return (means[:, None] + off).reshape(-1, 3), [name for name in _NAMES for _ in range(count)]


def test_kinds_that_lie_close_are_separated_where_they_do_not_scatter():
    fitted = fit_discriminant(*_scattered(np.random.default_rng(1)))
    queries, kinds = _scattered(np.random.default_rng(2))
    assert [fitted.kinds[k] for k in fitted.logits(queries).argmax(-1)] == kinds


def test_every_kind_is_as_likely_however_often_it_was_shown():
    vectors, kinds = _scattered(np.random.default_rng(1))
    seldom = np.array([kind != "moth" or k % 8 == 0 for k, kind in enumerate(kinds)])
    few = fit_discriminant(vectors[seldom], [kind for kind, kept in zip(kinds, seldom, strict=True) if kept])
    all_ = fit_discriminant(vectors, kinds)
    queries, _ = _scattered(np.random.default_rng(2))
    assert (few.logits(queries).argmax(-1) == all_.logits(queries).argmax(-1)).all()


def test_embeddings_that_do_not_scatter_at_all_are_separated():
    fitted = fit_discriminant(np.repeat(np.eye(2), 3, axis=0), ["blue"] * 3 + ["gold"] * 3)
    assert np.isfinite(fitted.weights).all()
    assert fitted.logits(np.array([[0.9, 0.1]])).argmax() == fitted.kinds.index("blue")
