"""Reads pictures made smaller, larger, nearer, noisier, darker, tilted and so on, step by step: right and wrong.

    python tests/bench/sweeps.py --scenes DIR --scorer score_read.py [--taught] [--game G] [--sweep noise] [--every N]
    python tests/bench/sweeps.py --drawn 40 --scorer score_read.py [--game G] [--keep DIR]

``--scenes`` holds a folder for each game with its pictures and ``truth.jsonl``, ``--scorer`` says how a reading is held
against it. For each step: the cards (of Hexapod the cells), the shares that are read right, unsure or missed, and
wrong or false; a card is wrong when anything stated of it is. At last, how far confidence can be trusted: what share of
what is stated at 0.9 or more is right, and the expected calibration error in ten bins. ``--drawn`` reads so many drawn
photographs as they are instead. ``--keep`` writes the pictures with something wrong, outlined.
"""

import argparse
import importlib.util
import itertools
import json
import multiprocessing
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from companion.games import GAMES
from companion.vision.detection.boards import NEIGHBOURS
from companion.vision.image.codec import load_picture
from models.drawing.comet.photograph import comet_photograph
from models.drawing.hexapod.photograph import photograph as hexapod_photograph
from models.drawing.hexdragon.photograph import hexdragon_photograph
from models.drawing.hexel.photograph import photograph

FIRST_SEED = 9_900_000
MOST_WRONG = 0.003
"""Steps with a larger share wrong are marked."""
DRAWN: dict[str, Callable[..., Any]] = {
    "hexel": photograph,
    "hexdragon": hexdragon_photograph,
    "comet": comet_photograph,
    "hexapod": hexapod_photograph,
}
Warped = tuple[np.ndarray, np.ndarray]
"""A picture and the homography (3, 3) to it from the picture that it was made of."""
STILL = np.eye(3)


def scaled(bgr: np.ndarray, factor: float) -> Warped:
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    shift = (factor - 1) / 2
    return cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=how), np.array(
        [[factor, 0, shift], [0, factor, shift], [0, 0, 1.0]]
    )


def at_megapixels(bgr: np.ndarray, megapixels: float) -> Warped:
    return scaled(bgr, float(np.sqrt(megapixels * 1e6 / (bgr.shape[0] * bgr.shape[1]))))


def close_up(bgr: np.ndarray, share: float, cards: list[np.ndarray]) -> Warped:
    """The part of the picture that a card takes up to such a share of the longer side, as many pixels as before.

    It is the card that is nearest to the picture's middle; the part does not reach beyond the picture.
    """
    h, w = bgr.shape[:2]
    card = min(cards, key=lambda one: np.linalg.norm(one.mean(0) - [w / 2, h / 2]))
    factor = share * max(h, w) / float(np.ptp(card, axis=0).max())
    if factor <= 1:
        return bgr, STILL
    left, top = (np.clip(card.mean(0) - np.array([w, h]) / factor / 2, 0, np.array([w, h]) * (1 - 1 / factor))).tolist()
    nearer = np.array([[factor, 0, -left * factor], [0, factor, -top * factor], [0, 0, 1.0]])
    return cv2.warpPerspective(bgr, nearer, (w, h), flags=cv2.INTER_CUBIC), nearer


def noisy(bgr: np.ndarray, sigma: float) -> Warped:
    grain = np.random.default_rng(1).normal(0, sigma, bgr.shape)
    return np.clip(bgr + grain, 0, 255).astype(np.uint8), STILL


def blurred(bgr: np.ndarray, sigma: float) -> Warped:
    return cv2.GaussianBlur(bgr, (0, 0), sigma), STILL


def exposed(bgr: np.ndarray, stops: float) -> Warped:
    linear = (bgr / 255.0) ** 2.2 * 2.0**stops
    return np.round(255 * np.clip(linear, 0, 1) ** (1 / 2.2)).astype(np.uint8), STILL


