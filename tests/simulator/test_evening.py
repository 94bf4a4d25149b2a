from random import Random

import pytest

from companion.errors import Refusal
from companion.games import game as game_spec
from companion.games.comet.demo import tabletop as comet_demo
from companion.games.comet.demo.tabletop import CometTabletop, LaidCards
from companion.games.comet.rules import game as comet
from companion.games.hexel.demo.player import player
from companion.games.hexel.demo.tabletop import HexelTabletop
from companion.games.hexel.rules import game as hexel
from companion.rules.engine import Header
from companion.rules.hexgrid import LatticeMap
from companion.simulator.evening import Evening, TableView
from companion.simulator.film import STEP_S
from companion.simulator.incidents import Incident, Incidents
from companion.simulator.script import write_script

HEADER = game_spec("hexel").demo_header()
PLAYER = player(4, least_cards=5)
SCRIPT = write_script(HEADER, PLAYER)
OTHERWISE = LatticeMap(2, (3, -1))
"""The camera calls the cells by other names than the script."""


class PretendTable:
    """Referee, camera and panel in one: knows the truth of the film, and may be told to err."""

    header, rules = HEADER, hexel

    def __init__(self, moves=(), misread=(), blind=(), deaf=0):
        self.state, self.done, self.rejected = self.rules.start(self.header), [], set()
        self.proposal = None
        self.misread, self.blind, self.deaf = list(misread), set(blind), deaf
        self.pressed, self.entered = [], []
        for move in moves:
            self.do(move)

    def do(self, command):
        self.state, _ = self.rules.apply(self.state, command)
        self.done.append(command)
        self.proposal = None

    def undo(self):
        moves = self.done[:-1]
        self.__init__(moves)

    def view_table(self):
        return TableView(self.header, tuple(self.done), self.proposal)

    def press(self, button):
        self.pressed.append(button)
        if self.deaf:
            self.deaf -= 1
        elif button == "confirm":
            self.do(self.proposal)
        else:
            self.rejected.add(str(self.proposal))
            self.proposal = None

    def enter(self, command):
        self.entered.append(command)
        self.do(command)

    def watch(self, truth, way=OTHERWISE):
        """Propose what the rules make of the table as it lies, once nothing moves."""
        if truth.has_hand or truth.moving:
            self.proposal = None
            return
        seen = way.table({cell: face for cell, face in truth.cards.items() if cell not in self.blind})
        known = {cell: laid.edges for cell, laid in self.state.tableau.items()}
        commands = hexel.interpret(self.state, known, seen)
        if not commands:
            self.rejected.clear()
        self.proposal = self._misread(commands[0]) if commands and str(commands[0]) not in self.rejected else None

    def _misread(self, command):
        if len(self.done) in self.misread and command["cmd"] == "place":
            return {**command, "edges": [*command["edges"][:0:-1], "red"]}
        return command


def evening(table, script=SCRIPT, done=0):
    tabletop = HexelTabletop(script, seed=1, size=(160, 90))
    tabletop.lay_out(done)
    said = []
    return Evening(script, PLAYER, tabletop, table, Random(1), said.append), tabletop, said


def pass_time(people, tabletop, table, until, most_s=900.0):
    way = OTHERWISE
    for _ in range(int(most_s / STEP_S)):
        shot = tabletop.next(STEP_S)
        table.watch(shot.truth, way)
        people.step(shot.t_s)
        if until():
            return
    raise AssertionError(f"not within {most_s} s of table time")


def played(table, **given):
    people, tabletop, said = evening(table, **given)
    pass_time(people, tabletop, table, lambda: people.is_over)
    return said, tabletop


def test_people_play_a_whole_game_through_the_camera_and_the_buttons():
    table = PretendTable()
    said, tabletop = played(table)
    assert table.state.phase == "over"
    assert len(table.done) == len(SCRIPT.commands)
    assert table.pressed.count("confirm") == sum(map(tabletop.is_laid, range(len(SCRIPT.commands))))
    laid = [c for k, c in enumerate(SCRIPT.commands) if tabletop.is_laid(k)]
    assert not any(command in laid for command in table.entered)
    assert said == ["the game is over; the table stays as it is"]


