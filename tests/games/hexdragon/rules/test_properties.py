import json
import random
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from companion.errors import Refusal
from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import Tile, bodies, heads
from companion.rules import hexgrid, notation
from companion.rules.engine import Header
from companion.rules.records import replay

ALL = ("Ana", "Bo", "Cy", "Dee")
any_tile = st.builds(Tile.turned, st.sampled_from((*bodies(), *heads())), st.integers(0, 5))
START = {"kind": "start", "tails": [0, 1, 2, 3, 4, 5], "paths": []}


def recounted(commands):
    """Each player's connections, counted anew from the accepted commands by joining passages on the whole board.

    A slow count that shares nothing with the walk along lines: after every tile all groups of joined passages are
    formed, and those that have just lost their last open side are scored.
    """
    lying = {(0, 0): (START, None)}
    known, counted = set(), {}
    for command in commands:
        if command["cmd"] == "place":
            lying[tuple(command["cell"])] = (command["tile"], command["player"])
            for group in closed_groups(lying) - known:
                known.add(group)
                for name, one in worth(group, lying, command["player"]):
                    counted.setdefault(name, []).append(one)
    return counted


def closed_groups(lying):
    groups = {}
    for cell, (tile, _) in lying.items():
        ends = [("head", tile["head"])] if tile["kind"] == "head" else []
        ends += [("tail", tail) for tail in tile.get("tails") or []]
        for kind, edges in [*((kind, (edge,)) for kind, edge in ends), *(("path", tuple(p)) for p in tile["paths"])]:
            groups[(cell, edges)] = {(cell, kind, edges)}
    side = {(cell, edge): (cell, edges) for cell, edges in groups for edge in edges}
    open_groups = []
    for (cell, edge), passage in side.items():
        facing = side.get((hexgrid.neighbour(cell, edge), hexgrid.opposite(edge)))
        if facing is None:
            open_groups.append(passage)
        elif groups[facing] is not groups[passage]:
            joined = groups[facing] | groups[passage]
            for other in joined:
                groups[(other[0], other[2])] = joined
    still_open = {frozenset(groups[passage]) for passage in open_groups}
    return {frozenset(group) for group in groups.values()} - still_open


def worth(group, lying, placer):
    owners = [lying[cell][1] for cell, kind, _ in group if kind == "head"]
    tails = sum(kind == "tail" for _, kind, _ in group)
    kind = {(0, 0): "loop", (0, 2): "worm", (1, 1): "dragon", (2, 0): "double-dragon"}[len(owners), tails]
    points = len(group) if owners else 1
    return [(name, (kind, len(group), points)) for name in owners or [placer]]


def assert_points_agree(state, commands):
    counted = recounted(commands)
    for name, player in hexdragon.view(state)["players"].items():
        scored = [(one["kind"], one["length"], one["points"]) for one in player["connections"]]
        assert Counter(scored) == Counter(counted.get(name, []))
        assert player["points"] == sum(points for _, _, points in counted.get(name, []))


def some_move(state, chance):
    """A sensible random command, picked without listing all: a star, a tile in stock, or a skip where one must."""
    mover = state.mover
    cells = state.open_cells(mover.name)
    free = [cell for cell in cells if state.reserved_for(cell) is None]
    if not cells:
        return {"cmd": "skip", "player": mover.name}
    if mover.star == "held" and free and chance.random() < 0.1:
        return {"cmd": "star", "player": mover.name, "cell": list(chance.choice(free))}
    while True:
        tile = chance.choice((*bodies(), *heads())).turned(chance.randrange(6))
        if placed := hexdragon.placements(state, tile):
            return chance.choice(placed)


def has_something_to_lay(state):
    """On a board larger than the supply a player may be left with nothing; then only agreeing ends the game."""
    return not state.open_cells(state.mover.name) or any(hexdragon.placements(state, tile) for tile in bodies())


