"""Runs tournaments in the hall: keeps their logs, puts games on tables, takes the results as tables come to them."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from companion.errors import CompanionError, JournalError, Refusal, TableError
from companion.hub.messages import Address, Position
from companion.hub.service import Hub
from companion.hub.tournaments.pairings import pair
from companion.hub.tournaments.tournament import (
    Board,
    Entry,
    Terms,
    Tournament,
    begun,
    decided,
    evolve,
    paired,
    seated,
    tournament_of,
)
from companion.referee.journal import replay
from companion.rules.engine import Header
from companion.views.archive.measures import ends, measure_totals, views
from companion.views.archive.statistics import winners_of

_CHECK_S = 0.5
_WRITERS = 50
_SEATING = 16
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_R = TypeVar("_R")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a game.

    Attributes:
        places: the players' names by rank; None while the game goes on, or where nobody won and nothing was counted.
        moves: how many stand.
    """

    header: Header
    places: tuple[tuple[str, ...], ...] | None
    moves: int


def result_of(game: str, lines: Sequence[dict[str, Any]]) -> Result:
    """The result of a game by its journal's lines; of an evening of games that of the first.

    Raises:
        JournalError: the lines contradict the rules, or each other.
    """
    if not lines:
        raise JournalError(f"nothing is kept of the game {game}", code="journal-damaged")
    session, _ = replay(Path(game), list(lines))
    shown = views(session)
    over = ends(shown)
    places = ranks(shown[over[0]], session.header.players) if over else None
    return Result(session.header, places, len(session.moves))


