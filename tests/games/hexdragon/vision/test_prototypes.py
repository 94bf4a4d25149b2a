"""A set's own inks: what a profile keeps, and whose head or star it says is seen."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import UsageError
from companion.games.hexdragon.vision.classifier import OWNERS, REACH, VIEW, Answers, cut_tiles
from companion.games.hexdragon.vision.light import LIGHTS
from companion.games.hexdragon.vision.prototypes import (
    FRAME,
    MAX_INK_VALUE,
    PLACES,
    InkProfile,
    fit_inks,
    fits,
    owners_weighed,
    rim_ink,
    star_ink,
)
from companion.vision.detection.conditions import FAINT
from companion.vision.enrolment.profile import faint_colours
from companion.vision.image.pyramid import Pyramid

INKS = {"red": (0.2, 0.7, 0.1), "blue": (0.6, 0.1, 0.6)}
COMMON = np.full((2, 3), 0.7, np.float32)
PROFILE = InkProfile(
    "hexdragon",
    ("red", "blue"),
    np.array(list(INKS.values()), np.float32),
    np.full((2, 3), 0.7, np.float32),
    PLACES[np.hypot(PLACES[:, 0] - 0.39, PLACES[:, 1]) < 0.15],
    COMMON,
)
STEPS = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH


SCENES = Path(__file__).resolve().parent / "scenes"


def view(ink: tuple[float, float, float], at: tuple[float, float]) -> np.ndarray:
    """A light tile with a disc of an ink at a place in circumradii."""
    picture = np.full((VIEW, VIEW, 3), 0.7, np.float32)
    picture[(STEPS[None, :] - at[0]) ** 2 + (STEPS[:, None] - at[1]) ** 2 < 0.26**2] = ink
    return picture


def answers(head: int, star: float = 0.0) -> Answers:
    ends = np.full((1, 6, 7), 0.02, np.float32)
    ends[0, head, 6] = 0.9
    return Answers(ends, np.full((1, 4), 0.25, np.float32), np.array([[1 - star, star, 0]], np.float32))


def owners_by_ink(picture: np.ndarray, told: Answers) -> np.ndarray:
    """How likely each owner is (4,) in the light as it was measured."""
    fitting = fits(PROFILE, picture[None], told, np.ones(3, np.float32))
    as_measured = np.eye(fitting.shape[1])[np.argmin((LIGHTS.tints**2).sum(1) + LIGHTS.fading**2 + LIGHTS.veil**2)]
    return owners_weighed(PROFILE, fitting, as_measured, OWNERS)[0]


@pytest.mark.parametrize("edge", range(6))
def test_a_head_is_named_by_its_ink_at_its_edge(edge: int) -> None:
    angle = np.radians(-60 * edge)
    picture = view(INKS["red"], (0.39 * np.cos(angle), 0.39 * np.sin(angle)))
    assert rim_ink(picture) == pytest.approx([0.7] * 3)
    owners = owners_by_ink(picture, answers(edge))
    assert owners[OWNERS.index("red")] > 0.95


def test_where_a_heads_ink_is_is_learnt_from_where_heads_differ() -> None:
    shown = []
    for owner, ink in INKS.items():
        picture = view((0.3, 0.3, 0.3), (0.3, 0))  # every head is grey
        picture[18:30, 33:40] = ink  # but for its cap
        shown.append((owner, picture, 0))
    profile = fit_inks("hexdragon", shown, COMMON)
    assert dict(zip(profile.owners, profile.heads.tolist(), strict=True)) == {
        owner: pytest.approx(ink, abs=0.01) for owner, ink in INKS.items()
    }
    assert profile.places[:, 0].min() > 0.39


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.2, -0.2)], ids=["in the middle", "beside it"])
def test_a_star_is_named_by_its_middle_wherever_its_token_lies(at: tuple[float, float]) -> None:
    picture = view(INKS["blue"], at)
    picture[:6] = INKS["red"]  # the table's colour beside its cell
    assert star_ink(picture) == pytest.approx(INKS["blue"])
    assert owners_by_ink(picture, answers(0, star=0.9)).argmax() == OWNERS.index("blue")


def test_an_ink_far_from_all_is_nobodys() -> None:
    owners = owners_by_ink(view((0.05, 0.05, 0.05), (0.39, 0)), answers(0))
    assert owners == pytest.approx([0.25] * 4, abs=0.02)


def test_a_profile_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PROFILE.as_json()))
    back = InkProfile.read(path)
    assert back.owners == PROFILE.owners
    assert back.heads == pytest.approx(PROFILE.heads, abs=1e-4)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"profile": 1, "game": "hexel"}', '{"profile": 1, "game": "hexdragon", "owners": ["red"]}'],
)
def test_what_is_no_profile_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="no profile"):
        InkProfile.read(path)


def test_a_star_on_dark_paper_that_lies_on_a_pale_board_shows_its_own_ink() -> None:
    """What was taken for its ink: the paper, which the board outshines more than the star outshines the paper."""
    bgr = cv2.imread(str(SCENES / "star-on-dark-paper.png"))
    assert bgr is not None
    cell = np.array([[[86, 9], [107, 52], [78, 94], [27, 91], [6, 48], [35, 7]]], np.float32)
    views, _ = cut_tiles(Pyramid.of(np.asarray(bgr, np.uint8)), cell, np.array([1.04, 0.81, 1.15]), MAX_INK_VALUE)
    assert np.allclose(star_ink(views[0]), (0.69, 0.61, 0.38), atol=0.05), "blue, not the grey of (0.35, 0.43, 0.33)"


def test_a_profile_without_samples_asks_for_no_more_colour_than_the_games_own_printings_show() -> None:
    assert not PROFILE.samples and faint_colours(PROFILE, FRAME) == FAINT
