"""The page of a lesson where people go astray: they leave in the middle, another phone stops it, a name is left out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from companion.app.teaching import Lessons
from companion.errors import Refusal
from companion.games import GAMES
from companion.games.comet.deck import face_shapes, label
from companion.printing.layout import Layout
from companion.referee.referee import Referee
from companion.vision.image.codec import encode_picture
from companion.web.app import create_app
from companion.web.app_context import TableParts
from tests.teaching.pictures import layout_picture
from tests.web.test_teaching import CODE, DECK, LAYOUT, OPERATE, PIN, Shown, before_camera

IDLE = "!document.body.classList.contains('is-busy')"


@dataclass(frozen=True)
class LessonPage:
    """The page of a lesson, at a table on which nothing lies any more."""

    browser: Any
    address: str

    def open(self) -> None:
        """Come to the page, perhaps again."""
        self.browser.open(f"{self.address}/teach")
        self.browser.wait_for(f"document.querySelector('#step button') && {IDLE}")

    def tap(self, *elements: str) -> None:
        for element in elements:
            self.browser.wait_for(f"document.getElementById('{element}') && {IDLE}")
            self.browser.run(f"document.getElementById('{element}').click()")


@pytest.fixture
def lessons(referee: Referee, tmp_path: Path) -> Lessons:
    """The lessons of a table that has learnt a deck from one photograph, and has not been told its name yet."""
    camera = Shown()
    running = before_camera(camera, referee)
    lessons = Lessons(running, tmp_path)  # type: ignore[arg-type]
    lessons.begin({"deck": DECK})
    lessons.take(encode_picture(layout_picture(LAYOUT)))
    lessons.agree()
    return lessons


@pytest.fixture
def page(
    request: pytest.FixtureRequest, lessons: Lessons, serve: Callable[[Flask], int], chromium: Any, referee: Referee
) -> LessonPage:
    """The lesson's page, at a table with a camera where nothing else is asked for."""
    return opened_page(lessons, serve, chromium, referee, has_camera=getattr(request, "param", True))


def opened_page(
    lessons: Lessons, serve: Callable[[Flask], int], chromium: Any, referee: Referee, *, has_camera: bool = True
) -> LessonPage:
    """The page of lessons on the operator's phone."""
    camera: Any = SimpleNamespace(has_camera=has_camera)
    parts = TableParts(camera=camera, teacher=lambda: lessons)
    app = create_app(referee, join_code=CODE, operator_pin=PIN, parts=parts)
    chromium.forget()
    chromium.screen(360, 740)
    page = LessonPage(chromium, f"http://127.0.0.1:{serve(app)}")
    chromium.open(f"{page.address}/?code={CODE}")
    chromium.run(OPERATE)
    page.open()
    return page


def test_who_leaves_a_lesson_and_comes_back_goes_on_where_it_was(page: LessonPage) -> None:
    page.tap("enough", "to-name", "keep", "open-our-hex-el-36")
    page.browser.wait_for("document.getElementById('try')")
    page.open()
    page.browser.wait_for("document.getElementById('try')")


OTHER_CARDS = ((3, 5, 7), (2, 9, 13), (4, 10, 12), (6, 8, 14), (5, 9, 11))


def other_cards_photo() -> bytes:
    """A photograph of a Comet deck's other cards than those that are drawn."""
    first, *others = GAMES["comet"].layouts("comet")[0].rows
    faces = [face_shapes(card) for card in OTHER_CARDS]
    rows = [replace(place, drawing=face) for place, face in zip((*first, *others[0]), faces, strict=False)]
    layout = Layout("cards", "", (tuple(rows[:3]), (*rows[3:], others[0][-1])))
    return encode_picture(layout_picture(layout, size=(960, 540)))


def choose_other_cards(lessons: Lessons) -> dict[str, Any]:
    """Say that they lie there."""
    for place, card in enumerate(OTHER_CARDS):
        for number, value in enumerate(card):
            told = lessons.replace_name(place, number, label(value))["lesson"]
    return dict(told)


