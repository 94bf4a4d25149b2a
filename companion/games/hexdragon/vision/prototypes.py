"""The inks of a HexDragon set's owners, learnt from one photograph: what their heads and tiles' rims look like.

Where on a head its owner's ink is, is learnt too: the places at which the owners' heads differ. All is measured in
views whose light was divided out (`classifier`). An owner is named by the nearest inks; what lies far from all is
nobody's.

On dark faces the brightest part of a tile is often a coloured band, so the light's colour, measured by bright parts, is
off by the set's own inks, and all owners' inks are off together. The heads of a picture tell together by how much;
often more than one answer fits, and an owner is as sure as all that fit agree on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from companion.games.hexdragon.vision.classifier import (
    OWNERS,
    REACH,
    VIEW,
    Answers,
    Face,
    accepted_edges,
    answers_from_probabilities,
    answers_to,
    cut_tiles,
    edge_probabilities,
    tile_network,
)
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.enrolment.profile import Profile
from companion.vision.image.pyramid import Pyramid


def _tints() -> np.ndarray:
    """Logarithms (T, 3) of tints that leave the brightness as it is, a tenth apart."""
    steps = np.arange(-1.0, 1.01, 0.1)
    u, v = (axis.reshape(-1, 1) for axis in np.meshgrid(steps, steps))
    return np.asarray(u * np.array([1.0, -0.5, -0.5]) + v * np.array([0.0, np.sqrt(0.75), -np.sqrt(0.75)]))


_TINTS = _tints()
GAINS = np.exp(_TINTS)
"""What each tint makes of a view's channels, (T, 3)."""
_BEFORE = -(_TINTS**2).sum(1) / (2 * LIMITS.cast_spread**2)


def tint_log_likelihoods(fitting: np.ndarray, answers: Answers) -> np.ndarray:
    """How likely each tint is (T,), by the sure heads among pieces that fit so (N, T, K + 1)."""
    heads = (answers.kinds[:, 0] > LIMITS.sure_head) & (answers.ends[:, :, 6].max(1) > LIMITS.sure_head)
    told = _BEFORE.copy()
    if heads.any():
        told += np.logaddexp.reduce(fitting[heads], axis=-1).sum(0) * min(1.0, LIMITS.most_heads / heads.sum())
    likely = np.exp(told - told.max())
    return np.asarray(likely / likely.sum())


_DEPTH_SPREAD = {"head": 0.35, "star": 0.5}
"""How far the logarithm of its brightness does; a star lies on paper of its own, and so its bright parts tell less."""
WHOLE = 6.0
"""Views of inks are cut off there and no sooner: on dark faces a band passes for paper, and inks are far brighter."""
_STAR = np.array([(x, y) for x in (-0.1, 0.0, 0.1) for y in (-0.1, 0.0, 0.1)])
"""Where a star's middle is looked at, in circumradii."""


def _places() -> np.ndarray:
    """Where a head may be, (P, 2) in circumradii, its edge along x."""
    steps = np.arange(-0.3, 0.31, 0.06)
    x, y = np.meshgrid(steps + 0.4, steps)
    points = np.stack([x, y], -1).reshape(-1, 2)
    return np.asarray(points[np.hypot(points[:, 0] - 0.4, points[:, 1]) < 0.31])


PLACES = _places()
_RIM = np.radians(60.0 * np.arange(6) + 30.0)
_RIM_POINTS = (0.955 * np.sqrt(0.75) / np.cos(np.pi / 6 - 0.2)) * np.concatenate(
    [np.stack([np.cos(a), np.sin(a)], 1) for a in (_RIM - 0.2, _RIM + 0.2)]
)
"""Along a tile's edges, near its corners: no band comes there."""
_GROUND_POINTS = np.array(
    [(r * np.cos(a + d), r * np.sin(a + d)) for a in _RIM for r in (0.72, 0.78) for d in (-0.05, 0.05)]
)
"""Towards a tile's corners: neither bands nor rims come there."""


