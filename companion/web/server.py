"""The web server: bound early, so that a busy port is known before anything slow, and stopped within a second.

A visitor has so long to say what it wants, and no address may hold more than its share: else a few hundred connections
that send a byte now and then would keep everybody else out.
"""

import asyncio
import asyncio.sslproto
import asyncio.trsock
import errno
import logging
import math
import resource
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import h11
import uvicorn
from flask import Flask
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.errors import CompanionError, TableError
from companion.web.app import close_streams
from companion.web.shell import SILENCE, Bell, Shell
from companion.web.streams import is_this_machine

_LISTENING = 1024
_FINISH_WITHIN_S = 1
_LOOKS_EACH_S = 0.005
"""How often a server that stops looks whether its connections have finished."""
_IDLE_S = 5
_MOST_WAITING, _MOST_WAITING_OF_ONE = 1024, 64
"""Connections whose request is not whole; of more the earliest is closed."""
_MOST_OF_ONE, _MOST_TOGETHER, _MOST_LEAVING = 256, 1536, 64
"""Connections; of more an address has its newest closed, all together the earliest of the address that has the most,
while not too many wait for being closed."""
_ALWAYS_OF_ONE = 8
"""So many an address always has: a browser opens six."""
_FILES = 4096
_TOLD_EVERY_S = 60.0
_NO_FILES = "%s: visitors wait until others leave; LimitNOFILE of the service, or ulimit -n, allows more"
_RENEWED_EVERY_S = 60
"""A Pi learns the time within a minute of being on the network: till then its certificate may be years too old."""
_TLS_BUFFER_BYTES = 16 * 1024
"""Of each connection: TLS's largest record. asyncio takes 256 KiB: 2,000 strangers would fill half a gigabyte."""
_LAST_ACK_AT = 56
"""Where `struct tcp_info` has the milliseconds since the last acknowledgement."""
_SILENT_S = 5
"""A phone that roams or saves power may be silent for three seconds and is there; if it was not, it comes again."""


class _Listening(socket.socket):
    """A socket that takes so many visitors in, also those in a handshake, of whom no protocol knows yet."""

    def __init__(self, family: int, kind: int) -> None:
        super().__init__(family, kind)
        self._taken_in: list[tuple[str, socket.socket]] = []
        self._leaving: list[socket.socket] = []

    def accept(self) -> tuple[socket.socket, Any]:
        """The next visitor who is not turned away. Raises `BlockingIOError` when nobody waits."""
        while True:
            visitor, address = super().accept()
            if self._make_room(address[0]):
                self._taken_in.append((address[0], visitor))
                return visitor, address
            visitor.close()

    def _make_room(self, address: str) -> bool:
        """Make room for one more of an address, for which somebody else may have to go; False where there is none."""
        self._taken_in = [(of, taken) for of, taken in self._taken_in if taken.fileno() >= 0]
        self._leaving = [taken for taken in self._leaving if taken.fileno() >= 0]
        number = Counter(of for of, _ in self._taken_in)
        if number[address] >= _MOST_OF_ONE and not is_this_machine(address):
            return False
        if len(self._taken_in) < _MOST_TOGETHER:
            return True
        if len(self._leaving) >= _MOST_LEAVING and number[address] >= _ALWAYS_OF_ONE:
            return False
        greediest = number.most_common(1)[0][0]
        self._let_go(next(place for place, (of, _) in enumerate(self._taken_in) if of == greediest))
        return True

    def _let_go(self, place: int) -> None:
        leaving = self._taken_in.pop(place)[1]
        with suppress(OSError):
            leaving.shutdown(socket.SHUT_RDWR)  # its protocol hears that it has gone, and closes it soon
        self._leaving.append(leaving)


def bind(host: str, port: int, silent_s: int = _SILENT_S) -> socket.socket:
    """A socket that already takes visitors in; they wait until a server serves them.

    Args:
        silent_s: a visitor whose machine acknowledges nothing for so long, though asked, has gone.

    Raises:
        TableError: `port-busy`, or an address that this machine does not have.
    """
    listening = _Listening(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # what is accepted inherits all of these
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a body waits 40 ms behind its headers
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, silent_s * 1000)
        listening.bind((host, port))
        listening.listen(_LISTENING)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"cannot serve at {host}:{port}: {reason}; choose another --port", code="port-busy") from None
    return listening


