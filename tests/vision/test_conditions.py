"""What spoils a whole picture is noticed and said, and what depends on it is left open."""

from typing import Any

import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.detection.conditions import (
    NEUTRAL,
    NO_COLOUR,
    Condition,
    Tint,
    TintLimits,
    conditions_of,
    faint_of,
    is_mirrored,
    tint_of,
)
from companion.vision.geometry import SQUARE
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.photograph import comet_photograph
from models.drawing.hexapod.layouts import scene
from models.drawing.hexapod.photograph import photograph as hexapod_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexel.photograph import photograph
from tests.teaching.pictures import layout_picture

SIZE = (960, 540)
WARM, GREENISH = (0.12, 0.55, 1.0), (0.2, 1.0, 0.2)
"""What is left of blue, green and red."""
CARD = np.array([[50, 50], [149, 50], [149, 149], [50, 149]], np.float32)
"""Where a card lies on a drawn picture."""


def table(game: str) -> np.ndarray:
    """An easy picture of a table."""
    rng = np.random.default_rng(4)
    if game == "hexel":
        return photograph(rng, edition="36", size=SIZE, cards=6, hardness=0.0).bgr
    if game == "hexdragon":
        return hexdragon_photograph(rng, size=SIZE, tiles=12, hardness=0.0).bgr
    if game == "hexapod":
        return hexapod_photograph(rng, size=SIZE, laid=scene(rng, 1, (5, 5)), hardness=0.0).bgr
    return comet_photograph(rng, size=SIZE, count=6, hardness=0.0).bgr


def conditions_on(picture: np.ndarray, **more: Any) -> tuple[Condition, ...]:
    """The conditions of a picture on which one card lies, of whose printing and light nothing is known."""
    limits = TintLimits(1.0, 1.0)
    return conditions_of(
        Pyramid.of(picture), SQUARE, [CARD], tint=np.zeros(0), limits=limits, is_foreign=lambda: False, **more
    )


def coloured(reading: Any) -> int:
    """How much is stated that only colour tells."""
    parts = [
        part
        for card in (*reading.cards, *reading.loose)
        for part in (sum(card.cells, ()) if hasattr(card, "doubt") else card.edges)
    ]
    beetles = {"blue", "green", "gold", "red", "yellow", "leaf", "dung"}
    return sum(part is not None and (part in beetles or ":" in part) for part in parts)


def codes(reading: Any) -> set[str]:
    return {warning.code for warning in reading.warnings}


@pytest.mark.parametrize("tint", [WARM, GREENISH])
@pytest.mark.parametrize("game", ["hexel", "hexdragon", "hexapod"])
def test_light_that_hides_colours_is_said_and_nothing_is_told_by_them(game: str, tint: tuple[float, ...]) -> None:
    recognizer, bgr = GAMES[game].recognizer(), table(game)
    white, tinted = (recognizer.read(one, recognizer.classifier(None, None)) for one in (bgr, shaded(bgr, tint)))
    assert coloured(white) and not codes(white) & {"light", "no-colour"}
    assert not coloured(tinted)
    assert not tinted.cards or {"light", "unsure"} <= codes(tinted)


@pytest.mark.parametrize(("game", "deck"), [("hexel", "hexel36"), ("hexdragon", "hexdragon"), ("hexapod", "hexapod")])
def test_the_light_of_a_taught_table_is_held_against_that_it_was_taught_in(game: str, deck: str) -> None:
    recognizer = GAMES[game].recognizer()
    sheet = layout_picture(GAMES[game].layouts(deck)[0])
    assert recognizer.teaching is not None
    in_white, in_warm = (
        recognizer.teaching.classifier(recognizer.learn(deck, [("sheet.png", shaded(sheet, light))]))
        for light in ((1.0, 1.0, 1.0), (0.5, 0.8, 1.0))
    )
    evening = shaded(table(game), (0.2, 0.5, 1.0))
    assert "light" in codes(recognizer.read(evening, in_white))
    assert "light" not in codes(recognizer.read(evening, in_warm))


def test_numbers_in_a_mirror_are_noticed_and_not_stated() -> None:
    recognizer, bgr = GAMES["comet"].recognizer(), table("comet")
    as_it_is, mirrored = (
        recognizer.read(one, recognizer.classifier(None, None)) for one in (bgr, np.ascontiguousarray(bgr[:, ::-1]))
    )
    assert "mirrored" not in codes(as_it_is) and any(None not in card.edges for card in as_it_is.cards)
    assert {"mirrored", "unsure"} <= codes(mirrored)
    assert {edge for card in mirrored.cards for edge in card.edges} <= {None, "back"}


