"""The photographs of a lesson on the page: turned ones, what is taken back of them, and what is read on another."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask

from companion.app.teaching import Lessons
from companion.errors import Refusal, TeachingRefused
from companion.games import GAMES
from companion.games.hexel.deck import face_shapes
from companion.printing.layout import Layout
from companion.referee.referee import Referee
from companion.vision.image.codec import encode_picture
from tests.teaching.pictures import LAMP, layout_picture
from tests.web.test_lesson_page import IDLE, LessonPage, opened_page
from tests.web.test_teaching import DECK, LAYOUT, Shown, before_camera


def begun(referee: Referee, data: Path, deck: str = DECK) -> Lessons:
    lessons = Lessons(before_camera(Shown(), referee), data)  # type: ignore[arg-type]
    lessons.begin({"deck": deck})
    return lessons


def turned(picture: np.ndarray, quarters: int) -> bytes:
    return encode_picture(np.ascontiguousarray(np.rot90(picture, quarters)))


@pytest.fixture
def lessons(referee: Referee, tmp_path: Path) -> Lessons:
    """A deck that was taught in two lights."""
    lessons = begun(referee, tmp_path)
    for how in ({}, {"light": LAMP, "seed": 1}):
        lessons.take(encode_picture(layout_picture(LAYOUT, **how)))  # type: ignore[arg-type]
        lessons.agree()
    return lessons


@pytest.fixture
def page(lessons: Lessons, serve: Callable[[Flask], int], chromium: Any, referee: Referee) -> LessonPage:
    return opened_page(lessons, serve, chromium, referee)


@pytest.mark.parametrize("quarters", [1, 3])
@pytest.mark.parametrize("deck", ["hexdragon", "comet"])
def test_a_photograph_that_does_not_say_how_the_phone_was_held_is_turned(
    referee: Referee, tmp_path: Path, deck: str, quarters: int
) -> None:
    lessons = begun(referee, tmp_path, deck)
    picture = layout_picture(GAMES[deck].layouts(deck)[0])
    straight = [one["cutouts"] for one in lessons.take(encode_picture(picture))["lesson"]["fresh"]]
    fresh = lessons.take(turned(picture, quarters))["lesson"]["fresh"]
    assert [[part["name"] for part in one["cutouts"]] for one in fresh] == [
        [part["name"] for part in parts] for parts in straight
    ]


def test_a_photograph_that_is_upside_down_is_put_right_by_a_tap(page: LessonPage, lessons: Lessons) -> None:
    lessons.take(turned(layout_picture(LAYOUT, seed=2), 2))
    page.open()
    page.tap("agree")
    page.browser.wait_for("document.getElementById('trouble').textContent")
    page.tap("turn", "agree")
    page.browser.wait_for("document.getElementById('try')")
    assert lessons.state()["lesson"]["lights"] == 3


def test_nothing_is_turned_where_no_photograph_waits(lessons: Lessons) -> None:
    with pytest.raises(Refusal, match="no photograph"):
        lessons.turn()


def test_what_is_no_layout_either_way_is_refused_as_it_was_sent(referee: Referee, tmp_path: Path) -> None:
    lessons = begun(referee, tmp_path, "comet")
    with pytest.raises(TeachingRefused) as refused:
        lessons.take(encode_picture(np.full((720, 1280, 3), 110, np.uint8)))
    assert (refused.value.code, refused.value.fields["seen"]) == ("no-layout", 0)


def test_a_whole_photograph_is_left_out_by_a_tap(page: LessonPage, lessons: Lessons) -> None:
    headings = "[...document.querySelectorAll('#step h3')].map((one) => one.textContent)"
    page.browser.wait_for("document.getElementById('leave-1')")
    assert page.browser.run(f"return {headings}") == ["Photograph 1", "Photograph 2"]
    page.tap("leave-1")
    page.browser.wait_for(f"!document.getElementById('leave-1') && {IDLE}")
    assert page.browser.run(f"return {headings}") == ["Photograph 2"]
    assert [one["light"] for one in lessons.state()["lesson"]["samples"]] == [2, 2, 2]
    page.tap("leave-2")
    page.browser.wait_for("document.getElementById('stage')")
    with pytest.raises(Refusal, match="no such photograph"):
        lessons.leave_out(2)


def test_each_name_of_a_card_that_is_tried_has_the_number_of_its_edge(page: LessonPage, lessons: Lessons) -> None:
    (row,) = LAYOUT.rows
    mixed = face_shapes(("red", "red", "blue", "red", "blue", "blue"), "36")
    shown = Layout("cards", "", ((replace(row[0], drawing=mixed), *row[1:]),))
    lessons._table.camera.newest().picture[:] = layout_picture(shown)
    page.tap("try")
    page.browser.wait_for("document.getElementById('tried')")
    told = "[...document.querySelectorAll('#told + .cutouts b')].map((one) => one.textContent)"
    names = next(text for text in page.browser.run(f"return {told}") if "," in text).split(", ")
    at = page.browser.run(
        "return [...document.querySelectorAll('#told + .cutouts text')].map((one) => "
        "[one.textContent, +one.getAttribute('x'), +one.getAttribute('y')])"
    )
    assert [name.split()[0] for name in names] == [number for number, *_ in at] == list("123456")
    picture = lessons._table.camera.newest().picture
    for name, (_, x, y) in zip(names, at, strict=True):
        blue, _, red = picture[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4].mean((0, 1))
        assert name.split()[1] == ("red" if red > blue else "blue")


def test_the_keyboard_goes_on_where_it_was(page: LessonPage) -> None:
    focused = "document.activeElement.id || document.activeElement.tagName"

    def press(element: str) -> None:
        page.browser.wait_for(f"document.getElementById('{element}') && {IDLE}")
        page.browser.run(f"const one = document.getElementById('{element}'); one.focus(); one.click()")
        page.browser.wait_for(IDLE)

    press("cutout-0-0")
    assert page.browser.run(f"return {focused}") == "cutout-0-0"
    press("name-blue")
    page.browser.wait_for(f"{focused} === 'cutout-0-0'")
    press("to-name")
    assert page.browser.run(f"return {focused}") == "H2"


def test_no_sign_of_a_broken_picture_is_shown_where_the_camera_shows_none(page: LessonPage, lessons: Lessons) -> None:
    seen: dict[str, Any] = {"size": [1280, 720], "outlines": [], "ghost": [0, 0, 9, 9], "wanted": 3}
    lessons.look = lambda: {**seen, "whole": False, "still": False, "ready": False}  # type: ignore[method-assign]
    page.tap("more")
    page.browser.wait_for("document.querySelector('#drawing .ghost')")
    page.browser.wait_for("!document.getElementById('picture').hasAttribute('src')")  # this table has no such address


def test_the_earlier_version_comes_back_once_somebody_says_so(page: LessonPage, lessons: Lessons) -> None:
    key = lessons.keep("Ours")["profiles"][0]["key"]
    lessons.begin({"key": key})
    lessons.leave_out(2)
    lessons.keep("Ours")
    page.open()
    page.browser.run("window.asked = []; window.confirm = (words) => window.asked.push(words) > 1")
    page.tap(f"back-{key}")
    assert "What it was taught since is forgotten" in page.browser.run("return window.asked[0]")
    assert lessons.state()["profiles"][0]["samples"] == 3
    page.tap(f"back-{key}")
    page.browser.wait_for(f"!document.getElementById('back-{key}') && {IDLE}")
    assert lessons.state()["profiles"][0]["samples"] == 6


def test_where_the_printing_in_use_is_forgotten_the_deck_is_read_by_the_other_that_was_taught(lessons: Lessons) -> None:
    lessons.keep("Ours")
    lessons.begin({"key": "ours"})
    lessons.keep("Ours")
    lessons.begin({"deck": DECK})
    lessons.take(encode_picture(layout_picture(LAYOUT)))
    lessons.agree()
    lessons.keep("Another")
    (left,) = lessons.forget("another")["profiles"]
    assert (left["key"], left["in_use"]) == ("ours", True)


def test_what_is_chosen_in_one_step_is_not_open_in_the_next_and_names_are_large_enough_to_tap(
    page: LessonPage, lessons: Lessons
) -> None:
    lessons.begin({"deck": "comet"})
    lessons.take(encode_picture(layout_picture(GAMES["comet"].layouts("comet")[0])))
    page.open()
    page.tap("cutout-0-0")
    smallest = "Math.min(...[...document.querySelectorAll('button, main a')].flatMap((one) => {"
    smallest += "const { width, height } = one.getBoundingClientRect(); return [width, height]; }))"
    assert page.browser.run(f"return {smallest}") >= 44
    page.tap("agree", "enough")
    page.browser.wait_for("document.getElementById('try')")
    assert not page.browser.run("return document.querySelector('.choices')")


def test_the_ways_to_teaching_and_calibrating_are_large_enough_to_tap(page: LessonPage) -> None:
    page.browser.open(f"{page.address}/")
    page.browser.wait_for("document.getElementById('teach')")
    page.browser.run("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for link in ("teach", "calibrate"):
        assert page.browser.run(f"return document.getElementById('{link}').getBoundingClientRect().height") >= 44
