"""The session as the page reads it."""

import json

from companion.referee.messages import Asked, Begin, Do, Evidence, Message, Next, Notice, Propose, Undo
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header
from companion.views.scoreboard import actions, next_game, scoreboard

HEADER = Header("hexel", ("Ana", "Bo"), "36")
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
OPENING = (
    Do(LINE),
    Do({"cmd": "stake", "player": "Ana", "amount": 3}),
    Do({"cmd": "hedge", "player": "Ana", "amount": 6}),
    Do({"cmd": "hedge", "player": "Bo", "amount": 9}),
)
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}


def after(*messages: Message, header: Header = HEADER) -> Session:
    session = begin(header, 1)
    for at_s, message in enumerate(messages):
        for happening in decide(session, Asked(message, float(at_s), "2026-01-01T20:00:00+01:00")):
            session = evolve(session, happening)
    return session


def test_the_first_fields_are_what_replay_prints() -> None:
    session = after(*OPENING)
    shown = scoreboard(session)
    view = session.game.view(session.state)
    assert {name: shown[name] for name in view} == view
    assert (shown["version"], shown["game"], shown["turn"]) == (session.version, "hexel", "Ana")
    assert list(shown["players"]) == ["Ana", "Bo"]


def test_the_whole_is_plain_json() -> None:
    shown = scoreboard(after(*OPENING, Propose(HEXEL, Evidence(b"", 0.9)), Notice("hand", "A hand rests.", (0.2, 0.4))))
    assert json.loads(json.dumps(shown)) == shown


def test_a_waiting_proposal_says_what_it_would_do() -> None:
    waiting = scoreboard(after(*OPENING, Propose(HEXEL, Evidence(b"", 0.9))))["proposal"]
    assert waiting["sentence"] == "Ana lays a card: Hexel, two edges."
    assert (waiting["refusal"], waiting["confidence"], waiting["command"]) == (None, 0.9, HEXEL)


def test_a_proposal_that_the_rules_refuse_comes_with_the_reason_and_the_edges() -> None:
    waiting = scoreboard(after(*OPENING, Propose({**HEXEL, "edges": ["red"] * 6})))["proposal"]
    assert waiting["sentence"] == "Ana lays a card."
    assert waiting["refusal"]["code"] == "edge-mismatch"
    assert waiting["refusal"]["edges"]
    assert waiting["consequences"] == []


def test_the_last_move_is_called_told_and_explained() -> None:
    shown = scoreboard(after(*OPENING, Do(HEXEL)))
    assert shown["call"]["word"] == "Hexel"
    assert shown["said"] == ["Ana lays a card: Hexel, two edges."]
    assert len(shown["why"]) == len(shown["last"]["events"]) == 1
    assert shown["history"][-1] == {"n": 5, "command": HEXEL, "said": shown["said"], "picture": False}


def test_taking_back_shows_the_call_before() -> None:
    before = scoreboard(after(*OPENING))
    shown = scoreboard(after(*OPENING, Do(HEXEL), Undo()))
    assert (shown["call"], shown["said"], shown["table"]) == (before["call"], before["said"], before["table"])


def test_hedges_are_offered_in_multiples_of_the_stake_to_whoever_owes_one() -> None:
    offered = scoreboard(after(*OPENING[:3]))["actions"]
    assert [(action["player"], action["field"], action["least"], action["step"]) for action in offered] == [
        ("Bo", "amount", 0, 3)
    ]


def test_no_card_is_ever_offered_as_a_button() -> None:
    offered = scoreboard(after(*OPENING))["actions"]
    assert [action["command"] for action in offered] == [{"cmd": "pass", "player": "Ana"}]


def test_a_flag_is_a_button_of_its_own() -> None:
    offered = actions([{"cmd": "round", "player": "Ana", "tail": tail} for tail in (False, True)])
    assert [action["label"] for action in offered] == ["Deal a round", "Deal a round with the Tail"]
    assert all(action["field"] is None for action in offered)


def test_the_next_game_is_the_evenings_next_where_the_rules_have_one() -> None:
    ruined = Do({"cmd": "pass", "player": "Bo"})
    session = after(*OPENING[:3], Do({"cmd": "hedge", "player": "Bo", "amount": 0}), Do(HEXEL), ruined)
    assert scoreboard(session)["is_over"]
    assert next_game(session, 7) == Next(7)


def test_where_the_rules_have_no_next_game_the_same_is_begun_anew() -> None:
    header = Header("hexdragon", ("Ana", "Bo"))
    session = after(*(Do({"cmd": "agree-end", "player": name}) for name in header.players), header=header)
    assert scoreboard(session)["is_over"]
    assert next_game(session, 3) == Begin(header, 3)
