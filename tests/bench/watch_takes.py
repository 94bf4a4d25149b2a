"""Watches other takes of filmed sequences and compares with the truth: reported once, when at rest, how late.

    python tests/bench/watch_takes.py FOLDER [--game comet] [--take bump two-hands ...]

FOLDER holds ``watch-GAME`` with ``frames/NNNN.jpg`` at ten a second, ``events.jsonl`` and ``notes.json``, and may hold
``GAME`` or ``GAMEnn`` with stills of other tables. Prints a line for each game and take: placements and removals
reported of those filmed, false, early and repeated reports, delay in seconds after the card is free (median, worst);
and where the table as it first settles is another than that of the film as filmed.
"""

import argparse
import json
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import GAMES
from companion.vision.results import DetectedCard
from companion.vision.tracking.tracks import SettleTimes
from models.drawing.people import PEOPLE, Visitor, visitor

Picture = NDArray[np.uint8]
FPS = 10.0
TIMES = ("hand_in", "still", "frame", "hand_gone")
WANTED = ("placed", "removed", "moved")
SAME_PLACE = 0.6


@dataclass(frozen=True)
class Event:
    """One change of the table: what kind, the outlines it may be reported with, and its times in seconds."""

    kind: str
    outlines: tuple[NDArray[np.float32], ...]
    hand_in: float
    still: float
    frame: float
    hand_gone: float


@dataclass(frozen=True)
class Take:
    """Frames with their times, and what happens in them."""

    frames: Sequence[tuple[float, Callable[[], Picture]]]
    events: Sequence[Event]


@dataclass
class Film:
    """A filmed sequence."""

    game: str
    pictures: list[Picture]
    events: list[Event]
    stills: list[Path] = field(default_factory=list)

    def take(self, order: Sequence[int], times_s: Sequence[float] | None = None) -> Take:
        """The frames in another order, which never goes back, at other times."""
        at_s = [i / FPS for i in range(len(order))] if times_s is None else times_s

        def first(k: float) -> float:
            return next((t for t, o in zip(at_s, order, strict=True) if o >= k), at_s[-1])

        def last(k: float) -> float:
            return max((t for t, o in zip(at_s, order, strict=True) if o <= k), default=0.0)

        moved = [
            replace(
                e, hand_in=last(e.hand_in), still=first(e.still), frame=first(e.frame), hand_gone=first(e.hand_gone)
            )
            for e in self.events
        ]
        unseen = [(e, other) for e in moved for other in moved if _is_undone(e, other)]
        shown = [e for e in moved if not any(e is one or _is_undoing(e, one, other) for one, other in unseen)]
        return Take([(t, self._picture(k)) for t, k in zip(at_s, order, strict=True)], shown)

    def _picture(self, k: int) -> Callable[[], Picture]:
        return lambda: self.pictures[k]


def _is_undone(event: Event, after: Event) -> bool:
    """Whether another event begins at the same place before a frame shows the first."""
    return event.frame < after.frame and after.hand_in < event.still and _is_at(after, event.outlines[0])


def _is_undoing(event: Event, one: Event, other: Event) -> bool:
    """Whether an event takes away what no frame showed: two more of which nothing is to be seen."""
    return event is other and (one.kind, other.kind) == ("placed", "removed")


def load(folder: Path, game: str) -> Film:
    lines = [json.loads(line) for line in (folder / f"watch-{game}/events.jsonl").read_text().splitlines()]
    events = []
    for line in lines[:-1]:
        line.setdefault("hand_in", line["still"] - (8 if line["adjusted"] else 5))
        shown = [line[k] for k in ("corners", "corners_card", "corners_changed") if line.get(k)]
        outlines = tuple(np.array(c, np.float32) for c in shown)
        events.append(Event(line["event"], outlines, *(float(line[k]) for k in TIMES)))
    pictures = [_picture(p) for p in sorted((folder / f"watch-{game}/frames").glob("*.jpg"))]
    stills = sorted(p for f in folder.glob(f"{game}*") if "alt" not in f.name for p in f.glob("*.jpg"))
    return Film(game, pictures, events, stills)


