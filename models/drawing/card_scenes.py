"""Draws photographs of cards and tiles that may show anything, with their outlines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing import card_layouts as layouts
from models.drawing.art import Art, Picture
from models.drawing.card_faces import Rng, Style, colour_of
from models.drawing.card_layouts import Lying
from models.drawing.card_light import light, photograph
from models.drawing.tables import draw_clutter, draw_table

SIDE_PX = 384
SMALLEST_PX, LARGEST_PX = 15.0, 220.0
"""Sizes of cards, the square root of their area."""


@dataclass(frozen=True)
class Outline:
    """A card's outline on a picture.

    Attributes:
        corners: (4 or 6, 2) float32 pixels, clockwise as seen.
        visible: share of the card that is on the picture and not hidden.
    """

    corners: NDArray[np.float32]
    visible: float


@dataclass(frozen=True)
class Scene:
    """A drawn photograph.

    Attributes:
        picture: (side, side, 3) BGR.
        outlines: the cards on it, hidden ones too.
        ignored: polygons (N, 2) where cards may lie that are no outlines.
    """

    picture: Picture
    outlines: Sequence[Outline]
    ignored: Sequence[NDArray[np.float32]] = ()


class Camera:
    """Projects points of the table, in cards' sides, to the picture."""

    def __init__(self, rng: Rng, side: int, scale: float) -> None:
        tilt = np.radians(abs(rng.normal(0, 26))) if rng.random() < 0.85 else 0.0
        tilt = min(tilt, np.radians(62))
        turn, roll = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.2) if rng.random() < 0.5 else rng.uniform(0, 6.3)
        focal = side * np.exp(rng.uniform(np.log(0.9), np.log(4)))
        middle = side / 2 + rng.normal(0, 0.12, 2) * side
        tilted = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
        spin = [np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in (turn, roll)]
        pose = np.column_stack([spin[1] @ tilted @ spin[0], [0, 0, focal / scale]])
        self.matrix = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]]) @ pose

    @property
    def plane(self) -> NDArray[np.float64]:
        """The homography (3, 3) from the table's plane to the picture."""
        return np.asarray(self.matrix[:, [0, 1, 3]])

    def project(self, points: NDArray[np.float64], up: float = 0.0) -> NDArray[np.float64]:
        """Points (N, 2) that lie ``up`` above the plane (towards the camera), on the picture."""
        x = np.column_stack([points, np.full(len(points), -up), np.ones(len(points))]) @ self.matrix.T
        return np.asarray(x[:, :2] / x[:, 2:])


