"""Printings whose symbols stand upright on the card, whichever edge they lie at.

Most symbols are turned with their edges, so that all six of a card look alike from the card's middle. Upright ones look
alike as the card lies, which may be in six ways. The cards that taught a symbol each may have lain another way up, so
that each symbol may be seen turned by itself; mostly people lay them the same way up.
"""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.classifier import raw_patches, upright_patches
from companion.games.hexel.vision.embedding import LENGTH, agreeing_off, embed, embedding_input
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, softmax

PLACES = tuple(round(0.56 + 0.02 * step, 2) for step in range(15))
"""How far from a card's middle upright symbols may lie, in apothems."""
_CLEARER, _TURNED = 0.7, 0.6
"""Upright symbols differ by such a share at most of what they would differ if they were turned with their edges. Those
that are turned differ by less than the second, cards of one symbol in the mean: by 0.5 at most on 15 path-traced
printings and by 0.8 on one with a lamp in two symbols, where 14 drawn upright ones differ by 1.4 to 3.3."""
_SAME_WAY_UP = 0.2
"""How likely the cards that taught the symbols lay the same way up: if more, one new symbol alone is soon misread where
they did not."""
_OPPOSITE = (0, 3)
"""Edges of which a hand or an outline a little off hardly spoils both."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Cards in each of the ways they may lie: each symbol turned by so many sixths since it was taught, W ways in all.

    Attributes:
        turns: (W, K), how far each of the symbols is turned.
        squared: (W, N, 6, K), the squared distances of the patches to the prototypes.
        likely: (W, N), how likely each card lies each way.
    """

    turns: NDArray[np.int64]
    squared: NDArray[np.float32]
    likely: NDArray[np.float32]

    @property
    def up(self) -> NDArray[np.int64]:
        """Which of its card's directions each patch (N, 6) has at its top, as the card lies most likely and the nearest
        symbol is turned.
        """
        best = self.likely.argmax(0)
        kinds = self.squared[best, np.arange(len(best))].argmin(-1)
        return np.take_along_axis(self.likeliest, kinds, axis=1)

    @property
    def likeliest(self) -> NDArray[np.int64]:
        """How far each symbol is turned on each card as it lies most likely, (N, K)."""
        return np.asarray(self.turns[self.likely.argmax(0)])


def usual_offsets(count: int) -> NDArray[np.floating]:
    """How likely the cards that taught so many symbols lay to each other in each of O ways, as logarithms (O,)."""
    others = 6 ** (count - 1) - 1
    return np.log([_SAME_WAY_UP] + [(1 - _SAME_WAY_UP) / others] * others)


