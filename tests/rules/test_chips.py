import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.chips import Chips


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 50)),
    st.sampled_from("abcd"),
    st.sampled_from("abcd"),
    st.integers(-5, 60),
)
def test_a_move_keeps_the_sum_or_does_not_happen(pots, source, target, amount):
    chips = Chips.given(pots)
    if not 0 <= amount <= chips[source]:
        with pytest.raises(ValueError, match="cannot be taken"):
            chips.moved(amount, source, target)
        return
    after = chips.moved(amount, source, target)
    assert after.total == chips.total == sum(pots.values())
    if source != target:
        assert (after[source], after[target]) == (chips[source] - amount, chips[target] + amount)
    assert min(after.held.values(), default=0) >= 0


def test_all_that_several_pots_hold_goes_into_one():
    chips = Chips.given({"Ana": 3, "Bo": 4, "Cy": 5}).gathered(["Ana", "Bo", "Nobody"], "Cy")
    assert chips.held == {"Ana": 0, "Bo": 0, "Cy": 12, "Nobody": 0}


def test_moving_leaves_the_chips_before_as_they_were():
    before = Chips.given({"Ana": 3})
    before.moved(2, "Ana", "Bo")
    assert before == Chips.given({"Ana": 3})


def test_chips_cannot_begin_below_nothing():
    with pytest.raises(ValueError, match="less than nothing"):
        Chips.given({"Ana": -1})
