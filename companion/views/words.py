"""The one place where text becomes a sentence for people: the phrases, in the language of whoever is told.

The English words stand in `words.toml` beside this file and of each game's page, other languages in the catalogues of
`translations`. A table has a language and perhaps words of its own: `use` sets them once, before anything is said.
Within `speaking` it is another language; everybody reads `phrase`.
"""

import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from companion.errors import BadSettings
from companion.games import page_folders
from companion.rules.limits import read_file, read_toml
from companion.views.translations import ENGLISH, plural_form, translated

Catalogue = Mapping[str, Mapping[str, Any]]

_MAY_USE = "may-use"
"""The section that says so: ``"section.name"``, and the fields as a phrase would have them."""
_PUT_OTHERWISE = {"why": frozenset({"text"}), "refusals": frozenset({"text"})}
"""What every phrase of a section may use: what the rules would say."""
_FILE = Path(__file__).with_name("words.toml")
_ISOLATE, _END = "\u2068", "\u2069"


_spoken: ContextVar[str | None] = ContextVar("language", default=None)
"""The language of whoever is told just now; None is the table's own."""


class _Table:
    """How the table speaks: its language, and its words where it has some of its own."""

    language = ENGLISH
    own: Catalogue | None = None


def phrase(section: str, name: str, /, **fields: object) -> str:
    """A phrase of the catalogue with its fields filled in.

    >>> phrase("events", "passed", player="Ana")
    'Ana passes.'
    """
    return str(section_of(section)[name]).format(**{what: _isolated(value) for what, value in fields.items()})


def isolate(name: str) -> str:
    """A name that is written from right to left, kept apart from what stands around it; any other as it is.

    Without it a number after the name is drawn before it. Source: Unicode Standard Annex 9, "Explicit Directional
    Isolates".

    >>> isolate("Ana")
    'Ana'
    """
    is_leftward = _ISOLATE not in name and any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"{_ISOLATE}{name}{_END}" if is_leftward else name


def _isolated(value: object) -> object:
    return isolate(value) if isinstance(value, str) else value


def knows(section: str, name: str) -> bool:
    """Whether the catalogue has that phrase."""
    return name in section_of(section)


def may_use(section: str, name: str) -> tuple[str, ...]:
    """The fields that a phrase may use although the house's own does not.

    >>> may_use("why", "hexel-stake-set")
    ('player', 'amount')
    """
    text = original()[_MAY_USE].get(f"{section}.{name}", "")
    return tuple(field for _, field, _, _ in string.Formatter().parse(text) if field is not None)


def section_of(section: str) -> Mapping[str, Any]:
    """A whole section as it stands, for those who fill in by themselves."""
    asked = language()
    if _Table.own is not None and asked == _Table.language:
        return _Table.own[section]
    return catalogue(asked)[section]


def use(file: Path | None, language: str = ENGLISH) -> None:
    """Speak a language from now on, by a table's own file where it has one.

    Raises:
        BadSettings: the file cannot be read, or has a phrase that the house does not, or a field that the phrase lacks.
    """
    _Table.language = language
    _Table.own = None if file is None else own_words(file, language)


def own_words(file: Path, language: str) -> Catalogue:
    """The words of a language with a table's own ones in their places. Raises `BadSettings`, see `use`."""
    return laid_over(catalogue(language), _read(file), str(file))


def language() -> str:
    """The language that is spoken just now."""
    return _spoken.get() or _Table.language


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Speak another language within the block, in this thread or task alone; None is the table's own."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def inflected(forms: Sequence[str], number: int) -> str:
    """The form of a counted thing that a number takes in the language spoken.

    >>> inflected(["move", "moves"], 0)
    'moves'
    """
    return forms[min(plural_form(language(), number), len(forms) - 1)]


@cache
def catalogue(language: str) -> Catalogue:
    """All words in a language; what its catalogues lack is said in English."""
    if language == ENGLISH:
        return original()
    ours = translated(language)
    return {section: {**phrases, **ours.get(section, {})} for section, phrases in original().items()}


