"""What commands write for people: pictures with names, folders as input, colour and bars where a terminal is."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import click
import cv2
import numpy as np
import pytest

from companion.app.demo import KEPT
from companion.cli.demo import _restart
from companion.cli.main import companion, main
from companion.referee.messages import Do
from companion.referee.referee import open_table
from companion.rules.engine import Header
from companion.vision.image.codec import load_picture
from models.drawing.hexel.photograph import photograph

Capture = pytest.CaptureFixture[str]

HEADER = Header("hexapod", ("Ana", "Bo"))


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for seed in (1, 2):
        seen = photograph(np.random.default_rng(seed), size=(640, 480), cards=3, printing="exact", hardness=0.0)
        cv2.imwrite(str(folder / f"{seed}.png"), seen.bgr)
    (folder / "notes.txt").write_text("no picture")
    return folder


def test_read_takes_a_folder_and_draws_what_it_read(pictures: Path, tmp_path: Path, capsys: Capture) -> None:
    drawn = tmp_path / "drawn"
    assert main(["read", "--game", "hexel", "--json", "--draw", str(drawn), str(pictures)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(line["image"]).name for line in lines] == ["1.png", "2.png"]
    before, after = load_picture(pictures / "1.png"), load_picture(drawn / "1.jpg")
    assert before is not None
    assert after is not None
    assert before.shape == after.shape
    for card in lines[0]["cards"]:
        x, y = (round(v) for v in card["corners"][0])
        assert after[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3, 1].max() > 150, "an outline in green or amber"


def test_what_is_drawn_never_takes_the_place_of_a_picture_that_was_given(pictures: Path, capsys: Capture) -> None:
    photograph = pictures / "3.jpg"
    cv2.imwrite(str(photograph), np.full((240, 320, 3), 90, np.uint8))
    before = photograph.read_bytes()
    (pictures.parent / "link").symlink_to(pictures)
    for folder in (pictures, pictures.parent / "link"):
        assert main(["read", "--game", "hexel", "--draw", str(folder), str(photograph)]) == 2
        assert "would write over" in capsys.readouterr().err
    assert photograph.read_bytes() == before


def test_a_folder_without_pictures_is_told(tmp_path: Path, capsys: Capture) -> None:
    assert main(["read", "--game", "hexel", str(tmp_path)]) == 2
    assert "no pictures in this folder" in capsys.readouterr().err


def test_an_empty_folder_holds_up_no_other_pictures(pictures: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["outline", "--shape", "hex", "--json", str(tmp_path / "empty"), str(pictures)]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["ok"] for line in out.splitlines()] == [False, True, True]
    assert "no pictures in this folder" in err


def test_a_path_that_cannot_be_looked_up_holds_up_no_other(pictures: Path, capsys: Capture) -> None:
    names = ["x" * 300 + ".jpg", "no\nsuch.jpg", str(pictures / "1.png")]
    assert main(["outline", "--shape", "hex", "--json", *names]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["ok"] for line in out.splitlines()] == [False, False, True]
    assert len(err.splitlines()) == 2, "an error is one line, whatever the name"


@pytest.mark.parametrize("words", [["learn", "--game", "hexel", "--deck", "hexel36", "--out", "p.json"], ["calibrate"]])
def test_no_path_ends_in_a_traceback(words: list[str], capsys: Capture) -> None:
    assert main([*words, "x" * 300 + ".jpg"]) in (1, 2)
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("words", [["read", "--game", "hexel"], ["outline", "--shape", "hex"]])
def test_a_picture_is_named_as_it_was_given_and_an_empty_name_is_none(
    words: list[str], pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(pictures)
    assert main([*words, "--json", "./1.png", "", "..//pictures", "./none.png"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    given = ["./1.png", "", "..//pictures/1.png", "..//pictures/2.png", "./none.png"]
    assert [line["image"] for line in told] == given
    assert [line["ok"] for line in told] == [True, False, True, True, False]
    assert told[1]["error"]["code"] == "unreadable-image"


@pytest.mark.parametrize("words", [["learn", "--game", "comet", "--out", "p.json"], ["calibrate", "--check"]])
def test_an_empty_name_is_no_folder_of_pictures(
    words: list[str], pictures: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(pictures)
    assert main([*words, ""]) == 1
    assert "an empty name" in capsys.readouterr().err
    assert main(["watch", "--game", "hexel", ""]) == 2
    assert "SOURCE is empty" in capsys.readouterr().err


def test_read_answers_without_a_standard_error(pictures: Path) -> None:
    words = f"exec {sys.executable} -m companion outline --shape hex --json {pictures} 2>&-"
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)


@pytest.mark.parametrize(
    "words",
    [
        "read --game hexel PICTURE",
        "learn --game comet --out p.json PICTURE",
        "teach --game comet --yes PICTURE",
        "teach --game comet --yes --camera FOLDER",
        "teach --game comet --yes --camera FILM",
        "calibrate --check PICTURE",
        "calibrate --lens PICTURE WHOLE",
        "watch --game hexel FOLDER",
        "watch --game hexel FILM",
    ],
)
def test_what_is_damaged_is_told_in_one_line_by_us_and_none_by_libraries(words: str, tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    whole, picture, film = tmp_path / "whole.png", folder / "1.png", tmp_path / "film.avi"
    seen = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    cv2.imwrite(str(whole), seen)
    data = bytearray(whole.read_bytes())
    data[len(data) // 2] ^= 255
    picture.write_bytes(data)
    written = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 64))
    written.write(seen)
    written.release()
    film.write_bytes(film.read_bytes()[:300])
    paths = {"PICTURE": picture, "FOLDER": folder, "FILM": film, "WHOLE": whole}
    command = [sys.executable, "-m", "companion", *(str(paths.get(word, word)) for word in words.split())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("companion: ") and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("words", ["run --pins none", "demo"])
def test_a_table_plays_without_a_standard_output(words: str, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = tmp_path / "told"
    served = f"{words} --host 127.0.0.1 --port {port} --data {tmp_path / 'data'}"
    command = f"exec {sys.executable} -m companion {served} >&- 2>{told}"
    with subprocess.Popen(["sh", "-c", command]) as table:
        try:
            assert answers(port, table), told.read_text()
        finally:
            table.send_signal(signal.SIGTERM)
        assert table.wait(20) in (0, 128 + signal.SIGTERM), "the page is live before the table stops as it should"
        assert told.read_text() == ""


def answers(port: int, table: subprocess.Popen[bytes]) -> bool:
    """Whether the table's page comes to be served before its process ends."""
    ends = time.monotonic() + 30
    while table.poll() is None and time.monotonic() < ends:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.05)
    return False


