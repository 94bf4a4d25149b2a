"""Whole games as text, read by a person once and compared line by line ever after.

A playthrough is a ``.txt`` file here. Its first line is the header; a line with ``>`` is a command in the game's
notation; what is indented below says what happened, or why it was refused, and then all of the state that changed.
Lines with ``#`` are remarks. To write a new one, put down header and commands, and to accept a change, keep them:

    python tests/playthroughs/test_playthroughs.py FILE...      writes everything else anew
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.errors import Refusal
from companion.games import GAMES, game
from companion.rules.notation import parse
from companion.rules.records import read_header

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_playthrough_goes_as_it_was_read(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, (got, expected) in enumerate(zip(retold(lines), lines, strict=True), 1):
        assert got == expected, f"{file.name}, line {number}"


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_has_a_playthrough(name):
    assert any(header_of(file).game == name for file in FILES), f"write tests/playthroughs/{name}.txt"


def header_of(file):
    return read_header(json.loads(file.read_text(encoding="utf-8").splitlines()[0]))


def retold(lines: list[str]) -> Iterator[str]:
    """The lines of a playthrough, with everything that follows from its header and commands worked out anew."""
    header = read_header(json.loads(lines[0]))
    rules = game(header.game).rules
    state = rules.start(header)
    yield lines[0]
    yield from changes({}, flat(rules.view(state)))
    for line in lines[1:]:
        if line.startswith("#") or not line.strip():
            yield line
        if not line.startswith(">"):
            continue
        yield line
        try:
            after, events = rules.apply(state, parse(rules.NOTATION, line[1:]))
        except Refusal as refusal:
            yield f"    refused, {refusal.code}: {refusal.message}"
            continue
        yield from (f"    {rules.explain(state, event)}" for event in events)
        yield from changes(flat(rules.view(state)), flat(rules.view(after)))
        state = after


def flat(value: object, path: str = "") -> dict[str, str]:
    """A view as one line for each fact; an entry of a list of things is a fact of its own, whatever its place."""
    if isinstance(value, dict):
        return {name: text for key, part in value.items() for name, text in flat(part, f"{path} {key}".strip()).items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        texts = [json.dumps(entry, ensure_ascii=False) for entry in value]
        return {f"{path} {text}" + " again" * texts[:i].count(text): "" for i, text in enumerate(texts)}
    return {path: json.dumps(value, ensure_ascii=False)}


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for name, text in after.items():
        if before.get(name) != text:
            yield f"      {name} {text}".rstrip()
    for name, text in before.items():
        if name not in after and text not in ("[]", "null"):
            yield f"      no more: {name}"


def write_anew(path: str) -> None:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    Path(path).write_text("\n".join(retold(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write_anew(argument)
