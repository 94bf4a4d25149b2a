"""What a picture's light may have done to a learnt HexDragon set."""

from collections.abc import Callable

import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import BRIGHT, OWNERS, REACH, VIEW, Answers
from companion.games.hexdragon.vision.light import common_inks, remove_veiling_glare
from companion.games.hexdragon.vision.prototypes import (
    PLACES,
    InkProfile,
    fits,
    is_another_set,
    lights_of,
    nobodys,
    owners_weighed,
)
from companion.games.hexdragon.vision.thresholds import LIMITS

NAMES = ("red", "blue", "yellow")
INKS = np.array([[0.2, 0.3, 0.9], [0.9, 0.4, 0.2], [0.2, 0.8, 0.9]], np.float32)


COMMON = np.array([[0.4, 0.8, 0.8], [0.7, 0.4, 0.2]], np.float32)
"""Orange bands on dark blue faces, as a view shows them."""
AS_MEASURED = np.ones(3, np.float32)


def a_set(inks: np.ndarray) -> InkProfile:
    rims = np.tile(COMMON[1], (len(inks), 1))
    return InkProfile("hexdragon", NAMES, inks, rims, PLACES[:9].astype(np.float32), COMMON)


def sure(count: int, head: float = 0.99) -> Answers:
    ends = np.full((count, 6, 7), (1 - head) / 6, np.float32)
    ends[:, 2, 6] = head
    kinds = np.tile(np.array([0.98, 0.01, 0.01], np.float32), (count, 1))
    return Answers(ends, np.full((count, 4), 0.25, np.float32), kinds)


def owners(profile: InkProfile, views: np.ndarray) -> np.ndarray:
    answers = sure(len(views))
    lights = lights_of(profile, views, answers, AS_MEASURED)
    return owners_weighed(profile, fits(profile, views, answers, AS_MEASURED), lights, OWNERS)


def test_a_head_whose_owner_is_known_tells_the_light() -> None:
    """A pale ink is either owner's behind haze."""
    inks = np.array([[0.2, 0.3, 0.9], [0.3, 0.6, 0.9]], np.float32)
    two = InkProfile("hexdragon", NAMES[:2], inks, np.tile(COMMON[1], (2, 1)), PLACES[:9].astype(np.float32), COMMON)
    seen = inks.mean(0) + 0.15 * (BRIGHT - inks.mean(0))
    views, unknown = np.stack([tile(seen, lambda ink: ink)]), sure(1)
    fitting = fits(two, views, unknown, AS_MEASURED)
    shares = [owners_weighed(two, fitting, lights_of(two, views, unknown, AS_MEASURED), NAMES[:2])[0]]
    for owner in NAMES[:2]:
        known = np.where(np.array(OWNERS) == owner, 0.97, 0.01).astype(np.float32)[None]
        answers = Answers(unknown.ends, known, unknown.kinds)
        shares.append(owners_weighed(two, fitting, lights_of(two, views, answers, AS_MEASURED), NAMES[:2])[0])
    nobody_known, red_known, blue_known = (share[0] for share in shares)
    assert red_known > nobody_known > blue_known and red_known > 4 * blue_known


def tile(ink: np.ndarray, light: Callable[[np.ndarray], np.ndarray], common: np.ndarray = COMMON) -> np.ndarray:
    """A view all of an owner's ink but for bands across the middles of its edges and its face towards its corners."""
    steps = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH
    x, y = np.meshgrid(steps, steps)
    turn = np.degrees(np.arctan2(-y, x)) % 60
    beside = np.hypot(x, y) > 0.6
    view = np.broadcast_to(light(ink), (VIEW, VIEW, 3)).copy()
    view[beside & (np.abs(turn - 30) < 15)] = light(common[1])
    view[beside & (np.abs(turn - 30) >= 15)] = light(common[0])
    return np.asarray(view, np.float32)


@pytest.mark.parametrize("tint", [(1.25, 1.0, 0.8), (0.85, 1.0, 1.2), (1.0, 1.0, 1.0)])
def test_heads_in_another_light_keep_their_owners(tint: tuple[float, float, float]) -> None:
    order = (0, 1, 2, 0, 2)
    share = owners(a_set(INKS), np.stack([tile(INKS[k], lambda ink: np.asarray(ink * tint)) for k in order]))
    assert [OWNERS[k] for k in share.argmax(1)] == [NAMES[k] for k in order]
    assert share.max(1).min() > 0.9
    assert np.allclose(share.sum(1), 1.0, atol=1e-4)


