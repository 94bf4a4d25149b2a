"""Draws scenes of cards into files that training reads while more are drawn.

    PYTHONPATH=. python -m models.drawing.card_shards --art art.npz --out DIR --count 20 [--photos FOLDER|--boards|...]

Each file holds 400 scenes. With --photos they are made of the photographs in FOLDER that `truth.jsonl` there describes;
--only or --without names sessions, as the start of their names. With --boards they are boards, most of hexagons; with
--lone they show one card each; with --games cards of several sizes and boards lie on one table; with --comet they are
tables of Comet in any printing.
"""

import argparse
import pickle
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from models.drawing.art import Art
from models.drawing.boards import draw_board
from models.drawing.card_photos import Photo, draw_photo_scene, read_photos, with_cut_cards
from models.drawing.card_scenes import SIDE_PX, Outline, Scene, draw_game_table, draw_lone, draw_scene
from models.drawing.comet.photograph import comet_photograph, teaching_photograph
from models.drawing.comet.printings import plain_typefaces
from models.drawing.comet.styles import styled

SCENES = 400
Draw = Callable[[np.random.Generator, Art], Scene]


def shard(number: int, art: Art, photos: list[Photo], drawn: Draw) -> list[Scene]:
    """The scenes of one file; the same ones for the same number."""
    rngs = [np.random.default_rng((number, i)) for i in range(SCENES)]
    if photos:
        return [draw_photo_scene(rng, art, photos) for rng in rngs]
    return [drawn(rng, art) for rng in rngs]


def draw_comet(rng: np.random.Generator, art: Art) -> Scene:
    """A table of Comet in some printing, one in four calm and with a few cards in a row."""
    style, size = styled(plain_typefaces(), rng), (SIDE_PX, SIDE_PX)
    is_calm = rng.random() < 0.25
    drawn = teaching_photograph(rng, style, size) if is_calm else comet_photograph(rng, size=size, printing=style)
    whole = [card for card in drawn.truth["cards"] if "cut" not in card]
    outlines = [Outline(np.array(card["corners"], np.float32), 1.0 - card["covered"]) for card in whole]
    return Scene(drawn.bgr, outlines, [np.array(quad, np.float32) for quad in drawn.truth["ignore"]])


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--art", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--boards", dest="drawn", action="store_const", const=draw_board, default=draw_scene)
    parser.add_argument("--lone", dest="drawn", action="store_const", const=draw_lone)
    parser.add_argument("--games", dest="drawn", action="store_const", const=draw_game_table)
    parser.add_argument("--comet", dest="drawn", action="store_const", const=draw_comet)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--without", nargs="*", default=[])
    options = parser.parse_args()
    cv2.setNumThreads(1)
    art, photos = Art.read(options.art), []
    if options.photos:
        photos = read_photos(options.photos, tuple(options.only), tuple(options.without))
        art = with_cut_cards(art, photos)
    options.out.mkdir(parents=True, exist_ok=True)
    for number in range(options.begin, options.begin + options.count):
        path = options.out / f"{number:04}.pickle"
        if not path.exists():
            with path.with_suffix(".part").open("wb") as file:
                pickle.dump(shard(number, art, photos, options.drawn), file)
            path.with_suffix(".part").rename(path)


if __name__ == "__main__":
    main()
