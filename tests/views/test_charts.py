"""Charts of what counts: the numbers of games worked out by hand, a description in words, lines that differ."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from companion.referee.session import Session, begin
from companion.rules.engine import Header
from companion.views.archive.charts import changes_of, chart, in_words, key, ticks
from companion.views.archive.measures import Series, series_of

Play = Callable[..., Session]

SVG = "{http://www.w3.org/2000/svg}"


def only(session: Session) -> Series:
    (series,) = series_of(session)
    return series


def test_chips_are_counted_wherever_they_lie(played: Play) -> None:
    series = only(played("hexel"))
    assert series.values == {"Ana": (100,) * 6 + (103,), "Bo": (100,) * 6 + (97,)}
    assert series.ends == (6,)


@pytest.mark.parametrize(
    ("game", "name", "last"),
    [
        ("hexdragon", "points", {"Ana": 3, "Bo": 3}),
        ("comet", "chips", {"Ana": 1750, "Bo": 1800}),
        ("hexapod", "points", {"Ana": 9, "Bo": 15}),
    ],
)
def test_every_game_has_what_counts_in_it(played: Play, game: str, name: str, last: dict[str, int]) -> None:
    session = played(game)
    series = only(session)
    assert series.measure.name == name
    assert {player: values[-1] for player, values in series.values.items()} == last
    assert all(len(values) == len(session.moves) + 1 for values in series.values.values())


def test_the_picture_has_a_title_and_says_in_words_what_it_shows(played: Play) -> None:
    root = ElementTree.fromstring(chart(only(played("comet")), "chart-1"))
    title, words = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert words is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"
    assert words.text == (
        "Chips over 10 moves: Ana from 2000 to 1750, between 1700 and 2000; "
        "Bo from 2000 to 1800, between 1700 and 2000. A game was over after move 10."
    )


def test_a_line_steps_where_the_number_changes(played: Play) -> None:
    root = ElementTree.fromstring(chart(only(played("hexel")), "c"))
    lines = [part.get("d") or "" for part in root.iter(f"{SVG}path") if "line" in str(part.get("class"))]
    steps = [re.findall(r"V([\d.]+)", line) for line in lines]
    assert [len(step) for step in steps] == [1, 1], "each changed once"
    assert float(steps[0][0]) < float(steps[1][0]), "Ana, who won, ends higher up"


def test_lines_differ_by_dash_and_mark_not_by_colour_alone(played: Play) -> None:
    six = only(played("comet", "round A", header=Header("comet", tuple("ABCDEF"))))
    root = ElementTree.fromstring(chart(six, "c"))
    lines = [part for part in root.iter(f"{SVG}path") if "line" in str(part.get("class"))]
    assert len({part.get("stroke-dasharray") for part in lines}) == 6
    marks = [part for part in root.iter(f"{SVG}path") if "mark" in str(part.get("class"))]
    assert len({part.get("d") for part in marks}) == 6
    assert len({key(n) for n in range(6)}) == 6


def test_the_last_numbers_never_lie_over_each_other(played: Play) -> None:
    six = only(played("comet", "round A", header=Header("comet", tuple("ABCDEF"))))
    root = ElementTree.fromstring(chart(six, "c"))
    heights = sorted(float(part.get("y") or 0) for part in root.iter(f"{SVG}text") if "last" in str(part.get("class")))
    assert all(b - a > 12 for a, b in pairwise(heights))
    assert heights[-1] <= 250


def test_names_cannot_break_out_of_the_picture(played: Play) -> None:
    nasty = '<script>"&'
    session = played("comet", f"round {json.dumps(nasty)}", header=Header("comet", (nasty, "Bo")))
    text = chart(only(session), "c")
    assert "<script" not in text
    assert ElementTree.fromstring(text).find(f"{SVG}desc") is not None


def test_a_game_without_a_move_is_a_picture_too() -> None:
    for header in (Header("hexel", ("Ana",)), Header("hexapod", ("Ana", "Bo"))):
        session = begin(header, 1)
        assert ElementTree.fromstring(chart(only(session), "c")) is not None
        assert in_words(only(session)).split(":")[0].endswith("no moves")


def test_the_table_beside_it_holds_the_moves_that_changed_something(played: Play) -> None:
    assert changes_of(only(played("comet"))) == [
        (0, {"Ana": 2000, "Bo": 2000}),
        (1, {"Ana": 1700, "Bo": 1700}),
        (5, {"Ana": 1750, "Bo": 1750}),
        (9, {"Ana": 1750, "Bo": 1800}),
        (10, {"Ana": 1750, "Bo": 1800}),
    ]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (97, 103), (-13, 2), (0, 2_000_000), (5, 5), (-1, 0)])
def test_the_scale_is_round_and_holds_every_number(low: int, high: int) -> None:
    steps = ticks(low, high)
    assert steps[0] <= low <= high <= steps[-1]
    assert 2 <= len(steps) <= 8
    assert len({b - a for a, b in pairwise(steps)}) == 1