def whole_game(seed):
    """A random game to its end: its header, commands, states met and events."""
    chance = random.Random(seed)
    header = Header("hexdragon", ALL[: 1 + seed % 4])
    states, commands, told = [hexdragon.start(header)], [], []
    while not states[-1].over:
        commands.append(some_move(states[-1], chance))
        state, events = hexdragon.apply(states[-1], commands[-1])
        states.append(state)
        told.append(events)
    return header, commands, states, told


@pytest.mark.parametrize("seed", range(24))
def test_a_random_game_fills_the_board_and_its_points_are_those_of_a_slow_recount(seed):
    header, commands, states, told = whole_game(seed)
    cells = 19 if len(header.players) < 3 else 37
    assert sum(command["cmd"] == "place" for command in commands) == cells - 1
    assert len(hexdragon.view(states[-1])["table"]["tiles"]) == cells
    assert told[-1][-1]["event"] == "ended"
    assert_points_agree(states[-1], commands)


@pytest.mark.parametrize("seed", range(100, 108))
def test_a_random_game_scores_what_its_events_tell(seed):
    _, _, states, told = whole_game(seed)
    scores = Counter()
    for events in told:
        for event in events:
            if event["event"] == "connection":
                assert len(event["cells"]) == event["length"]
                scores.update(event["scores"])
    assert {name: player["points"] for name, player in hexdragon.view(states[-1])["players"].items()} == {
        name: scores[name] for name in hexdragon.view(states[-1])["players"]
    }


@pytest.mark.parametrize("seed", range(200, 206))
def test_a_random_game_replays_from_its_record_and_from_its_notation(seed):
    header, commands, states, told = whole_game(seed)
    lines = [json.dumps(header.as_json()), *map(json.dumps, commands)]
    replayed = replay(lines)
    assert replayed.refusal is None
    assert replayed.state == states[-1]
    assert [events for _, events in replayed.log] == told
    assert [notation.parse(hexdragon.NOTATION, notation.write(hexdragon.NOTATION, one)) for one in commands] == commands


@pytest.mark.parametrize("seed", range(300, 304))
def test_every_event_of_a_random_game_is_told_in_one_sentence(seed):
    _, _, states, told = whole_game(seed)
    for state, events in zip(states, told, strict=False):
        for event in events:
            sentence = hexdragon.explain(state, event)
            assert sentence.endswith(".")
            assert "\n" not in sentence


@pytest.mark.parametrize("seed", range(400, 404))
def test_all_that_is_called_legal_is_accepted_and_what_is_not_is_refused(seed):
    chance = random.Random(seed)
    _, _, states, _ = whole_game(seed)
    state = chance.choice(states[:-1])
    legal = hexdragon.legal(state)
    for command in chance.sample(legal, min(len(legal), 150)):
        hexdragon.apply(state, command)
    written = {notation.write(hexdragon.NOTATION, command) for command in legal}
    assert len(written) == len(legal)
    lying = {as_lying(command) for command in legal if command["cmd"] == "place"}
    for command in anything_placed(state, chance, 150):
        is_legal = as_lying(command) in lying
        try:
            hexdragon.apply(state, command)
        except Refusal:
            assert not is_legal
        else:
            assert is_legal


def anything_placed(state, chance, count):
    for _ in range(count):
        tile = chance.choice((*bodies(), *heads())).turned(chance.randrange(6))
        cell = chance.choice(hexgrid.cells_within(state.radius + 1))
        yield {"cmd": "place", "player": state.mover.name, "cell": list(cell), "tile": tile.as_json()}


def as_lying(command):
    """A placement, however its paths are named."""
    tile = command["tile"]
    paths = tuple(sorted(tuple(sorted(path)) for path in tile["paths"]))
    return tuple(command["cell"]), tile.get("head"), tuple(tile.get("tails", ())), paths


