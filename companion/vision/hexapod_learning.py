"""Learning a Hexapod printing: photographs of display cases, labelled, in; a profile out.

A kind's examples are what the likeness network (`models/hexapod-insects`) answers for the cells that show it. What
tells the kinds apart is learnt from many variants of the photographs.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.rules.limits import FILE, read_file, read_json
from companion.vision.alike import expected_doubts
from companion.vision.discriminant import Discriminant, parting
from companion.vision.hexapod_finder import Quad
from companion.vision.hexapod_naming import Likened
from companion.vision.hexapod_outlines import exact_cases, found_on
from companion.vision.hexapod_quads import straightened
from companion.vision.hexapod_variants import variants
from companion.vision.insects import CELL_PX, EMPTY, INSECT, KINDS, OTHER, Cells, look, together, views
from companion.vision.models import network
from companion.vision.pyramid import Pyramid

Grid = Sequence[Sequence[str | None]]
_Example = tuple[np.ndarray, str]
"""A likeness and the kind whose it is."""

_NUDGES = ((0.0, 0.0), (0.012, 0.008), (-0.01, 0.012), (0.008, -0.012), (-0.012, -0.008))
"""Shares of a field by which it is cut askew: a learnt likeness must not hang on exact corners."""
_VARIANTS = 40
"""So many of each case are looked at; with 20 instead, measured, a tenth more names were wrong."""
_LABELLED_WAY = 8.0
"""How much rough corners count for the way up, as a logarithm."""
_NETWORK = "hexapod-insects/insects.onnx"
_AT_ONCE = 10
"""Variants that the network is shown together."""
_COVERED = 0.6
"""A cell that more likely than this shows something else is no example."""
_FORM = 4
"""Of the file: another network's likeness means nothing to this one."""
_LARGEST_CASE = 20
_LEAST_KINDS = 2
_ALIKE = 0.85
"""Insects of two kinds that are more alike are hard to tell apart: decks with such a pair bring most of the doubts."""
_WHITE, _BURNT_OUT = 250, 0.5
"""A pixel of which no channel is less than the first is burnt out; of the cells with insects no more than the second
share is to be: of 74 photographs taught from, two had more, and brought a third of all wrong names."""
_LEAST_SURE = 0.05
"""Where a case is said to be, much less than usual is taken for one."""


