"""Teaching a Hexapod printing: display cases, or cards of a case, that show its kinds.

A kind's examples are the embeddings (`models/hexapod/insect_classifier`) of the cells that show it.
The discriminant of the kinds is fitted to many variants of the photographs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused, UsageError
from companion.games.hexapod.layout import ANY, layouts
from companion.games.hexapod.vision.augmentation import paled, variants, veiled
from companion.games.hexapod.vision.classifier import (
    EMBEDDED,
    EMPTY,
    INSECT,
    KINDS,
    NETWORK,
    Cells,
    Discriminant,
    FewShotInsects,
    TurnedExamples,
    burnt_out_shares,
    classify_cells,
    fit_discriminant,
    fuse_passes,
    rectify_field,
    views,
)
from companion.games.hexapod.vision.detector import detect_cases, detect_fields, refine_quads
from companion.games.hexapod.vision.taught_cells import (
    Grid,
    are_open,
    classify_rotations,
    insects_of,
    labelled_insects,
    turned_examples,
)
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FAINT, faint_of
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.enrolment.labels import Candidates, cards_in
from companion.vision.enrolment.learning import learn
from companion.vision.enrolment.profile import Profile, expected_doubts
from companion.vision.enrolment.sample import TAUGHT, CropFrame, Sample, in_grey, taught_of, times_taught
from companion.vision.enrolment.teaching import Confirmed, Cutout, Feature, Label, Teaching
from companion.vision.evidence import Mark
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

_Example = tuple[np.ndarray, str]
"""An embedding and the kind whose it is."""

_NUDGES = ((0.0, 0.0), (0.012, 0.008), (-0.01, 0.012), (0.008, -0.012), (-0.012, -0.008))
"""Shares of a field by which it is cut askew: a learnt embedding must not hang on exact corners."""
_LIGHTS = ((0.0, 1.0), (-0.9, 1.0), (0.35, 1.0), (0.0, 0.4))
"""Every example is taught as it is photographed, in less and in more haze, see `veiled`, and in paler colours, see
`paled`: with these 2,532 of 2,869 path-traced cells are right in 0.3 of their colours and 17 wrong, without 2,493 and
20; in all of their colours 2,769 and 2, without 2,771 and 2."""
_AT_ONCE = 10
"""Variants in one batch of the network."""
_CROP_CELL_PX, _CROP_MARGIN = 40, 1.25
"""Of a sample: pixels of a cell, and how many cells are shown around the case."""
_FACE_PX = np.r_[2:7, -7:-2]
"""The rows and columns of a cell of a sample in whose corners its face shows."""
_LIGHT_FACE = 80
"""A face brighter than this in each channel is light: its tint is the light's as much as its own."""
_LARGEST_CASE = 20
"""Rows and columns of a display case, at most: what a profile may say."""


