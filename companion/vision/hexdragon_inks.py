"""The inks of a HexDragon set's owners, learnt from one photograph: what their heads and tiles' rims look like.

A head's ink is the middle colour of the disc where heads are, a star's that of its middle, both in a view whose light
was divided out (`paths`). An owner is named by the nearest inks; what lies far from all of them is nobody's.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.errors import UsageError
from companion.vision.paths import REACH, VIEW, Answers

_SPREAD = 0.075
"""How far a colour in a view wanders from picture to picture, 1 being a bright face / 0.75."""
_STRANGE = 5.0
"""An ink that many spreads away from every owner's is nobody's."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What was learnt of a set.

    Attributes:
        deck: the deck's name.
        owners: the owners whose heads were shown.
        heads: (K, 3) float32, the ink of each one's heads, as a view shows it.
        rims: (K, 3) float32, what runs along the edges of each one's tiles.
    """

    deck: str
    owners: tuple[str, ...]
    heads: np.ndarray
    rims: np.ndarray

    def as_json(self) -> dict[str, Any]:
        """The profile as it is written to a file."""
        return {
            "profile": 1,
            "game": "hexdragon",
            "deck": self.deck,
            "owners": list(self.owners),
            "heads": np.round(self.heads.astype(float), 4).tolist(),
            "rims": np.round(self.rims.astype(float), 4).tolist(),
        }

    def summary(self) -> str:
        """What was learnt, for people."""
        return f"the inks of {', '.join(self.owners)}"


def owners_by_ink(profile: Profile, views: np.ndarray, answers: Answers, names: Sequence[str]) -> np.ndarray:
    """How likely each of ``names`` owns each piece (N, K), by its head's or star's ink; even where nobody's is near."""
    out = np.full((len(views), len(names)), 1.0 / len(names), np.float32)
    at = [names.index(owner) for owner in profile.owners]
    for i, view in enumerate(views):
        is_star = answers.kinds[i, 1] > answers.kinds[i, 0]
        head = int(answers.ends[i, :, 6].argmax())
        ink = star_ink(view) if is_star else head_ink(view, head)
        off = ((profile.heads - ink) ** 2).sum(-1)
        if not is_star:
            off = off + 0.5 * ((profile.rims - rim_ink(view)) ** 2).sum(-1)
        told = np.append(-off / (2 * _SPREAD**2), -(_STRANGE**2) / 2)
        share = np.exp(told - told.max())
        share /= share.sum()
        out[i] = share[-1] / len(names)
        out[i, at] += share[:-1]
    return out


def head_ink(view: np.ndarray, edge: int) -> np.ndarray:
    """The middle colour (3,) where a head at the edge is, a direction of the view's own."""
    angle = np.radians(-60.0 * edge)
    return _middle(view, 0.39 * np.array([np.cos(angle), np.sin(angle)]), 0.2)


def star_ink(view: np.ndarray) -> np.ndarray:
    """The middle colour (3,) of a star's middle."""
    return _middle(view, np.zeros(2), 0.16)


def rim_ink(view: np.ndarray) -> np.ndarray:
    """The middle colour (3,) along a tile's edges, near its corners: no band comes there."""
    angles = np.radians(60.0 * np.arange(6) + 30.0)
    beside = np.concatenate([angles - 0.2, angles + 0.2])
    radius = 0.955 * np.sqrt(0.75) / np.cos(np.pi / 6 - 0.2)
    return np.asarray(np.median([_at(view, radius * np.array([np.cos(a), np.sin(a)])) for a in beside], axis=0))


_STEPS = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH


def _middle(view: np.ndarray, at: np.ndarray, radius: float) -> np.ndarray:
    inside = (_STEPS[None, :] - at[0]) ** 2 + (_STEPS[:, None] - at[1]) ** 2 < radius**2
    return np.asarray(np.median(view[inside], axis=0))


def _at(view: np.ndarray, at: np.ndarray) -> np.ndarray:
    column, row = np.clip(np.round((at / REACH + 1) * VIEW / 2 - 0.5).astype(int), 0, VIEW - 1)
    return np.asarray(view[row, column])


def read_profile(path: Path) -> Profile:
    """A profile from its file. Raises `UsageError` when it is not one."""
    try:
        held: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if held["profile"] != 1 or held["game"] != "hexdragon":
            raise ValueError(f"profile {held['profile']} of {held['game']}")
        heads, rims = np.array(held["heads"], np.float32), np.array(held["rims"], np.float32)
        if heads.shape != (len(held["owners"]), 3) or rims.shape != heads.shape:
            raise ValueError("its numbers do not fit together")
        return Profile(str(held["deck"]), tuple(held["owners"]), heads, rims)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-profile") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no profile: {error}", code="unreadable-profile") from None
