"""The whole table in one piece: pins pushed, pages looked at; started, stopped and refused as a process."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest

from companion.app.bootstrap import open_table_services, run_table
from companion.app.profiles import Profiles
from companion.app.table import Table
from companion.config import PanelSettings, Settings, TableSettings, VisionSettings, WebSettings
from companion.devices.recorded import Recorded
from companion.errors import UsageError
from companion.games import GAMES
from companion.games.hexel.rules.game import legal, start
from companion.referee.messages import REFEREE_CALLED, Begin, Do, Evidence, Notice, Propose
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.simulator.script import write_script
from companion.vision.evidence import evidence_picture
from companion.vision.image.codec import decode_picture
from companion.vision.results import DetectedCard
from companion.vision.tracking.tracks import SettleTimes
from tests.teaching.pictures import layout_picture


def settings_for(data: Path) -> Settings:
    return Settings(
        web=WebSettings("127.0.0.1", 0),
        panel=PanelSettings("mock", hold_s=30.0),
        table=TableSettings(data, press_gap_s=0.0),
    )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Table]:
    with open_table_services(settings_for(tmp_path), lambda line: None) as table:
        yield table


def page(table: Table, path: str) -> Any:
    connection = http.client.HTTPConnection(*address(table.url), timeout=5)
    connection.request("GET", path)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def address(url: str) -> tuple[str, int]:
    host, port = re.fullmatch(r"http://(.+):(\d+)/", url).groups()
    return host, int(port)


def line(table: Table) -> dict[str, Any]:
    return dict(legal(start(table.referee.latest().header))[0])


def test_a_button_pushed_is_seen_on_the_page(house: Table) -> None:
    house.referee.ask(Propose(line(house)))
    listener = house.referee.feed.subscribe()
    house.panel.pins["confirm"].drive_low()
    house.panel.pins["confirm"].drive_high()
    assert listener.next(5).data["because"] == "moved"
    assert page(house, "/api/state")["phase"] == "stake"


def test_what_was_recognised_is_drawn_on_the_picture_that_the_page_shows(house: Table) -> None:
    corners = np.array([[20, 20], [120, 20], [120, 80], [20, 80]], np.float32)
    card = DetectedCard(None, (), corners, 0.9, 0.9, np.zeros((6, 4)))
    kept = evidence_picture(np.full((100, 160, 3), 127, np.uint8), [], [card])
    house.referee.ask(Propose(line(house), Evidence(kept, 0.9)))
    connection = http.client.HTTPConnection(*address(house.url), timeout=20)
    connection.request("GET", "/api/proposal/evidence.jpg")
    shown = decode_picture(connection.getresponse().read())
    connection.close()
    assert shown is not None
    assert shown[20, 70, 1] > 160


def test_the_lamp_is_lit_while_a_proposal_waits(house: Table) -> None:
    lamp = house.panel.pins["lamp"]
    for command, is_lit in ((line(house), True), (None, False)):
        house.referee.ask(Propose(command))
        ends = time.monotonic() + 5
        while bool(lamp.state) is not is_lit and time.monotonic() < ends:
            time.sleep(0.001)
        assert bool(lamp.state) is is_lit


def test_health_names_camera_journal_and_pins(house: Table) -> None:
    health = page(house, "/healthz")
    assert health["ok"]
    assert (health["camera"]["state"], health["journal"]["state"], health["pins"]["state"]) == ("absent", "ok", "ok")


def test_the_join_code_stays_over_a_restart(tmp_path: Path) -> None:
    codes = []
    for _ in range(2):
        with open_table_services(settings_for(tmp_path), lambda line: None) as table:
            codes.append(table.join_code)
    assert codes[0] == codes[1]
    assert re.fullmatch("[A-Z]{6}", codes[0])


def test_people_are_told_the_address_and_the_code(tmp_path: Path) -> None:
    lines: list[str] = []
    with open_table_services(settings_for(tmp_path), lines.append) as table:
        table.referee.ask(Do(line(table)))
    told = "\n".join(lines)
    assert table.url in told
    assert f"{table.url}?code={table.join_code}" in told
    assert "hexel begins: Ana, Bo" in told


def test_a_notice_of_the_beginning_stands_on_the_first_page(tmp_path: Path) -> None:
    with open_table_services(settings_for(tmp_path), lambda line: None, Notice("demo-plays", "")) as table:
        assert [notice["code"] for notice in page(table, "/api/state")["notices"]] == ["demo-plays"]


class Eyes:
    """Stands in for the watching thread: notes what it is to look at."""

    looking: ClassVar[list[str]] = []
    begun: ClassVar[threading.Event] = threading.Event()
    settle_times: ClassVar[SettleTimes]

    def __init__(self, camera: Recorded, referee: Referee, game: str, *, settle_times: SettleTimes, **_: Any) -> None:
        Eyes.settle_times = settle_times
        if game == "comet":
            raise UsageError("no camera reading for comet", code="unknown-game")
        self.game = game

    def start(self) -> None:
        Eyes.looking.append(f"{self.game} begun")
        Eyes.begun.set()

    def stop(self) -> None:
        Eyes.looking.append(f"{self.game} ended")

    def health(self) -> dict[str, Any]:
        return {"state": "ok"}


def test_another_game_is_looked_at_with_other_eyes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.app.watching.Watching", Eyes)
    monkeypatch.setattr(Eyes, "looking", [])
    monkeypatch.setattr(Eyes, "begun", threading.Event())
    (tmp_path / "0.png").write_bytes(b"")
    camera = Recorded(tmp_path)

    def play(table: Table) -> None:
        assert Eyes.begun.wait(5)
        listener = table.referee.feed.subscribe()
        for game in ("comet", "hexdragon"):
            table.referee.ask(Begin(Header(game, ("Ana", "Bo"))))
            while (told := listener.next(5)) and told.data.get("code") != "camera-unused":
                pass
            assert told is not None
        table.ask_to_stop()

    def on_live(table: Table) -> None:
        playing.append(threading.Thread(target=play, args=(table,)))
        playing[0].start()

    playing: list[threading.Thread] = []
    lines: list[str] = []
    run_table(settings_for(tmp_path), camera=lambda table: camera, on_live=on_live, say=lines.append)
    playing[0].join(10)
    assert Eyes.looking == ["hexel begun", "hexel ended", "hexdragon begun", "hexdragon ended"]
    assert "no camera reading for comet" in lines
    assert camera.next() is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Header("hexel", ("Ana", "Bo"), "36"), Header("hexel", ("Ana", "Bo"), "46")),
        (Header("hexapod", ("Ana", "Bo")), Header("hexapod", ("Ana", "Bo"), None, {"rows": 4, "cols": 6})),
    ],
)
def test_the_same_game_with_another_deck_is_looked_at_with_other_eyes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Header, second: Header
) -> None:
    monkeypatch.setattr("companion.app.watching.Watching", Eyes)
    monkeypatch.setattr(Eyes, "looking", [])
    (tmp_path / "0.png").write_bytes(b"")
    open_table(tmp_path, first, first).stop()
    playing: list[threading.Thread] = []

    def play(table: Table) -> None:
        listener = table.referee.feed.subscribe()
        table.referee.ask(Begin(replace(first, players=("Bo", "Ana"))))  # the same deck: nothing is looked at anew
        table.referee.ask(Begin(second))
        ends = time.monotonic() + 30
        while len(Eyes.looking) < 3 and time.monotonic() < ends:
            listener.next(0.05)
        table.ask_to_stop()

    def on_live(table: Table) -> None:
        playing.append(threading.Thread(target=play, args=(table,)))
        playing[0].start()

    run_table(settings_for(tmp_path), camera=lambda table: Recorded(tmp_path), on_live=on_live, say=lambda line: None)
    playing[0].join(10)
    assert Eyes.looking == [f"{first.game} begun", f"{first.game} ended"] * 2


def test_the_camera_is_switched_off_and_on_in_the_middle_of_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.watching.Watching", Eyes)
    monkeypatch.setattr(Eyes, "looking", [])
    monkeypatch.setattr(Eyes, "begun", threading.Event())
    (tmp_path / "0.png").write_bytes(b"")
    health: list[str] = []

    def play(table: Table) -> None:
        assert Eyes.begun.wait(5)
        listener = table.referee.feed.subscribe()
        table.referee.ask(Propose(line(table)))
        for is_on in (False, True):
            table.switch_camera(is_on)
            while (told := listener.next(5)) and ("camera-off" in told.session.notices) is is_on:
                pass
            assert told is not None
            health.append(table.health()["camera"]["state"])
            if not is_on:
                assert table.referee.latest().proposal is None, "what it said is not waited for any more"
                table.referee.ask(Do(line(table)))
        table.ask_to_stop()

    playing: list[threading.Thread] = []

    def on_live(table: Table) -> None:
        playing.append(threading.Thread(target=play, args=(table,)))
        playing[0].start()

    run_table(settings_for(tmp_path), camera=lambda table: Recorded(tmp_path), on_live=on_live, say=lambda line: None)
    playing[0].join(10)
    assert Eyes.looking == ["hexel begun", "hexel ended", "hexel begun", "hexel ended"]
    assert health[0] == "off"


def test_a_call_for_the_referee_outlasts_a_switch_of_the_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.watching.Watching", Eyes)
    monkeypatch.setattr(Eyes, "begun", threading.Event())
    (tmp_path / "0.png").write_bytes(b"")
    left: list[str] = []

    def play(table: Table) -> None:
        assert Eyes.begun.wait(30)  # or the switch is seen before watching begins, and once more after
        listener = table.referee.feed.subscribe()
        table.referee.ask(Notice(REFEREE_CALLED, "Bo calls the referee"))
        for is_on in (False, True):
            table.switch_camera(is_on)
            while (told := listener.next(30)) and ("camera-off" in told.session.notices) is is_on:
                pass
            assert told is not None
        left.extend(table.referee.latest().notices)
        table.ask_to_stop()

    def on_live(table: Table) -> None:
        threading.Thread(target=play, args=(table,)).start()

    run_table(settings_for(tmp_path), camera=lambda table: Recorded(tmp_path), on_live=on_live, say=lambda line: None)
    assert left == [REFEREE_CALLED]


def test_the_camera_waits_for_a_card_as_long_as_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.watching.Watching", Eyes)
    (tmp_path / "0.png").write_bytes(b"")
    settings = replace(settings_for(tmp_path), vision=VisionSettings(settle_ms=700))
    run_table(settings, camera=lambda table: Recorded(tmp_path), on_live=Table.ask_to_stop, say=lambda line: None)
    assert Eyes.settle_times.card_s == 0.7


# ------------------------------------------------------------ as a process


class Process:
    """`companion run` in a process of its own, once its page is live."""

    def __init__(
        self, data: Path, *options: str, stderr: int | None = None, before: str = "", **variables: str
    ) -> None:
        """
        Args:
            before: what Python does first.
        """
        main = f"{before}; from companion.__main__ import main; raise SystemExit(main())"
        begun = ["-c", main] if before else ["-m", "companion"]
        command = [sys.executable, *begun, "run", "--host", "127.0.0.1", "--port", "0", "--pins", "mock"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1", **variables}
        self.process = subprocess.Popen(
            [*command, "--data", str(data), *options],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment,
        )
        told = ""
        while "join code" not in told:
            told += (new := self.process.stdout.readline())
            assert new, f"the table ended: {told}"
        self.host, self.port = address(re.search(r"http://\S+/", told)[0])

    def stop(self, number: int) -> tuple[int, float]:
        began = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(10)
        self.process.stdout.close()
        return status, time.monotonic() - began


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_table_stops_within_two_seconds_though_phones_are_listening(tmp_path: Path, number: int) -> None:
    table = Process(tmp_path)
    phone = http.client.HTTPConnection(table.host, table.port, timeout=5)
    phone.request("GET", "/api/events")
    stream = phone.getresponse()
    assert stream.readline().startswith(b"retry")
    status, took_s = table.stop(number)
    assert status == 0
    assert took_s < 2.0
    assert b"event: state" in stream.read()  # and the stream ended
    phone.close()


def test_a_table_stops_without_a_word_though_it_is_at_work_for_a_phone(tmp_path: Path) -> None:
    """A large photograph in a lesson kept it from ending for as long as that was looked at, and left a traceback."""
    slow = "import time; from companion.web.streams import Snapshots; Snapshots.text = lambda *_: time.sleep(60)"
    table = Process(tmp_path, stderr=subprocess.PIPE, before=slow)
    phone = http.client.HTTPConnection(table.host, table.port, timeout=5)
    phone.request("GET", "/api/state")
    other = http.client.HTTPConnection(table.host, table.port, timeout=5)
    other.request("GET", "/healthz")  # answered by another thread: the first is at work by now
    assert other.getresponse().read()
    status, _ = table.stop(signal.SIGTERM)
    assert (status, table.process.stderr.read()) == (0, "")
    table.process.stderr.close()
    for connection in (phone, other):
        connection.close()


def test_a_table_watches_its_camera_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    cv2.imwrite(str(tmp_path / "frames" / "0.png"), np.full((90, 160, 3), 127, np.uint8))
    table = Process(tmp_path / "data", "--camera", str(tmp_path / "frames"))
    connection = http.client.HTTPConnection(table.host, table.port, timeout=5)
    ends = time.monotonic() + 20
    camera: dict[str, Any] = {}
    while camera.get("state") != "ended" and time.monotonic() < ends:
        connection.request("GET", "/healthz")
        camera = json.loads(connection.getresponse().read())["camera"]
        time.sleep(0.05)
    connection.close()
    assert (camera["state"], camera["frames"]) == ("ended", 1)
    assert table.stop(signal.SIGTERM)[0] == 0


def test_what_keeps_a_table_from_learning_does_not_end_it(tmp_path: Path) -> None:
    header = Header("hexel", ("Ana", "Bo"), "36")
    referee = open_table(tmp_path / "data", None, header)
    referee.start()
    for command in write_script(header, GAMES["hexel"].player(1)).commands:
        referee.ask(Do(command))
    referee.stop()
    layout = GAMES["hexel"].layouts("hexel36")[0]
    profile = GAMES["hexel"].recognizer().learn("hexel36", [("a", layout_picture(layout))])
    Profiles(tmp_path / "data").keep(profile.described(name="ours"))
    (tmp_path / "data/profiles/ours/evenings.json").mkdir(parents=True)  # where it is to be written what was learnt
    (tmp_path / "frames").mkdir()
    cv2.imwrite(str(tmp_path / "frames" / "0.png"), np.full((90, 160, 3), 127, np.uint8))
    table = Process(tmp_path / "data", "--camera", str(tmp_path / "frames"), stderr=subprocess.PIPE)
    told = ""
    while "learnt from past games" not in told and (line := table.process.stderr.readline()):
        told += line
    assert "learnt from past games" in told
    assert table.stop(signal.SIGTERM)[0] == 0
    table.process.stderr.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket that a service manager listens on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(10)
        yield listening


def test_a_service_says_when_it_is_live_feeds_its_watchdog_and_stops_cleanly(
    tmp_path: Path, manager: socket.socket
) -> None:
    service = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
    table = Process(tmp_path / "data", **service)
    assert manager.recv(4096).startswith(b"READY=1\nSTATUS=hexel, 0 moves, camera absent")
    assert manager.recv(4096).startswith(b"WATCHDOG=1\n")
    status, took_s = table.stop(signal.SIGTERM)
    told = b""
    while b"STOPPING=1" not in told:
        told = manager.recv(4096)
    assert (status, took_s < 2.0) == (0, True)


def test_a_service_waits_for_its_camera_instead_of_ending(tmp_path: Path, manager: socket.socket) -> None:
    table = Process(tmp_path / "data", "--camera", "usb:63", NOTIFY_SOCKET=str(tmp_path / "notify"))
    connection = http.client.HTTPConnection(table.host, table.port, timeout=5)
    ends = time.monotonic() + 20
    camera: dict[str, Any] = {}
    while camera.get("state") != "lost" and time.monotonic() < ends:
        connection.request("GET", "/healthz")
        camera = json.loads(connection.getresponse().read())["camera"]
        time.sleep(0.05)
    connection.close()
    assert camera["state"] == "lost"
    assert table.stop(signal.SIGTERM)[0] == 0


def failing(*options: str) -> str:
    """What a table that cannot start says: one line, and exit status 2."""
    command = [sys.executable, "-m", "companion", "run", "--host", "127.0.0.1", "--pins", "mock", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=20, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    return ended.stderr


def test_a_busy_port_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = failing("--data", str(tmp_path), "--port", str(taken.getsockname()[1]))
    assert "Address already in use" in told


def test_a_folder_in_use_is_one_clear_line(house: Table, tmp_path: Path) -> None:
    assert "another table is running" in failing("--data", str(tmp_path), "--port", "0")


def test_a_camera_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    assert "is not there" in failing("--data", str(tmp_path), "--port", "0", "--camera", "usb:63")


def test_threads_that_load_opencv_at_once_both_find_it_whole() -> None:
    script = """
import threading
from companion.app.bootstrap import lazy_import
starting = threading.Barrier(2)
def load(name):
    starting.wait()
    lazy_import(name)
threads = [threading.Thread(target=load, args=(f"companion.vision.{one}",)) for one in ("evidence", "image.pyramid")]
for one in threads: one.start()
for one in threads: one.join()
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert not ended.stderr
