"""Classifies the symbols of a taught printing, the uncertain ones with test-time augmentation.

Symbols are symmetric about the line from the card's middle outwards: mirroring one half removes what covers the other.
A shadow or a veil over a part of the card is divided out by the bare face in the patch itself. A variant counts where
it is clearly nearer to a prototype than the patch as it is. Similar patches of one card share their probabilities.
Overexposed patches show no symbol. Where either a picture or what taught the printing is overexposed, the other is
brightened until its symbols look alike.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.any_print import printed_lines
from companion.games.hexel.vision.classifier import (
    PATCH,
    accept_symbols,
    bare_face,
    contrast,
    contrast_levels,
    face_colours,
    faces_of,
    over_face,
    raw_patches,
)
from companion.games.hexel.vision.embedding import NETWORK, embed, embedding_input
from companion.games.hexel.vision.picture_light import (
    Brightness,
    apply_two_symbol_prior,
    at_exposure,
    classify_adapted,
    exposures_between,
    face_colours_without_clipping,
    is_print_burnt_out,
    squared_distances,
    symbol_chances,
)
from companion.games.hexel.vision.prototypes import FRAME, SymbolProfile, overexposed
from companion.games.hexel.vision.thresholds import LIMITS
from companion.games.hexel.vision.upright import Lying, usual_offsets
from companion.vision.edge_refinement import clear_outlines
from companion.vision.enrolment.sample import in_grey, mosaic, taught_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, network

_FACE_STEP = 4.0
"""Levels of a face's colour: nearer ones look alike."""


def symbol_probabilities(
    net: Network,
    profile: SymbolProfile,
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    plain: float,
    exposure: float = 0.0,
    offsets: NDArray[np.floating] | None = None,
) -> NDArray[np.float32]:
    """The probabilities of the profile's symbols and, last, of none of them: (N, 6, K + 1).

    Args:
        net: the embedding network.
        profile: of the printing.
        corners: (N, 6, 2) pixels of its cards.
        plain: the confidence above which a symbol is not augmented; see also `classify_adapted`.
        exposure: see `FewShotSymbols`.
        offsets: see `FewShotSymbols`.
    """
    if len(corners) == 0:
        return np.zeros((0, 6, len(profile.symbols) + 1), np.float32)
    upright = profile.upright
    lying = upright.lying(net, pyramid, corners, offsets) if upright else None
    raw = upright.patches(pyramid, corners, lying.up) if upright and lying else raw_patches(pyramid, corners)
    shown = is_shown(*raw)
    colours, faces = at_exposure(*raw, exposure)
    if lying is None:
        embeddings = _embeddings_of_turned(net, pyramid, corners, exposure, profile.face_value, (colours, faces))
    else:
        embeddings = embed(net, embedding_input(colours, faces, profile.face_value))
    probabilities = classify_adapted(profile.prototypes, embeddings, LIMITS.none_at, plain)
    is_clear = probabilities[..., :-1].max(-1) >= plain
    is_open = ~is_clear & shown & (is_clear.sum(1) >= LIMITS.fewest_plain)[:, None]
    if is_open.any():
        is_nearer, embeddings = _embed_variants(net, profile, colours, faces, embeddings, is_open)
        augmented = classify_adapted(profile.prototypes, embeddings, LIMITS.none_at, plain)
        probabilities[is_nearer] = augmented[is_nearer]
    probabilities = _pool_similar_symbols(probabilities, embeddings, plain)
    if lying is not None:
        probabilities = _over_ways(probabilities, lying)
    probabilities[~shown] = np.eye(len(profile.symbols) + 1, dtype=np.float32)[-1]
    return probabilities


