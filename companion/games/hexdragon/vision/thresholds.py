"""The thresholds of HexDragon's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(EdgeLimits(min_support=0.6), min_vote_presence=0.6, count_below_share=0.01)
"""Of 800 tiles on drawn and path-traced pictures 1 in 50 shows edges along less than 0.7 of its free sides; of 40
finds on other cards none shows them along more than 0.6. A board's printed cells count as hexagons: they speak
against a reading only where no tile of it is sure."""

TINT = TintLimits(usual=1.5, burnt_out=0.9, burnt_out_blue=0.84)
"""On `tests/bench/sweeps.py --sweep warmth` 4 % of the tiles were stated wrongly at 1.0 in pictures burnt out, none at
0.8; 2 % at 2.1 in others, none at 1.4; in bluer light that burns out blue two owners at 0.9."""


@dataclass(frozen=True, slots=True)
class HexDragonLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # recognizer
    hint: float = 0.2
    """Finds of the detector with a lower confidence are dropped."""
    tile: float = 0.5
    """The least probability, by the tile classifier, of a reported tile."""
    blank_tile: float = 0.9
    """The same for a tile none of whose edges can be read."""
    disc: float = 1.6
    disc_tilt_deg: float = 30.0
    """Beside tiles that are larger by this factor, and less tilted from the camera than that, an outline is that of a
    star's disc."""
    grown: tuple[float, ...] = (1.15, 1.3)
    """How much larger than their outlines tiles are looked for that lie along no edges."""
    off_star: float = 0.42
    """How far from its cell's middle a star may be reported, in pitches: far from tiles the grid is less exact."""
    plain_tile: float = 0.6
    """A tile found with this confidence is mentioned even when it lies on no cell."""
    guessed_tile: float = 0.6
    guessed_star: float = 0.91
    """The least confidence of a tile or a star that was searched for at a cell of the grid."""
    doubted_star: float = 0.6
    """A star between this confidence and `guessed_star` is not stated: a warning says where it may lie."""
    star_room: float = 0.7
    """The share of a cell's circumradius that a star covers, with room to lie askew."""
    radius: int = 3
    """Rings of cells around the start tile on the largest board."""

    # results
    sure_edge: float = 0.87
    """An edge with a lower probability is unsure: its part of the reading is null and a warning says where."""
    sure_owner: float = 0.75
    """An owner with a lower probability, given that there is a head or a star, is unsure."""
    sure_taught_star: float = 0.8
    """The same of a taught set's star, whose paper tells little of the light: of 77 named on path-traced pictures 76
    are right, by 0.84 or more, and one by 0.77 is wrong."""

    # plausibility
    plain_edge: float = 0.92
    """An edge with this probability is not doubted because the supply has no such tile left."""
    foreign_starts: int = 3
    """So many surplus start tiles are no misreading: blank cards of another game look like them."""
    plain_star: float = 0.95
    """A second star of one owner below this probability may be a counter: it is only warned of."""
    tile_by_edges: tuple[tuple[int, float], ...] = ((4, 0.12), (2, 0.3), (0, 0.6))
    """The least confidence of a reported tile, by how many of its edges are certain."""

    sure_find: float = 0.7
    """A tile found with this confidence and named in full is evidence of a HexDragon table."""
    table: TableLimits = TABLE
    tint: TintLimits = TINT

    # tile tta
    most_tiles: int = 8
    """How many of the most doubtful tiles are re-examined: time is short."""
    star: float = 0.5
    """What is a star with this probability needs no outline of a tile."""
    maybe_star: tuple[float, float] = (0.3, 0.985)
    """The range of probabilities of a possible star; above it a star needs no re-examination."""
    nothing: float = 0.015
    """Finds below this probability of being a tile are not re-examined."""
    steps: int = 3
    """How often an outline is refined again."""
    near_place: float = 0.3
    """How far from its place by the grid, in sides, a tile may lie."""

    # lattice
    askew: float = 0.1
    tiles_of_grid: int = 5
    """On a grid of so many tiles one whose corners are farther off in the mean, in sides, lies as the grid says. Of
    1,881 tiles on the shared pictures, some made noisier or blurred, 19 were, and the grid was nearer for 16 of them,
    farther for 1."""
    least_reach: float = 0.555
    """From its middle a tile reaches so many pitches to its corners, 0.577 without a gap: outlines of tiles that reach
    less are those of printed rims. On the shared pictures it is 0.556 to 0.568, but for one of rims 0.536."""
    off_most: float = 0.27
    """How far from its cell's middle a tile may lie, in pitches."""
    turn_most_deg: float = 13.0
    size_most: float = 1.3
    """Tiles of one set differ less in size than this factor, as seen from above."""

    # stars
    star_aside: float = 0.3
    """What a token's lying a circumradius beside its cell's middle counts against it, in shares of white."""
    faint_star: float = 0.05
    """The least probability of a star, by the network, whose token is looked at."""
    star_contrast: float = 0.08
    least_pointed: tuple[float, ...] = (0.2, 0.2, 0.2, 0.15, 0.1, 0.1)
    most_lopsided: float = 0.13
    """A star's ink differs by so much from its paper, in shares of white; its reach varies by so much around it, in
    shares of the mean, as often as it has points (of four to nine), and by no more on one side, two or three. Many fine
    points are blurred sooner."""
    points_ratio: float = 200.0
    """The likelihood ratio of a star whose points are seen. Of 64 places with a probability of 0.03 or more
    on 42 taught tables 29 of 36 stars have points, and none of 28 counters, blots and bare cells."""
    most_uneven: float = 0.28
    uneven_ratio: float = 20.0
    """And against one whose paper is so uneven, in shares of its contrast: of 40 stars it is 0.21 at
    most, of two flowers on a cloth that were called stars 0.34 and 0.38."""

    # face prior
    prior_weight: float = 0.3
    """Weight of the prior: 930 drawn tiles were read best with so little, with hardly a tile stated wrongly."""

    # prototypes
    tint_spread: float = 0.13
    """Standard deviation of one ink's tint from picture to picture; a tint is a colour over its brightness."""
    strange_ink: float = 4.5
    """An ink farther than so many spreads from every owner's belongs to nobody."""
    no_head_ink: float = 6.0
    """What looks like a band or a face is nobody's, unless it is by so much, squared, nearer to an owner's ink."""
    dim_ink: float = 0.06

    # enrolment
    least_taught_px: float = 13.0
    """A tile with shorter sides shows a head with 7 pixels."""
    most_white: float = 0.3
    """Of a tile, plain white: owners are told by inks, and light that burns so much of a face out bleaches them. On
    path-traced teaching photographs it was 0.11 at most, and 0.44 on the one whose inks were another's elsewhere."""
    alike_inks: float = 9.0
    same_inks: float = 1.44
    """Squared distances in spreads: inks of two owners nearer than the first are often confused; with two nearer than
    the second a set is refused. Of drawn sets whose inks were mixed 88.9 % of the tiles were right and 1.0 % wrong at
    1.44 to 2.25, 91.4 and 0.6 up to 3.24; of two path-traced ones at 2.16 47 of 53 were right and none was wrong."""
    no_head: float = 0.02
    plain_head: float = 0.97
    """A label is refused where it says a head and the classifier sees one below the first probability, or says none
    and it sees one above the second."""

    # colour cast
    sure_head: float = 0.8
    """The least probabilities of a tile, and of a head on it, that count as evidence of the light."""
    most_heads: float = 3.0
    """The most evidence of one picture, in heads: what blurs one of them blurs all."""
    cast_spread: float = 0.1
    """Standard deviation of the logarithm of a tint measured by the bright parts of tiles."""
    same_light: float = 0.2
    """Where tiles tell the tint of their views so nearly, and it is so near to that in which they were taught, burnt
    out parts have not spoilt the white balance: the brightest parts of dark faces are bands and heads, which change
    from table to table."""
    fading_spread: float = 0.15
    """How much of their colour inks lose in dim light."""
    foreign_common: float = 10.0
    foreign_heads: float = 0.1
    """Bands and faces whose inks lie so far together, squared and in spreads, from what was learnt are another set's,
    and so are heads that are so likely nobody's. On 40 path-traced pictures of the sets themselves the first lay at
    8.7 at most, on 36 drawn ones at 5.8, and heads were nobody's at 0.03. Of 44 path-traced pictures of other sets 13
    are beyond neither, whose inks are alike."""
    veil_spread: float = 0.2
    """How much of the lamp's own light lies over the inks, as on gloss or behind haze."""
    tiles_of_veil: int = 4
    least_gain: float = 0.3
    off_veil: float = 0.15
    """So many tiles tell how a tile usually looks; one of which less of the colour is left is not looked at anew, nor
    one whose band and face are farther off, in shares of white."""
    least_taught_colour: float = 0.6
    grey_ink: float = 0.15
    """A head of which a lamp leaves less of its own colour, and whose channels differ by less of their mean, teaches
    none. Of the heads of 68 path-traced lessons four keep so little: a black one was taught as grey, another grey one
    looked like a second owner's, the third hardly shows, and the fourth is told by its hue."""
    common_spread: float = 0.1
    """How far the tint of the bands and faces of all tiles wanders in a light that was found for them."""


LIMITS = HexDragonLimits()
