"""The inks of a HexDragon set's owners, learnt from one photograph: what their heads and tiles' rims look like.

Where on a head its owner's ink is, is learnt too: the places at which the owners' heads differ. All is measured in
views whose light was divided out (`classifier`). An owner is named by the nearest inks; what lies far from all is
nobody's.

What a picture's light makes of inks is told by all its tiles together (`light`); often more than one light fits, and an
owner is as sure as all that fit agree on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from companion.games.hexdragon.vision.classifier import (
    HEAD,
    OWNERS,
    Answers,
    Face,
    accepted_edges,
    answers_both_ways,
    answers_from_probabilities,
    cut_tiles,
    edge_probabilities,
    light_in,
    tile_network,
    with_owners_of,
)
from companion.games.hexdragon.vision.light import (
    LIGHTS,
    common_inks,
    in_every_light,
    is_sure_head,
    likelihood,
    remove_veiling_glare,
    sample_view,
)
from companion.games.hexdragon.vision.stars import reweigh_stars, star_ink
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import CropFrame
from companion.vision.geometry import HEXAGON, median
from companion.vision.image.pyramid import Pyramid

_DEPTH_SPREAD = {"head": 0.35, "common": 0.35, "star": 0.5}
"""How far the logarithm of its brightness does; a star lies on paper of its own, and so its bright parts tell less."""
_LEAST_OWNED = 1e-3
"""How likely any owner is at least."""
MAX_INK_VALUE = 6.0
"""Views of inks are cut off there and no sooner: on dark faces a band passes for paper, and inks are far brighter."""


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


_RADIUS_PX, _SIDE_PX = 80, 184
FRAME = CropFrame((_SIDE_PX, _SIDE_PX), HEXAGON.unit * _RADIUS_PX + (_SIDE_PX - 1) / 2)
"""Where a tile lies on the crops that a profile keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class InkProfile(Profile):
    """What was learnt of a set.

    Attributes:
        owners: the owners whose heads were shown.
        heads: (K, 3) float32, the ink of each one's heads, as a view shows it.
        rims: (K, 3) float32, what runs along the edges of each one's tiles.
        places: (P, 2) float32, where on a head its ink is, in circumradii, the head's edge along x.
        common: (2, 3) float32, the inks of all tiles' bands and of their faces, as a view shows them.
    """

    GAME: ClassVar[str] = "hexdragon"
    VERSION: ClassVar[int] = 3
    NETWORKS: ClassVar[tuple[str, ...]] = ("hexdragon/tile_classifier/weights.onnx",)
    owners: tuple[str, ...]
    heads: np.ndarray
    rims: np.ndarray
    places: np.ndarray
    common: np.ndarray

    def summary(self) -> str:
        """What was learnt, for people."""
        return f"the inks of {', '.join(self.owners)}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        shape = (len(self.owners), 3)
        are_some = 0 < len(self.owners) == len(set(self.owners) & set(OWNERS)) and len(self.places) > 0
        fit = self.heads.shape == self.rims.shape == shape and self.common.shape == (2, 3)
        return are_some and fit and self.places.shape[1:] == (2,)


def fit_inks(deck: str, shown: Sequence[tuple[str, np.ndarray, int]], common: np.ndarray) -> InkProfile:
    """Learn a set's inks.

    Args:
        shown: the owner of each head, its view, and its edge in the view's own directions; at least one.
        common: (2, 3) the inks that all tiles share, see `light.common_inks`.
    """
    owners = tuple(sorted({owner for owner, _, _ in shown}))
    colours = _owner_colours(owners, shown)
    rims = [np.median([rim_ink(view) for o, view, _ in shown if o == owner], axis=0) for owner in owners]
    inked = _inked(colours)
    heads = np.median(colours[:, inked], axis=1)
    return InkProfile(
        deck, owners, heads.astype(np.float32), np.array(rims, np.float32), PLACES[inked].astype(np.float32), common
    )


def ink_places(shown: Sequence[tuple[str, np.ndarray, int]]) -> np.ndarray:
    """Where on heads their owners' inks are (P, 2); see `fit_inks`."""
    return np.asarray(PLACES[_inked(_owner_colours(sorted({owner for owner, _, _ in shown}), shown))])


