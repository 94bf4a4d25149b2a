"""A table of Hex'el behind the web application, a real server, and a real browser spoken to by the WebDriver protocol.

The protocol is plain JSON over HTTP (W3C WebDriver); the few calls needed here stand below instead of a dependency.
"""

import base64
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import TableError
from companion.referee.messages import Do, Notice
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.web.app import create_app
from companion.web.server import Server, bind

CODE = "ROSE42"
WAIT_MS = int(os.environ.get("COMPANION_WAIT_MS", "60000"))
SCRIPT_MS = 30000
"""For how long a script may run in a page."""
READY = "document.querySelector('.seat') && document.body.dataset.link == 'live'"
NOTICE_LASTS_MS = 1300
"""Longer than what is wrong must last before a page shows it."""
AXE = Path(__file__).parents[2] / ".cache/axe-core/axe.min.js"
"""Fetched for the tests alone: ``npm pack axe-core`` into ``.cache/axe-core``, as `.ci/run` does."""
FAULTS = """
const { violations } = await axe.run(document, { resultTypes: ['violations'] });
return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${impact} ${id}: ${html.slice(0, 160)} ${failureSummary.replace(/\\s+/g, ' ').slice(0, 300)}`));
"""
UNREAD = """
const place = document.getElementById('call'), bottom = (part) => part.getBoundingClientRect().bottom;
return [...place.querySelectorAll('li')].map((line) => [line, Math.min(bottom(place), bottom(line.parentElement))])
  .filter(([line, end]) => bottom(line) > end + 1).map(([{ textContent }]) => textContent);
"""
"""The sentences of the last call that are cut off."""

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
OPENING = (
    LINE,
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
)
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
MISMATCH = {**HEXEL, "edges": ["red"] * 6}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., Referee]]:
    """Opens tables of Hex'el for the players named, after the commands given."""
    opened: list[Referee] = []

    def open_one(*commands: dict[str, Any], players: tuple[str, ...] = ("Ana", "Bo")) -> Referee:
        header = Header("hexel", players, "36")
        referee = open_table(tmp_path / str(len(opened)), header, header, press_gap_s=0.0)
        opened.append(referee)
        referee.start()
        for command in commands:
            referee.ask(Do(command))
        return referee

    yield open_one
    for referee in opened:
        referee.stop()


@pytest.fixture
def referee(table: Callable[..., Referee]) -> Referee:
    """A table where Ana is to lay the round's first card."""
    return table(*OPENING)


@pytest.fixture
def app(referee: Referee) -> Flask:
    return create_app(referee, join_code=CODE)


@pytest.fixture
def spectator(app: Flask) -> FlaskClient:
    """A phone that only watches."""
    return app.test_client()


@pytest.fixture
def phone(app: Flask) -> FlaskClient:
    """A phone that has joined."""
    client = app.test_client()
    assert client.post("/api/join", json={"code": CODE}).status_code == 200
    return client


@pytest.fixture(scope="session")
def port() -> int:
    """Where one table after the other is served: the browser keeps what its pages share, as a phone does."""
    with bind("127.0.0.1", 0) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture(scope="session")
def windows() -> list["Browser"]:
    """The browsers that were opened in this run."""
    return []


@pytest.fixture
def serve(port: int, windows: list["Browser"], request: pytest.FixtureRequest) -> Iterator[Callable[[Flask], int]]:
    """Serves applications on loopback as the product does, and answers with the port: of several each has another.

    What no browser visits has a port of its own: a page that is left open asks at the old one.
    """
    running: list[Server] = []
    is_visited = "chromedriver" in request.fixturenames

    def serve_one(app: Flask) -> int:
        try:
            listening = bind("127.0.0.1", port if is_visited else 0)
        except TableError:  # it is taken
            listening = bind("127.0.0.1", 0)
        server = Server(app, listening)
        server.start()
        running.append(server)
        return int(listening.getsockname()[1])

    yield serve_one
    for window in windows if is_visited else ():
        window.leave()
    for server in running:
        server.stop()


def chromium_program(home: Path) -> Path | None:
    """Chromium without windows where it is installed, which does the same with a quarter less work, or else Chromium.

    Unlike Chromium it opens no page by itself, and chromedriver waits for one: a script in `home` starts it with one.
    """
    if shell := shutil.which("chromium-headless-shell"):
        program = home / "chromium-with-a-page"
        program.write_text(f'#!/bin/sh\nexec {shell} "$@" about:blank\n')
        program.chmod(0o755)
        return program
    return Path(found) if (found := shutil.which("chromium")) else None


