"""The thresholds of HexDragon's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(EdgeLimits(support=0.6), vote=0.6, count_below=0.01)
"""Of 800 tiles on drawn and path-traced pictures 1 in 50 shows edges along less than 0.7 of its free sides; of 40
finds on other cards none shows them along more than 0.6. A board's printed cells count as hexagons: they speak
against a reading only where no tile of it is sure."""

TINT = TintLimits(usual=1.5, burnt_out=0.9)
"""On `tests/bench/sweeps.py --sweep warmth` 4 % of the tiles were stated wrongly at 1.0 in pictures burnt out, none at
0.8; 2 % at 2.1 in others, none at 1.4."""


@dataclass(frozen=True, slots=True)
class HexDragonLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # recognizer
    hint: float = 0.2
    """Less certain than that the finder tells nothing."""
    tile: float = 0.5
    """What is told as a tile is at least so surely one to the network that reads it."""
    blank_tile: float = 0.9
    """And at least so surely when none of its edges can be read."""
    off_star: float = 0.42
    """How far from its cell's middle a star is still told there, in pitches: far from tiles the grid is less exact."""
    plain_tile: float = 0.6
    """A tile found so surely is mentioned even when it lies on no cell."""
    guessed_tile: float = 0.9
    guessed_star: float = 0.91
    """A tile or star that was looked for where the grid has a cell is at least so sure."""
    doubted_star: float = 0.6
    """One less sure, but so sure, is nothing stated: a warning says where it may lie."""
    guessed_edges: int = 4
    """And so many of such a tile's edges are."""
    star_room: float = 0.7
    """How much of a cell a star takes, as a share of the circumradius, with room to lie askew."""
    radius: int = 3
    """The largest board has so many rings of cells around the start tile."""

    # results
    sure_edge: float = 0.87
    """An edge less certain than this is unsure: its part of the reading is null and a warning says where."""
    sure_owner: float = 0.75
    """An owner less certain than this, given that there is a head or a star, is unsure."""

    # plausibility
    plain_edge: float = 0.92
    """An edge seen so plainly is not doubted because the supply has no such tile any more."""
    foreign_starts: int = 3
    """So many more start tiles than there can be are no slip of the eye: blank cards of another game look like them."""
    plain_star: float = 0.95
    """A second star of an owner that is seen less plainly may be a counter, and is only warned of."""
    tile_by_edges: tuple[tuple[int, float], ...] = ((4, 0.12), (2, 0.3), (0, 0.6))
    """What is told as a tile: with so many sure edges on it, one found at least so surely."""

    sure_find: float = 0.7
    """A tile found so surely and named in full speaks for a HexDragon table."""
    table: TableLimits = TABLE
    tint: TintLimits = TINT

    # tile tta
    most_tiles: int = 8
    """So many tiles are looked at again, the most doubtful ones: time is short."""
    star: float = 0.5
    """What is a star so surely needs no tile's outline."""
    maybe_star: tuple[float, float] = (0.3, 0.985)
    """What may be a star, and hardly needs another look."""
    nothing: float = 0.015
    """What is hardly more surely a tile is not looked at again."""
    steps: int = 3
    """So many times an outline is made exact once more."""
    near_place: float = 0.3
    """How far from where the grid says, in sides, a tile may lie."""

    # lattice
    off_most: float = 0.27
    """How far from its cell's middle a tile may lie, in pitches."""
    turn_most_deg: float = 13.0
    size_most: float = 1.3
    """Tiles of one set differ less in size than this factor, as seen from above."""

    # face prior
    prior_weight: float = 0.3
    """Little is expected: 930 drawn tiles were read best so, with hardly a tile stated wrongly."""

    # prototypes
    tint_spread: float = 0.13
    """How far the tint of one ink wanders from picture to picture; a tint is a colour over its brightness."""
    strange_ink: float = 4.5
    """An ink that many spreads away from every owner's is nobody's."""
    no_head_ink: float = 6.0
    """What looks like a band or a face is nobody's, unless it is by so much, squared, nearer to an owner's ink."""
    dim_ink: float = 0.06

    # enrolment
    least_taught_px: float = 13.0
    """A tile with shorter sides shows a head with 7 pixels."""
    alike_inks: float = 9.0
    same_inks: float = 2.25
    """Two owners' inks nearer than 3 spreads, squared, are often mistaken for one another; 1.5 spreads are none."""
    no_head: float = 0.02
    plain_head: float = 0.97
    """A tile that is called a head shows one at least as surely as the first; another less surely than the second."""

    # colour cast
    sure_head: float = 0.8
    """A tile and its head so sure say something of the light."""
    most_heads: float = 3.0
    """So many heads' worth of evidence a picture has at most: what blurs one of them blurs all."""
    cast_spread: float = 0.1
    """How far the logarithm of a tint wanders that was measured by the bright parts of tiles."""
    fading_spread: float = 0.15
    """How much of their colour inks lose in dim light."""
    foreign_band: float = 10.0
    foreign_heads: float = 0.1
    """Bands whose ink lies so far, squared and in spreads, from what was learnt are another set's, and so are heads
    that are so likely nobody's. On 24 drawn pictures of the sets themselves bands lay at 7.4 at most and heads were
    nobody's at 0.02; of 24 pictures of other sets two are beyond neither, whose inks are alike."""
    veil_spread: float = 0.1
    """How much of the lamp's own light lies over the inks, as on gloss or behind haze."""
    common_spread: float = 0.1
    """How far the tint of the bands and faces of all tiles wanders in a light that was found for them."""


LIMITS = HexDragonLimits()
