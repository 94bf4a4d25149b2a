"""Hard photographs of a Hex'el table with exact truth: hand-laid cards, any room, any table, a camera's faults.

Used to train and to measure recognition. Everything is drawn from one `np.random.Generator`, so a seed is a picture.
Light is added up in linear values; the camera's faults (blur, noise, white balance, JPEG) come last, as in a camera.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.rules.hexgrid import Cell, neighbours, opposite
from companion.simulator.backdrops import backdrop, clutter_shape
from companion.simulator.printings import APOTHEM_MM, REFERENCE, Printing, hexagon, invented, raster_card, varied

SYMBOLS = {"36": ("red", "blue", "void"), "46": ("red", "blue", "yellow")}
MOODS = ("soft", "daylight", "window", "lamp", "warm", "cold", "hard-shadow", "dim")


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card on the table: its face, its cell (None for a loose one), its place in mm and its turn in degrees."""

    edges: tuple[str, ...]
    cell: Cell | None
    at_mm: np.ndarray
    turn_deg: float


@dataclass(frozen=True, slots=True, eq=False)
class Photograph:
    """A picture, uint8 (h, w, 3) BGR, and what is on it in the form that `companion read` prints.

    Each card says besides how much of it (``covered``) and of each of its symbols (``hidden``) something lies on, 0..1,
    and ``cut`` where the picture's rim cuts it.
    """

    bgr: np.ndarray
    truth: dict[str, Any]


def hand_laid(
    faces: dict[Cell, tuple[str, ...]], rng: np.random.Generator, gap_mm: float, turn_deg: float
) -> list[Laid]:
    """Lay a tableau as hands do: each card against those already there, with gaps and small turns that add up."""
    pose: dict[Cell, tuple[np.ndarray, float]] = {}
    for cell in faces:
        near = [(d, pose[n]) for d, n in enumerate(neighbours(cell)) if n in pose]
        gap = min(abs(rng.normal(0.5, 0.5)), 1.2) * gap_mm / 1.2
        if not near:
            pose[cell] = (np.zeros(2), 0.0)
            continue
        wanted = []
        for d, (at, turn) in near:
            angle = np.radians(-60.0 * ((d + 3) % 6) + turn)
            wanted.append((at + (2 * APOTHEM_MM + gap) * np.array([np.cos(angle), np.sin(angle)]), turn))
        at = np.mean([w[0] for w in wanted], axis=0) + rng.normal(0, gap_mm * 0.15, 2)
        turn = float(np.mean([w[1] for w in wanted]) * 0.85 + rng.normal(0, turn_deg * 0.45))
        turn = float(np.clip(turn, -turn_deg, turn_deg))
        for _ in range(12):  # push apart what would overlap: cards are solid
            moved = False
            for _, (other, _) in near:
                apart = at - other
                length = float(np.linalg.norm(apart))
                least = 2 * APOTHEM_MM + 0.1
                if length < least:
                    at = at + apart / length * (least - length)
                    moved = True
            if not moved:
                break
        pose[cell] = (at, turn)
    return [Laid(faces[c], c, at, turn) for c, (at, turn) in pose.items()]


def grown_tableau(cards: int, symbols: tuple[str, ...], rng: np.random.Generator) -> dict[Cell, tuple[str, ...]]:
    """A tableau of matching edges, at most two kinds of symbol on a card, grown from a line of three."""
    cells: dict[Cell, tuple[str, ...]] = {}
    order: list[Cell] = [(0, 0), (1, 0), (2, 0)][:cards]
    compact = rng.uniform(0.0, 1.0)
    while len(cells) < cards:
        if len(cells) < len(order):
            cell = order[len(cells)]
        else:
            free = sorted({n for c in cells for n in neighbours(c) if n not in cells})
            score = [sum(m in cells for m in neighbours(f)) for f in free]
            weight = np.array([1.0 if compact < 0.3 else s**2 for s in score])
            cell = free[int(rng.choice(len(free), p=weight / weight.sum()))]
        need = {d: cells[n][opposite(d)] for d, n in enumerate(neighbours(cell)) if n in cells}
        kinds = sorted(set(need.values()))
        if len(kinds) > 2:
            if all(
                len({cells[m][opposite(e)] for e, m in enumerate(neighbours(f)) if m in cells}) > 2
                for f in {n for c in cells for n in neighbours(c) if n not in cells}
            ):
                break
            continue
        while len(kinds) < 2:
            kinds = (
                sorted({*kinds, str(rng.choice(symbols))})
                if rng.random() < 0.85
                else [*kinds, kinds[0] if kinds else symbols[0]]
            )
        cells[cell] = tuple(need.get(d, kinds[int(rng.integers(2))]) for d in range(6))
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole over the table. `image_from_table` maps mm on the table's plane to pixels."""

    image_from_table: np.ndarray
    size: tuple[int, int]

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """Pixels (N, 2) of points (N, 2) on the table."""
        return cv2.perspectiveTransform(np.asarray(points_mm, np.float64).reshape(1, -1, 2), self.image_from_table)[0]