@cache
def original() -> Catalogue:
    """The house's own words: the shared ones and those of every game.

    Raises:
        ValueError: a game has a phrase that is there already.
    """
    sections = read_toml(read_file(_FILE))
    for folder in page_folders().values():
        for section, phrases in read_toml(read_file(folder / "words.toml")).items():
            if twice := sections.get(section, {}).keys() & phrases.keys():
                raise ValueError(f"{folder}/words.toml: {section} has {', '.join(sorted(twice))} already")
            sections[section] |= phrases
    return sections


def laid_over(catalogue: Catalogue, own: Mapping[str, Any], source: str) -> Catalogue:
    """The catalogue with a table's own phrases in their places; ``source`` is named in what is said of an error.

    >>> laid_over({"calls": {"pass": "Pass"}}, {"calls": {"pass": "Weiter"}}, "mine.toml")["calls"]["pass"]
    'Weiter'

    Raises:
        BadSettings: a phrase or a field that the catalogue does not know.
    """
    sections = {name: dict(phrases) for name, phrases in catalogue.items()}
    for section, phrases in own.items():
        if section not in sections or section == _MAY_USE or not isinstance(phrases, Mapping):
            known = ", ".join(name for name in sections if name != _MAY_USE)
            raise BadSettings(f"{source}: no such section: {section}; there are {known}")
        for name, text in phrases.items():
            also = frozenset(may_use(section, name)) | _PUT_OTHERWISE.get(section, frozenset())
            _require_same_fields(sections[section].get(name), text, also, f"{source}: {section}.{name}")
            sections[section][name] = text
    return sections


def _require_same_fields(known: Any, text: Any, also: frozenset[str], what: str) -> None:
    if known is None:
        raise BadSettings(f"{what}: there is no such phrase")
    if type(text) is not type(known) or (isinstance(text, list) and len(text) != len(known)):
        kind = f"a list of {len(known)} texts" if isinstance(known, list) else "a text"
        raise BadSettings(f"{what} must be {kind}")
    allowed = _fields(known) | also
    if strange := _fields(text) - allowed:
        raise BadSettings(f"{what} has no {', '.join(sorted(strange))}; it may use {', '.join(sorted(allowed))}")


def _fields(text: Any) -> set[str]:
    if isinstance(text, list):
        return set().union(*map(_fields, text))
    try:
        return {name for _, name, _, _ in string.Formatter().parse(str(text)) if name is not None}
    except ValueError:
        return {"a closing brace"}


def _read(file: Path) -> Mapping[str, Any]:
    try:
        return read_toml(read_file(file))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadSettings(f"cannot read {file}: {reason}") from None


def counted(number: int, thing: str) -> str:
    """A small number of things in words.

    >>> counted(1, "edge"), counted(3, "chip"), counted(12, "chip")
    ('one edge', 'three chips', '12 chips')
    """
    counting = section_of("counting")
    word = counting["small"][number] if 0 <= number < len(counting["small"]) else number
    return f"{word} {inflected(counting.get(thing, (thing, f'{thing}s')), number)}"


def capitalize(text: str) -> str:
    """The text with a capital first letter; the rest stays, for German has capitals inside.

    >>> capitalize("drei Karten")
    'Drei Karten'
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Names as one says them.

    >>> listed(["Ana"]), listed(["Ana", "Bo", "Cy"])
    ('Ana', 'Ana, Bo and Cy')
    """
    *first, last = map(isolate, names)
    return phrase("counting", "last", first=", ".join(first), last=last) if first else last


def connection(kind: str) -> str:
    """What a kind of connection is called.

    >>> connection("double-dragon")
    'Double dragon'
    """
    return phrase("names", kind)


def pot(name: str) -> str:
    """What a pot is called.

    >>> pot("tail"), pot("Kinro")
    ('the Tail', 'Kinro')
    """
    return phrase("names", "tail") if name == "tail" else name
