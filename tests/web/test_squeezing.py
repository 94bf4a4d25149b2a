"""What travels compressed, what does not, and that it is the same in the end."""

import gzip
import re

import pytest
from flask.testing import FlaskClient

from companion.views.translations import LANGUAGES

GZIP = {"Accept-Encoding": "gzip, deflate"}
FIRST_VIEW = (
    ["/", "/static/icon.svg", "/api/state"]
    + [f"/static/{name}.css" for name in ("page", "table", "sheet")]
    + ["/games/hexel/style.css", "/games/hexel/game.js"]
    + [
        f"/static/{name}.js"
        for name in (
            *(
                "main",
                "dom",
                "live",
                "games",
                "people",
                "api",
                "seat",
                "presses",
                "regions",
                "actions",
                "hexes",
                "voice",
                "language",
                "awake",
                "notices",
                "nudge",
                "theme",
                "words",
            ),
            "plain",
        )
    ]
)


@pytest.mark.parametrize("path", ["/", "/board", "/static/main.js", "/static/table.css"])
def test_text_travels_compressed_to_a_browser_that_takes_it(spectator: FlaskClient, path: str) -> None:
    plain, small = spectator.get(path, buffered=True), spectator.get(path, headers=GZIP, buffered=True)
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == plain.data
    assert int(small.headers["Content-Length"]) == len(small.data) < len(plain.data)
    assert "Accept-Encoding" in small.headers["Vary"] and "Accept-Encoding" in plain.headers["Vary"]


def test_a_browser_that_has_the_file_is_told_so(spectator: FlaskClient) -> None:
    tag = spectator.get("/static/main.js", headers=GZIP, buffered=True).headers["ETag"]
    assert spectator.get("/static/main.js", headers={**GZIP, "If-None-Match": tag}, buffered=True).status_code == 304


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_view_of_a_game_is_under_sixty_kilobytes_in_all(language: str, spectator: FlaskClient) -> None:
    asked = {**GZIP, "Accept-Language": language}
    named = re.search(r"main\.js(\?v=\w+)", spectator.get("/").text)
    assert named is not None
    versioned = [path + named[1] if path.endswith((".js", ".css", ".svg")) else path for path in FIRST_VIEW]
    answers = [spectator.get(path, headers=asked, buffered=True) for path in versioned]
    assert {answer.status_code for answer in answers} == {200}
    assert sum(len(answer.data) + sum(len(k) + len(v) + 4 for k, v in answer.headers) for answer in answers) < 60_000


def test_live_events_are_never_held_back_to_be_compressed(spectator: FlaskClient) -> None:
    answer = spectator.get("/api/events", headers=GZIP, buffered=False)
    assert "Content-Encoding" not in answer.headers
    answer.close()
