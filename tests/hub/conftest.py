"""A broker and a database server of the tests' own, and tables that need neither camera nor page."""

import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy
from flask.testing import FlaskClient

from companion.games import GAMES
from companion.hub.broker import Mosquitto, free_port, mosquitto
from companion.hub.link import Broker, broker_at
from companion.hub.pages.web import create_hub_app
from companion.hub.service import Hub
from companion.hub.tournaments.director import Director
from companion.referee.messages import Do
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.simulator.script import write_script

HEADER = Header("hexel", ("Ana", "Bo", "Cy"), "36")
PIN = "271828"
WITHIN_S = 20.0


def until(holds: Callable[[], object], within_s: float = WITHIN_S, every_s: float = 0.02) -> None:
    """Until something is so that other threads and processes bring about."""
    pause, ends_s = threading.Event(), time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < ends_s, "it did not come to be so"
        pause.wait(every_s)


def require(found: object, what: str) -> None:
    if not found:
        if os.environ.get("COMPANION_CI"):
            pytest.fail(f"{what} is not installed")
        pytest.skip(f"{what} is not installed")


@contextmanager
def table(data: Path, header: Header = HEADER) -> Iterator[Referee]:
    referee = open_table(data, None, header)
    referee.start()
    try:
        yield referee
    finally:
        referee.stop()


def play(referee: Referee, seed: int = 1, moves: int | None = None) -> None:
    header = referee.latest().header
    for n, command in enumerate(write_script(header, GAMES[header.game].player(seed)).commands):
        if moves is not None and n >= moves:
            return
        referee.ask(Do(command))


def journal_lines(referee: Referee) -> int:
    return sum(path.read_bytes().count(b"\n") for path in referee.games.glob("*.jsonl"))


@pytest.fixture
def mosquitto_process(tmp_path: Path) -> Iterator[Mosquitto]:
    require(mosquitto(), "mosquitto")
    folder = tmp_path / "broker"
    folder.mkdir()
    with Mosquitto(folder) as running:
        yield running


@pytest.fixture
def broker(mosquitto_process: Mosquitto) -> Callable[[str], Broker]:
    return lambda name: broker_at(f"mqtt://127.0.0.1:{mosquitto_process.port}", name)


@pytest.fixture
def desk(hub: Hub) -> FlaskClient:
    """The desk's, which gave the PIN to the hub that a test brings."""
    client = create_hub_app(hub, Director(hub), pin=PIN).test_client()
    client.post("/api/pin", json={"pin": PIN})
    return client


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hub.db'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    require(binaries, "postgresql")
    folder, port = tmp_path_factory.mktemp("postgresql", numbered=True), free_port()
    folder.chmod(0o755)
    as_user: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
        for parent in folder.parents:
            if parent.owner() == pwd.getpwuid(0).pw_name and parent.stat().st_mode & 0o5 == 0:
                parent.chmod(parent.stat().st_mode | 0o1)
    data = folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    subprocess.run([*as_user, str(binaries[-1] / "initdb"), "-A", "trust", "-U", "hub", str(data)], check=True, **quiet)
    options = ["-c", f"port={port}", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
    with subprocess.Popen([*as_user, str(binaries[-1] / "postgres"), "-D", str(data), *options], **quiet) as process:
        until(lambda: _answers(port))
        until(lambda: _takes_connections(port))
        yield f"postgresql://hub@127.0.0.1:{port}"
        process.terminate()


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    name = f"hub_{time.monotonic_ns()}"
    engine = sqlalchemy.create_engine(_driven(f"{postgresql_server}/postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as held:
        held.execute(sqlalchemy.text(f"create database {name}"))
    engine.dispose()
    return f"{postgresql_server}/{name}"


def _answers(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def _takes_connections(port: int) -> bool:
    engine = sqlalchemy.create_engine(_driven(f"postgresql://hub@127.0.0.1:{port}/postgres"))
    try:
        engine.connect().close()
    except sqlalchemy.exc.SQLAlchemyError:
        return False
    finally:
        engine.dispose()
    return True


def _driven(url: str) -> str:
    return url.replace("postgresql:", "postgresql+pg8000:")
