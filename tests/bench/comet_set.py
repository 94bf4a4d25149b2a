"""Reads a fixed set of drawn Comet photographs and prints a table per condition: right, unsure, wrong, missed, false.

    PYTHONPATH=. python tests/bench/comet_set.py [--count 300] [--printing invented] [--faces FILE] [--keep DIR]

The set is drawn from seeds that no training used (training: from 5,000,000 and from 6,000,000). ``--faces`` takes the
typefaces that `models/typefaces.py` draws and uses those held out from training; without it the house's own numerals
and OpenCV's strokes are used. A card is right when all its numbers are, or when it is told to lie face down. A number
more than a third of which is hidden, or whose print the camera has burnt away (see `contrast`), should be unsure, and
its card is right then: ``excused`` counts such cards among the right ones, and ``stated %`` is the share of cards told
in full, none excused. A card that is not found is missed, whatever is to be read on it. A card that the
picture's rim cuts, that is mostly hidden, or that is seen narrower than 40 px is not counted. ``--keep`` writes the
failing pictures, outlined.
"""

import argparse
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.recognizer import read_comet
from companion.games.comet.vision.results import CometReading, DetectedCometCard
from models.drawing.comet.photograph import comet_photograph
from models.drawing.photograph import Photograph

Entry = dict[str, Any]
"""What the truth says about one card."""

VERDICTS = ("right", "excused", "unsure", "wrong", "missed", "false")
KEYS = ("cards", *VERDICTS, "numbers", "n-right", "n-wrong", "images", "whole")
SIZES = [(1280, 720)] * 3 + [(1920, 1080)]
COLOURS = {"wrong": (0, 0, 255), "unsure": (0, 255, 255), "missed": (255, 0, 255), "false": (255, 0, 0)}
LEAST_PX = 40
HIDDEN = 1 / 3
"""A number of which more is hidden than this cannot be wanted."""
BURNT = 16
"""Nor can one whose print differs from its ground by less than this, of 255."""
SAME = 0.7
"""How much of their union two outlines share when they are the same card."""


def counted(card: Entry) -> bool:
    return not card.get("cut") and card["covered"] < 0.45 and CARD.width_px(np.array(card["corners"])) > LEAST_PX


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """What two outlines share, of all they cover."""
    shared, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    return shared / (cv2.contourArea(a.astype(np.float32)) + cv2.contourArea(b.astype(np.float32)) - shared)


def within(bgr: np.ndarray, outline: list[list[float]]) -> np.ndarray:
    """The colours (N, 3) of a picture inside an outline."""
    at = np.round(outline).astype(np.int32)
    low = np.clip(at.min(0), 0, bgr.shape[1::-1])
    part = bgr[low[1] : max(at[:, 1].max() + 1, 0), low[0] : max(at[:, 0].max() + 1, 0)]
    mask = np.zeros(part.shape[:2], np.uint8)
    if mask.size:
        cv2.fillPoly(mask, [at - low], 1)
    return part[mask > 0]


def contrast(bgr: np.ndarray, mark: list[list[float]]) -> float:
    """By how much a number's print differs from its ground in the picture, in whichever colour it differs most.

    Between the tenth and the ninetieth percentile within the number's outline: a few dark specks of a number that is
    otherwise white do not make it readable. What lies on the number, a shadow and noise make the contrast larger only.
    """
    inside = within(bgr, mark)
    return float(np.ptp(np.percentile(inside, (10, 90), axis=0), axis=0).max()) if len(inside) else 0.0


def readable(entry: Entry, bgr: np.ndarray) -> int:
    """How many of a card's numbers can be read at all."""
    marks = zip(entry["hidden"], entry["marks"], strict=True)
    return sum(hidden <= HIDDEN and contrast(bgr, mark) >= BURNT for hidden, mark in marks)


def compared(entry: Entry, wanted: int, card: DetectedCometCard) -> tuple[str, int, int]:
    """The verdict on a card so many of whose numbers can be read, and how many of them are right and wrong."""
    told = card.values
    if entry["values"] is None:
        return ("right" if told is None else "unsure" if set(told) == {None} else "wrong"), 0, 0
    if told is None:
        return "wrong", 0, 3
    stated = Counter(v for v in told if v is not None)
    right = sum((stated & Counter(entry["values"])).values())
    wrong = sum(stated.values()) - right
    verdict = "wrong" if wrong else "right" if right >= wanted else "unsure"
    return ("excused" if verdict == "right" and right < 3 else verdict), right, wrong


