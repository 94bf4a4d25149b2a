"""Tables of invented printings, each taught from one photograph: a classifier of it, and a calm picture of a table."""

from collections.abc import Callable
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.games.comet.vision.enrolment import learn_comet
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.hexapod.vision.enrolment import learn_hexapod
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from models.drawing.comet.photograph import comet_photograph, teaching_photograph
from models.drawing.comet.printings import plain_typefaces
from models.drawing.comet.styles import STYLES, styled
from models.drawing.hexapod import photograph as hexapod
from models.drawing.hexapod import printings as insects
from models.drawing.hexapod.layouts import scene, showing_all
from models.drawing.hexdragon.layouts import teaching_table
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph as hexel_photograph
from models.drawing.photograph import Photograph

TaughtTable = tuple[Any, Photograph]
SIZE = (1280, 720)
HARDNESS = 0.25
"""A camera that stands over a table in a lit room."""
TEACHINGS = 8
"""So many printings are tried until a photograph of one is accepted."""


def taught_table(game: str, rng: np.random.Generator) -> TaughtTable:
    """A game's table of a printing that one photograph taught; printings whose photograph is refused are left out."""
    for _ in range(TEACHINGS):
        try:
            return _TABLES[game](rng)
        except UsageError:
            continue
    raise RuntimeError(f"no photograph of {TEACHINGS} printings of {game} was accepted")


def _comet(rng: np.random.Generator) -> TaughtTable:
    look = styled(list(plain_typefaces()), rng, str(rng.choice(sorted(STYLES))))
    shown = teaching_photograph(rng, look, SIZE)
    in_order = sorted(shown.truth["cards"], key=lambda card: float(np.mean(card["corners"], axis=0)[0]))
    label = {"cards": [{"values": card["printed"]} for card in in_order]}
    classifier = TaughtNumerals(learn_comet("comet", [("taught", shown.bgr)], [label]))
    count = int(rng.integers(4, 15))
    return classifier, comet_photograph(rng, size=SIZE, printing=look, count=count, hardness=HARDNESS)


def _hexel(rng: np.random.Generator) -> TaughtTable:
    edition = str(rng.choice(sorted(SYMBOLS)))
    look, faces = invented(SYMBOLS[edition], rng), {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS[edition])}
    shown = hexel_photograph(rng, edition=edition, printing=look, faces=faces, hardness=0.0)
    label = {"image": "taught", "cards": shown.truth["cards"]}
    classifier = FewShotSymbols(learn_hexel(f"hexel{edition}", [("taught", shown.bgr)], [label]))
    cards = int(rng.integers(4, 16))
    return classifier, hexel_photograph(rng, edition=edition, printing=look, cards=cards, hardness=HARDNESS)


def _hexdragon(rng: np.random.Generator) -> TaughtTable:
    look = drawing_of("invented", rng)
    shown = hexdragon_photograph(rng, printing=look, table=teaching_table(rng), hardness=0.0)
    label = {"image": "taught", "tiles": shown.truth["tiles"]}
    classifier = FewShotTiles(learn_hexdragon("hexdragon", [("taught", shown.bgr)], [label]))
    return classifier, hexdragon_photograph(rng, printing=look, hardness=HARDNESS)


def _hexapod(rng: np.random.Generator) -> TaughtTable:
    look = insects.invented(rng)
    shown = hexapod.photograph(rng, printing=look, laid=showing_all(rng), hardness=HARDNESS)
    board = shown.truth["boards"][0]
    label = {"boards": [{"cells": board["laid"], "corners": board["corners"]}]}
    profile = learn_hexapod("hexapod", [("taught", shown.bgr)], [label], trust_names=True)
    table = hexapod.photograph(rng, printing=look, laid=scene(rng, grid=(5, 5)), hardness=HARDNESS)
    return profile.classifier(), table


_TABLES: dict[str, Callable[[np.random.Generator], TaughtTable]] = {
    "comet": _comet,
    "hexel": _hexel,
    "hexdragon": _hexdragon,
    "hexapod": _hexapod,
}
