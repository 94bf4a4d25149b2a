"""Teaches Comet printings from one path-traced photograph each, and reads others of them: another renderer's pictures.

    python -m models.traced.scenes --art art.npz --faces typefaces.npz --begin 6100000 --comet 14 --any 0 --out DIR
    python models/traced/render.py DIR/*.scene.json        # with bpy, see models/README.md
    PYTHONPATH=. python tests/bench/comet_traced.py DIR

Faces whose numbers all show, at least 9 px high, and backs of which most shows are counted; every other printing's
labels give corners as rough as taps on a phone. A printing that is refused is counted with all its cards missed.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import UsageError
from companion.games.comet.vision.enrolment import learn_comet
from companion.games.comet.vision.recognizer import read_comet
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.vision.geometry import mapped, shared_area
from models.traced.shards import is_rendered, rendered

LEAST_NUMERAL_PX, LEAST_SEEN, LEAST_BACK_SEEN, LEAST_FACE_SEEN = 9.0, 0.9, 0.8, 0.45
TAP_PX = 4.0


def opened(path: Path) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """A rendered scene's photograph, and its cards with their corners and how much is seen of them and their marks."""
    one = rendered(path)
    cards: list[dict[str, Any]] = one.told["cards"]
    for number, (card, quad) in enumerate(zip(cards, one.corners, strict=True), 1):
        to_picture = cv2.getPerspectiveTransform(np.float32(card["corners"]), quad)
        card["corners"], card["seen"] = quad, seen_share(one.owner, number, quad)
        for mark in card["marks"]:
            mark["corners"] = mapped(to_picture, np.array(mark["corners"])).astype(np.float32)
            mark["seen"] = seen_share(one.owner, number, mark["corners"])
    return one.picture, cards


def seen_share(owner: np.ndarray, number: int, polygon: np.ndarray) -> float:
    """The share of a polygon where the picture shows that card."""
    mask = np.zeros(owner.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(polygon * 16).astype(np.int32), 1, shift=4)
    return float((mask.astype(bool) & (owner == number)).sum() / max(1.0, cv2.contourArea(polygon)))


def is_counted(card: dict[str, Any], size: tuple[int, int]) -> bool:
    """Anybody could read it on the picture."""
    quad = np.array(card["corners"])
    if (quad < 0).any() or (quad > size).any() or card["aside"]:
        return False
    if card["values"] is None:
        return card["seen"] > LEAST_BACK_SEEN
    shown = {
        mark["slot"]
        for mark in card["marks"]
        if mark["seen"] >= LEAST_SEEN and np.linalg.norm(mark["corners"][3] - mark["corners"][0]) >= LEAST_NUMERAL_PX
    }
    return len(shown) == 3 and card["seen"] > LEAST_FACE_SEEN


def labels_of(cards: list[dict[str, Any]], rng: np.random.Generator, has_corners: bool) -> dict[str, Any]:
    """The teaching photograph's cards as people label them, from left to right."""
    told = []
    for card in sorted(cards, key=lambda card: np.mean(card["corners"], 0)[0]):
        quad = np.roll(card["corners"], -1 if card["is_turned"] else 0, 0)
        rough = (quad + rng.normal(0, TAP_PX, (4, 2))).tolist()
        told.append({"values": card["values"], **({"corners": rough} if has_corners else {})})
    return {"cards": told}


def judged(cards: list[dict[str, Any]], told: list[Any], size: tuple[int, int]) -> Counter[str]:
    """How many of the cards that count are right, wrong or missed, how many others are told wrongly, and how many are
    told where none lies.
    """
    count: Counter[str] = Counter()
    used = set()
    for card in cards:
        quad = np.float32(card["corners"])
        shares = [shared_area(quad, one.corners) for one in told]
        best = int(np.argmax(shares)) if shares else -1
        is_found = best >= 0 and shares[best] > 0.6
        used |= {best} if is_found else set()
        kind = "back" if card["values"] is None else "face"
        verdict = "missed"
        if is_found:
            values = told[best].values
            is_read = values is None or None not in values
            is_right = values == (None if card["values"] is None else sorted(card["values"]))
            verdict = "right" if is_right else "wrong" if is_read else "missed"
        if not is_counted(card, size):
            count["hidden wrong"] += verdict == "wrong"
            continue
        count[verdict] += 1
        count[f"{kind} {verdict}"] += 1
    count["false"] = len(told) - len(used)
    return count


def main() -> None:
    """Teach, read, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    cv2.setNumThreads(1)
    every: Counter[str] = Counter()
    for path in sorted(folder.glob("*-teach.scene.json")):
        seed = int(path.name.split("-")[0])
        if not is_rendered(path):
            continue
        picture, cards = opened(path)
        profile = None
        try:
            labels = labels_of(cards, np.random.default_rng(seed), bool(seed % 2))
            profile = TaughtNumerals(learn_comet("comet", [("teach", picture)], [labels]))
        except UsageError as error:
            every["printings refused"] += 1
            print(seed, error)
        for other in sorted(folder.glob(f"{seed}-[0-9].scene.json")):
            if not is_rendered(other):
                continue
            picture, cards = opened(other)
            told = [] if profile is None else list(read_comet(picture, profile).cards)
            count = judged(cards, told, picture.shape[1::-1])
            every += count
            print(other.name.removesuffix(".scene.json"), dict(count), flush=True)
    cards_counted = max(1, every["right"] + every["wrong"] + every["missed"])
    right, wrong = (100 * every[verdict] / cards_counted for verdict in ("right", "wrong"))
    print(dict(every), f"right {right:.1f} % wrong {wrong:.2f} %")


if __name__ == "__main__":
    main()
