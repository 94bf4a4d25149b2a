"""The server among visitors who are slow, greedy or gone: the page stays open to the others."""

import asyncio
import gc
import http.client
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.invitation import table_certificate
from companion.referee.messages import Notice
from companion.referee.referee import Referee
from companion.web.app import create_app
from companion.web.server import Deadlines, Server, bind
from companion.web.shell import Bell, Shell
from companion.web.streams import Pace

ROOT = Path(__file__).parents[2]
CODE = "ROSE42"
STREAM = b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n"


@pytest.fixture
def hurried(app: Flask, request: pytest.FixtureRequest) -> Iterator[int]:
    """A server that waits a tenth of a second for a request, and as long, or a parameter, for a reader; its port."""
    listening = bind("127.0.0.1", 0)
    server = Server(app, listening, Deadlines(request_s=0.1, read_s=getattr(request, "param", 0.1)))
    port = int(listening.getsockname()[1])
    server.start()
    yield port
    server.stop()


def connected(port: int, sends: bytes = b"") -> socket.socket:
    visitor = socket.create_connection(("127.0.0.1", port), timeout=10)
    visitor.sendall(sends)
    return visitor


def answer_to(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body, {name.replace("__", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    told = response.status, response.read()
    connection.close()
    return told


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: table\r\nX-Slow: a",
        b"POST /api/join HTTP/1.1\r\nHost: table\r\nContent-Length: 20\r\n\r\n{",
        b"POST /api/join HTTP/1.1\r\nHost: table\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        b"GET /healthz HTTP/1.1\r\nHost: table\r\n\r\nGET / HT",
    ],
)
def test_a_request_that_is_never_whole_is_closed(hurried: int, begun: bytes) -> None:
    with connected(hurried, begun) as slow:
        try:
            while slow.recv(65536):
                pass
        except ConnectionResetError:
            pass


def test_a_body_does_not_wait_until_its_headers_are_acknowledged() -> None:
    with bind("127.0.0.1", 0) as listening, connected(listening.getsockname()[1]), listening.accept()[0] as taken_in:
        assert taken_in.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_stream_is_no_request_that_is_late(hurried: int, referee: Referee) -> None:
    with connected(hurried, STREAM) as phone:
        told = phone.recv(65536)
        time_is_up = time.monotonic() + 0.3
        while time.monotonic() < time_is_up:
            referee.ask(Notice("hand", f"A hand rests since {time.monotonic()}."))
        while b"A hand rests" not in told:
            told += phone.recv(65536)


def test_who_asks_only_for_the_head_of_a_stream_takes_no_place(referee: Referee, serve: Callable[[Flask], int]) -> None:
    port = serve(create_app(referee, join_code=CODE, pace=Pace(most=1)))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for method, path in (("HEAD", "/api/events"), ("HEAD", "/api/events"), ("GET", "/api/state")):
        connection.request(method, path)
        response = connection.getresponse()
        assert response.status == 200
        assert bool(response.read()) == (method == "GET"), "the connection is free for the next request"
    connection.close()


def test_a_server_that_was_stopped_takes_no_connections(app: Flask) -> None:
    listening = bind("127.0.0.1", 0)
    there = listening.getsockname()[:2]
    server = Server(app, listening)
    server.start()
    socket.create_connection(there, 10).close()
    server.stop()
    with pytest.raises(OSError):
        socket.create_connection(there, 10)


def test_the_page_opens_among_hundreds_who_never_finish(app: Flask, serve: Callable[[Flask], int]) -> None:
    port = serve(app)
    slow = [connected(port, b"GET / HTTP/1.1\r\nX-Slow: ") for _ in range(300)]
    assert answer_to(port, "GET", "/")[0] == 200
    for visitor in slow:
        visitor.close()


def alive(visitors: list[socket.socket]) -> list[int]:
    """The visitors whose connection stands a moment later."""
    time.sleep(0.5)
    found = []
    for number, visitor in enumerate(visitors):
        visitor.setblocking(False)
        try:
            visitor.recv(1)
        except BlockingIOError:
            found.append(number)
        except ConnectionResetError:
            pass
        visitor.close()
    return found


@pytest.fixture
def crowded(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[int]]]:
    """Lets visitors come before the server runs, so that they are taken in at once, and tells who is left."""
    running: list[Server] = []

    def come(
        sends: bytes, addresses: list[str], certificate: tuple[Path, Path] | None = None, **limits: int
    ) -> list[int]:
        monkeypatch.setattr("companion.web.server.is_this_machine", lambda address: False)
        for name, value in limits.items():
            monkeypatch.setattr(f"companion.web.server._{name}", value)
        listening = bind("0.0.0.0", 0)
        there = ("127.0.0.1", listening.getsockname()[1])
        visitors = [socket.create_connection(there, 10, (address, 0)) for address in addresses]
        for visitor in visitors:
            visitor.sendall(sends)
        running.append(Server(app, listening, certificate=certificate))
        running[-1].start()
        return alive(visitors)

    yield come
    for server in running:
        server.stop()


