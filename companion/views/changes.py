"""Sentences for what a correction changed: the difference between the moves before and after it."""

import json
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from companion.referee.moves import Amendment, Move
from companion.rules.engine import Event
from companion.views.phrases import instead, no_longer, sentence, sentences
from companion.views.words import phrase

OPERATOR, PHONE = "the operator", "a phone"
"""What a journal calls whoever changed moves without a seat: the operator, or at a table without one any phone."""
_UNSEATED = {OPERATOR: "by-operator", PHONE: "by-phone"}


def changes(was: Sequence[Move], now: Sequence[Move]) -> tuple[str, ...]:
    """Sentences for the difference, in the order of the moves; moves that caused the same again are not mentioned."""
    lines: list[str] = []
    pairs = SequenceMatcher(None, _keys(was), _keys(now), autojunk=False)
    for _, a, b, c, d in pairs.get_opcodes():
        both = min(b - a, d - c)
        for old, new in zip(was[a : a + both], now[c : c + both], strict=True):
            lines += _between(old, new)
        lines += [no_longer(event) for move in was[a + both : b] for event in move.events]
        lines += [line for move in now[c + both : d] for line in sentences(move.events)]
    return tuple(lines)


def amendment_as_json(amendment: Amendment) -> dict[str, Any]:
    """A time that moves were changed, as the page shows it."""
    first, by = (*amendment.now, *amendment.was)[:1], amendment.by
    return {
        "version": amendment.version,
        "did": amendment.did,
        "by": phrase("changes", _UNSEATED[by]) if by in _UNSEATED else by,
        "when": amendment.when,
        "at": first[0].number if first else 1,
        "said": list(changes(amendment.was, amendment.now)),
    }


def _keys(moves: Sequence[Move]) -> list[str]:
    return [json.dumps(dict(move.command), sort_keys=True) for move in moves]


def _between(old: Move, new: Move) -> list[str]:
    """The difference of one move: first what it is now called, then what else came of it or no longer does."""
    if list(old.events) == list(new.events):
        same_words = dict(old.command) == dict(new.command)
        return [] if same_words or not new.events else [instead(old.events, new.events)]
    lines = []
    gone, come = list(old.events), list(new.events)
    if gone and come and gone[0] != come[0]:
        lines = [instead(gone, come)]
        gone, come = gone[1:], come[1:]
    return [*lines, *(no_longer(event) for event in _without(gone, come)), *(sentence(e) for e in _without(come, gone))]


def _without(events: Sequence[Event], others: Sequence[Event]) -> list[Event]:
    """The events whose sentences the others do not say as well."""
    left = Counter(sentences(others))
    kept = []
    for event in events:
        if left[sentence(event)]:
            left[sentence(event)] -= 1
        else:
            kept.append(event)
    return kept
