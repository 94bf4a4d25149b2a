"""The legality of moves in Hexapod: the refusals of the rules page; legal moves for bots
and hints; and the move that explains a change on the table.

Source: the rules page Hexapod, "A turn", conditions 1 to 4, and "Exactly".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from companion.errors import Refusal
from companion.games.hexapod.rules.cases import KINDS, SIDE, SINGLES, Card, Case, Place, card_cells, read_card
from companion.games.hexapod.rules.state import Seat, State
from companion.rules.engine import Command, Seen

SPIDER = "spider"
"""The Spider's kind in a reading."""

_PLACES_LISTED = 16
_CORNERS: tuple[Place, ...] = tuple(product(range(SIDE), range(SIDE)))
_PLAIN: tuple[dict[Place, str], ...] = tuple(dict.fromkeys(_CORNERS, kind) for kind in SINGLES)
_BIG: tuple[dict[Place, str], ...] = (
    {(0, 0): "stag", (1, 0): "stag"},
    {(0, 1): "stag", (1, 1): "stag"},
    {(0, 0): "moth", (0, 1): "moth"},
    {(1, 0): "moth", (1, 1): "moth"},
)
_RESTS = (*_PLAIN, *(plain | big for plain, big in zip(_PLAIN, _BIG, strict=False)))
"""The other cells of an example card, beside the required ones."""


def require_laying(case: Case, place: Place, card: Card | None) -> Card:
    """The card, if it may be laid with its top left cell at a place; None is refused as `bad-card`."""
    if card is None:
        raise Refusal(
            "bad-card", f"no such card: it shows {', '.join(KINDS)}, a stag tall over two cells, a moth wide over two"
        )
    if not case.holds(place):
        size = f"{case.rows} rows and {case.cols} columns"
        raise Refusal("out-of-case", f"a card at row {place[0] + 1}, column {place[1] + 1} leaves the case of {size}")
    if case.lying and not case.covered(place, card):
        raise Refusal("no-match", "no insect of the card directly covers one of its own kind")
    _require_dung(case.dung_covered(place, card))
    half = case.half_covered(place)
    if half is not None:
        message = f"the {half.kind} at {_at(half.cells)} would be covered in part; cover all of it or none"
        raise Refusal("half-covered", message, kind=half.kind, cells=[list(cell) for cell in half.cells])
    return card


def may_be_laid(case: Case, place: Place, card: Card) -> bool:
    """Whether the rules allow the card there."""
    try:
        require_laying(case, place, card)
    except Refusal:
        return False
    return True


def _require_dung(cells: Iterable[Place]) -> None:
    dung = list(cells)
    if dung:
        message = f"the dung beetle at {_at(dung)} may only be covered by a dung beetle"
        raise Refusal("dung-covered", message, cells=[list(cell) for cell in dung])


def _at(cells: Iterable[Place]) -> str:
    """Places in a sentence, counted from 1 as players count.

    >>> _at([(0, 1), (1, 1)])
    'row 1, column 2 and row 2, column 2'
    """
    return " and ".join(f"row {row + 1}, column {col + 1}" for row, col in cells)


def legal(state: State) -> tuple[Command, ...]:
    """Commands that would be accepted now, enough for a random player to play whole games.

    `end` where it is allowed, `pass`, `coin`, `spider`; and plays. Hands are unseen, so for every place that touches
    what lies there, or a few of an empty case, the plays are those of the cards that leave what they must and carry one
    kind in all other cells, or a stag or a moth beside it. For a card known by its face see `placements`.
    """
    if state.phase == "over":
        return ()
    mover = state.mover
    names = [
        *(["end"] if state.can_end else []),
        "pass",
        *(["coin"] if mover.coins and not state.has_spent else []),
        *([] if state.has_spider else ["spider"]),
    ]
    plays = [
        play_command(mover.name, place, card)
        for place in _likely_places(mover.case)
        for card in _likely_cards(mover.case, place)
        if may_be_laid(mover.case, place, card)
    ]
    return (*({"cmd": name, "player": mover.name} for name in names), *plays)


def next_step(state: State) -> Command | None:
    """The end of the turn where it is allowed, else a pass."""
    if state.phase == "over":
        return None
    return {"cmd": "end" if state.can_end else "pass", "player": state.mover.name}


def placements(state: State, cells: Sequence[Sequence[str]]) -> tuple[Command, ...]:
    """Every placement of a card of these kinds by the player whose turn it is; empty for kinds of no card."""
    card = read_card(cells)
    if card is None or state.phase == "over":
        return ()
    case = state.mover.case
    return tuple(
        play_command(state.mover.name, place, card) for place in case.windows() if may_be_laid(case, place, card)
    )


