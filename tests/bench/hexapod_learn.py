"""Learns decks of invented insects from one photograph each and reads others of the same deck: a table per condition.

    python tests/bench/hexapod_learn.py [--decks 40] [--pictures 4] [--first-seed 9700000] [--keep DIR]

The photograph that is learnt from shows one case with every kind at least once, its corners given as roughly as taps on
a phone; it is taken anew, as people are told to, where it is refused. Decks and pictures come from seeds
that no training used. Counting is that of `hexapod_set.py`.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from hexapod_set import KEYS, groups, judged, keep, show

from companion.errors import TeachingRefused
from companion.games.hexapod.vision.enrolment import InsectProfile, learn_hexapod
from companion.games.hexapod.vision.recognizer import read_hexapod
from models.drawing.hexapod.layouts import scene, showing_all
from models.drawing.hexapod.photograph import photograph
from models.drawing.hexapod.printings import Printing, invented

FIRST_SEED = 9_700_000
_TAP_PX = 8.0


def learnt(look: Printing, rng: np.random.Generator) -> tuple[InsectProfile, np.ndarray]:
    """The profile of a deck from one calm photograph, and the photograph; taken anew where it is refused."""
    while True:
        picture = photograph(rng, printing=look, laid=showing_all(rng), hardness=0.35)
        board = picture.truth["boards"][0]
        if any(share > 0.1 for row in board["covered"] for share in row):
            continue
        rough = np.array(board["corners"]) + rng.normal(0, _TAP_PX, (4, 2))
        labels: list[Mapping[str, Any]] = [{"boards": [{"cells": board["laid"], "corners": rough.tolist()}]}]
        try:
            return learn_hexapod("hexapod", [("enrol", picture.bgr)], labels, trust_names=True), picture.bgr
        except TeachingRefused as error:
            print(error)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--decks", type=int, default=40)
    ap.add_argument("--pictures", type=int, default=4)
    ap.add_argument("--first-seed", type=int, default=FIRST_SEED)
    ap.add_argument("--keep", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KEYS, 0))
    for seed in range(a.first_seed, a.first_seed + a.decks):
        rng = np.random.default_rng(seed)
        look = invented(rng)
        profile, taught = learnt(look, rng)
        for k in range(a.pictures):
            picture = photograph(rng, printing=look, laid=scene(rng, grid=(5, 5)))
            reading = read_hexapod(picture.bgr, profile.classifier())
            counts, bad = judged(picture.truth, reading)
            if bad and a.keep:
                keep(a.keep, f"{seed}-{k}.png", picture.bgr, reading, bad)
                cv2.imwrite(str(a.keep / f"{seed}-taught.png"), taught)
            for group in groups(picture.truth):
                for key in KEYS:
                    table[group][key] += counts[key]
    show(table)


if __name__ == "__main__":
    main()
