"""What was learnt of a deck's printing, and its file: the one format of all games.

A profile is a frozen dataclass of names, numbers and arrays of float32, with the samples that all of it was learnt
from. Its file is a JSON object of its fields, with the game, the version of what it means, and the checksums of the
networks whose answers it holds: another network's embeddings mean nothing to this one.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self, get_origin

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.rules.limits import FILE, read_file, read_json
from companion.vision.detection.conditions import FAINT, faint_of
from companion.vision.enrolment.sample import CropFrame, Sample, mosaic, samples_of
from companion.vision.networks import checksum

_DECIMALS = 5
_KINDS = {str: "text", int: "whole number", float: "number"}
MOST_BYTES = 1_000_000
"""Of a profile's file."""
OWN_TERMS = "the photographs are the players' own; the artwork is its author's"
"""The licence field of a profile that was taught here: its crops show a printing that somebody drew."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile(ABC):
    """The base of a game's profile.

    Attributes:
        deck: the deck's name, such as hexel36.
        samples: what it was learnt from.
        name: what people call the printing.
        made: when and from what it was learnt, for people.
        licence: on what terms its crops may be passed on.
        tint: the channels of the samples' `Tint`; empty in a file from before it was kept.
    """

    GAME: ClassVar[str]
    VERSION: ClassVar[int]
    NETWORKS: ClassVar[tuple[str, ...]]
    """The networks whose answers it holds."""
    KEYS: ClassVar[Mapping[str, str]] = {}
    """The keys in its file of fields that are called otherwise there."""
    deck: str
    samples: tuple[Sample, ...] = field(default=(), kw_only=True)
    name: str = field(default="", kw_only=True)
    made: str = field(default="", kw_only=True)
    licence: str = field(default=OWN_TERMS, kw_only=True)
    tint: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), kw_only=True)

    def as_json(self) -> dict[str, Any]:
        """The profile as it is written to a file."""
        held = {self.KEYS.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        arrays = {
            k: np.round(v.astype(float), _DECIMALS).tolist() for k, v in held.items() if isinstance(v, np.ndarray)
        }
        networks = {name: checksum(name) for name in self.NETWORKS}
        samples = [sample.as_json() for sample in self.samples]
        return {
            "profile": self.VERSION,
            "game": self.GAME,
            "networks": networks,
            **held,
            **arrays,
            "samples": samples,
        }

    def described(self, *, name: str | None = None, licence: str | None = None, made: str | None = None) -> Self:
        """The same profile called otherwise, on other terms, or of another origin."""
        return replace(self, name=name or self.name, licence=licence or self.licence, made=made or self.made)

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all, whenever the power fails.

        Raises:
            UsageError: ``unwritable-profile``, or ``too-many-samples`` where it would be larger than a profile may be.
        """
        text = json.dumps(self.as_json())
        if len(text) > MOST_BYTES:
            raise UsageError(
                f"the profile would have {len(text) / 1e6:.1f} MB, {MOST_BYTES / 1e6:.0f} at most: take fewer pictures",
                code="too-many-samples",
            )
        fresh = path.with_name(f"{path.name}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                fresh.write_text(text, encoding="ascii")
                _flush(fresh)
                fresh.replace(path)
                _flush(path.parent)
            finally:
                fresh.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}", code="unwritable-profile") from None

    def _is_numeric(self) -> bool:
        """Whether its arrays hold numbers alone, and its tint a number for each channel or none."""
        arrays = [value for one in fields(self) if isinstance(value := getattr(self, one.name), np.ndarray)]
        return self.tint.shape in ((0,), (3,)) and all(np.isfinite(array).all() for array in arrays)

    @abstractmethod
    def summary(self) -> str:
        """What was learnt, for people."""

    @abstractmethod
    def is_consistent(self) -> bool:
        """Whether its numbers fit together."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """A profile from its file. Raises `UsageError` when it is none of this game and version."""
        held = read_profile_object(path, cls.GAME)
        try:
            if held.get("profile") != cls.VERSION:
                version = f"profile version {held['profile']!r:.40}" if "profile" in held else "no profile version"
                raise ValueError(f"{version}; learn the printing again")
            keys = {one.name: cls.KEYS.get(one.name, one.name) for one in fields(cls)}
            needed = [one.name for one in fields(cls) if one.default is MISSING and one.default_factory is MISSING]
            if missing := [keys[name] for name in needed if keys[name] not in held]:
                raise ValueError(f"it does not say {', '.join(missing)}; learn the printing again")
            given = [(one, keys[one.name]) for one in fields(cls) if keys[one.name] in held]
            profile = cls(**{one.name: _as(one.type, key, held[key]) for one, key in given})
            _require_networks(held.get("networks"), cls.NETWORKS)
            if not _fits_together(profile):
                raise ValueError("its numbers do not fit together; learn the printing again")
            return profile
        except ValueError as error:
            raise UsageError(f"{path} is no profile: {error}", code="unreadable-profile") from None


def read_profile_object(path: Path, game: str | None = None) -> Mapping[str, Any]:
    """A profile's file as JSON, whatever networks it was learnt with, of a game or of any.

    Raises:
        UsageError: it is none.
    """
    try:
        held = read_json(read_file(path), FILE)
        if not isinstance(held, dict) or "game" not in held:
            raise ValueError("it names no game; `companion learn` makes one")
        if game not in (None, held["game"]):
            raise ValueError(f"it is one of {held['game']!r:.40}, not of {game}")
        return held
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-profile") from None
    except ValueError as error:
        raise UsageError(f"{path} is no profile: {error}", code="unreadable-profile") from None


def _flush(path: Path) -> None:
    """Have a file, or a folder's names, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fits_together(profile: Profile) -> bool:
    """Whether a profile's numbers do; where they are of wholly other shapes, a game's own look at them fails."""
    try:
        return profile._is_numeric() and profile.is_consistent()
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return False


