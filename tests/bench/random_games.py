"""Random games of every kind, each step held to what every game promises.

    python tests/bench/random_games.py --games 2000 [--game hexel] [--first SEED]

Commands are picked from those that `legal` lists. Each must be accepted, come back the same from its text, be told in
sentences and keep the sum of all chips, and so must what `next_step` names be accepted; the record of the whole game
must replay to the same state.
"""

import argparse
import json
import sys
import time
from collections import Counter
from itertools import chain
from random import Random
from typing import Any

from companion.errors import Refusal
from companion.games import GAMES
from companion.rules.engine import Header
from companion.rules.notation import parse, write
from companion.rules.records import replay

NAMES = ("Ana", "Bo", "Cy", "Dee", "Mary Ann", 'O"Neil')
MOST_STEPS = 400
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "hexel": ({}, {"chips": 12}, {"chips": 30}, {"dealer": "Ana"}),
    "comet": ({}, {"chips": 900}, {"ante_every": "round", "hand_growth": "pots", "decks": 2}),
    "hexapod": ({}, {"rows": 2, "cols": 3}),
    "hexdragon": ({}, {"radius": 1}),
}


def random_header(name: str, random: Random) -> Header:
    """A header that the game accepts."""
    game = GAMES[name].rules
    least, most = game.PLAYERS
    players = NAMES[: random.randint(least, min(most or 5, len(NAMES)))]
    edition = random.choice(game.EDITIONS) if game.EDITIONS else None
    return Header(name, players, edition, random.choice(OPTIONS.get(name, ({},))))


def play(name: str, seed: int, most_steps: int = MOST_STEPS) -> Any:
    """One random game, checked at every step; the state in which it ended."""
    random = Random(f"{name} {seed}")
    game, header = GAMES[name].rules, random_header(name, random)
    state = game.start(header)
    commands: list[Any] = []
    chips = all_chips(game.view(state))
    for _ in range(most_steps):
        listed, following = game.legal(state), game.next_step(state)
        if following is not None:
            game.apply(state, following)
        if not listed:
            break
        command = random.choice(listed)
        assert parse(game.NOTATION, write(game.NOTATION, command)) == command, command
        state = step(game, state, command, random)
        assert all_chips(game.view(state)) == chips, (command, chips)
        commands.append(command)
    replayed = replay(json.dumps(value) for value in (header.as_json(), *commands))
    assert replayed.refusal is None, replayed.refusal
    assert game.view(replayed.state) == game.view(state)
    return state


def step(game: Any, state: Any, command: Any, random: Random) -> Any:
    """One command, after another that will often be refused, both held to the promises."""
    shown = json.dumps(game.view(state))
    spoilt = {**command, random.choice([*command, "player"]): random.choice(["Ana", 0, -1, None, "pass", [0, 0]])}
    try:
        game.apply(state, spoilt)
    except Refusal as refusal:
        assert refusal.code, spoilt
        assert refusal.message, spoilt
    after, events = game.apply(state, command)
    assert json.dumps(game.view(state)) == shown, ("a command changed the state it was given", command)
    assert game.apply(state, command) == (after, events), ("the same command did something else", command)
    for event in events:
        sentence = game.explain(state, event)
        assert sentence, event
        assert "None" not in sentence, (event, sentence)
        assert json.loads(json.dumps(event)) == event, event
    return after


def all_chips(view: dict[str, Any]) -> int:
    """The chips in every stock and pot that a view shows, where the game has any."""
    kinds = ("chips", "hedge", "hand_pot")
    held = chain.from_iterable((player.get(kind, 0) for kind in kinds) for player in view["players"].values())
    pots = view["table"].get("pots", {})
    return int(sum(held) + sum(pots.values()))


def main() -> int:
    """Play many games of each kind and say how they went."""
    parser = argparse.ArgumentParser(description="Random games, each step checked.")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    options = parser.parse_args()
    for name in [options.game] if options.game else GAMES:
        begun = time.perf_counter()
        ends = Counter(GAMES[name].rules.view(play(name, options.first + n))["phase"] for n in range(options.games))
        print(f"{name:10} {options.games} games in {time.perf_counter() - begun:.0f} s; last phases {dict(ends)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
