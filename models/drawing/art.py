"""Gathers pictures that faces and tables are drawn from: wallpapers, textures, clip art, playing cards and our decks.

    python -m models.drawing.art --cards DIR --out art.npz FOLDER...

Every FOLDER is searched for photographs and textures, `/usr/share/openclipart/png` for clip art, and DIR for playing
cards as pictures. None of it is shipped: the model's card lists the packages.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet import deck as comet
from companion.games.hexapod import deck as hexapod
from companion.games.hexdragon import deck as hexdragon
from companion.games.hexdragon.rules.tiles import heads
from companion.games.hexel import deck as hexel
from companion.printing.raster import raster
from companion.printing.shapes import Shape

Picture = NDArray[np.uint8]

CLIP_ART = Path("/usr/share/openclipart/png")
LONGEST_PX = {"pictures": 640, "clips": 96, "cards": 200, "hexagons": 160}
"""The longer side of what is kept: small enough that all of it stays in memory."""


@dataclass(frozen=True)
class Art:
    """What faces and tables are drawn from.

    Attributes:
        pictures: photographs and textures, BGR.
        clips: clip art, BGRA.
        cards: whole faces of rectangular cards, BGR.
        hexagons: faces of hexagonal cards filling their box, a corner on the right, BGR.
    """

    pictures: Sequence[Picture]
    clips: Sequence[Picture]
    cards: Sequence[Picture]
    hexagons: Sequence[Picture]

    @staticmethod
    def read(path: Path) -> "Art":
        """What `main` has written."""
        with np.load(path, allow_pickle=True) as held:
            return Art(*(list(held[name]) for name in LONGEST_PX))


def shrunk(picture: Picture, longest_px: int) -> Picture:
    """The picture with its longer side at most ``longest_px``."""
    factor = longest_px / max(picture.shape[:2])
    if factor >= 1.0:
        return picture
    size = (max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def pictures_below(folders: Iterable[Path], least_px: int = 120) -> list[Picture]:
    """The photographs and textures of the folders, but for icons."""
    kept = []
    for path in sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".png", ".jpg", ".jpeg")):
        picture = None if "screenshot" in path.name else cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is not None and min(picture.shape[:2]) >= least_px:
            kept.append(shrunk(np.asarray(picture, np.uint8), LONGEST_PX["pictures"]))
    return kept


def clip_art(count: int = 1500) -> list[Picture]:
    """Clip art with its transparency, spread evenly over the folders."""
    paths = sorted(CLIP_ART.rglob("*.png"))
    read = (cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in paths[:: max(1, len(paths) // count)])
    return [shrunk(np.asarray(p, np.uint8), LONGEST_PX["clips"]) for p in read if p is not None and p.shape[-1] == 4]


def _on_white(shapes: Sequence[Shape], longest_px: int) -> Picture:
    drawn = raster(tuple(shapes), 3.0)
    alpha = drawn[..., 3:] / 255.0
    return shrunk(np.asarray(drawn[..., :3] * alpha + 255 * (1 - alpha), np.uint8), longest_px)


def own_cards() -> list[Picture]:
    """Faces of our rectangular decks."""
    faces = [comet.face_shapes(values) for values in comet.deck()[::7]] + [comet.back_shapes()]
    faces += [hexapod.face_shapes(cells) for cells in hexapod.deck()[::3]] + [hexapod.back_shapes()]
    return [_on_white(shapes, LONGEST_PX["cards"]) for shapes in faces]


def own_hexagons() -> list[Picture]:
    """Faces of our hexagonal decks, turned so that a corner lies on the right."""
    faces = [hexel.face_shapes(face, "36") for face in hexel.one_of_each("36", mirrored_same=False)[::3]]
    faces += [hexel.back_shapes(), hexdragon.back_shapes()]
    faces += [hexdragon.face_shapes(tile) for tile in heads()]
    drawn = [_on_white(shapes, LONGEST_PX["hexagons"]) for shapes in faces]
    return [p if p.shape[1] >= p.shape[0] else np.ascontiguousarray(p.transpose(1, 0, 2)) for p in drawn]


def main() -> None:
    """Gather and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    drawn = [np.asarray(cv2.imread(str(p), cv2.IMREAD_UNCHANGED)) for p in sorted(options.cards.glob("*.png"))]
    flat = [np.where(p[..., 3:] > 127, p[..., :3], 255).astype(np.uint8) for p in drawn if p.ndim == 3]
    kept = {
        "pictures": pictures_below(options.folders),
        "clips": clip_art(),
        "cards": [shrunk(p, LONGEST_PX["cards"]) for p in flat] + own_cards(),
        "hexagons": own_hexagons(),
    }
    arrays: dict[str, Any] = {}
    for name, items in kept.items():
        arrays[name] = np.empty(len(items), object)
        arrays[name][:] = items
        print(name, len(items))
    np.savez(options.out, **arrays)


if __name__ == "__main__":
    main()