@dataclass(frozen=True, slots=True, eq=False)
class InsectProfile(Profile):
    """What was learnt of a printing.

    Attributes:
        rows: cells of a display case from top to bottom.
        cols: from left to right.
        examples: (N, D) float32 unit vectors.
        kinds: the kind of each.
        parted: the kinds that a discriminant tells apart.
        weights: its weights (K, D) float32.
        offsets: its offsets (K,) float32.
        veils: of each example the number of the light, see `_LIGHTS`, in which it is shown; none where all are 0.
    """

    GAME: ClassVar[str] = "hexapod"
    VERSION: ClassVar[int] = 5
    NETWORKS: ClassVar[tuple[str, ...]] = (NETWORK,)
    rows: int
    cols: int
    examples: np.ndarray
    kinds: tuple[str, ...]
    parted: tuple[str, ...]
    weights: np.ndarray
    offsets: np.ndarray
    veils: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))

    def summary(self) -> str:
        """What was learnt, for people."""
        shown = [kind for kind in KINDS if kind in self.kinds]
        missing = [kind for kind in KINDS if kind not in self.kinds]
        lacking = f" (not shown: {', '.join(missing)})" if missing else ""
        return f"{', '.join(shown)} of {self.deck}{lacking}{expected_doubts(self.ambiguous_pairs)}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        return (
            self.examples.ndim == 2
            and self.examples.shape[1] == EMBEDDED
            and len(self.examples) == len(self.kinds)
            and set(self.parted) == set(self.kinds) <= set(KINDS)
            and 1 <= min(self.rows, self.cols) <= max(self.rows, self.cols) <= _LARGEST_CASE
            and self.weights.shape == (len(self.parted), self.examples.shape[1])
            and self.offsets.shape == (len(self.parted),)
            and self.veils.shape in ((0,), (len(self.kinds),))
        )

    @property
    def of_veil(self) -> NDArray[np.intp]:
        """The number of each example's light (N,)."""
        return self.veils.astype(np.intp) if len(self.veils) else np.zeros(len(self.kinds), np.intp)

    @property
    def ambiguous_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of kinds that are hard to tell apart."""
        is_plain = self.of_veil == 0
        of = {kind: self.examples[is_plain & (np.array(self.kinds) == kind)] for kind in KINDS if kind in self.kinds}
        return tuple((a, b) for a, b in combinations(of, 2) if (of[a] @ of[b].T).max() > LIMITS.alike_kinds)

    def classifier(self) -> FewShotInsects:
        """What names insects of this printing."""
        of_kind = np.array([KINDS.index(kind) for kind in self.kinds])
        parted = Discriminant(self.parted, self.weights, self.offsets)
        is_read, turned = partial(_is_read_without_colour, self), partial(_turned_examples, self)
        named = FewShotInsects(
            self.examples, of_kind, parted, self.tint, is_read, self.rows, self.cols, of_veil=self.of_veil
        )
        return replace(named, faint=partial(_faint_colours, self), turned=turned)


class HexapodTeaching(Teaching):
    """See `Teaching`."""

    layouts = staticmethod(layouts)
    decks = ("hexapod",)
    phrases = ("insect",)
    profile = InsectProfile
    part = "boards"
    fields = 5
    least_side_px = 5 * LIMITS.least_taught_cell_px
    alike = LIMITS.alike_squared
    same = LIMITS.same_squared
    coloured = LIMITS.coloured_insect
    swapped_deg = LIMITS.swapped_deg

    def names(self, deck: str) -> tuple[str, ...]:
        """The kinds."""
        return KINDS

    def cards(self, label: Label) -> list[Label]:
        """The cases."""
        return cards_in(label, self.part)

    def check_card(self, deck: str, card: Label) -> None:
        """See `Teaching`."""
        cells: Any = card.get("cells")
        is_grid = (
            isinstance(cells, list) and cells and all(isinstance(r, list) and len(r) == len(cells[0]) for r in cells)
        )
        if not is_grid or not 1 <= len(cells[0]) <= _LARGEST_CASE or len(cells) > _LARGEST_CASE:
            raise UsageError("a case's cells are to be rows of kinds or null", code="labels-differ")
        unknown = [kind for row in cells for kind in row if kind is not None and kind not in (*KINDS, ANY)]
        if unknown:
            raise UsageError(f"no insect is {unknown[0]!r}; there are {', '.join(KINDS)}", code="unknown-name")
        size, asked = f"{len(cells)}x{len(cells[0])}", deck.removeprefix("hexapod")
        if asked not in ("", size):
            raise UsageError(
                f"a case of {size} cells is none of {deck}: teach the deck hexapod{size}, or label a case of {asked}",
                code="labels-differ",
            )

    def candidates(self, pyramid: Pyramid) -> Candidates:
        """See `Teaching`."""
        found = detect_cases(pyramid, detect_fields(pyramid, LIMITS.hint), LIMITS.hint_when_labelled)
        sure = [case for case in found if case.confidence >= LIMITS.there]
        unsure = [case for case in found if case.confidence < LIMITS.there]
        return Candidates(pyramid, 4, *(corners_of(cases, 4).astype(np.float32) for cases in (sure, unsure)))

    def crops(
        self, pyramid: Pyramid, outlines: NDArray[np.float32], given: Sequence[Any], cards: Sequence[Label]
    ) -> list[tuple[NDArray[np.floating], Label]]:
        """See `Teaching`."""
        found: list[tuple[NDArray[np.floating], Label]] = []
        for number, (quad, rough, card) in enumerate(zip(outlines, given, cards, strict=True), 1):
            exact = refine_quads(pyramid, [Detection(np.asarray(quad, np.float32), 1.0)], is_case=True)
            quad = exact[0].corners if exact and exact[0].confidence >= LIMITS.there else quad
            quad = _begun_at(quad, _first_corner(rough))
            corners, seen = _upright(pyramid, quad, card["cells"])
            _require_cells(number, seen, card["cells"])
            found.append((corners, {"cells": [list(row) for row in card["cells"]]}))
        return found

    def frame(self, card: Label) -> CropFrame:
        """The case with a cell around it."""
        return _frame(len(card["cells"]), len(card["cells"][0]))

    def fit(self, deck: str, samples: Sequence[Sample]) -> "InsectProfile":
        """See `Teaching`."""
        by_light: list[list[_Example]] = [[] for _ in _LIGHTS]
        again: list[_Example] = []
        confirmed: list[_Example] = []
        for sample in samples:
            pyramid, corners, cells = self.shown(sample)
            for seen, light in zip(by_light, _LIGHTS, strict=True):
                seen += [(embedding, kind) for _, embedding, kind in _placed_examples(sample, light)]
            (again if sample.source == TAUGHT else confirmed).extend(_augmented(sample))
            least, kind = _least_shown(pyramid, corners, cells)
            if least < LIMITS.least_shown:
                raise TeachingRefused(
                    f"photograph {sample.light} is burnt out, its {kind} hardly shows; take it in less light",
                    code="burnt-out",
                )
        shown = {kind for _, kind in by_light[0]} & {kind for _, kind in again}
        if len(shown) < LIMITS.fewest_kinds:
            raise TeachingRefused("the photographs show fewer than two kinds of insects", code="too-few-symbols")
        of_shown = [[one for one in seen if one[1] in shown] for seen in by_light]
        vectors, kinds = _of(shown, [one for seen in of_shown for one in seen])
        veils = np.repeat(np.arange(len(_LIGHTS)), [len(seen) for seen in of_shown]).astype(np.float32)
        discriminant = fit_discriminant(*_of(shown, _weighed(again, confirmed)))
        parted = (discriminant.kinds, discriminant.weights, discriminant.offsets)
        largest = max((sample.label["cells"] for sample in samples), key=lambda cells: len(cells) * len(cells[0]))
        return InsectProfile(deck, len(largest), len(largest[0]), vectors, kinds, *parted, veils)

    def confirmed(self, profile: InsectProfile, command: Label, marks: Sequence[Mark]) -> list[Confirmed]:
        """The case in which the card was laid, of which nothing but that card is known."""
        card, row, col = (command.get(name) for name in ("card", "row", "col"))
        new_marks = [mark for mark in marks if mark.is_new]
        if not isinstance(card, Mapping) or type(row) is not int or type(col) is not int or len(new_marks) != 1:
            return []
        x, y = new_marks[0].corners.mean(0).tolist()
        cases = [mark for mark in marks if not mark.face and cv2.pointPolygonTest(mark.corners, (x, y), False) >= 0]
        laid = {(row + r, col + c): kind for r, line in enumerate(card["cells"]) for c, kind in enumerate(line)}
        if len(cases) != 1 or row + 2 > profile.rows or col + 2 > profile.cols:
            return []
        cells = [[laid.get((r, c), ANY) for c in range(profile.cols)] for r in range(profile.rows)]
        return [Confirmed({"cells": cells}, cases[0].corners, tuple(laid.values()) == new_marks[0].face)]

    def reread(self, profile: InsectProfile, samples: Sequence[Sample]) -> list[tuple[str, str | None]]:
        """Each insect of the samples."""
        classifier, found = profile.classifier(), list[tuple[str, str | None]]()
        for sample in samples:
            cells: Grid = sample.label["cells"]
            likely = classifier.kinds(_classified_nudges(sample.jpeg, len(cells), len(cells[0]))[0])
            found += [
                (kind, KINDS[int(likely[tuple(np.transpose(own))].mean(0).argmax())]) for own, kind in insects_of(cells)
            ]
        return found

    def classifier(self, profile: Any) -> FewShotInsects:
        """See `Teaching`."""
        classifier: FewShotInsects = profile.classifier()
        return classifier

    def is_of_deck(self, profile: InsectProfile, deck: str) -> bool:
        """See `Teaching`; a deck is a size of the cases, which one called hexapod alone may be taught of, too."""
        return deck in (profile.deck, f"hexapod{profile.rows}x{profile.cols}")

    def features(self, samples: Sequence[Sample]) -> list[Feature]:
        """Each insect's embedding."""
        found = []
        for i, sample in enumerate(samples):
            crop, embedding_at = sample.crop(), {place: embedding for place, embedding, _ in _placed_examples(sample)}
            for places, kind in insects_of(sample.label["cells"]):
                vectors = [embedding_at[place] for place in places if place in embedding_at]
                if vectors:
                    ink = _ink(np.concatenate([_cell(crop, *place) for place in places]))
                    found.append(Feature(i, kind, np.mean(vectors, axis=0), ink))
        return found

    def cutouts(self, sample: Sample) -> list[Cutout]:
        """Each insect, by its kind."""
        found = []
        for cells, kind in insects_of(sample.label["cells"]):
            (top, left), (bottom, right) = np.min(cells, axis=0), np.max(cells, axis=0) + 1
            low = (np.array([left, top]) + _CROP_MARGIN - 0.05) * _CROP_CELL_PX
            high = (np.array([right, bottom]) + _CROP_MARGIN + 0.05) * _CROP_CELL_PX
            found.append(Cutout(kind, (int(low[0]), int(low[1]), int(high[0]), int(high[1]))))
        return found

    def relabelled(self, card: Label, cutout: int, name: str | None) -> Label | None:
        """See `Teaching`."""
        cells = [list(row) for row in card["cells"]]
        for row, col in insects_of(cells)[cutout][0]:
            cells[row][col] = ANY if name is None else name
        return {**card, "cells": cells} if insects_of(cells) else None

    def shown(
        self, sample: Sample, light: tuple[float, float] = _LIGHTS[0]
    ) -> tuple[Pyramid, NDArray[np.float32], Grid]:
        """A sample as a picture in one of `_LIGHTS`, its case's corners (4, 2) and its cells."""
        corners = self.frame(sample.label).corners.astype(np.float32)
        return _in_light(sample, light), corners, sample.label["cells"]