def _embeddings_of_turned(
    net: Network,
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    exposure: float,
    value: NDArray[np.floating],
    seen: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
) -> NDArray[np.float32]:
    """The embeddings (N, 6, E) of cards (N, 6, 2) whose symbols are turned with their edges, at an exposure.

    Each is worked out once on a picture: readers ask for the same outlines again and again.

    Args:
        value: the face's value, see `cut_patches`.
        seen: the cards' raw patches and faces at that exposure, where they are cut already.
    """
    known = pyramid.memo.setdefault(("turned", net, exposure, value.tobytes()), {})
    keys = [card.tobytes() for card in np.asarray(corners, np.float32)]
    lacking = [i for i, key in enumerate(keys) if key not in known]
    if lacking:
        if seen is None:
            colours, faces = at_exposure(*raw_patches(pyramid, corners[lacking]), exposure)
        else:
            colours, faces = (part[lacking] for part in seen)
        answers = embed(net, embedding_input(colours, faces, value))
        known.update(zip([keys[i] for i in lacking], answers, strict=True))
    return np.stack([known[key] for key in keys])


def _over_ways(probabilities: NDArray[np.float32], lying: Lying) -> NDArray[np.float32]:
    """The probabilities (N, 6, K + 1) of cards the ways they lie most likely, with what the other ways would show."""
    ways, cards = lying.squared.shape[:2]
    each = symbol_chances(lying.squared.reshape(ways * cards, *lying.squared.shape[2:]), LIMITS.none_at)
    each = each.reshape(ways, *probabilities.shape)
    each[lying.likely.argmax(0), np.arange(cards)] = probabilities
    return np.asarray((lying.likely[..., None, None] * each).sum(0), np.float32)


def _pool_similar_symbols(
    probabilities: NDArray[np.float32], embeddings: NDArray[np.float32], plain: float
) -> NDArray[np.float32]:
    """Average the uncertain probabilities (N, 6, K + 1) over the similar symbols of the same card."""
    squared = ((embeddings[:, :, None] - embeddings[:, None]) ** 2).sum(-1)
    is_similar = squared < LIMITS.like_squared
    logs = np.log(np.maximum(probabilities, 1e-6))
    mean = np.exp(np.einsum("nij,njc->nic", is_similar, logs) / is_similar.sum(2)[..., None])
    mean /= mean.sum(-1, keepdims=True)
    confidence = probabilities.max(-1)
    helps = (confidence < plain) & (mean.max(-1) > confidence) & (is_similar.sum(2) >= LIMITS.fewest_likes)
    return np.where(helps[..., None], mean, probabilities).astype(np.float32)


