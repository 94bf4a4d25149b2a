"""How long `read` takes on one core, stage by stage: medians over drawn photographs, or over pictures that are named.

    python tests/bench/bench_read.py [IMAGE...]

Without pictures it draws photographs of 20 cards at 1280x720 and 1920x1080. The first, warming read is not counted.
"""

import sys
from collections import defaultdict

import cv2
import numpy as np

from companion.simulator.photograph import photograph
from companion.vision.hexel_reading import read_hexel
from companion.vision.readers import load_picture

ROUNDS = 7


def pictures(names: list[str]) -> dict[str, list[np.ndarray]]:
    if names:
        groups: dict[str, list[np.ndarray]] = defaultdict(list)
        for name in names:
            picture = load_picture(name)
            if picture is None:
                raise SystemExit(f"{name} is no picture")
            groups[f"{picture.shape[1]}x{picture.shape[0]}"].append(picture)
        return groups
    sizes = [(1280, 720), (1920, 1080)]
    return {
        f"{w}x{h}": [photograph(np.random.default_rng(s), size=(w, h), cards=20).bgr for s in range(8)]
        for w, h in sizes
    }


def main() -> None:
    cv2.setNumThreads(1)
    for size, group in pictures(sys.argv[1:]).items():
        stages: dict[str, list[float]] = defaultdict(list)
        read_hexel(group[0])
        for _ in range(ROUNDS):
            for picture in group:
                laps = read_hexel(picture).stages_ms
                for name, ms in laps.items():
                    stages[name].append(ms)
                stages["total"].append(sum(laps.values()))
        print(f"{size}, {len(group)} pictures: " + "  ".join(f"{n} {np.median(v):.1f} ms" for n, v in stages.items()))


if __name__ == "__main__":
    main()
