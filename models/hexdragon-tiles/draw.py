"""Draws the photographs that HexDragon's networks learn from: pictures and truths in one folder.

    python models/hexdragon-tiles/draw.py --cache DIR [--pictures 800] [--first-seed 4000000]

All three networks learn from the same folder. A picture that is there already is not drawn again.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.simulator.hexdragon_photograph import hexdragon_photograph

SIZE = (800, 608)
KINDS = ("reference", "reference", "reference", "varied", "varied", "varied", "invented", "invented")


def draw(seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """One picture and its truth; the least tiles are 34 px across, the largest 200."""
    rng = np.random.default_rng(seed)
    across = float(np.exp(rng.uniform(np.log(34), np.log(200))))
    picture = hexdragon_photograph(rng, size=SIZE, printing=KINDS[seed % len(KINDS)], across_px=across)
    return picture.bgr, picture.truth


def pictures(cache: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The drawn pictures' files and truths, in order of their seeds."""
    return [(path.with_suffix(".png"), json.loads(path.read_text())) for path in sorted(cache.glob("*.json"))]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=800)
    ap.add_argument("--first-seed", type=int, default=4_000_000)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    a.cache.mkdir(parents=True, exist_ok=True)
    for seed in range(a.first_seed, a.first_seed + a.pictures):
        path = a.cache / f"{seed}.json"
        if not path.exists():
            bgr, truth = draw(seed)
            cv2.imwrite(str(path.with_suffix(".png")), bgr)
            path.write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