def test_a_demo_begins_anew_without_a_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(os, "execv", lambda program, words: begun.append(program))
    monkeypatch.setenv(KEPT, "")  # is forgotten again after the test
    _restart(tmp_path)
    assert (begun, os.environ[KEPT]) == ([sys.executable], str(tmp_path))


def test_replay_takes_a_journal_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    referee = open_table(tmp_path / "data", HEADER, HEADER)
    referee.start()
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    referee.stop()
    journal = next((tmp_path / "data" / "games").glob("*.jsonl"))
    copied = tmp_path / "evening.jsonl"
    copied.write_bytes(journal.read_bytes())
    assert main(["replay", "--json", str(copied)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["game"], [entry["line"] for entry in told["log"]]) == (True, "hexapod", [2])


def test_config_tells_programs_every_setting_as_it_holds(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "companion.toml"
    file.write_text("[web]\nport = 9000\n")
    assert main(["config", "--json", "--settings", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == str(file)
    assert told["settings"]["web"]["port"] == {"value": 9000, "default": 8080, "says": "Port to serve at."}


def on_a_terminal(words: Sequence[str], **environment: str) -> str:
    """What a command writes where standard output and standard error are one terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "companion", *words]
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**known, "TERM": "xterm", **environment}) as run:
        os.close(theirs)
        said = b""
        while piece := _read(ours):
            said += piece
        assert run.wait(60) in (0, 1, 2)
    os.close(ours)
    return said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # so a terminal says that nobody writes any more
        return b""


def test_an_error_is_red_on_a_terminal_and_plain_where_no_colour_is_wanted() -> None:
    assert "\033[31mcompanion:\033[0m" in on_a_terminal(["dance"])
    assert "\033[" not in on_a_terminal(["dance"], NO_COLOR="1")


def test_a_bar_shows_how_much_is_read_on_a_terminal_only(pictures: Path) -> None:
    assert "2/2" in on_a_terminal(["read", "--game", "hexel", str(pictures)])
    command = [sys.executable, "-m", "companion", "read", "--game", "hexel", str(pictures)]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stderr == ""


@pytest.mark.parametrize("words", [["read", "--game", "hexel"], ["learn", "--game", "comet", "--out", "p.json"]])
def test_an_error_stands_on_a_line_of_its_own_and_not_behind_a_bar(words: list[str], pictures: Path) -> None:
    said = on_a_terminal([*words, str(pictures / "1.png"), str(pictures / "none.png"), str(pictures / "2.png")])
    before, _, _ = said.partition("companion:")
    assert "\r" in before and before.removesuffix("\033[31m").endswith(("\n", "\r\033[K"))


def test_a_shell_completes_commands_that_are_imported_late() -> None:
    environment = {
        **os.environ,
        "_COMPANION_COMPLETE": "bash_complete",
        "COMP_WORDS": "companion re",
        "COMP_CWORD": "1",
    }
    command = [sys.executable, "-m", "companion"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert done.stdout.split() == ["plain,read", "plain,replay", "plain,restore"]


def test_a_demo_has_no_seed_below_zero(capsys: Capture) -> None:
    assert main(["demo", "--seed", "-5"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_ctrl_c_while_modules_are_loaded_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import sys, time\nprint('loading', flush=True)\ntime.sleep(30)\n")
    heard = ["env", "--default-signal=INT"]  # what is started in a shell's background inherits to ignore it
    command = [*heard, sys.executable, "-m", "companion", "--help"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None and run.stdout.readline() == "loading\n"
        run.send_signal(signal.SIGINT)
        assert (run.communicate(timeout=30)[1], run.returncode) == ("", 130)


def test_an_empty_path_is_refused_by_every_command_and_is_not_the_current_folder() -> None:
    context = click.Context(companion)
    for name in companion.list_commands(context):
        command = companion.get_command(context, name)
        assert command is not None
        paths = [one.type for one in command.params if isinstance(one.type, click.Path) and one.nargs == 1]
        for kind in paths:
            with pytest.raises(click.BadParameter, match="it is empty"):
                kind.convert("", None, None)