def test_cards_that_look_the_same_in_a_mirror_say_nothing_of_one() -> None:
    yes, no = np.ones(3, bool), np.zeros(3, bool)
    assert is_mirrored(no, yes) and not is_mirrored(yes, yes) and not is_mirrored(yes, no) and not is_mirrored(no, no)
    assert not is_mirrored(np.array([False, True]), np.array([True, True]))


def test_the_tint_is_that_of_the_cards_and_not_of_the_table() -> None:
    picture = np.full((200, 200, 3), (20, 20, 200), np.uint8)
    picture[50:150, 50:150] = (60, 120, 240)
    tint = tint_of([(Pyramid.of(picture), [CARD])]).channels
    assert np.allclose(tint[2] - tint[:2], np.log([4, 2]), atol=0.05)


def test_light_that_burns_out_blue_may_be_less_coloured() -> None:
    limits = TintLimits(usual=1.0, burnt_out=0.85, burnt_out_blue=0.6)
    blue, red = np.array([[0.5, -0.2, -0.3], [-0.3, -0.2, 0.5]], np.float32)
    assert limits.exceeded_by(Tint(blue, True), NEUTRAL)
    assert not limits.exceeded_by(Tint(red, True), NEUTRAL)
    assert not limits.exceeded_by(Tint(blue, False), NEUTRAL)
    assert not limits.exceeded_by(Tint(blue, True), blue), "taught in light as blue"
    assert not TintLimits(usual=1.0, burnt_out=0.85).exceeded_by(Tint(blue, True), NEUTRAL)


@pytest.mark.parametrize(("taught", "is_faint"), [(0.9, True), (0.4, False)])
def test_a_printing_taught_in_strong_inks_shows_none_where_little_of_them_is_left(
    taught: float, is_faint: bool
) -> None:
    lesson, picture = np.full((2, 200, 200, 3), 200, np.uint8)
    lesson[60:90, 60:140] = (200, 200, 200 * (1 - taught))
    picture[60:90, 60:140] = (200, 200, 178)
    found = conditions_on(picture, faint=lambda: faint_of([(Pyramid.of(lesson), [CARD])]))
    assert found == ((NO_COLOUR,) if is_faint else ())


@pytest.mark.parametrize(("veil", "is_faint"), [(0, False), (150, True)])
def test_cards_in_black_ink_show_as_much_colour_as_they_have(veil: int, is_faint: bool) -> None:
    lesson, picture = np.full((2, 200, 200, 3), 200, np.uint8)
    lesson[60:90, 60:140] = (veil, veil, 20 + veil)
    picture[60:90, 60:140] = (20, 20, 30)
    found = conditions_on(picture, faint=lambda: faint_of([(Pyramid.of(lesson), [CARD])]))
    assert found == ((NO_COLOUR,) if is_faint else ()), "in a veil all inks are pale"
    grey = np.repeat(picture[..., :1], 3, -1)
    assert conditions_on(grey, faint=lambda: faint_of([(Pyramid.of(lesson), [CARD])])) == (NO_COLOUR,)


@pytest.mark.parametrize(("ink", "is_faint"), [((120, 120, 120), True), ((60, 60, 200), False)])
def test_a_coloured_piece_beside_grey_cards_says_that_the_picture_has_colour(
    ink: tuple[int, int, int], is_faint: bool
) -> None:
    picture = np.full((200, 400, 3), 200, np.uint8)
    picture[60:90, 60:140] = (90, 90, 90)
    picture[90:100, 290:300] = ink
    found = conditions_on(picture, beside=[CARD * 0.4 + np.float32([256, 56])])
    assert found == ((NO_COLOUR,) if is_faint else ())


def test_green_insects_in_light_that_burns_out_blue_are_not_told_as_blue_ones() -> None:
    recognizer, bgr = GAMES["hexapod"].recognizer(), table("hexapod")
    reading = recognizer.read(shaded(bgr, (1.9, 1.0, 0.68)), recognizer.classifier(None, None))
    assert "light" in codes(reading) and not coloured(reading)


def shaded(bgr: np.ndarray, light: tuple[float, ...]) -> np.ndarray:
    """The picture in a light of which so much of each channel is left."""
    return np.clip(bgr * np.array(light), 0, 255).astype(np.uint8)