def ranks(view: Mapping[str, Any], players: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The players of a game that is over by rank: as the game ranks them; else who won first, then by chips or points.

    >>> ranks({"result": {"winner": "Bo"}, "players": {"Ana": {"chips": 9}, "Bo": {"chips": 5}}}, ("Ana", "Bo"))
    (('Bo',), ('Ana',))
    """
    result = view["result"]
    if "ranking" in result:
        return tuple(tuple(rank) for rank in result["ranking"])
    winners = winners_of(result)
    counted = next(iter(measure_totals(view).values()), {})
    keys = {name: (name in winners, 0 if name in winners else counted.get(name, 0)) for name in players}
    return tuple(
        tuple(name for name in players if keys[name] == key) for key in sorted(set(keys.values()), reverse=True)
    )


def _with_hall(address: Address) -> str:
    return f"{address.table}@{address.hall}"


class Director:
    """The tournaments of one hub. Any thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._judged: dict[tuple[str, int], tuple[Address, Position, int]] = {}
        """By tournament and board, what was looked at last: the table, its newest line, and in which round."""
        self._failed: dict[str, str] = {}
        self._known: dict[str, Tournament] = {}
        """As last read: a log only grows, and what was read is not read again."""
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="hub-director", daemon=True)
        self.troubles: dict[str, CompanionError] = {}
        """By table, why its last game was not put there, or, by a `JournalError`, not counted."""

    def start(self) -> None:
        """Begin to take results."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more."""
        self._is_stopping.set()
        self._thread.join()

    def create(self, slug: str, terms: Terms) -> Tournament:
        """Begin a tournament. Raises `Refusal`, or `BadHeader` for a game that cannot be."""
        if not _SLUG.fullmatch(slug):
            raise Refusal("malformed", "A tournament's short name takes small letters, digits and hyphens.")
        if not self._hub.store.append(slug, 0, begun(terms)):
            raise Refusal("slug-taken", f"There is a tournament called {slug} already.", name=slug)
        return Tournament(terms)

    def tournament(self, slug: str) -> Tournament | None:
        """A tournament as it stands; None where there is none. Raises `TableError` where its log does not read."""
        known = self._known.get(slug)
        entries = self._hub.store.log(slug, known.length if known else 0)
        try:
            found = tournament_of(entries, known)
        except (ValueError, LookupError, TypeError) as error:
            why = f"the log of the tournament {slug} does not read: {type(error).__name__} {error}"
            raise TableError(why, code="tournament-damaged") from error
        if found is not None:
            self._known[slug] = found
        return found

    def tournaments(self) -> dict[str, Tournament]:
        """All tournaments by name, but those whose logs do not read."""
        found = {
            slug: self._attempt(f"the tournament {slug}", self.tournament, slug)
            for slug in self._hub.store.tournaments()
        }
        return {slug: tournament for slug, tournament in found.items() if tournament is not None}

    def write(self, slug: str, entry_of: Callable[[Tournament], Entry | None]) -> Tournament:
        """Append what a function says of the tournament, which it may be asked again when others write meanwhile.

        Raises:
            Refusal: what the function raises; `no-such-tournament`.
        """
        for _ in range(_WRITERS):
            tournament = self.tournament(slug)
            if tournament is None:
                raise Refusal("no-such-tournament", f"There is no tournament called {slug}.")
            entry = entry_of(tournament)
            if entry is None:
                return tournament
            if self._hub.store.append(slug, tournament.length, entry):
                return evolve(tournament, entry)
        raise Refusal("busy", "Too many write at once; try again.")

    def begin_round(self, slug: str) -> Tournament:
        """Pair the next round, give each board a table that is free, and put its game there. Raises `Refusal`."""
        tournament = self.write(slug, lambda now: paired(now, *pair(now)))
        number, free = len(tournament.rounds), self.free_tables()
        for board, table in zip(range(1, len(tournament.rounds[-1].boards) + 1), free, strict=False):
            tournament = self._seat(slug, number, board, table)
        with ThreadPoolExecutor(_SEATING) as workers:
            list(workers.map(lambda board: self._put(tournament, board), tournament.rounds[-1].boards))
        return tournament

    def seat(self, slug: str, board: int, table: str) -> Tournament:
        """Put a board of the current round on a table, once more or on another. Raises `Refusal`."""
        tournament = self._seat(slug, None, board, table)
        self._put(tournament, tournament.rounds[-1].boards[board - 1])
        return tournament

    def _seat(self, slug: str, number: int | None, board: int, table: str) -> Tournament:
        """Note a board's table in a round, None for the last one, and which game lies there over."""
        address = self._address(table)
        snapshot = self._hub.hall.latest(address) if address else None
        lying = f"{'/'.join(address)}/{snapshot['game']}" if address and snapshot and snapshot.get("over") else None
        return self.write(slug, lambda now: seated(now, number or len(now.rounds), board, table, lying))

    def free_tables(self) -> list[str]:
        """The tables that are here and at which no board waits for its result; those of one name with their halls."""
        by_name = self._by_name()
        taken = {
            by_name.get(board.table)
            for tournament in self.tournaments().values()
            for board in (tournament.rounds[-1].boards if tournament.rounds else ())
            if board.table is not None and board.places is None
        }
        alike = Counter(address.table for address in self._addresses())
        here = [Address(shown["hall"], shown["table"]) for shown in self._hub.hall.tables() if shown["state"] == "here"]
        free = (address for address in here if address not in taken)
        return [address.table if alike[address.table] == 1 else _with_hall(address) for address in free]

    def _put(self, tournament: Tournament, board: Board) -> None:
        """Ask a board's table to begin its game; what stands against it is told on the desk."""
        address = self._address(board.table)
        if address is None or board.table is None:
            return
        try:
            header = tournament.terms.header([tournament.name(player) for player in board.seats])
            self._hub.ask(address, {"ask": "begin", "header": header.as_json()})
        except CompanionError as error:
            self.troubles[board.table] = error
        else:
            self.troubles.pop(board.table, None)

    def _addresses(self) -> list[Address]:
        return [Address(shown["hall"], shown["table"]) for shown in self._hub.hall.tables()]

    def _by_name(self) -> dict[str, Address]:
        """The tables by their names, of several of one name the first, and by their names with their halls."""
        named: dict[str, Address] = {}
        for address in self._addresses():
            named.setdefault(address.table, address)
            named[_with_hall(address)] = address
        return named

    def _address(self, table: str | None) -> Address | None:
        return None if table is None else self._by_name().get(table)

    def _watch(self) -> None:
        while not self._is_stopping.wait(_CHECK_S):
            for slug in self._attempt("the list of tournaments", self._hub.store.tournaments) or ():
                self._attempt(f"the tournament {slug}", self.check, slug)

    def _attempt(self, what: str, do: Callable[..., _R], *given: str) -> _R | None:
        """What a function returns; None where it fails, which is logged once until it succeeds again.

        A store that is away for a while, or a log that is spoilt, does not end the tournaments.
        """
        try:
            done = do(*given)
        except Exception as error:
            if self._failed.get(what) != (kind := type(error).__name__):
                log.exception("%s fails; trying again", what)
            self._failed[what] = kind
            return None
        self._failed.pop(what, None)
        return done

    def check(self, slug: str) -> None:
        """Take the results of those boards of the last round whose games are over."""
        tournament = self.tournament(slug)
        if tournament is None or not tournament.rounds:
            return
        for n, board in enumerate(tournament.rounds[-1].boards, 1):
            if (address := self._address(board.table)) is not None:
                self._take(slug, tournament, n, address)

    def _take(self, slug: str, tournament: Tournament, number: int, address: Address) -> None:
        snapshot = self._hub.hall.latest(address)
        if not snapshot or not snapshot["over"] or snapshot["game"] is None:
            return
        newest = Position(snapshot["game"], snapshot["line"])
        looked_at = address, newest, len(tournament.rounds)
        if self._judged.get((slug, number)) == looked_at:
            return
        kept = self._hub.store.position(address)
        if kept is None or kept.game != newest.game or kept.line < newest.line:
            return
        self._judge(slug, tournament, number, address, newest)
        self._judged[slug, number] = looked_at

    def _judge(self, slug: str, tournament: Tournament, number: int, address: Address, newest: Position) -> None:
        board, game = tournament.rounds[-1].boards[number - 1], f"{address.hall}/{address.table}/{newest.game}"
        if game == board.lying:
            return
        try:
            result = result_of(newest.game, self._hub.store.lines(address, newest.game))
        except JournalError as error:
            log.warning("the game of %s is not counted: %s", address.table, error.message)
            self.troubles[board.table or ""] = error
            return
        played = {tournament.numbered(name) for name in result.header.players}
        if result.places is None or result.header.game != tournament.terms.game or played != {*board.seats}:
            return
        places = [[tournament.numbered(name) or 0 for name in rank] for rank in result.places]
        self.write(slug, lambda now: decided(now, len(tournament.rounds), number, places, game))
