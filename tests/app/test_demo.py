"""The demo: scripted players at a simulated table, with the real referee, panel and page."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial

import pytest

from companion.app.bootstrap import open_table_services
from companion.app.demo import DemoOptions, _settings, run_demo
from companion.app.demo_table import demo_camera
from companion.errors import UsageError
from companion.games import game as game_spec
from companion.games.hexel.demo import player as hexel
from companion.games.hexel.demo.tabletop import HexelTabletop
from companion.referee.messages import Propose
from companion.simulator.tabletop import DemoGame
from companion.vision.calibration.calibration import read_calibration

STAGE = DemoGame(
    game_spec("hexel").demo_header(),
    lambda header, seed: hexel.player(4, least_cards=5),
    partial(HexelTabletop, size=(160, 90)),
)


def wishes(data):
    return DemoOptions(host="127.0.0.1", port=0, speed=100.0, data=data)


def watched(table, camera, until, most=3000):
    """Watch with eyes that cannot err: what lies there, once no hand is about, is what the film says."""
    camera.open()
    for _ in range(most):
        shot = camera.next()
        session = table.referee.latest()
        if until(session):
            return session
        truth = camera._table._film._truth(None)
        known = {cell: laid.edges for cell, laid in session.state.tableau.items()}
        waiting = session.proposal.command if session.proposal else None
        commands = () if camera._table.is_busy else session.game.interpret(session.state, known, truth.cards)
        command = commands[0] if commands else None
        if command != waiting:
            table.referee.ask(Propose(command))
        assert shot.picture.shape == (90, 160, 3)
    raise AssertionError("the game does not come to its end")


@pytest.fixture
def no_wait(monkeypatch):
    monkeypatch.setattr("companion.app.demo._PRESS_GAP_S", 0.0)


def test_a_whole_game_is_played_with_buttons_and_phones(tmp_path, no_wait):
    wished, said = wishes(tmp_path), []
    with open_table_services(_settings(wished, STAGE.header, tmp_path), lambda line: None) as table:
        camera = demo_camera("hexel", wished.seed, wished.speed, table, said.append, STAGE)
        session = watched(table, camera, lambda session: session.state.phase == "over")
    assert session.state.result is not None and session.state.result["by"] == "hoxla"
    assert {move.command["cmd"] for move in session.moves} == {"line", "stake", "hedge", "place"}
    assert all("phone" not in line for line in said)


def test_a_demo_begun_again_with_its_data_goes_on_and_lays_the_table_as_it_was(tmp_path, no_wait):
    wished = wishes(tmp_path)
    with open_table_services(_settings(wished, STAGE.header, tmp_path), lambda line: None) as table:
        camera = demo_camera("hexel", wished.seed, wished.speed, table, lambda line: None, STAGE)
        before = watched(table, camera, lambda session: len(session.state.tableau) == 4)
    with open_table_services(_settings(wished, STAGE.header, tmp_path), lambda line: None) as table:
        camera = demo_camera("hexel", wished.seed, wished.speed, table, lambda line: None, STAGE)
        assert len(camera._table._film.lying) == 4
        after = watched(table, camera, lambda session: session.state.phase == "over")
    assert [move.command for move in after.moves[: len(before.moves)]] == [move.command for move in before.moves]


def test_another_seed_goes_on_with_the_game_it_finds(tmp_path, no_wait):
    wished = wishes(tmp_path)
    with open_table_services(_settings(wished, STAGE.header, tmp_path), lambda line: None) as table:
        watched(
            table,
            demo_camera("hexel", wished.seed, wished.speed, table, print, STAGE),
            lambda session: len(session.state.tableau) == 4,
        )
    other = DemoGame(STAGE.header, lambda header, seed: hexel.player(77, least_cards=5), STAGE.tabletop)
    with open_table_services(_settings(wished, other.header, tmp_path), lambda line: None) as table:
        camera = demo_camera("hexel", wished.seed, wished.speed, table, print, other)
        session = watched(table, camera, lambda session: session.state.phase == "over")
    assert session.state.phase == "over"


@pytest.mark.parametrize("game, zones", [("comet", {"Desten", "tail"}), ("hexapod", {"Ana", "Bo"})])
def test_the_camera_of_a_demo_is_told_where_places_with_names_lie(tmp_path, game, zones):
    wished = replace(wishes(tmp_path), game=game)
    with open_table_services(_settings(wished, game_spec(game).demo_header(), tmp_path), lambda line: None) as table:
        camera = demo_camera(game, wished.seed, wished.speed, table, print)
        told = read_calibration(table.settings.vision.calibration)
    assert zones <= told.zones.keys() and told.size == camera._table.camera.size
    for name, corners in told.zones.items():
        assert told.zone_of(tuple(told.image_px(corners.mean(axis=0)))) == name


def test_the_page_is_live_before_anything_slow_is_imported():
    code = "import sys, companion.cli.demo; print({'cv2', 'companion.simulator.film'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_a_game_without_a_demo_is_refused():
    with pytest.raises(UsageError, match="no such game: chess"):
        run_demo(DemoOptions(game="chess"), print)


def test_the_command_serves_its_page_and_stops_at_ctrl_c():
    command = [sys.executable, "-m", "companion", "demo", "--host", "127.0.0.1", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    demo = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    told = ""
    while "join code" not in told:
        told += (line := demo.stdout.readline())
        assert line, demo.stderr.read()
    port = int(re.search(r"http://127.0.0.1:(\d+)/", told)[1])
    page = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    health = {}
    ends = time.monotonic() + 20
    while health.get("camera", {}).get("state") != "ok" and time.monotonic() < ends:
        page.request("GET", "/healthz")
        health = json.loads(page.getresponse().read())
        time.sleep(0.05)
    page.request("GET", "/api/state")
    state = json.loads(page.getresponse().read())
    page.close()
    demo.send_signal(signal.SIGINT)
    _, complaints = demo.communicate(timeout=10)
    assert health["camera"]["camera"] == "simulated table"
    assert (state["game"], state["phase"], list(state["players"])) == ("hexel", "line", ["Ana", "Bo", "Cy"])
    assert (demo.returncode, complaints) == (0, "")
