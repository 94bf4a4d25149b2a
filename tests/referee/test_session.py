"""What follows from a message: pure, without journal and threads."""

import tracemalloc
from dataclasses import replace

import pytest

from companion.errors import BadHeader, Refusal
from companion.referee.messages import (
    Asked,
    Begin,
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
from companion.referee.moves import Change
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}
BO_STAKES = {"cmd": "stake", "player": "Bo", "amount": 3}


def after(session: Session, *messages: Message, at_s: float = 0.0, gap_s: float = 1.0) -> Session:
    """The session after messages, each coming ``gap_s`` after the one before."""
    for n, message in enumerate(messages):
        for happening in decide(session, Asked(message, at_s + n * gap_s, "now")):
            session = evolve(session, happening)
    return session


def refusal(session: Session, message: Message, at_s: float = 100.0) -> str:
    with pytest.raises(Refusal) as refused:
        decide(session, Asked(message, at_s, "now"))
    return refused.value.code


@pytest.fixture
def staking() -> Session:
    """A table whose line lies."""
    fresh = begin(HEADER, 1)
    return after(fresh, Do(fresh.game.legal(fresh.state)[0]), at_s=-10.0)


def test_a_command_that_the_rules_allow_is_a_move(staking: Session) -> None:
    moved = after(staking, Do(STAKE))
    assert moved.moves[-1].command == STAKE
    assert moved.moves[-1].number == 2
    assert moved.game.view(moved.state)["table"]["stake"] == 3
    assert moved.version == moved.state_version == staking.version + 1


def test_a_command_that_the_rules_refuse_is_refused_by_their_code(staking: Session) -> None:
    assert refusal(staking, Do(BO_STAKES)) == "not-dealer"
    assert refusal(staking, Do({"cmd": "sing"})) == "malformed"
    assert refusal(staking, Do([])) == "malformed"  # type: ignore[arg-type]