def test_of_many_that_begin_at_once_an_address_keeps_its_share(crowded: Callable[..., list[int]]) -> None:
    assert crowded(b"GET / HT", ["127.0.0.1"] * 20, MOST_WAITING_OF_ONE=4) == [16, 17, 18, 19]


def test_an_address_has_a_share_of_the_handshakes_too(crowded: Callable[..., list[int]], tmp_path: Path) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    left = crowded(b"\x16", ["127.0.0.1"] * 9 + ["127.0.0.2"], (made.certificate, made.key), MOST_OF_ONE=4)
    assert left == [0, 1, 2, 3, 9]


def test_when_all_places_are_taken_the_greediest_gives_way(crowded: Callable[..., list[int]]) -> None:
    addresses = ["127.0.0.2", *["127.0.0.3"] * 5, "127.0.0.4", "127.0.0.5"]
    assert crowded(b"GET / HT", addresses, MOST_TOGETHER=6) == [0, 3, 4, 5, 6, 7]


def test_a_phone_that_leaves_gives_its_place_back_at_once(referee: Referee, serve: Callable[[Flask], int]) -> None:
    port = serve(create_app(referee, join_code=CODE, pace=Pace(most=1)))
    phone = connected(port, STREAM)
    assert b"200 OK" in phone.recv(65536)
    assert answer_to(port, "GET", "/api/events")[0] == 503
    phone.close()
    ends = time.monotonic() + 2.0
    told = b""
    while b"200 OK" not in told:
        assert time.monotonic() < ends, told
        with connected(port, STREAM) as again:
            told = again.recv(65536)


OPENING = """
import subprocess, sys, time
from pathlib import Path
from companion.referee.referee import open_table
from companion.rules.engine import Header
from companion.referee.messages import Notice
from companion.web.app import create_app
from companion.web.server import Server, bind
from companion.web.streams import Pace, TooManyStreams
from tests.web.test_server import STREAM, connected

subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
header = Header("hexel", ("Ana", "Bo"), "36")
referee = open_table(Path(sys.argv[1]), header, header)
referee.start()
"""
VANISHING = """
app, listening = create_app(referee, join_code="ROSE42"), bind("127.0.0.1", 0, silent_s=2)
Server(app, listening).start()
phone = connected(listening.getsockname()[1], STREAM)
assert b"200 OK" in phone.recv(65536)
streams = app.extensions["companion"].streams
subprocess.run(("ip", "link", "set", "lo", "down"), check=True)
begun = time.monotonic()
while streams._open:
    time.sleep(0.01)
print(time.monotonic() - begun)
"""


def alone(script: str, data: Path) -> str:
    """What a script prints that has a network of its own."""
    own = ("unshare", "--map-root-user", "--net")
    if shutil.which("ip") is None or subprocess.run((*own, "true"), capture_output=True).returncode:
        pytest.skip("this machine gives no network of one's own (unshare --net)")
    command = (*own, sys.executable, "-c", script, str(data))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_phone_that_vanishes_without_a_word_gives_its_place_back_within_seconds(tmp_path: Path) -> None:
    assert float(alone(OPENING + VANISHING, tmp_path)) < 4.0


ROAMING = """
app, listening = create_app(referee, join_code="ROSE42", pace=Pace(most=1)), bind("127.0.0.1", 0)
Server(app, listening).start()
phone = connected(listening.getsockname()[1], STREAM)
assert b"200 OK" in phone.recv(65536)
streams, feed = app.extensions["companion"].streams, referee.feed

def is_let_in():
    try:
        return streams.enter(feed, None)
    except TooManyStreams:
        return None

begun = time.monotonic()
while time.monotonic() < begun + 3:
    assert is_let_in() is None, "whoever is there keeps the place"
    time.sleep(0.01)
subprocess.run(("ip", "link", "set", "lo", "down"), check=True)
time.sleep(2.5)
subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
referee.ask(Notice("hand", "A hand."))
told = b"."
while b"A hand." not in told:
    told = phone.recv(65536)
    assert told, "one that roams is not cut while nobody waits"
time.sleep(1.0)
subprocess.run(("ip", "link", "set", "lo", "down"), check=True)
begun = time.monotonic()
while is_let_in() is None:
    time.sleep(0.01)
print(time.monotonic() - begun)
"""


def test_a_silent_phone_gives_its_place_to_one_who_needs_it_and_else_keeps_it(tmp_path: Path) -> None:
    assert float(alone(OPENING + ROAMING, tmp_path)) < 2.0


