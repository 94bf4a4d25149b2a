"""The thresholds of Hex'el's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.conditions import TintLimits
from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(EdgeLimits(support=0.6), count_below=1.0)
"""Of 1,200 cards on drawn and path-traced pictures 1 in 200 shows edges along less than 0.66 of its free sides; of
13 finds on playing cards none shows them along more than 0.6."""

TINT = TintLimits(usual=1.5, burnt_out=2.0)
"""On `tests/bench/sweeps.py --sweep warmth` nothing was stated wrongly; at 2.1 in pictures not burnt out rings were."""


@dataclass(frozen=True, slots=True)
class HexelLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # recognizer
    likely_beside_known: float = 0.25
    """Less certain than this, what lies beside known cards is no more than a hint of one."""
    hint: float = 0.12
    """Less certain than a card, this may still be one that something covers: it can join the parts of a tableau."""

    # neighbour search
    faint_hint: float = 0.03
    """The finder's certainty that is hint enough to look."""
    hinted_within: float = 0.8
    """How far from a place its hint lies at most, in circumradii."""
    off_most: float = 0.2
    """So far from where a neighbour would have it each corner lies at most, in circumradii."""
    taken_within: float = 1.25
    one_within: float = 0.6
    """Two cards' centres lie farther apart than the first, in circumradii; places nearer than the second are one."""
    most_places: int = 6
    """So many places are looked at a step, the likeliest ones: time is short."""
    steps: int = 3
    """So far from a card that was found the walk leads, in cards."""
    sure_neighbour: float = 0.5
    """How surely a card lies where six certain symbols are in place, at least."""

    # plausibility
    card_by_symbols: tuple[tuple[int, float], ...] = ((4, 0.2), (3, 0.45), (2, 0.8), (0, 0.97))
    """What is told as a card: with so many plain symbols on it, one found at least so surely.

    The last is a card of a printing that was not learnt."""
    sure_card: float = 0.85
    """Cards found so surely tell how large cards are."""
    odd_size: float = 1.6
    """What is so many times smaller or larger than all of those is none."""
    weak_card: float = 0.45
    most_alike: int = 2
    """Of what is found less surely than the first, no more than the second show the same: no deck has three of a
    card."""
    faint_card: float = 0.85
    unread_of_six: int = 3
    """A card found less surely than that, half of its symbols in doubt, may lie a little elsewhere than it seems to."""
    plain_symbol: float = 0.995
    """A symbol seen so plainly is not doubted because its neighbour shows another."""

    sure_find: float = 0.8
    """A card found so surely and named in full speaks for a Hex'el table."""
    table: TableLimits = TABLE
    tint: TintLimits = TINT

    # classifier
    sure_symbol: float = 0.93
    """A symbol less certain than this is unsure: its part of the reading is null and a warning says where."""

    # two symbol prior
    three_kinds: float = 0.01
    """How likely a face of three kinds is held to be, against the faces that are printed."""
    trust_in_others: float = 0.7
    """The six symbols lie in the same light: their witness counts for less than that of six strangers."""

    # patch tta
    fewest_plain: int = 2
    """Symbols that are plain on a card, for its others to be looked at again: on what is no card few are."""
    near_prototype: float = 4.0
    nearer_share: float = 0.8
    """An answer counts within this squared distance of a look, and this much nearer to it than the first one was."""
    like_squared: float = 1.5
    fewest_likes: int = 3
    """Symbols of one card whose answers lie within this squared distance look the same; so many speak for another."""
    shown_levels: float = 4.0
    """Levels of 255 by which anything printed stands out from the face."""

    # outline tta
    most_outlines: int = 6
    """So many cards are looked at again, the surest ones: time is short."""
    fewest_sure: int = 3
    """What shows fewer sure symbols is looked at no more: it may be anything."""
    better_share: float = 0.9
    """Another outline's misfit is at most this share of the first one's."""
    near_outline: float = 0.3
    """And it lies at most so far from it, in circumradii."""
    jitter_shift: float = 0.12
    jitter_growth: tuple[float, float] = (0.88, 1.14)
    jitter_turn_deg: float = 9.0
    """How far beside the further looks begin: in circumradii, as factors, and turned both ways."""

    # occlusion
    covered_levels: float = 14.0
    """Grey levels by which a covered place differs at least from the bare table, in one colour."""
    lit_level: float = 110.0
    """A bare table less bright than this lies in dim light, where all differences are smaller."""
    bare_share: float = 0.2
    """The bare table looks alike in so large a share of the places beside the cards: lit here, in shadow there."""

    # adjacency
    gap_most: float = 4.5 / 35
    """Widest gap between touching edges, in sides: by hand cards of side 35 mm lie up to 3 mm apart, loose ones over
    6."""
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
    bridge_off_most: float = 9.0 / 35
    """A card one covered cell away lies at most this far from its place, in sides: two gaps and two turns."""
    bridge_off_more: float = 2.5 / 35
    """So much more for every cell further on."""
    bridge_turn_most_deg: float = 8.0
    bridge_most: int = 5
    """As many covered cells in a row are carried over."""
    part_cards: int = 3
    """So many cards that touch each other are a part of the tableau; two are when both lie in place to a hair."""
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
    """How much surer a look's nearness is than the training's softmax made it."""
    near_patch: float = 6.0
    """Only patches within this squared distance of a look move it, or are part of a heap."""
    steady_patches: float = 8.0
    """So many patches as a look's own learning weighs, and as many that all looks shift alike or not at all."""
    rounds: int = 2
    scatter: float = 1.0 / 3.0
    """The variance of patches between two looks that the sharpness stands for."""
    learnt_from: float = 12.0
    """So many patches weighs that variance against what a picture shows."""
    heaps_apart: float = 4.5
    """Two heaps lie so many times their scatter apart; the halves of one heap lie 2.7 times."""
    fewest_in_heap: int = 6
    """Patches that make a heap."""
    surer_most: float = 3.0
    """How much surer two heaps make at most."""
    close_patch: float = 3.0
    """Only of a patch within this squared distance of its look."""

    # prototypes
    least_taught_px: float = 15.0
    """A card with shorter sides shows a symbol with 8 pixels, a third of what the network looks at."""
    alike_squared: float = 4.0
    """Two looks with a smaller squared distance are often mistaken for one another."""
    same_squared: float = 0.5
    """As near as this, at most, lie the looks of two cards with one and the same symbol on most photographs."""
    unclear: float = 2.5
    """A card with six equal symbols whose patches differ more than this is not seen clearly, or not where it lies."""
    foreign_squared: float = 3.5
    """Symbols of another printing lie further from every prototype, half of them at least: of 12 drawn pictures
    the middle one of a printing's own lay at 1.3 at most, of those of 20 others at 4.2 at least."""
    most_foreign: int = 8
    """So many of the surest cards are asked whether they are of the printing."""
    none_at: float = 10.0
    """A patch whose squared distance from every look is more than this is no symbol of the deck; training made it
    so."""
    seen_levels: float = 12.0
    """Levels of 255 by which half of a card's symbols stand out from its face at least, or light has burnt them out."""
    dim_face: float = 0.1
    """A face value so low that nothing printed on the card is too bright to tell."""


LIMITS = HexelLimits()