def aimed_camera(
    size: tuple[int, int],
    tilt_deg: float,
    yaw_deg: float,
    across_px: float,
    look_at_mm: np.ndarray,
    fov_deg: float,
    aim_px: np.ndarray,
) -> Camera:
    """A camera that sees a card at ``look_at_mm`` about ``across_px`` wide (edge to edge) at pixel ``aim_px``."""
    w, h = size
    focal = 0.5 * w / np.tan(np.radians(fov_deg) / 2)
    away = focal * 2 * APOTHEM_MM / across_px
    yaw, tilt = np.radians(yaw_deg), np.radians(tilt_deg)
    rz = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    rx = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    rotation = rx @ rz
    k = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
    ray = np.linalg.inv(k) @ np.array([aim_px[0], aim_px[1], 1.0])
    where = ray * away
    t = where - rotation @ np.array([look_at_mm[0], look_at_mm[1], 0.0])
    return Camera(k @ np.column_stack([rotation[:, 0], rotation[:, 1], t]), size)


def card_corners_mm(card: Laid) -> np.ndarray:
    """The six corners (6, 2) of a laid card on the table, clockwise with y down."""
    a = np.radians(card.turn_deg)
    return hexagon(APOTHEM_MM) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + card.at_mm


_LINEAR = (np.arange(256) / 255.0).astype(np.float32) ** 2.2


def linear(bgr: np.ndarray) -> np.ndarray:
    """sRGB-like uint8 to linear float32."""
    return cv2.LUT(bgr, _LINEAR)


