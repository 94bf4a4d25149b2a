"""Putting moves right that stand: what follows is judged anew, nothing is lost, and a restart knows it too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.errors import JournalError, Refusal
from companion.referee.journal import Journal
from companion.referee.lines import line
from companion.referee.messages import Asked, Begin, Confirm, Correct, Do, Evidence, Message, Propose, Redo, Undo
from companion.referee.moves import Change
from companion.referee.referee import Referee
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}
HEDGES = ({"cmd": "hedge", "player": "Ana", "amount": 6}, {"cmd": "hedge", "player": "Bo", "amount": 9})
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
HEXBA = {"cmd": "place", "player": "Bo", "cell": [2, -1], "edges": ["void", "void", "void", "void", "red", "void"]}
ANA_PASSES = {"cmd": "pass", "player": "Ana"}
PLAYED = (LINE, STAKE, *HEDGES, HEXEL, HEXBA, ANA_PASSES)


def after(session: Session, *messages: Message) -> Session:
    for message in messages:
        for happening in decide(session, Asked(message, session.changed_at_s + 1 if session.moves else 0.0, "later")):
            session = evolve(session, happening)
    return session


def played(*commands: dict[str, Any]) -> Session:
    return after(begin(HEADER, 1), *(Do(command) for command in commands))


def chips(session: Session) -> dict[str, tuple[int, int]]:
    players = session.game.view(session.state)["players"]
    return {name: (seat["chips"], seat["hedge"]) for name, seat in players.items()}


def refusal(session: Session, message: Message) -> Refusal:
    with pytest.raises(Refusal) as refused:
        decide(session, Asked(message, 0.0, "later"))
    return refused.value


def test_a_corrected_stake_is_as_if_it_had_been_set_so() -> None:
    staked = {**STAKE, "amount": 1}
    corrected = after(played(*PLAYED), Correct(Change(2, 1, (staked,)), by="Bo"))
    right = played(LINE, staked, *PLAYED[2:])
    assert (corrected.state, corrected.past) == (right.state, right.past)
    assert [move.events for move in corrected.moves] == [move.events for move in right.moves]
    assert chips(corrected) != chips(played(*PLAYED))


def test_a_later_move_that_the_rules_no_longer_allow_refuses_the_correction_and_names_it() -> None:
    session = played(*PLAYED)
    refused = refusal(session, Correct(Change(5, 1, (ANA_PASSES, {**HEXEL, "player": "Bo"}))))
    assert refused.code == "does-not-follow"
    assert refused.fields["move"] == 6
    assert refused.fields["refusal"]["code"] == "not-your-turn"


def test_asked_to_it_takes_back_what_no_longer_follows() -> None:
    change = Change(5, 1, (ANA_PASSES, {**HEXEL, "player": "Bo"}), cut=True)
    cut = after(played(*PLAYED), Correct(change))
    assert [move.command for move in cut.moves[4:]] == [ANA_PASSES, {**HEXEL, "player": "Bo"}]
    assert cut.amendments[-1].was == played(*PLAYED).moves[4:]


def test_a_forgotten_move_is_put_in_and_a_wrong_one_taken_out() -> None:
    bo_passes = {"cmd": "pass", "player": "Bo"}
    session = played(*PLAYED[:5], bo_passes)
    more = after(session, Correct(Change(6, 0, (HEXBA, ANA_PASSES))))
    assert [move.command for move in more.moves[5:]] == [HEXBA, ANA_PASSES, bo_passes]
    assert [move.number for move in more.moves] == list(range(1, 9))
    less = after(more, Correct(Change(6, 2, ())))
    assert less.state == session.state


def test_a_correction_that_the_rules_refuse_changes_nothing() -> None:
    session = played(*PLAYED)
    assert refusal(session, Correct(Change(2, 1, ({**STAKE, "player": "Bo"},)))).code == "not-dealer"
    assert refusal(session, Correct(Change(2, 1, (STAKE,)))).code == "nothing-changed"
    assert refusal(session, Correct(Change(2, 0, ()))).code == "nothing-changed"
    assert refusal(session, Correct(Change(2, 1, (7,)))).code == "malformed"  # type: ignore[arg-type]
    for at, replaced in ((0, 1), (8, 1), (9, 0), (-1, 1), (3, -1), (6, 3)):
        assert refusal(session, Correct(Change(at, replaced, (STAKE,)))).code == "no-such-move"


def test_two_phones_that_correct_at_once_correct_once() -> None:
    session = played(*PLAYED)
    change = Change(2, 1, ({**STAKE, "amount": 1},))
    once = after(session, Correct(change, session.version))
    assert refusal(once, Correct(Change(2, 1, (STAKE,)), session.version)).code == "stale"


def test_undo_takes_a_correction_back_and_redo_brings_it_again() -> None:
    session = played(*PLAYED)
    corrected = after(session, Correct(Change(2, 1, ({**STAKE, "amount": 1},))))
    back = after(corrected, Undo())
    assert back.line == session.line
    assert after(back, Redo()).line == corrected.line
    assert after(corrected, Undo(), Undo()).line == played(*PLAYED[:-1]).line


def test_what_was_taken_back_cannot_be_done_again_once_something_else_was() -> None:
    back = after(played(*PLAYED), Undo())
    assert back.can_redo
    other = after(back, Do(ANA_PASSES))
    assert not other.can_redo
    assert refusal(other, Redo()).code == "nothing-to-redo"
    assert not after(back, Correct(Change(2, 1, ({**STAKE, "amount": 1},)))).can_redo


def test_nothing_is_erased_the_session_remembers_what_was_and_by_whom() -> None:
    session = after(played(*PLAYED), Correct(Change(2, 1, ({**STAKE, "amount": 1},)), by="Bo"), Undo(by="Ana"), Redo())
    assert [(done.did, done.by) for done in session.amendments] == [("correct", "Bo"), ("undo", "Ana"), ("redo", None)]
    assert session.amendments[0].was[0].command == STAKE
    assert session.amendments[0].now[0].command["amount"] == 1


def test_a_waiting_proposal_is_judged_anew() -> None:
    session = after(played(*PLAYED[:5]), Propose(HEXBA))
    assert session.proposal is not None and session.proposal.refusal is None
    change = Change(5, 1, ({**HEXEL, "player": "Bo"},))
    with pytest.raises(Refusal, match="turn"):
        after(session, Correct(change))
    waiting = after(session, Correct(Change(5, 1, ()))).proposal
    assert waiting is not None and waiting.refusal is not None


@pytest.fixture
def table(open_referee: Callable[..., Referee]) -> Callable[[], Referee]:
    return lambda: open_referee(HEADER)


def test_a_restart_knows_corrections_and_what_may_be_done_again(table: Callable[[], Referee]) -> None:
    referee = table()
    for message in (
        *(Do(command) for command in PLAYED),
        Correct(Change(2, 1, ({**STAKE, "amount": 1},)), None, "Bo"),
    ):
        referee.ask(message)
    for _ in range(2):
        referee.ask(Undo(referee.latest().version, "Ana"))
    before = referee.latest()
    referee.stop()
    again = table().latest()
    assert [done.did for done in again.amendments] == ["correct", "undo", "undo"]
    for field in ("state", "past", "moves", "done", "undone", "amendments"):
        assert getattr(again, field) == getattr(before, field), field


def test_a_corrected_move_keeps_its_picture(table: Callable[[], Referee]) -> None:
    referee = table()
    for command in PLAYED[:5]:
        referee.ask(Do(command))
    referee.ask(Propose(HEXBA, Evidence(b"picture", 0.7)))
    referee.ask(Confirm(referee.latest().version))
    turned = {**HEXBA, "edges": ["void", "void", "void", "void", "red", "red"]}
    referee.ask(Correct(Change(6, 1, (turned,))))
    assert referee.evidence(6) == b"picture"
    kept = referee.latest().moves[5].evidence
    assert kept is not None and kept.confidence == 0.7


def test_rules_that_judge_a_correction_otherwise_stop_the_reading(table: Callable[[], Referee], tmp_path: Path) -> None:
    referee = table()
    for command in PLAYED:
        referee.ask(Do(command))
    referee.ask(Correct(Change(2, 1, ({**STAKE, "amount": 1},))))
    referee.stop()
    path = Path(referee.health()["journal"]["file"])
    lines = path.read_bytes().splitlines(keepends=True)
    body = json.loads(lines[-1])
    del body["crc"]
    path.write_bytes(b"".join(lines[:-1]) + line({**body, "sha256": "0" * 64}))
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="the correction of move 2"):
        journal.reopen("now")
    journal.close()


def test_another_game_begins_with_nothing_to_take_back() -> None:
    begun = after(played(*PLAYED), Undo(), Begin(HEADER))
    assert not begun.can_undo and not begun.can_redo and begun.amendments == ()
