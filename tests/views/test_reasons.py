"""Explanations and refusals in a table's own words, and as the rules say them where it has none."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import companion
from companion.errors import BadHeader, BadSettings, Refusal
from companion.games import GAMES, game
from companion.games.comet.rules import sentences as comet_words
from companion.games.hexapod.rules import sentences as hexapod_words
from companion.games.hexdragon.rules import sentences as hexdragon_words
from companion.games.hexel.rules import sentences as hexel_words
from companion.referee.session import begin
from companion.rules.engine import Header
from companion.rules.notation import parse
from companion.rules.records import read_header
from companion.views.reasons import explanation, explanations, refusal_for_people
from companion.views.scoreboard import verdicts
from companion.views.translations import LANGUAGES
from companion.views.words import may_use, original, speaking, use

PLAYTHROUGHS = sorted((Path(__file__).parents[1] / "playthroughs").glob("*.txt"))
PAID = {
    "event": "insurance",
    "from": "Bo",
    "to": "Ana",
    "amount": 3,
    "into": "chips",
    "fewer": 1,
    "mark": 2,
    "stake": 3,
}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    use(None)


def speak(folder: Path, text: str) -> None:
    (folder / "mine.toml").write_text(text)
    use(folder / "mine.toml")


def test_a_table_explains_in_its_own_words_and_otherwise_in_the_rules(tmp_path: Path) -> None:
    speak(tmp_path, '[why]\nhexel-insurance = "{from} zahlt {to} {amount}: {fewer} zu wenig."')
    assert explanation("hexel", PAID, "the rules' own") == "Bo zahlt Ana 3: 1 zu wenig."
    assert explanation("hexel", {"event": "passed", "player": "Bo"}, "the rules' own") == "the rules' own"
    assert explanation("whist", PAID, "the rules' own") == "the rules' own"


def test_a_refusal_is_put_in_the_tables_own_words_and_keeps_its_code_and_fields(tmp_path: Path) -> None:
    speak(tmp_path, '[refusals]\nreserved = "Da liegt ein Stern."\nnot-your-turn = "Halt: {text}"')
    told = {"code": "reserved", "message": "Bo's star reserves (0, 1).", "by": "Bo"}
    assert refusal_for_people(told) == {"code": "reserved", "message": "Da liegt ein Stern.", "by": "Bo"}
    assert told["message"].startswith("Bo"), "what was told is not written to"
    session = begin(Header("hexdragon", ("Ana", "Bo")), 1)
    (verdict,) = verdicts(session, [{"cmd": "skip", "player": "Bo"}])
    assert verdict["refusal"]["message"] == "Halt: It is Ana's turn, not Bo's."


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_an_amount_that_is_refused_is_told_what_would_do_in_every_language(language: str) -> None:
    with speaking(language):
        told = refusal_for_people({"code": "bad-amount", "message": "Ana has 94 chips to hedge with, not 99"})[
            "message"
        ]
    assert "1" in told and "0" in told and "Ana" not in told, "the least of a stake, and of a hedge"


def test_every_event_that_the_rules_explain_can_be_put_otherwise() -> None:
    words = {"hexel": hexel_words, "hexdragon": hexdragon_words, "comet": comet_words, "hexapod": hexapod_words}
    assert set(words) == set(GAMES)
    explains = {f"{name}-{event}" for name, module in words.items() for event in module._SENTENCES}
    assert set(original()["why"]) == explains


def test_every_refusal_of_a_table_or_a_hall_can_be_put_otherwise() -> None:
    house = Path(companion.__file__).parent
    sources = [path.read_text() for path in house.rglob("*.py")]
    raised = {code for text in sources for code in re.findall(r'(?:Refusal\(|Unwelcome\([^"]*)\s*"([a-z-]+)"', text)}
    raised.add(BadHeader.default_code)
    taught = {code for text in sources for code in re.findall(r'TeachingRefused\((?s:.{,400}?)code="([a-z-]+)"', text)}
    assert len(raised) > 40 and len(taught) > 15
    raised |= taught | {"unreadable-profile", "unwritable-profile"}  # what keeps a printing says these to the page
    raised |= {"no-answer", "tournament-damaged"}  # no refusals, and read on the hub's pages all the same
    assert set(original()["refusals"]) == raised


@pytest.mark.parametrize("file", PLAYTHROUGHS, ids=[file.stem for file in PLAYTHROUGHS])
def test_all_that_a_phrase_may_use_is_there_in_a_whole_game(file: Path, tmp_path: Path) -> None:
    phrases = {name: " ".join(f"{{{field}}}" for field in may_use("why", name)) for name in original()["why"]}
    speak(tmp_path, "[why]\n" + "\n".join(f"{name} = {text!r}" for name, text in phrases.items() if text))
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    session = begin(read_header(json.loads(header)), 1)
    rules, state = game(session.header.game).rules, session.state
    for line in (line for line in lines if line.startswith(">")):
        try:
            after, events = rules.apply(state, parse(rules.NOTATION, line[1:]))
        except Refusal:
            continue
        for text in explanations(session, state, events):
            assert "[" not in text and "{" not in text, "a list or an object is not for people"
        state = after


def test_a_field_that_an_explanation_does_not_have_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="hexel-passed has no amount; it may use player, text"):
        speak(tmp_path, '[why]\nhexel-passed = "{amount}"')
    with pytest.raises(BadSettings, match="no such section: may-use"):
        speak(tmp_path, '[may-use]\n"why.hexel-passed" = "{amount}"')