def test_where_a_tint_makes_one_ink_of_another_and_no_tile_is_sure_nobody_is() -> None:
    tint = np.array([1.2, 1.0, 0.83], np.float32)
    alike = a_set(np.stack([INKS[0], INKS[0] * tint * tint, INKS[1]]))
    views = tile(INKS[0], lambda ink: np.asarray(ink * tint))[None]
    doubted = Answers(sure(1).ends, sure(1).owners, np.array([[0.7, 0.1, 0.2]], np.float32))
    lights = lights_of(alike, views, doubted, AS_MEASURED)
    assert owners_weighed(alike, fits(alike, views, doubted, AS_MEASURED), lights, OWNERS).max() < 0.85


def test_bands_and_faces_tell_the_light_that_heads_leave_open() -> None:
    """Two heads as a warm light shows them look like two other owners' as they were taught."""
    tint = np.exp([-0.35, 0.0, 0.35])
    inks = np.array([[0.5, 0.7, 0.6], [1.2, 0.6, 0.3], [0.5, 0.7, 0.6] * tint, [1.2, 0.6, 0.3] * tint], np.float32)
    names = ("red", "blue", "yellow", "purple")
    rims = np.tile(COMMON[1], (4, 1))
    known = InkProfile("hexdragon", names, inks, rims, PLACES[:9].astype(np.float32), COMMON)

    def told(light: Callable[[np.ndarray], np.ndarray]) -> list[str]:
        views = np.stack([tile(inks[k], light) for k in (0, 1, 0)])
        share = owners(known, views)
        assert share.max(1).min() > LIMITS.sure_owner
        return [OWNERS[k] for k in share.argmax(1)]

    assert told(lambda ink: ink) == ["red", "blue", "red"]
    assert told(lambda ink: np.asarray(ink * np.exp([-0.2, 0.1, 0.1]))) == ["red", "blue", "red"]


def test_colours_that_fade_in_dim_light_keep_their_owners() -> None:
    """What is taken for a tint where fading is not known of: grey mixes most blue into yellow."""

    def faded(ink: np.ndarray) -> np.ndarray:
        return np.asarray(0.7 * ink + 0.3 * (ink @ [0.114, 0.587, 0.299]))

    share = owners(a_set(INKS), np.stack([tile(INKS[k], faded) for k in (0, 1, 2)]))
    assert [OWNERS[k] for k in share.argmax(1)] == list(NAMES) and share.max(1).min() > 0.9


def test_black_heads_behind_a_veil_of_light_keep_their_owner() -> None:
    """What was taken for another owner's grey: light on gloss lies over black and brings it near to it."""
    inks = np.array([[0.08, 0.09, 0.09], [0.3, 0.29, 0.28], [0.9, 0.4, 0.2]], np.float32)

    def veiled(ink: np.ndarray) -> np.ndarray:
        return np.asarray(ink + 0.2 * (BRIGHT - ink))

    share = owners(a_set(inks), np.stack([tile(inks[k], veiled) for k in (0, 0, 2)]))
    assert [OWNERS[k] for k in share.argmax(1)] == ["red", "red", "yellow"]


def test_heads_taught_behind_a_veil_of_light_keep_their_owners_without_it() -> None:
    """What was taken for green: a light that lies over teal brings it near to grey."""
    plain = np.array([[0.46, 1.02, 0.25], [0.2, 0.8, 0.15], [0.9, 0.4, 0.2]], np.float32)
    veiled = plain + 0.2 * (BRIGHT - plain)
    common = COMMON + 0.2 * (BRIGHT - COMMON)
    taught = InkProfile("hexdragon", NAMES, veiled, np.tile(common[1], (3, 1)), PLACES[:9].astype(np.float32), common)
    share = owners(taught, np.stack([tile(plain[k], lambda ink: ink) for k in (0, 1, 2)]))
    assert [OWNERS[k] for k in share.argmax(1)] == list(NAMES) and share.max(1).min() > LIMITS.sure_owner


@pytest.mark.parametrize("is_another", [False, True])
def test_a_set_taught_behind_haze_is_no_other_one_without_it(is_another: bool) -> None:
    """Violet bands on pale faces, of which haze left lilac ones; green bands are another set's."""
    band = [0.19, 0.79, 0.55] if is_another else [0.79, 0.19, 0.55]
    known, shown = (np.array([one, [0.74, 0.75, 0.75]], np.float32) for one in ([0.79, 0.19, 0.55], band))

    def hazy(inks: np.ndarray) -> np.ndarray:
        return np.asarray(inks + 0.5 * (BRIGHT - inks), np.float32)

    common = hazy(known)
    taught = InkProfile(
        "hexdragon", NAMES, hazy(INKS), np.tile(common[1], (3, 1)), PLACES[:9].astype(np.float32), common
    )
    views, answers = np.stack([tile(ink, lambda ink: ink, shown) for ink in INKS]), sure(3)
    lights = lights_of(taught, views, answers, AS_MEASURED)
    strange = nobodys(fits(taught, views, answers, AS_MEASURED), lights)
    assert is_another_set(taught, views, answers, AS_MEASURED, lights, strange) == is_another


