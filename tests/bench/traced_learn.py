"""Teaches printings of three games from one path-traced photograph each, and reads others of them.

    python -m models.traced.scenes --art art.npz --begin 6500000 --hexel 12 --hexdragon 12 --hexapod 12 --out DIR
    python models/traced/render.py DIR/*.scene.json        # with bpy, see models/README.md
    PYTHONPATH=. python tests/bench/traced_learn.py DIR [--only GAME] [--keep DIR] [--each] [--sweep warmth --step 0.3]

The game is told by what lies there. Counts are those of `hexel_set.py`, `hexdragon_set.py` and `hexapod_set.py`; the
labels give corners as rough as taps on a phone. A printing that is refused is counted with all its cards missed.
`comet_traced.py` does the same for Comet. With ``--sweep`` the others are read in another light, noisier or softer by a
step of `sweeps.py`.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import hexapod_set
import hexdragon_set
import hexel_set
import numpy as np
import sweeps

from companion.errors import UsageError
from companion.games.hexapod.vision.classifier import PretrainedInsects
from companion.games.hexapod.vision.enrolment import learn_hexapod
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.results import HexapodReading
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexel.vision.classifier import PretrainedSymbols
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.recognizer import read_hexel
from companion.vision.results import Reading
from models.traced import hexapod, hexdragon, hexel
from models.traced.shards import Rendered, is_rendered, rendered

Entry = dict[str, Any]
TAP_PX = 4.0


@dataclass(frozen=True)
class Game:
    """How one game is taught, read and judged.

    Attributes:
        truth: of a rendered scene.
        learn: a reader of pictures, from the teaching picture, its label and what the scene tells.
        judged: the counts of a picture's truth and reading, and what was not right.
        nothing: the reading of a printing that was refused.
        keys: the counts.
    """

    truth: Callable[[Rendered], Entry]
    learn: Callable[[np.ndarray, Entry, Entry], Callable[[np.ndarray], Any]]
    judged: Callable[[Entry, Any], tuple[dict[str, int], list[Any]]]
    nothing: Any
    keys: tuple[str, ...]


def taught_hexel(picture: np.ndarray, label: Entry, told: Entry) -> Callable[[np.ndarray], Any]:
    profile = learn_hexel(f"hexel{told['edition']}", [("teach", picture)], [label], trust_names=True)
    return lambda bgr: read_hexel(bgr, FewShotSymbols(profile))


def taught_hexdragon(picture: np.ndarray, label: Entry, told: Entry) -> Callable[[np.ndarray], Any]:
    profile = learn_hexdragon("hexdragon", [("teach", picture)], [label], trust_names=True)
    return lambda bgr: read_hexdragon(bgr, FewShotTiles(profile)).as_json()


def taught_hexapod(picture: np.ndarray, label: Entry, told: Entry) -> Callable[[np.ndarray], Any]:
    profile = learn_hexapod("hexapod", [("teach", picture)], [label], trust_names=True)
    return lambda bgr: read_hexapod(bgr, profile.classifier())


GAMES = {
    "hexel": Game(
        hexel.truth, taught_hexel, hexel_set.judged, Reading((), (), (), PretrainedSymbols()), hexel_set.KEYS
    ),
    "hexdragon": Game(
        hexdragon.truth,
        taught_hexdragon,
        lambda truth, told: hexdragon_set.judged(truth, told, True),
        {"tiles": [], "stars": []},
        hexdragon_set.KEYS,
    ),
    "hexapod": Game(
        hexapod.truth,
        taught_hexapod,
        hexapod_set.judged,
        HexapodReading((), (), (), PretrainedInsects(5, 5)),
        hexapod_set.KEYS,
    ),
}

IN_PLACE = ("noise", "blur", "exposure", "saturation", "warmth")
"""The sweeps that leave everything where it lies."""


def game_of(told: Entry) -> str:
    """Which game's cards a scene shows."""
    card = told["cards"][0]
    return "hexel" if "marks" in card else "hexapod" if "over" in card else "hexdragon"


def label_of(truth: Entry, rng: np.random.Generator) -> Entry:
    """What the teaching photograph shows, as people label it."""
    label: Entry = {"image": "teach"}
    for part in ("cards", "tiles", "boards"):
        if part in truth:
            label[part] = [{**one, "corners": rough(one["corners"], rng)} for one in truth[part]]
    return label


def rough(corners: list[list[float]], rng: np.random.Generator) -> list[list[float]]:
    return (np.array(corners) + rng.normal(0, TAP_PX, (len(corners), 2))).tolist()


def keep(path: Path, picture: np.ndarray, bad: list[Any]) -> None:
    """The picture with what was not right outlined."""
    image = picture.copy()
    inks = {"wrong": (0, 0, 255), "unsure": (0, 255, 255), "missed": (255, 0, 255), "false": (255, 0, 0)}
    for verdict, what in bad:
        place = np.array(what["corners"] if isinstance(what, dict) else what, float).reshape(-1, 2)
        if len(place) == 1:
            cv2.circle(image, tuple(int(v) for v in place[0]), 9, inks[verdict], 2)
        else:
            cv2.polylines(image, [np.round(place).astype(int)], True, inks[verdict], 2)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), image)


def main() -> None:
    """Teach, read, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", choices=list(GAMES))
    parser.add_argument("--sweep", choices=IN_PLACE)
    parser.add_argument("--step", type=float, default=0.0)
    parser.add_argument("--each", action="store_true", help="one line a picture")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    table: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in sorted(options.folder.glob("*-teach.scene.json")):
        others = [
            p for p in sorted(options.folder.glob(f"{path.name.split('-')[0]}-[0-9].scene.json")) if is_rendered(p)
        ]
        if not is_rendered(path) or not others:
            continue
        one = rendered(path)
        name = game_of(one.told)
        if options.only not in (None, name):
            continue
        game = GAMES[name]
        label = label_of(game.truth(one), np.random.default_rng(int(path.name.split("-")[0])))
        read = None
        try:
            read = game.learn(one.picture, label, one.told)
        except UsageError as error:
            print(path.name.split("-")[0], error)
            table[name]["refused"] += 1
        for other in others:
            shown = rendered(other)
            if options.sweep:
                changed, _ = sweeps.SWEEPS[options.sweep][0](shown.picture, options.step)
                shown = replace(shown, picture=changed)
            counts, bad = game.judged(game.truth(shown), game.nothing if read is None else read(shown.picture))
            for key in game.keys:
                table[name][key] += counts[key]
            if options.each:
                print(other.name.split(".")[0], {key: counts[key] for key in game.keys if counts[key]}, flush=True)
            if options.keep and bad:
                keep(options.keep / f"{other.name.split('.')[0]}.png", shown.picture, bad)
    for name, counts in table.items():
        total = max(1, counts[GAMES[name].keys[0]])
        right, wrong = (100 * counts[verdict] / total for verdict in ("right", "wrong"))
        print(name, dict(counts), f"right {right:.2f} % wrong {wrong:.2f} %")


if __name__ == "__main__":
    main()
