"""How fast this machine recognises cards: a drawn photograph read some times, a picture watched while it is still."""

import statistics
import time
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.doctor.finding import Finding
from companion.games import GAMES
from companion.simulator.script import write_script
from companion.vision.recognizer import Recognizer
from companion.vision.tracking.tracks import SettleTimes

SLOW_MS = 1500.0
SLOW_FPS = 8.0

_READS = 5
_WATCHED = 30
_SETTLING = 8


def bench(clock: Callable[[], float] = time.perf_counter) -> tuple[Finding, ...]:
    """Read and watch the first game's simulated table as it lies at the end of a game, on one thread."""
    cv2.setNumThreads(1)
    spec = next(iter(GAMES.values()))
    demo, header = spec.demo(), spec.demo_header()
    script = write_script(header, demo.player(header, 1))
    tabletop = demo.tabletop(script, 1)
    tabletop.lay_out(len(script.commands))
    picture, recognizer = tabletop.next(0.1).bgr, spec.recognizer()
    return _reading(picture, recognizer, clock), _watching(picture, recognizer, clock)


def _reading(picture: NDArray[np.uint8], recognizer: Recognizer, clock: Callable[[], float]) -> Finding:
    classifier = recognizer.classifier(None, None)
    recognizer.read(picture, classifier)  # the first loads the networks
    took_ms, stages = [], []
    for _ in range(_READS):
        began = clock()
        stages.append(recognizer.read(picture, classifier).stages_ms)
        took_ms.append((clock() - began) * 1000)
    parts = ", ".join(f"{name} {statistics.median(each[name] for each in stages):.0f}" for name in stages[0])
    usual_ms = statistics.median(took_ms)
    found = f"{usual_ms:.0f} ms a picture ({parts}), {1000 / max(usual_ms, 1e-3):.1f} a second"
    if usual_ms <= SLOW_MS:
        return Finding("bench, reading", "ok", found)
    return Finding("bench, reading", "warn", found, "cool and feed the machine well, or take smaller pictures")


def _watching(picture: NDArray[np.uint8], recognizer: Recognizer, clock: Callable[[], float]) -> Finding:
    tracker = recognizer.tracker(recognizer.classifier(None, None), SettleTimes())
    for _ in range(_SETTLING):
        tracker.step(picture)
    began = clock()
    for _ in range(_WATCHED):
        tracker.step(picture)
    per_s = _WATCHED / max(clock() - began, 1e-6)
    found = f"{per_s:.0f} still pictures a second"
    if per_s >= SLOW_FPS:
        return Finding("bench, watching", "ok", found)
    return Finding("bench, watching", "warn", found, "fewer pictures: [camera] frames_per_second")