def test_a_deck_without_the_cards_that_are_drawn_is_taught_by_others(referee: Referee, tmp_path: Path) -> None:
    lessons = Lessons(before_camera(Shown(), referee), tmp_path)  # type: ignore[arg-type]
    told = lessons.begin({"deck": "comet"})["lesson"]
    assert told["replaceable"][0] == ["2", "8", "11"] and told["replaceable"][5] == []
    told = choose_other_cards(lessons)
    assert told["replaceable"][3] == ["6", "8", "A"]
    told = lessons.take(other_cards_photo())["lesson"]
    assert [[one["name"] for one in sample["cutouts"]] for sample in told["fresh"][:5]] == told["replaceable"][:5]
    for place, number, name in ((5, 0, "2"), (0, 3, "2"), (0, 0, "15"), (9, 0, "2")):
        with pytest.raises(Refusal, match="has no"):
            lessons.replace_name(place, number, name)


def test_another_light_of_a_kept_deck_asks_for_the_cards_that_taught_it(referee: Referee, tmp_path: Path) -> None:
    lessons = Lessons(before_camera(Shown(), referee), tmp_path)  # type: ignore[arg-type]
    lessons.begin({"deck": "comet"})
    chosen = choose_other_cards(lessons)["replaceable"]
    lessons.take(other_cards_photo())
    lessons.replace_name(0, 0, "2")
    assert lessons.agree()["lesson"]["replaceable"] == chosen, "as the photograph shows them"
    (kept,) = lessons.keep("Ours")["profiles"]
    assert lessons.begin({"key": kept["key"]})["lesson"]["replaceable"] == chosen
    assert lessons.begin({"deck": "comet"})["lesson"]["replaceable"][0] == ["2", "8", "11"]


def test_which_cards_lie_there_is_chosen_where_they_are_to_be_laid(page: LessonPage, lessons: Lessons) -> None:
    lessons.begin({"deck": "comet"})
    page.open()
    page.browser.run(
        "const shown = document.getElementById('place-1-2'); shown.value = 'A';shown.dispatchEvent(new Event('change'))"
    )
    page.browser.wait_for("document.getElementById('place-1-2').value === 'A' && " + IDLE)
    assert lessons.state()["lesson"]["replaceable"][1] == ["3", "5", "A"]
    page.browser.wait_for("document.getElementById('told').textContent !== 'Looking …'")
    assert page.browser.run("return document.querySelectorAll('.layout, #drawing .ghost').length") == 0
    lessons.replace_name(1, 2, "6")
    page.open()
    page.browser.wait_for("document.querySelectorAll('.layout, #drawing .ghost').length === 2")


def test_a_printing_that_lacks_a_name_is_mended_after_it_was_refused(page: LessonPage) -> None:
    page.tap("enough", "cutout-2-0", "leave-out", "to-name", "keep")
    page.browser.wait_for("document.getElementById('trouble').textContent.includes('yet: void')")
    page.tap("samples", "more")
    page.browser.wait_for("document.getElementById('stage')")


def test_a_lesson_that_another_phone_ended_leads_to_the_decks(page: LessonPage, lessons: Lessons) -> None:
    lessons.stop()
    page.tap("enough", "to-name", "keep", f"deck-{DECK}")
    page.browser.wait_for("document.getElementById('stage')")
    lessons.stop()
    page.browser.wait_for(f"document.getElementById('deck-{DECK}')")
    assert "choose a deck" in page.browser.run("return document.getElementById('trouble').textContent")


def test_what_another_phone_did_to_a_lesson_is_shown_before_anything_is_agreed_to(
    page: LessonPage, lessons: Lessons
) -> None:
    lessons.take(encode_picture(layout_picture(LAYOUT, seed=1)))
    page.open()
    lessons.drop()
    lessons.take(encode_picture(layout_picture(LAYOUT, seed=2)))
    lessons.rename(4, 0, "void")
    page.tap("agree")
    page.browser.wait_for("document.querySelectorAll('.cutouts b')[1].textContent === 'void'")
    assert "changed since" in page.browser.run("return document.getElementById('trouble').textContent")
    assert lessons.state()["lesson"]["lights"] == 1
    page.tap("cutout-4-0", "name-blue", "agree", "try")
    assert lessons.state()["lesson"]["lights"] == 2


