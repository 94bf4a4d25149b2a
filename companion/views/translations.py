"""The words in other languages: gettext catalogues (.po) that stand beside the English words they translate.

A message's context is its place in the English words, ``events.passed``; of a list it is one message an item,
``howto.chess-aim.0``, of a counted thing one message with the plurals of the language. `python -m
companion.views.translations` enters in every catalogue what it lacks and takes out what is no longer said; a test
refuses a catalogue that lacks a translation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from companion.games import page_folders
from companion.rules.limits import read_file, read_toml

Sections = Mapping[str, Mapping[str, Any]]

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr", "cs", "sk", "pl", "es")
NO_WORDING = frozenset({"may-use"})
"""Sections that say nothing."""
_NUMERALS = ("counting", "small")
"""The small numbers in words. They change with what they count in most languages, which say them in digits."""
_CATEGORIES = ("one", "few", "many", "other")
_TWO, _THREE = "nplurals=2; plural={}", "nplurals=3; plural={}"
_FEW = "((n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2)"
_PLURAL_FORMS = {
    "de": _TWO.format("(n != 1)"),
    "fr": _TWO.format("(n > 1)"),
    "cs": _THREE.format(_FEW),
    "sk": _THREE.format(_FEW),
    "pl": _THREE.format("(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"),
    "es": _TWO.format("(n != 1)"),
}
"""The forms of counted things that catalogues hold. Babel's own change from version to version: since 2.19 French and
Spanish have one more for millions, which nobody counts at a table."""
_WIDTH = 110
_HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""


@dataclass(frozen=True, slots=True)
class Wording:
    """One message: where it stands, and its English.

    Attributes:
        item: which of a list's; None where the phrase is one text or a counted thing.
        plural: of a counted thing; else None.
    """

    section: str
    name: str
    item: int | None
    english: str
    plural: str | None = None

    @property
    def context(self) -> str:
        """The message's context in a catalogue."""
        return ".".join([self.section, self.name, *([] if self.item is None else [str(self.item)])])

    @property
    def msgid(self) -> str | tuple[str, str]:
        """As gettext names it."""
        return self.english if self.plural is None else (self.english, self.plural)


def wordings(sections: Sections) -> Iterator[Wording]:
    """The messages of some English sections that are translated."""
    for section, phrases in sections.items():
        for name, text in phrases.items() if section not in NO_WORDING else ():
            if (section, name) == _NUMERALS:
                continue
            if section == "counting" and isinstance(text, list):
                yield Wording(section, name, None, *text)
            elif isinstance(text, list):
                yield from (Wording(section, name, item, part) for item, part in enumerate(text))
            else:
                yield Wording(section, name, None, text)


@cache
def _locale(language: str) -> Locale:
    """What CLDR says of a language, read once: each phone is told everything in its own."""
    return Locale.parse(language)


def plural_form(language: str, number: int) -> int:
    """Which of a counted thing's forms a number takes, as CLDR has it; the forms stand as gettext orders them.

    >>> [plural_form("cs", number) for number in (1, 3, 5)], [plural_form("en", number) for number in (0, 1)]
    ([0, 1, 3], [3, 0])
    """
    return _CATEGORIES.index(_locale(language).plural_form(number))


def direction(language: str) -> str:
    """Which way a language is written, ``ltr`` or ``rtl``.

    >>> direction("de"), direction("ar")
    ('ltr', 'rtl')
    """
    return str(_locale(language).text_direction)


def native_name(language: str) -> str:
    """What a language calls itself.

    >>> native_name("cs")
    'Čeština'
    """
    name = _locale(language).get_display_name() or language
    return name[0].upper() + name[1:]


@cache
def translated(language: str) -> dict[str, dict[str, Any]]:
    """The words of a language, section by section; what its catalogues lack is left out."""
    sections: dict[str, dict[str, Any]] = {_NUMERALS[0]: {_NUMERALS[1]: []}}
    for file, english in catalogue_files(language).items():
        with file.open("rb") as opened:
            catalogue = read_po(opened, locale=language)
        for wording in wordings(english):
            message = catalogue.get(wording.msgid, wording.context)
            if message is None or not message.string or message.fuzzy:
                continue
            phrases = sections.setdefault(wording.section, {})
            if wording.plural is not None:
                phrases[wording.name] = list(message.string)
            elif wording.item is None:
                phrases[wording.name] = message.string
            else:
                phrases.setdefault(wording.name, []).append(message.string)
    return sections


def catalogue_files(language: str) -> dict[Path, Sections]:
    """The catalogues of a language, the shared one and one a game, each with the English that it translates."""
    shared = Path(__file__).parent
    folders = {shared / "languages": shared, **{folder: folder for folder in page_folders().values()}}
    return {
        folder / f"{language}.po": read_toml(read_file(english / "words.toml")) for folder, english in folders.items()
    }


def write_catalogue(file: Path, language: str, english: Sections, known: Mapping[str, Any]) -> list[str]:
    """Write a catalogue anew, in the order of the English; the contexts that lack a translation.

    Args:
        known: translations by context, a tuple of forms for a counted thing.
    """
    catalogue = Catalog(locale=language, fuzzy=False)
    if language in _PLURAL_FORMS:
        catalogue.mime_headers = [("Plural-Forms", _PLURAL_FORMS[language])]
    lacking = []
    for wording in wordings(english):
        string = known.get(wording.context) or ""
        catalogue.add(wording.msgid, string, context=wording.context)
        if not string:
            lacking.append(wording.context)
    with file.open("wb") as opened:
        opened.write(_HEADER.format(language=language, plurals=catalogue.plural_forms).encode())
        write_po(opened, catalogue, width=_WIDTH, omit_header=True)
    return lacking


def _update() -> None:
    for language in LANGUAGES[1:]:
        for file, english in catalogue_files(language).items():
            known: dict[str, Any] = {}
            if file.exists():
                with file.open("rb") as opened:
                    catalogue = read_po(opened, locale=language)
                for wording in wordings(english):
                    if message := catalogue.get(wording.msgid, wording.context):
                        known[wording.context] = message.string
            if lacking := write_catalogue(file, language, english, known):
                print(f"{file} lacks {', '.join(lacking)}")


if __name__ == "__main__":
    _update()
