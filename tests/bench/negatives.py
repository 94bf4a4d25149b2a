"""Reads pictures that show nothing of a game and prints what is stated all the same, for each game and source.

    python tests/bench/negatives.py --photos DIR --scenes DIR [--game G] [--every N] [--keep DIR] [--jobs 2]

``--photos`` holds photographs of none of the games, ``--scenes`` one folder of pictures for each game and printing, its
name beginning with the game's: those of another game are read. A statement is a card, tile or case of which at least
one part is named, or that lies face down; all of them are false here. ``listed`` counts what is reported besides
without a name. ``--keep`` writes the pictures on which something is stated, outlined.
"""

import argparse
import multiprocessing
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.vision.image.codec import load_picture

Task = tuple[str, str, Path, Path | None]
"""A game, the source of a picture, the picture, and where to keep it."""
COLUMNS = ("pictures", "with", "stated", "listed")


def is_stated(card: Any) -> bool:
    """Some part of the card is named, or that it lies face down."""
    if hasattr(card, "doubt"):
        return not all(map(all, card.doubt))
    return set(card.edges) != {None}


def tasks(games: list[str], photos: Path | None, scenes: Path | None, keep: Path | None) -> Iterator[Task]:
    """Every picture with each of the games that it does not show."""
    for game in games:
        if photos:
            yield from ((game, p.stem.split("-")[0], p, keep) for p in sorted(photos.glob("*.jpg")))
        for folder in sorted(scenes.iterdir()) if scenes else ():
            if folder.is_dir() and not folder.name.startswith(("watch-", game)):
                yield from ((game, folder.name, p, keep) for p in sorted(folder.glob("*.jpg")))


def work(task: Task) -> tuple[str, str, Counter[str]]:
    """The counts of one picture, with its game and source."""
    game, source, path, keep = task
    cv2.setNumThreads(1)
    picture = load_picture(path)
    if picture is None:
        raise SystemExit(f"{path} is no picture")
    reader = GAMES[game].recognizer()
    reading = reader.read(picture, reader.classifier(None, None))
    cards = [*reading.cards, *reading.loose]
    stated = [is_stated(card) for card in cards]
    if keep and any(stated):
        image = picture.copy()
        for card, is_one in zip(cards, stated, strict=True):
            cv2.polylines(image, [np.round(card.corners).astype(int)], True, (0, 0, 255) if is_one else (0, 255, 0), 2)
            if is_one:
                at = np.round(card.corners.mean(0)).astype(int)
                cv2.putText(image, f"{card.confidence:.2f}", at.tolist(), cv2.FONT_HERSHEY_PLAIN, 1.2, (0, 0, 255))
        cv2.imwrite(str(keep / f"{game}-{path.stem}.jpg"), image)
    counts = Counter(pictures=1, stated=sum(stated), listed=len(stated) - sum(stated))
    return game, source, counts + Counter({"with": int(any(stated))})


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--photos", type=Path)
    ap.add_argument("--scenes", type=Path)
    ap.add_argument("--game", choices=list(GAMES), action="append")
    ap.add_argument("--every", type=int, default=1, help="read one picture in so many")
    ap.add_argument("--keep", type=Path)
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    some = list(tasks(a.game or list(GAMES), a.photos, a.scenes, a.keep))[:: a.every]
    with multiprocessing.Pool(a.jobs) as pool:
        for game, source, counts in pool.imap_unordered(work, some):
            table[game, source] += counts
            table[game, "all"] += counts
    print(f"{'game':10} {'source':16}" + "".join(f"{name:>9}" for name in COLUMNS) + "   stated a 100 pictures")
    for (game, source), row in sorted(table.items()):
        share = 100 * row["stated"] / max(1, row["pictures"])
        print(f"{game:10} {source:16}" + "".join(f"{row[name]:9}" for name in COLUMNS) + f"{share:10.1f}")


if __name__ == "__main__":
    main()