class Canvas:
    """A picture that cards are laid on, and whose each pixel is."""

    def __init__(self, picture: Picture, rng: Rng) -> None:
        self.picture, self._rng = picture, rng
        self.owner = np.full(picture.shape[:2], -1, np.int16)
        self.outlines: list[NDArray[np.float64]] = []

    def window(self, points: NDArray[np.float64], margin: int) -> tuple[slice, slice] | None:
        """The part of the picture around points; None where there is none."""
        side = self.picture.shape[0]
        x0, y0 = np.clip(np.floor(points.min(0)).astype(int) - margin, 0, side)
        x1, y1 = np.clip(np.ceil(points.max(0)).astype(int) + margin + 1, 0, side)
        return None if x1 - x0 < 2 or y1 - y0 < 2 else (slice(y0, y1), slice(x0, x1))

    def shade(self, polygon: NDArray[np.float64], sigma: float, strength: float) -> None:
        """Darken the picture under a polygon with soft edges."""
        part = self.window(polygon, int(3 * sigma) + 1)
        if part is None:
            return
        mask: NDArray[np.float32] = np.zeros(self.picture[part].shape[:2], np.float32)
        at = ((polygon - [part[1].start, part[0].start]) * 16).round().astype(np.int32)
        cv2.fillConvexPoly(mask, at, strength, cv2.LINE_AA, 4)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.float32)
        self.picture[part] = (self.picture[part] * (1 - mask[..., None])).astype(np.uint8)

    def fill(self, polygon: NDArray[np.float64], colour: NDArray[np.float32]) -> None:
        """Fill a polygon; what lies below is hidden."""
        at = np.clip(polygon * 16, -(2**20), 2**20).round().astype(np.int32)
        cv2.fillPoly(self.picture, [at], np.clip(colour, 0, 255).tolist(), cv2.LINE_AA, 4)
        cv2.fillPoly(self.owner, [at], -1, cv2.LINE_8, 4)

    def lay(self, face: Picture, box: NDArray[np.float64], corners: NDArray[np.float64]) -> None:
        """Lay a face (BGRA) with its box on four points of the picture; ``corners`` is the card's outline."""
        self.outlines.append(corners)
        part = self.window(box, 1)
        if part is None:
            return
        h, w = face.shape[:2]
        padded = cv2.copyMakeBorder(face, 2, 2, 2, 2, cv2.BORDER_REPLICATE)
        padded[:2, :, 3] = padded[-2:, :, 3] = 0
        padded[:, :2, 3] = padded[:, -2:, 3] = 0
        source = np.array([[1.5, 1.5], [w + 1.5, 1.5], [w + 1.5, h + 1.5], [1.5, h + 1.5]], np.float32)
        to = cv2.getPerspectiveTransform(source, (box - [part[1].start, part[0].start]).astype(np.float32))
        size = (part[1].stop - part[1].start, part[0].stop - part[0].start)
        warped = cv2.warpPerspective(padded, to, size, flags=cv2.INTER_LINEAR)
        alpha = warped[..., 3:].astype(np.float32) / 255
        self.picture[part] = (warped[..., :3] * alpha + self.picture[part] * (1 - alpha) + 0.5).astype(np.uint8)
        self.owner[part][warped[..., 3] > 127] = len(self.outlines) - 1

    def seen(self) -> list[Outline]:
        """The outlines with the share of each that is seen; those off the picture left out."""
        counts = np.bincount(self.owner[self.owner >= 0], minlength=len(self.outlines))
        kept = []
        for corners, count in zip(self.outlines, counts, strict=True):
            area = abs(cv2.contourArea(corners.astype(np.float32)))
            if count and area > 4:
                ordered = corners if cv2.contourArea(corners.astype(np.float32), oriented=True) > 0 else corners[::-1]
                kept.append(Outline(np.ascontiguousarray(ordered, np.float32), min(1.0, count / area)))
        return kept


def lay_cards(rng: Rng, art: Art, canvas: Canvas, camera: Camera, cards: Sequence[Lying], style: Style) -> None:
    """Lay cards with faces of one style on the canvas, flat or thick, with their shadows."""
    is_tile = rng.random() < (0.35 if style.is_hexagon else 0.25)
    thick = rng.uniform(0.03, 0.22) if is_tile else rng.uniform(0, 0.012)
    fall = rng.normal(0, 0.05 + thick, 2)
    soft, dark = rng.uniform(0.02, 0.12), rng.uniform(0, 0.6)
    side_colour = colour_of(rng) if rng.random() < 0.4 else None
    same_print = rng.random() < 0.2
    unevenness = rng.uniform(0, 0.2)
    first: Picture | None = None
    for card in cards:
        base, top = camera.project(card.corners), camera.project(card.corners, thick)
        scale = np.sqrt(abs(cv2.contourArea(top.astype(np.float32))) / 1.0) + 1e-6
        if scale > 3 * SIDE_PX or canvas.window(base, 8) is None:
            continue
        face = first if same_print and first is not None else _face_of(rng, art, style, card, scale)
        first = face
        canvas.shade(camera.project(card.corners + fall), max(0.5, soft * scale), dark)
        if thick * scale > 0.7:
            colour = face[..., :3].reshape(-1, 3).mean(0) if side_colour is None else side_colour
            hull = cv2.convexHull(np.concatenate([base, top]).astype(np.float32))[:, 0]
            canvas.fill(hull.astype(np.float64), colour * rng.uniform(0.35, 1.05))
        lit = face.copy()
        lit[..., :3] = np.clip(lit[..., :3] * np.float32(1 + rng.normal(0, unevenness)), 0, 255).astype(np.uint8)
        canvas.lay(lit, camera.project(card.box, thick), top)


