"""Learning from evenings: only what was doubted or put right, never against what was taught, and never drifting."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.app.evenings import MOST_CONFIRMED_BYTES, MOST_OF_A_NAME, learn_game, newest
from companion.app.profiles import Profiles
from companion.games import GAMES
from companion.games.comet.deck import face_shapes as comet_face
from companion.games.comet.deck import outline as comet_outline
from companion.games.comet.vision.enrolment import TEACHING as COMET
from companion.games.hexapod.deck import CELL_MM, case_shapes
from companion.games.hexapod.deck import face_shapes as hexapod_face
from companion.games.hexdragon.deck import COLOURS, HEADS
from companion.games.hexdragon.deck import face_shapes as hexdragon_face
from companion.games.hexdragon.deck import outline as hexdragon_outline
from companion.games.hexel.deck import FACES
from companion.games.hexel.deck import face_shapes as hexel_face
from companion.games.hexel.deck import outline as hexel_outline
from companion.printing.layout import Layout, Place, in_rows
from companion.printing.shapes import Shape, moved
from companion.vision.enrolment.sample import CONFIRMED, TAUGHT, Sample, times_taught
from companion.vision.evidence import Mark
from tests.teaching.pictures import LAMP, layout_picture
from tests.teaching.played import MOVES, Move, kept_game

DECKS = {"hexel": "hexel36", "hexdragon": "hexdragon", "hexapod": "hexapod", "comet": "comet"}
WRONG_NAMES = {
    "hexel": {"red": "blue", "blue": "void", "void": "red"},
    "hexdragon": {"red": "blue", "blue": "yellow", "yellow": "purple", "purple": "red"},
    "hexapod": {"blue": "green", "green": "gold", "gold": "blue", "dung": "leaf", "leaf": "dung"},
}


def _places(faces: list[tuple[Shape, ...]], outline: Any, per_row: int, step: tuple[float, float]) -> Layout:
    return Layout("", "", in_rows([Place({}, "", (0.0, 0.0), outline, face) for face in faces], per_row, step))


def _case() -> Layout:
    half = 2.5 * CELL_MM
    cards = {
        (0, 0): (("blue", "green"), ("gold", "dung")),
        (0, 2): (("leaf", "blue"), ("green", "gold")),
        (2, 0): (("stag", "leaf"), ("stag", "dung")),
        (2, 2): (("moth", "moth"), ("blue", "green")),
    }
    laid = [
        moved(hexapod_face(cells), ((col + 1) * CELL_MM, (row + 1) * CELL_MM)) for (row, col), cells in cards.items()
    ]
    drawn = moved((*case_shapes(), *(shape for card in laid for shape in card)), (-half, -half))
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    return Layout("", "", ((Place({}, "", (0.0, 0.0), corners, drawn),),))


TABLES = {
    "hexel": lambda: _places(
        [hexel_face(FACES["36"][number], "36") for number in (5, 9, 14, 20, 26, 31)], hexel_outline(), 3, (75.0, 85.0)
    ),
    "hexdragon": lambda: _places(
        [hexdragon_face(HEADS[k], colour) for k, colour in enumerate(COLOURS)], hexdragon_outline(), 2, (62.0, 72.0)
    ),
    "hexapod": _case,
    "comet": lambda: _places(
        [comet_face(values) for values in ((3, 6, 9), (2, 4, 14), (5, 8, 12), (7, 10, 13))],
        comet_outline(),
        2,
        (80.0, 110.0),
    ),
}
"""What lies on the table under a lamp."""


class Evening:
    """A game's taught printing, and what was read by it on one picture."""

    def __init__(self, game: str) -> None:
        recognizer = GAMES[game].recognizer()
        assert recognizer.teaching is not None
        self.game, self.deck, self.teaching = game, DECKS[game], recognizer.teaching
        taught = layout_picture(GAMES[game].layouts(self.deck)[0], turn_deg=4)
        self.profile = replace(recognizer.learn(self.deck, [("a", taught)]), name="Ours")
        self.picture = layout_picture(TABLES[game](), light=LAMP, brightness=0.7, seed=4)
        reading = recognizer.read(self.picture, self.teaching.classifier(self.profile))
        self.moves = list(MOVES[game](reading))

    def renamed(self) -> list[Move]:
        """The moves, each under other names."""
        if self.game == "comet":
            return [({**command, "cards": [[(v - 1) % 13 + 2 for v in c] for c in command["cards"]]}, news, known)
                    for command, news, known in self.moves]  # fmt: skip
        names = WRONG_NAMES[self.game]

        def renamed(command: Any) -> Any:
            parts = json.dumps(command).split('"')
            return json.loads('"'.join(names.get(part, part) for part in parts))

        return [(renamed(command), news, known) for command, news, known in self.moves]


@pytest.fixture(scope="module", params=["hexel", "hexdragon", "hexapod", "comet"])
def evening(request: Any) -> Evening:
    return Evening(request.param)


@pytest.fixture
def profiles(tmp_path: Path, evening: Evening) -> Profiles:
    kept = Profiles(tmp_path)
    kept.keep(evening.profile)
    return kept


def learn(profiles: Profiles, evening: Evening, tmp_path: Path, number: int = 1, **how: Any) -> Any:
    game = kept_game(tmp_path / "games", number, evening.picture, how.pop("moves", evening.moves), **how)
    return learn_game(profiles, evening.teaching, profiles.path("ours"), game)


def samples_of(profiles: Profiles, evening: Evening, source: str) -> list[Sample]:
    return [one for one in evening.teaching.read(profiles.path("ours")).samples if one.source == source]


