"""The faces a HexDragon piece can have, and how the network's answers about six edges become one face."""

import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import (
    ENDS,
    FACES,
    HEAD,
    KINDS,
    NAMES,
    OWNERS,
    TAIL,
    Answers,
    accepted_edges,
    edge_probabilities,
    face_weights,
    star_share,
    tile_share,
)


def answers(ends: np.ndarray, owner: str = "red", kind: str = "tile") -> Answers:
    owners = np.array([[0.97 if o == owner else 0.01 for o in OWNERS]], np.float32)
    kinds = np.array([[0.98 if k == kind else 0.01 for k in KINDS]], np.float32)
    return Answers(ends[None].astype(np.float32), owners, kinds)


def confident_labels(face: tuple[int, ...] | np.ndarray, sure: float = 0.97) -> np.ndarray:
    ends = np.full((6, len(ENDS)), (1 - sure) / (len(ENDS) - 1))
    ends[np.arange(6), np.array(face)] = sure
    return ends


def test_there_are_15_bodies_90_heads_and_the_start_tile() -> None:
    heads, tails = (FACES == HEAD).sum(1), (FACES == TAIL).sum(1)
    assert len({tuple(face) for face in FACES}) == len(FACES) == 106
    assert [int(((heads == h) & (tails == t)).sum()) for h, t in ((0, 0), (1, 1), (0, 6))] == [15, 90, 1]


def test_every_face_joins_edges_both_ways() -> None:
    for face in FACES:
        for edge, end in enumerate(face):
            if end < TAIL:
                far = (edge + end + 1) % 6
                assert (far + face[far] + 1) % 6 == edge


def test_a_turned_face_is_a_face() -> None:
    known = {tuple(face) for face in FACES}
    assert {tuple(np.roll(face, 1)) for face in FACES} == known


@pytest.mark.parametrize("face", FACES[::7])
def test_what_is_plainly_seen_is_stated(face: np.ndarray) -> None:
    p = edge_probabilities(answers(confident_labels(face)))[0]
    assert p.sum(-1) == pytest.approx(np.ones(6), abs=1e-4)
    told = accepted_edges(p, 0.9, 0.8)
    assert [None if name is None else name.partition(":")[0] for name in told] == [ENDS[end] for end in face]
    assert tile_share(p) > 0.97


def test_one_blurred_edge_is_read_from_the_other_five() -> None:
    face = FACES[3]
    ends = confident_labels(face)
    ends[2] = 1 / len(ENDS)
    assert int(face_weights(ends[None]).argmax()) == 3
    assert None not in accepted_edges(edge_probabilities(answers(ends))[0], 0.9, 0.8)


def test_two_faces_that_are_equally_likely_leave_open_only_where_they_differ() -> None:
    one, other = next(
        (a, b) for a in FACES for b in FACES if (a != b).sum() == 4 and not {HEAD, TAIL} & {*a.tolist(), *b.tolist()}
    )
    ends = (confident_labels(one) + confident_labels(other)) / 2
    told = accepted_edges(edge_probabilities(answers(ends))[0], 0.9, 0.8)
    assert [name is None for name in told] == (one != other).tolist()


def test_a_star_shows_its_owner_six_times() -> None:
    p = edge_probabilities(answers(confident_labels(FACES[0]), owner="yellow", kind="star"))[0]
    assert accepted_edges(p, 0.9, 0.8) == ("star:yellow",) * 6
    assert star_share(p) > 0.9


@pytest.mark.parametrize(("kind", "is_told"), [("star", False), ("tile", True)])
def test_a_stars_owner_may_have_to_be_surer_than_a_heads(kind: str, is_told: bool) -> None:
    """A blue star in a lamp's reflection was called the magenta owner's with 0.77."""
    with_head = FACES[(FACES == HEAD).any(1)][0]
    p = edge_probabilities(answers(confident_labels(with_head), owner="yellow", kind=kind))[0]
    yellow = [NAMES.index("head:yellow"), NAMES.index("star:yellow")]
    red = [NAMES.index("head:red"), NAMES.index("star:red")]
    p[:, red], p[:, yellow] = 0.23 * p[:, yellow], 0.77 * p[:, yellow]
    named = [name for name in accepted_edges(p, 0.9, 0.75, 0.8) if name and name.endswith("yellow")]
    assert bool(named) == is_told
    assert [name for name in accepted_edges(p, 0.9, 0.75) if name and name.endswith("yellow")]


def test_what_is_no_piece_states_nothing() -> None:
    p = edge_probabilities(answers(confident_labels(FACES[0]), kind="other"))[0]
    assert accepted_edges(p, 0.9, 0.8) == (None,) * 6
    assert p.shape == (6, len(NAMES))
