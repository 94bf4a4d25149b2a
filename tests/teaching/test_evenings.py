"""Learning from evenings: only what was doubted or put right, never against what was taught, and never drifting."""

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.app.evenings import MOST_OF_A_NAME, learn_game
from companion.app.profiles import Profiles
from companion.games import GAMES
from companion.games.hexel.deck import FACES, face_shapes, outline
from companion.games.hexel.vision.enrolment import TEACHING
from companion.games.hexel.vision.recognizer import read_hexel
from companion.printing.layout import Layout, Place, in_rows
from companion.referee.moves import Kept
from companion.vision.enrolment.learning import learn
from companion.vision.evidence import evidence_picture
from companion.vision.results import in_own_frame
from tests.teaching.pictures import LAMP, layout_picture

DECK = "hexel36"


@pytest.fixture(scope="module")
def shown() -> tuple[np.ndarray, list[Any]]:
    """A picture of six cards under a lamp, and the cards as they are read on it."""
    cards = [
        Place({}, "", (0.0, 0.0), outline(), face_shapes(FACES["36"][number], "36"))
        for number in (5, 9, 14, 20, 26, 31)
    ]
    layout = Layout("cards", "", in_rows(cards, 3, (75.0, 85.0)))
    picture = layout_picture(layout, light=LAMP, brightness=0.7, seed=4)
    reading = read_hexel(picture)
    cards_read = [in_own_frame(card) for card in (*reading.cards, *reading.loose)]
    assert len(cards_read) == 6 and all(None not in card.edges for card in cards_read)
    return picture, cards_read


def kept_game(
    folder: Path, number: int, shown: tuple[np.ndarray, list[Any]], *, confidence: float, wrong: bool = False
) -> Any:
    """A past game whose moves laid the cards of a picture, one each."""
    picture, cards = shown
    path = folder / f"{number:04}.jsonl"
    evidence = path.with_suffix(".evidence")
    evidence.mkdir(parents=True)
    moves = []
    for line, card in enumerate(cards):
        jpeg = evidence_picture(picture, cards, [card])
        (evidence / f"{line:04}.jpg").write_bytes(jpeg)
        kept = Kept(f"{line:04}.jpg", hashlib.sha256(jpeg).hexdigest(), confidence)
        swap = {"red": "blue", "blue": "void", "void": "red"} if wrong else {}
        edges = [swap.get(edge, edge) for edge in card.edges]
        moves.append(SimpleNamespace(command={"cmd": "place", "cell": [0, 0], "edges": edges}, evidence=kept))
    return SimpleNamespace(number=number, path=path, moves=tuple(moves))


@pytest.fixture
def profiles(tmp_path: Path) -> Profiles:
    kept = Profiles(tmp_path)
    picture = layout_picture(GAMES["hexel"].layouts(DECK)[0], turn_deg=4)
    kept.keep(replace(learn(TEACHING, DECK, [("a", picture)]), name="Ours"))
    return kept


def confirmed(profiles: Profiles) -> list[Any]:
    return [s for s in TEACHING.read(profiles.path("ours")).samples if s.source == "confirmed"]


def test_doubted_moves_become_samples_beside_the_taught_ones(profiles: Profiles, shown: Any, tmp_path: Path) -> None:
    before = TEACHING.read(profiles.path("ours"))
    told = learn_game(
        profiles, TEACHING, profiles.path("ours"), kept_game(tmp_path / "games", 1, shown, confidence=0.8)
    )
    assert told.is_promoted and told.after >= told.before > 0
    fresh = confirmed(profiles)
    assert 0 < len(fresh) == told.samples <= 3 * MOST_OF_A_NAME
    after = TEACHING.read(profiles.path("ours"))
    assert [s.jpeg for s in after.samples if s.source == "taught"] == [s.jpeg for s in before.samples]
    assert after.name == "Ours" and after.made == before.made
    profiles.go_back("ours")
    assert np.allclose(TEACHING.read(profiles.path("ours")).looks, before.looks)


def test_what_was_certain_teaches_nothing(profiles: Profiles, shown: Any, tmp_path: Path) -> None:
    game = kept_game(tmp_path / "games", 1, shown, confidence=0.99)
    assert learn_game(profiles, TEACHING, profiles.path("ours"), game).samples == 0
    assert confirmed(profiles) == []


def test_wrong_confirmations_are_outliers_or_change_nothing(profiles: Profiles, shown: Any, tmp_path: Path) -> None:
    before = TEACHING.read(profiles.path("ours")).looks
    game = kept_game(tmp_path / "games", 1, shown, confidence=0.5, wrong=True)
    told = learn_game(profiles, TEACHING, profiles.path("ours"), game)
    assert told.samples == 0 and not told.is_promoted
    assert np.array_equal(TEACHING.read(profiles.path("ours")).looks, before)


def test_the_same_evidence_again_and_again_does_not_drift(profiles: Profiles, shown: Any, tmp_path: Path) -> None:
    looks = []
    for number in range(1, 7):
        game = kept_game(tmp_path / "games", number, shown, confidence=0.8)
        learn_game(profiles, TEACHING, profiles.path("ours"), game)
        looks.append(TEACHING.read(profiles.path("ours")).looks)
    assert np.abs(looks[-1] - looks[0]).max() < 0.05
    assert profiles.path("ours").stat().st_size < 1_000_000


def test_an_evening_is_learnt_from_once(profiles: Profiles) -> None:
    assert profiles.note_evening("ours", 3)
    assert not profiles.note_evening("ours", 3)
    assert profiles.note_evening("ours", 4)
