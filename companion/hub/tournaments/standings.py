"""Who stands where in a tournament, with tie-breaks that hold for two at a table and for many.

A game gives 1 to the first, 0 to the last and equal steps between; those who share a rank share its points. So two at a
table have 1, a half or 0, as in chess. A bye gives 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.hub.tournaments.tournament import Places, Tournament

BYE_SCORE = 1.0


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One player's line.

    Attributes:
        rank: from 1; equal in everything that counts, equal in rank.
        buchholz: the sum of all opponents' scores; a round without any counts as one's own score.
        buchholz_cut: the same without the lowest.
        berger: the scores of those one was before, half of those one was equal with (Sonneborn-Berger).
        wins: games won alone.
    """

    rank: int
    number: int
    name: str
    score: float
    buchholz: float
    buchholz_cut: float
    berger: float
    wins: int
    played: int
    is_in: bool


def game_scores(places: Places) -> dict[int, float]:
    """What a game gives each player.

    >>> game_scores(((3,), (1, 2), (4,)))
    {3: 1.0, 1: 0.5, 2: 0.5, 4: 0.0}
    """
    number = sum(map(len, places))
    shares: dict[int, float] = {}
    before = 0
    for rank in places:
        middle = before + (len(rank) - 1) / 2
        shares |= dict.fromkeys(rank, 1 - middle / (number - 1))
        before += len(rank)
    return shares


def scores(tournament: Tournament, rounds: int | None = None) -> dict[int, float]:
    """Every player's score, after so many rounds or after all."""
    total = {entrant.number: 0.0 for entrant in tournament.entrants}
    for played_round in tournament.rounds[:rounds]:
        for player in played_round.byes:
            total[player] += BYE_SCORE
        for board in played_round.boards:
            if board.places is not None:
                for player, score in game_scores(board.places).items():
                    total[player] += score
    return total


def standings(tournament: Tournament) -> list[StandingsRow]:
    """All players, the best first: by score, Buchholz without the lowest, Buchholz, Sonneborn-Berger, wins."""
    total = scores(tournament)
    lines = [_line(tournament, entrant.number, total) for entrant in tournament.players]
    lines.sort(key=lambda line: (*(-value for value in _key(line)), line.number))
    ranked: list[StandingsRow] = []
    for n, line in enumerate(lines, 1):
        is_equal = bool(ranked) and _key(ranked[-1]) == _key(line)
        ranked.append(replace(line, rank=ranked[-1].rank if is_equal else n))
    return ranked


def _key(line: StandingsRow) -> tuple[float, ...]:
    return line.score, line.buchholz_cut, line.buchholz, line.berger, line.wins


def _line(tournament: Tournament, number: int, total: dict[int, float]) -> StandingsRow:
    met: list[float] = []
    berger, wins, played = 0.0, 0, 0
    for places in _rounds_of(tournament, number):
        if places is None:
            met.append(total[number])
            continue
        mine = game_scores(places)
        others = [player for player in mine if player != number]
        met += [total[other] for other in others]
        berger += sum(total[o] * (mine[number] > mine[o]) + total[o] / 2 * (mine[number] == mine[o]) for o in others)
        wins += places[0] == (number,)
        played += 1
    cut = sum(met) - min(met, default=0.0)
    entrant = tournament.entrants[number - 1]
    score, buchholz, cut, berger = (round(value, 4) for value in (total[number], sum(met), cut, berger))
    return StandingsRow(0, number, entrant.name, score, buchholz, cut, berger, wins, played, entrant.is_in)


def _rounds_of(tournament: Tournament, number: int) -> Iterator[Places | None]:
    """What came of each round for a player: the places at their board, None where they had no opponents."""
    for played_round in tournament.rounds:
        board = next((board for board in played_round.boards if number in board.seats), None)
        if board is None:
            yield None
        elif board.places is not None:
            yield board.places
