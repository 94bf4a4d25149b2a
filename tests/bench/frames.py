"""What is said of cards after 1, 3 and 10 frames of a still table: right, left open and wrong, as readings gather.

    PYTHONPATH=. python tests/bench/frames.py --scenes DIR --scorer score_read.py [--game G] [--noise 25] [--scale 0.5]

Each picture of a game stands for a still table; its frames differ by the camera's noise and by a light that flickers.
Readings gather as those of a card that appears do while a table is watched; cards that the first frame does not show
are left out of what gathers and count as open. Hexapod's cases are followed cell by cell and are not measured here.
"""

import argparse
import importlib
import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.games.comet.vision.results import aligned_comet
from companion.games.hexdragon.vision.lattice import fit_grid
from companion.games.hexel.vision.lattice import LatticeFinder
from companion.vision.image.codec import load_picture
from companion.vision.results import DetectedCard, turned_card
from companion.vision.tracking.layouts import LatticeLayout, Layout, LooseLayout
from companion.vision.tracking.tracks import Track, add_reading

FRAMES = (1, 3, 10)
FLICKER = 0.05
"""The standard deviation of a frame's brightness, as a share."""
NEAR = 0.5
"""A card found nearer to one of the first frame, in sides, is that card."""
LAYOUTS: dict[str, Layout] = {
    "hexel": LatticeLayout(LatticeFinder()),
    "hexdragon": LatticeLayout(fit_grid),
    "comet": LooseLayout(aligned_comet),
}


def frame(bgr: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    seen = bgr * rng.normal(1, FLICKER) + rng.normal(0, noise, bgr.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)


def gathered(track: Track[DetectedCard], first: DetectedCard, layout: Layout) -> DetectedCard:
    """What a track says of a card, where the first frame has it and as it names directions there."""
    own = replace(track.piece, corners=first.corners, is_unsettled=first.is_unsettled)
    return turned_card(replace(own, east=0), first.cell, first.east) if isinstance(layout, LatticeLayout) else own


def told_after(game: str, edition: str | None, bgr: np.ndarray, noise: float) -> dict[int, dict[str, Any]]:
    """What is said after each number of `FRAMES`, as `read` prints it."""
    reader, layout, rng = GAMES[game].recognizer(), LAYOUTS[game], np.random.default_rng(1)
    classifier = reader.classifier(edition, None)
    first = reader.read(frame(bgr, noise, rng), classifier)
    known = [*first.cards, *first.loose]
    tracks = [Track(layout.in_own_frame(card), 0.0) for card in known]
    for track in tracks:
        add_reading(track, track.piece, classifier, 1.0)
    told = {1: first.as_json()}
    for count in range(2, max(FRAMES) + 1):
        reading = reader.read(frame(bgr, noise, rng), classifier)
        for card in (*reading.cards, *reading.loose):
            apart = [np.hypot(*np.subtract(card.centre, other.centre)) for other in known]
            nearest = int(np.argmin(apart)) if apart else -1
            if apart and apart[nearest] < NEAR * card.side:
                track = tracks[nearest]
                add_reading(track, layout.aligned(card, track.piece), classifier, float(count))
        if count in FRAMES:
            cards = [gathered(track, card, layout) for track, card in zip(tracks, known, strict=True)]
            here = len(first.cards)
            told[count] = replace(first, cards=tuple(cards[:here]), loose=tuple(cards[here:])).as_json()
    return told


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--scenes", type=Path, required=True)
    ap.add_argument("--scorer", type=Path, required=True)
    ap.add_argument("--game", choices=list(LAYOUTS), action="append")
    ap.add_argument("--noise", type=float, default=25.0, help="of 255, in each frame")
    ap.add_argument("--scale", type=float, default=0.5, help="of the pictures, before there is noise")
    ap.add_argument("--every", type=int, default=1, help="one picture in so many")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    sweeps = importlib.import_module("sweeps")
    scorer = sweeps.scorer_at(a.scorer)
    table: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for folder in sorted(a.scenes.iterdir()):
        game = folder.name.rstrip("0123456789")
        if game not in (a.game or LAYOUTS):
            continue
        for line in (folder / "truth.jsonl").read_text().splitlines()[:: a.every]:
            truth = json.loads(line)
            bgr = load_picture(folder / truth["image"])
            assert bgr is not None, f"{truth['image']} is no picture"
            bgr, homography = sweeps.scaled(bgr, a.scale)
            truth = sweeps.within(sweeps.carried(truth, homography), bgr.shape[1], bgr.shape[0])
            for count, told in told_after(game, folder.name.removeprefix(game) or None, bgr, a.noise).items():
                table[game, count] += sweeps.judged(truth, told, game, scorer)[0]
    print(f"{'game':10} {'frames':>6} {'cards':>6} {'right %':>8} {'open %':>8} {'wrong %':>8}")
    for (game, count), row in table.items():
        shares = "".join(f"{100 * row[key] / max(1, row['cards']):9.2f}" for key in ("right", "open", "wrong"))
        print(f"{game:10} {count:6} {row['cards']:6}{shares}")


if __name__ == "__main__":
    main()
