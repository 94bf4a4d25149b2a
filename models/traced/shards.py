"""Makes files of scenes, as `models.drawing.card_shards` does, of what `render` has rendered: with a camera's faults.

    PYTHONPATH=. python -m models.traced.shards --traced DIR... --out DIR [--parts 4]

With ``--parts`` the scenes are so many square parts of each picture, for the detector and the refiner; without it they
are whole pictures, for the judge.
"""

import argparse
import json
import pickle
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import mapped
from models.drawing.card_scenes import SIDE_PX, Outline, Scene
from models.drawing.card_shards import SCENES

LEAST_VISIBLE = 0.55
"""Cards hidden more may be found or not."""
PART = (0.6, 1.0)
"""The side of a square part, in shorter sides of the picture."""
THING, RECTANGULAR = 255, 0.85
"""The value of pixels that show a thing; of a box's outline and the rectangle around it the share of the areas."""


def photographed(picture: NDArray[np.uint8], rng: np.random.Generator, is_hard: bool) -> NDArray[np.uint8]:
    """The picture as a small camera gives it: a little soft, tinted and noisy, from a JPEG."""
    soft = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), rng.uniform(0.4, 1.1 if is_hard else 0.8))
    seen = soft * (1 + rng.normal(0, 0.03, 3)) + rng.normal(0, 1, picture.shape) * rng.uniform(1, 6 if is_hard else 3.5)
    return _from_jpeg(seen, int(rng.integers(60 if is_hard else 78, 96)))


def boxes(things: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
    """Of things (h, w) those as rectangular as a thick card: nobody could say that they are none."""
    found = []
    for outline in cv2.findContours(things, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        around = cv2.minAreaRect(outline)
        if cv2.contourArea(outline) > RECTANGULAR * around[1][0] * around[1][1]:
            found.append(np.asarray(cv2.boxPoints(around), np.float32))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """What `render` makes of a description.

    Attributes:
        told: the description.
        picture: (h, w, 3) BGR, as a small camera gives it.
        owner: which card each pixel (h, w) shows, from 1 on in their order.
        corners: of each card, (4, 2) pixels.
    """

    told: dict[str, Any]
    picture: NDArray[np.uint8]
    owner: NDArray[np.uint8]
    corners: list[NDArray[np.float32]]


def is_rendered(path: Path) -> bool:
    """The description (``.scene.json``) has been rendered."""
    return Path(_stem(path) + ".corners.json").exists()


def rendered(path: Path) -> Rendered:
    """A description (``.scene.json``) with what was rendered of it."""
    told, stem = json.loads(path.read_text()), _stem(path)
    picture, owner = cv2.imread(stem + ".png"), cv2.imread(stem + ".owner.png")
    if picture is None or owner is None or not is_rendered(path):
        raise SystemExit(f"{stem} is not rendered: see models/traced/render.py")
    rng = np.random.default_rng(zlib.crc32(told["name"].encode()))
    corners = [np.array(quad, np.float32) for quad in json.loads(Path(stem + ".corners.json").read_text())]
    seen = photographed(np.asarray(picture, np.uint8), rng, told["is_hard"])
    return Rendered(told, seen, np.asarray(owner[..., 2], np.uint8), corners)


def on_picture(card: dict[str, Any], corners: NDArray[Any], points: Any) -> NDArray[np.float64]:
    """Points (N, 2) of a card's own frame on the picture, where its ``corners`` (K, 2) are."""
    own = np.array(card["corners"], np.float64)
    to_picture, _ = cv2.findHomography(own, np.asarray(corners, np.float64))
    return mapped(np.asarray(to_picture, np.float64), np.array(points, np.float64))


def filmed_frame(path: Path, film: str, number: int) -> NDArray[np.uint8]:
    """One frame of a film from its rendered picture: noise is each frame's own, softness and tint are the film's."""
    own, rng = np.random.default_rng(zlib.crc32(film.encode())), np.random.default_rng(number)
    blur_px, tint, noise = own.uniform(0.4, 0.8), 1 + own.normal(0, 0.03, 3), own.uniform(1, 3.5)
    soft = cv2.GaussianBlur(np.asarray(cv2.imread(str(path)), np.float32), (0, 0), blur_px)
    return _from_jpeg(soft * tint + noise * rng.normal(0, 1, soft.shape), 90)


def _from_jpeg(seen: NDArray[np.floating], quality: int) -> NDArray[np.uint8]:
    _, jpeg = cv2.imencode(".jpg", np.clip(seen, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _stem(path: Path) -> str:
    return str(path).removesuffix(".scene.json")


def traced_scene(path: Path) -> Scene:
    """The scene of a description (``.scene.json``) that was rendered."""
    one = rendered(path)
    outlines, ignored = [], []
    for number, quad in enumerate(one.corners, 1):
        visible = float((one.owner == number).sum() / max(1.0, cv2.contourArea(quad)))
        if visible >= LEAST_VISIBLE and (quad >= 0).all() and (quad <= one.told["size"]).all():
            outlines.append(Outline(quad, min(1.0, visible)))
        else:
            ignored.append(quad)
    ignored += boxes(np.asarray(one.owner == THING, np.uint8))
    return Scene(one.picture, outlines, ignored)


def square_part(scene: Scene, rng: np.random.Generator) -> Scene:
    """A square part of a scene around one of its cards, `SIDE_PX` wide."""
    size = np.array(scene.picture.shape[1::-1])
    side = int(size.min() * rng.uniform(*PART))
    around = scene.outlines[int(rng.integers(len(scene.outlines)))].corners.mean(0) if scene.outlines else size / 2
    x, y = np.clip(around + rng.uniform(-0.4, 0.4, 2) * side - side / 2, 0, size - side).astype(int).tolist()
    scale = SIDE_PX / side
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    cut = scene.picture[y : y + side, x : x + side]
    picture = np.asarray(cv2.resize(cut, (SIDE_PX, SIDE_PX), interpolation=how), np.uint8)

    def moved(polygon: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray((polygon - [x, y] + 0.5) * scale - 0.5, np.float32)

    outlines = [Outline(moved(outline.corners), outline.visible) for outline in scene.outlines]
    return Scene(picture, outlines, [moved(polygon) for polygon in scene.ignored])


def main() -> None:
    """Read and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traced", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", type=int, default=0, help="square parts of each picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    paths = sorted(path for folder in options.traced for path in folder.glob("*.scene.json") if is_rendered(path))
    scenes = [traced_scene(path) for path in paths if not path.name.endswith("-teach.scene.json")]
    rng = np.random.default_rng(0)
    parts = [square_part(scene, rng) for scene in scenes for _ in range(options.parts)] or scenes
    shown = [parts[int(i)] for i in rng.permutation(len(parts))]
    for number, start in enumerate(range(0, len(shown), SCENES)):
        (options.out / f"{number:04}.pickle").write_bytes(pickle.dumps(shown[start : start + SCENES]))


if __name__ == "__main__":
    main()
