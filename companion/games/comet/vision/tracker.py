"""A Comet table followed over time: as any table is, and a card that comes to lie elsewhere is told as moved, once."""

from collections.abc import Sequence

import numpy as np

from companion.games.comet.vision.classifier import PretrainedNumerals
from companion.games.comet.vision.layout import Scattered
from companion.games.comet.vision.recognizer import read_comet
from companion.vision.results import SeenCard
from companion.vision.tracking.card_tracker import Settler
from companion.vision.tracking.events import Patience, Told

_SPARE = 8
"""Frames beyond its patience with a card that is gone, after which two cards alike are two cards."""


class CometFollower:
    """Follows one table; see `readers.Follower`.

    A deck holds each card once. When one is laid that still lies elsewhere as far as is known, it is held back until
    the other is told as gone, which makes it one move, or until it has lain there beside the other for long.
    """

    def __init__(self, namer: PretrainedNumerals, patience: Patience) -> None:
        self._settler = Settler(read_comet, Scattered(), namer, patience)
        self._wait = patience.removal + _SPARE
        self._held: list[tuple[Told, int]] = []
        self._frame = 0

    @property
    def cards(self) -> tuple[SeenCard, ...] | None:
        """See `readers.Follower`."""
        return self._settler.cards

    @property
    def is_quiet(self) -> bool:
        """See `readers.Follower`."""
        return self._settler.is_quiet and not self._held

    @property
    def standing(self) -> dict[str, str]:
        """See `readers.Follower`."""
        return self._settler.standing

    def step(self, bgr: np.ndarray) -> list[Told]:
        """See `readers.Follower`."""
        self._frame += 1
        told: list[Told] = []
        for one in self._settler.step(bgr):
            told += self._said(one)
        ripe = [one for one, since in self._held if self._frame - since >= self._wait]
        self._held = [held for held in self._held if held[0] not in ripe]
        return told + ripe

    def _said(self, one: Told) -> list[Told]:
        """What is told of one thing that settled; nothing of a card that is held back."""
        if one["event"] == "placed" and self._lies_twice(one["values"]):
            self._held.append((one, self._frame))
            return []
        if one["event"] == "removed":
            for held in self._held:
                if held[0]["values"] == one["values"]:
                    self._held.remove(held)
                    return [{**held[0], "event": "moved"}]
        return [one]

    def _lies_twice(self, values: Sequence[int | None] | None) -> bool:
        if values is None or None in values:
            return False
        alike = [card for card in self.cards or () if card.as_json()["values"] == values]
        return len(alike) > 1
