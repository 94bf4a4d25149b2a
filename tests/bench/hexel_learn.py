"""Teaches printings that no training saw from one photograph each, and reads other photographs of them.

    python tests/bench/hexel_learn.py [--printings 40] [--pictures 4] [--first-seed 9500000] [--upright art.npz]

The teaching photograph shows the three single-symbol cards in a line, in a calm room; where it is refused, another is
taken, as people would do. The others are as hard as those of `hexel_set.py`. Counts are as there. The last row leaves
out the cards that light has burnt out: on the picture itself at least half of their symbols differ from the face beside
them by less than 6 of 255 levels. With ``--upright`` symbols are letters or clip art, see `models.drawing.art`, that
stand upright on their cards, each of which lies any of six ways up.
"""

import argparse
import multiprocessing
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import hexel_set
import numpy as np

from companion.errors import UsageError
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.classifier import PretrainedSymbols, raw_patches
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.recognizer import read_hexel
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import Reading
from models.drawing.art import Art
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import Printing
from models.drawing.hexel.styles import PicturedDeck, clip_art, letters

TEACHINGS = 3
"""So many photographs are taken at most to teach a printing; one of which none is accepted has all cards missed."""
NOTHING = Reading((), (), (), PretrainedSymbols())
SEEN = 6.0
"""Levels of 255 by which a symbol stands out at least that anybody can see."""
FOOT, INNER = 5, slice(4, -4)
"""Of a patch: the corners that show the bare face, and where a symbol is."""


def without_burnt_out(truth: dict[str, Any], bgr: np.ndarray) -> dict[str, Any]:
    """The truth, its burnt-out cards marked as covered: they are not counted."""
    entries = truth["cards"] + truth["loose"]
    colours, _ = raw_patches(Pyramid.of(bgr), np.array([e["corners"] for e in entries], np.float32))
    feet = np.concatenate([colours[:, :, -FOOT:, :FOOT], colours[:, :, -FOOT:, -FOOT:]], axis=3)
    bare = np.median(feet.reshape(*feet.shape[:2], -1, 3), axis=2)[:, :, None, None]
    off = np.abs(colours - bare).max(-1)[:, :, INNER, INNER]
    stands_out = np.percentile(off.reshape(*off.shape[:2], -1), 80, axis=2) >= SEEN
    burnt = [e["corners"] for e, shown in zip(entries, stands_out.sum(1), strict=True) if shown <= 3]

    def marked(card: dict[str, Any]) -> dict[str, Any]:
        return {**card, "covered": 1.0} if card["corners"] in burnt else card

    return {**truth, **{part: [marked(card) for card in truth[part]] for part in ("cards", "loose")}}


def upright(seed: int, symbols: tuple[str, ...], art: Path, rng: np.random.Generator) -> PicturedDeck:
    look = letters(symbols, rng) if seed // 2 % 2 else clip_art(symbols, Art.read(art).clips, rng)
    return replace(look, is_upright=True, turns=range(6))


def work(task: tuple[int, int, Path | None]):
    seed, pictures, art = task
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    edition = ("36", "46")[seed % 2]
    look = invented(SYMBOLS[edition], rng) if art is None else upright(seed, SYMBOLS[edition], art, rng)
    ground = look if isinstance(look, Printing) else look.ground
    faces = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS[edition])}
    kind = ("dark " if sum(ground.face) < 330 else "light ") + ("border" if ground.border else "plain")
    rows: list[tuple[list[str], dict[str, int], str, int]] = []
    classifier = None
    for _ in range(TEACHINGS):
        taught = photograph(rng, edition=edition, printing=look, faces=faces, hardness=0.0)
        label = {"image": "taught.jpg", "cards": taught.truth["cards"]}
        try:
            classifier = FewShotSymbols(learn_hexel(f"hexel{edition}", [("taught.jpg", taught.bgr)], [label]))
            break
        except UsageError as error:
            rows.append((["all", "photographs refused"], dict.fromkeys(hexel_set.KEYS, 0), str(error), seed))
    for _ in range(pictures):
        picture = photograph(rng, edition=edition, printing=look, cards=int(rng.integers(4, 16)))
        reading = read_hexel(picture.bgr, classifier) if classifier is not None else NOTHING
        counts, _ = hexel_set.judged(picture.truth, reading)
        covered = any(c["covered"] > 0 for c in picture.truth["cards"])
        rows.append((["all", kind, "things on cards" if covered else "nothing on cards"], counts, "", seed))
        visible, _ = hexel_set.judged(without_burnt_out(picture.truth, picture.bgr), reading)
        rows.append((["without burnt-out"], visible, "", seed))
    return rows


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--printings", type=int, default=40)
    ap.add_argument("--pictures", type=int, default=4)
    ap.add_argument("--first-seed", type=int, default=9_500_000)
    ap.add_argument("--upright", type=Path, help="art.npz: symbols stand upright on their cards")
    ap.add_argument("--each", action="store_true", help="one line a printing")
    a = ap.parse_args()
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(hexel_set.KEYS, 0))
    with multiprocessing.Pool(2) as pool:
        results = pool.map(work, [(a.first_seed + i, a.pictures, a.upright) for i in range(a.printings)], chunksize=1)
    for rows in results:
        for groups, counts, note, seed in rows:
            if note:
                print(seed, note)
            for group in [*groups, f"printing {seed}"] if a.each and "all" in groups else groups:
                for key in hexel_set.KEYS:
                    table[group][key] += counts[key]
    hexel_set.show(table)


if __name__ == "__main__":
    main()
