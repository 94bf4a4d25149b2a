"""How a HexDragon set's heads and stars get their owners: by the printings training knew, or by a set's own inks.

What a tile's lines join is read from their shape, whatever the printing; only whose a head or star is needs colours.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from companion.games.hexdragon.vision.colour_cast import DARK, GAINS, tints_told
from companion.games.hexdragon.vision.face_prior import Face, accepted_edges, answers_told, edge_probabilities
from companion.games.hexdragon.vision.prototypes import WHOLE, InkProfile, fits, owners_by_ink, owners_weighed
from companion.games.hexdragon.vision.results import SURE, SURE_OWNER
from companion.games.hexdragon.vision.tile_crops import OWNERS, Answers, answers_to, cut_tiles
from companion.vision.classification.classifier import Classifier
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, network


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """What the first look at a picture tells of its light, for all further looks.

    Attributes:
        cast: the light's colour (3,), BGR, about 1.
        tints: how likely each tint of `hexdragon_light` is besides; None where the cast is well measured.
    """

    cast: np.ndarray
    tints: np.ndarray | None = None


class TileNamer(Classifier, Protocol):
    """Reads the faces of one set."""

    def seen(self, pyramid: Pyramid, corners: np.ndarray, light: Light | None) -> tuple[np.ndarray, Light]:
        """Probability of every class for the edges of pieces (N, 6, 2), (N, 6, C); and the light they lie in."""

    def light(self, pyramid: Pyramid, corners: np.ndarray, said: np.ndarray) -> Light:
        """The light in which tiles (N, 6, 2) lie whose probabilities (N, 6, C) are known; N >= 1."""


@dataclass(frozen=True, slots=True)
class PrintedTiles:
    """The reference printing and its kin."""

    def seen(self, pyramid: Pyramid, corners: np.ndarray, light: Light | None) -> tuple[np.ndarray, Light]:
        """See `TileNamer`."""
        views, cast = cut_tiles(pyramid, corners, None if light is None else light.cast)
        return edge_probabilities(answers_to(tile_network(), views)), Light(cast)

    def light(self, pyramid: Pyramid, corners: np.ndarray, said: np.ndarray) -> Light:
        """See `TileNamer`."""
        return Light(cut_tiles(pyramid, corners)[1])

    def accepted(self, probabilities: np.ndarray) -> Face:
        """See `Classifier`."""
        return accepted_edges(probabilities, SURE, SURE_OWNER)


@dataclass(frozen=True, slots=True)
class LearntTiles:
    """A set's own inks."""

    profile: InkProfile

    def seen(self, pyramid: Pyramid, corners: np.ndarray, light: Light | None) -> tuple[np.ndarray, Light]:
        """See `TileNamer`."""
        views, cast = cut_tiles(pyramid, corners, None if light is None else light.cast, WHOLE)
        answers = answers_to(tile_network(), views)
        owners, tints = self._owners(views, answers, None if light is None else light.tints)
        return edge_probabilities(Answers(answers.ends, owners, answers.kinds)), Light(cast, tints)

    def light(self, pyramid: Pyramid, corners: np.ndarray, said: np.ndarray) -> Light:
        """See `TileNamer`."""
        views, cast = cut_tiles(pyramid, corners, None, WHOLE)
        return Light(cast, self._owners(views, answers_told(said), None)[1])

    def _owners(
        self, views: np.ndarray, answers: Answers, tints: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if self.profile.ground > DARK or not len(views):
            return owners_by_ink(self.profile, views, answers, OWNERS), tints
        fitting = fits(self.profile, views, answers, GAINS)
        if tints is None:
            tints = tints_told(fitting, answers)
        return owners_weighed(self.profile, fitting, tints, OWNERS), tints

    def accepted(self, probabilities: np.ndarray) -> Face:
        """See `Classifier`."""
        return accepted_edges(probabilities, SURE, SURE_OWNER)


def tile_network() -> Network:
    """The network that reads tiles."""
    return network("hexdragon/tile_classifier/weights.onnx")
