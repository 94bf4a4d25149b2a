"""What about a whole picture keeps its cards from being told: its angle, its light, a mirror, another deck."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.edge_refinement import refine
from companion.vision.geometry import Shape, median
from companion.vision.image.pyramid import Pyramid, brightest_channel, percentile
from companion.vision.results import ReadingWarning

_COLOUR_PX, _TINT_PX = 240.0, 480.0
"""The longer side of the picture whose colours and whose tint are measured: grain of single pixels is no colour, and
bright lines on dark faces are thin."""
FAINT = 0.08
"""Printed colours differ by more, in shares of white: on 36 pictures by 0.3 at least, and by 0.03 to 0.14 with a tenth
of their colour left, where insects were first taken for one another."""
_FADED = 0.15
"""Of taught printings in strong inks owners and symbols were mixed up with a tenth of their colour left, not with 0.3:
on their pictures colours differ by 0.05 to 0.13 then and by 0.16 at least, where it was 0.5 to 1.9 before."""
_UNCOLOURED, _LEFT_OF_UNCOLOURED = 0.25, 1 / 3
"""Cards printed in one dark ink differ by 0.05 to 0.21 of their contrast where they were taught, printed colours by
0.28 at least; in another light half of that was left, and a third of it is without a picture's colours."""
_BRIGHT_SHARE, _LESS_BRIGHT_SHARES = 0.95, (0.8, 0.65, 0.5, 0.35, 0.2)
_BURNT_OUT, _DARKEST_LEVEL = 250.0, 4.0
_BLUE = 0
"""The channel, of OpenCV's order."""

Shown = tuple[Pyramid, Sequence[NDArray[np.floating]]]
"""A picture, and the outlines (K, 2) of cards on it."""
_STEEPEST_DEG = 50.0
"""Beyond that cards are as good as half as high as wide, and two in a row look like one."""
_CHECKED_DEG = 33.0
"""Beyond that the tilt is measured by the cards' edges: the games' networks place outlines on steeper pictures as if
these were less tilted, by up to 22 degrees."""
_CHECKED_OUTLINES, _MIN_SUPPORT = 8, 0.6
"""So many outlines are measured; those of which edges show along such a share count."""
_FEWEST_MIRRORED = 2
NEUTRAL = np.zeros(3, np.float32)
"""The channels of the `Tint` of light faces in white light."""


def has_colour(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]], faint: float = FAINT) -> bool:
    """Whether cards show colours, whatever the light's tint: night-mode pictures and grey scans show none.

    Args:
        outlines: (K, 2) each, of the cards.
        faint: how colourful they are where what is printed still shows; see `colourfulness`.
    """
    return colourfulness(pyramid, outlines) > faint


def colourfulness(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]]) -> float:
    """How far the channels of what is most coloured on cards (K, 2) differ, in shares of white; infinite without cards.

    The light's tint is no colour.
    """
    small, mask = _shrunk(pyramid, outlines, _COLOUR_PX)
    pixels = small[mask > 0]
    if not len(pixels):
        return np.inf
    bright = [max(percentile(pixels[:, channel], 90), 8.0) for channel in range(3)]
    levelled = pixels / np.array(bright, np.float32)
    spread = brightest_channel(levelled) + brightest_channel(-levelled)
    return float(np.percentile(spread, 98))


def faint_of(shown: Sequence[Shown]) -> float:
    """How colourful cards of a printing are whose colours hardly show any more.

    Args:
        shown: the cards as they were taught, some at least.
    """
    taught = [(colourfulness(*one), _contrast(*one)) for one in shown]
    most = max(colours for colours, _ in taught)
    if all(colours < _UNCOLOURED * contrast for colours, contrast in taught):
        return min(FAINT, _LEFT_OF_UNCOLOURED * most)
    return max(FAINT, _FADED * most)


def _contrast(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]]) -> float:
    """How far the brightest and the darkest on cards (K, 2) differ, in shares of white; a veil takes from it."""
    small, mask = _shrunk(pyramid, outlines, _COLOUR_PX)
    dark, bright = np.percentile(small[mask > 0], (2, 90), axis=0)
    return float(1 - (dark / np.maximum(bright, 8.0)).mean())


class Tint(NamedTuple):
    """The tint of the light on cards. It holds that of what is printed too: only tints of one printing compare.

    Attributes:
        channels: the logarithm of each channel (3,), 0 in the mean.
        is_burnt_out: a channel of what is brightest is; the tint is then that of less bright parts.
    """

    channels: NDArray[np.float32]
    is_burnt_out: bool

    def off(self, channels: NDArray[np.floating]) -> float:
        """The logarithm of how much more it dims one channel than another, beside another tint's channels (3,)."""
        return float(np.ptp(self.channels - channels))


def tint_of(shown: Sequence[Shown]) -> Tint:
    """The tint of the light on cards, by their brightest parts that are not burnt out."""
    counts = np.zeros((3, 256))
    for pyramid, outlines in shown:
        small, mask = _shrunk(pyramid, outlines, _TINT_PX)
        counts += [cv2.calcHist([small], [channel], mask, [256], [0, 256]).ravel() for channel in range(3)]
    if not counts.any():
        return Tint(np.zeros(3, np.float32), False)
    below = np.cumsum(counts, axis=1) / counts[0].sum()
    shares = (_BRIGHT_SHARE, *_LESS_BRIGHT_SHARES)
    bright, *less_bright = np.array([[np.searchsorted(channel, share) for channel in below] for share in shares])
    level = next((one for one in (bright, *less_bright) if one.max() < _BURNT_OUT), less_bright[-1])
    channels = np.log(np.maximum(level, _DARKEST_LEVEL))
    return Tint(np.asarray(channels - channels.mean(), np.float32), bool(bright.max() >= _BURNT_OUT))


