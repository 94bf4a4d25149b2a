"""The demo of a hall shows itself, and what Home Assistant is told is true."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.hub.broker import free_port, mosquitto
from companion.hub.link import Broker, Link
from companion.hub.messages import Address
from companion.hub.publisher import Place, Publisher, discoveries
from tests.hub.conftest import require, table, until


def test_six_tables_play_before_one_display(tmp_path: Path) -> None:
    require(mosquitto(), "mosquitto")
    port = free_port()
    options = ["--tables", "6", "--speed", "20", "--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-m", "companion", "demo", *options], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"6 simulated tables" in process.stdout.readline()
        assert b"PIN" in process.stdout.readline()
        until(lambda: all(shown.get("moves", 0) > 2 for shown in tables(port)) and len(tables(port)) == 6, 60.0)
        assert {shown["kind"] for shown in tables(port)} == {"hexel", "hexdragon", "comet", "hexapod"}
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_hall_that_is_ended_while_it_opens_leaves_no_broker_behind(tmp_path: Path, number: signal.Signals) -> None:
    require(mosquitto(), "mosquitto")
    options = ["--tables", "6", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "companion", "demo", *options],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a run under nohup would hand its ignoring on
    ) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            log = tmp_path / "mosquitto.log"
            until(lambda: log.exists() and log.stat().st_size > 0, 60.0)
            broker = int(children.read_text())
            process.send_signal(number)
            status = process.wait(30)
        finally:
            process.kill()
    is_left = is_running(broker)
    if is_left:
        os.kill(broker, signal.SIGKILL)
    assert not is_left
    assert status == 128 + number


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def tables(port: int) -> list[dict]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/hall", timeout=60) as response:
        return json.load(response)["tables"]


def test_home_assistant_finds_the_table_only_when_it_is_asked_to(
    tmp_path: Path, broker: Callable[[str], Broker]
) -> None:
    heard: dict[str, bytes] = {}
    topics = {"homeassistant/#": 1, "companion/#": 1}
    listener = Link(
        broker("home"), topics, lambda told: heard.__setitem__(told.topic, bytes(told.payload)), lambda: None
    )
    listener.open()
    until(lambda: listener.is_connected)
    for name, is_announced in (("table-01", False), ("table-02", True)):
        with table(tmp_path / name) as referee:
            publisher = Publisher(referee, Place(broker(name), Address("hall", name), is_announced=is_announced))
            publisher.start()
            until(lambda name=name: f"companion/hall/{name}/up/snapshot" in heard)
            publisher.stop()
    until(lambda: json.loads(heard["companion/hall/table-02/up/presence"])["state"] == "closed")
    announced = {topic for topic in heard if topic.startswith("homeassistant")}
    assert announced == {topic for topic, _ in discoveries(Address("hall", "table-02"))}
    for topic in announced:
        config = json.loads(heard[topic])
        assert config["state_topic"] in heard
        assert config["availability_topic"] in heard
    listener.close()
