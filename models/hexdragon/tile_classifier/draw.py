"""Draws the photographs that HexDragon's networks learn from: pictures and truths in one folder.

    python -m models.hexdragon.tile_classifier.draw --cache DIR [--pictures 800] [--first-seed 4000000] [--heads]

All three networks learn from the same folder. A picture that is there already is not drawn again. With ``--heads``
nearly all tiles are heads of all four owners, most sets are redrawn, and a quarter have dark faces.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import BODY_SET, COLOURS, HEADS, Drawing
from companion.rules.hexgrid import cells_within
from models.drawing.hexdragon.layouts import Laying, Put, put_on, star_on
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of

SIZE = (800, 608)
KINDS = ("reference", "reference", "reference", "varied", "varied", "varied", "invented", "invented")
HEAD_KINDS = ("varied", "varied", "varied", "reference", "varied", "dark", "reference", "dark")


def draw(seed: int) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """One picture and its truth; the least tiles are 34 px across, the largest 200."""
    rng = np.random.default_rng(seed)
    across = float(np.exp(rng.uniform(np.log(34), np.log(200))))
    picture = hexdragon_photograph(rng, size=SIZE, printing=KINDS[seed % len(KINDS)], across_px=across)
    return picture.bgr, picture.truth


def draw_heads(seed: int) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """One picture of many heads and its truth."""
    rng = np.random.default_rng(seed)
    across, kind = float(np.exp(rng.uniform(np.log(34), np.log(130)))), HEAD_KINDS[seed % len(HEAD_KINDS)]
    printing = _dark(rng) if kind == "dark" else kind
    picture = hexdragon_photograph(rng, size=SIZE, printing=printing, table=_heads(rng), across_px=across)
    picture.truth["conditions"]["printing"] = "invented" if kind == "dark" else kind
    return picture.bgr, picture.truth


def _dark(rng: np.random.Generator) -> Drawing:
    """An invented set with dark faces."""
    while True:
        style = drawing_of("invented", rng)
        if sum(int(style.face[i : i + 2], 16) for i in (1, 3, 5)) < 300:
            return style


def _heads(rng: np.random.Generator) -> tuple[list[Put], Laying]:
    """A table on which nearly every tile is somebody's head, with everybody's star."""
    laying = Laying(2, 1.0 + float(rng.uniform(0, 0.05)), bool(rng.random() < 0.6), 1.0, 2.0)
    cells = cells_within(2)
    order = [cells[int(k)] for k in rng.permutation(len(cells))]
    put = []
    for cell in order[:13]:
        tile = HEADS[int(rng.integers(len(HEADS)))] if rng.random() < 0.8 else BODY_SET[int(rng.integers(20))]
        owner = str(rng.choice(COLOURS)) if tile.kind == "head" else None
        put.append(put_on(tile.turned(int(rng.integers(6))), owner, cell, laying, rng))
    return put + [star_on(owner, cell, laying, rng) for owner, cell in zip(COLOURS, order[13:], strict=False)], laying


def pictures(cache: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The drawn pictures' files and truths, in order of their seeds."""
    return [(path.with_suffix(".png"), json.loads(path.read_text())) for path in sorted(cache.glob("*.json"))]


def read(path: Path) -> NDArray[np.uint8]:
    """A drawn picture. Raises `SystemExit` when the file is no picture."""
    bgr = cv2.imread(str(path))
    if bgr is None:
        raise SystemExit(f"{path} is no picture: delete it and draw again")
    return np.asarray(bgr, np.uint8)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, required=True)
    ap.add_argument("--pictures", type=int, default=800)
    ap.add_argument("--first-seed", type=int, default=4_000_000)
    ap.add_argument("--heads", action="store_true")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    a.cache.mkdir(parents=True, exist_ok=True)
    for seed in range(a.first_seed, a.first_seed + a.pictures):
        path = a.cache / f"{seed}.json"
        if not path.exists():
            bgr, truth = draw_heads(seed) if a.heads else draw(seed)
            cv2.imwrite(str(path.with_suffix(".png")), bgr)
            path.write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