def test_a_misread_card_is_rejected_and_laid_again_and_in_the_end_entered_on_a_phone():
    index = len(SCRIPT.commands) - 2
    table = PretendTable(misread=[index])
    said, _ = played(table)
    assert table.pressed.count("reject") == 3
    assert table.done[index] == table.entered[-1]
    assert [line.split("; ")[-1] for line in said[:3]] == [
        "people lay the card again",
        "people lay the card again",
        "people enter it on a phone",
    ]
    assert f"move {index + 1}" in said[0]


def test_a_card_that_the_camera_never_sees_is_pushed_laid_again_and_entered_on_a_phone():
    last = SCRIPT.commands[-1]
    table = PretendTable(blind=[tuple(last["cell"])])
    said, _ = played(table)
    assert table.state.phase == "over"
    assert "push the card straight" in said[0] and "lay the card again" in said[1]
    assert any("enter it on a phone" in line for line in said)
    assert table.entered[-1] == table.done[-1]


def test_what_is_entered_on_a_phone_names_cells_as_the_camera_does():
    table = PretendTable(blind=[tuple(SCRIPT.commands[-1]["cell"])])
    played(table)
    own = SCRIPT.commands[-1]
    assert table.done[-1]["cell"] == list(OTHERWISE.cell(tuple(own["cell"])))
    assert table.done[-1]["edges"] == list(OTHERWISE.edges(tuple(own["edges"])))


def test_a_press_that_did_nothing_is_repeated():
    table = PretendTable(deaf=2)
    played(table)
    assert table.state.phase == "over"


@pytest.mark.parametrize("done", [0, 1, 3, 7, len(SCRIPT.commands) - 1])
def test_a_table_that_was_killed_is_played_on_from_its_journal(done):
    before = PretendTable()
    people, tabletop, _ = evening(before)
    pass_time(people, tabletop, before, lambda: len(before.done) == done)
    after = PretendTable(before.done)
    _, tabletop = played(after, done=done)
    assert after.state.phase == "over"
    assert after.done[:done] == before.done and len(after.done) == len(SCRIPT.commands)


def test_when_a_guest_takes_a_move_back_the_card_is_taken_up_and_laid_again():
    table = PretendTable()
    people, tabletop, _ = evening(table)
    pass_time(people, tabletop, table, lambda: len(table.done) == 8)
    table.undo()
    pass_time(people, tabletop, table, lambda: people.is_over)
    assert len(table.done) == len(SCRIPT.commands)


def test_when_a_guest_makes_another_move_the_players_go_on_from_there():
    table = PretendTable()
    people, tabletop, said = evening(table)
    pass_time(people, tabletop, table, lambda: table.state.phase == "play")
    table.do({"cmd": "pass", "player": table.state.turn})
    pass_time(people, tabletop, table, lambda: people.is_over)
    assert table.state.phase == "over"
    assert said[0] == "someone else has taken part; the players go on from there"


def test_a_refusal_on_the_phone_is_told_once_and_does_not_stop_the_evening():
    table = PretendTable()
    refusals = iter([Refusal("busy", "the line is busy")] * 3)
    entered = table.enter

    def enter(command):
        if refusal := next(refusals, None):
            raise refusal
        entered(command)

    table.enter = enter
    said, _ = played(table)
    assert sum("the line is busy" in line for line in said) == 1


def test_when_a_guest_begins_another_game_the_players_only_watch():
    table = PretendTable()
    people, tabletop, said = evening(table)
    pass_time(people, tabletop, table, lambda: len(table.done) == 2)
    table.header, table.done = Header("hexdragon", ("Ana", "Bo")), []
    pass_time(people, tabletop, table, lambda: not tabletop.is_busy and people.is_over)
    assert "only watch" in said[0]
    people.step(1e6)
    assert len(said) == 1 and table.done == []


def test_when_a_guest_begins_the_game_anew_the_table_is_cleared_and_it_is_played():
    table = PretendTable()
    people, tabletop, _ = evening(table)
    pass_time(people, tabletop, table, lambda: len(table.done) == 7)
    table.__init__()
    table.header = Header("hexel", ("Ana", "Bo"), "36")
    table.state = hexel.start(table.header)
    pass_time(people, tabletop, table, lambda: people.is_over)
    assert table.state.phase == "over"
    assert {move["player"] for move in table.done if "player" in move} <= {"Ana", "Bo"}


