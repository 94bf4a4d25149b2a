"""Path-traced pictures of taught sets that were once read badly: cut-outs of scenes of `models.traced.hexdragon`."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import TeachingRefused
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexdragon.vision.results import TileReading

SCENES = Path(__file__).resolve().parent / "scenes"
HEADS = {
    (210, 308): "yellow",
    (229, 197): "blue",
    (193, 419): "red",
    (256, 429): "blue",
    (114, 60): "yellow",
    (298, 380): "yellow",
    (233, 368): "red",
}
LIME_HEADS = {(78, 186): "blue", (153, 130): "yellow", (88, 277): "blue", (248, 262): "blue", (227, 74): "red"}


def owners_told(reading: TileReading, heads: dict[tuple[int, int], str]) -> dict[tuple[int, int], str | None]:
    """Whose each head is, by the nearest place of ``heads``."""
    tiles = [card for card in reading.cards if card.kind == "head"]
    return {min(heads, key=lambda at, c=card: np.linalg.norm(np.subtract(at, c.centre))): card.owner for card in tiles}


def read_scene(name: str, gains: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> TileReading:
    """A picture, its channels so many times as bright, as it is read by what its teaching picture teaches."""
    label = json.loads((SCENES / f"{name}-taught.json").read_text("utf-8"))
    taught = [(label["image"], cv2.imread(str(SCENES / f"{name}-taught.jpg")))]
    classifier = FewShotTiles(learn_hexdragon("hexdragon", taught, [label], trust_names=True))
    picture = cv2.imread(str(SCENES / f"{name}.jpg")) * np.array(gains)
    return read_hexdragon(np.clip(picture, 0, 255).astype(np.uint8), classifier)


def test_a_taught_set_is_read_on_a_board_of_its_own_colour():
    """Edges hardly show between pale tiles and a pale board: the set was told to be another game's."""
    seen = read_scene("pale-tiles")
    assert "other-game" not in {warning.code for warning in seen.warnings}
    assert sum(None not in card.edges for card in seen.cards) >= 4


def test_owners_are_told_of_heads_under_gloss():
    """Of four heads on which a lamp's gloss lies nobody's owner could be told."""
    seen = read_scene("gloss")
    assert owners_told(seen, HEADS) == HEADS
    assert sum(card.is_star for card in seen.cards) == 2


@pytest.mark.parametrize("gains", [(1.0, 1.0, 1.0), (0.74, 1.0, 1.2), (0.65, 1.0, 1.3)])
def test_owners_are_told_where_the_brightest_parts_are_other_bands_and_heads_than_were_taught(gains):
    """Bright bands on dark faces passed for coloured light, in which nobody's owner was told."""
    seen = read_scene("lime-bands", gains)
    assert owners_told(seen, LIME_HEADS) == LIME_HEADS
    assert [warning.code for warning in seen.warnings] == []


def test_discs_of_stars_are_no_small_tiles_beside_large_ones():
    """Two stars passed for tiles seen from afar: one was told as a body, and a head lay on no cell of that board."""
    tiles = [card for card in read_scene("stars-as-tiles").cards if not card.is_star]
    assert [card.kind for card in tiles] == ["head"] * 3
    assert None not in [card.cell for card in tiles]


def test_tiles_of_a_boards_own_stock_are_read_from_the_first_picture_on():
    """The start tile was outlined a fifth too small, its neighbours not at all: "no card of this game"."""
    seen = read_scene("own-stock")
    assert {card.cell: (card.kind, card.owner) for card in seen.cards} == {
        (0, 0): ("start", None),
        (-1, 1): ("head", "purple"),
        (0, 1): ("body", None),
    }
    assert [warning.code for warning in seen.warnings] == []


def test_the_paper_of_stars_is_no_light_on_dark_tiles():
    """Beside two white stars dark tiles seemed to lie in coloured light, in which nobody's owner was told."""
    seen = read_scene("dark-under-white-stars")
    assert [card.owner for card in seen.cards if not card.is_star] == ["yellow"] * 3
    assert {card.owner for card in seen.cards if card.is_star} == {"yellow", "red"}
    assert [warning.code for warning in seen.warnings] == ["no-start-tile"]


def test_a_coloured_star_says_that_a_picture_of_bodies_has_colour():
    """Bodies and the start tile are grey on this set: "the picture has no colour", and nobody's was the red star."""
    seen = read_scene("one-coloured-star")
    assert [card.owner for card in seen.cards if card.is_star] == ["red"]
    assert "no-colour" not in {warning.code for warning in seen.warnings}


def test_a_head_that_a_lamp_pales_teaches_no_ink():
    """A black head was taught as grey, and black heads were told as those of the dark green dragon."""
    label = json.loads((SCENES / "paled-head-taught.json").read_text("utf-8"))
    taught = [(label["image"], cv2.imread(str(SCENES / "paled-head-taught.jpg")))]
    with pytest.raises(TeachingRefused, match="pales tile 2, a red head") as refused:
        learn_hexdragon("hexdragon", taught, [label], trust_names=True)
    assert refused.value.code == "burnt-out"


def test_tiles_that_the_games_own_detector_hardly_sees_on_their_board_are_read():
    """On a board of about their stock two tiles were outlined wrongly, and ten of fifteen not told."""
    tiles = [card for card in read_scene("few-found").cards if not card.is_star]
    assert len(tiles) == 15 and None not in [card.cell for card in tiles]
    assert {card.owner for card in tiles if card.kind == "head"} == {"blue"}
    assert sum(card.kind == "start" for card in tiles) == 1