def saturated(bgr: np.ndarray, share: float) -> Warped:
    grey = cv2.cvtColor(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return cv2.addWeighted(bgr, share, grey, 1 - share, 0), STILL


def tinted(bgr: np.ndarray, warmth: float) -> Warped:
    gains = np.exp(warmth * np.array([-1.0, 0.0, 0.6]))
    return np.clip(bgr * gains, 0, 255).astype(np.uint8), STILL


def turned(bgr: np.ndarray, degrees: float) -> Warped:
    h, w = bgr.shape[:2]
    turn = np.vstack([cv2.getRotationMatrix2D((w / 2 - 0.5, h / 2 - 0.5), degrees, 1.0), [0, 0, 1]])
    return framed(bgr, turn)


def tilted(bgr: np.ndarray, degrees: float) -> Warped:
    """As a camera sees it that was tilted so much more, from as far."""
    h, w = bgr.shape[:2]
    focal, t = 0.9 * max(h, w), np.radians(degrees)
    camera = np.array([[focal, 0, w / 2], [0, focal, h / 2], [0, 0, 1.0]])
    plane = np.array([[1, 0, 0], [0, np.cos(t), 0], [0, np.sin(t), 1.0]])
    return framed(bgr, camera @ plane @ np.linalg.inv(camera))


def framed(bgr: np.ndarray, homography: np.ndarray) -> Warped:
    """The picture under a homography, as large as it takes to show all of it."""
    h, w = bgr.shape[:2]
    ends = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], float), homography)[0]
    low, high = np.floor(ends.min(0)), np.ceil(ends.max(0))
    moved = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ homography
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    return cv2.warpPerspective(bgr, moved, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE), moved


SWEEPS: dict[str, tuple[Callable[[np.ndarray, float], Warped], tuple[float, ...]]] = {
    "size": (scaled, (2.0, 1.0, 0.7, 0.5, 0.35, 0.25)),
    "megapixels": (at_megapixels, (0.3, 2.0, 5.0, 12.0)),
    "noise": (noisy, (5, 10, 20, 30, 45)),
    "blur": (blurred, (1.0, 2.0, 3.0, 4.5)),
    "exposure": (exposed, (-4, -3, -2, -1, 1, 1.7)),
    "saturation": (saturated, (0.6, 0.3, 0.1, 0.0)),
    "warmth": (tinted, (-1.3, -0.9, -0.6, -0.3, 0.3, 0.6, 0.9, 1.3)),
    "tilt": (tilted, (15, 30, 45, 55)),
    "rotation": (turned, (30, 75, 90, 135, 180)),
}
CLOSE_UP, SHARES = "close-up", (0.2, 0.3, 0.45, 0.6)
"""How much of the picture's longer side a card takes up: unlike the others it needs to know where the cards lie."""


LABELS = Path("enrol/labels.jsonl")
STEPS = {**{name: steps for name, (_, steps) in SWEEPS.items()}, CLOSE_UP: SHARES}


@dataclass(frozen=True, slots=True)
class Task:
    """A picture of a game and its printing, how it is changed, and who scores it."""

    game: str
    edition: str | None
    profile: Path | None
    sweep: str
    step: float
    path: Path | None
    truth: str
    scorer: Path
    keep: Path | None