def _picture(path: Path) -> Picture:
    picture = cv2.imread(str(path))
    assert picture is not None, path
    return np.asarray(picture, np.uint8)


# ------------------------------------------------------------ takes


def changed(take: Take, change: Callable[[int, Picture], Picture]) -> Take:
    """A take of which every frame is changed."""

    def picture(i: int, shown: Callable[[], Picture]) -> Callable[[], Picture]:
        return lambda: change(i, shown())

    return replace(take, frames=[(t, picture(i, shown)) for i, (t, shown) in enumerate(take.frames)])


def lit(take: Take, begin: int, light: Sequence[float]) -> Take:
    """A take of which some frames, from one on, show so many times their light."""

    def shown(i: int, picture: Picture) -> Picture:
        if not begin <= i < begin + len(light):
            return picture
        return np.clip(picture * light[i - begin], 0, 255).astype(np.uint8)

    return changed(take, shown)


def reversed_(film: Film) -> Film:
    n = len(film.pictures)
    back = {"placed": "removed", "removed": "placed"}
    events = []
    for e in film.events[::-1]:
        went = n - 1 - e.hand_in if e.kind == "placed" else n - 2 - e.hand_in
        still = went - 1 if e.kind == "placed" else went - 3
        events.append(
            replace(e, kind=back[e.kind], frame=went, still=still, hand_in=n - 1 - e.hand_gone, hand_gone=went)
        )
    return replace(film, pictures=film.pictures[::-1], events=events)