@dataclass(frozen=True, slots=True, eq=False)
class CaseProfile:
    """What was learnt of a printing.

    Attributes:
        deck: the deck's name.
        rows: cells of a display case from top to bottom.
        cols: from left to right.
        examples: (N, D) float32 unit vectors.
        kinds: the kind of each.
        parting: what tells the kinds apart.
        burnt_out: the share of the photographs' insects' cells that light has burnt out to white.
    """

    deck: str
    rows: int
    cols: int
    examples: np.ndarray
    kinds: tuple[str, ...]
    parting: Discriminant
    burnt_out: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The profile as it is written to a file."""
        return {
            "profile": _FORM,
            "game": "hexapod",
            "deck": self.deck,
            "rows": self.rows,
            "cols": self.cols,
            "kinds": list(self.kinds),
            "examples": np.round(self.examples.astype(float), 4).tolist(),
            "parted": list(self.parting.kinds),
            "weights": np.round(self.parting.weights.astype(float), 3).tolist(),
            "offsets": np.round(self.parting.offsets.astype(float), 3).tolist(),
        }

    def summary(self) -> str:
        """What was learnt, for people."""
        shown = [kind for kind in KINDS if kind in self.kinds]
        missing = [kind for kind in KINDS if kind not in self.kinds]
        lacking = f" (not shown: {', '.join(missing)})" if missing else ""
        light = "; the photographs are burnt out, take them in less light" if self.is_burnt_out else ""
        return f"{', '.join(shown)} of {self.deck}{lacking}{expected_doubts(self.alike)}{light}"

    @property
    def is_burnt_out(self) -> bool:
        """Whether so much is burnt out to white that insects hardly show."""
        return self.burnt_out > _BURNT_OUT

    @property
    def alike(self) -> tuple[tuple[str, str], ...]:
        """The pairs of kinds that are hard to tell apart."""
        of = {kind: self.examples[[k == kind for k in self.kinds]] for kind in KINDS if kind in self.kinds}
        return tuple((a, b) for a, b in combinations(of, 2) if (of[a] @ of[b].T).max() > _ALIKE)

    def namer(self) -> Likened:
        """What names insects of this printing."""
        of_kind = np.array([KINDS.index(kind) for kind in self.kinds])
        return Likened(self.examples, of_kind, self.parting, self.rows, self.cols)


def learn_hexapod(
    deck: str, pictures: Sequence[tuple[str, np.ndarray]], labels: Sequence[Mapping[str, Any]]
) -> CaseProfile:
    """Learn from display cases that together show every kind.

    Args:
        deck: the deck's name.
        pictures: name and uint8 BGR picture of each photograph.
        labels: one a picture, in the form of a reading: ``boards`` with ``cells`` and perhaps ``corners``, which may be
            rough; without them cases are taken from top to bottom and left to right.

    Raises:
        UsageError: the labels do not fit the pictures, or show too few kinds.
    """
    examples: list[_Example] = []
    again: list[_Example] = []
    burnt: list[float] = []
    size = (5, 5)
    for index, (name, picture) in enumerate(pictures):
        own = [one for one in labels if one.get("image") == name]
        label = own[0] if own else labels[index] if index < len(labels) else None
        if label is None:
            raise UsageError(f"no label for {name}", code="labels-differ")
        pyramid, boards = Pyramid.of(picture), _boards(name, label)
        for board, quad in zip(boards, _quads(name, pyramid, boards), strict=True):
            size = (len(board["cells"]), len(board["cells"][0]))
            corners = _upright(pyramid, quad, board["cells"], is_rough=bool(board.get("corners")))
            examples += _examples(pyramid, corners, board["cells"])
            again += _met_again(pyramid, corners, board["cells"])
            burnt.append(_burnt_out(pyramid, quad, board["cells"]))
    shown = {kind for _, kind in examples} & {kind for _, kind in again}
    if len(shown) < _LEAST_KINDS:
        raise UsageError("the photographs show fewer than two kinds of insects", code="too-few-symbols")
    (vectors, kinds), (varied, of_varied) = (_of(shown, some) for some in (examples, again))
    return CaseProfile(deck, *size, vectors, kinds, parting(varied, of_varied), float(np.mean(burnt)))


def _of(kinds: Set[str], examples: Sequence[_Example]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The examples of some kinds: likenesses (N, D) float32, and the kind of each."""
    vectors, names = zip(*(one for one in examples if one[1] in kinds), strict=True)
    return np.stack(vectors).astype(np.float32), names


def read_case_profile(path: Path) -> CaseProfile:
    """A profile from its file. Raises `UsageError` when it is not one of Hexapod."""
    try:
        held: Mapping[str, Any] = read_json(read_file(path), FILE)
        if held["game"] != "hexapod":
            raise ValueError(f"it is one of {held['game']!r}")
        if held["profile"] != _FORM:
            raise ValueError(f"profile version {held['profile']!r}; learn the printing again")
        examples, kinds = np.array(held["examples"], np.float32), tuple(held["kinds"])
        if examples.ndim != 2 or len(examples) != len(kinds) or not set(kinds) <= set(KINDS):
            raise ValueError("its numbers do not fit together")
        rows, cols = int(held["rows"]), int(held["cols"])
        if not (1 <= rows <= _LARGEST_CASE and 1 <= cols <= _LARGEST_CASE):
            raise ValueError(f"a case of {rows} x {cols}")
        parted, weights = tuple(held["parted"]), np.array(held["weights"], np.float32)
        offsets = np.array(held["offsets"], np.float32)
        fits = weights.shape == (len(parted), examples.shape[1]) and offsets.shape == (len(parted),)
        if not fits or set(parted) != set(kinds):
            raise ValueError("its numbers do not fit together")
        return CaseProfile(str(held["deck"]), rows, cols, examples, kinds, Discriminant(parted, weights, offsets))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-profile") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is no Hexapod profile: {error}", code="unreadable-profile") from None