@dataclass(frozen=True, slots=True, eq=False)
class UprightSymbols:
    """The symbols of a printing that stand upright on the card; see `SymbolProfile`.

    Attributes:
        prototypes: (K, E), the mean embedding of each symbol.
        face_value: (3,), the face's colour after white balance, BGR.
        at: how far from the card's middle the symbols lie, in apothems.
    """

    prototypes: NDArray[np.float32]
    face_value: NDArray[np.float32]
    at: float

    def lying(
        self,
        net: Network,
        pyramid: Pyramid,
        corners: NDArray[np.floating],
        offsets: NDArray[np.floating] | None = None,
    ) -> Lying:
        """Cards (N, 6, 2) in each of the ways they may lie.

        Args:
            offsets: (O,), how likely the taught cards lay to each other in each way, by what is known beside these
                cards, as logarithms; None for what is usual, see `usual_offsets`.
        """
        seen = _embedded(net, pyramid, corners, self.face_value, self.at)
        turns = _all_turns(len(self.prototypes))
        squared = _squared_each_way(seen, self.prototypes, turns)
        fit = _fit(squared.min(-1))
        offsets = usual_offsets(len(self.prototypes)) if offsets is None else offsets
        likely = softmax((fit + _expected(fit, offsets)).T).T
        return Lying(turns, squared, np.asarray(likely, np.float32))

    def offset_likelihoods(
        self, net: Network, pyramid: Pyramid, corners: NDArray[np.floating], names: NDArray[np.int64] | None = None
    ) -> NDArray[np.floating]:
        """How well cards (N, 6, 2) fit each way the taught cards may have lain to each other: (O,) log likelihoods.

        Args:
            names: (N, 6), the place of each symbol among the prototypes, where it is known.
        """
        seen = _embedded(net, pyramid, corners, self.face_value, self.at)
        squared = _squared_each_way(seen, self.prototypes, _all_turns(len(self.prototypes)))
        known = squared.min(-1) if names is None else np.take_along_axis(squared, names[None, :, :, None], -1)[..., 0]
        return np.asarray(_by_offset(_fit(known)).sum(1))

    def patches(
        self, pyramid: Pyramid, corners: NDArray[np.floating], up: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The raw patches of cards (N, 6, 2) and their faces; see `Lying.up`."""
        return _turned_patches(pyramid, corners, up, self.at)

    def least_squared(self, net: Network, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """The least squared distance (N,) of two opposite patches of cards (N, 6, 2) to a prototype, whatever is up.

        It takes a third of the time of `lying`, and tells most outlines that show no card of the printing.
        """
        seen = _embedded(net, pyramid, corners, self.face_value, self.at, _OPPOSITE)
        return np.asarray(((seen[..., None, :] - self.prototypes) ** 2).sum(-1).min((0, 2, 3)))


def _all_turns(count: int) -> NDArray[np.int64]:
    """How far each of so many symbols may be turned: (6 O, K), six ways up for each way the taught cards may have lain.

    The first six are those of cards that lay the same way up.
    """
    offsets = np.array([(0, *others) for others in product(range(6), repeat=count - 1)])
    return np.asarray((offsets[:, None] + np.arange(6)[:, None]).reshape(-1, count) % 6)


def _squared_each_way(
    seen: NDArray[np.floating], prototypes: NDArray[np.floating], turns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The squared distances (W, N, 6, K) of embeddings (6, N, 6, E) to the prototypes (K, E)."""
    each = ((seen[..., None, :] - prototypes) ** 2).sum(-1)
    return np.stack([each[turns[:, k], :, :, k] for k in range(len(prototypes))], -1)


def _fit(squared: NDArray[np.floating]) -> NDArray[np.floating]:
    """How well each card fits each way (W, N), as logarithms, by the squared distances (W, N, 6) of its symbols."""
    return np.asarray(-LIMITS.sharpness_of_ways * np.minimum(squared, LIMITS.none_at).sum(-1))


def _embedded(
    net: Network,
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    value: NDArray[np.floating],
    at: float,
    edges: Sequence[int] = range(6),
) -> NDArray[np.float32]:
    """The embeddings (6, N, edges, E) of the patches at some edges of cards (N, 6, 2), with each direction up.

    Each is worked out once on a picture: readers ask for the same outlines again and again.
    """
    known = pyramid.memo.setdefault(("upright", net, at, value.tobytes()), {})
    cards = [known.setdefault(one.tobytes(), np.full((6, 6, LENGTH), np.nan, np.float32)) for one in corners]
    lacking = np.array([np.isnan(card[0, :, 0]) for card in cards])
    lacking[:, [edge for edge in range(6) if edge not in edges]] = False
    for pattern in np.unique(lacking, axis=0):
        some, open_edges = np.flatnonzero((lacking == pattern).all(1)), np.flatnonzero(pattern)
        for turn in range(6) if len(open_edges) else ():
            patches = embedding_input(*upright_patches(pyramid, corners[some], turn, at), value)[:, open_edges]
            for card, embeddings in zip(some, embed(net, patches), strict=True):
                cards[card][turn, open_edges] = embeddings
    return np.stack(cards, axis=1)[:, :, edges]


def _turned_patches(
    pyramid: Pyramid, corners: NDArray[np.floating], up: NDArray[np.integer], at: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The raw patches of cards (N, 6, 2), each with a direction ``up`` (N, 6) at its top, and the faces."""
    colours, faces = upright_patches(pyramid, corners, 0, at)
    for turn in np.unique(up[up > 0]).tolist():
        some = np.flatnonzero((up == turn).any(1))
        turned, _ = upright_patches(pyramid, corners[some], turn, at)
        colours[some] = np.where((up[some] == turn)[..., None, None, None], turned, colours[some])
    return colours, faces


def _by_offset(fit: NDArray[np.floating]) -> NDArray[np.floating]:
    """How well each card fits each way the taught cards may have lain (O, N), by its fit (W, N) to `_all_turns`."""
    return np.asarray(np.logaddexp.reduce(fit.reshape(-1, 6, fit.shape[1]), axis=1))


def _expected(fit: NDArray[np.floating], offsets: NDArray[np.floating]) -> NDArray[np.floating]:
    """How likely each way (W, N) is by all other cards: how the taught cards lay to each other is the same for all.

    Args:
        fit: (W, N), how well each card fits each way.
        offsets: (O,), how likely those ways are beside these cards; all as logarithms.
    """
    each = _by_offset(fit)
    others = offsets[:, None] + each.sum(1, keepdims=True) - each
    return np.repeat(others - np.logaddexp.reduce(others, axis=0), 6, axis=0)


def where_upright(net: Network, pyramid: Pyramid, corners: NDArray[np.floating], value: NDArray[np.floating]) -> float:
    """How far from their card's middle upright symbols lie; see `SymbolProfile`.

    Args:
        net: the embedding network.
        pyramid: a photograph.
        corners: (N, 6, 2) pixels of its cards, on each of which all six symbols are the same.
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
    seen = _embedded(net, pyramid, corners, value, upright_at)
    turns = np.zeros((len(names), 6), np.intp)
    for card, edges in enumerate(names):
        for name in {name for name in edges if name is not None}:
            own = [edge for edge, other in enumerate(edges) if other == name]
            looks = seen[:, card, own]
            turns[card, own] = ((looks - known[name]) ** 2).sum((1, 2)).argmin() if name in known else 0
            known.setdefault(name, np.median(looks[0], axis=0))
    return _turned_patches(pyramid, corners, turns, upright_at)