def is_shown(colours: NDArray[np.float32], faces: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which raw patches, see `raw_patches`, show anything: (N, 6) bool; overexposed ones do not.

    On a face that is burnt out to white a faint trace may be of any pale symbol.
    """
    is_burnt_out = faces.min(axis=1) >= LIMITS.burnt_out_level
    least = np.where(is_burnt_out, LIMITS.shown_on_burnt_out, LIMITS.shown_levels)
    return np.asarray(contrast_levels(colours) >= least[:, None])


def _embed_variants(
    net: Network,
    profile: SymbolProfile,
    colours: NDArray[np.float32],
    faces: NDArray[np.float32],
    embeddings: NDArray[np.float32],
    is_open: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which open patches (N, 6) have a variant nearer to a prototype, and all embeddings with those of the variants."""
    card, edge = np.nonzero(is_open)
    variants = _patch_variants(colours, faces, profile.face_value, card, edge)
    embedded = embed(net, variants.reshape(-1, 1, PATCH, PATCH, 6)).reshape(len(variants), len(card), -1)
    squared = squared_distances(profile.prototypes, embedded).min(-1)
    first = squared_distances(profile.prototypes, embeddings)[card, edge].min(-1)
    best, lowest = squared.argmin(0), squared.min(0)
    counts = (lowest < LIMITS.near_prototype) & (lowest < LIMITS.nearer_share * first)
    augmented, is_nearer = embeddings.copy(), np.zeros(is_open.shape, bool)
    augmented[card[counts], edge[counts]] = embedded[best, np.arange(len(card))][counts]
    is_nearer[card[counts], edge[counts]] = True
    return is_nearer, augmented


def _patch_variants(
    colours: NDArray[np.float32],
    faces: NDArray[np.float32],
    value: NDArray[np.float32],
    card: NDArray[np.int64],
    edge: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Four variants (4, M, PATCH, PATCH, 6) of patches: either half mirrored, and two white balances of their own."""
    patch, half = colours[card, edge], PATCH // 2
    mirrored = patch[:, :, ::-1]
    out = []
    for left, right in ((patch, mirrored), (mirrored, patch)):
        six = colours[card].copy()
        six[np.arange(len(card)), edge] = np.concatenate([left[:, :, :half], right[:, :, half:]], axis=2)
        out.append(embedding_input(six, faces[card], value)[np.arange(len(card)), edge])
    alone = patch[:, None].repeat(2, axis=1)
    own = np.maximum(bare_face(alone)[:, 0, 0, 0], 6.0)
    for face in (own, faces[card]):
        over = over_face(alone, face, value) - np.float32(0.5)
        out.append(np.concatenate([over, contrast(alone)], axis=-1)[:, 0])
    return np.stack(out)


@dataclass(frozen=True, slots=True, eq=False)
class FewShotSymbols:
    """The classifier of a taught printing.

    Attributes:
        profile: of the printing.
        exposure: how light the faces of a picture's cards are made before they are compared, in whites; 0 for as they
            are.
        offsets: how likely the cards that taught upright symbols lay to each other in each way, see
            `UprightSymbols.lying`; None for what the samples tell.
        fitted_to: the taught printing, and how bright cards were for which the exposure was chosen; None before.
    """

    profile: SymbolProfile
    exposure: float = 0.0
    offsets: NDArray[np.floating] | None = None
    fitted_to: tuple[SymbolProfile, Brightness] | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `SymbolClassifier`."""
        return (*self.profile.symbols, None)

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
        """See `Classifier`."""
        alone = symbol_probabilities(
            network(NETWORK), self.profile, pyramid, corners, LIMITS.sure_symbol, self.exposure, self._known_offsets
        )
        return apply_two_symbol_prior(alone, LIMITS.sure_symbol)

    def doubt_distant_cards(
        self, pyramid: Pyramid, corners: NDArray[np.floating], probabilities: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The probabilities (N, 6, K + 1) of the symbols of cards (N, 6, 2), lower where they are not that high on
        cards most of whose symbols are far from every prototype: what is only hidden is told by the others.
        """
        is_less = probabilities.max(-1) < LIMITS.sure_if_distant
        some = np.flatnonzero(is_less.any(1))
        if not len(some):
            return probabilities
        squared = self._squared_misfits(pyramid, corners[some])
        far = some[np.median(squared, axis=1) > LIMITS.distant_card]
        contested = np.where(
            is_less[far, :, None], np.minimum(probabilities[far], LIMITS.contested), probabilities[far]
        )
        lower = probabilities.copy()
        lower[far] = contested
        return lower

    def printed_lines(self) -> tuple[float, ...]:
        """See `any_print.printed_lines`."""
        return _printed_lines(self.profile)

    def beside(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> "FewShotSymbols":
        """The classifier beside known cards (N, 6, 2): how these lie tells how upright symbols of others do.

        A single new card does not tell that surely.
        """
        if self.profile.upright is None or not len(corners):
            return self
        seen = self.profile.upright.offset_likelihoods(network(NETWORK), pyramid, corners)
        return replace(self, offsets=self._known_offsets + seen)

    def exposed_as(
        self, pyramid: Pyramid, corners: NDArray[np.floating], others: NDArray[np.floating] | None = None
    ) -> "FewShotSymbols":
        """The classifier for a picture's exposure: that in which the symbols of its surest cards look most as taught.

        One that was chosen for cards about as bright stays: the few cards of a piece of the picture tell it less well.

        Args:
            corners: (N, 6, 2) of those cards.
            others: (M, 6, 2) of what may be cards: those that lie along edges tell it, too.
        """
        if not len(corners) or not self.profile.samples:
            return self
        seen = Brightness.of(face_colours(pyramid, corners))
        if self.fitted_to is not None and seen.is_like(self.fitted_to[1]):
            return self
        profile = self.fitted_to[0] if self.fitted_to else self.profile
        as_taught = replace(self, profile=profile, exposure=0.0, fitted_to=(profile, seen))
        return as_taught._exposed_for(seen, pyramid, corners, corners[:0] if others is None else others)

    def _exposed_for(
        self, seen: Brightness, pyramid: Pyramid, corners: NDArray[np.floating], others: NDArray[np.floating]
    ) -> "FewShotSymbols":
        """The classifier for the exposure of cards (N, 6, 2) that are so bright; see `exposed_as`."""
        taught, is_taught_burnt_out = _exposure(self.profile)
        is_darker = seen.face < taught.face and not seen.burnt_out
        exposures = exposures_between(taught, seen) if is_darker and is_taught_burnt_out else ()
        faces = [] if is_darker else face_colours_without_clipping(seen, taught)
        if not exposures and not faces:
            return self
        outlines = np.concatenate([corners, others])
        clear = clear_outlines(pyramid, outlines, LIMITS.outlined_larger)
        exact = [own if one is None else one for one, own in zip(clear[: len(corners)], corners, strict=True)]
        exact += [one for one in clear[len(corners) :] if one is not None]
        raw = self._patches(pyramid, np.array(exact, np.float32))
        shown = is_shown(*raw)
        if not shown.any() or not (is_darker or is_print_burnt_out(raw[0])):
            return self
        as_it_is = self._embedded(*raw)
        if is_darker:
            exposed = [replace(self, exposure=one) for one in exposures]
            misfit, best = min(
                ((one._misfit_of_table(one._embedded(*raw), shown), one) for one in exposed), key=lambda way: way[0]
            )
        else:
            misfit, best = self._overexposed_as(faces, seen.burnt_out, as_it_is, shown)
        return best if misfit < LIMITS.nearer_exposed * self._misfit_of_table(as_it_is, shown) else self

    def _overexposed_as(
        self,
        faces: Sequence[NDArray[np.float64]],
        burnt_out: Sequence[int],
        embeddings: NDArray[np.float32],
        shown: NDArray[np.bool_],
    ) -> "tuple[float, FewShotSymbols]":
        """The classifier of the printing as it looks with one of such faces (3,), or another tint of what of them is
        ``burnt_out``, for none of these channels tells how light another is; and how badly embeddings (N, 6, E) of
        cards fit it where they are shown (N, 6): the best, tinted light counting against it.
        """
        taught = np.array(_exposure(self.profile)[0].colour)

        def in_light(face: NDArray[np.float64]) -> FewShotSymbols:
            key = (_FACE_STEP * np.round(face / _FACE_STEP)).tolist()
            return replace(self, profile=_overexposed(self.profile, tuple(key)))

        def misfit(face: NDArray[np.float64]) -> float:
            tint = float(np.ptp(np.log(face / taught)))
            return in_light(face)._misfit_of_table(embeddings, shown) + LIMITS.tint_weight * tint

        best = min(faces, key=misfit)
        for _ in range(LIMITS.tint_rounds):
            for channel in burnt_out:
                ways = [np.where(np.arange(3) == channel, best * factor, best) for factor in LIMITS.tint_factors]
                best = min(ways, key=misfit)
        return misfit(best), in_light(best)

    def _misfit_of_table(self, embeddings: NDArray[np.float32], shown: NDArray[np.bool_]) -> float:
        """How badly embeddings (N, 6, E) of a table's cards fit the printing where they are shown (N, 6): how far they
        are from the nearest prototype in the median, and how many cards too many show one face.

        In the wrong light two symbols look like one.
        """
        squared = squared_distances(self.profile.prototypes, embeddings)
        faces = Counter(faces_of(squared.argmin(-1)[shown.all(1)]))
        repeated = sum(max(0, count - LIMITS.most_alike) for count in faces.values())
        return float(np.median(squared.min(-1)[shown])) + LIMITS.repeated_weight * repeated

    def is_foreign(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> bool:
        """Whether cards (N, 6, 2), one at least, show another printing: even the best are far from every prototype.

        Outlines that lie a little off make cards of the printing look strange: a quarter of them is enough.
        """
        return float(np.quantile(self.misfit(pyramid, corners), 0.25)) > LIMITS.foreign_squared

    def misfit(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """The mean squared distance (N,) of the embeddings of cards (N, 6, 2) to the nearest prototypes.

        A distance is at most `LIMITS.none_at`: such a patch is covered.
        """
        if not len(corners):
            return np.zeros(0)
        found, may_be = np.full(len(corners), LIMITS.none_at), np.ones(len(corners), bool)
        if self.profile.upright is not None:  # most outlines that show no card are told sooner
            may_be = self.profile.upright.least_squared(network(NETWORK), pyramid, corners) < LIMITS.none_at
        if may_be.any():
            found[may_be] = np.minimum(self._squared_misfits(pyramid, corners[may_be]), LIMITS.none_at).mean(1)
        return found

    def misfit_of_variants(
        self, pyramid: Pyramid, outlines: NDArray[np.floating], variants: NDArray[np.floating]
    ) -> NDArray[np.floating]:
        """The misfit (N, V) of variants (N, V, 6, 2) of outlines (N, 6, 2): upright cards lie as through these."""
        each = variants.reshape(-1, 6, 2)
        if self.profile.upright is None or not len(each):
            return self.misfit(pyramid, each).reshape(variants.shape[:2])
        lying = self.profile.upright.lying(network(NETWORK), pyramid, outlines, self._known_offsets)
        return self._misfit_as_turned(pyramid, variants, lying.likeliest)

    def best_variants(
        self,
        pyramid: Pyramid,
        outlines: NDArray[np.floating],
        some: NDArray[np.intp],
        variants: NDArray[np.floating],
        may_be: NDArray[np.bool_],
    ) -> tuple[NDArray[np.intp], NDArray[np.floating]]:
        """Which variant of each of ``some`` (M,) outlines (N, 6, 2) has the least misfit, and that, (M,).

        How all cards lie tells which variants of upright ones are promising; only these are seen in every way.

        Args:
            variants: (M, V, 6, 2).
            may_be: (M, V), those that count.
        """
        upright, tried = self.profile.upright, np.broadcast_to(np.arange(variants.shape[1]), may_be.shape)
        if upright is not None:
            lying = upright.lying(network(NETWORK), pyramid, outlines, self._known_offsets)
            roughly = self._misfit_as_turned(pyramid, variants, lying.likeliest[some])
            tried = np.argsort(np.where(may_be, roughly, np.inf), axis=1)[:, : LIMITS.most_promising]
        each = np.take_along_axis(variants, tried[..., None, None], axis=1)
        misfit = self.misfit(pyramid, each.reshape(-1, 6, 2)).reshape(tried.shape)
        misfit = np.where(np.take_along_axis(may_be, tried, axis=1), misfit, np.inf)
        best = misfit.argmin(1)
        return tried[np.arange(len(best)), best], misfit.min(1)

    def _misfit_as_turned(
        self, pyramid: Pyramid, variants: NDArray[np.floating], turns: NDArray[np.int64]
    ) -> NDArray[np.floating]:
        """The misfit (N, V) of outlines (N, V, 6, 2) of upright cards on which each symbol is turned so far, (N, K)."""
        upright, each = self.profile.upright, variants.reshape(-1, 6, 2)
        assert upright is not None
        ways, way_of = np.unique(np.repeat(turns, variants.shape[1], axis=0), axis=1, return_inverse=True)
        squared = np.full((len(each), 6), LIMITS.none_at)
        for k, turn in enumerate(ways.T):
            patches = upright.patches(pyramid, each, np.repeat(turn[:, None], 6, axis=1))
            own = squared_distances(self.profile.prototypes[way_of == k], self._embedded(*patches)).min(-1)
            squared = np.minimum(squared, own)
        return np.asarray(squared.mean(1).reshape(variants.shape[:2]))

    def looks_taught(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Through which outlines (N, 6, 2) the print looks as it was taught, (N,)."""
        return np.asarray(self.misfit(pyramid, corners) < LIMITS.as_taught)

    def _patches(
        self, pyramid: Pyramid, corners: NDArray[np.floating]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `SymbolProfile.patches`."""
        return self.profile.patches(network(NETWORK), pyramid, corners, self._known_offsets)

    @property
    def _known_offsets(self) -> NDArray[np.floating]:
        return _taught_offsets(self.profile) if self.offsets is None else self.offsets

    def _squared_misfits(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
        """The squared distances (N, 6) of the symbols of cards (N, 6, 2), one at least, to the nearest prototypes."""
        if self.profile.upright is None:
            value = self.profile.face_value
            embeddings = _embeddings_of_turned(network(NETWORK), pyramid, corners, self.exposure, value)
        else:
            embeddings = self._embedded(*self._patches(pyramid, corners))
        return np.asarray(squared_distances(self.profile.prototypes, embeddings).min(-1))

    def _embedded(self, colours: NDArray[np.float32], faces: NDArray[np.float32]) -> NDArray[np.float32]:
        """The embeddings (N, 6, E) of raw patches; see `raw_patches`."""
        patches = embedding_input(*at_exposure(colours, faces, self.exposure), self.profile.face_value)
        return embed(network(NETWORK), patches)

    def is_read_without_colour(self) -> bool:
        """Whether what people showed is named all the same where its crops show no colour, in any depth: by shape."""
        return _is_read_without_colour(self.profile)

    def with_edition(self, probabilities: NDArray[np.float32]) -> "FewShotSymbols":
        """Itself: a profile knows its deck."""
        return self

    def accept(self, probabilities: NDArray[np.float32]) -> tuple[str | None, ...]:
        """See `Classifier`."""
        return accept_symbols(probabilities, self.names)


@lru_cache(maxsize=8)
def _taught_offsets(profile: SymbolProfile) -> NDArray[np.floating]:
    """How likely the taught cards lay to each other in each way (O,), as logarithms, by samples of several symbols."""
    usual, edges = usual_offsets(len(profile.symbols)), [sample.label["edges"] for sample in profile.samples]
    mixed = [i for i, six in enumerate(edges) if len(set(six)) > 1 and None not in six]
    if profile.upright is None or not mixed:
        return usual
    names = np.array([[profile.symbols.index(name) for name in edges[i]] for i in mixed])
    seen = mosaic([profile.samples[i] for i in mixed], FRAME)
    return usual + profile.upright.offset_likelihoods(network(NETWORK), *seen, names)


@lru_cache(maxsize=8)
def _exposure(profile: SymbolProfile) -> tuple[Brightness, bool]:
    """How bright the cards were that were taught, and whether their print was burnt out; worked out once a profile."""
    colours, faces = profile.patches(network(NETWORK), *mosaic(profile.samples, FRAME))
    return Brightness.of(faces), is_print_burnt_out(colours)


@lru_cache(maxsize=128)
def _overexposed(profile: SymbolProfile, face: tuple[float, ...]) -> SymbolProfile:
    """See `overexposed`; worked out once for a profile and a colour."""
    return overexposed(network(NETWORK), profile, face)


@lru_cache(maxsize=8)
def _printed_lines(profile: SymbolProfile) -> tuple[float, ...]:
    """See `printed_lines`; worked out once for a profile, none where it keeps no samples."""
    return printed_lines(*mosaic(profile.samples, FRAME)) if profile.samples else ()


@lru_cache(maxsize=8)
def _is_read_without_colour(profile: SymbolProfile) -> bool:
    """See `FewShotSymbols.is_read_without_colour`; worked out once for a profile."""
    classifier, samples = FewShotSymbols(profile), taught_of(profile.samples)
    if not samples:
        return False
    pyramid, corners = mosaic(samples, FRAME)
    taught = [name for sample in samples for name in sample.label["edges"]]
    for picture in in_grey(np.asarray(pyramid.levels[0], np.uint8)):
        told = [name for six in classifier.classify(Pyramid.of(picture), corners) for name in classifier.accept(six)]
        if not all(own in (name, None) and name for name, own in zip(told, taught, strict=True)):
            return False
    return True
