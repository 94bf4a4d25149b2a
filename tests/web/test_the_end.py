"""The end of a game: its ranking, totals that add up, a rematch; and the great moments as scenes."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

ENDS = {
    "hexapod": ("play Ana 0 0 bb/ol", "pass Bo", "pass Ana"),
    "comet": ("round Ana", "set Bo Kinro 9-9-9", "reveal", "round Bo", "reveal", "stop"),
}


def lay(referee: Referee, *lines: str) -> None:
    game = referee.latest().game
    for line in lines:
        referee.ask(Do(parse(game.NOTATION, line)))


@pytest.mark.parametrize("game", sorted(ENDS))
def test_the_end_shows_the_ranking_once_and_begins_the_rematch(
    game: str, referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    page = visit(referee)
    lay(referee, *ENDS[game])
    page.wait_for("document.getElementById('rematch')")
    places = page.run(
        "return [...document.querySelectorAll('#sheet .places li')].map((li) => li.innerText.split('\\n'))"
    )
    finale = page.run("return fetch('/api/state').then((r) => r.json()).then((s) => s.finale)")
    assert [[name, int(total)] for _, name, total in places] == [
        [row["name"], row["total"]] for row in finale["ranking"]
    ]
    assert page.run("return document.querySelector('#sheet .winner').textContent").startswith(places[0][1])
    lay_so = "document.querySelector('#sheet .cloth').textContent == document.getElementById('cloth').textContent"
    assert page.run(f"return {lay_so}")
    page.run("document.getElementById('rematch').click()")
    page.wait_for("!document.getElementById('sheet').open && !document.body.classList.contains('has-finale')")
    assert not referee.latest().moves
    assert page.complaints() == []


def test_the_television_shows_the_end_beside_the_table_as_it_lay(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(1920, 1080)
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    lay(referee, *ENDS["hexapod"])
    page = visit(referee, "/board")
    assert "wins" in page.run("return document.querySelector('#finale .winner').textContent")
    assert page.run("return document.querySelector('.case').getBoundingClientRect().height") > 200
    assert page.run("return document.documentElement.scrollHeight") == 1080


def test_comets_turning_up_is_a_scene_that_a_tap_goes_through(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    lay(referee, "round Ana", "set Bo Kinro 9-9-9")
    window.screen(390, 844, still=False)
    page = visit(referee)
    lay(referee, "reveal")
    told = "[...document.querySelectorAll('#scene p')].map((p) => p.textContent).join('|')"
    assert page.wait_for(told).split("|") == ["Kinro", "Bo 9 9 9 27", "Bo", "+50"]
    page.run("document.getElementById('scene')?.click()")
    page.wait_for("!document.getElementById('scene')")


BEYOND = """
() => {
  document.getAnimations().forEach((one) => one.finish());
  const beyond = [...document.querySelectorAll('#scene p')].filter((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left < 0 || right > innerWidth || top < 0 || bottom > innerHeight
      || (!part.matches('.hero') && part.scrollWidth > part.clientWidth); // a winner's name ends in dots
  });
  return beyond.map((part) => part.className).join() || 'none';
}
"""
"""The lines of a scene that do not fit the screen."""


@pytest.mark.parametrize("path, size", [("/board", (1920, 1080)), ("/", (390, 844)), ("/", (320, 640))])
def test_a_scene_of_long_names_fits_the_screen(
    path: str, size: tuple[int, int], referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    names = ("W" * 40, "M" * 40, "Cy")
    referee.ask(Begin(Header("comet", names)))
    referee.ask(Do({"cmd": "round", "player": names[0]}))
    for name in names[:2]:
        cards = [[14, 14, 14]] if name == names[0] else [[9, 9, 9]]
        referee.ask(Do({"cmd": "set", "player": name, "pot": "Vain", "cards": cards}))
    window.screen(*size, still=False)
    page = visit(referee, path)
    referee.ask(Do({"cmd": "reveal"}))
    assert page.wait_for(f"document.querySelector('#scene .gain') && ({BEYOND})()") == "none"


def test_whoever_wants_less_motion_sees_no_scene(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    lay(referee, "round Ana", "set Bo Kinro 9-9-9")
    page = visit(referee)
    lay(referee, "reveal")
    page.wait_for("document.querySelector('.reveal')")
    assert page.run("return document.getElementById('scene')") is None
