"""Which edition of its deck a game is played with: what the header says, in the readers' words."""

import pytest

from companion.meaning.table import edition_of
from companion.rules.engine import Header, read_header
from companion.vision.readers import READERS


@pytest.mark.parametrize(("options", "size"), [({}, (5, 5)), ({"rows": 4, "cols": 6}, (4, 6))])
def test_hexapods_cases_are_read_at_the_size_that_the_header_gives(
    options: dict[str, int], size: tuple[int, int]
) -> None:
    header = read_header({"record": 1, "game": "hexapod", "players": ["Ana", "Bo"], "options": options})
    namer = READERS["hexapod"].namer(edition_of(header), None)
    assert (namer.rows, namer.cols) == size


def test_other_games_are_read_by_their_edition() -> None:
    assert edition_of(Header("hexel", ("Ana", "Bo"), "46")) == "46"
    assert edition_of(Header("comet", ("Ana", "Bo"))) is None
