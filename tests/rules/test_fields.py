import pytest

from companion.errors import BadHeader, Refusal
from companion.rules import fields

NOT_WHOLE = [True, False, 3.0, 2.5, "3", None, [3], {}]


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_only_a_json_whole_number_is_a_whole_field(value):
    with pytest.raises(Refusal, match="amount") as caught:
        fields.whole_field({"cmd": "stake", "amount": value}, "amount")
    assert caught.value.code == "malformed"


@pytest.mark.parametrize("value", [[1], [1, 2, 3], [1.0, 2], ["1", 2], [True, 0], "1,2", None, 5, {}, [[1, 2], 3]])
def test_only_two_whole_numbers_are_a_cell(value):
    with pytest.raises(Refusal) as caught:
        fields.cell_field({"cmd": "place", "cell": value}, "cell")
    assert caught.value.code == "malformed"


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (fields.text_field, "Ana", 3),
        (fields.whole_field, -3, "3"),
        (fields.list_field, [1], {"0": 1}),
        (fields.list_field, [], "red"),
        (fields.object_field, {"a": 1}, [1]),
        (fields.cell_field, (0, -1), None),
    ],
)
def test_a_field_is_of_its_type_and_there(read, good, bad):
    assert read({"cmd": "x", "it": good}, "it") == good
    for command in ({"cmd": "x", "it": bad}, {"cmd": "x"}):
        with pytest.raises(Refusal) as caught:
            read(command, "it")
        assert caught.value.code == "malformed"
        assert "it" in caught.value.message


def test_a_flag_may_be_left_out_but_not_be_a_number():
    assert fields.flag_field({}, "tail", False) is False
    assert fields.flag_field({"tail": True}, "tail", False) is True
    with pytest.raises(Refusal):
        fields.flag_field({"tail": 1}, "tail", False)


@pytest.mark.parametrize("command", [None, 3, "pass", ["pass"], {}, {"cmd": None}, {"cmd": ["pass"]}, {"cmd": "dance"}])
def test_a_command_is_an_object_with_a_known_name(command):
    with pytest.raises(Refusal) as caught:
        fields.command_name(command, ("pass",))
    assert caught.value.code == "malformed"


def test_a_known_command_gives_its_name():
    assert fields.command_name({"cmd": "pass", "player": 3}, ("place", "pass")) == "pass"


def test_only_those_at_the_table_are_players():
    fields.require_player("Bo", ("Ana", "Bo"))
    with pytest.raises(Refusal, match="Cy") as caught:
        fields.require_player("Cy", ("Ana", "Bo"))
    assert caught.value.code == "unknown-player"


@pytest.mark.parametrize(
    ("read", "wanted"),
    [(fields.text_field, "a string"), (fields.whole_field, "a whole number"), (fields.cell_field, "two whole numbers")],
)
def test_a_message_says_what_would_do(read, wanted):
    for command in ({"cmd": "x"}, {"cmd": "x", "it": None}):
        with pytest.raises(Refusal, match=f"must be {wanted}$"):
            read(command, "it")


def test_a_message_shows_a_long_value_shortened():
    with pytest.raises(Refusal) as caught:
        fields.whole_field({"cmd": "stake", "amount": "9" * 500}, "amount")
    assert len(caught.value.message) < 120


@pytest.mark.parametrize("value", [*NOT_WHOLE, 0, -1])
def test_an_amount_among_the_options_is_a_whole_number_of_one_or_more(value):
    with pytest.raises(BadHeader, match="chips"):
        fields.whole_option({"chips": value}, "chips", 100)
    assert fields.whole_option({"chips": 1}, "chips", 100) == 1


def test_a_choice_among_the_options_is_one_of_the_words():
    words = ("cycle", "round")
    assert fields.choice_option({}, "every", words) == "cycle"
    assert fields.choice_option({"every": "round"}, "every", words) == "round"
    for wrong in ("never", None, ["round"]):
        with pytest.raises(BadHeader):
            fields.choice_option({"every": wrong}, "every", words)


def test_an_unknown_option_is_named():
    with pytest.raises(BadHeader, match="chisp"):
        fields.require_options({"chisp": 3}, ("chips",))
