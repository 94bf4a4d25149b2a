"""Reads a fixed set of drawn photographs and prints a table per condition: right, unsure, wrong, missed, false.

    python tests/bench/hexel_set.py [--count 400] [--printing reference|invented] [--keep DIR] [--first-seed 9000000]

The set is drawn from seeds that no training used (training: from 1,000,000 and from 2,000,000). A card is right when
its cell and all its symbols are; a symbol that something hides may be unsure. A card that the picture's rim cuts, that
is mostly hidden, or that is seen smaller than 40 px is not counted. ``--keep`` writes the failing pictures, outlined.
"""

import argparse
import multiprocessing
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games.hexel.vision.recognizer import read_hexel
from companion.rules.hexgrid import rotated
from companion.vision.results import DetectedCard, Reading
from models.drawing.hexel.photograph import photograph
from models.drawing.photograph import Photograph

Entry = dict[str, Any]
"""What the truth says about one card."""

KEYS = ("cards", "right", "unsure", "wrong", "missed", "false", "images", "whole")
SIZES = [(1280, 720)] * 3 + [(1920, 1080)]


def drawn(seed: int, printing: str) -> tuple[str, Photograph]:
    rng = np.random.default_rng(seed)
    edition = ("36", "46")[seed % 2]
    return edition, photograph(rng, edition=edition, size=SIZES[seed % len(SIZES)], printing=printing)


def counted(card: Entry) -> bool:
    area = cv2.contourArea(np.array(card["corners"], np.float32))
    return not card.get("cut") and card["covered"] < 0.4 and area > 0.866 * 40**2


def judged(truth: dict[str, Any], reading: Reading) -> tuple[dict[str, int], list[tuple[str, Entry]]]:
    """Counts of one picture, and the cards that were not right."""
    entries = truth["cards"] + truth["loose"]
    seen = [*reading.cards, *reading.loose]
    pairs, used = {}, set()
    for i, entry in enumerate(entries):
        quad = np.array(entry["corners"])
        near = [j for j, c in enumerate(seen) if np.linalg.norm(c.corners.mean(0) - quad.mean(0)) < 0.35 * c.side]
        if near:
            pairs[i] = min(near, key=lambda j: float(np.linalg.norm(seen[j].corners.mean(0) - quad.mean(0))))
            used.add(pairs[i])
    turns, shift = naming(entries, seen, pairs)
    counts, bad = dict.fromkeys(KEYS, 0), []
    for i, entry in enumerate(entries):
        if not counted(entry):
            continue
        counts["cards"] += 1
        verdict = "missed" if i not in pairs else compared(entry, seen[pairs[i]], turns, shift)
        counts[verdict] += 1
        if verdict != "right":
            bad.append((verdict, entry))
    areas = [np.array(p, np.float32) for p in truth["ignore"]] + [np.array(e["corners"], np.float32) for e in entries]
    for j, card in enumerate(seen):
        if j not in used and not any(cv2.pointPolygonTest(a, card.centre, True) > -0.3 * card.side for a in areas):
            counts["false"] += 1
            bad.append(("false", {"corners": card.corners.tolist()}))
    counts["images"] = 1
    counts["whole"] = int(counts["right"] == counts["cards"] and not counts["false"])
    return counts, bad


def naming(entries: list[Entry], seen: list[DetectedCard], pairs: dict[int, int]) -> tuple[int, tuple[int, int]]:
    """The turn and shift of the lattice under which most cells agree."""
    best = (0, 0, (0, 0))
    for turns in range(6):
        votes: dict[tuple[int, int], int] = defaultdict(int)
        for i, j in pairs.items():
            cell = seen[j].cell
            if entries[i]["cell"] is not None and cell is not None:
                q, r = rotated(cell, turns)
                same = turned(seen[j].edges, turns) == entries[i]["edges"]
                votes[entries[i]["cell"][0] - q, entries[i]["cell"][1] - r] += 10 + int(same)
        for shift, count in votes.items():
            best = max(best, (count, turns, shift))
    return best[1], best[2]