@lru_cache(maxsize=8)
def _faint_colours(profile: InsectProfile) -> float:
    """See `faint_of`; worked out once for a profile."""
    shown = [TEACHING.shown(sample) for sample in taught_of(profile.samples)]
    return faint_of([(pyramid, [corners]) for pyramid, corners, _ in shown]) if shown else FAINT


@lru_cache(maxsize=8)
def _turned_examples(profile: InsectProfile) -> TurnedExamples:
    """See `FewShotInsects`; worked out once for a profile."""
    return turned_examples([TEACHING.shown(one, light) for one in taught_of(profile.samples) for light in _LIGHTS])


@lru_cache(maxsize=8)
def _is_read_without_colour(profile: InsectProfile) -> bool:
    """See `FewShotInsects`; worked out once for a profile. Of an insect that is not surely read in colour either, in a
    lamp's veil perhaps, no more is asked in grey than its kind, where another of it is.
    """
    classifier, samples = profile.classifier(), taught_of(profile.samples)
    shown: set[str] = set()
    sure: set[str] = set()
    for sample in samples:
        cells: Grid = sample.label["cells"]
        rows, cols = len(cells), len(cells[0])
        corners = _frame(rows, cols).corners.astype(np.float32)
        looks = [sample.crop(), *in_grey(sample.crop())]
        fields = np.concatenate([views(Pyramid.of(look), [corners], rows, cols) for look in looks])
        seen = classify_cells(network(NETWORK), fields)
        likely = np.stack([classifier.kinds(field) * field.state[..., INSECT, None] for field in seen])
        for places, kind in insects_of(cells):
            in_colour, *in_greys = likely[:, *np.transpose(places)].mean(1)
            is_sure = in_colour.max() >= LIMITS.sure_insect
            least = LIMITS.sure_insect if is_sure else 0.0
            if any(KINDS[int(one.argmax())] != kind or one.max() < least for one in in_greys):
                return False
            shown.add(kind)
            if is_sure:
                sure.add(kind)
    return bool(samples) and shown == sure


