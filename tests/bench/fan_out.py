"""Two hundred phones on one table: how soon each change reaches all of them, and how soon a command answers.

    python tests/bench/fan_out.py [--clients 200] [--changes 60]

A table of its own runs in another process. Exit status 1 when the 95th percentile of the time from sending a command to
the last phone that hears of it is above 100 ms, or that of the command's answer above 50 ms.
"""

import argparse
import http.client
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HEARD_WITHIN_MS = 100.0
ANSWERED_WITHIN_MS = 50.0
CODE, PIN = "ROSE42", "271828"
_ID = re.compile(rb"^id: (\d+)$", re.M)


@dataclass(slots=True)
class Phones:
    """Event streams, all read by one thread; notes when each version came to the first and to the last of them."""

    port: int
    heard_s: dict[int, list[float]] = field(default_factory=dict)
    lost: int = 0
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _tails: dict[int, bytes] = field(default_factory=dict)

    def open(self, number: int) -> None:
        for _ in range(number):
            phone = socket.create_connection(("127.0.0.1", self.port))
            phone.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
            phone.setblocking(False)
            self._selector.register(phone, selectors.EVENT_READ)
            self._tails[phone.fileno()] = b""

    def listen(self) -> None:
        while self._tails:
            for key, _ in self._selector.select(timeout=1.0):
                self._read(key.fileobj)  # type: ignore[arg-type]

    def _read(self, phone: socket.socket) -> None:
        data = phone.recv(1 << 20)
        now_s = time.monotonic()
        if not data:
            self._selector.unregister(phone)
            self.lost += 1
            self._tails.pop(phone.fileno())
            return
        *lines, tail = (self._tails[phone.fileno()] + data).split(b"\n")
        self._tails[phone.fileno()] = tail
        for line in lines:
            if found := _ID.match(line):
                self.heard_s.setdefault(int(found[1]), []).append(now_s)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--changes", type=int, default=60)
    given = parser.parse_args()
    with running_table() as (port, process):
        before_mb = memory_mb(process)
        phones = Phones(port)
        phones.open(given.clients)
        threading.Thread(target=phones.listen, daemon=True).start()
        wait_for_all(phones, given.clients)
        busy_s = processor_s(process)
        asked = [changed(port, number) for number in range(given.changes)]
        time.sleep(1.0)
        busy_s = processor_s(process) - busy_s
        after_mb, lost = memory_mb(process), phones.lost
    last = [max(phones.heard_s[version]) - sent_s for version, sent_s, _ in asked]
    each = [heard_s - sent_s for version, sent_s, _ in asked for heard_s in phones.heard_s[version]]
    missed = sum(given.clients - len(phones.heard_s[version]) for version, _, _ in asked)
    answered = [answered_s for _, _, answered_s in asked]
    print(f"{given.clients} phones, {given.changes} changes, {missed} deliveries missed, {lost} streams lost")
    print(f"a change reaches a phone       {percentiles(each)}")
    print(f"a change reaches the last one  {percentiles(last)}")
    print(f"a command is answered          {percentiles(answered)}")
    print(f"processor time of the table    {1000 * busy_s / given.changes:.0f} ms a change, all deliveries included")
    print(f"memory of the table            {before_mb:.0f} MB before, {after_mb:.0f} MB with all of them")
    is_fast = percentile(last, 95) <= HEARD_WITHIN_MS and percentile(answered, 95) <= ANSWERED_WITHIN_MS
    return 0 if is_fast and not missed and not lost else 1


@contextmanager
def running_table() -> Iterator[tuple[int, int]]:
    """A table without a camera, as `companion run` serves it: its port and its process's number."""
    with tempfile.TemporaryDirectory() as data:
        settings = Path(data) / "companion.toml"
        settings.write_text(f'[web]\nhost = "127.0.0.1"\nport = 0\njoin_code = "{CODE}"\noperator_pin = "{PIN}"\n')
        command = [sys.executable, "-m", "companion", "run", "--settings", str(settings), "--data", f"{data}/games"]
        options = ["--game", "hexel", "--players", "Ana,Bo", "--pins", "none"]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            told = ""
            while "PIN" not in told:
                told += process.stdout.readline()
            found = re.search(r"http://\S+:(\d+)/", told)
            assert found is not None, told
            yield int(found[1]), process.pid
            process.terminate()


def wait_for_all(phones: Phones, number: int) -> None:
    """Until every phone has been told how the table stands."""
    ends_s = time.monotonic() + 30.0
    while sum(map(len, phones.heard_s.values())) < number:
        if time.monotonic() > ends_s:
            raise SystemExit(f"only {sum(map(len, phones.heard_s.values()))} of {number} phones were let in")
        time.sleep(0.05)


def changed(port: int, number: int) -> tuple[int, float, float]:
    """One change of the table: its version, when it was asked for, and how long the answer took. Then a short rest."""
    path, body = step(number)
    headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN, "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.connect()
    sent_s = time.monotonic()
    connection.request("POST", path, json.dumps(body), headers)
    answer = json.loads(connection.getresponse().read())
    answered_s = time.monotonic() - sent_s
    connection.close()
    time.sleep(0.15)
    return answer["version"], sent_s, answered_s


def step(number: int) -> tuple[str, dict]:
    """The line and a few stakes once, then a pass forwards and backwards for as long as it takes."""
    opening = [
        LINE,
        {"cmd": "stake", "player": "Ana", "amount": 3},
        {"cmd": "hedge", "player": "Ana", "amount": 30},
        {"cmd": "hedge", "player": "Bo", "amount": 30},
    ]
    if number < len(opening):
        return "/api/commands", opening[number]
    turn = (number - len(opening)) % 4
    return ("/api/next", {}) if turn < 2 else ("/api/undo", {})


def percentile(values: Sequence[float], share: int) -> float:
    """In milliseconds; the value that ``share`` per cent do not exceed."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, -(-len(ordered) * share // 100) - 1)]


def percentiles(values: Sequence[float]) -> str:
    half, most, worst = (percentile(values, share) for share in (50, 95, 100))
    return f"{half:6.1f} ms half, {most:6.1f} ms at the 95th percentile, {worst:6.1f} ms at most"


def memory_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def processor_s(process: int) -> float:
    """Seconds that a process has computed so far, proc(5)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}

if __name__ == "__main__":
    sys.exit(main())