def turned(edges: Sequence[str | None], turns: int) -> list[str | None]:
    return [edges[(d - turns) % 6] for d in range(6)]


def compared(entry: Entry, card: DetectedCard, turns: int, shift: tuple[int, int]) -> str:
    if entry["cell"] is None:
        if card.cell is not None:
            return "wrong"
        return min((one(entry, turned(card.edges, k)) for k in range(6)), key=["right", "unsure", "wrong"].index)
    if card.cell is None:
        return "unsure" if card.is_unsettled else "wrong"
    q, r = rotated(card.cell, turns)
    if [q + shift[0], r + shift[1]] != entry["cell"]:
        return "wrong"
    return one(entry, turned(card.edges, turns))


def one(entry: Entry, edges: list[str | None]) -> str:
    verdict = "right"
    for truth, told, hidden in zip(entry["edges"], edges, entry["hidden"], strict=True):
        if told is None:
            verdict = "unsure" if hidden < 0.25 and verdict == "right" else verdict
        elif told != truth:
            return "wrong"
    return verdict


def work(task: tuple[int, str, str | None]) -> tuple[list[str], dict[str, int], float]:
    seed, printing, keep = task
    cv2.setNumThreads(1)
    edition, picture = drawn(seed, printing)
    reading = read_hexel(picture.bgr)
    counts, bad = judged(picture.truth, reading)
    if bad and keep:
        image = picture.bgr.copy()
        for card in (*reading.cards, *reading.loose):
            cv2.polylines(image, [np.round(card.corners).astype(int)], True, (0, 255, 0), 1)
        for verdict, entry in bad:
            colour = {"wrong": (0, 0, 255), "unsure": (0, 255, 255), "missed": (255, 0, 255), "false": (255, 0, 0)}[
                verdict
            ]
            cv2.polylines(image, [np.round(entry["corners"]).astype(int)], True, colour, 3)
        cv2.imwrite(str(Path(keep) / f"{seed}.png"), image)
    quads = [np.array(c["corners"], np.float32) for c in picture.truth["cards"]]
    across = np.sqrt(np.median([cv2.contourArea(q) for q in quads]) / 0.866)
    conditions = picture.truth["conditions"]
    groups = [
        "all",
        f"edition {edition}",
        f"light {conditions['mood']}",
        "across " + ("under 60" if across < 60 else "60-100" if across < 100 else "over 100"),
        "motion" if conditions["motion"] else "no motion",
        "glare" if conditions["glare"] > 0.002 else "no glare",
        "things on cards" if any(c["covered"] > 0 for c in picture.truth["cards"]) else "nothing on cards",
    ]
    return groups, counts, sum(reading.stages_ms.values())


def show(table: dict[str, dict[str, int]]) -> None:
    """Print the counts of each condition and their shares."""
    print(f"{'condition':22}" + "".join(f"{k:>8}" for k in KEYS) + "  right %  wrong %  whole %")
    for group in sorted(table, key=lambda g: (g != "all", g)):
        row = table[group]
        n, images = max(1, row["cards"]), max(1, row["images"])
        shares = f"{100 * row['right'] / n:9.2f}{100 * row['wrong'] / n:9.2f}{100 * row['whole'] / images:9.1f}"
        print(f"{group:22}" + "".join(f"{row[k]:8}" for k in KEYS) + shares)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=400)
    ap.add_argument("--printing", default="reference", choices=["reference", "exact", "invented"])
    ap.add_argument("--first-seed", type=int, default=9_000_000)
    ap.add_argument("--keep", type=Path)
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    tasks = [(a.first_seed + i, a.printing, str(a.keep) if a.keep else None) for i in range(a.count)]
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KEYS, 0))
    with multiprocessing.Pool(a.jobs) as pool:
        results = pool.map(work, tasks, chunksize=4)
    for groups, counts, _ in results:
        for group in groups:
            for key in KEYS:
                table[group][key] += counts[key]
    show(table)
    print(f"median read {np.median([r[2] for r in results]):.0f} ms")


if __name__ == "__main__":
    main()
