"""Adapts a taught printing to the light of one picture: its exposure, its prototypes, and the two-symbol prior.

What light burns out on the lighter of two photographs is burnt out on the other one too. A dark face that is
overexposed is lighter beside what is printed on it, for that is as light as can be; a light one is white, and pale
print on it fades. Nothing tells how bright or of what colour the light is, where a channel of it is burnt out: that is
sought by how well the table then fits the printing.

Light shifts all embeddings of a symbol alike, so that the prototypes move towards the patches nearest to them, the more
the more patches there are (prototype refinement, Ren et al. 2018). Two near prototypes are separated more sharply where
the picture's patches form two clusters between them. Adaptation only raises confidences: it never changes the class,
and the probability of no symbol comes from the original prototypes.

A card has one or two kinds of symbol, so that its clear symbols help to classify the uncertain ones. A clear symbol
stays as it is, even of a third kind.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.networks import softmax


def apply_two_symbol_prior(probabilities: NDArray[np.float32], plain: float) -> NDArray[np.float32]:
    """Apply the prior that a card has at most two kinds of symbol.

    Args:
        probabilities: (N, 6, K + 1) of each symbol by itself, the last of none.
        plain: symbols with this confidence keep their probabilities.

    Returns:
        (N, 6, K + 1).

    >>> p = np.array([[[0.97, 0.01, 0.01, 0.01]] * 3 + [[0.01, 0.6, 0.38, 0.01]] * 2 + [[0.01, 0.95, 0.03, 0.01]]])
    >>> bool(apply_two_symbol_prior(p, 0.93)[0, 3, 1] > 0.85)
    True
    """
    none = probabilities.shape[-1] - 1
    pairs = list(combinations(range(none), 2))
    allowed = np.zeros((len(pairs) + 1, none + 1))
    for row, pair in zip(allowed, pairs, strict=False):
        row[[*pair, none]] = 1.0
    allowed[-1] = 1.0
    share = np.einsum("nic,sc->nsi", np.asarray(probabilities, np.float64), allowed) + 1e-9
    prior = np.append(np.full(len(pairs), (1.0 - LIMITS.three_kinds) / len(pairs)), LIMITS.three_kinds)
    weight = prior * np.exp(LIMITS.trust_in_others * np.log(share).sum(-1))
    weight /= weight.sum(-1, keepdims=True)
    posterior = np.einsum("ns,nsi,sc,nic->nic", weight, 1.0 / share, allowed, probabilities)
    posterior /= posterior.sum(-1, keepdims=True)
    return np.where(probabilities.max(-1, keepdims=True) >= plain, probabilities, posterior).astype(np.float32)


def classify_adapted(
    prototypes: NDArray[np.float32], embeddings: NDArray[np.float32], none_at: float, plain: float
) -> NDArray[np.float32]:
    """The probabilities of the symbols and, last, of none of them: (N, 6, K + 1).

    Args:
        prototypes: (K, E), of the symbols as taught.
        embeddings: (N, 6, E), of the patches of all cards of one picture.
        none_at: a patch at a greater squared distance from every prototype is no symbol.
        plain: see `apply_two_symbol_prior`.
    """
    taught = symbol_chances(squared_distances(prototypes, embeddings), none_at)
    moved = _adapted_prototypes(prototypes, embeddings, none_at, plain)
    adapted = symbol_chances(_sharpened(squared_distances(moved, embeddings), moved), none_at)
    kinds = adapted[..., :-1] / np.maximum(adapted[..., :-1].sum(-1, keepdims=True), 1e-9)
    adapted = np.concatenate([kinds * (1 - taught[..., -1:]), taught[..., -1:]], axis=-1)
    is_same_class = adapted.argmax(-1) == taught.argmax(-1)
    return np.where(is_same_class[..., None], adapted, taught).astype(np.float32)


def squared_distances(prototypes: NDArray[np.floating], embeddings: NDArray[np.float32]) -> NDArray[np.floating]:
    """Squared distances (N, M, K) of embeddings (N, M, E) to prototypes (K, E)."""
    return np.asarray(((embeddings[:, :, None] - prototypes) ** 2).sum(-1))


def symbol_chances(squared: NDArray[np.floating], none_at: float) -> NDArray[np.float32]:
    """The probabilities (N, 6, K + 1) of symbols at squared distances (N, 6, K); see `classify_adapted`."""
    none = np.full((*squared.shape[:2], 1), none_at, np.float32)
    logits = -LIMITS.sharpness * np.concatenate([squared, none], axis=-1)
    return np.asarray(softmax(logits), np.float32)


def _adapted_prototypes(
    prototypes: NDArray[np.float32], embeddings: NDArray[np.float32], none_at: float, plain: float
) -> NDArray[np.float32]:
    """The prototypes (K, E) in this picture's light."""
    off = embeddings[:, :, None] - prototypes
    is_near = (off**2).sum(-1).min(-1) < LIMITS.near_patch
    adapted = prototypes
    for _ in range(LIMITS.rounds):
        kinds = apply_two_symbol_prior(symbol_chances(squared_distances(adapted, embeddings), none_at), plain)[..., :-1]
        share = kinds * is_near[..., None]
        shift = np.einsum("nik,nike->e", share, off) / (share.sum() + LIMITS.steady_patches)
        own = np.einsum("nik,nie->ke", share, embeddings)
        adapted = (own + LIMITS.steady_patches * (prototypes + shift)) / (
            share.sum((0, 1))[:, None] + LIMITS.steady_patches
        )
    return np.asarray(adapted, np.float32)


