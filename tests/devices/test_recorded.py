"""The camera that plays back, against a clock wound by hand."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.devices import recorded
from companion.devices.recorded import Recorded
from companion.errors import DeviceError


class Clock:
    """Seconds that pass only while someone waits for them."""

    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(4):
        cv2.imwrite(str(tmp_path / f"{n:04}.png"), np.full((6, 8, 3), n, np.uint8))
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


def shades(camera: Recorded) -> list[int]:
    """The grey of every picture there is."""
    frames = []
    while frame := camera.next():
        frames.append(int(frame.picture[0, 0, 0]))
    return frames


def test_a_folder_is_played_in_the_order_of_its_names_and_ends(folder: Path) -> None:
    camera = Recorded(folder, in_real_time=False)
    camera.open()
    first = camera.next()
    assert (first.number, first.at_s, first.picture.shape) == (0, 0.0, (6, 8, 3))
    assert shades(camera) == [1, 2, 3]
    assert camera.next() is None


def test_opened_again_it_stays_where_it_is_and_after_closing_it_begins_anew(folder: Path) -> None:
    camera = Recorded(folder, in_real_time=False)
    camera.open()
    camera.next()
    camera.open()
    assert camera.next().number == 1
    camera.close()
    assert camera.next() is None
    camera.open()
    assert camera.next().number == 0


def test_a_file_that_is_no_picture_is_left_out(folder: Path) -> None:
    (folder / "0001.png").write_text("no picture")
    camera = Recorded(folder, in_real_time=False)
    camera.open()
    assert shades(camera) == [0, 2, 3]


def test_pictures_come_at_the_pace_at_which_they_were_filmed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, waits = Clock(), []
    camera = Recorded(folder, frames_per_second=4.0, clock=clock)

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        clock.now_s += seconds
        return False

    monkeypatch.setattr(camera._closed, "wait", wait)
    camera.open()
    assert [camera.next().at_s for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]
    assert waits == [0.25, 0.25, 0.25]


def test_whoever_is_slow_gets_the_newest_picture(folder: Path) -> None:
    clock = Clock()
    camera = Recorded(folder, frames_per_second=4.0, clock=clock)
    camera.open()
    camera.next()
    clock.now_s += 0.6
    assert camera.next().number == 2


def test_pictures_that_are_read_more_slowly_than_they_were_filmed_are_left_out_unread(tmp_path: Path) -> None:
    clock, read = Clock(), []
    for n in range(12):
        (tmp_path / f"{n:04}.jpg").touch()

    def load(path: Path) -> np.ndarray:
        read.append(int(path.stem))
        clock.now_s += 0.9
        return np.full((6, 8, 3), int(path.stem), np.uint8)

    camera = Recorded(tmp_path, frames_per_second=4.0, load=load, clock=clock)
    camera.open()
    assert shades(camera) == read == [0, 3, 7, 10]


def test_a_recording_that_never_comes_in_time_is_shown_all_the_same(folder: Path) -> None:
    now_s = 50.0

    def clock() -> float:  # whatever is done takes long
        nonlocal now_s
        now_s += 0.4
        return now_s

    camera = Recorded(folder, frames_per_second=10.0, clock=clock)
    camera.open()
    assert shades(camera) == [0, 2]


def test_a_video_is_played_at_its_own_pace(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 48))
    for shade in (10, 100, 200):
        video.write(np.full((48, 64, 3), shade, np.uint8))
    video.release()
    camera = Recorded(path, in_real_time=False)
    camera.open()
    frames = [camera.next() for _ in range(3)]
    assert [frame.at_s for frame in frames] == [0.0, 0.2, 0.4]
    assert [round(int(frame.picture.mean()), -1) for frame in frames] == [10, 100, 200]
    assert camera.next() is None


def test_what_cannot_be_played_is_said(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_text("no film")
    (tmp_path / "empty").mkdir()
    for path, what in (("missing", "no recording"), ("film.mp4", "no video"), ("empty", "no pictures")):
        with pytest.raises(DeviceError, match=what):
            Recorded(tmp_path / path).open()


def test_a_folder_that_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pulled_out(folder: Path) -> None:
        raise OSError(5, "Input/output error")

    for what in ("iterdir", "is_dir"):
        with monkeypatch.context() as stick:
            stick.setattr(Path, what, pulled_out)
            with pytest.raises(DeviceError, match="Input/output error"):
                Recorded(tmp_path).open()


def test_the_usual_picture_files_are_known() -> None:
    assert {".jpg", ".png"} <= recorded.SUFFIXES
