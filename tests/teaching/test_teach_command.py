"""`companion teach`: from pictures or before a camera, with questions or without, kept where `run` finds it."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.app.profiles import Profiles, profile_for
from companion.cli.main import main
from companion.cli.teach import teach_command
from companion.games import GAMES
from tests.teaching.pictures import LAMP, layout_picture

LAYOUT = GAMES["hexel"].layouts("hexel36")[0]
HEXEL = ("--game", "hexel", "--deck", "hexel36")


def test_pictures_of_two_lights_teach_a_deck_that_run_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    cv2.imwrite(str(files[0]), layout_picture(LAYOUT))
    cv2.imwrite(str(files[1]), layout_picture(LAYOUT, light=LAMP, brightness=0.7, seed=1))
    words = ["teach", *HEXEL, "--data", str(tmp_path / "data"), "--name", "Ours", "--yes", *map(str, files)]
    assert main(words) == 0
    assert "six red, six blue, six void" in capsys.readouterr().out
    (kept,) = Profiles(tmp_path / "data").kept()
    assert (kept.key, kept.samples, kept.is_in_use) == ("ours", 6, True)
    assert profile_for(tmp_path / "data", "hexel", "36") == tmp_path / "data/profiles/ours.json"
    assert profile_for(tmp_path / "data", "hexel", "46") is None


def test_names_are_agreed_to_or_changed_by_answers(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), layout_picture(LAYOUT))
    given = [*HEXEL, "--data", str(tmp_path), str(file)]
    answers = "1 pink\n1 blue\n1 red\n\nGrandma's deck\n"
    told = CliRunner().invoke(teach_command, given, input=answers)
    assert told.exit_code == 0, told.output
    assert "there are red, blue, void, none" in told.output and "1. blue" in told.output
    assert [one.name for one in Profiles(tmp_path).kept()] == ["Grandma's deck"]


@pytest.mark.parametrize("is_sure", [True, False])
def test_names_that_look_swapped_are_kept_where_somebody_says_that_they_are_right(
    tmp_path: Path, is_sure: bool
) -> None:
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), layout_picture(LAYOUT))
    answers = "1 blue\n2 red\n\n" + ("y\nOurs\n" if is_sure else "n\n")
    told = CliRunner().invoke(teach_command, [*HEXEL, "--data", str(tmp_path), str(file)], input=answers)
    assert "red and blue look swapped" in told.output or "blue and red look swapped" in told.output
    assert (told.exit_code == 0, len(Profiles(tmp_path).kept())) == (is_sure, is_sure)


def test_a_camera_takes_its_picture_once_all_lies_still(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    bare = np.full((720, 1280, 3), 110, np.uint8)
    lying = layout_picture(LAYOUT)
    for number in range(40):
        cv2.imwrite(str(frames / f"{number:03}.png"), bare if number < 8 else lying)
    words = ["teach", *HEXEL, "--data", str(tmp_path), "--camera", str(frames), "--name", "Ours", "--yes"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert said.index("0 cards seen") < said.index("all seen and still: taken") < said.index("kept ")


@pytest.mark.parametrize("is_tried_again", [True, False])
def test_a_second_light_that_is_refused_leaves_what_the_first_taught(tmp_path: Path, is_tried_again: bool) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for number in range(40):
        cv2.imwrite(str(frames / f"{number:03}.png"), layout_picture(LAYOUT))
    first, refused = "\ny\n", "1 blue\n2 red\n\n"
    answers = first + refused + ("y\n\n" if is_tried_again else "n\n") + "Ours\n"
    told = CliRunner().invoke(teach_command, [*HEXEL, "--data", str(tmp_path), "--camera", str(frames)], input=answers)
    assert told.exit_code == 0, told.output
    assert "labels contradict each other" in told.output
    (kept,) = Profiles(tmp_path).kept()
    assert (kept.name, kept.samples) == ("Ours", 6 if is_tried_again else 3)


def test_a_first_light_that_is_refused_is_tried_again_or_ends_the_lesson(tmp_path: Path) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for number in range(40):
        cv2.imwrite(str(frames / f"{number:03}.png"), layout_picture(LAYOUT))
    refused = "3 none\n\n"
    words = [*HEXEL, "--data", str(tmp_path), "--camera", str(frames)]
    told = CliRunner().invoke(teach_command, words, input=f"{refused}y\n\nn\nOurs\n")
    assert told.exit_code == 0 and "show no void" in told.output, told.output
    told = CliRunner().invoke(teach_command, words, input=f"{refused}n\n")
    assert told.exit_code != 0 and len(Profiles(tmp_path).kept()) == 1


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        (lambda picture: picture, "all seen, hands away"),
        (np.rot90, "6 cards seen, but not in the rows that are drawn"),
        (lambda picture: np.hstack([picture] * 2), "12 cards seen, 6 wanted: take the others away"),
    ],
    ids=["as drawn", "otherwise", "more"],
)
def test_a_camera_says_why_what_lies_there_is_not_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lie: Callable[[np.ndarray], np.ndarray], told: str
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    game = ("--game", "hexdragon", "--deck", "hexdragon")
    for number in range(2):
        picture = lie(layout_picture(GAMES["hexdragon"].layouts("hexdragon")[0]))
        cv2.imwrite(str(frames / f"{number}.png"), picture)
    assert main(["teach", *game, "--data", str(tmp_path), "--camera", str(frames), "--yes"]) == 2
    assert told in capsys.readouterr().out


def test_a_recording_that_shows_no_layout_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for number in range(3):
        cv2.imwrite(str(frames / f"{number}.png"), np.full((360, 640, 3), 110, np.uint8))
    assert main(["teach", *HEXEL, "--data", str(tmp_path), "--camera", str(frames), "--yes"]) == 2
    assert "before all cards lay still (no-layout)" in capsys.readouterr().err
    assert main(["teach", *HEXEL, "--data", str(tmp_path)]) == 2
