"""Five hundred phones that watch, five hundred connections that send a byte now and then, and a page that must open.

    python tests/soak/phones.py [--server own] [--phones 500] [--slow 500] [--rounds 60]

The server runs in a process of its own, on one core. Measured from another: how soon the page opens, a game is begun
and a move is answered while all of them are there, how soon a change reaches the phones, and how soon a phone that
leaves gives its place back. Exit status 1 when one of the first three takes more than 100 ms in the 95th percentile,
when a phone was not let in, or when a place is not free again within 2 s. ``--server`` takes those of `serve.py`, for
comparing.
"""

import argparse
import asyncio
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SLOW_EVERY_S = 4.0
WITHIN_MS, FREE_WITHIN_S = 100.0, 2.0
CODE, PIN = "ROSE42", "271828"
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [n - 1, 0], "edges": [{"r": "red", "b": "blue"}[letter] for letter in letters]}
        for n, letters in enumerate(("rbbbbb", "rbbrbb", "rrbrbb"))
    ],
}
_HEADERS = f"Host: 127.0.0.1\r\nX-Join-Code: {CODE}\r\nX-Operator-Pin: {PIN}\r\nConnection: close\r\n"


@dataclass
class Crowd:
    """Those who are there, and what they heard."""

    port: int
    heard: dict[int, list[float]] = field(default_factory=dict)
    watching: list[asyncio.StreamWriter] = field(default_factory=list)
    dropped: int = 0

    async def watch(self) -> None:
        """A phone that holds an event stream."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
        self.watching.append(writer)
        with contextlib.suppress(OSError):
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    self.heard.setdefault(int(line[4:]), []).append(time.monotonic())

    async def drip(self) -> None:
        """A connection that sends a byte of its request every few seconds, and comes again when it is closed."""
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                try:
                    while not reader.at_eof():
                        writer.write(b"a")
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(reader.read(1), SLOW_EVERY_S)
                finally:
                    writer.close()
            self.dropped += 1
            await asyncio.sleep(SLOW_EVERY_S)


async def asked(port: int, method: str, path: str, body: object = None) -> tuple[int, bytes, float]:
    """An answer's status and body, and after how many seconds it was there; 30 s when none came."""
    begun = time.monotonic()
    text = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\n{_HEADERS}Content-Length: {len(text)}\r\n\r\n"
    try:
        async with asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head.encode() + text)
            told = await reader.read()
            writer.close()
    except (OSError, TimeoutError):
        return 0, b"", 30.0
    took = time.monotonic() - begun
    head_told, _, rest = told.partition(b"\r\n\r\n")
    status = int(head_told.split()[1]) if head_told.startswith(b"HTTP/") else 0
    return status, rest, took if status else 30.0


def percentile(values: Sequence[float], share: int) -> float:
    """In milliseconds; the value that ``share`` per cent do not exceed."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, -(-len(ordered) * share // 100) - 1)] if ordered else 1e9


async def measure(given: argparse.Namespace, port: int, process: int) -> bool:
    crowd = Crowd(port)
    before_mb = memory_mb(process)
    tasks = [asyncio.create_task(crowd.watch()) for _ in range(given.phones)]
    tasks += [asyncio.create_task(crowd.drip()) for _ in range(given.slow)]
    ends = time.monotonic() + 15.0
    while sum(map(len, crowd.heard.values())) < given.phones and time.monotonic() < ends:
        await asyncio.sleep(0.1)
    let_in = sum(map(len, crowd.heard.values()))
    await asyncio.sleep(SLOW_EVERY_S + 1)
    pages, begun, moves, reached = [], [], [], []

    async def ask(path: str, body: object, took_s: list[float]) -> int:
        """Post something that changes the table, and look when it reaches the phones; how many answers failed."""
        asked_s = time.monotonic()
        status, told, took = await asked(port, "POST", path, body)
        took_s.append(took)
        await asyncio.sleep(0.3)
        if status == 200:
            version = json.loads(told[told.find(b"{") : told.rfind(b"}") + 1])["version"]
            reached.extend(heard - asked_s for heard in crowd.heard.get(version, []))
        return int(status != 200)

    busy_s = processor_s(process)
    bad = 0
    ends = time.monotonic() + 90.0
    for number in range(given.rounds):
        status, _, took = await asked(port, "GET", "/")
        bad += status != 200
        pages.append(took)
        name = ("Ana", "Bo")[number % 2]
        header = {"record": 1, "game": "hexel", "edition": "36", "players": [name, "Cy"]}
        bad += await ask("/api/next", {"header": header}, begun)
        bad += await ask("/api/commands", LINE, moves)
        if time.monotonic() > ends:
            break
    with_mb, busy_s = memory_mb(process), processor_s(process) - busy_s
    free_s = await leaving(crowd, given.phones)
    for task in tasks:
        task.cancel()
    print(f"{given.server}: {let_in} of {given.phones} phones let in, {given.slow} slow, closed {crowd.dropped} times")
    for what, values in (
        ("the page opens", pages),
        ("a game is begun", begun),
        ("a move is answered", moves),
        ("reaches a phone", reached),
    ):
        half, most, worst = (percentile(values, share) for share in (50, 95, 100))
        print(f"  {what:22} {half:7.1f} ms half, {most:7.1f} ms at the 95th percentile, {worst:7.1f} ms at most")
    missed = given.phones * len([*begun, *moves]) - len(reached)
    print(f"  {bad} answers failed, {missed} deliveries missed; memory {before_mb:.0f} MB, with all {with_mb:.0f} MB")
    print(f"  the places of those who left were free after {free_s:.2f} s")
    print(
        f"  {1000 * busy_s / len(pages):.0f} ms of the processor a round: "
        f"a page, two commands and {2 * let_in} deliveries"
    )
    is_fast = all(percentile(values, 95) <= WITHIN_MS for values in (pages, begun, moves))
    return is_fast and not bad and not missed and let_in == given.phones and free_s <= FREE_WITHIN_S


async def leaving(crowd: Crowd, phones: int) -> float:
    """All phones leave; seconds until as many others have their places."""
    for writer in crowd.watching:
        writer.close()
    crowd.heard.clear()
    begun = time.monotonic()
    while time.monotonic() - begun < 20.0:
        late = [asyncio.create_task(crowd.watch()) for _ in range(5)]
        await asyncio.sleep(0.2)
        is_in = sum(map(len, crowd.heard.values())) >= 5
        for task in late:
            task.cancel()
        if is_in:
            return time.monotonic() - begun
        crowd.heard.clear()
    return 20.0


def memory_mb(process: int) -> float:
    """Of a process and its children."""
    processes = [process]
    with contextlib.suppress(OSError):
        processes += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
    pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in processes)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_s(process: int) -> float:
    """Seconds that a process and its children have computed so far, proc(5)."""
    processes = [process]
    with contextlib.suppress(OSError):
        processes += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in processes]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as asked_for:
        asked_for.bind(("127.0.0.1", 0))
        return int(asked_for.getsockname()[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="own")
    parser.add_argument("--phones", type=int, default=500)
    parser.add_argument("--slow", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=60)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    port, serve = free_port(), Path(__file__).with_name("serve.py")
    core = str(min(os.sched_getaffinity(0)))
    with subprocess.Popen(["taskset", "-c", core, sys.executable, str(serve), given.server, str(port)]) as server:
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            return 0 if asyncio.run(measure(given, port, server.pid)) else 1
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