def interpret(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """The commands that explain a change on the table, legal ones first.

    ``before`` and ``after`` map players to the kinds in their cases, ``{"Ana": [["blue", None, ...], ...], ...}``, with
    None for an empty or unread cell; and None to the loose cards, each as 2 × 2 kinds.

    A card covers every changed cell, and its four cells are all read. Where it covers an equal insect nothing changes,
    so several places may fit: legal ones come first, but a refused one is proposed too, because the refusal says why.
    The case belongs to the player who laid the card. A Spider that appears, in a case or loose, is `spider`, before all
    others. Coins are not seen.
    """
    if state.phase == "over":
        return ()
    spider = [{"cmd": "spider", "player": state.mover.name}] if _is_spider_new(state, before, after) else []
    seats = [state.mover, state.opponent]
    plays = [play for seat in seats for play in _plays(seat, before.get(seat.name), after.get(seat.name))]
    return (*spider, *sorted(plays, key=lambda command: not _is_legal(state, command)))


def play_command(player: str, place: Place, card: Card) -> Command:
    """The command that lays a card with its top left cell at a place."""
    return {"cmd": "play", "player": player, "row": place[0], "col": place[1], "card": {"cells": card_cells(card)}}


def _likely_places(case: Case) -> tuple[Place, ...]:
    """The places at which a card covers something; in an empty case the first few."""
    if not case.lying:
        return case.windows()[:_PLACES_LISTED]
    over = {(row - r, col - c) for row, col in case.lying for r, c in _CORNERS}
    return tuple(place for place in sorted(over) if case.holds(place))


def _is_legal(state: State, command: Command) -> bool:
    card = read_card(command["card"]["cells"])
    is_movers = command["player"] == state.mover.name
    return is_movers and card is not None and may_be_laid(state.mover.case, (command["row"], command["col"]), card)


def _likely_cards(case: Case, place: Place) -> tuple[Card, ...]:
    """Example cards that may fit: they keep one insect and all dung there; the rest is one kind, a stag or a moth."""
    if case.half_covered(place) is not None:
        return ()
    under = {corner: _moved(corner, place) for corner in _CORNERS}
    insects = dict.fromkeys(case.lying[cell] for cell in under.values() if cell in case.lying)
    kept = [{corner: one.kind for corner, cell in under.items() if cell in one.cells} for one in insects] or [{}]
    dung = {corner: "dung" for corner, cell in under.items() if case.kind(cell) == "dung"}
    shown = dict.fromkeys(tuple(({**rest, **keep, **dung}).items()) for keep in kept for rest in _RESTS)
    cards = (_card_of(kinds) for kinds in shown)
    return tuple(dict.fromkeys(card for card in cards if card is not None))


@lru_cache(maxsize=4096)
def _card_of(kinds: tuple[tuple[Place, str], ...]) -> Card | None:
    return read_card(_square(dict(kinds)))


def _square(kinds: Mapping[Place, str | None]) -> list[list[str | None]]:
    return [[kinds[row, col] for col in range(SIDE)] for row in range(SIDE)]


def _plays(seat: Seat, before: Any, after: Any) -> Iterator[Command]:
    """The plays that explain one case's change: for each place that covers all changed cells, the card shown there."""
    was, now = _read_cells(before), _read_cells(after)
    changed = {cell for cell, kind in now.items() if kind not in (seat.case.kind(cell), was.get(cell), SPIDER)}
    for place in seat.case.windows() if changed else ():
        under = {corner: _moved(corner, place) for corner in _CORNERS}
        card = read_card(_square({corner: now.get(cell) for corner, cell in under.items()}))
        if card is not None and changed.issubset(under.values()):
            yield play_command(seat.name, place, card)


def _read_cells(rows: Any) -> dict[Place, str]:
    """The kinds that were read in a case, by cell."""
    return {(r, c): kind for r, row in enumerate(rows or ()) for c, kind in enumerate(row) if kind is not None}


def _is_spider_new(state: State, before: Seen, after: Seen) -> bool:
    return not state.has_spider and not _shows_spider(before) and _shows_spider(after)


def _shows_spider(seen: Seen) -> bool:
    """Whether the Spider shows in a case, or on a loose card."""
    loose = seen.get(None) or ()
    cases = [rows for name, rows in seen.items() if name is not None]
    return any(SPIDER in _read_cells(rows).values() for rows in (*cases, *loose))


def _moved(corner: Place, place: Place) -> Place:
    return corner[0] + place[0], corner[1] + place[1]
