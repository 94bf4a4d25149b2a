"""People at a Comet table who try what they like; the rules hold whatever they try."""

import json
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.errors import Refusal
from companion.games.comet.rules import game as comet
from companion.rules.engine import Header
from companion.rules.records import replay

ALL = ("Ana", "Bo", "Cy", "Dee")
POTS = ("Desten", "Kinro", "Nivek", "Trinovat", "Vain", "Polos", "tail", "Mars")
CODES = {
    "wrong-phase", "not-dealer", "unknown-player", "out-of-game", "cannot-pay", "bad-card", "bad-set", "unknown-pot",
    "pot-closed", "already-laid", "hand-exceeded", "duplicate-card", "already-reserved", "malformed",
}  # fmt: skip
cards = st.lists(st.lists(st.integers(1, 14), min_size=3, max_size=3), max_size=4)


def chips_of(view):
    return sum(seat["chips"] for seat in view["players"].values()) + sum(view["table"]["pots"].values())


class Table(RuleBasedStateMachine):
    @initialize(
        count=st.integers(2, 4),
        chips=st.sampled_from((299, 650, 1000, 2000)),
        every=st.sampled_from(("cycle", "round")),
        growth=st.sampled_from(("sets", "pots")),
        decks=st.integers(1, 2),
    )
    def begin(self, count, chips, every, growth, decks):
        options = {"chips": chips, "ante_every": every, "hand_growth": growth, "decks": decks}
        self.header = Header("comet", ALL[:count], options=options)
        self.states = [comet.start(self.header)]
        self.shown = [json.dumps(comet.view(self.states[0]))]
        self.commands = []
        self.given = count * chips

    def ask(self, command):
        state = self.states[-1]
        try:
            after, events = comet.apply(state, command)
        except Refusal as refusal:
            assert refusal.code in CODES
            return False
        finally:
            assert json.dumps(comet.view(state)) == self.shown[-1]
        assert json.loads(json.dumps(events)) == list(events)
        for event in events:
            sentence = comet.explain(state, event)
            assert sentence.endswith(".")
            assert "\n" not in sentence
        self.states.append(after)
        self.shown.append(json.dumps(comet.view(after)))
        self.commands.append(command)
        return True

    @rule(choice=st.integers(0, 10**6), moves=st.integers(1, 6))
    def play_on(self, choice, moves):
        chance = random.Random(choice)
        for _ in range(moves):
            if listed := comet.legal(self.states[-1]):
                assert self.ask(chance.choice(listed))

    @rule(tail=st.booleans(), who=st.sampled_from(ALL))
    def try_a_round(self, tail, who):
        self.ask({"cmd": "round", "player": who, "tail": tail})

    @rule(who=st.sampled_from(ALL), pot=st.sampled_from(POTS), laid=cards)
    def try_any_set(self, who, pot, laid):
        self.ask({"cmd": "set", "player": who, "pot": pot, "cards": laid})

    @rule(who=st.sampled_from(ALL))
    def try_to_keep(self, who):
        self.ask({"cmd": "reserve", "player": who})

    @rule(name=st.sampled_from(("reveal", "stop", "deal")))
    def try_the_rest(self, name):
        self.ask({"cmd": name})

    @invariant()
    def chips_are_what_was_given_out(self):
        if not hasattr(self, "states"):
            return
        view = comet.view(self.states[-1])
        assert chips_of(view) == self.given
        assert all(seat["chips"] >= 0 and seat["hand"] >= 0 for seat in view["players"].values())
        assert (view["result"] is None) == (view["phase"] != "over")

    def teardown(self):
        if not hasattr(self, "states"):
            return
        assert [json.dumps(comet.view(state)) for state in self.states] == self.shown
        lines = [json.dumps(self.header.as_json()), *map(json.dumps, self.commands)]
        assert replay(lines).state == self.states[-1]
        if self.commands:  # taking back the last command is replaying the others
            assert replay(lines[:-1]).state == self.states[-2]


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_random_game_pays_out_is_what_its_events_tell(seed):
    chance = random.Random(seed)
    header = Header("comet", ALL[: 2 + seed % 3], options={"chips": 1500})
    state, told = comet.start(header), []
    while listed := comet.legal(state):
        # sets more often than reveals, and an end at last
        command = chance.choice(listed[chance.randrange(3) :] or listed)
        if state.round > 12 and state.phase == "between":
            command = listed[-1] if listed[-1]["cmd"] == "stop" else listed[0]
        state, events = comet.apply(state, command)
        told += events
    won = dict.fromkeys(header.players, 0)
    for event in told:
        for name in event["players"] if event["event"] == "won" else ():
            won[name] += event["amount"]
    if "last" in told[-1]:
        won[told[-1]["last"]] += told[-1]["amount"]
    assert told[-1]["event"] == "ended"
    assert {name: seat["won"] for name, seat in comet.view(state)["players"].items()} == won
