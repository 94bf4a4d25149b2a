"""Teaches printings with their numbers anywhere from one photograph each, and reads other photographs of them.

    PYTHONPATH=. python tests/bench/comet_learn.py [--printings 40] [--pictures 4] [--first-seed 9500000] [--faces FILE]

The teaching photograph shows five upright cards that together bear every number, perhaps a card face down beside them,
in a calm room; every other printing's labels give corners as rough as taps on a phone, the others none. Where it is
refused, another is taken, as people would do, and the refusals are counted; a printing that five photographs cannot
teach is counted with all its cards missed. ``--faces`` and counts are as in `comet_set.py`, but that a number seen
lower than 9 px cannot be wanted.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import comet_set
import cv2
import numpy as np

from companion.errors import UsageError
from companion.games.comet.vision.enrolment import learn_comet
from companion.games.comet.vision.profile import CometProfile
from companion.games.comet.vision.recognizer import read_comet
from companion.games.comet.vision.results import CometReading
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from models.drawing.comet.photograph import comet_photograph, teaching_photograph
from models.drawing.comet.printings import CometPrinting, plain_typefaces
from models.drawing.comet.styles import STYLES, styled
from models.drawing.photograph import Photograph

_TAP_PX = 6.0
_LEAST_NUMERAL_PX = 9.0
_MOST_PHOTOGRAPHS = 5


def labels_of(picture: Photograph, look: CometPrinting, rng: np.random.Generator, has_corners: bool) -> dict[str, Any]:
    """The photograph's cards as people label them, in reading order."""
    cards = sorted(picture.truth["cards"], key=lambda card: float(np.mean(card["corners"], axis=0)[0]))
    told = []
    for card in cards:
        corners = np.roll(card["corners"], -1, 0) if look.is_turned else np.array(card["corners"])
        rough = (corners + rng.normal(0, _TAP_PX, (4, 2))).tolist()
        told.append({"values": card["printed"], **({"corners": rough} if has_corners else {})})
    return {"cards": told}


def taught(
    look: CometPrinting, rng: np.random.Generator, has_corners: bool, refusals: Counter[str], keep: Path | None
) -> CometProfile | None:
    """The profile of a printing from one photograph that is accepted."""
    for _ in range(_MOST_PHOTOGRAPHS):
        picture = teaching_photograph(rng, look, (1280, 720))
        if has_hand(picture):
            continue
        try:
            profile = learn_comet("comet", [("teach", picture.bgr)], [labels_of(picture, look, rng, has_corners)])
        except UsageError as error:
            refusals[error.code] += 1
            if keep is not None:
                cv2.imwrite(str(keep.with_name(f"{keep.name}-{error.code}.png")), picture.bgr)
            continue
        if keep is not None:
            cv2.imwrite(str(keep.with_name(f"{keep.name}-taught.png")), picture.bgr)
        return profile
    return None


def has_hand(picture: Photograph) -> bool:
    """A hand lies on a card, as anybody sees."""
    cards = picture.truth["cards"]
    return any(card.get("cut") or max([0.0, *card["hidden"]]) > 0.02 or card["covered"] > 0.1 for card in cards)


def unreadable(entry: dict[str, Any]) -> bool:
    """A card whose numbers are seen too small to be wanted."""
    sides = [np.linalg.norm(np.array(mark)[3] - np.array(mark)[0]) for mark in entry["marks"]]
    return bool(sides) and float(min(sides)) < _LEAST_NUMERAL_PX


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--printings", type=int, default=40)
    ap.add_argument("--pictures", type=int, default=4)
    ap.add_argument("--first-seed", type=int, default=9_500_000)
    ap.add_argument("--style", choices=sorted(STYLES))
    ap.add_argument("--untaught", action="store_true", help="read without a profile, as a printing that is known")
    ap.add_argument("--faces", type=Path)
    ap.add_argument("--keep", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    faces = comet_set.typefaces(a.faces) or list(plain_typefaces())
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(comet_set.KEYS, 0))
    refusals: Counter[str] = Counter()
    untaught: list[int] = []
    for seed in range(a.first_seed, a.first_seed + a.printings):
        rng = np.random.default_rng(seed)
        style = a.style or sorted(STYLES)[seed % len(STYLES)]
        look = styled(faces, rng, style)
        kept = a.keep / str(seed) if a.keep else None
        profile = None if a.untaught else taught(look, rng, bool(seed % 2), refusals, kept)
        if profile is None and not a.untaught:
            untaught.append(seed)
        for k in range(a.pictures):
            size = comet_set.SIZES[k % len(comet_set.SIZES)]
            picture = comet_photograph(rng, size=size, printing=look)
            for entry in picture.truth["cards"]:
                if unreadable(entry):
                    entry["cut"] = True
            if profile is not None:
                reading = read_comet(picture.bgr, TaughtNumerals(profile))
            else:
                reading = read_comet(picture.bgr) if a.untaught else CometReading((), (), ())
            counts, bad = comet_set.judged(picture, reading)
            if bad and kept is not None:
                comet_set.kept(picture, reading, bad, kept.with_name(f"{seed}-{k}.png"))
            for group in (*comet_set.groups_of(picture), f"style {style}"):
                for key in comet_set.KEYS:
                    table[group][key] += counts[key]
    comet_set.show(table)
    print(f"refused photographs {dict(refusals)}; never taught: {untaught}")


if __name__ == "__main__":
    main()