def test_what_holds_half_a_character_is_no_move_and_begins_no_game() -> None:
    """The rules look past a body's owner, but no page and no hall could be told of it."""
    tile = {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]], "owner": "\ud800"}
    place = {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": tile}
    session = begin(Header("hexdragon", ("Ana", "Bo")), 1)
    assert refusal(session, Do(place)) == "malformed"
    assert refusal(session, Correct(Change(1, 0, (place,)))) == "malformed"
    assert after(session, Do({**place, "tile": {**tile, "owner": "\U0001f600"}, "note": "\ud800"})).moves
    pots = ["\ud800", "Kinro", "Nivek", "Trinovat", "Vain", "Polos"]
    with pytest.raises(BadHeader):
        after(session, Begin(Header("comet", ("Ana", "Bo"), None, {"pots": pots})))


def test_undo_brings_back_exactly_the_state_before(staking: Session) -> None:
    back = after(staking, Do(STAKE), Undo())
    assert (back.state, back.moves, back.past) == (staking.state, staking.moves, staking.past)
    assert back.version == staking.version + 2


def test_a_long_game_takes_memory_by_its_moves_and_not_by_their_square() -> None:
    def held(moves: int) -> int:
        """The bytes of a session in which everything was taken back and done again."""
        fresh = begin(Header("hexdragon", ("Ana", "Bo")), 1)
        agrees = Do({"cmd": "agree-end", "player": "Ana"})
        tracemalloc.start()
        kept = after(fresh, *[agrees] * moves, *[Undo()] * moves, *[Redo()] * moves)
        size: int = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(kept.moves) == moves
        return size

    assert held(800) < 6 * held(200)


def test_nothing_can_be_taken_back_at_the_beginning(staking: Session) -> None:
    fresh = after(staking, Undo())
    assert not fresh.can_undo
    assert refusal(fresh, Undo()) == "nothing-to-undo"


def test_a_proposal_says_what_it_would_cause(staking: Session) -> None:
    proposal = after(staking, Propose(STAKE, Evidence(b"", 0.9))).proposal
    assert proposal is not None
    assert proposal.refusal is None
    assert proposal.events[0]["event"] == "stake-set"
    assert proposal.confidence == 0.9


def test_a_proposal_that_the_rules_refuse_waits_with_its_reason(staking: Session) -> None:
    waiting = after(staking, Propose(BO_STAKES))
    assert waiting.proposal is not None
    assert waiting.proposal.refusal is not None
    assert waiting.proposal.refusal["code"] == "not-dealer"
    assert refusal(waiting, Confirm()) == "not-dealer"


def test_a_proposal_is_judged_anew_when_the_table_changes(staking: Session) -> None:
    hedge = {"cmd": "hedge", "player": "Bo", "amount": 6}
    early = after(staking, Propose(hedge))
    assert early.proposal is not None
    assert early.proposal.refusal is not None
    later = after(early, Do(STAKE))
    assert later.proposal is not None
    assert later.proposal.refusal is None
    assert later.proposal.version == later.version


def test_confirming_makes_the_proposal_a_move(staking: Session) -> None:
    confirmed = after(staking, Propose(STAKE), Confirm())
    assert confirmed.moves[-1].command == STAKE
    assert confirmed.proposal is None


def test_rejecting_drops_the_proposal_and_nothing_else(staking: Session) -> None:
    rejected = after(staking, Propose(STAKE), Reject())
    assert rejected.proposal is None
    assert rejected.state == staking.state


def test_the_same_player_entering_the_move_by_hand_settles_the_proposal(staking: Session) -> None:
    corrected = after(staking, Propose(STAKE), Do({**STAKE, "amount": 5}))
    assert corrected.proposal is None
    assert len(corrected.moves) == 2


def test_proposing_the_same_again_is_no_news(staking: Session) -> None:
    waiting = after(staking, Propose(STAKE))
    assert after(waiting, Propose(dict(STAKE))) == waiting


def test_the_camera_can_withdraw_what_it_proposed(staking: Session) -> None:
    assert after(staking, Propose(STAKE), Propose(None)).proposal is None
    assert after(staking, Propose(None)) == staking


@pytest.mark.parametrize("message", [Confirm(), Reject()])
def test_without_a_proposal_there_is_nothing_to_answer(staking: Session, message: Message) -> None:
    assert refusal(staking, message) == "nothing-waiting"


def test_a_press_soon_after_a_change_is_taken_for_a_bounce(staking: Session) -> None:
    waiting = after(staking, Propose(STAKE), at_s=5.0)
    assert after(waiting, Confirm(), at_s=5.29) == waiting
    assert after(waiting, Confirm(), at_s=5.31) != waiting


def test_a_double_press_confirms_once_and_harms_nothing(staking: Session) -> None:
    once = after(staking, Propose(STAKE), Confirm())
    assert after(once, Confirm(), Undo(), Next(), Reject(), at_s=1.05, gap_s=0.05) == once


def test_a_hand_in_the_picture_makes_no_press_stale(staking: Session) -> None:
    waiting = after(staking, Propose(STAKE))
    noticed = after(waiting, Notice("hand", "A hand rests on the table."))
    assert noticed.version == waiting.version + 1
    assert after(noticed, Confirm(waiting.version)).moves[-1].command == STAKE


def test_an_answer_to_an_earlier_proposal_is_stale(staking: Session) -> None:
    first = after(staking, Propose(BO_STAKES))
    second = after(first, Propose(STAKE))
    assert refusal(second, Confirm(first.version)) == "stale"
    assert refusal(second, Reject(first.version)) == "stale"
    assert refusal(second, Confirm(second.version + 1)) == "stale"


def test_two_phones_that_confirm_at_once_make_one_move(staking: Session) -> None:
    waiting = after(staking, Propose(STAKE))
    once = after(waiting, Confirm(waiting.version))
    assert refusal(once, Confirm(waiting.version)) == "stale"


def test_two_phones_that_undo_at_once_take_back_one_move(staking: Session) -> None:
    moved = after(staking, Do(STAKE))
    once = after(moved, Undo(moved.version))
    assert refusal(once, Undo(moved.version)) == "stale"


def test_a_phone_may_press_at_once(staking: Session) -> None:
    waiting = after(staking, Propose(STAKE), at_s=5.0)
    assert after(waiting, Confirm(waiting.version), at_s=5.01).proposal is None


def test_notices_come_change_and_go(staking: Session) -> None:
    hand = Notice("hand", "A hand rests on the table.", (0.5, 0.5))
    noticed = after(staking, hand)
    assert noticed.notices == {"hand": hand}
    assert after(noticed, hand) == noticed
    assert after(noticed, Notice("hand", None)).notices == {}
    assert after(staking, Notice("hand", None)) == staking


def test_next_passes_while_one_plays(staking: Session) -> None:
    hedges = [Do({"cmd": "hedge", "player": name, "amount": 0}) for name in ("Ana", "Bo")]
    playing = after(staking, Do(STAKE), *hedges)
    assert after(playing, Next(), at_s=10.0).moves[-1].command == {"cmd": "pass", "player": "Ana"}


def test_next_has_nothing_to_move_on_where_a_choice_is_due(staking: Session) -> None:
    assert refusal(staking, Next()) == "nothing-next"


def test_next_never_agrees_to_end_a_game_that_can_go_on() -> None:
    assert refusal(begin(Header("hexdragon", ("Ana", "Bo")), 1), Next()) == "nothing-next"


def test_next_takes_a_game_of_which_nobody_has_the_turn_from_round_to_round() -> None:
    session = after(begin(Header("comet", ("Ana", "Bo")), 1), Next(), Next(), Next())
    assert [move.command["cmd"] for move in session.moves] == ["round", "reveal", "round"]
    assert session.moves[-1].command["player"] == "Bo"


def test_next_begins_the_same_game_anew_when_it_is_over_for_good() -> None:
    passes = [Do({"cmd": "pass", "player": name}) for name in ("Ana", "Bo")]
    begun = after(begin(Header("hexapod", ("Ana", "Bo")), 1), *passes, Next())
    assert begun.header.players == ("Ana", "Bo")
    assert begun.moves == ()
    assert begun.game.view(begun.state)["phase"] == "play"


def test_begin_puts_another_game_on_the_table(staking: Session) -> None:
    noticed = after(staking, Notice("hand", "A hand rests on the table."))
    begun = after(noticed, Begin(Header("hexel", ("Cy",), "46", {})))
    assert begun.header.players == ("Cy",)
    assert not begun.can_undo
    assert begun.version == noticed.version + 1
    assert "hand" in begun.notices


def test_a_header_that_describes_no_game_begins_none(staking: Session) -> None:
    with pytest.raises(BadHeader):
        decide(staking, Asked(Begin(Header("hexel", ("Ana",), "36", {"chips": 0})), 0.0, "now"))


def test_an_answer_to_a_key_is_remembered_over_an_undo(staking: Session) -> None:
    moved = after(staking, Do(STAKE, "press-1"))
    assert after(moved, Undo()).answered["press-1"].events == moved.moves[-1].events


def test_deciding_changes_nothing(staking: Session) -> None:
    before = replace(staking)
    decide(staking, Asked(Do(STAKE), 0.0, "now"))
    assert staking == before
