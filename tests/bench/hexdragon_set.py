"""Reads a fixed set of drawn HexDragon photographs and prints a table per condition.

    python tests/bench/hexdragon_set.py [--count 300] [--printing mixed|reference|varied|invented] [--keep DIR]
                                        [--drawn DIR]

The set is drawn from seeds that no training used. A tile is right when its cell, kind, head edge, owner, tail and paths
are; an edge that something hides may be unsure. Tiles that the rim cuts, that are mostly hidden, or that are seen
smaller than 40 px are not counted, nor those of which nine tenths are burnt out to white. Invented printings have
colours nobody has named: their owners are not judged. The ``mixed`` set is half the reference printing's kin and half
redrawn sets: other bands, faces, heads and tails in the owners' own colours. ``--keep`` writes the failing pictures,
outlined; with ``--drawn`` each picture is drawn only once.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexdragon.vision.results import TileReading
from companion.rules.hexgrid import rotated
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.photograph import Photograph

Entry = dict[str, Any]
KEYS = ("tiles", "right", "unsure", "wrong", "missed", "false", "stars", "star ok", "star bad", "images", "whole")
HIDDEN = 0.25
"""An edge with more of its line hidden may be unsure, as in `hexel_set.py`."""
WHITE, BURNT = 250, 0.9
"""A pixel so bright in all channels is burnt out; a tile of which so much is shows nothing."""
SIZES = [(1280, 720)] * 3 + [(1920, 1080)]
INKS = {"wrong": (0, 0, 255), "unsure": (0, 255, 255), "missed": (255, 0, 255), "false": (255, 0, 0)}


def drawn(seed: int, printing: str, folder: Path | None = None) -> Photograph:
    """The picture of a seed; from the folder where it is there."""
    if folder is None:
        kind = ("reference", "varied")[seed // 4 % 2] if printing == "mixed" else printing
        return hexdragon_photograph(np.random.default_rng(seed), size=SIZES[seed % 4], printing=kind)
    path = folder / f"{seed}.json"
    if not path.exists():
        picture = drawn(seed, printing)
        cv2.imwrite(str(path.with_suffix(".png")), picture.bgr)
        path.write_text(json.dumps(picture.truth))
    bgr = cv2.imread(str(path.with_suffix(".png")))
    assert bgr is not None, f"{path.with_suffix('.png')} is no picture"
    return Photograph(bgr, json.loads(path.read_text()))


def mark_burnt(picture: Photograph) -> None:
    """Say of every tile and star how much of it is burnt out to white: nobody could read it there."""
    white = (picture.bgr.min(axis=2) >= WHITE).astype(np.uint8)
    for entry in picture.truth["tiles"] + picture.truth["stars"]:
        quad = np.array(entry["corners"])
        inner = np.round(quad.mean(0) + 0.9 * (quad - quad.mean(0))).astype(np.int32)
        inside = cv2.fillPoly(np.zeros_like(white), [inner], 1) > 0
        entry["burnt"] = float(white[inside].mean()) if inside.any() else 0.0


def counted(entry: Entry) -> bool:
    area = cv2.contourArea(np.array(entry["corners"], np.float32))
    seen = entry["covered"] < 0.4 and entry.get("burnt", 0.0) < BURNT
    return not entry.get("cut") and seen and area > 0.866 * 40**2


def judged(truth: Entry, told: Entry, owners: bool) -> tuple[dict[str, int], list[tuple[str, Entry]]]:
    """Counts of one picture, and the pieces that were not right."""
    pairs = paired(truth["tiles"], told["tiles"])
    naming = named(truth["tiles"], told["tiles"], pairs)
    counts, bad = dict.fromkeys(KEYS, 0), []
    for i, entry in enumerate(truth["tiles"]):
        if not counted(entry):
            continue
        counts["tiles"] += 1
        verdict = "missed" if i not in pairs else compared(entry, told["tiles"][pairs[i]], naming, owners)
        counts[verdict] += 1
        if verdict != "right":
            bad.append((verdict, entry))
    areas = [np.array(p, np.float32) for p in truth["ignore"]]
    areas += [np.array(e["corners"], np.float32) for e in truth["tiles"]]
    for j, tile in enumerate(told["tiles"]):
        centre = tuple(np.mean(tile["corners"], axis=0).tolist())
        if j not in pairs.values() and not any(cv2.pointPolygonTest(a, centre, False) > 0 for a in areas):
            counts["false"] += 1
            bad.append(("false", tile))
    judge_stars(truth, told, naming, owners, counts, bad)
    counts["images"] = 1
    counts["whole"] = int(counts["right"] == counts["tiles"] and not any(verdict != "unsure" for verdict, _ in bad))
    return counts, bad


def paired(entries: list[Entry], tiles: list[Entry]) -> dict[int, int]:
    """Which tile told means which true one: the nearest within a third of a side."""
    pairs = {}
    for i, entry in enumerate(entries):
        quad = np.array(entry["corners"])
        side = float(np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1).mean())
        far = [float(np.linalg.norm(np.mean(t["corners"], axis=0) - quad.mean(0))) for t in tiles]
        if far and min(far) < 0.35 * side:
            pairs[i] = int(np.argmin(far))
    return pairs


def named(entries: list[Entry], tiles: list[Entry], pairs: dict[int, int]) -> tuple[int, tuple[int, int]]:
    """The turn and shift of the lattice under which most cells and faces agree."""
    best = (-1, 0, (0, 0))
    for turns in range(6):
        votes: dict[tuple[int, int], int] = defaultdict(int)
        for i, j in pairs.items():
            if tiles[j]["cell"] is None:
                continue  # seen too much from the side
            q, r = rotated(tuple(tiles[j]["cell"]), turns)
            shift = (entries[i]["cell"][0] - q, entries[i]["cell"][1] - r)
            votes[shift] += 10 + int(compared(entries[i], tiles[j], (turns, shift), False) == "right")
        for shift, count in votes.items():
            best = max(best, (count, turns, shift))
    return best[1], best[2]


def compared(entry: Entry, tile: Entry, naming: tuple[int, tuple[int, int]], owners: bool) -> str:
    turns, shift = naming
    if tile["cell"] is None:
        return "unsure"
    q, r = rotated(tuple(tile["cell"]), turns)
    if [q + shift[0], r + shift[1]] != entry["cell"]:
        return "wrong"
    truth, said = face_of(entry, 0), face_of(tile, turns)
    if any(b is not None and a != b for a, b in zip(truth, said, strict=True)):
        return "wrong"
    open_edges = [d for d in range(6) if said[d] is None]
    unsure = any(entry["hidden"][d] < HIDDEN for d in open_edges)
    if tile["kind"] not in (entry["kind"], None):
        return "wrong"
    if entry["kind"] == "head" and owners:
        if tile["owner"] not in (entry["owner"], None):
            return "wrong"
        unsure |= tile["owner"] is None and entry["hidden"][entry["head"]] < HIDDEN
    return "unsure" if unsure else "right"


def face_of(tile: Entry, turns: int) -> list[str | int | None]:
    """What each edge leads to, the tile turned; None where it was not told."""
    face: list[str | int | None] = [None] * 6
    for path in tile["paths"] or []:
        if path is not None:
            face[(path[0] + turns) % 6], face[(path[1] + turns) % 6] = (path[1] + turns) % 6, (path[0] + turns) % 6
    for tail in tile["tails"] or []:
        face[(tail + turns) % 6] = "tail"
    if tile["head"] is not None:
        face[(tile["head"] + turns) % 6] = "head"
    return face


def judge_stars(
    truth: Entry,
    told: Entry,
    naming: tuple[int, tuple[int, int]],
    owners: bool,
    counts: dict[str, int],
    bad: list[tuple[str, Entry]],
) -> None:
    turns, shift = naming
    said = {}
    for star in told["stars"]:
        q, r = rotated(tuple(star["cell"]), turns)
        said[q + shift[0], r + shift[1]] = star
    for entry in truth["stars"]:
        if not counted(entry) or entry["covered"] > 0.2:
            said.pop(tuple(entry["cell"]), None)
            continue
        counts["stars"] += 1
        star = said.pop(tuple(entry["cell"]), None)
        if star is None or (owners and star["owner"] is None):
            bad.append(("unsure" if star else "missed", entry))
        elif owners and star["owner"] != entry["owner"]:
            counts["star bad"] += 1
            bad.append(("wrong", entry))
        else:
            counts["star ok"] += 1
    counts["star bad"] += len(said)
    bad += [("false", star) for star in said.values()]


def groups_of(picture: Photograph) -> list[str]:
    conditions = picture.truth["conditions"]
    quads = [np.array(c["corners"], np.float32) for c in picture.truth["tiles"]]
    across = np.sqrt(np.median([cv2.contourArea(q) for q in quads]) / 0.866)
    return [
        "all",
        f"printing {conditions['printing']}",
        f"light {conditions['mood']}",
        "on a board" if conditions["board"] else "on a bare table",
        "across " + ("under 60" if across < 60 else "60-100" if across < 100 else "over 100"),
        "motion" if conditions["motion"] else "no motion",
        "glare" if conditions["glare"] > 0.002 else "no glare",
        "things on tiles" if any(c["covered"] > 0 for c in picture.truth["tiles"]) else "nothing on tiles",
    ]


def keep_picture(picture: Photograph, reading: TileReading, bad: list[tuple[str, Entry]], path: Path) -> None:
    image = picture.bgr.copy()
    for card in reading.cards:
        cv2.polylines(image, [np.round(card.corners).astype(int)], True, (0, 255, 0), 1)
    for verdict, entry in bad:
        cv2.polylines(image, [np.round(entry["corners"]).astype(int)], True, INKS[verdict], 3)
        print(path.stem, verdict, {k: entry.get(k) for k in ("cell", "kind", "owner", "head", "tails", "paths")})
    cv2.imwrite(str(path), image)


def show(table: dict[str, dict[str, int]]) -> None:
    """Print the counts of each condition and their shares."""
    print(f"{'condition':22}" + "".join(f"{k:>9}" for k in KEYS) + "  right %  wrong %  whole %")
    for group in sorted(table, key=lambda g: (g != "all", g)):
        row = table[group]
        n, images = max(1, row["tiles"]), max(1, row["images"])
        shares = f"{100 * row['right'] / n:9.2f}{100 * row['wrong'] / n:9.2f}{100 * row['whole'] / images:9.1f}"
        print(f"{group:22}" + "".join(f"{row[k]:9}" for k in KEYS) + shares)


def measure(
    pictures: range,
    printing: str,
    keep: Path | None,
    read: Callable[[np.ndarray], TileReading] = read_hexdragon,
    folder: Path | None = None,
) -> None:
    """Read every picture and print the table."""
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KEYS, 0))
    took = []
    for seed in pictures:
        picture = drawn(seed, printing, folder)
        mark_burnt(picture)
        begun = time.process_time()
        reading = read(picture.bgr)
        took.append((time.process_time() - begun) * 1000)
        counts, bad = judged(picture.truth, reading.as_json(), printing != "invented")
        if bad and keep:
            keep_picture(picture, reading, bad, keep / f"{seed}.png")
        for group in groups_of(picture):
            for key in KEYS:
                table[group][key] += counts[key]
    show(table)
    print(f"median read {np.median(took):.0f} ms of processor time")


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--printing", default="mixed", choices=["mixed", "exact", "reference", "varied", "invented"])
    ap.add_argument("--first-seed", type=int, default=9_400_000)
    ap.add_argument("--keep", type=Path)
    ap.add_argument("--drawn", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    for folder in filter(None, (a.keep, a.drawn)):
        folder.mkdir(parents=True, exist_ok=True)
    measure(range(a.first_seed, a.first_seed + a.count), a.printing, a.keep, folder=a.drawn)


if __name__ == "__main__":
    main()
