"""Strangers in the same network who flood a table: what it holds meanwhile, and how soon its page opens to others.

    unshare --map-root-user --net python tests/soak/strangers.py [--connections 6000]

`companion run` serves a network of its own, in which strangers have 30 addresses. They open connections to the https
port and say nothing, begin requests that they never finish, ask for event streams, and ask again and again for what
takes longest. After each flood: files and memory that the process holds, and the page's times for somebody else. Exit
status 1 when the page takes more than 2 s in the 95th percentile, when the process holds more than 3,500 files or
300 MB, when a new game is refused, or when something is written to its log.
"""

import argparse
import contextlib
import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TABLE, GUEST, STRANGERS = "10.99.0.1", "10.99.0.2", [f"10.99.0.{n}" for n in range(10, 40)]
PORT, HTTPS_PORT = 8080, 8443
CODE, PIN = "ROSE42", "271828"
WITHIN_MS, MOST_FILES, MOST_MB = 2000.0, 3500, 300.0
SETTINGS = f"""[web]
port = {PORT}
https = true
https_port = {HTTPS_PORT}
join_code = "{CODE}"
operator_pin = "{PIN}"
[panel]
pins = "none"
"""
_HEAD = f" HTTP/1.1\r\nHost: {TABLE}\r\nConnection: close\r\n"
LONGEST = {
    "thousands of languages": f"GET /past{_HEAD}Accept-Language: {'a,' * 7000}\r\n\r\n",
    "statistics": f"GET /past/players{_HEAD}\r\n",
    "lists of numbers": f"POST /api/join{_HEAD}Content-Length: 61001\r\n\r\n[{'1,' * 30_499}1]",
}


@dataclass
class Trial:
    """The table, and what was wrong so far."""

    process: "subprocess.Popen[bytes]"
    wrong: list[str] = field(default_factory=list)

    def tell(self, flood: str) -> None:
        """Print how the table is during a flood."""
        times = sorted(ask("GET", "/")[1] for _ in range(20))
        files, held_mb = len(list(Path(f"/proc/{self.process.pid}/fd").iterdir())), self._memory_mb()
        header = {"record": 1, "game": "hexapod", "players": ["Ana", "Bo"]}
        begun, took = ask("POST", "/api/next", {"header": header})
        half_ms, most_ms = 1000 * times[9], 1000 * times[18]
        page = f"page {half_ms:4.0f} ms half, {most_ms:4.0f} ms at the 95th percentile"
        print(f"{flood:34} {files:5} files, {held_mb:4.0f} MB, {page}, a new game {1000 * took:4.0f} ms", flush=True)
        if begun != 200 or most_ms > WITHIN_MS or files > MOST_FILES or held_mb > MOST_MB:
            self.wrong.append(flood)

    def _memory_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def ask(method: str, path: str, body: object = None) -> tuple[int, float]:
    """A guest's request: its status, 0 for none within 30 s, and how long it took, in seconds."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection(TABLE, PORT, timeout=30, source_address=(GUEST, 0))
    with contextlib.closing(connection), contextlib.suppress(OSError):
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"X-Join-Code": CODE, "X-Operator-Pin": PIN})
        answer = connection.getresponse()
        answer.read()
        return answer.status, time.monotonic() - begun
    return 0, 30.0


@contextlib.contextmanager
def connections(number: int, addresses: list[str], port: int, sends: str = "") -> Iterator[None]:
    """Strangers' connections, kept until the end of the block."""
    held = []
    for n in range(number):
        with contextlib.suppress(OSError):  # the table may have enough of this address
            held.append(socket.create_connection((TABLE, port), 5, (addresses[n % len(addresses)], 0)))
            held[-1].sendall(sends.encode())
    yield
    for one in held:
        one.close()


@contextlib.contextmanager
def asking(request: str, at_once: int = 16) -> Iterator[None]:
    """One stranger who asks for the same again and again until the end of the block."""
    is_over = threading.Event()

    def again() -> None:
        while not is_over.is_set():
            with contextlib.suppress(OSError), socket.create_connection((TABLE, PORT), 5, (STRANGERS[0], 0)) as one:
                one.sendall(request.encode())
                while one.recv(65536):
                    pass

    threads = [threading.Thread(target=again) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    yield
    is_over.set()
    for thread in threads:
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=6000)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, 20_000))
    subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
    for address in (TABLE, GUEST, *STRANGERS):
        subprocess.run(("ip", "address", "add", f"{address}/24", "dev", "lo"), check=True)
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        settings = Path(folder) / "companion.toml"
        settings.write_text(SETTINGS)
        command = [sys.executable, "-m", "companion", "run", "--settings", str(settings), "--data", f"{folder}/data"]
        with subprocess.Popen(command, stdout=log, stderr=log) as process:
            trial = Trial(process)
            try:
                while ask("GET", "/healthz")[0] != 200 and process.poll() is None:
                    time.sleep(0.1)
                before = (Path(folder) / "log").stat().st_size
                trial.tell("nobody else")
                with connections(given.connections, STRANGERS[:1], HTTPS_PORT):
                    trial.tell("one is silent at the https port")
                with connections(given.connections, STRANGERS, HTTPS_PORT):
                    trial.tell("thirty are silent there")
                with connections(given.connections, STRANGERS, PORT, "GET / HT"):
                    trial.tell("thirty begin requests")
                with connections(
                    given.connections, STRANGERS, PORT, f"GET /api/events HTTP/1.1\r\nHost: {TABLE}\r\n\r\n"
                ):
                    trial.tell("thirty ask for event streams")
                for what, request in LONGEST.items():
                    with asking(request):
                        trial.tell(f"one asks for {what}")
                if (Path(folder) / "log").stat().st_size > before:
                    trial.wrong.append((Path(folder) / "log").read_text()[before:])
            finally:
                process.terminate()
    print("\n".join(trial.wrong))
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