def _sharpened(squared: NDArray[np.floating], prototypes: NDArray[np.float32]) -> NDArray[np.floating]:
    """The squared distances (N, 6, K), longer to all but the nearest prototype where clusters separate them."""
    nearest, least = squared.argmin(-1), squared.min(-1, keepdims=True)
    gains = np.where(least < LIMITS.close_patch, _separations(squared, nearest, prototypes)[nearest], 1.0)
    return np.asarray(least + (squared - least) * gains)


def _separations(
    squared: NDArray[np.floating], nearest: NDArray[np.int64], prototypes: NDArray[np.float32]
) -> NDArray[np.float64]:
    """By what factor each two prototypes (K, K) are separated better than in training; 1 without clusters."""
    out = np.ones((len(prototypes), len(prototypes)))
    is_near = squared.min(-1) < LIMITS.near_patch
    for a, b in combinations(range(len(prototypes)), 2):
        apart = max(float(np.linalg.norm(prototypes[a] - prototypes[b])), 1e-6)
        along = (squared[..., a] - squared[..., b]) / (2.0 * apart)
        one, other = along[is_near & (nearest == a)], along[is_near & (nearest == b)]
        count = len(one) + len(other)
        if min(len(one), len(other)) < LIMITS.fewest_in_heap:
            continue
        spread = float(((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum())
        if other.mean() - one.mean() > LIMITS.heaps_apart * np.sqrt(spread / count):
            variance = (LIMITS.learnt_from * LIMITS.scatter + spread) / (LIMITS.learnt_from + count)
            out[a, b] = out[b, a] = float(np.clip(LIMITS.scatter / variance, 1.0, LIMITS.surer_most))
    return out


@dataclass(frozen=True, slots=True)
class Brightness:
    """How bright a photograph shows cards, of 255.

    Attributes:
        face: their faces.
        colour: of most faces, BGR.
        is_white: whether most faces are burnt out to white.
    """

    face: float
    colour: tuple[float, float, float]
    is_white: bool

    @classmethod
    def of(cls, faces: NDArray[np.float32]) -> "Brightness":
        """Of faces (N, 3); see `face_colours`."""
        is_white = float(np.median(faces.min(axis=1))) >= LIMITS.burnt_out_level
        blue, green, red = np.median(faces, axis=0).tolist()
        return cls(float(np.median(faces.max(axis=1))), (blue, green, red), is_white)

    @property
    def burnt_out(self) -> list[int]:
        """The channels of most faces that are."""
        return [k for k, level in enumerate(self.colour) if level >= LIMITS.burnt_out_level]

    def is_like(self, other: "Brightness") -> bool:
        """Whether two photographs are about as bright."""
        brighter, darker = max(self.face, other.face), min(self.face, other.face)
        return self.is_white == other.is_white and brighter < LIMITS.lighter * darker


def is_print_burnt_out(colours: NDArray[np.float32]) -> bool:
    """Whether the brightest of what raw patches (N, 6, S, S, 3) show is as light as can be."""
    return float(np.percentile(colours.max(-1), 99)) >= LIMITS.burnt_out_level


def exposures_between(lighter: Brightness, darker: Brightness) -> tuple[float, ...]:
    """The exposures, see `at_exposure`, one of which may make the darker photograph's cards look like the lighter's.

    There are none where they are as light: then their cards look alike as they are.
    """
    if lighter.is_white:
        return () if darker.is_white else LIMITS.exposures
    if lighter.face < LIMITS.lighter * darker.face:
        return ()
    return tuple(dict.fromkeys(min(lighter.face / 255 * more, LIMITS.nearly_white) for more in LIMITS.more_exposed))


def face_colours_without_clipping(seen: Brightness, taught: Brightness) -> list[NDArray[np.float64]]:
    """The colours (3,), of 255, that a lighter photograph's faces may have beside the one that taught, if levels had no
    end: burnt out channels are lighter by some exposure, and the others as they are seen.

    There are none where both are as light, or what taught is white, too.
    """
    if taught.is_white:
        return []
    if seen.burnt_out:
        colour = np.array(seen.colour)
        is_over = colour >= LIMITS.burnt_out_level
        return [np.where(is_over, 255 * more, colour) for more in (1.0, *LIMITS.exposures)]
    own = np.array(taught.colour) / max(taught.colour)
    return [255 * exposure * own for exposure in exposures_between(seen, taught)]


def at_exposure(
    colours: NDArray[np.float32], faces: NDArray[np.float32], exposure: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Raw patches and faces, see `raw_patches`, overexposed so that the faces would be so many times white.

    An exposure of 0 leaves them as they are; with one below 1 faces keep their colour, and only brighter print burns
    out.
    """
    if not exposure:
        return colours, faces
    gain = np.float32(255) * np.float32(exposure) / (faces if exposure >= 1 else faces.max(axis=1, keepdims=True))
    return _brightened(colours, faces, gain)


def with_face_colour(
    colours: NDArray[np.float32], faces: NDArray[np.float32], wanted: NDArray[np.floating]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Raw patches and faces, see `raw_patches`, in light that gives all faces a colour (3,), up to white."""
    return _brightened(colours, faces, np.float32(wanted) / faces)


def _brightened(
    colours: NDArray[np.float32], faces: NDArray[np.float32], gain: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Raw patches and faces so many times (N, 1 or 3) as bright, up to white."""
    white = np.float32(255)
    return np.minimum(colours * gain[:, None, None, None], white), np.minimum(faces * gain, white)
