"""The web server: bound early, so that a busy port is known before anything slow, and stopped within a second."""

import socket
import threading
from collections.abc import Mapping
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore

from companion.errors import TableError
from companion.web.app import close_streams

_LISTENING = 128
_LOOK_UP_S = 1.0
_FINISH_WITHIN_S = 1.0


def bound(host: str, port: int) -> socket.socket:
    """A socket that already takes visitors in; they wait until a server serves them.

    Raises:
        TableError: `port-busy`, or an address that this machine does not have.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_LISTENING)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"cannot serve at {host}:{port}: {reason}; choose another --port", code="port-busy") from None
    return listening


class Server:
    """One application on one bound socket, with its own threads."""

    def __init__(self, app: Flask, listening: socket.socket, options: Mapping[str, Any]) -> None:
        self._app = app
        self._sockets: dict[int, Any] = {}
        self._server = create_server(app, map=self._sockets, sockets=[listening], **options)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)
        self._is_stopping = threading.Event()

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()

    def stop(self) -> None:
        """End the live streams, then everything else."""
        close_streams(self._app)
        self._is_stopping.set()
        self._server.pull_trigger()
        self._thread.join()
        wasyncore.close_all(self._sockets)  # only now: what wakes the thread is one of them

    def _serve(self) -> None:
        while not self._is_stopping.is_set():
            wasyncore.loop(timeout=_LOOK_UP_S, use_poll=True, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=_FINISH_WITHIN_S)
