"""Who meets whom next: Swiss pairs and Berger tables by caissify-pairings, tables of several by balancing.

For several at a table there is no such library: players are dealt to tables by score, then swapped between tables while
that makes fewer meet again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from caissify_pairings import generate_pairings

from companion.errors import Refusal
from companion.hub.tournaments.standings import scores
from companion.hub.tournaments.tournament import Tournament, refuse_next_round

Boards = list[list[int]]

_GROUP = 40
"""So many neighbours in the standings are paired together at most: 40 take 0.3 s, 80 take 4 s, 200 some minutes."""
_BYES: dict[str, Any] = {"bye_value": 1.0, "max_byes_per_player": 1}
_SWAPS = 4000
_REMATCH = 10.0
"""How much one more meeting of the same two weighs against a point of difference in score."""


def pair(tournament: Tournament) -> tuple[Boards, list[int]]:
    """The boards of the next round, first seats first, and who sits out. Raises `Refusal`."""
    refuse_next_round(tournament)
    if len(tournament.playing) < 2:
        raise Refusal("too-few", "It takes two players at least.")
    if tournament.terms.system == "tables":
        return _tables(tournament), []
    return _pairs(tournament)


def _pairs(tournament: Tournament) -> tuple[Boards, list[int]]:
    is_swiss = tournament.terms.system == "swiss"
    entrants = tournament.playing if is_swiss else tournament.players
    totals = [scores(tournament, n) for n in range(len(tournament.rounds) + 1)]
    players = [_as_chess_player(tournament, entrant.number, totals) for entrant in entrants]
    made = _swiss(tournament, players) if is_swiss else _rows(tournament, "round_robin", players)
    playing = {entrant.number for entrant in tournament.playing}
    boards = [[row["white_id"], row["black_id"]] for row in made if row["black_id"] is not None]
    byes = [row["white_id"] for row in made if row["black_id"] is None]
    for board in [board for board in boards if not playing.issuperset(board)]:  # one dropped out of a round robin
        boards.remove(board)
        byes += [player for player in board if player in playing]
    byes = [player for player in byes if player in playing]
    if is_swiss and (not boards or len(byes) > 1):
        message = "Too many have met already, and nobody meets twice: no round can be paired. End the tournament."
        raise Refusal("everybody-has-met", message)
    return boards, byes if boards else []  # where nobody plays nobody sits out, which would give points to all


def _swiss(tournament: Tournament, players: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The library's rows for all players, taken in groups of neighbours in the standings where they are many.

    A group in which too many have met already is made twice as large, with all others.
    """
    size = _GROUP if tournament.rounds else len(players)  # the first round is halves of the list, and takes no time
    ordered = sorted(players, key=lambda player: (-player["score"], player["id"]))
    while size < len(ordered):
        starts = range(0, len(ordered) - size // 2, size)
        groups = [ordered[start : None if start == starts[-1] else start + size] for start in starts]
        made = [row for group in groups for row in _rows(tournament, "dutch", group, **_BYES)]
        if sum(row["black_id"] is None for row in made) == len(ordered) % 2:
            return made
        size *= 2
    return _rows(tournament, "dutch", players, **_BYES)


def _rows(tournament: Tournament, engine: str, players: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    met = set(_meetings(tournament))
    made = generate_pairings(engine, players, met, len(tournament.rounds) + 1, tournament.planned, **options)
    return list(made)


def _as_chess_player(tournament: Tournament, number: int, totals: Sequence[dict[int, float]]) -> dict[str, Any]:
    """A player as the library takes one: whoever has the first seat is white.

    Args:
        totals: everybody's score before each round, and now.
    """
    colours, floats = [], []
    byes = 0
    for n, played_round in enumerate(tournament.rounds):
        before = totals[n]
        board = next((board for board in played_round.boards if number in board.seats), None)
        byes += number in played_round.byes
        if board is None:
            colours.append("none")
            floats.append("down" if number in played_round.byes else "none")
            continue
        other = next(player for player in board.seats if player != number)
        colours.append("white" if board.seats[0] == number else "black")
        floats.append(_float(before[number], before[other]))
    return {
        "id": number,
        "name": tournament.name(number),
        "score": totals[-1][number],
        "rating": 0,
        "starting_number": number,
        "color_hist": colours,
        "float_history": floats,
        "bye_count": byes,
    }


def _float(mine: float, other: float) -> str:
    return "down" if mine > other else "up" if mine < other else "none"


def _meetings(tournament: Tournament) -> Counter[tuple[int, int]]:
    met: Counter[tuple[int, int]] = Counter()
    for played_round in tournament.rounds:
        for board in played_round.boards:
            met.update(combinations(sorted(board.seats), 2))
    return met


def table_sizes(players: int, seats: int) -> list[int]:
    """How many sit at each table: as few tables as it takes, as equal as can be.

    >>> table_sizes(10, 4), table_sizes(64, 4)[:2]
    ([4, 3, 3], [4, 4])
    """
    tables = -(-players // seats)
    return [players // tables + (n < players % tables) for n in range(tables)]


def _tables(tournament: Tournament) -> Boards:
    total, met = scores(tournament), _meetings(tournament)
    chance = Random(len(tournament.rounds))
    players = [entrant.number for entrant in tournament.playing]
    chance.shuffle(players)
    players.sort(key=lambda player: -total[player])
    boards: Boards = []
    for size in table_sizes(len(players), tournament.terms.seats):
        boards.append(players[:size])
        players = players[size:]

    def cost(board: Sequence[int]) -> float:
        again = sum(met[min(pair), max(pair)] for pair in combinations(board, 2))
        points = [total[player] for player in board]
        return _REMATCH * again + (max(points) - min(points)) ** 2

    for _ in range(_SWAPS if len(boards) > 1 else 0):
        n = chance.randrange(len(boards) - 1)
        one, other = boards[n], boards[min(n + chance.randint(1, 2), len(boards) - 1)]
        a, b = chance.randrange(len(one)), chance.randrange(len(other))
        before = cost(one) + cost(other)
        one[a], other[b] = other[b], one[a]
        if cost(one) + cost(other) > before:
            one[a], other[b] = other[b], one[a]
    return [_by_seats(tournament, board) for board in boards]


def _by_seats(tournament: Tournament, board: Sequence[int]) -> list[int]:
    """A table's players in the order of seats: whoever sat early least often sits first."""
    return sorted(board, key=lambda player: (-sum(_earlier_seats(tournament, player)), player))


def _earlier_seats(tournament: Tournament, player: int) -> Iterator[float]:
    for played_round in tournament.rounds:
        for board in played_round.boards:
            if player in board.seats:
                yield board.seats.index(player) / (len(board.seats) - 1)