@dataclass(frozen=True, slots=True, eq=False)
class InkProfile(Profile):
    """What was learnt of a set.

    Attributes:
        owners: the owners whose heads were shown.
        heads: (K, 3) float32, the ink of each one's heads, as a view shows it.
        rims: (K, 3) float32, what runs along the edges of each one's tiles.
        places: (P, 2) float32, where on a head its ink is, in circumradii, the head's edge along x.
        ground: how bright the faces are between their bands, as a view shows it.
    """

    GAME: ClassVar[str] = "hexdragon"
    VERSION: ClassVar[int] = 2
    NETWORKS: ClassVar[tuple[str, ...]] = ("hexdragon/tile_classifier/weights.onnx",)
    owners: tuple[str, ...]
    heads: np.ndarray
    rims: np.ndarray
    places: np.ndarray
    ground: float = 1.0

    def summary(self) -> str:
        """What was learnt, for people."""
        return f"the inks of {', '.join(self.owners)}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        shape = (len(self.owners), 3)
        are_some = len(self.owners) > 0 and len(self.places) > 0
        return are_some and self.heads.shape == self.rims.shape == shape and self.places.shape[1:] == (2,)


def fit_inks(deck: str, shown: Sequence[tuple[str, np.ndarray, int]]) -> InkProfile:
    """Learn a set's inks.

    Args:
        deck: the deck's name.
        shown: the owner of each head, its view, and its edge in the view's own directions; at least one.
    """
    owners = tuple(sorted({owner for owner, _, _ in shown}))
    looks = np.stack(
        [np.median([head_colours(view, edge) for o, view, edge in shown if o == owner], axis=0) for owner in owners]
    )
    rims = [np.median([rim_ink(view) for o, view, _ in shown if o == owner], axis=0) for owner in owners]
    apart = _smallest_differences(looks) - 0.5 * np.hypot(
        PLACES[:, 0] - 0.39, PLACES[:, 1]
    )  # most heads are about there
    inked = apart >= np.sort(apart)[-max(9, len(apart) // 8)]
    heads = np.median(looks[:, inked], axis=1)
    ground = float(np.median([np.median(_sampled(view, _GROUND_POINTS, 0).mean(-1)) for _, view, _ in shown]))
    return InkProfile(
        deck, owners, heads.astype(np.float32), np.array(rims, np.float32), PLACES[inked].astype(np.float32), ground
    )


def _smallest_differences(looks: np.ndarray) -> np.ndarray:
    """How far the two most alike of some looks (K, P, 3) differ at each place, (P,): a band shows on several tiles."""
    pairs = [np.linalg.norm(a - b, axis=-1) for k, a in enumerate(looks) for b in looks[:k]]
    return np.asarray(np.min(pairs, axis=0)) if pairs else np.zeros(looks.shape[1])


def owners_by_ink(profile: InkProfile, views: np.ndarray, answers: Answers, names: Sequence[str]) -> np.ndarray:
    """How likely each of ``names`` owns each piece (N, K), by its head's or star's ink; even where nobody's is near."""
    return owners_weighed(profile, fits(profile, views, answers, np.ones((1, 3))), np.ones(1), names)


def fits(profile: InkProfile, views: np.ndarray, answers: Answers, gains: np.ndarray) -> np.ndarray:
    """How well each owner, or last nobody, fits each piece in each light: logarithms (N, T, K + 1).

    Args:
        profile: the inks of K owners.
        views: (N, VIEW, VIEW, 3), their light divided out as far as it is known.
        answers: what the network says of them.
        gains: (T, 3) what each light makes of the views' channels.
    """
    far = np.array([_far(profile, view, answers, i, gains) for i, view in enumerate(views)])
    far = far.reshape(len(views), len(gains), len(profile.owners))
    return np.concatenate([-far / 2, np.full((*far.shape[:2], 1), -(LIMITS.strange_ink**2) / 2)], axis=2)


def owners_weighed(profile: InkProfile, fitting: np.ndarray, lights: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """How likely each of ``names`` owns each piece (N, len(names)), all lights weighed by how likely they are (T,)."""
    shares = np.exp(fitting - np.logaddexp.reduce(fitting, axis=-1)[..., None])
    weighed = np.einsum("ntk,t->nk", shares, lights)
    out = np.repeat(weighed[:, -1:] / len(names), len(names), axis=1)
    out[:, [names.index(owner) for owner in profile.owners]] += weighed[:, :-1]
    return np.asarray(out, np.float32)


def _far(profile: InkProfile, view: np.ndarray, answers: Answers, i: int, gains: np.ndarray) -> np.ndarray:
    """How far a piece's ink is from every owner's in each light, squared, in spreads: (T, K)."""
    if answers.kinds[i, 1] > answers.kinds[i, 0]:
        return _distance(profile.heads, star_ink(view) * gains, "star")
    ink = np.median(_sampled(view, profile.places, int(answers.ends[i, :, 6].argmax())), axis=0)
    at_rim = _distance(profile.rims, rim_ink(view) * gains, "head")
    return np.asarray(_distance(profile.heads, ink * gains, "head") + 0.5 * at_rim)


def head_colours(view: np.ndarray, edge: int, places: np.ndarray = PLACES) -> np.ndarray:
    """The colours (P, 3) at places (P, 2) of the head at an edge, a direction of the view's own."""
    return _sampled(view, places, edge)


def ink_vector(ink: np.ndarray) -> np.ndarray:
    """A head's ink (3,) as a point (4,) whose distances from others are in spreads; see `_distance`."""
    depth = float(ink.mean()) + LIMITS.dim_ink
    return np.array([*(ink / depth / LIMITS.tint_spread), np.log(depth) / _DEPTH_SPREAD["head"]])


def star_ink(view: np.ndarray) -> np.ndarray:
    """The middle colour (3,) of a star's middle."""
    return np.asarray(np.median(_sampled(view, _STAR, 0), axis=0))


def rim_ink(view: np.ndarray) -> np.ndarray:
    """The middle colour (3,) along a tile's edges, near its corners."""
    return np.asarray(np.median(_sampled(view, _RIM_POINTS, 0), axis=0))


def _sampled(view: np.ndarray, points: np.ndarray, edge: int) -> np.ndarray:
    """The view's colours (P, 3) at points (P, 2) in circumradii of a frame turned to an edge."""
    a = np.radians(-60.0 * edge)
    turned = points @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    columns, rows = np.clip(np.round((turned / REACH + 1) * VIEW / 2 - 0.5).astype(int), 0, VIEW - 1).T
    return np.asarray(view[rows, columns])


def _distance(known: np.ndarray, ink: np.ndarray, of: str) -> np.ndarray:
    """How far an ink (..., 3) is from known ones (K, 3), squared, in spreads: (..., K)."""
    depth, depths = ink.mean(-1, keepdims=True) + LIMITS.dim_ink, known.mean(-1) + LIMITS.dim_ink
    tint = ((known / depths[:, None] - (ink / depth)[..., None, :]) ** 2).sum(-1)
    return np.asarray(tint / LIMITS.tint_spread**2 + (np.log(depths / depth) / _DEPTH_SPREAD[of]) ** 2)


@dataclass(frozen=True, slots=True)
class FewShotTiles:
    """A set's own inks; the light's colour, and how likely each of `GAINS` is besides. See `TileClassifier`."""

    profile: InkProfile
    cast: np.ndarray | None = None
    tints: np.ndarray | None = None

    def classify_first(self, pyramid: Pyramid, corners: np.ndarray) -> "tuple[np.ndarray, FewShotTiles]":
        """See `TileClassifier`."""
        views, cast = cut_tiles(pyramid, corners, self.cast, WHOLE)
        answers = answers_to(tile_network(), views)
        owners, tints = self._owners(views, answers)
        told = edge_probabilities(Answers(answers.ends, owners, answers.kinds))
        return told, FewShotTiles(self.profile, cast, tints)

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Classifier`."""
        return self.classify_first(pyramid, corners)[0]

    def in_light_of(self, pyramid: Pyramid, corners: np.ndarray, probabilities: np.ndarray) -> "FewShotTiles":
        """See `TileClassifier`."""
        views, cast = cut_tiles(pyramid, corners, None, WHOLE)
        return FewShotTiles(
            self.profile, cast, FewShotTiles(self.profile)._owners(views, answers_from_probabilities(probabilities))[1]
        )

    def accept(self, probabilities: np.ndarray) -> Face:
        """See `Classifier`."""
        return accepted_edges(probabilities, LIMITS.sure_edge, LIMITS.sure_owner)

    def _owners(self, views: np.ndarray, answers: Answers) -> tuple[np.ndarray, np.ndarray | None]:
        """How likely each owner is (N, K), and the tints that tell so."""
        if self.profile.ground > LIMITS.dark_ground or not len(views):
            return owners_by_ink(self.profile, views, answers, OWNERS), self.tints
        fitting = fits(self.profile, views, answers, GAINS)
        tints = tint_log_likelihoods(fitting, answers) if self.tints is None else self.tints
        return owners_weighed(self.profile, fitting, tints, OWNERS), tints
