"""The catalogue of phrases, and a table's own words laid over it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.errors import BadSettings
from companion.games import GAMES, page_folders
from companion.views.changes import instead
from companion.views.phrases import sentence
from companion.views.words import isolate, listed, original, phrase, use

HEDGED = {"event": "hedged", "player": "Bo", "amount": 6}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    use(None)


def own(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_a_table_says_it_in_its_own_words_and_the_rest_in_the_houses(tmp_path: Path) -> None:
    use(own(tmp_path, '[events]\nhedged = "{player} setzt {amount} ein."\n[changes]\namount = "{now}, nicht {was}."'))
    assert sentence(HEDGED) == "Bo setzt 6 ein."
    assert instead([HEDGED], [{**HEDGED, "amount": 3}]) == "Bo setzt 3 ein, nicht 6."
    assert sentence({"event": "passed", "player": "Bo"}) == "Bo passes."
    use(None)
    assert sentence(HEDGED) == "Bo hedges 6."


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[evnts]\n", "evnts"),
        ('[events]\nhegded = "x"', "events.hegded"),
        ('[events]\nhedged = "{plyer} hedges."', "plyer"),
        ('[events]\nhedged = "{player hedges."', "events.hedged"),
        ('[events]\nhedged = ["x"]', "must be a text"),
        ('[counting]\nsmall = ["kein"]', "a list of 7 texts"),
        ("events = 3", "events"),
        ("no toml", "mine.toml"),
    ],
)
def test_a_file_that_would_leave_something_unsaid_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(BadSettings, match=named):
        use(own(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="nowhere"):
        use(tmp_path / "nowhere.toml")


def test_every_phrase_of_the_house_can_be_filled_in() -> None:
    for section, phrases in original().items():
        for name, text in phrases.items():
            assert text, f"{section}.{name}"
            assert isinstance(text, list) or text.count("{") == text.count("}"), f"{section}.{name}"


STATIC = Path(__file__).parents[2] / "companion/web/static"
COMPOSED = (
    "around-",
    "spot-",
    "did-",
    "colour-",
    "insect-",
    "symbol-",
    "kind-",
    "star-",
    "finale-",
    "theme-",
    "top-",
    "bottom-",
)


def test_the_page_says_what_the_catalogue_knows_and_the_catalogue_nothing_else() -> None:
    files = [path for path in sorted(STATIC.rglob("*.js")) if path.name not in ("calibrate.js", "teach.js")]
    files += [path for folder in page_folders().values() for path in sorted(folder.rglob("*.js"))]
    scripts = "\n".join(path.read_text() for path in files)
    template = "\n".join((STATIC.parent / f"templates/{name}.html").read_text() for name in ("table", "around"))
    said = set(re.findall(r'\b(?:t|parts)\("([a-z-]+)"', scripts))
    said |= {zone for game in GAMES.values() for zone in game.zones if zone in original()["page"]}
    said |= {one or other for one, other in re.findall(r'words(?:\["([a-z-]+)"\]|\.([a-z]+))', template)}
    known = {*original()["page"], *original()["games"]} - {"lang"}
    assert said - known == set()
    unsaid = {name for name in known - said if not name.startswith(COMPOSED) and f'"{name}"' not in scripts}
    assert unsaid == set()


@pytest.mark.parametrize(
    "section, files, composed",
    [
        (
            "past",
            ("templates/past_*.html", "../views/*.py", "../views/archive/*.py"),
            ("part-", "measure-", "note-", "counts-", "did-"),
        ),
        ("calibrating", ("templates/calibrate.html", "static/calibrate.js", "static/api.js"), ("way-", "check-")),
        ("teaching", ("templates/teach.html", "static/teach.js", "static/api.js"), ()),
        ("failed", ("templates/error.html",), ()),
    ],
)
def test_a_page_says_what_its_section_knows_and_the_section_nothing_else(
    section: str, files: tuple[str, ...], composed: tuple[str, ...]
) -> None:
    web = STATIC.parent
    texts = [path.read_text() for pattern in files for path in sorted(web.glob(pattern))]
    assert len(texts) >= len(files)
    said = {name for text in texts for name in re.findall(r'\bt\("([a-z-]+)"', text)}
    said |= {name for text in texts for name in re.findall(rf'phrase\(\s*"{section}",\s*"([a-z-]+)"', text)}
    known = set(original()[section])
    assert said - known == set()
    quoted = {name for text in texts for name in re.findall(r'["\']([a-z-]+)["\']', text)}
    assert {name for name in known - said - quoted if not name.startswith(composed)} == set()


def test_a_number_after_a_name_from_right_to_left_stays_after_it() -> None:
    ali, aba = "\u0639\u0644\u06cc", "\u05d0\u05d1\u05d0"
    assert phrase("events", "passed", player=ali) == f"\u2068{ali}\u2069 passes."
    assert listed([ali, "Bo", aba]) == f"\u2068{ali}\u2069, Bo and \u2068{aba}\u2069"
    assert isolate(isolate(ali)) == isolate(ali)
