"""Whether the deck that lies there is the one that was taught."""

from collections.abc import Sequence

import numpy as np
import pytest

from companion.games.hexapod.vision.classifier import INSECT, KINDS, PALE, Cells, FewShotInsects, fit_discriminant
from companion.games.hexapod.vision.thresholds import LIMITS

OWN = np.eye(8, 32, dtype=np.float32)
TAUGHT = FewShotInsects(
    OWN, np.arange(8), fit_discriminant(OWN, [str(kind) for kind in KINDS]), np.ones(3, np.float32), lambda: False
)


def field(*similarities: float) -> Cells:
    """A card or a row of cells, all with an insect so similar to a taught one."""
    cells = (1, len(similarities))
    embedding, state = np.zeros((*cells, 32), np.float32), np.zeros((*cells, 3), np.float32)
    embedding[0, :, 0], embedding[0, :, 20] = similarities, np.sqrt(1 - np.square(similarities))
    state[..., INSECT] = 1.0
    nothing = np.zeros((*cells, 8), np.float32)
    return Cells(state, nothing, nothing[..., :4], embedding, nothing[..., :2])


SEVEN = [str(kind) for kind in KINDS[:7]]
PART = FewShotInsects(OWN[:7], np.arange(7), fit_discriminant(OWN[:7], SEVEN), np.ones(3, np.float32), lambda: False)
"""All but one kind were taught."""


BRICKS = (field(0.66, 0.66, 0.43, 0.34), field(0.5, 0.63, 0.45, 0.37))


@pytest.mark.parametrize(
    ("fields", "is_foreign"),
    [
        ([field(0.95, 0.97, 0.99, 0.94), field(0.98, 0.96, 0.93, 0.99)], False),
        ([field(0.95, 0.97, 0.99, 0.94), field(0.98, 0.96, 0.93, 0.99), *BRICKS], False),
        ([field(0.81, 0.7, 0.76, 0.8), field(0.6, 0.9, 0.5, 0.7)], True),
        (BRICKS, True),
        ([field(0.3, 0.4, 0.3, 0.4)], False),
    ],
    ids=["its own", "its own on a floor of bricks", "another", "like none at all", "too few to tell"],
)
def test_another_deck_is_told_by_what_is_like_no_example(fields: Sequence[Cells], is_foreign: bool) -> None:
    assert TAUGHT.is_foreign(fields) is is_foreign


@pytest.mark.parametrize(
    ("like_plain", "like_veiled", "is_foreign"), [(0.95, 0.1, False), (0.1, 0.95, False), (0.75, 0.6, True)]
)
def test_a_deck_lies_there_whose_insects_are_like_their_examples_of_one_veil(
    like_plain: float, like_veiled: float, is_foreign: bool
) -> None:
    """Insects that are like either a little are another deck's, though each is like some example by 0.95."""
    names = [str(kind) for kind in KINDS]
    examples = np.concatenate([OWN, np.roll(OWN, 8, axis=1)])
    of_kind = np.tile(np.arange(8), 2)
    discriminant = fit_discriminant(examples, names * 2)
    of_veil = np.repeat(np.arange(2), 8)
    taught = FewShotInsects(examples, of_kind, discriminant, np.ones(3, np.float32), lambda: False, of_veil=of_veil)
    cells = [field(0.0, 0.0, 0.0, 0.0), field(0.0, 0.0, 0.0, 0.0)]
    for k, one in enumerate(cells):
        one.embedding[0, :, [0, 8]] = np.array([[like_plain], [like_veiled]])
        if is_foreign:  # half of them like one, half like the other
            one.embedding[0, :, [0, 8]] = np.array([[0.95], [0.3]] if k else [[0.3], [0.95]])
    assert taught.is_foreign(cells) is is_foreign


def test_insects_that_are_like_examples_in_pale_colours_alone_are_another_decks() -> None:
    """With such examples 5 % of another printing's cells were told wrongly, none without: decks look alike in them."""
    names = [str(kind) for kind in KINDS]
    of_veil = np.repeat([0, PALE], 8)
    examples = np.concatenate([OWN, np.roll(OWN, 8, axis=1)])
    discriminant = fit_discriminant(examples, names * 2)
    taught = FewShotInsects(
        examples, np.tile(np.arange(8), 2), discriminant, np.ones(3, np.float32), lambda: False, of_veil=of_veil
    )
    cells = field(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    cells.embedding[0, :, [0, 8]] = np.array([[0.1], [0.95]])
    assert taught.is_foreign([cells])


def test_an_insect_in_other_light_is_one_of_the_deck_beside_another_of_which_every_kind_was_taught() -> None:
    """A kind was never named in warmer light, though nothing else lay on that table."""
    assert TAUGHT.kinds(field(0.95, 0.62))[0, 1, 0] > LIMITS.sure_insect
    assert TAUGHT.kinds(field(0.62, 0.62))[0, 1, 0] < LIMITS.sure_insect
    assert PART.kinds(field(0.95, 0.62))[0, 1, 0] < LIMITS.sure_insect


@pytest.mark.parametrize(("own", "other", "is_told"), [(0.67, 0.56, False), (0.67, 0.1, True), (0.95, 0.94, True)])
def test_an_insect_hardly_like_its_kind_and_hardly_less_like_another_is_not_told(
    own: float, other: float, is_told: bool
) -> None:
    """The discriminant alone was sure: a blurred insect was told as one that it is like by 0.67, of another by 0.56."""
    near = OWN.copy()
    near[1, :2] = np.cos(np.arccos(OWN[0, 0]) + 0.3), np.sin(0.3)  # two kinds lie close
    taught = FewShotInsects(
        near, np.arange(8), fit_discriminant(near, [str(kind) for kind in KINDS]), np.ones(3, np.float32), lambda: False
    )
    cells = field(0.95, 0.95)
    side = (other - own * near[1, 0]) / near[1, 1]
    cells.embedding[0, 1] = 0.0
    cells.embedding[0, 1, [0, 1, 20]] = own, side, np.sqrt(max(0.0, 1 - own**2 - side**2))
    found = taught.kinds(cells)[0, 1]
    assert found.argmax() == 0 and (found[0] >= LIMITS.sure_insect) == is_told


@pytest.mark.parametrize(("unlike", "is_foreign"), [(1, False), (2, True)])
def test_a_lamp_on_one_kind_where_it_was_taught_makes_no_other_deck(unlike: int, is_foreign: bool) -> None:
    """A whole table was left open: the stag of the lesson lay in a lamp's haze, and ten stags lay here."""
    cells = field(*[0.0] * 12)
    for k in range(12):
        kind = k % 3
        like = 0.78 if kind < unlike else 0.96
        cells.embedding[0, k, [kind, 20]] = like, np.sqrt(1 - like**2)
    assert TAUGHT.is_foreign([cells]) is is_foreign


@pytest.mark.parametrize(("like", "is_foreign"), [(0.85, False), (0.8, True)])
def test_insects_that_are_all_a_little_less_like_their_examples_are_blurred(like: float, is_foreign: bool) -> None:
    assert TAUGHT.is_foreign([field(*[like] * 9)]) is is_foreign
