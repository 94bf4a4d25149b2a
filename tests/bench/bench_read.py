"""How long `read` takes on one core, stage by stage: medians over drawn photographs, or over pictures that are named.

    python tests/bench/bench_read.py [--game comet] [IMAGE...]

Without pictures it draws photographs of 20 cards, of full boards, or of two display cases, at 1280x720 and 1920x1080.
The first, warming read is not counted.
``total`` is what the stages' clocks say, ``processor`` the processor's time: on a busy machine only the latter counts.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable

import cv2
import numpy as np

from companion.games import GAMES
from companion.vision.image.codec import load_picture
from models.drawing.comet.photograph import comet_photograph
from models.drawing.hexapod.layouts import scene
from models.drawing.hexapod.photograph import photograph as hexapod_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexel.photograph import photograph

ROUNDS = 7

DRAWN: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "hexdragon": lambda rng, size: hexdragon_photograph(rng, size=size, tiles=37).bgr,
    "hexel": lambda rng, size: photograph(rng, size=size, cards=20).bgr,
    "comet": lambda rng, size: comet_photograph(rng, size=size, count=20).bgr,
    "hexapod": lambda rng, size: hexapod_photograph(rng, size=size, laid=scene(rng, 2, (5, 5))).bgr,
}
"""A photograph of 20 cards of each game, of a full board of 19 or 37 tiles, of two display cases and three stacks."""


def pictures(names: list[str], game: str) -> dict[str, list[np.ndarray]]:
    if names:
        groups: dict[str, list[np.ndarray]] = defaultdict(list)
        for name in names:
            picture = load_picture(name)
            if picture is None:
                raise SystemExit(f"{name} is no picture")
            groups[f"{picture.shape[1]}x{picture.shape[0]}"].append(picture)
        return groups
    sizes = [(1280, 720), (1920, 1080)]
    return {f"{w}x{h}": [DRAWN[game](np.random.default_rng(s), (w, h)) for s in range(8)] for w, h in sizes}


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--game", default="hexel", choices=list(DRAWN))
    ap.add_argument("images", nargs="*")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    reader = GAMES[a.game].recognizer()
    classifier = reader.classifier(None, None)
    for size, group in pictures(a.images, a.game).items():
        stages: dict[str, list[float]] = defaultdict(list)
        reader.read(group[0], classifier)
        for _ in range(ROUNDS):
            for picture in group:
                begun = time.process_time()
                laps = reader.read(picture, classifier).stages_ms
                stages["processor"].append(1000 * (time.process_time() - begun))
                for name, ms in laps.items():
                    stages[name].append(ms)
                stages["total"].append(sum(laps.values()))
        print(f"{size}, {len(group)} pictures: " + "  ".join(f"{n} {np.median(v):.1f} ms" for n, v in stages.items()))


if __name__ == "__main__":
    main()
