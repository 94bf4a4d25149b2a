"""The television is read from three metres: no text below 28 px on a screen of 1080 lines, and no player cut off."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.games import game
from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

SMALL = """
return [...document.querySelectorAll('body *')].filter((part) => !part.closest('svg') && part.getClientRects().length
  && [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
  && parseFloat(getComputedStyle(part).fontSize) < 28).map((part) => `${part.className}: ${part.textContent}`);
"""
TABLES = {
    "hexel": (
        Header("hexel", ("Ana", "Bo", "Cy", "Dee"), "36"),
        ("line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb", "stake Ana 3"),
    ),
    "hexdragon": (Header("hexdragon", ("Ana", "Bo", "Cy")), ("place Ana -2,1 h0t1-23-45", "place Bo 0,1 h3t1-02-45")),
    "comet": (Header("comet", ("Ana", "Bo", "Cy")), ("round Ana", "set Bo Kinro 9-9-9")),
    "hexapod": (Header("hexapod", ("Ana", "Bo")), ("play Ana 0 0 bb/ol",)),
}


@pytest.mark.parametrize("name", TABLES)
def test_everything_on_the_television_can_be_read_from_afar(
    name: str, referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    header, lines = TABLES[name]
    referee.ask(Begin(header))
    for text in lines:
        referee.ask(Do(parse(game(name).rules.NOTATION, text)))
    window.screen(1920, 1080)
    page = visit(referee, "/board")
    page.wait_for("document.querySelector('#hints p, #hints:not(:empty)')")
    assert page.run(SMALL) == []
    assert (
        page.run("const seats = document.getElementById('seats'); return seats.scrollHeight - seats.clientHeight") <= 3
    )
