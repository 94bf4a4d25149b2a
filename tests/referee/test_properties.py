"""Whatever is asked, in whatever order, and wherever the power fails: the table is what was confirmed."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import CompanionError, Refusal
from companion.referee.messages import (
    Asked,
    Confirm,
    Correct,
    Do,
    Evidence,
    Message,
    Next,
    Notice,
    Propose,
    Redo,
    Reject,
    Undo,
)
from companion.referee.moves import Change, Line
from companion.referee.past import past_game
from companion.referee.referee import open_table
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Command, Header

HEADER = Header("hexel", ("Ana", "Bo", "Cy"), "36", {"chips": 30})
WALL = "2026-11-21T20:15:00+00:00"

Pick = Callable[[Session], Message]


def legal(session: Session, n: int) -> Command:
    commands = session.game.legal(session.state)
    return commands[n % len(commands)] if commands else {"cmd": "next-game"}


def version(session: Session, n: int) -> int | None:
    return None if n % 3 == 0 else max(0, session.version - n % 3 + 1)


def change(session: Session, n: int) -> Change:
    """Some move replaced, preceded or taken out, sometimes by nonsense, with what may not follow cut off or not."""
    at = 1 + n % (len(session.moves) + 1)
    state = [*session.past, session.state][at - 1]
    commands = session.game.legal(state) or ({"cmd": "next-game"},)
    command = {**commands[n % len(commands)], **({"player": "Zed"} if n % 11 == 0 else {})}
    return Change(at, n // 3 % 2, () if n % 5 == 0 else (command,), cut=n % 2 == 0)


def picked(kind: str, n: int) -> Pick:
    """A message that depends on where the game stands: mostly allowed, sometimes not."""
    picks: dict[str, Pick] = {
        "do": lambda session: Do(legal(session, n), f"key {n}" if n % 2 else None),
        "nonsense": lambda session: Do({"cmd": "hedge", "player": "Bo", "amount": n - 7}),
        "propose": lambda session: Propose(legal(session, n), Evidence(bytes([n % 256]), 0.5)),
        "withdraw": lambda session: Propose(None),
        "confirm": lambda session: Confirm(version(session, n)),
        "reject": lambda session: Reject(version(session, n)),
        "undo": lambda session: Undo(version(session, n)),
        "redo": lambda session: Redo(version(session, n), "Ana"),
        "correct": lambda session: Correct(change(session, n), None, "Bo"),
        "next": lambda session: Next(version(session, n)),
        "notice": lambda session: Notice(f"notice {n % 3}", None if n % 2 else "Please look."),
    }
    return picks[kind]


KINDS = ["do"] * 6 + [
    "nonsense",
    "propose",
    "propose",
    "confirm",
    "confirm",
    "withdraw",
    "reject",
    "undo",
    "undo",
    "redo",
    "redo",
    "correct",
    "correct",
    "correct",
    "next",
    "notice",
]
messages = st.lists(st.builds(picked, st.sampled_from(KINDS), st.integers(0, 2000)), max_size=30)


def stepped(session: Session, message: Message, at_s: float) -> Session:
    with suppress(Refusal):
        for happening in decide(session, Asked(message, at_s, WALL)):
            session = evolve(session, happening)
    return session


def chips(session: Session) -> int:
    view = session.game.view(session.state)
    return sum(seat["chips"] + seat["hedge"] + seat["hand_pot"] for seat in view["players"].values())


@given(messages, st.floats(0.05, 2.0))
def test_no_messages_make_or_lose_a_chip_or_a_state(picks: Sequence[Pick], gap_s: float) -> None:
    session = begin(HEADER, 1)
    for n, pick in enumerate(picks):
        before, session = session, stepped(session, pick(session), n * gap_s)
        assert chips(session) == 90
        assert len(session.moves) == len(session.past)
        assert [move.number for move in session.moves] == list(range(1, len(session.moves) + 1))
        assert session.version >= before.version
        assert (session == before) == (session.version == before.version)


@given(messages)
def test_undoing_leads_through_all_that_was_done_to_the_beginning_and_redoing_back(
    picks: Sequence[Pick],
) -> None:
    session = begin(HEADER, 1)
    done: list[Line] = []
    for n, pick in enumerate(picks):
        before, message = session, pick(session)
        session = stepped(session, message, float(n))
        if session.state_version != before.state_version:
            is_begun = isinstance(message, Next) and not session.moves
            done = [] if is_begun else done[:-1] if isinstance(message, Undo) else [*done, before.line]
    lines = [*done, session.line]
    steps = 0
    while session.can_undo:
        assert session.line == lines[-1 - steps]
        session = stepped(session, Undo(session.version), 1000.0)
        steps += 1
    assert steps == len(done)
    assert session.line == begin(HEADER, 1).line
    for line in lines[len(lines) - steps :]:
        session = stepped(session, Redo(session.version), 1000.0)
        assert session.line == line


@given(messages)
def test_a_session_however_corrected_is_the_one_played_so_from_the_start(picks: Sequence[Pick]) -> None:
    session = begin(HEADER, 1)
    for n, pick in enumerate(picks):
        session = stepped(session, pick(session), float(n))
    again = begin(HEADER, 1)
    for move in session.moves:
        again = stepped(again, Do(move.command), 0.0)
    assert again.state == session.state
    assert [(move.command, move.events) for move in again.moves] == [(m.command, m.events) for m in session.moves]
    assert again.past == session.past


@settings(max_examples=25, deadline=None)
@given(messages, st.data())
def test_wherever_the_journal_is_cut_it_reads_back_as_some_moment_before(
    picks: Sequence[Pick], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, moments = _played(Path(folder), picks)
        whole = path.read_bytes()
        size = data.draw(st.integers(whole.index(b"\n") + 1, len(whole)))
        path.write_bytes(whole[:size])
        confirmed = max((at for at in moments if at <= size), default=0)
        referee = open_table(Path(folder), HEADER, HEADER, wall=lambda: WALL)
        referee.stop()
        session = referee.latest()
        assert (session.state, [m.command for m in session.moves]) == moments[confirmed]
        kept = [move for move in session.moves if move.evidence]
        assert all((path.with_suffix(".evidence") / move.evidence.file).exists() for move in kept)


@settings(max_examples=25, deadline=None)
@given(messages.filter(bool), st.data())
def test_a_changed_byte_is_found_or_changes_nothing(picks: Sequence[Pick], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, _ = _played(Path(folder), picks)
        whole = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] ^= data.draw(st.integers(1, 255))
        path.write_bytes(whole)
        last_line = path.read_bytes().rfind(b"\n", 0, len(whole) - 1) + 1
        try:
            referee = open_table(Path(folder), HEADER, HEADER, wall=lambda: WALL)
        except CompanionError as error:
            assert error.code == "journal-damaged"
        else:
            referee.stop()
            assert at >= last_line  # only the last line's end or a zero in it can be taken for a torn write
            assert "journal-torn" in referee.latest().notices


@settings(max_examples=25, deadline=None)
@given(messages)
def test_the_moves_that_stand_by_the_journal_alone_are_those_the_rules_leave_standing(picks: Sequence[Pick]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, _ = _played(Path(folder), picks)
        game = past_game(path)
        assert game.session is not None
        stood = [(move.command, move.when, move.evidence) for move in game.session.moves]
        assert [(move.command, move.when, move.evidence) for move in game.moves] == stood
        told = [(move.events, known.events) for move, known in zip(game.session.moves, game.moves, strict=True)]
        assert all(known in (events, None) for events, known in told)


def _played(folder: Path, picks: Sequence[Pick]) -> tuple[Path, dict[int, tuple[object, list[Command]]]]:
    """A journal, and what the table was at each size of it that was confirmed."""
    referee = open_table(folder, HEADER, HEADER, press_gap_s=0.0, wall=lambda: WALL)
    path = Path(referee.health()["journal"]["file"])
    moments: dict[int, tuple[object, list[Command]]] = {}
    try:
        referee.start()
        for pick in (lambda session: Notice("begin", None), *picks):
            with suppress(Refusal):
                referee.ask(pick(referee.latest()))
            session = referee.latest()
            moments[path.stat().st_size] = session.state, [move.command for move in session.moves]
    finally:
        referee.stop()
    return path, moments
