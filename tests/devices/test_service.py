"""What the service manager hears, over a real socket, and when the watchdog goes hungry."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.devices.service import ServiceManager, Supervisor


class Manager:
    """Stands in for systemd: the socket that it listens on."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._listening.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self._listening.settimeout(5)

    def next(self) -> list[str]:
        return self._listening.recv(4096).decode().split("\n")

    def heard(self) -> list[str]:
        """All that has come so far."""
        self._listening.setblocking(False)
        lines: list[str] = []
        try:
            while True:
                lines += self.next()
        except BlockingIOError:
            return lines

    def close(self) -> None:
        self._listening.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    abstract = f"@companion-test-{os.getpid()}"
    listening = Manager(str(tmp_path / "notify") if request.param == "path" else abstract)
    yield listening
    listening.close()


def test_it_hears_that_the_page_is_live_and_that_the_table_closes(manager: Manager) -> None:
    told = ServiceManager(manager.address)
    told.ready("hexel, 0 moves")
    assert manager.next() == ["READY=1", "STATUS=hexel, 0 moves"]
    told.stopping()
    assert manager.next()[0] == "STOPPING=1"


def test_where_nobody_listens_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    nobody = ServiceManager.from_environment({})
    nobody.ready("")
    assert not nobody.is_listening
    assert capsys.readouterr() == ("", "")


def test_a_manager_that_has_gone_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ServiceManager(str(tmp_path / "gone")).ready("")
    assert "does not hear" in capsys.readouterr().err


@pytest.mark.parametrize(
    "environment, watchdog_s",
    [
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_only_a_watchdog_meant_for_this_process_counts(environment: dict, watchdog_s: float | None) -> None:
    assert ServiceManager.from_environment(environment).watchdog_s == watchdog_s


def test_the_watchdog_is_fed_while_all_are_alive_and_hungry_while_one_is_not(manager: Manager) -> None:
    said: list[str] = []
    trouble: list[str | None] = [None]
    checks = {"referee": lambda: None, "camera loop": lambda: trouble[0]}
    supervisor = Supervisor(ServiceManager(manager.address, 30.0), checks, lambda: "camera ok", said.append)
    assert supervisor.check()
    assert manager.heard() == ["WATCHDOG=1", "STATUS=camera ok"]
    trouble[0] = "no sign of life for 21 s"
    assert not supervisor.check()
    assert not supervisor.check()
    assert manager.heard() == ["STATUS=camera loop: no sign of life for 21 s"] * 2
    trouble[0] = None
    assert supervisor.check()
    assert "WATCHDOG=1" in manager.heard()
    assert len(said) == 2 and "camera loop: no sign of life" in said[0] and said[1] == "all alive again"


def test_it_is_fed_by_itself_well_within_its_time(manager: Manager) -> None:
    supervisor = Supervisor(ServiceManager(manager.address, 0.03), {}, lambda: "")
    supervisor.start()
    assert [manager.next()[0] for _ in range(3)] == ["WATCHDOG=1"] * 3
    supervisor.stop()
    supervisor.stop()
    manager.heard()
    assert manager.heard() == []


def test_without_a_watchdog_nothing_is_supervised(manager: Manager) -> None:
    supervisor = Supervisor(ServiceManager(manager.address), {"part": lambda: 1 / 0}, lambda: "")  # type: ignore[dict-item,return-value]
    supervisor.start()
    supervisor.stop()
    assert manager.heard() == []