def _shrunk(
    pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]], longer_side_px: float
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A picture made so small, and the mask (h, w) of its cards."""
    small = pyramid.scaled(min(1.0, longer_side_px / max(pyramid.size)))
    scale = np.array(small.shape[1::-1]) / pyramid.size
    mask = np.zeros(small.shape[:2], np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round((outline + 0.5) * scale - 0.5).astype(np.int32), 1)
    return small, mask


@dataclass(frozen=True, slots=True)
class TintLimits:
    """How far the light's tint may be from that in which a printing was taught; see `Tint.off`.

    Attributes:
        usual: in a picture that shows all of it.
        burnt_out: where a channel is burnt out, so that a white balance by bright parts errs.
        burnt_out_blue: likewise, in bluer light; as in light of other colours when None.
    """

    usual: float
    burnt_out: float
    burnt_out_blue: float | None = None

    @property
    def even_burnt_out(self) -> "TintLimits":
        """The same where it is known that burnt out channels have not misled the white balance."""
        return TintLimits(self.usual, self.usual)

    def exceeded_by(self, seen: Tint, taught: NDArray[np.floating]) -> bool:
        """Whether a picture's tint is too far from that (3,) in which the printing was taught."""
        limit = self.usual
        if seen.is_burnt_out:
            is_bluer = (seen.channels - taught).argmax() == _BLUE
            limit = self.burnt_out_blue if is_bluer and self.burnt_out_blue is not None else self.burnt_out
        return seen.off(taught) > limit


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


CONDITIONS = (TOO_STEEP, FOREIGN_PROFILE, MIRRORED, LIGHT, NO_COLOUR)


def is_too_steep(
    pyramid: Pyramid, shape: Shape, outlines: Sequence[NDArray[np.floating]], share_below: float = 0.5
) -> bool:
    """Whether cards are seen too much from the side.

    Outlines of tilted cards along which no edge shows are not where the cards are: their tilt tells nothing.

    Args:
        shape: of the cards.
        outlines: (K, 2) of each, one at least.
        share_below: of the outlines that may look less tilted than the picture is: more than half of them where cards
            lie on one another, whose edges are mistaken for their own.
    """
    tilt_deg = float(median(shape.tilt_deg(np.array(outlines))))
    if not _CHECKED_DEG < tilt_deg <= _STEEPEST_DEG:
        return tilt_deg > _STEEPEST_DEG
    some = np.linspace(0, len(outlines) - 1, min(len(outlines), _CHECKED_OUTLINES)).astype(int)
    refined = refine(pyramid, [outlines[i].astype(np.float64) for i in some])
    clear = [one.corners for one in refined if one.support.mean() > _MIN_SUPPORT]
    return not clear or float(np.quantile(shape.tilt_deg(np.array(clear)), share_below)) > _STEEPEST_DEG


def conditions_of(
    pyramid: Pyramid,
    shape: Shape,
    outlines: Sequence[NDArray[np.floating]],
    *,
    tint: NDArray[np.floating],
    limits: TintLimits,
    is_foreign: Callable[[], bool],
    faint: Callable[[], float] = lambda: FAINT,
    is_read_without_colour: Callable[[], bool] = lambda: False,
    beside: Sequence[NDArray[np.floating]] = (),
) -> tuple[Condition, ...]:
    """What keeps some cards from being told, the worst first; nothing where there are none.

    Args:
        shape: of the cards.
        outlines: (K, 2) of each.
        tint: that of the printing as it was taught; empty where it is not known.
        limits: how far the light's tint may be from it.
        is_foreign: whether the cards are of another printing.
        faint: how colourful they are where what is printed still shows; see `faint_of`.
        is_read_without_colour: whether the printing is named all the same where no colour shows.
        beside: other pieces (K, 2): where one shows colour, cards without any are printed so.
    """
    if not outlines:
        return ()
    if is_too_steep(pyramid, shape, outlines):
        return (TOO_STEEP,)
    found = (FOREIGN_PROFILE,) if is_foreign() else ()
    if len(tint):
        seen = tint_of([(pyramid, outlines)])
        if limits.exceeded_by(seen, tint):
            return (*found, LIGHT)
    least = faint()
    is_shown = any(has_colour(pyramid, some, least) for some in (outlines, *([one] for one in beside)))
    return found if is_shown or is_read_without_colour() else (*found, NO_COLOUR)


def is_mirrored(is_read: NDArray[np.bool_], is_read_in_mirror: NDArray[np.bool_]) -> bool:
    """Whether more of some cards (N,) are read in a mirror than as they are, two at least.

    Those that are read both ways say nothing: an 8 and an A look the same in a mirror.
    """
    gained, lost = int((is_read_in_mirror & ~is_read).sum()), int((is_read & ~is_read_in_mirror).sum())
    return gained >= _FEWEST_MIRRORED and gained > 2 * lost
