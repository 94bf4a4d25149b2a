"""How fast the rules are on one core: commands a second over scripted games, and a Hex'el card by the cards before it.

    python tests/bench/bench_rules.py [--games 20] [--repeats 7]

Processor time, medians over the repeats. The target is 10,000 placements of Hex'el a second, and a cost that grows no
faster than the tableau does.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from statistics import median
from typing import Any

from companion.games import GAMES
from companion.games.hexel.demo.player import player
from companion.games.hexel.rules import game as hexel
from companion.rules.engine import Command, Header
from companion.simulator.script import write_script

NAMES = ("Ana", "Bo", "Cy", "Dee")
PLACING = {"place", "play", "set"}
MOST_COMMANDS = 200

Step = tuple[Any, Command]


def steps(name: str, games: int, move: Callable[[int], Any]) -> list[Step]:
    """Every state of some scripted games with the command that it met."""
    found: list[Step] = []
    for seed in range(games):
        header = Header(name, NAMES[:2])
        state = GAMES[name].rules.start(header)
        for command in islice(write_script(header, move(seed)).commands, MOST_COMMANDS):
            found.append((state, command))
            state, _ = GAMES[name].rules.apply(state, command)
    return found


def seconds_each(name: str, some: list[Step], repeats: int) -> float:
    """The median time of applying one of these commands."""
    apply, times = GAMES[name].rules.apply, []
    for _ in range(repeats):
        begun = time.process_time()
        for state, command in some:
            apply(state, command)
        times.append((time.process_time() - begun) / len(some))
    return median(times)


def main() -> None:
    """Measure every game, then Hex'el by the size of its tableau."""
    parser = argparse.ArgumentParser(description="Commands a second, medians.")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=7)
    asked = parser.parse_args()
    for name, people in ((name, game.player) for name, game in GAMES.items()):
        every = steps(name, asked.games, people)
        placing = [step for step in every if step[1]["cmd"] in PLACING]
        print(
            f"{name:10} {1 / seconds_each(name, placing, asked.repeats):8.0f} placements/s, "
            f"{1 / seconds_each(name, every, asked.repeats):8.0f} commands/s ({len(every)} commands)"
        )
    sizes = defaultdict(list)
    for state, command in steps("hexel", asked.games, lambda seed: player(seed, ends=False)):
        if command["cmd"] == "place":
            sizes[len(state.tableau) // 8 * 8].append((state, command))
    for size, some in sorted(sizes.items()):
        microseconds = 1e6 * seconds_each(hexel.NAME, some, asked.repeats)
        print(f"hexel      {microseconds:5.1f} us for a card on {size} to {size + 7} others ({len(some)} cards)")


if __name__ == "__main__":
    main()
