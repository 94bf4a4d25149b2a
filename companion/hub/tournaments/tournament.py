"""A tournament as pure functions over its log: who plays, who met whom, and what came of it.

The log is a list of JSON objects, kept one by one by the store; `tournament_of` reads it, everything else only says
what would be appended. A player is a number, from 1 in the order of registration; a name belongs to one player.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from companion.errors import Refusal
from companion.hub.messages import is_table_name
from companion.rules.engine import Header
from companion.rules.limits import LONGEST_NAME, as_seen, is_name
from companion.rules.records import read_header

SYSTEMS = ("swiss", "round-robin", "tables")
"""Swiss pairs and everybody against everybody, two at a table; or tables of several, balanced by score and seats."""
MOST_ENTRANTS = 1000
"""Anybody in the hall registers from a phone: beyond so many who play it is somebody's joke."""

Places = tuple[tuple[int, ...], ...]
"""Players by their rank in a game, those who share one together."""
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played, and how.

    Attributes:
        seats: the most players at one table; 2 but for ``tables``.
        rounds: how many are planned; not of a round robin, which has as many as it takes.
    """

    title: str
    game: str
    system: str = "swiss"
    rounds: int = 6
    seats: int = 2
    edition: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def header(self, players: Sequence[str]) -> Header:
        """Of the game at one table. Raises `BadHeader`."""
        return read_header(Header(self.game, tuple(players), self.edition, self.options).as_json())


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player.

    Attributes:
        joined: the first round that they could play.
        is_in: until they drop out.
        is_struck: whether the desk has taken the name out, as if it had never been registered.
    """

    number: int
    name: str
    joined: int
    is_in: bool = True
    is_struck: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """One table of a round: who sits there, in the order of the seats, and their places once the game is over.

    Attributes:
        game: that was counted; None until then, where the desk has said the places, and once the board is put on a
            table anew: then another game counts.
        lying: the game that lay on the table, over, when the board was put there: it is of other players, or of the
            same ones at another board.
        is_by_desk: whether the desk has said the places since the board was put on its table: its word stands.
    """

    table: str | None
    seats: tuple[int, ...]
    places: Places | None = None
    game: str | None = None
    lying: str | None = None
    is_by_desk: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """A round. ``byes`` sit out and score as a win."""

    boards: tuple[Board, ...]
    byes: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether every board has its result."""
        return all(board.places is not None for board in self.boards)


@dataclass(frozen=True, slots=True)
class Tournament:
    """How a tournament stands after ``length`` entries of its log.

    Attributes:
        entrants: all who ever registered; who has the number n is the n-th.
        is_ended: whether the desk has ended it after the rounds that there are.
        keys: by the key of a request to register, who was registered by it.
    """

    terms: Terms
    entrants: tuple[Entrant, ...] = ()
    rounds: tuple[Round, ...] = ()
    length: int = 1
    is_ended: bool = False
    keys: Mapping[str, int] = field(default_factory=dict)

    @property
    def players(self) -> tuple[Entrant, ...]:
        """Those whom the desk has not struck out."""
        return tuple(entrant for entrant in self.entrants if not entrant.is_struck)

    @property
    def playing(self) -> tuple[Entrant, ...]:
        """Those who have not dropped out."""
        return tuple(entrant for entrant in self.entrants if entrant.is_in)

    @property
    def planned(self) -> int:
        """How many rounds there are to be."""
        if self.is_ended:
            return len(self.rounds)
        if self.terms.system == "round-robin":
            return max(1, len(self.players) - 1 + len(self.players) % 2)
        return self.terms.rounds

    @property
    def is_over(self) -> bool:
        """Whether all rounds that were planned have been played."""
        return len(self.rounds) >= self.planned and all(played_round.is_over for played_round in self.rounds)

    def name(self, number: int) -> str:
        """Of a player."""
        return self.entrants[number - 1].name

    def numbered(self, name: str) -> int | None:
        """The player of that name."""
        return next((entrant.number for entrant in self.players if entrant.name == name), None)

    def was_paired(self, number: int) -> bool:
        """Whether a player has sat at a board, or has sat out."""
        seated = (board.seats for each in self.rounds for board in each.boards)
        return any(number in players for players in (*seated, *(each.byes for each in self.rounds)))


def begun(terms: Terms) -> Entry:
    """The first entry. Raises `Refusal`, or `BadHeader` for a game that cannot be."""
    if terms.system not in SYSTEMS or not 1 <= terms.rounds <= 30 or not terms.title.strip():
        raise Refusal("malformed", f"A tournament has a title, up to 30 rounds and a system: {', '.join(SYSTEMS)}.")
    if terms.system != "tables" and terms.seats != 2:
        raise Refusal("bad-seats", "Two sit at a table, but for the system of tables.")
    if terms.system == "tables" and not 3 <= terms.seats <= 8:
        raise Refusal("bad-seats", "Three to eight sit at a table.")
    terms.header([f"player {n}" for n in range(terms.seats)])
    return {"did": "begin", **{name: getattr(terms, name) for name in Terms.__slots__}}


def registered(tournament: Tournament, name: str, key: str | None = None) -> Entry | None:
    """The entry of one more player; a late one begins with the next round.

    Args:
        key: of the request; None is returned where the same has registered the same name before.

    Raises:
        Refusal: the name cannot be, or plays already; nobody can come in any more.
    """
    name = " ".join(name.split())
    if not is_name(name):  # a table would not begin its game, and no page could show it
        raise Refusal("bad-name", f"A name has 1 to {LONGEST_NAME} letters.", most=LONGEST_NAME)
    known = tournament.keys.get(key) if key else None
    if known is not None and tournament.numbered(name) == known:
        return None
    if len(tournament.playing) >= MOST_ENTRANTS:
        message = f"{MOST_ENTRANTS} players are registered; there is no room for more."
        raise Refusal("full", message, most=MOST_ENTRANTS)
    if as_seen(name.casefold()) in {as_seen(entrant.name.casefold()) for entrant in tournament.players}:
        raise Refusal("name-taken", f"Somebody called {name} plays already; add a letter.", name=name)
    if len(tournament.rounds) >= tournament.planned:
        raise Refusal("too-late", "The last round has been paired.")
    if tournament.terms.system == "round-robin" and tournament.rounds:
        raise Refusal("too-late", "Everybody plays everybody: nobody can come in once it has begun.")
    return {"did": "register", "number": len(tournament.entrants) + 1, "name": name, "key": key}


def withdrawn(tournament: Tournament, number: int, is_in: bool = False) -> Entry:
    """The entry of a player who drops out, or comes back. Raises `Refusal`."""
    _require_player(tournament, number)
    return {"did": "return" if is_in else "withdraw", "number": number}


def struck(tournament: Tournament, number: int) -> Entry:
    """The entry of a name that the desk strikes out, as if it had never been registered. Raises `Refusal`."""
    _require_player(tournament, number)
    is_drawn = tournament.terms.system == "round-robin" and bool(tournament.rounds)  # for all rounds, by who plays
    if is_drawn or tournament.was_paired(number):
        name = tournament.name(number)
        message = f"{name} has been paired and stays in the standings; let them drop out instead."
        raise Refusal("has-played", message, name=name)
    return {"did": "strike", "number": number}


def _require_player(tournament: Tournament, number: int) -> None:
    if all(entrant.number != number for entrant in tournament.players):
        raise Refusal("no-such-player", f"There is no player {number}.")


def decided(
    tournament: Tournament, round_number: int, board: int, places: Sequence[Sequence[int]], game: str | None = None
) -> Entry | None:
    """The entry of a board's result, by the table or the desk. Raises `Refusal`.

    None when it stands so already, and of a table's when the desk has said another or another game was counted.

    Args:
        game: that the table played; None for the desk.
    """
    now = _board_of(tournament, round_number, board)
    if not all(_are_numbers(rank) for rank in places):
        raise Refusal("malformed", "A result is a list of ranks, each a list of the players' numbers.")
    ranked = tuple(tuple(sorted(rank)) for rank in places if rank)
    if sorted(number for rank in ranked for number in rank) != sorted(now.seats):
        raise Refusal("malformed", "A result ranks everybody who sits at the board, each once.")
    if now.places == ranked or (game is not None and (now.is_by_desk or now.game not in (None, game))):
        return None
    return {"did": "result", "round": round_number, "board": board, "places": [list(r) for r in ranked], "game": game}


def paired(tournament: Tournament, boards: Sequence[Sequence[int]], byes: Sequence[int]) -> Entry:
    """The entry of the next round, as `companion.hub.tournaments.pairings` says it. Raises `Refusal`."""
    refuse_next_round(tournament)
    return {"did": "pair", "boards": [[*seats] for seats in boards], "byes": [*byes]}


def refuse_next_round(tournament: Tournament) -> None:
    """Raise `Refusal` while a round goes on, and after the last."""
    _refuse_in_a_round(tournament)
    if len(tournament.rounds) >= tournament.planned:
        rounds = tournament.planned
        raise Refusal("no-more-rounds", f"All {rounds} rounds have been paired.", rounds=rounds)


def ended(tournament: Tournament, is_over: bool = True) -> Entry:
    """The entry of a tournament that the desk ends after the rounds so far, or goes on with. Raises `Refusal`."""
    _refuse_in_a_round(tournament)
    return {"did": "end" if is_over else "go-on"}


def _refuse_in_a_round(tournament: Tournament) -> None:
    if tournament.rounds and not tournament.rounds[-1].is_over:
        number = len(tournament.rounds)
        raise Refusal("round-goes-on", f"Round {number} is not over yet.", round=number)


def seated(tournament: Tournament, round_number: int, board: int, table: str, lying: str | None = None) -> Entry:
    """The entry of a board's table in the hall, with the game that lies there, over. Raises `Refusal`."""
    _board_of(tournament, round_number, board)
    if not all(is_table_name(name) for name in table.split("@", 1)):
        raise Refusal("malformed", "A table's name takes small letters, digits and hyphens, 40 at most.")
    return {"did": "seat", "round": round_number, "board": board, "table": table, "lying": lying}


