"""Things over a table that nobody plays on: hands, cups, phones, shadows, lamps. Nothing may be placed.

    python tests/soak/occlusion.py [--frames 200] [--seed 1] [--games hexel,hexdragon,comet,hexapod] [--taught]

Each game's table is laid out by its simulator as it lies in the middle of a game and filmed; with ``--taught`` it is a
drawn one of a printing that one photograph taught. Over the pictures go things that the table's own hands do not bring.
For each game the cards that were known before, the frames and what was told are counted; exit status 1 when anything
but notices was told. A card that lies on the table from the start, and is told or read whole only now, counts apart, as
late.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.games import GAMES
from companion.games.comet.vision.enrolment import learn_comet
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.hexapod.vision.enrolment import learn_hexapod
from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.simulator.script import write_script
from companion.vision.tracking.tracks import SettleTimes
from models.drawing.comet.photograph import comet_photograph, teaching_photograph
from models.drawing.comet.printings import plain_typefaces
from models.drawing.comet.styles import STYLES, styled
from models.drawing.hexapod import photograph as hexapod
from models.drawing.hexapod import printings as insects
from models.drawing.hexapod.layouts import scene, showing_all
from models.drawing.hexdragon.layouts import teaching_table
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexdragon.printings import drawing_of
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph as hexel_photograph
from models.drawing.photograph import Photograph

STEP_S = 0.1
PICTURES = 10
"""So many pictures of a table are drawn and shown again and again: they differ by the camera's noise alone."""
NOISE = 1.5
"""Of the camera, in levels, where a table is drawn once."""
Picture = NDArray[np.uint8]
Point = NDArray[np.floating]


SKINS = ((118, 152, 214), (96, 132, 196), (62, 88, 140))
SHADE, LAMP = 0.5, 90.0
"""How much light a shadow takes, and how many levels a lamp adds where it shines most."""


