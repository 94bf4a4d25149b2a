"""Teaching a HexDragon set: whose heads look how. What tiles' lines join is read from their shapes, and not learnt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused, UsageError
from companion.games.hexdragon.layout import layouts
from companion.games.hexdragon.vision.classifier import (
    BRIGHT,
    HEAD,
    OWNERS,
    TAIL,
    Answers,
    answers_to,
    cut_tiles,
    tile_network,
)
from companion.games.hexdragon.vision.light import colour_left, common_inks
from companion.games.hexdragon.vision.prototypes import (
    FRAME,
    MAX_INK_VALUE,
    FewShotTiles,
    InkProfile,
    fit_inks,
    head_colours,
    ink_places,
    ink_vector,
)
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexdragon.vision.results import DetectedTile
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.enrolment.labels import Candidates
from companion.vision.enrolment.learning import learn
from companion.vision.enrolment.sample import TAUGHT, CropFrame, Sample, by_light, mosaic, taught_of, times_taught
from companion.vision.enrolment.teaching import Confirmed, Cutout, Feature, Label, Teaching
from companion.vision.evidence import Mark
from companion.vision.image.pyramid import Pyramid

_KINDS = ("start", "head", "body")
_Shown = tuple[int, str, NDArray[np.float32], int]
"""A head: the place of its sample, its owner, its view, and its edge in the view's own directions."""


class HexDragonTeaching(Teaching):
    """See `Teaching`."""

    layouts = staticmethod(layouts)
    decks = ("hexdragon",)
    phrases = ("colour", "kind")
    profile = InkProfile
    few_shot_classifier = FewShotTiles
    part = "tiles"
    least_side_px = LIMITS.least_taught_px
    most_white = LIMITS.most_white
    alike = LIMITS.alike_inks
    same = LIMITS.same_inks

    def names(self, deck: str) -> tuple[str, ...]:
        """The owners."""
        return OWNERS

    def optional_names(self, deck: str) -> tuple[str, ...]:
        """Any of them: one colour in play suffices."""
        return OWNERS

    def check_card(self, deck: str, card: Label) -> None:
        """See `Teaching`."""
        kind, owner, head = card.get("kind"), card.get("owner"), card.get("head")
        if kind not in (*_KINDS, None):
            raise UsageError(f"no tile is a {kind!r}; there are {', '.join(_KINDS)}", code="unknown-name")
        if owner is not None and owner not in OWNERS:
            raise UsageError(f"no dragon is {owner!r}; there are {', '.join(OWNERS)}", code="unknown-name")
        if head is not None and (type(head) is not int or not 0 <= head < 6):
            raise UsageError("a tile's head is a direction, 0 to 5", code="labels-differ")
        paths = card.get("paths")
        if paths is not None and not (isinstance(paths, list) and all(map(_is_path, paths))):
            raise UsageError("a tile's paths are pairs of directions, 0 to 5", code="labels-differ")

    def check_sample(self, deck: str, label: Label) -> None:
        """See `Teaching`."""
        self.check_card(deck, label)
        if label.get("kind") is None or "owner" not in label:
            raise UsageError("a tile's label says its kind and its owner", code="labels-differ")
        if label["kind"] == "head" and label.get("head") is None:
            raise UsageError("a head's label says its direction", code="labels-differ")

    def teaches(self, card: Label) -> bool:
        """Whether it is known what tile it is: those without a head tell the light."""
        return card.get("kind") is not None

    def candidates(self, pyramid: Pyramid) -> Candidates:
        """See `Teaching`."""
        seen = [
            card.corners
            for card in read_hexdragon(pyramid.levels[0]).cards
            if not (isinstance(card, DetectedTile) and card.is_star)
        ]
        return Candidates(pyramid, 6, np.array(seen, np.float32).reshape(-1, 6, 2))

    def crops(
        self, pyramid: Pyramid, outlines: NDArray[np.float32], given: Sequence[Any], cards: Sequence[Label]
    ) -> list[tuple[NDArray[np.floating], Label]]:
        """See `Teaching`."""
        corners = _aligned_outlines(outlines)
        views, _ = cut_tiles(pyramid, corners, max_value=MAX_INK_VALUE)
        answers = answers_to(tile_network(), views)
        _require_kinds(answers.ends, cards)
        edges = _head_edges(answers.ends, cards)
        _require_colours(views, answers, cards, edges)
        labels = [
            {"kind": card["kind"], "owner": card.get("owner"), "head": edge if card["kind"] == "head" else None}
            for card, edge in zip(cards, edges, strict=True)
        ]
        return list(zip(corners, labels, strict=True))

    def frame(self, card: Label) -> CropFrame:
        """See `Teaching`."""
        return FRAME

    def fit(self, deck: str, samples: Sequence[Sample]) -> InkProfile:
        """See `Teaching`."""
        heads = _heads(samples)
        if not heads:
            raise TeachingRefused("no head with its owner is on the photographs", code="too-few-heads")
        return fit_inks(deck, _weighed(samples, heads), _common_inks(taught_of(samples)))

    def features(self, samples: Sequence[Sample]) -> list[Feature]:
        """The inks of heads."""
        heads = _heads(samples)
        if not heads:
            return []
        places = ink_places(_weighed(samples, heads))
        inks = [np.median(head_colours(view, edge, places), axis=0) for _, _, view, edge in heads]
        return [
            Feature(sample, owner, ink_vector(ink), ink / BRIGHT * 255)
            for (sample, owner, _, _), ink in zip(heads, inks, strict=True)
        ]

    def confirmed(self, profile: InkProfile, command: Label, marks: Sequence[Mark]) -> list[Confirmed]:
        """The head tile that was placed, where it is known whose it is."""
        new_marks = [mark for mark in marks if mark.is_new]
        tile = command.get("tile")
        if not isinstance(tile, Mapping) or tile.get("kind") != "head" or [len(mark.face) for mark in new_marks] != [6]:
            return []
        (mark,), head = new_marks, tile["head"] % 6
        seen = mark.face[head]
        read = seen.removeprefix("head:") if seen and seen.startswith("head:") else None
        owner = tile.get("owner") or read
        if owner not in OWNERS:
            return []
        label = {"kind": "head", "owner": owner, "head": (head - mark.east) % 6}
        return [Confirmed(label, mark.corners, owner == read)]

    def reread(self, profile: InkProfile, samples: Sequence[Sample]) -> list[tuple[str, str | None]]:
        """Each head's owner."""
        found: list[tuple[str, str | None]] = []
        for places in by_light(samples):
            own = [samples[i] for i in places]
            probabilities = FewShotTiles(profile).classify(*mosaic(own, FRAME))
            for sample, six in zip(own, probabilities, strict=True):
                if sample.label["kind"] == "head":
                    owners = six[int(sample.label["head"]), 6:10]
                    found.append((sample.label["owner"], OWNERS[int(owners.argmax())]))
        return found

    def cutouts(self, sample: Sample) -> list[Cutout]:
        """The whole tile: by its owner, or by what it is."""
        return [Cutout(sample.label["owner"] or sample.label["kind"], (0, 0, *FRAME.size))]

    def relabelled(self, card: Label, cutout: int, name: str | None) -> Label | None:
        """See `Teaching`."""
        return None if name is None else {**card, "owner": name}