@cache
def scorer_at(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("scorer", path)
    assert spec and spec.loader, f"{path} is no module"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def work(task: Task) -> tuple[str, str, float, Counter[str], list[tuple[float, bool]]]:
    """The counts of one picture at one step, and the confidence of each card with whether it is right."""
    cv2.setNumThreads(1)
    truth = json.loads(task.truth)
    if task.path is None:
        picture = DRAWN[task.game](np.random.default_rng(truth["seed"]), size=(1280, 720))
        bgr, truth = picture.bgr, {**picture.truth, "image": f"{task.game}-{truth['seed']}"}
    else:
        found = load_picture(task.path)
        assert found is not None, f"{task.path} is no picture"
        cards = [np.array(one["corners"]) for one in scorer_at(task.scorer).entries(truth, task.game)]
        if task.sweep == CLOSE_UP:
            bgr, homography = close_up(found, task.step, cards)
        else:
            bgr, homography = SWEEPS[task.sweep][0](found, task.step)
        truth = within(carried(truth, homography), bgr.shape[1], bgr.shape[0])
    reader = GAMES[task.game].recognizer()
    reading = reader.read(bgr, reader.classifier(task.edition, task.profile))
    counts, stated, bad = judged(truth, reading.as_json(), task.game, scorer_at(task.scorer))
    if bad and task.keep:
        image = bgr.copy()
        for corners in bad:
            cv2.polylines(image, [np.round(corners).astype(int)], True, (0, 0, 255), 3)
        cv2.imwrite(str(task.keep / f"{task.game}-{task.sweep}{task.step:g}-{Path(truth['image']).stem}.png"), image)
    return task.game, task.sweep, task.step, counts, stated


def carried(truth: dict[str, Any], homography: np.ndarray) -> dict[str, Any]:
    """The truth of a picture under a homography."""

    def moved(points: list[list[float]]) -> list[list[float]]:
        return cv2.perspectiveTransform(np.array([points], float), homography)[0].tolist()

    out = dict(truth)
    for name in ("cards", "loose", "tiles", "stars", "boards"):
        if name in truth:
            out[name] = [{**one, "corners": moved(one["corners"])} if "corners" in one else one for one in truth[name]]
    return {**out, "ignore": [moved(polygon) for polygon in truth.get("ignore") or []]}


def within(truth: dict[str, Any], width: int, height: int) -> dict[str, Any]:
    """The truth of a picture without what its frame cuts, which may be read or not.

    A Hex'el card that is left without neighbours may then be told in a cell or as a loose one.
    """
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    out, cut = dict(truth), []
    for name in ("cards", "loose", "tiles", "boards"):
        whole = []
        for one in truth.get(name) or []:
            corners = np.array(one["corners"], np.float32)
            shown = cv2.intersectConvexConvex(corners, frame)[0]
            is_whole = shown > 0.97 * abs(cv2.contourArea(corners))
            whole += [one] * is_whole
            cut += [one["corners"]] * (shown > 0 and not is_whole)
        if name in truth:
            out[name] = whole
    if truth["game"] == "hexel":
        cells = {tuple(one["cell"]) for one in out["cards"]}
        lone = [one for one in out["cards"] if not cells & {tuple(np.add(one["cell"], step)) for step in NEIGHBOURS}]
        out["cards"] = [{**one, "cell": None, "is_alone": True} if one in lone else one for one in out["cards"]]
    return {**out, "ignore": [*truth["ignore"], *cut]}


def judged(
    truth: dict[str, Any], told: dict[str, Any], game: str, scorer: ModuleType
) -> tuple[Counter[str], list[tuple[float, bool]], list[np.ndarray]]:
    """Counts of cards, or of a Hexapod table's cells; confidences of what is stated; outlines of what is wrong."""
    cards, seen = scorer.entries(truth, game), scorer.entries(told, game)
    there, outlines = ([scorer.poly(one["corners"]) for one in some] for some in (cards, seen))
    pairs, used = {}, set()
    near = (
        (scorer.iou(a, b), i, j)
        for (i, a), (j, b) in itertools.product(enumerate(there), enumerate(outlines))
        if np.linalg.norm(a.mean(0) - b.mean(0)) < np.ptp(a, axis=0).max()
    )
    for shared, i, j in sorted(near, reverse=True):
        if shared >= 0.6 and i not in pairs and j not in used:
            pairs[i] = j
            used.add(j)
    lattice = game in ("hexel", "hexdragon")
    laid = [(cards[i], seen[j]) for i, j in pairs.items() if not cards[i].get("is_alone")]
    naming = scorer.best_lattice(laid, game) if lattice else (0, (0, 0))
    is_doubted = any(w["code"] == "unsure" for w in told["warnings"])
    counts: Counter[str] = Counter()
    stated, bad = [], []
    for i, card in enumerate(cards):
        size = sum(map(len, card["cells"])) if game == "hexapod" else 1
        counts["cards"] += size
        if i not in pairs:
            counts["open"] += size
            continue
        one = {**seen[pairs[i]], "cell": None} if card.get("is_alone") else seen[pairs[i]]
        right, wrong, unsure = scorer.compare(card, scorer.turned(one, *naming) if lattice else one, game, is_doubted)
        if game != "hexapod":
            right, wrong, unsure = int(not wrong and not unsure), int(wrong > 0), int(not wrong and unsure > 0)
        counts += Counter(right=right, wrong=wrong, open=unsure)
        if right or wrong:
            stated.append((float(one["confidence"]), not wrong))
        if wrong:
            bad.append(there[i])
    for j, one in enumerate(seen):
        is_named = any(one.get(key) for key in ("edges", "kind", "values")) or any(map(any, one.get("cells") or []))
        hidden = any(
            scorer.overlap(outlines[j], scorer.poly(p)) > 0.3 * scorer.area(outlines[j]) for p in truth["ignore"]
        )
        if j not in used and is_named and not hidden and set(one.get("edges") or [1]) != {None}:
            counts["wrong"] += 1
            stated.append((float(one["confidence"]), False))
            bad.append(outlines[j])
    return counts, stated, bad


def taught(folder: Path, game: str, deck: str, profiles: Path) -> Path:
    """The file of the printing of a deck that a folder teaches."""
    labels = [json.loads(line) for line in (folder / LABELS).read_text().splitlines()]
    pictures = [(label["image"], load_picture(folder / LABELS.parent / label["image"])) for label in labels]
    file = profiles / f"{folder.name}.json"
    GAMES[game].recognizer().learn(deck, pictures, labels).write(file)
    return file


def tasks(a: argparse.Namespace, profiles: Path) -> Iterator[Task]:
    for game in a.game or list(GAMES):
        for seed in range(FIRST_SEED, FIRST_SEED + (a.drawn or 0)):
            yield Task(game, None, None, "drawn", 0.0, None, json.dumps({"seed": seed}), a.scorer, a.keep)
        for folder in sorted(a.scenes.iterdir()) if a.scenes else ():
            deck, _, printing = folder.name.partition("-")
            if deck.rstrip("0123456789") != game or not ((folder / LABELS).exists() if a.taught else printing == ""):
                continue
            edition = deck.removeprefix(game) or None
            profile = taught(folder, game, deck, profiles) if a.taught else None
            truths = (folder / "truth.jsonl").read_text().splitlines()[:: a.every]
            for sweep, steps in STEPS.items():
                for step, line in itertools.product(steps, truths) if sweep in (a.sweep or STEPS) else ():
                    path = folder / json.loads(line)["image"]
                    yield Task(game, edition, profile, sweep, step, path, line, a.scorer, a.keep)


def show(table: dict[tuple[str, str, float], Counter[str]], told: dict[str, list[tuple[float, bool]]]) -> None:
    """Print the shares of each game and step, and how far confidence can be trusted."""
    print(f"{'game':10} {'sweep':11} {'step':>6} {'cards':>7} {'right %':>8} {'open %':>8} {'wrong %':>8}")
    for (game, sweep, step), row in table.items():
        shares = "".join(f"{100 * row[key] / max(1, row['cards']):9.2f}" for key in ("right", "open", "wrong"))
        mark = "  <<" if row["wrong"] > MOST_WRONG * row["cards"] else ""
        print(f"{game:10} {sweep:11} {step:6g} {row['cards']:7}{shares}{mark}")
    for game, pairs in told.items():
        sure = [is_right for confidence, is_right in pairs if confidence >= 0.9]
        print(
            f"{game:10} stated at 0.9 or more: {len(sure)}, right {100 * np.mean(sure or [1]):.2f} %; "
            f"of all {len(pairs)}: {100 * np.mean([r for _, r in pairs] or [1]):.2f} %; "
            f"expected calibration error {calibration_error(pairs):.3f}"
        )


def calibration_error(pairs: list[tuple[float, bool]]) -> float:
    """How far confidence is from the share that is right, the mean over ten bins weighed by what is in them."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for confidence, is_right in pairs:
        bins[min(9, int(10 * confidence))].append((confidence, is_right))
    off = [len(some) * abs(np.mean([c for c, _ in some]) - np.mean([r for _, r in some])) for some in bins.values()]
    return float(sum(off) / max(1, len(pairs)))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--scenes", type=Path)
    ap.add_argument("--drawn", type=int)
    ap.add_argument("--scorer", type=Path, required=True)
    ap.add_argument("--game", choices=list(GAMES), action="append")
    ap.add_argument("--sweep", choices=list(STEPS), action="append")
    ap.add_argument("--every", type=int, default=1, help="one picture in so many")
    ap.add_argument("--keep", type=Path)
    ap.add_argument("--taught", action="store_true")
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    if a.keep:
        a.keep.mkdir(parents=True, exist_ok=True)
    table: dict[tuple[str, str, float], Counter[str]] = defaultdict(Counter)
    told: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as profiles, multiprocessing.Pool(a.jobs) as pool:
        for game, sweep, step, counts, stated in pool.imap(work, list(tasks(a, Path(profiles))), chunksize=4):
            table[game, sweep, step] += counts
            told[game] += stated
    show(table, told)


if __name__ == "__main__":
    main()
