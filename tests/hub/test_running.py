"""A hub as a whole: the PIN that its desk asks for is kept over a restart, and visitors who never finish go."""

import http.client
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.hub.link import broker_at
from companion.hub.pages.web import create_hub_app
from companion.hub.running import FairThreads, HubServer, kept_pin
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.web.server import bind

BEGUN = b"GET / HTTP/1.1\r\nHost: hall\r\nX-Slow: a"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[float], int]]:
    """Serves a hub's pages, whose requests are to be whole within so long; answers with the port."""
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    hub = Hub(broker_at("mqtt://127.0.0.1", "hub"), store)
    running: list[HubServer] = []

    def go(request_s: float) -> int:
        listening = bind("127.0.0.1", 0)
        running.append(HubServer(create_hub_app(hub, Director(hub), pin="271828"), listening, request_s))
        running[-1].start()
        return int(listening.getsockname()[1])

    yield go
    for server in running:
        server.stop()
    store.close()


def status_of(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/api/hall")
    with connection.getresponse() as response:
        response.read()
    connection.close()
    return response.status


def test_the_hall_is_open_among_hundreds_who_never_finish(serve: Callable[[float], int]) -> None:
    port = serve(60.0)
    with ExitStack() as visitors:
        for _ in range(600):
            visitors.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)).sendall(BEGUN)
        assert status_of(port) == 200


def test_a_visitor_who_sends_a_byte_now_and_then_does_not_stay_for_ever(serve: Callable[[float], int]) -> None:
    port = serve(0.1)
    with socket.create_connection(("127.0.0.1", port), timeout=0.2) as slow:
        is_there = True
        slow.sendall(BEGUN)
        while is_there:
            try:
                slow.sendall(b"a")
                is_there = slow.recv(100) != b""
            except TimeoutError:
                continue
            except ConnectionError:
                is_there = False
    assert status_of(port) == 200


class Asking:
    """A request as waitress hands it to its threads; it takes until ``answer`` is set."""

    def __init__(self, address: str, answer: threading.Event, path: str = "/tournaments") -> None:
        self.addr, self.requests, self.done = (address, 4711), [SimpleNamespace(path=path)], threading.Event()
        self._answer = answer

    def service(self) -> None:
        self._answer.wait(20.0)
        self.done.set()
        raise ConnectionResetError  # one that goes wrong gives its thread back too

    def cancel(self) -> None:
        """Nothing is to be told."""


def test_an_address_that_asks_for_a_hundred_slow_pages_keeps_nobody_waiting(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "waitress")
    threads, late, now = FairThreads(12), threading.Event(), threading.Event()
    now.set()
    greedy = [Asking("10.0.0.7", late) for _ in range(100)]
    displays = [Asking("10.0.0.7", late, "/api/hall/events") for _ in range(4)]
    others = [Asking(f"10.0.0.{n}", now) for n in range(8, 28)]
    for one in (*greedy, *displays, *others):
        threads.add_task(one)
    assert all(one.done.wait(10.0) for one in others)
    assert not any(one.done.is_set() for one in greedy)
    late.set()
    assert all(one.done.wait(10.0) for one in (*greedy, *displays))
    threads.shutdown()


def test_the_pin_is_kept_over_a_restart_for_the_hub_alone_to_read(tmp_path: Path) -> None:
    file = tmp_path / "hub-pin"
    assert kept_pin(file) == kept_pin(file)
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left", [b"", bytes(7), b"\xff\xfe\n"])
def test_a_pin_that_a_power_cut_spoilt_is_made_anew(tmp_path: Path, left: bytes) -> None:
    file = tmp_path / "hub-pin"
    file.write_bytes(left)
    pin = kept_pin(file)
    assert len(pin) == 6 and pin.isdecimal()
    assert pin == kept_pin(file)
