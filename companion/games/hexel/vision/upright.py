"""Printings whose symbols stand upright on the card, whichever edge they lie at.

Most symbols are turned with their edges, so that all six of a card look alike from the card's middle. Upright ones look
alike as the card lies; it may lie in six ways.
"""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.classifier import raw_patches, upright_patches
from companion.games.hexel.vision.embedding import agreeing_off, embed, embedding_input
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, softmax

PLACES = tuple(round(0.56 + 0.02 * step, 2) for step in range(15))
"""How far from a card's middle upright symbols may lie, in apothems."""
_CLEARER, _TURNED = 0.7, 0.6
"""Upright symbols differ by such a share at most of what they would differ if they were turned with their edges. Those
that are turned differ by less than the second, cards of one symbol in the mean: by 0.5 at most on 15 path-traced
printings and by 0.8 on one with a lamp in two symbols, where 14 drawn upright ones differ by 1.4 to 3.3."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Cards in each of the six ways they may lie.

    Attributes:
        colours: (6, N, 6, PATCH, PATCH, 3), their raw patches; see `upright_patches`.
        faces: (N, 3), their faces.
        squared: (6, N, 6, K), the squared distances of the patches to the prototypes.
    """

    colours: NDArray[np.float32]
    faces: NDArray[np.float32]
    squared: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        net: Network,
        pyramid: Pyramid,
        corners: NDArray[np.floating],
        prototypes: NDArray[np.float32],
        value: NDArray[np.float32],
        at: float,
    ) -> "Lying":
        """Cards (N, 6, 2) of a printing; see `SymbolProfile`."""
        ways = [upright_patches(pyramid, corners, turn, at) for turn in range(6)]
        seen = np.stack([embed(net, embedding_input(*way, value)) for way in ways])
        squared = ((seen[..., None, :] - prototypes) ** 2).sum(-1)
        return cls(np.stack([colours for colours, _ in ways]), ways[0][1], squared)

    @property
    def likely(self) -> NDArray[np.float32]:
        """How likely each card lies each way (6, N)."""
        off = np.minimum(self.squared.min(-1), LIMITS.none_at).sum(-1)
        return np.asarray(softmax(-LIMITS.sharpness_of_ways * off.T).T, np.float32)

    @property
    def patches(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The patches of each card the way it lies most likely, and their faces."""
        best = self.likely.argmax(0)
        return self.colours[best, np.arange(len(best))], self.faces


def where_upright(net: Network, pyramid: Pyramid, corners: NDArray[np.floating], value: NDArray[np.floating]) -> float:
    """How far from the middle of cards of one symbol each symbols lie that stand upright; see `SymbolProfile`.

    Args:
        net: the embedding network.
        pyramid: a photograph.
        corners: (N, 6, 2) pixels of its cards.
        value: (3,), the face's colour after white balance.

    Returns:
        0 where the symbols look alike turned with their edges, or neither way.
    """

    def off(patches: tuple[NDArray[np.float32], NDArray[np.float32]]) -> NDArray[np.floating]:
        return agreeing_off(embed(net, embedding_input(*patches, value)))

    turned = off(raw_patches(pyramid, corners))
    if not len(corners) or turned.mean() <= _TURNED:
        return 0.0
    upright = [off(upright_patches(pyramid, corners, 0, at)) for at in PLACES]
    best = int(np.argmin([one.mean() for one in upright]))
    is_clear = upright[best].max() <= LIMITS.unclear and upright[best].mean() < _CLEARER * turned.mean()
    return PLACES[best] if is_clear else 0.0


def taught_patches(
    net: Network,
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    names: Sequence[Sequence[str | None]],
    value: NDArray[np.floating],
    upright_at: float,
    known: MutableMapping[str, NDArray[np.floating]],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The raw patches of cards (N, 6, 2) whose six symbols are named, and their faces; see `SymbolProfile.patches`.

    Upright symbols that were never seen lie with their tops in the card's direction 0, all others as ``known``, where
    what is seen is added: the embedding of each name.
    """
    if not upright_at or not len(corners):
        return raw_patches(pyramid, corners)
    ways = [upright_patches(pyramid, corners, turn, upright_at) for turn in range(6)]
    seen = np.stack([embed(net, embedding_input(*way, value)) for way in ways])
    turns = []
    for card, edges in enumerate(names):
        old = [edge for edge, name in enumerate(edges) if name in known]
        off = [sum(((six[edge] - known[str(edges[edge])]) ** 2).sum() for edge in old) for six in seen[:, card]]
        turns.append(int(np.argmin(off)))
        for name in {name for name in edges if name is not None} - set(known):
            own = [edge for edge, other in enumerate(edges) if other == name]
            known[name] = np.median(seen[turns[-1], card, own], axis=0)
    return np.stack([colours for colours, _ in ways])[turns, np.arange(len(turns))], ways[0][1]