def _face_of(rng: Rng, art: Art, style: Style, card: Lying, scale: float) -> Picture:
    """A card's face, about as large as it is seen."""
    across, down = (max(8, round(2 * half * 96)) for half in card.half)
    if across > down and not card.is_hexagon and rng.random() < 0.8:
        face = np.ascontiguousarray(style.face(rng, art, down, across).transpose(1, 0, 2)[::-1])
    else:
        face = style.face(rng, art, across, down)
    if card.is_hexagon and rng.random() < 0.5:
        face[..., :3] = cv2.warpAffine(
            face[..., :3],
            cv2.getRotationMatrix2D((across / 2, down / 2), rng.uniform(0, 360), 1.3),
            (across, down),
            borderMode=cv2.BORDER_REFLECT_101,
        )
    factor = scale / 96 * 1.15
    if factor < 0.85:
        size = (max(6, round(across * factor)), max(6, round(down * factor)))
        face = np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA), np.uint8)
    return face


def _cover(rng: Rng, canvas: Canvas, scale: float) -> None:
    """Lay small things over cards' edges: pieces, fingers, coins."""
    for _ in range(int(rng.integers(1, 9))):
        card = canvas.outlines[rng.integers(len(canvas.outlines))]
        side = int(rng.integers(len(card)))
        at = card[side] + rng.uniform(0, 1) * (card[side - 1] - card[side])
        size = scale * rng.uniform(0.06, 0.3) * np.array([1.0, rng.uniform(0.2, 1)])
        turns = np.arange(4) * np.pi / 2 + 0.8 if rng.random() < 0.6 else np.arange(12) * np.pi / 6
        angle = rng.uniform(0, 6.3)
        spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        shape = np.stack([np.cos(turns), np.sin(turns)], 1) * size @ spin + at
        colour = colour_of(rng)
        canvas.fill(shape + scale * 0.03, colour * 0.5)
        canvas.fill(shape, colour)


def arranged(rng: Rng, reach: float, is_hexagon: bool) -> list[Lying]:
    """Some arrangement of one deck's cards, within ``reach`` of the origin."""
    half = layouts.half_of(rng, is_hexagon)
    kind = rng.random()
    if is_hexagon:
        if kind < 0.65:
            return layouts.board(rng, half, reach)
        return layouts.scattered(rng, half, True, reach, int(rng.integers(1, 9)))
    if kind < 0.4:
        return layouts.scattered(rng, half, False, reach, int(rng.integers(1, 3 + int(3 * reach))))
    if kind < 0.82:
        return layouts.rows(rng, half, reach)
    return layouts.fan(rng, half)


def draw_scene(rng: Rng, art: Art) -> Scene:
    """Draw a photograph of cards, of hexagons or of none."""
    scale = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))))
    camera, reach = Camera(rng, SIDE_PX, scale), max(0.3, SIDE_PX / scale / 2)
    canvas = Canvas(draw_table(rng, art, SIDE_PX, camera.plane), rng)
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.5 else 0):
        draw_clutter(rng, canvas.picture, camera.plane, reach)
    if rng.random() < 0.93:
        is_hexagon = rng.random() < 0.4
        lay_deck(rng, art, canvas, camera, reach, is_hexagon)
        if rng.random() < 0.12:
            lay_deck(rng, art, canvas, camera, reach, not is_hexagon)
    return finished(rng, canvas, scale)


def draw_lone(rng: Rng, art: Art) -> Scene:
    """Draw a photograph of one card or hexagon that is wholly on it, of any size, with or without other things."""
    scale = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))))
    camera, is_hexagon = Camera(rng, SIDE_PX, scale), rng.random() < 0.5
    canvas = Canvas(draw_table(rng, art, SIDE_PX, camera.plane), rng)
    if rng.random() < 0.3:
        draw_clutter(rng, canvas.picture, camera.plane, SIDE_PX / scale / 2)
    half = layouts.half_of(rng, is_hexagon)
    room = max(0.0, 0.7 * (SIDE_PX / scale / 2 - max(half)))
    card = layouts.scattered(rng, half, is_hexagon, room, 1)
    lay_cards(rng, art, canvas, camera, card, Style.any(rng, is_hexagon))
    return finished(rng, canvas, scale)