class EventfulTable(PretendTable):
    """The same, which also knows what befalls a demo."""

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.told, self.pulled, self.cuts, self.corrected = [], [], 0, []

    def mistaken(self, command):
        return next(
            (one for one in hexel.legal(self.state) if one.get("cell") == command["cell"] and one != command), None
        )

    def put_right(self, command):
        moves, kept = [*self.done[:-1], command], self.__dict__
        self.corrected.append((self.done[-1], command))
        told = {name: kept[name] for name in ("told", "pulled", "cuts", "corrected", "pressed", "entered")}
        self.__init__(moves)
        self.__dict__.update(told)

    def tell(self, code):
        if self.told[-1:] != [code]:
            self.told.append(code)

    def pull_camera(self, away_s):
        self.pulled.append(away_s)

    def cut_power(self):
        self.cuts += 1


class CometTable(EventfulTable):
    """The same for Comet, whose camera tells sets that were turned up and pots that were cleared."""

    header, rules = game_spec("comet").demo_header(), comet

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.lay_before = {}

    def mistaken(self, command):
        return None  # the tabletop knows it of sets, and a round cannot be begun wrongly

    def watch(self, truth, way=None):
        """Propose what the rules make of the sets as they lie, once nothing moves."""
        if truth.has_hand or truth.moving:
            self.proposal = None
            return
        sets = [(pot, laid) for (pot, _), laid in truth.cards.items() if isinstance(laid, LaidCards)]
        faces = [(pot, laid.cards if laid.is_up else (None,) * len(laid.cards)) for pot, laid in sets]
        self.proposal = next((one for one in self._meant(faces) if str(one) not in self.rejected), None)

    def _meant(self, sets):
        found = [self.rules.interpret(self.state, {}, {pot: shown})[:1] for pot, shown in sets]
        lie = {pot: [card for at, shown in sets if at == pot for card in shown] for pot, _ in sets}
        before, self.lay_before = {} if lie else self.lay_before, lie or self.lay_before
        cleared = self.rules.interpret(self.state, before, lie)
        return [one for group in found for one in group if one["cmd"] == "set"] + [
            one for one in cleared if one["cmd"] != "set"
        ]


def with_incidents(table, people, filmed):
    """A whole evening in which everything befalls the table; the move that was put right, before and after."""
    incidents, script = Incidents(), write_script(table.header, people)
    tabletop = filmed(script, seed=1, size=(160, 90))
    incidents.plan(len(script.commands), tabletop.is_laid)
    play = Evening(script, people, tabletop, table, Random(1), lambda line: None, incidents=incidents)
    pass_time(play, tabletop, table, lambda: play.is_done)
    assert {f"demo-{incident.value}" for incident in Incident} <= set(table.told)
    assert table.told[-1] == "demo-over"
    assert (len(table.pulled), table.cuts, table.pressed.count("reject") >= 1) == (1, 1, True)
    assert table.state.phase == "over"
    ((wrong, right),) = table.corrected
    assert wrong != right
    return wrong, right


def test_an_evening_of_hexel_with_incidents_is_told_and_comes_to_its_end():
    wrong, right = with_incidents(EventfulTable(), player(4, least_cards=9), HexelTabletop)
    assert wrong["cell"] == right["cell"]


def test_an_evening_of_comet_with_incidents_is_told_and_comes_to_its_end():
    wrong, right = with_incidents(CometTable(), comet_demo.DEMO.player(CometTable.header, 1), CometTabletop)
    assert wrong["cards"] == right["cards"]
    assert wrong["pot"] != right["pot"]


def test_a_table_that_comes_back_after_a_power_cut_is_not_cut_again():
    tabletop = HexelTabletop(SCRIPT, seed=1, size=(160, 90))
    first = Incidents((Incident.POWER,))
    first.plan(len(SCRIPT.commands), tabletop.is_laid)
    at = next(index for index in range(len(SCRIPT.commands)) if first.take(index))
    again = Incidents((Incident.POWER,))
    again.plan(len(SCRIPT.commands), tabletop.is_laid, begun=at)
    assert not any(again.take(index) for index in range(len(SCRIPT.commands)))