class Nuisance:
    """Something over the table for a while: it comes in, rests, and goes."""

    def __init__(self, rng: np.random.Generator, size: tuple[int, int]) -> None:
        self._kind = str(rng.choice(("sleeve", "hand", "cup", "mug", "phone", "shadow", "lamp", "light")))
        self._lasts, self._age = int(rng.integers(4, 25)), 0
        width, height = size
        self._from = np.array([rng.uniform(0, width), height * rng.choice((-0.2, 1.2))])
        self._to = np.array([rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height])
        self._width = rng.uniform(0.05, 0.2) * width
        self._inks = rng.integers(0, 255, (2, 3)).tolist()
        self._skin = SKINS[int(rng.integers(len(SKINS)))]
        self._angle, self._fingers = float(rng.uniform(0, 180)), rng.uniform(0.5, 1.0, 5)
        self._gain = float(rng.choice((0.55, 0.7, 1.25, 1.4)))

    @property
    def is_over(self) -> bool:
        """Whether it has gone."""
        return self._age > self._lasts

    def over(self, bgr: Picture) -> Picture:
        """The picture with it, one frame on."""
        self._age += 1
        near = min(1.0, 4 * self._age / self._lasts, 4 * (self._lasts - self._age + 1) / self._lasts)
        at = self._from + near * (self._to - self._from)
        if self._kind == "light":
            return _seen(bgr * self._gain)
        if self._kind in ("shadow", "lamp"):
            where = np.zeros(bgr.shape[:2], np.uint8)
            if self._kind == "shadow":
                self._arm(where, at, 255)
                return _seen(bgr * (1 - SHADE * _soft(where, 15)))
            cv2.circle(where, _pixel(at), int(self._width), 255, -1)
            return _seen(bgr + LAMP * near * _soft(where, self._width / 3))
        drawn = bgr.copy()
        {"sleeve": self._sleeve, "hand": self._hand, "phone": self._phone}.get(self._kind, self._cup)(drawn, at)
        return drawn

    def _arm(self, drawn: Picture, at: Point, ink: Any) -> None:
        cv2.line(drawn, _pixel(self._from), _pixel(at), ink, int(self._width), cv2.LINE_AA)

    def _sleeve(self, drawn: Picture, at: Point) -> None:
        self._arm(drawn, at, self._inks[0])

    def _cup(self, drawn: Picture, at: Point) -> None:
        """A cup, and with a rim, what is in it and a handle a mug."""
        radius = int(self._width / 2)
        if self._kind == "mug":
            handle = at + 1.1 * radius * np.array([np.cos(self._angle), np.sin(self._angle)])
            cv2.circle(drawn, _pixel(handle), radius // 3, self._inks[0], max(2, radius // 8), cv2.LINE_AA)
        cv2.circle(drawn, _pixel(at), radius, self._inks[0], -1, cv2.LINE_AA)
        if self._kind == "mug":
            cv2.circle(drawn, _pixel(at), int(0.85 * radius), self._inks[1], -1, cv2.LINE_AA)

    def _phone(self, drawn: Picture, at: Point) -> None:
        """A phone whose screen shows a picture and a bar of another colour."""
        along = np.array([-np.sin(np.radians(self._angle)), np.cos(np.radians(self._angle))])
        body = np.array([1.0, 2.0]) * self._width
        parts = ((0.0, body, (30, 28, 26)), (0.0, 0.9 * body, self._inks[0]), (0.35, body * (0.8, 0.2), self._inks[1]))
        for off, size, ink in parts:
            corners = cv2.boxPoints((_pixel(at + off * body[1] * along), size.tolist(), self._angle))
            cv2.fillConvexPoly(drawn, np.round(corners).astype(np.int32), ink, cv2.LINE_AA)

    def _hand(self, drawn: Picture, at: Point) -> None:
        """An arm in a sleeve, a palm and five fingers."""
        self._arm(drawn, at, self._inks[0])
        towards = (at - self._from) / max(1.0, float(np.linalg.norm(at - self._from)))
        palm = at + 0.4 * self._width * towards
        cv2.circle(drawn, _pixel(palm), int(0.55 * self._width), self._skin, -1, cv2.LINE_AA)
        for angle, length in zip(np.radians((-60, -20, 0, 18, 36)), self._fingers, strict=True):
            turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ towards
            tip = palm + (0.4 + length) * self._width * turned
            cv2.line(drawn, _pixel(palm), _pixel(tip), self._skin, max(2, int(0.22 * self._width)), cv2.LINE_AA)


def _seen(levels: NDArray[np.floating]) -> Picture:
    return np.asarray(np.clip(levels, 0, 255), np.uint8)


def _soft(mask: Picture, sigma: float) -> NDArray[np.floating]:
    return cv2.GaussianBlur(mask, (0, 0), sigma)[..., None] / 255.0


def _pixel(at: Point) -> tuple[int, int]:
    return int(at[0]), int(at[1])


@dataclass(frozen=True)
class IdleTable:
    """A table on which nobody plays.

    Attributes:
        classifier: of its printing; None for the known one.
        film: pictures of it.
        outlines: what lies there (K, 2), where the table may not be read as a whole.
    """

    classifier: Any
    film: list[Picture]
    outlines: list[NDArray[np.float32]]


TaughtTable = tuple[Any, Photograph]
"""A game's classifier, and a photograph of a table of its printing."""
SIZE = (1280, 720)
HARDNESS = 0.25
"""A camera that stands over a table in a lit room."""
TEACHINGS = 8
"""So many printings are tried until a photograph of one is accepted."""


def taught_table(game: str, rng: np.random.Generator) -> TaughtTable:
    """A game's table of a printing that one photograph taught; printings whose photograph is refused are left out."""
    for _ in range(TEACHINGS):
        try:
            return _TABLES[game](rng)
        except UsageError:
            continue
    raise RuntimeError(f"no photograph of {TEACHINGS} printings of {game} was accepted")


def _comet(rng: np.random.Generator) -> TaughtTable:
    look = styled(list(plain_typefaces()), rng, str(rng.choice(sorted(STYLES))))
    shown = teaching_photograph(rng, look, SIZE)
    in_order = sorted(shown.truth["cards"], key=lambda card: float(np.mean(card["corners"], axis=0)[0]))
    label = {"cards": [{"values": card["printed"]} for card in in_order]}
    classifier = TaughtNumerals(learn_comet("comet", [("taught", shown.bgr)], [label]))
    count = int(rng.integers(4, 15))
    return classifier, comet_photograph(rng, size=SIZE, printing=look, count=count, hardness=HARDNESS)


def _hexel(rng: np.random.Generator) -> TaughtTable:
    edition = str(rng.choice(sorted(SYMBOLS)))
    look, faces = invented(SYMBOLS[edition], rng), {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS[edition])}
    shown = hexel_photograph(rng, edition=edition, printing=look, faces=faces, hardness=0.0)
    label = {"image": "taught", "cards": shown.truth["cards"]}
    classifier = FewShotSymbols(learn_hexel(f"hexel{edition}", [("taught", shown.bgr)], [label]))
    cards = int(rng.integers(4, 16))
    return classifier, hexel_photograph(rng, edition=edition, printing=look, cards=cards, hardness=HARDNESS)


def _hexdragon(rng: np.random.Generator) -> TaughtTable:
    look = drawing_of("invented", rng)
    shown = hexdragon_photograph(rng, printing=look, table=teaching_table(rng), hardness=0.0)
    label = {"image": "taught", "tiles": shown.truth["tiles"]}
    classifier = FewShotTiles(learn_hexdragon("hexdragon", [("taught", shown.bgr)], [label]))
    return classifier, hexdragon_photograph(rng, printing=look, hardness=HARDNESS)


