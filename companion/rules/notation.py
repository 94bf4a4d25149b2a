"""Every command as one short line of text, and back: for playthroughs, logs and people who type.

    line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb        place Ana 2,-1 rrbbbb
    stake Ana 3                                   pass "Mary Ann"

A command is its name, then one word for each field; a word holds no space, except a quoted name. A field that may be
left out comes last, as ``field=word``. A game says how in its module's ``NOTATION``: for each command its fields in
order, each with a `Form`, such as ``{"stake": (Field("player", TEXT), Field("amount", WHOLE))}``. For what is printed
on a card it makes a `Form` of its own, from the ones here or from two functions. Fields outside ``NOTATION`` are lost.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.errors import UsageError


@dataclass(frozen=True, slots=True)
class Form:
    """How one value is written as one word, and read: ``parse(write(value)) == value``.

    ``parse`` raises `ValueError`, or `KeyError`, for a word that stands for nothing.
    """

    write: Callable[[Any], str]
    parse: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a command: its name in JSON, its form, and whether it may be left out."""

    name: str
    form: Form
    optional: bool = False


Notation = Mapping[str, tuple[Field, ...]]

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_PLAIN = re.compile(r'[^\s"]+')


def _write_name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _parse_name(word: str) -> str:
    return str(json.loads(word)) if word.startswith('"') else word


def joined(form: Form, by: str) -> Form:
    """The form of a list of values of one form; ``by`` is a character that those do not use. An empty list is ``-``.

    >>> joined(WHOLE, ".").write([2, 3, 14]), joined(WHOLE, ".").parse("2.3.14")
    ('2.3.14', [2, 3, 14])
    """
    return Form(
        lambda values: by.join(form.write(value) for value in values) or "-",
        lambda word: [] if word == "-" else [form.parse(part) for part in word.split(by)],
    )


def record(by: str, **forms: Form) -> Form:
    """The form of a JSON object with these fields, in this order.

    >>> record(":", cell=CELL, points=WHOLE).write({"cell": [1, 0], "points": 7})
    '1,0:7'
    """

    def parse(word: str) -> dict[str, Any]:
        parts = zip(forms.items(), word.split(by), strict=True)
        return {name: form.parse(part) for (name, form), part in parts}

    return Form(lambda value: by.join(form.write(value[name]) for name, form in forms.items()), parse)


def letters(words: Mapping[str, str]) -> Form:
    """The form of a list of words that have one letter each, written without a gap.

    >>> letters({"red": "r", "void": "v"}).write(["red", "void", "void"])
    'rvv'
    """
    word_of = {letter: word for word, letter in words.items()}
    return Form(
        lambda values: "".join(words[value] for value in values), lambda word: [word_of[letter] for letter in word]
    )


TEXT = Form(_write_name, _parse_name)
"""A player's name or any other text; quoted when a space or a quotation mark is in it."""
WHOLE = Form(str, int)
CELL = joined(WHOLE, ",")
FLAG = Form(lambda value: "yes" if value else "no", lambda word: {"yes": True, "no": False}[word])


def write(notation: Notation, command: Mapping[str, Any]) -> str:
    """A command of a game as a line of text.

    >>> write({"stake": (Field("player", TEXT), Field("amount", WHOLE))}, {"cmd": "stake", "player": "Bo", "amount": 3})
    'stake Bo 3'
    """
    words = [command["cmd"]]
    for field in notation[command["cmd"]]:
        if not field.optional:
            words.append(field.form.write(command[field.name]))
        elif field.name in command:
            words.append(f"{field.name}={field.form.write(command[field.name])}")
    return " ".join(words)


def parse(notation: Notation, text: str) -> dict[str, Any]:
    """The command that a line of text stands for.

    >>> parse({"pass": (Field("player", TEXT),)}, 'pass "Mary Ann"')
    {'cmd': 'pass', 'player': 'Mary Ann'}

    Raises:
        UsageError: `notation`, when it stands for none.
    """
    cmd, *words = _WORD.findall(text) or [""]
    if cmd not in notation:
        raise UsageError(f"no command begins with {cmd!r}; there are {', '.join(notation)}", code="notation")
    asked = [field for field in notation[cmd] if not field.optional]
    extra = {field.name: field for field in notation[cmd] if field.optional}
    try:
        fields = {field.name: field.form.parse(word) for field, word in zip(asked, words, strict=False)}
        for word in words[len(asked) :]:
            name, _, value = word.partition("=")
            fields[name] = extra[name].form.parse(value)
    except (KeyError, ValueError) as error:
        raise UsageError(f"{text!r} cannot be read: {error}", code="notation") from None
    if len(words) < len(asked):
        raise UsageError(f"{text!r} ends before {asked[len(words)].name}", code="notation")
    return {"cmd": cmd, **fields}
