"""What the pages of HexDragon, Comet and Hexapod show of a game, so that everybody can recount it."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from companion.errors import Refusal
from companion.games import GAMES
from companion.referee.messages import Begin, Do, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.simulator.script import write_script

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

TWO = ("Ana", "Bo")


def played(referee: Referee, game: str, until: Callable[[Any], bool] = lambda events: False, seed: int = 1) -> None:
    """Play a game by itself, to its end or until something has happened."""
    header = Header(game, TWO)
    referee.ask(Begin(header))
    for command in write_script(header, GAMES[game].player(seed)).commands:
        if until(referee.ask(Do(command)).events):
            return


def texts(page: Any, selector: str) -> list[str]:
    return page.run(f"return [...document.querySelectorAll('{selector}')].map((one) => one.textContent)")


def test_a_connection_is_lit_up_in_its_owners_colour_with_length_and_points(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    def is_made(events: Any) -> bool:
        return any(event["event"] == "connection" and event["length"] > 3 for event in events)

    played(referee, "hexdragon", is_made)
    made = next(event for event in referee.latest().moves[-1].events if event["event"] == "connection")
    (name, points) = next(iter(made["scores"].items()))
    page = visit(referee)
    colour = {"Ana": "red", "Bo": "blue"}[name]
    assert page.run(f"return document.querySelectorAll('.lit.own-{colour} path').length") == made["length"]
    assert texts(page, ".lit-words text") == [f"{name} +{points}", f"length {made['length']}"]


def test_a_connections_line_is_drawn_over_the_bands_without_a_break(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    played(referee, "hexdragon", lambda events: any(e.get("kind") == "dragon" and e["length"] > 2 for e in events))
    page = visit(referee)
    ends = page.run("""return [...document.querySelectorAll('.lit path')].map((path) => {
      const box = path.parentNode.transform.baseVal[0].matrix; const far = path.getTotalLength();
      return [0, far].map((at) => { const p = path.getPointAtLength(at); return [p.x + box.e, p.y + box.f]; }); })""")
    for before, after in pairwise(ends):
        nearest = min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a in before for b in after)
        assert nearest < 1, "the next piece begins where the one before ends"


def test_of_equal_points_the_page_says_which_connections_decided(referee: Referee, visit: Callable[..., Any]) -> None:
    played(referee, "hexdragon")
    page = visit(referee)
    words = page.run("""
      const game = await import('/games/hexdragon/game.js');
      const connections = (...lengths) => lengths.map((length) => ({ kind: 'dragon', length, points: length }));
      const state = { header: { options: {} }, result: { ranking: [['Bo'], ['Ana']] }, last: null, proposal: null,
        table: { tiles: [], stars: [], radius: 2 },
        players: {
          Ana: { points: 9, connections: connections(2, 3, 4) }, Bo: { points: 9, connections: connections(4, 5) } } };
      return game.drawTable(state)[1].textContent;""")
    assert "1Bo9" in words.replace(" ", "") or "Bo9 points" in words
    assert "connections: 5, 4" in words and "connections: 4, 3, 2" in words and "next longest" in words


def test_of_a_board_larger_than_any_table_only_so_much_is_drawn_as_can_be_seen(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(Header("hexdragon", TWO, None, {"radius": 10**9})))
    far = {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]]}
    referee.ask(Do({"cmd": "place", "player": "Ana", "cell": [30, 0], "tile": far}))
    page = visit(referee)
    page.wait_for("document.querySelectorAll('.card.dragon').length == 2")
    assert page.run("return document.querySelectorAll('.free').length") < 2000


def test_the_reveal_lists_every_score_line_pot_by_pot(referee: Referee, visit: Callable[..., Any]) -> None:
    played(referee, "comet", lambda events: any(event["event"] == "won" for event in events))
    events = referee.latest().moves[-1].events
    scored = [event for event in events if event["event"] == "scored"]
    page = visit(referee)
    assert [int(words) for words in texts(page, ".reckoned .sum")] == [event["score"] for event in scored]
    for number, event in enumerate(scored):
        lines = page.run(f"""return [...document.querySelectorAll('.reckoned')[{number}]
          .querySelectorAll('.score-lines li span')].map((one) => one.textContent)""")
        worth = [[int(part) for part in re.findall(r"\d+", line)] for line in lines]
        assert sum(parts[0] * parts[-1] if len(parts) > 1 else parts[0] for parts in worth) == event["score"]
    hands = next(event["hands"] for event in events if event["event"] == "hands")
    assert ", ".join(f"{name} {size}" for name, size in hands.items()) in " ".join(texts(page, ".reveal > p"))


def test_sets_lie_face_down_until_the_reveal(referee: Referee, visit: Callable[..., Any]) -> None:
    played(referee, "comet", lambda events: any(event["event"] == "set-laid" for event in events))
    page = visit(referee)
    (laid,) = [event for event in referee.latest().moves[-1].events if event["event"] == "set-laid"]
    assert texts(page, ".comet-pot .triple.down") == [""] * len(referee.latest().moves[-1].command["cards"])
    assert texts(page, ".comet-pot .by") == [laid["player"]]


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_columns_marked_in_a_case_come_to_its_points(
    referee: Referee, visit: Callable[..., Any], seed: int
) -> None:
    played(referee, "hexapod", seed=seed)
    session = referee.latest()
    scores = session.game.view(session.state)["players"]
    page = visit(referee)
    for number, name in enumerate(TWO):
        case = f"document.querySelectorAll('.case')[{number}]"
        for kind in ("blue", "green", "gold"):
            marked = page.run(f"return [...{case}.querySelectorAll('.run.{kind} text')].map((one) => one.textContent)")
            assert sum(map(int, marked)) == scores[name]["score"][kind]
        couples = sum(line.count("leaf") for line in scores[name]["case"])
        ties = page.run(f"return {case}.querySelectorAll('.tie').length")
        assert couples + 2 * ties == scores[name]["score"]["leaf"]


def test_a_card_that_the_rules_refuse_shows_the_cells_it_must_not_cover(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    played(referee, "hexapod", lambda events: len(referee.latest().moves) == 15)
    session = referee.latest()
    cells = [["blue", "blue"], ["blue", "blue"]]
    tried = [
        {"cmd": "play", "player": session.state.mover.name, "row": row, "col": col, "card": {"cells": cells}}
        for row in range(4)
        for col in range(4)
    ]
    command, refusal = next((one, why) for one in tried if (why := refused(session, one)) and why.fields.get("cells"))
    referee.ask(Propose(command))
    page = visit(referee)
    marked = page.run("""return [...document.querySelectorAll('.clash rect')]
      .map((one) => [one.y.baseVal.value / 100, one.x.baseVal.value / 100])""")
    assert marked == refusal.fields["cells"]


def refused(session: Any, command: dict[str, Any]) -> Refusal | None:
    try:
        session.game.apply(session.state, command)
    except Refusal as refusal:
        return refusal
    return None
