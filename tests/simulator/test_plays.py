"""Every game's simulated table, played through by its people before eyes that cannot err."""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from companion import games
from companion.errors import Refusal
from companion.games import GAMES
from companion.games import game as game_spec
from companion.games.hexapod.demo.tabletop import STACK
from companion.games.hexdragon.demo.tabletop import STAR
from companion.rules.hexgrid import rotated
from companion.simulator.evening import Evening, TableView, Temper
from companion.simulator.incidents import Incident, Incidents
from companion.simulator.script import outcome, write_script

GAMES = [game for game in GAMES if game != "hexel"]
STEP_S = 0.2
SMALL = (160, 90)
"""How large a film is of which no picture is read, in pixels."""
QUICK = Temper((0.1, 0.2), (0.1, 0.2), (0.1, 0.2), fidgets=0.0, slips=0.0)
TURNS = 2
"""The camera calls HexDragon's edges by names turned so often."""


def hexdragon_seen(lying, state):
    seen = {}
    for (cell, kind), (what, colour) in lying.items():
        if kind == STAR:
            seen[rotated(cell, TURNS)] = {"kind": "star", "owner": colour}
        elif what.kind != "start":
            seen[rotated(cell, TURNS)] = what.turned(TURNS).as_json() | ({"owner": colour} if colour else {})
    return seen


def hexdragon_known(state):
    return {cell: tile.as_json() for cell, tile in state.board.items() if tile.kind != "start"}


def comet_seen(lying, state):
    seen = {}
    for (pot, _), laid in lying.items():
        seen.setdefault(pot, []).extend([*laid.cards] if laid.is_up else [None] * len(laid.cards))
    return seen


def hexapod_seen(lying, state):
    seen = {seat.name: [[None] * seat.case.cols for _ in range(seat.case.rows)] for seat in state.seats}
    tops = {}
    for place, cells in lying.items():
        if place[0] == STACK:
            tops[place[1]] = cells
        else:
            name, row, col, _ = place
            for r, c in ((r, c) for r in (0, 1) for c in (0, 1)):
                seen[name][row + r][col + c] = cells[r][c]
    return seen | {None: list(tops.values())}


def hexel_seen(lying, state):
    return dict(lying)


EYES = {"hexel": hexel_seen, "hexdragon": hexdragon_seen, "comet": comet_seen, "hexapod": hexapod_seen}


class PretendTable:
    """Referee, camera and panel in one."""

    def __init__(self, header, moves=()):
        self.header, self.rules = header, games.game(header.game).rules
        self.state, self.done, self.rejected, self.proposal, self.seen = self.rules.start(header), [], [], None, {}
        self.refused, self.entered, self.pressed = [], [], []
        for move in moves:
            self.do(move)

    def do(self, command):
        self.state, _ = self.rules.apply(self.state, command)
        self.done.append(command)
        self.proposal, self.rejected = None, []

    def view_table(self):
        return TableView(self.header, tuple(self.done), self.proposal)

    def press(self, button):
        self.pressed.append(button)
        if button == "confirm":
            self.do(self.proposal)
        else:
            self.rejected.append(self.proposal)
            self.proposal = None

    def enter(self, command):
        self.entered.append(command)
        self.do(command)

    def watch(self, truth):
        if truth.has_hand or truth.moving:
            self.proposal = None
            return
        seen = EYES[self.header.game](truth.cards, self.state)
        before = hexdragon_known(self.state) if self.header.game == "hexdragon" else self.seen
        if self.header.game == "hexdragon":
            self.rejected = [one for one in self.rejected if (one["cell"][0], one["cell"][1]) in seen]
        commands = self.rules.interpret(self.state, before, seen) if before != seen else ()
        command = next((one for one in commands if one not in self.rejected), None)
        if self.header.game == "hexdragon" or command is not None or seen != self.seen:
            self.proposal = command
        self.seen = seen
        if command is not None:
            try:
                self.rules.apply(self.state, command)
            except Refusal as refusal:
                self.refused.append(refusal.code)


@cache
def scripted(game, seed=1):
    stage = game_spec(game).demo()
    return write_script(stage.header, stage.player(stage.header, seed))


def people(game, table, *, seed=1, moves=(), temper=None, size=SMALL, incidents=None):
    stage = game_spec(game).demo()
    player, script = stage.player(stage.header, seed), scripted(game, seed)
    tabletop = stage.tabletop(script, seed, size)
    assert tabletop.done(moves) == len(moves)
    tabletop.lay_out(len(moves))
    if incidents is not None:
        incidents.plan(len(script.commands), tabletop.is_laid)
    said = []
    evening = Evening(script, player, tabletop, table, Random(seed), said.append, temper, incidents)
    return evening, tabletop, said, script