def _as(kind: Any, key: str, value: Any) -> Any:
    """A key's JSON value as a field of that kind: str, int, float, tuple of names or array. Raises `ValueError`."""
    if kind is np.ndarray or get_origin(kind) is np.ndarray:
        try:
            return np.array(value, np.float32)
        except (ValueError, TypeError):
            raise ValueError(f"its {key} are no numbers, {value!r:.40}") from None
    if kind == tuple[Sample, ...]:
        return samples_of(value)
    if kind in (str, int, float):
        if type(value) is not kind and (kind is not float or type(value) is not int):
            raise ValueError(f"its {key}, {value!r:.40}, is no {_KINDS[kind]}")
        return kind(value)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"its {key}, {value!r:.40}, is no list of names")
    return tuple(value)


def _require_networks(held: Any, names: Sequence[str]) -> None:
    """Raises `ValueError` where a profile was learnt with networks of other weights than this installation's."""
    if not isinstance(held, dict):
        raise ValueError("it does not say with which networks it was learnt; learn the printing again")
    for name in names:
        if held.get(name) != checksum(name):
            raise ValueError(
                f"it was learnt with another {name}; `companion learn --update` learns it again from its own samples"
            )


def expected_doubts(pairs: Sequence[tuple[str, str]]) -> str:
    """The end of a profile's summary; nothing where no two kinds look alike.

    >>> expected_doubts([("blue", "void")])
    '; they look much alike on the photographs, expect doubts: blue with void'
    """
    named = " and ".join(f"{a} with {b}" for a, b in pairs)
    return f"; they look much alike on the photographs, expect doubts: {named}" if named else ""


@lru_cache(maxsize=8)
def faint_colours(profile: Profile, frame: CropFrame) -> float:
    """How colourful cards of a printing are whose colours hardly show any more; worked out once for a profile.

    Args:
        profile: the printing's.
        frame: of its samples; without any, cards are as colourful as those of the games' own printings.
    """
    if not profile.samples:
        return FAINT
    pyramid, corners = mosaic(profile.samples, frame)
    return faint_of([(pyramid, list(corners))])
