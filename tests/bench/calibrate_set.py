"""How well a table is calibrated from drawn photographs, per way and condition, in millimetres.

    python tests/bench/calibrate_set.py [--photos N] [--only marks]

For each condition: how many photographs were calibrated, the residual that is reported, and how far points all over the
table are then told from where they are, with the calibration's frame laid over the true one. In the middle over the
photographs, and in the worst.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import cv2
import numpy as np

from companion.app.calibrating import CalibrationOptions, calibrate
from companion.errors import CompanionError
from companion.games.hexel.deck import FACES, face_shapes
from companion.printing.marks import mark_shapes
from companion.vision.calibration.calibration import Calibration
from companion.vision.calibration.lens import Lens
from models.drawing.marked import Lying, marked_photograph
from models.drawing.pinhole import Pinhole

SIZE = (1280, 720)
STRAIGHT = Lens((1150.0, 1150.0), (639.5, 359.5), (0.0, 0.0, 0.0, 0.0, 0.0), 0.0, 0)
BENT = Lens((1150.0, 1150.0), (652.0, 349.0), (-0.12, 0.03, 0.0004, -0.0003, 0.0), 0.0, 0)
CORNERS = np.array([[-380.0, -190.0], [380, -190], [380, 190], [-380, 190]])
GRID = np.stack(np.meshgrid(np.linspace(-350, 350, 8), np.linspace(-180, 180, 5)), -1).reshape(-1, 2)
SHEET = np.array([[-148.5, -105.0], [148.5, -105], [148.5, 105], [-148.5, 105]])
TAP_OFF_PX = 1.5

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Condition:
    """What lies on the table, what is said about it, and what the lens does."""

    name: str
    things: Callable[[Rng], list[Lying]]
    by: str
    lens: Lens = STRAIGHT
    is_lens_known: bool = True
    mat_mm: tuple[float, float] | None = None
    hardness: float = 0.7


def four_marks(rng: Rng) -> list[Lying]:
    return [Lying(mark_shapes(n), (float(x), float(y)), float(rng.uniform(-8, 8))) for n, (x, y) in enumerate(CORNERS)]


def cards(count: int) -> Callable[[Rng], list[Lying]]:
    def lay(rng: Rng) -> list[Lying]:
        places: list[np.ndarray] = []
        while len(places) < count:
            at = rng.uniform([-340, -170], [340, 170])
            if all(np.linalg.norm(at - other) > 85 for other in places):
                places.append(at)
        chosen = rng.choice(len(FACES["36"]), count, replace=False)
        return [
            Lying(face_shapes(FACES["36"][int(k)], "36"), (float(x), float(y)), float(rng.uniform(0, 360)))
            for k, (x, y) in zip(chosen, places, strict=True)
        ]

    return lay


CONDITIONS = (
    Condition("four marks, calm", four_marks, "marks", hardness=0.2),
    Condition("four marks", four_marks, "marks"),
    Condition("four marks, hard", four_marks, "marks", hardness=1.0),
    Condition("four marks, lens not measured", four_marks, "marks", is_lens_known=False),
    Condition("four marks, bent lens measured", four_marks, "marks", BENT),
    Condition("four marks, bent lens not measured", four_marks, "marks", BENT, is_lens_known=False),
    Condition("... their distance measured", four_marks, "marks", BENT, is_lens_known=False, mat_mm=(760, 380)),
    Condition("one card", cards(1), "card"),
    Condition("one card, lens not measured", cards(1), "card", is_lens_known=False),
    Condition("three cards", cards(3), "card"),
    Condition("three cards, lens not measured", cards(3), "card", is_lens_known=False),
    Condition("nine cards", cards(9), "card"),
    Condition("nine cards, lens not measured", cards(9), "card", is_lens_known=False),
    Condition("four taps on a sheet", lambda rng: [], "taps"),
    Condition("four taps, lens not measured", lambda rng: [], "taps", is_lens_known=False),
)


def camera(lens: Lens, rng: Rng) -> Pinhole:
    """Leaning by up to 25 degrees, turned a little, so that the table's corners are in the picture."""
    while True:
        t, y = np.radians([rng.uniform(0, 25), rng.uniform(-12, 12)])
        lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
        turn = lean @ np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
        at = [rng.uniform(-30, 30), rng.uniform(-30, 30), rng.uniform(950, 1200)]
        sees = Pinhole(lens.matrix() @ np.column_stack([turn[:, 0], turn[:, 1], at]), SIZE)
        rim = lens.distort(sees.project(CORNERS * 1.08))
        if (rim > 8).all() and (rim < np.array(SIZE) - 8).all():
            return sees


def off_mm(made: Calibration, sees: Pinhole, lens: Lens) -> np.ndarray:
    """How far each point of the grid is told from where it is."""
    told = made.table_mm(lens.distort(sees.project(GRID)))
    a, b = GRID[:, 0] + 1j * GRID[:, 1], told[:, 0] + 1j * told[:, 1]
    turn = np.angle(np.sum((b - b.mean()) * np.conj(a - a.mean())))
    return np.abs((b - b.mean()) - (a - a.mean()) * np.exp(1j * turn))


def measure(condition: Condition, photos: int) -> str:
    residuals, rms, worst, busy_s = [], [], [], 0.0
    for seed in range(photos):
        rng = np.random.default_rng([seed, 77])
        lens = condition.lens
        sees = camera(lens, rng)
        picture = marked_photograph(rng, sees, condition.things(rng), lens.undistort, hardness=condition.hardness)
        taps = lens.distort(sees.project(SHEET)) + rng.normal(0, TAP_OFF_PX, (4, 2))
        points = tuple((float(x), float(y)) for x, y in taps) if condition.by == "taps" else ()
        wishes = CalibrationOptions("bench", by=condition.by, taps_px=points, mat_mm=condition.mat_mm)
        begun = time.process_time()
        try:
            made = calibrate([picture], wishes, lens if condition.is_lens_known else None, date(2026, 1, 1)).calibration
        except CompanionError:
            continue
        finally:
            busy_s += time.process_time() - begun
        off = off_mm(made, sees, lens)
        residuals.append(np.nan if made.residual_mm is None else made.residual_mm)
        rms.append(float(np.sqrt(np.mean(off**2))))
        worst.append(float(off.max()))
    if not rms:
        return f"{condition.name:36} none of {photos} calibrated"
    return (
        f"{condition.name:36} {len(rms):3}/{photos:<3} {np.median(residuals):9.2f} {np.median(rms):11.2f}"
        f" {np.max(rms):9.2f} {np.max(worst):10.2f} {1000 * busy_s / photos:8.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=int, default=20)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"{'mm on the table':36} {'done':>7} {'residual':>9} {'rms':>11} {'worst rms':>9} {'worst':>10} {'ms':>8}")
    for condition in CONDITIONS:
        if given.only in condition.name:
            print(measure(condition, given.photos), flush=True)


if __name__ == "__main__":
    main()
