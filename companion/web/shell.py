"""What stands between the server and the application (ASGI 3.0 outside, WSGI inside).

Ordinary requests are read whole, within limits, and answered by the application on a few threads. Event streams take no
thread: the application lets them in and hands them over, and they are written here, side by side.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import BytesIO
from itertools import chain
from typing import Any
from weakref import WeakValueDictionary

from companion.web.streams import is_this_machine

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

HAND_OVER = "companion.hand_over"
"""Where in a request's environment the application finds to whom it hands an event stream over."""
SILENCE = "companion.silence"
"""Where in a request's environment, and before in the state of its connection, stands what tells for how many seconds
its visitor's machine has acknowledged nothing."""
_THREADS = 12
_MOST_THREADS_OF_ONE = 4
"""Of one address: whoever asks for a hundred slow pages waits for himself alone."""
_MOST_WAITING = 1024
_MOST_BODY_BYTES = 64 * 1024
_MOST_HEAD_BYTES = 16 * 1024
_PART_BYTES = 64 * 1024
_LONGEST_WISH = 1000
"""Characters of an ``Accept`` header that is heeded: seven thousand languages take ten times a page to weigh."""
_WOKEN_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Live:
    """An event stream that the application has let in.

    Attributes:
        steps: text to send, or for how many seconds at most to wait for news.
        close: gives the viewer's place back.
    """

    steps: Iterator[str | float]
    close: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the application answered.

    Attributes:
        body: all of it, or its beginning.
        rest: what follows, read while it is sent; None when nothing does.
        close: lets go of what the rest is read from.
    """

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    rest: Iterator[bytes] | None = None
    close: Callable[[], None] = lambda: None


class Bell:
    """Wakes the coroutines that wait for news; rung from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._is_ringing = False
        self._listening: set[asyncio.Event] = set()
        self._sleeping: list[asyncio.Event] = []

    @contextmanager
    def listener(self) -> Iterator[asyncio.Event]:
        """An event that is set at each ring, for a coroutine to wait for and clear."""
        self._loop = asyncio.get_running_loop()
        rung = asyncio.Event()
        self._listening.add(rung)
        try:
            yield rung
        finally:
            self._listening.discard(rung)

    def ring(self) -> None:
        """Wake whoever listens. Returns at once."""
        with self._lock:
            if self._loop is None or self._is_ringing or self._loop.is_closed():
                return
            self._is_ringing = True
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        with self._lock:
            self._is_ringing = False
        is_idle = not self._sleeping
        self._sleeping = list(self._listening)
        if is_idle:
            self._wake_some()

    def _wake_some(self) -> None:
        """Wake a few at a time: between them whoever asked something gets its answer."""
        for rung in self._sleeping[-_WOKEN_AT_ONCE:]:
            rung.set()
        del self._sleeping[-_WOKEN_AT_ONCE:]
        if self._sleeping and self._loop is not None:
            self._loop.call_soon(self._wake_some)


