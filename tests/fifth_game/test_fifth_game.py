"""A fifth game comes in by one folder and one line of the registry; no shared room is touched for it.

The game is `lanterns` beside this file. Each test starts the program with that line, so that no other test meets it.
"""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.simulator.film import Film, Setting
from tests.fifth_game.lanterns.demo.tabletop import LanternThings

ROOT = Path(__file__).parents[2]
COMPANION = [sys.executable, "-m", "tests.fifth_game.companion_with_lanterns"]
HEADER = {"record": 1, "game": "lanterns", "players": ["Ana", "Bo"], "options": {"lanterns": 3}}
RECORD = [
    HEADER,
    {"cmd": "hang", "player": "Ana", "colour": "red"},
    {"cmd": "hang", "player": "Bo", "colour": "blue"},
    {"cmd": "hang", "player": "Ana", "colour": "blue"},
]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMPANION, *words], cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.fixture
def record(tmp_path: Path) -> str:
    file = tmp_path / "record.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in RECORD))
    return str(file)


def test_its_record_is_replayed(record: str) -> None:
    done = run("replay", record, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["ok"], told["phase"], told["result"]) == (True, "over", {"winners": ["Bo"]})
    assert told["players"] == {"Ana": {"points": 0}, "Bo": {"points": 1}}


def test_its_rules_refuse_as_every_games_do(tmp_path: Path) -> None:
    file = tmp_path / "record.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (HEADER, RECORD[2])))
    done = run("replay", str(file), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "not-your-turn"


def test_its_cards_are_read_from_a_picture(tmp_path: Path) -> None:
    film = Film(Setting(LanternThings(5), seed=5, size=(1280, 720)))
    laid = {0: "red", 1: "green", 2: "blue", 3: "red", 4: "green"}
    film.lay_out(laid)
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), film.next().bgr)
    done = run("read", "--game", "lanterns", "--json", str(picture))
    assert done.returncode == 0, done.stderr
    corners = film._truth(None).corners
    near = {place: np.asarray(outline).mean(0) for place, outline in corners.items()}
    read = {}
    for card in json.loads(done.stdout)["cards"]:
        middle = np.mean(card["corners"], 0)
        read[min(near, key=lambda place: float(np.linalg.norm(near[place] - middle)))] = card["colour"]
    assert read == laid


def test_its_cards_can_be_printed(tmp_path: Path) -> None:
    sheet = tmp_path / "lanterns.pdf"
    done = run("print", "lanterns", "--out", str(sheet))
    assert done.returncode == 0, done.stderr
    assert sheet.read_bytes().startswith(b"%PDF")


@pytest.fixture
def demo() -> Iterator[str]:
    """The address of a table of lanterns that plays itself."""
    words = ["demo", "--game", "lanterns", "--speed", "100", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*COMPANION, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        lines = iter(table.stdout.readline, "")
        yield next(found[0] for line in lines if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
        table.send_signal(signal.SIGINT)
        table.communicate(timeout=60)


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def test_its_demo_plays_before_the_camera_and_its_page_shows_it(demo: str) -> None:
    page = get(demo)
    assert "lanterns" in page
    assert "drawTable" in get(f"{demo}/games/lanterns/game.js")
    assert ".lantern" in get(f"{demo}/games/lanterns/style.css")
    assert "lanterns" in [game["name"] for game in json.loads(get(f"{demo}/api/games"))["games"]]
    state = played_out(demo)
    assert state["result"] is not None
    moves = [move for move in state["history"] if "hangs a" in json.dumps(move)]
    assert len(moves) == 6
    assert sum(move["picture"] for move in moves) >= 4, "the camera saw most lanterns"


def played_out(address: str, within_s: float = 240.0) -> dict[str, Any]:
    """The table's state once the game is over; each answer is waited for, so nothing sleeps."""
    ends = time.monotonic() + within_s
    request = urllib.request.Request(f"{address}/api/events")
    with urllib.request.urlopen(request, timeout=within_s) as events:
        for line in events:
            if line.startswith(b"data: {") and json.loads(line[6:]).get("result"):
                break
            assert time.monotonic() < ends, "the game does not come to its end"
    state: dict[str, Any] = json.loads(get(f"{address}/api/state"))
    return state