CROWDED = """
import resource, sys, time
from pathlib import Path
from companion.referee.referee import open_table
from companion.rules.engine import Header
from companion.web.app import create_app
from companion.web.server import Server, bind
from tests.web.test_server import connected

header = Header("hexel", ("Ana", "Bo"), "36")
referee = open_table(Path(sys.argv[1]), header, header)
referee.start()
app, listening = create_app(referee, join_code="ROSE42"), bind("127.0.0.1", 0)
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
server = Server(app, listening)
server.start()
port = listening.getsockname()[1]


def answers():
    with connected(port, b"GET /api/state HTTP/1.1\\r\\nHost: table\\r\\n\\r\\n") as visitor:
        return b"200 OK" in visitor.recv(65536)


assert answers()  # else there may be no files left for the server to begin with
visitors = []
try:
    while True:
        visitors.append(connected(port, b"GET"))
except OSError:
    pass
if sys.argv[2] == "goes on":
    time.sleep(1.5)
    for visitor in visitors:
        visitor.close()
    assert answers()
server.stop()
"""


@pytest.mark.parametrize("then", ["goes on", "stops"])
def test_where_no_more_files_can_be_opened_the_log_has_a_line_and_the_table(then: str, tmp_path: Path) -> None:
    command = (sys.executable, "-c", CROWDED, str(tmp_path), then)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["Too many open files"]


def test_a_viewer_who_does_not_read_is_let_go(hurried: int, app: Flask, referee: Referee) -> None:
    deaf = connected(hurried, STREAM)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    streams, ends = app.extensions["companion"].streams, time.monotonic() + 20.0
    while not streams._open:
        assert time.monotonic() < ends
    while streams._open:
        referee.ask(Notice("hand", "x" * 60_000 + str(time.monotonic())))
        assert time.monotonic() < ends
    deaf.close()


@pytest.mark.parametrize("hurried", [0.7], indirect=True)  # less than all of it takes, more than a busy machine stalls
def test_a_large_file_reaches_whoever_reads_it_slowly_but_steadily(app: Flask, hurried: int) -> None:
    app.add_url_rule("/large", view_func=lambda: bytes(16_000_000))
    with connected(hurried) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
        slow.sendall(b"GET /large HTTP/1.1\r\nHost: table\r\nConnection: close\r\n\r\n")
        begun_s, read = time.monotonic(), 0
        while part := slow.recv(50_000):
            read += len(part)
            time.sleep(0.004)
    assert read > 16_000_000
    assert time.monotonic() - begun_s > 0.7, "longer than a viewer may let one part wait"


def test_an_address_that_asks_for_a_hundred_slow_things_keeps_nobody_waiting() -> None:
    finish = threading.Event()

    def app(environment: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environment["REMOTE_ADDR"] == "192.0.2.1":
            finish.wait(20)
        start_response("200 OK", [])
        return [b""]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def ask(shell: Shell, address: str) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"method": "GET", "path": "/", "query_string": b"", "http_version": "1.1", "headers": []}
        await shell({**scope, "server": ("table", 80), "client": (address, 9)}, receive, send)
        return int(sent[0]["status"])

    async def crowd() -> list[int]:
        shell = Shell(app, Bell())
        greedy = [asyncio.create_task(ask(shell, "192.0.2.1")) for _ in range(100)]
        await asyncio.sleep(0)
        async with asyncio.timeout(10):
            first = await ask(shell, "192.0.2.2")
        finish.set()
        return [first, *await asyncio.gather(*greedy)]

    assert asyncio.run(crowd()) == [200] * 101


@pytest.mark.parametrize("path", ["/api/join", "/api/commands"])
@pytest.mark.parametrize("size", [64 * 1024 + 1, 300_000])
def test_a_body_that_is_too_large_is_malformed(app: Flask, serve: Callable[[Flask], int], path: str, size: int) -> None:
    status, told = answer_to(serve(app), "POST", path, b"{" + b" " * (size - 2) + b"}", X__Join__Code=CODE)
    assert (status, json.loads(told)["error"]["code"]) == (400, "malformed")


def test_a_body_of_the_largest_size_is_read(app: Flask, serve: Callable[[Flask], int]) -> None:
    press = json.dumps({"cmd": "fly"}).encode()
    told = answer_to(serve(app), "POST", "/api/commands", press.ljust(64 * 1024), X__Join__Code=CODE)
    assert told[0] == 400 and "no such command" in json.loads(told[1])["error"]["message"]


