"""A phone fetches each of the pages' files once, and anew when any has changed."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.referee.referee import Referee
from companion.views.games import page_folders
from companion.web import page_files
from companion.web.app import create_app
from tests.web.conftest import CODE, READY

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

MAP = re.compile(r'<script type="importmap">(.*?)</script>')
NAMED = re.compile(r'(?:href|src)="(/(?:static|games)/[^"]+)"')


def addresses(client: FlaskClient) -> dict[str, str]:
    found = MAP.search(client.get("/").text)
    assert found is not None
    return dict(json.loads(found[1])["imports"])


@pytest.mark.parametrize("path", ["/", "/board", "/past"])
def test_what_a_page_names_may_be_kept(spectator: FlaskClient, path: str) -> None:
    named = NAMED.findall(spectator.get(path).text)
    assert len(named) > 3
    for address in named:
        with spectator.get(address) as answer:
            assert answer.status_code == 200
            assert "immutable" in answer.headers["Cache-Control"]
            assert "Cookie" not in answer.headers["Vary"]


@pytest.mark.parametrize("version", ["", "?v=", "?v=0123456789", "?v=%00"])
def test_without_todays_version_a_file_is_asked_for_each_time(spectator: FlaskClient, version: str) -> None:
    with spectator.get(f"/static/main.js{version}") as answer:
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-cache"


def test_that_a_file_is_missing_is_not_kept(spectator: FlaskClient) -> None:
    version = addresses(spectator)["/static/main.js"].partition("?")[2]
    for address in ("/static/none.js", "/games/hexel/none.js", "/games/hexel/words.toml"):
        answer = spectator.get(f"{address}?{version}")
        assert answer.status_code == 404
        assert "immutable" not in answer.headers["Cache-Control"]


def test_every_script_that_another_imports_has_a_versioned_address(spectator: FlaskClient) -> None:
    house = Path(page_files.__file__).parent / "static"
    scripts = {f"/static/{path.name}" for path in house.glob("*.js")}
    scripts |= {f"/games/{name}/{path.name}" for name, folder in page_folders().items() for path in folder.glob("*.js")}
    assert addresses(spectator).keys() == scripts
    for address, versioned in addresses(spectator).items():
        assert versioned.startswith(f"{address}?v=")


@pytest.mark.parametrize("path", ["/", "/past", "/nowhere"])
def test_no_other_script_in_a_page_is_allowed_than_its_import_map(spectator: FlaskClient, path: str) -> None:
    answer = spectator.get(path, headers={"Accept": "text/html"})
    found = MAP.search(answer.text)
    assert found is not None
    allowed = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{allowed}';" in answer.headers["Content-Security-Policy"]


def test_a_phone_fetches_each_file_once_until_one_changes(
    referee: Referee,
    window: Any,
    serve: Callable[[Flask], int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def noted(app: Flask) -> Callable[..., Any]:
        answer = app.wsgi_app

        def note(environ: dict[str, Any], start: Any) -> Any:
            if environ["PATH_INFO"].endswith((".js", ".css")):
                asked.append(environ["PATH_INFO"])
            return answer(environ, start)

        return note

    def look_around() -> set[str]:
        asked.clear()
        for path in ("/board", "/past", "/"):
            window.open(table + path)
            window.wait_for(READY if path != "/past" else "document.readyState == 'complete'")
        assert len(asked) == len(set(asked))
        return set(asked)

    app = create_app(referee, join_code=CODE)
    app.wsgi_app = noted(app)  # type: ignore[method-assign]
    table = f"http://127.0.0.1:{serve(app)}"
    window.open(f"{table}/?code={CODE}")
    window.wait_for(READY)  # what a page that is left has asked for is asked for again
    look_around()
    assert look_around() == set()

    files, another = page_files._files, tmp_path / "another.css"
    another.write_text("p { color: red; }")
    monkeypatch.setattr(page_files, "_files", lambda app: [*files(app), ("/static/another.css", another)])
    app.wsgi_app = noted(create_app(referee, join_code=CODE))  # type: ignore[method-assign]
    assert {"/static/main.js", "/static/dom.js", "/static/table.css", "/games/hexel/game.js"} <= look_around()
    assert look_around() == set()