class Canvas:
    """Albedo (linear) and gloss of the picture being painted; cards and things are warped into their own corner of it."""

    def __init__(self, camera: Camera, ground: np.ndarray) -> None:
        self.camera = camera
        self.albedo = linear(ground)
        self.gloss = np.zeros(ground.shape[:2], np.float32)
        self.height = np.zeros(ground.shape[:2], np.float32)

    def put(self, bgra: np.ndarray, image_from_raster: np.ndarray, gloss: float = 0.0, height: float = 0.0) -> None:
        """Lay a flat BGRA raster over the picture through a homography."""
        s = np.array([[0, 0], [bgra.shape[1], 0], [bgra.shape[1], bgra.shape[0]], [0, bgra.shape[0]]], np.float64)
        box = cv2.perspectiveTransform(s.reshape(1, -1, 2), image_from_raster)[0]
        w, h = self.camera.size
        x0, y0 = np.maximum(np.floor(box.min(0)).astype(int) - 1, 0)
        x1, y1 = np.minimum(np.ceil(box.max(0)).astype(int) + 2, [w, h])
        if x1 <= x0 or y1 <= y0:
            return
        shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
        patch = cv2.warpPerspective(
            bgra, shift @ image_from_raster, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR
        )
        alpha = patch[..., 3:].astype(np.float32) / 255
        here = (slice(y0, y1), slice(x0, x1))
        self.albedo[here] = self.albedo[here] * (1 - alpha) + linear(patch[..., :3]) * alpha
        self.gloss[here] = self.gloss[here] * (1 - alpha[..., 0]) + gloss * alpha[..., 0]
        self.height[here] = np.maximum(self.height[here] * (1 - alpha[..., 0]), height * alpha[..., 0])

    def polygon(
        self, points: np.ndarray, bgr: tuple[float, float, float], gloss: float = 0.0, height: float = 0.0
    ) -> None:
        """Paint a polygon given in pixels."""
        w, h = self.camera.size
        x0, y0 = np.maximum(np.floor(points.min(0)).astype(int) - 2, 0)
        x1, y1 = np.minimum(np.ceil(points.max(0)).astype(int) + 3, [w, h])
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillPoly(mask, [np.round((points - [x0, y0]) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        alpha = mask.astype(np.float32)[..., None] / 255
        here = (slice(y0, y1), slice(x0, x1))
        colour = (np.array(bgr, np.float32) / 255) ** 2.2
        self.albedo[here] = self.albedo[here] * (1 - alpha) + colour * alpha
        self.gloss[here] = self.gloss[here] * (1 - alpha[..., 0]) + gloss * alpha[..., 0]
        self.height[here] = np.maximum(self.height[here] * (1 - alpha[..., 0]), height * alpha[..., 0])


def photograph(
    rng: np.random.Generator,
    *,
    edition: str = "36",
    size: tuple[int, int] = (1280, 720),
    printing: str = "reference",
    cards: int | None = None,
    across_px: float | None = None,
    hardness: float = 1.0,
) -> Photograph:
    """Draw one photograph.

    Args:
        rng: the only source of chance.
        edition: 36 or 46.
        size: width and height in pixels.
        printing: ``reference`` (inks vary a little), ``exact`` or ``invented``.
        cards: cards in the tableau; None for 3 to 36.
        across_px: a card's width between opposite edges where the camera looks; None for what fits.
        hardness: 0 for a calm room, 1 for all conditions.
    """
    symbols = SYMBOLS[edition]
    look = {
        "reference": lambda: varied(REFERENCE[edition], rng, hardness),
        "exact": lambda: REFERENCE[edition],
        "invented": lambda: invented(symbols, rng),
    }[printing]()
    count = int(rng.choice([3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 24, 28, 32, 36])) if cards is None else cards
    laid = hand_laid(
        grown_tableau(count, symbols, rng), rng, float(rng.uniform(0.3, 3.0)), float(rng.uniform(0.2, 4.0))
    )
    laid += _loose(laid, symbols, rng)
    camera = _camera_for(laid, size, rng, across_px, hardness)
    w, h = size
    canvas = Canvas(camera, backdrop(rng, camera.image_from_table, size))
    mood = str(rng.choice(MOODS))
    ignore = [card.tolist() for card in _face_down(canvas, laid, rng)]
    _things(canvas, laid, rng, under=True)
    gloss = float(rng.choice([0.0, 0.0, 0.3, 1.0])) * hardness
    boxes = [_put_card(canvas, card, look, gloss, rng) for card in laid]
    before = canvas.albedo.copy()
    if rng.random() < 0.35 * hardness:
        _things(canvas, laid, rng, under=False)
    changed = (np.abs(canvas.albedo - before).max(2) > 1e-4).astype(np.uint8)
    covered = [_covered_share(changed, box) for box in boxes]
    bgr, conditions = _expose(canvas, mood, rng, hardness)
    truth: dict[str, Any] = {
        "ok": True,
        "game": "hexel",
        "size": [w, h],
        "cards": [],
        "loose": [],
        "warnings": [],
        "ignore": ignore,
    }
    for i, (card, box) in enumerate(zip(laid, boxes, strict=True)):
        entry = {
            "cell": list(card.cell) if card.cell is not None else None,
            "edges": list(card.edges),
            "corners": np.round(box, 2).tolist(),
            "covered": round(covered[i], 3),
            "hidden": [round(_covered_share(changed, mark), 2) for mark in _marks(card, camera)],
        }
        inside = (box > -1).all() and (box[:, 0] < w).all() and (box[:, 1] < h).all()
        if not inside:
            truth["ignore"].append(entry["corners"])
            entry["cut"] = True
        truth["cards" if card.cell is not None else "loose"].append(entry)
    truth["conditions"] = {"mood": mood, "printing": printing, "edition": edition, **conditions}
    return Photograph(bgr, truth)


def _loose(laid: list[Laid], symbols: tuple[str, ...], rng: np.random.Generator) -> list[Laid]:
    """A few face-up cards that touch none, some of them near."""
    out: list[Laid] = []
    centres = np.array([c.at_mm for c in laid])
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        for _ in range(20):
            base = centres[int(rng.integers(len(centres)))]
            angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(85, 200)
            at = base + far * np.array([np.cos(angle), np.sin(angle)])
            others = np.vstack([centres, *[o.at_mm[None] for o in out]])
            if np.linalg.norm(others - at, axis=1).min() > 2 * APOTHEM_MM * 1.1547 + 9:
                kinds = rng.choice(symbols, 2)
                out.append(Laid(tuple(str(k) for k in rng.choice(kinds, 6)), None, at, float(rng.uniform(0, 60))))
                break
    return out


def _camera_for(
    laid: list[Laid], size: tuple[int, int], rng: np.random.Generator, across_px: float | None, hardness: float
) -> Camera:
    """A camera that has the tableau in its picture, the cards 45 to 250 px across."""
    w, h = size
    core = np.vstack([card_corners_mm(c) for c in laid if c.cell is not None])
    tilt = float(rng.choice([rng.uniform(0, 12), rng.uniform(0, 40)])) * min(1.0, 0.3 + hardness)
    yaw, fov = float(rng.uniform(0, 360)), float(rng.uniform(42, 74))
    middle = (core.min(0) + core.max(0)) / 2
    wanted = across_px if across_px is not None else float(np.exp(rng.uniform(np.log(45), np.log(260)))) * w / 1280
    for _ in range(60):
        camera = aimed_camera(size, tilt, yaw, wanted, middle, fov, np.array([w / 2, h / 2]))
        box = camera.project(core)
        extent = box.max(0) - box.min(0)
        if across_px is not None or ((extent < [w - 12, h - 12]).all()) or wanted < 40 * w / 1280:
            break
        wanted *= 0.93
    room = np.maximum(np.array([w, h]) - extent - 12, 0) / 2
    aim = np.array([w / 2, h / 2]) + rng.uniform(-1, 1, 2) * room * 0.9
    for _ in range(8):  # centre the tableau's box where we want it, perspective moves it a little
        camera = aimed_camera(size, tilt, yaw, wanted, middle, fov, aim)
        box = camera.project(core)
        off = np.maximum(4 - box.min(0), 0) - np.maximum(box.max(0) - np.array([w - 5, h - 5]), 0)
        if np.abs(off).max() < 0.5 or across_px is not None:
            break
        aim = aim + off
    return camera


def _put_card(canvas: Canvas, card: Laid, look: Printing, gloss: float, rng: np.random.Generator) -> np.ndarray:
    """Paint one card with its contact shadow; return its corners in the picture (6, 2)."""
    corners_mm = card_corners_mm(card)
    corners = canvas.camera.project(corners_mm)
    across = float(np.linalg.norm(corners[0] - corners[3])) / 70.0
    shadow = corners + rng.normal(0, 0.25 * across, 2) + (corners - corners.mean(0)) * rng.uniform(0, 0.012)
    canvas.polygon(shadow, (25.0, 25.0, 28.0))
    px_per_mm = float(np.clip(across * 1.3, 0.6, 4.5))
    raster = raster_card(card.edges, look, px_per_mm)
    half = raster.shape[0] / 2 - 0.5
    a = np.radians(card.turn_deg)
    table_from_raster = np.array(
        [[np.cos(a), -np.sin(a), card.at_mm[0]], [np.sin(a), np.cos(a), card.at_mm[1]], [0, 0, 1.0]]
    ) @ np.array([[1 / px_per_mm, 0, -half / px_per_mm], [0, 1 / px_per_mm, -half / px_per_mm], [0, 0, 1.0]])
    canvas.put(raster, canvas.camera.image_from_table @ table_from_raster, gloss)
    return corners


def _marks(card: Laid, camera: Camera) -> list[np.ndarray]:
    """The places of a card's six symbols in the picture, in order of direction."""
    angles = np.radians(-60.0 * np.arange(6) + card.turn_deg)
    places = card.at_mm + 0.76 * APOTHEM_MM * np.stack([np.cos(angles), np.sin(angles)], 1)
    return [camera.project(hexagon(6.0) + place) for place in places]


def _covered_share(changed: np.ndarray, corners: np.ndarray) -> float:
    """The share of a card's outline whose paint changed after it was laid."""
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [changed.shape[1], changed.shape[0]])
    if x1 <= x0 or y1 <= y0:
        return 0.0
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [x0, y0]).astype(np.int32)], 1)
    area = int(mask.sum())
    return float((changed[y0:y1, x0:x1] * mask).sum() / area) if area else 0.0