def pass_time(evening, tabletop, table, until, most_s=3000.0):
    for _ in range(int(most_s / STEP_S)):
        shot = tabletop.next(STEP_S)
        table.watch(shot.truth)
        evening.step(shot.t_s)
        if until():
            return
    raise AssertionError(f"not within {most_s} s of table time")


@pytest.mark.parametrize("game", GAMES)
def test_people_play_a_whole_game_through_the_camera_and_the_buttons(game):
    table = PretendTable(game_spec(game).demo_header())
    evening, tabletop, _, script = people(game, table, temper=QUICK)
    pass_time(evening, tabletop, table, lambda: evening.is_over)
    assert table.rules.view(table.state)["result"] == outcome(script)
    laid = sum(map(tabletop.is_laid, range(len(script.commands))))
    assert table.pressed.count("confirm") >= 0.8 * laid


@pytest.mark.parametrize("game, codes", [("hexdragon", set()), ("hexapod", {"half-covered"}), ("comet", {"bad-set"})])
def test_a_slip_is_seen_rejected_and_put_right(game, codes):
    table = PretendTable(game_spec(game).demo_header())
    evening, tabletop, said, _ = people(game, table, temper=replace(QUICK, slips=1.0))
    pass_time(evening, tabletop, table, lambda: evening.is_over or len(table.done) > 9)
    assert table.pressed.count("reject") >= 2
    assert said[0].endswith("that was a slip; people lay the card again")
    assert {*table.refused} == codes
    assert tabletop.done(table.done) == len(table.done)


@pytest.mark.parametrize("game", GAMES)
def test_a_table_laid_out_anew_lies_as_the_hands_left_it(game):
    table = PretendTable(game_spec(game).demo_header())
    evening, tabletop, _, _ = people(game, table, temper=QUICK)
    pass_time(evening, tabletop, table, lambda: len(table.done) == 4)
    left = tabletop.next(STEP_S).truth.cards
    _, again, _, _ = people(game, table, moves=table.done)
    assert again.next(STEP_S).truth.cards.items() >= left.items()


def test_whose_set_it_is_no_camera_sees_so_it_is_said_on_a_phone():
    script = scripted("comet")
    table = game_spec("comet").demo().tabletop(script, 1, SMALL)
    index = next(k for k, command in enumerate(script.commands) if command["cmd"] == "set")
    moves, ours = script.commands[:index], script.commands[index]
    theirs = ours | {"player": next(name for name in script.header.players if name != ours["player"])}
    assert table.is_next(moves, ours | {"cards": ours["cards"][::-1]})
    assert not table.is_next(moves, theirs) and table.is_read_right(moves, theirs)
    assert not table.is_read_right(moves, ours | {"pot": "elsewhere"})


def test_a_hexapod_card_over_its_like_may_be_taken_to_lie_elsewhere():
    script = scripted("hexapod")
    table = game_spec("hexapod").demo().tabletop(script, 1, SMALL)
    moves, ours = script.commands[:12], script.commands[12]
    theirs = {**ours, "row": 0, "col": 2, "card": {"cells": [["gold", "leaf"], ["gold", "leaf"]]}}
    assert ours != theirs and not table.is_next(moves, theirs) and table.is_read_right(moves, theirs)
    assert not table.is_read_right(moves, {**theirs, "card": {"cells": [["gold", "blue"], ["gold", "leaf"]]}})


class EventfulTable(PretendTable):
    """The same, where incidents befall people."""

    def __init__(self, *given):
        super().__init__(*given)
        self.told, self.pulled, self.cuts, self.corrected = [], [], 0, []

    def mistaken(self, command):
        place = {name: command[name] for name in ("cmd", "player", "cell", "row", "col") if name in command}
        others = self.rules.legal(self.state) if len(place) > 1 else ()
        return next((one for one in others if one != command and one.items() >= place.items()), None)

    def put_right(self, command):
        wrong, kept = self.done.pop(), self.done
        self.corrected.append((wrong, command))
        self.state, self.done = self.rules.start(self.header), []
        for move in [*kept, command]:
            self.do(move)

    def tell(self, code):
        self.told.append(code)

    def pull_camera(self, away_s):
        self.pulled.append(away_s)

    def cut_power(self):
        self.cuts += 1


@pytest.mark.parametrize("game", ["hexel", "hexdragon", "hexapod"])
def test_every_incident_befalls_the_evening_of_every_game(game):
    table = EventfulTable(game_spec(game).demo_header())
    evening, tabletop, _, _ = people(game, table, temper=QUICK, incidents=Incidents())
    pass_time(evening, tabletop, table, lambda: evening.is_done)
    assert {f"demo-{incident.value}" for incident in Incident} <= set(table.told)
    assert (len(table.pulled), table.cuts, table.pressed.count("reject") >= 1) == (1, 1, True)
    ((wrong, right),) = table.corrected
    assert wrong != right and wrong["player"] == right["player"]
    assert table.rules.view(table.state)["result"] is not None
    assert table.told[-1] == "demo-over"
