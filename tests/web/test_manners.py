"""A phone's manners: it installs, shakes at one's turn, keeps the light that was chosen; the television speaks."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.referee.messages import Do
from companion.referee.referee import Referee

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def test_the_page_can_be_put_on_the_home_screen(spectator: FlaskClient) -> None:
    manifest = spectator.get("/static/manifest.webmanifest").get_json(force=True)
    assert (manifest["display"], manifest["start_url"]) == ("standalone", "/")
    for icon in manifest["icons"]:
        assert spectator.get(f"/static/{icon['src']}").mimetype == icon["type"]
    assert 'rel="manifest"' in spectator.get("/").get_data(as_text=True)


def test_a_phone_shakes_when_its_turn_comes_and_not_when_it_was_its_turn_already(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run(
        "Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: true } });"
        "window.shaken = 0; navigator.vibrate = () => { window.shaken += 1; return true; };"
    )
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.querySelector('#turn .mine')")
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.wait_for("!document.querySelector('#turn .mine')")
    before = page.run("return window.shaken")
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page.wait_for("document.querySelector('#turn .mine')")
    assert page.run("return window.shaken") == before + 1


def test_day_and_night_are_switched_and_kept(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    ground = "return getComputedStyle(document.body).backgroundColor"
    day = page.run(ground)
    page.run("document.getElementById('this-phone').open = true; document.getElementById('theme-dark').click()")
    night = page.run(ground)
    assert day != night
    for path in ("/", "/past"):
        page.open(page.run("return location.origin") + path)
        page.wait_for("document.documentElement.dataset.theme == 'dark'")
        assert page.run(ground) == night
    page.run("localStorage.clear()")


def test_the_television_speaks_once_its_button_was_touched(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee, "/board")
    page.run("window.said = []; speechSynthesis.speak = ({ text }) => window.said.push(text);"
             "document.getElementById('speak').click()")  # fmt: skip
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.wait_for("window.said.includes('Ana passes.')")
    page.run("localStorage.clear()")


@pytest.mark.parametrize("path", ["/", "/board"])
def test_a_browser_that_runs_no_scripts_says_so_before_the_empty_table(path: str, spectator: FlaskClient) -> None:
    """It stood below the place of the table, out of sight."""
    said, cloth = (spectator.get(path).text.index(part) for part in ("<noscript>", 'id="cloth"'))
    assert said < cloth