TEACHING = HexapodTeaching()
learn_hexapod = partial(learn, TEACHING)


def _of(kinds: Set[str], examples: Sequence[_Example]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The examples of some kinds: embeddings (N, D) float32, and the kind of each."""
    vectors, names = zip(*(one for one in examples if one[1] in kinds), strict=True)
    return np.stack(vectors).astype(np.float32), names


def _weighed(taught: Sequence[_Example], confirmed: Sequence[_Example]) -> list[_Example]:
    """Both, each kind's taught examples as often as they are to count."""
    of_taught, of_confirmed = (Counter(kind for _, kind in some) for some in (taught, confirmed))
    times = {kind: times_taught(count, of_confirmed[kind]) for kind, count in of_taught.items()}
    return [*confirmed, *(one for one in taught for _ in range(times[one[1]]))]


def _first_corner(rough: Any) -> NDArray[np.float32]:
    """Where a case's own top left corner is to be: where a person pointed first, else the picture's."""
    if rough is None or len(rough) != 4:
        return np.zeros(2, np.float32)
    return np.asarray(rough[0], np.float32)


def _begun_at(quad: NDArray[np.floating], first: NDArray[np.float32]) -> NDArray[np.float32]:
    """The quad (4, 2), begun at the corner nearest to a point."""
    return np.roll(quad, -int(np.linalg.norm(quad - first, axis=1).argmin()), axis=0).astype(np.float32)


def _upright(pyramid: Pyramid, quad: NDArray[np.float32], cells: Grid) -> tuple[NDArray[np.float32], Cells]:
    """The case's corners (4, 2), the first at the top left as its labels say, and its cells; rather as it is begun."""
    turned = [np.roll(quad, -turns, axis=0) for turns in range(4)]
    seen = classify_cells(network(NETWORK), views(pyramid, turned, len(cells), len(cells[0])))
    fits = [_fit(one, cells) for one in seen]
    fits[0] += LIMITS.labelled_way
    best = int(np.argmax(fits))
    return turned[best], seen[best]


def _require_cells(number: int, seen: Cells, cells: Grid) -> None:
    """Refuse labels of which many say an insect where floor shows, or floor where an insect does."""
    shown = np.array([[kind is not None for kind in row] for row in cells])
    is_any = np.array([[kind == ANY for kind in row] for row in cells])
    clash = np.where(shown, seen.state[..., EMPTY], seen.state[..., INSECT]) > LIMITS.plain_clash
    clash &= ~is_any
    if clash.sum() > LIMITS.most_clashing * clash.size:
        row, col = np.argwhere(clash)[0]
        raise TeachingRefused(
            f"case {number} does not show what its label says: {int(clash.sum())} of {clash.size} cells differ, first "
            f"that in row {row + 1}, column {col + 1}",
            code="labels-contradict",
        )


def _cell(crop: NDArray[np.uint8], row: int, col: int) -> NDArray[np.uint8]:
    """A cell of a sample's crop."""
    x, y = (int((at + _CROP_MARGIN) * _CROP_CELL_PX) for at in (col, row))
    return crop[y : y + _CROP_CELL_PX, x : x + _CROP_CELL_PX]


def _ink(cell: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What the most coloured part of a cell is printed in, (3,) BGR, a light face being white."""
    smooth = cv2.GaussianBlur(cell, (0, 0), 1.0).astype(np.float32)
    face = np.median(smooth[np.ix_(_FACE_PX, _FACE_PX)].reshape(-1, 3), axis=0)
    pixels = smooth.reshape(-1, 3) * (255.0 / face if face.min() > _LIGHT_FACE else np.ones(3))
    chroma = pixels.max(-1) - pixels.min(-1)
    return np.asarray(np.median(pixels[chroma >= np.quantile(chroma, 0.8)], axis=0), np.float32)


def _placed_examples(
    sample: Sample, light: tuple[float, float] = _LIGHTS[0]
) -> list[tuple[tuple[int, int], np.ndarray, str]]:
    """An example for every labelled insect's cell that nothing covers, with its row and column, in one of `_LIGHTS`."""
    cells: Grid = sample.label["cells"]
    seen = _classified_nudges(sample.jpeg, len(cells), len(cells[0]), light)
    return labelled_insects(fuse_passes(seen), cells, _open_cells(sample.jpeg, len(cells), len(cells[0])))


@lru_cache(maxsize=64 * len(_LIGHTS))
def _classified_nudges(jpeg: bytes, rows: int, cols: int, light: tuple[float, float] = _LIGHTS[0]) -> tuple[Cells, ...]:
    """The cells of a crop's case, cut as it lies and a little askew; kept, as each step of learning asks for them."""
    corners = _frame(rows, cols).corners.astype(np.float32)
    nudges = np.array(_NUDGES, np.float32) * np.linalg.norm(corners[1] - corners[0])
    pyramid = _in_light(Sample({}, jpeg, light=0), light)
    return classify_cells(network(NETWORK), views(pyramid, [corners + nudge for nudge in nudges], rows, cols))


def _in_light(sample: Sample, light: tuple[float, float]) -> Pyramid:
    veil, left = light
    return Pyramid.of(paled(veiled(sample.crop(), veil), left))


def _augmented(sample: Sample) -> list[_Example]:
    """Examples of a sample's case as it may be met again."""
    cells: Grid = sample.label["cells"]
    variants_seen = _classified_variants(sample.jpeg, len(cells), len(cells[0]))
    is_open = _open_cells(sample.jpeg, len(cells), len(cells[0]))
    return [example[1:] for seen in variants_seen for example in labelled_insects(seen, cells, is_open)]


@lru_cache(maxsize=64)
def _open_cells(jpeg: bytes, rows: int, cols: int) -> NDArray[np.bool_]:
    """See `are_open`, of a crop."""
    pyramid, corners = Pyramid.of(Sample({}, jpeg, light=0).crop()), _frame(rows, cols).corners.astype(np.float32)
    return are_open(classify_rotations(pyramid, corners, rows, cols))


@lru_cache(maxsize=64)
def _classified_variants(jpeg: bytes, rows: int, cols: int) -> tuple[Cells, ...]:
    """The cells of many variants of a crop; kept, as a profile that learns from evenings is fitted to it each time."""
    rng, corners = np.random.default_rng(0), _frame(rows, cols).corners.astype(np.float32)
    pyramid = Pyramid.of(Sample({}, jpeg, light=0).crop())
    return tuple(
        seen
        for _ in range(LIMITS.variants // _AT_ONCE)
        for seen in classify_cells(network(NETWORK), variants(pyramid, corners, rows, cols, _AT_ONCE, rng))
    )


def _frame(rows: int, cols: int) -> CropFrame:
    """A case of so many cells with a cell around it."""
    field = np.array([[0.0, 0.0], [cols, 0.0], [cols, rows], [0.0, rows]])
    size = ((np.array([cols, rows]) + 2 * _CROP_MARGIN) * _CROP_CELL_PX).astype(int)
    return CropFrame((int(size[0]), int(size[1])), (field + _CROP_MARGIN) * _CROP_CELL_PX - 0.5)


def _least_shown(pyramid: Pyramid, quad: np.ndarray, cells: Grid) -> tuple[float, str]:
    """The share that light has not burnt out of the insect that shows least, and its kind; 1.0 where there is none."""
    rows, cols = len(cells), len(cells[0])
    shown = 1 - burnt_out_shares(rectify_field(pyramid, quad, rows, cols, 0), in_every_channel=True)
    shares = ((float(np.mean([shown[place] for place in places])), kind) for places, kind in insects_of(cells))
    return min(shares, default=(1.0, ""))


def _fit(seen: Cells, cells: Grid) -> float:
    """How well a rotation agrees with the labels: floor where they say so, insects upright elsewhere."""
    is_labelled = np.array([[kind != ANY for kind in row] for row in cells])
    shown = np.array([[kind is not None for kind in row] for row in cells])
    state = np.where(shown, seen.state[..., INSECT], seen.state[..., EMPTY])
    up = np.where(shown, seen.up[..., 0], 1.0)
    return float((np.log(np.maximum(state, 1e-3)) + np.log(np.maximum(up, 1e-2)))[is_labelled].sum())
