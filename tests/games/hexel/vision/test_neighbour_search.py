"""A card that the finder hardly saw, or saw askew, is found where its neighbour would have it; none on a bare table."""

import numpy as np
import pytest

from companion.games.hexel.vision.reexamination import find_neighbours, refit_from_neighbours
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph


@pytest.fixture(scope="module")
def table(light_printing):
    """The picture, the namer, the true outlines (6, 6, 2)."""
    look, classifier = light_printing
    picture = photograph(np.random.default_rng(5), edition="36", printing=look, cards=6, across_px=90, hardness=0.0)
    corners = np.array([card["corners"] for card in picture.truth["cards"]], np.float32)
    return Pyramid.of(picture.bgr), classifier, corners


def _hint_at(centre: np.ndarray, true: np.ndarray, sure: float = 0.05) -> Detection:
    """What a finder says that is hardly sure of anything: about there, about so large."""
    return Detection(np.asarray(0.7 * (true[0] - true[0].mean(0)) + centre, np.float32), sure)


def test_a_hint_beside_a_card_becomes_the_card_that_lies_there_and_so_does_the_next(table):
    pyramid, classifier, true = table
    side = np.linalg.norm(true[0, 0] - true[0, 1])
    hints = [_hint_at(corners.mean(0) + 0.2 * side, true) for corners in true[1:]]
    cards, said = find_neighbours(pyramid, true[:1], hints, classifier)
    off = np.array([np.linalg.norm(true.mean(1) - card.corners.mean(0), axis=1) for card in cards])
    assert len(cards) >= 3 and (off.min(1) < 0.08 * side).all()
    assert len(set(off.argmin(1))) == len(cards) and 0 not in off.argmin(1)
    assert all(None not in classifier.accept(p) for p in said)


def test_hints_beside_the_tableau_are_no_cards(table):
    pyramid, classifier, true = table
    reach = np.linalg.norm(true[0, 0] - true[0, 3])
    ring = true.mean(1)[:, None] + reach * np.array([[1, 0], [-1, 0], [0.5, 0.9], [-0.5, -0.9]])
    bare = [p for p in ring.reshape(-1, 2) if np.linalg.norm(true.mean(1) - p, axis=1).min() > 0.75 * reach]
    assert len(bare) > 3
    assert find_neighbours(pyramid, true, [_hint_at(p, true, 0.1) for p in bare], classifier) == ([], [])


def test_without_a_hint_nothing_is_looked_at(table):
    pyramid, classifier, true = table
    assert find_neighbours(pyramid, true[:1], [], classifier) == ([], [])


def _across(true: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """An outline across two cards that touch, and the others."""
    apart = np.linalg.norm(true.mean(1)[:, None] - true.mean(1), axis=2) + np.diag([np.inf] * len(true))
    a, b = np.unravel_index(apart.argmin(), apart.shape)
    return true[a] + (true[b].mean(0) - true[a].mean(0)) / 2, [k for k in range(len(true)) if k not in (a, b)]


def test_an_outline_across_two_cards_gives_way_to_both_beside_those_that_are_read(table):
    pyramid, classifier, true = table
    across, others = _across(true)
    outlines = np.array([*true[others], across], np.float32)
    found = [Detection(one, 0.44) for one in outlines]
    _, placed = refit_from_neighbours(pyramid, found, outlines, classifier)
    side = np.linalg.norm(true[0, 0] - true[0, 1])
    off = np.linalg.norm(placed.mean(1)[:, None] - true.mean(1), axis=2)
    assert len(placed) == len(true) and (off.min(0) < 0.15 * side).all()


def test_an_outline_on_the_bare_table_beside_cards_stays_what_it_is(table):
    pyramid, classifier, true = table
    middle = true.mean((0, 1))
    outward = max(true.mean(1), key=lambda at: np.linalg.norm(at - middle)) - middle
    bare = true[0] - true[0].mean(0) + middle + 1.9 * outward
    outlines = np.array([*true, bare], np.float32)
    found, placed = refit_from_neighbours(pyramid, [Detection(one, 0.44) for one in outlines], outlines, classifier)
    assert len(found) == len(true) + 1 and np.allclose(placed[-1], bare)


def test_where_nothing_is_read_outlines_stay_as_they_are(table):
    pyramid, classifier, true = table
    across, _ = _across(true)
    found, placed = refit_from_neighbours(pyramid, [Detection(across, 0.44)], across[None], classifier)
    assert len(found) == 1 and np.allclose(placed, across)


@pytest.mark.parametrize(("squared", "sure", "is_lower"), [(3.5, 0.95, True), (3.5, 0.98, False), (1.0, 0.95, False)])
def test_symbols_of_a_card_far_from_all_that_was_taught_are_told_only_where_they_are_surer(
    table, monkeypatch, squared, sure, is_lower
):
    """A washed out white symbol was told as another that looked more like it: 0.95 sure on cards far from any."""
    pyramid, classifier, true = table
    monkeypatch.setattr(type(classifier), "_squared_misfits", lambda *_: np.array([[squared] * 4 + [0.2, 9.0]]))
    told = np.full((1, 6, 4), (1 - sure) / 3, np.float32)
    told[..., 0] = sure
    assert (classifier.doubt_distant_cards(pyramid, true[:1], told)[..., 0] < sure - 0.01).all() == is_lower
