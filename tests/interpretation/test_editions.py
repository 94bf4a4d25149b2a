"""Which edition of its deck a game is played with: what the header says, in the readers' words."""

import pytest

from companion.games import GAMES
from companion.rules.engine import Header
from companion.rules.records import read_header


@pytest.mark.parametrize(("options", "size"), [({}, (5, 5)), ({"rows": 4, "cols": 6}, (4, 6))])
def test_hexapods_cases_are_read_at_the_size_that_the_header_gives(
    options: dict[str, int], size: tuple[int, int]
) -> None:
    header = read_header({"record": 1, "game": "hexapod", "players": ["Ana", "Bo"], "options": options})
    classifier = GAMES["hexapod"].recognizer().classifier(GAMES[header.game].deck_edition(header), None)
    assert (classifier.rows, classifier.cols) == size


def test_other_games_are_read_by_their_edition() -> None:
    assert GAMES["hexel"].deck_edition(Header("hexel", ("Ana", "Bo"), "46")) == "46"
    assert GAMES["comet"].deck_edition(Header("comet", ("Ana", "Bo"))) is None
