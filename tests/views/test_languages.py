"""Other languages: catalogues that lack nothing, plurals as each language has them, and who is spoken to in which."""

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from companion.config import load
from companion.views import words
from companion.views.phrases import sentence
from companion.views.translations import LANGUAGES, catalogue_files, plural_form, wordings, write_catalogue
from companion.views.words import catalogue, counted, language, may_use, speaking, use

OTHERS = LANGUAGES[1:]
FILES = [(one, file) for one in OTHERS for file in catalogue_files(one)]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize(("one", "file"), FILES, ids=[f"{one}-{file.parent.parent.name}" for one, file in FILES])
def test_no_catalogue_lacks_a_phrase_or_has_one_that_is_not_said(one: str, file: Path) -> None:
    english = catalogue_files(one)[file]
    with file.open("rb") as opened:
        read = read_po(opened, locale=one, abort_invalid=True)
    said = {(wording.context, wording.msgid) for wording in wordings(english)}
    known = {(message.context, message.id): message for message in read if message.id}
    assert known.keys() == said, f"python -m companion.views.translations enters what {file} lacks"
    for message in known.values():
        assert all(message.string if isinstance(message.string, tuple) else [message.string]), message.context
        assert not message.fuzzy


@pytest.mark.parametrize("one", OTHERS)
def test_a_translation_uses_the_fields_of_the_english_and_no_others(one: str) -> None:
    for file, english in catalogue_files(one).items():
        with file.open("rb") as opened:
            read = read_po(opened, locale=one)
        for wording in wordings(english):
            said = read.get(wording.msgid, wording.context).string
            allowed = fields(wording.english) | set(may_use(wording.section, wording.name))
            for text in said if isinstance(said, tuple) else (said,):
                assert fields(text) <= allowed, f"{one}: {wording.context}"
                assert "{text}" not in text, f"{one}: {wording.context} would be said in English"


@pytest.mark.parametrize("one", OTHERS)
def test_a_catalogue_stands_as_the_tool_writes_it(one: str, tmp_path: Path) -> None:
    for file, english in catalogue_files(one).items():
        with file.open("rb") as opened:
            read = read_po(opened, locale=one)
        known = {each.context: each.string for each in wordings_of(read)}
        assert write_catalogue(tmp_path / file.name, one, english, known) == []
        assert (tmp_path / file.name).read_text() == file.read_text()


def wordings_of(read: object) -> Iterator[object]:
    return (message for message in read if message.id)  # type: ignore[attr-defined]


@pytest.mark.parametrize("one", OTHERS)
def test_every_phrase_of_a_language_is_there(one: str) -> None:
    for section, phrases in catalogue("en").items():
        assert catalogue(one)[section].keys() == phrases.keys()


def test_a_sentence_is_said_in_the_language_of_whoever_is_told() -> None:
    laid = {"event": "placed", "player": "Ana", "cell": [2, -1], "matched": 2, "call": "Hexel"}
    with speaking("de"):
        assert sentence(laid) == "Ana legt eine Karte: Hexel, 2 Kanten."
        with speaking("en"):
            assert sentence(laid) == "Ana lays a card: Hexel, two edges."
        assert language() == "de"
    assert language() == "en"


def test_numbers_take_the_plurals_of_their_language() -> None:
    assert {one: [plural_form(one, n) for n in (1, 3, 5)] for one in ("de", "cs", "pl")} == {
        "de": [0, 3, 3],
        "cs": [0, 1, 3],
        "pl": [0, 1, 2],
    }


def test_a_table_with_words_of_its_own_has_them_in_its_language_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[counting]\ncard = ["Blatt", "Blätter"]\n')
    try:
        use(file, "de")
        assert counted(2, "card") == "2 Blätter"
        with speaking("en"):
            assert counted(2, "card") == "two cards"
    finally:
        use(None)
    assert counted(2, "card") == "two cards"


@pytest.mark.parametrize("one", LANGUAGES)
def test_the_settings_know_every_language(one: str, tmp_path: Path) -> None:
    file = tmp_path / "companion.toml"
    file.write_text(f'[table]\nlanguage = "{one}"\n')
    assert load(file).table.language == one
    assert words.catalogue(one)["page"]["lang"] == one


def test_a_count_that_begins_a_sentence_keeps_the_capitals_inside_it() -> None:
    with speaking("de"):
        dealt = sentence({"event": "dealt", "each": 3, "cards_left": 20})
    assert "3 Karten" in dealt