TEACHING = HexDragonTeaching()
learn_hexdragon = partial(learn, TEACHING)


def _views(samples: Sequence[Sample]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
    """The places of the samples of each photograph, and their views, whose light is divided out by all its tiles."""
    for own in by_light(samples):
        yield own, cut_tiles(*mosaic([samples[i] for i in own], FRAME), max_value=MAX_INK_VALUE)[0]


def _heads(samples: Sequence[Sample]) -> list[_Shown]:
    """Every head of the samples."""
    return [
        (i, str(label["owner"]), view, int(label["head"]))
        for own, views in _views(samples)
        for i, view in zip(own, views, strict=True)
        if (label := samples[i].label)["kind"] == "head" and label.get("owner") in OWNERS
    ]


def _common_inks(samples: Sequence[Sample]) -> NDArray[np.float32]:
    """The inks (2, 3) that all tiles of the samples share, the middle of all photographs."""
    views = [views for _, views in _views(samples)]
    inks = [one for some in views if (one := common_inks(some, answers_to(tile_network(), some))) is not None]
    if not inks:
        raise TeachingRefused("no tile shows plainly on the photographs; take them nearer", code="no-tiles")
    return np.asarray(np.median(inks, axis=0), np.float32)


def _weighed(samples: Sequence[Sample], heads: Sequence[_Shown]) -> list[tuple[str, NDArray[np.float32], int]]:
    """The heads as `fit_inks` takes them, each owner's taught ones as often as they are to count."""
    is_taught = [samples[place].source == TAUGHT for place, *_ in heads]
    of = Counter(zip((owner for _, owner, _, _ in heads), is_taught, strict=True))
    times = {owner: times_taught(of[owner, True], of[owner, False]) for owner in OWNERS}
    return [
        (owner, view, edge)
        for (_, owner, view, edge), taught in zip(heads, is_taught, strict=True)
        for _ in range(times[owner] if taught else 1)
    ]


def _require_kinds(ends: np.ndarray, tiles: Sequence[Label]) -> None:
    """Refuse labels that say a head where none is, or none where one plainly is."""
    for number, (tile, seen) in enumerate(zip(tiles, ends, strict=True), 1):
        head = float(seen[:, HEAD].max())
        is_head = tile["kind"] == "head"
        if head < LIMITS.no_head if is_head else head > LIMITS.plain_head:
            raise TeachingRefused(
                f"tile {number} is to be a {tile['kind']} tile, and {'no' if is_head else 'a'} head is seen on it: lay "
                "the tiles as they are drawn, or correct the label",
                code="labels-contradict",
            )


def _require_colours(
    views: NDArray[np.float32], answers: Answers, tiles: Sequence[Label], edges: Sequence[int]
) -> None:
    """Refuse views of an owner's heads all of which a lamp's reflection leaves grey: they may be black, or any ink."""
    heads = {i: edges[i] for i, tile in enumerate(tiles) if tile["kind"] == "head"}
    left = colour_left(views, answers, heads)
    inks = {i: np.median(head_colours(views[i], edge), axis=0) for i, edge in heads.items()}
    pale = {
        i
        for i, ink in inks.items()
        if left[i] < LIMITS.least_taught_colour and np.ptp(ink) < LIMITS.grey_ink * ink.mean()
    }
    plain = {tiles[i].get("owner") for i in heads if i not in pale}
    for i in pale:
        if (owner := tiles[i].get("owner")) is not None and owner not in plain:
            raise TeachingRefused(
                f"a lamp's reflection pales tile {i + 1}, a {owner} head; move the lamp, or shade the tile with a hand",
                code="burnt-out",
            )


def _aligned_outlines(outlines: np.ndarray) -> np.ndarray:
    """Outlines (N, 6, 2) begun at corners that lie alike on all of them: each edge looks the same way."""
    offsets = outlines - outlines.mean(1, keepdims=True)
    offsets = offsets / np.linalg.norm(offsets, axis=2, keepdims=True)
    turns = [min(range(6), key=lambda k: float(np.abs(np.roll(one, -k, 0) - offsets[0]).sum())) for one in offsets]
    return np.stack([np.roll(outline, -k, 0) for outline, k in zip(outlines, turns, strict=True)])


def _head_edges(ends: np.ndarray, tiles: Sequence[Label]) -> list[int]:
    """Each labelled head's edge in the views' own directions.

    Where all labels say how their tiles lie: the one turn in which they fit best what is seen. Else where a head shows.

    Args:
        ends: (N, 6, 7) what the edges of the tiles lead to, in views that all look the same way.
        tiles: the labels, whose naming of directions is free.
    """
    if any(tile["kind"] == "head" and tile.get("head") is None for tile in tiles):
        return [int(seen[:, HEAD].argmax()) for seen in ends]
    faces = np.array([_face(tile) for tile in tiles])
    log_ends = np.log(np.maximum(ends, 1e-3))
    rows = np.arange(6)
    fits = [sum(float(t[rows, np.roll(f, k)].sum()) for t, f in zip(log_ends, faces, strict=True)) for k in range(6)]
    turns = int(np.argmax(fits))
    return [((tile.get("head") or 0) + turns) % 6 for tile in tiles]


def _is_path(value: Any) -> bool:
    """Whether a JSON value is a pair of directions."""
    is_pair = isinstance(value, list) and len(value) == 2 and value[0] != value[1]
    return is_pair and all(type(end) is int and 0 <= end < 6 for end in value)


def _face(tile: Label) -> tuple[int, ...]:
    """A labelled tile's ends, indices of `classifier.ENDS`."""
    ends = [TAIL] * 6
    if tile.get("head") is not None:
        ends[tile["head"]] = HEAD
    for a, b in tile.get("paths") or []:
        ends[a], ends[b] = (b - a) % 6 - 1, (a - b) % 6 - 1
    return tuple(ends)
