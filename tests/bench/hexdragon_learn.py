"""Teaches HexDragon sets that no training saw from one photograph each, and reads other photographs of them.

    python tests/bench/hexdragon_learn.py [--printings 40] [--pictures 3] [--first-seed 9500000]

The teaching photograph shows the start tile, one head of each colour and one body, in a calm room; the others are as
hard as those of `hexdragon_set.py`. Counts are as there, owners and all.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import cv2
import hexdragon_set
import numpy as np

from companion.errors import UsageError
from companion.games.hexdragon.deck import Drawing
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from models.drawing.hexdragon.layouts import teaching_table
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.photograph import Photograph


def taught(look: Drawing, rng: np.random.Generator) -> Photograph:
    """The teaching photograph: the start tile, and around it a head of each colour and a body."""
    return hexdragon_photograph(rng, printing=look, table=teaching_table(rng), hardness=0.0)


def rough(picture: Photograph, rng: np.random.Generator) -> dict[str, object]:
    """The label of a photograph: what lies there, its corners as rough as taps on a phone are."""
    tiles = [{**tile} for tile in picture.truth["tiles"]]
    for tile in tiles:
        quad = np.array(tile["corners"])
        side = np.linalg.norm(quad[0] - quad[1])
        tile["corners"] = (quad + rng.normal(0, 0.08 * side, quad.shape)).tolist()
    return {"image": "taught.png", "tiles": tiles}


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--printings", type=int, default=40)
    ap.add_argument("--pictures", type=int, default=3)
    ap.add_argument("--first-seed", type=int, default=9_500_000)
    ap.add_argument("--keep", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(hexdragon_set.KEYS, 0))
    for seed in range(a.first_seed, a.first_seed + a.printings):
        rng = np.random.default_rng(seed)
        look = drawing_of("invented", rng)
        teacher = taught(look, rng)
        try:
            classifier = FewShotTiles(
                learn_hexdragon("hexdragon", [("taught.png", teacher.bgr)], [rough(teacher, rng)])
            )
        except UsageError as error:
            print(seed, error)
            continue
        kind = "dark faces" if int(look.face[1:3], 16) < 128 else "light faces"
        for number in range(a.pictures):
            picture = hexdragon_photograph(rng, printing=look)
            reading = read_hexdragon(picture.bgr, classifier)
            counts, bad = hexdragon_set.judged(picture.truth, reading.as_json(), True)
            if bad and a.keep:
                hexdragon_set.keep_picture(picture, reading, bad, a.keep / f"{seed}-{number}.png")
            for group in ("all", kind):
                for key in hexdragon_set.KEYS:
                    table[group][key] += counts[key]
    hexdragon_set.show(table)


if __name__ == "__main__":
    main()
