"""Classifies rectified crops of HexDragon tiles, and combines the network's answers into possible faces.

A view is the tile rectified to 48 x 48 pixels and black beyond its edges. Its white balance takes brightness from the
tile's own bright parts and the light's colour from all tiles. The network ignores a set's colours: what a tile's lines
join is read from their shape, and only the owners of heads and stars need colour.

A face is six labels in order of direction: where the line from that edge leads, relative to the edge, so that a
rotation is a cyclic shift: ``+2`` the edge two directions on, ``tail``, ``head:red``; a star token shows ``star:red``
six times, the start tile six tails.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import BODY_SET, HEAD_LINE, HEADS, TAIL_LINE
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.geometry import HEXAGON, median
from companion.vision.image.pyramid import Pyramid, grid, percentiles, sample_pieces
from companion.vision.networks import Network, network, softmax
from companion.vision.results import Classifier

VIEW = 48
REACH = 1.06
"""Half a view's width, in circumradii."""
BRIGHT = 0.75
"""The value of a tile's bright parts after white balance."""
MAX_VALUE = 1.25
"""The highest value of a view that the network knows."""
ENDS = ("+1", "+2", "+3", "+4", "+5", "tail", "head")
"""What an edge's line leads to: the edge so many directions on, a tail, a head."""
OWNERS = ("red", "blue", "yellow", "purple")
KINDS = ("tile", "star", "other")


def _inside(points: NDArray[np.floating], apothem: float) -> NDArray[np.bool_]:
    angles = np.radians(60.0 * np.arange(6))
    normals = np.stack([np.cos(angles), np.sin(angles)])
    return np.asarray((points @ normals).max(-1) <= apothem)


_POINTS = grid(VIEW, VIEW, (REACH, REACH))
_SHOWN = _inside(_POINTS, 1.03 * np.sqrt(0.75)).reshape(VIEW, VIEW)
_MEASURED = np.flatnonzero(_inside(_POINTS, 0.9 * np.sqrt(0.75)))[::3]
"""Which of the points (K,) say how bright a tile is."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The network's answers for some places.

    Attributes:
        ends: (N, 6, 7) probability of each of `ENDS` for each edge, in order of the outline's own directions.
        owners: (N, 4) of each of `OWNERS`, where there is a head or a star.
        kinds: (N, 3) of each of `KINDS`.
    """

    ends: NDArray[np.float32]
    owners: NDArray[np.float32]
    kinds: NDArray[np.float32]


