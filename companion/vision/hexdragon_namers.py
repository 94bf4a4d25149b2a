"""How a HexDragon set's heads and stars get their owners: by the printings training knew, or by a set's own inks.

What a tile's lines join is read from their shape, whatever the printing; only whose a head or star is needs colours.
"""

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from companion.vision.hexdragon_faces import Face, edge_probabilities, stated
from companion.vision.hexdragon_inks import WHOLE, Profile, owners_by_ink
from companion.vision.hexdragon_light import tint_of
from companion.vision.hexdragon_seen import SURE, SURE_OWNER
from companion.vision.models import network
from companion.vision.namers import Stating
from companion.vision.paths import OWNERS, Answers, answers_to, cut_tiles
from companion.vision.pyramid import Pyramid

SURE_INK = 0.85
"""An owner told by ink that is less certain is unsure."""


class TileNamer(Stating, Protocol):
    """Reads the faces of one set."""

    def seen(self, pyramid: Pyramid, corners: np.ndarray, cast: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Probability of every class for the edges of pieces (N, 6, 2), (N, 6, C); and the light's colour (3,)."""


@dataclass(frozen=True, slots=True)
class PrintedTiles:
    """The reference printing and its kin."""

    def seen(self, pyramid: Pyramid, corners: np.ndarray, cast: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """See `TileNamer`."""
        views, cast = cut_tiles(pyramid, corners, cast)
        return edge_probabilities(answers_to(tile_network(), views)), cast

    def stated(self, probabilities: np.ndarray) -> Face:
        """See `namers.Stating`."""
        return stated(probabilities, SURE, SURE_OWNER)


@dataclass(frozen=True, slots=True)
class LearntTiles:
    """A set's own inks."""

    profile: Profile

    def seen(self, pyramid: Pyramid, corners: np.ndarray, cast: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """See `TileNamer`. The light's colour is told by the set's own inks; what then changes hands is doubted."""
        is_first = cast is None
        views, cast = cut_tiles(pyramid, corners, cast, WHOLE)
        answers = answers_to(tile_network(), views)
        owners = owners_by_ink(self.profile, views, answers, OWNERS)
        tint = tint_of(self.profile, views, answers) if is_first else None
        if tint is not None:
            cast, anew = cast / tint, owners_by_ink(self.profile, views * tint, answers, OWNERS)
            stays = (owners.argmax(1) == anew.argmax(1))[:, None]
            owners = np.where(stays, anew, (owners + anew) / 2)
        return edge_probabilities(Answers(answers.ends, owners, answers.kinds)), cast

    def stated(self, probabilities: np.ndarray) -> Face:
        """See `namers.Stating`."""
        return stated(probabilities, SURE, SURE_INK)


def tile_network() -> cv2.dnn.Net:
    """The network that reads tiles."""
    return network("hexdragon-tiles/tiles.onnx")