def judged(picture: Photograph, reading: CometReading) -> tuple[dict[str, int], list[tuple[str, Entry]]]:
    """Counts of one picture, and the cards that were not right."""
    truth, counts, bad = picture.truth, dict.fromkeys(KEYS, 0), []
    outlines = [np.array(entry["corners"]) for entry in truth["cards"]]
    used: set[int] = set()
    for entry, outline in zip(truth["cards"], outlines, strict=True):
        shares = [overlap(outline, card.corners) for card in reading.cards]
        best = int(np.argmax(shares)) if shares else -1
        is_found = best >= 0 and shares[best] >= SAME
        used |= {best} if is_found else set()
        if not counted(entry):
            continue
        wanted = readable(entry, picture.bgr)
        verdict, right, wrong = compared(entry, wanted, reading.cards[best]) if is_found else ("missed", 0, 0)
        counts["cards"] += 1
        counts[verdict] += 1
        counts["right"] += verdict == "excused"
        counts["numbers"] += wanted
        counts["n-right"] += min(right, wanted)
        counts["n-wrong"] += wrong
        if verdict not in ("right", "excused"):
            bad.append((verdict, entry))
    around = [np.array(p, np.float32) for p in truth["ignore"]] + [o.astype(np.float32) for o in outlines]
    for j, card in enumerate(reading.cards):
        if j not in used and not any(cv2.pointPolygonTest(area, card.centre, False) > 0 for area in around):
            counts["false"] += 1
            bad.append(("false", {"corners": card.corners.tolist()}))
    counts["images"] = 1
    counts["whole"] = int(counts["right"] == counts["cards"] and not counts["false"])
    return counts, bad


def groups_of(picture: Photograph) -> list[str]:
    cards, conditions = picture.truth["cards"], picture.truth["conditions"]
    wide = float(np.median([CARD.width_px(np.array(c["corners"])) for c in cards]))
    fanned = any(c["covered"] > 0.04 for c in cards)
    return [
        "all",
        f"light {conditions['mood']}",
        "width " + ("under 60" if wide < 60 else "60-100" if wide < 100 else "over 100"),
        "motion" if conditions["motion"] else "no motion",
        "glare" if conditions["glare"] > 0.002 else "no glare",
        "read on its side" if conditions["turned"] else "read upright",
        "things on cards" if conditions["things"] else "fanned" if fanned else "nothing on cards",
        "burnt out" if is_burnt_out(picture) else "print to be seen",
    ]


def is_burnt_out(picture: Photograph) -> bool:
    """Most of some card face up is white in the picture: the camera has burnt its print away."""
    for card in picture.truth["cards"]:
        inside = within(picture.bgr, card["corners"]).min(1)
        if card["values"] is not None and len(inside) and float((inside >= 250).mean()) > 0.6:
            return True
    return False


def kept(picture: Photograph, reading: CometReading, bad: list[tuple[str, Entry]], path: Path) -> None:
    """Write a failing picture with what was told and what is wrong."""
    image = picture.bgr.copy()
    for card in reading.cards:
        cv2.polylines(image, [np.round(card.corners).astype(int)], True, (0, 255, 0), 1)
        x, y = (round(v) for v in card.centre)
        text = "back" if card.values is None else " ".join("?" if v is None else str(v) for v in card.values)
        cv2.putText(image, text, (x - 24, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 255), 1, cv2.LINE_AA)
    for verdict, entry in bad:
        cv2.polylines(image, [np.round(entry["corners"]).astype(int)], True, COLOURS[verdict], 3)
    cv2.imwrite(str(path), image)


def show(table: dict[str, dict[str, int]]) -> None:
    """Print the counts of each condition and their shares."""
    print(f"{'condition':18}" + "".join(f"{k:>8}" for k in KEYS) + "  right %  wrong % numbers % stated %")
    for group in sorted(table, key=lambda g: (g != "all", g)):
        row = table[group]
        cards, numbers = max(1, row["cards"]), max(1, row["numbers"])
        parts = (row["right"] / cards, row["wrong"] / cards, row["n-right"] / numbers)
        shares = [100 * part for part in (*parts, (row["right"] - row["excused"]) / cards)]
        print(f"{group:18}" + "".join(f"{row[k]:8}" for k in KEYS) + "".join(f"{share:9.2f}" for share in shares))


def typefaces(path: Path | None) -> list[dict[str, np.ndarray]]:
    """Those of the file that no training saw; none without a file."""
    if path is None:
        return []
    from models.typefaces import kept as kept_faces

    return kept_faces(path)["held-out"]


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--printing", default="reference", choices=["reference", "invented"])
    ap.add_argument("--faces", type=Path)
    ap.add_argument("--first-seed", type=int, default=9_500_000)
    ap.add_argument("--keep", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    faces = typefaces(a.faces)
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KEYS, 0))
    took = []
    for seed in range(a.first_seed, a.first_seed + a.count):
        rng = np.random.default_rng(seed)
        picture = comet_photograph(rng, size=SIZES[seed % len(SIZES)], printing=a.printing, typefaces=faces)
        begun = time.process_time()
        reading = read_comet(picture.bgr)
        took.append(1000 * (time.process_time() - begun))
        counts, bad = judged(picture, reading)
        if bad and a.keep:
            kept(picture, reading, bad, a.keep / f"{seed}.png")
        for group in groups_of(picture):
            for key in KEYS:
                table[group][key] += counts[key]
    show(table)
    print(f"median read {np.median(took):.0f} ms of processor time")


if __name__ == "__main__":
    main()