def _board_of(tournament: Tournament, round_number: int, board: int) -> Board:
    """A board of a round. Raises `Refusal`, ``no-such-board``."""
    if not 1 <= round_number <= len(tournament.rounds):
        raise Refusal("no-such-board", f"There is no round {round_number}.")
    boards = tournament.rounds[round_number - 1].boards
    if not 1 <= board <= len(boards):
        raise Refusal("no-such-board", f"There is no board {board} in round {round_number}.")
    return boards[board - 1]


def _are_numbers(rank: Any) -> bool:
    return isinstance(rank, list | tuple) and all(type(number) is int for number in rank)


def tournament_of(log: Sequence[Mapping[str, Any]], before: Tournament | None = None) -> Tournament | None:
    """The tournament that a log tells, or its end after the tournament ``before``; None for one that is empty.

    Raises:
        LookupError: the first entry is not whole.
        ValueError: an entry says what cannot be.
    """
    tournament, rest = before, log
    if tournament is None and log:
        tournament, rest = Tournament(_terms_of(log[0])), log[1:]
    for entry in rest:
        assert tournament is not None
        tournament = evolve(tournament, entry)
    return tournament


def _terms_of(entry: Mapping[str, Any]) -> Terms:
    told = {name: entry[name] for name in Terms.__slots__}
    match told:
        case {"title": str(), "game": str(), "system": str(), "rounds": int(), "seats": int(), "options": dict()}:
            return Terms(**told)
    raise ValueError(f"no terms: {told}")


