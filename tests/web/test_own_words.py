"""A table in its own words: on the pages of past games and of calibrating nothing is left in the house's."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from companion.games import game
from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse
from companion.views.words import original, use
from companion.web.app import create_app
from companion.web.app_context import TableParts

CODE = "ROSE42"
MARK = "§"
DATA = {"Ana", "Bo", "Companion", "Kinro", "mm"}
"""What stands on a page and is nobody’s wording: names and units."""


def marked(text: Any) -> Any:
    """A phrase of which nothing is left but its fields."""
    if isinstance(text, list):
        return [MARK for _ in text]
    return MARK + " ".join(f"{{{name}}}" for _, name, _, _ in Formatter().parse(text) if name)


@pytest.fixture
def own_words(tmp_path: Path) -> Iterator[None]:
    """Every phrase of the house replaced by its fields and a mark."""
    lines = []
    for section, phrases in original().items():
        if section == "may-use":
            continue
        lines.append(f"[{section}]")
        lines += [f'"{name}" = {marked(text)!r}' for name, text in phrases.items()]
    (tmp_path / "own.toml").write_text("\n".join(lines))
    use(tmp_path / "own.toml")
    yield
    use(None)


def left_over(page: str) -> set[str]:
    """The words on a page that no phrase brought, those that are only heard included."""
    attributes = " ".join(re.findall(r'(?:aria-label|alt|title)="([^"]*)"', page))
    page = re.sub(r"<(style|script)\b.*?</\1>|<[^>]+>", " ", page, flags=re.S)
    words = set(re.findall(r"[^\W\d_]{2,}", unescape(f"{page} {attributes}")))
    return words - DATA


@pytest.fixture
def evening(table: Callable[..., Referee]) -> Referee:
    """Some chips that changed hands, a game to its end, and one that goes on."""
    referee = table()
    for header, lines in (
        (Header("comet", ("Ana", "Bo"), None, {"chips": 2000}), ("round Ana", "set Bo Kinro 9-9-9", "reveal")),
        (
            Header("hexapod", ("Ana", "Bo"), None, {"rows": 2, "cols": 2}),
            ("play Ana 0 0 bb/ol", "play Bo 0 0 mm/gg", "pass Ana", "pass Bo"),
        ),
        (Header("hexapod", ("Ana", "Bo")), ("pass Ana",)),
    ):
        referee.ask(Begin(header))
        for text in lines:
            referee.ask(Do(parse(game(header.game).rules.NOTATION, text)))
    return referee


@pytest.mark.parametrize("path", ["/past", "/past/players", "/past/2", "/past/3", "/past/4", "/past/3/page.html"])
def test_nothing_on_a_past_games_page_is_in_the_houses_words(evening: Referee, own_words: None, path: str) -> None:
    page = create_app(evening, join_code=CODE).test_client().get(path).get_data(as_text=True)
    assert MARK in page
    assert left_over(page) == set()


class Camera:
    """There is one."""

    has_camera = True

    def switch_camera(self, is_on: bool) -> None:
        """Nobody does."""


@pytest.mark.parametrize("camera, pin", [(None, None), (Camera(), "4711"), (Camera(), None)])
def test_nothing_on_the_calibration_page_is_in_the_houses_words(
    evening: Referee, own_words: None, camera: Camera | None, pin: str | None
) -> None:
    app = create_app(evening, join_code=CODE, operator_pin=pin, parts=TableParts(camera=camera, surveyor=lambda: None))
    client = app.test_client()
    client.get(f"/?code={CODE}")
    page = client.get("/calibrate").get_data(as_text=True)
    assert MARK in page
    assert left_over(page) == set()
