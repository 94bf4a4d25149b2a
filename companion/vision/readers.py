"""The games that a camera can read, each with what the commands and the vision thread ask of it.

Another game comes in as one more entry in `READERS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from companion.errors import UsageError
from companion.vision.comet_following import CometFollower
from companion.vision.comet_learning import learn_comet
from companion.vision.comet_naming import Numerals
from companion.vision.comet_reading import read_comet
from companion.vision.comet_seen import in_words as comet_in_words
from companion.vision.decoding import load_picture as load_picture
from companion.vision.hexapod_following import CaseFollower
from companion.vision.hexapod_learning import learn_hexapod, read_case_profile
from companion.vision.hexapod_naming import Described, InsectNamer
from companion.vision.hexapod_reading import read_hexapod
from companion.vision.hexapod_seen import HexapodReading
from companion.vision.hexapod_telling import in_words as hexapod_in_words
from companion.vision.hexdragon_inks import read_profile as read_inks
from companion.vision.hexdragon_learning import learn_hexdragon
from companion.vision.hexdragon_namers import LearntTiles, PrintedTiles, TileNamer
from companion.vision.hexdragon_reading import read_beside as read_hexdragon_beside
from companion.vision.hexdragon_reading import read_hexdragon
from companion.vision.hexdragon_seen import in_words as hexdragon_in_words
from companion.vision.hexel_reading import read_beside as read_hexel_beside
from companion.vision.hexel_reading import read_hexel
from companion.vision.layout import Board, Honeycomb
from companion.vision.learning import learn_hexel
from companion.vision.namers import Learnt, Namer, Printed
from companion.vision.profile import read_profile
from companion.vision.seen import Reading
from companion.vision.settling import Settler
from companion.vision.telling import Patience, Told


class Profile(Protocol):
    """What was learnt of a deck's printing."""

    def as_json(self) -> dict[str, Any]:
        """As it is kept in a file."""

    def summary(self) -> str:
        """What was learnt, for people."""


class Follower(Protocol):
    """Follows one table over time; see `settling.Settler`."""

    @property
    def cards(self) -> tuple[Any, ...] | None:
        """What is known to lie on the table, in the game's own form; None before it has first settled."""

    @property
    def is_quiet(self) -> bool:
        """Nothing differs from what is known and told."""

    @property
    def standing(self) -> dict[str, str]:
        """Notices that hold now: code to text."""

    def step(self, bgr: np.ndarray) -> list[Told]:
        """Take in one frame, uint8 (h, w, 3); return what has settled with it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Recognition of one game. What names its symbols (``namer``) is the game's own affair: it only passes through.

    Attributes:
        decks: the names of its decks, each the game's name and the edition's.
        namer: what names the symbols of an edition, None for whichever is seen, or of the printing in a profile's file.
        read: the table on one picture, uint8 BGR, without history; None names the reference printing.
        follower: follows the table from picture to picture.
        in_words: what a follower told, the whole table or one change of it, for people.
        learn: from a deck's name, named pictures and their labels, its printing. Raises `UsageError`.
    """

    decks: tuple[str, ...]
    namer: Callable[[str | None, Path | None], Any]
    read: Callable[[np.ndarray, Any], Reading | HexapodReading]
    follower: Callable[[Any, Patience], Follower]
    in_words: Callable[[Told], str]
    learn: Callable[[str, Sequence[tuple[str, np.ndarray]], Sequence[Mapping[str, Any]]], Profile]


def _hexel_namer(edition: str | None, profile: Path | None) -> Namer:
    return Printed(edition) if profile is None else Learnt(read_profile(profile))


def _hexel_in_words(told: Told) -> str:
    if told["event"] == "table":
        return f"the table: {len(told['cards'])} cards, {len(told['loose'])} loose"
    where = "loose" if told["cell"] is None else f"at ({told['cell'][0]}, {told['cell'][1]})"
    return f"{told['event']} {where}: {' '.join(edge or '?' for edge in told['edges'])}"


def _comet_namer(edition: str | None, profile: Path | None) -> Numerals:
    if profile is not None:
        raise UsageError(f"comet takes no profile, numerals are read as print: leave out {profile}", code="bad-profile")
    return Numerals()


def _comet_in_words(told: Told) -> str:
    if told["event"] == "table":
        return f"the table: {len(told['cards'])} cards"
    x, y = np.mean(told["corners"], axis=0)
    where = told["zone"] or f"{x:.0f},{y:.0f}"
    return f"{told['event']} at {where}: {comet_in_words(told['values'])}"


def _hexdragon_namer(edition: str | None, profile: Path | None) -> TileNamer:
    return PrintedTiles() if profile is None else LearntTiles(read_inks(profile))


def _hexdragon_in_words(told: Told) -> str:
    if told["event"] == "table":
        return f"the table: {len(told['tiles'])} tiles, {len(told['stars'])} stars"
    where = "off the board" if told["cell"] is None else f"at ({told['cell'][0]}, {told['cell'][1]})"
    return f"{told['event']} {where}: {hexdragon_in_words(told)}"


_CASE_SIZES = [f"{rows}x{cols}" for rows in range(3, 8) for cols in range(3, 8)]
"""Rows and columns of display cases; 5x5 without a word."""


def _hexapod_namer(edition: str | None, profile: Path | None) -> InsectNamer:
    if profile is not None:
        return read_case_profile(profile).namer()
    rows, _, cols = (edition or "5x5").partition("x")
    return Described(int(rows), int(cols))


READERS: Mapping[str, Reader] = {
    "hexel": Reader(
        decks=("hexel36", "hexel46"),
        namer=_hexel_namer,
        read=read_hexel,
        follower=lambda namer, patience: Settler(read_hexel, Honeycomb(), namer, patience, read_hexel_beside),
        in_words=_hexel_in_words,
        learn=learn_hexel,
    ),
    "hexdragon": Reader(
        decks=("hexdragon",),
        namer=_hexdragon_namer,
        read=read_hexdragon,
        follower=lambda namer, patience: Settler(read_hexdragon, Board(), namer, patience, read_hexdragon_beside),
        in_words=_hexdragon_in_words,
        learn=learn_hexdragon,
    ),
    "comet": Reader(
        decks=("comet",),
        namer=_comet_namer,
        read=read_comet,
        follower=CometFollower,
        in_words=_comet_in_words,
        learn=learn_comet,
    ),
    "hexapod": Reader(
        decks=("hexapod", *(f"hexapod{size}" for size in _CASE_SIZES)),
        namer=_hexapod_namer,
        read=read_hexapod,
        follower=CaseFollower,
        in_words=hexapod_in_words,
        learn=learn_hexapod,
    ),
}


def reader_for(game: str, deck: str | None = None) -> tuple[Reader, str | None]:
    """The game's reader and the edition of a deck. Raises `UsageError` for a name unknown."""
    if game not in READERS:
        raise UsageError(f"no camera reading for {game} (known: {', '.join(READERS)})", code="unknown-game")
    reader = READERS[game]
    if deck is not None and deck not in reader.decks:
        raise UsageError(f"no such deck: {deck} (known: {', '.join(reader.decks)})", code="unknown-deck")
    return reader, None if deck is None else deck.removeprefix(game) or None
