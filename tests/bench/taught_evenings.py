"""Evenings at one table whose printing learns from them: whether it is read no worse after many than after the first.

    PYTHONPATH=. python tests/bench/taught_evenings.py [--game hexel] [--evenings 200] [--printings 1] [--photographs 6]

A printing that no training saw is taught from one photograph. Each evening shows one of a few others again; what is
read on it is confirmed, right or wrong, and one move in twenty is confirmed under another card's name; then the table
learns. After 0, 1, 10, 50 and all evenings photographs that it never learns from are read: cards or cells right and
wrong, how many samples of evenings the printing keeps, how often it was written anew, and its file's size.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from sabotage import GAMES_TAUGHT, Game, reread

from companion.app.evenings import learn_game
from companion.app.profiles import Profiles
from companion.errors import UsageError
from companion.games import GAMES
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import CONFIRMED
from models.drawing.photograph import Photograph
from tests.teaching.played import MOVES, Move, kept_game

MOST_MOVES = 4
"""That an evening confirms."""
MISTAKEN = 0.05
"""So many of them under another card's name."""


def taught(game: Game, rng: np.random.Generator) -> tuple[object, Profile]:
    """A printing and its profile, from the first photograph that is accepted."""
    while True:
        look = game.look(rng, False)
        picture, label = game.taught(rng, look)
        try:
            return look, GAMES[game.game].recognizer().learn(game.deck, [("taught", picture)], [label])
        except UsageError as error:
            print(f"refused: {error.code}", flush=True)


def evening_moves(game: Game, reading: object, rng: np.random.Generator) -> list[Move]:
    """Some of the moves that a reading shows, now and then one under another's name."""
    moves = list(MOVES[game.game](reading))
    chosen = [moves[i] for i in rng.permutation(len(moves))[:MOST_MOVES]]
    return [
        (_as_another(command, moves[int(rng.integers(len(moves)))][0]) if rng.random() < MISTAKEN else command, *cards)
        for command, *cards in chosen
    ]


def _as_another(command: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    """A move that says of its card what another move says of its own."""
    return {**command, **{key: other[key] for key in ("edges", "tile", "card", "cards") if key in other}}


def told(game: Game, pictures: Sequence[Photograph], profile: Profile) -> str:
    """How photographs are read by a profile."""
    counts = np.sum([game.judged(picture, reread(game, picture, profile)) for picture in pictures], axis=0)
    return f"of {counts[0]:4} right {100 * counts[1] / counts[0]:6.2f} % wrong {100 * counts[2] / counts[0]:5.2f} %"


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--game", choices=[one.game for one in GAMES_TAUGHT])
    ap.add_argument("--evenings", type=int, default=200)
    ap.add_argument("--printings", type=int, default=1)
    ap.add_argument("--photographs", type=int, default=6)
    ap.add_argument("--first-seed", type=int, default=9_900_000)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    for game in (one for one in GAMES_TAUGHT if a.game in (None, one.game)):
        teaching = GAMES[game.game].recognizer().teaching
        assert teaching is not None
        for seed in range(a.first_seed, a.first_seed + a.printings):
            rng = np.random.default_rng(seed)
            look, profile = taught(game, rng)
            own, other = ([game.played(rng, look) for _ in range(a.photographs)] for _ in range(2))
            promoted, begun = 0, time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                profiles = Profiles(Path(folder))
                path = profiles.path(profiles.keep(profile.described(name="ours")))
                for number in range(a.evenings + 1):
                    if number:
                        shown = own[number % len(own)]
                        moves = evening_moves(game, reread(game, shown, teaching.read(path)), rng)
                        kept = kept_game(Path(folder) / "games", number, shown.bgr, moves)
                        promoted += learn_game(profiles, teaching, path, kept).is_promoted
                    if number in (0, 1, 10, 50, a.evenings):
                        now = teaching.read(path)
                        samples = sum(one.source == CONFIRMED for one in now.samples)
                        about = f"samples {samples:2} promoted {promoted:3} bytes {path.stat().st_size:6}"
                        so_far = f"{game.game:10} {seed} after {number:3} evenings"
                        print(
                            f"{so_far} {told(game, other, now)} {about} {time.monotonic() - begun:5.0f} s", flush=True
                        )


if __name__ == "__main__":
    main()
