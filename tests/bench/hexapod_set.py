"""Reads a fixed set of drawn Hexapod photographs and prints a table per condition: cells right, unsure, wrong, missed.

    python tests/bench/hexapod_set.py [--count 300] [--printing varied|reference] [--keep DIR] [--pictures DIR]

The set is drawn from seeds that no training used (training: from 2,000,000 up to 4,999,999). A cell counts when at most
30 % of it is hidden; one that is hidden more, or over which a card lies askew, counts only when something wrong is
stated of it. Cells of a case or card that was not found are missed. ``--keep`` writes the failing pictures, outlined;
``--pictures`` keeps the drawn ones for the next run.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import Any

import cv2
import numpy as np

from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.results import DetectedField, HexapodReading
from models.drawing.hexapod.photograph import photograph

Entry = dict[str, Any]

KEYS = ("cells", "right", "unsure", "wrong", "missed", "false", "images", "whole")
SIZES = [(1280, 720)] * 3 + [(1920, 1080)]
FIRST_SEED = 9_500_000


def drawn(seed: int, printing: str, kept: Path | None) -> tuple[np.ndarray, Entry]:
    """The picture of a seed and its truth; from the folder where it is there already."""
    path = None if kept is None else kept / f"{printing}-{seed}.png"
    if path is not None and path.exists():
        bgr = cv2.imread(str(path))
        assert bgr is not None
        return bgr, json.loads(path.with_suffix(".json").read_text())
    picture = photograph(np.random.default_rng(seed), size=SIZES[seed % len(SIZES)], printing=printing)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), picture.bgr)
        path.with_suffix(".json").write_text(json.dumps(picture.truth))
    return picture.bgr, picture.truth


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """The intersection of two convex quads over their union."""
    a, b = (np.asarray(q, np.float32).reshape(-1, 2) for q in (a, b))
    both = float(cv2.intersectConvexConvex(a, b)[0])
    return both / max(1e-6, cv2.contourArea(a) + cv2.contourArea(b) - both)


def compared(
    entries: list[Entry], seen: tuple[DetectedField, ...], ignored: list[np.ndarray]
) -> tuple[dict[str, int], list]:
    """Counts of all cells of the cases, or of the loose cards, and what was not right: a verdict and a place."""
    counts, bad, used = dict.fromkeys(KEYS, 0), [], set()
    for entry in (e for e in entries if not e.get("cut")):
        quad = np.array(entry["corners"])
        hidden = np.mean([share > 0.35 for row in entry["covered"] for share in row])
        j = max(range(len(seen)), key=lambda j: overlap(seen[j].corners, quad), default=None)
        if j is None or overlap(seen[j].corners, quad) < 0.7:
            if hidden < 0.5:
                counts["cells"] += len(entry["cells"]) * len(entry["cells"][0])
                counts["missed"] += len(entry["cells"]) * len(entry["cells"][0])
                bad.append(("missed", quad))
            continue
        used.add(j)
        for verdict, place in _cells(entry, seen[j]):
            counts["cells"] += 1
            counts[verdict] += 1
            if verdict != "right":
                bad.append((verdict, place))
    known = [np.array(p, np.float32) for p in ignored] + [np.array(e["corners"], np.float32) for e in entries]
    for j, field in enumerate(seen):
        if j not in used and not any(cv2.pointPolygonTest(p, field.centre, False) > 0 for p in known):
            counts["false"] += 1
            bad.append(("false", field.corners))
    return counts, bad


def _cells(entry: Entry, field: DetectedField) -> list[tuple[str, np.ndarray]]:
    rows, cols = len(entry["cells"]), len(entry["cells"][0])
    grid = np.stack(np.meshgrid(np.arange(cols) + 0.5, np.arange(rows) + 0.5), -1).astype(np.float32)
    square = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
    m = cv2.getPerspectiveTransform(square, np.array(entry["corners"], np.float32))
    places = cv2.perspectiveTransform(grid.reshape(1, -1, 2), m).reshape(rows, cols, 2)
    out = []
    for r in range(rows):
        for c in range(cols):
            told, laid = field.cells[r][c], entry["laid"][r][c]
            if entry["doubt"][r][c]:
                verdict = "wrong" if not field.doubt[r][c] and told != laid else None
            else:
                verdict = "unsure" if field.doubt[r][c] else "right" if told == laid else "wrong"
            if verdict is not None:
                out.append((verdict, places[r, c]))
    return out


def judged(truth: Entry, reading: HexapodReading) -> tuple[dict[str, int], list]:
    boards, bad = compared(truth["boards"], reading.cards, truth["ignore"])
    loose, more = compared(truth["loose"], reading.loose, [*truth["ignore"], *(b["corners"] for b in truth["boards"])])
    counts = {key: boards[key] + loose[key] for key in KEYS}
    counts["images"], counts["whole"] = 1, int(counts["right"] == counts["cells"] and not counts["false"])
    return counts, bad + more


def keep(folder: Path, name: str, bgr: np.ndarray, reading: HexapodReading, bad: list) -> None:
    """Write a picture with what was read and what was not right."""
    image = bgr.copy()
    for field in (*reading.cards, *reading.loose):
        cv2.polylines(image, [np.round(field.corners).astype(int)], True, (0, 255, 0), 1)
        cv2.circle(image, tuple(int(v) for v in field.corners[0]), 4, (0, 255, 0), -1)
    colours = {"wrong": (0, 0, 255), "unsure": (0, 255, 255), "missed": (255, 0, 255), "false": (255, 0, 0)}
    for verdict, place in bad:
        if place.ndim == 1:
            cv2.circle(image, tuple(int(v) for v in place), 9, colours[verdict], 2)
        else:
            cv2.polylines(image, [np.round(place).astype(int)], True, colours[verdict], 3)
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / name), image)


def groups(truth: Entry) -> list[str]:
    conditions = truth["conditions"]
    cell = conditions["scale"] * 1280 / truth["size"][0]
    grids = {(b["rows"], b["cols"]) for b in truth["boards"]}
    covered = any(share > 0 for e in truth["boards"] + truth["loose"] for row in e["covered"] for share in row)
    return [
        "all",
        f"light {conditions['mood']}",
        "cells " + ("under 24 px" if cell < 24 else "24-40 px" if cell < 40 else "over 40 px"),
        "motion" if conditions["motion"] else "no motion",
        "glare" if conditions["glare"] > 0.002 else "no glare",
        "things on top" if covered else "nothing on top",
        "5 x 5" if grids == {(5, 5)} else "other grids",
        f"cases {len(truth['boards'])}",
    ]


def namer_of(truth: Entry) -> InsectClassifier:
    board = truth["boards"][0]
    return PretrainedInsects(board["rows"], board["cols"])


def show(table: dict[str, dict[str, int]]) -> None:
    """Print the counts of each condition and their shares."""
    print(f"{'condition':22}" + "".join(f"{k:>8}" for k in KEYS) + "  right %  wrong %  whole %")
    for group in sorted(table, key=lambda g: (g != "all", g)):
        row = table[group]
        n, images = max(1, row["cells"]), max(1, row["images"])
        shares = f"{100 * row['right'] / n:9.2f}{100 * row['wrong'] / n:9.2f}{100 * row['whole'] / images:9.1f}"
        print(f"{group:22}" + "".join(f"{row[k]:8}" for k in KEYS) + shares)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--printing", default="varied", choices=["varied", "reference"])
    ap.add_argument("--first-seed", type=int, default=FIRST_SEED)
    ap.add_argument("--keep", type=Path)
    ap.add_argument("--pictures", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KEYS, 0))
    times = []
    for seed in range(a.first_seed, a.first_seed + a.count):
        bgr, truth = drawn(seed, a.printing, a.pictures)
        begun = process_time()
        reading = read_hexapod(bgr, namer_of(truth))
        times.append(1000 * (process_time() - begun))
        counts, bad = judged(truth, reading)
        if bad and a.keep:
            keep(a.keep, f"{seed}.png", bgr, reading, bad)
        for group in groups(truth):
            for key in KEYS:
                table[group][key] += counts[key]
    show(table)
    print(f"median read {np.median(times):.0f} ms of processor time")


if __name__ == "__main__":
    main()