@pytest.mark.parametrize(
    ("shown", "is_another"),
    [
        (([0.3, 0.85, 0.35], [0.75, 0.75, 0.75]), False),
        (([0.5, 0.85, 0.5], [0.75, 0.65, 0.5]), False),  # in another light
        (([0.3, 0.85, 0.35], [0.8, 0.5, 0.3]), True),  # blue faces
        (([0.5, 0.85, 0.5], [0.5, 0.75, 0.75]), True),  # both a little: neither alone would do
    ],
)
def test_bands_and_faces_together_say_that_a_set_is_another(shown: tuple[list[float], ...], is_another: bool) -> None:
    """Purple bands were green ones that a light had changed, for the heads of either set fitted the other's inks."""
    common = np.array([[0.3, 0.85, 0.35], [0.75, 0.75, 0.75]], np.float32)
    rims, places = np.tile(common[1], (3, 1)), PLACES[:9].astype(np.float32)
    taught = InkProfile("hexdragon", NAMES, INKS, rims, places, common)
    views = np.stack([tile(ink, lambda ink: ink, np.array(shown, np.float32)) for ink in INKS])
    lights = lights_of(taught, views, sure(3), AS_MEASURED)
    strange = nobodys(fits(taught, views, sure(3), AS_MEASURED), lights)
    assert is_another_set(taught, views, sure(3), AS_MEASURED, lights, strange) == is_another


def test_where_a_band_lies_a_head_is_nobodys() -> None:
    """Something hides the head, and the network takes a line beside it for one."""
    known = a_set(np.array([[0.3, 0.55, 0.9], [0.9, 0.4, 0.2], [0.7, 0.3, 0.8]], np.float32))
    views = np.stack([tile(ink, lambda ink: ink) for ink in (COMMON[0], known.heads[1], known.heads[2])])
    told = sure(len(views))
    lights = lights_of(known, views, told, AS_MEASURED)
    hidden, *shown = nobodys(fits(known, views, told, AS_MEASURED), lights)
    assert hidden > 0.5 and max(shown) < 0.1


def test_common_inks_are_those_of_bands_and_faces() -> None:
    views = np.stack([tile(INKS[k], lambda ink: ink) for k in (0, 1)])
    assert np.allclose(common_inks(views, sure(2)), COMMON, atol=0.02)
    nothing = Answers(sure(2).ends, sure(2).owners, np.tile(np.array([0.1, 0.1, 0.8], np.float32), (2, 1)))
    assert common_inks(views, nothing) is None


def test_a_colour_that_is_nobodys_is_given_to_nobody() -> None:
    share = owners(a_set(INKS), tile(np.array([0.2, 0.95, 0.1]), lambda ink: ink)[None])
    assert share.max() < 0.6


def veiled(ink: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * ink + 0.3)


def dimmed(ink: np.ndarray) -> np.ndarray:
    return np.asarray(0.6 * ink)


def as_it_is(ink: np.ndarray) -> np.ndarray:
    return ink


def test_gloss_on_one_tile_is_taken_off() -> None:
    views = np.stack([tile(INKS[0], veiled if k == 2 else as_it_is) for k in range(5)])
    seen = remove_veiling_glare(views, sure(5))
    assert np.allclose(seen[2], views[0], atol=0.02)
    assert np.array_equal(np.delete(seen, 2, 0), np.delete(views, 2, 0))


@pytest.mark.parametrize("light", [dimmed, lambda ink: np.asarray(ink[::-1])], ids=["in a shadow", "of another print"])
def test_what_is_no_gloss_is_left(light: Callable[[np.ndarray], np.ndarray]) -> None:
    views = np.stack([tile(INKS[0], light if k == 2 else as_it_is) for k in range(5)])
    assert np.array_equal(remove_veiling_glare(views, sure(5)), views)


def test_too_few_tiles_tell_no_gloss() -> None:
    views = np.stack([tile(INKS[0], veiled if k == 2 else as_it_is) for k in range(3)])
    assert np.array_equal(remove_veiling_glare(views, sure(3)), views)
