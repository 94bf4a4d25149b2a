"""Numerals in many typefaces, for training and measuring only: fonts of the system drawn with Pillow, kept in a file.

    python -m models.typefaces --out typefaces.npz

A typeface is a mapping from what is printed (``2`` to ``13``, and ``A``) to its ink: a mask of one common height, cut
to its own width. Fonts whose digits stand on different heights, look alike or hardly leave ink are left out.
"""

import argparse
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

LABELS = (*map(str, range(2, 14)), "A")
HEIGHT = 72
PACKAGES = (
    "fonts-adf-gillius fonts-adf-universalis fonts-adf-verana fonts-adf-switzera fonts-adf-ikarius fonts-adf-mekanus "
    "fonts-b612 fonts-bebas-neue fonts-cabin fonts-cantarell fonts-comfortaa fonts-comic-neue fonts-crosextra-carlito "
    "fonts-dosis fonts-freefont-ttf fonts-go fonts-hack fonts-inter fonts-junction fonts-jura fonts-karla fonts-lato "
    "fonts-league-spartan fonts-league-mono fonts-croscore fonts-noto-core fonts-open-sans fonts-paratype fonts-play "
    "fonts-quicksand fonts-roboto-unhinted fonts-roboto-slab fonts-sil-andika fonts-tuffy fonts-yanone-kaffeesatz "
    "fonts-oxygen fonts-ubuntu-title fonts-roadgeek fonts-courier-prime fonts-crosextra-caladea fonts-jetbrains-mono "
    "fonts-inconsolata fonts-monofur fonts-linuxlibertine fonts-sil-charis fonts-tomsontalks fonts-humor-sans "
    "fonts-ecolier-court fonts-ocr-b fonts-dejavu-core fonts-dejavu-extra fonts-liberation fonts-urw-base35"
)
HELD_OUT = ("Lato", "B612", "Tuffy", "Play-", "NimbusSans", "Cantarell", "Andika", "Oxygen", "DejaVuSans")
"""Beginnings of the file names of families that no training sees; the benches draw with them."""
_LEFT_OUT: tuple[str, ...] = (
    "thin",
    "hairline",
    "ultralight",
    "extralight",
    "italic",
    "oblique",
    "dingbat",
    "symbol",
    "emoji",
    "d050000l",
)
_LEFT_OUT += (
    "noto",
    "math",
    "k030",
    "z003",
    "ecolier-lignes",
    "lobster",
    "vollkorn",
    "garamond",
    "smallcaps",
    "_k.",
    "rz",
)
_KEPT_NOTO = ("NotoSans-", "NotoSansDisplay-", "NotoSansMono", "NotoSerif-")

Typeface = dict[str, NDArray[np.uint8]]


def fonts() -> list[Path]:
    """The font files that may hold plain numerals, in order."""
    listed = subprocess.run(["fc-list", ":", "file"], capture_output=True, text=True, check=True).stdout.split("\n")
    paths = sorted({Path(line.split(":")[0]) for line in listed if line})
    return [path for path in paths if path.suffix in (".ttf", ".otf") and _is_plain(path.name)]


def drawn(path: Path) -> Typeface | None:
    """The numerals of a font, or None when they will not do."""
    font = ImageFont.truetype(str(path), 96)
    masks = {label: _ink(font, label) for label in LABELS}
    rows = [np.flatnonzero(mask.max(1) > 100) for mask in masks.values()]
    if (
        any(len(row) < 30 for row in rows)
        or np.ptp([row[0] for row in rows]) > 6
        or np.ptp([row[-1] for row in rows]) > 6
    ):
        return None
    top, bottom = min(row[0] for row in rows), max(row[-1] for row in rows) + 1
    face = {label: _cut(mask[top:bottom]) for label, mask in masks.items()}
    return face if _are_distinct(face) else None


@cache
def kept(path: Path) -> dict[str, list[Typeface]]:
    """The typefaces in a file, ``train`` and ``held-out``."""
    found: dict[str, list[Typeface]] = {"train": [], "held-out": []}
    with np.load(path) as held:
        for number, name in enumerate(held["names"]):
            face = {label: held[f"{number}-{label}"] for label in LABELS}
            found["held-out" if str(name).startswith(HELD_OUT) else "train"].append(face)
    return found


def _is_plain(name: str) -> bool:
    if name.startswith(_KEPT_NOTO):
        return not any(word in name.lower() for word in _LEFT_OUT if word != "noto")
    return not any(word in name.lower() for word in _LEFT_OUT)


def _ink(font: ImageFont.FreeTypeFont, label: str) -> NDArray[np.uint8]:
    picture = Image.new("L", (360, 220), 0)
    ImageDraw.Draw(picture).text((60, 40), label, font=font, fill=255)
    return np.asarray(picture)


def _cut(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    columns = np.flatnonzero(mask.max(0) > 60)
    part = Image.fromarray(mask[:, columns[0] : columns[-1] + 1])
    return np.asarray(part.resize((max(4, round(part.width * HEIGHT / part.height)), HEIGHT), Image.Resampling.BOX))


def _are_distinct(face: Typeface) -> bool:
    small = [np.asarray(Image.fromarray(mask).resize((24, 24)), float) / 255 for mask in face.values()]
    ink = [float(mask.mean()) for mask in small]
    apart = min(float(np.abs(a - b).mean()) for i, a in enumerate(small) for b in small[:i])
    return apart > 0.04 and min(ink) > 0.08 and max(ink) < 0.75


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", type=Path, required=True)
    a = ap.parse_args()
    arrays: dict[str, Any] = {}
    names: list[str] = []
    for path in fonts():
        face = drawn(path)
        if face is not None and path.name not in names:
            arrays |= {f"{len(names)}-{label}": mask for label, mask in face.items()}
            names.append(path.name)
    np.savez_compressed(a.out, **arrays, names=np.array(names))
    print(len(names), "typefaces,", sum(name.startswith(HELD_OUT) for name in names), "of them held out")


if __name__ == "__main__":
    main()
