"""Reading single photographs: right on calm pictures, doubtful where a symbol is hidden, never wrong as a fact."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games.hexel.vision.classifier import CLASSES, PretrainedSymbols
from companion.games.hexel.vision.recognizer import read_hexel, read_unknown
from companion.rules.hexgrid import Cell
from companion.vision.image.codec import load_picture
from companion.vision.results import Reading, aligned, is_near
from companion.vision.tracking.layouts import Edges, agree, register
from companion.vision.tracking.regions import Unchanged
from models.drawing.hexel.photograph import photograph

SCENES = Path(__file__).resolve().parents[5] / "shared" / "scenes"


def faces(reading: Reading) -> dict[Cell, Edges]:
    """What is read in each cell of the tableau."""
    assert all(card.cell is not None for card in reading.cards)
    return {card.cell: card.edges for card in reading.cards if card.cell is not None}


def test_a_picture_without_cards_warns_that_nothing_was_found() -> None:
    reading = read_hexel(np.full((480, 640, 3), 90, np.uint8))
    assert reading.cards == reading.loose == ()
    assert [w.code for w in reading.warnings] == ["nothing-found"]


@pytest.mark.parametrize("edition", ["36", "46"])
@pytest.mark.parametrize("seed", [11, 12])
def test_a_calm_drawn_table_is_read_without_a_fault(edition: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    picture = photograph(rng, edition=edition, printing="exact", cards=9, across_px=95, hardness=0.0)
    reading = read_hexel(picture.bgr)
    truth = {tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"] if not c.get("cut")}
    match = register(truth, faces(reading))
    assert match is not None
    assert {match.cell(cell): match.edges(edges) for cell, edges in faces(reading).items()} == truth
    assert reading.classifier == PretrainedSymbols(edition)


def test_the_input_is_not_written_to() -> None:
    picture = photograph(np.random.default_rng(3), size=(640, 480), cards=3).bgr
    before = picture.copy()
    picture.flags.writeable = False
    read_hexel(picture)
    assert (picture == before).all()


def test_an_uncertain_symbol_is_not_stated() -> None:
    p = np.full((6, len(CLASSES)), 0.02, np.float32)
    p[:, 0] = 0.9 + 0.0
    p[2] = 0.02
    p[2, 0], p[2, 1] = 0.5, 0.42
    p[:, 0][p[:, 0] > 0.8] = 0.97
    assert PretrainedSymbols("36").accept(p) == ("red", "red", None, "red", "red", "red")


def test_of_three_kinds_on_a_card_the_least_certain_is_doubted() -> None:
    p = np.zeros((6, len(CLASSES)), np.float32)
    p[0:3, CLASSES.index("red")] = 0.99
    p[3:5, CLASSES.index("void")] = 0.99
    p[5, CLASSES.index("blue-disc")] = 0.97
    assert PretrainedSymbols("36").accept(p) == ("red", "red", "red", "void", "void", None)


def test_a_symbol_of_the_other_edition_is_doubted() -> None:
    p = np.zeros((6, len(CLASSES)), np.float32)
    p[:5, CLASSES.index("red")] = 0.99
    p[5, CLASSES.index("yellow")] = 0.99
    assert PretrainedSymbols("36").accept(p)[5] is None
    assert PretrainedSymbols("46").accept(p)[5] == "yellow"


def test_a_file_that_is_no_picture_is_none(tmp_path: Path) -> None:
    fake = tmp_path / "a.jpg"
    fake.write_text("not a picture")
    empty = tmp_path / "b.jpg"
    empty.touch()
    assert load_picture(fake) is None
    assert load_picture(empty) is None
    assert load_picture(tmp_path / "missing.jpg") is None
    cut = tmp_path / "c.jpg"
    cut.write_bytes(cv2.imencode(".jpg", np.zeros((9, 9, 3), np.uint8))[1].tobytes()[:30])
    assert load_picture(cut) is None


@pytest.mark.skipif(not SCENES.is_dir(), reason="the sample photographs are not beside this checkout")
@pytest.mark.parametrize("deck", ["hexel36", "hexel46"])
def test_the_sample_photographs_are_read_right_and_nothing_wrong_is_stated(deck: str) -> None:
    right = total = 0
    for line in (SCENES / deck / "truth.jsonl").read_text().splitlines():
        entry = json.loads(line)
        picture = load_picture(SCENES / deck / entry["image"])
        assert picture is not None, entry["image"]
        reading = read_hexel(picture)
        truth = {tuple(c["cell"]): tuple(c["edges"]) for c in entry["cards"]}
        match = register(truth, faces(reading))
        assert match is not None, entry["image"]
        for cell, edges in faces(reading).items():
            face = truth[match.cell(cell)]
            told = match.edges(edges)
            assert all(t is None or t == f for t, f in zip(told, face, strict=True)), (entry["image"], cell)
            right += told == face
        total += len(truth)
        assert len(reading.loose) <= len(entry["loose"]) + len(entry["ignore"])
    assert right >= 0.98 * total


def test_beside_known_cards_only_the_new_one_is_read_and_in_its_cell() -> None:
    picture = photograph(np.random.default_rng(11), printing="exact", cards=9, across_px=95, hardness=0.0).bgr
    whole = read_hexel(picture)
    new, *known = whole.cards
    neighbouring_places = read_unknown(picture, whole.classifier, new.side * 3**0.5, Unchanged(known))
    assert [is_near(card, new, 0.1) for card in neighbouring_places.cards] == [True]
    assert neighbouring_places.cards[0].cell is not None
    assert agree(aligned(neighbouring_places.cards[0], new).edges, aligned(new, new).edges)
    assert not [card for card in neighbouring_places.loose if any(is_near(card, other, 0.5) for other in known)]
