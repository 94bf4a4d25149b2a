"""What a hall does when something fails: each fault on 20 tables at ten times the pace of people, with what was seen.

    python tests/bench/hall_faults.py [broker] [hub] [loss] [day] [rubbish]

Without names all of them. `loss` needs root and iptables: the tables then sit in a network of their own that loses 30 %
of the packets, each way. Exit status 1 when a line is lost or kept twice.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hall_load import BENCH, Display, compared, journals, lags_s, percentile, settle, until_served, wait_for
from hall_tables import HALL, RecordedTable, recorded

from companion.games import GAMES
from companion.hub.broker import Mosquitto, free_port
from companion.hub.link import Link, broker_at
from companion.hub.messages import Address, encode

TABLES, MINUTES, SPEED = 20, 0.75, 10.0
AWAY_S = 10.0
DAY_S, DAY_TABLES = 24 * 3600.0, 10
NETWORK = "companion-loss"
HERE, THERE = "10.213.7.1", "10.213.7.2"


class Hall:
    """Broker, hub, display and tables, each in a process of its own."""

    def __init__(self, closing: ExitStack) -> None:
        self.folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        self.memory = Path(closing.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        self.web = free_port()
        self._closing = closing

    def open(self, host: str = "127.0.0.1") -> None:
        port = free_port()
        config = self.folder / "all.conf"
        config.write_text(f"listener {port} 0.0.0.0\nallow_anonymous true\nuser root\nmax_inflight_messages 1000\n")
        self.broker = self._closing.enter_context(Mosquitto(self.folder, port, config))
        self.host = host
        self.start_hub()
        self._closing.callback(lambda: self.hub.terminate())
        self.display = Display(self.web)

    def start_hub(self) -> None:
        settings = self.folder / "hub.toml"
        settings.write_text(f'[hub]\nbroker = "mqtt://127.0.0.1:{self.broker.port}"\nname = "hub"\n')
        options = ["--settings", str(settings), "--data", str(self.folder), "--host", "127.0.0.1"]
        command = [sys.executable, "-m", "companion", "hub", *options, "--port", str(self.web)]
        self.hub = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_served(self.web)

    @contextmanager
    def tables(self, inside: tuple[str, ...] = (), minutes: float = MINUTES) -> Iterator[subprocess.Popen]:
        options = {
            "port": self.broker.port, "first": 1, "tables": TABLES, "seconds": 60 * minutes, "speed": SPEED,
            "folder": self.memory, "told": self.memory / "told-1.txt", "host": self.host,
        }  # fmt: skip
        command = [*inside, sys.executable, str(BENCH / "hall_tables.py")]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        with subprocess.Popen(command, **pipes) as process:
            wait_for(process, "ready")
            yield process
            wait_for(process, "played")
            self.settled_s = settle(self.folder / "hub.db", len(journals(self.memory)))
            process.stdin.close()

    def told(self, what: str, more: str = "") -> int:
        written = journals(self.memory)
        lost, twice, other = compared(self.folder / "hub.db", written)
        lags = lags_s(self.memory, self.display)
        print(
            f"{what}: {len(written)} lines, {lost} lost, {twice} twice, {other} otherwise;",
            f"all kept {self.settled_s:.1f} s after the end;",
            f"the display lags {1000 * percentile(lags, 95):.0f} ms in the 95th percentile,",
            f"{percentile(lags, 100):.1f} s at most{more}",
            flush=True,
        )
        return lost + twice + other


def broker_killed() -> int:
    with ExitStack() as closing:
        hall = Hall(closing)
        hall.open()
        with hall.tables():
            time.sleep(10)
            hall.broker.kill()
            time.sleep(AWAY_S)
            hall.broker.start()
        return hall.told(f"broker killed for {AWAY_S:g} s")


def hub_killed() -> int:
    with ExitStack() as closing:
        hall = Hall(closing)
        hall.open()
        with hall.tables():
            time.sleep(10)
            hall.hub.send_signal(signal.SIGKILL)
            hall.hub.wait()
            time.sleep(AWAY_S)
            hall.start_hub()
        return hall.told(f"hub killed -9 for {AWAY_S:g} s")


def packets_lost() -> int:
    with ExitStack() as closing:
        closing.enter_context(lossy_network())
        hall = Hall(closing)
        hall.open(HERE)
        with hall.tables(("ip", "netns", "exec", NETWORK)):
            pass
        return hall.told("30 % of packets lost each way")


@contextmanager
def lossy_network() -> Iterator[None]:
    inside = f"ip netns exec {NETWORK}"
    lossy = "-m statistic --mode random --probability 0.3 -j DROP"
    for command in (
        f"ip netns add {NETWORK}", "ip link add hall0 type veth peer name hall1", f"ip link set hall1 netns {NETWORK}",
        f"ip addr add {HERE}/24 dev hall0", "ip link set hall0 up", f"{inside} ip addr add {THERE}/24 dev hall1",
        f"{inside} ip link set hall1 up", f"{inside} ip link set lo up", f"{inside} iptables -A INPUT -i hall1 {lossy}",
        f"{inside} iptables -A OUTPUT -o hall1 {lossy}",
    ):  # fmt: skip
        subprocess.run(command.split(), check=True)
    try:
        yield
    finally:
        subprocess.run(["ip", "netns", "del", NETWORK], check=False)
        subprocess.run(["ip", "link", "del", "hall0"], check=False, stderr=subprocess.DEVNULL)


def day_offline() -> int:
    """Ten tables come back together, each with a whole day of games that nobody has seen."""
    from companion.hub.publisher import Place, Publisher

    with ExitStack() as closing:
        hall = Hall(closing)
        hall.open()
        recordings = [recorded(game, seed) for seed, game in enumerate(GAMES, 1)]
        tables = [RecordedTable(f"table-{n:04}", hall.memory, recordings, n) for n in range(1, DAY_TABLES + 1)]
        for table in tables:
            played_s = 0.0
            while played_s < DAY_S:
                played_s += table.step()
        lines = len(journals(hall.memory))
        begun_s = time.monotonic()
        for table in tables:
            broker = broker_at(f"mqtt://127.0.0.1:{hall.broker.port}", table.name)
            publisher = Publisher(table, Place(broker, Address(HALL, table.name)))
            publisher.start()
            closing.callback(publisher.stop)
        hall.settled_s = settle(hall.folder / "hub.db", lines)
        took_s = time.monotonic() - begun_s
        lost, twice, other = compared(hall.folder / "hub.db", journals(hall.memory))
        print(
            f"{DAY_TABLES} tables offline for a day: {lines} lines, {lost} lost, {twice} twice, {other} otherwise;",
            f"all kept {took_s:.0f} s after the network came back, {lines / took_s:.0f} lines a second",
            flush=True,
        )
        return lost + twice + other


def rubbish() -> int:
    """One table's password in the wrong hands: as much rubbish as one process can send, under its own name."""
    with ExitStack() as closing:
        hall = Hall(closing)
        hall.open()
        sent, stop = [0], threading.Event()
        flooding = threading.Thread(target=flood, args=(hall.broker.port, sent, stop), daemon=True)
        with hall.tables():
            flooding.start()
        stop.set()
        flooding.join()
        return hall.told("a table sends rubbish", f"; {sent[0] / (60 * MINUTES):.0f} messages of rubbish a second")


def flood(port: int, sent: list[int], stop: threading.Event) -> None:
    here = Address(HALL, "table-evil")
    link = Link(broker_at(f"mqtt://127.0.0.1:{port}", here.table), {}, lambda message: None, lambda: None)
    link.open()
    position = {"game": "0001-0badcafe", "line": 7, "after": ["0001-0badcafe", 6]}
    rubbish = [
        ("event", os.urandom(2000)), ("snapshot", os.urandom(1500)), ("presence", b"{" * 300),
        ("event", encode({**position, "body": {"n": 8}})), ("snapshot", json.dumps({"schema": 1}).encode()),
        ("event", encode({**position, "body": {"n": 7, "did": "x" * 5000}})), ("event", b"[" * 60000),
    ]  # fmt: skip
    while not stop.is_set():
        for kind, payload in rubbish:
            sent[0] += link.publish(here.topic("up", kind), payload, 0)
        time.sleep(0.002)
    link.close()


FAULTS: dict[str, Callable[[], int]] = {
    "broker": broker_killed,
    "hub": hub_killed,
    "loss": packets_lost,
    "day": day_offline,
    "rubbish": rubbish,
}


def main() -> int:
    wrong = sum(FAULTS[name]() for name in sys.argv[1:] or FAULTS)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
