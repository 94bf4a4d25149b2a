"""Describes scenes of cards for `render`: faces as pictures, where cards, things, lamps and the camera stand.

    PYTHONPATH=. python -m models.traced.scenes --art art.npz --out DIR [--faces FILE] [--comet N] [--any N] [--tiles N]
                                                [--hexel N] [--hexdragon N] [--hexapod N] [--films] [--known]

So many printings of each game, with the photograph that teaches it, and so many pairs of pictures of other decks. With
``--films`` each printing comes with its teaching photograph and a film instead of photographs; with ``--known`` these
are the games' own printings, which need no teaching.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from models.drawing.art import Art
from models.drawing.comet.printings import plain_typefaces
from models.traced.any_decks import any_decks, tile_decks
from models.traced.comet import comet_deck
from models.traced.film import filmed, played_in_view
from models.traced.hexapod import hexapod_deck
from models.traced.hexdragon import hexdragon_deck
from models.traced.hexel import hexel_deck
from models.traced.studio import Described, Studio
from models.typefaces import kept


def main() -> None:
    """Describe and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--art", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--faces", type=Path, help="typefaces of models.typefaces; without them plain ones")
    parser.add_argument("--comet", type=int, default=0, help="Comet printings")
    parser.add_argument("--any", type=int, default=0, help="pairs of other decks")
    parser.add_argument("--tiles", type=int, default=0, help="pairs of hexagonal decks")
    parser.add_argument("--hexel", type=int, default=0, help="Hex'el printings")
    parser.add_argument("--hexdragon", type=int, default=0, help="HexDragon sets")
    parser.add_argument("--hexapod", type=int, default=0, help="Hexapod decks")
    parser.add_argument("--films", action="store_true", help="films of the games' printings")
    parser.add_argument("--known", action="store_true", help="the games' own printings")
    parser.add_argument("--begin", type=int, default=6_200_000)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    known = options.known
    studio = Studio(options.out, Art.read(options.art))
    faces = kept(options.faces)["held-out"] if options.faces else list(plain_typefaces())
    makers: tuple[tuple[int, Callable[[int], Iterator[Described]]], ...] = (
        (options.comet, lambda seed: comet_deck(seed, studio, faces, is_known=known)),
        (options.any, lambda seed: any_decks(seed, studio)),
        (options.tiles, lambda seed: tile_decks(seed, studio)),
        (options.hexel, lambda seed: hexel_deck(seed, studio, is_known=known)),
        (options.hexdragon, lambda seed: hexdragon_deck(seed, studio, is_known=known)),
        (options.hexapod, lambda seed: hexapod_deck(seed, studio, is_known=known)),
    )
    for number, (count, make) in enumerate(makers):
        begin = options.begin + 100_000 * number
        for seed in range(begin, begin + count):
            described = list(make(seed))
            _write(options.out, _with_film(options.out, seed, described) if options.films else described)


def _with_film(folder: Path, seed: int, described: Sequence[Described]) -> Iterator[Described]:
    """The teaching photograph of a printing, and the film of the first other that shows two cards whole."""
    teaching, *others = described
    scene = next((other for other in others if len(played_in_view(other)) > 1), None)
    if scene is None:
        raise ValueError(f"printing {seed}: no photograph shows two cards whole")
    pictures, film = filmed(scene, np.random.default_rng(seed))
    (folder / f"{film['name']}.film.json").write_text(json.dumps(film))
    yield from (teaching, *pictures)


def _write(folder: Path, described: Iterable[Described]) -> None:
    for one in described:
        (folder / f"{one['name']}.scene.json").write_text(json.dumps(one))


if __name__ == "__main__":
    main()
