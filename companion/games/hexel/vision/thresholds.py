"""The thresholds of Hex'el's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass, replace

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(EdgeLimits(min_support=0.6), count_below_share=1.0, doubted_presence=0.45)
"""Of 1,200 cards on drawn and path-traced pictures 1 in 200 shows edges along less than 0.66 of its free sides; of
13 finds on playing cards none shows them along more than 0.6."""

TAUGHT_TABLE = replace(TABLE, count_below_share=0.34)
"""A third of the cards read whole by what was taught are the printing's, however many hexagons a cloth shows beside
them: of 180 pictures of other games read by five profiles none was stated."""

TINT = TintLimits(usual=1.5, burnt_out=1.85)
"""On `tests/bench/sweeps.py --sweep warmth` two cards of 338 were stated wrongly at 1.9 in pictures burnt out; at
2.1 in others rings were."""
TAUGHT_TINT = TintLimits(usual=1.5, burnt_out=1.85, burnt_out_blue=1.0)
"""Of taught printings one card of 662 was stated wrongly at 0.7 to 1.1 in bluer light that burns out blue, 8 % at
1.0 to 1.4."""


@dataclass(frozen=True, slots=True)
class HexelLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # recognizer
    likely_beside_known: float = 0.25
    """Less certain than this, what lies beside known cards is no more than a hint of one."""
    hint: float = 0.12
    """Less certain than a card, this may still be one that something covers: it can join the parts of a tableau."""

    as_sure: float = 0.15
    """What is not read and is found with a smaller share of the certainty of cards that are read is not looked for as a
    card of any print."""
    rough_outline: float = 0.2
    """By so much more than of a card found exactly the logarithm of a side may be off before an outline is refined, and
    more where it may be that of a line printed on the card."""
    as_taught: float = 3.2
    """Through an outline of less misfit, see `FewShotSymbols.misfit`, a card looks as it was taught. Of path-traced
    cards it was 3 at most through true outlines; by another printing's profile 3.5 at least, of the best of some."""
    same_stock_tint: float = 0.3
    same_stock_light: float = 1.1
    """Faces of one stock on one picture differ by less in the logarithms of one channel beside another, and of all."""

    # neighbour search
    faint_hint: float = 0.03
    """The finder's certainty that is hint enough to look."""
    hinted_within: float = 0.8
    """How far from a place its hint may lie, in circumradii."""
    off_most: float = 0.2
    """How far from its place by a neighbour each corner may lie, in circumradii."""
    taken_within: float = 1.25
    one_within: float = 0.6
    """Centres of two cards are farther apart than the first, in circumradii; places nearer than the second are one."""
    most_places: int = 6
    """How many of the likeliest places are examined in a step: time is short."""
    across_within: float = 1.0
    """How far from a place an outline may lie that takes part of what lies there for its own, in circumradii."""
    most_refitted: int = 24
    """How many places beside cards that are read are examined in a step, where outlines do not fit."""
    may_fit: float = 7.5
    """A place of more misfit is not looked at closely: on path-traced pictures those of cards had 3.5 to 6.8, others
    10."""
    like_best: float = 1.15
    """In other light all cards fit less well: so much more than the best one's another's misfit may be, as far as
    `foreign_squared`."""
    fitting_steps: tuple[float, ...] = (0.5, 0.5, 0.25, 0.25)
    """By how much less than a jitter's outlines are moved, one after the other, to where what is printed fits."""
    steps: int = 3
    """How many cards far from a found card the search goes."""
    sure_neighbour: float = 0.5
    """The least confidence of a card whose six symbols all agree with its neighbours."""

    # plausibility
    card_by_symbols: tuple[tuple[int, float], ...] = ((4, 0.2), (3, 0.45), (2, 0.8), (0, 0.97))
    """The least confidence of a reported card, by how many of its symbols are certain. The last is for a card of a
    printing that was not taught."""
    sure_card: float = 0.85
    """Cards found with this confidence set the typical size."""
    odd_size: float = 1.6
    """Finds so many times smaller or larger than all of those are no cards."""
    weak_card: float = 0.45
    most_alike: int = 2
    """Of finds below the first confidence no more than the second show the same symbols: no deck has three of a
    card. Where most of a table show one face, another deck lies there."""
    faint_card: float = 0.85
    unread_of_six: int = 3
    """A card found with less than the first confidence and so many unsure symbols may lie a little elsewhere."""
    plain_symbol: float = 0.995
    """A symbol with this probability is not doubted because its neighbour shows another."""

    sure_find: float = 0.8
    """A card found with this confidence and named in full is evidence of a Hex'el table."""
    table: TableLimits = TABLE
    taught_table: TableLimits = TAUGHT_TABLE
    tint: TintLimits = TINT
    taught_tint: TintLimits = TAUGHT_TINT

    mixed_up: float = 0.25
    fewest_mixed_up: int = 3
    sure_if_mixed_up: float = 0.99
    """Where so many symbols that are one of two kinds, and more than such a share of them, cannot be told, no symbol of
    these is told less surely than this."""

    # classifier
    sure_symbol: float = 0.93
    """A symbol with a lower probability is unsure: its part of the reading is null and a warning says where."""

    distant_card: float = 2.5
    sure_if_distant: float = 0.97
    contested: float = 0.9
    """Where the median of a card's symbols is farther, squared, from every prototype than the first, a symbol is told
    only if it is as probable as the second. Of 11,198 symbols told on 48 path-traced pictures in four lights 52 were
    so, 18 of the 32 wrong ones among them."""

    # two symbol prior
    three_kinds: float = 0.01
    """Prior probability of a face with three kinds of symbols, relative to printed faces."""
    trust_in_others: float = 0.7
    """Weight of a card's other symbols: the six share one light, so they count for less than independent ones."""

    # patch tta
    fewest_plain: int = 2
    """How many symbols of a card must be certain for its others to be re-examined: on what is no card few are."""
    near_prototype: float = 4.0
    nearer_share: float = 0.8
    """A variant counts within this squared distance of a prototype, and this much nearer to it than the patch
    itself."""
    like_squared: float = 1.5
    fewest_likes: int = 3
    """Symbols of one card within this squared distance of each other look the same; so many decide for another."""
    shown_levels: float = 4.0
    """Levels of 255 by which anything printed stands out from the face."""
    shown_on_burnt_out: float = 30.0
    """The same on a face that is burnt out: symbols that were read there stood out by 96, traces of others by 9."""

    # outline tta
    most_outlines: int = 6
    """How many cards are re-examined, the most confident first: time is short."""
    most_promising: int = 4
    """So many of its outlines are looked at with each of an upright card's directions up: nine times the work."""
    fewest_sure: int = 3
    """Cards with fewer certain symbols are not re-examined: they may be anything."""
    fewest_fitting: int = 3
    ill_fit: float = 2.5
    """Of so many cards or more one whose misfit is larger than so many times the median's is re-examined too, however
    certain its symbols: turned askew it would lie beside the tableau."""
    better_share: float = 0.9
    """The largest misfit of another outline, as a share of the first one's."""
    near_outline: float = 0.3
    """How far from the first outline another one may lie, in circumradii."""
    jitter_shift: float = 0.12
    jitter_growth: tuple[float, float] = (0.88, 1.14)
    jitter_turn_deg: float = 9.0
    """How the further crops are displaced: shifted in circumradii, scaled, and rotated both ways."""

    # occlusion
    covered_levels: float = 14.0
    """The least difference of a covered place from the bare table in one colour channel, in grey levels."""
    lit_level: float = 110.0
    """A darker table lies in dim light, where all differences are smaller."""
    bare_share: float = 0.2
    """The share of the places beside the cards in which the bare table looks alike: lit here, in shadow there."""
    surely_bare_share: float = 0.5
    """An arm across the table may look like so many of them: a card beyond it that lies in line is told loose only
    where what lies between looks like more."""

    # adjacency
    gap_most: float = 4.5 / 35
    """Widest gap between touching edges, in sides: by hand cards of side 35 mm lie up to 3 mm apart, loose ones over
    6."""
    gap_seen_most: float = 5.7 / 35
    usual_gap: float = 2.0 / 35
    inset_most: float = 2.5 / 35
    fewest_gaps: int = 2
    """Where the median of so many gaps that are no wider than the first is wider than the second, all are narrower by
    what it is wider, at most by the third."""
    usual_sides: float = 0.75
    smaller: float = 1.03
    smaller_most: float = 1.1
    """Cards are of one size. Where the side of an outline that such a share of all does not exceed is longer than
    another by the second factor, that other one follows a printed border: its card is as large, at most by the third.
    """
    gap_least: float = -6.5 / 35
    """A found outline may reach a little into its neighbour's; more than this is another thing altogether."""
    slide_most: float = 12.0 / 35
    """How far two facing edges may be shifted along each other, in sides: errors of hand-laid rings meet in one
    place."""
    turn_most_deg: float = 12.0
    """Two cards each turned by 4 degrees, and both a little wrongly seen."""
    size_most: float = 1.2
    """Two touching cards seen from above differ less in size than this factor."""
    one_card_most: float = 1.25
    """Two centres nearer than this, in sides, are two finds of one card, or one of them is no card (neighbours:
    1.73)."""

    # lattice bridging
    odd_outline: float = 0.2
    """A rejected outline farther from a regular hexagon on the cards' table, see `TablePoses`, is not on it. On a
    path-traced picture six that were 0.5 to 0.97 from one levelled it anew: a loose card then lay in a cell."""
    bridge_off_most: float = 9.0 / 35
    """A card one covered cell away lies at most this far from its place, in sides: two gaps and two turns."""
    bridge_off_more: float = 2.5 / 35
    """So much more for every cell further on."""
    bridge_turn_most_deg: float = 8.0
    bridge_most: int = 5
    """As many covered cells in a row are carried over."""
    part_cards: int = 3
    """So many cards that touch each other are a part of the tableau; two are when both lie in place to a hair."""
    in_place: float = 6.0 / 35
    """A card in a free cell beside at least two is part of the tableau where it is no farther off its place, and turned
    by no more than a hair: on 126 path-traced pictures two of the 1,342 cards of a tableau touched none, 0.09 and
    0.16 off; no loose one of 151 lay in line within 0.3."""
    hair: float = 5.0 / 35
    hair_deg: float = 5.0
    far_off: float = 2.0
    """A single card that is so many times farther off its place or its turn than is allowed was left lying there."""
    few_covered: int = 2
    """Over so few covered cells the honeycomb is known well enough to say so."""
    near_cells: float = 2.5
    """Cards that lie within about so many cells tell how the honeycomb goes on."""

    # prototype adaptation
    sharpness: float = 1.5
    """Scale of a prototype's distance, beside the scale of training."""
    sharpness_of_ways: float = 0.75
    """The same for the ways a card of upright symbols may lie: its six symbols err together."""
    most_beside: int = 4
    """How many known cards tell how upright symbols lie that are still to read."""
    near_patch: float = 6.0
    """Only patches within this squared distance of a prototype move it, or belong to a cluster."""
    steady_patches: float = 8.0
    """Weight of a prototype's own training in patches, and of the shift that all prototypes share."""
    rounds: int = 2
    scatter: float = 1.0 / 3.0
    """The variance of patches between two prototypes for which the scale stands."""
    learnt_from: float = 12.0
    """Weight of that variance in patches, against what a picture shows."""
    heaps_apart: float = 4.5
    """Distance of two clusters, in their scatter; the halves of one cluster lie 2.7 apart."""
    fewest_in_heap: int = 6
    """How many patches make a cluster."""
    surer_most: float = 3.0
    """The largest gain in certainty by two clusters."""
    close_patch: float = 3.0
    """And only for a patch within this squared distance of its prototype."""

    # prototypes
    least_taught_px: float = 15.0
    """A card with shorter sides shows a symbol with 8 pixels, a third of what the network looks at."""
    softest_taught: float = 0.038
    """A card with softer edges, as a share of its sides, is blurred. Four invented printings were taught by photographs
    blurred more and more, and 67 symbols read by each: blurred by 0.04 of a side (edges measured as 0.028 to 0.037)
    97 % are read, as by sharp ones; by 0.05 (0.032 to 0.044) 87 %, by 0.06 (0.035 to 0.049) 63 %, by 0.08 (0.041 to
    0.057) 30 %; none wrongly."""
    alike_squared: float = 4.0
    """Prototypes with a smaller squared distance are often confused."""
    same_squared: float = 0.5
    """The largest squared distance, on most photographs, of two cards with one and the same symbol."""
    unclear: float = 2.5
    """A card with six equal symbols whose patches differ more than this is blurred or misplaced."""
    foreign_squared: float = 4.0
    """The misfit of a quarter of the cards, see `FewShotSymbols.misfit`, above which they are another printing's: on 60
    hard drawn pictures of their own it was more on one; beside each other's profiles it was less for 3 in 100, on
    path-traced ones 4.2 at least."""
    most_foreign: int = 16
    """How many of the most confident cards are asked whether they are of the printing: of 8 found equally surely on a
    path-traced picture six were outlined badly, and the deck was another, it seemed."""
    burnt_out_level: float = 250.0
    """A face, of 255, is burnt out above it."""
    exposures: tuple[float, ...] = (1.3, 1.6, 2.0, 2.5, 3.0)
    """How many times white light faces may be on an overexposed photograph."""
    tint_rounds: int = 2
    tint_factors: tuple[float, ...] = (1.0, 1 / 1.3, 1 / 1.15, 1.15, 1.3)
    """Nothing tells the tint of light that burns faces out: so often each of their channels is made so much lighter."""
    tint_weight: float = 1.0
    """What a tint counts against such light, as a logarithm, beside a misfit."""
    repeated_weight: float = 0.5
    """What each card more than `most_alike` with one face counts beside a misfit."""
    lighter: float = 1.2
    """Faces so many times lighter than others are in more light."""
    more_exposed: tuple[float, ...] = (1.0, 1.25, 1.5)
    """How many times lighter than on an overexposed photograph dark faces are made: lenses add light of their own."""
    nearly_white: float = 0.99
    """No lighter than so many whites: beyond it even a coloured face is white."""
    well_exposed: float = 2.0
    """On a photograph that shows a dark face so many times lighter than another does light hides what is printed."""
    nearer_exposed: float = 0.8
    """One of them is taken where it brings a picture's cards so much nearer to what was taught."""
    outlined_larger: tuple[float, ...] = (1.0, 0.85)
    """A card's outline, made so much smaller, leads to its edges: light that burns out faces leads farther out."""
    none_at: float = 10.0
    """A patch farther than this from every prototype, squared, is no symbol of the deck; training made it so."""
    seen_levels: float = 12.0
    """Levels of 255 by which half of a card's symbols stand out from its face at least, or light has burnt them out."""
    veiled_face: float = 1.15
    """A lamp lies on one side of a card whose face is lighter by this where its symbols stand out least than where they
    stand out most: 1.27 on a taught card of which the letters at two edges were hardly to be seen."""
    lit_face: float = 2.0
    lit_by: float = 0.03
    lamp_tint: float = 0.4
    lit_print: float = 1.5
    """A lamp's reflection lies on a card whose bare face has so many times as much light at one edge as at another, and
    so much more, as a share of white, of which a channel may lack the third; what is printed there stands out by no
    more than the fourth as much. On one path-traced lesson of 24 the first was 2.95; on the others 1.39 at most."""
    dim_face: float = 0.1
    """A face value so low that nothing printed on the card is too bright to tell."""


LIMITS = HexelLimits()