def test_a_photograph_that_another_phone_took_is_shown_where_cards_are_laid(page: LessonPage, lessons: Lessons) -> None:
    page.browser.wait_for("document.getElementById('stage')")
    lessons.take(encode_picture(layout_picture(LAYOUT, seed=1)))
    page.browser.wait_for("document.getElementById('agree')")


def test_a_look_that_is_refused_once_its_step_is_left_ends_no_looking(page: LessonPage, lessons: Lessons) -> None:
    is_left = Event()
    looks: list[int] = []

    def look() -> dict[str, Any]:
        looks.append(len(looks))
        is_left.wait(30)
        raise Refusal("no-picture", "The camera shows nothing just now.")

    lessons.look = look  # type: ignore[method-assign]
    while not looks:
        page.browser.wait_for("document.getElementById('stage')")
    page.tap("enough", "to-name")
    is_left.set()
    page.tap("samples", "more")
    page.browser.wait_for("document.getElementById('told').textContent.includes('shows nothing')")
    assert len(looks) > 1


def test_a_name_that_another_deck_has_is_neither_offered_nor_taken_nor_forgotten(
    page: LessonPage, lessons: Lessons
) -> None:
    name = "document.getElementById('name')"
    page.tap("enough", "to-name", "keep", f"deck-{DECK}")
    page.browser.wait_for("document.getElementById('stage')")
    lessons.take(encode_picture(layout_picture(LAYOUT)))
    lessons.agree()
    page.open()
    page.tap("enough", "to-name")
    page.browser.wait_for(f"{name}.value === 'Our Hex’el 36 2'")
    page.browser.run(f"{name}.value = 'Our Hex’el 36'")
    page.tap("keep")
    page.browser.wait_for("document.getElementById('trouble').textContent.includes('is called Our Hex’el 36 already')")
    assert page.browser.run(f"return {name}.value") == "Our Hex’el 36"


def test_a_deck_that_is_kept_is_said_to_be_and_looked_at_without_a_question(page: LessonPage) -> None:
    page.browser.run("window.confirm = () => { throw new Error('asked') }")
    page.tap("enough", "to-name", "keep")
    page.browser.wait_for(
        "document.getElementById('is-kept')?.textContent.startsWith('Our Hex’el 36 is kept. The table')"
    )
    page.tap("open-our-hex-el-36")
    page.browser.wait_for("document.getElementById('stop').textContent === 'Back to the decks'")
    page.tap("stop", "open-our-hex-el-36", "cutout-0-0", "leave-out")
    page.browser.wait_for("document.getElementById('stop').textContent === 'Stop teaching'")


def test_names_that_contradict_those_before_are_shown_beside_them(page: LessonPage, lessons: Lessons) -> None:
    lessons.rename(0, 0, "blue")
    lessons.rename(1, 0, "red")
    lessons.take(encode_picture(layout_picture(LAYOUT, seed=1)))
    page.open()
    page.tap("agree")
    page.browser.wait_for("document.getElementById('cutout-0-0')")
    page.tap("cutout-0-0", "name-red", "cutout-1-0", "name-blue", "agree", "try")
    assert lessons.state()["lesson"]["lights"] == 2


def test_each_step_begins_where_it_is_read(page: LessonPage, lessons: Lessons) -> None:
    page.browser.screen(360, 300)
    page.tap("enough")
    page.browser.run("document.getElementById('stop').scrollIntoView()")
    assert page.browser.run("return scrollY") > 100
    page.tap("to-name")
    page.browser.wait_for("document.getElementById('name')")
    assert page.browser.run("return scrollY") == 0


def test_a_long_name_leaves_the_page_as_wide_as_it_is(page: LessonPage, lessons: Lessons) -> None:
    lessons.keep("W" * 60)
    page.open()
    page.browser.wait_for("document.querySelector('.printing')")
    assert page.browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0


