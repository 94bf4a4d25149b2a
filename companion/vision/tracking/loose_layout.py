"""How cards that lie anyhow keep their ids from picture to picture: by place, and together when the camera moves."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.vision.results import DetectedCard, is_near, sides_of
from companion.vision.tracking.layouts import ENOUGH
from companion.vision.tracking.registration import agree

MOVED = 0.1
"""Cards that lie this far from where they lay, in sides, were moved together: a bump."""
_STAYED = 0.05
"""A card seen this near to where it lay, in sides, was not moved."""
_APART = 4.0
"""Cards that all lie within so many sides may be one set, slid or lifted by a hand: they tell nothing of the camera."""
_NEAR = 0.5
_FEWEST = 2
_LEAST_SCALE = 0.7
"""A camera that was moved does not see the cards so much smaller, nor as much larger."""
_PAIRS = 120
"""So many pairs of a known card and one of its face are tried two by two, those whose face is rare first."""
_MANY = 10**6

Align = Callable[[Any, Any], DetectedCard]


class LooseLayout:
    """Cards that lie anyhow: each keeps a number of its own, ``(k, 0)``, while it is followed."""

    def __init__(self, align: Align) -> None:
        """``align`` begins a card's corners and face where those of another, seen there before, begin."""
        self._align = align

    def own(self, card: DetectedCard) -> DetectedCard:
        """See `layout.Layout`."""
        return replace(card, cell=None)

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """See `layout.Layout`."""
        return self._align(card, model)

    def named(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """See `layout.Layout`: those without a number get the next ones."""
        following = max((card.cell[0] for card in cards if card.cell is not None), default=-1) + 1
        named = []
        for card in cards:
            named.append(card if card.cell is not None else replace(card, cell=(following, 0)))
            following += card.cell is None
        return named

    def rematched(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """See `layout.Layout`. Where most cards lie where they lay, place tells; else the pattern they lie in."""
        numbered = self._numbered(known, seen, np.eye(2, 3))
        if sum(card.cell is not None for card in numbered) >= ENOUGH * len(known):
            return numbered
        carry = self._carry(known, seen)
        if carry is None:
            return None
        numbered = self._numbered(known, seen, carry)
        return numbered if sum(c.cell is not None for c in numbered) >= max(_FEWEST, ENOUGH * len(known)) else None

    def moved(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """See `layout.Layout`. Not where only cards of one set moved, nor where some stayed where they lay."""
        was = {card.cell: card for card in known}
        pairs = [(was[card.cell], card) for card in fresh if card.cell in was]
        far = [float(np.linalg.norm(np.subtract(now.centre, old.centre))) / now.side for old, now in pairs]
        if not pairs or float(np.median(far)) < MOVED or _within([now for _, now in pairs], _APART):
            return None
        if sum(is_near(c, old, _STAYED) and _same_face(c, old, self) for c in fresh for old in known) > len(pairs) / 4:
            return None
        source = np.concatenate([old.corners for old, _ in pairs]).astype(np.float32)
        target = np.concatenate([self.aligned(now, _carried(old, pairs)).corners for old, now in pairs])
        carry, _ = cv2.findHomography(source, target.astype(np.float32), cv2.RANSAC, 0.2 * pairs[0][1].side)
        if carry is None:
            return None
        return [
            replace(c, corners=cv2.perspectiveTransform(c.corners[None].astype(np.float32), carry)[0]) for c in known
        ]

    def _numbered(
        self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard], carry: NDArray[np.floating]
    ) -> list[DetectedCard]:
        """The cards seen, each with the number of the known card of the same face that was carried there."""
        there = [(replace(card, corners=_mapped(card.corners, carry)), card.cell) for card in known]
        out: list[DetectedCard] = []
        for card in seen:
            cells = [cell for old, cell in there if is_near(card, old, _NEAR) and _same_face(card, old, self)]
            out.append(replace(card, cell=cells[0] if cells else None))
        return out

    def _carry(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> NDArray[np.floating] | None:
        """The turn, scale and shift (2, 3) that take most known cards onto cards of the same face."""
        if not known or not seen:
            return None
        is_same = np.array([[_same_values(a, b) for b in seen] for a in known])
        rarity = np.where(is_same, is_same.sum(0)[None] * is_same.sum(1)[:, None], _MANY)
        pairs = np.argwhere(is_same)[np.argsort(rarity[is_same], kind="stable")][:_PAIRS]
        first, second = np.triu_indices(len(pairs), 1)
        was, now = (np.array([c.centre for c in cards]) @ np.array([1, 1j]) for cards in (known, seen))
        (a, b), (c, d) = pairs[first].T, pairs[second].T
        is_apart = (a != c) & (b != d)
        a, b, c, d = (ends[is_apart] for ends in (a, b, c, d))
        turn = (now[d] - now[b]) / (was[c] - was[a])
        is_alike = (np.abs(turn) > _LEAST_SCALE) & (np.abs(turn) < 1 / _LEAST_SCALE)
        if not is_alike.any():
            return None
        a, b, turn = a[is_alike], b[is_alike], turn[is_alike]
        there = now[b][:, None] + turn[:, None] * (was[None] - was[a][:, None])
        off = np.abs(there[:, :, None] - now[None, None])
        agreeing = ((off < _NEAR * sides_of(seen)) & is_same).any(-1).sum(-1)
        best = int(agreeing.argmax())
        linear = np.array([[turn[best].real, -turn[best].imag], [turn[best].imag, turn[best].real]])
        return np.column_stack([linear, seen[b[best]].centre - linear @ known[a[best]].centre])


def _within(cards: Sequence[DetectedCard], sides: float) -> bool:
    """No two of the cards lie farther apart than that."""
    centres = np.array([card.centre for card in cards])
    far = float(np.linalg.norm(centres[:, None] - centres[None], axis=-1).max())
    return far < sides * float(np.median([card.side for card in cards]))


def _mapped(points: NDArray[np.floating], carry: MatLike) -> NDArray[np.floating]:
    return np.asarray(points @ carry[:, :2].T + carry[:, 2], np.float32)


def _carried(old: DetectedCard, pairs: Sequence[tuple[DetectedCard, DetectedCard]]) -> DetectedCard:
    """The known card turned about its place as all cards were turned: what its corners are compared with."""
    turn, _ = cv2.estimateAffinePartial2D(
        np.array([was.centre for was, _ in pairs], np.float32), np.array([now.centre for _, now in pairs], np.float32)
    )
    return old if turn is None else replace(old, corners=_mapped(old.corners, turn))


def _same_face(card: DetectedCard, old: DetectedCard, layout: LooseLayout) -> bool:
    return agree(layout.aligned(card, old).edges, old.edges)


def _same_values(a: DetectedCard, b: DetectedCard) -> bool:
    """Both are read fully and show the same."""
    return None not in a.edges and sorted(map(str, a.edges)) == sorted(map(str, b.edges))