def _owner_colours(owners: Sequence[str], shown: Sequence[tuple[str, np.ndarray, int]]) -> np.ndarray:
    """The colours of each owner's heads at each of `PLACES`, (K, P, 3)."""
    seen = [[head_colours(view, edge) for o, view, edge in shown if o == owner] for owner in owners]
    return np.array([np.median(some, axis=0) for some in seen])


def _inked(colours: np.ndarray) -> np.ndarray:
    """Which of `PLACES` (P,) show an owner's ink: where colours (K, P, 3) differ. Heads are about the middle one."""
    difference = _smallest_differences(colours) - 0.5 * np.hypot(PLACES[:, 0] - 0.39, PLACES[:, 1])
    return np.asarray(difference >= np.sort(difference)[-max(9, len(difference) // 8)])


def _smallest_differences(colours: np.ndarray) -> np.ndarray:
    """How far the two most similar colours (K, P, 3) differ at each place, (P,): a band shows on several tiles."""
    pairs = [np.linalg.norm(a - b, axis=-1) for k, a in enumerate(colours) for b in colours[:k]]
    return np.asarray(np.min(pairs, axis=0)) if pairs else np.zeros(colours.shape[1])


def fits(profile: InkProfile, views: np.ndarray, answers: Answers, cast: np.ndarray) -> np.ndarray:
    """How well each owner, or last nobody, fits each piece in each light: logarithms (N, T, K + 1).

    Args:
        profile: the inks of K owners.
        views: (N, VIEW, VIEW, 3), their light divided out as far as it is known.
        answers: what the network says of them.
        cast: (3,) what was divided out.
    """
    heads, rims, common = (_inks_in_every_light(inks, cast) for inks in (profile.heads, profile.rims, profile.common))
    far = np.empty((len(views), len(LIGHTS.veil), len(profile.owners) + 1))
    for i, view in enumerate(views):
        is_star = answers.kinds[i, 1] > answers.kinds[i, 0]
        far[i, :, -1] = LIMITS.strange_ink**2
        if not is_star:
            ink = median(sample_view(view, profile.places, int(answers.ends[i, :, HEAD].argmax())))
            far[i, :, :-1] = heads.squared(ink, "head") + 0.5 * rims.squared(rim_ink(view), "head")
            # what looks like the bands or faces of all tiles shows no head: something lies on it
            no_head = common.squared(ink, "head").min(axis=1) + LIMITS.no_head_ink
            far[i, :, -1] = np.minimum(far[i, :, -1], no_head)
        elif answers.kinds[i, 1] >= LIMITS.faint_star:
            far[i, :, :-1] = heads.squared(star_ink(view), "star")
        else:  # nothing is told of it: its ink is not looked for
            far[i, :, :-1] = 0.0
    return far / -2


def is_another_set(
    profile: InkProfile, views: np.ndarray, answers: Answers, cast: np.ndarray, lights: np.ndarray, strange: np.ndarray
) -> bool:
    """Whether pieces show another set than the one that was learnt.

    Args:
        profile: what was learnt.
        views: see `fits`.
        answers: see `fits`.
        cast: see `fits`.
        lights: (T,) how likely each light is.
        strange: (N,) how likely each head or star is nobody's; of the heads something may lie on one.
    """
    heads = np.sort(strange[is_sure_head(answers)])
    has_all_owners = len(profile.owners) == len(OWNERS)  # the heads of one that was not taught are nobody's
    if has_all_owners and len(heads) > 1 and float(heads[:-1].mean()) > LIMITS.foreign_heads:
        return True
    common = common_inks(views, answers)
    if common is None:
        return False
    return float(_common_far(profile, common, cast).sum(0) @ lights) > LIMITS.foreign_common


def _common_far(profile: InkProfile, common: np.ndarray, cast: np.ndarray) -> np.ndarray:
    """How far each common ink (2, 3) of a picture is from the learnt one in each light, squared, in spreads: (2, T)."""
    known = _inks_in_every_light(profile.common, cast)
    return np.array([known.squared(ink, "common")[:, k] for k, ink in enumerate(common)])


def lights_of(
    profile: InkProfile, views: np.ndarray, answers: Answers, cast: np.ndarray, fitting: np.ndarray | None = None
) -> np.ndarray:
    """How likely each light is (T,), by what such views show; see `fits`, which ``fitting`` is where it is known.

    The owners of the answers are those that are known already, uniform where none is.
    """
    common = common_inks(views, answers)
    far = np.zeros((2, len(LIGHTS.fading))) if common is None else _common_far(profile, common, cast)
    far = np.minimum(far, LIMITS.strange_ink**2).sum(0)
    fitting = fits(profile, views, answers, cast) if fitting is None else fitting
    return likelihood(far, fitting + _owner_log_prior(profile, answers)[:, None], answers)


def _owner_log_prior(profile: InkProfile, answers: Answers) -> np.ndarray:
    """The log prior of each owner, or last nobody, by answers, that of the likeliest 0: (N, K + 1)."""
    likely = np.maximum(answers.owners, _LEAST_OWNED)
    likely = likely / likely.max(1, keepdims=True)
    columns = [OWNERS.index(owner) for owner in profile.owners]
    return np.asarray(np.log(np.column_stack([likely[:, columns], likely.min(1)])))


def owners_weighed(profile: InkProfile, fitting: np.ndarray, lights: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """How likely each of ``names`` owns each piece (N, len(names)), all lights weighed by how likely they are (T,)."""
    weighed = _weighed(fitting, lights)
    out = np.repeat(weighed[:, -1:] / len(names), len(names), axis=1)
    out[:, [names.index(owner) for owner in profile.owners]] += weighed[:, :-1]
    return np.asarray(out, np.float32)


def nobodys(fitting: np.ndarray, lights: np.ndarray) -> np.ndarray:
    """How likely each piece (N,) shows nobody's ink where its head or star is."""
    return _weighed(fitting, lights)[:, -1]


def _weighed(fitting: np.ndarray, lights: np.ndarray) -> np.ndarray:
    shares = np.exp(fitting - np.logaddexp.reduce(fitting, axis=-1)[..., None])
    return np.asarray(np.einsum("ntk,t->nk", shares, lights))


def head_colours(view: np.ndarray, edge: int, places: np.ndarray = PLACES) -> np.ndarray:
    """The colours (P, 3) at places (P, 2) of the head at an edge, a direction of the view's own."""
    return sample_view(view, places, edge)


def ink_vector(ink: np.ndarray) -> np.ndarray:
    """A head's ink (3,) as a point (4,) whose distances from others are in spreads; see `_Inks.squared`."""
    depth = float(ink.mean()) + LIMITS.dim_ink
    return np.array([*(ink / depth / LIMITS.tint_spread), np.log(depth) / _DEPTH_SPREAD["head"]])


def rim_ink(view: np.ndarray) -> np.ndarray:
    """The middle colour (3,) along a tile's edges, near its corners."""
    return median(sample_view(view, _RIM_POINTS, 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Inks:
    """Inks in each light, to be compared with others.

    Attributes:
        tints: (T, K, 3), each colour over its brightness.
        depths: (T, K), the logarithm of that.
    """

    tints: np.ndarray
    depths: np.ndarray

    def squared(self, ink: np.ndarray, of: str) -> np.ndarray:
        """How far an ink (3,) is from each in each light, squared, in spreads: (T, K)."""
        depth = float(ink.mean()) + LIMITS.dim_ink
        off = self.tints - ink / depth
        spread = LIMITS.common_spread if of == "common" else LIMITS.tint_spread
        tint = np.einsum("tkc,tkc->tk", off, off) / spread**2
        return np.asarray(tint + ((self.depths - np.log(depth)) / _DEPTH_SPREAD[of]) ** 2)


def _inks_in_every_light(inks: np.ndarray, cast: np.ndarray) -> _Inks:
    """Inks (K, 3) in each light; see `in_every_light`."""
    seen = in_every_light(inks, cast)
    depths = seen.mean(-1) + LIMITS.dim_ink
    return _Inks(seen / depths[..., None], np.log(depths))


def _doubted(ends: np.ndarray, strange: np.ndarray) -> np.ndarray:
    """The ends' probabilities (N, 6, 7), of a head as uncertain as it is strange (N,): something lies where it is."""
    doubt = (strange * (ends[:, :, HEAD].max(1) > 0.5))[:, None, None]
    return np.asarray((1 - doubt) * ends + doubt / ends.shape[2])


@dataclass(frozen=True, slots=True, eq=False)
class _TileViews:
    """Views of pieces (N, VIEW, VIEW, 3), and what is known of them; their owners are uniform where nobody knows."""

    views: np.ndarray
    answers: Answers

    def joined_with(self, known: "_TileViews | None") -> "_TileViews":
        """These, then the known ones."""
        if known is None:
            return self
        mine, theirs = self.answers, known.answers
        ends, owners, kinds = (
            np.concatenate(pair)
            for pair in ((mine.ends, theirs.ends), (mine.owners, theirs.owners), (mine.kinds, theirs.kinds))
        )
        return _TileViews(np.concatenate([self.views, known.views]), Answers(ends, owners, kinds))

    def white_balanced(self, cast: np.ndarray) -> "tuple[_TileViews, np.ndarray]":
        """These in the light's colour (3,) that all sure tiles among them tell, and that colour: one tile tells little,
        for on dark faces its brightest part is a rim or a head.
        """
        is_tile = self.answers.kinds[:, 0] > LIMITS.sure_head
        if not is_tile.any():
            return self, cast
        light = light_in(self.views[is_tile], cast)
        return _TileViews(self.views * (cast / light), self.answers), light


@dataclass(frozen=True, slots=True)
class FewShotTiles:
    """A set's own inks; the light's colour, and how likely each light is besides (T,). See `TileClassifier`.

    ``known`` are tiles that tell the light together with what is first classified. ``is_foreign`` says whether what was
    first seen, without known tiles, shows another set: its bands and faces, or most of its heads, are in no light like
    those that were learnt.
    """

    profile: InkProfile
    cast: np.ndarray | None = None
    lights: np.ndarray | None = None
    is_foreign: bool = False
    known: _TileViews | None = None

    def classify_first(self, pyramid: Pyramid, corners: np.ndarray) -> "tuple[np.ndarray, FewShotTiles]":
        """See `TileClassifier`."""
        views, cast = cut_tiles(pyramid, corners, self.cast, MAX_INK_VALUE)
        answers = answers_both_ways(tile_network(), views)
        if not len(views) and self.known is None:
            return edge_probabilities(answers), FewShotTiles(self.profile, cast, self.lights)
        answers = reweigh_stars(answers, views)
        count, unowned = len(views), Answers(answers.ends, np.full_like(answers.owners, 1 / len(OWNERS)), answers.kinds)
        shown = _TileViews(views, unowned).joined_with(self.known)
        if self.lights is None:
            shown, cast = shown.white_balanced(cast)
        views = remove_veiling_glare(shown.views, shown.answers)
        fitting = fits(self.profile, views, shown.answers, cast)
        lights, is_foreign = self.lights, self.is_foreign
        lights = lights_of(self.profile, views, shown.answers, cast, fitting) if lights is None else lights
        strange = nobodys(fitting, lights)
        if self.lights is None and self.known is None:
            is_foreign = is_another_set(self.profile, views, answers, cast, lights, strange)
        owners = owners_weighed(self.profile, fitting, lights, OWNERS)[:count]
        probabilities = edge_probabilities(Answers(_doubted(answers.ends, strange[:count]), owners, answers.kinds))
        return probabilities, FewShotTiles(self.profile, cast, lights, is_foreign)

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Classifier`."""
        return self.classify_first(pyramid, corners)[0]

    def in_light_of(self, pyramid: Pyramid, corners: np.ndarray, probabilities: np.ndarray) -> "FewShotTiles":
        """See `TileClassifier`."""
        views, cast = cut_tiles(pyramid, corners, None, MAX_INK_VALUE)
        answers = answers_from_probabilities(probabilities)
        is_sure = answers.owners.max(1, keepdims=True) >= LIMITS.sure_owner
        owners = np.where(is_sure, answers.owners, np.float32(1 / len(OWNERS)))
        return FewShotTiles(self.profile, cast, known=_TileViews(views, Answers(answers.ends, owners, answers.kinds)))

    @property
    def is_light_as_taught(self) -> bool:
        """Whether bands, faces and heads say surely that views show colours as they were taught."""
        if self.lights is None or self.is_foreign:
            return False
        mean = self.lights @ LIGHTS.tints
        spread = np.sqrt(self.lights @ ((LIGHTS.tints - mean) ** 2).sum(1))
        return bool(np.ptp(mean) + spread < LIMITS.same_light)

    def discounted(self, likely: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """See `CorrelatedErrors`: whose ink it is depends on a light that all frames show alike."""
        return with_owners_of(likely, mean)

    def accept(self, probabilities: np.ndarray) -> Face:
        """See `Classifier`."""
        return accepted_edges(probabilities, LIMITS.sure_edge, LIMITS.sure_owner, LIMITS.sure_taught_star)