def _face_down(canvas: Canvas, laid: list[Laid], rng: np.random.Generator) -> list[np.ndarray]:
    """The draw deck and face-down cards lying about."""
    out = []
    centres = np.array([c.at_mm for c in laid])
    tone = np.array([80, 80, 70]) + rng.normal(0, 25, 3) if rng.random() < 0.6 else rng.uniform(20, 230, 3)
    back = tuple(int(v) for v in np.clip(tone, 10, 245))
    for _ in range(int(rng.integers(0, 5))):
        at = centres.mean(0) + rng.normal(0, 220, 2)
        if np.linalg.norm(centres - at, axis=1).min() < 90:
            continue
        turn = float(rng.uniform(0, 60))
        layers = int(rng.choice([1, 1, 12]))
        lift = rng.normal(0, 1, 2)
        for i in range(layers, -1, -1):
            card = Laid((), None, at + lift * i * 0.8, turn)
            corners = canvas.camera.project(card_corners_mm(card))
            side = (205.0, 215.0, 220.0) if i % 2 else (90.0, 95.0, 100.0)
            canvas.polygon(corners, side if i else tuple(float(v) for v in back))  # type: ignore[arg-type]
        out.append(corners)
        ring = canvas.camera.project((card_corners_mm(card) - card.at_mm) * 0.3 + card.at_mm)
        thick = canvas.camera.project((card_corners_mm(card) - card.at_mm) * 0.26 + card.at_mm)
        light = tuple(float(min(255, v + 60)) for v in back)
        canvas.polygon(ring, light)  # type: ignore[arg-type]
        canvas.polygon(thick, tuple(float(v) for v in back))  # type: ignore[arg-type]
    return out


