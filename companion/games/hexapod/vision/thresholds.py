"""The thresholds of Hexapod's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(
    EdgeLimits(min_support=0.8, min_side_support=0.5, max_moved=0.065, max_proportion=1.2),
    min_sure=1,
    min_sure_share=0.0,
    min_vote_presence=0.6,
    checked_if_doubtful=6,
)
"""Cards and cases' fields are square. Of 210 on drawn and path-traced pictures 1 in 50 shows edges along less than
0.87 of its free sides and 1 in 20 is more oblong than this, where it lies against another; cards of other games are
1.4 times as long as wide, and edges show around a row of them too; around two thirds of one they show along 0.42 of a
side."""

CASE_EDGES = EdgeLimits(min_support=0.0, min_side_support=0.6, max_proportion=1.3)
"""Of some 310 drawn cases 11 show edges along less than 0.6 of a side; three whose outlines are off by a third of a
cell or more show them along 0.39, 0.41 and 0.6 of one. Of 220 drawn and path-traced cases one is more oblong than its
cells let expect by more than 1.15, by 1.24; one that ended at a sleeve was by 1.39."""

BARE_EDGES = EdgeLimits(min_support=0.0, max_proportion=1.3)
"""A bare case is no more oblong; dark cards of Comet that were found as surely are 1.4 times as long as wide."""

TINT = TintLimits(usual=1.0, burnt_out=0.85, burnt_out_blue=0.6)
"""On `tests/bench/sweeps.py --sweep warmth` 9 % of the cells were stated wrongly at 0.9 in pictures burnt out, none at
0.7; of a taught printing 3 % at 1.2 in others. In bluer light that burns out blue, green insects were blue ones: at
warmth -0.75, from 0.61 on, in 3 % of the cells."""


@dataclass(frozen=True, slots=True)
class HexapodLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # outlines
    hint: float = 0.12
    """Finds with a lower confidence are dropped before any closer look."""
    there: float = 0.4
    """Finds with a lower confidence after refinement are not reported."""
    hinted_card: float = 0.08
    """A loose card with a confidence between this and `there` is reported where insects show plainly."""
    sure_case: float = 0.9
    """Cards are searched for inside a case with a lower confidence: one card, or a row of a few, may have been taken
    for it."""
    small_case: float = 0.6
    """Cases are of one size: one with sides shorter than such a share of a sure one's is a loose card, which has 0.4 of
    them. The smaller of two true ones has 0.68 or more on 107 drawn pictures."""
    cards_of_case: float = 0.5
    """A case is dropped where cards with higher confidences than its own cover more of it than this share."""
    as_wide: tuple[float, float] = (1.5, 3.0)
    """The width of a loose card in cells of a case: 2, with room for a stack below it and for an inexact case. Of
    two finds in one place the one outside this range gives way."""
    apart: float = 0.6
    """The least distance of two finds of a kind, in their sides."""

    # keypoint voting
    refinements: int = 4
    """How often a find is refined at most: once as a whole, then place by place until it no longer moves."""
    still: float = 0.03
    """A find that moves by less in a refinement, in sides, is final."""
    none: float = 0.03
    """Finds whose confidence falls below this are not refined further."""

    # orientation
    surest_head: float = 0.99
    """Where a head is seen, it is with this probability at most."""
    known_way: float = 5.0
    """The lead, in log odds, from which on a field's rotation is known. A case half under a hand was read upside down
    with 2.6; of 224 drawn and 28 path-traced pictures no cell more is left open for it than with 2."""
    like_others: float = 1.5
    """Log odds added to the rotation that the other fields have."""
    awry: float = 0.08
    too_far: float = 1.2
    """Refine a field again where its cells place a corner farther off than `awry`, in cells; corrections beyond
    `too_far` are ignored."""
    doubtful_cell: float = 0.9
    """A field with a cell below this probability is classified in all four rotations."""
    plain_name: float = 0.97
    """A field with an insect below this probability is also classified from shifted crops."""
    torn: float = 3.0
    """Log odds against a rotation for each half of an insect without its other half."""

    # classifier
    sharpness: float = 56.0
    """Scale of an embedding's similarity in logits, higher than in training."""
    rotation_sharpness: float = 40.0
    """The same scale where the rotation of a field is decided. Of 141 cases and 153 loose cards of 54 taught decks none
    is turned wrongly with a lead of 5 at 20, 30 or 40; 11, 5 and 4 cases and 23, 19 and 14 cards have a smaller lead.
    By heads and likeness to upright insects alone 9 cases and 3 cards are turned wrongly."""
    discriminant_scale: float = 0.25
    similarity_scale: float = 10.0
    """Scales of the discriminant's logits and of the similarity to each kind's nearest example: one photograph scatters
    less than all do. On 2,000 insects of 62 decks (`tests/bench/hexapod_learn.py --first-seed 9720000`) what was stated
    at 0.9 to 0.99 was right in 96 %, where 0.8 and none were in 74 %."""
    plainly_alike: float = 0.96
    hardly_alike: float = 0.85
    """An insect is told less surely than 0.9 where its similarity to its kind's nearest example, and what it is nearer
    to that than to any other kind's, together are less than the first. Of 7,316 told on path-traced pictures in five
    lights so were at 0.9 14 of the 22 wrong ones, and 64 right ones. With examples in less and in more haze 4 of 403
    told in hard light were still wrong at 0.9; at 0.96 none is, and one right one is left open."""
    paler: float = 0.1
    """An insect no nearer to its kind's examples in pale colours is by so much less near to other kinds' than alike."""
    foreign: float = 0.91
    foreign_quarter: float = 0.83
    least_insects: int = 7
    """A deck is foreign when of its insects, so many at least, those of most of the kinds that they are nearest to are
    less similar to an example than `foreign`, in the median of the kinds' medians, and a quarter of all than
    `foreign_quarter`: a blurred picture's by a little, a lamp's by one kind alone. Of 195 drawn and path-traced tables
    of a printing's own none is, of 191 of others all but 14 (`tests/bench/sabotage.py --game hexapod --row "another
    printing"`, first seeds 9810550 and 9810600)."""
    own_similarity: float = 0.75
    """A field without an insect so similar to an example is no field of the taught deck. On the bricks of a path-traced
    floor it was 0.71 at most, on cards of the deck 0.97 and more."""
    none_at: float = 0.65
    """Insects less similar to every example are more likely of a kind that was not shown."""
    none_of_all: float = 0.5
    """The same where all kinds were shown, in a field with an insect as similar as `own_similarity`: path-traced ones
    in other light were like their own example by 0.61 to 0.69. Without such an insect a pattern beside the case was
    told as a card of three insects."""

    # embedding outliers
    ambiguous_pairs: float = 0.7
    """Similarity of two insects of one printing and kind: measured, 19 of 20 pairs exceed it; of two kinds, 1 of
    100."""
    odd_share: float = 0.34
    mostly_odd: float = 0.5
    """An insect is an outlier when it is dissimilar to so large a share of its kind's other insects; however surely it
    is named, when to more than the second. Of 1,775 insects told on 152 path-traced pictures that are 3 of 8 wrong ones
    and 5 right ones."""

    one_look: float = 0.95
    another_look: float = 0.92
    less_as_taught: float = 0.03
    """Insects of one name so alike have one look; those of a look that is less like any other than the second, and less
    like the kind's example than another by the third, have another kind. On 132 path-traced pictures two alike are on
    one, wrongly named; of 1,936 pairs of one kind 5 % are less alike than 0.91."""

    # plausibility
    sure_insect: float = 0.9
    sure_empty: float = 0.6
    """Probabilities below which a cell with an insect, and an empty cell, are unsure."""
    sure_emptied: float = 0.8
    """As `sure_empty`, for a cell where something changed over time: a pale insect in burnt-out light was read as
    empty with 0.60 and 0.63."""
    burnt_out: int = 250
    burnt_out_cell: float = 0.6
    sure_burnt_out: float = 0.95
    """A channel of the first value is burnt out. A cell where one is in more than the second share of the pixels is
    surely empty from the third probability on: pale insects vanish there. On 60 path-traced pictures made 1.35 times as
    bright 8 of 11 insects told as empty had less, and 6 of 254 empty cells."""
    burnt_out_case: float = 0.75
    """A case without an insect tells nothing where light has burnt out more of it in every channel: of one that was
    told as empty, with 17 insects in line drawing, 0.91; of no other case on 136 drawn pictures more than half."""
    white: float = 244.0
    evenly_white: float = 4.0
    below_white: float = 16.0
    """Grey levels: a cell is white whose darkest channel has the first at least and spreads by less than the second;
    floor is not that is darker by the third."""
    noise_detail: float = 0.003
    more_detail: float = 2.0
    """Tones of floor differ by the first for noise alone, and by less than so many times what they do elsewhere. A card
    in a lamp's haze was told as four empty cells, by 0.91 to 0.996, with 2.2 to 5.2 times as much; of 1,241 empty cells
    on drawn and path-traced pictures none is doubted for it."""
    coloured_cell: float = 0.08
    sure_coloured: float = 0.97
    """A cell in whose middle colours differ by more, as logarithms, is surely empty from the second on: beetles beside
    the wall that hid a quarter of their cells were told as empty with 0.93 to 0.96. On path-traced pictures the colours
    of 7 of 10 insects that were taken for floor differ so, and of one of 1,125 empty cells less likely than the second;
    on drawn ones 3 of 3,257 cells are left open for it."""
    plain_case: float = 0.45
    bare_case: float = 0.65
    hidden_case: float = 0.2
    """The least mean probability of floor or insect in a case's cells; the second holds where no insects show, the
    third for a certain case."""
    unmistakable_case: float = 0.9
    """A case with a higher mean is never taken for cards; cards taken for cases had 0.7."""
    certain_case: float = 0.98
    """A case found with this confidence may be almost hidden by a hand: none of some 900 such finds was false."""
    unread_card: float = 0.7
    """The least confidence of a loose card that is reported although nothing on it can be read."""
    shaky_field: float = 0.9
    plain_cell: float = 0.95
    """In a field whose cells have a lower mean probability than the first, only cells above the second are stated:
    the field may be misplaced. In a case whose cells have a lower mean than the second and one of whose sides shows no
    edge, see `CASE_EDGES`, none is."""
    plain_floor: float = 0.99
    """Floor that is seen more plainly is told though it leaves no room for the card beside it: two insects in a lamp's
    veil were told as floor at 0.68 and 0.96. Of 1,658 empty cells on path-traced pictures none is doubted for it."""
    aside: float = 0.14
    """An insect farther than this from the middle of its cell, in cells, lies on a card that is askew or high on a
    stack; measured, 1 of 100 regular ones is."""
    lone_half: float = 0.97
    """The least probability of half an insect that is stated without its other half."""

    sure_find: float = 0.995
    sure_named: float = 0.6
    """A case found with the first confidence, whose stated insects all have the second, is evidence of a Hexapod
    table: of 25 finds of cases on other games' pictures none was."""
    oblong: float = 1.5
    """The largest ratio of a loose card's sides: a card is square, two side by side are twice as long as wide."""
    case_edges: EdgeLimits = CASE_EDGES
    covered_side: float = 0.5
    """Along a side of a case where more of the cells are covered no edge need show."""
    bare_edges: EdgeLimits = BARE_EDGES
    table: TableLimits = TABLE
    tint: TintLimits = TINT

    # enrolment
    least_taught_cell_px: float = 9.0
    """A cell with shorter sides shows an insect at a third of the network's input size."""
    alike_squared: float = 0.3
    same_squared: float = 0.02
    """Squared distances of embeddings: kinds nearer than the first are often confused, nearer than the second
    inseparable; at 0.05 two printed kinds were still read without a fault."""
    coloured_insect: float = 0.15
    """Saturation from which on an insect's ink has a hue: its fine lines are seen mixed with the card's face."""
    swapped_deg: tuple[float, float] = (75.0, 40.0)
    """See `Teaching.swapped_deg`. The beetles are one figure in inks that their names name. Of 120 drawn lessons with
    blue and green swapped 117 are refused so, and 107 at a saturation of 0.25 and the usual limits; of as many with the
    right names, in the usual inks or in any, none but one in any inks, as before."""
    plain_clash: float = 0.9
    most_clashing: float = 0.15
    """Labels are refused when more than the second share of a case's cells contradict them with the first
    probability."""
    variants: int = 40
    """Augmented variants of each case; with 20, measured, a tenth more names were wrong."""
    labelled_way: float = 8.0
    """Log odds for the rotation of the labelled corners."""
    covered_cell: float = 0.6
    """A cell that shows something else with a higher probability is no example."""
    fewest_kinds: int = 2
    alike_kinds: float = 0.85
    """Kinds with a higher similarity are hard to distinguish: decks with such a pair cause most of the doubts."""
    least_shown: float = 0.27
    """Of each insect's cells at least this share is not to be burnt out in every channel. Of 91 photographs of 24 drawn
    printings, made up to 2.6 times as bright, 14 show less and have 9 of the 18 wrong names; 6 whose insects show,
    though half of all their cells are white, have none."""
    hint_when_labelled: float = 0.05
    """Where a case is said to be, much less than usual is taken for one."""


LIMITS = HexapodLimits()