def _hexapod(rng: np.random.Generator) -> TaughtTable:
    look = insects.invented(rng)
    shown = hexapod.photograph(rng, printing=look, laid=showing_all(rng), hardness=HARDNESS)
    board = shown.truth["boards"][0]
    label = {"boards": [{"cells": board["laid"], "corners": board["corners"]}]}
    profile = learn_hexapod("hexapod", [("taught", shown.bgr)], [label], trust_names=True)
    table = hexapod.photograph(rng, printing=look, laid=scene(rng, grid=(5, 5)), hardness=HARDNESS)
    return profile.classifier(), table


_TABLES: dict[str, Callable[[np.random.Generator], TaughtTable]] = {
    "comet": _comet,
    "hexel": _hexel,
    "hexdragon": _hexdragon,
    "hexapod": _hexapod,
}


def laid_out(game: str, rng: np.random.Generator) -> IdleTable:
    """A table of the known printing in the middle of a game."""
    demo = GAMES[game].demo()
    script = write_script(demo.header, demo.player(demo.header, int(rng.integers(0, 1000))))
    tabletop = demo.tabletop(script, int(rng.integers(0, 10**6)))
    tabletop.lay_out(int(len(script.commands) * rng.uniform(0.3, 0.8)))
    return IdleTable(None, [tabletop.next(STEP_S).bgr for _ in range(PICTURES)], [])


def taught(game: str, rng: np.random.Generator) -> IdleTable:
    """A table of a printing that was taught."""
    classifier, shown = taught_table(game, rng)
    film = [_seen(shown.bgr + rng.normal(0, NOISE, shown.bgr.shape)) for _ in range(PICTURES)]
    lying = [one for kind in ("cards", "loose", "tiles", "stars", "boards") for one in shown.truth.get(kind, [])]
    return IdleTable(classifier, film, [np.array(one["corners"], np.float32) for one in lying])


def name_of(event: dict[str, Any], lying: list[NDArray[np.float32]], known: Sequence[Any]) -> str:
    """What an event counts as, a notice by its code: a card told where one lies, and none was read whole, is late."""
    if event["event"] in ("placed", "moved") and event.get("corners"):
        at = np.mean(event["corners"], axis=0).tolist()
        is_told_whole = event["event"] == "moved"
        there = [one.corners for one in known if not (is_told_whole and None in getattr(one, "edges", ()))]
        if is_within(at, lying) and not is_within(at, there):
            return "late"
    return str(event.get("code", event["event"]))


def is_within(at: list[float], outlines: Sequence[NDArray[np.floating]]) -> bool:
    """Whether a point of the picture lies within one of the outlines (K, 2)."""
    return any(cv2.pointPolygonTest(np.asarray(outline, np.float32), (at[0], at[1]), False) > 0 for outline in outlines)


def watched(game: str, frames: int, seed: int, lay: Callable[..., IdleTable]) -> tuple[Counter[str], float]:
    """What is told of so many frames, by its event, and the frames a second."""
    rng = np.random.default_rng(seed)
    told: Counter[str] = Counter()
    busy_s, seen = 0.0, 0
    while seen < frames:
        table = lay(game, rng)
        tracker, film = GAMES[game].recognizer().tracker(table.classifier, SettleTimes()), table.film
        for bgr in film:
            tracker.step(bgr)
        told["known"] += len(tracker.cards or ())
        over: list[Nuisance] = []
        for number in range(min(200, frames - seen)):
            bgr = film[number % PICTURES]
            if rng.random() < 0.12 and len(over) < 2 and number < 180:
                over.append(Nuisance(rng, (bgr.shape[1], bgr.shape[0])))
            for each in over:
                bgr = each.over(bgr)
            over = [each for each in over if not each.is_over]
            known = tracker.cards or ()
            begun = perf_counter()
            events = tracker.step(bgr)
            busy_s += perf_counter() - begun
            told.update(name_of(one, table.outlines, known) for one in events)
            seen += 1
    return told, seen / busy_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=200, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--taught", action="store_true", help="printings that one photograph taught")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    false = 0
    for game in given.games.split(","):
        told, rate = watched(game, given.frames, given.seed, taught if given.taught else laid_out)
        known = told.pop("known")
        events = sum(told[event] for event in ("placed", "removed", "moved"))
        false += events
        others = ", ".join(f"{number} {event}" for event, number in sorted(told.items())) or "nothing told"
        print(f"{game:10} {given.frames} frames over {known} cards: {events} false events; {others}", flush=True)
        print(f"{'':10} {rate:.0f} frames a second", flush=True)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
