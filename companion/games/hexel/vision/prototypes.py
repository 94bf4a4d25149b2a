"""The profile of a taught Hex'el printing: the prototypes of its symbols and the colour of its face.

A symbol's prototype is the mean embedding (`models/hexel/embedding`) of its patches on the teaching photographs; a
patch gets the symbol of the nearest prototype. Symbols are turned with the edges that they lie at, or stand upright on
their card: then a card is looked at each of the six ways it may lie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused
from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.classifier import (
    FACE_VALUE,
    contrast_levels,
    is_unevenly_lit,
    over_face,
    raw_patches,
    without_reflection,
)
from companion.games.hexel.vision.embedding import LENGTH, NETWORK, agreeing_off, embed, embedding_input
from companion.games.hexel.vision.picture_light import with_face_colour
from companion.games.hexel.vision.thresholds import LIMITS
from companion.games.hexel.vision.upright import PLACES, UprightSymbols, taught_patches
from companion.vision.enrolment.profile import Profile, expected_doubts
from companion.vision.enrolment.sample import CropFrame, mosaic
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network

RADIUS_PX, SIDE_PX = 80, 184
FRAME = CropFrame((SIDE_PX, SIDE_PX), HEXAGON.unit * RADIUS_PX + (SIDE_PX - 1) / 2)
"""Where a card lies on the crops that a profile keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class SymbolProfile(Profile):
    """A taught printing.

    Attributes:
        symbols: the names of the symbols.
        prototypes: (K, E) float32, the mean embedding of each symbol.
        face_value: (3,) float32, the face's colour after white balance, BGR.
        upright_at: how far from the card's middle symbols lie that stand upright on it whichever edge they lie at, in
            apothems; 0 where they are turned with their edges.
    """

    GAME: ClassVar[str] = "hexel"
    VERSION: ClassVar[int] = 4
    NETWORKS: ClassVar[tuple[str, ...]] = (NETWORK,)
    KEYS: ClassVar[Mapping[str, str]] = {"prototypes": "looks"}
    symbols: tuple[str, ...]
    prototypes: NDArray[np.float32]
    face_value: NDArray[np.float32]
    upright_at: float = 0.0

    def summary(self) -> str:
        """What was learnt, for people."""
        how = ", upright on the cards" if self.upright_at else ""
        return f"{', '.join(self.symbols)} of {self.deck}{how}{expected_doubts(self.ambiguous_pairs)}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        count = len(self.symbols)
        are_symbols = len(set(self.symbols)) == count and set(self.symbols) <= set(
            SYMBOLS.get(self.deck.removeprefix("hexel"), ())
        )
        is_place = self.upright_at == 0 or PLACES[0] <= self.upright_at <= PLACES[-1]
        shapes = (self.prototypes.shape, self.face_value.shape)
        return are_symbols and is_place and count > 1 and shapes == ((count, LENGTH), (3,))

    def patches(
        self,
        net: Network,
        pyramid: Pyramid,
        corners: NDArray[np.floating],
        offsets: NDArray[np.floating] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `raw_patches`; of upright symbols the way each card lies, see `UprightSymbols.lying`."""
        if self.upright is None or not len(corners):
            return raw_patches(pyramid, corners)
        return self.upright.patches(pyramid, corners, self.upright.lying(net, pyramid, corners, offsets).up)

    @property
    def upright(self) -> UprightSymbols | None:
        """The symbols, where they stand upright on the cards; None where they are turned with their edges."""
        return UprightSymbols(self.prototypes, self.face_value, self.upright_at) if self.upright_at else None

    @property
    def ambiguous_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of symbols that are hard to tell apart."""
        return _nearer_than(LIMITS.alike_squared, self.symbols, self.prototypes)


def face_value_of(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """The face's colour (3,) after white balance: white for a light face; a dark one relative to its brightest print.

    Args:
        pyramid: a photograph of some of its cards.
        corners: (N, 6, 2) pixels of those cards.
    """
    colours, faces = without_reflection(*raw_patches(pyramid, corners))
    patches = over_face(colours, faces, LIMITS.dim_face)
    face = np.median(faces, axis=0)
    bright = float(np.percentile((patches * (faces / LIMITS.dim_face)[:, None, None, None]).max(-1), 95))
    if face.max() > 0.6 * bright:
        return np.full(3, FACE_VALUE, np.float32)
    return np.asarray(FACE_VALUE * face / bright, np.float32)


def fit_prototypes(
    net: Network,
    deck: str,
    photographs: Sequence[tuple[Pyramid, NDArray[np.floating], Sequence[Sequence[str | None]]]],
    weights: Sequence[float] | None = None,
    upright_at: float = 0.0,
) -> SymbolProfile:
    """Learn a printing: a symbol's prototype is its mean embedding over the photographs.

    Args:
        net: the embedding network.
        upright_at: see `SymbolProfile`.
        photographs: pictures with the corners (N, 6, 2) of their cards and each card's six symbols in the order of its
            own edges: direction 0 is the edge between its corners 0 and 1.
        weights: of each photograph; None for the same.

    Raises:
        TeachingRefused: ``unclear``, none of the cards of a symbol is seen clearly.
    """
    values = [face_value_of(pyramid, corners) for pyramid, corners, _ in photographs]
    kept = _well_exposed(values, [names for *_, names in photographs])
    value = np.median([values[i] for i in kept], axis=0)
    embeddings_of: dict[str, list[np.ndarray]] = {}
    weight_of: dict[str, list[float]] = {}
    overexposed: set[str | None] = set()
    known: dict[str, NDArray[np.floating]] = {}
    patches = [taught_patches(net, *photograph, value, upright_at, known) for photograph in photographs]
    for i in kept:
        names, (colours, faces) = photographs[i][2], patches[i]
        weight = 1.0 if weights is None else weights[i]
        embeddings: dict[str, list[NDArray[np.float32]]] = {}
        is_seen = shows_print(colours)
        is_lit = is_unevenly_lit(colours)
        answers = embed(net, embedding_input(*without_reflection(colours, faces), value))
        for k, (six, edges) in enumerate(zip(answers, names, strict=True)):
            is_clear = bool(is_seen[k]) and (len(set(edges)) > 1 or agreeing_off(six) <= LIMITS.unclear)
            overexposed.update(edges if not is_seen[k] or (is_lit[k] and not is_clear) else ())
            for embedding, name in zip(six, edges, strict=True):
                if name is not None:
                    embeddings.setdefault(name, []).extend([embedding] if is_clear else [])
        for name, own in embeddings.items():
            embeddings_of.setdefault(name, []).extend([_inliers(np.stack(own)).mean(0)] if own else [])
            weight_of.setdefault(name, []).extend([weight] if own else [])
    unclear = [name for name, own in embeddings_of.items() if not own]
    if unclear and unclear[0] in overexposed:
        raise TeachingRefused(
            f"the symbol {unclear[0]} does not show: too much light lies on the cards, or too little; photograph them "
            "in softer light",
            code="unclear",
            names=unclear[:1],
        )
    if unclear:
        raise TeachingRefused(
            f"the symbol {unclear[0]} is not seen clearly: lay the cards on a plain ground, larger in the picture",
            code="unclear",
            names=unclear[:1],
        )
    symbols = tuple(sorted(embeddings_of))
    prototypes = np.stack([np.average(embeddings_of[s], axis=0, weights=weight_of[s]) for s in symbols]).astype(
        np.float32
    )
    return SymbolProfile(deck, symbols, prototypes, value.astype(np.float32), upright_at)


def shows_print(colours: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which cards (N,) of raw patches (N, S, PATCH, PATCH, 3) show what is printed on them: half of it stands out."""
    return np.asarray(np.median(contrast_levels(colours), axis=1) >= LIMITS.seen_levels)


def _well_exposed(values: Sequence[NDArray[np.float32]], names: Sequence[Sequence[Sequence[str | None]]]) -> list[int]:
    """Which photographs to learn from: those that show the face darkest, if they show every symbol.

    Overexposure and haze make a dark face lighter beside what is printed on it, and what is printed less of a colour.
    """
    lightest = [float(value.max()) for value in values]
    kept = [i for i, light in enumerate(lightest) if light <= LIMITS.well_exposed * min(lightest)]
    shown, wanted = ({name for i in some for six in names[i] for name in six} for some in (kept, range(len(values))))
    return kept if shown == wanted else list(range(len(values)))


def overexposed(net: Network, profile: SymbolProfile, face: Sequence[float]) -> SymbolProfile:
    """A printing as its samples look where their faces have a colour (3,) that may be lighter than white.

    A symbol that does not show then keeps its prototype.
    """
    colours, faces = with_face_colour(*profile.patches(net, *mosaic(profile.samples, FRAME)), np.array(face))
    embeddings = embed(net, embedding_input(colours, faces, profile.face_value))
    names = np.array([sample.label["edges"] for sample in profile.samples], object)
    is_shown = contrast_levels(colours) >= LIMITS.shown_levels
    prototypes = profile.prototypes.copy()
    for k, symbol in enumerate(profile.symbols):
        own = embeddings[(names == symbol) & is_shown]
        prototypes[k] = np.median(own, axis=0) if len(own) else prototypes[k]
    return replace(profile, prototypes=prototypes)


def _nearer_than(
    squared: float, symbols: Sequence[str], prototypes: NDArray[np.float32]
) -> tuple[tuple[str, str], ...]:
    """The pairs of symbols whose prototypes (K, E) have a smaller squared distance."""
    kinds = range(len(symbols))
    near = [(a, b) for a in kinds for b in range(a) if ((prototypes[a] - prototypes[b]) ** 2).sum() < squared]
    return tuple((symbols[b], symbols[a]) for a, b in near)


def _inliers(answers: NDArray[np.floating]) -> NDArray[np.float32]:
    """The half of a symbol's embeddings (M, E) nearest to their median: something may cover a patch."""
    off = ((answers - np.median(answers, axis=0)) ** 2).sum(-1)
    return np.asarray(answers[np.argsort(off)[: max(2, (len(answers) + 1) // 2)]])