def silence_s(link: asyncio.trsock.TransportSocket) -> float:
    """For how long a visitor's machine, which is asked each second, has acknowledged nothing; Linux's tcp(7)."""
    try:
        tcp_info = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LAST_ACK_AT + 4)
    except OSError:  # closed meanwhile
        return math.inf
    return float(struct.unpack_from("=I", tcp_info, _LAST_ACK_AT)[0]) / 1000


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a visitor may take.

    Attributes:
        request_s: from the connection, or the answer before, to the last byte of a request.
        read_s: to read what is written; who takes longer must not fill the memory.
    """

    request_s: float = 10.0
    read_s: float = 10.0


class Crowd:
    """The connections whose request is not whole. Used by the server's loop alone."""

    def __init__(self, deadlines: Deadlines) -> None:
        self.deadlines = deadlines
        self._waiting: dict[Visitor, None] = {}
        self._waiting_of: dict[str, dict[Visitor, None]] = {}

    def wait(self, visitor: "Visitor") -> None:
        """Its request is not whole; of too many that wait the earliest goes."""
        own = self._waiting_of.setdefault(visitor.address, {})
        self._waiting[visitor] = own[visitor] = None
        if len(own) > _MOST_WAITING_OF_ONE and not is_this_machine(visitor.address):
            self._turn_away(next(iter(own)))
        elif len(self._waiting) > _MOST_WAITING:
            self._turn_away(next(iter(self._waiting)))

    def _turn_away(self, visitor: "Visitor") -> None:
        self.serve(visitor)
        visitor.transport.abort()

    def is_waiting(self, visitor: "Visitor") -> bool:
        """Whether its request is not whole."""
        return visitor in self._waiting

    def serve(self, visitor: "Visitor") -> None:
        """Its request is whole, or it has gone."""
        self._waiting.pop(visitor, None)
        own = self._waiting_of.get(visitor.address, {})
        own.pop(visitor, None)
        if not own:
            self._waiting_of.pop(visitor.address, None)


