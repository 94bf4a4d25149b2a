"""The referee's thread: who asks gets the answer, everybody hears it, nobody can hold it up."""

import threading
from collections.abc import Callable

import pytest

from companion.errors import BadHeader, Refusal, TableError
from companion.games.hexel.rules.game import legal, start
from companion.referee import referee as referees
from companion.referee.messages import Begin, Confirm, Do, Evidence, Notice, Propose, Reject
from companion.referee.referee import Referee
from companion.rules.engine import Header

LINE = legal(start(Header("hexel", ("Ana", "Bo"), "36", {})))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}
Open = Callable[..., Referee]


def test_whoever_asks_gets_the_events(referee: Referee) -> None:
    answer = referee.ask(Do(LINE))
    assert answer.events[0]["event"] == "line-laid"
    assert answer.version == referee.latest().version


def test_a_refusal_goes_to_whoever_asked_and_is_told_and_changes_nothing(referee: Referee) -> None:
    listener, before = referee.feed.subscribe(), referee.latest()
    with pytest.raises(Refusal) as refused:
        referee.ask(Do(STAKE))
    assert refused.value.code == "wrong-phase"
    told = listener.next(5)
    assert (told.kind, told.version, told.data["refused"]["code"]) == ("announcement", before.version, "wrong-phase")
    assert referee.latest() is before


def test_what_happens_is_told_once_each_version(referee: Referee) -> None:
    listener = referee.feed.subscribe()
    referee.ask(Propose(LINE))
    referee.ask(Confirm(referee.latest().version))
    referee.ask(Notice("hand", "A hand rests on the table."))
    told = [listener.next(5) for _ in range(3)]
    assert [t.data.get("because", t.kind) for t in told] == ["proposed", "moved", "notice"]
    assert [t.version for t in told] == [2, 3, 4]
    assert [t.session.version for t in told] == [2, 3, 4]
    assert told[1].data["move"] == 1
    assert told[1].data["command"] == LINE


def test_a_bad_header_is_told_to_whoever_asked(referee: Referee) -> None:
    with pytest.raises(BadHeader):
        referee.ask(Begin(Header("hexel", ("Ana",), "36", {"chips": 0})))
    assert referee.latest().header.players == ("Ana", "Bo")


def test_the_same_key_again_gets_the_first_answer(referee: Referee) -> None:
    assert referee.ask(Do(LINE, "k")) == referee.ask(Do(LINE, "k"))
    assert len(referee.latest().moves) == 1


def test_a_refused_press_may_be_pressed_again_with_its_key(referee: Referee) -> None:
    with pytest.raises(Refusal):
        referee.ask(Do(STAKE, "k"))
    referee.ask(Do(LINE))
    referee.ask(Do(STAKE, "k"))
    assert len(referee.latest().moves) == 2


def test_the_picture_goes_with_its_proposal(referee: Referee) -> None:
    referee.ask(Propose(LINE, Evidence(b"picture", 0.5)))
    assert referee.proposal_evidence() == b"picture"
    referee.ask(Notice("hand", "A hand rests on the table."))
    assert referee.proposal_evidence() == b"picture"
    referee.ask(Reject(referee.latest().version))
    assert referee.proposal_evidence() is None


def test_a_move_entered_by_hand_has_no_picture(referee: Referee) -> None:
    referee.ask(Propose({**LINE, "cards": []}, Evidence(b"misread", 0.5)))
    referee.ask(Do(LINE))
    assert referee.evidence(1) is None


def test_presses_from_many_threads_are_carried_out_one_by_one(referee: Referee) -> None:
    referee.ask(Do(LINE))
    outcomes: list[str] = []

    def press() -> None:
        try:
            referee.ask(Do(STAKE))
            outcomes.append("moved")
        except Refusal as refusal:
            outcomes.append(refusal.code)

    threads = [threading.Thread(target=press) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(outcomes) == ["moved"] + ["wrong-phase"] * 7


def test_a_stopped_referee_answers_what_was_asked_and_turns_the_rest_away(referee: Referee) -> None:
    for amount in range(20):
        referee.notify(Propose({**STAKE, "amount": amount}))
    referee.stop()
    assert referee.latest().proposal.command["amount"] == 19
    for ask in (referee.ask, referee.notify):
        with pytest.raises(TableError, match="closing"):
            ask(Do(LINE))


def test_stopping_ends_every_subscription(referee: Referee) -> None:
    listener = referee.feed.subscribe()
    referee.stop()
    assert listener.next(30) is None
    assert listener.is_closed


def test_a_referee_that_nobody_started_is_too_busy_sooner_or_later(
    open_referee: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referees.Referee, "start", lambda self: None)
    monkeypatch.setattr(referees, "QUEUE", 2)
    idle = open_referee()
    with pytest.raises(TableError, match="did not answer"):
        idle.ask(Do(LINE), timeout=0)
    idle.notify(Do(LINE))
    with pytest.raises(TableError, match="too busy"):
        idle.notify(Do(LINE))
    assert not idle.health()["ok"]


def test_a_bug_after_the_decision_ends_the_process(open_referee: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    bugs: list[BaseException | None] = []

    def on_bug() -> None:
        bugs.append(referees.sys.exc_info()[1])
        ended.set()

    referee = open_referee(on_bug=on_bug)
    monkeypatch.setattr(referees, "evolve", lambda session, happening: 1 // 0)
    referee.notify(Do(LINE))
    assert ended.wait(5)
    assert isinstance(bugs[0], ZeroDivisionError)


def test_a_well_referee_says_so(referee: Referee) -> None:
    health = referee.health()
    assert health["ok"]
    assert health["journal"]["ok"]
    assert health["journal"]["lines"] == 1