def bump(film: Film, at: int, shift: float) -> Take:
    """From one frame on the picture lies so many pixels further to the right, and half as many down."""
    by = np.array([shift, shift / 2], np.float32)
    warp = np.array([[1, 0, by[0]], [0, 1, by[1]]])

    def moved(i: int, shown: Picture) -> Picture:
        size = (shown.shape[1], shown.shape[0])
        if i < at:
            return shown
        return np.asarray(cv2.warpAffine(shown, warp, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    take = changed(film.take(range(len(film.pictures))), moved)
    events = [replace(e, outlines=(*e.outlines, *(o + by for o in e.outlines))) for e in take.events]
    return replace(take, events=events)


def trembling(film: Film, by_px: float) -> Take:
    """A camera that trembles on its arm: every frame is shifted by so many pixels, and turned and zoomed as much at its
    rim, in the mean square.
    """

    def moved(i: int, shown: Picture) -> Picture:
        h, w = shown.shape[:2]
        right, down, turn, zoom = np.random.default_rng(i).normal(0, by_px, 4)
        aside = cv2.getRotationMatrix2D((w / 2, h / 2), np.degrees(2 * turn / w), 1 + 2 * zoom / w)
        aside[:, 2] += right, down
        return np.asarray(cv2.warpAffine(shown, aside, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    n = len(film.pictures)
    return changed(film.take([*range(n), *[n - 1] * 15]), moved)


def banded(film: Film, depth: float) -> Take:
    """A lamp that swells and fades by such a share leaves one and a half bands across the picture, which wander."""

    def shown(i: int, picture: Picture) -> Picture:
        h = picture.shape[0]
        rows = np.sin(2 * np.pi * (0.33 * i + 1.4 * np.arange(h) / h))
        return np.clip(picture * (1 + depth * rows)[:, None, None], 0, 255).astype(np.uint8)

    n = len(film.pictures)
    return changed(film.take([*range(n), *[n - 1] * 15]), shown)


def two_hands(film: Film) -> Take:
    """Every second event happens two frames after the one before it began, by another hand in the same pictures."""
    pictures: list[Picture] = []
    events: list[Event] = []
    done = 0
    for a, b in zip(film.events[::2], film.events[1::2], strict=False):
        begin, middle = int(min(a.hand_in, b.hand_in)) - 2, int(b.hand_in) - 2
        end = int(max(a.hand_gone, b.hand_gone)) + 2
        if middle <= a.hand_gone or begin < done or _is_at(a, b.outlines[0], 0.02):
            events += [replace(e, **{k: (getattr(e, k) + len(pictures) - done) / FPS for k in TIMES}) for e in (a, b)]
            continue
        pictures += film.pictures[done:begin]
        offset, length = len(pictures) - begin, max(middle - begin, end - middle + 2)
        base = film.pictures[middle].astype(np.int16)
        for k in range(length):
            first = film.pictures[min(begin + k, middle)]
            second = film.pictures[min(max(middle, middle + k - 2), end)]
            far = (np.abs(second.astype(np.int16) - base).max(2) > 18).astype(np.uint8)
            over = cv2.dilate(
                cv2.morphologyEx(far, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.ones((9, 9), np.uint8)
            )
            pictures.append(np.where(over[..., None] > 0, second, first))
        events.append(replace(a, **{k: (getattr(a, k) + offset) / FPS for k in TIMES}))
        late = offset + begin - middle + 2
        events.append(replace(b, **{k: (getattr(b, k) + late) / FPS for k in TIMES}))
        done = end
    rest = film.events[len(film.events) // 2 * 2 :]
    events += [replace(e, **{k: (getattr(e, k) + len(pictures) - done) / FPS for k in TIMES}) for e in rest]
    pictures += film.pictures[done:]
    pictures += [pictures[-1]] * 20
    return Take([(i / FPS, lambda p=p: p) for i, p in enumerate(pictures)], events)  # type: ignore[misc]


def with_people(film: Film, seed: int, person: Callable[[Picture, Visitor, float], Picture]) -> Take:
    """Somebody is about where nothing is played."""
    placed = [e for e in film.events if e.kind == "placed"]
    n = len(film.pictures)
    picture = film.pictures[min(int(placed[0].hand_gone) + 1, n - 1)]
    who = visitor(picture, [e.outlines[0] for e in [*placed, *film.events]], seed)
    return changed(film.take([*range(n), *[n - 1] * 15]), lambda i, shown: person(shown, who, i / FPS))


def another_table(film: Film) -> Take:
    """After three seconds the camera looks at another table, which lies still."""
    size = film.pictures[0].shape[1::-1]
    other = np.asarray(cv2.resize(_picture(film.stills[0]), size, interpolation=cv2.INTER_AREA), np.uint8)
    frames = [film.pictures[0]] * 30 + [other] * 60
    return Take([(i / FPS, lambda p=p: p) for i, p in enumerate(frames)], [])  # type: ignore[misc]


STARTS = {
    "dark-first": [0.0],
    "dark-start": [0.0] * 8,
    "dim-start": [0.08] * 8,
    "fade-in": [k / 15 for k in range(15)],
    "bright-start": [3.0, 2.8, 2.5, 2.2, 1.9, 1.6, 1.4, 1.2],
}
"""How bright the first frames are: the camera's exposure settles, or somebody turns on the light."""


def takes_of(film: Film) -> Iterator[tuple[str, Callable[[], Take]]]:
    n, rng = len(film.pictures), np.random.default_rng(1)
    tail = [n - 1] * 15
    hand = int(film.events[len(film.events) // 2].hand_in) + 3
    plain = [*range(n), *tail]
    back = reversed_(film)
    kept = [k for k in range(n) if k < 4 or k >= n - 4 or rng.random() > 0.2] + tail
    gain = 1 + rng.uniform(-0.05, 0.05, n + 15)
    calm = int(film.events[:3][-1].hand_gone) + 3
    yield "as-filmed", lambda: film.take(plain)
    yield "slow", lambda: film.take([k // 2 for k in range(2 * n)] + tail)
    yield "fast", lambda: film.take([*range(0, n, 2), *tail])
    yield "backwards", lambda: back.take([0] * 5 + plain)
    yield "backwards-fast", lambda: back.take([0] * 5 + [*range(0, n, 2), *tail])
    yield "dropped", lambda: film.take(kept)
    yield "paused-hand", lambda: film.take([*range(hand), *[hand] * 25, *range(hand, n), *tail])
    yield "hung", lambda: film.take([hand if hand <= k < hand + 20 else k for k in range(n)] + tail)
    yield "fps-30", lambda: film.take([k // 3 for k in range(3 * n)] + tail, [i / 30 for i in range(3 * n + 15)])
    yield "flicker", lambda: changed(film.take(plain), lambda i, p: np.clip(p * gain[i], 0, 255).astype(np.uint8))
    for depth in (0.02, 0.05):
        yield f"bands-{depth}", lambda depth=depth: banded(film, depth)  # type: ignore[misc]
    for name, light in STARTS.items():
        yield name, lambda light=light: lit(film.take([*[0] * len(light), *plain]), 0, light)  # type: ignore[misc]
    out = [0.7, 0.4, *[0.0] * 15, 0.5, 0.8]
    yield "lights-out", lambda: lit(film.take([*range(calm), *[calm] * len(out), *range(calm, n), *tail]), calm, out)
    yield "dimmed", lambda: changed(film.take(plain), lambda i, p: p if i < 40 else (p * 0.6).astype(np.uint8))
    for shift in (4, 8, 20):
        yield f"bump-{shift}", lambda shift=shift: bump(film, calm, shift)  # type: ignore[misc]
    yield "bump-hand", lambda: bump(film, hand, 12)
    for by_px in (0.7, 1.2):
        yield f"trembling-{by_px}", lambda by_px=by_px: trembling(film, by_px)  # type: ignore[misc]
    yield "two-hands", lambda: two_hands(film)
    for seed, (name, person) in enumerate(PEOPLE.items()):
        yield name, lambda seed=seed, person=person: with_people(film, seed, person)  # type: ignore[misc]
    if film.stills:
        yield "another-table", lambda: another_table(film)


# ------------------------------------------------------------ scores


@dataclass
class Score:
    """What was reported of a take.

    Attributes:
        paired: when and what of each event, by the event's number.
        table: the outlines of the table as it first settled.
        table_faults: what that lacks, or has more, beside the film as filmed.
    """

    reports: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    paired: dict[int, tuple[float, dict[str, Any]]] = field(default_factory=dict)
    events: int = 0
    placed: list[int] = field(default_factory=lambda: [0, 0])
    removed: list[int] = field(default_factory=lambda: [0, 0])
    false: list[str] = field(default_factory=list)
    early: int = 0
    repeated: int = 0
    delays_s: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    table: list[NDArray[np.float32]] = field(default_factory=list)
    table_faults: list[str] = field(default_factory=list)
    ms: float = 0.0


def watch(take: Take, game: str, classifier: Any = None) -> Score:
    """Let the game's tracker watch a take, of a known printing or by a classifier of another."""
    recognizer = GAMES[game].recognizer()
    tracker = recognizer.tracker(classifier or recognizer.classifier(None, None), SettleTimes())
    score, busy_s = Score(), 0.0
    for t_s, shown in take.frames:
        picture = shown()
        before, begun = tracker.cards or (), process_time()
        events = tracker.step(picture, t_s)
        busy_s += process_time() - begun
        stayed = [one for one in events if one["event"] == "moved" and _lies_as_it_lay(one, before)]
        score.reports += [(t_s, one) for one in events if one["event"] in WANTED and one not in stayed]
        score.notices += [f"known@{t_s:.1f}" for _ in stayed]
        if not score.table and any(one["event"] == "table" for one in events):
            outlines = [np.asarray(one.corners, np.float32) for one in tracker.cards or ()]
            placed = [np.array(one["corners"], np.float32) for one in events if one["event"] == "placed"]
            score.table = _not_at(outlines, placed)
        score.notices += [
            f"{one.get('code', 'table')}@{t_s:.1f}" for one in events if one["event"] in ("notice", "table")
        ]
    score.ms = 1000 * busy_s / len(take.frames)
    _match(take, score)
    return score


def compare_tables(take: Take, score: Score, as_filmed: Score) -> None:
    """Note what a take's first table lacks of what lies there throughout, and what it has that never lies there."""
    events = [outline for event in take.events for outline in event.outlines]
    throughout = _not_at(as_filmed.table, events)
    lacking, more = _not_at(throughout, score.table), _not_at(score.table, [*as_filmed.table, *events])
    score.table_faults += [f"table lacks {len(lacking)}"] if lacking else []
    score.table_faults += [f"table has {len(more)} more"] if more else []


def _not_at(
    outlines: Sequence[NDArray[np.float32]], places: Sequence[NDArray[np.float32]]
) -> list[NDArray[np.float32]]:
    """The outlines that none of the places overlaps enough to be the same."""
    return [one for one in outlines if not _overlaps(one, places, SAME_PLACE)]


def watch_film(
    film: Film, game: str, names: Container[str] | None = None, classifier: Any = None
) -> Iterator[tuple[str, Take, Score]]:
    """Watch a film's takes, or those of some names; see `watch`."""
    as_filmed: Score | None = None
    for name, make in takes_of(film):
        if names is None or name in names:
            take = make()
            score = watch(take, game, classifier)
            as_filmed = as_filmed or (score if name == "as-filmed" else None)
            if as_filmed and take.events:
                compare_tables(take, score, as_filmed)
            yield name, take, score


def _lies_as_it_lay(report: dict[str, Any], before: Sequence[Any]) -> bool:
    """A card that nobody touched is told, for it has joined others and so has a cell, or is read whole at last."""
    outline = np.array(report["corners"], np.float32)
    there = [one for one in before if isinstance(one, DetectedCard) and _iou(outline, one.corners) > SAME_PLACE]
    return any((one.cell is None and report["cell"] is not None) or None in one.edges for one in there)


def _match(take: Take, score: Score) -> None:
    paired = score.paired
    for t_s, one in score.reports:
        outline = np.array(one["corners"], np.float32)
        there = [i for i, e in enumerate(take.events) if e.kind == one["event"] and _is_at(e, outline)]
        open_ = [i for i in there if t_s > take.events[i].hand_in and i not in paired]
        if open_:
            best = min(open_, key=lambda i: (t_s < take.events[i].still, -take.events[i].still))
            paired[best] = t_s, one
        elif any(i in paired for i in there):
            score.repeated += 1
        else:
            score.false.append(f"{one['event']}@{t_s:.1f}")
    for i, event in enumerate(take.events):
        count = score.removed if event.kind == "removed" else score.placed
        count[1] += 1
        if i not in paired:
            score.missed.append(f"{event.kind}@{event.frame:.1f}")
            continue
        count[0] += 1
        score.early += paired[i][0] < event.still
        score.delays_s.append(paired[i][0] - event.frame)


def _is_at(event: Event, outline: NDArray[np.float32], share: float = SAME_PLACE) -> bool:
    return _overlaps(outline, event.outlines, share)


def _overlaps(outline: NDArray[np.float32], others: Sequence[NDArray[np.float32]], share: float) -> bool:
    return any(_iou(outline, other) >= share for other in others)


def _iou(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    shared, _ = cv2.intersectConvexConvex(a, b)
    return float(shared / (cv2.contourArea(a) + cv2.contourArea(b) - shared + 1e-9))


def line_of(game: str, name: str, score: Score) -> str:
    late = sorted(score.delays_s)
    delay = f"{late[len(late) // 2]:5.2f} {late[-1]:5.2f}" if late else "    -     -"
    counts = f"{score.placed[0]:2}/{score.placed[1]:<2} {score.removed[0]}/{score.removed[1]}"
    marks = f"{len(score.false):2} {score.early:2} {score.repeated:2}"
    faults = [*score.table_faults, *(f"missed {m}" for m in score.missed), *(f"false {m}" for m in score.false)]
    rest = ", ".join([*faults, *score.notices])
    return f"{game:<10}{name:<15}{counts:<10}{marks}  {delay}  {score.ms:5.1f}  {rest}"


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path)
    ap.add_argument("--game", nargs="*", default=list(GAMES))
    ap.add_argument("--take", nargs="*", help="only these takes")
    a = ap.parse_args()
    cv2.setNumThreads(1)
    print("game      take           placed rem false early rep  delay s median, worst  ms a frame", flush=True)
    for game in a.game:
        for name, _, score in watch_film(load(a.folder, game), game, a.take or None):
            print(line_of(game, name, score), flush=True)


if __name__ == "__main__":
    main()
