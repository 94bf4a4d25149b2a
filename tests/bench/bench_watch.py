"""What following a table costs in processor time: an idle frame, one with a hand, one that tells a card; and memory.

    python tests/bench/bench_watch.py FOLDER [--game comet] [--rounds 3] [--profile 40]

FOLDER as for `watch_takes`: the sequences as they were filmed. For each game medians and the worst in milliseconds of
one core, of each frame the best of so many rounds. ``--profile`` prints where the time of the frames that tell goes.
"""

import argparse
import cProfile
import pstats
import resource
from pathlib import Path
from time import process_time

import cv2
import numpy as np
from watch_takes import WANTED, Film, Take, load

from companion.games import GAMES
from companion.vision.tracking.tracks import SettleTimes

KINDS = ("idle", "busy", "told")
_QUIET_FRAMES = 60
"""So many frames of the table as it lies at the end follow each sequence: idle is a table long at rest."""


def costs(film: Film, take: Take, profile: tuple[cProfile.Profile, set[int]] | None = None) -> list[tuple[str, float]]:
    """The kind of each frame and its milliseconds; the frames of the given numbers are profiled."""
    recognizer = GAMES[film.game].recognizer()
    tracker = recognizer.tracker(recognizer.classifier(None, None), SettleTimes())
    out = []
    for number, (t_s, shown) in enumerate(take.frames):
        picture = shown()
        is_profiled = profile is not None and number in profile[1]
        if profile is not None and is_profiled:
            profile[0].enable()
        begun = process_time()
        events = tracker.step(picture, t_s)
        ms = 1000 * (process_time() - begun)
        if profile is not None and is_profiled:
            profile[0].disable()
        is_told = any(one["event"] in WANTED for one in events)
        is_idle = tracker.is_quiet and not events
        out.append(("told" if is_told else "idle" if is_idle else "busy", ms))
    return out


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path)
    ap.add_argument("--game", nargs="*", default=list(GAMES))
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--profile", type=int, metavar="LINES")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    print("game         " + "".join(f"{kind + ' ms':>10}{'worst':>8}{'frames':>8}" for kind in KINDS), flush=True)
    for game in a.game:
        film = load(a.folder, game)
        take = film.take([*range(len(film.pictures)), *[len(film.pictures) - 1] * _QUIET_FRAMES])
        rounds = [costs(film, take) for _ in range(a.rounds)]
        best = np.min([[ms for _, ms in one] for one in rounds], axis=0)
        kinds = np.array([kind for kind, _ in rounds[0]])
        line = ""
        for kind in KINDS:
            ms = best[kinds == kind]
            line += f"{np.median(ms):10.2f}{ms.max():8.2f}{len(ms):8}" if len(ms) else f"{'-':>10}{'-':>8}{0:>8}"
        print(f"{game:13}{line}", flush=True)
        if a.profile:
            profile = cProfile.Profile(process_time)
            costs(film, take, (profile, set(np.flatnonzero(kinds == "told").tolist())))
            pstats.Stats(profile).sort_stats("tottime").print_stats(a.profile)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process, the film included: {peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
