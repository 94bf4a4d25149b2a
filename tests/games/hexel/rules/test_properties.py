"""Hex'el played by a random table that also tries what it may not: the promises that hold at every step."""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.errors import Refusal
from companion.games.hexel.deck import FACES
from companion.games.hexel.rules import game as hexel
from companion.rules.engine import Header
from companion.rules.records import replay

SEATS = ("Ana", "Bo", "Cy", "Dee")
PHASES = {"line", "stake", "hedge", "play", "over"}
symbols = st.sampled_from(["red", "blue", "void", "yellow"])
anything = st.one_of(st.none(), st.booleans(), st.integers(-3, 12), st.floats(0, 3), st.sampled_from([*SEATS, "Eve"]))
cells = st.lists(st.integers(-3, 3), min_size=1, max_size=3)
wild = st.fixed_dictionaries(
    {},
    optional={
        "cmd": st.sampled_from(["line", "stake", "hedge", "place", "pass", "next-game", "dance"]),
        "player": st.sampled_from(SEATS) | anything,
        "amount": anything,
        "cell": cells | anything,
        "edges": st.lists(symbols, min_size=5, max_size=6) | anything,
        "cards": st.lists(st.fixed_dictionaries({"cell": cells, "edges": st.lists(symbols, max_size=6)}), max_size=3),
    },
)


class Table(RuleBasedStateMachine):
    """A table with its record, and the state after each command."""

    @initialize(
        seats=st.integers(1, 4),
        edition=st.sampled_from(["36", "46"]),
        chips=st.sampled_from([1, 5, 20, 100]),
        dealer=st.integers(0, 3),
    )
    def begin(self, seats, edition, chips, dealer):
        options = {"chips": chips, "dealer": SEATS[dealer % seats]}
        self.header = Header("hexel", SEATS[:seats], edition, options)
        self.states = [hexel.start(self.header)]
        self.commands = []
        self.given_out = seats * chips

    @property
    def state(self):
        return self.states[-1]

    def do(self, command):
        shown = hexel.view(self.state)
        before = self.state
        try:
            after, events = hexel.apply(before, command)
        except Refusal as refusal:
            assert hexel.view(before) == shown
            return refusal
        assert hexel.view(before) == shown, "taking back is going on from the state before"
        assert all(json.loads(json.dumps(event)) == event and hexel.explain(before, event) for event in events)
        assert events
        self.states.append(after)
        self.commands.append(command)
        return None

    @rule(data=st.data())
    def do_what_is_listed(self, data):
        commands = hexel.legal(self.state)
        if commands:
            assert self.do(data.draw(st.sampled_from(commands))) is None

    @precondition(lambda self: self.state.phase == "play")
    @rule(data=st.data())
    def place_a_card_of_the_deck(self, data):
        ways = hexel.placements(self.state, data.draw(st.sampled_from(FACES[self.state.edition])))
        if ways:
            assert self.do(data.draw(st.sampled_from(ways))) is None

    @rule(command=wild)
    def try_anything(self, command):
        self.do(command)

    @precondition(lambda self: self.commands)
    @rule()
    def take_the_last_command_back(self):
        command, undone = self.commands.pop(), self.states.pop()
        assert hexel.apply(self.state, command)[0] == undone

    @invariant()
    def chips_are_conserved_and_no_pot_is_negative(self):
        pots = [p[kind] for p in hexel.view(self.state)["players"].values() for kind in ("chips", "hedge", "hand_pot")]
        assert sum(pots) == self.state.chips.total == self.given_out
        assert min(pots) >= 0

    @invariant()
    def the_view_agrees_with_itself(self):
        shown = hexel.view(self.state)
        table, players = shown["table"], shown["players"]
        assert shown["phase"] in PHASES
        assert (shown["turn"] is not None) == (shown["phase"] in ("stake", "play"))
        assert (shown["result"] is not None) == (shown["phase"] == "over")
        assert (table["mark"] is None) == (table["mark_by"] is None)
        assert table["mark"] is None or shown["phase"] == "play"
        assert (table["phase"], table["turn"]) == (shown["phase"], shown["turn"])
        assert all(p["in"] or (p["cards"], p["hedge"]) == (0, 0) for p in players.values())
        assert table["mark_by"] is None or players[table["mark_by"]]["in"]
        if shown["phase"] == "play":
            assert players[shown["turn"]]["in"]
            assert players[shown["turn"]]["cards"] > 0
        if shown["phase"] == "over":
            assert not any(p["hedge"] for p in players.values())

    @invariant()
    def no_more_cards_are_out_than_the_deck_has(self):
        shown = hexel.view(self.state)
        out = len(shown["table"]["tableau"]) + sum(player["cards"] for player in shown["players"].values())
        assert out + shown["table"]["cards_left"] <= int(self.state.edition)

    def teardown(self):
        if not hasattr(self, "header"):
            return
        replayed = replay(json.dumps(value) for value in (self.header.as_json(), *self.commands))
        assert replayed.refusal is None
        assert replayed.state == self.state
        assert len(replayed.log) == len(self.commands)


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
