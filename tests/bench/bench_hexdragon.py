"""How fast HexDragon's rules are: placements a second over whole games, a tile by those before it, all legal commands.

    python tests/bench/bench_hexdragon.py [--games 40]

The target is 3000 placements a second of one core, in processor time so that busy neighbours do not count; the time of
a placement may grow no faster than the tableau.
"""

import argparse
import time
from collections import defaultdict
from random import Random

from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import bodies
from companion.rules.engine import Command, Header

NAMES = ("Ana", "Bo", "Cy", "Dee")


def full_board(header: Header, random: Random) -> list[Command]:
    """Random bodies on every cell."""
    state, commands = hexdragon.start(header), list[Command]()
    while not state.over:
        listed = hexdragon.placements(state, random.choice(bodies()))
        if listed:
            commands.append(random.choice(listed))
            state, _ = hexdragon.apply(state, commands[-1])
    return commands


def rate(header: Header, games: list[list[Command]]) -> float:
    """Placements a second when the games are played again."""
    begun = time.process_time()
    for commands in games:
        state = hexdragon.start(header)
        for command in commands:
            state, _ = hexdragon.apply(state, command)
    return sum(map(len, games)) / (time.process_time() - begun)


def microseconds_by_size(header: Header, games: list[list[Command]], span: int) -> dict[int, float]:
    """The time of a placement by how many tiles lay before it, ``span`` sizes taken together."""
    steps = defaultdict[int, list[tuple[hexdragon.State, Command]]](list)
    for commands in games:
        state = hexdragon.start(header)
        for command in commands:
            steps[len(state.board) // span * span].append((state, command))
            state, _ = hexdragon.apply(state, command)
    return {size: 1e6 * _seconds_each(some) for size, some in sorted(steps.items())}


def _seconds_each(steps: list[tuple[hexdragon.State, Command]]) -> float:
    begun = time.process_time()
    for state, command in steps:
        hexdragon.apply(state, command)
    return (time.process_time() - begun) / len(steps)


def main() -> None:
    """Measure the usual tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40)
    asked = parser.parse_args()
    for players in (2, 4):
        header = Header("hexdragon", NAMES[:players])
        games = [full_board(header, Random(seed)) for seed in range(asked.games)]
        begun = time.process_time()
        listed = len(hexdragon.legal(hexdragon.start(header)))
        legal_ms = 1000 * (time.process_time() - begun)
        print(
            f"{players} players: {rate(header, games):.0f} placements/s, {listed} legal commands in {legal_ms:.1f} ms"
        )
        for size, microseconds in microseconds_by_size(header, games, span=6).items():
            print(f"{players} players: {microseconds:5.1f} us for a tile on {size} to {size + 5} others")


if __name__ == "__main__":
    main()
