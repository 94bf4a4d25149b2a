"""What about a whole picture keeps its cards from being told: its angle, its light, a mirror, another deck."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry.shapes import Shape
from companion.vision.image.colour import has_colour, tint_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning

_STEEPEST_DEG = 50.0
"""Beyond that cards are as good as half as high as wide, and two in a row look like one."""
_FEWEST_MIRRORED = 2
NEUTRAL = np.zeros(3, np.float32)
"""The channels of the `Tint` of light faces in white light."""


@dataclass(frozen=True, slots=True)
class TintLimits:
    """How far the light's tint may be from that in which a printing was taught; see `Tint.off`.

    Attributes:
        usual: in a picture that shows all of it.
        burnt_out: where a channel is burnt out, so that a white balance by bright parts errs.
    """

    usual: float
    burnt_out: float


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing about a whole picture.

    Attributes:
        warning: what is said of it.
        words: the end of "it cannot be told ...", for people.
        is_of_colour: only what colour tells depends on it.
    """

    warning: ReadingWarning
    words: str
    is_of_colour: bool = False

    def unsure(self, what: str, at: tuple[float, float]) -> ReadingWarning:
        """The warning that something at a place cannot be told for it."""
        return ReadingWarning("unsure", f"{what} cannot be told {self.words}", at)


TOO_STEEP = Condition(
    ReadingWarning("too-steep", "the camera looks too flat across the table: nothing is read for certain"),
    "from so far aside",
)
FOREIGN_PROFILE = Condition(
    ReadingWarning(
        "foreign-profile",
        "the deck that lies here is not the one that was taught: nothing that is named by it is certain",
    ),
    "by another deck's profile",
)
MIRRORED = Condition(
    ReadingWarning(
        "mirrored", "the picture is mirrored: nothing is read for certain; turn mirroring off at the camera"
    ),
    "in a mirror",
)
LIGHT = Condition(
    ReadingWarning("light", "the light is too coloured: what only colour tells is left open; take whiter light"),
    "in light so coloured",
    is_of_colour=True,
)
NO_COLOUR = Condition(
    ReadingWarning("no-colour", "the picture has no colour: what only colour tells is left open"),
    "without colour",
    is_of_colour=True,
)


def is_too_steep(shape: Shape, outlines: Sequence[NDArray[np.floating]]) -> bool:
    """Most of some cards of a shape (K, 2), one at least, are seen too much from the side."""
    return float(np.median(shape.tilt_deg(np.array(outlines)))) > _STEEPEST_DEG


def conditions_of(
    pyramid: Pyramid,
    shape: Shape,
    outlines: Sequence[NDArray[np.floating]],
    *,
    tint: NDArray[np.floating],
    limits: TintLimits,
    is_foreign: Callable[[], bool],
) -> tuple[Condition, ...]:
    """What keeps some cards from being told, the worst first; nothing where there are none.

    Args:
        pyramid: the picture.
        shape: of the cards.
        outlines: (K, 2) of each.
        tint: that of the printing as it was taught; empty where it is not known.
        limits: how far the light's tint may be from it.
        is_foreign: whether the cards are of another printing.
    """
    if not outlines:
        return ()
    if is_too_steep(shape, outlines):
        return (TOO_STEEP,)
    found = (FOREIGN_PROFILE,) if is_foreign() else ()
    if len(tint):
        seen = tint_of([(pyramid, outlines)])
        if seen.off(tint) > (limits.burnt_out if seen.is_burnt_out else limits.usual):
            return (*found, LIGHT)
    return found if has_colour(pyramid, outlines) else (*found, NO_COLOUR)


def is_mirrored(is_read: NDArray[np.bool_], is_read_in_mirror: NDArray[np.bool_]) -> bool:
    """Whether more of some cards (N,) are read in a mirror than as they are, two at least.

    Those that are read both ways say nothing: an 8 and an A look the same in a mirror.
    """
    gained, lost = int((is_read_in_mirror & ~is_read).sum()), int((is_read & ~is_read_in_mirror).sum())
    return gained >= _FEWEST_MIRRORED and gained > 2 * lost
