"""Decks that look like none that Hex'el's own networks have learnt: painted edges, and letters in one ink."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision import any_print, recognizer
from companion.games.hexel.vision.any_print import OVERLAP, with_any_print
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.recognizer import read_hexel, read_unknown
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.enrolment.sample import CONFIRMED, jpeg_of
from companion.vision.geometry import HEXAGON, shared_area
from companion.vision.image.pyramid import Pyramid
from companion.vision.tracking.layouts import agree, register
from companion.vision.tracking.regions import Unchanged, usual_width_px
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.styles import letters, painted_edges
from models.drawing.photograph import Photograph

SCENES = Path(__file__).resolve().parents[3] / "scenes"
DECKS = [("painted edges", 0), ("painted edges", 3), ("letters", 0)]
MAKERS = {"painted edges": painted_edges, "letters": letters}


@cache
def taught(style: str, seed: int) -> tuple[FewShotSymbols, Photograph]:
    """What one calm photograph teaches of a deck, and another photograph of it."""
    look = MAKERS[style](SYMBOLS["36"], np.random.default_rng(seed))
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS["36"])}
    rng = np.random.default_rng(seed + 50)
    shown = photograph(rng, size=(800, 608), printing=look, faces=faces, hardness=0.0)
    labels = [{"image": "taught", "cards": shown.truth["cards"]}]
    profile = learn_hexel("hexel36", [("taught", shown.bgr)], labels, trust_names=True)
    return FewShotSymbols(profile), photograph(rng, size=(1000, 760), printing=look, cards=6, hardness=0.2)


@pytest.mark.parametrize(("style", "seed"), DECKS)
def test_a_deck_of_any_style_is_read_from_one_photograph(style: str, seed: int) -> None:
    classifier, picture = taught(style, seed)
    truth = {tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"]}
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, classifier).cards if c.cell is not None}
    match = register(truth, told)
    assert match is not None and match.clashing == 0 and len(told) == len(truth)
    assert all(agree(truth[match.cell(cell)], match.edges(edges)) for cell, edges in told.items())


def test_a_card_of_any_style_is_read_beside_those_that_are_known() -> None:
    classifier, picture = taught("painted edges", 0)
    *known, new = read_hexel(picture.bgr, classifier).cards
    unchanged = Unchanged(known, everywhere=known, picture=picture.bgr)
    seen = read_unknown(picture.bgr, classifier, usual_width_px(known) or 0.0, unchanged)
    found = [card for card in (*seen.cards, *seen.loose) if np.linalg.norm(np.subtract(card.centre, new.centre)) < 9]
    assert [sorted(map(str, card.edges)) for card in found] == [sorted(map(str, new.edges))]


@pytest.mark.parametrize("is_thorough", [True, False], ids=["at rest", "a hand is at work"])
def test_no_card_is_looked_for_that_the_games_detector_misses_while_a_hand_is_at_work(
    is_thorough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    classifier, picture = taught("painted edges", 0)
    *known, new = read_hexel(picture.bgr, classifier).cards
    hidden = cv2.circle(
        picture.bgr.copy(), np.round(new.centre).astype(int).tolist(), int(1.2 * new.side), (40, 60, 50), -1
    )
    looked: list[bool] = []

    def look(*given: Any) -> tuple[list[Detection], NDArray[np.floating]]:
        looked.append(True)
        return with_any_print(*given)

    monkeypatch.setattr(recognizer, "with_any_print", look)
    unchanged = Unchanged(known, everywhere=known, picture=hidden, is_thorough=is_thorough)
    assert not read_unknown(hidden, classifier, usual_width_px(known) or 0.0, unchanged).cards
    assert bool(looked) == is_thorough


def test_outlines_of_the_shared_detector_are_not_compared_where_a_card_is_read() -> None:
    classifier, picture = taught("painted edges", 0)
    cards = read_hexel(picture.bgr, classifier).cards
    pyramid, corners = Pyramid.of(picture.bgr), np.stack([card.corners for card in cards])
    found = [Detection(card.corners, card.presence) for card in cards]
    for is_read in (np.zeros(len(cards), bool), np.ones(len(cards), bool)):
        compared: list[NDArray[np.floating]] = []

        def misfit(outlines: NDArray[np.float32], seen: list[NDArray[np.floating]] = compared) -> NDArray[np.floating]:
            seen.extend(outlines)
            return classifier.misfit(pyramid, outlines)

        with_any_print(pyramid, found, corners, is_read, misfit, LIMITS.as_taught)
        shared = compared[len(cards) :]
        assert any(shared_area(one, card) > OVERLAP for one in shared for card in corners) is not bool(is_read.all())


def test_cards_named_through_outlines_too_large_are_outlined_anew_and_are_no_other_deck() -> None:
    picture, dim = (cv2.imread(str(SCENES / f"edge-cards-{name}.jpg")) for name in ("taught", "in-dim-light"))
    assert picture is not None and dim is not None
    outlines = {
        "red": [[287, 116], [293, 259], [174, 332], [51, 265], [43, 125], [161, 49]],
        "blue": [[538, 108], [542, 253], [420, 328], [294, 260], [287, 117], [409, 40]],
        "void": [[799, 97], [804, 244], [677, 321], [548, 254], [541, 109], [667, 30]],
    }
    labels = [{"cards": [{"edges": [name] * 6, "corners": corners} for name, corners in outlines.items()]}]
    profile = learn_hexel("hexel36", [("taught", np.asarray(picture, np.uint8))], labels, trust_names=True)
    reading = read_hexel(np.asarray(dim, np.uint8), FewShotSymbols(profile))
    assert not reading.warnings
    told = [Counter(card.edges) for card in (*reading.cards, *reading.loose)]
    assert told == [{"red": 4, "void": 2}, {"red": 5, "void": 1}]


def test_what_was_taught_without_colour_is_told_without_colour() -> None:
    classifier = taught("letters", 0)[0]
    assert classifier.is_read_without_colour()
    assert not taught("painted edges", 0)[0].is_read_without_colour()
    profile = classifier.profile
    faint = jpeg_of(np.full_like(profile.samples[0].crop(), 90))  # as of a move in the dark
    move = replace(profile.samples[0], jpeg=faint, source=CONFIRMED)
    learnt = replace(profile, samples=(*profile.samples, move))
    assert FewShotSymbols(learnt).is_read_without_colour()
    assert not FewShotSymbols(replace(profile, samples=(move,))).is_read_without_colour()


def test_nothing_that_was_taught_in_colour_is_told_without() -> None:
    classifier, picture = taught("painted edges", 0)
    grey = cv2.cvtColor(cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    seen = read_hexel(np.asarray(grey, np.uint8), classifier)
    assert {edge for card in (*seen.cards, *seen.loose) for edge in card.edges} <= {None}


def test_what_is_as_large_as_a_printed_line_is_looked_for_farther_out_before_what_a_cloth_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture = np.full((720, 1280, 3), 70, np.uint8)

    def hexagon(x: float, y: float) -> NDArray[np.floating]:
        return np.asarray(40 * HEXAGON.unit + np.array([x, y]))

    read, unread = hexagon(60, 60), hexagon(160, 60)
    for card in (read, unread):
        cv2.fillConvexPoly(picture, np.round(16 * card).astype(np.int32), (60, 140, 60), cv2.LINE_AA, 4)
        inner = card.mean(0) + 0.68 * (card - card.mean(0))
        cv2.fillConvexPoly(picture, np.round(16 * inner).astype(np.int32), (220, 220, 220), cv2.LINE_AA, 4)
    places = [(100 * k % 1200 + 60, 160 + 100 * (k // 12)) for k in range(40)]
    cloth = [Detection(hexagon(*place).astype(np.float32), 0.4) for place in places]
    line = Detection((unread.mean(0) + 0.68 * (unread - unread.mean(0))).astype(np.float32), 0.05)
    monkeypatch.setattr(any_print, "_shared", lambda *given: [*cloth, line])

    def misfit(outlines: NDArray[np.float32]) -> NDArray[np.floating]:
        off = np.abs(outlines[:, None] - np.array([read, unread])).max((2, 3)).min(1)
        return np.where(off < 4, 1.0, 9.0)

    found = [Detection(read.astype(np.float32), 0.9)]
    pieces, _ = with_any_print(
        Pyramid.of(picture), found, corners_of(found), np.array([True]), misfit, LIMITS.as_taught, (0.68,)
    )
    assert any(np.abs(piece.corners - unread).max() < 4 for piece in pieces)
