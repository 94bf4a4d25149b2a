"""The thresholds of Hexapod's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(EdgeLimits(support=0.8, moved=0.065, proportion=1.2), enough=1, share=0.0, vote=0.6, most=6)
"""Cards and cases' fields are square. Of 210 on drawn and path-traced pictures 1 in 50 shows edges along less than
0.87 of its free sides and 1 in 20 is more oblong than this, where it lies against another; cards of other games are
1.4 times as long as wide, and edges show around a row of them too."""

TINT = TintLimits(usual=1.0, burnt_out=0.85)
"""On `tests/bench/sweeps.py --sweep warmth` 9 % of the cells were stated wrongly at 0.9 in pictures burnt out, none at
0.7; of a taught printing 3 % at 1.2 in others."""


@dataclass(frozen=True, slots=True)
class HexapodLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # outlines
    hint: float = 0.12
    """What the finder is less sure of is not looked at."""
    there: float = 0.4
    """What a closer look is less sure of is told as nothing."""
    hinted_card: float = 0.08
    """A loose card less sure than `THERE`, but surer than this, is one where insects show plainly."""
    sure_case: float = 0.9
    """In a case less sure than this, cards are looked for: one, or a few that lie in a row, may have been taken for
    it."""
    cards_of_case: float = 0.5
    """Where cards, each surer than the case in which they lie, fill more of it than this, there is no case."""
    as_wide: tuple[float, float] = (1.5, 3.0)
    """A loose card is two of a case's cells wide: so many, as the picture shows it, with a stack below it and a case
    that was not found exactly; of two finds in one place, one that is not gives way."""
    apart: float = 0.6
    """Two things of a kind lie at least so many of their sides apart."""

    # keypoint voting
    refinements: int = 4
    """So often a find is looked at at most: once as a whole, then place by place until it stays where it is."""
    still: float = 0.03
    """A find that a look moves by less than this, in sides, stays where it is."""
    none: float = 0.03
    """What is less likely there than this is not looked at again."""

    # orientation
    known_way: float = 2.0
    """So large a lead says which way up a field lies."""
    like_others: float = 1.5
    """What it speaks for a way up that others lie so too, as a logarithm."""
    awry: float = 0.08
    too_far: float = 1.2
    """A field of which a corner lies further off than the first, in cells, as its cells say, is looked at again there;
    what is said to be further off than the second is not believed."""
    doubtful_cell: float = 0.9
    """A field of which a cell is less sure than this is looked at from all sides."""
    plain_name: float = 0.97
    """A field of which an insect's name is less sure than this is cut a little beside too."""
    torn: float = 3.0
    """What half an insect without its other half speaks against a way up, as a logarithm."""

    # classifier
    sharpness: float = 56.0
    """What an embedding is multiplied with before it becomes a probability, more than in training."""
    standing_sharpness: float = 20.0
    """What it is multiplied with where it speaks for a way up."""
    discriminant_share: float = 0.8
    """What the discriminants' logits are multiplied with: what scatters on one photograph is less than what does on
    all."""
    foreign_similarity: float = 0.8
    least_insects: int = 7
    """Where a quarter of the insects, so many at least, is less like every example, they are another printing's. On
    11 drawn pictures of a printing's own that quarter was at 0.91 and more, on 21 of 22 of others at 0.74 at most; of
    six insects, hidden in part, it was at 0.75."""
    none_at: float = 0.65
    """An insect that is less like every example than this is sooner of a kind that was not shown."""

    # embedding outliers
    ambiguous_pairs: float = 0.7
    """Two insects of one printing and kind are at least so alike: measured, 19 of 20 pairs are; of two kinds, 1 of
    100."""
    odd_share: float = 0.34
    """An insect unlike so much of its kind's others is odd."""

    # plausibility
    sure_insect: float = 0.9
    sure_empty: float = 0.6
    """An insect's cell less certain than the first is doubted, an empty one less certain than the second."""
    plain_case: float = 0.45
    bare_case: float = 0.65
    hidden_case: float = 0.2
    """A case whose cells show floor or an insect less surely than this, taken together, is none or cannot be read; the
    second holds where no insects show, the third where the case is certain."""
    unmistakable_case: float = 0.9
    """A case whose cells show as surely as this, taken together, is not held for cards; cards held for cases had
    0.7."""
    certain_case: float = 0.98
    """A case found at least so surely may be all but under a hand: of some 900 finds, no false one was."""
    unread_card: float = 0.7
    """A loose card of which nothing can be read is told when it was found at least so surely."""
    shaky_field: float = 0.9
    plain_cell: float = 0.95
    """In a field whose cells are less certain than the first, taken together, only cells plainer than the second are
    told: the field may not lie where it was found."""
    aside: float = 0.14
    """An insect seen further than this beside the middle of its cell, in cells, lies on a card that lies askew, or high
    on a stack; measured, 1 of 100 that lie as they should are."""
    lone_half: float = 0.97
    """Half of an insect without its other half is stated only when it is seen so surely."""

    sure_find: float = 0.995
    sure_named: float = 0.6
    """A case found as surely as the first, the least sure of what is stated in it surer than the second, speaks for a
    Hexapod table: of 25 finds of cases on other games' pictures none was."""
    oblong: float = 1.5
    """A loose card is square; two that lie side by side are twice as long as wide."""
    table: TableLimits = TABLE
    tint: TintLimits = TINT

    # enrolment
    least_taught_cell_px: float = 9.0
    """A cell with shorter sides shows an insect at a third of the size that the network looks at."""
    alike_squared: float = 0.3
    same_squared: float = 0.02
    """Two kinds whose likenesses lie nearer, by squared distance, may be mistaken; than the second, cannot be told
    apart: at 0.05 two printed kinds were still read without a fault."""
    plain_clash: float = 0.9
    most_clashing: float = 0.15
    """Labels do not fit a case in which more than the second share of cells shows surely what they do not say."""
    variants: int = 40
    """So many of each case are looked at; with 20 instead, measured, a tenth more names were wrong."""
    labelled_way: float = 8.0
    """How much rough corners count for the way up, as a logarithm."""
    covered_cell: float = 0.6
    """A cell that more likely than this shows something else is no example."""
    fewest_kinds: int = 2
    alike_kinds: float = 0.85
    """Insects of two kinds that are more alike are hard to tell apart: decks with such a pair bring most of the
    doubts."""
    white: int = 250
    burnt_out: float = 0.5
    """A pixel of which no channel is less than the first is burnt out; of the cells with insects no more than the
    second share is to be: of 74 photographs taught from, two had more, and brought a third of all wrong names."""
    hint_when_told: float = 0.05
    """Where a case is said to be, much less than usual is taken for one."""


LIMITS = HexapodLimits()
