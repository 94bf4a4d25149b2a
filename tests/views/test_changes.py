"""What a correction changed, in words: the changes and only the changes."""

from typing import Any

from companion.referee.moves import Move, amendment
from companion.referee.session import Session, begin
from companion.rules.engine import Header
from companion.views.changes import amendment_as_json, changes


def move(n: int, *events: dict[str, Any], **command: Any) -> Move:
    return Move(n, {"cmd": "place", "n": n, **command}, events, "now")


def placed(player: str, call: str, matched: int) -> dict[str, Any]:
    return {"event": "placed", "player": player, "cell": [0, 0], "matched": matched, "call": call}


BO_PAYS = {"event": "insurance", "from": "Bo", "to": "Ana", "amount": 3}
CY_PAYS = {"event": "insurance", "from": "Cy", "to": "Ana", "amount": 6}


def test_a_call_that_was_wrong_is_told_with_what_follows_from_it() -> None:
    was = [move(5, placed("Bo", "Hexel", 2), edges="misread")]
    now = [move(5, placed("Bo", "Hexba", 1), BO_PAYS)]
    assert changes(was, now) == ("Bo's card is Hexba, not Hexel.", "Bo pays Ana 3.")


def test_a_payment_that_was_not_due_is_taken_back() -> None:
    was = [move(5, placed("Bo", "Hexba", 1), BO_PAYS, edges="misread")]
    now = [move(5, placed("Bo", "Hexel", 2))]
    assert changes(was, now) == ("Bo's card is Hexel, not Hexba.", "Taken back: Bo pays Ana 3.")


def test_later_moves_are_told_only_where_they_came_out_otherwise() -> None:
    later, same = move(6, placed("Cy", "Hexba", 1)), move(7, placed("Ana", "Hexel", 2))
    was = [move(5, placed("Bo", "Hexba", 1), edges="misread"), later, same]
    now = [move(5, placed("Bo", "Hexel", 2)), move(6, placed("Cy", "Hexba", 1), CY_PAYS), same]
    assert changes(was, now) == ("Bo's card is Hexel, not Hexba.", "Cy pays Ana 6.")


def test_a_move_put_in_moves_the_others_without_a_word() -> None:
    stays = move(5, placed("Bo", "Hexel", 2))
    put_in = Move(5, {"cmd": "pass", "player": "Ana"}, ({"event": "passed", "player": "Ana"},), "now")
    moved = Move(6, stays.command, stays.events, "now")
    assert changes([stays], [put_in, moved]) == ("Ana passes.",)
    assert changes([put_in, moved], [stays]) == ("Taken back: Ana passes.",)


def test_another_card_with_the_same_call_is_told_too() -> None:
    was, now = [move(5, placed("Bo", "Hexel", 2), edges="a")], [move(5, placed("Bo", "Hexel", 2), edges="b")]
    assert changes(was, now) == ("Bo's card is another, and still Hexel.",)


def test_another_player_another_amount() -> None:
    was, now = [move(5, placed("Bo", "Hexel", 2), player="Bo")], [move(5, placed("Ana", "Hexel", 2), player="Ana")]
    assert changes(was, now) == ("It was Ana, not Bo: Hexel.",)
    staked = {"event": "hedged", "player": "Bo", "amount": 6}
    assert changes([move(3, staked, amount=6)], [move(3, {**staked, "amount": 9}, amount=9)]) == (
        "Bo hedges 9, not 6.",
    )


def test_nothing_changed_is_nothing_said() -> None:
    same = [move(5, placed("Bo", "Hexel", 2))]
    assert changes(same, same) == changes([], []) == ()


def test_an_amendment_is_shown_with_its_place_and_author() -> None:
    session: Session = begin(Header("hexel", ("Ana", "Bo")), 1)
    line = session.line
    shown = amendment_as_json(amendment(line, line, 9, "undo", "Ana", "now"))
    assert (shown["at"], shown["by"], shown["said"]) == (1, "Ana", [])
