"""People at a Hexapod table who try what they like; the rules hold whatever they try."""

import json
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.errors import Refusal
from companion.games.hexapod.rules import game as hexapod
from companion.rules.engine import Header
from companion.rules.records import replay

WHO = ("Ana", "Bo", "Cy")
KINDS = ("blue", "green", "gold", "dung", "leaf", "stag", "moth", "spider")
CODES = {
    "not-your-turn", "unknown-player", "out-of-case", "no-match", "dung-covered", "half-covered", "bad-card",
    "no-coins", "coin-used", "nothing-spent", "passed-out", "game-over", "malformed",
}  # fmt: skip
kinds = st.sampled_from(KINDS)
some_cells = st.one_of(
    st.lists(st.lists(kinds, min_size=2, max_size=2), min_size=2, max_size=2),
    st.tuples(kinds, kinds).map(lambda two: [[two[0], two[1]], [two[0], two[1]]]),
    st.tuples(kinds, kinds).map(lambda two: [[two[0]] * 2, [two[1]] * 2]),
)


class Table(RuleBasedStateMachine):
    @initialize(rows=st.integers(1, 5), cols=st.integers(2, 5))
    def begin(self, rows, cols):
        self.header = Header("hexapod", WHO[:2], options={"rows": rows, "cols": cols})
        self.states = [hexapod.start(self.header)]
        self.shown = [json.dumps(hexapod.view(self.states[0]))]
        self.commands = []

    def ask(self, command):
        state = self.states[-1]
        try:
            after, events = hexapod.apply(state, command)
        except Refusal as refusal:
            assert refusal.code in CODES
            return False
        finally:
            assert json.dumps(hexapod.view(state)) == self.shown[-1]
        assert json.loads(json.dumps(events)) == list(events)
        for event in events:
            sentence = hexapod.explain(state, event)
            assert sentence.endswith(".")
            assert "\n" not in sentence
        if command["cmd"] == "play":
            self.check_card(command, state, after)
        self.states.append(after)
        self.shown.append(json.dumps(hexapod.view(after)))
        self.commands.append(command)
        return True

    def check_card(self, command, before, after):
        """The card shows where it was laid, the rest as before, and a camera that sees only the change finds it."""
        was, now = (hexapod.view(state)["players"][command["player"]]["case"] for state in (before, after))
        expected = [list(row) for row in was]
        for row, line in enumerate(command["card"]["cells"]):
            expected[command["row"] + row][command["col"] : command["col"] + 2] = line
        assert now == expected
        assert_whole(now)
        found = hexapod.interpret(before, {command["player"]: was}, {command["player"]: now})
        assert command in found if was != now else found == ()

    @rule(choice=st.integers(0, 10**6), moves=st.integers(1, 5))
    def play_on(self, choice, moves):
        chance = random.Random(choice)
        for _ in range(moves):
            listed = [one for one in hexapod.legal(self.states[-1]) if one["cmd"] not in ("pass", "spider", "end")]
            if listed:
                assert self.ask(chance.choice(listed))

    @rule(who=st.sampled_from(WHO), row=st.integers(-1, 4), col=st.integers(-1, 4), cells=some_cells)
    def try_any_card(self, who, row, col, cells):
        state = self.states[-1]
        ways = hexapod.placements(state, cells)
        command = {"cmd": "play", "player": who, "row": row, "col": col, "card": {"cells": cells}}
        assert self.ask(command) == (command in ways)

    @rule(who=st.sampled_from(WHO), name=st.sampled_from(("coin", "end", "end", "coin", "pass", "spider")))
    def try_the_rest(self, who, name):
        self.ask({"cmd": name, "player": who})

    @invariant()
    def the_total_is_the_sum_of_its_parts(self):
        if not hasattr(self, "states"):
            return
        view = hexapod.view(self.states[-1])
        for seat in view["players"].values():
            parts = {name: points for name, points in seat["score"].items() if name != "total"}
            assert seat["score"]["total"] == sum(parts.values())
            assert seat["score"]["coins"] == 2 * seat["coins"]
            assert 0 <= seat["coins"] <= 3
        assert (view["result"] is None) == (view["turn"] is not None) == (view["phase"] != "over")

    def teardown(self):
        if not hasattr(self, "states"):
            return
        assert [json.dumps(hexapod.view(state)) for state in self.states] == self.shown
        lines = [json.dumps(self.header.as_json()), *map(json.dumps, self.commands)]
        assert replay(lines).state == self.states[-1]
        if self.commands:  # taking back the last command is replaying the others
            assert replay(lines[:-1]).state == self.states[-2]


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


def assert_whole(case):
    """No half stag and no half moth shows: their cells can be taken off two by two."""
    cells = {(row, col): kind for row, line in enumerate(case) for col, kind in enumerate(line)}
    left = {cell: kind for cell, kind in cells.items() if kind in ("stag", "moth")}
    while left:
        (row, col) = first = min(left)
        kind = left.pop(first)
        assert left.pop((row + 1, col) if kind == "stag" else (row, col + 1), None) == kind


@pytest.mark.parametrize("seed", range(6))
def test_the_changes_that_a_random_game_tells_add_up_to_its_score(seed):
    chance = random.Random(seed)
    state = hexapod.start(Header("hexapod", WHO[:2]))
    told = []
    while listed := hexapod.legal(state):
        is_late = len(told) > 16
        plays = [one for one in listed if one["cmd"] == "play" and not is_late]
        command = chance.choice(plays or [one for one in listed if one["cmd"] != "play"])
        state, events = hexapod.apply(state, command)
        told += events
    assert [event["event"] for event in told[-2:]] == ["scored", "won"]
    for name in WHO[:2]:
        changes = sum(event["change"] for event in told if event["event"] == "played" and event["player"] == name)
        score = told[-2]["scores"][name]
        assert score["total"] == changes + score["coins"]
