"""Photographs and labels that cannot teach are refused, each by its name; the table is `tests/bench/sabotage.py`."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.errors import TeachingRefused, UsageError
from companion.games import GAMES
from companion.games.hexapod.vision.enrolment import TEACHING as HEXAPOD
from companion.games.hexdragon.vision.enrolment import TEACHING as HEXDRAGON
from companion.games.hexel.vision.enrolment import TEACHING
from companion.vision.enrolment.learning import learn, require_own_inks
from companion.vision.enrolment.teaching import Feature
from companion.vision.image.pyramid import Pyramid
from tests.teaching.pictures import layout_picture

Picture = np.ndarray
DECKS = {"hexel": "hexel36", "hexdragon": "hexdragon", "hexapod": "hexapod", "comet": "comet"}
LAYOUT = GAMES["hexel"].layouts("hexel36")[0]
COLOURS = ("red", "blue", "void")


def shrunk(picture: Picture, across: float, down: float) -> Picture:
    h, w = picture.shape[:2]
    small = cv2.resize(picture, None, fx=across, fy=down, interpolation=cv2.INTER_AREA)
    y, x = (h - small.shape[0]) // 2, (w - small.shape[1]) // 2
    framed = np.full_like(picture, np.median(picture.reshape(-1, 3), axis=0).astype(np.uint8))
    framed[y : y + small.shape[0], x : x + small.shape[1]] = small
    return framed


SPOILT: dict[str, tuple[Callable[[Picture], Picture], set[str]]] = {
    "blurred": (lambda p: cv2.GaussianBlur(p, (0, 0), 14), {"blurred", "no-layout"}),
    "dark": (lambda p: (p * 0.08).astype(np.uint8), {"too-dark", "no-layout"}),
    "burnt out": (lambda p: np.clip(p * 6.0, 0, 255).astype(np.uint8), {"burnt-out"}),
    "grey": (lambda p: np.repeat(p.mean(-1, keepdims=True), 3, axis=-1).astype(np.uint8), {"no-colours"}),
    "noisy": (
        lambda p: np.clip(p + np.random.default_rng(1).normal(0, 55, p.shape), 0, 255).astype(np.uint8),
        {"noisy"},
    ),
    "small": (lambda p: shrunk(p, 0.07, 0.07), {"too-small", "no-layout"}),
    "steep": (lambda p: shrunk(p, 1.0, 0.25), {"too-steep", "no-layout"}),
    "nothing there": (lambda p: np.full_like(p, 110), {"no-layout"}),
}


@pytest.mark.parametrize(
    ("game", "how"),
    [
        *(("hexel", how) for how in SPOILT),
        *(
            (game, how)
            for game in ("hexdragon", "hexapod", "comet")
            for how in ("blurred", "dark", "burnt out", "noisy", "small")
        ),
    ],
)
def test_a_spoilt_photograph_is_refused_by_what_is_wrong_with_it(game: str, how: str) -> None:
    spoil, codes = SPOILT[how]
    picture = layout_picture(GAMES[game].layouts(DECKS[game])[0])
    with pytest.raises(UsageError) as refused:
        GAMES[game].recognizer().learn(DECKS[game], [("a.png", spoil(picture))])
    assert refused.value.code in codes, refused.value.message


def test_a_photograph_of_large_cards_is_refused_where_blur_would_leave_most_symbols_open() -> None:
    picture = layout_picture(LAYOUT)  # cards with sides of 190 pixels
    assert learn(TEACHING, "hexel36", [("a.png", cv2.GaussianBlur(picture, (0, 0), 6))])
    with pytest.raises(TeachingRefused, match="blurred"):
        learn(TEACHING, "hexel36", [("a.png", cv2.GaussianBlur(picture, (0, 0), 10))])


def test_a_photograph_of_comets_cards_is_refused_as_blurred_before_its_numbers_are_no_longer_found() -> None:
    learn_comet = GAMES["comet"].recognizer().learn
    picture = layout_picture(GAMES["comet"].layouts("comet")[0], size=(1920, 1080))
    assert learn_comet("comet", [("a.png", cv2.GaussianBlur(picture, (0, 0), 5))])
    with pytest.raises(TeachingRefused, match="blurred"):
        learn_comet("comet", [("a.png", cv2.GaussianBlur(picture, (0, 0), 9))])


def test_hexdragons_inks_are_not_taught_from_faces_that_light_has_bleached() -> None:
    picture = layout_picture(GAMES["hexdragon"].layouts(DECKS["hexdragon"])[0])
    bleached = np.clip(picture * 1.5, 0, 255).astype(np.uint8)
    with pytest.raises(UsageError) as refused:
        GAMES["hexdragon"].recognizer().learn(DECKS["hexdragon"], [("a.png", bleached)])
    assert refused.value.code == "burnt-out", refused.value.message


@pytest.fixture(scope="module")
def shown() -> tuple[Picture, list[dict[str, Any]]]:
    """A photograph of the layout, and its label with corners."""
    picture = layout_picture(LAYOUT)
    outlines = TEACHING.candidates(Pyramid.of(picture)).own
    outlines = outlines[np.argsort(outlines[:, :, 0].mean(1))]
    cards = [{"edges": [name] * 6, "corners": at.tolist()} for name, at in zip(COLOURS, outlines, strict=True)]
    return picture, cards


def relabelled(cards: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{**card, "edges": [name] * 6} for card, name in zip(cards, names, strict=False)]


def moved(cards: list[dict[str, Any]], by: float) -> list[dict[str, Any]]:
    return [{**card, "corners": (np.array(card["corners"]) + by).tolist()} for card in cards]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda cards: relabelled(cards, "blue", "red", "void"), "labels-swapped"),
        (lambda cards: relabelled(cards, "red", "red", "void"), "classes-missing"),
        (lambda cards: relabelled(cards, "pink", "blue", "void"), "unknown-name"),
        (lambda cards: cards[:2], "classes-missing"),
        (lambda cards: [*cards, cards[0]], "same-card"),
        (lambda cards: moved(cards, 260.0), "no-card"),
        (lambda cards: [{**card, "corners": [[1, 2], [3]]} for card in cards], "labels-differ"),
        (lambda cards: [{key: card[key] for key in ("edges",)} for card in cards[:2]], "labels-differ"),
    ],
)
def test_labels_that_cannot_be_are_refused(change: Callable[[Any], Any], code: str, shown: Any) -> None:
    picture, cards = shown
    with pytest.raises(UsageError) as refused:
        learn(TEACHING, "hexel36", [("a.png", picture)], [{"loose": change(cards)}])
    assert refused.value.code == code, refused.value.message


def test_swapped_beetles_are_noticed_in_warm_light_on_their_small_inks() -> None:
    layout = GAMES["hexapod"].layouts("hexapod")[0]
    warm = (layout_picture(layout) * [0.55, 0.8, 1.0]).astype(np.uint8)
    other = {"blue": "green", "green": "blue"}
    cells = [[other.get(kind, kind) for kind in row] for row in layout.places[0].label["cells"]]
    with pytest.raises(UsageError) as refused:
        GAMES["hexapod"].recognizer().learn("hexapod", [("a.png", warm)], [{"boards": [{"cells": cells}]}])
    assert refused.value.code == "labels-swapped", refused.value.message


@pytest.mark.parametrize(
    ("blue", "green", "is_refused"),
    [((124, 127, 107), (134, 105, 79), True), ((134, 105, 79), (124, 127, 107), False)],
    ids=["swapped", "as named"],
)
def test_pale_inks_of_beetles_have_a_hue(blue: Any, green: Any, is_refused: bool) -> None:
    """In dim light a green beetle that was called blue has a saturation of 0.16 and was taken for grey."""
    inks = {"blue": blue, "gold": (60, 140, 190), "green": green}
    features = [Feature(0, name, np.zeros(2), np.array(ink)) for name, ink in inks.items()]
    with pytest.raises(TeachingRefused, match="look swapped") if is_refused else nullcontext():
        require_own_inks(HEXAPOD, features)


INKS = {
    "red": (0, 0, 220),
    "blue": (220, 70, 0),
    "yellow": (0, 190, 220),
    "purple": (200, 0, 160),
    "green": (40, 200, 0),
}


@pytest.mark.parametrize(
    ("printed", "is_refused"),
    [
        ({"red": "blue", "blue": "red", "yellow": "yellow", "purple": "purple"}, True),
        ({"red": "blue", "blue": "red", "yellow": "purple", "purple": "yellow"}, True),
        ({"red": "blue", "blue": "red"}, True),
        ({"red": "blue", "blue": "red", "yellow": "green", "purple": "purple"}, False),
        ({"red": "red", "blue": "blue", "yellow": "purple", "purple": "purple"}, False),
    ],
    ids=["two swapped", "all swapped", "no other to ask", "inks that mean nothing", "one in another ink"],
)
def test_inks_are_swapped_where_the_others_bear_their_names(printed: dict[str, str], is_refused: bool) -> None:
    features = [Feature(0, name, np.zeros(2), np.array(INKS[ink])) for name, ink in printed.items()]
    with pytest.raises(TeachingRefused, match="look swapped") if is_refused else nullcontext():
        require_own_inks(TEACHING, features)


def test_a_tile_that_lies_at_anothers_place_is_refused_with_how_to_lay_it() -> None:
    layout = GAMES["hexdragon"].layouts("hexdragon")[0]
    (start, head, *others), second = layout.rows
    swapped = replace(
        layout, rows=((replace(start, drawing=head.drawing), replace(head, drawing=start.drawing), *others), second)
    )
    with pytest.raises(TeachingRefused, match="tile 1 is to be a start tile, and a head is seen on it: lay the tiles"):
        learn(HEXDRAGON, "hexdragon", [("a.png", layout_picture(swapped))])


def test_two_photographs_that_contradict_each_other_are_refused(shown: Any) -> None:
    picture, cards = shown
    labels = [{"loose": cards}, {"loose": relabelled(cards, "red", "void", "blue")}]
    with pytest.raises(UsageError) as refused:
        learn(TEACHING, "hexel36", [("a.png", picture), ("b.png", picture)], labels)
    assert refused.value.code == "labels-contradict"


def test_names_are_trusted_where_a_person_says_so(shown: Any) -> None:
    picture, cards = shown
    label = {"loose": relabelled(cards, "blue", "red", "void")}
    assert learn(TEACHING, "hexel36", [("a.png", picture)], [label], trust_names=True).symbols == (
        "blue",
        "red",
        "void",
    )