def test_doubted_moves_become_samples_beside_the_taught_ones(
    profiles: Profiles, evening: Evening, tmp_path: Path
) -> None:
    assert len(evening.moves) >= 2
    taught = samples_of(profiles, evening, TAUGHT)
    told = learn(profiles, evening, tmp_path)
    assert told.is_promoted and told.names >= told.after >= told.before > 0
    fresh = samples_of(profiles, evening, CONFIRMED)
    assert 0 < len(fresh) == told.samples
    names = [cutout.name for sample in fresh for cutout in evening.teaching.cutouts(sample)]
    assert evening.game == "hexel" or max(map(names.count, names)) <= MOST_OF_A_NAME + 1
    assert [one.jpeg for one in samples_of(profiles, evening, TAUGHT)] == [one.jpeg for one in taught]
    after = evening.teaching.read(profiles.path("ours"))
    assert after.name == "Ours" and after.made == evening.profile.made
    again = GAMES[evening.game].recognizer().read(evening.picture, evening.teaching.classifier(after))
    assert len(list(MOVES[evening.game](again))) >= len(evening.moves)
    profiles.go_back("ours")
    assert samples_of(profiles, evening, CONFIRMED) == []


def test_what_was_certain_teaches_nothing(profiles: Profiles, evening: Evening, tmp_path: Path) -> None:
    assert learn(profiles, evening, tmp_path, confidence=0.99).samples == 0
    assert samples_of(profiles, evening, CONFIRMED) == []


def test_wrong_confirmations_are_outliers_or_change_nothing(
    profiles: Profiles, evening: Evening, tmp_path: Path
) -> None:
    told = learn(profiles, evening, tmp_path, moves=evening.renamed(), confidence=0.5)
    assert told.samples == 0 and not told.is_promoted
    assert samples_of(profiles, evening, CONFIRMED) == []


def test_what_a_player_put_right_is_learnt_though_it_was_certain(
    profiles: Profiles, evening: Evening, tmp_path: Path
) -> None:
    """The camera misread one thing on the first card; what stands in the record is what lies there."""
    command, (first, *others), known = evening.moves[0]
    swap = {"comet": lambda edge: str(int(edge) % 13 + 2)}.get(evening.game, lambda edge: "misread")
    at = next((i for i, edge in enumerate(first.edges) if str(edge).startswith("head:")), 0)
    misread = replace(first, edges=tuple(swap(e) if i == at else e for i, e in enumerate(first.edges)))
    told = learn(profiles, evening, tmp_path, moves=[(command, [misread, *others], known)], confidence=0.99)
    assert told.samples == 1 and told.is_promoted


def test_the_same_evidence_again_and_again_ends_up_the_same(
    profiles: Profiles, evening: Evening, tmp_path: Path
) -> None:
    right = [learn(profiles, evening, tmp_path, number) for number in range(1, 5)]
    assert all(told.after == told.names for told in right)
    kept = samples_of(profiles, evening, CONFIRMED)
    assert sum(len(one.jpeg) for one in kept) <= MOST_CONFIRMED_BYTES
    assert profiles.path("ours").stat().st_size < 1_000_000


def test_a_printing_keeps_the_newest_samples_that_find_room() -> None:
    samples = [Sample({}, bytes(MOST_CONFIRMED_BYTES // 3), light, CONFIRMED) for light in range(5)]
    assert [one.light for one in newest(samples)] == [2, 3, 4]


def test_confirmed_looks_never_outweigh_the_taught_ones() -> None:
    for taught in range(1, 9):
        for confirmed in range(40):
            assert confirmed <= 0.5 * taught * times_taught(taught, confirmed)


@pytest.mark.parametrize(
    ("faces", "cards", "values"),
    [
        ([("3", "6", "9")], [[3, 6, 10]], [[3, 6, 10]]),  # a 9 put right
        ([("3", "6", "9"), ("2", "4", "14")], [[2, 4, 13], [3, 6, 9]], [[3, 6, 9], [2, 4, 13]]),
        ([("5", "5", "9")], [[5, 6, 9]], []),  # which 5 was meant?
        ([("3", "6", "9")], [[2, 4, 14]], []),  # another card altogether
        ([("3", "6", "9")], [[3, 6, 9], [2, 4, 14]], []),  # a card was added by hand
    ],
)
def test_a_comet_number_that_was_put_right_is_put_in_its_place(faces: Any, cards: Any, values: Any) -> None:
    places = SimpleNamespace(as_rows=lambda: [])
    news = [Mark(np.zeros((4, 2), np.float32), face, 0, True, None) for face in faces]
    told = COMET.confirmed(SimpleNamespace(half_width=0.7, places=places), {"cmd": "set", "cards": cards}, news)
    assert [one.card["values"] for one in told] == values


def test_a_comet_card_that_is_read_about_is_turned_back() -> None:
    corners = np.arange(8, dtype=np.float32).reshape(4, 2)
    places = SimpleNamespace(as_rows=lambda: [])
    mark = Mark(corners, ("9", "6", "3"), 2, True, None)
    (told,) = COMET.confirmed(
        SimpleNamespace(half_width=0.7, places=places), {"cmd": "set", "cards": [[3, 6, 9]]}, [mark]
    )
    assert told.card["values"] == [3, 6, 9] and np.array_equal(told.corners, np.roll(corners, -2, 0)) and told.was_read


def test_an_evening_is_learnt_from_once_and_told_of(profiles: Profiles, evening: Evening) -> None:
    assert profiles.note_evening("ours", 3)
    assert not profiles.note_evening("ours", 3)
    assert profiles.kept()[0].evenings == ()
    profiles.write_evening("ours", 3, {"game": 3, "samples": 2})
    assert profiles.note_evening("ours", 4)
    assert [one["game"] for one in profiles.kept()[0].evenings] == [3]
    profiles.forget("ours")
    profiles.keep(evening.profile)
    assert profiles.note_evening("ours", 3)  # another printing of the same name