class Shell:
    """An ASGI application around a WSGI one."""

    def __init__(self, app: Wsgi, bell: Bell) -> None:
        """
        Args:
            bell: rung when there may be news for the event streams.
        """
        self._app = app
        self._bell = bell
        self._pool = ThreadPoolExecutor(_THREADS, "web")
        self._waiting = 0
        self._gates: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; none where the server has stopped meanwhile, and closed its connection."""
        with suppress(asyncio.CancelledError):
            await self._answer_whole(scope, receive, send)

    def stop(self) -> None:
        """Begin no more requests; nobody waits for those that are being answered."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _answer_whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        if refusal := _refused_head(scope):
            await _tell(send, refusal)
            return
        body = await _whole_body(receive)
        if body is None:
            return
        if self._waiting >= _MOST_WAITING:
            await _tell(send, _refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The table is too busy; try again."))
        else:
            await self._answer(scope, body, receive, send)

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        handed_over: list[Live] = []
        environment = {**_environment(scope, body), HAND_OVER: handed_over.append}
        self._waiting += 1
        try:
            async with self._gate(environment["REMOTE_ADDR"]):
                loop = asyncio.get_running_loop()
                answer = await loop.run_in_executor(self._pool, partial(_answered, self._app, environment))
            if handed_over:
                await self._write(handed_over[0], answer, receive, send)
            else:
                await _tell(send, answer)
        finally:
            self._waiting -= not handed_over
            for live in handed_over:
                live.close()

    def _gate(self, address: str) -> asyncio.Semaphore:
        """What lets an address have so many requests answered at once; this machine's own, all."""
        if is_this_machine(address):
            return asyncio.Semaphore(1)
        return self._gates.setdefault(address, asyncio.Semaphore(_MOST_THREADS_OF_ONE))

    async def _write(self, live: Live, answer: Answer, receive: Receive, send: Send) -> None:
        """Write a stream until it is over or the viewer has gone."""
        self._waiting -= 1
        headers = [(name, value) for name, value in answer.headers if name != b"content-length"]
        with self._bell.listener() as rung:
            gone = asyncio.ensure_future(receive())
            gone.add_done_callback(lambda _: rung.set())
            try:
                await send({"type": "http.response.start", "status": answer.status, "headers": headers})
                for step in live.steps:
                    if isinstance(step, str):
                        await send({"type": "http.response.body", "body": step.encode(), "more_body": True})
                    else:
                        await _heard_within(rung, step)
                    if gone.done():
                        return
                await send({"type": "http.response.body", "body": b""})
            finally:
                gone.cancel()


async def _heard_within(rung: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await rung.wait()
    except TimeoutError:
        pass
    rung.clear()


async def _whole_body(receive: Receive) -> bytes | None:
    """A request's body; None when the visitor has gone.

    Of one that is too large a little more than may be: by that the application knows it and refuses it.
    """
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += bytes(message.get("body", b""))
        if not message.get("more_body", False) or len(body) > _MOST_BODY_BYTES:
            return body


def _refused_head(scope: Scope) -> Answer | None:
    """Why a request is not even read."""
    asked = len(scope["path"]) + len(scope["query_string"])
    if asked + sum(len(name) + len(value) for name, value in scope["headers"]) > _MOST_HEAD_BYTES:
        return _refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's headers are too large.")
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
        # RFC 9112, 6.3: a proxy may have ended the body elsewhere, and taken what follows for another's request
        return _refusal(HTTPStatus.BAD_REQUEST, "The request says twice how long it is.", (b"connection", b"close"))
    return None


async def _tell(send: Send, answer: Answer) -> None:
    """Send an answer, a long one in parts: how long a viewer may take to read counts for each part alone."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    body = answer.body
    try:
        while answer.rest is not None and body:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            body = await asyncio.to_thread(next, answer.rest, b"")
        await send({"type": "http.response.body", "body": body})
    finally:
        answer.close()


def _answered(app: Wsgi, environment: dict[str, Any]) -> Answer:
    """What the application answers; in a thread of its own."""
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        begun.append((status, headers))

    response = app(environment, start_response)
    close: Callable[[], None] = getattr(response, "close", lambda: None)
    try:
        parts = _parts(response)
        body, following = next(parts, b""), next(parts, None)
    except BaseException:
        close()
        raise
    status, headers = begun[-1]
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    if following is None:
        close()
        return Answer(int(status.split()[0]), encoded, body)
    return Answer(int(status.split()[0]), encoded, body, chain((following,), parts), close)


def _parts(response: Iterable[bytes]) -> Iterator[bytes]:
    """A body in parts of `_PART_BYTES`, the last one shorter."""
    kept = b""
    for piece in response:
        kept += piece
        if len(kept) >= _PART_BYTES:
            whole = len(kept) - len(kept) % _PART_BYTES
            yield from (kept[at : at + _PART_BYTES] for at in range(0, whole, _PART_BYTES))
            kept = kept[whole:]
    if kept:
        yield kept


def _environment(scope: Scope, body: bytes) -> dict[str, Any]:
    """A request as PEP 3333 has it."""
    host, port = scope["server"]
    environment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode("utf-8", "surrogateescape").decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("", 0))[0],
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **scope.get("state", {}),
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").upper().replace("-", "_"), raw_value.decode("latin-1")
        if name in ("CONTENT_LENGTH", "TRANSFER_ENCODING") or b"_" in raw_name:
            continue  # the body is whole; and a name with an underscore could pose as another
        if name.startswith("ACCEPT") and len(value) > _LONGEST_WISH:
            continue
        key = name if name == "CONTENT_TYPE" else f"HTTP_{name}"
        separator = ";" if name == "COOKIE" else ","
        environment[key] = f"{environment[key]}{separator}{value}" if key in environment else value
    return environment


def _refusal(status: HTTPStatus, message: str, *headers: tuple[bytes, bytes]) -> Answer:
    body = json.dumps({"error": {"code": status.phrase.lower().replace(" ", "-"), "message": message}}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    return Answer(int(status), head, body)
