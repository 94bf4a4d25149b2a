"""A printing of Hex'el that no network was trained on, and the classifier that has learnt it."""

import numpy as np
import pytest

from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import Mark, Printing


@pytest.fixture(scope="session")
def light_printing():
    """A light printing of Hex'el that no network was taught, and the namer that has learnt it."""
    look = Printing(
        {
            "red": Mark("star", (40, 40, 190)),
            "blue": Mark("square", (160, 90, 20)),
            "void": Mark("ring", (30, 30, 30), 0.2),
        }
    )
    faces = {(i, 0): (name,) * 6 for i, name in enumerate(look.marks)}
    rng = np.random.default_rng(1)
    taught = photograph(rng, edition="36", size=(800, 608), printing=look, faces=faces, hardness=0.0)
    label = {"image": "taught", "cards": taught.truth["cards"]}
    return look, FewShotSymbols(learn_hexel("hexel36", [("taught", taught.bgr)], [label]))