def test_a_request_with_too_many_headers_is_refused_in_the_common_form(
    app: Flask, serve: Callable[[Flask], int]
) -> None:
    port = serve(app)
    for path, headers in (("/", {"X-Long": "a" * 20_000}), ("/?" + "a" * 20_000, {})):
        status, told = answer_to(port, "GET", path, **headers)
        assert (status, json.loads(told)["error"]["code"]) == (431, "request-header-fields-too-large")
    assert answer_to(port, "GET", "/", Cookie="other=" + "a" * 4000)[0] == 200


def test_a_list_of_thousands_of_languages_is_not_weighed(app: Flask, serve: Callable[[Flask], int]) -> None:
    port = serve(app)
    assert b'lang="de"' in answer_to(port, "GET", "/", Accept__Language="de")[1]
    assert b'lang="en"' in answer_to(port, "GET", "/", Accept__Language="de" + ",a" * 5000)[1]


def test_a_request_that_says_twice_how_long_it_is_ends_its_connection(
    app: Flask, serve: Callable[[Flask], int]
) -> None:
    both = b"POST /api/join HTTP/1.1\r\nHost: table\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    told = b""
    with connected(serve(app), both + b"GET /api/me HTTP/1.1\r\nHost: table\r\n\r\n") as smuggler:
        while part := smuggler.recv(65536):
            told += part
    assert told.startswith(b"HTTP/1.1 400") and told.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("head", [b"", b"Content-Length: 4\r\n", b"X-Long: " + b"a" * 20_000 + b"\r\n"])
@pytest.mark.parametrize("body", [b"", b"11170\r\n" + b" " * 0x11170 + b"\r\n"])
@pytest.mark.parametrize("method", [b"POST", b"HEAD"])
def test_rubbish_in_a_request_is_nothing_for_the_log(
    hurried: int, caplog: pytest.LogCaptureFixture, head: bytes, body: bytes, method: bytes
) -> None:
    begun = method + b" / HTTP/1.1\r\nHost: table\r\nTransfer-Encoding: chunked\r\n" + head + b"\r\n" + body
    for parts in ([begun + b"rubbish\r\n"], [begun, b"rubbish\r\n"]):
        with connected(hurried) as rude:
            try:
                for part in parts:
                    rude.sendall(part)
                    time.sleep(0.02)
                while rude.recv(65536):
                    pass
            except (ConnectionResetError, BrokenPipeError):
                pass
    assert not caplog.records


def test_a_header_with_an_underscore_poses_as_no_other(app: Flask, serve: Callable[[Flask], int]) -> None:
    port, press = serve(app), json.dumps({"cmd": "pass", "player": "Ana"}).encode()
    assert answer_to(port, "POST", "/api/commands", press, X_Join_Code=CODE)[0] == 401
    assert answer_to(port, "POST", "/api/commands", press, X__Join__Code=CODE)[0] == 200


def test_an_address_of_the_network_has_a_share_of_the_streams(referee: Referee) -> None:
    watcher = create_app(referee, join_code=CODE, pace=Pace(most=10, most_of_one=2)).test_client()
    here = [watcher.get("/api/events") for _ in range(4)]
    there = [watcher.get("/api/events", environ_base={"REMOTE_ADDR": "192.0.2.7"}) for _ in range(3)]
    assert [answer.status_code for answer in (*here, *there)] == [200, 200, 200, 200, 200, 200, 503]
    for answer in (*here, *there):
        answer.close()


@pytest.mark.parametrize("name", ["If-Modified-Since", "If-Unmodified-Since", "If-Range"])
def test_a_date_that_no_calendar_has_is_as_not_sent(spectator: FlaskClient, name: str) -> None:
    asked = {name: "Sun, 06 Nov 99999999999 08:49:37 GMT", "Range": "bytes=0-9"}
    with spectator.get("/static/page.css", headers=asked) as answer:
        assert answer.status_code in (200, 206)


def test_a_path_with_letters_of_any_script_is_only_not_found(app: Flask, serve: Callable[[Flask], int]) -> None:
    port = serve(app)
    paths = ("/%E7%8E%B2", "/%ff", "/a%00b", "//x", "/..%2f..%2fetc")
    assert {answer_to(port, "GET", path)[0] for path in paths} == {404}


def test_no_one_who_comes_while_it_stops_is_left_behind(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: left.append(told.exc_value))
    came: list[socket.socket] = []

    def come(port: int) -> None:
        with suppress(OSError):
            for _ in range(40):
                came.append(socket.create_connection(("127.0.0.1", port), timeout=1))

    for delay_s in (0.0, 0.004, 0.008):
        listening = bind("127.0.0.1", 0)
        server = Server(app, listening)
        server.start()
        people = [threading.Thread(target=come, args=listening.getsockname()[1:]) for _ in range(4)]
        for one in people:
            one.start()
        time.sleep(delay_s)
        server.stop()
        for one in people:
            one.join()
        del server
    for one in came:
        one.close()
    gc.collect()
    assert left == []
