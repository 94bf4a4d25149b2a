"""What was learnt of a deck's printing, and its file: the one format of all games.

A profile is a frozen dataclass of names, numbers and arrays of float32. Its file is a JSON object of its fields, with
the game and the version of what it means: another network's embeddings mean nothing to this one.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from companion.errors import UsageError
from companion.rules.limits import FILE, read_file, read_json

_DECIMALS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Profile(ABC):
    """The base of a game's profile.

    Attributes:
        deck: the deck's name, such as hexel36.
    """

    GAME: ClassVar[str]
    VERSION: ClassVar[int]
    deck: str

    def as_json(self) -> dict[str, Any]:
        """The profile as it is written to a file."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        arrays = {
            k: np.round(v.astype(float), _DECIMALS).tolist() for k, v in held.items() if isinstance(v, np.ndarray)
        }
        return {"profile": self.VERSION, "game": self.GAME, **held, **arrays}

    @abstractmethod
    def summary(self) -> str:
        """What was learnt, for people."""

    @abstractmethod
    def is_consistent(self) -> bool:
        """Whether its numbers fit together."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """A profile from its file. Raises `UsageError` when it is none of this game and version."""
        try:
            held = read_json(read_file(path), FILE)
            if held["game"] != cls.GAME:
                raise ValueError(f"it is one of {held['game']!r}")
            if held["profile"] != cls.VERSION:
                raise ValueError(f"profile version {held['profile']!r}; learn the printing again")
            profile = cls(**{one.name: _as(one.type, held[one.name]) for one in fields(cls) if one.name in held})
            if not profile.is_consistent():
                raise ValueError("its numbers do not fit together")
            return profile
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-profile") from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise UsageError(f"{path} is no profile: {error}", code="unreadable-profile") from None


def _as(kind: Any, value: Any) -> Any:
    """A JSON value as a field of that kind: str, int, float, tuple of names or array."""
    if kind is np.ndarray:
        return np.array(value, np.float32)
    return kind(value) if kind in (str, int, float) else tuple(map(str, value))


def expected_doubts(pairs: Sequence[tuple[str, str]]) -> str:
    """The end of a profile's summary; nothing where no two kinds look alike.

    >>> expected_doubts([("blue", "void")])
    '; they look much alike on the photographs, expect doubts: blue with void'
    """
    named = " and ".join(f"{a} with {b}" for a, b in pairs)
    return f"; they look much alike on the photographs, expect doubts: {named}" if named else ""
