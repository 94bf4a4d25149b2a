"""Games worked out by hand, played from a few lines of notation."""

from collections.abc import Callable

import pytest

from companion.referee.messages import Asked, Do
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header
from companion.rules.notation import parse

WHEN = "2026-11-21T20:15:00+00:00"

GAMES = {
    # Bo cannot pay 2 edges at 3 chips with a hedge of 3: out, and Ana, who hedged 6, takes her own hedge back.
    "hexel": (
        Header("hexel", ("Ana", "Bo"), "36", {"chips": 100}),
        (
            "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb",
            "stake Ana 3",
            "hedge Ana 6",
            "hedge Bo 3",
            "place Ana 0,-1 vvvvbb",
            "pass Bo",
        ),
    ),
    # Head, body, head: a double dragon of three, three points to each; they agree to stop and share the win.
    "hexdragon": (
        Header("hexdragon", ("Ana", "Bo")),
        (
            "place Ana -2,1 h0t1-23-45",
            "place Bo 0,1 h3t1-02-45",
            "place Ana -1,1 03-12-45",
            "star Bo 2,-2",
            "agree-end Ana",
            "agree-end Bo",
        ),
    ),
    # Each pays 300; Ana's 15 beat Bo's 6 for Desten, Bo takes Kinro with 27 and in the second round Vain with 21.
    "comet": (
        Header("comet", ("Ana", "Bo"), None, {"chips": 2000}),
        (
            "round Ana",
            "set Bo Kinro 9-9-9",
            "set Ana Desten 4-5-10+5-5-9",
            "set Bo Desten 2-3-A+7-9-11",
            "reveal",
            "round Bo",
            "reserve Ana",
            "set Bo Vain 7-7-7",
            "reveal",
            "stop",
        ),
    ),
    # Two cases of one card each: blue 2 and leaf 1 with 6 for three coins, against green 4 and moth 5 with 6.
    "hexapod": (
        Header("hexapod", ("Ana", "Bo"), None, {"rows": 2, "cols": 2}),
        ("play Ana 0 0 bb/ol", "play Bo 0 0 mm/gg", "pass Ana", "pass Bo"),
    ),
}


@pytest.fixture
def played() -> Callable[..., Session]:
    """Plays lines of notation, of a game above where only its name is given."""

    def play(game: str, *lines: str, header: Header | None = None) -> Session:
        known, moves = GAMES[game]
        session = begin(header or known, 1)
        for line in lines or moves:
            for happening in decide(session, Asked(Do(parse(session.game.NOTATION, line)), 0.0, WHEN)):
                session = evolve(session, happening)
        return session

    return play
