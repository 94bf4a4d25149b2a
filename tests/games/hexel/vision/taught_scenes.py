"""Path-traced pictures of taught printings, cut-outs of scenes of `models.traced.hexel`, and what is told of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.recognizer import read_hexel

SCENES = Path(__file__).resolve().parent / "scenes"


def told_of_scene(
    name: str,
    taught: Mapping[str, Sequence[Sequence[float]]],
    laid: Mapping[tuple[int, int], str],
    gains: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> dict[tuple[int, int], str]:
    """The first letters of each card's symbols, in order, by the place of ``laid`` where it is told.

    Args:
        name: of the scene; its teaching picture is ``NAME-taught.jpg``.
        taught: the corners of the card of each symbol there.
        laid: what is to be told, by the cards' middles.
        gains: how many times as bright the picture's channels are made.
    """
    cards = [{"corners": corners, "edges": [symbol] * 6} for symbol, corners in taught.items()]
    teacher = cv2.imread(str(SCENES / f"{name}-taught.jpg"))
    profile = learn_hexel("hexel46", [("taught", teacher)], [{"image": "taught", "cards": cards}])
    picture = np.clip(cv2.imread(str(SCENES / f"{name}.jpg")) * np.array(gains), 0, 255).astype(np.uint8)
    reading = read_hexel(picture, FewShotSymbols(profile))
    told = {}
    for card in (*reading.cards, *reading.loose):
        place = min(laid, key=lambda at: np.linalg.norm(np.subtract(at, card.centre)))
        assert np.linalg.norm(np.subtract(place, card.centre)) < 12
        told[place] = "".join(sorted(str(edge)[0] for edge in card.edges))
    return told
