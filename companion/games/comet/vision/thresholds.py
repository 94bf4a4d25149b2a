"""The thresholds of Comet's recognition, stage by stage, each with the reason or the measurement that set it."""

from dataclasses import dataclass

from companion.vision.detection.verification import EdgeLimits, TableLimits

TABLE = TableLimits(
    EdgeLimits(min_support=0.7, min_side_support=0.7), min_sure=3, min_sure_share=0.6, checked_if_clear=1
)
"""Three tiles in a row with a number each are read as surely as a card: one is looked at in any case. Of 360 cards
on drawn and path-traced pictures 1 in 200 has a free side along less than 0.76 of which an edge shows; of 16 such
rows none has more than 0.65."""


@dataclass(frozen=True, slots=True)
class CometLimits:
    """Below each threshold stands what it means, and the reason or the measurement that set it."""

    # recognizer
    hint: float = 0.15
    """What the finder is less sure of is not looked at."""
    card: float = 0.5
    """What is found, or read plainly, less surely than this is not told as a card."""
    unread_card: float = 0.65
    """A card without a number to be read must be found at least so surely: patterned cloth may look like one from afar.

    A back is no surer for looking like one: so does the bare wood between two cards, and another game's card."""
    hardly_read: float = 0.62
    """A card with only one number to be read must be found so surely: an eight may be two rings of a cloth."""
    doubtful_back: float = 0.45
    familiar_back: float = 0.58
    """A back like others that are found surely may be found less surely, and is looked at no closer from the second
    on."""
    same_card: float = 0.35
    """Two outlines whose middles are nearer than so much of a card's width are one card."""
    known_card: float = 0.45
    """What is found nearer to a known card that lies as it lay, in sides of a hexagon as large, is that card."""
    shared_area: float = 0.5
    """An outline that surer ones cover more than so much of lies askew over them and is none."""
    largest: float = 1.8
    """Cards of one deck are of one size: what is so many times wider than most is none."""
    refinements: int = 2
    """How often each outline is put right: a back found askew needs a second look."""
    width_of_across: float = 0.787
    """A card's width over the distance between opposite edges of a hexagon as large."""

    # classifier
    sure_number: float = 0.9
    """A number less certain than this is unsure: its part of the reading is null and a warning says where."""

    # numeral crops
    plain_look: float = 0.98
    """A card of whose kind, way up and numbers the network is surer than that is not shown to it upside down."""

    # numeral tta
    likely_number: float = 0.25
    """A number less likely than this is none in doubt."""

    # passes
    plain_card: float = 0.7
    """What is found so surely is looked at no closer."""
    likely_outline: float = 0.25
    fitting_print: float = 0.65
    """On an outline found less surely, but with edges and as large as the cards beside it, print says that a card is
    there.

    In 386 pictures this held for each such outline."""
    lone_number: float = 0.97
    """Print is two numbers, or one read so surely that is no eight: that may be two rings of a cloth."""
    large: float = 1.32
    certain_large: float = 0.9
    """What shows no number, is found less surely and is so many times wider than the cards beside it is none."""

    sure_find: float = 0.9
    """A card found so surely and read in full speaks for a Comet table."""
    table: TableLimits = TABLE
    less_tilted: float = 0.65
    """Where so many cards look less tilted than 50 degrees, the picture is: those that lie on others lend them their
    edges. On 12 pictures, each tilted by 15, 30, 45 and 55 degrees more, none below 50 is called too steep, and of
    those beyond all but one whose cards are found."""

    # size check
    sure_size: float = 0.7
    """Outlines found so surely tell how large cards are."""
    nearest: int = 3
    """So many of them beside an outline tell how large a card is there."""
    odd_size: float = 0.1
    """A card differs from the usual size by less, as a share."""

    # gap rejection
    gap_contrast: float = 0.1
    """By how much of its brightness a card differs from the table beside it at least."""

    # merged cards
    as_two: tuple[float, float] = (1.25, 1.55)
    """How many times wider than one card an outline of two is that lie side by side: at most a third of one is
    covered."""
    white: int = 245
    burnt_share: float = 0.8
    """An outline is burnt out when so much of it is whiter than that, of 255."""

    # back matching
    compared_share: float = 0.5
    """So much of two backs is compared, where they are most alike: a hand may lie on the rest."""
    sure_back: float = 0.7
    """A back found so surely tells what the deck's backs look like."""
    certain_back: float = 0.85
    """One found so surely is none strange to the deck."""
    enough_backs: int = 2
    """So many others must tell what is strange: one alone may be no card itself."""
    alike_backs: float = 0.06
    strange_backs: float = 0.2
    one_pattern: float = 0.8
    other_pattern: float = 0.4
    """Backs whose patterns correlate so much are of one deck; what correlates less with them is none of its backs."""
    thing_colour: float = 0.15
    """What has a colour so far from that of the known backs, see `other_colour`, is none of them."""

    # taught printings
    same_number: float = 1.25
    askew: float = 2.0
    """Two cards' numbers nearer than so many times their reach, half a height, are one: both would not show. A fanned
    card was told with a number of the card below it, 1.03 times as far away. Those up to the second may still be the
    same ink, seen askew."""
    sure_taught: float = 0.97
    """A number of a taught printing less certain than this is unsure: few samples make for surer mistakes."""
    stated_taught: float = 0.9
    """As a fact a number is stated that is so certain in the mean of several looks: of 18 numbers between this and the
    limit above, on tables of 66 path-traced and drawn printings, all are right."""
    sharp: tuple[float, ...] = (0.165, 0.2, 0.31, 0.4)
    sure_if_sharp: tuple[float, ...] = (1.0, 0.998, 0.97, 0.9)
    """How sure a number must be at such sharpness, see `places.sharpness`. Of 2,152 numbers of `comet-alt`, made
    smaller and blurred, 24 were stated wrongly, 20 of them less sharp than 0.23, and 6 are with this, all of them
    smaller than the next; of 576 on path-traced pictures as they are 573 are stated, none wrong."""
    sharp_if_like: tuple[float, ...] = (0.12, 0.121, 0.164, 0.165)
    like_sample: tuple[float, ...] = (1.0, 0.8, 0.8, 0.75)
    sure_if_like: float = 0.99
    soft: float = 0.31
    hardly_like_sample: float = 0.5
    """At such sharpness one that looks so like the taught sample of its number need be no surer than the third; softer
    than the fourth it looks so like it at least. Of 33,558 numerals of 109 pictures, smaller and blurred step by step,
    16,628 are stated so, 7 of them wrong; without, 14,479 and 19."""
    least_numeral_px: float = 4.5
    """No number whose numeral stands lower is sure."""
    least_log: float = -7.0
    """A network's log-probability of a number is taken for no less."""
    likeness: float = 8.0
    """What a likeness of 1 to a taught sample is worth in log-probability."""
    other_sample: float = 0.08
    """Where a sample of another number is more alike by so much, network and samples contradict each other."""
    contested: float = 0.85
    """Then no number is surer than this."""
    last_figure_log: float = 2.5
    last_figure_likeness: float = 0.6
    """Nor a 2 or a 3 that the network prefers to a 12 or a 13 by less than the first, in log-probability, and that is
    more alike its samples by less than the second: the 1 may hardly show."""
    cut_area: float = 0.9
    """Of a card whose outline has a smaller share of the others' area another may hide a side, and a figure on it."""
    figure_aside: float = 0.1
    flush_right: float = 0.15
    sure_alone: float = 0.995
    """Unless it stands no farther right, in its heights, than the first, beside the card's other numbers, of a printing
    whose numbers are centred or begin below each other. Covered up to them on 120 drawn tables, 411 twos and threes
    stand at most 0.13 aside, 14 ends of twelves and thirteens that are told as such at least 0.16. It is so sure: the
    right half of an 8 was a 3 with 0.97."""
    as_alike: float = 0.03
    """An outline looks as much like the taught face as another where it does by so much less at most. Of four cards on
    62 pictures that are read by their numbers alone, two of which are another such outline's as well, the three right
    ones look more like it by 0.05 at least, and one across two cards less by 0.06."""
    contradicting: float = 0.95
    contested_figure: float = 0.1
    """Nor where another outline of the card shows another number, surer than this; for a number that is the last figure
    of the other, than the second."""
    sure_beside_unread: float = 0.985
    """On a card with a number that cannot be read the others must be so sure: its outline may be off."""
    plain_print: float = 0.6
    """A print less sure than this says nothing beside another of the same number."""
    read_card: float = 0.6
    """A card whose numbers are read so surely lies there the way up it was read."""
    read_in_part: float = 0.59
    """Of a card of which two numbers are read and another card lies on the third that is how surely it is read."""
    look_weight: float = 0.5
    """What looking as taught is worth beside numbers that are read."""
    alignment_gain: float = 0.02
    found_gain: float = 0.15
    """An outline is moved to fit the taught face where that gains so much, and the more the surer it was found."""
    askew_fit: float = 0.04
    """One found surely is moved only in or out, its corners no farther from that, in half a card's sides."""
    unlike_numbers: float = 0.08
    unlike_face: float = 0.3
    """An outline less legible and less like the taught face than this is looked at no closer."""
    glimpsed_face: float = 0.15
    """Where no outline was found, a place less like the taught face is looked at no closer."""
    likely_way: float = 0.25
    """A way up that scores less by more than this is not the card's."""
    shown_numeral: float = 0.5
    """A numeral seen less surely than this says nothing of where its card lies."""
    least_face: float = 0.3
    hidden_face: float = 0.3
    surely_read: float = 0.95
    """A card that no outline shows looks at least so like the taught face, and by no more less than those that are
    read, if its numbers are read so surely: stripes may be read as elevens."""
    less_alike: float = 0.17
    """A card that looks less like the taught face than most do, by more, may lie across two: it is looked at again."""
    free_share: float = 0.55
    free_share_read: float = 0.35
    """So much of an outline that shows no numbers, or does, better read cards leave free: others lie across two."""
    free_share_fanned: float = 0.12
    shared_fanned: float = 0.9
    """A card of a fan whose numbers are no others' shows less; it shares less of its area with each of them."""
    shared_same: float = 0.6
    """Outlines that share more and on which the same numbers are read are one card's."""
    plainer_way: float = 0.1
    sure_way: float = 0.98
    unsure_way: float = 0.5
    """Numbers say which way up a card lies where they are so sure of it, else its look where it is plainer than the
    other way up by so much; else no number is surer than that."""
    marked_standing: float = 3.0
    sure_standing: float = 5.0
    """A card that may show other numbers upside down stands the way up that the network prefers by more than the
    second, in log-odds, where it prefers that of each taught six and nine by more than the first or where an 8 or an 11
    is among them."""
    least_like_face: float = 0.36
    """Where no card that is read looks more like the taught face, the printing is another. On 104 of 105 path-traced
    pictures of taught printings the likest does by 0.71 at least, on 261 drawn ones by 0.32."""
    like_face: float = 0.75
    like_back: float = 0.8
    """An outline whose look correlates so with the taught one shows that."""
    same_detail: float = 0.3
    told_by_detail: float = 0.81
    """What correlates with the back in its detail alone by the first looks so like it: a lamp's light may fade across
    either. Of 64 backs on path-traced pictures 52 do, of 107 faces none, of 1,364 backs of other printings 113."""
    side_weight: float = 0.5
    """Of backs that clash those come first of whose least seen side more is seen, so much more for all of it."""
    missing_prints: float = 0.5
    """What is read comes first of which no print is missing, so much before what shows none of them."""
    hardly_worse: float = 0.5
    """Two backs that are rated lower than one that lies across both, see `rating`, by no more are preferred."""
    unlike_back: float = 0.3
    """What correlates less with the back and is found hardly is none beside another that is found surely."""
    opposite_back: float = -0.2
    """What correlates less with the back shows the opposite, as a fist did that a lamp lights in its middle, and tiles
    of a floor: of 481 outlines of backs on path-traced pictures none is below -0.13."""
    plain_back: float = 6.0
    """Of 255: a back whose tones spread less cannot be told by its look."""
    shown_print: float = 4.8
    """What spreads more where a small look shows no fine pattern has a print. On three path-traced pictures 11 backs,
    plain or finely striped, spread by 4.7 at most, and 22 faces by 4.9 at least."""
    fading_light: float = 0.4
    mostly_light: float = 0.6
    """The logarithm of how much brighter one end of a back is than the other, and the share of its tones that this
    makes up, where a lamp's reflection lies on it: of 40 backs on drawn lessons they were 0.63 with 0.98 and 0.92 with
    0.96 on the two in glare; the first was 0.21 at most on the others, and 0.3 at most on path-traced pictures."""
    maybe_back: float = 0.97
    maybe_back_and_like: float = 0.8
    like_face_but_colour: float = 0.85
    less_like_face: float = 0.6
    unlike_face_alone: float = 0.25
    """What a network takes for a back so surely, and looks no more like a face than the third, is one; no more than the
    fourth where it has the faces' colour, or the second where it has another and the network is surest."""
    surely_back: float = 0.995
    """A back most surely: its pattern may be read as numbers, it need be found less surely in another colour than the
    faces', and in theirs it may look more like one where it is found surely. In another colour than theirs any back is
    sure enough to speak for others that look as it does."""
    no_number: float = 0.07
    hardly_number: float = 0.45
    unsure_number: float = 0.55
    patterned_back: float = 0.8
    """On a back numbers are read no more surely than the first, or where it has another colour than the faces, the
    second; where it also looks unlike the taught face, the third; the last where it looks unlike it and the network
    takes it for a back most surely."""
    back_though_read: float = 0.9999
    """A back so surely shows no numbers, though its pattern is read as some: it looks less like the taught face than
    those that are read, and is not read surely, or looks unlike that, where `surely_back` is enough. So do 10 backs of
    dots and stripes on drawn pictures, and none of 570 faces on drawn and path-traced ones."""
    blank: float = 0.15
    blank_light: float = 1.1
    """A card on which tones spread by less of what they do on faces, and which is not so many times as light as their
    paper, shows no numbers; one on which they do by less of what they do on patterned backs is none of these. Of 90
    outlines of faces on path-traced pictures that are not read the tones of the plainest spread by 0.08 in a lamp's
    light, else by 0.24 at least; of 131 of backs by 0.37 at least."""
    other_colour: float = 0.03
    other_brightness: float = 0.4
    """Shares of blue, green and red that differ by more than the first, in one of them, are of another print; so is
    brightness that differs by more than the second, as a logarithm: dark grey backs of white cards by 0.5."""
    other_tint: float = 0.7
    """What shows the taught back's pattern hardly, and whose colour beside the faces', as logarithms of its channels,
    is off what it was when it was taught by more than this between two channels, is no back: of 70 backs on drawn and
    path-traced pictures that show it so none was off by more than 0.53, other cards were by 0.92 and 1.19."""
    veils: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.4)
    """White light on a back adds so much of the faces' brightness to it: of five in a window's glare with tints by 0.75
    to 1.02 off, all are nearer than that."""
    same_colour: float = 0.01
    """Those that differ by less, in each of them, are of the same."""
    least_in_glare: float = 0.75
    """White light on a card leaves so much of its colour at least."""
    least_veiled: float = 0.3
    veiled_colour: float = 0.02
    """Strong light leaves so much, and what is left is off by less than the second: its hue is the same."""
    hardly_found: float = 0.1
    """Where no outline is found surer, numbers that are not sure may be a table's grain."""
    table_share: float = 0.002
    table_bright: float = 0.033
    """What shows no numbers is the bare table where half of its colours are seen around the cards: shares of blue,
    green and red that differ by less than the first, and brightness by less than the second, as a logarithm. Of 345
    backs that were found on path-traced pictures one in 20 is nearer to the table than six times that, of 89 places
    where none lies two in three are as near."""
    fewest_around: int = 5
    mostly_around: float = 0.5
    """Of so many cards or more they are seen around two, or in so large a part of what is around one: else a card that
    was not found may lie beside one."""
    surer_colour: float = 1.6
    far_surer_colour: float = 2.0
    foreign_colour: float = 0.06
    hardly_like_back: float = 0.5
    plainly_like_back: float = 0.9
    """Of backs of several colours, farther apart than the third, those are of the deck that are found so much surer all
    together, those that look as much like its back unless the others are far surer, and those of one colour of which
    one that is found surely correlates so plainly with the pattern that was taught. Of 324 backs on path-traced
    pictures one in 50 is as far from the others of its picture in colour, of 12 other things every second."""
    few_backs: float = 0.45
    similar_back: float = 0.2
    """A back that looks as others do need be found no surer."""
    like_other_back: float = 0.65
    """Nor found at all one of their colour whose pattern correlates so with the taught or the plainest one."""
    back_colours: float = 8.0
    deck_colours: float = 0.7
    face_as_back: float = 0.7
    around_as_back: float = 0.15
    row_of_back: float = 0.7
    beside_back: float = 0.3
    least_of_back: float = 0.3
    more_of_back: float = 0.08
    free_of_back: float = 0.25
    filled_back: float = 0.85
    """Beside a card a back shows in part whose colours are near those of backs that are told, within so many times what
    those of a table differ by. Two such backs at least share so many of them, no face has so many, and what lies around
    all cards no more. A row of points along the card's side has so many and those beside it no more, for so much of a
    card's height; for that much more than some cards' there is one more. It is free for so much, and there filled so
    far."""
    hardly_found_back: float = 0.3
    likely_back: float = 0.9
    """So is an outline of a card's size, found as surely and as surely a back."""
    farthest_alignment: float = 0.16
    """A corner is moved by less than so much of the card's height to fit the taught look."""
    plain_proportion: float = 0.12
    """Sides whose lengths differ by more than this, as a logarithm, say which way a card lies."""
    fewest_foreign: int = 3
    free_share_foreign: float = 0.75
    """So many cards of which none is read, nor looks as taught, are of another printing, or one that is read and of
    which others leave so much free."""
    fewest_whole: int = 2
    """So many cards of a taught printing, read whole, are believed though none of them shows its edges."""
    longest_row: int = 3
    least_row: float = 1.3
    least_part: float = 1.2
    free_row: float = 0.8
    """So many cards side by side, or on each other, may have been outlined as one that is so many times as large as a
    card at least, or so many times as long, and of which cards that are read leave so much free."""
    odd_proportion: float = 0.3
    """Hardly likely outlines are looked at whose proportion differs by less from a card's, as a logarithm."""
    unread_taught: float = 0.8
    """An outline that shows neither numbers nor a taught look is told when it is found so surely."""
    odd_area: float = 0.35
    odd_area_sure: float = 0.6
    odd_area_few: float = 0.9
    fewest_alike: int = 2
    same_area: float = 0.2
    fewest_tilted: int = 4
    flat_table: float = 2.0
    odd_root: float = 0.05
    tilted_ratio: tuple[float, float] = (0.6, 1.6)
    """So many cards that are read tell how sizes change across a tilted table, against a prior that they do not; a card
    is off whose area's cube root is, by more, and none differs more in it from those nearest to it."""
    surely_found: float = 0.9
    """A card's area differs from those beside it by less, as a logarithm; by less than the second where it looks as the
    taught back or is found so surely, for it may lie farther from the camera; by less than the third where few cards
    are read and so many others are backs that surely are as large; by less than the last where its outline is hardly
    likely."""

    # numerals of a taught printing
    faint_ink: float = 0.05
    """Ink differs from the ground around by more, relative to its brightness."""
    plain_ink: float = 0.3
    """Plain ink does: a numeral that reaches beyond its disc is one with the card around where less will do."""
    plain_disc: float = 0.2
    """A disc that numerals stand on does."""
    stand_on_discs: float = 0.8
    """Discs speak for numerals where such a share of those that are read stand on one."""
    fainter_ink: float = 0.4
    faint_quantile: float = 0.2
    usual_polarity: float = 0.25
    """Ink may be a numeral that has so much of the contrast which all but such a share of those that are read have; it
    is lighter than the ground, or darker, where so many of them are."""
    most_numerals: int = 300
    """So many pieces of ink are looked at, those of most contrast."""
    fanned_area: tuple[float, float] = (0.4, 8.0)
    """Numerals are looked for in outlines so large, in areas of a card."""
    odd_scale: float = 0.14
    off_numeral: float = 0.5
    farthest_ratio: float = 2.0
    """Three numerals may be a card's that is larger or smaller than the one beside it by less, and stand off their
    places by less, in heights of a numeral: of two figures one may be seen. A card says how large others are that are
    so many times nearer or farther at most."""
    beside_whole: float = 0.25
    same_pose: float = 0.12
    """A card lies no nearer to one that is read whole, and poses differ by more, in half heights of a card."""
    same_way: float = 0.9
    """The cosine of the angle between outlines that stand the same way up is greater."""
    plainly_read: float = 0.99
    """A card whose numbers are read so surely, each of them, need look no more like the taught face than any."""
    most_poses: int = 48
    most_pairs: int = 120
    """So many poses are looked at; of those by two numerals more, for most are none."""

    # enrolment
    labels_unseen: float = 0.1
    """Where most cards' numbers are seen, a card whose numbers are seen less surely is outlined wrongly, and would
    teach something else for them."""
    labels_seen_in_part: float = 0.7
    """One of whose labelled numbers so few are seen is outlined in part wrongly: of 230 cards on path-traced teaching
    photographs the labels of 2 are seen so, of the others by 0.74 or more."""
    labels_seen: float = 0.97
    moved_off_edges: float = 0.02
    """The outline of a card on which the labelled numbers are seen less surely than the first is moved to agree with
    the others, but by no more than the second off its card's edges, in sizes of a card: of 19 moved on path-traced
    teaching photographs 18 lay within 0.01 of them, and were moved off by 0.025 or more."""
    plain_view: float = 0.5
    """A box is taken for a place of the labelled number when the network says so this surely."""
    hidden_print: float = 0.1
    """A place where the labelled number is so much less likely than at another of the same card shows something else:
    another card or a lamp's spot lies on it."""
    hidden_sample: float = 0.5
    like_hidden: float = 0.5
    """Where the network sees no number more surely than the first, the sample says nothing of how its number looks: on
    29 path-traced teaching photographs 2 numbers, both white in a lamp's light, by 0.88 and 0.98, and no other by
    more than 0.12. Any view is as like such a number as the second: on each of them nine in ten pairs of two numbers
    are less alike."""
    either_way: float = 0.5
    """A number that the network takes for upright so surely may be."""
    agreeing_share: float = 0.62
    """A place shows the labelled numbers, in sum of their probabilities, on at least so many of the cards."""
    usual_proportion: float = 0.08
    """A card whose width over height is off that of usual cards by less, as a logarithm, is a usual one."""
    least_within: float = 0.75
    side_within: float = 0.5
    """Where so much of an outline is left once a side is moved in to make it a usual card, and edges show along so much
    of that side, the card's edge is there: of 13 taught printings of another proportion edges show along 0.41 at most
    where the outline stays, and along 0.7 of one that is usual and was outlined up to the next card."""
    least_taught_px: float = 60.0
    frame_inset: float = 0.025
    """A frame lies farther within the card's edge than this, in half heights."""
    softest_taught: float = 0.025
    """A card with softer edges, as a share of its sides, is blurred. Ten invented printings were taught by photographs
    blurred more and more: sharp ones (edges measured as 0.004 to 0.008) have 84 % of the cards on others read; blurred
    by 0.03 of a side (0.020 to 0.028) three are refused, for no numbers are found, and the others have 73 % read; by
    0.037 (0.022 to 0.035) nearly all are refused. None is read wrongly."""
    widest_margin: float = 0.2
    uneven_margin: float = 0.05
    edge_step: float = 5.0
    """Of 255 for a pixel of 1/64 of the half height: a card's edge is at least so plain along a whole side."""
    contradiction: float = 0.97
    """A number seen more surely than this where another is labelled contradicts the label."""
    alike_squared: float = 0.5
    same_squared: float = 0.08
    """Numbers whose embeddings, of length 1, lie nearer by squared distance are often mistaken, or look the same."""

    # untaught printings
    familiar_share: float = 0.3
    """Of the cards face up on a table of a known printing at least so many are read in full, however bad the light."""
    sure_untaught: float = 0.97
    """A card of a layout that was found, not taught, is read whole, each number so surely, or not at all: its outline
    may be off by a number's place."""
    understood_share: float = 0.6
    """A layout that was found is the printing's where it reads so many of them."""
    verified: float = 0.3
    """A number stands where a known printing has it if a look at that place alone gives it so much."""
    fewest_searched: int = 3
    most_searched: int = 8
    """So many cards are searched for places that their numbers have in common."""
    uneven_numerals: float = 0.35
    """The three numerals of a plain layout differ in height by less, as a logarithm."""


LIMITS = CometLimits()
