import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.errors import UsageError
from companion.games import GAMES
from companion.games.hexel.rules import game as hexel
from companion.rules.notation import CELL, FLAG, TEXT, WHOLE, Field, joined, parse, record, write

odd = [*"Aüz9 _-+:,.='", '"', "\\", "\t", "\n", "\r", "\x85", "\u2028", "\u3000"]
names = st.lists(st.sampled_from(odd), min_size=1, max_size=8).map("".join).filter(str.strip)
wholes = st.integers()
cells = st.lists(wholes, min_size=2, max_size=2)
faces = st.lists(st.sampled_from(["red", "blue", "yellow", "void"]), min_size=6, max_size=6)
cards = st.lists(st.fixed_dictionaries({"cell": cells, "edges": faces}), max_size=4)
FIELDS = {"player": names, "amount": wholes, "cell": cells, "edges": faces, "cards": cards}

hexel_commands = st.sampled_from(list(hexel.NOTATION)).flatmap(
    lambda cmd: st.fixed_dictionaries({"cmd": st.just(cmd), **{f.name: FIELDS[f.name] for f in hexel.NOTATION[cmd]}})
)

OPTIONAL = {"round": (Field("player", TEXT), Field("tail", FLAG, optional=True), Field("n", WHOLE, optional=True))}


@given(hexel_commands)
@example({"cmd": "pass", "player": 'Mary "Q" Ann\n'})
@example({"cmd": "pass", "player": "pass"})
def test_every_command_comes_back_from_its_text(command):
    text = write(hexel.NOTATION, command)
    assert "\n" not in text
    assert parse(hexel.NOTATION, text) == command


@given(faces)
def test_every_face_comes_back_from_its_six_letters(face):
    assert len(hexel.FACE.write(face)) == 6
    assert hexel.FACE.parse(hexel.FACE.write(face)) == face


@given(names, st.none() | st.booleans(), st.none() | wholes)
def test_a_field_that_may_be_left_out_comes_back_as_it_was(player, tail, n):
    command = {"cmd": "round", "player": player}
    command |= {key: value for key, value in (("tail", tail), ("n", n)) if value is not None}
    assert parse(OPTIONAL, write(OPTIONAL, command)) == command


def test_texts_are_as_people_would_write_them():
    for text in (
        "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb",
        "stake Ana 3",
        'hedge "Mary Ann" 9',
        "place Ana 2,-1 rrbbbb",
        "pass Ana",
        "next-game",
    ):
        assert write(hexel.NOTATION, parse(hexel.NOTATION, text)) == text
    assert parse(OPTIONAL, "round Ana n=3 tail=yes") == {"cmd": "round", "player": "Ana", "n": 3, "tail": True}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "dance",
        "stake Ana",
        "stake Ana three",
        "stake Ana 3 4",
        "stake Ana 3 amount=4",
        "place Ana 2 rrbbbb",
        "place Ana 2,x rrbbbb",
        "place Ana 2,1 rrbbbx",
        "line 0,0",
        'pass "Mary',
        r'pass "\x"',
    ],
)
def test_a_text_that_stands_for_nothing_is_a_usage_error(text):
    if text == "place Ana 2 rrbbbb":  # one number is a list too; the rules refuse it as no cell
        assert parse(hexel.NOTATION, text)["cell"] == [2]
        return
    with pytest.raises(UsageError) as caught:
        parse(hexel.NOTATION, text)
    assert caught.value.code == "notation"


@pytest.mark.parametrize("text", ["round Ana tail=maybe", "round Ana tale=yes", "round Ana tail"])
def test_an_optional_word_is_a_known_name_and_a_value(text):
    with pytest.raises(UsageError):
        parse(OPTIONAL, text)


def test_lists_and_records_nest():
    form = joined(record(":", at=CELL, values=joined(WHOLE, ".")), "+")
    value = [{"at": [0, -1], "values": [2, 3]}, {"at": [1, 1], "values": []}]
    assert form.write(value) == "0,-1:2.3+1,1:-"
    assert form.parse(form.write(value)) == value
    assert (form.write([]), form.parse("-")) == ("-", [])


@pytest.mark.parametrize("name", GAMES)
def test_every_game_writes_each_of_its_commands_with_distinct_fields(name):
    notation = GAMES[name].rules.NOTATION
    assert notation
    for fields in notation.values():
        assert len({field.name for field in fields}) == len(fields)
        optional = [field.optional for field in fields]
        assert optional == sorted(optional), "fields that may be left out come last"
