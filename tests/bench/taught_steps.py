"""Printings as they are taught more: read after one photograph, after a second light, and after ten confirmed moves.

    PYTHONPATH=. python tests/bench/taught_steps.py [--game hexel] [--printings 20] [--pictures 2] [--first-seed N]

Printings are invented ones that no training saw. Each is taught from one photograph in a calm room, then from another
in a light of its own, as when a lamp is turned; then ten moves of games with it, read on photographs as hard as those
that are counted, are confirmed. After each step the same photographs are read, none of them taught from: cards, tiles
or cells counted, right and wrong. A photograph that is refused is taken anew, five times at most; a printing that none
of the five teaches counts with all its cards missed, one that no second light teaches stays as it was.
"""

import argparse
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from sabotage import GAMES_TAUGHT, Game, reread

from companion.app.evenings import learn_game
from companion.app.profiles import Profiles
from companion.errors import UsageError
from companion.games import GAMES
from companion.vision.enrolment.learning import learn
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import Sample
from companion.vision.enrolment.teaching import Teaching
from models.drawing.photograph import Photograph
from tests.teaching.played import MOVES, kept_game

STEPS = ("one photograph", "second light", "ten moves")
MOVES_CONFIRMED, MOVES_A_PICTURE, MOST_PICTURES = 10, 3, 8
MOST_PHOTOGRAPHS = 5

Counts = tuple[int, int, int]
"""How many were counted, right, wrong."""


def work(task: tuple[str, int, int]) -> tuple[int, list[Counts], Counter[str]]:
    """One printing: counts after each step, and what its photographs were refused for."""
    name, seed, pictures = task
    cv2.setNumThreads(1)
    game = next(one for one in GAMES_TAUGHT if one.game == name)
    rng = np.random.default_rng(seed)
    look = game.look(rng, False)
    refused: Counter[str] = Counter()
    profile = taught(game, rng, look, (), refused)
    shown = [game.played(rng, look) for _ in range(pictures)]
    if profile is None:
        missed = sum(game.judged(picture, GAMES[name].recognizer().read(picture.bgr, None))[0] for picture in shown)
        return seed, [(missed, 0, 0)] * len(STEPS), refused
    counts = [told(game, shown, profile)]
    profile = taught(game, rng, look, profile.samples, refused) or profile
    counts.append(told(game, shown, profile))
    counts.append(told(game, shown, played(game, rng, look, profile)))
    return seed, counts, refused


def taught(
    game: Game, rng: np.random.Generator, look: object, before: Sequence[Sample], refused: Counter[str]
) -> Profile | None:
    """The printing by one photograph more; None where none is accepted."""
    for _ in range(MOST_PHOTOGRAPHS):
        picture, label = game.taught(rng, look)
        try:
            return learn(teaching_of(game), game.deck, [("taught", picture)], [label], before, trust_names=True)
        except UsageError as error:
            refused[error.code] += 1
    return None


def played(game: Game, rng: np.random.Generator, look: object, profile: Profile) -> Profile:
    """The printing after ten moves with it are confirmed as they were read."""
    teaching, confirmed = teaching_of(game), 0
    with tempfile.TemporaryDirectory() as folder:
        profiles = Profiles(Path(folder))
        path = profiles.path(profiles.keep(profile.described(name="ours")))
        for number in range(1, MOST_PICTURES + 1):
            picture = game.played(rng, look)
            moves = list(MOVES[game.game](reread(game, picture, teaching.read(path))))
            moves = moves[: min(MOVES_A_PICTURE, MOVES_CONFIRMED - confirmed)]
            learn_game(profiles, teaching, path, kept_game(Path(folder) / "games", number, picture.bgr, moves))
            confirmed += len(moves)
            if confirmed == MOVES_CONFIRMED:
                break
        return teaching.read(path)


def teaching_of(game: Game) -> Teaching:
    teaching = GAMES[game.game].recognizer().teaching
    assert teaching is not None
    return teaching


def told(game: Game, pictures: Sequence[Photograph], profile: Profile) -> Counts:
    all_cards, right, wrong = np.sum([game.judged(one, reread(game, one, profile)) for one in pictures], axis=0)
    return int(all_cards), int(right), int(wrong)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--game", choices=[one.game for one in GAMES_TAUGHT])
    ap.add_argument("--printings", type=int, default=20)
    ap.add_argument("--pictures", type=int, default=2)
    ap.add_argument("--first-seed", type=int, default=9_870_000)
    ap.add_argument("--each", action="store_true", help="one line a printing")
    a = ap.parse_args()
    with multiprocessing.Pool() as pool:
        for game in (one.game for one in GAMES_TAUGHT if a.game in (None, one.game)):
            total, refused = np.zeros((len(STEPS), 3), int), Counter[str]()
            tasks = [(game, seed, a.pictures) for seed in range(a.first_seed, a.first_seed + a.printings)]
            for seed, counts, codes in pool.imap(work, tasks):
                total += counts
                refused += codes
                if a.each:
                    print(seed, *counts, dict(codes), flush=True)
            for step, (count, right, wrong) in zip(STEPS, total.tolist(), strict=True):
                shares = f"right {100 * right / count:6.2f} % wrong {100 * wrong / count:5.2f} %"
                print(f"{game:10} {step:15} of {count:5} {shares}", flush=True)
            print(f"{game:10} refused {dict(refused)}", flush=True)


if __name__ == "__main__":
    main()
