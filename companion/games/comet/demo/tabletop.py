"""The simulated table of Comet: sets are laid face down, turned up one after the other, and cleared away."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from companion import games
from companion.games.comet.demo.player import player
from companion.games.comet.demo.things import CometThings, LaidCards
from companion.games.comet.rules.scoring import face, is_triple
from companion.games.comet.rules.state import TAIL
from companion.games.comet.spec import SPEC
from companion.printing.shapes import Point
from companion.rules.engine import Command, Header
from companion.simulator import filmed
from companion.simulator.script import Player, Script, commands_agree
from companion.simulator.tabletop import DemoGame, Face, first_good_player


class CometTabletop(filmed.FilmedTabletop):
    """A `companion.simulator.tabletop.Tabletop`.

    Everyone lays all sets of a round face down before the first is turned up; a set is told when its cards can be
    read. The pots are cleared for the next round.
    """

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1600, 900)) -> None:
        """Seven mats, with room for what the script lays."""
        house = games.game("comet").rules.start(script.header).house
        most = Counter({(0, pot): 1 for pot in (*house.pots, TAIL)}) | _sets_against(script.commands)
        sets = max(count for (_, pot), count in most.items() if pot != TAIL)
        tail = max(count for (_, pot), count in most.items() if pot == TAIL)
        self._things = CometThings(house.pots, max(sets, len(script.header.players)), tail)
        self._pots = (*house.pots, TAIL)
        super().__init__(script, self._things, seed, size)

    @property
    def zones(self) -> Mapping[str, Sequence[Point]]:
        """The corners of every pot's mat on the table, in mm."""
        return {pot: self._things.zone(pot) for pot in self._pots}

    def lying(self, done: int) -> filmed.Faces:
        """The sets of the round that was begun last: those told so far face up, the others face down."""
        commands, players = self._script.commands, self._script.header.players
        begun = max((k for k in range(done) if commands[k]["cmd"] == "round"), default=None)
        if begun is None:
            return {}
        end = next((k for k in range(begun + 1, len(commands)) if commands[k]["cmd"] == "round"), len(commands))
        laid: dict[tuple[str, int], LaidCards] = {}
        count = Counter[str]()
        for k in range(begun + 1, end):
            if commands[k]["cmd"] == "set":
                pot, seat = commands[k]["pot"], players.index(commands[k]["player"])
                cards = tuple(face(card) for card in commands[k]["cards"])
                laid[pot, count[pot]] = LaidCards(cards, seat, k < done)
                count[pot] += 1
        return laid

    def laid_after(self, index: int) -> filmed.Faces:
        """Before a round the pots are cleared: the new sets are laid once it has begun."""
        return {} if self._script.commands[index]["cmd"] == "round" else super().laid_after(index)

    def mislaid(self, index: int) -> filmed.Faces | None:
        """One card of the set alone, which is no set unless it is a triple."""
        for place in self._changed_places(index):
            laid = cast(LaidCards, self.laid_after(index)[place])
            if self._script.commands[index]["cmd"] == "set" and not is_triple(laid.cards[0]):
                return {**self.laid_after(index), place: replace(laid, cards=laid.cards[:1])}
        return None

    def mistaken(self, index: int) -> Command | None:
        """The set against another pot."""
        command = self._script.commands[index]
        if command["cmd"] != "set" or command["pot"] == TAIL:
            return None
        begun = max(k for k in range(index) if self._script.commands[k]["cmd"] == "round")
        taken = {
            one["pot"]
            for one in self._script.commands[begun:index]
            if one.get("player") == command["player"] and "pot" in one
        }
        other = next((pot for pot in self._pots if pot not in {*taken, command["pot"], TAIL}), None)
        return None if other is None else {**command, "pot": other}

    def is_laid(self, index: int) -> bool:
        """A set is turned up, and a round begins with the pots being cleared; the rest is said."""
        name = self._script.commands[index]["cmd"]
        return name == "set" or (name == "round" and bool(self.lying(index)))

    def is_turned_over(self, was: Face, shows: Face) -> bool:
        """The same cards, their other sides."""
        return isinstance(was, LaidCards) and isinstance(shows, LaidCards) and was.cards == shows.cards

    def agree(self, ours: Command, theirs: Command) -> bool:
        """A set's cards count in any order, a round without a word on the Tail is none of the Tail."""
        if ours["cmd"] == "set":
            return commands_agree(ours, theirs, ("cmd", "player", "pot")) and _cards(ours) == _cards(theirs)
        is_same_tail = bool(ours.get("tail")) == bool(theirs.get("tail"))
        return commands_agree(ours, theirs, ("cmd", "player")) and is_same_tail

    def is_read_right(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whose a set is, and whether the Tail is called, no camera sees."""
        ours = self._script.commands[len(moves)]
        if ours["cmd"] == "set":
            return commands_agree(ours, seen, ("cmd", "pot")) and _cards(ours) == _cards(seen)
        return bool(ours["cmd"] == "round" == seen["cmd"])

    def seat_of(self, face: Face) -> int:
        """Everyone lays and clears their own sets."""
        return cast(LaidCards, face).seat % self._seats


def _sets_against(commands: Sequence[Command]) -> Counter[tuple[int, str]]:
    """How many sets lie against each pot, by round."""
    number, count = 0, Counter[tuple[int, str]]()
    for command in commands:
        number += command["cmd"] == "round"
        if command["cmd"] == "set":
            count[number, command["pot"]] += 1
    return count


def _cards(command: Command) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted(card)) for card in command["cards"])


_TAIL_SETS = 2
"""So many sets against the Tail a player has room for."""
_COMMANDS = (28, 60)
"""Games of fewer commands show too little, of more too much."""


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, tail_sets=_TAIL_SETS), header, seed, _has_tail)


def _has_tail(script: Script) -> bool:
    """The Tail was called and won, after some rounds and before too many."""
    calls = sum(bool(command.get("tail")) for command in script.commands)
    return calls > 0 and _COMMANDS[0] <= len(script.commands) <= _COMMANDS[1]


DEMO = DemoGame(SPEC.demo_header(), _player, CometTabletop)