def draw_game_table(rng: Rng, art: Art) -> Scene:
    """Draw a game in progress: decks of several sizes on a table, one on a board that is no card, and other things."""
    scale = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX / 2))))
    camera, reach = Camera(rng, SIDE_PX, scale), SIDE_PX / scale / 2
    canvas = Canvas(draw_table(rng, art, SIDE_PX, camera.plane), rng)
    places = [rng.uniform(-0.75, 0.75, 2) * reach for _ in range(int(rng.integers(1, 5)))]
    if rng.random() < 0.6:
        lay_board(rng, art, canvas, camera, places[0])
    for _ in range(int(rng.integers(0, 3))):
        draw_clutter(rng, canvas.picture, camera.plane, reach)
    for at in places:
        is_hexagon, size = rng.random() < 0.2, float(np.exp(rng.uniform(np.log(0.5), np.log(1.6))))
        cards = [
            replace(card, centre=card.centre * size + at, half=(card.half[0] * size, card.half[1] * size))
            for card in arranged(rng, min(1.5, rng.uniform(0.3, 0.6) * reach / size), is_hexagon)
        ]
        lay_cards(rng, art, canvas, camera, cards, Style.any(rng, is_hexagon))
    return finished(rng, canvas, scale)


def lay_board(rng: Rng, art: Art, canvas: Canvas, camera: Camera, centre: NDArray[np.float64]) -> None:
    """Lay a board, a mat or a box, printed with a picture and perhaps with fields as large as cards."""
    half = rng.uniform(2.2, 5.0, 2).tolist()
    board = Lying(centre + rng.uniform(-0.4, 0.4, 2) * half, (half[0], half[1]), rng.uniform(0, 2 * np.pi), False)
    face = Style.any(rng, False).face(rng, art, 256, max(8, round(256 * half[1] / half[0])))
    if rng.random() < 0.5:
        fields = rng.integers(2, 7, 2)
        for x, y in np.ndindex(*fields):
            low, high = (((np.array([x, y]) + pad) / fields * face.shape[1::-1]).astype(int) for pad in (0.12, 0.88))
            ink = (*colour_of(rng).tolist(), 255.0)
            cv2.rectangle(face, low.tolist(), high.tolist(), ink, int(rng.choice([-1, 2])))
    canvas.shade(camera.project(board.box + rng.normal(0, 0.1, 2)), 4.0, 0.4)
    canvas.lay(face, camera.project(board.box), camera.project(board.box))
    canvas.outlines.pop()
    canvas.owner[canvas.owner == len(canvas.outlines)] = -1


def lay_deck(rng: Rng, art: Art, canvas: Canvas, camera: Camera, reach: float, is_hexagon: bool) -> None:
    """Lay some cards of one deck on the canvas."""
    cards = arranged(rng, reach, is_hexagon)
    spread = np.array([c.centre for c in cards]) if cards else np.zeros((1, 2))
    if is_hexagon and rng.random() < 0.4:  # a frame or mat below the board
        rim = spread.mean(0) + (np.abs(spread - spread.mean(0)).max() + rng.uniform(0.6, 1.6)) * np.stack(
            [np.cos(t := np.arange(6) * np.pi / 3 + rng.integers(2) * np.pi / 6), np.sin(t)], 1
        )
        canvas.fill(camera.project(rim), colour_of(rng))
    style = Style.any(rng, is_hexagon)
    if rng.random() < 0.15:
        style = style.like(canvas.picture[::8, ::8].reshape(-1, 3).mean(0), rng)
    lay_cards(rng, art, canvas, camera, cards, style)


def finished(rng: Rng, canvas: Canvas, scale: float, ignored: Sequence[NDArray[np.float32]] = ()) -> Scene:
    """The canvas covered here and there, lit and photographed."""
    if canvas.outlines and rng.random() < 0.3:
        _cover(rng, canvas, scale)
    outlines = canvas.seen()
    return Scene(photograph(rng, light(rng, canvas.picture)), outlines, ignored)
