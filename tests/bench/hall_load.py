"""A hall of many tables at many times the pace of people: what is lost, how far the display lags, what it costs.

    python tests/bench/hall_load.py [--tables 200] [--minutes 10] [--speed 10] [--chromium]

Broker, hub and tables run in processes of their own. The journals lie in memory, for a table's own disk is not what is
measured; the hub's database lies on the disk. Exit status 1 when a line is lost or kept twice, or the display lags by
more than 1 s in the 95th percentile.
"""

import argparse
import bisect
import http.client
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from companion.hub.broker import Mosquitto, free_port
from companion.referee.lines import whole_lines

BENCH = Path(__file__).parent
TABLES_A_PROCESS = 50
LAGS_AT_MOST_S = 1.0
SETTLES_WITHIN_S = 120.0


class Display:
    """Reads the hall's events as a projector's browser does, and notes when each table's version was shown."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.shown: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.bytes = 0
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
                connection.request("GET", "/api/hall/events")
                self._read(connection.getresponse())
            except (OSError, http.client.HTTPException):
                time.sleep(0.2)

    def _read(self, response: http.client.HTTPResponse) -> None:
        while line := response.readline():
            self.bytes += len(line)
            if line.startswith(b"data: ") and len(line) > 20:
                now = time.time()
                for table in json.loads(line[6:])["tables"]:
                    self.shown[table["table"]].append((table.get("version", 0), now))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--speed", type=float, default=10.0)
    parser.add_argument("--chromium", action="store_true", help="show the display in Chromium too, and weigh it")
    given = parser.parse_args()
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        memory = Path(closing.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        broker = closing.enter_context(Mosquitto(folder))
        web = free_port()
        hub = closing.enter_context(running_hub(folder, broker.port, web))
        players = [
            closing.enter_context(
                playing(memory, broker.port, first, min(TABLES_A_PROCESS, given.tables + 1 - first), given)
            )
            for first in range(1, given.tables + 1, TABLES_A_PROCESS)
        ]
        display = Display(web)
        weighed = {"broker": broker.pid, "hub": hub.pid}
        if given.chromium:
            weighed["display"] = closing.enter_context(chromium(web, folder)).pid
        for player in players:
            wait_for(player, "ready")
        before, begun_s = {name: processor_s(pid) for name, pid in weighed.items()}, time.monotonic()
        for player in players:
            wait_for(player, "played")
        spent = {name: processor_s(pid) - before[name] for name, pid in weighed.items()}
        took_s = time.monotonic() - begun_s
        written = journals(memory)
        settled_s = settle(folder / "hub.db", len(written))
        lost, twice, other = compared(folder / "hub.db", written)
        weights = {name: memory_mb(pid) for name, pid in weighed.items()}
        lags = lags_s(memory, display)
        half, most, worst = (percentile(lags, share) for share in (50, 95, 100))
        size_mb = sum(path.stat().st_size for path in folder.glob("hub.db*")) / 1e6
    told = [
        f"{given.tables} tables for {took_s:.0f} s at {given.speed:g} times the pace of people:",
        f"{len(written) / took_s:.0f} lines a second, {len(lags) / took_s:.0f} changes",
        f"\n{len(written)} lines written, {lost} lost, {twice} kept twice, {other} kept otherwise;",
        f"all kept {settled_s:.1f} s after the end",
        f"\nthe display lags {1000 * half:.0f} ms in half of {len(lags)} changes,",
        f"{1000 * most:.0f} ms in the 95th percentile, {1000 * worst:.0f} ms at most",
        *(f"\n{name:8} {100 * spent[name] / took_s:5.1f} % of one core, {weights[name]:.0f} MB" for name in weighed),
        f"\ndatabase {size_mb:.0f} MB, {1000 * size_mb / max(len(written), 1):.2f} kB a line;",
        f"the display's stream {display.bytes / took_s / 1000:.0f} kB/s",
    ]
    print(*told)
    return 1 if lost or twice or other or most > LAGS_AT_MOST_S else 0


@contextmanager
def running_hub(folder: Path, broker: int, web: int) -> Iterator[subprocess.Popen]:
    settings = folder / "hub.toml"
    settings.write_text(f'[hub]\nbroker = "mqtt://127.0.0.1:{broker}"\nname = "hub"\n')
    options = ["--settings", str(settings), "--data", str(folder), "--host", "127.0.0.1", "--port", str(web)]
    with subprocess.Popen([sys.executable, "-m", "companion", "hub", *options], stdout=subprocess.DEVNULL) as process:
        until_served(web)
        yield process
        process.terminate()


@contextmanager
def playing(memory: Path, port: int, first: int, tables: int, given: argparse.Namespace) -> Iterator[subprocess.Popen]:
    options = {
        "port": port, "first": first, "tables": tables, "seconds": 60 * given.minutes, "speed": given.speed,
        "folder": memory, "told": memory / f"told-{first}.txt",
    }  # fmt: skip
    command = [sys.executable, str(BENCH / "hall_tables.py")]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        yield process
        process.stdin.close()


@contextmanager
def chromium(web: int, folder: Path) -> Iterator[subprocess.Popen]:
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1920,1080",
        "--remote-debugging-port=0",
    ]
    command = [shutil.which("chromium"), *options, f"--user-data-dir={folder / 'profile'}", f"http://127.0.0.1:{web}/"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as process:
        yield process
        process.terminate()


def wait_for(process: subprocess.Popen, word: str) -> None:
    line = process.stdout.readline().strip()
    if line != word:
        raise SystemExit(f"a process of tables said {line!r} instead of {word}")


def until_served(port: int) -> None:
    ends_s = time.monotonic() + 30.0
    while time.monotonic() < ends_s:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/api/hall")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the hub does not serve")


def journals(memory: Path) -> dict[tuple[str, str, int], str]:
    """Every line written, by table, game and number."""
    written = {}
    for path in sorted(memory.glob("*/games/*.jsonl")):
        data = path.read_bytes()
        game = f"{int(path.stem):04}-{data.splitlines()[0][-10:-2].decode()}"
        for body in whole_lines(data)[0]:
            written[path.parent.parent.name, game, body["n"]] = json.dumps(body)
    return written


def settle(database: Path, lines: int) -> float:
    """Seconds until so many lines are kept, or until there is no more hope."""
    begun_s = time.monotonic()
    while time.monotonic() - begun_s < SETTLES_WITHIN_S:
        with sqlite3.connect(database) as held:
            if held.execute("select count(*) from events where is_linked").fetchone()[0] >= lines:
                break
        time.sleep(0.1)
    return time.monotonic() - begun_s


def compared(database: Path, written: dict[tuple[str, str, int], str]) -> tuple[int, int, int]:
    """How many lines are lost, kept twice, and kept otherwise than they were written."""
    with sqlite3.connect(database) as held:
        rows = held.execute('select "table", game, line, body from events where is_linked').fetchall()
    kept = {(table, game, line): body for table, game, line, body in rows}
    lost = sum(1 for key in written if key not in kept)
    other = sum(1 for key, body in kept.items() if written.get(key) != body)
    return lost, len(rows) - len(kept), other


def lags_s(memory: Path, display: Display) -> list[float]:
    """For each change, how long until the display showed it or what came after it."""
    lags = []
    for file in memory.glob("told-*.txt"):
        for told in file.read_text().splitlines():
            table, version, moment = told.split()
            shown = display.shown.get(table, [])
            at = bisect.bisect_left(shown, (int(version), 0.0))
            if at < len(shown):
                lags.append(shown[at][1] - float(moment))
    return lags or [float("inf")]


def percentile(values: list[float], share: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, -(-len(ordered) * share // 100) - 1)]


def family(process: int) -> list[int]:
    """A process and all that it started."""
    found, parents = [process], {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    for pid in sorted(parents):
        if parents[pid] in found:
            found.append(pid)
    return found


def processor_s(process: int) -> float:
    """Seconds that a process and its children have computed so far, proc(5)."""
    spent = 0
    for pid in family(process):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> float:
    """What a process and its children hold, each page counted for its part (PSS)."""
    total = 0
    for pid in family(process):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


if __name__ == "__main__":
    sys.exit(main())