def cut_tiles(
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    cast: NDArray[np.floating] | None = None,
    max_value: float = MAX_VALUE,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rectify and white-balance tiles.

    Args:
        corners: (N, 6, 2) pixels, clockwise.
        cast: the light's colour (3,) where it is known; None for that of these tiles.
        max_value: the highest value of the views.

    Returns:
        Views (N, VIEW, VIEW, 3) float32, 0..max_value; and the light's colour (3,), BGR, about 1.
    """
    n = len(corners)
    if n == 0:
        return np.zeros((0, VIEW, VIEW, 3), np.float32), np.ones(3, np.float32) if cast is None else cast
    views = sample_pieces(pyramid, HEXAGON.pose_of(corners), _POINTS, 2 * REACH / VIEW)
    bright = _bright(views[:, _MEASURED])
    level_of = bright.mean(1, keepdims=True)
    cast = _cast(bright) if cast is None else cast
    views *= (BRIGHT / (level_of * cast)).astype(np.float32)[:, None]
    np.minimum(views, np.float32(max_value), out=views)
    out = views.reshape(n, VIEW, VIEW, 3)
    out[:, ~_SHOWN] = 0.0
    return out, cast


def light_on(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """The light's colour (3,), BGR, about 1, on tiles (N, 6, 2); N >= 1."""
    return _cast(_bright(sample_pieces(pyramid, HEXAGON.pose_of(corners), _POINTS[_MEASURED], 2 * REACH / VIEW)))


def light_in(views: NDArray[np.float32], cast: NDArray[np.floating]) -> NDArray[np.float32]:
    """The light's colour (3,) on tiles, from their views (N, VIEW, VIEW, 3) without the colour ``cast``; N >= 1."""
    measured = views.reshape(len(views), -1, 3)[:, _MEASURED] * np.asarray(255 * cast, np.float32)
    return _cast(_bright(measured))


def _bright(measured: NDArray[np.float32]) -> NDArray[np.floating]:
    """The colours (N, 3) of the bright parts of tiles, from those of their measured points (N, K, 3)."""
    return np.asarray(np.maximum(percentiles(measured, 80), 6.0))


def _cast(bright: NDArray[np.floating]) -> NDArray[np.float32]:
    """The light's colour (3,) from tiles' bright parts (N, 3)."""
    return median(bright / bright.mean(1, keepdims=True)).astype(np.float32)


def answers_to(net: Network, views: NDArray[np.floating]) -> Answers:
    """The network's answers to views (N, VIEW, VIEW, 3), cut off at `MAX_VALUE`."""
    n = len(views)
    if n == 0:
        return Answers(np.zeros((0, 6, 7), np.float32), np.zeros((0, 4), np.float32), np.zeros((0, 3), np.float32))
    planes = np.empty((n, 3, VIEW, VIEW), np.float32)
    np.minimum(views.transpose(0, 3, 1, 2), np.float32(MAX_VALUE), out=planes)
    planes -= np.float32(0.5)
    out = net.forward(planes).reshape(n, -1)
    return Answers(softmax(out[:, :42].reshape(n, 6, 7)), softmax(out[:, 42:46]), softmax(out[:, 46:]))


_MIRRORED_EDGES = [0, 5, 4, 3, 2, 1]
_MIRRORED_ENDS = [4, 3, 2, 1, 0, 5, 6]
"""Where each edge and each of `ENDS` comes to lie in a mirror."""


def answers_both_ways(net: Network, views: NDArray[np.floating]) -> Answers:
    """The mean of the network's answers to views (N, VIEW, VIEW, 3) and to their mirror images: where these differ the
    print is unlike what the network knows. Owners are told by the views as they are.
    """
    seen, mirrored = answers_to(net, views), answers_to(net, views[:, ::-1])
    ends = mirrored.ends[:, _MIRRORED_EDGES][..., _MIRRORED_ENDS]
    half = np.float32(0.5)
    return Answers(half * (seen.ends + ends), seen.owners, half * (seen.kinds + mirrored.kinds))


Face = tuple[str | None, ...]

HEAD_NAMES = tuple(f"head:{owner}" for owner in OWNERS)
STAR_NAMES = tuple(f"star:{owner}" for owner in OWNERS)
NAMES: tuple[str | None, ...] = (*ENDS[:6], *HEAD_NAMES, *STAR_NAMES, None)
"""What each class is called; None for no piece at all."""
TAIL, HEAD = 5, 6
_KIND_SHARES = {"body": 0.5, "head": 0.44, "start": 0.06}
"""The prior of each kind: a set has six times as many heads as bodies, a table has not."""


def _all_faces() -> NDArray[np.int64]:
    """Every face a tile can show in every turn, (F, 6) indices of `ENDS`: 15 bodies, 90 heads, the start."""
    bodies = [_labels(tile.across) for tile in BODY_SET]
    heads = [_labels(tile.across) for tile in HEADS]
    turned = [tuple(face[(d - turns) % 6] for d in range(6)) for face in bodies + heads for turns in range(6)]
    return np.array([*dict.fromkeys(turned), (TAIL,) * 6])


def _labels(across: tuple[int, ...]) -> tuple[int, ...]:
    return tuple({HEAD_LINE: HEAD, TAIL_LINE: TAIL}.get(far, (far - d) % 6 - 1) for d, far in enumerate(across))


def _prior() -> NDArray[np.float64]:
    """The prior (F,) of each of `FACES`."""
    heads, tails = (FACES == HEAD).any(1), (FACES == TAIL).all(1)
    kinds = np.where(tails, "start", np.where(heads, "head", "body"))
    return np.array([_KIND_SHARES[str(kind)] / (kinds == kind).sum() for kind in kinds])


FACES = _all_faces()
_LOG_PRIOR = LIMITS.prior_weight * np.log(_prior())
_ONE_HOT = np.eye(len(ENDS), dtype=np.float32)[FACES]
"""(F, 6, 7)."""


def edge_probabilities(answers: Answers) -> NDArray[np.float32]:
    """The probabilities (N, 6, C) of `NAMES` for each edge, over all possible faces."""
    n = len(answers.ends)
    weight = face_weights(answers.ends)
    ends = np.einsum("nf,fdl->ndl", weight, _ONE_HOT)
    owners, tile, star, other = answers.owners[:, None], *(answers.kinds[:, k, None, None] for k in range(3))
    out = [ends[..., :6] * tile, ends[..., HEAD:] * owners * tile, np.repeat(owners * star, 6, axis=1)]
    return np.concatenate([*out, np.broadcast_to(other, (n, 6, 1))], axis=-1).astype(np.float32)


def answers_from_probabilities(probabilities: NDArray[np.floating]) -> Answers:
    """The answers that give such probabilities (N, 6, C)."""
    ends = end_shares(probabilities)
    owned = probabilities[..., _HEADS].sum(1) + probabilities[..., _STARS].sum(1)
    tile, star = tile_shares(probabilities), star_shares(probabilities)
    kinds = np.stack([tile, star, 1 - tile - star], axis=1)
    return Answers(ends, owned / np.maximum(owned.sum(1, keepdims=True), 1e-6), kinds)


def face_weights(ends: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities (N, F) of `FACES` from those of its edges' ends (N, 6, 7)."""
    return softmax(np.einsum("ndl,fdl->nf", np.log(np.maximum(ends, 1e-6)), _ONE_HOT) + _LOG_PRIOR)


def end_shares(probabilities: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities (..., 6, 7) of `ENDS` in (..., 6, C), of pieces that are tiles."""
    heads = probabilities[..., _HEADS].sum(-1, keepdims=True)
    ends = np.concatenate([probabilities[..., :HEAD], heads], axis=-1)
    return np.asarray(ends / np.maximum(ends.sum(-1, keepdims=True), 1e-6))


def tile_share(probabilities: NDArray[np.floating]) -> float:
    """The probability that (6, C) is a tile, 0..1."""
    return float(tile_shares(probabilities))


def star_share(probabilities: NDArray[np.floating]) -> float:
    """The probability that (6, C) is a star token, 0..1."""
    return float(star_shares(probabilities))


def tile_shares(probabilities: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities (...) that (..., 6, C) are tiles, 0..1."""
    return np.asarray(probabilities[..., :10].sum(-1).mean(-1))


def star_shares(probabilities: NDArray[np.floating]) -> NDArray[np.floating]:
    """The probabilities (...) that (..., 6, C) are star tokens, 0..1."""
    return np.asarray(probabilities[..., 10:14].sum(-1).mean(-1))


def accepted_edges(
    probabilities: NDArray[np.floating], sure: float, sure_owner: float, sure_star_owner: float | None = None
) -> Face:
    """The accepted labels (6,); None where unsure.

    Args:
        probabilities: (6, C).
        sure: the lowest probability of an edge's end, or of a star.
        sure_owner: the lowest probability of the owner, given a head or star.
        sure_star_owner: the same of a star alone; None for that.

    >>> p = np.zeros((6, len(NAMES)), np.float32)
    >>> p[:, NAMES.index("tail")] = 0.99
    >>> accepted_edges(p, 0.9, 0.8)[:2]
    ('tail', 'tail')
    """
    best, likely = probabilities.argmax(-1).tolist(), probabilities.max(-1).tolist()
    heads, stars = (probabilities[:, owned].sum(-1).tolist() for owned in (_HEADS, _STARS))
    sure_star = sure_owner if sure_star_owner is None else sure_star_owner
    named = []
    for k, p, head, star in zip(best, likely, heads, stars, strict=True):
        what = (NAMES[k] or "").partition(":")[0]
        share, least = {"head": (head, sure_owner), "star": (star, sure_star)}.get(what, (None, 0.0))
        is_sure = p >= sure if share is None else share >= sure and p >= least * share
        named.append(NAMES[k] if is_sure else None)
    return tuple(named)


def with_owners_of(probabilities: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities (6, C) whose heads and stars are their owners' as likely as those of others (6, C)."""
    out = probabilities.copy()
    for owned in (_HEADS, _STARS):
        share = others[:, owned] / np.maximum(others[:, owned].sum(-1, keepdims=True), 1e-9)
        out[:, owned] = probabilities[:, owned].sum(-1, keepdims=True) * share
    return out


_HEADS, _STARS = slice(6, 10), slice(10, 14)


class TileClassifier(Classifier, Protocol):
    """Classifies the faces of one printing, in a known light or in one that it measures."""

    def classify_first(
        self, pyramid: Pyramid, corners: NDArray[np.floating]
    ) -> "tuple[NDArray[np.float32], TileClassifier]":
        """The probabilities (N, 6, C) of pieces (N, 6, 2), see `Classifier`, and the classifier with their light."""

    def in_light_of(
        self, pyramid: Pyramid, corners: NDArray[np.floating], probabilities: NDArray[np.floating]
    ) -> "TileClassifier":
        """The classifier with the light of tiles (N, 6, 2) of known probabilities (N, 6, C); N >= 1."""


@dataclass(frozen=True, slots=True)
class PretrainedTiles:
    """The classifier of the reference printing; ``cast`` is the light's colour (3,), BGR, about 1."""

    cast: NDArray[np.float32] | None = None

    def classify_first(
        self, pyramid: Pyramid, corners: NDArray[np.floating]
    ) -> "tuple[NDArray[np.float32], PretrainedTiles]":
        """See `TileClassifier`."""
        views, cast = cut_tiles(pyramid, corners, self.cast)
        return edge_probabilities(answers_to(tile_network(), views)), PretrainedTiles(cast)

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.float32]:
        """See `Classifier`."""
        return self.classify_first(pyramid, corners)[0]

    def in_light_of(
        self, pyramid: Pyramid, corners: NDArray[np.floating], probabilities: NDArray[np.floating]
    ) -> "PretrainedTiles":
        """See `TileClassifier`."""
        return PretrainedTiles(light_on(pyramid, corners))

    def accept(self, probabilities: NDArray[np.floating]) -> Face:
        """See `Classifier`."""
        return accepted_edges(probabilities, LIMITS.sure_edge, LIMITS.sure_owner)


def tile_network() -> Network:
    """The network that reads tiles."""
    return network("hexdragon/tile_classifier/weights.onnx")