def _things(canvas: Canvas, laid: list[Laid], rng: np.random.Generator, *, under: bool) -> None:
    """Chips, mugs, phones, pens, dice and hands: beside the cards, or partly over them."""
    centres = np.array([c.at_mm for c in laid])
    span = float(np.ptp(centres, axis=0).max()) + 150
    for _ in range(int(rng.integers(0, 7)) if under else int(rng.integers(1, 3))):
        if under:
            at = centres.mean(0) + rng.normal(0, 0.6, 2) * span
            if np.linalg.norm(centres - at, axis=1).min() < 70:
                continue
        else:
            at = centres[int(rng.integers(len(centres)))] + rng.normal(0, 28, 2)
        for outline, colour, gloss in clutter_shape(rng, over=not under):
            points = canvas.camera.project(outline + at)
            if np.abs(points).max() < 6 * max(canvas.camera.size):
                canvas.polygon(points, colour, gloss, 1.0)


def _expose(canvas: Canvas, mood: str, rng: np.random.Generator, hardness: float) -> tuple[np.ndarray, dict[str, Any]]:
    """Light the canvas and take the picture: shading, shadows, glare, then the camera's faults."""
    w, h = canvas.camera.size
    light = _light(mood, w, h, rng, hardness)
    image = canvas.albedo * light
    glare_px = 0.0
    if canvas.gloss.max() > 0 and rng.random() < 0.8:
        spot = _spot(w, h, rng, 0.05, 0.22)
        amount = float(rng.uniform(0.15, 0.9)) * light.mean()
        add = spot * canvas.gloss * amount
        image = image + add[..., None]
        glare_px = float((add > 0.2).mean())
    if rng.random() < 0.25 * hardness:
        image = image + (_spot(w, h, rng, 0.1, 0.5) * float(rng.uniform(0.02, 0.18)) * light.mean())[..., None]
    gains = np.exp(rng.normal(0, 0.09 * (0.4 + hardness), 3)).astype(np.float32)
    bright = np.percentile(image[::8, ::8].max(2), 97)
    image = (
        image * gains * float(rng.uniform(0.35, 1.0) if mood != "dim" else rng.uniform(0.12, 0.4)) / max(bright, 1e-3)
    )
    blur = float(max(0.0, rng.normal(0.4, 0.35))) * w / 1280 * (0.3 + 0.9 * hardness)
    if blur > 0.15:
        image = cv2.GaussianBlur(image, (0, 0), blur)
    motion = 0.0
    if rng.random() < 0.1 * hardness:
        motion = float(rng.uniform(1.5, 4.0)) * w / 1280
        image = _motion(image, motion, float(rng.uniform(0, np.pi)))
    noise = float(rng.uniform(0.003, 0.03)) * (0.4 + 0.8 * hardness) * (1.6 if mood == "dim" else 1.0)
    image = np.clip(image, 0, 1.3)
    grain = rng.standard_normal((*image.shape[:2], 3), dtype=np.float32)
    if rng.random() < 0.6:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.6) * 1.9
    image = image + grain * (noise * np.sqrt(np.maximum(image, 0) * 0.3 + 0.004))
    gamma = float(rng.uniform(1 / 2.5, 1 / 1.9))
    out = np.clip(image, 0, 1) ** gamma
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(out, (0, 0), 1.2)
        out = np.clip(out + (out - soft) * float(rng.uniform(0.2, 0.9)), 0, 1)
    bgr = np.round(out * 255).astype(np.uint8)
    quality = int(rng.integers(68, 96))
    bgr = cv2.imdecode(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return bgr, {
        "noise": round(noise, 4),
        "blur": round(blur, 2),
        "motion": round(motion, 2),
        "jpeg": quality,
        "glare": round(glare_px, 4),
    }


def _light(mood: str, w: int, h: int, rng: np.random.Generator, hardness: float) -> np.ndarray:
    """Light over the picture (h, w, 3), around 1, blue-green-red."""
    small = (max(8, w // 16), max(8, h // 16))
    yy, xx = np.mgrid[0 : small[1], 0 : small[0]].astype(np.float32)
    u, v = xx / small[0] - 0.5, yy / small[1] - 0.5
    a = rng.uniform(0, 2 * np.pi)
    slope = {
        "soft": 0.3,
        "daylight": 0.6,
        "window": 1.2,
        "lamp": 0.8,
        "warm": 0.8,
        "cold": 0.5,
        "hard-shadow": 0.5,
        "dim": 0.8,
    }[mood]
    field = np.exp(slope * float(rng.uniform(0.2, 1.0)) * (np.cos(a) * u + np.sin(a) * v))
    if mood in ("lamp", "warm", "dim"):
        cx, cy, r = rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(0.25, 0.8)
        field = field * (0.35 + np.exp(-((u - cx) ** 2 + (v - cy) ** 2) / (2 * r * r)))
    tint = {
        "soft": (1, 1, 1),
        "daylight": (1.05, 1, 0.97),
        "window": (1.1, 1, 0.93),
        "lamp": (0.75, 0.95, 1.1),
        "warm": (0.6, 0.88, 1.12),
        "cold": (1.25, 1.02, 0.85),
        "hard-shadow": (1, 1, 1),
        "dim": (0.85, 0.96, 1.05),
    }[mood]
    light = cv2.resize(field.astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    shadows = int(rng.integers(1, 4)) if mood in ("hard-shadow", "window") else int(rng.random() < 0.3)
    out = light[..., None] * np.array(tint, np.float32)
    for _ in range(shadows):
        mask = np.zeros((h, w), np.float32)
        corner = rng.uniform(-0.3, 1.3, 2) * [w, h]
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
        radius = rng.uniform(0.15, 0.8, len(angles)) * w
        points = corner + np.stack([np.cos(angles), np.sin(angles)], 1) * radius[:, None]
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1.0)
        soft = float(np.exp(rng.uniform(np.log(0.8), np.log(25)))) * w / 1280
        mask = cv2.GaussianBlur(mask, (0, 0), soft)
        depth = float(rng.uniform(0.25, 0.75)) * min(1.0, 0.4 + hardness)
        sky = np.array([1 - depth * 0.85, 1 - depth * 0.95, 1 - depth], np.float32)
        out = out * (1 - mask[..., None] + mask[..., None] * sky)
    return out


def _spot(w: int, h: int, rng: np.random.Generator, least: float, most: float) -> np.ndarray:
    """A soft or hard-edged elongated patch of light, 0..1."""
    small = (w // 8, h // 8)
    yy, xx = np.mgrid[0 : small[1], 0 : small[0]].astype(np.float32)
    c, a = rng.uniform(0, 1, 2) * small, rng.uniform(0, np.pi)
    dx, dy = xx - c[0], yy - c[1]
    p, q = dx * np.cos(a) + dy * np.sin(a), -dx * np.sin(a) + dy * np.cos(a)
    r1, r2 = rng.uniform(least, most, 2) * small[0]
    value = np.exp(-(((p / r1) ** 2 + (q / r2) ** 2) ** float(rng.uniform(0.8, 4.0))))
    return cv2.resize(value.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR)


def _motion(image: np.ndarray, length: float, angle: float) -> np.ndarray:
    n = int(np.ceil(length)) | 1
    kernel = np.zeros((n, n), np.float32)
    d = np.array([np.cos(angle), np.sin(angle)]) * (n - 1) / 2
    c = (n - 1) / 2
    cv2.line(kernel, tuple(np.round(c - d).astype(int).tolist()), tuple(np.round(c + d).astype(int).tolist()), 1.0)
    return cv2.filter2D(image, -1, kernel / kernel.sum())
