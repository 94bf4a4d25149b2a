"""A hub with its pages and their server, put together and run until it is asked to stop.

The server has threads, for a display holds one as long as it watches, and there are few.
"""

import logging
import secrets
import signal
import socket
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore
from waitress.task import ThreadedTaskDispatcher

from companion.hub.league import League
from companion.hub.link import Broker
from companion.hub.pages.web import MAX_STREAMS, create_hub_app
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.referee.folder import storage_errors, write_whole
from companion.rules.limits import read_file
from companion.web.app import close_streams
from companion.web.server import Deadlines, allow_files, bind
from companion.web.streams import is_this_machine

_CHECK_S = 1.0
_FINISH_WITHIN_S = 1.0
_REQUEST_WITHIN_S = Deadlines().request_s
"""Who sends a byte now and then must not hold a connection for ever, here as at a table."""
_THREADS = MAX_STREAMS + 12
"""Each live stream holds one; the rest answer presses."""
_MOST_THREADS_OF_ONE = 4
"""Of one address, its live streams apart: whoever asks for a hundred slow pages waits for himself alone."""
_STREAM = "/api/hall/events"
_OPTIONS: dict[str, Any] = {
    "connection_limit": 2048,  # more than `bind` lets in: there whoever has the most gives way, here nobody came in
    "max_request_body_size": 64 * 1024,
    "outbuf_high_watermark": 1024 * 1024,  # a viewer who stops reading must not fill the memory
    "channel_timeout": 30,
    "ident": "companion",
}


@dataclass(frozen=True, slots=True)
class _Turn:
    """A request on its thread, or on its way there."""

    request: Any
    end: Callable[[], None]

    def service(self) -> None:
        try:
            self.request.service()
        finally:
            self.end()

    def cancel(self) -> None:
        self.request.cancel()


class FairThreads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Threads that answer a few requests of an address at once; the next ones of it wait for these."""

    def __init__(self, threads: int = _THREADS) -> None:
        super().__init__()
        self._shares = threading.Lock()
        self._running: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[Any]] = defaultdict(deque)
        self.set_thread_count(threads)

    def add_task(self, task: Any) -> None:
        """Answer a request, a waitress channel, as soon as its address has a turn."""
        address = task.addr[0]
        if is_this_machine(address) or task.requests[0].path == _STREAM:
            super().add_task(task)
            return
        with self._shares:
            if self._running[address] >= _MOST_THREADS_OF_ONE:
                self._waiting[address].append(task)
                return
            self._running[address] += 1
        super().add_task(_Turn(task, partial(self._end, address)))

    def _end(self, address: str) -> None:
        """One request of an address is answered: the next one's turn."""
        with self._shares:
            if not self._waiting[address]:
                del self._waiting[address]
                self._running[address] -= 1
                self._running += Counter()  # forgets the addresses that have none
                return
            following = self._waiting[address].popleft()
        super().add_task(_Turn(following, partial(self._end, address)))


class HubServer:
    """One application on one bound socket, with its own threads."""

    def __init__(self, app: Flask, listening: socket.socket, request_s: float = _REQUEST_WITHIN_S) -> None:
        """
        Args:
            request_s: how long a request may take to be whole.
        """
        self._app = app
        self._request_s = request_s
        self._sockets: dict[int, Any] = {}
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # how many wait, a line each, would fill the log
        self._server = create_server(app, map=self._sockets, sockets=[listening], _dispatcher=FairThreads(), **_OPTIONS)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)
        self._is_stopping = threading.Event()
        self._unfinished: dict[Any, float] = {}
        """Requests that were not whole when last looked at, and since when."""

    def start(self) -> None:
        """Serve from now on."""
        allow_files(self._app)
        self._thread.start()

    def stop(self) -> None:
        """End the live streams, then everything else."""
        close_streams(self._app)
        self._is_stopping.set()
        self._server.pull_trigger()
        self._thread.join()
        wasyncore.close_all(self._sockets)  # only now: what wakes the thread is one of them

    def _serve(self) -> None:
        checked_s = time.monotonic()
        while not self._is_stopping.is_set():
            wasyncore.loop(timeout=_CHECK_S, use_poll=True, map=self._sockets, count=1)
            if (now_s := time.monotonic()) - checked_s >= _CHECK_S:
                checked_s = now_s
                self._close_unfinished(now_s)
        self._server.task_dispatcher.shutdown(timeout=_FINISH_WITHIN_S)

    def _close_unfinished(self, now_s: float) -> None:
        """Close the connections whose request has not been whole for too long."""
        begun = {one.request: one for one in self._server.active_channels.values() if one.request is not None}
        self._unfinished = {request: self._unfinished.get(request, now_s) for request in begun}
        for request, since_s in self._unfinished.items():
            if now_s - since_s >= self._request_s:
                begun[request].will_close = True


@dataclass(slots=True)
class RunningHub:
    """A hub that runs.

    Attributes:
        url: of the hall display.
        pin: what the referee's desk and the tournament's desk ask for.
    """

    hub: Hub
    url: str
    pin: str
    _stops: "SimpleQueue[bool]" = field(default_factory=SimpleQueue)

    def ask_to_stop(self) -> None:
        """Have the hub stop; from any thread, and from a signal's handler."""
        self._stops.put(True)

    def wait(self) -> None:
        """Wait until the hub is asked to stop: by SIGINT, by SIGTERM or by `ask_to_stop`."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._on_signal)
        self._stops.get()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.ask_to_stop()


@contextmanager
def running_hub(
    broker: Broker,
    store: str,
    *,
    host: str,
    port: int,
    data: Path,
    delay_s: float = 0.0,
    league: tuple[str, Broker] | None = None,
    names: Collection[str] = (),
) -> Iterator[RunningHub]:
    """A hub, taking in and showing to the end of the block.

    Args:
        store: the database's address.
        data: where a PIN that is made up is kept.
        league: this hall's name in a league, and the league's broker.
        names: of the pages beyond the local network.

    Raises:
        CompanionError: the port is taken, or the store cannot be opened.
    """
    with ExitStack() as closing:
        listening = closing.enter_context(bind(host, port))
        opened = Store(store)
        closing.callback(opened.close)
        hub = Hub(broker, opened, delay_s)
        pin = kept_pin(data / "hub-pin")
        director = Director(hub)
        server = HubServer(create_hub_app(hub, director, delay_s=delay_s, pin=pin, names=names), listening)
        hub.start()
        closing.callback(hub.stop)
        director.start()
        closing.callback(director.stop)
        if league:
            sending = League(hub, *league)
            sending.start()
            closing.callback(sending.stop)
        server.start()
        closing.callback(server.stop)
        yield RunningHub(hub, _url(listening), pin)


def kept_pin(path: Path) -> str:
    """A PIN made up once; nobody else may read it. What nobody could type, as a damaged file holds it, is made anew."""
    with storage_errors(f"cannot keep the PIN in {path}"):
        pin = read_file(path).decode(errors="replace").strip() if path.exists() else ""
        if not (pin and pin.isascii() and pin.isprintable()):
            pin = f"{secrets.randbelow(10**6):06}"
            write_whole(path, f"{pin}\n".encode(), mode=0o600)
    return pin


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{socket.gethostname() if host == '0.0.0.0' else host}:{port}/"
