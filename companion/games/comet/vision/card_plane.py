"""The plane that cards of one size lie in: how the picture must be seen for all of them to be alike.

An outline that is a little off, or half hidden, is put right by the others: in the plane it is a rectangle of their
size.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import card_to_image
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry.shapes import mapped
from companion.vision.refinement.strips import fit_homography

Floats = NDArray[np.float64]
_ROUNDS = 12


@dataclass(frozen=True, slots=True, eq=False)
class CardPlane:
    """A plane seen in a picture; its unit is half a card's height.

    Attributes:
        plane_from_image: homography (3, 3).
        half_width: of the cards.
    """

    plane_from_image: Floats
    half_width: float

    @staticmethod
    def through(outlines: NDArray[np.floating], half_width: float) -> "CardPlane":
        """The plane in which most outlines (N, 4, 2), N at least 1, are nearest to cards.

        Args:
            outlines: each begun at its top left corner as it is read, or at the opposite one.
            half_width: of the cards.
        """
        quads = np.asarray(outlines, np.float64)
        unit = _unit(half_width)
        frames = [np.linalg.inv(card_to_image(quad, half_width)).astype(np.float64) for quad in quads]
        frames += [_affine(quad, unit) for quad in quads]
        plane = min(
            (CardPlane(frame, half_width) for frame in frames), key=lambda one: float(np.median(one.oddness(quads)))
        )
        for _ in range(_ROUNDS if len(quads) > 1 else 0):
            off = plane.oddness(quads)
            spread = max(float(np.median(off)), LIMITS.exact_corner)
            weights = np.repeat(1 / (1 + (off / spread) ** 2) ** 2, 4)
            wanted = plane._rigid(quads)
            found = fit_homography(quads.reshape(-1, 2), wanted.reshape(-1, 2), weights)
            plane = CardPlane(np.asarray(found / found[2, 2]), half_width)
        return plane

    def oriented(self, outlines: NDArray[np.floating]) -> Floats:
        """The outlines (N, 4, 2), begun at the next corner where that is nearer to a card of this proportion."""
        both = np.stack([outlines, np.roll(outlines, -1, 1)])
        off = np.stack([self.oddness(one) for one in both])
        return np.asarray(both[off.argmin(0), np.arange(both.shape[1])], np.float64)

    def straightened(self, outlines: NDArray[np.floating]) -> Floats:
        """The outlines (N, 4, 2) as cards that lie in the plane about there are seen."""
        return mapped(np.linalg.inv(self.plane_from_image), self._rigid(np.asarray(outlines, np.float64)))

    def anchored(self, outline: NDArray[np.floating]) -> Floats:
        """The cards (5, 4, 2) that lie as an outline (4, 2) does about its middle and about each of its corners."""
        quad = np.asarray(outline, np.float64)[None]
        rigid = self._rigid(quad)[0]
        away = mapped(self.plane_from_image, quad)[0] - rigid
        shifts = np.concatenate([np.zeros((1, 2)), away])
        return mapped(np.linalg.inv(self.plane_from_image), rigid + shifts[:, None])

    def moved(self, outline: NDArray[np.floating], steps: NDArray[np.float64]) -> Floats:
        """The cards (N, 4, 2) that lie as an outline (4, 2) does, moved along its sides by steps (N, 2)."""
        rigid = self._rigid(np.asarray(outline, np.float64)[None])[0]
        sides = np.stack([(rigid[1] - rigid[0]) / (2 * self.half_width), (rigid[3] - rigid[0]) / 2])
        return mapped(np.linalg.inv(self.plane_from_image), rigid + (steps @ sides)[:, None])

    def at(self, outline: NDArray[np.floating], place: NDArray[np.floating]) -> Floats:
        """The card (4, 2) whose middle is seen at a place (2,), turned as an outline (4, 2) is."""
        rigid = self._rigid(np.asarray(outline, np.float64)[None])[0]
        shift = mapped(self.plane_from_image, np.asarray(place, np.float64)) - rigid.mean(0)
        return mapped(np.linalg.inv(self.plane_from_image), rigid + shift)

    def oddness(self, outlines: NDArray[np.floating]) -> Floats:
        """How far each outline's corners (N, 4, 2) lie from those of a card about there (N,), in half heights."""
        quads = np.asarray(outlines, np.float64)
        off = mapped(self.plane_from_image, quads) - self._rigid(quads)
        return np.asarray(np.sqrt((off**2).sum(-1).mean(-1)))

    def _rigid(self, quads: Floats) -> Floats:
        """The cards (N, 4, 2) in the plane that lie nearest to outlines in the picture."""
        flat = mapped(self.plane_from_image, quads)
        points = flat[..., 0] + 1j * flat[..., 1]
        unit = _unit(self.half_width)
        model = unit[:, 0] + 1j * unit[:, 1]
        middle = points.mean(1, keepdims=True)
        turn = ((points - middle) * model.conj()).sum(1, keepdims=True)
        found = middle + turn / np.maximum(np.abs(turn), 1e-9) * model
        return np.stack([found.real, found.imag], -1)


def _unit(half_width: float) -> Floats:
    return np.array([[-half_width, -1.0], [half_width, -1.0], [half_width, 1.0], [-half_width, 1.0]])


def _affine(quad: Floats, unit: Floats) -> Floats:
    """The affine map (3, 3) that takes an outline (4, 2) nearest to a card's corners."""
    away = quad - quad.mean(0)
    found = np.eye(3)
    found[:2, :2] = (np.linalg.lstsq(away, unit, rcond=None)[0]).T
    found[:2, 2] = -found[:2, :2] @ quad.mean(0)
    return found