class Visitor(H11Protocol):
    """One connection, with its deadlines."""

    def __init__(self, crowd: Crowd, **given: Any) -> None:
        super().__init__(**given)
        self.address = ""
        self._crowd = crowd
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The connection is there."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else "127.0.0.1"
        self.app_state = {SILENCE: partial(silence_s, transport.get_extra_info("socket"))}
        self._crowd.wait(self)
        self._deadline = self.loop.call_later(self._crowd.deadlines.request_s, self._overdue)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request came."""
        super().data_received(data)
        self._check()

    def _check(self) -> None:
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._crowd.serve(self)

    def on_response_complete(self) -> None:
        """One request is answered; another may come."""
        self._crowd.wait(self)
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self._crowd.deadlines.request_s, self._overdue)
        super().on_response_complete()
        self._check()  # at what came while this one was answered

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._crowd.serve(self)
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Rubbish came; the application may be reading it, or have begun to answer what came before it."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        with suppress(h11.LocalProtocolError):  # too late to say so
            super().send_400_response(msg)
        self.transport.close()

    def pause_writing(self) -> None:
        """The visitor does not read as fast as it is told."""
        super().pause_writing()
        self._unread = self.loop.call_later(self._crowd.deadlines.read_s, self.transport.abort)

    def resume_writing(self) -> None:
        """It has caught up."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def _overdue(self, may_read: bool = True) -> None:
        """End the connection; one that has not taken all of its last answer may read on for a while."""
        if not self._crowd.is_waiting(self):
            return
        if may_read and self.transport.get_write_buffer_size():
            self._deadline = self.loop.call_later(self._crowd.deadlines.read_s, self._overdue, False)
        else:
            self.transport.abort()


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that waits as long for a TLS handshake as for a request; uvicorn leaves it a minute."""

    def __init__(self, handshake_s: float) -> None:
        super().__init__()
        self._handshake_s = handshake_s

    async def create_server(self, *given: Any, ssl: Any = None, **named: Any) -> asyncio.Server:
        """A server, as the base class makes it."""
        return await super().create_server(*given, ssl=ssl, ssl_handshake_timeout=ssl and self._handshake_s, **named)

    def _start_serving(self, protocol_factory: Any, sock: socket.socket, *given: Any, **named: Any) -> None:
        """Listen, as the base class does: a second after no more files could be opened too, unless all is closed then.

        asyncio asks for that a thousand times, and each would fail with a traceback.
        """
        if sock.fileno() >= 0:
            super()._start_serving(protocol_factory, sock, *given, **named)  # type: ignore[misc]


class _PromptServer(uvicorn.Server):
    """uvicorn's server, stopped at once by another thread.

    As it comes it looks ten times a second whether it is to stop, and then waits a tenth of a second for its
    connections even when none is left.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ticks: asyncio.Future[None] | None = None

    def leave(self) -> None:
        """Stop serving. Returns at once; called from any thread."""
        self.should_exit = True
        if (ticks := self._ticks) is not None:
            with suppress(RuntimeError):  # its loop is closed: it has stopped already
                ticks.get_loop().call_soon_threadsafe(ticks.cancel)

    async def main_loop(self) -> None:
        """Serve until it is to stop."""
        self._ticks = asyncio.ensure_future(super().main_loop())
        with suppress(asyncio.CancelledError):
            await self._ticks

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what listens, let each connection finish its answer within the time configured, cancel the others."""
        loop = asyncio.get_running_loop()
        for listening in sockets or ():
            loop.remove_reader(listening)
        # asyncio loses a connection that was accepted and is not yet attached when its server closes
        await asyncio.sleep(_LOOKS_EACH_S)
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_LOOKS_EACH_S)
                for server in self.servers:
                    await server.wait_closed()
        except TimeoutError:
            for connection in list(self.server_state.connections):
                cast(Visitor, connection).transport.abort()
            await asyncio.sleep(_LOOKS_EACH_S)  # a request that knows that its visitor has gone ends without a word
            for task in list(self.server_state.tasks):
                task.cancel()


class Server:
    """One application on one bound socket, with its own threads."""

    def __init__(
        self,
        app: Flask,
        listening: socket.socket,
        deadlines: Deadlines | None = None,
        certificate: tuple[Path, Path] | None = None,
        renew: Callable[[], object] | None = None,
        renew_every_s: int = _RENEWED_EVERY_S,
    ) -> None:
        """
        Args:
            certificate: the files of a certificate and of its key, for https; None: http.
            renew: writes these files anew where that is due, asked now and then; connections from then on get them.
            renew_every_s: how often it is asked.
        """
        self._app = app
        self._deadlines = deadlines or Deadlines()
        self._listening = listening
        self._bell = Bell()
        self._shell = Shell(app, self._bell)
        self._server = _PromptServer(
            uvicorn.Config(
                self._shell,
                http=cast(Any, partial(Visitor, Crowd(self._deadlines))),
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",  # a guest's rubbish, a warning each, would fill the log
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=_LISTENING,
                timeout_keep_alive=_IDLE_S,
                timeout_graceful_shutdown=_FINISH_WITHIN_S,
                ssl_certfile=certificate and certificate[0],
                ssl_keyfile=certificate and certificate[1],
                callback_notify=renew and partial(self._renew, renew),
                timeout_notify=renew_every_s,
            )
        )
        if certificate is not None:
            asyncio.sslproto.SSLProtocol.max_size = _TLS_BUFFER_BYTES
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    def start(self) -> None:
        """Serve from now on."""
        allow_files(self._app)
        self._app.extensions["companion"].referee.feed.ring(self._bell.ring)
        self._thread.start()

    def stop(self) -> None:
        """End the live streams, then everything else."""
        close_streams(self._app)
        self._server.leave()
        self._thread.join()
        self._shell.stop()

    async def _renew(self, renew: Callable[[], object]) -> None:
        config = self._server.config
        assert config.ssl is not None and config.ssl_certfile is not None
        with suppress(CompanionError, OSError):  # a disk that is full: by the certificate that there is, then
            await asyncio.to_thread(renew)
            config.ssl.load_cert_chain(config.ssl_certfile, config.ssl_keyfile)

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: _Loop(self._deadlines.request_s)) as runner:
            runner.run(self._server.serve(sockets=[self._listening]))


def allow_files(app: Flask, wanted: int = _FILES) -> None:
    """Let this process have so many files and connections open, or as many as the system grants.

    Where that is not enough, one line a minute says so, and no traceback for each visitor.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard >= 0 else wanted, hard))
    for log in (app.logger, *map(logging.getLogger, ("asyncio", "uvicorn.error", "waitress"))):
        log.addFilter(_say_seldom)


class _OutOfFiles:
    """A filter of a log: that no more files can be opened is told in one line, and not again for a while."""

    def __init__(self) -> None:
        self._told_s = -math.inf

    def __call__(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            return True
        is_due = time.monotonic() - self._told_s >= _TOLD_EVERY_S
        if is_due:
            self._told_s = time.monotonic()
            record.msg, record.args, record.exc_info = _NO_FILES, (error.strerror,), None
        return is_due


_say_seldom = _OutOfFiles()
