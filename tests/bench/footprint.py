"""What a table costs: memory, seconds to the first page, and processor time, with four phones' streams connected.

Starts `companion demo` as people do, waits for its page, connects four live streams, lets it play, and once more with a
game that is over, which is a table that nobody plays at: ten pictures a second are drawn, watched and nothing happens.
Exit status 1 where a limit is exceeded.

    python tests/bench/footprint.py [--game hexel] [--seconds 20]
"""

import argparse
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PHONES = 4
MOST_MB, MOST_START_S, MOST_IDLE = 250.0, 3.0, 0.15

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Use:
    """What one process used over a while."""

    resident_mb: float
    peak_mb: float
    cores: float


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def get(port: int, path: str) -> bytes | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.read() if answer.status == 200 else None
    except OSError:
        return None
    finally:
        connection.close()


@contextlib.contextmanager
def demo(game: str, speed: float, data: Path) -> Iterator[tuple[int, int, tuple[float, float]]]:
    """A demo: its process, its port, and the seconds until its page came, by the clock and of its processor time."""
    port = free_port()
    words = ["-m", "companion", "demo", "--game", game, "--speed", str(speed), "--host", "127.0.0.1"]
    began_s = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *words, "--port", str(port), "--data", str(data)], stdout=subprocess.DEVNULL
    ) as process:
        while get(port, "/") is None:
            if process.poll() is not None or time.monotonic() - began_s > 60:
                raise SystemExit("the demo did not start")
            time.sleep(0.02)
        took_s = (time.monotonic() - began_s, cpu_s(process.pid))
        try:
            yield process.pid, port, took_s
        finally:
            process.send_signal(signal.SIGINT)


@contextlib.contextmanager
def phones(port: int) -> Iterator[list[int]]:
    """Live streams; how many bytes each has heard."""
    heard, is_over = [0] * PHONES, threading.Event()

    def listen(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/api/events")
        answer = connection.getresponse()
        while not is_over.is_set() and (line := answer.readline()):
            heard[number] += len(line)
        connection.close()

    for number in range(PHONES):
        threading.Thread(target=listen, args=(number,), daemon=True).start()
    try:
        yield heard
    finally:
        is_over.set()


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory_mb(pid: int, name: str) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def used(pid: int, seconds: float) -> Use:
    began, began_s = cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    cores = (cpu_s(pid) - began) / (time.monotonic() - began_s)
    return Use(memory_mb(pid, "VmRSS"), memory_mb(pid, "VmHWM"), cores)


def is_over(port: int) -> bool:
    state = get(port, "/api/state")
    return state is not None and json.loads(state)["result"] is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="hexel")
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with demo(given.game, 1.0, data) as (pid, port, took_s), phones(port) as heard:
            time.sleep(5.0)
            playing = used(pid, given.seconds)
            assert all(heard), "a phone heard nothing"
        with demo(given.game, 100.0, data) as (pid, port, again_s), phones(port):
            ends_s = time.monotonic() + 400
            while not is_over(port) and time.monotonic() < ends_s:
                time.sleep(0.5)
            time.sleep(3.0)
            idle = used(pid, given.seconds)
    rows = (
        ("first page", f"{took_s[0]:.2f} s, of that busy {took_s[1]:.2f}", took_s[0] <= MOST_START_S),
        ("first page, again", f"{again_s[0]:.2f} s, of that busy {again_s[1]:.2f}", again_s[0] <= MOST_START_S),
        ("memory, playing", f"{playing.resident_mb:.0f} MB, at most {playing.peak_mb:.0f}", playing.peak_mb <= MOST_MB),
        ("memory, a whole game", f"{idle.resident_mb:.0f} MB, at most {idle.peak_mb:.0f}", idle.peak_mb <= MOST_MB),
        ("processor, playing", f"{100 * playing.cores:.0f} % of a core", True),
        ("processor, game over", f"{100 * idle.cores:.0f} % of a core", idle.cores <= MOST_IDLE),
    )
    for name, found, is_well in rows:
        print(f"{'ok' if is_well else 'TOO MUCH':9} {name:22} {found}")
    return 0 if all(is_well for *_, is_well in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
