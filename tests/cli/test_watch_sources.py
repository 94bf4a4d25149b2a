"""`companion watch`: sources that show nothing, and frames that are too small to show anything."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.games import GAMES
from companion.vision.tracking.tracks import SettleTimes

SMALL = [(1, 1), (1, 2000), (2000, 3), (2, 2), (4, 5), (7, 7), (8, 8), (15, 15), (15, 9)]


def film(path: Path) -> bytes:
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 5.0, (64, 48))
    for shade in (10, 100, 200):
        video.write(np.full((48, 64, 3), shade, np.uint8))
    video.release()
    return path.read_bytes()


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (240, 320, 3), np.uint8)


def source(folder: Path, kind: str) -> Path:
    """A source of which no frame can be read."""
    path = folder / {"text": "text.jpg", "folder": "frames", "film": "film.mp4", "cut": "cut.jpg"}[kind]
    if kind == "text":
        path.write_text("hello")
    elif kind == "film":
        path.write_bytes(film(folder / "whole.mp4")[:100])
    else:
        path.mkdir()
        data = cv2.imencode(".png" if kind == "folder" else ".jpg", noise(0))[1].tobytes()
        (path / "0001.png").write_bytes(data[:60])
    return path


@pytest.mark.parametrize("kind", ["text", "folder", "film", "cut"])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_source_without_a_frame_that_can_be_read_is_status_2_and_one_line(
    tmp_path: Path, kind: str, as_json: bool
) -> None:
    words = ["watch", *(["--json"] if as_json else []), "--game", "hexel", str(source(tmp_path, kind))]
    done = subprocess.run(
        [sys.executable, "-m", "companion", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 2, done
    assert done.stderr.startswith("companion: ") and done.stderr.count("\n") == 1
    if as_json:
        assert (told := json.loads(done.stdout))["ok"] is False and told["error"]["code"] == "device"
    else:
        assert done.stdout == ""


def test_what_a_decoder_writes_of_a_damaged_picture_is_not_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = cv2.imencode(".jpg", noise(0))[1].tobytes()
    half = len(data) // 2
    (tmp_path / "0001.jpg").write_bytes(data[:half] + b"\xff\xd4" * 50 + data[half:])
    (tmp_path / "0002.jpg").write_bytes(data)
    assert main(["watch", "--json", "--game", "hexel", str(tmp_path)]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", SMALL)
def test_a_film_of_frames_that_are_too_small_shows_nothing(game: str, shape: tuple[int, int]) -> None:
    recognizer = GAMES[game].recognizer()
    tracker = recognizer.tracker(recognizer.classifier(None, None), SettleTimes())
    frames = [np.full((*shape, 3), 90 + n % 2, np.uint8) for n in range(20)]
    assert [event for frame in frames for event in tracker.step(frame)] == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("at", [0, 3, 15])
def test_one_small_frame_among_others_is_passed_over(game: str, at: int) -> None:
    recognizer = GAMES[game].recognizer()
    tracker = recognizer.tracker(recognizer.classifier(None, None), SettleTimes())
    frames = [np.full((240, 320, 3), 90, np.uint8)] * 20
    frames[at] = np.zeros((1, 1, 3), np.uint8)
    assert [event["event"] for frame in frames for event in tracker.step(frame)] == ["table"]