def test_what_takes_long_says_that_it_goes_on(page: LessonPage, lessons: Lessons) -> None:
    is_looked_at = Event()

    def take(photo: bytes | None) -> dict[str, Any]:
        is_looked_at.wait(30)
        raise Refusal("no-picture", "The camera shows nothing just now.")

    lessons.take = take  # type: ignore[method-assign]
    page.tap("take")
    page.browser.wait_for("document.getElementById('working').textContent.startsWith('One moment')")
    assert page.browser.run("return document.getElementById('working').getBoundingClientRect().bottom <= innerHeight")
    is_looked_at.set()
    page.browser.wait_for("document.getElementById('trouble').textContent.includes('shows nothing')")
    assert page.browser.run("return document.getElementById('working').textContent") == ""


def test_a_try_shows_what_was_read_under_each_card_and_says_why_it_shows_none(
    page: LessonPage, lessons: Lessons
) -> None:
    page.browser.screen(360, 740)
    lessons._table.camera.newest().picture[:] = layout_picture(LAYOUT)
    page.tap("enough", "try")
    page.browser.wait_for("document.getElementById('told')?.textContent === 'I read these: right?'")
    page.browser.wait_for("document.getElementById('tried').naturalWidth > 100")
    names = "[...document.querySelectorAll('#told + .cutouts b')]"
    assert sorted(page.browser.run(f"return {names}.map((name) => name.textContent)")) == ["blue", "red", "void"]
    assert page.browser.run(f"return parseFloat(getComputedStyle({names}[0]).fontSize)") >= 14
    assert page.browser.run("return document.querySelectorAll('.stage .read').length") == 3

    def attempt() -> dict[str, Any]:
        raise Refusal("no-picture", "The camera shows nothing just now.")

    lessons.attempt = attempt  # type: ignore[method-assign]
    page.tap("try")
    page.browser.wait_for("document.getElementById('trouble').textContent.includes('shows nothing')")
    assert page.browser.run("return document.getElementById('told').textContent") == ""
    assert page.browser.run("return document.getElementById('tried')") is None
    lessons.attempt = lambda: {"size": [1280, 720], "cards": []}  # type: ignore[method-assign]
    page.tap("try")
    page.browser.wait_for("document.getElementById('told').textContent === 'I see no cards there.'")


@pytest.mark.parametrize("page", [False], indirect=True)
def test_where_there_is_no_camera_nothing_is_to_be_tried(page: LessonPage) -> None:
    page.tap("enough")
    page.browser.wait_for("document.getElementById('to-name')")
    assert "Try it" not in page.browser.run("return document.getElementById('step').innerText")
    page.tap("to-name", "keep")
    page.browser.wait_for("document.getElementById('is-kept').textContent.includes('Once a camera stands')")


def test_a_lesson_is_stopped_once_somebody_says_so_where_something_was_taught(
    page: LessonPage, lessons: Lessons
) -> None:
    page.browser.run("window.asked = []; window.confirm = (words) => window.asked.push(words) > 1")
    page.tap("stop")
    assert page.browser.run("return window.asked") == ["Stop? What is not kept yet is forgotten."]
    assert lessons.state()["lesson"]
    page.tap("stop", f"deck-{DECK}", "stop")
    page.browser.wait_for(f"document.getElementById('deck-{DECK}')")
    assert page.browser.run("return window.asked.length") == 2


def test_of_a_single_thing_to_be_laid_none_is_counted(page: LessonPage, lessons: Lessons) -> None:
    seen: dict[str, Any] = {"size": [1280, 720], "outlines": [], "ghost": [0, 0, 9, 9], "wanted": 1}
    lessons.look = lambda: {**seen, "whole": False, "still": False, "ready": False}  # type: ignore[method-assign]
    lessons.begin({"deck": "hexapod"})
    page.open()
    page.browser.wait_for("document.querySelector('#drawing .ghost')")
    assert page.browser.run("return document.getElementById('told').textContent") == "Looking …"
