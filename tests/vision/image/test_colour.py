"""Without colour nothing is stated that only colour tells, and the warning says so."""

from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.vision.detection.conditions import has_colour
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexapod.layouts import scene
from models.drawing.hexapod.photograph import photograph as hexapod_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexel.photograph import photograph

SIZE = (960, 540)


def in_grey(bgr: np.ndarray, tint: tuple[float, float, float] = (1, 1, 1)) -> np.ndarray:
    """A night camera's picture, or its print on toned paper."""
    grey = cv2.cvtColor(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.asarray(np.clip(grey * np.array(tint), 0, 255), np.uint8)


def read(game: str, bgr: np.ndarray) -> Any:
    reader = GAMES[game].recognizer()
    return reader.read(bgr, reader.classifier(None, None))


def codes(reading: Any) -> set[str]:
    return {warning.code for warning in reading.warnings}


def test_owners_of_heads_are_open_in_grey_and_the_lines_are_not() -> None:
    bgr = hexdragon_photograph(np.random.default_rng(2), size=SIZE, tiles=12, hardness=0.0).bgr
    coloured, grey = read("hexdragon", bgr), read("hexdragon", in_grey(bgr))
    assert any(tile.owner for tile in coloured.cards) and "no-colour" not in codes(coloured)
    assert not any(tile.owner for tile in grey.cards) and {"no-colour", "unsure"} <= codes(grey)
    assert sum(tile.kind is not None for tile in grey.cards) > 6


def test_beetles_are_open_in_grey() -> None:
    rng = np.random.default_rng(4)
    bgr = hexapod_photograph(rng, size=SIZE, laid=scene(rng, 1, (5, 5)), hardness=0.0).bgr
    coloured, grey = read("hexapod", bgr), read("hexapod", in_grey(bgr))
    beetles = {"blue", "green", "gold", "dung", "leaf"}
    told = [
        {kind for field in (*one.cards, *one.loose) for row in field.cells for kind in row} for one in (coloured, grey)
    ]
    assert beetles & told[0] and not beetles & told[1]
    assert {"no-colour", "unsure"} <= codes(grey) and "no-colour" not in codes(coloured)


def test_coloured_symbols_are_open_in_grey() -> None:
    bgr = photograph(np.random.default_rng(5), edition="36", size=SIZE, cards=6, hardness=0.0).bgr
    coloured, grey = read("hexel", bgr), read("hexel", in_grey(bgr))
    assert "no-colour" not in codes(coloured) and any("red" in card.edges for card in coloured.cards)
    assert {"no-colour", "unsure"} <= codes(grey)
    assert {edge for card in (*grey.cards, *grey.loose) for edge in card.edges} <= {"void", None}


def test_a_tint_is_no_colour_and_small_prints_are() -> None:
    picture = np.full((200, 200, 3), 60, np.uint8)
    card = np.array([[20, 20], [180, 20], [180, 180], [20, 180]], np.float32)
    cv2.fillConvexPoly(picture, card.astype(np.int32), (230, 230, 230))
    assert not has_colour(Pyramid.of(in_grey(picture, (0.6, 0.8, 1.0))), [card])
    cv2.circle(picture, (100, 100), 20, (40, 50, 200), -1)
    assert has_colour(Pyramid.of(picture), [card])