def test_at_the_beginning_every_tile_may_lie_everywhere_in_every_way():
    legal = hexdragon.legal(hexdragon.start(Header("hexdragon", ("Ana", "Bo"))))
    kinds = Counter((one["cmd"], one.get("tile", {}).get("kind")) for one in legal)
    assert kinds == {
        ("place", "body"): 18 * 15,
        ("place", "head"): 18 * 15 * 6,
        ("star", None): 18,
        ("agree-end", None): 2,
    }


def test_of_a_huge_board_the_cells_near_the_start_tile_are_listed_and_all_others_may_be_played():
    state = hexdragon.start(Header("hexdragon", ("Ana",), options={"radius": 10**9}))
    assert len({tuple(one["cell"]) for one in hexdragon.legal(state) if one["cmd"] == "place"}) == 168
    state, _ = hexdragon.apply(state, {"cmd": "star", "player": "Ana", "cell": [10**9, 0]})
    with pytest.raises(Refusal):
        hexdragon.apply(state, {"cmd": "skip", "player": "Ana"})


def test_nothing_is_legal_after_the_end():
    _, _, states, _ = whole_game(1)
    assert hexdragon.legal(states[-1]) == ()
    assert hexdragon.placements(states[-1], bodies()[0]) == ()


class Table(RuleBasedStateMachine):
    """People at a table who try what they like; the rules hold whatever they try."""

    @initialize(count=st.integers(1, 4), radius=st.integers(1, 3))
    def begin(self, count, radius):
        self.header = Header("hexdragon", ALL[:count], options={"radius": radius})
        self.states = [hexdragon.start(self.header)]
        self.shown = [json.dumps(hexdragon.view(self.states[0]))]
        self.commands = []

    def ask(self, command):
        """Whether the command was accepted."""
        try:
            state, events = hexdragon.apply(self.states[-1], command)
        except Refusal:
            assert json.dumps(hexdragon.view(self.states[-1])) == self.shown[-1]
            return False
        assert json.loads(json.dumps(events)) == list(events)
        self.states.append(state)
        self.shown.append(json.dumps(hexdragon.view(state)))
        self.commands.append(command)
        return True

    @rule(seed=st.integers(0, 10**6), moves=st.integers(1, 8))
    def play_on(self, seed, moves):
        chance = random.Random(seed)
        for _ in range(moves):
            if not self.states[-1].over and has_something_to_lay(self.states[-1]):
                assert self.ask(some_move(self.states[-1], chance))

    @rule(cell=st.sampled_from(hexgrid.cells_within(3)), tile=any_tile, who=st.sampled_from(ALL))
    def try_any_tile_anywhere(self, cell, tile, who):
        state = self.states[-1]
        ways = [one["cell"] for one in hexdragon.placements(state, tile)] if who == state.mover.name else []
        command = {"cmd": "place", "player": who, "cell": list(cell), "tile": tile.as_json()}
        assert self.ask(command) == (list(cell) in ways)

    @rule(cell=st.sampled_from(hexgrid.cells_within(3)), who=st.sampled_from(ALL))
    def try_a_star(self, cell, who):
        self.ask({"cmd": "star", "player": who, "cell": list(cell)})

    @rule(who=st.sampled_from(ALL))
    def try_to_skip(self, who):
        self.ask({"cmd": "skip", "player": who})

    @rule(who=st.sampled_from(ALL), sure=st.integers(0, 3))
    def agree(self, who, sure):
        if sure == 0:
            self.ask({"cmd": "agree-end", "player": who})

    def teardown(self):
        if not hasattr(self, "states"):
            return
        assert [json.dumps(hexdragon.view(state)) for state in self.states] == self.shown
        lines = [json.dumps(self.header.as_json()), *map(json.dumps, self.commands)]
        assert replay(lines).state == self.states[-1]
        if self.commands:  # taking back the last command is replaying the others
            assert replay(lines[:-1]).state == self.states[-2]
        assert_points_agree(self.states[-1], self.commands)


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