def evolve(tournament: Tournament, entry: Mapping[str, Any]) -> Tournament:
    """The tournament after one more entry. Raises `ValueError` for one that says what cannot be."""
    after, known = replace(tournament, length=tournament.length + 1), range(1, len(tournament.entrants) + 1)
    match entry:
        case {"did": "register", "number": int(number), "name": str(name)} if number == known.stop:
            fresh = Entrant(number, name, len(tournament.rounds) + 1)
            keys = {**tournament.keys, key: number} if (key := entry.get("key")) else tournament.keys
            return replace(after, entrants=(*tournament.entrants, fresh), keys=keys)
        case {"did": "withdraw" | "return" as did, "number": int(number)}:
            return _with_entrant(after, number, is_in=did == "return")
        case {"did": "strike", "number": int(number)}:
            return _with_entrant(after, number, is_in=False, is_struck=True)
        case {"did": "pair", "boards": [*boards], "byes": [*byes]} if all(n in known for n in chain(byes, *boards)):
            fresh_round = Round(tuple(Board(None, tuple(seats)) for seats in boards), tuple(byes))
            return replace(after, rounds=(*tournament.rounds, fresh_round))
        case {"did": "seat", "table": str(table)}:
            seat = {"table": table, "lying": entry.get("lying")}
            return _with_board(after, entry, **seat, game=None, is_by_desk=False)
        case {"did": "result", "places": [*ranks], "game": str() | None as game} if len([*chain(*ranks)]) > 1 and all(
            n in known for n in chain(*ranks)
        ):
            places = tuple(tuple(rank) for rank in ranks)
            return _with_board(after, entry, places=places, game=game, is_by_desk=game is None)
        case {"did": "end" | "go-on" as did}:
            return replace(after, is_ended=did == "end")
    raise ValueError(f"what does not follow: {dict(entry)}")


def _with_entrant(tournament: Tournament, number: int, **changed: Any) -> Tournament:
    entrants = (replace(each, **changed) if each.number == number else each for each in tournament.entrants)
    return replace(tournament, entrants=tuple(entrants))


def _with_board(tournament: Tournament, entry: Mapping[str, Any], **changed: Any) -> Tournament:
    """A board changed; one that never was, which logs of earlier versions may name, is passed over."""
    number, board = entry["round"] - 1, entry["board"] - 1
    if not (0 <= number < len(tournament.rounds) and 0 <= board < len(tournament.rounds[number].boards)):
        return tournament
    before = tournament.rounds[number]
    boards = (*before.boards[:board], replace(before.boards[board], **changed), *before.boards[board + 1 :])
    rounds = (*tournament.rounds[:number], replace(before, boards=boards), *tournament.rounds[number + 1 :])
    return replace(tournament, rounds=rounds)