class Browser:
    """One window of Chromium."""

    def __init__(self, driver_port: int, profile: Path) -> None:
        self._port = driver_port
        self._has_left = False
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--hide-scrollbars", f"--user-data-dir={profile}",
            "--disable-features=BackForwardCache,SpareRendererForSitePerProcess",  # processes that no test looks at
            "--in-process-gpu", "--enable-features=NetworkServiceInProcess2",  # and what these would say to each other,
            "--js-flags=--single-threaded", "--num-raster-threads=1",  # or threads, where tests take every core anyway
            "--disable-threaded-animation", "--disable-checker-imaging",
        ]  # fmt: skip
        options = {"binary": str(chromium_program(profile.parent)), "args": arguments}
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": SCRIPT_MS},
        }
        self._session = (
            "/session/" + self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        )

    def screen(self, width: int, height: int, *, dark: bool = False, scale: float = 1, still: bool = True) -> None:
        """The window's size in CSS pixels, day or night, and whether less motion is wanted."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}
        self._devtools("Emulation.setEmulatedMedia", {"features": [scheme, still]})

    def choose_text_size(self, px: int) -> None:
        """The size of text that the browser's settings say; 16 where nobody has chosen."""
        self._devtools("Page.setFontSizes", {"fontSizes": {"standard": px}})

    def ask_in(self, language: str) -> None:
        """Ask for pages in a language from now on."""
        self._devtools("Network.enable", {})
        self._devtools("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language}})

    def begin_with(self, script: str) -> Callable[[], None]:
        """Run a script in each page before its own, until what is returned is called."""
        added = self._devtools("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        return lambda: self._devtools("Page.removeScriptToEvaluateOnNewDocument", added)

    def go_offline(self, is_offline: bool) -> None:
        """Be out of reach of everything, or within it again."""
        self._devtools("Network.enable", {})
        speed = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._devtools("Network.emulateNetworkConditions", {"offline": is_offline, **speed})

    def forget_files(self) -> None:
        """Keep none of the files that pages let it keep, as a phone that was never here."""
        self._devtools("Network.clearBrowserCache", {})

    def open(self, url: str) -> None:
        self._has_left = False
        self._call("POST", f"{self._session}/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function body in the page returns."""
        return self._call("POST", f"{self._session}/execute/sync", {"script": script, "args": arguments})

    def tap(self, x: float, y: float) -> None:
        """A finger's tap, as the browser takes it from a real one."""
        for kind in ("mousePressed", "mouseReleased"):
            at = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self._devtools("Input.dispatchMouseEvent", at)

    def asynchronous(self, script: str) -> Any:
        """What a function body in the page hands to its last argument, a callback."""
        return self._call("POST", f"{self._session}/execute/async", {"script": script, "args": []})

    def wait_for(self, condition: str, within_ms: int = WAIT_MS) -> Any:
        """The first true value of an expression in the page, looked at fifty times a second.

        Where another page comes meanwhile the driver may lose the script, and says so after `SCRIPT_MS`.
        """
        script = (
            "const done = arguments[0]; const ends = Date.now() + " + str(min(within_ms, SCRIPT_MS // 3)) + ";"
            "const look = () => { let v = null; try { v = (" + condition + "); } catch (e) { v = null; }"
            " if (v || Date.now() > ends) done(v || null); else setTimeout(look, 20); }; look();"
        )
        ends_s = monotonic() + within_ms / 1000
        value = None
        while not value and monotonic() < ends_s:
            try:
                value = self.asynchronous(script)
            except RuntimeError as lost:
                if "script timeout" not in str(lost):
                    raise
        assert value, f"never came true on the page: {condition}"
        return value

    def put_clock_ahead(self, ms: float) -> None:
        """Let the page's scripts believe that so much time has passed; what they planned for then comes no sooner."""
        script = "const now = performance.now.bind(performance), [ms] = arguments; performance.now = () => now() + ms"
        self.run(script, ms)

    def picture(self) -> bytes:
        return base64.b64decode(self._call("GET", f"{self._session}/screenshot"))

    def printed(self, width_in: float, height_in: float) -> bytes:
        """The page on paper of that size, a PDF file's bytes."""
        paper = {"paperWidth": width_in, "paperHeight": height_in, "printBackground": True}
        return base64.b64decode(self._devtools("Page.printToPDF", paper)["data"])

    def complaints(self) -> list[str]:
        """What the browser's console has said in anger since the last time."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def leave(self) -> None:
        """Leave the page, which remembers nothing."""
        if self._has_left:
            return
        self.run("try { localStorage.clear(); sessionStorage.clear(); } catch { /* no page that could remember */ }")
        self.open("about:blank")
        self._has_left = True

    def forget(self) -> None:
        """Begin anew: no page, no cookies, nothing that a page remembers, no complaints so far."""
        self.leave()
        self._devtools("Network.clearBrowserCookies", {})
        self.ask_in("en")
        self.complaints()

    def close(self) -> None:
        self._call("DELETE", self._session)

    def _devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        return self._call("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "stacktrace" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
        return value


@pytest.fixture(scope="session")
def chromedriver(tmp_path_factory: pytest.TempPathFactory, windows: list[Browser]) -> Iterator[Callable[[], Browser]]:
    """Opens browsers, each with cookies of its own; what needs one is skipped where there is none, but not in CI."""
    home = tmp_path_factory.mktemp("chromium")
    if not chromium_program(home) or not shutil.which("chromedriver"):
        lacking = pytest.fail if os.environ.get("COMPANION_CI") else pytest.skip
        lacking("no Chromium with its chromedriver on this machine")
    with subprocess.Popen(
        ["chromedriver", "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "HOME": str(home)},
    ) as driver:
        assert driver.stdout is not None
        port = next(int(said[1]) for line in driver.stdout if (said := re.search(r"started .* on port (\d+)", line)))

        def open_one() -> Browser:
            windows.append(Browser(port, home / f"profile-{len(windows)}"))
            return windows[-1]

        yield open_one
        for browser in windows:
            browser.close()
        driver.terminate()


@pytest.fixture(scope="session")
def chromium(chromedriver: Callable[[], Browser]) -> Browser:
    """A browser for the whole run."""
    return chromedriver()


@pytest.fixture
def window(chromium: Browser) -> Browser:
    """The browser as a phone by day; its console must stay quiet."""
    chromium.forget()
    chromium.screen(390, 844)
    return chromium


@pytest.fixture
def visit(window: Browser, serve: Callable[[Flask], int]) -> Callable[..., Browser]:
    """Opens a table's page and waits until it is live."""

    def go(referee: Referee, path: str = f"/?code={CODE}") -> Browser:
        window.open(f"http://127.0.0.1:{serve(create_app(referee, join_code=CODE))}{path}")
        window.wait_for(READY)
        return window

    return go


class Relay:
    """A way to a table of this machine that can be lost without a word, as when its access point loses power."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._passes = threading.Event()
        self._passes.set()
        self._ends: list[socket.socket] = [self._listening]
        threading.Thread(target=self._take_in, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    def lose_all(self) -> None:
        """Pass nothing on from now on, and tell nobody."""
        self._passes.clear()

    def pass_again(self) -> None:
        """Pass on what came meanwhile, and all that follows."""
        self._passes.set()

    def close(self) -> None:
        self._passes.set()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _take_in(self) -> None:
        with suppress(OSError):
            while True:
                visitor, _ = self._listening.accept()
                table = socket.create_connection(("127.0.0.1", self._to_port))
                self._ends += [visitor, table]
                for source, target in ((visitor, table), (table, visitor)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._passes.wait()
                target.sendall(data)
            self._passes.wait()
            target.shutdown(socket.SHUT_WR)


@pytest.fixture
def relay() -> Iterator[Callable[[int], Relay]]:
    """Lays ways to tables."""
    laid: list[Relay] = []

    def lay(to_port: int) -> Relay:
        laid.append(Relay(to_port))
        return laid[-1]

    yield lay
    for way in laid:
        way.close()


def show_notices(referee: Referee, page: Browser) -> None:
    """Let the notices told so far have lasted on a page, which looks at them anew with each change of the table."""
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    page.put_clock_ahead(NOTICE_LASTS_MS)
    for text in ("Something passes.", None):
        referee.ask(Notice("passing", text))
    page.wait_for("document.querySelector('.notice:not(.is-calm)')")


@pytest.fixture(scope="session")
def axe() -> str:
    if not AXE.exists():
        (pytest.fail if os.environ.get("COMPANION_CI") else pytest.skip)(f"axe-core is not fetched: {AXE} is not there")
    return AXE.read_text()


@pytest.fixture
def faults(window: Browser, axe: str) -> Callable[[], list[str]]:
    """What axe finds on the page as it is, by day and by night."""

    def find() -> list[str]:
        window.run("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        if not window.run("return 'axe' in window"):
            window.run(axe)
        found = []
        for dark in (False, True):
            window.screen(*window.run("return [innerWidth, innerHeight]"), dark=dark)
            found += [f"{'night' if dark else 'day'} {fault}" for fault in window.run(FAULTS)]
        return found

    return find
