"""Watches path-traced films of printings taught from one photograph each: told once, by their names, when, how late.

    python -m models.traced.scenes --films --art art.npz --faces typefaces.npz --begin 6700000 \\
        --comet 2 --hexel 3 --hexdragon 3 --hexapod 3 --out DIR
    python models/traced/render.py DIR/*.scene.json        # with bpy, see models/README.md
    PYTHONPATH=. python tests/bench/traced_watch.py DIR [--only GAME] [--takes] [--known] [--keep DIR]

Prints what `watch_takes` prints, and of the placements how many were named right, wrong and unsure; delays count from
the frame in which the hand has gone. With ``--keep`` the films are written as videos, with the events on them.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import comet_traced
import cv2
import numpy as np
import traced_learn
from watch_takes import FPS, Event, Film, Score, Take, line_of, watch_film

from companion.errors import UsageError
from companion.games import GAMES
from models.traced.shards import filmed_frame, is_rendered, rendered

Entry = dict[str, Any]
SIDES = 6
SAME = ("as-filmed", "flicker", "dimmed", "dropped", "hung", "fan", "drumming", "head", "dealing", "trembling-0.7")
"""Takes of which each event is the film's."""


def deck_of(game: str, told: Entry) -> str:
    return f"hexel{told['edition']}" if game == "hexel" else game


def classifier(game: str, teaching: Path) -> Any:
    """Of the printing that a photograph teaches. Raises `UsageError` where it is refused."""
    one, rng = rendered(teaching), np.random.default_rng(int(teaching.name.split("-")[0]))
    if game == "comet":
        picture, cards = comet_traced.opened(teaching)
        label = comet_traced.labels_of(cards, rng, True)
    else:
        picture, label = one.picture, traced_learn.label_of(traced_learn.GAMES[game].truth(one), rng)
    recognizer = GAMES[game].recognizer()
    profile = recognizer.learn(deck_of(game, one.told), [("teach", picture)], [label], trust_names=True)
    assert recognizer.teaching is not None
    return recognizer.teaching.classifier(profile)


def opened(path: Path, game: str) -> tuple[Film, list[Entry]]:
    """A film, and of each of its events the card."""
    told, folder = json.loads(path.read_text()), path.parent
    all_lie = json.loads((folder / f"{told['all']}.scene.json").read_text())
    corners = json.loads((folder / f"{told['all']}.corners.json").read_text())
    events = []
    for one in told["events"]:
        times = [float(one[k]) for k in ("hand_in", "still", "hand_gone", "hand_gone")]
        events.append(Event(one["event"], (np.array(corners[one["card"]], np.float32),), *times))
    pictures = [filmed_frame(folder / f"{name}.png", told["name"], k) for k, name in enumerate(told["frames"])]
    return Film(game, pictures, events), [all_lie["cards"][one["card"]] for one in told["events"]]


def verdict(game: str, card: Entry, report: Entry) -> str:
    """Whether a placement was named right, wrong or not surely."""
    meant, told = NAMES[game](card, report)
    if told is None:
        return "unsure"
    return "right" if told in meant else "wrong"


def _hexel(card: Entry, report: Entry) -> tuple[list[Any], Any]:
    return _turned(card["edges"]), None if None in report["edges"] else list(report["edges"])


def _comet(card: Entry, report: Entry) -> tuple[list[Any], Any]:
    values = report["values"]
    meant = None if card["values"] is None else sorted(card["values"])
    if values is None:
        return [meant == values], True
    return [meant], None if None in values else sorted(values)


def _hexdragon(card: Entry, report: Entry) -> tuple[list[Any], Any]:
    face = card["face"]
    if face["kind"] == "star" or report["kind"] == "star":
        told = (report["kind"], report["owner"])
        return [(face["kind"], card["owner"])], None if None in told else told
    pairs = [frozenset(frozenset((end + turn) % SIDES for end in path) for path in face["paths"]) for turn in range(6)]
    is_sure = report["kind"] is not None and None not in report["paths"]
    is_sure = is_sure and (report["owner"] is not None or report["kind"] != "head")
    if not is_sure:
        return [], None
    told = (report["kind"], report["owner"], frozenset(frozenset(path) for path in report["paths"]))
    return [(face["kind"], card["owner"], paths) for paths in pairs], told


def _hexapod(card: Entry, report: Entry) -> tuple[list[Any], Any]:
    cells = report.get("cells")
    turned = [np.rot90(np.array(card["cells"], object), turn).tolist() for turn in range(4)]
    is_sure = cells is not None and all(one is not None for line in cells for one in line)
    return turned, [list(line) for line in cells] if is_sure else None


def _turned(edges: Sequence[str]) -> list[list[str]]:
    return [[*edges[turn:], *edges[:turn]] for turn in range(len(edges))]


NAMES: dict[str, Callable[[Entry, Entry], tuple[list[Any], Any]]] = {
    "hexel": _hexel,
    "comet": _comet,
    "hexdragon": _hexdragon,
    "hexapod": _hexapod,
}


def keep(path: Path, take: Take, score: Score) -> None:
    """The film as a video, with what was told of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width = take.frames[0][1]().shape[:2]
    video = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), FPS, (width, height))
    for at_s, shown in take.frames:
        picture = shown()
        for told_s, one in score.reports:
            if told_s <= at_s < told_s + 1.0:
                cv2.polylines(picture, [np.int32(one["corners"])], True, (0, 0, 255), 2)
        video.write(picture)
    video.release()


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path)
    ap.add_argument("--only", choices=list(GAMES))
    ap.add_argument("--known", action="store_true", help="the games' own printings are filmed: nothing is taught")
    ap.add_argument("--takes", action="store_true", help="as other takes too, as `watch_takes` makes them")
    ap.add_argument("--keep", type=Path)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    print("game      film           placed rem false early rep  delay s median, worst  ms a frame", flush=True)
    total: dict[str, Counter[str]] = {}
    for path in sorted(a.folder.glob("*.film.json")):
        teaching = path.with_name(path.name.split("-")[0] + "-teach.scene.json")
        told = json.loads(teaching.read_text())
        game = "comet" if "values" in told["cards"][0] else traced_learn.game_of(told)
        names = [teaching, *(path.with_name(f"{name}.scene.json") for name in json.loads(path.read_text())["frames"])]
        if a.only not in (None, game) or not all(map(is_rendered, names)):
            continue
        film, cards = opened(path, game)
        counts = total.setdefault(game, Counter())
        try:
            taught = None if a.known else classifier(game, teaching)
        except UsageError as error:
            counts["refused"] += 1
            print(f"{game:<10}{path.name.split('-')[0]} {error}", flush=True)
            continue
        for name, take, score in watch_film(film, game, None if a.takes else ("as-filmed",), taught):
            named = {k: one for k, (_, one) in score.paired.items() if take.events[k].kind == "placed"}
            verdicts = Counter(verdict(game, cards[k], one) for k, one in named.items()) if name in SAME else Counter()
            counts += verdicts + Counter(false=len(score.false), early=score.early, repeated=score.repeated)
            counts += Counter(
                placed=score.placed[1], told=score.placed[0], taken=score.removed[1], removed=score.removed[0]
            )
            seed = path.name.split("-")[0]
            print(line_of(game, f"{seed}{name if a.takes else '':>15}", score), dict(verdicts), flush=True)
            if a.keep:
                keep(a.keep / f"{seed}-{name}.mp4", take, score)
    for game, counts in total.items():
        print(game, dict(counts))


if __name__ == "__main__":
    main()
