"""The web server of the hub's pages: threads, for a display holds one as long as it watches, and there are few."""

import socket
import threading
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore

from companion.hub.pages.web import MAX_STREAMS
from companion.web.app import close_streams

_CHECK_S = 1.0
_FINISH_WITHIN_S = 1.0
_OPTIONS: dict[str, Any] = {
    "threads": MAX_STREAMS + 12,  # each live stream holds one; the rest answer presses
    "connection_limit": 500,
    "max_request_body_size": 64 * 1024,
    "outbuf_high_watermark": 1024 * 1024,  # a viewer who stops reading must not fill the memory
    "channel_timeout": 30,
    "ident": "companion",
}


class HubServer:
    """One application on one bound socket, with its own threads."""

    def __init__(self, app: Flask, listening: socket.socket) -> None:
        self._app = app
        self._sockets: dict[int, Any] = {}
        self._server = create_server(app, map=self._sockets, sockets=[listening], **_OPTIONS)
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
            wasyncore.loop(timeout=_CHECK_S, use_poll=True, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=_FINISH_WITHIN_S)
