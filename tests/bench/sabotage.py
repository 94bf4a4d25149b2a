"""Teaches printings from photographs and labels that are wrong in many ways, and says what became of each.

    PYTHONPATH=. python tests/bench/sabotage.py [--game hexel] [--printings 5] [--pictures 2] [--first-seed 9800000]

A row is one kind of wrong. Its photographs are either refused, with a code, or learnt: then other photographs of the
printing are read by the profile, and their symbols, tiles or cells counted as right or wrong; the rest is left open.
The printings are invented ones, or, where names of colours are swapped, others that are printed in those colours.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import comet_learn
import comet_set
import cv2
import hexapod_set
import hexdragon_learn
import hexdragon_set
import hexel_set
import numpy as np

from companion.errors import UsageError
from companion.games import GAMES
from companion.games.hexel.deck import SYMBOLS
from companion.vision.enrolment.profile import Profile
from models.drawing.comet.photograph import comet_photograph, teaching_photograph
from models.drawing.comet.printings import plain_typefaces
from models.drawing.comet.styles import styled
from models.drawing.hexapod import layouts as cases
from models.drawing.hexapod import printings as insects
from models.drawing.hexapod.photograph import photograph as hexapod_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph as hexel_photograph
from models.drawing.photograph import Photograph

Picture = np.ndarray
Label = dict[str, Any]
Rng = np.random.Generator


class Hexel:
    """The deck of 36."""

    game, deck, part, swapped = "hexel", "hexel36", "cards", ("red", "blue")

    def look(self, rng: Rng, usual: bool) -> Any:
        return "reference" if usual else invented(SYMBOLS["36"], rng)

    def taught(self, rng: Rng, look: Any) -> tuple[Picture, Label]:
        faces = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS["36"])}
        picture = hexel_photograph(rng, printing=look, faces=faces, hardness=0.0)
        return picture.bgr, {"cards": picture.truth["cards"]}

    def played(self, rng: Rng, look: Any) -> Photograph:
        return hexel_photograph(rng, printing=look, cards=int(rng.integers(4, 12)))

    def judged(self, picture: Photograph, reading: Any) -> tuple[int, int, int]:
        counts, _ = hexel_set.judged(picture.truth, reading)
        return counts["cards"], counts["right"], counts["wrong"]

    def renamed(self, label: Label, names: Mapping[str, str | None]) -> Label:
        return {"cards": [{**card, "edges": [names.get(e, e) for e in card["edges"]]} for card in label["cards"]]}

    def without(self, label: Label, name: str) -> Label:
        return {"cards": [card for card in label["cards"] if name not in card["edges"]]}


class HexDragon:
    """All four colours."""

    game, deck, part, swapped = "hexdragon", "hexdragon", "tiles", ("red", "blue")

    def look(self, rng: Rng, usual: bool) -> Any:
        return drawing_of("reference" if usual else "invented", rng)

    def taught(self, rng: Rng, look: Any) -> tuple[Picture, Label]:
        picture = hexdragon_learn.taught(look, rng)
        return picture.bgr, {"tiles": picture.truth["tiles"]}

    def played(self, rng: Rng, look: Any) -> Photograph:
        return hexdragon_photograph(rng, printing=look)

    def judged(self, picture: Photograph, reading: Any) -> tuple[int, int, int]:
        counts, _ = hexdragon_set.judged(picture.truth, reading.as_json(), True)
        return counts["tiles"], counts["right"], counts["wrong"]

    def renamed(self, label: Label, names: Mapping[str, str | None]) -> Label:
        return {"tiles": [{**tile, "owner": names.get(tile["owner"], tile["owner"])} for tile in label["tiles"]]}

    def without(self, label: Label, name: str) -> Label:
        return {"tiles": [tile for tile in label["tiles"] if tile["owner"] != name]}


class Hexapod:
    """Cases of 5 x 5."""

    game, deck, part, swapped = "hexapod", "hexapod", "boards", ("blue", "green")

    def look(self, rng: Rng, usual: bool) -> Any:
        return insects.varied(rng) if usual else insects.invented(rng)

    def taught(self, rng: Rng, look: Any) -> tuple[Picture, Label]:
        while True:
            picture = hexapod_photograph(rng, printing=look, laid=cases.showing_all(rng), hardness=0.35)
            board = picture.truth["boards"][0]
            if not any(share > 0.1 for row in board["covered"] for share in row):
                return picture.bgr, {"boards": [{"cells": board["laid"], "corners": board["corners"]}]}

    def played(self, rng: Rng, look: Any) -> Photograph:
        return hexapod_photograph(rng, printing=look, laid=cases.scene(rng, grid=(5, 5)))

    def judged(self, picture: Photograph, reading: Any) -> tuple[int, int, int]:
        counts, _ = hexapod_set.judged(picture.truth, reading)
        return counts["cells"], counts["right"], counts["wrong"]

    def renamed(self, label: Label, names: Mapping[str, str | None]) -> Label:
        return {
            "boards": [
                {**board, "cells": [[names.get(kind, kind) for kind in row] for row in board["cells"]]}
                for board in label["boards"]
            ]
        }

    def without(self, label: Label, name: str) -> Label:
        return self.renamed(label, {name: "any"})


class Comet:
    """Numbers anywhere on the card."""

    game, deck, part, swapped = "comet", "comet", "cards", (3, 8)

    def look(self, rng: Rng, usual: bool) -> Any:
        return styled(list(plain_typefaces()), rng)

    def taught(self, rng: Rng, look: Any) -> tuple[Picture, Label]:
        while True:
            picture = teaching_photograph(rng, look, (1280, 720))
            if not comet_learn.has_hand(picture):
                return picture.bgr, comet_learn.labels_of(picture, look, rng, True)

    def played(self, rng: Rng, look: Any) -> Photograph:
        return comet_photograph(rng, printing=look, count=int(rng.integers(3, 9)))

    def judged(self, picture: Photograph, reading: Any) -> tuple[int, int, int]:
        counts, _ = comet_set.judged(picture, reading)
        return counts["cards"], counts["right"], counts["wrong"]

    def renamed(self, label: Label, names: Mapping[Any, Any]) -> Label:
        return {
            "cards": [
                card if card["values"] is None else {**card, "values": [names.get(v, v) for v in card["values"]]}
                for card in label["cards"]
            ]
        }

    def without(self, label: Label, name: Any) -> Label:
        return {"cards": [card for card in label["cards"] if name not in (card["values"] or ())]}


Game = Hexel | HexDragon | Hexapod | Comet
GAMES_TAUGHT: tuple[Game, ...] = (Hexel(), HexDragon(), Hexapod(), Comet())


def reread(game: Game, picture: Photograph, profile: Profile) -> Any:
    """A photograph read by a profile."""
    recognizer = GAMES[game.game].recognizer()
    assert recognizer.teaching is not None
    return recognizer.read(picture.bgr, recognizer.teaching.classifier(profile))


Wrong = Callable[[Game, Rng, Picture, Label], tuple[Picture, Label]]


def moved_label(game: Game, label: Label, change: Callable[[Picture], Picture]) -> Label:
    """The label, all its corners (K, 2) changed alike."""
    return {game.part: [{**card, "corners": change(np.array(card["corners"])).tolist()} for card in label[game.part]]}


def warped(game: Game, picture: Picture, label: Label, matrix: Picture) -> tuple[Picture, Label]:
    h, w = picture.shape[:2]
    bent = cv2.warpAffine(picture, matrix, (w, h), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT)
    return bent, moved_label(game, label, lambda at: at @ matrix[:, :2].T + matrix[:, 2])


def side_px(game: Game, label: Label) -> float:
    corners = np.array(label[game.part][0]["corners"])
    return float(np.linalg.norm(corners[0] - corners[1]))


def levels(change: Callable[[Picture], Picture]) -> Wrong:
    """What is done to the picture alone."""
    return lambda game, rng, picture, label: (
        np.clip(change(picture.astype(np.float32)), 0, 255).astype(np.uint8),
        label,
    )


def squeezed(across: float, down: float) -> Wrong:
    """The picture seen from aside, or from afar."""

    def wrong(game: Game, rng: Rng, picture: Picture, label: Label) -> tuple[Picture, Label]:
        h, w = picture.shape[:2]
        matrix = np.array([[across, 0, w * (1 - across) / 2], [0, down, h * (1 - down) / 2]])
        return warped(game, picture, label, matrix)

    return wrong


def blurred(game: Game, rng: Rng, picture: Picture, label: Label) -> tuple[Picture, Label]:
    side = side_px(game, label) / (5 if game.game == "hexapod" else 1)
    return cv2.GaussianBlur(picture, (0, 0), 0.12 * side), label


def corners_off(game: Game, rng: Rng, picture: Picture, label: Label) -> tuple[Picture, Label]:
    away = 1.3 * side_px(game, label)
    return picture, moved_label(game, label, lambda at: at + np.array([away, 0.6 * away]))


def twice(game: Game, rng: Rng, picture: Picture, label: Label) -> tuple[Picture, Label]:
    return picture, {game.part: [*label[game.part], label[game.part][-1]]}


def swapped(game: Game, rng: Rng, picture: Picture, label: Label) -> tuple[Picture, Label]:
    a, b = game.swapped
    return picture, game.renamed(label, {a: b, b: a})


WRONGS: dict[str, Wrong] = {
    "nothing": lambda game, rng, picture, label: (picture, label),
    "noise": lambda game, rng, picture, label: (
        np.clip(picture + rng.normal(0, 60, picture.shape), 0, 255).astype(np.uint8),
        label,
    ),
    "blurred": blurred,
    "dark": levels(lambda p: p * 0.08),
    "burnt out": levels(lambda p: p * 6.0),
    "grey": levels(lambda p: np.repeat(p.mean(-1, keepdims=True), 3, axis=-1)),
    "steep": squeezed(1.0, 0.28),
    "small": squeezed(0.12, 0.12),
    "corners far off": corners_off,
    "labels swapped": swapped,
    "unknown name": lambda game, rng, picture, label: (picture, game.renamed(label, {game.swapped[0]: "pink"})),
    "class missing": lambda game, rng, picture, label: (picture, game.without(label, game.swapped[0])),
    "same card twice": twice,
}


def attempt(game: Game, rng: Rng, name: str, pictures: int) -> tuple[str, Counter[str]]:
    """What became of one printing: the code it was refused with, or nothing, and what was read."""
    recognizer = GAMES[game.game].recognizer()
    look = game.look(rng, name == "labels swapped")
    lessons = [game.taught(rng, look)]
    if name == "one of two swapped":
        lessons.append(swapped(game, rng, *game.taught(rng, look)))
    elif name == "another game":
        other = HexDragon() if game.game != "hexdragon" else Hexapod()
        lessons = [(other.taught(rng, other.look(rng, True))[0], lessons[0][1])]
    elif name != "another printing":
        lessons = [WRONGS[name](game, rng, *lessons[0])]
    try:
        profile = recognizer.learn(
            game.deck, [(f"{i}.png", p) for i, (p, _) in enumerate(lessons)], [label for _, label in lessons]
        )
    except UsageError as error:
        return error.code, Counter()
    read = game.look(rng, False) if name == "another printing" else look
    shown = [game.played(rng, read) for _ in range(pictures)]
    told = [game.judged(picture, reread(game, picture, profile)) for picture in shown]
    return "", Counter({key: sum(t[i] for t in told) for i, key in enumerate(("all", "right", "wrong"))})


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--game", choices=[one.game for one in GAMES_TAUGHT])
    ap.add_argument("--row", action="append", help="only these rows")
    ap.add_argument("--printings", type=int, default=5)
    ap.add_argument("--pictures", type=int, default=2)
    ap.add_argument("--first-seed", type=int, default=9_800_000)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    rows = a.row or [*WRONGS, "one of two swapped", "another game", "another printing"]
    print(f"{'game':10} {'what is wrong':20} {'refused':>8} {'right %':>8} {'wrong %':>8}  codes")
    for game in GAMES_TAUGHT:
        for name in rows if a.game in (None, game.game) else ():
            codes: Counter[str] = Counter()
            counts: Counter[str] = Counter()
            for seed in range(a.first_seed, a.first_seed + a.printings):
                code, told = attempt(game, np.random.default_rng(seed), name, a.pictures)
                codes[code] += 1
                counts += told
            refused = a.printings - codes.pop("", 0)
            share = [
                f"{100 * counts[key] / counts['all']:8.2f}" if counts["all"] else " " * 8 for key in ("right", "wrong")
            ]
            print(f"{game.game:10} {name:20} {refused:4}/{a.printings:<3} {' '.join(share)}  {dict(codes)}", flush=True)


if __name__ == "__main__":
    main()