def _boards(name: str, label: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The labelled cases. Raises `UsageError` for cells that are no grid of kinds."""
    boards = list(label.get("boards") or [])
    for board in boards:
        cells = board.get("cells")
        is_grid = (
            isinstance(cells, list) and cells and all(isinstance(r, list) and len(r) == len(cells[0]) for r in cells)
        )
        if not is_grid or any(kind is not None and kind not in KINDS for row in cells for kind in row):
            raise UsageError(f"{name}: a case's cells are to be rows of kinds or null", code="labels-differ")
    return boards


def _quads(name: str, pyramid: Pyramid, boards: Sequence[Mapping[str, Any]]) -> list[Quad]:
    """The case that each label means."""
    found = exact_cases(pyramid, found_on(pyramid), _LEAST_SURE)
    if all(board.get("corners") for board in boards):
        return [_nearest(found, np.asarray(board["corners"], np.float32).reshape(-1, 2)) for board in boards]
    if len(found) < len(boards):
        raise UsageError(
            f"{name}: {len(boards)} cases are labelled and {len(found)} are seen; give their corners",
            code="labels-differ",
        )
    surest = sorted(found, key=lambda quad: -quad.confidence)[: len(boards)]
    return sorted(
        surest, key=lambda quad: (round(float(quad.corners[:, 1].mean()) / 200), float(quad.corners[:, 0].mean()))
    )


def _nearest(found: Sequence[Quad], rough: np.ndarray) -> Quad:
    """The case found where a rough one is given, begun at its first corner; the rough one where none is found."""
    reach = 0.3 * float(np.ptp(rough, axis=0).mean())
    near = [q for q in found if np.linalg.norm(q.corners.mean(0) - rough.mean(0)) < reach]
    if not near or len(rough) != 4:
        return near[0] if near else Quad(rough, 1.0)
    best = min(near, key=lambda q: float(np.linalg.norm(q.corners.mean(0) - rough.mean(0))))
    ways = [np.roll(best.corners, -k, axis=0) for k in range(4)]
    return Quad(min(ways, key=lambda way: float(np.linalg.norm(way - rough))), best.confidence)


def _upright(pyramid: Pyramid, quad: Quad, cells: Grid, *, is_rough: bool) -> np.ndarray:
    """The case's corners (4, 2), the first at the top left as its labels say."""
    ways = [np.roll(quad.corners, -turns, axis=0) for turns in range(4)]
    fits = [_fit(one, cells) for one in look(network(_NETWORK), views(pyramid, ways, len(cells), len(cells[0])))]
    fits[0] += _LABELLED_WAY if is_rough else 0.0
    return ways[int(np.argmax(fits))]


def _examples(pyramid: Pyramid, corners: np.ndarray, cells: Grid) -> list[_Example]:
    """An example for every labelled insect's cell that nothing covers."""
    side = np.linalg.norm(corners[1] - corners[0])
    nudged = [corners + np.array(nudge, np.float32) * side for nudge in _NUDGES]
    seen = look(network(_NETWORK), views(pyramid, nudged, len(cells), len(cells[0])))
    return _labelled(replace(seen[0], likeness=together(seen).likeness), cells)


def _met_again(pyramid: Pyramid, corners: np.ndarray, cells: Grid) -> list[_Example]:
    """Examples of the case as it may be met again."""
    rng, size = np.random.default_rng(0), (len(cells), len(cells[0]))
    return [
        example
        for _ in range(_VARIANTS // _AT_ONCE)
        for seen in look(network(_NETWORK), variants(pyramid, corners, *size, _AT_ONCE, rng))
        for example in _labelled(seen, cells)
    ]


def _labelled(seen: Cells, cells: Grid) -> list[_Example]:
    """The likeness of each insect's cell that nothing covers."""
    is_open = seen.state[..., OTHER] < _COVERED
    return [
        (seen.likeness[r, c], kind)
        for r, row in enumerate(cells)
        for c, kind in enumerate(row)
        if kind is not None and is_open[r, c]
    ]


def _burnt_out(pyramid: Pyramid, quad: Quad, cells: Grid) -> float:
    """The share of a case's insects' cells that light has burnt out to white; of an empty case's, all of it."""
    rows, cols = len(cells), len(cells[0])
    seen = straightened(pyramid, quad.corners, rows, cols, CELL_PX, 0).min(-1) >= _WHITE
    share = seen.reshape(rows, CELL_PX, cols, CELL_PX).mean((1, 3))
    shown = np.array([[kind is not None for kind in row] for row in cells])
    return float(share[shown].mean() if shown.any() else share.mean())


def _fit(seen: Cells, cells: Grid) -> float:
    """How well a way up agrees with the labels: floor where they say so, insects upright elsewhere."""
    shown = np.array([[kind is not None for kind in row] for row in cells])
    state = np.where(shown, seen.state[..., INSECT], seen.state[..., EMPTY])
    up = np.where(shown, seen.up[..., 0], 1.0)
    return float(np.log(np.maximum(state, 1e-3)).sum() + np.log(np.maximum(up, 1e-2)).sum())
